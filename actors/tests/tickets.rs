//! A desk on time that stands still and jumps: five hundred tickets, each with its customer, and fifty agents with ten tickets each. Facts are lost on the
//! way, late and doubled, lines are cut at random and come back later. Each message reaches everybody who follows its ticket once and in order. A
//! failure names its seed: `SEED=n` runs that one alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod kit;

use actors::{Realtime, bus::in_process::InProcess};
use kit::{
    World, auth,
    memory::{self, Line},
    subscribe,
};
use protocol::{
    StreamId,
    ids::{TicketId, UserId},
    live_event::Numbered,
    server_message::ServerMessage,
};
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::{sync::atomic::Ordering, time::Duration};

const TICKETS: usize = 500;
const AGENTS: usize = 50;
const EACH: usize = TICKETS / AGENTS;
const MESSAGES: usize = 1_500;
/// Most is said in a few of them.
const BUSY: usize = 25;

/// A ticket's messages as somebody has them.
struct Heard {
    stream: StreamId,
    /// None before the first answer.
    epoch: Option<i32>,
    /// In the order in which they came.
    numbers: Vec<i64>,
}

impl Heard {
    fn last(&self) -> i64 {
        self.numbers.last().copied().unwrap_or(0)
    }

    /// What is read page by page, where it is not told.
    fn read_up_to(&mut self, number: i64) {
        let from = self.last() + 1;
        self.numbers.extend(from..=number);
    }

    fn place(&self) -> Option<(i32, i64)> {
        self.epoch.map(|epoch| (epoch, self.last()))
    }
}

struct Person {
    user: UserId,
    line: Option<Line>,
    /// Texts of this line that were read.
    taken: usize,
    heard: Vec<Heard>,
    cuts: usize,
}

impl Person {
    fn new(streams: &[StreamId]) -> Self {
        let heard = streams.iter().map(|stream| Heard {
            stream: *stream,
            epoch: None,
            numbers: vec![],
        });
        Self {
            user: UserId::fresh(),
            line: None,
            taken: 0,
            heard: heard.collect(),
            cuts: 0,
        }
    }

    /// From where each ticket stands.
    fn connect(&mut self, realtime: &Realtime) {
        let mut texts = vec![auth(self.user)];
        texts.extend(
            self.heard
                .iter()
                .map(|heard| subscribe(heard.stream, heard.place())),
        );
        let said: Vec<&str> = texts.iter().map(String::as_str).collect();
        self.line = Some(memory::connect(realtime, &said));
        self.taken = 0;
    }

    /// What was on its way and not read is lost.
    fn cut(&mut self) {
        if let Some(line) = self.line.take() {
            line.cut();
            self.cuts += 1;
        }
    }

    fn read(&mut self) -> Result<(), String> {
        let Some(line) = &self.line else {
            return Ok(());
        };
        let texts = line.texts();
        for text in &texts[self.taken..] {
            take(
                &mut self.heard,
                serde_json::from_str(text).map_err(|e| e.to_string())?,
            )?;
        }
        self.taken = texts.len();
        if line.closed() {
            self.line = None;
        }
        Ok(())
    }
}

fn of(all: &mut [Heard], stream: StreamId) -> Result<&mut Heard, String> {
    all.iter_mut()
        .find(|heard| heard.stream == stream)
        .ok_or_else(|| format!("{stream} was not asked for"))
}

fn take(all: &mut [Heard], message: ServerMessage) -> Result<(), String> {
    match message {
        ServerMessage::Subscribed { stream, epoch, seq } => {
            let heard = of(all, stream)?;
            if let Some(place) = heard.place().filter(|place| *place != (epoch, seq)) {
                return Err(format!(
                    "{stream} goes on at {epoch}/{seq}, was left at {place:?}"
                ));
            }
            heard.epoch = Some(epoch);
            heard.read_up_to(seq);
        }
        ServerMessage::Reset { stream, epoch, seq } => {
            let heard = of(all, stream)?;
            heard.epoch = Some(epoch);
            heard.read_up_to(seq);
        }
        ServerMessage::Event { stream, seq, .. } => {
            let heard = of(all, stream)?;
            if seq != heard.last() + 1 {
                return Err(format!("{stream}: {seq} came after {}", heard.last()));
            }
            heard.numbers.push(seq);
        }
        _ => {}
    }
    Ok(())
}

struct Desk {
    rng: StdRng,
    world: std::sync::Arc<World>,
    realtime: Realtime,
    tickets: Vec<StreamId>,
    people: Vec<Person>,
    /// What the poll has still to bring.
    unpolled: Vec<Numbered>,
}

impl Desk {
    fn open(seed: u64) -> Self {
        let world = World::new();
        let mut config = world.config();
        config.silence = Duration::from_secs(100_000);
        config.sessions_per_user = 1_000;
        config.unauthenticated_per_address = 100_000;
        config.unauthenticated_per_node = 100_000;
        let realtime = world.start(config, InProcess::alone());
        let tickets: Vec<StreamId> = (0..TICKETS)
            .map(|_| StreamId::Ticket(TicketId::fresh()))
            .collect();
        let mut people: Vec<Person> = tickets.chunks(1).map(Person::new).collect();
        people.extend(tickets.chunks(EACH).map(Person::new));
        Self {
            rng: StdRng::seed_from_u64(seed),
            world,
            realtime,
            tickets,
            people,
            unpolled: vec![],
        }
    }

    /// Somebody writes; what the bus does with it is its own affair.
    fn say(&mut self) {
        let most = if self.rng.random_bool(0.7) { BUSY } else { TICKETS };
        let ticket = self.tickets[self.rng.random_range(0..most)];
        let fact = self.world.commit(ticket);
        self.unpolled.push(fact.clone());
        match self.rng.random_range(0..10) {
            0 => {}
            1 => self.realtime.deliver(vec![fact.clone(), fact]),
            2 | 3 => {
                let (realtime, delay) = (self.realtime.clone(), self.rng.random_range(0..300));
                actix_rt::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(delay)).await;
                    realtime.deliver(vec![fact]);
                });
            }
            _ => self.realtime.deliver(vec![fact]),
        }
    }

    fn poll(&mut self) {
        self.realtime.deliver_polled(std::mem::take(&mut self.unpolled));
    }

    fn read(&mut self) -> Result<(), String> {
        for (n, person) in self.people.iter_mut().enumerate() {
            person.read().map_err(|e| format!("person {n}: {e}"))?;
        }
        Ok(())
    }

    /// Of a customer of a busy ticket, or of any agent: they are the ones who have something to lose.
    fn somebody(&mut self) -> usize {
        if self.rng.random_bool(0.5) {
            self.rng.random_range(0..BUSY)
        } else {
            self.rng.random_range(TICKETS..TICKETS + AGENTS)
        }
    }

    async fn work(&mut self) -> Result<(), String> {
        for person in &mut self.people {
            person.connect(&self.realtime);
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        for message in 0..MESSAGES {
            self.say();
            if self.rng.random_bool(0.15) {
                let who = self.somebody();
                self.people[who].cut();
            }
            if self.rng.random_bool(0.15) {
                let who = self.somebody();
                if self.people[who].line.is_none() {
                    self.people[who].connect(&self.realtime);
                }
            }
            if message % 50 == 0 {
                let slow = self.rng.random_range(0..200);
                self.world.slow.store(slow, Ordering::SeqCst);
                self.poll();
                self.read()?;
            }
            let pause = self.rng.random_range(0..30);
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
        self.world.slow.store(0, Ordering::SeqCst);
        Ok(())
    }

    /// Everybody is back, and all that was said has come.
    async fn end(&mut self) -> Result<(usize, usize), String> {
        for _ in 0..5 {
            for person in &mut self.people {
                if person.line.is_none() {
                    person.connect(&self.realtime);
                }
            }
            self.poll();
            tokio::time::sleep(Duration::from_secs(1)).await;
            self.read()?;
        }
        let mut messages = 0;
        for (n, person) in self.people.iter().enumerate() {
            for heard in &person.heard {
                let said = self.world.head_of(heard.stream).1;
                if !heard.numbers.iter().copied().eq(1..=said) {
                    return Err(format!("person {n} has {:?} of {said}", heard.numbers));
                }
                messages += heard.numbers.len();
            }
        }
        Ok((messages, self.people.iter().map(|person| person.cuts).sum()))
    }
}

fn simulate(seed: u64) -> Result<(usize, usize), String> {
    let system = actix_rt::System::with_tokio_rt(|| {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap()
    });
    system.block_on(async move {
        let mut desk = Desk::open(seed);
        desk.work().await?;
        desk.end().await
    })
}

#[test]
fn each_message_reaches_everybody_once_and_in_order() {
    let seeds: Vec<u64> = match std::env::var("SEED") {
        Ok(seed) => vec![seed.parse().unwrap()],
        Err(_) => (0..4).collect(),
    };
    let (mut messages, mut cuts) = (0, 0);
    for seed in seeds {
        match simulate(seed) {
            Ok((m, c)) => (messages, cuts) = (messages + m, cuts + c),
            Err(error) => panic!("SEED={seed}: {error}"),
        }
    }
    eprintln!("{messages} messages came once and in order over {cuts} cuts");
    // Each is for its customer and its agent.
    assert!(cuts > 50 && messages >= 2 * MESSAGES);
}
