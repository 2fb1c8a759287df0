//! What can be seen of this machine without a run.

use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use super::judge::Power;

/// Where the current comes from; none where the system does not tell.
pub(super) fn power() -> Option<Power> {
    let supplies = fs::read_dir("/sys/class/power_supply").ok()?;
    let (mut mains, mut discharging, mut battery) = (false, false, false);
    for supply in supplies.flatten() {
        let word = |name: &str| word_in(&supply.path().join(name)).unwrap_or_default();
        // The battery of a mouse is one too.
        if word("scope") == "Device" {
            continue;
        }
        if word("type") == "Battery" {
            battery = true;
            discharging |= word("status") == "Discharging";
        } else {
            mains |= word("online") == "1";
        }
    }
    match (discharging, mains || battery) {
        (true, _) => Some(Power::Battery),
        (false, true) => Some(Power::Mains),
        (false, false) => None,
    }
}

/// How the system chooses the processor's clock.
pub(super) fn governor() -> Option<String> {
    word_in(Path::new("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"))
}

fn word_in(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    Some(text.trim().to_owned()).filter(|word| !word.is_empty())
}

/// Why nothing can listen on this port of loopback; none if something can.
pub(super) fn why_not_free(port: u16) -> Option<String> {
    let error = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).err()?;
    Some(match error.kind() {
        std::io::ErrorKind::AddrInUse => "taken by another program".to_owned(),
        _ => error.to_string(),
    })
}

/// Why no file can be made in the current folder; none if one can. It is removed again.
pub(super) fn why_not_writable() -> Option<String> {
    let name = format!(".lab-driver-doctor-{}", std::process::id());
    let made = File::create_new(&name).map(drop).and_then(|()| fs::remove_file(&name));
    made.err().map(|error| error.to_string())
}

/// Whether Docker answers on its usual socket.
#[cfg(unix)]
pub(super) fn docker() -> bool {
    std::os::unix::net::UnixStream::connect("/var/run/docker.sock").is_ok()
}

#[cfg(not(unix))]
pub(super) fn docker() -> bool {
    false
}
