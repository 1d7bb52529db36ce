//! The bus over Redis: publish and subscribe on one connection with RESP3 push. Comes up without Redis and connects for ever.
//!
//! All nodes share one channel; a node passes over what none of its own listen to, which costs a look into a map. Nothing is
//! kept in Redis. What was said while the connection was away is lost, but for control words: those are sent when it is back.

use super::{Bus, BusMessage, Sink};
use crate::runtime::lock;
use protocol::ids::NodeId;
use redis::{AsyncConnectionConfig, PushInfo, PushKind, Value, aio::MultiplexedConnection};
use serde::{Deserialize, Serialize};
use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Notify, mpsc},
    task::JoinHandle,
    time::timeout,
};

/// Messages that may wait for the connection: passing ones, and lasting ones.
const PASSING_MAX: usize = 16_384;
const LASTING_MAX: usize = 65_536;
/// Messages sent in one pipeline.
const PIPELINE: usize = 256;
const ANSWER: Duration = Duration::from_secs(2);
/// A connection that says nothing is asked whether it is still there.
const ASK: Duration = Duration::from_secs(5);

#[derive(Serialize, Deserialize)]
struct Envelope {
    from: NodeId,
    message: BusMessage,
}

struct Outgoing {
    payload: Vec<u8>,
    lasting: bool,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Outgoing>,
    lasting: usize,
}

struct Shared {
    node: NodeId,
    client: redis::Client,
    channel: String,
    queue: Mutex<Queue>,
    news: Notify,
    connected: AtomicBool,
}

pub struct RedisBus {
    shared: Arc<Shared>,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl RedisBus {
    /// A node's place at the Redis of `url` (`redis://` or `rediss://`); nodes of one deployment share the `channel`.
    /// An error means that the address itself is not one.
    pub fn new(url: &str, channel: &str, node: NodeId) -> Result<Arc<Self>, redis::RedisError> {
        use redis::IntoConnectionInfo;
        let info = url.into_connection_info()?;
        let settings = info
            .redis_settings()
            .clone()
            .set_protocol(redis::ProtocolVersion::RESP3);
        let client = redis::Client::open(info.set_redis_settings(settings))?;
        Ok(Arc::new(Self {
            shared: Arc::new(Shared {
                node,
                client,
                channel: channel.to_owned(),
                queue: Mutex::default(),
                news: Notify::new(),
                connected: AtomicBool::new(false),
            }),
            task: Mutex::new(None),
        }))
    }
}

impl Bus for RedisBus {
    fn publish(&self, message: BusMessage) {
        let lasting = message.lasting();
        let shared = &self.shared;
        if !lasting && !shared.connected.load(Ordering::Relaxed) {
            return;
        }
        let payload = match serde_json::to_vec(&Envelope {
            from: shared.node,
            message,
        }) {
            Ok(payload) => payload,
            Err(error) => {
                tracing::error!(%error, "a bus message does not serialise");
                return;
            }
        };
        {
            let mut queue = lock(&shared.queue);
            let full = if lasting {
                queue.lasting >= LASTING_MAX
            } else {
                queue.waiting.len() - queue.lasting >= PASSING_MAX
            };
            if full {
                metrics::counter!("bus_dropped_total").increment(1);
                return;
            }
            queue.lasting += usize::from(lasting);
            queue.waiting.push_back(Outgoing { payload, lasting });
        }
        shared.news.notify_one();
    }

    fn attach(&self, sink: Sink) {
        let task = tokio::spawn(run(self.shared.clone(), sink));
        if let Some(earlier) = lock(&self.task).replace(task) {
            earlier.abort();
        }
    }

    fn connected(&self) -> bool {
        self.shared.connected.load(Ordering::Relaxed)
    }
}

impl Drop for RedisBus {
    fn drop(&mut self) {
        if let Some(task) = lock(&self.task).take() {
            task.abort();
        }
    }
}

async fn run(shared: Arc<Shared>, sink: Sink) {
    let mut wait = Duration::from_millis(50);
    let mut told = false;
    loop {
        match connect(&shared).await {
            Ok((connection, pushes)) => {
                tracing::info!("the bus is connected");
                shared.connected.store(true, Ordering::Relaxed);
                (wait, told) = (Duration::from_millis(50), false);
                let cause = converse(&shared, &sink, connection, pushes).await;
                shared.connected.store(false, Ordering::Relaxed);
                forget_passing(&shared);
                tracing::warn!(
                    cause,
                    "the bus is lost; facts come by the outbox poll until it is back"
                );
            }
            // Said once, not with every try.
            Err(error) if !told => {
                told = true;
                tracing::warn!(%error, "no bus; facts come by the outbox poll until it is there");
            }
            Err(_) => {}
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(Duration::from_secs(2));
    }
}

type Pushes = mpsc::UnboundedReceiver<PushInfo>;

async fn connect(shared: &Shared) -> Result<(MultiplexedConnection, Pushes), redis::RedisError> {
    let (sender, pushes) = mpsc::unbounded_channel();
    let config = AsyncConnectionConfig::new()
        .set_push_sender(sender)
        .set_connection_timeout(Some(ANSWER))
        .set_response_timeout(Some(ANSWER));
    let mut connection = shared
        .client
        .get_multiplexed_async_connection_with_config(&config)
        .await?;
    connection.subscribe(&shared.channel).await?;
    Ok((connection, pushes))
}

/// What nobody hears is of no use later; only lasting words are.
fn forget_passing(shared: &Shared) {
    lock(&shared.queue).waiting.retain(|m| m.lasting);
}

/// Speaks and listens until the connection ends; gives the cause.
async fn converse(
    shared: &Shared,
    sink: &Sink,
    connection: MultiplexedConnection,
    mut pushes: Pushes,
) -> String {
    // Two futures side by side, so that listening never waits for an answer to something said.
    let listening = async {
        while let Some(push) = pushes.recv().await {
            match push.kind {
                PushKind::Message => hear(shared, sink, &push.data),
                PushKind::Disconnection => break,
                _ => {}
            }
        }
        "disconnected".to_owned()
    };
    tokio::select! {
        cause = listening => cause,
        cause = speak(shared, connection) => cause,
    }
}

async fn speak(shared: &Shared, mut connection: MultiplexedConnection) -> String {
    loop {
        let batch: Vec<Outgoing> = {
            let mut queue = lock(&shared.queue);
            let n = queue.waiting.len().min(PIPELINE);
            let batch: Vec<_> = queue.waiting.drain(..n).collect();
            queue.lasting -= batch.iter().filter(|m| m.lasting).count();
            if queue.waiting.is_empty() {
                queue.waiting = VecDeque::new();
            }
            batch
        };
        if batch.is_empty() {
            if timeout(ASK, shared.news.notified()).await.is_err() {
                let ping = redis::cmd("PING");
                let asked = timeout(ANSWER, ping.query_async::<Value>(&mut connection)).await;
                match asked {
                    Ok(Ok(_)) => {}
                    Ok(Err(error)) => return error.to_string(),
                    Err(_) => return "no answer".into(),
                }
            }
            continue;
        }
        let mut pipeline = redis::pipe();
        for message in &batch {
            pipeline.publish(&shared.channel, &message.payload).ignore();
        }
        let sent = timeout(ANSWER, pipeline.query_async::<()>(&mut connection)).await;
        let cause = match sent {
            Ok(Ok(())) => continue,
            Ok(Err(error)) => error.to_string(),
            Err(_) => "no answer".into(),
        };
        // Perhaps some were heard: a control word may be heard twice.
        let mut queue = lock(&shared.queue);
        for message in batch.into_iter().rev().filter(|m| m.lasting) {
            queue.lasting += 1;
            queue.waiting.push_front(message);
        }
        return cause;
    }
}

fn hear(shared: &Shared, sink: &Sink, data: &[Value]) {
    let [_, Value::BulkString(payload)] = data else {
        return;
    };
    match serde_json::from_slice::<Envelope>(payload) {
        Ok(envelope) if envelope.from == shared.node => {}
        Ok(envelope) => sink(envelope.from, envelope.message),
        // A node of another version may say things that we do not know yet.
        Err(error) => tracing::debug!(%error, "a bus message that is not understood"),
    }
}
