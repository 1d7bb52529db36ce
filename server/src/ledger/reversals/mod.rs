//! What was booked, undone by its opposite (docs/rules/ledger.md#transfers): a transfer as a whole, a mass booking for one owner at a time.

mod store;

use super::{
    account::AccountRef,
    amount::{Amount, Currency},
    booking::{Order, OrderLeg},
    model::{Cause, CauseKind, Orderer, Posted, TransferKind},
    rules::{self, Refusal},
    service,
};
use crate::{error::Error, foundation::transaction::Tx};
use protocol::{
    ids::{LicenceId, TransferId, UserId},
    money::Usdt,
};
use store::Original;
use time::Date;
use uuid::Uuid;

/// Undoes a transfer by its opposite, once. `reason` is a short code or sentence without personal values.
///
/// # Errors
/// `ledger.refused` for an unknown transfer, a reversal, a hold's transfer (holds are resolved), a mass booking (see [`reverse_part`])
/// or one that was reversed before; `balance.insufficient` when the money is no longer there.
pub async fn reverse(
    tx: &mut Tx,
    transfer: TransferId,
    orderer: Orderer,
    reason: &str,
) -> Result<Posted, Error> {
    let original = store::original(tx.conn(), transfer)
        .await?
        .ok_or(Refusal::Unknown)?;
    let order = reversal(transfer, &original, None, orderer, reason)?;
    undo(tx, order).await
}

/// Whose legs of a mass booking are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    User(UserId),
    Licence(LicenceId),
}

impl Owner {
    const fn id(self) -> Uuid {
        match self {
            Self::User(id) => id.0,
            Self::Licence(id) => id.0,
        }
    }
}

/// What a mass booking did to one person or licence: what is written stays so, and what undoes it reads nothing anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub transfer: TransferId,
    pub business_day: Date,
    owner: Owner,
    /// The house's row, which is the other side of the legs.
    house: Uuid,
    original: Original,
    /// By the account's row.
    legs: Vec<(Uuid, Usdt)>,
}

impl Part {
    /// What it brought an account, or took from it, in USDT.
    #[must_use]
    pub fn of(&self, account: AccountRef) -> Usdt {
        let row = account.row_id(Currency::Usdt, 0);
        self.legs
            .iter()
            .filter(|(account, _)| *account == row)
            .map(|(_, amount)| *amount)
            .sum()
    }
}

/// What the mass booking of this key did to one person or licence; none where there is no such booking, or it did nothing to them.
///
/// # Errors
/// Whatever the database refuses.
pub async fn part(tx: &mut Tx, key: &str, owner: Owner) -> Result<Option<Part>, Error> {
    let Some(part) = store::part(tx.conn(), key, owner.id()).await? else {
        return Ok(None);
    };
    let beyond = || Error::internal("a posting beyond what USDT holds");
    let legs = part.original.legs.iter();
    let legs = legs.map(|leg| Ok((leg.account, leg.amount.usdt().ok_or_else(beyond)?)));
    Ok(Some(Part {
        transfer: part.transfer,
        business_day: part.business_day,
        owner,
        house: part.house,
        legs: legs.collect::<Result<_, Error>>()?,
        original: part.original,
    }))
}

/// Undoes what a mass booking did to one person or licence, once: a transfer of its own that names both.
///
/// # Errors
/// `ledger.refused` for a part that was reversed before; `balance.insufficient` when the money is no longer there.
pub async fn reverse_part(tx: &mut Tx, part: &Part, orderer: Orderer, reason: &str) -> Result<Posted, Error> {
    let order = reversal(part.transfer, &part.original, Some(part), orderer, reason)?;
    undo(tx, order).await
}

async fn undo(tx: &mut Tx, order: Order) -> Result<Posted, Error> {
    let posted = service::single(tx, Ok(order)).await?;
    if posted.replayed {
        Err(Refusal::AlreadyReversed.into())
    } else {
        Ok(posted)
    }
}

fn reversal(
    id: TransferId,
    original: &Original,
    part: Option<&Part>,
    orderer: Orderer,
    reason: &str,
) -> Result<Order, Error> {
    let reversible = !original.legs.is_empty()
        && TransferKind::read(&original.kind).is_some_and(|kind| {
            !matches!(
                kind,
                TransferKind::Reversal
                    | TransferKind::Hold
                    | TransferKind::HoldPosted
                    | TransferKind::HoldVoided
                    | TransferKind::HoldExpired
                    | TransferKind::PyxTrade
            )
        });
    if !reversible {
        return Err(Refusal::Unknown.into());
    }
    let mut legs = Vec::with_capacity(original.legs.len() + 1);
    let mut credited = Vec::new();
    let mut house = 0i128;
    for leg in &original.legs {
        let currency = Currency::read(&leg.currency)
            .ok_or_else(|| Error::internal("a posting in an unknown currency"))?;
        legs.push(OrderLeg {
            row: leg.account,
            currency,
            amount: Amount(-leg.amount.0),
        });
        house += leg.amount.0;
        if leg.owner_kind == "user" && leg.name == "available" && leg.amount < Amount::ZERO {
            credited.extend(leg.owner.map(UserId));
        }
    }
    // The house's side of one part of a mass booking is what balances it; all of it is in USDT.
    if let Some(part) = part
        && house != 0
    {
        legs.push(OrderLeg {
            row: part.house,
            currency: Currency::Usdt,
            amount: Amount(house),
        });
    }
    let cause = Cause::new(CauseKind::Transfer, id.0);
    let part = part.map(|part| part.owner.id());
    Ok(Order {
        id: TransferId::fresh(),
        kind: TransferKind::Reversal,
        key: match part {
            None => format!("reversal:{id}"),
            Some(part) => format!("reversal:{id}:{part}"),
        },
        hash: rules::hash(TransferKind::Reversal, cause, None, std::iter::empty()),
        cause,
        orderer,
        mode: None,
        settings_version: original.settings_version,
        business_day: None,
        reverses: Some(id),
        part,
        reason: Some(reason.to_owned()),
        legs,
        accounts: Vec::new(),
        credited,
        hold: None,
    })
}
