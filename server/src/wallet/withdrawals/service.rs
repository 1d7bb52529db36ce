//! Where a withdrawal over the chain goes: the address, at which addresses nobody is paid, what binds it.

use super::{
    links::{self, Link},
    pyx, rules,
    store::Own,
};
use crate::{
    approvals::{guard::Action, rules::Kind as Decided},
    error::Error,
    foundation::{context::Context, settings::InForce, subjects, transaction::Tx},
    payouts::{
        kind::{Bound, Destination, Kind, Payout, Quote},
        money, refuse, service as payouts,
    },
    wallet::{
        carried::{self, To, payable},
        chain::{Coin, address, wei},
        deposits::rates,
        intents::service::chain,
    },
};
use alloy::primitives::U256;
use protocol::{
    ErrorCode,
    ids::{ChainWithdrawalId, HoldId, UserId},
    money::{Pyx, Usdt},
    stream_id::Queue,
    views::ChainWithdrawalView,
};
use time::OffsetDateTime;

/// Withdrawals over the chain.
pub struct Crypto;

/// What a customer asks for.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    pub coin: Coin,
    pub address: &'a str,
    /// USDT; of PYX, which have as many decimals, so many PYX.
    pub value: Usdt,
}

/// What is set aside: of a PYX withdrawal the PYX, and the fee by itself.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub hold: HoldId,
    pub fee: Option<HoldId>,
}

impl Kind for Crypto {
    const DECIDED: Decided = Decided::CryptoWithdrawal;
    const ACTION: Action = Action::CryptoWithdrawal;
    const POINTED: Option<subjects::Kind> = Some(subjects::Kind::CryptoWithdrawal);
    const QUEUE: Queue = Queue::CryptoWithdrawals;
    type Id = ChainWithdrawalId;
    type Amount = U256;
    type Rate = Usdt;
    type To = To;
    type Held = Held;
    type Beside = ();
    type Opening = Link;
    type Own = Own;
    type Word = ();
    type Narrow = Option<Coin>;
    type View = ChainWithdrawalView;
}

/// USDT per whole coin now.
pub(super) fn rate(context: &Context, coin: Coin) -> Result<Usdt, Error> {
    rates::current(context, coin).ok_or_else(|| Error::code(ErrorCode::RateUnavailable).retry_after(30))
}

/// What a code binds of an order, and the mail shows: USDT unless another coin is named. Of PYX their number, whatever they are worth.
#[must_use]
pub fn bound_amount(value: Usdt, coin: Coin, wei: U256) -> String {
    match coin {
        Coin::Usdt => value.to_string(),
        Coin::Pyx => format!("{} PYX", wei::pyx(wei).unwrap_or(Pyx(i64::MAX))),
        other => format!("{value} USDT → {}", other.as_str().to_uppercase()),
    }
}

impl Destination for Crypto {
    type Order<'a> = Order<'a>;

    /// # Errors
    /// `withdrawal.invalid`, `withdrawal.address_invalid`, `withdrawal.address_refused`, of PYX `balance.insufficient`,
    /// `withdrawal.fee_uncovered`, `chain.coin_unavailable`, `chain.unavailable`, `rate.unavailable`.
    async fn quote(
        context: &Context,
        tx: &mut Tx,
        owner: UserId,
        order: &Self::Order<'_>,
        in_force: &InForce,
    ) -> Result<Quote<Self>, Error> {
        let chain = chain(context)?;
        if !rules::COINS.contains(&order.coin) || !chain.contracts.offers(order.coin) {
            return Err(refuse("coin", ErrorCode::CoinUnavailable));
        }
        let to = address::read(order.address).ok_or_else(|| refuse("address", ErrorCode::AddressInvalid))?;
        payable(context, tx, to).await?;
        if order.coin == Coin::Pyx {
            return pyx::quote(tx, owner, to, Pyx(order.value.0), &in_force.settings).await;
        }
        let parts = money::parts(order.value, &in_force.settings)?;
        let rate = rate(context, order.coin)?;
        let amount =
            rules::receives(parts.net, rate).ok_or_else(|| refuse("value", ErrorCode::WithdrawalInvalid))?;
        Ok(Quote {
            value: order.value,
            parts,
            amount,
            rate,
            to: To {
                coin: order.coin,
                address: to,
            },
            beside: (),
        })
    }

    /// PYX leave whole, beside their fee.
    fn drawn(quote: &Quote<Self>) -> Option<Usdt> {
        (quote.to.coin == Coin::Pyx).then_some(quote.parts.fee)
    }

    fn opening(context: &Context, _: UserId, _: &Quote<Self>) -> Result<Link, Error> {
        Ok(links::fresh(context))
    }

    fn to(_: &Context, payout: &Payout<Self>) -> Result<To, Error> {
        Ok(payout.own.to)
    }

    /// An approval binds the coin, the address, the wei that it receives. The signer computes it anew from what it signs.
    fn bound(to: &To, value: Usdt, _: Usdt, amount: U256) -> Bound {
        carried::bound(to, bound_amount(value, to.coin, amount), amount)
    }

    async fn payable(context: &Context, tx: &mut Tx, payout: &Payout<Self>) -> Result<(), Error> {
        payable(context, tx, payout.own.to.address).await
    }
}

/// How many wait for a person, and since when the oldest.
///
/// # Errors
/// Whatever the database refuses.
pub async fn queue(context: &Context) -> Result<(i64, Option<OffsetDateTime>), Error> {
    payouts::queue::<Crypto>(context).await
}
