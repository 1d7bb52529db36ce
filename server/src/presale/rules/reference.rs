//! The reference of the book: what its band, its bound orders and its losses are counted from. Whole numbers only.

use protocol::{
    money::{Pyx, Usdt},
    pyx::PyxSide,
};

/// The whole, in parts per million.
const WHOLE: i64 = 1_000_000;

/// What was traded in the last 24 hours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    pub cost: Usdt,
    pub quantity: Pyx,
}

/// How the reference follows trades.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Below this volume it stands still.
    pub least: Usdt,
    /// The most that it moves in a business day, in parts per million of where the day before left it.
    pub parts: i64,
}

/// The lowest and the highest that the reference may be on a day which began at `base`.
#[must_use]
pub fn bounds(base: Usdt, parts: i64) -> (Usdt, Usdt) {
    let parts = parts.clamp(0, WHOLE);
    let low = base.mul_div_ceil(WHOLE - parts, WHOLE).unwrap_or(base);
    let high = base.mul_div_floor(WHOLE + parts, WHOLE).unwrap_or(base);
    (low.max(Usdt(1)), high.max(Usdt(1)))
}

/// The reference after what was traded: the average price, once enough was traded, no further from the day's beginning than it may
/// move; otherwise the last one.
#[must_use]
pub fn next(base: Usdt, last: Usdt, traded: Volume, pace: Pace) -> Usdt {
    let average = traded.cost.mul_div_floor(Pyx::ONE, traded.quantity.0);
    let wanted = average
        .filter(|price| price.is_positive() && traded.cost >= pace.least)
        .unwrap_or(last);
    let (low, high) = bounds(base, pace.parts);
    wanted.clamp(low, high)
}

/// Whether a price is at the reference or better for whoever orders.
#[must_use]
pub fn is_fair(side: PyxSide, price: Usdt, reference: Usdt) -> bool {
    match side {
        PyxSide::Buy => price <= reference,
        PyxSide::Sell => price >= reference,
    }
}

/// What a side loses at a price against the reference, rounded up; nothing at the reference or better. None when it cannot be counted.
#[must_use]
pub fn lost(side: PyxSide, price: Usdt, reference: Usdt, quantity: Pyx) -> Option<Usdt> {
    if is_fair(side, price, reference) {
        return Some(Usdt::ZERO);
    }
    let apart = price.0.abs_diff(reference.0);
    Usdt(i64::try_from(apart).ok()?).mul_div_ceil(quantity.0, Pyx::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presale::rules::{
        book::{LOT, TICK},
        cost,
    };
    use proptest::prelude::*;

    const PACE: Pace = Pace {
        least: Usdt::whole(1_000),
        parts: 200_000,
    };

    fn volume(price: i64, whole: i64) -> Volume {
        Volume {
            cost: cost(Pyx::whole(whole), Usdt(price)).unwrap(),
            quantity: Pyx::whole(whole),
        }
    }

    #[test]
    fn the_reference_follows_enough_trades_and_only_so_far() {
        let base = Usdt(500_000);
        for (last, traded, next_one) in [
            // Nothing, or too little, was traded: the last one.
            (510_000, Volume::default(), 510_000),
            (510_000, volume(550_000, 1_818), 510_000),
            (510_000, volume(550_000, 2_000), 550_000),
            (510_000, volume(600_000, 2_000), 600_000),
            (510_000, volume(600_100, 2_000), 600_000),
            (510_000, volume(100_000, 20_000), 400_000),
        ] {
            assert_eq!(
                next(base, Usdt(last), traded, PACE),
                Usdt(next_one),
                "{last} {traded:?}"
            );
        }
        assert_eq!(bounds(Usdt(1), 200_000), (Usdt(1), Usdt(1)));
        assert_eq!(bounds(Usdt(i64::MAX), 500_000).1, Usdt(i64::MAX));
    }

    #[test]
    fn what_is_lost_is_rounded_up_and_only_on_the_worse_side() {
        use PyxSide::{Buy, Sell};
        for (side, price, reference, quantity, expected) in [
            (Buy, 600_000, 500_000, 100_000_000, 10_000_000),
            (Buy, 500_000, 500_000, 100_000_000, 0),
            (Buy, 400_000, 500_000, 100_000_000, 0),
            (Sell, 400_000, 500_000, 100_000_000, 10_000_000),
            (Sell, 600_000, 500_000, 100_000_000, 0),
            (Buy, 500_100, 500_099, 10_000, 1),
            (Sell, 500_000, 500_033, 10_000, 1),
        ] {
            assert_eq!(
                lost(side, Usdt(price), Usdt(reference), Pyx(quantity)),
                Some(Usdt(expected)),
                "{side:?} {price} {reference}"
            );
        }
    }

    /// Business days of trades: on each, prices and quantities in whatever order.
    fn days() -> impl Strategy<Value = Vec<Vec<(i64, i64)>>> {
        let trade = (1i64..2_000_000, 1i64..1_000_000_000);
        proptest::collection::vec(proptest::collection::vec(trade, 0..12), 1..8)
    }

    proptest! {
        #[test]
        fn no_sequence_of_trades_moves_it_more_than_the_set_part_in_a_day(
            first in 1i64..10_000_000, days in days(), parts in 0i64..=500_000, least in 0i64..10_000_000
        ) {
            let pace = Pace { least: Usdt(least), parts };
            let mut last = Usdt(first);
            for trades in days {
                let base = last;
                let mut window = Volume::default();
                for (ticks, lots) in trades {
                    let (price, quantity) = (Usdt(ticks * TICK.0), Pyx(lots * LOT.0));
                    let Some(paid) = cost(quantity, price) else { continue };
                    let Some(sum) = window.cost.checked_add(paid) else { continue };
                    window = Volume { cost: sum, quantity: window.quantity + quantity };
                    last = next(base, last, window, pace);
                    let moved = i128::from(last.0.abs_diff(base.0));
                    prop_assert!(moved * 1_000_000 <= i128::from(base.0) * i128::from(parts), "{base} went to {last}");
                    prop_assert!(last.is_positive());
                }
            }
        }

        #[test]
        fn both_sides_of_a_trade_lose_exactly_what_lies_between(
            ticks in 1i64..1_000_000, lots in 1i64..1_000_000, reference in 1i64..100_000_000
        ) {
            let (price, quantity) = (Usdt(ticks * TICK.0), Pyx(lots * LOT.0));
            let reference = Usdt(reference);
            let paid = cost(quantity, price).unwrap();
            let buyer = lost(PyxSide::Buy, price, reference, quantity).unwrap();
            let seller = lost(PyxSide::Sell, price, reference, quantity).unwrap();
            prop_assert!(buyer.is_zero() || seller.is_zero());
            // Never less than the exact difference, never a whole unit more.
            let exact = i128::from(price.0 - reference.0) * i128::from(quantity.0);
            let counted = i128::from(buyer.0 - seller.0) * i128::from(Pyx::ONE);
            prop_assert!((counted - exact).abs() < i128::from(Pyx::ONE));
            prop_assert!(counted.abs() >= exact.abs());
            prop_assert!(paid.is_positive());
        }
    }
}
