//! A freeze of somebody's decisions: by one at once, ended by two others, or at the console where there are no two.

use crate::{
    grants::{console, freeze, lift, made},
    identity::roles::{add, role},
    kit::{ADMINISTRATOR, Client, SALESPERSON, TestApp},
    pix::{approve as approve_deposit, end_to_end, with_proof},
};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::approvals::{
    compliance::{self, Flow, Movement, Reason},
    grants::unfreeze_at_the_console,
    guard::Action,
};
use time::Duration;

#[actix_web::test]
async fn a_freeze_stops_both_until_two_others_agree() {
    let app = TestApp::start().await;
    let mut people = Vec::new();
    for name in ["rui", "eva", "davi", "edu"] {
        people.push(app.admin(name).await);
    }
    let [rui, eva, davi, edu]: [Client; 4] = people.try_into().ok().unwrap();
    let (ana, bank) = (app.user("ana").await, end_to_end(app.context.now(), "1"));
    let deposit = with_proof(&ana, "9000", 1).await;
    let small = with_proof(&ana, "20", 2).await;
    approve_deposit(&eva, &deposit, &bank).await.ok();

    freeze(&rui, &rui).await.refused(403, "roles.own");
    freeze(&rui, &ana).await.refused(403, "auth.forbidden");
    rui.post("/admin/freezes", &json!({ "userId": eva.user, "reason": "  " }))
        .await
        .refused(422, "decision.reason_missing");
    let frozen = freeze(&rui, &eva).await.ok();
    assert_eq!(frozen["reason"], "conta tomada");
    // Neither approves, rejects, gives, takes or freezes; a word given before falls away when another's comes.
    let other = end_to_end(app.context.now(), "2");
    for one in [&rui, &eva] {
        approve_deposit(one, &small, &other)
            .await
            .refused(403, "decision.frozen");
        let body = json!({ "id": small["_id"], "status": "rejected", "reason": "x" });
        one.patch("/admin/deposits-pix-approve-reject", &body)
            .await
            .refused(403, "decision.frozen");
        add(one, &ana, &[role(&app, SALESPERSON).await])
            .await
            .refused(403, "decision.frozen");
        add(one, &ana, &[role(&app, ADMINISTRATOR).await])
            .await
            .refused(403, "decision.frozen");
        freeze(one, &davi).await.refused(403, "decision.frozen");
        lift(one, &frozen).await.refused(403, "decision.frozen");
    }
    let anew = approve_deposit(&davi, &deposit, &bank).await.ok();
    assert_eq!(
        (&anew["approvals"], &anew["status"]),
        (&json!(1), &json!("pending_approval"))
    );
    freeze(&davi, &eva).await.refused(409, "freeze.stands");
    freeze(&davi, &rui).await.refused(409, "freeze.stands");
    let list = davi.get("/admin/grants").await.ok();
    assert_eq!(
        (&list["lifters"], &list["freezes"][0]["_id"]),
        (&json!(2), &frozen["_id"])
    );

    // Two others.
    let half = lift(&davi, &frozen).await.ok();
    assert_eq!(
        (&half["liftAskedBy"]["username"], &half["endedAt"]),
        (&json!("davi"), &Value::Null)
    );
    lift(&davi, &frozen).await.refused(409, "decision.same_person");
    approve_deposit(&eva, &small, &other)
        .await
        .refused(403, "decision.frozen");
    let ended = lift(&edu, &frozen).await.ok();
    assert_eq!(
        (&ended["endedHow"], &ended["liftedBy"]),
        (&json!("agreed"), &json!("edu"))
    );
    lift(&edu, &frozen).await.refused(409, "decision.done");
    approve_deposit(&eva, &small, &other).await.ok();
    let done = approve_deposit(&eva, &deposit, &bank).await.ok();
    assert_eq!(done["status"], "approved");
    freeze(&eva, &rui).await.ok();
}

#[actix_web::test]
async fn whose_decisions_do_not_count_yet_freezes_nobody_and_ends_no_case() {
    let app = TestApp::start().await;
    let (ana, xico) = (app.user("ana").await, app.user("xico").await);
    let (rui, eva) = (app.admin("rui").await, app.admin("eva").await);
    made(&app, &rui, &eva, &xico).await;
    let mut tx = app.context.db.begin().await.unwrap();
    let movement = Movement {
        user: ana.user,
        flow: Flow::Out(Action::PyxTrade),
        usdt: Usdt::whole(1),
        counterparty: None,
        payer: None,
    };
    let case = compliance::open(&mut tx, &movement, &[Reason::Amount])
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let clear = json!({ "id": case, "cleared": true });

    for other in [&rui, &eva] {
        freeze(&xico, other).await.refused(403, "decision.too_new");
    }
    xico.patch("/admin/compliance/cases", &clear)
        .await
        .refused(403, "decision.too_new");
    assert_eq!(rui.get("/admin/grants").await.ok()["freezes"], json!([]));
    // An established one freezes the new one, whose word costs nothing yet.
    let frozen = freeze(&rui, &xico).await.ok();
    freeze(&xico, &eva).await.refused(403, "decision.frozen");
    unfreeze_at_the_console(&console(&app), "xico@example.com")
        .await
        .unwrap();
    assert_eq!(frozen["frozen"]["username"], "xico");

    app.clock.advance(Duration::hours(24) + Duration::seconds(1));
    let xico = app.renew(&xico);
    xico.patch("/admin/compliance/cases", &clear).await.ok();
    freeze(&xico, &rui).await.ok();
}

#[actix_web::test]
async fn where_there_are_only_two_the_console_ends_a_freeze() {
    let app = TestApp::start().await;
    let (rui, eva) = (app.admin("rui").await, app.admin("eva").await);
    // Two who freeze each other at once are one freeze.
    let (a, b) = tokio::join!(freeze(&rui, &eva), freeze(&eva, &rui));
    let mut answers = [a.status, b.status];
    answers.sort_unstable();
    assert_eq!(answers, [200, 403]);
    let list = rui.get("/admin/grants").await.ok();
    assert_eq!(list["lifters"], 0);
    // The server's role ends it as little as either of the two.
    let refused = unfreeze_at_the_console(&app.context, "rui@example.com")
        .await
        .unwrap_err();
    assert_eq!(refused.error_code().status(), 500);
    let console = console(&app);
    unfreeze_at_the_console(&console, "nobody@example.com")
        .await
        .unwrap_err();
    unfreeze_at_the_console(&console, "EVA@example.com")
        .await
        .unwrap();
    let list = rui.get("/admin/grants").await.ok();
    assert_eq!(
        (&list["lifters"], &list["freezes"][0]["endedHow"]),
        (&json!(2), &json!("console"))
    );
    let ana = app.user("ana").await;
    made(&app, &rui, &eva, &ana).await;
}
