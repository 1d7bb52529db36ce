//! Whether the venue holds what is booked (docs/rules/licences.md#reconciliation): yield of real operations leaves only while it does.

use super::store;
use crate::{
    error::Error,
    foundation::{
        context::{Context, World},
        transaction::Tx,
    },
};
use protocol::{ErrorCode, money::Usdt};
use time::Duration;

/// A reconciliation that is older says nothing.
const HOLDS: Duration = Duration::hours(24);

/// Writes down what the venue holds now, against what customers have at work and have earned; whether it is enough.
///
/// # Errors
/// Whatever the database refuses.
pub async fn record(context: &Context, held: Usdt) -> Result<bool, Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let booked = store::insert_reconciliation(tx.conn(), held, now).await?;
    tx.commit().await?;
    if held < booked {
        tracing::error!(%held, %booked, "the venue holds less than is booked: no yield leaves");
        metrics::counter!("reconciliations_short_total").increment(1);
    }
    Ok(held >= booked)
}

/// In production yield leaves only while a fresh reconciliation shows that it is there.
pub(super) async fn require(context: &Context, tx: &mut Tx) -> Result<(), Error> {
    if context.world == World::Demo {
        return Ok(());
    }
    let since = tx.now() - HOLDS;
    match store::newest_reconciliation(tx.conn()).await? {
        Some((at, held, booked)) if at > since && held >= booked => Ok(()),
        _ => Err(Error::code(ErrorCode::YieldUnreconciled)),
    }
}
