//! SQL of roles.

use super::Granted;
use crate::error::Error;
use protocol::ids::{RoleId, UserId};
use sqlx::{PgConnection, PgExecutor, Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

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

pub async fn touch(conn: &mut PgConnection, user: UserId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.account SET version = version + 1, updated_at = $2 WHERE id = $1",
        user.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}
