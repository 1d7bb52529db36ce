//! Where results come from: per day, robot and route, bonuses by kind, what one owns over time (docs/rules/reports.md#results).
//!
//! What one owns and what was paid in are the house's one [figures](super::figures), day by day.
//!
//! Results come from the roll-up of `robots::days`, one mode at a time; balances at a day's end from what is closed, and where it
//! is not yet, from the postings.

pub mod rules;
mod store;

use super::figures;
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        business_day,
        context::{Context, World},
    },
    identity::{caller::Caller, service as identity},
    licences::service as licences,
    robots::days,
};
use actix_web::{get, web};
use protocol::{ErrorCode, ids::LicenceId, money::Usdt, views::Mode};
use serde::{Deserialize, Serialize};
use time::{Date, Duration};

/// Routes shown by themselves; the others are one line.
const ROUTES: usize = 50;

/// What of the analytics is asked for.
#[derive(Clone, Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AnalyticsParams {
    /// The world's own mode when absent.
    #[serde(default)]
    pub mode: Option<Mode>,
    /// Days, routes and drawdown of one robot.
    #[serde(default)]
    pub robot: Option<LicenceId>,
}

/// Results of operations; gains and losses are never netted against each other but in `net`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ResultSums {
    pub gain: Usdt,
    /// ≥ 0.
    pub loss: Usdt,
    pub net: Usdt,
    /// Of the exchanges, already inside the results.
    pub fees: Usdt,
    pub operations: i64,
    /// Operations that ended above zero.
    pub hits: i64,
}

impl From<days::rules::Tally> for ResultSums {
    fn from(t: days::rules::Tally) -> Self {
        Self {
            gain: t.gain,
            loss: t.loss,
            net: t.net(),
            fees: t.fees,
            operations: t.operations,
            hits: t.hits,
        }
    }
}

/// A day's results; days without operations are there with zeros.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct DayResults {
    /// `YYYY-MM-DD` of São Paulo.
    pub day: String,
    #[serde(flatten)]
    pub sums: ResultSums,
}

/// A robot's results in the period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct RobotResults {
    pub licence: LicenceId,
    pub number: i32,
    #[serde(flatten)]
    pub sums: ResultSums,
}

/// A route's results in the period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct RouteResults {
    pub route: String,
    #[serde(flatten)]
    pub sums: ResultSums,
}

/// What the network paid on a day, by its type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct BonusOfDay {
    pub day: String,
    /// `level`, `direct_sale`, `indirect_sale`, `residual`, `binary`, `graduation_bonus`; `bonus` of one without a type.
    pub kind: String,
    pub amount: Usdt,
}

/// The total at a day's end, and what had been paid in and taken out by then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EquityPoint {
    pub day: String,
    pub total: Usdt,
    pub paid_in: Usdt,
    pub taken_out: Usdt,
    pub net_paid_in: Usdt,
}

/// How far the period's result stood below its best so far; ≤ 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct DrawdownPoint {
    pub day: String,
    pub amount: Usdt,
}

/// Capital that will be free to leave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FreeCapital {
    pub day: String,
    pub amount: Usdt,
}

/// Where results come from, over a period of São Paulo days that ends today.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Analytics {
    pub first_day: String,
    pub last_day: String,
    pub mode: Mode,
    /// The modes in which there are results at all.
    pub modes: Vec<Mode>,
    /// False for what is only recorded: it "would have" been, and no balance shows it.
    pub booked: bool,
    pub total: ResultSums,
    pub days: Vec<DayResults>,
    pub robots: Vec<RobotResults>,
    /// The busiest first.
    pub routes: Vec<RouteResults>,
    /// Those that are not listed, and how many they are.
    pub other_routes: ResultSums,
    pub other_routes_count: i64,
    pub bonus: Vec<BonusOfDay>,
    pub bonus_month: Usdt,
    pub equity: Vec<EquityPoint>,
    pub drawdown: Vec<DrawdownPoint>,
    /// Money was once put in.
    pub deposited: bool,
    /// Among the best tenth of this month, in this mode.
    pub gold_trader: bool,
    /// The next day on which capital becomes free, and how much.
    pub next_free: Option<FreeCapital>,
}

/// Where one's results come from. `param`: `7d`, `30d`, `90d` or `all`.
#[utoipa::path(tag = "reports", security(("bearer" = [])), params(("param" = String, Path), AnalyticsParams),
    responses((status = 200, body = Analytics), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/dashboard/analytics/{param}")]
pub async fn analytics(
    context: web::Data<Context>,
    caller: Caller,
    param: web::Path<String>,
    params: web::Query<AnalyticsParams>,
) -> Result<web::Json<Analytics>, Error> {
    Ok(web::Json(read(&context, &caller, &param, &params).await?))
}

async fn first_day(context: &Context, caller: &Caller, param: &str, today: Date) -> Result<Date, Error> {
    let back = |days: i64| Ok(today - Duration::days(days - 1));
    match param {
        "7d" => back(7),
        "30d" => back(30),
        "90d" => back(90),
        "all" => {
            let account = identity::account(&context.db, caller.user).await?;
            Ok(business_day::of(account.created_at).min(today))
        }
        _ => Err(Error::code(ErrorCode::RequestInvalid).field("param", ErrorCode::RequestInvalid)),
    }
}

async fn read(
    context: &Context,
    caller: &Caller,
    param: &str,
    params: &AnalyticsParams,
) -> Result<Analytics, Error> {
    let today = business_day::of(context.now());
    let first = first_day(context, caller, param, today).await?;
    let mode = params.mode.unwrap_or_else(|| licences::world_mode(context));
    let robots = licences::views(context, caller.own(), None).await?;
    if let Some(robot) = params.robot
        && !robots.iter().any(|l| l.id == robot)
    {
        return Err(Error::code(ErrorCode::LicenceUnknown));
    }
    let all: Vec<LicenceId> = robots.iter().map(|l| l.id).collect();
    let chosen: Vec<LicenceId> = params.robot.map_or_else(|| all.clone(), |robot| vec![robot]);
    let mut tx = context.db.snapshot().await?;
    let span = store::Span {
        mode,
        first,
        last: today,
    };
    let modes = store::modes(tx.conn(), &all).await?;
    let by_day = store::days(tx.conn(), &chosen, &span).await?;
    let by_robot = store::robots(tx.conn(), &all, &span).await?;
    let by_route = store::routes(tx.conn(), &chosen, &span).await?;
    let bonus = store::bonus(tx.conn(), caller.user).await?;
    let ends = store::day_ends(tx.conn(), caller.user, today).await?;
    let paid = figures::paid(tx.conn(), caller.user).await?;
    let deposited = store::deposited(tx.conn(), caller.user).await?;
    let next_free = store::next_free(tx.conn(), caller.user, context.now()).await?;
    tx.rollback().await?;
    let gold_trader = days::is_gold(context, caller.user, mode).await?;

    let calendar: Vec<Date> = std::iter::successors(Some(first), |day| day.next_day())
        .take_while(|day| *day <= today)
        .collect();
    let on = |day: &Date| by_day.get(day).copied().unwrap_or_default();
    let mut total = days::rules::Tally::default();
    for day in &calendar {
        total += on(day);
    }
    let nets: Vec<Usdt> = calendar.iter().map(|day| on(day).net()).collect();
    let drawdown = calendar.iter().zip(rules::drawdown(&nets));
    let month = today.replace_day(1).unwrap_or(today);
    let mut other = days::rules::Tally::default();
    for (_, tally) in by_route.iter().skip(ROUTES) {
        other += *tally;
    }
    let so_far = |of: fn(&figures::Paid) -> Usdt| {
        rules::running(
            &calendar,
            &paid.iter().map(|(day, paid)| (*day, of(paid))).collect(),
        )
    };
    let crossed = so_far(|day| day.paid_in)
        .into_iter()
        .zip(so_far(|day| day.taken_out));
    let equity = rules::carry(&calendar, &ends).into_iter().zip(crossed);
    Ok(Analytics {
        first_day: first.to_string(),
        last_day: today.to_string(),
        mode,
        modes,
        booked: mode == Mode::Live || context.world == World::Demo,
        total: total.into(),
        days: calendar
            .iter()
            .map(|day| DayResults {
                day: day.to_string(),
                sums: on(day).into(),
            })
            .collect(),
        robots: by_robot
            .into_iter()
            .filter_map(|(licence, tally)| {
                let number = robots.iter().find(|l| l.id == licence)?.number;
                Some(RobotResults {
                    licence,
                    number,
                    sums: tally.into(),
                })
            })
            .collect(),
        other_routes_count: i64::try_from(by_route.len().saturating_sub(ROUTES)).unwrap_or(i64::MAX),
        other_routes: other.into(),
        routes: by_route
            .into_iter()
            .take(ROUTES)
            .map(|(route, tally)| RouteResults {
                route,
                sums: tally.into(),
            })
            .collect(),
        bonus_month: bonus.iter().filter(|b| b.day >= month).map(|b| b.amount).sum(),
        bonus: bonus
            .into_iter()
            .filter(|b| b.day >= first)
            .map(|b| BonusOfDay {
                day: b.day.to_string(),
                kind: b.kind,
                amount: b.amount,
            })
            .collect(),
        drawdown: drawdown
            .map(|(day, amount)| DrawdownPoint {
                day: day.to_string(),
                amount,
            })
            .collect(),
        equity: calendar
            .iter()
            .zip(equity)
            .map(|(day, (total, (paid_in, taken_out)))| EquityPoint {
                day: day.to_string(),
                total,
                paid_in,
                taken_out,
                net_paid_in: paid_in - taken_out,
            })
            .collect(),
        deposited,
        gold_trader,
        next_free: next_free.map(|(day, amount)| FreeCapital {
            day: day.to_string(),
            amount,
        }),
    })
}
