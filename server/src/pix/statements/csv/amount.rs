//! Amounts as Brazilian banks write them.

use protocol::money::Brl;

/// An amount with point or comma, its thousands in groups of three; zero is none, and what can be read in two ways is none either.
pub(super) fn amount(text: &str) -> Option<Brl> {
    let bare: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '\u{202f}')
        .map(|c| {
            if matches!(c, '\u{2212}' | '\u{2013}') {
                '-'
            } else {
                c
            }
        })
        .collect::<String>()
        .to_uppercase();
    let (negative, rest) = signed(&bare)?;
    let plain = ungrouped(rest)?;
    let brl: Brl = plain.parse().ok()?;
    (!brl.is_zero()).then_some(if negative { -brl } else { brl })
}

/// What left is marked before or behind the number, by brackets, or by a D (C for what came); twice in the same sense is once.
fn signed(text: &str) -> Option<(bool, &str)> {
    let (mut negative, mut positive, mut rest) = (false, false, text);
    loop {
        if let Some(inner) = rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')) {
            (negative, rest) = (true, inner);
        } else if let Some(inner) = rest.strip_suffix(['-', 'D']).or_else(|| rest.strip_prefix('-')) {
            (negative, rest) = (true, inner);
        } else if let Some(inner) = rest.strip_suffix(['+', 'C']).or_else(|| rest.strip_prefix('+')) {
            (positive, rest) = (true, inner);
        } else if let Some(inner) = rest.strip_prefix("R$").or_else(|| rest.strip_prefix("BRL")) {
            rest = inner;
        } else {
            break;
        }
    }
    (!(negative && positive)).then_some((negative, rest))
}

fn ungrouped(text: &str) -> Option<String> {
    let is_mark = |c: char| matches!(c, ',' | '.');
    let marks: Vec<char> = text.chars().filter(|c| is_mark(*c)).collect();
    let (group, decimal) = match *marks.as_slice() {
        [] => (None, None),
        [only] => (None, Some(only)),
        [first, .., last] if first == last => (Some(first), None),
        [first, .., last] => (Some(first), Some(last)),
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
        (1..=3).contains(&first.len())
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
            ("-10,00 d", -1_000),
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
            "0,00",
            "",
            "-",
            "R$",
            "١٢",
        ] {
            assert_eq!(amount(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn amounts_survive_both_ways(centavos in -1_000_000_000i64..1_000_000_000) {
            prop_assume!(centavos != 0);
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
