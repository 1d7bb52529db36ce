//! What comes and goes over the chain, and the wallets that hold it.

use super::{wire, words};
use crate::{
    ids::{ChainDepositId, ChainWithdrawalId, LicenceId, PlanId, UserId, WalletMoveId},
    money::Usdt,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

words! {
    /// A coin of the chain.
    Coin { Usdt = "usdt", Busd = "busd", Bnb = "bnb", Pyx = "pyx" }
    /// What a deposit over the chain is for.
    DepositProduct { License = "license", Pool = "liquidity_for_pools", Plain = "plain" }
    /// Where a deposit over the chain stands (docs/rules/wallet.md#deposit-states).
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
    PendingCause { UnlistedToken = "unlisted_token", Native = "native", NoRate = "no_rate", Compliance = "compliance", Balance = "balance", Dust = "dust", Closed = "closed" }
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
    /// Where a withdrawal over the chain stands (docs/rules/wallet.md#withdrawals).
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
        /// What was taken, once it is booked.
        pub fee: Option<Usdt>,
        /// What it costs until then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub price: Option<DepositPrice>,
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
    /// What a deposit over the chain costs that is not booked yet.
    pub struct DepositPrice {
        /// Of whatever arrives, by the settings of now: the fixed part, and the share of what it credits in percent.
        pub fee: Usdt,
        pub fee_percent: String,
        /// To be sent for the asked value: as agreed with an intent, by the settings of now for a plain sum.
        pub total: Option<Usdt>,
        /// What of that is the fee.
        pub costs: Option<Usdt>,
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
        /// Who asked to go on signing, while a second person is awaited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub resume_asked_by: Option<String>,
        pub foreign: Vec<ForeignTransaction>,
        pub version: i64,
    }
}
