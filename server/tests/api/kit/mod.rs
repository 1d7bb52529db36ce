//! A whole server per test: a database of its own (copied from a migrated template on a private PostgreSQL), its own clock,
//! real sockets on loopback.
#![allow(dead_code)]

mod cluster;
pub mod document;
pub mod live;
pub mod locks;
pub mod push;
pub mod statements;

use actix_web::HttpServer;
use protocol::{
    ids::{SessionId, UserId},
    money::Usdt,
};
use reqwest::Method;
use serde::Serialize;
use serde_json::Value;
use server::{
    app::{api, probes::Probes, spa::Spa},
    foundation::{
        clock::{Clock, ShiftedClock},
        context::{Context, DataOfficer, Hashing, Keys, Parts, PixReceiver, World},
        files::{Shelves, decoding::Decoding},
        settings::SettingsReader,
        transaction::Db,
    },
    identity::{
        gate::Gate,
        service::{HOUSE, TERMS_VERSION},
        sessions,
    },
    notifications::push::{Pusher, Services},
    realtime,
    routes::ROUTES,
};
use sqlx::PgPool;
use std::{
    path::Path,
    sync::{Arc, Once},
    time::Duration,
};

/// Roles by the ids of the first migration.
pub const ADMINISTRATOR: &str = "administrator";
pub const SYSTEM_EMPLOYEE: &str = "system_employee";
pub const SALESPERSON: &str = "salesperson";
pub const STORE_EMPLOYEE: &str = "store_employee";
pub const CUSTOMER: &str = "customer";

/// An amount of an answer, exact.
pub fn usdt(value: &Value) -> Usdt {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value}"))
        .parse()
        .unwrap()
}

/// A service on this machine may be pushed to, by a key that only tests use.
fn pushing(parts: Parts) -> Parts {
    if parts.get::<Pusher>().is_some() {
        return parts;
    }
    let services = Services::new(&["fcm.googleapis.com".to_owned(), "127.0.0.1".to_owned()], true);
    parts.with(Pusher::new(&[7; 32], "privacidade@arbora.example", services).unwrap())
}

/// What an installation is to its rooms, on a database and by a clock of its own.
pub fn context(world: World, pool: PgPool, clock: Arc<ShiftedClock>, files: &Path, parts: Parts) -> Context {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    Context {
        db: Db::new(pool.clone(), clock.clone()),
        clock,
        settings: SettingsReader::new(pool),
        keys: Arc::new(Keys {
            jwt: b"a signing key that only tests use".to_vec(),
            jwt_previous: None,
            codes: b"a code key that only tests use".to_vec(),
            sealing: [7; 32],
            sealing_previous: None,
        }),
        world,
        public_url: "http://127.0.0.1".into(),
        files: Arc::new(files.to_owned()),
        // Those of a bucket come with the parts.
        shelves: parts
            .get::<Shelves>()
            .cloned()
            .unwrap_or_else(|| Shelves::folder(files).unwrap()),
        pix: Arc::new(PixReceiver {
            key: "pix@arbora.example".into(),
            name: "Arbora Ltda".into(),
            city: "Sao Paulo".into(),
            rate_url: None,
        }),
        officer: Arc::new(DataOfficer {
            name: "Olívia Prado".into(),
            email: "privacidade@arbora.example".into(),
        }),
        mailbox: true,
        mailer: None,
        hashing: Hashing::new(2),
        // A slow machine is no reason to refuse: tests wait for what they need.
        decoding: Decoding::patient(std::time::Duration::from_secs(3600)),
        parts: server::app::join::join(pushing(parts)),
    }
}

/// A running server with a database of its own.
pub struct TestApp {
    pub address: String,
    pub context: Context,
    pub clock: Arc<ShiftedClock>,
    /// As the owner of all tables: for arranging and for looking.
    pub sql: PgPool,
    pub database: cluster::Database,
    pub live: actors::Realtime,
    pub face: api::Face,
    http: reqwest::Client,
    handle: actix_web::dev::ServerHandle,
    stop: tokio_util::sync::CancellationToken,
    _files: tempfile::TempDir,
}

impl Drop for TestApp {
    fn drop(&mut self) {
        self.stop.cancel();
        let handle = self.handle.clone();
        actix_web::rt::spawn(async move { handle.stop(false).await });
    }
}

impl TestApp {
    pub async fn start() -> Self {
        Self::start_with(false).await
    }

    /// `limits`: with the product's rate limits; otherwise they are lifted so that tests do not wait.
    pub async fn start_with(limits: bool) -> Self {
        let database = cluster::fresh_database().await;
        Self::node(database, limits, actors::bus::in_process::InProcess::alone()).await
    }

    /// With so many connections to the database.
    pub async fn with_connections(most: u32) -> Self {
        let database = cluster::fresh_database().await;
        Self::node_with(
            database,
            false,
            actors::bus::in_process::InProcess::alone(),
            most,
            Parts::default(),
        )
        .await
    }

    /// Another node on the same database.
    pub async fn another_node(&self, bus: Arc<dyn actors::bus::Bus>) -> Self {
        Self::node(self.database.clone(), false, bus).await
    }

    /// Another node on the same database and world, with what its own installation has.
    pub async fn another_with(&self, parts: Parts) -> Self {
        let bus = actors::bus::in_process::InProcess::alone();
        Self::node_of(self.context.world, self.database.clone(), false, bus, 16, parts).await
    }

    /// With what rooms keep in the context, made on this test's own database.
    pub async fn start_with_made<A: Future<Output = Parts>>(make: impl FnOnce(Db) -> A) -> Self {
        let database = cluster::fresh_database().await;
        let pool = cluster::connect("arbora_app", &database, 6).await;
        let parts = make(Db::new(pool, Arc::new(ShiftedClock::default()))).await;
        let bus = actors::bus::in_process::InProcess::alone();
        Self::node_with(database, false, bus, 16, parts).await
    }

    /// With what rooms keep in the context.
    pub async fn start_with_parts(parts: Parts) -> Self {
        let database = cluster::fresh_database().await;
        let bus = actors::bus::in_process::InProcess::alone();
        Self::node_with(database, false, bus, 16, parts).await
    }

    /// A server of a production world, with what rooms keep in the context.
    pub async fn start_production(parts: Parts) -> Self {
        let database = cluster::fresh_database().await;
        let sql = cluster::connect("app", &database, 1).await;
        sqlx::raw_sql("DELETE FROM foundation.world; INSERT INTO foundation.world (kind, chain_id) VALUES ('production', 56)")
            .execute(&sql)
            .await
            .unwrap();
        sql.close().await;
        let bus = actors::bus::in_process::InProcess::alone();
        Self::node_of(World::Production, database, false, bus, 16, parts).await
    }

    /// A node on a database, with its own bus.
    pub async fn node(database: cluster::Database, limits: bool, bus: Arc<dyn actors::bus::Bus>) -> Self {
        Self::node_with(database, limits, bus, 16, Parts::default()).await
    }

    async fn node_with(
        database: cluster::Database,
        limits: bool,
        bus: Arc<dyn actors::bus::Bus>,
        connections: u32,
        parts: Parts,
    ) -> Self {
        Self::node_of(World::Demo, database, limits, bus, connections, parts).await
    }

    async fn node_of(
        world: World,
        database: cluster::Database,
        limits: bool,
        bus: Arc<dyn actors::bus::Bus>,
        connections: u32,
        parts: Parts,
    ) -> Self {
        let sql = cluster::connect("app", &database, 4).await;
        let pool = cluster::connect("arbora_app", &database, connections).await;
        let clock = Arc::new(ShiftedClock::default());
        let files = tempfile::tempdir().unwrap();
        let context = context(world, pool, clock.clone(), files.path(), parts);
        let mut settings = realtime::config(&context);
        settings.arbiters = 1;
        let live = realtime::start(&context, settings, bus);
        let stop = tokio_util::sync::CancellationToken::new();
        actix_web::rt::spawn(realtime::relay::poll(
            context.db.clone(),
            live.clone(),
            std::time::Duration::from_millis(100),
            stop.clone(),
        ));
        let face = api::Face {
            context: context.clone(),
            // Tests say from which address somebody comes.
            gate: Gate::new(ROUTES, vec!["127.0.0.1".parse().unwrap()], !limits),
            // Only where a browser looks at it: the built pages.
            spa: std::env::var_os("ARBORA_WEB_DIR")
                .map(|folder| Spa::load(folder.as_ref(), false).unwrap())
                .unwrap_or_default(),
            realtime: live.clone(),
            origins: realtime::routes::AllowedOrigins::default(),
            probes: Probes::new(&context, &live, Vec::new()),
        };
        let served = face.clone();
        let server = HttpServer::new(move || api::app(&served))
            .on_connect(actors::session::transport::on_connect)
            .workers(1)
            // A busy machine may take its time: no connection is closed while its next request is on the way.
            .keep_alive(Duration::from_secs(3_600))
            .client_request_timeout(Duration::ZERO)
            .disable_signals()
            .bind(("127.0.0.1", 0))
            .unwrap();
        let address = server.addrs()[0].to_string();
        let running = server.run();
        let handle = running.handle();
        actix_web::rt::spawn(running);
        Self {
            address,
            context,
            clock,
            sql,
            database,
            live,
            face,
            http: reqwest::Client::new(),
            handle,
            stop,
            _files: files,
        }
    }

    /// A client that is not signed in.
    pub fn anonymous(&self) -> Client {
        Client {
            base: format!("http://{}/api", self.address),
            http: self.http.clone(),
            token: None,
            locale: "pt-br".into(),
            key: None,
            user: UserId(uuid::Uuid::nil()),
            session: SessionId(uuid::Uuid::nil()),
        }
    }

    /// A confirmed customer, signed in.
    pub async fn user(&self, name: &str) -> Client {
        self.person(name, CUSTOMER).await
    }

    /// A confirmed administrator, signed in.
    pub async fn admin(&self, name: &str) -> Client {
        self.person(name, ADMINISTRATOR).await
    }

    /// A confirmed person with one role, signed in on one device.
    pub async fn person(&self, name: &str, role: &str) -> Client {
        let (user, session) = (UserId::fresh(), SessionId::fresh());
        let now = self.clock.now();
        sqlx::query(
            "INSERT INTO identity.account (id, email, email_key, username, username_key, full_name, email_confirmed_at,
                 terms_accepted_at, terms_version, risk_accepted_at, adult_declared_at, created_at, updated_at)
             VALUES ($1, $2, $2, $3, $3, $4, $5, $5, $6, $5, $5, $5, $5)",
        )
        .bind(user.0)
        .bind(format!("{name}@example.com"))
        .bind(name)
        .bind(format!("{name} de Teste"))
        .bind(now)
        .bind(TERMS_VERSION)
        .execute(&self.sql)
        .await
        .unwrap();
        sqlx::query(
            "INSERT INTO identity.address (account, country, state, city, street, number, district, postal_code, updated_at)
             VALUES ($1, 'Brasil', 'SP', 'São Paulo', 'Rua A', '1', 'Centro', '01000-000', $2)",
        )
        .bind(user.0)
        .bind(now)
        .execute(&self.sql)
        .await
        .unwrap();
        // Below the house, waiting for a place: the first licence gives one.
        sqlx::query(
            "WITH own AS (INSERT INTO affiliates.member (id, sponsor, registered_at, confirmed_at) VALUES ($1, $2, $3, $3))
             INSERT INTO affiliates.sponsor_counter (sponsor) VALUES ($1)",
        )
        .bind(user.0)
        .bind(HOUSE.0)
        .bind(now)
        .execute(&self.sql)
        .await
        .unwrap();
        sqlx::query("INSERT INTO identity.account_role (account, role, granted_at) SELECT $1, id, $3 FROM identity.role WHERE name = $2")
            .bind(user.0)
            .bind(role)
            .bind(now)
            .execute(&self.sql)
            .await
            .unwrap();
        sqlx::query(
            "INSERT INTO identity.session (id, account, device, address, created_at, seen_at, expires_at)
             VALUES ($1, $2, 'test', '127.0.0.1', $3, $3, $4)",
        )
        .bind(session.0)
        .bind(user.0)
        .bind(now)
        .bind(now + time::Duration::days(400))
        .execute(&self.sql)
        .await
        .unwrap();
        let token = sessions::access_token(&self.context.keys, user, session, now).unwrap();
        Client {
            token: Some(token),
            user,
            session,
            ..self.anonymous()
        }
    }

    /// Another session of somebody, as a thief has one.
    pub async fn another_session(&self, client: &Client) -> Client {
        let session = SessionId::fresh();
        let now = self.clock.now();
        sqlx::query(
            "INSERT INTO identity.session (id, account, device, address, created_at, seen_at, expires_at)
             VALUES ($1, $2, 'other', '127.0.0.2', $3, $3, $4)",
        )
        .bind(session.0)
        .bind(client.user.0)
        .bind(now)
        .bind(now + time::Duration::days(400))
        .execute(&self.sql)
        .await
        .unwrap();
        self.renew(&Client {
            session,
            ..client.clone()
        })
    }

    /// A fresh access token for a client, after the clock was moved.
    pub fn renew(&self, client: &Client) -> Client {
        let token = sessions::access_token(&self.context.keys, client.user, client.session, self.clock.now())
            .unwrap();
        Client {
            token: Some(token),
            ..client.clone()
        }
    }
}

/// Somebody with a browser.
#[derive(Clone)]
pub struct Client {
    pub base: String,
    pub http: reqwest::Client,
    pub token: Option<String>,
    pub locale: String,
    pub key: Option<String>,
    pub user: UserId,
    pub session: SessionId,
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    /// What it answers: the method, and the path below `/api`.
    pub method: Method,
    pub path: String,
    pub status: u16,
    pub body: Value,
    pub headers: reqwest::header::HeaderMap,
}

impl Reply {
    /// Whether it answers a call of this line of the route table: `POST /orders/{id}/cancel`.
    pub fn answers(&self, route: &str) -> bool {
        let (method, pattern) = route.split_once(' ').unwrap();
        let (pattern, path): (Vec<_>, Vec<_>) =
            (pattern.split('/').collect(), self.path.split('/').collect());
        let same = |(part, of): (&&str, &&str)| part.starts_with('{') || part == of;
        self.method == method && pattern.len() == path.len() && pattern.iter().zip(&path).all(same)
    }

    /// The error code, empty when there is none.
    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }

    #[track_caller]
    pub fn ok(self) -> Value {
        assert!((200..300).contains(&self.status), "{} {}", self.status, self.body);
        self.body
    }

    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) {
        assert_eq!((self.status, self.code()), (status, code), "{}", self.body);
    }
}

impl Client {
    #[must_use]
    pub fn token(self, token: &str) -> Self {
        Self {
            token: Some(token.into()),
            ..self
        }
    }

    #[must_use]
    pub fn locale(self, locale: &str) -> Self {
        Self {
            locale: locale.into(),
            ..self
        }
    }

    /// Uses this idempotency key for its next calls, instead of a fresh one each.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        Self {
            key: Some(key.into()),
            ..self.clone()
        }
    }

    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let mut request = self
            .http
            .request(method.clone(), format!("{}{path}", self.base))
            .header("locale", &self.locale);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if method == Method::POST || method == Method::PATCH {
            let key = self
                .key
                .clone()
                .unwrap_or_else(|| uuid::Uuid::now_v7().to_string());
            request = request.header("Idempotency-Key", key);
        }
        request
    }

    pub async fn send(&self, request: reqwest::RequestBuilder) -> Reply {
        let request = request.build().unwrap();
        let method = request.method().clone();
        let path = request.url().path();
        let path = path.strip_prefix("/api").unwrap_or(path).to_owned();
        let response = self.http.execute(request).await.unwrap();
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let text = response.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Reply {
            method,
            path,
            status,
            body,
            headers,
        }
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.send(self.request(Method::GET, path)).await
    }

    pub async fn delete(&self, path: &str) -> Reply {
        self.send(self.request(Method::DELETE, path)).await
    }

    pub async fn post(&self, path: &str, body: &impl Serialize) -> Reply {
        self.send(self.request(Method::POST, path).json(body)).await
    }

    pub async fn patch(&self, path: &str, body: &impl Serialize) -> Reply {
        self.send(self.request(Method::PATCH, path).json(body)).await
    }

    /// Uploads one file as the multipart field `file`.
    pub async fn upload(&self, path: &str, name: &str, mime: &str, bytes: Vec<u8>) -> Reply {
        let part = reqwest::multipart::Part::bytes(bytes)
            .file_name(name.to_owned())
            .mime_str(mime)
            .unwrap();
        self.send(
            self.request(Method::POST, path)
                .multipart(reqwest::multipart::Form::new().part("file", part)),
        )
        .await
    }
}
