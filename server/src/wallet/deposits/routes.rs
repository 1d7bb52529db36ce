//! Deposits over the chain over HTTP: lists and decisions.

use super::{
    service::{self, Decision},
    store::{self, Filter},
    waiting::SUBJECT,
};
use crate::{
    approvals::compliance::service::{self as compliance, CaseNote},
    error::{Error, ErrorBody},
    foundation::{
        amounts::WrittenAmount,
        context::Context,
        http::{Headers, ListParams, Meta, Page, Paging, given, named, takes},
        idempotency::{self, Key},
        listing::{self, DaysReport, File},
        sheet::Cell,
    },
    identity::caller::{Caller, Scope},
    wallet::{
        chain::{Coin, wei},
        watcher,
    },
};
use actix_web::{HttpResponse, get, http::StatusCode, patch, web};
use alloy::primitives::B256;
use protocol::{
    ErrorCode, Permission,
    ids::{ChainDepositId, UserId},
    money::Usdt,
    views::ChainDepositView,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(list_own)
        .service(list_by_coin)
        .service(list_all)
        .service(report)
        .service(decide);
}

const OWN_SORT: &[&str] = &["created_at", "value", "credited", "status"];
const STAFF_SORT: &[&str] = &[
    "created_at",
    "waiting_since",
    "value",
    "credited",
    "status",
    "username",
];

fn filter(params: &ListParams) -> Result<Filter, Error> {
    let (from, until) = params.days()?;
    Ok(Filter {
        status: named("status", params.status.as_deref(), |s| s.parse().ok())?,
        product: named("selectedProduct", params.selected_product.as_deref(), |s| {
            s.parse().ok()
        })?,
        search: params.searched(),
        function: params.role()?,
        from,
        until,
        ..Filter::default()
    })
}

/// `payable`: with the address to pay to.
fn reader(
    context: &Context,
    scope: Scope,
    payable: bool,
    filter: Filter,
    sort: &'static str,
) -> impl AsyncFn(Paging) -> Result<(Vec<ChainDepositView>, i64), Error> + use<> {
    let context = context.clone();
    async move |paging: Paging| {
        let (rows, total, scanned) = service::list(&context, scope, &filter, &paging, sort).await?;
        let needed = service::needed(&context);
        let in_force = context.settings.current(context.now()).await?;
        let mut data = rows
            .into_iter()
            .map(|r| r.view(scanned, needed, &in_force.settings))
            .collect::<Result<Vec<_>, _>>()?;
        if !payable {
            for deposit in &mut data {
                deposit.address.clear();
            }
        }
        Ok((data, total))
    }
}

const FILE: File<ChainDepositView> = File {
    name: "crypto-deposits",
    columns: &[
        ("date", |d, _| Cell::moment(d.created_at)),
        ("user", |d, _| Cell::from(&*d.username)),
        ("product", |d, locale| Cell::word(locale, d.product.as_str())),
        ("coin", |d, _| {
            Cell::from(d.coin.map_or_else(String::new, |c| c.as_str().to_uppercase()))
        }),
        ("crypto", |d, _| Cell::number(wei::coins(&d.received))),
        ("usdt", |d, _| Cell::number(d.credited.or(d.value))),
        ("fee", |d, _| Cell::number(d.fee)),
        ("address", |d, _| Cell::from(&*d.address)),
        ("hash", |d, _| Cell::maybe(d.transaction.as_deref())),
        ("confirmations", |d, _| Cell::number(Some(d.confirmations))),
        ("status", |d, locale| {
            Cell::word(locale, if d.reversed { "reversed" } else { d.status.as_str() })
        }),
        ("cause", |d, locale| {
            d.pending_cause
                .map_or(Cell::from(""), |c| Cell::word(locale, &format!("cause_{c}")))
        }),
        ("reason", |d, _| Cell::maybe(d.reason.as_deref())),
    ],
};

/// One's own deposits, newest first. Sorts by created_at, value, credited or status.
#[utoipa::path(tag = "wallet", params(takes::Pages, takes::AsOf, takes::Sorting, takes::Search, takes::Status, takes::Function, takes::Days, takes::Product, takes::Format), responses((status = 200, content((Page<ChainDepositView> = "application/json"), (String = "text/csv"))), (status = 422, body = ErrorBody)))]
#[get("/list-deposits")]
pub async fn list_own(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<HttpResponse, Error> {
    let read = reader(
        &context,
        caller.own(),
        caller.seen_by.is_none(),
        filter(&params)?,
        params.sort_key(OWN_SORT)?,
    );
    listing::answer_growing(&context, caller.user, &params, 10, FILE, |d| d.created_at, read).await
}

/// Whose, for staff.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct DepositsOf {
    /// Staff only.
    #[serde(default)]
    pub user_id: Option<UserId>,
}

/// One's own deposits of a coin; staff with the permission to view users may name a person.
#[utoipa::path(tag = "wallet", params(takes::Pages, takes::AsOf, takes::Sorting, takes::Search, takes::Status, takes::Function, takes::Days, takes::Product, takes::OfCoin, takes::Format, DepositsOf), responses((status = 200, content((Page<ChainDepositView> = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody), (status = 429, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/finance/individual-crypto-deposits-list")]
pub async fn list_by_coin(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
    of: web::Query<DepositsOf>,
) -> Result<HttpResponse, Error> {
    let mut filter = filter(&params)?;
    filter.coin = named("coin", params.coin.as_deref(), |coin| coin.parse().ok())?;
    let scope = match of.user_id {
        Some(user) if user != caller.user => {
            filter.owner = Some(user);
            caller.staff(Permission::UserView)?
        }
        _ => caller.own(),
    };
    let payable = caller.seen_by.is_none();
    let read = reader(&context, scope, payable, filter, params.sort_key(OWN_SORT)?);
    listing::answer_growing(&context, caller.user, &params, 10, FILE, |d| d.created_at, read).await
}

/// A deposit as those who decide see it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CryptoDepositRow {
    #[serde(flatten)]
    pub deposit: ChainDepositView,
    pub full_name: String,
    pub email: String,
    #[serde(with = "time::serde::rfc3339")]
    pub member_since: OffsetDateTime,
    /// Other deposits of this customer that were credited.
    pub credited_before: i64,
    /// What the coins are worth now, if the market says so.
    pub rate_now: Option<Usdt>,
    /// What the compliance rules want looked at; it is decided with the deposit.
    pub case: Option<CaseNote>,
}

/// What the watcher is doing.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WatcherState {
    /// The newest block that was read, and the newest that counts.
    pub scanned: u64,
    pub confirmed: u64,
    /// Why crediting is halted.
    pub halted: Option<String>,
    #[serde(with = "time::serde::rfc3339")]
    pub alive_at: OffsetDateTime,
}

/// All deposits with the queue's length and age.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CryptoDepositPage {
    pub data: Vec<CryptoDepositRow>,
    pub meta: Meta,
    /// How many wait for a decision, whatever the filters.
    pub pending: i64,
    /// Since when the oldest of them waits.
    #[serde(with = "time::serde::rfc3339::option")]
    pub oldest: Option<OffsetDateTime>,
    /// None before its first look at the chain.
    pub watcher: Option<WatcherState>,
}

/// By what a deposit was paid.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ByChainMethod {
    /// `usdt_bep20`, `busd_bep20`, `bnb`.
    #[serde(default, rename = "selectedMethod")]
    pub selected_method: Option<String>,
}

fn coin(method: &str) -> Result<Coin, Error> {
    match method {
        "usdt_bep20" => Ok(Coin::Usdt),
        "busd_bep20" => Ok(Coin::Busd),
        "bnb" => Ok(Coin::Bnb),
        _ => Err(Error::code(ErrorCode::RequestInvalid).field("selectedMethod", ErrorCode::RequestInvalid)),
    }
}

fn staff_filter(params: &ListParams, by: &ByChainMethod) -> Result<Filter, Error> {
    let method = given(by.selected_method.as_deref());
    Ok(Filter {
        coin: method.map(coin).transpose()?,
        ..filter(params)?
    })
}

/// All deposits over the chain. Filters: search, status, function, startDate, endDate, selectedProduct, selectedMethod. Sorts by created_at, waiting_since, value, credited, status or username.
#[utoipa::path(tag = "wallet", params(takes::Pages, takes::AsOf, takes::Sorting, takes::Search, takes::Status, takes::Function, takes::Days, takes::Product, takes::Format, ByChainMethod), responses((status = 200, content((CryptoDepositPage = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[get("/admin/all-crypto-deposits-list")]
pub async fn list_all(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
    by: web::Query<ByChainMethod>,
) -> Result<HttpResponse, Error> {
    let scope = caller.staff(protocol::Queue::CryptoDeposits.permission())?;
    let paging = params.paging(10)?;
    let sort = params.sort_key(STAFF_SORT)?;
    let filter = staff_filter(&params, &by)?;
    if params.file()? {
        let read = reader(&context, scope, true, filter, sort);
        return FILE.respond(&context, caller.user, &paging, read).await;
    }
    let (rows, total, scanned) = service::list(&context, scope, &filter, &paging, sort).await?;
    let needed = service::needed(&context);
    let in_force = context.settings.current(context.now()).await?;
    let ids: Vec<Uuid> = rows.iter().map(store::Shown::id).collect();
    let mut cases = compliance::notes(&context, SUBJECT, &ids).await?;
    let mut data = Vec::with_capacity(rows.len());
    for row in rows {
        let (full_name, email) = (row.full_name.clone(), row.email.clone());
        let (member_since, credited_before) = (row.member_since, row.credited_before);
        let deposit = row.view(scanned, needed, &in_force.settings)?;
        data.push(CryptoDepositRow {
            case: cases.remove(&deposit.id.0),
            rate_now: deposit
                .coin
                .and_then(|coin| super::rates::current(&context, coin)),
            deposit,
            full_name,
            email,
            member_since,
            credited_before,
        });
    }
    let (pending, oldest) = service::queue(&context).await?;
    let newest = params.newest(&data, |row| row.deposit.created_at);
    let Page { data, meta } = Page::new(data, &paging, total).growing(&paging, newest);
    Ok(HttpResponse::Ok().json(CryptoDepositPage {
        data,
        meta,
        pending,
        oldest,
        watcher: watcher::health(context.db.pool()).await?.map(|h| WatcherState {
            scanned: h.scanned,
            confirmed: h.confirmed,
            halted: h.halted_why,
            alive_at: h.alive_at,
        }),
    }))
}

/// What was credited over the chain, fees taken off, by the day on which the deposit began. Filters as the list of all deposits; what a
/// reorganisation took back is not counted.
#[utoipa::path(tag = "wallet", operation_id = "crypto_deposits_report", params(takes::Search, takes::Status, takes::Function, takes::Days, takes::Product, ByChainMethod), responses((status = 200, body = DaysReport), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/crypto-deposits-report")]
pub async fn report(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
    by: web::Query<ByChainMethod>,
) -> Result<web::Json<DaysReport>, Error> {
    let scope = caller.staff(protocol::Queue::CryptoDeposits.permission())?;
    Ok(web::Json(
        service::credited(&context, scope, &staff_filter(&params, &by)?).await?,
    ))
}

/// Which way a decision goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CryptoVerdict {
    Approved,
    Rejected,
}

/// A decision on one deposit.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CryptoDecision {
    pub id: ChainDepositId,
    pub status: CryptoVerdict,
    /// What the coins are worth in USDT; needed to approve where no rate says it.
    #[serde(default)]
    pub value: Option<WrittenAmount>,
    /// To reject: why it is frozen, or
    #[serde(default)]
    pub reason: Option<String>,
    /// the transaction that gave it back.
    #[serde(default)]
    pub refund: Option<String>,
}

fn refused_refund() -> Error {
    Error::code(ErrorCode::RefundInvalid).field("refund", ErrorCode::RefundInvalid)
}

impl CryptoDecision {
    fn decision(&self) -> Result<Decision, Error> {
        Ok(match self.status {
            CryptoVerdict::Approved => Decision::Approve {
                worth: given(self.value.as_deref())
                    .map(|v| {
                        v.parse().map_err(|_| {
                            Error::code(ErrorCode::AmountInvalid).field("value", ErrorCode::AmountInvalid)
                        })
                    })
                    .transpose()?,
            },
            CryptoVerdict::Rejected => Decision::Reject {
                reason: self.reason.clone().unwrap_or_default(),
                refund: given(self.refund.as_deref())
                    .map(|r| {
                        r.starts_with("0x")
                            .then(|| r.parse::<B256>().ok())
                            .flatten()
                            .ok_or_else(refused_refund)
                    })
                    .transpose()?,
            },
        })
    }
}

/// Approves or rejects. Above the two-person limit the first approval leaves the deposit pending with one of two.
#[utoipa::path(
    tag = "wallet",
    params(("Idempotency-Key" = String, Header)),
    responses(
        (status = 200, body = ChainDepositView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 409, body = ErrorBody), (status = 422, body = ErrorBody),
    )
)]
#[patch("/admin/crypto-deposits-approve-reject")]
pub async fn decide(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<CryptoDecision>,
) -> Result<HttpResponse, Error> {
    caller.staff(protocol::Queue::CryptoDeposits.decides())?;
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        service::decide(&context, tx, caller.user, body.id, body.decision()?).await
    })
    .await
}
