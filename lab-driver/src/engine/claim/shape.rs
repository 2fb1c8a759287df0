//! Which of the grammar's statements are thresholds and which are claims.

use super::Scope;
use super::error::Fault;
use super::lexer::{Placed, Token};

/// What a threshold looks like, for messages.
pub(super) const THRESHOLD: &str =
    "a threshold is [endpoint:]metric, a comparison and a value, such as /search:p(95)<150";

/// Refuses what the scope has no place for, before the parser complains about something subtler.
pub(super) fn check(tokens: &[Placed<'_>], end: usize, scope: &Scope<'_>) -> Result<(), Fault> {
    match scope {
        Scope::Threshold => threshold(tokens, end),
        Scope::Claim(_) => claim(tokens),
    }
}

fn claim(tokens: &[Placed<'_>]) -> Result<(), Fault> {
    let words = |placed: &&Placed<'_>| matches!(placed.token, Token::Over | Token::After);
    match tokens.iter().find(words) {
        None => Ok(()),
        Some(placed) => Err(Fault::new(
            placed.at,
            "\"over\" and \"after\" belong to a threshold, not to a claim",
            "take them away; put an endpoint name that holds them in \"marks\"",
        )),
    }
}

/// Atom, comparison, atom; then `over` and `after`, each with an atom.
fn threshold(tokens: &[Placed<'_>], end: usize) -> Result<(), Fault> {
    let mut rest = tokens.iter().peekable();
    let mut want = |fits: fn(&Token<'_>) -> bool, message: &str| match rest.next() {
        Some(placed) if fits(&placed.token) => Ok(placed),
        other => Err(Fault::new(other.map_or(end, |placed| placed.at), message, THRESHOLD)),
    };
    let atom: fn(&Token<'_>) -> bool = |token| matches!(token, Token::Atom(_));
    want(atom, "a threshold begins with a metric")?;
    want(|token| matches!(token, Token::Comparison(_)), "a comparison is expected here")?;
    let limit = want(atom, "a value is expected here")?;
    if let Token::Atom(text) = limit.token
        && !text.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
    {
        return Err(Fault::new(limit.at, format!("\"{text}\" is not a value"), THRESHOLD));
    }
    for word in [Token::Over, Token::After] {
        if rest.next_if(|placed| placed.token == word).is_some() {
            // The parser says what is wrong with a missing or bad duration.
            rest.next();
        }
    }
    match rest.next() {
        None => Ok(()),
        Some(placed) if matches!(placed.token, Token::Over | Token::After) => Err(Fault::new(
            placed.at,
            "\"over\" comes once, and before \"after\"",
            "write p(95)<150 over 5s after 10s",
        )),
        Some(placed) => Err(Fault::new(placed.at, "a threshold ends before this", THRESHOLD)),
    }
}
