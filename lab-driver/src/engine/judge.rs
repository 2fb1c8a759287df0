//! The judge: thresholds held against a record's numbers, and the verdict that follows.

use super::abort::Abort;
use super::claim::{Metric, Outcome as Holds, Threshold};
use super::record::RunRecord;
use super::verdict::{Outcome, ThresholdResult, Verdict};

/// Holds the record's thresholds against its numbers and reaches the verdict, all by what was measured.
///
/// Invalid beats fail beats pass. Requests that failed fail the run unless a threshold speaks of failures (of that
/// endpoint, or of all); a run in which every request failed never passes, whatever its thresholds say, and one
/// in which none was measured does not either.
pub fn judge(record: &mut RunRecord) {
    let aborted: Vec<String> = record.aborted.iter().map(aborted).collect();
    judge_besides(record, aborted);
}

/// The same for a climb that looks for what breaks its rule: finding it fails nothing.
pub fn judge_climb(record: &mut RunRecord) {
    judge_besides(record, Vec::new());
}

fn judge_besides(record: &mut RunRecord, mut reasons: Vec<String>) {
    let parsed = record.plan.thresholds.iter().filter_map(|text| Threshold::parse(text).ok());
    let thresholds: Vec<Threshold> = parsed.collect();
    record.thresholds = thresholds.iter().map(|threshold| result(threshold, record)).collect();
    let broken = record.thresholds.iter().filter(|result| !result.holds);
    reasons.extend(broken.map(sentence));
    reasons.extend(failures(record, &thresholds));
    record.verdict = if record.generator.faults.is_empty() {
        let outcome = if reasons.is_empty() { Outcome::Pass } else { Outcome::Fail };
        Verdict { outcome, reasons }
    } else {
        Verdict { outcome: Outcome::Invalid, reasons: record.generator.faults.clone() }
    };
}

/// What the measured requests themselves say against the run.
fn failures(record: &RunRecord, thresholds: &[Threshold]) -> Option<String> {
    let endpoints = || record.segments.iter().flat_map(|segment| &segment.endpoints);
    let ended: u64 = endpoints().map(|endpoint| endpoint.counts.ended).sum();
    let failed: u64 = endpoints().map(|endpoint| endpoint.counts.failed).sum();
    if ended == 0 {
        return (!record.interrupted && record.aborted.is_none())
            .then(|| "no request was measured".to_owned());
    }
    if failed == ended {
        return Some(format!("every request failed ({failed})"));
    }
    let of_failures = |one: &&Threshold| matches!(one.metric(), Metric::Failed | Metric::Checks);
    let speaking: Vec<Option<&str>> =
        thresholds.iter().filter(of_failures).map(Threshold::endpoint).collect();
    let is_unexcused = |name: &str| !speaking.contains(&None) && !speaking.contains(&Some(name));
    let unexcused = endpoints().filter(|endpoint| is_unexcused(&endpoint.name));
    let unexcused: u64 = unexcused.map(|endpoint| endpoint.counts.failed).sum();
    (unexcused > 0).then(|| format!("{unexcused} of {ended} requests failed"))
}

fn result(threshold: &Threshold, record: &RunRecord) -> ThresholdResult {
    let judged = threshold.judge(record);
    let note = match judged.outcome {
        Holds::NoData => {
            Some("no request gives this metric a value, and no data is no pass".to_owned())
        }
        Holds::NotShown => {
            Some("the value is a lower bound: below the limit, but not shown to be".to_owned())
        }
        Holds::Held | Holds::Broken => None,
    };
    let metric = threshold.metric();
    ThresholdResult {
        source: threshold.source().to_owned(),
        endpoint: threshold.endpoint().map(str::to_owned),
        metric: metric.to_string(),
        observed: judged.observed(),
        limit: format!("{} {}", threshold.comparison(), judged.limit()),
        holds: judged.held(),
        note,
    }
}

/// `aborted at 41.3 s: p(95) 131 ms over the last 5 s is not < 100 ms`.
fn aborted(abort: &Abort) -> String {
    let Abort { metric, observed, limit, at_s, .. } = abort;
    let endpoint = abort.endpoint.as_ref().map_or(String::new(), |name| format!("{name} "));
    let over =
        abort.over_s.map_or("since the start".to_owned(), |s| format!("over the last {s} s"));
    format!("aborted at {at_s:.1} s: {endpoint}{metric} {observed} {over} is not {limit}")
}

fn sentence(result: &ThresholdResult) -> String {
    let endpoint = result.endpoint.as_ref().map_or(String::new(), |name| format!("{name} "));
    format!("{endpoint}{} {} is not {}", result.metric, result.observed, result.limit)
}
