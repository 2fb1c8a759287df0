//! The README shows what the commands really print: each of its runs in virtual time is repeated, and compared to the byte.

use std::path::Path;
use std::process::Command;

const README: &str = include_str!("../../README.md");

/// A command line of the README, and what stands below it.
#[derive(Debug, PartialEq)]
struct Example {
    command: String,
    shown: String,
}

/// The command lines after `$ ` in the console blocks of `text`.
fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let (mut inside, mut shows) = (false, false);
    for line in text.lines() {
        if line.starts_with("```") {
            (inside, shows) = (!inside && line == "```console", false);
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            examples.push(Example { command: command.to_owned(), shown: String::new() });
            shows = true;
        } else if let Some(last) = examples.last_mut().filter(|_| shows) {
            last.shown.push_str(line);
            last.shown.push('\n');
        }
    }
    examples
}

/// The same everywhere and always: our own command, in virtual time, with its seed.
fn is_deterministic(command: &str) -> bool {
    command.starts_with("lab-driver ")
        && command.contains(" --virtual")
        && command.contains(" --seed ")
}

/// What a terminal shows of `command`, where lab-driver is on the path and no variable speaks for a flag.
fn printed_by(command: &str) -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_lab-driver")).parent().expect("a file has a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).env("PATH", format!("{}:{path}", folder.display()));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("LAB_") {
            shell.env_remove(name);
        }
    }
    let output = shell.output().expect("sh is there");
    String::from_utf8(output.stderr).expect("text")
        + &String::from_utf8(output.stdout).expect("text")
}

#[test]
fn every_run_in_virtual_time_prints_what_the_readme_shows() {
    let examples = examples(README);
    let deterministic: Vec<_> =
        examples.into_iter().filter(|example| is_deterministic(&example.command)).collect();
    assert!(deterministic.len() >= 3, "the README shows runs in virtual time: {deterministic:?}");
    for Example { command, shown } in deterministic {
        let printed = printed_by(&command);
        assert!(printed == shown, "$ {command}\n{printed}--- but the README shows:\n{shown}");
    }
}

#[test]
fn only_console_blocks_hold_examples() {
    let text = "$ no\n```text\n$ no\n```\n```console\n$ yes\none\n\ntwo\n$ and\n```\nafter\n";
    let yes = |command: &str, shown: &str| Example { command: command.into(), shown: shown.into() };
    assert_eq!(examples(text), [yes("yes", "one\n\ntwo\n"), yes("and", "")]);
}
