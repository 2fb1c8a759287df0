//! A generator that cannot keep up is found out: its run is invalid, and the same run left in peace is not.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::print_stdout)]

use std::process::{Child, Command, Stdio};

use lab_server::config::Config;
use lab_server::targets::{Knobs, api};

/// Processes that keep one core busy until they are dropped.
struct Burners(Vec<Child>);

impl Burners {
    fn on_core(core: &str, how_many: usize) -> Self {
        let burner = || {
            let loops = ["-c", core, "sh", "-c", "while :; do :; done"];
            Command::new("taskset").args(loops).stdout(Stdio::null()).spawn().unwrap()
        };
        Self((0..how_many).map(|_| burner()).collect())
    }
}

impl Drop for Burners {
    fn drop(&mut self) {
        for burner in &mut self.0 {
            burner.kill().unwrap();
            burner.wait().unwrap();
        }
    }
}

/// 400 arrivals a second for two seconds from a driver that may use one core only: its exit code and output.
fn drive(port: u16, core: &str, niceness: &str) -> (i32, String) {
    let url = format!("http://127.0.0.1:{port}/items");
    let ended = Command::new("taskset")
        .args(["-c", core, "nice", "-n", niceness, env!("CARGO_BIN_EXE_lab-driver"), "run"])
        .args([url.as_str(), "--rate", "400", "-t", "2s", "--threshold", "p(95)<2s"])
        .output()
        .unwrap();
    (ended.status.code().unwrap(), String::from_utf8_lossy(&ended.stdout).into_owned())
}

#[test]
fn a_starved_driver_is_invalid_and_its_healthy_twin_is_not() {
    let config = Config::on_free_ports(Knobs::Api(api::Knobs::default()));
    let server = lab_server::spawn(&config).unwrap();
    let port = server.addr().port();
    let (code, text) = {
        let _burners = Burners::on_core("0", 6);
        drive(port, "0", "19")
    };
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("NOT JUDGED: p95"), "{text}");
    assert!(text.contains("verdict: invalid"), "{text}");
    // A busy machine starves the twin too; what was starved says so, and says nothing about the rule.
    let twins = (0..3).map(|_| drive(port, "0", "0"));
    let Some((code, text)) = twins.into_iter().find(|(code, _)| *code != 3) else {
        println!("inconclusive: three runs on a busy machine were invalid");
        return;
    };
    assert_eq!(code, 0, "{text}");
}
