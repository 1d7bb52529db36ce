//! Bytes without a row, and rows without bytes: every hour the shelves are held against the table.
//!
//! What a change left there that was undone, or a process that was killed between sending and writing down, belongs to nobody and goes when
//! it is a day old ([`kept::FILES_OF_NOBODY`]). A row whose bytes are not there is told of, and stays: it is evidence of what was lost.
//! One node does it, as it does every job of the queue; killed on the way, what it has not removed is found by the next one.
//!
//! Invariant: a table that knows almost nothing of what lies there is the wrong table (another database, an old backup): nothing is
//! removed then, and a person is told.

use super::{FileRow, Part, shelves::Found, store};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        job_queue::{self, Claimed},
        kept,
    },
};
use futures_util::TryStreamExt;
use protocol::ids::FileId;
use serde_json::json;
use std::collections::HashSet;
use time::OffsetDateTime;

/// A job of this kind does it.
pub const COMPARE: &str = "foundation.compare_files";

/// Ids of one question to the table.
const BATCH: usize = 1000;
/// So many are removed whatever else lies there; of more than that, no more than a [`FEW`]th of all.
const MANY: usize = 100;
const FEW: usize = 10;
/// Rows that are named one by one in the log.
const NAMED: u64 = 20;

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Bytes of nobody that are gone, in files and in bytes.
    pub removed: u64,
    pub bytes: u64,
    /// Those that were left, because they were too many to believe it.
    pub held: u64,
    /// Rows whose bytes are not there.
    pub missing: u64,
    /// What no file of ours is called: left alone.
    pub strange: u64,
}

/// Compares, and removes what is nobody's.
///
/// # Errors
/// When the database or the store refuses; tried again.
pub async fn job(context: &Context, job: &Claimed) -> Result<(), Error> {
    let found = sweep(context).await?;
    metrics::counter!("files_removed_total").increment(found.removed);
    metrics::gauge!("files_missing").set(u32::try_from(found.missing).unwrap_or(u32::MAX));
    metrics::gauge!("files_of_nobody").set(u32::try_from(found.held).unwrap_or(u32::MAX));
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if found.removed > 0 {
        audit::record(
            &mut tx,
            None,
            None,
            Category::Settings,
            "files.removed",
            json!({ "removed": found.removed, "bytes": found.bytes }),
        )
        .await?;
    }
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}

/// Once through all that lies there, and then through all rows. Sixteen bytes a file are kept on the way.
///
/// # Errors
/// When the database or the store refuses.
pub async fn sweep(context: &Context) -> Result<Compared, Error> {
    let before = context.now() - kept::FILES_OF_NOBODY;
    let mut compared = Compared::default();
    let (mut there, mut all) = (HashSet::new(), 0);
    let (mut batch, mut nobodys) = (Vec::new(), Vec::new());
    let mut lying = context.shelves.all();
    while let Some(found) = lying.try_next().await? {
        let Some((id, part)) = found.file else {
            compared.strange += 1;
            continue;
        };
        all += 1;
        if part == Part::Served {
            there.insert(id);
        }
        if found.changed_at < before {
            batch.push(found);
        }
        if batch.len() == BATCH {
            nobodys.extend(without_row(context, std::mem::take(&mut batch)).await?);
        }
    }
    nobodys.extend(without_row(context, batch).await?);
    if nobodys.len() > MANY && nobodys.len() * FEW > all {
        compared.held = count(nobodys.len());
        tracing::error!(
            held = compared.held,
            all,
            "most of the files that lie there have no row: is this their database? Nothing was removed"
        );
    } else {
        for found in nobodys {
            context.shelves.remove_found(&found).await?;
            compared.removed += 1;
            compared.bytes += found.bytes;
        }
    }
    compared.missing = missing(context, &there, before).await?;
    Ok(compared)
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

async fn without_row(context: &Context, found: Vec<Found>) -> Result<Vec<Found>, Error> {
    let ids: Vec<FileId> = found.iter().filter_map(|f| Some(f.file?.0)).collect();
    let known = store::known(context.db.pool(), &ids).await?;
    let nobodys = found.into_iter();
    Ok(nobodys
        .filter(|found| found.file.is_some_and(|(id, _)| !known.contains(&id)))
        .collect())
}

/// How many rows name bytes that are not there.
async fn missing(context: &Context, there: &HashSet<FileId>, before: OffsetDateTime) -> Result<u64, Error> {
    let (mut after, mut missing) = (None, 0);
    loop {
        let page = store::page(context.db.pool(), after, before, BATCH).await?;
        let Some(last) = page.last() else {
            return Ok(missing);
        };
        after = Some(*last);
        for id in page.iter().filter(|id| !there.contains(id)) {
            // Removed with its bytes while we looked?
            let row: Option<FileRow> = store::find(context.db.pool(), *id).await?;
            let Some(row) = row else { continue };
            missing += 1;
            if missing <= NAMED {
                tracing::error!(file = %id, purpose = row.purpose.as_str(), "a file has a row but no bytes");
            }
        }
    }
}
