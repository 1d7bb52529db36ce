//! Where a browser says that its messages are to be sent: to a push service that the operator named, or nowhere. Pure.

use std::net::IpAddr;
use url::{Host, Url};

/// The most bytes of an address.
const MOST: usize = 1_000;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Service {
    Named(String),
    /// All below a name, and not the name itself.
    Below(String),
    /// This machine, for tests.
    Here(IpAddr),
}

/// The services that messages may be handed to.
#[derive(Clone, Debug)]
pub struct Services(Vec<Service>);

impl Services {
    /// Names, and `*.NAME` for all below one. `loopback` lets a demo name this machine by its address.
    #[must_use]
    pub fn new(hosts: &[String], loopback: bool) -> Self {
        let service = |host: &String| match (host.parse::<IpAddr>(), host.strip_prefix("*.")) {
            (Ok(address), _) => (loopback && address.is_loopback()).then_some(Service::Here(address)),
            (Err(_), Some(above)) => Some(Service::Below(above.to_lowercase())),
            (Err(_), None) => Some(Service::Named(host.to_lowercase())),
        };
        Self(hosts.iter().filter_map(service).collect())
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|service| match service {
            Service::Named(named) => named == name,
            Service::Below(above) => name
                .strip_suffix(above.as_str())
                .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
            Service::Here(_) => false,
        })
    }

    /// The one form of an address that messages may be sent to: by TLS at the usual port, of a named service. None for any other.
    #[must_use]
    pub fn address(&self, given: &str) -> Option<Url> {
        if given.len() > MOST {
            return None;
        }
        let url = Url::parse(given).ok()?;
        let bare = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
        if !bare || url.as_str().len() > MOST {
            return None;
        }
        let here = |address: IpAddr| self.0.contains(&Service::Here(address));
        let taken = match url.host()? {
            Host::Domain(name) => url.scheme() == "https" && url.port().is_none() && self.has(name),
            Host::Ipv4(address) => matches!(url.scheme(), "http" | "https") && here(address.into()),
            Host::Ipv6(address) => matches!(url.scheme(), "http" | "https") && here(address.into()),
        };
        taken.then_some(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn services(loopback: bool) -> Services {
        let hosts = ["fcm.googleapis.com", "*.push.apple.com", "127.0.0.1"];
        Services::new(&hosts.map(str::to_owned), loopback)
    }

    #[test]
    fn named_services_are_taken_in_one_form() {
        for (given, form) in [
            (
                "https://fcm.googleapis.com/fcm/send/a:b",
                "https://fcm.googleapis.com/fcm/send/a:b",
            ),
            (
                " https://FCM.googleapis.com:443/fcm/../wp/a ",
                "https://fcm.googleapis.com/wp/a",
            ),
            (
                "https://web.push.apple.com/Q?x=1",
                "https://web.push.apple.com/Q?x=1",
            ),
        ] {
            assert_eq!(services(false).address(given).unwrap().as_str(), form);
        }
    }

    #[test]
    fn all_others_are_refused() {
        let long = format!("https://fcm.googleapis.com/{}", "a".repeat(MOST));
        for given in [
            "",
            "fcm.googleapis.com/a",
            "http://fcm.googleapis.com/a",
            "https://fcm.googleapis.com:8443/a",
            "https://fcm.googleapis.com./a",
            "https://a.fcm.googleapis.com/a",
            "https://fcm.googleapis.com.evil.org/a",
            "https://evil.org/fcm.googleapis.com",
            "https://fcm.googleapis.com@evil.org/a",
            "https://u:p@fcm.googleapis.com/a",
            "https://fcm.googleapis.com/a#b",
            // At a label's edge, and below the name.
            "https://evilpush.apple.com/a",
            "https://push.apple.com/a",
            "https://.push.apple.com/a",
            "https://142.250.1.1/a",
            "https://127.0.0.1/a",
            "http://127.0.0.1:9/a",
            "https://2130706433/a",
            "https://[::1]/a",
            "ftp://fcm.googleapis.com/a",
            "javascript:alert(1)",
            long.as_str(),
        ] {
            assert_eq!(services(false).address(given), None, "{given}");
        }
        assert!(services(true).address("http://127.0.0.1:9/a").is_some());
        assert!(services(true).address("http://127.0.0.2:9/a").is_none());
        assert!(services(true).address("http://localhost:9/a").is_none());
    }
}
