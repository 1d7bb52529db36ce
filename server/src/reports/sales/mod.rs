//! The sales report: licence sales by plan, method and day.

mod store;

use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        http::{ListParams, Meta, Page, Paging, named, takes},
        listing::{DayTotal, File},
        sheet::Cell,
    },
    identity::caller::Caller,
    wallet::chain::wei,
};
use actix_web::{HttpResponse, get, web};
use protocol::{
    Permission,
    ids::{LicenceId, UserId},
    money::Usdt,
    views::{DepositProduct, LicenceState},
};
use serde::{Deserialize, Serialize};
pub use store::{Filter, SaleMethod};
use time::OffsetDateTime;

/// Which way a sale was paid.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ByMethod {
    /// `usdt_bep20`, `busd_bep20`, `bnb`, `balance` or `sponsored`; `pix` is refused: no licence is sold by it.
    #[serde(default, rename = "selectedMethod")]
    pub selected_method: Option<String>,
}

/// One sale.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SaleRow {
    #[serde(rename = "_id")]
    pub id: LicenceId,
    pub user: UserId,
    pub username: String,
    pub full_name: String,
    pub value: Usdt,
    pub is_high_risk: bool,
    pub method: SaleMethod,
    /// Wei that were paid, and the transaction, of a sale over the chain.
    pub wei: Option<String>,
    pub transaction: Option<String>,
    pub state: LicenceState,
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// What a group of sales adds up to.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SaleGroup {
    pub value: Usdt,
    pub is_high_risk: bool,
    pub method: SaleMethod,
    pub count: i64,
    pub total: Usdt,
}

/// A page of sales with the sums of all that the filters let through; cancelled and reversed sales are listed and not summed.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SalesPage {
    pub data: Vec<SaleRow>,
    pub meta: Meta,
    pub groups: Vec<SaleGroup>,
    pub days: Vec<DayTotal>,
}

const FILE: File<SaleRow> = File {
    name: "sales",
    columns: &[
        ("date", |s, _| Cell::moment(s.created_at)),
        ("user", |s, _| Cell::from(&*s.username)),
        ("risk", |s, locale| {
            Cell::word(locale, if s.is_high_risk { "high_risk" } else { "standard" })
        }),
        ("method", |s, locale| {
            Cell::word(locale, &format!("method_{}", s.method.as_str()))
        }),
        ("crypto", |s, _| {
            Cell::number(s.wei.as_deref().and_then(wei::coins))
        }),
        ("value", |s, _| Cell::number(Some(s.value))),
        ("hash", |s, _| Cell::maybe(s.transaction.as_deref())),
        ("status", |s, locale| Cell::word(locale, s.state.as_str())),
    ],
};

/// Licence sales by plan, method and day. Sorts by created_at, value or username. Filters: search, status (of the licence),
/// function, startDate, endDate, selectedProduct (`license` alone), selectedMethod.
#[utoipa::path(tag = "reports", params(takes::Pages, takes::AsOf, takes::Sorting, takes::Search, takes::Status, takes::Function, takes::Days, takes::Format, ByMethod,
    ("selectedProduct" = Option<String>, Query, description = "`license`: licences are what is sold here; the other products are refused.")), responses((status = 200, content((SalesPage = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody), (status = 429, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/crypto-deposits-list")]
pub async fn sales(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
    by: web::Query<ByMethod>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let paging = params.paging(10)?;
    let sort = params.sort_key(&["created_at", "value", "username"])?;
    let (from, until) = params.days()?;
    let method = named("selectedMethod", by.selected_method.as_deref(), SaleMethod::read)?;
    // Money for pools is no sale: of the products this list has one.
    named("selectedProduct", params.selected_product.as_deref(), |word| {
        word.parse::<DepositProduct>()
            .ok()
            .filter(|product| *product == DepositProduct::License)
    })?;
    let filter = Filter {
        state: named("status", params.status.as_deref(), |s| s.parse().ok())?,
        function: params.role()?,
        search: params.searched(),
        from,
        until,
        method,
    };
    if params.file()? {
        let db = context.db.clone();
        let read = async move |paging: Paging| {
            let mut conn = db.pool().acquire().await?;
            let (rows, total) = store::list(&mut conn, &filter, &paging, sort).await?;
            let data = rows
                .into_iter()
                .map(TryInto::try_into)
                .collect::<Result<_, _>>()?;
            Ok((data, total))
        };
        return FILE.respond(&context, caller.user, &paging, read).await;
    }
    let mut conn = context.db.pool().acquire().await?;
    let (rows, total) = store::list(&mut conn, &filter, &paging, sort).await?;
    let groups = store::groups(&mut conn, &filter).await?;
    let days = store::days(&mut conn, &filter).await?.days;
    let data: Vec<SaleRow> = rows
        .into_iter()
        .map(TryInto::try_into)
        .collect::<Result<_, _>>()?;
    let newest = params.newest(&data, |sale| sale.created_at);
    let Page { data, meta } = Page::new(data, &paging, total).growing(&paging, newest);
    Ok(HttpResponse::Ok().json(SalesPage {
        data,
        meta,
        groups,
        days,
    }))
}
