//! Use cases of the inbox: reading facts into lines, showing lines, marking them as read.

use super::{
    rules::{self, Line, News},
    store::{self, Advance, Stored},
};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        http::{ListParams, Meta, Page},
        transaction::Tx,
    },
    identity::caller::Caller,
    support,
};
use protocol::{
    LiveEvent, StreamId,
    ids::{NotificationId, TicketId},
    live_event::Numbered,
    money::Usdt,
    views::NoticeGroup,
};
use serde::Serialize;
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;

/// Facts in one transaction: as many stream heads may be locked at its end.
const STEP: i64 = 100;

/// A line of the notification panel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct NotificationView {
    pub id: NotificationId,
    /// Names the sentence; the values stand in `params`.
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
    let mut tx = context.db.begin().await?;
    let Some(place) = store::take_cursor(tx.conn()).await? else {
        return Ok(0);
    };
    let (facts, next) = store::next_facts(tx.conn(), place, &kinds, STEP).await?;
    for fact in &facts {
        tell(&mut tx, fact).await?;
    }
    store::move_cursor(tx.conn(), next).await?;
    tx.commit().await?;
    Ok(facts.len())
}

async fn tell(tx: &mut Tx, fact: &Numbered) -> Result<(), Error> {
    match rules::news(fact) {
        News::Nothing => Ok(()),
        News::State {
            subject,
            version,
            state,
            line,
        } => match store::advance(tx.conn(), subject, state, version).await? {
            Advance::From(previous) if rules::is_news(previous.as_deref(), state) => match line {
                Some(line) => add(tx, &line, fact).await,
                None => Ok(()),
            },
            Advance::From(_) | Advance::Stale => Ok(()),
        },
        News::Gone {
            subject,
            version,
            gone,
            line,
        } => match store::advance(tx.conn(), subject, &rules::gone_state(gone), version).await? {
            Advance::From(previous) => match rules::gone_since(previous.as_deref(), gone) {
                Some(since) => add(tx, &line.of(since), fact).await,
                None => Ok(()),
            },
            Advance::Stale => Ok(()),
        },
        News::Reply { ticket, number, by } => reply(tx, fact, ticket, number, by).await,
        News::Closed(view) => match support::service::brief(tx, view.id).await? {
            Some(brief) if brief.closed_by != Some(brief.owner) => {
                add(tx, &rules::about_ticket(&view, "ticket_closed"), fact).await
            }
            _ => Ok(()),
        },
        News::Line(line) => add(tx, &line, fact).await,
        News::Seen(ticket) => {
            if let Some(brief) = support::service::brief(tx, ticket).await? {
                let now = tx.now();
                store::seen(tx.conn(), brief.owner, ticket.0, now).await?;
            }
            Ok(())
        }
    }
}

/// A reply that its reader has seen in the open chat is no news; several unread ones of a ticket are one line.
async fn reply(tx: &mut Tx, fact: &Numbered, ticket: TicketId, number: i64, by: String) -> Result<(), Error> {
    let Some(brief) = support::service::brief(tx, ticket).await? else {
        return Ok(());
    };
    if brief.read_by_customer >= number {
        return Ok(());
    }
    let params = json!({ "ticket": ticket, "number": brief.number, "by": by, "count": 1 });
    let line = Line {
        owner: brief.owner,
        code: "ticket_reply",
        params,
        amount: None,
        about: ticket.0,
    };
    match store::merge(tx.conn(), &line, fact, fact.at).await? {
        Some(stored) => {
            emit(tx, &line, stored);
            Ok(())
        }
        None => add(tx, &line, fact).await,
    }
}

async fn add(tx: &mut Tx, line: &Line, fact: &Numbered) -> Result<(), Error> {
    if let Some(stored) = store::insert(tx.conn(), line, fact, fact.at).await? {
        emit(tx, line, stored);
    }
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
            quiet,
        },
    );
}
