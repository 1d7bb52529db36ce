//! Takes a credit back whose money is spent: first what is at hand (`available`, `bonus`, yields, lots that are not allocated;
//! sponsored lots stay), then what lies in rooms beside this one ([`Beside`]: principal of pools), then licences bought since, newest
//! first and as far as needed; the rest is owed.
//!
//! Everything is planned under the locks of the owner's licences and booked in one go, so that accounts are locked in the
//! ledger's own order. Whoever else may still send the user's money out has cancelled that before.

use super::{
    loans::{self, network_base},
    model::{Licence, Origin},
    money::{self, account, copy_balances},
    rules,
    service::shown,
    store,
};
use crate::{
    affiliates::{
        self,
        bonuses::service::{self as bonuses, Undone},
    },
    error::Error,
    foundation::{context::Context, settings::InForce, subjects, transaction::Tx},
    identity::closing,
    ledger::{
        model::{
            AccountRef, Cause, HouseAccount, Leg, LicenceAccount, Orderer, Transfer, TransferKind,
            UserAccount,
        },
        service as ledger,
    },
};
use futures_util::future::BoxFuture;
use protocol::{
    LiveEvent, StreamId,
    ids::{LicenceId, LotId, UserId},
    money::Usdt,
    views::LicenceState,
};
use std::{cmp::Reverse, sync::Arc};
use time::OffsetDateTime;
use uuid::Uuid;

/// A credit that has to go back.
#[derive(Clone, Debug)]
pub struct ClawBack {
    pub user: UserId,
    pub amount: Usdt,
    /// When it was credited: licences bought since were bought with it.
    pub since: OffsetDateTime,
    /// Where the amount goes.
    pub to: AccountRef,
    /// Who bears what sales and funds no longer hold.
    pub losses: HouseAccount,
    /// What the transfers are keyed by; once for each credit.
    pub key: String,
    pub cause: Cause,
    pub orderer: Orderer,
    /// Moves in other currencies that belong to it; they sum to zero.
    pub beside: Vec<Leg>,
}

/// A room whose rows hold money that a reversed credit takes too. Siblings do not know each other: it joins in at the start.
pub trait Beside: Send + Sync + 'static {
    /// Keeps a person's rows as they are until the change ends: nothing goes from there to `available` meanwhile.
    fn lock<'a>(&'a self, tx: &'a mut Tx, owner: UserId) -> BoxFuture<'a, Result<(), Error>>;

    /// Takes up to `most` of a person's out of the room's rows; from which accounts, to be booked in the same change.
    fn take<'a>(
        &'a self,
        tx: &'a mut Tx,
        owner: UserId,
        most: Usdt,
    ) -> BoxFuture<'a, Result<Vec<(AccountRef, Usdt)>, Error>>;
}

/// All of them. Part of the context.
#[derive(Clone, Default)]
pub struct Besides(pub Vec<Arc<dyn Beside>>);

/// Sources of one transfer, well below the ledger's limit of legs.
const SOURCES: usize = 40;

/// Amounts by where they are taken from.
struct Plan {
    missing: Usdt,
    sources: Vec<(AccountRef, Usdt)>,
    /// What a reversed sale gives back beyond what is missing.
    refunds: Vec<(LicenceId, AccountRef, Usdt)>,
    /// Of the sources, lots.
    capital: Usdt,
}

impl Plan {
    /// Takes what is still missing, `most` of it; how much that was.
    fn take(&mut self, from: AccountRef, most: Usdt) -> Usdt {
        let part = most.min(self.missing).max(Usdt::ZERO);
        if part.is_positive() {
            self.missing -= part;
            self.sources.push((from, part));
        }
        part
    }

    /// Takes what is missing and gives the rest of `whole` back.
    fn undo(&mut self, licence: LicenceId, from: AccountRef, whole: Usdt) {
        let rest = whole - self.take(from, whole);
        if rest.is_positive() {
            self.refunds.push((licence, from, rest));
        }
    }
}

/// Takes the amount back, whole: what nobody has any more becomes the user's `debt`. Returns that part.
///
/// # Errors
/// `balance.insufficient` when money moved away between plan and booking: nothing may be committed then, trying again is right.
pub async fn claw_back(context: &Context, tx: &mut Tx, order: ClawBack) -> Result<Usdt, Error> {
    let settings = context.settings.within(tx).await?;
    let closed = closing::is_closed_within(tx, order.user).await?;
    let owner = Some(order.user.0);
    let ids: Vec<Uuid> = store::list(tx.conn(), owner, None)
        .await?
        .iter()
        .map(|l| l.id.0)
        .collect();
    let mut licences = store::lock(tx.conn(), owner, &ids).await?;
    licences.sort_by_key(|l| l.number);
    let beside = context.part::<Besides>().map_or(&[][..], |all| &all.0);
    for room in beside {
        room.lock(tx, order.user).await?;
    }
    let own = |which| AccountRef::User(order.user, which);
    // What sales give back beyond what is missing; nothing is booked to who has left.
    let rest_to = if closed {
        AccountRef::House(HouseAccount::LeftBehind)
    } else {
        own(UserAccount::Available)
    };
    let mut plan = Plan {
        missing: order.amount,
        sources: Vec::new(),
        refunds: Vec::new(),
        capital: Usdt::ZERO,
    };
    let undone = Undone {
        member: order.user,
        since: order.since,
        losses: order.losses,
    };
    for held in ledger::balances(tx.conn(), order.user).await? {
        let which = UserAccount::from(held.account);
        if matches!(which, UserAccount::Available | UserAccount::Bonus) {
            plan.take(own(which), held.balance);
        }
    }
    for licence in &licences {
        plan.take(account(licence.id, LicenceAccount::Yield), licence.yield_balance);
    }
    let mut changed = Vec::new();
    for licence in &mut licences {
        let topup = licence.topup;
        take_lots(tx, &mut plan, licence, topup).await?;
    }
    for room in beside {
        if plan.missing.is_positive() {
            for (account, part) in room.take(tx, order.user, plan.missing).await? {
                plan.take(account, part);
            }
        }
    }
    let mut funds = Funds::read(tx).await?;
    let mut newest: Vec<&mut Licence> = licences
        .iter_mut()
        .filter(|l| {
            let ended = matches!(l.state, LicenceState::Cancelled | LicenceState::Reversed);
            l.paid_at >= order.since && !l.sponsored && !ended
        })
        .collect();
    newest.sort_by_key(|l| Reverse((l.paid_at, l.number)));
    for licence in newest {
        if plan.missing.is_zero() {
            break;
        }
        reverse(context, tx, &settings, &mut plan, &mut funds, licence, &undone).await?;
        changed.push(licence.id);
    }
    let debt = plan.missing;
    plan.take(own(UserAccount::Debt), debt);
    let capital = plan.capital;
    let touched: Vec<AccountRef> = plan.sources.iter().map(|(from, _)| *from).collect();
    for posted in ledger::post_many(tx, transfers(&order, plan, rest_to, &settings)).await? {
        copy_balances(&mut licences, &posted)?;
    }
    licences.retain(|l| {
        let moved = [LicenceAccount::Yield, LicenceAccount::Topup]
            .iter()
            .any(|which| touched.contains(&account(l.id, *which)));
        moved || changed.contains(&l.id)
    });
    // With less capital a loan may no longer be backed, and the maximum return may be reached.
    for licence in &mut licences {
        loans::call_if_unbacked(tx, licence, &settings).await?;
        money::end_if_reached(context, tx, licence, &settings).await?;
    }
    tell(context, tx, &settings, licences).await?;
    if capital.is_positive() {
        let peak = bonuses::peak(tx, order.user).await?;
        let base = network_base(tx, order.user).await?;
        bonuses::capital_undone(tx, peak, capital, &undone, base).await?;
    }
    Ok(debt)
}

/// Takes lots that are not allocated, oldest first; sponsored ones stay.
async fn take_lots(
    tx: &mut Tx,
    plan: &mut Plan,
    licence: &mut Licence,
    unallocated: Usdt,
) -> Result<(), Error> {
    if plan.missing.is_zero() || !unallocated.is_positive() {
        return Ok(());
    }
    let mut lots = store::lots(tx.conn(), &[licence.id.0]).await?;
    lots.retain(|lot| lot.origin != Origin::Sponsored);
    let held: Usdt = lots.iter().map(|lot| lot.amount).sum();
    let part = plan.take(account(licence.id, LicenceAccount::Topup), unallocated.min(held));
    let mut left = part;
    let mut lower: Vec<(LotId, Usdt)> = Vec::new();
    for lot in lots {
        let taken = lot.amount.min(left);
        if taken.is_positive() {
            left -= taken;
            lower.push((lot.id, taken));
        }
    }
    licence.capital -= part;
    plan.capital += part;
    store::lower_lots(tx.conn(), &lower).await
}

/// What the funds still hold while sales are undone one after the other.
struct Funds {
    network: Usdt,
    graduation: Usdt,
    sales: Usdt,
}

impl Funds {
    async fn read(tx: &mut Tx) -> Result<Self, Error> {
        let mut of = [Usdt::ZERO; 3];
        let accounts = [
            HouseAccount::NetworkFund,
            HouseAccount::GraduationFund,
            HouseAccount::LicenceSales,
        ];
        for (balance, which) in of.iter_mut().zip(accounts) {
            *balance = ledger::usdt_balance(tx.conn(), AccountRef::House(which))
                .await?
                .max(Usdt::ZERO);
        }
        let [network, graduation, sales] = of;
        Ok(Self {
            network,
            graduation,
            sales,
        })
    }
}

/// Undoes a sale: from `price` while it is not final; else from the sale's share, then from the funds as far as they hold, and
/// of what is missing then the house bears its part. What a sale gives back beyond that is the user's again, or left to the house where
/// they have closed their account; losses pay no such thing. The licence's own capital is free, and taken as far as needed.
async fn reverse(
    context: &Context,
    tx: &mut Tx,
    settings: &InForce,
    plan: &mut Plan,
    funds: &mut Funds,
    licence: &mut Licence,
    undone: &Undone,
) -> Result<(), Error> {
    if licence.final_at.is_none() {
        plan.undo(
            licence.id,
            account(licence.id, LicenceAccount::Price),
            licence.price,
        );
    } else {
        let (network, graduation, sales) = rules::split_price(
            licence.value,
            settings.settings.network_fund_share,
            settings.settings.graduation_fund_share,
        );
        let mut left = licence.value.min(plan.missing);
        for (which, share, held) in [
            (HouseAccount::LicenceSales, sales, &mut funds.sales),
            (HouseAccount::NetworkFund, network, &mut funds.network),
            (HouseAccount::GraduationFund, graduation, &mut funds.graduation),
        ] {
            let part = share.min(*held);
            *held -= part;
            left -= part.min(left);
            plan.undo(licence.id, AccountRef::House(which), part);
        }
        plan.take(AccountRef::House(undone.losses), left);
        affiliates::service::sale_undone(tx, licence.id, undone).await?;
    }
    licence.state = LicenceState::Reversed;
    affiliates::service::licence_changed(context, tx, &licence.in_network()).await?;
    money::release(tx, licence, settings).await?;
    // What was taken of the top-up before is planned, but not booked yet.
    let planned: Usdt = plan
        .sources
        .iter()
        .filter(|(from, _)| *from == account(licence.id, LicenceAccount::Topup))
        .map(|(_, amount)| *amount)
        .sum();
    let unallocated = licence.topup - planned;
    take_lots(tx, plan, licence, unallocated).await
}

fn transfers(order: &ClawBack, plan: Plan, rest_to: AccountRef, settings: &InForce) -> Vec<Transfer> {
    let transfer =
        |kind, key: String, cause| Transfer::new(kind, key, cause, order.orderer).settings(settings.version);
    let mut all: Vec<Transfer> = plan
        .sources
        .chunks(SOURCES)
        .enumerate()
        .map(|(n, sources)| {
            let key = if n == 0 {
                order.key.clone()
            } else {
                format!("{}:{n}", order.key)
            };
            let sum: Usdt = sources.iter().map(|(_, amount)| *amount).sum();
            let mut part = transfer(TransferKind::ClawBack, key, order.cause);
            if n == 0 {
                part.legs.extend(&order.beside);
            }
            sources
                .iter()
                .fold(part, |part, (from, amount)| part.usdt(*from, -*amount))
                .usdt(order.to, sum)
        })
        .collect();
    all.extend(
        plan.refunds
            .into_iter()
            .enumerate()
            .map(|(n, (licence, from, rest))| {
                let cause = Cause::new(crate::ledger::model::CauseKind::Licence, licence.0);
                transfer(
                    TransferKind::LicenceCancel,
                    format!("{}:refund:{n}", order.key),
                    cause,
                )
                .move_usdt(from, rest_to, rest)
            }),
    );
    all
}

/// Stores changed licences and tells their owner.
async fn tell(
    context: &Context,
    tx: &mut Tx,
    settings: &InForce,
    mut changed: Vec<Licence>,
) -> Result<(), Error> {
    let now = tx.now();
    store::save(tx.conn(), &mut changed, now).await?;
    let views = shown(context, tx, settings, &changed).await?;
    for (licence, view) in changed.iter().zip(views) {
        subjects::upsert(
            tx,
            subjects::Kind::Licence,
            licence.id.0,
            licence.owner,
            licence.value,
            licence.state.as_str(),
        )
        .await?;
        tx.emit(
            StreamId::User(licence.owner),
            LiveEvent::LicenceChanged {
                licence: Box::new(view),
            },
        );
    }
    Ok(())
}
