//! The ledger's one call: the verifier behind an administrator's button.

use super::verify::{self, Report};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        audit::{self, Category},
        context::Context,
    },
    identity::caller::Caller,
};
use actix_web::{post, web};
use protocol::Permission;
use serde_json::json;

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(verify_ledger);
}

/// Recomputes all balances from the postings and names the first account that differs.
#[utoipa::path(
    tag = "ledger",
    responses((status = 200, body = Report), (status = 403, body = ErrorBody), (status = 503, body = ErrorBody)),
    security(("bearer" = []))
)]
#[post("/admin/ledger/verify")]
async fn verify_ledger(context: web::Data<Context>, caller: Caller) -> Result<web::Json<Report>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let report = verify::verify(&context.db).await?;
    let mut tx = context.db.begin().await?;
    let details = json!({ "exact": report.exact, "accounts": report.accounts, "transfers": report.transfers, "postings": report.postings });
    audit::record(
        &mut tx,
        Some(caller.user),
        None,
        Category::Money,
        "ledger.verify",
        details,
    )
    .await?;
    tx.commit().await?;
    Ok(web::Json(report))
}
