//! Ctrl-C: the first ends the run and lets requests in flight answer, the second gives them up.

use std::sync::Arc;

use super::Refusal;
use crate::live::control::Control;

/// Watches for SIGINT and SIGTERM on a thread of its own and hands them on.
pub(super) fn watch() -> Result<Arc<Control>, Refusal> {
    let control = Arc::new(Control::default());
    let theirs = Arc::clone(&control);
    let setup =
        |error: std::io::Error| Refusal::Environment(format!("cannot watch for Ctrl-C: {error}"));
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(setup)?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            runtime.block_on(async {
                if signal().await.is_ok() {
                    theirs.stop();
                }
                if signal().await.is_ok() {
                    theirs.hurry();
                }
            });
        })
        .map_err(setup)?;
    Ok(control)
}

#[cfg(unix)]
async fn signal() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

#[cfg(not(unix))]
async fn signal() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
