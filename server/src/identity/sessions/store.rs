//! SQL of sessions.

use crate::{error::Error, identity::browser::Browser};
use protocol::ids::{SessionId, UserId};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

pub struct StateRow {
    pub account: UserId,
    pub full_name: String,
    pub username: String,
    pub status: String,
    pub locale: String,
    pub confirmed: bool,
    /// Everything was given once, whichever terms were accepted.
    pub whole: bool,
    /// The terms that are shown now were accepted.
    pub current: bool,
    pub permissions: Vec<String>,
    /// From when on decisions of who may decide count.
    pub counts_at: Option<OffsetDateTime>,
    /// Their decisions stand still.
    pub frozen: bool,
    pub expires_at: OffsetDateTime,
    pub device_hash: Option<Vec<u8>>,
    /// Whether its device is one of those that the account has known longest; none when it does not know it.
    pub long_known: Option<bool>,
}

/// A living session with its account and all permissions of its roles.
pub async fn state(
    db: impl PgExecutor<'_>,
    session: SessionId,
    terms: &str,
    longest: i64,
) -> Result<Option<StateRow>, Error> {
    Ok(sqlx::query_as!(
        StateRow,
        r#"SELECT a.id AS "account: UserId", a.full_name, a.username, a.status, a.locale, s.expires_at, s.device_hash,
                  identity.long_known(a.id, s.device_hash, $3) AS long_known,
                  a.email_confirmed_at IS NOT NULL AS "confirmed!", a.terms_version IS NOT DISTINCT FROM $2 AS "current!",
                  (a.terms_accepted_at IS NOT NULL AND a.risk_accepted_at IS NOT NULL AND a.adult_declared_at IS NOT NULL
                   AND EXISTS (SELECT FROM identity.address d WHERE d.account = a.id)
                   AND EXISTS (SELECT FROM affiliates.member m WHERE m.id = a.id)) AS "whole!",
                  COALESCE((SELECT array_agg(DISTINCT p) FROM identity.account_role ar
                            JOIN identity.role r ON r.id = ar.role, unnest(r.permissions) AS p
                            WHERE ar.account = a.id), '{}') AS "permissions!",
                  (SELECT min(g.counts_at) FROM approvals.admin_grant g WHERE g.account = a.id AND g.ended_at IS NULL) AS counts_at,
                  approvals.is_frozen(a.id) AS "frozen!"
           FROM identity.session s JOIN identity.account a ON a.id = s.account
           WHERE s.id = $1 AND s.ended_at IS NULL AND NOT a.is_house"#,
        session.0,
        terms,
        longest
    )
    .fetch_optional(db)
    .await?)
}

pub struct RefreshRow {
    pub account: UserId,
    pub generation: i32,
    pub rotated_at: Option<OffsetDateTime>,
    pub previous_used: bool,
    pub expires_at: OffsetDateTime,
    pub ended_at: Option<OffsetDateTime>,
}

pub async fn insert(
    conn: &mut PgConnection,
    id: SessionId,
    account: UserId,
    (browser, device, method): (&Browser, &[u8], &str),
    now: OffsetDateTime,
    expires_at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO identity.session (id, account, device, address, device_hash, created_at, seen_at, expires_at, method)
         VALUES ($1, $2, left($3, 200), $4, $5, $6, $6, $7, $8)",
        id.0,
        account.0,
        browser.device,
        browser.address,
        device,
        now,
        expires_at,
        method
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn lock(conn: &mut PgConnection, id: SessionId) -> Result<Option<RefreshRow>, Error> {
    Ok(sqlx::query_as!(
        RefreshRow,
        r#"SELECT account AS "account: UserId", generation, rotated_at, previous_used, expires_at, ended_at
           FROM identity.session WHERE id = $1 FOR UPDATE"#,
        id.0
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn rotate(
    conn: &mut PgConnection,
    id: SessionId,
    generation: i32,
    now: OffsetDateTime,
    expires_at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.session SET generation = $2, rotated_at = $3, previous_used = false, seen_at = $3, expires_at = $4 WHERE id = $1",
        id.0,
        generation,
        now,
        expires_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn use_previous(conn: &mut PgConnection, id: SessionId) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.session SET previous_used = true WHERE id = $1",
        id.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A session that has just ended.
pub struct Ended {
    /// Where it was opened, if that is known.
    pub device_hash: Option<Vec<u8>>,
}

pub async fn end(
    conn: &mut PgConnection,
    account: UserId,
    id: SessionId,
    reason: &str,
    now: OffsetDateTime,
) -> Result<Option<Ended>, Error> {
    Ok(sqlx::query_as!(
        Ended,
        "UPDATE identity.session SET ended_at = $3, end_reason = $4 WHERE id = $1 AND account = $2 AND ended_at IS NULL
         RETURNING device_hash",
        id.0,
        account.0,
        now,
        reason
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn end_all(
    conn: &mut PgConnection,
    account: UserId,
    except: Option<SessionId>,
    reason: &str,
    now: OffsetDateTime,
) -> Result<Vec<SessionId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"UPDATE identity.session SET ended_at = $3, end_reason = $4
           WHERE account = $1 AND ended_at IS NULL AND ($2::uuid IS NULL OR id <> $2) RETURNING id AS "id: SessionId""#,
        account.0,
        except.map(|s| s.0),
        now,
        reason
    )
    .fetch_all(conn)
    .await?)
}

/// A session that ended for how it had begun.
pub struct EndedBegun {
    pub id: SessionId,
    pub device_hash: Option<Vec<u8>>,
}

pub async fn end_begun(
    conn: &mut PgConnection,
    account: UserId,
    method: &str,
    reason: &str,
    now: OffsetDateTime,
) -> Result<Vec<EndedBegun>, Error> {
    Ok(sqlx::query_as!(
        EndedBegun,
        r#"UPDATE identity.session SET ended_at = $3, end_reason = $4
           WHERE account = $1 AND ended_at IS NULL AND method = $2 RETURNING id AS "id: SessionId", device_hash"#,
        account.0,
        method,
        now,
        reason
    )
    .fetch_all(conn)
    .await?)
}

/// A line of the devices list.
pub struct Listed {
    pub id: SessionId,
    pub device: String,
    pub address: String,
    pub created_at: OffsetDateTime,
    pub seen_at: OffsetDateTime,
    /// By what it began; none of one that is older than this is noted.
    pub method: Option<String>,
}

pub async fn list(
    db: impl PgExecutor<'_>,
    account: UserId,
    now: OffsetDateTime,
) -> Result<Vec<Listed>, Error> {
    Ok(sqlx::query_as!(
        Listed,
        r#"SELECT id AS "id: SessionId", device, address, created_at, seen_at, method FROM identity.session
           WHERE account = $1 AND ended_at IS NULL AND expires_at > $2 ORDER BY seen_at DESC, id DESC LIMIT 100"#,
        account.0,
        now
    )
    .fetch_all(db)
    .await?)
}

/// The living sessions' ids.
pub async fn ids(db: impl PgExecutor<'_>, account: UserId) -> Result<Vec<SessionId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT id AS "id: SessionId" FROM identity.session WHERE account = $1 AND ended_at IS NULL"#,
        account.0
    )
    .fetch_all(db)
    .await?)
}

/// Forgets sessions that ended, or ran out, before a moment.
pub async fn prune(db: impl PgExecutor<'_>, before: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "DELETE FROM identity.session WHERE ended_at < $1 OR expires_at < $1",
        before
    )
    .execute(db)
    .await?;
    Ok(())
}
