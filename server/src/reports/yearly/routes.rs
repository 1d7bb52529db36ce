//! A person's year over HTTP: as it is, CSV, PDF.

use super::{YearlyStatement, lines};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        business_day,
        context::Context,
        locale::Locale,
        paper::{self, Column, Row},
        sheet::{Cell, Sheet},
        turns,
    },
    identity::caller::Caller,
    reports::statement::{self, pdf::Head},
};
use actix_web::{HttpResponse, get, web};
use serde::Deserialize;

/// Which year is asked for.
#[derive(Clone, Copy, Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct YearParams {
    /// One that is over, or the running one, which is meant when none is named; none before the account.
    #[serde(default)]
    pub year: Option<i32>,
}

/// One's year, as a tax return asks for it. It is no tax advice.
#[utoipa::path(tag = "statement", security(("bearer" = [])), params(YearParams), responses((status = 200, body = YearlyStatement), (status = 422, body = ErrorBody)))]
#[get("/yearly-statement")]
pub async fn page(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<YearParams>,
) -> Result<web::Json<YearlyStatement>, Error> {
    Ok(web::Json(super::read(&context, &caller, params.year).await?))
}

fn file_name(told: &YearlyStatement) -> String {
    format!("arbora-{}", told.year)
}

/// The same as a CSV file.
#[utoipa::path(tag = "statement", security(("bearer" = [])), params(YearParams), responses((status = 200, body = String, content_type = "text/csv"), (status = 429, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/yearly-statement.csv")]
pub async fn csv(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<YearParams>,
) -> Result<HttpResponse, Error> {
    let turn = turns::list(caller.user).await?;
    let told = super::read(&context, &caller, params.year).await?;
    let locale = Locale::current();
    let columns = [
        "month",
        "description",
        "quantity_of_coins",
        "brl",
        "year_before",
        "usdt",
    ];
    let mut sheet = Sheet::new(context.world, locale, &columns);
    for line in lines::of(locale, &told) {
        sheet.row([
            Cell::from(line.month),
            Cell::from(line.text),
            Cell::number(line.quantity),
            Cell::number(line.brl),
            Cell::number(line.before),
            Cell::number(line.usdt),
        ]);
    }
    Ok(sheet.respond(&file_name(&told), turn))
}

/// The same as a PDF document.
#[utoipa::path(tag = "statement", security(("bearer" = [])), params(YearParams), responses((status = 200, body = Vec<u8>, content_type = "application/pdf"), (status = 422, body = ErrorBody)))]
#[get("/yearly-statement.pdf")]
pub async fn document(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<YearParams>,
) -> Result<HttpResponse, Error> {
    let turn = turns::export(caller.user).await?;
    let told = super::read(&context, &caller, params.year).await?;
    let head = statement::head(&context, &caller).await?;
    let name = file_name(&told);
    statement::printed(&name, turn, move || write(&head, &told)).await
}

/// The document's bytes.
fn write(head: &Head, told: &YearlyStatement) -> Result<Vec<u8>, Error> {
    let locale = head.locale;
    let words = |key| locale.text("documents", key);
    let yearly = |key| locale.text("yearly", key);
    let amount = |value: Option<String>| value.map_or_else(String::new, |v| locale.amount(&v));
    let columns = [
        Column::Short(words("month")),
        Column::Text(words("description")),
        Column::Number(words("quantity_of_coins")),
        Column::Number(words("brl")),
        Column::Number(words("year_before")),
        Column::Number(words("usdt")),
    ];
    let rows: Vec<Row> = lines::of(locale, told)
        .into_iter()
        .map(|line| Row {
            cells: vec![
                line.month,
                line.text,
                amount(line.quantity),
                amount(line.brl),
                amount(line.before),
                amount(line.usdt),
            ],
            sum: line.strong,
        })
        .collect();
    let last =
        business_day::read(&told.last_day).map_or_else(|| told.last_day.clone(), business_day::shown_day);
    let period = if told.running {
        format!("{} · {} {last}", told.year, yearly("running"))
    } else {
        told.year.to_string()
    };
    let head = paper::Head {
        world: head.world,
        locale,
        brand: head.brand.clone(),
        kind: yearly("title"),
        running: format!("{period} · {}", head.holder),
        facts: vec![
            (words("holder"), head.holder.clone()),
            (words("period"), period),
            (words("currency"), "USDT".to_owned()),
            (words("made_at"), business_day::shown(head.made_at)),
            (words("note"), yearly("no_advice").to_owned()),
        ],
        made_at: head.made_at,
    };
    paper::write(&head, &columns, &rows)
}
