//! Money of a payout in the books: set aside, and what it becomes when it has left.

use super::{
    kind::{Destination, Kind, Quote},
    refuse, rules,
};
use crate::{
    error::Error,
    foundation::{
        settings::{InForce, Settings},
        transaction::Tx,
    },
    ledger::{
        amount::Amount,
        fees,
        model::{
            AccountRef, Cause, CauseKind, Currency, Fx, HouseAccount, Leg, NewHold, Orderer, UserAccount,
        },
        service as ledger,
    },
};
use protocol::{
    ErrorCode,
    ids::{HoldId, UserId},
    money::Usdt,
};

/// Divides a value. Whether it lies in `available` the guard sees first of all.
///
/// # Errors
/// `withdrawal.invalid`.
pub fn parts(value: Usdt, settings: &Settings) -> Result<rules::Parts, Error> {
    rules::parts(value, settings).ok_or_else(|| refuse("value", ErrorCode::WithdrawalInvalid))
}

/// Whether `available` holds what a quote draws. Of an order the guard sees that itself.
///
/// # Errors
/// `balance.insufficient`.
pub async fn affordable<K: Destination>(tx: &mut Tx, owner: UserId, quote: &Quote<K>) -> Result<(), Error> {
    let available = AccountRef::User(owner, UserAccount::Available);
    if K::drawn(quote).unwrap_or(quote.value) > ledger::usdt_balance(tx.conn(), available).await? {
        return Err(refuse("value", ErrorCode::BalanceInsufficient));
    }
    Ok(())
}

/// What is set aside of whom.
pub struct Aside<'a> {
    pub owner: UserId,
    pub from: UserAccount,
    pub amount: Amount,
    /// Tells a payout's holds apart.
    pub part: &'a str,
    /// What is said when there is too little.
    pub lacks: ErrorCode,
}

/// Sets money of its owner aside for a payout.
///
/// # Errors
/// What `aside` says of too little.
pub async fn set_aside<K: Kind>(
    tx: &mut Tx,
    id: K::Id,
    aside: Aside<'_>,
    in_force: &InForce,
) -> Result<HoldId, Error> {
    let new = NewHold {
        from: AccountRef::User(aside.owner, aside.from),
        amount: aside.amount,
        key: format!("{}:{id}{}", K::name(), aside.part),
        cause: Cause::new(CauseKind::Withdrawal, id.into()),
        orderer: Orderer::User(aside.owner),
        settings_version: in_force.version,
        // It ends with the payout, which ends by its own job.
        expires_at: None,
    };
    let held = ledger::hold(tx, new).await.map_err(|e| match e.error_code() {
        ErrorCode::BalanceInsufficient => refuse("value", aside.lacks),
        _ => e,
    })?;
    Ok(held.id)
}

/// Sets a quote's whole value aside, from `available`.
///
/// # Errors
/// `balance.insufficient`.
pub async fn set_value_aside<K: Kind>(
    tx: &mut Tx,
    id: K::Id,
    owner: UserId,
    quote: &Quote<K>,
    in_force: &InForce,
) -> Result<HoldId, Error> {
    let aside = Aside {
        owner,
        from: UserAccount::Available,
        amount: quote.value.into(),
        part: "",
        lacks: ErrorCode::BalanceInsufficient,
    };
    set_aside::<K>(tx, id, aside, in_force).await
}

/// A leg of a house's account in USDT.
fn usdt(account: HouseAccount, amount: Usdt) -> Leg {
    Leg {
        account: AccountRef::House(account),
        currency: Currency::Usdt,
        amount: amount.into(),
    }
}

/// A fee for the fund and the house.
///
/// # Errors
/// `service.internal` for a fee that cannot be divided.
pub fn fee_legs(fee: Usdt, settings: &Settings) -> Result<Vec<Leg>, Error> {
    let parts = fees::divide(fee, settings.fee_network_fund_share)?;
    Ok([
        (HouseAccount::NetworkFund, parts.fund),
        (HouseAccount::WithdrawalFees, parts.house),
    ]
    .into_iter()
    .filter(|(_, part)| !part.is_zero())
    .map(|(account, part)| usdt(account, part))
    .collect())
}

/// What has left, in its own currency, and from which of the house's accounts.
#[derive(Clone, Copy)]
pub struct Left {
    pub exchange: Fx,
    pub custody: HouseAccount,
    pub currency: Currency,
    pub amount: Amount,
}

/// What left, against the exchange.
#[must_use]
pub fn left_legs(left: Left) -> [Leg; 2] {
    [
        (HouseAccount::Fx(left.exchange), Amount(-left.amount.0)),
        (left.custody, left.amount),
    ]
    .map(|(account, amount)| Leg {
        account: AccountRef::House(account),
        currency: left.currency,
        amount,
    })
}

/// What a held value becomes: the net against what left, the fee for the fund and the house.
///
/// # Errors
/// `service.internal` for a fee that cannot be divided.
pub fn legs(net: Usdt, fee: Usdt, left: Left, settings: &Settings) -> Result<Vec<Leg>, Error> {
    let mut legs = vec![usdt(HouseAccount::Fx(left.exchange), net)];
    legs.extend(fee_legs(fee, settings)?);
    legs.extend(left_legs(left));
    Ok(legs)
}
