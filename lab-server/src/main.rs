//! The lab-server command: serves one target until it is told to stop.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use lab_server::{CommandLine, Config, Listeners, run};
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
        let mut signals = Signals::new()?;
        let (tell, told) = oneshot::channel();
        let listeners = Listeners::bind(config)?;
        let port = listeners.addr().port();
        let until_told = async {
            // Polled when all workers run. With stdout closed nobody waits for the line.
            let _ = announce(config, port);
            // An error would mean that nobody listens for signals any more.
            let _ = told.await;
        };
        // One listener hears both, and the stop begins once it has heard the first: two signals that
        // nobody has heard yet count as one.
        let twice = async {
            signals.next().await;
            // The receiver is gone if the server could not start, which is told below.
            let _ = tell.send(());
            signals.next().await;
        };
        tokio::select! {
            ended = run(listeners, config, until_told) => Ok(ended.map(|()| ExitCode::SUCCESS)?),
            () = twice => Ok(INTERRUPTED.into()),
        }
    })
}

fn announce(config: &Config, port: u16) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{} listening on :{port}", config.target.name())?;
    out.flush()
}

/// SIGINT and SIGTERM.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
        Ok(Self { interrupt: signal(interrupt)?, terminate: signal(terminate)? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
