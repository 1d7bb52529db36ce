//! SQL of the bonus reports.

use super::routes::{BonusReportRow, BonusTotal, LostPointsRow, LostPointsTotal};
use crate::{
    affiliates::bonuses,
    error::Error,
    foundation::{
        http::Paging,
        listing::{self, Came, DayTotal, Summed},
    },
};
use protocol::{
    ids::{BonusId, UserId},
    money::Usdt,
    views::{BonusCause, BonusKind, LostReason},
};
use sqlx::{FromRow, PgPool, Postgres, QueryBuilder};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// Which bonuses are asked for.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub receiver: Option<UserId>,
    /// Business days, inclusive.
    pub from: Option<Date>,
    pub to: Option<Date>,
    pub kind: Option<BonusKind>,
    pub level: Option<i16>,
    pub search: Option<String>,
    pub reason: Option<LostReason>,
}

fn restrict_days(query: &mut QueryBuilder<Postgres>, column: &'static str, filter: &Filter) {
    if let Some(from) = filter.from {
        query.push(format!(" AND {column} >= ")).push_bind(from);
    }
    if let Some(to) = filter.to {
        query.push(format!(" AND {column} <= ")).push_bind(to);
    }
    if let Some(search) = &filter.search {
        listing::any_like(query, &["a.username_key", "a.full_name"], search);
        query.push(")");
    }
}

fn restrict(query: &mut QueryBuilder<Postgres>, filter: &Filter) {
    query.push(" WHERE true");
    if let Some(receiver) = filter.receiver {
        query.push(" AND b.receiver = ").push_bind(receiver.0);
    }
    if let Some(kind) = filter.kind {
        query.push(" AND b.kind = ").push_bind(kind.as_str());
    }
    if let Some(level) = filter.level {
        query.push(" AND b.level = ").push_bind(level);
    }
    restrict_days(query, "b.business_day", filter);
}

#[derive(FromRow)]
struct Row {
    id: Uuid,
    receiver: Uuid,
    username: String,
    source: Option<String>,
    kind: BonusKind,
    level: i16,
    cause_kind: BonusCause,
    base: i64,
    rate: i64,
    gross: i64,
    lost: i64,
    lost_reason: Option<LostReason>,
    paid: i64,
    waiting: i64,
    dropped: i64,
    returned: i64,
    business_day: Date,
    booked_at: OffsetDateTime,
    young_until: Option<OffsetDateTime>,
    reasons: Option<Vec<String>>,
    refused: bool,
    version: i64,
}

impl Row {
    fn shown(self, now: OffsetDateTime) -> BonusReportRow {
        let (receiver, username) = (UserId(self.receiver), self.username);
        let row = bonuses::store::Row {
            id: BonusId(self.id),
            receiver,
            source: self.source,
            kind: self.kind,
            level: self.level,
            cause_kind: self.cause_kind,
            base: self.base,
            rate: self.rate,
            gross: self.gross,
            lost: self.lost,
            lost_reason: self.lost_reason,
            paid: self.paid,
            waiting: self.waiting,
            dropped: self.dropped,
            returned: self.returned,
            business_day: self.business_day,
            booked_at: self.booked_at,
            young_until: self.young_until,
            reasons: self.reasons,
            refused: self.refused,
            version: self.version,
        };
        BonusReportRow {
            receiver,
            username,
            bonus: bonuses::rules::view(row, now),
        }
    }
}

const BONUSES: &str = "affiliates.bonus b JOIN identity.account a ON a.id = b.receiver";

/// Bonuses and how many there are. `sort` is a column.
pub async fn bonuses(
    pool: &PgPool,
    filter: &Filter,
    paging: &Paging,
    sort: &'static str,
    now: OffsetDateTime,
) -> Result<(Vec<BonusReportRow>, i64), Error> {
    let seen = |query: &mut QueryBuilder<Postgres>| {
        restrict(query, filter);
        listing::there(query, "b.booked_at", paging);
    };
    let mut all = QueryBuilder::new(format!("SELECT count(*) FROM {BONUSES}"));
    seen(&mut all);
    let total = listing::count(pool, all, paging).await?;
    let mut query = QueryBuilder::new(format!(
        "SELECT b.id, b.receiver, a.username, s.username AS source, b.kind, b.level, b.cause_kind, b.base, b.rate, b.gross, b.lost,
                b.lost_reason, b.paid, b.waiting, b.dropped, b.returned, b.business_day, b.booked_at, b.young_until,
                r.reasons, coalesce(r.refused, false) AS refused, b.version FROM {BONUSES}
         LEFT JOIN identity.account s ON s.id = b.source
         LEFT JOIN affiliates.review_told r ON r.id = b.review"
    ));
    seen(&mut query);
    let direction = if paging.descending { "DESC" } else { "ASC" };
    query.push(format!(" ORDER BY {sort} {direction}, b.id {direction}"));
    let rows: Vec<Row> = listing::rows(pool, query, paging).await?;
    Ok((rows.into_iter().map(|row| row.shown(now)).collect(), total))
}

#[derive(FromRow)]
struct TotalRow {
    kind: BonusKind,
    level: i16,
    count: i64,
    gross: i64,
    paid: i64,
    waiting: i64,
    lost: i64,
    dropped: i64,
    returned: i64,
}

/// What the bonuses that the filters let through add up to, by kind and level.
pub async fn totals(pool: &PgPool, filter: &Filter) -> Result<Vec<BonusTotal>, Error> {
    let mut query = QueryBuilder::new(format!(
        "SELECT b.kind, b.level, count(*) AS count, foundation.clamped(sum(b.gross)) AS gross, foundation.clamped(sum(b.paid)) AS paid,
                foundation.clamped(sum(b.waiting)) AS waiting, foundation.clamped(sum(b.lost)) AS lost,
                foundation.clamped(sum(b.dropped)) AS dropped, foundation.clamped(sum(b.returned)) AS returned FROM {BONUSES}"
    ));
    restrict(&mut query, filter);
    query.push(" GROUP BY b.kind, b.level ORDER BY b.kind, b.level");
    let rows: Vec<TotalRow> = query.build_query_as().fetch_all(pool).await?;
    Ok(rows
        .into_iter()
        .map(|r| BonusTotal {
            kind: r.kind,
            level: r.level,
            count: r.count,
            gross: Usdt(r.gross),
            paid: Usdt(r.paid),
            waiting: Usdt(r.waiting),
            lost: Usdt(r.lost),
            dropped: Usdt(r.dropped),
            returned: Usdt(r.returned),
        })
        .collect())
}

/// What came of bonuses and was not taken back, by the day that earned them.
const RECEIVED: Summed = Summed {
    of: BONUSES,
    came: Came::On("b.business_day"),
    amount: "b.paid - b.returned",
    counted: "b.paid > b.returned",
};

/// The days of the bonuses that the filters let through.
pub async fn days(pool: &PgPool, filter: &Filter) -> Result<Vec<DayTotal>, Error> {
    let mut conn = pool.acquire().await?;
    let received = listing::by_day(&mut conn, RECEIVED, |query| restrict(query, filter)).await?;
    Ok(received.days)
}

const LOST: &str = "affiliates.match m JOIN affiliates.closing c ON c.id = m.closing JOIN identity.account a ON a.id = m.member";

fn restrict_lost(query: &mut QueryBuilder<Postgres>, filter: &Filter) {
    query.push(" WHERE m.lost > 0");
    if let Some(reason) = filter.reason {
        query.push(" AND m.lost_reason = ").push_bind(reason.as_str());
    }
    restrict_days(query, "c.day", filter);
}

#[derive(FromRow)]
struct LostRow {
    member: Uuid,
    username: String,
    full_name: String,
    day: Date,
    left_points: i64,
    right_points: i64,
    matched: i64,
    lost: i64,
    lost_reason: LostReason,
}

/// Matched points that were not paid, and how many lines there are.
pub async fn lost_points(
    pool: &PgPool,
    filter: &Filter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<LostPointsRow>, i64), Error> {
    let mut all = QueryBuilder::new(format!("SELECT count(*) FROM {LOST}"));
    restrict_lost(&mut all, filter);
    let total = listing::count(pool, all, paging).await?;
    let mut query = QueryBuilder::new(format!(
        "SELECT m.member, a.username, a.full_name, c.day, m.left_points, m.right_points, m.matched, m.lost, m.lost_reason FROM {LOST}"
    ));
    restrict_lost(&mut query, filter);
    let direction = if paging.descending { "DESC" } else { "ASC" };
    query.push(format!(
        " ORDER BY {sort} {direction}, c.day {direction}, m.member {direction}"
    ));
    let rows: Vec<LostRow> = listing::rows(pool, query, paging).await?;
    let rows = rows.into_iter().map(|r| LostPointsRow {
        user: UserId(r.member),
        username: r.username,
        full_name: r.full_name,
        business_day: r.day.to_string(),
        left_points: Usdt(r.left_points),
        right_points: Usdt(r.right_points),
        matched: Usdt(r.matched),
        paid: Usdt(r.matched - r.lost),
        lost: Usdt(r.lost),
        reason: r.lost_reason,
    });
    Ok((rows.collect(), total))
}

/// What was lost for each reason.
pub async fn lost_totals(pool: &PgPool, filter: &Filter) -> Result<Vec<LostPointsTotal>, Error> {
    let mut query = QueryBuilder::new(format!(
        "SELECT m.lost_reason, count(*), foundation.clamped(sum(m.lost)) FROM {LOST}"
    ));
    restrict_lost(&mut query, filter);
    query.push(" GROUP BY m.lost_reason ORDER BY m.lost_reason");
    let rows: Vec<(LostReason, i64, i64)> = query.build_query_as().fetch_all(pool).await?;
    Ok(rows
        .into_iter()
        .map(|(reason, count, points)| LostPointsTotal {
            reason,
            count,
            points: Usdt(points),
        })
        .collect())
}

/// The points of each day that its closing did not pay.
const LOST_BY_DAY: Summed = Summed {
    of: LOST,
    came: Came::On("c.day"),
    amount: "m.lost",
    counted: "m.lost > 0",
};

/// The days of the lost points that the filters let through.
pub async fn lost_days(pool: &PgPool, filter: &Filter) -> Result<Vec<DayTotal>, Error> {
    let mut conn = pool.acquire().await?;
    let lost = listing::by_day(&mut conn, LOST_BY_DAY, |query| restrict_lost(query, filter)).await?;
    Ok(lost.days)
}
