//! A driver's samples beside the target's own log: response times as reported, and as they truly were.

use std::collections::HashMap;

use super::distribution::nearest_rank;

/// One request as the driver saw it. Instants are nanoseconds of the host's monotonic clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    /// Its name, which the target's log repeats.
    pub request: String,
    /// Its endpoint.
    pub endpoint: String,
    /// Where its response time begins: the intended start in scheduled runs, else the sending.
    pub from: u64,
    /// Its last byte had arrived, or it was given up.
    pub done: u64,
    /// Whether an answer came; without one `done` is only a lower bound.
    pub answered: bool,
}

/// Both sides of one endpoint, or of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Joined {
    /// Response times as the driver reports them, ns, ascending.
    pub reported: Vec<u64>,
    /// The same requests until they left the target, ns, ascending.
    pub truly: Vec<u64>,
    /// Requests of the samples whose departure the log does not have.
    pub missing: u64,
    /// Those of them that had no answer.
    pub unanswered: u64,
}

impl Joined {
    /// Of all requests, or of those of one endpoint. `departures` has by name when the target let go of a request.
    ///
    /// The true response time ends at the departure and begins where the reported one does: arrival at the target
    /// would leave out what a stopped process and its accept queue kept waiting.
    pub fn of(
        samples: &[Reported],
        departures: &HashMap<String, u64>,
        endpoint: Option<&str>,
    ) -> Self {
        let mut joined = Self::default();
        for sample in samples.iter().filter(|one| endpoint.is_none_or(|name| one.endpoint == name))
        {
            let Some(departure) = departures.get(&sample.request) else {
                joined.missing += 1;
                joined.unanswered += u64::from(!sample.answered);
                continue;
            };
            joined.reported.push(sample.done.saturating_sub(sample.from));
            joined.truly.push(departure.saturating_sub(sample.from));
        }
        joined.reported.sort_unstable();
        joined.truly.sort_unstable();
        joined
    }

    /// A percentile of both sides, ms; none when nothing was joined.
    pub fn percentile(&self, percent: f64) -> Option<(f64, f64)> {
        let at = |times: &[u64]| {
            let rank = nearest_rank(times.len() as u64, percent)?;
            Some(times[usize::try_from(rank - 1).ok()?] as f64 / 1e6)
        };
        at(&self.reported).zip(at(&self.truly))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn true_times_begin_at_the_intended_start_and_end_at_the_departure() {
        let sample = |n: u64, answered| Reported {
            request: format!("r-{n}"),
            endpoint: if n.is_multiple_of(2) { "/even" } else { "/odd" }.to_owned(),
            from: 1_000_000 * n,
            done: 1_000_000 * n + 7_000_000,
            answered,
        };
        let samples: Vec<Reported> = (0..10).map(|n| sample(n, n != 3)).collect();
        let departures =
            (0..9).filter(|n| *n != 3).map(|n| (format!("r-{n}"), 1_000_000 * n + 6_000_000));
        let departures: HashMap<String, u64> = departures.collect();
        let all = Joined::of(&samples, &departures, None);
        assert_eq!((all.reported.len(), all.missing, all.unanswered), (8, 2, 1));
        assert_eq!(all.percentile(99.0), Some((7.0, 6.0)));
        let even = Joined::of(&samples, &departures, Some("/even"));
        assert_eq!((even.reported.len(), even.missing), (5, 0));
        assert_eq!(Joined::default().percentile(50.0), None);
    }
}
