//! Links for players: which file, until when, under our mark.

use crate::{foundation::context::Keys, identity::secrets};
use data_encoding::BASE64URL_NOPAD;
use protocol::ids::FileId;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// Long enough for a lesson with a pause.
pub const LASTS: Duration = Duration::hours(6);
const USE: &str = "content link";

/// What a link opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opens {
    pub file: FileId,
    /// Given to staff, who see drafts.
    pub drafts: bool,
}

/// The token of a link.
#[must_use]
pub fn token(keys: &Keys, opens: Opens, until: OffsetDateTime) -> String {
    let mut said = opens.file.0.as_bytes().to_vec();
    said.extend_from_slice(&until.unix_timestamp().to_be_bytes());
    said.push(u8::from(opens.drafts));
    let mark = secrets::mac(keys, USE, &[&said]);
    said.extend_from_slice(&mark);
    BASE64URL_NOPAD.encode(&said)
}

/// What a token opens now; none for one that is over, or not ours.
#[must_use]
pub fn read(keys: &Keys, token: &str, now: OffsetDateTime) -> Option<Opens> {
    let bytes = BASE64URL_NOPAD.decode(token.as_bytes()).ok()?;
    let (said, mark) = bytes.split_at_checked(25)?;
    if !secrets::same(&secrets::mac(keys, USE, &[said]), mark) {
        return None;
    }
    let (file, rest) = said.split_first_chunk::<16>()?;
    let (until, drafts) = rest.split_first_chunk::<8>()?;
    if i64::from_be_bytes(*until) <= now.unix_timestamp() {
        return None;
    }
    Some(Opens {
        file: FileId(Uuid::from_bytes(*file)),
        drafts: drafts == [1],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(codes: u8) -> Keys {
        Keys {
            jwt: vec![1],
            jwt_previous: None,
            codes: vec![codes; 32],
            sealing: [3; 32],
            sealing_previous: None,
        }
    }

    #[test]
    fn a_link_opens_its_file_until_it_is_over() {
        let now = OffsetDateTime::UNIX_EPOCH + Duration::days(9_000);
        let opens = Opens {
            file: FileId::fresh(),
            drafts: false,
        };
        let token = token(&keys(1), opens, now + LASTS);
        assert_eq!(read(&keys(1), &token, now), Some(opens));
        assert_eq!(read(&keys(1), &token, now + LASTS), None);
        assert_eq!(read(&keys(2), &token, now), None, "another installation");
        let mut bytes = BASE64URL_NOPAD.decode(token.as_bytes()).unwrap();
        for at in [0, 20, 24, 40] {
            bytes[at] ^= 1;
            assert_eq!(read(&keys(1), &BASE64URL_NOPAD.encode(&bytes), now), None, "{at}");
            bytes[at] ^= 1;
        }
        for nothing in ["", "abc", "ç", &token[..40]] {
            assert_eq!(read(&keys(1), nothing, now), None);
        }
    }
}
