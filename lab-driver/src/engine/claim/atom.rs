//! The inside of an atom: a value, `knee(SET)`, `exit(RUN)`, or a metric with its run and endpoint.

use super::Scope;
use super::ast::{Expr, Literal, Reference, Unit};
use super::error::Fault;
use super::metric::Metric;
use crate::engine::quantity::leading_number;
use crate::engine::time::Ns;

/// Reads one atom; faults are placed from its beginning.
pub(super) fn atom(text: &str, scope: &Scope<'_>) -> Result<Expr, Fault> {
    if !text.contains(':') {
        if let Some((name, argument)) = call(text) {
            return named(name, argument, scope);
        }
        if is_number(text, scope) {
            return literal(text).map(Expr::Literal);
        }
    }
    reference(text, scope).map(Expr::Metric)
}

/// Whether `text`, without a colon, is meant as a value: `20.5` is, unless a run is called `20` and
/// a metric follows, as in `20.avg`.
fn is_number(text: &str, scope: &Scope<'_>) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    let run = run_prefix(text, scope).is_some_and(|run| !text[run.len() + 1..].starts_with(digit));
    !run && text.starts_with(|c| digit(c) || c == '.' || c == '-')
}

/// Reads a number with its unit, or a compound duration.
pub(super) fn literal(text: &str) -> Result<Literal, Fault> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let Some((digits, rest)) = leading_number(digits) else {
        let remedy =
            "write digits, on both sides of a point, and a unit, such as 150ms, 1% or 300/s";
        return Err(Fault::new(0, format!("\"{text}\" is not a value"), remedy));
    };
    let spelled = Unit::SPELLINGS.iter().find(|(spelling, _)| *spelling == rest.trim());
    let literal = match (spelled, text.parse::<Ns>()) {
        (Some((_, unit)), _) => {
            let size: f64 = digits.parse().unwrap_or(f64::INFINITY);
            Literal { number: if negative { -size } else { size }, unit: *unit }
        }
        (None, Ok(length)) => Literal { number: length.as_millis_f64(), unit: Unit::Milliseconds },
        (None, Err(_)) => {
            let message = format!("\"{}\" is not a unit", rest.trim());
            let remedy = "the units are us ms s m h, %, /s /m /h, or none";
            return Err(Fault::new(text.len() - rest.trim_start().len(), message, remedy));
        }
    };
    if literal.value().is_finite() {
        return Ok(literal);
    }
    Err(Fault::new(0, "this number is too large", "write at most 300 digits"))
}

/// Splits `word(argument)` whose word is letters; `p(95)` is one too.
fn call(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once('(')?;
    let argument = rest.strip_suffix(')')?;
    let letters = |c: char| c.is_ascii_alphabetic() || c == '_';
    (name != "p" && !name.is_empty() && name.chars().all(letters))
        .then_some((name, argument.trim()))
}

fn named(name: &str, argument: &str, scope: &Scope<'_>) -> Result<Expr, Fault> {
    let Scope::Claim(names) = scope else {
        let message = format!("{name}(…) does not belong in a threshold");
        return Err(Fault::new(0, message, super::shape::THRESHOLD));
    };
    let known = |known: &[String], what: &str| {
        if known.iter().any(|known| known == argument) {
            return Ok(argument.to_owned());
        }
        Err(Fault::new(
            name.len() + 1,
            format!("no {what} is called \"{argument}\""),
            listed(known),
        ))
    };
    match name {
        "knee" => known(&names.sets, "set").map(Expr::Knee),
        // A set is one command, so it has one exit code.
        "exit" if names.sets.iter().any(|set| set == argument) => {
            Ok(Expr::Exit(argument.to_owned()))
        }
        "exit" => known(&names.runs, "run").map(Expr::Exit),
        _ => Err(Fault::new(
            0,
            format!("{name}(…) is not known"),
            "there are knee(SET), exit(RUN) and p(N)",
        )),
    }
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "none is declared".to_owned(),
        _ => format!("there are {}", names.join(", ")),
    }
}

fn reference(text: &str, scope: &Scope<'_>) -> Result<Reference, Fault> {
    let (run, rest) = match run_prefix(text, scope) {
        Some(run) => (Some(run.to_owned()), &text[run.len() + 1..]),
        None => (None, text),
    };
    let offset = text.len() - rest.len();
    let (endpoint, metric) = match rest.strip_prefix('"') {
        Some(quoted) => quoted_endpoint(quoted).map(|(name, metric)| (Some(name), metric)),
        None => plain_endpoint(rest),
    }
    .map_err(|fault| fault.shifted(offset))?;
    let start = text.len() - metric.len();
    let metric =
        metric_name(metric).map_err(|fault| explain_prefix(fault, text, scope).shifted(start))?;
    match (&endpoint, metric) {
        (Some(_), Metric::Lag(_)) => Err(Fault::new(
            offset,
            "dispatch lag belongs to the generator, not to an endpoint",
            format!("write {metric} alone"),
        )),
        _ => Ok(Reference { run, endpoint, metric }),
    }
}

/// The run before the first dot, if one of that name is known.
fn run_prefix<'a>(text: &'a str, scope: &Scope<'_>) -> Option<&'a str> {
    let Scope::Claim(names) = scope else { return None };
    let (run, _) = text.split_once('.')?;
    names.runs.iter().any(|known| known == run).then_some(run)
}

/// After the opening mark: the name, in which `""` is one mark, and what follows the colon.
fn quoted_endpoint(text: &str) -> Result<(String, &str), Fault> {
    let (mut name, mut rest) = (String::new(), text);
    loop {
        let (part, after) = rest.split_once('"').expect("the lexer has paired the marks");
        name += part;
        match after.strip_prefix('"') {
            Some(more) => {
                name.push('"');
                rest = more;
            }
            None => {
                let at = 1 + text.len() - after.len();
                let fault = |message| Fault::new(at, message, "write \"name\":metric");
                let metric = after.trim_start().strip_prefix(':');
                let metric =
                    metric.ok_or_else(|| fault("a colon and a metric are missing here"))?;
                if name.is_empty() {
                    return Err(Fault::new(0, "this name is empty", "write \"name\":metric"));
                }
                return Ok((name, metric.trim_start()));
            }
        }
    }
}

/// The endpoint is all up to the last colon, short of a prefix that belongs to the metric.
fn plain_endpoint(text: &str) -> Result<(Option<String>, &str), Fault> {
    let Some((before, _)) = text.rsplit_once(':') else { return Ok((None, text)) };
    let (head, last) = match before.rsplit_once(':') {
        Some((head, last)) => (Some(head), last),
        None => (None, before),
    };
    let (endpoint, metric) = if Metric::is_prefix(last.trim()) {
        match head {
            Some(head) => (head, &text[head.len() + 1..]),
            None => return Ok((None, text)),
        }
    } else {
        (before, &text[before.len() + 1..])
    };
    let endpoint = endpoint.trim();
    if endpoint.starts_with("http_req") && endpoint.contains('{') {
        let remedy = "write the endpoint before the metric, such as /search:p(95)";
        return Err(Fault::new(0, "k6's tags in braces are not supported", remedy));
    }
    if endpoint.is_empty() {
        let remedy = "write /name:metric, or the metric alone for all endpoints together";
        return Err(Fault::new(0, "there is no endpoint before this colon", remedy));
    }
    Ok((Some(endpoint.to_owned()), metric.trim_start()))
}

fn metric_name(text: &str) -> Result<Metric, Fault> {
    match text.split_once(':') {
        Some((prefix, name)) => Metric::read(Some(prefix.trim()), name.trim()),
        None => Metric::read(None, text),
    }
}

/// An unknown metric with a dot in it was probably meant to begin with a run.
fn explain_prefix(fault: Fault, text: &str, scope: &Scope<'_>) -> Fault {
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match text.split_once('.') {
        Some((run, rest)) if metric_name(rest).is_ok() && run.chars().all(name) => match scope {
            Scope::Claim(names) => {
                Fault::new(0, format!("no run is called \"{run}\""), listed(&names.runs))
            }
            Scope::Threshold => {
                Fault::new(0, "a threshold speaks of its own run", format!("write {rest}"))
            }
        },
        _ if text.starts_with("http_req") && text.contains('{') => Fault::new(
            0,
            "k6's tags in braces are not supported",
            "write the endpoint before the metric, such as /search:p(95)",
        ),
        _ => fault,
    }
}
