//! Real sockets against a real HTTP server: the hand-over, authentication, limits, resume, slow and frozen peers, close codes.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod kit;

use actix_web::{App, HttpRequest, HttpServer, dev::ServerHandle, web};
use actors::{Config, Credential, Gatekeeper, Realtime, bus::in_process::InProcess, session::transport};
use futures_util::{SinkExt, StreamExt};
use kit::{World, auth, auth_as, subscribe, token};
use protocol::{
    Glimpse, StreamId,
    ids::{SessionId, TicketId, UserId},
    server_message::{CloseReason, ServerMessage},
};
use std::{
    net::SocketAddr,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{sleep, timeout},
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Error, Message, client::IntoClientRequest},
};

struct Site {
    address: SocketAddr,
    realtime: Realtime,
    world: Arc<World>,
    server: ServerHandle,
}

fn site_with(change: impl FnOnce(&mut Config)) -> Site {
    let world = World::new();
    let mut config = world.config();
    config.arbiters = 2;
    config.linger = Duration::ZERO;
    change(&mut config);
    let realtime = world.start(config, InProcess::alone());
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let door = realtime.clone();
    let server = HttpServer::new(move || {
        let door = door.clone();
        App::new()
            .wrap(actix_web::middleware::Compress::default())
            .route("/plain", web::get().to(|| async { "plain" }))
            .route(
                "/ws",
                web::get().to(move |req: HttpRequest, payload: web::Payload| {
                    let peer = req.peer_addr().unwrap().ip();
                    let response = door.accept(&req, payload, peer);
                    async move { response }
                }),
            )
    })
    .on_connect(transport::on_connect)
    .workers(1)
    .disable_signals()
    .listen(listener)
    .unwrap()
    .run();
    let handle = server.handle();
    actix_rt::spawn(server);
    Site {
        address,
        realtime,
        world,
        server: handle,
    }
}

fn site() -> Site {
    site_with(|_| {})
}

impl Site {
    fn url(&self) -> String {
        format!("ws://{}/ws", self.address)
    }

    async fn connect(&self) -> Client {
        Client(
            timeout(Duration::from_secs(60), connect_async(self.url()))
                .await
                .unwrap()
                .unwrap()
                .0,
        )
    }

    /// A client that is signed in.
    async fn enter(&self, user: UserId) -> Client {
        let mut client = self.connect().await;
        client.say(auth(user)).await;
        assert!(matches!(client.hear().await, ServerMessage::Welcome { user: u, .. } if u == user));
        client
    }

    async fn wait_for(&self, what: &str, holds: impl Fn(actors::Stats) -> bool) {
        for _ in 0..6_000 {
            if holds(self.realtime.stats()) {
                return;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("{what}: {:?}", self.realtime.stats());
    }
}

struct Client(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Client {
    async fn say(&mut self, text: String) {
        self.0.send(Message::text(text)).await.unwrap();
    }

    async fn frame(&mut self) -> Result<Message, Error> {
        timeout(Duration::from_secs(60), self.0.next())
            .await
            .expect("nothing comes")
            .unwrap_or(Err(Error::ConnectionClosed))
    }

    async fn hear(&mut self) -> ServerMessage {
        loop {
            match self.frame().await.unwrap() {
                Message::Text(text) => return serde_json::from_str(&text).unwrap(),
                Message::Ping(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    async fn seqs(&mut self, count: usize) -> Vec<i64> {
        let mut seqs = vec![];
        while seqs.len() < count {
            match self.hear().await {
                ServerMessage::Event { seq, .. } => seqs.push(seq),
                ServerMessage::Heartbeat { .. } => {}
                other => panic!("{other:?} after {seqs:?}"),
            }
        }
        seqs
    }

    async fn closed(&mut self) -> u16 {
        loop {
            match self.frame().await {
                Ok(Message::Close(Some(close))) => return close.code.into(),
                Ok(Message::Close(None)) => return 1005,
                Ok(_) => {}
                Err(error) => panic!("no close frame: {error}"),
            }
        }
    }

    /// The close code, where nothing else comes before it.
    async fn closed_next(&mut self) -> u16 {
        match self.frame().await {
            Ok(Message::Close(Some(close))) => close.code.into(),
            other => panic!("{other:?}"),
        }
    }

    async fn subscribe(&mut self, stream: StreamId, place: Option<(i32, i64)>) -> i64 {
        self.say(subscribe(stream, place)).await;
        loop {
            match self.hear().await {
                ServerMessage::Subscribed { stream: s, seq, .. } if s == stream => return seq,
                ServerMessage::Heartbeat { .. } => {}
                other => panic!("{other:?}"),
            }
        }
    }
}

const fn code(reason: CloseReason) -> u16 {
    reason.code()
}

#[actix_rt::test]
async fn facts_flow_and_resume_after_a_cut() {
    let site = site();
    let user = UserId::fresh();
    let stream = StreamId::User(user);
    let mut client = site.enter(user).await;
    assert_eq!(client.subscribe(stream, None).await, 0);
    for _ in 0..3 {
        site.realtime.deliver(vec![site.world.commit(stream)]);
    }
    assert_eq!(client.seqs(3).await, [1, 2, 3]);
    drop(client);
    site.wait_for("the stream is forgotten", |s| s.actors == 0).await;
    for _ in 0..4 {
        site.realtime.deliver(vec![site.world.commit(stream)]);
    }
    let mut client = site.enter(user).await;
    assert_eq!(client.subscribe(stream, Some((0, 3))).await, 3);
    assert_eq!(client.seqs(4).await, [4, 5, 6, 7]);
    // Too long ago: everything anew, then what is new.
    site.world.prune(stream, 7);
    client.say(subscribe(stream, Some((0, 2)))).await;
    assert_eq!(
        client.hear().await,
        ServerMessage::Reset {
            stream,
            epoch: 0,
            seq: 7
        }
    );
    site.realtime.deliver(vec![site.world.commit(stream)]);
    assert_eq!(client.seqs(1).await, [8]);
}

#[actix_rt::test]
async fn an_ordinary_request_on_the_same_connection_before_the_handshake_does_no_harm() {
    let site = site();
    let mut stream = TcpStream::connect(site.address).await.unwrap();
    stream
        .write_all(b"GET /plain HTTP/1.1\r\nHost: a\r\n\r\n")
        .await
        .unwrap();
    let mut buffer = [0; 4096];
    let n = stream.read(&mut buffer).await.unwrap();
    assert!(String::from_utf8_lossy(&buffer[..n]).contains("200 OK"));
    // The handshake and, without waiting for its answer, the first message in pieces.
    let text = auth(UserId::fresh());
    let mut frame = vec![0x81, 0xFE];
    frame.extend_from_slice(&u16::try_from(text.len()).unwrap().to_be_bytes());
    frame.extend_from_slice(&[0; 4]);
    frame.extend_from_slice(text.as_bytes());
    let mut all = b"GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".to_vec();
    all.extend_from_slice(&frame);
    let (early, late) = all.split_at(all.len() - 20);
    stream.write_all(early).await.unwrap();
    sleep(Duration::from_millis(100)).await;
    stream.write_all(late).await.unwrap();
    let mut seen = String::new();
    while !seen.contains("welcome") {
        let n = timeout(Duration::from_secs(60), stream.read(&mut buffer))
            .await
            .unwrap()
            .unwrap();
        assert!(n > 0, "{seen}");
        seen.push_str(&String::from_utf8_lossy(&buffer[..n]));
    }
    assert!(seen.starts_with("HTTP/1.1 101 Switching Protocols\r\n"), "{seen}");
    assert!(seen.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{seen}");
}

#[actix_rt::test]
async fn silence_before_authentication_ends_at_its_deadline() {
    let site = site_with(|c| c.auth_deadline = Duration::from_millis(700));
    let mut client = site.connect().await;
    let began = Instant::now();
    assert_eq!(client.closed().await, code(CloseReason::AuthTimeout));
    assert!(began.elapsed() >= Duration::from_millis(600));
    site.wait_for("the place is free again", |s| {
        s.sessions == 0 && s.unauthenticated == 0
    })
    .await;
}

#[actix_rt::test]
async fn strangers_are_turned_away() {
    let site = site();
    let mut client = site.connect().await;
    client
        .say("{\"op\":\"auth\",\"token\":\"nonsense\"}".into())
        .await;
    assert_eq!(client.closed().await, code(CloseReason::Unauthenticated));
    let mut client = site.connect().await;
    client.say(subscribe(StreamId::Public, None)).await;
    assert_eq!(client.closed().await, code(CloseReason::Unauthenticated));
    // Another's stream, an unknown queue for this person: the same answer.
    let mut client = site.enter(UserId::fresh()).await;
    let other = StreamId::User(UserId::fresh());
    client.say(subscribe(other, None)).await;
    assert_eq!(client.hear().await, ServerMessage::Denied { stream: other });
    let ticket = TicketId::fresh();
    client
        .say(format!(
            "{{\"op\":\"typing\",\"ticket\":\"{ticket}\",\"on\":true}}"
        ))
        .await;
    assert_eq!(
        client.hear().await,
        ServerMessage::Denied {
            stream: StreamId::Ticket(ticket)
        }
    );
}

#[actix_rt::test]
async fn a_one_time_ticket_opens_once() {
    let site = site();
    let identity = site
        .world
        .authenticate(Credential::Token(token(UserId::fresh(), SessionId::fresh(), 60)))
        .await
        .unwrap();
    site.world
        .tickets
        .lock()
        .unwrap()
        .insert("abc".into(), identity.clone());
    let request = || {
        let mut request = site.url().into_client_request().unwrap();
        request
            .headers_mut()
            .insert("Sec-WebSocket-Protocol", "arbora.v1, ticket.abc".parse().unwrap());
        request
    };
    let (socket, response) = connect_async(request()).await.unwrap();
    assert_eq!(response.headers()["sec-websocket-protocol"], "arbora.v1");
    let mut client = Client(socket);
    assert!(matches!(client.hear().await, ServerMessage::Welcome { user, .. } if user == identity.user));
    let mut again = Client(connect_async(request()).await.unwrap().0);
    assert_eq!(again.closed().await, code(CloseReason::Unauthenticated));
}

#[actix_rt::test]
async fn a_token_ends_unless_a_newer_one_comes_in_band() {
    let site = site();
    let (user, session) = (UserId::fresh(), SessionId::fresh());
    let mut stays = site.connect().await;
    stays.say(auth_as(user, session, 1)).await;
    stays.hear().await;
    stays
        .say(format!(
            "{{\"op\":\"refresh\",\"token\":\"{}\"}}",
            token(user, session, 60)
        ))
        .await;
    let mut goes = site.connect().await;
    goes.say(auth_as(user, SessionId::fresh(), 1)).await;
    goes.hear().await;
    assert_eq!(goes.closed().await, code(CloseReason::Unauthenticated));
    // Another's token is no refresh.
    stays
        .say(format!(
            "{{\"op\":\"refresh\",\"token\":\"{}\"}}",
            token(UserId::fresh(), session, 60)
        ))
        .await;
    assert_eq!(stays.closed().await, code(CloseReason::Unauthenticated));
}

#[actix_rt::test]
async fn oversized_disguised_and_flooding_clients_are_closed_with_their_reason() {
    let site = site();
    let mut client = site.enter(UserId::fresh()).await;
    client.say("x".repeat(64 * 1024 + 1)).await;
    assert_eq!(client.closed().await, code(CloseReason::TooLarge));
    // Exactly 64 KB is read, and then found to be nonsense.
    let mut client = site.enter(UserId::fresh()).await;
    client.say("x".repeat(64 * 1024)).await;
    assert_eq!(client.closed().await, code(CloseReason::BadMessage));
    let mut client = site.enter(UserId::fresh()).await;
    client.0.send(Message::binary(vec![1, 2, 3])).await.unwrap();
    assert_eq!(client.closed().await, code(CloseReason::BadMessage));
    let mut client = site.enter(UserId::fresh()).await;
    client
        .say("{\"op\":\"subscribe\",\"stream\":\"public\",\"more\":1}".into())
        .await;
    assert_eq!(client.closed().await, code(CloseReason::BadMessage));
    let mut client = site.enter(UserId::fresh()).await;
    for _ in 0..200 {
        let _ = client.0.send(Message::text("{\"op\":\"hb\"}")).await;
    }
    assert_eq!(client.closed().await, code(CloseReason::TooMany));
    site.wait_for("all are gone", |s| s.sessions == 0 && s.users == 0)
        .await;
}

#[actix_rt::test]
async fn revoking_and_changing_scope_close_at_once_everywhere() {
    let site = site();
    let (user, session) = (UserId::fresh(), SessionId::fresh());
    let mut one = site.connect().await;
    one.say(auth_as(user, session, 60)).await;
    one.hear().await;
    let mut two = site.enter(user).await;
    let mut other = site.enter(UserId::fresh()).await;
    // Both are told: the first heartbeat of a session comes after twenty seconds at the earliest.
    site.realtime.revoke_session(session);
    assert_eq!(one.closed_next().await, code(CloseReason::Revoked));
    site.realtime.scope_changed(user);
    assert_eq!(two.closed_next().await, code(CloseReason::ScopeChanged));
    // While its authentication is under way, too.
    site.world.slow.store(300, Ordering::SeqCst);
    let mut late = site.connect().await;
    late.say(auth(user)).await;
    sleep(Duration::from_millis(100)).await;
    site.realtime.revoke_user(user);
    assert_eq!(late.closed().await, code(CloseReason::Revoked));
    site.world.slow.store(0, Ordering::SeqCst);
    assert_eq!(other.subscribe(StreamId::Public, None).await, 0);
}

#[actix_rt::test]
async fn limits_hold_per_address_and_per_user() {
    let site = site_with(|c| {
        c.unauthenticated_per_address = 3;
        c.sessions_per_user = 2;
    });
    let user = UserId::fresh();
    let (mut a, _b) = (site.enter(user).await, site.enter(user).await);
    let mut third = site.connect().await;
    third.say(auth(user)).await;
    assert_eq!(third.closed().await, code(CloseReason::TooMany));
    drop(third);
    site.wait_for("the third is gone", |s| s.sessions == 2).await;
    let strangers = [site.connect().await, site.connect().await, site.connect().await];
    match connect_async(site.url()).await {
        Err(Error::Http(response)) => {
            assert_eq!(
                (response.status().as_u16(), &response.headers()["retry-after"]),
                (503, &"5".parse().unwrap())
            );
        }
        other => panic!("{other:?}"),
    }
    drop(strangers);
    site.wait_for("the strangers are gone", |s| s.unauthenticated == 0)
        .await;
    assert_eq!(a.subscribe(StreamId::Public, None).await, 0);
}

/// Reads nothing at all after its subscription.
async fn freeze(site: &Site, user: UserId) -> TcpStream {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(site.address).await.unwrap();
    let mut all = b"GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".to_vec();
    for text in [auth(user), subscribe(StreamId::User(user), None)] {
        all.extend_from_slice(&[0x81, 0xFE]);
        all.extend_from_slice(&u16::try_from(text.len()).unwrap().to_be_bytes());
        all.extend_from_slice(&[0; 4]);
        all.extend_from_slice(text.as_bytes());
    }
    stream.write_all(&all).await.unwrap();
    let mut seen = String::new();
    let mut buffer = [0; 4096];
    while !seen.contains("subscribed") {
        let n = stream.read(&mut buffer).await.unwrap();
        seen.push_str(&String::from_utf8_lossy(&buffer[..n]));
    }
    stream
}

#[actix_rt::test]
async fn a_slow_reader_is_closed_and_costs_its_queue_and_nothing_else() {
    let site = site();
    let (slow, quick) = (UserId::fresh(), UserId::fresh());
    let mut reader = site.enter(quick).await;
    reader.subscribe(StreamId::User(quick), None).await;
    let frozen = freeze(&site, slow).await;
    let mut highest = 0;
    for _ in 0..400 {
        let before = site.realtime.stats().queued_bytes;
        site.realtime
            .deliver(vec![site.world.commit_sized(StreamId::User(slow), 32 * 1024)]);
        // One after the other, so that the queue is seen growing; the first ones go to the peer's own buffers.
        for _ in 0..if highest == 0 { 10 } else { 1_000 } {
            sleep(Duration::from_millis(1)).await;
            let stats = site.realtime.stats();
            highest = highest.max(stats.queued_bytes);
            if stats.users == 1 || stats.queued_bytes != before {
                break;
            }
        }
        if site.realtime.stats().users == 1 {
            break;
        }
    }
    assert!(highest > 200_000, "the peer took everything: {highest}");
    assert!(
        highest <= 1024 * 1024 + 40 * 1024,
        "more waited than may wait: {highest}"
    );
    site.wait_for("the slow one is closed and its queue is free", |s| {
        s.sessions == 1 && s.queued_bytes == 0
    })
    .await;
    site.realtime
        .deliver(vec![site.world.commit(StreamId::User(quick))]);
    assert_eq!(reader.seqs(1).await, [1]);
    drop(frozen);
    // It comes back and resumes: nothing is lost.
    let head = site.world.head_of(StreamId::User(slow)).1;
    let mut back = site.enter(slow).await;
    assert_eq!(
        back.subscribe(StreamId::User(slow), Some((0, head - 3))).await,
        head - 3
    );
    assert_eq!(back.seqs(3).await, [head - 2, head - 1, head]);
}

#[actix_rt::test]
async fn a_frozen_peer_is_gone_after_its_silence_even_with_stuck_writes() {
    let site = site_with(|c| {
        c.silence = Duration::from_secs(8);
        c.heartbeat = Duration::from_millis(500);
    });
    let user = UserId::fresh();
    let mut alive = site.enter(UserId::fresh()).await;
    let _frozen = freeze(&site, user).await;
    for _ in 0..30 {
        site.realtime
            .deliver(vec![site.world.commit_sized(StreamId::User(user), 20_000)]);
    }
    // The living one answers pings, which its library does while it reads.
    let mut beats = 0;
    while site.realtime.stats().sessions == 2 {
        beats += usize::from(matches!(alive.hear().await, ServerMessage::Heartbeat { .. }));
    }
    assert!(beats > 0);
    site.wait_for("only the frozen one is gone", |s| {
        s.sessions == 1 && s.queued_bytes == 0
    })
    .await;
    alive.hear().await;
}

#[actix_rt::test]
async fn heartbeats_carry_the_numbers_of_the_streams() {
    let site = site_with(|c| c.heartbeat = Duration::from_millis(600));
    let user = UserId::fresh();
    let stream = StreamId::User(user);
    let mut client = site.enter(user).await;
    client.subscribe(stream, None).await;
    site.realtime
        .deliver(vec![site.world.commit(stream), site.world.commit(stream)]);
    client.seqs(2).await;
    match client.hear().await {
        ServerMessage::Heartbeat { hb } => assert_eq!(hb.into_iter().collect::<Vec<_>>(), [(stream, 2)]),
        other => panic!("{other:?}"),
    }
}

#[actix_rt::test]
async fn typing_presence_read_marks_and_the_desk() {
    let site = site();
    let (ana, bia) = (UserId::fresh(), UserId::fresh());
    let ticket = TicketId::fresh();
    let stream = StreamId::Ticket(ticket);
    let mut a = site.enter(ana).await;
    a.subscribe(stream, None).await;
    let present = |message: ServerMessage| match message {
        ServerMessage::Glimpse { glimpse, .. } => match *glimpse {
            Glimpse::Presence { users, .. } => users.len(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    assert_eq!(present(a.hear().await), 1);
    let mut b = site.enter(bia).await;
    b.subscribe(stream, None).await;
    assert_eq!(present(a.hear().await), 2);
    assert_eq!(present(b.hear().await), 2);
    b.say(format!(
        "{{\"op\":\"typing\",\"ticket\":\"{ticket}\",\"on\":true}}"
    ))
    .await;
    match a.hear().await {
        ServerMessage::Glimpse { glimpse, .. } => {
            assert!(matches!(*glimpse, Glimpse::Typing { user, on: true, .. } if user == bia));
        }
        other => panic!("{other:?}"),
    }
    b.say(format!("{{\"op\":\"read\",\"ticket\":\"{ticket}\",\"upTo\":7}}"))
        .await;
    a.say("{\"op\":\"watch\",\"topic\":\"desk\"}".into()).await;
    while site.world.read.lock().unwrap().is_empty() {
        sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(*site.world.read.lock().unwrap(), [(bia, ticket, 7)]);
    drop(b);
    assert_eq!(present(a.hear().await), 1);
    let began = Instant::now();
    for n in 0..50 {
        let quote = protocol::glimpse::QuoteView {
            venue: "v".into(),
            symbol: "s".into(),
            bid: n.to_string(),
            ask: "9".into(),
        };
        site.realtime.glimpse(Glimpse::Quote(quote));
        sleep(Duration::from_millis(2)).await;
    }
    let mut bids = vec![];
    while bids.last().map(String::as_str) != Some("49") {
        if let ServerMessage::Glimpse { glimpse, .. } = a.hear().await
            && let Glimpse::Quote(quote) = *glimpse
        {
            bids.push(quote.bid);
        }
    }
    let most = began.elapsed().as_millis() / 200 + 2;
    assert!(
        u128::try_from(bids.len()).unwrap() <= most,
        "at most five a second: {bids:?}"
    );
}

#[actix_rt::test]
async fn drain_announces_closes_refuses_and_lets_the_server_stop_at_once() {
    let site = site();
    let mut clients = vec![];
    for _ in 0..12 {
        clients.push(site.enter(UserId::fresh()).await);
    }
    let realtime = site.realtime.clone();
    let draining = actix_rt::spawn(async move { realtime.drain(Duration::from_millis(400)).await });
    assert_eq!(clients[0].hear().await, ServerMessage::Drain { within_ms: 400 });
    assert!(matches!(connect_async(site.url()).await, Err(Error::Http(r)) if r.status().as_u16() == 503));
    for client in &mut clients {
        assert_eq!(client.closed().await, code(CloseReason::GoingAway));
    }
    drop(clients);
    draining.await.unwrap();
    assert_eq!(site.realtime.stats().sessions, 0);
    // Left to itself it would wait half a minute for open connections.
    timeout(Duration::from_secs(20), site.server.stop(true))
        .await
        .expect("a connection is still open");
}

#[actix_rt::test]
async fn an_unreachable_database_is_an_answer_and_no_end() {
    let site = site();
    let mut client = site.enter(UserId::fresh()).await;
    site.world.down.store(true, Ordering::SeqCst);
    client.say(subscribe(StreamId::Public, None)).await;
    let unavailable = ServerMessage::Error {
        code: protocol::ErrorCode::Unavailable,
    };
    assert_eq!(client.hear().await, unavailable);
    site.world.down.store(false, Ordering::SeqCst);
    assert_eq!(client.subscribe(StreamId::Public, None).await, 0);
}

#[actix_rt::test]
async fn an_audience_larger_than_a_turn_gets_everything() {
    let site = site_with(|c| {
        c.unauthenticated_per_address = 10_000;
        c.unauthenticated_per_node = 10_000;
    });
    let lines: Vec<_> = (0..1_200)
        .map(|_| {
            let texts = [auth(UserId::fresh()), subscribe(StreamId::Public, None)];
            kit::memory::connect(&site.realtime, &[&texts[0], &texts[1]])
        })
        .collect();
    let all = async |what: &str, count: usize| {
        let began = Instant::now();
        while !lines
            .iter()
            .all(|l| l.texts().iter().filter(|t| t.contains(what)).count() == count)
        {
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "not everyone has {count} {what}"
            );
            sleep(Duration::from_millis(50)).await;
        }
    };
    all("subscribed", 1).await;
    for _ in 0..5 {
        site.realtime.deliver(vec![site.world.commit(StreamId::Public)]);
    }
    all("\"event\"", 5).await;
}

#[actix_rt::test]
async fn after_a_churn_nothing_is_left() {
    let site = site_with(|c| c.unauthenticated_per_address = 1000);
    for _ in 0..5 {
        let mut clients = vec![];
        for _ in 0..40 {
            let user = UserId::fresh();
            let mut client = site.enter(user).await;
            client.subscribe(StreamId::User(user), None).await;
            client.subscribe(StreamId::Public, None).await;
            clients.push(client);
        }
        assert_eq!(site.realtime.stats().actors, 41);
        drop(clients);
        site.wait_for("no session, no actor", |s| {
            s.sessions == 0 && s.actors == 0 && s.users == 0
        })
        .await;
    }
}
