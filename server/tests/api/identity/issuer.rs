//! An OpenID provider on this machine: real keys, real HTTP. It answers for Google, and says what a test wants it to say.

use actix_web::{App, HttpRequest, HttpResponse, HttpServer, http::header, web};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};
use server::foundation::clock::{Clock, SystemClock};
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

pub const CLIENT: &str = "arbora.apps.example";
pub const SECRET: &str = "a-secret-of-the-tests-only";

/// Somebody's word there.
struct Given {
    challenge: String,
    redirect: String,
    token: String,
}

struct Key {
    signing: EncodingKey,
    public: Value,
}

fn key() -> Key {
    let pair = rcgen::KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256).unwrap();
    let signing = EncodingKey::from_ec_der(pair.serialized_der());
    // 4, then x and y.
    let point = pair.public_key_raw();
    let text = |bytes: &[u8]| data_encoding::BASE64URL_NOPAD.encode(bytes);
    let public = json!({ "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": text(&point[1..9]),
        "x": text(&point[1..33]), "y": text(&point[33..65]) });
    Key { signing, public }
}

pub struct Issuer {
    pub url: String,
    given: Arc<Mutex<HashMap<String, Given>>>,
    key: Arc<Mutex<Key>>,
    handle: actix_web::dev::ServerHandle,
}

impl Drop for Issuer {
    fn drop(&mut self) {
        let handle = self.handle.clone();
        actix_web::rt::spawn(async move { handle.stop(false).await });
    }
}

/// How a token is signed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Signed {
    Rightly,
    /// With a key that the provider does not show.
    Strangely,
    /// With the client's secret, as anybody who knows it could.
    BySecret,
}

impl Issuer {
    pub async fn start() -> Self {
        let given: Arc<Mutex<HashMap<String, Given>>> = Arc::default();
        let key = Arc::new(Mutex::new(key()));
        let address = Arc::new(Mutex::new(String::new()));
        let (taken, shown, at) = (given.clone(), key.clone(), address.clone());
        let server = HttpServer::new(move || {
            let (taken, shown, at, said) = (taken.clone(), shown.clone(), at.clone(), at.clone());
            App::new()
                .route(
                    "/.well-known/openid-configuration",
                    web::get().to(move || {
                        let url = at.lock().unwrap().clone();
                        async move {
                            HttpResponse::Ok().json(
                                json!({ "issuer": url, "authorization_endpoint": format!("{url}/authorize"),
                                "token_endpoint": format!("{url}/token"), "jwks_uri": format!("{url}/keys"),
                                "response_types_supported": ["code"], "subject_types_supported": ["public"],
                                "id_token_signing_alg_values_supported": ["ES256"] }),
                            )
                        }
                    }),
                )
                .route(
                    "/keys",
                    web::get().to(move || {
                        let public = shown.lock().unwrap().public.clone();
                        async move { HttpResponse::Ok().json(json!({ "keys": [public] })) }
                    }),
                )
                .route(
                    "/token",
                    web::post().to(
                        move |req: HttpRequest, form: web::Form<HashMap<String, String>>| {
                            let answer = exchange(&req, &form, &mut taken.lock().unwrap());
                            async move { answer }
                        },
                    ),
                )
                .app_data(web::Data::new(said))
        })
        .workers(1)
        .disable_signals()
        .bind(("127.0.0.1", 0))
        .unwrap();
        let url = format!("http://{}", server.addrs()[0]);
        address.lock().unwrap().clone_from(&url);
        let running = server.run();
        let handle = running.handle();
        actix_web::rt::spawn(running);
        Self {
            url,
            given,
            key,
            handle,
        }
    }

    /// Other keys from now on.
    pub fn rotate(&self) {
        *self.key.lock().unwrap() = key();
    }

    /// What the provider says of somebody who was led to `page` and agrees: the state and the code with which the browser is sent back.
    pub fn agree(&self, page: &str, person: &Value, signed: Signed) -> (String, String) {
        let url: url::Url = page.parse().unwrap();
        let asked: HashMap<String, String> = url.query_pairs().into_owned().collect();
        assert_eq!(url.path(), "/authorize");
        assert_eq!(asked["client_id"], CLIENT);
        assert_eq!(asked["response_type"], "code");
        assert_eq!(asked["code_challenge_method"], "S256");
        assert_eq!(
            asked["redirect_uri"],
            "http://127.0.0.1/api/oauth/google/callback"
        );
        for scope in ["openid", "email", "profile"] {
            assert!(
                asked["scope"].split(' ').any(|s| s == scope),
                "{}",
                asked["scope"]
            );
        }
        let now = SystemClock.now().unix_timestamp();
        let mut claims = json!({ "iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 3_600, "nonce": asked["nonce"],
            "email_verified": true });
        for (name, value) in person.as_object().unwrap() {
            claims[name] = value.clone();
        }
        let own = self.key.lock().unwrap();
        let mut header = Header::new(Algorithm::ES256);
        header.kid = own.public["kid"].as_str().map(str::to_owned);
        let token = match signed {
            Signed::Rightly => jsonwebtoken::encode(&header, &claims, &own.signing),
            Signed::Strangely => jsonwebtoken::encode(&header, &claims, &key().signing),
            Signed::BySecret => jsonwebtoken::encode(
                &Header::new(Algorithm::HS256),
                &claims,
                &EncodingKey::from_secret(SECRET.as_bytes()),
            ),
        }
        .unwrap();
        let code = uuid::Uuid::new_v4().to_string();
        let given = Given {
            challenge: asked["code_challenge"].clone(),
            redirect: asked["redirect_uri"].clone(),
            token,
        };
        self.given.lock().unwrap().insert(code.clone(), given);
        (asked["state"].clone(), code)
    }

    /// Codes that nobody has exchanged.
    pub fn waiting(&self) -> usize {
        self.given.lock().unwrap().len()
    }
}

/// As RFC 6749 and RFC 7636 say: the client's own secret, the code once, and what its challenge was made of.
fn exchange(
    req: &HttpRequest,
    form: &HashMap<String, String>,
    given: &mut HashMap<String, Given>,
) -> HttpResponse {
    let basic = data_encoding::BASE64.encode(format!("{CLIENT}:{SECRET}").as_bytes());
    let shown = req.headers().get(header::AUTHORIZATION);
    if shown.and_then(|v| v.to_str().ok()) != Some(&*format!("Basic {basic}")) {
        return HttpResponse::Unauthorized().json(json!({ "error": "invalid_client" }));
    }
    let refused = || HttpResponse::BadRequest().json(json!({ "error": "invalid_grant" }));
    let Some(found) = given.remove(&form["code"]) else {
        return refused();
    };
    let made = data_encoding::BASE64URL_NOPAD.encode(&Sha256::digest(form["code_verifier"].as_bytes()));
    if made != found.challenge || form["redirect_uri"] != found.redirect {
        return refused();
    }
    HttpResponse::Ok().json(json!({ "access_token": "unused", "token_type": "Bearer", "expires_in": 60, "id_token": found.token }))
}
