//! Cases and pauses: what persons decide.

use super::{
    End, Flow, Reason,
    store::{self, LockedCase},
};
use crate::{
    approvals::{
        rules::Kind,
        service::{self as approvals, Standing, Subject},
    },
    error::{Error, violates},
    foundation::{
        audit::{self, Category},
        context::Context,
        http::Paging,
        job_queue::NewJob,
        text,
        transaction::Tx,
    },
    identity::{self, service as people},
};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{CaseId, PauseId, UserId},
    money::Usdt,
    stream_id::Queue,
    views::{CaseStatus, ComplianceCaseView},
};
use serde_json::json;
use std::collections::HashMap;
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::Uuid;

/// Longest note or reason kept.
const NOTE: usize = 500;
/// What is named so waits until its case is decided by itself.
pub const PIX_DEPOSIT: &str = "pix_deposit";
/// And what is decided like it: who presses to pay a rank's bonus is not asked to look at a case in passing.
const BY_ITSELF: [&str; 2] = [PIX_DEPOSIT, Kind::GraduationBonus.as_str()];
/// The job that acts on a decided case of bonuses; its payload is the case's id.
pub const BONUS_DECIDED: &str = "affiliates.review";
/// A pause is looked at again within so many days.
const REVIEW_DAYS: i64 = 30;

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

/// The same on the cases' own screen. Refused where something waits for the case that is decided on its own screen, and the case with it; a
/// deposit by PIX and the bonus of a rank wait for their case to be decided first.
///
/// # Errors
/// As [`decide`]; `request.conflict`.
pub async fn decide_here(
    tx: &mut Tx,
    id: CaseId,
    by: UserId,
    cleared: bool,
    note: Option<&str>,
) -> Result<(), Error> {
    let case = lock(tx, id).await?;
    if case
        .waits
        .as_deref()
        .is_some_and(|kind| !BY_ITSELF.contains(&kind))
    {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    let note = noted(cleared, note)?;
    word(tx, &case, by, cleared, note.as_deref()).await
}

async fn lock(tx: &mut Tx, id: CaseId) -> Result<LockedCase, Error> {
    let case = store::lock_case(tx.conn(), id).await?;
    case.ok_or_else(|| Error::code(ErrorCode::RequestNotFound))
}

fn noted(cleared: bool, note: Option<&str>) -> Result<Option<String>, Error> {
    let note = text::cut(&text::paragraph(note.unwrap_or_default()), NOTE);
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

/// A pause as staff see it.
#[derive(Clone, Debug, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PauseView {
    #[serde(rename = "_id")]
    pub id: PauseId,
    /// Whose money stands still; none: everyone's.
    pub username: Option<String>,
    pub reason: String,
    #[serde(with = "time::serde::rfc3339")]
    pub review_at: OffsetDateTime,
    pub proposed_by: String,
    #[serde(with = "time::serde::rfc3339")]
    pub proposed_at: OffsetDateTime,
    /// Both have agreed: it holds since then.
    #[serde(with = "time::serde::rfc3339::option")]
    pub active_from: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    pub lifted_at: Option<OffsetDateTime>,
}

/// Pauses: those that stand first, then the latest.
///
/// # Errors
/// Whatever the database refuses.
pub async fn pauses(context: &Context) -> Result<Vec<PauseView>, Error> {
    store::pauses(context.db.pool()).await
}

/// What a pause is to be.
#[derive(Clone, Copy, Debug)]
pub struct NewPause<'a> {
    /// None: everyone.
    pub username: Option<&'a str>,
    pub reason: &'a str,
    pub review_at: OffsetDateTime,
}

/// The first person's half of a pause; a second one's makes it hold.
///
/// # Errors
/// `decision.reason_missing`, `request.invalid` for a review day out of bounds, `user.unknown`, `request.conflict` when one stands.
pub async fn propose_pause(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    new: &NewPause<'_>,
) -> Result<PauseId, Error> {
    let now = tx.now();
    let reason = text::reason(new.reason, "reason", NOTE)?;
    if new.review_at <= now || new.review_at > now + Duration::days(REVIEW_DAYS) {
        return Err(Error::code(ErrorCode::RequestInvalid).field("reviewDate", ErrorCode::RequestInvalid));
    }
    let customer = match new.username {
        None => None,
        Some(username) => Some(
            people::account_by_username_within(tx, username)
                .await?
                .ok_or_else(|| Error::code(ErrorCode::UserUnknown).field("username", ErrorCode::UserUnknown))?
                .id,
        ),
    };
    let id = PauseId::fresh();
    let row = store::PauseRow {
        id,
        customer,
        reason,
        review_at: new.review_at,
        active: false,
    };
    let digest = subject(&row).digest();
    store::insert_pause(tx.conn(), &row, &digest, by, now)
        .await
        .map_err(|error| {
            if violates(&error, "pause_one_for_all") || violates(&error, "pause_one_each") {
                Error::code(ErrorCode::RequestConflict)
            } else {
                error.into()
            }
        })?;
    approve(context, tx, by, &row).await?;
    Ok(id)
}

fn subject(row: &store::PauseRow) -> Subject<'_> {
    Subject {
        kind: Kind::OutboundPause,
        id: row.id.0,
        customer: row.customer,
        coin: "",
        destination: &row.reason,
        amount: row.review_at.unix_timestamp().to_string(),
        usdt: Usdt::ZERO,
    }
}

async fn approve(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    row: &store::PauseRow,
) -> Result<Standing, Error> {
    let in_force = context.settings.within(tx).await?;
    let standing = approvals::approve(tx, &in_force, &subject(row), by).await?;
    if standing.is_complete() {
        let now = tx.now();
        store::activate_pause(tx.conn(), row.id, now).await?;
        announce(tx, row, "outbound_paused");
    }
    record(
        tx,
        by,
        row,
        "outbound.pause",
        json!({ "pause": row.id, "approvals": standing.approvals }),
    )
    .await?;
    Ok(standing)
}

/// The second person's half.
///
/// # Errors
/// `request.not_found`, `decision.*`.
pub async fn agree_pause(context: &Context, tx: &mut Tx, by: UserId, id: PauseId) -> Result<(), Error> {
    let row = store::lock_pause(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    approve(context, tx, by, &row).await?;
    Ok(())
}

/// Ends a pause, or a proposal: one person is enough to give people their money back.
///
/// # Errors
/// `request.not_found`.
pub async fn lift_pause(tx: &mut Tx, by: UserId, id: PauseId) -> Result<(), Error> {
    let row = store::lock_pause(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    if row.customer == Some(by) {
        return Err(Error::code(ErrorCode::DecisionOwnMoney));
    }
    let now = tx.now();
    store::lift_pause(tx.conn(), id, by, now).await?;
    if row.active {
        announce(tx, &row, "outbound_resumed");
    }
    record(tx, by, &row, "outbound.resume", json!({ "pause": id })).await
}

async fn record(
    tx: &mut Tx,
    by: UserId,
    row: &store::PauseRow,
    action: &'static str,
    details: serde_json::Value,
) -> Result<(), Error> {
    let whose: Option<Uuid> = row.customer.map(Into::into);
    audit::record(tx, Some(by), whose, Category::Money, action, details).await?;
    Ok(())
}

/// Those whose money stands still, or moves again, hear of it at once: one person, or everyone.
fn announce(tx: &mut Tx, row: &store::PauseRow, code: &str) {
    match row.customer {
        Some(customer) => identity::signals::user_changed(tx, customer, "outbound"),
        None => tx.emit(
            StreamId::Public,
            LiveEvent::Announcement {
                code: code.to_owned(),
                params: json!({
                    "reason": row.reason,
                    "review": row.review_at.format(&Rfc3339).unwrap_or_default(),
                }),
            },
        ),
    }
}

/// Reasons as stored.
#[must_use]
pub fn words(reasons: &[Reason]) -> Vec<String> {
    reasons.iter().map(|r| r.as_str().to_owned()).collect()
}
