//! What signing in means to a browser: cookies, and proof that a request comes from our own pages.

use crate::{
    error::Error,
    foundation::{
        context::{Context, World},
        http::Headers,
    },
    identity::{gate::ClientAddress, google, rules, sign_in::SignedIn},
};
use actix_web::{
    FromRequest, HttpMessage, HttpRequest, HttpResponseBuilder,
    cookie::{Cookie, SameSite, time::Duration as CookieDuration},
    dev::Payload,
};
use protocol::ErrorCode;
use std::future::{Ready, ready};

const REFRESH: &str = "token";
const SIGNED_IN: &str = "signed_in";
const DEVICE: &str = "device";
/// Of a visit to Google.
const VISIT: &str = "google";
const DAYS: i64 = 30;
/// As long as browsers keep a cookie at all.
const DEVICE_DAYS: i64 = 400;

/// The browser behind a request: its name and its address after proxies, which prove nothing, and the cookie by which we know it.
#[derive(Clone)]
pub struct Browser {
    pub device: String,
    pub address: String,
    pub token: Option<String>,
}

impl FromRequest for Browser {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(req: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let agent = Headers::from_request(req, payload)
            .into_inner()
            .map(|h| h.user_agent)
            .unwrap_or_default();
        let address = req
            .extensions()
            .get::<ClientAddress>()
            .map_or_else(|| "unknown".to_owned(), |a| a.0.clone());
        ready(Ok(Self {
            device: rules::device(&agent),
            address,
            token: req.cookie(DEVICE).map(|c| c.value().to_owned()),
        }))
    }
}

/// Scheme, host and port of an address.
pub(super) fn origin(url: &str) -> &str {
    let after = url.find("://").map_or(0, |at| at + 3);
    let end = url[after..].find('/').map_or(url.len(), |at| after + at);
    &url[..end]
}

pub(super) fn host(origin: &str) -> &str {
    let bare = origin.split_once("://").map_or(origin, |(_, rest)| rest);
    let end = if bare.starts_with('[') {
        bare.find(']').map_or(bare.len(), |at| at + 1)
    } else {
        bare.find(':').unwrap_or(bare.len())
    };
    &bare[..end]
}

/// Whether an address names this machine.
#[must_use]
pub fn is_loopback(url: &str) -> bool {
    let host = host(origin(url));
    host == "localhost"
        || host == "[::1]"
        || host.parse::<std::net::Ipv4Addr>().is_ok_and(|a| a.is_loopback())
}

/// Refresh and logout act by cookie alone: they need our Origin and a header that no foreign page can send.
///
/// # Errors
/// `origin.refused`.
pub fn require_own_page(req: &HttpRequest, context: &Context) -> Result<(), Error> {
    let text = |name: &str| req.headers().get(name).and_then(|v| v.to_str().ok());
    let own = origin(&context.public_url);
    let from_us = text("origin").is_some_and(|o| {
        // A demo on one machine is reached as 127.0.0.1, localhost and through the face's development server.
        o == own || (context.world == World::Demo && is_loopback(own) && is_loopback(o))
    });
    if from_us && text("x-arbora").is_some() {
        Ok(())
    } else {
        Err(Error::code(ErrorCode::OriginRefused))
    }
}

/// The refresh token that the browser keeps.
#[must_use]
pub fn refresh_token(req: &HttpRequest) -> Option<String> {
    req.cookie(REFRESH).map(|c| c.value().to_owned())
}

fn cookie<'a>(
    context: &Context,
    name: &'a str,
    value: String,
    path: &'a str,
    http_only: bool,
    age: CookieDuration,
) -> Cookie<'a> {
    Cookie::build(name, value)
        .path(path)
        .http_only(http_only)
        .same_site(SameSite::Strict)
        .secure(!is_loopback(&context.public_url))
        .max_age(age)
        .finish()
}

/// Keeps what a session's beginning gave: the refresh token and the device's mark where scripts cannot read them, and a mark that
/// they can. Returns the access token.
pub fn keep(context: &Context, response: &mut HttpResponseBuilder, session: SignedIn) -> String {
    if let Some(device) = session.device {
        keep_device(context, response, device);
    }
    let refresh = session.refresh;
    response.cookie(cookie(
        context,
        REFRESH,
        refresh,
        "/api/auth",
        true,
        CookieDuration::days(DAYS),
    ));
    response.cookie(cookie(
        context,
        SIGNED_IN,
        "1".into(),
        "/",
        false,
        CookieDuration::days(DAYS),
    ));
    session.access
}

/// Keeps the mark by which accounts know this browser. Every call gets it: those that need it lie apart.
pub fn keep_device(context: &Context, response: &mut HttpResponseBuilder, token: String) {
    response.cookie(cookie(
        context,
        DEVICE,
        token,
        "/api",
        true,
        CookieDuration::days(DEVICE_DAYS),
    ));
}

/// The mark of the browser that went to Google.
#[must_use]
pub fn visit(req: &HttpRequest) -> Option<String> {
    req.cookie(VISIT).map(|c| c.value().to_owned())
}

/// Keeps the mark of a visit to Google, or takes it away. It has to come along when Google sends the browser back, so other sites may lead
/// here with it; no script reads it, and without state and code it opens nothing.
pub fn keep_visit(context: &Context, response: &mut HttpResponseBuilder, mark: Option<String>) {
    let age = match mark {
        Some(_) => CookieDuration::seconds(google::LIFE.whole_seconds() + 60),
        None => CookieDuration::ZERO,
    };
    let mut cookie = cookie(context, VISIT, mark.unwrap_or_default(), "/api/oauth", true, age);
    cookie.set_same_site(SameSite::Lax);
    response.cookie(cookie);
}

/// Takes the session's cookies away; the device stays known.
pub fn drop(context: &Context, response: &mut HttpResponseBuilder) {
    response.cookie(cookie(
        context,
        REFRESH,
        String::new(),
        "/api/auth",
        true,
        CookieDuration::ZERO,
    ));
    response.cookie(cookie(
        context,
        SIGNED_IN,
        String::new(),
        "/",
        false,
        CookieDuration::ZERO,
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins() {
        assert_eq!(origin("https://arbora.example/app"), "https://arbora.example");
        assert_eq!(origin("http://127.0.0.1:8080"), "http://127.0.0.1:8080");
        for (url, loopback) in [
            ("http://127.0.0.1:8080", true),
            ("http://localhost:5173", true),
            ("http://[::1]:80", true),
            ("https://arbora.example", false),
            ("https://localhost.example", false),
            ("https://127.example.com", false),
        ] {
            assert_eq!(is_loopback(url), loopback, "{url}");
        }
    }
}
