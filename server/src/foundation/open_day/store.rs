//! SQL of the open business day.

use crate::error::Error;
use sqlx::PgConnection;
use time::Date;

pub async fn open_day(conn: &mut PgConnection) -> Result<Option<Date>, Error> {
    Ok(sqlx::query_scalar!("SELECT foundation.open_day()")
        .fetch_one(conn)
        .await?)
}

pub async fn lock_open_day(conn: &mut PgConnection) -> Result<Option<Date>, Error> {
    Ok(sqlx::query_scalar!("SELECT foundation.lock_open_day()")
        .fetch_one(conn)
        .await?)
}

pub async fn open(conn: &mut PgConnection, day: Date) -> Result<(), Error> {
    sqlx::query!("UPDATE foundation.open_day SET day = $1", day)
        .execute(conn)
        .await?;
    Ok(())
}
