//! The random words of a target: a short, well mixed sequence that a seed repeats.

/// `SplitMix64`: the words of two seeds have nothing in common that a lesson could show.
pub(crate) struct Stream(u64);

impl Stream {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next word, uniform over all 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published first words of the generator for the seed 1234567.
    #[test]
    fn the_words_are_those_of_the_published_generator() {
        let mut stream = Stream::new(1_234_567);
        let words: [u64; 3] = std::array::from_fn(|_| stream.next());
        let published =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(words, published);
    }
}
