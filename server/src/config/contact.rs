//! Where people reach the house outside of its pages.

use super::{Problems, places::Place, samples::says_demo};
use crate::foundation::{context::DataOfficer, mail::address, text};

/// Whom a demo names: nobody reads there.
const DEMO_OFFICER: &str = "Arbora Demo";
const DEMO_OFFICER_EMAIL: &str = "privacy@arbora.invalid";
/// As long as a person's own name may be.
const LONGEST_NAME: usize = 120;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    /// The number of the house's WhatsApp, digits alone, as its links take it.
    pub whatsapp: Option<String>,
    pub officer: DataOfficer,
}

impl Contact {
    /// `real`: there are customers, whom the law gives somebody to write to.
    pub(super) fn check(settings: &ContactSettings, real: bool, problems: &mut Problems) -> Self {
        let given = given(settings.whatsapp.as_deref());
        let whatsapp = given.and_then(read);
        if let (Some(text), None) = (given, &whatsapp) {
            problems.add(format!(
                "ARBORA_SUPPORT_WHATSAPP is {text}: put a number with its country, 8 to 15 digits, as +55 11 91234-5678"
            ));
        }
        Self {
            whatsapp,
            officer: DataOfficer::check(settings, real, problems),
        }
    }
}

fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

impl DataOfficer {
    fn check(settings: &ContactSettings, real: bool, problems: &mut Problems) -> Self {
        Self {
            name: name(given(settings.data_officer_name.as_deref()), real, problems),
            email: email(given(settings.data_officer_email.as_deref()), real, problems),
        }
    }
}

fn name(given: Option<&str>, real: bool, problems: &mut Problems) -> String {
    const WANTED: &str = "put the name of who answers for people's data";
    let Some(text) = given else {
        if real {
            problems.add(format!("ARBORA_DATA_OFFICER_NAME is missing: {WANTED}"));
        }
        return DEMO_OFFICER.to_owned();
    };
    let name = text::line(text).filter(|name| (1..=LONGEST_NAME).contains(&name.chars().count()));
    match &name {
        None => problems.add(format!(
            "ARBORA_DATA_OFFICER_NAME is not one line of at most {LONGEST_NAME} characters: {WANTED}"
        )),
        Some(name) if real && says_demo(name) => {
            problems.add(format!("ARBORA_DATA_OFFICER_NAME is {name}: {WANTED}"));
        }
        Some(_) => {}
    }
    name.unwrap_or_default()
}

fn email(given: Option<&str>, real: bool, problems: &mut Problems) -> String {
    let Some(text) = given else {
        if real {
            problems.add(
                "ARBORA_DATA_OFFICER_EMAIL is missing: people have nowhere to write about what is kept of them",
            );
        }
        return DEMO_OFFICER_EMAIL.to_owned();
    };
    let Some(email) = address::read(text) else {
        problems.add(format!(
            "ARBORA_DATA_OFFICER_EMAIL is {text}: put a mail address, alone (privacy@your-domain)"
        ));
        return String::new();
    };
    let (local, domain) = email.rsplit_once('@').unwrap_or_default();
    let place = Place::named(domain);
    if real && (place.is_example() || place.is_private() || says_demo(local)) {
        problems.add(format!(
            "ARBORA_DATA_OFFICER_EMAIL is {email}, the mailbox of an example: put one that somebody reads"
        ));
    }
    email
}

/// The digits of a number as people write it; none for what is no number of E.164.
fn read(text: &str) -> Option<String> {
    let spaces = |c: char| matches!(c, ' ' | '-' | '.' | '(' | ')');
    let digits: String = text
        .strip_prefix('+')
        .unwrap_or(text)
        .chars()
        .filter(|c| !spaces(*c))
        .collect();
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    (plain && (8..=15).contains(&digits.len())).then_some(digits)
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Contact")]
pub struct ContactSettings {
    /// Number of the support's WhatsApp, with its country; without it the page leads to the tickets
    #[arg(
        long = "support-whatsapp",
        env = "ARBORA_SUPPORT_WHATSAPP",
        global = true,
        value_name = "NUMBER"
    )]
    pub whatsapp: Option<String>,
    /// Name of the data officer (LGPD: encarregado), whom people write to about what is kept of them; production has no default
    #[arg(long, env = "ARBORA_DATA_OFFICER_NAME", global = true, value_name = "NAME")]
    pub data_officer_name: Option<String>,
    /// The data officer's mail address; production has no default
    #[arg(
        long,
        env = "ARBORA_DATA_OFFICER_EMAIL",
        global = true,
        value_name = "ADDRESS"
    )]
    pub data_officer_email: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for text in ["+55 11 91234-5678", "5511912345678", "+55 (11) 91234.5678"] {
            assert_eq!(read(text).as_deref(), Some("5511912345678"), "{text}");
        }
        for text in [
            "",
            "0800 123 456",
            "123",
            "wa.me/5511912345678",
            "+55 11 9123x5678",
            "1234567890123456",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
