//! One's own data, and what an inactive account may do.

use super::people::{PASSWORD, Person, lift_caps, login, mail, member, other, security_code};
use crate::kit::TestApp;
use serde_json::{Value, json};
use server::identity::{service, signals::Signals};

async fn row(app: &TestApp, person: &Person) -> Value {
    sqlx::query_scalar("SELECT to_jsonb(a) - 'updated_at' - 'version' FROM identity.account a WHERE id = $1")
        .bind(person.client.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

#[actix_web::test]
async fn data_changes_with_a_code_and_the_language_without() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let before = row(&app, &ana).await;
    let code = security_code(&app, &ana, "change-account-data").await;
    ana.client
        .patch("/me", &json!({"fullName": "Ana Nova"}))
        .await
        .refused(422, "code.missing");
    ana.client
        .patch(
            "/me",
            &json!({"fullName": "Ana Nova", "securityCode": other(&code)}),
        )
        .await
        .refused(422, "code.wrong");
    ana.client
        .patch("/me", &json!({"fullName": "A", "securityCode": code}))
        .await
        .refused(422, "request.invalid");
    for forbidden in ["email", "roles", "status", "balance", "sponsor", "username"] {
        let mut body = json!({"securityCode": code});
        body[forbidden] = json!("x");
        ana.client
            .patch("/me", &body)
            .await
            .refused(422, "request.invalid");
    }
    assert_eq!(row(&app, &ana).await, before);
    let body = json!({"fullName": "Ana Nova", "mobileNumber": "", "antiPhishing": "capivara", "securityCode": code,
        "address": {"country": "Brasil", "state": "RJ", "city": "Rio", "street": "B", "number": "2", "district": "Centro", "postalCode": "20000-000"}});
    let user = ana.client.patch("/me", &body).await.ok()["user"].take();
    assert_eq!(
        (&user["fullName"], &user["mobileNumber"], &user["antiPhishing"]),
        (&json!("Ana Nova"), &Value::Null, &json!("capivara"))
    );
    assert_eq!(user["address"]["state"], "RJ");
    ana.client.patch("/me", &body).await.refused(422, "code.used");
    let user = ana.client.patch("/me", &json!({"locale": "en"})).await.ok()["user"].take();
    assert_eq!(
        (&user["locale"], &user["fullName"]),
        (&json!("en"), &json!("Ana Nova"))
    );
    security_code(&app, &ana, "change-account-data").await;
    let text = mail(&app, &ana.email, "security_code").await;
    assert!(
        text.contains("Hello, Ana Nova.") && text.contains("Your anti-phishing code: capivara"),
        "{text}"
    );
}

#[actix_web::test]
async fn an_inactive_person_signs_in_reads_and_keeps_their_factors() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (admin, ana) = (app.admin("rui").await, member(&app, "Ana", "arbora").await);
    let none = Signals::default();
    service::set_status(&app.context, &none, admin.user, ana.client.user, false, "pediu")
        .await
        .unwrap();
    assert!(
        service::set_status(&app.context, &none, admin.user, ana.client.user, false, "pediu")
            .await
            .is_err(),
        "it is so already"
    );
    assert!(
        service::set_status(&app.context, &none, ana.client.user, admin.user, false, "x")
            .await
            .is_err(),
        "a customer has no authority"
    );
    assert_eq!(login(&app, &ana.email, PASSWORD).await.status, 200);
    assert_eq!(ana.client.get("/sessions").await.status, 200);
    ana.client
        .patch("/me", &json!({"locale": "en"}))
        .await
        .refused(403, "auth.inactive");
    ana.client
        .patch(
            "/affiliates/binary-tree/save-selected-leg",
            &json!({"selectedLeg": "right"}),
        )
        .await
        .refused(403, "auth.inactive");
    super::people::email_factor(&app, &ana).await;
    service::set_status(&app.context, &none, admin.user, ana.client.user, true, "voltou")
        .await
        .unwrap();
    assert_eq!(
        ana.client.patch("/me", &json!({"locale": "en"})).await.status,
        200
    );
}

fn png() -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::RgbImage::from_pixel(8, 8, image::Rgb([1, 2, 3]))
        .write_to(&mut bytes, image::ImageFormat::Png)
        .unwrap();
    bytes.into_inner()
}

#[actix_web::test]
async fn a_picture_is_seen_by_members_only() {
    let app = TestApp::start().await;
    let (ana, bia, agent) = (
        app.user("ana").await,
        app.user("bia").await,
        app.person("eva", "store_employee").await,
    );
    for (name, mime, bytes, code) in [
        (
            "me.png",
            "image/png",
            b"<svg onload=alert(1)>".to_vec(),
            "file.type",
        ),
        (
            "me.pdf",
            "application/pdf",
            b"%PDF-1.7\n1 0 obj\n".to_vec(),
            "file.type",
        ),
        ("me.png", "image/png", Vec::new(), "file.empty"),
    ] {
        let reply = ana.upload("/me/upload-image", name, mime, bytes).await;
        reply.refused(422, code);
    }
    let file = ana
        .upload("/me/upload-image", "me.png", "image/png", png())
        .await
        .ok()["avatar"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(ana.get(&format!("/files/{file}")).await.status, 200);
    assert_eq!(agent.get(&format!("/files/{file}")).await.status, 200);
    // Members meet each other in searches and in the tree; a stranger sees nothing.
    assert_eq!(bia.get(&format!("/files/{file}")).await.status, 200);
    let stranger = app.anonymous().get(&format!("/files/{file}")).await;
    stranger.refused(401, "auth.unauthenticated");
    assert_eq!(ana.get("/me").await.ok()["user"]["avatar"], file.as_str());
}

#[actix_web::test]
async fn pictures_are_found_by_the_names_that_a_screen_shows() {
    let app = TestApp::start().await;
    let (ana, bia, caio, agent) = (
        app.user("ana").await,
        app.user("bia").await,
        app.user("caio").await,
        app.person("eva", "store_employee").await,
    );
    let picture = async |who: &crate::kit::Client| {
        let reply = who.upload("/me/upload-image", "me.png", "image/png", png()).await;
        reply.ok()["avatar"].as_str().unwrap().to_owned()
    };
    let (of_ana, of_caio) = (picture(&ana).await, picture(&caio).await);
    sqlx::query("UPDATE identity.account SET status = 'inactive' WHERE username_key = 'caio'")
        .execute(&app.sql)
        .await
        .unwrap();
    let names = "/people/pictures?names=ANA,bia,caio,,nobody";
    // Whose name is written otherwise is the same person; who has none is left out; members meet active people only.
    assert_eq!(
        bia.get(names).await.ok()["data"],
        json!([{ "username": "ana", "avatar": of_ana }])
    );
    assert_eq!(
        agent.get(names).await.ok()["data"],
        json!([{ "username": "ana", "avatar": of_ana }, { "username": "caio", "avatar": of_caio }])
    );
    assert_eq!(bia.get("/people/pictures?names=").await.ok()["data"], json!([]));
    let many = |n: usize| format!("/people/pictures?names={}", vec!["x"; n].join(","));
    bia.get(&many(100)).await.ok();
    bia.get(&many(101)).await.refused(422, "request.invalid");
    app.anonymous()
        .get(names)
        .await
        .refused(401, "auth.unauthenticated");
}

/// Both sides of a conversation see whom they talk to, also in what is told at once.
#[actix_web::test]
async fn a_message_shows_the_face_of_who_wrote_it() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let before = crate::support::open(&ana).await;
    assert!(before["message"]["authorAvatar"].is_null());
    let id = crate::support::id_of(&before);
    let face = ana
        .upload("/me/upload-image", "me.png", "image/png", png())
        .await
        .ok()["avatar"]
        .clone();
    assert!(face.is_string());
    let said = crate::support::reply(&ana, &id, "E agora?").await;
    assert_eq!(said["message"]["authorAvatar"], face);
    let read = ana.get(&format!("/support/get-ticket-user/{id}")).await.ok();
    let faces: Vec<_> = read["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| &m["authorAvatar"])
        .collect();
    assert_eq!(faces, [&face, &face]);
}
