//! SQL of the activity.

use super::{
    ActivityEvent, Asked,
    rules::{self, Facts, Group},
};
use crate::{
    error::Error,
    foundation::http::Paging,
    ledger::amount::Amount,
    reports::figures::{TOTAL, names},
};
use protocol::{
    ids::TransferId,
    money::{Pyx, Usdt},
};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

/// Movements of one event that are named.
const NAMED: i32 = 50;

/// An event as the books have it.
pub struct Row {
    pub key: String,
    pub at: OffsetDateTime,
    pub kinds: Vec<String>,
    pub about: String,
    pub net: Amount,
    pub came: Amount,
    pub pyx: Amount,
    pub first_licence: Option<i32>,
    pub last_licence: Option<i32>,
    pub mode: Option<String>,
    pub movements: i64,
    pub transfers: Vec<Uuid>,
    pub undoes: Option<String>,
    pub pool: bool,
    pub held: bool,
    pub open: bool,
    pub used: bool,
    pub undone: bool,
    pub pix: bool,
    pub sent: bool,
    pub counterparty: Option<String>,
    pub total: i64,
}

impl TryFrom<Row> for ActivityEvent {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self, Error> {
        let units = |amount: Amount| {
            i64::try_from(amount.0).map_err(|_| Error::internal("a sum beyond what an event shows"))
        };
        let facts = Facts {
            kinds: &row.kinds,
            about: &row.about,
            held: row.held,
            open: row.open,
            used: row.used,
            undone: row.undone,
            undoes: row.undoes.as_deref(),
            pix: row.pix,
            sent: row.sent,
            pool: row.pool,
        };
        let kind = rules::kind(&facts);
        let state = rules::state(&facts, kind);
        let amount = Usdt(units(row.net)?);
        Ok(Self {
            moved: rules::moved(kind, amount, Usdt(units(row.came)?)),
            pyx: rules::coins(Pyx(units(row.pyx)?)),
            licence: row
                .first_licence
                .filter(|_| row.first_licence == row.last_licence),
            mode: row
                .mode
                .map(|mode| mode.parse().map_err(|()| Error::internal("an unknown mode")))
                .transpose()?,
            id: row.key,
            at: row.at,
            kind,
            state,
            amount,
            counterparty: row.counterparty,
            movements: row.movements,
            transfers: row.transfers.into_iter().map(TransferId).collect(),
        })
    }
}

/// What of each movement belongs together: money that was set aside with what became of it, trades with their order, what was sponsored with
/// the lot that it became, results with their day, which the robots' room adds up as it books them: the last settlement alone is named. Who takes another's order has a part in that other's movement, named by the trade.
pub async fn events(
    conn: &mut PgConnection,
    asked: &Asked,
    (from, until): (OffsetDateTime, OffsetDateTime),
    paging: &Paging,
) -> Result<(Vec<Row>, i64), Error> {
    // The price of a licence tells which one it is, and is nobody's any more.
    let accounts = names(&[&TOTAL[..], &["price", "pyx", "pyx_locked", "pyx_held"]].concat());
    let kinds: Vec<String> = asked.groups.iter().flat_map(|group| group.kinds()).collect();
    let held_for: Vec<String> = asked
        .groups
        .iter()
        .flat_map(|group| names(group.held_for()))
        .collect();
    // Corrections of what is asked for go with it, and what undoes a deposit is looked for among deposits.
    let deposits = asked.groups.contains(&Group::Deposits);
    let rows = sqlx::query_as!(
        Row,
        r#"WITH own AS (
               SELECT a.id, a.currency, split_part(a.name, ':', 1) AS name, o.number
               FROM (SELECT $1::uuid AS id, NULL::int AS number UNION ALL SELECT l.id, l.number FROM licences.licence l WHERE l.owner = $1) o
               JOIN ledger.account a ON a.owner = o.id
               WHERE split_part(a.name, ':', 1) = ANY($2)),
           moved AS (
               SELECT t.id, t.at, CASE WHEN t.kind = 'topup' AND t.key LIKE 'sponsorship%' THEN 'sponsorship_add' ELSE t.kind END AS kind,
                      t.mode, t.cause_kind, t.cause, t.reverses, substring(t.key FROM '^sponsorship(?:_lot)?(:.+)$') AS sponsorship,
                      sum(p.amount) FILTER (WHERE own.currency = 'USDT' AND own.name <> 'price') AS net,
                      sum(p.amount) FILTER (WHERE own.currency = 'USDT' AND own.name <> 'price' AND p.amount > 0) AS came,
                      sum(p.amount) FILTER (WHERE own.currency = 'PYX') AS pyx,
                      min(own.number) AS first_licence, max(own.number) AS last_licence,
                      bool_or(own.name = 'pool_principal') AS pool, bool_or(own.name IN ('pyx', 'pyx_held') AND p.amount < 0) AS gave_pyx
               FROM own JOIN ledger.posting p ON p.account = own.id JOIN ledger.transfer t ON t.id = p.transfer
               WHERE t.at >= $3 AND t.at < $4 AND t.kind <> 'settlement'
               GROUP BY t.id HAVING bool_or(own.name <> 'price')),
           meant AS (
               SELECT m.*, h.id IS NOT NULL AND h.account IN (SELECT id FROM own) AS ends_own,
                      CASE WHEN h.id IS NOT NULL AND (m.cause_kind = 'hold' OR h.account IN (SELECT id FROM own)) THEN h.cause_kind
                           ELSE m.cause_kind END AS what,
                      CASE WHEN d.id IS NOT NULL THEN CASE WHEN d.buyer = $1 THEN d.buy_order ELSE d.sell_order END
                           WHEN h.id IS NOT NULL AND (m.cause_kind = 'hold' OR h.account IN (SELECT id FROM own)) THEN h.cause
                           ELSE m.cause END AS thing,
                      o.kind AS undoes
               FROM moved m
               LEFT JOIN ledger.hold_resolution r ON r.transfer = m.id
               LEFT JOIN ledger.hold h ON h.id = r.hold
               LEFT JOIN presale.trade d ON m.kind = 'pyx_trade' AND d.ledger_transfer = m.id
               LEFT JOIN ledger.transfer o ON o.id = m.reverses),
           named AS (
               SELECT m.*, m.kind = 'hold' OR m.ends_own AS held,
                      CASE WHEN m.reverses IS NOT NULL THEN m.id::text
                           WHEN m.what IN ('withdrawal', 'transfer', 'order') THEN m.what || ':' || m.thing
                           WHEN m.kind = 'hold' OR m.ends_own THEN m.what || ':' || m.thing
                           WHEN m.kind = 'claw_back' THEN 'back:' || m.thing
                           WHEN m.sponsorship IS NOT NULL THEN 'sponsorship' || m.sponsorship
                           ELSE m.id::text END AS key
               FROM meant m
               WHERE cardinality($5::text[]) = 0
                  OR CASE WHEN m.kind IN ('claw_back', 'reversal') THEN ($7 AND (m.what IN ('pix_deposit', 'chain_deposit') OR m.undoes IN ('deposit_pix', 'deposit_chain'))) OR 'reversal' = ANY($5)
                          WHEN m.kind IN ('hold', 'hold_posted', 'hold_voided', 'hold_expired') THEN m.what = ANY($6)
                          ELSE m.kind = ANY($5) END),
           events AS (
               SELECT key, max(at) AS at, array_agg(DISTINCT kind) AS kinds, min(what) AS what, (array_agg(thing ORDER BY id))[1] AS thing,
                      coalesce(sum(net), 0) AS net, coalesce(max(came), 0) AS came, coalesce(sum(pyx), 0) AS pyx,
                      min(first_licence) AS first_licence, max(last_licence) AS last_licence, max(mode) AS mode, max(undoes) AS undoes,
                      count(*) AS movements, (array_agg(id ORDER BY at DESC, id DESC))[1:$8] AS transfers,
                      bool_or(pool) AS pool, bool_or(held) AS held, bool_or(gave_pyx) AS gave_pyx
               FROM named GROUP BY key),
           settled AS (
               SELECT d.mode, d.day, d.net, d.settlements, d.last_at, d.last FROM robots.day_settled d
               WHERE d.owner = $1 AND d.last_at < $4
                 AND d.day BETWEEN ($3 AT TIME ZONE 'America/Sao_Paulo')::date AND ($4 AT TIME ZONE 'America/Sao_Paulo')::date
               -- A day that goes on after the moment of the list: its postings until then.
               UNION ALL
               SELECT d.mode, d.day, p.net, p.settlements, p.last_at, p.last FROM robots.day_settled d
               CROSS JOIN LATERAL (
                   SELECT sum(b.net) AS net, count(*) AS settlements, max(b.at) AS last_at,
                          (array_agg(b.id ORDER BY b.at DESC, b.id DESC))[1] AS last
                   FROM (SELECT t.id, t.at, (SELECT sum(p.amount) FROM ledger.posting p
                                             WHERE p.transfer = t.id AND p.account = ANY (ARRAY(SELECT id FROM own WHERE currency = 'USDT'))) AS net
                         FROM ledger.transfer t
                         WHERE t.kind = 'settlement' AND t.mode = d.mode AND t.at < $4 AND t.at >= $3
                           AND t.at >= d.day::timestamp AT TIME ZONE 'America/Sao_Paulo') b
                   WHERE b.net IS NOT NULL) p
               WHERE d.owner = $1 AND d.last_at >= $4 AND d.day = ($4 AT TIME ZONE 'America/Sao_Paulo')::date AND p.last IS NOT NULL),
           results AS (
               SELECT 'results:' || s.mode || ':' || s.day AS key, s.last_at AS at, ARRAY['settlement'] AS kinds, 'batch' AS what,
                      NULL::uuid AS thing, s.net, 0::numeric AS came, 0::numeric AS pyx, n.first AS first_licence, n.last AS last_licence, s.mode,
                      NULL::text AS undoes, s.settlements AS movements, ARRAY[s.last] AS transfers, false AS pool, false AS held, false AS gave_pyx
               FROM settled s
               CROSS JOIN LATERAL (
                   SELECT min(l.number) AS first, max(l.number) AS last FROM robots.day_result r JOIN licences.licence l ON l.id = r.licence
                   WHERE r.owner = $1 AND r.day = s.day AND r.mode = s.mode AND (r.gain <> 0 OR r.loss <> 0)) n
               WHERE cardinality($5::text[]) = 0 OR 'settlement' = ANY($5)),
           page AS (
               SELECT *, count(*) OVER () AS total FROM (SELECT * FROM events UNION ALL SELECT * FROM results) e
               ORDER BY CASE WHEN $9 THEN at END DESC, CASE WHEN $9 THEN transfers[1] END DESC, at, transfers[1]
               LIMIT $10 OFFSET $11)
           SELECT e.key AS "key!", e.at AS "at!", e.kinds AS "kinds!", e.what AS "about!",
                  e.net::numeric(38, 0) AS "net!: Amount", e.came::numeric(38, 0) AS "came!: Amount", e.pyx::numeric(38, 0) AS "pyx!: Amount",
                  e.first_licence, e.last_licence, e.mode, e.movements AS "movements!", e.transfers AS "transfers!", e.undoes,
                  e.pool AS "pool!", e.held AS "held!",
                  EXISTS (SELECT FROM ledger.hold h WHERE h.cause = e.thing AND h.account IN (SELECT id FROM own)
                          AND NOT EXISTS (SELECT FROM ledger.hold_resolution r WHERE r.hold = h.id)) AS "open!",
                  EXISTS (SELECT FROM ledger.hold h JOIN ledger.hold_resolution r ON r.hold = h.id AND r.outcome = 'posted'
                          WHERE h.cause = e.thing AND h.account IN (SELECT id FROM own)) AS "used!",
                  EXISTS (SELECT FROM ledger.transfer u WHERE u.reverses = ANY(e.transfers) AND e.what <> 'batch'
                          AND (u.part IS NULL OR u.part = $1 OR u.part IN (SELECT l.id FROM licences.licence l WHERE l.owner = $1)))
                  OR (e.kinds && ARRAY['deposit_pix', 'deposit_chain']
                      AND EXISTS (SELECT FROM ledger.transfer u WHERE u.cause = e.thing AND u.kind = 'claw_back'))
                  OR ((e.kinds && ARRAY['licence_purchase'] OR e.what = 'deposit_intent' AND e.held AND NOT e.pool)
                      AND EXISTS (SELECT FROM licences.licence l WHERE l.owner = $1 AND l.number = e.first_licence
                                  AND e.first_licence = e.last_licence AND l.state IN ('cancelled', 'reversed'))) AS "undone!",
                  EXISTS (SELECT FROM pix.withdrawal w WHERE w.id = e.thing) AS "pix!",
                  CASE e.what WHEN 'transfer' THEN EXISTS (SELECT FROM transfers.transfer s WHERE s.id = e.thing AND s.sender = $1)
                              WHEN 'order' THEN coalesce(
                                  (SELECT s.side = 'sell' FROM presale.trade_order s WHERE s.id = e.thing), e.gave_pyx)
                              ELSE false END AS "sent!",
                  (SELECT a.username FROM transfers.transfer s
                   JOIN identity.account a ON a.id = CASE WHEN s.sender = $1 THEN s.receiver ELSE s.sender END
                   WHERE e.what = 'transfer' AND s.id = e.thing) AS counterparty,
                  e.total AS "total!"
           FROM page e
           ORDER BY CASE WHEN $9 THEN e.at END DESC, CASE WHEN $9 THEN e.transfers[1] END DESC, e.at, e.transfers[1]"#,
        asked.user.0,
        &accounts,
        from,
        until,
        &kinds,
        &held_for,
        deposits,
        NAMED,
        paging.descending,
        paging.limit,
        paging.offset
    )
    .fetch_all(conn)
    .await?;
    let total = rows.first().map_or(0, |row| row.total);
    Ok((rows, total))
}
