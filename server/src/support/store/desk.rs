//! SQL of who has taken a ticket, and of the desk's days.

use crate::{
    error::Error,
    foundation::business_day::ZONE,
    support::model::{AgentLoad, DeskDay},
};
use protocol::{
    ids::{TicketId, UserId},
    views::{DeskAgent, DeskView},
};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

pub(super) struct DeskRow {
    pub id: TicketId,
    pub taken_by: Option<UserId>,
    pub taken_name: Option<String>,
    pub taken_at: Option<OffsetDateTime>,
    pub first_answered_at: Option<OffsetDateTime>,
    pub notes: i32,
    pub rating: Option<i16>,
    pub version: i64,
}

impl From<DeskRow> for DeskView {
    fn from(r: DeskRow) -> Self {
        Self {
            id: r.id,
            taken_by: r.taken_by.map(|id| DeskAgent {
                id,
                name: r.taken_name.unwrap_or_default(),
            }),
            taken_at: r.taken_at,
            first_answered_at: r.first_answered_at,
            notes: r.notes,
            rating: r.rating,
            version: r.version,
        }
    }
}

/// What staff alone know of a ticket.
pub async fn desk(db: impl PgExecutor<'_>, id: TicketId) -> Result<Option<DeskView>, Error> {
    let row = sqlx::query_as!(
        DeskRow,
        r#"SELECT t.id AS "id: TicketId", t.taken_by AS "taken_by: UserId", h.full_name AS "taken_name?", t.taken_at, t.first_answered_at,
                  t.notes, r.score AS "rating?", t.version
           FROM support.ticket t LEFT JOIN identity.account h ON h.id = t.taken_by LEFT JOIN support.rating r ON r.ticket = t.id
           WHERE t.id = $1 AND t.deleted_at IS NULL"#,
        id.0
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(DeskView::from))
}

/// Gives a ticket its holder, or takes it away.
pub async fn take(
    conn: &mut PgConnection,
    id: TicketId,
    holder: Option<(UserId, OffsetDateTime)>,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE support.ticket SET taken_by = $2, taken_at = $3, version = version + 1 WHERE id = $1",
        id.0,
        holder.map(|(user, _)| user.0),
        holder.map(|(_, at)| at)
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether an active person holds the permission to answer.
pub async fn answers(db: impl PgExecutor<'_>, user: UserId, permission: &str) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM identity.account a JOIN identity.account_role ar ON ar.account = a.id
               JOIN identity.role r ON r.id = ar.role
               WHERE a.id = $1 AND a.status = 'active' AND $2 = ANY (r.permissions)) AS "is!""#,
        user.0,
        permission
    )
    .fetch_one(db)
    .await?)
}

/// Active people who answer, and whoever has open tickets without answering any more, by name, each with how many open ones they have taken.
pub async fn agents(db: impl PgExecutor<'_>, permission: &str) -> Result<Vec<AgentLoad>, Error> {
    let rows = sqlx::query!(
        r#"WITH may AS (
               SELECT DISTINCT ar.account FROM identity.account_role ar JOIN identity.role r ON r.id = ar.role WHERE $1 = ANY (r.permissions)
           ), has AS (
               SELECT taken_by AS account, count(*) AS open FROM support.ticket
               WHERE taken_by IS NOT NULL AND status = 'open' AND deleted_at IS NULL GROUP BY taken_by
           )
           SELECT a.id AS "id: UserId", a.full_name, COALESCE(has.open, 0) AS "open!",
                  (may.account IS NOT NULL AND a.status = 'active') AS "answers!"
           FROM may FULL JOIN has ON has.account = may.account JOIN identity.account a ON a.id = COALESCE(may.account, has.account)
           WHERE has.open IS NOT NULL OR a.status = 'active'
           ORDER BY lower(a.full_name), a.id"#,
        permission
    )
    .fetch_all(db)
    .await?;
    let load = rows.into_iter().map(|r| AgentLoad {
        agent: DeskAgent {
            id: r.id,
            name: r.full_name,
        },
        open: r.open,
        answers: r.answers,
    });
    Ok(load.collect())
}

/// What happened at the desk since then, by day of São Paulo; days on which nothing did are not in it.
pub async fn days(db: impl PgExecutor<'_>, since: OffsetDateTime) -> Result<Vec<DeskDay>, Error> {
    let rows = sqlx::query!(
        r#"WITH opened AS (
               SELECT (t.created_at AT TIME ZONE $2)::date AS day, count(*) AS opened,
                      percentile_disc(0.5) WITHIN GROUP (ORDER BY GREATEST(t.first_answered_at - t.created_at, interval '0')) AS middle
               FROM support.ticket t WHERE t.created_at >= $1 AND t.deleted_at IS NULL GROUP BY 1
           ), solved AS (
               SELECT (t.closed_at AT TIME ZONE $2)::date AS day, count(*) AS solved
               FROM support.ticket t WHERE t.closed_at >= $1 AND t.deleted_at IS NULL GROUP BY 1
           )
           SELECT COALESCE(o.day, s.day)::text AS "day!", COALESCE(o.opened, 0) AS "opened!", COALESCE(s.solved, 0) AS "solved!",
                  extract(epoch FROM o.middle)::bigint AS middle
           FROM opened o FULL JOIN solved s ON s.day = o.day"#,
        since,
        ZONE
    )
    .fetch_all(db)
    .await?;
    let days = rows.into_iter().map(|r| DeskDay {
        day: r.day,
        opened: r.opened,
        solved: r.solved,
        first_answer_seconds: r.middle,
        ratings: 0,
        rating_sum: 0,
    });
    Ok(days.collect())
}
