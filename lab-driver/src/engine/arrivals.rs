//! When arrivals come: absolute instants in closed form, so that nothing drifts and every stripe sees the same ones.

use super::plan::Arrivals;
use super::profile::{Inverse, Profile};
use super::random::{Exponentials, Stream};
use super::time::Ns;

/// The arrivals of one stripe: (index, intended start) pairs in order, until the rate's profile ends.
#[derive(Clone, Debug)]
pub struct ArrivalTimes {
    inverse: Inverse,
    spacing: Spacing,
    next: u64,
    stripe: u64,
    stripes: u64,
}

#[derive(Clone, Debug)]
enum Spacing {
    Uniform,
    Poisson { gaps: Box<Exponentials>, reached: f64 },
}

impl ArrivalTimes {
    /// The arrivals with index ≡ `stripe` (mod `stripes`).
    pub fn new(rate: &Profile, arrivals: Arrivals, seed: u64, stripe: u32, stripes: u32) -> Self {
        let spacing = match arrivals {
            Arrivals::Uniform => Spacing::Uniform,
            Arrivals::Poisson => Spacing::Poisson {
                gaps: Box::new(Exponentials::new(Stream::gaps(seed))),
                reached: 0.0,
            },
        };
        Self {
            inverse: Inverse::new(rate),
            spacing,
            next: 0,
            stripe: u64::from(stripe),
            stripes: u64::from(stripes),
        }
    }
}

impl Iterator for ArrivalTimes {
    type Item = (u64, Ns);

    fn next(&mut self) -> Option<(u64, Ns)> {
        loop {
            let index = self.next;
            self.next += 1;
            let mine = self.stripes == 1 || index % self.stripes == self.stripe;
            let area = match &mut self.spacing {
                Spacing::Uniform => index as f64,
                Spacing::Poisson { gaps, reached } => {
                    // Unit exponentials summed, sent through the inverse of ∫rate. Every stripe walks
                    // all gaps, or its arrivals would depend on how many stripes there are.
                    *reached += gaps.draw();
                    *reached
                }
            };
            if mine {
                return self.inverse.instant(area).map(|at| (index, at));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::profile::Piece;
    use super::super::whole;
    use super::*;
    use proptest::prelude::*;

    const S: u64 = 1_000_000_000;

    fn all(rate: &Profile, arrivals: Arrivals, seed: u64) -> Vec<(u64, Ns)> {
        ArrivalTimes::new(rate, arrivals, seed, 0, 1).collect()
    }

    #[test]
    fn a_constant_rate_lies_on_its_grid_and_does_not_drift() {
        let times = all(&Profile::constant(300.0, Ns(20 * S)), Arrivals::Uniform, 0);
        assert_eq!(times.len(), 6_000);
        assert_eq!(times[0].1, Ns(0));
        assert_eq!(times[3_000].1, Ns(10 * S));
        assert_eq!(times[5_999].1, Ns(19_996_666_667));
    }

    #[test]
    fn poisson_counts_have_the_mean_and_variance_of_their_rate() {
        // Counts in windows of 1 s: mean and variance are both the rate.
        let times = all(&Profile::constant(50.0, Ns(4_000 * S)), Arrivals::Poisson, 5);
        let mut counts = vec![0.0f64; 4_000];
        for (_, at) in times {
            counts[usize::try_from(at.0 / S).unwrap()] += 1.0;
        }
        let mean = counts.iter().sum::<f64>() / 4_000.0;
        let variance = counts.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / 3_999.0;
        assert!((mean - 50.0).abs() < 0.5, "mean {mean}");
        assert!((variance / mean - 1.0).abs() < 0.08, "variance {variance}");
    }

    fn profiles() -> impl Strategy<Value = Profile> {
        let piece = (1u64..8_000, 0.0f64..300.0, 0.0f64..300.0)
            .prop_map(|(millis, from, to)| Piece { over: Ns(millis * 1_000_000), from, to });
        prop::collection::vec(piece, 1..4).prop_map(Profile)
    }

    fn kinds() -> impl Strategy<Value = Arrivals> {
        prop_oneof![Just(Arrivals::Uniform), Just(Arrivals::Poisson)]
    }

    proptest! {
        #[test]
        fn instants_never_go_back(rate in profiles(), kind in kinds(), seed in 0u64..9) {
            let times = all(&rate, kind, seed);
            prop_assert!(times.windows(2).all(|pair| pair[0].1 <= pair[1].1));
            prop_assert!(times.iter().all(|(_, at)| *at <= rate.length()));
        }

        #[test]
        fn uniform_counts_follow_the_integral(rate in profiles(), cut in 0.0f64..1.0) {
            let t = Ns(whole::down(rate.length().0 as f64 * cut));
            let count = all(&rate, Arrivals::Uniform, 0).iter().filter(|(_, at)| *at < t).count();
            let planned = rate.integral(t);
            prop_assert!((count as f64 - planned).abs() <= 1.0 + 1e-4, "{count} against {planned}");
        }

        #[test]
        fn stripes_together_are_the_one_schedule(
            rate in profiles(), kind in kinds(), seed in 0u64..9, stripes in 1u32..6,
        ) {
            let mut together: Vec<_> = (0..stripes)
                .flat_map(|stripe| ArrivalTimes::new(&rate, kind, seed, stripe, stripes))
                .collect();
            together.sort_unstable();
            prop_assert_eq!(together, all(&rate, kind, seed));
        }
    }
}
