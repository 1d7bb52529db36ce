//! A person's results at a glance: the figures, what their robots brought, and the robots at work.

use super::figures::{self, Figures};
use crate::{
    error::{Error, ErrorBody},
    foundation::{business_day, context::Context},
    identity::caller::Caller,
    licences::{rules, service as licences},
};
use actix_web::{get, web};
use protocol::{
    money::Usdt,
    views::{LicenceView, Mode},
};
use serde::Serialize;

/// One's own results: money at work and what it brought, in the world's mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MyResults {
    pub mode: Mode,
    #[serde(flatten)]
    pub figures: Figures,
    /// The accounts that `total` adds up, for who hears of their changes.
    pub total_accounts: &'static [&'static str],
    pub bonus: Usdt,
    /// Principal in pools.
    pub pools: Usdt,
    pub topup: Usdt,
    pub allocated: Usdt,
    #[serde(rename = "yield")]
    pub yield_balance: Usdt,
    pub today: Usdt,
    pub total_gain: Usdt,
    pub total_loss: Usdt,
    pub operations: i64,
    /// Days on which yield may leave, and the next of them.
    pub yield_days: Vec<u8>,
    pub next_yield_day: Option<String>,
    /// Licences whose robot operates or has reached its goal.
    pub robots: Vec<LicenceView>,
}

/// The answer of my-results, under the name that its callers know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct MyResultsAnswer {
    #[serde(rename = "myResults")]
    pub my_results: MyResults,
}

/// One's own results with the robots at work.
#[utoipa::path(tag = "robots", security(("bearer" = [])),
    responses((status = 200, body = MyResultsAnswer), (status = "default", body = ErrorBody)))]
#[get("/dashboard/my-results")]
pub async fn my_results(
    context: web::Data<Context>,
    caller: Caller,
) -> Result<web::Json<MyResultsAnswer>, Error> {
    let now = context.now();
    let settings = context.settings.current(now).await?;
    let views = licences::views(&context, caller.own(), None).await?;
    let mut tx = context.db.snapshot().await?;
    let (figures, balances) = figures::read(tx.conn(), caller.user).await?;
    tx.rollback().await?;
    let sum = |of: fn(&LicenceView) -> Usdt| views.iter().map(of).sum::<Usdt>();
    let next = rules::next_yield_day(business_day::of(now), &settings.settings.yield_days);
    let my_results = MyResults {
        mode: licences::world_mode(&context),
        figures,
        total_accounts: &figures::TOTAL,
        bonus: balances.of("bonus"),
        pools: balances.of("pool_principal"),
        topup: balances.of("topup"),
        allocated: balances.of("allocated"),
        yield_balance: balances.of("yield"),
        today: sum(|v| v.today),
        total_gain: sum(|v| v.total_gain),
        total_loss: sum(|v| v.total_loss),
        operations: views.iter().map(|v| v.operations).sum(),
        yield_days: settings.settings.yield_days.clone(),
        next_yield_day: next.map(|d| d.to_string()),
        robots: views
            .into_iter()
            .filter(|v| rules::trades(v.robot_status))
            .collect(),
    };
    Ok(web::Json(MyResultsAnswer { my_results }))
}
