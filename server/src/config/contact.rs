//! Where people reach the house outside of its pages.

use super::Problems;

/// The number of the house's WhatsApp, digits alone, as its links take it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contact {
    pub whatsapp: Option<String>,
}

impl Contact {
    pub(super) fn check(settings: &ContactSettings, problems: &mut Problems) -> Self {
        let given = settings.whatsapp.as_deref().map(str::trim);
        let given = given.filter(|text| !text.is_empty());
        let whatsapp = given.and_then(read);
        if let (Some(text), None) = (given, &whatsapp) {
            problems.add(format!(
                "ARBORA_SUPPORT_WHATSAPP is {text}: put a number with its country, 8 to 15 digits, as +55 11 91234-5678"
            ));
        }
        Self { whatsapp }
    }
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
