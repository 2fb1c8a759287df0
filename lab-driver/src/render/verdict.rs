//! The gate: a line per threshold, what to compare with, and the verdict. Warnings have a writer of their own.

use std::io;

use super::figures::plain;
use super::style::Style;
use crate::engine::abort::Abort;
use crate::engine::claim::{Comparison, Dimension, Metric, Stat, Threshold};
use crate::engine::reading::View;
use crate::engine::record::{AGGREGATED, RunRecord};
use crate::engine::verdict::{Outcome, ThresholdResult, Verdict};
use crate::engine::warning::Warning;

/// Gate lines and verdict of one run.
pub fn write(record: &RunRecord, style: Style, out: &mut dyn io::Write) -> io::Result<()> {
    let outcome = record.verdict.outcome;
    write_aborts("", record, style, out)?;
    for threshold in &record.thresholds {
        write_threshold(threshold, outcome, style, out)?;
    }
    if outcome != Outcome::Invalid {
        write_comparison(record, out)?;
    }
    let has_rules = !record.thresholds.is_empty() || !record.plan.aborts.is_empty();
    write_verdict(&record.verdict, has_rules, style, out)
}

/// A line per abort rule of the run, each after `label`: broken when and by what, or never.
pub fn write_aborts(
    label: &str,
    record: &RunRecord,
    style: Style,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    for rule in &record.plan.aborts {
        let broken = record.aborted.as_ref().filter(|abort| abort.source == *rule);
        let word = match (record.verdict.outcome, broken) {
            (Outcome::Invalid, _) => style.word(Outcome::Invalid, "NOT JUDGED"),
            (_, None) => style.word(Outcome::Pass, "PASS"),
            // A climb looks for what breaks its rule.
            (_, Some(_)) if record.breakpoint.is_some() => style.word(Outcome::Pass, "FOUND"),
            (_, Some(_)) => style.word(Outcome::Fail, "FAIL"),
        };
        write!(out, "{label}{word}: abort unless {}: ", plain(rule))?;
        match broken {
            Some(Abort { at_s, observed, .. }) => {
                writeln!(out, "{} at {at_s:.1} s, and the run was ended", plain(observed))?;
            }
            None => writeln!(out, "never broken")?,
        }
    }
    Ok(())
}

/// One gate line: `PASS: /items p95 29 ms (budget 100 ms)`. Under an invalid run nothing is judged.
pub fn write_threshold(
    threshold: &ThresholdResult,
    outcome: Outcome,
    style: Style,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let word = match (outcome, threshold.holds) {
        (Outcome::Invalid, _) => style.word(Outcome::Invalid, "NOT JUDGED"),
        (_, true) => style.word(Outcome::Pass, "PASS"),
        (_, false) => style.word(Outcome::Fail, "FAIL"),
    };
    write!(out, "{word}: ")?;
    if let Some(endpoint) = &threshold.endpoint {
        write!(out, "{} ", plain(endpoint))?;
    }
    let limit = match (budgeted(threshold), threshold.limit.strip_prefix("<= ")) {
        (Some(_), Some(most)) => format!("budget {most}"),
        _ => format!("limit {}", threshold.limit),
    };
    write!(
        out,
        "{} {} ({})",
        plain(&short(&threshold.metric)),
        plain(&threshold.observed),
        plain(&limit)
    )?;
    if let Some(note) = &threshold.note {
        write!(out, "; {}", plain(note))?;
    }
    writeln!(out)
}

/// The last line: `verdict: fail — reason; reason`.
pub fn write_verdict(
    verdict: &Verdict,
    has_thresholds: bool,
    style: Style,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let word = match verdict.outcome {
        Outcome::Pass => "pass",
        Outcome::Fail => "fail",
        Outcome::Invalid => "invalid",
    };
    write!(out, "verdict: {}", style.word(verdict.outcome, word))?;
    let mut reasons = verdict.reasons.clone();
    if verdict.outcome == Outcome::Invalid && has_thresholds {
        reasons.push("the thresholds above are not judged".to_owned());
    }
    if !reasons.is_empty() {
        write!(out, " — {}", plain(&reasons.join("; ")))?;
    }
    writeln!(out)
}

/// A line per warning, each after `label`.
pub fn write_warnings<'a>(
    label: &str,
    warnings: impl IntoIterator<Item = &'a Warning>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    warnings
        .into_iter()
        .try_for_each(|warning| writeln!(out, "warning: {label}{}", plain(&warning.to_string())))
}

/// Where only endpoints have a budget, the same statistic of all requests, because a total hides what it mixes.
fn write_comparison(record: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
    // Several segments are several load levels: there is no total over them.
    let [segment] = record.segments.as_slice() else { return Ok(()) };
    let mut stats: Vec<Stat> = Vec::new();
    for threshold in record.thresholds.iter().filter(|one| one.endpoint.is_some()) {
        let of_total =
            |other: &ThresholdResult| other.endpoint.is_none() && other.metric == threshold.metric;
        let is_covered = record.thresholds.iter().any(of_total);
        stats.extend(budgeted(threshold).filter(|stat| !is_covered && !stats.contains(stat)));
    }
    if stats.is_empty() {
        return Ok(());
    }
    let Some(total) = View::of(segment, AGGREGATED) else { return Ok(()) };
    for stat in stats {
        let shown = total.read(Metric::Response(stat)).show(Dimension::Time, 3);
        writeln!(out, "for comparison, the total {} is {shown}", short(&stat.to_string()))?;
    }
    Ok(())
}

/// The statistic that a latency budget limits: one of the response time that may reach its limit, not exceed it.
fn budgeted(threshold: &ThresholdResult) -> Option<Stat> {
    let parsed = Threshold::parse(&threshold.source).ok()?;
    match (parsed.metric(), parsed.comparison()) {
        (Metric::Response(stat), Comparison::LessOrEqual) => Some(stat),
        _ => None,
    }
}

/// `p(95)` → `p95`; any other metric as it is.
fn short(metric: &str) -> String {
    metric.replace("p(", "p").replace(')', "")
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn gate(record: &RunRecord) -> String {
        fixture::text(|out| write(record, Style::PLAIN, out))
    }

    #[test]
    fn passed() {
        insta::assert_snapshot!(gate(&fixture::record()), @r"
        PASS: /items p95 11 ms (budget 100 ms)
        PASS: /report p95 194 ms (budget 300 ms)
        PASS: failed 0% (limit < 1%)
        for comparison, the total p95 is 192 ms
        verdict: pass
        ");
    }

    #[test]
    fn failed_with_lower_bounds() {
        let record = fixture::troubled();
        insta::assert_snapshot!(gate(&record), @r"
        PASS: /items p95 9.02 ms (budget 100 ms)
        FAIL: /report p95 ≥2000 ms (budget 150 ms); the value is a lower bound
        FAIL: failed 5% (limit < 1%)
        for comparison, the total p95 is ≥878 ms
        verdict: fail — 2 of 3 thresholds do not hold; 30 requests failed
        ");
        insta::assert_snapshot!(fixture::text(|out| write_warnings("", &record.warnings, out)), @r"
        warning: 1 arrivals were dropped because 80 requests were already in flight: every percentile is a lower bound; raise --max-in-flight, or take it as the finding
        warning: /report has 99 requests: below 100 its p99 is its maximum; run longer to say more
        ");
    }

    #[test]
    fn invalid_judges_nobody() {
        let text = gate(&fixture::invalid());
        insta::assert_snapshot!(text, @r"
        NOT JUDGED: /items p95 11 ms (budget 100 ms)
        NOT JUDGED: /report p95 194 ms (budget 300 ms)
        NOT JUDGED: failed 0% (limit < 1%)
        verdict: invalid — the driver used over 90 % of the 1 core it has for 7 s in a row; the thresholds above are not judged
        ");
        assert!(!text.contains("PASS") && !text.contains("FAIL"));
    }

    #[test]
    fn a_total_budget_needs_no_comparison() {
        let mut record = fixture::record();
        record.thresholds.truncate(1);
        record.thresholds[0].endpoint = None;
        record.thresholds[0].source = "p(95)<=100".to_owned();
        insta::assert_snapshot!(gate(&record), @r"
        PASS: p95 11 ms (budget 100 ms)
        verdict: pass
        ");
    }

    #[test]
    fn colour_is_in_the_word_alone() {
        let style = Style::new(true, None);
        let text = fixture::text(|out| write(&fixture::record(), style, out));
        assert!(text.starts_with("\x1b[1m\x1b[32mPASS\x1b[0m: /items p95"), "{text:?}");
    }
}
