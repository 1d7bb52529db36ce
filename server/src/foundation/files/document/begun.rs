//! Where objects begin, and the number before them.

use super::{find, is_regular, is_space};

/// What is read backwards of a number, its generation and the spaces between.
const BEFORE: usize = 64;

/// At each word `obj`.
pub(super) fn begun(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let at = find(bytes, b"obj", from)?;
            from = at + 3;
            if at.checked_sub(1).and_then(|b| bytes.get(b)) != Some(&b'd') {
                return Some(at);
            }
        }
    })
}

/// What stands before the word `obj`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbered {
    /// As in `12 0 obj`.
    As(u64),
    /// Perhaps a number, with a comment or a sign, or beyond what is read.
    Unclear,
    /// The word is within another, or in a picture.
    Not,
}

impl Numbered {
    pub(super) fn before(bytes: &[u8], word: usize) -> Self {
        let start = word.saturating_sub(BEFORE);
        let before = bytes.get(start..word).unwrap_or_default();
        if !before.last().is_some_and(|b| is_space(*b) || b.is_ascii_digit()) {
            return Self::Not;
        }
        let (rest, generation) = digits_before(spaces_before(before));
        let spaced = spaces_before(rest);
        let (in_front, number) = digits_before(spaced);
        let alone = in_front.last().map_or(start == 0, |b| !is_regular(*b));
        let number = std::str::from_utf8(number).ok().and_then(|n| n.parse().ok());
        match number {
            Some(number) if alone && !generation.is_empty() && spaced.len() < rest.len() => Self::As(number),
            _ => Self::Unclear,
        }
    }
}

fn spaces_before(bytes: &[u8]) -> &[u8] {
    let spaces = bytes.iter().rev().take_while(|b| is_space(**b)).count();
    bytes.get(..bytes.len() - spaces).unwrap_or_default()
}

fn digits_before(bytes: &[u8]) -> (&[u8], &[u8]) {
    let digits = bytes.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    bytes.split_at(bytes.len() - digits)
}
