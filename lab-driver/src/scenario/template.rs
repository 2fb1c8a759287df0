//! Texts with `{parameter}` in them: parsed once, rendered for every request.

use std::io::Write as _;

use thiserror::Error;

use crate::engine::plan::{Parameter, Values};

/// A parsed text. `{name}` stands for a drawn value, `{{` and `}}` for single braces.
///
/// ```
/// use lab_driver::engine::plan::{Choice, Parameter, Values};
/// use lab_driver::scenario::template::{Escape, Template};
///
/// let values = Values::Texts(vec!["queue".into(), "a river".into()]);
/// let parameters = [Parameter { name: "term".into(), values, choice: Choice::Even }];
/// let path = Template::parse("/search?q={term}", &parameters)?;
/// let mut out = Vec::new();
/// path.render(&parameters, &[1], Escape::Percent, &mut out);
/// assert_eq!(out, b"/search?q=a%20river");
/// # Ok::<(), lab_driver::scenario::template::TemplateError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    /// The parameter at this position in the plan.
    Value(usize),
}

/// How drawn values are written; the text around them is written as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// As they are: header fields and bodies.
    Nothing,
    /// All but letters, digits and `-._~` percent-encoded: paths and queries.
    Percent,
}

/// Why a text is no template; the message ends with the remedy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TemplateError {
    /// `{name}` with a name that no parameter has.
    #[error("no parameter is called \"{name}\": {remedy}")]
    Unknown {
        /// The name in braces.
        name: String,
        /// What to do.
        remedy: String,
    },
    /// `{` without its `}`.
    #[error("the brace in \"{}\" is never closed: write {{name}}, or {{{{ for a brace", .0)]
    Open(String),
    /// `}` without its `{`.
    #[error("the closing brace in \"{}\" was never opened: write }}}} for a brace", .0)]
    Closed(String),
}

impl Template {
    /// Parses `text`, in which the names of `parameters` may stand in braces. Data files have no such name.
    pub fn parse(text: &str, parameters: &[Parameter]) -> Result<Self, TemplateError> {
        let (mut pieces, mut literal, mut rest) = (Vec::new(), String::new(), text);
        while let Some(at) = rest.find(['{', '}']) {
            literal.push_str(&rest[..at]);
            let (brace, after) = rest[at..].split_at(1);
            rest = after;
            if let Some(after) = rest.strip_prefix(brace) {
                literal.push_str(brace);
                rest = after;
            } else if brace == "}" {
                return Err(TemplateError::Closed(around(text, text.len() - rest.len())));
            } else {
                let (name, after) = rest
                    .split_once('}')
                    .ok_or_else(|| TemplateError::Open(around(text, text.len() - rest.len())))?;
                if !literal.is_empty() {
                    pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                }
                pieces.push(Piece::Value(position(name, parameters)?));
                rest = after;
            }
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        Ok(Self(pieces))
    }

    /// Appends the text to `out`. `draws` holds the position of each parameter's value, as an executor
    /// answers them; nothing is allocated but room in `out`.
    ///
    /// # Panics
    /// If `parameters` and `draws` are not those of the plan that the template was parsed for.
    pub fn render(
        &self,
        parameters: &[Parameter],
        draws: &[u32],
        escape: Escape,
        out: &mut Vec<u8>,
    ) {
        for piece in &self.0 {
            match piece {
                Piece::Literal(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Value(position) => {
                    write_value(&parameters[*position].values, draws[*position], escape, out);
                }
            }
        }
    }

    /// Whether it is the same whatever is drawn.
    pub fn is_fixed(&self) -> bool {
        !self.0.iter().any(|piece| matches!(piece, Piece::Value(_)))
    }

    /// The text between the parameters.
    pub(super) fn literals(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Literal(text) => Some(text.as_str()),
            Piece::Value(_) => None,
        })
    }
}

fn position(name: &str, parameters: &[Parameter]) -> Result<usize, TemplateError> {
    let named = |p: &&Parameter| !matches!(p.values, Values::Rows { .. });
    let found = parameters.iter().position(|p| p.name == name && named(&p));
    found.ok_or_else(|| {
        let known: Vec<&str> = parameters.iter().filter(named).map(|p| p.name.as_str()).collect();
        let remedy = match super::nearest::nearest(name, known) {
            Some(near) => format!("did you mean {{{near}}}?"),
            None => format!(
                "add a table [param.{}], or write {{{{ for a brace",
                super::said::short(name)
            ),
        };
        TemplateError::Unknown { name: super::said::short(name), remedy }
    })
}

/// Some characters of `text` round the byte at `at`.
fn around(text: &str, at: usize) -> String {
    let start = text.floor_char_boundary(at.saturating_sub(20));
    let end = text.ceil_char_boundary((at + 20).min(text.len()));
    super::said::short(&text[start..end])
}

fn write_value(values: &Values, draw: u32, escape: Escape, out: &mut Vec<u8>) {
    match values {
        Values::Texts(texts) => {
            let text = texts[draw as usize].as_bytes();
            match escape {
                Escape::Nothing => out.extend_from_slice(text),
                Escape::Percent => percent_encode(text, out),
            }
        }
        Values::Integers { from, .. } => {
            write!(out, "{}", from + u64::from(draw)).expect("a vector takes all it is given");
        }
        Values::Rows { .. } => unreachable!("data files have no name in templates"),
    }
}

fn percent_encode(text: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in text {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte);
        } else {
            let (high, low) = (DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]);
            out.extend_from_slice(&[b'%', high, low]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::plan::Choice;

    fn parameters() -> Vec<Parameter> {
        let texts = vec!["queue".to_owned(), "ä/b c".to_owned()];
        let named =
            |name: &str, values| Parameter { name: name.into(), values, choice: Choice::Even };
        vec![
            named("term", Values::Texts(texts)),
            named("rows", Values::Rows { file: "rows".into(), count: 3 }),
            named("id", Values::Integers { from: 1, to: 200_000 }),
        ]
    }

    fn rendered(text: &str, escape: Escape) -> String {
        let parameters = parameters();
        let template = Template::parse(text, &parameters).expect(text);
        let mut out = Vec::new();
        template.render(&parameters, &[1, 0, 41], escape, &mut out);
        String::from_utf8(out).expect("text in, text out")
    }

    #[test]
    fn values_take_the_places_of_their_names() {
        assert_eq!(rendered("/item/{id}", Escape::Percent), "/item/42");
        assert_eq!(rendered("/s?q={term}&n={id}", Escape::Percent), "/s?q=%C3%A4%2Fb%20c&n=42");
        assert_eq!(rendered("{{\"q\": \"{term}\"}}", Escape::Nothing), "{\"q\": \"ä/b c\"}");
        assert_eq!(rendered("", Escape::Percent), "");
        assert_eq!(rendered("{id}{id}", Escape::Percent), "4242");
        assert_eq!(rendered("{{{id}}}", Escape::Nothing), "{42}");
    }

    #[test]
    fn mistakes_name_the_brace_or_the_parameter() {
        let error = |text| Template::parse(text, &parameters()).expect_err(text).to_string();
        assert_eq!(error("/{trem}"), "no parameter is called \"trem\": did you mean {term}?");
        assert!(error("/{shelf}").contains("add a table [param.shelf]"));
        assert!(error("/{rows}").contains("no parameter is called \"rows\""));
        assert_eq!(
            error("/{id"),
            "the brace in \"/{id\" is never closed: write {name}, or {{ for a brace"
        );
        assert!(error("{\"a\": 1}").contains("no parameter is called"));
        assert!(error("a } b").contains("write }} for a brace"));
    }

    proptest! {
        #[test]
        fn any_text_parses_or_is_refused(text in "[{}a-dé]{0,30}") {
            let _ = Template::parse(&text, &parameters());
        }

        #[test]
        fn doubled_braces_come_out_single(text in "[{}a-dé]{0,30}") {
            let doubled = text.replace('{', "{{").replace('}', "}}");
            prop_assert_eq!(rendered(&doubled, Escape::Nothing), text);
        }
    }
}
