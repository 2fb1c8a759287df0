//! The lines of a breakpoint: what broke, where starts stopped, the knee apart from it, what was full, what theory says.

use std::io;

use super::figures::{self, plain};
use crate::engine::breakpoint::{Breakpoint, Height};
use crate::engine::record::RunRecord;

/// Writes them below the table of `record`.
pub fn write(record: &RunRecord, found: &Breakpoint, out: &mut dyn io::Write) -> io::Result<()> {
    let mut line = |name: &str, text: &str| writeln!(out, "{name:<10}{}", plain(text));
    if let (Some(abort), Some(Height { at_s, rate })) = (&record.aborted, found.stopped) {
        line("broke", &format!("{} at {:.1} s: {}", abort.source, abort.at_s, abort.observed))?;
        line("stopped", &format!("at {}, {at_s:.1} s after the start", per_second(rate)))?;
    } else {
        let highest = per_second(record.plan.load.peak());
        line("broke", &format!("nothing, up to {highest}: the breakpoint lies above"))?;
    }
    match found.knee {
        Some(Height { at_s, rate }) => {
            let rule =
                "until then 99 % of what was due in a second was served in it, from then on never";
            line("knee", &format!("at {}, {at_s:.1} s after the start: {rule}", per_second(rate)))?;
        }
        None => line("knee", "none before the end: the last second still served its arrivals")?,
    }
    if let Some(ceiling) = found.ceiling {
        line("ceiling", &format!("{} served from the knee to the stop", per_second(ceiling)))?;
    }
    match (&found.full, &record.target) {
        (Some(full), _) => line(
            "full",
            &format!(
                "{}: {:.0} % of {} held and {:.1} waiting, on average over the last seconds",
                full.name,
                full.utilization * 100.0,
                full.capacity,
                full.mean_waiting
            ),
        )?,
        (None, Some(_)) => line("full", "no resource that the target counts")?,
        (None, None) => line("full", "not known: the target does not tell")?,
    }
    let mut predicted = Vec::new();
    predicted.extend(found.law_ceiling.map(|x| format!("ceiling {} by law", per_second(x))));
    predicted.extend(found.simulated_knee.map(|x| format!("knee {} by simulator", per_second(x))));
    predicted.extend(found.simulated_stop.map(|x| format!("stop {} by simulator", per_second(x))));
    if !predicted.is_empty() {
        line("predicted", &predicted.join(", "))?;
    }
    Ok(())
}

fn per_second(rate: f64) -> String {
    format!("{}/s", figures::rate(rate))
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::engine::abort::Abort;
    use crate::engine::counters::ResourceUse;

    fn found() -> Breakpoint {
        Breakpoint {
            stopped: Some(Height { at_s: 79.6, rate: 414.8 }),
            knee: Some(Height { at_s: 74.0, rate: 389.2 }),
            ceiling: Some(387.4),
            full: Some(ResourceUse {
                name: "slots".to_owned(),
                capacity: 8,
                utilization: 0.991,
                mean_waiting: 21.4,
                served_per_s: 387.0,
                full: true,
            }),
            law_ceiling: Some(400.0),
            simulated_stop: Some(413.2),
            simulated_knee: Some(396.0),
        }
    }

    #[test]
    fn a_climb_that_broke() {
        let mut record = fixture::record();
        record.aborted = Some(Abort {
            source: "p(95)<100 over 5s after 10s".to_owned(),
            endpoint: None,
            metric: "p(95)".to_owned(),
            at_s: 79.4,
            observed: "104 ms".to_owned(),
            limit: "< 100 ms".to_owned(),
            over_s: Some(5.0),
        });
        let text = fixture::text(|out| write(&record, &found(), out));
        insta::assert_snapshot!(text, @r"
        broke     p(95)<100 over 5s after 10s at 79.4 s: 104 ms
        stopped   at 414.8/s, 79.6 s after the start
        knee      at 389.2/s, 74.0 s after the start: until then 99 % of what was due in a second was served in it, from then on never
        ceiling   387.4/s served from the knee to the stop
        full      slots: 99 % of 8 held and 21.4 waiting, on average over the last seconds
        predicted ceiling 400.0/s by law, knee 396.0/s by simulator, stop 413.2/s by simulator
        ");
    }

    #[test]
    fn a_climb_that_did_not() {
        let record = fixture::record();
        let nothing = Breakpoint {
            stopped: None,
            knee: None,
            ceiling: None,
            full: None,
            law_ceiling: None,
            simulated_stop: None,
            simulated_knee: None,
        };
        let text = fixture::text(|out| write(&record, &nothing, out));
        assert!(text.contains("broke     nothing, up to"), "{text}");
        assert!(text.contains("knee      none before the end"), "{text}");
    }
}
