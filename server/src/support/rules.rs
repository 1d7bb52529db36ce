//! Pure rules of tickets (domain.md §11).

use crate::{error::Error, foundation::text};
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
    if cleaned.chars().count() > MAX_TEXT {
        return Err(Error::code(ErrorCode::MessageTooLong)
            .field(field, ErrorCode::MessageTooLong)
            .with("maximum", MAX_TEXT));
    }
    Ok(cleaned)
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
    if cleaned.chars().count() > MAX_SUBJECT {
        return Err(Error::code(ErrorCode::MessageTooLong)
            .field("subject", ErrorCode::MessageTooLong)
            .with("maximum", MAX_SUBJECT));
    }
    Ok(cleaned)
}

/// The beginning of a message on one line, for lists.
#[must_use]
pub fn preview(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= PREVIEW {
        return line;
    }
    line.chars()
        .take(PREVIEW - 1)
        .chain(std::iter::once('…'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn windows_close_on_the_minute() {
        let then = OffsetDateTime::UNIX_EPOCH;
        assert!(editable(then, then + EDIT_WINDOW));
        assert!(!editable(then, then + EDIT_WINDOW + Duration::microseconds(1)));
        assert!(reopens(then, then + REOPEN_WINDOW));
        assert!(!reopens(then, then + REOPEN_WINDOW + Duration::microseconds(1)));
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

    proptest! {
        #[test]
        fn previews_are_short_single_lines(text in "\\PC{0,400}") {
            let shown = preview(&text);
            prop_assert!(shown.chars().count() <= PREVIEW);
            prop_assert!(!shown.contains('\n'));
        }
    }
}
