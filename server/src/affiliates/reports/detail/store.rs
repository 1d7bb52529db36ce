//! SQL of one bonus.

use super::{BonusLicence, BonusMatch, BonusMovement, BonusPlace};
use crate::{error::Error, identity::caller::Scope};
use protocol::{
    ids::{BonusId, LicenceId, TransferId, UserId},
    money::Usdt,
    views::BonusKind,
};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

pub struct Head {
    pub receiver: UserId,
    pub username: String,
    pub source: Option<UserId>,
    pub cause: Uuid,
    pub settings_version: i32,
    pub caused_at: OffsetDateTime,
    pub licence: Option<BonusLicence>,
}

/// A bonus's own row with what it follows from, if the scope reaches it.
pub async fn head(conn: &mut PgConnection, id: BonusId, scope: Scope) -> Result<Option<Head>, Error> {
    let row = sqlx::query!(
        r#"SELECT b.receiver AS "receiver: UserId", a.username, b.source AS "source: UserId", b.cause, b.settings_version,
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
        cause: r.cause,
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

pub async fn legs(
    conn: &mut PgConnection,
    closing: Uuid,
    member: UserId,
) -> Result<Option<BonusMatch>, Error> {
    let row = sqlx::query!(
        "SELECT left_points, right_points, matched, lost FROM affiliates.match WHERE closing = $1 AND member = $2",
        closing,
        member.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| BonusMatch {
        left_points: Usdt(r.left_points),
        right_points: Usdt(r.right_points),
        matched: Usdt(r.matched),
        lost: Usdt(r.lost),
    }))
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
