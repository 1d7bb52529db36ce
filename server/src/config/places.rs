//! What the host in an address says: this machine, an example, a network of somebody's own, one provider or two.
//!
//! One rule for every address that production is given (2026-11-23): encrypted, except to this very machine, which is then named by
//! its address (127.0.0.0/8 or ::1). `localhost` is a name, and a name leads wherever the resolver says. What a resolver may take for
//! an address though it is not written as one (2026-11-27: `134744072`, `0x08080808`, `010.0.0.1`) is no place.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr},
};

use url::{Host, Url};

use super::{Problems, Secret};
use crate::foundation::outbound::is_public;

/// Reserved for documents and tests (RFC 2606, RFC 6761): nobody answers there.
const RESERVED: [&str; 3] = ["invalid", "example", "test"];
/// What only a network's own resolver knows.
const PRIVATE: [&str; 5] = ["localhost", "local", "internal", "lan", "home.arpa"];

/// A host, one spelling each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Address(IpAddr),
    /// Without the point of the root, which `rooted` tells of: no resolver looks for such a name in a network of its own.
    Name {
        name: String,
        rooted: bool,
    },
    /// Neither: one program reads another place in it than the next.
    Unclear(String),
}

impl Place {
    pub fn of(url: &Url) -> Option<Self> {
        url.host_str().filter(|host| !host.is_empty()).map(Self::named)
    }

    /// The parser of addresses leaves hosts of schemes that it does not know as they are.
    pub fn named(host: &str) -> Self {
        let bare = host
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .unwrap_or(host)
            .to_lowercase();
        if let Ok(address) = bare.parse::<IpAddr>() {
            return Self::Address(address.to_canonical());
        }
        let name = bare.strip_suffix('.').unwrap_or(&bare);
        // Whatever ends in a number is one to resolvers, in hexadecimal and octal too.
        match Host::parse(name) {
            Ok(Host::Domain(_)) => Self::Name {
                name: name.to_owned(),
                rooted: name != bare,
            },
            _ => Self::Unclear(bare),
        }
    }

    fn name(&self) -> Option<&str> {
        match self {
            Self::Name { name, .. } => Some(name),
            Self::Address(_) | Self::Unclear(_) => None,
        }
    }

    /// Whether it can be told where it leads.
    pub fn is_clear(&self) -> bool {
        !matches!(self, Self::Unclear(_))
    }

    /// This very machine.
    pub fn is_here(&self) -> bool {
        matches!(self, Self::Address(address) if address.is_loopback())
    }

    /// Out of a document, not out of an operator's hand: `mail.example`, `example.com`, `arbora.invalid`.
    pub fn is_example(&self) -> bool {
        self.ends_in(&RESERVED)
            || self.name().is_some_and(|name| {
                let owner = psl::domain_str(name).unwrap_or(name);
                owner.split('.').next() == Some("example")
            })
    }

    /// Where nobody from outside comes to.
    pub fn is_private(&self) -> bool {
        match self {
            Self::Address(address) => !is_public(*address),
            Self::Name { name, .. } => !name.contains('.') || self.ends_in(&PRIVATE),
            Self::Unclear(_) => true,
        }
    }

    /// A venue's playground, with prices and orders that are none.
    pub fn is_test_net(&self) -> bool {
        self.name().is_some_and(|name| name.contains("testnet"))
    }

    /// A name that only the resolver of a few machines of one network knows, as containers have it.
    pub fn is_bare(&self) -> bool {
        let plain = |name: &str| {
            name.bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        };
        matches!(self, Self::Name { name, rooted: false } if name != "localhost" && plain(name))
    }

    /// Whom it belongs to: what somebody registered, below which every name is theirs. This machine has many addresses and is one.
    pub fn owner(&self) -> String {
        match self {
            _ if self.is_here() || self.ends_in(&["localhost"]) => Ipv4Addr::LOCALHOST.to_string(),
            Self::Address(address) => address.to_string(),
            Self::Name { name, .. } => psl::domain_str(name).unwrap_or(name).to_owned(),
            Self::Unclear(host) => host.clone(),
        }
    }

    fn ends_in(&self, endings: &[&str]) -> bool {
        let Some(name) = self.name() else { return false };
        endings.iter().any(|ending| {
            name.strip_suffix(ending)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => address.fmt(f),
            Self::Name { name, .. } => f.write_str(name),
            Self::Unclear(host) => f.write_str(host),
        }
    }
}

/// Whether nobody on the way can read or change what is said.
pub(super) fn is_sealed(url: &Url, scheme: &str) -> bool {
    url.scheme() == scheme || Place::of(url).is_some_and(|place| place.is_here())
}

/// What is wrong with a host that is neither a name nor an address.
pub(super) fn unclear(variable: &str, place: &Place) -> String {
    format!(
        "{variable} names {place}, in which one program reads another address than the next: put the address as it is commonly written, or a name"
    )
}

/// What still stands as the documents have it.
pub(super) fn refuse_example(name: &str, url: Option<&Secret>, problems: &mut Problems) {
    let place = url
        .and_then(|url| Url::parse(url.expose()).ok())
        .and_then(|url| Place::of(&url));
    if let Some(place) = place.filter(Place::is_example) {
        problems.add(format!(
            "{name} leads to {place}, the address of an example: put your own"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_told_apart() {
        for (host, here, example, private, owner) in [
            ("127.0.0.1", true, false, true, "127.0.0.1"),
            ("127.8.9.1", true, false, true, "127.0.0.1"),
            ("[::1]", true, false, true, "127.0.0.1"),
            ("[::ffff:127.0.0.1]", true, false, true, "127.0.0.1"),
            ("localhost", false, false, true, "127.0.0.1"),
            ("node.localhost", false, false, true, "127.0.0.1"),
            ("127.0.0.1.nip.io", false, false, false, "nip.io"),
            ("10.1.2.3", false, false, true, "10.1.2.3"),
            ("1.1.1.1", false, false, false, "1.1.1.1"),
            ("postgres", false, false, true, "postgres"),
            ("node.internal", false, false, true, "node.internal"),
            ("mail.example", false, true, false, "mail.example"),
            ("a.arbora.invalid", false, true, false, "arbora.invalid"),
            ("Example.COM.", false, true, false, "example.com"),
            ("www.example.com.br", false, true, false, "example.com.br"),
            ("example.arbora.com.br", false, false, false, "arbora.com.br"),
            ("myexample.com", false, false, false, "myexample.com"),
            ("A.Provider.Pro", false, false, false, "provider.pro"),
            ("b.provider.co.uk", false, false, false, "provider.co.uk"),
        ] {
            let place = Place::named(host);
            assert_eq!(place.is_here(), here, "{host}");
            assert_eq!(place.is_example(), example, "{host}");
            assert_eq!(place.is_private(), private, "{host}");
            assert_eq!(place.owner(), owner, "{host}");
        }
    }

    #[test]
    fn what_a_resolver_takes_for_a_number_is_no_place() {
        for host in [
            "134744072",
            "0x08080808",
            "010.0.0.1",
            "010.8.8.8",
            "127.1",
            "127.0.0.1.",
            "0177.0.0.1",
            "8.8.8.0x8",
            "1.2.3.4.5",
            "256.1.1.1",
            "db.5",
            "0x",
            "[fe80::1%eth0]",
            "[127.0.0.1",
            "１２７.0.0.1",
            "a b",
            "",
        ] {
            let place = Place::named(host);
            assert!(
                !place.is_clear() && !place.is_here() && !place.is_bare(),
                "{host}: {place:?}"
            );
        }
        for (host, bare) in [
            ("db", true),
            ("DB_1", true),
            ("7db", true),
            ("db-1", true),
            ("db.", false),
            ("localhost", false),
            ("db,db2", false),
            ("db.casa", false),
            ("dß", false),
        ] {
            let place = Place::named(host);
            assert!(place.is_clear(), "{host}");
            assert_eq!(place.is_bare(), bare, "{host}");
        }
    }

    #[test]
    fn only_this_machine_is_spoken_to_in_the_clear() {
        for (url, scheme, sealed) in [
            ("https://rate.br", "https", true),
            ("http://127.0.0.1:9", "https", true),
            ("http://[::1]:9", "https", true),
            ("http://127.0.0.1.rate.br", "https", false),
            ("http://localhost:9", "https", false),
            ("smtp://127.0.0.1:25", "smtps", true),
            ("smtp://localhost:25", "smtps", false),
            ("smtp://127.1:25", "smtps", false),
        ] {
            assert_eq!(is_sealed(&url.parse().unwrap(), scheme), sealed, "{url}");
        }
    }
}
