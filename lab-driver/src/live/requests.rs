//! Requests as bytes: rendered once where nothing varies, per iteration where parameters do.

use std::collections::HashMap;
use std::sync::Arc;

use super::http::{Needle, Request, RequestError};
use crate::engine::plan::{Body, Parameter, Plan, Task};
use crate::scenario::template::{Escape, Template};

/// All that a request needs besides its draws; shared by all dispatchers.
#[derive(Debug)]
pub struct Requests {
    tasks: Vec<TaskRequest>,
    parameters: Vec<Parameter>,
    authority: String,
}

/// What one task sends.
#[derive(Debug)]
pub(super) struct TaskRequest {
    method: String,
    path: Template,
    headers: Vec<(String, Template)>,
    body: Option<RequestBody>,
    needle: Option<Needle>,
    /// The bytes, when no parameter changes them.
    fixed: Option<Vec<u8>>,
}

#[derive(Debug)]
enum RequestBody {
    Text(Template),
    Rows { rows: Arc<Vec<String>>, parameter: usize },
}

impl Requests {
    /// Prepares the requests of `plan`. `rows` holds the lines of each data file; `authority` is the `Host` field
    /// and `base` what stands before each task's path.
    pub fn new(
        plan: &Plan,
        rows: &HashMap<String, Arc<Vec<String>>>,
        authority: String,
        base: &str,
    ) -> Result<Self, String> {
        let tasks = plan.tasks.iter().map(|task| TaskRequest::new(task, plan, rows, base));
        let tasks = tasks.collect::<Result<Vec<_>, String>>()?;
        let mut requests = Self { tasks, parameters: plan.parameters.clone(), authority };
        let none_drawn = vec![0; requests.parameters.len()];
        for position in 0..requests.tasks.len() {
            let mut bytes = Vec::new();
            requests
                .render(position, &none_drawn, &mut bytes)
                .map_err(|error| error.to_string())?;
            if requests.tasks[position].is_fixed() {
                requests.tasks[position].fixed = Some(bytes);
            }
        }
        Ok(requests)
    }

    /// Makes the bytes of `task` ready in `rendered`, unless they are always the same.
    pub(super) fn prepare(&self, task: usize, draws: &[u32], rendered: &mut Vec<u8>) {
        if self.tasks[task].fixed.is_none() {
            rendered.clear();
            // Every kind of request was rendered once before the run; only the drawn values differ.
            let done = self.render(task, draws, rendered);
            debug_assert!(done.is_ok(), "{done:?}");
        }
    }

    /// What `task` sends.
    pub(super) fn of(&self, task: usize) -> &TaskRequest {
        &self.tasks[task]
    }

    fn render(&self, task: usize, draws: &[u32], out: &mut Vec<u8>) -> Result<(), RequestError> {
        let task = &self.tasks[task];
        let text = |template: &Template, escape| {
            let mut bytes = Vec::new();
            template.render(&self.parameters, draws, escape, &mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let path = text(&task.path, Escape::Percent);
        let headers: Vec<(&str, String)> = task
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), text(value, Escape::Nothing)))
            .collect();
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let body = task.body.as_ref().map(|body| match body {
            RequestBody::Text(template) => text(template, Escape::Nothing).into_bytes(),
            RequestBody::Rows { rows, parameter } => {
                rows[draws[*parameter] as usize].clone().into_bytes()
            }
        });
        Request {
            method: &task.method,
            path: &path,
            authority: &self.authority,
            headers: &headers,
            body: body.as_deref(),
        }
        .render(out)
    }
}

impl TaskRequest {
    fn new(
        task: &Task,
        plan: &Plan,
        rows: &HashMap<String, Arc<Vec<String>>>,
        base: &str,
    ) -> Result<Self, String> {
        let parse =
            |text: &str| Template::parse(text, &plan.parameters).map_err(|error| error.to_string());
        let body = match &task.body {
            None => None,
            Some(Body::Text(text)) => Some(RequestBody::Text(parse(text)?)),
            Some(Body::Row { file, parameter }) => {
                let rows =
                    rows.get(file).ok_or_else(|| format!("the rows of {file} were not read"))?;
                Some(RequestBody::Rows { rows: Arc::clone(rows), parameter: *parameter })
            }
        };
        let headers = task.headers.iter().map(|(name, value)| Ok((name.clone(), parse(value)?)));
        let expected = task.expect.body_contains.as_bytes();
        Ok(Self {
            method: task.method.clone(),
            path: parse(&format!("{base}{}", task.path))?,
            headers: headers.collect::<Result<_, String>>()?,
            body,
            needle: (!expected.is_empty()).then(|| Needle::new(expected)),
            fixed: None,
        })
    }

    fn is_fixed(&self) -> bool {
        let body_is_fixed = match &self.body {
            None => true,
            Some(RequestBody::Text(text)) => text.is_fixed(),
            Some(RequestBody::Rows { .. }) => false,
        };
        self.path.is_fixed()
            && self.headers.iter().all(|(_, value)| value.is_fixed())
            && body_is_fixed
    }

    /// The bytes, when no parameter changes them.
    pub(super) fn fixed(&self) -> Option<&[u8]> {
        self.fixed.as_deref()
    }

    /// What the body must contain.
    pub(super) fn needle(&self) -> Option<&Needle> {
        self.needle.as_ref()
    }

    /// Whether its response has no body.
    pub(super) fn is_head(&self) -> bool {
        self.method == "HEAD"
    }

    /// Whether doing it twice is doing it once.
    pub(super) fn is_idempotent(&self) -> bool {
        matches!(self.method.as_str(), "GET" | "HEAD" | "OPTIONS" | "PUT" | "DELETE")
    }
}
