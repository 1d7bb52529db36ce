//! Letters of a file: UTF-16 becomes UTF-8 as it comes in, what is no UTF-8 is Windows-1252.

use super::Problem;

/// What Windows-1252 has where Latin-1 has control characters; the five that stand for nothing are left as these.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// A line's text.
pub(super) fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|b| windows(*b)).collect(),
    }
}

fn windows(byte: u8) -> char {
    byte.checked_sub(0x80)
        .and_then(|at| WINDOWS.get(usize::from(at)).copied())
        .unwrap_or(char::from(byte))
}

/// Bytes on their way to the lines.
#[derive(Debug, Default)]
pub(super) enum Bytes {
    /// The first ones, until it is clear what they are.
    #[default]
    Unknown,
    Half(u8),
    Plain,
    Wide(Wide),
}

/// UTF-16: half a unit, and the first of two that are one letter.
#[derive(Debug)]
pub(super) struct Wide {
    big: bool,
    half: Option<u8>,
    first: Option<u16>,
}

impl Bytes {
    /// Gives on the next bytes, one by one.
    pub(super) fn feed(
        &mut self,
        chunk: &[u8],
        mut to: impl FnMut(u8) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        chunk.iter().try_for_each(|byte| self.byte(*byte, &mut to))
    }

    /// Gives on what still waits.
    pub(super) fn finish(&mut self, mut to: impl FnMut(u8) -> Result<(), Problem>) -> Result<(), Problem> {
        if let Self::Half(first) = *self {
            *self = Self::Plain;
            return to(first);
        }
        Ok(())
    }

    fn byte(&mut self, byte: u8, to: &mut impl FnMut(u8) -> Result<(), Problem>) -> Result<(), Problem> {
        match self {
            Self::Unknown => *self = Self::Half(byte),
            Self::Half(first) => {
                let first = *first;
                // Its mark, or its first letter: a column's name begins with one, and plain text has no zero.
                let big = match (first, byte) {
                    (0xFE, 0xFF) => Some(true),
                    (0xFF, 0xFE) => Some(false),
                    (0, 1..) => Some(true),
                    (1.., 0) => Some(false),
                    _ => None,
                };
                let Some(big) = big else {
                    *self = Self::Plain;
                    to(first)?;
                    return to(byte);
                };
                *self = Self::Wide(Wide {
                    big,
                    half: None,
                    first: None,
                });
                if first == 0 || byte == 0 {
                    self.byte(first, to)?;
                    self.byte(byte, to)?;
                }
            }
            Self::Plain => to(byte)?,
            Self::Wide(wide) => {
                if let Some(letter) = wide.byte(byte) {
                    let mut narrow = [0; 4];
                    letter.encode_utf8(&mut narrow).bytes().try_for_each(to)?;
                }
            }
        }
        Ok(())
    }
}

impl Wide {
    fn byte(&mut self, byte: u8) -> Option<char> {
        let half = self.half.take();
        let Some(half) = half else {
            self.half = Some(byte);
            return None;
        };
        let pair = [half, byte];
        let unit = if self.big {
            u16::from_be_bytes(pair)
        } else {
            u16::from_le_bytes(pair)
        };
        match self.first.take() {
            Some(first) => char::decode_utf16([first, unit])
                .next()
                .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)),
            None if (0xD800..0xDC00).contains(&unit) => {
                self.first = Some(unit);
                None
            }
            None => Some(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }
}
