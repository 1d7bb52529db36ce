//! What the calls of content take and give.

use crate::foundation::locale::Locale;
use protocol::ids::{ContentId, FileId};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};

/// What an item is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContentKind {
    /// Of the academy.
    Lesson,
    /// To hand on.
    Material,
}

impl ContentKind {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lesson => "lesson",
            Self::Material => "material",
        }
    }
}

/// Whether customers see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContentStatus {
    Draft,
    Published,
}

/// Filters of the lists, beside the parameters of every list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ContentFilter {
    /// Lessons or material; both when absent.
    #[serde(default)]
    #[param(inline)]
    pub kind: Option<ContentKind>,
    /// `pt`, `en`, `es` or `all`.
    #[serde(default)]
    pub language: Option<String>,
}

/// What hangs on an item.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ContentFile {
    pub file: FileId,
    pub name: String,
    pub mime: String,
    pub bytes: i64,
}

/// How far somebody came in a lesson.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub struct LessonProgress {
    /// Where in the video.
    pub seconds: i32,
    pub done: bool,
}

/// A published item, as customers see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContentView {
    #[serde(rename = "_id")]
    pub id: ContentId,
    pub kind: ContentKind,
    pub language: Locale,
    pub title: String,
    /// In a list its beginning.
    pub text: String,
    pub cover: Option<FileId>,
    pub file: Option<ContentFile>,
    pub progress: LessonProgress,
    #[serde(with = "time::serde::rfc3339")]
    pub published_at: OffsetDateTime,
}

/// An item as staff see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct StaffContentView {
    #[serde(rename = "_id")]
    pub id: ContentId,
    pub kind: ContentKind,
    pub language: Locale,
    pub title: String,
    /// In the list its beginning.
    pub text: String,
    /// The lowest comes first.
    pub order: i32,
    pub status: ContentStatus,
    pub cover: Option<FileId>,
    pub file: Option<ContentFile>,
    /// Username of who made it.
    pub author: String,
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339::option")]
    pub published_at: Option<OffsetDateTime>,
    pub version: i64,
}

/// A new draft.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewContent {
    /// The sender's own: however often it comes, there is one draft.
    pub id: ContentId,
    pub kind: ContentKind,
    pub language: Locale,
    /// One line, at most 120 characters.
    pub title: String,
    /// At most 20 000 characters; an empty line between paragraphs, `## ` before a heading, `- ` before what is listed.
    #[serde(default)]
    pub text: String,
    /// 0 to 9999, the lowest first; the last place when absent.
    #[serde(default)]
    pub order: Option<i32>,
}

/// What changes of an item; what is absent stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ContentChange {
    /// As it was read: of two changes at once the later is refused.
    pub version: i64,
    #[serde(default)]
    pub language: Option<Locale>,
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub text: Option<String>,
    #[serde(default)]
    pub order: Option<i32>,
    #[serde(default)]
    pub status: Option<ContentStatus>,
}

/// How far one came.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgressMade {
    /// Where in the video, 0 to 86 400.
    #[serde(default)]
    pub seconds: i32,
    /// Finished; once it is, it stays so until it is said otherwise.
    #[serde(default)]
    pub done: Option<bool>,
}

/// Where a player finds a video.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MediaLink {
    /// Below `/api`.
    pub path: String,
    #[serde(with = "time::serde::rfc3339")]
    pub expires_at: OffsetDateTime,
}
