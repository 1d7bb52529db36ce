//! Sponsorship: given, placed in a licence, taken again; two persons above the limit.

use crate::{
    guard::{send, settings},
    kit::{Client, Reply, SALESPERSON, TestApp},
    licences::{balance, buy, fund, house, id},
};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::ledger::{
    model::{
        HouseAccount::Sponsorship,
        UserAccount::{Available, Bonus, Sponsored},
    },
    verify,
};

const PLAN_100: &str = "/licences/plans";

pub async fn order(
    admin: &Client,
    user: &Client,
    operation: &str,
    value: &str,
    licence: Option<&str>,
) -> Reply {
    let body = json!({
        "userId": user.user, "operation": operation, "value": value, "licenceId": licence, "reason": "Campanha",
    });
    admin
        .post("/admin/balance-manager/add-remove-balance", &body)
        .await
}

async fn plan(user: &Client, value: &str) -> String {
    let plans = user.get(PLAN_100).await.ok();
    plans
        .as_array()
        .unwrap()
        .iter()
        .find(|p| p["value"] == value)
        .unwrap()["_id"]
        .as_str()
        .unwrap()
        .to_owned()
}

async fn lots(app: &TestApp, licence: &str) -> Vec<(String, i64)> {
    sqlx::query_as(
        "SELECT origin, amount FROM licences.lot WHERE licence = $1::uuid AND amount > 0 ORDER BY created_at",
    )
    .bind(licence)
    .fetch_all(&app.sql)
    .await
    .unwrap()
}

#[actix_web::test]
async fn sponsored_balance_buys_licences_and_leaves_no_other_way() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, _, admin) = (
        app.user("ana").await,
        app.user("bea").await,
        app.admin("bia").await,
    );
    for (value, code) in [
        ("0", "amount.not_positive"),
        ("-1", "amount.not_positive"),
        ("x", "amount.invalid"),
    ] {
        order(&admin, &ana, "add", value, None).await.refused(422, code);
    }
    let body = json!({ "userId": ana.user, "operation": "add", "value": "1", "reason": " " });
    admin
        .post("/admin/balance-manager/add-remove-balance", &body)
        .await
        .refused(422, "decision.reason_missing");
    order(&ana, &ana, "add", "1", None)
        .await
        .refused(403, "auth.forbidden");
    order(&admin, &admin, "add", "1", None)
        .await
        .refused(403, "decision.own_money");

    let done = order(&admin, &ana, "add", "100", None).await.ok();
    assert_eq!(
        (&done["status"], &done["approvals"]),
        (&json!("complete"), &json!(1))
    );
    assert_eq!(balance(&app, &ana, Sponsored).await, Usdt::whole(100));
    assert_eq!(balance(&app, &ana, Available).await, Usdt::ZERO);
    send(&app, &ana, "ana", "bea", "1")
        .await
        .refused(422, "balance.insufficient");
    order(&admin, &ana, "remove", "100.000001", None)
        .await
        .refused(422, "balance.insufficient");
    order(&admin, &ana, "remove", "40", None).await.ok();
    assert_eq!(balance(&app, &ana, Sponsored).await, Usdt::whole(60));
    assert_eq!(house(&app, Sponsorship).await, -Usdt::whole(60));
}

#[actix_web::test]
async fn in_a_licence_it_is_a_lot_that_only_a_removal_takes() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    fund(&app, &ana, Available, 150).await;
    let licence = id(&buy(&ana, &plan(&ana, "100.000000").await).await);
    ana.post(
        "/licences/topup",
        &json!({ "licence": licence, "value": "50", "source": "available" }),
    )
    .await
    .ok();
    order(&admin, &ana, "add", "30", Some(&licence)).await.ok();
    order(&admin, &ana, "add", "5", None).await.ok();
    assert_eq!(
        lots(&app, &licence).await,
        [
            ("available".into(), 50_000_000),
            ("sponsored".to_owned(), 30_000_000)
        ]
    );
    // Above the room of the licence nothing is placed, and nothing given.
    order(&admin, &ana, "add", "500", Some(&licence))
        .await
        .refused(422, "licence.allocation_limit");
    assert_eq!(balance(&app, &ana, Sponsored).await, Usdt::whole(5));
    let seen = admin
        .get(&format!("/admin/balance-manager/get-user-licenses/{}", ana.user))
        .await
        .ok();
    assert_eq!(seen[0]["topup"], "80.000000");
    // First `sponsored`, then the lot; the owner's own capital stays.
    order(&admin, &ana, "remove", "36", Some(&licence))
        .await
        .refused(422, "balance.insufficient");
    order(&admin, &ana, "remove", "15", Some(&licence)).await.ok();
    assert_eq!(balance(&app, &ana, Sponsored).await, Usdt::ZERO);
    assert_eq!(
        lots(&app, &licence).await,
        [
            ("available".into(), 50_000_000),
            ("sponsored".to_owned(), 20_000_000)
        ]
    );
    // Also out of what is allocated.
    ana.post(
        "/trader/allocate-value-in-trading",
        &json!({ "licence": licence, "value": "70" }),
    )
    .await
    .ok();
    order(&admin, &ana, "remove", "20", Some(&licence)).await.ok();
    assert_eq!(lots(&app, &licence).await, [("available".to_owned(), 50_000_000)]);
    order(&admin, &ana, "remove", "1", Some(&licence))
        .await
        .refused(422, "balance.insufficient");
    let other = app.user("bea").await;
    order(&admin, &other, "add", "1", Some(&licence))
        .await
        .refused(404, "licence.unknown");
    let report = verify::verify(&app.context.db).await.unwrap();
    assert!(report.exact, "{report}");
}

#[actix_web::test]
async fn above_the_limit_another_person_agrees() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    let waits = order(&bia, &ana, "add", "5000.000001", None).await.ok();
    assert_eq!(
        (&waits["status"], &waits["approvalsNeeded"]),
        (&json!("pending"), &json!(2))
    );
    assert_eq!(balance(&app, &ana, Sponsored).await, Usdt::ZERO);
    let decide = async |who: &Client, request: &Value, approve: bool, reason: &str| {
        let body = json!({ "id": request["_id"], "approve": approve, "reason": reason });
        who.patch("/admin/balance-manager/approve-reject", &body).await
    };
    decide(&bia, &waits, true, "")
        .await
        .refused(409, "decision.same_person");
    let queue = caio.get("/admin/balance-manager/requests").await.ok();
    assert_eq!(queue["data"][0]["_id"], waits["_id"]);
    assert_eq!(decide(&caio, &waits, true, "").await.ok()["status"], "complete");
    decide(&caio, &waits, true, "")
        .await
        .refused(409, "decision.done");
    assert_eq!(balance(&app, &ana, Sponsored).await, Usdt(5_000_000_001));

    let again = order(&bia, &ana, "remove", "5000", None).await.ok();
    assert_eq!(again["status"], "pending");
    decide(&caio, &again, false, "")
        .await
        .refused(422, "decision.reason_missing");
    assert_eq!(
        decide(&caio, &again, false, "Não combinado").await.ok()["rejectedReason"],
        "Não combinado"
    );
    assert_eq!(balance(&app, &ana, Sponsored).await, Usdt(5_000_000_001));

    let people = bia.get("/admin/balance-manager?search=ana").await.ok();
    assert_eq!(people["meta"]["limit"], 100);
    assert_eq!(people["data"][0]["sponsored"], "5000.000001");
    let summary = bia
        .get(&format!("/admin/user-financial-summary/{}", ana.user))
        .await
        .ok();
    assert_eq!(summary["accounts"]["sponsored"], "5000.000001");
    bia.get(&format!("/admin/user-financial-summary/{}", uuid::Uuid::nil()))
        .await
        .refused(404, "user.unknown");
}

/// Whatever page is shown, the sums are of all who were found.
#[actix_web::test]
async fn lists_of_people_add_up_what_all_who_were_found_have() {
    let app = TestApp::start().await;
    let (ana, bea, admin) = (
        app.user("ana").await,
        app.user("bea").await,
        app.admin("caio").await,
    );
    fund(&app, &ana, Available, 30).await;
    fund(&app, &ana, Bonus, 7).await;
    fund(&app, &bea, Available, 12).await;
    order(&admin, &bea, "add", "5", None).await.ok();
    let list = async |path: &str| admin.get(path).await.ok();
    assert_eq!(
        list("/admin/balance-manager?limit=1").await["sums"],
        json!({ "balance": "42.000000", "sponsored": "5.000000", "bonus": "7.000000", "held": "0.000000" })
    );
    assert_eq!(
        list("/admin/balance-manager?search=bea").await["sums"],
        json!({ "balance": "12.000000", "sponsored": "5.000000", "bonus": "0.000000", "held": "0.000000" })
    );
    assert_eq!(list("/admin/users-list/?limit=1").await["balance"], "42.000000");
    assert_eq!(
        list("/admin/users-list/?search=bea").await["balance"],
        "12.000000"
    );
    assert_eq!(
        list("/admin/users-list/?status=inactive").await["balance"],
        "0.000000"
    );
    let seller = app.person("sol", SALESPERSON).await;
    let seen = seller.get("/admin/users-list/").await.ok();
    assert!(seen["balance"].is_null());
}
