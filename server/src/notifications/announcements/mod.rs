//! What staff say to everyone, or to all who have a role (docs/rules/notifications.md#announcements): a line in each inbox, in its reader's language.
//!
//! Invariants: the words stand once, whole in all languages, and never change; each reader has one line of them, whatever dies while they
//! are written; who comes later has none; somebody reads the words only who has the line.

pub mod routes;
mod store;

use super::push::{self, New};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        http::{ListParams, Page},
        job_queue::{self, Claimed, NewJob},
        text,
    },
    identity::caller::Caller,
};
use protocol::{ErrorCode, LiveEvent, Permission, StreamId, ids::AnnouncementId, permission::ROLES};
use serde::{Deserialize, Serialize};
use serde_json::json;
use time::{Duration, OffsetDateTime};

/// The job's kind.
pub const TELL: &str = "notifications.announce";
/// A line of the inbox has room for so much.
const MAX_TITLE: usize = 70;
const MAX_TEXT: usize = 2_000;
/// Of all staff together in 24 hours: what is said to everyone all the time is read by nobody.
const MOST: i64 = 5;
/// Readers in one transaction: as many stream heads are locked at its end.
const STEP: i64 = 100;

/// The same in every language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InLanguages {
    pub pt: String,
    pub en: String,
    pub es: String,
}

impl InLanguages {
    fn each(&self, read: impl Fn(&str) -> Result<String, Error>) -> Result<Self, Error> {
        Ok(Self {
            pt: read(&self.pt)?,
            en: read(&self.en)?,
            es: read(&self.es)?,
        })
    }
}

/// The body of a new one; one that its author has sent before is answered as it is.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAnnouncement {
    pub id: AnnouncementId,
    /// One line, at most 70 characters in each language.
    pub title: InLanguages,
    /// At most 2000 characters in each language.
    pub text: InLanguages,
    /// A role's name; everyone without one.
    #[serde(default)]
    pub role: Option<String>,
}

/// One as staff see it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct AnnouncementView {
    #[serde(rename = "_id")]
    pub id: AnnouncementId,
    pub title: InLanguages,
    pub text: InLanguages,
    /// A role's name; none: everyone.
    pub role: Option<String>,
    /// The username of who published it.
    pub by: String,
    /// How many have their line by now.
    pub told: i64,
    /// All have it.
    pub done: bool,
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// One as its readers see it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AnnouncementText {
    #[serde(rename = "_id")]
    pub id: AnnouncementId,
    pub title: InLanguages,
    pub text: InLanguages,
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// How many would be told.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Audience {
    pub people: i64,
}

fn wrong(field: &'static str) -> Error {
    Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid)
}

fn known_role(role: Option<&str>) -> Result<(), Error> {
    match role {
        Some(role) if !ROLES.contains(&role) => Err(wrong("role")),
        _ => Ok(()),
    }
}

fn title(given: &str) -> Result<String, Error> {
    let line = text::line(given).filter(|line| !line.is_empty());
    text::at_most(line.ok_or_else(|| wrong("title"))?, "title", MAX_TITLE)
}

fn body(given: &str) -> Result<String, Error> {
    let text = text::at_most(text::paragraph(given), "text", MAX_TEXT)?;
    if text.is_empty() {
        Err(wrong("text"))
    } else {
        Ok(text)
    }
}

/// What was published, newest first.
///
/// # Errors
/// `auth.forbidden`; `request.invalid` for a page out of bounds.
pub async fn list(
    context: &Context,
    caller: &Caller,
    params: &ListParams,
) -> Result<Page<AnnouncementView>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let paging = params.paging(10)?;
    let (rows, total) = store::page(context.db.pool(), &paging).await?;
    Ok(Page::new(rows, &paging, total))
}

/// How many an announcement to a role, or to everyone, would be told to now.
///
/// # Errors
/// `auth.forbidden`; `request.invalid` at `role` for one that there is not.
pub async fn audience(context: &Context, caller: &Caller, role: Option<&str>) -> Result<Audience, Error> {
    caller.staff(Permission::AdminPermissions)?;
    known_role(role)?;
    Ok(Audience {
        people: store::audience(context.db.pool(), role).await?,
    })
}

/// Publishes one; a job writes its lines.
///
/// # Errors
/// `auth.forbidden`; `request.invalid`, `message.too_long` for words that cannot be and a role that there is not; `request.conflict` for somebody
/// else's id; `request.rate_limited` for more than five in 24 hours.
pub async fn publish(
    context: &Context,
    caller: &Caller,
    new: &NewAnnouncement,
) -> Result<AnnouncementView, Error> {
    caller.staff(Permission::AdminPermissions)?;
    known_role(new.role.as_deref())?;
    let (title, text) = (new.title.each(title)?, new.text.each(body)?);
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let row = store::New {
        id: new.id,
        title: serde_json::to_value(&title)?,
        body: serde_json::to_value(&text)?,
        role: new.role.as_deref(),
        by: caller.user,
    };
    // One after another: of two at once the second counts the first.
    store::lock(tx.conn()).await?;
    if store::insert(tx.conn(), &row, now).await? {
        if store::count_since(tx.conn(), now - Duration::DAY).await? > MOST {
            return Err(Error::code(ErrorCode::RateLimited).retry_after(3_600));
        }
        audit::record(
            &mut tx,
            Some(caller.user),
            Some(new.id.0),
            Category::Settings,
            "announcement.published",
            json!({ "role": new.role }),
        )
        .await?;
        tx.enqueue(NewJob::new(TELL, format!("{TELL}:{}", new.id), &new.id)?);
    } else if !store::made_by(tx.conn(), new.id, caller.user).await? {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    let view = store::view(tx.conn(), new.id).await?;
    tx.commit().await?;
    view.ok_or_else(|| Error::internal("an announcement that was just stored is gone"))
}

/// One's words, for who has its line.
///
/// # Errors
/// `request.not_found`.
pub async fn read(context: &Context, caller: &Caller, id: AnnouncementId) -> Result<AnnouncementText, Error> {
    store::read(context.db.pool(), id, caller.user)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))
}

/// The job of one announcement: lines for the next readers, facts about them and the place reached are one commit; it goes on behind it.
///
/// # Errors
/// Whatever the database refuses; the job comes back and goes on where it was.
pub async fn tell(context: &Context, job: &Claimed) -> Result<(), Error> {
    let id: AnnouncementId = serde_json::from_value(job.payload.clone())?;
    loop {
        let mut tx = context.db.begin().await?;
        let now = tx.now();
        let under_way = store::under_way(tx.conn(), id).await?;
        let lines = match &under_way {
            Some(row) => store::write(tx.conn(), id, row, STEP, now).await?,
            None => Vec::new(),
        };
        let Some(last) = lines.iter().map(|line| line.owner).max() else {
            store::done(tx.conn(), id, now).await?;
            job_queue::complete(tx.conn(), job, now).await?;
            tx.commit().await?;
            return Ok(());
        };
        store::advance(
            tx.conn(),
            id,
            last,
            i64::try_from(lines.len()).unwrap_or_default(),
        )
        .await?;
        let mut new = New::default();
        for line in lines {
            new.line(line.id, line.owner, store::CODE);
            tx.emit(
                StreamId::User(line.owner),
                LiveEvent::Notification {
                    id: line.id,
                    code: store::CODE.to_owned(),
                    params: line.params,
                    amount: None,
                    at: now,
                    quiet: line.quiet,
                },
            );
        }
        push::tell(&mut tx, new).await?;
        tx.commit().await?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_lines_and_texts_say_something() {
        assert_eq!(title("  Manutenção  hoje ").unwrap(), "Manutenção hoje");
        assert_eq!(title(&"a".repeat(MAX_TITLE)).unwrap().len(), MAX_TITLE);
        for bad in ["", "   ", "a\nb", "a".repeat(MAX_TITLE + 1).as_str()] {
            assert!(title(bad).is_err(), "{bad:?}");
        }
        assert_eq!(body(" um\n\ndois ").unwrap(), "um\n\ndois");
        for bad in ["", "\n", "a".repeat(MAX_TEXT + 1).as_str()] {
            assert!(body(bad).is_err());
        }
        assert!(known_role(None).is_ok() && known_role(Some("customer")).is_ok());
        assert!(known_role(Some("king")).is_err());
    }
}
