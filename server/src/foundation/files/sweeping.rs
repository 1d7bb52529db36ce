//! Bytes without a row, and rows without bytes: every hour the shelves are held against the table.
//!
//! What a change left there that was undone, or a process that was killed between sending and writing down, belongs to nobody and goes when
//! it is a day old and this very table has not known it for a day ([`kept::FILES_OF_NOBODY`]): one that was brought back from a backup
//! begins to count then. A row whose bytes are not there is told of, and stays: it is evidence of what was lost.
//! One node does it, as it does every job of the queue; killed on the way, what it has not removed is found by the next one.
//!
//! Invariants: from shelves that are another's (`whose`) nothing is removed. A table that knows almost nothing of what lies there is the
//! wrong table: nothing is removed then, a person is told and may let it go ([`whose::release`]). What is removed stands in the audit, by its
//! name, before it is.

use super::{
    Part,
    shelves::Found,
    store,
    whose::{self, Whose, whose},
};
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
use std::collections::{HashMap, HashSet};
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
/// Files that one line of the audit names.
const TOLD: usize = 25;

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
    /// The shelves are another's: nothing was noted and nothing removed.
    pub others: bool,
}

/// Compares, and removes what is nobody's.
///
/// # Errors
/// When the database or the store refuses; tried again.
pub async fn job(context: &Context, job: &Claimed) -> Result<(), Error> {
    let found = sweep(context).await?;
    metrics::gauge!("files_missing").set(u32::try_from(found.missing).unwrap_or(u32::MAX));
    metrics::gauge!("files_of_nobody").set(u32::try_from(found.held).unwrap_or(u32::MAX));
    metrics::gauge!("files_shelves_of_others").set(u32::from(found.others));
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}

/// Once through all that lies there, and then through all rows. Sixteen bytes a file are kept on the way, and the names of nobody's.
///
/// # Errors
/// When the database or the store refuses.
pub async fn sweep(context: &Context) -> Result<Compared, Error> {
    let before = context.now() - kept::FILES_OF_NOBODY;
    let mut compared = Compared::default();
    let mut standing = whose(context).await?;
    if standing == Whose::Ours {
        whose::renew(context).await?;
    }
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
        batch.push(found);
        if batch.len() == BATCH {
            nobodys.extend(without_row(context, std::mem::take(&mut batch)).await?);
        }
    }
    nobodys.extend(without_row(context, batch).await?);
    if standing == Whose::Unmarked && (all == 0 || nobodys.len() < all && !too_many(nobodys.len(), all)) {
        whose::adopt(context).await?;
        tracing::info!(all, "the shelves of the files are this database's from now on");
        standing = Whose::Ours;
    }
    if standing == Whose::Ours {
        let (removed, left) = sorted(context, nobodys, all, before).await?;
        compared.held = count(left);
        remove(context, &removed, &mut compared).await?;
    } else {
        compared.others = true;
    }
    if compared.others {
        tracing::error!(
            all,
            "the shelves of the files are another database's, or this one is a copy: nothing is removed there; if they are ours, `server files claim` says so"
        );
    }
    compared.missing = missing(context, &there, before).await?;
    Ok(compared)
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

const fn too_many(nobodys: usize, all: usize) -> bool {
    nobodys > MANY && nobodys * FEW > all
}

/// Notes what is nobody's; what of it is removed, and how many are left because they are too many to believe it.
async fn sorted(
    context: &Context,
    nobodys: Vec<Found>,
    all: usize,
    before: OffsetDateTime,
) -> Result<(Vec<Found>, usize), Error> {
    let (released, found): (Vec<_>, Vec<_>) = old(context, nobodys, before)
        .await?
        .into_iter()
        .partition(|(_, released)| *released);
    let named = |files: Vec<(Found, bool)>| files.into_iter().map(|(file, _)| file);
    let mut removed: Vec<Found> = named(released).collect();
    if too_many(found.len(), all) {
        tracing::error!(
            held = found.len(),
            all,
            "many of the files that lie there have no row: is this their database? They stay; `server files release` lets them go"
        );
        return Ok((removed, found.len()));
    }
    removed.extend(named(found));
    Ok((removed, 0))
}

/// Removes them, those that are said first.
async fn remove(context: &Context, files: &[Found], compared: &mut Compared) -> Result<(), Error> {
    for some in files.chunks(TOLD) {
        // Looking took its time, and somebody may have taken the shelves meanwhile.
        if whose(context).await? != Whose::Ours {
            compared.others = true;
            return Ok(());
        }
        tell(context, some).await?;
        for found in some {
            context.shelves.remove_found(found).await?;
            metrics::counter!("files_removed_total").increment(1);
            compared.removed += 1;
            compared.bytes += found.bytes;
        }
    }
    Ok(())
}

/// Says what goes now: an explanation that comes after it may not come at all.
async fn tell(context: &Context, files: &[Found]) -> Result<(), Error> {
    let names: Vec<&str> = files.iter().map(Found::name).collect();
    let bytes: u64 = files.iter().map(|found| found.bytes).sum();
    let mut tx = context.db.begin().await?;
    audit::record(
        &mut tx,
        None,
        None,
        Category::Settings,
        "files.removed",
        json!({ "files": names, "bytes": bytes }),
    )
    .await?;
    tx.commit().await?;
    Ok(())
}

async fn without_row(context: &Context, found: Vec<Found>) -> Result<Vec<Found>, Error> {
    let ids: Vec<FileId> = found.iter().filter_map(|f| Some(f.file?.0)).collect();
    let known = store::known(context.db.pool(), &ids).await?;
    let nobodys = found.into_iter();
    Ok(nobodys
        .filter(|found| found.file.is_some_and(|(id, _)| !known.contains(&id)))
        .collect())
}

/// Those of these that are old, and that the table has not known for as long; with whether somebody has let them go.
async fn old(
    context: &Context,
    nobodys: Vec<Found>,
    before: OffsetDateTime,
) -> Result<Vec<(Found, bool)>, Error> {
    let names: Vec<String> = nobodys.iter().map(|found| found.name().to_owned()).collect();
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let noted = store::strays(tx.conn(), &names, now, before).await?;
    tx.commit().await?;
    let noted: HashMap<String, bool> = noted
        .into_iter()
        .map(|stray| (stray.name, stray.released))
        .collect();
    Ok(nobodys
        .into_iter()
        .filter(|found| found.changed_at < before)
        .filter_map(|found| {
            let released = *noted.get(found.name())?;
            Some((found, released))
        })
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
        let absent: Vec<FileId> = page.into_iter().filter(|id| !there.contains(id)).collect();
        if absent.is_empty() {
            continue;
        }
        // Those that were removed with their bytes while we looked have no row any more.
        for (id, purpose) in store::purposes(context.db.pool(), &absent).await? {
            missing += 1;
            if missing <= NAMED {
                tracing::error!(file = %id, %purpose, "a file has a row but no bytes");
            }
        }
    }
}
