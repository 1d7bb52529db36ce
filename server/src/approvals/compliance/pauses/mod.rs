//! Pauses: outgoing money of one person or of everyone, the desk, or registrations stand still, each apart from the others, by one person at
//! once, until two agree that it goes on.

mod store;

use crate::{
    approvals::{
        compliance::Pause,
        rules::Kind,
        service::{self as approvals, Subject, Waiting},
    },
    error::{Error, violates},
    foundation::{
        audit::{self, Category},
        business_day,
        context::Context,
        text,
        transaction::Tx,
    },
    identity::{self, service as people},
};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{PauseId, UserId},
    money::Usdt,
    views::AccountDecision,
};
use serde_json::json;
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::Uuid;

pub use store::{pause_of, standing};

/// A pause is looked at again within so many days.
const REVIEW_DAYS: i64 = 30;

/// What stands still.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum PauseOf {
    /// Outgoing money, of one person or of everyone.
    #[default]
    Outbound,
    /// The desk: it begins nothing.
    Desk,
    /// Registrations.
    SignUps,
}

impl PauseOf {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Outbound => "outbound",
            Self::Desk => "desk",
            Self::SignUps => "sign_ups",
        }
    }

    fn read(stored: &str) -> Result<Self, Error> {
        [Self::Outbound, Self::Desk, Self::SignUps]
            .into_iter()
            .find(|one| one.as_str() == stored)
            .ok_or_else(|| Error::internal("a pause of an unknown thing"))
    }

    /// What everybody is told when it begins and when it ends; strangers hear nothing.
    const fn announced(self) -> Option<[&'static str; 2]> {
        match self {
            Self::Outbound => Some(["outbound_paused", "outbound_resumed"]),
            Self::Desk => Some(["desk_paused", "desk_resumed"]),
            Self::SignUps => None,
        }
    }
}

/// A pause as staff see it.
#[derive(Clone, Debug, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PauseView {
    #[serde(rename = "_id")]
    pub id: PauseId,
    pub what: PauseOf,
    /// Whose money stands still; none: everyone's.
    pub username: Option<String>,
    pub reason: String,
    #[serde(with = "time::serde::rfc3339")]
    pub review_at: OffsetDateTime,
    pub proposed_by: String,
    #[serde(with = "time::serde::rfc3339")]
    pub proposed_at: OffsetDateTime,
    /// It holds since then; none of what was proposed before one was enough, and came to nothing.
    #[serde(with = "time::serde::rfc3339::option")]
    pub active_from: Option<OffsetDateTime>,
    /// Who asked for its end, for which a second person is awaited.
    pub lift_asked_by: Option<String>,
    /// Why it ended, or why its end was asked for.
    pub lift_reason: Option<String>,
    #[serde(with = "time::serde::rfc3339::option")]
    pub lifted_at: Option<OffsetDateTime>,
}

/// Pauses: those that stand first, then the latest.
///
/// # Errors
/// Whatever the database refuses.
pub async fn all(context: &Context) -> Result<Vec<PauseView>, Error> {
    store::all(context.db.pool()).await
}

/// What a pause is to be.
#[derive(Clone, Copy, Debug)]
pub struct NewPause<'a> {
    pub what: PauseOf,
    /// None: everyone. Only money stands still for one.
    pub username: Option<&'a str>,
    pub reason: &'a str,
    pub review_at: OffsetDateTime,
}

/// A pause that holds from now on: one person is enough to protect.
///
/// # Errors
/// `decision.reason_missing`, `request.invalid` for a review day out of bounds or somebody named where everybody is meant, `user.unknown`,
/// `request.conflict` when one stands, `decision.*`.
pub async fn start(tx: &mut Tx, by: UserId, new: &NewPause<'_>) -> Result<PauseId, Error> {
    let now = tx.now();
    let reason = text::reason(new.reason, "reason")?;
    if new.review_at <= now || new.review_at > now + Duration::days(REVIEW_DAYS) {
        return Err(Error::code(ErrorCode::RequestInvalid).field("reviewDate", ErrorCode::RequestInvalid));
    }
    if new.username.is_some() && new.what != PauseOf::Outbound {
        return Err(Error::code(ErrorCode::RequestInvalid).field("username", ErrorCode::RequestInvalid));
    }
    let customer = match new.username {
        None => None,
        Some(username) => Some(
            people::account_by_username_within(tx, username)
                .await?
                .ok_or_else(|| Error::code(ErrorCode::UserUnknown).field("username", ErrorCode::UserUnknown))?
                .id,
        ),
    };
    let id = PauseId::fresh();
    let row = store::PauseRow {
        id,
        what: new.what,
        customer,
        reason,
        review_at: new.review_at,
    };
    let subject = subject(&row, Kind::OutboundPause);
    let digest = subject.digest();
    store::insert(tx.conn(), &row, &digest, by, now)
        .await
        .map_err(|error| {
            if violates(&error, "pause_one_for_all") || violates(&error, "pause_one_each") {
                Error::code(ErrorCode::RequestConflict)
            } else {
                error.into()
            }
        })?;
    approvals::act(tx, &subject, by).await?;
    store::activate(tx.conn(), id, now).await?;
    announce(tx, &row, Word::Begins, &row.reason);
    let details = json!({ "pause": id, "reason": row.reason });
    record(tx, by, &row, Word::Begins, details).await?;
    Ok(id)
}

fn subject(row: &store::PauseRow, kind: Kind) -> Subject<'_> {
    Subject {
        kind,
        id: row.id.0,
        customer: row.customer,
        coin: match row.what {
            PauseOf::Outbound => "",
            apart => apart.as_str(),
        },
        destination: &row.reason,
        amount: row.review_at.unix_timestamp().to_string(),
        usdt: Usdt::ZERO,
    }
}

/// The end of a pause that stands.
///
/// # Errors
/// `request.not_found`.
pub async fn waiting(tx: &mut Tx, id: PauseId) -> Result<Waiting, Error> {
    let row = store::lock(tx.conn(), id).await?;
    let (row, _) = row.ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    Ok(subject(&row, Kind::PauseLift).waiting())
}

/// One of two words that end a pause, with why: those whom it concerned read it. Who agrees to what another asked for need not say it again.
///
/// # Errors
/// `request.not_found`, `decision.*`.
pub async fn lift(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: PauseId,
    reason: Option<&str>,
) -> Result<(), Error> {
    let (row, asked) = store::lock(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    let own = reason.filter(|own| !own.trim().is_empty());
    let reason = text::reason(own.or(asked.as_deref()).unwrap_or_default(), "reason")?;
    let in_force = context.settings.within(tx).await?;
    let subject = subject(&row, Kind::PauseLift);
    let standing = approvals::approve_because(tx, &in_force, &subject, by, &reason).await?;
    if standing.is_complete() {
        let now = tx.now();
        store::lift(tx.conn(), id, by, &reason, now).await?;
        announce(tx, &row, Word::Ends, &reason);
    }
    let details = json!({ "pause": id, "reason": reason, "approvals": standing.approvals });
    record(tx, by, &row, Word::Ends, details).await
}

/// Which of two words is said.
#[derive(Clone, Copy)]
enum Word {
    Begins,
    Ends,
}

impl Word {
    const fn of(self, [begins, ends]: [&'static str; 2]) -> &'static str {
        match self {
            Self::Begins => begins,
            Self::Ends => ends,
        }
    }
}

async fn record(
    tx: &mut Tx,
    by: UserId,
    row: &store::PauseRow,
    word: Word,
    details: serde_json::Value,
) -> Result<(), Error> {
    let whose: Option<Uuid> = row.customer.map(Into::into);
    let category = match row.what {
        PauseOf::Outbound => Category::Money,
        PauseOf::Desk | PauseOf::SignUps => Category::Settings,
    };
    let action = match (row.what, word) {
        (PauseOf::Outbound, Word::Begins) => "outbound.pause",
        (PauseOf::Outbound, Word::Ends) => "outbound.resume",
        (PauseOf::Desk, Word::Begins) => "desk.pause",
        (PauseOf::Desk, Word::Ends) => "desk.resume",
        (PauseOf::SignUps, Word::Begins) => "sign_ups.pause",
        (PauseOf::SignUps, Word::Ends) => "sign_ups.resume",
    };
    audit::record(tx, Some(by), whose, category, action, details).await?;
    Ok(())
}

/// Those whom it concerns hear of it at once, and why: one person, or everyone.
fn announce(tx: &mut Tx, row: &store::PauseRow, word: Word, reason: &str) {
    if let Some(customer) = row.customer {
        identity::signals::user_changed(tx, customer, "outbound");
        let what = match word {
            Word::Begins => AccountDecision::OutboundPaused,
            Word::Ends => AccountDecision::OutboundResumed,
        };
        identity::signals::account_decided(tx, customer, what, Some(reason.to_owned()));
    } else if let Some(words) = row.what.announced() {
        tx.emit(
            StreamId::Public,
            LiveEvent::Announcement {
                code: word.of(words).to_owned(),
                params: json!({
                    "reason": reason,
                    "review": row.review_at.format(&Rfc3339).unwrap_or_default(),
                }),
            },
        );
    }
}

/// Refuses while registrations stand still.
///
/// # Errors
/// `sign_ups.paused`, with reason and day of review.
pub async fn require_sign_ups(tx: &mut Tx) -> Result<(), Error> {
    match standing(tx.conn(), PauseOf::SignUps).await? {
        Some(pause) => Err(refusal(ErrorCode::SignUpsPaused, &pause)),
        None => Ok(()),
    }
}

/// What a pause refuses, with its reason and its day of review.
#[must_use]
#[track_caller]
pub fn refusal(code: ErrorCode, pause: &Pause) -> Error {
    Error::code(code)
        .with("reason", &pause.reason)
        .with("review", business_day::shown(pause.review_at))
}
