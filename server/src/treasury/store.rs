//! SQL of declared holdings.

use crate::error::Error;
use protocol::{
    ids::{DeclarationId, UserId},
    money::Usdt,
};
use sqlx::{FromRow, PgConnection, Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

/// A declaration about to be decided on.
pub struct Locked {
    pub id: DeclarationId,
    pub place: String,
    pub value: Usdt,
    pub pending: bool,
}

pub async fn insert(
    conn: &mut PgConnection,
    new: &Locked,
    note: &str,
    digest: &[u8; 32],
    by: UserId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO treasury.declaration (id, place, usdt, note, digest, declared_by, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        new.id.0,
        new.place,
        new.value.0,
        note,
        digest.as_slice(),
        by.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn lock(conn: &mut PgConnection, id: DeclarationId) -> Result<Option<Locked>, Error> {
    let row = sqlx::query!(
        "SELECT place, usdt, status FROM treasury.declaration WHERE id = $1 FOR UPDATE",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| Locked {
        id,
        place: r.place,
        value: Usdt(r.usdt),
        pending: r.status == "pending",
    }))
}

/// A word was taken back: how many stand.
pub async fn count_words(conn: &mut PgConnection, id: DeclarationId) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE treasury.declaration SET approvals = approvals.words('declared_holdings', id, digest) WHERE id = $1",
        id.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn set_approvals(
    conn: &mut PgConnection,
    id: DeclarationId,
    approvals: i16,
    needed: i16,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE treasury.declaration SET approvals = $2, approvals_needed = $3 WHERE id = $1",
        id.0,
        approvals,
        needed
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// From now on it stands, instead of the one before of the same place.
pub async fn stand(
    conn: &mut PgConnection,
    id: DeclarationId,
    place: &str,
    now: OffsetDateTime,
) -> Result<(), Error> {
    // Two declarations of one place that are agreed to at once follow each other.
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended(foundation.folded($1), 33))",
        place
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "UPDATE treasury.declaration SET status = 'replaced', ended_at = $2
         WHERE foundation.folded(place) = foundation.folded($1) AND status = 'standing'",
        place,
        now
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "UPDATE treasury.declaration SET status = 'standing' WHERE id = $1",
        id.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn reject(
    conn: &mut PgConnection,
    id: DeclarationId,
    reason: &str,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE treasury.declaration SET status = 'rejected', rejected_reason = $2, ended_at = $3 WHERE id = $1",
        id.0,
        reason,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A declaration as staff see it.
#[derive(Clone, Debug, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeclaredHolding {
    #[serde(rename = "_id")]
    pub id: DeclarationId,
    pub place: String,
    pub value: Usdt,
    pub note: String,
    /// `pending`, `standing`, `replaced`, `rejected`.
    pub status: String,
    pub approvals: i16,
    pub approvals_needed: i16,
    /// Who typed it, and when.
    pub declared_by: UserId,
    pub username: String,
    pub rejected_reason: Option<String>,
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

#[derive(FromRow)]
struct Row {
    id: Uuid,
    place: String,
    usdt: i64,
    note: String,
    status: String,
    approvals: i16,
    approvals_needed: i16,
    declared_by: Uuid,
    username: String,
    rejected_reason: Option<String>,
    created_at: OffsetDateTime,
}

const SHOWN: &str =
    "SELECT d.id, d.place, d.usdt, d.note, d.status, d.approvals, d.approvals_needed, d.declared_by, a.username, d.rejected_reason,
        d.created_at
    FROM treasury.declaration d JOIN identity.account a ON a.id = d.declared_by";

impl Row {
    fn view(self) -> DeclaredHolding {
        DeclaredHolding {
            id: DeclarationId(self.id),
            place: self.place,
            value: Usdt(self.usdt),
            note: self.note,
            status: self.status,
            approvals: self.approvals,
            approvals_needed: self.approvals_needed,
            declared_by: UserId(self.declared_by),
            username: self.username,
            rejected_reason: self.rejected_reason,
            created_at: self.created_at,
        }
    }
}

pub async fn shown(conn: &mut PgConnection, id: DeclarationId) -> Result<Option<DeclaredHolding>, Error> {
    let mut query = QueryBuilder::<Postgres>::new(SHOWN);
    query.push(" WHERE d.id = ").push_bind(id.0);
    let row: Option<Row> = query.build_query_as().fetch_optional(conn).await?;
    Ok(row.map(Row::view))
}

/// What stands and is not empty, by place; then what waits, oldest first.
pub async fn all(conn: &mut PgConnection) -> Result<Vec<DeclaredHolding>, Error> {
    let mut query = QueryBuilder::<Postgres>::new(SHOWN);
    query.push(
        " WHERE d.status = 'pending' OR (d.status = 'standing' AND d.usdt > 0)
          ORDER BY d.status = 'pending', CASE WHEN d.status = 'standing' THEN lower(d.place) END, d.created_at, d.id LIMIT 200",
    );
    let rows: Vec<Row> = query.build_query_as().fetch_all(conn).await?;
    Ok(rows.into_iter().map(Row::view).collect())
}
