//! A database for a bench: on the cluster that `DATABASE_URL` names, else on a private one (fsync on); gone afterwards.

use server::foundation::embedded_postgres::{Embedded, OWNER_ROLE};
use sqlx::{
    AssertSqlSafe, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::{path::Path, str::FromStr};
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
