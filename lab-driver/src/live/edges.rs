//! The target's counters at both edges of the measured time.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use super::admin::Admin;
use crate::engine::counters::{Closing, Counters, TargetTruth};
use crate::engine::plan::Plan;
use crate::engine::time::Ns;

/// Reads the counters when the edges come.
#[derive(Debug)]
pub(super) struct Edges {
    from: Ns,
    to: Ns,
    admin: Result<Admin, String>,
    announced: Arc<OnceLock<String>>,
    data: SocketAddr,
    before: Option<Result<Counters, String>>,
    after: Option<Result<Counters, String>>,
    closing: Closing,
}

impl Edges {
    /// Of the measured windows of `plan`, from the target at `data`.
    pub(super) fn new(
        plan: &Plan,
        data: SocketAddr,
        admin: Result<Admin, String>,
        announced: Arc<OnceLock<String>>,
    ) -> Self {
        let windows = plan.windows();
        Self {
            from: windows.first().map_or(Ns::ZERO, |window| window.from),
            to: windows.last().map_or(plan.duration, |window| window.to),
            admin,
            announced,
            data,
            before: None,
            after: None,
            closing: Closing::of(plan),
        }
    }

    /// When the next reading is due.
    pub(super) fn next_due(&self) -> Ns {
        match (&self.before, &self.after) {
            (None, _) => self.from,
            (_, None) => self.to,
            // Not soon: the ticks go on.
            _ => Ns::from_secs(u64::from(u32::MAX)),
        }
    }

    /// Takes the readings that are due.
    pub(super) async fn read(&mut self, now: Ns) {
        self.follow_announcement().await;
        if self.before.is_none() && now >= self.from {
            self.before = Some(self.counters().await);
        }
        if self.after.is_none() && self.closing.is_due(now) {
            let reading = self.counters().await.ok();
            self.closing.take(now, reading);
        }
        if self.after.is_none() && now >= self.to {
            self.after = Some(self.counters().await);
        }
    }

    /// A target on an unusual port says in its first response where its admin port is. Read a moment late,
    /// its counters still say what happened between two readings, for they carry their own time.
    async fn follow_announcement(&mut self) {
        if self.admin.is_ok() || self.after.is_some() {
            return;
        }
        if let Some(address) = self.announced.get().and_then(|text| text.parse().ok()) {
            self.admin = Admin::find(address, self.data).await;
            self.before = None;
        }
    }

    /// The measured time ends at `at` at the latest.
    pub(super) fn end_by(&mut self, at: Ns) {
        self.to = self.to.min(at.max(self.from));
    }

    /// A run that ended before its time is read at its end.
    pub(super) async fn read_last(&mut self) {
        if self.after.is_none() {
            self.after = Some(self.counters().await);
        }
    }

    async fn counters(&self) -> Result<Counters, String> {
        match &self.admin {
            Ok(admin) => admin.counters().await,
            Err(reason) => Err(reason.clone()),
        }
    }

    /// What the two readings say together, or why there are not two.
    pub(super) fn truth(self) -> Result<TargetTruth, String> {
        let admin = self.admin?;
        let before =
            self.before.unwrap_or_else(|| Err("the run ended before its window".to_owned()))?;
        let after =
            self.after.unwrap_or_else(|| Err("the run ended before its window".to_owned()))?;
        Ok(TargetTruth::new(admin.lab, admin.knobs, before, after).closing(&self.closing))
    }
}
