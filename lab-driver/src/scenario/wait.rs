//! What a user does between two iterations, as text: `500ms`, `1s..3s`, `exp 2s`, `pacing 2s`,
//! `throughput 10/s`, `schedule 50ms`.

use super::mistake::Mistakes;
use super::said::{LONGEST_ANSWER, Said, short};
use crate::engine::plan::Think;
use crate::engine::quantity::Range;
use crate::engine::time::Ns;

const FORMS: &str = "write 500ms, 1s..3s, exp 2s, pacing 2s, throughput 10/s or schedule 50ms";

/// Reads a wait, or notes what is wrong.
pub(super) fn read(said: &Said, mistakes: &mut Mistakes) -> Option<Said<Think>> {
    let text = said.value.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = said.with(rest.trim().to_owned());
    let mut period =
        |name| rest.duration(name, false, LONGEST_ANSWER, mistakes).map(|length| length.value);
    let think = match word {
        "exp" => Think::Exponential { mean: period("mean wait")? },
        "pacing" => Think::Pacing { period: period("pacing")? },
        "schedule" => Think::Schedule { period: period("schedule")? },
        "throughput" => {
            let rate = rest.rate("throughput", mistakes)?;
            let period = Ns::from_secs_f64(1.0 / rate.value);
            if period > LONGEST_ANSWER {
                let what = format!("throughput {} is less than one start an hour", rest.value);
                mistakes.add(&said.place, what, "write 1/h or more");
                return None;
            }
            Think::Pacing { period }
        }
        _ if text.contains("..") => between(said, mistakes)?,
        _ if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
            let pause = said.duration("wait", true, LONGEST_ANSWER, mistakes)?;
            Think::Constant { pause: pause.value }
        }
        _ => {
            mistakes.add(&said.place, format!("\"{}\" is no wait", short(text)), FORMS);
            return None;
        }
    };
    Some(said.with(think))
}

fn between(said: &Said, mistakes: &mut Mistakes) -> Option<Think> {
    match said.value.parse::<Range>() {
        Ok(range) if range.high() > LONGEST_ANSWER => {
            let what = format!("wait {range} is too long");
            mistakes.add(&said.place, what, format!("write at most {LONGEST_ANSWER}"));
            None
        }
        Ok(range) => Some(Think::Between { from: range.low(), to: range.high() }),
        Err(error) => {
            mistakes.add_error(&said.place, &error);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::mistake::Place;
    use super::*;

    fn read_text(text: &str) -> Result<Think, String> {
        let mut mistakes = Mistakes::default();
        let think = read(&Said::new(text.to_owned(), Place::named("--wait")), &mut mistakes);
        match mistakes.or(think) {
            Ok(think) => Ok(think.expect("no mistake, so a wait").value),
            Err(mistakes) => Err(mistakes.to_string()),
        }
    }

    #[test]
    fn every_form_is_read() {
        let ms = Ns::from_millis;
        let cases = [
            ("0s", Think::Constant { pause: Ns::ZERO }),
            ("500ms", Think::Constant { pause: ms(500) }),
            ("0.5", Think::Constant { pause: ms(500) }),
            ("1s..3s", Think::Between { from: ms(1000), to: ms(3000) }),
            ("exp 2s", Think::Exponential { mean: ms(2000) }),
            (" pacing  2s ", Think::Pacing { period: ms(2000) }),
            ("throughput 10/s", Think::Pacing { period: ms(100) }),
            ("schedule 50ms", Think::Schedule { period: ms(50) }),
        ];
        for (text, think) in cases {
            assert_eq!(read_text(text), Ok(think), "{text}");
        }
    }

    #[test]
    fn mistakes_say_what_to_write() {
        let cases = [
            ("a while", "\"a while\" is no wait\n    remedy: write 500ms, 1s..3s, exp 2s"),
            ("", "\"\" is no wait"),
            ("3s..1s", "runs backwards"),
            ("exp", "a duration is missing"),
            ("pacing 0s", "pacing 0 leaves no time"),
            ("throughput 0", "throughput 0 starts nothing"),
            ("throughput 2s", "is a duration, not a rate"),
            ("2h", "wait 2h is too long\n    remedy: write at most 1h"),
            ("-1s", "is negative"),
        ];
        for (text, part) in cases {
            let error = read_text(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
