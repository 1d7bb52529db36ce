//! Works causes off: one after another, by one worker at a time, a few in each transaction.

use super::{
    booking, direct_sale,
    facts::{Fact, Upline},
    indirect_sale, level_one, levels, service, store,
};
use crate::{
    affiliates::model::NewBonus,
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
        settings::Settings,
        transaction::Tx,
    },
    identity::service::HOUSE,
    ledger::service as ledger,
};
use protocol::{ids::UserId, views::BonusCause};
use std::collections::{BTreeSet, HashMap};
use uuid::Uuid;

/// A job of this kind works off what is there, and pays the queue as the fund fills.
pub const WORK: &str = "affiliates.bonuses";

/// The farthest level of any bonus.
const STEPS: i16 = 10;
/// Causes of one transaction.
const CAUSES: i64 = 16;
/// Waiting bonuses that one transaction pays.
const QUEUE: i64 = 200;

/// Works off all that is there.
///
/// # Errors
/// Whatever the ledger refuses; the job comes back.
pub async fn job(context: &Context, job: &Claimed) -> Result<(), Error> {
    work_off(context).await?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}

/// Works off every cause that was committed before, and pays the queue as far as the fund goes.
///
/// # Errors
/// Whatever the ledger refuses; what was worked off before stays so.
pub async fn work_off(context: &Context) -> Result<(), Error> {
    while round(context).await? {}
    Ok(())
}

/// One transaction of it; whether there is more.
async fn round(context: &Context) -> Result<bool, Error> {
    let mut tx = context.db.begin().await?;
    // Under this lock the causes and the queue stand still.
    store::lock_fund(tx.conn()).await?;
    let mut causes = store::pending(tx.conn(), CAUSES).await?;
    if let Some(first) = causes.first().filter(|c| service::kind(c).is_none()).cloned() {
        super::take_back::work(context, &mut tx, &first).await?;
        tx.commit().await?;
        return Ok(true);
    }
    let here = causes.iter().take_while(|c| service::kind(c).is_some()).count();
    let more = causes.len() > here || i64::try_from(causes.len()).unwrap_or(0) == CAUSES;
    causes.truncate(here);
    let queue = store::queue(tx.conn(), QUEUE).await?;
    let full = i64::try_from(queue.len()).unwrap_or(0) == QUEUE;
    if causes.is_empty() && queue.is_empty() {
        return Ok(false);
    }
    let settings = context.settings.within(&mut tx).await?;
    let new = drafts(&mut tx, &causes, &settings.settings).await?;
    let mut receivers: BTreeSet<UserId> = new.iter().map(|b| b.receiver).collect();
    receivers.extend(queue.iter().map(|head| head.receiver));
    let mut booking = booking::open(context, &mut tx, &receivers).await?;
    booking.pay_queue(queue);
    let known = store::known(tx.conn(), &causes.iter().map(|c| c.id).collect::<Vec<Uuid>>()).await?;
    for bonus in new.into_iter().filter(|b| !known.contains(&store::key(b))) {
        booking.add(bonus);
    }
    let transfers = booking.transfers();
    if !transfers.is_empty() {
        ledger::post_many(&mut tx, transfers).await?;
    }
    let changed = booking.write(&mut tx, None).await?;
    service::tell(&mut tx, &changed).await?;
    let now = tx.now();
    let done: Vec<i64> = causes.iter().map(|c| c.seq).collect();
    store::worked_off(tx.conn(), &done, now).await?;
    let more = more || (full && booking.pays_more());
    // Nothing was there to be paid: nothing is to be written.
    if changed.is_empty() && done.is_empty() {
        tx.rollback().await?;
    } else {
        tx.commit().await?;
    }
    Ok(more)
}

/// What the rules say of these causes.
async fn drafts(tx: &mut Tx, causes: &[store::Cause], settings: &Settings) -> Result<Vec<NewBonus>, Error> {
    let sources: Vec<Uuid> = causes.iter().map(|c| c.member.0).collect();
    let mut chains = store::uplines(tx.conn(), &sources, STEPS, HOUSE).await?;
    let above: Vec<Uuid> = chains.values().flatten().map(|u| u.member.0).collect();
    let active = store::active(tx.conn(), &above).await?;
    for upline in chains.values_mut().flatten() {
        upline.active = active.contains(&upline.member);
    }
    Ok(causes
        .iter()
        .filter_map(|cause| Some((service::kind(cause)?, cause)))
        .flat_map(|(kind, cause)| of(kind, cause, &chains, settings))
        .collect())
}

fn of(
    cause_kind: BonusCause,
    cause: &store::Cause,
    chains: &HashMap<UserId, Vec<Upline>>,
    settings: &Settings,
) -> Vec<NewBonus> {
    let Some(chain) = chains.get(&cause.member) else {
        return Vec::new();
    };
    let fact = Fact {
        cause_kind,
        cause: cause.id,
        source: cause.member,
        base: cause.base,
        business_day: cause.business_day,
        young_until: cause.young_until,
    };
    match cause_kind {
        BonusCause::Sale => direct_sale::of(&fact, chain, settings)
            .into_iter()
            .chain(indirect_sale::of(&fact, chain, settings))
            .collect(),
        BonusCause::Allocation => level_one::of(&fact, chain, settings)
            .into_iter()
            .chain(levels::of(&fact, chain, settings))
            .collect(),
        BonusCause::Closing => Vec::new(),
    }
}
