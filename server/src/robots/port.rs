//! The desk's port: what the desk decides becomes reservations and bookings here.

use super::{live, manual, service, watch};
use crate::{error::Error, foundation::context::Context};
use actors::desk::{
    cohort::{RobotSnapshot, Share},
    port::{Batch, Fence, LiveDone, LiveOrder, Risk, Settle, SettleError, SettledBatch},
};
use protocol::{
    ErrorCode,
    ids::OperationId,
    views::{ManualRefusal, Mode},
};
use std::{sync::Arc, time::Instant};
use tokio_util::sync::CancellationToken;

/// Robots as a desk of one mode reaches them.
pub struct Robots {
    pub context: Context,
    pub mode: Mode,
    /// Cuts off what is at a venue: the desk was abandoned, and the next one goes on with it.
    pub cut: CancellationToken,
}

/// The lease's refusal ends the desk; anything else is asked again.
fn told(error: Error) -> SettleError {
    if error.error_code() == ErrorCode::RequestConflict {
        SettleError::Fenced
    } else {
        SettleError::Unavailable(format!("{error:?}"))
    }
}

#[async_trait::async_trait]
impl Settle for Robots {
    async fn eligible(&self) -> Result<Vec<RobotSnapshot>, SettleError> {
        service::eligible(&self.context).await.map_err(told)
    }
    async fn risk(&self) -> Result<Risk, SettleError> {
        watch::risk(&self.context, self.mode).await.map_err(told)
    }
    async fn reserve(
        &self,
        fence: Fence,
        operation: OperationId,
        shares: &[Share],
        manual: bool,
    ) -> Result<Vec<Share>, SettleError> {
        let reserved = if manual {
            service::reserve_manual(&self.context, fence.0, operation, shares).await
        } else {
            service::reserve(&self.context, fence.0, operation, shares).await
        };
        reserved.map_err(told)
    }
    async fn refuse(
        &self,
        fence: Fence,
        operation: OperationId,
        reason: ManualRefusal,
    ) -> Result<(), SettleError> {
        manual::service::refuse(&self.context, fence.0, operation, reason)
            .await
            .map_err(told)
    }
    async fn execute(&self, fence: Fence, order: Arc<LiveOrder>) -> Result<LiveDone, SettleError> {
        let Some(venue) = self.context.part::<live::Live>().and_then(|l| l.venue.clone()) else {
            return Err(SettleError::Unavailable("no venue takes orders".into()));
        };
        let done = live::service::execute(&self.context, &venue, fence.0, &order);
        match self.cut.run_until_cancelled(done).await {
            Some(done) => done.map_err(told),
            None => Err(SettleError::Fenced),
        }
    }
    async fn settle(&self, fence: Fence, batch: Arc<Batch>) -> Result<SettledBatch, SettleError> {
        let begun = Instant::now();
        let settled = service::settle(&self.context, fence.0, &batch).await;
        metrics::histogram!("settlement_batch_seconds").record(begun.elapsed());
        settled.map_err(told)
    }
}
