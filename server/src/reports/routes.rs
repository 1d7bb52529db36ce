//! Calls of the read models.

use crate::{
    error::Error,
    foundation::context::{Context, World},
    identity::{caller::Caller, google, service::TERMS_VERSION},
    support::Whatsapp,
    wallet::local::Faucet,
};
use actix_web::{get, web};
use serde::Serialize;
use time::OffsetDateTime;
use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(config)
        .service(me)
        .service(super::sales::sales)
        .service(super::robots::robots)
        .service(super::finances::summary)
        .service(super::solvency::solvency)
        .service(super::solvency::coverage::payout_coverage)
        .service(super::approvals::preview)
        .service(super::approvals::take_back)
        .service(super::waiting::waiting)
        .service(super::results::my_results)
        .service(super::activity::routes::page)
        .service(super::activity::routes::csv)
        .service(super::activity::routes::document)
        .service(super::statement::routes::page)
        .service(super::statement::routes::csv)
        .service(super::statement::routes::document)
        .service(super::origin::origin)
        .service(super::yearly::routes::page)
        .service(super::yearly::routes::csv)
        .service(super::yearly::routes::document)
        .service(super::analytics::analytics)
        .service(super::paid::paid_by)
        .service(super::overview::general_view)
        .configure(super::audit::configure)
        .configure(super::people::configure)
        .configure(super::relations::configure);
}

/// What a browser must know before anyone signs in.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicConfig {
    pub world: World,
    pub brand: String,
    /// BRL per USD shown until a rate is loaded, four decimals.
    pub default_rate: String,
    pub terms_version: &'static str,
    #[serde(with = "time::serde::rfc3339")]
    pub now: OffsetDateTime,
    /// Demo only: where mails can be read.
    pub mailbox: Option<&'static str>,
    /// Demo only: there is a faucet that pays deposits with play money.
    pub faucet: bool,
    /// Where the support's WhatsApp opens, if the house has one.
    pub whatsapp: Option<String>,
    /// Whom to write to about what is kept of one.
    pub officer: DataOfficerView,
    /// Signing in with Google is offered.
    pub google: bool,
}

/// The data officer (LGPD: encarregado).
#[derive(Serialize, utoipa::ToSchema)]
pub struct DataOfficerView {
    pub name: String,
    pub email: String,
}

/// The platform's public configuration.
#[utoipa::path(tag = "platform", responses((status = 200, body = PublicConfig)))]
#[get("/config")]
async fn config(context: web::Data<Context>) -> Result<web::Json<PublicConfig>, Error> {
    let now = context.now();
    let settings = context.settings.current(now).await?;
    let rate = settings.settings.default_rate;
    Ok(web::Json(PublicConfig {
        world: context.world,
        brand: settings.settings.brand.clone(),
        default_rate: format!("{}.{:04}", rate / 10_000, rate % 10_000),
        terms_version: TERMS_VERSION,
        now,
        mailbox: context.mailbox.then_some("/dev/mailbox"),
        google: google::is_offered(&context),
        officer: DataOfficerView {
            name: context.officer.name.clone(),
            email: context.officer.email.clone(),
        },
        faucet: context.world == World::Demo && context.part::<Faucet>().is_some(),
        whatsapp: context.part::<Whatsapp>().map(|whatsapp| whatsapp.0.clone()),
    }))
}

/// The signed-in person with roles, balances and place in the network.
#[utoipa::path(tag = "identity", security(("bearer" = [])), responses((status = 200, body = super::me::MeAnswer), (status = 401, body = crate::error::ErrorBody)))]
#[get("/me")]
async fn me(context: web::Data<Context>, caller: Caller) -> Result<web::Json<super::me::MeAnswer>, Error> {
    Ok(web::Json(super::me::me(&context, &caller).await?))
}
