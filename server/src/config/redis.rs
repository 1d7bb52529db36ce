//! The bus between several server processes.

use url::Url;

use super::{Problems, Secret, World, places::refuse_example};

/// `url` empty: one process, and the bus stays inside it.
#[derive(Clone, Debug)]
pub struct Redis {
    pub url: Option<Secret>,
}

impl Redis {
    pub(super) fn check(settings: &RedisSettings, world: World, problems: &mut Problems) -> Self {
        let fits = |url: &Secret| {
            Url::parse(url.expose()).is_ok_and(|url| matches!(url.scheme(), "redis" | "rediss"))
        };
        if settings.redis_url.as_ref().is_some_and(|url| !fits(url)) {
            problems.add("REDIS_URL is not a Redis address (redis://host:6379 or rediss://…)");
        }
        if world.is_production() {
            refuse_example("REDIS_URL", settings.redis_url.as_ref(), problems);
        }
        Self {
            url: settings.redis_url.clone(),
        }
    }
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
