//! The rows of the result table: which numbers a run shows, ready to be formatted.

/// One line of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The run's label: `u10`.
    pub run: String,
    /// The endpoint's name, or [`super::record::AGGREGATED`].
    pub endpoint: String,
    /// Completions inside the window, of any outcome.
    pub reqs: u64,
    /// The same per second.
    pub per_second: f64,
    /// The statistics asked for, in order.
    pub cells: Vec<Cell>,
}

/// One statistic of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    /// A time, ms.
    Ms(f64),
    /// A lower bound of a time, ms: printed with "≥".
    AtLeastMs(f64),
    /// There were no requests to read it from.
    NoData,
}
