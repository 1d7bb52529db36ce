//! SQL of closings.

use super::model::{Closing, ClosingEnd, ClosingNeed, ClosingNeedView};
use crate::error::Error;
use protocol::{
    ids::{AccountClosingId, UserId},
    money::{Pyx, Usdt},
};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

/// The request of a person that waits.
pub async fn waiting(db: impl PgExecutor<'_>, owner: UserId) -> Result<Option<Closing>, Error> {
    Ok(sqlx::query_as!(
        Closing,
        r#"SELECT id AS "id: AccountClosingId", owner AS "owner: UserId", reason, asked_at, due_at
           FROM privacy.closing WHERE owner = $1 AND state = 'waiting'"#,
        owner.0
    )
    .fetch_optional(db)
    .await?)
}

/// A request by its id, while it waits.
pub async fn find(db: impl PgExecutor<'_>, id: AccountClosingId) -> Result<Option<Closing>, Error> {
    Ok(sqlx::query_as!(
        Closing,
        r#"SELECT id AS "id: AccountClosingId", owner AS "owner: UserId", reason, asked_at, due_at
           FROM privacy.closing WHERE id = $1 AND state = 'waiting'"#,
        id.0
    )
    .fetch_optional(db)
    .await?)
}

pub async fn insert(conn: &mut PgConnection, new: &Closing) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO privacy.closing (id, owner, state, reason, asked_at, due_at) VALUES ($1, $2, 'waiting', $3, $4, $5)",
        new.id.0,
        new.owner.0,
        new.reason,
        new.asked_at,
        new.due_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether it still waited.
pub async fn end(
    conn: &mut PgConnection,
    id: AccountClosingId,
    end: ClosingEnd,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE privacy.closing SET state = $2, reason = NULL, ended_at = $3, version = version + 1 WHERE id = $1 AND state = 'waiting'",
        id.0,
        end.as_str(),
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Whether the person has a wallet of their own on the chain.
pub async fn has_wallet(db: impl PgExecutor<'_>, owner: UserId) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM wallet.user_wallet WHERE owner = $1) AS "has!""#,
        owner.0
    )
    .fetch_one(db)
    .await?)
}

/// Whether the person's own wallet came, or something moved on it, since then: nobody has said of that whether it is settled.
pub async fn wallet_since(
    db: impl PgExecutor<'_>,
    owner: UserId,
    since: OffsetDateTime,
) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM wallet.user_wallet WHERE owner = $1 AND created_at > $2)
               OR EXISTS (SELECT FROM wallet.user_move WHERE owner = $1 AND updated_at > $2) AS "moved!""#,
        owner.0,
        since
    )
    .fetch_one(db)
    .await?)
}

/// All that stands in the way, from the rooms where it lies.
pub async fn needs(
    db: impl PgExecutor<'_>,
    owner: UserId,
    now: OffsetDateTime,
) -> Result<Vec<ClosingNeedView>, Error> {
    let rows = sqlx::query!(
        r#"SELECT what AS "what!", amount AS "amount?", many AS "many?", until AS "until?" FROM (
             SELECT CASE WHEN currency = 'PYX' THEN 'pyx' WHEN name LIKE 'pool_principal:%' THEN 'pools' ELSE name END AS what,
                    foundation.clamped(sum(abs(balance))) AS amount, NULL::bigint AS many, NULL::timestamptz AS until
             FROM ledger.account WHERE owner = $1 AND balance <> 0 GROUP BY 1
             UNION ALL
             SELECT CASE WHEN a.name = 'loan' THEN 'loans' ELSE 'licences' END, foundation.clamped(sum(abs(a.balance))), NULL, NULL
             FROM licences.licence l JOIN ledger.account a ON a.owner = l.id WHERE l.owner = $1 AND a.balance <> 0 GROUP BY 1
             UNION ALL
             SELECT 'bonus_waiting', foundation.clamped(sum(waiting)), count(*), NULL
             FROM affiliates.bonus WHERE receiver = $1 AND waiting > 0 HAVING count(*) > 0
             UNION ALL
             SELECT 'ranks', foundation.clamped(sum(amount)), count(*), NULL
             FROM affiliates.graduation WHERE member = $1 AND paid_at IS NULL AND amount > 0 HAVING count(*) > 0
             UNION ALL
             -- Small change of an address is too little to be credited, and keeps nobody here.
             SELECT 'deposits', NULL, count(*), NULL FROM (
                 SELECT id FROM pix.deposit WHERE owner = $1 AND status IN ('pending', 'pending_approval')
                 UNION ALL
                 SELECT id FROM wallet.deposit
                 WHERE owner = $1 AND outcome IS DISTINCT FROM 'dust'
                   AND status IN ('waiting_for_buyer_funds', 'pending', 'funds_received_and_confirmed', 'pending_approval')
                 UNION ALL
                 SELECT p.id FROM wallet.deposit_address d JOIN wallet.payment p ON p.address = d.number
                 WHERE d.owner = $1 AND p.state = 'seen') d HAVING count(*) > 0
             UNION ALL
             SELECT 'withdrawals', NULL, count(*), NULL FROM (
                 SELECT id FROM pix.withdrawal
                 WHERE owner = $1 AND (status IN ('pending', 'awaiting_confirmation') OR status = 'approved' AND paid_at IS NULL)
                 UNION ALL
                 SELECT id FROM wallet.withdrawal
                 WHERE owner = $1 AND status NOT IN ('complete', 'rejected', 'canceled', 'expired')) w HAVING count(*) > 0
             UNION ALL
             SELECT 'transfers', NULL, count(*), NULL FROM (
                 SELECT id FROM transfers.transfer WHERE (sender = $1 OR receiver = $1) AND status = 'pending'
                 UNION ALL
                 SELECT id FROM sponsorship.request WHERE user_id = $1 AND status = 'pending') t HAVING count(*) > 0
             UNION ALL
             SELECT 'orders', NULL, count(*), NULL FROM presale.trade_order
             WHERE user_id = $1 AND status = 'open' HAVING count(*) > 0
             UNION ALL
             SELECT 'wallet_moves', NULL, count(*), NULL FROM wallet.user_move
             WHERE owner = $1 AND status IN ('queued', 'sent') HAVING count(*) > 0
             UNION ALL
             SELECT 'cases', NULL, count(*), NULL FROM approvals.compliance_case
             WHERE user_id = $1 AND status = 'open' HAVING count(*) > 0
             UNION ALL
             SELECT 'pools', foundation.clamped(sum(s.value)), NULL, NULL
             FROM pools.entry e JOIN pools.share s ON s.entry = e.id
             WHERE e.owner = $1 AND s.paid_at IS NULL AND s.value > 0 HAVING count(*) > 0
             UNION ALL
             -- What staff stopped does not leave through another door.
             SELECT 'cases', NULL, count(*), NULL FROM (
                 SELECT id FROM identity.account WHERE id = $1 AND status = 'inactive'
                 UNION ALL
                 SELECT id FROM approvals.pause WHERE user_id = $1 AND active_from IS NOT NULL AND lifted_at IS NULL) s HAVING count(*) > 0
             UNION ALL
             SELECT 'hold', NULL, NULL, hold_until FROM identity.account WHERE id = $1 AND hold_until > $2
             UNION ALL
             SELECT 'role', NULL, NULL, NULL
             WHERE EXISTS (SELECT FROM identity.account_role g JOIN identity.role r ON r.id = g.role
                           WHERE g.account = $1 AND 'admin_permissions' = ANY (r.permissions))
                OR EXISTS (SELECT FROM approvals.grant_request WHERE account = $1 AND status = 'waiting')
           ) found"#,
        owner.0,
        now
    )
    .fetch_all(db)
    .await?;
    let mut needs: Vec<ClosingNeedView> = Vec::with_capacity(rows.len());
    for row in rows {
        let what: ClosingNeed = row.what.parse().map_err(|()| {
            Error::internal(format!(
                "money in an account that closings do not know: {}",
                row.what
            ))
        })?;
        // The first said it.
        if needs.iter().any(|need| need.what == what) {
            continue;
        }
        let pyx = what == ClosingNeed::Pyx;
        needs.push(ClosingNeedView {
            what,
            usdt: row.amount.filter(|_| !pyx).map(Usdt),
            pyx: row.amount.filter(|_| pyx).map(Pyx),
            count: row.many,
            until: row.until,
        });
    }
    needs.sort_by_key(|need| ClosingNeed::ALL.iter().position(|what| *what == need.what));
    Ok(needs)
}
