//! SQL of bonuses: the fund, ceilings, the rows themselves; causes and what bonuses are worth now have files of their own.

mod causes;
mod worth;

pub use causes::{
    Cause, NewRise, Undoing, lock_peak, pending, rise, rises, save_peak, undo, undo_rises, worked_off,
};
pub use worth::{BookedBonus, of_review, of_sale, of_undone_rises, take_back};

use super::{ceiling::Room, facts::Upline};
use crate::{
    affiliates::model::{Bonus, NewBonus},
    error::Error,
};
use protocol::{
    ids::{BonusId, LicenceId, UserId},
    money::Usdt,
    views::{BonusCause, BonusKind, LostReason},
};
use sqlx::{PgConnection, PgExecutor};
use std::collections::{HashMap, HashSet};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// What the network fund's queue waits for. Held until the change ends: whoever pays bonuses, or takes them back, comes here first.
pub async fn lock_fund(conn: &mut PgConnection) -> Result<Usdt, Error> {
    let waiting =
        sqlx::query_scalar!("SELECT waiting FROM affiliates.fund WHERE name = 'network_fund' FOR UPDATE")
            .fetch_one(conn)
            .await?;
    Ok(Usdt(waiting))
}

pub async fn save_fund(conn: &mut PgConnection, waiting: Usdt) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.fund SET waiting = $1 WHERE name = 'network_fund' AND waiting <> $1",
        waiting.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Which of these members are active: an active person with an active licence.
pub async fn active(conn: &mut PgConnection, members: &[Uuid]) -> Result<HashSet<UserId>, Error> {
    let active = sqlx::query_scalar!(
        r#"SELECT a.id AS "id: UserId" FROM identity.account a
           WHERE a.id = ANY($1) AND a.status = 'active'
             AND EXISTS (SELECT FROM affiliates.member_licence l WHERE l.member = a.id AND l.active)"#,
        members
    )
    .fetch_all(conn)
    .await?;
    Ok(active.into_iter().collect())
}

/// Which of these members have closed their accounts. Ask it behind the locks of their ledger's accounts: who closes takes them too.
pub async fn closed(conn: &mut PgConnection, members: &[Uuid]) -> Result<HashSet<UserId>, Error> {
    let closed = sqlx::query_scalar!(
        r#"SELECT id AS "id: UserId" FROM identity.account WHERE id = ANY($1) AND status = 'closed'"#,
        members
    )
    .fetch_all(conn)
    .await?;
    Ok(closed.into_iter().collect())
}

/// Who stands above these members in the sponsor tree, up to so many steps, nearest first. The house earns nothing and is left out.
pub async fn uplines(
    conn: &mut PgConnection,
    members: &[Uuid],
    steps: i16,
    house: UserId,
) -> Result<HashMap<UserId, Vec<Upline>>, Error> {
    let rows = sqlx::query!(
        r#"WITH RECURSIVE up AS (
               SELECT m.id AS source, m.sponsor AS member, 1::smallint AS level FROM affiliates.member m WHERE m.id = ANY($1)
               UNION ALL
               SELECT up.source, m.sponsor, (up.level + 1)::smallint FROM up JOIN affiliates.member m ON m.id = up.member
               WHERE up.level < $2)
           SELECT source AS "source!: UserId", member AS "member!: UserId", level AS "level!"
           FROM up WHERE member IS NOT NULL AND member <> $3 ORDER BY source, level"#,
        members,
        steps,
        house.0
    )
    .fetch_all(conn)
    .await?;
    let mut uplines: HashMap<UserId, Vec<Upline>> = HashMap::new();
    for row in rows {
        uplines.entry(row.source).or_default().push(Upline {
            member: row.member,
            level: row.level,
            active: false,
        });
    }
    Ok(uplines)
}

/// What the ceilings of these members' active licences leave, oldest licence first. Each member is given once.
pub async fn rooms(conn: &mut PgConnection, members: &[Uuid]) -> Result<HashMap<UserId, Vec<Room>>, Error> {
    // Each by itself (LATERAL, OFFSET 0): for some thousand members the database read the ceilings of everybody.
    let rows = sqlx::query!(
        r#"SELECT c.member AS "member!: UserId", c.licence AS "licence!: LicenceId", c.ceiling - c.used AS "left!"
           FROM unnest($1::uuid[]) AS m(id)
           CROSS JOIN LATERAL (
               SELECT n.member, n.licence, n.ceiling, n.used, n.since FROM affiliates.network_ceiling n
               WHERE n.member = m.id AND n.used < n.ceiling
                 AND EXISTS (SELECT FROM affiliates.member_licence l WHERE l.licence = n.licence AND l.active OFFSET 0) OFFSET 0) c
           ORDER BY c.member, c.since, c.licence"#,
        members
    )
    .fetch_all(conn)
    .await?;
    let mut rooms: HashMap<UserId, Vec<Room>> = HashMap::new();
    for row in rows {
        rooms.entry(row.member).or_default().push(Room {
            licence: row.licence,
            left: Usdt(row.left),
        });
    }
    Ok(rooms)
}

/// Adds to what is used of ceilings.
pub async fn use_ceilings(conn: &mut PgConnection, used: &[(LicenceId, Usdt)]) -> Result<(), Error> {
    let licences: Vec<Uuid> = used.iter().map(|(licence, _)| licence.0).collect();
    let amounts: Vec<i64> = used.iter().map(|(_, amount)| amount.0).collect();
    sqlx::query!(
        "UPDATE affiliates.network_ceiling c SET used = c.used + n.used
         FROM (SELECT licence, foundation.clamped(sum(used)) AS used FROM unnest($1::uuid[], $2::bigint[]) AS u(licence, used) GROUP BY licence) n
         WHERE c.licence = n.licence",
        &licences,
        &amounts
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Gives members back what they used of their ceilings, the youngest licence first.
pub async fn free_ceilings(conn: &mut PgConnection, freed: &[(UserId, Usdt)]) -> Result<(), Error> {
    let members: Vec<Uuid> = freed.iter().map(|(member, _)| member.0).collect();
    let amounts: Vec<i64> = freed.iter().map(|(_, amount)| amount.0).collect();
    sqlx::query!(
        "UPDATE affiliates.network_ceiling c SET used = c.used - n.part
         FROM (SELECT u.licence, least(u.used, greatest(0, f.amount - u.younger)) AS part
               FROM (SELECT licence, member, used,
                            foundation.clamped(sum(used) OVER (PARTITION BY member ORDER BY since DESC, licence DESC) - used) AS younger
                     FROM affiliates.network_ceiling WHERE member = ANY($1)) u
               JOIN (SELECT member, foundation.clamped(sum(amount)) AS amount FROM unnest($1::uuid[], $2::bigint[]) AS f(member, amount)
                     GROUP BY member) f USING (member)) n
         WHERE c.licence = n.licence AND n.part > 0",
        &members,
        &amounts
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Which of these were booked before: cause, receiver, kind, level, source.
pub async fn known(conn: &mut PgConnection, causes: &[Uuid]) -> Result<HashSet<Key>, Error> {
    let rows = sqlx::query!(
        r#"SELECT cause, receiver AS "receiver: UserId", kind AS "kind: BonusKind", level, source AS "source: UserId"
           FROM affiliates.bonus WHERE cause = ANY($1)"#,
        causes
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| (r.cause, r.receiver, r.kind, r.level, r.source))
        .collect())
}

/// What tells a bonus from all others.
pub type Key = (Uuid, UserId, BonusKind, i16, Option<UserId>);

/// Writes fresh bonuses.
pub async fn insert(conn: &mut PgConnection, bonuses: &[Bonus], now: OffsetDateTime) -> Result<(), Error> {
    let of = |f: fn(&Bonus) -> i64| bonuses.iter().map(f).collect::<Vec<i64>>();
    let ids: Vec<Uuid> = bonuses.iter().map(|b| b.id.0).collect();
    let receivers: Vec<Uuid> = bonuses.iter().map(|b| b.new.receiver.0).collect();
    let sources: Vec<Option<Uuid>> = bonuses.iter().map(|b| b.new.source.map(|s| s.0)).collect();
    let kinds: Vec<&str> = bonuses.iter().map(|b| b.new.kind.as_str()).collect();
    let levels: Vec<i16> = bonuses.iter().map(|b| b.new.level).collect();
    let cause_kinds: Vec<&str> = bonuses.iter().map(|b| b.new.cause_kind.as_str()).collect();
    let causes: Vec<Uuid> = bonuses.iter().map(|b| b.new.cause).collect();
    let versions: Vec<i32> = bonuses.iter().map(|b| b.settings_version).collect();
    let reasons: Vec<Option<&str>> = bonuses
        .iter()
        .map(|b| b.lost_reason.map(LostReason::as_str))
        .collect();
    let days: Vec<Date> = bonuses.iter().map(|b| b.new.business_day).collect();
    let young: Vec<Option<OffsetDateTime>> = bonuses.iter().map(|b| b.new.young_until).collect();
    let reviews: Vec<Option<Uuid>> = bonuses.iter().map(|b| b.review).collect();
    sqlx::query!(
        "INSERT INTO affiliates.bonus (id, receiver, source, kind, level, cause_kind, cause, base, rate, settings_version, gross, lost,
             lost_reason, paid, waiting, business_day, booked_at, paid_at, young_until, review)
         SELECT id, receiver, source, kind, level, cause_kind, cause, base, rate, version, gross, lost, reason, paid, waiting, day, $18,
                CASE WHEN paid > 0 THEN $18::timestamptz END, young, review
         FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::smallint[], $6::text[], $7::uuid[], $8::bigint[], $9::bigint[],
                     $10::int[], $11::bigint[], $12::bigint[], $13::text[], $14::bigint[], $15::bigint[], $16::date[], $17::timestamptz[],
                     $19::uuid[])
              AS n(id, receiver, source, kind, level, cause_kind, cause, base, rate, version, gross, lost, reason, paid, waiting, day, young, review)",
        &ids,
        &receivers,
        &sources as &[Option<Uuid>],
        &kinds as &[&str],
        &levels,
        &cause_kinds as &[&str],
        &causes,
        &of(|b| b.new.base),
        &of(|b| b.new.rate),
        &versions,
        &of(|b| b.new.gross.0),
        &of(|b| b.lost.0),
        &reasons as &[Option<&str>],
        &of(|b| b.paid.0),
        &of(|b| b.waiting.0),
        &days,
        &young as &[Option<OffsetDateTime>],
        now,
        &reviews as &[Option<Uuid>]
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A bonus that waits for the fund.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    pub id: BonusId,
    pub receiver: UserId,
    pub waiting: Usdt,
    pub version: i64,
}

/// The head of the queue: business day, time of booking, id.
pub async fn queue(conn: &mut PgConnection, most: i64) -> Result<Vec<Waiting>, Error> {
    let rows = sqlx::query!(
        r#"SELECT id AS "id: BonusId", receiver AS "receiver: UserId", waiting, version FROM affiliates.bonus
           WHERE waiting > 0 ORDER BY business_day, booked_at, id LIMIT $1"#,
        most
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| Waiting {
            id: r.id,
            receiver: r.receiver,
            waiting: Usdt(r.waiting),
            version: r.version,
        })
        .collect())
}

/// Parts of waiting bonuses that the fund pays now.
pub async fn pay(
    conn: &mut PgConnection,
    parts: &[(BonusId, Usdt)],
    now: OffsetDateTime,
) -> Result<(), Error> {
    let ids: Vec<Uuid> = parts.iter().map(|(id, _)| id.0).collect();
    let amounts: Vec<i64> = parts.iter().map(|(_, amount)| amount.0).collect();
    sqlx::query!(
        "UPDATE affiliates.bonus b SET paid = b.paid + n.amount, waiting = b.waiting - n.amount, paid_at = $3, version = b.version + 1
         FROM unnest($1::uuid[], $2::bigint[]) AS n(id, amount) WHERE b.id = n.id",
        &ids,
        &amounts,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What of a person's `bonus` stays there: it comes from young money, or a person has to look at it first; and until when at least,
/// if only time holds it.
pub async fn held(
    db: impl PgExecutor<'_>,
    receiver: UserId,
    now: OffsetDateTime,
) -> Result<(Usdt, Option<OffsetDateTime>), Error> {
    let row = sqlx::query!(
        r#"SELECT foundation.clamped(coalesce(sum(b.paid - b.returned), 0)) AS "held!",
                  CASE WHEN bool_or(r.status = 'open') THEN NULL ELSE min(b.young_until) END AS until
           FROM affiliates.bonus b LEFT JOIN affiliates.review r ON r.id = b.review
           WHERE b.receiver = $1 AND (b.young_until IS NOT NULL OR b.review IS NOT NULL) AND b.paid > b.returned
             AND (b.young_until > $2 OR r.status = 'open')"#,
        receiver.0,
        now
    )
    .fetch_one(db)
    .await?;
    Ok((Usdt(row.held), row.until))
}

/// A bonus as its view needs it.
pub struct Row {
    pub id: BonusId,
    pub receiver: UserId,
    pub source: Option<String>,
    pub kind: BonusKind,
    pub level: i16,
    pub cause_kind: BonusCause,
    pub base: i64,
    pub rate: i64,
    pub gross: i64,
    pub lost: i64,
    pub lost_reason: Option<LostReason>,
    pub paid: i64,
    pub waiting: i64,
    pub dropped: i64,
    pub returned: i64,
    pub business_day: Date,
    pub booked_at: OffsetDateTime,
    pub young_until: Option<OffsetDateTime>,
    /// Of an open review.
    pub reasons: Option<Vec<String>>,
    pub refused: bool,
    pub version: i64,
}

/// Bonuses by id, in the order of their booking.
pub async fn rows(conn: &mut PgConnection, ids: &[Uuid]) -> Result<Vec<Row>, Error> {
    Ok(sqlx::query_as!(
        Row,
        r#"SELECT b.id AS "id: BonusId", b.receiver AS "receiver: UserId", a.username AS "source?", b.kind AS "kind: BonusKind", b.level,
                  b.cause_kind AS "cause_kind: BonusCause", b.base, b.rate, b.gross, b.lost, b.lost_reason AS "lost_reason: LostReason",
                  b.paid, b.waiting, b.dropped, b.returned, b.business_day, b.booked_at, b.young_until,
                  r.reasons AS "reasons?", coalesce(r.refused, false) AS "refused!", b.version
           FROM affiliates.bonus b
           LEFT JOIN identity.account a ON a.id = b.source
           LEFT JOIN affiliates.review_told r ON r.id = b.review
           WHERE b.id = ANY($1) ORDER BY b.booked_at, b.id"#,
        ids
    )
    .fetch_all(conn)
    .await?)
}

/// What a bonus's rule said, for those that are told apart by it.
#[must_use]
pub fn key(new: &NewBonus) -> Key {
    (new.cause, new.receiver, new.kind, new.level, new.source)
}
