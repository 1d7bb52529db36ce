//! The verifier: recomputes every balance from the postings and names the first account that differs.
//!
//! It trusts nothing that the books say of themselves: neither balances, nor balances after, nor the sums of transfers. One
//! snapshot, read-only, in a handful of passes over whole tables; it locks nobody out.

mod store;

use crate::{error::Error, foundation::transaction::Db};
use serde::Serialize;

/// What the verifier found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub exact: bool,
    pub accounts: i64,
    pub postings: i64,
    pub transfers: i64,
    pub holds: i64,
    /// The first thing that is not as it must be.
    pub first_difference: Option<Difference>,
}

/// A place where the books contradict themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// What was checked: `balance`, `history`, `sign`, `currency_sum`, `transfer`, `hold`.
    pub check: String,
    /// The account (owner kind, owner, name, currency, stripe), currency or transfer.
    pub subject: String,
    pub expected: String,
    pub found: String,
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            accounts,
            postings,
            transfers,
            holds,
            ..
        } = self;
        match &self.first_difference {
            None => write!(
                f,
                "the ledger is exact: {accounts} accounts, {transfers} transfers, {postings} postings, {holds} holds"
            ),
            Some(d) => write!(
                f,
                "the ledger is NOT exact: {} of {}: expected {}, found {} ({accounts} accounts, {transfers} transfers, {postings} postings)",
                d.check, d.subject, d.expected, d.found
            ),
        }
    }
}

/// Verifies the whole ledger.
///
/// # Errors
/// When the database cannot be read; a difference is a report, not an error.
pub async fn verify(db: &Db) -> Result<Report, Error> {
    let mut tx = db.begin().await?;
    store::take_snapshot(tx.conn()).await?;
    let counts = store::counts(tx.conn()).await?;
    // From the account outwards: the first difference named is the nearest to its cause.
    let mut first_difference = store::account_difference(tx.conn()).await?;
    if first_difference.is_none() {
        first_difference = store::currency_difference(tx.conn()).await?;
    }
    if first_difference.is_none() {
        first_difference = store::transfer_difference(tx.conn()).await?;
    }
    if first_difference.is_none() {
        first_difference = store::hold_difference(tx.conn()).await?;
    }
    tx.rollback().await?;
    Ok(Report {
        exact: first_difference.is_none(),
        accounts: counts.accounts,
        postings: counts.postings,
        transfers: counts.transfers,
        holds: counts.holds,
        first_difference,
    })
}
