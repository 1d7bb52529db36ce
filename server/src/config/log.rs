//! What the server says about its work, on the error output.

use super::{Problems, World};

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line, for collectors.
    Json,
}

#[derive(Clone, Debug)]
pub struct Log {
    pub filter: String,
    pub format: LogFormat,
}

impl Log {
    /// At the finest levels libraries write what passes through them, requests with their headers among it.
    pub(super) fn check(settings: &LogSettings, world: World, problems: &mut Problems) -> Self {
        let all = settings.log.split(',').map(str::trim);
        let mut fine =
            all.filter(|part| ["debug", "trace", "4", "5"].contains(&part.to_lowercase().as_str()));
        if world.is_production()
            && let Some(level) = fine.next()
        {
            problems.add(format!(
                "ARBORA_LOG is {level} for everything, which writes down what people send: put info, and a finer level for single modules (info,server::ledger=debug)"
            ));
        }
        Self {
            filter: settings.log.clone(),
            format: settings.log_format,
        }
    }
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Log")]
pub struct LogSettings {
    /// What is logged: a level, or levels per module (`info,server::ledger=debug`)
    #[arg(long, env = "ARBORA_LOG", hide_env_values = true, global = true, default_value = "info,actix_server=warn,sqlx=warn", value_name = "FILTER",
          value_parser = filter)]
    pub log: String,
    #[arg(
        long,
        env = "ARBORA_LOG_FORMAT",
        hide_env_values = true,
        global = true,
        value_enum,
        default_value = "text",
        help = "Lines for people, or JSON for collectors"
    )]
    pub log_format: LogFormat,
}

fn filter(text: &str) -> Result<String, String> {
    tracing_subscriber::EnvFilter::try_new(text)
        .map(|_| text.to_owned())
        .map_err(|error| error.to_string())
}
