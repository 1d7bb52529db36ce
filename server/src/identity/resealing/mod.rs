//! After a rotation of the master key: secrets of authenticator apps are sealed anew, some at a time.

mod store;

use super::secrets;
use crate::{error::Error, foundation::context::Context};
use protocol::ids::UserId;
use uuid::Uuid;

/// Accounts of one transaction.
const BATCH: i64 = 200;

/// Seals by the key in force what only the one before opens; how many accounts that were. May stop and begin again anywhere.
///
/// # Errors
/// `service.internal` for a secret that neither key opens.
pub async fn reseal(context: &Context) -> Result<u64, Error> {
    let (mut after, mut count) = (UserId(Uuid::nil()), 0);
    loop {
        let mut tx = context.db.begin().await?;
        let accounts = store::lock_after(tx.conn(), after, BATCH).await?;
        let Some(last) = accounts.last() else {
            return Ok(count);
        };
        after = last.id;
        for account in &accounts {
            let anew = |sealed: &Option<Vec<u8>>| match sealed {
                None => Ok(None),
                Some(sealed) => secrets::reseal(&context.keys, account.id.0.as_bytes(), sealed),
            };
            let (secret, pending) = (anew(&account.secret)?, anew(&account.pending)?);
            if secret.is_some() || pending.is_some() {
                store::keep(tx.conn(), account.id, secret.as_deref(), pending.as_deref()).await?;
                count += 1;
            }
        }
        tx.commit().await?;
    }
}
