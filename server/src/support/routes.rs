//! Calls of support (docs/rules/support.md).

use super::{
    attachments, mails,
    model::{
        AttachTo, EditedMessage, FoundMessages, MessagePage, MessageSearch, NewRating, NewReply, NewTicket,
        OwnSubjects, StaffTicket, TicketDetail, TicketFilter, TicketMail, TranscriptSent, Written,
    },
    ratings, reading, replies, service, transcripts,
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        files::{self, Purpose},
        http::{ListParams, Page, Paging, takes},
        listing::{self, File},
        sheet::Cell,
    },
    identity::caller::Caller,
};
use actix_multipart::Multipart;
use actix_web::{
    HttpResponse, delete, get, patch, post,
    web::{Data, Json, Path, Query},
};
use protocol::{
    ids::TicketId,
    views::{MessageView, TicketView},
};
use utoipa_actix_web::service_config::ServiceConfig;

/// Own lists sort by these; the first is the default.
const OWN_SORTS: &[&str] = &["created_at", "last_message_at"];
/// Staff answers first who waits longest, and asks for that order; whoever asks for none gets every list's.
const STAFF_SORTS: &[&str] = &[
    "created_at",
    "waiting_since",
    "last_message_at",
    "status",
    "category",
    "customer",
    "first_answer",
];

/// The form of an upload.
#[derive(utoipa::ToSchema)]
#[allow(dead_code)] // the document's words for a multipart body
struct Upload {
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(open_ticket)
        .service(upload_image)
        .service(ticket_response)
        .service(get_ticket_user)
        .service(get_ticket_support_team)
        .service(search_ticket_user)
        .service(search_ticket_support_team)
        .service(list_tickets_user)
        .service(subjects)
        .service(list_tickets_all)
        .service(edit_ticket_message)
        .service(email_send)
        .service(close_ticket)
        .service(rate_ticket)
        .service(mail_transcript)
        .service(delete_ticket);
}

/// Opens a ticket with its first message.
#[utoipa::path(tag = "support", security(("bearer" = [])), request_body = NewTicket,
    responses((status = 200, body = Written), (status = "default", body = ErrorBody)))]
#[post("/support/open-ticket")]
async fn open_ticket(
    context: Data<Context>,
    caller: Caller,
    body: Json<NewTicket>,
) -> Result<Json<Written>, Error> {
    Ok(Json(service::open(&context, &caller, body.into_inner()).await?))
}

/// A message's attachment: the first file of the form, PNG, JPEG, GIF or PDF up to 8 MB.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(("ticketId" = TicketId, Path), AttachTo),
    request_body(content = Upload, content_type = "multipart/form-data"),
    responses((status = 200, body = Written), (status = "default", body = ErrorBody)))]
#[post("/support/upload-image/{ticketId}")]
async fn upload_image(
    context: Data<Context>,
    caller: Caller,
    ticket: Path<TicketId>,
    to: Query<AttachTo>,
    payload: Multipart,
) -> Result<Json<Written>, Error> {
    let message = attachments::may_attach(&context, &caller, ticket.into_inner(), to.message_id).await?;
    let received = files::receive(&context, caller.user, payload, Purpose::TicketAttachment).await?;
    Ok(Json(
        attachments::attach(&context, &caller, message, received).await?,
    ))
}

/// A reply; a client id that was sent before answers the stored message.
#[utoipa::path(tag = "support", security(("bearer" = [])), request_body = NewReply,
    responses((status = 200, body = Written), (status = "default", body = ErrorBody)))]
#[post("/support/ticket-response")]
async fn ticket_response(
    context: Data<Context>,
    caller: Caller,
    body: Json<NewReply>,
) -> Result<Json<Written>, Error> {
    Ok(Json(replies::reply(&context, &caller, body.into_inner()).await?))
}

/// One's own deposits, withdrawals, licences and transfers that a new ticket can be about: the latest of each kind.
#[utoipa::path(tag = "support", security(("bearer" = [])),
    responses((status = 200, body = OwnSubjects), (status = "default", body = ErrorBody)))]
#[get("/support/subjects")]
async fn subjects(context: Data<Context>, caller: Caller) -> Result<Json<OwnSubjects>, Error> {
    Ok(Json(reading::own_subjects(&context, caller.user).await?))
}

/// One's own ticket with its conversation.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(("id" = TicketId, Path), MessagePage),
    responses((status = 200, body = TicketDetail), (status = "default", body = ErrorBody)))]
#[get("/support/get-ticket-user/{id}")]
async fn get_ticket_user(
    context: Data<Context>,
    caller: Caller,
    id: Path<TicketId>,
    page: Query<MessagePage>,
) -> Result<Json<TicketDetail>, Error> {
    Ok(Json(
        reading::detail(&context, caller.own(), id.into_inner(), &page).await?,
    ))
}

/// Any ticket with its conversation and its customer.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(("id" = TicketId, Path), MessagePage),
    responses((status = 200, body = TicketDetail), (status = "default", body = ErrorBody)))]
#[get("/support/get-ticket-support-team/{id}")]
async fn get_ticket_support_team(
    context: Data<Context>,
    caller: Caller,
    id: Path<TicketId>,
    page: Query<MessagePage>,
) -> Result<Json<TicketDetail>, Error> {
    let scope = caller.staff(protocol::Queue::Tickets.decides())?;
    Ok(Json(
        reading::detail(&context, scope, id.into_inner(), &page).await?,
    ))
}

/// The messages of one's own ticket that have all of the words, newest first.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(("ticketId" = TicketId, Path), MessageSearch),
    responses((status = 200, body = FoundMessages), (status = "default", body = ErrorBody)))]
#[get("/support/search-ticket-user/{ticketId}")]
async fn search_ticket_user(
    context: Data<Context>,
    caller: Caller,
    ticket: Path<TicketId>,
    asked: Query<MessageSearch>,
) -> Result<Json<FoundMessages>, Error> {
    let id = ticket.into_inner();
    Ok(Json(reading::found(&context, caller.own(), id, &asked).await?))
}

/// The same of any ticket. Internal notes are no messages.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(("ticketId" = TicketId, Path), MessageSearch),
    responses((status = 200, body = FoundMessages), (status = "default", body = ErrorBody)))]
#[get("/support/search-ticket-support-team/{ticketId}")]
async fn search_ticket_support_team(
    context: Data<Context>,
    caller: Caller,
    ticket: Path<TicketId>,
    asked: Query<MessageSearch>,
) -> Result<Json<FoundMessages>, Error> {
    let scope = caller.staff(protocol::Queue::Tickets.decides())?;
    let id = ticket.into_inner();
    Ok(Json(reading::found(&context, scope, id, &asked).await?))
}

/// One's own tickets, newest first. `sortby`: `created_at`, `last_message_at`.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(takes::Pages, takes::Sorting, takes::Search, takes::Status, takes::Category),
    responses((status = 200, body = Page<TicketView>), (status = "default", body = ErrorBody)))]
#[get("/support/list-tickets-user/")]
async fn list_tickets_user(
    context: Data<Context>,
    caller: Caller,
    params: Query<ListParams>,
) -> Result<Json<Page<TicketView>>, Error> {
    let paging = params.paging(10)?;
    let none = TicketFilter::default();
    let (filter, sort) = reading::asked(&params, &none, OWN_SORTS, caller.own(), context.now())?;
    let (rows, total) = reading::list(&context, caller.own(), &filter, sort, &paging).await?;
    Ok(Json(Page::new(rows, &paging, total)))
}

/// All tickets with what staff alone know of them. `sortby`: `created_at`, `waiting_since` (descending: the longest waiting first; who
/// does not wait stands behind in both directions), `last_message_at`, `status`, `category`, `customer` (by name), `first_answer` (how long it
/// took; who was not answered yet stands behind in both directions).
#[utoipa::path(tag = "support", security(("bearer" = [])), params(takes::PagesOf100, takes::Sorting, takes::Search, takes::Status, takes::Category, takes::Format, TicketFilter),
    responses((status = 200, content((Page<StaffTicket> = "application/json"), (String = "text/csv"))), (status = "default", body = ErrorBody)))]
#[get("/support/list-tickets-all/")]
async fn list_tickets_all(
    context: Data<Context>,
    caller: Caller,
    params: Query<ListParams>,
    filter: Query<TicketFilter>,
) -> Result<HttpResponse, Error> {
    let scope = caller.staff(protocol::Queue::Tickets.permission())?;
    let all = context.clone();
    let (filter, sort) = reading::asked(&params, &filter, STAFF_SORTS, scope, context.now())?;
    let read = async move |paging: Paging| reading::staff_list(&all, scope, &filter, sort, &paging).await;
    listing::answer(&context, caller.user, &params, 100, FILE, read).await
}

const FILE: File<StaffTicket> = File {
    name: "tickets",
    columns: &[
        ("number", |t, _| Cell::number(Some(t.ticket.number))),
        ("date", |t, _| Cell::moment(t.ticket.created_at)),
        ("user", |t, _| Cell::from(&*t.ticket.user_name)),
        ("subject", |t, _| Cell::from(&*t.ticket.subject)),
        ("category", |t, locale| {
            Cell::word(locale, t.ticket.category.as_str())
        }),
        ("last_message_at", |t, _| Cell::moment(t.ticket.last_message_at)),
        ("first_answered_at", |t, _| {
            t.desk
                .first_answered_at
                .map_or_else(|| Cell::maybe(None), Cell::moment)
        }),
        ("taken_by", |t, _| {
            Cell::maybe(t.desk.taken_by.as_ref().map(|agent| agent.name.as_str()))
        }),
        ("rating", |t, _| Cell::number(t.desk.rating)),
        ("status", |t, locale| Cell::word(locale, t.ticket.status.as_str())),
    ],
};

/// Corrects one's own message within 15 minutes.
#[utoipa::path(tag = "support", security(("bearer" = [])), request_body = EditedMessage,
    responses((status = 200, body = MessageView), (status = "default", body = ErrorBody)))]
#[patch("/support/edit-ticket-message")]
async fn edit_ticket_message(
    context: Data<Context>,
    caller: Caller,
    body: Json<EditedMessage>,
) -> Result<Json<MessageView>, Error> {
    Ok(Json(
        replies::edit(&context, &caller, body.message_id, &body.text).await?,
    ))
}

/// Sends a text about a ticket to its owner by mail and keeps it among the ticket's messages; a client id that was sent before
/// answers the stored one and sends nothing.
#[utoipa::path(tag = "support", security(("bearer" = [])), request_body = TicketMail,
    responses((status = 200, body = Written), (status = "default", body = ErrorBody)))]
#[post("/support/email-send")]
async fn email_send(
    context: Data<Context>,
    caller: Caller,
    body: Json<TicketMail>,
) -> Result<Json<Written>, Error> {
    Ok(Json(mails::send(&context, &caller, body.into_inner()).await?))
}

/// Closes a ticket: its customer or staff.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(("id" = TicketId, Path)),
    responses((status = 200, body = TicketView), (status = "default", body = ErrorBody)))]
#[post("/support/close-ticket/{id}")]
async fn close_ticket(
    context: Data<Context>,
    caller: Caller,
    id: Path<TicketId>,
) -> Result<Json<TicketView>, Error> {
    Ok(Json(service::close(&context, &caller, id.into_inner()).await?))
}

/// How one found one's own closed ticket solved, or that one does not want to say: once, up to a week after it was closed.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(("ticketId" = TicketId, Path)), request_body = NewRating,
    responses((status = 200, body = TicketView), (status = "default", body = ErrorBody)))]
#[post("/support/rate-ticket/{ticketId}")]
async fn rate_ticket(
    context: Data<Context>,
    caller: Caller,
    ticket: Path<TicketId>,
    body: Json<NewRating>,
) -> Result<Json<TicketView>, Error> {
    Ok(Json(
        ratings::rate(&context, &caller, ticket.into_inner(), &body).await?,
    ))
}

/// Mails the conversation of one's own ticket to oneself, at most five times a day: the newest messages, attachments by name.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(("ticketId" = TicketId, Path)),
    responses((status = 200, body = TranscriptSent), (status = "default", body = ErrorBody)))]
#[post("/support/mail-transcript/{ticketId}")]
async fn mail_transcript(
    context: Data<Context>,
    caller: Caller,
    ticket: Path<TicketId>,
) -> Result<Json<TranscriptSent>, Error> {
    Ok(Json(
        transcripts::send(&context, &caller, ticket.into_inner()).await?,
    ))
}

/// Deletes a ticket; it stays in the audit log.
#[utoipa::path(tag = "support", security(("bearer" = [])), params(("id" = TicketId, Path)),
    responses((status = 204), (status = "default", body = ErrorBody)))]
#[delete("/support/delete-ticket/{id}")]
async fn delete_ticket(
    context: Data<Context>,
    caller: Caller,
    id: Path<TicketId>,
) -> Result<HttpResponse, Error> {
    service::delete(&context, &caller, id.into_inner()).await?;
    Ok(HttpResponse::NoContent().finish())
}
