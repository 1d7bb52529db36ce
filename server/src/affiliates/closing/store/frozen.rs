//! SQL of what members are when the day ends, and were.

use crate::{affiliates::model::Frozen, error::Error};
use protocol::{
    ids::{ClosingId, UserId},
    money::Usdt,
};
use sqlx::PgConnection;
use std::collections::HashMap;
use uuid::Uuid;

/// What the active licences of these members are worth together; of whoever is not active, an active account with an active licence, nothing.
pub async fn active_values(
    conn: &mut PgConnection,
    members: &[UserId],
) -> Result<HashMap<UserId, i128>, Error> {
    let members: Vec<Uuid> = members.iter().map(|member| member.0).collect();
    // Licence by licence, in two lists: they are summed where they are used. Few accounts are not active, and an index has those alone.
    let row = sqlx::query!(
        r#"SELECT array_agg(l.member) AS "members!", array_agg(l.value) AS "values!" FROM affiliates.member_licence l
           WHERE l.active AND l.member = ANY($1)
             AND NOT EXISTS (SELECT FROM identity.account a WHERE a.id = l.member AND a.status <> 'active')
           HAVING count(*) > 0"#,
        &members
    )
    .fetch_optional(conn)
    .await?;
    let mut values: HashMap<UserId, i128> = HashMap::with_capacity(members.len());
    if let Some(row) = row {
        for (member, value) in row.members.into_iter().zip(row.values) {
            *values.entry(UserId(member)).or_default() += i128::from(value);
        }
    }
    Ok(values)
}

/// Keeps what these members are now, in the order in which the steps read it; those who are not active are not among them.
pub async fn freeze(conn: &mut PgConnection, closing: ClosingId, members: &[Frozen]) -> Result<(), Error> {
    let ids: Vec<Uuid> = members.iter().map(|frozen| frozen.member.0).collect();
    let qualified: Vec<bool> = members.iter().map(|frozen| frozen.qualified).collect();
    let most: Vec<i64> = members.iter().map(|frozen| frozen.daily_cap.0).collect();
    sqlx::query!(
        "INSERT INTO affiliates.closing_member (closing, member, qualified, daily_cap)
         SELECT $1, member, qualified, most FROM unnest($2::uuid[], $3::boolean[], $4::bigint[]) AS n(member, qualified, most)",
        closing.0,
        &ids,
        &qualified,
        &most
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
