//! How fast one message reaches thousands of sockets, and what an idle socket costs: our real-time part, a bare
//! actix-web-actors server, and the ceiling, a plain loop of one write per socket. Each server runs in a process of its own,
//! all are measured by the same client on the same machine, one after the other.
//!
//! `cargo run --release -p actors --example broadcast_bench -- [sockets] [rounds]`

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::expect_used
)]

use actix::{Actor, Addr, AsyncContext, Handler, StreamHandler};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use actix_web_actors::ws;
use actors::{
    Config, Credential, Gatekeeper, Head, Identity, Inbound, Ports, Range, Realtime, Refusal, Replay,
    bus::in_process::InProcess, session::transport,
};
use async_trait::async_trait;
use bytestring::ByteString;
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{SessionId, TicketId, UserId},
    live_event::Numbered,
    permission::Permissions,
};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use time::OffsetDateTime;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const PAYLOAD: usize = 200;
const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

// ---------------------------------------------------------------- servers

struct Memory(AtomicI64);

#[async_trait]
impl Replay for Memory {
    async fn range(&self, _: StreamId, _: i32, _: i64, _: usize) -> Result<Range, Refusal> {
        Ok(Range::Facts(vec![]))
    }
    async fn head(&self, stream: StreamId) -> Result<Head, Refusal> {
        let seq = if stream == StreamId::Public {
            self.0.load(Ordering::SeqCst)
        } else {
            0
        };
        Ok(Head { epoch: 1, seq })
    }
}
#[async_trait]
impl Gatekeeper for Memory {
    async fn authenticate(&self, credential: Credential) -> Result<Identity, Refusal> {
        let Credential::Token(token) = credential else {
            return Err(Refusal::Refused);
        };
        Ok(Identity {
            user: token.parse().map_err(|_| Refusal::Refused)?,
            session: SessionId::fresh(),
            name: "Someone".into(),
            permissions: Permissions::NONE,
            staff: false,
            expires_at: NOW + Duration::from_secs(86_400),
        })
    }
    async fn may_subscribe(&self, _: &Identity, _: StreamId) -> Result<bool, Refusal> {
        Ok(true)
    }
}
#[async_trait]
impl Inbound for Memory {
    async fn read(&self, _: &Identity, _: TicketId, _: i64) -> Result<(), ErrorCode> {
        Ok(())
    }
}

fn fact(seq: i64) -> Numbered {
    let mut fact = Numbered {
        stream: StreamId::Public,
        epoch: 1,
        seq,
        at: NOW,
        event: LiveEvent::Announcement {
            code: "x".into(),
            params: serde_json::Value::Null,
        },
    };
    let bare = actors::channel::encode(&fact).len();
    let pad = PAYLOAD.saturating_sub(bare);
    fact.event = LiveEvent::Announcement {
        code: "x".repeat(pad + 1),
        params: serde_json::Value::Null,
    };
    fact
}

/// Reads `p <count>` from standard input: publish so many messages at once. Answers with the bytes that each socket gets.
fn commands(mut publish: impl FnMut(usize) -> usize) {
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let count = line.trim_start_matches("p ").parse().unwrap_or(1);
        println!("{}", publish(count));
    }
    std::process::exit(0);
}

fn listen() -> std::net::TcpListener {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    println!("{}", listener.local_addr().unwrap());
    listener
}

async fn serve_ours() {
    let mut config = Config::new(Arc::new(|| NOW));
    config.heartbeat = Duration::from_secs(100_000);
    config.silence = Duration::from_secs(1_000_000);
    config.unauthenticated_per_address = 100_000;
    config.unauthenticated_per_node = 100_000;
    let memory = Arc::new(Memory(AtomicI64::new(0)));
    let ports = Ports {
        replay: memory.clone(),
        gatekeeper: memory.clone(),
        inbound: memory.clone(),
    };
    let realtime = Realtime::start(config, ports, InProcess::alone());
    let publisher = realtime.clone();
    std::thread::spawn(move || {
        commands(|count| {
            let facts: Vec<_> = (0..count)
                .map(|_| fact(memory.0.fetch_add(1, Ordering::SeqCst) + 1))
                .collect();
            let bytes = facts.iter().map(|f| actors::channel::encode(f).len()).sum();
            publisher.deliver(facts);
            bytes
        });
    });
    HttpServer::new(move || {
        let realtime = realtime.clone();
        App::new().route(
            "/ws",
            web::get().to(move |req: HttpRequest, payload: web::Payload| {
                let response = realtime.accept(&req, payload, IpAddr::V4(Ipv4Addr::LOCALHOST));
                async move { response }
            }),
        )
    })
    .on_connect(transport::on_connect)
    .workers(2)
    .backlog(8192)
    .max_connection_rate(8192)
    .listen(listen())
    .unwrap()
    .run()
    .await
    .unwrap();
}

#[derive(actix::Message, Clone)]
#[rtype(result = "()")]
struct Push(ByteString);

struct Bare(Arc<Mutex<Vec<Addr<Bare>>>>);
impl Actor for Bare {
    type Context = ws::WebsocketContext<Self>;
    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(1024);
        self.0.lock().unwrap().push(ctx.address());
    }
}
impl Handler<Push> for Bare {
    type Result = ();
    fn handle(&mut self, push: Push, ctx: &mut Self::Context) {
        ctx.text(push.0);
    }
}
impl StreamHandler<Result<ws::Message, ws::ProtocolError>> for Bare {
    fn handle(&mut self, _: Result<ws::Message, ws::ProtocolError>, _: &mut Self::Context) {}
}

async fn serve_bare() {
    let sessions: Arc<Mutex<Vec<Addr<Bare>>>> = Arc::default();
    let publisher = sessions.clone();
    std::thread::spawn(move || {
        commands(|count| {
            let text = ByteString::from("x".repeat(PAYLOAD));
            for _ in 0..count {
                for session in publisher.lock().unwrap().iter() {
                    let _ = session.try_send(Push(text.clone()));
                }
            }
            count * (PAYLOAD + 4)
        });
    });
    HttpServer::new(move || {
        let sessions = sessions.clone();
        App::new().route(
            "/ws",
            web::get().to(move |req: HttpRequest, payload: web::Payload| {
                let response: Result<HttpResponse, _> =
                    ws::WsResponseBuilder::new(Bare(sessions.clone()), &req, payload).start();
                async move { response }
            }),
        )
    })
    .workers(2)
    .backlog(8192)
    .max_connection_rate(8192)
    .listen(listen())
    .unwrap()
    .run()
    .await
    .unwrap();
}

/// One write per socket and nothing else.
fn serve_loop() {
    let listener = listen();
    let sockets: Arc<Mutex<Vec<std::net::TcpStream>>> = Arc::default();
    let accepted = sockets.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            stream.set_nodelay(true).unwrap();
            let mut head = vec![];
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") {
                stream.read_exact(&mut byte).unwrap();
                head.push(byte[0]);
            }
            stream
                .write_all(b"HTTP/1.1 101 Switching Protocols\r\n\r\n")
                .unwrap();
            stream.set_nonblocking(true).unwrap();
            accepted.lock().unwrap().push(stream);
        }
    });
    commands(|count| {
        let frame = vec![b'x'; PAYLOAD + 4];
        for _ in 0..count {
            for stream in sockets.lock().unwrap().iter_mut() {
                let _ = stream.write(&frame);
            }
        }
        count * frame.len()
    });
}

// ---------------------------------------------------------------- client

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    address: SocketAddr,
}

impl Server {
    fn start(kind: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["serve", kind])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        Self {
            child,
            input,
            output,
            address: line.trim().parse().unwrap(),
        }
    }

    fn publish(&mut self, count: usize) -> u64 {
        writeln!(self.input, "p {count}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim().parse().unwrap()
    }

    fn rss_kib(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|l| l.starts_with("VmRSS")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// User and system time, in seconds.
    fn cpu(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
    }
}

/// A client's text frame (masked with zeros, which is a mask as good as any for a benchmark).
fn masked(text: &str) -> Vec<u8> {
    let mut frame = vec![0x81, 0x80 | u8::try_from(text.len()).unwrap_or(126)];
    if text.len() > 125 {
        frame[1] = 0xFE;
        frame.extend_from_slice(&u16::try_from(text.len()).unwrap().to_be_bytes());
    }
    frame.extend_from_slice(&[0; 4]);
    frame.extend_from_slice(text.as_bytes());
    frame
}

async fn connect(address: SocketAddr, kind: &str, received: Arc<AtomicU64>) {
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    stream
        .write_all(b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        .await
        .unwrap();
    let mut buffer = vec![0; 4096];
    let mut seen = vec![];
    while !seen.windows(4).any(|w| w == b"\r\n\r\n") {
        let n = stream.read(&mut buffer).await.unwrap();
        assert!(n > 0, "refused: {}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&buffer[..n]);
    }
    if kind == "ours" {
        let user = UserId::fresh();
        for text in [
            format!("{{\"op\":\"auth\",\"token\":\"{user}\"}}"),
            format!("{{\"op\":\"subscribe\",\"stream\":\"user:{user}\"}}"),
            "{\"op\":\"subscribe\",\"stream\":\"public\"}".into(),
        ] {
            stream.write_all(&masked(&text)).await.unwrap();
        }
        let mut text = String::new();
        while text.matches("subscribed").count() < 2 {
            let n = stream.read(&mut buffer).await.unwrap();
            assert!(n > 0, "closed: {text}");
            text.push_str(&String::from_utf8_lossy(&buffer[..n]));
        }
    }
    drop((buffer, seen));
    tokio::spawn(async move {
        let mut buffer = [0; 8192];
        loop {
            stream.readable().await.unwrap();
            match stream.try_read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => {
                    received.fetch_add(u64::try_from(n).unwrap(), Ordering::Relaxed);
                }
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(_) => break,
            }
        }
    });
}

struct Figures {
    kib: f64,
    single: f64,
    single_cpu: f64,
    merged: f64,
    merged_cpu: f64,
}

async fn measure(kind: &'static str, sockets: usize, rounds: usize) -> Figures {
    let mut server = Server::start(kind);
    let received = Arc::new(AtomicU64::new(0));
    // One socket first, so that what is built once is not counted.
    connect(server.address, kind, received.clone()).await;
    let base = server.rss_kib();
    for _ in 0..(sockets - 1) / 50 {
        let batch = (0..50).map(|_| connect(server.address, kind, received.clone()));
        futures_util::future::join_all(batch).await;
    }
    let sockets = (sockets - 1) / 50 * 50 + 1;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let n = sockets as f64;
    let kib = (server.rss_kib() - base) / n;
    let mut run = async |rounds: usize, count: usize| {
        let (cpu, began) = (server.cpu(), Instant::now());
        for _ in 0..rounds {
            let before = received.load(Ordering::Relaxed);
            let wanted = before + server.publish(count) * sockets as u64;
            while received.load(Ordering::Relaxed) < wanted {
                tokio::task::yield_now().await;
                assert!(
                    began.elapsed() < Duration::from_secs(120),
                    "{kind} lost something"
                );
            }
        }
        let deliveries = n * (rounds * count) as f64;
        (
            deliveries / began.elapsed().as_secs_f64(),
            (server.cpu() - cpu) / deliveries * 1e6,
        )
    };
    run(3, 1).await;
    let (single, single_cpu) = run(rounds, 1).await;
    let (merged, merged_cpu) = run(rounds.div_ceil(4), 16).await;
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    Figures {
        kib,
        single,
        single_cpu,
        merged,
        merged_cpu,
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args.get(1).map(String::as_str) == Some("serve") {
        match args.get(2).map(String::as_str) {
            Some("ours") => actix_web::rt::System::new().block_on(serve_ours()),
            Some("bare") => actix_web::rt::System::new().block_on(serve_bare()),
            _ => serve_loop(),
        }
        return;
    }
    let sockets = args.get(1).and_then(|a| a.parse().ok()).unwrap_or(8000);
    let rounds = args.get(2).and_then(|a| a.parse().ok()).unwrap_or(40);
    println!("{sockets} sockets, {PAYLOAD}-byte messages, {rounds} rounds");
    println!(
        "| server | KiB/socket | one at a time /s | CPU µs | backlog /s | CPU µs |\n| --- | --- | --- | --- | --- | --- |"
    );
    let client = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    for kind in ["loop", "bare", "ours"] {
        let f = client.block_on(measure(kind, sockets, rounds));
        println!(
            "| {kind} | {:.1} | {:.0} | {:.2} | {:.0} | {:.2} |",
            f.kib, f.single, f.single_cpu, f.merged, f.merged_cpu
        );
    }
}
