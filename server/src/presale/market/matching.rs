//! Who an incoming order meets: those whom the compliance port lets it meet, whose own limits let them.

use super::{
    settle::{self, Taker},
    store::{self, Order},
};
use crate::{
    approvals::{
        compliance::meetings::{self, Meeting},
        guard::trading,
    },
    error::Error,
    foundation::{context::Context, transaction::Tx},
    presale::rules::book::{self, Fill, Incoming, MOST_FILLS, Placed, Resting},
};
use protocol::{
    ids::{PyxOrderId, UserId},
    money::Usdt,
    pyx::PyxOrderEnd,
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
    pub people: BTreeMap<UserId, Person>,
}

/// Somebody whose order is met.
#[derive(Clone, Copy)]
pub(super) struct Person {
    pub meeting: Meeting,
    /// Their orders must be at the anchors or better.
    bound: bool,
}

impl Met {
    pub fn maker(&self, id: PyxOrderId) -> Result<&Order, Error> {
        self.makers
            .iter()
            .find(|m| m.id == id.0)
            .ok_or_else(|| Error::internal("a trade with nobody"))
    }

    /// What the taker loses against the anchors by all meetings.
    pub fn taker_lost(&self, taker: &Taker) -> Result<Usdt, Error> {
        self.placed
            .fills
            .iter()
            .map(|fill| settle::taker_lost(taker, fill))
            .sum()
    }
}

/// Finds them under the book's lock, and takes the lock of everybody's limits who is asked, in sorted order. An order that its owner's
/// rules no longer let stand at the meeting's price is to end; one whose owner is kept apart from the taker is passed by and stays.
pub(super) async fn find(
    context: &Context,
    tx: &mut Tx,
    taker: &Taker,
    incoming: &Incoming,
) -> Result<Met, Error> {
    let most = i64::try_from(MOST_FILLS + 1).unwrap_or(i64::MAX);
    let mut met = Met::default();
    let mut apart: BTreeSet<UserId> = BTreeSet::new();
    for _ in 0..LOOKS {
        let without: Vec<_> = apart.iter().map(|user| user.0).collect();
        let gone: Vec<_> = met.ended.iter().map(|order| order.id).collect();
        let (side, price) = (incoming.side, incoming.price);
        met.makers = store::crossing(tx.conn(), side, price, (&without, &gone), most).await?;
        met.placed = book::place(incoming, met.makers.iter().map(resting), |owner| {
            apart.contains(&owner)
        });
        let strangers = strangers(&met)?;
        if !strangers.is_empty() {
            lock(tx, taker.user, &met.people, &strangers).await?;
            for stranger in strangers {
                match ask(context, tx, taker.user, stranger).await? {
                    Some(person) => _ = met.people.insert(stranger, person),
                    None => _ = apart.insert(stranger),
                }
            }
        } else if let Some(order) = too_dear(context, tx, taker, &met).await? {
            met.ended.push(order);
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

/// Locks the limits of those who are asked for the first time, the taker's with the first of them.
async fn lock(
    tx: &mut Tx,
    taker: UserId,
    known: &BTreeMap<UserId, Person>,
    strangers: &BTreeSet<UserId>,
) -> Result<(), Error> {
    let mut people = strangers.clone();
    if known.is_empty() {
        people.insert(taker);
    }
    for person in people {
        trading::lock(tx, person).await?;
    }
    Ok(())
}

/// Asks the compliance port about the pair; none when they may not meet.
async fn ask(context: &Context, tx: &mut Tx, taker: UserId, maker: UserId) -> Result<Option<Person>, Error> {
    let since = tx.now() - Duration::DAY;
    let before = store::between(tx.conn(), taker, maker, since).await?;
    let meeting = Meeting {
        taker,
        maker,
        trades: before.trades,
        taker_lost: before.one_lost,
        maker_lost: before.other_lost,
    };
    if !meetings::may_meet(context, tx, &meeting).await? {
        return Ok(None);
    }
    let bound = trading::may_lose_nothing(tx, maker).await?;
    Ok(Some(Person { meeting, bound }))
}

/// The first order whose owner may not lose what its meetings would cost them.
async fn too_dear(context: &Context, tx: &mut Tx, taker: &Taker, met: &Met) -> Result<Option<Order>, Error> {
    let mut so_far: BTreeMap<UserId, Usdt> = BTreeMap::new();
    for fill in &met.placed.fills {
        let maker = met.maker(fill.maker)?;
        let lost = settle::maker_lost(maker, taker.anchors, fill)?;
        if lost.is_zero() {
            continue;
        }
        let owner = maker.owner();
        let sum = so_far.entry(owner).or_default();
        *sum += lost;
        let bound = met.people.get(&owner).is_some_and(|person| person.bound);
        if bound || !trading::has_room(context, tx, owner, *sum).await? {
            return Ok(Some(maker.clone()));
        }
    }
    Ok(None)
}

/// Counts what the meetings cost everybody, and lets the compliance port hear of them. Call it after they were booked.
pub(super) async fn note(context: &Context, tx: &mut Tx, taker: &Taker, met: &Met) -> Result<(), Error> {
    let mut after: BTreeMap<UserId, (Meeting, Usdt, Usdt)> = BTreeMap::new();
    for fill in &met.placed.fills {
        let maker = met.maker(fill.maker)?;
        let owner = maker.owner();
        let Some(person) = met.people.get(&owner) else {
            return Err(Error::internal("a trade with somebody who was not asked about"));
        };
        let (mine, theirs) = losses(taker, maker, fill)?;
        let (meeting, taker_lost, maker_lost) =
            after
                .entry(owner)
                .or_insert((person.meeting, Usdt::ZERO, Usdt::ZERO));
        meeting.trades += 1;
        meeting.taker_lost += mine;
        meeting.maker_lost += theirs;
        *taker_lost += mine;
        *maker_lost += theirs;
    }
    for (owner, (meeting, taker_lost, maker_lost)) in after {
        trading::note_loss(tx, taker.user, owner, taker_lost).await?;
        trading::note_loss(tx, owner, taker.user, maker_lost).await?;
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
