//! Decisions about who decides, about the rules, about what stands still, and about the desk.

use super::{asks, unsaid};
use crate::{
    bonuses, bonuses_related,
    chain::sender,
    copying::noon,
    grants::{self, agree, ask, freeze, lift},
    guard::settings,
    identity::roles::{add, remove, role},
    kit::{ADMINISTRATOR, SALESPERSON, TestApp, statements},
    licences::{PLAN_100, fund, id},
    live::{bench::venue_at, exchange},
    manual,
    pauses::{self, PAUSES},
    results_reversed::{made, reverse},
    robots::robot,
    rulebook::{self, revision},
    staff_people::edit,
};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::{foundation::context::Parts, ledger::model::UserAccount::Available, robots::live::Live};
use time::Duration;

#[actix_web::test]
async fn who_decides() {
    let app = statements::counted(TestApp::start()).await;
    settings(&app, |_| {}).await;
    let (rui, eva, leo, mia) = (
        app.admin("rui").await,
        app.admin("eva").await,
        app.admin("leo").await,
        app.admin("mia").await,
    );
    let (ana, xico) = (app.user("ana").await, app.user("xico").await);
    let sells = [role(&app, SALESPERSON).await];
    let decides = [role(&app, ADMINISTRATOR).await];
    asks(&app, &rui, "role given", add(&rui, &ana, &sells)).await;
    asks(&app, &rui, "role taken", remove(&rui, &ana, &sells)).await;

    let name = "role that decides asked for";
    let asked = asks(&app, &rui, name, add(&rui, &xico, &decides)).await["request"].clone();
    unsaid(&app, &rui, ("role that decides", "admin_grant"), &id(&asked)).await;
    agree(&rui, &asked).await.ok();
    let name = "role that decides given by the second person";
    asks(&app, &eva, name, agree(&eva, &asked)).await;
    let name = "role that decides asked back";
    let asked = asks(&app, &rui, name, remove(&rui, &xico, &decides)).await["request"].clone();
    let name = "role that decides taken by the second person";
    asks(&app, &eva, name, agree(&eva, &asked)).await;
    let asked = ask(&app, &rui, &ana).await;
    let name = "role that decides refused";
    asks(&app, &eva, name, grants::reject(&eva, &asked, "Não")).await;
    let asked = ask(&app, &rui, &ana).await;
    let name = "role that decides taken back by who asked";
    asks(&app, &rui, name, grants::reject(&rui, &asked, "Engano")).await;

    let off = json!({ "status": "inactive", "reason": "Saiu" });
    let name = "account switched off";
    asks(&app, &rui, name, edit(&rui, &ana, off.clone())).await;
    let name = "account of who decides switched off, asked for";
    let asked = asks(&app, &rui, name, edit(&rui, &leo, off)).await["request"].clone();
    let name = "account of who decides switched off by the second person";
    asks(&app, &eva, name, agree(&eva, &asked)).await;

    let davi = app.admin("davi").await;
    let frozen = asks(&app, &mia, "decisions frozen", freeze(&mia, &davi)).await;
    let name = "freeze lifted, the first of two";
    asks(&app, &rui, name, lift(&rui, &frozen)).await;
    unsaid(&app, &rui, ("freeze", "admin_grant"), &id(&frozen)).await;
    lift(&rui, &frozen).await.ok();
    let name = "freeze lifted, the second of two";
    asks(&app, &eva, name, lift(&eva, &frozen)).await;
}

#[actix_web::test]
async fn rules() {
    let app = statements::counted(TestApp::start()).await;
    let (ada, bia) = (app.admin("ada").await, app.admin("bia").await);
    let body = async |changes: Value| json!({ "revision": revision(&ada).await, "changes": changes, "reason": "Decisão da diretoria" });
    let path = "/admin/settings";
    let change = body(json!({ "latencyMs": "200" })).await;
    asks(&app, &ada, "setting changed", ada.post(path, &change)).await;
    let name = "setting about money proposed";
    let fee = body(json!({ "withdrawalFee": "6" })).await;
    let change = asks(&app, &ada, name, ada.post(path, &fee)).await;
    let name = "setting about money withdrawn";
    let no = rulebook::withdraw(&bia, &change, "Engano");
    asks(&app, &bia, name, no).await;
    let fee = body(json!({ "withdrawalFee": "6" })).await;
    let change = ada.post(path, &fee).await.ok();
    unsaid(&app, &ada, ("setting", "money_settings"), &id(&change)).await;
    rulebook::agree(&ada, &change).await.ok();
    let name = "setting about money agreed to";
    asks(&app, &bia, name, rulebook::agree(&bia, &change)).await;
    let name = "setting about money withdrawn, agreed to before";
    let no = rulebook::withdraw(&ada, &change, "Engano");
    asks(&app, &ada, name, no).await;

    let plan = body(json!({ "value": "7500", "isHighRisk": "true" })).await;
    let change = asks(&app, &ada, "plan proposed", ada.post("/admin/plans", &plan)).await;
    asks(&app, &bia, "plan agreed to", rulebook::agree(&bia, &change)).await;
    let path = format!("/admin/plans/{PLAN_100}");
    let plan = body(json!({ "maximumReturn": "250" })).await;
    let name = "change of a plan proposed";
    let change = asks(&app, &ada, name, ada.patch(&path, &plan)).await;
    let name = "change of a plan agreed to";
    asks(&app, &bia, name, rulebook::agree(&bia, &change)).await;
}

#[actix_web::test]
async fn what_stands_still() {
    let app = statements::counted(TestApp::start()).await;
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    app.user("ana").await;
    let mut of_one = pauses::body(&app, "outbound");
    of_one["username"] = json!("ana");
    for (body, name, what) in [
        (pauses::body(&app, "outbound"), "money paused", "money"),
        (of_one, "money of one person paused", "one person's money"),
        (pauses::body(&app, "desk"), "desk paused", "the desk"),
        (
            pauses::body(&app, "sign_ups"),
            "registrations paused",
            "registrations",
        ),
    ] {
        let all = asks(&app, &bia, name, bia.post(PAUSES, &body)).await;
        let pause = id(&all["data"][0]);
        let path = format!("{PAUSES}/{pause}/lift");
        let name = format!("pause of {what} lifted, the first of two");
        asks(&app, &caio, &name, caio.post(&path, &pauses::ended())).await;
        if what == "money" {
            unsaid(&app, &caio, ("pause", "pause_lift"), &pause).await;
            caio.post(&path, &pauses::ended()).await.ok();
        }
        let name = format!("pause of {what} lifted, the second of two");
        asks(&app, &bia, &name, bia.post(&path, &json!({}))).await;
    }
}

#[actix_web::test]
async fn live_trading() {
    let (_, address) = exchange::open();
    let parts = Parts::default().with(Live {
        venue: Some(venue_at(address)),
        feed: true,
    });
    let app = statements::counted(TestApp::start_production(parts)).await;
    let (one, two) = (app.admin("um").await, app.admin("dois").await);
    let path = "/admin/trading/live";
    let (confirm, off) = (format!("{path}/confirm"), format!("{path}/off"));
    let wish = json!({ "word": "REAL", "reason": "Começamos" });
    let asked = asks(&app, &one, "live trading asked for", one.post(path, &wish)).await;
    let request = &asked["switch"];
    unsaid(&app, &one, ("live trading", "live_trading"), &id(request)).await;
    let seen = json!({ "id": request["_id"] });
    one.post(&confirm, &seen).await.ok();
    let name = "live trading switched on by the second person";
    asks(&app, &two, name, two.post(&confirm, &seen)).await;
    let name = "live trading switched off";
    asks(&app, &one, name, one.post(&off, &json!({}))).await;
    one.post(path, &wish).await.ok();
    let name = "live trading no longer asked for";
    asks(&app, &two, name, two.post(&off, &json!({}))).await;
}

#[actix_web::test]
async fn results_of_robots() {
    let app = statements::counted(TestApp::start()).await;
    noon(&app);
    let (ana, rui, eva) = (
        app.user("ana").await,
        app.admin("rui").await,
        app.admin("eva").await,
    );
    let licence = robot(&app, &ana, 200).await;
    app.clock.advance(Duration::minutes(2));
    let gain = made(&app, &ana, licence, 30_000).await;
    let name = "robot's gain taken back, the first of two";
    let word = reverse(&app, &rui, licence, gain, "Preço errado");
    let asked = asks(&app, &rui, name, word).await;
    unsaid(&app, &rui, ("robot's result", "result_reversal"), &id(&asked)).await;
    reverse(&app, &rui, licence, gain, "Preço errado").await.ok();
    let name = "robot's gain taken back, the second of two";
    asks(&app, &eva, name, reverse(&app, &eva, licence, gain, "")).await;
    let loss = made(&app, &ana, licence, -30_000).await;
    let name = "robot's loss taken back, the first of two";
    let word = reverse(&app, &rui, licence, loss, "Preço errado");
    asks(&app, &rui, name, word).await;
    let name = "robot's loss taken back, the second of two";
    asks(&app, &eva, name, reverse(&app, &eva, licence, loss, "")).await;
}

#[actix_web::test]
async fn keys_of_manual_operation() {
    let app = statements::counted(TestApp::start()).await;
    let (ana, bia) = (app.user("ana").await, app.admin("bia").await);
    manual::desk(&app).await;
    let licence = manual::steered(&app, &ana, 200).await;
    let path = format!("/admin/licences/{licence}/manual-key");
    for (revoked, name) in [(true, "manual key taken away"), (false, "manual key given back")] {
        let body = json!({ "revoked": revoked, "reason": "Um programa" });
        asks(&app, &bia, name, bia.post(&path, &body)).await;
    }
}

#[actix_web::test]
async fn hot_wallet() {
    let (payout, _, bia, _) = statements::counted(sender::used_before()).await;
    let app = payout.app();
    let caio = app.admin("caio").await;
    let seen = sender::foreign(&bia).await;
    let body = json!({ "reason": "Carteira antiga", "seen": seen });
    let path = "/admin/hot-wallet/resume";
    let name = "hot wallet goes on, the first of two";
    asks(app, &bia, name, bia.post(path, &body)).await;
    // There is one alone: nobody names it.
    let nobody = uuid::Uuid::nil().to_string();
    unsaid(app, &bia, ("hot wallet", "hot_wallet"), &nobody).await;
    bia.post(path, &body).await.ok();
    let name = "hot wallet goes on, the second of two";
    asks(app, &caio, name, caio.post(path, &body)).await;
}

#[actix_web::test]
async fn bonuses_held() {
    let app = statements::counted(TestApp::start()).await;
    settings(&app, |s| s.two_person_limit = Usdt::whole(10)).await;
    let (rui, eva) = (app.admin("rui").await, app.admin("eva").await);
    let ana = bonuses::first(&app, "ana").await;
    let bia = crate::affiliates::beneath(&app, "bia", ana.user).await;
    bonuses_related::relate(&app, &ana, &bia).await;
    fund(&app, &bia, Available, 300).await;
    bonuses::sell(&bia, 100).await;
    bonuses::works(&app).await;
    let open = rui.get("/admin/compliance/cases?status=open").await.ok();
    let case = &open["data"][0];
    let path = "/admin/compliance/cases";
    let body = json!({ "id": case["_id"], "cleared": true, "value": case["value"] });
    let name = "case cleared, the first of two";
    asks(&app, &rui, name, rui.patch(path, &body)).await;
    unsaid(&app, &rui, ("held bonus", "held_bonus"), &id(case)).await;
    rui.patch(path, &body).await.ok();
    let name = "case cleared, the second of two";
    asks(&app, &eva, name, eva.patch(path, &body)).await;
}
