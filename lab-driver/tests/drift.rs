//! The models of virtual time have the constants of the targets themselves, and read the knobs that these announce.
#![allow(clippy::unwrap_used)]

use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use lab_driver::engine::time::Ns;
use lab_driver::live::admin::Admin;
use lab_driver::sim::targets::api as model;
use lab_server::config::Config;
use lab_server::targets::{Knobs, api as target};

#[test]
fn the_api_model_is_the_api() {
    assert_eq!(model::ITEMS_FAST, Ns::from(target::ITEM_WARM));
    assert_eq!(model::ITEMS_SLOW, Ns::from(target::ITEM_COLD));
    let knobs = model::Knobs::default();
    assert_eq!(knobs.items_slow_every, target::ITEMS_SLOW_EVERY);
    assert_eq!(knobs.report_pool, u64::from(target::REPORT_POOL));
    assert_eq!(knobs.report_work, Ns::from(target::REPORT_WORK));
}

#[test]
fn the_model_reads_the_knobs_that_the_target_announces() {
    let odd = target::Knobs {
        items_slow_every: NonZeroU64::new(7).unwrap(),
        report_pool: NonZeroU32::new(3).unwrap(),
        report_work: Duration::from_micros(12_345),
    };
    let server = lab_server::spawn(&Config::on_free_ports(Knobs::Api(odd))).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let admin = runtime.block_on(Admin::find(server.admin_addr(), server.addr())).unwrap();
    let read = model::Knobs { items_slow_every: 7, report_pool: 3, report_work: Ns(12_345_000) };
    assert_eq!(model::Knobs::read(&admin.knobs), Ok(read));
    assert_eq!(admin.lab, target::NAME);
}
