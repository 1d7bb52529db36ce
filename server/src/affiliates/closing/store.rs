//! SQL of the closing.

mod frozen;
mod numbers;
mod told;

pub use frozen::{active_values, freeze, frozen};
pub use numbers::{Ids, Trees, extend, ids, trees};
pub use told::{Brought, brought};

use super::tree::{Legs, NONE, Place};
use crate::error::Error;
use protocol::{
    ids::{ClosingId, GraduationId, UserId},
    money::Usdt,
    views::LostReason,
};
use sqlx::{PgConnection, PgExecutor};
use std::collections::HashMap;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// Members of a row of `leg_points` and `team`.
pub const SEGMENT: usize = 256;
/// Members read at once.
const READ: i32 = 100_000;

/// A closing as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closing {
    pub id: ClosingId,
    pub day: Date,
    pub settings_version: i32,
    pub step: String,
    pub done_through: Option<Uuid>,
}

/// The closing that is under way.
pub async fn under_way(db: impl PgExecutor<'_>) -> Result<Option<Closing>, Error> {
    Ok(sqlx::query_as!(
        Closing,
        r#"SELECT id AS "id: ClosingId", day, settings_version, step, done_through FROM affiliates.closing
           WHERE step <> 'done' ORDER BY day LIMIT 1"#
    )
    .fetch_optional(db)
    .await?)
}

/// A closing, held until the transaction ends.
pub async fn lock(conn: &mut PgConnection, id: ClosingId) -> Result<Closing, Error> {
    Ok(sqlx::query_as!(
        Closing,
        r#"SELECT id AS "id: ClosingId", day, settings_version, step, done_through FROM affiliates.closing WHERE id = $1 FOR UPDATE"#,
        id.0
    )
    .fetch_one(conn)
    .await?)
}

/// The open day as it was last committed, and the last day of which a closing knows.
pub async fn days(db: impl PgExecutor<'_>) -> Result<(Option<Date>, Option<Date>), Error> {
    let row = sqlx::query!(
        "SELECT (SELECT day FROM foundation.open_day) AS open, (SELECT max(day) FROM affiliates.closing) AS last"
    )
    .fetch_one(db)
    .await?;
    Ok((row.open, row.last))
}

pub async fn insert(
    conn: &mut PgConnection,
    id: ClosingId,
    day: Date,
    settings_version: i32,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO affiliates.closing (id, day, settings_version, opened_at) VALUES ($1, $2, $3, $4)",
        id.0,
        day,
        settings_version,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Room for the rows of large statements until the transaction ends, which the database would write to files; and none of them is compiled:
/// that takes longer than running them.
pub async fn make_room(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!(
        r#"SELECT set_config('work_mem', '128MB', true) AS "room!", set_config('jit', 'off', true) AS "compiled!""#
    )
    .fetch_one(conn)
    .await?;
    Ok(())
}

/// How far a closing has come.
pub async fn advance(
    conn: &mut PgConnection,
    id: ClosingId,
    step: &str,
    done_through: Option<UserId>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.closing SET step = $2, done_through = $3, finished_at = CASE WHEN $2 = 'done' THEN $4::timestamptz END WHERE id = $1",
        id.0,
        step,
        done_through.map(|m| m.0),
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Both trees, by the members' numbers.
#[derive(Debug, Default)]
pub struct Nodes {
    /// One more than the greatest number.
    pub count: usize,
    pub sponsors: Vec<u32>,
    pub places: Vec<(u32, Place)>,
    /// How many were read.
    pub read: usize,
}

fn number(no: i32) -> u32 {
    u32::try_from(no).unwrap_or(NONE)
}

/// Reads both trees, some hundred thousand members a statement; members who come meanwhile are left out.
pub async fn nodes(conn: &mut PgConnection) -> Result<Nodes, Error> {
    let last = sqlx::query_scalar!("SELECT max(no) FROM affiliates.node")
        .fetch_one(&mut *conn)
        .await?
        .unwrap_or(-1);
    let count = usize::try_from(last + 1).unwrap_or(0);
    let mut nodes = Nodes {
        count,
        sponsors: vec![NONE; count],
        places: Vec::with_capacity(count),
        read: 0,
    };
    let mut from = 0;
    while from <= last {
        let rows = sqlx::query!(
            r#"SELECT array_agg(no) AS "no!", array_agg(coalesce(sponsor, -1)) AS "sponsor!", array_agg(coalesce(parent, -1)) AS "parent!",
                      array_agg(coalesce(on_right, false)) AS "on_right!", array_agg(coalesce(depth, -1)) AS "depth!"
               FROM affiliates.node WHERE no >= $1 AND no < $2 HAVING count(*) > 0"#,
            from,
            from.saturating_add(READ).min(last.saturating_add(1))
        )
        .fetch_optional(&mut *conn)
        .await?;
        if let Some(row) = rows {
            nodes.read += row.no.len();
            let columns = row
                .no
                .iter()
                .zip(&row.sponsor)
                .zip(&row.parent)
                .zip(&row.on_right)
                .zip(&row.depth);
            for ((((no, sponsor), parent), right), depth) in columns {
                if let Some(place) = nodes.sponsors.get_mut(number(*no) as usize) {
                    *place = number(*sponsor);
                }
                if let Ok(depth) = u32::try_from(*depth) {
                    let parent = number(*parent);
                    nodes.places.push((
                        number(*no),
                        Place {
                            parent,
                            right: *right,
                            depth,
                        },
                    ));
                }
            }
        }
        from = from.saturating_add(READ);
    }
    Ok(nodes)
}

/// Points on the legs before a day was closed.
pub async fn legs(conn: &mut PgConnection, before: Date, count: usize) -> Result<Legs, Error> {
    let rows = sqlx::query!(
        "SELECT DISTINCT ON (segment) segment, left_points, right_points FROM affiliates.leg_points
         WHERE day < $1 ORDER BY segment, day DESC",
        before
    )
    .fetch_all(conn)
    .await?;
    let mut legs = Legs::empty(count);
    for row in rows {
        let at = usize::try_from(row.segment).unwrap_or(0) * SEGMENT;
        for (all, some) in [
            (&mut legs.left, &row.left_points),
            (&mut legs.right, &row.right_points),
        ] {
            for (place, points) in all.iter_mut().skip(at).zip(some) {
                *place = *points;
            }
        }
    }
    Ok(legs)
}

/// One segment of legs, padded.
pub struct Segment {
    pub number: i32,
    pub left: Vec<i64>,
    pub right: Vec<i64>,
}

impl Segment {
    /// What stands on the legs of a segment's members; the last one may have fewer.
    pub fn padded(number: i32, left: &[i64], right: &[i64]) -> Self {
        let whole = |points: &[i64]| {
            let mut all = points.to_vec();
            all.resize(SEGMENT, 0);
            all
        };
        Self {
            number,
            left: whole(left),
            right: whole(right),
        }
    }
}

/// Writes the versions of a closing; those that are there stay.
pub async fn save_legs(conn: &mut PgConnection, day: Date, segments: &[Segment]) -> Result<(), Error> {
    // Arrays of arrays are flattened: 256 members a segment.
    let numbers: Vec<i32> = segments.iter().map(|s| s.number).collect();
    let left: Vec<i64> = segments.iter().flat_map(|s| s.left.iter().copied()).collect();
    let right: Vec<i64> = segments.iter().flat_map(|s| s.right.iter().copied()).collect();
    sqlx::query!(
        "INSERT INTO affiliates.leg_points (segment, day, left_points, right_points)
         SELECT segment, $1, ($3::bigint[])[(at - 1) * 256 + 1 : at * 256], ($4::bigint[])[(at - 1) * 256 + 1 : at * 256]
         FROM unnest($2::int[]) WITH ORDINALITY AS s(segment, at)
         ON CONFLICT (segment, day) DO NOTHING",
        day,
        &numbers,
        &left,
        &right
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets versions of the legs that no closing needs any more: each segment keeps its newest one before the day, and what is newer.
pub async fn forget_legs(conn: &mut PgConnection, day: Date) -> Result<(), Error> {
    sqlx::query!(
        "DELETE FROM affiliates.leg_points l WHERE l.day < $1
           AND EXISTS (SELECT FROM affiliates.leg_points n WHERE n.segment = l.segment AND n.day > l.day AND n.day <= $1)",
        day
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Writes how many stand below each member at a month's end so far.
pub async fn save_team(
    conn: &mut PgConnection,
    month: Date,
    numbers: &[i32],
    left: &[i32],
    right: &[i32],
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO affiliates.team AS t (segment, month, left_members, right_members)
         SELECT n.segment, $1, n.l, n.r
         FROM (SELECT segment, ($3::int[])[(at - 1) * 256 + 1 : at * 256] AS l, ($4::int[])[(at - 1) * 256 + 1 : at * 256] AS r
               FROM unnest($2::int[]) WITH ORDINALITY AS s(segment, at)) n
         LEFT JOIN LATERAL (SELECT o.left_members, o.right_members FROM affiliates.team o
                            WHERE o.segment = n.segment AND o.month <= $1 ORDER BY o.month DESC LIMIT 1) o ON true
         WHERE (o.left_members, o.right_members) IS DISTINCT FROM (n.l, n.r)
         ON CONFLICT (segment, month) DO UPDATE SET left_members = excluded.left_members, right_members = excluded.right_members",
        month,
        numbers,
        left,
        right
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Points of the days after one and through another, summed by the seller's number; what was taken back counts against them.
pub async fn day_points(
    conn: &mut PgConnection,
    after: Option<Date>,
    through: Date,
) -> Result<Vec<(u32, i64)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT no AS "no!", foundation.clamped(sum(points)) AS "points!" FROM affiliates.carried_points
           WHERE business_day <= $2 AND ($1::date IS NULL OR business_day > $1) GROUP BY no"#,
        after,
        through
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|r| (number(r.no), r.points)).collect())
}

/// Members with sales of this day and those before whose money is still young at a moment, and until when: of sales that reached those
/// above and were not taken back by then.
pub async fn young_sales(
    conn: &mut PgConnection,
    through: Date,
    at: OffsetDateTime,
) -> Result<Vec<(u32, OffsetDateTime)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT n.no, max(c.young_until) AS "until!"
           FROM affiliates.cause c
           JOIN affiliates.points p ON p.licence = c.licence AND p.kind = 'sale'
           JOIN affiliates.node n ON n.member = c.member
           WHERE c.kind = 'sale' AND c.young_until > $2 AND c.business_day <= $1 AND n.placed_at <= p.booked_at
             AND NOT EXISTS (SELECT FROM affiliates.points r WHERE r.licence = c.licence AND r.kind = 'reversal' AND r.business_day <= $1)
           GROUP BY n.no"#,
        through,
        at
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|r| (number(r.no), r.until)).collect())
}

/// What was to be set off against these members' results before the day's closing, whether or not that has written yet.
pub async fn to_set_off(
    conn: &mut PgConnection,
    members: &[Uuid],
    day: Date,
) -> Result<HashMap<UserId, Usdt>, Error> {
    let rows = sqlx::query!(
        r#"SELECT member AS "member: UserId", CASE WHEN through = $2 THEN before ELSE negative END AS "owed!"
           FROM affiliates.residual_carry WHERE member = ANY($1)"#,
        members,
        day
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|r| (r.member, Usdt(r.owed))).collect())
}

/// Writes what is to be set off after a day's closing; what is written for that day stays. What it leaves of the open day for those above is
/// written with it, by the table's triggers.
pub async fn save_set_off(
    conn: &mut PgConnection,
    carried: &[(UserId, Usdt)],
    day: Date,
) -> Result<(), Error> {
    let members: Vec<Uuid> = carried.iter().map(|(member, _)| member.0).collect();
    let amounts: Vec<i64> = carried.iter().map(|(_, amount)| amount.0).collect();
    sqlx::query!(
        "INSERT INTO affiliates.residual_carry AS c (member, negative, through)
         SELECT member, negative, $3 FROM unnest($1::uuid[], $2::bigint[]) AS n(member, negative)
         ON CONFLICT (member) DO UPDATE SET negative = excluded.negative, before = c.negative, through = excluded.through
         WHERE c.through <> excluded.through",
        &members,
        &amounts,
        day
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What a closing made of a member's matched points.
#[derive(Clone, Copy, Debug)]
pub struct Matched {
    pub member: UserId,
    pub left: i64,
    pub right: i64,
    pub points: i64,
    pub lost: i64,
    pub reason: Option<LostReason>,
}

/// Writes what was matched, and adds what of it was paid to what ranks count.
pub async fn save_matches(
    conn: &mut PgConnection,
    closing: ClosingId,
    matched: &[Matched],
) -> Result<(), Error> {
    let members: Vec<Uuid> = matched.iter().map(|m| m.member.0).collect();
    let of = |f: fn(&Matched) -> i64| matched.iter().map(f).collect::<Vec<i64>>();
    let reasons: Vec<Option<&str>> = matched.iter().map(|m| m.reason.map(LostReason::as_str)).collect();
    sqlx::query!(
        "INSERT INTO affiliates.match (closing, member, left_points, right_points, matched, lost, lost_reason)
         SELECT $1, member, l, r, matched, lost, reason
         FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[]) AS n(member, l, r, matched, lost, reason)",
        closing.0,
        &members,
        &of(|m| m.left),
        &of(|m| m.right),
        &of(|m| m.points),
        &of(|m| m.lost),
        &reasons as &[Option<&str>]
    )
    .execute(&mut *conn)
    .await?;
    let paid = of(|m| m.points - m.lost);
    sqlx::query!(
        "INSERT INTO affiliates.standing AS s (member, paid_points)
         SELECT member, paid FROM unnest($1::uuid[], $2::bigint[]) AS n(member, paid) WHERE paid > 0
         ON CONFLICT (member) DO UPDATE SET paid_points = s.paid_points + excluded.paid_points",
        &members,
        &paid
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Who was paid for points in a closing: paid points of all days, and the rank so far.
pub async fn risen(conn: &mut PgConnection, closing: ClosingId) -> Result<Vec<(UserId, i64, i16)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT s.member AS "member: UserId", s.paid_points, s.rank
           FROM affiliates.match m JOIN affiliates.standing s ON s.member = m.member
           WHERE m.closing = $1 AND m.lost < m.matched ORDER BY s.member"#,
        closing.0
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| (r.member, r.paid_points, r.rank))
        .collect())
}

/// A rank that somebody reached.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    pub id: GraduationId,
    pub member: UserId,
    pub rank: i16,
    pub threshold: i64,
    pub amount: Usdt,
}

pub async fn graduate(
    conn: &mut PgConnection,
    closing: &Closing,
    rate: i64,
    reached: &[Reached],
    now: OffsetDateTime,
) -> Result<(), Error> {
    let ids: Vec<Uuid> = reached.iter().map(|r| r.id.0).collect();
    let members: Vec<Uuid> = reached.iter().map(|r| r.member.0).collect();
    let ranks: Vec<i16> = reached.iter().map(|r| r.rank).collect();
    let thresholds: Vec<i64> = reached.iter().map(|r| r.threshold).collect();
    let amounts: Vec<i64> = reached.iter().map(|r| r.amount.0).collect();
    sqlx::query!(
        "INSERT INTO affiliates.graduation (id, member, rank, threshold, rate, amount, settings_version, closing, business_day, reached_at)
         SELECT id, member, rank, threshold, $6, amount, $7, $8, $9, $10
         FROM unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::bigint[], $5::bigint[]) AS n(id, member, rank, threshold, amount)",
        &ids,
        &members,
        &ranks,
        &thresholds,
        &amounts,
        rate,
        closing.settings_version,
        closing.id.0,
        closing.day,
        now
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "UPDATE affiliates.standing s SET rank = n.rank
         FROM (SELECT member, max(rank) AS rank FROM unnest($1::uuid[], $2::smallint[]) AS n(member, rank) GROUP BY member) n
         WHERE s.member = n.member",
        &members,
        &ranks
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The last day that was closed before this one.
pub async fn closed_before(conn: &mut PgConnection, day: Date) -> Result<Option<Date>, Error> {
    Ok(
        sqlx::query_scalar!("SELECT max(day) FROM affiliates.closing WHERE day < $1", day)
            .fetch_one(conn)
            .await?,
    )
}
