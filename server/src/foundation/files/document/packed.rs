//! Objects in object streams, where nothing but their dictionary says where they begin and end.
//!
//! Readers take the stream's bytes by its `/Length`, or up to the word `endstream` when that seems wrong; they find an object
//! by the index's offset, or read one after the other; they read as many pairs of the index as `/N` says, wherever it is
//! said to end. So a stream is read in each of these ways, and refused where they differ.

use super::{
    Cursor, Dictionary, Filter, Halt, Length, Numbered, READINGS, Said, Sweep, UNPACKED, UNPACKED_IN_ALL,
    Value, find, words,
};
use flate2::read::ZlibDecoder;
use std::io::Read;

const END: &[u8] = b"endstream";

/// A stream's bytes: so many from where its word ends, with `endstream` behind them and nowhere within.
///
/// An end of line before `endstream` does not count; one behind `stream` is a line feed, alone or after a carriage return, or
/// readers begin at different bytes.
pub(super) fn data(bytes: &[u8], behind_word: usize, length: u64) -> Option<&[u8]> {
    let rest = bytes.get(behind_word..)?;
    let rest = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n"))?;
    let (data, behind) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    let line_ends: [&[u8]; 4] = [b"\r\n", b"\n", b"\r", b""];
    let end = line_ends
        .iter()
        .find(|end| behind.strip_prefix(**end).is_some_and(|b| b.starts_with(END)))?;
    let ends_at = data.len() + end.len();
    let whole = rest.get(..ends_at + END.len())?;
    (find(whole, END, 0) == Some(ends_at)).then_some(data)
}

impl Sweep {
    /// The objects of an object stream.
    pub(super) fn packed(
        &mut self,
        of: &Dictionary<'_>,
        bytes: &[u8],
        behind_word: usize,
    ) -> Result<(), Halt> {
        // Nobody packs objects in another way, and what is not unpacked here nobody has looked at.
        let (first, count) = match (of.first, of.count) {
            (Said::Once(first), Said::Once(count)) => (first, count),
            _ if of.may_be_a_profile() => (0, 0),
            _ => return Err(Halt::Active),
        };
        if of.parameters || of.outside || of.filter == Filter::Other {
            return Err(Halt::Active);
        }
        let length = match of.length {
            Said::Once(Length::Bytes(length)) => length,
            Said::Once(Length::In(number)) => {
                self.lengths.push(number);
                self.length(number).ok_or(Halt::Spent)?
            }
            Said::Nothing | Said::Unclear => return Err(Halt::Spent),
        };
        let data = data(bytes, behind_word, length).ok_or(Halt::Spent)?;
        self.burn(data.len())?;
        let content = match of.filter {
            Filter::Flate => unpacked(data)?,
            Filter::None | Filter::Other => data.to_vec(),
        };
        self.unpacked += content.len();
        if self.unpacked > UNPACKED_IN_ALL {
            return Err(Halt::Spent);
        }
        if of.may_be_a_profile() {
            return self.is_a_profile(&content);
        }
        words(&content)?;
        // By the index, and one after the other.
        self.fuel += 2 * READINGS * content.len();
        let first = usize::try_from(first).map_err(|_| Halt::Spent)?;
        let count = usize::try_from(count).map_err(|_| Halt::Spent)?;
        self.by_index(&content, first, count)?;
        self.in_a_row(&content, first)?;
        if self.fuel == 0 { Err(Halt::Spent) } else { Ok(()) }
    }

    /// A colour profile begins with its size and its version, which are no two numbers in digits; an index of objects does.
    fn is_a_profile(&mut self, content: &[u8]) -> Result<(), Halt> {
        self.fuel += READINGS * content.len();
        let mut index = Cursor {
            bytes: content,
            at: 0,
        };
        let numbers = (self.plain(&mut index), self.plain(&mut index));
        if matches!(numbers, (Ok(Value::Integer(_)), _) | (_, Ok(Value::Integer(_)))) {
            Err(Halt::Active)
        } else {
            Ok(())
        }
    }

    fn by_index(&mut self, content: &[u8], first: usize, count: usize) -> Result<(), Halt> {
        let mut index = Cursor {
            bytes: content.get(..first).ok_or(Halt::Spent)?,
            at: 0,
        };
        let mut found = 0;
        while let (Ok(Value::Integer(number)), Ok(Value::Integer(offset))) =
            (self.plain(&mut index), self.plain(&mut index))
        {
            found += 1;
            let at = usize::try_from(offset).ok().and_then(|o| o.checked_add(first));
            let mut cursor = Cursor {
                bytes: content,
                at: at.filter(|at| *at < content.len()).ok_or(Halt::Spent)?,
            };
            let value = unbroken(self.value(&mut cursor, 0))?;
            self.note(Numbered::As(number), &value)?;
        }
        // A shorter index goes on, for some readers, where it should have ended.
        if found < count { Err(Halt::Spent) } else { Ok(()) }
    }

    fn in_a_row(&mut self, content: &[u8], first: usize) -> Result<(), Halt> {
        let mut cursor = Cursor {
            bytes: content,
            at: first,
        };
        loop {
            self.space(&mut cursor)?;
            if cursor.peek().is_none() {
                return Ok(());
            }
            unbroken(self.value(&mut cursor, 0))?;
        }
    }
}

/// What cannot be read here other readers may well read.
fn unbroken<T>(read: Result<T, Halt>) -> Result<T, Halt> {
    read.map_err(|halt| match halt {
        Halt::Broken => Halt::Active,
        halt => halt,
    })
}

/// All of it, with the sum at its end: who mends what is damaged may come to something else.
fn unpacked(data: &[u8]) -> Result<Vec<u8>, Halt> {
    let (mut content, limit) = (Vec::new(), u64::try_from(UNPACKED + 1).unwrap_or(0));
    let read = ZlibDecoder::new(data).take(limit).read_to_end(&mut content);
    if read.is_err() || content.is_empty() || content.len() > UNPACKED {
        return Err(Halt::Spent);
    }
    Ok(content)
}
