//! SQL of the statement.

use crate::{
    error::Error,
    foundation::http::Paging,
    ledger::{amount::Amount, model::TransferKind},
    reports::flows::{Flows, Moved},
};
use protocol::{
    ids::{TransferId, UserId},
    money::Usdt,
};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

pub struct Filter<'a> {
    pub user: UserId,
    /// By name, what stands behind a colon aside.
    pub accounts: &'a [String],
    /// All that the total adds up, and not one of them.
    pub whole: bool,
    pub currency: &'static str,
    pub kinds: &'a [String],
    pub from: OffsetDateTime,
    pub until: OffsetDateTime,
}

/// The period in sums. Credits and debits are the columns' own totals, both positive: money that goes from one account to another
/// stands in both. They and the flows are of the lines that the kinds let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sums {
    pub opening: Usdt,
    pub closing: Usdt,
    pub flows: Flows,
    pub credits: Usdt,
    pub debits: Usdt,
    pub count: i64,
}

/// A posting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub transfer: TransferId,
    pub line: i32,
    pub at: OffsetDateTime,
    pub kind: String,
    pub account: String,
    /// The number of the licence, when it is a licence's account.
    pub licence: Option<i32>,
    pub amount: Usdt,
    /// Of the chosen accounts together, after this line.
    pub balance: Usdt,
    pub cause: Uuid,
    pub mode: Option<String>,
    pub reversed: bool,
}

fn exact(amount: Amount) -> Result<Usdt, Error> {
    amount
        .usdt()
        .ok_or_else(|| Error::internal("a sum beyond what a statement shows"))
}

/// Each movement is what it did to the chosen accounts together.
pub async fn flows(conn: &mut PgConnection, f: &Filter<'_>) -> Result<Flows, Error> {
    let rows = sqlx::query!(
        r#"WITH own AS (
               SELECT a.id FROM ledger.account a
               WHERE (a.owner = $1 OR a.owner IN (SELECT id FROM licences.licence WHERE owner = $1))
                 AND a.currency = $2 AND split_part(a.name, ':', 1) = ANY($3)),
           moved AS (
               SELECT t.id, t.kind, coalesce(h.cause_kind, o.kind, t.cause_kind) AS cause, sum(p.amount) AS net
               FROM own JOIN ledger.posting p ON p.account = own.id JOIN ledger.transfer t ON t.id = p.transfer
               LEFT JOIN ledger.hold h ON t.cause_kind = 'hold' AND h.id = t.cause
               LEFT JOIN ledger.transfer o ON o.id = t.reverses
               WHERE t.at >= $4 AND t.at < $5 AND (cardinality($6::text[]) = 0 OR t.kind = ANY($6))
               GROUP BY t.id, t.kind, 3)
           SELECT kind, cause AS "cause!", sum(greatest(net, 0))::numeric(38, 0) AS "came!: Amount",
                  sum(greatest(-net, 0))::numeric(38, 0) AS "left!: Amount",
                  coalesce(sum((SELECT sum(q.amount) FROM ledger.posting q JOIN ledger.account b ON b.id = q.account
                                WHERE q.transfer = moved.id AND b.owner IS NULL AND b.currency = 'USDT' AND q.amount > 0))
                           FILTER (WHERE kind = 'claw_back' AND $7), 0)::numeric(38, 0) AS "returned!: Amount"
           FROM moved GROUP BY 1, 2"#,
        f.user.0,
        f.currency,
        f.accounts,
        f.from,
        f.until,
        f.kinds,
        f.whole
    )
    .fetch_all(conn)
    .await?;
    let moved: Vec<Moved> = rows
        .into_iter()
        .map(|r| {
            Ok(Moved {
                kind: TransferKind::read(&r.kind)
                    .ok_or_else(|| Error::internal("a movement of no known kind"))?,
                cause: r.cause,
                came: exact(r.came)?,
                left: exact(r.left)?,
                returned: exact(r.returned)?,
            })
        })
        .collect::<Result<_, Error>>()?;
    Ok(Flows::sum(&moved))
}

pub async fn sums(conn: &mut PgConnection, f: &Filter<'_>) -> Result<Sums, Error> {
    let row = sqlx::query!(
        r#"WITH own AS (
               SELECT a.id, a.balance FROM ledger.account a
               WHERE (a.owner = $1 OR a.owner IN (SELECT id FROM licences.licence WHERE owner = $1))
                 AND a.currency = $2 AND split_part(a.name, ':', 1) = ANY($3)),
           since AS (
               SELECT p.amount, t.at, t.kind FROM own JOIN ledger.posting p ON p.account = own.id
               JOIN ledger.transfer t ON t.id = p.transfer WHERE t.at >= $4)
           SELECT (COALESCE((SELECT sum(balance) FROM own), 0) - COALESCE(sum(amount), 0))::numeric(38, 0) AS "opening!: Amount",
                  (COALESCE((SELECT sum(balance) FROM own), 0) - COALESCE(sum(amount) FILTER (WHERE at >= $5), 0))::numeric(38, 0) AS "closing!: Amount",
                  COALESCE(sum(amount) FILTER (WHERE shown AND amount > 0), 0)::numeric(38, 0) AS "credits!: Amount",
                  COALESCE(-sum(amount) FILTER (WHERE shown AND amount < 0), 0)::numeric(38, 0) AS "debits!: Amount",
                  count(*) FILTER (WHERE shown) AS "count!"
           FROM (SELECT amount, at, at < $5 AND (cardinality($6::text[]) = 0 OR kind = ANY($6)) AS shown FROM since) s"#,
        f.user.0,
        f.currency,
        f.accounts,
        f.from,
        f.until,
        f.kinds
    )
    .fetch_one(&mut *conn)
    .await?;
    Ok(Sums {
        opening: exact(row.opening)?,
        closing: exact(row.closing)?,
        flows: flows(conn, f).await?,
        credits: exact(row.credits)?,
        debits: exact(row.debits)?,
        count: row.count,
    })
}

pub async fn lines(
    conn: &mut PgConnection,
    f: &Filter<'_>,
    opening: Usdt,
    paging: &Paging,
) -> Result<Vec<Line>, Error> {
    let rows = sqlx::query!(
        r#"WITH own AS (
               SELECT a.id, a.name, l.number FROM ledger.account a LEFT JOIN licences.licence l ON l.id = a.owner
               WHERE (a.owner = $1 OR l.owner = $1)
                 AND a.currency = $2 AND split_part(a.name, ':', 1) = ANY($3)),
           lines AS (
               SELECT p.transfer, p.line, t.at, t.kind, own.name, own.number, p.amount, t.cause, t.mode, t.reverses,
                      sum(p.amount) OVER (ORDER BY t.at, p.transfer, p.line) AS moved,
                      row_number() OVER (ORDER BY t.at, p.transfer, p.line) AS place
               FROM own JOIN ledger.posting p ON p.account = own.id JOIN ledger.transfer t ON t.id = p.transfer
               WHERE t.at >= $4 AND t.at < $5)
           SELECT transfer, line, at, kind, name, number AS "number?", amount AS "amount!: Amount",
                  moved::numeric(38, 0) AS "moved!: Amount", cause, mode, reverses
           FROM lines WHERE cardinality($6::text[]) = 0 OR kind = ANY($6)
           ORDER BY CASE WHEN $7 THEN -place ELSE place END
           LIMIT $8 OFFSET $9"#,
        f.user.0,
        f.currency,
        f.accounts,
        f.from,
        f.until,
        f.kinds,
        paging.descending,
        paging.limit,
        paging.offset
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|r| {
            Ok(Line {
                transfer: TransferId(r.transfer),
                line: r.line,
                at: r.at,
                kind: r.kind,
                account: r.name.split(':').next().unwrap_or_default().to_owned(),
                licence: r.number,
                amount: exact(r.amount)?,
                balance: opening + exact(r.moved)?,
                cause: r.cause,
                mode: r.mode,
                reversed: r.reverses.is_some(),
            })
        })
        .collect()
}
