//! What a PDF may hold: pages, and links that somebody must follow by hand.
//!
//! A PDF is served as it came. So it is refused when it could do anything by itself, or carry anything along: programs,
//! actions (but for a jump inside the document and a link to the web, a mailbox or a telephone, which bank receipts have:
//! [`links`]), files inside it or beside it, whatever names them, sound and film, forms with a program, and encryption, behind which nobody can
//! look.
//!
//! Decision (2026-11-23): the bytes are read here and not by a library. A reader finds objects by a table that the sender
//! wrote, and mends a broken one in its own way; what another reader finds is then something else, and libraries (lopdf 0.47,
//! hayro-syntax 0.9 were looked at) copy or unpack as often as that table tells them to. Here every object that begins
//! anywhere in the bytes is looked at, also those packed into object streams, whatever a table says of them; each byte that
//! is read costs fuel, so that no file takes longer or more than its size allows.
//!
//! Decision (2026-11-26): readers go on where this one would stop, each in its own way: at a word that is not theirs, at a
//! stream whose length is not where it ends, at an index that is too short. So what can be read in two ways is refused
//! ([`packed`]), and so is a numbered object that is none.

mod begun;
mod links;
mod named;
mod packed;

use super::content::Refusal;
use begun::{Numbered, begun};
use named::{hex, is_named, is_one_of, is_regular, is_space};
use std::collections::HashMap;

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
/// Keys under which the name of a file outside stands.
const OUTSIDE: [&[u8]; 5] = [b"F", b"UF", b"DOS", b"Mac", b"Unix"];
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
        Ok(()) if sweep.opens_with_an_action() || sweep.links_elsewhere() || sweep.names_a_file() => {
            Err(Refusal::Active)
        }
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
    /// With its brackets.
    Text(&'a [u8]),
    /// Its only member, if that is a name: a filter is given alone or in an array.
    Array(Option<&'a [u8]>),
    Dictionary(Dictionary<'a>),
    /// A number, a word.
    Other,
}

impl Value<'_> {
    /// Whether it only shows a place of the document when it is opened with it.
    fn only_shows(&self) -> bool {
        match self {
            Self::Array(_) | Self::Name(_) | Self::Text(_) => true,
            Self::Dictionary(found) => !found.chained && found.action.is_some_and(|s| is_named(s, b"GoTo")),
            Self::Integer(_) | Self::Reference(_) | Self::Other => false,
        }
    }

    /// Whether a link to it goes where links may go.
    fn may_be_followed(&self) -> bool {
        match self {
            Self::Text(written) => links::may_be_followed(written),
            _ => false,
        }
    }
}

/// What a dictionary says once; said twice, each reader takes another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Said<T> {
    #[default]
    Nothing,
    Once(T),
    /// Twice, or not as it should be.
    Unclear,
}

impl<T: Copy> Said<T> {
    const fn add(&mut self, value: Option<T>) {
        *self = match (&*self, value) {
            (Self::Nothing, Some(value)) => Self::Once(value),
            _ => Self::Unclear,
        };
    }
}

/// How long a stream is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    Bytes(u64),
    /// The number of the object that says it.
    In(u64),
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
    /// `/F`: of a stream the file outside that holds it.
    outside: bool,
    length: Said<Length>,
    count: Said<u64>,
    first: Said<u64>,
    pages: bool,
    root: bool,
}

impl Dictionary<'_> {
    /// Readers take what has one of both as an object stream, whatever it calls itself, where an index names it: one that counts its objects
    /// and does not say where they begin has them at its beginning (2026-11-26).
    fn packs(&self) -> bool {
        self.kind.is_some_and(|k| is_named(k, b"ObjStm"))
            || self.count != Said::Nothing
            || self.first != Said::Nothing
    }

    /// By its name, or by both: it is one even where its stream is not found. An outline has a first entry, a linearized file a count.
    fn says_that_it_packs(&self) -> bool {
        self.kind.is_some_and(|k| is_named(k, b"ObjStm"))
            || self.count != Said::Nothing && self.first != Said::Nothing
    }

    /// What also has a count: how many colours a profile has.
    fn may_be_a_profile(&self) -> bool {
        self.kind.is_none() && self.first == Said::Nothing
    }
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
    objects: HashMap<u64, Seen>,
    /// Objects whose number is written in an unusual way: they may have any.
    unclear: Option<Seen>,
    /// Objects that the document is opened with.
    opened: Vec<u64>,
    /// Objects that say where links go.
    linked: Vec<u64>,
    /// Objects that are the name of a file outside, if they are a text.
    named: Vec<u64>,
    /// Objects that say how long an object stream is.
    lengths: Vec<u64>,
    /// Where the object streams begin that have to wait for all numbers.
    later: Vec<usize>,
    numbered: bool,
}

/// What stands under one number: all of it, for readers do not agree which one counts.
#[derive(Clone, Copy)]
struct Seen {
    shows: bool,
    followed: bool,
    text: bool,
    integer: Option<u64>,
}

impl Seen {
    fn of(value: &Value<'_>) -> Self {
        Self {
            shows: value.only_shows(),
            followed: value.may_be_followed(),
            text: matches!(value, Value::Text(_)),
            integer: match value {
                Value::Integer(integer) => Some(*integer),
                _ => None,
            },
        }
    }

    fn join(&mut self, other: &Self) {
        self.shows &= other.shows;
        self.followed &= other.followed;
        self.text |= other.text;
        self.integer = self.integer.filter(|integer| Some(*integer) == other.integer);
    }
}

impl Sweep {
    fn file(&mut self, bytes: &[u8]) -> Result<(), Halt> {
        words(bytes)?;
        self.fuel = READINGS * bytes.len() + 64 * 1024;
        for word in begun(bytes) {
            self.object(bytes, word)?;
        }
        self.numbered = true;
        for word in std::mem::take(&mut self.later) {
            self.object(bytes, word)?;
        }
        let mut from = 0;
        while let Some(at) = find(bytes, b"trailer", from) {
            from = at + 7;
            self.trailer(Cursor { bytes, at: from })?;
        }
        // What was unpacked may say another length for what was unpacked before.
        if self.lengths.iter().any(|number| self.length(*number).is_none()) {
            return Err(Halt::Spent);
        }
        Ok(())
    }

    fn trailer(&mut self, mut cursor: Cursor<'_>) -> Result<(), Halt> {
        // What closes nothing some readers pass over.
        while cursor
            .peek()
            .is_some_and(|b| is_space(b) || matches!(b, b')' | b']' | b'}' | b'>'))
        {
            cursor.at += 1;
            self.burn(1)?;
        }
        let begins = cursor.begins(b"<<");
        match lenient(self.value(&mut cursor, 0))? {
            None if begins => Err(Halt::Active),
            _ => Ok(()),
        }
    }

    fn opens_with_an_action(&self) -> bool {
        let shows = |number: &u64| self.under(*number).is_some_and(|seen| seen.shows);
        !self.opened.iter().all(shows)
    }

    fn links_elsewhere(&self) -> bool {
        let followed = |number: &u64| self.under(*number).is_some_and(|seen| seen.followed);
        !self.linked.iter().all(followed)
    }

    fn names_a_file(&self) -> bool {
        let text = |seen: Option<&Seen>| seen.is_some_and(|seen| seen.text);
        self.named
            .iter()
            .any(|number| text(self.objects.get(number)) || text(self.unclear.as_ref()))
    }

    /// The length that this object says.
    fn length(&self, number: u64) -> Option<u64> {
        self.under(number).and_then(|seen| seen.integer)
    }

    /// The object behind the word `obj`.
    fn object(&mut self, bytes: &[u8], word: usize) -> Result<(), Halt> {
        let mut cursor = Cursor { bytes, at: word + 3 };
        lenient(self.space(&mut cursor))?;
        let begins = cursor.begins(b"<<");
        let numbered = Numbered::before(bytes, word);
        let Some(value) = lenient(self.value(&mut cursor, 0))? else {
            // What readers make of it nobody knows: it may well name a stream that nobody has looked into, or they pass over
            // what is wrong and find an object behind it.
            return if begins || numbered != Numbered::Not {
                Err(Halt::Active)
            } else {
                Ok(())
            };
        };
        self.note(numbered, &value)?;
        let Value::Dictionary(found) = value else {
            return Ok(());
        };
        lenient(self.space(&mut cursor))?;
        let streams = cursor.begins(b"stream");
        if !found.packs() || !streams && !found.says_that_it_packs() {
            return if streams && found.outside {
                Err(Halt::Active)
            } else {
                Ok(())
            };
        }
        if !streams {
            // Some readers look for the next one then.
            return Err(Halt::Active);
        }
        if matches!(found.length, Said::Once(Length::In(_))) && !self.numbered {
            self.later.push(word);
            return Ok(());
        }
        self.packed(&found, bytes, cursor.at + 6)
    }

    fn note(&mut self, numbered: Numbered, value: &Value<'_>) -> Result<(), Halt> {
        let this = Seen::of(value);
        match numbered {
            Numbered::As(number) => {
                self.objects.entry(number).or_insert(this).join(&this);
            }
            Numbered::Unclear => self.unclear.get_or_insert(this).join(&this),
            Numbered::Not => {}
        }
        if self.objects.len() > OBJECTS {
            return Err(Halt::Spent);
        }
        Ok(())
    }

    /// What stands under a number, and under those that could be it.
    fn under(&self, number: u64) -> Option<Seen> {
        let mut seen = *self.objects.get(&number)?;
        if let Some(unclear) = &self.unclear {
            seen.join(unclear);
        }
        Some(seen)
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
        Ok(Value::Text(
            cursor.bytes.get(start..cursor.at).unwrap_or_default(),
        ))
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
        Ok(Value::Text(
            cursor.bytes.get(start..cursor.at).unwrap_or_default(),
        ))
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
            Value::Name(name) if is(b"Type") && is_named(name, b"Filespec") => return Err(Halt::Active),
            Value::Name(name) if is(b"Type") => found.kind = Some(name),
            // A file beside this one (2026-11-27: a picture whose content stands in another document was taken). An annotation's flags are a number.
            Value::Text(_) if is_one_of(key, &OUTSIDE) => return Err(Halt::Active),
            Value::Reference(number) if is_one_of(key, &OUTSIDE) => {
                found.outside |= is(b"F");
                self.named.push(number);
            }
            // A page of another document in place of a picture; a structure's list of that name stays inside.
            Value::Dictionary(_) | Value::Reference(_) if is(b"Ref") => return Err(Halt::Active),
            _ if (is(b"OPI") || is(b"AF")) && !matches!(value, Value::Other) => return Err(Halt::Active),
            Value::Name(name) if is(b"S") => {
                if is_one_of(name, &ACTIONS) {
                    return Err(Halt::Active);
                }
                found.chained |= found.action.is_some();
                found.action = Some(name);
            }
            // What it does stands elsewhere, where it is a word like any other.
            Value::Reference(_) | Value::Other if is(b"S") => return Err(Halt::Active),
            // The catalog's entry of that name is a dictionary, and its base stands before what is said without a beginning.
            Value::Dictionary(_) if is(b"URI") => {}
            Value::Reference(number) if is(b"URI") || is(b"Base") => self.linked.push(number),
            _ if (is(b"URI") || is(b"Base")) && !value.may_be_followed() => return Err(Halt::Active),
            Value::Reference(number) if is(b"OpenAction") => self.opened.push(number),
            _ if is(b"OpenAction") && !value.only_shows() => return Err(Halt::Active),
            // Given twice, each reader takes another one.
            _ if is(b"Filter") && found.filter == Filter::None => found.filter = filter(&value),
            _ if is(b"Filter") => found.filter = Filter::Other,
            _ if is(b"F") => found.outside = true,
            _ if is(b"DecodeParms") || is(b"DP") => found.parameters |= !matches!(value, Value::Other),
            Value::Integer(bytes) if is(b"Length") => found.length.add(Some(Length::Bytes(bytes))),
            Value::Reference(number) if is(b"Length") => found.length.add(Some(Length::In(number))),
            _ if is(b"Length") => found.length.add(None),
            Value::Integer(count) if is(b"N") => found.count.add(Some(count)),
            _ if is(b"N") => found.count.add(None),
            _ if is(b"Next") => found.chained = true,
            Value::Integer(first) if is(b"First") => found.first.add(Some(first)),
            _ if is(b"First") => found.first.add(None),
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

#[cfg(test)]
mod tests;
