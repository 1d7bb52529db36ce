//! Puts lines into the chain (docs/decisions/0075-audit-in-a-chain.md).

use super::{
    chain::{self, START},
    store,
};
use crate::{error::Error, foundation::transaction::Db};

/// Lines that one transaction links.
const AT_ONCE: i64 = 1_000;
/// How far below the highest linked line is looked for lines of transactions that committed later than others with higher numbers.
const LOOKED_BACK: i64 = 20_000;

/// Which lines are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// New lines, and late ones of the last [`LOOKED_BACK`].
    Recent,
    /// Every line that no link holds: a pass over the whole audit.
    Whole,
}

/// Links all lines that are not in the chain yet; says how many.
///
/// # Errors
/// Whatever the database refuses.
pub async fn link(db: &Db, reach: Reach) -> Result<usize, Error> {
    let mut linked = 0;
    loop {
        let mut tx = db.begin().await?;
        store::lock(tx.conn()).await?;
        let head = store::head(&mut *tx.conn()).await?;
        let (mut seq, mut digest, highest) = head.map_or((0, START, 0), |h| (h.seq, h.digest, h.highest));
        let floor = match reach {
            Reach::Recent => (highest - LOOKED_BACK).max(0),
            Reach::Whole => 0,
        };
        let lines = store::unlinked(tx.conn(), floor, AT_ONCE).await?;
        let found = lines.len();
        let (mut seqs, mut ids, mut digests) = (Vec::new(), Vec::new(), Vec::new());
        for line in &lines {
            seq += 1;
            digest = chain::link(&digest, seq, line);
            seqs.push(seq);
            ids.push(line.id);
            digests.push(digest.to_vec());
        }
        if found > 0 {
            let now = tx.now();
            store::put(tx.conn(), &seqs, &ids, &digests, now).await?;
            tx.commit().await?;
            linked += found;
        } else {
            tx.rollback().await?;
        }
        if i64::try_from(found).unwrap_or(i64::MAX) < AT_ONCE {
            return Ok(linked);
        }
    }
}
