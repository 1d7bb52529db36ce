//! Randomness that is passed in: SplitMix64 from a seed, the same on every machine and in every version.

/// A seeded source of numbers; for simulation only, never for secrets.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub const fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Evenly from 0 to below `bound`; zero for a bound of zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        let scaled = (u128::from(self.roll()) * u128::from(bound)) >> 64;
        u64::try_from(scaled).unwrap_or(0)
    }

    /// Evenly from `low` to `high`, both included; `low` when there is nothing between.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.saturating_sub(low).max(0).unsigned_abs();
        low.saturating_add_unsigned(self.below(span.saturating_add(1)))
    }

    /// True in `ppm` of a million cases.
    pub fn chance(&mut self, ppm: u32) -> bool {
        self.below(1_000_000) < u64::from(ppm)
    }
}

#[cfg(test)]
mod tests {
    use super::Dice;

    #[test]
    fn published_sequence() {
        // First outputs of SplitMix64 for seed 1234567, as published with the algorithm.
        let mut dice = Dice::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!([dice.roll(), dice.roll(), dice.roll()], expected);
    }

    #[test]
    fn stays_within_its_bounds() {
        let mut dice = Dice::new(1);
        assert!((0..1_000).all(|_| (-3..=3).contains(&dice.between(-3, 3))));
        assert_eq!((dice.below(0), dice.between(5, 4)), (0, 5));
        assert!(!(0..1_000).any(|_| dice.chance(0)) && (0..1_000).all(|_| dice.chance(1_000_000)));
    }
}
