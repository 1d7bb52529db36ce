//! What a kind of payout brings: where its money goes, how it is paid, what is shown of it. How its rows are kept is [`store::Rows`].

use super::{
    rules::{Parts, State},
    store::Rows,
};
use crate::{
    approvals::{
        guard::{Action, Verdict},
        rules::Kind as Decided,
    },
    error::Error,
    foundation::{
        context::Context,
        mail::{Mail, Recipient},
        settings::{InForce, Settings},
        subjects::{self, Worth},
        transaction::Tx,
    },
    ledger::model::Orderer,
};
use protocol::{
    LiveEvent,
    ids::{OutboundId, UserId},
    live_event::QueueItem,
    money::Usdt,
    stream_id::Queue,
};
use serde::Serialize;
use serde_json::Value;
use std::{
    fmt::Display,
    future::{Future, ready},
};
use time::OffsetDateTime;
use uuid::Uuid;

/// Names and types of a kind.
pub trait Kind: Sized + Send + Sync + 'static {
    /// What is decided on; its name is also that of cases, of lines in the audit and of holds.
    const DECIDED: Decided;
    /// What the guard takes it for.
    const ACTION: Action;
    /// As what others point at it, if anything does.
    const POINTED: Option<subjects::Kind>;
    /// Where those who decide see it.
    const QUEUE: Queue;

    type Id: Copy + Display + Serialize + From<Uuid> + Into<Uuid> + Send + Sync;
    /// What the destination receives, exact.
    type Amount: Copy + PartialEq + Send + Sync;
    /// At which the net becomes the amount.
    type Rate: Copy + Display + Send + Sync;
    /// Where the money goes, read and checked.
    type To: Send + Sync;
    /// Where the money is until it has left: a hold, two of them, a house's fund.
    type Held: Send + Sync;
    /// What a quote says beside.
    type Beside: Send + Sync;
    /// What a request writes beside: a sealed key, a link.
    type Opening: Send + Sync;
    /// What its row holds beside.
    type Own: Send + Sync;
    /// What an approver says beside yes.
    type Word: Send + Sync;
    /// What its lists are restricted to beside.
    type Narrow: Clone + Default + Send + Sync;
    /// As its owner and those who decide see it.
    type View: Serialize + Clone + Send + Sync;

    /// Its name wherever it is a word.
    #[must_use]
    fn name() -> &'static str {
        Self::DECIDED.as_str()
    }
}

/// What an order would cost and bring now.
pub struct Quote<K: Kind> {
    pub value: Usdt,
    pub parts: Parts,
    pub amount: K::Amount,
    pub rate: K::Rate,
    pub to: K::To,
    pub beside: K::Beside,
}

/// A payout that is being asked for.
pub struct New<'a, K: Kind> {
    pub id: K::Id,
    pub owner: UserId,
    pub quote: &'a Quote<K>,
    pub held: &'a K::Held,
    pub opening: &'a K::Opening,
    /// Its place in the rolling limits.
    pub outbound: Option<OutboundId>,
    pub review: bool,
    pub approvals_needed: i16,
    pub settings_version: i32,
    pub expires_at: OffsetDateTime,
}

/// A payout as its row stands, locked.
pub struct Payout<K: Kind> {
    pub id: K::Id,
    pub owner: UserId,
    pub value: Usdt,
    pub fee: Usdt,
    pub net: Usdt,
    pub amount: K::Amount,
    pub rate: K::Rate,
    pub offer: Option<(K::Amount, K::Rate)>,
    pub held: K::Held,
    pub outbound: Option<OutboundId>,
    /// There may be a case of it: that is not asked of one that has none.
    pub has_case: bool,
    pub state: State,
    /// Of what was approved.
    pub digest: Option<Vec<u8>>,
    pub expires_at: OffsetDateTime,
    pub own: K::Own,
}

/// How a payout is written where somebody's word is bound to it. Not to be printed: a destination may be personal.
pub struct Bound {
    pub destination: String,
    /// As a code binds it, and the guard shows it.
    pub amount: String,
    pub coin: &'static str,
    /// As an approval binds it.
    pub receives: String,
}

/// Where the money goes: what it is, how it is checked, sealed and bound.
pub trait Destination: Kind {
    type Order<'a>: Sync;

    /// What an order would bring now; nothing moves.
    fn quote(
        context: &Context,
        tx: &mut Tx,
        owner: UserId,
        order: &Self::Order<'_>,
        in_force: &InForce,
    ) -> impl Future<Output = Result<Quote<Self>, Error>> + Send;

    /// What of the value leaves `available`, where that is less.
    fn drawn(_: &Quote<Self>) -> Option<Usdt> {
        None
    }

    /// What a request writes beside.
    fn opening(context: &Context, owner: UserId, quote: &Quote<Self>) -> Result<Self::Opening, Error>;

    /// The destination of a stored one, opened.
    fn to(context: &Context, payout: &Payout<Self>) -> Result<Self::To, Error>;

    fn bound(to: &Self::To, value: Usdt, net: Usdt, amount: Self::Amount) -> Bound;

    /// Whether an approver has said what is needed of the destination.
    fn vouched(_: &Payout<Self>, _: &Self::Word) -> Result<(), Error> {
        Ok(())
    }

    /// Refuses a destination at which nobody is paid any more.
    fn payable(_: &Context, _: &mut Tx, _: &Payout<Self>) -> impl Future<Output = Result<(), Error>> + Send {
        ready(Ok(()))
    }
}

/// Where the money is meanwhile, and how an approval becomes a payment.
pub trait Settlement: Kind {
    /// Where a request begins.
    const BEGINS: State;

    /// Until when it stands undecided before it ends by itself.
    fn until(settings: &Settings, now: OffsetDateTime) -> OffsetDateTime;

    /// Sets the money aside.
    fn set_aside(
        tx: &mut Tx,
        id: Self::Id,
        owner: UserId,
        quote: &Quote<Self>,
        in_force: &InForce,
    ) -> impl Future<Output = Result<Self::Held, Error>> + Send;

    /// The money returns.
    fn give_back(
        tx: &mut Tx,
        payout: &Payout<Self>,
        orderer: Orderer,
    ) -> impl Future<Output = Result<(), Error>> + Send;

    /// Takes back what is under way, before anything returns; `withdrawal.state` for what may have been paid.
    fn retract(_: &mut Tx, _: &Payout<Self>) -> impl Future<Output = Result<(), Error>> + Send {
        ready(Ok(()))
    }

    /// Which decision says that an approved one was not paid, where somebody else may have paid it already.
    fn unpaid(
        _: &mut Tx,
        _: &Payout<Self>,
        _by: UserId,
    ) -> impl Future<Output = Result<Option<Decided>, Error>> + Send {
        ready(Ok(None))
    }

    /// The rate of now.
    fn rate(
        context: &Context,
        tx: &mut Tx,
        payout: &Payout<Self>,
    ) -> impl Future<Output = Result<Self::Rate, Error>> + Send;

    /// What a net brings at a rate; none for nothing.
    fn receives(net: Usdt, rate: Self::Rate) -> Option<Self::Amount>;

    /// A rate in its smallest unit.
    fn units(rate: Self::Rate) -> i64;

    /// All approvals are there. A kind that pays in the same step does so here and names the letter that tells of it.
    fn approved(
        _: &Context,
        _: &mut Tx,
        _by: UserId,
        _: &Payout<Self>,
        _: Self::Word,
        _: &Verdict,
    ) -> impl Future<Output = Result<Option<&'static str>, Error>> + Send {
        ready(Ok(None))
    }
}

/// What is shown and told of it.
pub trait Screen: Rows {
    /// The letter that a request sends, if it sends one.
    const REQUESTED: Option<&'static str>;
    /// The letter that a rejection sends, if its owner is to hear of it.
    const REJECTED: Option<&'static str> = Some("rejected");
    /// The audit's word for taking a new amount.
    const TAKEN: &'static str;
    /// What the audit calls the amount.
    const AMOUNT: &'static str;

    fn view(row: &Self::Shown) -> Result<Self::View, Error>;

    /// What it is one of, for whoever points at it.
    fn worth(view: &Self::View) -> Result<Worth, Error>;

    /// The letter for a state, whose text `state` names.
    fn letter(view: &Self::View, state: &'static str) -> Mail;

    /// For its owner; none while it is a matter of staff alone.
    fn changed(view: &Self::View) -> Option<LiveEvent>;

    /// For those who decide.
    fn item(view: &Self::View) -> QueueItem;

    /// An amount as the audit holds it.
    fn noted(amount: Self::Amount) -> Value;

    /// What the audit holds of a request beside.
    fn of_request(quote: &Quote<Self>) -> Value;

    /// What the audit holds of an approval beside.
    fn of_approval(payout: &Payout<Self>, word: &Self::Word) -> Value;

    /// After a request is told: more mail. `to`: its owner, where that was read already.
    fn requested(
        _: &Context,
        _: &mut Tx,
        _: &Self::View,
        _: &Self::Opening,
        _to: Option<&Recipient>,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        ready(Ok(()))
    }
}

/// All of it.
pub trait Port: Destination + Settlement + Screen {}
impl<K: Destination + Settlement + Screen> Port for K {}
