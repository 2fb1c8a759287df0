//! `doctor`: before a workshop, whether this machine as it is now is good enough for the labs.

mod facts;
mod judge;
mod trial;

use std::env;

use judge::Finding;

use super::{Exit, Refusal, outputs};
use crate::live;

/// Where the scripts start the server unless the variable says otherwise.
const PORT: u16 = 8_000;
/// From a server's port to its admin port.
const TO_ADMIN: u16 = 10_000;

pub(super) fn run() -> Result<Exit, Refusal> {
    let port = port(env::var("LAB_PORT").ok().as_deref())?;
    let machine = live::machine::read();
    let (power, governor) = (facts::power(), facts::governor());
    let mut findings = Vec::new();
    // One by one, since the last takes seconds.
    let mut found = |finding: Finding| {
        outputs::to_stdout(|out| finding.write(outputs::stdout_style(), out));
        findings.push(finding);
    };
    found(judge::machine(&machine));
    found(judge::load(&machine));
    found(judge::power(power, governor.as_deref()));
    found(judge::files(live::limits::most_fds()));
    for port in [port, port + TO_ADMIN] {
        found(judge::port(port, facts::why_not_free(port).as_deref()));
    }
    found(judge::folder(facts::why_not_writable().as_deref()));
    found(judge::docker(facts::docker()));
    found(judge::build(cfg!(debug_assertions)));
    for finding in trial::run()? {
        found(finding);
    }
    outputs::to_stdout(|out| writeln!(out, "{}", judge::sentence(&findings)));
    Ok(if judge::is_ready(&findings) { Exit::Pass } else { Exit::Environment })
}

/// The port of the scripts' server, which leaves room for the admin port above it.
fn port(said: Option<&str>) -> Result<u16, Refusal> {
    let Some(said) = said.filter(|said| !said.is_empty()) else { return Ok(PORT) };
    let most = u16::MAX - TO_ADMIN;
    said.parse().ok().filter(|port| (1..=most).contains(port)).ok_or_else(|| {
        Refusal::Usage(format!(
            "LAB_PORT {said:?} is no port for the server: give a number from 1 to {most}, as the admin port is \
             {TO_ADMIN} above it"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::port;

    #[test]
    fn the_port_leaves_room_for_the_admin_port() {
        assert_eq!(port(None).unwrap(), 8_000);
        assert_eq!(port(Some("")).unwrap(), 8_000);
        assert_eq!(port(Some("55535")).unwrap(), 55_535);
        for wrong in ["55536", "0", "eighty"] {
            assert!(port(Some(wrong)).unwrap_err().to_string().contains(wrong));
        }
    }
}
