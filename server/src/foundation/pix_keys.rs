//! Documents and PIX keys: check digits, one spelling each, what a screen may show of them. Pure.
//!
//! CPF: two check digits, modulo 11. CNPJ: the same over letters and digits (value = ASCII − 48), as issued since July 2026.
//! A key has one of the five kinds of Banco Central's directory (DICT): CPF, CNPJ, phone (E.164), e-mail, EVP (uuid).

use super::mail::address;
use protocol::views::PixKeyKind;
use std::fmt;

/// A taxpayer's number: 11 digits of a person, or 12 letters and digits and two check digits of a company.
#[derive(Clone, PartialEq, Eq)]
pub enum Document {
    Cpf(String),
    Cnpj(String),
}

/// A key as the directory holds it. Personal: it prints as its mask.
#[derive(Clone, PartialEq, Eq)]
pub struct PixKey {
    kind: PixKeyKind,
    text: String,
}

/// How a key stands to the person who wants the money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HolderMatch {
    /// The key is the holder's own document.
    Matches,
    /// A phone, e-mail or EVP: only the bank's directory says whose it is.
    Unknown,
    /// Somebody else's document.
    Differs,
}

const LONGEST: usize = 77;

/// The check digit that makes the weighted sum divisible, modulo 11; weights run from 2 at the right end up to `highest`, then
/// from 2 again.
fn check_digit(values: &[u32], highest: u32) -> u32 {
    let mut weight = 1;
    let sum: u32 = values
        .iter()
        .rev()
        .map(|value| {
            weight = if weight == highest { 2 } else { weight + 1 };
            value * weight
        })
        .sum();
    match sum % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    }
}

/// Both check digits of a body: the second one covers the first.
fn check_digits(body: &str, highest: u32) -> String {
    let mut values: Vec<u32> = body.bytes().map(|b| u32::from(b) - 48).collect();
    let first = check_digit(&values, highest);
    values.push(first);
    let second = check_digit(&values, highest);
    format!("{first}{second}")
}

/// The characters that count: dots, dashes, slashes and blanks are how people write.
fn bare(text: &str) -> String {
    text.chars()
        .filter(|c| !matches!(c, '.' | '-' | '/' | ' ' | '\u{a0}'))
        .collect::<String>()
        .to_ascii_uppercase()
}

fn one_character(text: &str) -> bool {
    text.bytes().all(|b| text.as_bytes().first() == Some(&b))
}

fn cpf(text: &str) -> Option<String> {
    let digits = bare(text);
    let (body, check) = digits.split_at_checked(9)?;
    let sound = digits.len() == 11
        && digits.bytes().all(|b| b.is_ascii_digit())
        && !one_character(&digits)
        && check_digits(body, 11) == check;
    sound.then_some(digits)
}

fn cnpj(text: &str) -> Option<String> {
    let number = bare(text);
    let (body, check) = number.split_at_checked(12)?;
    let sound = number.len() == 14
        && body.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
        && check.bytes().all(|b| b.is_ascii_digit())
        && !one_character(body)
        && check_digits(body, 9) == check;
    sound.then_some(number)
}

/// A Brazilian number in E.164: area code of two digits without zero, then nine digits of a mobile or eight of a fixed line.
fn phone(text: &str) -> Option<String> {
    let digits: String = text
        .chars()
        .filter(|c| !matches!(c, '(' | ')' | '-' | '.' | ' ' | '\u{a0}'))
        .collect();
    let national = match digits.strip_prefix('+') {
        Some(rest) => rest.strip_prefix("55")?,
        // Area code 55 exists: only a number too long to be national carries the country.
        None if digits.len() >= 12 => digits.strip_prefix("55")?,
        None => &digits,
    };
    if !national.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let (area, line) = national.split_at_checked(2)?;
    let first = line.bytes().next()?;
    let sound = !area.contains('0')
        && match line.len() {
            9 => first == b'9',
            8 => matches!(first, b'2'..=b'5'),
            _ => false,
        };
    sound.then(|| format!("+55{national}"))
}

/// Area codes that are given out, by their first digit: the second ones.
const AREAS: [&str; 9] = [
    "123456789",
    "12478",
    "1234578",
    "123456789",
    "1345",
    "123456789",
    "134579",
    "123456789",
    "123456789",
];

/// Whether a number without its kind is a phone's: with its country, or of an area that there is and without the marks of a CPF.
fn is_meant_as_phone(text: &str) -> bool {
    let text = text.trim();
    let digits: Vec<char> = text.chars().filter(char::is_ascii_digit).collect();
    if text.starts_with('+') || digits.len() >= 12 {
        return true;
    }
    let marks: String = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    let area = match digits.as_slice() {
        [first, second, ..] => first
            .to_digit(10)
            .and_then(|first| AREAS.get(usize::try_from(first).ok()?.checked_sub(1)?))
            .is_some_and(|seconds| seconds.contains(*second)),
        _ => false,
    };
    area && marks != "..-"
}

fn email(text: &str) -> Option<String> {
    let text = text.trim().to_lowercase();
    let (local, domain) = text.split_once('@')?;
    let plain = |s: &str, extra: &str| {
        s.bytes()
            .all(|b| b.is_ascii_alphanumeric() || extra.bytes().any(|e| e == b))
    };
    let dotted = |s: &str| !s.starts_with('.') && !s.ends_with('.') && !s.contains("..");
    let sound = text.len() <= LONGEST
        && !local.is_empty()
        && plain(local, ".!#$%&'*+/=?^_`{|}~-")
        && dotted(local)
        && plain(domain, ".-")
        && dotted(domain)
        && address::is_named(domain)
        && domain
            .split('.')
            .all(|label| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-'));
    sound.then_some(text)
}

fn evp(text: &str) -> Option<String> {
    let text = text.trim();
    // The directory's form: 8-4-4-4-12 with dashes.
    (text.len() == 36)
        .then(|| uuid::Uuid::try_parse(text).ok())
        .flatten()
        .filter(|id| !id.is_nil())
        .map(|id| id.hyphenated().to_string())
}

impl Document {
    /// Reads a CPF or CNPJ as people write it.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        cpf(text).map(Self::Cpf).or_else(|| cnpj(text).map(Self::Cnpj))
    }

    #[must_use]
    pub const fn kind(&self) -> PixKeyKind {
        match self {
            Self::Cpf(_) => PixKeyKind::Cpf,
            Self::Cnpj(_) => PixKeyKind::Cnpj,
        }
    }

    /// The number without marks. Every call is a place to look at in a review.
    #[must_use]
    pub fn expose(&self) -> &str {
        match self {
            Self::Cpf(number) | Self::Cnpj(number) => number,
        }
    }

    #[must_use]
    pub fn masked(&self) -> String {
        mask(self.kind(), self.expose())
    }
}

impl PixKey {
    /// Reads a key of a kind as people write it.
    #[must_use]
    pub fn read(kind: PixKeyKind, text: &str) -> Option<Self> {
        let text = match kind {
            PixKeyKind::Cpf => cpf(text),
            PixKeyKind::Cnpj => cnpj(text),
            PixKeyKind::Phone => phone(text),
            PixKeyKind::Email => email(text),
            PixKeyKind::Evp => evp(text),
        }?;
        Some(Self { kind, text })
    }

    /// Reads a key whose kind nobody told. Eleven digits that are a CPF's are one: a phone is then written with its +55. A CPF with a wrong
    /// digit is no phone.
    #[must_use]
    pub fn guess(text: &str) -> Option<Self> {
        [
            PixKeyKind::Cpf,
            PixKeyKind::Cnpj,
            PixKeyKind::Email,
            PixKeyKind::Evp,
        ]
        .into_iter()
        .find_map(|kind| Self::read(kind, text))
        .or_else(|| Self::read(PixKeyKind::Phone, text).filter(|_| is_meant_as_phone(text)))
    }

    #[must_use]
    pub const fn kind(&self) -> PixKeyKind {
        self.kind
    }

    /// The key itself. Every call is a place to look at in a review.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// The key with the marks that people read it by.
    #[must_use]
    pub fn written(&self) -> String {
        let part = |from: usize, to: usize| self.text.get(from..to).unwrap_or_default();
        match self.kind {
            PixKeyKind::Cpf => format!("{}.{}.{}-{}", part(0, 3), part(3, 6), part(6, 9), part(9, 11)),
            PixKeyKind::Cnpj => format!(
                "{}.{}.{}/{}-{}",
                part(0, 2),
                part(2, 5),
                part(5, 8),
                part(8, 12),
                part(12, 14)
            ),
            PixKeyKind::Phone => {
                let end = self.text.len();
                format!("+55 ({}) {}-{}", part(3, 5), part(5, end - 4), part(end - 4, end))
            }
            PixKeyKind::Email | PixKeyKind::Evp => self.text.clone(),
        }
    }

    #[must_use]
    pub fn masked(&self) -> String {
        mask(self.kind, &self.text)
    }

    /// Whose it is, as far as the key itself says.
    #[must_use]
    pub fn against(&self, holder: &Document) -> HolderMatch {
        match self.kind {
            PixKeyKind::Cpf | PixKeyKind::Cnpj if self.text == holder.expose() => HolderMatch::Matches,
            PixKeyKind::Cpf | PixKeyKind::Cnpj => HolderMatch::Differs,
            PixKeyKind::Phone | PixKeyKind::Email | PixKeyKind::Evp => HolderMatch::Unknown,
        }
    }
}

/// Enough to recognise one's own, too little to use: the way banks show keys.
fn mask(kind: PixKeyKind, text: &str) -> String {
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    match kind {
        PixKeyKind::Cpf => format!("***.{}.{}-**", part(3, 6), part(6, 9)),
        PixKeyKind::Cnpj => format!("**.{}.{}/****-**", part(2, 5), part(5, 8)),
        PixKeyKind::Phone => format!("+55 ({}) *****-{}", part(3, 5), part(text.len() - 4, text.len())),
        PixKeyKind::Email => {
            let (local, domain) = text.split_once('@').unwrap_or((text, ""));
            format!("{}***@{domain}", local.chars().next().unwrap_or('*'))
        }
        PixKeyKind::Evp => format!("{}-****-****-****-********{}", part(0, 8), part(32, 36)),
    }
}

impl HolderMatch {
    pub const ALL: [Self; 3] = [Self::Matches, Self::Unknown, Self::Differs];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Matches => "matches",
            Self::Unknown => "unknown",
            Self::Differs => "differs",
        }
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.as_str() == text)
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}
impl fmt::Debug for PixKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn published_check_digits() {
        for (body, digits) in [("529982247", "25"), ("111444777", "35")] {
            assert_eq!(check_digits(body, 11), digits, "{body}");
        }
        for (body, digits) in [("12ABC34501DE", "35"), ("112223330001", "81")] {
            assert_eq!(check_digits(body, 9), digits, "{body}");
        }
    }

    #[test]
    fn documents_are_read_as_people_write_them() {
        for (text, number) in [
            ("529.982.247-25", "52998224725"),
            (" 111 444 777 35 ", "11144477735"),
            ("12.abc.345/01de-35", "12ABC34501DE35"),
            ("11.222.333/0001-81", "11222333000181"),
        ] {
            assert_eq!(
                Document::read(text).map(|d| d.expose().to_owned()).as_deref(),
                Some(number),
                "{text}"
            );
        }
        for bad in [
            "",
            "529.982.247-26",
            "52998224725x",
            "5299822472",
            "111.111.111-11",
            "00000000000000",
            "12.ABC.345/01DE-36",
            "12.ABC.345/01DE-3A",
            "１２３４５６７８９０９",
        ] {
            assert_eq!(Document::read(bad), None, "{bad}");
        }
    }

    #[test]
    fn five_kinds_one_spelling_each() {
        use PixKeyKind::{Cnpj, Cpf, Email, Evp, Phone};
        for (kind, text, key) in [
            (Cpf, "529.982.247-25", "52998224725"),
            (Cnpj, "12.abc.345/01de-35", "12ABC34501DE35"),
            (Phone, "(11) 98765-4321", "+5511987654321"),
            (Phone, "+55 11 98765 4321", "+5511987654321"),
            (Phone, "5511987654321", "+5511987654321"),
            (Phone, "55987654321", "+5555987654321"),
            (Phone, "(11) 3456-7890", "+551134567890"),
            (Email, " Ana@Example.COM ", "ana@example.com"),
            (
                Evp,
                "123E4567-E12B-12D1-A456-426655440000",
                "123e4567-e12b-12d1-a456-426655440000",
            ),
        ] {
            let read = PixKey::read(kind, text);
            assert_eq!(read.as_ref().map(PixKey::expose), Some(key), "{text}");
        }
        for (kind, bad) in [
            (Cpf, "11.222.333/0001-81"),
            (Cnpj, "529.982.247-25"),
            (Phone, "+1 212 555 0100"),
            (Phone, "(01) 98765-4321"),
            (Phone, "(11) 88765-4321"),
            (Phone, "(11) 9876-5432"),
            (Phone, "+55119876543210"),
            (Phone, ""),
            (Email, "ana"),
            (Email, "ana@example"),
            (Email, "a..b@example.com"),
            (Email, "ana@-x.com"),
            (Email, "a na@example.com"),
            (Email, "ana@éxample.com"),
            (Evp, "123e4567e12b12d1a456426655440000"),
            (Evp, "00000000-0000-0000-0000-000000000000"),
            (Evp, "{23e4567-e12b-12d1-a456-426655440000"),
        ] {
            assert_eq!(PixKey::read(kind, bad), None, "{bad}");
        }
        let long = format!("{}@example.com", "a".repeat(70));
        assert_eq!(PixKey::read(Email, &long), None);
    }

    #[test]
    fn a_cpf_with_a_wrong_digit_is_no_phone() {
        for (text, kind) in [
            ("(11) 98765-4321", Some(PixKeyKind::Phone)),
            ("11 98765 4321", Some(PixKeyKind::Phone)),
            ("11987654321", Some(PixKeyKind::Phone)),
            ("+5552998224726", Some(PixKeyKind::Phone)),
            ("529.982.247-25", Some(PixKeyKind::Cpf)),
            ("52998224725", Some(PixKeyKind::Cpf)),
            ("529.982.247-26", None),
            ("52998224726", None),
            ("119.876.543-21", None),
        ] {
            assert_eq!(PixKey::guess(text).map(|key| key.kind()), kind, "{text}");
        }
    }

    #[test]
    fn what_is_shown_tells_little_and_prints_nothing() {
        use PixKeyKind::{Cnpj, Cpf, Email, Evp, Phone};
        for (kind, text, masked, written) in [
            (Cpf, "52998224725", "***.982.247-**", "529.982.247-25"),
            (Cnpj, "12ABC34501DE35", "**.ABC.345/****-**", "12.ABC.345/01DE-35"),
            (
                Phone,
                "+5511987654321",
                "+55 (11) *****-4321",
                "+55 (11) 98765-4321",
            ),
            (Email, "ana@example.com", "a***@example.com", "ana@example.com"),
            (
                Evp,
                "123e4567-e12b-12d1-a456-426655440000",
                "123e4567-****-****-****-********0000",
                "123e4567-e12b-12d1-a456-426655440000",
            ),
        ] {
            let key = PixKey::read(kind, text).unwrap();
            assert_eq!((key.masked().as_str(), key.written().as_str()), (masked, written));
            assert_eq!(format!("{key:?}"), "***");
        }
        assert_eq!(format!("{:?}", Document::read("529.982.247-25")), "Some(***)");
    }

    #[test]
    fn a_key_is_held_against_the_document() {
        let holder = Document::read("529.982.247-25").unwrap();
        for (kind, text, expected) in [
            (PixKeyKind::Cpf, "529.982.247-25", HolderMatch::Matches),
            (PixKeyKind::Cpf, "111.444.777-35", HolderMatch::Differs),
            (PixKeyKind::Cnpj, "11.222.333/0001-81", HolderMatch::Differs),
            (PixKeyKind::Email, "ana@example.com", HolderMatch::Unknown),
        ] {
            assert_eq!(PixKey::read(kind, text).unwrap().against(&holder), expected);
        }
    }

    proptest! {
        /// Every body has exactly one pair of check digits.
        #[test]
        fn a_wrong_check_digit_is_always_noticed(body in "[0-9]{9}", other in "[0-9]{2}") {
            let digits = check_digits(&body, 11);
            let number = format!("{body}{digits}");
            prop_assume!(!one_character(&number));
            prop_assert!(cpf(&number).is_some());
            prop_assert_eq!(cpf(&format!("{body}{other}")).is_some(), other == digits);
        }

        #[test]
        fn companies_with_letters_are_read(body in "[0-9A-Z]{12}") {
            prop_assume!(!one_character(&body));
            let number = format!("{body}{}", check_digits(&body, 9));
            let read = cnpj(&number.to_lowercase());
            prop_assert_eq!(read.as_deref(), Some(number.as_str()));
        }

        /// Reading what was read changes nothing; nothing that a stranger sends breaks it.
        #[test]
        fn normalising_twice_is_once(text in "\\PC{0,90}", phone in "\\+?[0-9 ()-]{0,20}") {
            for kind in PixKeyKind::ALL {
                for text in [&text, &phone] {
                    if let Some(key) = PixKey::read(*kind, text) {
                        prop_assert_eq!(PixKey::read(*kind, key.expose()), Some(key.clone()));
                        prop_assert_eq!(PixKey::read(*kind, &key.written()), Some(key.clone()));
                        prop_assert!(key.expose().len() <= LONGEST && key.masked().contains('*'));
                    }
                }
            }
        }
    }
}
