//! What a thing looks like to those who may see it: the same shape in a REST answer and in a live fact.

use crate::{
    ids::{
        CaseId, ChainDepositId, ChainWithdrawalId, FileId, LicenceId, MemberTransferId, MessageId,
        OperationId, PixDepositId, PixWithdrawalId, PlanId, RuleChangeId, TicketId, UserId, WalletMoveId,
    },
    money::{Brl, Usdt},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Attributes shared by every shape that crosses the wire.
macro_rules! wire {
    ($($(#[$doc:meta])* $vis:vis $kind:ident $name:ident $body:tt)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        $vis $kind $name $body
    )+};
}

/// A small closed set of words, stored as text in the database and written in snake case on the wire.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "database", derive(sqlx::Type), sqlx(type_name = "text"))]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $text)] #[cfg_attr(feature = "database", sqlx(rename = $text))] $variant),+ }
        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$variant => $text),+ } }
        }
        impl std::str::FromStr for $name {
            type Err = ();
            fn from_str(s: &str) -> Result<Self, ()> { match s { $($text => Ok(Self::$variant),)+ _ => Err(()) } }
        }
        impl std::fmt::Display for $name { fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(self.as_str()) } }
        // By hand: the derive does not see names that reach it through a macro.
        #[cfg(feature = "openapi")]
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .enum_values(Some([$($text),+]))
                    .into()
            }
        }
        #[cfg(feature = "openapi")]
        impl utoipa::ToSchema for $name {}
    )+};
}

pub(crate) use {wire, words};

words! {
    /// Why the desk begins nothing: the day's losses have reached their limit.
    DeskHalt { DailyLoss = "daily_loss" }
    /// Where an operation that its owner ordered stands.
    ManualState {
        /// Waits for the desk.
        Asked = "asked",
        /// The desk has it.
        Sent = "sent",
        /// Filled and booked.
        Done = "done",
        /// It filled nothing.
        Nothing = "nothing",
        Refused = "refused",
    }
    /// Why a manual order was refused after it had been taken.
    ManualRefusal {
        /// The desk begins nothing now.
        DeskOff = "desk_off",
        Busy = "busy",
        /// The opportunity is over, or the order waited too long.
        Expired = "expired",
        /// The edge is below the robot's least.
        Thin = "thin",
        /// Nothing was left of it.
        Taken = "taken",
        /// The robot's capital does not take part yet.
        TooEarly = "too_early",
        NotAllocated = "not_allocated",
        /// The robot's capital is bound in other operations.
        Bound = "bound",
        /// The licence has changed meanwhile.
        Changed = "changed",
    }
    /// How an operation came about; results of different modes are never added up.
    Mode { Simulated = "simulated", Paper = "paper", Live = "live" }
    /// Where the switch of live trading stands.
    LiveSwitchState {
        /// For a second person's word.
        Asked = "asked",
        On = "on",
        Off = "off",
    }
    /// What live trading needs and this installation lacks.
    LiveMissing {
        /// A demo never trades for real.
        World = "world",
        /// The desk's quotes are not those of the venue.
        Feed = "feed",
        Keys = "keys",
    }
    /// A coin of the chain.
    Coin { Usdt = "usdt", Busd = "busd", Bnb = "bnb", Pyx = "pyx" }
    /// What a deposit over the chain is for.
    DepositProduct { License = "license", Pool = "liquidity_for_pools", Plain = "plain" }
    /// Where a deposit over the chain stands (product.md §4).
    ChainDepositStatus {
        Waiting = "waiting_for_buyer_funds",
        /// Seen on the chain, not confirmed yet.
        Pending = "pending",
        Confirmed = "funds_received_and_confirmed",
        Complete = "complete",
        /// Nothing came in time.
        TimedOut = "cancelled_timed_out",
        /// Paid from the balance or by staff.
        Completed = "completed",
        PendingApproval = "pending_approval",
        Approved = "approved",
        Rejected = "rejected",
        /// Withdrawn by its own user.
        Canceled = "canceled",
    }
    /// How a deposit over the chain ended.
    DepositOutcome {
        Exact = "exact",
        Overpaid = "overpaid",
        Underpaid = "underpaid",
        Late = "late",
        /// Came to an address that had been used before.
        Later = "later",
        WrongToken = "wrong_token",
        PlanGone = "plan_gone",
        Plain = "plain",
        /// Sums too small to be credited, added up per address.
        Dust = "dust",
    }
    /// Why a person must look at a deposit over the chain.
    PendingCause { UnlistedToken = "unlisted_token", Native = "native", NoRate = "no_rate", Compliance = "compliance", Balance = "balance", Dust = "dust" }
    /// Where a deposit by PIX stands (product.md §4).
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
    /// Where a withdrawal by PIX stands (product.md §4).
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
    /// What moves on a user's own wallet on chain.
    WalletMoveKind { Send = "send", Swap = "swap", Receive = "receive" }
    /// Where it stands: in a block is `mined`, also while more blocks are waited for.
    WalletMoveStatus { Queued = "queued", Sent = "sent", Mined = "mined", Failed = "failed" }
    /// Why it failed; nothing but gas was lost.
    WalletMoveReason {
        Reverted = "reverted",
        /// The price moved beyond what was agreed.
        Slippage = "slippage",
        /// It was not mined in time.
        Expired = "expired",
        /// Never reached the chain: the key was used elsewhere.
        Dropped = "dropped",
        /// A hold, a pause or the whitelist stood against it when its turn came.
        Refused = "refused",
    }
    /// Where a withdrawal over the chain stands (product.md §4).
    ChainWithdrawalStatus {
        /// Until its user follows the mailed link.
        AwaitingEmail = "awaiting_email",
        Pending = "pending",
        /// The rate moved since the request: its user confirms the new amount.
        AwaitingConfirmation = "awaiting_confirmation",
        /// Decided; the sender takes it next.
        Approved = "approved",
        /// Signed and on its way.
        Sent = "sent",
        Complete = "complete",
        /// The chain refused it; staff give it back or send it again.
        Failed = "failed",
        Rejected = "rejected",
        Canceled = "canceled",
        Expired = "expired",
    }
    /// What is wrong with the hot wallet, or stands in its way.
    HotAlertKind {
        /// No key is configured: nothing is sent.
        NoKey = "no_key",
        /// The process that signs is not there: nothing is sent.
        Absent = "absent",
        /// Too little of a coin for what waits.
        Low = "low",
        /// Too little BNB to pay for gas.
        Gas = "gas",
        /// The books hold less of the coin than what waits.
        Books = "books",
        /// The signer's cap of the hour or the day is used up.
        Capped = "capped",
        /// The signer refuses.
        Refused = "refused",
        /// Gas costs more than allowed.
        Dear = "dear",
        /// A transaction waits for a block, at the highest price allowed.
        Stuck = "stuck",
        /// The chain knows of transactions that the books do not: nothing is signed.
        Foreign = "foreign",
        /// More than the maximum, and no cold address.
        Surplus = "surplus",
        /// What waits is held back by the guard.
        Held = "held",
        /// The chain does not answer.
        Unreachable = "unreachable",
    }
    /// Where a transfer between members stands; pending ones wait for a person's look.
    MemberTransferStatus { Pending = "pending", Complete = "complete", Rejected = "rejected" }
    LicenceState { Active = "active", CeilingReached = "ceiling_reached", Cancelled = "cancelled", Reversed = "reversed" }
    RobotStatus { Idle = "idle", Operating = "operating", Paused = "paused", GoalReached = "goal_reached", CeilingReached = "ceiling_reached" }
    /// What became of a following: it runs; its maximum loss was reached; its leader stopped; its owner ended it, or its licence did.
    FollowingState { Active = "active", Loss = "loss", Left = "left", Ended = "ended" }
    /// Why a robot no longer leads.
    LeaderEnd { Owner = "owner", Inactive = "inactive", Cancelled = "cancelled", CeilingReached = "ceiling_reached", Reversed = "reversed" }
    PoolEntryState { Active = "active", Ended = "ended" }
    TicketStatus { Open = "open", Closed = "closed" }
    TicketCategory { Financial = "financial", AccountData = "account_data", Other = "other", AffiliateNetwork = "affiliate_network", RobotTrading = "robot_trading" }
    /// Which side of a ticket speaks.
    TicketSide { Customer = "customer", Staff = "staff" }
    /// A user's own accounts in the ledger that a screen shows.
    UserAccount { Available = "available", Held = "held", Bonus = "bonus", Sponsored = "sponsored", Debt = "debt" }
}

wire! {
    /// What moves on a user's own wallet on chain. Amounts are whole wei.
    pub struct WalletMoveView {
        #[serde(rename = "_id")]
        pub id: WalletMoveId,
        pub kind: WalletMoveKind,
        pub status: WalletMoveStatus,
        pub coin: Coin,
        pub wei: String,
        /// Who receives or paid it; none of a swap.
        pub counterparty: Option<String>,
        /// Of a swap: what comes back, at least how much, and how much it was.
        pub coin_out: Option<Coin>,
        pub minimum: Option<String>,
        pub received: Option<String>,
        /// What the network took, once known.
        pub gas: Option<String>,
        pub transaction: Option<String>,
        pub block: Option<i64>,
        pub reason: Option<WalletMoveReason>,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        #[serde(with = "time::serde::rfc3339")]
        pub updated_at: OffsetDateTime,
        pub version: i64,
    }

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
        /// `deposit_pix`, `deposit_chain`, `crypto_withdrawal`, `pix_withdrawal`, `transfer`, `wallet_send`.
        pub flow: String,
        pub value: Usdt,
        /// `amount`, `speed`, `in_and_out`, `payer_shared`, `device_shared`, `same_device`, `refused_before`.
        pub reasons: Vec<String>,
        /// The kind of what waits for it, and which one it is. All but a `pix_deposit` are decided on their own screen, and the
        /// case with them.
        pub waits: Option<String>,
        pub subject: Option<uuid::Uuid>,
        pub status: CaseStatus,
        pub decided_by: Option<String>,
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

    /// A deposit over the chain as its owner and the approvers see it. Amounts on the chain are whole wei, 18 decimals.
    pub struct ChainDepositView {
        #[serde(rename = "_id")]
        pub id: ChainDepositId,
        pub user: UserId,
        pub username: String,
        pub product: DepositProduct,
        /// None: a token that is on no list.
        pub coin: Option<Coin>,
        pub contract: Option<String>,
        /// Where to pay, with its checksum.
        pub address: String,
        pub plan: Option<PlanId>,
        pub is_high_risk: bool,
        /// What was asked for; none for money that came unasked.
        pub value: Option<Usdt>,
        /// Exact wei of an intent.
        pub due: Option<String>,
        /// Confirmed wei.
        pub received: String,
        /// Wei that is seen and not confirmed yet.
        pub seen: String,
        #[serde(with = "time::serde::rfc3339::option")]
        pub expires_at: Option<OffsetDateTime>,
        pub status: ChainDepositStatus,
        pub outcome: Option<DepositOutcome>,
        pub pending_cause: Option<PendingCause>,
        /// Of the newest payment.
        pub transaction: Option<String>,
        pub confirmations: u32,
        pub confirmations_needed: u32,
        /// USDT per whole coin, six decimals, where it is no USDT.
        pub rate: Option<Usdt>,
        pub credited: Option<Usdt>,
        pub fee: Option<Usdt>,
        pub licence: Option<LicenceId>,
        pub reason: Option<String>,
        /// The transaction that gave a rejected deposit back.
        pub refund: Option<String>,
        /// Its payment left the chain after it had been credited.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub reversed: bool,
        pub approvals: i16,
        pub approvals_needed: i16,
        #[serde(with = "time::serde::rfc3339::option")]
        pub waiting_since: Option<OffsetDateTime>,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        pub version: i64,
    }

    /// A withdrawal over the chain as its owner and the approvers see it. Amounts on the chain are whole wei, 18 decimals.
    pub struct ChainWithdrawalView {
        #[serde(rename = "_id")]
        pub id: ChainWithdrawalId,
        pub user: UserId,
        pub username: String,
        pub coin: Coin,
        /// Where to, with its checksum.
        pub address: String,
        /// Taken from the balance: fee and net.
        pub value: Usdt,
        pub fee: Usdt,
        pub net: Usdt,
        /// Exact wei that the address receives.
        pub amount: String,
        /// USDT per whole coin, six decimals.
        pub rate: Usdt,
        pub status: ChainWithdrawalStatus,
        pub reason: Option<String>,
        /// What its user is asked to confirm since the rate moved.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub offer: Option<ChainOffer>,
        /// The hash under which the chain knows it; of a replaced one the newest.
        pub transaction: Option<String>,
        /// The block that holds it.
        pub block: Option<i64>,
        pub approvals: i16,
        pub approvals_needed: i16,
        #[serde(with = "time::serde::rfc3339")]
        pub waiting_since: OffsetDateTime,
        /// Unconfirmed or undecided until then, the money comes back by itself.
        #[serde(with = "time::serde::rfc3339")]
        pub expires_at: OffsetDateTime,
        #[serde(with = "time::serde::rfc3339::option")]
        pub decided_at: Option<OffsetDateTime>,
        #[serde(with = "time::serde::rfc3339::option")]
        pub sent_at: Option<OffsetDateTime>,
        #[serde(with = "time::serde::rfc3339::option")]
        pub completed_at: Option<OffsetDateTime>,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        pub version: i64,
    }

    /// A new amount at the rate of now.
    pub struct ChainOffer {
        pub amount: String,
        pub rate: Usdt,
    }

    /// Something about the hot wallet that wants a person.
    pub struct HotAlert {
        pub kind: HotAlertKind,
        pub coin: Option<Coin>,
        /// Wei that are missing, or too many.
        pub amount: Option<String>,
    }

    /// One coin of the hot wallet, in wei.
    pub struct HotCoin {
        pub coin: Coin,
        pub balance: String,
        /// Approved and not signed yet.
        pub waiting: String,
        pub waiting_count: i64,
        /// Signed and not in a block yet.
        pub under_way: String,
    }

    /// A transaction of the hot wallet that nothing here knows of.
    pub struct ForeignTransaction {
        pub transaction: String,
        pub nonce: i64,
        pub to: String,
        pub block: i64,
    }

    /// The hot wallet as those who decide see it.
    pub struct HotWalletView {
        pub address: Option<String>,
        pub cold_address: Option<String>,
        pub coins: Vec<HotCoin>,
        pub alerts: Vec<HotAlert>,
        /// Why nothing is signed, where that is so.
        pub halted: bool,
        pub foreign: Vec<ForeignTransaction>,
        pub version: i64,
    }

    /// A new value at the rate of now.
    pub struct PixOffer {
        pub brl: Brl,
        pub rate: String,
    }

    /// A licence with its robot and its accounts.
    pub struct LicenceView {
        #[serde(rename = "_id")]
        pub id: LicenceId,
        pub plan: PlanId,
        /// Running number of the licence among its owner's, for a readable name.
        pub number: i32,
        pub value: Usdt,
        pub is_high_risk: bool,
        pub state: LicenceState,
        pub robot_status: RobotStatus,
        /// Resting in the licence until the sale is final.
        pub price: Usdt,
        pub topup: Usdt,
        pub allocated: Usdt,
        pub reserved: Usdt,
        #[serde(rename = "yield")]
        pub yield_balance: Usdt,
        /// ≤ 0.
        pub loan: Usdt,
        /// What was borrowed, while something of it is owed.
        pub loan_taken: Usdt,
        /// The robot stands still because its capital no longer backed its loan.
        pub stopped_by_loan: bool,
        /// `topup + allocated` may not exceed it (5 × value).
        pub allocation_limit: Usdt,
        pub maximum_return: Usdt,
        pub limit_left: Usdt,
        pub network_ceiling: Usdt,
        pub network_used: Usdt,
        pub manual_key: bool,
        /// Staff have taken the key away: it cannot be switched on.
        pub manual_revoked: bool,
        /// Percent of `allocated`, two decimals.
        pub daily_gain_goal: String,
        pub is_final: bool,
        #[serde(with = "time::serde::rfc3339::option")]
        pub cancellable_until: Option<OffsetDateTime>,
        #[serde(with = "time::serde::rfc3339::option")]
        pub topup_date: Option<OffsetDateTime>,
        /// Net result of the open business day, in the world's mode.
        pub today: Usdt,
        pub total_gain: Usdt,
        pub total_loss: Usdt,
        pub operations: i64,
        pub mode: Mode,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        pub version: i64,
    }

    /// What one put into a pool at one time.
    pub struct PoolEntryView {
        #[serde(rename = "_id")]
        pub id: crate::ids::PoolEntryId,
        pub pool: crate::ids::PoolId,
        pub pool_name: String,
        pub value: Usdt,
        pub state: PoolEntryState,
        pub term_days: i32,
        /// It counts on these days, both inclusive.
        pub first_day: String,
        pub last_day: String,
        /// When the principal comes back.
        #[serde(with = "time::serde::rfc3339")]
        pub ends_at: OffsetDateTime,
        #[serde(with = "time::serde::rfc3339::option")]
        pub ended_at: Option<OffsetDateTime>,
        /// Shares of revenue so far.
        pub received: Usdt,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        pub version: i64,
    }

    /// A robot that copies another, or has.
    pub struct FollowingView {
        #[serde(rename = "_id")]
        pub id: crate::ids::FollowingId,
        pub licence: LicenceId,
        /// Of the licence among its owner's.
        pub number: i32,
        pub leader: LicenceId,
        /// The leader's owner, by username.
        pub name: String,
        #[serde(with = "time::serde::rfc3339")]
        pub since: OffsetDateTime,
        pub maximum_loss: Usdt,
        /// Booked results of the robot while it followed; at −`maximumLoss` or below it ends.
        pub net: Usdt,
        pub state: FollowingState,
        #[serde(with = "time::serde::rfc3339::option")]
        pub ended_at: Option<OffsetDateTime>,
        /// 1 while it runs, 2 once it has ended.
        pub version: i64,
    }

    /// A robot after a settlement: absolute values, so that a double does no harm.
    pub struct SettledRobot {
        pub licence: LicenceId,
        #[serde(rename = "yield")]
        pub yield_balance: Usdt,
        pub topup: Usdt,
        pub allocated: Usdt,
        /// ≤ 0.
        pub loan: Usdt,
        pub stopped_by_loan: bool,
        pub limit_left: Usdt,
        pub today: Usdt,
        pub total_gain: Usdt,
        pub total_loss: Usdt,
        /// Operations ever, and this batch's gain and loss.
        pub operations: i64,
        pub gain: Usdt,
        pub loss: Usdt,
        pub status: RobotStatus,
        pub version: i64,
    }

    /// One leg of an operation.
    pub struct LegView {
        pub venue: String,
        pub symbol: String,
        /// `buy` or `sell`.
        pub side: String,
        pub price: String,
        pub quantity: String,
        pub fee: String,
    }

    /// An operation that an owner ordered with one robot.
    pub struct ManualOrderView {
        /// Of the operation, too.
        #[serde(rename = "_id")]
        pub id: OperationId,
        pub licence: LicenceId,
        pub route: String,
        pub state: ManualState,
        /// Of a refused one.
        pub reason: Option<ManualRefusal>,
        /// Of a filled one; its result as it was booked.
        pub volume: Option<Usdt>,
        pub result: Option<Usdt>,
        /// Once the desk has booked it.
        pub mode: Option<Mode>,
        #[serde(with = "time::serde::rfc3339")]
        pub asked_at: OffsetDateTime,
        #[serde(with = "time::serde::rfc3339::option")]
        pub closed_at: Option<OffsetDateTime>,
    }

    /// One operation as one robot's order history shows it.
    pub struct OrderView {
        #[serde(rename = "_id")]
        pub id: OperationId,
        pub mode: Mode,
        pub route: String,
        pub legs: Vec<LegView>,
        pub volume: Usdt,
        pub fees: Usdt,
        pub result: Usdt,
        /// What the ceiling cut from a gain, and what of a loss the robot could not bear.
        pub cut: Usdt,
        pub manual: bool,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
    }

    pub struct AttachmentView {
        pub file: FileId,
        pub name: String,
        pub mime: String,
        pub bytes: i64,
    }

    /// A message of a ticket; `number` is gap-free within the ticket.
    pub struct MessageView {
        #[serde(rename = "_id")]
        pub id: MessageId,
        pub ticket: TicketId,
        pub number: i64,
        pub author: UserId,
        pub author_name: String,
        pub side: TicketSide,
        pub text: String,
        pub attachment: Option<AttachmentView>,
        pub edited: bool,
        pub deleted: bool,
        /// The sender's own id of the message: lets a client match what it shows as pending.
        pub client_id: Option<uuid::Uuid>,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
    }

    /// A ticket in a list or a queue.
    pub struct TicketView {
        #[serde(rename = "_id")]
        pub id: TicketId,
        /// Readable running number.
        pub number: i64,
        pub user: UserId,
        pub user_name: String,
        pub subject: String,
        pub category: TicketCategory,
        pub status: TicketStatus,
        pub last_number: i64,
        pub last_message: String,
        pub read_by_customer: i64,
        pub read_by_staff: i64,
        /// Since when the customer waits for a reply; none when staff spoke last.
        #[serde(with = "time::serde::rfc3339::option")]
        pub waiting_since: Option<OffsetDateTime>,
        #[serde(with = "time::serde::rfc3339")]
        pub last_message_at: OffsetDateTime,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        #[serde(with = "time::serde::rfc3339::option")]
        pub closed_at: Option<OffsetDateTime>,
        /// Staff deleted it: whoever shows it stops doing so.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub deleted: bool,
        pub version: i64,
    }
}

words! {
    /// What a change of the rulebook is about.
    RuleChangeKind { Settings = "settings", Plan = "plan" }
    /// Where a change of the rulebook stands.
    RuleChangeStatus {
        /// For a second person.
        Waiting = "waiting",
        /// For its hour.
        Agreed = "agreed",
        InForce = "in_force",
        Withdrawn = "withdrawn",
    }
}

wire! {
    /// One value of a change, as people write it.
    pub struct RuleItem {
        pub key: String,
        /// None: it did not exist.
        pub before: Option<String>,
        pub after: String,
    }

    /// A request for live trading, and what became of it.
    pub struct LiveSwitchView {
        #[serde(rename = "_id")]
        #[cfg_attr(feature = "openapi", schema(value_type = String, format = "uuid"))]
        pub id: uuid::Uuid,
        pub state: LiveSwitchState,
        pub reason: String,
        /// Usernames.
        pub asked_by: String,
        pub asked_user: UserId,
        #[serde(with = "time::serde::rfc3339")]
        pub asked_at: OffsetDateTime,
        pub confirmed_by: Option<String>,
        #[serde(with = "time::serde::rfc3339::option")]
        pub confirmed_at: Option<OffsetDateTime>,
        pub off_by: Option<String>,
        #[serde(with = "time::serde::rfc3339::option")]
        pub off_at: Option<OffsetDateTime>,
    }

    /// A change of settings or of a plan.
    pub struct RuleChangeView {
        #[serde(rename = "_id")]
        pub id: RuleChangeId,
        pub kind: RuleChangeKind,
        /// The plan whose place is taken; none: a new one.
        pub plan: Option<PlanId>,
        pub items: Vec<RuleItem>,
        /// Needs a second person.
        pub money: bool,
        pub reason: String,
        pub status: RuleChangeStatus,
        /// Usernames.
        pub ordered_by: String,
        pub agreed_by: Option<String>,
        pub withdrawn_by: Option<String>,
        pub withdrawn_reason: Option<String>,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        #[serde(with = "time::serde::rfc3339::option")]
        pub agreed_at: Option<OffsetDateTime>,
        /// Since when, or from when, it is in force.
        #[serde(with = "time::serde::rfc3339::option")]
        pub effective_at: Option<OffsetDateTime>,
        pub version: i64,
    }
}
