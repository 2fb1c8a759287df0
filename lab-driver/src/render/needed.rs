//! Before an open run: how many users at once its rate stands for, by Little's law.

use std::io;

use super::figures::{level, ms};
use crate::engine::prediction::UsersNeeded;

/// `users needed: λ × W = 300/s × 20 ms = 6 at once; …`, after `label`.
pub fn write(label: &str, needed: &UsersNeeded, out: &mut dyn io::Write) -> io::Result<()> {
    let rate = level(needed.rate);
    write!(out, "{label}users needed: λ × W = {rate}/s × ")?;
    match (needed.mean_ms, needed.ceiling) {
        (Some(mean), _) => {
            let users = needed.users(mean / 1e3);
            write!(out, "{} ms = {users} at once, by the laws", ms(mean))?;
        }
        (None, Some(ceiling)) if needed.rate >= ceiling => write!(
            out,
            "W, and W grows without end: the ceiling is {}/s, so {} more are waiting each second",
            level(ceiling),
            level(needed.rate - ceiling),
        )?,
        _ => write!(
            out,
            "W, and W is not known beforehand: {} at once if it is 20 ms",
            needed.users(0.02)
        )?,
    }
    if let Some(freeze_s) = needed.freeze_s {
        write!(
            out,
            "; up to {} in a freeze of {}",
            needed.users(freeze_s),
            super::figures::seconds(freeze_s)
        )?;
    }
    let after = f64::from(needed.limit) / needed.rate;
    writeln!(
        out,
        "; {} if answers take 1 s. The in-flight limit of {} is reached when they take {}",
        needed.users(1.0),
        needed.limit,
        super::figures::seconds(after),
    )
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn the_lessons_six_and_three_hundred() {
        let normal = UsersNeeded {
            rate: 300.0,
            mean_ms: Some(20.3),
            ceiling: Some(400.0),
            freeze_s: None,
            limit: 500,
        };
        let frozen = UsersNeeded { freeze_s: Some(2.0), ..normal };
        let beyond = UsersNeeded { rate: 450.0, mean_ms: None, ..normal };
        let unknown = UsersNeeded { mean_ms: None, ceiling: None, ..normal };
        let text = fixture::text(|out| {
            [normal, frozen, beyond, unknown].iter().try_for_each(|one| write("", one, out))
        });
        insta::assert_snapshot!(text, @r"
        users needed: λ × W = 300/s × 20 ms = 6 at once, by the laws; 300 if answers take 1 s. The in-flight limit of 500 is reached when they take 1.7 s
        users needed: λ × W = 300/s × 20 ms = 6 at once, by the laws; up to 600 in a freeze of 2 s; 300 if answers take 1 s. The in-flight limit of 500 is reached when they take 1.7 s
        users needed: λ × W = 450/s × W, and W grows without end: the ceiling is 400/s, so 50 more are waiting each second; 450 if answers take 1 s. The in-flight limit of 500 is reached when they take 1.1 s
        users needed: λ × W = 300/s × W, and W is not known beforehand: 6 at once if it is 20 ms; 300 if answers take 1 s. The in-flight limit of 500 is reached when they take 1.7 s
        ");
    }
}
