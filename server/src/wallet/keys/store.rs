//! SQL of the users' keys.

use super::signer::Order;
use crate::{error::Error, ledger::amount::Amount, wallet::chain::stored::place};
use alloy::primitives::Address;
use protocol::{ids::UserId, money::Usdt};
use sqlx::{PgConnection, PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

/// What everyone but the vault knows of a wallet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wallet {
    pub owner: UserId,
    pub address: Address,
    /// Grows with everything that moves on it.
    pub version: i64,
    pub created_at: OffsetDateTime,
}

/// A wallet as its row stands.
pub struct Sealed {
    pub id: Uuid,
    pub owner: UserId,
    pub address: Address,
    pub entropy: Vec<u8>,
    pub data_key: Vec<u8>,
    pub key_version: i32,
}

/// Versions and fingerprints, oldest first.
pub async fn master_keys(pool: &PgPool) -> Result<Vec<(i32, Vec<u8>)>, Error> {
    let rows = sqlx::query!("SELECT version, fingerprint FROM wallet.master_key ORDER BY version")
        .fetch_all(pool)
        .await?;
    Ok(rows.into_iter().map(|r| (r.version, r.fingerprint)).collect())
}

/// A new key takes over; of several nodes that begin at once the first one's stands.
pub async fn add_master_key(
    pool: &PgPool,
    version: i32,
    fingerprint: &[u8; 32],
    now: OffsetDateTime,
) -> Result<(), Error> {
    let mut tx = pool.begin().await?;
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('wallet.master_key', 0))")
        .execute(&mut *tx)
        .await?;
    sqlx::query!(
        "UPDATE wallet.master_key SET retired_at = $2 WHERE retired_at IS NULL AND version < $1",
        version,
        now
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "INSERT INTO wallet.master_key (version, fingerprint, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        version,
        fingerprint.as_slice(),
        now
    )
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(())
}

pub async fn sealed_by(pool: &PgPool, version: i32) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) AS "n!" FROM wallet.user_wallet WHERE key_version = $1 AND erased_at IS NULL"#,
        version
    )
    .fetch_one(pool)
    .await?)
}

/// Two first openings at once make one wallet.
pub async fn lock_making(conn: &mut PgConnection, user: UserId) -> Result<(), Error> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 17))",
        user.to_string()
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn wallet(db: impl PgExecutor<'_>, user: UserId) -> Result<Option<Wallet>, Error> {
    let row = sqlx::query!(
        "SELECT address, version, created_at FROM wallet.user_wallet WHERE owner = $1",
        user.0
    )
    .fetch_optional(db)
    .await?;
    row.map(|r| {
        Ok(Wallet {
            owner: user,
            address: place(&r.address)?,
            version: r.version,
            created_at: r.created_at,
        })
    })
    .transpose()
}

pub async fn insert(conn: &mut PgConnection, sealed: &Sealed, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO wallet.user_wallet (id, owner, address, entropy, data_key, key_version, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        sealed.id,
        sealed.owner.0,
        sealed.address.as_slice(),
        sealed.entropy,
        sealed.data_key,
        sealed.key_version,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn sealed(db: impl PgExecutor<'_>, user: UserId) -> Result<Option<Sealed>, Error> {
    let row = sqlx::query!(
        "SELECT id, address, entropy, data_key, key_version FROM wallet.user_wallet WHERE owner = $1 AND erased_at IS NULL",
        user.0
    )
    .fetch_optional(db)
    .await?;
    row.map(|r| {
        Ok(Sealed {
            id: r.id,
            owner: user,
            address: place(&r.address)?,
            entropy: r.entropy,
            data_key: r.data_key,
            key_version: r.key_version,
        })
    })
    .transpose()
}

/// Wallets under an older master key, locked; those that another process works on are passed over.
pub async fn lock_older(conn: &mut PgConnection, version: i32, most: i64) -> Result<Vec<Sealed>, Error> {
    let rows = sqlx::query!(
        "SELECT id, owner, address, entropy, data_key, key_version FROM wallet.user_wallet
         WHERE key_version < $1 AND erased_at IS NULL ORDER BY key_version, id LIMIT $2 FOR UPDATE SKIP LOCKED",
        version,
        most
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|r| {
            Ok(Sealed {
                id: r.id,
                owner: UserId(r.owner),
                address: place(&r.address)?,
                entropy: r.entropy,
                data_key: r.data_key,
                key_version: r.key_version,
            })
        })
        .collect()
}

pub async fn rewrap(
    conn: &mut PgConnection,
    id: Uuid,
    version: i32,
    data_key: &[u8],
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.user_wallet SET key_version = $2, data_key = $3, rewrapped_at = $4 WHERE id = $1",
        id,
        version,
        data_key,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// An open step of exactly this, locked: the one that was signed with this nonce, else one that was never signed, else any.
pub async fn lock_order(
    conn: &mut PgConnection,
    owner: UserId,
    digest: &[u8; 32],
    nonce: u64,
) -> Result<Option<Order>, Error> {
    let nonce = i64::try_from(nonce).unwrap_or(i64::MAX);
    let row = sqlx::query!(
        r#"SELECT id, nonce, price_most AS "price_most: Amount", usdt FROM wallet.user_step
           WHERE owner = $1 AND digest = $2 AND ended IS NULL
           ORDER BY (nonce = $3) IS TRUE DESC, nonce IS NULL DESC, created_at, position LIMIT 1 FOR UPDATE"#,
        owner.0,
        digest.as_slice(),
        nonce
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| Order {
        step: r.id,
        nonce: r.nonce.and_then(|n| u64::try_from(n).ok()),
        price_most: u128::try_from(r.price_most.0).unwrap_or(0),
        usdt: Usdt(r.usdt),
    }))
}

pub async fn signed(
    conn: &mut PgConnection,
    step: Uuid,
    nonce: u64,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.user_step SET nonce = $2, signed_at = coalesce(signed_at, $3) WHERE id = $1",
        step,
        i64::try_from(nonce).unwrap_or(i64::MAX),
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Worth of what was signed since then, beside this step.
pub async fn signed_since(
    conn: &mut PgConnection,
    owner: UserId,
    beside: Uuid,
    since: OffsetDateTime,
) -> Result<Usdt, Error> {
    let sum = sqlx::query_scalar!(
        r#"SELECT foundation.clamped(coalesce(sum(usdt), 0)) AS "sum!" FROM wallet.user_step WHERE owner = $1 AND signed_at > $3 AND id <> $2"#,
        owner.0,
        beside,
        since
    )
    .fetch_one(conn)
    .await?;
    Ok(Usdt(sum))
}

/// Nobody opens the wallets of these people any more. Their addresses stay.
pub async fn erase(conn: &mut PgConnection, people: &[UserId], now: OffsetDateTime) -> Result<(), Error> {
    let owners: Vec<Uuid> = people.iter().map(|person| person.0).collect();
    sqlx::query!(
        "UPDATE wallet.user_wallet SET entropy = '', data_key = '', erased_at = $2, version = version + 1
         WHERE owner = ANY($1) AND erased_at IS NULL",
        &owners,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}
