//! Pure rules of booking: what a transfer must be, and what it does to balances. No I/O; property-tested.

use super::{
    account::Bound,
    amount::{Amount, Currency},
    model::{Cause, PostedLeg, Transfer, TransferKind},
};
use crate::error::Error;
use protocol::{
    ErrorCode,
    ids::UserId,
    views::{self, Mode},
};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

/// At most so many legs a transfer: a limit on everything.
pub const MAX_LEGS: usize = 64;

/// Why a transfer was not booked. Decided for each by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// An account would cross its bound.
    Insufficient(Uuid),
    /// The key was used for something else.
    KeyReused,
    /// The transfer to be reversed was reversed before.
    AlreadyReversed,
    /// The hold was posted, voided or expired before.
    AlreadyResolved,
    /// No such transfer or hold.
    Unknown,
    /// A balance would outgrow its column.
    TooLarge,
    /// Something would come to somebody who has closed their account.
    Closed,
    /// The order itself breaks a rule: a fault of the calling room.
    Malformed(&'static str),
}

impl From<Refusal> for Error {
    #[track_caller]
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Insufficient(_) => Self::code(ErrorCode::BalanceInsufficient),
            Refusal::KeyReused | Refusal::AlreadyReversed | Refusal::AlreadyResolved | Refusal::Unknown => {
                Self::code(ErrorCode::LedgerRefused)
            }
            Refusal::TooLarge => Self::code(ErrorCode::AmountInvalid),
            Refusal::Closed => Self::code(ErrorCode::AccountClosed),
            Refusal::Malformed(why) => Self::internal(format!("transfer refused: {why}")),
        }
    }
}

/// Checks what can be checked without the books.
///
/// # Errors
/// [`Refusal::Malformed`] or [`Refusal::TooLarge`].
pub fn check(transfer: &Transfer) -> Result<(), Refusal> {
    check_key(&transfer.key)?;
    if transfer.legs.len() < 2 || transfer.legs.len() > MAX_LEGS {
        return Err(Refusal::Malformed("a transfer has 2 to 64 legs"));
    }
    let mut sums: BTreeMap<Currency, Amount> = BTreeMap::new();
    for leg in &transfer.legs {
        if leg.amount == Amount::ZERO {
            return Err(Refusal::Malformed("a leg of zero"));
        }
        if !leg.amount.fits() {
            return Err(Refusal::TooLarge);
        }
        if !leg.account.accepts(leg.currency) {
            return Err(Refusal::Malformed("the account is kept in another currency"));
        }
        let sum = sums.entry(leg.currency).or_default();
        *sum = sum.plus(leg.amount).ok_or(Refusal::TooLarge)?;
    }
    if sums.values().any(|sum| *sum != Amount::ZERO) {
        return Err(Refusal::Malformed("the legs do not sum to zero"));
    }
    Ok(())
}

/// # Errors
/// [`Refusal::Malformed`].
pub const fn check_key(key: &str) -> Result<(), Refusal> {
    if key.is_empty() || key.len() > 200 {
        return Err(Refusal::Malformed("a key has 1 to 200 bytes"));
    }
    Ok(())
}

/// The hash of what is ordered: two orders under one key must be the same order. `legs` name the rows that they move, of busy house
/// accounts the first one.
#[must_use]
pub fn hash(
    kind: TransferKind,
    cause: Cause,
    mode: Option<Mode>,
    legs: impl Iterator<Item = (Uuid, Amount)>,
) -> [u8; 32] {
    let mut hasher = Sha256::new();
    // Lengths and separators keep two different orders from reading alike.
    hasher.update(kind.as_str());
    hasher.update([0]);
    hasher.update(cause.kind.as_str());
    hasher.update([0]);
    hasher.update(cause.id.as_bytes());
    hasher.update([u8::from(mode.is_some())]);
    hasher.update(mode.map_or("", |m| m.as_str()));
    for (row, amount) in legs {
        hasher.update([0]);
        hasher.update(row.as_bytes());
        hasher.update(amount.0.to_be_bytes());
    }
    hasher.finalize().into()
}

/// A number drawn from a key: picks the stripes of busy accounts.
#[must_use]
pub fn seed(key: &str) -> u64 {
    // FNV-1a: spreads well enough over 16 rows and is the same on every node.
    key.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3)
    }) >> 7
}

/// An account's row as locked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Whose balance a screen shows, and as what.
    pub shown: Option<(UserId, views::UserAccount)>,
    pub bound: Bound,
    pub balance: Amount,
    pub version: i64,
}

/// Locked rows by id, with which of them have moved.
#[derive(Clone, Debug, Default)]
pub struct Books {
    rows: HashMap<Uuid, Row>,
    moved: BTreeMap<Uuid, i64>,
    /// Rows whose owners have closed their accounts.
    closed: HashSet<Uuid>,
}

impl Books {
    pub fn insert(&mut self, id: Uuid, row: Row) {
        self.rows.insert(id, row);
    }

    /// A row's owner has closed their account.
    pub fn close(&mut self, id: Uuid) {
        self.closed.insert(id);
    }

    #[must_use]
    pub fn get(&self, id: Uuid) -> Option<&Row> {
        self.rows.get(&id)
    }

    /// Rows that have moved, in the order of their ids, with the version before.
    pub fn moved(&self) -> impl Iterator<Item = (Uuid, i64, &Row)> {
        self.moved
            .iter()
            .filter_map(|(id, before)| self.rows.get(id).map(|row| (*id, *before, row)))
    }

    /// Posts the legs in their order, or none of them. Bounds are asked of the balances after the last leg. To who has closed their account
    /// nothing comes; what they owe may grow, and become less.
    ///
    /// # Errors
    /// [`Refusal::Insufficient`], [`Refusal::Closed`] or [`Refusal::TooLarge`]; the books are as before then.
    pub fn book(&mut self, legs: &[(Uuid, Amount)]) -> Result<Vec<PostedLeg>, Refusal> {
        let mut posted: Vec<PostedLeg> = Vec::with_capacity(legs.len());
        for (account, amount) in legs {
            let row = self
                .rows
                .get(account)
                .ok_or(Refusal::Malformed("an account was not locked"))?;
            // A transfer has few legs: looking back is cheaper than a map.
            let (balance, version) = posted
                .iter()
                .rev()
                .find(|l| l.account == *account)
                .map_or((row.balance, row.version), |l| (l.balance_after, l.version));
            if *amount > Amount::ZERO && row.bound != Bound::AtMostZero && self.closed.contains(account) {
                return Err(Refusal::Closed);
            }
            let balance_after = balance.plus(*amount).ok_or(Refusal::TooLarge)?;
            posted.push(PostedLeg {
                account: *account,
                amount: *amount,
                balance_after,
                version: version + 1,
            });
        }
        for (position, leg) in posted.iter().enumerate() {
            let last = !posted.iter().skip(position + 1).any(|l| l.account == leg.account);
            let bound = self.rows.get(&leg.account).map_or(Bound::Free, |r| r.bound);
            if last && !bound.allows(leg.balance_after.0) {
                return Err(Refusal::Insufficient(leg.account));
            }
        }
        for leg in &posted {
            if let Some(row) = self.rows.get_mut(&leg.account) {
                self.moved.entry(leg.account).or_insert(row.version);
                row.balance = leg.balance_after;
                row.version = leg.version;
            }
        }
        Ok(posted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_who_has_left_comes_nothing_but_what_they_owe_less() {
        let (house, gone, owed) = (Uuid::from_u128(1), Uuid::from_u128(2), Uuid::from_u128(3));
        let mut books = Books::default();
        for (id, bound, balance) in [
            (house, Bound::Free, 0),
            (gone, Bound::AtLeastZero, 5),
            (owed, Bound::AtMostZero, -5),
        ] {
            let row = Row {
                shown: None,
                bound,
                balance: Amount(balance),
                version: 0,
            };
            books.insert(id, row);
        }
        books.close(gone);
        books.close(owed);
        let mut book = |to: Uuid, amount: i128| books.book(&[(house, Amount(-amount)), (to, Amount(amount))]);
        assert_eq!(book(gone, 1).unwrap_err(), Refusal::Closed);
        assert_eq!(book(house, 1).map(|_| ()), Ok(()), "everybody else");
        assert_eq!(book(gone, -1).map(|_| ()), Ok(()), "what lay there goes");
        assert_eq!(book(owed, -1).map(|_| ()), Ok(()), "what they owe");
        assert_eq!(book(owed, 1).map(|_| ()), Ok(()), "and give back");
    }
}
