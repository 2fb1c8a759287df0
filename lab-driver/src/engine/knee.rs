//! The knee of a ramp: where more load stops to bring more throughput.

use super::counters::ResourceUse;
use super::prediction::{Gain, Knee};
use super::reading::View;
use super::record::RunRecord;

/// A step that follows less than this part of a proportional increase is the knee.
pub const KNEE_GAIN: f64 = 0.5;

/// The knee of `endpoint` over runs at ascending `levels` (users, or arrivals per second).
///
/// The gain of a step is (X₂/X₁ − 1) / (N₂/N₁ − 1), by served completions. The knee lies between the two levels
/// of the first step whose gain is below one half; there is none when no step is.
pub fn knee(endpoint: &str, levels: &[f64], runs: &[&RunRecord]) -> Knee {
    let served: Vec<f64> = runs.iter().map(|run| served_per_second(run, endpoint)).collect();
    let gains: Vec<Gain> = levels
        .windows(2)
        .zip(served.windows(2))
        .map(|(n, x)| Gain {
            from: n[0],
            to: n[1],
            gain: (x[1] / x[0] - 1.0) / (n[1] / n[0] - 1.0),
        })
        .filter(|step| step.gain.is_finite())
        .collect();
    let found = gains.iter().find(|step| step.gain < KNEE_GAIN);
    // Levels ascend, so the step's upper one is the first that reaches it.
    let upper = found.and_then(|step| levels.iter().position(|level| *level >= step.to));
    Knee {
        endpoint: endpoint.to_owned(),
        between: found.map(|step| (step.from, step.to)),
        full: upper
            .and_then(|position| fullest(runs[position]))
            .map(|resource| resource.name.clone()),
        gains,
    }
}

/// The fullest of the resources that the target itself reports as full.
fn fullest(run: &RunRecord) -> Option<&ResourceUse> {
    let resources = &run.target.as_ref()?.resources;
    resources.iter().filter(|one| one.full).max_by(|a, b| a.utilization.total_cmp(&b.utilization))
}

/// Completions of `endpoint` per second that the target served in the run's only segment.
pub fn served_per_second(run: &RunRecord, endpoint: &str) -> f64 {
    let view = run.segments.first().and_then(|segment| View::of(segment, endpoint));
    view.map_or(0.0, |view| view.served_per_second())
}

#[cfg(test)]
mod tests {
    use super::super::testing::served_at;
    use super::*;

    fn knee_of(levels: &[f64], served: &[u64]) -> Knee {
        let runs: Vec<RunRecord> = served.iter().map(|per_second| served_at(*per_second)).collect();
        knee("/", levels, &runs.iter().collect::<Vec<_>>())
    }

    #[test]
    fn the_first_step_below_half_is_the_knee() {
        let found = knee_of(&[10.0, 20.0, 40.0, 80.0], &[10, 20, 38, 40]);
        assert_eq!(found.between, Some((40.0, 80.0)));
        assert!((found.gains[1].gain - 0.9).abs() < 1e-9);
    }

    #[test]
    fn a_range_below_the_knee_has_none() {
        let found = knee_of(&[10.0, 15.0, 20.0], &[10, 14, 18]);
        assert_eq!((found.between, found.full), (None, None));
        assert_eq!(found.gains.len(), 2);
    }

    #[test]
    fn nothing_served_is_no_gain_and_no_knee() {
        assert!(knee_of(&[10.0, 20.0], &[0, 0]).gains.is_empty());
        assert!(knee_of(&[10.0], &[5]).gains.is_empty());
    }
}
