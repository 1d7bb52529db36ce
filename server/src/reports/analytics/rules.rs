//! Lines over days out of what is known of single days: pure.

use protocol::money::Usdt;
use std::collections::BTreeMap;
use time::Date;
use uuid::Uuid;

/// How far a running sum stands below its best so far, day by day; it begins at zero.
#[must_use]
pub fn drawdown(nets: &[Usdt]) -> Vec<Usdt> {
    let (mut sum, mut best) = (Usdt::ZERO, Usdt::ZERO);
    nets.iter()
        .map(|net| {
            sum += *net;
            best = best.max(sum);
            sum - best
        })
        .collect()
}

/// What all accounts held together at each day's end; an account keeps what it held until it moves.
#[must_use]
pub fn carry(calendar: &[Date], ends: &[(Uuid, Date, Usdt)]) -> Vec<Usdt> {
    let mut steps: Vec<&(Uuid, Date, Usdt)> = ends.iter().collect();
    steps.sort_by_key(|(_, day, _)| *day);
    let mut steps = steps.into_iter().peekable();
    let mut held: BTreeMap<Uuid, Usdt> = BTreeMap::new();
    let mut total = Usdt::ZERO;
    calendar
        .iter()
        .map(|day| {
            while let Some((account, _, balance)) = steps.next_if(|(_, at, _)| at <= day) {
                total += *balance - held.insert(*account, *balance).unwrap_or_default();
            }
            total
        })
        .collect()
}

/// The sum of what came by each day's end.
#[must_use]
pub fn running(calendar: &[Date], flows: &BTreeMap<Date, Usdt>) -> Vec<Usdt> {
    calendar
        .iter()
        .scan((Usdt::ZERO, None), |(sum, counted), day| {
            let fresh = flows
                .iter()
                .filter(|(at, _)| *at <= day && counted.is_none_or(|c| **at > c));
            *sum += fresh.map(|(_, amount)| *amount).sum::<Usdt>();
            *counted = Some(*day);
            Some(*sum)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::date;

    #[test]
    fn below_the_best_so_far() {
        let nets = [5, -3, -4, 10, -1].map(Usdt);
        assert_eq!(drawdown(&nets), [0, -3, -7, 0, -1].map(Usdt));
        assert_eq!(
            drawdown(&[Usdt(-2)]),
            [Usdt(-2)],
            "a loss at once stands below zero"
        );
    }

    #[test]
    fn balances_stay_until_they_move() {
        let (a, b) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let calendar = [
            date!(2026 - 11 - 01),
            date!(2026 - 11 - 02),
            date!(2026 - 11 - 03),
        ];
        let ends = [
            (a, date!(2026 - 10 - 20), Usdt(7)),
            (b, date!(2026 - 11 - 03), Usdt(1)),
            (a, date!(2026 - 11 - 02), Usdt(4)),
        ];
        assert_eq!(carry(&calendar, &ends), [7, 4, 5].map(Usdt));
        let flows = BTreeMap::from([
            (date!(2026 - 10 - 20), Usdt(7)),
            (date!(2026 - 11 - 02), Usdt(-3)),
        ]);
        assert_eq!(running(&calendar, &flows), [7, 4, 4].map(Usdt));
    }

    proptest! {
        #[test]
        fn a_drawdown_is_never_above_zero_nor_below_all_losses(nets in proptest::collection::vec(-1_000i64..1_000, 0..40)) {
            let nets: Vec<Usdt> = nets.into_iter().map(Usdt).collect();
            let lost: Usdt = nets.iter().copied().filter(|n| n.is_negative()).sum();
            for d in drawdown(&nets) {
                prop_assert!(d <= Usdt::ZERO && d >= lost);
            }
        }
    }
}
