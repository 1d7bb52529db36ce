//! Deciding.

pub use super::store::{Approver, Asked};
use super::{
    rules::{self, Kind, Persons},
    store::{self, Approved},
};
use crate::{
    error::Error,
    foundation::{settings::InForce, text, transaction::Tx},
};
use protocol::{
    ErrorCode,
    ids::{DecisionId, UserId},
    money::Usdt,
};
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

/// Longest reason kept.
const REASON: usize = 500;

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
    let reason = text::reason(reason, "reason", REASON)?;
    agree(tx, settings, subject, by, Some(reason)).await
}

async fn agree(
    tx: &mut Tx,
    settings: &InForce,
    subject: &Subject<'_>,
    by: UserId,
    reason: Option<String>,
) -> Result<Standing, Error> {
    let waiting = subject.waiting();
    // The sums of the last 24 h must not be read by two decisions at once: both could stay below the limit.
    let next = next(tx, settings, &waiting, by, true).await?;
    let now = tx.now();
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
    store::insert(tx.conn(), &row, now).await?;
    Ok(next)
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
    store::insert(tx.conn(), &row, now).await
}

/// Who has asked for something that waits for a second person.
///
/// # Errors
/// Whatever the database refuses.
pub async fn asked(conn: &mut PgConnection, kind: Kind, subject: Uuid) -> Result<Option<Asked>, Error> {
    store::asked(conn, kind, subject).await
}

/// Where a subject would stand after one person's approval now. Decisions and what is said before them ask the same question.
async fn next(
    tx: &mut Tx,
    settings: &InForce,
    waiting: &Waiting,
    by: UserId,
    locked: bool,
) -> Result<Standing, Error> {
    let since = tx.now() - time::Duration::DAY;
    match store::approved(tx.conn(), waiting, by, since, locked).await? {
        Approved::Partly(standing) if standing.is_complete() => Err(Error::code(ErrorCode::DecisionDone)),
        Approved::Partly(standing) => Ok(Standing {
            approvals: standing.approvals + 1,
            needed: standing.needed,
        }),
        Approved::NotYet(sums) => {
            let needed = rules::needed(
                waiting.kind,
                waiting.usdt,
                sums.of_customer,
                sums.of_approver,
                settings.settings.two_person_limit,
            );
            Ok(Standing { approvals: 1, needed })
        }
    }
}

/// Where a subject would stand if this person approved of it now, and who has approved of exactly it.
///
/// # Errors
/// `decision.done`; `decision.same_person` for who has approved of it already.
pub async fn preview(
    tx: &mut Tx,
    settings: &InForce,
    waiting: &Waiting,
    by: UserId,
) -> Result<(Standing, Vec<Approver>), Error> {
    let next = next(tx, settings, waiting, by, false).await?;
    let given = store::approvers(tx.conn(), waiting.kind, waiting.id, &waiting.digest).await?;
    if given.iter().any(|approver| approver.id == by) {
        return Err(Error::code(ErrorCode::DecisionSamePerson));
    }
    Ok((next, given))
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
    let reason = text::reason(reason, "reason", REASON)?;
    let now = tx.now();
    let row = store::NewDecision {
        id: DecisionId::fresh(),
        kind: subject.kind,
        subject: subject.id,
        customer: subject.customer,
        digest: subject.digest(),
        usdt: subject.usdt,
        by,
        approves: false,
        reason: Some(reason.clone()),
        position: 1,
        needed: 1,
    };
    store::insert(tx.conn(), &row, now).await?;
    Ok(reason)
}
