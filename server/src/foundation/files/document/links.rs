//! Where a link may go: to a page of the web, a mailbox or a telephone. A script, a file of the reader's own machine and a path
//! are refused, and so is whatever is written in a way that programs read differently.

use super::hex;

/// In small letters.
const SCHEMES: [&[u8]; 4] = [b"https://", b"http://", b"mailto:", b"tel:"];
/// Banks write links without a scheme, which some readers take for a file beside the document.
const BARE: &[u8] = b"www.";
/// What is read of a link with a scheme: white space before it too.
const READ: usize = 64;
/// The longest one without.
const LONGEST: usize = 1024;

/// Whether this string, with its brackets, is an address that somebody may follow.
pub(super) fn may_be_followed(written: &[u8]) -> bool {
    let Some(address) = beginning(written, READ) else {
        return false;
    };
    let address = address.trim_ascii_start();
    if address
        .get(..BARE.len())
        .is_some_and(|first| first.eq_ignore_ascii_case(BARE))
    {
        return beginning(written, LONGEST).is_some_and(|whole| is_of_the_web(&whole));
    }
    let address = address.to_ascii_lowercase();
    SCHEMES.iter().any(|scheme| address.starts_with(scheme))
}

/// Whether what has no scheme can be nothing but a page: a host below a public ending, and a path that goes nowhere else.
fn is_of_the_web(address: &[u8]) -> bool {
    let address = address.strip_suffix(b")").unwrap_or(address);
    let Ok(address) = std::str::from_utf8(address) else {
        return false;
    };
    let address = address.trim().to_ascii_lowercase();
    let (host, path) = address.split_at(address.find(['/', '?', '#', ':']).unwrap_or(address.len()));
    let label =
        |label: &str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let below = psl::domain(host.as_bytes()).filter(|domain| domain.suffix().is_known());
    address.len() < LONGEST
        && host.split('.').all(label)
        && below.is_some_and(|domain| domain.as_bytes().len() < host.len())
        && path
            .bytes()
            .all(|b| b.is_ascii_graphic() && !matches!(b, b'\\' | b'%'))
        && !path.contains("..")
}

/// The first bytes that it stands for, at most so many; `None` when they are written in an unusual way.
fn beginning(written: &[u8], most: usize) -> Option<Vec<u8>> {
    match written.split_first()? {
        (b'(', rest) => literal(rest, most),
        (b'<', rest) => hexadecimal(rest, most),
        _ => None,
    }
}

fn literal(mut rest: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    while out.len() < most {
        match rest {
            [] => break,
            [
                b'\\',
                a @ b'0'..=b'3',
                b @ b'0'..=b'7',
                c @ b'0'..=b'7',
                after @ ..,
            ] => {
                out.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                rest = after;
            }
            [b'\\', escaped @ (b'(' | b')' | b'\\'), after @ ..] => {
                out.push(*escaped);
                rest = after;
            }
            [b'\\', ..] => return None,
            [byte, after @ ..] => {
                out.push(*byte);
                rest = after;
            }
        }
    }
    Some(out)
}

fn hexadecimal(rest: &[u8], most: usize) -> Option<Vec<u8>> {
    let digits = rest.strip_suffix(b">")?;
    digits
        .chunks_exact(2)
        .take(most)
        .map(|pair| match pair {
            [a, b] => Some(hex(*a)? * 16 + hex(*b)?),
            _ => None,
        })
        .collect()
}
