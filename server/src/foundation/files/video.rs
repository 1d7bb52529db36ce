//! What a video really is, by the frame of its container. Nothing is decoded and nothing written anew: a video is served as it came,
//! with its own type, and never as a page.
//!
//! The frame is walked from its first to its last byte, so that nothing hangs behind it and nothing before it.

use super::{Kind, content::Refusal};
use std::io::{Read, Seek, SeekFrom};

/// Parts of one file at its outermost level: fragments come in pairs, one each few seconds.
const MOST_BOXES: usize = 20_000;
const EBML: [u8; 4] = [0x1a, 0x45, 0xdf, 0xa3];
const SEGMENT: [u8; 4] = [0x18, 0x53, 0x80, 0x67];
const DOC_TYPE: [u8; 2] = [0x42, 0x82];
/// An honest header of EBML is some forty bytes.
const MOST_HEADER: u64 = 1024;
/// What browsers play.
const BRANDS: [&[u8; 4]; 12] = [
    b"isom", b"iso2", b"iso3", b"iso4", b"iso5", b"iso6", b"mp41", b"mp42", b"avc1", b"M4V ", b"dash",
    b"f4v ",
];
/// What may stand at the outermost level.
const BOXES: [&[u8; 4]; 15] = [
    b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"uuid", b"moof", b"mfra", b"sidx", b"styp",
    b"meta", b"udta", b"emsg", b"prft",
];

/// The kind of a video of so many bytes; none for what is no video.
///
/// # Errors
/// [`Refusal::Type`] for a container of something else, [`Refusal::Damaged`] for one whose parts do not add up to the file.
pub fn look(file: &mut (impl Read + Seek), size: u64) -> Result<Option<Kind>, Refusal> {
    let mut head = [0; 8];
    if size < 16 || read(file, 0, &mut head).is_err() {
        return Ok(None);
    }
    if head[4..] == *b"ftyp" {
        mp4(file, size).map(|()| Some(Kind::Mp4))
    } else if head[..4] == EBML {
        webm(file, size).map(|()| Some(Kind::Webm))
    } else {
        Ok(None)
    }
}

fn read(file: &mut (impl Read + Seek), at: u64, into: &mut [u8]) -> Result<(), Refusal> {
    file.seek(SeekFrom::Start(at))
        .and_then(|_| file.read_exact(into))
        .map_err(|_| Refusal::Damaged)
}

fn mp4(file: &mut (impl Read + Seek), size: u64) -> Result<(), Refusal> {
    let (mut at, mut film, mut data) = (0, false, false);
    for nth in 0..MOST_BOXES {
        let mut head = [0; 8];
        read(file, at, &mut head)?;
        let [a, b, c, d, name @ ..] = head;
        let (length, least) = match u32::from_be_bytes([a, b, c, d]) {
            // To the end of the file.
            0 => (size - at, 8),
            1 => {
                let mut long = [0; 8];
                read(file, at + 8, &mut long)?;
                (u64::from_be_bytes(long), 16)
            }
            short => (u64::from(short), 8),
        };
        if length < least || length > size - at || !BOXES.contains(&&name) {
            return Err(Refusal::Damaged);
        }
        if nth == 0 {
            brand(file, length)?;
        }
        film |= name == *b"moov";
        data |= name == *b"mdat";
        at += length;
        if at == size {
            return if film && data {
                Ok(())
            } else {
                Err(Refusal::Damaged)
            };
        }
        if size - at < 8 {
            return Err(Refusal::Damaged);
        }
    }
    Err(Refusal::Damaged)
}

/// Pictures come in the same container, with brands of their own.
fn brand(file: &mut (impl Read + Seek), length: u64) -> Result<(), Refusal> {
    let mut kinds = vec![0; usize::try_from(length.min(256)).unwrap_or(0).saturating_sub(8)];
    read(file, 8, &mut kinds)?;
    let known = |brand: &[u8]| BRANDS.iter().any(|known| *known == brand);
    // The version stands between the first and the others.
    let mut brands = kinds.chunks_exact(4).enumerate().filter(|(nth, _)| *nth != 1);
    if brands.any(|(_, brand)| known(brand)) {
        Ok(())
    } else {
        Err(Refusal::Type)
    }
}

/// A number of EBML: its bytes, and its value; none for a length that is not known.
fn number(bytes: &[u8]) -> Option<(usize, Option<u64>)> {
    let first = *bytes.first()?;
    let length = usize::try_from(first.leading_zeros()).ok()? + 1;
    if length > 8 || bytes.len() < length {
        return None;
    }
    let mask = if length == 8 { 0 } else { 0xff >> length };
    let mut value = u64::from(first & mask);
    let mut unknown = first & mask == mask;
    for byte in bytes.get(1..length)? {
        value = value << 8 | u64::from(*byte);
        unknown &= *byte == 0xff;
    }
    Some((length, (!unknown).then_some(value)))
}

fn webm(file: &mut (impl Read + Seek), size: u64) -> Result<(), Refusal> {
    let damaged = || Refusal::Damaged;
    let mut head = [0; 12];
    read(file, 0, &mut head)?;
    let (taken, length) = number(&head[4..]).ok_or_else(damaged)?;
    let length = length
        .filter(|length| *length <= MOST_HEADER)
        .ok_or_else(damaged)?;
    let start = 4 + u64::try_from(taken).unwrap_or(0);
    let mut header = vec![0; usize::try_from(length).unwrap_or(0)];
    read(file, start, &mut header)?;
    // Matroska says `matroska` here: a browser does not play it.
    let named = header
        .windows(2)
        .position(|two| two == DOC_TYPE)
        .and_then(|at| header.get(at + 2..))
        .and_then(|rest| {
            let (taken, length) = number(rest)?;
            rest.get(taken..taken + usize::try_from(length?).ok()?)
        });
    if named.map(|name| name.strip_suffix(b"\0").unwrap_or(name)) != Some(b"webm") {
        return Err(Refusal::Type);
    }
    let at = start + length;
    let mut head = [0; 12];
    let there = usize::try_from(size.saturating_sub(at).min(12)).unwrap_or(0);
    read(file, at, head.get_mut(..there).unwrap_or_default())?;
    let (taken, length) = number(&head[4..]).ok_or_else(damaged)?;
    let begins = at + 4 + u64::try_from(taken).unwrap_or(0);
    let ends = match length {
        Some(length) => begins.checked_add(length),
        // Written while it was recorded: to the end of the file.
        None => Some(size),
    };
    if head[..4] == SEGMENT && ends == Some(size) && begins < size {
        Ok(())
    } else {
        Err(Refusal::Damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn boxed(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(content.len() + 8).unwrap();
        [length.to_be_bytes().as_slice(), name, content].concat()
    }

    fn film(brand: &[u8; 4]) -> Vec<u8> {
        [
            boxed(b"ftyp", &[brand.as_slice(), &[0; 4], b"iso6"].concat()),
            boxed(b"moov", &[7; 40]),
            boxed(b"mdat", &[9; 100]),
        ]
        .concat()
    }

    fn record(name: &[u8], segment: &[u8]) -> Vec<u8> {
        let doc_type = [
            &DOC_TYPE,
            [0x80 | u8::try_from(name.len()).unwrap()].as_slice(),
            name,
        ]
        .concat();
        let length = 0x80 | u8::try_from(doc_type.len()).unwrap();
        [EBML.as_slice(), &[length], &doc_type, &SEGMENT, segment].concat()
    }

    fn looked(bytes: &[u8]) -> Result<Option<Kind>, Refusal> {
        look(&mut Cursor::new(bytes), bytes.len() as u64)
    }

    #[test]
    fn videos_are_known_by_their_frame() {
        assert_eq!(looked(&film(b"isom")), Ok(Some(Kind::Mp4)));
        let mut open = film(b"mp42");
        let at = open.len() - 108;
        open[at..at + 4].copy_from_slice(&0u32.to_be_bytes());
        assert_eq!(
            looked(&open),
            Ok(Some(Kind::Mp4)),
            "the last part goes to the end"
        );
        let known = [0x84, 1, 1, 1, 1];
        assert_eq!(looked(&record(b"webm", &known)), Ok(Some(Kind::Webm)));
        let endless = [[0x01].as_slice(), &[0xff; 7], &[1; 9]].concat();
        assert_eq!(looked(&record(b"webm", &endless)), Ok(Some(Kind::Webm)));
        for other in [b"%PDF-1.4 and more than sixteen".as_slice(), b"short", b""] {
            assert_eq!(looked(other), Ok(None));
        }
    }

    #[test]
    fn what_hangs_on_or_is_something_else_is_refused() {
        let tail = [film(b"isom"), b"<script>alert(1)</script>".to_vec()].concat();
        assert_eq!(looked(&tail), Err(Refusal::Damaged));
        let half = film(b"isom");
        assert_eq!(looked(&half[..half.len() - 1]), Err(Refusal::Damaged));
        let without = [boxed(b"ftyp", b"isom\0\0\0\0iso6"), boxed(b"mdat", &[1; 9])].concat();
        assert_eq!(looked(&without), Err(Refusal::Damaged));
        let mut picture = film(b"heic");
        picture[16..20].copy_from_slice(b"mif1");
        assert_eq!(looked(&picture), Err(Refusal::Type));
        assert_eq!(
            looked(&record(b"matroska", &[0x84, 1, 1, 1, 1])),
            Err(Refusal::Type)
        );
        assert_eq!(
            looked(&record(b"webm", &[0x84, 1, 1, 1, 1, 1])),
            Err(Refusal::Damaged)
        );
    }
}
