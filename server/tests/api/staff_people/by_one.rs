//! What one person of the staff makes and changes.

use super::{edit, move_mailbox, view};
use crate::{
    identity::{
        people::{
            OTHER_PASSWORD, PASSWORD, lift_caps, link, login, mail, mails, member, register, signed_in,
        },
        roles::role,
    },
    kit::{
        ADMINISTRATOR, CUSTOMER, Client, SALESPERSON, STORE_EMPLOYEE, SYSTEM_EMPLOYEE, TestApp, live::Live,
    },
    pix::png,
};
use serde_json::{Value, json};
use time::Duration;

#[actix_web::test]
async fn who_is_made_is_invited_and_placed_like_who_registers() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let root = app.admin("root").await;
    let ana = member(&app, "Ana", "arbora").await;
    let upline: String = sqlx::query_scalar("SELECT username FROM identity.account WHERE id = $1")
        .bind(ana.client.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap();

    // What is wrong is said field by field, and nothing is made.
    let body =
        json!({ "fullName": "", "email": "x", "mobileNumber": "1", "sponsor": "ninguem", "roles": [] });
    let refused = root.post("/admin/user", &body).await;
    refused.refused(422, "request.invalid");
    for field in ["fullName", "email", "mobileNumber", "sponsor"] {
        assert!(
            refused.body["errors"][field][0].is_string(),
            "{field}: {}",
            refused.body
        );
    }
    let taken = root
        .post("/admin/user", &json!({ "fullName": "Bea", "email": ana.email }))
        .await;
    taken.refused(422, "email.taken");
    assert!(taken.body["errors"]["email"][0].is_string());
    let unknown = json!({ "fullName": "Bea", "email": "bea@example.com", "roles": [uuid::Uuid::nil()] });
    let refused = root.post("/admin/user", &unknown).await;
    refused.refused(422, "request.invalid");
    assert!(refused.body["errors"]["roles"][0].is_string());

    let body = json!({ "fullName": "José Antônio da Conceição", "email": "Jose@Example.com", "mobileNumber": "+55 11 98765-4321",
        "locale": "en", "sponsor": format!("@{upline}") });
    let reply = root.post("/admin/user", &body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    let username = reply.body["username"].as_str().unwrap();
    let digits = username.strip_prefix("joseantonioda").unwrap();
    assert!(
        (1..=99_999).contains(&digits.parse::<u32>().unwrap()),
        "{username}"
    );
    let id = reply.body["_id"].as_str().unwrap().to_owned();
    let seen = root.get(&format!("/admin/user/{id}")).await.ok();
    assert_eq!(
        (
            &seen["invited"],
            &seen["emailConfirmed"],
            &seen["placed"],
            &seen["sponsor"]["username"]
        ),
        (&json!(true), &json!(false), &json!(false), &json!(upline))
    );
    assert_eq!(seen["roles"][0]["name"], CUSTOMER);

    // The invitation again: the first link ends.
    let first = link(&app, "Jose@example.com", "invitation", "/new-password/").await;
    assert!(
        mail(&app, "Jose@example.com", "invitation")
            .await
            .contains("Hello, José")
    );
    let again = format!("/admin/sendemail/creation/user/{id}");
    assert_eq!(root.post(&again, &json!({})).await.status, 204);
    let second = link(&app, "Jose@example.com", "invitation", "/new-password/").await;
    assert_ne!(first, second);
    let password = json!({ "password": PASSWORD, "password_confirmation": PASSWORD });
    app.anonymous()
        .post(&format!("/new-password/{first}"), &password)
        .await
        .refused(422, "link.invalid");
    let reply = app
        .anonymous()
        .post(&format!("/new-password/{second}"), &password)
        .await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let jose = signed_in(&app, &reply, "Jose@example.com", PASSWORD);
    // Confirmed by the mail, placed below the upline; what nobody else can say for them is asked.
    let me = jose.client.get("/me").await.ok();
    assert_eq!(
        me["user"]["missing"],
        json!(["terms", "risk", "adult", "address"])
    );
    let seen = root.get(&format!("/admin/user/{id}")).await.ok();
    assert_eq!(
        (&seen["placed"], &seen["invited"], &seen["locale"]),
        (&json!(true), &json!(false), &json!("en"))
    );
    assert!(seen["lastSignInAt"].is_string());
    root.post(&again, &json!({}))
        .await
        .refused(409, "request.conflict");

    // Seven days, then the link has ended.
    let body = json!({ "fullName": "Bea", "email": "bea@example.com" });
    root.post("/admin/user", &body).await.ok();
    let late = link(&app, "bea@example.com", "invitation", "/new-password/").await;
    app.clock.advance(Duration::days(7));
    app.anonymous()
        .post(&format!("/new-password/{late}"), &password)
        .await
        .refused(422, "link.invalid");
}

/// Somebody with `customer-service_user-edit` and no more than that beside the list.
pub async fn editor(app: &TestApp, name: &str) -> Client {
    sqlx::query("INSERT INTO identity.role (id, name, position, permissions) VALUES (gen_random_uuid(), 'editor', 9,
        '{registered-user,customer-service_list-users,customer-service_user-view,customer-service_user-edit}') ON CONFLICT DO NOTHING")
        .execute(&app.sql)
        .await
        .unwrap();
    app.person(name, "editor").await
}

#[actix_web::test]
async fn nobody_gives_what_they_lack_nor_changes_themself_or_who_may_more() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let root = app.admin("root").await;
    let editor = editor(&app, "edu").await;
    let clerk = app.person("gil", SYSTEM_EMPLOYEE).await;
    let ana = app.user("ana").await;
    let name = json!({ "fullName": "Outro Nome" });
    for (by, whom, code) in [
        (&root, &root, "user.own"),
        (&editor, &editor, "user.own"),
        (&editor, &root, "auth.forbidden"),
        (&editor, &clerk, "auth.forbidden"),
        (&clerk, &ana, "auth.forbidden"),
    ] {
        edit(by, whom, name.clone()).await.refused(403, code);
        let off = json!({ "status": "inactive", "reason": "x" });
        edit(by, whom, off).await.refused(403, code);
        by.upload(
            &format!("/admin/user/{}/upload-image", whom.user),
            "a.png",
            "image/png",
            png(1),
        )
        .await
        .refused(403, code);
        by.delete(&format!("/admin/user/{}/avatar", whom.user))
            .await
            .refused(403, code);
        by.post(
            &format!("/admin/sendemail/creation/user/{}", whom.user),
            &json!({}),
        )
        .await
        .refused(403, code);
    }
    root.delete(&format!("/admin/user/{}/sessions", root.user))
        .await
        .refused(403, "user.own");
    edit(&editor, &ana, name).await.ok();
    assert_eq!(view(&editor, &ana).await["fullName"], "Outro Nome");
    // Of roles an editor gives a customer's alone.
    for wanted in [SALESPERSON, ADMINISTRATOR, STORE_EMPLOYEE] {
        let body =
            json!({ "fullName": "Nova", "email": "nova@example.com", "roles": [role(&app, wanted).await] });
        let refused = editor.post("/admin/user", &body).await;
        refused.refused(403, "auth.forbidden");
        assert!(refused.body["errors"]["roles"][0].is_string());
    }
    let body =
        json!({ "fullName": "Nova", "email": "nova@example.com", "roles": [role(&app, CUSTOMER).await] });
    assert_eq!(editor.post("/admin/user", &body).await.status, 201);
    // A factor is taken off by two who decide: an editor asks for nothing.
    sqlx::query("UPDATE identity.account SET two_factor_email = true WHERE id = $1")
        .bind(ana.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    edit(&editor, &ana, json!({ "twoFactor": false, "reason": "perdeu" }))
        .await
        .refused(403, "auth.forbidden");
}

#[actix_web::test]
async fn profile_fields_change_and_the_owner_hears() {
    let app = TestApp::start().await;
    let (root, ana) = (app.admin("root").await, app.user("ana").await);
    let address = json!({"country": "Brasil", "state": "RJ", "city": "Rio", "street": "B", "number": "2", "district": "Centro", "postalCode": "20000-000"});
    let body = json!({ "fullName": "Ana Nova", "mobileNumber": "+55 21 98765-4321", "locale": "es", "address": address });
    assert_eq!(edit(&root, &ana, body).await.status, 200);
    let seen = view(&root, &ana).await;
    assert_eq!(
        (
            &seen["fullName"],
            &seen["mobileNumber"],
            &seen["locale"],
            &seen["address"]["city"]
        ),
        (
            &json!("Ana Nova"),
            &json!("+55 21 98765-4321"),
            &json!("es"),
            &json!("Rio")
        )
    );
    assert_eq!(ana.get("/me").await.ok()["user"]["fullName"], "Ana Nova");
    assert_eq!(mails(&app, "ana@example.com", "safety_changed").await, 1);
    edit(&root, &ana, json!({ "mobileNumber": "" })).await.ok();
    assert!(view(&root, &ana).await["mobileNumber"].is_null());
    for (body, field) in [
        (json!({ "fullName": "A" }), "fullName"),
        (json!({ "email": "nada" }), "email"),
        (json!({ "status": "inactive" }), "reason"),
        (json!({ "status": "inactive", "reason": " " }), "reason"),
        (json!({ "twoFactor": true, "reason": "x" }), "twoFactor"),
        (
            json!({ "status": "inactive", "email": "b@example.com", "reason": "x" }),
            "email",
        ),
    ] {
        let refused = edit(&root, &ana, body).await;
        assert_eq!(refused.status, 422, "{}", refused.body);
        assert!(
            refused.body["errors"][field][0].is_string(),
            "{field}: {}",
            refused.body
        );
    }
    // The text names the id, in every language.
    for (language, text) in [
        ("pt-br", "Usuário 12 não encontrado."),
        ("en", "User 12 not found."),
        ("es", "Usuario 12 no encontrado."),
    ] {
        let reply = root.clone().locale(language).get("/admin/user/12").await;
        reply.refused(404, "user.unknown");
        assert_eq!(reply.body["message"], text);
    }
    let picture = format!("/admin/user/{}/upload-image", ana.user);
    let shown = root.upload(&picture, "a.png", "image/png", png(1)).await.ok();
    assert_eq!(view(&root, &ana).await["avatar"], shown["avatar"]);
    root.upload(&picture, "a.png", "image/png", b"no picture".to_vec())
        .await
        .refused(422, "file.type");
    assert_eq!(
        root.delete(&format!("/admin/user/{}/avatar", ana.user))
            .await
            .status,
        204
    );
    assert!(ana.get("/me").await.ok()["user"]["avatar"].is_null());
}

#[actix_web::test]
async fn who_is_switched_off_reads_why_and_loses_the_open_socket_at_once() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let root = app.admin("root").await;
    let ana = member(&app, "Ana", "arbora").await;
    let mut socket = Live::open(&app, &ana.client).await;
    socket.subscribe(&format!("user:{}", ana.client.user)).await;
    // Known to the cache as active a moment ago.
    ana.client.get("/me").await.ok();
    let off = json!({ "status": "inactive", "reason": "documento vencido" });
    assert_eq!(edit(&root, &ana.client, off.clone()).await.status, 200);
    assert_eq!(socket.closed().await, 4003);
    let me = ana.client.get("/me").await.ok();
    assert_eq!(
        (&me["user"]["status"], &me["user"]["statusReason"]),
        (&json!("inactive"), &json!("documento vencido"))
    );
    ana.client
        .patch("/me", &json!({ "locale": "en" }))
        .await
        .refused(403, "auth.inactive");
    edit(&root, &ana.client, off)
        .await
        .refused(409, "request.conflict");
    let seen = view(&root, &ana.client).await;
    assert_eq!(
        (
            &seen["statusReason"],
            &seen["statusBy"]["username"],
            &seen["statusAt"].is_string()
        ),
        (&json!("documento vencido"), &json!("root"), &true)
    );
    // The way back in, and back.
    assert_eq!(login(&app, &ana.email, PASSWORD).await.status, 200);
    edit(
        &root,
        &ana.client,
        json!({ "status": "active", "reason": "renovou" }),
    )
    .await
    .ok();
    let me = ana.client.get("/me").await.ok();
    assert_eq!(
        (&me["user"]["status"], &me["user"]["statusReason"]),
        (&json!("active"), &Value::Null)
    );
}

#[actix_web::test]
async fn another_address_is_confirmed_and_the_one_before_hears() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (root, eva) = (app.admin("root").await, app.admin("eva").await);
    let ana = member(&app, "Ana", "arbora").await;
    let bea = register(&app, "Bea", "arbora").await;
    let mut socket = Live::open(&app, &ana.client).await;
    let taken = edit(&root, &ana.client, json!({ "email": bea.email })).await;
    taken.refused(422, "email.taken");
    assert!(taken.body["errors"]["email"][0].is_string());
    edit(&root, &ana.client, json!({ "email": "ANA@example.com" }))
        .await
        .refused(409, "request.conflict");
    move_mailbox(&root, &eva, &ana.client, "nova@example.com").await;
    // Signed out everywhere; the old address has the way to stop it.
    assert_eq!(socket.closed().await, 4002);
    assert_eq!(ana.client.get("/me").await.status, 401);
    let warned = mail(&app, &ana.email, "safety_changed").await;
    assert!(
        warned.contains("A equipe alterou o e-mail") && warned.contains("/freeze/"),
        "{warned}"
    );
    assert_eq!(login(&app, &ana.email, PASSWORD).await.status, 401);
    login(&app, "nova@example.com", PASSWORD)
        .await
        .refused(403, "auth.password_ended");
    app.anonymous()
        .post("/forgot-password", &json!({ "email": "nova@example.com" }))
        .await
        .ok();
    let token = link(&app, "nova@example.com", "reset_password", "/reset-password/").await;
    let other = json!({ "password": OTHER_PASSWORD, "password_confirmation": OTHER_PASSWORD });
    let set = app
        .anonymous()
        .post(&format!("/redefine-password/{token}"), &other)
        .await;
    assert_eq!(set.status, 204, "{}", set.body);
    let reply = login(&app, "nova@example.com", OTHER_PASSWORD).await;
    let again = signed_in(&app, &reply, "nova@example.com", OTHER_PASSWORD);
    let me = again.client.get("/me").await.ok();
    assert_eq!(me["user"]["missing"], json!(["email"]));
    assert_eq!(me["user"]["hold"]["reason"], "staff_email");
    again
        .client
        .patch("/me", &json!({ "locale": "en" }))
        .await
        .refused(403, "auth.email_unconfirmed");
    let tail = link(&app, "nova@example.com", "confirm_email", "/verify-email/").await;
    assert_eq!(
        crate::identity::people::confirm(&app, &tail).await.body["state"],
        "confirmed"
    );
    again.client.patch("/me", &json!({ "locale": "en" })).await.ok();

    // Who was invited and has no password is invited at the new address.
    root.post(
        "/admin/user",
        &json!({ "fullName": "Caio", "email": "caio@example.com" }),
    )
    .await
    .ok();
    let found = root.get("/admin/users-list/?search=caio").await.ok();
    let path = format!("/admin/user/{}/edit", found["data"][0]["_id"].as_str().unwrap());
    root.patch(&path, &json!({ "email": "caio2@example.com" }))
        .await
        .ok();
    let tail = link(&app, "caio2@example.com", "invitation", "/new-password/").await;
    let password = json!({ "password": PASSWORD, "password_confirmation": PASSWORD });
    let old = link(&app, "caio@example.com", "invitation", "/new-password/").await;
    app.anonymous()
        .post(&format!("/new-password/{old}"), &password)
        .await
        .refused(422, "link.invalid");
    app.anonymous()
        .post(&format!("/new-password/{tail}"), &password)
        .await
        .ok();
}

#[actix_web::test]
async fn sessions_of_others_end_at_once() {
    let app = TestApp::start().await;
    let (root, ana) = (app.admin("root").await, app.user("ana").await);
    let thief = app.another_session(&ana).await;
    let path = format!("/admin/user/{}/sessions", ana.user);
    let list = root.get(&path).await.ok();
    assert_eq!(list["data"].as_array().unwrap().len(), 2);
    assert!(
        list["data"]
            .as_array()
            .unwrap()
            .iter()
            .all(|s| s["current"] == false)
    );
    let mut socket = Live::open(&app, &thief).await;
    assert_eq!(root.delete(&path).await.ok()["ended"], 2);
    assert_eq!(socket.closed().await, 4002);
    for who in [&ana, &thief] {
        assert_eq!(who.get("/me").await.status, 401);
    }
    assert_eq!(root.get(&path).await.ok()["data"], json!([]));
}
