//! Which PostgreSQL: a server of the operator's, or the private one.

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgSslMode};

use super::{
    Problems, Secret, World,
    places::{Place, refuse_example, unclear},
};

/// `url` empty: the private PostgreSQL of `foundation::embedded_postgres`.
#[derive(Clone, Debug)]
pub struct Database {
    /// For the running server: a role that owns no table.
    pub url: Option<Secret>,
    /// For migrations: the role that owns the tables. Without it migrations use `url`.
    pub owner_url: Option<Secret>,
    /// Connections of this process.
    pub pool_size: u32,
    /// How long a start waits for a database that does not answer yet.
    pub wait: Duration,
}

impl Database {
    pub(super) fn check(settings: &DatabaseSettings, world: World, problems: &mut Problems) -> Self {
        for (name, url) in [
            ("DATABASE_URL", &settings.database_url),
            ("DATABASE_OWNER_URL", &settings.database_owner_url),
        ] {
            // The parser's own words could repeat the password.
            if url.as_ref().is_some_and(|url| parse(url).is_none()) {
                problems.add(format!(
                    "{name} is not a PostgreSQL address (postgres://user:password@host:5432/database)"
                ));
            }
        }
        if settings.database_url.is_none() {
            if world.is_production() {
                problems.add("DATABASE_URL is missing: the private database is for demos");
            } else if settings.database_owner_url.is_some() {
                problems.add("DATABASE_OWNER_URL is set without DATABASE_URL");
            }
        }
        if world.is_production() {
            for (name, url) in [
                ("DATABASE_URL", &settings.database_url),
                ("DATABASE_OWNER_URL", &settings.database_owner_url),
            ] {
                refuse_example(name, url.as_ref(), problems);
                let options = url.as_ref().and_then(parse);
                if let Some(place) = options.as_ref().and_then(place).filter(|place| !place.is_clear()) {
                    problems.add(unclear(name, &place));
                } else if options.is_some_and(|options| is_in_the_clear(&options)) {
                    problems.add(format!(
                        "{name} is without TLS: add ?sslmode=require, or verify-full (a server on this machine is named 127.0.0.1 or [::1], or by its socket)"
                    ));
                }
            }
            let read = |url: &Option<Secret>| url.as_ref().and_then(parse);
            if let (Some(app), Some(owner)) =
                (read(&settings.database_url), read(&settings.database_owner_url))
                && app.get_username() == owner.get_username()
            {
                problems.add("DATABASE_URL and DATABASE_OWNER_URL name the same role: the server's own may change no table and no posting");
            }
        }
        Self {
            url: settings.database_url.clone(),
            owner_url: settings.database_owner_url.clone(),
            pool_size: settings.database_pool,
            // In a demo the database is ours and is there.
            wait: Duration::from_secs(settings.database_wait.unwrap_or(if world.is_production() {
                60
            } else {
                0
            })),
        }
    }
}

/// Whether somebody on the way may read and change what is asked. `prefer`, which is what nothing said means, is given up by whoever
/// stands in between; between containers, which know each other by bare names, nobody does.
fn is_in_the_clear(options: &PgConnectOptions) -> bool {
    let Some(place) = place(options).filter(|place| !place.is_here()) else {
        return false;
    };
    match options.get_ssl_mode() {
        PgSslMode::Disable | PgSslMode::Allow => true,
        PgSslMode::Prefer => !place.is_bare(),
        PgSslMode::Require | PgSslMode::VerifyCa | PgSslMode::VerifyFull => false,
    }
}

/// The machine that is asked; none for a socket of this one.
fn place(options: &PgConnectOptions) -> Option<Place> {
    let socket = options.get_socket().is_some() || options.get_host().starts_with('/');
    (!socket).then(|| Place::named(options.get_host()))
}

/// Connection options of a checked address.
pub fn parse(url: &Secret) -> Option<PgConnectOptions> {
    let text = url.expose();
    (text.starts_with("postgres://") || text.starts_with("postgresql://")).then(|| text.parse().ok())?
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Database")]
pub struct DatabaseSettings {
    /// PostgreSQL 15 to 18, as a role that owns no table; without it the server runs a private one in the data folder
    #[arg(
        long,
        env = "DATABASE_URL",
        hide_env_values = true,
        global = true,
        value_name = "URL"
    )]
    pub database_url: Option<Secret>,
    /// The same database as the role that owns the tables, for migrations
    #[arg(
        long,
        env = "DATABASE_OWNER_URL",
        hide_env_values = true,
        global = true,
        value_name = "URL"
    )]
    pub database_owner_url: Option<Secret>,
    /// Connections of this process
    #[arg(long, env = "ARBORA_DATABASE_POOL", hide_env_values = true, global = true, default_value_t = 24,
          value_parser = clap::value_parser!(u32).range(2..=500), value_name = "NUMBER")]
    pub database_pool: u32,
    /// How long a start waits for a database that does not answer yet, in seconds [default: 60 in production, 0 in a demo]
    #[arg(long, env = "ARBORA_DATABASE_WAIT", hide_env_values = true, global = true,
          value_parser = clap::value_parser!(u64).range(..=3_600), value_name = "SECONDS")]
    pub database_wait: Option<u64>,
}

#[cfg(test)]
mod tests {
    use crate::config::{Cli, Environment, StoreConfig};

    #[test]
    fn a_production_waits_for_its_database_and_a_demo_has_its_own() {
        let wait = |more: &[&str]| {
            let given = ["server", "migrate", "--database-url", "postgres://u@h/d"];
            let all = given.iter().chain(more).map(|word| (*word).to_owned());
            let cli = Cli::read(all, &Environment::default()).unwrap();
            StoreConfig::load(&cli.settings).unwrap().database.wait.as_secs()
        };
        assert_eq!(wait(&[]), 0);
        assert_eq!(wait(&["--world", "production"]), 60);
        assert_eq!(wait(&["--world", "production", "--database-wait", "7"]), 7);
    }
}
