//! Bonuses that are paid at once: who gets what of a sale and of a rise, what bounds it, what waits for the fund and what time holds.

use crate::{
    affiliates::beneath,
    claw_back::{credited, of},
    kit::{Client, TestApp, live::Live},
    licences::{buy, earn, exact, fund, house, id},
};
use protocol::money::Usdt;
use serde_json::json;
use server::{
    affiliates::bonuses::work::work_off,
    identity::service::HOUSE,
    ledger::{
        model::{AccountRef, Cause, CauseKind, HouseAccount, Orderer, Transfer, TransferKind, UserAccount},
        service as ledger,
    },
};
use time::{Date, Duration};
use uuid::Uuid;

pub const PLAN_100: &str = "0190a000-0000-7000-8000-000000010002";

pub async fn works(app: &TestApp) {
    work_off(&app.context).await.unwrap();
}

/// A member with an active licence, which is not final yet.
pub async fn active(app: &TestApp, name: &str, sponsor: &Client) -> Client {
    let member = beneath(app, name, sponsor.user).await;
    fund(app, &member, UserAccount::Available, 100).await;
    buy(&member, PLAN_100).await;
    member
}

/// The first of a chain: below the house.
pub async fn first(app: &TestApp, name: &str) -> Client {
    let member = beneath(app, name, HOUSE).await;
    fund(app, &member, UserAccount::Available, 100).await;
    buy(&member, PLAN_100).await;
    member
}

/// Buys for what the member has, tops up and allocates: a final sale of 100 and a rise.
pub async fn sell(user: &Client, rise: i64) -> String {
    let licence = id(&buy(user, PLAN_100).await);
    user.post(
        "/licences/topup",
        &json!({ "licence": licence, "value": rise.to_string() }),
    )
    .await
    .ok();
    allocate(user, &licence, rise).await;
    licence
}

pub async fn allocate(user: &Client, licence: &str, value: i64) {
    user.post(
        "/trader/allocate-value-in-trading",
        &json!({ "licence": licence, "value": value.to_string() }),
    )
    .await
    .ok();
}

type Row = (String, i16, i64, i64, i64, i64, Option<String>);

/// A member's bonuses, oldest first: kind, level, gross, paid, waiting, lost, reason.
async fn rows(app: &TestApp, member: &Client) -> Vec<Row> {
    sqlx::query_as(
        "SELECT kind, level, gross, paid, waiting, lost, lost_reason FROM affiliates.bonus WHERE receiver = $1 ORDER BY booked_at, id",
    )
    .bind(member.user.0)
    .fetch_all(&app.sql)
    .await
    .unwrap()
}

fn row(kind: &str, level: i16, gross: i64, paid: i64, waiting: i64, lost: i64, reason: Option<&str>) -> Row {
    (
        kind.into(),
        level,
        gross * 1_000_000,
        paid * 1_000_000,
        waiting * 1_000_000,
        lost * 1_000_000,
        reason.map(str::to_owned),
    )
}

/// Moves money between the fund and the sponsorship, so that the fund holds exactly this.
pub async fn fund_holds(app: &TestApp, wanted: i64) {
    let there = house(app, HouseAccount::NetworkFund).await;
    let mut tx = app.context.db.begin().await.unwrap();
    let (fund, other) = (
        AccountRef::House(HouseAccount::NetworkFund),
        AccountRef::House(HouseAccount::Sponsorship),
    );
    let change = Usdt(wanted) - there;
    let order = Transfer::new(
        TransferKind::SponsorshipAdd,
        Uuid::now_v7().to_string(),
        Cause::new(CauseKind::User, Uuid::now_v7()),
        Orderer::System,
    )
    .usdt(fund, change)
    .usdt(other, -change);
    if !change.is_zero() {
        ledger::post(&mut tx, order).await.unwrap();
        tx.commit().await.unwrap();
    }
}

/// What the books and the rows say of bonuses is the same, and nothing is overdrawn.
pub async fn consistent(app: &TestApp) {
    exact(app).await;
    let wrong: Vec<String> = sqlx::query_scalar(
        "SELECT 'fund' FROM affiliates.fund f WHERE f.waiting <> (SELECT coalesce(sum(waiting), 0) FROM affiliates.bonus)
         UNION ALL SELECT 'paid' WHERE (SELECT coalesce(sum(paid), 0) FROM affiliates.bonus) <>
             (SELECT coalesce(sum(p.amount), 0) FROM ledger.transfer t JOIN ledger.posting p ON p.transfer = t.id
              JOIN ledger.account a ON a.id = p.account WHERE t.kind = 'bonus' AND t.cause_kind IN ('bonus', 'closing') AND a.name = 'bonus')
         UNION ALL SELECT 'returned' WHERE (SELECT coalesce(sum(returned), 0) FROM affiliates.bonus) <>
             (SELECT coalesce(sum(p.amount), 0) FROM ledger.transfer t JOIN ledger.posting p ON p.transfer = t.id
              JOIN ledger.account a ON a.id = p.account WHERE t.kind = 'claw_back' AND t.cause_kind = 'bonus' AND p.amount > 0)
         UNION ALL SELECT 'ceiling ' || c.member FROM (SELECT member, sum(used) AS used FROM affiliates.network_ceiling GROUP BY member) c
             WHERE c.used <> (SELECT coalesce(sum(gross - lost - dropped - returned), 0) FROM affiliates.bonus WHERE receiver = c.member)",
    )
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert!(wrong.is_empty(), "{wrong:?}");
}

pub async fn withdraw(user: &Client, value: &str) -> crate::kit::Reply {
    user.post("/bonus/withdraw", &json!({ "value": value })).await
}

#[actix_web::test]
async fn a_sale_and_a_rise_pay_the_sponsor_chain_once() {
    let app = TestApp::start().await;
    let ana = first(&app, "ana").await;
    let bia = active(&app, "bia", &ana).await;
    let caio = beneath(&app, "caio", bia.user).await;
    let mut live = Live::open(&app, &bia).await;
    live.subscribe(&format!("user:{}", bia.user)).await;
    fund(&app, &caio, UserAccount::Available, 300).await;
    let licence = sell(&caio, 200).await;
    assert!(
        rows(&app, &bia).await.is_empty(),
        "nothing before it is worked off"
    );
    works(&app).await;
    works(&app).await;
    assert_eq!(
        rows(&app, &bia).await,
        [
            row("direct_sale", 1, 5, 5, 0, 0, None),
            row("level", 1, 20, 20, 0, 0, None)
        ]
    );
    assert_eq!(
        rows(&app, &ana).await,
        [
            row("indirect_sale", 2, 1, 1, 0, 0, None),
            row("level", 2, 2, 2, 0, 0, None)
        ]
    );
    assert_eq!(house(&app, HouseAccount::NetworkFund).await, Usdt::whole(75 - 28));
    assert_eq!(of(&app, &bia, UserAccount::Bonus).await, 25_000_000);
    let fact = live.fact("bonus.changed").await["event"].clone();
    assert_eq!(
        (
            &fact["bonus"]["kind"],
            &fact["bonus"]["paid"],
            &fact["bonus"]["source"],
            &fact["bonus"]["status"]
        ),
        (
            &json!("direct_sale"),
            &json!("5.000000"),
            &json!("caio"),
            &json!("paid")
        )
    );
    let shown = bia.get("/get-user-licenses").await.ok();
    assert_eq!(shown["data"][0]["networkUsed"], "25.000000");

    // Moving and refilling pay nothing; what goes beyond the highest N does.
    caio.post(
        "/trader/relocate-value",
        &json!({ "from": licence, "value": "150" }),
    )
    .await
    .ok();
    allocate(&caio, &licence, 150).await;
    works(&app).await;
    assert_eq!(rows(&app, &bia).await.len(), 2);
    fund(&app, &caio, UserAccount::Available, 30).await;
    caio.post("/licences/topup", &json!({ "licence": licence, "value": "30" }))
        .await
        .ok();
    allocate(&caio, &licence, 30).await;
    works(&app).await;
    assert_eq!(rows(&app, &bia).await[2], row("level", 1, 3, 3, 0, 0, None));
    consistent(&app).await;
}

#[actix_web::test]
async fn who_is_inactive_loses_it_and_nobody_else_gets_it() {
    let app = TestApp::start().await;
    let ana = first(&app, "ana").await;
    let bia = beneath(&app, "bia", ana.user).await;
    let caio = beneath(&app, "caio", bia.user).await;
    fund(&app, &caio, UserAccount::Available, 200).await;
    sell(&caio, 100).await;
    works(&app).await;
    assert_eq!(
        rows(&app, &bia).await,
        [
            row("direct_sale", 1, 5, 0, 0, 5, Some("inactive")),
            row("level", 1, 10, 0, 0, 10, Some("inactive"))
        ]
    );
    assert_eq!(
        rows(&app, &ana).await,
        [
            row("indirect_sale", 2, 1, 1, 0, 0, None),
            row("level", 2, 1, 1, 0, 0, None)
        ]
    );
    consistent(&app).await;
}

#[actix_web::test]
async fn the_ceiling_pays_what_fits_oldest_licence_first() {
    let app = TestApp::start().await;
    let ana = first(&app, "ana").await;
    sqlx::query("UPDATE affiliates.network_ceiling SET ceiling = 4 * 1000000")
        .execute(&app.sql)
        .await
        .unwrap();
    fund(&app, &ana, UserAccount::Available, 100).await;
    buy(&ana, PLAN_100).await;
    sqlx::query("UPDATE affiliates.network_ceiling SET ceiling = 7 * 1000000 WHERE ceiling > 4 * 1000000")
        .execute(&app.sql)
        .await
        .unwrap();
    let bia = beneath(&app, "bia", ana.user).await;
    fund(&app, &bia, UserAccount::Available, 200).await;
    sell(&bia, 100).await;
    works(&app).await;
    assert_eq!(
        rows(&app, &ana).await,
        [
            row("direct_sale", 1, 5, 5, 0, 0, None),
            row("level", 1, 10, 6, 0, 4, Some("network_ceiling"))
        ]
    );
    let used: Vec<i64> = sqlx::query_scalar(
        "SELECT used FROM affiliates.network_ceiling WHERE member = $1 ORDER BY since, licence",
    )
    .bind(ana.user.0)
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert_eq!(used, [4_000_000, 7_000_000]);
    consistent(&app).await;
}

#[actix_web::test]
async fn what_the_fund_does_not_hold_waits_in_order_and_the_head_is_paid_in_parts() {
    let app = TestApp::start().await;
    let ana = first(&app, "ana").await;
    let bia = active(&app, "bia", &ana).await;
    let caio = beneath(&app, "caio", bia.user).await;
    fund(&app, &caio, UserAccount::Available, 400).await;
    let licence = sell(&caio, 100).await;
    fund_holds(&app, 7_000_000).await;
    works(&app).await;
    // 5 and 1 for the sale, 1 of the 10 for the rise.
    assert_eq!(
        rows(&app, &bia).await,
        [
            row("direct_sale", 1, 5, 5, 0, 0, None),
            row("level", 1, 10, 1, 9, 0, None)
        ]
    );
    assert_eq!(rows(&app, &ana).await[1], row("level", 2, 1, 0, 1, 0, None));
    assert_eq!(house(&app, HouseAccount::NetworkFund).await, Usdt::ZERO);
    consistent(&app).await;
    // A little comes: the head alone; what is new goes behind.
    fund_holds(&app, 4_000_000).await;
    caio.post("/licences/topup", &json!({ "licence": licence, "value": "100" }))
        .await
        .ok();
    allocate(&caio, &licence, 100).await;
    works(&app).await;
    assert_eq!(rows(&app, &bia).await[1], row("level", 1, 10, 5, 5, 0, None));
    assert_eq!(rows(&app, &bia).await[2], row("level", 1, 10, 0, 10, 0, None));
    // Who turns inactive keeps what is due.
    sqlx::query("UPDATE identity.account SET status = 'inactive' WHERE id = $1")
        .bind(bia.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    fund_holds(&app, 100_000_000).await;
    works(&app).await;
    assert!(rows(&app, &bia).await.iter().all(|r| r.4 == 0 && r.3 == r.2));
    assert!(rows(&app, &ana).await.iter().all(|r| r.4 == 0));
    assert_eq!(
        house(&app, HouseAccount::NetworkFund).await,
        Usdt::whole(100 - 5 - 1 - 10 - 1)
    );
    consistent(&app).await;
}

#[actix_web::test]
async fn a_bonus_goes_to_the_balance_on_any_day() {
    let app = TestApp::start().await;
    let ana = first(&app, "ana").await;
    let bia = beneath(&app, "bia", ana.user).await;
    fund(&app, &bia, UserAccount::Available, 200).await;
    sell(&bia, 100).await;
    works(&app).await;
    withdraw(&ana, "0").await.refused(422, "amount.not_positive");
    withdraw(&ana, "15.000001")
        .await
        .refused(422, "balance.insufficient");
    let out = withdraw(&ana, "4.5").await.ok();
    assert_eq!(out["bonus"], "10.500000");
    assert_eq!(of(&app, &ana, UserAccount::Available).await, 4_500_000);
    let transfer = out["transfers"][0].as_str().unwrap();
    ana.get(&format!("/statement/{transfer}")).await.ok();
    // Once for a key, whatever comes between.
    let again = ana.key("bonus-withdrawal-once");
    let first = withdraw(&again, "1").await.ok();
    assert_eq!(withdraw(&again, "1").await.ok(), first);
    assert_eq!(of(&app, &ana, UserAccount::Bonus).await, 9_500_000);
    consistent(&app).await;
}

#[actix_web::test]
async fn a_bonus_of_young_money_stays_until_it_is_no_longer_young() {
    let app = TestApp::start().await;
    let admin = app.admin("root").await;
    let ana = first(&app, "ana").await;
    let bia = beneath(&app, "bia", ana.user).await;
    credited(&app, &bia, &admin, "200", 1).await;
    sell(&bia, 100).await;
    works(&app).await;
    assert_eq!(of(&app, &ana, UserAccount::Bonus).await, 15_000_000);
    // What came otherwise is free all the same.
    fund(&app, &ana, UserAccount::Bonus, 2).await;
    withdraw(&ana, "2.5").await.refused(422, "bonus.held");
    withdraw(&ana, "2").await.ok();
    let licence = ana.get("/get-user-licenses").await.ok()["data"][0]["_id"].clone();
    ana.post(
        "/licences/reinvest",
        &json!({ "licence": licence, "value": "1", "source": "bonus" }),
    )
    .await
    .refused(422, "bonus.held");
    app.clock.advance(Duration::hours(73));
    let ana = app.renew(&ana);
    withdraw(&ana, "15").await.ok();
    consistent(&app).await;
}

#[actix_web::test]
async fn a_final_sale_belongs_to_the_open_day() {
    let app = TestApp::start().await;
    let bia = beneath(&app, "bia", HOUSE).await;
    fund(&app, &bia, UserAccount::Available, 400).await;
    let tomorrow = server::foundation::business_day::of(app.context.now())
        .next_day()
        .unwrap();
    sell(&bia, 100).await;
    let mut tx = app.context.db.begin().await.unwrap();
    assert_eq!(server::foundation::open_day::lock(&mut tx).await.unwrap(), None);
    server::foundation::open_day::open(&mut tx, tomorrow)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    sell(&bia, 100).await;
    let days: Vec<Date> = sqlx::query_scalar("SELECT business_day FROM affiliates.points ORDER BY id")
        .fetch_all(&app.sql)
        .await
        .unwrap();
    assert_eq!(days, [tomorrow.previous_day().unwrap(), tomorrow]);
    let booked: Vec<Date> = sqlx::query_scalar(
        "SELECT business_day FROM ledger.transfer WHERE kind = 'licence_final' ORDER BY at",
    )
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert_eq!(booked, days);
    // Days follow one another.
    let mut tx = app.context.db.begin().await.unwrap();
    let skipped = server::foundation::open_day::open(&mut tx, tomorrow + Duration::days(2)).await;
    assert!(skipped.is_err());
}

/// Who opens the next day waits for what is being booked to the open one, and what comes meanwhile waits for the next day.
#[actix_web::test]
async fn nothing_is_booked_to_a_day_that_was_closed() {
    use server::foundation::open_day;
    let app = TestApp::start().await;
    let today = server::foundation::business_day::of(app.context.now());
    let db = &app.context.db;
    let mut booking = db.begin().await.unwrap();
    assert_eq!(open_day::of(&mut booking).await.unwrap(), today);
    let tomorrow = today.next_day().unwrap();
    let closing = async {
        let mut tx = db.begin().await.unwrap();
        open_day::lock(&mut tx).await.unwrap();
        open_day::open(&mut tx, tomorrow).await.unwrap();
        tx.commit().await.unwrap();
    };
    let late = async {
        // Until the closing waits for the booking.
        loop {
            let waits: i64 = sqlx::query_scalar(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
            )
            .fetch_one(&app.sql)
            .await
            .unwrap();
            if waits > 0 {
                break;
            }
            tokio::task::yield_now().await;
        }
        let mut second = db.begin().await.unwrap();
        let asks = async {
            let day = open_day::of(&mut second).await.unwrap();
            second.commit().await.unwrap();
            day
        };
        let ends = async {
            booking.commit().await.unwrap();
        };
        futures_util::future::join(asks, ends).await.0
    };
    let ((), day) = futures_util::future::join(closing, late).await;
    assert_eq!(day, tomorrow);
}

/// What a fault in the server must not get past: as the server's own role.
#[actix_web::test]
async fn the_database_keeps_what_was_booked() {
    let app = TestApp::start().await;
    let ana = first(&app, "ana").await;
    let bia = beneath(&app, "bia", ana.user).await;
    fund(&app, &bia, UserAccount::Available, 200).await;
    sell(&bia, 100).await;
    works(&app).await;
    for change in [
        "UPDATE affiliates.bonus SET gross = gross + 1, paid = paid + 1",
        "UPDATE affiliates.bonus SET paid = paid - 1, waiting = waiting + 1",
        "UPDATE affiliates.bonus SET returned = paid + 1",
        "UPDATE affiliates.bonus SET waiting = waiting + 1",
        "DELETE FROM affiliates.bonus",
        "DELETE FROM affiliates.cause",
        "UPDATE affiliates.cause SET base = base + 1",
        "UPDATE affiliates.network_ceiling SET used = ceiling + 1",
        "UPDATE affiliates.network_ceiling SET ceiling = ceiling + 1",
        "UPDATE affiliates.points SET points = points + 1",
        "UPDATE affiliates.fund SET waiting = -1",
        "UPDATE foundation.open_day SET day = NULL",
        "DELETE FROM foundation.open_day",
        "INSERT INTO affiliates.bonus (id, receiver, source, kind, level, cause_kind, cause, base, rate, settings_version, gross, paid, business_day, booked_at, paid_at)
         SELECT gen_random_uuid(), receiver, source, kind, level, cause_kind, cause, base, rate, settings_version, gross, paid, business_day, booked_at, paid_at
         FROM affiliates.bonus",
    ] {
        let done = sqlx::query(change).execute(app.context.db.pool()).await;
        assert!(done.is_err(), "{change}");
    }
    consistent(&app).await;
}

#[actix_web::test]
async fn what_gains_have_repaid_of_a_loan_raises_n() {
    let app = TestApp::start().await;
    let ana = first(&app, "ana").await;
    let bia = beneath(&app, "bia", ana.user).await;
    fund(&app, &bia, UserAccount::Available, 300).await;
    let licence = sell(&bia, 200).await;
    app.clock.advance(Duration::days(30));
    let (ana, bia) = (app.renew(&ana), app.renew(&bia));
    // What is borrowed is put to work: N is 298 − 100 owed, below what it was.
    let of = |value: &str| json!({ "licence": licence, "value": value });
    bia.post("/licences/loan", &of("100")).await.ok();
    bia.post("/licences/topup", &of("98")).await.ok();
    allocate(&bia, &licence, 98).await;
    works(&app).await;
    let rises = async || -> Vec<(i64, i64)> {
        works(&app).await;
        sqlx::query_as("SELECT base, gross FROM affiliates.bonus WHERE receiver = $1 AND kind = 'level' ORDER BY booked_at, id")
            .bind(ana.user.0)
            .fetch_all(&app.sql)
            .await
            .unwrap()
    };
    assert_eq!(rises().await, [(200_000_000, 20_000_000)]);
    // A part of it raises nothing yet; the last part does, without any order of hers.
    earn(&app, &licence, 190).await;
    assert_eq!(rises().await, [(200_000_000, 20_000_000)]);
    earn(&app, &licence, 20).await;
    assert_eq!(
        rises().await,
        [(200_000_000, 20_000_000), (98_000_000, 9_800_000)],
        "98 that were borrowed are her own now"
    );
    // It counts once.
    earn(&app, &licence, 20).await;
    bia.post(
        "/trader/relocate-value",
        &json!({ "from": licence, "value": "98" }),
    )
    .await
    .ok();
    allocate(&bia, &licence, 98).await;
    assert_eq!(rises().await.len(), 2);
    exact(&app).await;
}
