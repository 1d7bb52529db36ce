//! Paying the bonus of a rank: what it would be, who asks for it, who agrees.

use super::store::{self, Own};
use crate::{
    affiliates::graduations::service::{self as graduations, Due},
    approvals::{
        compliance::{self, Flow, Movement},
        guard::Action,
        rules::Kind as Decided,
        service as approvals,
    },
    error::Error,
    foundation::{business_day, context::Context, settings::InForce, subjects, transaction::Tx},
    ledger::{
        model::{AccountRef, HouseAccount},
        service as ledger,
    },
    payouts::{
        decisions::{self, Decision},
        kind::{Bound, Destination, Kind, Payout, Quote, Screen, Settlement},
        rules::{Parts, State},
        service::{self as payouts, nobody},
        store as rows, unknown,
    },
    wallet::{
        carried::{self, To, payable},
        chain::{Coin, wei},
        intents::service::chain,
    },
};
use alloy::primitives::U256;
use protocol::{
    ErrorCode,
    ids::{GraduationId, GraduationPayoutId, UserId},
    money::Usdt,
    stream_id::Queue,
    views::GraduationPayoutView,
};
use time::Duration;

/// The bonus of a rank.
pub struct GraduationBonus;

/// How long a wallet has been its member's before a bonus goes there.
const REGISTERED: Duration = Duration::hours(72);
/// A coin for a USDT of the books.
pub(super) const ONE: Usdt = Usdt::whole(1);

impl Kind for GraduationBonus {
    const DECIDED: Decided = Decided::GraduationBonus;
    const ACTION: Action = Action::GraduationBonus;
    const POINTED: Option<subjects::Kind> = None;
    const QUEUE: Queue = Queue::GraduationBonuses;
    type Id = GraduationPayoutId;
    type Amount = U256;
    type Rate = Usdt;
    type To = To;
    type Held = ();
    type Beside = GraduationId;
    type Opening = ();
    type Own = Own;
    type Word = ();
    type Narrow = ();
    type View = GraduationPayoutView;
}

impl Destination for GraduationBonus {
    type Order<'a> = Due;

    /// Whether the fund holds it is seen when it is set aside.
    ///
    /// # Errors
    /// `graduation.no_bonus`, `graduation.wallet_missing`, `graduation.wallet_young`, `withdrawal.address_refused`,
    /// `chain.coin_unavailable`, `chain.unavailable`.
    async fn quote(
        context: &Context,
        tx: &mut Tx,
        owner: UserId,
        due: &Self::Order<'_>,
        _: &InForce,
    ) -> Result<Quote<Self>, Error> {
        let chain = chain(context)?;
        if !chain.contracts.offers(Coin::Usdt) {
            return Err(Error::code(ErrorCode::CoinUnavailable));
        }
        if !due.amount.is_positive() {
            return Err(Error::code(ErrorCode::GraduationNoBonus));
        }
        let wallet = store::wallet(tx.conn(), owner)
            .await?
            .ok_or_else(|| Error::code(ErrorCode::GraduationWalletMissing))?;
        let usable = wallet.created_at + REGISTERED;
        if usable > tx.now() {
            return Err(
                Error::code(ErrorCode::GraduationWalletYoung).with("until", business_day::shown(usable))
            );
        }
        carried::payable_at(context, wallet.address, wallet.deposit)?;
        Ok(Quote {
            value: due.amount,
            parts: Parts {
                fee: Usdt::ZERO,
                net: due.amount,
            },
            amount: wei::of(due.amount.0),
            rate: ONE,
            to: To {
                coin: Coin::Usdt,
                address: wallet.address,
            },
            beside: due.id,
        })
    }

    fn opening(_: &Context, _: UserId, _: &Quote<Self>) -> Result<(), Error> {
        Ok(())
    }

    fn to(_: &Context, payout: &Payout<Self>) -> Result<To, Error> {
        Ok(payout.own.to())
    }

    fn bound(to: &To, value: Usdt, _: Usdt, amount: U256) -> Bound {
        carried::bound(to, value.to_string(), amount)
    }

    async fn payable(context: &Context, tx: &mut Tx, payout: &Payout<Self>) -> Result<(), Error> {
        payable(context, tx, payout.own.address).await
    }
}

/// What the fund holds that is not on its way to somebody.
pub(super) async fn fund(tx: &mut Tx) -> Result<Usdt, Error> {
    ledger::usdt_balance(tx.conn(), AccountRef::House(HouseAccount::GraduationFund)).await
}

pub(super) fn fund_short(free: Usdt) -> Error {
    Error::code(ErrorCode::GraduationFundShort).with("free", free.brief())
}

/// What a press would pay, and where it stands if somebody has pressed before.
pub struct Offer {
    pub due: Due,
    pub address: String,
    pub chain: u64,
    pub payment: Option<GraduationPayoutView>,
}

/// What a press would do. Refused for what would refuse the press, but for who presses; nothing moves.
///
/// # Errors
/// `request.not_found`, as the quote, and the guard's word on the member: `outbound.*`.
pub async fn offer(context: &Context, tx: &mut Tx, graduation: GraduationId) -> Result<Offer, Error> {
    let due = graduations::lock(tx, graduation).await?;
    let chain = chain(context)?.client.id();
    if let Some(id) = due.payout {
        let payment = shown(tx, id).await?;
        return Ok(Offer {
            address: payment.address.clone(),
            payment: Some(payment),
            due,
            chain,
        });
    }
    let in_force = context.settings.within(tx).await?;
    let quote = GraduationBonus::quote(context, tx, due.member, &due, &in_force).await?;
    let free = fund(tx).await?;
    if quote.value > free {
        return Err(fund_short(free));
    }
    let bound = GraduationBonus::bound(&quote.to, quote.value, quote.parts.net, quote.amount);
    let _ = payouts::recheck_of::<GraduationBonus>(context, tx, due.member, quote.value, &bound).await?;
    Ok(Offer {
        address: bound.destination,
        payment: None,
        due,
        chain,
    })
}

/// One person's word for paying a rank's bonus: the first one asks for it, the last one that is needed releases it. Pressing again
/// answers where it stands. Where the compliance rules want somebody to look, the press that meets that is no word yet.
///
/// # Errors
/// `request.not_found`, `decision.*`, `compliance.open`, `compliance.refused`, the guard's refusals of the member, what the quote is refused for.
pub async fn pay(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    graduation: GraduationId,
) -> Result<GraduationPayoutView, Error> {
    let due = graduations::lock(tx, graduation).await?;
    match due.payout {
        Some(id) => agree(context, tx, by, &due, id).await,
        None => ask(context, tx, by, &due).await,
    }
}

/// Nobody has pressed, or what was asked for came to nothing.
async fn ask(context: &Context, tx: &mut Tx, by: UserId, due: &Due) -> Result<GraduationPayoutView, Error> {
    let in_force = context.settings.within(tx).await?;
    let quote = GraduationBonus::quote(context, tx, due.member, due, &in_force).await?;
    let (id, ()) = payouts::open(context, tx, by, due.member, &quote, &in_force, None).await?;
    graduations::payment_begins(tx, due.id, id).await?;
    let opened = Payout::<GraduationBonus> {
        id,
        owner: due.member,
        value: quote.value,
        fee: quote.parts.fee,
        net: quote.parts.net,
        amount: quote.amount,
        rate: quote.rate,
        offer: None,
        held: (),
        outbound: None,
        has_case: false,
        state: State::Pending,
        digest: None,
        expires_at: GraduationBonus::until(&in_force.settings, tx.now()),
        own: Own {
            graduation: due.id,
            address: quote.to.address,
            settings_version: in_force.version,
            outgoing: None,
        },
    };
    let bound = payouts::bound(context, &opened)?;
    let inquiry = payouts::inquire(context, tx, &opened, &bound).await?;
    if compliance::wants_a_look(
        tx,
        &movement(due),
        inquiry.judgement(),
        GraduationBonus::name(),
        id.into(),
    )
    .await?
    {
        return asked(context, tx, id).await;
    }
    let verdict = inquiry.verdict(tx.now())?;
    decisions::approve_opened(context, tx, by, opened, (), verdict).await
}

/// It was asked for.
async fn agree(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    due: &Due,
    id: GraduationPayoutId,
) -> Result<GraduationPayoutView, Error> {
    let payout = lock(tx, id).await?;
    let bound = payouts::bound(context, &payout)?;
    if payout.state != State::Pending
        || approvals::has_approved(tx, &decisions::subject(&payout, &bound), by).await?
    {
        return shown(tx, id).await;
    }
    if compliance::waits_for_a_look(context, tx, &movement(due), GraduationBonus::name(), id.into()).await? {
        approvals::require_decider(tx, &decisions::subject(&payout, &bound).waiting(), by).await?;
        return asked(context, tx, id).await;
    }
    decisions::decide_locked(context, tx, by, payout, Decision::Approve((), None)).await
}

/// It is asked for and no more: nobody has agreed, for the compliance rules want somebody to look at whom it goes to. Their case is decided by
/// itself, and until then nobody agrees.
async fn asked(
    context: &Context,
    tx: &mut Tx,
    id: GraduationPayoutId,
) -> Result<GraduationPayoutView, Error> {
    payouts::tell::<GraduationBonus>(context, tx, id, None).await
}

fn movement(due: &Due) -> Movement<'static> {
    Movement {
        user: due.member,
        flow: Flow::Out(GraduationBonus::ACTION),
        usdt: due.amount,
        counterparty: None,
        payer: None,
    }
}

/// The payment of a rank whose row is held.
async fn lock(tx: &mut Tx, id: GraduationPayoutId) -> Result<Payout<GraduationBonus>, Error> {
    store::lock_behind(tx.conn(), nobody(), id)
        .await?
        .ok_or_else(unknown)
}

/// One person's word against it, until it is signed: what was set aside returns to the fund, and it may be asked for anew.
///
/// # Errors
/// `request.not_found` when nothing is under way; `decision.*`.
pub async fn reject(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    graduation: GraduationId,
    reason: String,
) -> Result<GraduationPayoutView, Error> {
    let due = graduations::lock(tx, graduation).await?;
    let payout = lock(tx, due.payout.ok_or_else(unknown)?).await?;
    decisions::decide_locked(context, tx, by, payout, Decision::Reject(reason)).await
}

async fn shown(tx: &mut Tx, id: GraduationPayoutId) -> Result<GraduationPayoutView, Error> {
    let row = rows::shown::<GraduationBonus>(tx.conn(), nobody(), id).await?;
    GraduationBonus::view(&row.ok_or_else(unknown)?)
}
