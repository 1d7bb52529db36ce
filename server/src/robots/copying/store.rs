//! SQL of copying.

use super::model::LeaderView;
use crate::{
    error::Error,
    foundation::{http::Paging, text},
    ledger::amount::Amount,
};
use protocol::{
    ids::{FollowingId, LicenceId, UserId},
    money::Usdt,
    views::{FollowingState, FollowingView, LeaderEnd, Mode},
};
use sqlx::{PgConnection, PgExecutor, PgPool};
use std::collections::HashMap;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// A robot's line as a leader, made where there is none, locked until the change ends; whether it is open.
pub async fn lock_leader(
    conn: &mut PgConnection,
    licence: LicenceId,
    owner: UserId,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    sqlx::query!(
        "INSERT INTO robots.leader (licence, owner, opened_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        licence.0,
        owner.0,
        now
    )
    .execute(&mut *conn)
    .await?;
    Ok(sqlx::query_scalar!(
        "SELECT open FROM robots.leader WHERE licence = $1 FOR UPDATE",
        licence.0
    )
    .fetch_one(conn)
    .await?)
}

pub async fn open_leader(
    conn: &mut PgConnection,
    licence: LicenceId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE robots.leader SET open = true, opened_at = $2, closed_at = NULL, why = NULL WHERE licence = $1",
        licence.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Closes an open leader; false when it was not open.
pub async fn close_leader(
    conn: &mut PgConnection,
    licence: LicenceId,
    why: LeaderEnd,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE robots.leader SET open = false, closed_at = $3, why = $2 WHERE licence = $1 AND open",
        licence.0,
        why.as_str(),
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// A leader whom somebody is about to follow; it cannot close before they have.
pub async fn leader(conn: &mut PgConnection, licence: LicenceId) -> Result<Option<(UserId, bool)>, Error> {
    let row = sqlx::query!(
        r#"SELECT l.owner, l.open AND c.state = 'active' AND a.status = 'active' AS "open!"
           FROM robots.leader l JOIN licences.licence c ON c.id = l.licence JOIN identity.account a ON a.id = l.owner
           WHERE l.licence = $1 FOR SHARE OF l"#,
        licence.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| (UserId(r.owner), r.open)))
}

/// What copying knows of a robot.
pub struct Record {
    pub leads: bool,
    pub follows: bool,
    pub followers: i64,
    /// Of its results in a mode.
    pub first: Option<Date>,
    pub operations: i64,
}

pub async fn record(db: impl PgExecutor<'_>, licence: LicenceId, mode: Mode) -> Result<Record, Error> {
    Ok(sqlx::query_as!(
        Record,
        r#"SELECT EXISTS (SELECT FROM robots.leader WHERE licence = $1 AND open) AS "leads!",
                  EXISTS (SELECT FROM robots.following WHERE follower = $1 AND state = 'active') AS "follows!",
                  (SELECT count(*) FROM robots.following WHERE leader = $1 AND state = 'active') AS "followers!",
                  min(day) AS first, foundation.clamped(coalesce(sum(operations), 0)) AS "operations!"
           FROM robots.day_result WHERE licence = $1 AND mode = $2"#,
        licence.0,
        mode.as_str()
    )
    .fetch_one(db)
    .await?)
}

/// The median of what robots that trade by themselves have allocated, of two in the middle the lower; zero without any.
pub async fn median(db: impl PgExecutor<'_>, least: Usdt) -> Result<Usdt, Error> {
    let median = sqlx::query_scalar!(
        r#"SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY l.allocated)
           FROM licences.licence l JOIN identity.account a ON a.id = l.owner AND a.status = 'active'
           WHERE l.state = 'active' AND l.allocated > 0 AND l.allocated >= $1 AND NOT l.paused AND NOT l.manual_key"#,
        least.0
    )
    .fetch_one(db)
    .await?;
    Ok(Usdt(median.unwrap_or(0)))
}

pub struct NewFollowing {
    pub id: FollowingId,
    pub follower: LicenceId,
    pub owner: UserId,
    pub leader: LicenceId,
    pub maximum_loss: Usdt,
}

pub async fn insert(conn: &mut PgConnection, new: &NewFollowing, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO robots.following (id, follower, owner, leader, since, maximum_loss) VALUES ($1, $2, $3, $4, $5, $6)",
        new.id.0,
        new.follower.0,
        new.owner.0,
        new.leader.0,
        now,
        new.maximum_loss.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

struct Row {
    id: Uuid,
    owner: Uuid,
    follower: Uuid,
    number: i32,
    leader: Uuid,
    name: String,
    since: OffsetDateTime,
    maximum_loss: i64,
    net: i64,
    state: String,
    ended_at: Option<OffsetDateTime>,
}

/// A following with whose it is.
pub struct Following {
    pub owner: UserId,
    pub view: FollowingView,
}

impl TryFrom<Row> for Following {
    type Error = Error;
    fn try_from(r: Row) -> Result<Self, Error> {
        let state: FollowingState = r
            .state
            .parse()
            .map_err(|()| Error::internal("a following in an unknown state"))?;
        Ok(Self {
            owner: UserId(r.owner),
            view: FollowingView {
                id: FollowingId(r.id),
                licence: LicenceId(r.follower),
                number: r.number,
                leader: LicenceId(r.leader),
                name: r.name,
                since: r.since,
                maximum_loss: Usdt(r.maximum_loss),
                net: Usdt(r.net),
                state,
                ended_at: r.ended_at,
                version: if state == FollowingState::Active { 1 } else { 2 },
            },
        })
    }
}

fn read(rows: Vec<Row>) -> Result<Vec<Following>, Error> {
    rows.into_iter().map(Following::try_from).collect()
}

/// A person's followings, newest first; or the one that a robot of theirs runs now.
pub async fn list(
    db: impl PgExecutor<'_>,
    owner: UserId,
    running: Option<LicenceId>,
) -> Result<Vec<Following>, Error> {
    let rows = sqlx::query_as!(
        Row,
        "SELECT f.id, f.owner, f.follower, c.number, f.leader, a.username AS name, f.since, f.maximum_loss, f.net, f.state, f.ended_at
         FROM robots.following f JOIN robots.leader l ON l.licence = f.leader JOIN identity.account a ON a.id = l.owner
         JOIN licences.licence c ON c.id = f.follower
         WHERE f.owner = $1 AND ($2::uuid IS NULL OR (f.follower = $2 AND f.state = 'active'))
         ORDER BY f.since DESC, f.id DESC LIMIT 500",
        owner.0,
        running.map(|l| l.0)
    )
    .fetch_all(db)
    .await?;
    read(rows)
}

/// Ends what these robots follow now, of one leader or of whichever; what ended.
pub async fn end(
    conn: &mut PgConnection,
    followers: &[Uuid],
    leader: Option<LicenceId>,
    state: FollowingState,
    now: OffsetDateTime,
) -> Result<Vec<Following>, Error> {
    let rows = sqlx::query_as!(
        Row,
        "UPDATE robots.following f SET state = $3, ended_at = $4
         FROM robots.leader l, identity.account a, licences.licence c
         WHERE f.follower = ANY($1) AND f.state = 'active' AND ($2::uuid IS NULL OR f.leader = $2)
           AND l.licence = f.leader AND a.id = l.owner AND c.id = f.follower
         RETURNING f.id, f.owner, f.follower, c.number, f.leader, a.username AS name, f.since, f.maximum_loss, f.net, f.state, f.ended_at",
        followers,
        leader.map(|l| l.0),
        state.as_str(),
        now
    )
    .fetch_all(conn)
    .await?;
    read(rows)
}

/// Counts booked results of robots; of those that follow, what they follow then, ended where the maximum loss is reached.
pub async fn book(
    conn: &mut PgConnection,
    robots: &[Uuid],
    results: &[i64],
    now: OffsetDateTime,
) -> Result<Vec<Following>, Error> {
    let rows = sqlx::query_as!(
        Row,
        "UPDATE robots.following f SET net = f.net + r.result,
             state = CASE WHEN f.net + r.result <= -f.maximum_loss THEN 'loss' ELSE 'active' END,
             ended_at = CASE WHEN f.net + r.result <= -f.maximum_loss THEN $3::timestamptz END
         FROM unnest($1::uuid[], $2::bigint[]) AS r(robot, result), robots.leader l, identity.account a, licences.licence c
         WHERE f.follower = r.robot AND f.state = 'active' AND l.licence = f.leader AND a.id = l.owner AND c.id = f.follower
         RETURNING f.id, f.owner, f.follower, c.number, f.leader, a.username AS name, f.since, f.maximum_loss, f.net, f.state, f.ended_at",
        robots,
        results,
        now
    )
    .fetch_all(conn)
    .await?;
    read(rows)
}

/// All who follow, whom, and whether that one still leads and trades.
pub async fn followed(db: impl PgExecutor<'_>) -> Result<Vec<(LicenceId, LicenceId, bool)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT f.follower, f.leader, l.open AND c.state = 'active' AND a.status = 'active' AS "leads!"
           FROM robots.following f JOIN robots.leader l ON l.licence = f.leader
           JOIN licences.licence c ON c.id = f.leader JOIN identity.account a ON a.id = l.owner
           WHERE f.state = 'active'"#
    )
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| (LicenceId(r.follower), LicenceId(r.leader), r.leads))
        .collect())
}

/// Those of these robots that follow, with whom. One in its owner's hands copies nothing meanwhile.
pub async fn leaders_of(
    conn: &mut PgConnection,
    robots: &[Uuid],
) -> Result<HashMap<LicenceId, LicenceId>, Error> {
    let rows = sqlx::query!(
        "SELECT f.follower, f.leader FROM robots.following f JOIN licences.licence c ON c.id = f.follower
         WHERE f.follower = ANY($1) AND f.state = 'active' AND NOT c.manual_key",
        robots
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| (LicenceId(r.follower), LicenceId(r.leader)))
        .collect())
}

/// Some of a leader's followers.
pub async fn followers(
    db: impl PgExecutor<'_>,
    leader: LicenceId,
    limit: i64,
) -> Result<Vec<LicenceId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT follower AS "id: LicenceId" FROM robots.following WHERE leader = $1 AND state = 'active' ORDER BY follower LIMIT $2"#,
        leader.0,
        limit
    )
    .fetch_all(db)
    .await?)
}

/// Leaders that are open and whose licence has ended or whose owner is not active, with the reason.
pub async fn gone(db: impl PgExecutor<'_>, limit: i64) -> Result<Vec<(LicenceId, LeaderEnd)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT l.licence, CASE WHEN c.state = 'active' THEN 'inactive' ELSE c.state END AS "why!"
           FROM robots.leader l JOIN licences.licence c ON c.id = l.licence JOIN identity.account a ON a.id = l.owner
           WHERE l.open AND (c.state <> 'active' OR a.status <> 'active') ORDER BY l.licence LIMIT $1"#,
        limit
    )
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|r| {
            let why = r
                .why
                .parse()
                .map_err(|()| Error::internal("a licence in an unknown state"))?;
            Ok((LicenceId(r.licence), why))
        })
        .collect()
}

/// Leaders that are closed and still have followers: a change that closed one had too many for one transaction.
pub async fn left_behind(db: impl PgExecutor<'_>, limit: i64) -> Result<Vec<LicenceId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT DISTINCT f.leader AS "id: LicenceId" FROM robots.following f JOIN robots.leader l ON l.licence = f.leader
           WHERE f.state = 'active' AND NOT l.open LIMIT $1"#,
        limit
    )
    .fetch_all(db)
    .await?)
}

/// Followers whose own licence has ended.
pub async fn ended_followers(db: impl PgExecutor<'_>, limit: i64) -> Result<Vec<Uuid>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT f.follower FROM robots.following f JOIN licences.licence c ON c.id = f.follower
         WHERE f.state = 'active' AND c.state <> 'active' LIMIT $1",
        limit
    )
    .fetch_all(db)
    .await?)
}

/// What of the leaders is asked for.
pub struct Asked<'a> {
    pub by: UserId,
    pub mode: Mode,
    pub today: Date,
    pub search: Option<&'a str>,
    /// `return`, `operations`, `followers` or `days`.
    pub sort: &'static str,
}

/// Leaders with their results, and how many there are.
pub async fn leaders(
    pool: &PgPool,
    asked: &Asked<'_>,
    paging: &Paging,
) -> Result<(Vec<LeaderView>, i64), Error> {
    let name = asked.search.map(text::searched);
    // Results count up to the day on which a leader closed; the return, by capital of closed days, only those.
    let rows = sqlx::query!(
        r#"SELECT x.licence AS "licence!", x.name AS "name!", x.own AS "own!", x.is_high_risk AS "high_risk!", x.open AS "open!",
                  x.opened_at AS "opened_at!", x.closed_at AS "closed_at?", x.why AS "why?", x.days AS "days!", x.operations AS "operations!",
                  x.gain AS "gain!", x.loss AS "loss!", x.worst AS "worst?", x.closed_net AS "closed_net!",
                  x.weight::numeric(38, 0) AS "weight!: Amount", x.worked AS "worked!", x.followers AS "followers!", x.mine AS "mine!"
           FROM (
               SELECT l.licence, a.username AS name, l.owner = $2 AS own, c.is_high_risk,
                      l.open AND c.state = 'active' AND a.status = 'active' AS open, l.opened_at, l.closed_at, l.why,
                      coalesce(least(e.last, $3) - r.first, 0)::bigint AS days, r.operations, r.gain, r.loss, r.worst, r.closed_net,
                      w.weight, w.worked, f.followers, f.mine
               FROM robots.leader l JOIN identity.account a ON a.id = l.owner JOIN licences.licence c ON c.id = l.licence
               CROSS JOIN LATERAL (SELECT coalesce((l.closed_at AT TIME ZONE 'America/Sao_Paulo')::date, $3) AS last,
                                          (SELECT max(day) FROM robots.closed_day) AS closed) e
               CROSS JOIN LATERAL (
                   SELECT min(d.day) AS first, foundation.clamped(coalesce(sum(d.operations), 0)) AS operations,
                          foundation.clamped(coalesce(sum(d.gain), 0)) AS gain, foundation.clamped(coalesce(sum(d.loss), 0)) AS loss, min(d.gain - d.loss) AS worst,
                          foundation.clamped(coalesce(sum(d.gain - d.loss) FILTER (WHERE d.day <= e.closed), 0)) AS closed_net
                   FROM robots.day_result d WHERE d.licence = l.licence AND d.mode = $1 AND d.day <= e.last) r
               CROSS JOIN LATERAL (
                   SELECT coalesce(sum(k.weight), 0) AS weight, count(*) AS worked FROM robots.day_close k
                   WHERE k.licence = l.licence AND k.name = 'allocated' AND k.weight > 0
                     AND k.day BETWEEN r.first AND least(e.last, e.closed)) w
               CROSS JOIN LATERAL (
                   SELECT count(*) AS followers, coalesce(bool_or(g.owner = $2), false) AS mine
                   FROM robots.following g WHERE g.leader = l.licence AND g.state = 'active') f
               WHERE $4::text IS NULL OR a.username_key LIKE $4) x
           CROSS JOIN LATERAL (SELECT CASE $5 WHEN 'return' THEN x.closed_net::numeric * x.worked / nullif(x.weight, 0)
                                             WHEN 'operations' THEN x.operations WHEN 'followers' THEN x.followers ELSE x.days END AS key) s
           ORDER BY CASE WHEN $6 THEN s.key END DESC NULLS LAST, CASE WHEN NOT $6 THEN s.key END NULLS LAST, x.licence
           LIMIT $7 OFFSET $8"#,
        asked.mode.as_str(),
        asked.by.0,
        asked.today,
        name,
        asked.sort,
        paging.descending,
        paging.limit,
        paging.offset
    )
    .fetch_all(pool)
    .await?;
    let total = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM robots.leader l JOIN identity.account a ON a.id = l.owner
           WHERE $1::text IS NULL OR a.username_key LIKE $1"#,
        name
    )
    .fetch_one(pool)
    .await?;
    let views = rows.into_iter().map(|r| {
        let why = match r.why.as_deref().map(str::parse::<LeaderEnd>) {
            None => None,
            Some(Ok(why)) => Some(why),
            Some(Err(())) => return Err(Error::internal("a leader closed for an unknown reason")),
        };
        Ok(LeaderView {
            id: LicenceId(r.licence),
            name: r.name,
            own: r.own,
            high_risk: r.high_risk,
            open: r.open,
            opened_at: r.opened_at,
            closed_at: r.closed_at,
            why,
            days: r.days,
            operations: r.operations,
            gains: Usdt(r.gain),
            losses: Usdt(r.loss),
            net: Usdt(r.gain - r.loss),
            rate: super::rules::rate(Usdt(r.closed_net), r.weight.0, r.worked),
            worst_day: r.worst.map(Usdt),
            followers: r.followers,
            followed_by_me: r.mine,
            mode: asked.mode,
        })
    });
    Ok((views.collect::<Result<_, Error>>()?, total))
}
