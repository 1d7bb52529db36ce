//! Use cases of support, of tickets as a whole; the only door for other rooms. What is said in them: `replies`; what is read: `reading`; who has
//! taken them: `desk`; what staff write beside them: `notes`, `canned`.

use super::{
    model::{Brief, NewTicket, Stored, Written},
    rules,
    store::{self, Locked},
};
use crate::{
    error::{Error, violates},
    foundation::{audit, context::Context, subjects, transaction::Tx},
    identity::caller::{Caller, Scope},
};
use protocol::{
    ErrorCode, LiveEvent, Permission, StreamId,
    ids::{MessageId, TicketId, UserId},
    stream_id::Queue,
    views::{MessageView, TicketCategory, TicketSide, TicketStatus, TicketView},
};
use serde_json::json;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

/// How many tickets wait for an answer, and since when the oldest.
///
/// # Errors
/// Whatever the database refuses.
pub async fn waiting(db: impl PgExecutor<'_>) -> Result<(i64, Option<OffsetDateTime>), Error> {
    store::waiting(db).await
}

/// How many tickets wait for an answer that nobody has taken, and to which something came since then; none that is this person's own.
///
/// # Errors
/// Whatever the database refuses.
pub async fn untaken(tx: &mut Tx, but: UserId, since: OffsetDateTime) -> Result<i64, Error> {
    store::untaken(tx.conn(), but, since).await
}

pub(super) fn unknown() -> Error {
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
pub(super) fn side_of(owner: UserId, user: UserId) -> TicketSide {
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

pub(super) fn tell_status(tx: &mut Tx, ticket: &TicketView) {
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
        if !subjects::watch(&mut tx, kind, about.id, caller.user).await? {
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
        Ok(Some(stored)) => stored.written,
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
pub(super) async fn bound_unconfirmed(
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

/// Numbers and stores a message; `None` when its author has sent it before. A mail ends nobody's waiting; an answer of staff takes a
/// ticket that nobody has taken.
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
) -> Result<Option<Stored>, Error> {
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

/// Takes a ticket out of everybody's sight; the row stays, with who did it in the audit log. What was merged with it points at it no more.
///
/// # Errors
/// `ticket.unknown`.
pub async fn delete(context: &Context, caller: &Caller, id: TicketId) -> Result<(), Error> {
    let scope = caller.staff(Queue::Tickets.decides())?;
    let mut tx = context.db.begin().await?;
    store::hold_with_kin(tx.conn(), id).await?;
    let locked = lock(&mut tx, scope, id).await?;
    let now = tx.now();
    store::delete(tx.conn(), id, now).await?;
    let parted = store::part(tx.conn(), id).await?;
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
    for other in parted {
        // As a row that changed: nobody has closed it anew.
        let other = store::after_change(tx.conn(), scope, other).await?;
        tell_lists(&mut tx, &other);
    }
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

/// What other rooms may know of a ticket; none when it is unknown or deleted.
///
/// # Errors
/// Whatever the database refuses.
pub async fn brief(tx: &mut Tx, id: TicketId) -> Result<Option<Brief>, Error> {
    store::brief(tx.conn(), id).await
}
