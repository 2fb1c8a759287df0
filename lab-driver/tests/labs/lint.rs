//! `lab lint`: good labs are in order; texts, files and links are looked at; counts are kept and repeated.

use crate::support::Labs;

#[test]
fn good_labs_are_in_order() {
    let ran = Labs::good().run(&["lint", "--seeds", "20"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    insta::assert_snapshot!(ran.out, @r"
    01-pool     length    false failures          caught  smallest margin
    ceiling     full             0 of 20        20 of 20          0.867/s
    gate        full             0 of 20        20 of 20                -
    knee        full             0 of 20        20 of 20               20
    median      full             0 of 20        20 of 20                -
    ceiling     quick            0 of 20        20 of 20          0.667/s
    gate        quick            0 of 20        20 of 20                -
    knee        quick            0 of 20        20 of 20                0
    median      quick            0 of 20        20 of 20                -

    02-times    length    false failures          caught  smallest margin
    mean        full             0 of 20        20 of 20                -

    2 labs, 20 seeds, findings: 0
    ");
}

#[test]
fn texts_are_looked_at() {
    let cases = [
        ("## Predict\n", "## Guess\n", "the headings are Goal, The system, Guess, Run"),
        ("## Explain\nTwo permits.\n", "", "the headings are Goal"),
        ("# 01 The pool", "# 01 A pool", "write # 01 The pool"),
        ("Two permits.", "", "\"Explain\" is empty"),
        (
            "| in the lesson | here |\n|---|---|\n| ramp | `lab-driver lab run pool` |\n",
            "Run it.\n",
            "\"Run\" has no table",
        ),
        ("(lab.toml)", "(lab.yaml)", "the link lab.yaml leads nowhere"),
    ];
    for (from, to, finding) in cases {
        let ran = Labs::with("README.md", from, to).run(&["lint", "pool", "--seeds", "0"]);
        assert_eq!(ran.code, 1, "{finding}");
        assert!(ran.err.contains(finding) && ran.err.contains("01-pool/README.md"), "{}", ran.err);
        assert!(ran.out.ends_with("findings: 1\n"), "{}", ran.out);
    }
}

#[test]
fn stray_files_and_too_few_minutes_are_found() {
    let labs = Labs::with("lab.toml", "live = 4", "live = 1");
    std::fs::write(labs.path("01-pool/notes.txt"), "x").unwrap();
    let ran = labs.run(&["lint", "pool", "--seeds", "0"]);
    assert_eq!(ran.code, 1);
    insta::assert_snapshot!(ran.err, @r"
    LABS/01-pool: notes.txt does not belong here
        remedy: a lab is README.md and lab.toml: move it elsewhere
    01-pool: minutes.live = 1, and the runs alone take 160 s
        remedy: round up what the runs take
    ");
}

#[test]
fn stored_counts_have_their_command_and_a_first_part() {
    let labs = Labs::good();
    let file = labs.path("counts.json");
    let file = file.to_str().unwrap();
    let ran = labs.run(&["lint", "times", "--seeds", "300", "--store", file]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let text = std::fs::read_to_string(file).unwrap();
    let kept: serde_json::Value = serde_json::from_str(&text).unwrap();
    let kept = &kept["labs"][0];
    let command = kept["command"].as_str().unwrap();
    assert!(command.starts_with("lab-driver lab lint 02-times --seeds 300 --store "), "{command}");
    assert_eq!((&kept["seeds"], &kept["first"]), (&300.into(), &200.into()));
    let claim = &kept["claims"][0];
    assert_eq!((&claim["first"]["seeds"], &claim["first"]["caught"]), (&200.into(), &200.into()));
    assert_eq!((&claim["total"]["seeds"], &claim["total"]["caught"]), (&300.into(), &300.into()));
}

#[test]
fn the_counts_of_other_labs_stay() {
    let labs = Labs::good();
    let kept = || std::fs::read_to_string(labs.path("lint-seeds.json")).unwrap();
    let part = |text: &str| text.split("\"lab\": \"02-times\"").next().unwrap().to_owned();
    let before = kept();
    let file = labs.path("lint-seeds.json");
    labs.run(&["lint", "times", "--seeds", "300", "--store", file.to_str().unwrap()]);
    assert_ne!(kept(), before);
    assert_eq!(part(&kept()), part(&before));
}

#[test]
fn other_counts_than_those_kept_are_found() {
    let labs = Labs::good();
    assert_eq!(labs.run(&["lint", "times", "--seeds", "200"]).code, 0);
    labs.edit("lint-seeds.json", "\"caught\": 200", "\"caught\": 199");
    let ran = labs.run(&["lint", "times", "--seeds", "200"]);
    assert_eq!(ran.code, 1);
    insta::assert_snapshot!(ran.err, @r"
    02-times in LABS/lint-seeds.json: claim mean, full length: 0 false failures, 199 caught kept, 0 false failures, 200 caught now
        remedy: lab-driver lab lint 02-times --seeds 10000 --store LABS/lint-seeds.json
    ");
}
