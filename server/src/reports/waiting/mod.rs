//! What waits for somebody to decide: every queue of the approvals, counted once for the header, the menu and the overview.
//!
//! `mine` leaves out what the caller may not decide on: their own money and that of their direct line, what they or somebody whose
//! permission goes back to them approved already, a request about themselves; and everything while their decisions do not count.
//! It counts as the queues' own lists do; the decision itself asks again (2026-11-23: the header counted six queues of thirteen).
//! The names come from the table of queues; what waits in each stands in `store.rs` (2026-11-24).

mod store;

pub use store::queues;

use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
    identity::caller::Caller,
};
use actix_web::{get, web};
use protocol::{Permission, Queue, ids::UserId};
use serde::Serialize;
use time::OffsetDateTime;
use uuid::Uuid;

/// A queue by the name of its counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct WaitingQueue(&'static str);

/// The queues that are counted, in the order of the table.
fn counters() -> impl Iterator<Item = &'static str> {
    Queue::ALL.iter().filter_map(|queue| queue.row().counter)
}

impl utoipa::PartialSchema for WaitingQueue {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .description(Some("A queue by the name of its counter."))
            .enum_values(Some(counters()))
            .into()
    }
}
impl utoipa::ToSchema for WaitingQueue {}

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

/// The queues that are counted as they stand: how much waits in each for a decision, and since when the oldest.
///
/// # Errors
/// Whatever the database refuses.
pub async fn counted(context: &Context) -> Result<Vec<(Queue, i64, Option<OffsetDateTime>)>, Error> {
    // For nobody: what somebody may decide on is not asked here.
    let states = store::queues(context.db.pool(), UserId(Uuid::nil()), context.now()).await?;
    let queue = |name| Queue::ALL.iter().find(|queue| queue.row().counter == Some(name));
    Ok(states
        .into_iter()
        .filter_map(|state| Some((*queue(state.queue.0)?, state.pending, state.oldest)))
        .collect())
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
