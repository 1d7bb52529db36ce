//! Rotation of the master key: every wallet's own key is wrapped anew, some at a time. It may stop and begin again anywhere.

use super::{store, vault::Vault};
use crate::{error::Error, foundation::transaction::Db};

/// Wallets of one transaction.
pub const BATCH: i64 = 200;

/// What a rotation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotated {
    pub wallets: i64,
    pub version: i32,
}

/// Wraps every wallet's key under the master key in force.
///
/// # Errors
/// When a key does not open or the database does not answer; what was committed stays.
pub async fn rotate(db: &Db, vault: &Vault) -> Result<Rotated, Error> {
    let mut wallets = 0;
    loop {
        let done = rotate_some(db, vault, BATCH).await?;
        wallets += done;
        if done == 0 {
            break;
        }
    }
    Ok(Rotated {
        wallets,
        version: vault.current()?.0,
    })
}

/// Wraps so many in one transaction; zero when nothing is left.
///
/// # Errors
/// As [`rotate`].
pub async fn rotate_some(db: &Db, vault: &Vault, most: i64) -> Result<i64, Error> {
    let (version, _) = vault.current()?;
    let mut tx = db.begin().await?;
    let now = tx.now();
    let mut done = 0;
    for sealed in store::lock_older(tx.conn(), version, most).await? {
        if let Some((version, data_key)) = vault.rewrap(&sealed)? {
            store::rewrap(tx.conn(), sealed.id, version, &data_key, now).await?;
            done += 1;
        }
    }
    tx.commit().await?;
    Ok(done)
}
