//! A person's picture: seen by members, who meet each other in searches and in the tree.

mod store;

use super::{sessions, signals, store as accounts};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        files::{self, FileRow, MaySee, Received, Viewer},
        text,
        transaction::{Db, Tx},
    },
};
use async_trait::async_trait;
use protocol::{
    ErrorCode, Permission,
    ids::{FileId, SessionId, UserId},
};
use serde::Serialize;
use serde_json::json;

/// The most names of one request: what a screen of a list shows.
pub const PICTURES: usize = 100;

/// Somebody who has a picture.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Picture {
    pub username: String,
    pub avatar: FileId,
}

/// The pictures of people whose names a screen shows; who has none is left out. To members only active people are shown, as in
/// searches; to staff, who find the others in their lists, everybody.
///
/// # Errors
/// `request.invalid` for more than [`PICTURES`] names.
pub async fn pictures(db: &Db, names: &str, staff: bool) -> Result<Vec<Picture>, Error> {
    let keys: Vec<String> = names
        .split(',')
        .map(text::folded)
        .filter(|key| !key.is_empty())
        .collect();
    if keys.len() > PICTURES {
        return Err(Error::code(ErrorCode::RequestInvalid).field("names", ErrorCode::RequestInvalid));
    }
    store::pictures(db.pool(), &keys, staff).await
}

/// Makes a received picture the user's.
pub async fn put(context: &Context, user: UserId, received: Received) -> Result<FileId, Error> {
    let mut tx = context.db.begin().await?;
    let (file, living) = put_within(context, &mut tx, user, user, Some(received)).await?;
    tx.commit().await?;
    for session in living {
        sessions::forget(session).await;
    }
    file.ok_or_else(|| Error::internal("a picture vanished"))
}

/// Takes the user's picture off.
pub async fn remove(context: &Context, user: UserId) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let (_, living) = put_within(context, &mut tx, user, user, None).await?;
    tx.commit().await?;
    for session in living {
        sessions::forget(session).await;
    }
    Ok(())
}

/// The same inside a change, or without a picture from now on; also the sessions to be forgotten after the commit.
pub(super) async fn put_within(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    user: UserId,
    received: Option<Received>,
) -> Result<(Option<FileId>, Vec<SessionId>), Error> {
    let now = tx.now();
    let file = match received {
        Some(received) => Some(files::persist(tx, context, user, received).await?.id),
        None => None,
    };
    // What is nobody's picture any more goes with its squares.
    if let Some(before) = accounts::set_avatar(tx.conn(), user, file.map(|f| f.0), now).await? {
        files::discard(tx, FileId(before)).await?;
    }
    audit::record(
        tx,
        Some(by),
        Some(user.0),
        Category::Profile,
        "profile.avatar",
        json!({ "file": file }),
    )
    .await?;
    signals::user_changed(tx, user, "profile");
    Ok((file, sessions::ids(tx, user).await?))
}

/// Who may see a picture.
#[derive(Clone, Copy, Debug, Default)]
pub struct AvatarViewers;

#[async_trait]
impl MaySee for AvatarViewers {
    async fn may_see(&self, _: &Context, viewer: &Viewer, file: &FileRow) -> Result<bool, Error> {
        // Members meet each other's pictures in searches and in the tree.
        Ok(file.owner == viewer.user || viewer.permissions.holds(Permission::RegisteredUser))
    }
}
