//! Who receives PIX payments: the platform's own account, as it stands in every BR Code.

use super::{Problems, World};
use crate::foundation::context::PixReceiver;

impl PixReceiver {
    pub(super) fn check(settings: &PixSettings, world: World, problems: &mut Problems) -> Self {
        if world.is_production() && settings.pix_key.is_none() {
            problems.add("ARBORA_PIX_KEY is missing: customers would pay to the demo's key");
        }
        // The BR Code's fields 26, 59 and 60 hold no more.
        for (name, value, limit) in [
            (
                "ARBORA_PIX_KEY",
                settings.pix_key.as_deref().unwrap_or_default(),
                77,
            ),
            ("ARBORA_PIX_NAME", settings.pix_name.as_str(), 25),
            ("ARBORA_PIX_CITY", settings.pix_city.as_str(), 15),
        ] {
            if value.chars().count() > limit {
                problems.add(format!(
                    "{name} is longer than the {limit} characters of a BR Code"
                ));
            }
        }
        let loopback = |url: &str| {
            ["http://127.0.0.1", "http://[::1]"]
                .iter()
                .any(|here| url.starts_with(here))
        };
        if let Some(url) = &settings.rate_url
            && !url.starts_with("https://")
            && (world.is_production() || !loopback(url))
        {
            problems.add("RATE_URL is not https: a rate that anybody on the way can change is no rate");
        }
        Self {
            key: settings
                .pix_key
                .clone()
                .unwrap_or_else(|| "demo@arbora.invalid".to_owned()),
            name: settings.pix_name.clone(),
            city: settings.pix_city.clone(),
            rate_url: settings.rate_url.clone(),
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
    /// Name of the receiver in BR Codes
    #[arg(
        long,
        env = "ARBORA_PIX_NAME",
        hide_env_values = true,
        global = true,
        default_value = "ARBORA DEMO",
        value_name = "NAME"
    )]
    pub pix_name: String,
    /// City of the receiver in BR Codes
    #[arg(
        long,
        env = "ARBORA_PIX_CITY",
        hide_env_values = true,
        global = true,
        default_value = "SAO PAULO",
        value_name = "CITY"
    )]
    pub pix_city: String,
    /// Public service that tells USD in BRL, asked every minute; without it a demo uses the default rate and production
    /// takes no PIX deposits
    #[arg(long, env = "RATE_URL", global = true, value_name = "HTTPS-URL")]
    pub rate_url: Option<String>,
}
