//! Keys of the users' own wallets: twelve words a person, sealed; made, shown and signed with behind this door.
//!
//! Invariants: entropy lies under a key of its wallet's own, that key under the master key, each bound to its user and wallet,
//! the wallet's key to the master key's version as well; only fingerprints of master keys are stored; an address never changes;
//! nothing here prints, and what is opened is wiped. A transaction is signed only if the guard has let exactly it pass.
//! Tables: `wallet.master_key`, `wallet.user_wallet`, `wallet.user_step` (read).

mod phrase;
mod rotation;
mod seal;
mod signer;
mod store;
mod vault;

pub use phrase::Phrase;
pub use rotation::{Rotated, rotate, rotate_some};
pub use seal::MasterKeys;
pub use signer::{Caps, Order, UserSigner, digest};
pub use store::{Wallet, wallet};
pub use vault::{KeysError, Vault};

use crate::{error::Error, foundation::transaction::Tx};
use protocol::ids::UserId;

/// Destroys what the wallets of these people are made of: their closed accounts are erased, and who has the phrase has the wallet.
///
/// # Errors
/// Whatever the database refuses.
pub async fn erase(tx: &mut Tx, people: &[UserId]) -> Result<(), Error> {
    let now = tx.now();
    store::erase(tx.conn(), people, now).await
}
