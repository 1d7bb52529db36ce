//! What takes two: accounts that decide, and factors.

use super::{approve, edit, view};
use crate::{
    identity::{
        passkeys,
        people::{PASSWORD, app_factor, lift_caps, login, mail, member, signed_in},
        roles::role,
    },
    kit::{ADMINISTRATOR, Client, SALESPERSON, SYSTEM_EMPLOYEE, TestApp, live::Live},
};
use serde_json::json;

#[actix_web::test]
async fn who_decides_is_changed_by_two() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (root, eva, davi) = (
        app.admin("root").await,
        app.admin("eva").await,
        app.admin("davi").await,
    );
    // Plain fields by one.
    assert_eq!(
        edit(&root, &davi, json!({ "fullName": "Davi Novo" }))
            .await
            .status,
        200
    );

    let off = json!({ "status": "inactive", "reason": "saiu" });
    let waits = edit(&root, &davi, off.clone()).await;
    assert_eq!(waits.status, 202, "{}", waits.body);
    let request = &waits.body["request"];
    assert_eq!(
        (
            &request["action"],
            &request["before"],
            &request["after"],
            &request["why"]
        ),
        (
            &json!("deactivate"),
            &json!("active"),
            &json!("inactive"),
            &json!("saiu")
        )
    );
    assert_eq!(view(&root, &davi).await["status"], "active");
    assert_eq!(view(&root, &davi).await["request"]["_id"], request["_id"]);
    let queue = eva.get("/admin/grants").await.ok();
    assert_eq!(queue["requests"][0]["_id"], request["_id"]);
    // One at a time; not one's own; not by the asker.
    edit(&eva, &davi, json!({ "email": "d2@example.com" }))
        .await
        .refused(409, "roles.waiting");
    approve(&davi, request).await.refused(403, "roles.own");
    approve(&root, request).await.refused(409, "decision.same_person");
    let mut socket = Live::open(&app, &davi).await;
    let done = approve(&eva, request).await.ok();
    assert_eq!(done["status"], "done");
    assert_eq!(socket.closed().await, 4003);
    let seen = view(&root, &davi).await;
    assert_eq!(
        (
            &seen["status"],
            &seen["statusReason"],
            &seen["statusBy"]["username"]
        ),
        (&json!("inactive"), &json!("saiu"), &json!("eva"))
    );
    davi.get("/admin/grants").await.refused(403, "auth.inactive");
    assert!(
        mail(&app, "davi@example.com", "admin_rights")
            .await
            .contains("@davi")
    );

    // What was overtaken does nothing.
    let on = edit(&root, &davi, json!({ "status": "active", "reason": "voltou" }))
        .await
        .body["request"]
        .clone();
    sqlx::query("UPDATE identity.account SET status = 'active' WHERE id = $1")
        .bind(davi.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    approve(&eva, &on).await.refused(409, "decision.done");

    // E-mail.
    let waits = edit(&root, &davi, json!({ "email": "d2@example.com" })).await;
    assert_eq!(waits.status, 202);
    approve(&eva, &waits.body["request"]).await.ok();
    assert_eq!(view(&root, &davi).await["email"], "d2@example.com");
    assert_eq!(davi.get("/me").await.status, 401);
}

/// The database holds it too, whatever the server does.
#[actix_web::test]
async fn the_servers_role_switches_nobody_off_who_decides() {
    let app = TestApp::start().await;
    let (root, eva, davi) = (
        app.admin("root").await,
        app.admin("eva").await,
        app.admin("davi").await,
    );
    let off = "UPDATE identity.account SET status = 'inactive' WHERE id = $1";
    let try_it = async || {
        sqlx::query(off)
            .bind(davi.user.0)
            .execute(app.context.db.pool())
            .await
    };
    assert!(try_it().await.is_err());
    // A request alone is not enough, nor is one for something else.
    let waits = edit(&root, &davi, json!({ "status": "inactive", "reason": "x" }))
        .await
        .body["request"]
        .clone();
    assert!(try_it().await.is_err());
    let id = waits["_id"].as_str().unwrap();
    eva.post(
        &format!("/admin/grants/{id}/reject"),
        &json!({ "reason": "fica" }),
    )
    .await
    .ok();
    let waits = edit(&root, &davi, json!({ "email": "d2@example.com" }))
        .await
        .body["request"]
        .clone();
    approve(&eva, &waits).await.ok();
    assert!(try_it().await.is_err());
}

#[actix_web::test]
async fn a_lost_factor_is_taken_off_by_two() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (root, eva) = (app.admin("root").await, app.admin("eva").await);
    let ana = member(&app, "Ana", "arbora").await;
    let lost = json!({ "twoFactor": false, "reason": "perdeu o telefone" });
    edit(&root, &ana.client, lost.clone())
        .await
        .refused(409, "request.conflict");
    app_factor(&app, &ana).await;
    sqlx::query("UPDATE identity.account SET two_factor_email = true WHERE id = $1")
        .bind(ana.client.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    let waits = edit(&root, &ana.client, lost).await;
    assert_eq!(waits.status, 202, "{}", waits.body);
    assert_eq!(waits.body["request"]["before"], "email+app");
    approve(&eva, &waits.body["request"]).await.ok();
    assert_eq!(ana.client.get("/me").await.status, 401);
    let reply = login(&app, &ana.email, PASSWORD).await;
    let again = signed_in(&app, &reply, &ana.email, PASSWORD);
    let me = again.client.get("/me").await.ok();
    assert_eq!(
        (&me["user"]["twoFactor"]["email"], &me["user"]["twoFactor"]["app"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(me["user"]["hold"]["reason"], "staff_factor");
    assert!(
        mail(&app, &ana.email, "safety_changed")
            .await
            .contains("removeu a verificação")
    );
}

#[actix_web::test]
async fn lost_passkeys_are_taken_off_by_two() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (root, eva) = (app.admin("root").await, app.admin("eva").await);
    let ana = member(&app, "Ana", "arbora").await;
    passkeys::add(&app, &ana, "Celular").await;
    passkeys::add(&app, &ana, "Chave").await;
    let lost = json!({ "twoFactor": false, "reason": "perdeu a bolsa" });
    let waits = edit(&root, &ana.client, lost).await;
    assert_eq!(waits.status, 202, "{}", waits.body);
    assert_eq!(waits.body["request"]["before"], "passkey");
    approve(&eva, &waits.body["request"]).await.ok();
    assert_eq!(passkeys::left(&app).await, (0, 0));
    let reply = login(&app, &ana.email, PASSWORD).await;
    let again = signed_in(&app, &reply, &ana.email, PASSWORD);
    let me = again.client.get("/me").await.ok();
    assert_eq!(me["user"]["twoFactor"]["passkey"], false);
    assert_eq!(me["user"]["hold"]["reason"], "staff_factor");
}

#[actix_web::test]
async fn somebody_always_decides() {
    let app = TestApp::start().await;
    let (root, eva, davi) = (
        app.admin("root").await,
        app.admin("eva").await,
        app.admin("davi").await,
    );
    // The other two are switched off by the console meanwhile: who is left is not.
    let waits = edit(&root, &davi, json!({ "status": "inactive", "reason": "x" }))
        .await
        .body["request"]
        .clone();
    sqlx::query("UPDATE identity.account SET email_confirmed_at = NULL WHERE id = $1")
        .bind(root.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    sqlx::query("UPDATE identity.account SET email_confirmed_at = NULL WHERE id = $1")
        .bind(eva.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    let request: uuid::Uuid = waits["_id"].as_str().unwrap().parse().unwrap();
    let signals = server::identity::signals::Signals::default();
    let caller = server::identity::sessions::fresh_state(&app.context, eva.session)
        .await
        .unwrap()
        .unwrap()
        .caller;
    let refused =
        server::approvals::grants::service::approve(&app.context, &signals, &caller, request.into())
            .await
            .unwrap_err();
    assert_eq!(refused.error_code(), protocol::ErrorCode::LastAdministrator);
    assert_eq!(view_status(&app, &davi).await, "active");
}

#[actix_web::test]
async fn whose_decisions_are_frozen_switches_nobody_off() {
    let app = TestApp::start().await;
    let (root, eva, ana) = (
        app.admin("root").await,
        app.admin("eva").await,
        app.user("ana").await,
    );
    let freeze = json!({ "userId": root.user, "reason": "conta tomada" });
    eva.post("/admin/freezes", &freeze).await.ok();
    for body in [
        json!({ "status": "inactive", "reason": "x" }),
        json!({ "email": "nova@example.com" }),
        json!({ "fullName": "Ana Nova" }),
    ] {
        edit(&root, &ana, body).await.refused(403, "decision.frozen");
    }
    let body =
        json!({ "fullName": "Nova", "email": "n@example.com", "roles": [role(&app, SALESPERSON).await] });
    root.post("/admin/user", &body)
        .await
        .refused(403, "decision.frozen");
}

#[actix_web::test]
async fn a_role_that_decides_is_asked_for_and_given_by_another() {
    let app = TestApp::start().await;
    let (root, eva) = (app.admin("root").await, app.admin("eva").await);
    let roles = [role(&app, ADMINISTRATOR).await, role(&app, SYSTEM_EMPLOYEE).await];
    let body = json!({ "fullName": "Gil Novo", "email": "gil@example.com", "roles": roles });
    let reply = root.post("/admin/user", &body).await;
    assert_eq!(reply.status, 202, "{}", reply.body);
    let id = reply.body["_id"].as_str().unwrap();
    assert_eq!(reply.body["request"]["roles"], json!([ADMINISTRATOR]));
    let seen = root.get(&format!("/admin/user/{id}")).await.ok();
    assert_eq!(seen["roles"].as_array().unwrap().len(), 1);
    assert_eq!(seen["request"]["_id"], reply.body["request"]["_id"]);
    approve(&root, &reply.body["request"])
        .await
        .refused(409, "decision.same_person");
    approve(&eva, &reply.body["request"]).await.ok();
    let seen = root.get(&format!("/admin/user/{id}")).await.ok();
    assert_eq!(seen["roles"].as_array().unwrap().len(), 2);
}

async fn view_status(app: &TestApp, whom: &Client) -> String {
    sqlx::query_scalar("SELECT status FROM identity.account WHERE id = $1")
        .bind(whom.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap()
}
