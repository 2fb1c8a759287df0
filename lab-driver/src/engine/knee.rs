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
    let upper = found.and_then(|step| levels.iter().position(|level| *level == step.to));
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
