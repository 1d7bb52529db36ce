//! The HTTP face: `/api` behind the gate, every room's handlers, one OpenAPI document, the single-page app for the rest.

use super::{
    answers,
    probes::{self, Probes},
    spa::Spa,
};
use crate::{
    affiliates, approvals, content,
    error::Error,
    foundation::{
        context::{Context, World},
        files::{self, Authorisers, Purpose},
        intake::{self, Accepted},
    },
    identity::{self, gate::Gate},
    ledger, licences, notifications, pix, pools, presale, privacy, realtime,
    realtime::routes::AllowedOrigins,
    reports, robots,
    routes::ROUTES,
    rulebook, sponsorship, support, transfers, treasury, wallet,
};
use actix_web::{
    App, HttpResponse, ResponseError,
    body::MessageBody,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    middleware::{self, DefaultHeaders},
    web,
};
use protocol::ErrorCode;
use std::sync::OnceLock;
use utoipa::OpenApi;
use utoipa_actix_web::{AppExt, service_config::ServiceConfig};

/// JSON bodies are small; files have calls of their own.
const JSON_LIMIT: usize = 256 * 1024;

#[derive(OpenApi)]
#[openapi(
    info(title = "Arbora", description = "Real-time platform for crypto arbitrage investment."),
    components(schemas(
        crate::error::ErrorBody,
        protocol::server_message::ServerMessage,
        protocol::ClientMessage,
        protocol::LiveEvent,
        protocol::Glimpse,
        protocol::Permission,
    )),
    modifiers(&Bearer, &Queues)
)]
struct Document;

struct Bearer;
impl utoipa::Modify for Bearer {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
        let scheme = SecurityScheme::Http(
            HttpBuilder::new()
                .scheme(HttpAuthScheme::Bearer)
                .bearer_format("JWT")
                .build(),
        );
        document
            .components
            .get_or_insert_with(Default::default)
            .add_security_scheme("bearer", scheme);
    }
}

/// The table of queues goes with the document: the web client's is generated from it.
struct Queues;
impl utoipa::Modify for Queues {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        document
            .extensions
            .get_or_insert_with(Default::default)
            .insert("x-queues".to_owned(), protocol::Queue::table());
    }
}

/// Every room's handlers, below `/api`. `faucet`: a demo gives play money away; production has no such call.
fn rooms(cfg: &mut ServiceConfig, faucet: bool) {
    if faucet {
        cfg.configure(wallet::local::routes::configure);
    }
    cfg.configure(reports::routes::configure)
        .configure(identity::routes::configure)
        .configure(ledger::routes::configure)
        .configure(affiliates::routes::configure)
        .configure(approvals::routes::configure)
        .configure(realtime::routes::configure)
        .configure(notifications::routes::configure)
        .configure(support::routes::configure)
        .configure(support::desk_routes::configure)
        .configure(content::routes::configure)
        .configure(privacy::routes::configure)
        .configure(files::routes::configure)
        .configure(ledger::routes::configure)
        .configure(pix::routes::configure)
        .configure(transfers::routes::configure)
        .configure(sponsorship::routes::configure)
        .configure(treasury::routes::configure)
        .configure(presale::routes::configure)
        .configure(licences::routes::configure)
        .configure(pools::routes::configure)
        .configure(wallet::routes::configure)
        .configure(robots::routes::configure)
        .configure(robots::copying::routes::configure)
        .configure(rulebook::routes::configure);
}

/// Which room answers for the files of its things.
fn authorisers() -> Authorisers {
    Authorisers::default()
        .with(Purpose::Avatar, identity::AvatarViewers)
        .with(Purpose::TicketAttachment, support::attachments::AttachmentViewers)
        .with(Purpose::PixProof, pix::files::Proofs)
        .with(Purpose::PixPayment, pix::files::Payments)
        .with(Purpose::PoolProof, pools::files::RevenueProofs)
        .with(Purpose::ContentCover, content::files::Readers)
        .with(Purpose::ContentFile, content::files::Readers)
}

/// The OpenAPI 3.1 document of all handlers.
#[must_use]
pub fn document() -> &'static utoipa::openapi::OpenApi {
    static DOCUMENT: OnceLock<utoipa::openapi::OpenApi> = OnceLock::new();
    DOCUMENT.get_or_init(|| {
        let (_, document) = actix_web::App::new()
            .into_utoipa_app()
            .openapi(Document::openapi())
            .service(utoipa_actix_web::scope("/api").configure(|cfg| rooms(cfg, true)))
            .split_for_parts();
        answers::documented(spoken(named(document)), ROUTES)
    })
}

/// What goes over the socket is described where it is opened.
fn spoken(mut document: utoipa::openapi::OpenApi) -> utoipa::openapi::OpenApi {
    if let Some(handshake) = document
        .paths
        .paths
        .get_mut("/api/ws")
        .and_then(|path| path.get.as_mut())
    {
        handshake
            .extensions
            .get_or_insert_with(Default::default)
            .insert("x-websocket".to_owned(), protocol::server_message::words());
    }
    document
}

/// Handlers of different rooms may share a name; operations of one document may not.
fn named(mut document: utoipa::openapi::OpenApi) -> utoipa::openapi::OpenApi {
    for (path, item) in &mut document.paths.paths {
        let words: Vec<&str> = path
            .trim_start_matches("/api")
            .split(['/', '-'])
            .filter(|w| !w.is_empty())
            .map(|w| w.trim_matches(['{', '}']))
            .collect();
        let name = words.join("_");
        for (method, operation) in answers::operations(item) {
            operation.operation_id = Some(format!("{}_{name}", method.to_lowercase()));
        }
    }
    document
}

/// What every call takes in its query, as the document says.
fn accepted() -> &'static Accepted {
    static ACCEPTED: OnceLock<Accepted> = OnceLock::new();
    ACCEPTED.get_or_init(|| {
        serde_json::to_value(document()).map_or_else(|_| Accepted::default(), |text| Accepted::of(&text))
    })
}

async fn openapi_json() -> HttpResponse {
    HttpResponse::Ok().json(document())
}

async fn unknown_call() -> Result<HttpResponse, Error> {
    Err(Error::code(ErrorCode::RequestNotFound))
}

/// What the HTTP face needs beside the context.
#[derive(Clone)]
pub struct Face {
    pub context: Context,
    pub gate: Gate,
    pub spa: Spa,
    pub realtime: actors::Realtime,
    pub origins: AllowedOrigins,
    pub probes: Probes,
}

/// The whole application; the same for the product and for its tests.
pub fn app(
    face: &Face,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody + use<>>,
        Error = actix_web::Error,
        InitError = (),
    > + use<>,
> {
    App::new()
        .wrap(middleware::from_fn(probes::observe))
        .configure(|cfg| mount(cfg, face))
}

fn mount(cfg: &mut web::ServiceConfig, face: &Face) {
    let headers = DefaultHeaders::new()
        .add(("X-Content-Type-Options", "nosniff"))
        .add(("Referrer-Policy", "no-referrer"))
        .add(("Cache-Control", "no-store"))
        .add(("X-Frame-Options", "DENY"));
    cfg.app_data(web::Data::new(face.context.clone()))
        .app_data(web::Data::new(face.gate.clone()))
        .app_data(web::Data::new(face.spa.clone()))
        .app_data(web::Data::new(face.realtime.clone()))
        .app_data(web::Data::new(realtime::signals(&face.realtime)))
        .app_data(web::Data::new(face.origins.clone()))
        .app_data(web::Data::new(face.probes.clone()))
        .app_data(web::Data::new(authorisers()))
        .app_data(web::Data::new(accepted().clone()))
        .app_data(
            web::JsonConfig::default()
                .limit(JSON_LIMIT)
                .error_handler(intake::json_error),
        )
        .app_data(web::PathConfig::default().error_handler(intake::path_error))
        .app_data(web::QueryConfig::default().error_handler(intake::query_error))
        .app_data(web::PayloadConfig::new(JSON_LIMIT));
    probes::configure(cfg);
    let faucet = face.context.world == World::Demo;
    cfg.service(
        web::scope("/api")
            .wrap(middleware::from_fn(intake::check))
            .wrap(face.gate.clone())
            .wrap(headers)
            .wrap(middleware::Compress::default())
            .configure(|inner| rooms(&mut ServiceConfig::new(inner), faucet))
            .route("/openapi.json", web::get().to(openapi_json))
            .default_service(web::to(unknown_call)),
    );
    cfg.service(
        utoipa_swagger_ui::SwaggerUi::new("/api-docs/{_:.*}").url("/api/openapi.json", document().clone()),
    );
    identity::routes::configure_pages(cfg);
    crate::foundation::mail::mailbox::configure(cfg, &face.context);
    realtime::measuring::configure(cfg, &face.gate);
    cfg.default_service(web::to(super::spa::serve));
}

/// For tests of the table: every (method, path below /api) that has a handler.
#[must_use]
pub fn handled_paths() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (path, item) in &document().paths.paths {
        let path = path.strip_prefix("/api").unwrap_or(path);
        let methods = [
            ("GET", &item.get),
            ("POST", &item.post),
            ("PATCH", &item.patch),
            ("PUT", &item.put),
            ("DELETE", &item.delete),
        ];
        for (method, operation) in methods {
            if operation.is_some() {
                all.push((method.to_owned(), path.to_owned()));
            }
        }
    }
    all
}

/// An error as a response outside the gate.
#[must_use]
pub fn refuse(code: ErrorCode) -> HttpResponse {
    Error::code(code).error_response()
}
