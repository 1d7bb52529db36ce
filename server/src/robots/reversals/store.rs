//! SQL of results taken back.

use super::StaffOrderView;
use crate::{
    error::Error,
    foundation::{http::Paging, listing},
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

/// A settlement as one robot had part in it.
pub struct Settlement {
    pub batch: BatchId,
    pub at: OffsetDateTime,
    pub mode: Mode,
    pub owner: UserId,
}

/// The settlement in which an operation's result was booked for a robot.
pub async fn settlement(
    conn: &mut PgConnection,
    licence: LicenceId,
    operation: OperationId,
) -> Result<Option<Settlement>, Error> {
    let row = sqlx::query!(
        "SELECT b.id, b.at, b.mode, s.owner
         FROM robots.share s JOIN robots.operation o ON o.id = s.operation JOIN robots.batch b ON b.id = o.batch
         WHERE s.operation = $1 AND s.licence = $2",
        operation.0,
        licence.0
    )
    .fetch_optional(conn)
    .await?;
    row.map(|r| {
        Ok(Settlement {
            batch: BatchId(r.id),
            at: r.at,
            mode: r
                .mode
                .parse::<Mode>()
                .map_err(|()| Error::internal("a settlement in an unknown mode"))?,
            owner: UserId(r.owner),
        })
    })
    .transpose()
}

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

/// The id under which it is decided on; written with the first word, locked until the change ends.
pub async fn ask(
    conn: &mut PgConnection,
    licence: LicenceId,
    settlement: &Settlement,
    now: OffsetDateTime,
) -> Result<Uuid, Error> {
    let fresh = sqlx::query_scalar!(
        "INSERT INTO robots.reversal (id, batch, licence, owner, asked_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (batch, licence) DO NOTHING RETURNING id",
        Uuid::now_v7(),
        settlement.batch.0,
        licence.0,
        settlement.owner.0,
        now
    )
    .fetch_optional(&mut *conn)
    .await?;
    if let Some(id) = fresh {
        return Ok(id);
    }
    Ok(sqlx::query_scalar!(
        "SELECT id FROM robots.reversal WHERE batch = $1 AND licence = $2 FOR UPDATE",
        settlement.batch.0,
        licence.0
    )
    .fetch_one(conn)
    .await?)
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

/// A share that was taken back.
pub struct Share {
    pub route: String,
    pub fees: Usdt,
    /// As it was booked, and what the market made more of it.
    pub result: Usdt,
    pub cut: Usdt,
}

/// Writes down that a robot's shares of a settlement are taken back; which they are.
pub async fn reverse(
    conn: &mut PgConnection,
    reversal: Uuid,
    transfer: TransferId,
    reason: &str,
    now: OffsetDateTime,
) -> Result<Vec<Share>, Error> {
    let rows = sqlx::query!(
        "INSERT INTO robots.share_reversal (operation, licence, reversal, transfer, reason, at)
         SELECT s.operation, s.licence, r.id, $2, $3, $4
         FROM robots.reversal r JOIN robots.operation o ON o.batch = r.batch
         JOIN robots.share s ON s.operation = o.id AND s.licence = r.licence WHERE r.id = $1",
        reversal,
        transfer.0,
        reason,
        now
    )
    .execute(&mut *conn)
    .await?;
    if rows.rows_affected() == 0 {
        return Err(Error::internal("a settlement without shares"));
    }
    let rows = sqlx::query!(
        "SELECT o.route, s.fees, s.result, s.cut
         FROM robots.share_reversal x JOIN robots.share s ON s.operation = x.operation AND s.licence = x.licence
         JOIN robots.operation o ON o.id = x.operation WHERE x.reversal = $1 ORDER BY s.operation",
        reversal
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| Share {
            route: r.route,
            fees: Usdt(r.fees),
            result: Usdt(r.result),
            cut: Usdt(r.cut),
        })
        .collect())
}

/// Takes shares out of the desk's day. An operation counts as long as a share of it does.
pub async fn take_from_desk(
    conn: &mut PgConnection,
    mode: Mode,
    day: Date,
    reversal: Uuid,
) -> Result<(), Error> {
    // Two who take back what is left of one operation do so one after the other.
    sqlx::query!(
        "SELECT FROM robots.desk_day WHERE mode = $1 AND day = $2 FOR UPDATE",
        mode.as_str(),
        day
    )
    .execute(&mut *conn)
    .await?;
    let done = sqlx::query!(
        "UPDATE robots.desk_day d SET net = d.net - s.net, volume = d.volume - s.volume, operations = d.operations - s.operations,
             manual_net = d.manual_net - s.manual_net, manual_volume = d.manual_volume - s.manual_volume,
             manual_operations = d.manual_operations - s.manual_operations
         FROM (SELECT foundation.clamped(sum(p.net)) AS net, foundation.clamped(sum(p.volume)) AS volume, count(*) FILTER (WHERE p.over) AS operations,
                      foundation.clamped(coalesce(sum(p.net) FILTER (WHERE p.manual), 0)) AS manual_net,
                      foundation.clamped(coalesce(sum(p.volume) FILTER (WHERE p.manual), 0)) AS manual_volume,
                      count(*) FILTER (WHERE p.manual AND p.over) AS manual_operations
               FROM (SELECT s.result + s.cut AS net, s.volume, o.manual, NOT EXISTS (
                                SELECT FROM robots.share t WHERE t.operation = x.operation AND NOT EXISTS (
                                    SELECT FROM robots.share_reversal y WHERE y.operation = t.operation AND y.licence = t.licence)) AS over
                     FROM robots.share_reversal x JOIN robots.share s ON s.operation = x.operation AND s.licence = x.licence
                     JOIN robots.operation o ON o.id = x.operation WHERE x.reversal = $3) p) s
         WHERE d.mode = $1 AND d.day = $2",
        mode.as_str(),
        day,
        reversal
    )
    .execute(conn)
    .await?;
    if done.rows_affected() == 1 {
        Ok(())
    } else {
        Err(Error::internal("a settlement without its day"))
    }
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
        "SELECT o.id, o.mode, o.route, o.legs, o.manual, s.volume, s.fees, s.result, s.cut, s.filled_at, x.at AS reversed_at,
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
