//! Who may see a proof of revenue: those who decide on it.

use super::store;
use crate::{
    error::Error,
    foundation::{
        context::Context,
        files::{FileRow, MaySee, Viewer},
    },
};
use async_trait::async_trait;
use protocol::Queue;

/// Answers for proofs of revenue.
pub struct RevenueProofs;

#[async_trait]
impl MaySee for RevenueProofs {
    async fn may_see(&self, context: &Context, viewer: &Viewer, file: &FileRow) -> Result<bool, Error> {
        Ok(viewer.decides(Queue::PoolRevenue) && store::is_proof(context.db.pool(), file.id).await?)
    }
}
