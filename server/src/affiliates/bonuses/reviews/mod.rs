//! Bonuses between two accounts that share a device, a document or a payer: booked, and locked until a person has looked.
//!
//! The look is a case in the queue of compliance, decided there; what follows is done by a job of the decision's transaction.

mod store;

use super::{
    service,
    store::{lock_fund, of_review},
    take_back::{self, Back, Rest},
};
use crate::{
    affiliates::model::Bonus,
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
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// The job that acts on a decided case.
pub use crate::approvals::compliance::service::BONUS_DECIDED as DECIDED;

/// Gives each bonus between two who belong together its review: the open one of the pair, or a fresh one with a case in the queue of
/// compliance. A pair that was cleared of all that relates it now is not looked at again. A bonus on matched points has no one source: it
/// is looked at for each seller below its receiver who belongs to the receiver, one after the other.
///
/// # Errors
/// Whatever the database refuses.
pub async fn open(tx: &mut Tx, bonuses: &mut [Bonus]) -> Result<(), Error> {
    of_sources(tx, bonuses).await?;
    of_matches(tx, bonuses).await
}

async fn of_sources(tx: &mut Tx, bonuses: &mut [Bonus]) -> Result<(), Error> {
    let mut sums: BTreeMap<(UserId, UserId), Usdt> = BTreeMap::new();
    for bonus in bonuses.iter().filter(|b| b.earned().is_positive()) {
        if let Some(source) = bonus.new.source {
            *sums.entry((bonus.new.receiver, source)).or_default() += bonus.earned();
        }
    }
    if sums.is_empty() {
        return Ok(());
    }
    let pairs: Vec<(UserId, UserId)> = sums.keys().copied().collect();
    let related = compliance::related_among(tx, &pairs).await?;
    let mut reviews: BTreeMap<(UserId, UserId), Uuid> = BTreeMap::new();
    for (pair, reasons) in related {
        if let Some(review) =
            of_pair(tx, pair, &reasons, sums.get(&pair).copied().unwrap_or_default()).await?
        {
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

async fn of_matches(tx: &mut Tx, bonuses: &mut [Bonus]) -> Result<(), Error> {
    let mut matched: Vec<&mut Bonus> = bonuses
        .iter_mut()
        .filter(|b| b.new.kind == BonusKind::Binary && b.earned().is_positive())
        .collect();
    let receivers: Vec<UserId> = matched.iter().map(|b| b.new.receiver).collect();
    let sellers = related_sellers(tx, &receivers).await?;
    for bonus in &mut matched {
        if let Some(sellers) = sellers.get(&bonus.new.receiver) {
            bonus.review = first_of(tx, bonus.new.receiver, sellers, bonus.earned()).await?;
        }
    }
    Ok(())
}

/// Of each of these receivers those who belong to it, stand below it and have sold something that stands, and what relates them.
async fn related_sellers(
    tx: &mut Tx,
    receivers: &[UserId],
) -> Result<BTreeMap<UserId, Vec<(UserId, Vec<Reason>)>>, Error> {
    let mut sellers: BTreeMap<UserId, Vec<(UserId, Vec<Reason>)>> = BTreeMap::new();
    if receivers.is_empty() {
        return Ok(sellers);
    }
    let mut related = compliance::relatives(tx, receivers).await?;
    if related.is_empty() {
        return Ok(sellers);
    }
    let pairs: Vec<(UserId, UserId)> = related.keys().copied().collect();
    let below: BTreeSet<(UserId, UserId)> = store::sellers_below(tx.conn(), &pairs)
        .await?
        .into_iter()
        .collect();
    related.retain(|pair, _| below.contains(pair));
    for ((receiver, seller), reasons) in related {
        sellers.entry(receiver).or_default().push((seller, reasons));
    }
    Ok(sellers)
}

/// The review of the first of these sellers whom nobody has cleared.
async fn first_of(
    tx: &mut Tx,
    receiver: UserId,
    sellers: &[(UserId, Vec<Reason>)],
    value: Usdt,
) -> Result<Option<Uuid>, Error> {
    for (seller, reasons) in sellers {
        if let Some(review) = of_pair(tx, (receiver, *seller), reasons, value).await? {
            return Ok(Some(review));
        }
    }
    Ok(None)
}

/// Frees the bonuses of a review that was cleared, but for those on matched points that stay for the next seller who belongs to their receiver.
async fn set_free(tx: &mut Tx, review: Uuid) -> Result<(), Error> {
    let held = store::matched_of(tx.conn(), review).await?;
    // A review has one receiver.
    if let Some(receiver) = held.first().map(|h| h.receiver) {
        let sellers = related_sellers(tx, &[receiver]).await?;
        let sellers = sellers.get(&receiver).map(Vec::as_slice).unwrap_or_default();
        let value: Usdt = held.iter().map(|h| h.standing).sum();
        if let Some(next) = first_of(tx, receiver, sellers, value).await? {
            for one in held {
                store::look_again(tx.conn(), one.id, next).await?;
            }
        }
    }
    store::set_free(tx.conn(), review).await
}

async fn of_pair(
    tx: &mut Tx,
    (receiver, source): (UserId, UserId),
    reasons: &[Reason],
    value: Usdt,
) -> Result<Option<Uuid>, Error> {
    let words: BTreeSet<String> = reasons.iter().map(|r| r.as_str().to_owned()).collect();
    if let Some((open, case)) = store::open_of(tx.conn(), receiver, source).await? {
        // Whoever lets go what it holds decides on all of it.
        compliance::raise(tx, case, value).await?;
        return Ok(Some(open));
    }
    let cleared: BTreeSet<String> = store::cleared(tx.conn(), receiver, source)
        .await?
        .into_iter()
        .collect();
    if words.is_subset(&cleared) {
        return Ok(None);
    }
    let movement = Movement {
        user: receiver,
        flow: Flow::Bonus,
        usdt: value,
        counterparty: Some(source),
        payer: None,
    };
    let case = compliance::open(tx, &movement, reasons).await?;
    let (id, now) = (Uuid::now_v7(), tx.now());
    let words: Vec<String> = words.into_iter().collect();
    store::insert(tx.conn(), id, receiver, source, &words, case.0, now).await?;
    Ok(Some(id))
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
