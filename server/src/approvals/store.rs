//! SQL of decisions.

use super::{rules::Kind, service::Standing};
use crate::error::{Error, violates};
use protocol::{
    ErrorCode,
    ids::{DecisionId, UserId},
    money::Usdt,
};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

pub struct NewDecision {
    pub id: DecisionId,
    pub kind: Kind,
    pub subject: Uuid,
    pub customer: Option<UserId>,
    pub digest: [u8; 32],
    pub usdt: Usdt,
    pub by: UserId,
    /// A rejection has one.
    pub reason: Option<String>,
    pub position: i16,
    pub needed: i16,
}

/// What was approved in the last 24 h beside the subject in question.
pub struct Sums {
    pub of_customer: Usdt,
    pub of_approver: Usdt,
}

/// One decision at a time per approver and per customer, in the order of their ids.
pub async fn lock_sums(conn: &mut PgConnection, by: UserId, customer: Option<UserId>) -> Result<(), Error> {
    let mut people = vec![by.0];
    people.extend(customer.map(|c| c.0));
    people.sort_unstable();
    for person in people {
        sqlx::query!(
            "SELECT pg_advisory_xact_lock(hashtextextended($1, 5))",
            person.to_string()
        )
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

pub async fn approvals(
    conn: &mut PgConnection,
    kind: Kind,
    subject: Uuid,
    digest: &[u8; 32],
) -> Result<Option<Standing>, Error> {
    let row = sqlx::query!(
        "SELECT position, needed FROM approvals.decision
         WHERE kind = $1 AND subject = $2 AND digest = $3 AND verdict = 'approve' ORDER BY position DESC LIMIT 1",
        kind.as_str(),
        subject,
        digest.as_slice()
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| Standing {
        approvals: r.position,
        needed: r.needed,
    }))
}

/// Who has approved of something.
#[derive(Clone, Debug, serde::Serialize, utoipa::ToSchema)]
pub struct Approver {
    #[serde(rename = "_id")]
    pub id: UserId,
    pub username: String,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

pub async fn approvers(
    conn: &mut PgConnection,
    kind: Kind,
    subject: Uuid,
    digest: &[u8; 32],
) -> Result<Vec<Approver>, Error> {
    let rows = sqlx::query!(
        "SELECT a.id, a.username, d.at FROM approvals.decision d JOIN identity.account a ON a.id = d.decided_by
         WHERE d.kind = $1 AND d.subject = $2 AND d.digest = $3 AND d.verdict = 'approve' ORDER BY d.position",
        kind.as_str(),
        subject,
        digest.as_slice()
    )
    .fetch_all(conn)
    .await?;
    let approvers = rows.into_iter().map(|r| Approver {
        id: UserId(r.id),
        username: r.username,
        at: r.at,
    });
    Ok(approvers.collect())
}

pub async fn sums(
    conn: &mut PgConnection,
    by: UserId,
    customer: Option<UserId>,
    subject: Uuid,
    since: OffsetDateTime,
) -> Result<Sums, Error> {
    // A subject approved twice, or anew after a change, counts once, with its greatest amount; one that was rejected after it does not.
    let row = sqlx::query!(
        r#"WITH approved AS (
               SELECT customer, decided_by, subject, usdt FROM approvals.decision d
               WHERE (customer = $2 OR decided_by = $1) AND at > $4 AND verdict = 'approve' AND subject <> $3
                 AND NOT EXISTS (SELECT FROM approvals.decision r
                                 WHERE r.kind = d.kind AND r.subject = d.subject AND r.verdict = 'reject' AND r.at >= d.at))
           SELECT foundation.clamped((SELECT sum(most) FROM (SELECT max(usdt) AS most FROM approved
                      WHERE customer = $2 GROUP BY subject) c)) AS customer,
                  foundation.clamped((SELECT sum(most) FROM (SELECT max(usdt) AS most FROM approved
                      WHERE decided_by = $1 GROUP BY subject) a)) AS approver"#,
        by.0,
        customer.map(|c| c.0),
        subject,
        since
    )
    .fetch_one(conn)
    .await?;
    Ok(Sums {
        of_customer: row.customer.map(Usdt).unwrap_or_default(),
        of_approver: row.approver.map(Usdt).unwrap_or_default(),
    })
}

pub async fn insert(
    conn: &mut PgConnection,
    decision: &NewDecision,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO approvals.decision (id, kind, subject, customer, digest, usdt, decided_by, verdict, reason, position, needed, at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        decision.id.0,
        decision.kind.as_str(),
        decision.subject,
        decision.customer.map(|c| c.0),
        decision.digest.as_slice(),
        decision.usdt.0,
        decision.by.0,
        if decision.reason.is_some() { "reject" } else { "approve" },
        decision.reason,
        decision.position,
        decision.needed,
        now
    )
    .execute(conn)
    .await
    .map_err(refusal)?;
    Ok(())
}

/// The database's refusals in the words of the policy.
fn refusal(error: sqlx::Error) -> Error {
    let code = [
        ("decision_own_money", ErrorCode::DecisionOwnMoney),
        ("decision_same_person", ErrorCode::DecisionSamePerson),
        ("decision_granted", ErrorCode::DecisionGranted),
        ("decision_permission", ErrorCode::Forbidden),
        ("decision_frozen", ErrorCode::DecisionFrozen),
        ("decision_too_new", ErrorCode::DecisionTooNew),
        ("grant_own", ErrorCode::RolesOwn),
        ("decision_done", ErrorCode::DecisionDone),
    ]
    .into_iter()
    .find(|(constraint, _)| violates(&error, constraint));
    match code {
        Some((_, code)) => Error::code(code),
        None => error.into(),
    }
}
