//! SQL of the overview: sums over rows that the rooms keep, and of the books by day.

use super::{DayOfHouse, Licences, ModeDay, People, PlanShare};
use crate::{error::Error, foundation::business_day};
use protocol::{money::Usdt, views::Mode};
use sqlx::PgConnection;
use time::{Date, Duration};

/// People by what they are and when they came; the house itself is none, nor who has left.
pub async fn people(conn: &mut PgConnection, today: Date) -> Result<People, Error> {
    Ok(sqlx::query_as!(
        People,
        r#"SELECT count(*) AS "all!", count(*) FILTER (WHERE status = 'active') AS "active!",
                  count(*) FILTER (WHERE email_confirmed_at IS NULL) AS "unconfirmed!",
                  count(*) FILTER (WHERE created_at >= $1) AS "today!", count(*) FILTER (WHERE created_at >= $2) AS "last_7_days!",
                  count(*) FILTER (WHERE created_at >= $3) AS "last_30_days!"
           FROM identity.account WHERE NOT is_house AND status <> 'closed'"#,
        business_day::start(today),
        business_day::start(today - Duration::days(6)),
        business_day::start(today - Duration::days(29))
    )
    .fetch_one(conn)
    .await?)
}

/// Running licences, by plan.
pub async fn licences(conn: &mut PgConnection) -> Result<Licences, Error> {
    let rows = sqlx::query!(
        r#"SELECT l.value AS price, l.is_high_risk, count(*) AS "active!", foundation.clamped(sum(l.value)) AS "value!", foundation.clamped(sum(l.topup)) AS "topup!",
                  foundation.clamped(sum(l.allocated)) AS "allocated!"
           FROM licences.licence l WHERE l.state = 'active'
           GROUP BY l.value, l.is_high_risk ORDER BY sum(l.value) DESC, l.value, l.is_high_risk"#
    )
    .fetch_all(conn)
    .await?;
    Ok(Licences {
        active: rows.iter().map(|r| r.active).sum(),
        value: rows.iter().map(|r| Usdt(r.value)).sum(),
        topup: rows.iter().map(|r| Usdt(r.topup)).sum(),
        allocated: rows.iter().map(|r| Usdt(r.allocated)).sum(),
        plans: rows
            .into_iter()
            .map(|r| PlanShare {
                price: Usdt(r.price),
                is_high_risk: r.is_high_risk,
                active: r.active,
                value: Usdt(r.value),
            })
            .collect(),
    })
}

/// How the robots of running licences stand.
pub struct Standing {
    pub working: i64,
    pub paused: i64,
    pub idle: i64,
    pub manual: i64,
}

/// As the rule of a robot's status has it: whose goal of the day is reached, or whose owner orders by hand, does not work.
pub async fn robots(conn: &mut PgConnection, today: Date, least_allocation: Usdt) -> Result<Standing, Error> {
    Ok(sqlx::query_as!(
        Standing,
        r#"SELECT count(*) FILTER (WHERE NOT paused AND NOT manual_key AND allocated > 0 AND allocated >= $2 AND goal_day IS DISTINCT FROM $1) AS "working!",
                  count(*) FILTER (WHERE paused) AS "paused!",
                  count(*) FILTER (WHERE NOT paused AND allocated = 0) AS "idle!", count(*) FILTER (WHERE manual_key) AS "manual!"
           FROM licences.licence WHERE state = 'active'"#,
        today,
        least_allocation.0
    )
    .fetch_one(conn)
    .await?)
}

/// What robots have booked on a day, mode by mode.
pub async fn results(conn: &mut PgConnection, day: Date) -> Result<Vec<ModeDay>, Error> {
    let rows = sqlx::query!(
        r#"SELECT mode, foundation.clamped(sum(gain)) AS "gain!", foundation.clamped(sum(loss)) AS "loss!",
                  foundation.clamped(sum(operations)) AS "operations!", count(*) AS "robots!"
           FROM robots.day_result WHERE day = $1 AND mode IN ('simulated', 'paper', 'live') GROUP BY mode ORDER BY mode"#,
        day
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|r| {
            Ok(ModeDay {
                mode: serde_json::from_value::<Mode>(r.mode.into())?,
                gain: Usdt(r.gain),
                loss: Usdt(r.loss),
                operations: r.operations,
                robots: r.robots,
            })
        })
        .collect()
}

/// Business days from the first to the last, none left out. A movement is never booked after its day has ended by more than the
/// closing's pause.
pub async fn days(conn: &mut PgConnection, first: Date, last: Date) -> Result<Vec<DayOfHouse>, Error> {
    let (begin, end) = (
        business_day::start(first) - Duration::DAY,
        business_day::start(last) + Duration::days(2),
    );
    let rows = sqlx::query!(
        r#"WITH moved AS (
             SELECT t.business_day, coalesce(o.kind, t.kind) AS kind, (SELECT sum(p.amount) FROM ledger.posting p
                 JOIN ledger.account a ON a.id = p.account WHERE p.transfer = t.id AND a.owner IS NOT NULL AND a.currency = 'USDT') AS net,
                 EXISTS (SELECT FROM pix.withdrawal w WHERE w.hold = h.id) AS by_pix
             FROM ledger.transfer t LEFT JOIN ledger.transfer o ON o.id = t.reverses
             LEFT JOIN ledger.hold h ON t.kind = 'hold_posted' AND h.id = t.cause
             WHERE t.kind IN ('deposit_pix', 'deposit_chain', 'hold_posted', 'reversal') AND t.at >= $3 AND t.at < $4
               AND (t.kind <> 'hold_posted' OR h.cause_kind = 'withdrawal')
               AND (t.kind <> 'reversal' OR o.kind IN ('deposit_pix', 'deposit_chain'))),
           money AS (
             SELECT business_day, foundation.clamped(sum(net) FILTER (WHERE kind = 'deposit_pix')) AS in_pix,
                    foundation.clamped(sum(net) FILTER (WHERE kind = 'deposit_chain')) AS in_chain,
                    foundation.clamped(-sum(net) FILTER (WHERE kind = 'hold_posted' AND by_pix)) AS out_pix,
                    foundation.clamped(-sum(net) FILTER (WHERE kind = 'hold_posted' AND NOT by_pix)) AS out_chain
             FROM moved GROUP BY business_day),
           came AS (
             SELECT (created_at AT TIME ZONE 'America/Sao_Paulo')::date AS day, count(*) AS n FROM identity.account
             WHERE NOT is_house AND created_at >= $3 GROUP BY 1),
           sold AS (
             SELECT (paid_at AT TIME ZONE 'America/Sao_Paulo')::date AS day, count(*) AS n FROM licences.licence
             WHERE paid_at >= $3 GROUP BY 1)
           SELECT d.day::date AS "day!", coalesce(m.in_pix, 0) AS "in_pix!", coalesce(m.in_chain, 0) AS "in_chain!",
                  coalesce(m.out_pix, 0) AS "out_pix!", coalesce(m.out_chain, 0) AS "out_chain!", coalesce(c.n, 0) AS "registered!",
                  coalesce(s.n, 0) AS "sold!"
           FROM generate_series($1::date, $2::date, interval '1 day') AS d(day)
           LEFT JOIN money m ON m.business_day = d.day::date
           LEFT JOIN came c ON c.day = d.day::date
           LEFT JOIN sold s ON s.day = d.day::date
           ORDER BY d.day"#,
        first,
        last,
        begin,
        end
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| DayOfHouse {
            day: r.day.to_string(),
            in_pix: Usdt(r.in_pix),
            in_chain: Usdt(r.in_chain),
            out_pix: Usdt(r.out_pix),
            out_chain: Usdt(r.out_chain),
            registered: r.registered,
            licences_sold: r.sold,
        })
        .collect())
}
