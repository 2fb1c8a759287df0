//! The progress line on standard error: shown on a terminal, silent everywhere else.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::figures;

/// What the line shows of a running run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Since the start, seconds.
    pub elapsed_s: f64,
    /// What the run will take, seconds, the drain not included.
    pub length_s: f64,
    /// Completions per second in the last second.
    pub per_second: f64,
    /// 95th percentile of the response times in the last second, µs.
    pub p95_us: Option<u64>,
    /// In flight now.
    pub in_flight: u32,
    /// Failed so far.
    pub failed: u64,
}

/// The text of the line: `12 s of 30 s  78.3/s  p95 410 ms  in flight 20  failed 0`.
pub fn line(moment: &Moment) -> String {
    let p95 = moment.p95_us.map_or_else(
        || figures::NO_DATA.to_owned(),
        |us| format!("{} ms", figures::ms(us as f64 / 1e3)),
    );
    format!(
        "{:.0} s of {:.0} s  {}/s  p95 {p95}  in flight {}  failed {}",
        moment.elapsed_s,
        moment.length_s,
        figures::rate(moment.per_second),
        moment.in_flight,
        moment.failed,
    )
}

/// A line that is rewritten in place. It has no colour, so `NO_COLOR` changes nothing.
#[derive(Clone, Debug)]
pub struct Progress {
    bar: ProgressBar,
}

/// Steps of the bar: what one of them shows is finer than a terminal's cell.
const STEPS: u64 = 1_000;

impl Progress {
    /// On standard error if that is a terminal, and silent otherwise or when `quiet`.
    pub fn new(quiet: bool) -> Self {
        let target = if quiet || !std::io::stderr().is_terminal() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let style = ProgressStyle::with_template("{bar:20} {msg}").expect("a constant template");
        Self { bar: ProgressBar::with_draw_target(Some(STEPS), target).with_style(style) }
    }

    /// Whether anyone sees it.
    pub fn is_shown(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Shows this moment.
    pub fn show(&self, moment: &Moment) {
        let share = if moment.length_s > 0.0 { moment.elapsed_s / moment.length_s } else { 1.0 };
        self.bar.set_position(step(share));
        self.bar.set_message(line(moment));
    }

    /// Lets `print` write other lines to standard error without tearing this one.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped first")]
fn step(share: f64) -> u64 {
    (share.clamp(0.0, 1.0) * STEPS as f64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Moment = Moment {
        elapsed_s: 12.0,
        length_s: 30.0,
        per_second: 78.3,
        p95_us: Some(410_200),
        in_flight: 20,
        failed: 0,
    };

    #[test]
    fn the_line() {
        assert_eq!(line(&MOMENT), "12 s of 30 s  78.3/s  p95 410 ms  in flight 20  failed 0");
        assert!(line(&Moment { p95_us: None, ..MOMENT }).contains("p95 -  in flight"));
    }

    #[test]
    fn quiet_shows_nothing_and_takes_any_moment() {
        let progress = Progress::new(true);
        progress.show(&MOMENT);
        progress.show(&Moment { elapsed_s: f64::NAN, length_s: 0.0, ..MOMENT });
        assert!(!progress.is_shown());
        progress.clear();
    }
}
