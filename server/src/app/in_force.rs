//! What `server check` says: that everything is in place, and what is in force. Never a secret, and of addresses that carry keys or
//! passwords only the host.

use std::fmt::Write;

use super::{background, chain};
use crate::config::{Config, Problems, Secret, Signing, parse_database_url};
use url::Url;

/// What only the rooms can read.
///
/// # Errors
/// With everything that is wrong.
pub fn check(config: &Config) -> anyhow::Result<()> {
    let mut problems = Problems::default();
    if let Err(error) = background::feed(&config.feed, &config.venues, config.store.world) {
        problems.add(format!("ARBORA_FEED: {error:#}"));
    }
    if let Err(error) = chain::check_deposits(config) {
        problems.add(format!("{error:#}"));
    }
    Ok(problems.none_in(config.store.world)?)
}

/// The answer, one line for each part.
#[must_use]
pub fn text(config: &Config, signer: bool) -> String {
    let lines = if signer {
        [common(config), signing(config)].concat()
    } else {
        [common(config), serving(config), signing(config)].concat()
    };
    let mut text = format!(
        "everything is in place: {} of the world {}, chain {}\n",
        if signer { "a signer" } else { "a server" },
        config.store.world.as_str(),
        config.store.chain.id
    );
    for (name, what) in lines {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n  {name:12} {what}");
    }
    text
}

type Line = (&'static str, String);

fn common(config: &Config) -> Vec<Line> {
    let chain = &config.store.chain;
    let contracts = &chain.contracts;
    let coins = [
        ("USDT", contracts.usdt),
        ("BUSD", contracts.busd),
        ("PYX", contracts.pyx),
        ("router", contracts.router),
    ];
    let coins: Vec<String> = coins
        .iter()
        .filter_map(|(name, address)| Some(format!("{name} {}", (*address)?)))
        .collect();
    let confirmed = if chain.finalized {
        "what the chain calls finalized counts".to_owned()
    } else {
        format!("{} confirmations", chain.confirmations)
    };
    let providers = match chain.providers() {
        none if none.is_empty() => "a local test chain, or none".to_owned(),
        some => some.join(" and "),
    };
    vec![
        ("address", or_none(config.http.public_url.as_ref().map(text_of))),
        ("database", database(config)),
        ("bus", or_none(config.redis.url.as_ref().and_then(bus))),
        ("chain", format!("{providers}; {confirmed}")),
        (
            "contracts",
            if coins.is_empty() {
                "none".to_owned()
            } else {
                coins.join(", ")
            },
        ),
        (
            "folders",
            format!(
                "data {}, secrets {}, audit {}",
                config.store.files.data.display(),
                config.store.files.secrets.display(),
                config.store.files.audit.display()
            ),
        ),
        ("files", files(config)),
        (
            "secrets",
            if config.secrets.given.is_empty() {
                "none given".to_owned()
            } else {
                config.secrets.given.join(", ")
            },
        ),
        ("log", config.store.log.filter.clone()),
    ]
}

fn serving(config: &Config) -> Vec<Line> {
    let proxies: Vec<String> = config
        .http
        .trusted_proxies
        .iter()
        .map(ToString::to_string)
        .collect();
    let rate = config
        .pix
        .rate_url
        .as_ref()
        .and_then(|url| host(&Secret::new(url.as_str())));
    vec![
        ("listens on", config.http.bind.to_string()),
        (
            "proxies",
            or_none((!proxies.is_empty()).then(|| proxies.join(", "))),
        ),
        (
            "mail",
            format!(
                "{}, as {}",
                or_none(config.smtp.url.as_ref().and_then(host)),
                config.smtp.from
            ),
        ),
        (
            "google",
            or_none(
                config
                    .google
                    .as_ref()
                    .and_then(|google| host(&Secret::new(google.issuer.as_str()))),
            ),
        ),
        (
            "push",
            or_none((!config.push.hosts.is_empty()).then(|| config.push.hosts.join(", "))),
        ),
        ("feed", config.feed.to_string()),
        ("rate", or_none(rate)),
        (
            "PIX",
            format!("{}, {}, {}", config.pix.key, config.pix.name, config.pix.city),
        ),
        (
            "data officer",
            format!(
                "{}, {}",
                config.contact.officer.name, config.contact.officer.email
            ),
        ),
        (
            "live trading",
            if config.secrets.binance.is_some() {
                "its keys are here"
            } else {
                "no keys"
            }
            .to_owned(),
        ),
    ]
}

fn signing(config: &Config) -> Vec<Line> {
    let place = match config.signing {
        Signing::Here { .. } => "in this process, with the keys that are given",
        Signing::Elsewhere { .. } => "elsewhere (server signer)",
    };
    let [hot, gas] = config.signing.addresses();
    let address = |address: Option<alloy::primitives::Address>| or_none(address.map(|a| a.to_string()));
    let caps = &config.hot;
    vec![
        ("signing", place.to_owned()),
        (
            "wallets",
            format!(
                "hot {}, gas {}, cold {}",
                address(hot),
                address(gas),
                address(caps.cold)
            ),
        ),
        (
            "hot caps",
            format!(
                "{} a transaction, {} an hour, {} a day; it holds {} USDT",
                caps.per_transaction, caps.per_hour, caps.per_day, caps.maximum
            ),
        ),
    ]
}

fn database(config: &Config) -> String {
    match config.store.database.url.as_ref().and_then(parse_database_url) {
        None => "private, in the data folder".to_owned(),
        Some(options) => format!(
            "{} at {}, as {}",
            options.get_database().unwrap_or("the role's own"),
            options.get_host(),
            options.get_username()
        ),
    }
}

fn files(config: &Config) -> String {
    match &config.bucket {
        None => "in the data folder".to_owned(),
        Some(bucket) => {
            let place = bucket.endpoint.as_ref().map_or_else(
                || format!("Amazon, {}", bucket.region),
                |url| host(&Secret::new(url.as_str())).unwrap_or_default(),
            );
            format!("in the bucket {} at {place}", bucket.name)
        }
    }
}

fn text_of(url: &Url) -> String {
    url.as_str().trim_end_matches('/').to_owned()
}

fn host(url: &Secret) -> Option<String> {
    Url::parse(url.expose()).ok()?.host_str().map(str::to_owned)
}

/// Its host, or its socket's path.
fn bus(url: &Secret) -> Option<String> {
    let url = Url::parse(url.expose()).ok()?;
    let host = url.host_str().filter(|host| !host.is_empty());
    Some(host.unwrap_or_else(|| url.path()).to_owned())
}

fn or_none(text: Option<String>) -> String {
    text.unwrap_or_else(|| "none".to_owned())
}
