//! What an event is called, and where it stands: pure.

use crate::ledger::model::TransferKind;
use protocol::money::{Pyx, Usdt};
use serde::Serialize;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, utoipa::ToSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$inner])* $variant),+ }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$variant => $text),+ } }
            #[must_use]
            pub fn read(text: &str) -> Option<Self> { Self::ALL.iter().copied().find(|one| one.as_str() == text) }
        }
    };
}

words! {
    /// What happened, from the side of the person whose money it is.
    EventKind {
        DepositPix = "deposit_pix",
        DepositCrypto = "deposit_crypto",
        /// The bank or the chain took it back.
        DepositReturned = "deposit_returned",
        WithdrawalPix = "withdrawal_pix",
        WithdrawalCrypto = "withdrawal_crypto",
        TransferSent = "transfer_sent",
        TransferReceived = "transfer_received",
        LicencePurchase = "licence_purchase",
        LicenceCancel = "licence_cancel",
        Topup = "topup",
        Reinvestment = "reinvestment",
        Allocation = "allocation",
        Deallocation = "deallocation",
        Relocation = "relocation",
        LotReturn = "lot_return",
        CapitalWithdrawal = "capital_withdrawal",
        YieldWithdrawal = "yield_withdrawal",
        /// A day of the robots.
        RobotResults = "robot_results",
        Bonus = "bonus",
        BonusReturned = "bonus_returned",
        BonusWithdrawal = "bonus_withdrawal",
        SponsorshipAdd = "sponsorship_add",
        SponsorshipRemove = "sponsorship_remove",
        Loan = "loan",
        LoanRepayment = "loan_repayment",
        DebtRepayment = "debt_repayment",
        PresalePurchase = "presale_purchase",
        PresaleVesting = "presale_vesting",
        PyxBuy = "pyx_buy",
        PyxSell = "pyx_sell",
        PoolEntry = "pool_entry",
        PoolRevenue = "pool_revenue",
        PoolExit = "pool_exit",
        /// What was set aside for something that has no name here.
        SetAside = "set_aside",
        /// Left to the house by who closed their account.
        LeftBehind = "left_behind",
        Correction = "correction",
    }
}

words! {
    /// Where it stands.
    EventState {
        /// It happened.
        Done = "done",
        /// A withdrawal that has left.
        Paid = "paid",
        /// What it needs is set aside.
        Waiting = "waiting",
        /// What was set aside is back.
        Returned = "returned",
        /// It happened and was taken back later.
        Undone = "undone",
    }
}

words! {
    /// What events are looked for by.
    Group {
        Deposits = "deposits",
        Withdrawals = "withdrawals",
        Transfers = "transfers",
        Licences = "licences",
        Results = "results",
        Bonus = "bonus",
        Exchange = "exchange",
        Pools = "pools",
        Sponsorship = "sponsorship",
        Others = "others",
    }
}

impl Group {
    /// By the kind of a movement, and by what it is about: of held money what it is held for.
    #[must_use]
    pub const fn of(kind: TransferKind) -> Self {
        use TransferKind as T;
        match kind {
            T::DepositPix | T::DepositChain => Self::Deposits,
            T::WithdrawalPix | T::WithdrawalChain => Self::Withdrawals,
            T::UserTransfer => Self::Transfers,
            T::LicencePurchase
            | T::LicenceCancel
            | T::LicenceFinal
            | T::Topup
            | T::Reinvestment
            | T::Allocation
            | T::Deallocation
            | T::Relocation
            | T::LotReturn
            | T::CapitalWithdrawal
            | T::YieldWithdrawal
            | T::Loan
            | T::LoanRepayment => Self::Licences,
            T::Settlement => Self::Results,
            T::Bonus | T::GraduationBonus | T::BonusWithdrawal => Self::Bonus,
            T::SponsorshipAdd | T::SponsorshipRemove => Self::Sponsorship,
            T::PresalePurchase | T::PresaleVesting | T::PyxTrade => Self::Exchange,
            T::PoolEntry | T::PoolRevenue | T::PoolExit => Self::Pools,
            T::DebtRepayment
            | T::Hold
            | T::HoldPosted
            | T::HoldVoided
            | T::HoldExpired
            | T::ClawBack
            | T::Reversal
            | T::LeftBehind
            | T::HouseCapital => Self::Others,
        }
    }

    /// What held money of this group is held for.
    #[must_use]
    pub const fn held_for(self) -> &'static [&'static str] {
        match self {
            Self::Withdrawals => &["withdrawal"],
            Self::Transfers => &["transfer"],
            Self::Licences => &["deposit_intent"],
            Self::Exchange => &["order"],
            _ => &[],
        }
    }

    /// The kinds of movements in it that hold nothing.
    #[must_use]
    pub fn kinds(self) -> Vec<String> {
        TransferKind::ALL
            .iter()
            .filter(|kind| Self::of(**kind) == self)
            .map(|kind| kind.as_str().to_owned())
            .collect()
    }
}

/// What the books say of an event.
#[derive(Clone, Debug, Default)]
pub struct Facts<'a> {
    /// Of its movements.
    pub kinds: &'a [String],
    /// What it is about: the cause, of held money what it was held for.
    pub about: &'a str,
    /// Money was set aside for it; of that, some still is, and some was used.
    pub held: bool,
    pub open: bool,
    pub used: bool,
    /// A later movement took it back.
    pub undone: bool,
    /// The kind of what it undoes itself.
    pub undoes: Option<&'a str>,
    /// By PIX, as withdrawals may be.
    pub pix: bool,
    /// Sent by the person: of transfers and orders, who sells PYX sends them.
    pub sent: bool,
    /// It touched the principal of a pool.
    pub pool: bool,
}

/// What happened.
#[must_use]
pub fn kind(facts: &Facts<'_>) -> EventKind {
    let is = |kind: TransferKind| facts.kinds.iter().any(|one| one == kind.as_str());
    if let Some(undone) = facts.undoes {
        return match TransferKind::read(undone) {
            Some(TransferKind::DepositPix | TransferKind::DepositChain) => EventKind::DepositReturned,
            Some(TransferKind::Bonus | TransferKind::GraduationBonus) => EventKind::BonusReturned,
            _ => EventKind::Correction,
        };
    }
    if is(TransferKind::ClawBack) {
        return match facts.about {
            "pix_deposit" | "chain_deposit" => EventKind::DepositReturned,
            "bonus" => EventKind::BonusReturned,
            _ => EventKind::Correction,
        };
    }
    match facts.about {
        "withdrawal" if facts.pix => return EventKind::WithdrawalPix,
        "withdrawal" => return EventKind::WithdrawalCrypto,
        "transfer" if facts.sent => return EventKind::TransferSent,
        "transfer" => return EventKind::TransferReceived,
        "order" if facts.sent => return EventKind::PyxSell,
        "order" => return EventKind::PyxBuy,
        "deposit_intent" if facts.held && facts.pool => return EventKind::PoolEntry,
        "deposit_intent" if facts.held => return EventKind::LicencePurchase,
        _ => {}
    }
    facts
        .kinds
        .iter()
        .filter_map(|kind| TransferKind::read(kind))
        .map(alone)
        .min()
        .unwrap_or(EventKind::Correction)
}

/// An event of one movement.
const fn alone(kind: TransferKind) -> EventKind {
    use TransferKind as T;
    match kind {
        T::DepositPix => EventKind::DepositPix,
        T::DepositChain => EventKind::DepositCrypto,
        T::WithdrawalPix => EventKind::WithdrawalPix,
        T::WithdrawalChain => EventKind::WithdrawalCrypto,
        T::UserTransfer => EventKind::TransferReceived,
        T::LicencePurchase | T::LicenceFinal => EventKind::LicencePurchase,
        T::LicenceCancel => EventKind::LicenceCancel,
        T::Topup => EventKind::Topup,
        T::Reinvestment => EventKind::Reinvestment,
        T::Allocation => EventKind::Allocation,
        T::Deallocation => EventKind::Deallocation,
        T::Relocation => EventKind::Relocation,
        T::LotReturn => EventKind::LotReturn,
        T::CapitalWithdrawal => EventKind::CapitalWithdrawal,
        T::YieldWithdrawal => EventKind::YieldWithdrawal,
        T::BonusWithdrawal => EventKind::BonusWithdrawal,
        T::Settlement => EventKind::RobotResults,
        T::Bonus | T::GraduationBonus => EventKind::Bonus,
        T::SponsorshipAdd => EventKind::SponsorshipAdd,
        T::SponsorshipRemove => EventKind::SponsorshipRemove,
        T::Loan => EventKind::Loan,
        T::LoanRepayment => EventKind::LoanRepayment,
        T::DebtRepayment => EventKind::DebtRepayment,
        T::PresalePurchase => EventKind::PresalePurchase,
        T::PresaleVesting => EventKind::PresaleVesting,
        T::PyxTrade => EventKind::PyxBuy,
        T::PoolEntry => EventKind::PoolEntry,
        T::PoolRevenue => EventKind::PoolRevenue,
        T::PoolExit => EventKind::PoolExit,
        T::Hold | T::HoldPosted | T::HoldVoided | T::HoldExpired => EventKind::SetAside,
        T::LeftBehind => EventKind::LeftBehind,
        T::ClawBack | T::Reversal | T::HouseCapital => EventKind::Correction,
    }
}

/// Where it stands.
#[must_use]
pub fn state(facts: &Facts<'_>, kind: EventKind) -> EventState {
    if facts.undone {
        EventState::Undone
    } else if facts.held && facts.open {
        EventState::Waiting
    } else if facts.held && !facts.used {
        EventState::Returned
    } else if matches!(kind, EventKind::WithdrawalPix | EventKind::WithdrawalCrypto) {
        EventState::Paid
    } else {
        EventState::Done
    }
}

/// What went from one own account to another, where the amount does not tell it. `came` is the most that one of its movements brought to
/// the accounts of the total.
#[must_use]
pub fn moved(kind: EventKind, amount: Usdt, came: Usdt) -> Option<Usdt> {
    let told = match kind {
        EventKind::RobotResults => false,
        EventKind::Loan => true,
        _ => amount.is_zero(),
    };
    (told && came.is_positive()).then_some(came)
}

/// PYX that the event changed in the books; what only changed its place is no change.
#[must_use]
pub fn coins(pyx: Pyx) -> Option<Pyx> {
    (!pyx.is_zero()).then_some(pyx)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foundation::locale::Locale;

    fn of(facts: &Facts<'_>) -> (EventKind, EventState) {
        let kind = kind(facts);
        (kind, state(facts, kind))
    }

    fn words(kinds: &[TransferKind]) -> Vec<String> {
        kinds.iter().map(|kind| kind.as_str().to_owned()).collect()
    }

    #[test]
    fn a_withdrawal_is_one_event_from_its_order_to_its_end() {
        use TransferKind as T;
        let begun = words(&[T::Hold]);
        let base = Facts {
            kinds: &begun,
            about: "withdrawal",
            held: true,
            pix: true,
            ..Facts::default()
        };
        let open = Facts {
            open: true,
            ..base.clone()
        };
        assert_eq!(of(&open), (EventKind::WithdrawalPix, EventState::Waiting));
        let paid = words(&[T::Hold, T::HoldPosted]);
        let posted = Facts {
            kinds: &paid,
            used: true,
            ..base.clone()
        };
        assert_eq!(of(&posted), (EventKind::WithdrawalPix, EventState::Paid));
        let back = words(&[T::Hold, T::HoldVoided]);
        let voided = Facts {
            kinds: &back,
            pix: false,
            ..base
        };
        assert_eq!(of(&voided), (EventKind::WithdrawalCrypto, EventState::Returned));
    }

    #[test]
    fn what_is_about_something_is_called_by_it() {
        use TransferKind as T;
        let fact = |about, held, sent, pool| Facts {
            about,
            held,
            used: held,
            sent,
            pool,
            ..Facts::default()
        };
        for (kinds, facts, kind, state) in [
            (
                &[T::UserTransfer][..],
                fact("transfer", false, true, false),
                EventKind::TransferSent,
                EventState::Done,
            ),
            (
                &[T::UserTransfer],
                fact("transfer", false, false, false),
                EventKind::TransferReceived,
                EventState::Done,
            ),
            (
                &[T::Hold, T::HoldPosted],
                fact("transfer", true, true, false),
                EventKind::TransferSent,
                EventState::Done,
            ),
            (
                &[T::Hold, T::PyxTrade],
                fact("order", true, false, false),
                EventKind::PyxBuy,
                EventState::Done,
            ),
            (
                &[T::PyxTrade],
                fact("order", false, true, false),
                EventKind::PyxSell,
                EventState::Done,
            ),
            (
                &[T::Hold, T::HoldPosted],
                fact("deposit_intent", true, false, false),
                EventKind::LicencePurchase,
                EventState::Done,
            ),
            (
                &[T::Hold, T::HoldPosted],
                fact("deposit_intent", true, false, true),
                EventKind::PoolEntry,
                EventState::Done,
            ),
            (
                &[T::DepositChain],
                fact("chain_deposit", false, false, false),
                EventKind::DepositCrypto,
                EventState::Done,
            ),
            (
                &[T::Settlement],
                fact("batch", false, false, false),
                EventKind::RobotResults,
                EventState::Done,
            ),
            (
                &[T::ClawBack],
                fact("pix_deposit", false, false, false),
                EventKind::DepositReturned,
                EventState::Done,
            ),
            (
                &[T::ClawBack],
                fact("bonus", false, false, false),
                EventKind::BonusReturned,
                EventState::Done,
            ),
        ] {
            let kinds = words(kinds);
            assert_eq!(
                of(&Facts {
                    kinds: &kinds,
                    ..facts
                }),
                (kind, state),
                "{kinds:?}"
            );
        }
        let reversal = words(&[T::Reversal]);
        for (undoes, kind) in [
            ("deposit_pix", EventKind::DepositReturned),
            ("bonus", EventKind::BonusReturned),
            ("topup", EventKind::Correction),
        ] {
            let facts = Facts {
                kinds: &reversal,
                about: "transfer",
                undoes: Some(undoes),
                ..Facts::default()
            };
            assert_eq!(of(&facts).0, kind);
        }
        let deposit = words(&[T::DepositPix]);
        let undone = Facts {
            kinds: &deposit,
            about: "pix_deposit",
            undone: true,
            ..Facts::default()
        };
        assert_eq!(of(&undone), (EventKind::DepositPix, EventState::Undone));
    }

    #[test]
    fn every_movement_is_an_event_by_itself_and_in_one_group() {
        for kind in TransferKind::ALL {
            let kinds = words(&[*kind]);
            let facts = Facts {
                kinds: &kinds,
                about: "licence",
                ..Facts::default()
            };
            let (told, _) = of(&facts);
            let bookkeeping = Group::of(*kind) == Group::Others
                && !matches!(kind, TransferKind::DebtRepayment | TransferKind::LeftBehind);
            assert_eq!(
                matches!(told, EventKind::Correction | EventKind::SetAside),
                bookkeeping,
                "{kind:?}"
            );
        }
        let groups = Group::ALL.iter().map(|group| group.kinds().len()).sum::<usize>();
        assert_eq!(groups, TransferKind::ALL.len());
    }

    #[test]
    fn what_the_amount_does_not_tell_says_what_it_moved() {
        for (kind, amount, came, moved_is) in [
            (EventKind::Topup, 0, 450, Some(450)),
            (EventKind::WithdrawalPix, -50, 50, None),
            (EventKind::WithdrawalPix, 0, 50, Some(50)),
            (EventKind::LicencePurchase, -100, 0, None),
            (EventKind::Loan, -2, 98, Some(98)),
            (EventKind::RobotResults, 0, 3, None),
        ] {
            assert_eq!(
                moved(kind, Usdt(amount), Usdt(came)),
                moved_is.map(Usdt),
                "{kind:?}"
            );
        }
        assert_eq!((coins(Pyx(0)), coins(Pyx(-7))), (None, Some(Pyx(-7))));
    }

    #[test]
    fn every_word_has_its_text_in_every_language() {
        for locale in Locale::ALL {
            for kind in EventKind::ALL {
                assert_ne!(locale.text("events", kind.as_str()), "…", "{kind:?}");
            }
            for state in EventState::ALL {
                assert_ne!(locale.text("event_states", state.as_str()), "…", "{state:?}");
            }
        }
        assert_eq!(Group::read("pools"), Some(Group::Pools));
        assert_eq!(serde_json::json!(EventKind::PyxBuy), "pyx_buy");
    }
}
