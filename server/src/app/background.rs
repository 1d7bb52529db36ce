//! What runs beside the requests, from the start to the stop of a node.

use std::{sync::Arc, time::Duration};

use actors::{
    Realtime,
    bus::{Bus, in_process::InProcess, redis::RedisBus},
};
use anyhow::Context as _;
use protocol::Glimpse;
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{demo, probes::figures};
use crate::{
    config::{Config, Feed, Venues},
    foundation::{
        clock::SharedClock,
        context::{Context, World},
    },
    identity::gate::Gate,
    jobs,
    market::{Choice, Rates, live::Places},
    notifications, presale,
    realtime::{self, relay},
    robots::desk_runner,
    wallet::{
        chain::Chain,
        local::{self, Faucet},
        sender::{self, service::Sending},
        watcher,
    },
};

/// The relay's second look, for facts whose direct way was lost.
const OUTBOX_POLL: Duration = Duration::from_millis(500);
/// How long the notification panel may lag behind the facts when nothing is waiting.
const NOTIFICATIONS_REST: Duration = Duration::from_millis(300);
const WATCH: Duration = Duration::from_secs(15);
/// How often a node says whose sockets it has; shorter than any delay of mail to who is away.
const PRESENCE: Duration = Duration::from_secs(30);
/// The channel that the nodes of one deployment share at Redis.
const CHANNEL: &str = "arbora";

/// The tasks of a node that belong to no request.
pub struct Background {
    pub realtime: Realtime,
    token: CancellationToken,
    tasks: TaskTracker,
}

impl Background {
    /// Starts them; must be called on a running actix system.
    pub fn start(context: &Context, config: &Config) -> anyhow::Result<Self> {
        let settings = realtime::config(context);
        let bus: Arc<dyn Bus> = match &config.redis.url {
            Some(url) => {
                RedisBus::new(url.expose(), CHANNEL, settings.node).context("REDIS_URL is not an address")?
            }
            None => InProcess::alone(),
        };
        let realtime = realtime::start(context, settings, bus);
        let (token, tasks) = (CancellationToken::new(), TaskTracker::new());
        tasks.spawn_local(relay::poll(
            context.db.clone(),
            realtime.clone(),
            OUTBOX_POLL,
            token.clone(),
        ));
        tasks.spawn_local(jobs::run(context.clone(), Arc::new(Notify::new()), token.clone()));
        tasks.spawn_local(notify(context.clone(), token.clone()));
        tasks.spawn_local(say_who_is_here(context.clone(), realtime.clone(), token.clone()));
        if let Some(choice) = feed(&config.feed, &config.venues, context.world)? {
            let shown = realtime.clone();
            let noted = valuing(context);
            let show: actors::desk::Show = Arc::new(move |glimpse| {
                if let Some((rates, clock)) = &noted
                    && let Glimpse::Quote(quote) = &glimpse
                {
                    rates.note_quote(quote, clock.now());
                }
                shown.glimpse(glimpse);
            });
            tasks.spawn_local(desk_runner::run(context.clone(), show, choice, token.clone()));
        }
        if let Some(chain) = context.part::<Chain>() {
            let shown = realtime.clone();
            let show: watcher::Show = Arc::new(move |glimpse| shown.glimpse(glimpse));
            tasks.spawn_local(watcher::run(context.clone(), chain.clone(), show, token.clone()));
        }
        // Where the keys are elsewhere, a process of their own does this.
        if let (Some(chain), Some(sending)) = (context.part::<Chain>(), context.part::<Sending>())
            && sending.signers.is_some()
        {
            tasks.spawn_local(sender::run(
                context.clone(),
                chain.clone(),
                sending.clone(),
                token.clone(),
            ));
        }
        {
            let shown = realtime.clone();
            let show: presale::live::Show = Arc::new(move |glimpse| shown.glimpse(glimpse));
            tasks.spawn_local(presale::live::run(context.clone(), show, token.clone()));
        }
        if context.world == World::Demo {
            tasks.spawn_local(demo::life::run(context.clone(), token.clone()));
        }
        if let Some(faucet) = context.part::<Faucet>() {
            tasks.spawn_local(local::heartbeat(faucet.clone(), token.clone()));
        }
        Ok(Self {
            realtime,
            token,
            tasks,
        })
    }

    /// Forgets counters of callers that have gone; keeps what the figures have counted small.
    pub fn watch(&self, gate: Gate) {
        let token = self.token.clone();
        self.tasks.spawn_local(async move {
            while token
                .run_until_cancelled(tokio::time::sleep(WATCH))
                .await
                .is_some()
            {
                gate.sweep();
                figures::tidy();
            }
        });
    }

    /// Work that is under way is finished; whatever else waits is in the database.
    pub async fn stop(&self) {
        self.token.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// Where the desk's quotes value coins: in a demo, whose feed is as good as its money. Real money wants real venues.
fn valuing(context: &Context) -> Option<(Rates, SharedClock)> {
    (context.world == World::Demo)
        .then(|| context.part::<Rates>().cloned())
        .flatten()
        .map(|rates| (rates, context.clock.clone()))
}

/// The source of quotes as the market knows it; none when the desk rests.
pub(super) fn feed(feed: &Feed, venues: &Venues, world: World) -> anyhow::Result<Option<Choice>> {
    if *feed == Feed::Off {
        return Ok(None);
    }
    let places = Places {
        addresses: venues.addresses.clone(),
        fees_ppm: venues.fees_ppm.clone(),
        loopback: world == World::Demo,
    };
    let choice: Choice = feed.to_string().parse()?;
    Ok(Some(choice.at(places)?))
}

/// Turns facts into lines of the notification panel.
async fn notify(context: Context, token: CancellationToken) {
    while !token.is_cancelled() {
        let worked = match notifications::service::consume(&context).await {
            Ok(count) => count > 0,
            Err(error) => {
                tracing::warn!(?error, "notifications wait");
                false
            }
        };
        if !worked {
            token
                .run_until_cancelled(tokio::time::sleep(NOTIFICATIONS_REST))
                .await;
        }
    }
}

/// Who has a socket here is not away: nothing is mailed to them that stands on their screen.
async fn say_who_is_here(context: Context, realtime: Realtime, token: CancellationToken) {
    while token
        .run_until_cancelled(tokio::time::sleep(PRESENCE))
        .await
        .is_some()
    {
        if let Err(error) = notifications::away::here(&context, &realtime.present()).await {
            tracing::warn!(?error, "who is here was not noted");
        }
    }
}
