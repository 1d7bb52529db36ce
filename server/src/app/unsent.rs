//! The rooms whose money is taken back when a credit behind it is reversed: what was not sent yet, what lies in pools; those whose
//! requests a whitelist or own limit binds; and what a frozen account takes back.

use crate::{
    approvals::{
        loosening::Frozen,
        unsent::{Rooms, Unsent},
    },
    error::Error,
    foundation::{
        context::{Context, Parts},
        transaction::Tx,
    },
    identity::service::Shields,
    ledger::model::AccountRef,
    licences::claw_back::{Beside, Besides},
    pix::withdrawals::service as pix,
    pools::service as pools,
    presale::market::service as market,
    transfers::service as transfers,
    wallet::withdrawals::service as wallet,
};
use futures_util::future::BoxFuture;
use protocol::{
    ids::{ChainWithdrawalId, MemberTransferId, PixWithdrawalId, SessionId, UserId},
    money::Usdt,
};
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

struct Transfers;

impl Unsent for Transfers {
    fn cancel<'a>(
        &'a self,
        tx: &'a mut Tx,
        owner: UserId,
        reason: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Uuid>, Error>> {
        Box::pin(async move {
            let ids = transfers::cancel_unsent(tx, owner, reason).await?;
            Ok(ids.into_iter().map(Uuid::from).collect())
        })
    }

    fn tell<'a>(
        &'a self,
        _: &'a Context,
        tx: &'a mut Tx,
        ids: &'a [Uuid],
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            let ids: Vec<MemberTransferId> = ids.iter().copied().map(MemberTransferId::from).collect();
            transfers::tell_canceled(tx, &ids).await
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

    fn lock<'a>(&'a self, tx: &'a mut Tx) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(market::lock(tx))
    }

    fn bind<'a>(&'a self, tx: &'a mut Tx, owner: UserId) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(market::end_off_reference(tx, owner))
    }

    fn loosened<'a>(
        &'a self,
        tx: &'a mut Tx,
        owner: UserId,
        session: SessionId,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(market::close_other_sessions(tx, owner, session))
    }
}

struct Pools;

impl Beside for Pools {
    fn lock<'a>(&'a self, tx: &'a mut Tx, owner: UserId) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(pools::lock_active(tx, owner))
    }

    fn take<'a>(
        &'a self,
        tx: &'a mut Tx,
        owner: UserId,
        most: Usdt,
    ) -> BoxFuture<'a, Result<Vec<(AccountRef, Usdt)>, Error>> {
        Box::pin(pools::take_back(tx, owner, most))
    }
}

/// With all rooms that let money out and hold it until then, and all that keep it. The book comes first: its lock is taken before any of
/// the ledger's.
#[must_use]
pub fn join(parts: Parts) -> Parts {
    parts
        .with(Rooms(vec![
            Arc::new(Presale),
            Arc::new(Pix),
            Arc::new(Wallet),
            Arc::new(Transfers),
        ]))
        .with(Shields(vec![Arc::new(Frozen)]))
        .with(Besides(vec![Arc::new(Pools)]))
}
