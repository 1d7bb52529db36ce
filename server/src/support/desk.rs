//! The desk: who has taken a ticket, and the work by day (docs/rules/support.md#taken-by). A sight of who works on what, no lock: everybody who
//! answers may answer every ticket.

use super::{
    model::{Agents, DeskDay, DeskReport, ReportSpan},
    service::lock,
    store::{self, Locked},
};
use crate::{
    error::Error,
    foundation::{audit, business_day, context::Context, transaction::Tx},
    identity::caller::{Caller, Scope},
};
use protocol::{
    ErrorCode, LiveEvent, Permission, Queue, StreamId,
    ids::{TicketId, UserId},
    views::{DeskView, TicketStatus, TicketView},
};
use serde_json::json;
use std::collections::HashMap;
use time::Duration;

/// Whoever answers may take, hand over and be handed.
const ANSWERS: Permission = Queue::Tickets.decides();
/// Days of a report.
const DAYS: i64 = 14;
const MAX_DAYS: i64 = 90;

/// How long ago a ticket was opened, at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    Day,
    ThreeDays,
    Week,
    Month,
}

impl std::str::FromStr for Age {
    type Err = ();
    fn from_str(word: &str) -> Result<Self, ()> {
        match word {
            "1d" => Ok(Self::Day),
            "3d" => Ok(Self::ThreeDays),
            "7d" => Ok(Self::Week),
            "30d" => Ok(Self::Month),
            _ => Err(()),
        }
    }
}

impl Age {
    #[must_use]
    pub const fn least(self) -> Duration {
        Duration::days(match self {
            Self::Day => 1,
            Self::ThreeDays => 3,
            Self::Week => 7,
            Self::Month => 30,
        })
    }
}

/// Staff's queue hears what only staff know of a ticket. No stream that a customer may follow ever does.
pub(super) fn tell(tx: &mut Tx, desk: DeskView, handed_by: Option<String>) {
    tx.emit(
        StreamId::Queue(Queue::Tickets),
        LiveEvent::TicketDeskChanged {
            desk: Box::new(desk),
            handed_by,
        },
    );
}

/// On their own ticket staff are customers: they neither hold it nor read what colleagues note about it.
pub(super) fn require_other(locked: &Locked, caller: &Caller) -> Result<(), Error> {
    if locked.owner == caller.user {
        return Err(Error::code(ErrorCode::TicketOwn));
    }
    Ok(())
}

/// An answer of staff was stored: what it changed at the desk is told, and that it took the ticket is noted.
pub(super) async fn answered(
    tx: &mut Tx,
    caller: &Caller,
    before: &Locked,
    ticket: &TicketView,
    desk: DeskView,
) -> Result<(), Error> {
    if before.taken_by.is_none() {
        let details = json!({ "number": ticket.number, "owner": ticket.user, "by": "answer" });
        record(tx, caller, ticket.id, "ticket.taken", details).await?;
    }
    if before.taken_by.is_none() || before.first_answered_at.is_none() {
        tell(tx, desk, None);
    }
    Ok(())
}

async fn record(
    tx: &mut Tx,
    caller: &Caller,
    id: TicketId,
    action: &str,
    details: serde_json::Value,
) -> Result<(), Error> {
    let subject = Some(id.0);
    audit::record(
        tx,
        Some(caller.user),
        subject,
        audit::Category::Support,
        action,
        details,
    )
    .await
}

pub(super) async fn desk_of(tx: &mut Tx, id: TicketId) -> Result<DeskView, Error> {
    store::desk(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::internal("a locked ticket is gone"))
}

/// A colleague's ticket is taken only by who says that they saw whose it is.
async fn refuse_unseen(
    tx: &mut Tx,
    id: TicketId,
    holder: Option<UserId>,
    seen: Option<UserId>,
) -> Result<(), Error> {
    if holder.is_none() || holder == seen {
        return Ok(());
    }
    let name = desk_of(tx, id).await?.taken_by.map(|agent| agent.name);
    Err(Error::code(ErrorCode::TicketTaken).with("name", name.unwrap_or_default()))
}

/// Takes a ticket. `seen` is whom the caller saw as its holder.
///
/// # Errors
/// `ticket.unknown`, `ticket.own`, `ticket.closed`; `ticket.taken` when somebody has it whom the caller did not see there.
pub async fn take(
    context: &Context,
    caller: &Caller,
    scope: Scope,
    id: TicketId,
    seen: Option<UserId>,
) -> Result<DeskView, Error> {
    let mut tx = context.db.begin().await?;
    let locked = lock(&mut tx, scope, id).await?;
    require_other(&locked, caller)?;
    if locked.taken_by == Some(caller.user) {
        return desk_of(&mut tx, id).await;
    }
    if locked.status == TicketStatus::Closed {
        return Err(Error::code(ErrorCode::TicketClosed));
    }
    refuse_unseen(&mut tx, id, locked.taken_by, seen).await?;
    let now = tx.now();
    store::take(tx.conn(), id, Some((caller.user, now))).await?;
    let desk = desk_of(&mut tx, id).await?;
    let details = json!({ "owner": locked.owner, "from": locked.taken_by, "by": "hand" });
    record(&mut tx, caller, id, "ticket.taken", details).await?;
    tell(&mut tx, desk.clone(), None);
    tx.commit().await?;
    Ok(desk)
}

/// Hands one's ticket over to somebody else who answers.
///
/// # Errors
/// `ticket.unknown`, `ticket.closed`; `ticket.not_taken` when the caller does not have it; `agent.unknown` for somebody who does not answer
/// tickets, or who is this one's customer.
pub async fn hand_over(
    context: &Context,
    caller: &Caller,
    scope: Scope,
    id: TicketId,
    to: UserId,
) -> Result<DeskView, Error> {
    let unknown = || Error::code(ErrorCode::AgentUnknown).field("to", ErrorCode::AgentUnknown);
    let mut tx = context.db.begin().await?;
    let locked = lock(&mut tx, scope, id).await?;
    if locked.taken_by != Some(caller.user) {
        return Err(Error::code(ErrorCode::TicketNotTaken));
    }
    if locked.status == TicketStatus::Closed {
        return Err(Error::code(ErrorCode::TicketClosed));
    }
    if to == caller.user {
        return desk_of(&mut tx, id).await;
    }
    if to == locked.owner || !store::answers(tx.conn(), to, ANSWERS.as_str()).await? {
        return Err(unknown());
    }
    let by = desk_of(&mut tx, id).await?.taken_by.map(|agent| agent.name);
    let now = tx.now();
    store::take(tx.conn(), id, Some((to, now))).await?;
    let desk = desk_of(&mut tx, id).await?;
    let details = json!({ "owner": locked.owner, "to": to });
    record(&mut tx, caller, id, "ticket.handed_over", details).await?;
    tell(&mut tx, desk.clone(), by);
    tx.commit().await?;
    Ok(desk)
}

/// Lets one's ticket go; one that nobody has stays so.
///
/// # Errors
/// `ticket.unknown`; `ticket.not_taken` when somebody else has it.
pub async fn let_go(
    context: &Context,
    caller: &Caller,
    scope: Scope,
    id: TicketId,
) -> Result<DeskView, Error> {
    let mut tx = context.db.begin().await?;
    let locked = lock(&mut tx, scope, id).await?;
    match locked.taken_by {
        None => return desk_of(&mut tx, id).await,
        Some(holder) if holder != caller.user => return Err(Error::code(ErrorCode::TicketNotTaken)),
        Some(_) => {}
    }
    store::take(tx.conn(), id, None).await?;
    let desk = desk_of(&mut tx, id).await?;
    let details = json!({ "owner": locked.owner });
    record(&mut tx, caller, id, "ticket.let_go", details).await?;
    tell(&mut tx, desk.clone(), None);
    tx.commit().await?;
    Ok(desk)
}

/// Those who answer tickets or still have open ones, by name, and how many open ones each of them has taken.
///
/// # Errors
/// Whatever the database refuses.
pub async fn agents(context: &Context) -> Result<Agents, Error> {
    Ok(Agents {
        data: store::agents(context.db.pool(), ANSWERS.as_str()).await?,
    })
}

/// The desk's days, newest first; a day on which nothing happened stands in it too.
///
/// # Errors
/// `request.invalid` for a span out of bounds.
pub async fn report(context: &Context, span: &ReportSpan) -> Result<DeskReport, Error> {
    let days = span.days.unwrap_or(DAYS);
    if !(1..=MAX_DAYS).contains(&days) {
        return Err(Error::code(ErrorCode::RequestInvalid).field("days", ErrorCode::RequestInvalid));
    }
    let today = business_day::of(context.now());
    let first = today.saturating_sub(Duration::days(days - 1));
    let since = business_day::start(first);
    let pool = context.db.pool();
    let counted = store::days(pool, since).await?;
    let mut rated = store::ratings_by_day(pool, since).await?;
    let mut counted: HashMap<_, _> = counted.into_iter().map(|day| (day.day.clone(), day)).collect();
    let mut all: Vec<DeskDay> = Vec::new();
    let mut day = today;
    while day >= first {
        let name = day.to_string();
        let (ratings, rating_sum) = rated.remove(&name).unwrap_or_default();
        let of_day = counted.remove(&name).unwrap_or(DeskDay {
            day: name,
            opened: 0,
            solved: 0,
            first_answer_seconds: None,
            ratings: 0,
            rating_sum: 0,
        });
        all.push(DeskDay {
            ratings,
            rating_sum,
            ..of_day
        });
        let Some(before) = day.previous_day() else {
            break;
        };
        day = before;
    }
    let agents = store::ratings_by_agent(pool, since).await?;
    Ok(DeskReport { data: all, agents })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_a_closed_set() {
        let days =
            ["1d", "3d", "7d", "30d"].map(|word| word.parse::<Age>().map(|age| age.least().whole_days()));
        assert_eq!(days, [Ok(1), Ok(3), Ok(7), Ok(30)]);
        for word in ["", "2d", "1", "1D", "-1d"] {
            assert_eq!(word.parse::<Age>(), Err(()), "{word}");
        }
    }
}
