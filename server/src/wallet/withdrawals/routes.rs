//! Withdrawals over the chain over HTTP: what a customer calls.

use super::{
    links, rules,
    screen::{FILE, filter},
    service::{Crypto, Order},
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        amounts::WrittenAmount,
        context::Context,
        http::{Headers, ListParams, Page, takes},
        idempotency::{self, Key},
        listing,
    },
    identity::caller::Caller,
    payouts::{kind::Destination, lists, refuse, rules::fee_percent, service as payouts, unknown},
    wallet::chain::{Chain, Coin},
};
use actix_web::{HttpResponse, get, http::StatusCode, post, web};
use protocol::{
    ErrorCode,
    ids::{ChainWithdrawalId, UserId},
    money::{Pyx, Usdt},
    views::ChainWithdrawalView,
};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(terms)
        .service(quote)
        .service(withdraw)
        .service(confirm)
        .service(resend)
        .service(cancel)
        .service(requote)
        .service(one)
        .service(list_own)
        .service(list_individual);
}

/// How much of what, to which address.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct WithdrawalOrder {
    pub coin: Coin,
    /// With its checksum, or all lower case.
    #[schema(example = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")]
    pub address: String,
    /// USDT taken from the balance, at most 6 decimals; of PYX, so many PYX.
    pub value: WrittenAmount,
    /// The authenticator's code, where it is on.
    #[serde(default)]
    pub security_code: Option<String>,
}

/// What makes two orders the same: the code is not of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MoneyFields<'a> {
    coin: Coin,
    address: &'a str,
    value: &'a str,
}

impl WithdrawalOrder {
    fn order(&self) -> Result<Order<'_>, Error> {
        // What is no number is an invalid amount for a withdrawal as well (docs/rules/wallet.md#withdrawals).
        let value = Usdt::from_str(&self.value).map_err(|_| refuse("value", ErrorCode::WithdrawalInvalid))?;
        Ok(Order {
            coin: self.coin,
            address: &self.address,
            value,
        })
    }
}

/// What a withdrawal would cost and bring now.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WithdrawalQuote {
    pub coin: Coin,
    /// With its checksum.
    pub address: String,
    pub value: Usdt,
    pub fee: Usdt,
    pub net: Usdt,
    /// Wei that the address receives.
    pub amount: String,
    /// USDT per whole coin.
    pub rate: Usdt,
    /// As a code binds them.
    pub code_destination: String,
    pub code_amount: String,
    pub confirmations: u64,
}

/// What withdrawals cost, and in which coins they are paid.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WithdrawalTerms {
    pub coins: Vec<Coin>,
    pub minimum: Usdt,
    /// Percent, four decimals.
    pub fee_percent: String,
    pub fee_minimum: Usdt,
    /// What PYX cost that leave, in USDT; they leave whole.
    pub pyx_fee: Usdt,
    pub pyx_minimum: Pyx,
    pub link_minutes: i64,
}

/// What withdrawals cost, and in which coins they are paid here.
#[utoipa::path(tag = "wallet", operation_id = "crypto_withdrawal_terms", responses((status = 200, body = WithdrawalTerms)))]
#[get("/withdraw/terms")]
pub async fn terms(context: web::Data<Context>) -> Result<web::Json<WithdrawalTerms>, Error> {
    let in_force = context.settings.current(context.now()).await?;
    let settings = &in_force.settings;
    let chain = context.part::<Chain>();
    let offers = |coin: &Coin| chain.is_some_and(|chain| chain.contracts.offers(*coin));
    Ok(web::Json(WithdrawalTerms {
        coins: rules::COINS.into_iter().filter(offers).collect(),
        minimum: settings.withdrawal_minimum,
        fee_percent: fee_percent(settings),
        fee_minimum: settings.withdrawal_fee_minimum,
        pyx_fee: settings.pyx_withdrawal_fee,
        pyx_minimum: rules::PYX_MINIMUM,
        link_minutes: settings.withdrawal_link_minutes,
    }))
}

/// What a withdrawal would cost and bring now, with everything that would refuse it but the code; nothing moves.
#[utoipa::path(tag = "wallet", operation_id = "quote_crypto_withdrawal", request_body = WithdrawalOrder, responses(
    (status = 200, body = WithdrawalQuote), (status = 422, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[post("/withdraw/quote")]
pub async fn quote(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<WithdrawalOrder>,
) -> Result<web::Json<WithdrawalQuote>, Error> {
    let mut tx = context.db.begin().await?;
    let quote = payouts::quote::<Crypto>(&context, &mut tx, caller.user, &body.order()?).await?;
    tx.rollback().await?;
    let bound = Crypto::bound(&quote.to, quote.value, quote.parts.net, quote.amount);
    Ok(web::Json(WithdrawalQuote {
        coin: quote.to.coin,
        address: bound.destination.clone(),
        value: quote.value,
        fee: quote.parts.fee,
        net: quote.parts.net,
        amount: quote.amount.to_string(),
        rate: quote.rate,
        code_destination: bound.destination,
        code_amount: bound.amount,
        confirmations: context.part::<Chain>().map_or(0, |chain| chain.confirmations),
    }))
}

/// Asks for a withdrawal: the value is set aside until the mailed link is confirmed, staff decide, and the chain has it. `value` = fee
/// (2 %, at least 1 USDT) + what leaves; PYX leave whole, at least one, and their fee (1 USDT) comes from the balance.
#[utoipa::path(tag = "wallet", operation_id = "crypto_withdraw", params(("Idempotency-Key" = String, Header)), request_body = WithdrawalOrder, responses(
    (status = 201, body = ChainWithdrawalView), (status = 403, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 429, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[post("/withdraw")]
pub async fn withdraw(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<WithdrawalOrder>,
) -> Result<HttpResponse, Error> {
    let fields = MoneyFields {
        coin: body.coin,
        address: &body.address,
        value: &body.value,
    };
    let key = Key::from(&headers, caller.user, &fields)?;
    idempotency::run(&context.db, &key, StatusCode::CREATED, async |tx| {
        let code = body.security_code.as_deref();
        payouts::request::<Crypto>(&context, tx, caller.user, &body.order()?, code).await
    })
    .await
}

/// The mailed link's token.
#[derive(Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WithdrawalLink {
    pub token: String,
}

/// Confirms by the mailed link's button: on to the approvers. Only its owner, signed in, within its time, once.
#[utoipa::path(tag = "wallet", operation_id = "confirm_crypto_withdrawal", request_body = WithdrawalLink, responses(
    (status = 200, body = ChainWithdrawalView), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/withdraw/confirm")]
pub async fn confirm(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<WithdrawalLink>,
) -> Result<web::Json<ChainWithdrawalView>, Error> {
    let mut tx = context.db.begin().await?;
    let view = links::confirm(&context, &mut tx, caller.user, &body.token).await?;
    tx.commit().await?;
    Ok(web::Json(view))
}

/// Which withdrawal.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WithdrawalRef {
    pub id: ChainWithdrawalId,
}

/// Mails a fresh link, with its full time; the one before it is good for nothing.
#[utoipa::path(tag = "wallet", operation_id = "resend_crypto_withdrawal", request_body = WithdrawalRef, responses(
    (status = 200, body = ChainWithdrawalView), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/withdraw/resend")]
pub async fn resend(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<WithdrawalRef>,
) -> Result<web::Json<ChainWithdrawalView>, Error> {
    let mut tx = context.db.begin().await?;
    let view = links::resend(&context, &mut tx, caller.user, body.id).await?;
    tx.commit().await?;
    Ok(web::Json(view))
}

/// Takes a request back until it is approved.
#[utoipa::path(tag = "wallet", operation_id = "cancel_crypto_withdrawal", params(("Idempotency-Key" = String, Header)), request_body = WithdrawalRef, responses(
    (status = 200, body = ChainWithdrawalView), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
#[post("/withdraw/cancel")]
pub async fn cancel(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<WithdrawalRef>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        payouts::cancel::<Crypto>(&context, tx, caller.user, body.id).await
    })
    .await
}

/// The offer as its user saw it.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WithdrawalOfferTaken {
    pub id: ChainWithdrawalId,
    /// Wei.
    pub amount: WrittenAmount,
}

/// Takes the amount at the new rate: what moved by more than the tolerance since the request is confirmed anew.
#[utoipa::path(tag = "wallet", operation_id = "requote_crypto_withdrawal", params(("Idempotency-Key" = String, Header)), request_body = WithdrawalOfferTaken, responses(
    (status = 200, body = ChainWithdrawalView), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/withdraw/requote")]
pub async fn requote(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<WithdrawalOfferTaken>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        payouts::requote::<Crypto>(&context, tx, caller.user, body.id, |wei| {
            wei.to_string() == *body.amount
        })
        .await
    })
    .await
}

/// One of one's own withdrawals.
#[utoipa::path(tag = "wallet", operation_id = "crypto_withdrawal", params(("id" = String, Path)), responses(
    (status = 200, body = ChainWithdrawalView), (status = 404, body = ErrorBody)))]
#[get("/withdraw/{id}")]
pub async fn one(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
) -> Result<web::Json<ChainWithdrawalView>, Error> {
    let id: ChainWithdrawalId = id.parse().map_err(|_| unknown())?;
    Ok(web::Json(
        payouts::own::<Crypto>(&context, caller.user, id).await?,
    ))
}

const OWN_SORT: &[&str] = &["created_at", "usdt", "fee", "net", "coin", "status"];

/// One's own withdrawals over the chain, newest first. Sorts by created_at, usdt, fee, net, coin or status.
#[utoipa::path(tag = "wallet", operation_id = "list_crypto_withdrawals", params(takes::Pages, takes::AsOf, takes::Sorting, takes::Search, takes::Status, takes::Function, takes::Days, takes::OfCoin, takes::Format), responses(
    (status = 200, content((Page<ChainWithdrawalView> = "application/json"), (String = "text/csv"))), (status = 422, body = ErrorBody)))]
#[get("/list-withdraws")]
pub async fn list_own(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<HttpResponse, Error> {
    let (filter, sort) = (filter(&params)?, params.sort_key(OWN_SORT)?);
    let read = lists::reader(&context, caller.own(), filter, sort);
    listing::answer_growing(&context, caller.user, &params, 10, FILE, |w| w.created_at, read).await
}

/// Whose, for staff.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WithdrawalsOf {
    #[serde(default, rename = "userId")]
    #[param(value_type = Option<String>)]
    pub user_id: Option<UserId>,
}

/// One's own withdrawals by coin; staff who decide name a customer by `userId`.
#[utoipa::path(tag = "wallet", operation_id = "individual_crypto_withdrawals", params(takes::Pages, takes::AsOf, takes::Sorting, takes::Search, takes::Status, takes::Function, takes::Days, takes::OfCoin, takes::Format, WithdrawalsOf), responses(
    (status = 200, content((Page<ChainWithdrawalView> = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody), (status = 429, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/financial/individual-crypto-withdrawal-list")]
pub async fn list_individual(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
    of: web::Query<WithdrawalsOf>,
) -> Result<HttpResponse, Error> {
    let mut filter = filter(&params)?;
    let scope = match of.user_id {
        None => caller.own(),
        Some(user) if user == caller.user => caller.own(),
        Some(user) => {
            filter.owner = Some(user);
            caller.staff(protocol::Queue::CryptoWithdrawals.decides())?
        }
    };
    let read = lists::reader(&context, scope, filter, params.sort_key(OWN_SORT)?);
    listing::answer_growing(&context, caller.user, &params, 10, FILE, |w| w.created_at, read).await
}
