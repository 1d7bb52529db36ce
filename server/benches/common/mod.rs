//! A database for a bench: on the cluster that `DATABASE_URL` names, else on a private one (fsync on); gone afterwards.

#![allow(dead_code)] // each bench takes a part

pub mod people;

use server::foundation::{
    clock::SystemClock,
    context::{Context, DataOfficer, Hashing, Keys, Parts, PixReceiver, World},
    embedded_postgres::{Embedded, OWNER_ROLE},
    files::Shelves,
    settings::SettingsReader,
    transaction::Db,
};
use sqlx::{
    AssertSqlSafe, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::{path::Path, process::Command, str::FromStr, sync::Arc, time::Duration};
use uuid::Uuid;

pub struct Database {
    name: String,
    /// As the owner of everything.
    pub pool: PgPool,
    maintenance: PgPool,
    private: Option<Embedded>,
}

impl Database {
    pub async fn open(folder: &Path) -> Self {
        let (private, cluster) = match std::env::var("DATABASE_URL") {
            Ok(url) => (None, PgConnectOptions::from_str(&url).unwrap()),
            Err(_) => {
                let private = Embedded::start(folder).unwrap();
                let options = private.connect_options(OWNER_ROLE, "postgres");
                (Some(private), options)
            }
        };
        let name = format!("bench_{}", Uuid::now_v7().simple());
        let maintenance = PgPoolOptions::new()
            .max_connections(1)
            .connect_with(cluster.clone().database("postgres"))
            .await
            .unwrap();
        sqlx::raw_sql(AssertSqlSafe(format!("CREATE DATABASE {name}")))
            .execute(&maintenance)
            .await
            .unwrap();
        let pool = PgPoolOptions::new()
            .max_connections(20)
            .connect_with(cluster.clone().database(&name))
            .await
            .unwrap();
        sqlx::migrate!("../migrations").run(&pool).await.unwrap();
        Self {
            name,
            pool,
            maintenance,
            private,
        }
    }

    /// What does not add up in the books; none when everything does.
    pub async fn off(&self) -> Option<String> {
        sqlx::query_scalar("SELECT currency || ' ' || sum(balance) FROM ledger.account GROUP BY currency HAVING sum(balance) <> 0")
            .fetch_optional(&self.pool)
            .await
            .unwrap()
    }

    /// pgbench's TPC-B on this database, transactions a second.
    pub fn tpc_b(&self, clients: usize, length: Duration) -> u64 {
        let (clients, seconds) = (clients.to_string(), length.as_secs().max(1).to_string());
        let report = self.pgbench(&["-n", "-c", &clients, "-j", "2", "-T", &seconds]);
        let rate = report
            .lines()
            .find_map(|l| l.strip_prefix("tps = "))
            .unwrap_or("0");
        rate.split(['.', ' ']).next().unwrap_or("0").parse().unwrap_or(0)
    }

    pub fn pgbench(&self, args: &[&str]) -> String {
        let cluster = self.pool.connect_options();
        let host = cluster
            .get_socket()
            .map_or_else(|| cluster.get_host().to_owned(), |s| s.display().to_string());
        let output = Command::new("pgbench")
            .args(args)
            .args([
                "-h",
                &host,
                "-p",
                &cluster.get_port().to_string(),
                "-U",
                cluster.get_username(),
                &self.name,
            ])
            .output()
            .expect("pgbench is installed");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub async fn close(self) {
        self.pool.close().await;
        let name = &self.name;
        sqlx::raw_sql(AssertSqlSafe(format!("DROP DATABASE {name} WITH (FORCE)")))
            .execute(&self.maintenance)
            .await
            .unwrap();
        drop(self.private);
    }
}

/// A server over a bench's pool, without mail and chain.
pub fn context(pool: &PgPool) -> Context {
    Context {
        db: Db::new(pool.clone(), Arc::new(SystemClock)),
        clock: Arc::new(SystemClock),
        settings: SettingsReader::new(pool.clone()),
        keys: Arc::new(Keys {
            jwt: vec![1; 32],
            jwt_previous: None,
            codes: vec![2; 32],
            sealing: [3; 32],
            sealing_previous: None,
        }),
        world: World::Demo,
        public_url: "http://127.0.0.1".into(),
        files: Arc::new(std::env::temp_dir()),
        shelves: Shelves::folder(&std::env::temp_dir()).unwrap(),
        pix: Arc::new(PixReceiver {
            key: "pix@arbora.example".into(),
            name: "Arbora".into(),
            city: "Sao Paulo".into(),
            rate_url: None,
        }),
        officer: Arc::new(DataOfficer {
            name: "Arbora".into(),
            email: "privacy@arbora.example".into(),
        }),
        mailbox: false,
        mailer: None,
        hashing: Hashing::new(1),
        decoding: Default::default(),
        parts: Parts::default(),
    }
}

/// So many decimals, without a float.
pub fn times(rate: u64, peer: u64, decimals: u32) -> String {
    let one = 10u64.pow(decimals);
    let parts = rate * one / peer.max(1);
    let width = usize::try_from(decimals).unwrap();
    format!("{}.{:0width$}", parts / one, parts % one)
}
