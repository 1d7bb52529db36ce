//! Wrong tries: which of them come too early ([`rules`]), and writing them down.
//!
//! A try is written down before it is judged and struck out when it was right, so that many at once count like one after another.

pub mod rules;
mod store;

use crate::{
    error::Error,
    foundation::transaction::{Db, Tx},
};
use protocol::{ErrorCode, ids::UserId};
use rules::{Count, Pardon, Past};
use time::OffsetDateTime;
use uuid::Uuid;

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
    judge(&mut tx, &[count], false).await?;
    Ok(())
}

/// All counts must allow it. They are held, in their given order, until the transaction ends. A try that is `noted` is written down in
/// all of them; one that comes too early is not to be committed.
async fn judge(tx: &mut Tx, counts: &[Count], noted: bool) -> Result<Vec<i64>, Error> {
    let now = tx.now();
    let tries = store::tries(tx.conn(), counts, now, noted).await?;
    require_late_enough(counts.iter().zip(tries.iter().map(|(past, _)| past)), now)?;
    Ok(tries.into_iter().filter_map(|(_, id)| id).collect())
}

fn require_late_enough<'a>(
    tries: impl Iterator<Item = (&'a Count, &'a Past)>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let next = tries.filter_map(|(count, past)| count.rule.next(past)).max();
    match next.filter(|at| *at > now) {
        Some(at) => {
            Err(Error::code(ErrorCode::RateLimited).retry_after(super::rules::seconds_until(at, now)))
        }
        None => Ok(()),
    }
}

/// Writes something down in all its counts with the change of which it is part: what is refused for another reason counts nothing.
///
/// # Errors
/// `request.rate_limited` with the seconds to wait.
pub async fn note(tx: &mut Tx, counts: &[Count]) -> Result<(), Error> {
    judge(tx, counts, true).await.map(drop)
}

/// Writes something down unless its count is full; whether there was room.
///
/// # Errors
/// Whatever the database refuses.
pub async fn room(tx: &mut Tx, count: Count) -> Result<bool, Error> {
    let counts = [count];
    let now = tx.now();
    let before = store::tries(tx.conn(), &counts, now, false).await?;
    let full = require_late_enough(counts.iter().zip(before.iter().map(|(past, _)| past)), now).is_err();
    if !full {
        store::tries(tx.conn(), &counts, now, true).await?;
    }
    Ok(!full)
}

/// A try that was written down in its counts together with something else, after those before it; its transaction is not to be committed
/// when it comes too early.
///
/// # Errors
/// `request.rate_limited` with the seconds to wait.
pub fn noted(counts: Vec<Count>, tries: &[(Past, i64)], now: OffsetDateTime) -> Result<Attempt, Error> {
    require_late_enough(counts.iter().zip(tries.iter().map(|(past, _)| past)), now)?;
    Ok(Attempt::of(tries.iter().map(|(_, id)| *id).collect(), counts))
}

/// Writes a try down in all its counts, unless it comes too early for one of them.
///
/// # Errors
/// `request.rate_limited` with the seconds to wait.
pub async fn attempt(db: &Db, counts: Vec<Count>) -> Result<Attempt, Error> {
    let mut tx = db.begin().await?;
    let ids = judge(&mut tx, &counts, true).await?;
    tx.commit().await?;
    Ok(Attempt::of(ids, counts))
}

impl Attempt {
    fn of(ids: Vec<i64>, counts: Vec<Count>) -> Self {
        let pardoned = counts
            .into_iter()
            .filter(|c| c.pardon == Pardon::All)
            .map(|c| c.scope)
            .collect();
        Self { ids, pardoned }
    }

    /// It was right: this try does not count, and in counts that pardon all none of the earlier ones does.
    ///
    /// # Errors
    /// Whatever the database refuses.
    pub async fn right(self, db: &Db) -> Result<(), Error> {
        self.right_with(db, None).await
    }

    /// The same, and a mailed code gets back the try that it was counted at first.
    ///
    /// # Errors
    /// Whatever the database refuses.
    pub async fn right_with(self, db: &Db, code: Option<Uuid>) -> Result<(), Error> {
        store::strike(db.pool(), &self.ids, &self.pardoned, code).await
    }
}

/// Forgets all tries of these counts, with the change that gives the reason.
///
/// # Errors
/// Whatever the database refuses.
pub async fn forget(tx: &mut Tx, counts: &[Count]) -> Result<(), Error> {
    let scopes: Vec<String> = counts.iter().map(|c| c.scope.clone()).collect();
    store::strike(tx.conn(), &[], &scopes, None).await
}

/// Forgets all wrong codes of an account, wherever they were typed, with the change that gives the reason.
///
/// # Errors
/// Whatever the database refuses.
pub async fn forget_codes(tx: &mut Tx, account: UserId) -> Result<(), Error> {
    store::strike_beginning(tx.conn(), &rules::codes_of(account)).await
}

/// Forgets tries that no rule counts any more.
///
/// # Errors
/// Whatever the database refuses.
pub async fn prune(db: &Db) -> Result<(), Error> {
    store::prune(db.pool(), db.now() - super::kept::TRIES).await
}
