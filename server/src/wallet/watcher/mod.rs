//! Watches the chain for payments to our addresses.
//!
//! Invariants: one node at a time, under a lease whose number every writing transaction checks; the truth is what blocks say,
//! read by range over a stored cursor, with the hash of every block; a payment counts once, when enough blocks hold it, its
//! receipt says success and its token is on the list; when the chain changes its mind, what had not counted is forgotten, and
//! what had counted halts all crediting until it is back or taken back. The process may die between any two steps.

mod confirm;
mod reorg;
mod scan;
mod store;

use crate::{
    error::Error,
    foundation::{
        context::Context,
        lease::{self, Lease},
    },
    wallet::{
        chain::{Chain, ChainError},
        deposits, intents,
        user_wallets::arrivals,
    },
};
use protocol::{Glimpse, ids::NodeId};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

pub use store::{Health, health};

/// One node watches.
pub const LEASE: &str = "wallet.watcher";
const LEASE_LIFE: time::Duration = time::Duration::seconds(30);
/// Between two looks at the head.
const REST: Duration = Duration::from_secs(1);
/// After a fault, so that a node that is down is not asked all the time.
const PAUSE: Duration = Duration::from_secs(3);

/// Where glimpses go.
pub type Show = Arc<dyn Fn(Glimpse) + Send + Sync>;

/// Why a round ended early. The next one begins where this one began.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    #[error(transparent)]
    Chain(#[from] ChainError),
    #[error("{0:?}")]
    Server(Error),
    #[error("the chain moved while it was read")]
    Moved,
    #[error("the newest block is too old")]
    Stale,
    #[error("none of the stored blocks is on this chain")]
    Lost,
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Server(error)
    }
}

/// One look at the chain after the other. Keeps in memory only what can be read again.
pub struct Watcher {
    context: Context,
    chain: Chain,
    fence: i64,
    show: Show,
    addresses: scan::Addresses,
    wallets: arrivals::Wallets,
}

impl Watcher {
    /// For a node that holds the lease with this number.
    #[must_use]
    pub fn new(context: Context, chain: Chain, fence: i64, show: Show) -> Self {
        Self {
            context,
            chain,
            fence,
            show,
            addresses: scan::Addresses::default(),
            wallets: arrivals::Wallets::default(),
        }
    }

    /// Reads what is new, then counts what is confirmed; true when there is more to read at once.
    ///
    /// # Errors
    /// As [`Trouble`] says; whatever was committed stays.
    pub async fn round(&mut self) -> Result<bool, Trouble> {
        let more = scan::read(self).await?;
        if store::cursor(self.context.db.pool())
            .await?
            .is_some_and(|c| c.halted)
        {
            reorg::resolve(self).await?;
        }
        confirm::confirm(self).await?;
        self.glimpses().await?;
        Ok(more)
    }

    /// Shows how deep open payments lie.
    async fn glimpses(&self) -> Result<(), Trouble> {
        let scanned = deposits::store::scanned(self.context.db.pool()).await?;
        let needed = self.chain.confirmations;
        for (deposit, user, block) in store::sinking(self.context.db.pool()).await? {
            (self.show)(Glimpse::Confirmations {
                user,
                deposit,
                confirmations: deposits::rules::confirmations(scanned, block, needed),
                needed: u32::try_from(needed).unwrap_or(u32::MAX),
            });
        }
        Ok(())
    }
}

/// Watches until told to stop, whenever this node holds the lease.
pub async fn run(context: Context, chain: Chain, show: Show, stop: CancellationToken) {
    let node = NodeId::fresh();
    let mut watcher: Option<(Watcher, Lease)> = None;
    while !stop.is_cancelled() {
        let held = lease::acquire(context.db.pool(), LEASE, node, context.now(), LEASE_LIFE).await;
        match held {
            Ok(Some(lease)) if watcher.as_ref().is_none_or(|(_, l)| l.fence != lease.fence) => {
                if let Err(error) = intents::service::check_branch(&context).await {
                    tracing::error!(%error, "deposits are not watched");
                    watcher = None;
                } else {
                    let fresh = Watcher::new(context.clone(), chain.clone(), lease.fence, Arc::clone(&show));
                    watcher = Some((fresh, lease));
                }
            }
            Ok(Some(_)) => {}
            Ok(None) => watcher = None,
            Err(error) => tracing::warn!(?error, "the watcher's lease could not be prolonged"),
        }
        metrics::gauge!("chain_watched_here").set(u32::from(watcher.is_some()));
        let rest = match &mut watcher {
            None => PAUSE,
            Some((watcher, _)) => match stop.run_until_cancelled(watcher.round()).await {
                None => break,
                Some(Ok(true)) => Duration::ZERO,
                Some(Ok(false)) => REST,
                Some(Err(error)) => {
                    metrics::counter!("chain_watch_troubles_total").increment(1);
                    tracing::warn!(%error, "the chain is looked at again");
                    PAUSE
                }
            },
        };
        stop.run_until_cancelled(tokio::time::sleep(rest)).await;
    }
    if let Some((_, lease)) = watcher
        && let Err(error) = lease::release(context.db.pool(), &lease, context.now()).await
    {
        tracing::warn!(?error, "the watcher's lease runs out by itself");
    }
}
