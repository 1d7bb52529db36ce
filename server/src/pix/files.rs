//! Who may see a proof or a receipt: whose money it is and those who decide.

use super::{store, withdrawals::service as withdrawals};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        files::{FileRow, MaySee, Viewer},
    },
};
use async_trait::async_trait;
use protocol::Queue;

/// Answers for proofs.
pub struct Proofs;

#[async_trait]
impl MaySee for Proofs {
    async fn may_see(&self, context: &Context, viewer: &Viewer, file: &FileRow) -> Result<bool, Error> {
        let owner = store::proof_owner(context.db.pool(), file.id).await?;
        Ok(owner.is_some_and(|owner| owner == viewer.user || viewer.decides(Queue::PixDeposits)))
    }
}

/// Answers for receipts of payments.
pub struct Payments;

#[async_trait]
impl MaySee for Payments {
    async fn may_see(&self, context: &Context, viewer: &Viewer, file: &FileRow) -> Result<bool, Error> {
        let owner = withdrawals::payment_owner(context, file.id).await?;
        Ok(owner.is_some_and(|owner| owner == viewer.user || viewer.decides(Queue::PixWithdrawals)))
    }
}
