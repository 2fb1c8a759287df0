//! Sample files of the driver and `--truth` logs of a target, row by row: both may be larger than any record.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use super::ResultError;
use crate::engine::join::Reported;

const NOT_SAMPLES: &str = "give the file that lab-driver run --samples wrote";
const NOT_TRUTH: &str = "give the file that lab-server --truth wrote";

/// The requests of a sample file.
pub fn read_samples(path: &Path) -> Result<Vec<Reported>, ResultError> {
    let mut lines = BufReader::new(open(path)?);
    let mut head = String::new();
    let unreadable = |source| ResultError::Unreadable { file: path.to_owned(), source };
    lines.read_line(&mut head).map_err(unreadable)?;
    let said = |name: &str| {
        let mut parts = head.trim_start_matches('#').split(';').map(str::trim);
        parts.find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
    };
    let t0 = said("t0_monotonic_ns").and_then(|t0| t0.parse::<u64>().ok());
    let (Some(t0), Some(since)) = (t0, said("response_from")) else {
        let problem = "the line with t0_monotonic_ns is missing".to_owned();
        return Err(malformed(path, 1, problem, NOT_SAMPLES));
    };
    if t0 == 0 {
        let problem = "these are samples of virtual time, which no target's log shares".to_owned();
        return Err(malformed(path, 1, problem, "run against a real target, without --virtual"));
    }
    let since = format!("{since}_ns");
    let names = ["request", "endpoint", &since, "done_ns", "status"];
    let mut samples = Vec::new();
    rows(path, lines, 1, &names, NOT_SAMPLES, |fields| {
        let instant = |text: &str| t0.checked_add(text.parse().ok()?);
        samples.push(Reported {
            request: fields[0].to_owned(),
            endpoint: fields[1].to_owned(),
            from: instant(fields[2])?,
            done: instant(fields[3])?,
            answered: !fields[4].is_empty(),
        });
        Some(())
    })?;
    Ok(samples)
}

/// When each named request left the target, by its log; without those that never did.
pub fn read_departures(path: &Path) -> Result<HashMap<String, u64>, ResultError> {
    let file = BufReader::new(open(path)?);
    let mut departures = HashMap::new();
    rows(path, file, 0, &["lab_request", "departure_ns"], NOT_TRUTH, |fields| {
        if !fields[0].is_empty() && !fields[1].is_empty() {
            departures.insert(fields[0].to_owned(), fields[1].parse().ok()?);
        }
        Some(())
    })?;
    Ok(departures)
}

fn open(path: &Path) -> Result<File, ResultError> {
    File::open(path).map_err(|source| ResultError::Unreadable { file: path.to_owned(), source })
}

/// Hands the fields of these columns to `take`, row by row; `above` lines have been read before the header.
fn rows(
    path: &Path,
    from: impl std::io::Read,
    above: u64,
    names: &[&str],
    remedy: &'static str,
    mut take: impl FnMut(&[&str]) -> Option<()>,
) -> Result<(), ResultError> {
    let mut csv = csv::Reader::from_reader(from);
    let wrong = |error: csv::Error| {
        let line = above + error.position().map_or(1, csv::Position::line);
        malformed(path, line, error.to_string(), remedy)
    };
    let header = csv.headers().map_err(wrong)?.clone();
    let mut columns = Vec::new();
    for name in names {
        let found = header.iter().position(|heading| heading == *name);
        let missing = || malformed(path, above + 1, format!("there is no column {name}"), remedy);
        columns.push(found.ok_or_else(missing)?);
    }
    let mut row = csv::StringRecord::new();
    while csv.read_record(&mut row).map_err(wrong)? {
        let fields: Vec<&str> = columns.iter().map(|at| row.get(*at).unwrap_or_default()).collect();
        if take(&fields).is_none() {
            let line = above + row.position().map_or(1, csv::Position::line);
            return Err(malformed(path, line, "a time is no whole number".to_owned(), remedy));
        }
    }
    Ok(())
}

fn malformed(path: &Path, line: u64, problem: String, remedy: &'static str) -> ResultError {
    ResultError::Malformed { file: path.to_owned(), line, problem, remedy }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    const HEAD: &str = "# lab-driver samples 1; t0_monotonic_ns=1000; response_from=intended\n";
    const COLUMNS: &str = "request,endpoint,intended_ns,sent_ns,done_ns,status\n";

    #[test]
    fn samples_count_from_the_clock_of_their_head() {
        let text = format!("{HEAD}{COLUMNS}r-0,\"a,b\",5,6,9,200\nr-1,/x,7,8,30,\n");
        let samples = read_samples(file(&text).path()).unwrap();
        assert_eq!((samples[0].from, samples[0].done, samples[0].answered), (1_005, 1_009, true));
        assert_eq!((&*samples[0].endpoint, samples[1].answered), ("a,b", false));
        let sent = text.replace("from=intended", "from=sent");
        assert_eq!(read_samples(file(&sent).path()).unwrap()[0].from, 1_006);
    }

    #[test]
    fn a_log_has_named_requests_that_left() {
        let text = "arrival_ns,work_start_ns,departure_ns,lab_request,path,status,bytes\n\
                    1,2,9,r-0,/x,200,2\n1,,,r-1,/x,,0\n1,2,3,,/x,200,2\n";
        let departures = read_departures(file(text).path()).unwrap();
        assert_eq!(departures, HashMap::from([("r-0".to_owned(), 9)]));
    }

    #[test]
    fn what_is_neither_is_told_with_its_line() {
        let say = |text: &str| read_samples(file(text).path()).unwrap_err().to_string();
        assert!(say("").contains("line 1: the line with t0_monotonic_ns is missing"));
        assert!(say(&format!("{HEAD}a,b\n")).contains("line 2: there is no column request"));
        let text = format!("{HEAD}{COLUMNS}r-0,/,5,6,soon,200\n");
        assert!(say(&text).contains("line 3: a time is no whole number"), "{}", say(&text));
        let far = format!("{HEAD}{COLUMNS}r-0,/,5,6,{},200\n", u64::MAX);
        assert!(say(&far).contains("line 3: a time is no whole number"), "{}", say(&far));
        assert!(say(&HEAD.replace("1000", "0")).contains("virtual time"));
    }
}
