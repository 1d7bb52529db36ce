//! SQL of solvency: sums of the books.

use crate::{error::Error, ledger::amount::Amount};
use protocol::money::Usdt;
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

/// All accounts of one name.
pub struct Sum {
    pub owner_kind: String,
    /// Without what stands behind its colon, for pools.
    pub name: String,
    pub currency: String,
    pub sum: Amount,
}

pub async fn sums(conn: &mut PgConnection) -> Result<Vec<Sum>, Error> {
    Ok(sqlx::query_as!(
        Sum,
        r#"SELECT owner_kind, CASE WHEN name LIKE 'pool_%:%' THEN split_part(name, ':', 1) ELSE name END AS "name!", currency,
               sum(balance) AS "sum!: Amount"
           FROM ledger.account GROUP BY 1, 2, 3"#
    )
    .fetch_all(conn)
    .await?)
}

/// What lies in `held` by what it is held for.
pub async fn held_for(conn: &mut PgConnection) -> Result<Vec<(String, Amount)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT h.cause_kind, sum(h.amount) AS "sum!: Amount" FROM ledger.hold h JOIN ledger.account a ON a.id = h.account
           WHERE a.owner_kind = 'user' AND a.name = 'held' AND a.currency = 'USDT' AND a.balance > 0
             AND NOT EXISTS (SELECT FROM ledger.hold_resolution r WHERE r.hold = h.id)
           GROUP BY 1"#
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|r| (r.cause_kind, r.sum)).collect())
}

/// Bonuses that wait for the network fund.
pub async fn deferred(conn: &mut PgConnection) -> Result<Usdt, Error> {
    let waiting = sqlx::query_scalar!(
        r#"SELECT foundation.clamped(coalesce(sum(waiting), 0)) AS "waiting!" FROM affiliates.fund"#
    )
    .fetch_one(conn)
    .await?;
    Ok(Usdt(waiting))
}

/// What the house itself has put in, per coin on the chain: no gain of any exchange.
pub async fn capital(conn: &mut PgConnection) -> Result<Vec<(String, Amount)>, Error> {
    Ok(sqlx::query_as(
        "SELECT a.currency, sum(p.amount) FROM ledger.transfer t JOIN ledger.posting p ON p.transfer = t.id JOIN ledger.account a ON a.id = p.account
         WHERE t.kind = 'house_capital' AND a.name LIKE 'fx:%' GROUP BY a.currency",
    )
    .fetch_all(conn)
    .await?)
}

/// What of the loans stands against its own licence's capital.
pub async fn netted_loans(conn: &mut PgConnection) -> Result<Amount, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT coalesce(sum(least(owed, capital)), 0) AS "sum!: Amount" FROM (
               SELECT -coalesce(sum(balance) FILTER (WHERE name = 'loan'), 0) AS owed,
                      coalesce(sum(balance) FILTER (WHERE name IN ('topup', 'allocated')), 0) AS capital
               FROM ledger.account WHERE owner_kind = 'licence' AND currency = 'USDT' GROUP BY owner) l WHERE owed > 0"#
    )
    .fetch_one(conn)
    .await?)
}

/// What a withdrawal that still waits takes: of what is owed, and of what is held.
pub struct Payout {
    pub owed: Usdt,
    pub leaves: Usdt,
}

pub async fn crypto_payout(db: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Payout>, Error> {
    let row = sqlx::query!(
        r#"SELECT coin = 'pyx' AS "pyx!", usdt, fee, net FROM wallet.withdrawal
           WHERE id = $1 AND status IN ('awaiting_email', 'pending', 'awaiting_confirmation', 'approved', 'failed')"#,
        id
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|r| Payout {
        owed: Usdt(if r.pyx { r.fee } else { r.usdt }),
        leaves: Usdt(if r.pyx { 0 } else { r.net }),
    }))
}

pub async fn pix_payout(db: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Payout>, Error> {
    let row = sqlx::query!(
        "SELECT usdt, net FROM pix.withdrawal
         WHERE id = $1 AND paid_at IS NULL AND status IN ('pending', 'awaiting_confirmation', 'approved')",
        id
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|r| Payout {
        owed: Usdt(r.usdt),
        leaves: Usdt(r.net),
    }))
}
