//! The lesson "load testing": a service with 8 slots, and the line that forms in front of them.
//!
//! - Teaches: open against closed load, coordinated omission, where the breakpoint is and why.
//! - Models: a product list whose every request holds one of 8 database connections for 15 to 25 ms.
//! - Knobs: `--slots`, `--work`, `--cache`; with `--freeze`, the stall that a closed load overlooks.
//! - Deliberate fault: no limit to the line: beyond 8 / 20 ms = 400 requests a second it only grows.
//! - Lab: 06 to 10, and whatever needs a server that can be asked for one id again and again.
//!
//! With a cache, an id that was served lately is answered in [`CACHE_HIT`] without a slot. It is kept
//! when its work is done, so that many who ask at once for a new id all miss. Without `?id=` there is
//! nothing to look up: such a request is neither hit nor miss. A reset leaves the cache cold, and the
//! draws go on where they were: a second run is another sample, not the same one again.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use clap::Args;
use serde_json::{Map, Value, json};

use super::Target;
use crate::answer::{Stopwatch, failure};
use crate::cache::{Cache, CacheUse};
use crate::config::ServeFlags;
use crate::mistakes::{self, Mistakes};
use crate::pool::{Pool, Resource};
use crate::random::Stream;
use crate::timer;
use crate::work::Work;

/// The subcommand, and the name the target gives itself.
pub const NAME: &str = "products";
/// The port unless another is asked for.
pub const PORT: u16 = 8080;
/// The one path.
pub const PATH: &str = "/api/products";
/// How many requests can be worked on at once, unless set.
pub const SLOTS: u32 = 8;
/// How long a request holds its slot, unless set.
pub const WORK: Work = Work::between(Duration::from_millis(15), Duration::from_millis(25));
/// How many ids the cache holds, unless set: none, so there is no cache.
pub const CACHE: usize = 0;
/// How long an answer from the cache takes; it needs no slot.
pub const CACHE_HIT: Duration = Duration::from_millis(1);

/// The target's settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Knobs {
    /// How many requests can be worked on at once.
    pub slots: NonZeroU32,
    /// How long a request holds its slot.
    pub work: Work,
    /// How many ids the cache holds; 0 is no cache.
    pub cache: usize,
}

impl Default for Knobs {
    fn default() -> Self {
        Self { slots: const { NonZeroU32::new(SLOTS).unwrap() }, work: WORK, cache: CACHE }
    }
}

/// Serve /api/products (8 at a time, 15 to 25 ms each)
#[derive(Debug, Args)]
#[command(
    after_help = "Example: lab-server products --slots 16 --work 15ms..25ms --freeze 2s/10s",
    mut_arg("port", |port| port.required(false).default_value("8080"))
)]
pub(crate) struct Flags {
    #[command(flatten)]
    pub(crate) serve: ServeFlags,
    /// How many requests can be worked on at once
    #[arg(long, value_name = "N", env = "LAB_SERVER_SLOTS", default_value = "8")]
    slots: String,
    /// How long a request holds its slot: one time, or anything in a range
    #[arg(long, value_name = "TIMES", env = "LAB_SERVER_WORK", default_value = "15ms..25ms")]
    work: String,
    /// How many ids (?id=7) are remembered and then answered in 1 ms without a slot; 0: no cache
    #[arg(long, value_name = "N", env = "LAB_SERVER_CACHE", default_value = "0")]
    cache: String,
}

impl Flags {
    pub(crate) fn knobs(&self, mistakes: &mut Mistakes) -> Option<Knobs> {
        let slots = mistakes.check("--slots", &self.slots, mistakes::at_least_one);
        let work = mistakes.check("--work", &self.work, Work::parse);
        let cache = mistakes.check("--cache", &self.cache, |text| {
            text.parse().map_err(|_| "must be a whole number; 0 is no cache".to_owned())
        });
        Some(Knobs { slots: slots?, work: work?, cache: cache? })
    }
}

/// The running target.
pub(crate) struct Products {
    knobs: Knobs,
    slots: Arc<Pool>,
    draws: Mutex<Stream>,
    cache: Option<Mutex<Cache>>,
}

impl Products {
    pub(crate) fn new(knobs: Knobs, seed: u64) -> Self {
        let slots = Pool::new("slots", knobs.slots);
        let cache = NonZeroUsize::new(knobs.cache);
        let cache = cache.map(|capacity| Mutex::new(Cache::new("products", capacity)));
        Self { knobs, slots, draws: Mutex::new(Stream::new(seed)), cache }
    }

    fn cache(&self) -> Option<MutexGuard<'_, Cache>> {
        let cache = self.cache.as_ref()?;
        Some(cache.lock().expect("nothing panics while it holds the cache"))
    }

    /// How long the next piece of work lasts.
    fn next_work(&self) -> Duration {
        let word = self.draws.lock().expect("nothing panics while it draws").next();
        self.knobs.work.drawn(word)
    }
}

async fn products(State(products): State<Arc<Products>>, RawQuery(query): RawQuery) -> Response {
    let watch = Stopwatch::start();
    let id = match asked_for(query.as_deref().unwrap_or_default()) {
        Ok(id) => id,
        Err(reason) => return failure(StatusCode::BAD_REQUEST, &reason),
    };
    let hit = id.zip(products.cache()).is_some_and(|(id, mut cache)| cache.recall(id));
    let answer = if hit {
        let watch = watch.work_begins();
        timer::sleep(CACHE_HIT).await;
        watch.done(list(id))
    } else {
        let slot = products.slots.acquire().await;
        let watch = watch.work_begins();
        timer::sleep(products.next_work()).await;
        if let Some((id, mut cache)) = id.zip(products.cache()) {
            cache.keep(id);
        }
        slot.served();
        watch.done(list(id))
    };
    answer.into_response()
}

/// The id in a query, if there is one. Other parameters mean nothing here, as is usual on the web.
fn asked_for(query: &str) -> Result<Option<u64>, String> {
    let Some(id) = query.split('&').find_map(|pair| pair.strip_prefix("id=")) else {
        return Ok(None);
    };
    let digits = id.bytes().all(|byte| byte.is_ascii_digit());
    let number = id.parse().ok().filter(|_| digits);
    number.map(Some).ok_or_else(|| format!("?id={id} is not a number; write one, as ?id=7"))
}

fn list(id: Option<u64>) -> String {
    id.map_or_else(
        || r#"{"products": []}"#.to_owned(),
        |id| format!(r#"{{"products": [{{"id": {id}}}]}}"#),
    )
}

impl Target for Products {
    fn routes(self: Arc<Self>) -> Vec<(&'static str, MethodRouter)> {
        vec![(PATH, get(products).with_state(self))]
    }

    fn knobs(&self) -> Map<String, Value> {
        Map::from_iter([
            ("slots".to_owned(), json!(self.knobs.slots)),
            ("work".to_owned(), json!(self.knobs.work.to_string())),
            ("cache".to_owned(), json!(self.knobs.cache)),
        ])
    }

    fn resources(&self) -> Vec<Resource> {
        vec![self.slots.resource()]
    }

    fn caches(&self) -> Vec<CacheUse> {
        self.cache().map(|cache| cache.usage()).into_iter().collect()
    }

    fn reset(&self) {
        self.slots.reset();
        if let Some(mut cache) = self.cache() {
            cache.reset();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::asked_for;

    #[test]
    fn an_id_is_found_among_other_parameters_and_is_digits_only() {
        for (query, id) in [
            ("", None),
            ("page=2", None),
            ("id=7", Some(7)),
            ("page=2&id=007&id=x", Some(7)),
            ("paid=x", None),
        ] {
            assert_eq!(asked_for(query), Ok(id), "{query}");
        }
        for query in
            ["id=", "id=x", "id=+7", "id=-1", "id=1.5", "id=%37", "id=99999999999999999999"]
        {
            assert!(asked_for(query).unwrap_err().contains("as ?id=7"), "{query}");
        }
    }
}
