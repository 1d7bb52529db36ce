//! What is measured: pushing one message to all, to one, and the memory of sockets that only wait.

use crate::{
    ledger, nchan, people,
    people::Person,
    process::{Process, free_port},
    soak,
    socket::{Socket, Tally},
    table::{self, Row},
};
use anyhow::{Context, bail};
use futures_util::{StreamExt, TryStreamExt, stream};
use hdrhistogram::Histogram;
use std::{
    net::SocketAddr,
    path::PathBuf,
    process::Command,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};
use tokio::task::JoinHandle;

pub struct Plan {
    pub server: PathBuf,
    pub ledger: Option<PathBuf>,
    pub sockets: usize,
    pub messages: usize,
    pub seconds: u64,
    pub only: Option<String>,
}

/// Messages in flight when writes are to be merged.
const BACKLOG: usize = 16;

/// Somebody who pushes: where to publish, how to connect.
pub struct Target {
    name: &'static str,
    address: SocketAddr,
    process: Process,
    whole: bool,
    people: Vec<Person>,
}

impl Target {
    fn wants(&self) -> &'static str {
        self.name
    }

    pub fn rss_kib(&self) -> u64 {
        self.process.rss_kib(self.whole)
    }

    /// A person's socket that asks for the public stream from a place (epoch, number); the answer is left to the caller.
    pub async fn enter(&self, index: usize, place: Option<(i64, i64)>) -> anyhow::Result<Socket> {
        let person = self.people.get(index).context("nobody has this number")?;
        let mut socket = Socket::connect(self.address, "/api/ws").await?;
        socket
            .send(&format!(r#"{{"op":"auth","token":"{}"}}"#, person.token))
            .await?;
        socket.expect(r#""type":"welcome""#).await?;
        let (epoch, seq) = place.unzip();
        let subscribe =
            serde_json::json!({"op": "subscribe", "stream": "public", "epoch": epoch, "seq": seq});
        socket.send(&subscribe.to_string()).await?;
        Ok(socket)
    }

    async fn connect(&self, index: usize, own_stream: bool) -> anyhow::Result<Socket> {
        match self.people.get(index) {
            None if self.name == "Nchan" => {
                let id = if own_stream {
                    format!("u{index}")
                } else {
                    "all".into()
                };
                Socket::connect(self.address, &format!("/sub?id={id}")).await
            }
            None => Socket::connect(self.address, "/ws").await,
            Some(person) => {
                let mut socket = Socket::connect(self.address, "/api/ws").await?;
                socket
                    .send(&format!(r#"{{"op":"auth","token":"{}"}}"#, person.token))
                    .await?;
                socket.expect(r#""type":"welcome""#).await?;
                let stream = if own_stream {
                    format!("user:{}", person.id)
                } else {
                    "public".into()
                };
                socket
                    .send(&format!(r#"{{"op":"subscribe","stream":"{stream}"}}"#))
                    .await?;
                socket.expect(r#""type":"subscribed""#).await?;
                Ok(socket)
            }
        }
    }

    /// Publishes a message of about 200 bytes to all (`None`) or to one.
    pub async fn publish(
        &self,
        http: &reqwest::Client,
        number: usize,
        to: Option<usize>,
    ) -> anyhow::Result<()> {
        let request = if self.people.is_empty() {
            let text = format!("load-test {number:>180}");
            let id = to.map_or_else(|| "all".to_owned(), |i| format!("u{i}"));
            let path = if self.name == "Nchan" {
                format!("pub?id={id}")
            } else {
                "publish".into()
            };
            http.post(format!("http://{}/{path}", self.address)).body(text)
        } else {
            let person = to.and_then(|i| self.people.get(i)).map(|person| person.id);
            http.post(format!("http://{}/dev/say", self.address))
                .json(&serde_json::json!({ "n": number, "user": person }))
        };
        let response = request.send().await?;
        if !response.status().is_success() {
            bail!(
                "{}: {} {}",
                self.name,
                response.status(),
                response.text().await.unwrap_or_default()
            );
        }
        Ok(())
    }
}

/// Runs all scenarios against all targets that are there, then prints the table.
pub async fn all(plan: &Plan) -> anyhow::Result<()> {
    let folder = tempfile::tempdir_in("/tmp")?;
    let mut rows = Vec::new();
    let wants = |name: &str| plan.only.as_deref().is_none_or(|o| o == name);
    for kind in ["Arbora", "bare actix", "Nchan"] {
        // Each target alone on the machine, one after the other.
        if wants("broadcast")
            && let Some(target) = start(kind, plan, &folder.path().join(format!("b-{}", &kind[..1]))).await?
        {
            eprintln!("broadcast: {}", target.wants());
            rows.extend(broadcast(&target, plan).await?);
        }
        if wants("private")
            && kind != "bare actix"
            && let Some(target) = start(kind, plan, &folder.path().join(format!("p-{}", &kind[..1]))).await?
        {
            eprintln!("private: {}", target.wants());
            rows.push(private(&target, plan).await?);
        }
        if wants("idle-memory")
            && let Some(target) = start(kind, plan, &folder.path().join(format!("i-{}", &kind[..1]))).await?
        {
            eprintln!("idle memory: {}", target.wants());
            rows.push(idle(&target, plan).await?);
        }
    }
    // Not a measurement: only when asked for.
    if plan.only.as_deref() == Some("soak")
        && let Some(target) = start("Arbora", plan, &folder.path().join("soak")).await?
    {
        eprintln!("soak");
        rows.push(soak::run(target, plan.sockets, Duration::from_secs(plan.seconds)).await?);
    }
    if wants("ledger")
        && let Some(bench) = &plan.ledger
    {
        eprintln!("ledger");
        rows.extend(ledger::rows(bench)?);
    }
    table::print(&rows);
    Ok(())
}

async fn start(kind: &'static str, plan: &Plan, folder: &std::path::Path) -> anyhow::Result<Option<Target>> {
    std::fs::create_dir_all(folder)?;
    let port = free_port()?;
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let target = match kind {
        "Arbora" => {
            let data = folder.join("d");
            let mut process = Process::start(
                Command::new(&plan.server)
                    .arg("serve")
                    .env("ARBORA_BIND", address.to_string())
                    .env("ARBORA_DATA_DIR", &data)
                    .env(
                        "ARBORA_JWT_KEY",
                        people::JWT_KEY
                            .iter()
                            .map(|byte| format!("{byte:02x}"))
                            .collect::<String>(),
                    )
                    .env("ARBORA_LIFT_LIMITS", "true")
                    .env("ARBORA_FEED", "off")
                    .env("ARBORA_LOG", "error"),
                &folder.join("server.log"),
            )?;
            let ready = process.listening(address).await;
            if ready.is_err() {
                bail!(
                    "the server did not start:\n{}",
                    std::fs::read_to_string(folder.join("server.log")).unwrap_or_default()
                );
            }
            let people = people::make(&data.join("run"), plan.sockets, &people::JWT_KEY).await?;
            Target {
                name: "Arbora",
                address,
                process,
                whole: false,
                people,
            }
        }
        "bare actix" => {
            let own = std::env::current_exe()?;
            let mut process = Process::start(
                Command::new(own).arg("bare").arg(port.to_string()),
                &folder.join("bare.log"),
            )?;
            process.listening(address).await?;
            Target {
                name: "bare actix",
                address,
                process,
                whole: false,
                people: Vec::new(),
            }
        }
        _ => match nchan::start(folder, port).await? {
            Some(process) => Target {
                name: "Nchan",
                address,
                process,
                whole: true,
                people: Vec::new(),
            },
            None => {
                eprintln!(
                    "Nchan is not installed (Debian: nginx, libnginx-mod-nchan); its rows are left out"
                );
                return Ok(None);
            }
        },
    };
    Ok(Some(target))
}

async fn crowd(
    target: &Target,
    count: usize,
    own_stream: bool,
) -> anyhow::Result<(Arc<Tally>, Vec<JoinHandle<()>>)> {
    let tally = Arc::new(Tally::default());
    let sockets: Vec<Socket> = stream::iter(0..count)
        .map(|i| target.connect(i, own_stream))
        .buffer_unordered(16)
        .try_collect()
        .await
        .context(target.name)?;
    let tasks = sockets
        .into_iter()
        .map(|s| tokio::spawn(s.listen(tally.clone())))
        .collect();
    Ok((tally, tasks))
}

async fn reached(tally: &Tally, count: usize) -> anyhow::Result<()> {
    let goal = u64::try_from(count)?;
    let end = Instant::now() + Duration::from_secs(60);
    while tally.marked.load(Ordering::Relaxed) < goal {
        if Instant::now() > end {
            bail!(
                "only {} of {goal} arrived, {} closed",
                tally.marked.load(Ordering::Relaxed),
                tally.closed.load(Ordering::Relaxed)
            );
        }
        tokio::time::sleep(Duration::from_micros(200)).await;
    }
    Ok(())
}

#[allow(clippy::cast_precision_loss)]
async fn broadcast(target: &Target, plan: &Plan) -> anyhow::Result<Vec<Row>> {
    let (tally, tasks) = crowd(target, plan.sockets, false).await?;
    let http = reqwest::Client::new();
    let mut times = Histogram::<u64>::new(3)?;
    let cpu = target.process.cpu_micros(target.whole);
    let begin = Instant::now();
    for n in 0..plan.messages {
        let sent = Instant::now();
        target.publish(&http, n, None).await?;
        reached(&tally, plan.sockets * (n + 1)).await?;
        times.record(u64::try_from(sent.elapsed().as_micros())?)?;
    }
    let single = begin.elapsed();
    let delivered = (plan.sockets * plan.messages) as f64;
    let cpu_each = (target.process.cpu_micros(target.whole) - cpu) as f64 / delivered;
    let mut rows = vec![Row {
        work: format!("broadcast to {}, one at a time", plan.sockets),
        who: target.name.into(),
        figure: format!("{:.0} deliveries/s", delivered / single.as_secs_f64()),
        cpu: format!("{cpu_each:.1} µs"),
        p50: format!("{:.1} ms", times.value_at_quantile(0.5) as f64 / 1e3),
        p99: format!("{:.1} ms", times.value_at_quantile(0.99) as f64 / 1e3),
    }];
    let burst = plan.messages * 4;
    let before = plan.sockets * plan.messages;
    let cpu = target.process.cpu_micros(target.whole);
    let begin = Instant::now();
    stream::iter(0..burst)
        .map(|n| target.publish(&http, n, None))
        .buffer_unordered(BACKLOG)
        .try_collect::<Vec<()>>()
        .await?;
    reached(&tally, before + plan.sockets * burst).await?;
    let delivered = (plan.sockets * burst) as f64;
    rows.push(Row {
        work: format!("broadcast to {}, backlog of {BACKLOG}", plan.sockets),
        who: target.name.into(),
        figure: format!("{:.0} deliveries/s", delivered / begin.elapsed().as_secs_f64()),
        cpu: format!(
            "{:.1} µs",
            (target.process.cpu_micros(target.whole) - cpu) as f64 / delivered
        ),
        p50: String::new(),
        p99: String::new(),
    });
    tasks.iter().for_each(JoinHandle::abort);
    Ok(rows)
}

#[allow(clippy::cast_precision_loss)]
async fn private(target: &Target, plan: &Plan) -> anyhow::Result<Row> {
    let (tally, tasks) = crowd(target, plan.sockets, true).await?;
    let http = reqwest::Client::new();
    let mut times = Histogram::<u64>::new(3)?;
    let count = plan.messages * 20;
    let cpu = target.process.cpu_micros(target.whole);
    let begin = Instant::now();
    for n in 0..count {
        let sent = Instant::now();
        target.publish(&http, n, Some((n * 7919) % plan.sockets)).await?;
        reached(&tally, n + 1).await?;
        times.record(u64::try_from(sent.elapsed().as_micros())?)?;
    }
    let rate = count as f64 / begin.elapsed().as_secs_f64();
    let cpu_each = (target.process.cpu_micros(target.whole) - cpu) as f64 / count as f64;
    tasks.iter().for_each(JoinHandle::abort);
    Ok(Row {
        work: format!("private, {} users, HTTP publish", plan.sockets),
        who: target.name.into(),
        figure: format!("{rate:.0} messages/s, one at a time"),
        cpu: format!("{cpu_each:.0} µs"),
        p50: format!("{:.2} ms", times.value_at_quantile(0.5) as f64 / 1e3),
        p99: format!("{:.2} ms", times.value_at_quantile(0.99) as f64 / 1e3),
    })
}

#[allow(clippy::cast_precision_loss)]
async fn idle(target: &Target, plan: &Plan) -> anyhow::Result<Row> {
    let base = target.process.rss_kib(target.whole);
    let (_tally, tasks) = crowd(target, plan.sockets, true).await?;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let full = target.process.rss_kib(target.whole);
    tasks.iter().for_each(JoinHandle::abort);
    tokio::time::sleep(Duration::from_secs(5)).await;
    let after = target.process.rss_kib(target.whole);
    Ok(Row {
        work: format!("{} idle sockets", plan.sockets),
        who: target.name.into(),
        figure: format!(
            "{:.1} KiB each",
            (full.saturating_sub(base)) as f64 / plan.sockets as f64
        ),
        cpu: String::new(),
        p50: format!("base {} MiB", base / 1024),
        p99: format!("after {} MiB", after / 1024),
    })
}
