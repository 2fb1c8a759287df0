//! A level over time (users, or arrivals per second): straight pieces, integrated and inverted in closed form.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::time::Ns;
use super::whole;

/// One straight piece of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    /// How long the piece lasts.
    pub over: Ns,
    /// The level at its start.
    pub from: f64,
    /// The level at its end.
    pub to: f64,
}

/// A level over time. After the last piece the level stays where it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Profile(pub Vec<Piece>);

impl Profile {
    /// The same level for `over`.
    pub fn constant(level: f64, over: Ns) -> Self {
        Self(vec![Piece { over, from: level, to: level }])
    }

    /// From zero to `level` at `per_second`, then constant until `over` has passed.
    pub fn spawning(level: f64, per_second: f64, over: Ns) -> Self {
        let climb = Ns::from_secs_f64(level / per_second);
        let mut pieces = vec![Piece { over: climb, from: 0.0, to: level }];
        if over > climb {
            pieces.push(Piece { over: over - climb, from: level, to: level });
        }
        Self(pieces)
    }

    /// How long all pieces last together.
    pub fn length(&self) -> Ns {
        Ns(self.0.iter().map(|piece| piece.over.0).sum())
    }

    /// The highest level.
    pub fn peak(&self) -> f64 {
        self.0.iter().fold(0.0, |peak, piece| piece.from.max(piece.to).max(peak))
    }

    /// The level at `t`; at a joint that of the later piece.
    pub fn level(&self, t: Ns) -> f64 {
        let mut start = Ns(0);
        for piece in &self.0 {
            if t < start + piece.over {
                return piece.from + piece.slope() * (t - start).as_secs_f64();
            }
            start += piece.over;
        }
        self.0.last().map_or(0.0, |piece| piece.to)
    }

    /// The integral of the level from the start to `t`: how many arrivals a rate has brought by then.
    pub fn integral(&self, t: Ns) -> f64 {
        let mut area = 0.0;
        let mut start = Ns(0);
        for piece in &self.0 {
            let within = t.0.saturating_sub(start.0).min(piece.over.0);
            area += piece.area(within);
            start += piece.over;
            if t <= start {
                break;
            }
        }
        area
    }

    /// The intervals in which the level lies above `threshold`, as [from, to) pairs;
    /// the last one is open-ended (`Ns::MAX`) when the profile ends above it.
    pub fn above(&self, threshold: f64) -> Vec<(Ns, Ns)> {
        let mut intervals = Vec::new();
        let mut since = None;
        let mut start = Ns(0);
        for piece in &self.0 {
            if since.is_none() && piece.from > threshold {
                since = Some(start);
            } else if piece.from <= threshold
                && let Some(from) = since.take()
            {
                intervals.push((from, start));
            }
            let crossing = piece.crossing(threshold).map(|within| start + within);
            match (since, crossing) {
                (None, Some(at)) if piece.to > threshold => since = Some(at),
                (Some(from), Some(at)) if piece.to <= threshold => {
                    intervals.push((from, at));
                    since = None;
                }
                _ => {}
            }
            start += piece.over;
        }
        if let Some(from) = since {
            intervals.push((from, Ns::MAX));
        }
        intervals
    }
}

impl Piece {
    /// The integral of the level over the first `within` nanoseconds of the piece.
    fn area(&self, within: u64) -> f64 {
        let seconds = within as f64 / 1e9;
        seconds * (self.from + self.slope() * seconds / 2.0)
    }

    /// How far into the piece the level crosses `threshold`, if it changes sides inside the piece.
    fn crossing(&self, threshold: f64) -> Option<Ns> {
        let rises = self.from <= threshold && self.to > threshold;
        let falls = self.from > threshold && self.to <= threshold;
        if !(rises || falls) {
            return None;
        }
        let share = (threshold - self.from) / (self.to - self.from);
        Some(Ns(whole::nearest(self.over.0 as f64 * share)))
    }

    /// Change of the level per second.
    fn slope(&self) -> f64 {
        if self.over.0 == 0 { 0.0 } else { (self.to - self.from) / self.over.as_secs_f64() }
    }
}

/// Walks a rate profile forward and answers when its integral reaches a growing sequence of values.
#[derive(Clone, Debug)]
pub struct Inverse {
    pieces: Vec<Solved>,
    current: usize,
    started: Ns,
    area_before: f64,
}

/// A piece with what every answer needs of it.
#[derive(Clone, Copy, Debug)]
struct Solved {
    piece: Piece,
    slope: f64,
    area: f64,
}

impl Solved {
    /// How many seconds into the piece its area reaches `area`: the root of `from·t + slope·t²/2 = area`.
    ///
    /// Written as `2·area / (from + √(from² + 2·slope·area))`, which stays exact when the slope is tiny.
    fn seconds_to(&self, area: f64) -> f64 {
        let from = self.piece.from;
        if area <= 0.0 {
            0.0
        } else if self.slope == 0.0 {
            area / from
        } else {
            2.0 * area / (from + (from * from + 2.0 * self.slope * area).max(0.0).sqrt())
        }
    }
}

impl Inverse {
    /// Starts at the beginning of `rate`.
    pub fn new(rate: &Profile) -> Self {
        let solve = |piece: &Piece| Solved {
            piece: *piece,
            slope: piece.slope(),
            area: piece.area(piece.over.0),
        };
        Self {
            pieces: rate.0.iter().map(solve).collect(),
            current: 0,
            started: Ns(0),
            area_before: 0.0,
        }
    }

    /// The instant at which the integral reaches `area`; none if it never does.
    ///
    /// Each call's `area` is at least the previous one's. The answer depends on `area` alone, so nothing drifts.
    pub fn instant(&mut self, area: f64) -> Option<Ns> {
        while let Some(solved) = self.pieces.get(self.current) {
            let inside = area - self.area_before;
            if inside < solved.area {
                let within = Ns::from_secs_f64(solved.seconds_to(inside)).min(solved.piece.over);
                return Some(self.started + within);
            }
            self.area_before += solved.area;
            self.started += solved.piece.over;
            self.current += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn user_i_of_a_spawn_rate_starts_at_i_over_r() {
        let users = Profile::spawning(10.0, 2.0, Ns(30 * S));
        assert_eq!(users.above(0.0), [(Ns(0), Ns::MAX)]);
        assert_eq!(users.above(3.0), [(Ns(3 * S / 2), Ns::MAX)]);
        assert!(users.above(10.0).is_empty(), "there are ten users: 0 to 9");
    }

    #[test]
    fn the_highest_user_leaves_first_and_may_come_back() {
        let up = Piece { over: Ns(10 * S), from: 0.0, to: 10.0 };
        let down = Piece { over: Ns(10 * S), from: 10.0, to: 0.0 };
        let users = Profile(vec![up, down, up]);
        let seconds: Vec<_> =
            users.above(8.0).iter().map(|&(a, b)| (a.0 / S, b.0.min(99 * S) / S)).collect();
        assert_eq!(seconds, [(8, 12), (28, 99)]);
        assert_eq!(users.above(1.0)[0].1, Ns(19 * S));
    }

    #[test]
    fn a_jump_between_pieces_counts_at_the_joint() {
        let users = Profile(vec![
            Piece { over: Ns(S), from: 1.0, to: 1.0 },
            Piece { over: Ns(S), from: 5.0, to: 5.0 },
            Piece { over: Ns(S), from: 2.0, to: 2.0 },
        ]);
        assert_eq!(users.above(3.0), [(Ns(S), Ns(2 * S))]);
        let levels = [0, S, 2 * S, 9 * S].map(|t| users.level(Ns(t)).to_string());
        assert_eq!(levels, ["1", "5", "2", "2"]);
    }

    #[test]
    fn the_level_climbs_and_then_stays() {
        let climb = Profile::spawning(10.0, 2.0, Ns(30 * S));
        let at = |profile: &Profile, ms| profile.level(Ns::from_millis(ms)).to_string();
        assert_eq!([0, 2_500, 5_000, 40_000].map(|ms| at(&climb, ms)), ["0", "5", "10", "10"]);
        assert_eq!(at(&Profile(Vec::new()), 1_000), "0");
        let jump = Profile(vec![
            Piece { over: Ns(S), from: 1.0, to: 1.0 },
            Piece { over: Ns(S), from: 5.0, to: 2.0 },
        ]);
        assert_eq!([0, 1_000, 1_500, 9_000].map(|ms| at(&jump, ms)), ["1", "5", "3.5", "2"]);
    }

    fn profiles() -> impl Strategy<Value = Profile> {
        let piece = (1u64..20_000, 0.0f64..500.0, 0.0f64..500.0)
            .prop_map(|(millis, from, to)| Piece { over: Ns(millis * 1_000_000), from, to });
        prop::collection::vec(piece, 1..5).prop_map(Profile)
    }

    proptest! {
        #[test]
        fn the_inverse_undoes_the_integral(rate in profiles(), shares in prop::collection::vec(0.0f64..1.0, 1..20)) {
            let total = rate.integral(rate.length());
            let mut areas: Vec<f64> = shares.iter().map(|share| share * total * 0.999).collect();
            areas.sort_by(f64::total_cmp);
            let mut inverse = Inverse::new(&rate);
            for area in areas {
                let at = inverse.instant(area).expect("below the total");
                let back = rate.integral(at);
                // One nanosecond of rounding at the highest rate, and the square root's own error near a rate of zero.
                prop_assert!((back - area).abs() < 1e-4, "{area} came back as {back}");
            }
        }

        #[test]
        fn integral_never_falls(rate in profiles(), a in 0u64..40_000, b in 0u64..40_000) {
            let (early, late) = (a.min(b) * 1_000_000, a.max(b) * 1_000_000);
            prop_assert!(rate.integral(Ns(early)) <= rate.integral(Ns(late)) + 1e-9);
        }
    }
}
