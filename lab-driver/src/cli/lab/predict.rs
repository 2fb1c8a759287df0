//! `lab check --predict`: the learner's own numbers, asked before anything is run.

use std::io::{self, BufRead};

use super::outputs;
use crate::engine::claim::{Dimension, Expr, Literal, Relation, Unit};
use crate::labs::lab::{ClaimSpec, Lab};
use crate::labs::sheet::Guess;

/// Asks the questions of `lab` and reads one line for each from `answers`; an empty line is no answer.
pub(super) fn ask(lab: &Lab, answers: &mut impl BufRead) -> io::Result<Vec<Option<Guess>>> {
    let mut guesses = Vec::new();
    let mut is_over = false;
    for claim in &lab.claims {
        let guess = match &claim.ask {
            Some(question) if !is_over => one(claim, question, answers, &mut is_over)?,
            _ => None,
        };
        guesses.push(guess);
    }
    Ok(guesses)
}

fn one(
    claim: &ClaimSpec,
    question: &str,
    answers: &mut impl BufRead,
    is_over: &mut bool,
) -> io::Result<Option<Guess>> {
    loop {
        outputs::to_stderr(|out| write!(out, "{question} "));
        let mut line = String::new();
        *is_over = answers.read_line(&mut line)? == 0;
        let typed = line.trim();
        if typed.is_empty() {
            return Ok(None);
        }
        match read(claim, typed) {
            Ok(value) => return Ok(Some(Guess { typed: typed.to_owned(), value })),
            Err(why) => outputs::to_stderr(|out| writeln!(out, "{why}")),
        }
    }
}

/// The answer in the claim's canonical unit; a bare number is in the unit of the claim's right side.
fn read(claim: &ClaimSpec, typed: &str) -> Result<f64, String> {
    let literal = Literal::parse(typed).map_err(|error| error.to_string())?;
    let dimension = claim.that.dimension();
    match literal.unit.dimension() {
        Dimension::Bare => {
            let unit = unit(claim.that.relation());
            Ok(Literal { unit, ..literal }.value())
        }
        given if given == dimension || dimension == Dimension::Ratio => Ok(literal.value()),
        given => Err(format!("{} is asked for, and this is {}", dimension.noun(), given.noun())),
    }
}

/// The unit of the last number in the claim; a bare share stays one, as everywhere.
fn unit(relation: &Relation) -> Unit {
    let last = relation.sides().into_iter().rev().find_map(|side| match side {
        Expr::Literal(literal) => Some(literal.unit),
        _ => None,
    });
    last.filter(|unit| *unit != Unit::Percent).unwrap_or(Unit::None)
}
