//! Aligned text columns: at least as wide as asked, wider when a cell is longer, and no two cells ever touch.

use std::io;

use super::figures::plain;

/// One column.
#[derive(Clone, Debug)]
pub struct Column {
    heading: String,
    width: usize,
    align: Align,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Align {
    Left,
    Right,
}

/// Blanks between two columns when one has grown.
const GAP: usize = 2;

impl Column {
    /// Text: starts at the left edge; `width` in characters, the gap to the next column included.
    pub fn left(heading: impl Into<String>, width: usize) -> Self {
        Self { heading: heading.into(), width, align: Align::Left }
    }

    /// Numbers: end at the right edge; `width` in characters, the gap to the column before included.
    pub fn right(heading: impl Into<String>, width: usize) -> Self {
        Self { heading: heading.into(), width, align: Align::Right }
    }
}

/// A table under construction.
#[derive(Clone, Debug)]
pub struct Columns {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Columns {
    /// Without rows yet.
    pub fn new(columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row: one cell per column (missing ones are blank, further ones are not shown).
    pub fn push(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Writes the headings and the rows.
    pub fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let headings: Vec<String> = self.columns.iter().map(|c| c.heading.clone()).collect();
        let lines: Vec<Vec<String>> = std::iter::once(&headings)
            .chain(&self.rows)
            .map(|cells| cells.iter().map(|cell| plain(cell).into_owned()).collect())
            .collect();
        let widths: Vec<usize> = (0..self.columns.len()).map(|i| self.width(i, &lines)).collect();
        for cells in &lines {
            let line = self.line(cells, &widths);
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    fn width(&self, column: usize, lines: &[Vec<String>]) -> usize {
        let cells = lines.iter().filter_map(|cells| cells.get(column));
        let longest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
        let asked = self.columns[column].width;
        // A cell as wide as its column would touch the neighbour's.
        if longest < asked { asked } else { longest + GAP }
    }

    fn line(&self, cells: &[String], widths: &[usize]) -> String {
        let padded =
            self.columns.iter().zip(widths).zip(cells).map(|((column, &width), cell)| match column
                .align
            {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            });
        padded.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(columns: Vec<Column>, rows: &[&[&str]]) -> String {
        let mut table = Columns::new(columns);
        for row in rows {
            table.push(row.iter().map(ToString::to_string).collect());
        }
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn widths_count_characters_not_bytes() {
        let text = written(
            vec![Column::left("run", 6), Column::right("p95", 6)],
            &[&["u1", "≥410"], &["u2", "≥1410"]],
        );
        assert_eq!(text, "run      p95\nu1      ≥410\nu2     ≥1410\n");
    }

    #[test]
    fn a_long_cell_widens_its_column_for_all() {
        let text = written(
            vec![Column::left("run", 4), Column::right("reqs", 5)],
            &[&["a-long-label", "7"], &["b", "123456"]],
        );
        assert_eq!(
            text,
            "run               reqs\na-long-label         7\nb               123456\n"
        );
    }

    proptest! {
        #[test]
        fn no_two_cells_touch(cells in prop::collection::vec("[a-z≥]{1,9}", 4)) {
            let columns = (0..4).map(|i| if i < 2 { Column::left("h", 5) } else { Column::right("h", 5) });
            let row: Vec<&str> = cells.iter().map(String::as_str).collect();
            let text = written(columns.collect(), &[&row]);
            let line = text.lines().nth(1).unwrap();
            prop_assert_eq!(line.split_whitespace().collect::<Vec<_>>(), row);
        }
    }
}
