//! SQL of the day's sums.

use super::super::store::Segment;
use crate::error::Error;
use sqlx::{PgConnection, PgExecutor};
use time::Date;

/// Segments written at once.
const SEGMENTS: usize = 512;

/// Whether more than so many rows of points since a closing are in no sum.
pub async fn behind(db: impl PgExecutor<'_>, closed: Option<Date>, most: i64) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) > $2::bigint AS "behind!" FROM (
               SELECT FROM affiliates.points p
               WHERE ($1::date IS NULL OR p.business_day > $1)
                 AND p.id > coalesce((SELECT s.through FROM affiliates.day_sum s WHERE s.after IS NOT DISTINCT FROM $1), 0)
               LIMIT $2::bigint + 1) few"#,
        closed,
        most
    )
    .fetch_one(db)
    .await?)
}

/// The greatest number of a row of points.
pub async fn last(conn: &mut PgConnection) -> Result<i64, Error> {
    Ok(
        sqlx::query_scalar!(r#"SELECT coalesce(max(id), 0) AS "last!" FROM affiliates.points"#)
            .fetch_one(conn)
            .await?,
    )
}

/// Brings what touched sponsors' counters into them, no more than so many rows; how many there were.
pub async fn count_touched(conn: &mut PgConnection, most: i32) -> Result<i32, Error> {
    Ok(
        sqlx::query_scalar!(r#"SELECT affiliates.count_touched($1) AS "done!""#, most)
            .fetch_one(conn)
            .await?,
    )
}

/// Brings the oldest results that settlements left into the sums of those above, about so many owners'; whether there are more.
pub async fn count_gained(conn: &mut PgConnection, most: i64) -> Result<bool, Error> {
    Ok(
        sqlx::query_scalar!(r#"SELECT affiliates.count_gained($1) AS "more!""#, most)
            .fetch_one(conn)
            .await?,
    )
}

/// One after the other: held until the transaction ends.
pub async fn lock(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SELECT one FROM affiliates.day_sum FOR UPDATE")
        .fetch_one(conn)
        .await?;
    Ok(())
}

/// Points since a closing up to a row, by the seller's number.
pub async fn points(
    conn: &mut PgConnection,
    closed: Option<Date>,
    through: i64,
) -> Result<Vec<(u32, i64)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT no AS "no!", foundation.clamped(sum(points)) AS "points!" FROM affiliates.carried_points
           WHERE ($1::date IS NULL OR business_day > $1) AND id <= $2 GROUP BY no"#,
        closed,
        through
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .filter_map(|r| Some((u32::try_from(r.no).ok()?, r.points)))
        .collect())
}

/// Writes the sums in place of those before.
pub async fn save(
    conn: &mut PgConnection,
    closed: Option<Date>,
    through: i64,
    segments: &[Segment],
) -> Result<(), Error> {
    sqlx::query!("DELETE FROM affiliates.day_points")
        .execute(&mut *conn)
        .await?;
    for some in segments.chunks(SEGMENTS) {
        let numbers: Vec<i32> = some.iter().map(|s| s.number).collect();
        let left: Vec<i64> = some.iter().flat_map(|s| s.left.iter().copied()).collect();
        let right: Vec<i64> = some.iter().flat_map(|s| s.right.iter().copied()).collect();
        sqlx::query!(
            "INSERT INTO affiliates.day_points (segment, left_points, right_points)
             SELECT segment, ($2::bigint[])[(at - 1) * 256 + 1 : at * 256], ($3::bigint[])[(at - 1) * 256 + 1 : at * 256]
             FROM unnest($1::int[]) WITH ORDINALITY AS s(segment, at)",
            &numbers,
            &left,
            &right
        )
        .execute(&mut *conn)
        .await?;
    }
    sqlx::query!(
        "UPDATE affiliates.day_sum SET after = $1, through = $2",
        closed,
        through
    )
    .execute(conn)
    .await?;
    Ok(())
}
