//! What people tell of themselves: birth date, document, time zone, places elsewhere, picture; who sees it.

use super::people::{Person, lift_caps, mail, mails, member, other, security_code};
use crate::kit::TestApp;
use serde_json::{Value, json};

const CPF: &str = "529.982.247-25";

async fn me(person: &Person) -> Value {
    person.client.get("/me").await.ok()["user"].take()
}

/// Changes one's own data with a fresh code.
async fn change(app: &TestApp, person: &Person, mut body: Value) -> Value {
    body["securityCode"] = security_code(app, person, "change-account-data").await.into();
    person.client.patch("/me", &body).await.ok()["user"].take()
}

#[actix_web::test]
async fn a_birth_date_is_an_adults_and_changes_with_a_code() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    assert_eq!(me(&ana).await["birthDate"], Value::Null);
    for wrong in ["2020-01-01", "1899-12-31", "01/02/1990", "1990-02-30", "x"] {
        let reply = ana.client.patch("/me", &json!({ "birthDate": wrong })).await;
        reply.refused(422, "profile.birth_date_invalid");
        assert!(reply.body["errors"]["birthDate"].is_array(), "{}", reply.body);
    }
    ana.client
        .patch("/me", &json!({ "birthDate": "1990-11-25" }))
        .await
        .refused(422, "code.missing");
    let user = change(&app, &ana, json!({ "birthDate": "1990-11-25" })).await;
    assert_eq!(user["birthDate"], "1990-11-25");
    assert_eq!(me(&ana).await["birthDate"], "1990-11-25");
    assert_eq!(
        change(&app, &ana, json!({ "birthDate": "" })).await["birthDate"],
        Value::Null
    );
    let kept: Vec<Value> =
        sqlx::query_scalar("SELECT details FROM foundation.audit WHERE action = 'profile.changed'")
            .fetch_all(&app.sql)
            .await
            .unwrap();
    assert_eq!(
        kept,
        vec![json!({ "fields": ["birthDate"] }); 2],
        "names, not values"
    );
}

#[actix_web::test]
async fn the_document_is_that_of_pix_and_stays() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    assert_eq!(me(&ana).await["document"], Value::Null);
    let wrong = ana
        .client
        .patch("/me", &json!({ "document": "529.982.247-26" }))
        .await;
    wrong.refused(422, "pix.document_invalid");
    assert!(wrong.body["errors"]["document"].is_array(), "{}", wrong.body);
    // A wrong code leaves nothing behind.
    let code = security_code(&app, &ana, "change-account-data").await;
    ana.client
        .patch("/me", &json!({ "document": CPF, "securityCode": other(&code) }))
        .await
        .refused(422, "code.wrong");
    assert_eq!(me(&ana).await["document"], Value::Null);
    let user = change(&app, &ana, json!({ "document": CPF })).await;
    let shown = json!({ "kind": "cpf", "masked": "***.982.247-**" });
    assert_eq!(user["document"], shown);
    // PIX knows it, and it is one for both.
    assert_eq!(
        ana.client.get("/pix/holder").await.ok()["holder"]["document"],
        "***.982.247-**"
    );
    let set = ana
        .client
        .patch("/me", &json!({ "document": "111.444.777-35" }))
        .await;
    set.refused(409, "pix.document_set");
    assert!(set.body["errors"]["document"].is_array(), "{}", set.body);
    // The same again is nothing new: no code is asked for.
    let again = ana
        .client
        .patch("/me", &json!({ "document": "52998224725" }))
        .await
        .ok();
    assert_eq!(again["user"]["document"], shown);
    let known: i64 = sqlx::query_scalar("SELECT count(*) FROM approvals.document WHERE user_id = $1")
        .bind(ana.client.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(known, 1, "the rules that look for shared documents know it");
}

#[actix_web::test]
async fn times_in_mails_are_said_in_the_readers_zone() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    ana.client
        .patch("/me", &json!({ "timeZone": "Mars/Olympus" }))
        .await
        .refused(422, "profile.time_zone_unknown");
    change(&app, &ana, json!({ "fullName": "Ana Nova" })).await;
    assert!(
        mail(&app, &ana.email, "safety_changed")
            .await
            .contains("(Brasília)")
    );
    // Like the language, without a code.
    let user = ana
        .client
        .patch("/me", &json!({ "timeZone": "Asia/Tokyo" }))
        .await
        .ok();
    assert_eq!(user["user"]["timeZone"], "Asia/Tokyo");
    change(&app, &ana, json!({ "fullName": "Ana Outra" })).await;
    assert!(
        mail(&app, &ana.email, "safety_changed")
            .await
            .contains("(Asia/Tokyo)")
    );
    let user = ana.client.patch("/me", &json!({ "timeZone": "" })).await.ok();
    assert_eq!(user["user"]["timeZone"], Value::Null);
    // Neither of both without a trace.
    ana.client.patch("/me", &json!({ "locale": "en" })).await.ok();
    let mut kept: Vec<Value> = sqlx::query_scalar(
        "SELECT details FROM foundation.audit WHERE action = 'profile.changed' AND actor = $1 ORDER BY id DESC LIMIT 2",
    )
    .bind(ana.client.user.0)
    .fetch_all(&app.sql)
    .await
    .unwrap();
    kept.reverse();
    assert_eq!(
        kept,
        [json!({ "fields": ["timeZone"] }), json!({ "fields": ["locale"] })]
    );
}

#[actix_web::test]
async fn places_elsewhere_are_seen_by_ones_own_network_alone() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let name = me(&ana).await["username"].as_str().unwrap().to_owned();
    let bia = member(&app, "Bia", &name).await;
    let name = me(&bia).await["username"].as_str().unwrap().to_owned();
    let caio = member(&app, "Caio", &name).await;

    let wrong = ana
        .client
        .patch(
            "/me",
            &json!({ "social": { "x": "https://evil.example/x.com", "instagram": "@ana" } }),
        )
        .await;
    wrong.refused(422, "profile.social_invalid");
    assert!(wrong.body["errors"]["social.x"].is_array(), "{}", wrong.body);
    ana.client
        .patch("/me", &json!({ "social": { "orkut": "ana" } }))
        .await
        .refused(422, "request.invalid");
    let given = json!({ "instagram": "@ana.silva", "whatsapp": "+55 (11) 98765-4321", "telegram": "https://t.me/ana", "youtube": "" });
    let kept =
        json!({ "instagram": "ana.silva", "whatsapp": "+5511987654321", "telegram": "https://t.me/ana" });
    let user = change(&app, &ana, json!({ "social": given })).await;
    assert_eq!(user["social"], kept);
    change(&app, &bia, json!({ "social": { "x": "bia" } })).await;
    change(&app, &caio, json!({ "social": { "x": "caio" } })).await;

    // Whom one was brought by, one step up and no further.
    assert_eq!(me(&bia).await["sponsor"]["social"], kept);
    let upline = bia.client.get("/affiliates/my-upline").await.ok();
    assert_eq!(upline["sponsor"]["social"], kept);
    assert_eq!(me(&caio).await["sponsor"]["social"], json!({ "x": "bia" }));
    assert_eq!(me(&ana).await["sponsor"]["social"], json!({}), "the house");
    // Whom one brought oneself, and nobody whom they brought.
    let direct = ana.client.get("/affiliates/reference-list").await.ok();
    assert_eq!(direct["data"][0]["social"], json!({ "x": "bia" }));
    let second = ana.client.get("/affiliates/reference-list?level=2").await.ok();
    assert_eq!(
        (&second["meta"]["total"], second["data"][0].get("social")),
        (&json!(1), None)
    );
    let of_bia = format!("/affiliates/reference-list?affiliateId={}", bia.client.user);
    let of_bia = ana.client.get(&of_bia).await.ok();
    assert_eq!(
        (&of_bia["meta"]["total"], of_bia["data"][0].get("social")),
        (&json!(1), None)
    );
    // Strangers see a name alone.
    let name = me(&ana).await["username"].as_str().unwrap().to_owned();
    let link = app
        .anonymous()
        .get(&format!("/affiliates/verify-upline/{name}"))
        .await
        .ok();
    assert!(!link.to_string().contains("t.me"), "{link}");

    // The whole is replaced.
    let user = change(
        &app,
        &ana,
        json!({ "social": { "linkedin": "https://br.linkedin.com/in/ana" } }),
    )
    .await;
    assert_eq!(
        user["social"],
        json!({ "linkedin": "https://br.linkedin.com/in/ana" })
    );
    assert_eq!(
        change(&app, &ana, json!({ "social": {} })).await["social"],
        json!({})
    );
}

#[actix_web::test]
async fn ones_own_picture_is_taken_off() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::RgbImage::from_pixel(8, 8, image::Rgb([1, 2, 3]))
        .write_to(&mut bytes, image::ImageFormat::Png)
        .unwrap();
    for who in [&ana, &bia] {
        who.upload("/me/upload-image", "me.png", "image/png", bytes.get_ref().clone())
            .await
            .ok();
    }
    assert_eq!(ana.delete("/me/avatar").await.status, 204);
    assert_eq!(ana.get("/me").await.ok()["user"]["avatar"], Value::Null);
    assert!(bia.get("/me").await.ok()["user"]["avatar"].is_string());
    let kept: Value = sqlx::query_scalar(
        "SELECT details FROM foundation.audit WHERE action = 'profile.avatar' AND actor = $1 ORDER BY id DESC LIMIT 1",
    )
    .bind(ana.user.0)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(kept, json!({ "file": null }));
    assert_eq!(mails(&app, "ana@example.com", "safety_changed").await, 0);
}
