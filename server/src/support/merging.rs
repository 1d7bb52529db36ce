//! A customer's doubles: one ticket is merged into another (docs/rules/support.md#doubles). No message moves: a double keeps its own, with their
//! numbers, and where it was merged into shows them among its own.

use super::{
    desk::{self, require_other},
    model::Double,
    rules,
    service::{lock, tell_lists, tell_status},
    store::{self, Locked},
};
use crate::{
    error::Error,
    foundation::{audit, context::Context, transaction::Tx},
    identity::caller::{Caller, Scope},
};
use protocol::{
    ErrorCode,
    ids::TicketId,
    views::{TicketStatus, TicketView},
};
use serde_json::json;
use sqlx::PgPool;

/// Merges `id` into `into`: it closes, and whoever wrote or writes about it does so there. Who waits in it waits there, and who had it has the other
/// one if nobody else does. It cannot be undone.
///
/// # Errors
/// `ticket.unknown` of either; `ticket.own`; `ticket.other_person` for two people's, or for a ticket and itself; `ticket.merged` where either was merged
/// before, or `id` has doubles of its own; `ticket.closed` where `into` is; `ticket.doubles_full` at [`rules::MAX_DOUBLES`].
pub async fn merge(
    context: &Context,
    caller: &Caller,
    scope: Scope,
    id: TicketId,
    into: TicketId,
) -> Result<TicketView, Error> {
    let mut tx = context.db.begin().await?;
    if id == into {
        lock(&mut tx, scope, id).await?;
        return Err(other_person());
    }
    // In one order, whichever is merged into which.
    let (double, target) = if id < into {
        let double = lock(&mut tx, scope, id).await?;
        (double, lock(&mut tx, scope, into).await?)
    } else {
        let target = lock(&mut tx, scope, into).await?;
        (lock(&mut tx, scope, id).await?, target)
    };
    require_other(&double, caller)?;
    may_merge(&double, &target)?;
    let now = tx.now();
    store::merge(tx.conn(), id, into, caller.user, now).await?;
    let details = json!({ "owner": double.owner, "into": into });
    audit::record(
        &mut tx,
        Some(caller.user),
        Some(id.0),
        audit::Category::Support,
        "ticket.merged",
        details,
    )
    .await?;
    let merged = told(&mut tx, scope, id).await?;
    told(&mut tx, scope, into).await?;
    tx.commit().await?;
    Ok(merged)
}

fn other_person() -> Error {
    Error::code(ErrorCode::TicketOtherPerson).field("into", ErrorCode::TicketOtherPerson)
}

fn may_merge(double: &Locked, target: &Locked) -> Result<(), Error> {
    if double.owner != target.owner {
        return Err(other_person());
    }
    if double.merged_into.is_some() || target.merged_into.is_some() || double.doubles > 0 {
        return Err(Error::code(ErrorCode::TicketMerged));
    }
    if target.status == TicketStatus::Closed {
        return Err(Error::code(ErrorCode::TicketClosed));
    }
    if target.doubles >= rules::MAX_DOUBLES {
        return Err(Error::code(ErrorCode::TicketDoublesFull).with("maximum", rules::MAX_DOUBLES));
    }
    Ok(())
}

/// Both sides and the desk hear how one of the two stands.
async fn told(tx: &mut Tx, scope: Scope, id: TicketId) -> Result<TicketView, Error> {
    let ticket = store::after_change(tx.conn(), scope, id).await?;
    tell_status(tx, &ticket);
    tell_lists(tx, &ticket);
    let stands = desk::desk_of(tx, id).await?;
    desk::tell(tx, stands, None);
    Ok(ticket)
}

/// What was merged is over for good: what is said belongs where it was merged into.
///
/// # Errors
/// `ticket.merged`.
pub(super) fn require_unmerged(locked: &Locked) -> Result<(), Error> {
    if locked.merged_into.is_some() {
        return Err(Error::code(ErrorCode::TicketMerged));
    }
    Ok(())
}

/// A ticket's doubles with their newest messages, in the order in which they were merged.
pub(super) async fn doubles(pool: &PgPool, ticket: &TicketView) -> Result<Vec<Double>, Error> {
    let mut doubles = Vec::new();
    if ticket.doubles == 0 {
        return Ok(doubles);
    }
    for (id, number, last_number) in store::doubles(pool, ticket.id).await? {
        let after = last_number - rules::DOUBLE_MESSAGES;
        doubles.push(Double {
            id,
            number,
            messages: store::messages(pool, id, after, last_number + 1).await?,
            has_older: after > 0,
        });
    }
    Ok(doubles)
}
