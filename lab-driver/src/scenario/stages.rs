//! Stages of users or of a rate, and the profiles they make.

use super::draft::StageDraft;
use super::mistake::{Mistakes, Place};
use super::said::{LONGEST_RUN, MOST, Said, short};
use crate::engine::profile::{Piece, Profile};
use crate::engine::time::Ns;

/// One stage.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) place: Place,
    /// Climbs or falls to the level in a straight line; else jumps to it and stays.
    is_ramp: bool,
    pub(super) length: Ns,
    level: Said<f64>,
    /// The level was written with `/s`, `/m` or `/h`, which only a rate has.
    pub(super) has_unit: bool,
}

/// Reads a stage; a wrong one is noted and stands in as a harmless one.
pub(super) fn read(draft: &StageDraft, mistakes: &mut Mistakes) -> Stage {
    let length = draft.length.duration("a stage of", false, LONGEST_RUN, mistakes);
    let level = draft.level.rate_or_zero("level", mistakes);
    Stage {
        place: draft.length.place.clone(),
        is_ramp: draft.is_ramp,
        length: length.map_or(Ns::from_secs(1), |said| said.value),
        has_unit: draft.level.value.contains('/'),
        level: level.unwrap_or_else(|| draft.level.with(1.0)),
    }
}

/// Notes levels that users cannot have, and stages (at least one) that never start anything.
pub(super) fn check(stages: &[Stage], of_users: bool, mistakes: &mut Mistakes) {
    for Stage { level, has_unit, .. } in stages.iter().filter(|_| of_users) {
        if *has_unit {
            let what = format!("{}/s is a rate, and the load is users", level.value);
            mistakes.add(&level.place, what, "write a number of users, or give a rate");
        } else if level.value.fract() != 0.0 {
            let what = format!("there are no {} users", short(&level.value.to_string()));
            mistakes.add(&level.place, what, "write a whole number, or a rate such as 0.5/s");
        } else if level.value > f64::from(MOST) {
            let what = format!("{} users are too many", level.value);
            mistakes.add(&level.place, what, format!("write at most {MOST}"));
        }
    }
    if stages.iter().all(|stage| stage.level.value == 0.0) {
        let what = "every stage goes to 0, so next to nothing starts";
        mistakes.add(&stages[0].level.place, what, "give one of them more than 0");
    }
}

/// The level over time: a ramp begins where the stage before it ended, the first at `plain`.
pub(super) fn profile(stages: &[Stage], plain: f64) -> Profile {
    let mut from = plain;
    let pieces = stages.iter().map(|stage| {
        let to = stage.level.value;
        let start = if stage.is_ramp { from } else { to };
        from = to;
        Piece { over: stage.length, from: start, to }
    });
    Profile(pieces.collect())
}

/// The profile cut off at `duration`, or drawn out to it at its last level: nothing starts outside a run,
/// and the peak tells how many users there are.
pub(super) fn fitted(profile: Profile, duration: Ns) -> Profile {
    let (mut left, mut last, mut pieces) = (duration, 0.0, Vec::new());
    for piece in profile.0 {
        if left == Ns::ZERO {
            break;
        }
        let over = piece.over.min(left);
        let to = if over == piece.over {
            piece.to
        } else {
            let share = over.as_secs_f64() / piece.over.as_secs_f64();
            piece.from + (piece.to - piece.from) * share
        };
        pieces.push(Piece { over, from: piece.from, to });
        (left, last) = (left - over, to);
    }
    if left > Ns::ZERO {
        pieces.push(Piece { over: left, from: last, to: last });
    }
    Profile(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: fn(u64) -> Ns = Ns::from_secs;

    #[test]
    fn a_profile_lasts_as_long_as_the_run() {
        let climb = Profile(vec![Piece { over: S(10), from: 0.0, to: 100.0 }]);
        let cut = fitted(climb.clone(), S(4));
        assert_eq!(cut.0, [Piece { over: S(4), from: 0.0, to: 40.0 }]);
        let drawn_out = fitted(climb.clone(), S(15));
        assert_eq!(drawn_out.length(), S(15));
        assert_eq!(drawn_out.0[1], Piece { over: S(5), from: 100.0, to: 100.0 });
        assert_eq!(fitted(climb.clone(), S(10)), climb);
    }
}
