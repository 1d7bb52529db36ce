//! Wrong tries: growing delays and daily limits.
//!
//! A try is written down before it is judged and struck out when it was right, so that many at once count like one after another.

mod store;

use super::rules;
use crate::{
    error::Error,
    foundation::transaction::{Db, Tx},
};
use protocol::ErrorCode;
use time::{Duration, OffsetDateTime};

/// What is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Passwords: growing delays, never a lock-out that a stranger could keep up.
    Password,
    /// Codes: ten wrong ones a day per user and purpose.
    Code,
    /// Registrations that met a taken address: five an hour per client address.
    Registration,
    /// Reset links for one address: two an hour, so that a stranger cannot use up the owner's mails.
    ResetLink,
}

impl Policy {
    const fn span(self) -> Duration {
        match self {
            Self::Password | Self::Code => Duration::DAY,
            Self::Registration | Self::ResetLink => Duration::HOUR,
        }
    }

    const fn most(self) -> Option<i64> {
        match self {
            Self::Password => None,
            Self::Code => Some(10),
            Self::Registration => Some(5),
            Self::ResetLink => Some(2),
        }
    }

    /// When the next try is allowed, after these.
    fn next(
        self,
        count: i64,
        oldest_counted: Option<OffsetDateTime>,
        newest: Option<OffsetDateTime>,
    ) -> Option<OffsetDateTime> {
        match self.most() {
            None => newest.map(|at| at + rules::password_delay(count)),
            Some(most) if count >= most => oldest_counted.map(|at| at + self.span()),
            Some(_) => None,
        }
    }
}

/// A try under way.
#[derive(Debug)]
#[must_use = "a right try must be struck out"]
pub struct Attempt {
    id: i64,
    scope: String,
}

/// Refuses what comes too early, without counting it.
///
/// # Errors
/// `request.rate_limited` with the seconds to wait.
pub async fn check(db: &Db, policy: Policy, scope: &str) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    judge(&mut tx, policy, scope).await
}

async fn judge(tx: &mut Tx, policy: Policy, scope: &str) -> Result<(), Error> {
    let now = tx.now();
    // Of more than `most` failures the one that must fall out of the span is the `most`-th newest.
    let past = store::past(tx.conn(), scope, now - policy.span(), policy.most().unwrap_or(1)).await?;
    match policy
        .next(past.count, past.nth, past.newest)
        .filter(|at| *at > now)
    {
        Some(at) => Err(Error::code(ErrorCode::RateLimited).retry_after(rules::seconds_until(at, now))),
        None => Ok(()),
    }
}

/// Writes a try down, unless it comes too early.
///
/// # Errors
/// `request.rate_limited` with the seconds to wait.
pub async fn attempt(db: &Db, policy: Policy, scope: String) -> Result<Attempt, Error> {
    let mut tx = db.begin().await?;
    let now = tx.now();
    judge(&mut tx, policy, &scope).await?;
    let id = store::insert(tx.conn(), &scope, now).await?;
    tx.commit().await?;
    Ok(Attempt { id, scope })
}

impl Attempt {
    /// It was right: this try does not count.
    ///
    /// # Errors
    /// Whatever the database refuses.
    pub async fn strike(self, db: &Db) -> Result<(), Error> {
        store::strike(db.pool(), self.id).await
    }

    /// It was right: none of the scope's tries counts any more.
    ///
    /// # Errors
    /// Whatever the database refuses.
    pub async fn forgive(self, db: &Db) -> Result<(), Error> {
        store::forgive(db.pool(), &self.scope).await
    }
}

/// Forgets tries that no rule counts any more.
///
/// # Errors
/// Whatever the database refuses.
pub async fn prune(db: &Db) -> Result<(), Error> {
    store::prune(db.pool(), db.now() - Duration::days(2)).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn when_the_next_try_is_allowed() {
        let (old, new) = (datetime!(2026-11-20 10:00 UTC), datetime!(2026-11-20 12:00 UTC));
        assert_eq!(Policy::Password.next(0, None, None), None);
        assert_eq!(Policy::Password.next(2, Some(old), Some(new)), Some(new));
        assert_eq!(
            Policy::Password.next(5, Some(old), Some(new)),
            Some(new + Duration::seconds(30))
        );
        assert_eq!(Policy::Code.next(9, Some(old), Some(new)), None);
        assert_eq!(
            Policy::Code.next(10, Some(old), Some(new)),
            Some(old + Duration::DAY)
        );
        assert_eq!(
            Policy::Registration.next(5, Some(old), Some(new)),
            Some(old + Duration::HOUR)
        );
    }
}
