//! SQL of one bonus.

use super::{BonusLicence, BonusMovement, BonusPlace, BonusRobot};
use crate::{error::Error, identity::caller::Scope};
use protocol::{
    ids::{BonusId, LicenceId, TransferId, UserId},
    money::Usdt,
    views::{BonusKind, Mode},
};
use sqlx::PgConnection;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

pub struct Head {
    pub receiver: UserId,
    pub username: String,
    pub source: Option<UserId>,
    pub kind: BonusKind,
    pub cause: Uuid,
    pub business_day: Date,
    pub settings_version: i32,
    pub caused_at: OffsetDateTime,
    pub licence: Option<BonusLicence>,
}

/// A bonus's own row with what it follows from, if the scope reaches it.
pub async fn head(conn: &mut PgConnection, id: BonusId, scope: Scope) -> Result<Option<Head>, Error> {
    let row = sqlx::query!(
        r#"SELECT b.receiver AS "receiver: UserId", a.username, b.source AS "source: UserId", b.kind AS "kind: BonusKind", b.cause,
                  b.business_day, b.settings_version,
                  coalesce(c.at, k.opened_at, b.booked_at) AS "caused_at!", l.id AS "licence?", l.number AS "number?", l.value AS "value?"
           FROM affiliates.bonus b JOIN identity.account a ON a.id = b.receiver
           LEFT JOIN affiliates.cause c ON c.id = b.cause
           LEFT JOIN affiliates.closing k ON k.id = b.cause
           LEFT JOIN licences.licence l ON l.id = c.licence
           WHERE b.id = $1 AND ($2::uuid IS NULL OR b.receiver = $2)"#,
        id.0,
        scope.owner()
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| Head {
        receiver: r.receiver,
        username: r.username,
        source: r.source,
        kind: r.kind,
        cause: r.cause,
        business_day: r.business_day,
        settings_version: r.settings_version,
        caused_at: r.caused_at,
        licence: r
            .licence
            .zip(r.number)
            .zip(r.value)
            .map(|((id, number), value)| BonusLicence {
                id: LicenceId(id),
                number,
                value: Usdt(value),
            }),
    }))
}

/// Usernames from who stands so many steps above a member in the sponsor tree down to the member.
pub async fn path(conn: &mut PgConnection, source: UserId, level: i16) -> Result<Vec<String>, Error> {
    Ok(sqlx::query_scalar!(
        "WITH RECURSIVE up AS (
             SELECT id, sponsor, 0 AS step FROM affiliates.member WHERE id = $1
             UNION ALL
             SELECT m.id, m.sponsor, u.step + 1 FROM up u JOIN affiliates.member m ON m.id = u.sponsor WHERE u.step < $2)
         SELECT a.username FROM up JOIN identity.account a ON a.id = up.id ORDER BY up.step DESC",
        source.0,
        i32::from(level)
    )
    .fetch_all(conn)
    .await?)
}

/// What stood on both legs when they were matched, and what the match before had left there.
pub struct Legs {
    pub left: i64,
    pub right: i64,
    pub matched: i64,
    pub lost: i64,
    /// The day of the match before; none when this is the first.
    pub since: Option<Date>,
    pub left_carried: i64,
    pub right_carried: i64,
    /// The bonus of that match.
    pub before: Option<BonusId>,
}

pub async fn legs(conn: &mut PgConnection, closing: Uuid, member: UserId) -> Result<Option<Legs>, Error> {
    Ok(sqlx::query_as!(
        Legs,
        r#"SELECT m.left_points AS left, m.right_points AS right, m.matched, m.lost, p.day AS "since?",
                  coalesce(p.left_points - p.matched, 0) AS "left_carried!", coalesce(p.right_points - p.matched, 0) AS "right_carried!",
                  (SELECT b.id FROM affiliates.bonus b WHERE b.cause = p.closing AND b.receiver = m.member AND b.kind = 'binary')
                      AS "before?: BonusId"
           FROM affiliates.match m
           JOIN affiliates.closing k ON k.id = m.closing
           LEFT JOIN LATERAL (
               SELECT q.closing, c.day, q.left_points, q.right_points, q.matched
               FROM affiliates.match q JOIN affiliates.closing c ON c.id = q.closing
               WHERE q.member = m.member AND c.day < k.day ORDER BY c.day DESC LIMIT 1) p ON true
           WHERE m.closing = $1 AND m.member = $2"#,
        closing,
        member.0
    )
    .fetch_optional(conn)
    .await?)
}

/// What each robot of somebody brought on a business day, of these modes.
pub async fn robots(
    conn: &mut PgConnection,
    owner: UserId,
    day: Date,
    modes: &[&str],
) -> Result<Vec<BonusRobot>, Error> {
    let rows = sqlx::query!(
        r#"SELECT l.id, l.number, l.value, d.mode AS "mode: Mode", d.gain, d.loss, d.operations
           FROM robots.day_result d JOIN licences.licence l ON l.id = d.licence
           WHERE d.owner = $1 AND d.day = $2 AND d.mode = ANY($3) ORDER BY l.number, d.mode"#,
        owner.0,
        day,
        modes as &[&str]
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| BonusRobot {
            licence: BonusLicence {
                id: LicenceId(r.id),
                number: r.number,
                value: Usdt(r.value),
            },
            mode: r.mode,
            gain: Usdt(r.gain),
            loss: Usdt(r.loss),
            operations: r.operations,
        })
        .collect())
}

/// Where a waiting bonus stands in the order in which the fund pays.
pub async fn line(conn: &mut PgConnection, id: BonusId) -> Result<BonusPlace, Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) + 1 AS "place!", foundation.clamped(coalesce(sum(q.waiting), 0)) AS "ahead!"
           FROM affiliates.bonus b
           JOIN affiliates.bonus q ON q.waiting > 0 AND (q.business_day, q.booked_at, q.id) < (b.business_day, b.booked_at, b.id)
           WHERE b.id = $1"#,
        id.0
    )
    .fetch_one(conn)
    .await?;
    Ok(BonusPlace {
        place: row.place,
        ahead: Usdt(row.ahead),
    })
}

/// Movements whose cause is this bonus alone, oldest first, with what they did to its receiver.
pub async fn movements(
    conn: &mut PgConnection,
    id: BonusId,
    receiver: UserId,
) -> Result<Vec<BonusMovement>, Error> {
    let rows = sqlx::query!(
        r#"SELECT t.id, t.at, t.kind, foundation.clamped(sum(p.amount)) AS "amount!"
           FROM ledger.transfer t JOIN ledger.posting p ON p.transfer = t.id JOIN ledger.account a ON a.id = p.account AND a.owner = $2
           WHERE t.cause = $1 AND t.kind <> 'settlement' AND t.cause_kind = 'bonus' GROUP BY t.id ORDER BY t.at, t.id"#,
        id.0,
        receiver.0
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| BonusMovement {
            transfer: TransferId(r.id),
            at: r.at,
            kind: r.kind,
            amount: Usdt(r.amount),
            together: false,
        })
        .collect())
}

/// The movement of a closing that paid this bonus of a receiver: one of those with a leg of its `bonus` account. A closing books receivers in
/// the order of their ids, so that there is one; closings before 0077 booked residual bonuses in the order of their sources' ids, and
/// the key of a movement names the last source in it.
pub async fn booked_with_others(
    conn: &mut PgConnection,
    closing: Uuid,
    kind: BonusKind,
    receiver: UserId,
    source: Option<UserId>,
) -> Result<Option<(TransferId, OffsetDateTime)>, Error> {
    let row = sqlx::query!(
        "SELECT t.id, t.at FROM ledger.account a
         JOIN ledger.posting p ON p.account = a.id
         JOIN ledger.transfer t ON t.id = p.transfer
         WHERE a.owner = $3 AND a.name = 'bonus' AND a.currency = 'USDT'
           AND p.transfer IN (SELECT c.id FROM ledger.transfer c
                              WHERE c.cause = $1 AND c.kind <> 'settlement' AND c.cause_kind = 'closing' AND split_part(c.key, ':', 3) = $2)
         ORDER BY split_part(t.key, ':', 4)::uuid < coalesce($4::uuid, $3), split_part(t.key, ':', 4)::uuid LIMIT 1",
        closing,
        kind.as_str(),
        receiver.0,
        source.map(|source| source.0)
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| (TransferId(r.id), r.at)))
}
