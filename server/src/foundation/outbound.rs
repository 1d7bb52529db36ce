//! The one way out: https, no redirects, 5 seconds, 1 MiB, no private addresses. Only configured addresses are ever asked;
//! what a user sends is never fetched.

use crate::error::Error;
use futures_util::StreamExt;
use protocol::ErrorCode;
use reqwest::{
    Url,
    dns::{Addrs, Name, Resolve, Resolving},
};
use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

const TIMEOUT: Duration = Duration::from_secs(5);
const MAX_BODY: usize = 1024 * 1024;

/// Whether an address is of the public internet.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            !(v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_broadcast()
                || v4.is_multicast()
                || v4.is_documentation()
                || a == 0
                || a >= 240
                || (a == 100 && (64..128).contains(&b))
                || (a == 198 && (18..20).contains(&b)))
        }
        IpAddr::V6(v6) => match v6.to_ipv4() {
            Some(v4) => is_public(IpAddr::V4(v4)),
            None => {
                let first = v6.segments().first().copied().unwrap_or_default();
                // 2000::/3 is what is routed; documentation and translation prefixes inside it are not asked.
                (0x2000..0x4000).contains(&first)
                    && !(first == 0x2001 && v6.segments().get(1) == Some(&0x0db8))
                    && first != 0x2002
            }
        },
    }
}

/// Names that lead to private addresses lead nowhere: also when the answer changes between two look-ups.
struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0))
                .await?
                .filter(|a| is_public(a.ip()))
                .collect();
            if found.is_empty() {
                return Err("no public address".into());
            }
            Ok::<Addrs, Box<dyn std::error::Error + Send + Sync>>(Box::new(found.into_iter()))
        })
    }
}

/// Where a configured host may be reached. `loopback` lets a demo world ask this machine.
///
/// # Errors
/// When the name is unknown or leads to private addresses only.
pub async fn addresses(host: &str, port: u16, loopback: bool) -> std::io::Result<Vec<SocketAddr>> {
    let found: Vec<SocketAddr> = tokio::net::lookup_host((host.trim_matches(['[', ']']), port))
        .await?
        .filter(|a| is_public(a.ip()) || (loopback && a.ip().is_loopback()))
        .collect();
    if found.is_empty() {
        return Err(std::io::Error::other("no public address"));
    }
    Ok(found)
}

/// Fetches a document from a configured address. `loopback` lets a demo world ask this machine, also without TLS.
///
/// # Errors
/// `service.unavailable` with the cause in the log.
pub async fn fetch(address: &str, loopback: bool) -> Result<Vec<u8>, Error> {
    let failed = |reason: String| {
        tracing::warn!(reason, "an outside service could not be asked");
        Error::code(ErrorCode::Unavailable)
    };
    let url = Url::parse(address).map_err(|e| failed(e.to_string()))?;
    let host: Option<IpAddr> = url
        .host_str()
        .and_then(|h| h.trim_matches(['[', ']']).parse().ok());
    let here = loopback && host.is_some_and(|ip| ip.is_loopback());
    if !here && (url.scheme() != "https" || host.is_some_and(|ip| !is_public(ip))) {
        return Err(failed("neither https nor public".into()));
    }
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(TIMEOUT)
        .no_proxy()
        .dns_resolver(Arc::new(PublicOnly))
        .user_agent("arbora")
        .build()
        .map_err(|e| failed(e.to_string()))?;
    let response = client
        .get(url)
        .send()
        .await
        .map_err(|e| failed(e.without_url().to_string()))?;
    if response.status() != reqwest::StatusCode::OK {
        return Err(failed(format!("status {}", response.status())));
    }
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|e| failed(e.without_url().to_string()))?;
        if body.len() + chunk.len() > MAX_BODY {
            return Err(failed("more than 1 MiB".into()));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_told_from_public_ones() {
        for private in [
            "10.0.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "192.168.1.1",
            "172.16.0.1",
            "100.64.0.1",
            "0.0.0.0",
            "::1",
            "fe80::1",
            "fd00::1",
            "::ffff:10.0.0.1",
            "2001:db8::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
        for public in ["1.1.1.1", "200.147.3.157", "2606:4700::1111"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }
}
