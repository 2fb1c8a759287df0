//! The model of `lab-server products`: a list of products behind 8 slots, each held for 15 to 25 ms.

use std::collections::BTreeMap;

use super::super::laws::Demand;
use super::super::model::{Model, Route};
use super::super::pieces::{Cache, Piece, Service, Slots};
use super::knob;
use crate::engine::quantity::Range;
use crate::engine::random::Stream;
use crate::engine::time::Ns;

/// The one path.
pub const PATH: &str = "/api/products";
/// How long an answer from the cache takes; it needs no slot.
pub const CACHE_HIT: Ns = Ns::from_millis(1);
/// The slots' name in the counters.
pub const SLOTS: &str = "slots";
/// Bytes of the answer without an id, `{"products": []}`.
const BODY: u64 = 16;

/// The knobs, named as the server's flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knobs {
    /// `--slots`
    pub slots: u64,
    /// `--work`
    pub work: Range,
    /// `--cache`: how many ids are remembered; 0 is no cache.
    pub cache: u64,
}

impl Default for Knobs {
    fn default() -> Self {
        let work = Range::new(Ns::from_millis(15), Ns::from_millis(25)).expect("15 is below 25");
        Self { slots: 8, work, cache: 0 }
    }
}

impl Knobs {
    /// From names and texts; every mistake in one message.
    pub fn read(texts: &BTreeMap<String, String>) -> Result<Self, String> {
        let mut knobs = Self::default();
        knob::each("products", "slots, work, cache", texts, |name, text| {
            Some(match name {
                "slots" => knob::count(text, 1).map(|n| knobs.slots = n),
                "work" => knob::works(text).map(|work| knobs.work = work),
                "cache" => knob::count(text, 0).map(|n| knobs.cache = n),
                _ => return None,
            })
        })?;
        Ok(knobs)
    }

    /// The model for a driver with `slots` slots; the work is drawn from a stream of `seed` that no user and no
    /// arrival has.
    pub fn model(&self, slots: u32, seed: u64) -> Model {
        let service = Service::Uniform {
            from: self.work.low(),
            to: self.work.high(),
            stream: Box::new(Stream::service(seed)),
        };
        let pool: Box<dyn Piece> = Box::new(Slots::new(SLOTS, self.slots, service, slots));
        let entrance: Box<dyn Piece> = match self.cache {
            0 => pool,
            capacity => Box::new(Cache::new(capacity, CACHE_HIT, pool, slots)),
        };
        let route = Route { path: PATH.to_owned(), chain: vec![0], bytes: BODY };
        Model::new(vec![route], vec![entrance], slots)
    }

    /// What one visit to `path` demands. How many of a cache's answers need a slot is not known beforehand.
    pub fn demand(&self, path: &str) -> Option<Demand> {
        let (route, query) = path.split_once('?').unwrap_or((path, ""));
        let cached = self.cache > 0 && query.split('&').any(|pair| pair.starts_with("id="));
        if route != PATH || cached {
            return None;
        }
        let (low, high) = (self.work.low().as_secs_f64(), self.work.high().as_secs_f64());
        let mean = f64::midpoint(low, high);
        Some(Demand {
            service_s: mean,
            servers: Some(self.slots),
            service_cv2: Some((high - low).powi(2) / 12.0 / mean.powi(2)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[(&str, &str)]) -> Result<Knobs, String> {
        Knobs::read(&texts.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect())
    }

    #[test]
    fn eight_slots_of_twenty_milliseconds_are_four_hundred_a_second() {
        let demand = Knobs::default().demand("/api/products?id=7").unwrap();
        assert!((8.0 / demand.service_s - 400.0).abs() < 1e-9);
        assert!((demand.service_cv2.unwrap() - 1.0 / 48.0).abs() < 1e-9);
        assert_eq!(Knobs::default().demand("/api"), None);
    }

    #[test]
    fn knobs_are_read_or_all_refused_at_once() {
        let knobs = read(&[("slots", "16"), ("work", "20ms"), ("cache", "100")]).unwrap();
        assert_eq!((knobs.slots, knobs.cache), (16, 100));
        assert_eq!(knobs.work.low(), knobs.work.high());
        assert_eq!(knobs.demand("/api/products?id=7"), None, "how often it hits is not known");
        assert!(knobs.demand("/api/products").is_some());
        let told = read(&[("slots", "0"), ("work", "0..1ms"), ("pool", "2")]).unwrap_err();
        for part in ["slots = \"0\"", "begin above zero", "pool is not a knob of products"] {
            assert!(told.contains(part), "{told}");
        }
    }
}
