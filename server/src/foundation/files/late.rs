//! Small pictures when they are asked for. One whose file was taken in before there were any is made then, and stays: by one who asks, while the
//! others wait for it (two nodes may both make it, with the same bytes). Memory is had before a byte of the file is read.

use super::{
    FileRow, Kind, Part, Small, content,
    incoming::{INCOMING, private_folder, room, written},
    receive::aside,
};
use crate::{
    error::Error,
    foundation::{context::Context, turns::Turn},
};
use bytes::Bytes;
use protocol::{ErrorCode, ids::FileId};
use std::sync::Arc;
use uuid::Uuid;

/// None is larger: a preview that cannot be packed.
const MOST: u64 = 8 * 1024 * 1024;

fn kind_of(mime: &str) -> Option<Kind> {
    [Kind::Png, Kind::Jpeg, Kind::Gif]
        .into_iter()
        .find(|kind| kind.mime() == mime)
}

/// The small picture of a file, made now where it was never made.
///
/// # Errors
/// `request.not_found` for what has none; `service.busy` while there is no memory for looking at it.
pub async fn small(context: &Context, row: &FileRow, wanted: Small) -> Result<Bytes, Error> {
    let none = || Error::code(ErrorCode::RequestNotFound);
    let kind = kind_of(&row.mime).filter(|_| row.purpose.smalls().contains(&wanted));
    let kind = kind.ok_or_else(none)?;
    let part = Part::Small(wanted);
    if let Some(bytes) = context.shelves.whole(row.id, part, MOST).await? {
        return Ok(bytes);
    }
    let turn = context.decoding.making(row.id).await?;
    // Made while this one waited?
    if let Some(bytes) = context.shelves.whole(row.id, part, MOST).await? {
        return Ok(bytes);
    }
    make(context, row, kind, Arc::new(turn)).await?;
    context.shelves.whole(row.id, part, MOST).await?.ok_or_else(none)
}

/// Makes all of them, as taking in does. What it takes is told by the file itself, which is read for it and let go again: memory for looking at
/// it is waited for with nothing in hand.
async fn make(context: &Context, row: &FileRow, kind: Kind, turn: Arc<Turn<FileId>>) -> Result<(), Error> {
    let length = u64::try_from(row.bytes).unwrap_or(u64::MAX);
    let purpose = row.purpose;
    let memory = context.decoding.memory(length).await?;
    let bytes = served(context, row, length).await?;
    let plan = aside(purpose, move || {
        let _memory = memory;
        Ok(content::plan(&bytes, purpose)?)
    })
    .await?;
    let memory = context.decoding.memory(plan.memory).await?;
    let bytes = served(context, row, length).await?;
    // Memory and turn go with the work: who asks and goes away does not free what is still in use.
    let held = Arc::clone(&turn);
    let (made, memory) = aside(purpose, move || {
        let _turn = held;
        Ok((content::smalls(&bytes, kind, purpose.smalls())?, memory))
    })
    .await?;
    let folder = context.files.join(INCOMING);
    private_folder(&folder).await?;
    room(&folder, MOST)?;
    for (small, bytes) in made {
        // A name of its own: another may be making the same.
        let path = folder.join(Uuid::now_v7().simple().to_string());
        let waiting = written(path, &bytes).await?;
        let kept = context.shelves.keep(waiting, row.id, Part::Small(small));
        kept.await?;
    }
    drop((memory, turn));
    Ok(())
}

async fn served(context: &Context, row: &FileRow, length: u64) -> Result<Bytes, Error> {
    let bytes = context.shelves.whole(row.id, Part::Served, length).await?;
    bytes.ok_or_else(|| Error::internal(format!("file {} has a row but no bytes", row.id)))
}
