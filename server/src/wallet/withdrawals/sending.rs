//! Where the money of a withdrawal is meanwhile, and how it is posted once the transaction that carries it is final.

use super::{
    pyx, rules,
    service::{Crypto, Held, rate},
    store::Own,
};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        settings::{InForce, Settings},
        transaction::Tx,
    },
    ledger::{model::Orderer, service as ledger},
    payouts::{
        kind::{Payout, Quote, Settlement},
        money,
        rules::State,
        store::set_state,
    },
    wallet::{
        carried::{self, Carried, To, left},
        chain::Coin,
        sender::{Cause, OutgoingId, Settled},
    },
};
use alloy::primitives::U256;
use protocol::{
    ids::{ChainWithdrawalId, TransferId, UserId},
    money::Usdt,
};
use time::{Duration, OffsetDateTime};

impl Settlement for Crypto {
    const BEGINS: State = State::AwaitingEmail;

    fn until(settings: &Settings, now: OffsetDateTime) -> OffsetDateTime {
        now + Duration::minutes(settings.withdrawal_link_minutes)
    }

    async fn set_aside(
        tx: &mut Tx,
        id: ChainWithdrawalId,
        owner: UserId,
        quote: &Quote<Self>,
        in_force: &InForce,
    ) -> Result<Held, Error> {
        if quote.to.coin == Coin::Pyx {
            return pyx::set_aside(tx, id, owner, quote, in_force).await;
        }
        let hold = money::set_value_aside(tx, id, owner, quote, in_force).await?;
        Ok(Held { hold, fee: None })
    }

    async fn give_back(tx: &mut Tx, payout: &Payout<Self>, orderer: Orderer) -> Result<(), Error> {
        let pyx = payout.own.to.coin == Coin::Pyx;
        if pyx {
            pyx::lock(tx, payout.owner).await?;
        }
        for hold in [Some(payout.held.hold), payout.held.fee].into_iter().flatten() {
            ledger::void_hold(tx, hold, orderer).await?;
        }
        if pyx {
            ledger::tell_pyx(tx, payout.owner).await?;
        }
        Ok(())
    }

    /// A failed or dropped one of before stays; a queued one is taken back here; a signed one answers no.
    async fn retract(tx: &mut Tx, payout: &Payout<Self>) -> Result<(), Error> {
        carried::retract(tx, payout).await
    }

    /// PYX leave whole, whatever they are worth by now.
    async fn rate(context: &Context, _: &mut Tx, payout: &Payout<Self>) -> Result<Usdt, Error> {
        match payout.own.to.coin {
            Coin::Pyx => Ok(payout.rate),
            coin => rate(context, coin),
        }
    }

    fn receives(net: Usdt, rate: Usdt) -> Option<U256> {
        rules::receives(net, rate)
    }

    fn units(rate: Usdt) -> i64 {
        rate.0
    }
}

impl Carried for Crypto {
    fn cause(id: ChainWithdrawalId) -> Cause {
        Cause::Withdrawal(id.0)
    }

    fn destination(own: &Own) -> To {
        own.to
    }

    fn outgoing(own: &Own) -> Option<OutgoingId> {
        own.outgoing
    }

    async fn post(
        context: &Context,
        tx: &mut Tx,
        payout: &Payout<Self>,
        _: &Settled,
    ) -> Result<TransferId, Error> {
        let in_force = context.settings.within(tx).await?;
        let settings = &in_force.settings;
        let Held { hold, fee } = payout.held;
        let posted = if payout.own.to.coin == Coin::Pyx {
            pyx::lock(tx, payout.owner).await?;
            let posted = ledger::post_hold(tx, hold, None, pyx::legs(payout)?, Orderer::System).await?;
            if let Some(fee) = fee {
                let legs = money::fee_legs(payout.fee, settings)?;
                ledger::post_hold(tx, fee, None, legs, Orderer::System).await?;
            }
            ledger::tell_pyx(tx, payout.owner).await?;
            posted
        } else {
            let left = left(payout.own.to.coin, payout.amount)?;
            let legs = money::legs(payout.net, payout.fee, left, settings)?;
            ledger::post_hold(tx, hold, None, legs, Orderer::System).await?
        };
        Ok(posted.id)
    }

    /// Staff decide: again, or back.
    async fn refused(tx: &mut Tx, payout: &Payout<Self>) -> Result<Option<&'static str>, Error> {
        let now = tx.now();
        set_state::<Self>(tx.conn(), payout.id, State::Failed, None, now).await?;
        Ok(Some("failed"))
    }
}
