//! Where a link may go: to a page of the web, a mailbox or a telephone. A script, a file of the reader's own machine and a path
//! are refused, and so is whatever is written in a way that programs read differently.

use super::hex;

/// In small letters. Without a scheme only what nobody takes for a path.
const BEGINNINGS: [&[u8]; 5] = [b"https://", b"http://", b"mailto:", b"tel:", b"www."];
/// What is read of a link: white space before it too.
const READ: usize = 64;

/// Whether this string, with its brackets, is an address that somebody may follow.
pub(super) fn may_be_followed(written: &[u8]) -> bool {
    let Some(address) = beginning(written) else {
        return false;
    };
    let address = address.trim_ascii_start().to_ascii_lowercase();
    BEGINNINGS.iter().any(|beginning| address.starts_with(beginning))
}

/// The first bytes that it stands for; `None` when they are written in an unusual way.
fn beginning(written: &[u8]) -> Option<Vec<u8>> {
    match written.split_first()? {
        (b'(', rest) => literal(rest),
        (b'<', rest) => hexadecimal(rest),
        _ => None,
    }
}

fn literal(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    while out.len() < READ {
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

fn hexadecimal(rest: &[u8]) -> Option<Vec<u8>> {
    let digits = rest.strip_suffix(b">")?;
    digits
        .chunks_exact(2)
        .take(READ)
        .map(|pair| match pair {
            [a, b] => Some(hex(*a)? * 16 + hex(*b)?),
            _ => None,
        })
        .collect()
}
