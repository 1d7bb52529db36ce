//! Canned replies: texts that staff keep ready in every language, and insert by hand where they answer (docs/rules/support.md#canned-replies).

use super::{
    model::{
        CannedOrder, CannedReplies, CannedReply, CannedRetirement, CannedTexts, EditedCannedReply,
        NewCannedReply,
    },
    rules, store,
};
use crate::{
    error::{Error, violates},
    foundation::{audit, context::Context, transaction::Tx},
    identity::caller::Caller,
};
use protocol::{ErrorCode, LiveEvent, Queue, StreamId, ids::CannedReplyId};
use serde_json::json;
use std::collections::BTreeSet;

fn checked(title: &str, text: &CannedTexts) -> Result<(String, CannedTexts), Error> {
    Ok((
        rules::canned_title(title)?,
        CannedTexts {
            pt: rules::canned_text("pt", &text.pt)?,
            en: rules::canned_text("en", &text.en)?,
            es: rules::canned_text("es", &text.es)?,
        },
    ))
}

/// What became of a change: noted, and told to who shows them.
async fn finish(tx: &mut Tx, caller: &Caller, action: &str, details: serde_json::Value) -> Result<(), Error> {
    let category = audit::Category::Support;
    audit::record(tx, Some(caller.user), None, category, action, details).await?;
    tx.emit(
        StreamId::Queue(Queue::Tickets),
        LiveEvent::CannedRepliesChanged {},
    );
    Ok(())
}

fn titled(error: sqlx::Error) -> Error {
    if violates(&error, "canned_reply_title") {
        Error::code(ErrorCode::CannedReplyTitle).field("title", ErrorCode::CannedReplyTitle)
    } else {
        error.into()
    }
}

/// All that are in use, in their order, then retired ones.
///
/// # Errors
/// Whatever the database refuses.
pub async fn list(context: &Context) -> Result<CannedReplies, Error> {
    Ok(CannedReplies {
        data: store::canned_replies(context.db.pool()).await?,
    })
}

/// Keeps a new one, behind the others.
///
/// # Errors
/// `message.empty`, `message.too_long`, `request.invalid` for a title that deceives, `canned_reply.variable` for braces that stand for nothing,
/// `canned_reply.title` for a title in use, `canned_reply.full`.
pub async fn create(context: &Context, caller: &Caller, new: &NewCannedReply) -> Result<CannedReply, Error> {
    let (title, text) = checked(&new.title, &new.text)?;
    let mut tx = context.db.begin().await?;
    let place = free_place(&mut tx).await?;
    let now = tx.now();
    let row = store::CannedRow {
        id: CannedReplyId::fresh(),
        title: &title,
        text: &text,
        by: caller.user,
        at: now,
    };
    let reply = store::insert_canned(tx.conn(), &row, place)
        .await
        .map_err(titled)?;
    finish(
        &mut tx,
        caller,
        "canned_reply.created",
        json!({ "reply": reply.id }),
    )
    .await?;
    tx.commit().await?;
    Ok(reply)
}

/// The place behind the last one, under the lock that everybody takes who moves places.
async fn free_place(tx: &mut Tx) -> Result<i32, Error> {
    let used = store::lock_canned(tx.conn()).await?;
    let most = rules::MAX_CANNED;
    if used.len() >= most {
        return Err(Error::code(ErrorCode::CannedRepliesFull).with("maximum", most));
    }
    // Places have no gap: retiring closes it.
    i32::try_from(used.len() + 1).map_err(|_| Error::internal("more places than there are"))
}

/// Writes another title and other texts over one.
///
/// # Errors
/// As [`create`]; `request.not_found`, `request.conflict` when it was changed meanwhile.
pub async fn edit(
    context: &Context,
    caller: &Caller,
    id: CannedReplyId,
    new: &EditedCannedReply,
) -> Result<CannedReply, Error> {
    let (title, text) = checked(&new.title, &new.text)?;
    let mut tx = context.db.begin().await?;
    let before = locked(&mut tx, id).await?;
    if before.version != new.version {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    let row = store::CannedRow {
        id,
        title: &title,
        text: &text,
        by: caller.user,
        at: tx.now(),
    };
    let reply = store::edit_canned(tx.conn(), &row).await.map_err(titled)?;
    finish(&mut tx, caller, "canned_reply.edited", json!({ "reply": id })).await?;
    tx.commit().await?;
    Ok(reply)
}

async fn locked(tx: &mut Tx, id: CannedReplyId) -> Result<CannedReply, Error> {
    store::lock_canned(tx.conn()).await?;
    store::canned_reply(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))
}

/// Takes one out of use, or brings it back behind the others. One that stands so already stays.
///
/// # Errors
/// `request.not_found`; `canned_reply.title`, `canned_reply.full` when it comes back.
pub async fn retire(
    context: &Context,
    caller: &Caller,
    id: CannedReplyId,
    order: &CannedRetirement,
) -> Result<CannedReply, Error> {
    let mut tx = context.db.begin().await?;
    let before = locked(&mut tx, id).await?;
    if before.retired == order.retired {
        return Ok(before);
    }
    let place = if order.retired {
        None
    } else {
        Some(free_place(&mut tx).await?)
    };
    let now = tx.now();
    let reply = store::place_canned(tx.conn(), id, place, caller.user, now)
        .await
        .map_err(titled)?;
    if order.retired {
        store::close_gap(tx.conn()).await?;
    }
    let action = if order.retired {
        "canned_reply.retired"
    } else {
        "canned_reply.brought_back"
    };
    let details = json!({ "reply": id });
    finish(&mut tx, caller, action, details).await?;
    tx.commit().await?;
    Ok(reply)
}

/// Puts those in use in another order.
///
/// # Errors
/// `request.conflict` when these are not all that are in use, each once: somebody has changed them meanwhile.
pub async fn order(context: &Context, caller: &Caller, new: &CannedOrder) -> Result<CannedReplies, Error> {
    let mut tx = context.db.begin().await?;
    let used = store::lock_canned(tx.conn()).await?;
    let asked: BTreeSet<CannedReplyId> = new.ids.iter().copied().collect();
    if asked.len() != new.ids.len() || asked != used.iter().copied().collect() {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    if new.ids != used {
        store::order_canned(tx.conn(), &new.ids).await?;
        finish(
            &mut tx,
            caller,
            "canned_reply.ordered",
            json!({ "replies": new.ids.len() }),
        )
        .await?;
    }
    let data = store::canned_replies(tx.conn()).await?;
    tx.commit().await?;
    Ok(CannedReplies { data })
}
