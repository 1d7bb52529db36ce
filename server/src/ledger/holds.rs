//! Two-phase money: set aside now, posted (whole or in part), voided or expired later; exactly one of these, once.

use super::{
    account::{AccountRef, UserAccount},
    amount::{Amount, Currency},
    booking::{HeldAccounts, NewHoldRow, Order},
    model::{Cause, CauseKind, Held, Leg, NewHold, Orderer, Posted, Transfer, TransferKind},
    rules::Refusal,
    service::{book, single},
    store,
};
use crate::{error::Error, foundation::transaction::Tx};
use protocol::{
    ErrorCode,
    ids::{HoldId, TransferId, UserId},
};

/// Where held money lies, in which currency.
fn held_account(from: AccountRef) -> Result<(AccountRef, Currency), Refusal> {
    match from {
        AccountRef::User(user, UserAccount::Available) => {
            Ok((AccountRef::User(user, UserAccount::Held), Currency::Usdt))
        }
        AccountRef::User(user, UserAccount::Pyx) => {
            Ok((AccountRef::User(user, UserAccount::PyxHeld), Currency::Pyx))
        }
        _ => Err(Refusal::Malformed("holds are placed on available or pyx")),
    }
}

/// What sets money aside, with the hold that it places.
fn placing(new: NewHold) -> Result<(Order, HoldId), Error> {
    let (held, currency) = held_account(new.from)?;
    if new.amount <= Amount::ZERO {
        return Err(Error::code(ErrorCode::AmountNotPositive));
    }
    let transfer = Transfer::new(TransferKind::Hold, new.key, new.cause, new.orderer)
        .settings(new.settings_version)
        .leg(new.from, currency, Amount(-new.amount.0))
        .leg(held, currency, new.amount);
    let mut order = Order::new(transfer, HeldAccounts::Moved)?;
    let id = HoldId::fresh();
    order.hold = Some(NewHoldRow {
        id,
        account: held.row_id(currency, 0),
        returns_to: new.from.row_id(currency, 0),
        amount: new.amount,
        expires_at: new.expires_at,
    });
    Ok((order, id))
}

/// The hold that was placed, now or by the same order before.
async fn placed(tx: &mut Tx, id: HoldId, posted: &Posted) -> Result<HoldId, Error> {
    if !posted.replayed {
        return Ok(id);
    }
    let before = store::hold_placed_by(tx.conn(), posted.id).await?;
    Ok(before.ok_or(Refusal::KeyReused)?)
}

/// Sets money aside. The same key with the same content gives the first hold again.
///
/// # Errors
/// `balance.insufficient`; `amount.not_positive`; `ledger.refused` when the key was used for something else.
pub async fn hold(tx: &mut Tx, new: NewHold) -> Result<Held, Error> {
    let (order, id) = placing(new)?;
    let posted = single(tx, Ok(order)).await?;
    Ok(Held {
        id: placed(tx, id, &posted).await?,
        transfer: posted,
    })
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
    let how = Resolution {
        outcome: Outcome::Posted,
        used: amount,
        legs,
        orderer,
        in_time: true,
        booked_as: None,
    };
    resolve(tx, id, how).await
}

/// Gives held money back.
///
/// # Errors
/// `ledger.refused` for an unknown hold or one that was resolved before.
pub async fn void_hold(tx: &mut Tx, id: HoldId, orderer: Orderer) -> Result<Posted, Error> {
    resolve(tx, id, Resolution::unused(Outcome::Voided, orderer)).await
}

/// Gives back what holds past their time have set aside, at most `max` of them; returns the holds that ended.
///
/// # Errors
/// Whatever the database refuses.
pub async fn expire_holds(tx: &mut Tx, max: i64) -> Result<Vec<HoldId>, Error> {
    let now = tx.now();
    let mut ended = Vec::new();
    for id in store::expired_holds(tx.conn(), now, max).await? {
        match resolve(tx, id, Resolution::unused(Outcome::Expired, Orderer::System)).await {
            Ok(_) => ended.push(id),
            // Another transaction resolved it in between.
            Err(e) if e.error_code() == ErrorCode::LedgerRefused => {}
            Err(e) => return Err(e),
        }
    }
    Ok(ended)
}

/// One of many movements of held money.
#[derive(Debug)]
pub enum Move {
    /// As [`hold`].
    Aside(NewHold),
    /// As [`void_hold`].
    Back(HoldId, Orderer),
    /// Like [`post_hold`], booked under the trade's own kind and cause, whatever the hold's time.
    Trade {
        hold: HoldId,
        used: Amount,
        legs: Vec<Leg>,
        orderer: Orderer,
        kind: TransferKind,
        cause: Cause,
    },
}

/// What became of a [`Move`].
#[derive(Debug)]
pub struct Moved {
    pub posted: Posted,
    /// What was set aside.
    pub hold: Option<HoldId>,
}

/// Books many movements of held money in their order as one set of statements, each by itself booked or refused. A hold that is used or given
/// back was placed before this call.
///
/// # Errors
/// `ledger.refused` as the single ways; the caller must not commit after an error.
pub async fn move_all(tx: &mut Tx, moves: Vec<Move>) -> Result<Vec<Result<Moved, Refusal>>, Error> {
    let mut slots = Vec::with_capacity(moves.len());
    let mut endings = Vec::new();
    for one in moves {
        match one {
            Move::Aside(new) => {
                let (order, id) = placing(new)?;
                slots.push(Some((order, id)));
            }
            Move::Back(id, orderer) => {
                slots.push(None);
                endings.push((id, Resolution::unused(Outcome::Voided, orderer)));
            }
            Move::Trade {
                hold,
                used,
                legs,
                orderer,
                kind,
                cause,
            } => {
                slots.push(None);
                let how = Resolution {
                    outcome: Outcome::Posted,
                    used: Some(used),
                    legs,
                    orderer,
                    in_time: false,
                    booked_as: Some((kind, cause)),
                };
                endings.push((hold, how));
            }
        }
    }
    let mut resolutions = resolutions(tx, endings).await?.into_iter();
    let mut orders = Vec::with_capacity(slots.len());
    let mut ids = Vec::with_capacity(slots.len());
    for slot in slots {
        let (order, id) = match slot {
            Some((order, id)) => (order, Some(id)),
            None => match resolutions.next() {
                Some(order) => (order, None),
                None => return Err(Error::internal("an end of a hold without its order")),
            },
        };
        orders.push(Ok(order));
        ids.push(id);
    }
    let outcomes = book(tx, orders).await?.outcomes;
    let mut moved = Vec::with_capacity(outcomes.len());
    for (outcome, id) in outcomes.into_iter().zip(ids) {
        moved.push(match outcome {
            Err(refusal) => Err(refusal),
            Ok(posted) => {
                let hold = match id {
                    Some(id) => Some(placed(tx, id, &posted).await?),
                    None => None,
                };
                Ok(Moved { posted, hold })
            }
        });
    }
    Ok(moved)
}

#[derive(Clone, Copy)]
enum Outcome {
    Posted,
    Voided,
    Expired,
}

/// How a hold ends.
struct Resolution {
    outcome: Outcome,
    /// None: all of it.
    used: Option<Amount>,
    legs: Vec<Leg>,
    orderer: Orderer,
    /// Only before the hold's time is over.
    in_time: bool,
    /// Another kind and cause than the hold's own.
    booked_as: Option<(TransferKind, Cause)>,
}

impl Resolution {
    const fn unused(outcome: Outcome, orderer: Orderer) -> Self {
        Self {
            outcome,
            used: Some(Amount::ZERO),
            legs: Vec::new(),
            orderer,
            in_time: false,
            booked_as: None,
        }
    }
}

async fn resolve(tx: &mut Tx, id: HoldId, how: Resolution) -> Result<Posted, Error> {
    match resolutions(tx, vec![(id, how)]).await?.pop() {
        Some(order) => single(tx, Ok(order)).await,
        None => Err(Error::internal("an end of a hold without its order")),
    }
}

/// Ends holds, and says what is to be booked for each. The row that can be written once comes first of all: others who resolve the same hold
/// wait there for our end.
async fn resolutions(tx: &mut Tx, endings: Vec<(HoldId, Resolution)>) -> Result<Vec<Order>, Error> {
    if endings.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<store::Ending> = endings
        .iter()
        .map(|(hold, how)| store::Ending {
            hold: *hold,
            transfer: TransferId::fresh(),
            outcome: match how.outcome {
                Outcome::Posted => "posted",
                Outcome::Voided => "voided",
                Outcome::Expired => "expired",
            },
            used: how.used,
            in_time: how.in_time,
        })
        .collect();
    let now = tx.now();
    let mut found = store::end_holds(tx.conn(), &rows, now).await?;
    endings
        .into_iter()
        .zip(rows)
        .map(|((id, how), row)| {
            let hold = found.remove(&id).ok_or(Refusal::Unknown)?;
            if !hold.fits {
                return Err(Error::code(ErrorCode::LedgerRefused));
            }
            if !hold.ends {
                return Err(Refusal::AlreadyResolved.into());
            }
            let mut order = ending(id, &hold, how)?;
            order.id = row.transfer;
            Ok(order)
        })
        .collect()
}

fn ending(id: HoldId, hold: &store::EndingHold, how: Resolution) -> Result<Order, Error> {
    let from = match hold.name.as_str() {
        "available" => UserAccount::Available,
        "pyx" => UserAccount::Pyx,
        _ => return Err(Error::internal("a hold that returns nowhere")),
    };
    let from = AccountRef::User(UserId(hold.owner), from);
    let (held, currency) = held_account(from)?;
    let kind = match how.outcome {
        Outcome::Posted => TransferKind::HoldPosted,
        Outcome::Voided => TransferKind::HoldVoided,
        Outcome::Expired => TransferKind::HoldExpired,
    };
    let (kind, cause) = how.booked_as.unwrap_or((kind, Cause::new(CauseKind::Hold, id.0)));
    let used = how.used.unwrap_or(hold.amount);
    let mut transfer = Transfer::new(kind, format!("hold:{id}"), cause, how.orderer)
        .leg(held, currency, Amount(-hold.amount.0))
        .leg(from, currency, Amount(hold.amount.0 - used.0));
    transfer.legs.extend(how.legs);
    Ok(Order::new(transfer, HeldAccounts::Moved)?)
}
