//! Which part of a file a reader wants (RFC 9110, 14): one range of bytes. What is not understood, or asks for several, gets the whole; who has the
//! file already (13.1.2) gets nothing of it.

use actix_web::{FromRequest, HttpRequest, dev::Payload, http::header};
use std::{
    convert::Infallible,
    future::{Ready, ready},
};

/// What a reader says about the part that it wants.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    range: Option<String>,
    /// The part is wanted of exactly this file; of another one all.
    of: Option<String>,
    /// Tags of files that the reader has.
    known: Option<String>,
}

/// What of a file is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Whole,
    /// Both inclusive.
    Bytes(u64, u64),
    /// There is nothing where it is wanted.
    Nowhere,
}

impl FromRequest for Wanted {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let text = |name| {
            let value = req.headers().get(name)?;
            value.to_str().ok().map(str::to_owned)
        };
        ready(Ok(Self {
            range: text(header::RANGE),
            of: text(header::IF_RANGE),
            known: text(header::IF_NONE_MATCH),
        }))
    }
}

impl Wanted {
    /// Whether the reader has the file of this tag. Several may be named, and the weak form of a tag is the tag: the bytes of one never change.
    #[must_use]
    pub fn has(&self, tag: &str) -> bool {
        let known = self.known.as_deref().unwrap_or_default();
        known
            .split(',')
            .map(str::trim)
            .any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
    }

    /// Of a file of this length under this tag. A date is no tag: whoever asks by it gets the whole.
    #[must_use]
    pub fn part(&self, length: u64, tag: &str) -> Part {
        let Some(range) = self.range.as_deref() else {
            return Part::Whole;
        };
        if self.of.as_deref().is_some_and(|of| of != tag) {
            return Part::Whole;
        }
        read(range, length).unwrap_or(Part::Whole)
    }
}

fn digits(text: &str) -> Option<u64> {
    let all = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // More than any file has: what it means is clear all the same.
    all.then(|| text.parse().unwrap_or(u64::MAX))
}

fn read(range: &str, length: u64) -> Option<Part> {
    let (unit, range) = range.split_once('=')?;
    let (first, last) = range.trim().split_once('-')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") || range.contains(',') {
        return None;
    }
    let end = length.checked_sub(1);
    let found = match (first.trim(), last.trim()) {
        ("", last) => {
            let last = digits(last)?;
            end.filter(|_| last > 0)
                .map(|end| (length.saturating_sub(last), end))
        }
        (first, "") => {
            let first = digits(first)?;
            end.filter(|end| first <= *end).map(|end| (first, end))
        }
        (first, last) => {
            let (first, last) = (digits(first)?, digits(last)?);
            if last < first {
                return None;
            }
            end.filter(|end| first <= *end).map(|end| (first, last.min(end)))
        }
    };
    Some(found.map_or(Part::Nowhere, |(first, last)| Part::Bytes(first, last)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(range: &str, length: u64) -> Part {
        let wanted = Wanted {
            range: Some(range.to_owned()),
            ..Wanted::default()
        };
        wanted.part(length, "\"a\"")
    }

    #[test]
    fn one_range_is_read_and_what_is_not_understood_is_the_whole() {
        for (range, part) in [
            ("bytes=0-0", Part::Bytes(0, 0)),
            ("bytes=0-", Part::Bytes(0, 99)),
            ("Bytes = 10-19", Part::Bytes(10, 19)),
            ("bytes=90-200", Part::Bytes(90, 99)),
            ("bytes=-10", Part::Bytes(90, 99)),
            ("bytes=-1000", Part::Bytes(0, 99)),
            ("bytes=100-", Part::Nowhere),
            ("bytes=99999999999999999999999-", Part::Nowhere),
            ("bytes=-0", Part::Nowhere),
            ("bytes=5-4", Part::Whole),
            ("bytes=0-1,5-6", Part::Whole),
            ("bytes=a-b", Part::Whole),
            ("bytes=-", Part::Whole),
            ("lines=0-1", Part::Whole),
            ("bytes", Part::Whole),
        ] {
            assert_eq!(of(range, 100), part, "{range}");
        }
        assert_eq!(of("bytes=0-", 0), Part::Nowhere);
    }

    #[test]
    fn a_part_of_another_file_is_the_whole() {
        let wanted = |of: &str| Wanted {
            range: Some("bytes=1-2".to_owned()),
            of: Some(of.to_owned()),
            known: None,
        };
        assert_eq!(wanted("\"a\"").part(9, "\"a\""), Part::Bytes(1, 2));
        for other in ["\"b\"", "W/\"a\"", "Fri, 27 Nov 2026 05:00:00 GMT"] {
            assert_eq!(wanted(other).part(9, "\"a\""), Part::Whole, "{other}");
        }
    }

    #[test]
    fn who_has_it_names_its_tag() {
        let has = |known: &str| {
            let wanted = Wanted {
                known: Some(known.to_owned()),
                ..Wanted::default()
            };
            wanted.has("\"a\"")
        };
        for known in ["\"a\"", "W/\"a\"", "\"b\", \"a\"", "*"] {
            assert!(has(known), "{known}");
        }
        for known in ["", "\"b\"", "a", "\"ab\"", "W/"] {
            assert!(!has(known), "{known}");
        }
        assert!(!Wanted::default().has("\"a\""));
    }

    proptest! {
        /// Whatever is asked, what is answered lies within the file.
        #[test]
        fn a_part_lies_within(range in "bytes=[0-9]{0,4}-[0-9]{0,4}", length in 0u64..3000) {
            if let Part::Bytes(first, last) = of(&range, length) {
                prop_assert!(first <= last && last < length);
            }
        }
    }
}
