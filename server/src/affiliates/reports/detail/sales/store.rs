//! SQL of the sales behind a binary bonus.

use crate::{affiliates::reports::detail::BonusLicence, error::Error};
use protocol::{
    ids::{LicenceId, UserId},
    money::Usdt,
};
use sqlx::{FromRow, PgConnection};
use time::Date;
use uuid::Uuid;

/// The days whose sales are asked for: after one, and below a row of `affiliates.points`, from which it goes back.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// None: since ever.
    pub after: Option<Date>,
    /// The day and number of the row.
    pub below: (Date, i64),
}

#[derive(FromRow)]
pub struct Row {
    pub id: i64,
    pub business_day: Date,
    member: Uuid,
    pub username: String,
    points: i64,
    licence: Uuid,
    number: Option<i32>,
    value: Option<i64>,
}

impl Row {
    pub const fn member(&self) -> UserId {
        UserId(self.member)
    }

    pub const fn points(&self) -> Usdt {
        Usdt(self.points)
    }

    pub fn licence(&self) -> Option<BonusLicence> {
        self.number.zip(self.value).map(|(number, value)| BonusLicence {
            id: LicenceId(self.licence),
            number,
            value: Usdt(value),
        })
    }
}

/// The newest of what these members sold in the range, looked up member by member, and of each no more than is shown.
pub const OF_MEMBERS: &str = "
    SELECT f.id, f.business_day, f.member, a.username, f.points, f.licence, l.number, l.value
    FROM (SELECT p.id, p.business_day, p.member, p.points, p.licence
          FROM unnest($1::uuid[]) m(id)
          CROSS JOIN LATERAL (
              SELECT c.id, c.business_day, c.member, c.points, c.licence FROM affiliates.carried_points c
              WHERE c.member = m.id AND c.business_day > coalesce($2::date, '-infinity') AND (c.business_day, c.id) < ($3::date, $4::bigint)
              ORDER BY c.business_day DESC, c.id DESC LIMIT $5) p
          ORDER BY p.business_day DESC, p.id DESC LIMIT $5) f
    JOIN identity.account a ON a.id = f.member
    LEFT JOIN licences.licence l ON l.id = f.licence
    ORDER BY f.business_day DESC, f.id DESC";

/// Of the newest `$4` sales of everybody in the range those below `$6`, a child of `$7`; once there are enough, no more are looked at.
pub const OF_DAYS: &str = "
    SELECT f.id, f.business_day, f.member, a.username, f.points, f.licence, l.number, l.value
    FROM (SELECT o.id, o.business_day, p.member, p.points, p.licence
          FROM (SELECT c.id, c.business_day FROM affiliates.points c
                WHERE c.business_day > coalesce($1::date, '-infinity') AND (c.business_day, c.id) < ($2::date, $3::bigint)
                ORDER BY c.business_day DESC, c.id DESC LIMIT $4) o
          CROSS JOIN LATERAL (
              SELECT c.no, c.member, c.points, c.licence FROM affiliates.carried_points c WHERE c.id = o.id OFFSET 0) p
          WHERE affiliates.child_towards(p.no, $7) = $6
          ORDER BY o.business_day DESC, o.id DESC LIMIT $5) f
    JOIN identity.account a ON a.id = f.member
    LEFT JOIN licences.licence l ON l.id = f.licence
    ORDER BY f.business_day DESC, f.id DESC";

/// The newest sales of these members.
pub async fn of_members(
    conn: &mut PgConnection,
    members: &[Uuid],
    range: Range,
    most: i64,
) -> Result<Vec<Row>, Error> {
    Ok(sqlx::query_as(OF_MEMBERS)
        .bind(members)
        .bind(range.after)
        .bind(range.below.0)
        .bind(range.below.1)
        .bind(most)
        .fetch_all(conn)
        .await?)
}

/// The newest sales below a child of somebody among so many of everybody's.
pub async fn of_days(
    conn: &mut PgConnection,
    (above, child): (i32, i32),
    range: Range,
    looked: i64,
    most: i64,
) -> Result<Vec<Row>, Error> {
    Ok(sqlx::query_as(OF_DAYS)
        .bind(range.after)
        .bind(range.below.0)
        .bind(range.below.1)
        .bind(looked)
        .bind(most)
        .bind(child)
        .bind(above)
        .fetch_all(conn)
        .await?)
}

/// The last of the newest so many sales of everybody in the range, if there are more.
pub async fn last_looked(
    conn: &mut PgConnection,
    range: Range,
    looked: i64,
) -> Result<Option<(Date, i64)>, Error> {
    let rows = sqlx::query!(
        "SELECT id, business_day FROM affiliates.points
         WHERE business_day > coalesce($1::date, '-infinity') AND (business_day, id) < ($2::date, $3::bigint)
         ORDER BY business_day DESC, id DESC OFFSET $4 LIMIT 2",
        range.after,
        range.below.0,
        range.below.1,
        looked - 1
    )
    .fetch_all(conn)
    .await?;
    Ok(match rows.as_slice() {
        [last, _] => Some((last.business_day, last.id)),
        _ => None,
    })
}

/// Who stands on a leg of somebody.
pub async fn child(conn: &mut PgConnection, of: i32, on_right: bool) -> Result<Option<i32>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT no FROM affiliates.node WHERE parent = $1 AND on_right = $2",
        of,
        on_right
    )
    .fetch_optional(conn)
    .await?)
}

/// A member and all who stand below it, no more than so many.
pub async fn team(conn: &mut PgConnection, of: i32, most: i64) -> Result<Vec<Uuid>, Error> {
    Ok(sqlx::query_scalar!(
        r#"WITH RECURSIVE below AS (
               SELECT n.no, n.member FROM affiliates.node n WHERE n.no = $1
               UNION ALL
               SELECT c.no, c.member FROM below b JOIN affiliates.node c ON c.parent = b.no)
           SELECT member AS "member!" FROM below LIMIT $2"#,
        of,
        most
    )
    .fetch_all(conn)
    .await?)
}

/// Somebody who stands below another in the binary tree.
pub struct Below {
    pub no: i32,
    /// Steps to the root.
    pub depth: i64,
    /// Of who stands above.
    pub top: i64,
    /// On which leg of who stands above.
    pub on_right: bool,
}

pub async fn below(conn: &mut PgConnection, member: UserId, above: i32) -> Result<Option<Below>, Error> {
    Ok(sqlx::query_as!(
        Below,
        r#"SELECT n.no, n.depth::bigint AS "depth!", u.depth::bigint AS "top!", c.on_right AS "on_right!"
           FROM affiliates.node n
           JOIN affiliates.node u ON u.no = $2
           JOIN affiliates.node c ON c.no = affiliates.child_towards(n.no, u.no)
           WHERE n.member = $1"#,
        member.0,
        above
    )
    .fetch_optional(conn)
    .await?)
}
