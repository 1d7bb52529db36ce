//! What stands in the file: of each room what it keeps about the person, as JSON, and the files that they have uploaded.

mod store;

pub use store::Look;

use super::archive::Archive;
use crate::{
    error::Error,
    foundation::{
        context::Context,
        files::{self, FileRow, Looked},
        locale::Locale,
    },
};
use futures_util::TryStreamExt;
use protocol::ids::UserId;

/// Begins to read; none while another's data are read.
///
/// # Errors
/// Whatever the database refuses.
pub async fn look(context: &Context) -> Result<Option<Look>, Error> {
    Look::open(context.db.files()).await
}

/// Writes all of it, from one state of the database.
///
/// # Errors
/// Whatever the database or the disk refuses.
pub async fn write(
    context: &Context,
    mut look: Look,
    archive: &mut Archive,
    person: UserId,
    locale: Locale,
) -> Result<(), Error> {
    archive.text("README.txt").await?;
    archive.write(locale.text("privacy", "readme")).await?;
    for (room, parts) in store::ROOMS {
        archive.text(format!("data/{room}.json")).await?;
        for (place, (name, sql)) in parts.iter().enumerate() {
            let begin = if place == 0 { "{" } else { ",\n" };
            archive.write(format!("{begin}\"{name}\": [")).await?;
            let mut rows = look.rows(sql, person);
            let mut first = true;
            while let Some(row) = rows.try_next().await? {
                archive
                    .write(format!("{}{row}", if first { "\n" } else { ",\n" }))
                    .await?;
                first = false;
            }
            archive.write("]").await?;
        }
        archive.write("}\n").await?;
    }
    let uploaded = look.files(person).await?;
    look.close().await?;
    let mut lost = Vec::new();
    for id in uploaded {
        match files::look(context, id).await? {
            Some(Looked::Whole(opened)) => {
                archive.file(name(&opened.row), opened.on_disk().await?).await?;
            }
            // A person's data do not wait for what cannot be found: staff do.
            Some(Looked::Lost(row)) => {
                tracing::error!(file = %id, "a file has a row but no bytes: a person's data go without it");
                lost.push(name(&row));
            }
            // Let go since the database was looked at.
            None => {}
        }
    }
    if !lost.is_empty() {
        archive.text("MISSING.txt").await?;
        archive.write(locale.text("privacy", "missing")).await?;
        for name in lost {
            archive.write(format!("{name}\n")).await?;
        }
    }
    Ok(())
}

/// What it is called there; the id tells files of one name apart.
fn name(row: &FileRow) -> String {
    format!(
        "files/{}/{}-{}",
        row.purpose.as_str(),
        row.id.0.simple(),
        row.name
    )
}
