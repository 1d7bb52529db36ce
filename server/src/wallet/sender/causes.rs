//! What transactions are for: asked before they are signed, told how they ended. The one page on which the sender knows its rooms.

use super::{Cause, OutgoingId, Settled, store::Item};
use crate::{
    error::Error,
    foundation::{context::Context, transaction::Tx},
    wallet::{chain::signer::Warrant, hot, user_wallets::settling, withdrawals},
};

/// Whether a transaction may be signed now.
#[derive(Clone, Copy, Debug)]
pub enum Ready {
    Go(Option<Warrant>),
    /// Not yet: what stands against it was noted, the next round asks again.
    Wait(Wait),
    /// Not any more: it was taken back.
    Dropped,
}

/// What stands against signing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// A hold, a pause, a case of its owner.
    Held,
    /// The books hold less than the chain would lose.
    Books,
}

/// Locks the cause's own row: always before the transaction's.
///
/// # Errors
/// Whatever the database refuses.
pub async fn lock(tx: &mut Tx, cause: Cause) -> Result<(), Error> {
    match cause {
        Cause::Withdrawal(id) => withdrawals::service::lock(tx, id.into()).await,
        Cause::WalletSend(_) | Cause::WalletApprove(_) | Cause::WalletSwap(_) | Cause::WalletRevoke(_) => {
            settling::lock(tx, cause).await
        }
        Cause::Cold(_) => Ok(()),
    }
}

/// Asked right before signing, and again for the same payment at another price.
///
/// # Errors
/// Whatever the database refuses.
pub async fn ready(context: &Context, tx: &mut Tx, item: &Item) -> Result<Ready, Error> {
    match item.cause {
        Cause::Withdrawal(id) => withdrawals::sending::ready(context, tx, id.into(), item).await,
        // A customer's own coins, with their owner's word and their signer's rules.
        Cause::WalletSend(_) | Cause::WalletApprove(_) | Cause::WalletSwap(_) | Cause::WalletRevoke(_) => {
            Ok(if settling::ready(context, tx, item.cause).await? {
                Ready::Go(None)
            } else {
                Ready::Dropped
            })
        }
        // The house's own: only to the cold address.
        Cause::Cold(_) => Ok(Ready::Go(None)),
    }
}

/// It is signed and stored: from now on it may reach the chain.
///
/// # Errors
/// Whatever the database refuses.
pub async fn signed(context: &Context, tx: &mut Tx, cause: Cause) -> Result<(), Error> {
    match cause {
        Cause::Withdrawal(id) => withdrawals::sending::signed(context, tx, id.into()).await,
        Cause::WalletSend(_) | Cause::WalletApprove(_) | Cause::WalletSwap(_) | Cause::WalletRevoke(_) => {
            settling::moved(context, tx, cause).await
        }
        Cause::Cold(_) => Ok(()),
    }
}

/// It stands in a block, or does no more, or has another hash: whoever shows it tells.
///
/// # Errors
/// Whatever the database refuses.
pub async fn moved(context: &Context, tx: &mut Tx, cause: Cause) -> Result<(), Error> {
    match cause {
        Cause::Withdrawal(id) => withdrawals::sending::moved(context, tx, id.into()).await,
        Cause::WalletSend(_) | Cause::WalletApprove(_) | Cause::WalletSwap(_) | Cause::WalletRevoke(_) => {
            settling::moved(context, tx, cause).await
        }
        Cause::Cold(_) => Ok(()),
    }
}

/// Another transaction has used its nonce for good: it is queued again.
///
/// # Errors
/// Whatever the database refuses.
pub async fn returned(context: &Context, tx: &mut Tx, cause: Cause) -> Result<(), Error> {
    match cause {
        Cause::Withdrawal(id) => withdrawals::sending::returned(context, tx, id.into()).await,
        Cause::WalletSend(_) | Cause::WalletApprove(_) | Cause::WalletSwap(_) | Cause::WalletRevoke(_) => {
            settling::moved(context, tx, cause).await
        }
        Cause::Cold(_) => Ok(()),
    }
}

/// It has ended, in the transaction that ends it.
///
/// # Errors
/// Whatever the ledger or the database refuses.
pub async fn settled(
    context: &Context,
    tx: &mut Tx,
    id: OutgoingId,
    cause: Cause,
    settled: &Settled,
) -> Result<(), Error> {
    match cause {
        Cause::Withdrawal(withdrawal) => {
            withdrawals::sending::settled(context, tx, withdrawal.into(), settled).await
        }
        Cause::Cold(_) => hot::service::gathered(tx, id, settled).await,
        Cause::WalletSend(_) | Cause::WalletApprove(_) | Cause::WalletSwap(_) | Cause::WalletRevoke(_) => {
            settling::settled(context, tx, cause, settled).await
        }
    }
}
