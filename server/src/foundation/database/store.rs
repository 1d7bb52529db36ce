//! SQL of the start: roles, versions, the world. Statements about sqlx's own table are not checked while compiling,
//! because that table exists only where sqlx has migrated.

use sqlx::{AssertSqlSafe, PgConnection, Row};

/// The server's version as it says it, and as a number (`150013` is 15.13).
pub struct ServerVersion {
    pub text: String,
    pub number: i32,
}

pub async fn server_version(connection: &mut PgConnection) -> sqlx::Result<ServerVersion> {
    sqlx::query_as!(
        ServerVersion,
        r#"SELECT split_part(current_setting('server_version'), ' ', 1) AS "text!",
                  current_setting('server_version_num')::int AS "number!""#
    )
    .fetch_one(connection)
    .await
}

/// What the connected role is and may.
pub struct Privileges {
    pub name: String,
    pub superuser: bool,
    pub may_create: bool,
    pub owns_tables: bool,
    pub is_app_member: bool,
}

/// Looks at the role that signed in, not at one that was stepped down to.
pub async fn privileges(connection: &mut PgConnection) -> sqlx::Result<Privileges> {
    sqlx::query_as!(
        Privileges,
        r#"SELECT session_user::text AS "name!",
                  role.rolsuper AS "superuser!",
                  has_database_privilege(session_user, current_database(), 'CREATE') AS "may_create!",
                  EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                          WHERE c.relowner = role.oid AND c.relkind IN ('r', 'p')
                            AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema') AS "owns_tables!",
                  EXISTS (SELECT FROM pg_roles app WHERE app.rolname = 'arbora_app'
                          AND pg_has_role(session_user, app.oid, 'MEMBER')) AS "is_app_member!"
           FROM pg_roles role WHERE role.rolname = session_user"#
    )
    .fetch_one(connection)
    .await
}

/// The newest migration in the database; none where sqlx has never migrated.
pub async fn schema_version(connection: &mut PgConnection) -> sqlx::Result<Option<i64>> {
    let exists = sqlx::query_scalar!(r#"SELECT to_regclass('_sqlx_migrations') IS NOT NULL AS "exists!""#)
        .fetch_one(&mut *connection)
        .await?;
    if !exists {
        return Ok(None);
    }
    sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations WHERE success")
        .fetch_one(connection)
        .await
}

/// A server without the owner's address must be able to see whether the schema fits.
pub async fn let_app_read_versions(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query("GRANT SELECT ON _sqlx_migrations TO arbora_app")
        .execute(connection)
        .await?;
    Ok(())
}

/// Makes the database of the private cluster. `name` is a constant of this program.
pub async fn ensure_database(connection: &mut PgConnection, name: &'static str) -> sqlx::Result<()> {
    let exists = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1) AS "exists!""#,
        name
    )
    .fetch_one(&mut *connection)
    .await?;
    if !exists {
        sqlx::query(AssertSqlSafe(format!("CREATE DATABASE {name}")))
            .execute(connection)
            .await?;
    }
    Ok(())
}

/// Steps down to the role that owns nothing, and bounds every statement.
pub async fn become_app(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query("SET ROLE arbora_app")
        .execute(&mut *connection)
        .await?;
    sqlx::query("SET statement_timeout = '3s'")
        .execute(&mut *connection)
        .await?;
    sqlx::query("SET TIME ZONE 'UTC'").execute(connection).await?;
    Ok(())
}

/// For the rest of this transaction, as long as a pass over everybody needs.
pub async fn take_time(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query("SET LOCAL statement_timeout = '5min'")
        .execute(connection)
        .await?;
    Ok(())
}

/// A call that is given up while its BEGIN is under way leaves the connection inside a transaction that nobody ends, and the
/// driver does not know of it: what the next one writes through it would be undone. Asked at each acquisition, in place of a ping.
pub async fn leave_forgotten_transaction(connection: &mut PgConnection) -> sqlx::Result<()> {
    // One message by the simple protocol: outside of a transaction it begins its own, and the two moments are the same.
    let row = sqlx::raw_sql("SELECT now() < statement_timestamp()")
        .fetch_one(&mut *connection)
        .await?;
    if row.try_get::<bool, _>(0)? {
        tracing::info!("a transaction whose begin was given up is ended");
        sqlx::raw_sql("ROLLBACK").execute(connection).await?;
    }
    Ok(())
}

/// The database's world; written when this is the first start.
pub async fn world(connection: &mut PgConnection, kind: &str, chain_id: i64) -> sqlx::Result<(String, i64)> {
    sqlx::query!(
        "INSERT INTO foundation.world (kind, chain_id) SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM foundation.world)
         ON CONFLICT DO NOTHING",
        kind,
        chain_id
    )
    .execute(&mut *connection)
    .await?;
    let row = sqlx::query!("SELECT kind, chain_id FROM foundation.world")
        .fetch_one(connection)
        .await?;
    Ok((row.kind, row.chain_id))
}
