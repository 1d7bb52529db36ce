//! The ledger's door: what other rooms may ask of it. All of it joins the caller's transaction.

use super::{
    account::{AccountRef, UserAccount},
    amount::{Amount, Currency},
    booking::{self, Booked, HeldAccounts, Order},
    model::{Posted, StatementLine, Transfer, TransferKind},
    rules::{self, Refusal},
    store,
};
use crate::{
    error::Error,
    foundation::{http::Paging, transaction::Tx},
};
use protocol::{
    LiveEvent, StreamId,
    ids::{LicenceId, UserId},
    money::{Pyx, Usdt},
    pyx::PyxBalances,
    views::{self, AccountBalance},
};
use sqlx::PgExecutor;
use std::collections::BTreeMap;
use time::OffsetDateTime;
use uuid::Uuid;

pub use super::{
    holds::{Move, Moved, expire_holds, hold, move_all, post_hold, void_hold},
    leaving::{hold_all, make_rows},
    mass::post_mass,
    reversals::{Owner, Part, part, reverse, reverse_part},
};

/// Books a transfer. Accounts come into being with their first posting. A key that was booked before with the same content
/// gives the first result again (`replayed`).
///
/// # Errors
/// `balance.insufficient` when an account would cross its bound; `ledger.refused` when the key was used for something else.
/// After a refusal nothing of this transfer is booked, and the caller may go on in the same transaction.
pub async fn post(tx: &mut Tx, transfer: Transfer) -> Result<Posted, Error> {
    let order = Order::new(transfer, HeldAccounts::Refused);
    single(tx, order).await
}

/// Books several transfers as one set of statements, or none of them.
///
/// # Errors
/// The first refusal; the caller must not commit then.
pub async fn post_many(tx: &mut Tx, transfers: Vec<Transfer>) -> Result<Vec<Posted>, Error> {
    let outcomes = post_each(tx, transfers).await?;
    Ok(outcomes.into_iter().collect::<Result<_, _>>()?)
}

/// Books several transfers as one set of statements, each by itself booked or refused, in their order.
///
/// # Errors
/// Whatever the database refuses.
pub async fn post_each(tx: &mut Tx, transfers: Vec<Transfer>) -> Result<Vec<Result<Posted, Refusal>>, Error> {
    let orders = transfers
        .into_iter()
        .map(|t| Order::new(t, HeldAccounts::Refused))
        .collect();
    Ok(book(tx, orders).await?.outcomes)
}

pub(super) async fn single(tx: &mut Tx, order: Result<Order, Refusal>) -> Result<Posted, Error> {
    let booked = book(tx, vec![order]).await?;
    match booked.outcomes.into_iter().next() {
        Some(outcome) => Ok(outcome?),
        None => Err(Error::internal("an order without an outcome")),
    }
}

pub(super) async fn book(tx: &mut Tx, orders: Vec<Result<Order, Refusal>>) -> Result<Booked, Error> {
    let now = tx.now();
    let mut booked = booking::book(tx.conn(), now, orders).await?;
    tell_balances(tx, std::mem::take(&mut booked.touched));
    Ok(booked)
}

/// Tells people what their accounts hold now.
pub(super) fn tell_balances(tx: &mut Tx, touched: BTreeMap<UserId, Vec<AccountBalance>>) {
    for (user, accounts) in touched {
        tx.emit_merged(
            StreamId::User(user),
            LiveEvent::BalanceChanged { accounts },
            merge_balances,
        );
    }
}

/// One fact per user and transaction: later balances replace earlier ones.
pub(super) fn merge_balances(earlier: &mut LiveEvent, later: &LiveEvent) -> bool {
    let (LiveEvent::BalanceChanged { accounts: all }, LiveEvent::BalanceChanged { accounts: fresh }) =
        (earlier, later)
    else {
        return false;
    };
    for one in fresh {
        match all.iter_mut().find(|a| a.account == one.account) {
            Some(place) => *place = one.clone(),
            None => all.push(one.clone()),
        }
    }
    true
}

/// Locks accounts until the transaction ends, in the order of their ids: for changes that book several transfers one after another.
/// An account that never moved is passed over.
///
/// # Errors
/// Whatever the database refuses.
pub async fn lock_accounts(tx: &mut Tx, accounts: &[(AccountRef, Currency)]) -> Result<(), Error> {
    let ids: Vec<Uuid> = accounts
        .iter()
        .map(|(account, currency)| account.row_id(*currency, 0))
        .collect();
    store::lock(tx.conn(), &ids, &[], &[], &mut rules::Books::default()).await?;
    Ok(())
}

/// A user's balances that screens show, all five, in their order.
///
/// # Errors
/// Whatever the database refuses.
pub async fn balances(db: impl PgExecutor<'_>, user: UserId) -> Result<Vec<AccountBalance>, Error> {
    let rows: Vec<(views::UserAccount, Uuid)> = views::UserAccount::ALL
        .iter()
        .map(|account| {
            (
                *account,
                AccountRef::User(user, UserAccount::from(*account)).row_id(Currency::Usdt, 0),
            )
        })
        .collect();
    let ids: Vec<Uuid> = rows.iter().map(|(_, id)| *id).collect();
    let found = store::balances(db, &ids).await?;
    rows.into_iter()
        .map(|(account, id)| {
            let (balance, version) = found.get(&id).copied().unwrap_or_default();
            Ok(AccountBalance {
                account,
                balance: usdt(balance)?,
                version,
            })
        })
        .collect()
}

/// A person's PYX.
///
/// # Errors
/// Whatever the database refuses.
pub async fn pyx_balances(db: impl PgExecutor<'_>, user: UserId) -> Result<PyxBalances, Error> {
    pyx_balances_of(db, &[user])
        .await?
        .pop()
        .map(|(_, balances)| balances)
        .ok_or_else(|| Error::internal("balances of nobody"))
}

async fn pyx_balances_of(
    db: impl PgExecutor<'_>,
    people: &[UserId],
) -> Result<Vec<(UserId, PyxBalances)>, Error> {
    let rows = |user: UserId| {
        [UserAccount::Pyx, UserAccount::PyxLocked, UserAccount::PyxHeld]
            .map(|account| AccountRef::User(user, account).row_id(Currency::Pyx, 0))
    };
    let ids: Vec<Uuid> = people.iter().flat_map(|user| rows(*user)).collect();
    let found = store::balances(db, &ids).await?;
    let of = |id: Uuid| {
        let (balance, _) = found.get(&id).copied().unwrap_or_default();
        i64::try_from(balance.0)
            .map(Pyx)
            .map_err(|_| Error::internal("a balance beyond what PYX holds"))
    };
    people
        .iter()
        .map(|user| {
            let [free, locked, held] = rows(*user);
            let version = |id: Uuid| found.get(&id).map_or(0, |(_, version)| *version);
            let balances = PyxBalances {
                free: of(free)?,
                locked: of(locked)?,
                held: of(held)?,
                version: version(free) + version(locked) + version(held),
            };
            Ok((*user, balances))
        })
        .collect()
}

/// Tells a person of their PYX: once for each change, the last word counts.
///
/// # Errors
/// Whatever the database refuses.
pub async fn tell_pyx(tx: &mut Tx, user: UserId) -> Result<PyxBalances, Error> {
    tell_pyx_of(tx, &[user])
        .await?
        .pop()
        .ok_or_else(|| Error::internal("balances of nobody"))
}

/// The same of several people, read at once.
///
/// # Errors
/// Whatever the database refuses.
pub async fn tell_pyx_of(tx: &mut Tx, people: &[UserId]) -> Result<Vec<PyxBalances>, Error> {
    let all = pyx_balances_of(tx.conn(), people).await?;
    for (user, balances) in &all {
        tx.emit_merged(
            StreamId::User(*user),
            LiveEvent::PresaleChanged {
                balances: Box::new(balances.clone()),
            },
            |earlier, later| {
                let same = matches!(
                    (&*earlier, later),
                    (LiveEvent::PresaleChanged { .. }, LiveEvent::PresaleChanged { .. })
                );
                if same {
                    *earlier = later.clone();
                }
                same
            },
        );
    }
    Ok(all.into_iter().map(|(_, balances)| balances).collect())
}

/// An account's balance, all its stripes added up; zero for one that never moved.
///
/// # Errors
/// Whatever the database refuses.
pub async fn account_balance(
    db: impl PgExecutor<'_>,
    account: AccountRef,
    currency: Currency,
) -> Result<Amount, Error> {
    let stripes = match account {
        AccountRef::House(house) => house.stripes(),
        _ => 1,
    };
    let ids: Vec<Uuid> = (0..stripes)
        .map(|stripe| account.row_id(currency, stripe))
        .collect();
    let found = store::balances(db, &ids).await?;
    found
        .values()
        .try_fold(Amount::ZERO, |sum, (balance, _)| sum.plus(*balance))
        .ok_or_else(|| Error::internal("a balance beyond 38 digits"))
}

/// A user's or licence's balance in USDT.
///
/// # Errors
/// Whatever the database refuses.
pub async fn usdt_balance(db: impl PgExecutor<'_>, account: AccountRef) -> Result<Usdt, Error> {
    usdt(account_balance(db, account, Currency::Usdt).await?)
}

fn usdt(amount: Amount) -> Result<Usdt, Error> {
    amount
        .usdt()
        .ok_or_else(|| Error::internal("a balance beyond what USDT holds"))
}

/// Which lines of a statement are asked for.
#[derive(Clone, Debug, Default)]
pub struct StatementFilter {
    /// Empty: all kinds.
    pub kinds: Vec<TransferKind>,
    pub from: Option<OffsetDateTime>,
    pub before: Option<OffsetDateTime>,
}

/// The postings of a user's own accounts and of the given licences (the caller has checked whose they are), newest first, and
/// how many there are.
///
/// # Errors
/// Whatever the database refuses.
pub async fn statement(
    db: impl PgExecutor<'_>,
    user: UserId,
    licences: &[LicenceId],
    filter: &StatementFilter,
    paging: &Paging,
) -> Result<(Vec<StatementLine>, i64), Error> {
    let owners: Vec<Uuid> = std::iter::once(user.0)
        .chain(licences.iter().map(|l| l.0))
        .collect();
    let kinds: Vec<String> = filter.kinds.iter().map(|k| k.as_str().to_owned()).collect();
    let filter = store::StatementFilter {
        owners: &owners,
        kinds: Some(kinds.as_slice()).filter(|k| !k.is_empty()),
        from: filter.from,
        before: filter.before,
        limit: paging.limit,
        offset: paging.offset,
    };
    store::statement(db, &filter).await
}
