//! PIX over HTTP.

use super::{
    rate::{self, RateSource},
    service::{self, Asked, Decision, Statement},
    store::{Filter, For, Shown},
};
use crate::{
    approvals::{
        compliance::service::{self as compliance, CaseNote},
        foresight::{self, Waits},
        rules::Kind,
    },
    error::{Error, ErrorBody},
    foundation::{
        amounts::WrittenAmount,
        context::Context,
        files::{self, Purpose},
        http::{Headers, ListParams, Meta, Page, Paging, given, named, takes},
        idempotency::{self, Key},
        listing::{self, File},
        sheet::Cell,
    },
    identity::caller::{Caller, Scope},
    payouts::rules as payouts,
};
use actix_multipart::Multipart;
use actix_web::{HttpResponse, get, http::StatusCode, patch, post, web};
use protocol::{
    ErrorCode, Permission,
    ids::{PixDepositId, UserId},
    money::{AmountError, Brl, Usdt},
    views::PixDepositView,
};
use serde::{Deserialize, Serialize};
use std::{collections::HashSet, str::FromStr};
use time::OffsetDateTime;
use uuid::Uuid;

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(current_rate)
        .service(create)
        .service(proof)
        .service(cancel)
        .service(list_own)
        .service(list_queue)
        .service(super::report::report)
        .service(decide)
        .service(reverse);
    super::withdrawals::routes::configure(cfg);
    super::withdrawals::admin::configure(cfg);
    super::statements::routes::configure(cfg);
}

/// The rate that a deposit made now would lock.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PixRate {
    /// BRL per USDT, four decimals.
    pub rate: String,
    pub source: RateSource,
    /// When the service said so; none for the default.
    #[serde(with = "time::serde::rfc3339::option")]
    pub at: Option<OffsetDateTime>,
    /// For how many minutes a deposit keeps it.
    pub locked_minutes: i64,
    pub minimum: Usdt,
    pub maximum: Usdt,
    pub withdrawal: PixWithdrawalTerms,
}

/// What a withdrawal costs.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PixWithdrawalTerms {
    pub minimum: Usdt,
    /// Percent, four decimals.
    pub fee_percent: String,
    pub fee_minimum: Usdt,
}

/// BRL per USDT now, with its age and the bounds of a deposit.
#[utoipa::path(tag = "pix", responses((status = 200, body = PixRate), (status = 503, body = ErrorBody)))]
#[get("/pix/rate")]
pub async fn current_rate(context: web::Data<Context>) -> Result<web::Json<PixRate>, Error> {
    let current = rate::current(&context).await?;
    let settings = context.settings.current(context.now()).await?;
    Ok(web::Json(PixRate {
        rate: current.rate.to_string(),
        source: current.source,
        at: current.at,
        locked_minutes: settings.settings.pix_rate_locked_minutes,
        minimum: settings.settings.pix_minimum,
        maximum: settings.settings.pix_maximum,
        withdrawal: PixWithdrawalTerms {
            minimum: settings.settings.withdrawal_minimum,
            fee_percent: payouts::fee_percent(&settings.settings),
            fee_minimum: settings.settings.withdrawal_fee_minimum,
        },
    }))
}

/// Exactly one of the two values, as a decimal string.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPixDeposit {
    /// USDT to be credited, at most 6 decimals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usdt: Option<WrittenAmount>,
    /// BRL to be paid, at most 2 decimals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brl: Option<WrittenAmount>,
}

/// Reads an amount so that a refusal names its field.
fn amount<T: FromStr<Err = AmountError>>(field: &str, text: &str) -> Result<T, Error> {
    text.parse()
        .map_err(|_| Error::code(ErrorCode::AmountInvalid).field(field, ErrorCode::AmountInvalid))
}

impl NewPixDeposit {
    fn asked(&self) -> Result<Asked, Error> {
        match (&self.usdt, &self.brl) {
            (Some(usdt), None) => amount("usdt", usdt).map(Asked::Usdt),
            (None, Some(brl)) => amount("brl", brl).map(Asked::Brl),
            _ => Err(Error::code(ErrorCode::AmountInvalid).field("usdt", ErrorCode::AmountInvalid)),
        }
    }
}

/// Opens a deposit by PIX: the rate is locked and the BR Code written.
#[utoipa::path(
    tag = "pix",
    params(("Idempotency-Key" = String, Header)),
    responses((status = 201, body = PixDepositView), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 503, body = ErrorBody))
)]
#[post("/deposit-pix")]
pub async fn create(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<NewPixDeposit>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::CREATED, async |tx| {
        service::create(&context, tx, caller.user, body.asked()?).await
    })
    .await
}

fn deposit_id(text: &str) -> Result<PixDepositId, Error> {
    text.parse().map_err(|_| Error::code(ErrorCode::RequestNotFound))
}

/// A proof as multipart field `file`.
#[derive(utoipa::ToSchema)]
#[allow(dead_code)] // describes the form to the document
pub struct PixProofForm {
    #[schema(value_type = String, format = Binary)]
    pub file: Vec<u8>,
}

/// The proof of the transfer: PNG, JPEG or PDF, at most 8 MB. A later one replaces an earlier one until the decision.
#[utoipa::path(
    tag = "pix",
    params(("id" = String, Path)),
    request_body(content = PixProofForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, body = PixDepositView), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
        (status = 413, body = ErrorBody), (status = 415, body = ErrorBody), (status = 422, body = ErrorBody), (status = 503, body = ErrorBody),
    )
)]
#[post("/deposit-pix/{id}/proof")]
pub async fn proof(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
    payload: Multipart,
) -> Result<web::Json<PixDepositView>, Error> {
    let id = deposit_id(&id)?;
    let mut tx = context.db.begin().await?;
    service::expects_proof(&mut tx, caller.user, id).await?;
    // Nothing is held while the body comes in: that takes as long as the sender likes.
    tx.rollback().await?;
    let received = files::receive(&context, caller.user, payload, Purpose::PixProof).await?;
    let mut tx = context.db.begin().await?;
    let view = service::add_proof(&context, &mut tx, caller.user, id, received).await?;
    tx.commit().await?;
    Ok(web::Json(view))
}

/// Withdraws a deposit for which no proof was sent.
#[utoipa::path(
    tag = "pix",
    // Its own name in the document: licences have a `cancel` too.
    operation_id = "cancel_pix_deposit",
    params(("id" = String, Path)),
    responses((status = 200, body = PixDepositView), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody))
)]
#[post("/deposit-pix/{id}/cancel")]
pub async fn cancel(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
) -> Result<web::Json<PixDepositView>, Error> {
    let mut tx = context.db.begin().await?;
    let view = service::cancel(&mut tx, caller.user, deposit_id(&id)?).await?;
    tx.commit().await?;
    Ok(web::Json(view))
}

const OWN_SORT: &[&str] = &["created_at", "usdt", "brl", "status"];
const QUEUE_SORT: &[&str] = &["created_at", "waiting_since", "usdt", "brl", "status", "username"];

pub(super) fn filter(params: &ListParams) -> Result<Filter, Error> {
    let (from, until) = params.days()?;
    let status = named("status", params.status.as_deref(), |s| s.parse().ok())?;
    let search = params.searched();
    let function = params.role()?;
    Ok(Filter {
        status,
        search,
        function,
        from,
        until,
    })
}

/// One's own deposits, newest first. Sorts by created_at, usdt, brl or status.
#[utoipa::path(tag = "pix", params(takes::Pages, takes::AsOf, takes::Sorting, takes::Search, takes::Status, takes::Function, takes::Days, takes::Format), responses((status = 200, content((Page<PixDepositView> = "application/json"), (String = "text/csv"))), (status = 422, body = ErrorBody)))]
#[get("/list-deposits-pix")]
pub async fn list_own(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<HttpResponse, Error> {
    let (filter, sort) = (filter(&params)?, params.sort_key(OWN_SORT)?);
    let whom = if caller.seen_by.is_some() {
        For::Look
    } else {
        For::Owner
    };
    let read = reader(&context, caller.own(), filter, sort, whom);
    listing::answer_growing(&context, caller.user, &params, 10, FILE, |d| d.created_at, read).await
}

fn reader(
    context: &Context,
    scope: Scope,
    filter: Filter,
    sort: &'static str,
    whom: For,
) -> impl AsyncFn(Paging) -> Result<(Vec<PixDepositView>, i64), Error> + use<> {
    let context = context.clone();
    async move |paging: Paging| {
        let (rows, total) = service::list(&context, scope, &filter, &paging, sort).await?;
        Ok((
            rows.iter().map(|r| r.view(whom)).collect::<Result<_, _>>()?,
            total,
        ))
    }
}

const FILE: File<PixDepositView> = File {
    name: "pix-deposits",
    columns: &[
        ("date", |d, _| Cell::moment(d.created_at)),
        ("user", |d, _| Cell::from(&*d.username)),
        ("usdt", |d, _| Cell::number(Some(d.credited.unwrap_or(d.usdt)))),
        ("brl", |d, _| Cell::number(Some(d.brl_received.unwrap_or(d.brl)))),
        ("reference", |d, _| Cell::from(&*d.txid)),
        ("status", |d, locale| {
            Cell::word(locale, if d.reversed { "reversed" } else { d.status.as_str() })
        }),
        ("reason", |d, _| Cell::maybe(d.reason.as_deref())),
    ],
};

/// What a first approver read off the statement.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PixClaim {
    pub end_to_end_id: String,
    pub payer_name: String,
    pub brl: Brl,
    /// What it credits.
    pub usdt: Usdt,
    /// Who read it.
    pub by: String,
}

/// What an approver should look at twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PixSignal {
    /// The proof's bytes or pixels were sent for another deposit.
    ProofSeenBefore,
    /// Nothing of this customer was ever approved.
    FirstDeposit,
    /// Member for less than three days.
    NewAccount,
    /// Three or more deposits within 24 h.
    ManyDeposits,
    /// The proof came after the rate's lock had ended.
    AfterLock,
    /// The bank's statement brought it here; the customer sent no proof.
    NoProof,
    /// Two persons must approve.
    LargeAmount,
}

/// A deposit as those who decide see it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PixQueueRow {
    #[serde(flatten)]
    pub deposit: PixDepositView,
    pub full_name: String,
    pub email: String,
    #[serde(with = "time::serde::rfc3339")]
    pub member_since: OffsetDateTime,
    pub approved_before: i64,
    pub signals: Vec<PixSignal>,
    pub claim: Option<PixClaim>,
    /// What the bank's statement says of it, once it was compared.
    pub statement: Option<PixStatementClaim>,
    /// What the compliance rules want looked at; it is approved once this is cleared.
    pub case: Option<CaseNote>,
}

/// A statement's line about a deposit.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PixStatementClaim {
    pub end_to_end_id: Option<String>,
    pub payer_name: Option<String>,
    pub brl: Brl,
}

impl PixQueueRow {
    fn new(row: &Shown, two: &HashSet<Uuid>) -> Result<Self, Error> {
        let mut deposit = row.view(For::Staff)?;
        let by_two = deposit.approvals_needed > 1 || two.contains(&deposit.id.0);
        if by_two {
            deposit.approvals_needed = deposit.approvals_needed.max(2);
        }
        let young = deposit.created_at - row.member_since < time::Duration::days(3);
        let late = deposit
            .waiting_since
            .is_some_and(|at| at > deposit.rate_locked_until);
        let signals = [
            (row.proof_seen_before, PixSignal::ProofSeenBefore),
            (row.approved_before == 0, PixSignal::FirstDeposit),
            (young, PixSignal::NewAccount),
            (row.day_before >= 2, PixSignal::ManyDeposits),
            (late, PixSignal::AfterLock),
            (
                row.line_brl.is_some() && deposit.proof.is_none(),
                PixSignal::NoProof,
            ),
            (by_two, PixSignal::LargeAmount),
        ]
        .into_iter()
        .filter_map(|(is, signal)| is.then_some(signal))
        .collect();
        let claim = match (
            &row.claim_id,
            &row.claim_payer,
            row.claim_brl,
            row.claim_usdt,
            &row.claim_by,
        ) {
            (Some(id), Some(payer), Some(brl), Some(usdt), Some(by)) => Some(PixClaim {
                end_to_end_id: id.clone(),
                payer_name: payer.clone(),
                brl: Brl(brl),
                usdt: Usdt(usdt),
                by: by.clone(),
            }),
            _ => None,
        };
        Ok(Self {
            deposit,
            full_name: row.full_name.clone(),
            email: row.email.clone(),
            member_since: row.member_since,
            approved_before: row.approved_before,
            signals,
            claim,
            case: None,
            statement: row.line_brl.map(|brl| PixStatementClaim {
                end_to_end_id: row.line_id.clone(),
                payer_name: row.line_payer.clone(),
                brl: Brl(brl),
            }),
        })
    }
}

/// The approvers' list with the queue's length and age.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PixQueuePage {
    pub data: Vec<PixQueueRow>,
    pub meta: Meta,
    /// How many wait for a decision, whatever the filters.
    pub pending: i64,
    /// Since when the oldest of them waits.
    #[serde(with = "time::serde::rfc3339::option")]
    pub oldest: Option<OffsetDateTime>,
}

/// All deposits for those who decide. Sorts by created_at, waiting_since, usdt, brl, status or username.
#[utoipa::path(tag = "pix", params(takes::Pages, takes::AsOf, takes::Sorting, takes::Search, takes::Status, takes::Function, takes::Days, takes::Format), responses((status = 200, content((PixQueuePage = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[get("/admin/list-deposits-pix-approve-reject")]
pub async fn list_queue(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<HttpResponse, Error> {
    let scope = caller.staff(protocol::Queue::PixDeposits.permission())?;
    let paging: Paging = params.paging(10)?;
    if params.file()? {
        let (filter, sort) = (filter(&params)?, params.sort_key(QUEUE_SORT)?);
        let read = reader(&context, scope, filter, sort, For::Staff);
        return FILE.respond(&context, caller.user, &paging, read).await;
    }
    let (rows, total) = service::list(
        &context,
        scope,
        &filter(&params)?,
        &paging,
        params.sort_key(QUEUE_SORT)?,
    )
    .await?;
    let (pending, oldest) = service::queue(&context).await?;
    let waiting: Vec<Waits> = rows.iter().filter_map(Shown::waits).collect();
    let two = foresight::need_two(&context, caller.user, Kind::PixDeposit, &waiting).await?;
    let mut data: Vec<PixQueueRow> = rows
        .iter()
        .map(|row| PixQueueRow::new(row, &two))
        .collect::<Result<_, _>>()?;
    let ids: Vec<Uuid> = data.iter().map(|row| row.deposit.id.0).collect();
    let mut cases = compliance::notes(&context, compliance::PIX_DEPOSIT, &ids).await?;
    for row in &mut data {
        row.case = cases.remove(&row.deposit.id.0);
    }
    let newest = params.newest(&data, |row| row.deposit.created_at);
    let Page { data, meta } = Page::new(data, &paging, total).growing(&paging, newest);
    Ok(HttpResponse::Ok().json(PixQueuePage {
        data,
        meta,
        pending,
        oldest,
    }))
}

/// Which way a decision goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PixVerdict {
    Approved,
    Rejected,
}

/// A decision on one deposit.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PixDecision {
    pub id: PixDepositId,
    pub status: PixVerdict,
    /// Needed to reject.
    #[serde(default)]
    pub reason: Option<String>,
    /// The bank's id of the payment, 32 characters; needed to approve.
    #[serde(default)]
    pub end_to_end_id: Option<String>,
    /// Needed to approve.
    #[serde(default)]
    pub payer_name: Option<String>,
    /// What arrived, when it differs from what was asked.
    #[serde(default)]
    pub brl: Option<WrittenAmount>,
}

impl PixDecision {
    fn decision(&self) -> Result<Decision, Error> {
        Ok(match self.status {
            PixVerdict::Rejected => Decision::Reject(self.reason.clone().unwrap_or_default()),
            PixVerdict::Approved => Decision::Approve(Statement {
                end_to_end_id: self.end_to_end_id.clone().unwrap_or_default(),
                payer_name: self.payer_name.clone().unwrap_or_default(),
                brl: given(self.brl.as_deref()).map(|b| amount("brl", b)).transpose()?,
            }),
        })
    }
}

/// Approves or rejects. Above the two-person limit the first approval leaves the deposit pending with one of two.
#[utoipa::path(
    tag = "pix",
    params(("Idempotency-Key" = String, Header)),
    responses(
        (status = 200, body = PixDepositView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 503, body = ErrorBody),
    )
)]
#[patch("/admin/deposits-pix-approve-reject")]
pub async fn decide(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<PixDecision>,
) -> Result<HttpResponse, Error> {
    caller.staff(protocol::Queue::PixDeposits.decides())?;
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        service::decide(&context, tx, caller.user, body.id, body.decision()?).await
    })
    .await
}

/// Why the credit goes back.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PixReversal {
    pub reason: String,
}

/// How often a reversal is planned anew when its customer moves money at the same moment.
const REVERSAL_TRIES: usize = 4;

/// Undoes the credit of an approved deposit that the bank took back. What was spent is taken back as far as it can be, the rest
/// becomes the customer's debt.
#[utoipa::path(
    tag = "pix",
    operation_id = "reverse_pix_deposit",
    params(("id" = String, Path), ("Idempotency-Key" = String, Header)),
    responses(
        (status = 200, body = PixDepositView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 503, body = ErrorBody),
    )
)]
#[post("/admin/deposits-pix/{id}/reverse")]
pub async fn reverse(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    id: web::Path<String>,
    body: web::Json<PixReversal>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let id = deposit_id(&id)?;
    let key = Key::from(&headers, caller.user, &(id, &*body))?;
    for _ in 1..REVERSAL_TRIES {
        let reversed = reverse_once(&context, &key, caller.user, id, &body.reason).await;
        if !reversed
            .as_ref()
            .is_err_and(|e| e.error_code() == ErrorCode::RequestConflict)
        {
            return reversed;
        }
    }
    reverse_once(&context, &key, caller.user, id, &body.reason).await
}

async fn reverse_once(
    context: &Context,
    key: &Key,
    by: UserId,
    id: PixDepositId,
    reason: &str,
) -> Result<HttpResponse, Error> {
    idempotency::run(&context.db, key, StatusCode::OK, async |tx| {
        service::reverse(context, tx, by, id, reason)
            .await
            .map_err(|error| match error.error_code() {
                // What was planned to be taken back has moved meanwhile.
                ErrorCode::BalanceInsufficient => Error::code(ErrorCode::RequestConflict),
                _ => error,
            })
    })
    .await
}
