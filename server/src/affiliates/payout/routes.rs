//! The payout report over HTTP.

use super::{
    model::PayoutReport,
    service::{self, WINDOW},
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        business_day,
        context::Context,
        http::{ListParams, takes},
    },
    identity::caller::Caller,
};
use actix_web::{get, web};
use protocol::{ErrorCode, Permission};
use time::Duration;
use utoipa_actix_web::service_config::ServiceConfig;

/// The most days of one report.
const DAYS: i64 = 366;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(payout_report);
}

/// Bonuses against revenue, by business day and month, with the ceiling that staff set and what accounts that belong together took. 30
/// days by default, at most 366.
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), params(takes::Days), responses(
    (status = 200, body = PayoutReport), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/payout-report")]
pub async fn payout_report(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<web::Json<PayoutReport>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    params.days()?;
    let day = |text: &Option<String>| text.as_deref().and_then(business_day::read);
    let to = day(&params.end_date).unwrap_or_else(|| business_day::of(context.now()));
    let from = day(&params.start_date).unwrap_or_else(|| to.saturating_sub(Duration::days(WINDOW - 1)));
    if from > to || (to - from).whole_days() >= DAYS {
        return Err(Error::code(ErrorCode::RequestInvalid).field("startDate", ErrorCode::RequestInvalid));
    }
    Ok(web::Json(service::report(&context, from, to).await?))
}
