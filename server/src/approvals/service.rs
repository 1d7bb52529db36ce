//! Deciding.

pub use super::store::{Approver, Asked};
use super::{
    rules::{self, Kind, Persons},
    store::{self, Fell, Found},
};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        settings::InForce,
        text,
        transaction::Tx,
    },
};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{DecisionId, UserId},
    money::Usdt,
    stream_id::Queue,
};
use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;

/// What is decided on, as the one who decides has seen it.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    pub kind: Kind,
    pub id: Uuid,
    /// Whose money it is; none for what concerns the house.
    pub customer: Option<UserId>,
    pub coin: &'a str,
    /// Where the money goes or came from: an address, a key, a bank's id.
    pub destination: &'a str,
    /// In the coin, exact.
    pub amount: String,
    /// Its worth, for the limits.
    pub usdt: Usdt,
}

impl<'a> Subject<'a> {
    /// An act about somebody that may be done again: it has an id of its own, and no amount.
    #[must_use]
    pub fn about(kind: Kind, customer: UserId, what: &'a str) -> Self {
        Self {
            kind,
            id: Uuid::now_v7(),
            customer: Some(customer),
            coin: "",
            destination: what,
            amount: String::new(),
            usdt: Usdt::ZERO,
        }
    }

    /// What an approval binds; whoever pays computes it anew.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        rules::digest(self.id, self.kind, self.coin, self.destination, &self.amount)
    }

    /// What the rule looks at.
    #[must_use]
    pub fn waiting(&self) -> Waiting {
        Waiting {
            kind: self.kind,
            id: self.id,
            customer: self.customer,
            digest: self.digest(),
            usdt: self.usdt,
        }
    }
}

/// A subject as far as the rule looks at it.
#[derive(Clone, Debug)]
pub struct Waiting {
    pub kind: Kind,
    pub id: Uuid,
    pub customer: Option<UserId>,
    pub digest: [u8; 32],
    pub usdt: Usdt,
}

/// Where a subject stands after a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub approvals: i16,
    pub needed: i16,
}

impl Standing {
    /// All approvals that are needed are there: act now, in this transaction.
    #[must_use]
    pub const fn is_complete(self) -> bool {
        self.approvals >= self.needed
    }
}

/// One person's approval. The caller holds the subject's row locked.
///
/// # Errors
/// `decision.own_money`, `decision.same_person`, `decision.granted`, `decision.frozen`, `decision.too_new`, `auth.forbidden`,
/// `decision.done`.
pub async fn approve(
    tx: &mut Tx,
    settings: &InForce,
    subject: &Subject<'_>,
    by: UserId,
) -> Result<Standing, Error> {
    agree(tx, settings, subject, by, None).await
}

/// The same with why, for what has no request of its own: a second person reads what the first one wrote ([`asked`]).
///
/// # Errors
/// As [`approve`]; `decision.reason_missing`.
pub async fn approve_because(
    tx: &mut Tx,
    settings: &InForce,
    subject: &Subject<'_>,
    by: UserId,
    reason: &str,
) -> Result<Standing, Error> {
    let reason = text::reason(reason, "reason")?;
    agree(tx, settings, subject, by, Some(reason)).await
}

async fn agree(
    tx: &mut Tx,
    settings: &InForce,
    subject: &Subject<'_>,
    by: UserId,
    reason: Option<String>,
) -> Result<Standing, Error> {
    let (word, standing) = word(tx, settings, subject, by, reason).await?;
    let now = tx.now();
    store::insert(tx.conn(), &[word], now).await?;
    Ok(standing)
}

/// One of two words that something is to be turned down, and the rejection itself where it is the last of them: `asked` is what the two agree
/// to, `rejected` what is turned down. Where they stand, and the reason as it is kept.
///
/// # Errors
/// As [`approve`]; `decision.reason_missing`.
pub async fn approve_to_reject(
    tx: &mut Tx,
    settings: &InForce,
    (asked, rejected): (&Subject<'_>, &Subject<'_>),
    by: UserId,
    reason: &str,
) -> Result<(Standing, String), Error> {
    let reason = text::reason(reason, "reason")?;
    let (word, standing) = word(tx, settings, asked, by, Some(reason.clone())).await?;
    let mut words = vec![word];
    if standing.is_complete() {
        words.push(rejection(rejected, by, &reason));
    }
    let now = tx.now();
    store::insert(tx.conn(), &words, now).await?;
    Ok((standing, reason))
}

/// One person's approval as it is about to be written, and where the subject stands with it.
async fn word(
    tx: &mut Tx,
    settings: &InForce,
    subject: &Subject<'_>,
    by: UserId,
    reason: Option<String>,
) -> Result<(store::NewDecision, Standing), Error> {
    let waiting = subject.waiting();
    // The sums of the last 24 h must not be read by two decisions at once: both could stay below the limit.
    let (next, fell) = next(tx, settings, &waiting, by, true).await?;
    if let Some(fell) = fell {
        fell_away(tx, &waiting, by, fell.speaker, &fell.why).await?;
    }
    let row = store::NewDecision {
        id: DecisionId::fresh(),
        kind: subject.kind,
        subject: subject.id,
        customer: subject.customer,
        digest: waiting.digest,
        usdt: subject.usdt,
        by,
        approves: true,
        reason,
        position: next.approvals,
        needed: next.needed,
    };
    Ok((row, next))
}

/// One person's word that is enough by its kind. It stands in the books of decisions as any other, and is refused as any other: to who is
/// frozen, does not count yet, or is concerned. Where the same thing may be done again, the subject has an id of its own.
///
/// # Errors
/// `decision.own_money`, `decision.frozen`, `decision.too_new`, `auth.forbidden`, `decision.done`.
pub async fn act(tx: &mut Tx, subject: &Subject<'_>, by: UserId) -> Result<(), Error> {
    if subject.kind.persons() != Persons::One {
        return Err(Error::internal("one person's word for what two decide"));
    }
    let now = tx.now();
    let row = store::NewDecision {
        id: DecisionId::fresh(),
        kind: subject.kind,
        subject: subject.id,
        customer: subject.customer,
        digest: subject.digest(),
        usdt: subject.usdt,
        by,
        approves: true,
        reason: None,
        position: 1,
        needed: 1,
    };
    store::insert(tx.conn(), &[row], now).await
}

/// Who has asked for something that waits for a second person.
///
/// # Errors
/// Whatever the database refuses.
pub async fn asked(conn: &mut PgConnection, kind: Kind, subject: Uuid) -> Result<Option<Asked>, Error> {
    store::asked(conn, kind, subject).await
}

/// Where a subject would stand after one person's approval now, and whose first word counts no more then. Decisions and what is said before
/// them ask the same question.
async fn next(
    tx: &mut Tx,
    settings: &InForce,
    waiting: &Waiting,
    by: UserId,
    locked: bool,
) -> Result<(Standing, Option<Fell>), Error> {
    let since = tx.now() - time::Duration::DAY;
    let approved = store::approved(tx.conn(), waiting, by, since, locked).await?;
    let standing = match approved.found {
        Found::Partly(standing) if standing.is_complete() => {
            return Err(Error::code(ErrorCode::DecisionDone));
        }
        // Whoever asked may have spoken first, and is no second person to another's word.
        Found::Partly(_) if approved.own => return Err(Error::code(ErrorCode::DecisionSamePerson)),
        Found::Partly(standing) => Standing {
            approvals: standing.approvals + 1,
            needed: standing.needed,
        },
        Found::NotYet { again: true, .. } => Standing {
            approvals: 1,
            needed: 2,
        },
        Found::NotYet { sums, again: false } => {
            let needed = rules::needed(
                waiting.kind,
                waiting.usdt,
                sums.of_customer,
                sums.of_approver,
                settings.settings.two_person_limit,
            );
            Standing { approvals: 1, needed }
        }
    };
    Ok((standing, approved.fell))
}

/// Writes and tells that a first word counts no more (docs/rules/approvals.md#first-words). All queues hear of it on one stream: some have none of
/// their own.
async fn fell_away(
    tx: &mut Tx,
    waiting: &Waiting,
    by: UserId,
    speaker: UserId,
    why: &str,
) -> Result<(), Error> {
    let category = match waiting.kind {
        Kind::AdminGrant => Category::Roles,
        Kind::MoneySettings | Kind::LiveTrading => Category::Settings,
        _ => Category::Money,
    };
    let about = waiting.customer.map_or(waiting.id, |customer| customer.0);
    let details =
        json!({ "kind": waiting.kind.as_str(), "subject": waiting.id, "speaker": speaker, "why": why });
    audit::record(tx, Some(by), Some(about), category, "decision.word_fell", details).await?;
    tx.emit(
        StreamId::Queue(Queue::Settings),
        LiveEvent::WordFell {
            decision: waiting.kind.as_str().to_owned(),
            subject: waiting.id,
        },
    );
    Ok(())
}

/// Who spoke the first of two words takes it back: whatever waits for the second one waits for two again. The caller holds the subject's row
/// locked, as for a decision, and tells of it.
///
/// # Errors
/// `decision.no_word` for who has no word that waits.
pub async fn take_back(tx: &mut Tx, waiting: &Waiting, by: UserId) -> Result<(), Error> {
    let now = tx.now();
    if store::take_back(tx.conn(), waiting.kind, waiting.id, by, now).await? == 0 {
        return Err(Error::code(ErrorCode::DecisionNoWord));
    }
    fell_away(tx, waiting, by, by, "taken_back").await
}

/// Refuses who could not decide on this now: what is kept beside a decision, or said before it, is theirs alone who may make it.
///
/// # Errors
/// `decision.own_money`, `decision.frozen`, `decision.too_new`; `roles.own`.
pub async fn require_decider(tx: &mut Tx, waiting: &Waiting, by: UserId) -> Result<(), Error> {
    let now = tx.now();
    match store::refused(tx.conn(), waiting, by, now).await?.as_deref() {
        None => Ok(()),
        Some("side") if waiting.kind == Kind::AdminGrant => Err(Error::code(ErrorCode::RolesOwn)),
        Some("frozen") => Err(Error::code(ErrorCode::DecisionFrozen)),
        Some("too_new") => Err(Error::code(ErrorCode::DecisionTooNew)),
        Some(_) => Err(Error::code(ErrorCode::DecisionOwnMoney)),
    }
}

/// Where a subject would stand if this person approved of it now, and who has approved of exactly it.
///
/// # Errors
/// `decision.done`; `decision.same_person` for who has approved of it already; as [`require_decider`].
pub async fn preview(
    tx: &mut Tx,
    settings: &InForce,
    waiting: &Waiting,
    by: UserId,
) -> Result<(Standing, Vec<Approver>), Error> {
    require_decider(tx, waiting, by).await?;
    let (next, fell) = next(tx, settings, waiting, by, false).await?;
    let mut given = store::approvers(tx.conn(), waiting.kind, waiting.id, &waiting.digest).await?;
    given.retain(|approver| fell.as_ref().is_none_or(|fell| fell.speaker != approver.id));
    if given.iter().any(|approver| approver.id == by) {
        return Err(Error::code(ErrorCode::DecisionSamePerson));
    }
    Ok((next, given))
}

/// Who has approved of exactly this, in the order of their words.
///
/// # Errors
/// Whatever the database refuses.
pub async fn approvers(tx: &mut Tx, subject: &Subject<'_>) -> Result<Vec<Approver>, Error> {
    store::approvers(tx.conn(), subject.kind, subject.id, &subject.digest()).await
}

/// Whether a person has approved of exactly this.
///
/// # Errors
/// Whatever the database refuses.
pub async fn has_approved(tx: &mut Tx, subject: &Subject<'_>, by: UserId) -> Result<bool, Error> {
    let given = store::approvers(tx.conn(), subject.kind, subject.id, &subject.digest()).await?;
    Ok(given.iter().any(|approver| approver.id == by))
}

/// One person's rejection: always enough, never without a reason.
///
/// # Errors
/// `decision.reason_missing`, `decision.own_money`, `decision.frozen`, `decision.too_new`, `auth.forbidden`.
pub async fn reject(tx: &mut Tx, subject: &Subject<'_>, by: UserId, reason: &str) -> Result<String, Error> {
    let reason = text::reason(reason, "reason")?;
    let now = tx.now();
    store::insert(tx.conn(), &[rejection(subject, by, &reason)], now).await?;
    Ok(reason)
}

fn rejection(subject: &Subject<'_>, by: UserId, reason: &str) -> store::NewDecision {
    store::NewDecision {
        id: DecisionId::fresh(),
        kind: subject.kind,
        subject: subject.id,
        customer: subject.customer,
        digest: subject.digest(),
        usdt: subject.usdt,
        by,
        approves: false,
        reason: Some(reason.to_owned()),
        position: 1,
        needed: 1,
    }
}
