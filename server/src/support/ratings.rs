//! How its customer found a ticket solved: asked once, when it is closed (docs/rules/support.md#satisfaction).

use super::{
    desk,
    model::NewRating,
    rules,
    service::{lock, tell_lists},
    store,
};
use crate::{
    error::Error,
    foundation::{context::Context, text},
    identity::caller::Caller,
};
use protocol::{
    ErrorCode,
    ids::TicketId,
    views::{TicketStatus, TicketView},
};

/// What a customer said, as it is kept.
struct Said {
    score: Option<i16>,
    comment: Option<String>,
}

fn said(new: &NewRating) -> Result<Said, Error> {
    let refused = |field| Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid);
    if new.score.is_some_and(|score| !rules::SCORES.contains(&score)) {
        return Err(refused("score"));
    }
    let comment = text::paragraph(new.comment.as_deref().unwrap_or_default());
    let comment = text::at_most(comment, "comment", rules::MAX_COMMENT)?;
    let comment = (!comment.is_empty()).then_some(comment);
    // Who does not want to say says nothing.
    if new.score.is_none() && comment.is_some() {
        return Err(refused("score"));
    }
    Ok(Said {
        score: new.score,
        comment,
    })
}

/// Keeps what the customer says of their own closed ticket, or that they do not want to say: once, for good. The same that comes again is
/// answered as the first. Staff's queue is told the score, not the words.
///
/// # Errors
/// `ticket.unknown`; `ticket.rated` when something else was said before; `ticket.not_ratable` while it is open, where staff never answered, of a double, and
/// [`rules::REOPEN_WINDOW`] after its end; `request.invalid`, `message.too_long`.
pub async fn rate(
    context: &Context,
    caller: &Caller,
    id: TicketId,
    new: &NewRating,
) -> Result<TicketView, Error> {
    let Said { score, comment } = said(new)?;
    let scope = caller.own();
    let mut tx = context.db.begin().await?;
    let locked = lock(&mut tx, scope, id).await?;
    if let Some(before) = store::said(tx.conn(), id).await? {
        return if before == (score, comment) {
            store::after_change(tx.conn(), scope, id).await
        } else {
            Err(Error::code(ErrorCode::TicketRated))
        };
    }
    let now = tx.now();
    let in_time = locked.closed_at.is_some_and(|at| rules::reopens(at, now));
    let solved = locked.first_answered_at.is_some() && locked.merged_into.is_none();
    if locked.status != TicketStatus::Closed || !solved || !in_time {
        return Err(Error::code(ErrorCode::TicketNotRatable));
    }
    store::rate(tx.conn(), id, score, comment.as_deref(), now).await?;
    store::touch(tx.conn(), id).await?;
    let ticket = store::after_change(tx.conn(), scope, id).await?;
    tell_lists(&mut tx, &ticket);
    if score.is_some() {
        let stands = desk::desk_of(&mut tx, id).await?;
        desk::tell(&mut tx, stands, None);
    }
    tx.commit().await?;
    Ok(ticket)
}
