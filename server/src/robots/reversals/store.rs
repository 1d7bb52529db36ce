//! SQL of results taken back.

use super::StaffOrderView;
use crate::{
    error::Error,
    foundation::{business_day, http::Paging, listing},
    robots::store::OrderRow,
};
use protocol::{
    ids::{BatchId, LicenceId, OperationId, TransferId, UserId},
    money::Usdt,
    views::Mode,
};
use sqlx::{FromRow, PgConnection, PgPool, QueryBuilder};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// What is asked to be taken back.
pub struct Asked {
    pub licence: LicenceId,
    pub at: OffsetDateTime,
    pub batch: BatchId,
    pub owner: UserId,
}

/// Locked until the change ends.
pub async fn asked(conn: &mut PgConnection, reversal: Uuid) -> Result<Option<Asked>, Error> {
    let row = sqlx::query!(
        "SELECT r.licence, r.batch, r.owner, b.at FROM robots.reversal r JOIN robots.batch b ON b.id = r.batch WHERE r.id = $1
         FOR UPDATE OF r",
        reversal
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| Asked {
        licence: LicenceId(r.licence),
        at: r.at,
        batch: BatchId(r.batch),
        owner: UserId(r.owner),
    }))
}

/// A settlement as one robot had part in it, and what is asked of it.
pub struct Settlement {
    /// What is decided on.
    pub id: Uuid,
    pub batch: BatchId,
    pub at: OffsetDateTime,
    pub mode: Mode,
    pub owner: UserId,
    /// It was taken back before.
    pub reversed: bool,
    /// Why the first of two words was spoken.
    pub reason: Option<String>,
}

/// Asks that what the settlement of an operation did to a robot be taken back. All that is asked of that settlement is locked until the
/// change ends.
pub async fn ask(
    conn: &mut PgConnection,
    licence: LicenceId,
    operation: OperationId,
    now: OffsetDateTime,
) -> Result<Option<Settlement>, Error> {
    let row = sqlx::query!(
        r#"SELECT id AS "id!", batch AS "batch!", at AS "at!", mode AS "mode!", owner AS "owner!", reversed AS "reversed!", reason
           FROM robots.ask_reversal($1, $2, $3, $4)"#,
        Uuid::now_v7(),
        operation.0,
        licence.0,
        now
    )
    .fetch_optional(conn)
    .await?;
    row.map(|r| {
        Ok(Settlement {
            id: r.id,
            batch: BatchId(r.batch),
            at: r.at,
            mode: r
                .mode
                .parse::<Mode>()
                .map_err(|()| Error::internal("a settlement in an unknown mode"))?,
            owner: UserId(r.owner),
            reversed: r.reversed,
            reason: r.reason,
        })
    })
    .transpose()
}

/// Whether a robot's part of a settlement was taken back.
pub async fn is_reversed(conn: &mut PgConnection, batch: BatchId, licence: LicenceId) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM robots.reversal r JOIN robots.share_reversal x ON x.reversal = r.id
                          WHERE r.batch = $1 AND r.licence = $2) AS "is!""#,
        batch.0,
        licence.0
    )
    .fetch_one(conn)
    .await?)
}

/// What a settlement did to a robot, once it is undone in the books.
pub struct Undone<'a> {
    pub reversal: Uuid,
    pub batch: BatchId,
    pub at: OffsetDateTime,
    pub mode: Mode,
    /// The network counts results of this mode.
    pub counts: bool,
    /// The business day that has counted it.
    pub day: Date,
    pub robot: LicenceId,
    pub owner: UserId,
    pub transfer: TransferId,
    pub reason: &'a str,
}

/// Marks the robot's shares as taken back and takes them out of the days of robot, routes and desk: a day or a route of a robot of which
/// nothing is left goes, and for the desk an operation counts as long as a share of it does. It is left for the
/// sums of those above in the network as what was brought is. Whether a copying that runs now had counted it.
/// The caller holds the licence's row and what is asked of the settlement ([`ask`]).
pub async fn undo(conn: &mut PgConnection, undone: &Undone<'_>, now: OffsetDateTime) -> Result<bool, Error> {
    let row = sqlx::query!(
        r#"WITH gone AS MATERIALIZED (
               SELECT s.operation, o.route, o.manual, s.volume, s.fees, s.result, s.result + s.cut AS net, NOT EXISTS (
                          SELECT FROM robots.share t WHERE t.operation = s.operation AND t.licence <> s.licence AND NOT EXISTS (
                              SELECT FROM robots.share_reversal y WHERE y.operation = t.operation AND y.licence = t.licence)) AS ends
               FROM robots.operation o JOIN robots.share s ON s.operation = o.id WHERE o.batch = $1 AND s.licence = $2
           ), marked AS (
               INSERT INTO robots.share_reversal (operation, licence, reversal, transfer, reason, at)
               SELECT operation, $2, $3, $4, $5, $6 FROM gone
           ), part AS MATERIALIZED (
               SELECT route, foundation.clamped(sum(greatest(result, 0))) AS gain, foundation.clamped(sum(greatest(-result, 0))) AS loss,
                      foundation.clamped(sum(fees)) AS fees, count(*) AS operations, count(*) FILTER (WHERE net > 0) AS hits
               FROM gone GROUP BY route
           ), whole AS MATERIALIZED (
               SELECT foundation.clamped(sum(gain)) AS gain, foundation.clamped(sum(loss)) AS loss, foundation.clamped(sum(fees)) AS fees,
                      foundation.clamped(sum(operations)) AS operations, foundation.clamped(sum(hits)) AS hits FROM part
           ), day_lower AS (
               UPDATE robots.day_result d SET gain = d.gain - w.gain, loss = d.loss - w.loss, fees = d.fees - w.fees,
                   operations = d.operations - w.operations, hits = d.hits - w.hits
               FROM whole w WHERE d.licence = $2 AND d.mode = $7 AND d.day = $8 AND d.owner = $9 AND d.operations > w.operations
               RETURNING d.day
           ), day_over AS (
               DELETE FROM robots.day_result d USING whole w
               WHERE d.licence = $2 AND d.mode = $7 AND d.day = $8 AND d.owner = $9
                 AND (d.gain, d.loss, d.fees, d.operations, d.hits) = (w.gain, w.loss, w.fees, w.operations, w.hits)
               RETURNING d.day
           ), routes_lower AS (
               UPDATE robots.day_route d SET gain = d.gain - p.gain, loss = d.loss - p.loss, fees = d.fees - p.fees,
                   operations = d.operations - p.operations, hits = d.hits - p.hits
               FROM part p WHERE d.licence = $2 AND d.mode = $7 AND d.day = $8 AND d.route = p.route AND d.operations > p.operations
               RETURNING d.route
           ), routes_over AS (
               DELETE FROM robots.day_route d USING part p
               WHERE d.licence = $2 AND d.mode = $7 AND d.day = $8 AND d.route = p.route
                 AND (d.gain, d.loss, d.fees, d.operations, d.hits) = (p.gain, p.loss, p.fees, p.operations, p.hits)
               RETURNING d.route
           ), desk AS (
               UPDATE robots.desk_day d SET net = d.net - s.net, volume = d.volume - s.volume, operations = d.operations - s.operations,
                   manual_net = d.manual_net - s.manual_net, manual_volume = d.manual_volume - s.manual_volume,
                   manual_operations = d.manual_operations - s.manual_operations
               FROM (SELECT foundation.clamped(sum(net)) AS net, foundation.clamped(sum(volume)) AS volume, count(*) FILTER (WHERE ends) AS operations,
                            foundation.clamped(coalesce(sum(net) FILTER (WHERE manual), 0)) AS manual_net,
                            foundation.clamped(coalesce(sum(volume) FILTER (WHERE manual), 0)) AS manual_volume,
                            count(*) FILTER (WHERE manual AND ends) AS manual_operations
                     FROM gone) s
               WHERE d.mode = $7 AND d.day = $10
               RETURNING d.day
           )
           SELECT (SELECT count(*) FROM part) AS "routes!",
                  (SELECT count(*) FROM whole w CROSS JOIN LATERAL affiliates.leave_results($8, $6, ARRAY[$9::uuid], ARRAY[w.loss - w.gain]) WHERE $12) AS "left!",
                  (SELECT count(*) FROM day_lower) + (SELECT count(*) FROM day_over) AS "days_counted!",
                  (SELECT count(*) FROM routes_lower) + (SELECT count(*) FROM routes_over) AS "routes_counted!",
                  (SELECT count(*) FROM desk) AS "desk_days!",
                  EXISTS (SELECT FROM robots.following f WHERE f.follower = $2 AND f.state = 'active' AND f.since <= $11) AS "copied!""#,
        undone.batch.0,
        undone.robot.0,
        undone.reversal,
        undone.transfer.0,
        undone.reason,
        now,
        undone.mode.as_str(),
        undone.day,
        undone.owner.0,
        business_day::of(undone.at),
        undone.at,
        undone.counts
    )
    .fetch_one(conn)
    .await?;
    if row.routes == 0 {
        return Err(Error::internal("a settlement without shares"));
    }
    if row.days_counted != 1 || row.routes_counted != row.routes {
        return Err(Error::internal("a day that has not counted a result"));
    }
    if row.desk_days != 1 {
        return Err(Error::internal("a settlement without its day"));
    }
    Ok(row.copied)
}

#[derive(FromRow)]
struct Row {
    #[sqlx(flatten)]
    order: OrderRow,
    posted: bool,
    together: i64,
    gain: i64,
    loss: i64,
    reversal: Option<Uuid>,
    asked_by: Option<String>,
    asked_reason: Option<String>,
}

/// A robot's operations as staff see them, newest (or oldest) first, and how many there are.
pub async fn orders(
    pool: &PgPool,
    licence: LicenceId,
    paging: &Paging,
) -> Result<(Vec<StaffOrderView>, i64), Error> {
    let restrict = |query: &mut QueryBuilder<sqlx::Postgres>| {
        query.push(" WHERE s.licence = ").push_bind(licence.0);
        if let Some(as_of) = paging.as_of {
            query.push(" AND s.filled_at <= ").push_bind(as_of);
        }
    };
    let mut all = QueryBuilder::new("SELECT count(*) FROM robots.share s");
    restrict(&mut all);
    let total = listing::count(pool, all, paging).await?;
    let mut query = QueryBuilder::new(
        "SELECT o.id, o.mode, o.route, o.triangular, o.legs, o.manual, s.volume, s.fees, s.result, s.cut, s.filled_at, x.at AS reversed_at,
                x.reason AS reversal_reason, b.posted, p.together, p.gain, p.loss, r.id AS reversal, w.username AS asked_by, w.reason AS asked_reason
         FROM robots.share s JOIN robots.operation o ON o.id = s.operation JOIN robots.batch b ON b.id = o.batch
         LEFT JOIN robots.share_reversal x ON x.operation = s.operation AND x.licence = s.licence
         LEFT JOIN robots.reversal r ON r.batch = o.batch AND r.licence = s.licence
         LEFT JOIN LATERAL (
             SELECT a.username, d.reason FROM approvals.first_word d JOIN identity.account a ON a.id = d.decided_by
             WHERE d.kind = 'result_reversal' AND d.subject = r.id ORDER BY d.at DESC LIMIT 1) w ON true
         CROSS JOIN LATERAL (
             SELECT count(*) AS together, foundation.clamped(sum(greatest(t.result, 0))) AS gain, foundation.clamped(sum(greatest(-t.result, 0))) AS loss
             FROM robots.operation q JOIN robots.share t ON t.operation = q.id WHERE q.batch = o.batch AND t.licence = s.licence) p",
    );
    restrict(&mut query);
    let way = if paging.descending { "DESC" } else { "ASC" };
    query.push(format!(" ORDER BY s.filled_at {way}, s.operation {way}"));
    let rows: Vec<Row> = listing::rows(pool, query, paging).await?;
    let views = rows.into_iter().map(|r| {
        Ok(StaffOrderView {
            order: r.order.view()?,
            booked: r.posted && (r.gain > 0 || r.loss > 0),
            together: r.together,
            gain: Usdt(r.gain),
            loss: Usdt(r.loss),
            reversal: r.reversal,
            asked_by: r.asked_by,
            asked_reason: r.asked_reason,
        })
    });
    Ok((views.collect::<Result<_, Error>>()?, total))
}
