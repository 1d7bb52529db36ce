//! Jobs that failed too often and need a person: what they failed of, and how one goes round again once its cause is cured
//! (docs/operations.md#parked-jobs).
//!
//! Invariants: who sends one round again stands in the audit, in the transaction that does it; it is the same job with the same effect, so that
//! what was brought about before is not brought about twice.

use super::store;
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
    },
};
use protocol::ErrorCode;
use serde_json::json;
use time::OffsetDateTime;

/// A list that nobody would read to its end is cut.
const MOST: i64 = 200;

/// A job that needs a person.
#[derive(Clone, Debug)]
pub struct Parked {
    pub id: i64,
    pub kind: String,
    /// What it was to bring about.
    pub effect: String,
    pub created_at: OffsetDateTime,
    pub last_error: Option<String>,
}

/// The oldest of the jobs that are parked, and how many there are.
///
/// # Errors
/// Whatever the database refuses.
pub async fn list(context: &Context) -> Result<(Vec<Parked>, i64), Error> {
    let pool = context.db.pool();
    Ok((store::parked(pool, MOST).await?, store::count_parked(pool).await?))
}

/// Somebody at the console has cured what a job failed of: it goes round again at once, with all of its tries.
///
/// # Errors
/// `request.not_found` where no such job is parked; whatever the database refuses.
pub async fn retry(context: &Context, id: i64) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let Some(kind) = store::retry(tx.conn(), id, now).await? else {
        return Err(Error::code(ErrorCode::RequestNotFound));
    };
    let details = json!({ "number": id, "kind": kind });
    audit::record(&mut tx, None, None, Category::Settings, "job.retried", details).await?;
    tx.commit().await?;
    Ok(())
}
