//! One thread with one event loop that accepts, serves and, when told, drains.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use axum::Router;
use axum::http::header::{HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::answer::Times;
use crate::timer;
use crate::truth_log::{Answering, Body, Log, Wire};

/// Where the admin listens, told in every response of the target.
const LAB_ADMIN: HeaderName = HeaderName::from_static("lab-admin");
/// How long to leave the listener alone when no connection can be accepted (no descriptors left):
/// asking again at once would spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// What a worker serves.
#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) router: Router,
    pub(crate) keep_alive: bool,
    /// The admin port to announce, if any.
    pub(crate) announce: Option<u16>,
    /// Where each request leaves a row, if anywhere.
    pub(crate) log: Option<Log>,
    /// How long to wait for requests in flight at the end.
    pub(crate) drain: Duration,
}

/// Starts a thread that serves `site` until `stop` becomes true. The listener must not block;
/// several workers may share it.
pub(crate) fn start(
    name: String,
    listener: std::net::TcpListener,
    site: Site,
    stop: watch::Receiver<bool>,
) -> io::Result<JoinHandle<()>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let listener = {
        let _inside = runtime.enter();
        TcpListener::from_std(listener)?
    };
    Builder::new().name(name).spawn(move || runtime.block_on(serve(listener, site, stop)))
}

async fn serve(listener: TcpListener, site: Site, mut stop: watch::Receiver<bool>) {
    let connections = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                // An error means that the client has already gone.
                let _ = attend(stream, &site, &connections);
            }
            Err(_) => timer::sleep(ACCEPT_PAUSE).await,
        }
    }
    drop(listener);
    tokio::select! {
        () = connections.shutdown() => {}
        () = timer::sleep(site.drain) => {}
    }
}

/// Serves one connection in a task of its own.
fn attend(stream: TcpStream, site: &Site, connections: &GracefulShutdown) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let announcement = site.announce.map(|port| announcement(&stream, port)).transpose()?;
    let router = TowerToHyperService::new(site.router.clone());
    let log = site.log.clone();
    let answering = log.as_ref().map(|_| Answering::default());
    let wire = Wire::new(stream, answering.clone());
    let service = service_fn(move |request| {
        let router = router.clone();
        let (announcement, log, answering) = (announcement.clone(), log.clone(), answering.clone());
        async move {
            // In here, where the request is counted too: a client that has sent a request and gone
            // is given up before it is begun, and is neither.
            let entry = log.as_ref().map(|log| log.enter(&request));
            let mut response = router.call(request).await?;
            if let Some(admin) = announcement {
                response.headers_mut().insert(LAB_ADMIN, admin);
            }
            if let (Some(mut entry), Some(answering)) = (entry, &answering) {
                entry.answered(response.status(), Times::work_start(&response));
                answering.begin(entry);
            }
            Ok::<_, Infallible>(response.map(|body| Body::new(body, answering)))
        }
    });
    let connection =
        http1::Builder::new().keep_alive(site.keep_alive).serve_connection(wire, service);
    tokio::spawn(connections.watch(connection));
    Ok(())
}

/// The admin's address as this client can reach it: a server bound to all addresses has many.
fn announcement(stream: &TcpStream, port: u16) -> io::Result<HeaderValue> {
    let addr = SocketAddr::new(stream.local_addr()?.ip().to_canonical(), port);
    Ok(HeaderValue::try_from(addr.to_string()).expect("an address is digits and punctuation"))
}
