//! Licences' door: buying, topping up, allocating, taking out, cancelling, configuring; the views of all that.

use super::{
    loans,
    model::{
        Amount, Licence, LicenceMoved, Lot, Origin, PlanView, Purchase, Reinvestment, Relocation,
        RobotSettings, Source, TopUp,
    },
    money::{self, account, copy_balances, move_lots, own_part, source_account},
    paid, rules, store,
};
use crate::{
    affiliates::{bonuses::service as bonuses, service::network_used},
    approvals::restraint,
    error::Error,
    foundation::{
        business_day,
        context::{Context, World},
        idempotency::Key,
        settings::InForce,
        subjects,
        transaction::Tx,
    },
    identity::{
        acceptances::{self, Accepted},
        caller::{Caller, Scope},
    },
    ledger::{
        model::{LicenceAccount, Orderer, TransferKind},
        service as ledger,
    },
    market::FeedMode,
};
use actors::desk::cohort::next_full_minute;
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{LicenceId, LotId, TransferId},
    money::Usdt,
    views::{LicenceState, LicenceView, Mode},
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

pub use super::loans::{network_base, repay, take as take_loan, terms as loan_terms};
pub use super::manual_key::{own, revoke as revoke_manual_key, with_ids};
pub use super::paid::{Paid, open_paid};
pub use super::settlement::{
    ShareOutcome, free_reservations, hold, hold_own, reserve, reserve_manual, rest, settle, trading,
};
pub use super::withdrawals::{cancel, withdraw_capital, withdraw_yield};

/// A job of this kind makes a sale final.
pub const FINALISE: &str = "licences.finalise";

/// The mode in which this world's robots are shown: a demo trades play money in the mode of its feed.
#[must_use]
pub fn world_mode(context: &Context) -> Mode {
    match context.world {
        World::Demo => context.part::<FeedMode>().map_or(Mode::Simulated, |feed| feed.0),
        World::Production => Mode::Live,
    }
}

pub(super) fn unknown() -> Error {
    Error::code(ErrorCode::LicenceUnknown)
}

pub(super) fn positive(value: Usdt) -> Result<(), Error> {
    if value.is_positive() {
        Ok(())
    } else {
        Err(Error::code(ErrorCode::AmountNotPositive).field("value", ErrorCode::AmountNotPositive))
    }
}

pub(super) fn insufficient() -> Error {
    Error::code(ErrorCode::BalanceInsufficient).field("value", ErrorCode::BalanceInsufficient)
}

/// One's own licences by id, all of them or none, locked.
pub(super) async fn lock(tx: &mut Tx, caller: &Caller, ids: &[LicenceId]) -> Result<Vec<Licence>, Error> {
    let mut wanted: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let found = store::lock(tx.conn(), caller.own().owner(), &wanted).await?;
    if found.len() == wanted.len() {
        Ok(found)
    } else {
        Err(unknown())
    }
}

pub(super) fn one(licences: &mut [Licence], id: LicenceId) -> Result<&mut Licence, Error> {
    licences.iter_mut().find(|l| l.id == id).ok_or_else(unknown)
}

pub(super) fn active(licence: &Licence) -> Result<(), Error> {
    if licence.state == LicenceState::Active {
        Ok(())
    } else {
        Err(Error::code(ErrorCode::LicenceState))
    }
}

/// Capital that moves at `at` takes part from the next full minute.
pub(super) fn joins(at: OffsetDateTime) -> Option<OffsetDateTime> {
    let ms = i64::try_from(at.unix_timestamp_nanos() / 1_000_000).ok()?;
    OffsetDateTime::from_unix_timestamp(next_full_minute(ms) / 1_000).ok()
}

/// Stores changed licences and tells their owner; the licences as told.
pub(super) async fn tell_all(
    context: &Context,
    tx: &mut Tx,
    settings: &InForce,
    changed: &mut [Licence],
) -> Result<Vec<LicenceView>, Error> {
    let now = tx.now();
    store::save(tx.conn(), changed, now).await?;
    let views = shown(context, tx, settings, changed).await?;
    for (licence, view) in changed.iter().zip(&views) {
        let status = licence.state.as_str();
        subjects::upsert(
            tx,
            subjects::Kind::Licence,
            licence.id.0,
            licence.owner,
            licence.value,
            status,
        )
        .await?;
        tx.emit(
            StreamId::User(licence.owner),
            LiveEvent::LicenceChanged {
                licence: Box::new(view.clone()),
            },
        );
    }
    Ok(views)
}

/// Licences as their owner sees them, inside a change.
pub(super) async fn shown(
    context: &Context,
    tx: &mut Tx,
    settings: &InForce,
    licences: &[Licence],
) -> Result<Vec<LicenceView>, Error> {
    let (now, mode) = (tx.now(), world_mode(context));
    let ids: Vec<LicenceId> = licences.iter().map(|l| l.id).collect();
    let used = network_used(tx.conn(), &ids).await?;
    let view = |l: &Licence| {
        l.view(
            now,
            &settings.settings,
            mode,
            used.get(&l.id).copied().unwrap_or_default(),
        )
    };
    Ok(licences.iter().map(view).collect())
}

/// Stores changed licences and tells their owner; the first one is the answer, with the movements that the order made.
pub(super) async fn finish(
    context: &Context,
    tx: &mut Tx,
    settings: &InForce,
    mut changed: Vec<Licence>,
    first: LicenceId,
    transfers: Vec<TransferId>,
) -> Result<LicenceMoved, Error> {
    Ok(LicenceMoved {
        licence: tell(context, tx, settings, &mut changed, first).await?,
        transfers,
    })
}

/// Stores changed licences and tells their owner, inside a change; the view of the first one.
pub(super) async fn tell(
    context: &Context,
    tx: &mut Tx,
    settings: &InForce,
    changed: &mut [Licence],
    first: LicenceId,
) -> Result<LicenceView, Error> {
    tell_all(context, tx, settings, changed)
        .await?
        .into_iter()
        .find(|view| view.id == first)
        .ok_or_else(|| Error::internal("a change without its licence"))
}

/// The plans on offer.
///
/// # Errors
/// Whatever the database refuses.
pub async fn plans(context: &Context) -> Result<Vec<PlanView>, Error> {
    let plans = store::plans(context.db.pool()).await?;
    let view = |p: store::Plan| PlanView {
        id: p.id,
        value: p.value,
        is_high_risk: p.is_high_risk,
        allocation_limit: Usdt(p.value.0.saturating_mul(p.allocation_factor)),
        maximum_return: rules::percent(p.maximum_return_ppm),
        network_ceiling: rules::percent(p.network_ceiling_ppm),
    };
    Ok(plans.into_iter().map(view).collect())
}

/// Buys a licence; the price rests in it until the sale is final.
///
/// # Errors
/// `plan.unknown`, `licence.risk_not_accepted`, `balance.insufficient`, `request.invalid` for a source that buys no licence,
/// `account.excluded`.
pub async fn buy(
    context: &Context,
    tx: &mut Tx,
    caller: &Caller,
    key: &Key,
    order: &Purchase,
) -> Result<LicenceMoved, Error> {
    if !order.risk_accepted {
        return Err(Error::code(ErrorCode::RiskNotAccepted).field("riskAccepted", ErrorCode::RiskNotAccepted));
    }
    if !matches!(order.source, Source::Available | Source::Sponsored) {
        return Err(Error::code(ErrorCode::RequestInvalid).field("source", ErrorCode::RequestInvalid));
    }
    let settings = context.settings.within(tx).await?;
    restraint::require_no_time_out(tx, caller.user).await?;
    let plans = store::plans(tx.conn()).await?;
    let plan = plans
        .into_iter()
        .find(|p| p.id == order.plan)
        .ok_or_else(|| Error::code(ErrorCode::PlanUnknown))?;
    let (from, _) = source_account(caller.user, order.source, None)?;
    let now = tx.now();
    let id = LicenceId::fresh();
    let number = store::next_number(tx.conn(), caller.user).await?;
    let pay = money::transfer(
        TransferKind::LicencePurchase,
        key.ledger_key(),
        id,
        Orderer::User(caller.user),
        &settings,
    )
    .move_usdt(from, account(id, LicenceAccount::Price), plan.value);
    let paid_by = ledger::post(tx, pay).await?.id;
    let sponsored = order.source == Source::Sponsored;
    let licence = paid::contract(id, caller.user, number, &plan, sponsored, now, &settings);
    paid::begin(context, tx, &licence, &settings).await?;
    acceptances::record(tx, caller.user, &[Accepted::Risk], Some(id.0)).await?;
    finish(context, tx, &settings, vec![licence], id, vec![paid_by]).await
}

/// Puts capital into a licence: a lot of its own, free after its days.
///
/// # Errors
/// `amount.not_positive`, `licence.unknown`, `licence.state`, `licence.allocation_limit`, `balance.insufficient`, `bonus.held`.
pub async fn topup(
    context: &Context,
    tx: &mut Tx,
    caller: &Caller,
    key: &Key,
    order: &TopUp,
) -> Result<LicenceMoved, Error> {
    positive(order.value)?;
    let (from, origin) = source_account(caller.user, order.source, order.source_licence)?;
    let settings = context.settings.within(tx).await?;
    restraint::require_no_time_out(tx, caller.user).await?;
    let ids: Vec<LicenceId> = std::iter::once(order.licence).chain(origin.licence()).collect();
    let mut licences = lock(tx, caller, &ids).await?;
    if let Origin::Yield(id) = origin {
        active(one(&mut licences, id)?)?;
    }
    let now = tx.now();
    let licence = one(&mut licences, order.licence)?;
    active(licence)?;
    room(licence, order.value)?;
    licence.capital += order.value;
    licence.topup_at = Some(now);
    let kind = if matches!(origin, Origin::Yield(_) | Origin::Bonus) {
        TransferKind::Reinvestment
    } else {
        TransferKind::Topup
    };
    let add = money::transfer(
        kind,
        key.ledger_key(),
        order.licence,
        Orderer::User(caller.user),
        &settings,
    )
    .move_usdt(from, account(order.licence, LicenceAccount::Topup), order.value);
    let posted = ledger::post(tx, add).await?;
    if origin == Origin::Bonus {
        bonuses::require_free(tx, caller.user, order.value).await?;
    }
    copy_balances(&mut licences, &posted)?;
    let lot = Lot {
        id: LotId::fresh(),
        licence: order.licence,
        amount: order.value,
        origin,
        created_at: now,
        free_at: now + Duration::days(settings.settings.lot_locked_days),
    };
    store::insert_lots(tx.conn(), &[lot]).await?;
    finish(context, tx, &settings, licences, order.licence, vec![posted.id]).await
}

/// Puts yield or bonus back to work, on any day: it counts as a top-up.
///
/// # Errors
/// As [`topup`]; `request.invalid` for a source that was not earned.
pub async fn reinvest(
    context: &Context,
    tx: &mut Tx,
    caller: &Caller,
    key: &Key,
    order: &Reinvestment,
) -> Result<LicenceMoved, Error> {
    if !matches!(order.source, Source::Yield | Source::Bonus) {
        return Err(Error::code(ErrorCode::RequestInvalid).field("source", ErrorCode::RequestInvalid));
    }
    let order = TopUp {
        licence: order.licence,
        value: order.value,
        source: order.source,
        source_licence: order.source_licence,
    };
    topup(context, tx, caller, key, &order).await
}

pub(super) fn room(licence: &Licence, value: Usdt) -> Result<(), Error> {
    let room = rules::allocation_room(
        licence.value,
        licence.allocation_factor,
        licence.topup,
        licence.allocated,
    );
    if value <= room {
        Ok(())
    } else {
        Err(Error::code(ErrorCode::AllocationLimit)
            .field("value", ErrorCode::AllocationLimit)
            .with(
                "limit",
                Usdt(licence.value.0.saturating_mul(licence.allocation_factor)),
            ))
    }
}

/// Lends capital to the desk: `topup → allocated`. The first allocation makes the sale final.
///
/// # Errors
/// `amount.not_positive`, `licence.unknown`, `licence.state`, `licence.allocation_too_small`, `balance.insufficient`.
pub async fn allocate(
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
    let licence = one(&mut licences, order.licence)?;
    active(licence)?;
    if order.value > licence.topup {
        return Err(insufficient());
    }
    enough(
        licence.allocated + order.value,
        settings.settings.minimum_allocation,
    )?;
    let move_in = money::transfer(
        TransferKind::Allocation,
        key.ledger_key(),
        licence.id,
        Orderer::User(caller.user),
        &settings,
    )
    .move_usdt(
        account(licence.id, LicenceAccount::Topup),
        account(licence.id, LicenceAccount::Allocated),
        order.value,
    );
    licence.eligible_from = joins(now);
    let posted = money::put_to_work(context, tx, &mut licences, order.licence, move_in, &settings).await?;
    let moved = finish(context, tx, &settings, licences, order.licence, vec![posted.id]).await?;
    loans::base_changed(tx, caller.user, order.licence).await?;
    Ok(moved)
}

/// Too little to trade is refused with that reason, except nothing at all.
fn enough(allocated: Usdt, least: Usdt) -> Result<(), Error> {
    if allocated.is_zero() || allocated >= least {
        Ok(())
    } else {
        Err(Error::code(ErrorCode::AllocationTooSmall)
            .field("value", ErrorCode::AllocationTooSmall)
            .with("minimum", least))
    }
}

/// Moves allocated capital to another own licence, its lots with their dates; or back to the licence's own top-up.
///
/// # Errors
/// `amount.not_positive`, `licence.unknown`, `licence.state`, `licence.funds_reserved`, `licence.allocation_limit`,
/// `licence.allocation_too_small`, `balance.insufficient`.
pub async fn relocate(
    context: &Context,
    tx: &mut Tx,
    caller: &Caller,
    key: &Key,
    order: &Relocation,
) -> Result<LicenceMoved, Error> {
    positive(order.value)?;
    if order.to == Some(order.from) {
        return Err(Error::code(ErrorCode::RequestInvalid).field("to", ErrorCode::RequestInvalid));
    }
    let settings = context.settings.within(tx).await?;
    if order.to.is_some() {
        // Back to one's own top-up is always open.
        restraint::require_no_time_out(tx, caller.user).await?;
    }
    let ids: Vec<LicenceId> = std::iter::once(order.from).chain(order.to).collect();
    let mut licences = lock(tx, caller, &ids).await?;
    let now = tx.now();
    let from = one(&mut licences, order.from)?;
    if order.value > from.allocated {
        return Err(insufficient());
    }
    if order.value > from.allocated - from.reserved {
        return Err(Error::code(ErrorCode::FundsReserved).field("value", ErrorCode::FundsReserved));
    }
    enough(from.allocated - order.value, settings.settings.minimum_allocation)?;
    let source = account(from.id, LicenceAccount::Allocated);
    let orderer = Orderer::User(caller.user);
    let Some(to) = order.to else {
        let back = money::transfer(
            TransferKind::Deallocation,
            key.ledger_key(),
            from.id,
            orderer,
            &settings,
        )
        .move_usdt(source, account(from.id, LicenceAccount::Topup), order.value);
        let posted = ledger::post(tx, back).await?;
        copy_balances(&mut licences, &posted)?;
        return finish(context, tx, &settings, licences, order.from, vec![posted.id]).await;
    };
    active(from)?;
    from.capital -= order.value;
    let target = one(&mut licences, to)?;
    active(target)?;
    room(target, order.value)?;
    enough(
        target.allocated + order.value,
        settings.settings.minimum_allocation,
    )?;
    target.capital += order.value;
    target.eligible_from = joins(now);
    let moved = money::transfer(TransferKind::Relocation, key.ledger_key(), to, orderer, &settings)
        .move_usdt(source, account(to, LicenceAccount::Allocated), order.value);
    let posted = money::put_to_work(context, tx, &mut licences, to, moved, &settings).await?;
    let taken = move_lots(tx, order.from, to, order.value).await?;
    loans::stays_backed(tx, one(&mut licences, order.from)?, own_part(&taken)).await?;
    money::end_if_reached(context, tx, one(&mut licences, order.from)?, &settings).await?;
    let moved = finish(context, tx, &settings, licences, order.from, vec![posted.id]).await?;
    loans::base_changed(tx, caller.user, to).await?;
    Ok(moved)
}

/// Changes a robot's settings.
///
/// # Errors
/// `licence.unknown`, `licence.state`, `robot.goal_out_of_range`, `loan.open`, `manual.revoked`.
pub async fn configure(
    context: &Context,
    caller: &Caller,
    change: &RobotSettings,
) -> Result<LicenceView, Error> {
    let settings = context.settings.current(context.now()).await?;
    let bounds = &settings.settings;
    let goal = match change.daily_gain_goal.as_deref() {
        None => None,
        Some(text) => Some(
            rules::goal(text, bounds.minimum_goal, bounds.maximum_goal).ok_or_else(|| {
                Error::code(ErrorCode::GoalOutOfRange)
                    .field("dailyGainGoal", ErrorCode::GoalOutOfRange)
                    .with("minimum", rules::percent(bounds.minimum_goal))
                    .with("maximum", rules::percent(bounds.maximum_goal))
            })?,
        ),
    };
    let mut tx = context.db.begin().await?;
    let mut licences = lock(&mut tx, caller, &[change.licence]).await?;
    let now = tx.now();
    let day = business_day::of(now);
    let licence = one(&mut licences, change.licence)?;
    active(licence)?;
    if let Some(paused) = change.paused {
        if licence.loan_stopped && !paused {
            // What is still owed waits for capital that is in the air.
            if licence.debt().is_positive() {
                return Err(Error::code(ErrorCode::LoanOpen));
            }
            licence.loan_stopped = false;
        }
        if licence.paused && !paused {
            licence.eligible_from = joins(now);
        }
        licence.paused = paused;
    }
    if let Some(manual_key) = change.manual_key {
        if manual_key && licence.manual_revoked {
            return Err(Error::code(ErrorCode::ManualRevoked));
        }
        if licence.manual_key && !manual_key {
            licence.eligible_from = joins(now);
        }
        licence.manual_key = manual_key;
    }
    if let Some(goal) = goal {
        licence.goal_ppm = goal;
        // A higher goal opens the day again, a lower one may close it.
        let reached = rules::goal_reached(licence.today_on(day), goal, licence.allocated);
        licence.goal_day = reached.then_some(day);
    }
    let view = tell(context, &mut tx, &settings, &mut licences, change.licence).await?;
    tx.commit().await?;
    Ok(view)
}

/// Licences as their owner (or staff) sees them.
///
/// # Errors
/// `licence.unknown` for one that is not in scope.
pub async fn views(
    context: &Context,
    scope: Scope,
    id: Option<LicenceId>,
) -> Result<Vec<LicenceView>, Error> {
    let now = context.now();
    let settings = context.settings.current(now).await?;
    let licences = store::list(context.db.pool(), scope.owner(), id.map(|id| id.0)).await?;
    if id.is_some() && licences.is_empty() {
        return Err(unknown());
    }
    let ids: Vec<LicenceId> = licences.iter().map(|l| l.id).collect();
    let used = network_used(context.db.pool(), &ids).await?;
    let mode = world_mode(context);
    Ok(licences
        .iter()
        .map(|l| {
            l.view(
                now,
                &settings.settings,
                mode,
                used.get(&l.id).copied().unwrap_or_default(),
            )
        })
        .collect())
}

/// Makes a sale final whose time to cancel is over.
///
/// # Errors
/// Whatever the ledger refuses.
pub async fn finalise(context: &Context, tx: &mut Tx, id: LicenceId) -> Result<(), Error> {
    let settings = context.settings.within(tx).await?;
    let mut licences = store::lock(tx.conn(), None, &[id.0]).await?;
    let Some(licence) = licences
        .first_mut()
        .filter(|l| l.state == LicenceState::Active && l.final_at.is_none())
    else {
        return Ok(());
    };
    money::make_final(context, tx, licence, &settings, Orderer::System).await?;
    let now = tx.now();
    store::save(tx.conn(), &mut licences, now).await?;
    let views = shown(context, tx, &settings, &licences).await?;
    for (licence, view) in licences.iter().zip(views) {
        tx.emit(
            StreamId::User(licence.owner),
            LiveEvent::LicenceChanged {
                licence: Box::new(view),
            },
        );
    }
    Ok(())
}
