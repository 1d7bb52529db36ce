//! Deciding.

use super::{
    rules::{self, Kind},
    store,
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

impl Subject<'_> {
    /// What an approval binds; whoever pays computes it anew.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        rules::digest(self.id, self.kind, self.coin, self.destination, &self.amount)
    }
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
/// `decision.own_money`, `decision.same_person`, `auth.forbidden`, `decision.done`.
pub async fn approve(
    tx: &mut Tx,
    settings: &InForce,
    subject: &Subject<'_>,
    by: UserId,
) -> Result<Standing, Error> {
    // The sums of the last 24 h must not be read by two decisions at once: both could stay below the limit.
    store::lock_sums(tx.conn(), by, subject.customer).await?;
    let digest = subject.digest();
    let given = store::approvals(tx.conn(), subject.kind, subject.id, &digest).await?;
    let (position, needed) = match given {
        Some(standing) if standing.is_complete() => return Err(Error::code(ErrorCode::DecisionDone)),
        Some(standing) => (standing.approvals + 1, standing.needed),
        None => {
            let since = tx.now() - time::Duration::DAY;
            let sums = store::sums(tx.conn(), by, subject.customer, subject.id, since).await?;
            (
                1,
                rules::needed(
                    subject.kind,
                    subject.usdt,
                    sums.of_customer,
                    sums.of_approver,
                    settings.settings.two_person_limit,
                ),
            )
        }
    };
    let now = tx.now();
    let row = store::NewDecision {
        id: DecisionId::fresh(),
        kind: subject.kind,
        subject: subject.id,
        customer: subject.customer,
        digest,
        usdt: subject.usdt,
        by,
        reason: None,
        position,
        needed,
    };
    store::insert(tx.conn(), &row, now).await?;
    Ok(Standing {
        approvals: position,
        needed,
    })
}

/// One person's rejection: always enough, never without a reason.
///
/// # Errors
/// `decision.reason_missing`, `decision.own_money`, `auth.forbidden`.
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
        reason: Some(reason.clone()),
        position: 1,
        needed: 1,
    };
    store::insert(tx.conn(), &row, now).await?;
    Ok(reason)
}
