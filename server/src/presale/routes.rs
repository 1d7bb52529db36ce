//! The pre-sale over HTTP.

use super::{
    service::{self, PresaleClaim, PresaleHoldings, PresalePurchaseView, PresaleRounds},
    staff,
    store::{StaffRow, Terms},
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        amounts::WrittenAmount,
        context::Context,
        http::{Headers, ListParams, Page, takes},
        idempotency::{self, Key},
    },
    identity::caller::Caller,
};
use actix_web::{HttpResponse, get, http::StatusCode, patch, post, web};
use protocol::{
    ErrorCode, Permission,
    ids::{PresaleRoundId, UserId},
    money::{Pyx, Usdt},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(rounds)
        .service(holdings)
        .service(buy)
        .service(claim)
        .service(staff_rounds)
        .service(propose)
        .service(change)
        .service(agree)
        .service(withdraw)
        .configure(super::market::routes::configure);
}

/// The running, the next and the past rounds, with one's own part in them.
#[utoipa::path(tag = "presale", security(("bearer" = [])), responses((status = 200, body = PresaleRounds)))]
#[get("/presale/rounds")]
pub async fn rounds(context: web::Data<Context>, caller: Caller) -> Result<web::Json<PresaleRounds>, Error> {
    Ok(web::Json(service::rounds(&context, caller.user).await?))
}

/// One's own PYX: free, locked and held, what a claim frees now, the schedules of what is locked.
#[utoipa::path(tag = "presale", security(("bearer" = [])), responses((status = 200, body = PresaleHoldings)))]
#[get("/presale/holdings")]
pub async fn holdings(
    context: web::Data<Context>,
    caller: Caller,
) -> Result<web::Json<PresaleHoldings>, Error> {
    Ok(web::Json(service::holdings(&context, caller.user).await?))
}

/// A purchase in a round.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PresaleOrder {
    pub round: PresaleRoundId,
    /// USDT of `available`; what it buys is floored to 10⁻⁶ PYX.
    pub value: WrittenAmount,
}

/// Buys PYX in the running round. It is locked until its days come.
#[utoipa::path(
    tag = "presale", security(("bearer" = [])),
    params(("Idempotency-Key" = String, Header)),
    responses((status = 201, body = PresalePurchaseView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody))
)]
#[post("/presale/buy")]
pub async fn buy(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<PresaleOrder>,
) -> Result<HttpResponse, Error> {
    let value: Usdt = body
        .value
        .parse()
        .map_err(|_| Error::code(ErrorCode::AmountInvalid).field("value", ErrorCode::AmountInvalid))?;
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::CREATED, async |tx| {
        service::buy(&context, tx, caller.user, body.round, value).await
    })
    .await
}

/// Nothing to say but the wish.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PresaleClaimOrder {}

/// Frees all PYX that is due today. A second claim of the day gives the first one again.
#[utoipa::path(
    tag = "presale", security(("bearer" = [])),
    params(("Idempotency-Key" = String, Header)),
    responses((status = 200, body = PresaleClaim), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody))
)]
#[post("/presale/claim")]
pub async fn claim(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<PresaleClaimOrder>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        service::claim(&context, tx, caller.user).await
    })
    .await
}

/// A round as those see it who decide.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PresaleRoundRow {
    #[serde(rename = "_id")]
    pub id: PresaleRoundId,
    pub number: i32,
    /// `proposed`, `agreed`, `withdrawn`.
    pub status: String,
    pub price: Usdt,
    pub supply: Pyx,
    pub sold: Pyx,
    pub raised: Usdt,
    pub cap: Pyx,
    #[serde(with = "time::serde::rfc3339")]
    pub starts_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    pub ends_at: OffsetDateTime,
    pub cliff_days: i32,
    pub vesting_days: i32,
    /// Counts the terms that were proposed; whoever agrees names it.
    pub revision: i32,
    pub buyers: i64,
    pub proposed_by: UserId,
    pub proposed_name: String,
    pub agreed_name: Option<String>,
    /// Its terms can still be changed.
    pub editable: bool,
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

impl PresaleRoundRow {
    fn new(row: StaffRow, now: OffsetDateTime) -> Self {
        let StaffRow { round, .. } = row;
        Self {
            id: round.id(),
            editable: round.status != "withdrawn" && !round.begun(now),
            number: round.number,
            price: Usdt(round.price),
            supply: Pyx(round.supply),
            sold: Pyx(round.sold),
            raised: Usdt(round.raised),
            cap: Pyx(round.cap),
            starts_at: round.starts_at,
            ends_at: round.ends_at,
            cliff_days: round.cliff_days,
            vesting_days: round.vesting_days,
            revision: round.revision,
            status: round.status,
            buyers: row.buyers,
            proposed_by: row.proposed_by,
            proposed_name: row.proposed_name,
            agreed_name: row.agreed_name,
            created_at: row.created_at,
        }
    }
}

async fn page(context: &Context, params: &ListParams) -> Result<Page<PresaleRoundRow>, Error> {
    params.one_order()?;
    let paging = params.paging(10)?;
    let now = context.now();
    let (rows, total) = staff::list(context, &paging).await?;
    let rows = rows.into_iter().map(|r| PresaleRoundRow::new(r, now)).collect();
    Ok(Page::new(rows, &paging, total))
}

/// Rounds: those that wait for a second person first, then the latest.
#[utoipa::path(tag = "presale", security(("bearer" = [])), params(takes::Pages, takes::Sorting), responses((status = 200, body = Page<PresaleRoundRow>), (status = 403, body = ErrorBody)))]
#[get("/admin/presale/rounds")]
pub async fn staff_rounds(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<web::Json<Page<PresaleRoundRow>>, Error> {
    caller.staff(protocol::Queue::Rounds.permission())?;
    Ok(web::Json(page(&context, &params).await?))
}

/// A round's terms.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PresaleTerms {
    /// USDT of a whole PYX.
    pub price: WrittenAmount,
    /// PYX on sale.
    pub supply: WrittenAmount,
    /// The most PYX of one person.
    pub cap: WrittenAmount,
    #[serde(with = "time::serde::rfc3339")]
    pub starts_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    pub ends_at: OffsetDateTime,
    pub cliff_days: i32,
    pub vesting_days: i32,
}

impl PresaleTerms {
    fn read(&self) -> Result<Terms, Error> {
        let invalid = |field: &'static str| {
            Error::code(ErrorCode::AmountInvalid).field(field, ErrorCode::AmountInvalid)
        };
        Ok(Terms {
            price: self.price.parse().map_err(|_| invalid("price"))?,
            supply: self.supply.parse().map_err(|_| invalid("supply"))?,
            cap: self.cap.parse().map_err(|_| invalid("cap"))?,
            starts_at: self.starts_at,
            ends_at: self.ends_at,
            cliff_days: self.cliff_days,
            vesting_days: self.vesting_days,
        })
    }
}

/// A round by its id.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PresaleRoundRef {
    #[serde(rename = "_id")]
    pub id: PresaleRoundId,
}

fn round_id(text: &str) -> Result<PresaleRoundId, Error> {
    text.parse()
        .map_err(|_| Error::code(ErrorCode::PresaleRoundUnknown))
}

/// Proposes a round; it sells once a second person agrees.
#[utoipa::path(
    tag = "presale", security(("bearer" = [])),
    params(("Idempotency-Key" = String, Header)),
    responses((status = 201, body = PresaleRoundRef), (status = 403, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody))
)]
#[post("/admin/presale/rounds")]
pub async fn propose(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<PresaleTerms>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let terms = body.read()?;
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::CREATED, async |tx| {
        let id = staff::propose(&context, tx, caller.user, &terms).await?;
        Ok(PresaleRoundRef { id })
    })
    .await
}

/// Other terms for a round that has not begun; they need a second person anew.
#[utoipa::path(
    tag = "presale", security(("bearer" = [])),
    params(("id" = String, Path)),
    responses((status = 200, body = PresaleRoundRef), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody))
)]
#[patch("/admin/presale/rounds/{id}")]
pub async fn change(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
    body: web::Json<PresaleTerms>,
) -> Result<web::Json<PresaleRoundRef>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let id = round_id(&id)?;
    let terms = body.read()?;
    let mut tx = context.db.begin().await?;
    staff::change(&context, &mut tx, caller.user, id, &terms).await?;
    tx.commit().await?;
    Ok(web::Json(PresaleRoundRef { id }))
}

/// To which terms somebody agrees.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PresaleAgreement {
    /// That of the terms that were seen.
    pub revision: i32,
}

/// The second person's agreement to the terms that they have seen.
#[utoipa::path(
    tag = "presale", security(("bearer" = [])),
    params(("id" = String, Path)),
    responses((status = 200, body = PresaleRoundRef), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody))
)]
#[post("/admin/presale/rounds/{id}/agree")]
pub async fn agree(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
    body: web::Json<PresaleAgreement>,
) -> Result<web::Json<PresaleRoundRef>, Error> {
    caller.staff(protocol::Queue::Rounds.decides())?;
    let id = round_id(&id)?;
    let mut tx = context.db.begin().await?;
    staff::agree(&context, &mut tx, caller.user, id, body.revision).await?;
    tx.commit().await?;
    Ok(web::Json(PresaleRoundRef { id }))
}

/// Takes a round back that has not begun.
#[utoipa::path(
    tag = "presale", security(("bearer" = [])),
    params(("id" = String, Path)),
    responses((status = 200, body = PresaleRoundRef), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody))
)]
#[post("/admin/presale/rounds/{id}/withdraw")]
pub async fn withdraw(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
) -> Result<web::Json<PresaleRoundRef>, Error> {
    caller.staff(protocol::Queue::Rounds.decides())?;
    let id = round_id(&id)?;
    let mut tx = context.db.begin().await?;
    staff::withdraw(&mut tx, caller.user, id).await?;
    tx.commit().await?;
    Ok(web::Json(PresaleRoundRef { id }))
}
