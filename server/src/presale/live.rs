//! What everybody sees of PYX while it happens: the running round's progress, the book's depth, the newest trade. Woken by this node's
//! own facts, at most so often; what is shown goes to all nodes.

use super::{
    market::{shown::LEVELS, store as market},
    store,
};
use crate::{
    error::Error,
    foundation::{context::Context, transaction::EventSink},
};
use protocol::{
    Glimpse, LiveEvent,
    live_event::Numbered,
    money::Pyx,
    pyx::{PresaleProgress, PyxBook},
};
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Where glimpses go.
pub type Show = Arc<dyn Fn(Glimpse) + Send + Sync>;

/// Between two looks.
const REST: Duration = Duration::from_millis(200);
/// Trades of one look; who misses some asks for the list.
const TRADES: i64 = 50;

struct Wake(Arc<Notify>);

impl EventSink for Wake {
    fn committed(&self, facts: &[Numbered]) {
        let ours = facts.iter().any(|fact| {
            matches!(
                fact.event,
                LiveEvent::OrderChanged { .. } | LiveEvent::PresaleChanged { .. }
            )
        });
        if ours {
            self.0.notify_one();
        }
    }
}

/// What was shown last: only what differs is shown again.
#[derive(Default)]
struct Shown {
    book: Option<PyxBook>,
    trade: i64,
    round: Option<PresaleProgress>,
}

/// Shows what changed until told to stop.
pub async fn run(context: Context, show: Show, stop: CancellationToken) {
    let wake = Arc::new(Notify::new());
    context.db.listen(Arc::new(Wake(Arc::clone(&wake))));
    let mut shown = Shown::default();
    if let Ok(book) = market::depth(context.db.pool(), LEVELS).await {
        shown.trade = book.trades;
    }
    while stop.run_until_cancelled(wake.notified()).await.is_some() {
        if let Err(error) = look(&context, &show, &mut shown).await {
            tracing::warn!(?error, "the book is shown later");
        }
        stop.run_until_cancelled(tokio::time::sleep(REST)).await;
    }
}

async fn look(context: &Context, show: &Show, shown: &mut Shown) -> Result<(), Error> {
    let pool = context.db.pool();
    let now = context.now();
    let running = store::agreed_rounds(pool)
        .await?
        .into_iter()
        .find(|round| round.runs(now));
    let progress = running.map(|round| PresaleProgress {
        round: round.id(),
        sold: Pyx(round.sold),
        supply: Pyx(round.supply),
        version: round.version,
    });
    if progress.is_some() && progress != shown.round {
        shown.round.clone_from(&progress);
        if let Some(progress) = progress {
            show(Glimpse::PresaleRound(progress));
        }
    }
    let book = market::depth(pool, LEVELS).await?;
    if shown.book.as_ref() != Some(&book) {
        shown.book = Some(book.clone());
        show(Glimpse::PyxBook(book));
    }
    let (trades, _) = market::trades(pool, shown.trade, None, TRADES, 0).await?;
    for trade in trades.into_iter().rev() {
        shown.trade = trade.number;
        show(Glimpse::PyxTrade(trade));
    }
    Ok(())
}
