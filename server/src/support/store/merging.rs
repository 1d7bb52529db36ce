//! SQL of doubles.

use crate::error::Error;
use protocol::ids::{TicketId, UserId};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

/// Merges one ticket into another, both locked: closes it, with nothing that waits or that staff have to read, and hands over who waits and who has it.
pub async fn merge(
    conn: &mut PgConnection,
    id: TicketId,
    into: TicketId,
    by: UserId,
    at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE support.ticket t SET version = t.version + 1, doubles = t.doubles + 1,
             waiting_since = LEAST(t.waiting_since, CASE WHEN d.status = 'open' THEN d.waiting_since END),
             -- Who had a double that was closed before is not given the one that waits.
             taken_by = COALESCE(t.taken_by, CASE WHEN d.status = 'open' THEN d.taken_by END),
             taken_at = CASE WHEN t.taken_by IS NULL AND d.status = 'open' AND d.taken_by IS NOT NULL THEN $3 ELSE t.taken_at END
         FROM support.ticket d WHERE t.id = $2 AND d.id = $1",
        id.0,
        into.0,
        at
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "UPDATE support.ticket SET version = version + 1, status = 'closed', closed_at = COALESCE(closed_at, $4), closed_by = COALESCE(closed_by, $3),
             merged_into = $2, merged_at = $4, waiting_since = NULL, read_by_staff = last_number
         WHERE id = $1",
        id.0,
        into.0,
        by.0,
        at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The tickets that were merged into one: id, number, newest message's number.
pub async fn doubles(db: impl PgExecutor<'_>, into: TicketId) -> Result<Vec<(TicketId, i64, i64)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT id AS "id: TicketId", number, last_number FROM support.ticket
           WHERE merged_into = $1 AND deleted_at IS NULL ORDER BY merged_at, number"#,
        into.0
    )
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| (r.id, r.number, r.last_number))
        .collect())
}

/// Holds a ticket with those that it was merged with, in one order, whichever of them is meant.
pub async fn hold_with_kin(conn: &mut PgConnection, id: TicketId) -> Result<(), Error> {
    sqlx::query_scalar!(
        "SELECT id FROM support.ticket
         WHERE deleted_at IS NULL AND (id = $1 OR merged_into = $1 OR id = (SELECT merged_into FROM support.ticket WHERE id = $1))
         ORDER BY id FOR UPDATE",
        id.0
    )
    .fetch_all(conn)
    .await?;
    Ok(())
}

/// Nothing points at a ticket that has just been deleted: its doubles stand alone again, closed as they were, and where it was merged into has one
/// less. Which tickets that changed.
pub async fn part(conn: &mut PgConnection, id: TicketId) -> Result<Vec<TicketId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"WITH freed AS (
               UPDATE support.ticket SET merged_into = NULL, merged_at = NULL, version = version + 1
               WHERE merged_into = $1 AND deleted_at IS NULL RETURNING id
           ), fewer AS (
               UPDATE support.ticket SET doubles = doubles - 1, version = version + 1
               WHERE id = (SELECT d.merged_into FROM support.ticket d WHERE d.id = $1) AND deleted_at IS NULL RETURNING id
           )
           SELECT id AS "id!: TicketId" FROM freed UNION ALL SELECT id FROM fewer ORDER BY 1"#,
        id.0
    )
    .fetch_all(conn)
    .await?)
}
