//! SQL of closings.

use super::model::{Closing, ClosingEnd, ClosingNeed, ClosingNeedView, ClosingWay};
use crate::error::Error;
use protocol::{
    ids::{AccountClosingId, LicenceId, UserId},
    money::{Pyx, Usdt},
};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

/// The request of a person that waits.
pub async fn waiting(db: impl PgExecutor<'_>, owner: UserId) -> Result<Option<Closing>, Error> {
    Ok(sqlx::query_as!(
        Closing,
        r#"SELECT id AS "id: AccountClosingId", owner AS "owner: UserId", reason, asked_at, due_at,
                  left_available AS "left_available: Usdt", left_pyx AS "left_pyx: Pyx", left_ranks AS "left_ranks: Usdt"
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
        r#"SELECT id AS "id: AccountClosingId", owner AS "owner: UserId", reason, asked_at, due_at,
                  left_available AS "left_available: Usdt", left_pyx AS "left_pyx: Pyx", left_ranks AS "left_ranks: Usdt"
           FROM privacy.closing WHERE id = $1 AND state = 'waiting'"#,
        id.0
    )
    .fetch_optional(db)
    .await?)
}

pub async fn insert(conn: &mut PgConnection, new: &Closing) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO privacy.closing (id, owner, state, reason, asked_at, due_at, left_available, left_pyx, left_ranks)
         VALUES ($1, $2, 'waiting', $3, $4, $5, $6, $7, $8)",
        new.id.0,
        new.owner.0,
        new.reason,
        new.asked_at,
        new.due_at,
        new.left_available.map(|usdt| usdt.0),
        new.left_pyx.map(|pyx| pyx.0),
        new.left_ranks.map(|usdt| usdt.0)
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

/// Marks the requests whose day had come by `due` and that wait still, as told; whose they are, and their day. Each is told once.
pub async fn mark_late(
    conn: &mut PgConnection,
    due: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<Vec<(UserId, OffsetDateTime)>, Error> {
    let rows = sqlx::query!(
        r#"UPDATE privacy.closing SET late_told_at = $2 WHERE state = 'waiting' AND due_at <= $1 AND late_told_at IS NULL
           RETURNING owner AS "owner: UserId", due_at"#,
        due,
        now
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|r| (r.owner, r.due_at)).collect())
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

/// Whether the person's own wallet came, or they moved something on it, since then: nobody has said of that whether it is settled. What others send
/// there is no word of theirs: a few coins of a stranger would keep them for ever.
pub async fn wallet_since(
    db: impl PgExecutor<'_>,
    owner: UserId,
    since: OffsetDateTime,
) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM wallet.user_wallet WHERE owner = $1 AND created_at > $2)
               OR EXISTS (SELECT FROM wallet.user_move WHERE owner = $1 AND kind <> 'receive' AND updated_at > $2) AS "moved!""#,
        owner.0,
        since
    )
    .fetch_one(db)
    .await?)
}

/// All licences that the person ever had.
pub async fn licences(db: impl PgExecutor<'_>, owner: UserId) -> Result<Vec<LicenceId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT id AS "id: LicenceId" FROM licences.licence WHERE owner = $1"#,
        owner.0
    )
    .fetch_all(db)
    .await?)
}

/// Whether a bonus may come to the person from what has begun: a day's closing that found them active, or what is not worked off below them, as
/// far down as bonuses reach. Only what had begun by `due`, the request's own day, so that a network that never rests keeps nobody: what begins
/// later finds the account closed.
pub async fn is_awaited(db: impl PgExecutor<'_>, owner: UserId, due: OffsetDateTime) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM affiliates.closing c JOIN affiliates.closing_member m ON m.closing = c.id
                          WHERE c.step <> 'done' AND m.member = $1)
               OR EXISTS (WITH RECURSIVE up AS (
                              SELECT m.sponsor AS member, 1 AS level
                              FROM affiliates.cause c JOIN affiliates.member m ON m.id = c.member WHERE c.booked_at IS NULL AND c.at <= $2
                              UNION
                              SELECT m.sponsor, up.level + 1 FROM up JOIN affiliates.member m ON m.id = up.member WHERE up.level < 10)
                          SELECT FROM up WHERE up.member = $1) AS "awaited!""#,
        owner.0,
        due
    )
    .fetch_one(db)
    .await?)
}

/// Whether nobody has asked for a payment of the bonuses of ranks that a person is still owed.
pub async fn ranks_untouched(db: impl PgExecutor<'_>, owner: UserId) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT NOT EXISTS (SELECT FROM affiliates.graduation WHERE member = $1 AND paid_at IS NULL AND payout IS NOT NULL) AS "so!""#,
        owner.0
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
             FROM affiliates.graduation WHERE member = $1 AND paid_at IS NULL AND given_up_at IS NULL AND amount > 0 HAVING count(*) > 0
             UNION ALL
             -- Small change of an address is too little to be credited, and keeps nobody here.
             SELECT 'deposits:' || way, NULL, count(*), NULL FROM (
                 SELECT 'pix' AS way FROM pix.deposit WHERE owner = $1 AND status IN ('pending', 'pending_approval')
                 UNION ALL
                 SELECT 'chain' FROM wallet.deposit
                 WHERE owner = $1 AND outcome IS DISTINCT FROM 'dust'
                   AND status IN ('waiting_for_buyer_funds', 'pending', 'funds_received_and_confirmed', 'pending_approval')
                 UNION ALL
                 SELECT 'chain' FROM wallet.deposit_address d JOIN wallet.payment p ON p.address = d.number
                 WHERE d.owner = $1 AND p.state = 'seen') d GROUP BY way
             UNION ALL
             SELECT 'withdrawals:' || way, NULL, count(*), NULL FROM (
                 SELECT 'pix' AS way FROM pix.withdrawal
                 WHERE owner = $1 AND (status IN ('pending', 'awaiting_confirmation') OR status = 'approved' AND paid_at IS NULL)
                 UNION ALL
                 SELECT 'chain' FROM wallet.withdrawal
                 WHERE owner = $1 AND status NOT IN ('complete', 'rejected', 'canceled', 'expired')) w GROUP BY way
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
                OR EXISTS (SELECT FROM approvals.grant_request WHERE account = $1 AND status = 'waiting' AND action IN ('add', 'remove'))
             UNION ALL
             -- Another e-mail, other factors, switching on or off: asked for by one of the team, and a second one decides.
             SELECT 'change', NULL, count(*), NULL FROM approvals.grant_request
             WHERE account = $1 AND status = 'waiting' AND action NOT IN ('add', 'remove') HAVING count(*) > 0
           ) found"#,
        owner.0,
        now
    )
    .fetch_all(db)
    .await?;
    let mut needs: Vec<ClosingNeedView> = Vec::with_capacity(rows.len());
    for row in rows {
        let unknown = || {
            Error::internal(format!(
                "money in an account that closings do not know: {}",
                row.what
            ))
        };
        let (what, way) = match row.what.split_once(':') {
            Some((what, way)) => (what, Some(way.parse::<ClosingWay>().map_err(|()| unknown())?)),
            None => (row.what.as_str(), None),
        };
        let what: ClosingNeed = what.parse().map_err(|()| unknown())?;
        if let Some(need) = needs.iter_mut().find(|need| need.what == what) {
            // What comes in two ways adds up; of the rest the first said it.
            if let Some(way) = way {
                need.count = Some(need.count.unwrap_or(0) + row.many.unwrap_or(0));
                need.ways.push(way);
                need.ways.sort_unstable();
            }
            continue;
        }
        let pyx = what == ClosingNeed::Pyx;
        needs.push(ClosingNeedView {
            what,
            usdt: row.amount.filter(|_| !pyx).map(Usdt),
            pyx: row.amount.filter(|_| pyx).map(Pyx),
            count: row.many,
            until: row.until,
            leavable: false,
            ways: way.into_iter().collect(),
        });
    }
    needs.sort_by_key(|need| ClosingNeed::ALL.iter().position(|what| *what == need.what));
    Ok(needs)
}
