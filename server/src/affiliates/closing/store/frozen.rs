//! SQL of what members were when the day ended.

use crate::{affiliates::model::Frozen, error::Error};
use protocol::{
    ids::{ClosingId, UserId},
    money::Usdt,
};
use sqlx::PgConnection;
use std::collections::HashMap;

/// Copies what these members are now: whether they are active and qualified, and the most of their day. `share` of the value of active
/// licences, in parts per million. Who is not active gets no row.
pub async fn freeze(
    conn: &mut PgConnection,
    closing: ClosingId,
    concerned: &[u32],
    share: i64,
) -> Result<(), Error> {
    let numbers: Vec<i32> = concerned
        .iter()
        .filter_map(|no| i32::try_from(*no).ok())
        .collect();
    // Set by set: a call of affiliates.is_active for each direct referral took most of the time for which the open day is held. Written in
    // the order in which the steps read it.
    sqlx::query!(
        "WITH concerned AS MATERIALIZED (
             SELECT n.no, n.member FROM unnest($2::int[]) AS c(no) JOIN affiliates.node n ON n.no = c.no),
         directs AS (
             SELECT d.sponsor AS no, bool_or(NOT d.on_right) AND bool_or(d.on_right) AS qualified
             FROM concerned c
             JOIN affiliates.node d ON d.sponsor = c.no
             JOIN identity.account a ON a.id = d.member AND a.status = 'active'
             WHERE EXISTS (SELECT FROM affiliates.member_licence l WHERE l.member = d.member AND l.active)
             GROUP BY d.sponsor),
         worth AS (
             SELECT c.no, sum(l.value) AS value FROM concerned c JOIN affiliates.member_licence l ON l.member = c.member AND l.active GROUP BY c.no)
         INSERT INTO affiliates.closing_member (closing, member, qualified, daily_cap)
         SELECT $1, c.member, coalesce(d.qualified, false), foundation.clamped(floor(w.value * $3::bigint / 1000000))
         FROM concerned c
         JOIN identity.account a ON a.id = c.member AND a.status = 'active'
         JOIN worth w ON w.no = c.no
         LEFT JOIN directs d ON d.no = c.no
         ORDER BY c.member",
        closing.0,
        &numbers,
        share
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What members were when the day ended, from one to another in the order of their ids, as the index has them; those who were not active are
/// missing.
pub async fn frozen(
    conn: &mut PgConnection,
    closing: ClosingId,
    first: UserId,
    last: UserId,
) -> Result<HashMap<UserId, Frozen>, Error> {
    let rows = sqlx::query!(
        r#"SELECT member AS "member: UserId", qualified, daily_cap FROM affiliates.closing_member
           WHERE closing = $1 AND member BETWEEN $2 AND $3"#,
        closing.0,
        first.0,
        last.0
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| {
            let frozen = Frozen {
                member: r.member,
                qualified: r.qualified,
                daily_cap: Usdt(r.daily_cap),
            };
            (r.member, frozen)
        })
        .collect())
}
