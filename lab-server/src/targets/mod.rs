//! The teaching targets: one file each, and here the one place where they are registered.

pub mod api;
pub mod products;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::routing::MethodRouter;
use clap::Subcommand;
use serde_json::{Map, Value};

use crate::cache::CacheUse;
use crate::config::ServeFlags;
use crate::mistakes::Mistakes;
use crate::pool::Resource;

/// What a target is to the rest of the server: routes, and the truth about itself.
pub(crate) trait Target: Send + Sync + 'static {
    /// The paths it serves. Anything else is answered with 404 or 405 for it.
    fn routes(self: Arc<Self>) -> Vec<(&'static str, MethodRouter)>;

    /// Its settings, under the names of its flags.
    fn knobs(&self) -> Map<String, Value>;

    /// What can be full.
    fn resources(&self) -> Vec<Resource> {
        Vec::new()
    }

    /// What can be found without work.
    fn caches(&self) -> Vec<CacheUse> {
        Vec::new()
    }

    /// What only this target counts, cumulative.
    fn counts(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::new()
    }

    /// Zeroes what is cumulative and what a fresh start would find empty; never a gauge.
    fn reset(&self);
}

/// Which target to serve, with its own settings.
#[derive(Debug, Clone)]
pub enum Knobs {
    /// One route with a rare slow path, one behind a small pool.
    Api(api::Knobs),
    /// One route behind slots, with a cache if wanted.
    Products(products::Knobs),
}

impl Knobs {
    /// The name of the target: its subcommand, and `lab` in what it tells about itself.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Api(_) => api::NAME,
            Self::Products(_) => products::NAME,
        }
    }

    /// Builds the target, idle, with all counts at zero; `seed` is that of whatever it draws.
    pub(crate) fn build(&self, seed: u64) -> Arc<dyn Target> {
        match self {
            Self::Api(knobs) => Arc::new(api::Api::new(knobs.clone())),
            Self::Products(knobs) => Arc::new(products::Products::new(knobs.clone(), seed)),
        }
    }
}

/// The subcommands, as typed and not yet checked.
#[derive(Debug, Subcommand)]
pub(crate) enum Flags {
    Api(api::Flags),
    Products(products::Flags),
}

impl Flags {
    /// The flags that every target has.
    pub(crate) fn serve(&self) -> &ServeFlags {
        match self {
            Self::Api(flags) => &flags.serve,
            Self::Products(flags) => &flags.serve,
        }
    }

    /// Checks the flags that only this target has.
    pub(crate) fn knobs(&self, mistakes: &mut Mistakes) -> Option<Knobs> {
        match self {
            Self::Api(flags) => flags.knobs(mistakes).map(Knobs::Api),
            Self::Products(flags) => flags.knobs(mistakes).map(Knobs::Products),
        }
    }
}
