//! Pure rules: usernames, forms. No I/O; randomness and time are passed in.

pub use crate::foundation::mail::address::read as email;
use crate::{error::Error, foundation::text};
use protocol::ErrorCode;
use time::OffsetDateTime;

/// Longest part of a username that comes from the name (docs/rules/identity.md#registration).
const NAME_PART: usize = 13;

/// A username: the full name without accents and non-letters, lower case, at most 13 characters, then a number from 1 to 99999.
#[must_use]
pub fn username(full_name: &str, number: u32) -> String {
    let letters: String = deunicode::deunicode(&text::letters(full_name))
        .chars()
        .filter(char::is_ascii_alphabetic)
        .map(|c| c.to_ascii_lowercase())
        .take(NAME_PART)
        .collect();
    let name = if letters.is_empty() { "membro" } else { &letters };
    format!("{name}{}", number.clamp(1, 99_999))
}

/// Seconds until `at`, at least one, as Retry-After wants them.
#[must_use]
pub fn seconds_until(at: OffsetDateTime, now: OffsetDateTime) -> u32 {
    u32::try_from((at - now).whole_seconds().saturating_add(1))
        .unwrap_or(1)
        .max(1)
}

/// Enough of a mail address to recognise one's own: "a***@example.com".
#[must_use]
pub fn masked_email(email: &str) -> String {
    let (local, host) = email.rsplit_once('@').unwrap_or((email, ""));
    let first = local.chars().next().unwrap_or('*');
    format!("{first}***@{host}")
}

/// A phone number: digits with the usual signs, kept as typed.
#[must_use]
pub fn phone(input: &str) -> Option<String> {
    let phone = text::line(input)?;
    let digits = phone.chars().filter(char::is_ascii_digit).count();
    let plain = phone.chars().all(|c| c.is_ascii_digit() || "+-() .".contains(c));
    (plain && (8..=15).contains(&digits) && phone.len() <= 32).then_some(phone)
}

/// A browser as its owner knows it: "Firefox · Linux".
#[must_use]
pub fn device(user_agent: &str) -> String {
    let find = |table: &[(&str, &'static str)]| {
        table
            .iter()
            .find(|(mark, _)| user_agent.contains(mark))
            .map(|(_, name)| *name)
    };
    // Order matters: Edge and Opera also say Chrome, Chrome also says Safari, Android also says Linux.
    let browser = find(&[
        ("Edg", "Edge"),
        ("OPR", "Opera"),
        ("Firefox", "Firefox"),
        ("Chrome", "Chrome"),
        ("Safari", "Safari"),
    ]);
    let system = find(&[
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS", "macOS"),
        ("Linux", "Linux"),
    ]);
    match (browser, system) {
        (Some(browser), Some(system)) => format!("{browser} · {system}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => user_agent.chars().filter(|c| !c.is_control()).take(60).collect(),
    }
}

/// Collects what is wrong with a form, field by field.
#[derive(Debug, Default)]
pub struct Form(Vec<(String, ErrorCode)>);

impl Form {
    pub fn refuse(&mut self, field: &str, code: ErrorCode) {
        self.0.push((field.to_owned(), code));
    }

    /// One clean line between two lengths.
    pub fn line(&mut self, field: &str, input: &str, min: usize, max: usize) -> String {
        match text::line(input) {
            Some(line) if (min..=max).contains(&line.chars().count()) => return line,
            Some(line) if line.is_empty() => self.refuse(field, ErrorCode::FieldRequired),
            _ => self.refuse(field, ErrorCode::RequestInvalid),
        }
        String::new()
    }

    /// Like [`Form::line`], but nothing is fine too.
    pub fn optional(&mut self, field: &str, input: Option<&str>, max: usize) -> Option<String> {
        let input = input.filter(|i| !i.trim().is_empty())?;
        Some(self.line(field, input, 1, max))
    }

    /// What a rule reads of a text; nothing is fine too.
    pub fn read<T>(
        &mut self,
        field: &str,
        typed: &str,
        wrong: ErrorCode,
        rule: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        if typed.trim().is_empty() {
            return None;
        }
        let read = rule(typed);
        if read.is_none() {
            self.refuse(field, wrong);
        }
        read
    }

    /// A phone number; nothing is fine too.
    pub fn phone(&mut self, field: &str, typed: &str) -> Option<String> {
        let number = phone(typed);
        if number.is_none() && !typed.trim().is_empty() {
            self.refuse(field, ErrorCode::RequestInvalid);
        }
        number
    }

    /// # Errors
    /// The only complaint's code, or `request.invalid`, with all fields.
    pub fn finish(self) -> Result<(), Error> {
        let mut codes: Vec<ErrorCode> = self.0.iter().map(|(_, code)| *code).collect();
        codes.dedup();
        let head = match codes.as_slice() {
            [] => return Ok(()),
            [one] if *one != ErrorCode::FieldRequired => *one,
            _ => ErrorCode::RequestInvalid,
        };
        Err(self
            .0
            .into_iter()
            .fold(Error::code(head), |error, (field, code)| error.field(field, code)))
    }
}

/// "Ana Maria de Souza" as anybody may see it: "Ana".
#[must_use]
pub fn first_name(full_name: &str) -> &str {
    full_name.split_whitespace().next().unwrap_or_default()
}

/// "Ana Maria de Souza" as members see it: "Ana S."
#[must_use]
pub fn short_name(full_name: &str) -> String {
    let mut words = full_name.split_whitespace();
    let first = words.next().unwrap_or_default();
    match words.next_back().and_then(|last| last.chars().next()) {
        Some(initial) => format!("{first} {}.", initial.to_uppercase()),
        None => first.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn usernames_of_the_specification() {
        for (name, number, expected) in [
            ("Ana", 21, "ana21"),
            ("José Antônio da Conceição", 7, "joseantonioda7"),
            ("  Zoë  O'Neil-Čapek ", 99_999, "zoeoneilcapek99999"),
            ("李 小龍", 1, "lixiaolong1"),
            ("123 !!", 5, "membro5"),
            ("Ana", 0, "ana1"),
            ("Ana", 200_000, "ana99999"),
            ("🚀 Ana Lima", 3, "analima3"),
            ("🤷\u{200d}♀\u{fe0f} ™ №", 3, "membro3"),
            ("Łukasz Żółć", 3, "lukaszzolc3"),
        ] {
            assert_eq!(username(name, number), expected, "{name}");
        }
    }

    proptest! {
        #[test]
        fn usernames_are_letters_then_a_number(name in "\\PC{0,60}", number in 1u32..=99_999) {
            let made = username(&name, number);
            let split = made.find(|c: char| c.is_ascii_digit()).unwrap();
            let (letters, digits) = made.split_at(split);
            prop_assert!((1..=NAME_PART).contains(&letters.len()));
            prop_assert!(letters.bytes().all(|b| b.is_ascii_lowercase()));
            prop_assert_eq!(digits.parse::<u32>().unwrap(), number);
        }

        #[test]
        fn no_input_breaks_a_rule(input in "\\PC{0,300}") {
            let _ = (phone(&input), device(&input));
        }
    }

    #[test]
    fn numbers_and_browsers() {
        for (input, fine) in [
            ("+55 (11) 98765-4321", true),
            ("12345678", true),
            ("1234567", false),
            ("+55 11 9x", false),
            ("1234567890123456", false),
        ] {
            assert_eq!(phone(input).is_some(), fine, "{input}");
        }
        assert_eq!(
            device("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/131 Safari/537.36"),
            "Chrome · Linux"
        );
        assert_eq!(device("curl/8"), "curl/8");
    }

    #[test]
    fn strangers_see_a_shortened_name() {
        for (full, short) in [
            ("Ana Maria de Souza", "Ana S."),
            ("Ana", "Ana"),
            ("  Ana  ávila ", "Ana Á."),
            ("", ""),
        ] {
            assert_eq!(short_name(full), short);
            assert!(short.starts_with(first_name(full)));
        }
    }
}
