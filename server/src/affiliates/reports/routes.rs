//! The bonus reports over HTTP.

use super::store::{self, Filter};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        business_day,
        context::Context,
        http::{ListParams, Meta, Page, Paging, named, takes},
        listing::{DayTotal, File},
        sheet::Cell,
    },
    identity::caller::Caller,
};
use actix_web::{HttpResponse, get, web};
use protocol::{
    Permission,
    ids::UserId,
    money::Usdt,
    views::{BonusKind, BonusView, LostReason},
};
use serde::{Deserialize, Serialize};
use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(bonus_log)
        .service(bonus_report)
        .service(lost_points)
        .service(super::detail::own_bonus)
        .service(super::detail::any_bonus)
        .service(super::detail::sales::own_sales)
        .service(super::detail::sales::any_sales)
        .service(super::detail::sales::own_placement)
        .service(super::detail::sales::any_placement);
}

/// A bonus with its receiver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct BonusReportRow {
    pub receiver: UserId,
    pub username: String,
    #[serde(flatten)]
    pub bonus: BonusView,
}

/// What bonuses of a kind and level add up to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BonusTotal {
    pub kind: BonusKind,
    pub level: i16,
    pub count: i64,
    pub gross: Usdt,
    pub paid: Usdt,
    pub waiting: Usdt,
    pub lost: Usdt,
    /// Due, but never paid.
    pub dropped: Usdt,
    /// Taken back of what was paid.
    pub returned: Usdt,
}

/// A page of one's own bonuses, with the sums of all that the filters let through, and of each day what came of its bonuses and was not
/// taken back.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct BonusLog {
    pub data: Vec<BonusView>,
    pub meta: Meta,
    pub totals: Vec<BonusTotal>,
    pub days: Vec<DayTotal>,
}

/// A page of everybody's bonuses, with the same sums.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct BonusReport {
    pub data: Vec<BonusReportRow>,
    pub meta: Meta,
    pub totals: Vec<BonusTotal>,
    pub days: Vec<DayTotal>,
}

/// Matched points of a closing that were not paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LostPointsRow {
    pub user: UserId,
    pub username: String,
    pub full_name: String,
    pub business_day: String,
    /// What stood on each leg when they were matched.
    pub left_points: Usdt,
    pub right_points: Usdt,
    pub matched: Usdt,
    /// Matched points whose bonus was earned.
    pub paid: Usdt,
    pub lost: Usdt,
    pub reason: LostReason,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct LostPointsTotal {
    pub reason: LostReason,
    pub count: i64,
    pub points: Usdt,
}

/// A page of lost points, with the sums of all that the filters let through; those of its days are points.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct LostPointsPage {
    pub data: Vec<LostPointsRow>,
    pub meta: Meta,
    pub totals: Vec<LostPointsTotal>,
    pub days: Vec<DayTotal>,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct BonusParams {
    /// `level`, `level_1` to `level_10`, `direct_sale`, `indirect_sale`, `residual` or `binary`; all by default.
    #[serde(default)]
    pub bonus_type: Option<String>,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LostParams {
    /// `inactive`, `not_qualified`, `network_ceiling` or `daily_cap`; all by default.
    #[serde(default)]
    pub reason: Option<String>,
}

/// A type of bonus as it is asked for: its kind and, of levels, which.
fn bonus_type(text: &str) -> Option<(BonusKind, Option<i16>)> {
    if let Some(level) = text.strip_prefix("level_") {
        let level = level.parse().ok().filter(|level| (1..=10).contains(level))?;
        return Some((BonusKind::Level, Some(level)));
    }
    Some((text.parse().ok()?, None))
}

fn filter(params: &ListParams, more: Option<&BonusParams>) -> Result<Filter, Error> {
    params.days()?;
    let day = |text: &Option<String>| text.as_deref().and_then(business_day::read);
    let asked = named(
        "bonusType",
        more.and_then(|m| m.bonus_type.as_deref()),
        bonus_type,
    )?;
    Ok(Filter {
        receiver: None,
        from: day(&params.start_date),
        to: day(&params.end_date),
        kind: asked.map(|(kind, _)| kind),
        level: asked.and_then(|(_, level)| level),
        search: params.searched(),
        reason: None,
    })
}

fn column(params: &ListParams, sort: &'static [(&'static str, &'static str)]) -> Result<&'static str, Error> {
    let keys: Vec<&'static str> = sort.iter().map(|(key, _)| *key).collect();
    let key = params.sort_key(&keys)?;
    Ok(sort
        .iter()
        .find(|(name, _)| *name == key)
        .map_or("true", |(_, column)| column))
}

const SORT: &[(&str, &str)] = &[
    ("created_at", "b.booked_at"),
    ("value", "b.gross"),
    ("level", "b.level"),
];
const STAFF_SORT: &[(&str, &str)] = &[
    ("created_at", "b.booked_at"),
    ("value", "b.gross"),
    ("level", "b.level"),
    ("username", "a.username_key"),
];
const LOST_SORT: &[(&str, &str)] = &[
    ("created_at", "c.day"),
    ("points", "m.lost"),
    ("username", "a.username_key"),
];

/// `level_3`, `binary`: how texts name a type of bonus.
fn type_word(bonus: &BonusView) -> String {
    match bonus.kind {
        BonusKind::Level => format!("bonus_level_{}", bonus.level),
        kind => format!("bonus_{kind}"),
    }
}

fn reason_word(reason: LostReason) -> String {
    format!("lost_{reason}")
}

const LOG: File<BonusView> = File {
    name: "bonuses",
    columns: &[
        ("date", |b, _| Cell::moment(b.created_at)),
        ("day", |b, _| Cell::from(&*b.business_day)),
        ("kind", |b, locale| Cell::word(locale, &type_word(b))),
        ("origin", |b, _| Cell::maybe(b.source.as_deref())),
        ("base", |b, _| Cell::number(Some(b.base))),
        ("percentage", |b, _| Cell::number(Some(&b.percentage))),
        ("total", |b, _| Cell::number(Some(b.gross))),
        ("paid", |b, _| Cell::number(Some(b.paid))),
        ("waiting", |b, _| Cell::number(Some(b.waiting))),
        ("lost", |b, _| Cell::number(Some(b.lost))),
        ("dropped", |b, _| Cell::number(Some(b.dropped))),
        ("returned", |b, _| Cell::number(Some(b.returned))),
        ("reason", |b, locale| match b.lost_reason {
            Some(reason) => Cell::word(locale, &reason_word(reason)),
            None => Cell::from(""),
        }),
        ("status", |b, locale| {
            Cell::word(locale, &format!("bonus_{}", b.status))
        }),
    ],
};

/// Own bonuses, the newest first. Sorts by created_at, value or level. Filters: startDate, endDate (business days), bonusType.
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), params(takes::Pages, takes::AsOf, takes::Sorting, takes::Days, takes::Format, BonusParams), responses(
    (status = 200, content((BonusLog = "application/json"), (String = "text/csv"))), (status = 422, body = ErrorBody)))]
#[get("/affiliates/bonus-log")]
pub async fn bonus_log(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
    more: web::Query<BonusParams>,
) -> Result<HttpResponse, Error> {
    let paging = params.paging(10)?;
    let sort = column(&params, SORT)?;
    let filter = Filter {
        receiver: caller.own().owner().map(UserId),
        ..filter(&params, Some(&more))?
    };
    let read = {
        let (context, filter) = (context.clone(), filter.clone());
        async move |paging: Paging| {
            let now = context.now();
            let (rows, total) = store::bonuses(context.db.pool(), &filter, &paging, sort, now).await?;
            Ok::<_, Error>((rows.into_iter().map(|row| row.bonus).collect::<Vec<_>>(), total))
        }
    };
    if params.file()? {
        return LOG.respond(&context, caller.user, &paging, read).await;
    }
    let (rows, total) = read(paging.clone()).await?;
    let newest = params.newest(&rows, |bonus| bonus.created_at);
    let page = Page::new(rows, &paging, total).growing(&paging, newest);
    Ok(HttpResponse::Ok().json(BonusLog {
        data: page.data,
        meta: page.meta,
        totals: store::totals(context.db.pool(), &filter).await?,
        days: store::days(context.db.pool(), &filter).await?,
    }))
}

const REPORT: File<BonusReportRow> = File {
    name: "bonus-report",
    columns: &[
        ("date", |b, _| Cell::moment(b.bonus.created_at)),
        ("day", |b, _| Cell::from(&*b.bonus.business_day)),
        ("user", |b, _| Cell::from(&*b.username)),
        ("kind", |b, locale| Cell::word(locale, &type_word(&b.bonus))),
        ("origin", |b, _| Cell::maybe(b.bonus.source.as_deref())),
        ("base", |b, _| Cell::number(Some(b.bonus.base))),
        ("percentage", |b, _| Cell::number(Some(&b.bonus.percentage))),
        ("total", |b, _| Cell::number(Some(b.bonus.gross))),
        ("paid", |b, _| Cell::number(Some(b.bonus.paid))),
        ("waiting", |b, _| Cell::number(Some(b.bonus.waiting))),
        ("lost", |b, _| Cell::number(Some(b.bonus.lost))),
        ("dropped", |b, _| Cell::number(Some(b.bonus.dropped))),
        ("returned", |b, _| Cell::number(Some(b.bonus.returned))),
        ("reason", |b, locale| match b.bonus.lost_reason {
            Some(reason) => Cell::word(locale, &reason_word(reason)),
            None => Cell::from(""),
        }),
        ("status", |b, locale| {
            Cell::word(locale, &format!("bonus_{}", b.bonus.status))
        }),
    ],
};

/// Everybody's bonuses, the newest first. Sorts by created_at, value, level or username. Filters: startDate, endDate (business days),
/// bonusType, search (username, name).
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), params(takes::Pages, takes::AsOf, takes::Sorting, takes::Days, takes::Search, takes::Format, BonusParams), responses(
    (status = 200, content((BonusReport = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/bonus-report")]
pub async fn bonus_report(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
    more: web::Query<BonusParams>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let paging = params.paging(10)?;
    let sort = column(&params, STAFF_SORT)?;
    let filter = filter(&params, Some(&more))?;
    if params.file()? {
        let (context_of, filter) = (context.clone(), filter.clone());
        let read = async move |paging: Paging| {
            let now = context_of.now();
            store::bonuses(context_of.db.pool(), &filter, &paging, sort, now).await
        };
        return REPORT.respond(&context, caller.user, &paging, read).await;
    }
    let (rows, total) = store::bonuses(context.db.pool(), &filter, &paging, sort, context.now()).await?;
    let newest = params.newest(&rows, |row| row.bonus.created_at);
    let page = Page::new(rows, &paging, total).growing(&paging, newest);
    Ok(HttpResponse::Ok().json(BonusReport {
        data: page.data,
        meta: page.meta,
        totals: store::totals(context.db.pool(), &filter).await?,
        days: store::days(context.db.pool(), &filter).await?,
    }))
}

const LOST: File<LostPointsRow> = File {
    name: "lost-points",
    columns: &[
        ("day", |l, _| Cell::from(&*l.business_day)),
        ("user", |l, _| Cell::from(&*l.username)),
        ("name", |l, _| Cell::from(&*l.full_name)),
        ("left_points", |l, _| Cell::number(Some(l.left_points))),
        ("right_points", |l, _| Cell::number(Some(l.right_points))),
        ("matched", |l, _| Cell::number(Some(l.matched))),
        ("paid_points", |l, _| Cell::number(Some(l.paid))),
        ("lost", |l, _| Cell::number(Some(l.lost))),
        ("reason", |l, locale| Cell::word(locale, &reason_word(l.reason))),
    ],
};

/// Points that closings matched and did not pay, the newest first. Sorts by created_at, points or username. Filters: startDate, endDate
/// (business days), reason, search (username, name).
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), params(takes::Pages, takes::Sorting, takes::Days, takes::Search, takes::Format, LostParams), responses(
    (status = 200, content((LostPointsPage = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/binary-lost-points-report")]
pub async fn lost_points(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
    more: web::Query<LostParams>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let paging = params.paging(10)?;
    let sort = column(&params, LOST_SORT)?;
    let reason = named("reason", more.reason.as_deref(), |r| r.parse().ok())?;
    let filter = Filter {
        reason,
        ..filter(&params, None)?
    };
    if params.file()? {
        let (context_of, filter) = (context.clone(), filter.clone());
        let read = async move |paging: Paging| {
            store::lost_points(context_of.db.pool(), &filter, &paging, sort).await
        };
        return LOST.respond(&context, caller.user, &paging, read).await;
    }
    let (rows, total) = store::lost_points(context.db.pool(), &filter, &paging, sort).await?;
    let page = Page::new(rows, &paging, total);
    Ok(HttpResponse::Ok().json(LostPointsPage {
        data: page.data,
        meta: page.meta,
        totals: store::lost_totals(context.db.pool(), &filter).await?,
        days: store::lost_days(context.db.pool(), &filter).await?,
    }))
}
