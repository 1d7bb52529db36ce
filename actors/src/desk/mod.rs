//! The trading desk: quotes in, decisions out.
//!
//! The thinking is pure and lies in [`engine`] (what is an opportunity), [`cohort`] (who takes part), [`execution`] (what
//! it brings) and [`floor`] (which puts them together). This file gives that mind a thread: a task on an arbiter of its
//! own reads the bounded [`inbox`], lets time pass, and carries the floor's wishes out through the one port
//! [`port::Settle`], which the server implements. Invariants: the desk holds no money truth; it books nothing itself; a
//! batch is booked once or, when the lease is lost, never.

mod board;
pub mod cohort;
pub mod cycles;
pub mod dice;
pub mod engine;
pub mod execution;
pub mod floor;
pub mod inbox;
pub mod live;
mod logarithm;
pub mod market;
pub mod port;
mod settlements;
mod wide;

use std::{sync::Arc, time::Duration};

use actix_rt::{Arbiter, time as timer};
use protocol::{
    glimpse::Glimpse,
    ids::{BatchId, OperationId},
};
use tokio::{
    runtime::Handle,
    sync::{mpsc, watch},
};
use tokio_util::task::TaskTracker;

use self::{
    cohort::{RobotSnapshot, Share},
    floor::{Effect, Floor, FloorRules},
    inbox::Inbox,
    market::{AssetId, Market},
    port::{Fence, LiveDone, ManualOrder, Risk, Settle, SettleError, SettledBatch},
};

/// Milliseconds since the Unix epoch; passed in, so that tests set the time.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;
/// Where glimpses go; must not block.
pub type Show = Arc<dyn Fn(Glimpse) + Send + Sync>;

/// How often time passes for the floor: fills are this exact.
const TICK: Duration = Duration::from_millis(20);
/// Quotes handled before the loop looks at anything else.
const QUOTES_AT_ONCE: usize = 256;
/// Manual orders that wait for the loop's next turn.
const MANUAL_QUEUE: usize = 64;
/// A call through the port that takes longer counts as failed; what it did is found out by asking again.
const PORT_TIMEOUT: Duration = Duration::from_secs(10);

/// Everything a desk is made of.
pub struct Desk<S> {
    pub market: Arc<Market>,
    pub settlement: AssetId,
    pub rules: FloorRules,
    pub fence: Fence,
    pub port: Arc<S>,
    pub inbox: Arc<Inbox>,
    pub clock: Clock,
    pub show: Show,
}

enum Order {
    Wake,
    Close,
    Abandon,
}

enum Answer {
    Reserved(OperationId, Result<Vec<Share>, SettleError>),
    Settled(BatchId, Result<SettledBatch, SettleError>),
    Executed(OperationId, Result<LiveDone, SettleError>),
    Eligible(Result<(Vec<RobotSnapshot>, Risk), SettleError>),
}

/// Holds a running desk. Dropping it abandons the desk.
pub struct DeskHandle {
    orders: mpsc::Sender<Order>,
    /// Apart from the others: however many wait, the desk can be woken and closed.
    manual: mpsc::Sender<ManualOrder>,
    ended: watch::Receiver<bool>,
}

impl DeskHandle {
    /// Robots changed (allocation, pause, goal, a new day): the desk asks for them again.
    pub fn wake(&self) {
        // A full queue of orders holds a wake already.
        let _ = self.orders.try_send(Order::Wake);
    }

    /// Where owners' orders go in.
    #[must_use]
    pub fn orders(&self) -> Orders {
        Orders(self.manual.clone())
    }

    /// Begins nothing more, books what is in the air, and returns; gives up after `within`.
    pub async fn close(mut self, within: Duration) {
        let _ = self.orders.send(Order::Close).await;
        if timer::timeout(within, self.ended.wait_for(|ended| *ended))
            .await
            .is_err()
        {
            tracing::warn!("the desk did not finish in time and was abandoned");
        }
    }

    /// Begins and books nothing more from now on: another desk holds the lease. Calls that are under way end by themselves.
    pub async fn abandon(self) {
        let _ = self.orders.send(Order::Abandon).await;
    }

    /// Returns when the desk has ended by itself, because its lease was lost.
    pub async fn ended(&mut self) {
        let _ = self.ended.wait_for(|ended| *ended).await;
    }
}

/// The way of owners' orders into a desk; outlives it.
#[derive(Clone)]
pub struct Orders(mpsc::Sender<ManualOrder>);

impl Orders {
    /// Hands an order to the floor; what becomes of it goes out through the port. False when too many wait, or the desk has
    /// ended: then nothing becomes of it.
    #[must_use]
    pub fn put(&self, order: ManualOrder) -> bool {
        self.0.try_send(order).is_ok()
    }
}

/// Where calls through the port run, and how many are under way.
struct Calls {
    /// The runtime that started the desk. A connection of a pool belongs to the runtime that opened it: one that was opened on
    /// the desk's own would break, wherever it is used then, at the moment the desk's thread ends.
    home: Handle,
    running: TaskTracker,
}

impl Calls {
    fn spawn(&self, call: impl Future<Output = ()> + Send + 'static) {
        self.running.spawn_on(call, &self.home);
    }
}

/// Starts a desk on an arbiter of its own.
#[must_use]
pub fn start<S: Settle>(desk: Desk<S>) -> DeskHandle {
    let arbiter = Arbiter::new();
    let (orders, inbound) = mpsc::channel(8);
    let (manual, ordered) = mpsc::channel(MANUAL_QUEUE);
    let (over, ended) = watch::channel(false);
    let home = Handle::current();
    arbiter.spawn(async move {
        let calls = Calls {
            home,
            running: TaskTracker::new(),
        };
        run(desk, inbound, ordered, &calls).await;
        // Who is told that the desk has ended may rely on its calls having ended, too.
        calls.running.close();
        calls.running.wait().await;
        let _ = over.send(true);
        Arbiter::current().stop();
    });
    DeskHandle {
        orders,
        manual,
        ended,
    }
}

async fn run<S: Settle>(
    desk: Desk<S>,
    mut orders: mpsc::Receiver<Order>,
    mut manual: mpsc::Receiver<ManualOrder>,
    calls: &Calls,
) {
    let mut floor = Floor::new(Arc::clone(&desk.market), desk.settlement, desk.rules.clone());
    // One answer per call in the air; calls are bounded by the floor (flights, manual ones beside them, batches, one refresh).
    // A flight waits for one answer at a time.
    let (answers, mut answered) = mpsc::channel(2 * desk.rules.max_in_flight + desk.rules.settle_width + 1);
    let mut tick = timer::interval(TICK);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    let mut quotes = Vec::with_capacity(QUOTES_AT_ONCE);
    while !floor.is_done() {
        // Orders and answers before quotes: a flood of prices must not delay a stop.
        tokio::select! {
            biased;
            order = orders.recv() => match order {
                Some(Order::Wake) => floor.wake(),
                Some(Order::Close) => floor.close(),
                Some(Order::Abandon) | None => floor.fence(),
            },
            Some(answer) = answered.recv() => {
                let now = (desk.clock)();
                match answer {
                    Answer::Reserved(id, result) => floor.on_reserved(id, result, now),
                    Answer::Settled(id, result) => floor.on_settled(id, result, now),
                    Answer::Executed(id, result) => floor.on_executed(id, result, now),
                    Answer::Eligible(result) => {
                        let robots = result.map(|(robots, risk)| {
                            floor.on_risk(risk);
                            robots
                        });
                        floor.on_eligible(robots, now);
                    }
                }
            },
            Some(order) = manual.recv() => floor.on_manual(&order, (desk.clock)()),
            _ = tick.tick() => floor.on_tick((desk.clock)()),
            () = desk.inbox.filled() => {
                desk.inbox.take(&mut quotes, QUOTES_AT_ONCE);
                let now = (desk.clock)();
                for (id, quote) in quotes.drain(..) {
                    floor.on_quote(id, quote, now);
                }
            },
        }
        for effect in floor.effects() {
            carry_out(&desk, effect, &answers, calls);
        }
    }
}

fn carry_out<S: Settle>(desk: &Desk<S>, effect: Effect, answers: &mpsc::Sender<Answer>, calls: &Calls) {
    let (port, fence, answers) = (Arc::clone(&desk.port), desk.fence, answers.clone());
    let late = || SettleError::Unavailable("no answer in time".into());
    match effect {
        Effect::Show(glimpse) => (desk.show)(glimpse),
        Effect::Refresh => {
            calls.spawn(async move {
                // Limits before robots: nobody trades under older ones.
                let asked = async { Ok((port.eligible().await?, port.risk().await?)) };
                let result = timer::timeout(PORT_TIMEOUT, asked).await;
                let _ = answers
                    .send(Answer::Eligible(result.unwrap_or_else(|_| Err(late()))))
                    .await;
            });
        }
        Effect::Reserve {
            operation,
            shares,
            manual,
        } => {
            calls.spawn(async move {
                let asked = port.reserve(fence, operation, &shares, manual);
                let result = timer::timeout(PORT_TIMEOUT, asked).await;
                let result = result.unwrap_or_else(|_| Err(late()));
                let _ = answers.send(Answer::Reserved(operation, result)).await;
            });
        }
        Effect::Refuse { operation, reason } => {
            calls.spawn(async move {
                let told = timer::timeout(PORT_TIMEOUT, port.refuse(fence, operation, reason)).await;
                // The server ends by itself what it hears nothing more of.
                if let Err(error) = told.unwrap_or_else(|_| Err(late())) {
                    tracing::warn!(%operation, %error, "a refused order was not told");
                }
            });
        }
        Effect::Execute(order) => {
            calls.spawn(async move {
                // However long it takes: an order that was sent is there until the venue says what became of it.
                let operation = order.operation;
                let result = port.execute(fence, order).await;
                let _ = answers.send(Answer::Executed(operation, result)).await;
            });
        }
        Effect::Settle(batch) => {
            calls.spawn(async move {
                let id = batch.id;
                let result = timer::timeout(PORT_TIMEOUT, port.settle(fence, batch)).await;
                let _ = answers
                    .send(Answer::Settled(id, result.unwrap_or_else(|_| Err(late()))))
                    .await;
            });
        }
    }
}

#[cfg(test)]
mod tests;
