//! Mistakes in files: each with its line, column and remedy, and all at once.

use insta::assert_snapshot;

use super::complaint;

const GOOD: &str = r#"schema = 1
name = "api"
[load]
users = 10
duration = "30s"
[[task]]
name = "/items"
request = "GET /items"
"#;

#[test]
fn five_mistakes_print_five() {
    let text = r#"schema = 1
[load]
users = 0
duration = "0s"
colour = "red"
[[task]]
name = "/search"
weight = 0
request = "GET /search?q={trem}"
[param.term]
pick = ["queue"]
"#;
    assert_snapshot!(complaint(text), @r#"
    api.toml:3:9: users 0 start nothing
        remedy: write 1 or more
    api.toml:4:12: duration 0 leaves no time
        remedy: write more than 0
    api.toml:5:1: unknown field "colour" in [load]
        remedy: the fields are users, spawn_rate, rate, arrivals, max_in_flight, overflow, wait, duration, warm_up, drain, stages
    api.toml:8:10: weight 0 never runs the task "/search"
        remedy: give it a weight of 1 or more, or remove the task
    api.toml:9:11: no parameter is called "trem"
        remedy: did you mean {term}?
    5 mistakes; nothing was sent and no file was written
    "#);
}

#[test]
fn a_syntax_error_has_its_line_and_a_caret() {
    assert_snapshot!(complaint("schema = 1\nname = \"api\n[load]\n"), @r#"
    api.toml:2:12: not TOML: invalid basic string, expected `"`
        name = "api
                   ^
        remedy: correct this first; further mistakes show after that
    1 mistake; nothing was sent and no file was written
    "#);
}

#[test]
fn a_newer_schema_is_the_only_mistake() {
    assert_snapshot!(complaint("schema = 2\nnew_things = true\n"), @r#"
    api.toml:1:10: schema 2 is newer than this lab-driver, which reads 1
        remedy: update lab-driver, or rewrite the file for schema = 1
    1 mistake; nothing was sent and no file was written
    "#);
}

#[test]
fn an_empty_file_misses_schema_load_and_task() {
    assert_snapshot!(complaint(""), @r#"
    api.toml:1:1: schema is missing: nobody can tell which version of the shape this is
        remedy: begin the file with schema = 1
    api.toml:1:1: there is no task, so nothing would be sent
        remedy: add [[task]] with request = "GET /items"
    api.toml:1:1: nothing says how much load there is
        remedy: give users (-u 20) or a rate (--rate 300/s)
    3 mistakes; nothing was sent and no file was written
    "#);
}

#[test]
fn types_are_told_apart() {
    let text = r#"schema = 1
name = ["api"]
model = "api"
load = 3
task = { request = "GET /" }
param = []
threshold = ["p(95)<1"]
"#;
    assert_snapshot!(complaint(text), @r#"
    api.toml:2:8: name cannot be of type array
        remedy: write a text, such as "api-smoke"
    api.toml:3:9: model cannot be of type string
        remedy: write a table, such as { target = "api" }
    api.toml:4:8: [load] cannot be of type integer
        remedy: write a table: [load] on a line of its own
    api.toml:5:8: task cannot be of type table
        remedy: write [[task]] on a line of its own for each task
    api.toml:6:9: param cannot be of type array
        remedy: write [param.NAME] on a line of its own for each parameter
    api.toml:7:14: [[threshold]] cannot be of type string
        remedy: write [[threshold]] on a line of its own
    6 mistakes; nothing was sent and no file was written
    "#);
}

#[test]
fn users_and_a_rate_contradict_each_other() {
    let text = GOOD.replace("users = 10", "users = 10\nrate = \"300/s\"\narrivals = \"poison\"");
    assert_snapshot!(complaint(&text), @r#"
    api.toml:5:8: users and a rate are two kinds of load
        remedy: keep users, who wait for each answer, or the rate, which does not wait
    api.toml:6:12: arrivals cannot be "poison"
        remedy: did you mean poisson? The words for it are uniform, poisson
    api.toml:6:12: arrivals has no effect here
        remedy: there are users, who wait for each answer: leave it out, or give a rate
    3 mistakes; nothing was sent and no file was written
    "#);
}

/// Each line replaces one of the good file; the message holds the parts.
#[test]
fn each_mistake_says_what_and_what_to_do() {
    let load = [
        ("users = 1000001", &["users 1000001 is too many", "at most 1000000"][..]),
        ("users = 1.5", &["4:9: users \"1.5\" is not a whole number"]),
        ("users = -1", &["not a whole number"]),
        ("rate = 0", &["rate 0 starts nothing"]),
        ("rate = \"20000000/s\"", &["write at most 10000000/s"]),
        ("rate = \"500ms\"", &["is a duration, not a rate\n    remedy: write how many"]),
        ("rate = 5\nwait = \"1s\"", &["5:8: a wait has no effect here", "or give users"]),
        ("users = 1\nmax_in_flight = 5", &["an in-flight limit has no effect here"]),
        ("users = 1\nspawn_rate = 0", &["spawn rate 0 starts nothing"]),
        ("rate = 5\nspawn_rate = 1", &["a spawn rate says how fast users start", "--rate"]),
        ("rate = 5\noverflow = \"quue\"", &["did you mean queue?"]),
        ("users = 1\nwarm_up = \"30s\"", &["warm-up 30s leaves nothing of the duration 30s"]),
        ("users = 1\ndrain = \"2h\"", &["drain 2h is too long", "at most 1h"]),
        ("users = 1\nwait = \"soon\"", &["\"soon\" is no wait", "write 500ms"]),
        ("stages = [{ over = \"2m\" }]", &["4:11: a stage is either"]),
        ("stages = [{ over = \"0s\", to = 5 }]", &["leaves no time"]),
        ("stages = [{ hold = \"1s\", at = 0 }]", &["every stage goes to 0"]),
        ("users = 5\nstages = [{ hold = \"1s\", at = \"5/s\" }]", &["5/s is a rate"]),
        ("stages = [{ hold = \"1s\", at = 0.5 }]", &["there are no 0.5 users"]),
        ("user = 10", &["unknown field \"user\" in [load]", "did you mean users?"]),
    ];
    check("users = 10", &load);
    check(
        "duration = \"30s\"",
        &[
            ("", &["nothing says how long the run lasts"][..]),
            ("duration = \"31d\"", &["unknown unit \"d\""]),
            ("duration = \"721h\"", &["is too long\n    remedy: write at most 720h"]),
        ],
    );
    check(
        "name = \"api\"",
        &[
            ("name = \"a b\"", &["the scenario's name cannot be \"a b\""][..]),
            ("host = \"https://api\"", &["2:8: \"https://api\" asks for TLS"]),
            ("host = \"http://api/items\"", &["paths belong to the tasks"]),
            ("model = {}", &["the model names no target"]),
        ],
    );
}

#[test]
fn each_mistake_in_a_task_says_what_and_what_to_do() {
    check(
        "request = \"GET /items\"",
        &[
            ("", &["6:1: this task has no request", "add a line"][..]),
            ("request = \"/items\"", &["has no method"]),
            ("request = \"GTE /items\"", &["\"GTE\" is no method", "did you mean GET?"]),
            ("request = \"GET items\"", &["does not begin with /"]),
            ("request = \"GET /a b\"", &["the path has the character ' '"]),
            ("request = \"GET /ä\"", &["percent-encode"]),
            ("request = \"GET /{id}\"", &["no parameter is called \"id\"", "[param.id]"]),
            ("request = \"GET /{id\"", &["never closed"]),
            ("request = \"GET /\"\nname2 = 1", &["did you mean name?"]),
            ("request = \"GET /\"\nheaders = { \"a b\" = \"1\" }", &["cannot be a header's name"]),
            ("request = \"GET /\"\nheaders = { A = \"1\\r\\nB: 2\" }", &["control character"]),
            ("request = \"GET /\"\nheaders = { Content-Length = 1 }", &["leave it out"]),
            ("request = \"GET /\"\nexpect = { status = \"ok\" }", &["\"ok\" is no status"]),
            ("request = \"HEAD /\"\nexpect = { body_contains = \"a\" }", &["HEAD has no body"]),
            ("request = \"GET /\"\ntimeout = 0", &["time-out 0 leaves no time"]),
            ("request = \"POST /\"\nbody = \"{x}\"", &["no parameter is called \"x\""]),
            ("request = \"POST /\"\nbody = { pick = \"random\" }", &["names no file"]),
            ("request = \"POST /\"\nbody = { file = \"no.txt\" }", &["no.txt does not exist"]),
            ("request = \"POST /\"\nbody = { file = \".\" }", &["is not a file"]),
            (
                "request = \"GET /\"\n[[task]]\nname = \"/items\"\nrequest = \"GET /\"",
                &["two tasks"],
            ),
            ("request = \"GET /\"\n[[threshold]]\nthat = \"p95<1\"", &["write p(95)", "^"]),
            ("request = \"GET /\"\n[[threshold]]\n", &["9:1: this threshold says nothing"]),
            (
                "request = \"GET /\"\n[[threshold]]\nthat = \"/item:p(95)<1\"",
                &["did you mean /items?"],
            ),
        ],
    );
}

#[test]
fn each_mistake_in_a_parameter_says_what_and_what_to_do() {
    let cases: [(&str, &[&str]); 12] = [
        ("", &["has no values"]),
        ("pick = [\"a\"]\nint = [1, 2]", &["or two kinds of them"]),
        ("pick = []", &["nothing to pick from"]),
        ("pick = [\"a\\n\"]", &["control character"]),
        ("int = [5, 1]", &["no range of whole numbers"]),
        ("int = [1]", &["no range of whole numbers"]),
        ("int = [0, 4294967295]", &["too many values"]),
        ("pick = [\"a\", \"b\"]\nweights = [1]", &["1 weights for 2 values"]),
        ("pick = [\"a\"]\nweights = [-1]", &["the weight \"-1\" is no share"]),
        ("pick = [\"a\"]\nweights = [0]", &["all weights are 0"]),
        ("pick = [\"a\"]\nzipf = \"inf\"", &["zipf cannot be \"inf\""]),
        ("int = [1, 200000]\nzipf = 1.0", &["too many to be weighted"]),
    ];
    for (lines, parts) in cases {
        expect(&format!("{GOOD}[param.a]\n{lines}\n"), parts);
    }
    expect(&format!("{GOOD}[param.\"a b\"]\npick = [1]\n"), &["cannot be a parameter's name"]);
    let many: Vec<_> = (0..13).map(|i| format!("[param.p{i}]\nint = [1, 2]")).collect();
    expect(&format!("{GOOD}{}", many.join("\n")), &["there are 13 parameters", "use at most 12"]);
}

fn check(good_line: &str, cases: &[(&str, &[&str])]) {
    for (line, parts) in cases {
        expect(&GOOD.replace(good_line, line), parts);
    }
}

/// The file has one mistake, with these parts in its message.
fn expect(text: &str, parts: &[&str]) {
    let complaint = complaint(text);
    assert!(
        complaint.ends_with("\n1 mistake; nothing was sent and no file was written"),
        "{text}\n{complaint}"
    );
    for part in parts {
        assert!(complaint.contains(part), "{part} is not in\n{complaint}\nfor\n{text}");
    }
}
