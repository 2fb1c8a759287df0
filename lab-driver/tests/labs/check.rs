//! `lab list`, `show` and `check`, in virtual time.

use crate::support::Labs;

#[test]
fn list_has_a_row_per_lab() {
    insta::assert_snapshot!(Labs::good().run(&["list"]).out, @r"
    lab         title             minutes  quick  claims  lesson
    01-pool     The pool                4      2       5  none: a fixture of the tests
    02-times    Times on paper          1      1       1  none: a fixture of the tests
    ");
}

#[test]
fn show_has_hints_only_on_demand() {
    let labs = Labs::good();
    let plain = labs.run(&["show", "pool"]).out;
    assert!(plain.contains("because: Two permits of 100 ms finish 20 a second."), "{plain}");
    assert!(!plain.contains("Divide."), "{plain}");
    assert!(labs.run(&["show", "pool", "--hints"]).out.contains("hint: Divide."));
}

#[test]
fn a_check_shows_every_claim_and_passes() {
    let ran = Labs::good().run(&["check", "pool", "--virtual"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    insta::assert_snapshot!(ran.out, @r"
    01-pool The pool: in virtual time, full length, seed 1
                claim           measured   predicted       allowed  what is claimed
    PASS        ceiling           19.9/s        20/s     20/s ± 5%  u60./report:throughput within 20/s ± 5%
    PASS        gate                   0           0          == 0  exit(gate) == 0
    PASS        knee            40 to 60    20 to 80  >= 20, <= 80  20 <= /report:knee(ramp) <= 80
    PASS        median            100 ms      100 ms     == 100 ms  twenty.p(50) == 100ms
    NOT JUDGED  own-cpu                -           -             -  u20.lag:p(99) < 5ms
    measured: from the records of these runs; predicted: the value that the claim names, if it names one;
    allowed: wide enough for chance, as lab lint finds over many seeds.
    NOT JUDGED: own-cpu: A simulated driver is never late.
    verdict: pass — 4 of 5 claims hold
    ");
}

#[test]
fn all_labs_in_the_quick_form_with_a_grade_sheet() {
    let labs = Labs::good();
    let sheet = labs.path("sheet.json");
    let ran =
        labs.run(&["check", "--all", "--virtual", "--quick", "--json", sheet.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.ends_with("2 of 2 labs pass\n"), "{}", ran.out);
    let text = std::fs::read_to_string(sheet).unwrap();
    let sheet: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&sheet["schema"], &sheet["form"], &sheet["mode"]),
        (&1.into(), &"quick".into(), &"virtual".into())
    );
    assert_eq!((&sheet["seed"], &sheet["verdict"]), (&1.into(), &"pass".into()));
    let claims = sheet["labs"][0]["claims"].as_array().unwrap();
    let grades: Vec<&str> = claims.iter().map(|claim| claim["grade"].as_str().unwrap()).collect();
    assert_eq!(grades, ["pass", "pass", "pass", "pass", "not_judged"]);
    assert_eq!(claims[3]["measured"], "100 ms");
    assert_eq!(claims[4]["reason"], "A simulated driver is never late.");
    assert_eq!(sheet["labs"][0]["runs"].as_array().unwrap().len(), 5);
}

#[test]
fn predictions_stand_beside_the_result() {
    let labs = Labs::good();
    let sheet = labs.path("sheet.json");
    let arguments = ["check", "pool", "--virtual", "--predict", "--json", sheet.to_str().unwrap()];
    let ran = labs.run_with(&arguments, "many\n25\n0.2s\n");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("\"many\" is not a value"), "{}", ran.err);
    let row = |claim: &str| ran.out.lines().find(|line| line.contains(claim)).unwrap().to_owned();
    assert!(row("ceiling").contains("25/s"), "{}", ran.out);
    assert!(row("median").contains("200 ms"), "{}", ran.out);
    let text = std::fs::read_to_string(sheet).unwrap();
    let sheet: serde_json::Value = serde_json::from_str(&text).unwrap();
    let claims = &sheet["labs"][0]["claims"];
    assert_eq!(claims[0]["guess"], serde_json::json!({ "typed": "25", "value": 25.0 }));
    assert_eq!(claims[1]["guess"], serde_json::Value::Null);
    assert_eq!(claims[3]["guess"], serde_json::json!({ "typed": "0.2s", "value": 200.0 }));
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let labs = Labs::good();
    let check = |seed| labs.run(&["check", "pool", "--virtual", "--seed", seed]).out;
    assert_eq!(check("7"), check("7"));
    assert_ne!(check("7"), check("8"));
}

#[test]
fn run_shows_tables_and_judges_nothing() {
    let ran = Labs::good().run(&["run", "pool", "--virtual"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("u60         /report"), "{}", ran.out);
    assert!(ran.out.contains("knee") && ran.out.contains("gate verdict: pass"), "{}", ran.out);
    assert!(!ran.out.contains("what is claimed"));
}
