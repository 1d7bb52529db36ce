//! SQL of what customers say of how their tickets were solved.

use crate::{
    error::Error,
    foundation::business_day::ZONE,
    support::model::{AgentRatings, TicketRating},
};
use protocol::{
    ids::{TicketId, UserId},
    views::DeskAgent,
};
use sqlx::{PgConnection, PgExecutor};
use std::collections::HashMap;
use time::OffsetDateTime;

/// What was said of a ticket, or that its customer did not want to say; none while they were not asked or have not answered.
pub async fn said(
    conn: &mut PgConnection,
    id: TicketId,
) -> Result<Option<(Option<i16>, Option<String>)>, Error> {
    let row = sqlx::query!(
        "SELECT score, comment FROM support.rating WHERE ticket = $1",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| (r.score, r.comment)))
}

/// Keeps it, under the ticket's lock, as the work of who has the ticket, or of who answered last.
pub async fn rate(
    conn: &mut PgConnection,
    id: TicketId,
    score: Option<i16>,
    comment: Option<&str>,
    at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO support.rating (ticket, score, comment, agent, created_at)
         SELECT t.id, $2::smallint, $3::text, COALESCE(t.taken_by, (
                    SELECT m.author FROM support.message m WHERE m.ticket = t.id AND m.side = 'staff' AND m.mailed_to IS NULL
                    ORDER BY m.number DESC LIMIT 1)), $4::timestamptz
         FROM support.ticket t WHERE t.id = $1",
        id.0,
        score,
        comment,
        at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What was said of a ticket; none where nothing was.
pub async fn rating(db: impl PgExecutor<'_>, id: TicketId) -> Result<Option<TicketRating>, Error> {
    Ok(sqlx::query_as!(
        TicketRating,
        r#"SELECT score AS "score!", comment, created_at FROM support.rating WHERE ticket = $1 AND score IS NOT NULL"#,
        id.0
    )
    .fetch_optional(db)
    .await?)
}

/// How many ratings were given on each day of São Paulo since then, and their sum.
pub async fn ratings_by_day(
    db: impl PgExecutor<'_>,
    since: OffsetDateTime,
) -> Result<HashMap<String, (i64, i64)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT (r.created_at AT TIME ZONE $2)::date::text AS "day!", count(*) AS "ratings!", sum(r.score) AS "sum!"
           FROM support.rating r JOIN support.ticket t ON t.id = r.ticket
           WHERE r.score IS NOT NULL AND r.created_at >= $1 AND t.deleted_at IS NULL GROUP BY 1"#,
        since,
        ZONE
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|r| (r.day, (r.ratings, r.sum))).collect())
}

/// The same by whose work it was, by name.
pub async fn ratings_by_agent(
    db: impl PgExecutor<'_>,
    since: OffsetDateTime,
) -> Result<Vec<AgentRatings>, Error> {
    let rows = sqlx::query!(
        r#"SELECT a.id AS "id: UserId", a.full_name, count(*) AS "ratings!", sum(r.score) AS "sum!"
           FROM support.rating r JOIN support.ticket t ON t.id = r.ticket JOIN identity.account a ON a.id = r.agent
           WHERE r.score IS NOT NULL AND r.created_at >= $1 AND t.deleted_at IS NULL
           GROUP BY a.id, a.full_name ORDER BY lower(a.full_name), a.id"#,
        since
    )
    .fetch_all(db)
    .await?;
    let each = rows.into_iter().map(|r| AgentRatings {
        agent: DeskAgent {
            id: r.id,
            name: r.full_name,
        },
        ratings: r.ratings,
        rating_sum: r.sum,
    });
    Ok(each.collect())
}
