//! The bus against a real Redis, which dies and comes back, and two nodes that deliver to each other over it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod kit;

use actors::bus::{Bus, BusMessage, Control, redis::RedisBus};
use protocol::{
    StreamId,
    ids::{NodeId, SessionId, UserId},
};
use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use tokio::time::sleep;

struct Redis {
    port: u16,
    folder: tempfile::TempDir,
    child: Option<Child>,
}

impl Redis {
    /// A place for a server that does not run yet.
    fn place() -> Self {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        Self {
            port,
            folder: tempfile::tempdir().unwrap(),
            child: None,
        }
    }
    fn start(&mut self) {
        let child = Command::new("redis-server")
            .args([
                "--port",
                &self.port.to_string(),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
            ])
            .arg("--dir")
            .arg(self.folder.path())
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server has to be installed");
        self.child = Some(child);
    }
    fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
    fn bus(&self, node: NodeId) -> Arc<RedisBus> {
        RedisBus::new(&format!("redis://127.0.0.1:{}/", self.port), "test", node).unwrap()
    }
}
impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}

type Heard = Arc<Mutex<Vec<BusMessage>>>;

fn listen(bus: &Arc<RedisBus>) -> Heard {
    let heard: Heard = Arc::default();
    let ears = heard.clone();
    bus.attach(Arc::new(move |_, message| ears.lock().unwrap().push(message)));
    heard
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        sleep(Duration::from_millis(10)).await;
    }
}

fn word(n: usize) -> BusMessage {
    BusMessage::Control(Control::Invalidate(n.to_string()))
}

#[actix_rt::test]
async fn comes_up_without_redis_survives_its_death_and_keeps_lasting_words() {
    let mut redis = Redis::place();
    let (a, b) = (redis.bus(NodeId::fresh()), redis.bus(NodeId::fresh()));
    let (heard_a, heard_b) = (listen(&a), listen(&b));
    sleep(Duration::from_millis(200)).await;
    assert!(!a.connected());
    redis.start();
    until("both connect", || a.connected() && b.connected()).await;
    for n in 0..1000 {
        a.publish(word(n));
    }
    until("all words in order", || heard_b.lock().unwrap().len() == 1000).await;
    assert_eq!(*heard_b.lock().unwrap(), (0..1000).map(word).collect::<Vec<_>>());
    assert!(heard_a.lock().unwrap().is_empty(), "nobody hears themselves");

    redis.kill();
    until("both notice", || !a.connected() && !b.connected()).await;
    let passing = BusMessage::PresenceAsked {
        ticket: protocol::ids::TicketId::fresh(),
    };
    a.publish(passing.clone());
    a.publish(word(7));
    redis.start();
    until("both come back", || a.connected() && b.connected()).await;
    // Whoever came back first may have spoken before the other listened; what comes now is heard in any case.
    b.publish(word(8));
    a.publish(word(9));
    until("new words flow", || {
        heard_b.lock().unwrap().last() == Some(&word(9))
    })
    .await;
    assert!(!heard_b.lock().unwrap().contains(&passing));
}

#[actix_rt::test]
async fn two_nodes_deliver_to_each_other() {
    let mut redis = Redis::place();
    redis.start();
    let world = kit::World::new();
    let nodes: Vec<_> = (0..2)
        .map(|_| {
            let mut config = world.config();
            config.node = NodeId::fresh();
            let bus = redis.bus(config.node);
            world.start(config, bus)
        })
        .collect();
    until("both are on the bus", || {
        nodes.iter().all(|n| n.stats().bus_connected)
    })
    .await;
    let user = UserId::fresh();
    let session = SessionId::fresh();
    let stream = StreamId::User(user);
    let line = kit::memory::connect(
        &nodes[1],
        &[&kit::auth_as(user, session, 60), &kit::subscribe(stream, None)],
    );
    until("subscribed", || {
        line.texts().iter().any(|t| t.contains("subscribed"))
    })
    .await;
    for _ in 0..50 {
        nodes[0].deliver(vec![world.commit(stream)]);
    }
    until("all facts", || {
        line.texts().iter().filter(|t| t.contains("\"event\"")).count() >= 50
    })
    .await;
    // Redis goes; the poll of the outbox brings what the bus does not.
    redis.kill();
    let facts: Vec<_> = (0..3).map(|_| world.commit(stream)).collect();
    nodes[0].deliver(facts.clone());
    nodes[1].deliver_polled(facts);
    until("by the poll", || {
        line.texts().iter().any(|t| t.contains("\"seq\":53"))
    })
    .await;
    // A revocation said meanwhile is obeyed when the bus is back, or at once on the node that says it.
    redis.start();
    until("both are back", || nodes.iter().all(|n| n.stats().bus_connected)).await;
    nodes[0].revoke_session(session);
    until("revoked on the other node", || line.closed()).await;
}
