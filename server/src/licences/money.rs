//! Moves of a licence's money inside a transaction: the ledger's transfer, the lots, the copy of the balances.

use super::{
    loans,
    model::{Licence, Lot, Origin, Source},
    rules::{self, LotAmount},
    service::one,
    store,
};
use crate::{
    affiliates,
    error::Error,
    foundation::{business_day, context::Context, open_day, settings::InForce, transaction::Tx},
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
        for which in LicenceAccount::ALL {
            let Some(after) = posted.balance_after(account(licence.id, which), Currency::Usdt) else {
                continue;
            };
            let after = after
                .usdt()
                .ok_or_else(|| Error::internal("a balance beyond what USDT holds"))?;
            copy(licence, which, after);
        }
    }
    Ok(())
}

/// Takes what one of a licence's accounts holds now over into its row.
pub const fn copy(licence: &mut Licence, which: LicenceAccount, balance: Usdt) {
    match which {
        LicenceAccount::Price => licence.price = balance,
        LicenceAccount::Topup => licence.topup = balance,
        LicenceAccount::Allocated => licence.allocated = balance,
        LicenceAccount::Yield => licence.yield_balance = balance,
        LicenceAccount::Loan => licence.loan = balance,
    }
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

/// What of a licence's lots makes up `amount`, with where it came from; nothing is stored.
async fn choose_lots(
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
    Ok(lots
        .into_iter()
        .zip(parts)
        .filter(|(_, part)| part.is_positive())
        .map(|(lot, part)| Lot { amount: part, ..lot })
        .collect())
}

fn parts_of(lots: &[Lot]) -> Vec<(LotId, Usdt)> {
    lots.iter().map(|l| (l.id, l.amount)).collect()
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
    let taken = choose_lots(tx, licence, amount, free_at).await?;
    store::lower_lots(tx.conn(), &parts_of(&taken)).await?;
    Ok(taken)
}

/// Moves `amount` of a licence's lots, free or not, to another licence with their dates; what was moved, as it was.
///
/// # Errors
/// `licence.lots_locked` when the lots do not hold that much.
pub async fn move_lots(tx: &mut Tx, from: LicenceId, to: LicenceId, amount: Usdt) -> Result<Vec<Lot>, Error> {
    let taken = choose_lots(tx, from, amount, None).await?;
    let moved: Vec<Lot> = taken
        .iter()
        .map(|lot| Lot {
            id: LotId::fresh(),
            licence: to,
            ..lot.clone()
        })
        .collect();
    store::move_lots(tx.conn(), &parts_of(&taken), &moved).await?;
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

/// What divides the price of a sale that becomes final now, for sales and funds; none where it is final, or undone. A sale paid
/// with sponsored money goes back to the sponsorship whole and feeds nobody.
async fn final_split(
    tx: &mut Tx,
    licence: &Licence,
    settings: &InForce,
    orderer: Orderer,
) -> Result<Option<Transfer>, Error> {
    if licence.final_at.is_some()
        || licence.state == LicenceState::Cancelled
        || licence.state == LicenceState::Reversed
    {
        return Ok(None);
    }
    let day = open_day::of(tx).await?;
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
    Ok(Some(split))
}

/// The price was divided: its points arise.
async fn became_final(
    context: &Context,
    tx: &mut Tx,
    licence: &mut Licence,
    split: &Posted,
) -> Result<(), Error> {
    copy_balances(std::slice::from_mut(licence), split)?;
    licence.final_at = Some(tx.now());
    if !licence.sponsored {
        let (id, owner, value) = (licence.id, licence.owner, licence.value);
        affiliates::service::sale_final(context, tx, id, owner, value, split.business_day).await?;
    }
    Ok(())
}

/// Makes a sale final. Does nothing for a final one.
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
    let Some(split) = final_split(tx, licence, settings, orderer).await? else {
        return Ok(());
    };
    let posted = ledger::post(tx, split).await?;
    became_final(context, tx, licence, &posted).await
}

/// Books what brings capital to work in one of these licences, and with it what makes its sale final.
///
/// # Errors
/// Whatever the ledger refuses.
pub async fn put_to_work(
    context: &Context,
    tx: &mut Tx,
    licences: &mut [Licence],
    at: LicenceId,
    order: Transfer,
    settings: &InForce,
) -> Result<Posted, Error> {
    let orderer = order.orderer;
    let split = final_split(tx, one(licences, at)?, settings, orderer).await?;
    let orders = std::iter::once(order).chain(split).collect();
    let mut booked = ledger::post_many(tx, orders).await?.into_iter();
    let posted = booked
        .next()
        .ok_or_else(|| Error::internal("an order without an outcome"))?;
    copy_balances(licences, &posted)?;
    if let Some(split) = booked.next() {
        became_final(context, tx, one(licences, at)?, &split).await?;
    }
    Ok(posted)
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
        affiliates::service::licence_changed(context, tx, &licence.in_network()).await?;
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
