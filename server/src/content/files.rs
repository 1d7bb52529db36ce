//! Who may see a file of content: everybody what is published, staff the rest too.

use super::store;
use crate::{
    error::Error,
    foundation::{
        context::Context,
        files::{FileRow, MaySee, Viewer},
    },
};
use async_trait::async_trait;
use protocol::Permission;

/// Answers for covers and files.
pub struct Readers;

#[async_trait]
impl MaySee for Readers {
    async fn may_see(&self, context: &Context, viewer: &Viewer, file: &FileRow) -> Result<bool, Error> {
        let drafts = viewer.permissions.holds(Permission::AdminPermissions);
        store::shows(context.db.pool(), file.id, drafts).await
    }
}
