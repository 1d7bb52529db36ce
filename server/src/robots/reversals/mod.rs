//! A wrong result taken back by two persons (docs/rules/desk.md#results-taken-back).
//!
//! What a settlement booked for one robot is one part of its transfer, and goes back whole: all shares of that robot in that settlement. Shares
//! stay; `robots.share_reversal` says which no longer count, and the days that counted them do so no more.
//!
//! Tables: robots.reversal, share_reversal; robots.day_result, day_route and desk_day are lowered here.

pub mod routes;
mod store;

use super::{copying::service as copying, days, service::require_robot};
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
        text,
        transaction::Tx,
    },
    identity::caller::Scope,
    licences::undoing::{self, Wrong},
};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{BatchId, LicenceId, OperationId, UserId},
    money::Usdt,
    views::OrderView,
};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

/// One of a robot's operations as staff see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StaffOrderView {
    #[serde(flatten)]
    pub order: OrderView,
    /// It moved money of this robot's.
    pub booked: bool,
    /// How many of this robot's operations were settled with it: they are taken back together.
    pub together: i64,
    /// What those brought and took.
    pub gain: Usdt,
    pub loss: Usdt,
    /// What is decided on, once it was asked for.
    pub reversal: Option<Uuid>,
    /// Who has asked to take it back, while a second person is awaited, and why.
    pub asked_by: Option<String>,
    pub asked_reason: Option<String>,
}

/// Where taking a result back stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResultReversalView {
    /// What is decided on.
    #[serde(rename = "_id")]
    pub id: Uuid,
    pub licence: LicenceId,
    pub approvals: i16,
    pub needed: i16,
    /// It is taken back.
    pub reversed: bool,
    pub gain: Usdt,
    pub loss: Usdt,
}

/// What those who take a result back agree to.
fn subject<'a>(id: Uuid, licence: &'a str, owner: UserId, wrong: &Wrong) -> Subject<'a> {
    Subject {
        kind: Kind::ResultReversal,
        id,
        customer: Some(owner),
        coin: "USDT",
        destination: licence,
        amount: (wrong.loss() - wrong.gain()).to_string(),
        usdt: wrong.gain() + wrong.loss(),
    }
}

fn unknown() -> Error {
    Error::code(ErrorCode::RequestNotFound)
}

/// A robot's operations, and how many there are.
///
/// # Errors
/// `licence.unknown`.
pub async fn orders(
    context: &Context,
    by: UserId,
    robot: LicenceId,
    paging: &Paging,
) -> Result<(Vec<StaffOrderView>, i64), Error> {
    require_robot(context, Scope::Staff(by), robot).await?;
    store::orders(context.db.pool(), robot, paging).await
}

/// What would be taken back.
///
/// # Errors
/// `request.not_found`, `result.*`.
pub async fn waiting(tx: &mut Tx, id: Uuid) -> Result<Waiting, Error> {
    let asked = store::asked(tx.conn(), id).await?.ok_or_else(unknown)?;
    let wrong = undoing::find(tx, asked.licence, asked.batch, asked.at).await?;
    standing(tx, asked.batch, asked.licence).await?;
    undoing::require(tx, &wrong).await?;
    Ok(subject(id, &asked.licence.to_string(), asked.owner, &wrong).waiting())
}

/// That it was not taken back before.
async fn standing(tx: &mut Tx, batch: BatchId, licence: LicenceId) -> Result<(), Error> {
    if store::is_reversed(tx.conn(), batch, licence).await? {
        return Err(Error::code(ErrorCode::ResultReversed));
    }
    Ok(())
}

/// Who spoke the first of two words takes it back, whatever has become of the money meanwhile.
///
/// # Errors
/// `request.not_found`, `result.not_booked`, `decision.no_word`.
pub async fn take_back_word(tx: &mut Tx, by: UserId, id: Uuid) -> Result<(), Error> {
    let asked = store::asked(tx.conn(), id).await?.ok_or_else(unknown)?;
    let wrong = undoing::find(tx, asked.licence, asked.batch, asked.at).await?;
    let waiting = subject(id, &asked.licence.to_string(), asked.owner, &wrong).waiting();
    approvals::take_back(tx, &waiting, by).await
}

/// Takes back what the settlement of an operation booked for a robot: asked for by one person, who says why, done with a second one's word.
///
/// # Errors
/// `request.not_found`, `result.*`, `decision.*`.
pub async fn reverse(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    (robot, operation): (LicenceId, OperationId),
    reason: &str,
) -> Result<ResultReversalView, Error> {
    let now = tx.now();
    let settlement = store::ask(tx.conn(), robot, operation, now)
        .await?
        .ok_or_else(unknown)?;
    let (id, owner) = (settlement.id, settlement.owner);
    let in_force = context.settings.within(tx).await?;
    let wrong = undoing::find(tx, robot, settlement.batch, settlement.at).await?;
    if settlement.reversed {
        return Err(Error::code(ErrorCode::ResultReversed));
    }
    // Who agrees to what another asked for need not say why again.
    let said = settlement.reason.filter(|_| reason.trim().is_empty());
    let reason = text::reason(said.as_deref().unwrap_or(reason), "reason")?;
    let named = robot.to_string();
    let subject = subject(id, &named, owner, &wrong);
    let given = approvals::approve_because(tx, &in_force, &subject, by, &reason).await?;
    let (gain, loss) = (wrong.gain(), wrong.loss());
    let view = ResultReversalView {
        id,
        licence: robot,
        approvals: given.approvals,
        needed: given.needed,
        reversed: given.is_complete(),
        gain,
        loss,
    };
    // Behind the decision's own locks, as everywhere: what cannot be taken back is not asked for either.
    if !given.is_complete() {
        undoing::require(tx, &wrong).await?;
        let details = json!({ "licence": robot, "operation": operation, "gain": gain, "loss": loss, "reason": reason,
                              "approvals": given.approvals, "needed": given.needed });
        let action = "licence.result_reversal_asked";
        audit::record(tx, Some(by), Some(owner.0), Category::Money, action, details).await?;
        return Ok(view);
    }
    let done = undoing::take_back(context, tx, &wrong, by, &reason).await?;
    let undone = store::Undone {
        reversal: id,
        batch: settlement.batch,
        at: settlement.at,
        mode: settlement.mode,
        counts: days::counts(context.world, settlement.mode),
        day: wrong.part.business_day,
        robot,
        owner,
        transfer: done.transfer,
        reason: &reason,
    };
    if store::undo(tx.conn(), &undone, now).await? {
        copying::undo(context, tx, &done.licence, gain, loss).await?;
    }
    tx.emit(
        StreamId::User(owner),
        LiveEvent::ResultReversed {
            licence: robot,
            number: done.licence.number,
            amount: loss - gain,
            reason: reason.clone(),
        },
    );
    let details = json!({ "licence": robot, "operation": operation, "transfer": done.transfer, "gain": gain, "loss": loss, "reason": reason });
    audit::record(
        tx,
        Some(by),
        Some(owner.0),
        Category::Money,
        "licence.result_reversed",
        details,
    )
    .await?;
    Ok(view)
}
