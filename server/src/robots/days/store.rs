//! SQL of robots' days.

use super::rules::{Tally, Trader};
use crate::{affiliates::model::DayResult, error::Error, foundation::business_day, ledger::amount::Amount};
use protocol::{
    ids::{LicenceId, TransferId, UserId},
    money::Usdt,
    views::Mode,
};
use sqlx::{PgConnection, PgPool};
use std::collections::BTreeMap;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

fn of<K>(results: &BTreeMap<K, Tally>, f: fn(&Tally) -> i64) -> Vec<i64> {
    results.values().map(f).collect()
}

/// Adds to days' results, in the order of their keys.
pub async fn add_days(
    conn: &mut PgConnection,
    mode: Mode,
    day: Date,
    days: &BTreeMap<(LicenceId, UserId), Tally>,
) -> Result<(), Error> {
    let licences: Vec<Uuid> = days.keys().map(|(licence, _)| licence.0).collect();
    let owners: Vec<Uuid> = days.keys().map(|(_, owner)| owner.0).collect();
    sqlx::query!(
        "INSERT INTO robots.day_result AS d (licence, mode, day, owner, gain, loss, fees, operations, hits)
         SELECT licence, $1, $2, owner, gain, loss, fees, operations, hits
         FROM unnest($3::uuid[], $4::uuid[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
              AS n(licence, owner, gain, loss, fees, operations, hits)
         ON CONFLICT (licence, mode, day) DO UPDATE SET gain = d.gain + excluded.gain, loss = d.loss + excluded.loss,
             fees = d.fees + excluded.fees, operations = d.operations + excluded.operations, hits = d.hits + excluded.hits",
        mode.as_str(),
        day,
        &licences,
        &owners,
        &of(days, |r| r.gain.0),
        &of(days, |r| r.loss.0),
        &of(days, |r| r.fees.0),
        &of(days, |r| r.operations),
        &of(days, |r| r.hits)
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Adds to what settlements made of people's money on the day of the moment, in the order of their ids.
pub async fn add_settled(
    conn: &mut PgConnection,
    mode: Mode,
    at: OffsetDateTime,
    transfer: TransferId,
    owners: &BTreeMap<UserId, Usdt>,
) -> Result<(), Error> {
    let ids: Vec<Uuid> = owners.keys().map(|owner| owner.0).collect();
    let nets: Vec<i64> = owners.values().map(|net| net.0).collect();
    sqlx::query!(
        "INSERT INTO robots.day_settled AS d (owner, mode, day, net, settlements, last_at, last)
         SELECT owner, $1, $2, net, 1, $3, $4 FROM unnest($5::uuid[], $6::bigint[]) AS n(owner, net)
         ON CONFLICT (owner, day, mode) DO UPDATE SET net = d.net + excluded.net, settlements = d.settlements + 1,
             last_at = greatest(d.last_at, excluded.last_at),
             last = CASE WHEN excluded.last_at >= d.last_at THEN excluded.last ELSE d.last END",
        mode.as_str(),
        business_day::of(at),
        at,
        transfer.0,
        &ids,
        &nets
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Adds to routes' results of a day, in the order of their keys.
pub async fn add_routes(
    conn: &mut PgConnection,
    mode: Mode,
    day: Date,
    routes: &BTreeMap<(LicenceId, &str), Tally>,
) -> Result<(), Error> {
    let licences: Vec<Uuid> = routes.keys().map(|(licence, _)| licence.0).collect();
    let names: Vec<String> = routes.keys().map(|(_, route)| (*route).to_owned()).collect();
    sqlx::query!(
        "INSERT INTO robots.day_route AS d (licence, mode, day, route, gain, loss, fees, operations, hits)
         SELECT licence, $1, $2, route, gain, loss, fees, operations, hits
         FROM unnest($3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
              AS n(licence, route, gain, loss, fees, operations, hits)
         ON CONFLICT (licence, mode, day, route) DO UPDATE SET gain = d.gain + excluded.gain, loss = d.loss + excluded.loss,
             fees = d.fees + excluded.fees, operations = d.operations + excluded.operations, hits = d.hits + excluded.hits",
        mode.as_str(),
        day,
        &licences,
        &names,
        &of(routes, |r| r.gain.0),
        &of(routes, |r| r.loss.0),
        &of(routes, |r| r.fees.0),
        &of(routes, |r| r.operations),
        &of(routes, |r| r.hits)
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn last_closed(pool: &PgPool) -> Result<Option<Date>, Error> {
    Ok(sqlx::query_scalar!("SELECT max(day) FROM robots.closed_day")
        .fetch_one(pool)
        .await?)
}

/// The day of the first purchase.
pub async fn first_day(pool: &PgPool) -> Result<Option<Date>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT (min(paid_at) AT TIME ZONE 'America/Sao_Paulo')::date FROM licences.licence"
    )
    .fetch_one(pool)
    .await?)
}

/// The next licences in the order of their ids.
pub async fn chunk(conn: &mut PgConnection, after: Uuid, limit: i64) -> Result<Vec<Uuid>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM licences.licence WHERE id > $1 ORDER BY id LIMIT $2",
        after,
        limit
    )
    .fetch_all(conn)
    .await?)
}

/// Closes a day of these licences: from where the day before ended through the day's postings.
pub async fn close(
    conn: &mut PgConnection,
    licences: &[Uuid],
    day: Date,
    from: OffsetDateTime,
    until: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO robots.day_close (account, day, licence, name, balance, version, weight)
         SELECT a.id, $2, a.owner, a.name, coalesce(n.balance, o.balance, 0)::bigint, coalesce(n.version, o.version, 0),
                CASE WHEN a.name <> 'allocated' THEN 0
                     ELSE floor(coalesce(o.balance, 0) * extract(epoch FROM coalesce(n.first, $4) - $3) + coalesce(n.weight, 0)) END
         FROM ledger.account a
         LEFT JOIN LATERAL (SELECT c.balance, c.version FROM robots.day_close c WHERE c.account = a.id AND c.day < $2
                            ORDER BY c.day DESC LIMIT 1) o ON true
         LEFT JOIN LATERAL (
             SELECT max(x.version) AS version, (array_agg(x.balance_after ORDER BY x.version DESC))[1] AS balance, min(x.at) AS first,
                    sum(x.balance_after * greatest(extract(epoch FROM x.until - x.at), 0)) AS weight
             FROM (SELECT p.version, p.balance_after, greatest(t.at, $3) AS at,
                          lead(greatest(t.at, $3), 1, $4) OVER (ORDER BY p.version) AS until
                   FROM ledger.posting p JOIN ledger.transfer t ON t.id = p.transfer
                   WHERE p.account = a.id AND p.version > coalesce(o.version, 0) AND t.at < $4) x) n ON true
         WHERE a.owner = ANY($1) AND a.owner_kind = 'licence' AND a.currency = 'USDT' AND a.name IN ('allocated', 'yield', 'loan')
           AND (n.version IS NOT NULL OR (a.name = 'allocated' AND o.balance > 0))
         ON CONFLICT (account, day) DO NOTHING",
        licences,
        day,
        from,
        until
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn mark_closed(conn: &mut PgConnection, day: Date, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO robots.closed_day (day, at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        day,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Everyone's month in a mode.
pub async fn traders(pool: &PgPool, mode: Mode, first: Date, last: Date) -> Result<Vec<Trader>, Error> {
    let rows = sqlx::query!(
        r#"SELECT r.owner, r.net AS "net!", r.days AS "days!", coalesce(w.weight, 0)::numeric(38, 0) AS "weight!: Amount"
           FROM (SELECT owner, foundation.clamped(sum(gain - loss)) AS net, count(DISTINCT day) AS days
                 FROM robots.day_result WHERE mode = $1 AND day BETWEEN $2 AND $3 GROUP BY owner) r
           LEFT JOIN (SELECT l.owner, sum(c.weight) AS weight FROM robots.day_close c JOIN licences.licence l ON l.id = c.licence
                      WHERE c.name = 'allocated' AND c.day BETWEEN $2 AND $3 GROUP BY l.owner) w ON w.owner = r.owner"#,
        mode.as_str(),
        first,
        last
    )
    .fetch_all(pool)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| Trader {
            owner: UserId(r.owner),
            net: Usdt(r.net),
            weight: r.weight.0,
            days: r.days,
        })
        .collect())
}

pub async fn replace_gold(
    conn: &mut PgConnection,
    mode: Mode,
    through: Date,
    owners: &[UserId],
) -> Result<(), Error> {
    sqlx::query!("DELETE FROM robots.gold_trader WHERE mode = $1", mode.as_str())
        .execute(&mut *conn)
        .await?;
    let owners: Vec<Uuid> = owners.iter().map(|o| o.0).collect();
    sqlx::query!(
        "INSERT INTO robots.gold_trader (mode, owner, through) SELECT $1, owner, $2 FROM unnest($3::uuid[]) AS o(owner)",
        mode.as_str(),
        through,
        &owners
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn is_gold(pool: &PgPool, owner: UserId, mode: Mode, since: Date) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM robots.gold_trader WHERE mode = $1 AND owner = $2 AND through >= $3) AS "gold!""#,
        mode.as_str(),
        owner.0,
        since
    )
    .fetch_one(pool)
    .await?)
}

/// Gains less losses of a day, by owner, of these modes.
pub async fn results_of(conn: &mut PgConnection, modes: &[Mode], day: Date) -> Result<Vec<DayResult>, Error> {
    let modes: Vec<&str> = modes.iter().map(|m| m.as_str()).collect();
    Ok(sqlx::query_as!(
        DayResult,
        r#"SELECT owner AS "member: UserId", foundation.clamped(sum(gain - loss)) AS "result!: Usdt" FROM robots.day_result
           WHERE mode = ANY($1) AND day = $2 GROUP BY owner"#,
        &modes as &[&str],
        day
    )
    .fetch_all(conn)
    .await?)
}
