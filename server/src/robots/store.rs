//! SQL of robots.

use super::rules;
use crate::{
    error::Error,
    foundation::{http::Paging, listing},
    licences::service::ShareOutcome,
};
use actors::desk::port::{Batch, Operation};
use protocol::{
    ids::{LicenceId, OperationId, UserId},
    money::Usdt,
    views::{LegView, Mode, OrderView},
};
use sqlx::{FromRow, PgConnection, PgExecutor, PgPool, Postgres, QueryBuilder};
use std::collections::HashMap;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// Writes a batch's line; false when it was booked before.
pub async fn insert_batch(
    conn: &mut PgConnection,
    batch: &Batch,
    fence: i64,
    posted: bool,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "INSERT INTO robots.batch (id, fence, mode, at, operations, posted) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
        batch.id.0,
        fence,
        batch.mode.as_str(),
        now,
        i32::try_from(batch.operations.len()).unwrap_or(i32::MAX),
        posted
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

fn at(ms: i64) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000)
        .unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

pub async fn insert_operations(
    conn: &mut PgConnection,
    batch: &Batch,
    filled: &[&Operation],
) -> Result<(), Error> {
    let ids: Vec<Uuid> = filled.iter().map(|o| o.id.0).collect();
    let routes: Vec<String> = filled.iter().map(|o| o.route.clone()).collect();
    let triangular: Vec<bool> = filled.iter().map(|o| o.triangular).collect();
    let manual: Vec<bool> = filled.iter().map(|o| o.manual).collect();
    let edges: Vec<i64> = filled.iter().map(|o| o.edge_ppm).collect();
    let decided: Vec<OffsetDateTime> = filled.iter().map(|o| at(o.decided_ms)).collect();
    let times: Vec<OffsetDateTime> = filled.iter().map(|o| at(o.filled_ms)).collect();
    let legs: Vec<serde_json::Value> = filled
        .iter()
        .map(|o| serde_json::to_value(&o.legs))
        .collect::<Result<_, _>>()?;
    let volumes: Vec<i64> = filled.iter().map(|o| o.volume.0).collect();
    let fees: Vec<i64> = filled.iter().map(|o| o.fees.0).collect();
    let results: Vec<i64> = filled.iter().map(|o| o.result.0).collect();
    sqlx::query!(
        "INSERT INTO robots.operation (id, batch, mode, route, triangular, manual, edge_ppm, decided_at, filled_at, legs, volume, fees, result)
         SELECT id, $1, $2, route, triangular, manual, edge, decided, filled, legs, volume, fees, result
         FROM unnest($3::uuid[], $4::text[], $5::bool[], $6::bool[], $7::bigint[], $8::timestamptz[], $9::timestamptz[], $10::jsonb[],
                     $11::bigint[], $12::bigint[], $13::bigint[])
              AS o(id, route, triangular, manual, edge, decided, filled, legs, volume, fees, result)",
        batch.id.0,
        batch.mode.as_str(),
        &ids,
        &routes,
        &triangular,
        &manual,
        &edges,
        &decided,
        &times,
        &legs,
        &volumes,
        &fees,
        &results
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn insert_shares(
    conn: &mut PgConnection,
    filled: &[&Operation],
    outcomes: &[ShareOutcome],
) -> Result<(), Error> {
    let applied: HashMap<(LicenceId, OperationId), &ShareOutcome> =
        outcomes.iter().map(|o| ((o.licence, o.operation), o)).collect();
    let (mut licences, mut operations, mut owners, mut times) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut amounts, mut volumes, mut fees, mut results, mut cuts) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for operation in filled {
        for share in &operation.shares {
            let outcome = applied.get(&(share.licence, operation.id));
            licences.push(share.licence.0);
            operations.push(operation.id.0);
            owners.push(share.user.0);
            times.push(at(operation.filled_ms));
            amounts.push(share.amount.0);
            volumes.push(share.volume.0);
            fees.push(share.fees.0);
            results.push(outcome.map_or(share.result.0, |o| o.applied.result.0));
            cuts.push(outcome.map_or(0, |o| o.applied.cut.0));
        }
    }
    sqlx::query!(
        "INSERT INTO robots.share (licence, operation, owner, filled_at, amount, volume, fees, result, cut)
         SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::bigint[], $6::bigint[], $7::bigint[],
                              $8::bigint[], $9::bigint[])",
        &licences,
        &operations,
        &owners,
        &times,
        &amounts,
        &volumes,
        &fees,
        &results,
        &cuts
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn insert_reservations(
    conn: &mut PgConnection,
    operation: OperationId,
    shares: &[(LicenceId, Usdt)],
    fence: i64,
    expires_at: OffsetDateTime,
) -> Result<(), Error> {
    let licences: Vec<Uuid> = shares.iter().map(|(id, _)| id.0).collect();
    let amounts: Vec<i64> = shares.iter().map(|(_, amount)| amount.0).collect();
    sqlx::query!(
        "INSERT INTO robots.reservation (operation, licence, amount, fence, expires_at)
         SELECT $1, licence, amount, $2, $3 FROM unnest($4::uuid[], $5::bigint[]) AS s(licence, amount)",
        operation.0,
        fence,
        expires_at,
        &licences,
        &amounts
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends the reservations of operations; what was still reserved.
pub async fn take_reservations(
    conn: &mut PgConnection,
    operations: &[Uuid],
) -> Result<Vec<(LicenceId, Usdt)>, Error> {
    let rows = sqlx::query!(
        "DELETE FROM robots.reservation WHERE operation = ANY($1) RETURNING licence, amount",
        operations
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| (LicenceId(r.licence), Usdt(r.amount)))
        .collect())
}

/// Ends reservations whose time is over or whose desk is not the present one. What is at a venue stays reserved until it is booked.
pub async fn take_lapsed(
    conn: &mut PgConnection,
    fence: i64,
    now: OffsetDateTime,
) -> Result<Vec<(LicenceId, Usdt)>, Error> {
    let rows = sqlx::query!(
        "DELETE FROM robots.reservation WHERE (operation, licence) IN (
             SELECT operation, licence FROM robots.reservation r
             WHERE (expires_at <= $2 OR fence < $1)
                 AND NOT EXISTS (SELECT FROM robots.live_operation l WHERE l.id = r.operation AND l.state <> 'booked')
             ORDER BY operation, licence LIMIT 10000)
         RETURNING licence, amount",
        fence,
        now
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| (LicenceId(r.licence), Usdt(r.amount)))
        .collect())
}

/// What one settlement booked for these robots together, operation by operation, and how many there are: as it was booked, whatever was taken back
/// later.
pub async fn settled_together(
    pool: &PgPool,
    owner: UserId,
    licences: &[Uuid],
    batch: Uuid,
    limit: i64,
) -> Result<(Vec<OrderView>, i64), Error> {
    let rows = sqlx::query_as!(
        OrderRow,
        r#"SELECT o.id, o.mode, o.route, o.triangular, o.legs, o.manual, foundation.clamped(sum(s.volume)) AS "volume!",
                  foundation.clamped(sum(s.fees)) AS "fees!", foundation.clamped(sum(s.result)) AS "result!",
                  foundation.clamped(sum(s.cut)) AS "cut!", o.filled_at,
                  NULL::timestamptz AS reversed_at, NULL::text AS reversal_reason
           FROM robots.operation o JOIN robots.share s ON s.operation = o.id
           WHERE o.batch = $1 AND s.licence = ANY($2) AND s.owner = $3 GROUP BY o.id ORDER BY o.filled_at, o.id LIMIT $4"#,
        batch,
        licences,
        owner.0,
        limit
    )
    .fetch_all(pool)
    .await?;
    let total = sqlx::query_scalar!(
        r#"SELECT count(DISTINCT o.id) AS "count!" FROM robots.operation o JOIN robots.share s ON s.operation = o.id
           WHERE o.batch = $1 AND s.licence = ANY($2) AND s.owner = $3"#,
        batch,
        licences,
        owner.0
    )
    .fetch_one(pool)
    .await?;
    let views = rows.into_iter().map(OrderRow::view).collect::<Result<_, _>>()?;
    Ok((views, total))
}

#[derive(FromRow)]
pub(super) struct OrderRow {
    id: Uuid,
    mode: String,
    route: String,
    triangular: bool,
    legs: serde_json::Value,
    manual: bool,
    volume: i64,
    fees: i64,
    result: i64,
    cut: i64,
    filled_at: OffsetDateTime,
    reversed_at: Option<OffsetDateTime>,
    reversal_reason: Option<String>,
}

impl OrderRow {
    pub(super) fn view(self) -> Result<OrderView, Error> {
        let legs: Vec<LegView> = serde_json::from_value(self.legs)?;
        Ok(OrderView {
            id: OperationId(self.id),
            mode: self
                .mode
                .parse::<Mode>()
                .map_err(|()| Error::internal("an operation in an unknown mode"))?,
            route: self.route,
            unwound: rules::unwound(&legs, self.triangular),
            legs,
            volume: Usdt(self.volume),
            fees: Usdt(self.fees),
            result: Usdt(self.result),
            cut: Usdt(self.cut),
            manual: self.manual,
            reversed_at: self.reversed_at,
            reversal_reason: self.reversal_reason,
            created_at: self.filled_at,
        })
    }
}

fn of_robot(
    query: &mut QueryBuilder<Postgres>,
    owner: Option<Uuid>,
    licence: LicenceId,
    as_of: Option<OffsetDateTime>,
) {
    query.push(" WHERE s.licence = ").push_bind(licence.0);
    if let Some(owner) = owner {
        query.push(" AND s.owner = ").push_bind(owner);
    }
    if let Some(as_of) = as_of {
        query.push(" AND s.filled_at <= ").push_bind(as_of);
    }
}

/// A robot's operations, newest (or oldest) first, and how many there are.
pub async fn orders(
    pool: &PgPool,
    owner: Option<Uuid>,
    licence: LicenceId,
    paging: &Paging,
) -> Result<(Vec<OrderView>, i64), Error> {
    let mut all = QueryBuilder::new("SELECT count(*) FROM robots.share s");
    of_robot(&mut all, owner, licence, paging.as_of);
    let total = listing::count(pool, all, paging).await?;
    let mut query = QueryBuilder::new(
        "SELECT o.id, o.mode, o.route, o.triangular, o.legs, o.manual, s.volume, s.fees, s.result, s.cut, s.filled_at, x.at AS reversed_at,
                x.reason AS reversal_reason
         FROM robots.share s JOIN robots.operation o ON o.id = s.operation
         LEFT JOIN robots.share_reversal x ON x.operation = s.operation AND x.licence = s.licence",
    );
    of_robot(&mut query, owner, licence, paging.as_of);
    let way = if paging.descending { "DESC" } else { "ASC" };
    query.push(format!(" ORDER BY s.filled_at {way}, s.operation {way}"));
    let rows: Vec<OrderRow> = listing::rows(pool, query, paging).await?;
    let views = rows.into_iter().map(OrderRow::view).collect::<Result<_, _>>()?;
    Ok((views, total))
}

/// Net result and operations of a mode's day so far.
pub async fn desk_day(db: impl PgExecutor<'_>, mode: &str, day: Date) -> Result<(i64, i64), Error> {
    let row = sqlx::query!(
        "SELECT net, operations FROM robots.desk_day WHERE mode = $1 AND day = $2",
        mode,
        day
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map_or((0, 0), |r| (r.net, r.operations)))
}

/// What operations add to a day.
#[derive(Clone, Copy, Default)]
pub struct Added {
    pub net: i64,
    pub operations: i64,
    pub volume: i64,
}

/// Adds to a mode's day, of it the manual part; net result and operations then.
pub async fn add_to_day(
    conn: &mut PgConnection,
    mode: &str,
    day: Date,
    all: Added,
    manual: Added,
) -> Result<(i64, i64), Error> {
    let row = sqlx::query!(
        "INSERT INTO robots.desk_day AS d (mode, day, net, operations, volume, manual_net, manual_operations, manual_volume)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (mode, day) DO UPDATE SET net = d.net + EXCLUDED.net, operations = d.operations + EXCLUDED.operations,
             volume = d.volume + EXCLUDED.volume, manual_net = d.manual_net + EXCLUDED.manual_net,
             manual_operations = d.manual_operations + EXCLUDED.manual_operations,
             manual_volume = d.manual_volume + EXCLUDED.manual_volume
         RETURNING net, operations",
        mode,
        day,
        all.net,
        all.operations,
        all.volume,
        manual.net,
        manual.operations,
        manual.volume
    )
    .fetch_one(conn)
    .await?;
    Ok((row.net, row.operations))
}

/// Stores how the feed does, unless a newer desk has.
pub async fn put_feed_state(
    db: impl PgExecutor<'_>,
    fence: i64,
    at: OffsetDateTime,
    state: &serde_json::Value,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO robots.feed_state AS s (one, fence, at, state) VALUES (true, $1, $2, $3)
         ON CONFLICT (one) DO UPDATE SET fence = EXCLUDED.fence, at = EXCLUDED.at, state = EXCLUDED.state
         WHERE s.fence <= EXCLUDED.fence",
        fence,
        at,
        state
    )
    .execute(db)
    .await?;
    Ok(())
}

/// When the feed's state was stored last, and what it was.
pub async fn feed_state(
    db: impl PgExecutor<'_>,
) -> Result<Option<(OffsetDateTime, serde_json::Value)>, Error> {
    let row = sqlx::query!("SELECT at, state FROM robots.feed_state")
        .fetch_optional(db)
        .await?;
    Ok(row.map(|r| (r.at, r.state)))
}
