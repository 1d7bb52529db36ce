//! What a licence allows (docs/rules/licences.md): pure.
//!
//! Amounts are micro-USDT, shares are millionths. Nothing here rounds in anyone's favour but the house's books: shares are
//! floored, the rest of a split goes to the last part.

use super::loan_rules;
use crate::foundation::settings::WHOLE;
pub use crate::foundation::settings::percent;
use protocol::{
    money::Usdt,
    views::{LicenceState, RobotStatus},
};
use time::{Date, OffsetDateTime};

/// `of × ppm ÷ 1 000 000`, floored; saturated, which no real amount reaches.
#[must_use]
pub fn part(of: Usdt, ppm: i64) -> Usdt {
    of.mul_div_floor(ppm, WHOLE).unwrap_or(Usdt(i64::MAX))
}

/// What may still be added to `topup + allocated`.
#[must_use]
pub fn allocation_room(value: Usdt, factor: i64, topup: Usdt, allocated: Usdt) -> Usdt {
    let limit = value.0.saturating_mul(factor);
    Usdt((limit - topup.0 - allocated.0).max(0))
}

/// The part of the maximum return that is left; zero or below ends the licence.
#[must_use]
pub fn limit_left(capital: Usdt, maximum_return_ppm: i64, gains: Usdt, losses: Usdt) -> Usdt {
    Usdt(
        part(capital, maximum_return_ppm)
            .0
            .saturating_sub((gains - losses).0.max(0)),
    )
}

/// The parts of a final sale: network fund, graduation fund, sales.
#[must_use]
pub fn split_price(price: Usdt, network_ppm: i64, graduation_ppm: i64) -> (Usdt, Usdt, Usdt) {
    let network = part(price, network_ppm.clamp(0, WHOLE));
    let graduation = part(price, graduation_ppm.clamp(0, WHOLE)).min(price - network);
    (network, graduation, price - network - graduation)
}

/// A robot's money while a batch is applied to it, operation by operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    pub allocated: Usdt,
    pub capital: Usdt,
    pub maximum_return_ppm: i64,
    pub gains: Usdt,
    pub losses: Usdt,
    /// Of an open loan.
    pub debt: Usdt,
}

/// What became of one share's result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Booked: a gain to `yield`, a loss from `allocated`.
    pub result: Usdt,
    /// Not booked: of a gain what the ceiling cut (≥ 0), of a loss what the allocation could not bear (≤ 0).
    pub cut: Usdt,
    /// What of the booked gain repaid a loan instead of becoming yield.
    pub repaid: Usdt,
}

impl Account {
    #[must_use]
    pub fn limit_left(&self) -> Usdt {
        limit_left(self.capital, self.maximum_return_ppm, self.gains, self.losses)
    }

    /// Applies one result in its turn: ceiling, loan, yield. `result + cut` is the share's result, exactly.
    pub fn apply(&mut self, result: Usdt) -> Applied {
        let booked = if result.is_negative() {
            let borne = (-result).min(self.allocated);
            self.allocated -= borne;
            self.losses += borne;
            -borne
        } else {
            let credited = result.min(Usdt(self.limit_left().0.max(0)));
            self.gains += credited;
            credited
        };
        let repaid = loan_rules::from_gain(booked, self.debt);
        self.debt -= repaid;
        Applied {
            result: booked,
            cut: result - booked,
            repaid,
        }
    }
}

/// Capital that came in at one time from one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LotAmount {
    pub amount: Usdt,
    pub free_at: OffsetDateTime,
}

/// Takes `amount` from lots in their order (oldest first): how much of each. `None` when they do not hold that much.
#[must_use]
pub fn take(lots: &[LotAmount], amount: Usdt) -> Option<Vec<Usdt>> {
    take_where(lots, amount, |_| true)
}

/// Like [`take`], from free lots only.
#[must_use]
pub fn take_free(lots: &[LotAmount], amount: Usdt, now: OffsetDateTime) -> Option<Vec<Usdt>> {
    take_where(lots, amount, |lot| lot.free_at <= now)
}

/// When enough of the lots will be free for `amount`; none when they never hold that much.
#[must_use]
pub fn free_from(lots: &[LotAmount], amount: Usdt) -> Option<OffsetDateTime> {
    let mut by_date: Vec<&LotAmount> = lots.iter().collect();
    by_date.sort_by_key(|lot| lot.free_at);
    let mut sum = Usdt::ZERO;
    by_date.into_iter().find_map(|lot| {
        sum += lot.amount;
        (sum >= amount).then_some(lot.free_at)
    })
}

fn take_where(lots: &[LotAmount], amount: Usdt, usable: impl Fn(&LotAmount) -> bool) -> Option<Vec<Usdt>> {
    let mut left = amount;
    let parts = lots
        .iter()
        .map(|lot| {
            let taken = if usable(lot) {
                lot.amount.min(left)
            } else {
                Usdt::ZERO
            };
            left -= taken;
            taken
        })
        .collect();
    left.is_zero().then_some(parts)
}

/// Whether the day's net result has reached the goal; nothing allocated has no goal.
#[must_use]
pub fn goal_reached(today: Usdt, goal_ppm: i64, allocated: Usdt) -> bool {
    allocated.is_positive() && today.is_positive() && today >= part(allocated, goal_ppm)
}

/// Reads a goal in percent ("1", "0.75", at most four decimals) within its bounds; millionths.
#[must_use]
pub fn goal(text: &str, least_ppm: i64, most_ppm: i64) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || whole.len() > 3 || fraction.len() > 4 {
        return None;
    }
    let ppm = format!("{whole}{fraction:0<4}").parse::<i64>().ok()?;
    (least_ppm..=most_ppm).contains(&ppm).then_some(ppm)
}

/// The next day on which yield may leave, `today` included; `None` only for an empty list of days.
#[must_use]
pub fn next_yield_day(today: Date, days: &[u8]) -> Option<Date> {
    let mut day = today;
    // The longest wait is from one month's only day to the next month that has it.
    for _ in 0..=62 {
        if days.contains(&day.day()) {
            return Some(day);
        }
        day = day.next_day()?;
    }
    None
}

/// What decides a robot's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    pub state: LicenceState,
    pub paused: bool,
    pub manual_key: bool,
    pub goal_reached_today: bool,
    pub allocated: Usdt,
    pub least_allocation: Usdt,
    /// Its capital takes part already.
    pub joined: bool,
}

/// The one place that says what a robot does: every screen shows this word, and its reasons are those that keep the desk from
/// beginning an operation with it. Of several the one that its owner has to do something about first.
#[must_use]
pub fn robot_status(c: &Condition) -> RobotStatus {
    match c.state {
        LicenceState::CeilingReached => RobotStatus::CeilingReached,
        LicenceState::Cancelled => RobotStatus::Cancelled,
        LicenceState::Reversed => RobotStatus::Reversed,
        LicenceState::Active if !c.allocated.is_positive() => RobotStatus::Idle,
        LicenceState::Active if c.paused => RobotStatus::Paused,
        LicenceState::Active if c.goal_reached_today => RobotStatus::GoalReached,
        LicenceState::Active if c.allocated < c.least_allocation => RobotStatus::BelowMinimum,
        LicenceState::Active if c.manual_key => RobotStatus::Manual,
        LicenceState::Active if !c.joined => RobotStatus::Joining,
        LicenceState::Active => RobotStatus::Operating,
    }
}

/// The desk may trade with it by itself, at once or from the next full minute: it stands in the list of robots in operation.
#[must_use]
pub const fn trades(status: RobotStatus) -> bool {
    matches!(status, RobotStatus::Operating | RobotStatus::Joining)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::{date, datetime};

    #[test]
    fn five_times_the_value_and_no_more() {
        let room = |topup, allocated| {
            allocation_room(Usdt::whole(100), 5, Usdt::whole(topup), Usdt::whole(allocated))
        };
        assert_eq!(room(0, 0), Usdt::whole(500));
        assert_eq!(room(200, 299), Usdt::whole(1));
        assert_eq!(room(200, 300), Usdt::ZERO);
    }

    #[test]
    fn a_final_sale_feeds_the_funds() {
        let split = split_price(Usdt::whole(100), 750_000, 50_000);
        assert_eq!(split, (Usdt::whole(75), Usdt::whole(5), Usdt::whole(20)));
    }

    #[test]
    fn the_limit_counts_net_gains_and_a_net_loss_as_nothing() {
        let left = |gains, losses| {
            limit_left(
                Usdt::whole(300),
                3_000_000,
                Usdt::whole(gains),
                Usdt::whole(losses),
            )
        };
        assert_eq!(left(0, 0), Usdt::whole(900));
        assert_eq!(left(50, 20), Usdt::whole(870));
        assert_eq!(left(20, 50), Usdt::whole(900));
    }

    #[test]
    fn a_gain_is_cut_at_the_ceiling_and_a_loss_clipped_at_the_allocation() {
        let mut account = Account {
            allocated: Usdt::whole(10),
            capital: Usdt::whole(100),
            maximum_return_ppm: 3_000_000,
            gains: Usdt::whole(299),
            losses: Usdt::ZERO,
            debt: Usdt::ZERO,
        };
        assert_eq!(
            account.apply(Usdt::whole(4)),
            Applied {
                result: Usdt::whole(1),
                cut: Usdt::whole(3),
                ..Applied::default()
            }
        );
        assert_eq!(
            account.apply(Usdt::whole(4)),
            Applied {
                result: Usdt::ZERO,
                cut: Usdt::whole(4),
                ..Applied::default()
            }
        );
        assert_eq!(
            account.apply(Usdt::whole(-2)),
            Applied {
                result: Usdt::whole(-2),
                cut: Usdt::ZERO,
                ..Applied::default()
            }
        );
        assert_eq!(
            account.apply(Usdt::whole(5)).result,
            Usdt::whole(2),
            "a loss makes room again, in the order of operations"
        );
        assert_eq!(
            account.apply(Usdt::whole(-9)),
            Applied {
                result: Usdt::whole(-8),
                cut: Usdt::whole(-1),
                ..Applied::default()
            }
        );
    }

    #[test]
    fn capital_leaves_the_oldest_free_lot_first() {
        let lot = |amount, day| LotAmount {
            amount: Usdt::whole(amount),
            free_at: day,
        };
        let (past, future) = (datetime!(2026-01-01 0:00 UTC), datetime!(2026-03-01 0:00 UTC));
        let lots = [lot(10, future), lot(20, past), lot(30, past)];
        let now = datetime!(2026-02-01 0:00 UTC);
        assert_eq!(
            take_free(&lots, Usdt::whole(25), now),
            Some(vec![Usdt::ZERO, Usdt::whole(20), Usdt::whole(5)])
        );
        assert_eq!(take_free(&lots, Usdt::whole(51), now), None);
        assert_eq!(
            take(&lots, Usdt::whole(15)),
            Some(vec![Usdt::whole(10), Usdt::whole(5), Usdt::ZERO])
        );
        assert_eq!(
            take_free(&lots, Usdt::whole(60), future),
            Some(vec![Usdt::whole(10), Usdt::whole(20), Usdt::whole(30)])
        );
    }

    #[test]
    fn goals_are_percentages_within_bounds() {
        let read = |text| goal(text, 1_000, 100_000);
        assert_eq!(
            (read("1"), read("0.1"), read("10.0000"), read("0.75")),
            (Some(10_000), Some(1_000), Some(100_000), Some(7_500))
        );
        for wrong in [
            "", ".", "1.", "-1", "0.09", "10.0001", "1e1", "1,5", "0.12345", "1000",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert_eq!(
            (percent(10_000), percent(7_550)),
            ("1.00".into(), "0.7550".to_owned())
        );
        assert!(goal_reached(Usdt::whole(1), 10_000, Usdt::whole(100)));
        assert!(!goal_reached(Usdt(999_999), 10_000, Usdt::whole(100)));
        assert!(!goal_reached(Usdt::ZERO, 10_000, Usdt(1)));
    }

    #[test]
    fn yield_leaves_on_the_fifth_and_the_twentieth() {
        let next = |day| next_yield_day(day, &[5, 20]);
        assert_eq!(next(date!(2026 - 11 - 5)), Some(date!(2026 - 11 - 5)));
        assert_eq!(next(date!(2026 - 11 - 6)), Some(date!(2026 - 11 - 20)));
        assert_eq!(next(date!(2026 - 12 - 21)), Some(date!(2027 - 01 - 05)));
        assert_eq!(
            next_yield_day(date!(2026 - 01 - 31), &[30]),
            Some(date!(2026 - 03 - 30))
        );
        assert_eq!(next_yield_day(date!(2026 - 01 - 31), &[]), None);
    }

    #[test]
    fn the_status_says_the_strongest_reason() {
        use LicenceState::{Active, Cancelled, CeilingReached, Reversed};
        let ten = Usdt::whole(10);
        let all = |state, allocated| Condition {
            state,
            paused: true,
            manual_key: true,
            goal_reached_today: true,
            allocated,
            least_allocation: ten,
            joined: false,
        };
        let none = |allocated| Condition {
            paused: false,
            manual_key: false,
            goal_reached_today: false,
            joined: true,
            ..all(Active, allocated)
        };
        let nine = Usdt(9_999_999);
        let table = [
            (all(CeilingReached, ten), RobotStatus::CeilingReached),
            (all(Cancelled, Usdt::ZERO), RobotStatus::Cancelled),
            (all(Reversed, ten), RobotStatus::Reversed),
            (all(Active, Usdt::ZERO), RobotStatus::Idle),
            (all(Active, Usdt(1)), RobotStatus::Paused),
            (
                Condition {
                    paused: false,
                    ..all(Active, nine)
                },
                RobotStatus::GoalReached,
            ),
            (
                Condition {
                    manual_key: true,
                    joined: false,
                    ..none(nine)
                },
                RobotStatus::BelowMinimum,
            ),
            (
                Condition {
                    manual_key: true,
                    joined: false,
                    ..none(ten)
                },
                RobotStatus::Manual,
            ),
            (
                Condition {
                    joined: false,
                    ..none(ten)
                },
                RobotStatus::Joining,
            ),
            (none(ten), RobotStatus::Operating),
            (none(nine), RobotStatus::BelowMinimum),
            (none(Usdt::ZERO), RobotStatus::Idle),
            (
                Condition {
                    paused: true,
                    ..none(ten)
                },
                RobotStatus::Paused,
            ),
            (
                Condition {
                    goal_reached_today: true,
                    ..none(ten)
                },
                RobotStatus::GoalReached,
            ),
            (
                Condition {
                    manual_key: true,
                    ..none(ten)
                },
                RobotStatus::Manual,
            ),
        ];
        for (condition, status) in table {
            assert_eq!(robot_status(&condition), status, "{condition:?}");
        }
    }

    proptest! {
        #[test]
        fn results_never_cross_a_bound(results in proptest::collection::vec(-50_000_000i64..50_000_000, 0..60), allocated in 0i64..200_000_000, capital in 0i64..100_000_000, ppm in 1i64..4_000_000, debt in 0i64..60_000_000) {
            let mut account = Account { allocated: Usdt(allocated), capital: Usdt(capital), maximum_return_ppm: ppm, gains: Usdt::ZERO, losses: Usdt::ZERO, debt: Usdt(debt) };
            let (mut credited, mut borne, mut repaid) = (0, 0, 0);
            for result in results {
                let before = account;
                let applied = account.apply(Usdt(result));
                prop_assert_eq!(applied.result + applied.cut, Usdt(result));
                prop_assert!(!account.allocated.is_negative());
                prop_assert!(applied.result.0.signum() * result.signum() >= 0 && applied.cut.0.signum() * result.signum() >= 0);
                prop_assert!(applied.repaid.0 >= 0 && applied.repaid.0 <= applied.result.0.max(0) / 2);
                prop_assert_eq!(before.debt - account.debt, applied.repaid);
                repaid += applied.repaid.0;
                if result > 0 {
                    prop_assert!(applied.result.0 <= before.limit_left().0.max(0));
                    credited += applied.result.0;
                } else {
                    borne -= applied.result.0;
                }
                prop_assert!(account.limit_left() <= part(Usdt(capital), ppm));
            }
            prop_assert_eq!((account.gains.0, account.losses.0), (credited, borne));
            prop_assert_eq!(account.allocated.0, allocated - borne);
            prop_assert_eq!(account.debt.0, debt - repaid);
            prop_assert!(!account.debt.is_negative());
        }

        #[test]
        fn taking_from_lots_takes_exactly_the_amount(amounts in proptest::collection::vec(0i64..1_000, 0..20), amount in 0i64..12_000) {
            let at = datetime!(2026-01-01 0:00 UTC);
            let lots: Vec<LotAmount> = amounts.iter().map(|a| LotAmount { amount: Usdt(*a), free_at: at }).collect();
            match take(&lots, Usdt(amount)) {
                None => prop_assert!(amounts.iter().sum::<i64>() < amount),
                Some(parts) => {
                    prop_assert_eq!(parts.iter().map(|p| p.0).sum::<i64>(), amount);
                    prop_assert!(parts.iter().zip(&amounts).all(|(p, a)| p.0 >= 0 && p.0 <= *a));
                    // A younger lot is touched only when the older ones are used up.
                    let last = parts.iter().rposition(|p| p.is_positive()).unwrap_or(0);
                    prop_assert!(parts.iter().zip(&amounts).take(last).all(|(p, a)| p.0 == *a));
                }
            }
        }

        #[test]
        fn a_split_keeps_every_unit(price in 0i64..20_000_000_000, network in 0i64..1_000_000, graduation in 0i64..1_000_000) {
            let (a, b, c) = split_price(Usdt(price), network, graduation);
            prop_assert_eq!(a + b + c, Usdt(price));
            prop_assert!(!a.is_negative() && !b.is_negative() && !c.is_negative());
        }
    }
}
