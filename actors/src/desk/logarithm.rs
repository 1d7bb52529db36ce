//! Binary logarithms of integers by table, in integers: the engine's quick sieve.
//!
//! The sum of a cycle's logarithms says within [`MARGIN`] whether its product of rates reaches the edge; what passes the
//! sieve is then decided exactly (`wide.rs`). The sieve only ever errs by letting too much through.

/// Logarithms are in units of 2⁻⁴⁰.
pub(super) const ONE: i64 = 1 << 40;
/// More than what nine interpolated logarithms (three prices, six for fees) and the threshold can be off together: an
/// interpolation over 2⁻¹⁰ errs by at most 2⁻²⁰ ÷ 8 ÷ ln 2 ≈ 1.8 · 10⁻⁷, so twelve by 2.1 · 10⁻⁶; 2⁻¹⁷ is 7.6 · 10⁻⁶.
pub(super) const MARGIN: i64 = ONE >> 17;

const INDEX_BITS: u32 = 10;
const ENTRIES: usize = (1 << INDEX_BITS) + 1;

/// log₂ of 1 … 2 in steps of 2⁻¹⁰.
pub(super) struct LogTable([i64; ENTRIES]);

impl LogTable {
    pub(super) fn new() -> Self {
        let mut table = [ONE; ENTRIES];
        for (i, entry) in (0u64..).zip(table.iter_mut()).take(ENTRIES - 1) {
            *entry = exact((1 << INDEX_BITS) + i);
        }
        Self(table)
    }

    /// log₂(x); zero for zero, which no caller has.
    pub(super) fn log2(&self, x: u64) -> i64 {
        if x == 0 {
            return 0;
        }
        let zeros = x.leading_zeros();
        // The leading one is dropped: what follows are ten bits of place and 53 bits of distance to the next place.
        let mantissa = (x << zeros) << 1;
        let place = (mantissa >> (64 - INDEX_BITS)) as usize;
        let distance = ((mantissa << INDEX_BITS) >> 32).cast_signed();
        match self.0.get(place..place + 2) {
            Some([low, high]) => i64::from(63 - zeros) * ONE + low + (((high - low) * distance) >> 32),
            _ => 0,
        }
    }
}

/// log₂(x ÷ 2¹⁰) for 2¹⁰ ≤ x < 2¹¹, one bit for each squaring.
fn exact(x: u64) -> i64 {
    let mut value = u128::from(x) << 50;
    let mut log = 0;
    for bit in (0..40).rev() {
        value = (value * value) >> 60;
        if value >> 61 != 0 {
            value >>= 1;
            log |= 1 << bit;
        }
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn powers_of_two_are_exact() {
        let table = LogTable::new();
        for power in 0..64 {
            assert_eq!(table.log2(1 << power), i64::from(power) * ONE);
        }
        assert_eq!(table.log2(u64::MAX) >> 40, 63);
    }

    proptest! {
        #[test]
        fn errs_less_than_the_sieve_allows(x in 1u64..) {
            let truth = (x as f64).log2();
            let ours = LogTable::new().log2(x) as f64 / ONE as f64;
            prop_assert!((truth - ours).abs() < 2.0e-7, "{x}: {truth} {ours}");
        }

        #[test]
        fn never_falls(x in 1u64..u64::MAX) {
            let table = LogTable::new();
            prop_assert!(table.log2(x) <= table.log2(x + 1));
        }
    }
}
