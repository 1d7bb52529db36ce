//! SQL of the things that others point at.

use super::{Subject, Worth};
use crate::error::Error;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

struct Row {
    kind: String,
    id: Uuid,
    amount: i64,
    currency: String,
    status: String,
    at: OffsetDateTime,
}

impl From<Row> for Subject {
    fn from(row: Row) -> Self {
        Self {
            kind: row.kind,
            id: row.id,
            worth: Worth::read(row.amount, &row.currency),
            status: row.status,
            at: row.at,
        }
    }
}

pub async fn watch(conn: &mut PgConnection, kind: &str, id: Uuid, owner: Uuid) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE foundation.subject SET watched = true WHERE kind = $1 AND id = $2 AND owner = $3",
        kind,
        id,
        owner
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn held(conn: &mut PgConnection, kind: &str, id: Uuid) -> Result<Option<Subject>, Error> {
    let row = sqlx::query_as!(
        Row,
        "SELECT kind, id, amount, currency, status, at FROM foundation.subject WHERE kind = $1 AND id = $2 FOR NO KEY UPDATE",
        kind,
        id
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(Subject::from))
}

pub async fn recent(pool: &PgPool, owner: Uuid, count: i64) -> Result<Vec<Subject>, Error> {
    let rows = sqlx::query_as!(
        Row,
        "SELECT kind, id, amount, currency, status, at FROM foundation.subject WHERE owner = $1 ORDER BY at DESC LIMIT $2",
        owner,
        count
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(Subject::from).collect())
}

pub async fn find(pool: &PgPool, kind: &str, id: Uuid) -> Result<Option<Subject>, Error> {
    let row = sqlx::query_as!(
        Row,
        "SELECT kind, id, amount, currency, status, at FROM foundation.subject WHERE kind = $1 AND id = $2",
        kind,
        id
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(Subject::from))
}

pub async fn recent_of_each(pool: &PgPool, owner: Uuid, each: i64) -> Result<Vec<Subject>, Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT kind AS "kind!", id AS "id!", amount AS "amount!", currency AS "currency!", status AS "status!", at AS "at!"
           FROM (SELECT kind, id, amount, currency, status, at, row_number() OVER (PARTITION BY kind ORDER BY at DESC, id DESC) AS place
                 FROM foundation.subject WHERE owner = $1) AS s
           WHERE place <= $2 ORDER BY at DESC, id DESC"#,
        owner,
        each
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(Subject::from).collect())
}
