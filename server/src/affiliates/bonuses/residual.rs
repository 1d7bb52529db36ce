//! Residual: of what robots of three levels brought on a day, when it is closed. Pure.

use protocol::money::Usdt;

/// A member's result of a day, over all licences, less what is still to be set off from worse days (≥ 0): what residual bonuses are paid
/// on, and what is to be set off later.
#[must_use]
pub fn base(to_set_off: Usdt, result: Usdt) -> (Usdt, Usdt) {
    let rest = Usdt::clamped(i128::from(result.0) - i128::from(to_set_off.0));
    (
        rest.max(Usdt::ZERO),
        Usdt::clamped(-i128::from(rest.min(Usdt::ZERO).0)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn losses_are_carried_and_set_off_first() {
        let after = |to_set_off, result| {
            let (paid_on, rest) = base(Usdt::whole(to_set_off), Usdt::whole(result));
            (paid_on.0 / Usdt::ONE, rest.0 / Usdt::ONE)
        };
        assert_eq!(after(0, 100), (100, 0));
        assert_eq!(after(0, -100), (0, 100));
        assert_eq!(after(100, 30), (0, 70));
        assert_eq!(after(70, 100), (30, 0));
        assert_eq!(after(70, 70), (0, 0));
    }

    proptest! {
        #[test]
        fn nothing_of_a_result_is_lost_or_made(owed in 0i64..1_000, results in proptest::collection::vec(-500i64..500, 1..30)) {
            let (mut to_set_off, mut paid) = (Usdt(owed), 0);
            for result in &results {
                let (paid_on, rest) = base(to_set_off, Usdt(*result));
                prop_assert!(paid_on.is_zero() || rest.is_zero());
                paid += paid_on.0;
                to_set_off = rest;
            }
            prop_assert_eq!(paid - to_set_off.0, results.iter().sum::<i64>() - owed);
        }
    }
}
