//! The lab-server command: serves one target until it is told to stop.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use lab_server::{CommandLine, Config, Running, spawn};
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

/// The settings are wrong; nothing was started.
const USAGE: u8 = 2;
/// The surroundings do not allow it: a port is taken, a limit reached.
const ENVIRONMENT: u8 = 4;
/// A second signal cut off what was in flight.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let line = match CommandLine::try_parse() {
        Ok(line) => line,
        Err(error) => {
            let help_or_version = !error.use_stderr();
            let printed = error.print().is_ok();
            return if help_or_version && printed { ExitCode::SUCCESS } else { USAGE.into() };
        }
    };
    match line.check() {
        Ok(config) => serve(&config).unwrap_or_else(|error| fail(&error, ENVIRONMENT)),
        Err(mistakes) => fail(&mistakes, USAGE),
    }
}

fn fail(error: &dyn std::fmt::Display, code: u8) -> ExitCode {
    // With stderr closed there is nobody left to tell; the code still says it.
    let _ = writeln!(io::stderr(), "lab-server: {error}");
    code.into()
}

/// Serves until a signal; a second one does not wait for requests in flight.
fn serve(config: &Config) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        // Before the ready line, so that whoever reads it can stop the server.
        let mut signals = [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?];
        let server = spawn(config)?;
        announce(config, &server)?;
        any(&mut signals).await;
        let (stopped, end) = oneshot::channel();
        // A thread of its own: stopping blocks, and the second signal must be heard meanwhile.
        std::thread::spawn(move || {
            server.stop();
            // The receiver is gone only if a second signal has ended the wait.
            let _ = stopped.send(());
        });
        tokio::select! {
            _ = end => Ok(ExitCode::SUCCESS),
            () = any(&mut signals) => Ok(INTERRUPTED.into()),
        }
    })
}

fn announce(config: &Config, server: &Running) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{} listening on :{}", config.target.name(), server.addr().port())?;
    out.flush()
}

async fn any([interrupt, terminate]: &mut [Signal; 2]) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}
