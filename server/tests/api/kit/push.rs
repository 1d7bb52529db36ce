//! A push service on this machine, and the browsers behind it, which open what comes (RFC 8291) and look at whose it is (RFC 8292).

use super::Client;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, http::StatusCode, web};
use data_encoding::BASE64URL_NOPAD;
use p256::{NistP256, PublicKey, SecretKey, ecdh::diffie_hellman, elliptic_curve::sec1::ToEncodedPoint};
use ring::{
    aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    hmac,
    signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey},
};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};
use tokio::sync::Notify;

pub const DEVICES: &str = "/me/push";

/// What came to the service.
#[derive(Clone)]
pub struct Came {
    pub path: String,
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

#[derive(Default)]
pub struct State {
    pub came: Mutex<Vec<Came>>,
    /// What it answers; 201 while nothing is said.
    pub says: Mutex<Option<(u16, Option<&'static str>)>>,
    /// It takes what comes and says nothing.
    pub silent: Mutex<bool>,
    pub arrived: Notify,
}

/// A push service: real HTTP on loopback.
pub struct Service {
    pub url: String,
    pub state: Arc<State>,
    pub handle: actix_web::dev::ServerHandle,
}

impl Drop for Service {
    fn drop(&mut self) {
        let handle = self.handle.clone();
        actix_web::rt::spawn(async move { handle.stop(false).await });
    }
}

async fn take(state: web::Data<State>, request: HttpRequest, body: web::Bytes) -> HttpResponse {
    let headers = request.headers().iter();
    state.came.lock().unwrap().push(Came {
        path: request.path().to_owned(),
        headers: headers
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .collect(),
        body: body.to_vec(),
    });
    state.arrived.notify_one();
    let silent = *state.silent.lock().unwrap();
    if silent {
        std::future::pending::<()>().await;
    }
    let (status, retry) = state.says.lock().unwrap().unwrap_or((201, None));
    let mut answer = HttpResponse::build(StatusCode::from_u16(status).unwrap());
    if let Some(seconds) = retry {
        answer.insert_header(("Retry-After", seconds));
    }
    answer.finish()
}

impl Service {
    pub fn start() -> Self {
        let state = web::Data::new(State::default());
        let shared = state.clone();
        let server = HttpServer::new(move || {
            App::new()
                .app_data(shared.clone())
                .default_service(web::post().to(take))
        })
        .workers(1)
        .disable_signals()
        .bind(("127.0.0.1", 0))
        .unwrap();
        let url = format!("http://{}", server.addrs()[0]);
        let running = server.run();
        let handle = running.handle();
        actix_web::rt::spawn(running);
        Self {
            url,
            state: state.into_inner(),
            handle,
        }
    }

    pub fn says(&self, status: u16, retry: Option<&'static str>) {
        *self.state.says.lock().unwrap() = Some((status, retry));
    }

    /// All that came since it was last asked.
    pub fn came(&self) -> Vec<Came> {
        std::mem::take(&mut *self.state.came.lock().unwrap())
    }
}

/// A browser that has let a page push to it.
pub struct Browser {
    pub key: SecretKey,
    pub auth: [u8; 16],
    pub path: String,
    pub endpoint: String,
}

impl Browser {
    pub fn at(service: &Service, path: &str) -> Self {
        Self {
            key: SecretKey::from_slice(&rand::random::<[u8; 32]>()).unwrap(),
            auth: rand::random(),
            path: format!("/{path}"),
            endpoint: format!("{}/{path}", service.url),
        }
    }

    /// The same browser, whose keys were made anew.
    pub fn anew(&self) -> Self {
        Self {
            key: SecretKey::from_slice(&rand::random::<[u8; 32]>()).unwrap(),
            auth: rand::random(),
            path: self.path.clone(),
            endpoint: self.endpoint.clone(),
        }
    }

    pub fn point(&self) -> Vec<u8> {
        let point = self.key.public_key().to_encoded_point(false);
        point.as_bytes().to_vec()
    }

    pub fn given(&self) -> Value {
        json!({ "endpoint": self.endpoint, "p256dh": BASE64URL_NOPAD.encode(&self.point()),
            "auth": BASE64URL_NOPAD.encode(&self.auth), "name": "Firefox, Linux" })
    }

    pub async fn subscribe(&self, client: &Client) -> Value {
        client.post(DEVICES, &self.given()).await.ok()
    }

    /// What a message for this browser says (RFC 8291); none for what was sealed for another.
    pub fn open(&self, body: &[u8]) -> Option<Value> {
        let (salt, rest) = body.split_at(16);
        let (head, rest) = rest.split_at(5);
        assert_eq!(head, [0, 0, 16, 0, 65], "one record of 4 096 bytes, and a point");
        let (sender, record) = rest.split_at(65);
        let from = PublicKey::from_sec1_bytes(sender).unwrap();
        let shared = diffie_hellman::<NistP256>(self.key.to_nonzero_scalar(), from.as_affine());
        let own = self.point();
        let info = [b"WebPush: info\0".as_slice(), own.as_slice(), sender].concat();
        let secret = derived(&self.auth, shared.raw_secret_bytes(), &info);
        let content = derived(salt, &secret, b"Content-Encoding: aes128gcm\0");
        let nonce = derived(salt, &secret, b"Content-Encoding: nonce\0");
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &content[..16]).unwrap());
        let nonce = Nonce::try_assume_unique_for_key(&nonce[..12]).unwrap();
        let mut record = record.to_vec();
        let plain = key.open_in_place(nonce, Aad::empty(), &mut record).ok()?;
        let (last, said) = plain.split_last().unwrap();
        assert_eq!(*last, 2, "the last record");
        Some(serde_json::from_slice(said).unwrap())
    }

    /// What came for it, opened.
    pub fn told(&self, came: &[Came]) -> Vec<Value> {
        came.iter()
            .filter(|one| one.path == self.path)
            .map(|one| self.open(&one.body).unwrap())
            .collect()
    }
}

fn derived(salt: &[u8], secret: &[u8], info: &[u8]) -> Vec<u8> {
    let mac = |key: &[u8], text: &[u8]| {
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text);
        tag.as_ref().to_vec()
    };
    mac(&mac(salt, secret), &[info, [1].as_slice()].concat())
}

/// The claims of a message's token, which the key of the house has signed.
pub fn claims(came: &Came, key: &str) -> Value {
    let header = came.headers["authorization"].strip_prefix("vapid t=").unwrap();
    let (token, shown) = header.split_once(", k=").unwrap();
    assert_eq!(shown, key);
    let bytes = |text: &str| BASE64URL_NOPAD.decode(text.as_bytes()).unwrap();
    let (said, signature) = token.rsplit_once('.').unwrap();
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, bytes(key))
        .verify(said.as_bytes(), &bytes(signature))
        .unwrap();
    let (_, claims) = said.split_once('.').unwrap();
    serde_json::from_slice(&bytes(claims)).unwrap()
}
