//! Thresholds: one metric of the run at hand against one value; budgets and slow limits become such.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ast::{Comparison, Expr, Literal, Reference, Relation, Statement};
use super::error::{Fault, SyntaxError};
use super::metric::{Metric, Percentile, Stat};
use super::{Facts, Judged, Scope, atom, evaluate, parser};
use crate::engine::time::Ns;

/// `[endpoint:]metric comparison value [over DURATION] [after DURATION]`.
///
/// A bare time is milliseconds, a bare share 0 to 1, a bare rate per second. `over` and `after`
/// are for aborts: judge the last so much of the run, and not before so much has passed.
///
/// In JSON and as text it is what the user wrote; `Display` is the canonical spelling.
///
/// ```
/// use lab_driver::engine::claim::Threshold;
/// let threshold = Threshold::parse("/search: http_req_duration:med<0.15s")?;
/// assert_eq!(threshold.to_string(), "/search:p(50) < 0.15s");
/// assert_eq!(threshold.endpoint(), Some("/search"));
/// assert_eq!(threshold.limit(), 150.0);
/// # Ok::<(), lab_driver::engine::claim::SyntaxError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Threshold {
    source: String,
    subject: Reference,
    comparison: Comparison,
    limit: Literal,
    over: Option<Ns>,
    after: Option<Ns>,
}

impl Threshold {
    /// Reads a threshold.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let Statement { relation, over, after, .. } = parser::parse(text, &Scope::Threshold)?;
        let wrong = || {
            let message = "this compares no metric with a value";
            SyntaxError::new(text, Fault::new(0, message, super::shape::THRESHOLD))
        };
        let Relation::Chain { first: Expr::Metric(subject), rest } = relation else {
            return Err(wrong());
        };
        match rest[..] {
            [(comparison, Expr::Literal(limit))] => {
                Ok(Self { source: text.trim().to_owned(), subject, comparison, limit, over, after })
            }
            _ => Err(wrong()),
        }
    }

    /// What `--budget` takes: `/report=150ms` is `/report:p(95) <= 150ms`, and `150ms` is for all
    /// endpoints together. A bare number is milliseconds, as in every threshold.
    ///
    /// ```
    /// use lab_driver::engine::claim::Threshold;
    /// let budget = Threshold::budget("/report=150")?;
    /// assert_eq!(budget.to_string(), "/report:p(95) <= 150");
    /// # Ok::<(), lab_driver::engine::claim::SyntaxError>(())
    /// ```
    pub fn budget(text: &str) -> Result<Self, SyntaxError> {
        let (endpoint, value) = assigned(text, "/report=150ms")?;
        let limit = atom::literal(value.text).and_then(|limit| {
            let fits = limit.unit.dimension().unify(super::Dimension::Time).is_some();
            let remedy = "write a time, such as /report=150ms";
            match fits && limit.number > 0.0 {
                true => Ok(limit),
                false => Err(Fault::new(0, format!("{limit} is not a latency budget"), remedy)),
            }
        });
        let limit = limit.map_err(|fault| SyntaxError::new(text, fault.shifted(value.at)))?;
        let metric = Metric::Response(Stat::Percentile(Percentile::P95));
        let subject = Reference { run: None, endpoint, metric };
        let comparison = Comparison::LessOrEqual;
        let mut budget =
            Self { source: String::new(), subject, comparison, limit, over: None, after: None };
        budget.source = budget.to_string();
        Ok(budget)
    }

    /// What the user wrote.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Which row of the table; none for all requests together.
    pub fn endpoint(&self) -> Option<&str> {
        self.subject.endpoint.as_deref()
    }

    /// What is measured.
    pub fn metric(&self) -> Metric {
        self.subject.metric
    }

    /// How it is compared with the limit.
    pub fn comparison(&self) -> Comparison {
        self.comparison
    }

    /// The limit in the metric's canonical unit: milliseconds, share of one, per second, count.
    pub fn limit(&self) -> f64 {
        self.limit.value()
    }

    /// The sliding window that is judged; none for the whole run.
    pub fn over(&self) -> Option<Ns> {
        self.over
    }

    /// How long to wait before judging; none for no delay.
    pub fn after(&self) -> Option<Ns> {
        self.after
    }

    /// Whether it holds.
    pub fn judge(&self, facts: &impl Facts) -> Judged {
        evaluate::judge(&self.relation(), self.metric().dimension(), facts)
    }

    fn relation(&self) -> Relation {
        Relation::Chain {
            first: Expr::Metric(self.subject.clone()),
            rest: vec![(self.comparison, Expr::Literal(self.limit))],
        }
    }
}

/// What `--fail-slower` takes: `/report=1s`, or `1s` for every endpoint. A unit is required, for a
/// bare number would be milliseconds in a threshold and seconds in a duration.
///
/// ```
/// use lab_driver::engine::{claim::fail_slower, time::Ns};
/// assert_eq!(fail_slower("/report=1s"), Ok((Some("/report".to_owned()), Ns::from_secs(1))));
/// ```
pub fn fail_slower(text: &str) -> Result<(Option<String>, Ns), SyntaxError> {
    let (endpoint, value) = assigned(text, "/report=1s")?;
    let fault = |message: String| {
        let remedy = "write a time with its unit, such as /report=1s or /report=500ms";
        SyntaxError::new(text, Fault::new(value.at, message, remedy))
    };
    if value.text.ends_with(|c: char| c.is_ascii_digit()) {
        return Err(fault(format!("\"{}\" has no unit", value.text)));
    }
    match value.text.parse() {
        Ok(Ns::ZERO) => Err(fault("every request is slower than nothing".to_owned())),
        Ok(limit) => Ok((endpoint, limit)),
        Err(error) => Err(fault(error.to_string())),
    }
}

struct Assigned<'a> {
    at: usize,
    text: &'a str,
}

/// Splits at the last `=`, for an endpoint may hold others.
fn assigned<'a>(
    text: &'a str,
    example: &str,
) -> Result<(Option<String>, Assigned<'a>), SyntaxError> {
    let (name, value) = match text.rsplit_once('=') {
        Some((name, value)) => (Some(name.trim()), value),
        None => (None, text),
    };
    let at = text.len() - value.trim_start().len();
    let fault =
        |message| SyntaxError::new(text, Fault::new(at, message, format!("write {example}")));
    if name == Some("") {
        return Err(fault("there is no endpoint before the equals sign"));
    }
    if value.trim().is_empty() {
        return Err(fault("a time is missing"));
    }
    Ok((name.map(str::to_owned), Assigned { at, text: value.trim() }))
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Statement {
            relation: self.relation(),
            dimension: self.metric().dimension(),
            over: self.over,
            after: self.after,
        }
        .fmt(f)
    }
}

impl FromStr for Threshold {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for Threshold {
    type Error = SyntaxError;

    fn try_from(text: String) -> Result<Self, SyntaxError> {
        Self::parse(&text)
    }
}

impl From<Threshold> for String {
    fn from(threshold: Threshold) -> Self {
        threshold.source
    }
}
