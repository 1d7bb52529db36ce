//! Pure rules of tickets.

use crate::{error::Error, foundation::text, identity::rules::seconds_until};
use protocol::ErrorCode;
use time::{Duration, OffsetDateTime};

/// How long one may correct what one has said.
pub const EDIT_WINDOW: Duration = Duration::minutes(15);
/// How long after closing a customer's reply opens the ticket again.
pub const REOPEN_WINDOW: Duration = Duration::days(7);
/// Characters of one message.
pub const MAX_TEXT: usize = 4_000;
/// Characters of a ticket's subject.
pub const MAX_SUBJECT: usize = 120;
/// Characters of the last message that lists show.
const PREVIEW: usize = 140;

/// Characters of a message that a search shows.
const EXCERPT: usize = 160;
/// Words that it shows before the one that was found.
const WORDS_BEFORE: usize = 4;

/// What a customer may say of how a ticket was solved: from very bad to very good.
pub const SCORES: std::ops::RangeInclusive<i16> = 1..=5;
/// Characters of what they say beside it.
pub const MAX_COMMENT: usize = 500;

/// Messages of a transcript, at most.
pub const TRANSCRIPT_MESSAGES: i64 = 200;
/// Their characters together, at most. One message is far shorter.
pub const TRANSCRIPT_TEXT: usize = 60_000;

/// Where the newest of these lengths begin that come to no more than `most`.
#[must_use]
pub fn newest_within(lengths: &[usize], most: usize) -> usize {
    let mut sum = 0_usize;
    let fits = lengths.iter().rev().take_while(|length| {
        sum = sum.saturating_add(**length);
        sum <= most
    });
    lengths.len() - fits.count()
}

/// Tickets that are merged into one.
pub const MAX_DOUBLES: i32 = 10;
/// The newest messages of a double that are shown where it was merged into.
pub const DOUBLE_MESSAGES: i64 = 100;

/// Internal notes on one ticket.
pub const MAX_NOTES: i32 = 200;
/// Canned replies in use.
pub const MAX_CANNED: usize = 200;
/// Characters of a canned reply's title.
const MAX_TITLE: usize = 80;
/// What may stand in braces in a canned reply: the customer's first name, the ticket's number and subject, the first name of who answers. The pages
/// put them in, once (`canned.ts`).
pub const VARIABLES: [&str; 4] = ["name", "ticket", "subject", "agent"];

/// Messages within [`SPAN`] of somebody whose address is not confirmed.
pub const UNCONFIRMED_MESSAGES: i64 = 3;
/// The span in which they are counted.
pub const SPAN: Duration = Duration::HOUR;

/// What somebody whose address is not confirmed has written so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Open tickets beside the one that is written to.
    pub other_open: i64,
    /// When the [`UNCONFIRMED_MESSAGES`]-th newest message within the span was written, if there were that many.
    pub oldest_counted: Option<OffsetDateTime>,
}

/// Whether somebody whose address is not confirmed may write a message that opens a ticket or continues an open one.
///
/// # Errors
/// `ticket.one_open`; `request.rate_limited` with the seconds to wait.
pub fn unconfirmed_may_write(written: Written, opens: bool, now: OffsetDateTime) -> Result<(), Error> {
    if opens && written.other_open > 0 {
        return Err(Error::code(ErrorCode::TicketOneOpen));
    }
    match written.oldest_counted.map(|at| at + SPAN).filter(|at| *at > now) {
        Some(at) => Err(Error::code(ErrorCode::RateLimited).retry_after(seconds_until(at, now))),
        None => Ok(()),
    }
}

/// Whether a message of that age may still be edited or completed with its attachment.
#[must_use]
pub fn editable(created_at: OffsetDateTime, now: OffsetDateTime) -> bool {
    now - created_at <= EDIT_WINDOW
}

/// Whether the customer's reply still opens a ticket that was closed then.
#[must_use]
pub fn reopens(closed_at: OffsetDateTime, now: OffsetDateTime) -> bool {
    now - closed_at <= REOPEN_WINDOW
}

/// A message's text, cleaned.
///
/// # Errors
/// `message.empty`, `message.too_long`.
pub fn message(field: &str, input: &str) -> Result<String, Error> {
    let cleaned = text::paragraph(input);
    if cleaned.is_empty() {
        return Err(Error::code(ErrorCode::MessageEmpty).field(field, ErrorCode::MessageEmpty));
    }
    text::at_most(cleaned, field, MAX_TEXT)
}

/// A ticket's subject: one honest line.
///
/// # Errors
/// `message.empty`, `message.too_long`, `request.invalid` for characters that deceive.
pub fn subject(input: &str) -> Result<String, Error> {
    let Some(cleaned) = text::line(input) else {
        return Err(Error::code(ErrorCode::RequestInvalid).field("subject", ErrorCode::RequestInvalid));
    };
    if cleaned.is_empty() {
        return Err(Error::code(ErrorCode::RequestInvalid).field("subject", ErrorCode::MessageEmpty));
    }
    text::at_most(cleaned, "subject", MAX_SUBJECT)
}

/// A canned reply's title: one honest line.
///
/// # Errors
/// `message.empty`, `message.too_long`, `request.invalid` for characters that deceive.
pub fn canned_title(input: &str) -> Result<String, Error> {
    let Some(cleaned) = text::line(input) else {
        return Err(Error::code(ErrorCode::RequestInvalid).field("title", ErrorCode::RequestInvalid));
    };
    if cleaned.is_empty() {
        return Err(Error::code(ErrorCode::MessageEmpty).field("title", ErrorCode::MessageEmpty));
    }
    text::at_most(cleaned, "title", MAX_TITLE)
}

/// A canned reply in one language. Braces stand around [`VARIABLES`] only: a slip of the pen would go out to the customer as it is.
///
/// # Errors
/// `message.empty`, `message.too_long`, `canned_reply.variable`.
pub fn canned_text(field: &str, input: &str) -> Result<String, Error> {
    let cleaned = message(field, input)?;
    if has_stray_braces(&cleaned) {
        let allowed = VARIABLES.map(|name| format!("{{{name}}}")).join(", ");
        return Err(Error::code(ErrorCode::CannedReplyVariable)
            .field(field, ErrorCode::CannedReplyVariable)
            .with("allowed", allowed));
    }
    Ok(cleaned)
}

fn has_stray_braces(template: &str) -> bool {
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let known = after.split_once('}').filter(|(name, _)| VARIABLES.contains(name));
        match known {
            Some((_, behind)) if !before.contains('}') => rest = behind,
            _ => return true,
        }
    }
    rest.contains('}')
}

/// An address as it is shown beside a mail: `an***@example.com`. Enough to tell which one it was, and no personal value where
/// it is kept for good.
#[must_use]
pub fn masked_address(address: &str) -> String {
    let (name, domain) = address.rsplit_once('@').unwrap_or((address, ""));
    let shown: String = name
        .chars()
        .take(if name.chars().count() > 4 { 2 } else { 1 })
        .collect();
    format!("{shown}***@{domain}").chars().take(254).collect()
}

/// The beginning of a message on one line, for lists.
#[must_use]
pub fn preview(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= PREVIEW {
        return line;
    }
    text::cut(&line, PREVIEW - 1) + "…"
}

/// What of a message stands around the first word that begins like the longest of those searched for that it has; its beginning where none does, since stems are
/// shorter than words.
#[must_use]
pub fn excerpt(body: &str, search: &str) -> String {
    let mut stems: Vec<String> = text::folded(search)
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| {
            let letters = word.chars().count();
            word.chars().take(letters.saturating_sub(3).max(3)).collect()
        })
        .collect();
    // The longest says most: "de" begins many words.
    stems.sort_by_key(|stem| std::cmp::Reverse(stem.chars().count()));
    let words: Vec<&str> = body.split_whitespace().collect();
    let begins = |word: &str, stem: &str| {
        let folded = text::folded(word);
        folded
            .trim_start_matches(|c: char| !c.is_alphanumeric())
            .starts_with(stem)
    };
    let first = |stem: &String| words.iter().position(|word| begins(word, stem));
    let at = stems.iter().find_map(first).unwrap_or(0);
    let from = at.saturating_sub(WORDS_BEFORE);
    let shown = words.get(from..).unwrap_or_default().join(" ");
    let cut: String = shown.chars().take(EXCERPT).collect();
    let before = if from > 0 { "… " } else { "" };
    let after = if cut.len() < shown.len() { "…" } else { "" };
    format!("{before}{cut}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_excerpt_begins_before_the_word() {
        let long = "um dois três quatro cinco seis sete oito nove dez Depósitos onze doze";
        assert_eq!(
            excerpt(long, "deposito"),
            "… sete oito nove dez Depósitos onze doze"
        );
        assert_eq!(excerpt("O (saque) não veio", "SAQUES"), "O (saque) não veio");
        assert_eq!(excerpt("nada disto", "outra coisa"), "nada disto");
        assert_eq!(
            excerpt(
                "Desde ontem a tela de entrada não mostra o valor do saque",
                "de saque"
            ),
            "… mostra o valor do saque"
        );
        assert_eq!(excerpt("", "x"), "");
        let endless = "a".repeat(MAX_TEXT);
        assert_eq!(excerpt(&endless, "b").chars().count(), EXCERPT + 1);
    }

    #[test]
    fn a_transcript_has_the_newest_that_fit() {
        for (lengths, most, from) in [
            (&[][..], 10, 0),
            (&[3, 3, 3][..], 9, 0),
            (&[3, 3, 3][..], 8, 1),
            (&[9, 1, 0][..], 1, 1),
            (&[0, 11][..], 10, 2),
        ] {
            assert_eq!(newest_within(lengths, most), from, "{lengths:?} {most}");
        }
        assert_eq!(newest_within(&[MAX_TEXT], TRANSCRIPT_TEXT), 0, "one always fits");
    }

    #[test]
    fn windows_close_on_the_minute() {
        let then = OffsetDateTime::UNIX_EPOCH;
        assert!(editable(then, then + EDIT_WINDOW));
        assert!(!editable(then, then + EDIT_WINDOW + Duration::microseconds(1)));
        assert!(reopens(then, then + REOPEN_WINDOW));
        assert!(!reopens(then, then + REOPEN_WINDOW + Duration::microseconds(1)));
    }

    #[test]
    fn the_unconfirmed_have_one_ticket_and_three_messages_an_hour() {
        let then = OffsetDateTime::UNIX_EPOCH;
        let now = then + Duration::minutes(20);
        for (other_open, oldest_counted, opens, refused) in [
            (0, None, true, None),
            (1, None, true, Some(ErrorCode::TicketOneOpen)),
            (1, None, false, None),
            (0, Some(then), true, Some(ErrorCode::RateLimited)),
            (0, Some(then), false, Some(ErrorCode::RateLimited)),
            (0, Some(now - SPAN), false, None),
        ] {
            let written = Written {
                other_open,
                oldest_counted,
            };
            let found = unconfirmed_may_write(written, opens, now).map_err(|e| e.error_code());
            assert_eq!(found.err(), refused, "{written:?} {opens}");
        }
    }

    #[test]
    fn texts_are_cleaned_and_bounded() {
        assert_eq!(message("text", " a\u{202e}b \n").ok().as_deref(), Some("ab"));
        assert_eq!(
            message("text", " \u{200b}\n").map_err(|e| e.error_code()),
            Err(ErrorCode::MessageEmpty)
        );
        assert!(message("text", &"é".repeat(MAX_TEXT)).is_ok());
        assert_eq!(
            message("text", &"é".repeat(MAX_TEXT + 1)).map_err(|e| e.error_code()),
            Err(ErrorCode::MessageTooLong)
        );
        assert_eq!(subject("  Meu   depósito ").ok().as_deref(), Some("Meu depósito"));
        assert_eq!(
            subject("a\u{202e}b").map_err(|e| e.error_code()),
            Err(ErrorCode::RequestInvalid)
        );
        assert_eq!(
            subject(&"a".repeat(MAX_SUBJECT + 1)).map_err(|e| e.error_code()),
            Err(ErrorCode::MessageTooLong)
        );
    }

    #[test]
    fn braces_of_a_canned_reply_stand_around_what_there_is() {
        for good in [
            "Olá, {name}!",
            "{ticket}{subject}{agent}",
            "Sem nada.",
            "Chamado {ticket}: {subject}\n{agent}",
        ] {
            assert_eq!(canned_text("pt", good).ok().as_deref(), Some(good));
        }
        for bad in [
            "{nome}", "{name", "name}", "{ name }", "{{name}}", "{}", "{name}}", "} {name}", "{Name}",
        ] {
            let found = canned_text("pt", bad).map_err(|e| e.error_code());
            assert_eq!(found, Err(ErrorCode::CannedReplyVariable), "{bad}");
        }
        assert_eq!(
            canned_text("pt", " \n").map_err(|e| e.error_code()),
            Err(ErrorCode::MessageEmpty)
        );
        assert_eq!(
            canned_title("  Prazo   do PIX ").ok().as_deref(),
            Some("Prazo do PIX")
        );
        for (bad, code) in [
            ("", ErrorCode::MessageEmpty),
            ("a\u{202e}b", ErrorCode::RequestInvalid),
            (&"a".repeat(MAX_TITLE + 1), ErrorCode::MessageTooLong),
        ] {
            assert_eq!(canned_title(bad).map_err(|e| e.error_code()), Err(code));
        }
    }

    #[test]
    fn addresses_are_masked() {
        for (address, shown) in [
            ("ana@example.com", "a***@example.com"),
            ("ana.capivara@example.com", "an***@example.com"),
            ("\"a@b\"@example.com", "\"a***@example.com"),
        ] {
            assert_eq!(masked_address(address), shown);
        }
    }

    proptest! {
        #[test]
        fn previews_are_short_single_lines(text in "\\PC{0,400}") {
            let shown = preview(&text);
            prop_assert!(shown.chars().count() <= PREVIEW);
            prop_assert!(!shown.contains('\n'));
        }
    }
}
