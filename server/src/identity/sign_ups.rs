//! Whether people may register now. Floors above decide it and are not known here: who does joins in at the start.

use crate::{
    error::Error,
    foundation::{context::Context, transaction::Tx},
};
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// The room that decides.
pub trait SignUps: Send + Sync + 'static {
    /// Refuses while nobody registers.
    fn require<'a>(&'a self, tx: &'a mut Tx) -> BoxFuture<'a, Result<(), Error>>;
}

/// Who decides. Part of the context.
#[derive(Clone)]
pub struct Porter(pub Arc<dyn SignUps>);

/// Refuses while nobody registers.
///
/// # Errors
/// What the room that decides says.
pub(super) async fn require_open(context: &Context, tx: &mut Tx) -> Result<(), Error> {
    let porter = context
        .part::<Porter>()
        .ok_or_else(|| Error::internal("no room decides who may register"))?;
    porter.0.require(tx).await
}
