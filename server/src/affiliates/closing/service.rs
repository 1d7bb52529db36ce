//! Opening the next day, and running what is to be closed.

use super::{
    copied, steps,
    store::{self, Closing, Ids, Nodes, Trees},
    tree::{Legs, Match, NONE, Place, Tree, Walk},
};
use crate::{
    affiliates::{bonuses::work, model::DayResult},
    error::Error,
    foundation::{
        business_day,
        context::Context,
        database,
        lease::{self, Lease},
        open_day,
        settings::{self, InForce},
        transaction::Tx,
    },
};
use futures_util::future::BoxFuture;
use protocol::{
    ErrorCode,
    ids::{ClosingId, NodeId},
};
use time::{Date, Duration, OffsetDateTime};

/// A day is closed this long after it ended.
pub const CLOSES: Duration = Duration::minutes(5);
/// Levels of the sponsor tree that residual bonuses reach.
pub const LEVELS: usize = 3;
const LEASE: &str = "affiliates.closing";
/// Prolonged with every chunk; what has died is gone on with after this.
const LEASE_LIFE: Duration = Duration::seconds(60);

/// What members' robots brought on a business day: the room of robots knows.
pub type Results = for<'a> fn(&'a Context, &'a mut Tx, Date) -> BoxFuture<'a, Result<Vec<DayResult>, Error>>;

/// Members concerned and what the closing has to do, computed from what the day left.
pub(super) struct Calculation {
    /// Sponsors by the members' numbers.
    pub sponsors: Vec<u32>,
    /// Whose numbers they are.
    pub ids: Ids,
    /// Places in the binary tree; given up when the members concerned have been copied.
    places: Vec<(u32, Place)>,
    /// Members whose robots brought or lost something.
    pub results: Vec<(u32, DayResult)>,
    /// Points on the legs after the closing.
    pub legs: Legs,
    /// Legs before it, to tell which segments changed.
    pub before: Legs,
    pub matches: Vec<Match>,
    /// Until when the money of a sale below each member is young, in microseconds; zero where none is, and empty when nobody's is.
    pub young: Vec<i64>,
    /// Members below, on each leg.
    pub team: Legs,
    /// Who stands below whom.
    pub walk: Walk,
}

impl Calculation {
    /// Until when money of sales below a member is young.
    pub fn young_until(&self, member: u32) -> Option<OffsetDateTime> {
        let micros = self.young.get(member as usize).copied().filter(|at| *at > 0)?;
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(micros) * 1_000).ok()
    }

    /// Who stands above a member in the sponsor tree, nearest first; the house is left out.
    pub fn uplines(&self, member: u32) -> impl Iterator<Item = u32> {
        let up = |no: u32| {
            self.sponsors
                .get(no as usize)
                .copied()
                .filter(|above| *above != NONE && self.sponsors.get(*above as usize) != Some(&NONE))
        };
        std::iter::successors(up(member), move |no| up(*no)).take(LEVELS)
    }

    /// Everyone to whom a bonus may come.
    fn concerned(&self) -> Vec<u32> {
        let mut concerned: Vec<u32> = self.matches.iter().map(|m| m.member).collect();
        for (no, result) in &self.results {
            if result.result.is_positive() {
                concerned.extend(self.uplines(*no));
            }
        }
        concerned.sort_unstable();
        concerned.dedup();
        concerned
    }
}

/// A closing under way, with the lease under which it runs.
pub(super) struct Run<'a> {
    pub context: &'a Context,
    pub lease: Lease,
    pub results: Results,
}

impl Run<'_> {
    /// A transaction that ends with the lease.
    pub async fn begin(&self) -> Result<Tx, Error> {
        let held = lease::acquire(
            self.context.db.pool(),
            LEASE,
            self.lease.holder,
            self.context.now(),
            LEASE_LIFE,
        )
        .await?;
        if held.as_ref() != Some(&self.lease) {
            return Err(Error::code(ErrorCode::RequestConflict));
        }
        let mut tx = self.context.db.begin().await?;
        lease::check(&mut tx, LEASE, self.lease.fence).await?;
        // A step looks at the whole day.
        database::take_time(tx.conn()).await?;
        store::make_room(tx.conn()).await?;
        Ok(tx)
    }
}

/// Closes every day that is over, oldest first; how many were finished. May be stopped anywhere and done again; does nothing while another
/// node closes.
///
/// # Errors
/// Whatever the ledger or the database refuses; what was done stays done.
pub async fn close_due(context: &Context, results: Results) -> Result<usize, Error> {
    // Most looks find nothing to do.
    if store::under_way(context.db.pool()).await?.is_none() && due(context).await?.is_none() {
        return Ok(0);
    }
    let now = context.now();
    let Some(lease) = lease::acquire(context.db.pool(), LEASE, NodeId::fresh(), now, LEASE_LIFE).await?
    else {
        return Ok(0);
    };
    let run = Run {
        context,
        lease,
        results,
    };
    let finished = run_all(&run).await;
    lease::release(context.db.pool(), &run.lease, context.now()).await?;
    finished
}

async fn run_all(run: &Run<'_>) -> Result<usize, Error> {
    let mut finished = 0;
    loop {
        let (closing, calculation) = match store::under_way(run.context.db.pool()).await? {
            Some(closing) => {
                let mut tx = run.begin().await?;
                let calculation = calculate(run, &mut tx, closing.day, None).await?;
                tx.rollback().await?;
                (closing, calculation)
            }
            None => match open_next(run).await? {
                Some(opened) => opened,
                None => return Ok(finished),
            },
        };
        // What happened before the day ended comes first in the fund's order.
        work::work_off(run.context).await?;
        steps::finish(run, &closing, calculation).await?;
        finished += 1;
    }
}

/// The day to be closed next, if it is over.
async fn due(context: &Context) -> Result<Option<Date>, Error> {
    let (open, last) = store::days(context.db.pool()).await?;
    Ok(over(context, open, last))
}

/// The open day, or before the first closing the day that ended last; none while it lasts.
fn over(context: &Context, open: Option<Date>, last: Option<Date>) -> Option<Date> {
    let today = business_day::of(context.now() - CLOSES);
    open.or_else(|| last.and_then(Date::next_day))
        .or_else(|| today.previous_day())
        .filter(|day| *day < today)
}

/// Opens the day after the one that is over, and copies what the members concerned are at this moment.
async fn open_next(run: &Run<'_>) -> Result<Option<(Closing, Calculation)>, Error> {
    let context = run.context;
    if due(context).await?.is_none() {
        return Ok(None);
    }
    // Read before anybody waits for this transaction; what is newer is read behind it.
    let reading = read_trees(context).await?;
    let mut tx = run.begin().await?;
    let open = open_day::lock(&mut tx).await?;
    let (_, last) = store::days(tx.conn()).await?;
    let Some(day) = over(context, open, last) else {
        return Ok(None);
    };
    let in_force = context.settings.within(&mut tx).await?;
    let now = tx.now();
    let closing = Closing {
        id: ClosingId::fresh(),
        day,
        settings_version: in_force.version,
        step: "residual".to_owned(),
        done_through: None,
    };
    let mut calculation = calculate(run, &mut tx, day, Some(reading)).await?;
    store::insert(tx.conn(), closing.id, day, in_force.version, now).await?;
    let share = in_force.settings.binary_daily_cap;
    copy(&mut tx, closing.id, &mut calculation, share).await?;
    let next = day
        .next_day()
        .ok_or_else(|| Error::internal("the last day of time"))?;
    open_day::open(&mut tx, next).await?;
    tx.commit().await?;
    Ok(Some((closing, calculation)))
}

/// Both trees as they were read before anything was held.
struct Reading {
    trees: Trees,
    /// When it began.
    since: OffsetDateTime,
}

/// Both trees and everybody's id, side by side: each takes as long as the other.
async fn read_trees(context: &Context) -> Result<Reading, Error> {
    let since = context.now();
    let (mut one, mut other) = (context.db.begin().await?, context.db.begin().await?);
    database::take_time(one.conn()).await?;
    database::take_time(other.conn()).await?;
    let (nodes, ids) = tokio::try_join!(store::nodes(one.conn()), store::ids(other.conn()))?;
    one.rollback().await?;
    other.rollback().await?;
    Ok(Reading {
        trees: Trees { nodes, ids },
        since,
    })
}

/// Copies what the members concerned are at this moment. Which of them it must be known of is told by the trees: asked of the database, it read
/// every member three times.
async fn copy(
    tx: &mut Tx,
    closing: ClosingId,
    calculation: &mut Calculation,
    share: i64,
) -> Result<(), Error> {
    let concerned = calculation.concerned();
    let directs = copied::directs(&concerned, &calculation.sponsors, &calculation.places);
    calculation.places = Vec::new();
    let asked = copied::asked(&concerned, &directs, &calculation.ids);
    let values = store::active_values(tx.conn(), &asked).await?;
    let copies = copied::copies(&concerned, &directs, &calculation.ids, &values, share);
    store::freeze(tx.conn(), closing, &copies).await
}

/// The trees, and results with their members' numbers: as they were read before, with what is newer
/// (docs/decisions/0112-newer-places-are-added.md). Where that does not make them whole, they are read anew.
async fn with_numbers(
    tx: &mut Tx,
    before: Option<Reading>,
    results: &[DayResult],
) -> Result<(Trees, Vec<(u32, DayResult)>), Error> {
    if let Some(Reading { mut trees, since }) = before {
        let whole = store::extend(tx.conn(), &mut trees, since).await?;
        let numbered = trees.ids.numbered(results);
        if whole && numbered.len() == results.len() {
            return Ok((trees, numbered));
        }
        tracing::warn!(
            "the network is read whole while sales wait: what is newer than its reading does not explain what there is"
        );
    }
    let trees = store::trees(tx.conn()).await?;
    let numbered = trees.ids.numbered(results);
    Ok((trees, numbered))
}

/// What the day left: the same whenever it is asked, once the next day is open.
async fn calculate(
    run: &Run<'_>,
    tx: &mut Tx,
    day: Date,
    before: Option<Reading>,
) -> Result<Calculation, Error> {
    let after = store::closed_before(tx.conn(), day).await?;
    let points = store::day_points(tx.conn(), after, day).await?;
    let results = (run.results)(run.context, tx, day).await?;
    let (Trees { nodes, ids }, results) = with_numbers(tx, before, &results).await?;
    let before = store::legs(tx.conn(), day, nodes.count).await?;
    let Nodes {
        count,
        sponsors,
        places,
        ..
    } = nodes;
    let tree = Tree::new(count, &places);
    let mut own = vec![0i64; count];
    for (no, points) in points {
        if let Some(place) = own.get_mut(no as usize) {
            *place = place.saturating_add(points);
        }
    }
    let mut legs = before.clone();
    let matches = tree.close(&own, &mut legs);
    let young = young(tx, day, &tree, matches.is_empty()).await?;
    let team = tree.carried_up(&vec![1; count]);
    let walk = tree.walk(&team);
    Ok(Calculation {
        sponsors,
        ids,
        places,
        results,
        legs,
        before,
        matches,
        young,
        team,
        walk,
    })
}

/// Until when money of the sales below each member is young when the day is over (docs/decisions/0062-binary-and-young-money.md).
async fn young(tx: &mut Tx, day: Date, tree: &Tree, nothing_matched: bool) -> Result<Vec<i64>, Error> {
    let next = day
        .next_day()
        .ok_or_else(|| Error::internal("the last day of time"))?;
    let sales = if nothing_matched {
        Vec::new()
    } else {
        store::young_sales(tx.conn(), day, business_day::start(next)).await?
    };
    if sales.is_empty() {
        return Ok(Vec::new());
    }
    let mut own = vec![0i64; tree.len()];
    for (no, until) in sales {
        if let Some(place) = own.get_mut(no as usize) {
            let micros = i64::try_from(until.unix_timestamp_nanos() / 1_000).unwrap_or(i64::MAX);
            *place = micros.max(*place);
        }
    }
    Ok(tree.latest_below(&own))
}

/// The settings with which a closing began.
pub(super) async fn settings_of(tx: &mut Tx, closing: &Closing) -> Result<InForce, Error> {
    settings::version(tx, closing.settings_version).await
}
