//! A text to look for in a body that passes by in pieces.

/// A compiled text; finds it across any split of the body, keeping one number as memory
/// (Knuth, Morris and Pratt).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needle {
    pattern: Box<[u8]>,
    /// For each prefix, the length of its longest proper prefix that is also its suffix.
    borders: Box<[usize]>,
}

impl Needle {
    /// Compiles `pattern`. An empty one is found in every body.
    pub fn new(pattern: impl Into<Vec<u8>>) -> Self {
        let pattern = pattern.into().into_boxed_slice();
        let mut needle = Self { borders: vec![0; pattern.len()].into(), pattern };
        for end in 1..needle.pattern.len() {
            needle.borders[end] = needle.step(needle.borders[end - 1], needle.pattern[end]);
        }
        needle
    }

    /// Whether `matched`, as [`advance`](Self::advance) returned it, is the whole text.
    pub(super) fn is_found(&self, matched: usize) -> bool {
        matched == self.pattern.len()
    }

    /// Takes in the next piece of the body; `matched` is 0 at its start.
    pub(super) fn advance(&self, mut matched: usize, piece: &[u8]) -> usize {
        for &byte in piece {
            if self.is_found(matched) {
                break;
            }
            matched = self.step(matched, byte);
        }
        matched
    }

    /// From a match shorter than the pattern to the one after `byte`.
    fn step(&self, mut matched: usize, byte: u8) -> usize {
        while self.pattern[matched] != byte {
            if matched == 0 {
                return 0;
            }
            matched = self.borders[matched - 1];
        }
        matched + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_search_in_the_whole(
            pattern in "[ab]{0,6}",
            pieces in prop::collection::vec("[ab]{0,8}", 0..8),
        ) {
            let needle = Needle::new(pattern.as_bytes());
            let matched = pieces.iter().fold(0, |matched, piece| needle.advance(matched, piece.as_bytes()));
            prop_assert_eq!(needle.is_found(matched), pieces.concat().contains(&pattern));
        }
    }
}
