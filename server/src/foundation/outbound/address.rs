//! Which addresses are of the public internet.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, SocketAddr};

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
pub(super) struct PublicOnly;

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
