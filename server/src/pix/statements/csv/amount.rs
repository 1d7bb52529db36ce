//! Amounts as Brazilian banks write them.

use protocol::money::Brl;

/// Which way it went, by the mark that says so.
#[derive(Clone, Copy)]
enum Way {
    In,
    Out,
}

/// An amount with point or comma, its thousands in groups of three; what can be read in two ways is none.
pub(super) fn amount(text: &str) -> Option<Brl> {
    let plain: String = text.chars().map(common).collect::<String>().to_uppercase();
    let (way, number) = signed(plain.trim())?;
    let brl: Brl = ungrouped(number)?.parse().ok()?;
    Some(match way {
        Way::In => brl,
        Way::Out => -brl,
    })
}

/// Blanks, apostrophes and minus signs have many spellings.
fn common(c: char) -> char {
    match c {
        '\u{2212}' | '\u{2013}' => '-',
        '\u{2018}' | '\u{2019}' | '\u{2bc}' => '\'',
        c if c.is_whitespace() => ' ',
        c => c,
    }
}

/// Whether what begins or ends a cell goes on in the next one, when the separator of cells is the amount's own comma.
pub(super) fn may_go_on(cell: &str, next: &str) -> bool {
    let begins = cell.trim_end().ends_with(|c: char| c.is_ascii_digit()) && !cell.contains(['.', ',']);
    let digits = next.trim().split('.').next().unwrap_or_default();
    begins && (1..=3).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

/// What left is marked before or behind the number, by brackets, or by a D (C for what came): once, for two marks may mean two things.
fn signed(text: &str) -> Option<(Way, &str)> {
    let (named, text) = without_currency(text);
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let out = || text.strip_prefix('-').or_else(|| text.strip_suffix(['-', 'D']));
    let came = || text.strip_prefix('+').or_else(|| text.strip_suffix(['+', 'C']));
    let (way, rest) = match inner.or_else(out) {
        Some(rest) => (Way::Out, rest),
        None => (Way::In, came().unwrap_or(text)),
    };
    let (named_within, number) = without_currency(rest.trim());
    (!(named && named_within)).then_some((way, number))
}

fn without_currency(text: &str) -> (bool, &str) {
    match text.strip_prefix("R$").or_else(|| text.strip_prefix("BRL")) {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    }
}

/// Digits with a point or comma before the cents. Thousands stand in groups of three, parted by one kind of mark that is not that of the
/// cents: point, comma, blank or apostrophe. Nothing else is part of it, no sign either.
fn ungrouped(text: &str) -> Option<String> {
    let is_decimal = |c: char| matches!(c, ',' | '.');
    let marks: Vec<char> = text
        .chars()
        .filter(|c| is_decimal(*c) || matches!(c, ' ' | '\''))
        .collect();
    let (group, decimal) = match *marks.as_slice() {
        [] => (None, None),
        [only] if is_decimal(only) => (None, Some(only)),
        [only] => (Some(only), None),
        [first, .., last] if first == last => (Some(first), None),
        [first, .., last] => (Some(first), Some(last).filter(|last| is_decimal(*last))),
    };
    let (whole, fraction) = match decimal {
        Some(mark) => text.rsplit_once(mark)?,
        None => (text, ""),
    };
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let fraction_fits = if decimal.is_some() {
        (1..=2).contains(&fraction.len())
    } else {
        fraction.is_empty()
    };
    if !fraction_fits || !digits(fraction) {
        return None;
    }
    let mut groups = group
        .map_or_else(|| vec![whole], |mark| whole.split(mark).collect())
        .into_iter();
    let first = groups.next()?;
    let first_fits = if group.is_some() {
        (1..=3).contains(&first.len()) && !first.starts_with('0')
    } else {
        !first.is_empty()
    };
    if !first_fits || !digits(first) {
        return None;
    }
    let mut plain = first.to_owned();
    for part in groups {
        if part.len() != 3 || !digits(part) {
            return None;
        }
        plain.push_str(part);
    }
    if !fraction.is_empty() {
        plain.push('.');
        plain.push_str(fraction);
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_banks_write_is_read() {
        for (text, centavos) in [
            ("1234.56", 123_456),
            ("1.234,56", 123_456),
            ("1,234.56", 123_456),
            ("R$ 1.234.567,8", 123_456_780),
            ("1.234.567", 123_456_700),
            ("12", 1_200),
            ("10,5", 1_050),
            ("-10,00", -1_000),
            ("10,00-", -1_000),
            ("10,00 -", -1_000),
            ("- R$ 10,00", -1_000),
            ("R$ -10,00", -1_000),
            ("\u{2212}10,00", -1_000),
            ("(10,00)", -1_000),
            ("10,00 D", -1_000),
            ("10,00D", -1_000),
            ("-R$10,00", -1_000),
            ("(R$ 10,00)", -1_000),
            ("R$ (10,00)", -1_000),
            ("R$ 10,00-", -1_000),
            ("10,00+", 1_000),
            ("000000010,00", 1_000),
            ("1 234,56", 123_456),
            ("1\u{a0}234\u{a0}567,00", 123_456_700),
            ("12\u{202f}345.6", 1_234_560),
            ("R$\u{2009}1\u{2009}234,00 D", -123_400),
            ("1'234.56", 123_456),
            ("-1\u{2019}234\u{2019}567,00", -123_456_700),
            ("1 234", 123_400),
            ("0,00", 0),
            ("-0,00", 0),
            ("R$ 0,00 D", 0),
            ("10,00 C", 1_000),
            ("+10,00", 1_000),
            ("1.234,56\u{a0}", 123_456),
        ] {
            assert_eq!(amount(text), Some(Brl(centavos)), "{text}");
        }
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_none() {
        for text in [
            "12.34.56,00",
            "12 34 56,00",
            "1 00,00",
            "12\u{a0}34\u{a0}56,00",
            "12\u{202f}34,00",
            "1\u{2009}00",
            "1'00,00",
            "12'34'56",
            "1 234.567,00",
            "1.234 567,00",
            "1 234'567",
            "1  234,00",
            "1 234 ,00",
            "10 0,00",
            "1,00 00",
            "1234 567,00",
            "0 100,00",
            "0.100,00",
            "1\u{200b}234,00",
            "--100",
            "- -100",
            "100,00--",
            "-100,00-",
            "(-100,00)",
            "-(100)",
            "((100))",
            "(100,00)-",
            "(100,00",
            "100,00)",
            "(100,00) D",
            "(100,00 D)",
            "+-1",
            "-+1",
            "++1",
            "+1+",
            "1-2",
            "-10,00 D",
            "10,00 DD",
            "10,00 D C",
            "+10,00 C",
            "R$ R$ 10,00",
            "R$ -R$ 10,00",
            "BRL R$ 10,00",
            "10,00 R$ 5",
            "1.23,45",
            "1234.567,00",
            "1.234",
            "1,234",
            ".50",
            "1.",
            "1..234,00",
            "1,234,56",
            "1.234,567",
            "1,2.3,4",
            "1.234,56,78",
            "-10,00 C",
            "10,00 X",
            "1e3",
            "",
            "-",
            "R$",
            "١٢",
        ] {
            assert_eq!(amount(text), None, "{text}");
        }
    }

    #[test]
    fn an_amount_in_two_cells_is_seen() {
        for (cell, next) in [
            ("100", "55"),
            ("-100", "5"),
            ("R$ 1", "234"),
            ("1", "234.56"),
            ("100", " 55 "),
        ] {
            assert!(may_go_on(cell, next), "{cell} {next}");
        }
        for (cell, next) in [
            ("100.00", "55"),
            ("100", ""),
            ("100", "1000"),
            ("100", "A5"),
            ("100", "-55"),
            ("100 D", "55"),
            ("100", "2026-11-20"),
        ] {
            assert!(!may_go_on(cell, next), "{cell} {next}");
        }
    }

    proptest! {
        /// Whatever parts its digits, a number of thousands has groups of three.
        #[test]
        fn groups_are_checked_whatever_parts_them(parts in proptest::collection::vec(0u32..10_000, 2..5), mark in "[ .'\u{a0}\u{202f}\u{2009}]") {
            let words: Vec<String> = parts.iter().map(u32::to_string).collect();
            let right = words[0].len() <= 3 && words[0] != "0" && words[1..].iter().all(|w| w.len() == 3);
            let read = amount(&format!("{},00", words.join(&mark)));
            prop_assert_eq!(read.is_some(), right);
            prop_assert_eq!(read, right.then(|| Brl(words.concat().parse::<i64>().unwrap() * 100)));
        }

        #[test]
        fn amounts_survive_both_ways(centavos in -1_000_000_000i64..1_000_000_000) {
            let plain = Brl(centavos).to_string();
            prop_assert_eq!(amount(&plain), Some(Brl(centavos)));
            prop_assert_eq!(amount(&plain.replace('.', ",")), Some(Brl(centavos)));
        }

        #[test]
        fn nothing_breaks_it(text in "\\PC{0,24}") {
            let _ = amount(&text);
        }
    }
}
