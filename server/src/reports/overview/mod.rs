//! What the house is doing now, on one page for staff (docs/rules/reports.md#overview): people, licences, robots by mode, money in and
//! out by day, queues, coverage, payout ratio, health.
//!
//! Figures are read from the books and the facts and kept for ten seconds on a node: an open page costs what one reader costs. A list
//! that a figure leads to asks for its own permission; the overview tells sums alone.

mod store;

use crate::{
    affiliates::payout::{model::PayoutCeiling, service as payout},
    error::{Error, ErrorBody},
    foundation::{business_day, context::Context, job_queue},
    identity::{caller::Caller, closing},
    licences::service as licences,
    reports::{
        solvency,
        waiting::{self, WaitingQueue},
    },
    robots::watch,
    support::service as support,
    wallet::hot::jobs::is_signing,
};
use actix_web::{get, web};
use protocol::{Permission, money::Usdt, views::Mode};
use serde::Serialize;
use std::sync::Arc;
use time::{Duration, OffsetDateTime};
use tokio::sync::Mutex;

/// Business days of the lines, today inside.
const DAYS: i64 = 30;
/// How long a reading is good.
const FRESH: Duration = Duration::seconds(10);

/// Kind of the jobs that send mails.
const MAIL: &str = "mail.send";

/// The newest reading, and who reads: whoever comes meanwhile waits for it. Part of the context.
#[derive(Clone, Default)]
pub struct Kept(Arc<Mutex<Option<Arc<GeneralView>>>>);

/// People who registered.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct People {
    pub all: i64,
    pub active: i64,
    /// Whose e-mail is not confirmed yet.
    pub unconfirmed: i64,
    pub today: i64,
    pub last_7_days: i64,
    pub last_30_days: i64,
}

/// Licences that run.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Licences {
    pub active: i64,
    pub value: Usdt,
    /// Their top-ups.
    pub topup: Usdt,
    pub allocated: Usdt,
    pub plans: Vec<PlanShare>,
}

/// What of the running licences is of one value and risk; the most first.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanShare {
    /// Of one licence.
    pub price: Usdt,
    pub is_high_risk: bool,
    pub active: i64,
    /// Of all of them.
    pub value: Usdt,
}

/// The robots of running licences.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Robots {
    /// What the desk works in now.
    pub mode: Mode,
    /// That the desk trades with by itself: money enough, not paused, the day's goal not reached, no key of manual operation.
    pub working: i64,
    pub paused: i64,
    /// With nothing allocated.
    pub idle: i64,
    /// With the key of manual operation.
    pub manual: i64,
    pub today: Vec<ModeDay>,
}

/// What robots have booked today in one mode.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModeDay {
    pub mode: Mode,
    pub gain: Usdt,
    pub loss: Usdt,
    pub operations: i64,
    /// Robots with a result.
    pub robots: i64,
}

/// What one business day brought and took.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DayOfHouse {
    /// `2026-11-24`.
    pub day: String,
    /// Credited to customers, by PIX and over the chain; less what was taken back.
    pub in_pix: Usdt,
    pub in_chain: Usdt,
    /// Left customers' balances, fees inside.
    pub out_pix: Usdt,
    pub out_chain: Usdt,
    pub registered: i64,
    pub licences_sold: i64,
}

/// What waits in a queue of staff.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueAge {
    pub queue: WaitingQueue,
    pub pending: i64,
    #[serde(with = "time::serde::rfc3339::option")]
    pub oldest: Option<OffsetDateTime>,
}

/// The tickets that wait for an answer. Nobody decides on them, so they are no queue of the approvals.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TicketsAge {
    pub pending: i64,
    #[serde(with = "time::serde::rfc3339::option")]
    pub oldest: Option<OffsetDateTime>,
}

/// What we hold of what we owe.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoverageNow {
    pub held: Usdt,
    pub owed: Usdt,
    /// In percent with two decimals; none where nothing is owed or the chain was never read.
    pub coverage: Option<String>,
}

/// Whether the parts that work by themselves do.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HouseHealth {
    /// Somebody has signed for the chain within the last minute.
    pub signing: bool,
    /// Jobs whose time has come, and since when the first of them waits.
    pub jobs_due: i64,
    #[serde(with = "time::serde::rfc3339::option")]
    pub jobs_since: Option<OffsetDateTime>,
    /// Jobs that were given up after many tries: somebody must look.
    pub jobs_parked: i64,
    /// Accounts that should have been closed more than an hour ago.
    pub closings_late: i64,
    /// Mails that are due and not sent.
    pub mails_due: i64,
    /// The desk reads its feed.
    pub desk: bool,
}

/// The house on one page.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GeneralView {
    #[serde(with = "time::serde::rfc3339")]
    pub as_of: OffsetDateTime,
    pub people: People,
    pub licences: Licences,
    pub robots: Robots,
    /// 30 business days, the oldest first, today last.
    pub days: Vec<DayOfHouse>,
    pub queues: Vec<QueueAge>,
    pub tickets: TicketsAge,
    pub coverage: CoverageNow,
    pub payout: PayoutCeiling,
    pub health: HouseHealth,
}

/// What the house is doing now.
#[utoipa::path(tag = "reports", security(("bearer" = [])), responses((status = 200, body = GeneralView), (status = 403, body = ErrorBody)))]
#[get("/admin/general-view")]
pub async fn general_view(
    context: web::Data<Context>,
    caller: Caller,
) -> Result<web::Json<Arc<GeneralView>>, Error> {
    caller.staff(Permission::AdminDashboard)?;
    let now = context.now();
    let Some(Kept(kept)) = context.part::<Kept>() else {
        return Ok(web::Json(Arc::new(read(&context, &caller, now).await?)));
    };
    let mut kept = kept.lock().await;
    if let Some(view) = kept.as_ref().filter(|view| now - view.as_of < FRESH) {
        return Ok(web::Json(Arc::clone(view)));
    }
    let view = Arc::new(read(&context, &caller, now).await?);
    *kept = Some(Arc::clone(&view));
    Ok(web::Json(view))
}

async fn read(context: &Context, caller: &Caller, now: OffsetDateTime) -> Result<GeneralView, Error> {
    let today = business_day::of(now);
    let first = today - Duration::days(DAYS - 1);
    let mut tx = context.db.snapshot().await?;
    let people = store::people(tx.conn(), today).await?;
    let licences = store::licences(tx.conn()).await?;
    let least_allocation = context
        .settings
        .within(&mut tx)
        .await?
        .settings
        .minimum_allocation;
    let robots = store::robots(tx.conn(), today, least_allocation).await?;
    let results = store::results(tx.conn(), today).await?;
    let days = store::days(tx.conn(), first, today).await?;
    let queues = waiting::queues(tx.conn(), caller.user, now).await?;
    let (pending, oldest) = support::waiting(&mut *tx.conn()).await?;
    let payout = payout::ceiling(context, &mut tx).await?;
    let jobs = job_queue::waiting(&mut *tx.conn(), now).await?;
    let signing = is_signing(&mut *tx.conn(), now).await?;
    let closings_late = closing::late(&mut tx, now).await?;
    tx.rollback().await?;
    let sums = solvency::coverage::sums(context).await?;
    let feed = watch::feeds(context).await?;
    Ok(GeneralView {
        as_of: now,
        people,
        licences,
        robots: Robots {
            mode: licences::world_mode(context),
            working: robots.working,
            paused: robots.paused,
            idle: robots.idle,
            manual: robots.manual,
            today: results,
        },
        days,
        queues: queues
            .into_iter()
            .map(|state| QueueAge {
                queue: state.queue,
                pending: state.pending,
                oldest: state.oldest,
            })
            .collect(),
        tickets: TicketsAge { pending, oldest },
        coverage: CoverageNow {
            held: sums.held,
            owed: sums.owed,
            coverage: sums.percent(),
        },
        payout,
        health: HouseHealth {
            signing,
            jobs_due: jobs.iter().map(|j| j.due).sum(),
            jobs_since: jobs.iter().filter_map(|j| j.oldest).min(),
            jobs_parked: jobs.iter().map(|j| j.parked).sum(),
            closings_late,
            mails_due: jobs.iter().filter(|j| j.kind == MAIL).map(|j| j.due).sum(),
            desk: feed.running,
        },
    })
}
