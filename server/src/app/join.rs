//! What rooms do for rooms that do not know them: they join in here, at the start.

use super::unsent;
use crate::{
    approvals::compliance::{self, pauses},
    error::Error,
    foundation::{
        context::{Context, Parts},
        pix_keys::Document,
        transaction::Tx,
    },
    identity::service::{DocumentView, Documents, Erasers, Keeper, OnErasing, Porter, SignUps},
    pix::withdrawals::holder,
    wallet::keys,
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
}

impl OnErasing for OfPix {
    fn erase<'a>(&'a self, tx: &'a mut Tx, people: &'a [UserId]) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(holder::forget(tx, people))
    }
}

/// Who paid in for whom, and whose document is whose.
struct OfCompliance;

impl OnErasing for OfCompliance {
    fn erase<'a>(&'a self, tx: &'a mut Tx, people: &'a [UserId]) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(compliance::forget(tx, people))
    }
}

/// What own wallets are made of.
struct OfWallets;

impl OnErasing for OfWallets {
    fn erase<'a>(&'a self, tx: &'a mut Tx, people: &'a [UserId]) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(keys::erase(tx, people))
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
        .with(Erasers(vec![
            Arc::new(OfPix),
            Arc::new(OfCompliance),
            Arc::new(OfWallets),
        ]))
}
