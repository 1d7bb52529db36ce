//! Booking of bonuses under the fund's lock: ceilings, the fund, reviews, rows, the ledger.
//!
//! Locks, always in this order: the fund's row, the ledger's accounts in the order of their ids. Nobody who holds one of these accounts waits
//! for the fund's row: what happens in other rooms leaves a cause behind and is worked off in a transaction of its own.

use super::{
    ceiling::{self, Earned, Room},
    fund::Fund,
    reviews, store,
};
use crate::{
    affiliates::{
        closing::tree::Walk,
        model::{Bonus, NewBonus},
    },
    error::Error,
    foundation::{context::Context, settings::InForce, transaction::Tx},
    ledger::{
        model::{
            AccountRef, Cause, CauseKind, Currency, HouseAccount, Orderer, Transfer, TransferKind,
            UserAccount,
        },
        service as ledger,
    },
};
use protocol::{
    ids::{BonusId, LicenceId, UserId},
    money::Usdt,
    views::LostReason,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};
use uuid::Uuid;

/// The account that pays.
pub const FUND: AccountRef = AccountRef::House(HouseAccount::NetworkFund);

/// Bonuses that are booked together. Begin with [`open`], then [`Booking::pay_queue`] and [`Booking::add`], at last [`Booking::write`].
pub struct Booking {
    settings: Arc<InForce>,
    fund: Fund,
    before: Fund,
    rooms: HashMap<UserId, Vec<Room>>,
    /// Receivers who have closed their accounts since they were found to be active.
    closed: HashSet<UserId>,
    used: Vec<(LicenceId, Usdt)>,
    parts: Vec<(store::Waiting, Usdt)>,
    dropped: Vec<store::Waiting>,
    bonuses: Vec<Bonus>,
}

/// Locks the fund, its account and the `bonus` accounts of these receivers, and reads what bounds them. Give all of them at once.
///
/// # Errors
/// Whatever the database refuses.
pub async fn open(context: &Context, tx: &mut Tx, receivers: &BTreeSet<UserId>) -> Result<Booking, Error> {
    let settings = context.settings.within(tx).await?;
    let waiting = store::lock_fund(tx.conn()).await?;
    let accounts: Vec<(AccountRef, Currency)> = receivers
        .iter()
        .map(|r| (AccountRef::User(*r, UserAccount::Bonus), Currency::Usdt))
        .chain([(FUND, Currency::Usdt)])
        .collect();
    ledger::lock_accounts(tx, &accounts).await?;
    let balance = ledger::usdt_balance(tx.conn(), FUND).await?;
    let members: Vec<Uuid> = receivers.iter().map(|r| r.0).collect();
    let rooms = store::rooms(tx.conn(), &members).await?;
    let closed = store::closed(tx.conn(), &members).await?;
    let fund = Fund { balance, waiting };
    Ok(Booking {
        settings,
        fund,
        before: fund,
        rooms,
        closed,
        used: Vec::new(),
        parts: Vec::new(),
        dropped: Vec::new(),
        bonuses: Vec::new(),
    })
}

impl Booking {
    #[must_use]
    pub fn settings(&self) -> &InForce {
        &self.settings
    }

    /// The same under the settings with which its cause began.
    #[must_use]
    pub fn under(self, settings: Arc<InForce>) -> Self {
        Self { settings, ..self }
    }

    /// Pays the queue's head as far as the fund goes; call it before anything new is added. What waits for who has left is dropped.
    pub fn pay_queue(&mut self, queue: Vec<store::Waiting>) {
        for head in queue {
            if self.closed.contains(&head.receiver) {
                self.fund.waiting -= head.waiting;
                self.dropped.push(head);
                continue;
            }
            let part = self.fund.pay_waiting(head.waiting);
            if !part.is_positive() {
                break;
            }
            let whole = part == head.waiting;
            self.parts.push((head, part));
            if !whole {
                break;
            }
        }
    }

    /// Bounds a bonus, uses its ceiling, pays it or lets it wait. What the fund cannot pay now uses its ceiling at once too. Who has left
    /// since the rule looked loses it as the inactive do.
    pub fn add(&mut self, mut new: NewBonus) -> Earned {
        if self.closed.contains(&new.receiver) {
            new.bound = Some((LostReason::Inactive, Usdt::ZERO));
        }
        let rooms = self.rooms.entry(new.receiver).or_default();
        let earned = ceiling::bound(new.gross, new.bound, ceiling::left(rooms));
        self.used.extend(ceiling::fill(rooms, earned.earned));
        let paid = self.fund.pay_new(earned.earned);
        self.bonuses.push(Bonus {
            id: BonusId::fresh(),
            new,
            settings_version: self.settings.version,
            lost: earned.lost,
            lost_reason: earned.reason,
            paid,
            waiting: earned.earned - paid,
            review: None,
        });
        earned
    }

    /// What the fund pays each receiver in this booking.
    #[must_use]
    pub fn paid(&self) -> BTreeMap<UserId, Usdt> {
        let mut paid: BTreeMap<UserId, Usdt> = BTreeMap::new();
        let parts = self.parts.iter().map(|(head, part)| (head.receiver, *part));
        for (receiver, amount) in parts.chain(self.bonuses.iter().map(|b| (b.new.receiver, b.paid))) {
            if amount.is_positive() {
                *paid.entry(receiver).or_default() += amount;
            }
        }
        paid
    }

    /// One transfer for each bonus and each part of a waiting one: a person's statement leads to the bonus.
    #[must_use]
    pub fn transfers(&self) -> Vec<Transfer> {
        let order = |key: String, id: BonusId, receiver, amount| {
            let cause = Cause::new(CauseKind::Bonus, id.0);
            Transfer::new(TransferKind::Bonus, key, cause, Orderer::System)
                .settings(self.settings.version)
                .move_usdt(FUND, AccountRef::User(receiver, UserAccount::Bonus), amount)
        };
        let parts = self.parts.iter().map(|(head, part)| {
            let key = format!("bonus:{}:{}", head.id, head.version);
            order(key, head.id, head.receiver, *part)
        });
        let fresh = self.bonuses.iter().filter(|b| b.paid.is_positive()).map(|b| {
            order(format!("bonus:{}", b.id), b.id, b.new.receiver, b.paid).business_day(b.new.business_day)
        });
        parts.chain(fresh).collect()
    }

    /// Opens reviews and writes the rows, the ceilings and the fund's mark; the ids of all bonuses that changed. The money is the caller's:
    /// [`Booking::transfers`] or, for many, [`Booking::paid`] by another way into the books, in the same transaction. Bonuses on matched
    /// points need the `walk` down the tree of the closing that books them.
    ///
    /// # Errors
    /// Whatever the database refuses.
    pub async fn write(&mut self, tx: &mut Tx, walk: Option<&Walk>) -> Result<Vec<BonusId>, Error> {
        let now = tx.now();
        let held_for = reviews::open(tx, &mut self.bonuses, walk).await?;
        if !self.parts.is_empty() {
            let parts: Vec<(BonusId, Usdt)> =
                self.parts.iter().map(|(head, part)| (head.id, *part)).collect();
            store::pay(tx.conn(), &parts, now).await?;
        }
        if !self.dropped.is_empty() {
            let dropped: Vec<(BonusId, Usdt, Usdt)> = self
                .dropped
                .iter()
                .map(|head| (head.id, head.waiting, Usdt::ZERO))
                .collect();
            store::take_back(tx.conn(), &dropped).await?;
        }
        if !self.bonuses.is_empty() {
            store::insert(tx.conn(), &self.bonuses, now).await?;
        }
        reviews::keep(tx, &held_for).await?;
        if !self.used.is_empty() {
            store::use_ceilings(tx.conn(), &self.used).await?;
        }
        if self.fund.waiting != self.before.waiting {
            store::save_fund(tx.conn(), self.fund.waiting).await?;
        }
        let changed = self
            .parts
            .iter()
            .map(|(head, _)| head.id)
            .chain(self.dropped.iter().map(|head| head.id));
        Ok(changed.chain(self.bonuses.iter().map(|b| b.id)).collect())
    }

    /// The fresh ones.
    #[must_use]
    pub fn bonuses(&self) -> &[Bonus] {
        &self.bonuses
    }

    /// Whether the queue's head can still be paid.
    #[must_use]
    pub fn pays_more(&self) -> bool {
        self.fund.waiting.is_positive() && self.fund.balance.is_positive()
    }
}
