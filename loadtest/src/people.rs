//! Virtual users: rows written straight into the measured server's database, tokens signed with its key.

use anyhow::Context;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde::Serialize;
use sqlx::{Connection, PgConnection, postgres::PgConnectOptions};
use std::path::Path;
use uuid::Uuid;

/// The key that the measured server is started with.
pub const JWT_KEY: [u8; 32] = *b"a key that only load tests use..";

/// The terms that the measured server shows: whoever accepted others could not move money in.
const TERMS_VERSION: &str = "2026-11";

pub struct Person {
    pub id: Uuid,
    pub token: String,
    session: Uuid,
}

impl Person {
    /// A fresh token of the same session: one lives for less than fifteen minutes.
    ///
    /// # Errors
    /// When it cannot be signed.
    pub fn renewed(&self, key: &[u8]) -> anyhow::Result<String> {
        sign(self.id, self.session, key)
    }
}

fn sign(id: Uuid, session: Uuid, key: &[u8]) -> anyhow::Result<String> {
    #[allow(clippy::disallowed_methods)] // a measuring client, not the server
    let now = time::OffsetDateTime::now_utc().unix_timestamp();
    let claims = Claims {
        sub: id,
        sid: session,
        iss: "arbora",
        aud: "arbora-api",
        iat: now,
        exp: now + 890,
    };
    Ok(jsonwebtoken::encode(
        &Header::new(Algorithm::HS256),
        &claims,
        &EncodingKey::from_secret(key),
    )?)
}

#[derive(Serialize)]
struct Claims<'a> {
    sub: Uuid,
    sid: Uuid,
    iss: &'a str,
    aud: &'a str,
    iat: i64,
    exp: i64,
}

/// Makes `count` confirmed customers, the first one an administrator, each with a session.
///
/// # Errors
/// When the database cannot be written.
pub async fn make(socket_dir: &Path, count: usize, key: &[u8]) -> anyhow::Result<Vec<Person>> {
    let options = PgConnectOptions::new_without_pgpass()
        .socket(socket_dir)
        .port(5432)
        .username("arbora_owner")
        .database("arbora");
    let mut database = PgConnection::connect_with(&options)
        .await
        .context("the measured server's database")?;
    let ids: Vec<Uuid> = (0..count).map(|_| Uuid::now_v7()).collect();
    let sessions: Vec<Uuid> = (0..count).map(|_| Uuid::now_v7()).collect();
    let mut tx = database.begin().await?;
    sqlx::query(
        "INSERT INTO identity.account (id, email, email_key, username, username_key, full_name, email_confirmed_at,
             terms_accepted_at, terms_version, risk_accepted_at, adult_declared_at, created_at, updated_at)
         SELECT id, id || '@load.invalid', id || '@load.invalid', left(replace(id::text, '-', ''), 32), left(replace(id::text, '-', ''), 32), 'Load Test', now(),
             now(), $2, now(), now(), now(), now()
         FROM unnest($1::uuid[]) AS t(id)",
    )
    .bind(&ids)
    .bind(TERMS_VERSION)
    .execute(&mut *tx)
    .await?;
    for whole in [
        "INSERT INTO identity.address (account, country, state, city, street, number, district, postal_code, updated_at)
         SELECT id, 'Brasil', 'SP', 'São Paulo', 'Rua A', '1', 'Centro', '01000-000', now() FROM unnest($1::uuid[]) AS t(id)",
        "INSERT INTO affiliates.member (id, sponsor, registered_at, confirmed_at)
         SELECT t.id, a.id, now(), now() FROM unnest($1::uuid[]) AS t(id), identity.account a WHERE a.is_house",
        "INSERT INTO affiliates.sponsor_counter (sponsor) SELECT id FROM unnest($1::uuid[]) AS t(id)",
    ] {
        sqlx::query(whole).bind(&ids).execute(&mut *tx).await?;
    }
    sqlx::query("INSERT INTO identity.account_role (account, role, granted_at) SELECT t.id, r.id, now() FROM unnest($1::uuid[]) AS t(id), identity.role r WHERE r.name = 'customer'")
        .bind(&ids)
        .execute(&mut *tx)
        .await?;
    sqlx::query("INSERT INTO identity.account_role (account, role, granted_at) SELECT $1, r.id, now() FROM identity.role r WHERE r.name = 'administrator'")
        .bind(ids.first())
        .execute(&mut *tx)
        .await?;
    sqlx::query(
        "INSERT INTO identity.session (id, account, device, address, created_at, seen_at, expires_at)
         SELECT s, a, 'load test', '127.0.0.1', now(), now(), now() + interval '1 day' FROM unnest($1::uuid[], $2::uuid[]) AS t(s, a)",
    )
    .bind(&sessions)
    .bind(&ids)
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    ids.into_iter()
        .zip(sessions)
        .map(|(id, session)| {
            let token = sign(id, session, key)?;
            Ok(Person { id, token, session })
        })
        .collect()
}
