//! SQL of reviews.

use crate::{approvals::compliance::service::Decision, error::Error};
use protocol::{
    ids::{BonusId, CaseId, UserId},
    money::Usdt,
};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

/// The open review of a pair, with its case.
pub async fn open_of(
    conn: &mut PgConnection,
    receiver: UserId,
    source: UserId,
) -> Result<Option<(Uuid, CaseId)>, Error> {
    let row = sqlx::query!(
        r#"SELECT id, case_id AS "case: CaseId" FROM affiliates.review
           WHERE receiver = $1 AND source = $2 AND status = 'open' FOR UPDATE"#,
        receiver.0,
        source.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| (r.id, r.case)))
}

/// All that a pair was ever cleared of.
pub async fn cleared(
    conn: &mut PgConnection,
    receiver: UserId,
    source: UserId,
) -> Result<Vec<String>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT DISTINCT unnest(reasons) AS "reason!" FROM affiliates.review
           WHERE receiver = $1 AND source = $2 AND status = 'cleared'"#,
        receiver.0,
        source.0
    )
    .fetch_all(conn)
    .await?)
}

pub async fn insert(
    conn: &mut PgConnection,
    id: Uuid,
    receiver: UserId,
    source: UserId,
    reasons: &[String],
    case: Uuid,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO affiliates.review (id, receiver, source, reasons, case_id, opened_at) VALUES ($1, $2, $3, $4, $5, $6)",
        id,
        receiver.0,
        source.0,
        reasons,
        case,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The open review of a case.
pub async fn lock_of_case(conn: &mut PgConnection, case: CaseId) -> Result<Option<Uuid>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM affiliates.review WHERE case_id = $1 AND status = 'open' FOR UPDATE",
        case.0
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn decide(
    conn: &mut PgConnection,
    review: Uuid,
    decision: &Decision,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.review SET status = CASE WHEN $2 THEN 'cleared' ELSE 'refused' END, decided_by = $3, decided_at = $4, note = $5
         WHERE id = $1",
        review,
        decision.cleared,
        decision.by.0,
        now,
        decision.note
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Those of these pairs of a receiver and somebody else of whom the other stands below the receiver in the binary tree and has points that
/// stand.
pub async fn sellers_below(
    conn: &mut PgConnection,
    pairs: &[(UserId, UserId)],
) -> Result<Vec<(UserId, UserId)>, Error> {
    let receivers: Vec<Uuid> = pairs.iter().map(|(receiver, _)| receiver.0).collect();
    let others: Vec<Uuid> = pairs.iter().map(|(_, other)| other.0).collect();
    let rows = sqlx::query!(
        r#"SELECT receiver AS "receiver!: UserId", other AS "other!: UserId"
           FROM unnest($1::uuid[], $2::uuid[]) AS p(receiver, other)
           JOIN affiliates.node r ON r.member = p.receiver
           JOIN affiliates.node o ON o.member = p.other
           WHERE (SELECT sum(points) FROM affiliates.points s WHERE s.member = p.other) > 0
             AND affiliates.child_towards(o.no, r.no) IS NOT NULL"#,
        &receivers,
        &others
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|r| (r.receiver, r.other)).collect())
}

/// A bonus on matched points, and what of it has not been taken back.
pub struct Held {
    pub id: BonusId,
    pub receiver: UserId,
    pub standing: Usdt,
}

/// Those of a review of which something stands.
pub async fn matched_of(conn: &mut PgConnection, review: Uuid) -> Result<Vec<Held>, Error> {
    Ok(sqlx::query_as!(
        Held,
        r#"SELECT id AS "id: BonusId", receiver AS "receiver: UserId", paid + waiting - returned AS "standing!: Usdt"
           FROM affiliates.bonus WHERE review = $1 AND kind = 'binary' AND paid + waiting > returned ORDER BY id"#,
        review
    )
    .fetch_all(conn)
    .await?)
}

/// What a cleared review held is free: whoever hears of it hears of something newer.
pub async fn set_free(conn: &mut PgConnection, review: Uuid) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.bonus SET version = version + 1 WHERE review = $1",
        review
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A bonus waits for another look.
pub async fn look_again(conn: &mut PgConnection, bonus: BonusId, review: Uuid) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.bonus SET review = $2, version = version + 1 WHERE id = $1",
        bonus.0,
        review
    )
    .execute(conn)
    .await?;
    Ok(())
}
