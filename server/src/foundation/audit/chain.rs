//! The digest of a link: SHA-256 over the digest before it, its number and every field of its audit line. Pure.

use super::store::Line;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// The digest of a link.
pub type Digest = [u8; 32];

/// What the first link follows.
pub const START: Digest = [0; 32];

/// The digest of the link `seq` on `line`. Fields of changing length are preceded by it, so that nothing can move from one field into
/// the next.
#[must_use]
pub fn link(before: &Digest, seq: i64, line: &Line) -> Digest {
    let mut hash = Sha256::new();
    hash.update(before);
    hash.update(seq.to_be_bytes());
    hash.update(line.id.to_be_bytes());
    hash.update(line.at.unix_timestamp_nanos().to_be_bytes());
    person(&mut hash, line.actor);
    person(&mut hash, line.subject);
    for text in [&line.category, &line.action, &line.details] {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize().into()
}

fn person(hash: &mut Sha256, id: Option<Uuid>) {
    match id {
        None => hash.update([0]),
        Some(id) => {
            hash.update([1]);
            hash.update(id.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    fn line() -> Line {
        Line {
            id: 7,
            at: datetime!(2026-11-24 12:00:00.000001 UTC),
            actor: Some(Uuid::from_u128(1)),
            subject: None,
            category: "money".into(),
            action: "deposit.approved".into(),
            details: r#"{"a": 1}"#.into(),
        }
    }

    #[test]
    fn every_field_counts() {
        let first = link(&START, 1, &line());
        let changes: [fn(&mut Line); 7] = [
            |l| l.id = 8,
            |l| l.at += time::Duration::microseconds(1),
            |l| l.actor = None,
            |l| l.subject = l.actor,
            |l| l.category = "roles".into(),
            |l| l.action = "deposit.rejected".into(),
            |l| l.details = "{}".into(),
        ];
        for change in changes {
            let mut other = line();
            change(&mut other);
            assert_ne!(link(&START, 1, &other), first);
        }
        assert_ne!(link(&START, 2, &line()), first);
        assert_ne!(link(&first, 1, &line()), first);
        assert_eq!(link(&START, 1, &line()), first);
    }

    #[test]
    fn nothing_moves_from_a_field_into_the_next() {
        let mut moved = line();
        moved.category = "moneyd".into();
        moved.action = "eposit.approved".into();
        assert_ne!(link(&START, 1, &moved), link(&START, 1, &line()));
        // A person in the other place.
        let mut swapped = line();
        std::mem::swap(&mut swapped.actor, &mut swapped.subject);
        assert_ne!(link(&START, 1, &swapped), link(&START, 1, &line()));
    }
}
