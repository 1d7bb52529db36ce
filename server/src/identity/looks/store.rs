//! SQL of looks.

use super::OwnLook;
use crate::error::Error;
use protocol::ids::{LookId, SessionId, UserId};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

/// A look with its subject, as a call under it finds them.
pub struct Standing {
    pub subject: UserId,
    pub reason: String,
    pub until: OffsetDateTime,
    /// Its end is written.
    pub ended: bool,
    /// Why it is over; none while it stands.
    pub over: Option<String>,
    pub full_name: String,
    pub username: String,
    pub active: bool,
    pub confirmed: bool,
    /// As of a session (`sessions::state`).
    pub whole: bool,
    pub current: bool,
    /// The subject is let in as a registered user at all.
    pub registered: bool,
}

/// A look of this person's in this session.
pub async fn standing(
    db: impl PgExecutor<'_>,
    look: LookId,
    looker: UserId,
    session: SessionId,
    terms: &str,
    now: OffsetDateTime,
) -> Result<Option<Standing>, Error> {
    Ok(sqlx::query_as!(
        Standing,
        r#"SELECT l.subject AS "subject: UserId", l.reason, l.until, l.ended_at IS NOT NULL AS "ended!", identity.look_over(l, $5) AS over,
                  a.full_name, a.username, a.status = 'active' AS "active!", a.email_confirmed_at IS NOT NULL AS "confirmed!",
                  a.terms_version IS NOT DISTINCT FROM $4 AS "current!",
                  (a.terms_accepted_at IS NOT NULL AND a.risk_accepted_at IS NOT NULL AND a.adult_declared_at IS NOT NULL
                   AND EXISTS (SELECT FROM identity.address d WHERE d.account = a.id)
                   AND EXISTS (SELECT FROM affiliates.member m WHERE m.id = a.id)) AS "whole!",
                  EXISTS (SELECT FROM identity.account_role ar JOIN identity.role r ON r.id = ar.role
                          WHERE ar.account = a.id AND 'registered-user' = ANY (r.permissions)) AS "registered!"
           FROM identity.look l JOIN identity.account a ON a.id = l.subject
           WHERE l.id = $1 AND l.looker = $2 AND l.session = $3"#,
        look.0,
        looker.0,
        session.0,
        terms,
        now
    )
    .fetch_optional(db)
    .await?)
}

/// Counts a call.
pub async fn asked(db: impl PgExecutor<'_>, look: LookId, route: &str) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO identity.look_call AS c (look, route, times) VALUES ($1, $2, 1)
         ON CONFLICT (look, route) DO UPDATE SET times = c.times + 1",
        look.0,
        route
    )
    .execute(db)
    .await?;
    Ok(())
}

pub struct NewLook<'a> {
    pub id: LookId,
    pub looker: UserId,
    pub session: SessionId,
    pub subject: UserId,
    pub reason: &'a str,
    pub began_at: OffsetDateTime,
    pub until: OffsetDateTime,
}

/// The name of the role by which the looker may; none when there is no such role. A second one of the session violates `look_standing`.
pub async fn insert(conn: &mut PgConnection, new: &NewLook<'_>) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!(
        "INSERT INTO identity.look (id, looker, session, subject, role, reason, began_at, until)
         SELECT $1, $2, $3, $4, r.name, $5, $6, $7
         FROM identity.account_role ar JOIN identity.role r ON r.id = ar.role
         WHERE ar.account = $2 AND 'admin_permissions' = ANY (r.permissions) ORDER BY r.position LIMIT 1
         RETURNING role",
        new.id.0,
        new.looker.0,
        new.session.0,
        new.subject.0,
        new.reason,
        new.began_at,
        new.until
    )
    .fetch_optional(conn)
    .await
}

/// The one that stands in a session, of this subject where one is named.
pub async fn standing_of_session(
    conn: &mut PgConnection,
    session: SessionId,
    subject: Option<UserId>,
) -> Result<Option<LookId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT id AS "id: LookId" FROM identity.look
           WHERE session = $1 AND ended_at IS NULL AND ($2::uuid IS NULL OR subject = $2)"#,
        session.0,
        subject.map(|subject| subject.0)
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn standing_of_subject(conn: &mut PgConnection, subject: UserId) -> Result<Vec<LookId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT id AS "id: LookId" FROM identity.look WHERE subject = $1 AND ended_at IS NULL ORDER BY id"#,
        subject.0
    )
    .fetch_all(conn)
    .await?)
}

/// Those that are over and whose end is not written, with the reason; what somebody else is ending is left to them.
pub async fn due(conn: &mut PgConnection, now: OffsetDateTime) -> Result<Vec<(LookId, String)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT l.id AS "id: LookId", identity.look_over(l, $1) AS "how!" FROM identity.look l
           WHERE l.ended_at IS NULL AND identity.look_over(l, $1) IS NOT NULL ORDER BY l.id LIMIT 100 FOR UPDATE OF l SKIP LOCKED"#,
        now
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.how)).collect())
}

/// A look that has just ended.
pub struct Ended {
    pub looker: UserId,
    pub subject: UserId,
    /// How often which call was asked.
    pub calls: serde_json::Value,
}

/// Writes its end; its time is its end where that came first.
pub async fn end(
    conn: &mut PgConnection,
    look: LookId,
    how: &str,
    now: OffsetDateTime,
) -> Result<Option<Ended>, Error> {
    Ok(sqlx::query_as!(
        Ended,
        r#"UPDATE identity.look l SET ended_at = GREATEST(l.began_at, LEAST($3, l.until)), ended_how = $2
           WHERE l.id = $1 AND l.ended_at IS NULL
           RETURNING l.looker AS "looker: UserId", l.subject AS "subject: UserId",
               COALESCE((SELECT jsonb_object_agg(c.route, c.times) FROM identity.look_call c WHERE c.look = l.id), '{}') AS "calls!""#,
        look.0,
        how,
        now
    )
    .fetch_optional(conn)
    .await?)
}

/// Looks at an account since then, the newest first; one whose time is over has ended.
pub async fn of_subject(
    db: impl PgExecutor<'_>,
    subject: UserId,
    since: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<Vec<OwnLook>, Error> {
    let rows = sqlx::query!(
        r#"SELECT l.id AS "id: LookId", a.full_name, l.role, l.reason, l.began_at,
                  COALESCE(l.ended_at, CASE WHEN l.until <= $3 THEN l.until END) AS ended_at
           FROM identity.look l JOIN identity.account a ON a.id = l.looker
           WHERE l.subject = $1 AND l.began_at > $2 ORDER BY l.began_at DESC, l.id DESC LIMIT 500"#,
        subject.0,
        since,
        now
    )
    .fetch_all(db)
    .await?;
    let look = rows.into_iter().map(|row| OwnLook {
        id: row.id,
        by: crate::identity::rules::first_name(&row.full_name).to_owned(),
        role: row.role,
        reason: row.reason,
        began_at: row.began_at,
        ended_at: row.ended_at,
    });
    Ok(look.collect())
}

/// Forgets looks that ended before a moment, with what was asked.
pub async fn prune(db: impl PgExecutor<'_>, before: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!("DELETE FROM identity.look WHERE ended_at < $1", before)
        .execute(db)
        .await?;
    Ok(())
}
