//! SQL of the network.

use super::{model::DayResult, rules::Leg, service::NetworkLicence};
use crate::error::Error;
use protocol::{
    ids::{LicenceId, UserId},
    money::Usdt,
};
use sqlx::{PgConnection, PgExecutor};
use std::collections::HashMap;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

pub struct Member {
    pub sponsor: Option<UserId>,
    pub leg: Option<String>,
    pub selected_leg: String,
    pub confirmed_at: Option<OffsetDateTime>,
    pub placed_at: Option<OffsetDateTime>,
}

pub async fn member(db: impl PgExecutor<'_>, id: UserId) -> Result<Option<Member>, Error> {
    Ok(sqlx::query_as!(
        Member,
        r#"SELECT sponsor AS "sponsor: UserId", leg, selected_leg, confirmed_at, placed_at FROM affiliates.member WHERE id = $1"#,
        id.0
    )
    .fetch_optional(db)
    .await?)
}

/// `false` when the member exists.
pub async fn insert(
    conn: &mut PgConnection,
    id: UserId,
    sponsor: UserId,
    confirmed_at: Option<OffsetDateTime>,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "WITH counter AS (INSERT INTO affiliates.sponsor_counter (sponsor) VALUES ($1) ON CONFLICT DO NOTHING)
         INSERT INTO affiliates.member (id, sponsor, registered_at, confirmed_at) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING",
        id.0,
        sponsor.0,
        now,
        confirmed_at
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn confirm(conn: &mut PgConnection, id: UserId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.member SET confirmed_at = COALESCE(confirmed_at, $2) WHERE id = $1",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What a placement looks at, all of it held until the transaction ends.
pub struct Placement {
    pub sponsor: Option<UserId>,
    pub confirmed_at: Option<OffsetDateTime>,
    pub placed_at: Option<OffsetDateTime>,
    pub licensed: bool,
    /// Places of the sponsor that members without a licence have.
    pub unlicensed_placed: i64,
    /// Where the sponsor's selected leg ends: that chain, its outermost member, how deep it stands. None below a sponsor without a place.
    pub end: Option<(Leg, Uuid, UserId, i64)>,
}

pub async fn lock_place(conn: &mut PgConnection, id: UserId) -> Result<Option<Placement>, Error> {
    let row = sqlx::query!(
        r#"SELECT sponsor AS "sponsor: UserId", confirmed_at, placed_at, licensed AS "licensed!", unlicensed_placed, leg, chain,
                  parent AS "parent: UserId", depth
           FROM affiliates.lock_place($1)"#,
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| Placement {
        sponsor: r.sponsor,
        confirmed_at: r.confirmed_at,
        placed_at: r.placed_at,
        licensed: r.licensed,
        unlicensed_placed: r.unlicensed_placed.unwrap_or(0),
        end: match (r.leg, r.chain, r.parent, r.depth) {
            (Some(leg), Some(chain), Some(parent), Some(depth)) => {
                Some((Leg::read(&leg), chain, parent, depth))
            }
            _ => None,
        },
    }))
}

/// A place in the tree.
pub struct Place {
    pub sponsor: UserId,
    pub parent: UserId,
    pub leg: Leg,
    /// The chain that the member ends, and the one that begins with it on the other side.
    pub joined: Uuid,
    pub own: Uuid,
    pub depth: i64,
    pub counted_unlicensed: bool,
}

/// Gives a locked member its place: the chains, the row, the sponsor's counters. Who waited for it.
pub async fn place(
    conn: &mut PgConnection,
    id: UserId,
    place: &Place,
    now: OffsetDateTime,
) -> Result<Vec<UserId>, Error> {
    let (other, left_chain, right_chain) = match place.leg {
        Leg::Left => (Leg::Right, place.joined, place.own),
        Leg::Right => (Leg::Left, place.own, place.joined),
    };
    Ok(sqlx::query_scalar!(
        r#"WITH joined AS (UPDATE affiliates.chain SET outermost = $1, length = length + 1 WHERE id = $2),
               begun AS (INSERT INTO affiliates.chain (id, leg, outermost) VALUES ($3, $4, $1)),
               placed AS (UPDATE affiliates.member SET parent = $5, leg = $6, left_chain = $7, right_chain = $8, depth = $9,
                              counted_unlicensed = $10, placed_at = $11 WHERE id = $1),
               counted AS (UPDATE affiliates.sponsor_counter
                           SET placed = placed + 1, unlicensed_placed = unlicensed_placed + CASE WHEN $10 THEN 1 ELSE 0 END
                           WHERE sponsor = $12)
           SELECT id AS "id: UserId" FROM affiliates.member
           WHERE sponsor = $1 AND confirmed_at IS NOT NULL AND placed_at IS NULL ORDER BY confirmed_at, id"#,
        id.0,
        place.joined,
        place.own,
        other.as_str(),
        place.parent.0,
        place.leg.as_str(),
        left_chain,
        right_chain,
        place.depth,
        place.counted_unlicensed,
        now,
        place.sponsor.0
    )
    .fetch_all(conn)
    .await?)
}

pub async fn select_leg(conn: &mut PgConnection, id: UserId, leg: &str) -> Result<bool, Error> {
    Ok(sqlx::query!(
        "UPDATE affiliates.member SET selected_leg = $2 WHERE id = $1",
        id.0,
        leg
    )
    .execute(conn)
    .await?
    .rows_affected()
        == 1)
}

/// Writes down a licence as it is now, for a member who is made one below `house` where that is missing; whether the member is to be
/// placed.
pub async fn put_licence(
    conn: &mut PgConnection,
    licence: &NetworkLicence,
    house: UserId,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT affiliates.put_licence($1, $2, $3, $4, $5, $6, $7) AS "is!""#,
        licence.id.0,
        licence.member.0,
        licence.value.0,
        licence.active,
        licence.ceiling.0,
        house.0,
        now
    )
    .fetch_one(conn)
    .await?)
}

/// A final sale as it is written down.
pub struct Sale {
    pub licence: LicenceId,
    pub member: UserId,
    pub value: Usdt,
    pub points: i64,
    pub business_day: Date,
    /// What its bonuses follow from.
    pub cause: Uuid,
}

/// What of a final sale was not there before.
pub struct Sold {
    /// The seller is a member only since.
    pub admitted: bool,
    pub points: bool,
    pub cause: bool,
}

/// Writes down a sale's points and, with them, the cause of its bonuses, for a member who is made one below `house` where that is missing.
pub async fn sell(
    conn: &mut PgConnection,
    sale: &Sale,
    house: UserId,
    now: OffsetDateTime,
) -> Result<Sold, Error> {
    Ok(sqlx::query_as!(
        Sold,
        r#"WITH counter AS (INSERT INTO affiliates.sponsor_counter (sponsor) VALUES ($2) ON CONFLICT DO NOTHING),
               admitted AS (INSERT INTO affiliates.member (id, sponsor, registered_at, confirmed_at) VALUES ($2, $3, $4, $4)
                            ON CONFLICT (id) DO NOTHING RETURNING id),
               points AS (INSERT INTO affiliates.points (licence, kind, member, points, business_day, booked_at)
                          VALUES ($1, 'sale', $2, $5, $6, $4) ON CONFLICT (licence, kind) DO NOTHING RETURNING licence),
               cause AS (INSERT INTO affiliates.cause (id, kind, member, licence, base, business_day, at, young_until)
                         SELECT $7, 'sale', $2, licence, $8, $6, $4, approvals.young_until($2, $4) FROM points
                         ON CONFLICT DO NOTHING RETURNING id)
           SELECT EXISTS (SELECT FROM admitted) AS "admitted!", EXISTS (SELECT FROM points) AS "points!", EXISTS (SELECT FROM cause) AS "cause!""#,
        sale.licence.0,
        sale.member.0,
        house.0,
        now,
        sale.points,
        sale.business_day,
        sale.cause,
        sale.value.0
    )
    .fetch_one(conn)
    .await?)
}

/// Takes a sale's points back, once, on this day; nothing for a sale that had none.
pub async fn undo_points(
    conn: &mut PgConnection,
    licence: LicenceId,
    business_day: Date,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO affiliates.points (licence, kind, member, points, business_day, booked_at)
         SELECT licence, 'reversal', member, -points, $2, $3 FROM affiliates.points WHERE licence = $1 AND kind = 'sale'
         ON CONFLICT (licence, kind) DO NOTHING",
        licence.0,
        business_day,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Leaves results of a day for the sums of those above.
pub async fn leave_results(
    conn: &mut PgConnection,
    day: Date,
    at: OffsetDateTime,
    results: &[DayResult],
) -> Result<(), Error> {
    let members: Vec<Uuid> = results.iter().map(|r| r.member.0).collect();
    let amounts: Vec<i64> = results.iter().map(|r| r.result.0).collect();
    sqlx::query!(
        "SELECT affiliates.leave_results($1, $2, $3, $4)",
        day,
        at,
        &members,
        &amounts
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn network_used(
    db: impl PgExecutor<'_>,
    licences: &[LicenceId],
) -> Result<HashMap<LicenceId, Usdt>, Error> {
    let ids: Vec<Uuid> = licences.iter().map(|l| l.0).collect();
    let rows = sqlx::query!(
        r#"SELECT licence AS "licence: LicenceId", used FROM affiliates.network_ceiling WHERE licence = ANY($1) AND used > 0"#,
        &ids
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|r| (r.licence, Usdt(r.used))).collect())
}
