//! SQL of the network.

use crate::error::Error;
use protocol::ids::{LicenceId, UserId};
use sqlx::{PgConnection, PgExecutor};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

pub struct Member {
    pub sponsor: Option<UserId>,
    pub leg: Option<String>,
    pub left_chain: Option<Uuid>,
    pub right_chain: Option<Uuid>,
    pub selected_leg: String,
    pub confirmed_at: Option<OffsetDateTime>,
    pub placed_at: Option<OffsetDateTime>,
    pub first_licence_at: Option<OffsetDateTime>,
    pub counted_unlicensed: bool,
}

pub async fn member(db: impl PgExecutor<'_>, id: UserId) -> Result<Option<Member>, Error> {
    Ok(sqlx::query_as!(
        Member,
        r#"SELECT sponsor AS "sponsor: UserId", leg, left_chain, right_chain, selected_leg, confirmed_at, placed_at,
                  first_licence_at, counted_unlicensed
           FROM affiliates.member WHERE id = $1"#,
        id.0
    )
    .fetch_optional(db)
    .await?)
}

/// The member's row, held until the transaction ends.
pub async fn lock_member(conn: &mut PgConnection, id: UserId) -> Result<Option<Member>, Error> {
    Ok(sqlx::query_as!(
        Member,
        r#"SELECT sponsor AS "sponsor: UserId", leg, left_chain, right_chain, selected_leg, confirmed_at, placed_at,
                  first_licence_at, counted_unlicensed
           FROM affiliates.member WHERE id = $1 FOR NO KEY UPDATE"#,
        id.0
    )
    .fetch_optional(conn)
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
        "INSERT INTO affiliates.member (id, sponsor, registered_at, confirmed_at) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING",
        id.0,
        sponsor.0,
        now,
        confirmed_at
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "INSERT INTO affiliates.sponsor_counter (sponsor) VALUES ($1) ON CONFLICT DO NOTHING",
        id.0
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

pub struct Counter {
    pub unlicensed_placed: i64,
}

/// A sponsor's counters, held until the transaction ends: before any chain.
pub async fn lock_counter(conn: &mut PgConnection, sponsor: UserId) -> Result<Counter, Error> {
    Ok(sqlx::query_as!(
        Counter,
        "SELECT unlicensed_placed FROM affiliates.sponsor_counter WHERE sponsor = $1 FOR UPDATE",
        sponsor.0
    )
    .fetch_one(conn)
    .await?)
}

pub async fn count(
    conn: &mut PgConnection,
    sponsor: UserId,
    placed: i64,
    unlicensed: i64,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.sponsor_counter SET placed = placed + $2, unlicensed_placed = unlicensed_placed + $3 WHERE sponsor = $1",
        sponsor.0,
        placed,
        unlicensed
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A chain's outermost node and its depth; the chain is held until the transaction ends.
pub async fn lock_chain(conn: &mut PgConnection, chain: Uuid) -> Result<(UserId, i64), Error> {
    let outermost = sqlx::query_scalar!(
        r#"SELECT outermost AS "outermost: UserId" FROM affiliates.chain WHERE id = $1 FOR UPDATE"#,
        chain
    )
    .fetch_one(&mut *conn)
    .await?;
    let depth = sqlx::query_scalar!("SELECT depth FROM affiliates.member WHERE id = $1", outermost.0)
        .fetch_one(conn)
        .await?;
    Ok((outermost, depth.unwrap_or(0)))
}

pub async fn extend_chain(conn: &mut PgConnection, chain: Uuid, outermost: UserId) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.chain SET outermost = $2, length = length + 1 WHERE id = $1",
        chain,
        outermost.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn new_chain(
    conn: &mut PgConnection,
    chain: Uuid,
    leg: &str,
    outermost: UserId,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO affiliates.chain (id, leg, outermost) VALUES ($1, $2, $3)",
        chain,
        leg,
        outermost.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub struct Place<'a> {
    pub parent: UserId,
    pub leg: &'a str,
    pub left_chain: Uuid,
    pub right_chain: Uuid,
    pub depth: i64,
    pub counted_unlicensed: bool,
}

pub async fn place(
    conn: &mut PgConnection,
    id: UserId,
    place: &Place<'_>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.member SET parent = $2, leg = $3, left_chain = $4, right_chain = $5, depth = $6, counted_unlicensed = $7, placed_at = $8 WHERE id = $1",
        id.0,
        place.parent.0,
        place.leg,
        place.left_chain,
        place.right_chain,
        place.depth,
        place.counted_unlicensed,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Members who wait for their sponsor's place.
pub async fn waiting(conn: &mut PgConnection, sponsor: UserId) -> Result<Vec<UserId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT id AS "id: UserId" FROM affiliates.member WHERE sponsor = $1 AND confirmed_at IS NOT NULL AND placed_at IS NULL ORDER BY confirmed_at, id"#,
        sponsor.0
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

pub async fn first_licence(conn: &mut PgConnection, id: UserId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.member SET first_licence_at = $2, counted_unlicensed = false WHERE id = $1",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn put_licence(
    conn: &mut PgConnection,
    licence: LicenceId,
    member: UserId,
    value: i64,
    active: bool,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO affiliates.member_licence (licence, member, value, active, since, updated_at) VALUES ($1, $2, $3, $4, $5, $5)
         ON CONFLICT (licence) DO UPDATE SET value = $3, active = $4, updated_at = $5",
        licence.0,
        member.0,
        value,
        active,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// `false` when the sale's points were written before.
pub async fn insert_points(
    conn: &mut PgConnection,
    licence: LicenceId,
    member: UserId,
    points: i64,
    business_day: Date,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "INSERT INTO affiliates.points (licence, member, points, business_day, booked_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (licence) DO NOTHING",
        licence.0,
        member.0,
        points,
        business_day,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}
