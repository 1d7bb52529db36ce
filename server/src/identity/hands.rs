//! An account may be in other hands than before: it was frozen, recovered, given another password by its owner, another e-mail or no factors by staff, or
//! switched off. What somebody asked for while they had it, and is not in force yet, is called off: the request for another e-mail, and what rooms
//! above keep, which join in at the start.

use super::email_change;
use crate::{
    error::Error,
    foundation::{context::Context, transaction::Tx},
};
use futures_util::future::BoxFuture;
use protocol::ids::UserId;
use std::sync::Arc;

/// A room that keeps something which an owner asked for and which comes later.
pub trait OnOtherHands: Send + Sync + 'static {
    /// Calls it off, and tells its owner. The account is locked.
    fn changed<'a>(
        &'a self,
        context: &'a Context,
        tx: &'a mut Tx,
        owner: UserId,
    ) -> BoxFuture<'a, Result<(), Error>>;
}

/// All of them. Part of the context.
#[derive(Clone, Default)]
pub struct Requests(pub Vec<Arc<dyn OnOtherHands>>);

/// Calls off what waits. The account is locked; call it while the e-mail is still that of who had it, whom it is told.
pub(super) async fn changed(context: &Context, tx: &mut Tx, owner: UserId) -> Result<(), Error> {
    email_change::end(tx, owner).await?;
    for room in context.part::<Requests>().map_or(&[][..], |r| &r.0) {
        room.changed(context, tx, owner).await?;
    }
    Ok(())
}
