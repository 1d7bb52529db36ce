//! Who an incoming order meets: those whom the compliance port lets it meet, whose own limits let them.

use super::{
    settle::{self, Taker},
    store::{self, Dealt, Order},
};
use crate::{
    approvals::{
        compliance::meetings::{self, Meeting},
        guard::trading::{self, Watched},
    },
    error::Error,
    foundation::{context::Context, settings::Settings, transaction::Tx},
    presale::rules::{
        book::{self, Fill, Incoming, MOST_FILLS, Placed, Resting},
        reference::Traded,
    },
};
use protocol::{
    ErrorCode,
    ids::{PyxOrderId, UserId},
    money::Usdt,
    pyx::{PyxOrderEnd, PyxSide},
};
use std::collections::{BTreeMap, BTreeSet};
use time::Duration;

/// How often the book is read anew because somebody in it may not be met: a limit on everything. What is left of the order then ends.
const LOOKS: usize = 2 * MOST_FILLS;

/// What becomes of an incoming order, and of those in its way.
#[derive(Default)]
pub(super) struct Met {
    pub placed: Placed,
    makers: Vec<Order>,
    /// Orders that end because their owner may not lose what the meeting would cost them.
    pub ended: Vec<Order>,
    /// Everybody who is met, as they stood before.
    people: BTreeMap<UserId, Person>,
    /// The taker's limits, looked at with those of the first who are met.
    taker: Option<Watched>,
    /// What people dealt with each other in the last 24 hours, this order apart.
    dealt: Option<Vec<Dealt>>,
}

/// Somebody whose order is met.
struct Person {
    meeting: Meeting,
    watched: Watched,
}

impl Met {
    fn maker(&self, id: PyxOrderId) -> Result<&Order, Error> {
        self.makers
            .iter()
            .find(|m| m.id == id.0)
            .ok_or_else(|| Error::internal("a trade with nobody"))
    }

    fn person(&self, owner: UserId) -> Result<&Person, Error> {
        let person = self.people.get(&owner);
        person.ok_or_else(|| Error::internal("a trade with somebody who was not asked about"))
    }

    /// The meetings with the orders that waited, in their order.
    pub fn meetings(&self) -> Result<Vec<(&Order, &Fill)>, Error> {
        let fills = self.placed.fills.iter();
        fills.map(|fill| Ok((self.maker(fill.maker)?, fill))).collect()
    }

    /// What somebody lost by trades of the last 24 hours, to all others.
    fn lost_before(&self, user: UserId) -> Usdt {
        let of = |dealt: &Dealt| {
            let bought = Some(dealt.buyer_lost).filter(|_| dealt.buyer == user);
            let sold = Some(dealt.seller_lost).filter(|_| dealt.seller == user);
            bought.into_iter().chain(sold).sum::<Usdt>()
        };
        self.dealt.iter().flatten().map(of).sum()
    }

    /// What somebody may lose by trades yet.
    fn may_lose(&self, user: UserId, settings: &Settings) -> Usdt {
        (settings.compliance_pair_loss - self.lost_before(user)).max(Usdt::ZERO)
    }

    /// Refuses what the taker loses against the anchors by all meetings where its limits have no room for that, or with what it lost
    /// before to anybody: a limit that looked at each pair, and at what was over, let one order lose what it liked (2026-11-26).
    pub fn require_room(&self, taker: &Taker, settings: &Settings) -> Result<(), Error> {
        let fills = self.placed.fills.iter();
        let lost: Usdt = fills
            .map(|fill| settle::taker_lost(taker, fill))
            .sum::<Result<_, _>>()?;
        let left = self.may_lose(taker.user, settings);
        if lost > left {
            return Err(Error::code(ErrorCode::OrderLoss)
                .with("lost", lost.brief())
                .with("maximum", settings.compliance_pair_loss.brief())
                .with("left", left.brief())
                .field("price", ErrorCode::OrderLoss));
        }
        match &self.taker {
            Some(watched) => watched.require_room(settings, lost),
            None if lost.is_zero() => Ok(()),
            None => Err(Error::internal("a loss of somebody who was not asked about")),
        }
    }

    /// What people dealt with each other in the last 24 hours, this order's meetings with it.
    pub fn dealt(&self, taker: &Taker) -> Result<Vec<Traded>, Error> {
        let before = self.dealt.iter().flatten().map(|d| Traded {
            buyer: d.buyer,
            seller: d.seller,
            cost: d.cost,
            quantity: d.quantity,
        });
        let mut all: Vec<Traded> = before.collect();
        for (maker, fill) in self.meetings()? {
            let (buyer, seller) = match taker.side {
                PyxSide::Buy => (taker.user, maker.owner()),
                PyxSide::Sell => (maker.owner(), taker.user),
            };
            all.push(Traded {
                buyer,
                seller,
                cost: fill.cost,
                quantity: fill.quantity,
            });
        }
        Ok(all)
    }
}

/// Finds them under the book's lock, and takes the lock of everybody's limits who is asked, in sorted order. An order that its owner's
/// rules no longer let stand at the meeting's price is to end; one whose owner is kept apart from the taker is passed by and stays.
pub(super) async fn find(
    context: &Context,
    tx: &mut Tx,
    taker: &Taker,
    incoming: &Incoming,
    settings: &Settings,
) -> Result<Met, Error> {
    let most = i64::try_from(MOST_FILLS + 1).unwrap_or(i64::MAX);
    let mut met = Met::default();
    let mut apart: BTreeSet<UserId> = BTreeSet::new();
    // The book is read anew where somebody in it may not be met.
    let mut read = true;
    for _ in 0..LOOKS {
        if read {
            let without: Vec<_> = apart.iter().map(|user| user.0).collect();
            let gone: Vec<_> = met.ended.iter().map(|order| order.id).collect();
            let (side, price) = (incoming.side, incoming.price);
            met.makers = store::crossing(tx.conn(), side, price, (&without, &gone), most).await?;
            met.placed = book::place(incoming, met.makers.iter().map(resting), |owner| {
                apart.contains(&owner)
            });
        }
        let strangers = strangers(&met)?;
        if !strangers.is_empty() {
            let found = ask(context, tx, taker.user, &mut met, strangers).await?;
            read = !found.is_empty();
            apart.extend(found);
        } else if let Some(order) = too_dear(taker, &met, settings)? {
            met.ended.push(order);
            read = true;
        } else {
            return Ok(met);
        }
    }
    met.placed = Placed {
        rest: incoming.quantity,
        end: Some(PyxOrderEnd::Limit),
        ..Placed::default()
    };
    Ok(met)
}

fn resting(order: &Order) -> Resting {
    Resting {
        id: PyxOrderId(order.id),
        owner: order.owner(),
        price: Usdt(order.price),
        rest: order.rest(),
    }
}

/// Those who would be met and were not asked about.
fn strangers(met: &Met) -> Result<BTreeSet<UserId>, Error> {
    let mut found = BTreeSet::new();
    for fill in &met.placed.fills {
        let owner = met.maker(fill.maker)?.owner();
        if !met.people.contains_key(&owner) {
            found.insert(owner);
        }
    }
    Ok(found)
}

/// Locks the limits of strangers, the taker's with the first of them, and asks the compliance port about each pair; who may not be met.
async fn ask(
    context: &Context,
    tx: &mut Tx,
    taker: UserId,
    met: &mut Met,
    strangers: BTreeSet<UserId>,
) -> Result<BTreeSet<UserId>, Error> {
    let mut people = strangers.clone();
    if met.taker.is_none() {
        people.insert(taker);
    }
    let mut watched = trading::watch(tx, &people).await?;
    if let Some(own) = watched.remove(&taker) {
        met.taker = Some(own);
    }
    let dealt = match met.dealt.take() {
        Some(dealt) => dealt,
        None => {
            let since = tx.now() - Duration::DAY;
            store::dealt(tx.conn(), since).await?
        }
    };
    let meetings: Vec<Meeting> = strangers
        .into_iter()
        .map(|maker| between(taker, maker, &dealt))
        .collect();
    met.dealt = Some(dealt);
    let apart = meetings::apart(context, tx, &meetings).await?;
    for meeting in meetings {
        if apart.contains(&meeting.maker) {
            continue;
        }
        let watched = watched.remove(&meeting.maker);
        let watched = watched.ok_or_else(|| Error::internal("somebody who was not looked at"))?;
        met.people.insert(meeting.maker, Person { meeting, watched });
    }
    Ok(apart)
}

/// Two people and what they dealt with each other.
fn between(taker: UserId, maker: UserId, dealt: &[Dealt]) -> Meeting {
    let mut meeting = Meeting {
        taker,
        maker,
        trades: 0,
        taker_lost: Usdt::ZERO,
        maker_lost: Usdt::ZERO,
    };
    for one in dealt {
        let (mine, theirs) = match (one.buyer, one.seller) {
            (buyer, seller) if (buyer, seller) == (taker, maker) => (one.buyer_lost, one.seller_lost),
            (buyer, seller) if (buyer, seller) == (maker, taker) => (one.seller_lost, one.buyer_lost),
            _ => continue,
        };
        meeting.trades += one.trades;
        meeting.taker_lost += mine;
        meeting.maker_lost += theirs;
    }
    meeting
}

/// The first order whose owner may not lose what its meetings would cost them.
fn too_dear(taker: &Taker, met: &Met, settings: &Settings) -> Result<Option<Order>, Error> {
    let mut so_far: BTreeMap<UserId, Usdt> = BTreeMap::new();
    for (maker, fill) in met.meetings()? {
        let lost = settle::maker_lost(maker, taker.anchors, fill)?;
        if lost.is_zero() {
            continue;
        }
        let owner = maker.owner();
        let sum = so_far.entry(owner).or_default();
        *sum += lost;
        let watched = &met.person(owner)?.watched;
        if watched.may_lose_nothing()?
            || *sum > met.may_lose(owner, settings)
            || !watched.has_room(settings, *sum)?
        {
            return Ok(Some(maker.clone()));
        }
    }
    Ok(None)
}

/// Counts what the meetings cost everybody, and lets the compliance port hear of them. Call it after they were booked, with what was taken from
/// the taker's `available`: of young money it is refused.
pub(super) async fn note(
    context: &Context,
    tx: &mut Tx,
    taker: &Taker,
    met: &Met,
    taken: Option<Usdt>,
) -> Result<(), Error> {
    let mut after: BTreeMap<UserId, (Meeting, Usdt, Usdt)> = BTreeMap::new();
    for (maker, fill) in met.meetings()? {
        let owner = maker.owner();
        let before = met.person(owner)?.meeting;
        let (mine, theirs) = losses(taker, maker, fill)?;
        let (meeting, taker_lost, maker_lost) =
            after.entry(owner).or_insert((before, Usdt::ZERO, Usdt::ZERO));
        meeting.trades += 1;
        meeting.taker_lost += mine;
        meeting.maker_lost += theirs;
        *taker_lost += mine;
        *maker_lost += theirs;
    }
    let lost: Vec<(UserId, UserId, Usdt)> = after
        .iter()
        .flat_map(|(owner, (_, mine, theirs))| [(taker.user, *owner, *mine), (*owner, taker.user, *theirs)])
        .collect();
    trading::note_losses(tx, &lost, taken.map(|taken| (taker.user, taken))).await?;
    for (meeting, ..) in after.into_values() {
        meetings::note(context, tx, &meeting).await?;
    }
    Ok(())
}

fn losses(taker: &Taker, maker: &Order, fill: &Fill) -> Result<(Usdt, Usdt), Error> {
    Ok((
        settle::taker_lost(taker, fill)?,
        settle::maker_lost(maker, taker.anchors, fill)?,
    ))
}
