//! SQL of roles.

use super::Granted;
use crate::{error::Error, identity::service::Mailbox};
use protocol::ids::{RoleId, SessionId, UserId};
use sqlx::{PgConnection, PgExecutor, Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

#[derive(Clone)]
pub struct Role {
    pub id: RoleId,
    pub name: String,
    pub permissions: Vec<String>,
}

pub async fn all(db: impl PgExecutor<'_>) -> Result<Vec<Role>, Error> {
    Ok(sqlx::query_as!(
        Role,
        r#"SELECT id AS "id: RoleId", name, permissions FROM identity.role ORDER BY position"#
    )
    .fetch_all(db)
    .await?)
}

/// All roles, held until the transaction ends.
pub async fn lock_all(conn: &mut PgConnection) -> Result<Vec<Role>, Error> {
    Ok(sqlx::query_as!(Role, r#"SELECT id AS "id: RoleId", name, permissions FROM identity.role ORDER BY position FOR NO KEY UPDATE"#)
        .fetch_all(conn)
        .await?)
}

pub async fn of(db: impl PgExecutor<'_>, user: UserId) -> Result<Vec<Role>, Error> {
    Ok(sqlx::query_as!(
        Role,
        r#"SELECT r.id AS "id: RoleId", r.name, r.permissions FROM identity.account_role ar JOIN identity.role r ON r.id = ar.role
           WHERE ar.account = $1 ORDER BY r.position"#,
        user.0
    )
    .fetch_all(db)
    .await?)
}

/// Two people, as a change that one of them makes to the other looks at them.
pub struct Both {
    /// There is the one to be touched.
    pub is_known: bool,
    pub is_in_line: bool,
    /// Permissions of the one who acts, and of the other.
    pub mine: Vec<String>,
    pub theirs: Vec<String>,
    /// The other one's roles.
    pub held: Vec<RoleId>,
}

pub async fn both(conn: &mut PgConnection, actor: UserId, target: UserId) -> Result<Both, Error> {
    Ok(sqlx::query_as!(
        Both,
        r#"WITH held AS (SELECT ar.account, r.id, r.permissions FROM identity.account_role ar JOIN identity.role r ON r.id = ar.role
               WHERE ar.account IN ($1, $2))
           SELECT EXISTS (SELECT FROM identity.account WHERE id = $2 AND NOT is_house AND status <> 'closed') AS "is_known!",
                  approvals.in_line($1, $2) AS "is_in_line!",
                  ARRAY(SELECT unnest(permissions) FROM held WHERE account = $1) AS "mine!",
                  ARRAY(SELECT unnest(permissions) FROM held WHERE account = $2) AS "theirs!",
                  ARRAY(SELECT id FROM held WHERE account = $2) AS "held!: Vec<RoleId>""#,
        actor.0,
        target.0
    )
    .fetch_one(conn)
    .await?)
}

/// Restricts a list to those whose account in `owner` holds the role of this name.
pub fn held(query: &mut QueryBuilder<Postgres>, owner: &'static str, role: &str) {
    query
        .push(format!(
            " AND EXISTS (SELECT FROM identity.account_role ar JOIN identity.role r ON r.id = ar.role WHERE ar.account = {owner} AND r.name = "
        ))
        .push_bind(role.to_owned())
        .push(")");
}

/// Gives roles that the user does not hold; of those that decide with both whose word it was.
pub async fn add(
    conn: &mut PgConnection,
    user: UserId,
    roles: &[Uuid],
    by: UserId,
    granted: Option<Granted>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO identity.account_role (account, role, granted_by, seconded_by, origin, request, counts_at, granted_at)
         SELECT $1, r, $3, $4, $5, $6, $7, $8 FROM unnest($2::uuid[]) AS r",
        user.0,
        roles,
        granted.map_or(by, |g| g.first).0,
        granted.map(|g| g.second.0),
        granted.map(|_| "two"),
        granted.map(|g| g.request.0),
        granted.map(|g| g.counts_at),
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn remove(conn: &mut PgConnection, user: UserId, roles: &[Uuid]) -> Result<(), Error> {
    sqlx::query!(
        "DELETE FROM identity.account_role WHERE account = $1 AND role = ANY($2)",
        user.0,
        roles
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// How many people who can sign in and act hold a permission.
pub async fn administrators(conn: &mut PgConnection, permission: &str) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(DISTINCT a.id) AS "n!" FROM identity.account a JOIN identity.account_role ar ON ar.account = a.id
           JOIN identity.role r ON r.id = ar.role
           WHERE $1 = ANY(r.permissions) AND a.status = 'active' AND a.email_confirmed_at IS NOT NULL"#,
        permission
    )
    .fetch_one(conn)
    .await?)
}

/// Active people who hold a permission.
pub async fn holders(conn: &mut PgConnection, permission: &str) -> Result<Vec<UserId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT DISTINCT a.id AS "id: UserId" FROM identity.account a JOIN identity.account_role ar ON ar.account = a.id
           JOIN identity.role r ON r.id = ar.role WHERE a.status = 'active' AND $1 = ANY (r.permissions)"#,
        permission
    )
    .fetch_all(conn)
    .await?)
}

/// Where the mail of active people who hold a permission goes, and that of this one, whatever they hold.
pub async fn mailboxes(
    conn: &mut PgConnection,
    permission: &str,
    and: UserId,
) -> Result<Vec<Mailbox>, Error> {
    Ok(sqlx::query_as!(
        Mailbox,
        r#"SELECT id AS "user: UserId", email, full_name, locale, anti_phishing, time_zone, quiet_mail, quiet_from, quiet_until
           FROM identity.account
           WHERE NOT is_house AND id IN (
               SELECT $2::uuid
               UNION SELECT a.id FROM identity.account a JOIN identity.account_role ar ON ar.account = a.id
               JOIN identity.role r ON r.id = ar.role WHERE a.status = 'active' AND $1 = ANY (r.permissions))"#,
        permission,
        and.0
    )
    .fetch_all(conn)
    .await?)
}

/// Marks an account as changed; its living sessions.
pub async fn touch(
    conn: &mut PgConnection,
    user: UserId,
    now: OffsetDateTime,
) -> Result<Vec<SessionId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"WITH put AS (UPDATE identity.account SET version = version + 1, updated_at = $2 WHERE id = $1 RETURNING id)
           SELECT s.id AS "id: SessionId" FROM put JOIN identity.session s ON s.account = put.id WHERE s.ended_at IS NULL"#,
        user.0,
        now
    )
    .fetch_all(conn)
    .await?)
}
