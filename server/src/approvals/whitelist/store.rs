//! SQL of whitelists.

use super::{Entry, Kind, written};
use crate::error::{Error, violates};
use protocol::{
    ErrorCode,
    ids::{UserId, WhitelistId},
};
use sqlx::PgConnection;
use time::OffsetDateTime;

/// Whether the list is in force, and until when if it is being switched off.
pub async fn switch(
    conn: &mut PgConnection,
    user: UserId,
    now: OffsetDateTime,
) -> Result<(bool, Option<OffsetDateTime>), Error> {
    let row = sqlx::query!(
        "SELECT off_at FROM approvals.whitelist_switch WHERE user_id = $1 AND is_on AND (off_at IS NULL OR off_at > $2)",
        user.0,
        now
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map_or((false, None), |r| (true, r.off_at)))
}

pub async fn set(
    conn: &mut PgConnection,
    user: UserId,
    off_at: Option<OffsetDateTime>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO approvals.whitelist_switch (user_id, is_on, off_at, updated_at) VALUES ($1, true, $2, $3)
         ON CONFLICT (user_id) DO UPDATE SET is_on = true, off_at = $2, updated_at = $3",
        user.0,
        off_at,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A switching off under way ends.
pub async fn keep_on(conn: &mut PgConnection, user: UserId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE approvals.whitelist_switch SET off_at = NULL, updated_at = $2 WHERE user_id = $1 AND is_on AND off_at > $2",
        user.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes off what may not be used yet.
pub async fn remove_waiting(conn: &mut PgConnection, user: UserId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE approvals.whitelist SET removed_at = $2 WHERE user_id = $1 AND usable_at > $2 AND removed_at IS NULL",
        user.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn entries(conn: &mut PgConnection, user: UserId) -> Result<Vec<Entry>, Error> {
    let rows = sqlx::query!(
        "SELECT id, kind, destination, shown, label, created_at, usable_at FROM approvals.whitelist
         WHERE user_id = $1 AND removed_at IS NULL ORDER BY created_at DESC, id DESC",
        user.0
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|r| {
            let kind = kind(&r.kind)?;
            Ok(Entry {
                id: WhitelistId(r.id),
                kind,
                destination: written(kind, &r.destination, r.shown),
                label: r.label,
                created_at: r.created_at,
                usable_at: r.usable_at,
            })
        })
        .collect()
}

pub async fn count(conn: &mut PgConnection, user: UserId) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) AS "n!" FROM approvals.whitelist WHERE user_id = $1 AND removed_at IS NULL"#,
        user.0
    )
    .fetch_one(conn)
    .await?)
}

fn kind(text: &str) -> Result<Kind, Error> {
    Kind::read(text).ok_or_else(|| Error::internal("an unknown kind of destination"))
}

pub async fn shown(conn: &mut PgConnection, user: UserId, id: WhitelistId) -> Result<Option<String>, Error> {
    let row = sqlx::query!(
        "SELECT kind, destination, shown FROM approvals.whitelist WHERE user_id = $1 AND id = $2 AND removed_at IS NULL",
        user.0,
        id.0
    )
    .fetch_optional(conn)
    .await?;
    row.map(|r| Ok(written(kind(&r.kind)?, &r.destination, r.shown)))
        .transpose()
}

pub struct NewRow<'a> {
    pub id: WhitelistId,
    pub user: UserId,
    pub kind: Kind,
    pub destination: &'a str,
    pub shown: &'a str,
    pub label: &'a str,
    pub usable_at: OffsetDateTime,
}

pub async fn insert(conn: &mut PgConnection, row: &NewRow<'_>, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO approvals.whitelist (id, user_id, kind, destination, shown, label, created_at, usable_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        row.id.0,
        row.user.0,
        row.kind.as_str(),
        row.destination,
        row.shown,
        row.label,
        now,
        row.usable_at
    )
    .execute(conn)
    .await
    .map_err(|error| {
        if violates(&error, "whitelist_once") {
            Error::code(ErrorCode::WhitelistTwice).field("destination", ErrorCode::WhitelistTwice)
        } else {
            error.into()
        }
    })?;
    Ok(())
}

pub async fn remove(
    conn: &mut PgConnection,
    user: UserId,
    id: WhitelistId,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE approvals.whitelist SET removed_at = $3 WHERE user_id = $1 AND id = $2 AND removed_at IS NULL",
        user.0,
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}
