//! SQL of sponsorship and of what staff see of people's money.

use super::service::Operation;
use crate::{
    approvals::service::Standing,
    error::Error,
    foundation::{http::Paging, listing},
};
use protocol::{
    ids::{LicenceId, SponsorshipId, UserId},
    money::Usdt,
};
use sqlx::{FromRow, PgConnection, PgPool, Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

/// An order about to be decided on.
pub struct Locked {
    pub id: SponsorshipId,
    pub user: UserId,
    pub licence: Option<LicenceId>,
    pub operation: Operation,
    pub value: Usdt,
    pub pending: bool,
}

pub struct NewRequest<'a> {
    pub request: &'a Locked,
    pub reason: &'a str,
    pub digest: [u8; 32],
    pub by: UserId,
}

/// Whether there is such a person, who does not close their account until the order waits or is carried out, and whether the licence is theirs.
pub struct Found {
    pub person: bool,
    pub licence: bool,
}

pub async fn look(conn: &mut PgConnection, user: UserId, licence: Option<LicenceId>) -> Result<Found, Error> {
    Ok(sqlx::query_as!(
        Found,
        r#"WITH person AS MATERIALIZED (
               SELECT id FROM identity.account WHERE id = $1 AND NOT is_house AND status <> 'closed' FOR KEY SHARE)
           SELECT EXISTS (SELECT FROM person) AS "person!",
                  EXISTS (SELECT FROM licences.licence WHERE id = $2 AND owner = $1) AS "licence!""#,
        user.0,
        licence.map(|l| l.0)
    )
    .fetch_one(conn)
    .await?)
}

pub async fn insert(conn: &mut PgConnection, new: &NewRequest<'_>, now: OffsetDateTime) -> Result<(), Error> {
    let request = new.request;
    sqlx::query!(
        "INSERT INTO sponsorship.request (id, user_id, licence, operation, usdt, reason, digest, ordered_by, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        request.id.0,
        request.user.0,
        request.licence.map(|l| l.0),
        request.operation.as_str(),
        request.value.0,
        new.reason,
        new.digest.as_slice(),
        new.by.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

fn operation(text: &str) -> Result<Operation, Error> {
    Operation::read(text).ok_or_else(|| Error::internal("a sponsorship of an unknown kind"))
}

pub async fn lock(conn: &mut PgConnection, id: SponsorshipId) -> Result<Option<Locked>, Error> {
    let row = sqlx::query!(
        "SELECT user_id, licence, operation, usdt, status FROM sponsorship.request WHERE id = $1 FOR UPDATE",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    row.map(|r| {
        Ok(Locked {
            id,
            user: UserId(r.user_id),
            licence: r.licence.map(LicenceId),
            operation: operation(&r.operation)?,
            value: Usdt(r.usdt),
            pending: r.status == "pending",
        })
    })
    .transpose()
}

/// An order as staff see it.
#[derive(Clone, Debug, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SponsorshipView)]
pub struct RequestView {
    #[serde(rename = "_id")]
    pub id: SponsorshipId,
    #[serde(rename = "userId")]
    pub user: UserId,
    pub username: String,
    /// The licence's number, when the order names one.
    pub licence: Option<i32>,
    pub operation: Operation,
    pub value: Usdt,
    pub reason: String,
    /// `pending`, `complete`, `rejected`.
    pub status: String,
    pub approvals: i16,
    pub approvals_needed: i16,
    pub ordered_by: String,
    pub rejected_reason: Option<String>,
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

#[derive(FromRow)]
struct RequestRow {
    id: Uuid,
    user_id: Uuid,
    username: String,
    number: Option<i32>,
    operation: String,
    usdt: i64,
    reason: String,
    status: String,
    approvals: i16,
    approvals_needed: i16,
    by_name: String,
    rejected_reason: Option<String>,
    created_at: OffsetDateTime,
}

const COLUMNS: &str = "SELECT q.id, q.user_id, a.username, l.number, q.operation, q.usdt, q.reason, q.status, q.approvals, q.approvals_needed,
        b.username AS by_name, q.rejected_reason, q.created_at";
const BESIDE: &str =
    " q JOIN identity.account a ON a.id = q.user_id JOIN identity.account b ON b.id = q.ordered_by
    LEFT JOIN licences.licence l ON l.id = q.licence";

/// Writes what `set` says of an order; the order as it is then.
async fn change(
    conn: &mut PgConnection,
    id: SponsorshipId,
    set: impl FnOnce(&mut QueryBuilder<Postgres>),
) -> Result<RequestView, Error> {
    let mut query = QueryBuilder::<Postgres>::new("WITH changed AS (UPDATE sponsorship.request SET ");
    set(&mut query);
    query.push(" WHERE id = ").push_bind(id.0);
    query.push(format!(" RETURNING *) {COLUMNS} FROM changed{BESIDE}"));
    let row: RequestRow = query.build_query_as().fetch_one(conn).await?;
    row.view()
}

/// How far it is approved; carried out when it has all approvals that it needs.
pub async fn approve(
    conn: &mut PgConnection,
    id: SponsorshipId,
    standing: Standing,
    now: OffsetDateTime,
) -> Result<RequestView, Error> {
    change(conn, id, |query| {
        query.push("approvals = ").push_bind(standing.approvals);
        query.push(", approvals_needed = ").push_bind(standing.needed);
        if standing.is_complete() {
            query.push(", status = 'complete', ended_at = ").push_bind(now);
        }
    })
    .await
}

/// A word was taken back: how many stand.
pub async fn count_words(conn: &mut PgConnection, id: SponsorshipId) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE sponsorship.request SET approvals = approvals.words('sponsorship', id, digest) WHERE id = $1",
        id.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn reject(
    conn: &mut PgConnection,
    id: SponsorshipId,
    reason: &str,
    now: OffsetDateTime,
) -> Result<RequestView, Error> {
    change(conn, id, |query| {
        query
            .push("status = 'rejected', rejected_reason = ")
            .push_bind(reason.to_owned());
        query.push(", ended_at = ").push_bind(now);
    })
    .await
}

impl RequestRow {
    fn view(self) -> Result<RequestView, Error> {
        Ok(RequestView {
            id: SponsorshipId(self.id),
            user: UserId(self.user_id),
            username: self.username,
            licence: self.number,
            operation: operation(&self.operation)?,
            value: Usdt(self.usdt),
            reason: self.reason,
            status: self.status,
            approvals: self.approvals,
            approvals_needed: self.approvals_needed,
            ordered_by: self.by_name,
            rejected_reason: self.rejected_reason,
            created_at: self.created_at,
        })
    }
}

pub async fn requests(pool: &PgPool, paging: &Paging) -> Result<(Vec<RequestView>, i64), Error> {
    let total = sqlx::query_scalar!(r#"SELECT count(*) AS "n!" FROM sponsorship.request"#)
        .fetch_one(pool)
        .await?;
    let mut query = QueryBuilder::<Postgres>::new(format!("{COLUMNS} FROM sponsorship.request{BESIDE}"));
    query
        .push(" ORDER BY q.status = 'pending' DESC, q.created_at DESC LIMIT ")
        .push_bind(paging.limit)
        .push(" OFFSET ")
        .push_bind(paging.offset);
    let rows: Vec<RequestRow> = query.build_query_as().fetch_all(pool).await?;
    Ok((
        rows.into_iter().map(RequestRow::view).collect::<Result<_, _>>()?,
        total,
    ))
}

/// A person with their balances.
#[derive(Clone, Debug, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BalanceRow {
    #[serde(rename = "_id")]
    pub id: UserId,
    pub username: String,
    pub full_name: String,
    pub email: String,
    pub status: String,
    /// `available`.
    pub balance: Usdt,
    pub sponsored: Usdt,
    pub bonus: Usdt,
    pub held: Usdt,
    /// Active licences.
    pub licences: i64,
}

/// What all people who were found have together, in USDT.
#[derive(Clone, Copy, Debug, serde::Serialize, utoipa::ToSchema)]
pub struct BalanceSums {
    /// `available`.
    pub balance: Usdt,
    pub sponsored: Usdt,
    pub bonus: Usdt,
    pub held: Usdt,
}

#[derive(FromRow)]
struct PersonRow {
    id: Uuid,
    username: String,
    full_name: String,
    email: String,
    status: String,
    balance: i64,
    sponsored: i64,
    bonus: i64,
    held: i64,
    licences: i64,
}

fn restrict(query: &mut QueryBuilder<Postgres>, search: Option<&str>) {
    query.push(" WHERE NOT a.is_house");
    if let Some(search) = search {
        listing::any_like(query, &["a.username_key", "a.email", "a.full_name"], search);
        query.push(")");
    }
}

pub async fn sums(pool: &PgPool, search: Option<&str>) -> Result<BalanceSums, Error> {
    let mut query = QueryBuilder::new(
        "SELECT foundation.clamped(COALESCE(sum(l.balance) FILTER (WHERE l.name = 'available'), 0)),
                foundation.clamped(COALESCE(sum(l.balance) FILTER (WHERE l.name = 'sponsored'), 0)),
                foundation.clamped(COALESCE(sum(l.balance) FILTER (WHERE l.name = 'bonus'), 0)),
                foundation.clamped(COALESCE(sum(l.balance) FILTER (WHERE l.name = 'held'), 0))
         FROM identity.account a JOIN ledger.account l ON l.owner = a.id AND l.currency = 'USDT'
             AND l.name IN ('available', 'sponsored', 'bonus', 'held')",
    );
    restrict(&mut query, search);
    let (balance, sponsored, bonus, held): (i64, i64, i64, i64) =
        query.build_query_as().fetch_one(pool).await?;
    Ok(BalanceSums {
        balance: Usdt(balance),
        sponsored: Usdt(sponsored),
        bonus: Usdt(bonus),
        held: Usdt(held),
    })
}

pub async fn balances(
    pool: &PgPool,
    search: Option<&str>,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<BalanceRow>, i64), Error> {
    let mut all = QueryBuilder::new("SELECT count(*) FROM identity.account a");
    restrict(&mut all, search);
    let total = listing::count(pool, all, paging).await?;
    let mut query = QueryBuilder::new(
        "SELECT a.id, a.username, a.full_name, a.email, a.status, b.balance, b.sponsored, b.bonus, b.held,
                (SELECT count(*) FROM licences.licence l WHERE l.owner = a.id AND l.state = 'active') AS licences
         FROM identity.account a CROSS JOIN LATERAL (
             SELECT COALESCE(max(balance) FILTER (WHERE name = 'available'), 0)::bigint AS balance,
                    COALESCE(max(balance) FILTER (WHERE name = 'sponsored'), 0)::bigint AS sponsored,
                    COALESCE(max(balance) FILTER (WHERE name = 'bonus'), 0)::bigint AS bonus,
                    COALESCE(max(balance) FILTER (WHERE name = 'held'), 0)::bigint AS held
             FROM ledger.account l WHERE l.owner = a.id AND l.currency = 'USDT') b",
    );
    restrict(&mut query, search);
    let direction = if paging.descending { "DESC" } else { "ASC" };
    query.push(format!(" ORDER BY {sort} {direction}, a.id {direction}"));
    let rows: Vec<PersonRow> = listing::rows(pool, query, paging).await?;
    let rows = rows
        .into_iter()
        .map(|r| BalanceRow {
            id: UserId(r.id),
            username: r.username,
            full_name: r.full_name,
            email: r.email,
            status: r.status,
            balance: Usdt(r.balance),
            sponsored: Usdt(r.sponsored),
            bonus: Usdt(r.bonus),
            held: Usdt(r.held),
            licences: r.licences,
        })
        .collect();
    Ok((rows, total))
}
