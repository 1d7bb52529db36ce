//! Lines of a letter: what was said in a ticket, named values, instants.

use crate::foundation::locale::Locale;
use time::OffsetDateTime;

/// A message of a ticket, as a transcript has it.
#[derive(Clone)]
pub struct Said {
    pub at: OffsetDateTime,
    pub author: String,
    /// None: it was deleted.
    pub text: Option<String>,
    /// The attachment's name.
    pub attachment: Option<String>,
}

impl Said {
    pub(super) fn shown(&self, locale: Locale, zone: Option<&str>) -> String {
        let mut lines = vec![format!("{} · {}", shown(self.at, zone), self.author)];
        let gone = || locale.text("mail", "transcript.deleted").to_owned();
        lines.push(self.text.clone().unwrap_or_else(gone));
        facts(
            &mut lines,
            locale,
            &[("transcript.attachment", self.attachment.clone())],
        );
        lines.join("\n")
    }
}

/// Named values, one a line; those that are none are left out.
pub(super) fn facts(lines: &mut Vec<String>, locale: Locale, facts: &[(&str, Option<String>)]) {
    for (name, value) in facts {
        if let Some(value) = value {
            lines.push(format!("{}: {value}", locale.text("mail", name)));
        }
    }
}

/// An instant as its reader's clock says it: 20/11/2026 14:32 (Brasília), 20/11/2026 17:32 (Europe/Lisbon).
pub(super) fn shown(at: OffsetDateTime, zone: Option<&str>) -> String {
    let business = crate::foundation::business_day::ZONE;
    let in_zone = |zone: &str| {
        let zoned = jiff::Timestamp::from_second(at.unix_timestamp())
            .ok()?
            .in_tz(zone)
            .ok()?;
        let place = if zone == business {
            "Brasília".to_owned()
        } else {
            zone.replace('_', " ")
        };
        Some(format!("{} ({place})", zoned.strftime("%d/%m/%Y %H:%M")))
    };
    in_zone(zone.unwrap_or(business))
        .or_else(|| in_zone(business))
        .unwrap_or_else(|| at.to_string())
}
