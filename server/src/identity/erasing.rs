//! What rooms above keep that names a person: it goes with what names them here, in the same change. They are not known here and join in at the
//! start.

use crate::{
    error::Error,
    foundation::{context::Context, transaction::Tx},
};
use futures_util::future::BoxFuture;
use protocol::ids::UserId;
use std::sync::Arc;

/// A room that keeps something that names people.
pub trait OnErasing: Send + Sync + 'static {
    /// Erases it. Their accounts are erased already, in this change.
    fn erase<'a>(&'a self, tx: &'a mut Tx, people: &'a [UserId]) -> BoxFuture<'a, Result<(), Error>>;
}

/// All of them. Part of the context.
#[derive(Clone, Default)]
pub struct Erasers(pub Vec<Arc<dyn OnErasing>>);

pub(super) async fn tell(context: &Context, tx: &mut Tx, people: &[UserId]) -> Result<(), Error> {
    for room in context.part::<Erasers>().map_or(&[][..], |all| &all.0) {
        room.erase(tx, people).await?;
    }
    Ok(())
}
