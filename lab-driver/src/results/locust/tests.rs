//! Locust's own files, ours, and what only looks like one.

use super::*;
use crate::engine::rows::usual_statistics;
use crate::render::{fixture, locust_csv};
use proptest::prelude::*;

/// As Locust 2.46 writes it: floats in full, percentiles rounded to two digits.
const LOCUSTS: &str = "\
Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Min Response Time,Max Response Time,Average Content Size,Requests/s,Failures/s,50%,66%,75%,80%,90%,95%,98%,99%,99.9%,99.99%,100%
GET,/items,413,0,10,25.113801452784503,6.9,407.4,12.0,14.16233766233766,0.0,10,10,11,11,13,15,400,400,410,410,410
GET,/none,0,0,0,0.0,0,0,0,0.0,0.0,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A
,Aggregated,538,0,10,44.9,6.9,407.4,12.0,18.45,0.0,10,11,14,100,110,110,210,400,410,410,410
";

fn parsed(text: &str) -> Result<Vec<Row>, ResultError> {
    parse(Path::new("out/locustfile-u10_stats.csv"), text, &usual_statistics())
}

fn refused(text: &str) -> String {
    parsed(text).unwrap_err().to_string()
}

#[test]
fn locusts_own_file() {
    let rows = parsed(LOCUSTS).unwrap();
    assert_eq!(rows.len(), 3);
    assert_eq!(
        (rows[0].run.as_str(), rows[0].endpoint.as_str(), rows[0].reqs),
        ("u10", "/items", 413)
    );
    assert_eq!(rows[0].cells[1..4], [10.0, 15.0, 400.0].map(Cell::Ms));
    assert_eq!(rows[1].cells, [Cell::NoData; 5]);
    assert_eq!(rows[2].endpoint, "Aggregated");
}

#[test]
fn our_own_file() {
    let text = fixture::text(|out| locust_csv::write_stats(&fixture::record(), out));
    let rows = parsed(&text).unwrap();
    assert_eq!(rows.iter().map(|row| row.reqs).collect::<Vec<_>>(), [750, 300, 1_050]);
    assert_eq!(rows[1].cells.last(), Some(&Cell::Ms(199.0)));
}

#[test]
fn labels_are_the_courses() {
    let of = |name: &str| label(Path::new(name));
    assert_eq!(of("out/locustfile-u10_stats.csv"), "u10");
    assert_eq!(of("locustfile_nowait-u10_stats.csv"), "nowait-u10");
    assert_eq!(of("api-u10_stats.csv"), "api-u10");
    assert_eq!(of("locustfile_stats.csv"), "locustfile");
    assert_eq!(of("numbers.csv"), "numbers");
}

#[test]
fn a_missing_column_is_named() {
    let error = refused(&LOCUSTS.replace("99%,", "97%,"));
    assert!(error.contains("line 1: there is no column \"99%\""), "{error}");
    assert!(refused("").contains("there is no column \"Name\""));
    assert!(refused("nonsense\u{0}\n\u{1}").contains("there is no column"));
}

#[test]
fn what_is_no_number_is_quoted_with_its_line() {
    let error = refused(&LOCUSTS.replace("18.45", "fast"));
    assert!(
        error.starts_with("out/locustfile-u10_stats.csv, line 4: \"fast\" under \"Requests/s\""),
        "{error}"
    );
    assert!(refused(&LOCUSTS.replace("14.16233766233766", "inf")).contains("not a number"));
    assert!(refused(&LOCUSTS.replace(",413,", ",-1,")).contains("line 2"));
}

#[test]
fn rows_of_another_width_and_endless_lines() {
    let error = refused(&format!("{LOCUSTS}GET,/items\n"));
    assert!(error.contains("line 5: 2 fields where the heading has 22"), "{error}");
    let endless = refused(&format!("{LOCUSTS}{}", "9".repeat(10 << 20)));
    assert!(endless.contains("line 5: the line is too long"), "{endless}");
}

proptest! {
    #[test]
    fn hostile_text_never_panics(text in ".{0,200}", at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let _ = parsed(&text);
        let mut bytes = LOCUSTS.as_bytes().to_vec();
        bytes[at.index(LOCUSTS.len())] = byte;
        let _ = parsed(&String::from_utf8_lossy(&bytes));
    }
}
