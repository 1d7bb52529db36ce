//! Soak: for minutes, clients are cut and come back while facts flow. At the end each has seen every fact once, in order.

use crate::{scenarios::Target, table::Row};
use anyhow::{Context, bail};
use rand::Rng;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// A fact every so often.
const PACE: Duration = Duration::from_millis(50);
/// How long a client that comes back may take to have caught up.
const CATCH_UP: Duration = Duration::from_secs(60);

#[derive(Default)]
struct Course {
    /// No more cuts: everybody stays until the last fact.
    over: AtomicBool,
    /// The newest fact's number once everything was said, else zero.
    goal: AtomicI64,
    cuts: AtomicU64,
    resets: AtomicU64,
    refused: AtomicU64,
    facts: AtomicU64,
}

/// Where a client stands on the stream: (epoch, seq).
type Place = Option<(i64, i64)>;

/// How a stay ended by itself.
enum End {
    /// At the goal, with the newest number.
    Arrived(i64),
    /// Not let in now, or sent away: come again, as browsers do.
    SentAway,
}

fn between(least: u64, most: u64) -> Duration {
    Duration::from_millis(rand::rng().random_range(least..most))
}

async fn client(target: &Target, index: usize, course: &Course) -> anyhow::Result<i64> {
    let mut place: Place = None;
    let mut since_over: Option<Instant> = None;
    loop {
        if course.over.load(Ordering::Relaxed)
            && since_over.get_or_insert_with(Instant::now).elapsed() > CATCH_UP
        {
            bail!(
                "client {index} stands at {place:?} of {}",
                course.goal.load(Ordering::Relaxed)
            );
        }
        let stays = if since_over.is_some() {
            CATCH_UP
        } else {
            between(200, 4_000)
        };
        match tokio::time::timeout(stays, stay(target, index, &mut place, course)).await {
            Ok(end) => match end? {
                End::Arrived(seq) => return Ok(seq),
                End::SentAway => {
                    course.refused.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(between(100, 1_000)).await;
                }
            },
            // Dropped in the middle of whatever it did: the cut.
            Err(_) => {
                course.cuts.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// Connects, resumes at its place and listens; ends at the goal. Fails when a fact is missing or comes twice.
async fn stay(target: &Target, index: usize, place: &mut Place, course: &Course) -> anyhow::Result<End> {
    let Ok(mut socket) = target.enter(index, *place).await else {
        return Ok(End::SentAway);
    };
    loop {
        let goal = course.goal.load(Ordering::Relaxed);
        if let Some((_, seq)) = *place
            && goal > 0
            && seq >= goal
        {
            return Ok(End::Arrived(seq));
        }
        // Looked up again at least once a second: the goal may have been set while nothing came.
        let text = match tokio::time::timeout(Duration::from_secs(1), socket.text()).await {
            Ok(Ok(text)) => text,
            Ok(Err(_)) => return Ok(End::SentAway),
            Err(_) => continue,
        };
        let message: serde_json::Value = serde_json::from_str(&text)?;
        if message["stream"] != "public" {
            continue;
        }
        let at = (
            message["epoch"].as_i64().context("no epoch")?,
            message["seq"].as_i64().context("no number")?,
        );
        match (message["type"].as_str(), *place) {
            (Some("subscribed"), None) => *place = Some(at),
            (Some("subscribed"), Some(_)) => {}
            (Some("reset"), _) => {
                course.resets.fetch_add(1, Ordering::Relaxed);
                *place = Some(at);
            }
            (Some("event"), Some((_, seq))) => {
                if at.1 != seq + 1 {
                    bail!("client {index} got {} after {seq}", at.1);
                }
                course.facts.fetch_add(1, Ordering::Relaxed);
                *place = Some(at);
            }
            (kind, _) => bail!("client {index} got {kind:?} before it subscribed"),
        }
    }
}

/// Runs for `length`; fails when anybody lost or doubled a fact.
pub async fn run(target: Target, clients: usize, length: Duration) -> anyhow::Result<Row> {
    let target = Arc::new(target);
    let course = Arc::new(Course::default());
    let people: Vec<_> = (0..clients)
        .map(|index| {
            let (target, course) = (target.clone(), course.clone());
            tokio::spawn(async move { client(&target, index, &course).await })
        })
        .collect();
    let http = reqwest::Client::new();
    let begin = Instant::now();
    let mut early = 0;
    let mut said = 0;
    while begin.elapsed() < length {
        target.publish(&http, said, None).await?;
        said += 1;
        if early == 0 && begin.elapsed() > length / 4 {
            early = target.rss_kib();
        }
        tokio::time::sleep(PACE).await;
    }
    // A socket of its own reads where the stream ends now.
    let end = Instant::now() + CATCH_UP;
    let mut last = loop {
        match target.enter(0, None).await {
            Ok(socket) => break socket,
            Err(error) if Instant::now() > end => return Err(error),
            Err(_) => tokio::time::sleep(between(100, 1_000)).await,
        }
    };
    let head = loop {
        let message: serde_json::Value = serde_json::from_str(&last.text().await?)?;
        if message["type"] == "subscribed" {
            break message["seq"].as_i64().context("no number")?;
        }
    };
    course.goal.store(head, Ordering::Relaxed);
    course.over.store(true, Ordering::Relaxed);
    for person in people {
        let seq = person.await??;
        if seq != head {
            bail!("somebody ended at {seq} of {head}");
        }
    }
    let count = |value: &AtomicU64| value.load(Ordering::Relaxed);
    Ok(Row {
        work: format!(
            "soak, {} s, {clients} clients cut {} times",
            length.as_secs(),
            count(&course.cuts)
        ),
        who: "Arbora".into(),
        figure: format!(
            "{said} facts, {} deliveries, none lost or doubled, {} resets, {} sent away",
            count(&course.facts),
            count(&course.resets),
            count(&course.refused)
        ),
        cpu: String::new(),
        p50: format!("early {} MiB", early / 1024),
        p99: format!("at the end {} MiB", target.rss_kib() / 1024),
    })
}
