//! Two-phase money: set aside now, posted (whole or in part), voided or expired later; exactly one of these, once.

use super::{
    account::{AccountRef, UserAccount},
    amount::{Amount, Currency},
    booking::{HeldAccounts, Order},
    model::{Cause, CauseKind, Held, Leg, NewHold, Orderer, Posted, Transfer, TransferKind},
    rules::Refusal,
    service::single,
    store,
};
use crate::{error::Error, foundation::transaction::Tx};
use protocol::{
    ErrorCode,
    ids::{HoldId, UserId},
};

/// Where held money lies, in which currency.
fn held_account(from: AccountRef) -> Result<(UserId, AccountRef, Currency), Refusal> {
    match from {
        AccountRef::User(user, UserAccount::Available) => {
            Ok((user, AccountRef::User(user, UserAccount::Held), Currency::Usdt))
        }
        AccountRef::User(user, UserAccount::Pyx) => {
            Ok((user, AccountRef::User(user, UserAccount::PyxHeld), Currency::Pyx))
        }
        _ => Err(Refusal::Malformed("holds are placed on available or pyx")),
    }
}

/// Sets money aside. The same key with the same content gives the first hold again.
///
/// # Errors
/// `balance.insufficient`; `amount.not_positive`; `ledger.refused` when the key was used for something else.
pub async fn hold(tx: &mut Tx, new: NewHold) -> Result<Held, Error> {
    let (_, held, currency) = held_account(new.from)?;
    if new.amount <= Amount::ZERO {
        return Err(Error::code(ErrorCode::AmountNotPositive));
    }
    let transfer = Transfer::new(TransferKind::Hold, new.key, new.cause, new.orderer)
        .settings(new.settings_version)
        .leg(new.from, currency, Amount(-new.amount.0))
        .leg(held, currency, new.amount);
    let posted = single(tx, Order::new(transfer, HeldAccounts::Moved)).await?;
    if posted.replayed {
        let id = store::hold_placed_by(tx.conn(), posted.id)
            .await?
            .ok_or(Refusal::KeyReused)?;
        return Ok(Held { id, transfer: posted });
    }
    let id = HoldId::fresh();
    let now = tx.now();
    let row = store::HoldRow {
        account: held.row_id(currency, 0),
        returns_to: new.from.row_id(currency, 0),
        amount: new.amount,
        cause_kind: new.cause.kind.as_str().to_owned(),
        cause: new.cause.id,
        expires_at: new.expires_at,
    };
    store::insert_hold(tx.conn(), id, posted.id, &row, now).await?;
    Ok(Held { id, transfer: posted })
}

/// Uses held money: `amount` of it (all when none) goes by `legs`, the rest returns. The legs sum to `amount` in the hold's
/// currency and to zero in every other.
///
/// # Errors
/// `ledger.refused` for an unknown hold, one that was resolved before, one past its time, or an amount above the hold's.
pub async fn post_hold(
    tx: &mut Tx,
    id: HoldId,
    amount: Option<Amount>,
    legs: Vec<Leg>,
    orderer: Orderer,
) -> Result<Posted, Error> {
    let found = find(tx, id).await?;
    let used = amount.unwrap_or(found.row.amount);
    if used <= Amount::ZERO
        || used > found.row.amount
        || found.row.expires_at.is_some_and(|end| end <= tx.now())
    {
        return Err(Error::code(ErrorCode::LedgerRefused));
    }
    let order = Resolution {
        outcome: Outcome::Posted,
        used,
        legs,
        orderer,
        booked_as: None,
    };
    resolve(tx, id, found, order).await
}

/// Uses held money in a trade: like [`post_hold`], booked under the trade's own kind and cause.
///
/// # Errors
/// As [`post_hold`]; `balance.insufficient` when the other side has too little.
pub async fn trade_hold(
    tx: &mut Tx,
    id: HoldId,
    used: Amount,
    legs: Vec<Leg>,
    orderer: Orderer,
    kind: TransferKind,
    cause: Cause,
) -> Result<Posted, Error> {
    let found = find(tx, id).await?;
    if used <= Amount::ZERO || used > found.row.amount {
        return Err(Error::code(ErrorCode::LedgerRefused));
    }
    let order = Resolution {
        outcome: Outcome::Posted,
        used,
        legs,
        orderer,
        booked_as: Some((kind, cause)),
    };
    resolve(tx, id, found, order).await
}

/// Gives held money back.
///
/// # Errors
/// `ledger.refused` for an unknown hold or one that was resolved before.
pub async fn void_hold(tx: &mut Tx, id: HoldId, orderer: Orderer) -> Result<Posted, Error> {
    let found = find(tx, id).await?;
    resolve(tx, id, found, Resolution::unused(Outcome::Voided, orderer)).await
}

/// Gives back what holds past their time have set aside, at most `max` of them; returns the holds that ended.
///
/// # Errors
/// Whatever the database refuses.
pub async fn expire_holds(tx: &mut Tx, max: i64) -> Result<Vec<HoldId>, Error> {
    let now = tx.now();
    let mut ended = Vec::new();
    for id in store::expired_holds(tx.conn(), now, max).await? {
        let found = find(tx, id).await?;
        match resolve(
            tx,
            id,
            found,
            Resolution::unused(Outcome::Expired, Orderer::System),
        )
        .await
        {
            Ok(_) => ended.push(id),
            // Another transaction resolved it in between.
            Err(e) if e.error_code() == ErrorCode::LedgerRefused => {}
            Err(e) => return Err(e),
        }
    }
    Ok(ended)
}

#[derive(Clone, Copy)]
enum Outcome {
    Posted,
    Voided,
    Expired,
}

struct Found {
    row: store::HoldRow,
    from: AccountRef,
    held: AccountRef,
    currency: Currency,
}

async fn find(tx: &mut Tx, id: HoldId) -> Result<Found, Error> {
    let (row, owner, name) = store::find_hold(tx.conn(), id).await?.ok_or(Refusal::Unknown)?;
    let from = match name.as_str() {
        "available" => UserAccount::Available,
        "pyx" => UserAccount::Pyx,
        _ => return Err(Error::internal("a hold that returns nowhere")),
    };
    let from = AccountRef::User(UserId(owner), from);
    let (_, held, currency) = held_account(from)?;
    Ok(Found {
        row,
        from,
        held,
        currency,
    })
}

/// How a hold ends.
struct Resolution {
    outcome: Outcome,
    used: Amount,
    legs: Vec<Leg>,
    orderer: Orderer,
    /// Another kind and cause than the hold's own.
    booked_as: Option<(TransferKind, Cause)>,
}

impl Resolution {
    const fn unused(outcome: Outcome, orderer: Orderer) -> Self {
        Self {
            outcome,
            used: Amount::ZERO,
            legs: Vec::new(),
            orderer,
            booked_as: None,
        }
    }
}

async fn resolve(tx: &mut Tx, id: HoldId, found: Found, how: Resolution) -> Result<Posted, Error> {
    let Found {
        row,
        from,
        held,
        currency,
    } = found;
    let Resolution {
        outcome,
        used,
        legs,
        orderer,
        booked_as,
    } = how;
    let (kind, word) = match outcome {
        Outcome::Posted => (TransferKind::HoldPosted, "posted"),
        Outcome::Voided => (TransferKind::HoldVoided, "voided"),
        Outcome::Expired => (TransferKind::HoldExpired, "expired"),
    };
    let (kind, cause) = booked_as.unwrap_or((kind, Cause::new(CauseKind::Hold, id.0)));
    let mut transfer = Transfer::new(kind, format!("hold:{id}"), cause, orderer)
        .leg(held, currency, Amount(-row.amount.0))
        .leg(from, currency, Amount(row.amount.0 - used.0));
    transfer.legs.extend(legs);
    let order = Order::new(transfer, HeldAccounts::Moved)?;
    // First of all: the row that can be written once. Others who resolve the same hold wait here for our end.
    let now = tx.now();
    if !store::insert_resolution(tx.conn(), id, order.id, word, used, now).await? {
        return Err(Refusal::AlreadyResolved.into());
    }
    single(tx, Ok(order)).await
}
