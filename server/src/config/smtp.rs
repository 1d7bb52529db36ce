//! How mail leaves the house.

use url::Url;

use super::{Problems, Secret, World};

/// `url` empty: mail stays in the database, and the development mailbox shows it.
#[derive(Clone, Debug)]
pub struct Smtp {
    pub url: Option<Secret>,
    /// The sender that recipients see.
    pub from: String,
}

impl Smtp {
    pub(super) fn check(settings: &SmtpSettings, world: World, problems: &mut Problems) -> Self {
        match &settings.smtp_url {
            None if world.is_production() => problems.add("SMTP_URL is missing"),
            Some(url)
                if !Url::parse(url.expose()).is_ok_and(|url| matches!(url.scheme(), "smtp" | "smtps")) =>
            {
                problems.add("SMTP_URL is not a mail server's address (smtp://user:password@host:587?tls=required or smtps://…)");
            }
            _ => {}
        }
        if settings.mail_from.parse::<lettre::message::Mailbox>().is_err() {
            problems.add("ARBORA_MAIL_FROM is not a sender (Name <address@domain>)");
        }
        Self {
            url: settings.smtp_url.clone(),
            from: settings.mail_from.clone(),
        }
    }
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Mail")]
pub struct SmtpSettings {
    /// Mail server; without it mails are kept and shown on the development mailbox page
    #[arg(
        long,
        env = "SMTP_URL",
        hide_env_values = true,
        global = true,
        value_name = "URL"
    )]
    pub smtp_url: Option<Secret>,
    /// Sender of all mail
    #[arg(
        long,
        env = "ARBORA_MAIL_FROM",
        hide_env_values = true,
        global = true,
        default_value = "Arbora <no-reply@arbora.invalid>",
        value_name = "SENDER"
    )]
    pub mail_from: String,
}
