//! SQL of solvency: sums of the books.

use crate::{error::Error, ledger::amount::Amount};
use sqlx::PgConnection;

/// All accounts of one name.
pub struct Sum {
    pub owner_kind: String,
    /// Without what stands behind its colon, for pools.
    pub name: String,
    pub currency: String,
    pub sum: Amount,
}

/// All that follows sees one state of the books.
pub async fn snapshot(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        .execute(conn)
        .await?;
    Ok(())
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
