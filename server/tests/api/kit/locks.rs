//! Locks that a test holds, so that others have to wait: for order, not for time.

use super::TestApp;

/// Returns when so many sessions wait for a lock of those that the rooms name.
pub async fn waiting(app: &TestApp, sessions: i64) {
    let count = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    while sqlx::query_scalar::<_, i64>(count)
        .fetch_one(&app.sql)
        .await
        .unwrap()
        < sessions
    {
        actix_web::rt::task::yield_now().await;
    }
}
