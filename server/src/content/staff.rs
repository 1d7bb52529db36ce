//! What staff do: write, order, publish, attach, delete. Each change is in the log.

use super::{
    model::{ContentChange, ContentFilter, ContentStatus, NewContent, StaffContentView},
    rules::{self, Languages},
    service::unknown,
    store::{self, Asked, Item, NewItem},
};
use crate::{
    error::Error,
    foundation::{
        audit,
        context::Context,
        files::{self, Purpose, Received},
        http::{ListParams, Page, given},
        locale::Locale,
        transaction::Tx,
    },
    identity::caller::Caller,
};
use protocol::{
    ErrorCode, Permission,
    ids::{ContentId, FileId},
};
use serde_json::json;

const MEGABYTE: i64 = 1024 * 1024;

/// Drafts and what is published, in all languages unless one is asked for.
///
/// # Errors
/// `auth.forbidden`; `request.invalid` for parameters that cannot be.
pub async fn list(
    context: &Context,
    caller: &Caller,
    params: &ListParams,
    filter: &ContentFilter,
) -> Result<Page<StaffContentView>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let paging = params.paging(10)?;
    let language = given(filter.language.as_deref());
    let status = match given(params.status.as_deref()) {
        None => None,
        Some("draft") => Some(ContentStatus::Draft),
        Some("published") => Some(ContentStatus::Published),
        Some(_) => {
            return Err(Error::code(ErrorCode::RequestInvalid).field("status", ErrorCode::RequestInvalid));
        }
    };
    let asked = Asked {
        kind: filter.kind,
        languages: Languages::read(Some(language.unwrap_or("all")), Locale::default())?,
        status,
        search: params.searched(),
    };
    let (rows, total) = store::list(context.db.pool(), caller.user, &asked, &paging).await?;
    let rows = rows.into_iter().map(store::Row::staff_view).collect();
    Ok(Page::new(rows, &paging, total))
}

/// One item, whole.
///
/// # Errors
/// `auth.forbidden`, `request.not_found`.
pub async fn open(context: &Context, caller: &Caller, id: ContentId) -> Result<StaffContentView, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let row = store::item(context.db.pool(), caller.user, id, true).await?;
    row.map(store::Row::staff_view).ok_or_else(unknown)
}

/// A new draft; one that its maker has sent before is answered as it is now.
///
/// # Errors
/// `auth.forbidden`; `request.invalid`, `message.too_long` for what cannot be; `request.conflict` for somebody else's id.
pub async fn create(context: &Context, caller: &Caller, new: &NewContent) -> Result<StaffContentView, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let (title, body) = (rules::title(&new.title)?, rules::body(&new.text)?);
    let place = new.order.map(rules::order).transpose()?;
    let mut tx = context.db.begin().await?;
    let row = NewItem {
        id: new.id,
        kind: new.kind,
        language: new.language,
        title: &title,
        body: &body,
        place,
        by: caller.user,
        at: tx.now(),
    };
    if store::insert(tx.conn(), &row).await? {
        record(&mut tx, caller, new.id, "content.created").await?;
    } else if !store::made_by(tx.conn(), new.id, caller.user).await? {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    answer(tx, caller, new.id).await
}

/// Changes what is said of it: an item that was changed meanwhile is refused, and so is publishing what nobody could read or open.
///
/// # Errors
/// `auth.forbidden`, `request.not_found`, `request.conflict`, `content.incomplete`; as [`create`].
pub async fn change(
    context: &Context,
    caller: &Caller,
    id: ContentId,
    change: &ContentChange,
) -> Result<StaffContentView, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let mut tx = context.db.begin().await?;
    let mut item = store::lock(tx.conn(), id).await?.ok_or_else(unknown)?;
    if item.version != change.version {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    if let Some(title) = &change.title {
        item.title = rules::title(title)?;
    }
    if let Some(text) = &change.text {
        item.body = rules::body(text)?;
    }
    if let Some(order) = change.order {
        item.place = rules::order(order)?;
    }
    if let Some(language) = change.language {
        language.as_str().clone_into(&mut item.language);
    }
    let was = item.published_at;
    item.published_at = match change.status {
        None => was,
        Some(ContentStatus::Draft) => None,
        Some(ContentStatus::Published) => was.or_else(|| Some(tx.now())),
    };
    save(&mut tx, id, &item).await?;
    let action = match (was, item.published_at) {
        (None, Some(_)) => "content.published",
        (Some(_), None) => "content.withdrawn",
        _ => "content.changed",
    };
    record(&mut tx, caller, id, action).await?;
    answer(tx, caller, id).await
}

/// Takes an item away, with its files and what people had come to in it.
///
/// # Errors
/// `auth.forbidden`, `request.not_found`.
pub async fn delete(context: &Context, caller: &Caller, id: ContentId) -> Result<(), Error> {
    caller.staff(Permission::AdminPermissions)?;
    let mut tx = context.db.begin().await?;
    let item = store::lock(tx.conn(), id).await?.ok_or_else(unknown)?;
    store::delete(tx.conn(), id).await?;
    for file in [item.cover, item.file].into_iter().flatten() {
        files::discard(&mut tx, file).await?;
    }
    record(&mut tx, caller, id, "content.deleted").await?;
    tx.commit().await?;
    Ok(())
}

/// Whether there is something to attach to: asked before the bytes are taken in.
///
/// # Errors
/// `auth.forbidden`, `request.not_found`.
pub async fn may_attach(context: &Context, caller: &Caller, id: ContentId) -> Result<(), Error> {
    open(context, caller, id).await.map(drop)
}

/// Gives an item its cover or its file, in place of the one that it had.
///
/// # Errors
/// `auth.forbidden`, `request.not_found`; `content.quota` when there is no room.
pub async fn attach(
    context: &Context,
    caller: &Caller,
    id: ContentId,
    received: Received,
) -> Result<StaffContentView, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let most = context
        .settings
        .current(context.now())
        .await?
        .settings
        .content_megabytes;
    let mut tx = context.db.begin().await?;
    let mut item = store::lock(tx.conn(), id).await?.ok_or_else(unknown)?;
    let slot = slot(&mut item, received.purpose)?;
    let old = slot.take();
    let taken = store::taken(tx.conn(), old).await?;
    // Before the bytes have their place: what is refused leaves nothing behind.
    if taken.saturating_add(received.bytes) > most.saturating_mul(MEGABYTE) {
        let code = ErrorCode::ContentQuota;
        return Err(Error::code(code).field("file", code).with("maximum", most));
    }
    let row = files::persist(&mut tx, context, caller.user, received).await?;
    *slot = Some(row.id);
    save(&mut tx, id, &item).await?;
    if let Some(old) = old {
        files::discard(&mut tx, old).await?;
    }
    record(&mut tx, caller, id, "content.attached").await?;
    answer(tx, caller, id).await
}

/// Takes the cover or the file away; of what is published only where something is left to read.
///
/// # Errors
/// `auth.forbidden`, `request.not_found`, `content.incomplete`.
pub async fn detach(
    context: &Context,
    caller: &Caller,
    id: ContentId,
    purpose: Purpose,
) -> Result<StaffContentView, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let mut tx = context.db.begin().await?;
    let mut item = store::lock(tx.conn(), id).await?.ok_or_else(unknown)?;
    let old = slot(&mut item, purpose)?.take().ok_or_else(unknown)?;
    save(&mut tx, id, &item).await?;
    files::discard(&mut tx, old).await?;
    record(&mut tx, caller, id, "content.detached").await?;
    answer(tx, caller, id).await
}

fn slot(item: &mut Item, purpose: Purpose) -> Result<&mut Option<FileId>, Error> {
    match purpose {
        Purpose::ContentCover => Ok(&mut item.cover),
        Purpose::ContentFile => Ok(&mut item.file),
        _ => Err(Error::internal("no file of content")),
    }
}

async fn save(tx: &mut Tx, id: ContentId, item: &Item) -> Result<(), Error> {
    if item.published_at.is_some() && !item.is_complete() {
        return Err(Error::code(ErrorCode::ContentIncomplete));
    }
    let now = tx.now();
    store::save(tx.conn(), id, item, now).await
}

async fn record(tx: &mut Tx, caller: &Caller, id: ContentId, action: &'static str) -> Result<(), Error> {
    audit::record(
        tx,
        Some(caller.user),
        Some(id.0),
        audit::Category::Settings,
        action,
        json!({ "item": id }),
    )
    .await
}

/// The item as it stands now, and the end of the change.
async fn answer(mut tx: Tx, caller: &Caller, id: ContentId) -> Result<StaffContentView, Error> {
    let row = store::item(tx.conn(), caller.user, id, true).await?;
    let view = row.map(store::Row::staff_view).ok_or_else(unknown)?;
    tx.commit().await?;
    Ok(view)
}
