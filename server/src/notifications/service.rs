//! Use cases of the inbox: reading facts into lines, showing lines, marking them as read.

use super::{
    away,
    push::{self, New},
    rules::{self, Line, News},
    store::{self, Advance, Stored},
    untaken,
};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        http::{ListParams, Meta, Page},
        transaction::Tx,
    },
    identity::caller::Caller,
    support::{self, model::Brief},
};
use protocol::{
    LiveEvent, StreamId,
    ids::{NotificationId, TicketId, UserId},
    live_event::Numbered,
    money::Usdt,
    views::{NoticeGroup, TicketSide},
};
use serde::Serialize;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// Facts in one transaction: as many stream heads may be locked at its end.
const STEP: i64 = 100;

/// A line of the notification panel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct NotificationView {
    pub id: NotificationId,
    /// Names the sentence; `params` hold all of its values, the amount as `usdt`.
    pub code: String,
    pub group: NoticeGroup,
    #[schema(value_type = std::collections::HashMap<String, serde_json::Value>)]
    pub params: serde_json::Value,
    pub amount: Option<Usdt>,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    pub read: bool,
}

/// A page of the inbox. The bell's number and the list are one answer, so that they never disagree.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Inbox {
    pub data: Vec<NotificationView>,
    pub meta: Meta,
    pub unread: i64,
}

/// Which lines are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown {
    pub group: Option<NoticeGroup>,
    pub unread: Option<bool>,
}

/// How many lines are unread.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Unread {
    pub unread: i64,
}

/// A page of one's own inbox, newest first.
///
/// # Errors
/// `request.invalid` for a page out of bounds.
pub async fn inbox(
    context: &Context,
    caller: &Caller,
    params: &ListParams,
    shown: Shown,
) -> Result<Inbox, Error> {
    params.one_order()?;
    let paging = params.paging(10)?;
    let (data, total) = store::page(context.db.pool(), caller.user, shown, &paging).await?;
    let unread = store::unread(context.db.pool(), caller.user).await?;
    let newest = params.newest(&data, |line| line.at);
    let Page { data, meta } = Page::new(data, &paging, total).growing(&paging, newest);
    Ok(Inbox { data, meta, unread })
}

/// Marks lines as read: the named ones, or all. Names that are not one's own change nothing.
///
/// # Errors
/// Whatever the database refuses.
pub async fn mark_read(
    context: &Context,
    caller: &Caller,
    ids: Option<Vec<NotificationId>>,
) -> Result<Unread, Error> {
    let ids: Option<Vec<Uuid>> = ids.map(|ids| ids.into_iter().map(Uuid::from).collect());
    store::read(context.db.pool(), caller.user, ids.as_deref(), context.now()).await?;
    away::here(context, &[caller.user]).await?;
    Ok(Unread {
        unread: store::unread(context.db.pool(), caller.user).await?,
    })
}

/// Reads the next facts into lines; returns how many facts were looked at, 0 when there is nothing to do or another node is
/// doing it. Lines, facts about lines and the cursor are one commit.
///
/// # Errors
/// Whatever the database refuses; nothing has happened then, and the same facts come again.
pub async fn consume(context: &Context) -> Result<usize, Error> {
    let kinds: Vec<String> = rules::KINDS.iter().map(|k| (*k).to_owned()).collect();
    // Most of the time there is nothing: find that out without taking a lock or a transaction id.
    if !store::behind(context.db.pool(), &kinds).await? {
        return Ok(0);
    }
    let settings = context.settings.current(context.now()).await?;
    let delay = Duration::minutes(settings.settings.away_mail_minutes);
    let mut tx = context.db.begin().await?;
    let Some(place) = store::take_cursor(tx.conn()).await? else {
        return Ok(0);
    };
    let (facts, next) = store::next_facts(tx.conn(), place, &kinds, STEP).await?;
    let mut new = New::default();
    for fact in &facts {
        tell(&mut tx, &mut new, fact, delay).await?;
    }
    push::tell(&mut tx, new).await?;
    store::move_cursor(tx.conn(), next).await?;
    tx.commit().await?;
    Ok(facts.len())
}

async fn tell(tx: &mut Tx, new: &mut New, fact: &Numbered, delay: Duration) -> Result<(), Error> {
    let delay = Some(delay);
    match rules::news(fact) {
        News::Nothing => Ok(()),
        News::State {
            subject,
            version,
            state,
            line,
        } => match store::advance(tx.conn(), subject, state, version).await? {
            Advance::From(previous) if rules::is_news(previous.as_deref(), state) => match line {
                Some(line) => add(tx, new, &line, fact, delay).await,
                None => Ok(()),
            },
            Advance::From(_) | Advance::Stale => Ok(()),
        },
        News::Standing {
            subject,
            version,
            standing,
        } => match store::advance(tx.conn(), subject, &standing.remembered(), version).await? {
            Advance::From(previous) => match standing.line(previous.as_deref()) {
                Some(line) => add(tx, new, &line, fact, delay).await,
                None => Ok(()),
            },
            Advance::Stale => Ok(()),
        },
        News::Pool(owner, entry) => {
            let state = rules::pool_state(&entry);
            let line = match store::advance(tx.conn(), entry.id.0, &state, entry.version).await? {
                Advance::From(previous) => rules::pool_line(owner, &entry, previous.as_deref()),
                Advance::Stale => None,
            };
            match line {
                Some(line) => add(tx, new, &line, fact, delay).await,
                None => Ok(()),
            }
        }
        News::Reply {
            ticket,
            number,
            by,
            mailed,
        } => {
            let delay = delay.filter(|_| !mailed);
            said(tx, new, fact, (ticket, number, by), TicketSide::Customer, delay).await
        }
        News::Said {
            ticket,
            number,
            by,
            at,
        } => match support::service::brief(tx, ticket).await? {
            Some(brief) if brief.holder.is_none() && brief.read_by_staff < number => {
                untaken::stir(tx, brief.owner, at).await
            }
            _ => said(tx, new, fact, (ticket, number, by), TicketSide::Staff, delay).await,
        },
        News::Closed(view) => match support::service::brief(tx, view.id).await? {
            Some(brief) if brief.closed_by != Some(brief.owner) => {
                add(tx, new, &rules::about_ticket(&view, "ticket_closed"), fact, delay).await
            }
            _ => Ok(()),
        },
        News::Line(line) => add(tx, new, &line, fact, delay).await,
        News::Seen(ticket, side) => {
            if let Some(brief) = support::service::brief(tx, ticket).await?
                && let Some((who, _)) = reader(&brief, side)
            {
                let now = tx.now();
                store::seen(tx.conn(), who, ticket.0, now).await?;
            }
            Ok(())
        }
    }
}

/// Who reads a ticket for a side, and how far that side has read: its owner, or who has taken it.
fn reader(brief: &Brief, side: TicketSide) -> Option<(UserId, i64)> {
    match side {
        TicketSide::Customer => Some((brief.owner, brief.read_by_customer)),
        TicketSide::Staff => Some((brief.holder?, brief.read_by_staff)),
    }
}

/// Something was said in a ticket, to a side of it. What its reader has seen in the open chat is no news; several unread ones of a ticket are
/// one line.
async fn said(
    tx: &mut Tx,
    new: &mut New,
    fact: &Numbered,
    (ticket, number, by): (TicketId, i64, String),
    to: TicketSide,
    delay: Option<Duration>,
) -> Result<(), Error> {
    let Some(brief) = support::service::brief(tx, ticket).await? else {
        return Ok(());
    };
    let Some((owner, read)) = reader(&brief, to) else {
        return Ok(());
    };
    if read >= number {
        return Ok(());
    }
    let line = rules::said(owner, ticket, brief.number, &by, to);
    match store::merge(tx.conn(), &line, fact, fact.at).await? {
        Some(stored) => told(tx, new, &line, stored, delay).await,
        None => add(tx, new, &line, fact, delay).await,
    }
}

async fn add(
    tx: &mut Tx,
    new: &mut New,
    line: &Line,
    fact: &Numbered,
    delay: Option<Duration>,
) -> Result<(), Error> {
    match store::insert(tx.conn(), line, fact, fact.at).await? {
        Some(stored) => told(tx, new, line, stored, delay).await,
        None => Ok(()),
    }
}

/// A line stands: its reader's screens show it, their devices are told at the change's end, and who is away is mailed after the delay that there is
/// something; not where it was mailed itself.
async fn told(
    tx: &mut Tx,
    new: &mut New,
    line: &Line,
    stored: Stored,
    delay: Option<Duration>,
) -> Result<(), Error> {
    new.line(stored.view.id, line.owner, line.code);
    if let Some(delay) = delay {
        away::stir(tx, line, stored.view.at, delay).await?;
    }
    emit(tx, line, stored);
    Ok(())
}

fn emit(tx: &mut Tx, line: &Line, stored: Stored) {
    let Stored { view, quiet } = stored;
    let NotificationView {
        id,
        code,
        params,
        amount,
        at,
        ..
    } = view;
    tx.emit(
        StreamId::User(line.owner),
        LiveEvent::Notification {
            id,
            code,
            params,
            amount,
            at,
            quiet: quiet || rules::is_never_toasted(line.code),
        },
    );
}
