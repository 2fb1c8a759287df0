//! The admin side of a lab target: found without touching the data port, reset before a run, read at its edges.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use serde::Deserialize;

use super::admin_client::{AdminError, get_json, post};
use crate::engine::counters::Counters;

/// The admin port of a target is its data port plus this, unless it says otherwise.
const OFFSET: u16 = 10_000;
/// An admin port on this machine answers within milliseconds or not at all.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often a busy target is asked to reset, and how long is waited in between: two seconds in all.
const RESET_TRIES: u32 = 40;
const RESET_PAUSE: Duration = Duration::from_millis(50);

/// A lab target's admin port.
#[derive(Clone, Debug, PartialEq)]
pub struct Admin {
    address: SocketAddr,
    /// Which target.
    pub lab: String,
    /// The knobs that it runs with.
    pub knobs: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
struct Health {
    lab: String,
    port: u16,
    #[serde(default)]
    knobs: BTreeMap<String, serde_json::Value>,
}

impl Admin {
    /// Where the admin port of a target at `data` is expected; none above the last port.
    pub fn expected(data: SocketAddr) -> Option<SocketAddr> {
        Some(SocketAddr::new(data.ip(), data.port().checked_add(OFFSET)?))
    }

    /// Asks whether `address` is the admin port of the lab target at `data`.
    ///
    /// # Errors
    /// In words, why it is not.
    pub async fn find(address: SocketAddr, data: SocketAddr) -> Result<Self, String> {
        let health: Health =
            get_json(address, "/healthz", PATIENCE).await.map_err(|error| match error {
                AdminError::Transport(_) => format!("nothing answers on the admin port {address}"),
                other => other.to_string(),
            })?;
        if health.port != data.port() {
            return Err(format!(
                "the admin port {address} belongs to a target on port {}, not {}",
                health.port,
                data.port()
            ));
        }
        let text = |value: serde_json::Value| match value {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        };
        let knobs = health.knobs.into_iter().map(|(name, value)| (name, text(value))).collect();
        Ok(Self { address, lab: health.lab, knobs })
    }

    /// Sets the target's counters, caches and phases back. A target that is still busy, as one may be for a
    /// moment after the last run, is asked again for a while.
    pub async fn reset(&self) -> Result<(), String> {
        for _ in 0..RESET_TRIES {
            match post(self.address, "/lab/reset", PATIENCE).await {
                Ok(()) => return Ok(()),
                Err(AdminError::Status(409)) => tokio::time::sleep(RESET_PAUSE).await,
                Err(error) => return Err(error.to_string()),
            }
        }
        Err("the target is still serving other requests; wait for them, or use --no-reset"
            .to_owned())
    }

    /// The target's counters now.
    pub async fn counters(&self) -> Result<Counters, String> {
        get_json(self.address, "/lab/counters", PATIENCE).await.map_err(|error| error.to_string())
    }
}
