//! SQL of the analytics.

use crate::{
    error::Error,
    ledger::amount::Amount,
    reports::{
        figures::{TOTAL, names},
        flows::{Flow, kinds},
    },
    robots::days::rules::Tally,
};
use protocol::{
    ids::{LicenceId, UserId},
    money::Usdt,
    views::Mode,
};
use sqlx::PgConnection;
use std::collections::BTreeMap;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// Days of one mode.
pub struct Span {
    pub mode: Mode,
    pub first: Date,
    pub last: Date,
}

pub struct Bonus {
    pub day: Date,
    pub kind: String,
    pub amount: Usdt,
}

fn ids(licences: &[LicenceId]) -> Vec<Uuid> {
    licences.iter().map(|l| l.0).collect()
}

/// The modes in which these robots have results.
pub async fn modes(conn: &mut PgConnection, licences: &[LicenceId]) -> Result<Vec<Mode>, Error> {
    let rows = sqlx::query_scalar!(
        r#"SELECT m.mode AS "mode!" FROM unnest(ARRAY['simulated', 'paper', 'live']) WITH ORDINALITY AS m(mode, place)
           WHERE EXISTS (SELECT FROM robots.day_result d WHERE d.licence = ANY($1) AND d.mode = m.mode) ORDER BY m.place"#,
        &ids(licences)
    )
    .fetch_all(conn)
    .await?;
    rows.iter()
        .map(|mode| mode.parse().map_err(|()| Error::internal("an unknown mode")))
        .collect()
}

pub async fn days(
    conn: &mut PgConnection,
    licences: &[LicenceId],
    span: &Span,
) -> Result<BTreeMap<Date, Tally>, Error> {
    let rows = sqlx::query!(
        r#"SELECT day, foundation.clamped(sum(gain)) AS "gain!", foundation.clamped(sum(loss)) AS "loss!", foundation.clamped(sum(fees)) AS "fees!",
                  foundation.clamped(sum(operations)) AS "operations!", foundation.clamped(sum(hits)) AS "hits!"
           FROM robots.day_result WHERE licence = ANY($1) AND mode = $2 AND day BETWEEN $3 AND $4 GROUP BY day"#,
        &ids(licences),
        span.mode.as_str(),
        span.first,
        span.last
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| (r.day, tally(r.gain, r.loss, r.fees, r.operations, r.hits)))
        .collect())
}

const fn tally(gain: i64, loss: i64, fees: i64, operations: i64, hits: i64) -> Tally {
    Tally {
        gain: Usdt(gain),
        loss: Usdt(loss),
        fees: Usdt(fees),
        operations,
        hits,
    }
}

/// Robots with results, the best first.
pub async fn robots(
    conn: &mut PgConnection,
    licences: &[LicenceId],
    span: &Span,
) -> Result<Vec<(LicenceId, Tally)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT licence, foundation.clamped(sum(gain)) AS "gain!", foundation.clamped(sum(loss)) AS "loss!", foundation.clamped(sum(fees)) AS "fees!",
                  foundation.clamped(sum(operations)) AS "operations!", foundation.clamped(sum(hits)) AS "hits!"
           FROM robots.day_result WHERE licence = ANY($1) AND mode = $2 AND day BETWEEN $3 AND $4
           GROUP BY licence ORDER BY sum(gain - loss) DESC, licence"#,
        &ids(licences),
        span.mode.as_str(),
        span.first,
        span.last
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| {
            (
                LicenceId(r.licence),
                tally(r.gain, r.loss, r.fees, r.operations, r.hits),
            )
        })
        .collect())
}

/// Routes, the busiest first.
pub async fn routes(
    conn: &mut PgConnection,
    licences: &[LicenceId],
    span: &Span,
) -> Result<Vec<(String, Tally)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT route, foundation.clamped(sum(gain)) AS "gain!", foundation.clamped(sum(loss)) AS "loss!", foundation.clamped(sum(fees)) AS "fees!",
                  foundation.clamped(sum(operations)) AS "operations!", foundation.clamped(sum(hits)) AS "hits!"
           FROM robots.day_route WHERE licence = ANY($1) AND mode = $2 AND day BETWEEN $3 AND $4
           GROUP BY route ORDER BY sum(operations) DESC, route"#,
        &ids(licences),
        span.mode.as_str(),
        span.first,
        span.last
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| (r.route, tally(r.gain, r.loss, r.fees, r.operations, r.hits)))
        .collect())
}

/// What the network paid, by day and type of bonus. What a closing paid of one type is one movement, whose key names the type.
pub async fn bonus(conn: &mut PgConnection, user: UserId) -> Result<Vec<Bonus>, Error> {
    let rows = sqlx::query!(
        r#"SELECT (t.at AT TIME ZONE 'America/Sao_Paulo')::date AS "day!",
                  CASE t.cause_kind WHEN 'closing' THEN split_part(t.key, ':', 3) ELSE coalesce(b.kind, t.kind) END AS "kind!",
                  foundation.clamped(sum(p.amount)) AS "amount!"
           FROM ledger.account a JOIN ledger.posting p ON p.account = a.id JOIN ledger.transfer t ON t.id = p.transfer
           LEFT JOIN affiliates.bonus b ON t.cause_kind = 'bonus' AND b.id = t.cause
           WHERE a.owner = $1 AND a.name = 'bonus' AND p.amount > 0 AND t.kind IN ('bonus', 'graduation_bonus')
           GROUP BY 1, 2 ORDER BY 1, 2"#,
        user.0
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| Bonus {
            day: r.day,
            kind: r.kind,
            amount: Usdt(r.amount),
        })
        .collect())
}

/// What each account of a person held at the end of the days on which it moved; today as it stands. A licence's busy accounts are
/// read from the closed days, and posting by posting only after the last of these.
pub async fn day_ends(
    conn: &mut PgConnection,
    user: UserId,
    today: Date,
) -> Result<Vec<(Uuid, Date, Usdt)>, Error> {
    let rows = sqlx::query!(
        r#"WITH own AS (
               SELECT a.id, a.balance, a.name IN ('allocated', 'yield', 'loan') AS busy
               FROM ledger.account a
               WHERE (a.owner = $1 OR a.owner IN (SELECT id FROM licences.licence WHERE owner = $1)) AND a.currency = 'USDT'
                 AND split_part(a.name, ':', 1) = ANY($3)),
           open AS (SELECT coalesce(max(day) < $2::date - 1, true) AS open FROM robots.closed_day),
           closed AS (SELECT c.account, c.day, c.balance, c.version FROM robots.day_close c JOIN own ON own.id = c.account WHERE own.busy),
           since AS (
               SELECT p.account, p.version, p.balance_after,
                      max((t.at AT TIME ZONE 'America/Sao_Paulo')::date) OVER (PARTITION BY p.account ORDER BY p.version) AS day
               FROM own JOIN ledger.posting p ON p.account = own.id
                    AND p.version > coalesce((SELECT max(c.version) FROM closed c WHERE c.account = own.id), 0)
               JOIN ledger.transfer t ON t.id = p.transfer
               WHERE NOT own.busy OR (SELECT open FROM open)),
           lines AS (
               SELECT account, day, balance::numeric AS balance FROM closed
               UNION ALL
               SELECT account, day, balance_after FROM (SELECT DISTINCT ON (account, day) * FROM since ORDER BY account, day, version DESC) s
               WHERE day < $2
               UNION ALL
               SELECT id, $2, balance FROM own)
           SELECT account AS "account!", day AS "day!", balance::numeric(38, 0) AS "balance!: Amount" FROM lines"#,
        user.0,
        today,
        &names(&TOTAL)
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|r| {
            let balance = r
                .balance
                .usdt()
                .ok_or_else(|| Error::internal("a balance beyond what USDT holds"))?;
            Ok((r.account, r.day, balance))
        })
        .collect()
}

/// Whether money ever came in from outside.
pub async fn deposited(conn: &mut PgConnection, user: UserId) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM ledger.account a JOIN ledger.posting p ON p.account = a.id JOIN ledger.transfer t ON t.id = p.transfer
               WHERE a.owner = $1 AND a.name IN ('available', 'held') AND p.amount > 0
                 AND t.kind = ANY($2)) AS "deposited!""#,
        user.0,
        &kinds(&[Flow::Deposits, Flow::Transfers])
    )
    .fetch_one(conn)
    .await?)
}

/// The next day on which capital of active licences becomes free.
pub async fn next_free(
    conn: &mut PgConnection,
    user: UserId,
    now: OffsetDateTime,
) -> Result<Option<(Date, Usdt)>, Error> {
    let row = sqlx::query!(
        r#"SELECT (o.free_at AT TIME ZONE 'America/Sao_Paulo')::date AS "day!", foundation.clamped(sum(o.amount)) AS "amount!"
           FROM licences.licence l JOIN licences.lot o ON o.licence = l.id AND o.amount > 0
           WHERE l.owner = $1 AND l.state = 'active' AND o.free_at > $2 GROUP BY 1 ORDER BY 1 LIMIT 1"#,
        user.0,
        now
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| (r.day, Usdt(r.amount))))
}
