//! What a push says, and where it leads: the very sentences and screens of the inbox, which the pages have them of. Pure.

use crate::{error::Error, foundation::locale::Locale, notifications::rules};
use protocol::Queue;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::HashMap, sync::LazyLock};
use time::OffsetDateTime;

use super::sealing::MOST;

/// Where the settings of notices are, for a push that is of no notice.
pub const SETTINGS: &str = "/account-setting?tab=notifications";
/// Where all notices are.
pub const INBOX: &str = "/notifications";
/// Most characters of what a stranger wrote (a name, a reason), as in the inbox.
const BRIEF: usize = 20;
const NOTHING: &str = "–";

type Sentences = HashMap<String, String>;

/// By language: [`of`].
static SENTENCES: LazyLock<[Sentences; 3]> = LazyLock::new(|| {
    [
        include_str!("../../../../web/src/i18n/pt/notifications.json"),
        include_str!("../../../../web/src/i18n/en/notifications.json"),
        include_str!("../../../../web/src/i18n/es/notifications.json"),
    ]
    .map(|text| serde_json::from_str(text).unwrap_or_default())
});

/// Names of modes, ranks and reasons, as pages write them.
static NAMES: LazyLock<[Value; 3]> = LazyLock::new(|| {
    [
        include_str!("../../../../web/src/i18n/pt/shell.json"),
        include_str!("../../../../web/src/i18n/en/shell.json"),
        include_str!("../../../../web/src/i18n/es/shell.json"),
    ]
    .map(|text| serde_json::from_str(text).unwrap_or_default())
});

#[derive(Deserialize)]
struct Row {
    begins: String,
    screen: String,
}

#[derive(Default, Deserialize)]
struct Screens {
    own: Vec<Row>,
    administrators: Vec<Row>,
}

static SCREENS: LazyLock<Screens> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../../web/src/shared/notices/screens.json")).unwrap_or_default()
});

fn of<T>(all: &[T; 3], locale: Locale) -> &T {
    let [pt, en, es] = all;
    match locale {
        Locale::Pt => pt,
        Locale::En => en,
        Locale::Es => es,
    }
}

/// What a push is titled: what the notice is about.
#[must_use]
pub fn title(locale: Locale, code: &str) -> &'static str {
    locale.text("mail", &format!("notice_group.{}", rules::group(code).as_str()))
}

/// The sentence of a notice, filled in with what is told with it ([`rules::values`]).
#[must_use]
pub fn sentence(locale: Locale, code: &str, params: &Value) -> String {
    let sentences = of(&SENTENCES, locale);
    // One that counts has a text for each form.
    let one = params.get("count").and_then(Value::as_i64) == Some(1);
    let form = if one { "one" } else { "other" };
    let text = sentences
        .get(code)
        .or_else(|| sentences.get(&format!("{code}_{form}")));
    match text {
        Some(text) => filled(text, |name, format| written(locale, params.get(name), format)),
        None => locale.text("push", "unknown").to_owned(),
    }
}

/// A text with its `{{name, format}}`s filled in, once.
fn filled(text: &str, value: impl Fn(&str, &str) -> String) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((asked, behind)) = after.split_once("}}") else {
            break;
        };
        let (name, format) = asked.split_once(',').unwrap_or((asked, ""));
        filled.push_str(before);
        filled.push_str(&value(name.trim(), format.trim()));
        rest = behind;
    }
    filled + rest
}

/// A canonical value as its reader writes it: `web/src/shared/notices/text.ts` names the formats.
fn written(locale: Locale, value: Option<&Value>, format: &str) -> String {
    let plain = match value {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone()),
        Some(other) => Some(other.to_string()),
    };
    let named = |place: &Value| {
        plain
            .as_deref()
            .and_then(|key| Some(place.get(key)?.as_str()?.to_owned()))
    };
    let names = of(&NAMES, locale);
    let shown = match format {
        "usdt" => plain.map(|exact| format!("{}\u{a0}USDT", locale.amount(&exact))),
        "brl" => plain.map(|exact| format!("R$\u{a0}{}", locale.amount(&exact))),
        "coins" => plain.map(|exact| locale.amount(&exact)),
        "brief" => plain.map(|text| brief(&text)),
        "words" => value
            .and_then(|words| words.get(locale.as_str())?.as_str())
            .map(str::to_owned),
        "mode" => names.pointer("/mode/name").and_then(named),
        "rank" => names.get("ranks").and_then(named),
        "lost" => names.get("lostBonus").and_then(named),
        _ => plain,
    };
    shown.unwrap_or_else(|| NOTHING.to_owned())
}

fn brief(text: &str) -> String {
    if text.chars().count() <= BRIEF {
        return text.to_owned();
    }
    let cut: String = text.chars().take(BRIEF - 1).collect();
    format!("{}…", cut.trim_end())
}

/// The screen on which its reader sees the thing itself.
#[must_use]
pub fn screen(code: &str, params: &Value) -> String {
    let id = |name: &str| params.get(name).and_then(Value::as_str);
    // What a customer wrote is told to who has the ticket: it is answered at the desk.
    if code == "ticket_said" {
        return id("ticket").map_or_else(
            || Queue::Tickets.row().screen.to_owned(),
            |ticket| format!("/customer-service/ticket-response/{ticket}"),
        );
    }
    if code != "ticket_deleted" && code.starts_with("ticket_") {
        return id("ticket").map_or_else(
            || "/support".to_owned(),
            |ticket| format!("/support/ticket/{ticket}"),
        );
    }
    if let Some(announcement) = id("announcement").filter(|_| code == "announcement") {
        return format!("{INBOX}?announcement={announcement}");
    }
    if code == "account_closing_late" {
        return id("user").map_or_else(
            || "/administrator/users/list".to_owned(),
            |user| format!("/administrator/users/view/{user}"),
        );
    }
    let listed = [&SCREENS.own, &SCREENS.administrators]
        .into_iter()
        .flatten()
        .find(|row| code.starts_with(&row.begins));
    let decided = || queue(code).map(|queue| queue.row().screen);
    listed
        .map(|row| row.screen.as_str())
        .or_else(decided)
        .unwrap_or(INBOX)
        .to_owned()
}

/// What staff alone are told is decided in a queue: that which the code names, or one of these.
fn queue(code: &str) -> Option<Queue> {
    match code {
        "chain_reorganised" => Some(Queue::CryptoDeposits),
        "desk_halted" => Some(Queue::Live),
        "tickets_wait" => Some(Queue::Tickets),
        _ if code.starts_with("admin_") => Some(Queue::Grants),
        _ => Queue::ALL.iter().copied().find(|queue| queue.row().late == code),
    }
}

/// What a device is told, before it is sealed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    pub id: String,
    pub title: String,
    pub text: String,
    /// A path of the pages.
    pub url: String,
    /// What is told again under the same one takes the place of what was shown.
    pub tag: String,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

impl Told {
    /// As it is sent: whatever is too long for it is cut off its text, by characters.
    ///
    /// # Errors
    /// `service.internal` when it cannot be written.
    pub fn bytes(mut self) -> Result<Vec<u8>, Error> {
        loop {
            let bytes = serde_json::to_vec(&self)?;
            if bytes.len() <= MOST || self.text.is_empty() {
                return Ok(bytes);
            }
            // A character is written with six bytes at most, and the last says that something was cut.
            let less = (bytes.len() - MOST).div_ceil(6) + 1;
            let keep = self.text.chars().count().saturating_sub(less);
            let cut: String = self.text.chars().take(keep).collect();
            self.text = if cut.is_empty() { cut } else { format!("{cut}…") };
        }
    }
}

/// Several told as one.
#[must_use]
pub fn many(locale: Locale, count: usize) -> String {
    locale.text("push", "many").replace("{count}", &count.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notifications::rules::CODES;
    use serde_json::json;
    use time::macros::datetime;

    #[test]
    fn every_notice_has_its_sentence_title_and_screen_in_every_language() {
        let late = Queue::ALL.iter().map(|queue| queue.row().late);
        for code in CODES.iter().copied().chain(late) {
            for locale in Locale::ALL {
                for count in [1, 2] {
                    let text = sentence(locale, code, &json!({ "count": count }));
                    assert_ne!(text, locale.text("push", "unknown"), "{code}");
                    assert!(!text.contains("{{"), "{text}");
                }
                assert_ne!(title(locale, code), "…", "{code}");
            }
            let screen = screen(code, &json!({}));
            assert!(
                screen.starts_with('/') && screen != INBOX || code == "announcement",
                "{code}"
            );
        }
    }

    #[test]
    fn values_are_written_as_their_reader_writes_them() {
        let say = |locale, code, params: Value| sentence(locale, code, &params);
        assert_eq!(
            say(
                Locale::Pt,
                "transfer_received",
                json!({ "usdt": "1200.500000", "by": "a-very-long-name-of-somebody" })
            ),
            say(
                Locale::Pt,
                "transfer_received",
                json!({ "usdt": "1200.5", "by": "a-very-long-name-of…" })
            )
        );
        let text = say(
            Locale::En,
            "transfer_received",
            json!({ "usdt": "1200.500000", "by": "{{usdt}}" }),
        );
        assert_eq!(
            text,
            "You received 1,200.50\u{a0}USDT from @{{usdt}}. It is in your balance."
        );
        let desk = say(
            Locale::En,
            "desk_halted",
            json!({ "mode": "simulated", "usdt": "1200" }),
        );
        assert!(
            desk.contains("SIMULATED") && desk.contains("1,200.00\u{a0}USDT"),
            "{desk}"
        );
        let rank = say(
            Locale::Es,
            "closing_booked_rank",
            json!({ "usdt": "1", "rank": "double_diamond" }),
        );
        assert!(rank.contains("Doble Diamante") && rank.contains("1,00"), "{rank}");
        let title = json!({ "pt": "Manutenção", "en": "Maintenance", "es": "Mantenimiento" });
        let news = say(Locale::En, "announcement", json!({ "title": title }));
        assert!(news.contains("Maintenance"), "{news}");
        let one = say(
            Locale::En,
            "ticket_reply",
            json!({ "number": 7, "by": "bia", "count": 1 }),
        );
        assert_eq!(one, "Ticket no. 7: bia replied. See the answer.");
        let three = say(
            Locale::En,
            "ticket_reply",
            json!({ "number": 7, "by": "bia", "count": 3 }),
        );
        assert_eq!(three, "Ticket no. 7: 3 new replies from bia.");
        assert_eq!(
            say(Locale::En, "of_tomorrow", json!({})),
            Locale::En.text("push", "unknown")
        );
    }

    #[test]
    fn it_leads_where_the_inbox_leads() {
        for (code, params, path) in [
            ("ticket_reply", json!({ "ticket": "t1" }), "/support/ticket/t1"),
            (
                "ticket_said",
                json!({ "ticket": "t1" }),
                "/customer-service/ticket-response/t1",
            ),
            ("ticket_said", json!({}), Queue::Tickets.row().screen),
            ("ticket_deleted", json!({ "ticket": "t1" }), "/support"),
            (
                "announcement",
                json!({ "announcement": "a1" }),
                "/notifications?announcement=a1",
            ),
            (
                "account_closing_late",
                json!({ "user": "u1" }),
                "/administrator/users/view/u1",
            ),
            ("order_filled", json!({}), "/exchange/negotiate-igc"),
            ("payout_over", json!({}), "/payout-report"),
            ("desk_halted", json!({}), Queue::Live.row().screen),
            ("tickets_wait", json!({}), Queue::Tickets.row().screen),
            ("admin_freeze_begun", json!({}), Queue::Grants.row().screen),
            ("of_tomorrow", json!({}), INBOX),
        ] {
            assert_eq!(screen(code, &params), path, "{code}");
        }
    }

    #[test]
    fn what_is_too_long_is_cut_by_characters() {
        let told = |text: String| Told {
            id: "i".into(),
            title: "Título".into(),
            text,
            url: INBOX.into(),
            tag: "i".into(),
            at: datetime!(2026-11-28 12:00 UTC),
        };
        let short = told("é".repeat(90));
        let bytes = short.clone().bytes().unwrap();
        assert_eq!(bytes, serde_json::to_vec(&short).unwrap());
        // Those of four bytes, and those that are written with six.
        for letter in ["😀", "\u{1}", "é"] {
            let bytes = told(letter.repeat(5_000)).bytes().unwrap();
            assert!(bytes.len() <= MOST && bytes.len() > MOST / 8, "{}", bytes.len());
            let read: Value = serde_json::from_slice(&bytes).unwrap();
            let text = read["text"].as_str().unwrap();
            assert!(text.ends_with('…') && text.starts_with(letter), "{text}");
        }
    }
}
