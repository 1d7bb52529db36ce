//! All members' robots, for who decides about money (docs/rules/reports.md#robots-of-members): whose each is, how it stands, what is allocated
//! and what it has brought in one mode. Results of different modes are never added up: the list is read in one of them.

mod store;

use crate::{
    error::{Error, ErrorBody},
    foundation::{
        business_day,
        context::Context,
        http::{ListParams, Meta, Page, Paging, named, takes},
        listing::File,
        sheet::Cell,
    },
    identity::caller::Caller,
    licences::service::world_mode,
};
use actix_web::{HttpResponse, get, web};
use protocol::{
    Permission,
    ids::{LicenceId, UserId},
    money::Usdt,
    views::{Mode, RobotStatus},
};
use serde::{Deserialize, Serialize};
use store::{Filter, Moment, Which};
use time::OffsetDateTime;

/// A member's robot: that of a licence.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberRobot {
    /// Of its licence.
    #[serde(rename = "_id")]
    pub id: LicenceId,
    pub user: UserId,
    pub username: String,
    pub full_name: String,
    /// Running number of the licence among its owner's.
    pub number: i32,
    /// Of the licence.
    pub value: Usdt,
    pub is_high_risk: bool,
    pub status: RobotStatus,
    /// The one in which its results are told.
    pub mode: Mode,
    pub allocated: Usdt,
    /// What it has brought on this business day.
    pub today: Usdt,
    /// And since it was bought.
    pub total: Usdt,
    /// When the licence was bought.
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// What all robots add up to that the filters let through.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RobotSums {
    pub owners: i64,
    /// That the desk trades with by itself.
    pub working: i64,
    pub allocated: Usdt,
    pub today: Usdt,
}

/// A page of robots with the sums of all that the filters let through.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct MemberRobotsPage {
    pub data: Vec<MemberRobot>,
    pub meta: Meta,
    /// In which all results of the page are told.
    pub mode: Mode,
    pub sums: RobotSums,
}

/// In which mode results are told.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct InMode {
    /// `simulated`, `paper` or `live`: that of the desk when none is given; of another one only robots with a result in it.
    #[serde(default)]
    pub mode: Option<String>,
}

/// The orders of the list; of each its column.
const SORT: &[&str] = &["created_at", "username", "value", "status", "allocated", "today"];

const FILE: File<MemberRobot> = File {
    name: "robots",
    columns: &[
        ("date", |r, _| Cell::moment(r.created_at)),
        ("user", |r, _| Cell::from(&*r.username)),
        ("name", |r, _| Cell::from(&*r.full_name)),
        ("number", |r, _| Cell::number(Some(r.number))),
        ("risk", |r, locale| {
            Cell::word(locale, if r.is_high_risk { "high_risk" } else { "standard" })
        }),
        ("value", |r, _| Cell::number(Some(r.value))),
        ("mode", |r, locale| Cell::word(locale, r.mode.as_str())),
        ("status", |r, locale| Cell::word(locale, r.status.as_str())),
        ("allocated", |r, _| Cell::number(Some(r.allocated))),
        ("today", |r, _| Cell::number(Some(r.today))),
        ("total", |r, _| Cell::number(Some(r.total))),
    ],
};

/// All members' robots. Sorts by created_at, username, value, status, allocated or today. `search` finds by name, username, e-mail or the licence's
/// number; `kind` is `standard` or `high_risk`, `status` that of a robot or `working` (`operating` and `joining`); the days are those on which the
/// licences were bought.
#[utoipa::path(tag = "reports", params(takes::Pages, takes::AsOf, takes::Sorting, takes::Search, takes::Status, takes::OfKind, takes::Days, takes::Format, InMode),
    responses((status = 200, content((MemberRobotsPage = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[get("/admin/robots")]
pub async fn robots(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
    of: web::Query<InMode>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let paging = params.paging(10)?;
    let sort = params.sort_key(SORT)?;
    let (from, until) = params.days()?;
    let now = context.now();
    let desk = world_mode(&context);
    let mode = named("mode", of.mode.as_deref(), |word| word.parse::<Mode>().ok())?.unwrap_or(desk);
    let filter = Filter {
        search: params.searched(),
        status: named("status", params.status.as_deref(), Which::read)?,
        is_high_risk: named("kind", params.kind.as_deref(), |word| match word {
            "high_risk" => Some(true),
            "standard" => Some(false),
            _ => None,
        })?,
        mode,
        with_results: mode != desk,
        from,
        until,
        at: Moment {
            now,
            today: business_day::of(now),
            least_allocation: context.settings.current(now).await?.settings.minimum_allocation,
        },
    };
    let db = context.db.clone();
    if params.file()? {
        let read = async move |paging: Paging| store::list(db.pool(), &filter, &paging, sort).await;
        return FILE.respond(&context, caller.user, &paging, read).await;
    }
    let (rows, total) = store::list(db.pool(), &filter, &paging, sort).await?;
    let sums = store::sums(db.pool(), &filter, &paging).await?;
    let newest = params.newest(&rows, |robot| robot.created_at);
    let Page { data, meta } = Page::new(rows, &paging, total).growing(&paging, newest);
    Ok(HttpResponse::Ok().json(MemberRobotsPage {
        data,
        meta,
        mode,
        sums,
    }))
}
