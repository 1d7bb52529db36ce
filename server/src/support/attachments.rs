//! Attachments: one a message, given by its author, shown to those who may see the ticket.

use super::{
    model::Written,
    replies::own_message,
    service::{reach, scope_of, tell_lists},
    store,
};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        files::{self, FileRow, MaySee, Received, Viewer},
    },
    identity::caller::Caller,
};
use async_trait::async_trait;
use protocol::{
    ErrorCode, LiveEvent, Permission, StreamId,
    ids::{MessageId, TicketId},
    views::{AttachmentView, MessageView},
};

/// Whether the caller may attach to this message now: asked before the bytes are taken in.
///
/// # Errors
/// `ticket.unknown`, `request.not_found`, `auth.forbidden`, `message.too_old`, `request.conflict` when it has an attachment.
pub async fn may_attach(
    context: &Context,
    caller: &Caller,
    ticket: TicketId,
    message: Option<MessageId>,
) -> Result<MessageId, Error> {
    let pool = context.db.pool();
    let unknown = || Error::code(ErrorCode::TicketUnknown);
    let message = match message {
        Some(message) => message,
        None => store::message(pool, ticket, 1).await?.ok_or_else(unknown)?.id,
    };
    let mut tx = context.db.begin().await?;
    let own = own_message(&mut tx, caller, message).await;
    tx.rollback().await?;
    let refusal = match own {
        Ok(view) if view.ticket != ticket => Error::code(ErrorCode::RequestNotFound),
        Ok(view) if view.attachment.is_some() => Error::code(ErrorCode::RequestConflict),
        Ok(_) => return Ok(message),
        Err(refusal) => refusal,
    };
    // Of a ticket that is nothing to the caller no message says anything.
    store::ticket(pool, reach(caller), ticket)
        .await?
        .ok_or_else(unknown)?;
    Err(refusal)
}

/// Hangs a received file on one's own message of the last 15 minutes.
///
/// # Errors
/// As [`may_attach`]; nothing has changed then.
pub async fn attach(
    context: &Context,
    caller: &Caller,
    message: MessageId,
    received: Received,
) -> Result<Written, Error> {
    let mut tx = context.db.begin().await?;
    let view = own_message(&mut tx, caller, message).await?;
    if view.attachment.is_some() {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    let row = files::persist(&mut tx, context, caller.user, received).await?;
    let file = AttachmentView {
        file: row.id,
        name: row.name,
        mime: row.mime,
        bytes: row.bytes,
    };
    if !store::attach(tx.conn(), (view.ticket, view.number), &file).await? {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    let ticket = store::after_change(tx.conn(), reach(caller), view.ticket).await?;
    let message = MessageView {
        attachment: Some(file),
        ..view
    };
    tx.emit(
        StreamId::Ticket(ticket.id),
        LiveEvent::TicketMessageChanged {
            message: Box::new(message.clone()),
        },
    );
    tell_lists(&mut tx, &ticket);
    tx.commit().await?;
    Ok(Written { ticket, message })
}

/// An attachment is seen by those who see its ticket.
#[derive(Clone, Copy, Debug, Default)]
pub struct AttachmentViewers;

#[async_trait]
impl MaySee for AttachmentViewers {
    async fn may_see(&self, context: &Context, viewer: &Viewer, file: &FileRow) -> Result<bool, Error> {
        let scope = scope_of(viewer.user, viewer.permissions.holds(Permission::ResponseTicket));
        store::shows_file(context.db.pool(), scope, file.id).await
    }
}
