//! The schema's version against the program's.

use std::cmp::Ordering;

use sqlx::{
    PgConnection,
    migrate::{MigrateError, Migrator},
};

use super::{DatabaseError, Schema, store};

static MIGRATOR: Migrator = sqlx::migrate!("../migrations");

/// The last migration that this program knows.
pub fn newest() -> i64 {
    MIGRATOR
        .iter()
        .map(|migration| migration.version)
        .max()
        .unwrap_or_default()
}

/// Applies what is missing, under a lock that other starting servers wait for.
pub async fn run(connection: &mut PgConnection, role: &str) -> Result<(), DatabaseError> {
    refuse_newer(connection).await?;
    MIGRATOR
        .run(&mut *connection)
        .await
        .map_err(|error| explain(error, role))?;
    store::let_app_read_versions(connection).await?;
    Ok(())
}

/// For a role that may not migrate: the schema must be the right one.
pub async fn check(connection: &mut PgConnection) -> Result<(), DatabaseError> {
    refuse_newer(connection).await?;
    let found = store::schema_version(connection).await?.unwrap_or_default();
    if found < newest() {
        Err(DatabaseError::OlderSchema {
            found,
            needed: newest(),
        })
    } else {
        Ok(())
    }
}

/// How the schema stands to this program, for one that runs already.
pub async fn compare(connection: &mut PgConnection) -> sqlx::Result<Schema> {
    let found = store::schema_version(connection).await?.unwrap_or_default();
    Ok(match found.cmp(&newest()) {
        Ordering::Less => Schema::Older,
        Ordering::Equal => Schema::Fits,
        Ordering::Greater => Schema::Newer,
    })
}

async fn refuse_newer(connection: &mut PgConnection) -> Result<(), DatabaseError> {
    match store::schema_version(connection).await? {
        Some(found) if found > newest() => Err(DatabaseError::NewerSchema {
            found,
            known: newest(),
        }),
        _ => Ok(()),
    }
}

fn explain(error: MigrateError, role: &str) -> DatabaseError {
    const INSUFFICIENT_PRIVILEGE: &str = "42501";
    let refused = |error: &sqlx::Error| {
        error
            .as_database_error()
            .and_then(|error| error.code())
            .is_some_and(|code| code == INSUFFICIENT_PRIVILEGE)
    };
    match error {
        MigrateError::VersionMismatch(version) | MigrateError::VersionMissing(version) => {
            DatabaseError::ChangedMigration(version)
        }
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) if refused(&error) => {
            DatabaseError::MayNotMigrate {
                role: role.to_owned(),
            }
        }
        MigrateError::ExecuteMigration(error, version) => DatabaseError::Migration {
            version,
            reason: error.to_string(),
        },
        MigrateError::Execute(error) => DatabaseError::Query(error),
        other => DatabaseError::Migration {
            version: newest(),
            reason: other.to_string(),
        },
    }
}
