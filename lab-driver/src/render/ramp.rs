//! The second table of a ramp: measured beside predicted, how full each resource was, and the knees.

use std::io;

use super::columns::{Column, Columns};
use super::figures::{self, NO_DATA, plain};
use crate::engine::prediction::{Knee, LevelRow, Predicted, RampAnalysis};
use crate::engine::record::SetKind;

/// Writes the table, what its columns are, a sentence per knee, and the notes.
pub fn write(analysis: &RampAnalysis, kind: SetKind, out: &mut dyn io::Write) -> io::Result<()> {
    let shown = Shown::of(&analysis.levels);
    write_table(&analysis.levels, &shown, out)?;
    writeln!(out, "{}", shown.legend(kind))?;
    for knee in &analysis.knees {
        writeln!(out, "{}", plain(&sentence(knee, kind)))?;
    }
    if let Some(users) = analysis.crossing_users {
        writeln!(
            out,
            "By the laws the knee is at {users:.0} users: more of them can only wait longer."
        )?;
    }
    analysis.notes.iter().try_for_each(|note| writeln!(out, "{}", plain(note)))
}

/// Which columns have anything to show.
struct Shown<'a> {
    growth: bool,
    law: bool,
    simulated: bool,
    resources: Vec<&'a str>,
}

impl<'a> Shown<'a> {
    fn of(levels: &'a [LevelRow]) -> Self {
        let mut resources: Vec<&str> = Vec::new();
        for (name, _) in levels.iter().flat_map(|row| &row.utilization) {
            if !resources.contains(&name.as_str()) {
                resources.push(name);
            }
        }
        Self {
            growth: levels.iter().any(|row| row.backlog_growth.is_some()),
            law: levels.iter().any(|row| row.law.is_some()),
            simulated: levels.iter().any(|row| row.simulated.is_some()),
            resources,
        }
    }

    fn legend(&self, kind: SetKind) -> String {
        let mut parts = vec!["X: requests served per second", "R: mean response time, ms"];
        let growth = "grows: requests in flight or waiting in the driver, more per second";
        parts.extend(self.growth.then_some(growth));
        let law = match kind {
            SetKind::RampByRate => "law: queueing formulas",
            SetKind::RampByUsers | SetKind::Passes => "law: operational laws",
        };
        parts.extend(self.law.then_some(law));
        parts.extend(self.simulated.then_some("sim: virtual time"));
        parts.extend(self.simulated.then_some("diff: R against sim R"));
        let full = match self.resources.join(", ") {
            none if none.is_empty() => none,
            names => format!("\n{names}: how full, by the target's own counters"),
        };
        format!("{}{full}", parts.join("; "))
    }
}

fn write_table(levels: &[LevelRow], shown: &Shown<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let mut columns = vec![
        Column::left("run", 12),
        Column::left("endpoint", 12),
        Column::right("X/s", 6),
        Column::right("R", 7),
    ];
    if shown.growth {
        columns.push(Column::right("grows/s", 9));
    }
    if shown.law {
        columns.extend([Column::right("law X", 8), Column::right("law R", 7)]);
    }
    if shown.simulated {
        let width = [("sim X", 8), ("sim R", 7), ("diff", 8)];
        columns.extend(width.map(|(heading, width)| Column::right(heading, width)));
    }
    columns.extend(shown.resources.iter().map(|name| Column::right(*name, 8)));
    let mut table = Columns::new(columns);
    for row in levels {
        table.push(cells(row, shown));
    }
    table.write(out)
}

fn cells(row: &LevelRow, shown: &Shown<'_>) -> Vec<String> {
    let mut cells = vec![
        row.run.clone(),
        row.endpoint.clone(),
        figures::rate(row.throughput),
        row.mean_ms.map_or_else(|| NO_DATA.to_owned(), |ms| mean(ms, row.mean_at_least)),
    ];
    if shown.growth {
        let text = |growth: f64| figures::rate(if growth.abs() < 0.05 { 0.0 } else { growth });
        cells.push(row.backlog_growth.map_or_else(|| NO_DATA.to_owned(), text));
    }
    if shown.law {
        cells.extend(predicted(row.law));
    }
    if shown.simulated {
        cells.extend(predicted(row.simulated));
        cells.push(difference(row).unwrap_or_else(|| NO_DATA.to_owned()));
    }
    cells.extend(shown.resources.iter().map(|name| {
        let found = row.utilization.iter().find(|(resource, _)| resource == name);
        found.map_or_else(|| NO_DATA.to_owned(), |(_, share)| format!("{:.0} %", share * 100.0))
    }));
    cells
}

fn predicted(says: Option<Predicted>) -> [String; 2] {
    match says {
        Some(Predicted { throughput, mean_ms, at_least }) => {
            [figures::rate(throughput), mean(mean_ms, at_least)]
        }
        None => [NO_DATA, NO_DATA].map(str::to_owned),
    }
}

fn mean(ms: f64, at_least: bool) -> String {
    format!("{}{}", if at_least { "≥" } else { "" }, figures::ms(ms))
}

/// None where either side is only a lower bound: their ratio could be anything.
fn difference(row: &LevelRow) -> Option<String> {
    let Predicted { mean_ms: simulated, at_least, .. } = row.simulated?;
    (simulated > 0.0 && !at_least && !row.mean_at_least).then_some(())?;
    let text = format!("{:+.0} %", (row.mean_ms? / simulated - 1.0) * 100.0);
    Some(if matches!(&*text, "+0 %" | "-0 %") { "0 %".to_owned() } else { text })
}

fn unit(kind: SetKind) -> &'static str {
    match kind {
        SetKind::RampByRate => "arrivals per second",
        SetKind::RampByUsers | SetKind::Passes => "users",
    }
}

fn sentence(knee: &Knee, kind: SetKind) -> String {
    let (unit, by_rate) = (unit(kind), kind == SetKind::RampByRate);
    let Knee { endpoint, gains, between, kneedle, full } = knee;
    // The second opinion belongs to the table of rates.
    let check = match (by_rate, kneedle) {
        (false, _) => String::new(),
        (true, None) => "; Kneedle finds none".to_owned(),
        (true, Some(level)) => format!("; Kneedle: {}", figures::level(*level)),
    };
    let Some((from, to)) = *between else {
        let least = gains.iter().map(|step| step.gain).reduce(f64::min);
        let kept = least.map_or_else(
            || "no two levels with requests to compare".to_owned(),
            |gain| format!("every step kept at least {:.0} % of its increase", gain * 100.0),
        );
        return format!("{endpoint}: no knee in this range ({kept}{check})");
    };
    let (from_text, to_text) = (figures::level(from), figures::level(to));
    let followed = match gains.iter().find(|step| (step.from, step.to) == (from, to)) {
        Some(step) if step.gain < 0.0 => "throughput fell".to_owned(),
        Some(step) => format!("throughput followed {:.0} % of this increase", step.gain * 100.0),
        None => "throughput stopped following".to_owned(),
    };
    let full = full.as_ref().map_or_else(String::new, |name| format!("; full: {name}"));
    format!(
        "{endpoint}: knee between {from_text} and {to_text} {unit} ({followed}; below 50 % is the rule{check}){full}"
    )
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn measured_beside_predicted() {
        let set = fixture::ramp();
        let text = fixture::text(|out| write(set.analysis.as_ref().unwrap(), set.kind, out));
        insta::assert_snapshot!(text, @r"
        run         endpoint       X/s      R   law X  law R   sim X  sim R    diff  report pool
        u20         /items        26.3     25    27.7     21    27.5     21   +20 %         51 %
        u20         /report       10.1    123     9.2    100     9.3    112   +10 %         51 %
        u40         /report       17.4    238    18.5    100    17.4    180   +32 %         87 %
        u60         /report       19.8    897    20.0    938    19.9    888    +1 %         99 %
        X: requests served per second; R: mean response time, ms; law: operational laws; sim: virtual time; diff: R against sim R
        report pool: how full, by the target's own counters
        /items: no knee in this range (every step kept at least 66 % of its increase)
        /report: knee between 40 and 60 users (throughput followed 24 % of this increase; below 50 % is the rule); full: report pool
        By the laws the knee is at 43 users: more of them can only wait longer.
        The laws are bounds: near the knee they are optimistic.
        ");
    }

    #[test]
    fn lower_bounds_carry_their_mark_and_have_no_difference() {
        let set = fixture::ramp();
        let mut analysis = set.analysis.unwrap();
        analysis.knees.clear();
        analysis.levels.drain(..2);
        analysis.levels[0].simulated.as_mut().unwrap().at_least = true;
        analysis.levels[0].law.as_mut().unwrap().at_least = true;
        analysis.levels[1].mean_at_least = true;
        let text = fixture::text(|out| write(&analysis, set.kind, out));
        let rows: Vec<&str> = text.lines().skip(1).take(2).collect();
        assert_eq!(
            rows,
            [
                "u40         /report       17.4    238    18.5   ≥100    17.4   ≥180       -         87 %",
                "u60         /report       19.8   ≥897    20.0    938    19.9    888       -         99 %",
            ]
        );
    }

    #[test]
    fn columns_without_data_are_left_out() {
        let mut analysis = fixture::ramp().analysis.unwrap();
        analysis.crossing_users = None;
        analysis.notes.clear();
        analysis.knees.truncate(1);
        analysis.knees[0].gains.clear();
        for row in &mut analysis.levels {
            (row.law, row.simulated) = (None, None);
            row.utilization.clear();
        }
        analysis.levels[0].mean_ms = None;
        let text = fixture::text(|out| write(&analysis, SetKind::RampByRate, out));
        insta::assert_snapshot!(text, @r"
        run         endpoint       X/s      R
        u20         /items        26.3      -
        u20         /report       10.1    123
        u40         /report       17.4    238
        u60         /report       19.8    897
        X: requests served per second; R: mean response time, ms
        /items: no knee in this range (no two levels with requests to compare; Kneedle finds none)
        ");
    }

    #[test]
    fn a_falling_throughput_is_named() {
        let mut knee = fixture::ramp().analysis.unwrap().knees.remove(1);
        knee.gains[1].gain = -0.2;
        assert!(sentence(&knee, SetKind::RampByRate).contains("(throughput fell; below 50 %"));
    }
}
