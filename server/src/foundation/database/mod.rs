//! Opens the database: private or the operator's, migrated, in the right world, and through a role that owns nothing.
//!
//! Two roles (docs/rules/foundation.md#database-roles): the owner runs migrations and then leaves; the server works as `arbora_app`, which
//! has only the rights that the migrations grant. A command of the console that writes what the server may not (who decides about
//! money) works as the owner. Where the operator gave one privileged address only (a demo on a
//! development database), each connection steps down to `arbora_app`; production refuses such an address.
//!
//! 2026-11-23: every command that opens it waits for a database that is not there yet ([`patience`], `ARBORA_DATABASE_WAIT`). For a
//! schema that is older than the program nobody waits: `serve` refuses it in one sentence, and whoever watches the process starts it
//! again after `migrate`.
//!
//! Tables: `foundation.world`, and sqlx's own `_sqlx_migrations`.

mod migrations;
mod patience;
mod store;

use std::{io::ErrorKind, path::Path, time::Duration};

use patience::Patience;
use sqlx::{
    ConnectOptions, Connection, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
pub use store::take_time;

use super::embedded_postgres::{APP_ROLE, DATABASE, Embedded, EmbeddedError, OWNER_ROLE};
use crate::config::{StoreConfig, World};

const OLDEST_VERSION: i32 = 15;

/// Why the server cannot work with this database; each text is the one sentence that the operator reads.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    #[error(transparent)]
    Embedded(#[from] EmbeddedError),
    #[error(
        "the database at {place} cannot be reached ({reason}): check that it runs and that DATABASE_URL names it"
    )]
    Unreachable { place: String, reason: String },
    #[error(
        "the database at {place} refuses this address ({reason}): check user, password and name in DATABASE_URL"
    )]
    Refused { place: String, reason: String },
    #[error("the database at {place} is PostgreSQL {version}; version {OLDEST_VERSION} or newer is needed")]
    TooOld { place: String, version: i32 },
    #[error(
        "the database's schema is newer than this program (it has migration {found}, this program ends at {known}): start the newer program"
    )]
    NewerSchema { found: i64, known: i64 },
    #[error(
        "the database's schema is older than this program (it is at migration {found}, this program needs {needed}): run `server migrate` with DATABASE_OWNER_URL first"
    )]
    OlderSchema { found: i64, needed: i64 },
    #[error(
        "migration {0} in the database is not the one of this program: this database belongs to another version"
    )]
    ChangedMigration(i64),
    #[error("migration {version} failed: {reason}")]
    Migration { version: i64, reason: String },
    #[error("the role {role} may not change the schema: set DATABASE_OWNER_URL to the role that owns it")]
    MayNotMigrate { role: String },
    #[error(
        "this command writes what the server may not: set DATABASE_OWNER_URL to the role that owns the tables"
    )]
    OwnerMissing,
    #[error(
        "the role {role} is neither {APP_ROLE} nor a member of it: GRANT {APP_ROLE} TO it, or name {APP_ROLE} in DATABASE_URL"
    )]
    NotTheAppRole { role: String },
    #[error(
        "in production DATABASE_URL must name a role that owns no table, but {role} does: use {APP_ROLE}, and DATABASE_OWNER_URL for migrations"
    )]
    Privileged { role: String },
    #[error(
        "this database belongs to the world {stored} on chain {stored_chain} for ever; it cannot be opened as {wanted} on chain {wanted_chain}"
    )]
    OtherWorld {
        stored: String,
        stored_chain: i64,
        wanted: &'static str,
        wanted_chain: i64,
    },
    #[error("DATABASE_URL is missing: there is no database to ask")]
    NoAddress,
    #[error("the database failed: {0}")]
    Query(#[from] sqlx::Error),
}

/// How the database's schema stands to this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// A migration that this program needs is not there.
    Older,
    Fits,
    /// Migrations come before the programs that need them and only add (expand, then contract), so this program goes on.
    Newer,
}

/// Looks at the schema as a running server: as its own role, on one connection of the pool.
///
/// # Errors
/// When the database does not answer.
pub async fn schema(pool: &PgPool) -> sqlx::Result<Schema> {
    migrations::compare(&mut *pool.acquire().await?).await
}

/// One connection as the server's role to a database that others keep: nothing is started, migrated or waited for.
///
/// # Errors
/// When there is no address, or nobody answers there.
pub async fn look(config: &StoreConfig) -> Result<PgConnection, DatabaseError> {
    let url = config.database.url.as_ref();
    let app = url
        .and_then(crate::config::parse_database_url)
        .ok_or(DatabaseError::NoAddress)?;
    let mut connection = PgConnection::connect_with(&app).await?;
    store::become_app(&mut connection).await?;
    Ok(connection)
}

/// An open database. Close it at the end: the private one is stopped then.
pub struct Database {
    pool: PgPool,
    embedded: Option<Embedded>,
    version: String,
    /// Where the owner's address is known: of the private one, by DATABASE_OWNER_URL, or a demo's only address.
    owner: Option<PgConnectOptions>,
}

/// Whether this process may and should bring the schema up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Migrate {
    /// `server migrate`: do it, or say why not.
    Must,
    /// `server serve`: do it where the role may; else the schema must be the right one already.
    IfOwner,
}

impl Database {
    /// Opens the database for work, with a schema that fits this program.
    pub async fn open(config: &StoreConfig) -> Result<Self, DatabaseError> {
        Self::prepare(config, Migrate::IfOwner).await
    }

    /// Opens the database for a command of the console, as the role that owns the tables.
    pub async fn open_as_owner(config: &StoreConfig) -> Result<Self, DatabaseError> {
        let opened = Self::prepare(config, Migrate::IfOwner).await?;
        opened.pool.close().await;
        let owner = opened.owner.clone().ok_or(DatabaseError::OwnerMissing)?;
        let patience = Patience::of(config.database.wait);
        let mut connection = patience.connect(&owner).await?;
        let role = store::privileges(&mut connection).await?;
        connection.close().await.ok();
        if !role.superuser && !role.owns_tables {
            return Err(DatabaseError::OwnerMissing);
        }
        let pool = pool_options()
            .max_connections(2)
            .acquire_timeout(Duration::from_secs(5))
            .connect_with(owner.clone().log_statements(tracing::log::LevelFilter::Trace))
            .await
            .map_err(|error| unusable(&owner, error))?;
        Ok(Self { pool, ..opened })
    }

    /// Applies the migrations; returns the schema's version.
    pub async fn migrate(config: &StoreConfig) -> Result<i64, DatabaseError> {
        Self::prepare(config, Migrate::Must).await?.close().await?;
        Ok(migrations::newest())
    }

    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// True for the private one.
    pub fn is_private(&self) -> bool {
        self.embedded.is_some()
    }

    /// The PostgreSQL version, for example `15.13`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Ends the connections and stops the private PostgreSQL.
    pub async fn close(self) -> Result<(), DatabaseError> {
        self.pool.close().await;
        if let Some(embedded) = self.embedded {
            blocking(move || embedded.stop()).await?;
        }
        Ok(())
    }

    async fn prepare(config: &StoreConfig, migrate: Migrate) -> Result<Self, DatabaseError> {
        let patience = Patience::of(config.database.wait);
        let (embedded, app, owner) = addresses(config).await?;
        let given_owner = owner.is_some();
        let mut connection = patience.connect(owner.as_ref().unwrap_or(&app)).await?;
        let version = store::server_version(&mut connection).await?;
        if version.number / 10_000 < OLDEST_VERSION {
            return Err(DatabaseError::TooOld {
                place: place(&app),
                version: version.number / 10_000,
            });
        }
        // In production nobody migrates by accident: only with an address that says "owner".
        let role = store::privileges(&mut connection).await?;
        let may_migrate = given_owner || (role.may_create && !config.world.is_production());
        if migrate == Migrate::Must || may_migrate {
            migrations::run(&mut connection, &role.name).await?;
        } else if role.is_app_member {
            store::become_app(&mut connection).await?;
            migrations::check(&mut connection).await?;
        } else {
            return Err(DatabaseError::NotTheAppRole { role: role.name });
        }
        settle_world(&mut connection, config).await?;
        connection.close().await.ok();

        let pool = open_pool(&app, config, patience).await?;
        Ok(Self {
            pool,
            embedded,
            version: version.text,
            owner: owner.or_else(|| (!config.world.is_production()).then_some(app)),
        })
    }
}

/// The addresses for the server's role and, where it is known, for the owner. Starts the private PostgreSQL.
async fn addresses(
    config: &StoreConfig,
) -> Result<(Option<Embedded>, PgConnectOptions, Option<PgConnectOptions>), DatabaseError> {
    use crate::config::parse_database_url as parse;
    if let Some(app) = config.database.url.as_ref().and_then(parse) {
        return Ok((None, app, config.database.owner_url.as_ref().and_then(parse)));
    }
    let data = config.files.data.clone();
    let embedded = blocking(move || Embedded::start(Path::new(&data))).await?;
    let ours = embedded.connect_options(OWNER_ROLE, "postgres");
    let mut connection = Patience::of(Duration::ZERO).connect(&ours).await?;
    store::ensure_database(&mut connection, DATABASE).await?;
    connection.close().await.ok();
    let app = embedded.connect_options(APP_ROLE, DATABASE);
    let owner = embedded.connect_options(OWNER_ROLE, DATABASE);
    Ok((Some(embedded), app, Some(owner)))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, EmbeddedError> + Send + 'static,
) -> Result<T, DatabaseError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => Ok(outcome?),
        Err(error) => Err(DatabaseError::Query(sqlx::Error::Io(std::io::Error::other(
            error,
        )))),
    }
}

/// Every connection of the pool works as [`APP_ROLE`] and gives up a statement that runs too long.
async fn open_pool(
    app: &PgConnectOptions,
    config: &StoreConfig,
    patience: Patience,
) -> Result<PgPool, DatabaseError> {
    let mut connection = patience.connect(app).await?;
    let role = store::privileges(&mut connection).await?;
    if config.world.is_production() && (role.superuser || role.owns_tables) {
        return Err(DatabaseError::Privileged { role: role.name });
    }
    if !role.is_app_member {
        return Err(DatabaseError::NotTheAppRole { role: role.name });
    }
    connection.close().await.ok();
    let pool = pool_options()
        .max_connections(config.database.pool_size)
        .acquire_timeout(Duration::from_secs(5))
        .after_connect(|connection, _| Box::pin(store::become_app(connection)))
        .connect_with(app.clone().log_statements(tracing::log::LevelFilter::Trace))
        .await
        .map_err(|error| unusable(app, error))?;
    Ok(pool)
}

/// What every pool of ours begins with: a connection is looked at before it is handed out.
#[must_use]
pub fn pool_options() -> PgPoolOptions {
    PgPoolOptions::new()
        .test_before_acquire(false)
        .before_acquire(|connection, _| {
            Box::pin(async move {
                store::leave_forgotten_transaction(connection).await?;
                Ok(true)
            })
        })
}

/// Tells "nobody there" from "somebody there says no".
fn unusable(options: &PgConnectOptions, error: sqlx::Error) -> DatabaseError {
    let place = place(options);
    match error {
        sqlx::Error::Database(error) if error.code().is_some_and(|c| c == patience::STARTING_UP) => {
            DatabaseError::Unreachable {
                place,
                reason: error.message().to_owned(),
            }
        }
        sqlx::Error::Database(error) => DatabaseError::Refused {
            place,
            reason: error.message().to_owned(),
        },
        sqlx::Error::Io(error) if error.kind() == ErrorKind::NotFound => DatabaseError::Unreachable {
            place,
            reason: "there is no such socket".to_owned(),
        },
        sqlx::Error::Io(error) => DatabaseError::Unreachable {
            place,
            reason: error.to_string(),
        },
        other => DatabaseError::Unreachable {
            place,
            reason: other.to_string(),
        },
    }
}

/// Host, port and database, without user and password.
fn place(options: &PgConnectOptions) -> String {
    let host = options.get_socket().map_or_else(
        || options.get_host().to_owned(),
        |path| path.display().to_string(),
    );
    format!(
        "{host}:{}/{}",
        options.get_port(),
        options.get_database().unwrap_or_default()
    )
}

/// The first start writes the world; every later one must agree.
async fn settle_world(connection: &mut PgConnection, config: &StoreConfig) -> Result<(), DatabaseError> {
    let wanted: World = config.world;
    let wanted_chain = i64::try_from(config.chain.id).unwrap_or(i64::MAX);
    let (stored, stored_chain) = store::world(connection, wanted.as_str(), wanted_chain).await?;
    if stored == wanted.as_str() && stored_chain == wanted_chain {
        Ok(())
    } else {
        Err(DatabaseError::OtherWorld {
            stored,
            stored_chain,
            wanted: wanted.as_str(),
            wanted_chain,
        })
    }
}
