//! How long a piece of work takes.

use crate::engine::random::{Exponentials, Stream};
use crate::engine::time::Ns;
use crate::engine::whole;

/// A source of service times.
#[derive(Clone, Debug)]
pub enum Service {
    /// Always the same.
    Constant(Ns),
    /// The same, but every n-th takes another time (a cold cache).
    EveryNth {
        /// Which one: the n-th, the 2n-th, …
        n: u64,
        /// What it takes.
        slow: Ns,
        /// What the others take.
        fast: Ns,
        /// How many there have been.
        count: u64,
    },
    /// Uniform between two times.
    Uniform {
        /// Shortest.
        from: Ns,
        /// Longest.
        to: Ns,
        /// Where the numbers come from.
        stream: Box<Stream>,
    },
    /// Exponential: the textbooks' service time.
    Exponential {
        /// Mean.
        mean: Ns,
        /// What it is multiplied by.
        numbers: Box<Exponentials>,
    },
}

impl Service {
    /// The next service time; at least one nanosecond, so that time advances.
    pub fn draw(&mut self) -> Ns {
        let time = match self {
            Self::Constant(time) => *time,
            Self::EveryNth { n, slow, fast, count } => {
                *count += 1;
                if count.is_multiple_of(*n) { *slow } else { *fast }
            }
            Self::Uniform { from, to, stream } => {
                let share = f64::from(stream.word()) / f64::from(u32::MAX);
                Ns(from.0 + whole::nearest((to.0 - from.0) as f64 * share))
            }
            Self::Exponential { mean, numbers } => {
                Ns(whole::nearest(mean.0 as f64 * numbers.draw()))
            }
        };
        time.max(Ns(1))
    }

    /// Its mean.
    pub fn mean(&self) -> Ns {
        match self {
            Self::Constant(time) => *time,
            Self::EveryNth { n, slow, fast, .. } => Ns((slow.0 + (n - 1) * fast.0) / n),
            Self::Uniform { from, to, .. } => Ns(u64::midpoint(from.0, to.0)),
            Self::Exponential { mean, .. } => *mean,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_is_slow_and_the_mean_says_so() {
        let (slow, fast) = (Ns::from_millis(400), Ns::from_millis(5));
        let mut service = Service::EveryNth { n: 25, slow, fast, count: 0 };
        let times: Vec<_> = (0..50).map(|_| service.draw()).collect();
        assert_eq!(times.iter().filter(|&&time| time == slow).count(), 2);
        assert_eq!((times[24], times[49]), (slow, slow));
        assert_eq!(service.mean(), Ns(times.iter().map(|time| time.0).sum::<u64>() / 50));
    }
}
