//! SQL of ranks.

use super::{
    rules,
    service::{Due, GraduationItem, GraduationMetric, GraduationPayment, RankedMember},
};
use crate::{
    error::Error,
    foundation::{http::Paging, listing, settings::Settings},
};
use protocol::{
    ids::{GraduationId, GraduationPayoutId, UserId},
    money::Usdt,
    views::{GraduationPayoutStatus, Rank},
};
use sqlx::{FromRow, PgConnection, PgExecutor, PgPool, Postgres, QueryBuilder};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// Paid points and rank of a member, and when the rank was reached.
pub async fn standing(
    db: impl PgExecutor<'_>,
    member: UserId,
) -> Result<Option<(i64, i16, Option<OffsetDateTime>)>, Error> {
    let row = sqlx::query!(
        r#"SELECT s.paid_points, s.rank, g.reached_at AS "reached_at?" FROM affiliates.standing s
           LEFT JOIN affiliates.graduation g ON g.member = s.member AND g.rank = s.rank WHERE s.member = $1"#,
        member.0
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|r| (r.paid_points, r.rank, r.reached_at)))
}

/// A rank's bonus, locked; none of one that was given up.
pub async fn lock(conn: &mut PgConnection, id: GraduationId) -> Result<Option<Due>, Error> {
    let row = sqlx::query!(
        "SELECT id, member, rank, amount, payout FROM affiliates.graduation WHERE id = $1 AND given_up_at IS NULL FOR UPDATE",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| Due {
        id: GraduationId(r.id),
        member: UserId(r.member),
        rank: rank(r.rank),
        amount: Usdt(r.amount),
        payout: r.payout.map(GraduationPayoutId),
    }))
}

pub async fn set_payout(
    conn: &mut PgConnection,
    id: GraduationId,
    payout: Option<GraduationPayoutId>,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.graduation SET payout = $2, version = version + 1 WHERE id = $1",
        id.0,
        payout.map(|payout| payout.0)
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn set_paid(
    conn: &mut PgConnection,
    id: GraduationId,
    hash: &str,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.graduation SET payment_hash = $2, paid_at = $3, version = version + 1 WHERE id = $1",
        id.0,
        hash,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Gives up what of a member's bonuses nobody has asked to be paid.
pub async fn give_up(conn: &mut PgConnection, member: UserId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.graduation SET given_up_at = $2, version = version + 1
         WHERE member = $1 AND paid_at IS NULL AND payout IS NULL AND given_up_at IS NULL AND amount > 0",
        member.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub member: Option<UserId>,
    pub from: Option<Date>,
    /// Inclusive.
    pub to: Option<Date>,
    pub active: Option<bool>,
    pub paid: Option<bool>,
    pub waiting: Option<bool>,
}

fn restrict(query: &mut QueryBuilder<Postgres>, filter: &Filter) {
    query.push(" WHERE true");
    if let Some(member) = filter.member {
        query.push(" AND g.member = ").push_bind(member.0);
    }
    if let Some(from) = filter.from {
        query.push(" AND g.business_day >= ").push_bind(from);
    }
    if let Some(to) = filter.to {
        query.push(" AND g.business_day <= ").push_bind(to);
    }
    if let Some(active) = filter.active {
        query
            .push(" AND affiliates.is_active(g.member) = ")
            .push_bind(active);
    }
    if let Some(paid) = filter.paid {
        query.push(" AND (g.paid_at IS NOT NULL) = ").push_bind(paid);
        // What was given up is neither.
        query.push(" AND g.given_up_at IS NULL");
    }
    if let Some(waiting) = filter.waiting {
        query
            .push(" AND EXISTS (SELECT FROM wallet.graduation_bonus b WHERE b.graduation = g.id AND b.status = 'pending') = ")
            .push_bind(waiting);
    }
}

#[derive(FromRow)]
struct ItemRow {
    id: Uuid,
    member: Uuid,
    username: String,
    full_name: String,
    rank: i16,
    threshold: i64,
    amount: i64,
    active: bool,
    payment_hash: Option<String>,
    paid_at: Option<OffsetDateTime>,
    given_up_at: Option<OffsetDateTime>,
    business_day: Date,
    reached_at: OffsetDateTime,
    payout: Option<Uuid>,
    payout_status: Option<String>,
    approvals: Option<i16>,
    approvals_needed: Option<i16>,
    reason: Option<String>,
    tx: Option<Vec<u8>>,
    payout_version: Option<i64>,
}

impl ItemRow {
    /// The last payment that was asked for.
    fn payment(&self) -> Option<GraduationPayment> {
        Some(GraduationPayment {
            id: GraduationPayoutId(self.payout?),
            status: self.payout_status.as_deref()?.parse().ok()?,
            approvals: self.approvals?,
            approvals_needed: self.approvals_needed?,
            reason: self.reason.clone(),
            transaction: self.tx.as_ref().map(|tx| format!("0x{}", hex::encode(tx))),
            version: self.payout_version?,
        })
    }
}

fn rank(number: i16) -> Rank {
    Rank::numbered(number).unwrap_or(Rank::Bronze)
}

impl From<ItemRow> for GraduationItem {
    fn from(row: ItemRow) -> Self {
        use GraduationPayoutStatus::{Failed, Rejected};
        let payment = row.payment();
        let under_way = payment
            .as_ref()
            .filter(|payment| !matches!(payment.status, Failed | Rejected))
            .and_then(|payment| payment.transaction.clone());
        Self {
            id: GraduationId(row.id),
            user: UserId(row.member),
            username: row.username,
            full_name: row.full_name,
            rank: rank(row.rank),
            threshold: Usdt(row.threshold),
            bonus: Usdt(row.amount),
            is_active: row.active,
            is_bonus_paid: row.paid_at.is_some(),
            bonus_payment_hash: row.payment_hash.or(under_way),
            payment,
            paid_at: row.paid_at,
            given_up_at: row.given_up_at,
            business_day: row.business_day.to_string(),
            created_at: row.reached_at,
        }
    }
}

const FROM: &str = " FROM affiliates.graduation g JOIN identity.account a ON a.id = g.member";
/// The last payment of each; a hash of before says nothing of one that nobody will send any more.
const PAYMENT: &str = " LEFT JOIN LATERAL (SELECT b.id AS payout, b.shown_status AS payout_status, b.approvals, b.approvals_needed, b.reason,
        CASE WHEN b.shown_status <> 'rejected' THEN b.tx END AS tx, b.version AS payout_version
    FROM wallet.graduation_bonus_shown b WHERE b.graduation = g.id ORDER BY b.created_at DESC, b.id DESC LIMIT 1) p ON true";

/// Ranks that were reached, in the order asked for, and how many there are.
pub async fn items(
    pool: &PgPool,
    filter: &Filter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<GraduationItem>, i64), Error> {
    let mut all = QueryBuilder::new(format!("SELECT count(*){FROM}"));
    restrict(&mut all, filter);
    let total = listing::count(pool, all, paging).await?;
    let mut query = QueryBuilder::new(format!(
        "SELECT g.id, g.member, a.username, a.full_name, g.rank, g.threshold, g.amount, affiliates.is_active(g.member) AS active,
                g.payment_hash, g.paid_at, g.given_up_at, g.business_day, g.reached_at, p.*{FROM}{PAYMENT}"
    ));
    restrict(&mut query, filter);
    let direction = if paging.descending { "DESC" } else { "ASC" };
    query.push(format!(
        " ORDER BY {sort} {direction} NULLS LAST, g.id {direction}"
    ));
    let rows: Vec<ItemRow> = listing::rows(pool, query, paging).await?;
    Ok((rows.into_iter().map(GraduationItem::from).collect(), total))
}

#[derive(FromRow)]
struct MetricRow {
    rank: i16,
    count: i64,
    unpaid: i64,
    bonus: i64,
}

/// How often each rank was reached by what the filters let through, most often first.
pub async fn metrics(pool: &PgPool, filter: &Filter) -> Result<Vec<GraduationMetric>, Error> {
    let mut query = QueryBuilder::new(format!(
        "SELECT g.rank, count(*) AS count, count(*) FILTER (WHERE g.paid_at IS NULL AND g.given_up_at IS NULL) AS unpaid, foundation.clamped(coalesce(sum(g.amount) FILTER (WHERE g.given_up_at IS NULL), 0)) AS bonus{FROM}"
    ));
    restrict(&mut query, filter);
    query.push(" GROUP BY g.rank ORDER BY count DESC, g.rank DESC");
    let rows: Vec<MetricRow> = query.build_query_as().fetch_all(pool).await?;
    Ok(rows
        .into_iter()
        .map(|r| GraduationMetric {
            rank: rank(r.rank),
            count: r.count,
            unpaid: r.unpaid,
            bonus: Usdt(r.bonus),
        })
        .collect())
}

#[derive(FromRow)]
struct MemberRow {
    id: Uuid,
    username: String,
    full_name: String,
    rank: i16,
    paid_points: i64,
    active: bool,
}

/// Who is asked for of those who were paid for points.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    pub search: Option<String>,
    /// Zero for those who hold none yet.
    pub rank: Option<i16>,
}

fn standings(select: &'static str, among: &'static str, search: Option<&str>) -> QueryBuilder<Postgres> {
    let mut query = QueryBuilder::new(select);
    query
        .push(" FROM affiliates.standing s JOIN identity.account a ON a.id = s.member WHERE ")
        .push(among);
    if let Some(search) = search {
        listing::any_like(&mut query, &["a.username_key", "a.full_name"], search);
        query.push(")");
    }
    query
}

/// Members with a rank or on the way to the first one, the highest rank first, of one rank whoever is nearest to the next; and how many
/// there are.
pub async fn members(
    pool: &PgPool,
    filter: &Standing,
    paging: &Paging,
    settings: &Settings,
) -> Result<(Vec<RankedMember>, i64), Error> {
    let among = |select| {
        let on_the_way = "(s.rank > 0 OR s.paid_points > 0)";
        let mut query = standings(select, on_the_way, filter.search.as_deref());
        if let Some(rank) = filter.rank {
            query.push(" AND s.rank = ").push_bind(rank);
        }
        query
    };
    let total = listing::count(pool, among("SELECT count(*)"), paging).await?;
    let mut query = among(
        "SELECT s.member AS id, a.username, a.full_name, s.rank, s.paid_points, affiliates.is_active(s.member) AS active",
    );
    query.push(" ORDER BY s.rank DESC, s.paid_points DESC, s.member");
    let rows: Vec<MemberRow> = listing::rows(pool, query, paging).await?;
    let members = rows.into_iter().map(|r| RankedMember {
        user: UserId(r.id),
        username: r.username,
        full_name: r.full_name,
        rank: Rank::numbered(r.rank),
        paid_points: Usdt(r.paid_points),
        next: rules::next(r.rank, Usdt(r.paid_points), settings),
        is_active: r.active,
    });
    Ok((members.collect(), total))
}

/// How many stand at each rank now, most first.
pub async fn ranks(pool: &PgPool, search: Option<&str>) -> Result<Vec<(Rank, i64)>, Error> {
    let mut query = standings("SELECT s.rank, count(*)", "s.rank > 0", search);
    query.push(" GROUP BY s.rank ORDER BY count(*) DESC, s.rank DESC");
    let rows: Vec<(i16, i64)> = query.build_query_as().fetch_all(pool).await?;
    Ok(rows
        .into_iter()
        .map(|(number, count)| (rank(number), count))
        .collect())
}
