//! Mistakes in flags: named by the flag, and together with those of the file.

use insta::assert_snapshot;

use super::{flags, in_folder, some};
use crate::scenario::{Overrides, StageText, load};

fn complaint(flags: &Overrides) -> String {
    load(flags, 7, &|_| Ok(())).expect_err("a mistake").to_string()
}

#[test]
fn a_spawn_rate_without_users_names_the_rate() {
    assert_snapshot!(complaint(&flags(|f| f.spawn_rate = some("300"))), @r#"
    --spawn-rate: a spawn rate says how fast users start, and no number of users is given
        remedy: add -u or users; a rate of requests is --rate or rate
    1 mistake; nothing was sent and no file was written
    "#);
}

#[test]
fn mistakes_of_file_and_flags_come_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "schema = 1\n[load]\nusers = 0\nduration = 30\n";
    let flags = flags(|f| {
        f.users = some("5");
        f.rate = some("0");
        f.seed = some("lucky");
        f.stages = vec![StageText::Ramp("30s".into()), StageText::Hold("x:25".into())];
    });
    let error = in_folder(folder.path(), text, flags).expect_err("mistakes").to_string();
    assert_snapshot!(error.replace(&format!("{}/", folder.path().display()), ""), @r#"
    api.toml:1:1: there is no task, so nothing would be sent
        remedy: add [[task]] with request = "GET /items"
    api.toml:3:9: users 0 start nothing
        remedy: write 1 or more
    --hold: "x" is not a duration
        remedy: write digits and a unit, such as 30s, 250ms or 1m30s
    --rate: rate 0 starts nothing
        remedy: write more than 0, such as 300/s
    --rate: users and a rate are two kinds of load
        remedy: keep users, who wait for each answer, or the rate, which does not wait
    --seed: "lucky" is no seed
        remedy: write a whole number of 0 or more, below 2^64
    --stage: "30s" has no colon between its time and its level
        remedy: write --stage 30s:100
    7 mistakes; nothing was sent and no file was written
    "#);
}

#[test]
fn each_mistake_names_its_flag() {
    type Change = fn(&mut Overrides);
    let cases: [(Change, &str); 22] = [
        (|f| f.scenario = some("api-gat"), "-f: \"api-gat\" is neither built in nor a .toml file"),
        (|f| f.scenario = some("iso.py"), "the scenarios built in are api, api-nowait, api-gate"),
        (|f| f.scenario = some("no/such.toml"), "-f: the scenario no/such.toml does not exist"),
        (|f| f.url = some("localhost:8000"), "URL: \"localhost:8000\" has no scheme"),
        (|f| f.url = some("http://localhost:8000/"), "URL: nothing says how much load there is"),
        (|f| (f.url, f.scenario) = (some("http://a/"), some("api")), "URL: a URL is a scenario"),
        (|f| f.host = some("api"), "--host: \"api\" has no scheme"),
        (|f| f.users = some("many"), "--users: users \"many\" is not a whole number"),
        (|f| f.run_time = some("-5"), "--run-time: \"-5\" is negative"),
        (|f| f.warm_up = some("1m"), "--warm-up: warm-up 1m leaves nothing"),
        (|f| f.arrivals = some("poisson"), "--arrivals: arrivals has no effect here"),
        (|f| (f.rate, f.wait) = (some("5"), some("1s")), "--wait: a wait has no effect here"),
        (
            |f| (f.rate, f.max_in_flight) = (some("5"), some("0")),
            "--max-in-flight: in-flight limit 0",
        ),
        (|f| f.timeout = some("2h"), "--timeout: time-out 2h is too long"),
        (|f| f.stop_timeout = some("?"), "--stop-timeout: \"?\" is not a duration"),
        (|f| f.thresholds = vec!["/itms:p(95)<1".into()], "did you mean /items?"),
        (|f| f.budgets = vec!["/items=fast".into()], "--budget: "),
        (|f| f.fail_slower = vec!["/report=1".into()], "--fail-slower: \"1\" has no unit"),
        (|f| f.fail_slower = vec!["/x=1s".into()], "--fail-slower: no task is called \"/x\""),
        (|f| f.fail_slower = vec!["2h".into()], "--fail-slower: 2h is too long"),
        (|f| f.model = vec!["report_pool".into()], "--model: \"report_pool\" sets no knob"),
        (|f| f.stages = vec![StageText::Ramp("30s".into())], "--stage: \"30s\" has no colon"),
    ];
    for (change, part) in cases {
        let complaint = complaint(&flags(change));
        assert!(complaint.contains(part), "{part} is not in\n{complaint}");
    }
}

#[test]
fn the_simulator_says_which_knobs_it_knows() {
    let flags = flags(|f| f.model = vec!["report-pol=4".into()]);
    let known = |spec: &crate::engine::plan::ModelSpec| {
        assert_eq!(spec.knobs["report_pol"], "4");
        Err("the target api has no knob report_pol".to_owned())
    };
    assert_snapshot!(load(&flags, 7, &known).expect_err("a mistake").to_string(), @r#"
    --model: the target api has no knob report_pol
        remedy: the knobs bear the names of lab-server's flags: see lab-server TARGET --help
    1 mistake; nothing was sent and no file was written
    "#);
}
