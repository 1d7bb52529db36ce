//! The way of single transfers and of sets into the books: lock, decide, write. Many legs of one kind: [`super::mass`].

use super::{
    account::{AccountRef, UserAccount},
    amount::{Amount, Currency},
    model::{Cause, CauseKind, Orderer, Posted, Transfer, TransferKind},
    rules::{self, Books, Refusal},
    store,
};
use crate::{error::Error, foundation::business_day};
use protocol::{
    ids::{HoldId, TransferId, UserId},
    money::Usdt,
    views::{AccountBalance, Mode},
};
use sqlx::PgConnection;
use std::collections::{BTreeMap, BTreeSet, HashMap};
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
    /// Whose legs of a mass booking are reversed.
    pub part: Option<Uuid>,
    pub reason: Option<String>,
    pub legs: Vec<OrderLeg>,
    /// Rows that may have to be created.
    pub accounts: Vec<NewAccount>,
    /// Users whose `available` is credited: their debt is repaid first.
    pub credited: Vec<UserId>,
    /// What it sets aside is this hold.
    pub hold: Option<NewHoldRow>,
}

/// A hold to be written with the transfer that places it.
#[derive(Clone, Copy, Debug)]
pub struct NewHoldRow {
    pub id: HoldId,
    pub account: Uuid,
    pub returns_to: Uuid,
    pub amount: Amount,
    pub expires_at: Option<OffsetDateTime>,
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
        let amounts = transfer.legs.iter().map(|l| l.amount);
        let hash = rules::hash(
            transfer.kind,
            transfer.cause,
            transfer.mode,
            rows.into_iter().zip(amounts),
        );
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
            part: None,
            reason: None,
            legs,
            accounts,
            credited,
            hold: None,
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
    let keys: Vec<String> = orders.iter().flatten().map(|o| o.key.clone()).collect();
    let (mut books, is_known) = lock(conn, &orders, &keys).await?;
    let known = if is_known {
        store::by_keys(conn, &keys).await?
    } else {
        HashMap::new()
    };

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

/// The accounts of all orders, locked, and whether one of the keys was booked before. That is asked behind the locks: whoever booked
/// the same order held them, so it is visible.
async fn lock(
    conn: &mut PgConnection,
    orders: &[Result<Order, Refusal>],
    keys: &[String],
) -> Result<(Books, bool), Error> {
    let mut ids: BTreeSet<Uuid> = BTreeSet::new();
    let mut accounts: BTreeMap<Uuid, NewAccount> = BTreeMap::new();
    for order in orders.iter().flatten() {
        ids.extend(order.legs.iter().map(|l| l.row));
        ids.extend(order.credited.iter().map(|u| debt(*u).row_id(Currency::Usdt, 0)));
        accounts.extend(order.accounts.iter().map(|a| (a.id, *a)));
    }
    let mut books = Books::default();
    let ids: Vec<Uuid> = ids.into_iter().collect();
    let accounts: Vec<NewAccount> = accounts.into_values().collect();
    let known = store::lock(conn, &ids, &accounts, keys, &mut books).await?;
    Ok((books, known))
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
        .filter_map(|user| repayment_after(&order, &posted, *user, books))
        .collect();
    written.push((order, posted.clone()));
    for order in repayments {
        let posted = enter(&order, now, day, books)?;
        written.push((order, posted));
    }
    Ok(posted)
}

fn repayment_after(order: &Order, posted: &Posted, user: UserId, books: &Books) -> Option<Order> {
    let row = AccountRef::User(user, UserAccount::Available).row_id(Currency::Usdt, 0);
    let credited: i128 = posted
        .legs
        .iter()
        .filter(|l| l.account == row)
        .map(|l| l.amount.0)
        .sum();
    repayment(
        order.id,
        order.settings_version,
        user,
        books.get(debt(user).row_id(Currency::Usdt, 0))?.balance,
        books.get(row)?.balance,
        Amount(credited),
    )
}

/// With debt open, what `available` was just credited by a transfer repays first (docs/rules/ledger.md#debt): none when nothing is
/// owed. `debt` and `there` are the balances of both accounts.
pub fn repayment(
    credit: TransferId,
    settings_version: i32,
    user: UserId,
    debt: Amount,
    there: Amount,
    credited: Amount,
) -> Option<Order> {
    let amount = debt.0.checked_neg()?.min(there.0).min(credited.0);
    let amount = Amount(amount).usdt().filter(|a| a.is_positive())?;
    let transfer = Transfer::new(
        TransferKind::DebtRepayment,
        format!("debt:{credit}:{user}"),
        Cause::new(CauseKind::Transfer, credit.0),
        Orderer::System,
    )
    .settings(settings_version)
    .move_usdt(
        AccountRef::User(user, UserAccount::Available),
        AccountRef::User(user, UserAccount::Debt),
        amount,
    );
    Order::new(transfer, HeldAccounts::Refused).ok()
}
