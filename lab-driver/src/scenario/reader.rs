//! Walks a TOML document by hand, so that every mistake in it is found, not only the first.

use std::cell::Cell;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::mistake::{Mistake, Mistakes, Place};
use super::nearest::did_you_mean;
use super::said::{Said, short};

/// A value of the document with its place in it.
pub(crate) type Value<'a> = Spanned<DeValue<'a>>;

/// Turns byte offsets of a text into places.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    file: Arc<str>,
    text: &'a str,
    /// Where each line begins.
    starts: Vec<usize>,
    /// The last place that was asked for, as offset and column: with many values on one line,
    /// counting each from the line's start would take quadratic time.
    last: Cell<(usize, usize)>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(file: &str, text: &'a str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(breaks).collect();
        Self { file: file.into(), text, starts, last: Cell::new((0, 1)) }
    }

    /// The place of the byte at `offset`.
    pub(crate) fn place(&self, offset: usize) -> Place {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts[line - 1];
        let (last, column) = self.last.get();
        let (from, column) =
            if (start..=offset).contains(&last) { (last, column) } else { (start, 1) };
        let column = column + self.text[from..offset].chars().count();
        self.last.set((offset, column));
        Place::In { file: self.file.clone(), line, column }
    }

    /// Some 100 characters of the line round the byte at `offset`, and a caret under it.
    pub(crate) fn caret(&self, offset: usize) -> String {
        let (before, after) = self.text.split_at(self.text.floor_char_boundary(offset));
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        let before: Vec<char> = before.chars().rev().take_while(|c| *c != '\n').take(60).collect();
        let after = after.chars().take_while(|c| *c != '\n').take(40);
        let line: String = before.iter().rev().copied().chain(after).map(plain).collect();
        format!("{}\n{:width$}^", line.trim_end(), "", width = before.len())
    }

    /// Parses the text; a syntax error is the only mistake that hides the others.
    pub(crate) fn parse(&self, mistakes: &mut Mistakes) -> Option<Spanned<DeTable<'a>>> {
        match DeTable::parse(self.text) {
            Ok(table) => Some(table),
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                mistakes.push(Mistake {
                    place: self.place(at),
                    what: format!("not TOML: {}", error.message()),
                    remedy: "correct this first; further mistakes show after that".to_owned(),
                    excerpt: Some(self.caret(at)),
                });
                None
            }
        }
    }
}

/// The fields of one table: each is taken once, and what is left is unknown.
pub(crate) struct Fields<'a> {
    lines: &'a Lines<'a>,
    table: &'a DeTable<'a>,
    /// What the table is called in messages, such as `[load]`.
    called: &'static str,
    /// Where the table begins: for fields that are missing.
    pub(crate) place: Place,
    taken: Vec<&'static str>,
    /// How many mistakes there were before this table.
    before: usize,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(
        lines: &'a Lines<'a>,
        table: &'a DeTable<'a>,
        called: &'static str,
        place: Place,
        mistakes: &Mistakes,
    ) -> Self {
        Self { lines, table, called, place, taken: Vec::new(), before: mistakes.count() }
    }

    /// Whether something in the table was wrong so far.
    pub(crate) fn is_broken(&self, mistakes: &Mistakes) -> bool {
        mistakes.count() > self.before
    }

    /// The field, if it is there.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<&'a Value<'a>> {
        self.taken.push(key);
        self.table.get(key)
    }

    /// The field's text; a number counts as its digits.
    pub(crate) fn scalar(
        &mut self,
        key: &'static str,
        example: &str,
        mistakes: &mut Mistakes,
    ) -> Option<Said> {
        let value = self.take(key)?;
        scalar(self.lines, value, key, example, mistakes)
    }

    /// The field's text, which must be there and say something.
    pub(crate) fn required(
        &mut self,
        key: &'static str,
        example: &str,
        mistakes: &mut Mistakes,
    ) -> Option<Said> {
        let before = mistakes.count();
        let said = self.scalar(key, example, mistakes);
        match &said {
            Some(text) if text.value.trim().is_empty() => {
                mistakes.add(&text.place, format!("{key} is empty"), format!("write {example}"));
                return None;
            }
            None if mistakes.count() == before => {
                let what = format!("{key} is missing in {}", self.called);
                mistakes.add(&self.place, what, format!("add {key}: {example}"));
            }
            _ => {}
        }
        said
    }

    /// Notes a schema that is missing or not `ours`; nothing for a newer file, where the other mistakes would be
    /// noise.
    pub(crate) fn schema(&mut self, ours: u64, mistakes: &mut Mistakes) -> Option<()> {
        let before = mistakes.count();
        let Some(said) = self.scalar("schema", &format!("schema = {ours}"), mistakes) else {
            if mistakes.count() == before {
                let what = "schema is missing: nobody can tell which version of the shape this is";
                mistakes.add(&self.place, what, format!("begin the file with schema = {ours}"));
            }
            return Some(());
        };
        match said.value.parse::<u64>() {
            Ok(theirs) if theirs == ours => Some(()),
            Ok(newer) if newer > ours => {
                let what =
                    format!("schema {newer} is newer than this lab-driver, which reads {ours}");
                let remedy = format!("update lab-driver, or rewrite the file for schema = {ours}");
                mistakes.add(&said.place, what, remedy);
                None
            }
            _ => {
                let what = format!("schema \"{}\" does not exist", short(&said.value));
                mistakes.add(&said.place, what, format!("write schema = {ours}"));
                Some(())
            }
        }
    }

    /// The field's table.
    pub(crate) fn table(
        &mut self,
        key: &'static str,
        called: &'static str,
        example: &str,
        mistakes: &mut Mistakes,
    ) -> Option<Self> {
        let value = self.take(key)?;
        table(self.lines, value, called, example, mistakes)
    }

    /// The field's array.
    pub(crate) fn array(
        &mut self,
        key: &'static str,
        example: &str,
        mistakes: &mut Mistakes,
    ) -> Option<Said<&'a [Value<'a>]>> {
        let value = self.take(key)?;
        let place = self.lines.place(value.span().start);
        match value.get_ref() {
            DeValue::Array(items) => Some(Said::new(&items[..], place)),
            other => {
                wrong_type(&place, key, example, other, mistakes);
                None
            }
        }
    }

    /// What `read` makes of each table of the field, be it `[[key]]` or an array of inline tables.
    pub(crate) fn tables<T>(
        &mut self,
        key: &'static str,
        called: &'static str,
        example: &str,
        mistakes: &mut Mistakes,
        read: impl Fn(Self, &mut Mistakes) -> T,
    ) -> Vec<T> {
        let items = self.array(key, example, mistakes).map_or(&[][..], |items| items.value);
        let each = |item| {
            let fields = table(self.lines, item, called, example, mistakes)?;
            Some(read(fields, mistakes))
        };
        items.iter().filter_map(each).collect()
    }

    /// The field's list of texts; a number counts as its digits. Empty when the field is not there.
    pub(crate) fn list(
        &mut self,
        key: &'static str,
        example: &str,
        mistakes: &mut Mistakes,
    ) -> Vec<Said> {
        let items = self.array(key, example, mistakes).map_or(&[][..], |items| items.value);
        let read = |item| scalar(self.lines, item, key, example, mistakes);
        items.iter().filter_map(read).collect()
    }

    /// The field's table of names and texts, in the order of the file; a number or a truth counts as it is
    /// written. Empty when the field is not there.
    pub(crate) fn settings(
        &mut self,
        key: &'static str,
        example: &str,
        mistakes: &mut Mistakes,
    ) -> Vec<(Said, Said)> {
        let Some(table) = self.table(key, key, example, mistakes) else { return Vec::new() };
        let mut settings = Vec::new();
        for (name, value) in table.entries() {
            let place = self.lines.place(value.span().start);
            let text = match value.get_ref() {
                DeValue::Boolean(on) => Some(Said::new(on.to_string(), place)),
                _ => scalar(self.lines, value, key, "a text or a number", mistakes),
            };
            settings.extend(text.map(|text| (name, text)));
        }
        settings
    }

    /// All entries in the order of the file, for tables whose keys are the user's own.
    pub(crate) fn entries(&self) -> Vec<(Said, &'a Value<'a>)> {
        let mut entries: Vec<_> = self.table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries.into_iter().map(|(key, value)| (self.key(key), value)).collect()
    }

    /// Notes every field that nobody took; answers whether something in the table was wrong.
    pub(crate) fn finish(self, mistakes: &mut Mistakes) -> bool {
        for key in self.table.keys() {
            let name: &str = key.get_ref();
            if !self.taken.contains(&name) {
                let key = self.key(key);
                let remedy = did_you_mean(name, "fields", &self.taken);
                let what = format!("unknown field \"{}\" in {}", short(name), self.called);
                mistakes.add(&key.place, what, remedy);
            }
        }
        self.is_broken(mistakes)
    }

    /// Turns offsets into places.
    pub(crate) fn lines(&self) -> &'a Lines<'a> {
        self.lines
    }

    fn key(&self, key: &Spanned<DeString<'_>>) -> Said {
        Said::new(key.get_ref().to_string(), self.lines.place(key.span().start))
    }
}

/// A value as a table.
pub(crate) fn table<'a>(
    lines: &'a Lines<'a>,
    value: &'a Value<'a>,
    called: &'static str,
    example: &str,
    mistakes: &mut Mistakes,
) -> Option<Fields<'a>> {
    let place = lines.place(value.span().start);
    match value.get_ref() {
        DeValue::Table(table) => Some(Fields::new(lines, table, called, place, mistakes)),
        other => {
            wrong_type(&place, called, example, other, mistakes);
            None
        }
    }
}

/// A value as text; a number counts as its digits.
pub(crate) fn scalar(
    lines: &Lines<'_>,
    value: &Value<'_>,
    called: &str,
    example: &str,
    mistakes: &mut Mistakes,
) -> Option<Said> {
    let place = lines.place(value.span().start);
    let text = match value.get_ref() {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| number.to_string(), |number| number.to_string()),
        DeValue::Float(number) => number.to_string(),
        other => {
            wrong_type(&place, called, example, other, mistakes);
            return None;
        }
    };
    Some(Said::new(text, place))
}

/// Notes that `found` is no `example`.
pub(crate) fn wrong_type(
    place: &Place,
    called: &str,
    example: &str,
    found: &DeValue<'_>,
    mistakes: &mut Mistakes,
) {
    let found = found.type_str();
    mistakes.add(place, format!("{called} cannot be of type {found}"), format!("write {example}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_in_whatever_order_they_are_asked_for() {
        let lines = Lines::new("f", "äb\n\ncd");
        let place = |offset| lines.place(offset).to_string();
        let asked = [7, 2, 6, 0, 3, 4, 5, 99, 3].map(place);
        let expected = ["f:3:3", "f:1:2", "f:3:2", "f:1:1", "f:1:3", "f:2:1", "f:3:1"];
        assert_eq!(asked[..7], expected);
        assert_eq!(asked[7..], ["f:3:3", "f:1:3"]);
    }

    #[test]
    fn a_long_line_is_cut_on_both_sides_of_the_caret() {
        let text = format!("{}X{}", "a".repeat(500), "b".repeat(500));
        let caret = Lines::new("f", &text).caret(500);
        assert_eq!(caret, format!("{}X{}\n{}^", "a".repeat(60), "b".repeat(39), " ".repeat(60)));
        assert_eq!(Lines::new("f", "a\tb\nc").caret(1), "a b\n ^");
    }
}
