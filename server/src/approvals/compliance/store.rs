//! SQL of the compliance port: what happened lately, payers, cases, pauses.

use super::{
    Flow, Movement, Reason,
    relations::{facts, fingerprint, relation},
    rules::Evidence,
    service::{CaseFilter, CaseNote, Decision, Which, words},
};
use crate::{
    error::{Error, violates},
    foundation::{http::Paging, listing, text},
    ledger::{
        amount::{Amount, Currency},
        model::{AccountRef, TransferKind, UserAccount},
    },
};
use protocol::{
    ErrorCode,
    ids::{CaseId, UserId},
    money::Usdt,
    views::{CaseStatus, ComplianceCaseView},
};
use sqlx::{FromRow, PgConnection, PgExecutor, PgPool, Postgres, QueryBuilder};
use std::collections::HashMap;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// What brings money in that may go out again.
const IN: [TransferKind; 3] = [
    TransferKind::DepositPix,
    TransferKind::DepositChain,
    TransferKind::UserTransfer,
];

/// The kinds of transfers that bring money in that may go out again.
pub fn money_in() -> Vec<&'static str> {
    IN.iter().map(|kind| kind.as_str()).collect()
}

/// What happened lately, as far as the rules look at it, and the case of a thing, by its kind and id.
pub async fn evidence(
    conn: &mut PgConnection,
    movement: &Movement<'_>,
    thing: Option<(&str, Uuid)>,
    now: OffsetDateTime,
) -> Result<(Evidence, Option<(CaseId, CaseStatus)>), Error> {
    let is_out = matches!(movement.flow, Flow::Out(_));
    let available = AccountRef::User(movement.user, UserAccount::Available).row_id(Currency::Usdt, 0);
    let payer = movement.payer.map(fingerprint);
    let r = sqlx::query!(
        r#"SELECT case_id, case_status, outs_last_hour AS "outs_last_hour!", out_last_day AS "out_last_day!", in_last_day AS "in_last_day!: Amount",
                  device_accounts AS "device_accounts!", payer_accounts AS "payer_accounts!", same_device AS "same_device!",
                  same_document AS "same_document!", same_payer AS "same_payer!", refused_before AS "refused_before!"
           FROM approvals.evidence($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"#,
        movement.user.0,
        now - Duration::HOUR,
        now - Duration::DAY,
        now - Duration::days(30),
        is_out,
        available,
        &money_in() as &[&str],
        payer.as_ref().map(<[u8; 32]>::as_slice),
        movement.counterparty.map(|c| c.0),
        thing.map(|(kind, _)| kind),
        thing.map(|(_, id)| id)
    )
    .fetch_one(conn)
    .await?;
    let case = r
        .case_id
        .zip(r.case_status)
        .map(|(id, text)| Ok::<_, Error>((CaseId(id), status(&text)?)))
        .transpose()?;
    Ok((facts!(r).evidence(movement), case))
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

/// Forgets documents and payers of people.
pub async fn forget(conn: &mut PgConnection, people: &[UserId]) -> Result<(), Error> {
    let ids: Vec<Uuid> = people.iter().map(|person| person.0).collect();
    sqlx::query!(
        "WITH documents AS (DELETE FROM approvals.document WHERE user_id = ANY($1))
         DELETE FROM approvals.payer WHERE user_id = ANY($1)",
        &ids
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Which of these pairs have the same document, and which the same payer; those with neither are absent.
pub async fn sharing(
    conn: &mut PgConnection,
    pairs: &[(UserId, UserId)],
) -> Result<Vec<((UserId, UserId), bool, bool)>, Error> {
    let ones: Vec<Uuid> = pairs.iter().map(|(one, _)| one.0).collect();
    let others: Vec<Uuid> = pairs.iter().map(|(_, other)| other.0).collect();
    let rows = sqlx::query!(
        r#"SELECT one AS "one!: UserId", other AS "other!: UserId", document AS "document!", payer AS "payer!"
           FROM (SELECT p.one, p.other,
                        EXISTS (SELECT FROM approvals.document a JOIN approvals.document b USING (document)
                                WHERE a.user_id = p.one AND b.user_id = p.other) AS document,
                        EXISTS (SELECT FROM approvals.payer a JOIN approvals.payer b USING (payer)
                                WHERE a.user_id = p.one AND b.user_id = p.other) AS payer
                 FROM unnest($1::uuid[], $2::uuid[]) AS p(one, other)) s
           WHERE document OR payer"#,
        &ones,
        &others
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| ((r.one, r.other), r.document, r.payer))
        .collect())
}

/// Groups of accounts that have one document, or one payer.
pub async fn shared(conn: &mut PgConnection) -> Result<Vec<Vec<UserId>>, Error> {
    let rows = sqlx::query_scalar!(
        r#"SELECT array_agg(user_id) AS "users!" FROM approvals.document GROUP BY document HAVING count(*) > 1
           UNION ALL
           SELECT array_agg(user_id) FROM approvals.payer GROUP BY payer HAVING count(*) > 1"#
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|users| users.into_iter().map(UserId).collect())
        .collect())
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

/// What stands between two people.
#[derive(Default)]
pub struct Between {
    pub related: Vec<Reason>,
    /// Money from one to the other was refused, whichever way.
    pub refused: bool,
}

/// What stands between the two of each pair since then.
pub async fn relations(
    conn: &mut PgConnection,
    pairs: &[(UserId, UserId)],
    since: OffsetDateTime,
) -> Result<HashMap<(UserId, UserId), Between>, Error> {
    let ones: Vec<Uuid> = pairs.iter().map(|(one, _)| one.0).collect();
    let others: Vec<Uuid> = pairs.iter().map(|(_, other)| other.0).collect();
    let rows = sqlx::query!(
        r#"SELECT p.one AS "one!: UserId", p.other AS "other!: UserId", identity.share_device(p.one, p.other, $3) AS "device!",
                  EXISTS (SELECT FROM approvals.document a JOIN approvals.document b USING (document)
                          WHERE a.user_id = p.one AND b.user_id = p.other) AS "document!",
                  EXISTS (SELECT FROM approvals.payer a JOIN approvals.payer b USING (payer)
                          WHERE a.user_id = p.one AND b.user_id = p.other) AS "payer!",
                  EXISTS (SELECT FROM approvals.compliance_case c
                          WHERE c.status = 'refused' AND c.decided_at > $3
                            AND ((c.user_id = p.one AND c.counterparty = p.other) OR (c.user_id = p.other AND c.counterparty = p.one)))
                      AS "refused!"
           FROM unnest($1::uuid[], $2::uuid[]) AS p(one, other)"#,
        &ones,
        &others,
        since
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| {
            let between = Between {
                related: relation(r.device, r.document, r.payer),
                refused: r.refused,
            };
            ((r.one, r.other), between)
        })
        .collect())
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

/// Whether it was open, and is worth more now. Reasons that it has stay where they are, new ones follow them.
pub async fn raise(
    conn: &mut PgConnection,
    case: CaseId,
    by: Usdt,
    reasons: &[Reason],
) -> Result<bool, Error> {
    let reasons = words(reasons);
    let done = sqlx::query!(
        "UPDATE approvals.compliance_case SET usdt = usdt + $2, version = version + 1,
                reasons = reasons || ARRAY(SELECT n.word FROM unnest($3::text[]) AS n(word) WHERE n.word <> ALL (reasons))
         WHERE id = $1 AND status = 'open'",
        case.0,
        by.0,
        &reasons
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
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
    agreed_by: Option<String>,
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
            agreed_by: self.agreed_by,
            note: self.note,
            opened_at: self.opened_at,
            decided_at: self.decided_at,
            version: self.version,
        })
    }
}

const SHOWN: &str = "SELECT c.id, c.user_id, a.username, o.username AS other, c.flow, c.usdt, c.reasons, c.subject_kind, c.subject,
        c.status, d.username AS by, c.note, c.opened_at, c.decided_at, c.version,
        CASE WHEN c.status = 'open' AND c.flow = 'bonus' THEN (
            SELECT f.username FROM approvals.first_word x JOIN identity.account f ON f.id = x.decided_by
            WHERE x.kind = 'held_bonus' AND x.subject = c.id AND x.usdt = c.usdt LIMIT 1) END AS agreed_by";
const FROM: &str = " FROM approvals.compliance_case c";
const BESIDE: &str = " JOIN identity.account a ON a.id = c.user_id
    LEFT JOIN identity.account o ON o.id = c.counterparty
    LEFT JOIN identity.account d ON d.id = c.decided_by";

fn restrict(query: &mut QueryBuilder<Postgres>, filter: &CaseFilter) {
    query.push(FROM).push(BESIDE).push(" WHERE true");
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
        let pattern = text::searched(search);
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
    query
        .push(FROM)
        .push(BESIDE)
        .push(" WHERE c.id = ")
        .push_bind(id.0);
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

/// A case under its lock.
pub struct LockedCase {
    pub id: CaseId,
    pub user: Uuid,
    pub status: String,
    pub flow: String,
    pub usdt: i64,
    pub counterparty: Option<Uuid>,
    /// The kind of what waits for it, or waited.
    pub waits: Option<String>,
}

impl LockedCase {
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.status == CaseStatus::Open.as_str()
    }
}

pub async fn lock_case(conn: &mut PgConnection, id: CaseId) -> Result<Option<LockedCase>, Error> {
    Ok(sqlx::query_as!(
        LockedCase,
        r#"SELECT id AS "id: CaseId", user_id AS "user", status, flow, usdt, counterparty, subject_kind AS waits FROM approvals.compliance_case
           WHERE id = $1 FOR UPDATE"#,
        id.0
    )
    .fetch_optional(conn)
    .await?)
}

/// The case of something that waits, or waited.
pub async fn lock_case_of(
    conn: &mut PgConnection,
    kind: &str,
    subject: Uuid,
) -> Result<Option<LockedCase>, Error> {
    Ok(sqlx::query_as!(
        LockedCase,
        r#"SELECT id AS "id: CaseId", user_id AS "user", status, flow, usdt, counterparty, subject_kind AS waits FROM approvals.compliance_case
           WHERE subject_kind = $1 AND subject = $2 FOR UPDATE"#,
        kind,
        subject
    )
    .fetch_optional(conn)
    .await?)
}

/// How a person decided a case; none of one that nobody decided.
pub async fn decision(conn: &mut PgConnection, id: CaseId) -> Result<Option<Decision>, Error> {
    let row = sqlx::query!(
        r#"SELECT status = 'cleared' AS "cleared!", decided_by AS "by: UserId", note FROM approvals.compliance_case
           WHERE id = $1 AND status IN ('cleared', 'refused')"#,
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.and_then(|r| {
        Some(Decision {
            cleared: r.cleared,
            by: r.by?,
            note: r.note,
        })
    }))
}

/// Somebody has agreed to let go what it holds: it is shown anew.
pub async fn touch_case(conn: &mut PgConnection, id: CaseId) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE approvals.compliance_case SET version = version + 1 WHERE id = $1",
        id.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends a case; as it is shown then.
pub async fn decide(
    conn: &mut PgConnection,
    id: CaseId,
    by: Option<UserId>,
    status: CaseStatus,
    note: Option<&str>,
    now: OffsetDateTime,
) -> Result<ComplianceCaseView, Error> {
    let mut query = QueryBuilder::<Postgres>::new(
        "WITH c AS (UPDATE approvals.compliance_case SET version = version + 1, status = ",
    );
    query.push_bind(status.as_str());
    query.push(", decided_by = ").push_bind(by.map(|b| b.0));
    query.push(", decided_at = ").push_bind(now);
    query.push(", note = ").push_bind(note.map(str::to_owned));
    query.push(" WHERE id = ").push_bind(id.0);
    query.push(format!(" RETURNING *) {SHOWN} FROM c{BESIDE}"));
    let row: CaseRow = query.build_query_as().fetch_one(conn).await.map_err(refusal)?;
    row.view()
}

/// The database's refusals of a decision on a case.
fn refusal(error: sqlx::Error) -> Error {
    if violates(&error, "case_own_money") {
        Error::code(ErrorCode::DecisionOwnMoney)
    } else if violates(&error, "decision_frozen") {
        Error::code(ErrorCode::DecisionFrozen)
    } else if violates(&error, "decision_too_new") {
        Error::code(ErrorCode::DecisionTooNew)
    } else {
        error.into()
    }
}
