//! The digits every quantity begins with.

use super::{QuantityError, quoted};

/// What a quantity is called in messages, and a text that would do.
#[derive(Copy, Clone)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) example: &'static str,
}

/// Splits `12.5ms` into `12.5` and `ms`; nothing if it does not begin with digits.
/// A point needs digits on both sides: `.5` and `5.` are slips more often than numbers.
pub(in crate::engine) fn leading_number(text: &str) -> Option<(&str, &str)> {
    let digits = |from: usize| from + text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(0);
    if whole == 0 {
        return None;
    }
    let end = match text[whole..].strip_prefix('.') {
        Some(_) if digits(whole + 1) > whole + 1 => digits(whole + 1),
        _ => whole,
    };
    Some(text.split_at(end))
}

/// The leading number of the trimmed `text`, the unit after it, both without blanks around.
pub(super) fn split(text: &str, kind: Kind) -> Result<(&str, &str), QuantityError> {
    let Kind { name: kind, example } = kind;
    let text = text.trim();
    if text.is_empty() {
        return Err(QuantityError::Empty { kind, example });
    }
    if text.starts_with('-') {
        return Err(QuantityError::Negative { text: quoted(text), kind, example });
    }
    match leading_number(text) {
        Some((number, unit)) if !unit.starts_with('.') => Ok((number, unit.trim_start())),
        _ => Err(QuantityError::NotANumber { text: quoted(text), kind, example }),
    }
}

/// The value of digits that [`leading_number`] found; nothing if it is beyond an `f64`.
pub(super) fn finite(digits: &str) -> Option<f64> {
    digits.parse().ok().filter(|value: &f64| value.is_finite())
}
