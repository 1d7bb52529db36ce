//! PYX as its owner and the market's watchers see it.

use crate::{
    ids::{PresaleRoundId, PyxOrderId},
    money::{Pyx, Usdt},
    views::{wire, words},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

words! {
    /// Which side of the book PYX/USDT.
    PyxSide { Buy = "buy", Sell = "sell" }
    /// Where an order stands; what was filled of a cancelled one stays filled.
    PyxOrderStatus { Open = "open", Filled = "filled", Cancelled = "cancelled" }
    /// Why an order was cancelled.
    PyxOrderEnd {
        /// By its owner.
        Owner = "owner",
        /// It met an order of its own owner.
        SelfTrade = "self_trade",
        /// It met more orders than one may meet at once.
        Limit = "limit",
        /// A credit behind it was taken back.
        Reversal = "reversal",
        /// What it set aside went to repay a debt.
        Debt = "debt",
        /// Its owner's whitelist or limits no longer let it stand.
        Guarded = "guarded",
    }
}

wire! {
    /// A person's PYX: free, waiting for their day, set aside by orders.
    pub struct PyxBalances {
        pub free: Pyx,
        pub locked: Pyx,
        pub held: Pyx,
        /// Grows with every movement.
        pub version: i64,
    }

    /// An order as its owner sees it.
    pub struct PyxOrderView {
        #[serde(rename = "_id")]
        pub id: PyxOrderId,
        pub side: PyxSide,
        /// USDT of a whole PYX.
        pub price: Usdt,
        pub quantity: Pyx,
        pub filled: Pyx,
        /// What the filled part cost or brought.
        pub total: Usdt,
        pub status: PyxOrderStatus,
        /// Why it was cancelled.
        pub end: Option<PyxOrderEnd>,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        #[serde(with = "time::serde::rfc3339")]
        pub updated_at: OffsetDateTime,
        pub version: i64,
    }

    /// All open orders of one price.
    pub struct PyxLevel {
        pub price: Usdt,
        pub quantity: Pyx,
    }

    /// The book's depth, best prices first.
    pub struct PyxBook {
        pub bids: Vec<PyxLevel>,
        pub asks: Vec<PyxLevel>,
        /// The number of the last trade in it.
        pub trades: i64,
    }

    /// Two orders that met, as everybody sees it.
    pub struct PyxTradeView {
        /// Counts from 1 without a gap.
        pub number: i64,
        pub price: Usdt,
        pub quantity: Pyx,
        /// Of the order that came later.
        pub side: PyxSide,
        #[serde(with = "time::serde::rfc3339")]
        pub at: OffsetDateTime,
    }

    /// How far a round is sold.
    pub struct PresaleProgress {
        pub round: PresaleRoundId,
        pub sold: Pyx,
        pub supply: Pyx,
        pub version: i64,
    }
}
