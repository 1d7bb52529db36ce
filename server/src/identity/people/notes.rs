//! Notes of staff about a person: added, never changed, never shown to the person.

use super::{require_other, store};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        http::Paging,
        text,
    },
    identity::service,
};
use protocol::{
    ErrorCode,
    ids::{StaffNoteId, UserId},
    views::StaffPerson,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use time::OffsetDateTime;

/// Longest note.
const NOTE: usize = 2_000;

/// What somebody of the staff wrote down about a person.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StaffNote {
    #[serde(rename = "_id")]
    pub id: StaffNoteId,
    pub author: StaffPerson,
    pub text: String,
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// The body of a new note.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewNote {
    /// At most 2 000 characters.
    pub text: String,
}

/// A person's notes, newest first, and how many there are.
pub async fn list(
    context: &Context,
    reader: UserId,
    about: UserId,
    paging: &Paging,
) -> Result<(Vec<StaffNote>, i64), Error> {
    require_other(reader, about)?;
    store::notes(context.db.pool(), about, paging).await
}

/// Adds a note.
pub async fn add(
    context: &Context,
    author: UserId,
    about: UserId,
    note: &NewNote,
) -> Result<StaffNote, Error> {
    require_other(author, about)?;
    let written = text::at_most(text::paragraph(&note.text), "text", NOTE)?;
    if written.is_empty() {
        return Err(Error::code(ErrorCode::RequestInvalid).field("text", ErrorCode::FieldRequired));
    }
    let mut tx = context.db.begin().await?;
    let (id, now) = (StaffNoteId::fresh(), tx.now());
    store::insert_note(tx.conn(), id, about, author, &written, now).await?;
    let by = service::account_within(&mut tx, author).await?;
    audit::record(
        &mut tx,
        Some(author),
        Some(about.0),
        Category::Support,
        "user.note",
        json!({ "note": id }),
    )
    .await?;
    tx.commit().await?;
    Ok(StaffNote {
        id,
        author: StaffPerson {
            id: author,
            username: by.username,
            full_name: by.full_name,
        },
        text: written,
        created_at: now,
    })
}
