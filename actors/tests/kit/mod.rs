//! A server's side in memory: streams of facts as a database has them, people with tokens and tickets, faults on demand.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

pub mod memory;
pub mod pipe;

use actors::{
    Config, Credential, Gatekeeper, Head, Identity, Inbound, Ports, Range, Realtime, Refusal, Replay,
    bus::Bus,
};
use async_trait::async_trait;
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{SessionId, TicketId, UserId},
    live_event::Numbered,
    permission::Permissions,
};
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};
use time::OffsetDateTime;
use tokio::time::Instant;

#[derive(Default)]
pub struct Log {
    pub epoch: i32,
    pub facts: Vec<Numbered>,
    /// Facts up to here are not there any more.
    pub pruned: i64,
}

pub struct World {
    began: Instant,
    pub logs: Mutex<HashMap<StreamId, Log>>,
    pub tickets: Mutex<HashMap<String, Identity>>,
    pub revoked: Mutex<HashSet<SessionId>>,
    /// Who speaks for the house.
    pub staff: Mutex<HashSet<UserId>>,
    pub read: Mutex<Vec<(UserId, TicketId, i64)>>,
    /// Nothing answers.
    pub down: AtomicBool,
    /// How long every answer takes, in milliseconds.
    pub slow: AtomicU64,
    pub asked: AtomicUsize,
}

impl World {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            began: Instant::now(),
            logs: Mutex::default(),
            tickets: Mutex::default(),
            revoked: Mutex::default(),
            staff: Mutex::default(),
            read: Mutex::default(),
            down: AtomicBool::new(false),
            slow: AtomicU64::new(0),
            asked: AtomicUsize::new(0),
        })
    }

    pub fn now(&self) -> OffsetDateTime {
        OffsetDateTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000) + self.began.elapsed()
    }

    /// The documented figures, on this world's clock and the caller's own thread.
    pub fn config(self: &Arc<Self>) -> Config {
        let world = self.clone();
        let mut config = Config::new(Arc::new(move || world.now()));
        config.arbiters = 0;
        config
    }

    pub fn ports(self: &Arc<Self>) -> Ports {
        Ports {
            replay: self.clone(),
            gatekeeper: self.clone(),
            inbound: self.clone(),
        }
    }

    pub fn start(self: &Arc<Self>, config: Config, bus: Arc<dyn Bus>) -> Realtime {
        Realtime::start(config, self.ports(), bus)
    }

    /// A fact as it is after its commit.
    pub fn commit(&self, stream: StreamId) -> Numbered {
        self.commit_sized(stream, 1)
    }

    pub fn commit_sized(&self, stream: StreamId, bytes: usize) -> Numbered {
        let mut logs = self.logs.lock().unwrap();
        let log = logs.entry(stream).or_default();
        let seq = log.pruned.max(log.facts.last().map_or(0, |f| f.seq)) + 1;
        let event = LiveEvent::Announcement {
            code: "x".repeat(bytes),
            params: serde_json::json!({ "n": seq }),
        };
        let fact = Numbered {
            stream,
            epoch: log.epoch,
            seq,
            at: OffsetDateTime::UNIX_EPOCH,
            event,
        };
        log.facts.push(fact.clone());
        fact
    }

    pub fn head_of(&self, stream: StreamId) -> (i32, i64) {
        let logs = self.logs.lock().unwrap();
        logs.get(&stream).map_or((0, 0), |l| {
            (l.epoch, l.facts.last().map_or(l.pruned, |f| f.seq.max(l.pruned)))
        })
    }

    /// Facts up to `seq` are deleted.
    pub fn prune(&self, stream: StreamId, seq: i64) {
        let mut logs = self.logs.lock().unwrap();
        let log = logs.entry(stream).or_default();
        log.facts.retain(|f| f.seq > seq);
        log.pruned = log.pruned.max(seq);
    }

    async fn answer(&self) -> Result<(), Refusal> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let slow = self.slow.load(Ordering::SeqCst);
        if slow > 0 {
            tokio::time::sleep(Duration::from_millis(slow)).await;
        }
        if self.down.load(Ordering::SeqCst) {
            Err(Refusal::Unavailable)
        } else {
            Ok(())
        }
    }
}

/// A token that says who one is: `user/session/seconds of life`.
pub fn token(user: UserId, session: SessionId, seconds: i64) -> String {
    format!("{user}/{session}/{seconds}")
}

pub fn auth(user: UserId) -> String {
    auth_as(user, SessionId::fresh(), 3600)
}

pub fn auth_as(user: UserId, session: SessionId, seconds: i64) -> String {
    format!(
        "{{\"op\":\"auth\",\"token\":\"{}\"}}",
        token(user, session, seconds)
    )
}

pub fn subscribe(stream: StreamId, place: Option<(i32, i64)>) -> String {
    match place {
        None => format!("{{\"op\":\"subscribe\",\"stream\":\"{stream}\"}}"),
        Some((epoch, seq)) => {
            format!("{{\"op\":\"subscribe\",\"stream\":\"{stream}\",\"epoch\":{epoch},\"seq\":{seq}}}")
        }
    }
}

#[async_trait]
impl Replay for World {
    async fn range(&self, stream: StreamId, epoch: i32, from_seq: i64, max: usize) -> Result<Range, Refusal> {
        self.answer().await?;
        let logs = self.logs.lock().unwrap();
        let Some(log) = logs.get(&stream) else {
            return Ok(Range::Facts(vec![]));
        };
        if log.epoch != epoch || from_seq <= log.pruned {
            return Ok(Range::Gone);
        }
        Ok(Range::Facts(
            log.facts
                .iter()
                .filter(|f| f.seq >= from_seq)
                .take(max)
                .cloned()
                .collect(),
        ))
    }
    async fn head(&self, stream: StreamId) -> Result<Head, Refusal> {
        self.answer().await?;
        let (epoch, seq) = self.head_of(stream);
        Ok(Head { epoch, seq })
    }
}

#[async_trait]
impl Gatekeeper for World {
    async fn authenticate(&self, credential: Credential) -> Result<Identity, Refusal> {
        self.answer().await?;
        match credential {
            Credential::Ticket(ticket) => self
                .tickets
                .lock()
                .unwrap()
                .remove(&ticket)
                .ok_or(Refusal::Refused),
            Credential::Token(token) => {
                let parts: Vec<&str> = token.split('/').collect();
                let [user, session, seconds] = parts[..] else {
                    return Err(Refusal::Refused);
                };
                let session = session.parse().map_err(|_| Refusal::Refused)?;
                if self.revoked.lock().unwrap().contains(&session) {
                    return Err(Refusal::Refused);
                }
                let seconds: i64 = seconds.parse().map_err(|_| Refusal::Refused)?;
                let user = user.parse().map_err(|_| Refusal::Refused)?;
                Ok(Identity {
                    user,
                    session,
                    name: "Someone".into(),
                    permissions: Permissions::NONE,
                    staff: self.staff.lock().unwrap().contains(&user),
                    expires_at: self.now() + time::Duration::seconds(seconds),
                })
            }
        }
    }

    /// One's own stream, every ticket and what is public; queues for staff.
    async fn may_subscribe(&self, identity: &Identity, stream: StreamId) -> Result<bool, Refusal> {
        self.answer().await?;
        Ok(match stream {
            StreamId::User(user) => user == identity.user,
            StreamId::Ticket(_) | StreamId::Public => true,
            StreamId::Queue(_) => identity.staff,
        })
    }
}

#[async_trait]
impl Inbound for World {
    async fn read(&self, identity: &Identity, ticket: TicketId, up_to: i64) -> Result<(), ErrorCode> {
        self.answer().await.map_err(|_| ErrorCode::Unavailable)?;
        self.read.lock().unwrap().push((identity.user, ticket, up_to));
        Ok(())
    }
}
