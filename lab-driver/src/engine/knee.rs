//! The knee of a ramp: where more load stops to bring more throughput.

use super::counters::ResourceUse;
use super::plan::Load;
use super::prediction::{Gain, Knee};
use super::reading::View;
use super::record::{AGGREGATED, RunRecord};

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
        kneedle: kneedle(levels, &served),
        between: found.map(|step| (step.from, step.to)),
        full: upper
            .and_then(|position| fullest(runs[position]))
            .map(|resource| resource.name.clone()),
        gains,
    }
}

/// The knee of `served` over `levels` by Kneedle (Satopää, Albrecht, Irwin and Raghavan 2011, doi
/// 10.1109/ICDCSW.2011.20), for a rising concave curve and the authors' sensitivity of 1.
///
/// Both axes are brought to 0…1. The knee is the level at which the curve is farthest above the diagonal, if behind
/// it the distance falls by more than the mean step between levels before it rises again. The paper's smoothing is
/// left out: a ramp has too few levels for it.
pub fn kneedle(levels: &[f64], served: &[f64]) -> Option<f64> {
    let unit = |values: &[f64]| -> Option<Vec<f64>> {
        let low = values.iter().copied().reduce(f64::min)?;
        let high = values.iter().copied().reduce(f64::max)?;
        (high > low).then(|| values.iter().map(|value| (value - low) / (high - low)).collect())
    };
    let (x, y) = (unit(levels)?, unit(served)?);
    let above: Vec<f64> = x.iter().zip(&y).map(|(x, y)| y - x).collect();
    let mean_step = 1.0 / (levels.len() as f64 - 1.0);
    let mut top: Option<usize> = None;
    for at in 1..above.len() {
        let is_peak =
            above[at] > above[at - 1] && above.get(at + 1).is_some_and(|next| *next <= above[at]);
        if is_peak {
            top = Some(at);
        } else if let Some(top) = top.filter(|top| above[at] < above[*top] - mean_step) {
            return Some(levels[top]);
        }
    }
    None
}

/// How fast the backlog of `endpoint` grew in the run's only segment, per second; none for users, who wait.
pub fn backlog_growth(run: &RunRecord, endpoint: &str) -> Option<f64> {
    let Load::Open { .. } = run.plan.load else { return None };
    let segment = run.segments.first()?;
    let counts = segment.endpoint(endpoint)?.counts;
    // Nobody drew the tasks of what was never sent: each has its share of it.
    let weight = |name: &str| {
        let tasks = run.plan.tasks.iter().filter(|task| name == AGGREGATED || task.name == name);
        tasks.map(|task| f64::from(task.weight)).sum::<f64>()
    };
    let never_sent = run.totals.never_sent as f64 * weight(endpoint) / weight(AGGREGATED);
    // Due in the window and sent, less what was completed in it: what is in flight at its end less at its start.
    let grown = counts.ended as f64 + never_sent - counts.completed as f64;
    let length = segment.length_s();
    (length > 0.0).then(|| grown / length)
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
    fn kneedle_finds_where_a_ceiling_bends_the_line() {
        let levels = [200.0, 300.0, 350.0, 380.0, 400.0, 450.0];
        assert_eq!(kneedle(&levels, &levels.map(|x: f64| x.min(388.0))), Some(380.0));
        assert_eq!(kneedle(&levels, &levels), None, "a straight line has no knee");
        // The paper's example of a concave curve: y = -1 / (x + 0.1) + 5 bends at 0.2 to 0.3.
        let x: Vec<f64> = (0..10).map(|i| f64::from(i) / 10.0).collect();
        let y: Vec<f64> = x.iter().map(|x| -1.0 / (x + 0.1) + 5.0).collect();
        assert!(matches!(kneedle(&x, &y), Some(knee) if (0.15..=0.35).contains(&knee)));
        assert_eq!(kneedle(&[10.0], &[5.0]), None);
        assert_eq!(kneedle(&[10.0, 20.0], &[5.0, 5.0]), None);
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
