//! Signed heads of the chain: one JSON line a day in a file outside the database. Whoever rewrites the whole chain in the database has
//! neither the key nor the file.

use super::chain::Digest;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, OpenOptions},
    io::{self, ErrorKind, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Name of the file in its folder.
pub const FILE: &str = "heads.jsonl";

/// A head as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedHead {
    /// Number of the link that was the last one.
    pub seq: i64,
    /// Its digest, hexadecimal.
    pub digest: String,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// Public key, hexadecimal: which key signed, not whether to believe it.
    pub key: String,
    /// Ed25519 signature over [`message`], hexadecimal.
    pub signature: String,
}

/// What is signed.
fn message(seq: i64, digest: &str, at: OffsetDateTime) -> String {
    let at = at.format(&Rfc3339).unwrap_or_default();
    format!("arbora audit head 1\n{seq}\n{digest}\n{at}\n")
}

/// Signs heads into the file of this installation; a part of the context where there is a key.
pub struct AuditHeads {
    key: SigningKey,
    folder: PathBuf,
}

impl AuditHeads {
    /// `folder` is made where it is missing, closed to other users.
    #[must_use]
    pub fn new(key: &[u8; 32], folder: PathBuf) -> Self {
        Self {
            key: SigningKey::from_bytes(key),
            folder,
        }
    }

    /// The public key, hexadecimal.
    #[must_use]
    pub fn public(&self) -> String {
        public(&self.key)
    }

    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// Appends the signed head and waits for the disk.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn sign(&self, seq: i64, digest: &Digest, at: OffsetDateTime) -> io::Result<SignedHead> {
        let digest = hex::encode(digest);
        let signature = self.key.sign(message(seq, &digest, at).as_bytes());
        let head = SignedHead {
            seq,
            at,
            key: self.public(),
            signature: hex::encode(signature.to_bytes()),
            digest,
        };
        crate::foundation::private::make(&self.folder)?;
        let mut line = serde_json::to_string(&head)?;
        line.push('\n');
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(self.path())?;
        file.write_all(line.as_bytes())?;
        file.sync_all()?;
        Ok(head)
    }
}

fn public(key: &SigningKey) -> String {
    hex::encode(key.verifying_key().to_bytes())
}

/// The public half of a key of the secrets folder, hexadecimal.
#[must_use]
pub fn public_of(key: &[u8; 32]) -> String {
    public(&SigningKey::from_bytes(key))
}

impl SignedHead {
    /// Whether `key` (hexadecimal) signed exactly this.
    #[must_use]
    pub fn is_signed_by(&self, key: &str) -> bool {
        let check = || {
            let key: [u8; 32] = hex::decode(key).ok()?.try_into().ok()?;
            let signature: [u8; 64] = hex::decode(&self.signature).ok()?.try_into().ok()?;
            VerifyingKey::from_bytes(&key)
                .ok()?
                .verify_strict(
                    message(self.seq, &self.digest, self.at).as_bytes(),
                    &Signature::from_bytes(&signature),
                )
                .ok()
        };
        check().is_some()
    }
}

/// The file's heads, each with its line: those that cannot be read as what is wrong with them. Empty without a file.
///
/// # Errors
/// When the file is there and cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<Result<SignedHead, String>>> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    Ok(lines
        .map(|line| serde_json::from_str(line).map_err(|error| error.to_string()))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn a_head_is_signed_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let heads = AuditHeads::new(&[7; 32], folder.path().join("audit"));
        assert!(read(&heads.path()).unwrap().is_empty());
        for seq in 1..=2 {
            heads
                .sign(seq, &[9; 32], datetime!(2026-11-24 12:00 UTC))
                .unwrap();
        }
        let kept: Vec<_> = read(&heads.path())
            .unwrap()
            .into_iter()
            .map(Result::unwrap)
            .collect();
        assert_eq!(kept.iter().map(|h| h.seq).collect::<Vec<_>>(), [1, 2]);
        assert!(kept.iter().all(|h| h.is_signed_by(&heads.public())));
        assert!(!kept[0].is_signed_by(&public_of(&[8; 32])));
        assert!(!kept[0].is_signed_by("no key"));
        // Nothing of it can be changed.
        for change in [
            |h: &mut SignedHead| h.seq = 3,
            |h: &mut SignedHead| h.digest = hex::encode([8; 32]),
            |h: &mut SignedHead| h.at += time::Duration::SECOND,
        ] {
            let mut other = kept[0].clone();
            change(&mut other);
            assert!(!other.is_signed_by(&heads.public()));
        }
    }
}
