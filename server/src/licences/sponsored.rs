//! Sponsored capital: placed in a licence as a lot of its own, and taken out of that lot again.

use super::{
    model::{Licence, Lot, Origin},
    money::{self, account, copy_balances},
    service::{active, insufficient, room, tell, unknown},
    store,
};
use crate::{
    error::Error,
    foundation::{context::Context, transaction::Tx},
    ledger::{
        model::{AccountRef, HouseAccount, LicenceAccount, Orderer, Transfer, TransferKind, UserAccount},
        service as ledger,
    },
};
use protocol::{
    ids::{LicenceId, LotId, UserId},
    money::Usdt,
};
use time::Duration;

/// Whose licence, how much, on whose order.
#[derive(Clone, Copy, Debug)]
pub struct Sponsored<'a> {
    pub user: UserId,
    pub licence: LicenceId,
    pub value: Usdt,
    /// Of the ledger's transfer.
    pub key: &'a str,
    pub by: UserId,
}

async fn lock(tx: &mut Tx, order: &Sponsored<'_>) -> Result<Vec<Licence>, Error> {
    let found = store::lock(tx.conn(), Some(order.user.0), &[order.licence.0]).await?;
    if found.is_empty() {
        return Err(unknown().field("licenceId", protocol::ErrorCode::LicenceUnknown));
    }
    Ok(found)
}

/// Books what brings money into `sponsored`, then `sponsored → topup` as a lot of that origin. The licence is locked before any account.
///
/// # Errors
/// `licence.unknown`, `licence.state`, `licence.allocation_limit`, `balance.insufficient`.
pub async fn place(
    context: &Context,
    tx: &mut Tx,
    given: Transfer,
    order: &Sponsored<'_>,
) -> Result<(), Error> {
    let settings = context.settings.within(tx).await?;
    let mut licences = lock(tx, order).await?;
    let now = tx.now();
    let Some(licence) = licences.first_mut() else {
        return Err(unknown());
    };
    active(licence)?;
    room(licence, order.value)?;
    licence.capital += order.value;
    licence.topup_at = Some(now);
    let add = money::transfer(
        TransferKind::Topup,
        order.key,
        order.licence,
        Orderer::User(order.by),
        &settings,
    )
    .move_usdt(
        AccountRef::User(order.user, UserAccount::Sponsored),
        account(order.licence, LicenceAccount::Topup),
        order.value,
    );
    for posted in ledger::post_many(tx, vec![given, add]).await? {
        copy_balances(&mut licences, &posted)?;
    }
    let lot = Lot {
        id: LotId::fresh(),
        licence: order.licence,
        amount: order.value,
        origin: Origin::Sponsored,
        created_at: now,
        free_at: now + Duration::days(settings.settings.lot_locked_days),
    };
    store::insert_lots(tx.conn(), &[lot]).await?;
    tell(context, tx, &settings, &mut licences, order.licence).await?;
    Ok(())
}

/// A person's licence with its lots, locked until the change ends.
pub struct Held {
    licences: Vec<Licence>,
    lots: Vec<Lot>,
}

impl Held {
    /// What of the sponsored lots could be taken back now: what no open operation has reserved.
    #[must_use]
    pub fn takable(&self) -> Usdt {
        let licence = self.licences.first();
        licence.map_or(Usdt::ZERO, |licence| takable(licence, &self.lots))
    }
}

/// Locks a person's licence.
///
/// # Errors
/// `licence.unknown`.
pub async fn hold(tx: &mut Tx, user: UserId, licence: LicenceId) -> Result<Held, Error> {
    let licences = store::lock(tx.conn(), Some(user.0), &[licence.0]).await?;
    if licences.is_empty() {
        return Err(unknown());
    }
    let lots = store::lots(&mut *tx.conn(), &[licence.0]).await?;
    Ok(Held { licences, lots })
}

fn takable(licence: &Licence, lots: &[Lot]) -> Usdt {
    let sponsored: Usdt = lots
        .iter()
        .filter(|l| l.origin == Origin::Sponsored)
        .map(|l| l.amount)
        .sum();
    sponsored
        .min(licence.topup + licence.allocated - licence.reserved)
        .max(Usdt::ZERO)
}

/// Takes sponsored capital back to the house, oldest lot first: out of the top-up, then out of what is allocated and not reserved. What is taken
/// `beside` it is booked with it.
///
/// # Errors
/// `licence.unknown`, `balance.insufficient` when the sponsored lots hold less.
pub async fn take_back(
    context: &Context,
    tx: &mut Tx,
    held: Held,
    beside: Option<Transfer>,
    order: &Sponsored<'_>,
) -> Result<(), Error> {
    let settings = context.settings.within(tx).await?;
    let Held { mut licences, lots } = held;
    let Some(licence) = licences.first_mut() else {
        return Err(unknown());
    };
    if takable(licence, &lots) < order.value {
        return Err(insufficient());
    }
    let mut left = order.value;
    let mut taken = Vec::new();
    for lot in lots.iter().filter(|l| l.origin == Origin::Sponsored) {
        let part = lot.amount.min(left);
        if part.is_positive() {
            taken.push((lot.id, part));
            left -= part;
        }
    }
    store::lower_lots(tx.conn(), &taken).await?;
    let from_topup = order.value.min(licence.topup);
    let out = money::transfer(
        TransferKind::SponsorshipRemove,
        order.key,
        order.licence,
        Orderer::User(order.by),
        &settings,
    )
    .usdt(account(order.licence, LicenceAccount::Topup), -from_topup)
    .usdt(
        account(order.licence, LicenceAccount::Allocated),
        from_topup - order.value,
    )
    .usdt(AccountRef::House(HouseAccount::Sponsorship), order.value);
    licence.capital -= order.value;
    for posted in ledger::post_many(tx, beside.into_iter().chain([out]).collect()).await? {
        copy_balances(std::slice::from_mut(licence), &posted)?;
    }
    money::end_if_reached(context, tx, licence, &settings).await?;
    tell(context, tx, &settings, &mut licences, order.licence).await?;
    Ok(())
}
