//! One connection to a venue, kept for ever: connect, subscribe at the venue's pace, read, ping, and begin again.
//!
//! It ends when the venue says so or closes, when no frame comes for too long (a peer that is gone without a word), when no quote comes for
//! too long (a dead subscription), or when it grows old. An old one is replaced before it is let go: the next must have
//! its first prices. Between failures it waits longer each time, with jitter. While no connection lives, its instruments
//! have no price: nothing is traded on what nobody confirms.

use super::{
    books::{Books, gone},
    dial::{self, Socket},
    health::Links,
    venue::{Event, Limits, Ping, Venue},
};
use actors::desk::{Clock, inbox::Inbox};
use futures_util::{SinkExt, StreamExt};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::oneshot, time::Instant};
use tokio_tungstenite::tungstenite::Message;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use url::Url;

/// Everything about a connection but its socket.
pub struct Line {
    pub venue: Arc<dyn Venue>,
    pub address: Url,
    pub limits: Limits,
    /// A demo world may reach this machine.
    pub loopback: bool,
    /// Of the instruments, as the venue calls them.
    pub symbols: Vec<String>,
    pub books: Mutex<Books>,
    pub inbox: Arc<Inbox>,
    pub clock: Clock,
    pub links: Arc<Links>,
    /// Least and longest wait between two tries.
    pub back_off: (Duration, Duration),
}

/// Why a connection ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum End {
    #[error("told to stop")]
    Stopped,
    #[error("{0}")]
    Lost(String),
    #[error("nothing was heard for too long")]
    Silent,
    #[error("no quote came for too long")]
    Stale,
    #[error("every subscription was refused")]
    Refused,
}

fn lost(error: impl std::fmt::Display) -> End {
    End::Lost(error.to_string())
}

impl Line {
    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes all prices of this line out of the market.
    fn withdraw(&self) {
        let now = (self.clock)();
        for id in self.books().reset() {
            self.inbox.put(id, gone(now));
        }
    }
}

/// A connection that runs by itself.
struct Running {
    task: AbortOnDropHandle<End>,
    /// Told with the first prices.
    ready: oneshot::Receiver<()>,
    stop: CancellationToken,
    since: Instant,
}

fn begin(line: &Arc<Line>, stop: &CancellationToken) -> Running {
    let (told, ready) = oneshot::channel();
    let stop = stop.child_token();
    let task = tokio::spawn(live(Arc::clone(line), told, stop.clone()));
    Running {
        task: AbortOnDropHandle::new(task),
        ready,
        stop,
        since: Instant::now(),
    }
}

async fn live(line: Arc<Line>, told: oneshot::Sender<()>, stop: CancellationToken) -> End {
    let opening = dial::open(&line.address, line.loopback, line.limits.connect_within);
    match stop.run_until_cancelled(opening).await {
        Some(Ok(socket)) => Session::new(&line, socket, told).run(&stop).await,
        Some(Err(error)) => lost(error),
        None => End::Stopped,
    }
}

fn ended(result: Result<End, tokio::task::JoinError>) -> End {
    result.unwrap_or_else(lost)
}

/// Keeps a line until told to stop.
pub async fn keep(line: Arc<Line>, stop: CancellationToken) {
    let name = line.venue.name();
    let mut waits = BackOff::new(line.back_off);
    let mut present = begin(&line, &stop);
    // A replacement on its way, and when the next may be tried.
    let mut next: Option<Running> = None;
    let mut renewal = present.since + line.limits.life;
    loop {
        let replacing = next.is_some();
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            end = &mut present.task => {
                let end = ended(end);
                if stop.is_cancelled() {
                    return;
                }
                tracing::warn!(venue = name, %end, "a venue's connection ended");
                line.links.reconnecting(name);
                line.withdraw();
                present = match next.take() {
                    Some(fresh) => fresh,
                    None => {
                        if present.since.elapsed() > line.back_off.1 {
                            waits = BackOff::new(line.back_off);
                        }
                        if stop.run_until_cancelled(tokio::time::sleep(waits.next())).await.is_none() {
                            return;
                        }
                        begin(&line, &stop)
                    }
                };
                renewal = present.since + line.limits.life;
            }
            outcome = arrival(&mut next), if replacing => match (outcome, next.take()) {
                (Ok(()), Some(fresh)) => {
                    tracing::info!(venue = name, "a venue's connection was renewed");
                    present.stop.cancel();
                    // It says farewell by itself.
                    drop(std::mem::replace(&mut present, fresh).task.detach());
                    renewal = present.since + line.limits.life;
                    waits = BackOff::new(line.back_off);
                }
                (outcome, _) => {
                    tracing::warn!(venue = name, ?outcome, "a connection could not be renewed yet");
                    renewal = Instant::now() + waits.next();
                }
            },
            () = tokio::time::sleep_until(renewal), if !replacing => next = Some(begin(&line, &stop)),
        }
    }
    let _ = present.task.await;
}

/// The replacement has prices, or has failed.
async fn arrival(next: &mut Option<Running>) -> Result<(), End> {
    let Some(fresh) = next else {
        return std::future::pending().await;
    };
    tokio::select! {
        biased;
        end = &mut fresh.task => Err(ended(end)),
        told = &mut fresh.ready => match told {
            Ok(()) => Ok(()),
            // It ends without prices: its end says why.
            Err(_) => Err(ended((&mut fresh.task).await)),
        },
    }
}

/// Waits that double, each between half of itself and itself.
struct BackOff {
    next: Duration,
    longest: Duration,
}

impl BackOff {
    const fn new((least, longest): (Duration, Duration)) -> Self {
        Self { next: least, longest }
    }

    fn next(&mut self) -> Duration {
        let whole = self.next;
        self.next = (whole * 2).min(self.longest);
        whole.mul_f64(rand::random_range(0.5..=1.0))
    }
}

/// A subscription message that waits for its answer.
struct Asked {
    request: u64,
    symbols: Vec<String>,
}

struct Session<'a> {
    line: &'a Line,
    socket: Socket,
    told: Option<oneshot::Sender<()>>,
    /// Still to be sent.
    to_ask: VecDeque<Vec<String>>,
    asked: Vec<Asked>,
    /// Instruments that were not refused.
    symbols: usize,
    request: u64,
    begun: Instant,
    heard: Instant,
    quoted: Instant,
    spoken: Option<Instant>,
    pinged: Instant,
    waiting_for_pong: bool,
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if self.told.is_none() {
            self.line.links.down(self.line.venue.name());
        }
    }
}

impl<'a> Session<'a> {
    fn new(line: &'a Line, socket: Socket, told: oneshot::Sender<()>) -> Self {
        let now = Instant::now();
        let chunks = line.symbols.chunks(line.limits.instruments_per_message.max(1));
        Self {
            line,
            socket,
            told: Some(told),
            to_ask: chunks.map(<[String]>::to_vec).collect(),
            asked: Vec::new(),
            symbols: line.symbols.len(),
            request: 0,
            begun: now,
            heard: now,
            quoted: now,
            spoken: None,
            pinged: now,
            waiting_for_pong: false,
        }
    }

    async fn run(mut self, stop: &CancellationToken) -> End {
        loop {
            let due = self.due();
            let outcome = tokio::select! {
                biased;
                () = stop.cancelled() => {
                    // A word of farewell, if the peer takes it.
                    let _ = tokio::time::timeout(Duration::from_secs(1), self.socket.close(None)).await;
                    return End::Stopped;
                }
                message = self.socket.next() => match message {
                    Some(Ok(message)) => self.hear(message).await,
                    Some(Err(error)) => Err(lost(error)),
                    None => Err(lost("closed")),
                },
                () = tokio::time::sleep_until(due) => self.speak().await,
            };
            if let Err(end) = outcome {
                return end;
            }
        }
    }

    /// When something has to be said, or is too late.
    fn due(&self) -> Instant {
        let limits = &self.line.limits;
        let free = self.spoken.map_or(self.begun, |at| at + limits.between_messages);
        let mut due = (self.heard + limits.silence).min(self.quoted + limits.stale);
        if !self.to_ask.is_empty() {
            due = due.min(free);
        }
        if !self.waiting_for_pong {
            due = due.min((self.pinged + limits.ping_every).max(free));
        }
        due
    }

    async fn speak(&mut self) -> Result<(), End> {
        let (now, limits) = (Instant::now(), self.line.limits);
        if now >= self.heard + limits.silence {
            return Err(End::Silent);
        }
        if now >= self.quoted + limits.stale {
            return Err(End::Stale);
        }
        if self.spoken.is_some_and(|at| now < at + limits.between_messages) {
            return Ok(());
        }
        if let Some(symbols) = self.to_ask.pop_front() {
            self.request += 1;
            let text = self.line.venue.subscribe(&symbols, self.request);
            self.asked.push(Asked {
                request: self.request,
                symbols,
            });
            return self.send(Message::text(text)).await;
        }
        if !self.waiting_for_pong && now >= self.pinged + limits.ping_every {
            self.request += 1;
            (self.pinged, self.waiting_for_pong) = (now, true);
            let ping = match self.line.venue.ping(self.request) {
                Ping::Frame => Message::Ping(Vec::new().into()),
                Ping::Text(text) => Message::text(text),
            };
            return self.send(ping).await;
        }
        Ok(())
    }

    /// A peer that takes nothing any more is gone.
    async fn send(&mut self, message: Message) -> Result<(), End> {
        self.spoken = Some(Instant::now());
        tokio::time::timeout(self.line.limits.silence, self.socket.send(message))
            .await
            .map_err(|_| End::Silent)?
            .map_err(lost)
    }

    async fn hear(&mut self, message: Message) -> Result<(), End> {
        self.heard = Instant::now();
        match message {
            Message::Text(text) => match self.line.venue.read(text.as_str()) {
                Ok(events) => events.into_iter().try_for_each(|event| self.take(event)),
                Err(error) => {
                    metrics::counter!("feed_unreadable_total", "venue" => self.line.venue.name())
                        .increment(1);
                    tracing::debug!(venue = self.line.venue.name(), %error, "a message is not as documented");
                    Ok(())
                }
            },
            // The answer is written with the next flush, which may be long in coming.
            Message::Ping(_) => tokio::time::timeout(self.line.limits.silence, self.socket.flush())
                .await
                .map_err(|_| End::Silent)?
                .map_err(lost),
            Message::Pong(_) => {
                self.pong();
                Ok(())
            }
            Message::Close(frame) => Err(lost(frame.map_or_else(
                || "closed by the venue".into(),
                |f| format!("closed by the venue: {} {}", f.code, f.reason),
            ))),
            Message::Binary(_) | Message::Frame(_) => Ok(()),
        }
    }

    fn pong(&mut self) {
        if std::mem::take(&mut self.waiting_for_pong) {
            let half = self.pinged.elapsed().as_millis() / 2;
            self.line
                .links
                .latency(self.line.venue.name(), i64::try_from(half).unwrap_or(i64::MAX));
        }
    }

    fn take(&mut self, event: Event) -> Result<(), End> {
        match event {
            Event::Quote(_) | Event::Delete { .. } => self.quote(&event),
            Event::Reset => self.line.withdraw(),
            Event::Pong => self.pong(),
            Event::Ack(_) | Event::Alive => {}
            Event::Leave(reason) => return Err(End::Lost(format!("the venue asks to leave: {reason}"))),
            Event::Refused { request, reason } => return self.refused(request, &reason),
        }
        Ok(())
    }

    fn quote(&mut self, event: &Event) {
        let now_ms = (self.line.clock)();
        let (found, delay) = {
            let mut books = self.line.books();
            (books.take(event, now_ms), books.least_delay_ms())
        };
        let Some((id, quote)) = found else { return };
        self.quoted = Instant::now();
        self.line.inbox.put(id, quote);
        let (links, name) = (&self.line.links, self.line.venue.name());
        if let Some(told) = self.told.take() {
            links.up(name, now_ms);
            // Nobody waits for the first of all connections.
            let _ = told.send(());
        }
        links.delay(name, delay);
    }

    /// Some venues refuse a whole message for one of its instruments: then each is asked for by itself.
    fn refused(&mut self, request: Option<u64>, reason: &str) -> Result<(), End> {
        let venue = &self.line.venue;
        let place = request.and_then(|r| self.asked.iter().position(|a| a.request == r));
        if !venue.refuses_each()
            && let Some(asked) = place.map(|at| self.asked.swap_remove(at))
            && asked.symbols.len() > 1
        {
            self.to_ask.extend(asked.symbols.into_iter().map(|s| vec![s]));
            return Ok(());
        }
        tracing::warn!(
            venue = venue.name(),
            reason,
            "a venue refuses an instrument or a request"
        );
        self.line.links.refused(venue.name());
        if place.is_some() {
            self.symbols = self.symbols.saturating_sub(1);
        }
        if self.symbols == 0 {
            Err(End::Refused)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests;
