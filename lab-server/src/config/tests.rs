//! Command lines, right and wrong.

use clap::CommandFactory;

use super::*;
use crate::targets::{api, products};

const BRIEF: Duration = Duration::from_millis(5);

fn check(arguments: &str) -> Result<Config, String> {
    let words = ["lab-server"].into_iter().chain(arguments.split_whitespace());
    let line = CommandLine::try_parse_from(words).map_err(|error| error.to_string())?;
    line.check().map_err(|mistakes| mistakes.to_string())
}

#[test]
fn clap_finds_the_commands_well_formed() {
    CommandLine::command().debug_assert();
}

#[test]
fn the_defaults_are_the_lesson() {
    let config = check("api").unwrap();
    let Knobs::Api(knobs) = config.target else { panic!("not the api: {config:?}") };
    assert_eq!(knobs, api::Knobs::default());
    let expected = Serve { port: api::PORT, admin_port: 18_000, ..Serve::default() };
    assert_eq!(config.serve, expected);
}

#[test]
fn the_admin_port_is_ten_thousand_above_or_the_systems_choice() {
    for (port, admin) in [(1, 10_001), (8000, 18_000), (55_535, 65_535), (55_536, 0), (0, 0)] {
        assert_eq!(admin_port_for(port), admin, "{port}");
    }
    assert_eq!(check("api --port 9000 --admin-port 9001").unwrap().serve.admin_port, 9001);
}

#[test]
fn every_flag_is_taken() {
    let config = check(
        "api --port 0 --bind ::1 --threads 2 --items-slow-every 3 --report-pool 4 \
         --report-work 0.05 --close-per-request --seed 7 --freeze 2s/10s --truth log.csv",
    )
    .unwrap();
    let Knobs::Api(knobs) = config.target else { panic!("not the api: {config:?}") };
    assert_eq!((knobs.items_slow_every.get(), knobs.report_pool.get()), (3, 4));
    assert_eq!(knobs.report_work, Duration::from_millis(50));
    let Serve { bind, threads, close_per_request, seed, freeze, truth, .. } = config.serve;
    assert_eq!((bind.to_string(), threads.get()), ("::1".into(), 2));
    assert!(close_per_request);
    assert_eq!(seed, 7);
    assert_eq!(freeze, Some(Cycle::parse("2s/10s").unwrap()));
    assert_eq!(truth, Some(PathBuf::from("log.csv")));
}

#[test]
fn every_flag_of_products_is_taken_and_its_defaults_are_the_lesson() {
    let knobs = |arguments: &str| match check(arguments).unwrap().target {
        Knobs::Products(knobs) => knobs,
        other @ Knobs::Api(_) => panic!("not the products: {other:?}"),
    };
    assert_eq!(knobs("products"), products::Knobs::default());
    let serve = check("products").unwrap().serve;
    assert_eq!((serve.port, serve.admin_port), (products::PORT, 18_080));
    let set = knobs("products --slots 16 --work 5ms --cache 100 --freeze 1s/5s --seed 3");
    assert_eq!((set.slots.get(), set.cache), (16, 100));
    assert_eq!((set.work.shortest(), set.work.longest()), (BRIEF, BRIEF));
}

#[test]
fn mistakes_in_the_flags_of_products_name_the_form() {
    let mistakes =
        check("products --slots none --work 25ms..15ms --cache -1 --freeze 10s/2s").unwrap_err();
    let lines: Vec<_> = mistakes.lines().collect();
    assert_eq!(
        lines,
        [
            "4 settings are wrong:",
            "  --freeze 10s/2s: the freeze must be shorter than the period, or nothing is ever \
             served; write FREEZE/PERIOD, as 2s/10s",
            "  --slots none: must be a whole number of 1 or more",
            "  --work 25ms..15ms: the shorter time comes first, as in 15ms..25ms",
            "  --cache -1: must be a whole number; 0 is no cache",
        ]
    );
}

#[test]
fn all_mistakes_are_told_at_once_each_with_its_reason() {
    let mistakes = check(
        "api --port 70000 --admin-port x --bind localhost --threads 0 --seed -1 \
         --items-slow-every 0 --report-pool 0 --report-work 0",
    )
    .unwrap_err();
    let lines: Vec<_> = mistakes.lines().collect();
    assert_eq!(
        lines,
        [
            "8 settings are wrong:",
            "  --port 70000: not a port; write a number from 0 to 65535",
            "  --admin-port x: not a port; write a number from 0 to 65535",
            "  --bind localhost: not an IP address; write 127.0.0.1, or 0.0.0.0 for all",
            "  --threads 0: must be a whole number of 1 or more",
            "  --seed -1: must be a whole number of 0 or more",
            "  --items-slow-every 0: must be a whole number of 1 or more",
            "  --report-pool 0: must be a whole number of 1 or more",
            "  --report-work 0: must be longer than zero: work that takes no time never queues",
        ]
    );
}

#[test]
fn one_port_cannot_serve_both() {
    let mistakes = check("api --port 9000 --admin-port 9000").unwrap_err();
    assert!(mistakes.contains("--admin-port 9000: is the target's own port"), "{mistakes}");
    assert!(check("api --port 0 --admin-port 0").is_ok());
}

#[test]
fn every_flag_has_a_variable_named_after_it() {
    for target in CommandLine::command().get_subcommands() {
        for flag in target.get_arguments().filter(|flag| flag.get_id() != "help") {
            let long = flag.get_long().expect("only long flags");
            let variable = format!("LAB_SERVER_{}", long.replace('-', "_").to_uppercase());
            assert_eq!(flag.get_env().unwrap(), variable.as_str());
        }
    }
}
