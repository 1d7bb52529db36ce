//! SQL of licences.

use super::model::{Licence, Lot, Origin};
use crate::error::Error;
use protocol::{
    ids::{LicenceId, LotId, PlanId, UserId},
    money::Usdt,
    views::LicenceState,
};
use sqlx::{PgConnection, PgExecutor};
use std::collections::HashSet;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

pub struct Plan {
    pub id: PlanId,
    pub value: Usdt,
    pub is_high_risk: bool,
    pub maximum_return_ppm: i64,
    pub network_ceiling_ppm: i64,
    pub allocation_factor: i64,
}

pub async fn plans(db: impl PgExecutor<'_>) -> Result<Vec<Plan>, Error> {
    let rows = sqlx::query!(
        "SELECT id, value, is_high_risk, maximum_return_ppm, network_ceiling_ppm, allocation_factor
         FROM licences.plan WHERE active ORDER BY is_high_risk, value"
    )
    .fetch_all(db)
    .await?;
    let plan = rows.into_iter().map(|r| Plan {
        id: PlanId(r.id),
        value: Usdt(r.value),
        is_high_risk: r.is_high_risk,
        maximum_return_ppm: r.maximum_return_ppm,
        network_ceiling_ppm: r.network_ceiling_ppm,
        allocation_factor: r.allocation_factor,
    });
    Ok(plan.collect())
}

struct Row {
    id: Uuid,
    owner: Uuid,
    number: i32,
    plan: Uuid,
    value: i64,
    is_high_risk: bool,
    maximum_return_ppm: i64,
    network_ceiling_ppm: i64,
    allocation_factor: i64,
    source: String,
    state: String,
    paid_at: OffsetDateTime,
    cancellable_until: OffsetDateTime,
    final_at: Option<OffsetDateTime>,
    price: i64,
    topup: i64,
    allocated: i64,
    r#yield: i64,
    loan: i64,
    reserved: i64,
    capital: i64,
    gains: i64,
    losses: i64,
    topup_at: Option<OffsetDateTime>,
    paused: bool,
    manual_key: bool,
    manual_revoked: bool,
    goal_ppm: i64,
    goal_day: Option<Date>,
    today: i64,
    today_day: Option<Date>,
    operations: i64,
    eligible_from: Option<OffsetDateTime>,
    last_served: Option<OffsetDateTime>,
    loan_taken: i64,
    loan_at: Option<OffsetDateTime>,
    loan_stopped: bool,
    version: i64,
}

impl TryFrom<Row> for Licence {
    type Error = Error;
    fn try_from(r: Row) -> Result<Self, Error> {
        Ok(Self {
            id: LicenceId(r.id),
            owner: UserId(r.owner),
            number: r.number,
            plan: PlanId(r.plan),
            value: Usdt(r.value),
            is_high_risk: r.is_high_risk,
            maximum_return_ppm: r.maximum_return_ppm,
            network_ceiling_ppm: r.network_ceiling_ppm,
            allocation_factor: r.allocation_factor,
            sponsored: r.source == "sponsored",
            state: r
                .state
                .parse::<LicenceState>()
                .map_err(|()| Error::internal("a licence in an unknown state"))?,
            paid_at: r.paid_at,
            cancellable_until: r.cancellable_until,
            final_at: r.final_at,
            price: Usdt(r.price),
            topup: Usdt(r.topup),
            allocated: Usdt(r.allocated),
            yield_balance: Usdt(r.r#yield),
            loan: Usdt(r.loan),
            reserved: Usdt(r.reserved),
            capital: Usdt(r.capital),
            gains: Usdt(r.gains),
            losses: Usdt(r.losses),
            topup_at: r.topup_at,
            paused: r.paused,
            manual_key: r.manual_key,
            manual_revoked: r.manual_revoked,
            goal_ppm: r.goal_ppm,
            goal_day: r.goal_day,
            today: Usdt(r.today),
            today_day: r.today_day,
            operations: r.operations,
            eligible_from: r.eligible_from,
            last_served: r.last_served,
            loan_taken: Usdt(r.loan_taken),
            loan_at: r.loan_at,
            loan_stopped: r.loan_stopped,
            version: r.version,
        })
    }
}

fn read(rows: Vec<Row>) -> Result<Vec<Licence>, Error> {
    rows.into_iter().map(Licence::try_from).collect()
}

/// Licences by id, locked in the order of their ids until the transaction ends; an owner restricts them.
pub async fn lock(conn: &mut PgConnection, owner: Option<Uuid>, ids: &[Uuid]) -> Result<Vec<Licence>, Error> {
    let rows = sqlx::query_as!(
        Row,
        "SELECT id, owner, number, plan, value, is_high_risk, maximum_return_ppm, network_ceiling_ppm, allocation_factor, source, state,
                paid_at, cancellable_until, final_at, price, topup, allocated, yield, loan, reserved, capital, gains, losses,
                topup_at, paused, manual_key, manual_revoked, goal_ppm, goal_day, today, today_day, operations, eligible_from,
                last_served, loan_taken, loan_at, loan_stopped, version
         FROM licences.licence WHERE id = ANY($1) AND ($2::uuid IS NULL OR owner = $2) ORDER BY id FOR UPDATE",
        ids,
        owner
    )
    .fetch_all(conn)
    .await?;
    read(rows)
}

/// An owner's licences, or one of them, in their order.
pub async fn list(
    db: impl PgExecutor<'_>,
    owner: Option<Uuid>,
    id: Option<Uuid>,
) -> Result<Vec<Licence>, Error> {
    let rows = sqlx::query_as!(
        Row,
        "SELECT id, owner, number, plan, value, is_high_risk, maximum_return_ppm, network_ceiling_ppm, allocation_factor, source, state,
                paid_at, cancellable_until, final_at, price, topup, allocated, yield, loan, reserved, capital, gains, losses,
                topup_at, paused, manual_key, manual_revoked, goal_ppm, goal_day, today, today_day, operations, eligible_from,
                last_served, loan_taken, loan_at, loan_stopped, version
         FROM licences.licence WHERE ($1::uuid IS NULL OR owner = $1) AND ($2::uuid IS NULL OR id = $2) ORDER BY number LIMIT 500",
        owner,
        id
    )
    .fetch_all(db)
    .await?;
    read(rows)
}

/// What N of an owner is made of, over the active licences that were not bought with sponsored money.
pub struct NetworkSums {
    pub allocated: Usdt,
    pub debt: Usdt,
    /// What of their lots is sponsored.
    pub sponsored: Usdt,
}

pub async fn network_sums(conn: &mut PgConnection, owner: UserId) -> Result<NetworkSums, Error> {
    let row = sqlx::query!(
        r#"SELECT foundation.clamped(coalesce(sum(l.allocated), 0)) AS "allocated!", foundation.clamped(coalesce(sum(-l.loan), 0)) AS "debt!",
                  foundation.clamped(coalesce(sum(s.amount), 0)) AS "sponsored!"
           FROM licences.licence l
           LEFT JOIN LATERAL (SELECT sum(amount) AS amount FROM licences.lot WHERE licence = l.id AND amount > 0 AND origin = 'sponsored') s ON true
           WHERE l.owner = $1 AND l.state = 'active' AND l.source <> 'sponsored'"#,
        owner.0
    )
    .fetch_one(conn)
    .await?;
    Ok(NetworkSums {
        allocated: Usdt(row.allocated),
        debt: Usdt(row.debt),
        sponsored: Usdt(row.sponsored),
    })
}

/// Licences by id, not locked.
pub async fn with_ids(db: impl PgExecutor<'_>, ids: &[Uuid]) -> Result<Vec<Licence>, Error> {
    let rows = sqlx::query_as!(
        Row,
        "SELECT id, owner, number, plan, value, is_high_risk, maximum_return_ppm, network_ceiling_ppm, allocation_factor, source, state,
                paid_at, cancellable_until, final_at, price, topup, allocated, yield, loan, reserved, capital, gains, losses,
                topup_at, paused, manual_key, manual_revoked, goal_ppm, goal_day, today, today_day, operations,
                eligible_from, last_served, loan_taken, loan_at, loan_stopped, version
         FROM licences.licence WHERE id = ANY($1) ORDER BY id",
        ids
    )
    .fetch_all(db)
    .await?;
    read(rows)
}

/// Robots that may trade by themselves now: active licence of an active owner, not paused, no manual key, goal not reached today.
pub async fn trading(db: impl PgExecutor<'_>, day: Date, least: Usdt) -> Result<Vec<Licence>, Error> {
    let rows = sqlx::query_as!(
        Row,
        "SELECT l.id, l.owner, l.number, l.plan, l.value, l.is_high_risk, l.maximum_return_ppm, l.network_ceiling_ppm, l.allocation_factor,
                l.source, l.state, l.paid_at, l.cancellable_until, l.final_at, l.price, l.topup, l.allocated, l.yield, l.loan,
                l.reserved, l.capital, l.gains, l.losses, l.topup_at, l.paused, l.manual_key, l.manual_revoked, l.goal_ppm, l.goal_day,
                l.today, l.today_day, l.operations, l.eligible_from, l.last_served, l.loan_taken, l.loan_at, l.loan_stopped,
                l.version
         FROM licences.licence l JOIN identity.account a ON a.id = l.owner AND a.status = 'active'
         WHERE l.state = 'active' AND l.allocated > 0 AND l.allocated >= $2 AND NOT l.paused AND NOT l.manual_key
           AND l.goal_day IS DISTINCT FROM $1 AND l.eligible_from IS NOT NULL",
        day,
        least.0
    )
    .fetch_all(db)
    .await?;
    read(rows)
}

/// Those of these owners who are active.
pub async fn active_owners(conn: &mut PgConnection, owners: &[Uuid]) -> Result<HashSet<Uuid>, Error> {
    let active = sqlx::query_scalar!(
        "SELECT id FROM identity.account WHERE id = ANY($1) AND status = 'active'",
        owners
    )
    .fetch_all(conn)
    .await?;
    Ok(active.into_iter().collect())
}

/// The next number among an owner's licences; others who buy for the same owner wait.
pub async fn next_number(conn: &mut PgConnection, owner: UserId) -> Result<i32, Error> {
    Ok(
        sqlx::query_scalar!(r#"SELECT licences.next_number($1) AS "next!""#, owner.0)
            .fetch_one(conn)
            .await?,
    )
}

pub async fn insert(conn: &mut PgConnection, l: &Licence, settings_version: i32) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO licences.licence (id, owner, number, plan, value, is_high_risk, maximum_return_ppm, network_ceiling_ppm,
             allocation_factor, settings_version, source, risk_accepted_at, paid_at, cancellable_until, price, capital, goal_ppm)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, $14, $15, $16)",
        l.id.0,
        l.owner.0,
        l.number,
        l.plan.0,
        l.value.0,
        l.is_high_risk,
        l.maximum_return_ppm,
        l.network_ceiling_ppm,
        l.allocation_factor,
        settings_version,
        if l.sponsored { "sponsored" } else { "available" },
        l.paid_at,
        l.cancellable_until,
        l.price.0,
        l.capital.0,
        l.goal_ppm
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Stores what can change of locked licences; each gets the next version.
pub async fn save(
    conn: &mut PgConnection,
    licences: &mut [Licence],
    now: OffsetDateTime,
) -> Result<(), Error> {
    for l in licences.iter_mut() {
        l.version += 1;
    }
    let licences: Vec<&Licence> = licences.iter().collect();
    save_whole(conn, &licences, now).await
}

/// Like [`save`], for licences of which most took part in an operation and nothing else: `before` is how they were locked, in the
/// same order. Of those that only won or lost only that is written.
pub async fn save_results(
    conn: &mut PgConnection,
    before: &[Licence],
    licences: &mut [Licence],
    day: Date,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let (mut results, mut whole) = (Vec::with_capacity(licences.len()), Vec::new());
    for (l, before) in licences.iter_mut().zip(before) {
        let rest = Licence {
            allocated: l.allocated,
            yield_balance: l.yield_balance,
            reserved: l.reserved,
            gains: l.gains,
            losses: l.losses,
            goal_day: l.goal_day,
            today: l.today,
            today_day: Some(day),
            operations: l.operations,
            ..before.clone()
        };
        let only_results = rest == *l;
        l.version += 1;
        if only_results {
            results.push(&*l);
        } else {
            whole.push(&*l);
        }
    }
    if !whole.is_empty() {
        save_whole(&mut *conn, &whole, now).await?;
    }
    let of = |f: fn(&Licence) -> i64| results.iter().map(|l| f(l)).collect::<Vec<i64>>();
    let ids: Vec<Uuid> = results.iter().map(|l| l.id.0).collect();
    let goals: Vec<Option<Date>> = results.iter().map(|l| l.goal_day).collect();
    sqlx::query!(
        "UPDATE licences.licence l SET
             allocated = n.allocated, yield = n.yield, reserved = n.reserved, gains = n.gains, losses = n.losses,
             goal_day = n.goal_day, today = n.today, today_day = $10, operations = n.operations, version = l.version + 1
         FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::date[], $8::bigint[],
                     $9::bigint[])
              AS n(id, allocated, yield, reserved, gains, losses, goal_day, today, operations)
         WHERE l.id = n.id",
        &ids,
        &of(|l| l.allocated.0),
        &of(|l| l.yield_balance.0),
        &of(|l| l.reserved.0),
        &of(|l| l.gains.0),
        &of(|l| l.losses.0),
        &goals as &[Option<Date>],
        &of(|l| l.today.0),
        &of(|l| l.operations),
        day
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Stores of locked licences what is reserved now, served at this moment; each gets the next version.
pub async fn save_reserved(
    conn: &mut PgConnection,
    reserved: &[(LicenceId, Usdt)],
    now: OffsetDateTime,
) -> Result<(), Error> {
    let ids: Vec<Uuid> = reserved.iter().map(|(id, _)| id.0).collect();
    let amounts: Vec<i64> = reserved.iter().map(|(_, amount)| amount.0).collect();
    sqlx::query!(
        "UPDATE licences.licence l SET reserved = n.reserved, last_served = $3, version = l.version + 1
         FROM unnest($1::uuid[], $2::bigint[]) AS n(id, reserved) WHERE l.id = n.id",
        &ids,
        &amounts,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

async fn save_whole(
    conn: &mut PgConnection,
    licences: &[&Licence],
    now: OffsetDateTime,
) -> Result<(), Error> {
    let of = |f: fn(&Licence) -> i64| licences.iter().map(|l| f(l)).collect::<Vec<i64>>();
    let times = |f: fn(&Licence) -> Option<OffsetDateTime>| licences.iter().map(|l| f(l)).collect::<Vec<_>>();
    let days = |f: fn(&Licence) -> Option<Date>| licences.iter().map(|l| f(l)).collect::<Vec<_>>();
    let flags = |f: fn(&Licence) -> bool| licences.iter().map(|l| f(l)).collect::<Vec<bool>>();
    let ids: Vec<Uuid> = licences.iter().map(|l| l.id.0).collect();
    let states: Vec<String> = licences.iter().map(|l| l.state.as_str().to_owned()).collect();
    sqlx::query!(
        "UPDATE licences.licence l SET
             state = n.state, final_at = n.final_at, price = n.price, topup = n.topup, allocated = n.allocated, yield = n.yield,
             loan = n.loan, reserved = n.reserved, capital = n.capital, gains = n.gains, losses = n.losses, topup_at = n.topup_at,
             paused = n.paused, manual_key = n.manual_key, manual_revoked = n.manual_revoked, goal_ppm = n.goal_ppm, goal_day = n.goal_day, today = n.today,
             today_day = n.today_day, operations = n.operations, eligible_from = n.eligible_from, last_served = n.last_served,
             version = n.version, loan_taken = n.loan_taken, loan_at = n.loan_at, loan_stopped = n.loan_stopped, ended_at = CASE WHEN n.state <> 'active' THEN coalesce(l.ended_at, $24) END
         FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
                     $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::timestamptz[], $14::bool[], $15::bool[],
                     $16::bigint[], $17::date[], $18::bigint[], $19::date[], $20::bigint[], $21::timestamptz[], $22::timestamptz[],
                     $23::bigint[], $25::bigint[], $26::timestamptz[], $27::bool[], $28::bool[])
              AS n(id, state, final_at, price, topup, allocated, yield, loan, reserved, capital, gains, losses, topup_at, paused,
                   manual_key, goal_ppm, goal_day, today, today_day, operations, eligible_from, last_served, version, loan_taken, loan_at, loan_stopped, manual_revoked)
         WHERE l.id = n.id",
        &ids,
        &states,
        &times(|l| l.final_at) as &[Option<OffsetDateTime>],
        &of(|l| l.price.0),
        &of(|l| l.topup.0),
        &of(|l| l.allocated.0),
        &of(|l| l.yield_balance.0),
        &of(|l| l.loan.0),
        &of(|l| l.reserved.0),
        &of(|l| l.capital.0),
        &of(|l| l.gains.0),
        &of(|l| l.losses.0),
        &times(|l| l.topup_at) as &[Option<OffsetDateTime>],
        &flags(|l| l.paused),
        &flags(|l| l.manual_key),
        &of(|l| l.goal_ppm),
        &days(|l| l.goal_day) as &[Option<Date>],
        &of(|l| l.today.0),
        &days(|l| l.today_day) as &[Option<Date>],
        &of(|l| l.operations),
        &times(|l| l.eligible_from) as &[Option<OffsetDateTime>],
        &times(|l| l.last_served) as &[Option<OffsetDateTime>],
        &of(|l| l.version),
        now,
        &of(|l| l.loan_taken.0),
        &times(|l| l.loan_at) as &[Option<OffsetDateTime>],
        &flags(|l| l.loan_stopped),
        &flags(|l| l.manual_revoked)
    )
    .execute(conn)
    .await?;
    Ok(())
}

struct LotRow {
    id: Uuid,
    licence: Uuid,
    amount: i64,
    origin: String,
    origin_licence: Option<Uuid>,
    created_at: OffsetDateTime,
    free_at: OffsetDateTime,
}

/// What is left of the lots of these licences, oldest first.
pub async fn lots(db: impl PgExecutor<'_>, licences: &[Uuid]) -> Result<Vec<Lot>, Error> {
    let rows = sqlx::query_as!(
        LotRow,
        "SELECT id, licence, amount, origin, origin_licence, created_at, free_at
         FROM licences.lot WHERE licence = ANY($1) AND amount > 0 ORDER BY created_at, id",
        licences
    )
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|r| {
            let origin = Origin::read(&r.origin, r.origin_licence)
                .ok_or_else(|| Error::internal("a lot of unknown origin"))?;
            Ok(Lot {
                id: LotId(r.id),
                licence: LicenceId(r.licence),
                amount: Usdt(r.amount),
                origin,
                created_at: r.created_at,
                free_at: r.free_at,
            })
        })
        .collect()
}

pub async fn insert_lots(conn: &mut PgConnection, lots: &[Lot]) -> Result<(), Error> {
    move_lots(conn, &[], lots).await
}

/// Lowers lots by what was taken of each.
pub async fn lower_lots(conn: &mut PgConnection, taken: &[(LotId, Usdt)]) -> Result<(), Error> {
    move_lots(conn, taken, &[]).await
}

/// Lowers lots by what was taken of each, and writes new ones.
pub async fn move_lots(conn: &mut PgConnection, taken: &[(LotId, Usdt)], lots: &[Lot]) -> Result<(), Error> {
    let taken_ids: Vec<Uuid> = taken.iter().map(|(id, _)| id.0).collect();
    let taken_amounts: Vec<i64> = taken.iter().map(|(_, amount)| amount.0).collect();
    let ids: Vec<Uuid> = lots.iter().map(|l| l.id.0).collect();
    let licences: Vec<Uuid> = lots.iter().map(|l| l.licence.0).collect();
    let amounts: Vec<i64> = lots.iter().map(|l| l.amount.0).collect();
    let origins: Vec<String> = lots.iter().map(|l| l.origin.as_str().to_owned()).collect();
    let from: Vec<Option<Uuid>> = lots.iter().map(|l| l.origin.licence().map(|id| id.0)).collect();
    let created: Vec<OffsetDateTime> = lots.iter().map(|l| l.created_at).collect();
    let free: Vec<OffsetDateTime> = lots.iter().map(|l| l.free_at).collect();
    sqlx::query!(
        "WITH lower AS (
             UPDATE licences.lot l SET amount = l.amount - t.amount FROM unnest($1::uuid[], $2::bigint[]) AS t(id, amount) WHERE l.id = t.id)
         INSERT INTO licences.lot (id, licence, amount, origin, origin_licence, created_at, free_at)
         SELECT * FROM unnest($3::uuid[], $4::uuid[], $5::bigint[], $6::text[], $7::uuid[], $8::timestamptz[], $9::timestamptz[])",
        &taken_ids,
        &taken_amounts,
        &ids,
        &licences,
        &amounts,
        &origins,
        &from as &[Option<Uuid>],
        &created,
        &free
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Lowers the lots of losing licences by their losses, oldest first; where a licence has several, which of them bore it is written down.
pub async fn lose_from_lots(
    conn: &mut PgConnection,
    batch: Uuid,
    losses: &[(LicenceId, Usdt)],
) -> Result<(), Error> {
    let ids: Vec<Uuid> = losses.iter().map(|(id, _)| id.0).collect();
    let amounts: Vec<i64> = losses.iter().map(|(_, amount)| amount.0).collect();
    sqlx::query!(
        "WITH part AS (
             SELECT lot.id, lot.licence, lot.lots, least(lot.amount, greatest(0, loss.amount - lot.older)) AS taken
             FROM (SELECT id, licence, amount, count(*) OVER (PARTITION BY licence) AS lots,
                          (sum(amount) OVER (PARTITION BY licence ORDER BY created_at, id) - amount)::bigint AS older
                   FROM licences.lot WHERE licence = ANY($1)) lot
             JOIN unnest($1::uuid[], $2::bigint[]) AS loss(licence, amount) USING (licence)),
         lower AS (
             UPDATE licences.lot l SET amount = l.amount - p.taken FROM part p WHERE l.id = p.id AND p.taken > 0)
         INSERT INTO licences.lot_loss (batch, licence, lot, amount)
         SELECT $3, licence, id, taken FROM part WHERE taken > 0 AND lots > 1",
        &ids,
        &amounts,
        batch
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The lots of ended licences are free at once.
pub async fn free_lots(conn: &mut PgConnection, licences: &[Uuid], now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE licences.lot SET free_at = least(free_at, $2) WHERE licence = ANY($1) AND amount > 0",
        licences,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Keeps what the venue holds beside what customers have at work and have earned; the latter.
pub async fn insert_reconciliation(
    conn: &mut PgConnection,
    held: Usdt,
    now: OffsetDateTime,
) -> Result<Usdt, Error> {
    let booked = sqlx::query_scalar!(
        "INSERT INTO licences.reconciliation (at, held, booked)
         SELECT $1, $2, foundation.clamped(coalesce(sum(allocated + yield), 0)) FROM licences.licence RETURNING booked",
        now,
        held.0
    )
    .fetch_one(conn)
    .await?;
    Ok(Usdt(booked))
}

/// When the newest was made, what was held, what was booked.
pub async fn newest_reconciliation(
    conn: &mut PgConnection,
) -> Result<Option<(OffsetDateTime, Usdt, Usdt)>, Error> {
    let row = sqlx::query!("SELECT at, held, booked FROM licences.reconciliation ORDER BY at DESC LIMIT 1")
        .fetch_optional(conn)
        .await?;
    Ok(row.map(|r| (r.at, Usdt(r.held), Usdt(r.booked))))
}
