//! Internal notes on a ticket: of staff for staff, added and never changed. No call, stream, mail, file or notice of the customer has them
//! (docs/rules/support.md#notes).

use super::{
    desk,
    model::{NewTicketNote, TicketNote, TicketNotes},
    rules,
    service::{lock, unknown},
    store,
};
use crate::{
    error::{Error, violates},
    foundation::{audit, context::Context},
    identity::caller::{Caller, Scope},
};
use protocol::{
    ErrorCode,
    ids::{TicketId, TicketNoteId},
};
use serde_json::json;

/// Adds a note, once per client id. Staff's queue is told how many there are, not what they say. Also on a closed ticket.
///
/// # Errors
/// `ticket.unknown`, `ticket.own`, `message.empty`, `message.too_long`; `ticket.notes_full` at [`rules::MAX_NOTES`]; `request.conflict` for a
/// client id of another ticket.
pub async fn add(
    context: &Context,
    caller: &Caller,
    scope: Scope,
    id: TicketId,
    new: &NewTicketNote,
) -> Result<TicketNote, Error> {
    let body = rules::message("text", &new.text)?;
    let conflict = || Error::code(ErrorCode::RequestConflict);
    let mut tx = context.db.begin().await?;
    let locked = lock(&mut tx, scope, id).await?;
    desk::require_other(&locked, caller)?;
    // Under the lock: what comes twice waits here and then finds the first.
    if let Some((ticket, note)) = store::noted(tx.conn(), caller.user, new.client_id).await? {
        return if ticket == id { Ok(note) } else { Err(conflict()) };
    }
    if locked.notes >= rules::MAX_NOTES {
        return Err(Error::code(ErrorCode::TicketNotesFull).with("maximum", rules::MAX_NOTES));
    }
    let row = store::NewNote {
        id: TicketNoteId::fresh(),
        ticket: id,
        author: caller.user,
        body: &body,
        client_id: new.client_id,
        at: tx.now(),
    };
    let note = store::add_note(tx.conn(), &row).await.map_err(|error| {
        if violates(&error, "note_client_id") {
            conflict()
        } else {
            error.into()
        }
    })?;
    let stands = desk::desk_of(&mut tx, id).await?;
    let details = json!({ "owner": locked.owner, "note": note.id });
    let subject = Some(id.0);
    let category = audit::Category::Support;
    audit::record(
        &mut tx,
        Some(caller.user),
        subject,
        category,
        "ticket.noted",
        details,
    )
    .await?;
    desk::tell(&mut tx, stands, None);
    tx.commit().await?;
    Ok(note)
}

/// A ticket's notes, all of them.
///
/// # Errors
/// `ticket.unknown`, `ticket.own`.
pub async fn list(
    context: &Context,
    caller: &Caller,
    scope: Scope,
    id: TicketId,
) -> Result<TicketNotes, Error> {
    let pool = context.db.pool();
    let ticket = store::ticket(pool, scope, id).await?.ok_or_else(unknown)?;
    if ticket.user == caller.user {
        return Err(Error::code(ErrorCode::TicketOwn));
    }
    Ok(TicketNotes {
        data: store::notes(pool, id).await?,
    })
}
