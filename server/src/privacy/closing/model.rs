//! A closing as its owner sees it.

use crate::foundation::amounts;
use protocol::{
    ids::{AccountClosingId, UserId},
    money::{Pyx, Usdt},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// What stands in the way of closing an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClosingNeed {
    /// USDT that can be taken out.
    Available,
    /// Bonuses that wait to be available.
    Bonus,
    /// Bonuses that wait for their fund or for a look.
    BonusWaiting,
    /// Set aside for something under way.
    Held,
    /// Balance for licences alone: staff take it back.
    Sponsored,
    /// What the person owes.
    Debt,
    Pyx,
    /// Money in pools.
    Pools,
    /// Money in licences: price, top-up, allocation, yield.
    Licences,
    /// Borrowed against a licence.
    Loans,
    Deposits,
    Withdrawals,
    /// To or from others, and orders of staff about one's balance.
    Transfers,
    /// In the book of PYX.
    Orders,
    /// Of one's own wallet, under way on the chain.
    WalletMoves,
    /// Ranks whose bonus is not paid yet.
    Ranks,
    /// Looked at by the team.
    Cases,
    /// Outgoing money is on hold for the account's safety.
    Hold,
    /// A change of the account that waits for the word of a second person of the team.
    Change,
    /// A role that decides about money, held or asked for.
    Role,
}

impl ClosingNeed {
    pub const ALL: [Self; 20] = [
        Self::Available,
        Self::Bonus,
        Self::BonusWaiting,
        Self::Held,
        Self::Sponsored,
        Self::Debt,
        Self::Pyx,
        Self::Pools,
        Self::Licences,
        Self::Loans,
        Self::Deposits,
        Self::Withdrawals,
        Self::Transfers,
        Self::Orders,
        Self::WalletMoves,
        Self::Ranks,
        Self::Cases,
        Self::Hold,
        Self::Change,
        Self::Role,
    ];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Bonus => "bonus",
            Self::BonusWaiting => "bonus_waiting",
            Self::Held => "held",
            Self::Sponsored => "sponsored",
            Self::Debt => "debt",
            Self::Pyx => "pyx",
            Self::Pools => "pools",
            Self::Licences => "licences",
            Self::Loans => "loans",
            Self::Deposits => "deposits",
            Self::Withdrawals => "withdrawals",
            Self::Transfers => "transfers",
            Self::Orders => "orders",
            Self::WalletMoves => "wallet_moves",
            Self::Ranks => "ranks",
            Self::Cases => "cases",
            Self::Hold => "hold",
            Self::Change => "change",
            Self::Role => "role",
        }
    }
}

impl std::str::FromStr for ClosingNeed {
    type Err = ();
    fn from_str(s: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|need| need.as_str() == s).ok_or(())
    }
}

/// By which way money comes or goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClosingWay {
    Pix,
    Chain,
}

impl std::str::FromStr for ClosingWay {
    type Err = ();
    fn from_str(s: &str) -> Result<Self, ()> {
        match s {
            "pix" => Ok(Self::Pix),
            "chain" => Ok(Self::Chain),
            _ => Err(()),
        }
    }
}

/// Something in the way, with where it stands now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClosingNeedView {
    pub what: ClosingNeed,
    /// How much, of what is money.
    pub usdt: Option<Usdt>,
    pub pyx: Option<Pyx>,
    /// How many, of what is counted.
    pub count: Option<i64>,
    /// Until when, of what ends by itself.
    #[serde(with = "time::serde::rfc3339::option")]
    pub until: Option<OffsetDateTime>,
    /// It may be left to the house, by naming the whole of it: a balance or PYX too little to be taken out, bonuses of ranks that nobody has asked
    /// to be paid.
    pub leavable: bool,
    /// Of deposits and withdrawals: by which ways there are some.
    pub ways: Vec<ClosingWay>,
}

/// What an owner leaves to the house: the whole sums, as they stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct LeftBehind {
    /// Of the balance that can be taken out.
    #[serde(default, deserialize_with = "amounts::exact_or_none")]
    #[schema(value_type = Option<amounts::WrittenAmount>)]
    pub available: Option<Usdt>,
    /// Free PYX.
    #[serde(default, deserialize_with = "amounts::exact_or_none")]
    #[schema(value_type = Option<amounts::WrittenAmount>)]
    pub pyx: Option<Pyx>,
    /// Of ranks whose bonus is not paid.
    #[serde(default, deserialize_with = "amounts::exact_or_none")]
    #[schema(value_type = Option<amounts::WrittenAmount>)]
    pub ranks: Option<Usdt>,
}

/// A request that waits for its day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingClosing {
    #[serde(with = "time::serde::rfc3339")]
    pub asked_at: OffsetDateTime,
    /// When the account is closed; until then its owner may cancel.
    #[serde(with = "time::serde::rfc3339")]
    pub due_at: OffsetDateTime,
}

/// What was left to the house with a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClosingLeft {
    pub available: Option<Usdt>,
    pub pyx: Option<Pyx>,
    pub ranks: Option<Usdt>,
}

/// Whether one's own account can be closed, and what is in the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClosingView {
    pub waiting: Option<WaitingClosing>,
    /// What must be settled first. While a request waits: what would call it off.
    pub needs: Vec<ClosingNeedView>,
    /// What stays with the house when the request is carried out.
    pub left: Option<ClosingLeft>,
    /// There is a wallet of one's own on the chain: what lies there is taken, or its phrase written down, before.
    pub wallet: bool,
    /// Seconds between the asking and the closing.
    pub wait: i64,
}

/// What its owner shows, and says.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct AskClosing {
    pub password: String,
    /// The mailed code, purpose `close-account`.
    pub security_code: String,
    /// The authenticator's, where it is on.
    #[serde(default)]
    pub app_code: Option<String>,
    /// Why, at most 500 characters; read by the team.
    #[serde(default)]
    pub reason: Option<String>,
    /// One's own wallet is empty, or its phrase is written down; asked of who has one.
    #[serde(default)]
    pub wallet_settled: bool,
    /// What of it stays with the house; whatever is not named is in the way.
    #[serde(default)]
    pub left: Option<LeftBehind>,
}

/// A request that waits, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closing {
    pub id: AccountClosingId,
    pub owner: UserId,
    pub reason: Option<String>,
    pub asked_at: OffsetDateTime,
    pub due_at: OffsetDateTime,
    pub left_available: Option<Usdt>,
    pub left_pyx: Option<Pyx>,
    pub left_ranks: Option<Usdt>,
}

impl Closing {
    #[must_use]
    pub const fn left(&self) -> LeftBehind {
        LeftBehind {
            available: self.left_available,
            pyx: self.left_pyx,
            ranks: self.left_ranks,
        }
    }
}

/// How a request ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosingEnd {
    Closed,
    /// By its owner, or because the account came into other hands.
    Cancelled,
    /// Something was in the way on its day.
    Kept,
}

impl ClosingEnd {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Cancelled => "cancelled",
            Self::Kept => "kept",
        }
    }
}
