//! How mail leaves the house.

use url::Url;

use crate::foundation::mail::address::is_named;

use super::{
    Problems, Secret, World,
    places::{Place, is_sealed, refuse_example, unclear},
    samples::says_demo,
};

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
            None if world.is_production() => {
                problems.add("SMTP_URL is missing: put your mail server's address (smtps://user:password@host)");
            }
            None => {}
            Some(text) => match Url::parse(text.expose()) {
                Ok(url) if matches!(url.scheme(), "smtp" | "smtps") && Place::of(&url).is_some() => {
                    let unread = Place::of(&url).filter(|place| world.is_production() && !place.is_clear());
                    if let Some(place) = unread {
                        problems.add(unclear("SMTP_URL", &place));
                    } else if world.is_production() && !is_encrypted(&url) {
                        problems.add("SMTP_URL is without TLS: use smtps:// or add ?tls=required (a server on this machine is named 127.0.0.1 or [::1])");
                    }
                }
                _ => problems.add("SMTP_URL is not a mail server's address (smtp://user:password@host:587?tls=required or smtps://…)"),
            },
        }
        match settings.mail_from.parse::<lettre::message::Mailbox>() {
            Err(_) => problems.add("ARBORA_MAIL_FROM is not a sender (Name <address@domain>)"),
            Ok(from) => {
                let place = Place::named(from.email.domain());
                let said = [from.name.as_deref().unwrap_or_default(), from.email.user()];
                if world.is_production() && said.iter().any(|text| says_demo(text)) {
                    problems.add("ARBORA_MAIL_FROM is the sender of a demo: put the name and the mailbox that customers know");
                } else if world.is_production()
                    && (place.is_example() || place.is_private() || !is_named(from.email.domain()))
                {
                    problems.add(format!(
                        "ARBORA_MAIL_FROM sends from {place}, which is no domain of yours: put a sender whose answers reach you (Arbora <no-reply@your-domain>)"
                    ));
                }
            }
        }
        if world.is_production() {
            refuse_example("SMTP_URL", settings.smtp_url.as_ref(), problems);
        }
        Self {
            url: settings.smtp_url.clone(),
            from: settings.mail_from.clone(),
        }
    }
}

/// From the first byte, or before anything that matters. `tls=opportunistic` is given up by whoever stands in between.
fn is_encrypted(url: &Url) -> bool {
    let mut asked = url.query_pairs().filter(|(name, _)| name == "tls");
    is_sealed(url, "smtps")
        || (asked.next().is_some_and(|(_, how)| how == "required") && asked.next().is_none())
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Mail")]
pub struct SmtpSettings {
    /// Mail server, in production with TLS; without it mails are kept and shown on the development mailbox page
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
