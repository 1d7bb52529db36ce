//! The default rules. Pure: evidence in, judgement out.

use crate::foundation::settings::{Settings, WHOLE};
use protocol::money::Usdt;

/// Why a person should look, or why it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// One large sum.
    Amount,
    /// Many within an hour.
    Speed,
    /// What came in goes out within a day.
    InAndOut,
    /// One payer in several accounts.
    PayerShared,
    /// One device in several accounts.
    DeviceShared,
    /// Both sides use the same device.
    SameDevice,
    /// The same two were refused within a month.
    RefusedBefore,
    /// Both sides have the same document.
    SameDocument,
    /// The same payer paid in to both sides.
    SamePayer,
    /// Many trades between the same two.
    RepeatedTrades,
    /// One of two lost much to the other by trading.
    TradeLoss,
}

impl Reason {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Amount => "amount",
            Self::Speed => "speed",
            Self::InAndOut => "in_and_out",
            Self::PayerShared => "payer_shared",
            Self::DeviceShared => "device_shared",
            Self::SameDevice => "same_device",
            Self::RefusedBefore => "refused_before",
            Self::SameDocument => "same_document",
            Self::SamePayer => "same_payer",
            Self::RepeatedTrades => "repeated_trades",
            Self::TradeLoss => "trade_loss",
        }
    }
}

/// The port's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Allow,
    Review(Vec<Reason>),
    Refuse(Reason),
}

/// What is known about a movement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub is_out: bool,
    pub usdt: Usdt,
    /// Before this one.
    pub outs_last_hour: i64,
    pub out_last_day: Usdt,
    /// None where what leaves did not come in before.
    pub in_last_day: Option<Usdt>,
    /// Other accounts that the payer paid in to.
    pub payer_accounts: i64,
    /// Other accounts seen on this person's devices.
    pub device_accounts: i64,
    /// What relates this person and the one on the other side.
    pub related: Vec<Reason>,
    pub refused_before: bool,
}

/// Other accounts on one device before a person looks: families share one.
const DEVICE_ACCOUNTS: i64 = 4;

/// Judges.
#[must_use]
pub fn judge(e: &Evidence, settings: &Settings) -> Judgement {
    if e.is_out && e.refused_before {
        return Judgement::Refuse(Reason::RefusedBefore);
    }
    let out_with_this = e.out_last_day.checked_add(e.usdt).unwrap_or(Usdt(i64::MAX));
    let in_and_out = e.is_out
        && e.in_last_day.is_some_and(|came| {
            came >= settings.compliance_in_and_out
                && i128::from(out_with_this.0) * i128::from(WHOLE)
                    >= i128::from(came.0) * i128::from(settings.compliance_in_and_out_share)
        });
    let reasons: Vec<Reason> = [
        (e.usdt >= settings.compliance_amount, Reason::Amount),
        (
            e.is_out && e.outs_last_hour >= settings.compliance_per_hour,
            Reason::Speed,
        ),
        (in_and_out, Reason::InAndOut),
        (e.payer_accounts > 0, Reason::PayerShared),
        (
            e.is_out && e.device_accounts >= DEVICE_ACCOUNTS,
            Reason::DeviceShared,
        ),
    ]
    .into_iter()
    .filter_map(|(is, reason)| is.then_some(reason))
    .chain(e.related.iter().copied().filter(|_| e.is_out))
    .collect();
    if reasons.is_empty() {
        Judgement::Allow
    } else {
        Judgement::Review(reasons)
    }
}

/// What the trades of two people within a day say: how many, and the most that one of them lost.
#[must_use]
pub fn repeated(trades: i64, lost: Usdt, settings: &Settings) -> Vec<Reason> {
    [
        (trades >= settings.compliance_pair_trades, Reason::RepeatedTrades),
        (lost >= settings.compliance_pair_loss, Reason::TradeLoss),
    ]
    .into_iter()
    .filter_map(|(is, reason)| is.then_some(reason))
    .collect()
}

/// Judges two people whose orders would meet: by what relates them, by an earlier refusal, by their trades.
#[must_use]
pub fn judge_meeting(related: Vec<Reason>, refused_before: bool, repeated: Vec<Reason>) -> Judgement {
    if refused_before {
        return Judgement::Refuse(Reason::RefusedBefore);
    }
    let reasons: Vec<Reason> = related.into_iter().chain(repeated).collect();
    if reasons.is_empty() {
        Judgement::Allow
    } else {
        Judgement::Review(reasons)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_people_meet_unless_something_speaks_against_it() {
        let settings = Settings::default();
        let (trades, loss) = (settings.compliance_pair_trades, settings.compliance_pair_loss);
        let often = |n, lost| repeated(n, lost, &settings);
        assert_eq!(often(trades - 1, loss - Usdt(1)), []);
        assert_eq!(often(trades, Usdt::ZERO), [Reason::RepeatedTrades]);
        assert_eq!(often(0, loss), [Reason::TradeLoss]);
        assert_eq!(judge_meeting(vec![], false, vec![]), Judgement::Allow);
        assert_eq!(
            judge_meeting(vec![Reason::SamePayer], false, often(trades, loss)),
            Judgement::Review(vec![Reason::SamePayer, Reason::RepeatedTrades, Reason::TradeLoss])
        );
        assert_eq!(
            judge_meeting(vec![Reason::SamePayer], true, vec![]),
            Judgement::Refuse(Reason::RefusedBefore)
        );
    }

    const QUIET: Evidence = Evidence {
        is_out: true,
        usdt: Usdt::whole(10),
        outs_last_hour: 0,
        out_last_day: Usdt::ZERO,
        in_last_day: Some(Usdt::ZERO),
        payer_accounts: 0,
        device_accounts: 0,
        related: Vec::new(),
        refused_before: false,
    };

    #[test]
    fn each_rule_speaks_for_itself() {
        use Reason::{Amount, DeviceShared, InAndOut, PayerShared, SameDevice, SameDocument, Speed};
        let settings = Settings::default();
        let u = Usdt::whole;
        let review = |e: &Evidence| judge(e, &settings);
        assert_eq!(review(&QUIET), Judgement::Allow);
        for (evidence, reason) in [
            (
                Evidence {
                    usdt: settings.compliance_amount,
                    ..QUIET
                },
                Amount,
            ),
            (
                Evidence {
                    outs_last_hour: settings.compliance_per_hour,
                    ..QUIET
                },
                Speed,
            ),
            (
                Evidence {
                    usdt: u(800),
                    in_last_day: Some(u(1_000)),
                    ..QUIET
                },
                InAndOut,
            ),
            (
                Evidence {
                    usdt: u(10),
                    out_last_day: u(790),
                    in_last_day: Some(u(1_000)),
                    ..QUIET
                },
                InAndOut,
            ),
            (
                Evidence {
                    is_out: false,
                    payer_accounts: 1,
                    ..QUIET
                },
                PayerShared,
            ),
            (
                Evidence {
                    device_accounts: 4,
                    ..QUIET
                },
                DeviceShared,
            ),
            (
                Evidence {
                    related: vec![SameDevice],
                    ..QUIET
                },
                SameDevice,
            ),
            (
                Evidence {
                    related: vec![SameDocument],
                    ..QUIET
                },
                SameDocument,
            ),
        ] {
            assert_eq!(review(&evidence), Judgement::Review(vec![reason]), "{evidence:?}");
        }
        for fine in [
            Evidence {
                usdt: settings.compliance_amount - Usdt(1),
                ..QUIET
            },
            Evidence {
                outs_last_hour: settings.compliance_per_hour - 1,
                ..QUIET
            },
            Evidence {
                usdt: u(799),
                in_last_day: Some(u(1_000)),
                ..QUIET
            },
            Evidence {
                usdt: u(499),
                in_last_day: Some(u(499)),
                ..QUIET
            },
            Evidence {
                is_out: false,
                outs_last_hour: 99,
                device_accounts: 9,
                refused_before: true,
                ..QUIET
            },
        ] {
            assert_eq!(review(&fine), Judgement::Allow, "{fine:?}");
        }
        assert_eq!(
            review(&Evidence {
                refused_before: true,
                ..QUIET
            }),
            Judgement::Refuse(Reason::RefusedBefore)
        );
        assert_eq!(
            review(&Evidence {
                usdt: Usdt(i64::MAX),
                out_last_day: Usdt(i64::MAX),
                in_last_day: Some(Usdt(i64::MAX)),
                ..QUIET
            }),
            Judgement::Review(vec![Amount, InAndOut])
        );
    }
}
