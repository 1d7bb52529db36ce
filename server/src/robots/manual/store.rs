//! SQL of manual orders and of their report.

use super::{
    model::ManualDay,
    rules::{self, LIFE, STANDS},
};
use crate::error::{Error, violates};
use protocol::{
    ErrorCode,
    ids::{LicenceId, OperationId, UserId},
    money::Usdt,
    views::{ManualOrderView, ManualRefusal, ManualState, Mode},
};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// An order with its owner.
#[derive(Clone, Debug)]
pub struct Order {
    pub owner: UserId,
    pub view: ManualOrderView,
}

struct Row {
    id: Uuid,
    licence: Uuid,
    owner: Uuid,
    route: Option<String>,
    state: String,
    reason: Option<String>,
    volume: Option<i64>,
    result: Option<i64>,
    unwound: bool,
    mode: Option<String>,
    asked_at: OffsetDateTime,
    begun_at: Option<OffsetDateTime>,
    closed_at: Option<OffsetDateTime>,
}

impl TryFrom<Row> for Order {
    type Error = Error;
    fn try_from(r: Row) -> Result<Self, Error> {
        let strange = |()| Error::internal("a manual order in unknown words");
        Ok(Self {
            owner: UserId(r.owner),
            view: ManualOrderView {
                id: OperationId(r.id),
                licence: LicenceId(r.licence),
                route: r.route,
                begun: r.begun_at.is_some(),
                until: r.asked_at + STANDS,
                state: r.state.parse::<ManualState>().map_err(strange)?,
                reason: r
                    .reason
                    .map(|reason| reason.parse::<ManualRefusal>())
                    .transpose()
                    .map_err(strange)?,
                volume: r.volume.map(Usdt),
                result: r.result.map(Usdt),
                unwound: r.unwound,
                mode: r
                    .mode
                    .map(|mode| mode.parse::<Mode>())
                    .transpose()
                    .map_err(strange)?,
                asked_at: r.asked_at,
                closed_at: r.closed_at,
            },
        })
    }
}

fn read(rows: Vec<Row>) -> Result<Vec<Order>, Error> {
    rows.into_iter().map(Order::try_from).collect()
}

/// A person's orders come one after another until the transaction ends.
pub async fn lock_owner(conn: &mut PgConnection, owner: UserId) -> Result<(), Error> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 25))",
        owner.to_string()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Since when an order of the person is in the air, and when the desk began the latest filled one.
pub async fn turn(
    db: impl PgExecutor<'_>,
    owner: UserId,
) -> Result<(Option<OffsetDateTime>, Option<OffsetDateTime>), Error> {
    let row = sqlx::query!(
        "SELECT (SELECT asked_at FROM robots.manual_order WHERE owner = $1 AND state IN ('asked', 'sent')) AS open,
                (SELECT coalesce(begun_at, asked_at) FROM robots.manual_order WHERE owner = $1 AND state = 'done'
                 ORDER BY asked_at DESC LIMIT 1) AS last",
        owner.0
    )
    .fetch_one(db)
    .await?;
    Ok((row.open, row.last))
}

pub async fn insert(
    conn: &mut PgConnection,
    id: OperationId,
    licence: LicenceId,
    owner: UserId,
    route: Option<&str>,
    now: OffsetDateTime,
) -> Result<Order, Error> {
    let inserted = sqlx::query_as!(
        Row,
        "INSERT INTO robots.manual_order (id, licence, owner, route, asked_at) VALUES ($1, $2, $3, $4, $5)
         RETURNING id, licence, owner, route, state, reason, volume, result, unwound, mode, asked_at, begun_at, closed_at",
        id.0,
        licence.0,
        owner.0,
        route,
        now
    )
    .fetch_one(conn)
    .await;
    match inserted {
        Ok(row) => row.try_into(),
        Err(error) if violates(&error, "manual_order_open") => Err(Error::code(ErrorCode::ManualOpen)),
        Err(error) => Err(error.into()),
    }
}

/// The newest orders of a robot.
pub async fn newest(
    db: impl PgExecutor<'_>,
    licence: LicenceId,
    limit: i64,
) -> Result<Vec<ManualOrderView>, Error> {
    let rows = sqlx::query_as!(
        Row,
        "SELECT id, licence, owner, route, state, reason, volume, result, unwound, mode, asked_at, begun_at, closed_at
         FROM robots.manual_order WHERE licence = $1 ORDER BY asked_at DESC, id DESC LIMIT $2",
        licence.0,
        limit
    )
    .fetch_all(db)
    .await?;
    Ok(read(rows)?.into_iter().map(|o| o.view).collect())
}

/// Whether orders wait for the desk, and the age of the oldest that is open: one look at the few that are.
pub async fn waiting(db: impl PgExecutor<'_>) -> Result<(bool, Option<OffsetDateTime>), Error> {
    let row = sqlx::query!(
        r#"SELECT coalesce(bool_or(state = 'asked'), false) AS "asked!", min(asked_at) AS oldest
           FROM robots.manual_order WHERE state IN ('asked', 'sent')"#
    )
    .fetch_one(db)
    .await?;
    Ok((row.asked, row.oldest))
}

/// Marks what waits as taken by the desk of this lease.
pub async fn send(
    conn: &mut PgConnection,
    fence: i64,
    now: OffsetDateTime,
    limit: i64,
) -> Result<Vec<Order>, Error> {
    let rows = sqlx::query_as!(
        Row,
        "UPDATE robots.manual_order SET state = 'sent', sent = $1
         WHERE id IN (SELECT id FROM robots.manual_order WHERE state = 'asked' AND asked_at > $2
                      ORDER BY asked_at, id LIMIT $3 FOR UPDATE SKIP LOCKED) AND state = 'asked'
         RETURNING id, licence, owner, route, state, reason, volume, result, unwound, mode, asked_at, begun_at, closed_at",
        fence,
        now - LIFE,
        limit
    )
    .fetch_all(conn)
    .await?;
    let mut orders = read(rows)?;
    orders.sort_unstable_by_key(|o| (o.view.asked_at, o.view.id));
    Ok(orders)
}

/// Marks an order as begun, if the desk of this lease still has it.
pub async fn begin(
    conn: &mut PgConnection,
    id: OperationId,
    fence: i64,
    now: OffsetDateTime,
) -> Result<Option<Order>, Error> {
    sqlx::query_as!(
        Row,
        "UPDATE robots.manual_order SET begun_at = coalesce(begun_at, $4)
         WHERE id = $1 AND state = 'sent' AND sent = $2 AND asked_at > $3
         RETURNING id, licence, owner, route, state, reason, volume, result, unwound, mode, asked_at, begun_at, closed_at",
        id.0,
        fence,
        now - LIFE,
        now
    )
    .fetch_optional(conn)
    .await?
    .map(Order::try_from)
    .transpose()
}

/// Ends an order at its owner's word; none of one that was begun, has ended, or is somebody else's.
pub async fn cancel(
    conn: &mut PgConnection,
    id: OperationId,
    owner: UserId,
    now: OffsetDateTime,
) -> Result<Option<Order>, Error> {
    sqlx::query_as!(
        Row,
        "UPDATE robots.manual_order SET state = 'refused', reason = $3, closed_at = $4
         WHERE id = $1 AND owner = $2 AND state IN ('asked', 'sent') AND begun_at IS NULL
         RETURNING id, licence, owner, route, state, reason, volume, result, unwound, mode, asked_at, begun_at, closed_at",
        id.0,
        owner.0,
        ManualRefusal::Canceled.as_str(),
        now
    )
    .fetch_optional(conn)
    .await?
    .map(Order::try_from)
    .transpose()
}

/// Whether it is an order of this person.
pub async fn is_of(conn: &mut PgConnection, id: OperationId, owner: UserId) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM robots.manual_order WHERE id = $1 AND owner = $2) AS "is!""#,
        id.0,
        owner.0
    )
    .fetch_one(conn)
    .await?)
}

/// Refuses an order that is open; none when it has ended already.
pub async fn refuse(
    conn: &mut PgConnection,
    id: OperationId,
    reason: ManualRefusal,
    now: OffsetDateTime,
) -> Result<Option<Order>, Error> {
    sqlx::query_as!(
        Row,
        "UPDATE robots.manual_order SET state = 'refused', reason = $2, closed_at = $3
         WHERE id = $1 AND state IN ('asked', 'sent')
         RETURNING id, licence, owner, route, state, reason, volume, result, unwound, mode, asked_at, begun_at, closed_at",
        id.0,
        reason.as_str(),
        now
    )
    .fetch_optional(conn)
    .await?
    .map(Order::try_from)
    .transpose()
}

/// Gives up what is open for too long, of everyone or of one person. What a settlement holds at this moment ends there.
pub async fn expire(
    conn: &mut PgConnection,
    owner: Option<UserId>,
    now: OffsetDateTime,
) -> Result<Vec<Order>, Error> {
    let rows = sqlx::query_as!(
        Row,
        "UPDATE robots.manual_order SET state = 'refused', reason = $3, closed_at = $1
         WHERE id IN (SELECT o.id FROM robots.manual_order o WHERE o.state IN ('asked', 'sent') AND o.asked_at <= $2
                        AND ($4::uuid IS NULL OR o.owner = $4)
                        AND NOT EXISTS (SELECT FROM robots.live_operation l WHERE l.id = o.id AND l.state <> 'booked')
                      ORDER BY o.id LIMIT 500 FOR UPDATE SKIP LOCKED)
         RETURNING id, licence, owner, route, state, reason, volume, result, unwound, mode, asked_at, begun_at, closed_at",
        now,
        now - LIFE,
        ManualRefusal::Expired.as_str(),
        owner.map(|o| o.0)
    )
    .fetch_all(conn)
    .await?;
    read(rows)
}

/// What became of one order in a settlement; without a result it filled nothing.
pub struct Closed {
    pub id: OperationId,
    pub route: String,
    /// Volume and result.
    pub filled: Option<(Usdt, Usdt)>,
    pub unwound: bool,
}

/// Ends orders with what was booked of them. What filled counts even if its order had been given up before.
pub async fn close(
    conn: &mut PgConnection,
    closed: &[Closed],
    mode: Mode,
    now: OffsetDateTime,
) -> Result<Vec<Order>, Error> {
    let ids: Vec<Uuid> = closed.iter().map(|c| c.id.0).collect();
    let routes: Vec<String> = closed.iter().map(|c| c.route.clone()).collect();
    let volumes: Vec<Option<i64>> = closed.iter().map(|c| c.filled.map(|f| f.0.0)).collect();
    let results: Vec<Option<i64>> = closed.iter().map(|c| c.filled.map(|f| f.1.0)).collect();
    let unwound: Vec<bool> = closed.iter().map(|c| c.unwound).collect();
    let rows = sqlx::query_as!(
        Row,
        "UPDATE robots.manual_order o SET state = CASE WHEN n.result IS NULL THEN 'nothing' ELSE 'done' END, reason = NULL,
             volume = n.volume, result = n.result, unwound = n.unwound, mode = $4, closed_at = $5, route = coalesce(o.route, n.route)
         FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $6::text[], $7::boolean[]) AS n(id, volume, result, route, unwound)
         WHERE o.id = n.id AND (o.state IN ('asked', 'sent') OR n.result IS NOT NULL)
         RETURNING o.id, o.licence, o.owner, o.route, o.state, o.reason, o.volume, o.result, o.unwound, o.mode, o.asked_at, o.begun_at, o.closed_at",
        &ids,
        &volumes as &[Option<i64>],
        &results as &[Option<i64>],
        mode.as_str(),
        now,
        &routes,
        &unwound
    )
    .fetch_all(conn)
    .await?;
    read(rows)
}

/// Days of the desk, newest (or oldest) first, and how many there are.
pub async fn days(
    db: &sqlx::PgPool,
    descending: bool,
    limit: i64,
    offset: i64,
) -> Result<(Vec<ManualDay>, i64), Error> {
    let rows = sqlx::query!(
        "SELECT mode, day, net, operations, volume, manual_net, manual_operations, manual_volume FROM robots.desk_day
         ORDER BY CASE WHEN $1 THEN day END DESC, CASE WHEN NOT $1 THEN day END, mode LIMIT $2 OFFSET $3",
        descending,
        limit,
        offset
    )
    .fetch_all(db)
    .await?;
    let total = sqlx::query_scalar!(r#"SELECT count(*) AS "count!" FROM robots.desk_day"#)
        .fetch_one(db)
        .await?;
    let days = rows.into_iter().map(|r| {
        Ok(ManualDay {
            day: r.day.to_string(),
            mode: r
                .mode
                .parse::<Mode>()
                .map_err(|()| Error::internal("a day in an unknown mode"))?,
            manual: rules::side(r.manual_operations, Usdt(r.manual_volume), Usdt(r.manual_net)),
            cohort: rules::side(
                r.operations - r.manual_operations,
                Usdt(r.volume - r.manual_volume),
                Usdt(r.net - r.manual_net),
            ),
        })
    });
    Ok((days.collect::<Result<_, Error>>()?, total))
}
