//! Small pictures when they are asked for. One whose file was taken in before there were any is made then, and stays: two that ask at once
//! make the same bytes.

use super::{
    FileRow, Kind, Part, Small, content,
    incoming::{INCOMING, private_folder, room, written},
    receive::aside,
};
use crate::{error::Error, foundation::context::Context};
use bytes::Bytes;
use protocol::ErrorCode;
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
    make(context, row, kind).await?;
    context.shelves.whole(row.id, part, MOST).await?.ok_or_else(none)
}

/// Makes all of them, as taking in does.
async fn make(context: &Context, row: &FileRow, kind: Kind) -> Result<(), Error> {
    let length = u64::try_from(row.bytes).unwrap_or(u64::MAX);
    let missing = || Error::internal(format!("file {} has a row but no bytes", row.id));
    let bytes = context.shelves.whole(row.id, Part::Served, length).await?;
    let bytes = bytes.ok_or_else(missing)?;
    let purpose = row.purpose;
    let looked = bytes.clone();
    let plan = aside(purpose, move || Ok(content::plan(&looked, purpose)?)).await?;
    let memory = context.decoding.memory(plan.memory).await?;
    let made = aside(purpose, move || {
        let _memory = memory;
        Ok(content::smalls(&bytes, kind, purpose.smalls())?)
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
    Ok(())
}
