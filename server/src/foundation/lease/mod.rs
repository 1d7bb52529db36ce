//! "On one node at a time", with a fencing number that is checked in the transaction that writes.

mod store;

use super::transaction::Tx;
use crate::error::Error;
use protocol::{ErrorCode, ids::NodeId};
use sqlx::{PgExecutor, PgPool};
use time::{Duration, OffsetDateTime};

/// A lease held by this node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    pub name: &'static str,
    pub holder: NodeId,
    /// Grows with every change of holder.
    pub fence: i64,
}

/// Takes or prolongs the lease for `ttl`; `None` while another node holds it.
///
/// # Errors
/// Whatever the database refuses.
pub async fn acquire(
    pool: &PgPool,
    name: &'static str,
    holder: NodeId,
    now: OffsetDateTime,
    ttl: Duration,
) -> Result<Option<Lease>, Error> {
    Ok(store::acquire(pool, name, holder.0, now, now + ttl)
        .await?
        .map(|fence| Lease { name, holder, fence }))
}

/// Gives the lease up at once, for a graceful stop.
///
/// # Errors
/// Whatever the database refuses.
pub async fn release(pool: &PgPool, lease: &Lease, now: OffsetDateTime) -> Result<(), Error> {
    store::release(pool, lease.name, lease.fence, now).await
}

/// Refuses to go on unless the lease is still this one; locks its row until the transaction ends.
///
/// # Errors
/// `request.conflict` when another node has taken over.
pub async fn check(tx: &mut Tx, name: &str, fence: i64) -> Result<(), Error> {
    if store::is_current(tx.conn(), name, fence).await? {
        Ok(())
    } else {
        Err(Error::code(ErrorCode::RequestConflict))
    }
}

/// Whether any node holds the lease now.
///
/// # Errors
/// Whatever the database refuses.
pub async fn is_held(db: impl PgExecutor<'_>, name: &str, now: OffsetDateTime) -> Result<bool, Error> {
    store::is_held(db, name, now).await
}
