//! SQL of grants and freezes.

use crate::{
    error::{Error, violates},
    foundation::http::Paging,
};
use protocol::{
    ErrorCode,
    ids::{AdminFreezeId, AdminGrantId, RoleId, UserId},
    views::{AdminFreezeView, AdminGrantView, FreezeEnd, GrantAction, GrantStatus, StaffPerson},
};
use sqlx::{PgConnection, PgExecutor};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// The most that a list shows of what has ended.
const SHOWN: i64 = 50;

/// A request as decided on.
pub struct Request {
    pub id: AdminGrantId,
    pub account: UserId,
    pub action: GrantAction,
    pub roles: Vec<RoleId>,
    pub status: GrantStatus,
    pub asked_by: UserId,
    pub asked_at: OffsetDateTime,
    /// Of a request about the account.
    pub before: Option<String>,
    pub after: Option<String>,
    pub why: Option<String>,
}

pub async fn insert_request(
    conn: &mut PgConnection,
    request: &Request,
    digest: &[u8; 32],
) -> Result<(), Error> {
    let roles: Vec<Uuid> = request.roles.iter().map(|r| r.0).collect();
    sqlx::query!(
        "INSERT INTO approvals.grant_request (id, account, action, roles, digest, asked_by, asked_at, before, after, why)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        request.id.0,
        request.account.0,
        request.action.as_str(),
        &roles,
        digest.as_slice(),
        request.asked_by.0,
        request.asked_at,
        request.before,
        request.after,
        request.why
    )
    .execute(conn)
    .await
    .map_err(|error| {
        if violates(&error, "grant_request_waiting") {
            Error::code(ErrorCode::RolesWaiting)
        } else {
            error.into()
        }
    })?;
    Ok(())
}

pub async fn lock_request(conn: &mut PgConnection, id: AdminGrantId) -> Result<Option<Request>, Error> {
    Ok(sqlx::query_as!(
        Request,
        r#"SELECT id AS "id: AdminGrantId", account AS "account: UserId", action AS "action: GrantAction", roles AS "roles: Vec<RoleId>",
                  status AS "status: GrantStatus", asked_by AS "asked_by: UserId", asked_at, before, after, why
           FROM approvals.grant_request WHERE id = $1 FOR UPDATE"#,
        id.0
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn end_request(
    conn: &mut PgConnection,
    id: AdminGrantId,
    status: GrantStatus,
    by: Option<UserId>,
    reason: Option<&str>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE approvals.grant_request SET status = $2, decided_by = $3, reason = $4, decided_at = $5, version = version + 1 WHERE id = $1",
        id.0,
        status.as_str(),
        by.map(|b| b.0),
        reason,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Another one's word is the first: the request shows it.
pub async fn touch_request(conn: &mut PgConnection, id: AdminGrantId) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE approvals.grant_request SET version = version + 1 WHERE id = $1",
        id.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Requests about a person that nobody agreed to in time make place for another.
pub async fn lapse(
    conn: &mut PgConnection,
    account: UserId,
    asked_before: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE approvals.grant_request SET status = 'lapsed', decided_at = $3, version = version + 1
         WHERE account = $1 AND status = 'waiting' AND asked_at <= $2",
        account.0,
        asked_before,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The request about a person that still waits.
pub async fn waiting_about(
    db: impl PgExecutor<'_>,
    account: UserId,
    asked_after: OffsetDateTime,
) -> Result<Option<AdminGrantId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT id AS "id: AdminGrantId" FROM approvals.grant_request WHERE account = $1 AND status = 'waiting' AND asked_at > $2"#,
        account.0,
        asked_after
    )
    .fetch_optional(db)
    .await?)
}

/// One request, or those that wait and the latest others.
pub async fn requests(
    db: impl PgExecutor<'_>,
    id: Option<AdminGrantId>,
    lasts: Duration,
    now: OffsetDateTime,
) -> Result<Vec<AdminGrantView>, Error> {
    let rows = sqlx::query!(
        r#"SELECT g.id, g.action AS "action: GrantAction", g.status AS "status: GrantStatus", g.asked_at, g.decided_at, g.reason, g.version,
                  g.before, g.after, g.why,
                  ARRAY(SELECT r.name FROM identity.role r WHERE r.id = ANY (g.roles) ORDER BY r.position) AS "roles!",
                  a.id AS person, a.username, a.full_name, b.id AS asker, b.username AS asker_username, b.full_name AS asker_name,
                  d.username AS "decided_by?"
           FROM approvals.grant_request g JOIN identity.account a ON a.id = g.account JOIN identity.account b ON b.id = g.asked_by
           LEFT JOIN identity.account d ON d.id = g.decided_by
           WHERE $1::uuid IS NULL OR g.id = $1 ORDER BY g.status = 'waiting' DESC, g.asked_at DESC LIMIT $2"#,
        id.map(|i| i.0),
        SHOWN
    )
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| AdminGrantView {
            id: AdminGrantId(r.id),
            person: person(r.person, r.username, r.full_name),
            action: r.action,
            roles: r.roles,
            before: r.before,
            after: r.after,
            why: r.why,
            status: match r.status {
                GrantStatus::Waiting if r.asked_at + lasts <= now => GrantStatus::Lapsed,
                status => status,
            },
            asked_by: person(r.asker, r.asker_username, r.asker_name),
            asked_at: r.asked_at,
            lasts_until: r.asked_at + lasts,
            decided_by: r.decided_by,
            decided_at: r.decided_at,
            reason: r.reason,
            version: r.version,
        })
        .collect())
}

const fn person(id: Uuid, username: String, full_name: String) -> StaffPerson {
    StaffPerson {
        id: UserId(id),
        username,
        full_name,
    }
}

pub async fn is_frozen(db: impl PgExecutor<'_>, user: UserId) -> Result<bool, Error> {
    Ok(
        sqlx::query_scalar!(r#"SELECT approvals.is_frozen($1) AS "is!""#, user.0)
            .fetch_one(db)
            .await?,
    )
}

pub async fn insert_freeze(
    conn: &mut PgConnection,
    id: AdminFreezeId,
    frozen: UserId,
    by: UserId,
    reason: &str,
    digest: &[u8; 32],
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO approvals.freeze (id, frozen, frozen_by, reason, digest, at) VALUES ($1, $2, $3, $4, $5, $6)",
        id.0,
        frozen.0,
        by.0,
        reason,
        digest.as_slice(),
        now
    )
    .execute(conn)
    .await
    .map_err(|error| {
        let code = [
            ("decision_frozen", ErrorCode::DecisionFrozen),
            ("decision_too_new", ErrorCode::DecisionTooNew),
            ("freeze_frozen", ErrorCode::FreezeStands),
            ("decision_permission", ErrorCode::Forbidden),
        ]
        .into_iter()
        .find(|(constraint, _)| violates(&error, constraint));
        code.map_or_else(|| error.into(), |(_, code)| Error::code(code))
    })?;
    Ok(())
}

/// A freeze as decided on: its reason, and whether it still stands.
pub struct Freeze {
    pub frozen: UserId,
    pub reason: String,
    pub stands: bool,
}

pub async fn lock_freeze(conn: &mut PgConnection, id: AdminFreezeId) -> Result<Option<Freeze>, Error> {
    Ok(sqlx::query_as!(
        Freeze,
        r#"SELECT frozen AS "frozen: UserId", reason, ended_at IS NULL AS "stands!" FROM approvals.freeze WHERE id = $1 FOR UPDATE"#,
        id.0
    )
    .fetch_optional(conn)
    .await?)
}

/// The freeze in which a person's decisions stand still, as frozen or as who froze.
pub async fn freeze_of(conn: &mut PgConnection, user: UserId) -> Result<Option<AdminFreezeId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT id AS "id: AdminFreezeId" FROM approvals.freeze WHERE ended_at IS NULL AND $1 IN (frozen, frozen_by)"#,
        user.0
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn end_freeze(
    conn: &mut PgConnection,
    id: AdminFreezeId,
    by: Option<UserId>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let how = by.map_or(FreezeEnd::Console, |_| FreezeEnd::Agreed);
    sqlx::query!(
        "UPDATE approvals.freeze SET ended_at = $2, ended_how = $3, lifted_by = $4, version = version + 1 WHERE id = $1",
        id.0,
        now,
        how.as_str(),
        by.map(|b| b.0)
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// One half of the lifting: the freeze shows it.
pub async fn touch_freeze(conn: &mut PgConnection, id: AdminFreezeId) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE approvals.freeze SET version = version + 1 WHERE id = $1",
        id.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// One freeze, or those that stand and the latest others.
pub async fn freezes(
    db: impl PgExecutor<'_>,
    id: Option<AdminFreezeId>,
) -> Result<Vec<AdminFreezeView>, Error> {
    let rows = sqlx::query!(
        r#"SELECT f.id, f.reason, f.at, f.ended_at, f.ended_how AS "ended_how: FreezeEnd", f.version,
                  a.id AS frozen, a.username, a.full_name, b.id AS freezer, b.username AS by_username, b.full_name AS by_name,
                  l.id AS "lifter?", l.username AS "lift_username?", l.full_name AS "lift_name?", d.username AS "lifted_by?"
           FROM approvals.freeze f JOIN identity.account a ON a.id = f.frozen JOIN identity.account b ON b.id = f.frozen_by
           LEFT JOIN LATERAL (
               SELECT w.decided_by FROM approvals.first_word w
               WHERE f.ended_at IS NULL AND w.kind = 'admin_grant' AND w.subject = f.id AND w.digest = f.digest
               UNION ALL SELECT o.decided_by FROM approvals.decision o
               WHERE f.ended_at IS NOT NULL AND o.kind = 'admin_grant' AND o.subject = f.id AND o.digest = f.digest AND o.verdict = 'approve'
                 AND o.position = 1 AND NOT EXISTS (SELECT FROM approvals.fallen x WHERE x.decision = o.id)) one ON true
           LEFT JOIN identity.account l ON l.id = one.decided_by LEFT JOIN identity.account d ON d.id = f.lifted_by
           WHERE $1::uuid IS NULL OR f.id = $1 ORDER BY f.ended_at IS NULL DESC, f.at DESC LIMIT $2"#,
        id.map(|i| i.0),
        SHOWN
    )
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| AdminFreezeView {
            id: AdminFreezeId(r.id),
            frozen: person(r.frozen, r.username, r.full_name),
            frozen_by: person(r.freezer, r.by_username, r.by_name),
            reason: r.reason,
            at: r.at,
            lift_asked_by: match (r.lifter, r.lift_username, r.lift_name) {
                (Some(id), Some(username), Some(name)) => Some(person(id, username, name)),
                _ => None,
            },
            ended_at: r.ended_at,
            ended_how: r.ended_how,
            lifted_by: r.lifted_by,
            version: r.version,
        })
        .collect())
}

/// How many could lift a freeze now: active holders whose decisions count and are not frozen themselves.
pub async fn lifters(db: impl PgExecutor<'_>, now: OffsetDateTime) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(DISTINCT g.account) AS "n!" FROM approvals.admin_grant g JOIN identity.account a ON a.id = g.account
           WHERE g.ended_at IS NULL AND g.counts_at <= $1 AND a.status = 'active' AND NOT approvals.is_frozen(g.account)"#,
        now
    )
    .fetch_one(db)
    .await?)
}

/// Somebody with their roles.
pub struct Holder {
    pub person: StaffPerson,
    pub active: bool,
    pub roles: Vec<RoleId>,
    /// Where the permission to decide came from and since when it counts; none without it.
    pub origin: Option<String>,
    pub granted_by: Option<String>,
    pub seconded_by: Option<String>,
    pub counts_at: Option<OffsetDateTime>,
    pub decides: bool,
    pub frozen: bool,
}

/// People whose username or name begins like this, or whose e-mail is exactly this; without a term those who hold more than a
/// customer's role. Those who decide first; with how many they are in all.
pub async fn holders(
    db: impl PgExecutor<'_>,
    prefix: Option<&str>,
    email: Option<&str>,
    paging: &Paging,
) -> Result<(Vec<Holder>, i64), Error> {
    let rows = sqlx::query!(
        r#"SELECT a.id, a.username, a.full_name, a.status = 'active' AS "active!",
                  ARRAY(SELECT r.id FROM identity.account_role ar JOIN identity.role r ON r.id = ar.role
                        WHERE ar.account = a.id ORDER BY r.position) AS "roles!: Vec<RoleId>",
                  g.id IS NOT NULL AS "decides!", g.origin AS "origin?", one.username AS "granted_by?", two.username AS "seconded_by?",
                  g.counts_at AS "counts_at?", approvals.is_frozen(a.id) AS "frozen!", count(*) OVER () AS "total!"
           FROM identity.account a
           LEFT JOIN LATERAL (SELECT h.* FROM approvals.admin_grant h WHERE h.account = a.id AND h.ended_at IS NULL ORDER BY h.counts_at LIMIT 1) g ON true
           LEFT JOIN identity.account one ON one.id = g.granted_by LEFT JOIN identity.account two ON two.id = g.seconded_by
           WHERE NOT a.is_house AND CASE WHEN $1::text IS NULL
               THEN EXISTS (SELECT FROM identity.account_role ar JOIN identity.role r ON r.id = ar.role WHERE ar.account = a.id AND r.permissions <> '{registered-user}')
               ELSE a.username_key LIKE $1 OR foundation.folded(a.full_name) LIKE $1 OR a.email_key = $2 END
           ORDER BY g.id IS NOT NULL DESC, a.username_key LIMIT $3 OFFSET $4"#,
        prefix,
        email,
        paging.limit,
        paging.offset
    )
    .fetch_all(db)
    .await?;
    let total = rows.first().map_or(0, |row| row.total);
    let holders = rows
        .into_iter()
        .map(|r| Holder {
            person: person(r.id, r.username, r.full_name),
            active: r.active,
            roles: r.roles,
            origin: r.origin,
            granted_by: r.granted_by,
            seconded_by: r.seconded_by,
            counts_at: r.counts_at,
            decides: r.decides,
            frozen: r.frozen,
        })
        .collect();
    Ok((holders, total))
}
