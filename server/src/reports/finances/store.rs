//! SQL of a person's money in sums.

use super::{BonusSums, DepositSums, LicenceSums, MovementTotals, TransferSums, WithdrawalSums};
use crate::error::Error;
use protocol::{ids::UserId, money::Usdt};
use sqlx::PgConnection;

pub async fn movements(conn: &mut PgConnection, user: UserId) -> Result<Vec<MovementTotals>, Error> {
    let rows = sqlx::query!(
        r#"SELECT t.kind, foundation.clamped(COALESCE(sum(p.amount) FILTER (WHERE p.amount > 0), 0)) AS "credits!",
                  foundation.clamped(COALESCE(-sum(p.amount) FILTER (WHERE p.amount < 0), 0)) AS "debits!", count(*) AS "count!"
           FROM ledger.account a JOIN ledger.posting p ON p.account = a.id JOIN ledger.transfer t ON t.id = p.transfer
           WHERE a.owner = $1 AND a.name = 'available' GROUP BY t.kind ORDER BY t.kind"#,
        user.0
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| MovementTotals {
            kind: r.kind,
            credits: Usdt(r.credits),
            debits: Usdt(r.debits),
            count: r.count,
        })
        .collect())
}

/// What came in, by the way it came; `reversed` is what of it was taken back.
pub async fn deposits(conn: &mut PgConnection, user: UserId) -> Result<Vec<DepositSums>, Error> {
    let rows = sqlx::query!(
        r#"SELECT CASE WHEN t.kind = 'deposit_pix' THEN 'pix' WHEN d.coin = 'bnb' THEN 'bnb' ELSE COALESCE(d.coin, 'usdt') || '_bep20' END AS "method!",
                  count(*) AS "count!", foundation.clamped(sum(p.amount)) AS "credited!",
                  foundation.clamped(COALESCE(sum(p.amount) FILTER (WHERE d.reversed_at IS NOT NULL OR x.reversed_at IS NOT NULL), 0)) AS "reversed!"
           FROM ledger.account a JOIN ledger.posting p ON p.account = a.id JOIN ledger.transfer t ON t.id = p.transfer
           LEFT JOIN wallet.deposit d ON t.cause_kind = 'chain_deposit' AND d.id = t.cause
           LEFT JOIN pix.deposit x ON t.cause_kind = 'pix_deposit' AND x.id = t.cause
           WHERE a.owner = $1 AND a.name = 'available' AND t.kind IN ('deposit_pix', 'deposit_chain') AND p.amount > 0
           GROUP BY 1 ORDER BY 1"#,
        user.0
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| DepositSums {
            method: r.method,
            count: r.count,
            credited: Usdt(r.credited),
            reversed: Usdt(r.reversed),
        })
        .collect())
}

/// What went out for good: held money that was paid, with the fee inside.
pub async fn withdrawals(conn: &mut PgConnection, user: UserId) -> Result<Vec<WithdrawalSums>, Error> {
    let rows = sqlx::query!(
        r#"SELECT CASE WHEN w.id IS NULL THEN 'crypto' ELSE 'pix' END AS "method!", count(*) AS "count!", foundation.clamped(sum(r.used)) AS "value!",
                  foundation.clamped(COALESCE(sum(f.fee), 0)) AS "fee!"
           FROM ledger.hold h JOIN ledger.account a ON a.id = h.account
           JOIN ledger.hold_resolution r ON r.hold = h.id AND r.outcome = 'posted'
           LEFT JOIN pix.withdrawal w ON w.id = h.cause
           CROSS JOIN LATERAL (
               SELECT sum(q.amount) AS fee FROM ledger.posting q JOIN ledger.account o ON o.id = q.account
               WHERE q.transfer = r.transfer AND o.owner IS NULL AND o.currency = 'USDT' AND o.name IN ('withdrawal_fees', 'network_fund')) f
           WHERE a.owner = $1 AND a.currency = 'USDT' AND h.cause_kind = 'withdrawal'
           GROUP BY 1 ORDER BY 1"#,
        user.0
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| WithdrawalSums {
            method: r.method,
            count: r.count,
            value: Usdt(r.value),
            fee: Usdt(r.fee),
        })
        .collect())
}

/// Transfers with other members that arrived.
pub async fn transfers(conn: &mut PgConnection, user: UserId) -> Result<TransferSums, Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) FILTER (WHERE sender = $1) AS "sent_count!", foundation.clamped(COALESCE(sum(usdt) FILTER (WHERE sender = $1), 0)) AS "sent!",
                  foundation.clamped(COALESCE(sum(fee) FILTER (WHERE sender = $1), 0)) AS "fees!",
                  count(*) FILTER (WHERE receiver = $1) AS "received_count!",
                  foundation.clamped(COALESCE(sum(usdt) FILTER (WHERE receiver = $1), 0)) AS "received!"
           FROM transfers.transfer WHERE (sender = $1 OR receiver = $1) AND ledger_transfer IS NOT NULL"#,
        user.0
    )
    .fetch_one(conn)
    .await?;
    Ok(TransferSums {
        sent: Usdt(row.sent),
        sent_count: row.sent_count,
        fees: Usdt(row.fees),
        received: Usdt(row.received),
        received_count: row.received_count,
    })
}

pub async fn licences(conn: &mut PgConnection, user: UserId) -> Result<LicenceSums, Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "count!", foundation.clamped(COALESCE(sum(value), 0)) AS "value!",
                  count(*) FILTER (WHERE state = 'active') AS "active_count!",
                  foundation.clamped(COALESCE(sum(value) FILTER (WHERE state = 'active'), 0)) AS "active_value!"
           FROM licences.licence WHERE owner = $1"#,
        user.0
    )
    .fetch_one(conn)
    .await?;
    Ok(LicenceSums {
        count: row.count,
        value: Usdt(row.value),
        active_count: row.active_count,
        active_value: Usdt(row.active_value),
    })
}

/// What the network paid, and what of it was taken out or put to work.
pub async fn bonus(conn: &mut PgConnection, user: UserId) -> Result<BonusSums, Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) FILTER (WHERE p.amount > 0) AS "count!",
                  foundation.clamped(COALESCE(sum(p.amount) FILTER (WHERE p.amount > 0), 0)) AS "received!",
                  foundation.clamped(COALESCE(-sum(p.amount) FILTER (WHERE p.amount < 0), 0)) AS "used!"
           FROM ledger.account a JOIN ledger.posting p ON p.account = a.id WHERE a.owner = $1 AND a.name = 'bonus'"#,
        user.0
    )
    .fetch_one(conn)
    .await?;
    Ok(BonusSums {
        count: row.count,
        received: Usdt(row.received),
        used: Usdt(row.used),
    })
}
