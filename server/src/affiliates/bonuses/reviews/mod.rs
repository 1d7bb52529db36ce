//! Bonuses between two accounts that share a device, a document or a payer: booked, and locked until a person has looked.
//!
//! The look is a case in the queue of compliance, decided there; what follows is done by a job of the decision's transaction.

mod below;
mod store;

use super::{
    service,
    store::{lock_fund, of_review},
    take_back::{self, Back, Rest},
};
use crate::{
    affiliates::{closing::tree::Walk, model::Bonus},
    approvals::compliance::{self, Flow, Movement, Reason, service as cases},
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
        transaction::Tx,
    },
};
use protocol::{
    ids::{BonusId, CaseId, UserId},
    money::Usdt,
    views::BonusKind,
};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use uuid::Uuid;

/// The job that acts on a decided case.
pub use crate::approvals::compliance::service::BONUS_DECIDED as DECIDED;

/// For more sellers than these a bonus is held by what they have in common, not by each of them.
const FEW: usize = 20;

/// A receiver, and whose sales or gains pay it.
type Pair = (UserId, UserId);

/// The review that takes in what arises between a pair, its case, and what the two are about.
#[derive(Clone, Debug)]
struct Open {
    review: Uuid,
    case: CaseId,
    reasons: Vec<Reason>,
}

/// What came before of a pair.
#[derive(Debug, Default)]
pub(super) struct Before {
    open: Option<Open>,
    /// All that the two were ever cleared of.
    cleared: BTreeSet<String>,
}

/// Somebody below a receiver of matched points who belongs to it and had sold what stood when the day ended: by what, and nobody has cleared the
/// two of that.
#[derive(Clone, Debug)]
pub struct RelatedSeller {
    id: UserId,
    reasons: Vec<Reason>,
    /// The open look of the two is about more than what relates them now.
    more: bool,
}

/// For whom bonuses on matched points are held: each by itself; or, where they are many, those of a group to whom the walk comes between two moments,
/// and by themselves only those of whom an open look says more. Bonus by bonus the sellers of a ring of accounts below one another are its square.
#[derive(Debug, Default)]
pub struct HeldFor {
    sellers: Vec<(BonusId, RelatedSeller)>,
    groups: Vec<below::Group>,
    below: Vec<Below>,
}

/// Those of a group who stand below a bonus's receiver.
#[derive(Clone, Copy, Debug)]
struct Below {
    bonus: BonusId,
    group: Uuid,
    after: u32,
    through: u32,
}

impl HeldFor {
    /// A bonus is held for these, who share something with its receiver: more than [`FEW`].
    fn many(&mut self, bonus: BonusId, receiver: UserId, sellers: &[RelatedSeller], groups: &[below::Group]) {
        let told = sellers.iter().filter(|seller| seller.more);
        self.sellers.extend(told.map(|seller| (bonus, seller.clone())));
        self.below.extend(groups.iter().filter_map(|group| {
            let (after, through) = group.below(receiver)?;
            Some(Below {
                bonus,
                group: group.id,
                after,
                through,
            })
        }));
    }
}

/// A bonus on matched points whose look has ended, what is left of it, and those for whom it is held too.
pub(super) struct MatchedBonus {
    id: BonusId,
    receiver: UserId,
    left: Usdt,
    sellers: Vec<RelatedSeller>,
}

/// Gives each bonus between two who belong together its review: the open one of the pair, or a fresh one with a case in the queue of
/// compliance. A pair that was cleared of all that relates it now is not looked at again. A bonus on matched points has no one source: it
/// is looked at for each seller below its receiver who belongs to the receiver, one after the other, and needs the closing's walk down the tree.
/// Who they are is told: [`keep`] them once the bonuses are written.
///
/// # Errors
/// Whatever the database refuses.
pub async fn open(tx: &mut Tx, bonuses: &mut [Bonus], walk: Option<&Walk>) -> Result<HeldFor, Error> {
    of_sources(tx, bonuses).await?;
    of_matches(tx, bonuses, walk).await
}

/// Keeps for whom bonuses are held: who belongs to whom changes, and nobody is cleared by that.
///
/// # Errors
/// Whatever the database refuses.
pub async fn keep(tx: &mut Tx, held: &HeldFor) -> Result<(), Error> {
    if !held.sellers.is_empty() {
        store::keep(tx.conn(), &held.sellers).await?;
    }
    if !held.below.is_empty() {
        store::keep_groups(tx.conn(), &held.groups).await?;
        store::keep_below(tx.conn(), &held.below).await?;
    }
    Ok(())
}

async fn of_sources(tx: &mut Tx, bonuses: &mut [Bonus]) -> Result<(), Error> {
    let mut sums: BTreeMap<Pair, Usdt> = BTreeMap::new();
    for bonus in bonuses.iter().filter(|b| b.earned().is_positive()) {
        if let Some(source) = bonus.new.source {
            *sums.entry((bonus.new.receiver, source)).or_default() += bonus.earned();
        }
    }
    if sums.is_empty() {
        return Ok(());
    }
    let pairs: Vec<Pair> = sums.keys().copied().collect();
    let related = compliance::related_among(tx, &pairs).await?;
    if related.is_empty() {
        return Ok(());
    }
    let pairs: Vec<Pair> = related.keys().copied().collect();
    let mut before = store::before(tx.conn(), &pairs).await?;
    let mut reviews: BTreeMap<Pair, Uuid> = BTreeMap::new();
    for (pair, reasons) in related {
        let value = sums.get(&pair).copied().unwrap_or_default();
        if let Some(review) = of_pair(tx, &mut before, pair, &reasons, value).await? {
            reviews.insert(pair, review);
        }
    }
    for bonus in bonuses.iter_mut().filter(|b| b.earned().is_positive()) {
        if let Some(source) = bonus.new.source {
            bonus.review = reviews.get(&(bonus.new.receiver, source)).copied();
        }
    }
    Ok(())
}

async fn of_matches(tx: &mut Tx, bonuses: &mut [Bonus], walk: Option<&Walk>) -> Result<HeldFor, Error> {
    let mut held = HeldFor::default();
    let matched: Vec<&mut Bonus> = bonuses
        .iter_mut()
        .filter(|b| b.new.kind == BonusKind::Binary && b.earned().is_positive())
        .collect();
    // All of one closing.
    let Some(day) = matched.first().map(|bonus| bonus.new.business_day) else {
        return Ok(held);
    };
    let walk = walk.ok_or_else(|| Error::internal("matched points are booked by a closing"))?;
    let receivers: Vec<UserId> = matched.iter().map(|b| b.new.receiver).collect();
    let since = compliance::devices_since(tx);
    let shared = store::sharers(tx.conn(), &receivers, since, day).await?;
    let related = below::related(&shared, walk);
    if related.is_empty() {
        return Ok(held);
    }
    let pairs: Vec<Pair> = related.keys().copied().collect();
    let mut before = store::before(tx.conn(), &pairs).await?;
    let related = still_to_be_seen(related, &before);
    let mut groups: Option<Vec<below::Group>> = None;
    for bonus in matched {
        let receiver = bonus.new.receiver;
        let Some(sellers) = related.get(&receiver) else {
            continue;
        };
        bonus.review = first_of(tx, &mut before, receiver, sellers, bonus.earned()).await?;
        if bonus.review.is_none() {
            continue;
        }
        if sellers.len() <= FEW {
            let each = sellers.iter().map(|seller| (bonus.id, seller.clone()));
            held.sellers.extend(each);
        } else {
            let groups = groups.get_or_insert_with(|| below::groups(&shared, walk));
            held.many(bonus.id, receiver, sellers, groups);
        }
    }
    let named: HashSet<Uuid> = held.below.iter().map(|below| below.group).collect();
    held.groups = groups.unwrap_or_default();
    held.groups.retain(|group| named.contains(&group.id));
    Ok(held)
}

/// Of each receiver those whom nobody has cleared of all that relates the two: by what is so now, and by what the open review of the two is about.
fn still_to_be_seen(
    related: BTreeMap<Pair, Vec<Reason>>,
    before: &BTreeMap<Pair, Before>,
) -> BTreeMap<UserId, Vec<RelatedSeller>> {
    let mut sellers: BTreeMap<UserId, Vec<RelatedSeller>> = BTreeMap::new();
    for (pair, mut reasons) in related {
        let now = reasons.len();
        if let Some(before) = before.get(&pair) {
            let open = before.open.as_ref().map(|open| open.reasons.as_slice());
            for reason in open.unwrap_or_default() {
                if !reasons.contains(reason) {
                    reasons.push(*reason);
                }
            }
            if reasons
                .iter()
                .all(|reason| before.cleared.contains(reason.as_str()))
            {
                continue;
            }
        }
        let (receiver, id) = pair;
        let more = reasons.len() > now;
        sellers
            .entry(receiver)
            .or_default()
            .push(RelatedSeller { id, reasons, more });
    }
    sellers
}

/// The review of the first of these sellers whom nobody has cleared.
async fn first_of(
    tx: &mut Tx,
    before: &mut BTreeMap<Pair, Before>,
    receiver: UserId,
    sellers: &[RelatedSeller],
    value: Usdt,
) -> Result<Option<Uuid>, Error> {
    for seller in sellers {
        let pair = (receiver, seller.id);
        if let Some(review) = of_pair(tx, before, pair, &seller.reasons, value).await? {
            return Ok(Some(review));
        }
    }
    Ok(None)
}

/// Frees the bonuses of a review that was cleared, but for those on matched points that are held for somebody else too, whom nobody has cleared.
async fn set_free(tx: &mut Tx, review: Uuid) -> Result<(), Error> {
    let bonuses = store::held_for_others(tx.conn(), review).await?;
    if !bonuses.is_empty() {
        let pairs: BTreeSet<Pair> = bonuses
            .iter()
            .flat_map(|bonus| bonus.sellers.iter().map(|seller| (bonus.receiver, seller.id)))
            .collect();
        let pairs: Vec<Pair> = pairs.into_iter().collect();
        let mut before = store::before(tx.conn(), &pairs).await?;
        for bonus in bonuses {
            let next = first_of(tx, &mut before, bonus.receiver, &bonus.sellers, bonus.left).await?;
            if let Some(next) = next {
                store::look_again(tx.conn(), bonus.id, next).await?;
            }
        }
    }
    store::set_free(tx.conn(), review).await
}

async fn of_pair(
    tx: &mut Tx,
    before: &mut BTreeMap<Pair, Before>,
    pair: Pair,
    reasons: &[Reason],
    value: Usdt,
) -> Result<Option<Uuid>, Error> {
    let now = tx.now();
    let before = before.entry(pair).or_default();
    if let Some(mut open) = before.open.take() {
        // Whoever lets go what it holds decides on all of it, and for every reason.
        if compliance::raise(tx, open.case, value, reasons).await? {
            let review = open.review;
            add_reasons(tx, &mut open, reasons).await?;
            before.open = Some(open);
            return Ok(Some(review));
        }
        // Somebody has decided without having seen this; what follows of it has still to be done, and the decision counts from now on.
        store::close(tx.conn(), open.review, now).await?;
        before.cleared = store::cleared(tx.conn(), pair).await?;
    }
    let words = cases::words(reasons);
    if words.iter().all(|word| before.cleared.contains(word)) {
        return Ok(None);
    }
    let (receiver, source) = pair;
    let movement = Movement {
        user: receiver,
        flow: Flow::Bonus,
        usdt: value,
        counterparty: Some(source),
        payer: None,
    };
    let case = compliance::open(tx, &movement, reasons).await?;
    let id = Uuid::now_v7();
    store::insert(tx.conn(), id, pair, &words, case, now).await?;
    before.open = Some(Open {
        review: id,
        case,
        reasons: reasons.to_vec(),
    });
    Ok(Some(id))
}

/// An open review is about these too: so are the bonuses that wait for it, and their receiver hears of it.
async fn add_reasons(tx: &mut Tx, open: &mut Open, reasons: &[Reason]) -> Result<(), Error> {
    let more: Vec<Reason> = reasons
        .iter()
        .copied()
        .filter(|reason| !open.reasons.contains(reason))
        .collect();
    if more.is_empty() {
        return Ok(());
    }
    let waiting = store::add_reasons(tx.conn(), open.review, &cases::words(&more)).await?;
    open.reasons.extend(more);
    service::tell(tx, &waiting).await
}

/// Acts on the decision of a case: cleared, the bonuses are free; refused, what waits of them is dropped and what lies in `bonus` goes back
/// to the fund.
///
/// # Errors
/// Whatever the ledger refuses; the job comes back.
pub async fn decided(context: &Context, job: &Claimed) -> Result<(), Error> {
    let case: CaseId = serde_json::from_value(job.payload.clone())?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    lock_fund(tx.conn()).await?;
    if let Some(review) = store::lock_of_case(tx.conn(), case).await?
        && let Some(decision) = cases::decision(&mut tx, case).await?
    {
        let bonuses = of_review(tx.conn(), review).await?;
        store::decide(tx.conn(), review, &decision, now).await?;
        if decision.cleared {
            set_free(&mut tx, review).await?;
            let ids: Vec<BonusId> = bonuses.iter().map(|b| b.id).collect();
            service::tell(&mut tx, &ids).await?;
        } else {
            let back: Vec<Back> = bonuses
                .into_iter()
                .map(|bonus| Back {
                    amount: bonus.earned(),
                    bonus,
                })
                .collect();
            take_back::take(context, &mut tx, &case.to_string(), &back, Rest::Stays).await?;
        }
        // The fund may hold more now, or the queue less.
        service::wake(&mut tx, review)?;
    }
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}
