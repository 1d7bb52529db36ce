//! How much revenue waits for its second person.

use crate::error::Error;
use sqlx::PgConnection;

/// Changes of the queue one after another, so that the length that each tells is the length at its commit.
pub async fn lock_queue(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('pool-revenue', 22))")
        .execute(conn)
        .await?;
    Ok(())
}

pub async fn pending_revenue(conn: &mut PgConnection) -> Result<i64, Error> {
    Ok(
        sqlx::query_scalar!(r#"SELECT count(*) AS "n!" FROM pools.revenue WHERE status = 'pending'"#)
            .fetch_one(conn)
            .await?,
    )
}
