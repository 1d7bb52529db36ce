//! Signing in with Google: who comes in, who is asked more, and what is refused on the way there and back.

use super::{
    issuer::{CLIENT, Issuer, SECRET, Signed},
    mail::peers,
    people::{
        PASSWORD, Person, code, confirm, cookie, cookie_line, email_factor, lift_caps, link, login, mail,
        mails, member, register, security_code, signed_in,
    },
};
use crate::kit::{Client, Reply, TestApp};
use reqwest::Method;
use serde_json::{Value, json};
use server::{
    foundation::{
        clock::{Clock, SystemClock},
        context::Parts,
    },
    identity::{google::Provider, service::HOUSE},
};
use std::{process::Stdio, sync::Arc};
use time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};

async fn start() -> (TestApp, Issuer) {
    let issuer = Issuer::start().await;
    let provider = Arc::new(Provider::new(CLIENT, SECRET, &issuer.url));
    let app = TestApp::start_with_parts(Parts::default().with(provider)).await;
    lift_caps(&app).await;
    (app, issuer)
}

/// Somebody's browser, with what it keeps for a visit.
#[derive(Clone, Default)]
struct Visitor {
    mark: Option<String>,
}

impl Visitor {
    fn cookies(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match &self.mark {
            Some(mark) => request.header("Cookie", format!("google={mark}")),
            None => request,
        }
    }

    fn keep(&mut self, reply: &Reply) {
        if let Some(mark) = cookie(&reply.headers, "google") {
            self.mark = Some(mark).filter(|mark| !mark.is_empty());
        }
    }

    /// Asks for the way there.
    async fn leave(&mut self, app: &TestApp, upline: Option<&str>) -> String {
        let stranger = app.anonymous();
        let request = stranger
            .request(Method::POST, "/oauth/google")
            .header("Origin", "http://127.0.0.1")
            .header("X-Arbora", "1");
        let reply = stranger.send(request.json(&json!({ "upline": upline }))).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        self.keep(&reply);
        reply.body["url"].as_str().unwrap().to_owned()
    }

    /// Is sent back; the code that the page gets.
    async fn back(&self, app: &TestApp, query: &[(&str, &str)]) -> String {
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        let url = format!("http://{}/api/oauth/google/callback", app.address);
        let response = self.cookies(http.get(url).query(query)).send().await.unwrap();
        assert_eq!(response.status(), 303);
        let to = response.headers()["location"].to_str().unwrap();
        to.strip_prefix("http://127.0.0.1/oauth/callback/token/")
            .unwrap()
            .to_owned()
    }

    /// The page shows its code.
    async fn show(&self, app: &TestApp, code: &str) -> Reply {
        let stranger = app.anonymous();
        let request = stranger
            .request(Method::GET, &format!("/oauth/callback/token/{code}"))
            .header("X-Arbora", "1");
        stranger.send(self.cookies(request)).await
    }

    /// The whole way from a page of the provider's.
    async fn return_as(&self, app: &TestApp, issuer: &Issuer, page: &str, person: &Value) -> Reply {
        let (state, code) = issuer.agree(page, person, Signed::Rightly);
        let code = self.back(app, &sent(&state, &code)).await;
        self.show(app, &code).await
    }
}

/// A whole sign-in from a browser that nobody knows.
async fn enter(app: &TestApp, issuer: &Issuer, person: &Value) -> Reply {
    let mut visitor = Visitor::default();
    let page = visitor.leave(app, None).await;
    visitor.return_as(app, issuer, &page, person).await
}

fn somebody(subject: &str, email: &str) -> Value {
    json!({ "sub": subject, "email": email, "name": "Eva Prado" })
}

/// What the browser is sent back with.
fn sent<'a>(state: &'a str, code: &'a str) -> [(&'a str, &'a str); 2] {
    [("state", state), ("code", code)]
}

async fn me(client: &Client) -> Value {
    client.get("/me").await.ok()["user"].clone()
}

async fn owner(app: &TestApp, subject: &str) -> Option<uuid::Uuid> {
    sqlx::query_scalar("SELECT account FROM identity.google_account WHERE subject = $1")
        .bind(subject)
        .fetch_optional(&app.sql)
        .await
        .unwrap()
}

async fn sponsor(app: &TestApp, user: uuid::Uuid) -> Option<uuid::Uuid> {
    sqlx::query_scalar("SELECT sponsor FROM affiliates.member WHERE id = $1 AND confirmed_at IS NOT NULL")
        .bind(user)
        .fetch_optional(&app.sql)
        .await
        .unwrap()
}

/// Asks, signed in, for the way there.
async fn ask_link(app: &TestApp, person: &Person, visitor: &mut Visitor) -> Reply {
    let code = security_code(app, person, "change-factor").await;
    let body = json!({ "password": person.password, "code": code });
    let reply = person.client.post("/me/google", &body).await;
    visitor.keep(&reply);
    reply
}

async fn link_google(app: &TestApp, issuer: &Issuer, person: &Person, google: &Value) -> Reply {
    let mut visitor = Visitor::default();
    let page = ask_link(app, person, &mut visitor).await.ok();
    visitor
        .return_as(app, issuer, page["url"].as_str().unwrap(), google)
        .await
}

#[actix_web::test]
async fn somebody_new_comes_in_and_gives_the_rest_before_anything_else() {
    let (app, issuer) = start().await;
    assert_eq!(app.anonymous().get("/config").await.ok()["google"], true);
    let mut visitor = Visitor::default();
    let stranger = app.anonymous();
    let request = stranger.request(Method::POST, "/oauth/google");
    let left = stranger
        .send(
            request
                .header("Origin", "http://127.0.0.1")
                .header("X-Arbora", "1")
                .json(&json!({})),
        )
        .await;
    let line = cookie_line(&left.headers, "google");
    for part in ["HttpOnly", "SameSite=Lax", "Path=/api/oauth", "Max-Age=660"] {
        assert!(line.contains(part), "{line}");
    }
    visitor.keep(&left);
    let page = left.body["url"].as_str().unwrap();
    let reply = visitor
        .return_as(&app, &issuer, page, &somebody("eva", "Eva@Example.com"))
        .await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(
        cookie(&reply.headers, "google").as_deref(),
        Some(""),
        "taken away"
    );
    assert!(cookie_line(&reply.headers, "token").contains("SameSite=Strict"));
    let eva = signed_in(&app, &reply, "Eva@example.com", "").client;
    let profile = me(&eva).await;
    assert_eq!(profile["fullName"], "Eva Prado");
    assert_eq!(profile["email"], "Eva@example.com");
    assert_eq!(profile["emailConfirmed"], true);
    assert_eq!(profile["hasPassword"], false);
    assert_eq!(profile["google"]["email"], "E***@example.com");
    assert_eq!(
        profile["missing"],
        json!(["terms", "risk", "adult", "address", "upline"])
    );
    eva.post("/transfer", &json!({ "receiver": "ana", "value": "1" }))
        .await
        .refused(403, "auth.profile_incomplete");
    let rest = json!({ "terms": true, "riskNotice": true, "adult": true, "address": { "country": "Brasil", "state": "SP",
        "city": "São Paulo", "street": "Rua B", "number": "2", "district": "Centro", "postalCode": "01000-000" } });
    assert_eq!(eva.post("/me/complete", &rest).await.status, 204);
    assert_eq!(me(&eva).await["missing"], json!([]));
    assert_eq!(sponsor(&app, eva.user.0).await, Some(HOUSE.0));
    // Nobody signs in to it with a password, and the same Google account leads to it whatever its e-mail is by now.
    login(&app, "eva@example.com", PASSWORD)
        .await
        .refused(401, "auth.failed");
    let again = enter(&app, &issuer, &somebody("eva", "other@example.com")).await;
    let again = signed_in(&app, &again, "", "").client;
    assert_eq!(again.user, eva.user);
    assert_eq!(me(&again).await["email"], "Eva@example.com");
    // The strange browser is told of as after a password.
    assert_eq!(mails(&app, "Eva@example.com", "signed_in").await, 1);
    // A password comes by the link of who forgot theirs.
    app.anonymous()
        .post("/forgot-password", &json!({ "email": "eva@example.com" }))
        .await
        .ok();
    let token = link(&app, "Eva@example.com", "reset_password", "/reset-password/").await;
    let body = json!({ "password": PASSWORD, "password_confirmation": PASSWORD });
    let set = app
        .anonymous()
        .post(&format!("/redefine-password/{token}"), &body)
        .await;
    assert_eq!(set.status, 204, "{}", set.body);
    assert_eq!(login(&app, "eva@example.com", PASSWORD).await.status, 200);
}

#[actix_web::test]
async fn who_came_by_a_referral_link_stands_below_it() {
    let (app, issuer) = start().await;
    let ana = member(&app, "Ana", "arbora").await;
    let username = me(&ana.client).await["username"].as_str().unwrap().to_owned();
    let mut visitor = Visitor::default();
    let page = visitor.leave(&app, Some(&username)).await;
    let reply = visitor
        .return_as(&app, &issuer, &page, &somebody("eva", "eva@example.com"))
        .await;
    let eva = signed_in(&app, &reply, "eva@example.com", "").client;
    assert_eq!(sponsor(&app, eva.user.0).await, Some(ana.client.user.0));
    assert_eq!(
        me(&eva).await["missing"],
        json!(["terms", "risk", "adult", "address"])
    );
    // A link of nobody's is no reason to keep somebody out.
    let page = visitor.leave(&app, Some("nobody-at-all")).await;
    let reply = visitor
        .return_as(&app, &issuer, &page, &somebody("bia", "bia@example.com"))
        .await;
    let bia = signed_in(&app, &reply, "bia@example.com", "").client;
    assert!(
        me(&bia).await["missing"]
            .as_array()
            .unwrap()
            .contains(&json!("upline"))
    );
}

#[actix_web::test]
async fn what_comes_back_counts_once_and_in_the_browser_that_went() {
    let (app, issuer) = start().await;
    let eva = somebody("eva", "eva@example.com");
    let mut visitor = Visitor::default();
    let page = visitor.leave(&app, None).await;
    let (state, code) = issuer.agree(&page, &eva, Signed::Rightly);
    // Another state, another browser, none: the code is not even exchanged.
    let strange = [("state", "made-up"), ("code", &*code)];
    assert_eq!(visitor.back(&app, &strange).await, "none");
    let right = [("state", &*state), ("code", &*code)];
    let mut other = Visitor::default();
    assert_eq!(other.back(&app, &right).await, "none");
    other.leave(&app, None).await;
    assert_eq!(other.back(&app, &right).await, "none");
    assert_eq!(visitor.back(&app, &[]).await, "none");
    assert_eq!(issuer.waiting(), 1);
    visitor.show(&app, "none").await.refused(422, "google.expired");
    let shown = visitor.back(&app, &right).await;
    assert_eq!(visitor.back(&app, &right).await, "none", "once");
    // The page's code: not in another browser, not without our header, once.
    other.show(&app, &shown).await.refused(422, "google.expired");
    Visitor::default()
        .show(&app, &shown)
        .await
        .refused(422, "google.expired");
    let stranger = app.anonymous();
    let bare = stranger.request(Method::GET, &format!("/oauth/callback/token/{shown}"));
    stranger
        .send(visitor.cookies(bare))
        .await
        .refused(403, "origin.refused");
    visitor.show(&app, &shown).await.ok();
    visitor.show(&app, &shown).await.refused(422, "google.expired");
    // For sixty seconds.
    let page = visitor.leave(&app, None).await;
    let (state, code) = issuer.agree(&page, &eva, Signed::Rightly);
    let shown = visitor.back(&app, &sent(&state, &code)).await;
    app.clock.advance(Duration::seconds(60));
    visitor.show(&app, &shown).await.refused(422, "google.expired");
    // And nobody stays away longer than ten minutes.
    let page = visitor.leave(&app, None).await;
    let (state, code) = issuer.agree(&page, &eva, Signed::Rightly);
    app.clock.advance(Duration::minutes(10));
    let late = visitor.back(&app, &sent(&state, &code)).await;
    assert_eq!(late, "none");
    // Another site cannot send somebody there.
    let foreign = stranger.request(Method::POST, "/oauth/google").json(&json!({}));
    stranger
        .send(
            foreign
                .header("Origin", "https://elsewhere.example")
                .header("X-Arbora", "1"),
        )
        .await
        .refused(403, "origin.refused");
}

#[actix_web::test]
async fn a_token_is_for_us_of_now_and_by_the_provider_alone() {
    let (app, issuer) = start().await;
    let past = SystemClock.now().unix_timestamp() - 60;
    let right = somebody("eva", "eva@example.com");
    for (said, signed, code) in [
        (
            json!({ "nonce": "of-another-visit" }),
            Signed::Rightly,
            "google.refused",
        ),
        (json!({ "nonce": null }), Signed::Rightly, "google.refused"),
        (
            json!({ "aud": "another.apps.example" }),
            Signed::Rightly,
            "google.refused",
        ),
        (
            json!({ "aud": [CLIENT, "another.apps.example"] }),
            Signed::Rightly,
            "google.refused",
        ),
        (
            json!({ "iss": "https://elsewhere.example" }),
            Signed::Rightly,
            "google.refused",
        ),
        (json!({ "exp": past }), Signed::Rightly, "google.refused"),
        (json!({}), Signed::Strangely, "google.refused"),
        (json!({}), Signed::BySecret, "google.refused"),
        (
            json!({ "email_verified": false }),
            Signed::Rightly,
            "google.unverified",
        ),
        (
            json!({ "email_verified": null }),
            Signed::Rightly,
            "google.unverified",
        ),
        (json!({ "email": null }), Signed::Rightly, "google.unverified"),
        (
            json!({ "email": "eva@localhost" }),
            Signed::Rightly,
            "google.unverified",
        ),
    ] {
        let mut person = right.clone();
        for (name, value) in said.as_object().unwrap() {
            person[name] = value.clone();
        }
        let mut visitor = Visitor::default();
        let page = visitor.leave(&app, None).await;
        let (state, given) = issuer.agree(&page, &person, signed);
        let shown = visitor.back(&app, &sent(&state, &given)).await;
        let reply = visitor.show(&app, &shown).await;
        assert_eq!((reply.status, reply.code()), (422, code), "{said}");
    }
    assert_eq!(owner(&app, "eva").await, None);
    // Who says no there, or comes back with the word of another provider.
    let mut visitor = Visitor::default();
    for query in [
        vec![("error", "access_denied")],
        vec![("code", "whatever"), ("iss", "https://elsewhere.example")],
        vec![("code", "made-up")],
    ] {
        let page = visitor.leave(&app, None).await;
        let (state, _) = issuer.agree(&page, &right, Signed::Rightly);
        let mut query = query;
        query.push(("state", &state));
        let shown = visitor.back(&app, &query).await;
        visitor.show(&app, &shown).await.refused(422, "google.refused");
    }
    enter(&app, &issuer, &right).await.ok();
    // Keys that are new are looked for, a minute after the last look.
    issuer.rotate();
    app.clock.advance(Duration::minutes(2));
    enter(&app, &issuer, &right).await.ok();
}

#[actix_web::test]
async fn an_e_mail_opens_no_account_that_is_in_use() {
    let (app, issuer) = start().await;
    let ana = member(&app, "Ana", "arbora").await;
    enter(&app, &issuer, &somebody("thief", "ANA@example.com"))
        .await
        .refused(409, "google.link_first");
    assert_eq!(owner(&app, "thief").await, None);
    assert_eq!(ana.client.get("/me").await.status, 200);
    assert_eq!(login(&app, &ana.email, PASSWORD).await.status, 200);
}

#[actix_web::test]
async fn what_a_stranger_registered_is_emptied_for_who_reads_the_mailbox() {
    let (app, issuer) = start().await;
    let ana = member(&app, "Ana", "arbora").await;
    let username = me(&ana.client).await["username"].as_str().unwrap().to_owned();
    let stranger = register(&app, "Eva", &username).await;
    let mailed = link(&app, &stranger.email, "confirm_email", "/verify-email/").await;
    let reply = enter(&app, &issuer, &somebody("eva", "eva@example.com")).await;
    let eva = signed_in(&app, &reply, "eva@example.com", "").client;
    assert_eq!(eva.user, stranger.client.user);
    stranger
        .client
        .get("/me")
        .await
        .refused(401, "auth.unauthenticated");
    login(&app, "eva@example.com", PASSWORD)
        .await
        .refused(401, "auth.failed");
    confirm(&app, &mailed)
        .await
        .refused(422, "link.confirmation_invalid");
    let profile = me(&eva).await;
    assert_eq!(profile["fullName"], "Eva Prado");
    assert_eq!(profile["mobileNumber"], Value::Null);
    assert_eq!(profile["address"], Value::Null);
    assert_eq!(profile["emailConfirmed"], true);
    assert_eq!(profile["missing"], json!(["terms", "risk", "adult", "address"]));
    assert_eq!(
        sponsor(&app, eva.user.0).await,
        Some(ana.client.user.0),
        "an upline stays"
    );
    // What the stranger accepted is not what she did, whoever looks.
    let root = app.admin("root").await;
    let path = format!("/admin/user/{}", eva.user);
    assert_eq!(root.get(&path).await.ok()["acceptances"], json!([]));
    let all = json!({ "terms": true, "riskNotice": true, "adult": true, "address": { "country": "Brasil", "state": "SP",
        "city": "São Paulo", "street": "Rua B", "number": "2", "district": "Centro", "postalCode": "01000-000" } });
    assert_eq!(eva.post("/me/complete", &all).await.status, 204);
    let own = eva.get("/me/acceptances").await.ok()["data"].clone();
    assert_eq!(own.as_array().unwrap().len(), 2);
    assert!(own.as_array().unwrap().iter().all(|one| one["times"] == 1));
    assert_eq!(root.get(&path).await.ok()["acceptances"], own);
}

#[actix_web::test]
async fn linking_takes_password_and_factor_and_the_second_step_is_asked_for_afterwards() {
    let (app, issuer) = start().await;
    let ana = member(&app, "Ana", "arbora").await;
    let google = somebody("ana", "ana.private@example.com");
    // Neither without the password nor without the code.
    let right = security_code(&app, &ana, "change-factor").await;
    let wrong = json!({ "password": "not the password", "code": right });
    ana.client
        .post("/me/google", &wrong)
        .await
        .refused(422, "password.wrong");
    let wrong = json!({ "password": PASSWORD, "code": super::people::other(&right) });
    ana.client
        .post("/me/google", &wrong)
        .await
        .refused(422, "code.wrong");
    let linked = link_google(&app, &issuer, &ana, &google).await.ok();
    assert_eq!(linked, json!({ "linked": true }));
    let profile = me(&ana.client).await;
    assert_eq!(profile["google"]["email"], "a***@example.com");
    assert_eq!(profile["hold"]["reason"], "google");
    let text = mail(&app, &ana.email, "safety_changed").await;
    assert!(text.contains("Google") && text.contains("/freeze/"), "{text}");
    ask_link(&app, &ana, &mut Visitor::default())
        .await
        .refused(409, "google.linked");
    // A Google account is one account's.
    let bia = member(&app, "Bia", "arbora").await;
    link_google(&app, &issuer, &bia, &google)
        .await
        .refused(409, "google.taken");
    // Who signs in by it passes the factor as after a password.
    email_factor(&app, &ana).await;
    let step = enter(&app, &issuer, &google).await;
    assert!(cookie(&step.headers, "token").is_none());
    let step = step.ok();
    assert_eq!(step["twoFactor"]["methods"], json!(["email", "recovery"]));
    assert!(step.get("token").is_none());
    let body = json!({ "challenge": step["twoFactor"]["challenge"], "method": "email",
        "code": code(&app, &ana.email, "sign_in_code").await });
    let done = app.anonymous().post("/auth/2fa", &body).await;
    assert_eq!(
        signed_in(&app, &done, &ana.email, PASSWORD).client.user,
        ana.client.user
    );
    // And taken off by the same proofs.
    let right = security_code(&app, &ana, "change-factor").await;
    let wrong = json!({ "password": "not the password", "code": right });
    ana.client
        .post("/me/google/remove", &wrong)
        .await
        .refused(422, "password.wrong");
    let body = json!({ "password": PASSWORD, "code": right });
    assert_eq!(ana.client.post("/me/google/remove", &body).await.status, 204);
    ana.client
        .post("/me/google/remove", &body)
        .await
        .refused(409, "request.conflict");
    let reply = enter(&app, &issuer, &google).await;
    assert_ne!(
        signed_in(&app, &reply, "", "").client.user,
        ana.client.user,
        "it is somebody else's e-mail"
    );
    let told: Vec<Value> = sqlx::query_scalar(
        "SELECT details FROM foundation.audit WHERE action = 'auth.google' AND subject = $1 ORDER BY id",
    )
    .bind(ana.client.user.0)
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert_eq!(told, [json!({ "on": true }), json!({ "on": false })]);
}

#[actix_web::test]
async fn linking_ends_with_its_session_and_nobody_loses_the_only_way_in() {
    let (app, issuer) = start().await;
    let ana = member(&app, "Ana", "arbora").await;
    let mut visitor = Visitor::default();
    let page = ask_link(&app, &ana, &mut visitor).await.ok();
    let ended = ana
        .client
        .delete(&format!("/sessions/{}", ana.client.session))
        .await;
    assert_eq!(ended.status, 204);
    visitor
        .return_as(
            &app,
            &issuer,
            page["url"].as_str().unwrap(),
            &somebody("ana", "ana@example.com"),
        )
        .await
        .refused(422, "google.expired");
    assert_eq!(owner(&app, "ana").await, None);
    // Without a password Google is the only way.
    let reply = enter(&app, &issuer, &somebody("eva", "eva@example.com")).await;
    let eva = signed_in(&app, &reply, "eva@example.com", "").client;
    let rest = json!({ "terms": true, "riskNotice": true, "adult": true, "address": { "country": "Brasil", "state": "SP",
        "city": "São Paulo", "street": "Rua B", "number": "2", "district": "Centro", "postalCode": "01000-000" } });
    assert_eq!(eva.post("/me/complete", &rest).await.status, 204);
    eva.post("/me/google/remove", &json!({ "password": "", "code": "000000" }))
        .await
        .refused(409, "google.only_way");
}

#[actix_web::test]
async fn inactive_people_come_in_and_frozen_ones_do_not() {
    let (app, issuer) = start().await;
    let ana = member(&app, "Ana", "arbora").await;
    let google = somebody("ana", "ana@example.com");
    link_google(&app, &issuer, &ana, &google).await.ok();
    sqlx::query("UPDATE identity.account SET status = 'inactive' WHERE id = $1")
        .bind(ana.client.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    let reply = enter(&app, &issuer, &google).await;
    let inside = signed_in(&app, &reply, &ana.email, PASSWORD).client;
    assert_eq!(me(&inside).await["status"], "inactive");
    // The owner's freeze takes every way in but the mailbox.
    let token = link(&app, &ana.email, "signed_in", "/freeze/").await;
    let page = format!("http://{}/freeze/{token}", app.address);
    assert_eq!(
        reqwest::Client::new().post(&page).send().await.unwrap().status(),
        200
    );
    assert_eq!(owner(&app, "ana").await, None);
    enter(&app, &issuer, &google)
        .await
        .refused(409, "google.link_first");
    // One that came back after the freeze would meet it, too.
    sqlx::query("INSERT INTO identity.google_account (account, issuer, subject, email, linked_at) VALUES ($1, $2, 'ana', 'x@y.z', now())")
        .bind(ana.client.user.0)
        .bind(&issuer.url)
        .execute(&app.sql)
        .await
        .unwrap();
    assert_eq!(enter(&app, &issuer, &google).await.code(), "auth.frozen");
}

/// The whole of it with a provider that others wrote (`oidc-provider` of npm): its pages are passed as a browser passes them.
#[actix_web::test]
async fn the_protocol_is_spoken_with_a_real_provider() {
    let mut process = tokio::process::Command::new("node")
        .args([
            "oidc.mjs",
            CLIENT,
            SECRET,
            "http://127.0.0.1/api/oauth/google/callback",
        ])
        .current_dir(peers())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("node runs the OpenID provider");
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let port = lines.next_line().await.unwrap().unwrap();
    let there = format!("http://127.0.0.1:{port}");
    let provider = Arc::new(Provider::new(CLIENT, SECRET, &there));
    let app = TestApp::start_with_parts(Parts::default().with(provider)).await;
    let port: u16 = port.parse().unwrap();
    let mut first = None;
    for _ in 0..2 {
        let mut visitor = Visitor::default();
        let page = visitor.leave(&app, None).await;
        let browser = reqwest::Client::builder()
            .cookie_store(true)
            .redirect(reqwest::redirect::Policy::custom(move |to| {
                if to.url().port() == Some(port) {
                    to.follow()
                } else {
                    to.stop()
                }
            }))
            .build()
            .unwrap();
        let sent_back = browser.get(&page).send().await.unwrap();
        let to = sent_back
            .headers()
            .get("location")
            .unwrap_or_else(|| panic!("{} at {}", sent_back.status(), sent_back.url()))
            .to_str()
            .unwrap();
        let to: url::Url = to.parse().unwrap();
        assert_eq!(to.path(), "/api/oauth/google/callback");
        let said: Vec<(String, String)> = to.query_pairs().into_owned().collect();
        let said: Vec<(&str, &str)> = said.iter().map(|(n, v)| (&**n, &**v)).collect();
        let shown = visitor.back(&app, &said).await;
        let reply = visitor.show(&app, &shown).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        let eva = signed_in(&app, &reply, "eva@example.com", "").client;
        assert_eq!(me(&eva).await["email"], "eva@example.com");
        assert_eq!(*first.get_or_insert(eva.user), eva.user, "the same person again");
    }
}

#[actix_web::test]
async fn where_it_is_not_offered_nothing_answers_and_tries_are_counted() {
    let app = TestApp::start_with(true).await;
    assert_eq!(app.anonymous().get("/config").await.ok()["google"], false);
    let stranger = app.anonymous();
    let ask = || {
        let request = stranger.request(Method::POST, "/oauth/google").json(&json!({}));
        stranger.send(
            request
                .header("Origin", "http://127.0.0.1")
                .header("X-Arbora", "1"),
        )
    };
    for _ in 0..10 {
        ask().await.refused(404, "request.not_found");
    }
    ask().await.refused(429, "request.rate_limited");
    Visitor::default()
        .show(&app, "whatever")
        .await
        .refused(404, "request.not_found");
}
