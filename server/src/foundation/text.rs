//! Text that people type: one policy for every field (docs/rules/foundation.md#text). Normalised (NFC), without characters that lie about
//! themselves; what joins letters or emoji stands where it joins. Pure.

use crate::error::Error;
use protocol::ErrorCode;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};
use unicode_properties::{GeneralCategory, UnicodeEmoji, UnicodeGeneralCategory};

const ZWNJ: char = '\u{200c}';
const ZWJ: char = '\u{200d}';
const BLACK_FLAG: char = '\u{1f3f4}';
/// A Braille cell without dots: a blank.
const NO_DOTS: char = '\u{2800}';

/// What has no place anywhere: controls, characters that nobody sees or that turn the direction of others, private ones and none at all.
fn deceives(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{fdd0}'..='\u{fdef}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e001f}'
            | '\u{e0080}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
        || u32::from(c) & 0xfffe == 0xfffe
        || c.general_category() == GeneralCategory::PrivateUse
}

/// What is seen only with its neighbours.
fn is_joint(c: char) -> bool {
    matches!(c, ZWNJ | ZWJ | '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0020}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

fn is_emoji(c: char) -> bool {
    c.is_emoji_char() && !c.is_ascii()
}

/// Ends an emoji that another may be joined to: itself, its presentation, its skin, its flag.
fn ends_emoji(c: char) -> bool {
    is_emoji(c)
        || matches!(
            c,
            '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{20e3}' | '\u{e007f}'
        )
}

/// A letter or mark of a script whose letters change where they touch: Arabic and its neighbours, those of India and further east.
fn is_joined_script(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{109f}' | '\u{1700}'..='\u{1aaf}' | '\u{1b00}'..='\u{1bff}' | '\u{a840}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}' | '\u{10a00}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}')
        && (c.is_alphabetic() || is_combining_mark(c))
}

/// Whether a joint stands where it joins.
fn joins(before: Option<char>, c: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    match c {
        ZWNJ | ZWJ if is_joined_script(before) => after.is_some_and(is_joined_script),
        ZWJ => ends_emoji(before) && after.is_some_and(is_emoji),
        '\u{fe0e}' | '\u{fe0f}' => is_emoji(before) || before.is_emoji_char() && after == Some('\u{20e3}'),
        '\u{fe00}'..='\u{fe0d}' | '\u{e0100}'..='\u{e01ef}' => {
            matches!(before, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
        }
        '\u{180b}'..='\u{180d}' | '\u{180f}' => matches!(before, '\u{1800}'..='\u{18af}'),
        '\u{e0020}'..='\u{e007f}' => before == BLACK_FLAG || matches!(before, '\u{e0020}'..='\u{e007e}'),
        _ => false,
    }
}

/// Whether anything of it is seen: a mark or a joint alone is not.
fn shows(text: &str) -> bool {
    text.chars()
        .any(|c| !c.is_whitespace() && !deceives(c) && !is_joint(c) && !is_combining_mark(c) && c != NO_DOTS)
}

/// What is not seen by itself, in texts that came by other ways than ours too.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    is_joint(c) || deceives(c) && c.general_category() != GeneralCategory::PrivateUse
}

/// Every character with its neighbours.
fn placed(text: &str) -> impl Iterator<Item = (Option<char>, char, Option<char>)> {
    let mut rest = text.chars().peekable();
    let mut before = None;
    std::iter::from_fn(move || {
        let c = rest.next()?;
        let found = (before, c, rest.peek().copied());
        before = Some(c);
        Some(found)
    })
}

/// One line: NFC, trimmed, inner blanks folded to one; `None` when it holds a character that deceives. Empty when nothing of it is seen.
#[must_use]
pub fn line(input: &str) -> Option<String> {
    let text: String = input.nfc().collect();
    if placed(&text).any(|(before, c, after)| deceives(c) || is_joint(c) && !joins(before, c, after)) {
        return None;
    }
    if !shows(&text) {
        return Some(String::new());
    }
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Several lines: NFC, trimmed; line feeds and tabs stay, what deceives or joins nothing is removed. Empty when nothing of it is seen.
#[must_use]
pub fn paragraph(input: &str) -> String {
    let text: String = input
        .nfc()
        .filter(|c| matches!(c, '\n' | '\t') || !deceives(*c))
        .collect();
    let mut kept = String::with_capacity(text.len());
    for (_, c, after) in placed(&text) {
        if !is_joint(c) || joins(kept.chars().next_back(), c, after) {
            kept.push(c);
        }
    }
    if shows(&kept) {
        kept.trim().to_owned()
    } else {
        String::new()
    }
}

/// The beginning of a clean text, of at most so many characters; nothing is left of an emoji's joints that would join nothing.
#[must_use]
pub fn cut(text: &str, most: usize) -> String {
    let cut: String = text.chars().take(most).collect();
    if cut.len() == text.len() {
        return cut;
    }
    cut.trim_end_matches(|c: char| matches!(c, ZWNJ | ZWJ))
        .trim_end()
        .to_owned()
}

/// A password as it is compared: by RFC 8265 (OpaqueString), every blank the common one, NFC, capitals as they are. `None` for one with
/// control characters.
#[must_use]
pub fn opaque(password: &str) -> Option<String> {
    if password.chars().any(char::is_control) {
        return None;
    }
    let spaced = password.chars().map(|c| {
        if c.general_category() == GeneralCategory::SpaceSeparator {
            ' '
        } else {
            c
        }
    });
    Some(spaced.nfc().collect())
}

/// Why somebody decided something, as it is kept: a paragraph of at most so many characters.
///
/// # Errors
/// `decision.reason_missing` at the field when nothing is left.
pub fn reason(given: &str, field: &'static str, most: usize) -> Result<String, Error> {
    let reason = cut(&paragraph(given), most);
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

/// The form in which searched words and payers' names are compared: without accents, width and capitals. `foundation.folded` in the database
/// does the same, letter by letter: to it a sigma is one wherever it stands in its word.
#[must_use]
pub fn folded(input: &str) -> String {
    input
        .nfkd()
        .filter(|c| !matches!(c, '\u{300}'..='\u{36f}'))
        .flat_map(char::to_lowercase)
        .map(|c| if c == 'ς' { 'σ' } else { c })
        .collect()
}

/// A pattern that finds what was searched for anywhere in a folded text.
#[must_use]
pub fn searched(input: &str) -> String {
    format!("%{}%", like_literal(folded(input).trim()))
}

/// `%`, `_` and `\` taken literally inside a LIKE pattern.
#[must_use]
pub fn like_literal(input: &str) -> String {
    input
        .replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_")
}

/// The letters of a name: no emoji, symbols, digits or marks.
#[must_use]
pub fn letters(name: &str) -> String {
    name.chars()
        .filter(|c| {
            c.is_alphabetic()
                && !c.is_emoji_char()
                && !matches!(c, 'ª' | 'º' | '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f189}')
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lies_are_refused_and_blanks_folded() {
        assert_eq!(line("  Ana \u{a0} Maria  ").as_deref(), Some("Ana Maria"));
        assert_eq!(line("Cafe\u{301}").as_deref(), Some("Café"));
        for bad in [
            "a\u{202e}b",
            "a\u{200b}b",
            "a\0b",
            "a\nb",
            "a\u{ad}b",
            "a\u{3164}",
            "a\u{e000}",
            "a\u{fffe}",
            "A\u{200d}na",
            "Ana1\u{fe0f}",
            "Ana\u{200c}",
            "\u{200d}Ana",
            "Ana\u{fe0f}",
            "A\u{e0061}na",
            "🚀\u{200d}a",
            "a\u{200d}🚀",
        ] {
            assert_eq!(line(bad), None, "{bad:?}");
        }
        assert_eq!(paragraph(" a\r\nb\u{202e}\t "), "a\nb");
        assert_eq!(paragraph("A\u{200d}na\u{ad} 🤷\u{200d}"), "Ana 🤷");
        assert_eq!(like_literal("50%_\\"), "50\\%\\_\\\\");
    }

    #[test]
    fn what_joins_stands_where_it_joins() {
        for good in [
            "🤷\u{200d}♀\u{fe0f}",
            "👩🏽\u{200d}💻 Ana",
            "👨\u{200d}👩\u{200d}👧",
            "🏳\u{fe0f}\u{200d}🌈",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "1\u{fe0f}\u{20e3}",
            "❤\u{fe0f}",
            "🇧🇷",
            "علی\u{200c}رضا",
            "क्\u{200d}ष",
            "葛\u{e0100}城",
        ] {
            assert_eq!(line(good).as_deref(), Some(good), "{good}");
            assert_eq!(paragraph(good), good, "{good}");
        }
    }

    #[test]
    fn a_text_shows_something() {
        for nothing in ["", "  ", "\u{2800}", "\u{2800} \u{2800}", "\u{301}"] {
            assert_eq!(line(nothing).as_deref(), Some(""), "{nothing:?}");
        }
        for nothing in [
            "\u{3164}",
            "\u{ad}",
            "\u{200d}",
            "\u{200c}\n\u{200c}",
            "\u{feff}\u{2060}",
            "\u{fe0f}",
        ] {
            assert_eq!(paragraph(nothing), "", "{nothing:?}");
            assert!(line(nothing).is_none_or(|line| line.is_empty()), "{nothing:?}");
        }
    }

    #[test]
    fn passwords_are_compared_as_rfc_8265_says() {
        for (typed, compared) in [
            ("correct horse battery", Some("correct horse battery")),
            ("Corre\u{301}ct", Some("Corréct")),
            ("a\u{3000}b\u{a0}c", Some("a b c")),
            ("Ａ", Some("Ａ")),
            ("a\tb", None),
        ] {
            assert_eq!(opaque(typed).as_deref(), compared, "{typed}");
        }
    }

    #[test]
    fn an_emoji_is_not_cut_to_its_joint() {
        assert_eq!(cut("ab👩\u{200d}💻", 4), "ab👩");
        assert_eq!(cut("ab cd", 3), "ab");
        assert_eq!(cut("abc", 3), "abc");
    }

    #[test]
    fn searches_find_what_is_spelled_otherwise() {
        for same in ["joao", "JOÃO", "Joa\u{303}o", "ｊｏａｏ"] {
            assert_eq!(folded(same), "joao", "{same}");
        }
        assert_eq!(folded("ΝΙΚΟΣ"), folded("Νίκος"));
        assert_eq!(searched(" 5％_ "), "%5\\%\\_%");
    }

    #[test]
    fn letters_of_a_name() {
        assert_eq!(letters("🚀 Ana-Lima 2º ™ Ⓑ🅰"), "AnaLima");
    }

    proptest! {
        /// What was cleaned is clean, and nothing that a stranger sends breaks it.
        #[test]
        fn cleaning_twice_is_once(text in "\\PC{0,40}", joined in "[🤷♀\u{200d}\u{200c}\u{fe0f}aعक्\u{2800} ]{0,12}") {
            for text in [text, joined] {
                if let Some(clean) = line(&text) {
                    prop_assert_eq!(line(&clean), Some(clean.clone()));
                }
                let clean = paragraph(&text);
                prop_assert_eq!(paragraph(&clean), clean.clone());
                prop_assert_eq!(opaque(&text).as_deref().and_then(opaque), opaque(&text));
            }
        }
    }
}
