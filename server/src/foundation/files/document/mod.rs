//! What a PDF may hold: pages, and links that somebody must follow by hand.
//!
//! A PDF is served as it came. So it is refused when it could do anything by itself, or carry anything along: programs,
//! actions (but for a jump inside the document and a link to the web, which bank receipts have), files inside it, sound and
//! film, forms with a program, and encryption, behind which nobody can look.
//!
//! Decision (2026-11-23): the bytes are read here and not by a library. A reader finds objects by a table that the sender
//! wrote, and mends a broken one in its own way; what another reader finds is then something else, and libraries (lopdf 0.47,
//! hayro-syntax 0.9 were looked at) copy or unpack as often as that table tells them to. Here every object that begins
//! anywhere in the bytes is looked at, also those packed into object streams, whatever a table says of them; each byte that
//! is read costs fuel, so that no file takes longer or more than its size allows.

use super::content::Refusal;
use flate2::read::ZlibDecoder;
use std::{collections::HashMap, io::Read};

const MEGABYTE: usize = 1024 * 1024;
/// What one object stream unpacks to: real ones hold some hundreds of objects.
pub(super) const UNPACKED: usize = 8 * MEGABYTE;
/// All of a file's.
const UNPACKED_IN_ALL: usize = 32 * MEGABYTE;
/// How often a byte may be read: numbers are read ahead, objects may lie in each other.
const READINGS: usize = 8;
/// Arrays and dictionaries inside each other.
const DEPTH: usize = 64;
const OBJECTS: usize = 300_000;

/// Names that stand for something that acts or is carried along. Looked for in all bytes, strings and streams too: they are
/// long enough not to be there by chance.
const ANYWHERE: [&[u8]; 11] = [
    b"JavaScript",
    b"Launch",
    b"SubmitForm",
    b"ImportData",
    b"GoToR",
    b"GoToE",
    b"RichMedia",
    b"RichMediaExecute",
    b"EmbeddedFile",
    b"EmbeddedFiles",
    b"Encrypt",
];
/// Names that are refused where they are names of an object: in a packed picture the short ones appear by chance.
const IN_OBJECTS: [&[u8]; 9] = [
    b"JS",
    b"AA",
    b"EF",
    b"XFA",
    b"3D",
    b"Movie",
    b"Sound",
    b"Rendition",
    b"FileAttachment",
];
/// Actions that are refused; `GoTo` and `URI` are not among them.
const ACTIONS: [&[u8]; 8] = [
    b"Thread",
    b"Hide",
    b"Named",
    b"ResetForm",
    b"SetOCGState",
    b"Trans",
    b"GoTo3DView",
    b"GoToDp",
];

/// Why reading ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Halt {
    /// Something that is not allowed.
    Active,
    /// No fuel left, or too deep: no honest document is built like that.
    Spent,
    /// Not an object.
    Broken,
}

/// Reads a PDF to its end.
///
/// # Errors
/// See [`Refusal`].
pub(super) fn check(bytes: &[u8]) -> Result<(), Refusal> {
    let version = bytes.get(..8).unwrap_or_default();
    if !matches!(version, [b'%', b'P', b'D', b'F', b'-', b'1' | b'2', b'.', d] if d.is_ascii_digit()) {
        return Err(Refusal::Type);
    }
    let tail = bytes.get(bytes.len().saturating_sub(2048)..).unwrap_or_default();
    if find(tail, b"%%EOF", 0).is_none() || find(tail, b"startxref", 0).is_none() {
        return Err(Refusal::Damaged);
    }
    let mut sweep = Sweep::default();
    match sweep.file(bytes) {
        Ok(()) if sweep.opens_with_an_action() => Err(Refusal::Active),
        Ok(()) if sweep.catalog && sweep.root => Ok(()),
        Err(Halt::Active) => Err(Refusal::Active),
        Ok(()) | Err(Halt::Spent | Halt::Broken) => Err(Refusal::Damaged),
    }
}

fn find(bytes: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.windows(needle.len())
        .position(|w| w == needle)
        .map(|at| from + at)
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | 9 | 10 | 12 | 13 | 32)
}

const fn is_regular(byte: u8) -> bool {
    !is_space(byte)
        && !matches!(
            byte,
            b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%'
        )
}

/// Whether a name, as it is written, is this word: `#61` is another way to write `a`.
fn is_named(written: &[u8], word: &[u8]) -> bool {
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

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|d| u8::try_from(d).ok())
}

fn is_one_of(written: &[u8], words: &[&[u8]]) -> bool {
    words.iter().any(|word| is_named(written, word))
}

/// The forbidden names that are looked for without asking where they stand.
fn words(bytes: &[u8]) -> Result<(), Halt> {
    for (at, _) in bytes.iter().enumerate().filter(|(_, b)| **b == b'/') {
        // No word is longer, even with every letter escaped.
        let rest = bytes.get(at + 1..).unwrap_or_default();
        let rest = rest.get(..64).unwrap_or(rest);
        let end = rest.iter().position(|b| !is_regular(*b)).unwrap_or(rest.len());
        if is_one_of(rest.get(..end).unwrap_or_default(), &ANYWHERE) {
            return Err(Halt::Active);
        }
    }
    Ok(())
}

/// An object, as far as it matters.
#[derive(Clone, Copy, Debug)]
enum Value<'a> {
    Name(&'a [u8]),
    Integer(u64),
    Reference(u64),
    /// Its only member, if that is a name: a filter is given alone or in an array.
    Array(Option<&'a [u8]>),
    Dictionary(Dictionary<'a>),
    /// A string, a number, a word.
    Other,
}

impl Value<'_> {
    /// Whether it only shows a place of the document when it is opened with it.
    fn only_shows(&self) -> bool {
        match self {
            Self::Array(_) | Self::Name(_) | Self::Other => true,
            Self::Dictionary(found) => !found.chained && found.action.is_some_and(|s| is_named(s, b"GoTo")),
            Self::Integer(_) | Self::Reference(_) => false,
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Dictionary<'a> {
    kind: Option<&'a [u8]>,
    /// `/S`: what an action does.
    action: Option<&'a [u8]>,
    /// Something else follows, or it is said twice what it does, and readers differ about which counts.
    chained: bool,
    filter: Filter,
    /// Parameters of the filter that change what comes out, or that stand elsewhere.
    parameters: bool,
    count: bool,
    first: Option<Option<u64>>,
    pages: bool,
    root: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Filter {
    #[default]
    None,
    Flate,
    Other,
}

/// A place in bytes.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn begins(&self, with: &[u8]) -> bool {
        self.bytes
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(with))
    }
}

/// What has been read of a file.
#[derive(Default)]
struct Sweep {
    fuel: usize,
    unpacked: usize,
    catalog: bool,
    root: bool,
    /// Numbers of objects, and whether all that stand under a number only show a place.
    objects: HashMap<u64, bool>,
    /// Objects that the document is opened with.
    opened: Vec<u64>,
}

impl Sweep {
    fn file(&mut self, bytes: &[u8]) -> Result<(), Halt> {
        words(bytes)?;
        self.fuel = READINGS * bytes.len() + 64 * 1024;
        let mut from = 0;
        while let Some(at) = find(bytes, b"obj", from) {
            from = at + 3;
            if at.checked_sub(1).and_then(|b| bytes.get(b)) != Some(&b'd') {
                self.object(bytes, at)?;
            }
        }
        from = 0;
        while let Some(at) = find(bytes, b"trailer", from) {
            from = at + 7;
            lenient(self.value(&mut Cursor { bytes, at: from }, 0))?;
        }
        Ok(())
    }

    fn opens_with_an_action(&self) -> bool {
        let shows = |number: &u64| self.objects.get(number).copied().unwrap_or(false);
        !self.opened.iter().all(shows)
    }

    /// The object behind the word `obj`.
    fn object(&mut self, bytes: &[u8], word: usize) -> Result<(), Halt> {
        let mut cursor = Cursor { bytes, at: word + 3 };
        lenient(self.space(&mut cursor))?;
        let begins = cursor.begins(b"<<");
        let Some(value) = lenient(self.value(&mut cursor, 0))? else {
            // What readers make of such a dictionary nobody knows: it may well name a stream that nobody has looked into.
            return if begins { Err(Halt::Active) } else { Ok(()) };
        };
        self.note(number_before(bytes, word), &value)?;
        let Value::Dictionary(found) = value else {
            return Ok(());
        };
        lenient(self.space(&mut cursor))?;
        if !cursor.begins(b"stream") {
            return Ok(());
        }
        let packs = found.kind.is_some_and(|k| is_named(k, b"ObjStm"));
        // Readers take what has both as an object stream, whatever it calls itself.
        if packs || (found.count && found.first.is_some()) {
            let mut start = cursor.at + 6;
            if bytes.get(start) == Some(&b'\r') {
                start += 1;
            }
            if bytes.get(start) == Some(&b'\n') {
                start += 1;
            }
            self.packed(&found, bytes.get(start..).unwrap_or_default())?;
        }
        Ok(())
    }

    fn note(&mut self, number: Option<u64>, value: &Value<'_>) -> Result<(), Halt> {
        if let Some(number) = number {
            let shows = self.objects.entry(number).or_insert(true);
            *shows &= value.only_shows();
        }
        if self.objects.len() > OBJECTS {
            return Err(Halt::Spent);
        }
        Ok(())
    }

    /// The objects of an object stream.
    fn packed(&mut self, of: &Dictionary<'_>, data: &[u8]) -> Result<(), Halt> {
        // Nobody packs objects in another way, and what is not unpacked here nobody has looked at.
        let (Some(Some(first)), false) = (of.first, of.parameters) else {
            return Err(Halt::Active);
        };
        let content = match of.filter {
            Filter::None => data
                .get(..find(data, b"endstream", 0).unwrap_or(data.len()))
                .unwrap_or_default()
                .to_vec(),
            Filter::Flate => self.unpack(data)?,
            Filter::Other => return Err(Halt::Active),
        };
        self.unpacked += content.len();
        if self.unpacked > UNPACKED_IN_ALL {
            return Err(Halt::Spent);
        }
        words(&content)?;
        self.fuel += READINGS * content.len();
        let first = usize::try_from(first).map_err(|_| Halt::Broken)?;
        let mut index = Cursor {
            bytes: content.get(..first).unwrap_or(&content),
            at: 0,
        };
        while let (Ok(Value::Integer(number)), Ok(Value::Integer(offset))) =
            (self.plain(&mut index), self.plain(&mut index))
        {
            let at = usize::try_from(offset).ok().and_then(|o| o.checked_add(first));
            let Some(at) = at else { continue };
            let mut cursor = Cursor { bytes: &content, at };
            if let Some(value) = lenient(self.value(&mut cursor, 0))? {
                self.note(Some(number), &value)?;
            }
        }
        if self.fuel == 0 { Err(Halt::Spent) } else { Ok(()) }
    }

    fn unpack(&mut self, data: &[u8]) -> Result<Vec<u8>, Halt> {
        let (mut content, limit) = (Vec::new(), u64::try_from(UNPACKED + 1).unwrap_or(0));
        let mut packed = ZlibDecoder::new(data).take(limit);
        // A damaged end is no reason to look at less than readers show.
        let _ = packed.read_to_end(&mut content);
        let read = usize::try_from(packed.into_inner().total_in());
        self.burn(read.unwrap_or(usize::MAX))?;
        if content.is_empty() || content.len() > UNPACKED {
            return Err(Halt::Spent);
        }
        Ok(content)
    }

    fn burn(&mut self, bytes: usize) -> Result<(), Halt> {
        self.fuel = self.fuel.saturating_sub(bytes);
        if self.fuel == 0 { Err(Halt::Spent) } else { Ok(()) }
    }

    /// Past white space and comments.
    fn space(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Halt> {
        let start = cursor.at;
        while let Some(byte) = cursor.peek() {
            if byte == b'%' {
                while cursor.peek().is_some_and(|b| !matches!(b, b'\n' | b'\r')) {
                    cursor.at += 1;
                }
            } else if is_space(byte) {
                cursor.at += 1;
            } else {
                break;
            }
        }
        self.burn(cursor.at - start)
    }

    fn value<'a>(&mut self, cursor: &mut Cursor<'a>, depth: usize) -> Result<Value<'a>, Halt> {
        if depth > DEPTH {
            return Err(Halt::Spent);
        }
        self.space(cursor)?;
        match cursor.peek().ok_or(Halt::Broken)? {
            b'<' if cursor.begins(b"<<") => self.dictionary(cursor, depth),
            b'<' => self.hexadecimal(cursor),
            b'(' => self.string(cursor),
            b'[' => self.array(cursor, depth),
            b'/' => {
                cursor.at += 1;
                let name = self.regular(cursor)?;
                if is_one_of(name, &IN_OBJECTS) {
                    return Err(Halt::Active);
                }
                Ok(Value::Name(name))
            }
            b'0'..=b'9' => self.number(cursor),
            byte if is_regular(byte) => self.regular(cursor).map(|_| Value::Other),
            _ => Err(Halt::Broken),
        }
    }

    fn regular<'a>(&mut self, cursor: &mut Cursor<'a>) -> Result<&'a [u8], Halt> {
        let start = cursor.at;
        while cursor.peek().is_some_and(is_regular) {
            cursor.at += 1;
        }
        self.burn(cursor.at - start + 1)?;
        Ok(cursor.bytes.get(start..cursor.at).unwrap_or_default())
    }

    /// A number without looking whether it begins a reference.
    fn plain<'a>(&mut self, cursor: &mut Cursor<'a>) -> Result<Value<'a>, Halt> {
        self.space(cursor)?;
        let digits = self.regular(cursor)?;
        if digits.is_empty() {
            return Err(Halt::Broken);
        }
        let integer = std::str::from_utf8(digits).ok().and_then(|d| d.parse().ok());
        Ok(integer.map_or(Value::Other, Value::Integer))
    }

    fn number<'a>(&mut self, cursor: &mut Cursor<'a>) -> Result<Value<'a>, Halt> {
        let first = self.plain(cursor)?;
        let Value::Integer(number) = first else {
            return Ok(first);
        };
        // `12 0 R` is a reference to object 12.
        let mut ahead = *cursor;
        if let Some(Value::Integer(_)) = lenient(self.plain(&mut ahead))? {
            self.space(&mut ahead)?;
            if self.regular(&mut ahead)? == b"R" {
                *cursor = ahead;
                return Ok(Value::Reference(number));
            }
        }
        Ok(first)
    }

    fn hexadecimal<'a>(&mut self, cursor: &mut Cursor<'a>) -> Result<Value<'a>, Halt> {
        let start = cursor.at;
        while cursor.peek().is_some_and(|b| b != b'>') {
            cursor.at += 1;
        }
        // What was passed over in vain counts too.
        self.burn(cursor.at - start)?;
        cursor.peek().ok_or(Halt::Broken)?;
        cursor.at += 1;
        Ok(Value::Other)
    }

    fn string<'a>(&mut self, cursor: &mut Cursor<'a>) -> Result<Value<'a>, Halt> {
        let (start, mut open) = (cursor.at, 0usize);
        loop {
            let Some(byte) = cursor.peek() else {
                self.burn(cursor.at - start)?;
                return Err(Halt::Broken);
            };
            cursor.at += 1;
            match byte {
                b'\\' => cursor.at += 1,
                b'(' => open += 1,
                b')' => open -= 1,
                _ => {}
            }
            if open == 0 {
                break;
            }
        }
        self.burn(cursor.at - start)?;
        Ok(Value::Other)
    }

    fn array<'a>(&mut self, cursor: &mut Cursor<'a>, depth: usize) -> Result<Value<'a>, Halt> {
        cursor.at += 1;
        let (mut length, mut only) = (0usize, None);
        loop {
            self.space(cursor)?;
            if cursor.peek() == Some(b']') {
                cursor.at += 1;
                return Ok(Value::Array(only.filter(|_| length == 1)));
            }
            if let Value::Name(name) = self.value(cursor, depth + 1)? {
                only = Some(name);
            }
            length += 1;
        }
    }

    fn dictionary<'a>(&mut self, cursor: &mut Cursor<'a>, depth: usize) -> Result<Value<'a>, Halt> {
        cursor.at += 2;
        let mut found = Dictionary::default();
        loop {
            self.space(cursor)?;
            if cursor.begins(b">>") {
                cursor.at += 2;
                break;
            }
            // Readers pass over what is no name, and go on.
            let Value::Name(key) = self.value(cursor, depth + 1)? else {
                continue;
            };
            self.space(cursor)?;
            if cursor.begins(b">>") {
                continue;
            }
            let value = self.value(cursor, depth + 1)?;
            self.entry(&mut found, key, value)?;
        }
        self.catalog |= found.pages && found.kind.is_some_and(|k| is_named(k, b"Catalog"));
        self.root |= found.root;
        Ok(Value::Dictionary(found))
    }

    fn entry<'a>(&mut self, found: &mut Dictionary<'a>, key: &[u8], value: Value<'a>) -> Result<(), Halt> {
        let is = |word: &[u8]| is_named(key, word);
        match value {
            Value::Name(name) if is(b"Type") => found.kind = Some(name),
            Value::Name(name) if is(b"S") => {
                if is_one_of(name, &ACTIONS) {
                    return Err(Halt::Active);
                }
                found.chained |= found.action.is_some();
                found.action = Some(name);
            }
            Value::Reference(number) if is(b"OpenAction") => self.opened.push(number),
            _ if is(b"OpenAction") && !value.only_shows() => return Err(Halt::Active),
            // Given twice, each reader takes another one.
            _ if is(b"Filter") && found.filter == Filter::None => found.filter = filter(&value),
            // `F` names a file outside that holds the stream.
            _ if is(b"Filter") || is(b"F") => found.filter = Filter::Other,
            _ if is(b"DecodeParms") || is(b"DP") => found.parameters |= !matches!(value, Value::Other),
            _ if is(b"N") => found.count = true,
            _ if is(b"Next") => found.chained = true,
            Value::Integer(first) if is(b"First") && found.first.is_none() => found.first = Some(Some(first)),
            _ if is(b"First") => found.first = Some(None),
            Value::Reference(_) if is(b"Pages") => found.pages = true,
            Value::Reference(_) if is(b"Root") => found.root = true,
            _ => {}
        }
        Ok(())
    }
}

/// What was no object is passed over: readers do the same. What is not allowed, or never ends, is not.
fn lenient<T>(read: Result<T, Halt>) -> Result<Option<T>, Halt> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(Halt::Broken) => Ok(None),
        Err(halt) => Err(halt),
    }
}

fn filter(value: &Value<'_>) -> Filter {
    match value {
        Value::Name(name) | Value::Array(Some(name)) if is_named(name, b"FlateDecode") => Filter::Flate,
        Value::Other => Filter::None,
        _ => Filter::Other,
    }
}

/// The number in `12 0 obj`, read from the word backwards.
fn number_before(bytes: &[u8], word: usize) -> Option<u64> {
    let before = bytes.get(word.saturating_sub(32)..word)?;
    let text: String = before.iter().map(|b| char::from(*b)).collect();
    let mut parts = text
        .split(|c: char| !c.is_ascii_digit())
        .rev()
        .filter(|p| !p.is_empty());
    parts.next()?;
    parts.next()?.parse().ok()
}

#[cfg(test)]
mod tests;
