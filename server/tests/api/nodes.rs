//! Two nodes on one database and one Redis: what one says, the sockets of the other hear at once.

use crate::{
    identity::{
        people::lift_caps,
        roles::{remove, role},
    },
    kit::{Client, STORE_EMPLOYEE, TestApp, live::Live},
    staff_people::edit,
};
use actors::bus::{
    Bus, BusMessage, Control, Sink,
    in_process::{Hub, InProcess},
    redis::RedisBus,
};
use protocol::ids::NodeId;
use serde_json::{Value, json};
use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    time::Duration,
};

struct Redis {
    child: Child,
    url: String,
    _folder: tempfile::TempDir,
}

impl Redis {
    fn start() -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port().to_string();
        drop(free);
        let folder = tempfile::tempdir().unwrap();
        let child = Command::new("redis-server")
            .args([
                "--port",
                &port,
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
            ])
            .arg(folder.path())
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server has to be installed");
        Self {
            child,
            url: format!("redis://127.0.0.1:{port}"),
            _folder: folder,
        }
    }

    fn bus(&self) -> Arc<dyn Bus> {
        RedisBus::new(&self.url, "test", NodeId::fresh()).unwrap()
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Both nodes, with their bus connected. Facts come by the outbox poll too; what these tests look at does not.
async fn two_nodes(redis: &Redis) -> (TestApp, TestApp) {
    let first = TestApp::start().await;
    let here = first.another_node(redis.bus()).await;
    let there = first.another_node(redis.bus()).await;
    for node in [&here, &there] {
        let mut tries = 0;
        while !node.live.stats().bus_connected {
            tries += 1;
            assert!(tries < 500, "the bus does not come up");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    (here, there)
}

async fn ticket(user: &Client) -> String {
    let body = json!({ "subject": "Meta diária", "description": "Quando volta a operar?", "category": "robot_trading" });
    let opened = user.post("/support/open-ticket", &body).await.ok();
    let id = [&opened["_id"], &opened["ticket"]["_id"]]
        .into_iter()
        .find_map(Value::as_str);
    id.unwrap_or_else(|| panic!("{opened}")).to_owned()
}

/// The next glimpse that is wanted; others are passed over.
async fn glimpse(live: &mut Live, wanted: impl Fn(&Value) -> bool) -> Value {
    loop {
        let message = live.expect("glimpse").await;
        if wanted(&message["glimpse"]) {
            return message["glimpse"].clone();
        }
    }
}

#[actix_web::test]
async fn presence_and_typing_cross_nodes() {
    let redis = Redis::start();
    let (here, there) = two_nodes(&redis).await;
    let (ana, staff) = (here.user("ana").await, here.admin("root").await);
    let ticket = ticket(&ana).await;
    let stream = format!("ticket:{ticket}");
    let (mut customer, mut agent) = (Live::open(&here, &ana).await, Live::open(&there, &staff).await);
    customer.subscribe(&stream).await;
    agent.subscribe(&stream).await;
    for live in [&mut customer, &mut agent] {
        let both = glimpse(live, |g| {
            g["kind"] == "presence" && g["users"].as_array().is_some_and(|users| users.len() == 2)
        })
        .await;
        let staff_here = |id: &str| {
            both["users"]
                .as_array()
                .unwrap()
                .iter()
                .find(|u| u["id"] == id)
                .map(|u| u["staff"].clone())
        };
        assert_eq!(staff_here(&ana.user.to_string()), Some(json!(false)), "{both}");
        assert_eq!(staff_here(&staff.user.to_string()), Some(json!(true)), "{both}");
    }
    for on in [true, false] {
        agent
            .say(&json!({ "op": "typing", "ticket": ticket, "on": on }))
            .await;
        let typing = glimpse(&mut customer, |g| g["kind"] == "typing" && g["on"] == on).await;
        assert_eq!(typing["user"], staff.user.to_string());
    }
    agent.say(&json!({ "op": "unsubscribe", "stream": stream })).await;
    let alone = glimpse(&mut customer, |g| {
        g["kind"] == "presence" && g["users"].as_array().is_some_and(|users| users.len() == 1)
    })
    .await;
    assert_eq!(alone["users"][0]["id"], ana.user.to_string());
}

#[actix_web::test]
async fn a_colleague_on_another_node_sees_who_decides() {
    let redis = Redis::start();
    let (here, there) = two_nodes(&redis).await;
    let (one, two) = (here.admin("one").await, here.admin("two").await);
    let (mut decides, mut looks) = (Live::open(&here, &one).await, Live::open(&there, &two).await);
    for live in [&mut decides, &mut looks] {
        live.subscribe("queue:pix-deposits").await;
    }
    let item = uuid::Uuid::now_v7();
    for on in [true, false] {
        decides
            .say(&json!({ "op": "deciding", "queue": "pix-deposits", "item": item, "on": on }))
            .await;
        let seen = glimpse(&mut looks, |g| g["kind"] == "deciding" && g["on"] == on).await;
        assert_eq!((&seen["item"], &seen["user"]), (&json!(item), &json!(one.user)));
    }
}

#[actix_web::test]
async fn a_revocation_reaches_the_other_node() {
    let redis = Redis::start();
    let (here, there) = two_nodes(&redis).await;
    let (ana, root) = (here.user("ana").await, here.admin("root").await);
    let (mut mine, mut other) = (Live::open(&there, &ana).await, Live::open(&there, &root).await);
    // A session that its owner ends on one node loses its sockets on the other.
    let status = ana.delete(&format!("/sessions/{}", ana.session)).await.status;
    assert!((200..300).contains(&status), "{status}");
    assert_eq!(mine.closed().await, 4002);
    // So do all sessions of a person whose rights change, with another word.
    here.live.scope_changed(root.user);
    assert_eq!(other.closed().await, 4003);
    // The token that is not expired yet opens no new socket there.
    let mut again = Live::connect(&there).await;
    again.say(&json!({ "op": "auth", "token": ana.token })).await;
    assert_eq!(again.closed().await, 4001);
}

/// The place of a node whose words reach the others when the test lets them go.
struct Withheld {
    line: Arc<InProcess>,
    kept: Mutex<Vec<BusMessage>>,
}

impl Withheld {
    fn at(hub: &Hub) -> Arc<Self> {
        Arc::new(Self {
            line: hub.node(NodeId::fresh()),
            kept: Mutex::default(),
        })
    }

    /// Lets what sockets obey go, and says what it was; everything else that was said is lost.
    fn let_go(&self) -> Vec<Control> {
        let kept = std::mem::take(&mut *self.kept.lock().unwrap());
        let mut gone = Vec::new();
        for message in kept {
            if let BusMessage::Control(word) = &message
                && !matches!(word, Control::Invalidate(_))
            {
                gone.push(word.clone());
                self.line.publish(message);
            }
        }
        gone
    }
}

impl Bus for Withheld {
    fn publish(&self, message: BusMessage) {
        self.kept.lock().unwrap().push(message);
    }

    fn attach(&self, sink: Sink) {
        self.line.attach(sink);
    }

    fn connected(&self) -> bool {
        true
    }
}

/// After a deed on another node: its fact has come by the poll, rights are read anew, and the socket is open all the same, until the word comes.
async fn closes_at_the_word(words: &Withheld, live: &mut Live, stream: &str, answer: &str, word: Control) {
    live.fact("user.changed").await;
    live.say(&json!({ "op": "subscribe", "stream": stream })).await;
    live.expect(answer).await;
    assert_eq!(words.let_go(), [word]);
}

/// Neither the poll nor the end of what a node remembers closes a socket, however long one waits: the word that follows the deed does.
#[actix_web::test]
async fn nothing_but_the_word_closes_a_socket() {
    let hub = Hub::default();
    let words = Withheld::at(&hub);
    let first = TestApp::start().await;
    let here = first.another_node(words.clone()).await;
    let there = first.another_node(hub.node(NodeId::fresh())).await;
    lift_caps(&here).await;
    let root = here.admin("root").await;
    let (ana, bia, rui) = (
        here.user("ana").await,
        here.person("bia", STORE_EMPLOYEE).await,
        here.user("rui").await,
    );
    let listening = async |who: &Client| {
        let mut live = Live::open(&there, who).await;
        live.subscribe(&format!("user:{}", who.user)).await;
        live
    };
    assert!(words.let_go().is_empty(), "nobody's socket is told anything yet");

    let mut socket = listening(&ana).await;
    let off = json!({ "status": "inactive", "reason": "documento vencido" });
    edit(&root, &ana, off).await.ok();
    let word = Control::ScopeChanged(ana.user);
    closes_at_the_word(&words, &mut socket, "public", "subscribed", word).await;
    assert_eq!(socket.closed().await, 4003);

    let mut socket = listening(&bia).await;
    remove(&root, &bia, &[role(&here, STORE_EMPLOYEE).await])
        .await
        .ok();
    let word = Control::ScopeChanged(bia.user);
    closes_at_the_word(&words, &mut socket, "queue:tickets", "denied", word).await;
    assert_eq!(socket.closed().await, 4003);

    let mut socket = listening(&rui).await;
    root.delete(&format!("/admin/user/{}/sessions", rui.user))
        .await
        .ok();
    let word = Control::RevokeUser(rui.user);
    closes_at_the_word(&words, &mut socket, "public", "denied", word).await;
    assert_eq!(socket.closed().await, 4002);
}

/// The next of the desk's facts about a ticket that is wanted; others are passed over.
async fn desk_of(queue: &mut Live, wanted: impl Fn(&Value) -> bool) -> Value {
    loop {
        let event = queue.fact("ticket.desk").await["event"].clone();
        if wanted(&event) {
            return event;
        }
    }
}

/// A customer and two who answer, on two nodes: all of them hear each message once and in order, and who has the ticket is seen on the other node at once.
#[actix_web::test]
async fn a_conversation_over_two_nodes() {
    const ROUNDS: i64 = 10;
    let redis = Redis::start();
    let (here, there) = two_nodes(&redis).await;
    let ana = here.user("ana").await;
    let (bia, rui) = (
        here.person("bia", STORE_EMPLOYEE).await,
        there.person("rui", STORE_EMPLOYEE).await,
    );
    let ticket = ticket(&ana).await;
    let mut all = [
        Live::open(&here, &ana).await,
        Live::open(&here, &bia).await,
        Live::open(&there, &rui).await,
    ];
    for live in &mut all {
        live.subscribe(&format!("ticket:{ticket}")).await;
    }
    let mut queue = Live::open(&there, &rui).await;
    queue.subscribe("queue:tickets").await;
    bia.post(&format!("/support/take-ticket/{ticket}"), &json!({}))
        .await
        .ok();
    desk_of(&mut queue, |fact| {
        fact["desk"]["takenBy"]["_id"] == json!(bia.user)
    })
    .await;
    let say = async |who: &Client, text: String| {
        let said = json!({ "ticketId": ticket, "text": text, "clientId": uuid::Uuid::now_v7() });
        who.post("/support/ticket-response", &said).await.ok()
    };
    for round in 0..ROUNDS {
        futures_util::join!(
            say(&ana, format!("ana {round}")),
            say(&bia, format!("bia {round}")),
            say(&rui, format!("rui {round}")),
        );
    }
    for live in &mut all {
        for number in 2..2 + 3 * ROUNDS {
            let told = live.fact("ticket.message").await["event"]["message"].clone();
            assert_eq!(told["number"], number, "{told}");
        }
    }
    // Their own words stand in the order in which each of them wrote.
    let read = ana
        .get(&format!("/support/get-ticket-user/{ticket}?limit=200"))
        .await
        .ok();
    let texts: Vec<&str> = read["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["text"].as_str().unwrap())
        .collect();
    for name in ["ana", "bia", "rui"] {
        let own: Vec<&str> = texts
            .iter()
            .copied()
            .filter(|text| text.starts_with(name))
            .collect();
        let written: Vec<String> = (0..ROUNDS).map(|round| format!("{name} {round}")).collect();
        assert_eq!(own, written);
    }
    bia.post(
        &format!("/support/hand-over-ticket/{ticket}"),
        &json!({ "to": rui.user }),
    )
    .await
    .ok();
    let handed = desk_of(&mut queue, |fact| {
        fact["desk"]["takenBy"]["_id"] == json!(rui.user)
    })
    .await;
    assert!(handed["handedBy"].is_string(), "{handed}");
}
