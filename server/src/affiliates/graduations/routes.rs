//! Ranks over HTTP: one's own, and for staff everybody's.

use super::{
    service::{self, GraduationItem, GraduationPage, OwnGraduation, RankedMember, RankedPage},
    store::{Filter, Standing},
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        business_day,
        context::Context,
        http::{ListParams, Page, Paging, named, takes},
        listing::File,
        locale::Locale,
        sheet::Cell,
    },
    identity::caller::Caller,
};
use actix_web::{HttpResponse, get, web};
use protocol::{Permission, views::Rank};
use serde::Deserialize;
use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(own_graduations)
        .service(graduation)
        .service(graduations);
}

/// Ranks that one reached, the newest first, with what became of their bonuses.
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), params(takes::Pages), responses(
    (status = 200, body = Page<OwnGraduation>), (status = 422, body = ErrorBody)))]
#[get("/affiliates/graduations")]
pub async fn own_graduations(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<web::Json<Page<OwnGraduation>>, Error> {
    let paging = params.paging(10)?;
    let filter = Filter {
        member: Some(caller.user),
        ..Filter::default()
    };
    let (rows, total) = service::items(&context, &filter, &paging, "g.reached_at").await?;
    let own = rows.into_iter().map(OwnGraduation::from).collect();
    Ok(web::Json(Page::new(own, &paging, total)))
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct GraduationParams {
    /// Active when listed.
    #[serde(default)]
    pub is_active: Option<bool>,
    #[serde(default)]
    pub is_bonus_paid: Option<bool>,
    /// Its payment waits for a second person.
    #[serde(default)]
    pub is_waiting: Option<bool>,
}

const SORT: &[(&str, &str)] = &[
    ("created_at", "g.reached_at"),
    ("rank", "g.rank"),
    ("username", "a.username_key"),
    ("bonus", "g.amount"),
];

const FILE: File<GraduationItem> = File {
    name: "graduations",
    columns: &[
        ("date", |g, _| Cell::moment(g.created_at)),
        ("user", |g, _| Cell::from(&*g.username)),
        ("name", |g, _| Cell::from(&*g.full_name)),
        ("rank", |g, locale| {
            Cell::word(locale, &format!("rank_{}", g.rank))
        }),
        ("points", |g, _| Cell::number(Some(g.threshold))),
        ("member", |g, locale| {
            Cell::word(locale, if g.is_active { "active" } else { "inactive" })
        }),
        ("value", |g, _| Cell::number(Some(g.bonus))),
        ("status", |g, locale| {
            Cell::word(locale, if g.is_bonus_paid { "paid" } else { "unpaid" })
        }),
        ("hash", |g, _| Cell::maybe(g.bonus_payment_hash.as_deref())),
    ],
};

fn rank_word(rank: Option<Rank>, locale: Locale) -> Cell {
    rank.map_or_else(
        || Cell::from(""),
        |rank| Cell::word(locale, &format!("rank_{rank}")),
    )
}

const MEMBERS: File<RankedMember> = File {
    name: "ranks",
    columns: &[
        ("user", |m, _| Cell::from(&*m.username)),
        ("name", |m, _| Cell::from(&*m.full_name)),
        ("rank", |m, locale| rank_word(m.rank, locale)),
        ("points", |m, _| Cell::number(Some(m.paid_points))),
        ("next_rank", |m, locale| {
            rank_word(m.next.as_ref().map(|next| next.name), locale)
        }),
        ("missing_points", |m, _| {
            Cell::number(m.next.as_ref().map(|next| next.missing))
        }),
        ("status", |m, locale| {
            Cell::word(locale, if m.is_active { "active" } else { "inactive" })
        }),
    ],
};

/// Ranks that were reached, with their bonuses. Sorts by created_at, rank, username or bonus. Filters: startDate, endDate (the business
/// day whose closing reached it), isActive, isBonusPaid, isWaiting.
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), params(takes::Pages, takes::Sorting, takes::Days, takes::Format, GraduationParams), responses(
    (status = 200, content((GraduationPage = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/graduation")]
pub async fn graduation(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
    more: web::Query<GraduationParams>,
) -> Result<HttpResponse, Error> {
    caller.staff(protocol::Queue::GraduationBonuses.permission())?;
    let paging = params.paging(10)?;
    let keys: Vec<&'static str> = SORT.iter().map(|(key, _)| *key).collect();
    let key = params.sort_key(&keys)?;
    let sort = SORT
        .iter()
        .find(|(name, _)| *name == key)
        .map_or("g.reached_at", |(_, column)| column);
    params.days()?;
    let day = |text: &Option<String>| text.as_deref().and_then(business_day::read);
    let filter = Filter {
        member: None,
        from: day(&params.start_date),
        to: day(&params.end_date),
        active: more.is_active,
        paid: more.is_bonus_paid,
        waiting: more.is_waiting,
    };
    if params.file()? {
        let context_of = context.clone();
        let read = async move |paging: Paging| service::items(&context_of, &filter, &paging, sort).await;
        return FILE.respond(&context, caller.user, &paging, read).await;
    }
    let (rows, total) = service::items(&context, &filter, &paging, sort).await?;
    let page = Page::new(rows, &paging, total);
    Ok(HttpResponse::Ok().json(GraduationPage {
        data: page.data,
        meta: page.meta,
        metrics: service::metrics(&context, &filter).await?,
    }))
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RankedParams {
    /// A rank, or `none` for those who are on the way to the first one; all by default.
    #[serde(default)]
    pub rank: Option<String>,
}

/// A rank as it is asked for, by its number.
fn rank_asked(word: &str) -> Option<i16> {
    if word == "none" {
        return Some(0);
    }
    let rank: Rank = word.parse().ok()?;
    (1i16..)
        .zip(Rank::ALL)
        .find(|(_, one)| **one == rank)
        .map(|(number, _)| number)
}

/// Members with a rank or on the way to the first one, each with the next one and the points that are missing for it: the highest rank
/// first, of one rank whoever is nearest to the next. Filters: search (username, name), rank.
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), params(takes::Pages, takes::Search, takes::Format, RankedParams), responses(
    (status = 200, content((RankedPage = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/graduations")]
pub async fn graduations(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
    more: web::Query<RankedParams>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let paging = params.paging(10)?;
    let filter = Standing {
        search: params.searched(),
        rank: named("rank", more.rank.as_deref(), rank_asked)?,
    };
    if params.file()? {
        let context_of = context.clone();
        let read = async move |paging: Paging| service::ranked(&context_of, &filter, &paging).await;
        return MEMBERS.respond(&context, caller.user, &paging, read).await;
    }
    let (rows, total) = service::ranked(&context, &filter, &paging).await?;
    let page = Page::new(rows, &paging, total);
    Ok(HttpResponse::Ok().json(RankedPage {
        data: page.data,
        meta: page.meta,
        metrics: service::counts(&context, filter.search.as_deref()).await?,
    }))
}
