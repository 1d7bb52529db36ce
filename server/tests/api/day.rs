//! A day of the desk, faster than the clock: the simulated market, the desk's own mind and the real books, in steps of its
//! own time. At the end everything is recomputed from the recorded fills alone, by another arithmetic than the desk's: per
//! operation, per robot, per mode, in the ledger.
//!
//! `ARBORA_DAY_MINUTES` says how long the day is (`make test-all`: two hours); `ARBORA_DAY_SEED` replays a day;
//! `ARBORA_DAY_WATCHED` names a folder through which browsers that look at it live are waited for (`tools/e2e day`).

use crate::{
    day_recomputed::recompute,
    guard::settings,
    kit::{Client, TestApp},
    licences::{buy, exact, fund, id},
    manual::steered,
};
use actix_web::http::StatusCode;
use actors::desk::{
    dice::Dice,
    floor::{Effect, Floor},
};
use argon2::{Argon2, PasswordHasher};
use protocol::{Glimpse, Permission, ids::NodeId, permission::Permissions, views::Mode};
use serde_json::json;
use server::{
    foundation::{
        clock::{Clock, SharedClock},
        context::Context,
        http::Headers,
        idempotency::{self, Key},
        lease,
        locale::Locale,
        transaction::Db,
    },
    identity::caller::{Caller, Completeness},
    ledger::{model::UserAccount, verify},
    licences::{rules, service as licences},
    market::simulated::{STEP_MS, Simulation},
    robots::{
        desk_runner,
        manual::{model::ManualWish, service as manual},
        service::{self, LEASE},
    },
};
use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};
use time::{Duration, OffsetDateTime};

const PLAN_100: &str = "0190a000-0000-7000-8000-000000010002";
const PLAN_500_RISKY: &str = "0190a000-0000-7000-8000-000000020004";
/// Time passes for the desk this often.
const TICK_MS: i64 = 20;

/// Browsers that look on: both sides tell each other by files where they are.
struct Watched(PathBuf);

impl Watched {
    /// None where nobody wants to look.
    fn asked() -> Option<Self> {
        std::env::var_os("ARBORA_DAY_WATCHED").map(|folder| Self(folder.into()))
    }

    /// Somebody may sign in by a password; waits until they have.
    async fn open(&self, app: &TestApp, user: &Client) {
        let password = uuid::Uuid::new_v4().to_string();
        let hash = Argon2::default().hash_password(password.as_bytes()).unwrap();
        let email: String = sqlx::query_scalar(
            "UPDATE identity.account SET password_hash = $2 WHERE id = $1 RETURNING email",
        )
        .bind(user.user.0)
        .bind(hash.to_string())
        .fetch_one(&app.sql)
        .await
        .unwrap();
        let address = format!("http://{}", app.address);
        self.tell(
            "open",
            &json!({ "address": address, "email": email, "password": password }).to_string(),
        );
        self.told("watching").await;
    }

    fn tell(&self, what: &str, text: &str) {
        let unfinished = self.0.join("unfinished");
        std::fs::write(&unfinished, text).unwrap();
        std::fs::rename(unfinished, self.0.join(what)).unwrap();
    }

    async fn told(&self, what: &str) {
        let file = self.0.join(what);
        for _ in 0..2_400 {
            if file.exists() {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        panic!("nobody said {what}");
    }
}

struct DayClock(AtomicI64);

impl Clock for DayClock {
    fn now(&self) -> OffsetDateTime {
        let ms = self.0.load(Ordering::SeqCst);
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000).unwrap()
    }
}

/// Carries out what the desk wants, and what its answers make it want next, until it wants nothing; the last route shown.
async fn carry_out(context: &Context, floor: &mut Floor, fence: i64, now: i64) -> Option<String> {
    let mut shown = None;
    loop {
        let effects = floor.effects();
        if effects.is_empty() {
            return shown;
        }
        for effect in effects {
            match effect {
                Effect::Show(Glimpse::Opportunity(seen)) => shown = Some(seen.route),
                Effect::Show(_) => {}
                Effect::Execute(_) => panic!("only in mode live"),
                Effect::Refuse { operation, reason } => {
                    manual::refuse(context, fence, operation, reason).await.unwrap();
                }
                Effect::Refresh => floor.on_eligible(Ok(service::eligible(context).await.unwrap()), now),
                Effect::Reserve {
                    operation,
                    shares,
                    manual,
                } => {
                    let reserved = if manual {
                        service::reserve_manual(context, fence, operation, &shares).await
                    } else {
                        service::reserve(context, fence, operation, &shares).await
                    };
                    floor.on_reserved(operation, Ok(reserved.unwrap()), now);
                }
                Effect::Settle(batch) => {
                    let settled = service::settle(context, fence, &batch).await.unwrap();
                    // No robot is let trade above its ceiling.
                    for robot in settled.robots.iter().filter(|r| r.operating) {
                        assert!(robot.allocated.is_positive());
                    }
                    floor.on_settled(batch.id, Ok(settled), now);
                }
            }
        }
    }
}

fn caller(user: &Client) -> Caller {
    Caller {
        user: user.user,
        session: user.session,
        full_name: "Bea".into(),
        username: "bea".into(),
        permissions: [Permission::RegisteredUser].into_iter().collect(),
        withheld: Permissions::NONE,
        active: true,
        email_confirmed: true,
        completeness: Completeness::Complete,
        locale: Locale::En,
        counts_at: None,
        frozen: false,
        seen_by: None,
    }
}

/// Somebody who orders operations with a robot of their own, as the call would.
async fn order(context: &Context, user: &Client, licence: &str, route: Option<String>) {
    let caller = caller(user);
    let headers = Headers {
        idempotency_key: Some(uuid::Uuid::now_v7().to_string()),
        route: "POST /trader/manual".into(),
        ..Headers::default()
    };
    let wish = ManualWish {
        licence: licence.parse().unwrap(),
        route,
    };
    let key = Key::from(&headers, user.user, &wish).unwrap();
    // A refusal (not her turn, paused, the goal) is as good as an order.
    let _ = idempotency::run(&context.db, &key, StatusCode::ACCEPTED, async |tx| {
        manual::order(context, tx, &caller, &wish).await
    })
    .await;
}

fn from_environment(name: &str, otherwise: i64) -> i64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}

#[actix_web::test]
#[allow(clippy::print_stdout)]
async fn a_simulated_day_is_exact_to_the_last_digit() {
    let minutes = from_environment("ARBORA_DAY_MINUTES", 4);
    let seed = from_environment("ARBORA_DAY_SEED", 20_261_122).unsigned_abs();
    let app = TestApp::start().await;

    // Robots of every kind: standard and high-risk, small and large, one that nears its ceiling, one with a modest goal,
    // two in their owner's hands, one with nothing allocated.
    let mut robots = Vec::new();
    for (n, name) in ["ana", "bea", "caio", "davi", "eva"].iter().enumerate() {
        let user = app.user(name).await;
        fund(&app, &user, UserAccount::Available, 6_000).await;
        for (plan, value) in [(PLAN_100, "300"), (PLAN_500_RISKY, "2000"), (PLAN_100, "40")] {
            let licence = id(&buy(&user, plan).await);
            let body = json!({ "licence": licence, "value": value });
            user.post("/licences/topup", &body).await.ok();
            if !(n == 4 && value == "40") {
                user.post("/trader/allocate-value-in-trading", &body).await.ok();
            }
            robots.push((user.clone(), licence));
        }
    }
    let configure = async |robot: usize, mut change: serde_json::Value| {
        let (user, licence) = &robots[robot];
        change["licence"] = json!(licence);
        user.patch("/trader/config-robot-trader", &change).await.ok();
    };
    configure(0, json!({ "dailyGainGoal": "0.1" })).await;
    configure(3, json!({ "manualKey": true })).await;
    configure(4, json!({ "manualKey": true })).await;
    // A contract that ends early: the maximum return is a few cents.
    for robot in [4, 7] {
        sqlx::query("UPDATE licences.licence SET maximum_return_ppm = 10 + $2 WHERE id = $1::uuid")
            .bind(&robots[robot].1)
            .bind(i64::try_from(robot).unwrap())
            .execute(&app.sql)
            .await
            .unwrap();
    }
    // Two work off a loan with half of their gains.
    sqlx::query("UPDATE licences.lot SET free_at = created_at")
        .execute(&app.sql)
        .await
        .unwrap();
    for robot in [6, 13] {
        let (user, licence) = &robots[robot];
        let body = json!({ "licence": licence, "value": "100" });
        user.post("/licences/loan", &body).await.ok();
    }
    sqlx::query(
        "UPDATE licences.licence SET eligible_from = now() - interval '1 minute' WHERE allocated > 0",
    )
    .execute(&app.sql)
    .await
    .unwrap();

    let watched = Watched::asked();
    if let Some(watched) = &watched {
        watched.open(&app, &robots[0].0).await;
    }

    // The day begins half its length before midnight in São Paulo, so that goals and results of a day begin anew in it.
    let midnight = (app.context.now() + Duration::days(1)).replace_time(time::macros::time!(3:00));
    let start = midnight.unix_timestamp() * 1_000 - minutes * 30_000;
    let clock = Arc::new(DayClock(AtomicI64::new(start)));
    let shared: SharedClock = clock.clone();
    let context = Context {
        db: Db::new(app.context.db.pool().clone(), shared.clone()),
        clock: shared,
        ..app.context.clone()
    };
    let life = Duration::minutes(minutes + 5);
    let lease = lease::acquire(context.db.pool(), LEASE, NodeId::fresh(), context.now(), life)
        .await
        .unwrap()
        .unwrap();
    let settings = context.settings.current(context.now()).await.unwrap();
    let mut market = Simulation::new(seed);
    let usdt = market.market().asset("USDT").unwrap();
    let rules = desk_runner::rules(&settings.settings, "simulated", Mode::Simulated, seed);
    let mut floor = Floor::new(market.market(), usdt, rules);
    let mut dice = Dice::new(seed);

    let began = std::time::Instant::now();
    let steps = minutes * 60_000 / STEP_MS;
    let mut now = start;
    let mut shown = None;
    for step in 0..steps {
        // Two robots are steered by their owner, who orders what the desk shows or whatever comes next.
        if let Some(route) = shown.take() {
            let (user, licence) = &robots[3 + usize::from(dice.chance(500_000))];
            // What was seen may not come again within an order's minute; the next one does.
            let route = dice.chance(500_000).then_some(route);
            order(&context, user, licence, route).await;
            for order in manual::take(&context, lease.fence).await.unwrap() {
                floor.on_manual(&order, now);
            }
        }
        // In its last quarter the others rest: before that they leave nothing of an opportunity.
        if step == steps - steps / 4 {
            for (n, (user, licence)) in robots.iter().enumerate() {
                let body = json!({ "licence": licence, "paused": n != 3 && n != 4 });
                app.renew(user).patch("/trader/config-robot-trader", &body).await;
            }
            floor.wake();
        }
        // People do not stand still while their robots work.
        if dice.chance(3_000) {
            let robot = usize::try_from(dice.below(robots.len() as u64)).unwrap();
            let (user, licence) = (&app.renew(&robots[robot].0), &robots[robot].1);
            let value = format!("{}.{:06}", dice.below(30), dice.below(1_000_000));
            // A refusal (nothing left to allocate, reserved, ended) is as good as a change: the books have to stay exact.
            match dice.below(5) {
                0 => {
                    let body = json!({ "licence": licence, "paused": dice.chance(300_000) });
                    user.patch("/trader/config-robot-trader", &body).await;
                }
                1 => {
                    let body = json!({ "licence": licence, "value": value });
                    user.post("/trader/allocate-value-in-trading", &body).await;
                }
                2 => {
                    let body = json!({ "from": licence, "value": value });
                    user.post("/trader/relocate-value", &body).await;
                }
                3 => {
                    let body = json!({ "licence": licence, "value": value, "source": "yield", "sourceLicence": licence });
                    user.post("/licences/reinvest", &body).await;
                }
                _ => {
                    let body = json!({ "licence": licence, "value": value });
                    user.post("/licences/topup", &body).await;
                }
            }
            floor.wake();
        }
        for (instrument, quote) in market.step().to_vec() {
            let quote = actors::desk::market::Quote {
                at_ms: start + quote.at_ms,
                ..quote
            };
            floor.on_quote(instrument, quote, now);
        }
        carry_out(&context, &mut floor, lease.fence, now).await;
        for _ in 0..STEP_MS / TICK_MS {
            clock.0.store(now, Ordering::SeqCst);
            floor.on_tick(now);
            let seen = carry_out(&context, &mut floor, lease.fence, now).await;
            shown = seen.or(shown);
            now += TICK_MS;
        }
        if step % 20 == 0 {
            service::free_lapsed(&context, lease.fence).await.unwrap();
        }
    }
    floor.close();
    // Orders that stand are told that nothing comes.
    carry_out(&context, &mut floor, lease.fence, now).await;
    while !floor.is_done() {
        now += TICK_MS;
        clock.0.store(now, Ordering::SeqCst);
        floor.on_tick(now);
        carry_out(&context, &mut floor, lease.fence, now).await;
    }
    let took = began.elapsed();

    let sums = recompute(&app).await;
    assert!(
        sums.operations > 0,
        "seed {seed}: nothing was traded, the day proves nothing"
    );
    assert!(
        minutes < 4 || sums.manual > 0,
        "seed {seed}: nothing was traded by hand"
    );
    exact(&app).await;
    let report = verify::verify(&app.context.db).await.unwrap();
    assert!(report.exact, "seed {seed}: {report}");
    if let Some(watched) = &watched {
        watched.tell("over", &json!({ "operations": sums.operations }).to_string());
        watched.told("seen").await;
    }
    for licence in licences::trading(&context).await.unwrap() {
        assert!(
            licence.limit_left().is_positive(),
            "a robot trades above its ceiling"
        );
        let status = licence.status(context.now(), &settings.settings);
        assert!(rules::trades(status), "{status:?} while the desk trades with it");
    }
    println!(
        "{minutes} simulated minutes in {:.1} s ({:.0} times as fast): {} operations, {} of them with a loss and {} by hand, {} shares, {} settlements, result {}; \
         {} robots ended at their ceiling",
        took.as_secs_f64(),
        f64::from(u32::try_from(minutes).unwrap()) * 60.0 / took.as_secs_f64(),
        sums.operations,
        sums.losses,
        sums.manual,
        sums.shares,
        sums.batches,
        sums.result,
        sums.ended,
    );
}

/// Whoever sees an opportunity, and presses, comes too late for it, and robots that were there first take all that they can. Of ten orders,
/// each given a second and a half after the page has said that the next may be, nearly all are filled.
#[actix_web::test]
async fn of_ten_orders_at_a_persons_speed_at_least_eight_are_filled() {
    let seed = from_environment("ARBORA_DAY_SEED", 20_261_122).unsigned_abs();
    let app = TestApp::start().await;
    settings(&app, |s| s.manual_wait_seconds = 10).await;
    for name in ["bea", "caio", "davi"] {
        let user = app.user(name).await;
        fund(&app, &user, UserAccount::Available, 6_000).await;
        for _ in 0..2 {
            let licence = id(&buy(&user, PLAN_500_RISKY).await);
            let body = json!({ "licence": licence, "value": "2000" });
            user.post("/licences/topup", &body).await.ok();
            user.post("/trader/allocate-value-in-trading", &body).await.ok();
        }
    }
    let ana = app.user("ana").await;
    let licence = steered(&app, &ana, 400).await;
    sqlx::query(
        "UPDATE licences.licence SET eligible_from = now() - interval '1 minute' WHERE allocated > 0",
    )
    .execute(&app.sql)
    .await
    .unwrap();

    // A whole second, and none before the settings are in force.
    let start = (app.context.now().unix_timestamp() + 1) * 1_000;
    let clock = Arc::new(DayClock(AtomicI64::new(start)));
    let shared: SharedClock = clock.clone();
    let context = Context {
        db: Db::new(app.context.db.pool().clone(), shared.clone()),
        clock: shared,
        ..app.context.clone()
    };
    let life = Duration::hours(2);
    let lease = lease::acquire(context.db.pool(), LEASE, NodeId::fresh(), context.now(), life)
        .await
        .unwrap()
        .unwrap();
    let in_force = context.settings.current(context.now()).await.unwrap();
    let mut market = Simulation::new(seed);
    let usdt = market.market().asset("USDT").unwrap();
    let rules = desk_runner::rules(&in_force.settings, "simulated", Mode::Simulated, seed);
    let mut floor = Floor::new(market.market(), usdt, rules);

    let caller = caller(&ana);
    let (mut now, mut given, mut ready_since) = (start, 0, None);
    // Ten times the minute that an order stands, the wait, and a hand's time: more it never takes.
    for step in 0..10 * 75_000 / STEP_MS {
        for (instrument, quote) in market.step().to_vec() {
            let quote = actors::desk::market::Quote {
                at_ms: start + quote.at_ms,
                ..quote
            };
            floor.on_quote(instrument, quote, now);
        }
        carry_out(&context, &mut floor, lease.fence, now).await;
        for _ in 0..STEP_MS / TICK_MS {
            clock.0.store(now, Ordering::SeqCst);
            floor.on_tick(now);
            carry_out(&context, &mut floor, lease.fence, now).await;
            now += TICK_MS;
        }
        // What the desk looks for, and a person's page.
        if step % 2 == 0 {
            for order in manual::take(&context, lease.fence).await.unwrap() {
                floor.on_manual(&order, now);
            }
        }
        if step % 5 != 0 {
            continue;
        }
        let page = manual::desk(&context, &caller, licence).await.unwrap();
        let open = page.orders.iter().any(|order| order.closed_at.is_none());
        if given == 10 && !open {
            break;
        }
        if !page.ready || given == 10 {
            ready_since = None;
        } else if now - *ready_since.get_or_insert(now) >= 1_500 {
            order(&context, &ana, &licence.to_string(), None).await;
            (given, ready_since) = (given + 1, None);
        }
    }
    floor.close();
    // Orders that stand are told that nothing comes.
    carry_out(&context, &mut floor, lease.fence, now).await;
    while !floor.is_done() {
        now += TICK_MS;
        clock.0.store(now, Ordering::SeqCst);
        floor.on_tick(now);
        carry_out(&context, &mut floor, lease.fence, now).await;
    }
    let ends: Vec<(String, Option<String>)> =
        sqlx::query_as("SELECT state, reason FROM robots.manual_order ORDER BY asked_at")
            .fetch_all(&app.sql)
            .await
            .unwrap();
    let filled = ends.iter().filter(|(state, _)| state == "done").count();
    assert_eq!(ends.len(), 10, "seed {seed}: {ends:?}");
    assert!(filled >= 8, "seed {seed}: {ends:?}");
    let automatic: i64 = sqlx::query_scalar("SELECT count(*) FROM robots.operation WHERE NOT manual")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert!(automatic > 0, "seed {seed}: nobody else was there");
    exact(&app).await;
}
