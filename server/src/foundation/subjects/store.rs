//! SQL of the things that others point at.

use super::Subject;
use crate::error::Error;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

pub async fn upsert(
    conn: &mut PgConnection,
    kind: &str,
    id: Uuid,
    owner: Uuid,
    amount: i64,
    status: &str,
    at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO foundation.subject (kind, id, owner, amount, status, at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (kind, id) DO UPDATE SET amount = EXCLUDED.amount, status = EXCLUDED.status, at = EXCLUDED.at",
        kind,
        id,
        owner,
        amount,
        status,
        at
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn upsert_many(
    conn: &mut PgConnection,
    lines: &[&super::Line],
    at: OffsetDateTime,
) -> Result<(), Error> {
    let kinds: Vec<&str> = lines.iter().map(|l| l.kind.as_str()).collect();
    let ids: Vec<Uuid> = lines.iter().map(|l| l.id).collect();
    let owners: Vec<Uuid> = lines.iter().map(|l| l.owner.0).collect();
    let amounts: Vec<i64> = lines.iter().map(|l| l.micro_usdt).collect();
    let statuses: Vec<&str> = lines.iter().map(|l| l.status.as_str()).collect();
    sqlx::query!(
        "INSERT INTO foundation.subject (kind, id, owner, amount, status, at)
         SELECT k, i, o, a, s, $6 FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::bigint[], $5::text[]) AS t(k, i, o, a, s)
         ON CONFLICT (kind, id) DO UPDATE SET amount = EXCLUDED.amount, status = EXCLUDED.status, at = EXCLUDED.at",
        &kinds as &[&str],
        &ids,
        &owners,
        &amounts,
        &statuses as &[&str],
        at
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn belongs(conn: &mut PgConnection, kind: &str, id: Uuid, owner: Uuid) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM foundation.subject WHERE kind = $1 AND id = $2 AND owner = $3) AS "is!""#,
        kind,
        id,
        owner
    )
    .fetch_one(conn)
    .await?)
}

pub async fn recent(pool: &PgPool, owner: Uuid, count: i64) -> Result<Vec<Subject>, Error> {
    Ok(sqlx::query_as!(
        Subject,
        "SELECT kind, id, amount, status, at FROM foundation.subject WHERE owner = $1 ORDER BY at DESC LIMIT $2",
        owner,
        count
    )
    .fetch_all(pool)
    .await?)
}

pub async fn find(pool: &PgPool, kind: &str, id: Uuid) -> Result<Option<Subject>, Error> {
    Ok(sqlx::query_as!(
        Subject,
        "SELECT kind, id, amount, status, at FROM foundation.subject WHERE kind = $1 AND id = $2",
        kind,
        id
    )
    .fetch_optional(pool)
    .await?)
}

pub async fn recent_of_each(pool: &PgPool, owner: Uuid, each: i64) -> Result<Vec<Subject>, Error> {
    Ok(sqlx::query_as!(
        Subject,
        r#"SELECT kind AS "kind!", id AS "id!", amount AS "amount!", status AS "status!", at AS "at!"
           FROM (SELECT kind, id, amount, status, at, row_number() OVER (PARTITION BY kind ORDER BY at DESC, id DESC) AS place
                 FROM foundation.subject WHERE owner = $1) AS s
           WHERE place <= $2 ORDER BY at DESC, id DESC"#,
        owner,
        each
    )
    .fetch_all(pool)
    .await?)
}
