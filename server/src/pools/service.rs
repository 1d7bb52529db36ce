//! Pools' door: plans, putting money in, getting it back at the end of its term.

use super::{
    model::{self, NewPool, Paid, Pool, PoolChange, PoolJoined, PoolOrder, PoolView},
    rules,
    store::{self, NewEntry},
};
use crate::{
    approvals::restraint,
    error::Error,
    foundation::{
        amounts,
        audit::{self, Category},
        business_day,
        context::Context,
        http::{ListParams, Page},
        idempotency::Key,
        job_queue::NewJob,
        text,
        transaction::Tx,
    },
    identity::{
        acceptances::{self, Accepted},
        caller::Caller,
    },
    ledger::{
        model::{AccountRef, Cause, CauseKind, Currency, Leg, Orderer, Transfer, TransferKind, UserAccount},
        service as ledger,
    },
};
use protocol::{
    ErrorCode, LiveEvent, Permission, StreamId,
    ids::{PoolEntryId, PoolId, UserId},
    money::Usdt,
    views::PoolEntryView,
};
use serde_json::json;
use uuid::Uuid;

pub use super::revenue::{close, decide, order, pay_some, plan, revenue, take_back_word, waiting};

/// A job of this kind gives an entry's principal back.
pub const EXIT: &str = "pools.exit";
/// A job of this kind shares what was booked.
pub const CLOSING: &str = "pools.closing";

/// Longest name of a pool, and longest term in days.
const NAME: usize = 60;
const MOST_DAYS: i32 = 1_825;

pub(super) fn unknown() -> Error {
    Error::code(ErrorCode::PoolUnknown)
}

/// The pools that take money or that the caller is in, with the caller's part.
///
/// # Errors
/// Whatever the database refuses.
pub async fn pools(context: &Context, caller: &Caller) -> Result<Vec<PoolView>, Error> {
    store::pools(context.db.pool(), caller.user.0, false).await
}

/// All pools, for staff.
///
/// # Errors
/// `auth.forbidden`.
pub async fn all_pools(context: &Context, caller: &Caller) -> Result<Vec<PoolView>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    store::pools(context.db.pool(), caller.user.0, true).await
}

/// One's own entries, newest first.
///
/// # Errors
/// `request.invalid` for a page out of bounds.
pub async fn mine(
    context: &Context,
    caller: &Caller,
    params: &ListParams,
) -> Result<Page<PoolEntryView>, Error> {
    params.one_order()?;
    let paging = params.paging(10)?;
    let (entries, total) = store::entries(context.db.pool(), caller.user.0, &paging).await?;
    Ok(Page::new(entries, &paging, total))
}

/// Puts balance into a pool for its term: `available → pool_principal`.
///
/// # Errors
/// `licence.risk_not_accepted`, `amount.not_positive`, `pool.unknown`, `pool.closed`, `pool.minimum`, `balance.insufficient`,
/// `account.excluded`.
pub async fn join(
    context: &Context,
    tx: &mut Tx,
    caller: &Caller,
    key: &Key,
    order: &PoolOrder,
) -> Result<PoolJoined, Error> {
    if !order.risk_accepted {
        return Err(Error::code(ErrorCode::RiskNotAccepted).field("riskAccepted", ErrorCode::RiskNotAccepted));
    }
    positive(order.value, "value")?;
    restraint::require_no_time_out(tx, caller.user).await?;
    let pool = store::lock_pool(tx.conn(), order.plan.0, false)
        .await?
        .ok_or_else(unknown)?;
    takes(&pool, order.value)?;
    let settings = context.settings.within(tx).await?;
    let id = PoolEntryId::fresh();
    let pay = Transfer::new(
        TransferKind::PoolEntry,
        key.ledger_key(),
        Cause::new(CauseKind::Pool, id.0),
        Orderer::User(caller.user),
    )
    .settings(settings.version)
    .move_usdt(
        AccountRef::User(caller.user, UserAccount::Available),
        model::principal(caller.user, pool.id),
        order.value,
    );
    let paid = ledger::post(tx, pay).await?;
    let entry = enter(
        tx,
        &pool,
        id,
        caller.user,
        order.value,
        "available",
        settings.version,
    )
    .await?;
    acceptances::record(tx, caller.user, &[Accepted::Risk], Some(id.0)).await?;
    Ok(PoolJoined {
        entry,
        transfers: vec![paid.id],
    })
}

fn positive(value: Usdt, field: &str) -> Result<(), Error> {
    if value.is_positive() {
        Ok(())
    } else {
        Err(Error::code(ErrorCode::AmountNotPositive).field(field, ErrorCode::AmountNotPositive))
    }
}

fn takes(pool: &Pool, value: Usdt) -> Result<(), Error> {
    if !pool.open {
        return Err(Error::code(ErrorCode::PoolClosed));
    }
    if value < pool.minimum {
        return Err(Error::code(ErrorCode::PoolMinimum)
            .field("value", ErrorCode::PoolMinimum)
            .with("minimum", pool.minimum));
    }
    Ok(())
}

/// Writes a paid entry down, with the job that gives its principal back.
async fn enter(
    tx: &mut Tx,
    pool: &Pool,
    id: PoolEntryId,
    owner: UserId,
    value: Usdt,
    source: &'static str,
    settings_version: i32,
) -> Result<PoolEntryView, Error> {
    let now = tx.now();
    let (first_day, last_day) = rules::term(business_day::of(now), pool.term_days)
        .ok_or_else(|| Error::internal("a pool's term beyond the calendar"))?;
    let after = last_day
        .next_day()
        .ok_or_else(|| Error::internal("a pool's term beyond the calendar"))?;
    let ends_at = business_day::start(after);
    let entry = NewEntry {
        id,
        owner,
        value,
        source,
        settings_version,
        first_day,
        last_day,
        ends_at,
    };
    store::insert_entry(tx.conn(), pool, &entry, now).await?;
    tx.enqueue(NewJob::new(EXIT, format!("{EXIT}:{id}"), &id)?.at(ends_at));
    let entry = store::lock_entry(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::internal("an entry vanished"))?;
    tell(tx, &entry);
    Ok(entry.view)
}

pub(super) fn tell(tx: &mut Tx, entry: &store::Entry) {
    tx.emit(
        StreamId::User(entry.owner),
        LiveEvent::PoolChanged {
            entry: Box::new(entry.view.clone()),
        },
    );
}

/// Pools that take this value now: one by its id, or the only one that does.
///
/// # Errors
/// `pool.unknown`, `pool.closed`, `pool.minimum`.
pub async fn offered(context: &Context, value: Usdt, plan: Option<Uuid>) -> Result<PoolId, Error> {
    let pools = store::open_pools(context.db.pool()).await?;
    let chosen = match plan {
        Some(id) => pools.iter().find(|p| p.id.0 == id).ok_or_else(unknown)?,
        None => {
            let mut fitting = pools.iter().filter(|p| value >= p.minimum);
            match (fitting.next(), fitting.next()) {
                (Some(only), None) => only,
                _ => return Err(unknown()),
            }
        }
    };
    takes(chosen, value)?;
    Ok(chosen.id)
}

/// Makes an entry of held money that was paid for it; none when the pool takes no more money or its owner takes a time out, and
/// then the money stays held.
///
/// # Errors
/// Whatever the ledger refuses.
pub async fn open_paid(context: &Context, tx: &mut Tx, paid: &Paid) -> Result<Option<PoolEntryId>, Error> {
    if restraint::has_time_out(tx, paid.owner).await? {
        return Ok(None);
    }
    // The minimum is that of the order.
    let Some(pool) = store::lock_pool(tx.conn(), paid.pool, false)
        .await?
        .filter(|p| p.open)
    else {
        return Ok(None);
    };
    let settings = context.settings.within(tx).await?;
    let id = PoolEntryId::fresh();
    let principal = Leg {
        account: model::principal(paid.owner, pool.id),
        currency: Currency::Usdt,
        amount: paid.value.into(),
    };
    ledger::post_hold(tx, paid.hold, None, vec![principal], Orderer::User(paid.owner)).await?;
    enter(tx, &pool, id, paid.owner, paid.value, "deposit", settings.version).await?;
    Ok(Some(id))
}

/// Gives an entry's principal back once its term is over.
///
/// # Errors
/// Whatever the ledger refuses.
pub async fn exit(context: &Context, tx: &mut Tx, id: PoolEntryId) -> Result<(), Error> {
    let now = tx.now();
    let Some(entry) = store::lock_entry(tx.conn(), id)
        .await?
        .filter(|e| e.view.ended_at.is_none() && e.view.ends_at <= now)
    else {
        return Ok(());
    };
    let settings = context.settings.within(tx).await?;
    let back = Transfer::new(
        TransferKind::PoolExit,
        format!("pool-exit:{id}"),
        Cause::new(CauseKind::Pool, id.0),
        Orderer::System,
    )
    .settings(settings.version)
    .move_usdt(
        model::principal(entry.owner, entry.view.pool),
        AccountRef::User(entry.owner, UserAccount::Available),
        entry.view.value,
    );
    ledger::post(tx, back).await?;
    store::end_entry(tx.conn(), id, now).await?;
    if let Some(entry) = store::lock_entry(tx.conn(), id).await? {
        tell(tx, &entry);
    }
    Ok(())
}

/// Keeps a person's entries from ending and from being paid until the change ends.
///
/// # Errors
/// Whatever the database refuses.
pub async fn lock_active(tx: &mut Tx, owner: UserId) -> Result<(), Error> {
    store::lock_active(tx.conn(), owner).await?;
    Ok(())
}

/// Takes what a reversed credit needs out of a person's entries, newest first: each part leaves its entry and the same part of the
/// entry's shares that are not paid. The accounts with their parts: the caller books them in this very change.
///
/// # Errors
/// Whatever the database refuses.
pub async fn take_back(tx: &mut Tx, owner: UserId, most: Usdt) -> Result<Vec<(AccountRef, Usdt)>, Error> {
    let now = tx.now();
    let mut left = most;
    let mut taken: Vec<(AccountRef, Usdt)> = Vec::new();
    for entry in store::lock_active(tx.conn(), owner).await?.into_iter().rev() {
        let held = entry.view.value;
        let part = held.min(left);
        if !part.is_positive() {
            break;
        }
        left -= part;
        store::take(tx.conn(), entry.view.id, held, part, now).await?;
        let account = model::principal(owner, entry.view.pool);
        match taken.iter_mut().find(|(of, _)| *of == account) {
            Some((_, sum)) => *sum += part,
            None => taken.push((account, part)),
        }
        if let Some(entry) = store::lock_entry(tx.conn(), entry.view.id).await? {
            tell(tx, &entry);
        }
    }
    Ok(taken)
}

/// Opens a pool.
///
/// # Errors
/// `auth.forbidden`, `request.invalid`, `amount.*`, `pool.name_taken`.
pub async fn create(context: &Context, caller: &Caller, new: &NewPool) -> Result<PoolView, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let pool = Pool {
        id: PoolId::fresh(),
        name: new.name.clone(),
        term_days: new.term_days,
        minimum: new.minimum,
        open: true,
        version: 1,
    };
    let id = pool.id;
    let mut tx = context.db.begin().await?;
    save(&mut tx, caller, pool, "pool.create").await?;
    answer(context, tx, caller, id).await
}

/// Changes a pool; what is in it stays under its own terms.
///
/// # Errors
/// As [`create`]; `pool.unknown`, `request.conflict` for one that somebody changed meanwhile.
pub async fn change(
    context: &Context,
    caller: &Caller,
    id: PoolId,
    change: &PoolChange,
) -> Result<PoolView, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let mut tx = context.db.begin().await?;
    let mut pool = store::lock_pool(tx.conn(), id.0, true)
        .await?
        .ok_or_else(unknown)?;
    if pool.version != change.version {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    if let Some(name) = &change.name {
        pool.name.clone_from(name);
    }
    pool.term_days = change.term_days.unwrap_or(pool.term_days);
    pool.minimum = change.minimum.unwrap_or(pool.minimum);
    pool.open = change.open.unwrap_or(pool.open);
    pool.version += 1;
    save(&mut tx, caller, pool, "pool.change").await?;
    answer(context, tx, caller, id).await
}

async fn save(tx: &mut Tx, caller: &Caller, mut pool: Pool, action: &'static str) -> Result<(), Error> {
    let invalid =
        |field: &str| Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid);
    pool.name = text::at_most(text::line(&pool.name).unwrap_or_default(), "name", NAME)?;
    if pool.name.is_empty() {
        return Err(invalid("name"));
    }
    if !(1..=MOST_DAYS).contains(&pool.term_days) {
        return Err(invalid("termDays"));
    }
    amounts::of_order(pool.minimum, "minimum")?;
    if store::name_taken(tx.conn(), &pool.name, Some(pool.id.0)).await? {
        return Err(Error::code(ErrorCode::PoolNameTaken).field("name", ErrorCode::PoolNameTaken));
    }
    let now = tx.now();
    store::save_pool(tx.conn(), &pool, now).await?;
    let details = json!({
        "pool": pool.id, "name": pool.name, "termDays": pool.term_days, "minimum": pool.minimum, "open": pool.open,
    });
    audit::record(tx, Some(caller.user), None, Category::Settings, action, details).await
}

async fn answer(context: &Context, tx: Tx, caller: &Caller, id: PoolId) -> Result<PoolView, Error> {
    tx.commit().await?;
    let pools = store::pools(context.db.pool(), caller.user.0, true).await?;
    pools
        .into_iter()
        .find(|p| p.id == id)
        .ok_or_else(|| Error::internal("a pool vanished"))
}
