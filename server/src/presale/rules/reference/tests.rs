use super::*;
use crate::presale::rules::{
    book::{LOT, TICK},
    cost,
};
use proptest::prelude::*;
use time::macros::date;
use uuid::Uuid;

const LEAST: Usdt = Usdt::whole(1_000);
const PACE: Pace = Pace {
    least: LEAST,
    parts: 200_000,
};

fn person(n: u8) -> UserId {
    UserId(Uuid::from_u128(n.into()))
}

/// Buyer, seller, price in units, whole PYX.
fn trade((buyer, seller, price, whole): (u8, u8, i64, i64)) -> Traded {
    Traded {
        buyer: person(buyer),
        seller: person(seller),
        cost: cost(Pyx::whole(whole), Usdt(price)).unwrap(),
        quantity: Pyx::whole(whole),
    }
}

#[test]
fn the_reference_follows_enough_people_and_only_so_far() {
    let base = Usdt(500_000);
    let six = |price| vec![(1, 2, price, 5_000), (3, 4, price, 5_000), (5, 6, price, 5_000)];
    let mut many: Vec<_> = (1..10).map(|n| (n, 100 + n, 500_000, 5_000)).collect();
    many.push((50, 51, 600_000, 1_000_000));
    for (last, traded, expected) in [
        // Nothing was traded, or too little, or by too few, however much: the last one.
        (510_000, vec![], 510_000),
        (510_000, vec![(1, 2, 550_000, 1_000_000)], 510_000),
        (
            510_000,
            vec![(1, 2, 550_000, 1_000_000), (2, 1, 550_000, 1_000_000)],
            510_000,
        ),
        (
            510_000,
            vec![(1, 2, 550_000, 5_000), (3, 4, 550_000, 1_000_000)],
            510_000,
        ),
        (
            510_000,
            (2..20).map(|n| (1, n, 550_000, 5_000)).collect(),
            510_000,
        ),
        (
            510_000,
            vec![
                (1, 2, 550_000, 5_000),
                (2, 3, 550_000, 5_000),
                (3, 1, 550_000, 5_000),
            ],
            510_000,
        ),
        (
            510_000,
            vec![
                (1, 2, 550_000, 5_000),
                (3, 4, 550_000, 5_000),
                (5, 6, 550_000, 600),
            ],
            510_000,
        ),
        // Three pairs of six people.
        (510_000, six(550_000), 550_000),
        (510_000, six(600_000), 600_000),
        (510_000, six(600_100), 600_000),
        (510_000, six(100_000), 400_000),
        // Of ten pairs one weighs a tenth, however much it trades: 1 000 000 × 10 ÷ (9 ÷ 0.5 + 1 ÷ 0.6).
        (510_000, many, 508_474),
    ] {
        let traded: Vec<_> = traded.into_iter().map(trade).collect();
        assert_eq!(
            next(base, Usdt(last), &traded, PACE),
            Usdt(expected),
            "{traded:?}"
        );
    }
    assert_eq!(bounds(Usdt(1), 200_000), (Usdt(1), Usdt(1)));
    assert_eq!(bounds(Usdt(i64::MAX), 500_000).1, Usdt(i64::MAX));
}

#[test]
fn anchors_are_where_the_last_days_began_and_the_reference() {
    let today = date!(2026 - 11 - 23);
    let first = first_day(today);
    assert_eq!(first, date!(2026 - 11 - 17));
    let day = |day, base, price| Day {
        day,
        base: Usdt(base),
        price: Usdt(price),
    };
    for (days, expected) in [
        (vec![], None),
        // The book's first day: the round's price, and what was made of it.
        (vec![day(today, 500, 600)], Some((600, 500, 600))),
        (vec![day(today, 500, 400)], Some((400, 400, 500))),
        // Back where it began, after a day that ended higher.
        (
            vec![day(today, 600, 500), day(date!(2026 - 11 - 22), 500, 600)],
            Some((500, 500, 600)),
        ),
        // No order today: the day began where the last one was left.
        (vec![day(date!(2026 - 11 - 20), 500, 600)], Some((600, 500, 600))),
        // The week began within a stretch without orders, where the day before it was left; how that one began no longer counts.
        (
            vec![
                day(date!(2026 - 11 - 22), 600, 650),
                day(date!(2026 - 11 - 10), 500, 600),
            ],
            Some((650, 600, 650)),
        ),
        (vec![day(date!(2026 - 11 - 16), 500, 600)], Some((600, 600, 600))),
        // Days further back never count.
        (
            vec![
                day(date!(2026 - 11 - 16), 500, 600),
                day(date!(2026 - 11 - 15), 100, 900),
            ],
            Some((600, 600, 600)),
        ),
    ] {
        let anchors = Anchors::of(&days, first).map(|a| (a.reference.0, a.lowest.0, a.highest.0));
        assert_eq!(anchors, expected, "{days:?}");
    }
}

#[test]
fn what_is_lost_is_rounded_up_and_only_on_the_worse_side() {
    use PyxSide::{Buy, Sell};
    for (side, price, anchor, quantity, expected) in [
        (Buy, 600_000, 500_000, 100_000_000, 10_000_000),
        (Buy, 500_000, 500_000, 100_000_000, 0),
        (Buy, 400_000, 500_000, 100_000_000, 0),
        (Sell, 400_000, 500_000, 100_000_000, 10_000_000),
        (Sell, 600_000, 500_000, 100_000_000, 0),
        (Buy, 500_100, 500_099, 10_000, 1),
        (Sell, 500_000, 500_033, 10_000, 1),
    ] {
        assert_eq!(
            lost(side, Usdt(price), Usdt(anchor), Pyx(quantity)),
            Some(Usdt(expected)),
            "{side:?} {price} {anchor}"
        );
    }
    // Between the anchors both sides lose.
    let apart = Anchors {
        reference: Usdt(600_000),
        lowest: Usdt(500_000),
        highest: Usdt(600_000),
    };
    for side in [Buy, Sell] {
        assert!(!apart.is_fair(side, Usdt(550_000)));
        assert_eq!(
            apart.lost(side, Usdt(550_000), Pyx::whole(100)),
            Some(Usdt::whole(5))
        );
    }
}

/// Trades of so many people: who buys from whom, ticks, lots.
fn trades(people: u8) -> impl Strategy<Value = Vec<Traded>> {
    let one = (0..people, 1..people, 1i64..2_000_000, 1i64..1_000_000_000);
    let trade = one.prop_filter_map("a cost", move |(buyer, apart, ticks, lots)| {
        let (price, quantity) = (Usdt(ticks * TICK.0), Pyx(lots * LOT.0));
        Some(Traded {
            buyer: person(buyer),
            seller: person((buyer + apart) % people),
            cost: cost(quantity, price)?,
            quantity,
        })
    });
    proptest::collection::vec(trade, 0..24)
}

proptest! {
    #[test]
    fn no_sequence_of_trades_moves_it_more_than_the_set_part_in_a_day(
        first in 1i64..10_000_000, days in proptest::collection::vec(trades(12), 1..8), parts in 0i64..=500_000,
        least in 0i64..10_000_000_000
    ) {
        let pace = Pace { least: Usdt(least), parts };
        let mut last = Usdt(first);
        for traded in days {
            let base = last;
            for so_far in 0..=traded.len() {
                last = next(base, last, &traded[..so_far], pace);
                let moved = i128::from(last.0.abs_diff(base.0));
                prop_assert!(moved * 1_000_000 <= i128::from(base.0) * i128::from(parts), "{base} went to {last}");
                prop_assert!(last.is_positive());
            }
        }
    }

    #[test]
    fn fewer_than_three_pairs_or_six_people_never_move_it(
        traded in trades(5), pairs in trades(3), last in 1i64..10_000_000, least in 1_000_000i64..100_000_000_000
    ) {
        let (last, pace) = (Usdt(last), Pace { least: Usdt(least), parts: 500_000 });
        prop_assert_eq!(next(last, last, &traded, pace), last);
        // One pair, two apart from each other.
        let one: Vec<_> = pairs.iter().map(|t| Traded { buyer: person(0), seller: person(1), ..*t }).collect();
        let other = pairs.iter().map(|t| Traded { buyer: person(2), seller: person(3), ..*t });
        prop_assert_eq!(next(last, last, &one, pace), last);
        let two: Vec<_> = one.iter().copied().chain(other).collect();
        prop_assert_eq!(next(last, last, &two, pace), last);
    }

    #[test]
    fn nobody_counts_for_more_than_a_third_of_the_least_volume(traded in trades(12), least in 0i64..100_000_000_000) {
        let most = (i128::from(least.max(1)) + 2) / 3;
        let parts = counted(&traded, Usdt(least));
        for n in 0..12 {
            let of_one: i128 = parts.iter().filter(|(pair, _)| pair.contains(&person(n))).map(|(_, part)| part.cost).sum();
            prop_assert!(of_one <= most, "{of_one} of {most}");
        }
        for part in parts.values() {
            prop_assert!(part.cost <= most);
        }
    }

    #[test]
    fn the_order_of_trades_says_nothing(traded in trades(12), least in 0i64..10_000_000_000) {
        let turned: Vec<_> = traded.iter().rev().map(|t| Traded { buyer: t.seller, seller: t.buyer, ..*t }).collect();
        prop_assert_eq!(average(&traded, Usdt(least)), average(&turned, Usdt(least)));
    }

    #[test]
    fn both_sides_of_a_trade_lose_exactly_what_lies_between(
        ticks in 1i64..1_000_000, lots in 1i64..1_000_000, reference in 1i64..100_000_000
    ) {
        let (price, quantity) = (Usdt(ticks * TICK.0), Pyx(lots * LOT.0));
        let anchors = Anchors::at(Usdt(reference));
        let paid = cost(quantity, price).unwrap();
        let buyer = anchors.lost(PyxSide::Buy, price, quantity).unwrap();
        let seller = anchors.lost(PyxSide::Sell, price, quantity).unwrap();
        prop_assert!(buyer.is_zero() || seller.is_zero());
        // Never less than the exact difference, never a whole unit more.
        let exact = i128::from(price.0 - reference) * i128::from(quantity.0);
        let counted = i128::from(buyer.0 - seller.0) * i128::from(Pyx::ONE);
        prop_assert!((counted - exact).abs() < i128::from(Pyx::ONE));
        prop_assert!(counted.abs() >= exact.abs());
        prop_assert!(paid.is_positive());
    }

    #[test]
    fn a_fair_trade_loses_nothing_and_is_no_worse_than_any_opening(
        price in 1i64..1_000_000, days in proptest::collection::vec((1i64..1_000_000, 1i64..1_000_000), 1..10)
    ) {
        let today = date!(2026 - 11 - 23);
        let days: Vec<_> = days
            .into_iter()
            .zip(0i64..)
            .map(|((base, price), ago)| Day { day: today - Duration::days(ago), base: Usdt(base), price: Usdt(price) })
            .collect();
        let anchors = Anchors::of(&days, first_day(today)).unwrap();
        let price = Usdt(price);
        for side in [PyxSide::Buy, PyxSide::Sell] {
            let fair = anchors.is_fair(side, price);
            prop_assert_eq!(anchors.lost(side, price, Pyx::whole(1)).unwrap().is_zero(), fair);
            if fair {
                prop_assert!(is_fair(side, price, days[0].price));
                for day in days.iter().take(7) {
                    prop_assert!(is_fair(side, price, day.base));
                }
            }
        }
    }
}
