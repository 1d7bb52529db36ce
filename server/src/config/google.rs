//! Signing in with Google: whom the program is there, and where to ask.

use url::Url;

use super::{
    Problems, Secret, World,
    places::{Place, is_sealed},
    secrets::GOOGLE_SECRET,
};

/// What a sign-in needs of the provider; none where it is not offered.
#[derive(Clone, Debug)]
pub struct Google {
    pub client_id: String,
    pub client_secret: Secret,
    /// Where its document of addresses and keys is found; the word for it in every token.
    pub issuer: String,
}

impl Google {
    /// Client id and secret are given together or not at all.
    pub(super) fn check(
        settings: &GoogleSettings,
        world: World,
        secret: Option<Secret>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let given = settings.google_client_id.as_deref().map(str::trim);
        let client_id = given.filter(|id| !id.is_empty());
        match Url::parse(&settings.google_issuer) {
            Ok(url) if !is_sealed(&url, "https") => {
                problems.add("GOOGLE_ISSUER is without TLS: use https://");
            }
            Ok(url)
                if world.is_production()
                    && Place::of(&url).is_none_or(|place| {
                        !place.is_clear() || place.is_private() || place.is_example()
                    }) =>
            {
                problems.add("GOOGLE_ISSUER is nowhere on the Internet: leave it out, it is Google then");
            }
            Ok(_) => {}
            Err(_) => problems.add("GOOGLE_ISSUER is not an address (https://accounts.google.com)"),
        }
        match (client_id, secret) {
            (Some(id), Some(client_secret)) => Some(Self {
                client_id: id.to_owned(),
                client_secret,
                issuer: settings.google_issuer.clone(),
            }),
            (None, None) => None,
            _ => {
                problems.add(format!(
                    "GOOGLE_CLIENT_ID and {GOOGLE_SECRET} are given together or not at all"
                ));
                None
            }
        }
    }
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Google")]
pub struct GoogleSettings {
    /// Client id of the OAuth client at Google, with GOOGLE_CLIENT_SECRET; without both nobody signs in with Google
    #[arg(
        long,
        env = "GOOGLE_CLIENT_ID",
        hide_env_values = true,
        global = true,
        value_name = "ID"
    )]
    pub google_client_id: Option<String>,
    /// Another OpenID provider in Google's place, for tests
    #[arg(
        long,
        env = "GOOGLE_ISSUER",
        hide_env_values = true,
        global = true,
        default_value = "https://accounts.google.com",
        value_name = "URL"
    )]
    pub google_issuer: String,
}
