//! Calls of the desk (docs/rules/support.md): who has taken a ticket, internal notes, canned replies, the work by day. All are staff's.

use super::{
    canned, desk, merging,
    model::{
        Agents, CannedOrder, CannedReplies, CannedReply, CannedRetirement, DeskReport, EditedCannedReply,
        HandOverTicket, MergeTicket, NewCannedReply, NewTicketNote, ReportSpan, TakeTicket, TicketNote,
        TicketNotes,
    },
    notes,
};
use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
    identity::caller::Caller,
};
use actix_web::{
    get, patch, post,
    web::{Data, Json, Path, Query},
};
use protocol::{
    ids::{CannedReplyId, TicketId},
    views::{DeskView, TicketView},
};
use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(take_ticket)
        .service(hand_over_ticket)
        .service(let_go_ticket)
        .service(merge_ticket)
        .service(agents)
        .service(ticket_notes)
        .service(add_ticket_note)
        .service(canned_replies)
        .service(create_canned_reply)
        .service(order_canned_replies)
        .service(edit_canned_reply)
        .service(retire_canned_reply)
        .service(desk_report);
}

/// Takes a ticket. One that a colleague has is taken only by who names that colleague (`from`): whoever did not see whose it is, is told.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(("ticketId" = TicketId, Path)), request_body = TakeTicket,
    responses((status = 200, body = DeskView), (status = "default", body = ErrorBody)))]
#[post("/support/take-ticket/{ticketId}")]
async fn take_ticket(
    context: Data<Context>,
    caller: Caller,
    ticket: Path<TicketId>,
    body: Json<TakeTicket>,
) -> Result<Json<DeskView>, Error> {
    let scope = caller.staff(protocol::Queue::Tickets.decides())?;
    let id = ticket.into_inner();
    Ok(Json(desk::take(&context, &caller, scope, id, body.from).await?))
}

/// Hands one's ticket over to somebody else who answers tickets.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(("ticketId" = TicketId, Path)), request_body = HandOverTicket,
    responses((status = 200, body = DeskView), (status = "default", body = ErrorBody)))]
#[post("/support/hand-over-ticket/{ticketId}")]
async fn hand_over_ticket(
    context: Data<Context>,
    caller: Caller,
    ticket: Path<TicketId>,
    body: Json<HandOverTicket>,
) -> Result<Json<DeskView>, Error> {
    let scope = caller.staff(protocol::Queue::Tickets.decides())?;
    let id = ticket.into_inner();
    Ok(Json(
        desk::hand_over(&context, &caller, scope, id, body.to).await?,
    ))
}

/// Lets one's ticket go.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(("ticketId" = TicketId, Path)),
    responses((status = 200, body = DeskView), (status = "default", body = ErrorBody)))]
#[post("/support/let-go-ticket/{ticketId}")]
async fn let_go_ticket(
    context: Data<Context>,
    caller: Caller,
    ticket: Path<TicketId>,
) -> Result<Json<DeskView>, Error> {
    let scope = caller.staff(protocol::Queue::Tickets.decides())?;
    Ok(Json(
        desk::let_go(&context, &caller, scope, ticket.into_inner()).await?,
    ))
}

/// Merges a customer's double into another open ticket of theirs, for good: it closes, and its messages are shown there.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(("ticketId" = TicketId, Path)), request_body = MergeTicket,
    responses((status = 200, body = TicketView), (status = "default", body = ErrorBody)))]
#[post("/support/merge-ticket/{ticketId}")]
async fn merge_ticket(
    context: Data<Context>,
    caller: Caller,
    ticket: Path<TicketId>,
    body: Json<MergeTicket>,
) -> Result<Json<TicketView>, Error> {
    let scope = caller.staff(protocol::Queue::Tickets.decides())?;
    let id = ticket.into_inner();
    Ok(Json(
        merging::merge(&context, &caller, scope, id, body.into).await?,
    ))
}

/// Those who answer tickets, and whoever still has open ones, by name, with how many open ones each of them has taken.
#[utoipa::path(tag = "support", security(("bearer" = [])),
    responses((status = 200, body = Agents), (status = "default", body = ErrorBody)))]
#[get("/support/agents")]
async fn agents(context: Data<Context>, caller: Caller) -> Result<Json<Agents>, Error> {
    caller.staff(protocol::Queue::Tickets.permission())?;
    Ok(Json(desk::agents(&context).await?))
}

/// A ticket's internal notes: for staff alone, and not for who is its customer.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(("ticketId" = TicketId, Path)),
    responses((status = 200, body = TicketNotes), (status = "default", body = ErrorBody)))]
#[get("/support/ticket-notes/{ticketId}")]
async fn ticket_notes(
    context: Data<Context>,
    caller: Caller,
    ticket: Path<TicketId>,
) -> Result<Json<TicketNotes>, Error> {
    let scope = caller.staff(protocol::Queue::Tickets.decides())?;
    Ok(Json(
        notes::list(&context, &caller, scope, ticket.into_inner()).await?,
    ))
}

/// Adds an internal note; it is never changed. A client id that was sent before answers the stored note.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(("ticketId" = TicketId, Path)), request_body = NewTicketNote,
    responses((status = 200, body = TicketNote), (status = "default", body = ErrorBody)))]
#[post("/support/ticket-notes/{ticketId}")]
async fn add_ticket_note(
    context: Data<Context>,
    caller: Caller,
    ticket: Path<TicketId>,
    body: Json<NewTicketNote>,
) -> Result<Json<TicketNote>, Error> {
    let scope = caller.staff(protocol::Queue::Tickets.decides())?;
    let id = ticket.into_inner();
    Ok(Json(notes::add(&context, &caller, scope, id, &body).await?))
}

/// The replies that staff keep ready: those in use in their order, then retired ones.
#[utoipa::path(tag = "support", security(("bearer" = [])),
    responses((status = 200, body = CannedReplies), (status = "default", body = ErrorBody)))]
#[get("/support/canned-replies")]
async fn canned_replies(context: Data<Context>, caller: Caller) -> Result<Json<CannedReplies>, Error> {
    caller.staff(protocol::Queue::Tickets.decides())?;
    Ok(Json(canned::list(&context).await?))
}

/// Keeps another reply ready, behind the others.
#[utoipa::path(tag = "support", security(("bearer" = [])), request_body = NewCannedReply,
    responses((status = 200, body = CannedReply), (status = "default", body = ErrorBody)))]
#[post("/support/canned-replies")]
async fn create_canned_reply(
    context: Data<Context>,
    caller: Caller,
    body: Json<NewCannedReply>,
) -> Result<Json<CannedReply>, Error> {
    caller.staff(protocol::Queue::Tickets.decides())?;
    Ok(Json(canned::create(&context, &caller, &body).await?))
}

/// Puts those in use in another order: all of them are named.
#[utoipa::path(tag = "support", security(("bearer" = [])), request_body = CannedOrder,
    responses((status = 200, body = CannedReplies), (status = "default", body = ErrorBody)))]
#[post("/support/order-canned-replies")]
async fn order_canned_replies(
    context: Data<Context>,
    caller: Caller,
    body: Json<CannedOrder>,
) -> Result<Json<CannedReplies>, Error> {
    caller.staff(protocol::Queue::Tickets.decides())?;
    Ok(Json(canned::order(&context, &caller, &body).await?))
}

/// Writes another title and other texts over a reply.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(("replyId" = CannedReplyId, Path)), request_body = EditedCannedReply,
    responses((status = 200, body = CannedReply), (status = "default", body = ErrorBody)))]
#[patch("/support/canned-replies/{replyId}")]
async fn edit_canned_reply(
    context: Data<Context>,
    caller: Caller,
    reply: Path<CannedReplyId>,
    body: Json<EditedCannedReply>,
) -> Result<Json<CannedReply>, Error> {
    caller.staff(protocol::Queue::Tickets.decides())?;
    let id = reply.into_inner();
    Ok(Json(canned::edit(&context, &caller, id, &body).await?))
}

/// Takes a reply out of use, or brings it back behind the others.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(("replyId" = CannedReplyId, Path)), request_body = CannedRetirement,
    responses((status = 200, body = CannedReply), (status = "default", body = ErrorBody)))]
#[post("/support/canned-replies/{replyId}/retire")]
async fn retire_canned_reply(
    context: Data<Context>,
    caller: Caller,
    reply: Path<CannedReplyId>,
    body: Json<CannedRetirement>,
) -> Result<Json<CannedReply>, Error> {
    caller.staff(protocol::Queue::Tickets.decides())?;
    let id = reply.into_inner();
    Ok(Json(canned::retire(&context, &caller, id, &body).await?))
}

/// Opened and solved by day, and how long the first answer took, newest day first.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(ReportSpan),
    responses((status = 200, body = DeskReport), (status = "default", body = ErrorBody)))]
#[get("/support/desk-report")]
async fn desk_report(
    context: Data<Context>,
    caller: Caller,
    span: Query<ReportSpan>,
) -> Result<Json<DeskReport>, Error> {
    caller.staff(protocol::Queue::Tickets.permission())?;
    Ok(Json(desk::report(&context, &span).await?))
}
