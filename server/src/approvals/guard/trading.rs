//! Orders in the book PYX/USDT, which need no code each: whom they bind to the anchors of the book, and what their trades lose of the limits.
//!
//! A trade worse than its side's anchor hands value to the other side. What it loses is a row of `approvals.outbound` like anything that
//! leaves, so that no session gives away by trading what it may not send. Gains set nothing off.
//!
//! Lock order: the book's lock first, then [`lock`] for everybody whose limits are asked, then the ledger's accounts. Whoever sends
//! money holds one of these locks and never asks for the book's.

use super::{Action, Outbound, require_open, store, within_limits};
use crate::{
    approvals::{
        restraint::{self, OwnLimits},
        whitelist,
    },
    error::Error,
    foundation::{context::Context, transaction::Tx},
};
use protocol::{
    ErrorCode,
    ids::{OutboundId, UserId},
    money::Usdt,
};

/// Whether a person's orders must be at the anchors or better: their whitelist is in force, or a limit of their own.
///
/// # Errors
/// Whatever the database refuses.
pub async fn is_bound(tx: &mut Tx, user: UserId) -> Result<bool, Error> {
    Ok(whitelist::is_on(tx, user).await? || restraint::limits(tx, user).await? != OwnLimits::default())
}

/// Whether a person's waiting orders may lose nothing: they are bound to the anchors, or nothing of theirs may leave now. So an order
/// that somebody placed in a stolen session stops with the owner's freeze.
///
/// # Errors
/// Whatever the database refuses.
pub async fn may_lose_nothing(tx: &mut Tx, user: UserId) -> Result<bool, Error> {
    if is_bound(tx, user).await? {
        return Ok(true);
    }
    match require_open(tx, user).await {
        Ok(()) => Ok(false),
        Err(error)
            if matches!(
                error.error_code(),
                ErrorCode::OutboundHeld | ErrorCode::OutboundPaused | ErrorCode::OutboundDebt
            ) =>
        {
            Ok(true)
        }
        Err(error) => Err(error),
    }
}

/// Takes the lock of a person's limits, until the end of the change.
///
/// # Errors
/// Whatever the database refuses.
pub async fn lock(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    store::lock(tx.conn(), user).await
}

const fn loss(user: UserId, counterparty: Option<UserId>, lost: Usdt) -> Outbound<'static> {
    Outbound {
        user,
        action: Action::PyxTrade,
        destination: "",
        amount: "",
        usdt: lost,
        drawn: None,
        counterparty,
        security_code: None,
    }
}

/// Refuses a loss that the person's limits have no room for. Call [`lock`] first.
///
/// # Errors
/// `outbound.transaction_limit`, `outbound.day_limit`.
pub async fn require_room(context: &Context, tx: &mut Tx, user: UserId, lost: Usdt) -> Result<(), Error> {
    if !lost.is_positive() {
        return Ok(());
    }
    let in_force = context.settings.within(tx).await?;
    within_limits(tx, &in_force.settings, &loss(user, None, lost)).await
}

/// Whether the limits have room for a loss. Call [`lock`] first.
///
/// # Errors
/// Whatever the database refuses.
pub async fn has_room(context: &Context, tx: &mut Tx, user: UserId, lost: Usdt) -> Result<bool, Error> {
    match require_room(context, tx, user, lost).await {
        Ok(()) => Ok(true),
        Err(error)
            if matches!(
                error.error_code(),
                ErrorCode::OutboundTransactionLimit | ErrorCode::OutboundDayLimit
            ) =>
        {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Counts what a trade lost to the other side.
///
/// # Errors
/// Whatever the database refuses.
pub async fn note_loss(tx: &mut Tx, user: UserId, counterparty: UserId, lost: Usdt) -> Result<(), Error> {
    if !lost.is_positive() {
        return Ok(());
    }
    let now = tx.now();
    let out = loss(user, Some(counterparty), lost);
    store::insert(tx.conn(), OutboundId::fresh(), &out, now).await
}
