//! Mails about a ticket, from staff to its owner.

use super::{
    merging::require_unmerged,
    model::{Stored, TicketMail, Written},
    rules,
    service::{lock, message_at, tell_lists, write},
    store,
};
use crate::{
    error::Error,
    foundation::{
        audit,
        context::Context,
        mail::{self, Mail},
        transaction::Tx,
    },
    identity::{
        self,
        caller::{Caller, Scope},
        service::Caused,
    },
};
use protocol::{ErrorCode, LiveEvent, Permission, StreamId, views::TicketSide};
use serde_json::json;

/// The mail that went under this client id before, if one did. Asked under the ticket's lock.
async fn sent_before(
    tx: &mut Tx,
    caller: &Caller,
    scope: Scope,
    new: &TicketMail,
) -> Result<Option<Written>, Error> {
    let Some((ticket, number)) = store::sent(tx.conn(), caller.user, new.client_id).await? else {
        return Ok(None);
    };
    let message = message_at(tx, ticket, number).await?;
    if ticket != new.ticket_id || message.mailed_to.is_none() {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    let ticket = store::after_change(tx.conn(), scope, ticket).await?;
    Ok(Some(Written { ticket, message }))
}

/// Sends a text about a ticket to its owner by mail, once per client id, and keeps it among the ticket's messages, marked as a
/// mail: both sides see what was sent, by whom, when and where to. The log keeps that it was sent, not what it said.
///
/// # Errors
/// `ticket.unknown`, `ticket.merged`, `message.empty`, `message.too_long`; `request.conflict` for a client id of something else; `request.rate_limited` above
/// what one of the staff may send in an hour.
pub async fn send(context: &Context, caller: &Caller, new: TicketMail) -> Result<Written, Error> {
    let scope = caller.staff(Permission::ResponseTicket)?;
    let body = rules::message("text", &new.text)?;
    let conflict = || Error::code(ErrorCode::RequestConflict);
    let mut tx = context.db.begin().await?;
    let locked = lock(&mut tx, scope, new.ticket_id).await?;
    // What is refused now may have been sent before. Otherwise writing finds that out by itself: a second click waits at the lock.
    if let Err(refusal) = require_unmerged(&locked) {
        return sent_before(&mut tx, caller, scope, &new).await?.ok_or(refusal);
    }
    let to = identity::service::recipient(&mut tx, locked.owner).await?;
    let masked = rules::masked_address(&to.email);
    let sent = write(
        &mut tx,
        caller,
        new.ticket_id,
        TicketSide::Staff,
        &body,
        Some(new.client_id),
        Some(&masked),
    );
    let Some(Stored {
        written: Written { ticket, message },
        ..
    }) = sent.await?
    else {
        return sent_before(&mut tx, caller, scope, &new)
            .await?
            .ok_or_else(conflict);
    };
    identity::service::staff_writes(&mut tx, caller.user, locked.owner, Caused::Letter).await?;
    let mail = Mail::Ticket {
        number: ticket.number,
        subject: ticket.subject.clone(),
        text: body,
        path: format!("/support/ticket/{}", ticket.id),
    };
    mail::send(context, &mut tx, &to, &mail).await?;
    let details = json!({ "number": ticket.number, "owner": locked.owner, "message": message.id });
    audit::record(
        &mut tx,
        Some(caller.user),
        Some(ticket.id.0),
        audit::Category::Support,
        "ticket.mailed",
        details,
    )
    .await?;
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
