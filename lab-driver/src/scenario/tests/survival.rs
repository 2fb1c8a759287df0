//! Whatever a file or flag says, it is read or refused; nothing panics, and no refusal is empty.

use std::path::Path;

use proptest::prelude::*;

use super::flags;
use crate::scenario::{BUILTINS, Overrides, StageText, load};

fn survives(text: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    survives_in(folder.path(), text);
}

fn survives_in(folder: &Path, text: &str) {
    if let Err(mistakes) = super::in_folder(folder, text, Overrides::default()) {
        assert!(mistakes.count() > 0);
        for mistake in mistakes.iter() {
            assert!(!mistake.what.is_empty() && !mistake.remedy.is_empty(), "{mistake}");
        }
    }
}

/// A scenario with one of each field, cut to pieces by the tests.
const RICH: &str = r#"schema = 1
name = "rich"
model = { target = "api", report_pool = 2 }
[load]
stages = [{ over = "2m", to = "600/s" }, { hold = "60s", at = "1500/s" }]
warm_up = "5s"
[[task]]
name = "/search"
weight = 2
request = "GET /search?q={term}"
headers = { X-Load-Test = "1" }
body = "{{{term}}}"
expect = { status = "2xx", body_contains = "" }
[param.term]
pick = ["queue", "cache"]
weights = [3, 1]
[[threshold]]
that = "/search:p(95)<150"
"#;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_text(text in "\\PC{0,200}") {
        survives(&text);
    }

    #[test]
    fn any_lines_of_a_scenario(keep in prop::collection::vec(any::<prop::sample::Index>(), 0..25)) {
        let lines: Vec<&str> = RICH.lines().collect();
        let kept: Vec<&str> = keep.iter().map(|at| *at.get(&lines)).collect();
        survives(&format!("schema = 1\n{}", kept.join("\n")));
    }

    #[test]
    fn a_scenario_with_a_piece_replaced(
        base in 0..=BUILTINS.len(),
        at: prop::sample::Index,
        length in 0usize..6,
        piece in "[-0-9a-z{}\\[\\]\"=.:/<%\n ]{0,6}",
    ) {
        let text = BUILTINS.get(base).map_or(RICH, |builtin| builtin.text);
        let start = text.floor_char_boundary(at.index(text.len()));
        let end = text.ceil_char_boundary((start + length).min(text.len()));
        survives(&format!("{}{piece}{}", &text[..start], &text[end..]));
    }

    #[test]
    fn any_flags(texts in prop::collection::vec("[-0-9a-z/:.=%]{0,8}|[0-9]{1,6}(s|ms|/s)?", 12)) {
        let mut texts = texts.into_iter();
        let mut next = || texts.next().expect("twelve");
        let flags = flags(|f| {
            f.users = Some(next());
            f.run_time = Some(next());
            f.wait = Some(next());
            f.warm_up = Some(next());
            f.timeout = Some(next());
            f.host = Some(next());
            f.stages = vec![StageText::Ramp(next()), StageText::Hold(next())];
            f.thresholds = vec![next()];
            f.budgets = vec![next()];
            f.fail_slower = vec![next()];
            f.model = vec![next()];
        });
        let _ = load(&flags, 1, &|_| Ok(()));
    }
}
