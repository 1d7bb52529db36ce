//! Moves of a licence's money inside a transaction: the ledger's transfer, the lots, the copy of the balances.

use super::{
    loans,
    model::{Licence, Lot, Origin, Source},
    rules::{self, LotAmount},
    store,
};
use crate::{
    affiliates,
    error::Error,
    foundation::{business_day, context::Context, settings::InForce, transaction::Tx},
    ledger::{
        model::{
            AccountRef, Cause, CauseKind, Currency, HouseAccount, LicenceAccount, Orderer, Posted, Transfer,
            TransferKind, UserAccount,
        },
        service as ledger,
    },
};
use protocol::{
    ErrorCode,
    ids::{LicenceId, LotId, UserId},
    money::Usdt,
    views::LicenceState,
};
use time::OffsetDateTime;

/// A licence's account in the ledger.
#[must_use]
pub const fn account(id: LicenceId, which: LicenceAccount) -> AccountRef {
    AccountRef::Licence(id, which)
}

/// Takes the balances after a booking over into the licences' rows.
///
/// # Errors
/// `service.internal` for a balance beyond what USDT holds.
pub fn copy_balances(licences: &mut [Licence], posted: &Posted) -> Result<(), Error> {
    for licence in licences {
        copy_moved(licence, LicenceAccount::ALL, posted)?;
    }
    Ok(())
}

/// The same for one licence, of which only these accounts may have moved.
///
/// # Errors
/// As [`copy_balances`].
pub fn copy_moved(
    licence: &mut Licence,
    moved: impl IntoIterator<Item = LicenceAccount>,
    posted: &Posted,
) -> Result<(), Error> {
    for which in moved {
        let Some(after) = posted.balance_after(account(licence.id, which), Currency::Usdt) else {
            continue;
        };
        let after = after
            .usdt()
            .ok_or_else(|| Error::internal("a balance beyond what USDT holds"))?;
        match which {
            LicenceAccount::Price => licence.price = after,
            LicenceAccount::Topup => licence.topup = after,
            LicenceAccount::Allocated => licence.allocated = after,
            LicenceAccount::Yield => licence.yield_balance = after,
            LicenceAccount::Loan => licence.loan = after,
        }
    }
    Ok(())
}

/// A transfer that a licence causes.
#[must_use]
pub fn transfer(
    kind: TransferKind,
    key: impl Into<String>,
    licence: LicenceId,
    orderer: Orderer,
    settings: &InForce,
) -> Transfer {
    Transfer::new(kind, key, Cause::new(CauseKind::Licence, licence.0), orderer).settings(settings.version)
}

/// The account that a source names; `yield` needs its licence.
///
/// # Errors
/// `request.invalid` when the licence is missing, or named without need.
pub fn source_account(
    user: UserId,
    source: Source,
    licence: Option<LicenceId>,
) -> Result<(AccountRef, Origin), Error> {
    let wrong = || Error::code(ErrorCode::RequestInvalid).field("sourceLicence", ErrorCode::RequestInvalid);
    Ok(match (source, licence) {
        (Source::Available, None) => (AccountRef::User(user, UserAccount::Available), Origin::Available),
        (Source::Bonus, None) => (AccountRef::User(user, UserAccount::Bonus), Origin::Bonus),
        (Source::Sponsored, None) => (AccountRef::User(user, UserAccount::Sponsored), Origin::Sponsored),
        (Source::Yield, Some(id)) => (account(id, LicenceAccount::Yield), Origin::Yield(id)),
        _ => return Err(wrong()),
    })
}

/// The account that a lot goes back to when its licence is cancelled.
#[must_use]
pub const fn origin_account(user: UserId, origin: Origin) -> AccountRef {
    match origin {
        Origin::Available => AccountRef::User(user, UserAccount::Available),
        Origin::Bonus => AccountRef::User(user, UserAccount::Bonus),
        Origin::Sponsored => AccountRef::User(user, UserAccount::Sponsored),
        Origin::Yield(id) => account(id, LicenceAccount::Yield),
        Origin::Licence(id) => account(id, LicenceAccount::Topup),
    }
}

/// Takes `amount` out of a licence's lots and stores it; what was taken, with where it came from.
///
/// # Errors
/// `licence.lots_locked` when the free lots do not hold that much.
pub async fn take_lots(
    tx: &mut Tx,
    licence: LicenceId,
    amount: Usdt,
    free_at: Option<OffsetDateTime>,
) -> Result<Vec<Lot>, Error> {
    let lots = store::lots(tx.conn(), &[licence.0]).await?;
    let amounts: Vec<LotAmount> = lots
        .iter()
        .map(|l| LotAmount {
            amount: l.amount,
            free_at: l.free_at,
        })
        .collect();
    let parts = match free_at {
        Some(now) => rules::take_free(&amounts, amount, now),
        None => rules::take(&amounts, amount),
    };
    let parts = parts.ok_or_else(|| {
        let free = rules::free_from(&amounts, amount).map_or_else(
            || "—".to_owned(),
            |at| business_day::shown_day(business_day::of(at)),
        );
        Error::code(ErrorCode::LotsLocked)
            .with("date", free)
            .field("value", ErrorCode::LotsLocked)
    })?;
    let taken: Vec<Lot> = lots
        .into_iter()
        .zip(parts)
        .filter(|(_, part)| part.is_positive())
        .map(|(lot, part)| Lot { amount: part, ..lot })
        .collect();
    let lower: Vec<(LotId, Usdt)> = taken.iter().map(|l| (l.id, l.amount)).collect();
    store::lower_lots(tx.conn(), &lower).await?;
    Ok(taken)
}

/// What of these lots is not sponsored.
#[must_use]
pub fn own_part(lots: &[Lot]) -> Usdt {
    lots.iter()
        .filter(|l| l.origin != Origin::Sponsored)
        .map(|l| l.amount)
        .sum()
}

/// Makes a sale final: the price splits into sales and funds, and its points arise. Does nothing for a final one. A sale paid
/// with sponsored money goes back to the sponsorship whole and feeds nobody.
///
/// # Errors
/// Whatever the ledger refuses.
pub async fn make_final(
    context: &Context,
    tx: &mut Tx,
    licence: &mut Licence,
    settings: &InForce,
    orderer: Orderer,
) -> Result<(), Error> {
    if licence.final_at.is_some()
        || licence.state == LicenceState::Cancelled
        || licence.state == LicenceState::Reversed
    {
        return Ok(());
    }
    let now = tx.now();
    let day = business_day::of(now);
    let price = licence.price;
    let split = transfer(
        TransferKind::LicenceFinal,
        format!("licence-final:{}", licence.id),
        licence.id,
        orderer,
        settings,
    )
    .business_day(day)
    .usdt(account(licence.id, LicenceAccount::Price), -price);
    let split = if licence.sponsored {
        split.usdt(AccountRef::House(HouseAccount::Sponsorship), price)
    } else {
        let (network, graduation, sales) = rules::split_price(
            price,
            settings.settings.network_fund_share,
            settings.settings.graduation_fund_share,
        );
        split
            .usdt(AccountRef::House(HouseAccount::NetworkFund), network)
            .usdt(AccountRef::House(HouseAccount::GraduationFund), graduation)
            .usdt(AccountRef::House(HouseAccount::LicenceSales), sales)
    };
    let posted = ledger::post(tx, split).await?;
    copy_balances(std::slice::from_mut(licence), &posted)?;
    licence.final_at = Some(now);
    if !licence.sponsored {
        affiliates::service::sale_final(context, tx, licence.id, licence.owner, licence.value, day).await?;
    }
    Ok(())
}

/// Ends a licence whose maximum return is reached, or whose sale was undone: what is allocated and not reserved goes back to the
/// top-up, an open loan is repaid from it, every lot is free. What open operations hold follows with their settlement.
///
/// # Errors
/// Whatever the ledger refuses.
pub async fn end_if_reached(
    context: &Context,
    tx: &mut Tx,
    licence: &mut Licence,
    settings: &InForce,
) -> Result<(), Error> {
    if licence.state == LicenceState::Active && !licence.limit_left().is_positive() {
        licence.state = LicenceState::CeilingReached;
        affiliates::service::licence_changed(context, tx, licence.id, licence.owner, licence.value, false)
            .await?;
    }
    if !matches!(
        licence.state,
        LicenceState::CeilingReached | LicenceState::Reversed
    ) {
        return Ok(());
    }
    release(tx, licence, settings).await?;
    loans::collect(tx, licence, settings).await
}

/// Frees the capital of a licence that has ended.
///
/// # Errors
/// Whatever the ledger refuses.
pub(super) async fn release(tx: &mut Tx, licence: &mut Licence, settings: &InForce) -> Result<(), Error> {
    let back = licence.allocated - licence.reserved;
    let now = tx.now();
    if back.is_positive() {
        let key = format!("ceiling:{}:{}", licence.id, licence.version);
        let (from, to) = (
            account(licence.id, LicenceAccount::Allocated),
            account(licence.id, LicenceAccount::Topup),
        );
        let back = transfer(
            TransferKind::Deallocation,
            key,
            licence.id,
            Orderer::System,
            settings,
        )
        .move_usdt(from, to, back);
        let posted = ledger::post(tx, back).await?;
        copy_balances(std::slice::from_mut(licence), &posted)?;
    }
    store::free_lots(tx.conn(), &[licence.id.0], now).await
}
