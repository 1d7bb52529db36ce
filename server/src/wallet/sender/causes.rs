//! What transactions are for: asked before they are signed, told how they ended. The one page on which the sender knows its rooms.

use super::{Cause, OutgoingId, Settled, store::Item};
use crate::{
    error::Error,
    foundation::{context::Context, transaction::Tx},
    wallet::{
        carried, chain::signer::Warrant, graduation_bonuses::GraduationBonus, hot, user_wallets::settling,
        withdrawals::Crypto,
    },
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
        Cause::Withdrawal(id) => carried::lock::<Crypto>(tx, id.into()).await,
        Cause::GraduationBonus(id) => carried::lock::<GraduationBonus>(tx, id.into()).await,
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
        Cause::Withdrawal(id) => carried::ready::<Crypto>(context, tx, id.into(), item).await,
        Cause::GraduationBonus(id) => carried::ready::<GraduationBonus>(context, tx, id.into(), item).await,
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
        Cause::Withdrawal(id) => carried::signed::<Crypto>(context, tx, id.into()).await,
        Cause::GraduationBonus(id) => carried::signed::<GraduationBonus>(context, tx, id.into()).await,
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
        Cause::Withdrawal(id) => carried::moved::<Crypto>(context, tx, id.into()).await,
        Cause::GraduationBonus(id) => carried::moved::<GraduationBonus>(context, tx, id.into()).await,
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
        Cause::Withdrawal(id) => carried::returned::<Crypto>(context, tx, id.into()).await,
        Cause::GraduationBonus(id) => carried::returned::<GraduationBonus>(context, tx, id.into()).await,
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
        Cause::Withdrawal(payout) => carried::settled::<Crypto>(context, tx, payout.into(), settled).await,
        Cause::GraduationBonus(payout) => {
            carried::settled::<GraduationBonus>(context, tx, payout.into(), settled).await
        }
        Cause::Cold(_) => hot::service::gathered(tx, id, settled).await,
        Cause::WalletSend(_) | Cause::WalletApprove(_) | Cause::WalletSwap(_) | Cause::WalletRevoke(_) => {
            settling::settled(context, tx, cause, settled).await
        }
    }
}
