//! SQL of reviews.

use crate::{approvals::compliance::service::Decision, error::Error};
use protocol::ids::{CaseId, UserId};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

/// The open review of a pair, with its case.
pub async fn open_of(
    conn: &mut PgConnection,
    receiver: UserId,
    source: UserId,
) -> Result<Option<(Uuid, CaseId)>, Error> {
    let row = sqlx::query!(
        r#"SELECT id, case_id AS "case: CaseId" FROM affiliates.review
           WHERE receiver = $1 AND source = $2 AND status = 'open' FOR UPDATE"#,
        receiver.0,
        source.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| (r.id, r.case)))
}

/// All that a pair was ever cleared of.
pub async fn cleared(
    conn: &mut PgConnection,
    receiver: UserId,
    source: UserId,
) -> Result<Vec<String>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT DISTINCT unnest(reasons) AS "reason!" FROM affiliates.review
           WHERE receiver = $1 AND source = $2 AND status = 'cleared'"#,
        receiver.0,
        source.0
    )
    .fetch_all(conn)
    .await?)
}

pub async fn insert(
    conn: &mut PgConnection,
    id: Uuid,
    receiver: UserId,
    source: UserId,
    reasons: &[String],
    case: Uuid,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO affiliates.review (id, receiver, source, reasons, case_id, opened_at) VALUES ($1, $2, $3, $4, $5, $6)",
        id,
        receiver.0,
        source.0,
        reasons,
        case,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The open review of a case.
pub async fn lock_of_case(conn: &mut PgConnection, case: CaseId) -> Result<Option<Uuid>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM affiliates.review WHERE case_id = $1 AND status = 'open' FOR UPDATE",
        case.0
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn decide(
    conn: &mut PgConnection,
    review: Uuid,
    decision: &Decision,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.review SET status = CASE WHEN $2 THEN 'cleared' ELSE 'refused' END, decided_by = $3, decided_at = $4, note = $5
         WHERE id = $1",
        review,
        decision.cleared,
        decision.by.0,
        now,
        decision.note
    )
    .execute(conn)
    .await?;
    Ok(())
}
