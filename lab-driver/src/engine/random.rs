//! Random numbers by address: every user and every arrival owns fixed words of one seeded stream.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Words drawn per iteration or arrival, whatever they are used for: one block of the cipher.
pub const WORDS: usize = 16;

/// Most parameters (data files included) a scenario may have: one word each, after task and think time.
pub const MAX_PARAMETERS: usize = WORDS - FIRST_PARAMETER;

const TASK: usize = 0;
const THINK: usize = 2;
const FIRST_PARAMETER: usize = 4;

// Users take the streams 0, 1, 2, …; arrivals, gaps, shuffles and service times take four that no user can reach.
const ARRIVALS: u64 = u64::MAX;
const GAPS: u64 = u64::MAX - 1;
const SHUFFLE: u64 = u64::MAX - 2;
const SERVICE: u64 = u64::MAX - 3;

/// A stream of random words that belongs to one user, to the arrivals or to the gaps between them.
///
/// Streams depend on the seed and their own number alone, never on threads or shards.
#[derive(Clone, Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of user `index`; block `k` of it belongs to the user's iteration `k`.
    pub fn user(seed: u64, index: u32) -> Self {
        Self::numbered(seed, u64::from(index))
    }

    /// The stream of all arrivals; block `i` of it belongs to arrival `i`.
    pub fn arrivals(seed: u64) -> Self {
        Self::numbered(seed, ARRIVALS)
    }

    /// The stream of the gaps between Poisson arrivals; every stripe walks it whole.
    pub fn gaps(seed: u64) -> Self {
        Self::numbered(seed, GAPS)
    }

    /// The stream that orders shuffled values.
    pub fn shuffle(seed: u64) -> Self {
        Self::numbered(seed, SHUFFLE)
    }

    /// The stream of a modelled target's service times: what a target draws shifts nothing that the driver draws.
    pub fn service(seed: u64) -> Self {
        Self::numbered(seed, SERVICE)
    }

    fn numbered(seed: u64, stream: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Self(rng)
    }

    /// The words of the next iteration or arrival.
    pub fn block(&mut self) -> Block {
        let mut bytes = [0; WORDS * 4];
        self.0.fill_bytes(&mut bytes);
        Block(bytes)
    }

    /// Passes over `blocks` blocks that belong to other stripes.
    pub fn skip(&mut self, blocks: u64) {
        // Reading forward is cheaper than re-seeking for the few blocks between two of one stripe.
        for _ in 0..blocks * WORDS as u64 {
            self.0.next_u32();
        }
    }

    /// The next word.
    pub fn word(&mut self) -> u32 {
        self.0.next_u32()
    }
}

/// Exponential numbers with mean 1, from a stream that nobody else reads.
#[derive(Clone, Debug)]
pub struct Exponentials {
    stream: Stream,
    /// Drawn ahead: one after the other each would wait for its own logarithm, together they overlap.
    drawn: [f64; 32],
    taken: usize,
}

impl Exponentials {
    /// Reads `stream` forward, two words for each number.
    pub fn new(stream: Stream) -> Self {
        Self { stream, drawn: [0.0; 32], taken: 32 }
    }

    /// The next number.
    pub fn draw(&mut self) -> f64 {
        if self.taken == self.drawn.len() {
            self.drawn = std::array::from_fn(|_| exponential(unit(self.stream.0.next_u64())));
            self.taken = 0;
        }
        self.taken += 1;
        self.drawn[self.taken - 1]
    }
}

/// The words of one iteration or arrival. Each purpose has its own place,
/// so that a new parameter shifts no task choice and no think time.
#[derive(Clone, Copy, Debug)]
pub struct Block([u8; WORDS * 4]);

impl Block {
    /// The word that chooses the task.
    pub fn task(&self) -> u32 {
        self.word(TASK)
    }

    /// A number in 0..1 for the think time.
    pub fn think(&self) -> f64 {
        unit(u64::from(self.word(THINK)) << 32 | u64::from(self.word(THINK + 1)))
    }

    /// The word of parameter `position` (in file order), below [`MAX_PARAMETERS`].
    pub fn parameter(&self, position: usize) -> u32 {
        self.word(FIRST_PARAMETER + position)
    }

    fn word(&self, position: usize) -> u32 {
        let bytes = &self.0[position * 4..][..4];
        u32::from_le_bytes(bytes.try_into().expect("four bytes"))
    }
}

/// Scales a word to 0..n without bias worth naming (n is far below 2^32).
pub fn below(word: u32, n: u32) -> u32 {
    ((u64::from(word) * u64::from(n)) >> 32) as u32
}

/// Where a word falls among cumulative weights: the index of the first that exceeds it.
///
/// `cumulative` is not empty and ends with the total.
pub fn weighted(word: u32, cumulative: &[f64]) -> usize {
    let total = cumulative.last().copied().unwrap_or(0.0);
    let mark = f64::from(word) / 4_294_967_296.0 * total;
    cumulative.partition_point(|&upto| upto <= mark).min(cumulative.len() - 1)
}

/// An exponential number with mean 1 from a uniform one in 0..1.
pub fn exponential(unit: f64) -> f64 {
    -(1.0 - unit).ln()
}

fn unit(word: u64) -> f64 {
    (word >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipping_is_reading_and_forgetting() {
        let (mut a, mut b) = (Stream::arrivals(7), Stream::arrivals(7));
        a.skip(3);
        for _ in 0..3 {
            b.block();
        }
        assert_eq!(a.block().0, b.block().0);
    }

    #[test]
    fn streams_differ_by_user_and_by_seed() {
        let first = |seed, user| Stream::user(seed, user).block().0;
        assert_ne!(first(1, 0), first(1, 1));
        assert_ne!(first(1, 0), first(2, 0));
        assert_eq!(first(1, 0), first(1, 0));
    }

    #[test]
    fn weights_share_the_words_in_proportion() {
        let mut stream = Stream::user(3, 0);
        let first =
            (0..40_000).filter(|_| weighted(stream.block().task(), &[3.0, 4.0]) == 0).count();
        assert!((29_600..30_400).contains(&first), "{first} of 40000 with weight 3 of 4");
        assert_eq!(weighted(u32::MAX, &[3.0, 4.0]), 1);
        assert_eq!(weighted(0, &[0.0, 4.0]), 1, "a weight of zero is never chosen");
    }

    #[test]
    fn exponential_numbers_have_mean_and_variance_one() {
        let mut numbers = Exponentials::new(Stream::gaps(11));
        let n = 100_000;
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..n {
            let x = numbers.draw();
            sum += x;
            squares += x * x;
        }
        let mean = sum / f64::from(n);
        let variance = squares / f64::from(n) - mean * mean;
        assert!((mean - 1.0).abs() < 0.02, "mean {mean}");
        assert!((variance - 1.0).abs() < 0.05, "variance {variance}");
    }
}
