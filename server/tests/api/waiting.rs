//! What waits for a decision is counted in one place, for whoever may decide.

use crate::{
    identity::roles::{add, role},
    kit::{ADMINISTRATOR, Client, TestApp},
    pix::{approve, end_to_end, with_proof},
    presale::{propose, terms},
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use time::Duration;

/// Queues in which something waits: how much, and how much for this person.
async fn waits(admin: &Client) -> BTreeMap<String, (i64, i64)> {
    let answer = admin.get("/admin/waiting").await.ok();
    let queues = answer["queues"].as_array().unwrap();
    assert_eq!(queues.len(), 15);
    queues
        .iter()
        .filter(|q| q["pending"] != 0)
        .map(|q| {
            assert!(q["oldest"].is_string(), "{q}");
            let count = |name: &str| q[name].as_i64().unwrap();
            (
                q["queue"].as_str().unwrap().to_owned(),
                (count("pending"), count("mine")),
            )
        })
        .collect()
}

fn each(queues: &[&str], mine: i64) -> BTreeMap<String, (i64, i64)> {
    queues.iter().map(|q| ((*q).to_owned(), (1, mine))).collect()
}

#[actix_web::test]
async fn every_queue_counts_for_whoever_may_decide_there() {
    let app = TestApp::start().await;
    let (ana, xico) = (app.user("ana").await, app.user("xico").await);
    let (rui, eva, davi) = (
        app.admin("rui").await,
        app.admin("eva").await,
        app.admin("davi").await,
    );
    assert_eq!(waits(&rui).await, BTreeMap::new());

    let post = async |path: &str, body: Value| rui.post(path, &body).await;
    let order = json!({ "userId": ana.user, "operation": "add", "value": "6000", "licenceId": null, "reason": "Campanha" });
    post("/admin/balance-manager/add-remove-balance", order)
        .await
        .ok();
    let declared = json!({ "place": "Cofre", "value": "9000", "note": "Extrato de hoje" });
    post("/admin/declared-holdings", declared).await.ok();
    let revision = rui.get("/admin/settings").await.ok()["revision"].clone();
    let change = json!({ "revision": revision, "changes": { "withdrawalFee": "3" }, "reason": "Decisão da diretoria" });
    post("/admin/settings", change).await.ok();
    propose(&rui, &terms(&app)).await;
    let asked = add(&rui, &xico, &[role(&app, ADMINISTRATOR).await]).await;
    assert_eq!(asked.status, 202);
    let deposit = with_proof(&ana, "9000", 1).await;
    approve(&rui, &deposit, &end_to_end(app.context.now(), "1"))
        .await
        .ok();

    // Whoever gave the first word waits for the second one's.
    let all = [
        "sponsorship",
        "holdings",
        "settings",
        "rounds",
        "grants",
        "pix_deposits",
    ];
    assert_eq!(waits(&rui).await, each(&all, 0));
    assert_eq!(waits(&eva).await, each(&all, 1));
    ana.get("/admin/waiting").await.refused(403, "auth.forbidden");

    // Nothing waits for whose decisions do not count: a new administrator, one who is frozen.
    let request = asked.body["request"]["_id"].as_str().unwrap().to_owned();
    eva.post(&format!("/admin/grants/{request}/approve"), &json!({}))
        .await
        .ok();
    let left = &all.iter().copied().filter(|q| *q != "grants").collect::<Vec<_>>()[..];
    assert_eq!(waits(&xico).await, each(left, 0));
    assert_eq!(waits(&davi).await, each(left, 1));
    app.clock.advance(Duration::hours(24) + Duration::seconds(1));
    // The round has ended meanwhile. Neither of the two who made the new one has them as the second person.
    let left = &left
        .iter()
        .copied()
        .filter(|q| *q != "rounds")
        .collect::<Vec<_>>()[..];
    let [xico, davi] = [app.renew(&xico), app.renew(&davi)];
    assert_eq!(waits(&xico).await, each(left, 0));
    let body = json!({ "userId": davi.user, "reason": "conta tomada" });
    xico.post("/admin/freezes", &body).await.ok();
    assert_eq!(waits(&davi).await, each(left, 0));
}
