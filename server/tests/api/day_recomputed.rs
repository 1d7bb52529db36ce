//! A day of the desk computed anew from the recorded fills alone, by another arithmetic than the desk's.

use crate::kit::TestApp;
use protocol::money::Usdt;

/// What the day came to.
pub struct Sums {
    pub operations: i64,
    pub losses: i64,
    pub manual: i64,
    pub shares: i64,
    pub batches: i64,
    pub ended: i64,
    pub result: Usdt,
}

/// Recomputes everything from the recorded fills, in the database's decimals: a buy costs its price rounded up to 10⁻⁸, a
/// sale brings it rounded down, the fee is taken from what is received, the result is floored to micro-units.
pub async fn recompute(app: &TestApp) -> Sums {
    let differing = async |what: &str, query: &str| {
        let count: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(format!(
            "SELECT count(*) FROM ({query}) wrong"
        )))
        .fetch_one(&app.sql)
        .await
        .unwrap();
        assert_eq!(count, 0, "{what}");
    };
    differing(
        "an operation's result is not what its fills made",
        "SELECT o.id FROM robots.operation o CROSS JOIN LATERAL (
             SELECT sum(CASE WHEN f.side = 'sell' THEN floor(f.quantity * f.price * 1e8) / 1e8 - f.fee
                             ELSE -ceil(f.quantity * f.price * 1e8) / 1e8 END) AS made
             FROM (SELECT l ->> 'side' AS side, (l ->> 'price')::numeric AS price, (l ->> 'quantity')::numeric AS quantity,
                          split_part(l ->> 'fee', ' ', 1)::numeric AS fee
                   FROM jsonb_array_elements(o.legs) l WHERE l ->> 'symbol' LIKE '%/USDT') f) r
         WHERE o.result <> floor(r.made * 1e6) OR o.result IS NULL",
    )
    .await;
    differing(
        "shares do not add up to their operation",
        "SELECT o.id FROM robots.operation o JOIN robots.share s ON s.operation = o.id GROUP BY o.id
         HAVING sum(s.result + s.cut) <> o.result OR sum(s.volume) <> o.volume OR sum(s.fees) <> o.fees",
    )
    .await;
    differing(
        "a robot's totals are not its operations'",
        "SELECT l.id FROM licences.licence l LEFT JOIN robots.share s ON s.licence = l.id GROUP BY l.id
         HAVING l.gains <> coalesce(sum(s.result) FILTER (WHERE s.result > 0), 0)
             OR l.losses <> coalesce(-sum(s.result) FILTER (WHERE s.result < 0), 0) OR l.operations <> count(s.operation)",
    )
    .await;
    differing(
        "what was booked for a robot is not what its operations brought",
        "WITH booked AS (
             SELECT t.cause AS batch, a.owner AS licence, coalesce(sum(p.amount) FILTER (WHERE a.name IN ('yield', 'loan')), 0) AS gain,
                    coalesce(-sum(p.amount) FILTER (WHERE a.name = 'allocated'), 0) AS loss
             FROM ledger.transfer t JOIN ledger.posting p ON p.transfer = t.id JOIN ledger.account a ON a.id = p.account
             WHERE t.kind = 'settlement' AND a.owner_kind = 'licence' GROUP BY 1, 2),
         made AS (
             SELECT o.batch, s.licence, coalesce(sum(s.result) FILTER (WHERE s.result > 0), 0) AS gain,
                    coalesce(-sum(s.result) FILTER (WHERE s.result < 0), 0) AS loss
             FROM robots.operation o JOIN robots.share s ON s.operation = o.id GROUP BY 1, 2)
         SELECT 1 FROM booked FULL JOIN made USING (batch, licence)
         WHERE coalesce(booked.gain, 0) <> coalesce(made.gain, 0) OR coalesce(booked.loss, 0) <> coalesce(made.loss, 0)",
    )
    .await;
    differing(
        "an order and its operation tell different things",
        "SELECT 1 FROM robots.manual_order m
         FULL JOIN (SELECT s.*, o.manual, o.mode FROM robots.operation o JOIN robots.share s ON s.operation = o.id WHERE o.manual) s ON s.operation = m.id
         WHERE (m.state = 'done') IS DISTINCT FROM (s.operation IS NOT NULL)
            OR (m.state = 'done' AND (m.licence, m.owner, m.volume, m.result, m.mode) IS DISTINCT FROM (s.licence, s.owner, s.volume, s.result, s.mode))",
    )
    .await;
    differing(
        "an order is still open",
        "SELECT 1 FROM robots.manual_order WHERE closed_at IS NULL",
    )
    .await;
    differing(
        "two orders of one person within a minute",
        "SELECT 1 FROM robots.manual_order a JOIN robots.manual_order b ON a.owner = b.owner AND a.id < b.id AND a.state = 'done'
         WHERE b.asked_at < a.begun_at + interval '1 minute'",
    )
    .await;
    differing(
        "the desk's days are not its operations",
        "SELECT 1 FROM (SELECT sum(net) AS net, sum(volume) AS volume, sum(operations) AS operations, sum(manual_net) AS manual_net,
                               sum(manual_volume) AS manual_volume, sum(manual_operations) AS manual_operations FROM robots.desk_day) d,
                       (SELECT sum(result) AS net, sum(volume) AS volume, count(*) AS operations, coalesce(sum(result) FILTER (WHERE manual), 0) AS manual_net,
                               coalesce(sum(volume) FILTER (WHERE manual), 0) AS manual_volume, count(*) FILTER (WHERE manual) AS manual_operations
                        FROM robots.operation) o
         WHERE (d.net, d.volume, d.operations, d.manual_net, d.manual_volume, d.manual_operations)
               IS DISTINCT FROM (o.net, o.volume, o.operations, o.manual_net, o.manual_volume, o.manual_operations)",
    )
    .await;
    differing(
        "a loan was repaid by other than half of the gains",
        "SELECT 1 FROM (SELECT a.owner, sum(p.amount) AS repaid FROM ledger.transfer t JOIN ledger.posting p ON p.transfer = t.id JOIN ledger.account a ON a.id = p.account
                        WHERE t.kind = 'settlement' AND a.name = 'loan' GROUP BY 1) r
         JOIN LATERAL (SELECT sum(s.result / 2) AS half FROM robots.share s WHERE s.licence = r.owner AND s.result > 0) g ON true
         JOIN licences.licence l ON l.id = r.owner WHERE r.repaid > g.half OR (r.repaid < g.half AND l.loan < 0)",
    )
    .await;
    differing(
        "a settlement without an operation",
        "SELECT 1 FROM ledger.transfer t WHERE t.kind = 'settlement' AND NOT EXISTS (SELECT FROM robots.operation o WHERE o.batch = t.cause AND o.mode = t.mode)",
    )
    .await;
    differing(
        "the mode's account is not the sum of its operations",
        "SELECT 1 FROM (SELECT coalesce(sum(s.result), 0) AS made FROM robots.share s JOIN robots.operation o ON o.id = s.operation WHERE o.mode = 'simulated') m,
                       (SELECT coalesce(sum(balance), 0) AS booked FROM ledger.account WHERE name = 'trading:simulated') b
         WHERE m.made <> -b.booked",
    )
    .await;
    differing(
        "a robot above its ceiling",
        "SELECT 1 FROM licences.licence WHERE (state = 'active') <> (floor(capital::numeric * maximum_return_ppm / 1e6) - greatest(gains - losses, 0) > 0)",
    )
    .await;
    let row: (i64, i64, i64, i64, i64, i64) = sqlx::query_as(
        "SELECT count(*), count(*) FILTER (WHERE result < 0), (SELECT count(*) FROM robots.share), (SELECT count(*) FROM robots.batch),
                (SELECT count(*) FROM licences.licence WHERE state = 'ceiling_reached'), coalesce(sum(result), 0)::bigint FROM robots.operation",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    let manual = sqlx::query_scalar("SELECT count(*) FROM robots.operation WHERE manual")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    Sums {
        operations: row.0,
        losses: row.1,
        manual,
        shares: row.2,
        batches: row.3,
        ended: row.4,
        result: Usdt(row.5),
    }
}
