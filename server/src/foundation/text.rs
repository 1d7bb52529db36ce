//! Text that people type: one policy for every field (docs/rules/foundation.md#text). Normalised (NFC), without characters that lie about
//! themselves; what joins letters or emoji stands where it joins. Pure.

use crate::error::Error;
use icu_properties::{
    CodePointMapData, CodePointSetData,
    props::{
        DefaultIgnorableCodePoint, Emoji, ExtendedPictographic, GeneralCategory, PrependedConcatenationMark,
        Script,
    },
};
use protocol::ErrorCode;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

const ZWNJ: char = '\u{200c}';
const ZWJ: char = '\u{200d}';
const BLACK_FLAG: char = '\u{1f3f4}';
/// A Braille cell without dots: a blank.
const NO_DOTS: char = '\u{2800}';
/// Drawn as nothing, or as a box for what is not there, though Unicode has no property that says so: the place of an object, blanks of
/// hieroglyphs, a note without its head.
const BLANKS: [char; 4] = ['\u{fffc}', '\u{13441}', '\u{13442}', '\u{1d159}'];

fn category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}

/// Controls, format characters (but for the signs that Arabic and its neighbours write around numbers), and whatever Unicode says is not
/// drawn where it is not known.
fn is_hidden(c: char) -> bool {
    match category(c) {
        GeneralCategory::Control => true,
        GeneralCategory::Format => !CodePointSetData::new::<PrependedConcatenationMark>().contains(c),
        _ => CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c) || BLANKS.contains(&c),
    }
}

/// What has no place anywhere: what hides, private characters and those that are none, as far as no emoji may come of them.
fn deceives(c: char) -> bool {
    let none = match category(c) {
        GeneralCategory::PrivateUse => true,
        GeneralCategory::Unassigned => !CodePointSetData::new::<ExtendedPictographic>().contains(c),
        _ => false,
    };
    !is_joint(c) && (none || is_hidden(c))
}

/// What is seen only with its neighbours.
fn is_joint(c: char) -> bool {
    matches!(c, ZWNJ | ZWJ | NO_DOTS | '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0020}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Listed by Unicode as an emoji, digits among them.
fn may_be_emoji(c: char) -> bool {
    CodePointSetData::new::<Emoji>().contains(c)
}

fn is_emoji(c: char) -> bool {
    may_be_emoji(c) && !c.is_ascii()
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

fn is_braille(c: char) -> bool {
    matches!(c, '\u{2801}'..='\u{28ff}')
}

/// Whether a mark of one script stands with the letters of another: it is drawn as nothing there, or over its neighbour.
fn is_stray(base: Option<char>, c: char) -> bool {
    let script = CodePointMapData::<Script>::new();
    is_combining_mark(c)
        && !matches!(script.get(c), Script::Inherited | Script::Common)
        && base.is_none_or(|base| script.get(base) != script.get(c))
}

/// Whether a joint stands where it joins.
fn joins(before: Option<char>, c: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    match c {
        ZWNJ | ZWJ if is_joined_script(before) => after.is_some_and(is_joined_script),
        NO_DOTS => is_braille(before) && after.is_some_and(is_braille),
        ZWJ => ends_emoji(before) && after.is_some_and(is_emoji),
        '\u{fe0e}' | '\u{fe0f}' => is_emoji(before) || may_be_emoji(before) && after == Some('\u{20e3}'),
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
        .any(|c| !c.is_whitespace() && !deceives(c) && !is_joint(c) && !is_combining_mark(c))
}

/// What is not seen by itself, in texts that came by other ways than ours too.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    is_joint(c) || is_hidden(c)
}

/// Takes the characters of a text one after the other, each with its neighbours.
#[derive(Default)]
struct Reading {
    before: Option<char>,
    /// What marks stand with.
    base: Option<char>,
}

impl Reading {
    /// Whether the next character stands where it may; one that does not is left out. Nothing is joined to a neighbour that will be left out.
    fn takes(&mut self, c: char, after: Option<char>) -> bool {
        let after = after.filter(|next| !deceives(*next) && !is_joint(*next) && !is_stray(self.base, *next));
        let taken = !deceives(c) && !is_stray(self.base, c) && (!is_joint(c) || joins(self.before, c, after));
        if taken {
            self.before = Some(c);
            if !is_joint(c) && !is_combining_mark(c) {
                self.base = Some(c);
            }
        }
        taken
    }
}

/// What of a text stands where it may.
fn kept(text: &str) -> impl Iterator<Item = char> {
    let mut rest = text.chars().peekable();
    let mut reading = Reading::default();
    std::iter::from_fn(move || {
        loop {
            let c = rest.next()?;
            if matches!(c, '\n' | '\t') || reading.takes(c, rest.peek().copied()) {
                return Some(c);
            }
        }
    })
}

/// One line: NFC, trimmed, inner blanks folded to one; `None` when it holds a character that deceives. Empty when nothing of it is seen.
#[must_use]
pub fn line(input: &str) -> Option<String> {
    let text: String = input.nfc().collect();
    if text.contains(['\n', '\t']) || !kept(&text).eq(text.chars()) {
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
    let kept: String = kept(&text).nfc().collect();
    if shows(&kept) {
        kept.trim().to_owned()
    } else {
        String::new()
    }
}

/// One line of what a bank or a browser wrote: what a typed one would be refused for is taken out of it. Empty when nothing of it is seen.
#[must_use]
pub fn cleaned(input: &str) -> String {
    line(&paragraph(&input.replace(['\r', '\n', '\t'], " "))).unwrap_or_default()
}

/// The beginning of a clean text that no person typed here (a bank's, a file's name), of at most so many characters; nothing is left of an emoji's joints that would join nothing.
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
        if category(c) == GeneralCategory::SpaceSeparator {
            ' '
        } else {
            c
        }
    });
    Some(spaced.nfc().collect())
}

/// Most characters of a reason or note, wherever one is given.
pub const REASON: usize = 500;

/// A clean text as it was typed, or a refusal: nothing of what a person wrote is cut off in silence.
///
/// # Errors
/// `message.too_long` at the field.
pub fn at_most(text: String, field: &str, most: usize) -> Result<String, Error> {
    if text.chars().count() > most {
        return Err(Error::code(ErrorCode::MessageTooLong)
            .field(field, ErrorCode::MessageTooLong)
            .with("maximum", most));
    }
    Ok(text)
}

/// Why somebody decided something, as it is kept: a paragraph of at most [`REASON`] characters.
///
/// # Errors
/// `decision.reason_missing` at the field when nothing is left; `message.too_long`.
pub fn reason(given: &str, field: &str) -> Result<String, Error> {
    let reason = at_most(paragraph(given), field, REASON)?;
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

/// Small letters that no normal form takes apart, and what people type who do not have them. `foundation.folded` has the same ones.
pub const PLAIN: [(char, &str); 27] = [
    ('ß', "ss"),
    ('æ', "ae"),
    ('œ', "oe"),
    ('þ', "th"),
    ('ł', "l"),
    ('ø', "o"),
    ('đ', "d"),
    ('ð', "d"),
    ('ı', "i"),
    ('ȷ', "j"),
    ('ħ', "h"),
    ('ŧ', "t"),
    ('ŋ', "n"),
    ('ĸ', "k"),
    ('ə', "e"),
    ('ɛ', "e"),
    ('ɔ', "o"),
    ('ɖ', "d"),
    ('ɗ', "d"),
    ('ɓ', "b"),
    ('ƙ', "k"),
    ('ƴ', "y"),
    ('ɨ', "i"),
    ('ʉ', "u"),
    ('ƶ', "z"),
    ('ƀ', "b"),
    ('ς', "σ"),
];

/// The form in which searched words and payers' names are compared: without accents, width and capitals, in plain letters.
/// `foundation.folded` in the database does the same, letter by letter: to it a sigma is one wherever it stands in its word.
#[must_use]
pub fn folded(input: &str) -> String {
    let mut folded = String::with_capacity(input.len());
    let bare = input.nfkd().filter(|c| !matches!(c, '\u{300}'..='\u{36f}'));
    for c in bare.flat_map(char::to_lowercase) {
        match PLAIN.iter().find(|(letter, _)| *letter == c) {
            Some((_, plain)) => folded.push_str(plain),
            None => folded.push(c),
        }
    }
    folded
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
                && !may_be_emoji(*c)
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
            "Ana\u{13430}",
            "Ana\u{13441}",
            "Ana\u{fffc}",
            "Ana\u{2800}",
            "Ana\u{2800}Lima",
            "Ana\u{e0061}",
            "Ana\u{16fe4}",
            "Ana1\u{16fe4}",
            "Ana\u{9cd}",
            "Ana\u{1d159}",
            "Ana\u{378}",
            "Ana\u{1107f}",
            "Ana\u{110bd}\u{200b}",
            "Ana\u{e0001}",
            "Ana\u{fff0}",
        ] {
            assert_eq!(line(bad), None, "{bad:?}");
        }
        assert_eq!(paragraph(" a\r\nb\u{202e}\t "), "a\nb");
        assert_eq!(paragraph("A\u{200d}na\u{ad} 🤷\u{200d}"), "Ana 🤷");
        assert_eq!(cleaned(" Ana\0\u{202e}\r\n de\tTal\u{200b} "), "Ana de Tal");
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
            "⠁⠃\u{2800}⠉",
            "नमस्ते",
            "আল্লাহ",
            "שָׁלוֹם",
            "ไม้เอก",
            "が゙",
            "á\u{327}",
            "\u{600}١٢",
            "N° 5 ♪ → ™",
            "\u{1f6d9}",
        ] {
            assert_eq!(line(good).as_deref(), Some(good), "{good}");
            assert_eq!(paragraph(good), good, "{good}");
        }
    }

    #[test]
    fn a_text_shows_something() {
        for nothing in ["", "  ", "\u{301}"] {
            assert_eq!(line(nothing).as_deref(), Some(""), "{nothing:?}");
        }
        for nothing in [
            "\u{3164}",
            "\u{ad}",
            "\u{200d}",
            "\u{200c}\n\u{200c}",
            "\u{feff}\u{2060}",
            "\u{fe0f}",
            "\u{2800}",
            "\u{2800} \u{2800}",
            "\u{fffc}\u{13430}\u{16fe4}",
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
        assert_eq!(
            folded("Łukasz Ørsted ẞ STRAẞE Ðorđe Æneas Œuvre Þór IŞIK ışık Ħal Ŋ"),
            "lukasz orsted ss strasse dorde aeneas oeuvre thor isik isik hal n"
        );
        assert_eq!(searched(" 5％_ "), "%5\\%\\_%");
    }

    #[test]
    fn letters_of_a_name() {
        assert_eq!(letters("🚀 Ana-Lima 2º ™ Ⓑ🅰"), "AnaLima");
    }

    proptest! {
        /// What was cleaned is clean, and nothing that a stranger sends breaks it.
        #[test]
        fn cleaning_twice_is_once(text in "\\PC{0,40}", joined in "[🤷♀\u{200d}\u{200c}\u{fe0f}aعक्\u{2800}⠁\u{16fe4}\u{9cd}\u{301}\u{fffc} ]{0,12}") {
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
