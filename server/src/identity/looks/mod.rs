//! Staff look at an account as its owner sees it, in a session of their own (docs/decisions/0085-looking-as-somebody.md).
//!
//! Invariants: no token is made; one look stands per session, a quarter of an hour at most and never longer; each call that it makes asks the
//! database whether it still stands (`identity.look_over`), reaches only what its line of the route table marks, and through connections
//! that change nothing ([`Db::read_only`](crate::foundation::transaction::Db::read_only)). Its beginning and its end stand in the audit, and the
//! owner is told at once. Tables: `identity.look`, `identity.look_call`.

mod store;

use super::{
    caller::{Caller, Completeness, Seen},
    closing,
    codes::Proof,
    people,
    registration::TERMS_VERSION,
    rules,
    service::{self, Caused},
    store::Account,
};
use crate::{
    error::{Error, violates},
    foundation::{
        audit::{self, Category},
        context::Context,
        mail::{self, Mail},
        transaction::{Db, Tx},
    },
};
use actix_web::http::header::HeaderMap;
use protocol::{
    ErrorCode, LiveEvent, Permission, StreamId,
    ids::{LookId, SessionId, UserId},
    permission::Permissions,
};
use serde::Serialize;
use serde_json::json;
use time::{Duration, OffsetDateTime};

/// The header by which a call names the look that it is made under.
pub const HEADER: &str = "x-arbora-look";

/// How long a look lasts.
const LIFE: Duration = Duration::minutes(15);

/// Its looker ended it.
const BY_LOOKER: &str = "looker";
/// Its looker began another in the same session.
const REPLACED: &str = "replaced";
/// The session that it was made in was ended.
const SIGNED_OUT: &str = "signed_out";
/// The owner said "it was not me".
pub(super) const FROZEN: &str = "frozen";

#[track_caller]
fn refused() -> Error {
    Error::code(ErrorCode::LookRefused)
}

#[track_caller]
fn over() -> Error {
    Error::code(ErrorCode::LookOver)
}

/// The look that a request names, if any.
///
/// # Errors
/// `look.refused` for what is no look's id, and for two of them.
pub fn named(headers: &HeaderMap) -> Result<Option<LookId>, Error> {
    let mut given = headers.get_all(HEADER);
    let Some(first) = given.next() else {
        return Ok(None);
    };
    let look = first.to_str().ok().and_then(|text| text.parse::<LookId>().ok());
    match (look, given.next()) {
        (Some(look), None) => Ok(Some(look)),
        _ => Err(refused()),
    }
}

/// The caller of a call that is made under a look: its subject, as a registered user and no more. The call is counted.
///
/// # Errors
/// `look.over` when it does not stand any more, is another session's, or there is none.
pub async fn seen(context: &Context, looker: &Caller, look: LookId, route: &str) -> Result<Caller, Error> {
    let (pool, now) = (context.db.pool(), context.now());
    let standing = store::standing(pool, look, looker.user, looker.session, TERMS_VERSION, now).await?;
    let standing = standing.ok_or_else(over)?;
    if let Some(how) = standing.over {
        if !standing.ended {
            let mut tx = context.db.begin().await?;
            finish(&mut tx, look, &how).await?;
            tx.commit().await?;
        }
        return Err(over());
    }
    store::asked(pool, look, route).await?;
    let own = standing.registered.then_some(Permission::RegisteredUser);
    Ok(Caller {
        user: standing.subject,
        session: looker.session,
        full_name: standing.full_name,
        username: standing.username,
        permissions: own.into_iter().collect(),
        withheld: Permissions::NONE,
        active: standing.active,
        email_confirmed: standing.confirmed,
        completeness: match (standing.whole, standing.current) {
            (true, true) => Completeness::Complete,
            (true, false) => Completeness::Renewal,
            (false, _) => Completeness::Incomplete,
        },
        locale: looker.locale,
        counts_at: None,
        frozen: false,
        seen_by: Some(Seen {
            look,
            reason: standing.reason,
            until: standing.until,
        }),
    })
}

/// A look that has begun.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LookBegun {
    /// What calls name in the header `X-Arbora-Look`.
    #[serde(rename = "_id")]
    pub id: LookId,
    #[serde(with = "time::serde::rfc3339")]
    pub until: OffsetDateTime,
}

/// Somebody whom one may look at, held until the change ends.
pub struct Subject(Account);

impl Subject {
    #[must_use]
    pub fn username(&self) -> &str {
        &self.0.username
    }
}

/// Whether one may look at somebody, as for whoever changes their account.
///
/// # Errors
/// What [`people::lock`] refuses; `user.unknown` for who has left.
pub async fn allow(tx: &mut Tx, looker: &Caller, subject: UserId) -> Result<Subject, Error> {
    let (account, _) = people::lock(tx, looker.user, subject).await?;
    if closing::is_closed(&account) {
        return Err(people::unknown(&subject.to_string()));
    }
    Ok(Subject(account))
}

/// Begins to look at somebody; what the same session looked at before ends. Its owner hears of it at once. The gate has asked whether the
/// looker's decisions count, the caller of this whether it is really them.
///
/// # Errors
/// `code.used`; `request.rate_limited` above what one of the staff may cause in an hour; `request.conflict` when the session begins two at
/// once.
pub async fn begin(
    context: &Context,
    tx: &mut Tx,
    looker: &Caller,
    subject: Subject,
    reason: &str,
    proof: Proof,
) -> Result<LookBegun, Error> {
    let Subject(account) = subject;
    let subject = account.id;
    proof.consume(tx).await?;
    service::staff_writes(tx, looker.user, subject, Caused::Letter).await?;
    let before = store::standing_of_session(tx.conn(), looker.session, None).await?;
    if let Some(before) = before {
        finish(tx, before, REPLACED).await?;
    }
    let now = tx.now();
    let new = store::NewLook {
        id: LookId::fresh(),
        looker: looker.user,
        session: looker.session,
        subject,
        reason,
        began_at: now,
        until: now + LIFE,
    };
    let role = match store::insert(tx.conn(), &new).await {
        Ok(Some(role)) => role,
        Ok(None) => return Err(Error::code(ErrorCode::Forbidden)),
        Err(error) if violates(&error, "look_standing") => {
            return Err(Error::code(ErrorCode::RequestConflict));
        }
        Err(error) => return Err(error.into()),
    };
    let by = rules::first_name(&looker.full_name).to_owned();
    let details = json!({ "look": new.id, "reason": reason });
    audit::record(
        tx,
        Some(looker.user),
        Some(subject.0),
        Category::Auth,
        "look.began",
        details,
    )
    .await?;
    // Who reads at an address that nobody has confirmed may be a stranger.
    if account.email_confirmed_at.is_some() {
        let letter = Mail::AccountSeen {
            by: by.clone(),
            role: role.clone(),
            reason: reason.to_owned(),
            at: now,
        };
        mail::send(context, tx, &service::recipient_of(&account), &letter).await?;
    }
    tx.emit(
        StreamId::User(subject),
        LiveEvent::AccountSeen {
            look: new.id,
            by,
            role,
            reason: reason.to_owned(),
        },
    );
    Ok(LookBegun {
        id: new.id,
        until: new.until,
    })
}

/// Ends what this session looks at, if it is that person.
///
/// # Errors
/// `request.not_found` where nothing is to be ended.
pub async fn end(context: &Context, looker: &Caller, subject: UserId) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let look = store::standing_of_session(tx.conn(), looker.session, Some(subject)).await?;
    let look = look.ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    finish(&mut tx, look, BY_LOOKER).await?;
    tx.commit().await?;
    Ok(())
}

/// Ends what a session looks at: the session ends.
pub(super) async fn end_of_session(tx: &mut Tx, session: SessionId) -> Result<(), Error> {
    match store::standing_of_session(tx.conn(), session, None).await? {
        Some(look) => finish(tx, look, SIGNED_OUT).await,
        None => Ok(()),
    }
}

/// Ends every look at somebody.
pub(super) async fn end_of_subject(tx: &mut Tx, subject: UserId, how: &str) -> Result<(), Error> {
    for look in store::standing_of_subject(tx.conn(), subject).await? {
        finish(tx, look, how).await?;
    }
    Ok(())
}

/// Ends those whose time is over, whose session has ended or whose looker has lost the right, and that nobody asks with any more.
///
/// # Errors
/// Whatever the database refuses.
pub async fn end_due(tx: &mut Tx) -> Result<(), Error> {
    let now = tx.now();
    for (look, how) in store::due(tx.conn(), now).await? {
        finish(tx, look, &how).await?;
    }
    Ok(())
}

/// Writes down how a look ended, and what was asked with it; nothing where somebody was sooner.
async fn finish(tx: &mut Tx, look: LookId, how: &str) -> Result<(), Error> {
    let now = tx.now();
    let Some(ended) = store::end(tx.conn(), look, how, now).await? else {
        return Ok(());
    };
    let details = json!({ "look": look, "how": how, "calls": ended.calls });
    audit::record(
        tx,
        Some(ended.looker),
        Some(ended.subject.0),
        Category::Auth,
        "look.ended",
        details,
    )
    .await
}

/// Somebody of the staff looked at one's account.
#[derive(Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnLook {
    #[serde(rename = "_id")]
    pub id: LookId,
    /// The first name of who looked.
    pub by: String,
    /// Their role by which they may, by its name.
    pub role: String,
    pub reason: String,
    #[serde(with = "time::serde::rfc3339")]
    pub began_at: OffsetDateTime,
    /// None: it may still be going on.
    #[serde(with = "time::serde::rfc3339::option")]
    pub ended_at: Option<OffsetDateTime>,
}

/// Who looked at an account within a year, the newest first.
///
/// # Errors
/// Whatever the database refuses.
pub async fn of(db: &Db, subject: UserId) -> Result<Vec<OwnLook>, Error> {
    let now = db.now();
    store::of_subject(db.pool(), subject, now - super::kept::LOOKS, now).await
}

/// Forgets looks that ended a year ago; that they were stays in the audit.
///
/// # Errors
/// Whatever the database refuses.
pub async fn prune(context: &Context) -> Result<(), Error> {
    store::prune(context.db.pool(), context.now() - super::kept::LOOKS).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::{HeaderName, HeaderValue};

    #[test]
    fn a_call_names_one_look_or_none() {
        let name = HeaderName::from_static(HEADER);
        let look = LookId::fresh();
        let value = |text: &str| HeaderValue::from_str(text).unwrap();
        let mut headers = HeaderMap::new();
        assert_eq!(named(&headers).unwrap(), None);
        headers.append(name.clone(), value(&look.to_string()));
        assert_eq!(named(&headers).unwrap(), Some(look));
        headers.append(name.clone(), value(&LookId::fresh().to_string()));
        assert_eq!(named(&headers).unwrap_err().error_code(), ErrorCode::LookRefused);
        for none in ["", "me", "1"] {
            let mut headers = HeaderMap::new();
            headers.append(name.clone(), value(none));
            assert_eq!(
                named(&headers).unwrap_err().error_code(),
                ErrorCode::LookRefused,
                "{none}"
            );
        }
    }
}
