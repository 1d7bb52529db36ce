//! What a loan on a licence allows (docs/rules/licences.md#loans): pure. `own` is what a licence's lots hold; sponsored ones count as nothing
//! and are never taken.

use super::rules::part;
use protocol::money::Usdt;

/// Capital that must stay for each unit owed when capital leaves by its owner's order.
const STAYS: i128 = 2;
/// Below five quarters of the debt the robot stops and the loan is taken back.
const STOPS: (i128, i128) = (5, 4);

/// The most that may be borrowed on free capital.
#[must_use]
pub fn maximum(free: Usdt, share_ppm: i64) -> Usdt {
    part(free.max(Usdt::ZERO), share_ppm)
}

/// A loan as it would be: the fee is taken at once, the rest is paid out, all of it is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granted {
    pub fee: Usdt,
    pub received: Usdt,
}

#[must_use]
pub fn grant(value: Usdt, fee_ppm: i64) -> Granted {
    let fee = part(value, fee_ppm).min(value);
    Granted {
        fee,
        received: value - fee,
    }
}

/// How much of one's own capital may leave a licence that owes this much.
#[must_use]
pub fn may_leave(own: Usdt, debt: Usdt) -> Usdt {
    let stays = i128::from(debt.0).max(0) * STAYS;
    let free = (i128::from(own.0) - stays).max(0);
    Usdt(i64::try_from(free).unwrap_or(i64::MAX))
}

/// Below this capital the robot stops; rounded up, so that the comparison is exact.
#[must_use]
pub fn stops_below(debt: Usdt) -> Usdt {
    let (over, under) = STOPS;
    let bound = (i128::from(debt.0).max(0) * over + under - 1) / under;
    Usdt(i64::try_from(bound).unwrap_or(i64::MAX))
}

/// Whether the capital still backs the debt.
#[must_use]
pub fn is_backed(own: Usdt, debt: Usdt) -> bool {
    !debt.is_positive() || own >= stops_below(debt)
}

/// What a gain repays: half of it, floored, at most the debt.
#[must_use]
pub fn from_gain(gain: Usdt, debt: Usdt) -> Usdt {
    Usdt(gain.0.max(0) / 2).min(debt.max(Usdt::ZERO))
}

/// What capital repays when a loan is taken back: the top-up first, then what is allocated and not reserved; never more than
/// one's own lots hold.
#[must_use]
pub fn from_capital(debt: Usdt, own: Usdt, topup: Usdt, unreserved: Usdt) -> (Usdt, Usdt) {
    let most = debt.min(own).max(Usdt::ZERO);
    let first = most.min(topup.max(Usdt::ZERO));
    (first, (most - first).min(unreserved.max(Usdt::ZERO)))
}

/// N, on which the network's bonuses count: Σ allocated − open loans − what is left of sponsored lots, never below zero.
#[must_use]
pub fn network_base(allocated: Usdt, debts: Usdt, sponsored: Usdt) -> Usdt {
    (allocated - debts - sponsored).max(Usdt::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn half_of_the_free_capital_and_two_per_cent() {
        assert_eq!(maximum(Usdt::whole(300), 500_000), Usdt::whole(150));
        assert_eq!(maximum(Usdt(3), 500_000), Usdt(1), "floored");
        let granted = grant(Usdt::whole(100), 20_000);
        assert_eq!(
            granted,
            Granted {
                fee: Usdt::whole(2),
                received: Usdt::whole(98)
            }
        );
    }

    #[test]
    fn twice_the_debt_stays_and_five_quarters_stop() {
        assert_eq!(may_leave(Usdt::whole(300), Usdt::whole(100)), Usdt::whole(100));
        assert_eq!(may_leave(Usdt::whole(300), Usdt::ZERO), Usdt::whole(300));
        assert_eq!(may_leave(Usdt::whole(150), Usdt::whole(100)), Usdt::ZERO);
        assert_eq!(stops_below(Usdt::whole(100)), Usdt::whole(125));
        assert!(is_backed(Usdt::whole(125), Usdt::whole(100)));
        assert!(!is_backed(Usdt(124_999_999), Usdt::whole(100)));
        assert!(!is_backed(Usdt(1), Usdt(1)), "1 < 1.25");
        assert!(is_backed(Usdt::ZERO, Usdt::ZERO));
    }

    #[test]
    fn the_top_up_repays_before_what_is_allocated() {
        let take = |debt, own, topup, unreserved| {
            let (a, b) = from_capital(
                Usdt::whole(debt),
                Usdt::whole(own),
                Usdt::whole(topup),
                Usdt::whole(unreserved),
            );
            (a.0 / 1_000_000, b.0 / 1_000_000)
        };
        assert_eq!(take(100, 120, 70, 50), (70, 30));
        assert_eq!(take(100, 120, 100, 20), (100, 0));
        assert_eq!(take(100, 60, 70, 50), (60, 0), "the rest is sponsored");
        assert_eq!(take(100, 120, 20, 40), (20, 40), "the rest is in the air");
    }

    #[test]
    fn the_base_of_bonuses_leaves_borrowed_and_sponsored_money_out() {
        let base = |a, b, c| network_base(Usdt::whole(a), Usdt::whole(b), Usdt::whole(c));
        assert_eq!(base(500, 100, 50), Usdt::whole(350));
        assert_eq!(base(100, 100, 50), Usdt::ZERO);
    }

    proptest! {
        #[test]
        fn a_grant_loses_no_unit(value in 1i64..1_000_000_000_000, fee in 0i64..1_000_000) {
            let g = grant(Usdt(value), fee);
            prop_assert_eq!(g.fee + g.received, Usdt(value));
            prop_assert!(!g.received.is_negative() && !g.fee.is_negative());
        }

        /// Who may still take capital out is never one step away from being stopped.
        #[test]
        fn what_may_leave_leaves_the_loan_backed(own in 0i64..1_000_000_000_000, debt in 0i64..1_000_000_000_000) {
            let leaves = may_leave(Usdt(own), Usdt(debt));
            prop_assert!(leaves.0 >= 0 && leaves.0 <= own);
            if leaves.is_positive() {
                prop_assert!(is_backed(Usdt(own) - leaves, Usdt(debt)));
                prop_assert!(own - leaves.0 >= 2 * debt);
            }
        }

        #[test]
        fn a_gain_repays_half_and_never_more_than_is_owed(gain in 0i64..1_000_000_000, debt in 0i64..1_000_000_000) {
            let repaid = from_gain(Usdt(gain), Usdt(debt));
            prop_assert!(repaid.0 <= gain - repaid.0 && repaid.0 <= debt);
            prop_assert!(repaid.0 == debt || repaid.0 == gain / 2);
        }

        #[test]
        fn capital_repays_what_it_can(debt in 0i64..1_000_000, own in 0i64..1_000_000, topup in 0i64..1_000_000, unreserved in 0i64..1_000_000) {
            let (a, b) = from_capital(Usdt(debt), Usdt(own), Usdt(topup), Usdt(unreserved));
            prop_assert!(a.0 >= 0 && a.0 <= topup && b.0 >= 0 && b.0 <= unreserved);
            prop_assert_eq!((a + b).0, debt.min(own).min(topup + unreserved));
        }
    }
}
