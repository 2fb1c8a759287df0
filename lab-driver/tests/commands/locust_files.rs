//! Locust's four files: its headings to the letter, and what a Locust user's script reads of them.

use super::support::Bench;

const STATS: &str = "Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Min Response Time,Max Response Time,Average Content Size,Requests/s,Failures/s,50%,66%,75%,80%,90%,95%,98%,99%,99.9%,99.99%,100%";
const HISTORY: &str = "Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,66%,75%,80%,90%,95%,98%,99%,99.9%,99.99%,100%,Total Request Count,Total Failure Count,Total Median Response Time,Total Average Response Time,Total Min Response Time,Total Max Response Time,Total Average Content Size";
const FAILURES: &str = "Method,Name,Error,Occurrences,First Seen,Last Seen";
const EXCEPTIONS: &str = "Count,Message,Traceback,Nodes";

fn written(flags: &[&str]) -> Bench {
    let bench = Bench::new();
    let run = ["run", "-u", "20", "-t", "10s", "--virtual", "--csv", "out/c", "--json", "r.json"];
    bench.driver(&[&run, flags].concat());
    bench
}

#[test]
fn four_files_with_locusts_headings() {
    let bench = written(&["-f", "api"]);
    for (file, heading) in [
        ("out/c_stats.csv", STATS),
        ("out/c_stats_history.csv", HISTORY),
        ("out/c_failures.csv", FAILURES),
        ("out/c_exceptions.csv", EXCEPTIONS),
    ] {
        assert_eq!(bench.read(file).lines().next(), Some(heading), "{file}");
    }
    let rows = bench.read("out/c_stats_history.csv").lines().count() - 1;
    assert!((10..=11).contains(&rows), "a row per second, and one for the drain: {rows}");
}

/// What the course's script does: by column name, each number through `float`.
#[test]
fn a_script_for_locusts_statistics_reads_ours() {
    let bench = written(&["-f", "api"]);
    let text = bench.read("out/c_stats.csv");
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let headings = csv.headers().unwrap().clone();
    let mut names = Vec::new();
    let mut counts = Vec::new();
    for record in csv.records() {
        let record = record.unwrap();
        let field = |name: &str| &record[headings.iter().position(|one| one == name).unwrap()];
        let number = |name: &str| field(name).parse::<f64>().unwrap();
        let rising = ["50%", "95%", "99%", "Max Response Time"].map(number);
        assert!(rising.is_sorted() && rising[0] > 0.0, "{record:?}");
        assert!(
            (number("Request Count") / 10.0 - number("Requests/s")).abs() < 0.051,
            "{record:?}"
        );
        names.push((field("Type").to_owned(), field("Name").to_owned()));
        counts.push(number("Request Count"));
    }
    let expected = [("GET", "/items"), ("GET", "/report"), ("", "Aggregated")];
    assert_eq!(names, expected.map(|(kind, name)| (kind.to_owned(), name.to_owned())));
    assert!((counts[0] + counts[1] - counts[2]).abs() < 0.5);
}

/// Scripts for Locust's history put every time column through `float`, from the first completion on.
#[test]
fn a_script_for_locusts_history_reads_ours() {
    let bench = written(&["-f", "api", "--warm-up", "2s"]);
    let text = bench.read("out/c_stats_history.csv");
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let headings = csv.headers().unwrap().clone();
    let mut last = Vec::new();
    let mut rows = 0;
    for record in csv.records() {
        let record = record.unwrap();
        let field = |name: &str| &record[headings.iter().position(|one| one == name).unwrap()];
        if field("Total Request Count") == "0" {
            continue;
        }
        let of = |wanted: &dyn Fn(&str) -> bool| {
            let columns = headings.iter().filter(|heading| wanted(heading));
            columns.map(|name| field(name).parse::<f64>().unwrap()).collect::<Vec<_>>()
        };
        let percentiles = of(&|heading| heading.ends_with('%'));
        assert!(percentiles.is_sorted() && percentiles.len() == 11, "{record:?}");
        let totals = of(&|heading| heading.starts_with("Total "));
        let [_, _, median, average, min, max, size] = totals[..] else { panic!("{record:?}") };
        assert!(0.0 < min && min <= median && median <= max && min < average && average < max);
        assert!(size > 0.0, "{record:?}");
        let counted = vec![totals[0], max, -min];
        assert!(last.iter().zip(&counted).all(|(before, now)| before <= now), "{record:?}");
        last = counted;
        rows += 1;
    }
    assert!(rows >= 9, "{rows} rows");
}

#[test]
fn failures_name_their_rule_and_count() {
    let bench = written(&["-f", "api", "--fail-slower", "/report=150ms"]);
    let text = bench.read("out/c_failures.csv");
    let row: Vec<&str> = text.lines().nth(1).unwrap().split(',').collect();
    assert_eq!(row[..3], ["GET", "/report", "took over 150ms"]);
    assert_eq!(row[3], bench.json("r.json")["totals"]["failed"].to_string());
}

#[test]
fn the_lessons_names_name_the_files() {
    let bench = written(&["-f", "locustfile_nowait.py", "--out", "lesson"]);
    let names = std::fs::read_dir(bench.path("lesson")).unwrap();
    let mut names: Vec<String> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let suffixes =
        [".json", "_exceptions.csv", "_failures.csv", "_stats.csv", "_stats_history.csv"];
    assert_eq!(names, suffixes.map(|suffix| format!("locustfile_nowait-u20{suffix}")));
    let stats = "lesson/locustfile_nowait-u20_stats.csv";
    bench.driver(&["summary", stats]).exits(0).says(&["nowait-u20  /items"]);
}
