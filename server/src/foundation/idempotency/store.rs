//! SQL of the first answers.

use super::Key;
use crate::error::Error;
use sqlx::PgConnection;

/// Holds the key until the transaction ends, then looks for its answer.
pub async fn first_answer(
    conn: &mut PgConnection,
    key: &Key,
) -> Result<Option<(Vec<u8>, u16, serde_json::Value)>, Error> {
    let row = sqlx::query!(
        r#"SELECT body_hash AS "body_hash!", status AS "status!", response AS "response!" FROM foundation.first_answer($1, $2, $3)"#,
        key.user.0,
        key.route,
        key.key
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| (r.body_hash, u16::try_from(r.status).unwrap_or(200), r.response)))
}
