//! Where the server listens, and how the outside world calls it.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    str::FromStr,
};

use url::Url;

use super::{Problems, World, places::Place};

#[derive(Clone, Debug)]
pub struct Http {
    pub bind: SocketAddr,
    /// Base of every link and the only accepted origin; set by [`Http::bound_to`] when the operator gave none.
    pub public_url: Option<Url>,
    /// Further origins, for a development server in front of this one. Empty in production.
    pub allowed_origins: Vec<String>,
    /// Only these may say who the client is (X-Forwarded-For, X-Forwarded-Proto).
    pub trusted_proxies: Vec<AddressRange>,
    /// Those on other machines who may read the figures of `/metrics`.
    pub metrics_from: Vec<AddressRange>,
    /// Rate limits are out of the way, for load tests. Never in production.
    pub lift_limits: bool,
}

impl Http {
    pub(super) fn check(
        settings: &HttpSettings,
        world: World,
        signer: bool,
        problems: &mut Problems,
    ) -> Self {
        let public_url = settings
            .public_url
            .as_deref()
            .and_then(|text| match Url::parse(text) {
                Ok(url)
                    if matches!(url.scheme(), "http" | "https")
                        && url.has_host()
                        && url.path() == "/"
                        && url.query().is_none()
                        && url.fragment().is_none()
                        && url.username().is_empty()
                        && url.password().is_none() =>
                {
                    Some(url)
                }
                _ => {
                    problems.add("PUBLIC_URL is not an address without a path (https://example.org)");
                    None
                }
            });
        match world {
            World::Demo if !settings.bind.ip().is_loopback() && !settings.expose_demo => problems.add(format!(
                "a demo listens on this machine only, not on {}: its accounts and passwords are printed; say --expose-demo if that is what you want",
                settings.bind
            )),
            World::Production => {
                match &public_url {
                    None if settings.public_url.is_none() => {
                        problems.add("PUBLIC_URL is missing: put the address that browsers open (https://your-domain)");
                    }
                    None => {}
                    Some(url) => check_public(url, problems),
                }
                if !signer {
                    check_proxies(&settings.trusted_proxies, problems);
                }
                check_width(
                    "ARBORA_METRICS_FROM",
                    "reads the figures of the house; put the network of who asks for them",
                    &settings.metrics_from,
                    problems,
                );
                if settings.lift_limits {
                    problems.add("ARBORA_LIFT_LIMITS is for load tests");
                }
                if settings.expose_demo {
                    problems.add("--expose-demo is for demos");
                }
                if !settings.allow_origin.is_empty() {
                    problems.add("ARBORA_ALLOW_ORIGIN is for development");
                }
            }
            World::Demo => {}
        }
        Self {
            bind: settings.bind,
            public_url,
            allowed_origins: settings.allow_origin.clone(),
            trusted_proxies: settings.trusted_proxies.clone(),
            metrics_from: settings.metrics_from.clone(),
            lift_limits: settings.lift_limits,
        }
    }

    /// Fills in the address that the system gave, for a demo without `PUBLIC_URL`. Returns the address to show.
    pub fn bound_to(&mut self, address: SocketAddr) -> Option<Url> {
        if self.public_url.is_none() {
            let host = match address.ip() {
                ip if ip.is_loopback() || ip.is_unspecified() => "localhost".to_owned(),
                IpAddr::V6(ip) => format!("[{ip}]"),
                IpAddr::V4(ip) => ip.to_string(),
            };
            // "localhost" and the number are the same place to a person, but two origins to a browser.
            if address.ip().is_loopback() {
                let port = address.port();
                self.allowed_origins
                    .extend([format!("http://127.0.0.1:{port}"), format!("http://[::1]:{port}")]);
            }
            self.public_url = Url::parse(&format!("http://{host}:{}", address.port())).ok();
        }
        self.public_url.clone()
    }

    /// The address for links of a command that does not listen.
    pub fn address(&self) -> Option<Url> {
        self.clone().bound_to(self.bind)
    }

    /// Every `Origin` that belongs to our own pages.
    pub fn origins(&self) -> Vec<String> {
        let own = self
            .public_url
            .iter()
            .map(|url| url.origin().ascii_serialization());
        own.chain(self.allowed_origins.iter().cloned()).collect()
    }
}

/// Customers open it, and links in mails lead to it: what only this machine or this network can reach is nobody's address. There is
/// no exception for loopback (2026-11-23): nothing is asked there, it is only said to others.
fn check_public(url: &Url, problems: &mut Problems) {
    if url.scheme() != "https" {
        problems
            .add("PUBLIC_URL is not an https address: put the one that browsers open (https://your-domain)");
    }
    if let Some(place) = Place::of(url).filter(|place| place.is_private() || place.is_example()) {
        problems.add(format!(
            "PUBLIC_URL is {place}, which no customer reaches: put the address that browsers open (https://your-domain)"
        ));
    }
}

/// TLS ends before this server, so something stands before it that knows who the customers are.
fn check_proxies(proxies: &[AddressRange], problems: &mut Problems) {
    if proxies.is_empty() {
        problems.add(
            "ARBORA_TRUSTED_PROXIES is missing: all customers would share the proxy's address and its limits; put the proxy's address or network",
        );
    }
    check_width(
        "ARBORA_TRUSTED_PROXIES",
        "may say who they are; put the proxy's own network",
        proxies,
        problems,
    );
}

/// One range for itself, and all of them together: what is cut into pieces is as wide as before.
fn check_width(name: &str, what: &str, ranges: &[AddressRange], problems: &mut Problems) {
    let narrower = format!("/{WIDEST_V4} or narrower (IPv6: /{WIDEST_V6})");
    let before = problems.count();
    for range in ranges.iter().filter(|range| range.is_too_wide()) {
        problems.add(format!(
            "{name} holds {range}: whoever is in it {what}, {narrower}"
        ));
    }
    if problems.count() == before && adds_up_to_too_much(ranges) {
        problems.add(format!(
            "{name} adds up to more than two networks of the widest kind: whoever is in them {what}, {narrower}"
        ));
    }
}

/// Ranges within others do not count.
fn adds_up_to_too_much(ranges: &[AddressRange]) -> bool {
    let counts = |at: usize, range: &AddressRange| {
        let inside = |(other_at, other): (usize, &AddressRange)| {
            other.holds(range) && (other.prefix < range.prefix || other_at < at)
        };
        !ranges.iter().enumerate().any(inside)
    };
    let sum = |v4: bool| {
        let counted = ranges.iter().enumerate();
        let counted = counted.filter(|(at, range)| range.is_v4() == v4 && counts(*at, range));
        counted
            .map(|(_, range)| range.size())
            .fold(0_u128, u128::saturating_add)
    };
    sum(true) > 2 << (32 - WIDEST_V4) || sum(false) > 2 << (128 - WIDEST_V6)
}

/// The widest networks that may be one operator's own.
const WIDEST_V4: u32 = 8;
const WIDEST_V6: u32 = 28;
/// Bits before an IPv4 address in its mapped form.
const MAPPED: u32 = 96;

/// `10.0.0.0/8`, `::1`, …
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRange {
    base: u128,
    /// Of 128; an IPv4 range lies in the mapped block.
    prefix: u32,
}

impl AddressRange {
    pub fn contains(&self, address: IpAddr) -> bool {
        let distance = bits(address) ^ self.base;
        // A shift by 128 has no value: the empty prefix contains everything.
        128_u32
            .checked_sub(self.prefix)
            .and_then(|rest| distance.checked_shr(rest))
            .unwrap_or(0)
            == 0
    }

    /// How many addresses it has.
    fn size(&self) -> u128 {
        128_u32
            .checked_sub(self.prefix)
            .and_then(|rest| 1_u128.checked_shl(rest))
            .unwrap_or(u128::MAX)
    }

    fn holds(&self, other: &Self) -> bool {
        self.prefix <= other.prefix && self.contains(IpAddr::V6(Ipv6Addr::from_bits(other.base)))
    }

    /// Of IPv4 addresses only.
    fn is_v4(self) -> bool {
        self.prefix >= MAPPED && Ipv6Addr::from_bits(self.base).to_ipv4_mapped().is_some()
    }

    fn is_too_wide(self) -> bool {
        if self.is_v4() {
            self.prefix < MAPPED + WIDEST_V4
        } else {
            // One that holds the mapped block holds all of IPv4.
            self.prefix < WIDEST_V6 || self.contains(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
        }
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = Ipv6Addr::from_bits(self.base);
        match base.to_ipv4_mapped().filter(|_| self.is_v4()) {
            Some(v4) => write!(f, "{v4}/{}", self.prefix - MAPPED),
            None => write!(f, "{base}/{}", self.prefix),
        }
    }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => v4.to_ipv6_mapped(),
        IpAddr::V6(v6) => v6,
    }
    .to_bits()
}

impl FromStr for AddressRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("{text} is not an address or a range (10.0.0.0/8)");
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix.parse::<u32>().map_err(|_| wrong())?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let width = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.unwrap_or(width);
        if prefix > width {
            return Err(wrong());
        }
        Ok(Self {
            base: bits(address),
            prefix: prefix + (128 - width),
        })
    }
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "HTTP")]
pub struct HttpSettings {
    /// Address and port to listen on
    #[arg(long, env = "ARBORA_BIND", hide_env_values = true, global = true, value_name = "ADDRESS",
          default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)))]
    pub bind: SocketAddr,
    /// How browsers reach the server (https://example.org): base of all links, and the accepted origin
    #[arg(
        long,
        env = "PUBLIC_URL",
        hide_env_values = true,
        global = true,
        value_name = "URL"
    )]
    pub public_url: Option<String>,
    /// Lets a demo, whose passwords are printed, listen on an address that others can reach
    #[arg(long, env = "ARBORA_EXPOSE_DEMO", hide_env_values = true, global = true)]
    pub expose_demo: bool,
    /// Proxies that may say who the client is, divided by commas; production needs its own
    #[arg(
        long,
        env = "ARBORA_TRUSTED_PROXIES",
        hide_env_values = true,
        global = true,
        value_delimiter = ',',
        value_name = "RANGE"
    )]
    pub trusted_proxies: Vec<AddressRange>,
    /// Networks that may read /metrics beside this machine, divided by commas
    #[arg(
        long,
        env = "ARBORA_METRICS_FROM",
        hide_env_values = true,
        global = true,
        value_delimiter = ',',
        value_name = "RANGE"
    )]
    pub metrics_from: Vec<AddressRange>,
    /// Lifts the rate limits of a demo, for load tests
    #[arg(long, env = "ARBORA_LIFT_LIMITS", hide_env_values = true, global = true)]
    pub lift_limits: bool,
    /// Further origins of a development server, divided by commas
    #[arg(
        long,
        env = "ARBORA_ALLOW_ORIGIN",
        hide_env_values = true,
        global = true,
        value_delimiter = ',',
        value_name = "ORIGIN"
    )]
    pub allow_origin: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_range_is_wider_than_one_operators_network() {
        for (range, wide, shown) in [
            ("0.0.0.0/0", true, "0.0.0.0/0"),
            ("10.0.0.0/7", true, "10.0.0.0/7"),
            ("10.0.0.0/8", false, "10.0.0.0/8"),
            ("172.30.0.7", false, "172.30.0.7/32"),
            ("::/0", true, "::/0"),
            ("::/40", true, "::/40"),
            ("::ffff:0:0/96", true, "0.0.0.0/0"),
            ("fd00::/27", true, "fd00::/27"),
            ("fd00::/28", false, "fd00::/28"),
            ("::1", false, "::1/128"),
        ] {
            let parsed: AddressRange = range.parse().unwrap();
            assert_eq!(parsed.is_too_wide(), wide, "{range}");
            assert_eq!(parsed.to_string(), shown);
        }
    }

    #[test]
    fn ranges_that_are_cut_into_pieces_are_as_wide_as_before() {
        let wide = |ranges: &[&str]| {
            let ranges: Vec<AddressRange> = ranges.iter().map(|r| r.parse().unwrap()).collect();
            adds_up_to_too_much(&ranges)
        };
        let all: Vec<String> = (0..=255).map(|first| format!("{first}.0.0.0/8")).collect();
        assert!(wide(&all.iter().map(String::as_str).collect::<Vec<_>>()));
        let halves: Vec<String> = (0..16).map(|n| format!("{n:x}000::/28")).collect();
        assert!(wide(&halves.iter().map(String::as_str).collect::<Vec<_>>()));
        assert!(wide(&["10.0.0.0/8", "11.0.0.0/8", "12.0.0.1"]));
        assert!(wide(&[
            "10.0.0.0/8",
            "10.0.0.1/8",
            "11.0.0.0/8",
            "11.0.0.1/8",
            "12.0.0.1"
        ]));
        assert!(!wide(&["10.0.0.0/8", "11.0.0.0/8"]));
        // What lies in another, or is said twice, adds nothing.
        assert!(!wide(&[
            "10.0.0.0/8",
            "10.1.0.0/16",
            "10.0.0.0/8",
            "10.9.9.9/8",
            "11.0.0.0/8"
        ]));
        assert!(!wide(&[
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "fd00::/28",
            "::1"
        ]));
        assert!(!wide(&[]));
    }

    #[test]
    fn ranges_contain_what_they_say() {
        for (range, inside, outside) in [
            ("10.0.0.0/8", "10.255.1.2", "11.0.0.1"),
            ("127.0.0.1", "127.0.0.1", "127.0.0.2"),
            ("0.0.0.0/0", "203.0.113.9", "2001:db8::1"),
            ("2001:db8::/32", "2001:db8:1::1", "2001:db9::1"),
            ("::/0", "2001:db8:1::1", ""),
        ] {
            let parsed: AddressRange = range.parse().unwrap();
            assert!(parsed.contains(inside.parse().unwrap()), "{range} {inside}");
            if !outside.is_empty() {
                assert!(!parsed.contains(outside.parse().unwrap()), "{range} {outside}");
            }
        }
        let mapped: IpAddr = "::ffff:10.1.2.3".parse().unwrap();
        assert!("10.0.0.0/8".parse::<AddressRange>().unwrap().contains(mapped));
        for wrong in ["10.0.0.0/33", "x", "::/129", "10.0.0.0/", ""] {
            assert!(wrong.parse::<AddressRange>().is_err(), "{wrong}");
        }
    }
}
