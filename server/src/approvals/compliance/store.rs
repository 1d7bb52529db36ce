//! SQL of the compliance port: what happened lately, payers, cases, pauses.

use super::{
    Movement, Pause, Reason,
    service::{CaseFilter, CaseNote, PauseView, Which, words},
};
use crate::{
    error::Error,
    foundation::{http::Paging, listing, text},
};
use protocol::{
    ids::{CaseId, PauseId, UserId},
    money::Usdt,
    views::{CaseStatus, ComplianceCaseView},
};
use sqlx::{FromRow, PgConnection, PgExecutor, PgPool, Postgres, QueryBuilder};
use std::collections::HashMap;
use time::OffsetDateTime;
use uuid::Uuid;

pub struct Lately {
    pub outs_last_hour: i64,
    pub out_last_day: Usdt,
}

pub async fn lately(
    conn: &mut PgConnection,
    user: UserId,
    hour_ago: OffsetDateTime,
    day_ago: OffsetDateTime,
) -> Result<Lately, Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) FILTER (WHERE at > $2 AND action <> 'pyx_trade') AS "hour!", foundation.clamped(COALESCE(sum(usdt), 0)) AS "day!"
           FROM approvals.outbound WHERE user_id = $1 AND at > $3 AND released_at IS NULL AND usdt > 0"#,
        user.0,
        hour_ago,
        day_ago
    )
    .fetch_one(conn)
    .await?;
    Ok(Lately {
        outs_last_hour: row.hour,
        out_last_day: Usdt(row.day),
    })
}

pub async fn other_payers(conn: &mut PgConnection, user: UserId, payer: &[u8; 32]) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) AS "n!" FROM approvals.payer WHERE payer = $1 AND user_id <> $2"#,
        payer.as_slice(),
        user.0
    )
    .fetch_one(conn)
    .await?)
}

pub async fn note_payer(
    conn: &mut PgConnection,
    user: UserId,
    payer: &[u8; 32],
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO approvals.payer (payer, user_id, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        payer.as_slice(),
        user.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn note_document(
    conn: &mut PgConnection,
    user: UserId,
    document: &[u8; 32],
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO approvals.document (document, user_id, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        document.as_slice(),
        user.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn forget_document(conn: &mut PgConnection, user: UserId) -> Result<(), Error> {
    sqlx::query!("DELETE FROM approvals.document WHERE user_id = $1", user.0)
        .execute(conn)
        .await?;
    Ok(())
}

/// Whether two people have the same document, and the same payer.
pub async fn shared(conn: &mut PgConnection, one: UserId, other: UserId) -> Result<(bool, bool), Error> {
    let row = sqlx::query!(
        r#"SELECT EXISTS (SELECT FROM approvals.document a JOIN approvals.document b USING (document)
                          WHERE a.user_id = $1 AND b.user_id = $2) AS "document!",
                  EXISTS (SELECT FROM approvals.payer a JOIN approvals.payer b USING (payer)
                          WHERE a.user_id = $1 AND b.user_id = $2) AS "payer!""#,
        one.0,
        other.0
    )
    .fetch_one(conn)
    .await?;
    Ok((row.document, row.payer))
}

/// Whether a case of this kind between the same two was opened since then, whichever way.
pub async fn pair_told(
    conn: &mut PgConnection,
    movement: &Movement<'_>,
    since: OffsetDateTime,
) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM approvals.compliance_case WHERE flow = $1 AND opened_at > $4
               AND ((user_id = $2 AND counterparty = $3) OR (user_id = $3 AND counterparty = $2))) AS "told!""#,
        movement.flow.as_str(),
        movement.user.0,
        movement.counterparty.map(|c| c.0),
        since
    )
    .fetch_one(conn)
    .await?)
}

/// Whether the same two were refused since then, in this direction.
pub async fn refused(
    conn: &mut PgConnection,
    user: UserId,
    other: UserId,
    since: OffsetDateTime,
) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM approvals.compliance_case
               WHERE user_id = $1 AND counterparty = $2 AND status = 'refused' AND decided_at > $3) AS "yes!""#,
        user.0,
        other.0,
        since
    )
    .fetch_one(conn)
    .await?)
}

pub async fn open(
    conn: &mut PgConnection,
    id: CaseId,
    movement: &Movement<'_>,
    reasons: &[Reason],
    now: OffsetDateTime,
) -> Result<(), Error> {
    let reasons = words(reasons);
    sqlx::query!(
        "INSERT INTO approvals.compliance_case (id, user_id, flow, usdt, counterparty, reasons, opened_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        id.0,
        movement.user.0,
        movement.flow.as_str(),
        movement.usdt.0,
        movement.counterparty.map(|c| c.0),
        &reasons,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn attach(conn: &mut PgConnection, case: CaseId, kind: &str, subject: Uuid) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE approvals.compliance_case SET subject_kind = $2, subject = $3, version = version + 1 WHERE id = $1",
        case.0,
        kind,
        subject
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn pause_of(db: impl PgExecutor<'_>, user: UserId) -> Result<Option<Pause>, Error> {
    Ok(sqlx::query_as!(
        Pause,
        "SELECT reason, review_at FROM approvals.pause
         WHERE active_from IS NOT NULL AND lifted_at IS NULL AND (user_id = $1 OR user_id IS NULL)
         ORDER BY user_id NULLS LAST LIMIT 1",
        user.0
    )
    .fetch_optional(db)
    .await?)
}

#[derive(FromRow)]
struct CaseRow {
    id: Uuid,
    user_id: Uuid,
    username: String,
    other: Option<String>,
    flow: String,
    usdt: i64,
    reasons: Vec<String>,
    subject_kind: Option<String>,
    subject: Option<Uuid>,
    status: String,
    by: Option<String>,
    note: Option<String>,
    opened_at: OffsetDateTime,
    decided_at: Option<OffsetDateTime>,
    version: i64,
}

fn status(text: &str) -> Result<CaseStatus, Error> {
    text.parse()
        .map_err(|()| Error::internal("an unknown status of a case"))
}

impl CaseRow {
    fn view(self) -> Result<ComplianceCaseView, Error> {
        Ok(ComplianceCaseView {
            id: CaseId(self.id),
            user: UserId(self.user_id),
            username: self.username,
            counterparty: self.other,
            flow: self.flow,
            value: Usdt(self.usdt),
            reasons: self.reasons,
            waits: self.subject_kind,
            subject: self.subject,
            status: status(&self.status)?,
            decided_by: self.by,
            note: self.note,
            opened_at: self.opened_at,
            decided_at: self.decided_at,
            version: self.version,
        })
    }
}

const SHOWN: &str = "SELECT c.id, c.user_id, a.username, o.username AS other, c.flow, c.usdt, c.reasons, c.subject_kind, c.subject,
        c.status, d.username AS by, c.note, c.opened_at, c.decided_at, c.version";
const FROM: &str = " FROM approvals.compliance_case c
    JOIN identity.account a ON a.id = c.user_id
    LEFT JOIN identity.account o ON o.id = c.counterparty
    LEFT JOIN identity.account d ON d.id = c.decided_by";

fn restrict(query: &mut QueryBuilder<Postgres>, filter: &CaseFilter) {
    query.push(FROM).push(" WHERE true");
    match filter.which {
        Which::All => {}
        Which::Only(status) => {
            query.push(" AND c.status = ").push_bind(status.as_str());
        }
        Which::Decided => {
            query.push(" AND c.status <> 'open'");
        }
    }
    if let Some(from) = filter.from {
        query.push(" AND c.opened_at >= ").push_bind(from);
    }
    if let Some(until) = filter.until {
        query.push(" AND c.opened_at < ").push_bind(until);
    }
    if let Some(search) = &filter.search {
        let pattern = format!("%{}%", text::like_literal(&text::key(search)));
        query
            .push(" AND (a.username_key LIKE ")
            .push_bind(pattern.clone());
        query.push(" OR o.username_key LIKE ").push_bind(pattern);
        if let Ok(id) = search.parse::<Uuid>() {
            query.push(" OR c.id = ").push_bind(id);
        }
        query.push(")");
    }
}

pub async fn cases(
    pool: &PgPool,
    filter: &CaseFilter,
    paging: &Paging,
) -> Result<(Vec<ComplianceCaseView>, i64), Error> {
    let mut all = QueryBuilder::new("SELECT count(*)");
    restrict(&mut all, filter);
    let total = listing::count(pool, all, paging).await?;
    let mut query = QueryBuilder::new(SHOWN);
    restrict(&mut query, filter);
    query.push(
        " ORDER BY c.status = 'open' DESC, CASE WHEN c.status = 'open' THEN c.opened_at END, c.opened_at DESC, c.id",
    );
    let rows: Vec<CaseRow> = listing::rows(pool, query, paging).await?;
    Ok((
        rows.into_iter().map(CaseRow::view).collect::<Result<_, _>>()?,
        total,
    ))
}

pub async fn shown(conn: &mut PgConnection, id: CaseId) -> Result<Option<ComplianceCaseView>, Error> {
    let mut query = QueryBuilder::<Postgres>::new(SHOWN);
    query.push(FROM).push(" WHERE c.id = ").push_bind(id.0);
    let row: Option<CaseRow> = query.build_query_as().fetch_optional(conn).await?;
    row.map(CaseRow::view).transpose()
}

pub async fn queue(db: impl PgExecutor<'_>) -> Result<(i64, Option<OffsetDateTime>), Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "pending!", min(opened_at) AS oldest FROM approvals.compliance_case WHERE status = 'open'"#
    )
    .fetch_one(db)
    .await?;
    Ok((row.pending, row.oldest))
}

pub async fn notes(
    db: impl PgExecutor<'_>,
    kind: &str,
    subjects: &[Uuid],
) -> Result<HashMap<Uuid, CaseNote>, Error> {
    let rows = sqlx::query!(
        r#"SELECT id, subject AS "subject!", reasons, status FROM approvals.compliance_case
           WHERE subject_kind = $1 AND subject = ANY($2)"#,
        kind,
        subjects
    )
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|r| {
            Ok((
                r.subject,
                CaseNote {
                    id: CaseId(r.id),
                    reasons: r.reasons,
                    status: status(&r.status)?,
                },
            ))
        })
        .collect()
}

pub async fn case_of(
    conn: &mut PgConnection,
    kind: &str,
    subject: Uuid,
) -> Result<Option<(CaseId, CaseStatus)>, Error> {
    let row = sqlx::query!(
        "SELECT id, status FROM approvals.compliance_case WHERE subject_kind = $1 AND subject = $2",
        kind,
        subject
    )
    .fetch_optional(conn)
    .await?;
    row.map(|r| Ok((CaseId(r.id), status(&r.status)?))).transpose()
}

pub async fn lock_case(conn: &mut PgConnection, id: CaseId) -> Result<Option<(Uuid, String)>, Error> {
    let row = sqlx::query!(
        "SELECT user_id, status FROM approvals.compliance_case WHERE id = $1 FOR UPDATE",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| (r.user_id, r.status)))
}

/// The kind of what waits, within the case that exists.
pub async fn subject_kind(conn: &mut PgConnection, id: CaseId) -> Result<Option<Option<String>>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT subject_kind FROM approvals.compliance_case WHERE id = $1",
        id.0
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn decide(
    conn: &mut PgConnection,
    id: CaseId,
    by: Option<UserId>,
    status: CaseStatus,
    note: Option<&str>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE approvals.compliance_case SET status = $2, decided_by = $3, decided_at = $4, note = $5, version = version + 1 WHERE id = $1",
        id.0,
        status.as_str(),
        by.map(|b| b.0),
        now,
        note
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A pause as decided on.
pub struct PauseRow {
    pub id: PauseId,
    pub customer: Option<UserId>,
    pub reason: String,
    pub review_at: OffsetDateTime,
    /// Both have agreed.
    pub active: bool,
}

pub async fn insert_pause(
    conn: &mut PgConnection,
    row: &PauseRow,
    digest: &[u8; 32],
    by: UserId,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO approvals.pause (id, user_id, reason, review_at, digest, proposed_by, proposed_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        row.id.0,
        row.customer.map(|c| c.0),
        row.reason,
        row.review_at,
        digest.as_slice(),
        by.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A pause that stands or is proposed.
pub async fn lock_pause(conn: &mut PgConnection, id: PauseId) -> Result<Option<PauseRow>, Error> {
    let row = sqlx::query!(
        "SELECT user_id, reason, review_at, active_from FROM approvals.pause WHERE id = $1 AND lifted_at IS NULL FOR UPDATE",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| PauseRow {
        id,
        customer: r.user_id.map(UserId),
        reason: r.reason,
        review_at: r.review_at,
        active: r.active_from.is_some(),
    }))
}

pub async fn activate_pause(conn: &mut PgConnection, id: PauseId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE approvals.pause SET active_from = $2 WHERE id = $1",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn lift_pause(
    conn: &mut PgConnection,
    id: PauseId,
    by: UserId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE approvals.pause SET lifted_by = $2, lifted_at = $3 WHERE id = $1",
        id.0,
        by.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn pauses(db: impl PgExecutor<'_>) -> Result<Vec<PauseView>, Error> {
    let rows = sqlx::query!(
        r#"SELECT p.id, a.username AS "username?", p.reason, p.review_at, b.username AS by, p.proposed_at, p.active_from, p.lifted_at
           FROM approvals.pause p LEFT JOIN identity.account a ON a.id = p.user_id JOIN identity.account b ON b.id = p.proposed_by
           ORDER BY p.lifted_at IS NULL DESC, p.proposed_at DESC LIMIT 100"#
    )
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| PauseView {
            id: PauseId(r.id),
            username: r.username,
            reason: r.reason,
            review_at: r.review_at,
            proposed_by: r.by,
            proposed_at: r.proposed_at,
            active_from: r.active_from,
            lifted_at: r.lifted_at,
        })
        .collect())
}
