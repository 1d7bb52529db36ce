//! How the audit stands, as far as is known without reading all of it: the last link, the newest signature, the link of one line. That all
//! of it is whole, [`super::verify`] alone says, and a signature, which is given to nothing else.

pub use super::store::Last;
use super::{
    chain::{self, Digest, START},
    heads::{self, AuditHeads, SignedHead},
    store,
};
use crate::{
    error::Error,
    foundation::{context::Context, transaction::Db},
};
use time::OffsetDateTime;

/// The chain's end, and what this server has signed.
#[derive(Clone, Debug)]
pub struct Standing {
    pub last: Option<Last>,
    /// None where there is no key.
    pub signing: Option<Signing>,
}

/// Signatures of this server's file.
#[derive(Clone, Debug)]
pub struct Signing {
    /// Public key, hexadecimal.
    pub key: String,
    pub heads: usize,
    /// Lines that are none.
    pub unreadable: usize,
    pub newest: Option<Newest>,
}

/// The last signature of the file.
#[derive(Clone, Debug)]
pub struct Newest {
    pub head: SignedHead,
    /// Of this server's key, and its link has the digest that was signed.
    pub stands: bool,
}

/// How the chain ends and what was signed last.
///
/// # Errors
/// When the database or the file cannot be read.
pub async fn standing(context: &Context) -> Result<Standing, Error> {
    let last = store::last(context.db.pool()).await?;
    let signing = match context.part::<AuditHeads>() {
        Some(heads) => Some(signing(context, heads).await?),
        None => None,
    };
    Ok(Standing { last, signing })
}

async fn signing(context: &Context, heads: &AuditHeads) -> Result<Signing, Error> {
    let path = heads.path();
    let kept = tokio::task::spawn_blocking(move || heads::read(&path))
        .await
        .map_err(anyhow::Error::from)?
        .map_err(anyhow::Error::from)?;
    let (all, key) = (kept.len(), heads.public());
    let mut read: Vec<SignedHead> = kept.into_iter().flatten().collect();
    let (count, last) = (read.len(), read.pop());
    let newest = match last {
        None => None,
        Some(head) => {
            let link = store::digest(context.db.pool(), head.seq).await?;
            let same = link.map(hex::encode).as_deref() == Some(head.digest.as_str());
            Some(Newest {
                stands: same && head.is_signed_by(&key),
                head,
            })
        }
    };
    Ok(Signing {
        key,
        heads: count,
        unreadable: all - count,
        newest,
    })
}

/// A line's link.
#[derive(Clone, Debug)]
pub struct Linked {
    pub number: i64,
    /// The digest before it: of the first link the start, none where the link before is gone.
    pub before: Option<Digest>,
    pub digest: Vec<u8>,
    pub at: OffsetDateTime,
    /// The digest is that of the line as it reads now.
    pub matches: bool,
}

/// The link of a line, its digest computed anew; none before it is linked.
///
/// # Errors
/// Whatever the database refuses.
pub async fn link_of(db: &Db, line: i64) -> Result<Option<Linked>, Error> {
    let Some(found) = store::linked(db.pool(), line).await? else {
        return Ok(None);
    };
    let before = match found.before {
        Some(digest) => Digest::try_from(digest).ok(),
        None => (found.seq == 1).then_some(START),
    };
    let anew = before.map(|before| chain::link(&before, found.seq, &found.line));
    Ok(Some(Linked {
        number: found.seq,
        before,
        matches: anew.is_some_and(|anew| anew[..] == found.digest[..]),
        digest: found.digest,
        at: found.at,
    }))
}
