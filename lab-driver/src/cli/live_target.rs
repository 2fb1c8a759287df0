//! The way to a live target: resolved, permitted, reached, and its admin port found, before anything is sent.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::Refusal;
use super::flags::DriverFlags;
use crate::engine::plan::Plan;
use crate::live::admin::Admin;
use crate::live::http::Connector;
use crate::live::limits::ensure_fds;
use crate::live::requests::Requests;
use crate::live::target::{Url, belongs_to_this_host, permit, resolve, system_resolver};
use crate::scenario::Rows;

/// A target that this driver may load, and does reach.
#[derive(Debug)]
pub(super) struct LiveTarget {
    pub(super) addresses: Vec<SocketAddr>,
    pub(super) requests: Arc<Requests>,
    pub(super) admin: Result<Admin, String>,
    pub(super) announced: Arc<OnceLock<String>>,
}

/// A target on this machine accepts a connection within milliseconds; one that does not is not there.
const PATIENCE: Duration = Duration::from_secs(4);
/// Files that the driver needs besides its connections: standard streams, timers, results.
const FILES_BESIDES: u64 = 64;

impl LiveTarget {
    /// Finds the target of `plan`. Nothing is sent but the opening of a connection and a question to the admin port.
    pub(super) fn find(plan: &Plan, rows: &Rows, flags: &DriverFlags) -> Result<Self, Refusal> {
        let usage = |error: &dyn std::fmt::Display| Refusal::Usage(error.to_string());
        let url = Url::parse(&plan.host).map_err(|error| usage(&error))?;
        let addresses = resolve(&url, system_resolver)
            .map_err(|error| Refusal::Environment(error.to_string()))?;
        permit(&addresses, belongs_to_this_host, flags.i_have_permission)
            .map_err(|error| usage(&error))?;
        let rows = rows.iter().map(|(file, rows)| (file.clone(), Arc::new(rows.clone()))).collect();
        let requests = Requests::new(plan, &rows, url.authority(), url.base_path())
            .map_err(|error| usage(&error))?;
        ensure_fds(u64::from(plan.slots()) + FILES_BESIDES)
            .map_err(|error| Refusal::Environment(error.to_string()))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Refusal::Environment(error.to_string()))?;
        let admin = runtime.block_on(async {
            reach(&addresses, &plan.host).await?;
            Ok::<_, Refusal>(find_admin(addresses[0], flags.admin).await)
        })?;
        Ok(Self { addresses, requests: Arc::new(requests), admin, announced: Arc::default() })
    }

    /// Sets the target back, if it is a lab-server and that is wanted.
    pub(super) fn reset(&self, flags: &DriverFlags) -> Result<(), Refusal> {
        let (Ok(admin), false) = (&self.admin, flags.no_reset) else { return Ok(()) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Refusal::Environment(error.to_string()))?;
        runtime
            .block_on(admin.reset())
            .map_err(|reason| Refusal::Environment(format!("the target was not reset: {reason}")))
    }
}

async fn reach(addresses: &[SocketAddr], host: &str) -> Result<(), Refusal> {
    let why = match tokio::time::timeout(PATIENCE, Connector::new(addresses).connect()).await {
        Ok(Ok(_)) => return Ok(()),
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no connection within {} s", PATIENCE.as_secs()),
    };
    Err(Refusal::Environment(format!(
        "{host} cannot be reached: {why}\n    \
         start the target first: sh scripts/start.sh, or lab-server api; \
         or run without one: add --virtual"
    )))
}

async fn find_admin(data: SocketAddr, given: Option<SocketAddr>) -> Result<Admin, String> {
    match given.or_else(|| Admin::expected(data)) {
        Some(address) => Admin::find(address, data).await,
        None => {
            Err("the target's admin port has an unusual number; name it with --admin".to_owned())
        }
    }
}
