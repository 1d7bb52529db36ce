//! Names of a PDF, in the ways in which they can be written, and what ends them.

pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | 9 | 10 | 12 | 13 | 32)
}

pub(super) const fn is_regular(byte: u8) -> bool {
    !is_space(byte)
        && !matches!(
            byte,
            b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%'
        )
}

/// Whether a name, as it is written, is this word: `#61` is another way to write `a`.
pub(super) fn is_named(written: &[u8], word: &[u8]) -> bool {
    let (mut written, mut word) = (written, word);
    loop {
        let (byte, rest) = match written {
            [] => return word.is_empty(),
            [b'#', a, b, rest @ ..] => match (hex(*a), hex(*b)) {
                (Some(a), Some(b)) => (a * 16 + b, rest),
                _ => (b'#', written.get(1..).unwrap_or_default()),
            },
            [byte, rest @ ..] => (*byte, rest),
        };
        match word.split_first() {
            Some((wanted, others)) if *wanted == byte => (written, word) = (rest, others),
            _ => return false,
        }
    }
}

pub(super) fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|d| u8::try_from(d).ok())
}

pub(super) fn is_one_of(written: &[u8], words: &[&[u8]]) -> bool {
    words.iter().any(|word| is_named(written, word))
}
