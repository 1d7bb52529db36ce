//! Loans: what a licence lends, what repays it, what is taken back when capital no longer backs it; the books exact after all.

use crate::{
    kit::{Client, TestApp},
    licences::{balance, buy, earn, exact, fund, house, id},
};
use protocol::{ids::LicenceId, money::Usdt};
use serde_json::{Value, json};
use server::{
    ledger::model::{AccountRef, Cause, CauseKind, HouseAccount, Orderer, UserAccount},
    licences::{
        claw_back::{ClawBack, claw_back},
        service as licences,
    },
};

const PLAN_50: &str = "0190a000-0000-7000-8000-000000010001";
const PLAN_100: &str = "0190a000-0000-7000-8000-000000010002";

/// A licence of 100 with so much capital of one's own in it, all of it free.
async fn free(app: &TestApp, name: &str, own: i64, sponsored: i64) -> (Client, String) {
    let user = app.user(name).await;
    fund(app, &user, UserAccount::Available, 100 + own).await;
    let licence = id(&buy(&user, PLAN_100).await);
    user.post(
        "/licences/topup",
        &json!({ "licence": licence, "value": own.to_string() }),
    )
    .await
    .ok();
    if sponsored > 0 {
        fund(app, &user, UserAccount::Sponsored, sponsored).await;
        let lot = json!({ "licence": licence, "value": sponsored.to_string(), "source": "sponsored" });
        user.post("/licences/topup", &lot).await.ok();
    }
    app.clock.advance(time::Duration::days(30));
    while server::jobs::round(&app.context).await.unwrap() > 0 {}
    (app.renew(&user), licence)
}

fn of(licence: &str, value: &str) -> Value {
    json!({ "licence": licence, "value": value })
}

async fn borrow(user: &Client, licence: &str, value: &str) -> Value {
    user.post("/licences/loan", &of(licence, value)).await.ok()
}

async fn allocate(user: &Client, licence: &str, value: &str) {
    user.post("/trader/allocate-value-in-trading", &of(licence, value))
        .await
        .ok();
}

async fn seen(user: &Client, licence: &str) -> Value {
    let list = user.get("/get-user-licenses").await.ok();
    let all = list["data"].as_array().unwrap();
    all.iter().find(|l| l["_id"] == licence).unwrap().clone()
}

async fn verified(app: &TestApp) {
    exact(app).await;
    let admin = app.admin("auditor").await;
    let report = admin.post("/admin/ledger/verify", &json!({})).await.ok();
    assert_eq!(report["exact"], true, "{report}");
}

#[actix_web::test]
async fn half_of_the_free_capital_is_lent_once() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    fund(&app, &user, UserAccount::Available, 400).await;
    let licence = id(&buy(&user, PLAN_100).await);
    user.post("/licences/topup", &of(&licence, "300")).await.ok();
    let terms = format!("/licences/{licence}/loan-terms");
    let before = user.get(&terms).await.ok();
    assert_eq!(
        (&before["maximum"], &before["free"], &before["backing"]),
        (&json!("0.000000"), &json!("0.000000"), &json!("300.000000"))
    );
    assert!(before["nextFree"].is_string());
    user.post("/licences/loan", &of(&licence, "1"))
        .await
        .refused(422, "loan.limit");
    app.clock.advance(time::Duration::days(30));
    while server::jobs::round(&app.context).await.unwrap() > 0 {}
    let user = app.renew(&user);
    let now = user.get(&format!("{terms}?value=100")).await.ok();
    assert_eq!(
        (&now["maximum"], &now["share"], &now["feePercent"]),
        (&json!("150.000000"), &json!("50.00"), &json!("2.00"))
    );
    assert_eq!(
        (
            &now["quote"]["fee"],
            &now["quote"]["received"],
            &now["quote"]["stopsBelow"]
        ),
        (&json!("2.000000"), &json!("98.000000"), &json!("125.000000"))
    );
    let refused = user.post("/licences/loan", &of(&licence, "150.000001")).await;
    refused.refused(422, "loan.limit");
    assert_eq!(refused.body["params"]["maximum"], "150.000000");
    let fund_before = house(&app, HouseAccount::NetworkFund).await;
    let keyed = user.key("0123456789abcdef");
    for _ in 0..2 {
        let lent = keyed.post("/licences/loan", &of(&licence, "100")).await.ok();
        assert_eq!(
            (&lent["loan"], &lent["loanTaken"], &lent["topup"]),
            (&json!("-100.000000"), &json!("100.000000"), &json!("300.000000"))
        );
        let receipt = lent["transfers"][0].as_str().unwrap();
        let origin = user.get(&format!("/statement/{receipt}")).await.ok();
        assert_eq!(origin["kind"], "loan");
    }
    assert_eq!(
        balance(&app, &user, UserAccount::Available).await,
        Usdt::whole(98)
    );
    assert_eq!(house(&app, HouseAccount::LoanFees).await, Usdt::whole(1));
    assert_eq!(
        house(&app, HouseAccount::NetworkFund).await - fund_before,
        Usdt::whole(1)
    );
    user.post("/licences/loan", &of(&licence, "1"))
        .await
        .refused(409, "loan.open");
    let eva = app.user("eva").await;
    eva.post("/licences/loan", &of(&licence, "1"))
        .await
        .refused(404, "licence.unknown");
    eva.get(&terms).await.refused(404, "licence.unknown");
    let repay = json!({ "licence": licence, "value": "1", "source": "available" });
    eva.post("/licences/loan-repay", &repay)
        .await
        .refused(404, "licence.unknown");
    let second = sqlx::query("UPDATE licences.licence SET loan = loan - 1, loan_taken = loan_taken + 1")
        .execute(&app.sql)
        .await;
    assert!(second.is_err(), "the database knows one open loan");
    verified(&app).await;
}

#[actix_web::test]
async fn sponsored_capital_lends_nothing() {
    let app = TestApp::start().await;
    let (user, licence) = free(&app, "ana", 100, 200).await;
    let terms = user.get(&format!("/licences/{licence}/loan-terms")).await.ok();
    assert_eq!(terms["maximum"], "50.000000");
    borrow(&user, &licence, "50").await;
    let mut tx = app.context.db.begin().await.unwrap();
    let base = licences::network_base(&mut tx, user.user).await.unwrap();
    assert_eq!(base, Usdt::ZERO);
    drop(tx);
    allocate(&user, &licence, "300").await;
    let mut tx = app.context.db.begin().await.unwrap();
    let base = licences::network_base(&mut tx, user.user).await.unwrap();
    assert_eq!(base, Usdt::whole(50), "300 − 50 owed − 200 sponsored");
    verified(&app).await;
}

#[actix_web::test]
async fn half_of_each_gain_repays() {
    let app = TestApp::start().await;
    let (user, licence) = free(&app, "ana", 200, 0).await;
    allocate(&user, &licence, "200").await;
    borrow(&user, &licence, "100").await;
    let gain = |micro: i64| {
        licences::ShareOutcome::new(
            licence.parse().unwrap(),
            protocol::ids::OperationId::fresh(),
            Usdt(micro),
        )
    };
    // Each gain by itself: 7 repays 3, twice.
    let mut shares = [gain(7), gain(7)];
    let mut tx = app.context.db.begin().await.unwrap();
    let batch = protocol::ids::BatchId::fresh();
    let settled = licences::settle(
        &app.context,
        &mut tx,
        server::licences::settlement::InBatch {
            id: batch,
            mode: protocol::views::Mode::Simulated,
            lane: 0,
        },
        &mut shares,
        &[],
    )
    .await
    .unwrap();
    server::robots::days::settled(&mut tx, protocol::views::Mode::Simulated, &settled)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    assert_eq!(settled.robots[0].gain, Usdt(14));
    assert_eq!(shares[0].applied.repaid, Usdt(3));
    let after = seen(&user, &licence).await;
    assert_eq!(
        (&after["loan"], &after["yield"], &after["totalGain"]),
        (&json!("-99.999994"), &json!("0.000008"), &json!("0.000014"))
    );
    // The last gain repays what is left and no more.
    earn(&app, &licence, 300).await;
    let after = seen(&user, &licence).await;
    assert_eq!(
        (&after["loan"], &after["loanTaken"], &after["yield"]),
        (&json!("0.000000"), &json!("0.000000"), &json!("200.000014"))
    );
    user.post(
        "/licences/loan-repay",
        &json!({ "licence": licence, "value": "1", "source": "available" }),
    )
    .await
    .refused(409, "loan.none");
    borrow(&user, &licence, "10").await;
    verified(&app).await;
}

#[actix_web::test]
async fn capital_that_backs_a_loan_stays() {
    let app = TestApp::start().await;
    let (user, licence) = free(&app, "ana", 300, 0).await;
    fund(&app, &user, UserAccount::Available, 50).await;
    let other = id(&buy(&user, PLAN_50).await);
    borrow(&user, &licence, "100").await;
    let refused = user
        .post("/licences/capital-withdraw", &of(&licence, "100.000001"))
        .await;
    refused.refused(422, "loan.collateral");
    assert_eq!(refused.body["params"]["maximum"], "100.000000");
    user.post("/licences/capital-withdraw", &of(&licence, "60"))
        .await
        .ok();
    allocate(&user, &licence, "240").await;
    let relocate = |value: &str| json!({ "from": licence, "to": other, "value": value });
    user.post("/trader/relocate-value", &relocate("40.000001"))
        .await
        .refused(422, "loan.collateral");
    user.post("/trader/relocate-value", &relocate("40")).await.ok();
    // Back to its own top-up nothing leaves.
    user.post(
        "/trader/relocate-value",
        &json!({ "from": licence, "value": "200" }),
    )
    .await
    .ok();
    verified(&app).await;
}

#[actix_web::test]
async fn a_loan_is_repaid_from_the_balance_or_the_top_up() {
    let app = TestApp::start().await;
    let (user, licence) = free(&app, "ana", 200, 50).await;
    let repay = |value: &str, source: &str| json!({ "licence": licence, "value": value, "source": source });
    borrow(&user, &licence, "100").await;
    let path = "/licences/loan-repay";
    user.post(path, &repay("0", "available"))
        .await
        .refused(422, "amount.not_positive");
    user.post(path, &repay("1", "bonus"))
        .await
        .refused(422, "request.invalid");
    user.post(path, &repay("100", "available"))
        .await
        .refused(422, "balance.insufficient");
    let left = user.post(path, &repay("30", "available")).await.ok();
    assert_eq!(left["loan"], "-70.000000");
    let left = user.post(path, &repay("20", "topup")).await.ok();
    assert_eq!(
        (&left["loan"], &left["topup"], &left["maximumReturn"]),
        (&json!("-50.000000"), &json!("230.000000"), &json!("990.000000")),
        "capital that repays has left"
    );
    let done = user.post(path, &repay("1000", "topup")).await.ok();
    assert_eq!(
        (&done["loan"], &done["topup"]),
        (&json!("0.000000"), &json!("180.000000")),
        "no more than is owed"
    );
    let sponsored: i64 =
        sqlx::query_scalar("SELECT sum(amount)::bigint FROM licences.lot WHERE origin = 'sponsored'")
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!(sponsored, 50_000_000, "sponsored lots are never taken");
    // An account that staff have made inactive may still repay.
    borrow(&user, &licence, "60").await;
    let admin = app.admin("root").await;
    server::identity::service::set_status(
        &app.context,
        &server::identity::signals::Signals::default(),
        admin.user,
        user.user,
        false,
        "a test",
    )
    .await
    .unwrap();
    server::identity::sessions::forget(user.session).await;
    user.post("/licences/loan", &of(&licence, "1"))
        .await
        .refused(403, "auth.inactive");
    user.post(path, &repay("60", "topup")).await.ok();
    verified(&app).await;
}

#[actix_web::test]
async fn an_unbacked_loan_stops_the_robot_and_is_taken_back() {
    let app = TestApp::start().await;
    // A robot joins with the next full minute.
    app.clock.stop();
    let (user, licence) = free(&app, "ana", 300, 0).await;
    borrow(&user, &licence, "150").await;
    allocate(&user, &licence, "280").await;
    earn(&app, &licence, -112).await;
    let backed = seen(&user, &licence).await;
    assert_eq!(
        (&backed["loan"], &backed["robotStatus"]),
        (&json!("-150.000000"), &json!("joining")),
        "188 ≥ 187.5"
    );
    earn(&app, &licence, -1).await;
    let stopped = seen(&user, &licence).await;
    assert_eq!(
        (
            &stopped["loan"],
            &stopped["topup"],
            &stopped["allocated"],
            &stopped["stoppedByLoan"]
        ),
        (
            &json!("0.000000"),
            &json!("0.000000"),
            &json!("37.000000"),
            &json!(true)
        ),
        "20 of the top-up, then 130 of what is allocated"
    );
    assert_eq!(stopped["robotStatus"], "paused");
    crate::notifications::drain(&app).await;
    let told = user.get("/notifications").await.ok();
    let calls: Vec<&Value> = told["data"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line["code"] == "loan_called")
        .collect();
    assert_eq!(calls.len(), 1, "once, however often it is looked at");
    assert_eq!(calls[0]["amount"], "150.000000");
    assert_eq!(
        calls[0]["params"]["usdt"], "150.000000",
        "as its sentence says it"
    );
    assert_eq!(
        balance(&app, &user, UserAccount::Available).await,
        Usdt::whole(147),
        "the capital sufficed"
    );
    let resumed = user
        .patch(
            "/trader/config-robot-trader",
            &json!({ "licence": licence, "paused": false }),
        )
        .await
        .ok();
    assert_eq!(
        (&resumed["robotStatus"], &resumed["stoppedByLoan"]),
        (&json!("joining"), &json!(false))
    );
    verified(&app).await;
}

#[actix_web::test]
async fn what_capital_does_not_repay_is_taken_from_the_owner_and_owed_at_last() {
    let app = TestApp::start().await;
    let (user, licence) = free(&app, "ana", 100, 100).await;
    borrow(&user, &licence, "50").await;
    allocate(&user, &licence, "200").await;
    // Of the 49 received 40 are lent to another licence.
    fund(&app, &user, UserAccount::Available, 50).await;
    let other = id(&buy(&user, PLAN_50).await);
    user.post("/licences/topup", &of(&other, "40")).await.ok();
    fund(&app, &user, UserAccount::Bonus, 5).await;
    // The oldest lot, one's own, loses first.
    earn(&app, &licence, -80).await;
    let after = seen(&user, &licence).await;
    assert_eq!(
        (&after["loan"], &after["allocated"], &after["stoppedByLoan"]),
        (&json!("0.000000"), &json!("100.000000"), &json!(true)),
        "sponsored capital repays nothing"
    );
    for (account, left) in [
        (UserAccount::Available, 0),
        (UserAccount::Bonus, 0),
        (UserAccount::Debt, -16),
    ] {
        assert_eq!(
            balance(&app, &user, account).await,
            Usdt::whole(left),
            "50 = 20 of capital + 9 + 5 + 16 owed"
        );
    }
    verified(&app).await;
}

#[actix_web::test]
async fn capital_in_the_air_is_waited_for() {
    let app = TestApp::start().await;
    let (user, licence) = free(&app, "ana", 200, 0).await;
    borrow(&user, &licence, "100").await;
    allocate(&user, &licence, "200").await;
    let of_licence: LicenceId = licence.parse().unwrap();
    let held = [(of_licence, Usdt::whole(60))];
    let mut tx = app.context.db.begin().await.unwrap();
    assert_eq!(licences::reserve(&mut tx, &held).await.unwrap().len(), 1);
    tx.commit().await.unwrap();
    earn(&app, &licence, -80).await;
    let waiting = seen(&user, &licence).await;
    assert_eq!(
        (&waiting["loan"], &waiting["allocated"], &waiting["robotStatus"]),
        (&json!("-40.000000"), &json!("60.000000"), &json!("paused")),
        "60 of 120 are not reserved"
    );
    let resume = json!({ "licence": licence, "paused": false });
    user.patch("/trader/config-robot-trader", &resume)
        .await
        .refused(409, "loan.open");
    assert_eq!(
        balance(&app, &user, UserAccount::Available).await,
        Usdt::whole(98)
    );
    let mut tx = app.context.db.begin().await.unwrap();
    licences::free_reservations(&app.context, &mut tx, &held)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let done = seen(&user, &licence).await;
    assert_eq!(
        (&done["loan"], &done["allocated"]),
        (&json!("0.000000"), &json!("20.000000"))
    );
    verified(&app).await;
}

#[actix_web::test]
async fn a_reached_ceiling_repays_first() {
    let app = TestApp::start().await;
    let (user, licence) = free(&app, "ana", 200, 0).await;
    allocate(&user, &licence, "200").await;
    earn(&app, &licence, 890).await;
    borrow(&user, &licence, "100").await;
    earn(&app, &licence, 30).await;
    let ended = seen(&user, &licence).await;
    assert_eq!(
        (&ended["state"], &ended["loan"], &ended["topup"], &ended["yield"]),
        (
            &json!("ceiling_reached"),
            &json!("0.000000"),
            &json!("105.000000"),
            &json!("895.000000")
        ),
        "10 of 30 are booked, 5 of them repay, 95 come from the top-up"
    );
    user.post("/licences/loan", &of(&licence, "1"))
        .await
        .refused(409, "licence.state");
    user.post("/licences/capital-withdraw", &of(&licence, "105"))
        .await
        .ok();
    verified(&app).await;
}

#[actix_web::test]
async fn money_taken_back_takes_the_loan_back_too() {
    let app = TestApp::start().await;
    let (user, licence) = free(&app, "ana", 200, 0).await;
    borrow(&user, &licence, "100").await;
    let order = ClawBack {
        user: user.user,
        amount: Usdt::whole(250),
        since: app.context.now(),
        to: AccountRef::House(HouseAccount::Sponsorship),
        losses: HouseAccount::PixLosses,
        key: "taken-back".to_owned(),
        cause: Cause::new(CauseKind::User, user.user.0),
        orderer: Orderer::System,
        beside: Vec::new(),
    };
    let mut tx = app.context.db.begin().await.unwrap();
    let owed = claw_back(&app.context, &mut tx, order).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(owed, Usdt::ZERO, "98 of the balance, 152 of the top-up");
    let after = seen(&user, &licence).await;
    assert_eq!(
        (&after["loan"], &after["topup"], &after["stoppedByLoan"]),
        (&json!("0.000000"), &json!("0.000000"), &json!(true))
    );
    assert_eq!(
        balance(&app, &user, UserAccount::Debt).await,
        Usdt::whole(-52),
        "48 of capital repaid"
    );
    verified(&app).await;
}

#[actix_web::test]
async fn a_loan_on_young_capital_does_not_hinder_a_cancellation() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    fund(&app, &user, UserAccount::Available, 300).await;
    let licence = id(&buy(&user, PLAN_100).await);
    user.post("/licences/topup", &of(&licence, "200")).await.ok();
    // As if the settings freed capital at once.
    sqlx::query("UPDATE licences.lot SET free_at = created_at")
        .execute(&app.sql)
        .await
        .unwrap();
    borrow(&user, &licence, "100").await;
    let cancelled = user
        .post("/licences/cancel", &json!({ "licence": licence }))
        .await
        .ok();
    assert_eq!(
        (&cancelled["state"], &cancelled["loan"]),
        (&json!("cancelled"), &json!("0.000000"))
    );
    assert_eq!(
        balance(&app, &user, UserAccount::Available).await,
        Usdt::whole(298),
        "only the fee is gone"
    );
    verified(&app).await;
}

#[actix_web::test]
async fn at_once_there_is_one_loan_and_it_is_backed() {
    let app = TestApp::start().await;
    let (user, licence) = free(&app, "ana", 300, 0).await;
    let order = of(&licence, "150");
    let (one, two) = tokio::join!(
        user.post("/licences/loan", &order),
        user.post("/licences/loan", &order)
    );
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", one.body, two.body);
    let (bia, second) = free(&app, "bia", 300, 0).await;
    let (loan, out) = (of(&second, "150"), of(&second, "200"));
    let (one, two) = tokio::join!(
        bia.post("/licences/loan", &loan),
        bia.post("/licences/capital-withdraw", &out)
    );
    assert!(
        (one.status == 200) != (two.status == 200),
        "{} {}",
        one.body,
        two.body
    );
    let unbacked: i64 =
        sqlx::query_scalar("SELECT count(*) FROM licences.licence WHERE topup + allocated < -2 * loan")
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!(unbacked, 0);
    verified(&app).await;
}
