//! What to serve and where: the flags that all targets share, and the checked settings.

use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::BoolishValueParser;
use clap::{Args, Parser};

use crate::freeze::Cycle;
use crate::mistakes::{self, Mistakes};
use crate::targets::{self, Knobs};

/// How far the admin port lies above the port of the target.
pub const ADMIN_OFFSET: u16 = 10_000;

/// Everything a server needs to know to start.
#[derive(Debug, Clone)]
pub struct Config {
    /// Which target, with its own settings.
    pub target: Knobs,
    /// Where to listen.
    pub serve: Serve,
}

impl Config {
    /// One worker on loopback, both ports chosen by the system: for tests.
    pub fn on_free_ports(target: Knobs) -> Self {
        Self { target, serve: Serve::default() }
    }
}

/// The settings that all targets share.
#[derive(Debug, Clone, PartialEq)]
pub struct Serve {
    /// The address of both listeners.
    pub bind: IpAddr,
    /// The port of the target; 0 lets the system choose.
    pub port: u16,
    /// The port of the admin listener; 0 lets the system choose.
    pub admin_port: u16,
    /// How many event loops serve the target.
    pub threads: NonZeroUsize,
    /// Close each connection after one response, as HTTP/1.0 servers do.
    pub close_per_request: bool,
    /// Seed of whatever the target draws.
    pub seed: u64,
    /// When the target stands still, if ever.
    pub freeze: Option<Cycle>,
    /// Where each request leaves a row, if anywhere; the file is created or emptied at the start.
    pub truth: Option<PathBuf>,
    /// How long a stop waits for requests in flight before it cuts them off.
    pub drain: Duration,
}

impl Default for Serve {
    fn default() -> Self {
        Self {
            bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            admin_port: 0,
            threads: NonZeroUsize::MIN,
            close_per_request: false,
            seed: 1,
            freeze: None,
            truth: None,
            drain: Duration::from_secs(5),
        }
    }
}

/// The admin port that goes with a port when none is asked for; 0 lets the system choose.
pub fn admin_port_for(port: u16) -> u16 {
    if port == 0 { 0 } else { port.checked_add(ADMIN_OFFSET).unwrap_or(0) }
}

/// The command line, as typed and not yet checked.
///
/// Values are taken as text, because clap stops at the first that it cannot read.
#[derive(Debug, Parser)]
#[command(
    name = "lab-server",
    version,
    about = "Teaching targets for load testing whose limits are exact and known",
    long_about = None,
    after_help = "Example: lab-server api --port 8000",
    // A number below zero is a wrong setting to be explained, not an unknown flag.
    mut_subcommands(|target| target.mut_args(|flag| {
        let takes_value = flag.get_action().takes_values();
        flag.allow_negative_numbers(takes_value)
    }))
)]
pub struct CommandLine {
    #[command(subcommand)]
    target: targets::Flags,
}

impl CommandLine {
    /// The settings, or everything that is wrong with them.
    pub fn check(&self) -> Result<Config, Mistakes> {
        let mut mistakes = Mistakes::default();
        let serve = self.target.serve().check(&mut mistakes);
        let target = self.target.knobs(&mut mistakes);
        let config = serve.zip(target).map(|(serve, target)| Config { target, serve });
        mistakes.unless_any(config)
    }
}

/// The flags that all targets share.
#[derive(Debug, Args)]
pub(crate) struct ServeFlags {
    /// Port of the target; 0 lets the system choose
    #[arg(long, value_name = "PORT", env = "LAB_SERVER_PORT")]
    port: String,
    /// Port of counters and metrics [default: port + 10000, or chosen by the system]
    #[arg(long, value_name = "PORT", env = "LAB_SERVER_ADMIN_PORT")]
    admin_port: Option<String>,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", env = "LAB_SERVER_BIND", default_value = "127.0.0.1")]
    bind: String,
    /// Event loops that serve the target
    #[arg(long, value_name = "N", env = "LAB_SERVER_THREADS", default_value = "1")]
    threads: String,
    /// Close each connection after one response, as HTTP/1.0 servers do
    #[arg(long, env = "LAB_SERVER_CLOSE_PER_REQUEST", value_parser = BoolishValueParser::new())]
    close_per_request: bool,
    /// Seed of whatever the target draws
    #[arg(long, value_name = "N", env = "LAB_SERVER_SEED", default_value = "1")]
    seed: String,
    /// Hold every request for the last F of each P, as 2s/10s; work under way goes on
    #[arg(long, value_name = "F/P", env = "LAB_SERVER_FREEZE")]
    freeze: Option<String>,
    /// Write a CSV row per request: arrival, start of work, departure, in ns of the monotonic clock
    #[arg(long, value_name = "FILE", env = "LAB_SERVER_TRUTH")]
    truth: Option<PathBuf>,
}

impl ServeFlags {
    fn check(&self, mistakes: &mut Mistakes) -> Option<Serve> {
        let port = mistakes.check("--port", &self.port, parse_port);
        let admin_port = match &self.admin_port {
            Some(text) => mistakes.check("--admin-port", text, |text| match parse_port(text)? {
                taken if taken != 0 && Some(taken) == port => {
                    Err("is the target's own port; choose another, or leave it out".into())
                }
                admin_port => Ok(admin_port),
            }),
            None => port.map(admin_port_for),
        };
        let bind = mistakes.check("--bind", &self.bind, |text| {
            text.parse()
                .map_err(|_| "not an IP address; write 127.0.0.1, or 0.0.0.0 for all".into())
        });
        let threads = mistakes.check("--threads", &self.threads, mistakes::at_least_one);
        let seed = mistakes.check("--seed", &self.seed, |text| {
            text.parse().map_err(|_| "must be a whole number of 0 or more".into())
        });
        let freeze = match &self.freeze {
            Some(text) => mistakes.check("--freeze", text, Cycle::parse).map(Some),
            None => Some(None),
        };
        Some(Serve {
            bind: bind?,
            port: port?,
            admin_port: admin_port?,
            threads: threads?,
            close_per_request: self.close_per_request,
            seed: seed?,
            freeze: freeze?,
            truth: self.truth.clone(),
            ..Serve::default()
        })
    }
}

fn parse_port(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_| "not a port; write a number from 0 to 65535".into())
}

#[cfg(test)]
mod tests;
