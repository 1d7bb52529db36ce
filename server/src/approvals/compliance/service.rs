//! Cases: what persons decide.

use super::{
    End, Flow, Reason,
    store::{self, LockedCase},
};
use crate::{
    approvals::{
        rules::Kind,
        service::{self as approvals, Subject, Waiting},
    },
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        http::Paging,
        job_queue::NewJob,
        text,
        transaction::Tx,
    },
};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{CaseId, UserId},
    money::Usdt,
    stream_id::Queue,
    views::{CaseStatus, ComplianceCaseView},
};
use serde_json::json;
use std::collections::HashMap;
use time::OffsetDateTime;
use uuid::Uuid;

/// What is named so waits until its case is decided by itself.
pub const PIX_DEPOSIT: &str = "pix_deposit";
/// And what is decided like it: who presses to pay a rank's bonus is not asked to look at a case in passing.
const BY_ITSELF: [&str; 2] = [PIX_DEPOSIT, Kind::GraduationBonus.as_str()];
/// The job that acts on a decided case of bonuses; its payload is the case's id.
pub const BONUS_DECIDED: &str = "affiliates.review";

/// What the platform shows of a case beside the thing that waits for it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CaseNote {
    #[serde(rename = "_id")]
    pub id: CaseId,
    pub reasons: Vec<String>,
    pub status: CaseStatus,
}

/// Which cases a list shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    #[default]
    All,
    Only(CaseStatus),
    /// Whatever has ended.
    Decided,
}

/// What a list of cases is restricted to.
#[derive(Clone, Debug, Default)]
pub struct CaseFilter {
    pub which: Which,
    /// A part of a username, or a case's own id.
    pub search: Option<String>,
    pub from: Option<OffsetDateTime>,
    pub until: Option<OffsetDateTime>,
}

/// Cases, oldest open ones first, then the latest; and how many there are.
///
/// # Errors
/// Whatever the database refuses.
pub async fn cases(
    context: &Context,
    filter: &CaseFilter,
    paging: &Paging,
) -> Result<(Vec<ComplianceCaseView>, i64), Error> {
    store::cases(context.db.pool(), filter, paging).await
}

/// How many cases are open, and since when the oldest.
///
/// # Errors
/// Whatever the database refuses.
pub async fn queue(context: &Context) -> Result<(i64, Option<OffsetDateTime>), Error> {
    store::queue(context.db.pool()).await
}

/// The cases of these things, for their lists.
///
/// # Errors
/// Whatever the database refuses.
pub async fn notes(
    context: &Context,
    kind: &str,
    subjects: &[Uuid],
) -> Result<HashMap<Uuid, CaseNote>, Error> {
    if subjects.is_empty() {
        return Ok(HashMap::new());
    }
    store::notes(context.db.pool(), kind, subjects).await
}

/// Tells those who decide of a case as it is now.
pub(super) async fn tell(tx: &mut Tx, id: CaseId) -> Result<(), Error> {
    let case = store::shown(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::internal("a case vanished"))?;
    told(tx, case);
    Ok(())
}

fn told(tx: &mut Tx, case: ComplianceCaseView) {
    tx.emit_merged(
        StreamId::Queue(Queue::Compliance),
        LiveEvent::ComplianceCaseChanged { case: Box::new(case) },
        |earlier, later| match (earlier, later) {
            (
                LiveEvent::ComplianceCaseChanged { case: earlier },
                LiveEvent::ComplianceCaseChanged { case: later },
            ) if earlier.id == later.id => {
                earlier.clone_from(later);
                true
            }
            _ => false,
        },
    );
}

/// Notes a person's decision on a case. Its reasons stay with it for good.
///
/// # Errors
/// `request.not_found`, `decision.done`, `decision.own_money`, `decision.reason_missing` for a refusal without a note.
pub async fn decide(
    tx: &mut Tx,
    id: CaseId,
    by: UserId,
    cleared: bool,
    note: Option<&str>,
) -> Result<(), Error> {
    let note = noted(cleared, note)?;
    let case = lock(tx, id).await?;
    word(tx, &case, by, cleared, note.as_deref()).await
}

/// What a person says of a case on the cases' own screen.
#[derive(Clone, Copy, Debug)]
pub struct Word<'a> {
    pub cleared: bool,
    pub note: Option<&'a str>,
    /// What it was worth when they looked: more may have come to a bonus.
    pub seen: Option<Usdt>,
}

/// The same on the cases' own screen. Refused where something waits for the case that is decided on its own screen, and the case with it; a
/// deposit by PIX and the bonus of a rank wait for their case to be decided first. Whether it is decided: what holds a bonus may need a second
/// person to let it go.
///
/// # Errors
/// As [`decide`]; `request.conflict`, `decision.*`; `decision.changed` of a bonus to which more has come.
pub async fn decide_here(
    context: &Context,
    tx: &mut Tx,
    id: CaseId,
    by: UserId,
    said: &Word<'_>,
) -> Result<bool, Error> {
    let case = lock(tx, id).await?;
    if case
        .waits
        .as_deref()
        .is_some_and(|kind| !BY_ITSELF.contains(&kind))
    {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    let note = noted(said.cleared, said.note)?;
    if said.cleared && case.flow == Flow::Bonus.as_str() {
        if case.is_open() && said.seen != Some(Usdt(case.usdt)) {
            return Err(Error::code(ErrorCode::DecisionChanged));
        }
        if !let_go(context, tx, &case, by, note.as_deref()).await? {
            return Ok(false);
        }
    }
    word(tx, &case, by, said.cleared, note.as_deref()).await?;
    Ok(true)
}

async fn lock(tx: &mut Tx, id: CaseId) -> Result<LockedCase, Error> {
    let case = store::lock_case(tx.conn(), id).await?;
    case.ok_or_else(|| Error::code(ErrorCode::RequestNotFound))
}

fn noted(cleared: bool, note: Option<&str>) -> Result<Option<String>, Error> {
    let note = text::at_most(text::paragraph(note.unwrap_or_default()), "note", text::REASON)?;
    if !cleared && note.is_empty() {
        return Err(Error::code(ErrorCode::ReasonMissing).field("note", ErrorCode::ReasonMissing));
    }
    Ok(Some(note).filter(|n| !n.is_empty()))
}

async fn word(
    tx: &mut Tx,
    case: &LockedCase,
    by: UserId,
    cleared: bool,
    note: Option<&str>,
) -> Result<(), Error> {
    if !case.is_open() {
        return Err(Error::code(ErrorCode::DecisionDone));
    }
    let status = if cleared {
        CaseStatus::Cleared
    } else {
        CaseStatus::Refused
    };
    if case.flow == Flow::Bonus.as_str() {
        let id = case.id;
        tx.enqueue(NewJob::new(BONUS_DECIDED, format!("{BONUS_DECIDED}:{id}"), &id)?);
    }
    close(tx, case, Some(by), status, note).await
}

/// What is agreed to where the case of a bonus is cleared.
fn letting_go<'a>(case: &LockedCase, other: &'a str) -> Subject<'a> {
    Subject {
        kind: Kind::HeldBonus,
        id: case.id.0,
        customer: Some(UserId(case.user)),
        coin: "USDT",
        destination: other,
        amount: Usdt(case.usdt).to_string(),
        usdt: Usdt(case.usdt),
    }
}

/// A held bonus that waits for its case.
///
/// # Errors
/// `request.not_found`, `decision.done`.
pub async fn waiting(tx: &mut Tx, id: CaseId) -> Result<Waiting, Error> {
    let case = lock(tx, id).await?;
    if case.flow != Flow::Bonus.as_str() {
        return Err(Error::code(ErrorCode::RequestNotFound));
    }
    if !case.is_open() {
        return Err(Error::code(ErrorCode::DecisionDone));
    }
    let other = case.counterparty.map(|c| c.to_string()).unwrap_or_default();
    Ok(letting_go(&case, &other).waiting())
}

/// Who spoke the first of two words takes it back.
///
/// # Errors
/// As [`waiting`]; `decision.no_word`.
pub async fn take_back(tx: &mut Tx, by: UserId, id: CaseId) -> Result<(), Error> {
    let waiting = waiting(tx, id).await?;
    approvals::take_back(tx, &waiting, by).await?;
    store::touch_case(tx.conn(), id).await?;
    tell(tx, id).await
}

/// Clearing the case of a bonus lets the money go, and takes as many as that takes. Whether all of them have agreed.
async fn let_go(
    context: &Context,
    tx: &mut Tx,
    case: &LockedCase,
    by: UserId,
    note: Option<&str>,
) -> Result<bool, Error> {
    if !case.is_open() {
        return Err(Error::code(ErrorCode::DecisionDone));
    }
    let other = case.counterparty.map(|c| c.to_string()).unwrap_or_default();
    let subject = letting_go(case, &other);
    let in_force = context.settings.within(tx).await?;
    let standing = approvals::approve(tx, &in_force, &subject, by).await?;
    if standing.is_complete() {
        return Ok(true);
    }
    let details =
        json!({ "case": case.id, "approvals": standing.approvals, "needed": standing.needed, "note": note });
    audit::record(
        tx,
        Some(by),
        Some(case.user),
        Category::Money,
        "compliance.agree",
        details,
    )
    .await?;
    store::touch_case(tx.conn(), case.id).await?;
    tell(tx, case.id).await?;
    Ok(false)
}

/// A person's decision on a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub cleared: bool,
    pub by: UserId,
    pub note: Option<String>,
}

/// How a case was decided; none while nobody has.
///
/// # Errors
/// Whatever the database refuses.
pub async fn decision(tx: &mut Tx, id: CaseId) -> Result<Option<Decision>, Error> {
    store::decision(tx.conn(), id).await
}

/// Ends a case with what waited for it.
pub(super) async fn end(tx: &mut Tx, case: &LockedCase, end: End<'_>) -> Result<(), Error> {
    match end {
        End::Cleared(by) => word(tx, case, by, true, None).await,
        End::Refused(by, note) => {
            let note = noted(false, Some(note))?;
            word(tx, case, by, false, note.as_deref()).await
        }
        End::Lapsed => close(tx, case, None, CaseStatus::Lapsed, None).await,
    }
}

async fn close(
    tx: &mut Tx,
    case: &LockedCase,
    by: Option<UserId>,
    status: CaseStatus,
    note: Option<&str>,
) -> Result<(), Error> {
    let now = tx.now();
    let shown = store::decide(tx.conn(), case.id, by, status, note, now).await?;
    audit::record(
        tx,
        by,
        Some(case.user),
        Category::Money,
        "compliance.decide",
        json!({ "case": case.id, "status": status.as_str() }),
    )
    .await?;
    told(tx, shown);
    Ok(())
}

/// Reasons as stored.
#[must_use]
pub fn words(reasons: &[Reason]) -> Vec<String> {
    reasons.iter().map(|r| r.as_str().to_owned()).collect()
}
