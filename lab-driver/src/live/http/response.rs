//! What the caller wants to know of a response, and what it gets.

use super::Needle;

/// What the caller wants to know about one response.
#[derive(Debug, Clone, Copy, Default)]
pub struct Interest<'a> {
    /// The request is a HEAD: its response has no body, whatever its headers say.
    pub head: bool,
    /// What to do with the body besides counting its bytes.
    pub body: BodyInterest<'a>,
    /// Read the `Server-Timing` header.
    pub server_timing: bool,
    /// Keep the value of the `Lab-Admin` header.
    pub lab_admin: bool,
}

/// What to do with the body besides counting its bytes.
#[derive(Debug, Clone, Copy, Default)]
pub enum BodyInterest<'a> {
    /// Nothing.
    #[default]
    Count,
    /// Look for this needle while the body passes by.
    Contains(&'a Needle),
    /// Keep the body, at most so many bytes; a longer one is a bad response.
    Keep(usize),
}

/// One complete response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Response {
    /// The final status, 200 to 999.
    pub status: u16,
    /// Length of the body in bytes, without its transfer coding.
    pub body_bytes: u64,
    /// Whether the needle was found; `None` when none was asked for.
    pub contains: Option<bool>,
    /// Whether the connection can carry another request.
    pub reusable: bool,
    /// The target's own times, when asked for and sent.
    pub server_timing: ServerTiming,
    /// The value of the `Lab-Admin` header, when asked for and sent.
    pub lab_admin: Option<Box<str>>,
    /// The body, when it was to be kept.
    pub body: Vec<u8>,
}

/// The durations of a `Server-Timing` header that the lab's targets send.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServerTiming {
    /// Time in the target's queue, in nanoseconds.
    pub queue: Option<u64>,
    /// Time at work, in nanoseconds.
    pub work: Option<u64>,
    /// Time held by a freeze, in nanoseconds.
    pub freeze: Option<u64>,
}

impl ServerTiming {
    /// Takes in one header value such as `queue;dur=1.5, work;dur=20`, in milliseconds. Other
    /// metrics, and durations that are not a number, are left out.
    pub fn read(&mut self, value: &str) {
        for metric in value.split(',') {
            let mut parts = metric.split(';').map(str::trim);
            let slot = match parts.next() {
                Some("queue") => &mut self.queue,
                Some("work") => &mut self.work,
                Some("freeze") => &mut self.freeze,
                _ => continue,
            };
            let duration = parts.find_map(|part| part.strip_prefix("dur="));
            if let Some(ns) = duration.and_then(nanoseconds) {
                *slot = Some(ns);
            }
        }
    }
}

fn nanoseconds(milliseconds: &str) -> Option<u64> {
    let milliseconds: f64 = milliseconds.trim_matches('"').parse().ok()?;
    let ns = (milliseconds * 1e6).round();
    // Beyond a year it is no duration; the bound also makes the conversion exact.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    (0.0..=3.2e16).contains(&ns).then_some(ns as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_timing_is_read_in_nanoseconds() {
        let mut timing = ServerTiming::default();
        timing.read("cache;desc=hit, queue;dur=1.5 , work;desc=\"x\";dur=20.000001");
        timing.read("freeze;dur=7");
        let [queue, work, freeze] = [1_500_000, 20_000_001, 7_000_000].map(Some);
        assert_eq!(timing, ServerTiming { queue, work, freeze });
    }

    #[test]
    fn nonsense_in_server_timing_is_left_out() {
        let mut timing = ServerTiming::default();
        for value in ["", "queue", "queue;dur=", "queue;dur=-1", "work;dur=nan", "work;dur=1e300"] {
            timing.read(value);
            assert_eq!(timing, ServerTiming::default(), "{value}");
        }
    }
}
