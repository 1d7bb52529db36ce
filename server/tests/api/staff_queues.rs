//! What staff decide on, live: cases, held transfers, pauses; queues that grew old; a person's money in sums.

use crate::{
    affiliates::beneath,
    bonuses::{first, sell, works},
    bonuses_related::relate,
    guard::{send, settings},
    kit::{Client, SYSTEM_EMPLOYEE, TestApp, live::Live},
    licences::{buy, fund, id},
    pix,
};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::{
    jobs,
    ledger::model::UserAccount::{Available, Bonus},
};
use time::Duration;

const PLAN_100: &str = "0190a000-0000-7000-8000-000000010002";

#[actix_web::test]
async fn held_transfers_and_their_cases_reach_those_who_decide_at_once() {
    let app = TestApp::start().await;
    settings(&app, |s| s.compliance_amount = Usdt::whole(40)).await;
    let (ana, _, bia) = (
        app.user("ana").await,
        app.user("bea").await,
        app.admin("bia").await,
    );
    fund(&app, &ana, Available, 100).await;
    let mut desk = Live::open(&app, &bia).await;
    for queue in ["queue:transfers", "queue:compliance"] {
        desk.subscribe(queue).await;
    }
    // Nobody else hears of it.
    let mut own = Live::open(&app, &ana).await;
    for queue in ["queue:transfers", "queue:compliance"] {
        own.say(&json!({ "op": "subscribe", "stream": queue })).await;
        assert_eq!(own.expect("denied").await["stream"], queue);
    }

    // What passes at once is no queue's.
    send(&app, &ana, "ana", "bea", "1").await.ok();
    let held = send(&app, &ana, "ana", "bea", "40").await.ok();
    let mut seen = Vec::new();
    for _ in 0..2 {
        let message = desk.expect("event").await;
        seen.push(message["event"].clone());
    }
    let queued = seen.iter().find(|e| e["kind"] == "queue.changed").unwrap();
    assert_eq!(
        (
            &queued["queue"],
            &queued["pending"],
            &queued["item"]["transfer"]["_id"]
        ),
        (&json!("transfers"), &json!(1), &held["_id"])
    );
    let case = seen
        .iter()
        .find(|e| e["kind"] == "compliance_case.changed")
        .unwrap();
    assert_eq!(
        (
            &case["case"]["waits"],
            &case["case"]["subject"],
            &case["case"]["status"]
        ),
        (&json!("transfer"), &held["_id"], &json!("open"))
    );
    let report = bia.get("/admin/transfers-reports?status=pending").await.ok();
    assert_eq!(
        (&report["waiting"], &report["data"][0]["case"]),
        (&json!(1), &case["case"]["_id"])
    );
    assert!(report["oldest"].is_string());

    // Decided with the transfer, told once more on both.
    bia.patch(
        "/admin/transfers-approve-reject",
        &json!({ "id": held["_id"], "approve": true }),
    )
    .await
    .ok();
    let mut ends = Vec::new();
    for _ in 0..2 {
        let event = desk.expect("event").await["event"].clone();
        ends.push((
            event["kind"].clone(),
            event["pending"].clone(),
            event["case"]["status"].clone(),
        ));
    }
    assert!(
        ends.contains(&(json!("queue.changed"), json!(0), Value::Null)),
        "{ends:?}"
    );
    assert!(
        ends.contains(&(json!("compliance_case.changed"), Value::Null, json!("cleared"))),
        "{ends:?}"
    );
    let page = bia
        .get(&format!(
            "/admin/compliance/cases?status=decided&search={}",
            case["case"]["_id"].as_str().unwrap()
        ))
        .await
        .ok();
    assert_eq!(
        (
            &page["meta"]["total"],
            &page["pending"],
            &page["data"][0]["decidedBy"]
        ),
        (&json!(1), &json!(0), &json!("bia"))
    );
    let long_ago = bia.get("/admin/compliance/cases?endDate=2020-01-01").await.ok();
    assert_eq!(long_ago["meta"]["total"], 0);
    bia.get("/admin/compliance/cases?status=lost")
        .await
        .refused(422, "request.invalid");
}

#[actix_web::test]
async fn a_case_ends_with_the_withdrawal_that_waited() {
    let app = TestApp::start().await;
    settings(&app, |s| s.compliance_amount = Usdt::whole(15)).await;
    let (ana, bia) = (
        crate::pix_withdrawals::customer(&app, "ana", "100").await,
        app.admin("bia").await,
    );
    let case = async |status: &str| {
        let page = bia
            .get(&format!("/admin/compliance/cases?status={status}"))
            .await
            .ok();
        page["data"].clone()
    };
    // Taken back by its owner: nobody decided.
    let first = crate::pix_withdrawals::withdraw(&app, &ana, "ana", "20").await;
    let list = bia.get("/admin/list-withdraw-pix-approve-reject").await.ok();
    assert_eq!(list["data"][0]["case"]["status"], "open");
    ana.post(&format!("/withdraw-pix/{}/cancel", pix::id(&first)), &json!({}))
        .await
        .ok();
    let lapsed = case("lapsed").await;
    assert_eq!(
        (&lapsed[0]["subject"], &lapsed[0]["decidedBy"]),
        (&first["_id"], &Value::Null)
    );
    // Rejected: refused with the reason.
    let second = crate::pix_withdrawals::withdraw(&app, &ana, "ana", "20").await;
    let body = json!({ "id": second["_id"], "status": "rejected", "reason": "titular difere" });
    bia.patch("/admin/withdraw-pix-approve-reject", &body).await.ok();
    let refused = case("refused").await;
    assert_eq!(
        (
            &refused[0]["subject"],
            &refused[0]["note"],
            &refused[0]["decidedBy"]
        ),
        (&second["_id"], &json!("titular difere"), &json!("bia"))
    );
    // Approved: cleared.
    let third = crate::pix_withdrawals::withdraw(&app, &ana, "ana", "20").await;
    let body =
        json!({ "id": third["_id"], "status": "approved", "holderChecked": true, "brl": third["brl"] });
    bia.patch("/admin/withdraw-pix-approve-reject", &body).await.ok();
    assert_eq!(case("cleared").await[0]["subject"], third["_id"]);
    assert_eq!(case("open").await, json!([]));
}

#[actix_web::test]
async fn a_pause_is_told_to_those_whose_money_stands_still() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    let mut everyone = Live::open(&app, &bea).await;
    everyone.subscribe("public").await;
    let mut own = Live::open(&app, &ana).await;
    own.subscribe(&format!("user:{}", ana.user)).await;
    let day = (app.context.now() + Duration::days(3)).date().to_string();
    let pause = async |username: Option<&str>| {
        let body = json!({ "username": username, "reason": "Investigação", "reviewDate": day });
        let all = bia.post("/admin/outbound-pauses", &body).await.ok();
        all["data"].as_array().unwrap()[0]["_id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let one = pause(Some("ana")).await;
    assert_eq!(own.fact("user.changed").await["event"]["reason"], "outbound");
    let me = ana.get("/me").await.ok();
    assert_eq!(me["user"]["pause"]["reason"], "Investigação");
    assert!(me["user"]["pause"]["reviewAt"].is_string());
    assert_eq!(bea.get("/me").await.ok()["user"]["pause"], Value::Null);
    pause(None).await;
    let told = everyone.fact("announcement").await;
    assert_eq!(
        (&told["event"]["code"], &told["event"]["params"]["reason"]),
        (&json!("outbound_paused"), &json!("Investigação"))
    );
    assert_eq!(
        bea.get("/me").await.ok()["user"]["pause"]["reason"],
        "Investigação"
    );
    for by in [&bia, &caio] {
        by.post(
            &format!("/admin/outbound-pauses/{one}/lift"),
            &crate::pauses::ended(),
        )
        .await
        .ok();
    }
    ana.get("/admin/outbound-pauses")
        .await
        .refused(403, "auth.forbidden");
}

async fn round(app: &TestApp) {
    while jobs::round(&app.context).await.unwrap() > 0 {}
    crate::notifications::drain(app).await;
}

/// The job's work is done when this comes back. A crowded database may refuse a first attempt: later ones come by the clock.
async fn look(app: &TestApp) {
    run_job(app, server::notifications::queues::OLD_QUEUES).await;
}

/// Runs a job of this kind.
pub async fn run_job(app: &TestApp, kind: &'static str) {
    let effect = uuid::Uuid::now_v7().to_string();
    let mut tx = app.context.db.begin().await.unwrap();
    tx.enqueue(server::foundation::job_queue::NewJob {
        kind,
        effect: effect.clone(),
        payload: json!({}),
        run_at: None,
    });
    tx.commit().await.unwrap();
    for _ in 0..10 {
        round(app).await;
        let done: bool =
            sqlx::query_scalar("SELECT EXISTS (SELECT FROM foundation.job_done WHERE effect = $1)")
                .bind(&effect)
                .fetch_one(&app.sql)
                .await
                .unwrap();
        if done {
            return;
        }
        app.clock.advance(Duration::seconds(30));
    }
    let why: Option<String> = sqlx::query_scalar("SELECT last_error FROM foundation.job WHERE effect = $1")
        .bind(&effect)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    panic!("{kind} was not done: {why:?}");
}

async fn alerts(client: &Client) -> Vec<String> {
    alerts_of(client, "queue_old").await
}

/// Codes of a person's lines that begin like this, newest first.
pub async fn alerts_of(client: &Client, begins: &str) -> Vec<String> {
    let inbox = client.get("/notifications").await.ok();
    inbox["data"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|line| line["code"].as_str())
        .filter(|code| code.starts_with(begins))
        .map(str::to_owned)
        .collect()
}

/// Events wait for every older transaction of the cluster, other tests' too: a little patience.
async fn told(app: &TestApp, client: &Client, times: usize) {
    told_of(app, client, "queue_old", times).await;
}

/// The same of other alerts.
pub async fn told_of(app: &TestApp, client: &Client, begins: &str, times: usize) {
    for _ in 0..600 {
        if alerts_of(client, begins).await.len() >= times {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        crate::notifications::drain(app).await;
    }
}

#[actix_web::test]
async fn a_queue_in_which_somebody_waits_two_days_is_told_once_to_those_who_may_decide() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, bia, eva) = (
        app.user("ana").await,
        app.admin("bia").await,
        app.person("eva", SYSTEM_EMPLOYEE).await,
    );
    let made = pix::with_proof(&ana, "100", 1).await;
    app.clock.advance(Duration::hours(47));
    look(&app).await;
    assert_eq!(alerts(&app.renew(&bia)).await, Vec::<String>::new());
    app.clock.advance(Duration::hours(1) + Duration::minutes(1));
    let (bia, eva, ana) = (app.renew(&bia), app.renew(&eva), app.renew(&ana));
    look(&app).await;
    look(&app).await;
    told(&app, &bia, 1).await;
    assert_eq!(alerts(&bia).await, ["queue_old_pix_deposits"]);
    assert_eq!(alerts(&eva).await, Vec::<String>::new());
    assert_eq!(alerts(&ana).await, Vec::<String>::new());
    // Caught up, and old once more: news again.
    pix::approve(&bia, &made, &pix::end_to_end(app.context.now(), "1"))
        .await
        .ok();
    look(&app).await;
    pix::with_proof(&ana, "50", 2).await;
    app.clock.advance(Duration::hours(49));
    let bia = app.renew(&bia);
    look(&app).await;
    told(&app, &bia, 2).await;
    assert_eq!(alerts(&bia).await.len(), 2);
}

/// Where the house waits for its second person no customer asks when: it is told like the others, to those who decide there.
#[actix_web::test]
async fn what_waits_for_a_second_person_is_told_when_it_is_old() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.admin("bia").await);
    let (caio, eva) = (app.admin("caio").await, app.person("eva", SYSTEM_EMPLOYEE).await);
    let order = json!({ "userId": ana.user, "operation": "add", "value": "6000", "licenceId": null, "reason": "Campanha" });
    bia.post("/admin/balance-manager/add-remove-balance", &order)
        .await
        .ok();
    let declared = json!({ "place": "Cofre", "value": "9000", "note": "Extrato de hoje" });
    bia.post("/admin/declared-holdings", &declared).await.ok();
    app.clock.advance(Duration::hours(48) + Duration::minutes(1));
    let (caio, eva) = (app.renew(&caio), app.renew(&eva));
    look(&app).await;
    look(&app).await;
    told(&app, &caio, 2).await;
    let mut codes = alerts(&caio).await;
    codes.sort_unstable();
    assert_eq!(codes, ["queue_old_holdings", "queue_old_sponsorship"]);
    // Who sees the dashboard, and with it what is declared, decides nothing there.
    assert_eq!(alerts(&eva).await, Vec::<String>::new());
}

/// A bonus that is held for a person's look waits in the queue of cases, and grows old with it.
#[actix_web::test]
async fn a_bonus_that_is_held_for_two_days_is_told_to_those_who_decide_cases() {
    let app = TestApp::start().await;
    let (rui, eva) = (app.admin("rui").await, app.person("eva", SYSTEM_EMPLOYEE).await);
    let ana = first(&app, "ana").await;
    let bia = beneath(&app, "bia", ana.user).await;
    relate(&app, &ana, &bia).await;
    fund(&app, &bia, Available, 300).await;
    sell(&bia, 100).await;
    works(&app).await;
    let open = rui.get("/admin/compliance/cases?status=open").await.ok();
    assert_eq!(
        (&open["meta"]["total"], &open["data"][0]["flow"]),
        (&json!(1), &json!("bonus"))
    );
    app.clock.advance(Duration::hours(47));
    look(&app).await;
    assert_eq!(alerts(&app.renew(&rui)).await, Vec::<String>::new());
    app.clock.advance(Duration::hours(1) + Duration::minutes(1));
    let (rui, eva, ana) = (app.renew(&rui), app.renew(&eva), app.renew(&ana));
    look(&app).await;
    look(&app).await;
    told(&app, &rui, 1).await;
    assert_eq!(alerts(&rui).await, ["queue_old_compliance"]);
    assert_eq!(alerts(&eva).await, Vec::<String>::new());
    assert_eq!(alerts(&ana).await, Vec::<String>::new());
}

#[actix_web::test]
async fn a_persons_money_in_sums_is_what_the_books_say() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, bea, bia) = (
        app.user("ana").await,
        app.user("bea").await,
        app.admin("bia").await,
    );
    let deposit = pix::with_proof(&ana, "500", 1).await;
    pix::approve(&bia, &deposit, &pix::end_to_end(app.context.now(), "1"))
        .await
        .ok();
    fund(&app, &ana, Bonus, 7).await;
    buy(&ana, PLAN_100).await;
    let kept = id(&buy(&ana, PLAN_100).await);
    ana.post("/licences/cancel", &json!({ "licence": kept }))
        .await
        .ok();
    app.clock.advance(Duration::hours(73));
    let (ana, bea, bia) = (app.renew(&ana), app.renew(&bea), app.renew(&bia));
    send(&app, &ana, "ana", "bea", "30").await.ok();
    fund(&app, &bea, Available, 5).await;
    send(&app, &bea, "bea", "ana", "5").await.ok();
    let of = async |who: &Client| {
        bia.get(&format!("/admin/user-financial-summary/{}", who.user))
            .await
            .ok()
    };
    let sums = of(&ana).await;
    assert_eq!(
        sums["deposits"],
        json!([{ "method": "pix", "count": 1, "credited": "500.000000", "reversed": "0.000000" }])
    );
    assert_eq!(sums["withdrawals"], json!([]));
    assert_eq!(
        sums["transfers"],
        json!({ "sent": "30.000000", "sentCount": 1, "fees": "0.000000", "received": "5.000000", "receivedCount": 1 })
    );
    assert_eq!(
        sums["licences"],
        json!({ "count": 2, "value": "200.000000", "activeCount": 1, "activeValue": "100.000000" })
    );
    assert_eq!(
        sums["bonus"],
        json!({ "count": 1, "received": "7.000000", "used": "0.000000" })
    );
    assert_eq!(
        (
            &sums["accounts"]["available"],
            &sums["accounts"]["price"],
            &sums["user"]["username"]
        ),
        (&json!("375.000000"), &json!("100.000000"), &json!("ana"))
    );
    // Taken back by the bank.
    bia.post(
        &format!("/admin/deposits-pix/{}/reverse", pix::id(&deposit)),
        &json!({ "reason": "Devolvido" }),
    )
    .await
    .ok();
    let sums = of(&ana).await;
    assert_eq!(sums["deposits"][0]["reversed"], "500.000000");
    // It had left whole, wherever it was taken from.
    assert_eq!(
        (&sums["figures"]["paidIn"], &sums["figures"]["takenOut"]),
        (&json!("505.000000"), &json!("530.000000"))
    );
    ana.get(&format!("/admin/user-financial-summary/{}", ana.user))
        .await
        .refused(403, "auth.forbidden");
}

#[actix_web::test]
async fn a_paid_withdrawal_stands_in_the_sums_with_its_fee() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, bia) = (
        crate::pix_withdrawals::customer(&app, "ana", "100").await,
        app.admin("bia").await,
    );
    let made = crate::pix_withdrawals::withdraw(&app, &ana, "ana", "50").await;
    let bank = pix::end_to_end(app.context.now(), "9");
    let body = json!({ "id": made["_id"], "status": "approved", "holderChecked": true, "endToEndId": bank, "brl": made["brl"] });
    let paid = bia.patch("/admin/withdraw-pix-approve-reject", &body).await.ok();
    assert!(paid["paidAt"].is_string(), "{paid}");
    let sums = bia
        .get(&format!("/admin/user-financial-summary/{}", ana.user))
        .await
        .ok();
    assert_eq!(
        sums["withdrawals"],
        json!([{ "method": "pix", "count": 1, "value": "50.000000", "fee": "1.000000" }])
    );
}
