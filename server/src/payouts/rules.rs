//! What a payout costs, where it may stand and where it may go from there. Pure.

use crate::foundation::settings::{PERCENT, Settings, WHOLE};
use protocol::{ErrorCode, money::Usdt};

/// A value divided into what the house keeps and what leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    pub fee: Usdt,
    pub net: Usdt,
}

/// What the house keeps of a value: a share of it, at least the minimum.
#[must_use]
pub fn fee(value: Usdt, settings: &Settings) -> Option<Usdt> {
    let share = value.mul_div_floor(settings.withdrawal_fee, WHOLE)?;
    Some(share.max(settings.withdrawal_fee_minimum))
}

/// Divides a value; none when it is below the minimum or nothing would be left.
#[must_use]
pub fn parts(value: Usdt, settings: &Settings) -> Option<Parts> {
    if !value.is_positive() || value < settings.withdrawal_minimum {
        return None;
    }
    let fee = fee(value, settings)?;
    let net = value.checked_sub(fee).filter(|net| net.is_positive())?;
    Some(Parts { fee, net })
}

/// What of a value the fee is, in percent with four decimals.
#[must_use]
pub fn fee_percent(settings: &Settings) -> String {
    let fee = settings.withdrawal_fee;
    format!("{}.{:04}", fee / PERCENT, fee % PERCENT)
}

/// Whether a rate moved by more than so many parts per million since it was quoted.
#[must_use]
pub fn moved(quoted: i64, now: i64, tolerance: i64) -> bool {
    let difference = i128::from(quoted.abs_diff(now));
    difference * i128::from(WHOLE) > i128::from(quoted) * i128::from(tolerance)
}

/// Where a payout stands. A kind may lack some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Until its owner follows the mailed link.
    AwaitingEmail,
    /// Waits for those who decide.
    Pending,
    /// The rate moved since the request: its owner confirms the new amount.
    AwaitingConfirmation,
    /// Decided; to be paid.
    Approved,
    /// On its way: it may have been paid.
    Sent,
    /// Paid and posted.
    Complete,
    /// Not paid for certain; staff give it back or have it sent again.
    Failed,
    Rejected,
    Canceled,
    Expired,
}

impl State {
    pub const ALL: [Self; 10] = [
        Self::AwaitingEmail,
        Self::Pending,
        Self::AwaitingConfirmation,
        Self::Approved,
        Self::Sent,
        Self::Complete,
        Self::Failed,
        Self::Rejected,
        Self::Canceled,
        Self::Expired,
    ];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AwaitingEmail => "awaiting_email",
            Self::Pending => "pending",
            Self::AwaitingConfirmation => "awaiting_confirmation",
            Self::Approved => "approved",
            Self::Sent => "sent",
            Self::Complete => "complete",
            Self::Failed => "failed",
            Self::Rejected => "rejected",
            Self::Canceled => "canceled",
            Self::Expired => "expired",
        }
    }

    /// From its stored form.
    #[must_use]
    pub fn read(stored: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == stored)
    }

    /// Somebody's word brings it there.
    #[must_use]
    pub const fn is_decision(self) -> bool {
        matches!(
            self,
            Self::Approved | Self::Rejected | Self::Canceled | Self::Expired
        )
    }

    /// Its owner may still take it back, and time may.
    #[must_use]
    pub const fn is_undecided(self) -> bool {
        matches!(
            self,
            Self::AwaitingEmail | Self::Pending | Self::AwaitingConfirmation
        )
    }
}

/// What those who decide may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Approve,
    Reject,
    /// What failed once more, as it was approved.
    Retry,
}

/// Whether a decision may be taken where a payout stands. What was approved and not paid may still be rejected: its money returns.
///
/// # Errors
/// `decision.done` once somebody decided otherwise; `withdrawal.state`.
pub const fn decidable(step: Step, state: State) -> Result<(), ErrorCode> {
    match (step, state) {
        (Step::Approve, State::Pending)
        | (Step::Retry, State::Failed)
        | (Step::Reject, State::Pending | State::AwaitingConfirmation | State::Approved | State::Failed) => {
            Ok(())
        }
        (_, State::Approved | State::Rejected | State::Sent | State::Complete) => {
            Err(ErrorCode::DecisionDone)
        }
        _ => Err(ErrorCode::WithdrawalState),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn two_per_cent_at_least_one_and_ten_at_least() {
        let settings = Settings::default();
        for (value, fee) in [
            ("10", "1"),
            ("50", "1"),
            ("50.000049", "1"),
            ("50.00005", "1.000001"),
            ("100", "2"),
            ("1234.567891", "24.691357"),
        ] {
            let value: Usdt = value.parse().unwrap();
            let fee: Usdt = fee.parse().unwrap();
            assert_eq!(
                parts(value, &settings),
                Some(Parts {
                    fee,
                    net: value - fee
                }),
                "{value}"
            );
        }
        assert_eq!(fee_percent(&settings), "2.0000");
        for small in ["0", "-20", "9.999999"] {
            assert_eq!(parts(small.parse().unwrap(), &settings), None, "{small}");
        }
        let dear = Settings {
            withdrawal_minimum: Usdt::whole(1),
            ..Settings::default()
        };
        assert_eq!(parts(Usdt::whole(1), &dear), None, "nothing would be left");
        assert_eq!(
            parts(Usdt(1_000_001), &dear),
            Some(Parts {
                fee: Usdt::whole(1),
                net: Usdt(1)
            })
        );
    }

    #[test]
    fn one_per_cent_is_not_more_than_one_per_cent() {
        for (now, is) in [(50_500, false), (50_501, true), (49_500, false), (49_499, true)] {
            assert_eq!(moved(50_000, now, 10_000), is, "{now}");
        }
    }

    /// Every step from every state: who comes too late hears so, who comes too early hears that.
    #[test]
    fn what_may_be_decided_where() {
        use State as S;
        let (done, early) = (Err(ErrorCode::DecisionDone), Err(ErrorCode::WithdrawalState));
        for (state, approve, reject, retry) in [
            (S::AwaitingEmail, early, early, early),
            (S::Pending, Ok(()), Ok(()), early),
            (S::AwaitingConfirmation, early, Ok(()), early),
            (S::Approved, done, Ok(()), done),
            (S::Sent, done, done, done),
            (S::Complete, done, done, done),
            (S::Failed, early, Ok(()), Ok(())),
            (S::Rejected, done, done, done),
            (S::Canceled, early, early, early),
            (S::Expired, early, early, early),
        ] {
            for (step, expected) in [
                (Step::Approve, approve),
                (Step::Reject, reject),
                (Step::Retry, retry),
            ] {
                assert_eq!(decidable(step, state), expected, "{step:?} of {state:?}");
            }
        }
    }

    #[test]
    fn states_are_read_as_they_are_stored() {
        for state in State::ALL {
            assert_eq!(State::read(state.as_str()), Some(state));
        }
        assert_eq!(State::read("paid"), None);
    }

    proptest! {
        /// Value = fee + net, to the last unit; the fee is never below the minimum nor more than a unit off
        /// two per cent.
        #[test]
        fn nothing_is_lost_between_fee_and_net(micro in 10_000_000i64..9_000_000_000_000_000) {
            let settings = Settings::default();
            let Parts { fee, net } = parts(Usdt(micro), &settings).unwrap();
            prop_assert_eq!(fee + net, Usdt(micro));
            prop_assert!(fee >= settings.withdrawal_fee_minimum && net.is_positive());
            prop_assert!(fee == settings.withdrawal_fee_minimum || i128::from(fee.0) * 50 <= i128::from(micro));
        }

        /// One per cent is not more than one per cent.
        #[test]
        fn a_rate_moves_both_ways_alike(rate in 1_000_000i64..10_000_000_000, by in 0i64..100_000_000) {
            let up = moved(rate, rate + by, 10_000);
            prop_assert_eq!(up, i128::from(by) * 100 > i128::from(rate));
            if by < rate { prop_assert_eq!(moved(rate, rate - by, 10_000), up); }
        }
    }
}
