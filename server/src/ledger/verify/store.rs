//! SQL of the verifier: whole-table passes on one snapshot.

use super::Difference;
use crate::error::Error;
use sqlx::PgConnection;

/// One unchanging, read-only picture; as long and as much memory as a pass over millions of rows needs.
pub async fn take_snapshot(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        .execute(&mut *conn)
        .await?;
    sqlx::query!("SET LOCAL statement_timeout = 0")
        .execute(&mut *conn)
        .await?;
    sqlx::query!("SET LOCAL work_mem = '128MB'").execute(conn).await?;
    Ok(())
}

pub struct Counts {
    pub accounts: i64,
    pub postings: i64,
    pub transfers: i64,
    pub holds: i64,
}

pub async fn counts(conn: &mut PgConnection) -> Result<Counts, Error> {
    Ok(sqlx::query_as!(
        Counts,
        r#"SELECT (SELECT count(*) FROM ledger.account) AS "accounts!", (SELECT count(*) FROM ledger.posting) AS "postings!",
                  (SELECT count(*) FROM ledger.transfer) AS "transfers!", (SELECT count(*) FROM ledger.hold) AS "holds!""#
    )
    .fetch_one(conn)
    .await?)
}

/// Balance, version, unbroken history, currency and sign of every account against its postings.
pub async fn account_difference(conn: &mut PgConnection) -> Result<Option<Difference>, Error> {
    Ok(sqlx::query_as!(
        Difference,
        r#"WITH history AS (
               SELECT account, version, currency, amount, balance_after,
                      sum(amount) OVER w AS running, row_number() OVER w AS place
               FROM ledger.posting WINDOW w AS (PARTITION BY account ORDER BY version)
           ), summed AS (
               SELECT account, count(*) AS postings, sum(amount) AS total, min(currency) AS currency, max(currency) AS other,
                      min(version) FILTER (WHERE running <> balance_after OR place <> version) AS broken_at
               FROM history GROUP BY account
           ), judged AS (
               SELECT CASE
                          WHEN a.id IS NULL OR a.balance <> coalesce(s.total, 0) THEN 'balance'
                          WHEN a.version <> coalesce(s.postings, 0) OR s.broken_at IS NOT NULL
                              OR s.currency <> a.currency OR s.other <> a.currency THEN 'history'
                          WHEN a.bound IS DISTINCT FROM ledger.account_bound(a.owner_kind, a.name, a.currency)
                              OR a.bound * sign(a.balance) < 0 THEN 'sign'
                      END AS wrong,
                      a.*, s.account, s.postings, s.total, s.broken_at
               FROM ledger.account a FULL JOIN summed s ON s.account = a.id
           )
           SELECT wrong AS "check!",
                  coalesce(owner_kind || ' ' || coalesce(owner::text || ' ', '') || name || ' ' || currency || ' ' || stripe, account::text) AS "subject!",
                  CASE wrong WHEN 'balance' THEN coalesce(total, 0)::text
                             WHEN 'history' THEN coalesce(postings, 0) || ' postings without a break'
                             ELSE 'sign ' || bound END AS "expected!",
                  CASE wrong WHEN 'balance' THEN coalesce(balance::text, 'no account')
                             WHEN 'history' THEN 'version ' || version || coalesce(', broken at ' || broken_at, '')
                             ELSE balance::text END AS "found!"
           FROM judged WHERE wrong IS NOT NULL
           ORDER BY owner_kind NULLS FIRST, name, owner, currency, stripe LIMIT 1"#
    )
    .fetch_optional(conn)
    .await?)
}

/// All balances of a currency sum to zero.
pub async fn currency_difference(conn: &mut PgConnection) -> Result<Option<Difference>, Error> {
    Ok(sqlx::query_as!(
        Difference,
        r#"SELECT 'currency_sum' AS "check!", currency AS "subject!", '0' AS "expected!", sum(balance)::text AS "found!"
           FROM ledger.account GROUP BY currency HAVING sum(balance) <> 0 ORDER BY currency LIMIT 1"#
    )
    .fetch_optional(conn)
    .await?)
}

/// Every transfer has all its lines and sums to zero in each currency; every posting has its transfer.
pub async fn transfer_difference(conn: &mut PgConnection) -> Result<Option<Difference>, Error> {
    Ok(sqlx::query_as!(
        Difference,
        r#"WITH summed AS (
               SELECT transfer, sum(lines) AS lines, max(abs(total)) AS off
               FROM (SELECT transfer, count(*) AS lines, sum(amount) AS total FROM ledger.posting GROUP BY transfer, currency) c
               GROUP BY transfer
           )
           SELECT 'transfer' AS "check!", coalesce(t.id, s.transfer)::text AS "subject!",
                  coalesce(t.lines::text, 'no') || ' lines, sum 0' AS "expected!",
                  coalesce(s.lines, 0) || ' lines, off by ' || coalesce(s.off, 0) AS "found!"
           FROM ledger.transfer t FULL JOIN summed s ON s.transfer = t.id
           WHERE t.id IS NULL OR s.transfer IS NULL OR t.lines <> s.lines OR t.lines < 2 OR s.off <> 0
           ORDER BY 2 LIMIT 1"#
    )
    .fetch_optional(conn)
    .await?)
}

/// What lies in a `held` account is what its open holds say.
pub async fn hold_difference(conn: &mut PgConnection) -> Result<Option<Difference>, Error> {
    Ok(sqlx::query_as!(
        Difference,
        r#"WITH open AS (
               SELECT h.account, sum(h.amount) AS amount FROM ledger.hold h
               WHERE NOT EXISTS (SELECT 1 FROM ledger.hold_resolution r WHERE r.hold = h.id) GROUP BY h.account
           )
           SELECT 'hold' AS "check!", a.owner_kind || ' ' || coalesce(a.owner::text, '') || ' ' || a.name AS "subject!",
                  coalesce(o.amount, 0)::text AS "expected!", a.balance::text AS "found!"
           FROM ledger.account a LEFT JOIN open o ON o.account = a.id
           WHERE a.name IN ('held', 'pyx_held') AND a.balance <> coalesce(o.amount, 0)
           ORDER BY a.owner LIMIT 1"#
    )
    .fetch_optional(conn)
    .await?)
}
