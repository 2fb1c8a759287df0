//! Whether the generator kept up: only its own delays may make a run invalid, never the target's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::distribution::Distribution;
use super::tick::Second;
use super::whole;

/// How the driver itself fared in a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GeneratorHealth {
    /// CPU seconds used from the run's start to its end.
    pub cpu_s: f64,
    /// Cores that the driver could use: its dispatchers, or what the machine allows if that is less.
    pub cores: f64,
    /// Share of those cores used over the whole run.
    pub cpu_share: f64,
    /// Median dispatch lag, µs.
    pub lag_p50_us: u64,
    /// 99th percentile of the dispatch lag, µs.
    pub lag_p99_us: u64,
    /// Largest dispatch lag, µs.
    pub lag_max_us: u64,
    /// The lag above which a start counts as late, µs.
    pub lag_limit_us: u64,
    /// Starts later than that.
    pub late_starts: u64,
    /// Their share of all starts.
    pub late_share: f64,
    /// How requests came to be split over dispatchers.
    pub dispatchers: u32,
    /// Why the run is invalid; empty when it is not.
    pub faults: Vec<String>,
}

/// A start may be this late before it counts, whatever the target's times.
const LAG_FLOOR_US: u64 = 5_000;
/// Or this share of the response time's 95th percentile, if that is more.
const LAG_SHARE_OF_P95: f64 = 0.10;
/// More late starts than this share, and the schedule that was sent is not the one that was planned.
const LATE_SHARE: f64 = 0.01;
/// …if there are at least so many of them: one or two stalls of a shared machine among a few dozen starts
/// are no generator that cannot keep up.
const LATE_STARTS: u64 = 3;
/// A generator above this share of its cores has no reserve for what it must do on time…
const CPU_SHARE: f64 = 0.90;
/// …when it lasts this many seconds in a row.
const CPU_SECONDS: usize = 3;

impl GeneratorHealth {
    /// Judges by dispatch lag (relative to the response times that it could distort) and by own CPU.
    pub fn judge(
        dispatch_lag: &Distribution,
        response: &Distribution,
        series: &[Second],
        cores: f64,
        dispatchers: u32,
    ) -> Self {
        let p95_us = response.percentile(95.0).map_or(0, |read| read.us);
        let lag_limit_us = LAG_FLOOR_US.max(whole::nearest(p95_us as f64 * LAG_SHARE_OF_P95));
        let at = |percent| dispatch_lag.percentile(percent).map_or(0, |read| read.us);
        let late = dispatch_lag.count_above(lag_limit_us);
        let cpu_s: f64 = series.iter().map(|second| second.cpu_s).sum();
        let elapsed = series.last().map_or(0.0, |second| second.t);
        let mut health = Self {
            cpu_s,
            cores,
            cpu_share: if elapsed > 0.0 { cpu_s / (elapsed * cores) } else { 0.0 },
            lag_p50_us: at(50.0),
            lag_p99_us: at(99.0),
            lag_max_us: dispatch_lag.totals.max,
            lag_limit_us,
            late_starts: late,
            late_share: late as f64 / dispatch_lag.totals.n.max(1) as f64,
            dispatchers,
            faults: Vec::new(),
        };
        health.faults = health.find_faults(series);
        health
    }

    fn find_faults(&self, series: &[Second]) -> Vec<String> {
        let mut faults = Vec::new();
        // More than 1 % late is the same as a p99 of the lag above the limit.
        if self.late_starts >= LATE_STARTS && self.late_share > LATE_SHARE {
            faults.push(format!(
                "{:.1} % of requests left the driver more than {:.1} ms after they could have (limit 1 %; \
                 lag p99 {:.1} ms): the driver or its machine was too busy",
                self.late_share * 100.0,
                self.lag_limit_us as f64 / 1e3,
                self.lag_p99_us as f64 / 1e3,
            ));
        }
        let busiest = busy_in_a_row(series, self.cores);
        if busiest >= CPU_SECONDS {
            faults.push(format!(
                "the driver used over {:.0} % of the {:.0} core{} it has for {busiest} s in a row",
                CPU_SHARE * 100.0,
                self.cores,
                if self.cores > 1.0 { "s" } else { "" },
            ));
        }
        faults
    }
}

fn busy_in_a_row(series: &[Second], cores: f64) -> usize {
    let mut before = 0.0;
    let (mut run, mut longest) = (0, 0);
    for second in series {
        let length = second.t - before;
        before = second.t;
        // The last piece of a second is too short to say anything.
        let busy = length > 0.5 && second.cpu_s > CPU_SHARE * cores * length;
        run = if busy { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::super::recording::Recording;
    use super::*;

    fn times(values: impl IntoIterator<Item = u64>) -> Distribution {
        let mut recording = Recording::default();
        values.into_iter().for_each(|us| recording.record(us));
        recording.finish()
    }

    fn seconds(cpu: &[f64]) -> Vec<Second> {
        let at = |(i, cpu_s): (usize, &f64)| Second {
            t: i as f64 + 1.0,
            cpu_s: *cpu_s,
            ..Second::default()
        };
        cpu.iter().enumerate().map(at).collect()
    }

    #[test]
    fn lag_is_judged_against_the_times_it_distorts() {
        let lag = times((0..1_000).map(|i| if i < 980 { 40 } else { 8_000 }));
        let fast = GeneratorHealth::judge(&lag, &times([5_000; 100]), &[], 1.0, 1);
        assert_eq!(fast.faults.len(), 1, "8 ms late against 5 ms answers");
        let slow = GeneratorHealth::judge(&lag, &times([400_000; 100]), &[], 1.0, 1);
        assert!(slow.faults.is_empty(), "8 ms late against 400 ms answers: {:?}", slow.faults);
    }

    #[test]
    fn a_stall_or_two_among_few_starts_are_no_fault() {
        let judge = |late: u64| {
            let lag = times((0..20).map(|i| if i < late { 9_000 } else { 40 }));
            GeneratorHealth::judge(&lag, &times([5_000; 20]), &[], 1.0, 1).faults.len()
        };
        assert_eq!((judge(2), judge(3)), (0, 1));
    }

    #[test]
    fn a_busy_core_counts_when_it_lasts() {
        let judge =
            |cpu: &[f64]| GeneratorHealth::judge(&times([1]), &times([1]), &seconds(cpu), 1.0, 1);
        assert!(judge(&[0.95, 0.95, 0.2, 0.95, 0.95]).faults.is_empty());
        assert_eq!(judge(&[0.2, 0.95, 0.96, 0.97]).faults.len(), 1);
        assert!(judge(&[0.2, 0.3]).faults.is_empty());
    }
}
