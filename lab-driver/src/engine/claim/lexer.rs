//! Cuts a text into signs and atoms; an atom is whatever stands between signs, blanks included.

use super::ast::{Comparison, Operator};
use super::error::Fault;

/// A piece of the text.
#[derive(Debug, Copy, Clone, PartialEq)]
pub(super) enum Token<'a> {
    Open,
    Close,
    Operator(Operator),
    Comparison(Comparison),
    PlusMinus,
    Within,
    Over,
    After,
    /// A lone `=`: always a mistake, kept for its message.
    Equals,
    /// A value, a metric with its run and endpoint, or a call; trimmed, never empty.
    Atom(&'a str),
}

/// A token and its byte offset.
#[derive(Debug, Copy, Clone, PartialEq)]
pub(super) struct Placed<'a> {
    pub(super) at: usize,
    pub(super) token: Token<'a>,
}

/// Signs that are signs wherever they stand. Longer ones come before their beginnings.
const ANYWHERE: [(&str, Token<'_>); 8] = [
    ("<=", Token::Comparison(Comparison::LessOrEqual)),
    (">=", Token::Comparison(Comparison::GreaterOrEqual)),
    ("==", Token::Comparison(Comparison::Equal)),
    ("!=", Token::Comparison(Comparison::NotEqual)),
    ("<", Token::Comparison(Comparison::Less)),
    (">", Token::Comparison(Comparison::Greater)),
    ("\u{b1}", Token::PlusMinus),
    ("+-", Token::PlusMinus),
];

/// Signs only with a blank on both sides, for endpoint names hold `-`, `/` and ordinary words.
const BETWEEN_BLANKS: [(&str, Token<'_>); 8] = [
    ("+", Token::Operator(Operator::Add)),
    ("-", Token::Operator(Operator::Subtract)),
    ("*", Token::Operator(Operator::Multiply)),
    ("/", Token::Operator(Operator::Divide)),
    ("=", Token::Equals),
    ("within", Token::Within),
    ("over", Token::Over),
    ("after", Token::After),
];

/// The pieces of `text` in order. The only fault is a quotation mark without its partner.
pub(super) fn tokens(text: &str) -> Result<Vec<Placed<'_>>, Fault> {
    let mut found = Vec::new();
    let (mut at, mut blank) = (0, true);
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            blank = true;
            continue;
        }
        let rest = &text[at..];
        let (token, length) = match (sign(rest, blank), first) {
            (Some(sign), _) => sign,
            (None, '(') => (Token::Open, 1),
            (None, ')') => (Token::Close, 1),
            _ => {
                let length = atom_length(rest).map_err(|fault| fault.shifted(at))?;
                (Token::Atom(&rest[..length]), length)
            }
        };
        found.push(Placed { at, token });
        at += length;
        blank = false;
    }
    Ok(found)
}

/// Whether `word`, between blanks, would be read as a sign.
pub(super) fn is_sign(word: &str) -> bool {
    sign(word, true).is_some_and(|(_, length)| length == word.len())
}

fn sign(rest: &str, blank_before: bool) -> Option<(Token<'static>, usize)> {
    let begins = |(spelling, token): &(&str, Token<'static>)| {
        rest.starts_with(spelling).then_some((*token, spelling.len()))
    };
    let blank_behind =
        |length: usize| rest[length..].chars().next().is_none_or(char::is_whitespace);
    ANYWHERE.iter().find_map(begins).or_else(|| {
        BETWEEN_BLANKS
            .iter()
            .filter(|_| blank_before)
            .filter_map(begins)
            .find(|(_, length)| blank_behind(*length))
    })
}

/// Up to the next sign, the end, or a `)` that the atom did not open.
fn atom_length(rest: &str) -> Result<usize, Fault> {
    let (mut end, mut depth, mut blank, mut quote) = (0, 0_usize, false, None);
    for (at, c) in rest.char_indices() {
        if quote.is_none() {
            if c.is_whitespace() {
                blank = true;
                continue;
            }
            if sign(&rest[at..], blank).is_some() {
                break;
            }
            match c {
                '(' => depth += 1,
                ')' if depth == 0 => break,
                ')' => depth -= 1,
                '"' => quote = Some(at),
                _ => {}
            }
            blank = false;
        } else if c == '"' {
            quote = None;
        }
        end = at + c.len_utf8();
    }
    match quote {
        Some(at) => {
            Err(Fault::new(at, "this quotation mark has no partner", "close the name with \""))
        }
        None => Ok(end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atoms(text: &str) -> Vec<&str> {
        tokens(text)
            .expect("quotes are closed")
            .iter()
            .map(|placed| match placed.token {
                Token::Atom(atom) => atom,
                _ => "·",
            })
            .collect()
    }

    #[test]
    fn atoms_hold_what_endpoint_names_hold() {
        assert_eq!(atoms("/a-b/{id}:p(95)<150"), ["/a-b/{id}:p(95)", "·", "150"]);
        assert_eq!(atoms("GET /a b:p(95) < 150 ms"), ["GET /a b:p(95)", "·", "150 ms"]);
        assert_eq!(atoms("log in (slow):avg<1"), ["log in (slow):avg", "·", "1"]);
        assert_eq!(atoms("/s?q=a:avg<1"), ["/s?q=a:avg", "·", "1"]);
        assert_eq!(atoms("\"a < b - (c\":avg<1"), ["\"a < b - (c\":avg", "·", "1"]);
        assert_eq!(atoms("\"a \"\" b\":avg<1"), ["\"a \"\" b\":avg", "·", "1"]);
    }

    #[test]
    fn operators_need_blanks_and_comparisons_do_not() {
        assert_eq!(atoms("a - b / c"), ["a", "·", "b", "·", "c"]);
        assert_eq!(atoms("a-b/c"), ["a-b/c"]);
        assert_eq!(atoms("(a + b) * -2<c"), ["·", "a", "·", "b", "·", "·", "-2", "·", "c"]);
        assert_eq!(atoms("a within 20±5%"), ["a", "·", "20", "·", "5%"]);
        assert_eq!(atoms("a within 20 +- 5%"), ["a", "·", "20", "·", "5%"]);
        assert_eq!(atoms("a<1 over 5s after 10s"), ["a", "·", "1", "·", "5s", "·", "10s"]);
    }

    #[test]
    fn a_lonely_quotation_mark_is_found() {
        assert_eq!(tokens("a < \"b").expect_err("one mark").at, 4);
    }
}
