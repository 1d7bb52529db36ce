//! Text that strangers send: normalised, without characters that lie about themselves.

use crate::error::Error;
use protocol::ErrorCode;
use unicode_normalization::UnicodeNormalization;

/// Control, zero-width and bidirectional-override characters have no place in a name or a subject.
fn deceives(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{061c}')
}

/// One line: NFC, trimmed, inner blanks folded to one; `None` when it holds a character that deceives.
#[must_use]
pub fn line(input: &str) -> Option<String> {
    let text: String = input.nfc().collect();
    if text.chars().any(deceives) {
        return None;
    }
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Several lines: NFC, trimmed; line feeds and tabs stay, other control characters and direction overrides are removed.
#[must_use]
pub fn paragraph(input: &str) -> String {
    let text: String = input
        .nfc()
        .filter(|c| matches!(c, '\n' | '\t') || !deceives(*c) || *c == '\u{200d}')
        .collect();
    text.trim().to_owned()
}

/// Why somebody decided something, as it is kept: a paragraph of at most so many characters.
///
/// # Errors
/// `decision.reason_missing` at the field when nothing is left.
pub fn reason(given: &str, field: &'static str, most: usize) -> Result<String, Error> {
    let reason: String = paragraph(given).chars().take(most).collect();
    if reason.is_empty() {
        return Err(Error::code(ErrorCode::ReasonMissing).field(field, ErrorCode::ReasonMissing));
    }
    Ok(reason)
}

/// The form in which two spellings of a mail address or username are the same.
#[must_use]
pub fn key(input: &str) -> String {
    input.trim().nfc().collect::<String>().to_lowercase()
}

/// `%`, `_` and `\` taken literally inside a LIKE pattern.
#[must_use]
pub fn like_literal(input: &str) -> String {
    input
        .replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lies_are_refused_and_blanks_folded() {
        assert_eq!(line("  Ana \u{a0} Maria  ").as_deref(), Some("Ana Maria"));
        assert_eq!(line("Cafe\u{301}").as_deref(), Some("Café"));
        for bad in ["a\u{202e}b", "a\u{200b}b", "a\0b", "a\nb"] {
            assert_eq!(line(bad), None, "{bad:?}");
        }
        assert_eq!(paragraph(" a\r\nb\u{202e}\t "), "a\nb");
        assert_eq!(like_literal("50%_\\"), "50\\%\\_\\\\");
    }
}
