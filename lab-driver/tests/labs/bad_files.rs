//! A lab file with mistakes is reported whole; a name that means nothing lists near ones.

use crate::support::Labs;

#[test]
fn every_mistake_is_told_at_once_with_its_line() {
    let ran = Labs::bad().run(&["check", "bad", "--virtual"]);
    assert_eq!(ran.code, 2);
    assert_eq!(ran.out, "");
    insta::assert_snapshot!(ran.err);
}

#[test]
fn a_newer_schema_says_so_and_nothing_else() {
    let labs = Labs::with("lab.toml", "schema = 1", "schema = 2\nmeaning = \"new\"");
    let ran = labs.run(&["check", "pool", "--virtual"]);
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(ran.err, @r"
    lab-driver: LABS/01-pool/lab.toml:2:10: schema 2 is newer than this lab-driver, which reads 1
        remedy: update lab-driver, or rewrite the file for schema = 1
    1 mistake; nothing was sent and no file was written
    ");
}

#[test]
fn broken_toml_has_its_place() {
    let labs = Labs::with("lab.toml", "[[claim]]", "[[claim");
    let ran = labs.run(&["list"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("01-pool/lab.toml:30:8: not TOML"), "{}", ran.err);
}

#[test]
fn all_names_of_a_lab_mean_it() {
    let labs = Labs::good();
    for name in ["1", "01", "001", "pool", "01-pool", "Pool"] {
        let ran = labs.run(&["show", name]);
        assert!(ran.code == 0 && ran.out.starts_with("# 01 The pool"), "{name}: {}", ran.err);
    }
}

#[test]
fn a_name_that_means_nothing_lists_near_ones_and_all() {
    let labs = Labs::good();
    let ran = labs.run(&["check", "pol", "3", "--virtual"]);
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(ran.err, @r#"
    lab-driver: no lab is called "pol"; did you mean pool? The labs are 01-pool, 02-times
    no lab is called "3"; the labs are 01-pool, 02-times
    "#);
    assert_eq!(labs.run(&["check"]).code, 2);
    assert_eq!(labs.run(&["check", "pool", "--all"]).code, 2);
}

#[test]
fn a_folder_without_labs_is_said() {
    let labs = Labs::good();
    std::fs::remove_dir_all(labs.path("01-pool")).unwrap();
    std::fs::remove_dir_all(labs.path("02-times")).unwrap();
    let ran = labs.run(&["list"]);
    assert!(ran.code == 2 && ran.err.contains("there is no lab in LABS"), "{}", ran.err);
}
