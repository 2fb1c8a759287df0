//! `summary` over our files, Locust's own, and files that are neither.

use super::support::Bench;

/// As Locust 2.46 writes it: floats in full, percentiles rounded to two digits, `N/A` without requests.
const LOCUSTS: &str = "\
Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Min Response Time,Max Response Time,Average Content Size,Requests/s,Failures/s,50%,66%,75%,80%,90%,95%,98%,99%,99.9%,99.99%,100%
GET,/items,413,0,9,25.903801452784503,6.9,412.4,12.0,14.16233766233766,0.0,9,10,11,11,13,14,400,410,410,410,410
GET,/none,0,0,0,0.0,0,0,0,0.0,0.0,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A
,Aggregated,413,0,9,25.9,6.9,412.4,12.0,14.16,0.0,9,10,11,11,13,14,400,410,410,410,410
";

/// The cells of the row of `endpoint`.
fn row<'a>(table: &'a str, endpoint: &str) -> Vec<&'a str> {
    let line = table.lines().find(|line| line.split_whitespace().nth(1) == Some(endpoint));
    line.unwrap_or_else(|| panic!("no {endpoint} in {table}")).split_whitespace().collect()
}

#[test]
fn csv_and_json_of_one_run_say_the_same() {
    let bench = Bench::new();
    let run = ["run", "-f", "api", "-u", "20", "-t", "10s", "--virtual"];
    let ran = bench.driver(&[&run[..], &["--csv", "c", "--json", "c.json"]].concat()).exits(0);
    let csv = bench.driver(&["summary", "c_stats.csv"]).exits(0).out;
    let json = bench.driver(&["summary", "c.json"]).exits(0).out;
    for endpoint in ["/items", "/report", "Aggregated"] {
        let printed = row(&ran.out, endpoint)[1..].to_vec();
        assert_eq!(row(&csv, endpoint)[1..], printed);
        assert_eq!(row(&json, endpoint)[1..], printed);
    }
}

#[test]
fn ramps_and_several_files_make_one_table() {
    let bench = Bench::new();
    bench.driver(&["ramp", "5", "10", "-t", "5s", "--virtual", "--json", "set.json"]).exits(0);
    bench.write("locustfile-u10_stats.csv", LOCUSTS);
    let files = ["summary", "set.json", "locustfile-u10_stats.csv"];
    let ran = bench.driver(&files).exits(0);
    assert_eq!(ran.out.lines().filter(|line| line.starts_with("run ")).count(), 1, "{ran:#?}");
    assert_eq!(ran.out.lines().filter(|line| line.starts_with("u5 ")).count(), 3, "{ran:#?}");
}

#[test]
fn locusts_own_file() {
    let bench = Bench::new();
    bench.write("locustfile-u10_stats.csv", LOCUSTS);
    let ran = bench.driver(&["summary", "locustfile-u10_stats.csv"]).exits(0);
    assert_eq!(
        row(&ran.out, "/items"),
        ["u10", "/items", "413", "14.2", "26", "9.0", "14", "410", "412"]
    );
    assert_eq!(row(&ran.out, "/none")[2..], ["0", "0.0", "-", "-", "-", "-", "-"]);
}

#[test]
fn what_is_no_result_is_refused_with_a_reason() {
    let bench = Bench::new();
    bench.driver(&["run", "-f", "api", "-u", "5", "-t", "5s", "--virtual", "--json", "r.json"]);
    let whole = bench.read("r.json");
    bench.write("half.json", &whole[..whole.len() / 2]);
    bench.write("newer.json", r#"{"schema": 7, "tool": "reshaped"}"#);
    bench.write("binary.csv", [0_u8, 159, 146, 150, 10, 255]);
    bench.write("binary.json", [0_u8, 159, 146, 150, 10, 255]);
    bench.write("long.csv", "x".repeat(10 << 20));
    bench.write("empty.csv", "");
    bench.write("c_failures.csv", "Method,Name,Error,Occurrences,First Seen,Last Seen\n");
    bench.write("words_stats.csv", LOCUSTS.replace("413", "many"));
    for (file, reason) in [
        ("half.json", "half.json, line "),
        ("newer.json", "has schema 7, this lab-driver reads 1; update lab-driver"),
        ("binary.csv", "binary.csv"),
        ("binary.json", "binary.json"),
        ("long.csv", "long.csv, line 1: the line is too long"),
        ("empty.csv", "empty.csv, line 1: there is no column"),
        ("c_failures.csv", "there is no column \"Request Count\""),
        ("words_stats.csv", "words_stats.csv, line 2: \"many\""),
        ("missing.csv", "cannot read missing.csv"),
        (".", "cannot read ."),
    ] {
        let ran = bench.driver(&["summary", file]).exits(2).says(&[reason]);
        assert!(ran.out.is_empty() && ran.err.len() < 1000, "{ran:#?}");
    }
    // Every file's mistake at once, and no half a table.
    let ran = bench.driver(&["summary", "r.json", "half.json", "long.csv"]).exits(2);
    assert!(ran.says(&["half.json", "long.csv"]).out.is_empty());
}
