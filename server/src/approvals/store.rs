//! SQL of decisions.

use super::{
    foresight::Waits,
    rules::Kind,
    service::{Standing, Waiting},
};
use crate::error::{Error, violates};
use protocol::{
    ErrorCode,
    ids::{DecisionId, UserId},
    money::Usdt,
};
use sqlx::{PgConnection, PgExecutor};
use std::collections::HashMap;
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
    /// Else it rejects.
    pub approves: bool,
    /// A rejection has one, and what is asked for without a request.
    pub reason: Option<String>,
    pub position: i16,
    pub needed: i16,
}

/// What was approved in the last 24 h beside the subject in question.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    pub of_customer: Usdt,
    pub of_approver: Usdt,
}

/// How far a subject is approved already, or else what else was approved lately.
pub enum Found {
    Partly(Standing),
    /// `again`: two were asked for before, and the first one's word fell away.
    NotYet {
        sums: Sums,
        again: bool,
    },
}

/// What an approver finds.
pub struct Approved {
    pub found: Found,
    /// The first word that was there, which counts no more, and why.
    pub fell: Option<Fell>,
    /// It is what they asked for themselves.
    pub own: bool,
}

/// A first word that fell away because another came when it counted no more.
#[derive(Clone, Debug)]
pub struct Fell {
    pub speaker: UserId,
    pub why: String,
}

/// With `locked`, one decision at a time per approver, per customer and per subject, until the transaction ends; what is read is read behind it,
/// and a first word that counts no more is written down as fallen.
pub async fn approved(
    conn: &mut PgConnection,
    waiting: &Waiting,
    by: UserId,
    since: OffsetDateTime,
    locked: bool,
) -> Result<Approved, Error> {
    let row = sqlx::query!(
        r#"SELECT "position", needed, customer_sum, approver_sum, again AS "again!", fell, why,
               coalesce(approvals.author($4, $5) = $2, false) AS "own!"
           FROM approvals.approved($1, $2, $3, $4, $5, $6, $7)"#,
        locked,
        by.0,
        waiting.customer.map(|c| c.0),
        waiting.kind.as_str(),
        waiting.id,
        waiting.digest.as_slice(),
        since
    )
    .fetch_one(conn)
    .await
    .map_err(refusal)?;
    let found = match row.position.zip(row.needed) {
        Some((approvals, needed)) => Found::Partly(Standing { approvals, needed }),
        None => Found::NotYet {
            sums: Sums {
                of_customer: row.customer_sum.map(Usdt).unwrap_or_default(),
                of_approver: row.approver_sum.map(Usdt).unwrap_or_default(),
            },
            again: row.again,
        },
    };
    let fell = row.fell.zip(row.why).map(|(speaker, why)| Fell {
        speaker: UserId(speaker),
        why,
    });
    Ok(Approved {
        found,
        fell,
        own: row.own,
    })
}

/// The sums beside each of several things that wait, and whether two were asked for before.
pub async fn foreseen(
    db: impl PgExecutor<'_>,
    by: UserId,
    waiting: &[Waits],
    since: OffsetDateTime,
) -> Result<HashMap<Uuid, (Sums, bool)>, Error> {
    let subjects: Vec<Uuid> = waiting.iter().map(|w| w.id).collect();
    let customers: Vec<Uuid> = waiting.iter().map(|w| w.customer.0).collect();
    let rows = sqlx::query!(
        r#"SELECT subject AS "subject!", customer_sum, approver_sum, again AS "again!" FROM approvals.foreseen($1, $2, $3, $4)"#,
        by.0,
        &subjects,
        &customers,
        since
    )
    .fetch_all(db)
    .await?;
    let sums = rows.into_iter().map(|row| {
        let sums = Sums {
            of_customer: row.customer_sum.map(Usdt).unwrap_or_default(),
            of_approver: row.approver_sum.map(Usdt).unwrap_or_default(),
        };
        (row.subject, (sums, row.again))
    });
    Ok(sums.collect())
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
         WHERE d.kind = $1 AND d.subject = $2 AND d.digest = $3 AND d.verdict = 'approve'
           AND NOT EXISTS (SELECT FROM approvals.fallen f WHERE f.decision = d.id) ORDER BY d.position",
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

/// The first of two words, with why.
#[derive(Clone, Debug)]
pub struct Asked {
    pub by: UserId,
    pub username: String,
    pub reason: Option<String>,
}

pub async fn asked(conn: &mut PgConnection, kind: Kind, subject: Uuid) -> Result<Option<Asked>, Error> {
    Ok(sqlx::query_as!(
        Asked,
        r#"SELECT a.id AS "by!: UserId", a.username, d.reason FROM approvals.first_word d JOIN identity.account a ON a.id = d.decided_by
           WHERE d.kind = $1 AND d.subject = $2 ORDER BY d.at DESC LIMIT 1"#,
        kind.as_str(),
        subject
    )
    .fetch_optional(conn)
    .await?)
}

/// Takes back a person's first words about something; how many there were.
pub async fn take_back(
    conn: &mut PgConnection,
    kind: Kind,
    subject: Uuid,
    by: UserId,
    now: OffsetDateTime,
) -> Result<u64, Error> {
    // Those that no longer count are taken back as well: their speaker may come to decide again.
    let done = sqlx::query!(
        "INSERT INTO approvals.fallen (decision, why, fell_by, at)
         SELECT d.id, 'taken_back', $3, $4 FROM approvals.decision d
         WHERE d.kind = $1 AND d.subject = $2 AND d.decided_by = $3 AND d.verdict = 'approve' AND d.position = 1 AND d.needed = 2
           AND NOT EXISTS (SELECT FROM approvals.fallen f WHERE f.decision = d.id)
           AND NOT EXISTS (SELECT FROM approvals.decision s WHERE s.kind = d.kind AND s.subject = d.subject AND s.digest = d.digest
                           AND s.turn = d.turn AND s.verdict = 'approve' AND s.position = 2)
         ORDER BY d.id",
        kind.as_str(),
        subject,
        by.0,
        now
    )
    .execute(conn)
    .await
    .map_err(refusal)?;
    Ok(done.rows_affected())
}

/// Why this person could not decide on it now; none when they may.
pub async fn refused(
    conn: &mut PgConnection,
    waiting: &Waiting,
    by: UserId,
    now: OffsetDateTime,
) -> Result<Option<String>, Error> {
    let why = sqlx::query_scalar!(
        r#"SELECT CASE
               WHEN approvals.is_side($1, $2, $3) THEN 'side'
               WHEN $1 = $4 OR approvals.in_line($1, $4) THEN 'own'
               WHEN approvals.is_frozen($1) THEN 'frozen'
               WHEN NOT approvals.counts($1, $5) THEN 'too_new'
           END AS why"#,
        by.0,
        waiting.kind.as_str(),
        waiting.id,
        waiting.customer.map(|c| c.0),
        now
    )
    .fetch_one(conn)
    .await?;
    Ok(why)
}

pub async fn insert(
    conn: &mut PgConnection,
    decisions: &[NewDecision],
    now: OffsetDateTime,
) -> Result<(), Error> {
    let ids: Vec<Uuid> = decisions.iter().map(|d| d.id.0).collect();
    let kinds: Vec<String> = decisions.iter().map(|d| d.kind.as_str().to_owned()).collect();
    let subjects: Vec<Uuid> = decisions.iter().map(|d| d.subject).collect();
    let customers: Vec<Option<Uuid>> = decisions.iter().map(|d| d.customer.map(|c| c.0)).collect();
    let digests: Vec<Vec<u8>> = decisions.iter().map(|d| d.digest.to_vec()).collect();
    let worth: Vec<i64> = decisions.iter().map(|d| d.usdt.0).collect();
    let by: Vec<Uuid> = decisions.iter().map(|d| d.by.0).collect();
    let verdict = |d: &NewDecision| if d.approves { "approve" } else { "reject" }.to_owned();
    let verdicts: Vec<String> = decisions.iter().map(verdict).collect();
    let reasons: Vec<Option<String>> = decisions.iter().map(|d| d.reason.clone()).collect();
    let positions: Vec<i16> = decisions.iter().map(|d| d.position).collect();
    let needed: Vec<i16> = decisions.iter().map(|d| d.needed).collect();
    sqlx::query!(
        "INSERT INTO approvals.decision (id, kind, subject, customer, digest, usdt, decided_by, verdict, reason, position, needed, at)
         SELECT d.*, $12 FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::bytea[], $6::bigint[], $7::uuid[], $8::text[],
             $9::text[], $10::smallint[], $11::smallint[]) AS d",
        &ids,
        &kinds,
        &subjects,
        &customers as &[Option<Uuid>],
        &digests,
        &worth,
        &by,
        &verdicts,
        &reasons as &[Option<String>],
        &positions,
        &needed,
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
        // Who spoke the first word lost the right to it, or got it back, in this very moment.
        ("decision_first_fell", ErrorCode::RequestConflict),
        ("fallen_stands", ErrorCode::RequestConflict),
    ]
    .into_iter()
    .find(|(constraint, _)| violates(&error, constraint));
    match code {
        Some((_, code)) => Error::code(code),
        None => error.into(),
    }
}
