//! SQL of devices and of what waits for them.

use super::{PushDevice, plan::HOUR};
use crate::error::Error;
use protocol::{
    ids::{PushDeviceId, SessionId, UserId},
    money::Usdt,
};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// Two devices of a person are added one after the other.
pub async fn lock_owner(conn: &mut PgConnection, owner: UserId) -> Result<(), Error> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 210))",
        owner.to_string()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A person's devices in sessions that live, the oldest first.
pub async fn list(
    db: impl PgExecutor<'_>,
    owner: UserId,
    now: OffsetDateTime,
) -> Result<Vec<PushDevice>, Error> {
    Ok(sqlx::query_as!(
        PushDevice,
        r#"SELECT d.id AS "id: PushDeviceId", d.name, d.since, d.last_sent_at
           FROM notifications.push_device d JOIN identity.session s ON s.id = d.session
           WHERE d.owner = $1 AND s.ended_at IS NULL AND s.expires_at > $2 ORDER BY d.since, d.id"#,
        owner.0,
        now
    )
    .fetch_all(db)
    .await?)
}

/// Whether a person has one.
pub async fn has(db: impl PgExecutor<'_>, owner: UserId, now: OffsetDateTime) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM notifications.push_device d JOIN identity.session s ON s.id = d.session
                          WHERE d.owner = $1 AND s.ended_at IS NULL AND s.expires_at > $2) AS "has!""#,
        owner.0,
        now
    )
    .fetch_one(db)
    .await?)
}

/// A device as a browser tells of it.
pub struct Given<'a> {
    pub owner: UserId,
    pub session: SessionId,
    pub endpoint: &'a str,
    pub p256dh: &'a [u8],
    pub auth: &'a [u8],
    pub name: &'a str,
}

/// Whose an address is, held until the transaction ends.
pub async fn owner_of(conn: &mut PgConnection, endpoint: &str) -> Result<Option<UserId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT owner AS "owner: UserId" FROM notifications.push_device WHERE endpoint = $1 FOR UPDATE"#,
        endpoint
    )
    .fetch_optional(conn)
    .await?)
}

/// The address is another's no more.
pub async fn let_go(conn: &mut PgConnection, endpoint: &str) -> Result<(), Error> {
    sqlx::query!(
        "DELETE FROM notifications.push_device WHERE endpoint = $1",
        endpoint
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The same browser again: of the session that is there now, with the keys that it has now.
pub async fn renew(conn: &mut PgConnection, given: &Given<'_>) -> Result<Option<PushDevice>, Error> {
    Ok(sqlx::query_as!(
        PushDevice,
        r#"UPDATE notifications.push_device SET session = $3, p256dh = $4, auth = $5, name = $6
           WHERE endpoint = $1 AND owner = $2
           RETURNING id AS "id: PushDeviceId", name, since, last_sent_at"#,
        given.endpoint,
        given.owner.0,
        given.session.0,
        given.p256dh,
        given.auth,
        given.name
    )
    .fetch_optional(conn)
    .await?)
}

/// Another one; none where its address came to somebody in this moment.
pub async fn insert(
    conn: &mut PgConnection,
    given: &Given<'_>,
    now: OffsetDateTime,
) -> Result<Option<PushDevice>, Error> {
    Ok(sqlx::query_as!(
        PushDevice,
        r#"INSERT INTO notifications.push_device (id, owner, session, endpoint, p256dh, auth, name, since, hour_from)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) ON CONFLICT (endpoint) DO NOTHING
           RETURNING id AS "id: PushDeviceId", name, since, last_sent_at"#,
        PushDeviceId::fresh().0,
        given.owner.0,
        given.session.0,
        given.endpoint,
        given.p256dh,
        given.auth,
        given.name,
        now
    )
    .fetch_optional(conn)
    .await?)
}

/// Leaves so many of a person's devices, the newest; those that went. Those of sessions that are over go first, then the asking session's own
/// that it had before: whoever holds one session does not silence the others with devices that are none.
pub async fn leave_newest(
    conn: &mut PgConnection,
    newest: PushDeviceId,
    given: &Given<'_>,
    most: i64,
    now: OffsetDateTime,
) -> Result<Vec<Removed>, Error> {
    Ok(sqlx::query_as!(
        Removed,
        r#"DELETE FROM notifications.push_device g USING identity.session o WHERE o.id = g.session AND g.id IN (
             SELECT d.id FROM notifications.push_device d JOIN identity.session s ON s.id = d.session
             WHERE d.owner = $1
             ORDER BY d.id = $3 DESC, s.ended_at IS NULL AND s.expires_at > $5 DESC, d.session <> $4 DESC, d.since DESC, d.id DESC
             OFFSET $2)
           RETURNING g.id AS "id: PushDeviceId", g.name, g.session AS "session: SessionId",
               (o.ended_at IS NULL AND o.expires_at > $5) AS "heard!""#,
        given.owner.0,
        most,
        newest.0,
        given.session.0,
        now
    )
    .fetch_all(conn)
    .await?)
}

/// A device that was taken off.
pub struct Removed {
    pub id: PushDeviceId,
    pub name: String,
    pub session: SessionId,
    /// Its session lived: it was told things.
    pub heard: bool,
}

/// Takes a device off, if it is there.
pub async fn remove(
    conn: &mut PgConnection,
    owner: UserId,
    id: PushDeviceId,
    now: OffsetDateTime,
) -> Result<Option<Removed>, Error> {
    Ok(sqlx::query_as!(
        Removed,
        r#"DELETE FROM notifications.push_device d USING identity.session s
           WHERE d.id = $1 AND d.owner = $2 AND s.id = d.session
           RETURNING d.id AS "id: PushDeviceId", d.name, d.session AS "session: SessionId",
               (s.ended_at IS NULL AND s.expires_at > $3) AS "heard!""#,
        id.0,
        owner.0,
        now
    )
    .fetch_optional(conn)
    .await?)
}

/// Where a try goes, its moment noted; none for a device that was tried since then.
pub async fn begin_try(
    db: impl PgExecutor<'_>,
    owner: UserId,
    id: PushDeviceId,
    since: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<Option<Address>, Error> {
    Ok(sqlx::query_as!(
        Address,
        "UPDATE notifications.push_device SET tried_at = $4
         WHERE id = $1 AND owner = $2 AND (tried_at IS NULL OR tried_at <= $3) RETURNING endpoint, p256dh, auth",
        id.0,
        owner.0,
        since,
        now
    )
    .fetch_optional(db)
    .await?)
}

/// Where something is sent, and for whom it is sealed.
#[derive(Clone, Debug)]
pub struct Address {
    pub endpoint: String,
    pub p256dh: Vec<u8>,
    pub auth: Vec<u8>,
}

/// Lines that were written, to the devices of their owners who want them there; how many wait. One that is said again waits again, no longer than it
/// would have.
pub async fn add(
    conn: &mut PgConnection,
    lines: &[Uuid],
    owners: &[Uuid],
    topics: &[String],
    due: &[OffsetDateTime],
    now: OffsetDateTime,
) -> Result<u64, Error> {
    let done = sqlx::query!(
        "INSERT INTO notifications.push (device, line, at, due_at)
         SELECT d.id, n.line, $5::timestamptz, n.due
         FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[]) AS n (line, owner, topic, due)
         JOIN notifications.push_device d ON d.owner = n.owner
         WHERE NOT EXISTS (SELECT FROM notifications.quiet q WHERE q.owner = n.owner AND q.channel = 'push' AND q.topic = n.topic)
         ON CONFLICT (device, line) DO UPDATE
             SET at = EXCLUDED.at, due_at = LEAST(push.due_at, EXCLUDED.due_at), attempts = 0, together = NULL",
        lines,
        owners,
        topics,
        due,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// What waits of these codes for these people is not told. What is being sent is not waited for.
pub async fn here(db: impl PgExecutor<'_>, people: &[UserId], codes: &[String]) -> Result<(), Error> {
    let people: Vec<Uuid> = people.iter().map(|person| person.0).collect();
    sqlx::query!(
        "DELETE FROM notifications.push WHERE (device, line) IN (
             SELECT p.device, p.line FROM notifications.push p
             JOIN notifications.push_device d ON d.id = p.device JOIN notifications.line l ON l.id = p.line
             WHERE d.owner = ANY($1) AND l.code = ANY($2) FOR UPDATE OF p SKIP LOCKED)",
        &people,
        codes
    )
    .execute(db)
    .await?;
    Ok(())
}

/// What waits of these codes is not told: its reader wants it no more.
pub async fn forget(conn: &mut PgConnection, owner: UserId, codes: &[String]) -> Result<(), Error> {
    sqlx::query!(
        "DELETE FROM notifications.push p USING notifications.push_device d, notifications.line l
         WHERE d.owner = $1 AND p.device = d.id AND l.id = p.line AND l.code = ANY($2)",
        owner.0,
        codes
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A line that was taken to be sent to a device.
pub struct Taken {
    pub device: Uuid,
    pub line: Uuid,
    pub at: OffsetDateTime,
    /// How often its service was asked and did not say when.
    pub attempts: i32,
    pub together: Option<bool>,
}

/// Takes all that is due of devices that are among those that wait longest, and is nobody else's, until then. However much waits, a few
/// hundred rows are looked at for it.
pub async fn take(
    db: impl PgExecutor<'_>,
    devices: i64,
    now: OffsetDateTime,
    until: OffsetDateTime,
) -> Result<Vec<Taken>, Error> {
    Ok(sqlx::query_as!(
        Taken,
        "WITH waiting AS (
             SELECT DISTINCT device FROM (
                 SELECT device FROM notifications.push WHERE due_at <= $1 ORDER BY due_at LIMIT $2::bigint * 10) first
             LIMIT $2),
         due AS (
             SELECT p.device, p.line FROM notifications.push p
             WHERE p.due_at <= $1 AND p.device IN (SELECT device FROM waiting) FOR UPDATE OF p SKIP LOCKED)
         UPDATE notifications.push p SET due_at = $3
         FROM due WHERE p.device = due.device AND p.line = due.line
         RETURNING p.device, p.line, p.at, p.attempts, p.together",
        now,
        devices,
        until
    )
    .fetch_all(db)
    .await?)
}

/// A device with what is needed of its owner.
pub struct Device {
    pub id: Uuid,
    pub endpoint: String,
    pub p256dh: Vec<u8>,
    pub auth: Vec<u8>,
    pub hour_from: OffsetDateTime,
    pub hour_sent: i32,
    pub locale: String,
    pub time_zone: Option<String>,
    pub quiet_from: Option<i16>,
    pub quiet_until: Option<i16>,
}

/// Those of these that may be told something: their session lives, and the account is active.
pub async fn devices(
    db: impl PgExecutor<'_>,
    ids: &[Uuid],
    now: OffsetDateTime,
) -> Result<Vec<Device>, Error> {
    Ok(sqlx::query_as!(
        Device,
        "SELECT d.id, d.endpoint, d.p256dh, d.auth, d.hour_from, d.hour_sent, a.locale, a.time_zone, a.quiet_from, a.quiet_until
         FROM notifications.push_device d JOIN identity.session s ON s.id = d.session JOIN identity.account a ON a.id = d.owner
         WHERE d.id = ANY($1) AND s.ended_at IS NULL AND s.expires_at > $2 AND a.status = 'active'",
        ids,
        now
    )
    .fetch_all(db)
    .await?)
}

/// A line of the inbox.
pub struct Told {
    pub id: Uuid,
    pub code: String,
    pub params: serde_json::Value,
    pub amount: Option<Usdt>,
    pub at: OffsetDateTime,
    pub read: bool,
}

pub async fn lines(db: impl PgExecutor<'_>, ids: &[Uuid]) -> Result<Vec<Told>, Error> {
    Ok(sqlx::query_as!(
        Told,
        r#"SELECT id, code, params, amount AS "amount: Usdt", at, read_at IS NOT NULL AS "read!"
           FROM notifications.line WHERE id = ANY($1)"#,
        ids
    )
    .fetch_all(db)
    .await?)
}

/// How it is told is kept before it is: a second try is the same message.
pub async fn decide(
    db: impl PgExecutor<'_>,
    devices: &[Uuid],
    lines: &[Uuid],
    together: &[bool],
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE notifications.push p SET together = n.together
         FROM unnest($1::uuid[], $2::uuid[], $3::bool[]) AS n (device, line, together)
         WHERE p.device = n.device AND p.line = n.line AND p.together IS DISTINCT FROM n.together",
        devices,
        lines,
        together
    )
    .execute(db)
    .await?;
    Ok(())
}

/// What was told, or never is: it goes, unless it was said again meanwhile. Who waits for another here would wait for a mark alone: what is held
/// comes again.
pub async fn done(
    conn: &mut PgConnection,
    devices: &[Uuid],
    lines: &[Uuid],
    said: &[OffsetDateTime],
) -> Result<(), Error> {
    sqlx::query!(
        "DELETE FROM notifications.push WHERE (device, line) IN (
             SELECT p.device, p.line FROM notifications.push p
             JOIN unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS n (device, line, at)
               ON p.device = n.device AND p.line = n.line AND p.at = n.at
             FOR UPDATE OF p SKIP LOCKED)",
        devices,
        lines,
        said
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// By row: until when, how it was told where it may have been, and whether that was a try.
#[derive(Clone, Copy)]
pub struct Off<'a> {
    pub until: &'a [OffsetDateTime],
    pub together: &'a [Option<bool>],
    pub tried: &'a [bool],
}

/// What is told later, unless it was said again meanwhile; what may have been told already keeps how.
pub async fn put_off(
    conn: &mut PgConnection,
    devices: &[Uuid],
    lines: &[Uuid],
    said: &[OffsetDateTime],
    off: Off<'_>,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE notifications.push p SET due_at = n.until, together = n.together, attempts = p.attempts + n.tried::int
         FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::bool[], $6::bool[])
             AS n (device, line, at, until, together, tried)
         WHERE p.device = n.device AND p.line = n.line AND p.at = n.at
           AND (p.device, p.line) IN (SELECT device, line FROM notifications.push WHERE device = ANY($1) FOR UPDATE SKIP LOCKED)",
        devices,
        lines,
        said,
        off.until,
        off.together as &[Option<bool>],
        off.tried
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// So many messages went to these devices. One that is being changed is not waited for.
pub async fn sent(
    db: impl PgExecutor<'_>,
    devices: &[Uuid],
    counts: &[i32],
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE notifications.push_device d SET last_sent_at = $3,
             hour_sent = n.count + CASE WHEN d.hour_from > $4 THEN d.hour_sent ELSE 0 END,
             hour_from = CASE WHEN d.hour_from > $4 THEN d.hour_from ELSE $3 END
         FROM unnest($1::uuid[], $2::int[]) AS n (device, count)
         WHERE d.id = n.device AND d.id IN (SELECT id FROM notifications.push_device WHERE id = ANY($1) FOR UPDATE SKIP LOCKED)",
        devices,
        counts,
        now,
        now - HOUR
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Their services say that there are no such devices any more; those that are known by the same address still.
pub async fn gone(conn: &mut PgConnection, devices: &[Uuid], endpoints: &[String]) -> Result<(), Error> {
    sqlx::query!(
        "DELETE FROM notifications.push_device WHERE id IN (
             SELECT d.id FROM notifications.push_device d JOIN unnest($1::uuid[], $2::text[]) AS n (id, endpoint)
               ON d.id = n.id AND d.endpoint = n.endpoint FOR UPDATE OF d SKIP LOCKED)",
        devices,
        endpoints
    )
    .execute(conn)
    .await?;
    Ok(())
}
