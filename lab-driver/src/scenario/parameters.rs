//! `[param.NAME]`: what requests vary in.

use super::draft::ParameterDraft;
use super::mistake::{Mistakes, Place};
use super::said::{Said, short};
use crate::engine::plan::{Choice, Parameter, Values};
use crate::engine::random::MAX_PARAMETERS;

/// The most values that weights are kept for: every result carries them.
const MOST_WEIGHTS: u32 = 100_000;

/// Reads all parameters. A wrong one is noted and stays as a stand-in, so that its uses are not
/// reported as well.
pub(super) fn read(drafts: &[ParameterDraft], mistakes: &mut Mistakes) -> Vec<Parameter> {
    drafts.iter().map(|draft| parameter(draft, mistakes)).collect()
}

/// Notes when there are more parameters than an iteration has random words for.
pub(super) fn check_number(parameters: &[Parameter], origin: &Place, mistakes: &mut Mistakes) {
    let count = parameters.len();
    if count > MAX_PARAMETERS {
        let what = format!("there are {count} parameters, data files included");
        mistakes.add(origin, what, format!("use at most {MAX_PARAMETERS}"));
    }
}

fn parameter(draft: &ParameterDraft, mistakes: &mut Mistakes) -> Parameter {
    let ParameterDraft { name, pick, int, .. } = draft;
    if !is_name(&name.value) {
        let what = format!("\"{}\" cannot be a parameter's name", short(&name.value));
        mistakes.add(&name.place, what, "use letters, digits, _ and -, a letter first");
    }
    let values = match (pick, int) {
        _ if draft.is_broken => None,
        (Some(pick), None) => texts(pick, mistakes),
        (None, Some(int)) => integers(int, mistakes),
        _ => {
            let what =
                format!("parameter {} has no values, or two kinds of them", short(&name.value));
            mistakes.add(
                &name.place,
                what,
                "give it either pick = [\"a\", \"b\"] or int = [1, 100]",
            );
            None
        }
    };
    let choice = values.as_ref().and_then(|values| choice(draft, values, mistakes));
    Parameter {
        name: name.value.clone(),
        values: values.unwrap_or(Values::Integers { from: 0, to: 0 }),
        choice: choice.unwrap_or(Choice::Even),
    }
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.len() <= 60
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn texts(pick: &Said<Vec<Said>>, mistakes: &mut Mistakes) -> Option<Values> {
    if pick.value.is_empty() {
        mistakes.add(&pick.place, "there is nothing to pick from", "list at least one value");
        return None;
    }
    for text in &pick.value {
        // A line break in a header field would begin another one.
        if text.value.chars().any(char::is_control) {
            let what = format!("the value \"{}\" has a control character", short(&text.value));
            mistakes.add(
                &text.place,
                what,
                "write it without; rows of any kind go into a data file",
            );
        }
    }
    Some(Values::Texts(pick.value.iter().map(|text| text.value.clone()).collect()))
}

fn integers(int: &Said<Vec<Said>>, mistakes: &mut Mistakes) -> Option<Values> {
    let numbers: Vec<_> = int.value.iter().map(|said| said.value.parse::<u64>().ok()).collect();
    match numbers[..] {
        [Some(from), Some(to)] if from <= to && to - from < u64::from(u32::MAX) => {
            Some(Values::Integers { from, to })
        }
        [Some(from), Some(to)] if from <= to => {
            let what = format!("int = [{from}, {to}] has too many values");
            mistakes.add(&int.place, what, format!("let it span fewer than {}", u32::MAX));
            None
        }
        _ => {
            let remedy = "write the lowest and the highest whole number, such as int = [1, 200000]";
            mistakes.add(&int.place, "int is no range of whole numbers", remedy);
            None
        }
    }
}

fn choice(draft: &ParameterDraft, values: &Values, mistakes: &mut Mistakes) -> Option<Choice> {
    let count = values.count();
    let place = match (&draft.weights, &draft.zipf) {
        (None, None) => return Some(Choice::Even),
        (Some(weights), Some(_)) => {
            let what = "weights and zipf both say how often each value comes";
            mistakes.add(&weights.place, what, "keep one of them");
            return None;
        }
        (Some(said), None) => &said.place,
        (None, Some(said)) => &said.place,
    };
    if count > MOST_WEIGHTS {
        let what = format!("{count} values are too many to be weighted");
        mistakes.add(place, what, format!("use at most {MOST_WEIGHTS} values, or all alike"));
        return None;
    }
    if let Some(weights) = &draft.weights {
        return weighted(weights, count, mistakes);
    }
    let zipf = draft.zipf.as_ref()?;
    match number(&zipf.value) {
        Some(exponent) if exponent > 0.0 && exponent <= 10.0 => {
            let weights = (1..=count).map(|rank| f64::from(rank).powf(-exponent));
            Some(Choice::Weighted(weights.collect()))
        }
        _ => {
            let what = format!("zipf cannot be \"{}\"", short(&zipf.value));
            mistakes.add(&zipf.place, what, "write a number above 0 and at most 10, such as 1.0");
            None
        }
    }
}

fn weighted(said: &Said<Vec<Said>>, count: u32, mistakes: &mut Mistakes) -> Option<Choice> {
    let mut weights = Vec::with_capacity(said.value.len());
    for text in &said.value {
        let Some(weight) = number(&text.value).filter(|weight| (0.0..=1e9).contains(weight)) else {
            let what = format!("the weight \"{}\" is no share", short(&text.value));
            mistakes.add(&text.place, what, "write a number of 0 or more");
            return None;
        };
        weights.push(weight);
    }
    if weights.len() != count as usize {
        let what = format!("there are {} weights for {count} values", weights.len());
        mistakes.add(&said.place, what, "give one weight for each value");
        return None;
    }
    if weights.iter().sum::<f64>() <= 0.0 {
        mistakes.add(&said.place, "all weights are 0", "give one of them more than 0");
        return None;
    }
    Some(Choice::Weighted(weights))
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}
