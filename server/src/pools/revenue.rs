//! Revenue: ordered with its proof, approved by two, booked, shared at the closing.

use super::{
    model::{NewRevenue, PoolRevenueDecision, PoolRevenueView, Revenue, RevenueSource},
    rules,
    service::{tell, unknown},
    store,
};
use crate::{
    approvals::{
        rules::Kind,
        service::{self as approvals, Subject, Waiting},
    },
    error::Error,
    foundation::{
        amounts,
        audit::{self, Category},
        business_day,
        context::Context,
        files::{self, Received},
        http::{ListParams, Page},
        text,
        transaction::Tx,
    },
    identity::caller::Caller,
    ledger::{
        amount::Coin,
        mass::MassBooking,
        model::{
            AccountRef, Cause, CauseKind, Fx, HouseAccount, Orderer, Transfer, TransferKind, UserAccount,
        },
        service as ledger,
    },
};
use protocol::{
    ErrorCode, LiveEvent, Permission, StreamId,
    ids::{PoolEntryId, PoolRevenueId, UserId},
    money::Usdt,
    stream_id::Queue,
};
use serde_json::json;
use time::Duration;

/// People paid in one transaction.
const CHUNK: i64 = 1_000;
/// A day is closed this long after it ended.
const CLOSES: Duration = Duration::minutes(5);
/// Wei of one micro-USDT.
const WEI: i128 = 1_000_000_000_000;

/// One person's order, which is also the first approval: it waits for another person.
///
/// # Errors
/// `amount.not_positive`, `amount.too_large`, `decision.reason_missing` without a note, `pool.unknown`, `pool.period`, `pool.proof_missing`,
/// `pool.revenue_seen`, `decision.*`.
pub async fn order(
    context: &Context,
    tx: &mut Tx,
    caller: &Caller,
    new: NewRevenue,
    proof: Option<Received>,
) -> Result<PoolRevenueView, Error> {
    caller.staff(Permission::AdminPermissions)?;
    amounts::of_order(new.value, "value")?;
    let note = text::reason(&new.note, "note")?;
    let now = tx.now();
    // What is not earned yet is nobody's.
    if new.from_day > new.to_day || new.to_day >= business_day::of(now) {
        return Err(Error::code(ErrorCode::PoolPeriod).field("toDay", ErrorCode::PoolPeriod));
    }
    let pool = store::lock_pool(tx.conn(), new.pool.0, false)
        .await?
        .ok_or_else(unknown)?;
    if let Some(hash) = &new.tx_hash
        && store::hash_used(tx.conn(), hash).await?
    {
        return Err(Error::code(ErrorCode::PoolRevenueSeen).field("txHash", ErrorCode::PoolRevenueSeen));
    }
    if new.tx_hash.is_none() && proof.is_none() {
        return Err(Error::code(ErrorCode::PoolProofMissing).field("file", ErrorCode::PoolProofMissing));
    }
    let mut seen = false;
    let proof = match proof {
        None => None,
        Some(received) => {
            let file = files::persist(tx, context, caller.user, received).await?;
            let like = files::similar(tx, &file).await?;
            seen = like.same_bytes || like.same_pixels;
            Some(file.id)
        }
    };
    let revenue = Revenue {
        id: PoolRevenueId::fresh(),
        pool: pool.id,
        value: new.value,
        from_day: new.from_day,
        to_day: new.to_day,
        source: if new.tx_hash.is_some() {
            RevenueSource::Chain
        } else {
            RevenueSource::Custody
        },
        tx_hash: new.tx_hash,
        proof,
        pending: true,
    };
    let row = store::RevenueRow {
        revenue: &revenue,
        note: &note,
        proof_seen: seen,
        digest: subject(&revenue, &destination(&revenue)).digest(),
        by: caller.user,
    };
    store::insert_revenue(tx.conn(), &row, now).await?;
    approve(context, tx, caller, &revenue).await?;
    tell_queue(tx, revenue.id).await?;
    shown(tx, revenue.id).await
}

/// Those who decide hear how many wait. Call it last.
async fn tell_queue(tx: &mut Tx, revenue: PoolRevenueId) -> Result<(), Error> {
    store::lock_queue(tx.conn()).await?;
    let pending = store::pending_revenue(tx.conn()).await?;
    tx.emit(
        StreamId::Queue(Queue::PoolRevenue),
        LiveEvent::PoolRevenueChanged { revenue, pending },
    );
    Ok(())
}

/// What is approved besides the amount: whose it becomes, for when, and what proves it.
fn destination(revenue: &Revenue) -> String {
    format!(
        "{} {}..{} {} {}",
        revenue.pool,
        revenue.from_day,
        revenue.to_day,
        revenue.tx_hash.as_deref().unwrap_or("-"),
        revenue.proof.map_or_else(|| "-".to_owned(), |f| f.to_string())
    )
}

fn subject<'a>(revenue: &Revenue, destination: &'a str) -> Subject<'a> {
    Subject {
        kind: Kind::PoolRevenue,
        id: revenue.id.0,
        customer: None,
        coin: "USDT",
        destination,
        amount: revenue.value.to_string(),
        usdt: revenue.value,
    }
}

async fn open(tx: &mut Tx, id: PoolRevenueId) -> Result<Revenue, Error> {
    let revenue = store::lock_revenue(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    if revenue.pending {
        Ok(revenue)
    } else {
        Err(Error::code(ErrorCode::DecisionDone))
    }
}

/// Revenue that waits.
///
/// # Errors
/// `request.not_found`, `decision.done`.
pub async fn waiting(tx: &mut Tx, id: PoolRevenueId) -> Result<Waiting, Error> {
    let revenue = open(tx, id).await?;
    Ok(subject(&revenue, &destination(&revenue)).waiting())
}

/// Who spoke the first of two words takes it back.
///
/// # Errors
/// As [`waiting`]; `decision.no_word`.
pub async fn take_back_word(tx: &mut Tx, by: UserId, id: PoolRevenueId) -> Result<(), Error> {
    let waiting = waiting(tx, id).await?;
    approvals::take_back(tx, &waiting, by).await?;
    store::count_words(tx.conn(), id).await?;
    tell_queue(tx, id).await
}

/// Another person's decision.
///
/// # Errors
/// `request.not_found`, `decision.*`.
pub async fn decide(
    context: &Context,
    tx: &mut Tx,
    caller: &Caller,
    decision: &PoolRevenueDecision,
) -> Result<PoolRevenueView, Error> {
    caller.staff(Queue::PoolRevenue.decides())?;
    let revenue = open(tx, decision.id).await?;
    if decision.approve {
        approve(context, tx, caller, &revenue).await?;
    } else {
        let destination = destination(&revenue);
        let reason = approvals::reject(
            tx,
            &subject(&revenue, &destination),
            caller.user,
            decision.reason.as_deref().unwrap_or_default(),
        )
        .await?;
        let now = tx.now();
        store::reject_revenue(tx.conn(), revenue.id, &reason, now).await?;
        record(tx, caller, &revenue, "pool_revenue.reject").await?;
    }
    tell_queue(tx, revenue.id).await?;
    shown(tx, revenue.id).await
}

async fn approve(context: &Context, tx: &mut Tx, caller: &Caller, revenue: &Revenue) -> Result<(), Error> {
    let in_force = context.settings.within(tx).await?;
    let destination = destination(revenue);
    let standing = approvals::approve(tx, &in_force, &subject(revenue, &destination), caller.user).await?;
    store::set_approvals(tx.conn(), revenue.id, standing.approvals, standing.needed).await?;
    record(tx, caller, revenue, "pool_revenue.approve").await?;
    if standing.is_complete() {
        book(tx, caller, revenue, in_force.version).await?;
    }
    Ok(())
}

async fn record(tx: &mut Tx, caller: &Caller, revenue: &Revenue, action: &'static str) -> Result<(), Error> {
    let details = json!({ "revenue": revenue.id, "pool": revenue.pool, "usdt": revenue.value });
    audit::record(tx, Some(caller.user), None, Category::Money, action, details).await
}

async fn shown(tx: &mut Tx, id: PoolRevenueId) -> Result<PoolRevenueView, Error> {
    let (mut found, _) = store::revenue(tx.conn(), Some(id), None, 1, 0).await?;
    found.pop().ok_or_else(|| Error::internal("revenue vanished"))
}

/// `custody → pool_revenue`: coins of the chain through the exchange account, what lies on an exchange directly.
async fn book(tx: &mut Tx, caller: &Caller, revenue: &Revenue, version: i32) -> Result<(), Error> {
    let now = tx.now();
    let day = business_day::of(now);
    let to = AccountRef::House(HouseAccount::PoolRevenue(revenue.pool.0));
    let order = Transfer::new(
        TransferKind::PoolRevenue,
        format!("pool-revenue:{}", revenue.id),
        Cause::new(CauseKind::Pool, revenue.id.0),
        Orderer::User(caller.user),
    )
    .settings(version)
    .business_day(day);
    let order = match revenue.source {
        RevenueSource::Custody => order.move_usdt(
            AccountRef::House(HouseAccount::CustodyExchange),
            to,
            revenue.value,
        ),
        RevenueSource::Chain => {
            let wei = i128::from(revenue.value.0) * WEI;
            let exchange = AccountRef::House(HouseAccount::Fx(Fx::Coin(Coin::Usdt)));
            order
                .wei(
                    AccountRef::House(HouseAccount::CustodyChain(Coin::Usdt)),
                    Coin::Usdt,
                    -wei,
                )
                .wei(exchange, Coin::Usdt, wei)
                .move_usdt(exchange, to, revenue.value)
        }
    };
    ledger::post(tx, order).await?;
    store::book_revenue(tx.conn(), revenue.id, day, now).await
}

/// Revenue as staff see it: what waits first, then the latest.
///
/// # Errors
/// `request.invalid`.
pub async fn revenue(context: &Context, params: &ListParams) -> Result<Page<PoolRevenueView>, Error> {
    params.one_order()?;
    let paging = params.paging(10)?;
    let status = match params.status.as_deref().filter(|s| !s.is_empty()) {
        None => None,
        Some(s @ ("pending" | "booked" | "rejected")) => Some(s),
        Some(_) => {
            return Err(Error::code(ErrorCode::RequestInvalid).field("status", ErrorCode::RequestInvalid));
        }
    };
    let (rows, total) = store::revenue(context.db.pool(), None, status, paging.limit, paging.offset).await?;
    Ok(Page::new(rows, &paging, total))
}

/// Shares what was booked on days that are over. May be stopped anywhere and done again: shares are written down once and paid
/// once each.
///
/// # Errors
/// Whatever the ledger or the database refuses.
pub async fn close(context: &Context) -> Result<(), Error> {
    let today = business_day::of(context.now() - CLOSES);
    let Some(ended) = today.previous_day() else {
        return Ok(());
    };
    for id in store::due(context.db.pool(), ended).await? {
        plan(context, id).await?;
        while pay_some(context, id).await? {}
    }
    Ok(())
}

/// Writes a revenue's shares down, unless they are.
///
/// # Errors
/// Whatever the database refuses.
pub async fn plan(context: &Context, id: PoolRevenueId) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    if store::stage(tx.conn(), id).await?.0 {
        return Ok(());
    }
    let revenue = store::lock_revenue(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::internal("revenue vanished"))?;
    let span = (revenue.from_day, revenue.to_day);
    let counted = store::counted(tx.conn(), revenue.pool, span.0, span.1).await?;
    let days = |c: &store::Counted| rules::common_days(span, (c.first_day, c.last_day));
    let parts: Vec<(Usdt, i32)> = counted.iter().map(|c| (c.value, days(c))).collect();
    let shares: Vec<(PoolEntryId, i32, Usdt)> = counted
        .iter()
        .zip(&parts)
        .zip(rules::shares(revenue.value, &parts))
        .filter(|(_, share)| share.is_positive())
        .map(|((c, (_, days)), share)| (c.entry, *days, share))
        .collect();
    let now = tx.now();
    store::plan(tx.conn(), id, &shares, now).await?;
    tx.commit().await?;
    Ok(())
}

/// What was written down for who has closed their account since is left to the house. A share that waits keeps its owner from closing, so these
/// are of accounts that were closed before that was looked at; nobody behind them waits for it.
async fn leave(
    context: &Context,
    tx: &mut Tx,
    revenue: &Revenue,
    gone: &[store::Unpaid],
) -> Result<(), Error> {
    let Some(first) = gone.first() else {
        return Ok(());
    };
    let settings = context.settings.within(tx).await?;
    let order = Transfer::new(
        TransferKind::LeftBehind,
        format!("pool-shares-left:{}:{}", revenue.id, first.entry),
        Cause::new(CauseKind::Pool, revenue.id.0),
        Orderer::System,
    )
    .settings(settings.version)
    .move_usdt(
        AccountRef::House(HouseAccount::PoolRevenue(revenue.pool.0)),
        AccountRef::House(HouseAccount::LeftBehind),
        gone.iter().map(|share| share.value).sum(),
    );
    ledger::post(tx, order).await?;
    let entries: Vec<PoolEntryId> = gone.iter().map(|share| share.entry).collect();
    store::give_up(tx.conn(), revenue.id, &entries).await?;
    for share in gone {
        audit::record(
            tx,
            None,
            Some(share.owner.0),
            Category::Money,
            "closing.left_behind",
            json!({ "usdt": share.value, "revenue": revenue.id }),
        )
        .await?;
    }
    Ok(())
}

/// Pays the next shares of a revenue, one of each person, in one transfer; whether there may be more.
///
/// # Errors
/// Whatever the ledger refuses: nothing of this part is paid then.
pub async fn pay_some(context: &Context, id: PoolRevenueId) -> Result<bool, Error> {
    let mut tx = context.db.begin().await?;
    if store::stage(tx.conn(), id).await?.1 {
        return Ok(false);
    }
    let revenue = store::lock_revenue(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::internal("revenue vanished"))?;
    let now = tx.now();
    let (found, next) = store::unpaid(tx.conn(), id, CHUNK).await?;
    let (gone, unpaid): (Vec<store::Unpaid>, Vec<store::Unpaid>) =
        next.into_iter().partition(|share| share.left);
    // By itself: this holds the pool's account, which the payment locks in its turn.
    if !gone.is_empty() {
        leave(context, &mut tx, &revenue, &gone).await?;
        tx.commit().await?;
        return Ok(true);
    }
    if unpaid.is_empty() {
        // What was found and is gone was taken back meanwhile: others may wait behind it.
        if !found {
            store::shared(tx.conn(), id, now).await?;
        }
        tx.commit().await?;
        return Ok(found);
    }
    let version = context.settings.within(&mut tx).await?.version;
    let Some(first) = unpaid.first() else {
        return Ok(false);
    };
    // Named by its first share: what was paid is never the first again.
    let mut booking = MassBooking::new(
        TransferKind::PoolRevenue,
        format!("pool-shares:{id}:{}", first.entry),
        Cause::new(CauseKind::Pool, id.0),
        HouseAccount::PoolRevenue(revenue.pool.0),
    )
    .settings(version)
    .business_day(business_day::of(now));
    for share in &unpaid {
        booking.push(AccountRef::User(share.owner, UserAccount::Available), share.value);
    }
    let transfer = ledger::post_mass(&mut tx, booking).await?.id;
    let paid: Vec<PoolEntryId> = unpaid.iter().map(|share| share.entry).collect();
    for entry in store::pay(tx.conn(), id, &paid, transfer, now).await? {
        tell(&mut tx, &entry);
    }
    tx.commit().await?;
    Ok(true)
}
