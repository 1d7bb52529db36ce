//! SQL of the audit log.

use crate::error::Error;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

pub async fn insert(
    conn: &mut PgConnection,
    at: OffsetDateTime,
    actor: Option<Uuid>,
    subject: Option<Uuid>,
    category: &str,
    action: &str,
    details: serde_json::Value,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO foundation.audit (at, actor, subject, category, action, details) VALUES ($1, $2, $3, $4, $5, $6)",
        at,
        actor,
        subject,
        category,
        action,
        details
    )
    .execute(conn)
    .await?;
    Ok(())
}
