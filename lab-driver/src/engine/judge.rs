//! The judge: thresholds held against a record's numbers, and the verdict that follows.

use super::claim::{Metric, Outcome as Holds, Threshold};
use super::record::RunRecord;
use super::verdict::{Outcome, ThresholdResult, Verdict};

/// Holds the record's thresholds against its numbers and reaches the verdict.
///
/// Invalid beats fail beats pass. Requests that failed fail the run unless a threshold speaks of failures;
/// a run in which every request failed never passes, whatever its thresholds say.
pub fn judge(record: &mut RunRecord) {
    let parsed = record.plan.thresholds.iter().filter_map(|text| Threshold::parse(text).ok());
    let thresholds: Vec<Threshold> = parsed.collect();
    record.thresholds = thresholds.iter().map(|threshold| result(threshold, record)).collect();
    let broken = record.thresholds.iter().filter(|result| !result.holds);
    let mut reasons: Vec<String> = broken.map(sentence).collect();
    let speaks_of_failures =
        thresholds.iter().any(|one| matches!(one.metric(), Metric::Failed | Metric::Checks));
    let (failed, completed) = (record.totals.failed, record.totals.completed);
    if completed > 0 && failed == completed {
        reasons.push(format!("every request failed ({failed})"));
    } else if failed > 0 && !speaks_of_failures {
        reasons.push(format!("{failed} of {completed} requests failed"));
    } else if completed == 0 && !record.interrupted {
        reasons.push("no request was completed".to_owned());
    }
    record.verdict = if record.generator.faults.is_empty() {
        let outcome = if reasons.is_empty() { Outcome::Pass } else { Outcome::Fail };
        Verdict { outcome, reasons }
    } else {
        Verdict { outcome: Outcome::Invalid, reasons: record.generator.faults.clone() }
    };
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

fn sentence(result: &ThresholdResult) -> String {
    let endpoint = result.endpoint.as_ref().map_or(String::new(), |name| format!("{name} "));
    format!("{endpoint}{} {} is not {}", result.metric, result.observed, result.limit)
}
