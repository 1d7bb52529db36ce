//! The statement over HTTP: pages, CSV, PDF.

use super::{ACCOUNTS, Asked, CSV_LINES, Line, PDF_LINES, Sums, pdf};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        business_day,
        context::Context,
        http::{ListParams, Meta, Page, given, listed, takes},
        locale::Locale,
        sheet::{Cell, Sheet},
        turns,
    },
    identity::caller::Caller,
    ledger::model::TransferKind,
    reports::flows::Flows,
};
use actix_web::{HttpResponse, get, web};
use protocol::{ErrorCode, ids::TransferId, money::Usdt, views::Mode};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

/// What of the statement is asked for.
#[derive(Clone, Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StatementParams {
    /// From 1.
    #[serde(default)]
    #[param(minimum = 1, default = 1)]
    pub page: Option<i64>,
    /// At most 500.
    #[serde(default)]
    #[param(minimum = 1, maximum = 500, default = 10)]
    pub limit: Option<i64>,
    /// `asc` or `desc`.
    #[serde(default)]
    #[param(default = "desc")]
    pub sortdirection: Option<String>,
    /// First day, `YYYY-MM-DD` of São Paulo; 30 days before the last when absent.
    #[serde(default, rename = "startDate")]
    pub start_date: Option<String>,
    /// Last day, inclusive; today when absent.
    #[serde(default, rename = "endDate")]
    pub end_date: Option<String>,
    /// One account by name; all in USDT when absent.
    #[serde(default)]
    pub account: Option<String>,
    /// Kinds of movements, separated by commas; all when absent.
    #[serde(default)]
    pub kind: Option<String>,
    /// `meta.asOf` of the first page: what has come since then moves no line from one page to another, and is in no sum.
    #[serde(default, rename = "asOf")]
    pub as_of: Option<String>,
}

impl StatementParams {
    fn asked(&self, caller: &Caller, now: OffsetDateTime) -> Result<Asked, Error> {
        let (first, last) = super::period(now, self.start_date.as_deref(), self.end_date.as_deref())?;
        let account = match given(self.account.as_deref()) {
            None => None,
            Some(name) => Some(ACCOUNTS.into_iter().find(|a| *a == name).ok_or_else(|| {
                Error::code(ErrorCode::RequestInvalid).field("account", ErrorCode::RequestInvalid)
            })?),
        };
        let kinds = listed(self.kind.as_deref(), "kind", |kind| {
            TransferKind::read(kind).map(|kind| kind.as_str().to_owned())
        })?;
        Ok(Asked {
            user: caller.user,
            first,
            last,
            account,
            kinds,
            as_of: None,
        })
    }
}

/// A movement of one account. Either a credit or a debit.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatementRow {
    /// Unique within the statement.
    #[serde(rename = "_id")]
    pub id: String,
    pub transfer: TransferId,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    pub kind: String,
    pub account: String,
    /// The licence's number, when the account is a licence's.
    pub licence: Option<i32>,
    pub credit: Option<Usdt>,
    pub debit: Option<Usdt>,
    /// Of the chosen accounts together, after this movement.
    pub balance: Usdt,
    pub cause: Uuid,
    /// Of a trading result.
    #[schema(value_type = Option<Mode>)]
    pub mode: Option<String>,
    /// It undoes an earlier movement.
    pub reversal: bool,
}

impl StatementRow {
    fn new(line: Line) -> Self {
        let (credit, debit) = sides(line.amount);
        Self {
            id: format!("{}:{}", line.transfer, line.line),
            transfer: line.transfer,
            at: line.at,
            kind: line.kind,
            account: line.account,
            licence: line.licence,
            credit,
            debit,
            balance: line.balance,
            cause: line.cause,
            mode: line.mode,
            reversal: line.reversed,
        }
    }
}

fn sides(amount: Usdt) -> (Option<Usdt>, Option<Usdt>) {
    if amount.is_negative() {
        (None, Some(-amount))
    } else {
        (Some(amount), None)
    }
}

/// A page with the sums of the whole period.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Statement {
    pub data: Vec<StatementRow>,
    pub meta: Meta,
    /// `USDT`, or `PYX` for its accounts.
    pub currency: &'static str,
    pub start_date: String,
    pub end_date: String,
    /// Balance at the beginning and at the end of the period.
    pub opening: Usdt,
    pub closing: Usdt,
    /// Where the change came from, as far as the kinds let it through: with all of them opening and flows are closing.
    pub flows: Flows,
    /// Of one account: everything that came to it and left it. All accounts together have flows alone, because most of what
    /// moves in them goes from one to another.
    pub credits: Option<Usdt>,
    pub debits: Option<Usdt>,
}

/// Every movement of one's own accounts and licences in a period, newest first.
#[utoipa::path(tag = "statement", security(("bearer" = [])), params(StatementParams), responses((status = 200, body = Statement), (status = 422, body = ErrorBody)))]
#[get("/statement")]
pub async fn page(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<StatementParams>,
) -> Result<web::Json<Statement>, Error> {
    let mut asked = params.asked(&caller, context.now())?;
    let paging = ListParams {
        page: params.page,
        limit: params.limit,
        sortdirection: params.sortdirection.clone(),
        as_of: params.as_of.clone(),
        ..ListParams::default()
    }
    .paging(10)?;
    asked.as_of = paging.as_of;
    let (sums, lines) = super::read(&context, &asked, &paging).await?;
    let newest = lines.first().map(|line| line.at);
    let rows = lines.into_iter().map(StatementRow::new).collect();
    let Page { data, meta } = Page::new(rows, &paging, sums.count).growing(&paging, newest);
    Ok(web::Json(Statement {
        data,
        meta,
        currency: asked.currency(),
        start_date: asked.first.to_string(),
        end_date: asked.last.to_string(),
        opening: sums.opening,
        closing: sums.closing,
        flows: sums.flows,
        credits: asked.account.map(|_| sums.credits),
        debits: asked.account.map(|_| sums.debits),
    }))
}

/// An account's name in words, with its licence.
pub(super) fn account_text(locale: Locale, line: &Line) -> String {
    let name = locale.text("accounts", &line.account);
    match line.licence {
        Some(number) => format!("{name} #{number}"),
        None => name.to_owned(),
    }
}

/// The same as a CSV file, oldest first, with opening and closing.
#[utoipa::path(tag = "statement", security(("bearer" = [])), params(takes::Days, ("account" = Option<String>, Query, description = "One account by name; all in USDT when absent."), ("kind" = Option<String>, Query, description = "Kinds of movements, separated by commas; all when absent.")), responses((status = 200, body = String, content_type = "text/csv"), (status = 429, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/statement.csv")]
pub async fn csv(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<StatementParams>,
) -> Result<HttpResponse, Error> {
    let asked = params.asked(&caller, context.now())?;
    let turn = turns::list(caller.user).await?;
    let (sums, lines) = super::whole(&context, &asked, CSV_LINES).await?;
    let locale = Locale::current();
    let columns = [
        "date",
        "description",
        "account",
        "credit",
        "debit",
        "balance",
        "currency",
        "reference",
    ];
    let mut sheet = Sheet::new(context.world, locale, &columns);
    let edge = |label: &str, value: Usdt| {
        [
            Cell::from(""),
            Cell::from(locale.text("documents", label)),
            Cell::from(""),
            Cell::from(""),
            Cell::from(""),
            Cell::Number(value.to_string()),
            Cell::from(asked.currency()),
            Cell::from(""),
        ]
    };
    sheet.row(edge("opening", sums.opening));
    for line in &lines {
        let (credit, debit) = sides(line.amount);
        let amount = |side: Option<Usdt>| Cell::Number(side.map(|s| s.to_string()).unwrap_or_default());
        sheet.row([
            Cell::from(business_day::shown(line.at)),
            Cell::from(locale.text("kinds", &line.kind)),
            Cell::from(account_text(locale, line)),
            amount(credit),
            amount(debit),
            Cell::Number(line.balance.to_string()),
            Cell::from(asked.currency()),
            Cell::from(line.transfer.to_string()),
        ]);
    }
    sheet.row(edge("closing", sums.closing));
    Ok(sheet.respond(&super::file_name(asked.first, asked.last), turn))
}

/// The same as a PDF document, oldest first.
#[utoipa::path(tag = "statement", security(("bearer" = [])), params(takes::Days, ("account" = Option<String>, Query, description = "One account by name; all in USDT when absent."), ("kind" = Option<String>, Query, description = "Kinds of movements, separated by commas; all when absent.")), responses((status = 200, body = Vec<u8>, content_type = "application/pdf"), (status = 422, body = ErrorBody)))]
#[get("/statement.pdf")]
pub async fn document(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<StatementParams>,
) -> Result<HttpResponse, Error> {
    let asked = params.asked(&caller, context.now())?;
    let turn = turns::export(caller.user).await?;
    let (sums, lines): (Sums, Vec<Line>) = super::whole(&context, &asked, PDF_LINES).await?;
    let head = super::head(&context, &caller).await?;
    let name = super::file_name(asked.first, asked.last);
    super::printed(&name, turn, move || pdf::write(&head, &asked, &sums, &lines)).await
}
