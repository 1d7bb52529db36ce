//! What the desk may do to licences: reserve, free, settle. The only writer of gains, losses and limits.
//!
//! Many robots at once, a handful of statements: rows are locked together in the order of their ids, the ledger books one
//! transfer for the whole batch, lots and rows are written as sets.

use super::{
    loans,
    model::Licence,
    money,
    rules::{self, Account, Applied},
    service, store,
};
use crate::{
    error::Error,
    foundation::{business_day, context::Context, open_day, transaction::Tx},
    identity::caller::Caller,
    ledger::{
        mass::{After, MassBooking},
        model::{AccountRef, Cause, CauseKind, HouseAccount, LicenceAccount, TransferKind},
        service as ledger,
    },
};
use protocol::{
    ids::{BatchId, LicenceId, OperationId, TransferId, UserId},
    money::Usdt,
    views::{LicenceState, Mode},
};
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

/// Licences whose robots may trade by themselves now.
///
/// # Errors
/// Whatever the database refuses.
pub async fn trading(context: &Context) -> Result<Vec<Licence>, Error> {
    let now = context.now();
    let least = context.settings.current(now).await?.settings.minimum_allocation;
    store::trading(context.db.pool(), business_day::of(now), least).await
}

/// Reserves shares of an automatic operation where licence and owner still allow it, whatever they allowed when the desk looked;
/// returns those that are reserved.
///
/// # Errors
/// Whatever the database refuses.
pub async fn reserve(tx: &mut Tx, shares: &[(LicenceId, Usdt)]) -> Result<Vec<(LicenceId, Usdt)>, Error> {
    reserve_where(tx, shares, |l| !l.manual_key).await
}

/// Like [`reserve`], for an operation that the owner ordered.
///
/// # Errors
/// Whatever the database refuses.
pub async fn reserve_manual(
    tx: &mut Tx,
    shares: &[(LicenceId, Usdt)],
) -> Result<Vec<(LicenceId, Usdt)>, Error> {
    let allowed = |l: &Licence| {
        l.manual_key && !l.manual_revoked && l.topup_at.is_some() && l.limit_left().is_positive()
    };
    reserve_where(tx, shares, allowed).await
}

async fn reserve_where(
    tx: &mut Tx,
    shares: &[(LicenceId, Usdt)],
    allowed: fn(&Licence) -> bool,
) -> Result<Vec<(LicenceId, Usdt)>, Error> {
    let now = tx.now();
    let day = business_day::of(now);
    let ids: Vec<Uuid> = shares.iter().map(|(id, _)| id.0).collect();
    let mut locked = store::lock(tx.conn(), None, &ids).await?;
    let owners: Vec<Uuid> = locked.iter().map(|l| l.owner.0).collect();
    let active = store::active_owners(tx.conn(), &owners).await?;
    let mut accepted = Vec::new();
    let mut places: HashMap<LicenceId, &mut Licence> = locked.iter_mut().map(|l| (l.id, l)).collect();
    for (id, amount) in shares {
        let Some(licence) = places.get_mut(id) else {
            continue;
        };
        let trades = licence.state == LicenceState::Active
            && !licence.paused
            && allowed(licence)
            && licence.goal_day != Some(day)
            && active.contains(&licence.owner.0);
        if trades && amount.is_positive() && *amount <= licence.allocated - licence.reserved {
            licence.reserved += *amount;
            accepted.push((*id, *amount));
        }
    }
    let served: HashSet<LicenceId> = accepted.iter().map(|(id, _)| *id).collect();
    let reserved: Vec<(LicenceId, Usdt)> = locked
        .iter()
        .filter(|l| served.contains(&l.id))
        .map(|l| (l.id, l.reserved))
        .collect();
    if !reserved.is_empty() {
        store::save_reserved(tx.conn(), &reserved, now).await?;
    }
    Ok(accepted)
}

/// Locks licences until the change ends, in the order in which all do.
///
/// # Errors
/// Whatever the database refuses.
pub async fn hold(tx: &mut Tx, ids: &[LicenceId]) -> Result<(), Error> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    store::lock(tx.conn(), None, &ids).await?;
    Ok(())
}

/// One's own licence, locked until the change ends.
///
/// # Errors
/// `licence.unknown` for one that is not.
pub async fn hold_own(tx: &mut Tx, caller: &Caller, id: LicenceId) -> Result<Licence, Error> {
    service::lock(tx, caller, &[id])
        .await?
        .pop()
        .ok_or_else(service::unknown)
}

/// Pauses robots that went by another's word and shall not go on without their owner's; only the owner resumes them. Those that
/// are paused now and were not, as they are then.
///
/// # Errors
/// Whatever the database refuses.
pub async fn rest(context: &Context, tx: &mut Tx, ids: &[LicenceId]) -> Result<Vec<Licence>, Error> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let settings = context.settings.within(tx).await?;
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let mut resting = store::lock(tx.conn(), None, &ids).await?;
    resting.retain(|l| l.state == LicenceState::Active && !l.paused);
    for licence in &mut resting {
        licence.paused = true;
    }
    service::tell_all(context, tx, &settings, &mut resting).await?;
    Ok(resting)
}

/// Frees reserved capital that no settlement will: its time or its desk is over.
///
/// # Errors
/// Whatever the database refuses.
pub async fn free_reservations(
    context: &Context,
    tx: &mut Tx,
    freed: &[(LicenceId, Usdt)],
) -> Result<(), Error> {
    if freed.is_empty() {
        return Ok(());
    }
    let now = tx.now();
    let settings = context.settings.within(tx).await?;
    let sums = sum_by_licence(freed);
    let ids: Vec<Uuid> = sums.keys().map(|id| id.0).collect();
    let mut locked = store::lock(tx.conn(), None, &ids).await?;
    for licence in &mut locked {
        let sum = sums.get(&licence.id).copied().unwrap_or_default();
        licence.reserved = (licence.reserved - sum).max(Usdt::ZERO);
        if licence.loan_stopped {
            loans::call_if_unbacked(tx, licence, &settings).await?;
        }
        // A licence that ended while this was in the air gets the rest of its capital back now.
        if ended(licence) {
            money::end_if_reached(context, tx, licence, &settings).await?;
        }
    }
    store::save(tx.conn(), &mut locked, now).await
}

/// Ended, while capital of it may still be in the air.
const fn ended(licence: &Licence) -> bool {
    matches!(
        licence.state,
        LicenceState::CeilingReached | LicenceState::Reversed
    )
}

fn sum_by_licence(amounts: &[(LicenceId, Usdt)]) -> BTreeMap<LicenceId, Usdt> {
    let mut sums: BTreeMap<LicenceId, Usdt> = BTreeMap::new();
    for (id, amount) in amounts {
        *sums.entry(*id).or_default() += *amount;
    }
    sums
}

/// One share's result, in the order of the batch's operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareOutcome {
    pub licence: LicenceId,
    pub operation: OperationId,
    /// As the market made it; after [`settle`] split into what was booked and what was cut.
    pub result: Usdt,
    pub applied: Applied,
}

impl ShareOutcome {
    #[must_use]
    pub fn new(licence: LicenceId, operation: OperationId, result: Usdt) -> Self {
        Self {
            licence,
            operation,
            result,
            applied: Applied::default(),
        }
    }
}

/// A licence after a settlement, with what the batch did to it.
#[derive(Clone, Debug)]
pub struct Settled {
    pub licence: Licence,
    pub gain: Usdt,
    pub loss: Usdt,
}

/// A batch in the books.
#[derive(Clone, Debug, Default)]
pub struct InBooks {
    /// The transfer; none where no result moved anything.
    pub transfer: Option<TransferId>,
    pub robots: Vec<Settled>,
}

#[derive(Default)]
struct Sums {
    gain: Usdt,
    loss: Usdt,
    /// Of the gain, to the loan.
    repaid: Usdt,
    operations: i64,
}

impl Sums {
    /// What the batch does to the licence's accounts; gains and losses are never netted.
    fn legs(&self) -> impl Iterator<Item = (LicenceAccount, Usdt)> {
        let legs = [
            (LicenceAccount::Yield, self.gain - self.repaid),
            (LicenceAccount::Loan, self.repaid),
            (LicenceAccount::Allocated, -self.loss),
        ];
        legs.into_iter().filter(|(_, amount)| !amount.is_zero())
    }
}

/// Which batch a settlement books.
#[derive(Clone, Copy, Debug)]
pub struct InBatch {
    pub id: BatchId,
    pub mode: Mode,
    /// Its place beside those that are booked at the same time.
    pub lane: u8,
}

/// Books a batch: gains to `yield` (half of each to an open loan), losses from `allocated`, one transfer for all licences together;
/// frees what was reserved for it.
/// The caller has made sure that this batch comes once.
///
/// # Errors
/// Whatever the ledger refuses; nothing is booked then.
pub async fn settle(
    context: &Context,
    tx: &mut Tx,
    batch: InBatch,
    shares: &mut [ShareOutcome],
    freed: &[(LicenceId, Usdt)],
) -> Result<InBooks, Error> {
    let now = tx.now();
    let today = business_day::of(now);
    let day = open_day::of(tx).await?;
    let settings = context.settings.within(tx).await?;
    let freed = sum_by_licence(freed);
    let mut ids: Vec<Uuid> = freed
        .keys()
        .map(|id| id.0)
        .chain(shares.iter().map(|s| s.licence.0))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let mut licences = store::lock(tx.conn(), None, &ids).await?;
    let before = licences.clone();
    let mut accounts: HashMap<LicenceId, (Account, Sums)> = HashMap::new();
    for licence in &mut licences {
        licence.reserved =
            (licence.reserved - freed.get(&licence.id).copied().unwrap_or_default()).max(Usdt::ZERO);
        let account = Account {
            // What other operations still hold is not this batch's to lose.
            allocated: (licence.allocated - licence.reserved).max(Usdt::ZERO),
            capital: licence.capital,
            maximum_return_ppm: licence.maximum_return_ppm,
            gains: licence.gains,
            losses: licence.losses,
            debt: licence.debt(),
        };
        accounts.insert(licence.id, (account, Sums::default()));
    }
    for share in shares.iter_mut() {
        let Some((account, sums)) = accounts.get_mut(&share.licence) else {
            return Err(Error::internal("a share of a licence that does not exist"));
        };
        share.applied = account.apply(share.result);
        sums.operations += 1;
        if share.applied.result.is_negative() {
            sums.loss += -share.applied.result;
        } else {
            sums.gain += share.applied.result;
            sums.repaid += share.applied.repaid;
        }
    }
    let mut booking = MassBooking::new(
        TransferKind::Settlement,
        format!("settle:{}", batch.id),
        Cause::new(CauseKind::Batch, batch.id.0),
        HouseAccount::Trading(batch.mode),
    )
    .settings(settings.version)
    .mode(batch.mode)
    .business_day(day)
    // Every change of a licence's money holds its row; the batch's own line has kept a second one out.
    .guarded(batch.lane);
    let mut losses = Vec::new();
    let mut touched = Vec::new();
    for (place, licence) in licences.iter().enumerate() {
        let Some((_, sums)) = accounts.get(&licence.id) else {
            continue;
        };
        if sums.loss.is_positive() {
            losses.push((licence.id, sums.loss));
        }
        for (which, amount) in sums.legs() {
            touched.push((place, which));
            booking.push(AccountRef::Licence(licence.id, which), amount);
        }
    }
    let mut transfer = None;
    if !touched.is_empty() {
        let posted = ledger::post_mass(tx, booking).await?;
        transfer = Some(posted.id);
        for ((place, which), After { balance, .. }) in touched.into_iter().zip(posted.after) {
            if let Some(licence) = licences.get_mut(place) {
                money::copy(licence, which, balance);
            }
        }
    }
    if !losses.is_empty() {
        store::lose_from_lots(tx.conn(), &losses).await?;
    }
    for licence in &mut licences {
        let Some((account, sums)) = accounts.get(&licence.id) else {
            continue;
        };
        licence.gains = account.gains;
        licence.losses = account.losses;
        licence.operations += sums.operations;
        licence.today = licence.today_on(today) + sums.gain - sums.loss;
        licence.today_day = Some(today);
        if licence.goal_day != Some(today)
            && rules::goal_reached(licence.today, licence.goal_ppm, licence.allocated)
        {
            licence.goal_day = Some(today);
        }
        if sums.loss.is_positive() || licence.loan_stopped {
            loans::call_if_unbacked(tx, licence, &settings).await?;
        }
        let over = licence.state == LicenceState::Active && !licence.limit_left().is_positive();
        if over || ended(licence) {
            money::end_if_reached(context, tx, licence, &settings).await?;
        }
    }
    store::save_results(tx.conn(), &before, &mut licences, today, now).await?;
    look_at_bases(tx, &licences, &accounts).await?;
    let settled = licences.into_iter().map(|licence| {
        let sums = accounts
            .remove(&licence.id)
            .map(|(_, sums)| sums)
            .unwrap_or_default();
        Settled {
            licence,
            gain: sums.gain,
            loss: sums.loss,
        }
    });
    Ok(InBooks {
        transfer,
        robots: settled.collect(),
    })
}

/// What gains have repaid of a loan is one's own: N is looked at when they have repaid the last of it, not with each of them, whose bonuses
/// would be fractions of the smallest unit. Owners in the order of their ids: each holds its highest N until the batch is booked.
async fn look_at_bases(
    tx: &mut Tx,
    licences: &[Licence],
    accounts: &HashMap<LicenceId, (Account, Sums)>,
) -> Result<(), Error> {
    let free: BTreeMap<UserId, LicenceId> = licences
        .iter()
        .filter(|l| {
            let repaid = accounts.get(&l.id).map_or(Usdt::ZERO, |(_, sums)| sums.repaid);
            repaid.is_positive() && !l.debt().is_positive()
        })
        .map(|l| (l.owner, l.id))
        .collect();
    for (owner, licence) in free {
        loans::base_changed(tx, owner, licence).await?;
    }
    Ok(())
}
