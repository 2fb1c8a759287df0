//! The names of what is measured, ours and k6's.

use std::fmt;

use super::dimension::Dimension;
use super::error::Fault;

/// What is measured of a run or of one endpoint.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Metric {
    /// Response time, from the intended start: `p(95)`, `avg`, …
    Response(Stat),
    /// Round-trip time, from the moment of sending: `rtt:p(95)`, …
    RoundTrip(Stat),
    /// Dispatch lag, the generator's own: `lag:p(99)`, …; `lag` alone is its p(99).
    Lag(Stat),
    /// The share of requests that failed.
    Failed,
    /// The share of checks that held.
    Checks,
    /// Successful completions per second.
    Throughput,
    /// Completions of any outcome per second, the table's `req/s`.
    Rate,
    /// Completions of any outcome, the table's `reqs`.
    Count,
    /// Iterations that were dropped.
    Dropped,
}

/// One number for many times.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stat {
    /// `avg`.
    Average,
    /// `min`.
    Minimum,
    /// `max`.
    Maximum,
    /// `p(N)`; `med` is p(50).
    Percentile(Percentile),
}

/// The N of `p(N)`: above 0, at most 100, with up to four decimals, so that it can be a key.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Percentile {
    millionths: u32,
}

impl Percentile {
    /// The median.
    pub const P50: Self = Self { millionths: 500_000 };
    /// What a latency budget speaks of.
    pub const P95: Self = Self { millionths: 950_000 };
    /// What dispatch lag is judged by.
    pub const P99: Self = Self { millionths: 990_000 };

    /// The percentile at so many millionths of the samples; nothing unless 1 to 1,000,000.
    pub fn from_millionths(millionths: u32) -> Option<Self> {
        (1..=1_000_000).contains(&millionths).then_some(Self { millionths })
    }

    /// The share of the samples at or below it, in millionths: exact.
    pub fn millionths(self) -> u32 {
        self.millionths
    }

    /// The share of the samples at or below it: above 0, at most 1.
    pub fn fraction(self) -> f64 {
        f64::from(self.millionths) / 1e6
    }

    fn read(digits: &str) -> Option<Self> {
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
        let number = |text: &str, longest| {
            let proper = (1..=longest).contains(&text.len());
            (proper && text.bytes().all(|b| b.is_ascii_digit()))
                .then(|| text.parse::<u32>().ok())?
        };
        Self::from_millionths(number(whole, 3)? * 10_000 + number(&format!("{decimals:0<4}"), 4)?)
    }
}

impl std::str::FromStr for Stat {
    type Err = UnknownStat;

    /// `avg`, `min`, `med`, `max` or `p(N)`.
    fn from_str(name: &str) -> Result<Self, UnknownStat> {
        Self::read(name).ok_or(UnknownStat)
    }
}

/// The text is not the name of a statistic.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct UnknownStat;

impl Stat {
    fn read(name: &str) -> Option<Self> {
        Some(match name {
            "avg" => Self::Average,
            "min" => Self::Minimum,
            "max" => Self::Maximum,
            "med" => Self::Percentile(Percentile::P50),
            _ => {
                let digits = name.strip_prefix("p(")?.strip_suffix(')')?;
                Self::Percentile(Percentile::read(digits.trim())?)
            }
        })
    }
}

impl Metric {
    /// What it is measured in.
    pub fn dimension(self) -> Dimension {
        match self {
            Self::Response(_) | Self::RoundTrip(_) | Self::Lag(_) => Dimension::Time,
            Self::Failed | Self::Checks => Dimension::Share,
            Self::Throughput | Self::Rate => Dimension::Rate,
            Self::Count | Self::Dropped => Dimension::Count,
        }
    }

    /// The words that, before a metric's last colon, belong to the metric and not to the endpoint.
    pub(super) fn is_prefix(word: &str) -> bool {
        matches!(
            word,
            "rtt" | "lag" | "checks" | "http_req_duration" | "http_req_failed" | "http_reqs"
        ) || word == "dropped_iterations"
    }

    /// Reads `name` after `prefix:`, if there is one.
    pub(super) fn read(prefix: Option<&str>, name: &str) -> Result<Self, Fault> {
        let metric = match (prefix, name) {
            (None, "lag") => Some(Self::Lag(Stat::Percentile(Percentile::P99))),
            (None, "failed" | "http_req_failed") | (Some("http_req_failed"), "rate") => {
                Some(Self::Failed)
            }
            (None, "checks") | (Some("checks"), "rate") => Some(Self::Checks),
            (None, "throughput") => Some(Self::Throughput),
            (None | Some("http_reqs"), "rate") => Some(Self::Rate),
            (None | Some("http_reqs"), "count") => Some(Self::Count),
            (None, "dropped" | "dropped_iterations") | (Some("dropped_iterations"), "count") => {
                Some(Self::Dropped)
            }
            (None | Some("http_req_duration"), name) => Stat::read(name).map(Self::Response),
            (Some("rtt"), name) => Stat::read(name).map(Self::RoundTrip),
            (Some("lag"), name) => Stat::read(name).map(Self::Lag),
            _ => None,
        };
        metric.ok_or_else(|| unknown(prefix, name))
    }
}

fn unknown(prefix: Option<&str>, name: &str) -> Fault {
    let whole = prefix.map_or_else(|| name.to_owned(), |prefix| format!("{prefix}:{name}"));
    let message = format!("\"{whole}\" is not a metric");
    let remedy = match (prefix, name) {
        (_, "") => "name one, such as p(95)".to_owned(),
        (_, name) if name.contains('=') => {
            "a comparison is one of < <= > >= == !=; a name with = in it goes before the colon"
                .into()
        }
        (Some("http_reqs"), _) | (None, "http_reqs") => {
            "write http_reqs:count or http_reqs:rate".to_owned()
        }
        (Some("dropped_iterations"), _) => "write dropped".to_owned(),
        (Some(word @ ("checks" | "http_req_failed")), _) => {
            format!("write {word}:rate, or \"{word}\":{name} if an endpoint is called {word}")
        }
        (_, "median" | "mean") => "write med for the median and avg for the mean".to_owned(),
        (_, "rtt" | "http_req_duration") => format!("say which of them, such as {name}:p(95)"),
        (_, name) if name.starts_with("p(") => {
            "N of p(N) is above 0 and at most 100, with up to four decimals, such as p(99.9)".into()
        }
        _ => match (name.strip_prefix('p').filter(|n| Percentile::read(n).is_some()), prefix) {
            (Some(digits), _) => format!("write p({digits})"),
            (None, Some(word)) => format!("after {word}: comes one of p(N) med avg min max"),
            (None, None) => "the metrics are p(N) med avg min max, the same after rtt: and lag:, \
                             and failed checks throughput rate count dropped"
                .to_owned(),
        },
    };
    Fault::new(0, message, remedy)
}

impl fmt::Display for Percentile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = format!("{:04}", self.millionths % 10_000);
        match decimals.trim_end_matches('0') {
            "" => write!(f, "p({})", self.millionths / 10_000),
            digits => write!(f, "p({}.{digits})", self.millionths / 10_000),
        }
    }
}

impl fmt::Display for Stat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Average => f.write_str("avg"),
            Self::Minimum => f.write_str("min"),
            Self::Maximum => f.write_str("max"),
            Self::Percentile(percentile) => percentile.fmt(f),
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Response(stat) => stat.fmt(f),
            Self::RoundTrip(stat) => write!(f, "rtt:{stat}"),
            Self::Lag(stat) => write!(f, "lag:{stat}"),
            Self::Failed => f.write_str("failed"),
            Self::Checks => f.write_str("checks"),
            Self::Throughput => f.write_str("throughput"),
            Self::Rate => f.write_str("rate"),
            Self::Count => f.write_str("count"),
            Self::Dropped => f.write_str("dropped"),
        }
    }
}
