//! Use cases of support; the only door for other rooms.

use super::{
    model::{
        Brief, MessagePage, NewReply, NewTicket, OwnSubjects, RecentSubject, TicketDetail, TicketFilter,
        Written,
    },
    rules,
    store::{self, Filter, Locked},
};
use crate::{
    error::{Error, violates},
    foundation::{
        audit,
        context::Context,
        http::{ListParams, Paging},
        outbox, subjects,
        transaction::Tx,
    },
    identity::caller::{Caller, Scope},
};
use protocol::{
    ErrorCode, LiveEvent, Permission, StreamId,
    ids::{MessageId, TicketId, UserId},
    stream_id::Queue,
    views::{MessageView, TicketCategory, TicketSide, TicketStatus, TicketView},
};
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

const MESSAGES: i64 = 50;
const MAX_MESSAGES: i64 = 200;
const RECENT_SUBJECTS: i64 = 8;
/// Of each kind, what a new ticket can be about.
const SUBJECTS_OF_EACH: i64 = 20;

fn unknown() -> Error {
    Error::code(ErrorCode::TicketUnknown)
}

/// What a caller may touch: staff who answer tickets everything, anybody else their own.
pub(super) fn reach(caller: &Caller) -> Scope {
    scope_of(caller.user, caller.permissions.holds(Permission::ResponseTicket))
}

pub(super) const fn scope_of(user: UserId, staff: bool) -> Scope {
    if staff {
        Scope::Staff(user)
    } else {
        Scope::Own(user)
    }
}

/// On their own ticket everybody is a customer, staff too.
fn side_of(owner: UserId, user: UserId) -> TicketSide {
    if owner == user {
        TicketSide::Customer
    } else {
        TicketSide::Staff
    }
}

/// A ticket's row changed: its owner's list and the staff's list hear of it.
pub(super) fn tell_lists(tx: &mut Tx, ticket: &TicketView) {
    tell_list(tx, StreamId::Queue(Queue::Tickets), ticket);
    tell_list(tx, StreamId::User(ticket.user), ticket);
}

fn tell_list(tx: &mut Tx, list: StreamId, ticket: &TicketView) {
    tx.emit(
        list,
        LiveEvent::TicketActivity {
            ticket: Box::new(ticket.clone()),
        },
    );
}

fn tell_status(tx: &mut Tx, ticket: &TicketView) {
    tx.emit(
        StreamId::Ticket(ticket.id),
        LiveEvent::TicketStatusChanged {
            ticket: Box::new(ticket.clone()),
        },
    );
}

pub(super) async fn lock(tx: &mut Tx, scope: Scope, id: TicketId) -> Result<Locked, Error> {
    store::lock(tx.conn(), scope, id).await?.ok_or_else(unknown)
}

pub(super) async fn message_at(tx: &mut Tx, ticket: TicketId, number: i64) -> Result<MessageView, Error> {
    store::message(tx.conn(), ticket, number)
        .await?
        .ok_or_else(|| Error::internal("a written message is gone"))
}

/// The answer that a client id has got before, if any.
async fn earlier(
    context: &Context,
    caller: &Caller,
    client_id: Option<Uuid>,
) -> Result<Option<Written>, Error> {
    let pool = context.db.pool();
    let Some(client_id) = client_id else {
        return Ok(None);
    };
    let Some((ticket, number)) = store::sent(pool, caller.user, client_id).await? else {
        return Ok(None);
    };
    let ticket = store::ticket(pool, reach(caller), ticket)
        .await?
        .ok_or_else(unknown)?;
    let message = store::message(pool, ticket.id, number)
        .await?
        .ok_or_else(|| Error::internal("a stored message is gone"))?;
    Ok(Some(Written { ticket, message }))
}

/// Opens a ticket with its first message.
///
/// # Errors
/// `ticket.category_missing`, `message.empty`, `message.too_long`, `request.invalid` for an unknown category or a thing that
/// is not one's own; `ticket.one_open`, `request.rate_limited` for who has not confirmed an address.
pub async fn open(context: &Context, caller: &Caller, new: NewTicket) -> Result<Written, Error> {
    let category = match new.category.as_deref().filter(|c| !c.is_empty()) {
        None => {
            return Err(Error::code(ErrorCode::TicketCategoryMissing)
                .field("category", ErrorCode::TicketCategoryMissing));
        }
        Some(name) => name.parse::<TicketCategory>().map_err(|()| {
            Error::code(ErrorCode::RequestInvalid).field("category", ErrorCode::TicketCategoryMissing)
        })?,
    };
    let subject = rules::subject(&new.subject)?;
    let body = rules::message("description", &new.description)?;
    if let Some(written) = earlier(context, caller, new.client_id).await? {
        return Ok(written);
    }
    let mut tx = context.db.begin().await?;
    if let Err(refusal) = bound_unconfirmed(&mut tx, caller, None, true).await {
        // The same ticket may have come twice at once: then it is the one that stands.
        tx.rollback().await?;
        return earlier(context, caller, new.client_id).await?.ok_or(refusal);
    }
    if let Some(about) = &new.about {
        let wrong = || Error::code(ErrorCode::RequestInvalid).field("about", ErrorCode::RequestInvalid);
        let kind = subjects::Kind::parse(&about.kind).ok_or_else(wrong)?;
        if !subjects::belongs(&mut tx, kind, about.id, caller.user).await? {
            return Err(wrong());
        }
    }
    let id = TicketId::fresh();
    let at = tx.now();
    let about = new.about.as_ref().map(|a| (a.kind.as_str(), a.id));
    store::insert(
        tx.conn(),
        &store::NewRow {
            id,
            owner: caller.user,
            subject: &subject,
            category,
            about,
            at,
        },
    )
    .await?;
    let written = write(
        &mut tx,
        caller,
        id,
        TicketSide::Customer,
        &body,
        new.client_id,
        None,
    );
    let Written { ticket, message } = match written.await {
        Ok(Some(written)) => written,
        Err(error) if error.error_code() != ErrorCode::RequestConflict => return Err(error),
        Ok(None) | Err(_) => {
            // The same ticket came twice at once; the other one has been stored.
            tx.rollback().await?;
            return earlier(context, caller, new.client_id)
                .await?
                .ok_or_else(|| Error::code(ErrorCode::RequestConflict));
        }
    };
    for list in [StreamId::Queue(Queue::Tickets), StreamId::User(caller.user)] {
        tx.emit(
            list,
            LiveEvent::TicketOpened {
                ticket: Box::new(ticket.clone()),
            },
        );
    }
    tx.emit(
        StreamId::Ticket(id),
        LiveEvent::TicketMessage {
            message: Box::new(message.clone()),
        },
    );
    tx.commit().await?;
    Ok(Written { ticket, message })
}

/// Who has not confirmed an address writes little: anybody can register as anybody.
async fn bound_unconfirmed(
    tx: &mut Tx,
    caller: &Caller,
    ticket: Option<TicketId>,
    opens: bool,
) -> Result<(), Error> {
    if caller.email_confirmed {
        return Ok(());
    }
    let now = tx.now();
    let most = rules::UNCONFIRMED_MESSAGES;
    let written = store::written(tx.conn(), caller.user, ticket, now - rules::SPAN, most).await?;
    rules::unconfirmed_may_write(written, opens, now)
}

/// Numbers and stores a message; `None` when its author has sent it before. A mail ends nobody's waiting.
///
/// # Errors
/// `request.conflict` when its client id comes to another ticket at this moment; the change is lost then.
pub(super) async fn write(
    tx: &mut Tx,
    caller: &Caller,
    ticket: TicketId,
    side: TicketSide,
    body: &str,
    client_id: Option<Uuid>,
    mailed_to: Option<&str>,
) -> Result<Option<Written>, Error> {
    let new = store::NewMessage {
        id: MessageId::fresh(),
        ticket,
        author: caller.user,
        side,
        body,
        preview: &rules::preview(body),
        answers: side == TicketSide::Staff && mailed_to.is_none(),
        client_id,
        mailed_to,
        at: tx.now(),
    };
    store::write(tx.conn(), &new).await.map_err(|error| {
        if violates(&error, "message_client_id") {
            Error::code(ErrorCode::RequestConflict)
        } else {
            error.into()
        }
    })
}

/// What was written before under this client id, if anything. Asked under the ticket's lock: a message that comes twice at once waits
/// there and then finds the first.
async fn repeated(
    tx: &mut Tx,
    caller: &Caller,
    scope: Scope,
    new: &NewReply,
) -> Result<Option<Written>, Error> {
    let Some(client_id) = new.client_id else {
        return Ok(None);
    };
    let Some((ticket, number)) = store::sent(tx.conn(), caller.user, client_id).await? else {
        return Ok(None);
    };
    if ticket != new.ticket_id {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    let ticket = store::after_change(tx.conn(), scope, ticket).await?;
    let message = message_at(tx, ticket.id, number).await?;
    Ok(Some(Written { ticket, message }))
}

/// A reply of either side; the customer's reply opens a ticket again that was closed up to seven days ago.
///
/// # Errors
/// `ticket.unknown`, `ticket.closed`, `message.empty`, `message.too_long`; as [`open`] for who has not confirmed an address.
pub async fn reply(context: &Context, caller: &Caller, new: NewReply) -> Result<Written, Error> {
    let body = rules::message("text", &new.text)?;
    let scope = reach(caller);
    let mut tx = context.db.begin().await?;
    let locked = lock(&mut tx, scope, new.ticket_id).await?;
    let side = side_of(locked.owner, caller.user);
    let now = tx.now();
    let reopened = locked.status == TicketStatus::Closed;
    // What would be refused now may have been written before. Otherwise writing finds that out by itself.
    if (reopened || !caller.email_confirmed)
        && let Some(written) = repeated(&mut tx, caller, scope, &new).await?
    {
        return Ok(written);
    }
    bound_unconfirmed(&mut tx, caller, Some(new.ticket_id), reopened).await?;
    if reopened {
        let in_time = locked.closed_at.is_some_and(|at| rules::reopens(at, now));
        if side == TicketSide::Staff || !in_time {
            return Err(Error::code(ErrorCode::TicketClosed));
        }
        store::reopen(tx.conn(), new.ticket_id).await?;
    }
    let Some(written) = write(&mut tx, caller, new.ticket_id, side, &body, new.client_id, None).await? else {
        return repeated(&mut tx, caller, scope, &new)
            .await?
            .ok_or_else(|| Error::code(ErrorCode::RequestConflict));
    };
    let Written { ticket, message } = written;
    if reopened {
        tell_status(&mut tx, &ticket);
    }
    tx.emit(
        StreamId::Ticket(ticket.id),
        LiveEvent::TicketMessage {
            message: Box::new(message.clone()),
        },
    );
    tell_lists(&mut tx, &ticket);
    tx.commit().await?;
    Ok(Written { ticket, message })
}

/// Corrects one's own message within 15 minutes; it is marked as edited.
///
/// # Errors
/// `request.not_found`, `auth.forbidden` for somebody else's message, `message.too_old`, `message.empty`, `message.too_long`.
pub async fn edit(
    context: &Context,
    caller: &Caller,
    message: MessageId,
    new_text: &str,
) -> Result<MessageView, Error> {
    let body = rules::message("text", new_text)?;
    let mut tx = context.db.begin().await?;
    let (ticket, number, locked, old) = own_message(&mut tx, caller, message).await?;
    if old.text == body {
        return Ok(old);
    }
    let now = tx.now();
    store::edit(tx.conn(), ticket, number, &body, now).await?;
    let last = number == locked.last_number;
    if last {
        store::touch(tx.conn(), ticket, Some(&rules::preview(&body))).await?;
    }
    let message = message_at(&mut tx, ticket, number).await?;
    tx.emit(
        StreamId::Ticket(ticket),
        LiveEvent::TicketMessageChanged {
            message: Box::new(message.clone()),
        },
    );
    if last {
        let ticket = store::after_change(tx.conn(), reach(caller), ticket).await?;
        tell_lists(&mut tx, &ticket);
    }
    tx.commit().await?;
    Ok(message)
}

/// One's own message of the last 15 minutes, its ticket locked.
pub(super) async fn own_message(
    tx: &mut Tx,
    caller: &Caller,
    message: MessageId,
) -> Result<(TicketId, i64, Locked, MessageView), Error> {
    let missing = || Error::code(ErrorCode::RequestNotFound);
    let scope = reach(caller);
    let (ticket, number) = store::place(tx.conn(), scope, message)
        .await?
        .ok_or_else(missing)?;
    let locked = store::lock(tx.conn(), scope, ticket).await?.ok_or_else(missing)?;
    let view = message_at(tx, ticket, number).await?;
    // What was mailed cannot be taken back.
    if view.author != caller.user || view.mailed_to.is_some() {
        return Err(Error::code(ErrorCode::Forbidden));
    }
    if view.deleted || !rules::editable(view.created_at, tx.now()) {
        return Err(Error::code(ErrorCode::MessageTooOld));
    }
    Ok((ticket, number, locked, view))
}

/// Closes a ticket, by its customer or by staff; a closed one stays as it is.
///
/// # Errors
/// `ticket.unknown`.
pub async fn close(context: &Context, caller: &Caller, id: TicketId) -> Result<TicketView, Error> {
    let scope = reach(caller);
    let mut tx = context.db.begin().await?;
    let locked = lock(&mut tx, scope, id).await?;
    if locked.status == TicketStatus::Closed {
        return store::after_change(tx.conn(), scope, id).await;
    }
    let now = tx.now();
    store::close(tx.conn(), id, caller.user, now).await?;
    let ticket = store::after_change(tx.conn(), scope, id).await?;
    tell_status(&mut tx, &ticket);
    tell_lists(&mut tx, &ticket);
    tx.commit().await?;
    Ok(ticket)
}

/// Takes a ticket out of everybody's sight; the row stays, with who did it in the audit log.
///
/// # Errors
/// `ticket.unknown`.
pub async fn delete(context: &Context, caller: &Caller, id: TicketId) -> Result<(), Error> {
    let scope = caller.staff(Queue::Tickets.decides())?;
    let mut tx = context.db.begin().await?;
    let locked = lock(&mut tx, scope, id).await?;
    let now = tx.now();
    store::delete(tx.conn(), id, now).await?;
    let ticket = store::after_change(tx.conn(), scope, id).await?;
    let details = json!({ "number": ticket.number, "owner": locked.owner, "messages": locked.last_number });
    audit::record(
        &mut tx,
        Some(caller.user),
        Some(id.0),
        audit::Category::Support,
        "ticket.deleted",
        details,
    )
    .await?;
    tell_status(&mut tx, &ticket);
    tell_lists(&mut tx, &ticket);
    tx.commit().await?;
    Ok(())
}

/// Everything up to a message was seen by one side. Called by the socket's `read`.
///
/// # Errors
/// `ticket.unknown` when the user may not see the ticket.
pub async fn mark_read(
    context: &Context,
    user: UserId,
    staff: bool,
    id: TicketId,
    up_to: i64,
) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let scope = scope_of(user, staff);
    let locked = lock(&mut tx, scope, id).await?;
    let side = side_of(locked.owner, user);
    let up_to = up_to.min(locked.last_number);
    let seen = match side {
        TicketSide::Customer => locked.read_by_customer,
        TicketSide::Staff => locked.read_by_staff,
    };
    if up_to <= seen {
        return Ok(());
    }
    store::read(tx.conn(), id, side, up_to).await?;
    let ticket = store::after_change(tx.conn(), scope, id).await?;
    let message = store::message(tx.conn(), id, up_to).await?.map(|m| m.id);
    tx.emit(
        StreamId::Ticket(id),
        LiveEvent::TicketRead {
            ticket: id,
            side,
            up_to,
            message,
        },
    );
    // What is unread changes on the reader's own list only.
    let list = match side {
        TicketSide::Customer => StreamId::User(locked.owner),
        TicketSide::Staff => StreamId::Queue(Queue::Tickets),
    };
    tell_list(&mut tx, list, &ticket);
    tx.commit().await?;
    Ok(())
}

/// Whether a caller may follow a ticket's stream.
///
/// # Errors
/// `service.unavailable` when the database cannot be asked.
pub async fn may_see(context: &Context, caller: &Caller, id: TicketId) -> Result<bool, Error> {
    Ok(store::ticket(context.db.pool(), reach(caller), id)
        .await?
        .is_some())
}

/// A ticket with its newest messages, or a page of older or newer ones.
///
/// # Errors
/// `ticket.unknown`, `request.invalid` for a page out of bounds.
pub async fn detail(
    context: &Context,
    scope: Scope,
    id: TicketId,
    page: &MessagePage,
) -> Result<TicketDetail, Error> {
    let limit = page.limit.unwrap_or(MESSAGES);
    let bounds = [page.before, page.after]
        .into_iter()
        .flatten()
        .all(|n| (0..i64::from(i32::MAX)).contains(&n));
    if !(1..=MAX_MESSAGES).contains(&limit) || !bounds || (page.before.is_some() && page.after.is_some()) {
        return Err(Error::code(ErrorCode::RequestInvalid).field("limit", ErrorCode::RequestInvalid));
    }
    let pool = context.db.pool();
    // The stream's place first: what happens while we read is told again by the stream, never left out.
    let (epoch, seq) = outbox::head(pool, StreamId::Ticket(id)).await?;
    let ticket = store::ticket(pool, scope, id).await?.ok_or_else(unknown)?;
    let (after, before) = match (page.before, page.after) {
        (_, Some(after)) => (after, after + limit + 1),
        (before, None) => {
            let before = before
                .unwrap_or(ticket.last_number + 1)
                .min(ticket.last_number + 1);
            (before - limit - 1, before)
        }
    };
    let messages = store::messages(pool, id, after, before).await?;
    let first = match messages.first().filter(|m| m.number == 1) {
        Some(first) => Some(first.clone()),
        None => store::message(pool, id, 1).await?,
    };
    let customer = match scope {
        Scope::Own(_) => None,
        Scope::Staff(_) => customer(pool, ticket.user).await?,
    };
    let about = match store::about(pool, id).await? {
        None => None,
        Some((kind, id)) => subjects::find(pool, &kind, id).await?.map(recent),
    };
    Ok(TicketDetail {
        description: first.as_ref().map(|m| m.text.clone()).unwrap_or_default(),
        image: first.and_then(|m| m.attachment).map(|a| a.file),
        about,
        has_older: messages.first().is_some_and(|m| m.number > 1),
        ticket,
        messages,
        epoch,
        seq,
        customer,
    })
}

async fn customer(pool: &PgPool, owner: UserId) -> Result<Option<super::model::CustomerPanel>, Error> {
    let Some(mut panel) = store::customer(pool, owner).await? else {
        return Ok(None);
    };
    panel.recent = subjects::recent(pool, owner, RECENT_SUBJECTS)
        .await?
        .into_iter()
        .map(recent)
        .collect();
    Ok(Some(panel))
}

fn recent(subject: subjects::Subject) -> RecentSubject {
    let (amount, currency) = subject.worth.shown();
    RecentSubject {
        kind: subject.kind,
        id: subject.id,
        amount,
        currency,
        status: subject.status,
        at: subject.at,
    }
}

/// What a new ticket of this person can be about.
///
/// # Errors
/// Whatever the database refuses.
pub async fn own_subjects(context: &Context, owner: UserId) -> Result<OwnSubjects, Error> {
    let all = subjects::recent_of_each(context.db.pool(), owner, SUBJECTS_OF_EACH).await?;
    Ok(OwnSubjects {
        data: all.into_iter().map(recent).collect(),
    })
}

/// Which tickets a list shows, and in which order.
///
/// # Errors
/// `request.invalid` for filters outside the closed sets.
pub fn asked(
    params: &ListParams,
    more: &TicketFilter,
    sorts: &[&'static str],
) -> Result<(Filter, &'static str), Error> {
    fn word<T: std::str::FromStr>(field: &'static str, text: Option<&str>) -> Result<Option<T>, Error> {
        let wrong = |_| Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid);
        text.filter(|t| !t.is_empty())
            .map(str::parse)
            .transpose()
            .map_err(wrong)
    }
    let filter = Filter {
        category: word("category", params.category.as_deref())?,
        status: word("status", params.status.as_deref())?,
        waiting: more.waiting,
        owner: more.user_id,
        search: params.searched(),
    };
    Ok((filter, params.sort_key(sorts)?))
}

/// A list of tickets: one's own, or all for staff; and how many there are.
///
/// # Errors
/// Whatever the database refuses.
pub async fn list(
    context: &Context,
    scope: Scope,
    filter: &Filter,
    sort: &'static str,
    paging: &Paging,
) -> Result<(Vec<TicketView>, i64), Error> {
    store::list(context.db.pool(), scope, filter, sort, paging).await
}

/// What other rooms may know of a ticket; none when it is unknown or deleted.
///
/// # Errors
/// Whatever the database refuses.
pub async fn brief(tx: &mut Tx, id: TicketId) -> Result<Option<Brief>, Error> {
    store::brief(tx.conn(), id).await
}
