//! Withdrawals by PIX over HTTP: what those who decide call.

use super::{
    holder,
    payment::{self, Evidence},
    routes::{PixKeyHolder, withdrawal_id},
    screen::{FILE, filter},
    service::{Pix, Word},
    store::Shown,
};
use crate::{
    approvals::compliance::service::CaseNote,
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        files::{self, Purpose},
        http::{Headers, ListParams, Meta, Paging, takes},
        idempotency::{self, Key},
        listing::DaysReport,
    },
    identity::caller::Caller,
    payouts::{
        decisions::{self, Decision},
        lists::{self, Beside, Desk},
        service as payouts,
    },
    pix::keys::HolderMatch,
};
use actix_multipart::Multipart;
use actix_web::{HttpResponse, delete, get, http::StatusCode, patch, post, web};
use protocol::{
    ErrorCode, Permission,
    ids::{PixWithdrawalId, UserId},
    money::Brl,
    views::PixWithdrawalView,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(list_queue)
        .service(report)
        .service(decide)
        .service(reveal)
        .service(paid)
        .service(receipt)
        .service(drop_holder);
}

/// What an approver should look at twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PixWithdrawalSignal {
    /// The compliance rules want a person to look.
    Review,
    /// The key is another person's document.
    HolderDiffers,
    /// A phone, e-mail or EVP: whose it is stands at the bank.
    HolderUnknown,
    /// Another account asked for money to the same key.
    KeyShared,
    /// Another account has the same document.
    DocumentShared,
    /// Nothing was ever paid to this key.
    NewKey,
    /// Nothing was ever paid to this customer.
    FirstWithdrawal,
    /// A PIX deposit was credited within the 24 h before.
    FreshDeposit,
    /// Member for less than three days.
    NewAccount,
    /// Three or more withdrawals within 24 h.
    ManyWithdrawals,
    /// Two persons must approve.
    LargeAmount,
}

/// A withdrawal as those who decide see it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PixWithdrawalRow {
    #[serde(flatten)]
    pub withdrawal: PixWithdrawalView,
    pub full_name: String,
    pub email: String,
    #[serde(with = "time::serde::rfc3339")]
    pub member_since: OffsetDateTime,
    /// The holder's document, masked.
    pub document: Option<String>,
    pub holder: PixKeyHolder,
    pub paid_before: i64,
    pub signals: Vec<PixWithdrawalSignal>,
    /// What the compliance rules want looked at; it is decided with the withdrawal.
    pub case: Option<CaseNote>,
}

impl PixWithdrawalRow {
    fn new(row: &Shown, Beside { case, two }: Beside) -> Result<Self, Error> {
        use PixWithdrawalSignal as S;
        let line = &row.line;
        let holder = HolderMatch::parse(&row.holder_match)
            .ok_or_else(|| Error::internal("an unknown relation to the holder"))?;
        let signals = [
            (line.review, S::Review),
            (holder == HolderMatch::Differs, S::HolderDiffers),
            (holder == HolderMatch::Unknown, S::HolderUnknown),
            (row.key_shared, S::KeyShared),
            (row.document_shared, S::DocumentShared),
            (!row.key_known, S::NewKey),
            (line.is_first(), S::FirstWithdrawal),
            (row.fresh_deposit, S::FreshDeposit),
            (line.is_of_new_account(), S::NewAccount),
            (line.is_of_many(), S::ManyWithdrawals),
            (two, S::LargeAmount),
        ]
        .into_iter()
        .filter_map(|(is, signal)| is.then_some(signal))
        .collect();
        let mut withdrawal = row.view()?;
        if two {
            // Before the first approval only the question knows it; the row says what it would be told.
            withdrawal.approvals_needed = withdrawal.approvals_needed.max(2);
        }
        Ok(Self {
            withdrawal,
            full_name: line.full_name.clone(),
            email: line.email.clone(),
            member_since: line.member_since,
            document: row.document_masked.clone(),
            holder: holder.into(),
            paid_before: line.paid_before,
            signals,
            case,
        })
    }
}

/// The approvers' list with the queue's length and age.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PixWithdrawalPage {
    pub data: Vec<PixWithdrawalRow>,
    pub meta: Meta,
    /// How many wait for a decision or their payment, whatever the filters.
    pub pending: i64,
    /// Since when the oldest of them waits.
    #[serde(with = "time::serde::rfc3339::option")]
    pub oldest: Option<OffsetDateTime>,
}

const QUEUE_SORT: &[&str] = &[
    "created_at",
    "waiting_since",
    "usdt",
    "fee",
    "brl",
    "status",
    "username",
];

/// All withdrawals for those who decide. Sorts by created_at, waiting_since, usdt, fee, brl, status or username; `status` also takes
/// `paid` and `to_pay`.
#[utoipa::path(tag = "pix", params(takes::Pages, takes::AsOf, takes::Sorting, takes::Search, takes::Status, takes::Function, takes::Days, takes::Format), responses((status = 200, content((PixWithdrawalPage = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[get("/admin/list-withdraw-pix-approve-reject")]
pub async fn list_queue(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<HttpResponse, Error> {
    let scope = caller.staff(protocol::Queue::PixWithdrawals.permission())?;
    let paging: Paging = params.paging(10)?;
    let (filter, sort) = (filter(&params)?, params.sort_key(QUEUE_SORT)?);
    if params.file()? {
        let read = lists::reader(&context, scope, filter, sort);
        return FILE.respond(&context, caller.user, &paging, read).await;
    }
    let Desk {
        data,
        meta,
        pending,
        oldest,
    } = lists::desk(
        &context,
        scope,
        caller.user,
        &filter,
        &paging,
        sort,
        PixWithdrawalRow::new,
    )
    .await?;
    Ok(HttpResponse::Ok().json(PixWithdrawalPage {
        data,
        meta,
        pending,
        oldest,
    }))
}

/// What was paid by PIX, in USDT and without fees, by the day on which it was asked for. Filters as the list of all withdrawals.
#[utoipa::path(tag = "pix", operation_id = "pix_withdrawals_report", params(takes::Search, takes::Status, takes::Function, takes::Days), responses(
    (status = 200, body = DaysReport), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/pix-withdrawals-report")]
pub async fn report(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<web::Json<DaysReport>, Error> {
    let scope = caller.staff(protocol::Queue::PixWithdrawals.permission())?;
    Ok(web::Json(
        payouts::paid(&context, scope, &filter(&params)?).await?,
    ))
}

/// Which way a decision goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PixWithdrawalVerdict {
    Approved,
    Rejected,
}

/// A decision on one withdrawal.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PixWithdrawalDecision {
    pub id: PixWithdrawalId,
    pub status: PixWithdrawalVerdict,
    /// Needed to reject.
    #[serde(default)]
    pub reason: Option<String>,
    /// Needed to approve where the key is not the holder's own document.
    #[serde(default)]
    pub holder_checked: bool,
    /// The bank's id, when the last approval records the payment as well.
    #[serde(default)]
    pub end_to_end_id: Option<String>,
    /// Needed to approve: what is paid out, as it was seen. A rate that its owner took meanwhile makes it another sum.
    #[serde(default)]
    pub brl: Option<Brl>,
}

impl PixWithdrawalDecision {
    fn seen(&self) -> Result<Brl, Error> {
        self.brl
            .ok_or_else(|| Error::code(ErrorCode::RequestInvalid).field("brl", ErrorCode::RequestInvalid))
    }
}

/// Approves or rejects. Above the two-person limit the first approval leaves it pending with one of two. A rate that moved by more
/// than the tolerance since the request approves nothing: its user is asked. What was approved is paid with its EndToEndId or receipt.
#[utoipa::path(tag = "pix", params(("Idempotency-Key" = String, Header)), responses(
    (status = 200, body = PixWithdrawalView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
    (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[patch("/admin/withdraw-pix-approve-reject")]
pub async fn decide(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<PixWithdrawalDecision>,
) -> Result<HttpResponse, Error> {
    caller.staff(protocol::Queue::PixWithdrawals.decides())?;
    let key = Key::from(&headers, caller.user, &*body)?;
    let decision = match body.status {
        PixWithdrawalVerdict::Rejected => Decision::Reject(body.reason.clone().unwrap_or_default()),
        PixWithdrawalVerdict::Approved => {
            let word = Word {
                holder_checked: body.holder_checked,
                end_to_end_id: body.end_to_end_id.clone().filter(|id| !id.is_empty()),
            };
            Decision::Approve(word, Some(body.seen()?))
        }
    };
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        decisions::decide::<Pix>(&context, tx, caller.user, body.id, decision).await
    })
    .await
}

/// The whole key.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PixKeyAnswer {
    /// As people read it.
    pub key: String,
    /// As the bank's form takes it.
    pub plain: String,
}

/// The whole key of a withdrawal that is yet to be decided or paid. Every look is on record.
#[utoipa::path(tag = "pix", params(("id" = String, Path)), responses(
    (status = 200, body = PixKeyAnswer), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
#[post("/admin/withdraw-pix/{id}/key")]
pub async fn reveal(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
) -> Result<web::Json<PixKeyAnswer>, Error> {
    caller.staff(protocol::Queue::PixWithdrawals.decides())?;
    let mut tx = context.db.begin().await?;
    let key = payment::reveal_key(&context, &mut tx, caller.user, withdrawal_id(&id)?).await?;
    tx.commit().await?;
    Ok(web::Json(PixKeyAnswer {
        key: key.written(),
        plain: key.expose().to_owned(),
    }))
}

/// The bank's id of the payment, 32 characters.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PixPaid {
    pub end_to_end_id: String,
}

/// Records the payment of what was approved by the bank's id: the money leaves the books.
#[utoipa::path(tag = "pix", params(("id" = String, Path), ("Idempotency-Key" = String, Header)), responses(
    (status = 200, body = PixWithdrawalView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
    (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/admin/withdraw-pix/{id}/paid")]
pub async fn paid(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    id: web::Path<String>,
    body: web::Json<PixPaid>,
) -> Result<HttpResponse, Error> {
    caller.staff(protocol::Queue::PixWithdrawals.decides())?;
    let id = withdrawal_id(&id)?;
    let key = Key::from(&headers, caller.user, &(id, &*body))?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        let evidence = Evidence::EndToEndId(body.into_inner().end_to_end_id);
        payment::pay(&context, tx, caller.user, id, evidence).await
    })
    .await
}

/// A receipt as multipart field `file`.
#[derive(utoipa::ToSchema)]
#[allow(dead_code)] // describes the form to the document
pub struct PixReceiptForm {
    #[schema(value_type = String, format = Binary)]
    pub file: Vec<u8>,
}

/// Records the payment of what was approved by its receipt: PNG, JPEG or PDF, at most 8 MB.
#[utoipa::path(tag = "pix", params(("id" = String, Path), ("Idempotency-Key" = String, Header)),
    request_body(content = PixReceiptForm, content_type = "multipart/form-data"), responses(
    (status = 200, body = PixWithdrawalView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 413, body = ErrorBody), (status = 415, body = ErrorBody), (status = 422, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[post("/admin/withdraw-pix/{id}/receipt")]
pub async fn receipt(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    id: web::Path<String>,
    payload: Multipart,
) -> Result<HttpResponse, Error> {
    caller.staff(protocol::Queue::PixWithdrawals.decides())?;
    let id = withdrawal_id(&id)?;
    let key = Key::from(&headers, caller.user, &id)?;
    if let Some(first) = idempotency::answered(&context.db, &key).await? {
        return Ok(first);
    }
    let mut tx = context.db.begin().await?;
    payment::payable(&mut tx, caller.user, id).await?;
    // Nothing is held while the body comes in: that takes as long as the sender likes.
    tx.rollback().await?;
    let received = files::receive(&context, caller.user, payload, Purpose::PixPayment).await?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        let evidence = Evidence::Receipt(received);
        payment::pay(&context, tx, caller.user, id, evidence).await
    })
    .await
}

/// Why a document is taken off.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PixHolderRemoval {
    pub reason: String,
}

/// Takes a wrong document off a customer's account; outgoing money rests a day.
#[utoipa::path(tag = "pix", params(("userId" = String, Path)), request_body = PixHolderRemoval, responses(
    (status = 204), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[delete("/admin/pix/holder/{userId}")]
pub async fn drop_holder(
    context: web::Data<Context>,
    caller: Caller,
    user: web::Path<String>,
    body: web::Json<PixHolderRemoval>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let user: UserId = user
        .parse()
        .map_err(|_| Error::code(ErrorCode::RequestNotFound))?;
    holder::remove(&context, caller.user, user, &body.reason).await?;
    Ok(HttpResponse::NoContent().finish())
}
