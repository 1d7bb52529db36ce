//! What rooms do for rooms that do not know them: they join in here, at the start.

use super::unsent;
use crate::{
    approvals::compliance::pauses,
    error::Error,
    foundation::{
        context::{Context, Parts},
        pix_keys::Document,
        transaction::Tx,
    },
    identity::service::{DocumentView, Documents, Keeper, Porter, SignUps},
    pix::withdrawals::holder,
};
use futures_util::future::BoxFuture;
use protocol::ids::UserId;
use std::sync::Arc;

/// PIX pays to documents and keeps them: one each.
struct OfPix;

impl Documents for OfPix {
    fn of<'a>(
        &'a self,
        context: &'a Context,
        user: UserId,
    ) -> BoxFuture<'a, Result<Option<DocumentView>, Error>> {
        Box::pin(async move {
            let holder = holder::view(context, user).await?;
            Ok(holder.map(|holder| DocumentView {
                kind: holder.kind,
                masked: holder.document,
            }))
        })
    }

    fn is_new<'a>(
        &'a self,
        context: &'a Context,
        user: UserId,
        document: &'a Document,
    ) -> BoxFuture<'a, Result<bool, Error>> {
        Box::pin(holder::is_new(context, user, document))
    }

    fn keep<'a>(
        &'a self,
        context: &'a Context,
        tx: &'a mut Tx,
        user: UserId,
        document: &'a Document,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(holder::keep(context, tx, user, document))
    }

    fn forget<'a>(&'a self, tx: &'a mut Tx, users: &'a [UserId]) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(holder::forget(tx, users))
    }
}

/// Those who decide let registrations stand still.
struct OfPauses;

impl SignUps for OfPauses {
    fn require<'a>(&'a self, tx: &'a mut Tx) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(pauses::require_sign_ups(tx))
    }
}

/// With everything that joins in.
#[must_use]
pub fn join(parts: Parts) -> Parts {
    unsent::join(parts)
        .with(Keeper(Arc::new(OfPix)))
        .with(Porter(Arc::new(OfPauses)))
}
