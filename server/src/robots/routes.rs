//! Calls of robots (docs/rules/desk.md, docs/rules/licences.md#robot-status).

use super::{
    live, manual,
    model::{RobotConfig, WhichRobot},
    reversals, service, watch,
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        http::{Headers, ListParams, Page, Paging, takes},
        idempotency::{self, Key},
        listing::{self, File},
        sheet::Cell,
    },
    identity::caller::Caller,
    licences::{
        model::{Amount, LicenceMoved, Relocation, RobotSettings},
        service as licences,
    },
};
use actix_web::{
    HttpResponse, get,
    http::StatusCode,
    patch, post,
    web::{Data, Json, Path, Query},
};
use protocol::{
    Permission,
    glimpse::FeedsView,
    ids::LicenceId,
    views::{LegView, LicenceView, OrderView},
};
use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(without_operation)
        .service(orders_history)
        .service(allocate_value)
        .service(relocate_value)
        .service(robot_withdraw)
        .service(config_robot)
        .service(search_config_robot)
        .service(feeds)
        .configure(reversals::routes::configure)
        .configure(manual::routes::configure)
        .configure(live::routes::configure);
}

/// Active licences whose robot does not work now.
#[utoipa::path(tag = "robots", security(("bearer" = [])),
    responses((status = 200, body = Vec<LicenceView>), (status = "default", body = ErrorBody)))]
#[get("/dashboard/my-results/without-operation")]
async fn without_operation(context: Data<Context>, caller: Caller) -> Result<Json<Vec<LicenceView>>, Error> {
    Ok(Json(service::without_operation(&context, &caller).await?))
}

/// A robot's operations with their legs, newest first.
#[utoipa::path(tag = "robots", security(("bearer" = [])), params(("robotId" = LicenceId, Path), takes::Pages, takes::AsOf, takes::Sorting, takes::Format),
    responses((status = 200, content((Page<OrderView> = "application/json"), (String = "text/csv"))), (status = "default", body = ErrorBody)))]
#[get("/trader/orders-history/{robotId}")]
async fn orders_history(
    context: Data<Context>,
    caller: Caller,
    robot: Path<LicenceId>,
    params: Query<ListParams>,
) -> Result<HttpResponse, Error> {
    params.checked()?;
    params.sort_key(&["created_at"])?;
    let (all, scope, robot) = (context.clone(), caller.own(), robot.into_inner());
    service::require_robot(&context, scope, robot).await?;
    let read = async move |paging: Paging| service::orders(&all, scope, robot, &paging).await;
    listing::answer_growing(&context, caller.user, &params, 10, FILE, |o| o.created_at, read).await
}

const FILE: File<OrderView> = File {
    name: "operations",
    columns: &[
        ("date", |o, _| Cell::moment(o.created_at)),
        ("route", |o, _| Cell::from(&*o.route)),
        ("legs", |o, locale| {
            let leg = |l: &LegView| {
                let side = locale.text("words", &l.side.to_string());
                format!("{side} {} {} @ {} ({})", l.quantity, l.symbol, l.price, l.venue)
            };
            Cell::from(o.legs.iter().map(leg).collect::<Vec<_>>().join(" · "))
        }),
        ("volume", |o, _| Cell::number(Some(o.volume))),
        ("fees", |o, _| Cell::number(Some(o.fees))),
        ("result", |o, _| Cell::number(Some(o.result))),
        ("cut", |o, _| Cell::number(Some(o.cut))),
        ("taken_back", |o, _| {
            o.reversed_at.map_or(Cell::maybe(None), Cell::moment)
        }),
        ("mode", |o, locale| Cell::word(locale, o.mode.as_str())),
    ],
};

/// Lends capital of the top-up to the desk. Needs `Idempotency-Key`.
#[utoipa::path(tag = "robots", security(("bearer" = [])), request_body = Amount, params(("Idempotency-Key" = String, Header)),
    responses((status = 200, body = LicenceMoved), (status = "default", body = ErrorBody)))]
#[post("/trader/allocate-value-in-trading")]
async fn allocate_value(
    context: Data<Context>,
    caller: Caller,
    headers: Headers,
    body: Json<Amount>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        licences::allocate(&context, tx, &caller, &key, &body).await
    })
    .await
}

/// Moves allocated capital to another own licence, or back to the top-up. Needs `Idempotency-Key`.
#[utoipa::path(tag = "robots", security(("bearer" = [])), request_body = Relocation, params(("Idempotency-Key" = String, Header)),
    responses((status = 200, body = LicenceMoved), (status = "default", body = ErrorBody)))]
#[post("/trader/relocate-value")]
async fn relocate_value(
    context: Data<Context>,
    caller: Caller,
    headers: Headers,
    body: Json<Relocation>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        licences::relocate(&context, tx, &caller, &key, &body).await
    })
    .await
}

/// Takes yield out on its days. Needs `Idempotency-Key`.
#[utoipa::path(tag = "robots", security(("bearer" = [])), request_body = Amount, params(("Idempotency-Key" = String, Header)),
    responses((status = 200, body = LicenceMoved), (status = "default", body = ErrorBody)))]
#[post("/trader/robot-withdraw")]
async fn robot_withdraw(
    context: Data<Context>,
    caller: Caller,
    headers: Headers,
    body: Json<Amount>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        licences::withdraw_yield(&context, tx, &caller, &key, &body).await
    })
    .await
}

/// Changes a robot's settings: pause, manual-operation key, daily gain goal.
#[utoipa::path(tag = "robots", security(("bearer" = [])), request_body = RobotSettings,
    responses((status = 200, body = LicenceView), (status = "default", body = ErrorBody)))]
#[patch("/trader/config-robot-trader")]
async fn config_robot(
    context: Data<Context>,
    caller: Caller,
    body: Json<RobotSettings>,
) -> Result<Json<LicenceView>, Error> {
    Ok(Json(licences::configure(&context, &caller, &body).await?))
}

/// A robot's settings.
#[utoipa::path(tag = "robots", security(("bearer" = [])), params(WhichRobot),
    responses((status = 200, body = RobotConfig), (status = "default", body = ErrorBody)))]
#[get("/trader/search-config-robot-trader")]
async fn search_config_robot(
    context: Data<Context>,
    caller: Caller,
    which: Query<WhichRobot>,
) -> Result<Json<RobotConfig>, Error> {
    Ok(Json(service::config(&context, &caller, which.licence).await?))
}

/// How the desk's feed and its venues are doing, as the node that runs the desk last said.
#[utoipa::path(tag = "robots", security(("bearer" = [])),
    responses((status = 200, body = FeedsView), (status = "default", body = ErrorBody)))]
#[get("/admin/feeds")]
async fn feeds(context: Data<Context>, caller: Caller) -> Result<Json<FeedsView>, Error> {
    caller.staff(Permission::AdminDashboard)?;
    Ok(Json(watch::feeds(&context).await?))
}
