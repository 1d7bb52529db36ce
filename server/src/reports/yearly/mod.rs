//! A person's year, as a tax return asks for it: what one owned at its two ends, what was paid in and out, results, bonuses, licences, PYX
//! (docs/rules/reports.md#year).
//!
//! Opening + changes = closing, always, and both ends are the [total](super::figures). Results come from the day roll-up of the books, of
//! each mode by itself; the accounts that settlements move are read from the closed days, and every other by its own postings: nobody's
//! year adds up single operations (2026-11-27).

mod lines;
pub mod routes;
pub mod rules;
mod store;

use crate::{
    error::Error,
    foundation::{business_day, context::Context},
    identity::{caller::Caller, service as identity},
};
use protocol::{
    money::{Brl, Pyx, Usdt},
    views::Mode,
};
use serde::Serialize;
use time::Date;

/// An account's balance at the two ends of the year, all of one name together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct YearAccount {
    pub account: String,
    pub before: Usdt,
    pub after: Usdt,
}

/// Which way money crossed the border of the house.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Crossed {
    In,
    Out,
    /// A deposit that the bank or the chain took back.
    Returned,
}

impl Crossed {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
            Self::Returned => "returned",
        }
    }
}

/// How it crossed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    Pix,
    Usdt,
    Busd,
    Bnb,
    Pyx,
    /// On the chain, where the books name no coin.
    Crypto,
    /// From or to another member.
    Transfer,
    /// What a withdrawal of PYX costs.
    Fee,
}

impl Way {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pix => "pix",
            Self::Usdt => "usdt",
            Self::Busd => "busd",
            Self::Bnb => "bnb",
            Self::Pyx => "pyx",
            Self::Crypto => "crypto",
            Self::Transfer => "transfer",
            Self::Fee => "fee",
        }
    }
}

/// What was paid in, or paid out, in a month by one way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct YearCrossing {
    /// Its first day.
    pub month: String,
    pub crossed: Crossed,
    pub way: Way,
    pub count: i64,
    /// What the total gained or lost by it, fees inside; without a sign.
    pub usdt: Usdt,
    /// Of PIX: each payment at the rate at which it was booked.
    pub brl: Option<Brl>,
    /// Of coins: how many, exact.
    pub coins: Option<String>,
}

/// What a mode's robots brought in a month, gains less losses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct MonthNet {
    pub month: String,
    pub net: Usdt,
}

/// A year's results of one mode: never added to those of another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct YearResults {
    pub mode: Mode,
    pub total: Usdt,
    /// Those with results.
    pub months: Vec<MonthNet>,
}

/// A month of the year. One that has not begun is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct YearMonth {
    pub month: String,
    pub paid_in: Usdt,
    pub paid_out: Usdt,
    /// Shares of pools.
    pub pools: Usdt,
    pub bonus: Usdt,
    /// Bonuses of ranks, which are paid to one's own wallet on the chain and pass no account.
    pub rank_bonus: Usdt,
}

/// What led from one end of the year to the other, beside results of robots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct YearChanges {
    pub paid_in: Usdt,
    /// Without a sign.
    pub paid_out: Usdt,
    pub pools: Usdt,
    pub bonus: Usdt,
    /// Paid for licences, less what came back for them.
    pub licences: Usdt,
    /// Exchanged for PYX and back.
    pub exchange: Usdt,
    pub sponsorship: Usdt,
    /// Fees of loans.
    pub loans: Usdt,
    /// What was undone, and what came of it.
    pub corrections: Usdt,
}

/// A licence that was bought or ended in the year.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct YearLicence {
    pub number: i32,
    pub value: Usdt,
    pub is_high_risk: bool,
    /// `available` or `sponsored`.
    pub source: String,
    /// `active`, `ceiling_reached`, `cancelled`, `reversed`.
    pub state: String,
    /// The day of the purchase.
    pub bought: String,
    /// The day on which it ended, if it has.
    pub ended: Option<String>,
}

/// PYX of the year: they have no rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct YearPyx {
    pub before: Pyx,
    pub after: Pyx,
    /// Bought, released, received.
    pub came: Pyx,
    /// Sold or withdrawn.
    pub left: Pyx,
}

/// A line of the form's list of goods and rights: what stood in one's name at the ends of the year.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct YearGood {
    /// Of the form: 08, crypto assets.
    pub group: &'static str,
    /// Within the group: 03 what is pegged to a currency, 99 others.
    pub code: &'static str,
    pub coin: &'static str,
    pub before: String,
    pub after: String,
}

/// A person's year.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct YearlyStatement {
    pub year: i32,
    /// The year goes on: everything is as of today.
    pub running: bool,
    /// The last day that counts: 31 December, or today.
    pub last_day: String,
    /// Those that can be asked for, the newest first.
    pub years: Vec<i32>,
    /// The total at the end of the year before, and at the last day's end.
    pub opening: Usdt,
    pub closing: Usdt,
    /// What the totals are made of.
    pub accounts: Vec<YearAccount>,
    pub goods: Vec<YearGood>,
    pub changes: YearChanges,
    pub results: Vec<YearResults>,
    pub months: Vec<YearMonth>,
    pub crossings: Vec<YearCrossing>,
    pub licences: Vec<YearLicence>,
    pub pyx: YearPyx,
    pub rank_bonus: Usdt,
}

/// Which year is asked for: the running one when none is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Year {
    pub year: i32,
    pub first: Date,
    pub last: Date,
    pub today: Date,
}

impl Year {
    #[must_use]
    pub fn running(&self) -> bool {
        self.today <= self.last
    }

    /// The last day that counts.
    #[must_use]
    pub fn through(&self) -> Date {
        self.last.min(self.today)
    }
}

/// Reads it, in one snapshot.
///
/// # Errors
/// `request.invalid` for a year that is not over and not running, or was before the account.
pub async fn read(context: &Context, caller: &Caller, asked: Option<i32>) -> Result<YearlyStatement, Error> {
    let account = identity::account(&context.db, caller.user).await?;
    let today = business_day::of(context.now());
    let begun = business_day::of(account.created_at).min(today);
    let year = rules::year(asked, begun, today)?;
    let mut tx = context.db.snapshot().await?;
    let read = store::read(tx.conn(), caller.user, &year).await?;
    tx.rollback().await?;
    Ok(rules::statement(&year, begun, read))
}
