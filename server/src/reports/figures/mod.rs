//! What a person's money is called, said once (docs/rules/reports.md#figures): **total**, **available**, **invested**, **sponsored**,
//! **paid in**, **taken out**, **result**. Every screen, document and file takes them from here; nobody adds accounts up by themselves.
//!
//! The price of a licence is spent when it is bought, though it can be had back for some days and the books keep it in an account of
//! the licence until the sale is final: who buys sees it leave, and it comes back with a cancellation (2026-11-26). What the house
//! sponsors is in the total from the day on which it is given, and always said beside it, because it never leaves (2026-11-26: it was in
//! the statement's total and not in the dashboard's).

mod store;

use super::flows::{Flow, Flows, Moved, kinds};
use crate::error::Error;
use protocol::{ids::UserId, money::Usdt};
use serde::Serialize;
use sqlx::PgConnection;
use std::collections::BTreeMap;
use time::Date;

/// The accounts that the total adds up, a person's own and those of their licences; debts and loans are below zero.
pub const TOTAL: [&str; 10] = [
    "available",
    "held",
    "bonus",
    "sponsored",
    "debt",
    "pool_principal",
    "topup",
    "allocated",
    "yield",
    "loan",
];

/// Of these: what is put to work.
const INVESTED: [&str; 3] = ["topup", "allocated", "pool_principal"];

/// Names of accounts as a query takes them.
#[must_use]
pub fn names(accounts: &[&str]) -> Vec<String> {
    accounts.iter().map(|name| (*name).to_owned()).collect()
}

/// A person's money in USDT.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// All that is in the person's name, less loans and debt; what was paid for licences is spent.
    pub total: Usdt,
    /// Free to leave, to be sent, to buy with.
    pub available: Usdt,
    /// Capital of licences and principal of pools.
    pub invested: Usdt,
    /// Of the total: given by the house, free or in licences; never leaves.
    pub sponsored: Usdt,
    /// Deposits and transfers received, since the beginning.
    pub paid_in: Usdt,
    /// Withdrawals and transfers sent with their fees, and deposits that were taken back, since the beginning.
    pub taken_out: Usdt,
    /// The one less the other.
    pub net_paid_in: Usdt,
    /// Gains less losses of robots, and shares of pools, since the beginning, in the mode that is booked.
    pub result: Usdt,
}

/// Balances of a person's accounts in USDT, all of one name together.
#[derive(Clone, Debug, Default)]
pub struct Balances(BTreeMap<String, Usdt>);

impl Balances {
    #[must_use]
    pub fn of(&self, account: &str) -> Usdt {
        self.0.get(account).copied().unwrap_or_default()
    }

    fn sum(&self, accounts: &[&str]) -> Usdt {
        accounts.iter().map(|account| self.of(account)).sum()
    }

    #[must_use]
    pub fn total(&self) -> Usdt {
        self.sum(&TOTAL)
    }
}

/// What came from outside and what left, by day.
pub type PaidByDay = BTreeMap<Date, Paid>;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paid {
    pub paid_in: Usdt,
    pub taken_out: Usdt,
}

/// # Errors
/// Whatever the database refuses.
pub async fn balances(conn: &mut PgConnection, user: UserId) -> Result<Balances, Error> {
    Ok(Balances(store::balances(conn, user).await?))
}

/// What was paid in and taken out, by day: the entries and exits of [`Flows`].
///
/// # Errors
/// Whatever the database refuses.
pub async fn paid(conn: &mut PgConnection, user: UserId) -> Result<PaidByDay, Error> {
    let crossing = [Flow::Deposits, Flow::Returned, Flow::Transfers, Flow::Withdrawals];
    let mut by_day: BTreeMap<Date, Vec<Moved>> = BTreeMap::new();
    for (day, moved) in store::crossed(conn, user, &kinds(&crossing)).await? {
        by_day.entry(day).or_default().push(moved);
    }
    Ok(by_day
        .into_iter()
        .map(|(day, moved)| {
            let flows = Flows::sum(&moved);
            let paid = Paid {
                paid_in: flows.entries,
                taken_out: flows.exits,
            };
            (day, paid)
        })
        .collect())
}

/// All of them, with the balances that they come from.
///
/// # Errors
/// Whatever the database refuses.
pub async fn read(conn: &mut PgConnection, user: UserId) -> Result<(Figures, Balances), Error> {
    let balances = balances(conn, user).await?;
    let paid = paid(conn, user).await?;
    let paid_in = paid.values().map(|day| day.paid_in).sum();
    let taken_out = paid.values().map(|day| day.taken_out).sum();
    let figures = Figures {
        total: balances.total(),
        available: balances.of("available"),
        invested: balances.sum(&INVESTED),
        sponsored: balances.of("sponsored") + store::sponsored_capital(conn, user).await?,
        paid_in,
        taken_out,
        net_paid_in: paid_in - taken_out,
        result: store::result(conn, user).await?,
    };
    Ok((figures, balances))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::statement::ACCOUNTS;

    #[test]
    fn every_account_of_the_statement_is_in_the_total_but_prices_and_coins() {
        let beside: Vec<&str> = ACCOUNTS
            .into_iter()
            .filter(|name| !TOTAL.contains(name))
            .collect();
        assert_eq!(beside, ["price", "pyx", "pyx_locked", "pyx_held"]);
        assert!(INVESTED.iter().all(|name| TOTAL.contains(name)));
    }

    #[test]
    fn loans_and_debts_lower_the_total() {
        let of = |pairs: &[(&str, i64)]| {
            Balances(
                pairs
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), Usdt(*value)))
                    .collect(),
            )
        };
        for (accounts, total) in [
            (&[][..], 0),
            (&[("available", 5), ("held", 2), ("price", 100), ("pyx", 7)], 7),
            (&[("available", 98), ("topup", 300), ("loan", -100)], 298),
            (&[("debt", -3), ("sponsored", 25), ("pool_principal", 1)], 23),
        ] {
            assert_eq!(of(accounts).total(), Usdt(total), "{accounts:?}");
        }
    }
}
