//! The one way out. Every outgoing HTTP client and TLS connector of the server is made here, and what went wrong on the way is said
//! here ([`told`], [`reason`]). Only configured addresses are ever asked; what a user sends is never fetched (what a browser names
//! as its push service is written to where the operator named its host, `notifications::push`).
//!
//! Invariants: no redirect is followed; every call has a time limit; an error names the host, and neither path, query nor
//! credentials; `server/tests/house.rs` finds a client that is made elsewhere.
//!
//! 2026-11-23: whom TLS trusts is compiled in (`webpki-roots`), for a machine or image without certificates must work, too: with the
//! system's store reqwest refuses to make a client where that is empty. PostgreSQL (sqlx), Redis and SMTP (lettre) bring the same
//! roots by their features. The roots grow old with the program, and an authority that only the operator knows is trusted by
//! PostgreSQL alone (`sslrootcert` in `DATABASE_URL`).

mod address;
mod cause;
mod client;
#[cfg(test)]
pub mod stranger;

pub use address::addresses;
pub use cause::{known, origin, reason, told};
pub use client::{NoClient, Purpose, client, tls};

use crate::error::Error;
pub use address::is_public;
use futures_util::StreamExt;
use protocol::ErrorCode;
use reqwest::Url;
use std::{net::IpAddr, time::Duration};

const TIMEOUT: Duration = Duration::from_secs(5);
const MAX_BODY: usize = 1024 * 1024;

/// What was answered, whatever it says.
pub struct Answered {
    pub status: reqwest::StatusCode,
    pub body: Vec<u8>,
}

/// Fetches a document from a configured address. `loopback` lets a demo world ask this machine, also without TLS.
///
/// # Errors
/// `service.unavailable` with the cause in the log.
pub async fn fetch(address: &str, loopback: bool) -> Result<Vec<u8>, Error> {
    let url = Url::parse(address).map_err(|e| failed(&e.to_string()))?;
    let asked = origin(&url);
    let answered = ask(reqwest::Request::new(reqwest::Method::GET, url), loopback).await?;
    if answered.status != reqwest::StatusCode::OK {
        return Err(failed(&format!("{asked} answered {}", answered.status)));
    }
    Ok(answered.body)
}

fn failed(reason: &str) -> Error {
    tracing::warn!(reason, "an outside service could not be asked");
    Error::code(ErrorCode::Unavailable)
}

/// Asks a service at a configured address, or at one that such a service names as its own. `loopback` as in [`fetch`].
///
/// # Errors
/// `service.unavailable` with the cause in the log.
pub async fn ask(request: reqwest::Request, loopback: bool) -> Result<Answered, Error> {
    let url = request.url();
    let host: Option<IpAddr> = url
        .host_str()
        .and_then(|h| h.trim_matches(['[', ']']).parse().ok());
    let here = loopback && host.is_some_and(|ip| ip.is_loopback());
    if !here && (url.scheme() != "https" || host.is_some_and(|ip| !is_public(ip))) {
        return Err(failed("neither https nor public"));
    }
    let purpose = Purpose {
        public_only: true,
        ..Purpose::within(TIMEOUT)
    };
    let asked = origin(url);
    let client = client(purpose).map_err(|e| failed(&e.to_string()))?;
    let response = client.execute(request).await.map_err(|e| failed(&told(&e)))?;
    let status = response.status();
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|e| failed(&told(&e)))?;
        if body.len() + chunk.len() > MAX_BODY {
            return Err(failed(&format!("{asked} sent more than 1 MiB")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answered { status, body })
}
