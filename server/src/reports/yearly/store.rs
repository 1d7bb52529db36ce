//! SQL of a person's year. Accounts that settlements move ("busy") have a posting for each of them: they are read from the closed days.

use super::{
    Way, Year, YearLicence, YearPyx,
    rules::{MonthMoved, Read},
};
use crate::{
    error::Error,
    foundation::business_day,
    ledger::{amount::Amount, model::TransferKind},
    reports::{
        figures::{TOTAL, names},
        flows::Moved,
    },
};
use protocol::{
    ids::UserId,
    money::{Brl, Pyx, Usdt},
    views::Mode,
};
use sqlx::PgConnection;
use std::collections::BTreeMap;
use time::{Date, OffsetDateTime};

const COINS: [&str; 3] = ["pyx", "pyx_locked", "pyx_held"];

fn exact(amount: Amount) -> Result<Usdt, Error> {
    amount
        .usdt()
        .ok_or_else(|| Error::internal("a sum beyond what a year shows"))
}

/// Everything that a year is made of. One snapshot.
pub async fn read(conn: &mut PgConnection, user: UserId, year: &Year) -> Result<Read, Error> {
    let from = business_day::start(year.first);
    let until = business_day::start(year.last.next_day().unwrap_or(year.last));
    let before = balances(conn, user, year.first.previous_day().unwrap_or(year.first), from).await?;
    let after = balances(conn, user, year.last, until).await?;
    let pyx = pyx(conn, user, (from, until)).await?;
    let coins = |balances: &BTreeMap<String, Usdt>| {
        Pyx(COINS
            .iter()
            .map(|name| balances.get(*name).copied().unwrap_or_default().0)
            .sum())
    };
    let pyx = YearPyx {
        before: coins(&before),
        after: coins(&after),
        ..pyx
    };
    let mut both: BTreeMap<String, (Usdt, Usdt)> = BTreeMap::new();
    for (name, balance) in before {
        both.entry(name).or_default().0 = balance;
    }
    for (name, balance) in after {
        both.entry(name).or_default().1 = balance;
    }
    Ok(Read {
        balances: both,
        moved: moved(conn, user, (from, until)).await?,
        settled: settled(conn, user, year).await?,
        rank_bonus: rank_bonus(conn, user, (from, until)).await?,
        licences: licences(conn, user, (from, until)).await?,
        pyx,
    })
}

/// What each account held at a day's end, all of one name together. Of a quiet account: what it holds now, less what has moved since. Of a busy
/// one: what was closed by then, and where that day is not yet closed, its postings after what is.
async fn balances(
    conn: &mut PgConnection,
    user: UserId,
    day: Date,
    until: OffsetDateTime,
) -> Result<BTreeMap<String, Usdt>, Error> {
    let accounts = names(&[&TOTAL[..], &COINS].concat());
    let rows = sqlx::query!(
        r#"WITH own AS (
               SELECT a.id, a.balance, split_part(a.name, ':', 1) AS name, a.name IN ('allocated', 'yield', 'loan') AS busy
               FROM ledger.account a
               WHERE (a.owner = $1 OR a.owner IN (SELECT id FROM licences.licence WHERE owner = $1))
                 AND split_part(a.name, ':', 1) = ANY($2)),
           closed AS (SELECT EXISTS (SELECT FROM robots.closed_day WHERE day >= $3) AS closed)
           SELECT own.name AS "name!",
                  sum(CASE WHEN own.busy THEN coalesce(n.balance, c.balance, 0) ELSE own.balance - coalesce(s.since, 0) END)::numeric(38, 0)
                      AS "balance!: Amount"
           FROM own
           LEFT JOIN LATERAL (
               SELECT sum(p.amount) AS since FROM ledger.posting p JOIN ledger.transfer t ON t.id = p.transfer
               WHERE NOT own.busy AND p.account = own.id AND t.at >= $4) s ON true
           LEFT JOIN LATERAL (
               SELECT d.balance, d.version FROM robots.day_close d WHERE own.busy AND d.account = own.id AND d.day <= $3
               ORDER BY d.day DESC LIMIT 1) c ON true
           LEFT JOIN LATERAL (
               SELECT p.balance_after AS balance FROM ledger.posting p JOIN ledger.transfer t ON t.id = p.transfer
               WHERE own.busy AND NOT (SELECT closed FROM closed) AND p.account = own.id AND p.version > coalesce(c.version, 0) AND t.at < $4
               ORDER BY p.version DESC LIMIT 1) n ON true
           GROUP BY own.name"#,
        user.0,
        &accounts,
        day,
        until
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|r| Ok((r.name, exact(r.balance)?)))
        .collect()
}

/// How a way is called in the query below.
fn way(word: Option<&str>) -> Option<Way> {
    match word? {
        "pix" => Some(Way::Pix),
        "usdt" => Some(Way::Usdt),
        "busd" => Some(Way::Busd),
        "bnb" => Some(Way::Bnb),
        "pyx" => Some(Way::Pyx),
        "transfer" => Some(Way::Transfer),
        "crypto" => Some(Way::Crypto),
        _ => None,
    }
}

/// What moved in the year but settlements, by month, kind, cause and way. All of it passes by a quiet account, is found by its deposit when it is
/// taken back, or by its licence when sponsorship is.
async fn moved(
    conn: &mut PgConnection,
    user: UserId,
    (from, until): (OffsetDateTime, OffsetDateTime),
) -> Result<Vec<MonthMoved>, Error> {
    let rows = sqlx::query!(
        r#"WITH own AS (
               SELECT a.id, a.name NOT IN ('allocated', 'yield', 'loan') AS quiet
               FROM ledger.account a
               WHERE (a.owner = $1 OR a.owner IN (SELECT id FROM licences.licence WHERE owner = $1)) AND a.currency = 'USDT'
                 AND split_part(a.name, ':', 1) = ANY($2)),
           touched AS MATERIALIZED (
               SELECT DISTINCT t.id, t.kind, t.cause, t.at
               FROM own JOIN ledger.posting p ON p.account = own.id JOIN ledger.transfer t ON t.id = p.transfer
               WHERE own.quiet AND t.kind <> 'settlement' AND t.at < $4),
           counted AS (
               SELECT id FROM touched WHERE at >= $3
               UNION
               SELECT t.id FROM ledger.transfer t
               WHERE t.kind = 'claw_back' AND t.at >= $3 AND t.at < $4
                 AND t.cause IN (SELECT cause FROM touched WHERE kind IN ('deposit_pix', 'deposit_chain'))
               UNION
               SELECT t.id FROM ledger.transfer t
               WHERE t.kind = 'sponsorship_remove' AND t.at >= $3 AND t.at < $4
                 AND t.cause IN (SELECT id FROM licences.licence WHERE owner = $1)),
           moved AS (
               SELECT t.id, date_trunc('month', t.at AT TIME ZONE 'America/Sao_Paulo')::date AS month, t.kind,
                      coalesce(h.cause_kind, o.kind, t.cause_kind) AS cause,
                      coalesce((SELECT sum(p.amount) FROM own JOIN ledger.posting p ON p.account = own.id AND p.transfer = t.id), 0) AS net,
                      CASE WHEN t.kind = 'claw_back' THEN
                          (SELECT sum(q.amount) FROM ledger.posting q JOIN ledger.account b ON b.id = q.account
                           WHERE q.transfer = t.id AND b.owner IS NULL AND b.currency = 'USDT' AND q.amount > 0) END AS returned,
                      CASE WHEN c.deposit IS NOT NULL OR k.deposit IS NOT NULL OR e.withdrawal IS NOT NULL THEN 'pix'
                           WHEN d.id IS NOT NULL THEN coalesce(d.coin, 'crypto')
                           WHEN w.id IS NOT NULL THEN w.coin
                           WHEN t.kind = 'claw_back' THEN 'crypto' END AS way,
                      coalesce(c.brl, k.brl, e.brl) AS brl, coalesce(d.received, w.wei) AS wei
               FROM counted JOIN ledger.transfer t USING (id)
               LEFT JOIN ledger.hold h ON t.cause_kind = 'hold' AND h.id = t.cause
               LEFT JOIN ledger.transfer o ON o.id = t.reverses
               LEFT JOIN pix.credit c ON c.transfer = coalesce(t.reverses, t.id)
               LEFT JOIN pix.credit k ON t.kind = 'claw_back' AND k.deposit = t.cause
               LEFT JOIN pix.payment e ON e.transfer = t.id
               LEFT JOIN wallet.deposit d ON d.transfer = coalesce(t.reverses, t.id)
               LEFT JOIN wallet.withdrawal w ON w.transfer = t.id)
           SELECT month AS "month!", kind AS "kind!", cause AS "cause!", way, count(*) AS "count!",
                  sum(greatest(net, 0))::numeric(38, 0) AS "came!: Amount", sum(greatest(-net, 0))::numeric(38, 0) AS "left!: Amount",
                  coalesce(sum(returned), 0)::numeric(38, 0) AS "returned!: Amount",
                  sum(brl)::numeric(38, 0) AS "brl?: Amount", sum(wei)::numeric(38, 0) AS "wei?: Amount"
           FROM moved GROUP BY month, kind, cause, way, net > 0 ORDER BY month"#,
        user.0,
        &names(&TOTAL),
        from,
        until
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|r| {
            let brl = r
                .brl
                .map(|brl| {
                    i64::try_from(brl.0).map_err(|_| Error::internal("reais beyond what a year shows"))
                })
                .transpose()?;
            Ok(MonthMoved {
                month: r.month,
                moved: Moved {
                    kind: TransferKind::read(&r.kind)
                        .ok_or_else(|| Error::internal("a movement of no known kind"))?,
                    cause: r.cause,
                    came: exact(r.came)?,
                    left: exact(r.left)?,
                    returned: exact(r.returned)?,
                },
                way: way(r.way.as_deref()),
                count: r.count,
                brl: brl.map(Brl),
                wei: r.wei.map(|wei| wei.0),
            })
        })
        .collect()
}

/// What robots brought, as it was posted, by mode and month.
async fn settled(
    conn: &mut PgConnection,
    user: UserId,
    year: &Year,
) -> Result<Vec<(Mode, Date, Usdt)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT mode, date_trunc('month', day)::date AS "month!", foundation.clamped(sum(net)) AS "net!"
           FROM robots.day_settled WHERE owner = $1 AND day BETWEEN $2 AND $3 GROUP BY 1, 2 ORDER BY 1, 2"#,
        user.0,
        year.first,
        year.last
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|r| {
            let mode = r
                .mode
                .parse::<Mode>()
                .map_err(|()| Error::internal("an unknown mode"))?;
            Ok((mode, r.month, Usdt(r.net)))
        })
        .collect()
}

/// Bonuses of ranks that were paid, by month.
async fn rank_bonus(
    conn: &mut PgConnection,
    user: UserId,
    (from, until): (OffsetDateTime, OffsetDateTime),
) -> Result<BTreeMap<Date, Usdt>, Error> {
    let rows = sqlx::query!(
        r#"SELECT date_trunc('month', paid_at AT TIME ZONE 'America/Sao_Paulo')::date AS "month!", foundation.clamped(sum(amount)) AS "paid!"
           FROM affiliates.graduation WHERE member = $1 AND paid_at >= $2 AND paid_at < $3 GROUP BY 1"#,
        user.0,
        from,
        until
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|r| (r.month, Usdt(r.paid))).collect())
}

/// Licences that were bought or ended in the year.
async fn licences(
    conn: &mut PgConnection,
    user: UserId,
    (from, until): (OffsetDateTime, OffsetDateTime),
) -> Result<Vec<YearLicence>, Error> {
    let rows = sqlx::query!(
        r#"SELECT number, value, is_high_risk, source, state, paid_at, ended_at FROM licences.licence
           WHERE owner = $1 AND ((paid_at >= $2 AND paid_at < $3) OR (ended_at >= $2 AND ended_at < $3)) ORDER BY number"#,
        user.0,
        from,
        until
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| YearLicence {
            number: r.number,
            value: Usdt(r.value),
            is_high_risk: r.is_high_risk,
            source: r.source,
            state: r.state,
            bought: business_day::of(r.paid_at).to_string(),
            ended: r.ended_at.map(|at| business_day::of(at).to_string()),
        })
        .collect())
}

/// What came to the accounts in PYX together, and what left them.
async fn pyx(
    conn: &mut PgConnection,
    user: UserId,
    (from, until): (OffsetDateTime, OffsetDateTime),
) -> Result<YearPyx, Error> {
    let row = sqlx::query!(
        r#"SELECT foundation.clamped(coalesce(sum(greatest(net, 0)), 0)) AS "came!",
                  foundation.clamped(coalesce(sum(greatest(-net, 0)), 0)) AS "left!"
           FROM (SELECT sum(p.amount) AS net
                 FROM ledger.account a JOIN ledger.posting p ON p.account = a.id JOIN ledger.transfer t ON t.id = p.transfer
                 WHERE a.owner = $1 AND a.currency = 'PYX' AND a.name = ANY($2) AND t.at >= $3 AND t.at < $4
                 GROUP BY p.transfer) m"#,
        user.0,
        &names(&COINS),
        from,
        until
    )
    .fetch_one(conn)
    .await?;
    Ok(YearPyx {
        came: Pyx(row.came),
        left: Pyx(row.left),
        ..YearPyx::default()
    })
}
