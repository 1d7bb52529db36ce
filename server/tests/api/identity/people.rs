//! People who register and sign in like everyone, with their browser's cookies and their mailbox.

use crate::kit::{Client, Reply, TestApp};
use reqwest::{Method, header::HeaderMap};
use serde_json::{Value, json};
use server::foundation::{clock::Clock, settings::Settings};

pub const PASSWORD: &str = "correct horse battery staple";
pub const OTHER_PASSWORD: &str = "a different long passphrase 9";

/// Somebody who registered.
#[derive(Clone)]
pub struct Person {
    pub client: Client,
    pub email: String,
    pub password: String,
    pub refresh: String,
}

/// The form as the page sends it.
pub fn form(name: &str, email: &str) -> Value {
    json!({
        "fullName": name, "email": email, "password": PASSWORD, "password_confirmation": PASSWORD,
        "terms": true, "adult": true, "riskNotice": true, "mobileNumber": "+55 11 98765-4321",
        "address": {"country": "Brasil", "state": "SP", "city": "São Paulo", "street": "Rua A", "number": "1", "complement": "",
                    "district": "Centro", "postalCode": "01000-000"}
    })
}

/// A test that is not about the hourly caps lifts them.
pub async fn lift_caps(app: &TestApp) {
    let settings = Settings {
        mails_per_hour: 10_000,
        codes_per_hour: 10_000,
        ..Settings::default()
    };
    store_settings(app, &settings).await;
}

pub async fn store_settings(app: &TestApp, settings: &Settings) {
    app.context
        .settings
        .store(settings, app.clock.now(), None, "test")
        .await
        .unwrap();
}

/// The cookie of this name in an answer; empty when it is taken away.
pub fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    headers
        .get_all("set-cookie")
        .iter()
        .filter_map(|v| v.to_str().ok())
        .find_map(|line| {
            let (pair, _) = line.split_once(';')?;
            let (found, value) = pair.split_once('=')?;
            (found == name).then(|| value.to_owned())
        })
}

/// A whole Set-Cookie line.
pub fn cookie_line(headers: &HeaderMap, name: &str) -> String {
    let start = format!("{name}=");
    headers
        .get_all("set-cookie")
        .iter()
        .filter_map(|v| v.to_str().ok())
        .find(|l| l.starts_with(&start))
        .unwrap_or_default()
        .to_owned()
}

fn of_token(client: Client, token: &str) -> Client {
    let payload = token.split('.').nth(1).unwrap();
    let claims: Value =
        serde_json::from_slice(&data_encoding::BASE64URL_NOPAD.decode(payload.as_bytes()).unwrap()).unwrap();
    let id = |name: &str| uuid::Uuid::parse_str(claims[name].as_str().unwrap()).unwrap();
    Client {
        user: id("sub").into(),
        session: id("sid").into(),
        ..client.token(token)
    }
}

/// Somebody signed in by an answer that carries a token and cookies.
pub fn signed_in(app: &TestApp, reply: &Reply, email: &str, password: &str) -> Person {
    let token = reply.body["token"]
        .as_str()
        .unwrap_or_else(|| panic!("no token in {}", reply.body));
    Person {
        client: of_token(app.anonymous(), token),
        email: email.into(),
        password: password.into(),
        refresh: cookie(&reply.headers, "token").expect("a refresh cookie"),
    }
}

/// Registers under an upline; the address is not confirmed.
pub async fn register(app: &TestApp, name: &str, upline: &str) -> Person {
    let email = format!("{}@example.com", server::foundation::text::folded(name));
    let reply = app
        .anonymous()
        .post(
            &format!("/auth/register/{upline}"),
            &form(&format!("{name} da Silva"), &email),
        )
        .await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    signed_in(app, &reply, &email, PASSWORD)
}

/// Registers and confirms by the mail's link.
pub async fn member(app: &TestApp, name: &str, upline: &str) -> Person {
    let person = register(app, name, upline).await;
    let reply = confirm(
        app,
        &link(app, &person.email, "confirm_email", "/verify-email/").await,
    )
    .await;
    assert_eq!(reply.body["state"], "confirmed", "{}", reply.body);
    person
}

/// Acts on a confirmation link, `id/token`, as the page's button does.
pub async fn confirm(app: &TestApp, tail: &str) -> Reply {
    let stranger = app.anonymous();
    stranger
        .send(
            stranger
                .request(Method::GET, &format!("/email/verify/{tail}"))
                .header("X-Arbora", "1"),
        )
        .await
}

/// What a browser keeps from answer to answer, and where in the network it stands.
#[derive(Clone, Default)]
pub struct Browser {
    /// The mark by which accounts know it.
    pub device: Option<String>,
    pub address: Option<String>,
}

impl Browser {
    pub fn at(address: &str) -> Self {
        Self {
            device: None,
            address: Some(address.into()),
        }
    }

    pub async fn post(&mut self, app: &TestApp, path: &str, body: &Value) -> Reply {
        let stranger = app.anonymous();
        let mut request = stranger.request(Method::POST, path).json(body);
        if let Some(device) = &self.device {
            request = request.header("Cookie", format!("device={device}"));
        }
        if let Some(address) = &self.address {
            request = request.header("X-Forwarded-For", address);
        }
        let reply = stranger.send(request).await;
        if let Some(device) = cookie(&reply.headers, "device") {
            self.device = Some(device);
        }
        reply
    }

    pub async fn login(&mut self, app: &TestApp, email: &str, password: &str) -> Reply {
        self.post(app, "/auth/login", &json!({"email": email, "password": password}))
            .await
    }
}

/// Signs in from a browser that nobody knows.
pub async fn login(app: &TestApp, email: &str, password: &str) -> Reply {
    app.anonymous()
        .post("/auth/login", &json!({"email": email, "password": password}))
        .await
}

/// A POST that acts by cookie, as our own page sends it.
pub async fn with_cookie(app: &TestApp, path: &str, refresh: &str) -> Reply {
    let stranger = app.anonymous();
    let request = stranger.request(Method::POST, path);
    stranger
        .send(
            request
                .header("Cookie", format!("token={refresh}"))
                .header("Origin", "http://127.0.0.1")
                .header("X-Arbora", "1"),
        )
        .await
}

/// The newest mail of a kind to somebody; waits for the ones that are written after the answer.
pub async fn mail(app: &TestApp, to: &str, template: &str) -> String {
    for _ in 0..3_000 {
        let body: Option<String> = sqlx::query_scalar(
            "SELECT text_body FROM foundation.mail WHERE recipient = $1 AND template = $2 ORDER BY created_at DESC, id DESC LIMIT 1",
        )
        .bind(to)
        .bind(template)
        .fetch_optional(&app.sql)
        .await
        .unwrap();
        if let Some(body) = body {
            return body;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("no mail {template} to {to}");
}

pub async fn mails(app: &TestApp, to: &str, template: &str) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM foundation.mail WHERE recipient = $1 AND template = $2")
        .bind(to)
        .bind(template)
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

/// What follows a path in the newest mail.
pub async fn link(app: &TestApp, to: &str, template: &str, path: &str) -> String {
    let body = mail(app, to, template).await;
    let start = format!("http://127.0.0.1{path}");
    let at = body.find(&start).unwrap_or_else(|| panic!("no {path} in {body}"));
    body[at + start.len()..]
        .split_whitespace()
        .next()
        .unwrap()
        .to_owned()
}

/// The six digits of the newest mail.
pub async fn code(app: &TestApp, to: &str, template: &str) -> String {
    let body = mail(app, to, template).await;
    body.split_whitespace()
        .find(|w| w.len() == 6 && w.bytes().all(|b| b.is_ascii_digit()))
        .unwrap_or_else(|| panic!("no code in {body}"))
        .to_owned()
}

/// Six digits that are not these.
pub fn other(code: &str) -> String {
    let n: u32 = code.parse().unwrap();
    format!("{:06}", (n + 1) % 1_000_000)
}

/// Asks for a code and reads it from the mailbox.
pub async fn security_code(app: &TestApp, person: &Person, purpose: &str) -> String {
    let reply = person
        .client
        .post("/security-code", &json!({"purpose": purpose}))
        .await;
    assert_eq!(reply.ok()["method"], "email");
    code(app, &person.email, "security_code").await
}

/// Switches e-mail codes on; returns the recovery codes.
pub async fn email_factor(app: &TestApp, person: &Person) -> Vec<String> {
    let code = security_code(app, person, "change-factor").await;
    let reply = person
        .client
        .post(
            "/setup-2fa",
            &json!({"method": "email", "enable": true, "code": code, "password": person.password}),
        )
        .await;
    reply.ok()["recoveryCodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c.as_str().unwrap().to_owned())
        .collect()
}

/// Somebody's authenticator app.
pub struct App(totp_rs::Totp);

impl App {
    /// From the secret that was shown.
    pub fn of(base32: &str) -> Self {
        let secret = data_encoding::BASE32_NOPAD.decode(base32.as_bytes()).unwrap();
        let builder = totp_rs::Builder::new().with_secret(totp_rs::Secret::new(secret.into_boxed_slice()));
        Self(
            builder
                .with_issuer(Some("Arbora"))
                .with_account_name("x")
                .build()
                .unwrap(),
        )
    }

    pub fn code(&self, app: &TestApp) -> String {
        self.0
            .generate(u64::try_from(app.clock.now().unix_timestamp()).unwrap())
            .to_string()
    }
}

/// Switches the authenticator app on.
pub async fn app_factor(app: &TestApp, person: &Person) -> (App, Vec<String>) {
    let offer = person
        .client
        .post(
            "/setup-2fa",
            &json!({"method": "app", "enable": true, "password": person.password}),
        )
        .await
        .ok();
    let url = offer["otpauthUrl"].as_str().unwrap();
    assert!(url.starts_with("otpauth://totp/Arbora"), "{url}");
    let phone = App::of(offer["secret"].as_str().unwrap());
    let code = phone.code(app);
    let done = person
        .client
        .post(
            "/setup-2fa",
            &json!({"method": "app", "enable": true, "code": code, "password": person.password}),
        )
        .await
        .ok();
    let codes = done["recoveryCodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c.as_str().unwrap().to_owned())
        .collect();
    (phone, codes)
}
