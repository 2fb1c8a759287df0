//! The model of products has the constants of the target itself.
#![allow(clippy::unwrap_used)]

use lab_driver::engine::quantity::Range;
use lab_driver::engine::time::Ns;
use lab_driver::sim::targets::products as model;
use lab_server::targets::products as target;

#[test]
fn the_products_model_is_the_products_target() {
    let knobs = model::Knobs::default();
    assert_eq!(knobs.slots, u64::from(target::SLOTS));
    assert_eq!(knobs.work, target::WORK.to_string().parse::<Range>().unwrap());
    assert_eq!(knobs.cache, target::CACHE as u64);
    assert_eq!(model::CACHE_HIT, Ns::from(target::CACHE_HIT));
    assert_eq!(model::PATH, target::PATH);
}
