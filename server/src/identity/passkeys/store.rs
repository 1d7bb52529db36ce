//! SQL of passkeys and their challenges.

use super::Ask;
use crate::error::Error;
use protocol::ids::{PasskeyId, UserId};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// A passkey as it stands.
pub struct Stored {
    pub id: PasskeyId,
    pub credential: Vec<u8>,
    pub transports: Vec<String>,
    pub backed_up: bool,
    pub name: String,
    pub created_at: OffsetDateTime,
    pub last_used_at: Option<OffsetDateTime>,
    pub doubted_at: Option<OffsetDateTime>,
    pub aside_at: Option<OffsetDateTime>,
    pub returns_at: Option<OffsetDateTime>,
}

/// Somebody's passkeys, the oldest first.
pub async fn of(db: impl PgExecutor<'_>, account: UserId) -> Result<Vec<Stored>, Error> {
    Ok(sqlx::query_as!(
        Stored,
        r#"SELECT id AS "id: PasskeyId", credential, transports, backed_up, name, created_at, last_used_at, doubted_at,
                  aside_at, returns_at
           FROM identity.passkey WHERE account = $1 ORDER BY created_at, id"#,
        account.0
    )
    .fetch_all(db)
    .await?)
}

/// By what authenticators know an account; this, where there is none yet.
pub async fn handle(
    conn: &mut PgConnection,
    account: UserId,
    fresh: &[u8],
    now: OffsetDateTime,
) -> Result<Vec<u8>, Error> {
    sqlx::query!(
        "INSERT INTO identity.passkey_handle (account, handle, made_at) VALUES ($1, $2, $3) ON CONFLICT (account) DO NOTHING",
        account.0,
        fresh,
        now
    )
    .execute(&mut *conn)
    .await?;
    Ok(sqlx::query_scalar!(
        "SELECT handle FROM identity.passkey_handle WHERE account = $1",
        account.0
    )
    .fetch_one(conn)
    .await?)
}

/// A passkey that was made.
pub struct New<'a> {
    pub id: PasskeyId,
    pub account: UserId,
    pub credential: &'a [u8],
    pub public_key: &'a [u8],
    pub count: u32,
    pub transports: &'a [String],
    pub eligible: bool,
    pub backed_up: bool,
    pub name: &'a str,
}

/// `false` when there is one of this name already, whosever it is.
pub async fn insert(conn: &mut PgConnection, new: &New<'_>, now: OffsetDateTime) -> Result<bool, Error> {
    let done = sqlx::query!(
        "INSERT INTO identity.passkey (id, account, credential, public_key, sign_count, transports, backup_eligible, backed_up, name, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (credential) DO NOTHING",
        new.id.0,
        new.account.0,
        new.credential,
        new.public_key,
        i64::from(new.count),
        new.transports,
        new.eligible,
        new.backed_up,
        new.name,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// `false` when it is none of theirs.
pub async fn rename(
    db: impl PgExecutor<'_>,
    account: UserId,
    id: PasskeyId,
    name: &str,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE identity.passkey SET name = $3 WHERE id = $2 AND account = $1",
        account.0,
        id.0,
        name
    )
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// `false` when it is none of theirs.
pub async fn remove(conn: &mut PgConnection, account: UserId, id: PasskeyId) -> Result<bool, Error> {
    let done = sqlx::query!(
        "DELETE FROM identity.passkey WHERE id = $2 AND account = $1",
        account.0,
        id.0
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Takes off all of an account's.
pub async fn remove_all(conn: &mut PgConnection, account: UserId) -> Result<(), Error> {
    sqlx::query!("DELETE FROM identity.passkey WHERE account = $1", account.0)
        .execute(conn)
        .await?;
    Ok(())
}

/// Puts all aside, and again those that lie there. How many.
pub async fn put_aside(conn: &mut PgConnection, account: UserId, now: OffsetDateTime) -> Result<u64, Error> {
    let done = sqlx::query!(
        "UPDATE identity.passkey SET aside_at = $2, returns_at = NULL WHERE account = $1",
        account.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Another password was set: what lies aside may come back.
pub async fn let_return(conn: &mut PgConnection, account: UserId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.passkey SET returns_at = $2 WHERE account = $1 AND aside_at IS NOT NULL AND returns_at IS NULL",
        account.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// By what authenticators knew a closed account.
pub async fn drop_handle(conn: &mut PgConnection, account: UserId) -> Result<(), Error> {
    sqlx::query!(
        "DELETE FROM identity.passkey_handle WHERE account = $1",
        account.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whose passkey it is.
pub async fn owner(db: impl PgExecutor<'_>, credential: &[u8]) -> Result<Option<UserId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT account AS "account: UserId" FROM identity.passkey WHERE credential = $1"#,
        credential
    )
    .fetch_optional(db)
    .await?)
}

/// A passkey that is being shown.
pub struct Held {
    pub id: PasskeyId,
    pub handle: Vec<u8>,
    pub public_key: Vec<u8>,
    pub sign_count: i64,
    pub backup_eligible: bool,
    pub aside_at: Option<OffsetDateTime>,
    pub returns_at: Option<OffsetDateTime>,
}

/// An account's passkey that opens something, with its row locked: what it shows is judged one after another.
pub async fn held(
    conn: &mut PgConnection,
    account: UserId,
    credential: &[u8],
) -> Result<Option<Held>, Error> {
    Ok(sqlx::query_as!(
        Held,
        r#"SELECT p.id AS "id: PasskeyId", h.handle, p.public_key, p.sign_count, p.backup_eligible, p.aside_at, p.returns_at
           FROM identity.passkey p JOIN identity.passkey_handle h ON h.account = p.account
           WHERE p.credential = $2 AND p.account = $1 AND p.doubted_at IS NULL FOR UPDATE OF p"#,
        account.0,
        credential
    )
    .fetch_optional(conn)
    .await?)
}

/// It opened something: it lies aside no longer. An answer that another one overtook does not set the count back.
pub async fn note_use(
    conn: &mut PgConnection,
    id: PasskeyId,
    count: u32,
    backed_up: bool,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.passkey SET sign_count = GREATEST(sign_count, $2), backed_up = $3, last_used_at = $4, aside_at = NULL, returns_at = NULL
         WHERE id = $1",
        id.0,
        i64::from(count),
        backed_up,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What a passkey's answers counted since a moment: the count that stood before the first of them, if there are any, and whether one of them
/// had this count.
pub async fn counted_since(
    conn: &mut PgConnection,
    id: PasskeyId,
    since: OffsetDateTime,
    count: u32,
) -> Result<(Option<i64>, bool), Error> {
    let found = sqlx::query!(
        r#"SELECT min(counted_before) AS before, COALESCE(bool_or(counted = $3), false) AS "again!"
           FROM identity.passkey_challenge WHERE passkey = $1 AND used_at > $2"#,
        id.0,
        since,
        i64::from(count)
    )
    .fetch_one(conn)
    .await?;
    Ok((found.before, found.again))
}

/// Which passkey answered a challenge, and what it counted.
pub async fn note_answer(
    conn: &mut PgConnection,
    challenge: Uuid,
    id: PasskeyId,
    before: i64,
    count: u32,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.passkey_challenge SET passkey = $2, counted_before = $3, counted = $4 WHERE id = $1",
        challenge,
        id.0,
        before,
        i64::from(count)
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn doubt(conn: &mut PgConnection, id: PasskeyId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.passkey SET doubted_at = $2 WHERE id = $1",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn ask(
    conn: &mut PgConnection,
    digest: &[u8],
    ask: Ask<'_>,
    now: OffsetDateTime,
    expires_at: OffsetDateTime,
) -> Result<(), Error> {
    let bound = ask.bound();
    sqlx::query!(
        "INSERT INTO identity.passkey_challenge (id, digest, purpose, account, session, step, action, binding, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        Uuid::now_v7(),
        digest,
        ask.as_str(),
        ask.account().map(|user| user.0),
        ask.session().map(|session| session.0),
        ask.step(),
        bound.map(|(action, _)| action),
        bound.map(|(_, binding)| binding),
        now,
        expires_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A challenge that was answered.
pub struct Answered {
    pub id: Uuid,
    /// When it was asked.
    pub created_at: OffsetDateTime,
}

/// Uses a challenge up, if it was made for this and waits. What is confirmed is the challenge's own.
pub async fn answer(
    conn: &mut PgConnection,
    digest: &[u8],
    ask: Ask<'_>,
    now: OffsetDateTime,
) -> Result<Option<Answered>, Error> {
    Ok(sqlx::query_as!(
        Answered,
        "UPDATE identity.passkey_challenge SET used_at = $6
         WHERE digest = $1 AND purpose = $2 AND account IS NOT DISTINCT FROM $3 AND session IS NOT DISTINCT FROM $4
           AND step IS NOT DISTINCT FROM $5 AND used_at IS NULL AND expires_at > $6 RETURNING id, created_at",
        digest,
        ask.as_str(),
        ask.account().map(|user| user.0),
        ask.session().map(|session| session.0),
        ask.step(),
        now
    )
    .fetch_optional(conn)
    .await?)
}

/// What was proved with an answered challenge, hashed.
pub async fn keep_proof(conn: &mut PgConnection, challenge: Uuid, proof: &[u8]) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.passkey_challenge SET proof = $2 WHERE id = $1",
        challenge,
        proof
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The challenge whose answer this proves, made for this, and whether the proof was spent.
pub async fn proved(
    db: impl PgExecutor<'_>,
    proof: &[u8],
    ask: Ask<'_>,
    now: OffsetDateTime,
) -> Result<Option<(Uuid, bool)>, Error> {
    let bound = ask.bound();
    let found = sqlx::query!(
        r#"SELECT id, spent_at IS NOT NULL AS "spent!" FROM identity.passkey_challenge
           WHERE proof = $1 AND account = $2 AND session = $3 AND action = $4 AND binding = $5 AND expires_at > $6"#,
        proof,
        ask.account().map(|user| user.0),
        ask.session().map(|session| session.0),
        bound.map(|(action, _)| action),
        bound.map(|(_, binding)| binding),
        now
    )
    .fetch_optional(db)
    .await?;
    Ok(found.map(|row| (row.id, row.spent)))
}

/// `false` when it was spent, or its time is over.
pub async fn spend(conn: &mut PgConnection, challenge: Uuid, now: OffsetDateTime) -> Result<bool, Error> {
    // The account's row first, as whoever ends what waits has it: a freeze must not meet what it ends in the other order.
    let done = sqlx::query!(
        "WITH held AS MATERIALIZED (
             SELECT c.id FROM identity.passkey_challenge c JOIN identity.account a ON a.id = c.account WHERE c.id = $1 FOR KEY SHARE OF a)
         UPDATE identity.passkey_challenge p SET spent_at = $2 FROM held
         WHERE p.id = held.id AND p.proof IS NOT NULL AND p.spent_at IS NULL AND p.expires_at > $2",
        challenge,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends what waits, and what was proved and not used yet.
pub async fn end_open(conn: &mut PgConnection, account: UserId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.passkey_challenge SET used_at = COALESCE(used_at, $2), spent_at = CASE WHEN proof IS NULL THEN spent_at ELSE $2 END
         WHERE account = $1 AND (used_at IS NULL OR (proof IS NOT NULL AND spent_at IS NULL))",
        account.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn prune(db: impl PgExecutor<'_>, before: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "DELETE FROM identity.passkey_challenge WHERE expires_at < $1",
        before
    )
    .execute(db)
    .await?;
    Ok(())
}
