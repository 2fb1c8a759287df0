//! A lab-server for a lab: found, started on free ports, waited for, and stopped on every path.

use std::collections::BTreeMap;
use std::env;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::Refusal;

/// Names the program where it is neither beside this one nor on the path.
const VARIABLE: &str = "LAB_SERVER_BIN";
/// What a server that found its port taken exits with.
const PORT_TAKEN: i32 = 4;
/// How often other ports are tried: between choosing and taking them anybody may come first.
const TRIES: u32 = 5;
/// A server is ready within milliseconds; a busy machine gets an allowance.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a server may take to let requests in flight end.
const GOODBYE: Duration = Duration::from_secs(8);
/// How often is looked whether it has gone.
const GLANCE: Duration = Duration::from_millis(5);

/// A server under way. Dropping it stops it.
#[derive(Debug)]
pub(in super::super) struct Server {
    child: Child,
    data: SocketAddr,
    admin: SocketAddr,
}

impl Server {
    /// Starts `target` with these knobs and waits until it serves.
    pub(in super::super) fn start(
        target: &str,
        knobs: &BTreeMap<String, String>,
    ) -> Result<Self, Refusal> {
        let program = find()?;
        let mut why = String::new();
        for _ in 0..TRIES {
            match Self::attempt(&program, target, knobs) {
                Ok(server) => return Ok(server),
                Err(Failed { reason, port_taken: true }) => why = reason,
                Err(Failed { reason, .. }) => return Err(refused(&program, &reason)),
            }
        }
        Err(refused(&program, &why))
    }

    /// Where requests go.
    pub(in super::super) fn data(&self) -> SocketAddr {
        self.data
    }

    /// Where it tells about itself.
    pub(in super::super) fn admin(&self) -> SocketAddr {
        self.admin
    }

    fn attempt(
        program: &Path,
        target: &str,
        knobs: &BTreeMap<String, String>,
    ) -> Result<Self, Failed> {
        let (data, admin) = free_ports().map_err(Failed::new)?;
        let mut command = Command::new(program);
        command.arg(target).args(["--port", &data.port().to_string()]);
        command.args(["--admin-port", &admin.port().to_string()]);
        for (knob, value) in knobs {
            command.arg(format!("--{}", knob.replace('_', "-"))).arg(value);
        }
        // Only the lab says what the target is like.
        for (name, _) in env::vars_os() {
            if name.to_string_lossy().starts_with("LAB_SERVER_") {
                command.env_remove(name);
            }
        }
        on_its_own(&mut command);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().map_err(Failed::new)?;
        let mut server = Self { child, data, admin };
        server.wait_until_ready(target)?;
        Ok(server)
    }

    fn wait_until_ready(&mut self, target: &str) -> Result<(), Failed> {
        let Some(stdout) = self.child.stdout.take() else { return Err(Failed::new("no output")) };
        let (tell, hear) = mpsc::channel();
        thread::spawn(move || {
            let (mut output, mut line) = (BufReader::new(stdout), String::new());
            let _ = output.read_line(&mut line);
            // Nobody listens any more if the wait was too long.
            let _ = tell.send((line, output));
        });
        let Ok((line, output)) = hear.recv_timeout(PATIENCE) else {
            return Err(Failed::new(format!("it was not ready within {} s", PATIENCE.as_secs())));
        };
        self.child.stdout = Some(output.into_inner());
        if line.trim_end() == format!("{target} listening on :{}", self.data.port()) {
            return Ok(());
        }
        if !line.is_empty() {
            return Err(Failed::new(format!(
                "it said {:?} instead of being ready",
                line.trim_end()
            )));
        }
        // Its output has ended, so it is about to exit and says why.
        self.stop();
        let code = self.child.wait().ok().and_then(|status| status.code());
        let mut said = String::new();
        if let Some(stderr) = self.child.stderr.take() {
            let _ = stderr.take(4_096).read_to_string(&mut said);
        }
        let reason = match (said.trim(), code) {
            ("", Some(code)) => format!("it exited with {code}"),
            ("", None) => "it was killed".to_owned(),
            (said, _) => said.to_owned(),
        };
        Err(Failed { reason, port_taken: code == Some(PORT_TAKEN) })
    }

    /// Asks it to stop, waits for it, and ends it if it does not.
    fn stop(&mut self) {
        let deadline = Instant::now() + GOODBYE;
        let mut asked = false;
        while let Ok(None) = self.child.try_wait() {
            if !asked {
                asked = terminate(&self.child);
            }
            if !asked || Instant::now() >= deadline {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            thread::sleep(GLANCE);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Why a server is not there.
struct Failed {
    reason: String,
    port_taken: bool,
}

impl Failed {
    fn new(reason: impl std::fmt::Display) -> Self {
        Self { reason: reason.to_string(), port_taken: false }
    }
}

fn refused(program: &Path, reason: &str) -> Refusal {
    let program = program.display();
    Refusal::Environment(format!(
        "the lab's server did not start: {reason}\n    \
         it is {program}; try it by hand, or add --virtual, which needs no server"
    ))
}

/// Beside this program, else on the path, else where the variable says.
fn find() -> Result<PathBuf, Refusal> {
    let name = format!("lab-server{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe().ok().and_then(|own| Some(own.parent()?.join(&name)));
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).map(|folder| folder.join(&name));
    let named = env::var_os(VARIABLE).map(PathBuf::from);
    let mut places = beside.into_iter().chain(on_path).chain(named);
    places.find(|file| file.is_file()).ok_or_else(|| {
        Refusal::Environment(format!(
            "the lab's server cannot be found: there is no {name} beside this program or on the path\n    \
             build it (cargo build --release), or name it in {VARIABLE}, or add --virtual, which needs no server"
        ))
    })
}

/// Two different ports of loopback that nobody has at this moment.
fn free_ports() -> std::io::Result<(SocketAddr, SocketAddr)> {
    let (data, admin) = (any_port()?, any_port()?);
    Ok((data.local_addr()?, admin.local_addr()?))
}

fn any_port() -> std::io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
}

/// Keeps Ctrl-C on the terminal from the server: the driver stops it, after the drain.
#[cfg(unix)]
fn on_its_own(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

#[cfg(not(unix))]
fn on_its_own(_: &mut Command) {}

/// Asks the process to end; whether it could be asked.
#[cfg(unix)]
fn terminate(child: &Child) -> bool {
    use rustix::process::{Pid, Signal, kill_process};
    kill_process(Pid::from_child(child), Signal::TERM).is_ok()
}

#[cfg(not(unix))]
fn terminate(_: &Child) -> bool {
    false
}
