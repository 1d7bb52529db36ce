//! Wrong tries: which of them come too early ([`rules`]), and writing them down.
//!
//! A try is written down before it is judged and struck out when it was right, so that many at once count like one after another.

pub mod rules;
mod store;

use crate::{
    error::Error,
    foundation::transaction::{Db, Tx},
};
use protocol::ErrorCode;
use rules::{Count, Pardon};
use time::{Duration, OffsetDateTime};

/// A try under way.
#[derive(Debug)]
#[must_use = "a right try must be struck out"]
pub struct Attempt {
    ids: Vec<i64>,
    pardoned: Vec<String>,
}

/// Refuses what comes too early, without counting it.
///
/// # Errors
/// `request.rate_limited` with the seconds to wait.
pub async fn check(db: &Db, count: Count) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    judge(&mut tx, &[count]).await
}

/// All counts must allow it. They are held, in their given order, until the transaction ends.
async fn judge(tx: &mut Tx, counts: &[Count]) -> Result<(), Error> {
    let now = tx.now();
    let mut next: Option<OffsetDateTime> = None;
    for count in counts {
        let rule = count.rule;
        let past = store::past(tx.conn(), &count.scope, now - rule.span(), rule.most()).await?;
        next = next.max(rule.next(&past));
    }
    match next.filter(|at| *at > now) {
        Some(at) => {
            Err(Error::code(ErrorCode::RateLimited).retry_after(super::rules::seconds_until(at, now)))
        }
        None => Ok(()),
    }
}

/// Writes a try down in all its counts, unless it comes too early for one of them.
///
/// # Errors
/// `request.rate_limited` with the seconds to wait.
pub async fn attempt(db: &Db, counts: Vec<Count>) -> Result<Attempt, Error> {
    let mut tx = db.begin().await?;
    let now = tx.now();
    judge(&mut tx, &counts).await?;
    let scopes: Vec<String> = counts.iter().map(|c| c.scope.clone()).collect();
    let ids = store::insert(tx.conn(), &scopes, now).await?;
    tx.commit().await?;
    let pardoned = counts
        .into_iter()
        .filter(|c| c.pardon == Pardon::All)
        .map(|c| c.scope)
        .collect();
    Ok(Attempt { ids, pardoned })
}

impl Attempt {
    /// It was right: this try does not count, and in counts that pardon all none of the earlier ones does.
    ///
    /// # Errors
    /// Whatever the database refuses.
    pub async fn right(self, db: &Db) -> Result<(), Error> {
        store::strike(db.pool(), &self.ids, &self.pardoned).await
    }
}

/// Forgets all tries of these counts, with the change that gives the reason.
///
/// # Errors
/// Whatever the database refuses.
pub async fn forget(tx: &mut Tx, counts: &[Count]) -> Result<(), Error> {
    let scopes: Vec<String> = counts.iter().map(|c| c.scope.clone()).collect();
    store::strike(tx.conn(), &[], &scopes).await
}

/// Forgets tries that no rule counts any more.
///
/// # Errors
/// Whatever the database refuses.
pub async fn prune(db: &Db) -> Result<(), Error> {
    store::prune(db.pool(), db.now() - Duration::days(2)).await
}
