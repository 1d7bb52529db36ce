//! The socket's handshake and its one-time ticket.

use crate::{
    error::Error,
    foundation::context::Context,
    identity::{
        caller::Caller,
        gate::{self, Gate},
        tickets,
    },
};
use actix_web::{HttpRequest, HttpResponse, get, post, web};
use actors::Realtime;
use protocol::ErrorCode;
use serde::Serialize;
use std::net::{IpAddr, Ipv4Addr};
use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(socket).service(ticket);
}

/// Origins that may open a socket beside the page's own host.
#[derive(Clone, Default)]
pub struct AllowedOrigins(pub Vec<String>);

/// The socket: text frames of JSON, one message each. `x-websocket` names what the server takes and sends, and its close codes.
///
/// A client's first message is `auth` with an access token, within five seconds; or it offers the subprotocol `ticket.<ticket>` beside
/// `arbora.v1`. Then `welcome` comes, and after each `subscribe` a `subscribed` or `reset` with the stream's place and the facts above it.
/// Who may listen to what, limits and close codes: docs/rules/realtime.md#the-socket.
#[utoipa::path(tag = "realtime", responses((status = 101, description = "Switching to WebSocket"), (status = 503, description = "No place; Retry-After")))]
#[get("/ws")]
async fn socket(
    req: HttpRequest,
    payload: web::Payload,
    realtime: web::Data<Realtime>,
    limits: web::Data<Gate>,
    origins: web::Data<AllowedOrigins>,
) -> Result<HttpResponse, Error> {
    if !same_origin(&req, &origins) {
        return Err(Error::code(ErrorCode::Forbidden));
    }
    let forwarded = gate::forwarded(req.headers());
    let peer = req
        .peer_addr()
        .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |a| a.ip());
    let address = limits.client(Some(peer), forwarded.as_deref()).unwrap_or(peer);
    Ok(realtime.accept(&req, payload, address))
}

/// A page elsewhere must not ride on a visitor's session: the Origin's host is ours, or listed.
fn same_origin(req: &HttpRequest, allowed: &AllowedOrigins) -> bool {
    let text = |name: &str| req.headers().get(name).and_then(|v| v.to_str().ok());
    // Programs that are not browsers send none; they hold a token of their own.
    let Some(origin) = text("origin") else { return true };
    let host = origin.split_once("://").map_or("", |(_, host)| host);
    text("host").is_some_and(|own| own == host) || allowed.0.iter().any(|a| a == origin)
}

#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
struct TicketAnswer {
    /// Offer it as the subprotocol `ticket.<ticket>` beside `arbora.v1`.
    ticket: String,
    /// Seconds.
    expires_in: i64,
}

/// A one-time ticket for the socket's handshake, good for 30 s.
#[utoipa::path(tag = "realtime", security(("bearer" = [])), responses((status = 200, body = TicketAnswer)))]
#[post("/ws-ticket")]
async fn ticket(context: web::Data<Context>, caller: Caller) -> Result<web::Json<TicketAnswer>, Error> {
    let ticket = tickets::issue(&context, &caller).await?;
    Ok(web::Json(TicketAnswer {
        ticket,
        expires_in: tickets::LIFE_SECONDS,
    }))
}
