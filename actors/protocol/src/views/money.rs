//! Balances, PIX, transfers between members, and what is looked at before money leaves.

use super::{wire, words};
use crate::{
    ids::{CaseId, FileId, MemberTransferId, PixDepositId, PixWithdrawalId, UserId},
    money::{Brl, Usdt},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

words! {
    /// Where a deposit by PIX stands (docs/rules/pix.md#deposits).
    PixDepositStatus {
        /// Created; no proof uploaded yet.
        Pending = "pending",
        PendingApproval = "pending_approval",
        Approved = "approved",
        Rejected = "rejected",
        /// Withdrawn by its own user.
        Canceled = "canceled",
        /// No proof within 24 h.
        TimedOut = "cancelled_timed_out",
    }
    /// The kinds of keys in Banco Central's directory.
    PixKeyKind { Cpf = "cpf", Cnpj = "cnpj", Phone = "phone", Email = "email", Evp = "evp" }
    /// Where a withdrawal by PIX stands (docs/rules/pix.md#withdrawals).
    PixWithdrawalStatus {
        Pending = "pending",
        /// The rate moved since the request: its user confirms the new value.
        AwaitingConfirmation = "awaiting_confirmation",
        /// Decided; the bank's payment is recorded with it or follows.
        Approved = "approved",
        Rejected = "rejected",
        Canceled = "canceled",
        Expired = "expired",
    }
    /// Where a case of the compliance rules stands; one whose subject came to nothing by itself has lapsed.
    CaseStatus { Open = "open", Cleared = "cleared", Refused = "refused", Lapsed = "lapsed" }
    /// Where a transfer between members stands; pending ones wait for a person's look, canceled ones ended with a credit behind them.
    MemberTransferStatus { Pending = "pending", Complete = "complete", Rejected = "rejected", Canceled = "canceled" }
    /// A user's own accounts in the ledger that a screen shows.
    UserAccount { Available = "available", Held = "held", Bonus = "bonus", Sponsored = "sponsored", Debt = "debt" }
}

wire! {
    /// A side of a transfer between members.
    pub struct TransferParty {
        #[serde(rename = "_id")]
        pub id: UserId,
        pub username: String,
    }
    /// A transfer between members as both sides and staff see it.
    pub struct MemberTransferView {
        #[serde(rename = "_id")]
        pub id: MemberTransferId,
        pub origin: TransferParty,
        pub destination: TransferParty,
        /// What arrives.
        pub value: Usdt,
        /// What the sender pays beside it.
        pub fee: Usdt,
        pub status: MemberTransferStatus,
        /// Why it was rejected.
        pub reason: Option<String>,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        pub version: i64,
    }
    /// What the compliance rules want a person to look at.
    pub struct ComplianceCaseView {
        #[serde(rename = "_id")]
        pub id: CaseId,
        pub user: UserId,
        pub username: String,
        /// The member on the other side.
        pub counterparty: Option<String>,
        /// `deposit_pix`, `deposit_chain`, `crypto_withdrawal`, `pix_withdrawal`, `transfer`, `wallet_send`, `pyx_trade`, `bonus`, `graduation_bonus`.
        pub flow: String,
        pub value: Usdt,
        /// `amount`, `speed`, `in_and_out`, `payer_shared`, `device_shared`, `same_device`, `refused_before`.
        pub reasons: Vec<String>,
        /// The kind of what waits for it, and which one it is. All but a `pix_deposit` and a `graduation_bonus` are decided on their
        /// own screen, and the case with them.
        pub waits: Option<String>,
        pub subject: Option<uuid::Uuid>,
        pub status: CaseStatus,
        pub decided_by: Option<String>,
        /// The first of two who let a held bonus go, while a second one is awaited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub agreed_by: Option<String>,
        pub note: Option<String>,
        #[serde(with = "time::serde::rfc3339")]
        pub opened_at: OffsetDateTime,
        #[serde(with = "time::serde::rfc3339::option")]
        pub decided_at: Option<OffsetDateTime>,
        pub version: i64,
    }
    /// One account's absolute balance; `version` grows by one with every posting, so that an older value never replaces a newer one.
    pub struct AccountBalance {
        pub account: UserAccount,
        pub balance: Usdt,
        pub version: i64,
    }
    /// A deposit by PIX as its owner and the approvers see it.
    pub struct PixDepositView {
        #[serde(rename = "_id")]
        pub id: PixDepositId,
        pub user: UserId,
        pub username: String,
        pub usdt: Usdt,
        pub brl: Brl,
        /// BRL per USDT, four decimals.
        pub rate: String,
        pub txid: String,
        /// The copy-and-paste text of the BR Code; only to its owner.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub br_code: Option<String>,
        pub proof: Option<FileId>,
        pub proof_kind: Option<String>,
        /// Set when the same bytes or pixels were seen before as another deposit's proof; only to staff.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub proof_seen_before: bool,
        pub status: PixDepositStatus,
        pub reason: Option<String>,
        /// What arrived and what it credited, once approved.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub brl_received: Option<Brl>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub credited: Option<Usdt>,
        /// The bank took the money back after it had been credited.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub reversed: bool,
        /// Who asked to take the credit back, and why, while a second person is awaited; only to staff.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub reversal_asked_by: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub reversal_reason: Option<String>,
        /// In the approvers' queue since.
        #[serde(default, with = "time::serde::rfc3339::option", skip_serializing_if = "Option::is_none")]
        pub waiting_since: Option<OffsetDateTime>,
        /// How many approvals this decision needs and how many it has.
        pub approvals: i16,
        pub approvals_needed: i16,
        #[serde(with = "time::serde::rfc3339")]
        pub rate_locked_until: OffsetDateTime,
        #[serde(with = "time::serde::rfc3339")]
        pub expires_at: OffsetDateTime,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        pub version: i64,
    }
    /// A withdrawal by PIX as its owner and the approvers see it. The key is masked: facts are kept, keys are personal.
    pub struct PixWithdrawalView {
        #[serde(rename = "_id")]
        pub id: PixWithdrawalId,
        pub user: UserId,
        pub username: String,
        /// Taken from the balance: fee and net.
        pub value: Usdt,
        pub fee: Usdt,
        pub net: Usdt,
        /// What the key receives.
        pub brl: Brl,
        /// BRL per USDT, four decimals.
        pub rate: String,
        pub key_kind: PixKeyKind,
        /// Masked.
        pub key: String,
        pub status: PixWithdrawalStatus,
        pub reason: Option<String>,
        /// What its user is asked to confirm since the rate moved.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub offer: Option<PixOffer>,
        /// The bank's id of the payment.
        pub end_to_end_id: Option<String>,
        pub proof: Option<FileId>,
        pub proof_kind: Option<String>,
        #[serde(with = "time::serde::rfc3339::option")]
        pub paid_at: Option<OffsetDateTime>,
        pub approvals: i16,
        pub approvals_needed: i16,
        #[serde(with = "time::serde::rfc3339")]
        pub waiting_since: OffsetDateTime,
        /// Undecided until then, the money comes back by itself.
        #[serde(with = "time::serde::rfc3339")]
        pub expires_at: OffsetDateTime,
        #[serde(with = "time::serde::rfc3339::option")]
        pub decided_at: Option<OffsetDateTime>,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        pub version: i64,
    }
    /// A new value at the rate of now.
    pub struct PixOffer {
        pub brl: Brl,
        pub rate: String,
    }
}
