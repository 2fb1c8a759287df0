//! A lab's claims with what came of them: a row each, a sentence where one does not pass, and the verdict.

use std::io;

use crate::engine::claim::Reading;
use crate::engine::verdict::Outcome;
use crate::labs::grade::{Grade, Graded, verdict};
use crate::labs::sheet::Guess;
use crate::render::columns::{Column, Columns};
use crate::render::figures::{NO_DATA, plain};
use crate::render::style::Style;

/// The word for a grade.
fn word(grade: &Grade) -> &'static str {
    match grade {
        Grade::Pass => "PASS",
        Grade::Fail => "FAIL",
        Grade::OnlyLive(_) | Grade::Inconclusive(_) => "NOT JUDGED",
    }
}

/// Writes the table; with the learner's predictions in a column of their own where there are any.
pub(super) fn write(
    graded: &[Graded],
    guesses: &[Option<Guess>],
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let has_guesses = guesses.iter().any(Option::is_some);
    let mut columns = vec![Column::left("", 12), Column::left("claim", 12)];
    columns.extend(has_guesses.then(|| Column::right("yours", 10)));
    columns.extend([
        Column::right("measured", 12),
        Column::right("predicted", 12),
        Column::right("allowed", 12),
        Column::left("", 2),
        Column::left("what is claimed", 1),
    ]);
    let mut table = Columns::new(columns);
    for (place, one) in graded.iter().enumerate() {
        let mut cells = vec![word(&one.grade).to_owned(), one.id.clone()];
        cells.extend(has_guesses.then(|| guess(one, guesses.get(place).and_then(Option::as_ref))));
        cells.extend([
            one.measured(),
            one.predicted.clone().unwrap_or_else(|| NO_DATA.to_owned()),
            one.allowed(),
            String::new(),
            one.that.clone(),
        ]);
        table.push(cells);
    }
    table.write(out)
}

fn guess(graded: &Graded, guess: Option<&Guess>) -> String {
    match (guess, &graded.judged) {
        (None, _) => NO_DATA.to_owned(),
        (Some(guess), Some(judged)) => Reading::Value(guess.value).show(judged.dimension, 3),
        (Some(guess), None) => guess.typed.clone(),
    }
}

/// What the columns mean.
pub(super) fn write_basis(is_virtual: bool, out: &mut dyn io::Write) -> io::Result<()> {
    let predicted = if is_virtual {
        "the value that the claim names, if it names one"
    } else {
        "the same with the same seed in virtual time, before any machine comes in"
    };
    writeln!(out, "measured: from the records of these runs; predicted: {predicted};")?;
    writeln!(out, "allowed: wide enough for chance, as lab lint finds over many seeds.")
}

/// Two lines for each claim that does not hold, one for each that was not judged, and the last line:
/// `verdict: pass — 5 of 5 claims hold`.
pub(super) fn write_verdict(
    graded: &[Graded],
    doubt: Option<&str>,
    style: Style,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    for one in graded {
        if one.grade == Grade::Fail {
            let (id, because, hint) = (plain(&one.id), plain(&one.because), plain(&one.hint));
            writeln!(
                out,
                "{}: {id}: it should hold because: {because}",
                style.word(Outcome::Fail, "FAIL")
            )?;
            writeln!(out, "      to find out why it does not: {hint}")?;
        }
        if let Some(reason) = one.reason() {
            writeln!(out, "NOT JUDGED: {}: {}", plain(&one.id), plain(reason))?;
        }
    }
    if let Some(doubt) = doubt {
        writeln!(out, "IN DOUBT: {}, so nothing here is a pass", plain(doubt))?;
    }
    let named = |wanted: fn(&Grade) -> bool| -> Vec<&str> {
        graded.iter().filter(|one| wanted(&one.grade)).map(|one| one.id.as_str()).collect()
    };
    let held = named(|grade| *grade == Grade::Pass).len();
    let failed = named(|grade| *grade == Grade::Fail);
    let open = named(|grade| matches!(grade, Grade::Inconclusive(_)));
    let outcome = verdict(graded, doubt.is_some());
    let name = match outcome {
        Outcome::Pass => "pass",
        Outcome::Fail => "fail",
        Outcome::Invalid => "inconclusive",
    };
    write!(out, "verdict: {} — {held} of {} claims hold", style.word(outcome, name), graded.len())?;
    if !failed.is_empty() {
        write!(out, "; not {}", plain(&failed.join(", ")))?;
    }
    if !open.is_empty() {
        write!(out, "; open: {}", plain(&open.join(", ")))?;
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::claim::{Claim, Facts, Metric, Names};
    use crate::render::fixture;

    struct Fixed;

    impl Facts for Fixed {
        fn metric(&self, _: Option<&str>, _: Option<&str>, _: Metric) -> Reading {
            Reading::Value(27.3)
        }
        fn exit(&self, _: &str) -> Option<u8> {
            Some(0)
        }
        fn knee(&self, _: &str, _: Option<&str>) -> Reading {
            Reading::Between(40.0, 60.0)
        }
    }

    fn graded(id: &str, text: &str, grade: Option<Grade>) -> Graded {
        let names = Names { runs: vec!["u60".into()], sets: vec!["ramp".into()] };
        let claim = Claim::parse(text, &names).unwrap();
        let judged = claim.judge(&Fixed);
        let own = if judged.held() { Grade::Pass } else { Grade::Fail };
        Graded {
            id: id.to_owned(),
            that: claim.to_string(),
            predicted: judged.expected(),
            because: "Two permits finish 20 a second.".to_owned(),
            hint: "Divide.".to_owned(),
            grade: grade.unwrap_or(own),
            judged: Some(judged),
        }
    }

    #[test]
    fn a_row_each_and_the_verdict() {
        let mut all = vec![
            graded("knee", "40 <= knee(ramp) <= 60", None),
            graded("exit", "exit(u60) == 0", None),
        ];
        let shown = |all: &[Graded], guesses: &[Option<Guess>]| {
            fixture::text(|out| {
                write(all, guesses, out)?;
                write_verdict(all, None, Style::PLAIN, out)
            })
        };
        insta::assert_snapshot!(shown(&all, &[]), @r"
                    claim           measured   predicted       allowed  what is claimed
        PASS        knee            40 to 60    40 to 60  >= 40, <= 60  40 <= knee(ramp) <= 60
        PASS        exit                   0           0          == 0  exit(u60) == 0
        verdict: pass — 2 of 2 claims hold
        ");
        all.push(graded("ceiling", "u60.throughput within 20/s ± 3%", None));
        let reason = "u60 is invalid: the driver was late".to_owned();
        all.push(graded("late", "u60.avg < 300ms", Some(Grade::Inconclusive(reason))));
        let guess = Guess { typed: "20".to_owned(), value: 20.0 };
        insta::assert_snapshot!(shown(&all, &[None, None, Some(guess), None]), @r"
                    claim            yours    measured   predicted       allowed  what is claimed
        PASS        knee                 -    40 to 60    40 to 60  >= 40, <= 60  40 <= knee(ramp) <= 60
        PASS        exit                 -           0           0          == 0  exit(u60) == 0
        FAIL        ceiling           20/s      27.3/s        20/s     20/s ± 3%  u60.throughput within 20/s ± 3%
        NOT JUDGED  late                 -     27.3 ms           -      < 300 ms  u60.avg < 300ms
        FAIL: ceiling: it should hold because: Two permits finish 20 a second.
              to find out why it does not: Divide.
        NOT JUDGED: late: u60 is invalid: the driver was late
        verdict: fail — 2 of 4 claims hold; not ceiling; open: late
        ");
    }
}
