//! Signals: the first Ctrl-C ends the run and lets requests in flight answer, the second gives them up.

use std::io;
use std::sync::Arc;

use super::Refusal;
use crate::live::control::Control;

/// Watches for SIGINT and SIGTERM on a thread of its own and hands them on. From here on SIGXFSZ ends nothing:
/// a file that reaches its size limit is an error of that file alone.
pub(super) fn watch() -> Result<Arc<Control>, Refusal> {
    let control = Arc::new(Control::default());
    let theirs = Arc::clone(&control);
    let setup =
        |error: io::Error| Refusal::Environment(format!("cannot watch for Ctrl-C: {error}"));
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(setup)?;
    // Here and not on the thread, which may come to it too late for a signal that arrives at once.
    let mut signals = {
        let _inside = runtime.enter();
        Signals::listen().map_err(setup)?
    };
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            runtime.block_on(async {
                signals.next().await;
                theirs.stop();
                signals.next().await;
                theirs.hurry();
            });
        })
        .map_err(setup)?;
    Ok(control)
}

/// Both ways to ask a program to end; none is lost between two calls of `next`.
#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        // The handler outlives this; with one, the write fails where the program would have been ended.
        drop(signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?);
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}
