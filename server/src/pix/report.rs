//! What PIX brought in, by day, for those who see the deposits' list.

use super::{routes::filter, service};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        http::{ListParams, takes},
        listing::DaysReport,
    },
    identity::caller::Caller,
};
use actix_web::{get, web};

/// What was credited by PIX, by the day on which the deposit began. Filters as the list of all deposits; what was taken back is not
/// counted.
#[utoipa::path(tag = "pix", operation_id = "pix_deposits_report", params(takes::Search, takes::Status, takes::Function, takes::Days), responses((status = 200, body = DaysReport), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/pix-deposits-report")]
pub async fn report(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<web::Json<DaysReport>, Error> {
    let scope = caller.staff(protocol::Queue::PixDeposits.permission())?;
    Ok(web::Json(
        service::credited(&context, scope, &filter(&params)?).await?,
    ))
}
