//! What a movement means to the person whose money it is, said once for every report and screen: an **entry** is what came from
//! outside (deposits, transfers received), an **exit** what left (withdrawals, transfers sent, their fees inside, deposits that were taken
//! back). Everything else is named for what it is. Money that goes from one own account to another is neither, however often it moves:
//! who paid in 2 500, bought licences and allocated has entries of 2 500 (2026-11-23).
//!
//! A movement's amount is what all accounts of the total ([`super::figures::TOTAL`], or the chosen one) gained or lost by it together; so
//! opening + [`Flows::net`] = closing, always.

use crate::ledger::model::TransferKind;
use protocol::money::Usdt;
use serde::Serialize;

/// The meaning of a kind of movement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    Deposits,
    /// A deposit that the bank or the chain took back.
    Returned,
    Transfers,
    Withdrawals,
    Results,
    Bonus,
    Licences,
    Exchange,
    Sponsorship,
    Loans,
    Corrections,
    /// From one own account to another.
    Own,
}

impl Flow {
    /// `cause`: what the movement is about, in the ledger's words; of held money what it was held for, of a reversal the kind of what it
    /// undid.
    #[must_use]
    pub fn of(kind: TransferKind, cause: &str) -> Self {
        use TransferKind as Kind;
        match (kind, cause) {
            (Kind::ClawBack, "pix_deposit" | "chain_deposit")
            | (Kind::Reversal, "deposit_pix" | "deposit_chain") => {
                return Self::Returned;
            }
            (Kind::HoldPosted, "transfer") => return Self::Transfers,
            (Kind::HoldPosted, "deposit_intent") => return Self::Licences,
            (Kind::HoldPosted, "order") => return Self::Exchange,
            _ => {}
        }
        match kind {
            Kind::DepositPix | Kind::DepositChain => Self::Deposits,
            Kind::UserTransfer | Kind::LeftBehind => Self::Transfers,
            Kind::WithdrawalPix | Kind::WithdrawalChain | Kind::HoldPosted => Self::Withdrawals,
            Kind::Settlement | Kind::PoolRevenue => Self::Results,
            Kind::Bonus | Kind::GraduationBonus => Self::Bonus,
            Kind::LicencePurchase | Kind::LicenceCancel | Kind::LicenceFinal => Self::Licences,
            Kind::PresalePurchase | Kind::PresaleVesting | Kind::PyxTrade => Self::Exchange,
            Kind::SponsorshipAdd | Kind::SponsorshipRemove => Self::Sponsorship,
            Kind::Loan | Kind::LoanRepayment => Self::Loans,
            Kind::ClawBack | Kind::Reversal | Kind::HouseCapital => Self::Corrections,
            Kind::Topup
            | Kind::Reinvestment
            | Kind::Allocation
            | Kind::Deallocation
            | Kind::Relocation
            | Kind::LotReturn
            | Kind::CapitalWithdrawal
            | Kind::YieldWithdrawal
            | Kind::BonusWithdrawal
            | Kind::DebtRepayment
            | Kind::PoolEntry
            | Kind::PoolExit
            | Kind::Hold
            | Kind::HoldVoided
            | Kind::HoldExpired => Self::Own,
        }
    }
}

/// Causes that tell movements of one kind apart.
const CAUSES: [&str; 5] = ["", "pix_deposit", "deposit_pix", "transfer", "withdrawal"];

/// The kinds that may have one of these meanings, as the ledger writes them.
#[must_use]
pub fn kinds(flows: &[Flow]) -> Vec<String> {
    TransferKind::ALL
        .iter()
        .filter(|kind| {
            CAUSES
                .iter()
                .any(|cause| flows.contains(&Flow::of(**kind, cause)))
        })
        .map(|kind| kind.as_str().to_owned())
        .collect()
}

/// What movements of one kind brought and took, each the net of its postings.
#[derive(Clone, Debug)]
pub struct Moved {
    pub kind: TransferKind,
    /// As [`Flow::of`] takes it.
    pub cause: String,
    pub came: Usdt,
    /// ≥ 0.
    pub left: Usdt,
    /// Of deposits that were taken back: all of it, also what undone sales of licences gave back for it. Zero where that is not looked at.
    pub returned: Usdt,
}

/// Where a change of what one owns came from. Entries and exits are positive; the others say by their sign what they did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Flows {
    /// Deposits and transfers received.
    pub entries: Usdt,
    /// Withdrawals and transfers sent, fees inside, and deposits that were taken back.
    pub exits: Usdt,
    /// Of robots and pools.
    pub results: Usdt,
    pub bonus: Usdt,
    /// Paid for licences, less what came back for them.
    pub licences: Usdt,
    /// Exchanged for PYX and back.
    pub exchange: Usdt,
    /// Lent by the house for licences, and taken back.
    pub sponsorship: Usdt,
    /// Fees of loans.
    pub loans: Usdt,
    /// What was undone, and what came of it.
    pub corrections: Usdt,
    /// From one own account to another: nothing, unless one account is looked at alone.
    pub own: Usdt,
}

impl Flows {
    #[must_use]
    pub fn sum(moved: &[Moved]) -> Self {
        let mut flows = Self::default();
        for Moved {
            kind,
            cause,
            came,
            left,
            returned,
        } in moved
        {
            let place = match Flow::of(*kind, cause) {
                Flow::Deposits | Flow::Transfers | Flow::Withdrawals => {
                    flows.entries += *came;
                    flows.exits += *left;
                    continue;
                }
                Flow::Returned => {
                    // What is beyond the person's own accounts came from sales that were undone.
                    let own = *left - *came;
                    let whole = own.max(*returned);
                    flows.exits += whole;
                    flows.licences += whole - own;
                    continue;
                }
                Flow::Results => &mut flows.results,
                Flow::Bonus => &mut flows.bonus,
                Flow::Licences => &mut flows.licences,
                Flow::Exchange => &mut flows.exchange,
                Flow::Sponsorship => &mut flows.sponsorship,
                Flow::Loans => &mut flows.loans,
                Flow::Corrections => &mut flows.corrections,
                Flow::Own => &mut flows.own,
            };
            *place += *came - *left;
        }
        flows
    }

    /// By how much all of it changed what one owns.
    #[must_use]
    pub fn net(&self) -> Usdt {
        self.entries - self.exits
            + self.results
            + self.bonus
            + self.licences
            + self.exchange
            + self.sponsorship
            + self.loans
            + self.corrections
            + self.own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_from_outside_and_everything_adds_up() {
        let moved: Vec<Moved> = TransferKind::ALL
            .iter()
            .zip(1i64..)
            .map(|(kind, n)| Moved {
                kind: *kind,
                cause: "withdrawal".into(),
                came: Usdt(n * 10),
                left: Usdt(n),
                returned: Usdt::ZERO,
            })
            .collect();
        let of = |kinds: &[TransferKind]| -> (Usdt, Usdt) {
            let mine = moved.iter().filter(|m| kinds.contains(&m.kind));
            mine.fold((Usdt::ZERO, Usdt::ZERO), |sum, m| {
                (sum.0 + m.came, sum.1 + m.left)
            })
        };
        let flows = Flows::sum(&moved);
        let outside = [
            TransferKind::DepositPix,
            TransferKind::DepositChain,
            TransferKind::WithdrawalPix,
            TransferKind::WithdrawalChain,
            TransferKind::HoldPosted,
            TransferKind::UserTransfer,
            TransferKind::LeftBehind,
        ];
        assert_eq!((flows.entries, flows.exits), of(&outside));
        let (came, left) = of(TransferKind::ALL);
        assert_eq!(flows.net(), came - left);
        assert_eq!(kinds(&[Flow::Deposits]), ["deposit_pix", "deposit_chain"]);
        assert_eq!(kinds(&[Flow::Returned]), ["claw_back", "reversal"]);
    }

    #[test]
    fn held_money_means_what_it_was_held_for() {
        use TransferKind as Kind;
        for (kind, cause, flow) in [
            (Kind::HoldPosted, "withdrawal", Flow::Withdrawals),
            (Kind::HoldPosted, "transfer", Flow::Transfers),
            (Kind::HoldPosted, "deposit_intent", Flow::Licences),
            (Kind::HoldVoided, "withdrawal", Flow::Own),
            (Kind::ClawBack, "pix_deposit", Flow::Returned),
            (Kind::ClawBack, "bonus", Flow::Corrections),
            (Kind::Reversal, "deposit_chain", Flow::Returned),
            (Kind::Reversal, "settlement", Flow::Corrections),
            (Kind::LicencePurchase, "licence", Flow::Licences),
        ] {
            assert_eq!(Flow::of(kind, cause), flow, "{kind:?} {cause}");
        }
    }

    #[test]
    fn a_deposit_taken_back_left_whole_and_undone_sales_gave_their_part() {
        let moved = |kind, cause: &str, came, left, returned| Moved {
            kind,
            cause: cause.into(),
            came: Usdt(came),
            left: Usdt(left),
            returned: Usdt(returned),
        };
        for (taken, exits, licences) in [
            (moved(TransferKind::ClawBack, "pix_deposit", 0, 100, 100), 100, 0),
            (moved(TransferKind::ClawBack, "pix_deposit", 0, 30, 100), 100, 70),
            // One account alone.
            (moved(TransferKind::ClawBack, "pix_deposit", 0, 30, 0), 30, 0),
            (moved(TransferKind::Reversal, "deposit_pix", 0, 100, 0), 100, 0),
        ] {
            let flows = Flows::sum(std::slice::from_ref(&taken));
            assert_eq!(
                (flows.exits, flows.licences),
                (Usdt(exits), Usdt(licences)),
                "{taken:?}"
            );
            assert_eq!(flows.net(), taken.came - taken.left);
        }
    }
}
