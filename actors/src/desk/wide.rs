//! Exact comparison of a cycle's product of rates with 1: wide integers, because three prices do not fit into 128 bits.

use super::market::PPM;

const LIMBS: usize = 5;

/// An unsigned integer of 320 bits, lowest limb first. A side of a three-legged cycle needs at most 280.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wide([u64; LIMBS]);

impl Wide {
    pub(super) const ONE: Self = Self([1, 0, 0, 0, 0]);

    /// `self × factor`. Cannot overflow within the bounds that [`Ratio`] keeps; a wrap would only ever come from a
    /// longer cycle than the engine lays out.
    pub(super) fn times(mut self, factor: u64) -> Self {
        let mut carry: u128 = 0;
        for limb in &mut self.0 {
            let product = u128::from(*limb) * u128::from(factor) + carry;
            *limb = low(product);
            carry = product >> 64;
        }
        debug_assert_eq!(carry, 0, "a cycle has at most three legs");
        self
    }

    fn at_least(&self, other: &Self) -> bool {
        self.0.iter().rev().ge(other.0.iter().rev())
    }

    fn bits(&self) -> u32 {
        let mut bits = 64 * 5;
        for limb in self.0.iter().rev() {
            if *limb != 0 {
                return bits - limb.leading_zeros();
            }
            bits -= 64;
        }
        0
    }

    /// `self >> shift`, saturated to 128 bits.
    fn shifted(&self, shift: u32) -> u128 {
        if self.bits() > shift + 128 {
            return u128::MAX;
        }
        let (limbs, bits) = ((shift / 64) as usize, shift % 64);
        let limb = |i: usize| u128::from(self.0.get(limbs + i).copied().unwrap_or(0));
        let (a, b, c) = (limb(0), limb(1), limb(2));
        if bits == 0 {
            a | (b << 64)
        } else {
            (a >> bits) | (b << (64 - bits)) | (c << (128 - bits))
        }
    }
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "the low half is what is asked for"
)]
const fn low(value: u128) -> u64 {
    value as u64
}

/// A product of rates as an exact fraction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ratio {
    over: Wide,
    under: Wide,
}

impl Ratio {
    pub(super) const ONE: Self = Self {
        over: Wide::ONE,
        under: Wide::ONE,
    };
    /// Edges from here on are not told apart: nobody gives away money at 1 000 : 1.
    pub(super) const MOST_PPM: i64 = 1_000 * PPM;

    /// `self × over ÷ under`.
    pub(super) fn times(self, over: u64, under: u64) -> Self {
        Self {
            over: self.over.times(over),
            under: self.under.times(under),
        }
    }

    /// The largest `e` with `self ≥ 1 + e ÷ 1 000 000`, exactly; at most [`Self::MOST_PPM`].
    pub(super) fn edge_ppm(&self) -> i64 {
        const MOST: u128 = 1_001 * 1_000_000;
        // A guess from the leading 96 bits is at most one off; the exact comparison settles which.
        let shift = self.under.bits().saturating_sub(96);
        let (over, under) = (self.over.shifted(shift), self.under.shifted(shift).max(1));
        let guess = over
            .checked_mul(1_000_000)
            .map_or(MOST, |o| (o / under).min(MOST));
        let guess = u64::try_from(guess).unwrap_or(0);
        let over = self.over.times(1_000_000);
        let reached = |q: u64| over.at_least(&self.under.times(q));
        let exact = if reached(guess + 1) {
            guess + 1
        } else if reached(guess) {
            guess
        } else {
            guess.saturating_sub(1)
        };
        (i64::try_from(exact).unwrap_or(i64::MAX) - PPM).min(Self::MOST_PPM)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn whole_edges_are_not_rounded_away() {
        for ppm in [0u64, 1, 200, 500, 3_500_000] {
            let ratio = Ratio::ONE.times(1_000_000 + ppm, 1_000_000);
            assert_eq!(ratio.edge_ppm(), i64::try_from(ppm).unwrap());
            let scaled = ratio
                .times(i64::MAX.unsigned_abs(), i64::MAX.unsigned_abs())
                .times(u64::MAX, u64::MAX);
            assert_eq!(scaled.edge_ppm(), i64::try_from(ppm).unwrap());
        }
        assert_eq!(Ratio::ONE.times(u64::MAX, 1).edge_ppm(), Ratio::MOST_PPM);
        assert_eq!(Ratio::ONE.times(1, u64::MAX).edge_ppm(), -PPM);
    }

    proptest! {
        #[test]
        fn agrees_with_plain_division(over in 1u64..1 << 50, under in 1u64..1 << 50, by in 1u64.., and in 1u64..) {
            let expected = (i128::from(over) * 1_000_000 / i128::from(under) - 1_000_000).min(i128::from(Ratio::MOST_PPM));
            let ratio = Ratio::ONE.times(over, under).times(by, by).times(and, and);
            prop_assert_eq!(i128::from(ratio.edge_ppm()), expected);
        }
    }
}
