//! Whole numbers from others, at one place: what is out of range becomes the nearest that fits.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates and makes NaN 0, which is what each function promises"
)]

/// The nearest whole number; 0 for what is negative or no number.
pub fn nearest(value: f64) -> u64 {
    (value + 0.5) as u64
}

/// The whole number at or above `value`; 0 for what is negative or no number.
pub fn up(value: f64) -> u64 {
    value.ceil() as u64
}

/// The whole number at or below `value`; 0 for what is negative or no number.
pub fn down(value: f64) -> u64 {
    value as u64
}

/// A number of slots or positions; users and places in flight stay far below 2³².
pub fn slots(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A level of users or arrivals as the number of slots that it needs: the whole number at or above it.
pub fn slots_for(level: f64) -> u32 {
    level.ceil() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_becomes_the_nearest_that_does() {
        assert_eq!((nearest(2.5), nearest(2.4), nearest(-3.0), nearest(f64::NAN)), (3, 2, 0, 0));
        assert_eq!((up(2.1), down(2.9), up(-1.0)), (3, 2, 0));
        assert_eq!(nearest(1e300), u64::MAX);
        assert_eq!(slots_for(1e300), u32::MAX);
    }
}
