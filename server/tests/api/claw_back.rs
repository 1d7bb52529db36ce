//! A deposit that the bank takes back after its money was spent: where it is taken from, in which order, and what is owed.

use crate::{
    guard::{send, settings},
    kit::{Client, Reply, TestApp},
    licences::{buy, earn, exact, fund, house, id},
    notifications, pix,
    pix_withdrawals::{customer, withdraw},
};
use protocol::money::Usdt;
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use server::ledger::{
    model::{AccountRef, Cause, CauseKind, HouseAccount, Orderer, Transfer, TransferKind, UserAccount},
    service as ledger,
};

const POOL_90: &str = "0190b000-0000-7000-8000-000000000001";
const PLAN_50: &str = "0190a000-0000-7000-8000-000000010001";
const PLAN_100: &str = "0190a000-0000-7000-8000-000000010002";

/// An approved deposit of a person.
pub async fn credited(app: &TestApp, user: &Client, admin: &Client, usdt: &str, n: u8) -> Value {
    let deposit = pix::with_proof(user, usdt, n).await;
    let bank = pix::end_to_end(app.context.now(), &n.to_string());
    pix::approve(admin, &deposit, &bank).await.ok();
    deposit
}

pub async fn reverse(admin: &Client, deposit: &Value) -> Reply {
    admin
        .post(
            &format!("/admin/deposits-pix/{}/reverse", pix::id(deposit)),
            &json!({ "reason": "Devolvido pelo banco" }),
        )
        .await
}

pub async fn of(app: &TestApp, user: &Client, account: UserAccount) -> i64 {
    ledger::usdt_balance(app.context.db.pool(), AccountRef::User(user.user, account))
        .await
        .unwrap()
        .0
}

async fn verified(admin: &Client) {
    let report = admin.post("/admin/ledger/verify", &json!({})).await.ok();
    assert_eq!(report["exact"], true, "{report}");
}

/// All that a person has, less what they owe, in every account and licence.
pub async fn worth(app: &TestApp, user: &Client) -> i64 {
    sqlx::query_scalar(
        "SELECT coalesce(sum(balance), 0)::bigint FROM ledger.account
         WHERE currency = 'USDT' AND (owner = $1 OR owner IN (SELECT id FROM licences.licence WHERE owner = $1))",
    )
    .bind(user.user.0)
    .fetch_one(&app.sql)
    .await
    .unwrap()
}

/// Moves between house and user, as bonuses and withdrawals would.
pub async fn moved(app: &TestApp, from: AccountRef, to: AccountRef, amount: i64) {
    let mut tx = app.context.db.begin().await.unwrap();
    let transfer = Transfer::new(
        TransferKind::Bonus,
        uuid::Uuid::now_v7().to_string(),
        Cause::new(CauseKind::User, uuid::Uuid::now_v7()),
        Orderer::System,
    )
    .move_usdt(from, to, Usdt::whole(amount));
    ledger::post(&mut tx, transfer).await.unwrap();
    tx.commit().await.unwrap();
}

pub async fn licence(user: &Client, id: &str) -> Value {
    let list = user.get("/get-user-licenses").await.ok();
    list["data"]
        .as_array()
        .unwrap()
        .iter()
        .find(|l| l["_id"] == id)
        .unwrap()
        .clone()
}

#[actix_web::test]
async fn what_is_at_hand_goes_first_and_sponsored_money_stays() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("root").await);
    let deposit = credited(&app, &ana, &admin, "200", 1).await;
    fund(&app, &ana, UserAccount::Bonus, 20).await;
    fund(&app, &ana, UserAccount::Sponsored, 40).await;
    let bought = id(&buy(&ana, PLAN_100).await);
    for (value, source) in [("90", "available"), ("40", "sponsored")] {
        ana.post(
            "/licences/topup",
            &json!({ "licence": bought, "value": value, "source": source }),
        )
        .await
        .ok();
    }
    earn(&app, &bought, 5).await;
    // 10 available, 20 bonus, 5 yield, 90 of the lots; 75 of the price, whose rest is the customer's.
    let before = worth(&app, &ana).await;
    let view = reverse(&admin, &deposit).await.ok();
    assert_eq!(view["reversed"], true);
    assert_eq!(worth(&app, &ana).await, before - 200_000_000);
    let after = licence(&ana, &bought).await;
    assert_eq!(
        (&after["state"], &after["price"], &after["yield"], &after["topup"]),
        (
            &json!("reversed"),
            &json!("0.000000"),
            &json!("0.000000"),
            &json!("40.000000")
        )
    );
    assert_eq!(
        (
            of(&app, &ana, UserAccount::Available).await,
            of(&app, &ana, UserAccount::Bonus).await,
            of(&app, &ana, UserAccount::Debt).await
        ),
        (25_000_000, 0, 0)
    );
    assert_eq!(house(&app, HouseAccount::PixLosses).await, Usdt::ZERO);
    ana.post(
        "/licences/capital-withdraw",
        &json!({ "licence": bought, "value": "40" }),
    )
    .await
    .ok();
    assert_eq!(of(&app, &ana, UserAccount::Sponsored).await, 40_000_000);
    exact(&app).await;
    verified(&admin).await;
    reverse(&admin, &deposit).await.refused(409, "deposit.state");
}

#[actix_web::test]
async fn a_final_sale_is_undone_from_sales_funds_and_losses() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("root").await);
    fund(&app, &ana, UserAccount::Available, 60).await;
    let older = id(&buy(&ana, PLAN_50).await);
    ana.post("/licences/topup", &json!({ "licence": older, "value": "10" }))
        .await
        .ok();
    ana.post(
        "/trader/allocate-value-in-trading",
        &json!({ "licence": older, "value": "10" }),
    )
    .await
    .ok();
    app.clock.advance(time::Duration::seconds(1));
    let deposit = credited(&app, &ana, &admin, "130", 1).await;
    let bought = id(&buy(&ana, PLAN_100).await);
    ana.post("/licences/topup", &json!({ "licence": bought, "value": "30" }))
        .await
        .ok();
    ana.post(
        "/trader/allocate-value-in-trading",
        &json!({ "licence": bought, "value": "20" }),
    )
    .await
    .ok();
    // The funds have paid bonuses meanwhile and hold 30 of 112.50 and 1 of 7.50.
    let bia = app.user("bia").await;
    for (fund, paid) in [(HouseAccount::NetworkFund, 82), (HouseAccount::GraduationFund, 6)] {
        moved(
            &app,
            AccountRef::House(fund),
            AccountRef::User(bia.user, UserAccount::Bonus),
            paid,
        )
        .await;
    }
    reverse(&admin, &deposit).await.ok();
    // 10 of the lots, 20 from sales, 30.50 and 1.50 from the funds, 48 from losses, 20 of its own capital: 130.
    assert_eq!(house(&app, HouseAccount::LicenceSales).await, Usdt::whole(10));
    assert_eq!(house(&app, HouseAccount::NetworkFund).await, Usdt::ZERO);
    assert_eq!(house(&app, HouseAccount::GraduationFund).await, Usdt::ZERO);
    assert_eq!(house(&app, HouseAccount::PixLosses).await, Usdt::whole(-48));
    assert_eq!(of(&app, &ana, UserAccount::Debt).await, 0);
    assert_eq!(of(&app, &ana, UserAccount::Available).await, 0);
    let (kept, gone) = (licence(&ana, &older).await, licence(&ana, &bought).await);
    assert_eq!(
        (&kept["state"], &kept["allocated"]),
        (&json!("active"), &json!("10.000000")),
        "bought before the credit"
    );
    assert_eq!(
        (&gone["state"], &gone["allocated"], &gone["topup"]),
        (&json!("reversed"), &json!("0.000000"), &json!("0.000000"))
    );
    exact(&app).await;
    verified(&admin).await;
}

#[actix_web::test]
async fn what_nobody_has_is_owed_and_repaid_first() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("root").await);
    let deposit = credited(&app, &ana, &admin, "100", 1).await;
    moved(
        &app,
        AccountRef::User(ana.user, UserAccount::Available),
        AccountRef::House(HouseAccount::LicenceSales),
        70,
    )
    .await;
    reverse(&admin, &deposit).await.ok();
    assert_eq!(of(&app, &ana, UserAccount::Debt).await, -70_000_000);
    fund(&app, &ana, UserAccount::Available, 50).await;
    assert_eq!(
        (
            of(&app, &ana, UserAccount::Available).await,
            of(&app, &ana, UserAccount::Debt).await
        ),
        (0, -20_000_000)
    );
    verified(&admin).await;
}

/// Who decides about a withdrawal holds it, then its owner's lock; so does who takes back the credit behind it, or one of them would be refused.
#[actix_web::test]
async fn a_reversal_and_a_decision_wait_for_each_other_in_one_order() {
    let app = TestApp::start().await;
    let (ana, root) = (customer(&app, "ana", "1").await, app.admin("root").await);
    let deposit = credited(&app, &ana, &root, "100", 1).await;
    app.clock.advance(time::Duration::days(4));
    let [ana, root] = [&ana, &root].map(|client| app.renew(client));
    let withdrawal = withdraw(&app, &ana, "ana", "60").await;
    let mut decider = app.sql.begin().await.unwrap();
    sqlx::query("SELECT FROM pix.withdrawal WHERE id = $1::uuid FOR UPDATE")
        .bind(crate::pix_withdrawals::id(&withdrawal))
        .execute(&mut *decider)
        .await
        .unwrap();
    let decided = async {
        let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')";
        while !sqlx::query_scalar::<_, bool>(waits)
            .fetch_one(&app.sql)
            .await
            .unwrap()
        {
            actix_web::rt::task::yield_now().await;
        }
        sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended($1, 5))")
            .bind(ana.user.to_string())
            .execute(&mut *decider)
            .await?;
        decider.commit().await
    };
    let (decided, reversed) = futures_util::future::join(decided, reverse(&root, &deposit)).await;
    decided.unwrap();
    reversed.ok();
    let own = ana.get("/list-withdraws-pix").await.ok();
    assert_eq!(own["data"][0]["status"], "canceled");
    verified(&root).await;
}

/// A transfer that somebody still looks at is not gone: its money goes back to the bank, and nobody owes what is there.
#[actix_web::test]
async fn a_transfer_that_waits_ends_before_its_credit_is_taken_back() {
    let app = TestApp::start().await;
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    let (root, admin) = (app.admin("root").await, app.admin("bia").await);
    let deposit = credited(&app, &ana, &root, "100", 1).await;
    settings(&app, |s| s.compliance_amount = Usdt::whole(40)).await;
    app.clock.advance(time::Duration::days(4));
    let [ana, bea, root, admin] = [&ana, &bea, &root, &admin].map(|client| app.renew(client));
    let waits = send(&app, &ana, "ana", "bea", "60").await.ok();
    assert_eq!(waits["status"], "pending");
    assert_eq!(of(&app, &ana, UserAccount::Held).await, 60_000_000);
    reverse(&root, &deposit).await.ok();
    for account in [UserAccount::Available, UserAccount::Held, UserAccount::Debt] {
        assert_eq!(of(&app, &ana, account).await, 0, "{account:?}");
    }
    // Its sender reads why, its receiver never heard of it, and nobody can decide on it any more.
    let mine = ana.get("/transfers-list").await.ok();
    assert_eq!(
        (&mine["data"][0]["status"], &mine["data"][0]["reason"]),
        (&json!("canceled"), &json!("Devolvido pelo banco"))
    );
    notifications::drain(&app).await;
    let told = notifications::inbox(&ana).await;
    assert!(
        notifications::codes(&told).contains(&"transfer_canceled"),
        "{told}"
    );
    assert_eq!(bea.get("/transfers-list").await.ok()["meta"]["total"], 0);
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM approvals.outbound WHERE released_at IS NULL")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(left, 0);
    let cases = admin.get("/admin/compliance/cases").await.ok();
    assert_eq!(cases["data"][0]["status"], "lapsed");
    let body = json!({ "id": waits["_id"], "approve": true });
    admin
        .patch("/admin/transfers-approve-reject", &body)
        .await
        .refused(409, "decision.done");
    assert_eq!(of(&app, &bea, UserAccount::Available).await, 0);
    verified(&root).await;
}

#[actix_web::test]
async fn whatever_was_done_with_it_the_amount_goes_back_and_the_books_are_exact() {
    let app = TestApp::start().await;
    let admin = app.admin("root").await;
    for seed in 0..8_u8 {
        let mut dice = StdRng::seed_from_u64(seed.into());
        let ana = app.user(&format!("person{seed}")).await;
        fund(&app, &ana, UserAccount::Bonus, dice.random_range(1..60)).await;
        fund(&app, &ana, UserAccount::Sponsored, 30).await;
        let deposit = credited(&app, &ana, &admin, "400", seed + 1).await;
        let mut own: Vec<String> = Vec::new();
        for _ in 0..dice.random_range(4..16) {
            let value = dice.random_range(10..60).to_string();
            let any = |own: &[String], dice: &mut StdRng| {
                (!own.is_empty()).then(|| own[dice.random_range(0..own.len())].clone())
            };
            // What a limit refuses is refused here too: only the end counts.
            match (dice.random_range(0..7), any(&own, &mut dice)) {
                (6, _) => {
                    let value = dice.random_range(100..150).to_string();
                    let order = json!({ "plan": POOL_90, "value": value, "riskAccepted": true });
                    ana.post("/pools/join", &order).await;
                }
                (0, _) | (_, None) => {
                    let order = json!({ "plan": if dice.random() { PLAN_50 } else { PLAN_100 }, "riskAccepted": true });
                    let bought = ana.post("/licences/buy", &order).await;
                    if bought.status == 200 {
                        own.push(id(&bought.body));
                    }
                }
                (1 | 2, Some(licence)) => {
                    let source = ["available", "bonus", "sponsored"][dice.random_range(0..3)];
                    let order = json!({ "licence": licence, "value": value, "source": source });
                    ana.post("/licences/topup", &order).await;
                }
                (3, Some(licence)) => {
                    let order = json!({ "licence": licence, "value": value });
                    ana.post("/trader/allocate-value-in-trading", &order).await;
                }
                (4, Some(from)) => {
                    let order = json!({ "from": from, "to": any(&own, &mut dice), "value": value });
                    ana.post("/trader/relocate-value", &order).await;
                }
                (_, Some(licence)) => earn(&app, &licence, dice.random_range(1..9)).await,
            }
        }
        let sponsored = async || -> i64 {
            sqlx::query_scalar(
                "SELECT (SELECT coalesce(sum(balance), 0) FROM ledger.account WHERE owner = $1 AND name = 'sponsored')::bigint
                      + (SELECT coalesce(sum(l.amount), 0) FROM licences.lot l JOIN licences.licence c ON c.id = l.licence
                         WHERE c.owner = $1 AND l.origin = 'sponsored')::bigint",
            )
            .bind(ana.user.0)
            .fetch_one(&app.sql)
            .await
            .unwrap()
        };
        let houses = async || -> i64 {
            let mut sum = Usdt::ZERO;
            for account in [
                HouseAccount::LicenceSales,
                HouseAccount::NetworkFund,
                HouseAccount::GraduationFund,
                HouseAccount::PixLosses,
            ] {
                sum += house(&app, account).await;
            }
            sum.0
        };
        let (before, kept, held) = (worth(&app, &ana).await, sponsored().await, houses().await);
        reverse(&admin, &deposit).await.ok();
        assert_eq!(
            worth(&app, &ana).await + houses().await,
            before + held - 400_000_000,
            "seed {seed}"
        );
        assert_eq!(sponsored().await, kept, "seed {seed}");
        exact(&app).await;
        crate::pools::exact(&app).await;
    }
    verified(&admin).await;
}

#[actix_web::test]
async fn two_reversals_and_a_spender_at_once_take_it_back_once() {
    let app = TestApp::start().await;
    let (ana, admin, other) = (
        app.user("ana").await,
        app.admin("root").await,
        app.admin("second").await,
    );
    let deposit = credited(&app, &ana, &admin, "300", 1).await;
    let first = id(&buy(&ana, PLAN_100).await);
    ana.post("/licences/topup", &json!({ "licence": first, "value": "150" }))
        .await
        .ok();
    let allocation = json!({ "licence": first, "value": "60" });
    let order = json!({ "plan": PLAN_50, "riskAccepted": true });
    let (a, b, _, _, _) = tokio::join!(
        reverse(&admin, &deposit),
        reverse(&other, &deposit),
        ana.post("/trader/allocate-value-in-trading", &allocation),
        ana.post("/licences/buy", &order),
        ana.post("/trader/allocate-value-in-trading", &allocation),
    );
    let mut statuses = [a.status, b.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", a.body, b.body);
    exact(&app).await;
    verified(&admin).await;
}

#[actix_web::test]
async fn only_those_who_decide_take_back_and_with_a_reason() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("root").await);
    let deposit = credited(&app, &ana, &admin, "100", 1).await;
    let path = format!("/admin/deposits-pix/{}/reverse", pix::id(&deposit));
    let body = json!({ "reason": "Devolvido" });
    ana.post(&path, &body).await.refused(403, "auth.forbidden");
    admin
        .post(&path, &json!({ "reason": "  " }))
        .await
        .refused(422, "decision.reason_missing");
    let unknown = format!("/admin/deposits-pix/{}/reverse", uuid::Uuid::now_v7());
    admin
        .post(&unknown, &body)
        .await
        .refused(404, "request.not_found");
    let waiting = pix::with_proof(&ana, "20", 9).await;
    reverse(&admin, &waiting).await.refused(409, "deposit.state");
    let keyed = admin.key("0123456789abcdef");
    let first = keyed.post(&path, &body).await.ok();
    assert_eq!(
        keyed.post(&path, &body).await.ok(),
        first,
        "the first answer again"
    );
    keyed
        .post(&path, &json!({ "reason": "Outra" }))
        .await
        .refused(409, "idempotency.mismatch");
    let audited: i64 =
        sqlx::query_scalar("SELECT count(*) FROM foundation.audit WHERE action = 'pix_deposit.reverse'")
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!(audited, 1);
    assert_eq!(of(&app, &ana, UserAccount::Available).await, 0);
}
