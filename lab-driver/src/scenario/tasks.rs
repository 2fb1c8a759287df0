//! `[[task]]`: what an iteration sends, and what its answer must be.

use super::draft::{BodyDraft, TaskDraft};
use super::mistake::{Mistakes, Place};
use super::nearest::did_you_mean;
use super::rows::DataFiles;
use super::said::{LONGEST_ANSWER, Said, short};
use super::template::Template;
use crate::engine::plan::{Body, Choice, Expect, Parameter, Task, Values};
use crate::engine::time::Ns;

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
/// The driver writes these itself; a second one would break the message's framing.
const OWN_HEADERS: [&str; 3] = ["content-length", "transfer-encoding", "host"];
/// A request without an answer after this long has failed, unless the task says otherwise.
const TIMEOUT: Ns = Ns::from_secs(60);
/// The row of all tasks together.
const AGGREGATED: &str = "Aggregated";
/// The most tasks: each has its histograms.
const MOST_TASKS: usize = 1_000;

/// Reads tasks; the parameters of data files are added to the scenario's own.
pub(super) struct Reader<'a> {
    pub(super) parameters: Vec<Parameter>,
    pub(super) files: DataFiles,
    pub(super) mistakes: &'a mut Mistakes,
}

impl Reader<'_> {
    /// Reads all tasks; a wrong one is noted and stays as far as it could be read.
    pub(super) fn all(&mut self, drafts: &[TaskDraft], origin: &Place) -> Vec<Task> {
        if drafts.len() > MOST_TASKS {
            let what = format!("there are {} tasks", drafts.len());
            self.mistakes.add(origin, what, format!("use at most {MOST_TASKS}"));
            return Vec::new();
        }
        let mut tasks: Vec<Task> = Vec::new();
        for draft in drafts {
            let task = self.task(draft);
            let place = draft.name.as_ref().map_or(&draft.place, |name| &name.place);
            if tasks.iter().any(|other| other.name == task.name) && !task.name.is_empty() {
                let what = format!("two tasks are called \"{}\"", short(&task.name));
                self.mistakes.add(place, what, "give each a name of its own");
            }
            tasks.push(task);
        }
        tasks
    }

    fn task(&mut self, draft: &TaskDraft) -> Task {
        let (method, path) = self.request(draft).unwrap_or_default();
        let named = draft.name.as_ref().map(|said| said.value.clone());
        // Without a name, a task is called by its path, as in Locust.
        let plain_path = path.split(['?', '#']).next().unwrap_or_default();
        let name = named.unwrap_or_else(|| plain_path.to_owned());
        self.check_name(&name, draft);
        let called = short(&name);
        let m = &mut *self.mistakes;
        let zero = format!("never runs the task \"{called}\"");
        let weight = draft.weight.as_ref().and_then(|said| weight(said, &zero, m));
        let limit = |said: &Said, field, m: &mut Mistakes| {
            said.duration(field, false, LONGEST_ANSWER, m).map(|length| length.value)
        };
        let timeout = draft.timeout.as_ref().and_then(|said| limit(said, "time-out", m));
        let fail_slower = draft.fail_slower.as_ref().and_then(|said| limit(said, "fail_slower", m));
        let expect = expect(draft, &method, m);
        let headers = draft.headers.iter().map(|(name, value)| self.header(name, value)).collect();
        let body = draft.body.as_ref().and_then(|body| self.body(body));
        Task {
            name,
            weight: weight.unwrap_or(1),
            method,
            path,
            headers,
            body,
            expect,
            timeout: timeout.unwrap_or(TIMEOUT),
            fail_slower,
        }
    }

    fn check_name(&mut self, name: &str, draft: &TaskDraft) {
        let Some(said) = &draft.name else { return };
        let wrong = if name.trim().is_empty() {
            "is empty"
        } else if name == AGGREGATED {
            "is the row of all tasks together"
        } else if name.chars().any(char::is_control) || name.chars().count() > 200 {
            "has control characters or more than 200 letters"
        } else {
            return;
        };
        let what = format!("the task's name \"{}\" {wrong}", short(name));
        self.mistakes.add(&said.place, what, "give it a short name of its own, such as /search");
    }

    fn request(&mut self, draft: &TaskDraft) -> Option<(String, String)> {
        let Some(said) = &draft.request else {
            if !draft.is_broken {
                let remedy = "add a line such as request = \"GET /items\"";
                self.mistakes.add(&draft.place, "this task has no request", remedy);
            }
            return None;
        };
        let text = said.value.trim();
        let (method, path) = text.split_once(char::is_whitespace).unwrap_or(("", text));
        let path = path.trim_start();
        if !METHODS.contains(&method) {
            let (what, remedy) = if method.is_empty() {
                (
                    format!("\"{}\" has no method or no path", short(text)),
                    "write GET /items".to_owned(),
                )
            } else {
                let remedy = did_you_mean(&method.to_uppercase(), "methods", &METHODS);
                (format!("\"{}\" is no method", short(method)), remedy)
            };
            self.mistakes.add(&said.place, what, remedy);
        }
        if !path.starts_with('/') {
            let what = format!("the path \"{}\" does not begin with /", short(path));
            let remedy = "write it as /items; the host has a field of its own";
            self.mistakes.add(&said.place, what, remedy);
        }
        let template = self.template(said, path)?;
        let odd = |c: char| !c.is_ascii_graphic() || c == '#';
        if let Some(odd) = template.literals().find_map(|text| text.chars().find(|&c| odd(c))) {
            let what = format!("the path has the character {odd:?}");
            self.mistakes.add(&said.place, what, "percent-encode it, such as %20 for a blank");
        }
        Some((method.to_owned(), path.to_owned()))
    }

    fn header(&mut self, name: &Said, value: &Said) -> (String, String) {
        let is_token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        if name.value.is_empty() || !name.value.bytes().all(is_token) {
            let what = format!("\"{}\" cannot be a header's name", short(&name.value));
            self.mistakes.add(&name.place, what, "use letters, digits and -, such as X-Load-Test");
        }
        if OWN_HEADERS.contains(&name.value.to_lowercase().as_str()) {
            let what = format!("the driver writes {} itself", name.value);
            self.mistakes.add(&name.place, what, "leave it out");
        }
        if value.value.chars().any(|c| c.is_control() && c != '\t') {
            let what = format!("the header {} has a control character", short(&name.value));
            self.mistakes.add(&value.place, what, "write its value on one line");
        }
        self.template(value, &value.value);
        (name.value.clone(), value.value.clone())
    }

    fn body(&mut self, body: &BodyDraft) -> Option<Body> {
        let picks = [
            ("random", Choice::Even),
            ("sequential", Choice::Sequential),
            ("shuffled", Choice::Shuffled),
        ];
        let (file, pick) = match body {
            BodyDraft::Text(said) => {
                self.template(said, &said.value)?;
                return Some(Body::Text(said.value.clone()));
            }
            BodyDraft::Rows { file, pick } => (file, pick),
        };
        let choice = match pick {
            Some(said) => said.word("pick", &picks, self.mistakes).map(|said| said.value),
            None => Some(Choice::Even),
        };
        let count = self.files.count(file, self.mistakes);
        let (choice, count) = choice.zip(count)?;
        let values = Values::Rows { file: file.value.clone(), count };
        // Tasks that pick from one file in one way share the drawn row, and its random word.
        let known = self.parameters.iter().position(|p| p.values == values && p.choice == choice);
        let parameter = known.unwrap_or_else(|| {
            self.parameters.push(Parameter { name: file.value.clone(), values, choice });
            self.parameters.len() - 1
        });
        Some(Body::Row { file: file.value.clone(), parameter })
    }

    fn template(&mut self, said: &Said, text: &str) -> Option<Template> {
        match Template::parse(text, &self.parameters) {
            Ok(template) => Some(template),
            Err(error) => {
                self.mistakes.add_error(&said.place, &error);
                None
            }
        }
    }
}

fn weight(said: &Said, zero: &str, mistakes: &mut Mistakes) -> Option<u32> {
    let weight = said.count_or_zero("weight", mistakes)?.value;
    if weight == 0 {
        let remedy = "give it a weight of 1 or more, or remove the task";
        mistakes.add(&said.place, format!("weight 0 {zero}"), remedy);
        return None;
    }
    Some(weight)
}

fn expect(draft: &TaskDraft, method: &str, mistakes: &mut Mistakes) -> Expect {
    let mut expect = Expect::default();
    if let Some(said) = &draft.status {
        if let Some((from, to)) = status(said.value.trim()) {
            (expect.status_from, expect.status_to) = (from, to);
        } else {
            let what = format!("\"{}\" is no status", short(&said.value));
            mistakes.add(&said.place, what, "write 2xx, 200 or 200..399");
        }
    }
    if let Some(said) = &draft.body_contains {
        if method == "HEAD" && !said.value.is_empty() {
            let what = "an answer to HEAD has no body that could contain anything";
            mistakes.add(&said.place, what, "leave out body_contains, or use GET");
        }
        expect.body_contains.clone_from(&said.value);
    }
    expect
}

/// `2xx`, `200` or `200..399` as the lowest and the highest status.
fn status(text: &str) -> Option<(u16, u16)> {
    let code = |text: &str| text.parse::<u16>().ok().filter(|code| (100..=599).contains(code));
    if let Some(class) = text.strip_suffix("xx") {
        let first = code(&format!("{class}00"))?;
        return Some((first, first + 99));
    }
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let (from, to) = (code(from.trim())?, code(to.trim())?);
    (from <= to).then_some((from, to))
}

#[cfg(test)]
mod tests {
    use super::status;

    #[test]
    fn statuses_are_classes_codes_or_ranges() {
        assert_eq!(status("2xx"), Some((200, 299)));
        assert_eq!(status("204"), Some((204, 204)));
        assert_eq!(status("200..399"), Some((200, 399)));
        for wrong in ["", "xx", "6xx", "22xx", "20", "600", "399..200", "2xx|3xx", "ok"] {
            assert_eq!(status(wrong), None, "{wrong}");
        }
    }
}
