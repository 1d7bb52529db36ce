//! A person's picture: seen by members, who meet each other in searches and in the tree.

use super::{sessions, signals, store};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        files::{self, FileRow, MaySee, Received, Viewer},
        transaction::Tx,
    },
};
use async_trait::async_trait;
use protocol::{
    Permission,
    ids::{FileId, SessionId, UserId},
};
use serde_json::json;

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
    store::set_avatar(tx.conn(), user, file.map(|f| f.0), now).await?;
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
