//! What a person has asked for and not got, in whatever room: taken back before a reversed credit is taken from them, and ended where
//! the person's whitelist or own limit no longer lets it stand. Rooms that let money out join in at the start; siblings do not know
//! each other.
//!
//! Locks: a room's own lock comes before a person's (the guard's, the restraints'), and that before any of the ledger's. Then come the
//! queues', in the rooms' order, and behind all of them those of mail: who tells of one thing takes its queue's lock, then its recipient's.

use crate::{
    error::Error,
    foundation::{context::Context, transaction::Tx},
};
use futures_util::future::BoxFuture;
use protocol::ids::{SessionId, UserId};
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

    /// Holds what [`Unsent::cancel`] would give back, if its room locks requests one by one.
    fn hold<'a>(&'a self, _: &'a mut Tx, _: UserId) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async { Ok(()) })
    }

    /// Tells of it, at the end of the change: its queue's lock is the last but for those of mail.
    fn tell<'a>(
        &'a self,
        context: &'a Context,
        tx: &'a mut Tx,
        ids: &'a [Uuid],
    ) -> BoxFuture<'a, Result<(), Error>>;

    /// Writes to its owner, if its room does.
    fn write<'a>(&'a self, _: &'a Context, _: &'a mut Tx, _: &'a [Uuid]) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async { Ok(()) })
    }

    /// Takes the lock under which this room's requests change, if it has one.
    fn lock<'a>(&'a self, _: &'a mut Tx) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async { Ok(()) })
    }

    /// The person's whitelist or a limit of their own came on: ends what may no longer stand, and tells of it.
    fn bind<'a>(&'a self, _: &'a mut Tx, _: UserId) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async { Ok(()) })
    }

    /// A protection of the person was loosened in this session: what others of theirs may do without another code ends.
    fn loosened<'a>(&'a self, _: &'a mut Tx, _: UserId, _: SessionId) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async { Ok(()) })
    }
}

/// All of them. Part of the context.
#[derive(Clone, Default)]
pub struct Rooms(pub Vec<Arc<dyn Unsent>>);

/// What was taken back, by room.
#[must_use = "what was taken back is told at the end of the change"]
pub struct Canceled(Vec<(Arc<dyn Unsent>, Vec<Uuid>)>);

fn rooms(context: &Context) -> &[Arc<dyn Unsent>] {
    context.part::<Rooms>().map_or(&[][..], |rooms| &rooms.0)
}

/// Takes the rooms' locks: before the person's own, where a whitelist or a limit comes on.
///
/// # Errors
/// Whatever the database refuses.
pub async fn lock(context: &Context, tx: &mut Tx) -> Result<(), Error> {
    for room in rooms(context) {
        room.lock(tx).await?;
    }
    Ok(())
}

/// Ends what a whitelist or an own limit, written just before in this change, no longer lets stand. Call [`lock`] first.
///
/// # Errors
/// Whatever the database refuses.
pub async fn bind(context: &Context, tx: &mut Tx, owner: UserId) -> Result<(), Error> {
    for room in rooms(context) {
        room.bind(tx, owner).await?;
    }
    Ok(())
}

/// Ends what other sessions of a person may do without another code.
///
/// # Errors
/// Whatever the database refuses.
pub async fn loosened(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    session: SessionId,
) -> Result<(), Error> {
    for room in rooms(context) {
        room.loosened(tx, owner, session).await?;
    }
    Ok(())
}

/// Holds what [`cancel`] would take back: before the person's own lock, which who decides about one of these takes behind it.
///
/// # Errors
/// Whatever the database refuses.
pub async fn hold(context: &Context, tx: &mut Tx, owner: UserId) -> Result<(), Error> {
    for room in rooms(context) {
        room.hold(tx, owner).await?;
    }
    Ok(())
}

/// Takes everything back that has not left. Call it before taking the money from `available`, and [`tell`] at the end.
///
/// # Errors
/// Whatever the database refuses.
pub async fn cancel(context: &Context, tx: &mut Tx, owner: UserId, reason: &str) -> Result<Canceled, Error> {
    let mut canceled = Vec::new();
    for room in rooms(context) {
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
    for (room, ids) in &canceled.0 {
        room.write(context, tx, ids).await?;
    }
    Ok(())
}
