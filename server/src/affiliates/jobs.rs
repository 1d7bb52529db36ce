//! What the network does by itself.

use super::service;
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
    },
};
use protocol::ids::UserId;

/// Places a member whose sponsor has got a place.
///
/// # Errors
/// Whatever the database refuses; the job comes back.
pub async fn place(context: &Context, job: &Claimed) -> Result<(), Error> {
    let member: UserId = serde_json::from_value(job.payload.clone())?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    service::place(context, &mut tx, member).await?;
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}
