//! A person's picture: seen by members, who meet each other in searches and in the tree.

use super::{sessions, signals, store};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        files::{self, FileRow, MaySee, Received, Viewer},
    },
};
use async_trait::async_trait;
use protocol::{
    Permission,
    ids::{FileId, UserId},
};
use serde_json::json;

/// Makes a received picture the user's.
pub async fn put(context: &Context, user: UserId, received: Received) -> Result<FileId, Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let row = files::persist(&mut tx, context, user, received).await?;
    store::set_avatar(tx.conn(), user, row.id.0, now).await?;
    audit::record(
        &mut tx,
        Some(user),
        Some(user.0),
        Category::Profile,
        "profile.avatar",
        json!({ "file": row.id }),
    )
    .await?;
    signals::user_changed(&mut tx, user, "profile");
    let living = sessions::ids(&mut tx, user).await?;
    tx.commit().await?;
    for session in living {
        sessions::forget(session).await;
    }
    Ok(row.id)
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
