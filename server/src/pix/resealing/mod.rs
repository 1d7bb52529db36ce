//! After a rotation of the master key: PIX keys and documents are sealed anew, some at a time.

mod store;

use super::withdrawals::holder::bound_to;
use crate::{error::Error, foundation::context::Context, identity::secrets};
use uuid::Uuid;

/// Rows of one transaction.
pub const BATCH: i64 = 200;

/// What a resealing did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resealed {
    pub keys: u64,
    pub documents: u64,
}

/// Which sealed column.
#[derive(Clone, Copy)]
enum What {
    Keys,
    Documents,
}

impl What {
    const fn name(self) -> &'static str {
        match self {
            Self::Keys => "key",
            Self::Documents => "document",
        }
    }
}

/// Seals by the key in force what only the one before opens. May stop and begin again anywhere.
///
/// # Errors
/// `service.internal` for what neither key opens.
pub async fn reseal(context: &Context) -> Result<Resealed, Error> {
    Ok(Resealed {
        keys: all(context, What::Keys).await?,
        documents: all(context, What::Documents).await?,
    })
}

async fn all(context: &Context, what: What) -> Result<u64, Error> {
    let (mut after, mut count) = (Uuid::nil(), 0);
    while let Some((last, done)) = some(context, what, after, BATCH).await? {
        (after, count) = (last, count + done);
    }
    Ok(count)
}

/// The next rows in one transaction: the last one that was looked at, and how many were sealed anew.
async fn some(context: &Context, what: What, after: Uuid, most: i64) -> Result<Option<(Uuid, u64)>, Error> {
    let mut tx = context.db.begin().await?;
    let rows = match what {
        What::Keys => store::keys_after(tx.conn(), after, most).await?,
        What::Documents => store::documents_after(tx.conn(), after, most).await?,
    };
    let Some(last) = rows.last().map(|row| row.id) else {
        return Ok(None);
    };
    let mut count = 0;
    for row in rows {
        let owner = bound_to(row.owner, what.name());
        let Some(sealed) = secrets::reseal(&context.keys, &owner, &row.sealed)? else {
            continue;
        };
        match what {
            What::Keys => store::keep_key(tx.conn(), row.id, &sealed).await?,
            What::Documents => store::keep_document(tx.conn(), row.id, &sealed).await?,
        }
        count += 1;
    }
    tx.commit().await?;
    Ok(Some((last, count)))
}
