//! The rooms whose unsent money is taken back when a credit behind it is reversed.

use crate::{
    approvals::unsent::{Rooms, Unsent},
    error::Error,
    foundation::{context::Context, transaction::Tx},
    pix::withdrawals::service as pix,
    presale::market::service as market,
    wallet::withdrawals::service as wallet,
};
use futures_util::future::BoxFuture;
use protocol::ids::{ChainWithdrawalId, PixWithdrawalId, UserId};
use std::sync::Arc;
use uuid::Uuid;

struct Pix;

impl Unsent for Pix {
    fn cancel<'a>(
        &'a self,
        tx: &'a mut Tx,
        owner: UserId,
        reason: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Uuid>, Error>> {
        Box::pin(async move {
            let ids = pix::cancel_unsent(tx, owner, reason).await?;
            Ok(ids.into_iter().map(Uuid::from).collect())
        })
    }

    fn tell<'a>(
        &'a self,
        context: &'a Context,
        tx: &'a mut Tx,
        ids: &'a [Uuid],
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            let ids: Vec<PixWithdrawalId> = ids.iter().copied().map(PixWithdrawalId::from).collect();
            pix::tell_canceled(context, tx, &ids).await
        })
    }
}

struct Wallet;

impl Unsent for Wallet {
    fn cancel<'a>(
        &'a self,
        tx: &'a mut Tx,
        owner: UserId,
        reason: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Uuid>, Error>> {
        Box::pin(async move {
            let ids = wallet::cancel_unsent(tx, owner, reason).await?;
            Ok(ids.into_iter().map(Uuid::from).collect())
        })
    }

    fn tell<'a>(
        &'a self,
        context: &'a Context,
        tx: &'a mut Tx,
        ids: &'a [Uuid],
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            let ids: Vec<ChainWithdrawalId> = ids.iter().copied().map(ChainWithdrawalId::from).collect();
            wallet::tell_canceled(context, tx, &ids).await
        })
    }
}

struct Presale;

impl Unsent for Presale {
    fn cancel<'a>(
        &'a self,
        tx: &'a mut Tx,
        owner: UserId,
        _: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Uuid>, Error>> {
        Box::pin(market::cancel_unsent(tx, owner))
    }

    fn tell<'a>(&'a self, _: &'a Context, _: &'a mut Tx, _: &'a [Uuid]) -> BoxFuture<'a, Result<(), Error>> {
        // No queue counts orders: their owners were told with the cancelling.
        Box::pin(async { Ok(()) })
    }
}

/// All rooms that let money out and hold it until then. The book comes first: its lock is taken before any of the ledger's.
#[must_use]
pub fn rooms() -> Rooms {
    Rooms(vec![Arc::new(Presale), Arc::new(Pix), Arc::new(Wallet)])
}
