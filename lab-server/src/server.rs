//! Runs a server in this process, and stops it.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::sync::{oneshot, watch};

use crate::admin;
use crate::config::Config;
use crate::lab::Lab;
use crate::truth_log::{Log, Writer};
use crate::worker::{self, Site};

/// How many connections may wait to be accepted: a load of many users connects all at once.
const BACKLOG: i32 = 4096;

/// Why a server could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Another program listens on the target's port.
    #[error(
        "port {0} is taken; stop the program that listens there, or choose another with --port"
    )]
    PortTaken(u16),
    /// Another program listens on the admin port.
    #[error(
        "admin port {0} is taken; stop the program that listens there, or choose another with \
         --admin-port"
    )]
    AdminPortTaken(u16),
    /// Neither port can be had for another reason.
    #[error("cannot listen on {addr} ({cause}); choose another --bind address or port")]
    Listen {
        /// The address that was asked for.
        addr: SocketAddr,
        /// What the system said.
        cause: io::Error,
    },
    /// The file of the truth log cannot be created.
    #[error(
        "cannot write the truth log {} ({cause}); choose another file with --truth",
        path.display()
    )]
    TruthLog {
        /// The file that was asked for.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// No thread or event loop could be had.
    #[error("cannot start a worker ({0}); lower --threads, or raise the limits of this user")]
    Worker(#[from] io::Error),
}

/// A server that runs until it is stopped or dropped; either waits until its threads have ended.
pub struct Running {
    addr: SocketAddr,
    admin_addr: SocketAddr,
    /// The workers end first, so that the counters can be read while they drain.
    workers: Group,
    /// Ends when no row can come any more.
    truth_log: Option<Writer>,
    admin: Group,
}

/// The sockets of a server, bound and listening: who connects now is served as soon as it runs.
pub struct Listeners {
    target: TcpListener,
    addr: SocketAddr,
    admin: TcpListener,
    admin_addr: SocketAddr,
}

impl Listeners {
    /// Binds the ports that `config` asks for; 0 lets the system choose.
    pub fn bind(config: &Config) -> Result<Self, StartError> {
        let serve = &config.serve;
        let (target, addr) =
            listen(SocketAddr::new(serve.bind, serve.port), StartError::PortTaken)?;
        let (admin, admin_addr) =
            listen(SocketAddr::new(serve.bind, serve.admin_port), StartError::AdminPortTaken)?;
        Ok(Self { target, addr, admin, admin_addr })
    }

    /// Where the target listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Where the admin listens.
    pub fn admin_addr(&self) -> SocketAddr {
        self.admin_addr
    }
}

/// Serves on `listeners` until `shutdown` completes, then finishes what is in flight (see [`Running::stop`]).
/// `shutdown` is first polled when every worker runs.
///
/// ```
/// # use lab_server::{Config, Listeners, run, targets};
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
/// let config = Config::on_free_ports(targets::Knobs::Api(Default::default()));
/// let listeners = Listeners::bind(&config)?;
/// let addr = listeners.addr();
/// runtime.block_on(run(listeners, &config, async {
///     // Here it answers.
///     assert!(std::net::TcpStream::connect(addr).is_ok());
/// }))?;
/// assert!(std::net::TcpStream::connect(addr).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn run(
    listeners: Listeners,
    config: &Config,
    shutdown: impl Future<Output = ()>,
) -> Result<(), StartError> {
    let server = start(listeners, config)?;
    shutdown.await;
    let (stopped, end) = oneshot::channel();
    // A thread of its own: stopping blocks, and the caller may want to hear of other things meanwhile.
    std::thread::Builder::new().name("stop".to_owned()).spawn(move || {
        server.stop();
        // The receiver is gone only if the caller has given up waiting.
        let _ = stopped.send(());
    })?;
    // An error means that the thread has ended, which is what is waited for.
    let _ = end.await;
    Ok(())
}

/// Binds and serves on threads of its own; returns once every worker runs.
///
/// ```
/// use lab_server::{Config, spawn, targets};
///
/// let server = spawn(&Config::on_free_ports(targets::Knobs::Api(Default::default())))?;
/// assert_ne!(server.addr(), server.admin_addr());
/// server.stop();
/// # Ok::<(), lab_server::StartError>(())
/// ```
pub fn spawn(config: &Config) -> Result<Running, StartError> {
    start(Listeners::bind(config)?, config)
}

fn start(listeners: Listeners, config: &Config) -> Result<Running, StartError> {
    let Listeners { target, addr, admin, admin_addr } = listeners;
    let serve = &config.serve;
    // Not before the ports are ours: they may belong to a server that writes the same file.
    let (log, writer) = serve.truth.as_deref().map(create_log).transpose()?.unzip();
    let lab = Lab::new(config, addr, admin_addr, log.clone());
    let site = Site {
        router: lab.router(),
        keep_alive: !serve.close_per_request,
        announce: Some(admin_addr.port()),
        log,
        drain: serve.drain,
    };
    let mut workers = Group::default();
    for number in 1..serve.threads.get() {
        workers.start(&format!("worker-{number}"), target.try_clone()?, site.clone())?;
    }
    workers.start("worker-0", target, site)?;

    let router = admin::router(Arc::clone(&lab));
    let site = Site { router, keep_alive: true, announce: None, log: None, drain: serve.drain };
    let mut group = Group::default();
    group.start("admin", admin, site)?;
    Ok(Running { addr, admin_addr, workers, truth_log: writer, admin: group })
}

fn create_log(path: &Path) -> Result<(Log, Writer), StartError> {
    Log::create(path).map_err(|cause| StartError::TruthLog { path: path.to_owned(), cause })
}

impl Running {
    /// Where the target listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Where the admin listens.
    pub fn admin_addr(&self) -> SocketAddr {
        self.admin_addr
    }

    /// Accepts no more, finishes the requests in flight (for [`Serve::drain`] at most), and returns
    /// when all threads have ended.
    ///
    /// [`Serve::drain`]: crate::config::Serve::drain
    pub fn stop(mut self) {
        self.workers.stop();
        drop(self.truth_log.take());
        self.admin.stop();
    }
}

/// Threads that stop together, on drop at the latest.
#[derive(Default)]
struct Group {
    stop: watch::Sender<bool>,
    threads: Vec<JoinHandle<()>>,
}

impl Group {
    fn start(&mut self, name: &str, listener: TcpListener, site: Site) -> io::Result<()> {
        let thread = worker::start(name.to_owned(), listener, site, self.stop.subscribe())?;
        self.threads.push(thread);
        Ok(())
    }

    fn stop(&mut self) {
        self.stop.send_replace(true);
        for thread in self.threads.drain(..) {
            // A worker that panicked has said so on stderr, and there is nothing left to stop.
            let _ = thread.join();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Binds before any thread starts, so that a taken port is an error of the start.
fn listen(
    addr: SocketAddr,
    taken: fn(u16) -> StartError,
) -> Result<(TcpListener, SocketAddr), StartError> {
    bind(addr).map_err(|cause| match cause.kind() {
        io::ErrorKind::AddrInUse => taken(addr.port()),
        _ => StartError::Listen { addr, cause },
    })
}

fn bind(addr: SocketAddr) -> io::Result<(TcpListener, SocketAddr)> {
    let socket = Socket::new(Domain::for_address(addr), Type::STREAM, Some(Protocol::TCP))?;
    // Connections of an earlier server that linger in TIME_WAIT must not hold the port.
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&addr.into())?;
    socket.listen(BACKLOG)?;
    let listener = TcpListener::from(socket);
    let addr = listener.local_addr()?;
    Ok((listener, addr))
}
