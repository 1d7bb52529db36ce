//! Who receives PIX payments: the platform's own account, as it stands in every BR Code.

use protocol::views::PixKeyKind;
use url::Url;

use super::{
    Problems, Secret,
    places::{Place, is_sealed, refuse_example},
    samples::{self, says_demo},
};
use crate::foundation::{context::PixReceiver, pix_keys::PixKey};

/// What a demo's BR Codes say: nobody is paid by them.
const DEMO_KEY: &str = "demo@arbora.invalid";
const DEMO_NAME: &str = "ARBORA DEMO";
const DEMO_CITY: &str = "SAO PAULO";

impl PixReceiver {
    /// `real`: customers pay by what stands here.
    pub(super) fn check(settings: &PixSettings, real: bool, problems: &mut Problems) -> Self {
        let given = |text: &Option<String>| {
            text.as_deref()
                .map(str::trim)
                .filter(|t| !t.is_empty())
                .map(str::to_owned)
        };
        let (key, name, city) = (
            given(&settings.pix_key),
            given(&settings.pix_name),
            given(&settings.pix_city),
        );
        // As the directory writes it: with a document's dots in it no bank finds the key.
        let read = key.as_deref().and_then(PixKey::guess);
        if real {
            match (&key, &read) {
                (None, _) => problems.add("ARBORA_PIX_KEY is missing: customers would pay to the demo's key"),
                (Some(_), None) => problems.add(
                    "ARBORA_PIX_KEY is no PIX key: put a CPF, CNPJ, phone (+55…), e-mail or random key, with its check digits right",
                ),
                (Some(_), Some(key)) if is_placeholder(key) => {
                    problems.add("ARBORA_PIX_KEY is the key of an example: put the key of your own account");
                }
                _ => {}
            }
            for (variable, value, demo) in [
                ("ARBORA_PIX_NAME", &name, "name of the account's holder"),
                ("ARBORA_PIX_CITY", &city, "city of the account's holder"),
            ] {
                match value {
                    None => problems.add(format!(
                        "{variable} is missing: put the {demo}, as the bank has it"
                    )),
                    Some(text) if says_demo(text) => {
                        problems.add(format!(
                            "{variable} is {text}: put the {demo}, as the bank has it"
                        ));
                    }
                    Some(_) => {}
                }
            }
        }
        let receiver = Self {
            key: read
                .map(|key| key.expose().to_owned())
                .or(key)
                .unwrap_or_else(|| DEMO_KEY.to_owned()),
            name: name.unwrap_or_else(|| DEMO_NAME.to_owned()),
            city: city.unwrap_or_else(|| DEMO_CITY.to_owned()),
            rate_url: settings.rate_url.clone(),
        };
        // The BR Code's fields 26, 59 and 60 hold no more.
        for (variable, value, limit) in [
            ("ARBORA_PIX_KEY", &receiver.key, 77),
            ("ARBORA_PIX_NAME", &receiver.name, 25),
            ("ARBORA_PIX_CITY", &receiver.city, 15),
        ] {
            if value.chars().count() > limit {
                problems.add(format!(
                    "{variable} is longer than the {limit} characters of a BR Code"
                ));
            }
        }
        check_rate(settings.rate_url.as_deref(), real, problems);
        receiver
    }
}

fn is_placeholder(key: &PixKey) -> bool {
    let (name, domain) = key.expose().split_once('@').unwrap_or_default();
    let place = Place::named(domain);
    samples::is_sample(key)
        || key.kind() == PixKeyKind::Email && (place.is_example() || place.is_private() || says_demo(name))
}

fn check_rate(url: Option<&str>, real: bool, problems: &mut Problems) {
    let Some(text) = url else {
        if real {
            problems.add(
                "RATE_URL is missing: nobody could deposit or withdraw by PIX; put an https service that tells BRL per USD",
            );
        }
        return;
    };
    let sealed = |url: Url| matches!(url.scheme(), "http" | "https") && is_sealed(&url, "https");
    if !Url::parse(text).is_ok_and(sealed) {
        problems.add("RATE_URL is not https: a rate that anybody on the way can change is no rate");
    } else if real {
        refuse_example("RATE_URL", Some(&Secret::new(text)), problems);
        let place = Url::parse(text).ok().and_then(|url| Place::of(&url));
        if let Some(place) = place.filter(|place| place.is_private() && !place.is_example()) {
            problems.add(format!(
                "RATE_URL leads to {place}, which nobody outside of your network vouches for and which is never asked: put a public service"
            ));
        }
    }
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "PIX")]
pub struct PixSettings {
    /// The platform's PIX key, which receives deposits
    #[arg(
        long,
        env = "ARBORA_PIX_KEY",
        hide_env_values = true,
        global = true,
        value_name = "KEY"
    )]
    pub pix_key: Option<String>,
    /// Name of the receiver in BR Codes; production has no default
    #[arg(
        long,
        env = "ARBORA_PIX_NAME",
        hide_env_values = true,
        global = true,
        value_name = "NAME"
    )]
    pub pix_name: Option<String>,
    /// City of the receiver in BR Codes; production has no default
    #[arg(
        long,
        env = "ARBORA_PIX_CITY",
        hide_env_values = true,
        global = true,
        value_name = "CITY"
    )]
    pub pix_city: Option<String>,
    /// Public service that tells USD in BRL, asked every minute; without it a demo uses the default rate and production does
    /// not start
    #[arg(long, env = "RATE_URL", global = true, value_name = "HTTPS-URL")]
    pub rate_url: Option<String>,
}
