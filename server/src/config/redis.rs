//! The bus between several server processes.

use url::Url;

use super::{
    Problems, Secret, World,
    places::{Place, is_sealed, refuse_example, unclear},
};

/// `url` empty: one process, and the bus stays inside it.
#[derive(Clone, Debug)]
pub struct Redis {
    pub url: Option<Secret>,
}

impl Redis {
    pub(super) fn check(settings: &RedisSettings, world: World, problems: &mut Problems) -> Self {
        let url = settings.redis_url.as_ref().map(|url| Url::parse(url.expose()));
        let problem = match url {
            None => None,
            Some(Ok(url)) if is_socket(&url) => None,
            Some(Ok(url))
                if matches!(url.scheme(), "redis" | "rediss")
                    && world.is_production()
                    && is_disarmed(&url) =>
            {
                Some(
                    "REDIS_URL says more than an address and a database: leave out what follows # and ?, which may put off the look at the server's certificate",
                )
            }
            Some(Ok(url)) if matches!(url.scheme(), "redis" | "rediss") => {
                let in_the_clear = world.is_production() && !is_sealed(&url, "rediss");
                in_the_clear.then_some("REDIS_URL is without TLS: use rediss:// (a server on this machine is named 127.0.0.1 or [::1], or by its socket: redis+unix:///path)")
            }
            Some(_) => {
                Some("REDIS_URL is not a Redis address (redis://host:6379, rediss://… or redis+unix:///path)")
            }
        };
        let place = settings
            .redis_url
            .as_ref()
            .and_then(|url| Url::parse(url.expose()).ok());
        let place = place
            .and_then(|url| Place::of(&url))
            .filter(|place| !place.is_clear());
        match (place, problem) {
            (Some(place), _) if world.is_production() => problems.add(unclear("REDIS_URL", &place)),
            (_, Some(problem)) => problems.add(problem),
            _ => {}
        }
        if world.is_production() {
            refuse_example("REDIS_URL", settings.redis_url.as_ref(), problems);
        }
        Self {
            url: settings.redis_url.clone(),
        }
    }
}

/// The client stops asking for the server's certificate where it finds `#insecure`; what else may be said there is nothing we need.
fn is_disarmed(url: &Url) -> bool {
    url.fragment().is_some() || url.query().is_some()
}

/// A file of this machine.
fn is_socket(url: &Url) -> bool {
    url.scheme() == "redis+unix" && url.host_str().is_none_or(str::is_empty) && url.path().len() > 1
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Bus")]
pub struct RedisSettings {
    /// Redis, when several server processes share one database; without it the bus is inside the process
    #[arg(
        long,
        env = "REDIS_URL",
        hide_env_values = true,
        global = true,
        value_name = "URL"
    )]
    pub redis_url: Option<Secret>,
}
