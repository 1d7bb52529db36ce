//! What other rooms may point at: a ticket names a deposit by (kind, id) without importing its room.

mod store;

use super::transaction::{SubjectLine, Tx};
use crate::error::Error;
use protocol::{
    ids::UserId,
    money::{Pyx, Usdt},
};
use uuid::Uuid;

/// The job that comes with a change of a thing that is pointed at; its payload says which. The end of a change writes it (`foundation.finish`).
pub const WATCHED: &str = "subject.watched";

/// Kinds of things that can be pointed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    PixDeposit,
    PixWithdrawal,
    CryptoDeposit,
    CryptoWithdrawal,
    Licence,
    /// Between members; its owner is who sent it.
    Transfer,
}

impl Kind {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PixDeposit => "pix_deposit",
            Self::PixWithdrawal => "pix_withdrawal",
            Self::CryptoDeposit => "crypto_deposit",
            Self::CryptoWithdrawal => "crypto_withdrawal",
            Self::Licence => "licence",
            Self::Transfer => "transfer",
        }
    }

    /// Reads a kind's name; `None` for what cannot be pointed at.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [
            Self::PixDeposit,
            Self::PixWithdrawal,
            Self::CryptoDeposit,
            Self::CryptoWithdrawal,
            Self::Licence,
            Self::Transfer,
        ]
        .into_iter()
        .find(|kind| kind.as_str() == name)
    }
}

/// What a thing is worth, in what it is counted in. Both count in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worth {
    Usdt(Usdt),
    Pyx(Pyx),
}

impl From<Usdt> for Worth {
    fn from(amount: Usdt) -> Self {
        Self::Usdt(amount)
    }
}

impl From<Pyx> for Worth {
    fn from(amount: Pyx) -> Self {
        Self::Pyx(amount)
    }
}

impl Worth {
    fn read(amount: i64, currency: &str) -> Self {
        match currency {
            Pyx::CODE => Self::Pyx(Pyx(amount)),
            _ => Self::Usdt(Usdt(amount)),
        }
    }

    const fn stored(self) -> (i64, &'static str) {
        match self {
            Self::Usdt(amount) => (amount.0, Usdt::CODE),
            Self::Pyx(amount) => (amount.0, Pyx::CODE),
        }
    }

    /// The amount as a decimal number, and its currency.
    #[must_use]
    pub fn shown(self) -> (String, &'static str) {
        match self {
            Self::Usdt(amount) => (amount.to_string(), Usdt::CODE),
            Self::Pyx(amount) => (amount.to_string(), Pyx::CODE),
        }
    }
}

/// Writes or refreshes a thing's line, with its fact, at the end of the change.
///
/// # Errors
/// None of its own: what the database refuses is told at the commit.
pub async fn upsert(
    tx: &mut Tx,
    kind: Kind,
    id: Uuid,
    owner: UserId,
    worth: impl Into<Worth>,
    status: &str,
) -> Result<(), Error> {
    let (amount, currency) = worth.into().stored();
    tx.show(SubjectLine {
        kind: kind.as_str(),
        id,
        owner: owner.0,
        amount,
        currency,
        status: status.to_owned(),
    });
    Ok(())
}

/// Points at a thing: from now on each of its changes comes with a job [`WATCHED`]. False where there is no such thing of this user.
///
/// # Errors
/// Whatever the database refuses.
pub async fn watch(tx: &mut Tx, kind: Kind, id: Uuid, owner: UserId) -> Result<bool, Error> {
    store::watch(tx.conn(), kind.as_str(), id, owner.0).await
}

/// One thing's line as it stands, held until the end of this change.
///
/// # Errors
/// Whatever the database refuses.
pub async fn held(tx: &mut Tx, kind: &str, id: Uuid) -> Result<Option<Subject>, Error> {
    store::held(tx.conn(), kind, id).await
}

/// A line as others read it.
#[derive(Clone, Debug)]
pub struct Subject {
    pub kind: String,
    pub id: Uuid,
    pub worth: Worth,
    pub status: String,
    pub at: time::OffsetDateTime,
}

/// One thing's line; none where nobody wrote one.
///
/// # Errors
/// Whatever the database refuses.
pub async fn find(pool: &sqlx::PgPool, kind: &str, id: Uuid) -> Result<Option<Subject>, Error> {
    store::find(pool, kind, id).await
}

/// A user's latest things of every kind, so many of each, newest first.
///
/// # Errors
/// Whatever the database refuses.
pub async fn recent_of_each(pool: &sqlx::PgPool, owner: UserId, each: i64) -> Result<Vec<Subject>, Error> {
    store::recent_of_each(pool, owner.0, each).await
}

/// A user's latest things, newest first.
///
/// # Errors
/// Whatever the database refuses.
pub async fn recent(pool: &sqlx::PgPool, owner: UserId, count: i64) -> Result<Vec<Subject>, Error> {
    store::recent(pool, owner.0, count).await
}
