//! The task: rounds while this node holds the lease.

use super::{
    LEASE,
    service::{self, Sending},
};
use crate::{
    foundation::{
        context::Context,
        lease::{self, Lease},
    },
    wallet::{
        chain::Chain,
        hot,
        local::Faucet,
        sweeps::{self, service::Sweeping},
        watcher::Trouble,
    },
};
use protocol::{ids::NodeId, views::HotAlertKind};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const LEASE_LIFE: time::Duration = time::Duration::seconds(30);
/// Between two rounds.
const REST: Duration = Duration::from_secs(1);
/// After a fault, so that a node that is down is not asked all the time.
const PAUSE: Duration = Duration::from_secs(3);

/// Sends until told to stop, whenever this node holds the lease.
pub async fn run(context: Context, chain: Chain, sending: Sending, stop: CancellationToken) {
    let node = NodeId::fresh();
    let mut held: Option<Lease> = None;
    while !stop.is_cancelled() {
        match lease::acquire(context.db.pool(), LEASE, node, context.now(), LEASE_LIFE).await {
            Ok(Some(lease)) if held.as_ref().is_none_or(|h| h.fence != lease.fence) => {
                held = match begin(&context, &chain, &sending).await {
                    Ok(()) => Some(lease),
                    Err(error) => {
                        tracing::warn!(%error, "sending begins later");
                        None
                    }
                };
            }
            Ok(Some(_)) => {}
            Ok(None) => held = None,
            Err(error) => tracing::warn!(?error, "the sender's lease could not be prolonged"),
        }
        let rest = match &held {
            None => PAUSE,
            Some(lease) => {
                let round = round(&context, &chain, &sending, lease.fence);
                match stop.run_until_cancelled(round).await {
                    None => break,
                    Some(Ok(())) => REST,
                    Some(Err(error)) => {
                        trouble(&context, &error).await;
                        PAUSE
                    }
                }
            }
        };
        stop.run_until_cancelled(tokio::time::sleep(rest)).await;
    }
    if let Some(lease) = held
        && let Err(error) = lease::release(context.db.pool(), &lease, context.now()).await
    {
        tracing::warn!(?error, "the sender's lease runs out by itself");
    }
}

/// What was approved goes out, then deposits are gathered; a fault of the one does not hold the other up.
async fn round(context: &Context, chain: &Chain, sending: &Sending, fence: i64) -> Result<(), Trouble> {
    let sent = service::round(context, chain, sending, fence).await;
    if let Some(sweeping) = context.part::<Sweeping>()
        && let Err(error) = sweeps::service::round(context, chain, sweeping, fence).await
    {
        if sent.is_ok() {
            return Err(error);
        }
        tracing::warn!(%error, "deposits are gathered later");
    }
    sent
}

/// What this process must know before it signs: what was signed within the day.
async fn begin(context: &Context, chain: &Chain, sending: &Sending) -> Result<(), Trouble> {
    hot::service::remember(context, sending).await?;
    if let (Some(faucet), Some(hot)) = (context.part::<Faucet>(), sending.hot) {
        hot::demo::fund(context, chain, faucet, hot).await?;
    }
    Ok(())
}

async fn trouble(context: &Context, error: &Trouble) {
    metrics::counter!("sender_troubles_total").increment(1);
    tracing::warn!(%error, "what goes out is looked at again");
    if matches!(error, Trouble::Chain(_))
        && let Err(error) = hot::service::silent(context, HotAlertKind::Unreachable).await
    {
        tracing::warn!(?error, "the hot wallet's state is not told");
    }
}
