//! SQL of pauses.

use super::{PauseOf, PauseView};
use crate::{approvals::compliance::Pause, error::Error};
use protocol::ids::{PauseId, UserId};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

pub async fn pause_of(db: impl PgExecutor<'_>, user: UserId) -> Result<Option<Pause>, Error> {
    Ok(sqlx::query_as!(
        Pause,
        "SELECT reason, review_at FROM approvals.pause
         WHERE what = 'outbound' AND active_from IS NOT NULL AND lifted_at IS NULL AND (user_id = $1 OR user_id IS NULL)
         ORDER BY user_id NULLS LAST LIMIT 1",
        user.0
    )
    .fetch_optional(db)
    .await?)
}

/// What of the platform's stands still, whoever asks.
///
/// # Errors
/// Whatever the database refuses.
pub async fn standing(db: impl PgExecutor<'_>, what: PauseOf) -> Result<Option<Pause>, Error> {
    Ok(sqlx::query_as!(
        Pause,
        "SELECT reason, review_at FROM approvals.pause
         WHERE what = $1 AND user_id IS NULL AND active_from IS NOT NULL AND lifted_at IS NULL",
        what.as_str()
    )
    .fetch_optional(db)
    .await?)
}

/// A pause as decided on.
pub struct PauseRow {
    pub id: PauseId,
    pub what: PauseOf,
    pub customer: Option<UserId>,
    pub reason: String,
    pub review_at: OffsetDateTime,
}

pub async fn insert(
    conn: &mut PgConnection,
    row: &PauseRow,
    digest: &[u8; 32],
    by: UserId,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO approvals.pause (id, user_id, reason, review_at, digest, proposed_by, proposed_at, what) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        row.id.0,
        row.customer.map(|c| c.0),
        row.reason,
        row.review_at,
        digest.as_slice(),
        by.0,
        now,
        row.what.as_str()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A pause that stands, held until the transaction ends, and why somebody asked for its end, if they did.
pub async fn lock(conn: &mut PgConnection, id: PauseId) -> Result<Option<(PauseRow, Option<String>)>, Error> {
    let row = sqlx::query!(
        r#"SELECT p.what, p.user_id, p.reason, p.review_at,
                  (SELECT d.reason FROM approvals.first_word d
                   WHERE d.kind = 'pause_lift' AND d.subject = p.id ORDER BY d.at DESC LIMIT 1) AS asked
           FROM approvals.pause p WHERE p.id = $1 AND p.lifted_at IS NULL FOR UPDATE OF p"#,
        id.0
    )
    .fetch_optional(conn)
    .await?;
    row.map(|r| {
        let row = PauseRow {
            id,
            what: PauseOf::read(&r.what)?,
            customer: r.user_id.map(UserId),
            reason: r.reason,
            review_at: r.review_at,
        };
        Ok((row, r.asked))
    })
    .transpose()
}

pub async fn activate(conn: &mut PgConnection, id: PauseId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE approvals.pause SET active_from = $2 WHERE id = $1",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn lift(
    conn: &mut PgConnection,
    id: PauseId,
    by: UserId,
    reason: &str,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE approvals.pause SET lifted_by = $2, lifted_at = $3, lift_reason = $4 WHERE id = $1",
        id.0,
        by.0,
        now,
        reason
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn all(db: impl PgExecutor<'_>) -> Result<Vec<PauseView>, Error> {
    let rows = sqlx::query!(
        r#"SELECT p.id, p.what, a.username AS "username?", p.reason, p.review_at, b.username AS by, p.proposed_at, p.active_from, p.lifted_at,
                  w.username AS "lift_asked_by?", COALESCE(p.lift_reason, w.reason) AS lift_reason
           FROM approvals.pause p LEFT JOIN identity.account a ON a.id = p.user_id JOIN identity.account b ON b.id = p.proposed_by
           LEFT JOIN LATERAL (
               SELECT f.username, d.reason FROM approvals.first_word d JOIN identity.account f ON f.id = d.decided_by
               WHERE p.lifted_at IS NULL AND d.kind = 'pause_lift' AND d.subject = p.id ORDER BY d.at DESC LIMIT 1) w ON true
           ORDER BY p.lifted_at IS NULL DESC, p.proposed_at DESC LIMIT 100"#
    )
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|r| {
            Ok(PauseView {
                id: PauseId(r.id),
                what: PauseOf::read(&r.what)?,
                username: r.username,
                reason: r.reason,
                review_at: r.review_at,
                proposed_by: r.by,
                proposed_at: r.proposed_at,
                active_from: r.active_from,
                lift_asked_by: r.lift_asked_by,
                lift_reason: r.lift_reason,
                lifted_at: r.lifted_at,
            })
        })
        .collect()
}
