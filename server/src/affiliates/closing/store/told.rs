//! SQL of what members hear of a closing.

use crate::error::Error;
use protocol::{
    ids::{ClosingId, UserId},
    views::{BonusKind, LostReason},
};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

/// What a closing made for a member of one type of bonus, by where that stands; or, without a type, the highest rank that it reached. Matched
/// points that count for ranks and whose bonus came to nothing are of the type with no amount.
pub struct Brought {
    pub member: UserId,
    pub kind: Option<BonusKind>,
    pub paid: i64,
    pub young: i64,
    pub in_review: i64,
    pub deferred: i64,
    pub lost: i64,
    pub lost_reason: Option<LostReason>,
    pub rank: Option<i16>,
}

/// What a closing made for the next members, in the order of their ids. Those who are told stand side by side in the index of the
/// closing's bonuses: each look begins where the one before it ended, and reads no row of anybody else.
pub async fn brought(
    conn: &mut PgConnection,
    closing: ClosingId,
    after: Option<Uuid>,
    most: i64,
    now: OffsetDateTime,
) -> Result<Vec<Brought>, Error> {
    Ok(sqlx::query_as!(
        Brought,
        r#"WITH told AS MATERIALIZED (
               SELECT member AS last FROM (SELECT member FROM (
                   (SELECT DISTINCT receiver AS member FROM affiliates.bonus WHERE cause = $1 AND receiver > $2 ORDER BY 1 LIMIT $3)
                   UNION
                   (SELECT DISTINCT member FROM affiliates.graduation WHERE closing = $1 AND member > $2 ORDER BY 1 LIMIT $3)
                   UNION
                   (SELECT member FROM affiliates.match WHERE closing = $1 AND member > $2 AND lost < matched ORDER BY 1 LIMIT $3)) m
               ORDER BY member LIMIT $3) f ORDER BY member DESC LIMIT 1)
           SELECT b.receiver AS "member!: UserId", b.kind AS "kind?: BonusKind",
                  foundation.clamped(coalesce(sum(b.paid) FILTER (WHERE r.id IS NULL AND b.young_until > $4 IS NOT TRUE), 0)) AS "paid!",
                  foundation.clamped(coalesce(sum(b.paid) FILTER (WHERE r.id IS NULL AND b.young_until > $4), 0)) AS "young!",
                  foundation.clamped(coalesce(sum(b.paid + b.waiting) FILTER (WHERE r.id IS NOT NULL), 0)) AS "in_review!",
                  foundation.clamped(coalesce(sum(b.waiting) FILTER (WHERE r.id IS NULL), 0)) AS "deferred!",
                  foundation.clamped(sum(b.lost)) AS "lost!",
                  (array_agg(b.lost_reason ORDER BY b.lost DESC) FILTER (WHERE b.lost > 0))[1] AS "lost_reason?: LostReason",
                  NULL::smallint AS rank
           FROM affiliates.bonus b
           LEFT JOIN affiliates.review r ON r.id = b.review AND r.status = 'open'
           WHERE b.cause = $1 AND b.receiver > $2 AND b.receiver <= (SELECT last FROM told)
           GROUP BY b.receiver, b.kind
           UNION ALL
           SELECT g.member, NULL, 0, 0, 0, 0, 0, NULL, max(g.rank)
           FROM affiliates.graduation g WHERE g.closing = $1 AND g.member > $2 AND g.member <= (SELECT last FROM told) GROUP BY g.member
           UNION ALL
           SELECT m.member, 'binary', 0, 0, 0, 0, 0, NULL, NULL
           FROM affiliates.match m
           WHERE m.closing = $1 AND m.member > $2 AND m.member <= (SELECT last FROM told) AND m.lost < m.matched
             AND NOT EXISTS (SELECT FROM affiliates.bonus b WHERE b.cause = $1 AND b.receiver = m.member AND b.kind = 'binary')
           ORDER BY 1, 2 NULLS LAST"#,
        closing.0,
        after.unwrap_or(Uuid::nil()),
        most,
        now
    )
    .fetch_all(conn)
    .await?)
}
