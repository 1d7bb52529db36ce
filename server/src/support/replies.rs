//! What is said in a ticket: replies of both sides, and their corrections.

use super::{
    desk,
    merging::require_unmerged,
    model::{NewReply, Stored, Written},
    rules,
    service::{bound_unconfirmed, lock, message_at, reach, side_of, tell_lists, tell_status, write},
    store::{self, Locked},
};
use crate::{
    error::Error,
    foundation::{context::Context, transaction::Tx},
    identity::caller::{Caller, Scope},
};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{MessageId, TicketId},
    views::{MessageView, TicketSide, TicketStatus},
};

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

/// A reply of either side; the customer's reply opens a ticket again that was closed up to seven days ago. An answer of staff takes a
/// ticket that nobody has taken.
///
/// # Errors
/// `ticket.unknown`, `ticket.closed`, `ticket.merged`, `message.empty`, `message.too_long`; as [`super::service::open`] for who has not confirmed an address.
pub async fn reply(context: &Context, caller: &Caller, new: NewReply) -> Result<Written, Error> {
    let body = rules::message("text", &new.text)?;
    let scope = reach(caller);
    let mut tx = context.db.begin().await?;
    let locked = lock(&mut tx, scope, new.ticket_id).await?;
    let side = side_of(locked.owner, caller.user);
    let reopened = locked.status == TicketStatus::Closed;
    // What is refused now may have been written before. Otherwise writing finds that out by itself.
    if let Err(refusal) = may_say(&mut tx, caller, new.ticket_id, side, &locked).await {
        return repeated(&mut tx, caller, scope, &new).await?.ok_or(refusal);
    }
    let Some(written) = write(&mut tx, caller, new.ticket_id, side, &body, new.client_id, None).await? else {
        return repeated(&mut tx, caller, scope, &new)
            .await?
            .ok_or_else(|| Error::code(ErrorCode::RequestConflict));
    };
    let Stored {
        written: Written { ticket, message },
        desk: stands,
    } = written;
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
    if side == TicketSide::Staff {
        desk::answered(&mut tx, caller, &locked, &ticket, stands).await?;
    }
    tx.commit().await?;
    Ok(Written { ticket, message })
}

/// Whether something new may be said in a ticket, by this person, as it stands.
async fn may_say(
    tx: &mut Tx,
    caller: &Caller,
    ticket: TicketId,
    side: TicketSide,
    locked: &Locked,
) -> Result<(), Error> {
    require_unmerged(locked)?;
    let closed = locked.status == TicketStatus::Closed;
    bound_unconfirmed(tx, caller, Some(ticket), closed).await?;
    let now = tx.now();
    let in_time = locked.closed_at.is_some_and(|at| rules::reopens(at, now));
    if closed && (side == TicketSide::Staff || !in_time) {
        return Err(Error::code(ErrorCode::TicketClosed));
    }
    Ok(())
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
    let old = own_message(&mut tx, caller, message).await?;
    if old.text == body {
        return Ok(old);
    }
    let now = tx.now();
    let (ticket, place) = (old.ticket, (old.ticket, old.number));
    let newest = store::edit(tx.conn(), place, &body, &rules::preview(&body), now).await?;
    let message = MessageView {
        text: body,
        edited: true,
        ..old
    };
    tx.emit(
        StreamId::Ticket(ticket),
        LiveEvent::TicketMessageChanged {
            message: Box::new(message.clone()),
        },
    );
    if newest {
        let ticket = store::after_change(tx.conn(), reach(caller), ticket).await?;
        tell_lists(&mut tx, &ticket);
    }
    tx.commit().await?;
    Ok(message)
}

/// One's own message of the last 15 minutes, locked with its ticket.
pub(super) async fn own_message(
    tx: &mut Tx,
    caller: &Caller,
    message: MessageId,
) -> Result<MessageView, Error> {
    let (view, merged) = store::lock_message(tx.conn(), reach(caller), message)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    if merged {
        return Err(Error::code(ErrorCode::TicketMerged));
    }
    // What was mailed cannot be taken back.
    if view.author != caller.user || view.mailed_to.is_some() {
        return Err(Error::code(ErrorCode::Forbidden));
    }
    if view.deleted || !rules::editable(view.created_at, tx.now()) {
        return Err(Error::code(ErrorCode::MessageTooOld));
    }
    Ok(view)
}
