//! What customers do: find, read, watch, and remember how far they came.

use super::{
    links::{self, LASTS, Opens},
    model::{ContentFilter, ContentStatus, ContentView, LessonProgress, MediaLink, ProgressMade},
    rules::{self, Languages},
    store::{self, Asked},
};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        files::{self, Opened},
        http::{ListParams, Page},
        locale::Locale,
    },
    identity::caller::Caller,
};
use protocol::{ErrorCode, ids::ContentId};

/// There is none, or not for this reader: which of the two is nobody's business.
#[must_use]
pub fn unknown() -> Error {
    Error::code(ErrorCode::RequestNotFound)
}

/// What is published, in the reader's language unless another is asked for.
///
/// # Errors
/// `request.invalid` for parameters that cannot be.
pub async fn list(
    context: &Context,
    caller: &Caller,
    reader: Locale,
    params: &ListParams,
    filter: &ContentFilter,
) -> Result<Page<ContentView>, Error> {
    let paging = params.paging(10)?;
    let asked = Asked {
        kind: filter.kind,
        languages: Languages::read(filter.language.as_deref(), reader)?,
        status: Some(ContentStatus::Published),
        search: params.searched(),
    };
    let (rows, total) = store::list(context.db.pool(), caller.user, &asked, &paging).await?;
    let rows = rows.into_iter().filter_map(store::Row::view).collect();
    Ok(Page::new(rows, &paging, total))
}

/// One that is published, with all of its text.
///
/// # Errors
/// `request.not_found` for any other.
pub async fn open(context: &Context, caller: &Caller, id: ContentId) -> Result<ContentView, Error> {
    let row = store::item(context.db.pool(), caller.user, id, false).await?;
    row.and_then(store::Row::view).ok_or_else(unknown)
}

/// Remembers how far the caller came in a lesson.
///
/// # Errors
/// `request.not_found` for what is no published lesson, `request.invalid` for a moment that cannot be.
pub async fn progress(
    context: &Context,
    caller: &Caller,
    id: ContentId,
    made: &ProgressMade,
) -> Result<LessonProgress, Error> {
    let seconds = rules::seconds(made.seconds)?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if !store::progress(tx.conn(), caller.user, id, seconds, made.done, now).await? {
        return Err(unknown());
    }
    let row = store::item(tx.conn(), caller.user, id, false).await?;
    tx.commit().await?;
    row.and_then(store::Row::view)
        .map(|view| view.progress)
        .ok_or_else(unknown)
}

/// A link for a player to the item's file; of a draft for staff alone.
///
/// # Errors
/// `request.not_found` without such an item, or without its file.
pub async fn link(
    context: &Context,
    caller: &Caller,
    id: ContentId,
    drafts: bool,
) -> Result<MediaLink, Error> {
    let row = store::item(context.db.pool(), caller.user, id, drafts).await?;
    let file = row.map(store::Row::staff_view).and_then(|item| item.file);
    let expires_at = context.now() + LASTS;
    let opens = Opens {
        file: file.ok_or_else(unknown)?.file,
        drafts,
    };
    let token = links::token(&context.keys, opens, expires_at);
    Ok(MediaLink {
        path: format!("/content/media/{token}"),
        expires_at,
    })
}

/// What a link opens, as long as it lasts and what it belongs to is there to be seen. The connection is given back before a byte is read.
///
/// # Errors
/// `request.not_found` for any other.
pub async fn follow(context: &Context, token: &str) -> Result<Opened, Error> {
    let opens = links::read(&context.keys, token, context.now()).ok_or_else(unknown)?;
    if !store::shows(context.db.pool(), opens.file, opens.drafts).await? {
        return Err(unknown());
    }
    files::open(context, opens.file).await
}
