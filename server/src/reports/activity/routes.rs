//! The activity over HTTP: pages, CSV, PDF.

use super::{ActivityEvent, Asked, CSV_EVENTS, PDF_EVENTS, pdf, rules::Group};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        business_day,
        context::Context,
        http::{ListParams, Meta, Page, Paging, listed, takes},
        locale::Locale,
        sheet::{Cell, Sheet},
        turns,
    },
    identity::caller::Caller,
    reports::{
        flows::Flows,
        statement::{self, Sums},
    },
};
use actix_web::{HttpResponse, get, web};
use protocol::{ErrorCode, money::Usdt};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// What of the activity is asked for.
#[derive(Clone, Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ActivityParams {
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
    /// `deposits`, `withdrawals`, `transfers`, `licences`, `results`, `bonus`, `exchange`, `pools`, `sponsorship`, `others`, separated by
    /// commas; all when absent.
    #[serde(default)]
    pub group: Option<String>,
    /// `meta.asOf` of the first page: what has come since then moves no event from one page to another, and is in no sum.
    #[serde(default, rename = "asOf")]
    pub as_of: Option<String>,
}

impl ActivityParams {
    fn asked(&self, caller: &Caller, now: OffsetDateTime) -> Result<Asked, Error> {
        let (first, last) = statement::period(now, self.start_date.as_deref(), self.end_date.as_deref())?;
        let groups = listed(self.group.as_deref(), "group", Group::read)?;
        Ok(Asked {
            user: caller.user,
            first,
            last,
            groups,
            as_of: None,
        })
    }
}

/// A page of events with the sums of the whole period, whatever groups are asked for: opening and flows are closing.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    pub data: Vec<ActivityEvent>,
    pub meta: Meta,
    pub start_date: String,
    pub end_date: String,
    /// The total at the beginning and at the end of the period.
    pub opening: Usdt,
    pub closing: Usdt,
    pub flows: Flows,
}

/// What happened to one's money in a period, one line an event, newest first.
#[utoipa::path(tag = "statement", security(("bearer" = [])), params(ActivityParams), responses((status = 200, body = Activity), (status = 422, body = ErrorBody)))]
#[get("/activity")]
pub async fn page(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ActivityParams>,
) -> Result<web::Json<Activity>, Error> {
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
    let (sums, events, total) = super::read(&context, &asked, &paging).await?;
    let newest = events.first().map(|event| event.at);
    let Page { data, meta } = Page::new(events, &paging, total).growing(&paging, newest);
    Ok(web::Json(Activity {
        data,
        meta,
        start_date: asked.first.to_string(),
        end_date: asked.last.to_string(),
        opening: sums.opening,
        closing: sums.closing,
        flows: sums.flows,
    }))
}

/// What an event is called in a document: "Compra de licença #1", "Transferência enviada para @bea".
pub(super) fn title(locale: Locale, event: &ActivityEvent) -> String {
    let mut title = locale.text("events", event.kind.as_str()).to_owned();
    if let Some(number) = event.licence {
        title.push_str(&format!(" #{number}"));
    }
    if let Some(username) = &event.counterparty {
        title.push_str(&format!(" @{username}"));
    }
    title
}

/// Everything of the period for a file, oldest first.
async fn whole(context: &Context, asked: &Asked, most: i64) -> Result<(Sums, Vec<ActivityEvent>), Error> {
    let paging = Paging {
        page: 1,
        limit: most,
        offset: 0,
        descending: false,
        as_of: None,
        file: None,
    };
    let (sums, events, total) = super::read(context, asked, &paging).await?;
    if total > most {
        return Err(Error::code(ErrorCode::StatementTooLong).with("maximum", most));
    }
    Ok((sums, events))
}

/// The same as a CSV file, oldest first, with the total at the beginning and at the end of all groups.
#[utoipa::path(tag = "statement", security(("bearer" = [])), params(takes::Days, ("group" = Option<String>, Query, description = "Groups of events, separated by commas; all when absent.")), responses((status = 200, body = String, content_type = "text/csv"), (status = 429, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/activity.csv")]
pub async fn csv(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ActivityParams>,
) -> Result<HttpResponse, Error> {
    let asked = params.asked(&caller, context.now())?;
    let turn = turns::list(caller.user).await?;
    let (sums, events) = whole(&context, &asked, CSV_EVENTS).await?;
    let locale = Locale::current();
    let columns = [
        "date",
        "description",
        "status",
        "usdt",
        "moved",
        "pyx",
        "reference",
    ];
    let mut sheet = Sheet::new(context.world, locale, &columns);
    let edge = |label: &str, value: Usdt| {
        [
            Cell::from(""),
            Cell::from(locale.text("documents", label)),
            Cell::from(""),
            Cell::number(Some(value)),
            Cell::from(""),
            Cell::from(""),
            Cell::from(""),
        ]
    };
    if asked.edges() {
        sheet.row(edge("opening", sums.opening));
    }
    for event in &events {
        sheet.row([
            Cell::from(business_day::shown(event.at)),
            Cell::from(title(locale, event)),
            Cell::from(locale.text("event_states", event.state.as_str())),
            Cell::number(Some(event.amount)),
            Cell::number(event.moved),
            Cell::number(event.pyx),
            Cell::from(
                event
                    .transfers
                    .first()
                    .map(ToString::to_string)
                    .unwrap_or_default(),
            ),
        ]);
    }
    if asked.edges() {
        sheet.row(edge("closing", sums.closing));
    }
    Ok(sheet.respond(&statement::file_name(asked.first, asked.last), turn))
}

/// The same as a PDF document, oldest first.
#[utoipa::path(tag = "statement", security(("bearer" = [])), params(takes::Days, ("group" = Option<String>, Query, description = "Groups of events, separated by commas; all when absent.")), responses((status = 200, body = Vec<u8>, content_type = "application/pdf"), (status = 422, body = ErrorBody)))]
#[get("/activity.pdf")]
pub async fn document(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ActivityParams>,
) -> Result<HttpResponse, Error> {
    let asked = params.asked(&caller, context.now())?;
    let turn = turns::export(caller.user).await?;
    let (sums, events) = whole(&context, &asked, PDF_EVENTS).await?;
    let head = statement::head(&context, &caller).await?;
    let name = statement::file_name(asked.first, asked.last);
    statement::printed(&name, turn, move || pdf::write(&head, &asked, &sums, &events)).await
}
