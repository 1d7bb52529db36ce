//! What waits for somebody to decide: every queue of the approvals, counted once for the header, the menu and the overview.
//!
//! `mine` leaves out what the caller may not decide on: their own money and that of their direct line, what they or somebody whose
//! permission goes back to them approved already, a request about themselves; and everything while their decisions do not count.
//! It counts as the queues' own lists do; the decision itself asks again (2026-11-23: the header counted six queues of thirteen).

mod store;

use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
    identity::caller::Caller,
};
use actix_web::{get, web};
use protocol::Permission;
use serde::Serialize;
use time::OffsetDateTime;

/// A queue of things that wait for a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum WaitingQueue {
    PixDeposits,
    PixWithdrawals,
    CryptoWithdrawals,
    CryptoDeposits,
    Transfers,
    /// Cases of the rules; those are `mine` that are decided by themselves, not with what waits for them.
    Cases,
    Sponsorship,
    PoolRevenue,
    /// What the house declares to hold elsewhere.
    Holdings,
    /// Changes of settings and plans.
    Settings,
    /// Rounds of the presale.
    Rounds,
    Pauses,
    /// Switching real orders on.
    Live,
    /// Roles that decide, and freezes whose end one person has asked for.
    Grants,
}

/// How much waits in a queue.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueState {
    pub queue: WaitingQueue,
    /// For whoever decides.
    pub pending: i64,
    /// Of these, what the caller may decide on.
    pub mine: i64,
    /// Since when the oldest waits.
    #[serde(with = "time::serde::rfc3339::option")]
    pub oldest: Option<OffsetDateTime>,
}

/// All queues of the approvals.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct WaitingQueues {
    pub queues: Vec<QueueState>,
}

/// What waits for a decision, queue by queue, and how much of it the caller may decide on.
#[utoipa::path(tag = "reports", security(("bearer" = [])), responses((status = 200, body = WaitingQueues), (status = 403, body = ErrorBody)))]
#[get("/admin/waiting")]
pub async fn waiting(context: web::Data<Context>, caller: Caller) -> Result<web::Json<WaitingQueues>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let queues = store::queues(context.db.pool(), caller.user, context.now()).await?;
    Ok(web::Json(WaitingQueues { queues }))
}
