//! Measures how much longer than asked `lab_server::timer::sleep` lasts, and prints a table.
//!
//! `cargo run --release -p lab-server --example sleep_precision [SECONDS PER ROW]`

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};

use lab_server::timer::sleep;
use tokio::runtime::Builder;
use tokio::task::LocalSet;

fn main() -> io::Result<()> {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(3);
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let mut out = io::stdout().lock();
    writeln!(out, "asked_ms in_flight p50_over_us p99_over_us        n")?;
    for milliseconds in [5, 20, 100] {
        for in_flight in [1, 50, 200] {
            let asked = Duration::from_millis(milliseconds);
            let end = Instant::now() + Duration::from_secs(seconds).max(100 * asked);
            let mut over = runtime.block_on(LocalSet::new().run_until(row(asked, in_flight, end)));
            over.sort_unstable();
            let [p50, p99] = [50, 99].map(|p| over[(over.len() * p).div_ceil(100) - 1].as_micros());
            let n = over.len();
            writeln!(out, "{milliseconds:8} {in_flight:9} {p50:11} {p99:11} {n:8}")?;
        }
    }
    Ok(())
}

/// What each sleep of `in_flight` endless sleepers took too long, until `end`.
async fn row(asked: Duration, in_flight: u32, end: Instant) -> Vec<Duration> {
    let over = Rc::new(RefCell::new(Vec::new()));
    let sleepers: Vec<_> = (0..in_flight)
        .map(|number| {
            let over = Rc::clone(&over);
            tokio::task::spawn_local(async move {
                // Spread out: sleepers in step would share their wake-ups and look better.
                sleep(asked * number / in_flight).await;
                while Instant::now() < end {
                    let start = Instant::now();
                    sleep(asked).await;
                    over.borrow_mut()
                        .push(start.elapsed().checked_sub(asked).expect("never early"));
                }
            })
        })
        .collect();
    for sleeper in sleepers {
        sleeper.await.expect("a sleeper does not panic");
    }
    over.take()
}
