//! The one way into the books: lock, decide, write. Used by single posts, sets and the batch writer alike.

use super::{
    account::{AccountRef, UserAccount},
    amount::{Amount, Currency},
    model::{Cause, CauseKind, Orderer, Posted, Transfer, TransferKind},
    rules::{self, Books, Refusal},
    store,
};
use crate::{error::Error, foundation::business_day};
use protocol::{
    ids::{TransferId, UserId},
    money::Usdt,
    views::{AccountBalance, Mode},
};
use sqlx::PgConnection;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// An account's row to be created when it is missing.
#[derive(Clone, Copy, Debug)]
pub struct NewAccount {
    pub id: Uuid,
    pub account: AccountRef,
    pub currency: Currency,
    pub stripe: i16,
}

/// A leg with its row.
#[derive(Clone, Copy, Debug)]
pub struct OrderLeg {
    pub row: Uuid,
    pub currency: Currency,
    pub amount: Amount,
}

/// A transfer ready to be booked.
#[derive(Clone, Debug)]
pub struct Order {
    pub id: TransferId,
    pub kind: TransferKind,
    pub key: String,
    pub hash: [u8; 32],
    pub cause: Cause,
    pub orderer: Orderer,
    pub mode: Option<Mode>,
    pub settings_version: i32,
    pub business_day: Option<Date>,
    pub reverses: Option<TransferId>,
    pub reason: Option<String>,
    pub legs: Vec<OrderLeg>,
    /// Rows that may have to be created.
    pub accounts: Vec<NewAccount>,
    /// Users whose `available` is credited: their debt is repaid first.
    pub credited: Vec<UserId>,
}

/// Who may move `held` accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldAccounts {
    Refused,
    Moved,
}

impl Order {
    /// # Errors
    /// What [`rules::check`] refuses; a leg on a `held` account unless a hold moves it.
    pub fn new(transfer: Transfer, held: HeldAccounts) -> Result<Self, Refusal> {
        let seed = rules::seed(&transfer.key);
        Self::on_stripes(transfer, held, seed)
    }

    /// The same, on the rows of busy house accounts that a seed chooses.
    ///
    /// # Errors
    /// As [`Order::new`].
    pub fn on_stripes(transfer: Transfer, held: HeldAccounts, seed: u64) -> Result<Self, Refusal> {
        rules::check(&transfer)?;
        if held == HeldAccounts::Refused && transfer.legs.iter().any(|l| l.account.is_held()) {
            return Err(Refusal::Malformed("only holds move a held account"));
        }
        let mut rows = Vec::with_capacity(transfer.legs.len());
        let mut legs = Vec::with_capacity(transfer.legs.len());
        let mut accounts = Vec::with_capacity(transfer.legs.len());
        let mut credited = Vec::new();
        for leg in &transfer.legs {
            let stripe = leg.account.stripe(seed);
            let first = leg.account.row_id(leg.currency, 0);
            let id = match stripe {
                0 => first,
                _ => leg.account.row_id(leg.currency, stripe),
            };
            rows.push(first);
            legs.push(OrderLeg {
                row: id,
                currency: leg.currency,
                amount: leg.amount,
            });
            accounts.push(NewAccount {
                id,
                account: leg.account,
                currency: leg.currency,
                stripe,
            });
            if let AccountRef::User(user, UserAccount::Available) = leg.account
                && leg.amount > Amount::ZERO
                && transfer.kind != TransferKind::DebtRepayment
            {
                credited.push(user);
            }
        }
        let hash = rules::hash(&transfer, &rows);
        Ok(Self {
            id: TransferId::fresh(),
            kind: transfer.kind,
            key: transfer.key,
            hash,
            cause: transfer.cause,
            orderer: transfer.orderer,
            mode: transfer.mode,
            settings_version: transfer.settings_version,
            business_day: transfer.business_day,
            reverses: None,
            reason: None,
            legs,
            accounts,
            credited,
        })
    }
}

/// What became of a set of orders.
#[derive(Debug, Default)]
pub struct Booked {
    /// In the order of the orders.
    pub outcomes: Vec<Result<Posted, Refusal>>,
    /// Final balances of the accounts that screens show, by user.
    pub touched: BTreeMap<UserId, Vec<AccountBalance>>,
}

/// Books each order or refuses it alone. Accounts are locked until the transaction ends, all of them in the order of their ids.
///
/// # Errors
/// Whatever the database refuses: the transaction is lost then.
pub async fn book(
    conn: &mut PgConnection,
    now: OffsetDateTime,
    orders: Vec<Result<Order, Refusal>>,
) -> Result<Booked, Error> {
    let mut books = lock(conn, &orders).await?;
    let keys: Vec<String> = orders.iter().flatten().map(|o| o.key.clone()).collect();
    // Asked only now: whoever booked the same order before held the same locks, so it is visible.
    let known = store::by_keys(conn, &keys).await?;

    let mut earlier: HashMap<String, usize> = HashMap::new();
    let mut outcomes: Vec<Result<Posted, Refusal>> = Vec::with_capacity(orders.len());
    let mut written: Vec<(Order, Posted)> = Vec::with_capacity(orders.len());
    for order in orders {
        let outcome = match order {
            Err(refusal) => Err(refusal),
            Ok(order) => match replay(&order, &known, &earlier, &written) {
                Some(outcome) => outcome,
                None => decide(order, now, &mut books, &mut earlier, &mut written),
            },
        };
        outcomes.push(outcome);
    }
    if !written.is_empty() {
        let rows: Vec<(&Order, &Posted)> = written.iter().map(|(o, p)| (o, p)).collect();
        store::write(conn, &rows, &books).await?;
    }
    let mut touched: BTreeMap<UserId, Vec<AccountBalance>> = BTreeMap::new();
    for (_, _, row) in books.moved() {
        if let Some((user, account)) = row.shown {
            let balance = row.balance.usdt().unwrap_or(Usdt(i64::MAX));
            touched.entry(user).or_default().push(AccountBalance {
                account,
                balance,
                version: row.version,
            });
        }
    }
    Ok(Booked { outcomes, touched })
}

/// Books a set of orders that nobody booked before and whose accounts nobody else may move meanwhile, or none of them. Neither is
/// asked first, which for many orders is a good part of the price; both are seen to by the database, which refuses the set.
///
/// # Errors
/// The first refusal; whatever the database refuses: the transaction is lost then.
pub async fn book_guarded(
    conn: &mut PgConnection,
    now: OffsetDateTime,
    orders: Vec<Order>,
) -> Result<Vec<Posted>, Error> {
    let accounts: BTreeMap<Uuid, NewAccount> = orders
        .iter()
        .flat_map(|o| &o.accounts)
        .map(|a| (a.id, *a))
        .collect();
    let ids: Vec<Uuid> = accounts.keys().copied().collect();
    let mut books = Books::default();
    store::read(conn, &ids, &mut books).await?;
    let missing: Vec<NewAccount> = accounts
        .into_values()
        .filter(|a| books.get(a.id).is_none())
        .collect();
    if !missing.is_empty() {
        let ids: Vec<Uuid> = missing.iter().map(|a| a.id).collect();
        store::create(conn, &missing).await?;
        store::read(conn, &ids, &mut books).await?;
    }
    let mut posted = Vec::with_capacity(orders.len());
    for order in &orders {
        if !order.credited.is_empty() {
            return Err(Refusal::Malformed("what credits a person may have a debt to repay first").into());
        }
        posted.push(enter(order, now, day_of(order, now), &mut books)?);
    }
    let rows: Vec<(&Order, &Posted)> = orders.iter().zip(&posted).collect();
    store::write(conn, &rows, &books).await?;
    Ok(posted)
}

async fn lock(conn: &mut PgConnection, orders: &[Result<Order, Refusal>]) -> Result<Books, Error> {
    let mut ids: BTreeSet<Uuid> = BTreeSet::new();
    let mut accounts: BTreeMap<Uuid, NewAccount> = BTreeMap::new();
    for order in orders.iter().flatten() {
        ids.extend(order.legs.iter().map(|l| l.row));
        ids.extend(order.credited.iter().map(|u| debt(*u).row_id(Currency::Usdt, 0)));
        accounts.extend(order.accounts.iter().map(|a| (a.id, *a)));
    }
    let mut books = Books::default();
    let ids: Vec<Uuid> = ids.into_iter().collect();
    let required: Vec<Uuid> = accounts.keys().copied().collect();
    if !store::lock(conn, &ids, &required, &mut books).await? {
        let there: HashSet<Uuid> = store::existing(conn, &required).await?.into_iter().collect();
        let missing: Vec<NewAccount> = accounts
            .into_values()
            .filter(|a| !there.contains(&a.id))
            .collect();
        store::create(conn, &missing).await?;
        if !store::lock(conn, &ids, &required, &mut books).await? {
            return Err(Error::internal("an account that was just created is not there"));
        }
    }
    Ok(books)
}

const fn debt(user: UserId) -> AccountRef {
    AccountRef::User(user, UserAccount::Debt)
}

/// The first answer, if this key was booked before: in the database or earlier in this set.
fn replay(
    order: &Order,
    known: &HashMap<String, (Vec<u8>, Posted)>,
    earlier: &HashMap<String, usize>,
    written: &[(Order, Posted)],
) -> Option<Result<Posted, Refusal>> {
    let (hash, posted) = match known.get(&order.key) {
        Some((hash, posted)) => (hash.as_slice(), posted.clone()),
        None => {
            let (first, posted) = written.get(*earlier.get(&order.key)?)?;
            (
                first.hash.as_slice(),
                Posted {
                    replayed: true,
                    ..posted.clone()
                },
            )
        }
    };
    Some(if hash == order.hash.as_slice() {
        Ok(posted)
    } else {
        Err(Refusal::KeyReused)
    })
}

fn day_of(order: &Order, now: OffsetDateTime) -> Date {
    order.business_day.unwrap_or_else(|| business_day::of(now))
}

/// Moves the books by one order, or leaves them as they are.
fn enter(
    order: &Order,
    now: OffsetDateTime,
    business_day: Date,
    books: &mut Books,
) -> Result<Posted, Refusal> {
    let legs: Vec<(Uuid, Amount)> = order.legs.iter().map(|l| (l.row, l.amount)).collect();
    Ok(Posted {
        id: order.id,
        at: now,
        business_day,
        replayed: false,
        legs: books.book(&legs)?,
    })
}

fn decide(
    order: Order,
    now: OffsetDateTime,
    books: &mut Books,
    earlier: &mut HashMap<String, usize>,
    written: &mut Vec<(Order, Posted)>,
) -> Result<Posted, Refusal> {
    let day = day_of(&order, now);
    let posted = enter(&order, now, day, books)?;
    earlier.insert(order.key.clone(), written.len());
    let repayments: Vec<Order> = order
        .credited
        .iter()
        .filter_map(|user| repayment(&order, &posted, *user, books))
        .collect();
    written.push((order, posted.clone()));
    for order in repayments {
        let posted = enter(&order, now, day, books)?;
        written.push((order, posted));
    }
    Ok(posted)
}

/// With debt open, what `available` was just credited repays first (docs/rules/ledger.md#debt).
fn repayment(order: &Order, posted: &Posted, user: UserId, books: &Books) -> Option<Order> {
    let available = AccountRef::User(user, UserAccount::Available);
    let row = available.row_id(Currency::Usdt, 0);
    let owed = books
        .get(debt(user).row_id(Currency::Usdt, 0))?
        .balance
        .0
        .checked_neg()?;
    let there = books.get(row)?.balance.0;
    let credited: i128 = posted
        .legs
        .iter()
        .filter(|l| l.account == row)
        .map(|l| l.amount.0)
        .sum();
    let amount = owed.min(there).min(credited);
    let amount = Amount(amount).usdt().filter(|a| a.is_positive())?;
    let transfer = Transfer::new(
        TransferKind::DebtRepayment,
        format!("debt:{}:{user}", order.id),
        Cause::new(CauseKind::Transfer, order.id.0),
        Orderer::System,
    )
    .settings(order.settings_version)
    .move_usdt(available, debt(user), amount);
    Order::new(transfer, HeldAccounts::Refused).ok()
}
