//! Pure rules of content.

use crate::{
    error::Error,
    foundation::{locale::Locale, text},
};
use protocol::ErrorCode;

/// Characters of a title.
pub const MAX_TITLE: usize = 120;
/// Characters of a text.
pub const MAX_TEXT: usize = 20_000;
/// The last place.
pub const MAX_ORDER: i32 = 9_999;
/// A lesson of more than a day is none.
pub const MAX_SECONDS: i32 = 86_400;
/// Characters of a text that lists show.
pub const PREVIEW: i32 = 240;

fn wrong(field: &str, code: ErrorCode) -> Error {
    Error::code(code).field(field, code)
}

/// A title: one honest line.
///
/// # Errors
/// `request.invalid` for none or for characters that deceive, `message.too_long`.
pub fn title(given: &str) -> Result<String, Error> {
    let line = text::line(given).filter(|line| !line.is_empty());
    let line = line.ok_or_else(|| wrong("title", ErrorCode::RequestInvalid))?;
    if line.chars().count() > MAX_TITLE {
        return Err(wrong("title", ErrorCode::MessageTooLong).with("maximum", MAX_TITLE));
    }
    Ok(line)
}

/// A text, cleaned; it may be empty.
///
/// # Errors
/// `message.too_long`.
pub fn body(given: &str) -> Result<String, Error> {
    let cleaned = text::paragraph(given);
    if cleaned.chars().count() > MAX_TEXT {
        return Err(wrong("text", ErrorCode::MessageTooLong).with("maximum", MAX_TEXT));
    }
    Ok(cleaned)
}

/// A place in the order.
///
/// # Errors
/// `request.invalid` out of bounds.
pub fn order(given: i32) -> Result<i32, Error> {
    if (0..=MAX_ORDER).contains(&given) {
        Ok(given)
    } else {
        Err(wrong("order", ErrorCode::RequestInvalid))
    }
}

/// Where somebody is in a lesson.
///
/// # Errors
/// `request.invalid` out of bounds.
pub fn seconds(given: i32) -> Result<i32, Error> {
    if (0..=MAX_SECONDS).contains(&given) {
        Ok(given)
    } else {
        Err(wrong("seconds", ErrorCode::RequestInvalid))
    }
}

/// Which languages are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Languages {
    All,
    One(Locale),
    /// The reader's; where there is nothing in it, all.
    Readers(Locale),
}

impl Languages {
    /// # Errors
    /// `request.invalid` for a language that there is not.
    pub fn read(given: Option<&str>, reader: Locale) -> Result<Self, Error> {
        match given {
            None | Some("") => Ok(Self::Readers(reader)),
            Some("all") => Ok(Self::All),
            Some(word) => Locale::ALL
                .into_iter()
                .find(|locale| locale.as_str() == word)
                .map(Self::One)
                .ok_or_else(|| {
                    Error::code(ErrorCode::RequestInvalid).field("language", ErrorCode::RequestInvalid)
                }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cleaned_and_bounded() {
        assert_eq!(title("  Como   funciona ").ok().as_deref(), Some("Como funciona"));
        for (given, code) in [
            ("", ErrorCode::RequestInvalid),
            ("a\u{202e}b", ErrorCode::RequestInvalid),
            ("\u{3164}", ErrorCode::RequestInvalid),
            (&*"a".repeat(MAX_TITLE + 1), ErrorCode::MessageTooLong),
        ] {
            assert_eq!(title(given).map_err(|e| e.error_code()), Err(code), "{given:?}");
        }
        assert_eq!(body(" a\u{202e}b\n\nc ").ok().as_deref(), Some("ab\n\nc"));
        assert_eq!(body("").ok().as_deref(), Some(""));
        assert!(body(&"é".repeat(MAX_TEXT)).is_ok());
        assert!(body(&"é".repeat(MAX_TEXT + 1)).is_err());
    }

    #[test]
    fn places_and_moments_have_bounds() {
        for (given, fine) in [(-1, false), (0, true), (MAX_ORDER, true), (MAX_ORDER + 1, false)] {
            assert_eq!(order(given).is_ok(), fine, "{given}");
        }
        for (given, fine) in [
            (-1, false),
            (0, true),
            (MAX_SECONDS, true),
            (MAX_SECONDS + 1, false),
        ] {
            assert_eq!(seconds(given).is_ok(), fine, "{given}");
        }
    }

    #[test]
    fn the_readers_language_is_asked_for_unless_another_is() {
        let read = |given| Languages::read(given, Locale::Es).ok();
        assert_eq!(read(None), Some(Languages::Readers(Locale::Es)));
        assert_eq!(read(Some("en")), Some(Languages::One(Locale::En)));
        assert_eq!(read(Some("all")), Some(Languages::All));
        assert_eq!(read(Some("fr")), None);
    }
}
