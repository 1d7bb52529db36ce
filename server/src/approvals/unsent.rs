//! What a person has asked for and not got, in whatever room: taken back before a reversed credit is taken from them (domain.md §2).
//! Rooms that let money out join in at the start; siblings do not know each other.

use crate::{
    error::Error,
    foundation::{context::Context, transaction::Tx},
};
use futures_util::future::BoxFuture;
use protocol::ids::UserId;
use std::sync::Arc;
use uuid::Uuid;

/// A room that lets money out.
pub trait Unsent: Send + Sync + 'static {
    /// Gives back what has not left; the money is in `available` again.
    fn cancel<'a>(
        &'a self,
        tx: &'a mut Tx,
        owner: UserId,
        reason: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Uuid>, Error>>;

    /// Tells of it, at the end of the change.
    fn tell<'a>(
        &'a self,
        context: &'a Context,
        tx: &'a mut Tx,
        ids: &'a [Uuid],
    ) -> BoxFuture<'a, Result<(), Error>>;
}

/// All of them. Part of the context.
#[derive(Clone, Default)]
pub struct Rooms(pub Vec<Arc<dyn Unsent>>);

/// What was taken back, by room.
#[must_use = "what was taken back is told at the end of the change"]
pub struct Canceled(Vec<(Arc<dyn Unsent>, Vec<Uuid>)>);

/// Takes everything back that has not left. Call it before taking the money from `available`, and [`tell`] at the end.
///
/// # Errors
/// Whatever the database refuses.
pub async fn cancel(context: &Context, tx: &mut Tx, owner: UserId, reason: &str) -> Result<Canceled, Error> {
    let mut canceled = Vec::new();
    for room in context.part::<Rooms>().map_or(&[][..], |rooms| &rooms.0) {
        let ids = room.cancel(tx, owner, reason).await?;
        if !ids.is_empty() {
            canceled.push((Arc::clone(room), ids));
        }
    }
    Ok(Canceled(canceled))
}

/// Tells of what [`cancel`] took back: queues' locks come after all of the ledger's.
///
/// # Errors
/// Whatever the database refuses.
pub async fn tell(context: &Context, tx: &mut Tx, canceled: &Canceled) -> Result<(), Error> {
    for (room, ids) in &canceled.0 {
        room.tell(context, tx, ids).await?;
    }
    Ok(())
}
