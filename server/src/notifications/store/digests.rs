//! SQL of the daily digests.

use crate::{error::Error, foundation::mail::Summed};
use protocol::{ids::UserId, money::Usdt};
use sqlx::{PgConnection, PgExecutor};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// How far somebody's digests have come.
pub struct Told {
    pub owner: UserId,
    pub told_day: Date,
    pub told_at: OffsetDateTime,
}

/// Whose morning has come.
pub struct Due {
    pub owner: UserId,
    /// The first morning that is not told: this one, unless an earlier one could not be.
    pub morning: OffsetDateTime,
    /// An earlier one could not be.
    pub again: bool,
    pub zone: Option<String>,
}

pub async fn has(db: impl PgExecutor<'_>, owner: UserId) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM notifications.digest WHERE owner = $1) AS "has!""#,
        owner.0
    )
    .fetch_one(db)
    .await?)
}

/// Begins digests; those that are under way go on.
pub async fn begin(conn: &mut PgConnection, told: &Told, next_at: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO notifications.digest (owner, told_day, told_at, next_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        told.owner.0,
        told.told_day,
        told.told_at,
        next_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn end(conn: &mut PgConnection, owner: UserId) -> Result<(), Error> {
    sqlx::query!("DELETE FROM notifications.digest WHERE owner = $1", owner.0)
        .execute(conn)
        .await?;
    Ok(())
}

/// At most so many whose morning has come and whom nobody else has, held until the transaction ends. In the order of their index.
pub async fn due(conn: &mut PgConnection, now: OffsetDateTime, most: i64) -> Result<Vec<Due>, Error> {
    Ok(sqlx::query_as!(
        Due,
        r#"SELECT d.owner AS "owner: UserId", COALESCE(d.untold, d.next_at) AS "morning!", d.untold IS NOT NULL AS "again!",
                  a.time_zone AS "zone?"
           FROM notifications.digest d LEFT JOIN identity.account a ON a.id = d.owner
           WHERE d.next_at <= $1 ORDER BY d.next_at, d.owner LIMIT $2 FOR UPDATE OF d SKIP LOCKED"#,
        now,
        most
    )
    .fetch_all(conn)
    .await?)
}

/// Their mornings have jobs; when each next one is.
pub async fn handed_out(
    conn: &mut PgConnection,
    owners: &[Uuid],
    next: &[OffsetDateTime],
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE notifications.digest d SET untold = COALESCE(d.untold, d.next_at), next_at = n.next_at
         FROM unnest($1::uuid[], $2::timestamptz[]) AS n(owner, next_at) WHERE d.owner = n.owner",
        owners,
        next
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// How far somebody has been told whose morning is to be, the row held until the transaction ends; none where it was told, or they want none any more.
pub async fn untold(conn: &mut PgConnection, owner: UserId) -> Result<Option<Told>, Error> {
    Ok(sqlx::query_as!(
        Told,
        r#"SELECT owner AS "owner: UserId", told_day, told_at FROM notifications.digest
           WHERE owner = $1 AND untold IS NOT NULL FOR UPDATE"#,
        owner.0
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn told(conn: &mut PgConnection, told: &Told) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE notifications.digest SET told_day = $2, told_at = $3, untold = NULL WHERE owner = $1",
        told.owner.0,
        told.told_day,
        told.told_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What settlements made of somebody's money on the days between, by mode.
pub async fn robots_between(conn: &mut PgConnection, from: &Told, to: &Told) -> Result<Vec<Summed>, Error> {
    Ok(sqlx::query_as!(
        Summed,
        r#"SELECT 'robots_' || mode AS "what!", foundation.clamped(sum(settlements)) AS "count!",
                  foundation.clamped(sum(net)) AS "usdt!: Usdt"
           FROM robots.day_settled WHERE owner = $1 AND day > $2 AND day <= $3 GROUP BY mode ORDER BY mode"#,
        from.owner.0,
        from.told_day,
        to.told_day
    )
    .fetch_all(conn)
    .await?)
}

/// Bonuses by their kind, and shares of pools, as they were posted to somebody's accounts in between. A closing posts those of a kind together:
/// its transfers' keys name the kind. An account's history is read from its end, back to where it was told: moments go up with its versions, but for
/// the length of a transaction, and an hour is more than that.
pub async fn booked_between(conn: &mut PgConnection, from: &Told, to: &Told) -> Result<Vec<Summed>, Error> {
    Ok(sqlx::query_as!(
        Summed,
        r#"SELECT COALESCE('bonus_' || b.kind, CASE WHEN t.kind = 'bonus' AND t.cause_kind = 'closing' THEN 'bonus_' || split_part(t.key, ':', 3) END, t.kind) AS "what!",
                  count(*) AS "count!",
                  foundation.clamped(sum(p.amount)) AS "usdt!: Usdt"
           FROM ledger.account a
           LEFT JOIN LATERAL (SELECT q.version FROM ledger.posting q JOIN ledger.transfer o ON o.id = q.transfer
                              WHERE q.account = a.id AND o.at < $2::timestamptz - interval '1 hour'
                              ORDER BY q.version DESC LIMIT 1) old ON true
           JOIN ledger.posting p ON p.account = a.id AND p.version > COALESCE(old.version, 0)
           JOIN ledger.transfer t ON t.id = p.transfer
           LEFT JOIN affiliates.bonus b ON t.kind = 'bonus' AND b.id = t.cause
           WHERE a.owner = $1 AND a.name IN ('available', 'bonus') AND a.currency = 'USDT'
             AND t.kind IN ('bonus', 'pool_revenue') AND t.at > $2 AND t.at <= $3
           GROUP BY 1 ORDER BY 1"#,
        from.owner.0,
        from.told_at,
        to.told_at
    )
    .fetch_all(conn)
    .await?)
}
