//! How the texts of knobs are read, and all their mistakes told in one message.

use std::collections::BTreeMap;

use crate::engine::quantity::Range;
use crate::engine::time::Ns;

/// Reads each of `texts` with `read`, which answers none for a name it does not know; `known` lists those it does.
pub(super) fn each(
    target: &str,
    known: &str,
    texts: &BTreeMap<String, String>,
    mut read: impl FnMut(&str, &str) -> Option<Result<(), String>>,
) -> Result<(), String> {
    let mistakes: Vec<String> = texts
        .iter()
        .filter_map(|(name, text)| {
            let unknown = || Err(format!("is not a knob of {target}; there are: {known}, freeze"));
            read(name, text).unwrap_or_else(unknown).err().map(|why| format!("{name} {why}"))
        })
        .collect();
    if mistakes.is_empty() { Ok(()) } else { Err(mistakes.join("; ")) }
}

/// A number of things, at least `least`.
pub(super) fn count(text: &str, least: u64) -> Result<u64, String> {
    match text.parse() {
        Ok(n) if (least..=1_000_000).contains(&n) => Ok(n),
        _ => Err(format!("= {text:?} is not a whole number from {least} to 1000000")),
    }
}

/// One time above zero.
pub(super) fn work(text: &str) -> Result<Ns, String> {
    match text.parse::<Ns>() {
        Ok(time) if time > Ns(0) => Ok(time),
        Ok(_) => Err("= 0 would take no time; give a time above zero such as 100ms".to_owned()),
        Err(why) => Err(format!("= {text:?}: {why}")),
    }
}

/// One time above zero, or a range that begins above it.
pub(super) fn works(text: &str) -> Result<Range, String> {
    if !text.contains("..") {
        let time = work(text)?;
        return Ok(Range::new(time, time).expect("no time is longer than itself"));
    }
    match text.parse::<Range>() {
        Ok(range) if range.low() > Ns(0) => Ok(range),
        Ok(_) => Err("may take no time at all; begin above zero, such as 15ms..25ms".to_owned()),
        Err(why) => Err(format!("= {text:?}: {why}")),
    }
}
