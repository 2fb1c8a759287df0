//! A short live run against a server of its own, made and judged as those of the labs are.

use std::collections::BTreeMap;

use super::super::flags::DriverFlags;
use super::super::interrupt;
use super::super::lab::server::Server;
use super::super::session::{Session, fresh_seed};
use super::Refusal;
use super::judge::{self, Finding, SERVER, TRIAL};
use crate::engine::record::RunRecord;
use crate::scenario::{self, Overrides};
use crate::sim::targets;

/// Wide enough that no report waits: slow answers would excuse late starts.
const REPORT_POOL: &str = "16";

/// What the server and the run say; only an interruption is no finding.
pub(super) fn run() -> Result<Vec<Finding>, Refusal> {
    let knobs = BTreeMap::from([("report_pool".to_owned(), REPORT_POOL.to_owned())]);
    let server = match Server::start("api", &knobs) {
        Ok(server) => server,
        Err(refusal) => return failed(SERVER, refusal).map(|finding| vec![finding]),
    };
    let trial = match measure(&server) {
        Ok(record) if record.interrupted => return Err(Refusal::Interrupted),
        Ok(record) => judge::trial(&record.verdict, &record.generator),
        Err(refusal) => failed(TRIAL, refusal)?,
    };
    Ok(vec![judge::server(), trial])
}

fn measure(server: &Server) -> Result<RunRecord, Refusal> {
    let overrides = Overrides {
        scenario: Some("api".to_owned()),
        host: Some(format!("http://{}", server.data())),
        rate: Some("200/s".to_owned()),
        run_time: Some("3s".to_owned()),
        ..Overrides::default()
    };
    let loaded = scenario::load(&overrides, fresh_seed(), &targets::check)?;
    let flags = DriverFlags::for_own_server(server.admin(), None);
    let session = Session::watched(&loaded, false, &flags, false, interrupt::watch()?)?;
    session.run(&loaded.plan, "doctor")
}

fn failed(what: &'static str, refusal: Refusal) -> Result<Finding, Refusal> {
    match refusal {
        Refusal::Interrupted => Err(refusal),
        refusal => Ok(judge::refused(what, &refusal.to_string())),
    }
}
