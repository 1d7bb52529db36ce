//! Mass bookings: one transfer with many legs between one account of the house and many of people and licences
//! (docs/rules/ledger.md#mass-bookings). Settlements of the desk, shares of pools, closings.
//!
//! A handful of statements whatever the number of legs. Balances are moved relative to where they stand, and what they came to is
//! written down in the same statement, which the database checks as a whole. COPY is no way in: what it writes would be checked before
//! the accounts have moved.

mod store;

use super::{
    account::{AccountRef, HouseAccount, UserAccount},
    amount::{Amount, Currency},
    booking::{self, NewAccount},
    model::{Cause, Orderer, TransferKind},
    rules::{self, Refusal},
    service, store as books,
};
use crate::{
    error::Error,
    foundation::{business_day, transaction::Tx},
};
use protocol::{
    ids::{TransferId, UserId},
    money::Usdt,
    views::{AccountBalance, Mode},
};
use std::collections::{BTreeMap, HashMap};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// The most legs of one booking.
pub const MOST_LEGS: usize = 200_000;
/// From so many on the database is given room for them.
const MANY: usize = 5_000;

/// What a mass booking does to one account, in USDT: above zero it gets, below it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MassLeg {
    /// A person's or a licence's.
    pub account: AccountRef,
    pub amount: Usdt,
}

/// A mass booking as ordered. Each account appears once: who gets twice gets the sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MassBooking {
    pub kind: TransferKind,
    /// Unique for ever: the same key with the same content is booked once, with other content refused.
    pub key: String,
    pub cause: Cause,
    pub orderer: Orderer,
    /// Only of a settlement.
    pub mode: Option<Mode>,
    /// The version of the settings that the amounts were computed with.
    pub settings_version: i32,
    /// The open business day; the São Paulo date of the booking when none.
    pub business_day: Option<Date>,
    /// The other side of every leg. What it gives is one posting, what it takes another: they are not netted.
    pub house: HouseAccount,
    /// Which row of a busy account of the house is moved, if the caller guards the booking.
    pub guarded: Option<u8>,
    pub legs: Vec<MassLeg>,
}

impl MassBooking {
    #[must_use]
    pub fn new(kind: TransferKind, key: impl Into<String>, cause: Cause, house: HouseAccount) -> Self {
        Self {
            kind,
            key: key.into(),
            cause,
            orderer: Orderer::System,
            mode: None,
            settings_version: 0,
            business_day: None,
            house,
            guarded: None,
            legs: Vec::new(),
        }
    }

    #[must_use]
    pub const fn settings(mut self, version: i32) -> Self {
        self.settings_version = version;
        self
    }

    #[must_use]
    pub const fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    #[must_use]
    pub const fn business_day(mut self, day: Date) -> Self {
        self.business_day = Some(day);
        self
    }

    /// The caller holds what keeps others from these accounts, and has made sure that the booking comes once: neither locks nor the key
    /// are asked for. What should happen all the same the database refuses, and the booking may be tried again in another transaction.
    /// Bookings of different lanes move different rows of a busy account of the house and do not wait for each other.
    #[must_use]
    pub const fn guarded(mut self, lane: u8) -> Self {
        self.guarded = Some(lane);
        self
    }

    /// Adds a leg; zero adds none.
    #[must_use]
    pub fn leg(mut self, account: AccountRef, amount: Usdt) -> Self {
        self.push(account, amount);
        self
    }

    /// Adds a leg; zero adds none.
    pub fn push(&mut self, account: AccountRef, amount: Usdt) {
        if !amount.is_zero() {
            self.legs.push(MassLeg { account, amount });
        }
    }
}

/// What a leg did to its account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct After {
    pub balance: Usdt,
    /// The account's version.
    pub version: i64,
}

/// A booked mass transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MassPosted {
    pub id: TransferId,
    pub at: OffsetDateTime,
    pub business_day: Date,
    /// It had been booked before under the same key; nothing moved now.
    pub replayed: bool,
    /// In the order of the legs.
    pub after: Vec<After>,
}

/// A leg with its row and its place among the legs as ordered.
#[derive(Clone, Copy, Debug)]
struct Line {
    row: Uuid,
    amount: i64,
    place: usize,
}

/// A posting of the house: how many follow on its account, and what they add up to.
#[derive(Clone, Copy, Debug)]
struct HouseLine {
    amount: Usdt,
    later: i64,
    later_amount: Usdt,
}

/// A mass booking ready to be booked.
struct Order {
    id: TransferId,
    hash: [u8; 32],
    /// The house's row, and its one or two postings: lines from 0 on.
    house: NewAccount,
    sides: Vec<HouseLine>,
    /// In the order of their rows: the lines after the house's.
    lines: Vec<Line>,
}

impl Order {
    fn of(booking: &MassBooking) -> Result<Self, Refusal> {
        rules::check_key(&booking.key)?;
        if booking.legs.is_empty() || booking.legs.len() > MOST_LEGS {
            return Err(Refusal::Malformed("a mass booking has 1 to 200 000 legs"));
        }
        let (mut gives, mut takes) = (0i64, 0i64);
        let mut lines = Vec::with_capacity(booking.legs.len());
        for (place, MassLeg { account, amount }) in booking.legs.iter().enumerate() {
            if matches!(account, AccountRef::House(_)) {
                return Err(Refusal::Malformed("the house is the other side of every leg"));
            }
            if account.is_held() {
                return Err(Refusal::Malformed("only holds move a held account"));
            }
            if !account.accepts(Currency::Usdt) {
                return Err(Refusal::Malformed("the account is kept in another currency"));
            }
            if booking.guarded.is_some() && credited(booking.kind, *account, *amount).is_some() {
                return Err(Refusal::Malformed(
                    "what credits a person may have a debt to repay first",
                ));
            }
            let side = match amount.0 {
                0 => return Err(Refusal::Malformed("a leg of zero")),
                ..0 => &mut takes,
                1.. => &mut gives,
            };
            *side = side.checked_add(amount.0).ok_or(Refusal::TooLarge)?;
            lines.push(Line {
                row: account.row_id(Currency::Usdt, 0),
                amount: amount.0,
                place,
            });
        }
        lines.sort_unstable_by_key(|l| l.row);
        if lines
            .windows(2)
            .any(|two| matches!(two, [a, b] if a.row == b.row))
        {
            return Err(Refusal::Malformed("an account appears once in a mass booking"));
        }
        let account = AccountRef::House(booking.house);
        if !account.accepts(Currency::Usdt) {
            return Err(Refusal::Malformed("the account is kept in another currency"));
        }
        let seed = booking
            .guarded
            .map_or_else(|| rules::seed(&booking.key), u64::from);
        let stripe = account.stripe(seed);
        let first = account.row_id(Currency::Usdt, 0);
        let taken = takes.checked_neg().ok_or(Refusal::TooLarge)?;
        let sides = match (Usdt(-gives), Usdt(taken)) {
            (gives, Usdt(0)) => vec![HouseLine::last(gives)],
            (Usdt(0), takes) => vec![HouseLine::last(takes)],
            (gives, takes) => vec![
                HouseLine {
                    amount: gives,
                    later: 1,
                    later_amount: takes,
                },
                HouseLine::last(takes),
            ],
        };
        let content = lines.iter().map(|l| (l.row, Amount(l.amount.into())));
        let sum = Amount(i128::from(taken) - i128::from(gives));
        Ok(Self {
            id: TransferId::fresh(),
            hash: rules::hash(
                booking.kind,
                booking.cause,
                booking.mode,
                std::iter::once((first, sum)).chain(content),
            ),
            house: NewAccount {
                id: account.row_id(Currency::Usdt, stripe),
                account,
                currency: Currency::Usdt,
                stripe,
            },
            sides,
            lines,
        })
    }

    /// All rows that move, in the order of their ids.
    fn rows(&self) -> Vec<Uuid> {
        let mut rows: Vec<Uuid> = self.lines.iter().map(|l| l.row).collect();
        let place = rows.partition_point(|row| *row < self.house.id);
        rows.insert(place, self.house.id);
        rows
    }

    /// What stands at a row's place, by the leg that names it.
    fn account(&self, booking: &MassBooking, row: Uuid) -> Option<NewAccount> {
        if row == self.house.id {
            return Some(self.house);
        }
        let line = self.lines.binary_search_by_key(&row, |l| l.row).ok()?;
        let leg = booking.legs.get(self.lines.get(line)?.place)?;
        Some(NewAccount {
            id: row,
            account: leg.account,
            currency: Currency::Usdt,
            stripe: 0,
        })
    }
}

impl HouseLine {
    const fn last(amount: Usdt) -> Self {
        Self {
            amount,
            later: 0,
            later_amount: Usdt::ZERO,
        }
    }
}

/// Whose `available` a leg credits: their debt is repaid first.
fn credited(kind: TransferKind, account: AccountRef, amount: Usdt) -> Option<UserId> {
    match account {
        AccountRef::User(user, UserAccount::Available)
            if amount.is_positive() && kind != TransferKind::DebtRepayment =>
        {
            Some(user)
        }
        _ => None,
    }
}

/// Books a mass transfer, or nothing of it. Accounts come into being with their first posting; unless the caller guards them they
/// are locked until the transaction ends, all of them in the order of their ids. A key that was booked before with the same content
/// (the legs in any order) gives the first result again. Each person concerned is told once; credits to `available` repay an open
/// debt first.
///
/// # Errors
/// `balance.insufficient` when an account would cross its bound; `ledger.refused` when the key was used for something else; `auth.closed` when
/// something would come to who has closed their account, unless the caller guards them; whatever the database refuses. The caller must not
/// commit then.
pub async fn post_mass(tx: &mut Tx, booking: MassBooking) -> Result<MassPosted, Error> {
    let order = Order::of(&booking)?;
    let rows = order.rows();
    if rows.len() >= MANY {
        store::make_room(tx.conn()).await?;
    }
    // Before anything is held: two who create could wait for each other.
    let missing = store::missing(tx.conn(), &rows).await?;
    if !missing.is_empty() {
        let accounts: Vec<NewAccount> = missing
            .into_iter()
            .filter_map(|row| order.account(&booking, row))
            .collect();
        books::create(tx.conn(), &accounts).await?;
    }
    let credits: Vec<(UserId, Usdt, usize)> = booking
        .legs
        .iter()
        .enumerate()
        .filter_map(|(place, leg)| {
            credited(booking.kind, leg.account, leg.amount).map(|user| (user, leg.amount, place))
        })
        .collect();
    if booking.guarded.is_none() {
        let debts = credits.iter().map(|(user, ..)| debt_row(*user));
        let mut locked: Vec<Uuid> = rows.iter().copied().chain(debts).collect();
        locked.sort_unstable();
        store::lock(tx.conn(), &locked).await?;
        // Asked only now: whoever booked the same before held the same locks, so it is visible.
        if let Some(posted) = replay(tx, &booking, &order).await? {
            return Ok(posted);
        }
        let receivers = receivers(&booking);
        if !receivers.is_empty() && store::is_any_closed(tx.conn(), &receivers).await? {
            return Err(Refusal::Closed.into());
        }
    }
    let now = tx.now();
    let day = booking.business_day.unwrap_or_else(|| business_day::of(now));
    let stands = store::write(tx.conn(), &booking, &order, now, day).await?;
    let mut after = vec![
        After {
            balance: Usdt::ZERO,
            version: 0
        };
        booking.legs.len()
    ];
    for (line, stand) in stands {
        let place = usize::try_from(line)
            .ok()
            .and_then(|n| n.checked_sub(1))
            .and_then(|n| order.lines.get(n));
        if let Some(slot) = place.and_then(|l| after.get_mut(l.place)) {
            *slot = stand;
        }
    }
    tell(tx, &booking, &after);
    repay(tx, &booking, order.id, &credits, &after).await?;
    Ok(MassPosted {
        id: order.id,
        at: now,
        business_day: day,
        replayed: false,
        after,
    })
}

fn debt_row(user: UserId) -> Uuid {
    AccountRef::User(user, UserAccount::Debt).row_id(Currency::Usdt, 0)
}

/// The people to whom something comes.
fn receivers(booking: &MassBooking) -> Vec<Uuid> {
    booking
        .legs
        .iter()
        .filter_map(|leg| match leg.account {
            AccountRef::User(user, _) if leg.amount.is_positive() => Some(user.0),
            _ => None,
        })
        .collect()
}

/// The first answer, if this key was booked before.
async fn replay(tx: &mut Tx, booking: &MassBooking, order: &Order) -> Result<Option<MassPosted>, Error> {
    let mut known = books::by_keys(tx.conn(), std::slice::from_ref(&booking.key)).await?;
    let Some((hash, posted)) = known.remove(&booking.key) else {
        return Ok(None);
    };
    if hash != order.hash {
        return Err(Refusal::KeyReused.into());
    }
    let stood: HashMap<Uuid, After> = posted
        .legs
        .iter()
        .filter_map(|l| {
            let balance = l.balance_after.usdt()?;
            let version = l.version;
            Some((l.account, After { balance, version }))
        })
        .collect();
    let after = booking
        .legs
        .iter()
        .map(|leg| stood.get(&leg.account.row_id(Currency::Usdt, 0)).copied());
    Ok(Some(MassPosted {
        id: posted.id,
        at: posted.at,
        business_day: posted.business_day,
        replayed: true,
        after: after
            .collect::<Option<_>>()
            .ok_or_else(|| Error::internal("a booked leg is missing"))?,
    }))
}

/// One fact per person.
fn tell(tx: &mut Tx, booking: &MassBooking, after: &[After]) {
    let mut touched: BTreeMap<UserId, Vec<AccountBalance>> = BTreeMap::new();
    for (leg, after) in booking.legs.iter().zip(after) {
        if let AccountRef::User(user, account) = leg.account
            && let Some(account) = account.shown()
        {
            touched.entry(user).or_default().push(AccountBalance {
                account,
                balance: after.balance,
                version: after.version,
            });
        }
    }
    service::tell_balances(tx, touched);
}

/// With debt open, what `available` was just credited repays first (docs/rules/ledger.md#debt).
async fn repay(
    tx: &mut Tx,
    booking: &MassBooking,
    id: TransferId,
    credits: &[(UserId, Usdt, usize)],
    after: &[After],
) -> Result<(), Error> {
    if credits.is_empty() {
        return Ok(());
    }
    let rows: Vec<Uuid> = credits.iter().map(|(user, ..)| debt_row(*user)).collect();
    let debts = books::balances(tx.conn(), &rows).await?;
    let orders: Vec<_> = credits
        .iter()
        .filter_map(|(user, credit, place)| {
            let owed = debts.get(&debt_row(*user))?.0;
            let there = Amount::from(after.get(*place)?.balance);
            booking::repayment(
                id,
                booking.settings_version,
                *user,
                owed,
                there,
                Amount::from(*credit),
            )
        })
        .collect();
    if orders.is_empty() {
        return Ok(());
    }
    for outcome in service::book(tx, orders.into_iter().map(Ok).collect())
        .await?
        .outcomes
    {
        outcome?;
    }
    Ok(())
}
