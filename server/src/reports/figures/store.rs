//! SQL of the figures.

use super::{TOTAL, names};
use crate::{
    error::Error,
    ledger::{amount::Amount, model::TransferKind},
    reports::flows::Moved,
};
use protocol::{ids::UserId, money::Usdt};
use sqlx::PgConnection;
use std::collections::BTreeMap;
use time::Date;

fn exact(amount: Amount) -> Result<Usdt, Error> {
    amount
        .usdt()
        .ok_or_else(|| Error::internal("a sum beyond what USDT holds"))
}

/// By the account's name, without what stands behind its colon, for pools.
pub async fn balances(conn: &mut PgConnection, user: UserId) -> Result<BTreeMap<String, Usdt>, Error> {
    let rows = sqlx::query!(
        r#"SELECT split_part(a.name, ':', 1) AS "name!", sum(a.balance)::numeric(38, 0) AS "balance!: Amount" FROM ledger.account a
           WHERE (a.owner = $1 OR a.owner IN (SELECT id FROM licences.licence WHERE owner = $1)) AND a.currency = 'USDT' GROUP BY 1"#,
        user.0
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|r| Ok((r.name, exact(r.balance)?)))
        .collect()
}

/// Lots of licences that the house gave.
pub async fn sponsored_capital(conn: &mut PgConnection, user: UserId) -> Result<Usdt, Error> {
    let sum = sqlx::query_scalar!(
        r#"SELECT foundation.clamped(coalesce(sum(o.amount), 0)) AS "sum!"
           FROM licences.licence l JOIN licences.lot o ON o.licence = l.id AND o.origin = 'sponsored' AND o.amount > 0 WHERE l.owner = $1"#,
        user.0
    )
    .fetch_one(conn)
    .await?;
    Ok(Usdt(sum))
}

/// What robots and pools have brought.
pub async fn result(conn: &mut PgConnection, user: UserId) -> Result<Usdt, Error> {
    let sum = sqlx::query_scalar!(
        r#"SELECT foundation.clamped((SELECT coalesce(sum(l.gains - l.losses), 0) FROM licences.licence l WHERE l.owner = $1)
                  + (SELECT coalesce(sum(s.value), 0) FROM pools.entry e JOIN pools.share s ON s.entry = e.id AND s.paid_at IS NOT NULL
                     WHERE e.owner = $1)) AS "sum!""#,
        user.0
    )
    .fetch_one(conn)
    .await?;
    Ok(Usdt(sum))
}

/// Movements of these kinds that came to a person from outside or left, and the deposits that were taken back, by day. What comes and goes
/// passes by two accounts; what is taken back is taken from wherever it lies, and is found by its deposit.
pub async fn crossed(
    conn: &mut PgConnection,
    user: UserId,
    kinds: &[String],
) -> Result<Vec<(Date, Moved)>, Error> {
    let rows = sqlx::query!(
        r#"WITH own AS (
               SELECT a.id, a.name FROM ledger.account a
               WHERE (a.owner = $1 OR a.owner IN (SELECT id FROM licences.licence WHERE owner = $1)) AND a.currency = 'USDT'
                 AND split_part(a.name, ':', 1) = ANY($2)),
           near AS (
               SELECT DISTINCT t.id, t.cause FROM own JOIN ledger.posting p ON p.account = own.id JOIN ledger.transfer t ON t.id = p.transfer
               WHERE own.name IN ('available', 'held') AND t.kind = ANY($3)),
           counted AS (
               SELECT id FROM near
               UNION
               SELECT t.id FROM ledger.transfer t WHERE t.kind = 'claw_back' AND t.cause IN (SELECT cause FROM near)),
           moved AS (
               SELECT t.id, (t.at AT TIME ZONE 'America/Sao_Paulo')::date AS day, t.kind, coalesce(h.cause_kind, o.kind, t.cause_kind) AS cause,
                      coalesce((SELECT sum(p.amount) FROM own JOIN ledger.posting p ON p.account = own.id AND p.transfer = t.id), 0) AS net,
                      CASE WHEN t.kind = 'claw_back' THEN
                          (SELECT sum(q.amount) FROM ledger.posting q JOIN ledger.account b ON b.id = q.account
                           WHERE q.transfer = t.id AND b.owner IS NULL AND b.currency = 'USDT' AND q.amount > 0) END AS returned
               FROM counted JOIN ledger.transfer t USING (id)
               LEFT JOIN ledger.hold h ON t.cause_kind = 'hold' AND h.id = t.cause
               LEFT JOIN ledger.transfer o ON o.id = t.reverses)
           SELECT day AS "day!", kind AS "kind!", cause AS "cause!", sum(greatest(net, 0))::numeric(38, 0) AS "came!: Amount",
                  sum(greatest(-net, 0))::numeric(38, 0) AS "left!: Amount", coalesce(sum(returned), 0)::numeric(38, 0) AS "returned!: Amount"
           FROM moved GROUP BY 1, 2, 3"#,
        user.0,
        &names(&TOTAL),
        kinds
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|r| {
            let moved = Moved {
                kind: TransferKind::read(&r.kind)
                    .ok_or_else(|| Error::internal("a movement of no known kind"))?,
                cause: r.cause,
                came: exact(r.came)?,
                left: exact(r.left)?,
                returned: exact(r.returned)?,
            };
            Ok((r.day, moved))
        })
        .collect()
}
