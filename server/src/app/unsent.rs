//! The rooms whose money is taken back when a credit behind it is reversed: what was not sent yet, what lies in pools; those whose
//! requests a whitelist or own limit binds; what a frozen account takes back; and what is called off when an account came into other hands.

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
    identity::service::{Requests, Shields},
    ledger::model::AccountRef,
    licences::claw_back::{Beside, Besides},
    payouts::{kind::Port, service as payouts},
    pix::withdrawals::Pix,
    pools::service as pools,
    presale::market::service as market,
    privacy::closing::service as closing,
    transfers::service as transfers,
    wallet::withdrawals::Crypto,
};
use futures_util::future::BoxFuture;
use protocol::{
    ids::{MemberTransferId, SessionId, UserId},
    money::Usdt,
};
use std::{marker::PhantomData, sync::Arc};
use uuid::Uuid;

/// Withdrawals of a kind.
struct Payouts<K>(PhantomData<K>);

impl<K: Port> Unsent for Payouts<K> {
    fn cancel<'a>(
        &'a self,
        tx: &'a mut Tx,
        owner: UserId,
        reason: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Uuid>, Error>> {
        Box::pin(payouts::cancel_unsent::<K>(tx, owner, reason))
    }

    fn hold<'a>(&'a self, tx: &'a mut Tx, owner: UserId) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(payouts::hold_unsent::<K>(tx, owner))
    }

    fn tell<'a>(
        &'a self,
        context: &'a Context,
        tx: &'a mut Tx,
        ids: &'a [Uuid],
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(payouts::tell_canceled::<K>(context, tx, ids))
    }

    fn write<'a>(
        &'a self,
        context: &'a Context,
        tx: &'a mut Tx,
        ids: &'a [Uuid],
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(payouts::write_of_canceled::<K>(context, tx, ids))
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

    fn hold<'a>(&'a self, tx: &'a mut Tx, owner: UserId) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(transfers::hold_unsent(tx, owner))
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
            Arc::new(Payouts::<Pix>(PhantomData)),
            Arc::new(Payouts::<Crypto>(PhantomData)),
            Arc::new(Transfers),
        ]))
        .with(Shields(vec![Arc::new(Frozen)]))
        .with(Requests(vec![Arc::new(closing::Asked)]))
        .with(Besides(vec![Arc::new(Pools)]))
}
