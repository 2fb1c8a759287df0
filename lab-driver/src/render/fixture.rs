//! Results for the tests of renderers: the lesson's 20-user run, healthy and in trouble, and a ramp.

use std::io;

use super::style::Style;
use super::{errors, health, json, locust_csv, locust_history, machine, table, verdict};
use crate::engine::counters::{Resource, TargetTruth};
use crate::engine::health::GeneratorHealth;
use crate::engine::outcome::{Failure, Reply, TransportFailure};
use crate::engine::plan::Plan;
use crate::engine::prediction::{Gain, Knee, LevelRow, Predicted, RampAnalysis};
use crate::engine::record::{
    Machine, Mode, RunRecord, RunSet, RunTotals, SCHEMA, Segment, SetKind, Tool,
};
use crate::engine::recorder::Recorder;
use crate::engine::rows::{self, Cell, Row, Show, usual_statistics};
use crate::engine::sample::Sample;
use crate::engine::so_far::SoFar;
use crate::engine::testing;
use crate::engine::tick::Second;
use crate::engine::time::Ns;
use crate::engine::verdict::{Outcome, ThresholdResult, Verdict};
use crate::engine::warning::Warning;
use crate::engine::{counters::Counters, record::AGGREGATED};

/// What a renderer writes.
pub(crate) fn text(render: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    render(&mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("renderers write UTF-8")
}

/// Puts `record` through every renderer of runs.
pub(crate) fn render_all(record: &RunRecord) {
    let statistics = usual_statistics();
    let headings: Vec<String> = statistics.iter().map(|(name, _)| name.clone()).collect();
    let rows = rows::rows(record, Show::All, &statistics);
    text(|out| {
        table::write(&headings, &rows, out)?;
        table::Basis::of(&[record])
            .map_or(Ok(()), |basis| table::write_basis(&basis, &rows, out))?;
        verdict::write(record, Style::PLAIN, out)?;
        verdict::write_warnings("", &record.warnings, out)?;
        errors::write(record, out)?;
        health::write(record, out)?;
        machine::write(&record.machine, record.mode, out)?;
        locust_csv::write_stats(record, out)?;
        locust_csv::write_failures(record, out)?;
        locust_history::write(record, out)?;
        json::write(record, out)
    });
}

/// Twenty users for 30 s: `/items` 9 ms with every 25th 400 ms, `/report` 100 to 199 ms; all is well.
pub(crate) fn record() -> RunRecord {
    record_of("u20", plan(), |recorder| {
        for i in 0..750 {
            let took = if i % 25 == 24 { 400_321 } else { 9_017 + i % 7 * 400 };
            recorder.record(&sample(0, i * 39_000, took, None));
        }
        for i in 0..300 {
            recorder.record(&sample(1, i * 95_000, 100_120 + i % 100 * 1_000, None));
        }
    })
}

/// The same with statuses 500, refused connections, time-outs, drops and a missed budget.
pub(crate) fn troubled() -> RunRecord {
    let mut record = record_of("u80", plan(), |recorder| {
        for i in 0..500 {
            let failure = match i % 50 {
                7 => Some(Failure::Status(500)),
                8 => Some(Failure::Transport(TransportFailure::Refused)),
                _ => None,
            };
            recorder.record(&sample(0, i * 39_000, 9_017, failure));
        }
        for i in 0..100 {
            let failure = (i % 10 == 0).then_some(Failure::TimedOut);
            let took = if failure.is_some() { 2_000_000 } else { 800_000 + i * 1_000 };
            recorder.record(&sample(1, i * 240_000, took, failure));
        }
        recorder.record_drop(1, Ns::from_secs(4));
    });
    record.totals.dropped = 1;
    record.thresholds = vec![
        threshold(Some("/items"), "p(95)", "9.02 ms", "<= 100 ms", true),
        ThresholdResult {
            note: Some("the value is a lower bound".to_owned()),
            ..threshold(Some("/report"), "p(95)", "≥2000 ms", "<= 150 ms", false)
        },
        threshold(None, "failed", "5%", "< 1%", false),
    ];
    record.warnings = vec![
        Warning::Dropped { count: 1, limit: 80 },
        Warning::FewSamples { endpoint: "/report".to_owned(), count: 99 },
    ];
    record.verdict = Verdict {
        outcome: Outcome::Fail,
        reasons: vec!["2 of 3 thresholds do not hold".to_owned(), "30 requests failed".to_owned()],
    };
    record
}

/// The healthy run, but the driver was too busy to judge it.
pub(crate) fn invalid() -> RunRecord {
    let mut record = record();
    let fault = "the driver used over 90 % of the 1 core it has for 7 s in a row".to_owned();
    record.generator.faults = vec![fault.clone()];
    record.verdict = Verdict { outcome: Outcome::Invalid, reasons: vec![fault] };
    record
}

/// Rows as the engine would build them for `avg p50 p95 p99 max`, one with lower bounds, one without data.
pub(crate) fn some_rows() -> Vec<Row> {
    let row = |run: &str, endpoint: &str, reqs, per_second, cells: [Cell; 5]| Row {
        run: run.to_owned(),
        endpoint: endpoint.to_owned(),
        reqs,
        per_second,
        cells: cells.to_vec(),
    };
    let ms = |values: [f64; 5]| values.map(Cell::Ms);
    let (at, over, none) = (Cell::Ms, Cell::AtLeastMs, Cell::NoData);
    vec![
        row("u20", "/items", 750, 25.0, ms([24.9, 5.2, 18.3, 410.2, 412.0])),
        row("u20", "/report", 300, 10.0, ms([123.1, 110.4, 199.8, 410.0, 511.0])),
        row("u20", AGGREGATED, 1_050, 35.0, ms([52.9, 10.3, 160.0, 410.0, 511.0])),
        row("nowait-u80", "/items", 1_811, 62.0, ms([30.2, 9.9, 9.96, 410.0, 509.0])),
        row(
            "nowait-u80",
            "/report",
            578,
            19.8,
            [over(1_819.0), at(1_900.0), over(2_200.0), over(60_000.0), over(60_000.0)],
        ),
        row("nowait-u80", "/nothing", 0, 0.0, [none; 5]),
    ]
}

/// A ramp over three levels of users.
pub(crate) fn ramp() -> RunSet {
    let level = |users: f64, endpoint: &str, throughput, mean_ms, law, simulated, busy| LevelRow {
        level: users,
        run: format!("u{users}"),
        endpoint: endpoint.to_owned(),
        throughput,
        mean_ms: Some(mean_ms),
        mean_at_least: false,
        backlog_growth: None,
        law: Some(law),
        simulated: Some(simulated),
        utilization: vec![("report pool".to_owned(), busy)],
    };
    let says = |throughput, mean_ms| Predicted { throughput, mean_ms, at_least: false };
    let gains = |gains: [f64; 2]| {
        let steps = [(20.0, 40.0), (40.0, 60.0)];
        steps.into_iter().zip(gains).map(|((from, to), gain)| Gain { from, to, gain }).collect()
    };
    let analysis = RampAnalysis {
        knees: vec![
            Knee {
                endpoint: "/items".to_owned(),
                gains: gains([0.98, 0.66]),
                between: None,
                kneedle: None,
                full: None,
            },
            Knee {
                endpoint: "/report".to_owned(),
                gains: gains([0.73, 0.24]),
                between: Some((40.0, 60.0)),
                kneedle: Some(40.0),
                full: Some("report pool".to_owned()),
            },
        ],
        levels: vec![
            level(20.0, "/items", 26.3, 25.1, says(27.7, 20.8), says(27.5, 21.0), 0.51),
            level(20.0, "/report", 10.1, 123.0, says(9.2, 100.0), says(9.3, 112.0), 0.51),
            level(40.0, "/report", 17.4, 238.0, says(18.5, 100.0), says(17.4, 180.0), 0.87),
            level(60.0, "/report", 19.8, 897.0, says(20.0, 938.0), says(19.9, 888.0), 0.99),
        ],
        crossing_users: Some(43.2),
        notes: vec!["The laws are bounds: near the knee they are optimistic.".to_owned()],
    };
    RunSet {
        schema: SCHEMA,
        kind: SetKind::RampByUsers,
        runs: vec![record(), troubled()],
        analysis: Some(analysis),
        verdict: Verdict::pass(),
        notes: [("passes".to_owned(), "1".to_owned())].into(),
    }
}

fn plan() -> Plan {
    let mut plan = testing::closed(20, 30);
    "api-budgets".clone_into(&mut plan.name);
    plan.tasks = vec![testing::task("/items", 3), testing::task("/report", 1)];
    plan.tasks[1].timeout = Ns::from_secs(2);
    plan
}

fn sample(task: u16, sent_us: u64, took_us: u64, failure: Option<Failure>) -> Sample {
    let reply = match failure {
        Some(Failure::Transport(transport)) => Reply::Transport(transport),
        Some(Failure::TimedOut) => Reply::TimedOut,
        Some(Failure::Status(status)) => Reply::Answered { status, bytes: 12, body_matches: true },
        _ => Reply::Answered { status: 200, bytes: 12, body_matches: true },
    };
    let ready = Ns(sent_us * 1_000);
    let sent = ready + Ns(40_000);
    Sample {
        task,
        user: 0,
        index: 0,
        intended: ready,
        ready,
        sent,
        done: sent + Ns(took_us * 1_000),
        reply,
        failure,
    }
}

fn record_of(label: &str, plan: Plan, samples: impl FnOnce(&mut Recorder)) -> RunRecord {
    let mut recorder = Recorder::new(plan.tasks.len(), plan.windows(), plan.is_scheduled());
    samples(&mut recorder);
    let results = recorder.finish();
    let segments: Vec<Segment> =
        results.into_iter().map(|result| Segment::new(String::new(), result, &plan)).collect();
    RunRecord {
        schema: SCHEMA,
        tool: Tool { name: "lab-driver".to_owned(), version: "0.1.0".to_owned() },
        label: label.to_owned(),
        mode: Mode::Live,
        started_at: "2026-11-30T21:00:00Z".to_owned(),
        started_monotonic_ns: 5_000_000_000,
        machine: Machine {
            cpu: "Example CPU 3000".to_owned(),
            cores: 4,
            memory_bytes: 16 << 30,
            os: "Linux 6.1".to_owned(),
            load_1m: 0.42,
        },
        series: series(),
        totals: RunTotals {
            started: 1_050,
            completed: 1_050,
            warm_connections: 20,
            warm_up_us: 412,
            ..RunTotals::default()
        },
        generator: GeneratorHealth {
            cpu_s: 1.2,
            cores: 1.0,
            cpu_share: 0.04,
            lag_p50_us: 40,
            lag_p99_us: 104,
            lag_max_us: 912,
            lag_limit_us: 5_000,
            dispatchers: 1,
            ..GeneratorHealth::default()
        },
        target: Some(target()),
        thresholds: vec![
            threshold(Some("/items"), "p(95)", "11 ms", "<= 100 ms", true),
            threshold(Some("/report"), "p(95)", "194 ms", "<= 300 ms", true),
            threshold(None, "failed", "0%", "< 1%", true),
        ],
        warnings: Vec::new(),
        verdict: Verdict::pass(),
        aborted: None,
        breakpoint: None,
        interrupted: false,
        segments,
        plan,
    }
}

fn series() -> Vec<Second> {
    let second = |t: f64, completed, failed| {
        let percentile = |us| (completed > 0).then_some(us);
        Second {
            t,
            started: completed,
            completed,
            failed,
            in_flight: 3,
            p50_us: percentile(10_200),
            p66_us: percentile(11_417),
            p75_us: percentile(100_120),
            p80_us: percentile(110_120),
            p90_us: percentile(150_120),
            p95_us: percentile(172_450),
            p98_us: percentile(198_120),
            p99_us: percentile(400_321),
            p99_9_us: percentile(400_321),
            p99_99_us: percentile(400_321),
            max_us: percentile(400_321),
            so_far: Some(SoFar {
                median_us: 10_207,
                mean_us: 52_914,
                min_us: 9_017,
                max_us: 400_321,
                mean_bytes: 12.0,
            }),
            cpu_s: 0.04,
            ..Second::default()
        }
    };
    vec![second(1.0, 35, 0), second(2.0, 36, 2), second(3.0, 0, 0), second(3.5, 18, 0)]
}

fn target() -> TargetTruth {
    let reading = |t, busy_s| Counters {
        t,
        cpu_s: t / 100.0,
        resources: vec![Resource {
            name: "report pool".to_owned(),
            capacity: 2,
            busy_s,
            ..Resource::default()
        }],
        ..Counters::default()
    };
    let knobs = [("report_pool".to_owned(), "2".to_owned())].into();
    TargetTruth::new("api".to_owned(), knobs, reading(10.0, 1.0), reading(40.0, 31.0))
}

fn threshold(
    endpoint: Option<&str>,
    metric: &str,
    observed: &str,
    limit: &str,
    holds: bool,
) -> ThresholdResult {
    let prefix = endpoint.map_or(String::new(), |name| format!("{name}:"));
    ThresholdResult {
        source: format!("{prefix}{metric}{}", limit.replace(' ', "")),
        endpoint: endpoint.map(str::to_owned),
        metric: metric.to_owned(),
        observed: observed.to_owned(),
        limit: limit.to_owned(),
        holds,
        note: None,
    }
}
