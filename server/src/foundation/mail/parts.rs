//! What some letters are made of: the messages of a transcript, and what a reader was told.

use super::letter::{facts, shown};
use crate::foundation::locale::Locale;
use protocol::{money::Usdt, views::NoticeGroup};
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

/// What lines are about, and how many there are of each.
pub(super) fn counted(locale: Locale, counts: &[(NoticeGroup, i64)]) -> String {
    let lines: Vec<String> = counts
        .iter()
        .map(|(group, count)| {
            let name = locale.text("mail", &format!("notice_group.{}", group.as_str()));
            format!("{name}: {count}")
        })
        .collect();
    lines.join("\n")
}

/// So often, and so much of it: a line of a digest. `what` names its text.
#[derive(Clone)]
pub struct Summed {
    pub what: String,
    pub count: i64,
    pub usdt: Usdt,
}

/// Each with its sum.
pub(super) fn summed(locale: Locale, lines: &[Summed]) -> String {
    let lines: Vec<String> = lines
        .iter()
        .map(|Summed { what, count, usdt }| {
            let name = locale.text("mail", &format!("digest.{what}"));
            let sum = locale.amount(&format!("{usdt} USDT"));
            format!("{name}: {count} · {sum}")
        })
        .collect();
    lines.join("\n")
}
