//! Withdrawals over the chain over HTTP: what those who decide call.

use super::{
    screen::{FILE, filter},
    service::Crypto,
    store::Shown,
};
use crate::{
    approvals::compliance::service::CaseNote,
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
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
};
use actix_web::{HttpResponse, get, http::StatusCode, patch, web};
use alloy::primitives::U256;
use protocol::{
    ErrorCode,
    ids::ChainWithdrawalId,
    views::{ChainWithdrawalView, HotWalletView},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(list_queue).service(report).service(decide);
}

/// What an approver should look at twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WithdrawalSignal {
    /// The compliance rules want a person to look.
    Review,
    /// Another account asked for money to the same address.
    AddressShared,
    /// Nothing was ever paid to this address.
    NewAddress,
    /// Nothing was ever paid to this customer.
    FirstWithdrawal,
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
pub struct WithdrawalRow {
    #[serde(flatten)]
    pub withdrawal: ChainWithdrawalView,
    pub full_name: String,
    pub email: String,
    #[serde(with = "time::serde::rfc3339")]
    pub member_since: OffsetDateTime,
    pub paid_before: i64,
    pub signals: Vec<WithdrawalSignal>,
    /// What the compliance rules want looked at; it is decided with the withdrawal.
    pub case: Option<CaseNote>,
}

impl WithdrawalRow {
    fn new(row: &Shown, Beside { case, two }: Beside) -> Result<Self, Error> {
        use WithdrawalSignal as S;
        let line = &row.line;
        let signals = [
            (line.review, S::Review),
            (row.address_shared, S::AddressShared),
            (!row.address_known, S::NewAddress),
            (line.is_first(), S::FirstWithdrawal),
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
            paid_before: line.paid_before,
            signals,
            case,
        })
    }
}

/// The approvers' list with the queue's length and age, and the wallet that pays.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WithdrawalPage {
    pub data: Vec<WithdrawalRow>,
    pub meta: Meta,
    /// How many wait for a person, whatever the filters.
    pub pending: i64,
    /// Since when the oldest of them waits.
    #[serde(with = "time::serde::rfc3339::option")]
    pub oldest: Option<OffsetDateTime>,
    pub hot_wallet: HotWalletView,
}

const QUEUE_SORT: &[&str] = &[
    "created_at",
    "waiting_since",
    "usdt",
    "fee",
    "net",
    "coin",
    "status",
    "username",
];

/// All withdrawals over the chain for those who decide. Sorts by created_at, waiting_since, usdt, fee, net, coin, status or username.
#[utoipa::path(tag = "wallet", operation_id = "crypto_withdrawal_queue", params(takes::PagesOf100, takes::AsOf, takes::Sorting, takes::Search, takes::Status, takes::Function, takes::Days, takes::OfCoin, takes::Format), responses(
    (status = 200, content((WithdrawalPage = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody), (status = 429, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/crypto-withdrawal-list")]
pub async fn list_queue(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<HttpResponse, Error> {
    let scope = caller.staff(protocol::Queue::CryptoWithdrawals.permission())?;
    let paging: Paging = params.paging(100)?;
    let sort = params.sort_key(QUEUE_SORT)?;
    if params.file()? {
        let read = lists::reader(&context, scope, filter(&params)?, sort);
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
        &filter(&params)?,
        &paging,
        sort,
        WithdrawalRow::new,
    )
    .await?;
    Ok(HttpResponse::Ok().json(WithdrawalPage {
        data,
        meta,
        pending,
        oldest,
        hot_wallet: crate::wallet::hot::service::view(&context).await?,
    }))
}

/// What reached addresses, in USDT and without fees, by the day on which it was asked for: withdrawals that are final on the chain. Filters
/// as the list of all withdrawals.
#[utoipa::path(tag = "wallet", operation_id = "crypto_withdrawals_report", params(takes::Search, takes::Status, takes::Function, takes::Days, takes::OfCoin), responses(
    (status = 200, body = DaysReport), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/crypto-withdrawals-report")]
pub async fn report(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<web::Json<DaysReport>, Error> {
    let scope = caller.staff(protocol::Queue::CryptoWithdrawals.permission())?;
    Ok(web::Json(
        payouts::paid(&context, scope, &filter(&params)?).await?,
    ))
}

/// Which way a decision goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WithdrawalVerdict {
    Approved,
    /// Also gives back what the chain refused.
    Rejected,
    /// Sends what the chain refused once more.
    Retry,
}

/// A decision on one withdrawal.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct WithdrawalDecision {
    pub id: ChainWithdrawalId,
    pub status: WithdrawalVerdict,
    /// Needed to reject.
    #[serde(default)]
    pub reason: Option<String>,
    /// Needed to approve: the coins that go out, as they were seen. A rate that its owner took meanwhile makes them others.
    #[serde(default)]
    pub amount: Option<String>,
}

impl WithdrawalDecision {
    fn seen(&self) -> Result<U256, Error> {
        let seen = self.amount.as_deref().and_then(|wei| wei.parse().ok());
        seen.ok_or_else(|| Error::code(ErrorCode::RequestInvalid).field("amount", ErrorCode::RequestInvalid))
    }
}

/// Approves, rejects, sends again. Above the two-person limit the first approval leaves it pending with one of two. A rate that moved
/// by more than the tolerance since the request approves nothing: its user is asked. What is approved the sender takes next.
#[utoipa::path(tag = "wallet", operation_id = "decide_crypto_withdrawal", params(("Idempotency-Key" = String, Header)), responses(
    (status = 200, body = ChainWithdrawalView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
    (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[patch("/admin/crypto-withdrawal-approve-reject")]
pub async fn decide(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<WithdrawalDecision>,
) -> Result<HttpResponse, Error> {
    caller.staff(protocol::Queue::CryptoWithdrawals.decides())?;
    let key = Key::from(&headers, caller.user, &*body)?;
    let decision = match body.status {
        WithdrawalVerdict::Approved => Decision::Approve((), Some(body.seen()?)),
        WithdrawalVerdict::Rejected => Decision::Reject(body.reason.clone().unwrap_or_default()),
        WithdrawalVerdict::Retry => Decision::Retry,
    };
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        decisions::decide::<Crypto>(&context, tx, caller.user, body.id, decision).await
    })
    .await
}
