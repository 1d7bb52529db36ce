//! Whether two accounts belong together: by a device, a document or a payer that both have.

use super::{Reason, store};
use crate::{error::Error, foundation::transaction::Tx, identity::service as identity};
use protocol::ids::UserId;
use sha2::{Digest, Sha256};

pub(super) fn fingerprint(payer: &str) -> [u8; 32] {
    let folded = payer
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase();
    Sha256::digest(folded.as_bytes()).into()
}

/// Remembers who paid in to whom, at the credit.
///
/// # Errors
/// Whatever the database refuses.
pub async fn note_payer(tx: &mut Tx, user: UserId, payer: &str) -> Result<(), Error> {
    let now = tx.now();
    store::note_payer(tx.conn(), user, &fingerprint(payer), now).await
}

/// Remembers whose document this is, by its keyed fingerprint: the same document has the same one in every account. Call it where a
/// document is put on file.
///
/// # Errors
/// Whatever the database refuses.
pub async fn note_document(tx: &mut Tx, user: UserId, fingerprint: &[u8; 32]) -> Result<(), Error> {
    let now = tx.now();
    store::note_document(tx.conn(), user, fingerprint, now).await
}

/// A document was wrong and is no longer on file: it relates its account to nobody.
///
/// # Errors
/// Whatever the database refuses.
pub async fn forget_document(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    store::forget_document(tx.conn(), user).await
}

/// What relates two accounts; nothing when they are strangers.
///
/// # Errors
/// Whatever the database refuses.
pub async fn related(tx: &mut Tx, one: UserId, other: UserId) -> Result<Vec<Reason>, Error> {
    let device = identity::share_device(tx, one, other).await?;
    let (document, payer) = store::shared(tx.conn(), one, other).await?;
    Ok([
        (device, Reason::SameDevice),
        (document, Reason::SameDocument),
        (payer, Reason::SamePayer),
    ]
    .into_iter()
    .filter_map(|(is, reason)| is.then_some(reason))
    .collect())
}
