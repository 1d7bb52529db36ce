//! Loans on a licence's free capital: terms, taking, repaying, and taking back what is no longer backed (docs/rules/licences.md#loans).
//!
//! What is borrowed goes to `available`; the fee is taken at once. The licence's lots stay where they are and back the debt.

use super::{
    loan_rules,
    model::{Amount, Licence, LicenceMoved, LoanQuote, LoanSource, LoanTerms, Lot, Origin, Repayment},
    money::{self, account, copy_balances},
    rules,
    service::{active, finish, insufficient, lock, one, positive, unknown},
    store,
};
use crate::{
    affiliates::bonuses::service as bonuses,
    approvals::restraint,
    error::Error,
    foundation::{context::Context, idempotency::Key, settings::InForce, transaction::Tx},
    identity::caller::Caller,
    ledger::{
        fees,
        model::{AccountRef, HouseAccount, LicenceAccount, Orderer, TransferKind, UserAccount},
        rules::Refusal,
        service as ledger,
    },
};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{LicenceId, LotId, TransferId, UserId},
    money::Usdt,
    views::LicenceState,
};
use time::OffsetDateTime;

/// What a licence's lots hold without the sponsored ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Backing {
    own: Usdt,
    free: Usdt,
    /// When the next lot becomes free.
    next_free: Option<OffsetDateTime>,
}

fn backing(lots: &[Lot], now: OffsetDateTime) -> Backing {
    let own = lots.iter().filter(|l| l.origin != Origin::Sponsored);
    Backing {
        own: own.clone().map(|l| l.amount).sum(),
        free: own.clone().filter(|l| l.free_at <= now).map(|l| l.amount).sum(),
        next_free: own.map(|l| l.free_at).filter(|at| *at > now).min(),
    }
}

fn quote(value: Usdt, settings: &InForce) -> LoanQuote {
    let s = &settings.settings;
    let granted = loan_rules::grant(value, s.loan_fee);
    LoanQuote {
        value,
        fee: granted.fee,
        received: granted.received,
        stops_below: loan_rules::stops_below(value),
        stays: Usdt(value.0.saturating_mul(2)),
    }
}

/// What a loan on a licence would be now, and what the open one is.
///
/// # Errors
/// `licence.unknown`, `amount.not_positive`.
pub async fn terms(
    context: &Context,
    caller: &Caller,
    id: LicenceId,
    value: Option<Usdt>,
) -> Result<LoanTerms, Error> {
    if let Some(value) = value {
        positive(value)?;
    }
    let now = context.now();
    let settings = context.settings.current(now).await?;
    let mut found = store::list(context.db.pool(), caller.own().owner(), Some(id.0)).await?;
    let licence = found.pop().ok_or_else(unknown)?;
    let lots = store::lots(context.db.pool(), &[id.0]).await?;
    let backing = backing(&lots, now);
    let open = licence.debt().is_positive();
    let lends = licence.state == LicenceState::Active && !open;
    Ok(LoanTerms {
        licence: id,
        number: licence.number,
        maximum: if lends {
            loan_rules::maximum(backing.free, settings.settings.loan_share)
        } else {
            Usdt::ZERO
        },
        free: backing.free,
        backing: backing.own,
        share: rules::percent(settings.settings.loan_share),
        fee_percent: rules::percent(settings.settings.loan_fee),
        next_free: backing.next_free,
        debt: licence.debt(),
        taken: if open { licence.loan_taken } else { Usdt::ZERO },
        taken_at: licence.loan_at.filter(|_| open),
        stops_below: loan_rules::stops_below(licence.debt()),
        may_leave: loan_rules::may_leave(backing.own, licence.debt()),
        quote: value.map(|value| quote(value, &settings)),
    })
}

/// Lends on a licence's free lots: what is left after the fee goes to `available`.
///
/// # Errors
/// `amount.not_positive`, `licence.unknown`, `licence.state`, `loan.open`, `loan.limit`, `account.excluded`.
pub async fn take(
    context: &Context,
    tx: &mut Tx,
    caller: &Caller,
    key: &Key,
    order: &Amount,
) -> Result<LicenceMoved, Error> {
    positive(order.value)?;
    let settings = context.settings.within(tx).await?;
    restraint::require_no_time_out(tx, caller.user).await?;
    let mut licences = lock(tx, caller, &[order.licence]).await?;
    let now = tx.now();
    let lots = store::lots(tx.conn(), &[order.licence.0]).await?;
    let licence = one(&mut licences, order.licence)?;
    active(licence)?;
    if licence.debt().is_positive() {
        return Err(Error::code(ErrorCode::LoanOpen));
    }
    let s = &settings.settings;
    let maximum = loan_rules::maximum(backing(&lots, now).free, s.loan_share);
    if order.value > maximum {
        return Err(Error::code(ErrorCode::LoanLimit)
            .field("value", ErrorCode::LoanLimit)
            .with("maximum", maximum));
    }
    let granted = loan_rules::grant(order.value, s.loan_fee);
    let fee = fees::divide(granted.fee, s.fee_network_fund_share)?;
    let lend = money::transfer(
        TransferKind::Loan,
        key.ledger_key(),
        licence.id,
        Orderer::User(caller.user),
        &settings,
    )
    .usdt(account(licence.id, LicenceAccount::Loan), -order.value)
    .usdt(
        AccountRef::User(caller.user, UserAccount::Available),
        granted.received,
    )
    .usdt(AccountRef::House(HouseAccount::NetworkFund), fee.fund)
    .usdt(AccountRef::House(HouseAccount::LoanFees), fee.house);
    let posted = ledger::post(tx, lend).await?;
    copy_balances(std::slice::from_mut(licence), &posted)?;
    licence.loan_taken = order.value;
    licence.loan_at = Some(now);
    finish(context, tx, &settings, licences, order.licence, vec![posted.id]).await
}

/// Repays an open loan, at most what is owed, from `available` or from the licence's own top-up (oldest lots first).
///
/// # Errors
/// `amount.not_positive`, `licence.unknown`, `loan.none`, `balance.insufficient`.
pub async fn repay(
    context: &Context,
    tx: &mut Tx,
    caller: &Caller,
    key: &Key,
    order: &Repayment,
) -> Result<LicenceMoved, Error> {
    positive(order.value)?;
    let settings = context.settings.within(tx).await?;
    let mut licences = lock(tx, caller, &[order.licence]).await?;
    let lots = store::lots(tx.conn(), &[order.licence.0]).await?;
    let licence = one(&mut licences, order.licence)?;
    if !licence.debt().is_positive() {
        return Err(Error::code(ErrorCode::LoanNone));
    }
    // A gain may have repaid a part since the amount was typed.
    let value = order.value.min(licence.debt());
    let from = match order.source {
        LoanSource::Available => AccountRef::User(caller.user, UserAccount::Available),
        LoanSource::Topup => {
            let own = backing(&lots, tx.now()).own;
            if value > own.min(licence.topup) {
                return Err(insufficient());
            }
            lower(tx, &lots, value).await?;
            licence.capital -= value;
            account(licence.id, LicenceAccount::Topup)
        }
    };
    let repaid = money::transfer(
        TransferKind::LoanRepayment,
        key.ledger_key(),
        licence.id,
        Orderer::User(caller.user),
        &settings,
    )
    .move_usdt(from, account(licence.id, LicenceAccount::Loan), value);
    let posted = ledger::post(tx, repaid).await?;
    copy_balances(std::slice::from_mut(licence), &posted)?;
    if order.source == LoanSource::Topup {
        money::end_if_reached(context, tx, licence, &settings).await?;
    }
    let moved = finish(context, tx, &settings, licences, order.licence, vec![posted.id]).await?;
    base_changed(tx, caller.user, order.licence).await?;
    Ok(moved)
}

/// Takes `amount` out of one's own lots, oldest first.
async fn lower(tx: &mut Tx, lots: &[Lot], amount: Usdt) -> Result<(), Error> {
    let mut left = amount;
    let mut taken: Vec<(LotId, Usdt)> = Vec::new();
    for lot in lots.iter().filter(|l| l.origin != Origin::Sponsored) {
        let part = lot.amount.min(left);
        if part.is_positive() {
            left -= part;
            taken.push((lot.id, part));
        }
    }
    if left.is_positive() {
        return Err(Error::internal("own lots hold less than was planned"));
    }
    store::lower_lots(tx.conn(), &taken).await
}

/// Refuses an order of the owner after which a licence's own lots would hold less than twice its debt. Called when the lots
/// are lowered.
///
/// # Errors
/// `loan.collateral` with what may leave.
pub(super) async fn stays_backed(tx: &mut Tx, licence: &Licence, left: Usdt) -> Result<(), Error> {
    let debt = licence.debt();
    if !debt.is_positive() {
        return Ok(());
    }
    let lots = store::lots(tx.conn(), &[licence.id.0]).await?;
    let own = backing(&lots, tx.now()).own;
    if own >= Usdt(debt.0.saturating_mul(2)) {
        return Ok(());
    }
    Err(Error::code(ErrorCode::LoanCollateral)
        .field("value", ErrorCode::LoanCollateral)
        .with("maximum", loan_rules::may_leave(own + left, debt)))
}

/// Stops the robot and takes the loan back when one's own capital no longer backs it; goes on where capital in the air had to
/// be waited for.
///
/// # Errors
/// Whatever the ledger or the database refuses.
pub(super) async fn call_if_unbacked(
    tx: &mut Tx,
    licence: &mut Licence,
    settings: &InForce,
) -> Result<(), Error> {
    if !licence.debt().is_positive() {
        return Ok(());
    }
    let lots = store::lots(tx.conn(), &[licence.id.0]).await?;
    let own = backing(&lots, tx.now()).own;
    if licence.loan_stopped || !loan_rules::is_backed(own, licence.debt()) {
        if !licence.loan_stopped {
            tx.emit(
                StreamId::User(licence.owner),
                LiveEvent::LoanCalled {
                    licence: licence.id,
                    number: licence.number,
                    debt: licence.debt(),
                },
            );
        }
        licence.paused = true;
        licence.loan_stopped = true;
        collect_from(tx, licence, settings, &lots).await?;
    }
    Ok(())
}

/// Takes an open loan back whole.
///
/// # Errors
/// Whatever the ledger or the database refuses.
pub(super) async fn collect(tx: &mut Tx, licence: &mut Licence, settings: &InForce) -> Result<(), Error> {
    if !licence.debt().is_positive() {
        return Ok(());
    }
    let lots = store::lots(tx.conn(), &[licence.id.0]).await?;
    collect_from(tx, licence, settings, &lots).await
}

/// From the top-up, then from what is allocated and not reserved. What capital in the air can still repay is waited for; then
/// `available`, `bonus` and at last `debt` bear the rest.
async fn collect_from(
    tx: &mut Tx,
    licence: &mut Licence,
    settings: &InForce,
    lots: &[Lot],
) -> Result<(), Error> {
    let debt = licence.debt();
    let own = backing(lots, tx.now()).own;
    let unreserved = licence.allocated - licence.reserved;
    let (topup, allocated) = loan_rules::from_capital(debt, own, licence.topup, unreserved);
    let capital = topup + allocated;
    let waits = licence.reserved.is_positive() && own > capital && debt > capital;
    let missing = if waits { Usdt::ZERO } else { debt - capital };
    if (capital + missing).is_zero() {
        return Ok(());
    }
    lower(tx, lots, capital).await?;
    licence.capital -= capital;
    let user = |which| AccountRef::User(licence.owner, which);
    // Somebody may spend the balance between the look and the booking: after a refusal its row is locked, and the second look holds.
    for last in [false, false, true] {
        let (available, bonus) = if missing.is_zero() || last {
            (Usdt::ZERO, Usdt::ZERO)
        } else {
            let available = held(tx, user(UserAccount::Available)).await?.min(missing);
            // What has to stay in `bonus` stays there.
            let bonus = held(tx, user(UserAccount::Bonus)).await? - bonuses::held(tx, licence.owner).await?.0;
            (available, bonus.max(Usdt::ZERO).min(missing - available))
        };
        let order = money::transfer(
            TransferKind::LoanRepayment,
            format!("loan-called:{}", TransferId::fresh()),
            licence.id,
            Orderer::System,
            settings,
        )
        .usdt(account(licence.id, LicenceAccount::Topup), -topup)
        .usdt(account(licence.id, LicenceAccount::Allocated), -allocated)
        .usdt(user(UserAccount::Available), -available)
        .usdt(user(UserAccount::Bonus), -bonus)
        .usdt(user(UserAccount::Debt), available + bonus - missing)
        .usdt(account(licence.id, LicenceAccount::Loan), capital + missing);
        match ledger::post_each(tx, vec![order]).await?.pop() {
            Some(Ok(posted)) => return copy_balances(std::slice::from_mut(licence), &posted),
            Some(Err(Refusal::Insufficient(_))) if !last => {}
            Some(Err(refusal)) => return Err(refusal.into()),
            None => break,
        }
    }
    Err(Error::internal("a loan could not be taken back"))
}

async fn held(tx: &mut Tx, account: AccountRef) -> Result<Usdt, Error> {
    Ok(ledger::usdt_balance(tx.conn(), account).await?.max(Usdt::ZERO))
}

/// N may have risen by what was put into this licence: bonuses follow from what goes beyond the highest so far. Call it when the change
/// is stored.
///
/// # Errors
/// Whatever the database refuses.
pub(super) async fn base_changed(tx: &mut Tx, owner: UserId, licence: LicenceId) -> Result<(), Error> {
    let peak = bonuses::peak(tx, owner).await?;
    let base = network_base(tx, owner).await?;
    bonuses::base_changed(tx, peak, licence, base).await
}

/// N of a person, on which the network's bonuses count: licences bought with sponsored money have no part in it.
///
/// # Errors
/// Whatever the database refuses.
pub async fn network_base(tx: &mut Tx, owner: UserId) -> Result<Usdt, Error> {
    let sums = store::network_sums(tx.conn(), owner).await?;
    Ok(loan_rules::network_base(
        sums.allocated,
        sums.debt,
        sums.sponsored,
    ))
}
