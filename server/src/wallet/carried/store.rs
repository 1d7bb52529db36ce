//! SQL of payouts that the hot wallet carries: over the table that a kind names, and over all kinds together.

use super::Carried;
use crate::{
    error::Error,
    ledger::amount::Amount,
    wallet::{
        chain::{
            Coin,
            stored::{amount, coin},
        },
        sender::OutgoingId,
    },
};
use alloy::primitives::{Address, U256};
use protocol::{ids::TransferId, money::Usdt};
use sqlx::{AssertSqlSafe, PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// Approved ones that no transaction of this sender carries yet, oldest first.
pub async fn unqueued<K: Carried>(
    db: impl PgExecutor<'_>,
    hot: Address,
    count: i64,
) -> Result<Vec<K::Id>, Error> {
    let rows = K::TABLE.rows;
    let sql = format!(
        "SELECT w.id FROM {rows} w LEFT JOIN wallet.outgoing o ON o.id = w.outgoing
         WHERE w.status = 'approved' AND (o.id IS NULL OR o.state IN ('dropped', 'failed') OR (o.state = 'queued' AND o.sender <> $1))
         ORDER BY w.decided_at, w.id LIMIT $2"
    );
    let ids: Vec<Uuid> = sqlx::query_scalar(AssertSqlSafe(sql))
        .bind(hot.as_slice())
        .bind(count)
        .fetch_all(db)
        .await?;
    Ok(ids.into_iter().map(K::Id::from).collect())
}

/// The transaction that carries it.
pub async fn set_outgoing<K: Carried>(
    conn: &mut PgConnection,
    id: K::Id,
    outgoing: OutgoingId,
) -> Result<(), Error> {
    let id: Uuid = id.into();
    let sql = format!(
        "UPDATE {} SET outgoing = $2, version = version + 1 WHERE id = $1",
        K::TABLE.rows
    );
    sqlx::query(AssertSqlSafe(sql))
        .bind(id)
        .bind(outgoing.0)
        .execute(conn)
        .await?;
    Ok(())
}

/// Something about its transaction changed.
pub async fn touch<K: Carried>(conn: &mut PgConnection, id: K::Id) -> Result<(), Error> {
    let id: Uuid = id.into();
    let sql = format!("UPDATE {} SET version = version + 1 WHERE id = $1", K::TABLE.rows);
    sqlx::query(AssertSqlSafe(sql)).bind(id).execute(conn).await?;
    Ok(())
}

/// It is posted.
pub async fn complete<K: Carried>(
    conn: &mut PgConnection,
    id: K::Id,
    transfer: TransferId,
) -> Result<(), Error> {
    let id: Uuid = id.into();
    let sql = format!(
        "UPDATE {} SET status = 'complete', transfer = $2, version = version + 1 WHERE id = $1",
        K::TABLE.rows
    );
    sqlx::query(AssertSqlSafe(sql))
        .bind(id)
        .bind(transfer.0)
        .execute(conn)
        .await?;
    Ok(())
}

/// Whether all approvals that are needed are there for exactly this: the database's own word.
pub async fn approved<K: Carried>(
    conn: &mut PgConnection,
    id: K::Id,
    digest: &[u8; 32],
) -> Result<bool, Error> {
    let id: Uuid = id.into();
    Ok(sqlx::query_scalar!(
        r#"SELECT approvals.is_approved($3, $1, $2) AS "is!""#,
        id,
        digest.as_slice(),
        K::name()
    )
    .fetch_one(conn)
    .await?)
}

/// Whether an address is one of the deposit addresses, and how many of these there are.
pub async fn deposit_address(conn: &mut PgConnection, address: Address) -> Result<(bool, u32), Error> {
    let row = sqlx::query!(
        r#"SELECT EXISTS (SELECT FROM wallet.deposit_address WHERE address = $1) AS "is!",
                  coalesce((SELECT max(number) + 1 FROM wallet.deposit_address), 0) AS "count!""#,
        address.as_slice()
    )
    .fetch_one(conn)
    .await?;
    Ok((row.is, u32::try_from(row.count).unwrap_or(0)))
}

/// What is approved and not signed, per coin: wei and how many.
pub async fn waiting(db: impl PgExecutor<'_>) -> Result<Vec<(Coin, U256, i64)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT coin AS "coin!", sum(wei) AS "wei!: Amount", count(*) AS "count!" FROM (
               SELECT coin, wei FROM wallet.withdrawal WHERE status = 'approved'
               UNION ALL SELECT 'usdt', wei FROM wallet.graduation_bonus WHERE status = 'approved') w GROUP BY coin"#
    )
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|r| Ok((coin(&r.coin)?, amount(r.wei)?, r.count)))
        .collect()
}

/// What was signed of it since then, by worth.
pub async fn signed_since(
    db: impl PgExecutor<'_>,
    since: OffsetDateTime,
) -> Result<Vec<(OffsetDateTime, Usdt)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT o.signed_at AS "at!", coalesce(w.usdt, b.usdt) AS "usdt!" FROM wallet.outgoing o
           LEFT JOIN wallet.withdrawal w ON o.cause_kind = 'withdrawal' AND w.id = o.cause
           LEFT JOIN wallet.graduation_bonus b ON o.cause_kind = 'graduation_bonus' AND b.id = o.cause
           WHERE o.cause_kind IN ('withdrawal', 'graduation_bonus') AND o.signed_at > $1"#,
        since
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|r| (r.at, Usdt(r.usdt))).collect())
}
