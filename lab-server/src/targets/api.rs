//! The lesson "percentiles, the knee, the gate": a rare slow path, and a pool that fills up.
//!
//! - Teaches: why an average hides the slow ones, where throughput stops growing, budgets.
//! - Models: an endpoint whose cache is cold now and then, and reports behind a database pool.
//! - Knobs: `--items-slow-every`, `--report-pool`, `--report-work`.
//! - Deliberate fault: the pool is too small: 2 permits held for 100 ms serve 20 reports a second.
//! - Lab: 00, and every lab that needs a knee at a known place.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroU64};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::extract::State;
use axum::routing::{MethodRouter, get};
use clap::Args;
use serde_json::{Map, Value, json};

use super::Target;
use crate::answer::{Answer, Stopwatch};
use crate::config::ServeFlags;
use crate::duration;
use crate::mistakes::{self, Mistakes};
use crate::pool::{Pool, Resource};
use crate::timer;

/// The subcommand, and the name the target gives itself.
pub const NAME: &str = "api";
/// The port unless another is asked for.
pub const PORT: u16 = 8000;
/// How long `/items` takes when the cache is warm.
pub const ITEM_WARM: Duration = Duration::from_millis(5);
/// How long `/items` takes when the cache is cold.
pub const ITEM_COLD: Duration = Duration::from_millis(400);
/// Every how many requests to `/items` the cache is cold, unless set.
pub const ITEMS_SLOW_EVERY: u64 = 25;
/// How many permits the report pool has, unless set.
pub const REPORT_POOL: u32 = 2;
/// How long a report holds its permit, unless set.
pub const REPORT_WORK: Duration = Duration::from_millis(100);

/// The body of each answer.
const OK: &str = r#"{"ok": true}"#;

/// The target's settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Knobs {
    /// Every n-th request to `/items` takes [`ITEM_COLD`].
    pub items_slow_every: NonZeroU64,
    /// Permits of the report pool.
    pub report_pool: NonZeroU32,
    /// How long a report holds its permit; above zero.
    pub report_work: Duration,
}

impl Default for Knobs {
    fn default() -> Self {
        Self {
            items_slow_every: const { NonZeroU64::new(ITEMS_SLOW_EVERY).unwrap() },
            report_pool: const { NonZeroU32::new(REPORT_POOL).unwrap() },
            report_work: REPORT_WORK,
        }
    }
}

/// Serve /items (every 25th is slow) and /report (2 at a time, 100 ms each)
#[derive(Debug, Args)]
#[command(
    after_help = "Example: lab-server api --report-pool 4 --report-work 50ms",
    mut_arg("port", |port| port.required(false).default_value("8000"))
)]
pub(crate) struct Flags {
    #[command(flatten)]
    pub(crate) serve: ServeFlags,
    /// Every N-th request to /items finds a cold cache and takes 400 ms instead of 5 ms
    #[arg(long, value_name = "N", env = "LAB_SERVER_ITEMS_SLOW_EVERY", default_value = "25")]
    items_slow_every: String,
    /// How many reports can be worked on at once
    #[arg(long, value_name = "N", env = "LAB_SERVER_REPORT_POOL", default_value = "2")]
    report_pool: String,
    /// How long a report holds its place in the pool
    #[arg(long, value_name = "TIME", env = "LAB_SERVER_REPORT_WORK", default_value = "100ms")]
    report_work: String,
}

impl Flags {
    pub(crate) fn knobs(&self, mistakes: &mut Mistakes) -> Option<Knobs> {
        let slow_every =
            mistakes.check("--items-slow-every", &self.items_slow_every, mistakes::at_least_one);
        let pool = mistakes.check("--report-pool", &self.report_pool, mistakes::at_least_one);
        let work = mistakes.check("--report-work", &self.report_work, mistakes::work);
        Some(Knobs { items_slow_every: slow_every?, report_pool: pool?, report_work: work? })
    }
}

/// The running target.
pub(crate) struct Api {
    knobs: Knobs,
    pool: Arc<Pool>,
    cache: Mutex<Cache>,
}

/// Counts that belong together, so under one lock.
#[derive(Default)]
struct Cache {
    asked: u64,
    cold: u64,
}

impl Api {
    pub(crate) fn new(knobs: Knobs) -> Self {
        let pool = Pool::new("report pool", knobs.report_pool);
        Self { knobs, pool, cache: Mutex::default() }
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().expect("nothing panics while it holds the cache")
    }

    /// How long the next request to `/items` takes.
    fn next_item(&self) -> Duration {
        let mut cache = self.cache();
        cache.asked += 1;
        if cache.asked.is_multiple_of(self.knobs.items_slow_every.get()) {
            cache.cold += 1;
            ITEM_COLD
        } else {
            ITEM_WARM
        }
    }
}

async fn items(State(api): State<Arc<Api>>) -> Answer {
    let watch = Stopwatch::start().work_begins();
    timer::sleep(api.next_item()).await;
    watch.done(OK)
}

async fn report(State(api): State<Arc<Api>>) -> Answer {
    let watch = Stopwatch::start();
    let permit = api.pool.acquire().await;
    let watch = watch.work_begins();
    timer::sleep(api.knobs.report_work).await;
    permit.served();
    watch.done(OK)
}

impl Target for Api {
    fn routes(self: Arc<Self>) -> Vec<(&'static str, MethodRouter)> {
        vec![
            ("/items", get(items).with_state(Arc::clone(&self))),
            ("/report", get(report).with_state(self)),
        ]
    }

    fn knobs(&self) -> Map<String, Value> {
        Map::from_iter([
            ("items_slow_every".to_owned(), json!(self.knobs.items_slow_every)),
            ("report_pool".to_owned(), json!(self.knobs.report_pool)),
            ("report_work".to_owned(), json!(duration::show(self.knobs.report_work))),
        ])
    }

    fn resources(&self) -> Vec<Resource> {
        vec![self.pool.resource()]
    }

    fn counts(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::from([("slow_items", self.cache().cold)])
    }

    fn reset(&self) {
        self.pool.reset();
        *self.cache() = Cache::default();
    }
}
