//! SQL of what waits: each queue by the condition of its own list, under the name of its counter (a test compares them with the table).

use super::{QueueState, WaitingQueue, counters};
use crate::error::Error;
use protocol::ids::UserId;
use sqlx::PgExecutor;
use time::OffsetDateTime;

/// `kind` and `digest` name the approvals of a thing; none where the next step is no approval. `about`: who does not decide on it.
/// `here`: it is not decided with the thing that waits for it.
pub async fn queues(
    db: impl PgExecutor<'_>,
    caller: UserId,
    now: OffsetDateTime,
) -> Result<Vec<QueueState>, Error> {
    let names: Vec<String> = counters().map(str::to_owned).collect();
    let rows = sqlx::query!(
        r#"WITH waits (queue, id, kind, digest, customer, about, since, here) AS (
             SELECT 'pix_deposits', id, 'pix_deposit', digest, owner, NULL::uuid, waiting_since, true FROM pix.deposit WHERE status = 'pending_approval'
             UNION ALL SELECT 'pix_withdrawals', id, CASE status WHEN 'pending' THEN 'pix_withdrawal' END, digest, owner, NULL, waiting_since, true
                 FROM pix.withdrawal WHERE status = 'pending' OR status = 'approved' AND paid_at IS NULL
             UNION ALL SELECT 'crypto_withdrawals', id, CASE status WHEN 'pending' THEN 'crypto_withdrawal' END, digest, owner, NULL, waiting_since, true
                 FROM wallet.withdrawal WHERE status IN ('pending', 'failed')
             UNION ALL SELECT 'crypto_deposits', id, 'crypto_deposit', digest, owner, NULL, waiting_since, true
                 FROM wallet.deposit WHERE status = 'pending_approval'
             UNION ALL SELECT 'transfers', id, 'transfer', digest, sender, receiver, created_at, true FROM transfers.transfer WHERE status = 'pending'
             UNION ALL SELECT 'cases', id, NULL, NULL, user_id, NULL, opened_at, subject_kind IS NULL OR subject_kind = 'pix_deposit'
                 FROM approvals.compliance_case WHERE status = 'open'
             UNION ALL SELECT 'graduation_bonuses', id, 'graduation_bonus', digest, owner, NULL, waiting_since, true
                 FROM wallet.graduation_bonus WHERE status = 'pending'
             UNION ALL SELECT 'sponsorship', id, 'sponsorship', digest, user_id, NULL, created_at, true FROM sponsorship.request WHERE status = 'pending'
             UNION ALL SELECT 'pool_revenue', id, 'pool_revenue', digest, NULL, NULL, created_at, true FROM pools.revenue WHERE status = 'pending'
             UNION ALL SELECT 'holdings', id, 'declared_holdings', digest, NULL, NULL, created_at, true FROM treasury.declaration WHERE status = 'pending'
             UNION ALL SELECT 'settings', id, 'money_settings', digest, NULL, NULL, created_at, true FROM rulebook.change WHERE status = 'waiting'
             UNION ALL SELECT 'rounds', id, 'money_settings', digest, NULL, NULL, created_at, true FROM presale.round
                 WHERE status = 'proposed' AND ends_at > $2
             UNION ALL SELECT 'pauses', p.id, 'pause_lift', d.digest, p.user_id, NULL, d.at, true FROM approvals.pause p
                 JOIN approvals.first_word d ON d.kind = 'pause_lift' AND d.subject = p.id
                 WHERE p.lifted_at IS NULL
             UNION ALL SELECT 'live', id, 'live_trading', digest, NULL, NULL, asked_at, true FROM robots.live_switch
                 WHERE confirmed_at IS NULL AND off_at IS NULL
             UNION ALL SELECT 'grants', id, 'admin_grant', digest, NULL, account, asked_at, true FROM approvals.grant_request
                 WHERE status = 'waiting' AND asked_at > $2 - interval '7 days'
             UNION ALL SELECT 'grants', f.id, 'admin_grant', f.digest, NULL, NULL, d.at, true FROM approvals.freeze f
                 JOIN approvals.first_word d ON d.kind = 'admin_grant' AND d.subject = f.id AND d.digest = f.digest
                 WHERE f.ended_at IS NULL),
           me AS (SELECT approvals.counts($1, $2) AND NOT approvals.is_frozen($1) AS decides),
           judged AS (
             SELECT w.queue, w.since, me.decides AND w.here
                 AND w.customer IS DISTINCT FROM $1 AND w.about IS DISTINCT FROM $1
                 AND NOT EXISTS (SELECT FROM affiliates.member m WHERE (m.id = $1 AND m.sponsor = w.customer) OR (m.id = w.customer AND m.sponsor = $1))
                 AND NOT EXISTS (SELECT FROM approvals.decision d WHERE d.kind = w.kind AND d.subject = w.id AND d.digest = w.digest
                     AND d.verdict = 'approve' AND NOT EXISTS (SELECT FROM approvals.fallen f WHERE f.decision = d.id)
                     AND NOT approvals.are_two($1, d.decided_by) AND approvals.falls(d, $1, $2) IS NULL) AS mine
             FROM waits w CROSS JOIN me)
           SELECT count(j.queue) AS "pending!", count(*) FILTER (WHERE j.mine) AS "mine!", min(j.since) AS oldest
           FROM unnest($3::text[]) WITH ORDINALITY AS q (queue, position)
           LEFT JOIN judged j ON j.queue = q.queue
           GROUP BY q.position ORDER BY q.position"#,
        caller.0,
        now,
        &names
    )
    .fetch_all(db)
    .await?;
    let states = counters().zip(rows).map(|(name, row)| QueueState {
        queue: WaitingQueue(name),
        pending: row.pending,
        mine: row.mine,
        oldest: row.oldest,
    });
    Ok(states.collect())
}
