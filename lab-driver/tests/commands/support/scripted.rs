//! A server that behaves as servers in trouble do.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// What happens to each request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Script {
    /// These bytes answer it; the connection stays.
    Answer(&'static str),
    /// These bytes answer it, then the connection is closed.
    AnswerAndClose(&'static str),
    /// The first so many are answered with 500, the others with 200.
    FailFirst(u64),
    /// The connection is torn down.
    Reset,
    /// Nothing, ever.
    Silence,
    /// After so many answers all connections are closed, and nobody listens any more.
    DieAfter(u64),
}

pub(crate) const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
pub(crate) const BROKEN: &str =
    "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 4\r\n\r\noops";

/// Such a server, until it is dropped.
pub(crate) struct Scripted {
    state: Arc<State>,
    acceptor: Option<JoinHandle<()>>,
}

struct State {
    address: SocketAddr,
    script: Script,
    connections: AtomicU64,
    requests: AtomicU64,
    closed: AtomicBool,
    streams: Mutex<Vec<TcpStream>>,
}

impl Scripted {
    pub(crate) fn start(script: Script) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let state = Arc::new(State {
            address: listener.local_addr().unwrap(),
            script,
            connections: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            closed: AtomicBool::new(false),
            streams: Mutex::default(),
        });
        let theirs = Arc::clone(&state);
        let acceptor = std::thread::spawn(move || theirs.accept(&listener));
        Self { state, acceptor: Some(acceptor) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.state.address)
    }

    pub(crate) fn connections(&self) -> u64 {
        self.state.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> u64 {
        self.state.requests.load(Ordering::SeqCst)
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.state.close();
        self.acceptor.take().map(JoinHandle::join);
    }
}

impl State {
    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        while let Ok((stream, _)) = listener.accept() {
            if self.closed.load(Ordering::SeqCst) {
                return;
            }
            self.connections.fetch_add(1, Ordering::SeqCst);
            self.streams.lock().unwrap().push(stream.try_clone().unwrap());
            let state = Arc::clone(self);
            std::thread::spawn(move || state.serve(stream));
        }
    }

    /// A failed read or write means that the driver has gone away, which is its right.
    fn serve(&self, mut stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        while request(&mut stream).is_some() {
            let number = self.requests.fetch_add(1, Ordering::SeqCst) + 1;
            let (answer, then_close) = match self.script {
                Script::Answer(bytes) => (bytes, false),
                Script::AnswerAndClose(bytes) => (bytes, true),
                Script::FailFirst(count) => (if number <= count { BROKEN } else { OK }, false),
                Script::Silence => ("", false),
                Script::Reset => {
                    let _ = socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO));
                    self.forget(&stream);
                    return;
                }
                Script::DieAfter(count) if number > count => return self.close(),
                Script::DieAfter(_) => (OK, false),
            };
            if stream.write_all(answer.as_bytes()).is_err() || then_close {
                let _ = stream.shutdown(std::net::Shutdown::Both);
                return;
            }
        }
    }

    /// Drops the second handle, which would keep the connection open.
    fn forget(&self, stream: &TcpStream) {
        let peer = stream.peer_addr().ok();
        self.streams.lock().unwrap().retain(|other| other.peer_addr().ok() != peer);
    }

    /// Listens no more, and closes every connection.
    fn close(&self) {
        if !self.closed.swap(true, Ordering::SeqCst) {
            // Wakes the acceptor, which then drops its listener.
            let _ = TcpStream::connect(self.address);
        }
        for stream in self.streams.lock().unwrap().drain(..) {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }
}

/// Reads one request without a body; none when the connection has ended.
fn request(stream: &mut TcpStream) -> Option<()> {
    let mut seen = Vec::new();
    let mut bytes = [0; 1024];
    while !seen.ends_with(b"\r\n\r\n") {
        let count = stream.read(&mut bytes).ok().filter(|&count| count > 0)?;
        seen.extend(&bytes[..count]);
    }
    Some(())
}
