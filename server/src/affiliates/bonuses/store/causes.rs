//! SQL of causes: what happened that bonuses follow from, in its order, and the highest N that rises are measured by.

use crate::error::Error;
use protocol::{
    ids::{LicenceId, UserId},
    money::Usdt,
};
use sqlx::PgConnection;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// A rise of a member's N, and what of it has not been undone.
#[derive(Clone, Copy, Debug)]
pub struct Rise {
    pub id: Uuid,
    pub standing: Usdt,
}

/// A member's rises since a moment, newest first.
pub async fn rises(
    conn: &mut PgConnection,
    member: UserId,
    since: OffsetDateTime,
) -> Result<Vec<Rise>, Error> {
    let rows = sqlx::query!(
        r#"SELECT id, base - undone AS "standing!" FROM affiliates.cause
           WHERE member = $1 AND kind = 'allocation' AND at >= $2 AND undone < base ORDER BY seq DESC"#,
        member.0,
        since
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| Rise {
            id: r.id,
            standing: Usdt(r.standing),
        })
        .collect())
}

pub async fn undo_rises(conn: &mut PgConnection, undone: &[(Uuid, Usdt)]) -> Result<(), Error> {
    let ids: Vec<Uuid> = undone.iter().map(|(id, _)| *id).collect();
    let parts: Vec<i64> = undone.iter().map(|(_, part)| part.0).collect();
    sqlx::query!(
        "UPDATE affiliates.cause c SET undone = c.undone + n.part FROM unnest($1::uuid[], $2::bigint[]) AS n(id, part) WHERE c.id = n.id",
        &ids,
        &parts
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Something was taken back of which bonuses had followed.
#[derive(Clone, Copy, Debug)]
pub struct Undoing {
    pub id: Uuid,
    pub member: UserId,
    /// A sale; none: capital.
    pub licence: Option<LicenceId>,
    pub base: Usdt,
    pub business_day: Date,
    /// When the credit came that is taken back.
    pub since: OffsetDateTime,
    pub losses: &'static str,
}

/// `false` when it was noted before.
pub async fn undo(conn: &mut PgConnection, cause: &Undoing, now: OffsetDateTime) -> Result<bool, Error> {
    let done = sqlx::query!(
        "INSERT INTO affiliates.cause (id, kind, member, licence, base, business_day, at, since, losses)
         VALUES ($1, 'reversal', $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
        cause.id,
        cause.member.0,
        cause.licence.map(|l| l.0),
        cause.base.0,
        cause.business_day,
        now,
        cause.since,
        cause.losses
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// A member's N rose beyond its highest so far.
#[derive(Clone, Copy, Debug)]
pub struct NewRise {
    pub id: Uuid,
    pub member: UserId,
    pub licence: LicenceId,
    /// What N is now.
    pub peak: Usdt,
    pub risen: Usdt,
    pub business_day: Date,
}

/// Stores the new highest of a peak that is held, and the cause of its level bonuses.
pub async fn rise(conn: &mut PgConnection, rise: &NewRise, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "WITH peak AS (UPDATE affiliates.peak SET peak = $1, updated_at = $2 WHERE member = $3)
         INSERT INTO affiliates.cause (id, kind, member, licence, base, business_day, at, young_until)
         VALUES ($4, 'allocation', $3, $5, $6, $7, $2, approvals.young_until($3, $2))",
        rise.peak.0,
        now,
        rise.member.0,
        rise.id,
        rise.licence.0,
        rise.risen.0,
        rise.business_day
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A cause that is not worked off yet.
#[derive(Clone, Debug)]
pub struct Cause {
    pub seq: i64,
    pub id: Uuid,
    pub kind: String,
    pub member: UserId,
    pub licence: Option<LicenceId>,
    pub base: Usdt,
    pub business_day: Date,
    pub young_until: Option<OffsetDateTime>,
    pub since: Option<OffsetDateTime>,
    pub losses: Option<String>,
}

/// The next causes, in the order in which they happened. Read under the fund's lock.
pub async fn pending(conn: &mut PgConnection, most: i64) -> Result<Vec<Cause>, Error> {
    let rows = sqlx::query!(
        r#"SELECT seq, id, kind, member AS "member: UserId", licence AS "licence: LicenceId", base, business_day, young_until, since, losses
           FROM affiliates.cause WHERE booked_at IS NULL ORDER BY seq LIMIT $1"#,
        most
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| Cause {
            seq: r.seq,
            id: r.id,
            kind: r.kind,
            member: r.member,
            licence: r.licence,
            base: Usdt(r.base),
            business_day: r.business_day,
            young_until: r.young_until,
            since: r.since,
            losses: r.losses,
        })
        .collect())
}

pub async fn worked_off(conn: &mut PgConnection, causes: &[i64], now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.cause SET booked_at = $2 WHERE seq = ANY($1)",
        causes,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A member's highest N so far; others who raise it wait.
pub async fn lock_peak(conn: &mut PgConnection, member: UserId, now: OffsetDateTime) -> Result<Usdt, Error> {
    let peak = sqlx::query_scalar!(r#"SELECT affiliates.lock_peak($1, $2) AS "peak!""#, member.0, now)
        .fetch_one(conn)
        .await?;
    Ok(Usdt(peak))
}

pub async fn save_peak(
    conn: &mut PgConnection,
    member: UserId,
    peak: Usdt,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.peak SET peak = $2, updated_at = $3 WHERE member = $1",
        member.0,
        peak.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}
