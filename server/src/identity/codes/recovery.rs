//! Recovery codes: each the way in once, when nothing else is.

use crate::{
    error::Error,
    foundation::{context::Keys, transaction::Tx},
    identity::{secrets, store as accounts},
};
use protocol::ids::UserId;

/// How many, and random bytes of each (128 bits).
const RECOVERY: (usize, usize) = (10, 16);

pub(super) fn hash(keys: &Keys, account: UserId, code: &str) -> Vec<u8> {
    secrets::mac(keys, "recovery", &[account.0.as_bytes(), code.as_bytes()]).to_vec()
}

/// Replaces the recovery codes; they are shown this once.
///
/// # Errors
/// Whatever the database refuses.
pub async fn new_recovery_codes(keys: &Keys, tx: &mut Tx, account: UserId) -> Result<Vec<String>, Error> {
    let plain: Vec<String> = (0..RECOVERY.0)
        .map(|_| data_encoding::BASE32_NOPAD.encode(&rand::random::<[u8; RECOVERY.1]>()))
        .collect();
    let hashes: Vec<Vec<u8>> = plain.iter().map(|c| hash(keys, account, c)).collect();
    accounts::replace_recovery_codes(tx.conn(), account, &hashes).await?;
    // In groups of four or five, as people copy them.
    Ok(plain
        .iter()
        .map(|c| {
            c.as_bytes()
                .chunks(5)
                .map(String::from_utf8_lossy)
                .collect::<Vec<_>>()
                .join("-")
        })
        .collect())
}
