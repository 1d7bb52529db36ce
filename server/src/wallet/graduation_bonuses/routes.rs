//! Paying ranks' bonuses over HTTP, for staff.

use super::service;
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        http::Headers,
        idempotency::{self, Key},
        locale::{Locale, filled},
    },
    identity::caller::Caller,
};
use actix_web::{HttpResponse, get, http::StatusCode, post, web};
use protocol::{
    ids::{GraduationId, UserId},
    money::Usdt,
    views::{GraduationPayoutStatus, GraduationPayoutView, Rank},
};
use serde::{Deserialize, Serialize};

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(offer_bonus).service(pay_bonus).service(reject_bonus);
}

/// What paying a rank's bonus would do.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BonusOffer {
    pub graduation: GraduationId,
    pub user: UserId,
    pub rank: Rank,
    pub value: Usdt,
    /// The member's own wallet, which receives it.
    pub address: String,
    /// The network's number: 56 is BNB Smart Chain.
    pub chain: u64,
    /// Where it stands, if somebody has asked for it.
    pub payment: Option<GraduationPayoutView>,
}

/// Which rank's bonus is to be paid.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PayBonus {
    pub graduation_id: GraduationId,
}

/// Which payment is not to be made, and why.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RejectBonus {
    pub graduation_id: GraduationId,
    pub reason: String,
}

/// The payment, with the hash by which the chain knows it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BonusPayment {
    /// None until it is signed: the first of two persons has no hash, and who releases it sees it a moment later, live.
    pub trx_hash: Option<String>,
    #[serde(flatten)]
    pub payment: GraduationPayoutView,
}

/// Where paying a rank's bonus stands, in a sentence and in figures.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct BonusPaymentAnswer {
    pub message: String,
    pub data: BonusPayment,
}

fn answer(locale: Locale, payment: GraduationPayoutView) -> BonusPaymentAnswer {
    let state = match payment.status {
        GraduationPayoutStatus::Pending if payment.approvals == 0 => "looked_at",
        status => status.as_str(),
    };
    let (given, needed) = (
        payment.approvals.to_string(),
        payment.approvals_needed.to_string(),
    );
    BonusPaymentAnswer {
        message: filled(locale.text("pay_bonus", state), |name| match name {
            "given" => Some(given.as_str()),
            "needed" => Some(needed.as_str()),
            _ => None,
        }),
        data: BonusPayment {
            trx_hash: payment.transaction.clone(),
            payment,
        },
    }
}

/// What paying a rank's bonus would do: how much, to which wallet. Refused for what would refuse it, but for who asks.
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), params(("id" = GraduationId, Path)), responses(
    (status = 200, body = BonusOffer), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody),
    (status = 503, body = ErrorBody)))]
#[get("/admin/graduation/pay-bonus/{id}")]
pub async fn offer_bonus(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<GraduationId>,
) -> Result<HttpResponse, Error> {
    caller.staff(protocol::Queue::GraduationBonuses.decides())?;
    let mut tx = context.db.begin().await?;
    let offer = service::offer(&context, &mut tx, id.into_inner()).await?;
    tx.rollback().await?;
    Ok(HttpResponse::Ok().json(BonusOffer {
        graduation: offer.due.id,
        user: offer.due.member,
        rank: offer.due.rank,
        value: offer.due.amount,
        address: offer.address,
        chain: offer.chain,
        payment: offer.payment,
    }))
}

/// Pays a rank's bonus in USDT over the chain, to its member's own wallet. Above the two-person limit the first call asks for it and the
/// second person's releases it. What is released the sender takes next. Called again it answers where the payment stands.
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), params(("Idempotency-Key" = String, Header)), responses(
    (status = 200, body = BonusPaymentAnswer), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[post("/admin/graduation/pay-bonus")]
pub async fn pay_bonus(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<PayBonus>,
) -> Result<HttpResponse, Error> {
    caller.staff(protocol::Queue::GraduationBonuses.decides())?;
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        let payment = service::pay(&context, tx, caller.user, body.graduation_id).await?;
        Ok(answer(headers.locale, payment))
    })
    .await
}

/// Takes a payment back until it is signed: its money returns to the fund, and it may be asked for anew.
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), params(("Idempotency-Key" = String, Header)), responses(
    (status = 200, body = BonusPaymentAnswer), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 422, body = ErrorBody)))]
#[post("/admin/graduation/reject-bonus")]
pub async fn reject_bonus(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<RejectBonus>,
) -> Result<HttpResponse, Error> {
    caller.staff(protocol::Queue::GraduationBonuses.decides())?;
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        let payment =
            service::reject(&context, tx, caller.user, body.graduation_id, body.reason.clone()).await?;
        Ok(answer(headers.locale, payment))
    })
    .await
}
