//! What a movement means to the person whose money it is, said once for every report and screen: an **entry** is what came from
//! outside (deposits, transfers received), an **exit** what left (withdrawals, transfers sent, their fees inside). Everything else
//! is named for what it is. Money that goes from one own account to another is neither, however often it moves: who paid in 2 500,
//! bought licences and allocated has entries of 2 500 (2026-11-23).
//!
//! A movement's amount is what all of a person's accounts (or the chosen one) gained or lost by it together; so opening + [`Flows::net`]
//! = closing, always.

use crate::ledger::model::TransferKind;
use protocol::money::Usdt;
use serde::Serialize;

/// The meaning of a kind of movement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    Deposits,
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
    #[must_use]
    pub const fn of(kind: TransferKind) -> Self {
        use TransferKind as Kind;
        match kind {
            Kind::DepositPix | Kind::DepositChain => Self::Deposits,
            Kind::UserTransfer => Self::Transfers,
            // Held money that has left is a withdrawal, or its fee: held transfers and orders are booked as what they are.
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

/// The kinds of these meanings, as the ledger writes them.
#[must_use]
pub fn kinds(flows: &[Flow]) -> Vec<String> {
    TransferKind::ALL
        .iter()
        .filter(|kind| flows.contains(&Flow::of(**kind)))
        .map(|kind| kind.as_str().to_owned())
        .collect()
}

/// What movements of one kind brought and took, each the net of its postings.
#[derive(Clone, Copy, Debug)]
pub struct Moved {
    pub kind: TransferKind,
    pub came: Usdt,
    /// ≥ 0.
    pub left: Usdt,
}

/// Where a change of what one owns came from. Entries and exits are positive; the others say by their sign what they did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Flows {
    /// Deposits and transfers received.
    pub entries: Usdt,
    /// Withdrawals and transfers sent, fees inside.
    pub exits: Usdt,
    /// Of robots and pools.
    pub results: Usdt,
    pub bonus: Usdt,
    /// Paid for licences whose sale is final.
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
        for Moved { kind, came, left } in moved {
            let place = match Flow::of(*kind) {
                Flow::Deposits | Flow::Transfers | Flow::Withdrawals => {
                    flows.entries += *came;
                    flows.exits += *left;
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
                came: Usdt(n * 10),
                left: Usdt(n),
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
        ];
        assert_eq!((flows.entries, flows.exits), of(&outside));
        let (came, left) = of(TransferKind::ALL);
        assert_eq!(flows.net(), came - left);
        assert_eq!(kinds(&[Flow::Deposits]), ["deposit_pix", "deposit_chain"]);
    }
}
