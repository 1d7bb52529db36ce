//! Where the money of a rank's bonus is meanwhile, and what becomes of it when the chain has its say.

use super::{
    service::{GraduationBonus, ONE, fund, fund_short},
    store::Own,
};
use crate::{
    affiliates::graduations::service as graduations,
    error::Error,
    foundation::{
        context::Context,
        settings::{InForce, Settings},
        transaction::Tx,
    },
    ledger::{
        model::{AccountRef, Cause as Booked, CauseKind, Fx, HouseAccount, Orderer, Transfer, TransferKind},
        service as ledger,
    },
    payouts::{
        kind::{Payout, Quote, Settlement},
        money,
        rules::State,
        store::set_state,
    },
    wallet::{
        carried::{self, Carried, To, left},
        chain::{booked, wei},
        sender::{Cause, OutgoingId, Settled},
    },
};
use alloy::primitives::U256;
use protocol::{
    ErrorCode,
    ids::{GraduationId, GraduationPayoutId, TransferId, UserId},
    money::Usdt,
};
use time::{Duration, OffsetDateTime};

/// It waits for its second person however long that takes.
const FOR_EVER: Duration = Duration::days(36_500);

const FUND: AccountRef = AccountRef::House(HouseAccount::GraduationFund);
const DUE: AccountRef = AccountRef::House(HouseAccount::GraduationDue);

fn transfer(
    id: GraduationPayoutId,
    graduation: GraduationId,
    step: &str,
    orderer: Orderer,
    settings: i32,
) -> Transfer {
    Transfer::new(
        TransferKind::GraduationBonus,
        format!("graduation_bonus:{id}:{step}"),
        Booked::new(CauseKind::Graduation, graduation),
        orderer,
    )
    .settings(settings)
}

impl Settlement for GraduationBonus {
    const BEGINS: State = State::Pending;

    fn until(_: &Settings, now: OffsetDateTime) -> OffsetDateTime {
        now + FOR_EVER
    }

    /// Out of the fund: no other bonus, and no reversed sale, counts on it.
    async fn set_aside(
        tx: &mut Tx,
        id: GraduationPayoutId,
        _: UserId,
        quote: &Quote<Self>,
        in_force: &InForce,
    ) -> Result<(), Error> {
        let order = transfer(id, quote.beside, "aside", Orderer::System, in_force.version).move_usdt(
            FUND,
            DUE,
            quote.value,
        );
        match ledger::post(tx, order).await {
            Ok(_) => Ok(()),
            // Between the quote and the fund's lock somebody else was faster.
            Err(error) if error.error_code() == ErrorCode::BalanceInsufficient => {
                Err(fund_short(fund(tx).await?))
            }
            Err(error) => Err(error),
        }
    }

    async fn give_back(tx: &mut Tx, payout: &Payout<Self>, orderer: Orderer) -> Result<(), Error> {
        let own = &payout.own;
        let order = transfer(payout.id, own.graduation, "back", orderer, own.settings_version).move_usdt(
            DUE,
            FUND,
            payout.value,
        );
        ledger::post(tx, order).await?;
        graduations::payment_ended(tx, own.graduation).await
    }

    async fn retract(tx: &mut Tx, payout: &Payout<Self>) -> Result<(), Error> {
        carried::retract(tx, payout).await
    }

    /// What was quoted: nobody is asked anything later.
    async fn rate(_: &Context, _: &mut Tx, payout: &Payout<Self>) -> Result<Usdt, Error> {
        Ok(payout.rate)
    }

    fn receives(net: Usdt, _: Usdt) -> Option<U256> {
        net.is_positive().then(|| wei::of(net.0))
    }

    fn units(_: Usdt) -> i64 {
        ONE.0
    }
}

impl Carried for GraduationBonus {
    fn cause(id: GraduationPayoutId) -> Cause {
        Cause::GraduationBonus(id.0)
    }

    fn destination(own: &Own) -> To {
        own.to()
    }

    fn outgoing(own: &Own) -> Option<OutgoingId> {
        own.outgoing
    }

    async fn post(_: &Context, tx: &mut Tx, payout: &Payout<Self>, _: &Settled) -> Result<TransferId, Error> {
        let own = &payout.own;
        let coin = own.to().coin;
        let order = transfer(
            payout.id,
            own.graduation,
            "paid",
            Orderer::System,
            own.settings_version,
        )
        .move_usdt(
            DUE,
            AccountRef::House(HouseAccount::Fx(Fx::Coin(booked(coin)))),
            payout.value,
        );
        let order = money::left_legs(left(coin, payout.amount)?)
            .into_iter()
            .fold(order, |order, leg| {
                order.leg(leg.account, leg.currency, leg.amount)
            });
        Ok(ledger::post(tx, order).await?.id)
    }

    async fn completed(tx: &mut Tx, payout: &Payout<Self>, settled: &Settled) -> Result<(), Error> {
        let hash = settled
            .tx_hash
            .ok_or_else(|| Error::internal("a payment without its transaction"))?;
        graduations::paid(tx, payout.own.graduation, &hash.to_string()).await
    }

    /// It ends without having paid: back to the fund, and it may be asked for anew.
    async fn refused(tx: &mut Tx, payout: &Payout<Self>) -> Result<Option<&'static str>, Error> {
        let now = tx.now();
        set_state::<Self>(tx.conn(), payout.id, State::Rejected, None, now).await?;
        Self::give_back(tx, payout, Orderer::System).await?;
        Ok(None)
    }
}
