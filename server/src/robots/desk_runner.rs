//! Runs the trading desk on this node while it holds the lease: feed in, decisions out.
//!
//! Every few seconds the lease is taken or prolonged. With it the reservations of earlier desks are freed, a feed is opened
//! and a desk started; without it both are stopped at once. A feed that ends is opened anew while the lease lasts, and so is a
//! desk when the settings tell it something else than at its start.
//!
//! While live trading is on ([`live::switch`]) the desk runs in mode live. What an earlier desk has left at the venue is ended
//! and booked before a desk begins anything.
//!
//! A change of a licence or of its owner that this node commits wakes the desk; those of other nodes it finds by its own look.
//! So do manual orders: one that this node took is handed to the desk at once, others by a look four times a second.

use super::{copying::service as copying, live, manual::service as manual, port::Robots, service, watch};
use crate::{
    error::Error,
    foundation::{
        context::{Context, World},
        lease::{self, Lease},
        settings::Settings,
        transaction::EventSink,
    },
    market::{Choice, health},
};
use actors::desk::{
    self, Clock, Desk, DeskHandle, Orders, Show, cohort::CohortRules, cycles::Triangles, engine::EngineRules,
    floor::FloorRules, inbox::Inbox, market::Market, port::Fence,
};
use protocol::{
    Glimpse, LiveEvent,
    ids::NodeId,
    live_event::Numbered,
    views::{ManualRefusal, ManualState, Mode},
};
use std::{sync::Arc, time::Duration};
use tokio::{sync::Notify, task::JoinHandle};
use tokio_util::sync::CancellationToken;

const LEASE_LIFE: time::Duration = time::Duration::seconds(10);
const ROUND: Duration = Duration::from_secs(3);
/// How long what was left at a venue is worked on before the lease needs a look.
const RECOVERING: Duration = Duration::from_secs(5);
/// Live operations draw on one balance at the venue: a few at a time.
const LIVE_AT_ONCE: usize = 4;
/// How long a stop waits for operations in the air.
const CLOSING: Duration = Duration::from_secs(4);
/// How often the feed's venues are looked at, and at how many of these looks it is stored for other nodes.
const LOOK: Duration = Duration::from_secs(1);
const STORED_LOOKS: u32 = 2;
/// How often manual orders of other nodes are looked for.
const ORDERS_LOOK: Duration = Duration::from_millis(250);

/// What the settings say about shares.
#[must_use]
pub const fn cohort(settings: &Settings) -> CohortRules {
    CohortRules {
        standard_edge_ppm: settings.minimum_edge,
        high_risk_edge_ppm: settings.minimum_edge_high_risk,
        standard_share_ppm: settings.cohort_share,
        high_risk_share_ppm: settings.cohort_share_high_risk,
        least_share: settings.minimum_share,
        least_allocation: settings.minimum_allocation,
    }
}

/// What the settings say to the desk.
#[must_use]
pub fn rules(settings: &Settings, feed: &str, mode: Mode, seed: u64) -> FloorRules {
    let engine = EngineRules {
        min_edge_ppm: settings.minimum_edge.min(settings.minimum_edge_high_risk),
        life_ms: i64::from(settings.opportunity_life_ms),
        triangles: if settings.two_venue_triangles {
            Triangles::TwoVenues
        } else {
            Triangles::OneVenue
        },
        ..EngineRules::default()
    };
    let rules = FloorRules {
        engine,
        cohort: cohort(settings),
        latency_ms: i64::from(settings.latency_ms),
        ..FloorRules::new(feed, mode, seed)
    };
    if mode == Mode::Live {
        // The way to the venue is as long as it is.
        FloorRules {
            latency_ms: 0,
            venue: Some(live::venue::NAME.to_owned()),
            max_in_flight: LIVE_AT_ONCE,
            ..rules
        }
    } else {
        rules
    }
}

struct Running {
    desk: DeskHandle,
    rules: FloorRules,
    feed: JoinHandle<()>,
    watch: JoinHandle<()>,
    orders: JoinHandle<()>,
    stop_feed: CancellationToken,
    /// Ends the desk's work at a venue where it stands.
    cut: CancellationToken,
    /// The mode of the feed; the desk's own may be live.
    feed_mode: Mode,
    lease: Lease,
}

/// Listens to facts after which other robots may trade than before, and to manual orders.
struct Changes {
    robots: Arc<Notify>,
    orders: Arc<Notify>,
}

impl EventSink for Changes {
    fn committed(&self, facts: &[Numbered]) {
        let concerned = |f: &Numbered| {
            matches!(
                f.event,
                LiveEvent::LicenceChanged { .. }
                    | LiveEvent::UserChanged { .. }
                    | LiveEvent::FollowingChanged { .. }
            )
        };
        if facts.iter().any(concerned) {
            self.robots.notify_one();
        }
        let asked = |f: &Numbered| matches!(&f.event, LiveEvent::ManualChanged { order } if order.state == ManualState::Asked);
        if facts.iter().any(asked) {
            self.orders.notify_one();
        }
    }
}

/// Runs until told to stop; ends with the desk closed and the lease given up. Must be awaited on a running actix system.
pub async fn run(context: Context, show: Show, choice: Choice, stop: CancellationToken) {
    let node = NodeId::fresh();
    let (changed, ordered) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    context.db.listen(Arc::new(Changes {
        robots: Arc::clone(&changed),
        orders: Arc::clone(&ordered),
    }));
    let house = House {
        context: &context,
        show: &show,
        choice: &choice,
        ordered: &ordered,
    };
    let mut running: Option<Running> = None;
    let mut held: Option<Lease> = None;
    while !stop.is_cancelled() {
        running = round(&house, node, running).await;
        if let Some(running) = &running {
            held = Some(running.lease.clone());
        }
        let next = tokio::time::sleep(ROUND);
        tokio::pin!(next);
        let over = loop {
            tokio::select! {
                () = stop.cancelled() => break false,
                () = ended(&mut running) => break true,
                () = &mut next => break false,
                () = changed.notified() => {
                    if let Some(running) = &running {
                        running.desk.wake();
                    }
                }
            }
        };
        if over && let Some(ended) = running.take() {
            tracing::warn!("the desk has lost its lease");
            ended.stop_feed.cancel();
            ended.cut.cancel();
        }
    }
    if let Some(Running {
        desk,
        stop_feed,
        watch,
        orders,
        cut,
        ..
    }) = running
    {
        desk.close(CLOSING).await;
        cut.cancel();
        stop_feed.cancel();
        let _ = orders.await;
        // It says that nothing runs any more.
        let _ = watch.await;
    }
    // Also of a desk that ended before: the next node must not wait for it. Another node's lease has another fence.
    if let Some(lease) = held
        && let Err(error) = lease::release(context.db.pool(), &lease, context.now()).await
    {
        tracing::warn!(?error, "the desk's lease runs out by itself");
    }
}

async fn ended(running: &mut Option<Running>) {
    match running {
        Some(running) => running.desk.ended().await,
        None => std::future::pending().await,
    }
}

/// What every desk of this node is opened with.
#[derive(Clone, Copy)]
struct House<'a> {
    context: &'a Context,
    show: &'a Show,
    choice: &'a Choice,
    ordered: &'a Arc<Notify>,
}

async fn round(house: &House<'_>, node: NodeId, running: Option<Running>) -> Option<Running> {
    let context = house.context;
    // Whoever had them: every node gives up what no desk has ended in time.
    if let Err(error) = manual::expire(context).await {
        tracing::warn!(?error, "manual orders wait for their end");
    }
    let held = lease::acquire(context.db.pool(), service::LEASE, node, context.now(), LEASE_LIFE).await;
    match (held, running) {
        (Ok(Some(lease)), Some(mut running)) if running.lease.fence == lease.fence => {
            if let Err(error) = service::free_lapsed(context, lease.fence).await {
                tracing::warn!(?error, "lapsed reservations wait");
            }
            if let Err(error) = copying::sweep(context).await {
                tracing::warn!(?error, "followers of robots that no longer lead wait");
            }
            if running.feed.is_finished() || outdated(context, &running.rules, running.feed_mode).await {
                running.stop_feed.cancel();
                running.desk.close(CLOSING).await;
                running.cut.cancel();
                return begin(house, lease).await;
            }
            running.lease = lease;
            Some(running)
        }
        (Ok(Some(lease)), old) => {
            if let Some(old) = old {
                old.stop_feed.cancel();
                old.cut.cancel();
                old.desk.abandon().await;
            }
            begin(house, lease).await
        }
        (Ok(None), Some(old)) => {
            old.stop_feed.cancel();
            old.cut.cancel();
            old.desk.abandon().await;
            None
        }
        (Ok(None), None) => None,
        (Err(error), running) => {
            // The lease outlives a short fault; every booking checks it anyway.
            tracing::warn!(?error, "the desk's lease could not be prolonged");
            running
        }
    }
}

/// Whether the settings say something else to the desk than when it started. A new desk then takes over, with what was in the air
/// finished by the old one.
async fn outdated(context: &Context, then: &FloorRules, feed: Mode) -> bool {
    let now = async {
        let mode = mode(context, feed).await?;
        let settings = context.settings.current(context.now()).await?;
        Ok::<_, Error>(rules(&settings.settings, &then.feed, mode, then.seed))
    };
    match now.await {
        Ok(now) => now != *then,
        Err(error) => {
            tracing::warn!(
                ?error,
                "the settings could not be read: the desk goes on as it is"
            );
            false
        }
    }
}

/// The mode of a desk on a feed of this mode.
async fn mode(context: &Context, feed: Mode) -> Result<Mode, Error> {
    // Only real quotes of now decide real orders.
    if feed == Mode::Paper && live::switch::wanted(context).await? {
        return Ok(Mode::Live);
    }
    Ok(feed)
}

/// Ends what an earlier desk has left at the venue.
async fn recover(context: &Context, lease: &Lease) -> Result<(), Error> {
    if !live::service::has_unfinished(context).await? {
        return Ok(());
    }
    let Some(venue) = context.part::<live::Live>().and_then(|l| l.venue.clone()) else {
        tracing::error!(
            "operations wait at the venue, and its keys are missing: their capital stays reserved"
        );
        return Ok(());
    };
    match tokio::time::timeout(RECOVERING, live::service::recover(context, &venue, lease.fence)).await {
        Ok(recovered) => recovered.map(|_| ()),
        Err(_) => Err(Error::internal(
            "what an earlier desk has left at the venue is not over yet",
        )),
    }
}

async fn begin(house: &House<'_>, lease: Lease) -> Option<Running> {
    match open(house, lease).await {
        Ok(running) => Some(running),
        Err(error) => {
            tracing::error!(?error, "the desk cannot start");
            None
        }
    }
}

async fn open(house: &House<'_>, lease: Lease) -> Result<Running, Error> {
    let House {
        context,
        show,
        choice,
        ordered,
    } = *house;
    recover(context, &lease).await?;
    let freed = service::free_lapsed(context, lease.fence).await?;
    let settings = context.settings.current(context.now()).await?;
    let seed = rand::random::<u64>();
    let feed = choice.open(seed).map_err(|e| Error::internal(e.to_string()))?;
    let (name, feed_mode, market) = (feed.name(), feed.mode(), feed.market());
    let mode = mode(context, feed_mode).await?;
    let settlement = market
        .asset("USDT")
        .ok_or_else(|| Error::internal("the feed's market has no USDT"))?;
    let inbox = Arc::new(Inbox::new(market.instruments().len()));
    let clock: Clock = {
        let clock = context.clock.clone();
        Arc::new(move || i64::try_from(clock.now().unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX))
    };
    tracing::info!(feed = name, %mode, fence = lease.fence, freed, seed, "the desk starts");
    let watched = Watched {
        context: context.clone(),
        show: Arc::clone(show),
        clock: Arc::clone(&clock),
        market: Arc::clone(&market),
        inbox: Arc::clone(&inbox),
        links: feed.links(),
        name: name.clone(),
        mode,
        fence: lease.fence,
    };
    let rules = rules(&settings.settings, &name, mode, seed);
    let cut = CancellationToken::new();
    let desk = desk::start(Desk {
        market,
        settlement,
        rules: rules.clone(),
        fence: Fence(lease.fence),
        port: Arc::new(Robots {
            context: context.clone(),
            mode,
            cut: cut.clone(),
        }),
        inbox: Arc::clone(&inbox),
        clock: Arc::clone(&clock),
        show: Arc::clone(show),
    });
    let stop_feed = CancellationToken::new();
    // Also while live trading is off: what was earned then may leave only while it is there.
    if let Some(venue) = context.part::<live::Live>().and_then(|l| l.venue.clone())
        && context.world == World::Production
    {
        actix_web::rt::spawn(live::service::reconcile(
            context.clone(),
            venue,
            stop_feed.clone(),
        ));
    }
    let watch = actix_web::rt::spawn(watched.run(stop_feed.clone()));
    let orders = Handed {
        context: context.clone(),
        ordered: Arc::clone(ordered),
        fence: lease.fence,
        desk: desk.orders(),
    };
    let orders = actix_web::rt::spawn(orders.run(stop_feed.clone()));
    let running = feed.run(inbox, clock, stop_feed.clone());
    let feed = actix_web::rt::spawn(async move {
        if let Err(error) = running.await {
            tracing::error!(%error, "the feed broke");
        }
    });
    Ok(Running {
        desk,
        rules,
        feed,
        watch,
        orders,
        stop_feed,
        cut,
        feed_mode,
        lease,
    })
}

/// Hands manual orders to the desk while it runs.
struct Handed {
    context: Context,
    ordered: Arc<Notify>,
    fence: i64,
    desk: Orders,
}

impl Handed {
    async fn run(self, stop: CancellationToken) {
        let mut looks = tokio::time::interval(ORDERS_LOOK);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.ordered.notified() => {}
                _ = looks.tick() => {}
            }
            if let Err(error) = self.hand().await {
                tracing::warn!(?error, "manual orders wait");
            }
        }
    }

    async fn hand(&self) -> Result<(), Error> {
        for order in manual::take(&self.context, self.fence).await? {
            let id = order.operation;
            if !self.desk.put(order) {
                manual::refuse(&self.context, self.fence, id, ManualRefusal::Busy).await?;
            }
        }
        Ok(())
    }
}

/// Looks at the feed while it runs.
struct Watched {
    context: Context,
    show: Show,
    clock: Clock,
    market: Arc<Market>,
    inbox: Arc<Inbox>,
    links: Option<Arc<health::Links>>,
    name: String,
    mode: Mode,
    fence: i64,
}

impl Watched {
    async fn run(self, stop: CancellationToken) {
        let mut watch = health::Watch::new(&self.market, (self.clock)());
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut count = 0u32;
        while stop.run_until_cancelled(looks.tick()).await.is_some() {
            let state = self.look(&mut watch);
            (self.show)(Glimpse::FeedHealth(state.clone()));
            if count.is_multiple_of(STORED_LOOKS) {
                self.store(&state).await;
            }
            count = count.wrapping_add(1);
        }
        let last = watch::at_rest(self.look(&mut watch));
        (self.show)(Glimpse::FeedHealth(last.clone()));
        self.store(&last).await;
    }

    fn look(&self, watch: &mut health::Watch) -> protocol::glimpse::FeedsView {
        let venues = watch.look(&self.market, &self.inbox, self.links.as_deref(), (self.clock)());
        watch::view(&self.name, self.mode, venues)
    }

    async fn store(&self, state: &protocol::glimpse::FeedsView) {
        if let Err(error) = watch::store_state(&self.context, self.fence, state).await {
            tracing::warn!(?error, "the feed's state could not be stored");
        }
    }
}
