//! What those who run the house ask a server: does it live, can it serve, what does it count. Paths: `routes::PROBES`.
//!
//! Invariants: no answer tells anything of the inside but words of a closed set; whoever asks often asks the database no more
//! often than once a second; the figures are for this machine and for networks that the operator named, never for what came through
//! a proxy, and no text of a stranger becomes a label.
//!
//! Decisions (2026-11-23): a lost Redis is told and not refused (facts come by the outbox, only later), and so is a schema that is newer
//! than the program: migrations come first in an update, and servers that all gave up at that moment would be an outage. A node that
//! stops says so before it does anything else, and goes on answering until those who send it requests have turned away.

pub mod figures;
mod readiness;

use crate::{
    config::AddressRange,
    foundation::context::Context,
    identity::gate::Template,
    routes::{PROBES, Probe},
};
use actix_web::{
    HttpMessage, HttpRequest, HttpResponse,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    http::{ConnectionType, StatusCode, header},
    middleware::Next,
    web,
};
use actors::Realtime;
use figures::Figures;
use readiness::Readiness;
use std::{
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

/// What a proxy says of whom it speaks for.
const FORWARDED: [&str; 5] = [
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-real-ip",
];

/// What the answers are made of; clones share it.
#[derive(Clone)]
pub struct Probes(Arc<Inner>);

struct Inner {
    context: Context,
    realtime: Realtime,
    readiness: Readiness,
    figures: Figures,
    readers: Vec<AddressRange>,
    stopping: AtomicBool,
}

impl Probes {
    /// `readers`: networks that may read the figures beside this machine.
    #[must_use]
    pub fn new(context: &Context, realtime: &Realtime, readers: Vec<AddressRange>) -> Self {
        Self(Arc::new(Inner {
            context: context.clone(),
            realtime: realtime.clone(),
            readiness: Readiness::new(context),
            figures: Figures::new(context.now()),
            readers,
            stopping: AtomicBool::new(false),
        }))
    }

    /// From now on the node is not ready, and every answer closes its connection.
    pub fn stop(&self) {
        self.0.stopping.store(true, Ordering::SeqCst);
    }

    fn stopping(&self) -> bool {
        self.0.stopping.load(Ordering::SeqCst)
    }

    fn may_read(&self, req: &HttpRequest) -> bool {
        let known = |address: IpAddr| {
            address.to_canonical().is_loopback() || self.0.readers.iter().any(|range| range.contains(address))
        };
        req.peer_addr().is_some_and(|peer| known(peer.ip()))
            && !FORWARDED.iter().any(|name| req.headers().contains_key(*name))
    }
}

/// Mounts the table.
pub fn configure(cfg: &mut web::ServiceConfig) {
    for (path, probe) in PROBES {
        let resource = web::resource(*path);
        cfg.service(match probe {
            Probe::Alive => resource.route(web::get().to(alive)).route(web::head().to(alive)),
            Probe::Ready => resource.route(web::get().to(ready)).route(web::head().to(ready)),
            Probe::Figures => resource.route(web::get().to(read_figures)),
        });
    }
}

fn plain(status: StatusCode) -> actix_web::HttpResponseBuilder {
    let mut response = HttpResponse::build(status);
    response
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"));
    response
}

async fn alive() -> HttpResponse {
    plain(StatusCode::OK)
        .content_type("text/plain; charset=utf-8")
        .body("ok")
}

async fn ready(probes: web::Data<Probes>) -> HttpResponse {
    let inner = &probes.0;
    let bus = inner.realtime.stats().bus_connected;
    let answer = inner.readiness.answer(probes.stopping(), bus).await;
    if answer.ready {
        plain(StatusCode::OK).json(answer)
    } else {
        plain(StatusCode::SERVICE_UNAVAILABLE)
            .insert_header((header::RETRY_AFTER, "1"))
            .json(answer)
    }
}

async fn read_figures(req: HttpRequest, probes: web::Data<Probes>) -> HttpResponse {
    if !probes.may_read(&req) {
        return plain(StatusCode::NOT_FOUND).finish();
    }
    let inner = &probes.0;
    let text = inner.figures.page(&inner.context, &inner.realtime).await;
    plain(StatusCode::OK)
        .content_type("text/plain; version=0.0.4; charset=utf-8")
        .body(text)
}

/// Around every request: measures it under its template, and closes its connection once the node stops.
///
/// # Errors
/// Those of what it stands around.
pub async fn observe(
    req: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let begun = Instant::now();
    let method = method(req.method().as_str());
    let probes = req.app_data::<web::Data<Probes>>().cloned();
    let mut result = next.call(req).await;
    let (route, status) = match &result {
        Ok(response) => (template(response.request()), response.status()),
        Err(error) => (OTHER, error.as_response_error().status_code()),
    };
    metrics::histogram!("http_request_seconds", "method" => method, "route" => route, "status" => class(status))
        .record(begun.elapsed());
    if let Ok(response) = &mut result
        && status != StatusCode::SWITCHING_PROTOCOLS
        && probes.is_some_and(|probes| probes.stopping())
    {
        response
            .response_mut()
            .head_mut()
            .set_connection_type(ConnectionType::Close);
    }
    result
}

/// Pages, their files, and whatever does not exist.
const OTHER: &str = "other";

/// Of the route table, below `/api`, or of the probes; nothing that was sent.
fn template(req: &HttpRequest) -> &'static str {
    if let Some(Template(path)) = req.extensions().get::<Template>() {
        return path;
    }
    let path = req.path();
    PROBES
        .iter()
        .find(|(probe, _)| *probe == path)
        .map_or(OTHER, |(probe, _)| probe)
}

fn method(name: &str) -> &'static str {
    ["GET", "HEAD", "POST", "PATCH", "DELETE"]
        .into_iter()
        .find(|known| *known == name)
        .unwrap_or(OTHER)
}

fn class(status: StatusCode) -> &'static str {
    match status.as_u16() / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    }
}
