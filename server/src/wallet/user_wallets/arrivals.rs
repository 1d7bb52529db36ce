//! What comes to the users' wallets, as the watcher of the chain reads it. Zero values and unlisted coins are nobody's news.

use super::{
    service,
    store::{self, Arrival},
};
use crate::{error::Error, foundation::transaction::Tx};
use alloy::primitives::Address;
use protocol::{
    LiveEvent, StreamId,
    ids::UserId,
    views::{WalletMoveReason, WalletMoveStatus},
};
use std::collections::HashMap;

/// Numbers are given out in order but committed in any: so many of the newest are read again.
const LATE_COMMITS: i32 = 1_000;

/// The wallets that are watched.
#[derive(Default)]
pub struct Wallets {
    by_address: HashMap<Address, UserId>,
    highest: i32,
}

impl Wallets {
    /// # Errors
    /// Whatever the database refuses.
    pub async fn refresh(&mut self, db: &sqlx::PgPool) -> Result<(), Error> {
        let from = (self.highest - LATE_COMMITS).max(0);
        for (number, address, owner) in store::wallets_from(db, from).await? {
            self.highest = self.highest.max(number);
            self.by_address.insert(address, owner);
        }
        Ok(())
    }

    #[must_use]
    pub fn owner(&self, address: &Address) -> Option<UserId> {
        self.by_address.get(address).copied()
    }

    pub fn addresses(&self) -> impl Iterator<Item = &Address> {
        self.by_address.keys()
    }
}

/// Notes what was found in blocks, and tells its owners.
///
/// # Errors
/// Whatever the database refuses.
pub async fn see(tx: &mut Tx, found: &[Arrival]) -> Result<(), Error> {
    let now = tx.now();
    for arrival in found {
        // A column that cannot hold it holds nothing of worth.
        if crate::wallet::chain::stored::column(arrival.wei).is_err() {
            continue;
        }
        if let Some(id) = store::arrived(tx.conn(), arrival, now).await? {
            service::tell(tx, id).await?;
        }
    }
    Ok(())
}

/// The chain changed its mind above a block: what came there did not come.
///
/// # Errors
/// Whatever the database refuses.
pub async fn undo(tx: &mut Tx, ancestor: u64) -> Result<(), Error> {
    for row in store::forget_above(tx.conn(), ancestor).await? {
        store::touch(tx.conn(), row.owner()).await?;
        let mut view = row.view()?;
        view.status = WalletMoveStatus::Failed;
        view.reason = Some(WalletMoveReason::Dropped);
        view.version += 1;
        tx.emit(
            StreamId::User(row.owner()),
            LiveEvent::WalletChanged {
                moved: Box::new(view),
            },
        );
    }
    Ok(())
}
