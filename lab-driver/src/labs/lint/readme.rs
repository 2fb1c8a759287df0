//! The learner's text: its headings in order, the table of commands, and links that lead somewhere.

use super::Finding;
use crate::labs::find::{README, Source};
use crate::labs::lab::Lab;

/// The headings of every lab, after its title.
const HEADINGS: [&str; 8] = [
    "Goal",
    "The system",
    "Predict",
    "Run",
    "Read the numbers",
    "Checkpoint",
    "Explain",
    "Go further",
];

/// Everything that is wrong with the text.
pub(super) fn check(source: &Source, lab: &Lab) -> Vec<Finding> {
    let place = format!("{}/{README}", source.id);
    if source.readme.trim().is_empty() {
        return vec![Finding::new(&place, "there is no text", "write it under the fixed headings")];
    }
    let prose = prose(&source.readme);
    let mut findings = Vec::from_iter(title(&place, &prose, source, lab));
    findings.extend(headings(&place, &prose));
    findings.extend(links(&place, &prose, source));
    findings
}

/// The lines outside of code blocks.
fn prose(text: &str) -> Vec<&str> {
    let mut in_code = false;
    let keep = |line: &&str| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    };
    text.lines().filter(keep).collect()
}

fn title(place: &str, prose: &[&str], source: &Source, lab: &Lab) -> Option<Finding> {
    let number = source.id.split('-').next().unwrap_or_default();
    let wanted = format!("# {number} {}", lab.title);
    let titles: Vec<&str> = prose.iter().copied().filter(|line| line.starts_with("# ")).collect();
    (titles != [wanted.as_str()]).then(|| {
        let what = "the title is not the lab's number and title, once";
        Finding::new(place, what, format!("write {wanted}"))
    })
}

fn headings(place: &str, prose: &[&str]) -> Vec<Finding> {
    let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in prose {
        match (line.strip_prefix("## "), sections.last_mut()) {
            (Some(heading), _) => sections.push((heading.trim(), Vec::new())),
            (None, Some((_, lines))) => lines.push(line),
            (None, None) => {}
        }
    }
    let found: Vec<&str> = sections.iter().map(|(heading, _)| *heading).collect();
    if found != HEADINGS {
        let what = format!("the headings are {}", found.join(", "));
        return vec![Finding::new(place, what, format!("write {}", HEADINGS.join(", ")))];
    }
    let mut findings = Vec::new();
    for (heading, lines) in &sections {
        if lines.iter().all(|line| line.trim().is_empty()) && *heading != "Run" {
            findings.push(Finding::new(
                place,
                format!("\"{heading}\" is empty"),
                "write the section",
            ));
        }
        if *heading == "Run" && !lines.iter().any(|line| line.starts_with('|')) {
            let what = "\"Run\" has no table of the lesson's words and what they are here";
            findings.push(Finding::new(place, what, "add the table, each row beginning with |"));
        }
    }
    findings
}

/// Links to files that are not there. What is in the program has no neighbours to link to.
fn links(place: &str, prose: &[&str], source: &Source) -> Vec<Finding> {
    let Some(folder) = &source.folder else { return Vec::new() };
    let targets = prose.iter().flat_map(|line| line.split("](").skip(1));
    let targets = targets.filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
    targets
        .filter(|target| !target.contains("://") && !target.starts_with('#'))
        .filter(|target| {
            let file = target.split('#').next().unwrap_or_default();
            !folder.join(file).exists()
        })
        .map(|target| {
            let what = format!("the link {target} leads nowhere");
            Finding::new(place, what, "correct it; links are relative to the lab's folder")
        })
        .collect()
}
