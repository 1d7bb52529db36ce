//! What a reader was told, counted and summed: for the mails to who was away and for the daily digest.

use crate::foundation::locale::Locale;
use protocol::{money::Usdt, views::NoticeGroup};

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
