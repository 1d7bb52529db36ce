//! Points since the last closing, summed for everyone now and then (docs/decisions/0065-days-points-summed.md); those whom each sponsor brought,
//! counted, and what residual bonuses would be paid on, summed, behind what causes them (docs/decisions/0089-sums-of-the-network-are-kept.md).

mod store;

use super::{
    store::{self as trees, SEGMENT, Segment},
    tree::Tree,
};
use crate::{
    affiliates::network,
    error::Error,
    foundation::{
        context::Context,
        database,
        job_queue::{self, Claimed},
        open_day,
        transaction::Tx,
    },
};

/// A job of this kind sums the day's points anew where many have come since.
pub const SUM: &str = "affiliates.day_sums";
/// The most rows of points that a look at somebody's legs adds up by itself, beside those of the last minute.
const MOST: i64 = 500;
/// Rows of `affiliates.touched` of one transaction.
const TOUCHED: i32 = 5_000;
/// A job of this kind brings what robots brought into the sums of those above.
pub const GAINS: &str = "affiliates.day_gains";
/// Owners whose results are summed in one transaction, give or take a settlement.
const OWNERS: i64 = 20_000;

/// Sums where more than [`MOST`] rows have come, and counts whom sponsors brought. A step that fails is done once more: it took nothing away, so that
/// all of it is still found, with what has come since.
///
/// # Errors
/// Whatever the database refuses twice; the job comes back.
pub async fn job(context: &Context, job: &Claimed) -> Result<(), Error> {
    // One that fails keeps the other from nothing.
    let mut summed = sum(context, MOST).await.map(drop);
    let mut counted = count(context).await;
    if let Err(error) = &summed {
        tracing::warn!(?error, "the day's points are summed once more");
        summed = sum(context, MOST).await.map(drop);
    }
    if let Err(error) = &counted {
        tracing::warn!(?error, "whom sponsors brought is counted once more");
        counted = count(context).await;
    }
    summed?;
    counted?;
    complete(context, job).await
}

/// Brings what settlements left into the sums of those above; what fails is done once more.
///
/// # Errors
/// Whatever the database refuses twice; the job comes back.
pub async fn gains_job(context: &Context, job: &Claimed) -> Result<(), Error> {
    if let Err(error) = gains(context).await {
        tracing::warn!(?error, "what robots brought is summed once more");
        gains(context).await?;
    }
    complete(context, job).await
}

/// The slot's job is done: whatever it found is in the sums, or somebody else is at it.
async fn complete(context: &Context, job: &Claimed) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}

/// Ends a step's transaction either way before anybody goes on: who tries once more must not find the lock of the failed one and take it for
/// somebody else at work.
async fn ended<T>(tx: Tx, counted: Result<T, Error>) -> Result<T, Error> {
    match counted {
        Ok(counted) => {
            tx.commit().await?;
            Ok(counted)
        }
        Err(error) => {
            tx.rollback().await?;
            Err(error)
        }
    }
}

/// Brings what settlements left of the day that is closed next into the sums of those above. A closing reads none of these sums; when it writes what is
/// set off, it waits for one transaction of this.
///
/// # Errors
/// Whatever the database refuses; what was summed stays, and what is left is summed by the next one.
pub async fn gains(context: &Context) -> Result<(), Error> {
    loop {
        let mut tx = context.db.begin().await?;
        database::take_time(tx.conn()).await?;
        let counted = store::count_gained(tx.conn(), OWNERS).await;
        if !ended(tx, counted).await? {
            return Ok(());
        }
    }
}

/// Brings into the counters who came, was placed, or began or ceased to be active since: until then a look counts them by themselves.
///
/// # Errors
/// Whatever the database refuses; what was counted stays.
pub async fn count(context: &Context) -> Result<(), Error> {
    loop {
        let mut tx = context.db.begin().await?;
        database::take_time(tx.conn()).await?;
        let counted = store::count_touched(tx.conn(), TOUCHED).await;
        if ended(tx, counted).await? < TOUCHED {
            return Ok(());
        }
    }
}

/// Sums the points since the last closing on everybody's legs, if more than so many rows of them are in no sum; whether it did.
///
/// # Errors
/// Whatever the database refuses; the sums stay as they were.
pub async fn sum(context: &Context, most: i64) -> Result<bool, Error> {
    let closed = network::last_carried(context.db.pool()).await?;
    if !store::behind(context.db.pool(), closed, most).await? {
        return Ok(false);
    }
    // Whoever books a sale holds the open day: behind this lock every row with a smaller number is committed.
    let mut tx = context.db.begin().await?;
    open_day::lock(&mut tx).await?;
    let through = store::last(tx.conn()).await?;
    tx.rollback().await?;
    let mut tx = context.db.begin().await?;
    database::take_time(tx.conn()).await?;
    store::lock(tx.conn()).await?;
    let closed = network::last_carried(tx.conn()).await?;
    let points = store::points(tx.conn(), closed, through).await?;
    let nodes = trees::nodes(tx.conn()).await?;
    let mut own = vec![0i64; nodes.count];
    for (no, points) in points {
        if let Some(place) = own.get_mut(no as usize) {
            *place = points;
        }
    }
    let legs = Tree::new(nodes.count, &nodes.places).carried_up(&own);
    let parts = legs.left.chunks(SEGMENT).zip(legs.right.chunks(SEGMENT));
    let segments: Vec<Segment> = (0i32..)
        .zip(parts)
        .filter(|(_, (left, right))| left.iter().chain(*right).any(|points| *points != 0))
        .map(|(number, (left, right))| Segment::padded(number, left, right))
        .collect();
    store::save(tx.conn(), closed, through, &segments).await?;
    tx.commit().await?;
    Ok(true)
}
