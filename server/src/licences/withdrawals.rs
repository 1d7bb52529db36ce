//! What leaves a licence: free capital, yield on its days, and everything when a sale is cancelled.

use super::{
    loans,
    model::{Amount, LicenceMoved, Named, Origin},
    money::{self, account, copy_balances, origin_account, own_part, take_lots},
    reconciliation, rules,
    service::{active, finish, insufficient, lock, one, positive},
    store,
};
use crate::{
    affiliates,
    error::Error,
    foundation::{business_day, context::Context, idempotency::Key, transaction::Tx},
    identity::caller::Caller,
    ledger::{
        model::{AccountRef, LicenceAccount, Orderer, TransferKind, UserAccount},
        service as ledger,
    },
};
use protocol::{
    ErrorCode,
    ids::{LicenceId, LotId},
    money::Usdt,
    views::LicenceState,
};
use std::collections::BTreeMap;

/// Takes free lots out of the top-up: what came from the sponsorship back there, everything else to `available`.
///
/// # Errors
/// `amount.not_positive`, `licence.unknown`, `licence.lots_locked`, `loan.collateral`, `balance.insufficient`.
pub async fn withdraw_capital(
    context: &Context,
    tx: &mut Tx,
    caller: &Caller,
    key: &Key,
    order: &Amount,
) -> Result<LicenceMoved, Error> {
    positive(order.value)?;
    let settings = context.settings.within(tx).await?;
    let mut licences = lock(tx, caller, &[order.licence]).await?;
    let now = tx.now();
    let licence = one(&mut licences, order.licence)?;
    if order.value > licence.topup {
        return Err(insufficient());
    }
    let taken = take_lots(tx, order.licence, order.value, Some(now)).await?;
    let own = own_part(&taken);
    let sponsored = order.value - own;
    loans::stays_backed(tx, licence, own).await?;
    let out = money::transfer(
        TransferKind::CapitalWithdrawal,
        key.ledger_key(),
        licence.id,
        Orderer::User(caller.user),
        &settings,
    )
    .usdt(account(licence.id, LicenceAccount::Topup), -order.value)
    .usdt(AccountRef::User(caller.user, UserAccount::Sponsored), sponsored)
    .usdt(AccountRef::User(caller.user, UserAccount::Available), own);
    let posted = ledger::post(tx, out).await?;
    licence.capital -= order.value;
    copy_balances(std::slice::from_mut(licence), &posted)?;
    money::end_if_reached(context, tx, licence, &settings).await?;
    finish(context, tx, &settings, licences, order.licence, vec![posted.id]).await
}

/// Takes yield out, on the days that the settings name.
///
/// # Errors
/// `amount.not_positive`, `licence.unknown`, `yield.day` with the next day, `yield.unreconciled`, `balance.insufficient`.
pub async fn withdraw_yield(
    context: &Context,
    tx: &mut Tx,
    caller: &Caller,
    key: &Key,
    order: &Amount,
) -> Result<LicenceMoved, Error> {
    positive(order.value)?;
    let settings = context.settings.within(tx).await?;
    let mut licences = lock(tx, caller, &[order.licence]).await?;
    let today = business_day::of(tx.now());
    let next = rules::next_yield_day(today, &settings.settings.yield_days);
    if next != Some(today) {
        let next = next.map(business_day::shown_day).unwrap_or_default();
        return Err(Error::code(ErrorCode::YieldDay)
            .field("value", ErrorCode::YieldDay)
            .with("next", next)
            .with(
                "days",
                settings
                    .settings
                    .yield_days
                    .iter()
                    .map(u8::to_string)
                    .collect::<Vec<_>>()
                    .join(", "),
            ));
    }
    reconciliation::require(context, tx).await?;
    let licence = one(&mut licences, order.licence)?;
    if order.value > licence.yield_balance {
        return Err(insufficient());
    }
    let out = money::transfer(
        TransferKind::YieldWithdrawal,
        key.ledger_key(),
        licence.id,
        Orderer::User(caller.user),
        &settings,
    )
    .move_usdt(
        account(licence.id, LicenceAccount::Yield),
        AccountRef::User(caller.user, UserAccount::Available),
        order.value,
    );
    let posted = ledger::post(tx, out).await?;
    copy_balances(std::slice::from_mut(licence), &posted)?;
    finish(context, tx, &settings, licences, order.licence, vec![posted.id]).await
}

/// Undoes a purchase within seven days while nothing was ever allocated: the price goes back, each lot to where it came from.
///
/// # Errors
/// `licence.unknown`, `licence.state`, `licence.final`.
pub async fn cancel(
    context: &Context,
    tx: &mut Tx,
    caller: &Caller,
    key: &Key,
    order: &Named,
) -> Result<LicenceMoved, Error> {
    let settings = context.settings.within(tx).await?;
    // Where the lots came from says which other licences are touched; their rows are locked in one go, in order.
    let before = store::lots(tx.conn(), &[order.licence.0]).await?;
    let ids: Vec<LicenceId> = std::iter::once(order.licence)
        .chain(before.iter().filter_map(|l| l.origin.licence()))
        .collect();
    let mut licences = lock(tx, caller, &ids).await?;
    let mut lots = store::lots(tx.conn(), &[order.licence.0]).await?;
    if lots
        .iter()
        .any(|l| l.origin.licence().is_some_and(|id| !ids.contains(&id)))
    {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    let now = tx.now();
    let licence = one(&mut licences, order.licence)?;
    active(licence)?;
    if licence.final_at.is_some() || now >= licence.cancellable_until {
        return Err(Error::code(ErrorCode::LicenceFinal));
    }
    let orderer = Orderer::User(caller.user);
    let refund_to = if licence.sponsored {
        UserAccount::Sponsored
    } else {
        UserAccount::Available
    };
    let refund = money::transfer(
        TransferKind::LicenceCancel,
        key.ledger_key(),
        licence.id,
        orderer,
        &settings,
    )
    .move_usdt(
        account(licence.id, LicenceAccount::Price),
        AccountRef::User(caller.user, refund_to),
        licence.price,
    );
    let (id, owner) = (licence.id, licence.owner);
    if licence.debt().is_positive() {
        // What is lent on its lots is repaid out of them before they go back.
        loans::collect(tx, licence, &settings).await?;
        lots = store::lots(tx.conn(), &[id.0]).await?;
    }
    licence.state = LicenceState::Cancelled;
    let ended = licence.in_network();
    let posted = ledger::post(tx, refund).await?;
    copy_balances(&mut licences, &posted)?;
    let mut transfers = vec![posted.id];
    let mut back: BTreeMap<Origin, Usdt> = BTreeMap::new();
    for lot in &lots {
        *back.entry(lot.origin).or_default() += lot.amount;
    }
    // One transfer for each origin: a ledger transfer has a bounded number of legs, a licence any number of lots.
    for (n, (origin, amount)) in back.into_iter().enumerate() {
        let key = format!("{}:lot:{n}", key.ledger_key());
        let move_back = money::transfer(TransferKind::LotReturn, key, id, orderer, &settings).move_usdt(
            account(id, LicenceAccount::Topup),
            origin_account(owner, origin),
            amount,
        );
        let posted = ledger::post(tx, move_back).await?;
        copy_balances(&mut licences, &posted)?;
        transfers.push(posted.id);
    }
    let taken: Vec<(LotId, Usdt)> = lots.iter().map(|l| (l.id, l.amount)).collect();
    store::lower_lots(tx.conn(), &taken).await?;
    affiliates::service::licence_changed(context, tx, &ended).await?;
    finish(context, tx, &settings, licences, order.licence, transfers).await
}
