//! `lab list`: a row per lab.

use super::{Exit, Refusal, Source, outputs, read};
use crate::render::columns::{Column, Columns};

pub(super) fn run(sources: &[Source]) -> Result<Exit, Refusal> {
    let labs = read(&sources.iter().collect::<Vec<_>>())?;
    let mut table = Columns::new(vec![
        Column::left("lab", 12),
        Column::left("title", 12),
        Column::right("minutes", 9),
        Column::right("quick", 7),
        Column::right("claims", 8),
        Column::left("", 2),
        Column::left("lesson", 1),
    ]);
    for (_, lab) in &labs {
        table.push(vec![
            lab.id.clone(),
            lab.title.clone(),
            lab.minutes.live.to_string(),
            lab.minutes.quick.to_string(),
            lab.claims.len().to_string(),
            String::new(),
            lab.lesson.clone(),
        ]);
    }
    outputs::to_stdout(|out| table.write(out));
    Ok(Exit::Pass)
}
