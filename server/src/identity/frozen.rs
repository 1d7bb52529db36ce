//! What rooms above do when an owner freezes their account: siblings and floors above are not known here, they join in at the start.

use crate::{error::Error, foundation::context::Context, foundation::transaction::Tx};
use futures_util::future::BoxFuture;
use protocol::ids::UserId;
use std::sync::Arc;

/// A room that keeps a person's protections.
pub trait OnFreeze: Send + Sync + 'static {
    /// Takes back what would make them weaker and is not in force yet.
    fn frozen<'a>(&'a self, tx: &'a mut Tx, owner: UserId) -> BoxFuture<'a, Result<(), Error>>;
}

/// All of them. Part of the context.
#[derive(Clone, Default)]
pub struct Shields(pub Vec<Arc<dyn OnFreeze>>);

/// Call it before the account's row is locked: a person's other lock comes first.
pub(super) async fn tell(context: &Context, tx: &mut Tx, owner: UserId) -> Result<(), Error> {
    for room in context.part::<Shields>().map_or(&[][..], |s| &s.0) {
        room.frozen(tx, owner).await?;
    }
    Ok(())
}
