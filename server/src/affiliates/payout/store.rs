//! SQL of the payout report.

use super::rules::{Booked, Took};
use crate::{error::Error, foundation::business_day, ledger::model::TransferKind};
use protocol::{ids::UserId, money::Usdt};
use sqlx::PgConnection;
use std::collections::BTreeMap;
use time::{Date, Duration, OffsetDateTime};
use uuid::Uuid;

/// Movements in which fees lie.
const FEES: &[TransferKind] = &[
    TransferKind::DepositPix,
    TransferKind::DepositChain,
    TransferKind::WithdrawalPix,
    TransferKind::WithdrawalChain,
    TransferKind::HoldPosted,
    TransferKind::UserTransfer,
    TransferKind::Loan,
    TransferKind::LoanRepayment,
];

/// What was earned and what bonuses took on business days. A reversal of a fee counts as the fee. A sale that is taken back counts with its
/// whole value, whoever bears it: the funds give what they still hold, and get back later what receivers of its bonuses give.
pub async fn days(conn: &mut PgConnection, from: Date, to: Date) -> Result<BTreeMap<Date, Booked>, Error> {
    let mut days: BTreeMap<Date, Booked> = BTreeMap::new();
    // A movement is never booked after its day has ended by more than the closing's pause; a day of room spares nothing but rows.
    let (begin, end) = (
        business_day::start(from) - Duration::DAY,
        business_day::start(to) + Duration::days(2),
    );
    let fees: Vec<String> = FEES.iter().map(|kind| kind.as_str().to_owned()).collect();
    let revenue = sqlx::query!(
        r#"SELECT t.business_day,
                  foundation.clamped(coalesce(sum(p.amount) FILTER (WHERE t.kind = 'licence_final'), 0)) AS "licences!",
                  foundation.clamped(coalesce(sum(p.amount) FILTER (WHERE coalesce(o.kind, t.kind) = ANY($5) AND a.name <> 'graduation_fund'), 0)) AS "fees!"
           FROM ledger.transfer t
           LEFT JOIN ledger.transfer o ON o.id = t.reverses
           JOIN ledger.posting p ON p.transfer = t.id
           JOIN ledger.account a ON a.id = p.account AND a.owner IS NULL AND a.currency = 'USDT'
                AND a.name IN ('licence_sales', 'network_fund', 'graduation_fund', 'deposit_fees', 'withdrawal_fees', 'loan_fees')
           WHERE t.at >= $3 AND t.at < $4 AND t.business_day BETWEEN $1 AND $2
             AND (t.kind IN ('licence_final', 'reversal') OR t.kind = ANY($5))
           GROUP BY t.business_day"#,
        from,
        to,
        begin,
        end,
        &fees
    )
    .fetch_all(&mut *conn)
    .await?;
    for r in revenue {
        let day = days.entry(r.business_day).or_default();
        (day.licences, day.fees) = (Usdt(r.licences), Usdt(r.fees));
    }
    let taken_back = sqlx::query!(
        r#"SELECT business_day, foundation.clamped(sum(points)) AS "value!"
           FROM affiliates.points WHERE kind = 'reversal' AND business_day BETWEEN $1 AND $2 GROUP BY business_day"#,
        from,
        to
    )
    .fetch_all(&mut *conn)
    .await?;
    for r in taken_back {
        // Below zero.
        days.entry(r.business_day).or_default().licences += Usdt(r.value);
    }
    let bonuses = sqlx::query!(
        r#"SELECT business_day, foundation.clamped(sum(gross - lost - dropped - returned)) AS "earned!"
           FROM affiliates.bonus WHERE business_day BETWEEN $1 AND $2 GROUP BY business_day"#,
        from,
        to
    )
    .fetch_all(&mut *conn)
    .await?;
    for r in bonuses {
        days.entry(r.business_day).or_default().bonuses = Usdt(r.earned);
    }
    let graduations = sqlx::query!(
        r#"SELECT business_day, foundation.clamped(sum(amount)) AS "amount!"
           FROM affiliates.graduation WHERE business_day BETWEEN $1 AND $2 AND given_up_at IS NULL GROUP BY business_day"#,
        from,
        to
    )
    .fetch_all(conn)
    .await?;
    for r in graduations {
        days.entry(r.business_day).or_default().graduations = Usdt(r.amount);
    }
    Ok(days)
}

/// What these accounts took and put in, ever; each with the number of its ring. Ordered by ring and what was taken. A deposit that was taken
/// back from wherever its money had gone was not put in.
pub async fn took(conn: &mut PgConnection, members: &[(i32, UserId)]) -> Result<Vec<Took>, Error> {
    let rings: Vec<i32> = members.iter().map(|(ring, _)| *ring).collect();
    let ids: Vec<Uuid> = members.iter().map(|(_, member)| member.0).collect();
    let rows = sqlx::query!(
        r#"SELECT m.ring AS "ring!", a.username, b.earned AS "earned!", d.credited AS "credited!"
           FROM unnest($1::int[], $2::uuid[]) AS m(ring, member)
           JOIN identity.account a ON a.id = m.member
           CROSS JOIN LATERAL (
               SELECT foundation.clamped(coalesce(sum(gross - lost - dropped - returned), 0)) AS earned
               FROM affiliates.bonus WHERE receiver = m.member) b
           CROSS JOIN LATERAL (
               SELECT foundation.clamped(coalesce(sum(p.amount), 0)) AS credited
               FROM ledger.account o JOIN ledger.posting p ON p.account = o.id JOIN ledger.transfer t ON t.id = p.transfer
               LEFT JOIN ledger.transfer u ON u.id = t.reverses
               WHERE o.owner = m.member AND o.currency = 'USDT' AND o.name IN ('available', 'held', 'debt')
                 AND coalesce(u.kind, t.kind) IN ('deposit_pix', 'deposit_chain')
                 AND NOT EXISTS (SELECT FROM ledger.transfer c WHERE c.cause = t.cause AND c.cause_kind = t.cause_kind AND c.kind = 'claw_back'
                                   AND c.kind <> 'settlement')) d
           ORDER BY m.ring, b.earned DESC, a.username"#,
        &rings,
        &ids
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| Took {
            ring: r.ring,
            username: r.username,
            bonuses: Usdt(r.earned),
            deposits: Usdt(r.credited),
        })
        .collect())
}

/// Since when the alert stands; none while there is none.
pub async fn alert_since(conn: &mut PgConnection) -> Result<Option<OffsetDateTime>, Error> {
    Ok(sqlx::query_scalar!("SELECT since FROM affiliates.payout_alert")
        .fetch_one(conn)
        .await?)
}

/// Notes where the ratio stands; `true` when it is news.
pub async fn note(conn: &mut PgConnection, over: bool, now: OffsetDateTime) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE affiliates.payout_alert SET since = CASE WHEN $1 THEN $2::timestamptz END WHERE (since IS NOT NULL) <> $1",
        over,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}
