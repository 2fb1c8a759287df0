//! Good scenarios: what the plan says.

use super::{flags, in_folder, of_text, some};
use crate::engine::plan::{Body, Load, Plan, Think};
use crate::engine::profile::{Piece, Profile};
use crate::engine::time::Ns;
use crate::scenario::{BUILTINS, Overrides, StageText, load};

const S: fn(u64) -> Ns = Ns::from_secs;
const MS: fn(u64) -> Ns = Ns::from_millis;

fn plan(change: impl FnOnce(&mut Overrides)) -> Plan {
    load(&flags(change), 7, &|_| Ok(())).unwrap_or_else(|mistakes| panic!("{mistakes}")).plan
}

fn rate(plan: &Plan) -> &Profile {
    match &plan.load {
        Load::Open { rate, .. } => rate,
        Load::Closed { .. } => panic!("users instead of arrivals"),
    }
}

fn users(plan: &Plan) -> (&Profile, Think) {
    match &plan.load {
        Load::Closed { users, think } => (users, *think),
        Load::Open { .. } => panic!("arrivals instead of users"),
    }
}

#[test]
fn the_built_in_scenarios_are_the_lessons() {
    let plans: Vec<Plan> =
        BUILTINS.iter().map(|builtin| plan(|f| f.scenario = some(builtin.name))).collect();
    for (plan, builtin) in plans.iter().zip(BUILTINS) {
        assert_eq!(plan.name, builtin.name);
        assert_eq!(plan.duration, S(30));
    }
    let (api, products) = plans.split_at(5);
    for plan in api {
        assert_eq!(plan.host, "http://127.0.0.1:8000");
        assert_eq!(plan.model.as_ref().map(|model| model.target.as_str()), Some("api"));
        let tasks: Vec<_> = plan.tasks.iter().map(|t| (t.name.as_str(), t.weight)).collect();
        assert_eq!(tasks, [("/items", 3), ("/report", 1)]);
        let pause = if plan.name == "api-nowait" { Ns::ZERO } else { MS(500) };
        assert_eq!(users(plan).1, Think::Constant { pause });
    }
    for (plan, pause) in products.iter().zip([Ns::ZERO, S(1)]) {
        assert_eq!(plan.host, "http://127.0.0.1:8080");
        assert_eq!(plan.model.as_ref().map(|model| model.target.as_str()), Some("products"));
        assert_eq!(plan.tasks[0].path, "/api/products");
        assert_eq!(users(plan).1, Think::Constant { pause });
    }
    let [api, _, gate, slow, budgets] = api else { panic!("five scenarios") };
    assert!(api.thresholds.is_empty());
    assert_eq!(gate.thresholds, ["p(95)<=300"]);
    assert_eq!(budgets.thresholds, ["/items:p(95)<=100", "/report:p(95)<=150"]);
    let limits: Vec<_> = slow.tasks.iter().map(|task| task.fail_slower).collect();
    assert_eq!(limits, [None, Some(S(1))]);
}

#[test]
fn a_run_without_a_scenario_is_the_first_lessons() {
    let plan = plan(|f| (f.users, f.run_time) = (some("1"), some("15")));
    assert_eq!((plan.name.as_str(), plan.duration, plan.slots()), ("api", S(15), 1));
    assert_eq!(plan.seed, 7);
}

#[test]
fn every_field_arrives_in_the_plan() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = "\u{feff}{\"a\": 1}\r\n\n{\"a\": 2}\n";
    std::fs::write(folder.path().join("rows.jsonl"), rows).expect("written");
    let text = r#"schema = 1
name = "search"
host = "http://127.0.0.1:9000/"
model = { target = "products", slots = 4, work = "5ms..9ms" }
[load]
rate = "12/m"
arrivals = "poisson"
max_in_flight = 20
overflow = "drop"
duration = "1m"
warm_up = 5
drain = "10s"
[[task]]
name = "search"
weight = 2
request = "POST /search?q={term}&n={id}"
headers = { X-Load-Test = 1, A = "{term}" }
body = { file = "rows.jsonl", pick = "shuffled" }
expect = { status = "2xx", body_contains = "ok" }
timeout = "2s"
[[task]]
request = "PUT /put?x=1"
body = "{{\"term\": \"{term}\"}}"
[[task]]
request = "POST /again"
body = { file = "rows.jsonl", pick = "shuffled" }
[param.term]
pick = ["queue", "cache", "river"]
zipf = 1.0
[param.id]
int = [1, 200000]
[[threshold]]
that = "search:p(95)<150"
"#;
    let loaded = in_folder(folder.path(), text, Overrides::default())
        .unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert_eq!(loaded.rows["rows.jsonl"], ["{\"a\": 1}", "{\"a\": 2}"]);
    let plan = serde_json::to_value(&loaded.plan).expect("JSON");
    let mut parts = vec![plan["load"].to_string(), plan["model"].to_string()];
    for list in ["tasks", "parameters"] {
        parts.extend(plan[list].as_array().expect("a list").iter().map(ToString::to_string));
    }
    insta::assert_snapshot!(parts.join("\n"), @r#"
    {"arrivals":"poisson","kind":"open","max_in_flight":20,"overflow":"drop","rate":[{"from":0.2,"over":60000000000,"to":0.2}]}
    {"knobs":{"slots":"4","work":"5ms..9ms"},"target":"products"}
    {"body":{"row":{"file":"rows.jsonl","parameter":2}},"expect":{"body_contains":"ok","status_from":200,"status_to":299},"fail_slower":null,"headers":[["X-Load-Test","1"],["A","{term}"]],"method":"POST","name":"search","path":"/search?q={term}&n={id}","timeout":2000000000,"weight":2}
    {"body":{"text":"{{\"term\": \"{term}\"}}"},"expect":{"body_contains":"","status_from":200,"status_to":399},"fail_slower":null,"headers":[],"method":"PUT","name":"/put","path":"/put?x=1","timeout":60000000000,"weight":1}
    {"body":{"row":{"file":"rows.jsonl","parameter":2}},"expect":{"body_contains":"","status_from":200,"status_to":399},"fail_slower":null,"headers":[],"method":"POST","name":"/again","path":"/again","timeout":60000000000,"weight":1}
    {"choice":{"weighted":[1.0,0.5,0.3333333333333333]},"name":"term","values":{"texts":["queue","cache","river"]}}
    {"choice":"even","name":"id","values":{"integers":{"from":1,"to":200000}}}
    {"choice":"shuffled","name":"rows.jsonl","values":{"rows":{"count":2,"file":"rows.jsonl"}}}
    "#);
    assert_eq!(
        loaded.plan.tasks[0].body,
        Some(Body::Row { file: "rows.jsonl".into(), parameter: 2 })
    );
    assert_eq!(loaded.plan.tasks[2].body, loaded.plan.tasks[0].body, "one file, one drawn row");
    let Plan { host, warm_up, duration, drain, .. } = &loaded.plan;
    assert_eq!((host.as_str(), *duration), ("http://127.0.0.1:9000", S(60)));
    assert_eq!((*warm_up, *drain), (S(5), S(10)));
}

#[test]
fn a_rate_on_the_command_line_replaces_users_and_their_wait() {
    let plan = plan(|f| f.rate = some("300/s"));
    assert_eq!(rate(&plan), &Profile::constant(300.0, S(30)));
    assert_eq!(plan.slots(), 1000);
}

#[test]
fn stages_begin_at_the_plain_level_and_last_their_sum() {
    let stages = || vec![StageText::Ramp("10s:100".into()), StageText::Hold("5s:25".into())];
    let [climb, hold] =
        [(S(10), 0.0, 100.0), (S(5), 25.0, 25.0)].map(|(over, from, to)| Piece { over, from, to });
    let of_file = plan(|f| f.stages = stages());
    assert_eq!(users(&of_file).0.0, [Piece { from: 10.0, ..climb }, hold], "the file has 10 users");
    assert_eq!(of_file.duration, S(15));
    let of_rate = plan(|f| (f.rate, f.stages) = (some("40"), stages()));
    assert_eq!(rate(&of_rate).0, [Piece { from: 40.0, ..climb }, hold]);
    let by_unit = plan(|f| {
        f.stages = vec![StageText::Ramp("10s:100/s".into()), StageText::Hold("5s:25".into())];
        f.run_time = some("12s");
    });
    assert_eq!(rate(&by_unit).0, [climb, Piece { over: S(2), ..hold }], "a unit makes it a rate");
}

#[test]
fn users_may_start_one_after_the_other() {
    let plan = plan(|f| (f.users, f.spawn_rate) = (some("10"), some("2/s")));
    assert_eq!(users(&plan).0, &Profile::spawning(10.0, 2.0, S(30)));
}

#[test]
fn flags_win_and_thresholds_add_up() {
    let plan = plan(|f| {
        f.scenario = some("locustfile_gate.py");
        f.host = some("http://api:8000");
        f.timeout = some("3s");
        f.seed = some("42");
        f.wait = some("pacing 2s");
        f.fail_slower = vec!["/report=1s".into(), "2s".into()];
        f.thresholds = vec!["failed<1%".into()];
        f.budgets = vec!["/report=150".into()];
        f.model = vec!["report-pool=4".into()];
    });
    assert_eq!((plan.host.as_str(), plan.seed), ("http://api:8000", 42));
    assert_eq!(users(&plan).1, Think::Pacing { period: S(2) });
    assert!(plan.tasks.iter().all(|task| task.timeout == S(3)));
    let limits: Vec<_> = plan.tasks.iter().map(|task| task.fail_slower).collect();
    assert_eq!(limits, [Some(S(2)), Some(S(1))], "a limit for one endpoint is the closer one");
    assert_eq!(plan.thresholds, ["p(95)<=300", "failed<1%", "/report:p(95) <= 150"]);
    assert_eq!(plan.model.expect("a model").knobs["report_pool"], "4");
}

#[test]
fn a_url_is_a_task_named_by_its_path() {
    let plan = plan(|f| {
        f.url = some("http://127.0.0.1:8080/api/products?id=1");
        (f.rate, f.run_time) = (some("300/s"), some("10"));
    });
    assert_eq!(plan.host, "http://127.0.0.1:8080");
    assert_eq!(plan.tasks.len(), 1);
    assert_eq!(plan.tasks[0].name, "/api/products");
    assert_eq!(
        (plan.tasks[0].method.as_str(), plan.tasks[0].path.as_str()),
        ("GET", "/api/products?id=1")
    );
}

#[test]
fn the_host_follows_the_models_target() {
    let text = "schema = 1\nmodel = { target = \"tickets\" }\n[load]\nusers = 1\nduration = 1\n\
                [[task]]\nrequest = \"GET /\"\n";
    let loaded = of_text(text).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert_eq!(loaded.plan.host, "http://127.0.0.1:8001");
    assert_eq!(loaded.plan.name, "api", "the file's");
}
