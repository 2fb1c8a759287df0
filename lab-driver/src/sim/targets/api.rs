//! The model of `lab-server api`: `/items` with a cold cache on every n-th, `/report` behind a small pool.

use std::collections::BTreeMap;

use super::super::laws::Demand;
use super::super::model::{Model, Route};
use super::super::pieces::{Delay, Piece, Service, Slots};
use super::knob;
use crate::engine::time::Ns;

/// What `/items` takes when its cache is warm.
pub const ITEMS_FAST: Ns = Ns::from_millis(5);
/// What it takes when its cache is cold.
pub const ITEMS_SLOW: Ns = Ns::from_millis(400);
/// The pool's name in the counters.
pub const POOL: &str = "report pool";
/// Bytes of the answer `{"ok": true}`.
const BODY: u64 = 12;

/// The knobs, named as the server's flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knobs {
    /// `--items-slow-every`
    pub items_slow_every: u64,
    /// `--report-pool`
    pub report_pool: u64,
    /// `--report-work`
    pub report_work: Ns,
}

impl Default for Knobs {
    fn default() -> Self {
        Self { items_slow_every: 25, report_pool: 2, report_work: Ns::from_millis(100) }
    }
}

impl Knobs {
    /// From names and texts; every mistake in one message.
    pub fn read(texts: &BTreeMap<String, String>) -> Result<Self, String> {
        let mut knobs = Self::default();
        let known = "items_slow_every, report_pool, report_work";
        knob::each("api", known, texts, |name, text| {
            Some(match name {
                "items_slow_every" => knob::count(text, 1).map(|n| knobs.items_slow_every = n),
                "report_pool" => knob::count(text, 1).map(|n| knobs.report_pool = n),
                "report_work" => knob::work(text).map(|time| knobs.report_work = time),
                _ => return None,
            })
        })?;
        Ok(knobs)
    }

    /// The model for a driver with `slots` slots.
    pub fn model(&self, slots: u32) -> Model {
        let items = Service::EveryNth {
            n: self.items_slow_every,
            slow: ITEMS_SLOW,
            fast: ITEMS_FAST,
            count: 0,
        };
        let pool = Slots::new(POOL, self.report_pool, Service::Constant(self.report_work), slots);
        let pieces: Vec<Box<dyn Piece>> = vec![Box::new(Delay::new(items)), Box::new(pool)];
        let route =
            |path: &str, piece| Route { path: path.to_owned(), chain: vec![piece], bytes: BODY };
        Model::new(vec![route("/items", 0), route("/report", 1)], pieces, slots)
    }

    /// What one visit to `path` demands.
    pub fn demand(&self, path: &str) -> Option<Demand> {
        match path.split('?').next()? {
            "/items" => {
                let n = self.items_slow_every as f64;
                let mean = (ITEMS_SLOW.as_secs_f64() + (n - 1.0) * ITEMS_FAST.as_secs_f64()) / n;
                Some(Demand { service_s: mean, servers: None, service_cv2: None })
            }
            "/report" => Some(Demand {
                service_s: self.report_work.as_secs_f64(),
                servers: Some(self.report_pool),
                service_cv2: Some(0.0),
            }),
            _ => None,
        }
    }
}
