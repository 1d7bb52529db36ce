//! SQL of roles.

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

/// The roles that the user did not hold before.
pub async fn add(
    conn: &mut PgConnection,
    user: UserId,
    roles: &[Uuid],
    by: UserId,
    now: OffsetDateTime,
) -> Result<Vec<RoleId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"INSERT INTO identity.account_role (account, role, granted_by, granted_at) SELECT $1, r, $3, $4 FROM unnest($2::uuid[]) AS r
           ON CONFLICT DO NOTHING RETURNING role AS "role: RoleId""#,
        user.0,
        roles,
        by.0,
        now
    )
    .fetch_all(conn)
    .await?)
}

/// The roles that the user held.
pub async fn remove(conn: &mut PgConnection, user: UserId, roles: &[Uuid]) -> Result<Vec<RoleId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"DELETE FROM identity.account_role WHERE account = $1 AND role = ANY($2) RETURNING role AS "role: RoleId""#,
        user.0,
        roles
    )
    .fetch_all(conn)
    .await?)
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
