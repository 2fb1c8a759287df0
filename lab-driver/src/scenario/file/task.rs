//! `[[task]]` in the file.

use toml::de::DeValue;

use super::super::draft::{BodyDraft, TaskDraft};
use super::super::mistake::Mistakes;
use super::super::reader::{self, Fields};

/// Reads the table.
pub(super) fn read(mut fields: Fields<'_>, mistakes: &mut Mistakes) -> TaskDraft {
    let mut said = |key, example| fields.scalar(key, example, mistakes);
    let mut draft = TaskDraft {
        name: said("name", "a text, such as \"/search\""),
        weight: said("weight", "a whole number, such as 3"),
        request: said("request", "a text, such as \"GET /items\""),
        timeout: said("timeout", "a duration, such as \"60s\""),
        fail_slower: said("fail_slower", "a duration, such as \"1s\""),
        place: fields.place.clone(),
        is_broken: false,
        headers: Vec::new(),
        body: None,
        status: None,
        body_contains: None,
    };
    let example = "a table, such as { X-Load-Test = \"1\" }";
    if let Some(headers) = fields.table("headers", "headers", example, mistakes) {
        for (name, value) in headers.entries() {
            let text = reader::scalar(headers.lines(), value, "a header", "a text", mistakes);
            draft.headers.extend(text.map(|text| (name, text)));
        }
    }
    let example = "a table, such as { status = \"2xx\", body_contains = \"ok\" }";
    if let Some(mut expect) = fields.table("expect", "expect", example, mistakes) {
        draft.status = expect.scalar("status", "\"2xx\", 200 or \"200..399\"", mistakes);
        draft.body_contains = expect.scalar("body_contains", "a text", mistakes);
        expect.finish(mistakes);
    }
    draft.body = body(&mut fields, mistakes);
    draft.is_broken = fields.finish(mistakes);
    draft
}

fn body(fields: &mut Fields<'_>, mistakes: &mut Mistakes) -> Option<BodyDraft> {
    let example = "a text, or a table such as { file = \"rows.jsonl\", pick = \"shuffled\" }";
    let value = fields.take("body")?;
    if !matches!(value.get_ref(), DeValue::Table(_)) {
        return reader::scalar(fields.lines(), value, "body", example, mistakes)
            .map(BodyDraft::Text);
    }
    let mut rows = reader::table(fields.lines(), value, "body", example, mistakes)?;
    let file = rows.scalar("file", "a text, such as \"rows.jsonl\"", mistakes);
    let pick = rows.scalar("pick", "\"random\", \"sequential\" or \"shuffled\"", mistakes);
    let place = rows.place.clone();
    if !rows.finish(mistakes) && file.is_none() {
        mistakes.add(&place, "this body names no file", "add file = \"rows.jsonl\"");
    }
    file.map(|file| BodyDraft::Rows { file, pick })
}
