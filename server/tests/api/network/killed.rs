//! A closing in a process of its own that is killed anywhere, as a power cut ends a server: what is booked at last is what a life that nobody
//! disturbed has booked.
//!
//! `ARBORA_KILLS` says how many kills (`make test-all`: forty).

use super::Life;
use crate::kit;
use rand::{Rng, SeedableRng, rngs::StdRng};
use server::{
    affiliates::closing::service as closings,
    foundation::{
        clock::{Clock, ShiftedClock, SystemClock},
        context::{Parts, World},
        database::pool_options,
        embedded_postgres::APP_ROLE,
    },
    robots::days,
};
use std::{
    process::{Child, Command, Stdio},
    sync::Arc,
};
use time::Duration;

/// What a [`Closer`] is told: the database, and how far its clock is ahead, in microseconds.
const DATABASE: &str = "ARBORA_CLOSER_DATABASE";
const AHEAD: &str = "ARBORA_CLOSER_AHEAD";

/// A process that closes what is over.
struct Closer {
    child: Child,
    /// The fence of the closings before it.
    fence: i64,
}

/// The lease under which a closing runs: each one that begins raises it.
async fn fence(life: &Life) -> i64 {
    sqlx::query_scalar(
        "SELECT coalesce((SELECT fence FROM foundation.lease WHERE name = 'affiliates.closing'), 0)",
    )
    .fetch_one(&life.app.sql)
    .await
    .unwrap()
}

impl Closer {
    async fn start(life: &Life) -> Self {
        let fence = fence(life).await;
        let options = life.app.sql.connect_options();
        let folder = options.get_socket().unwrap().display();
        let database = format!(
            "postgres://{APP_ROLE}@localhost/{}?host={folder}",
            life.app.database
        );
        let ahead = (life.app.clock.now() - SystemClock.now()).whole_microseconds();
        let child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "network::killed::the_process_that_closes",
                "--test-threads=1",
            ])
            .env(DATABASE, database)
            .env(AHEAD, ahead.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Self { child, fence }
    }

    /// Looks at it until it was seen at work so many times; how often it was, and whether it has ended. What was at work and has ended was seen at
    /// least once, however seldom a busy machine lets anybody look.
    async fn seen(&mut self, life: &Life, most: usize) -> (usize, bool) {
        let mut seen = 0;
        while seen < most {
            let ended = self.child.try_wait().unwrap();
            let at_work = usize::from(fence(life).await > self.fence);
            if let Some(ended) = ended {
                assert!(ended.success());
                return (seen.max(at_work), true);
            }
            seen += at_work;
        }
        (seen, false)
    }

    /// Whatever it was at.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Closer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Not a test of its own: the body of [`Closer`].
#[actix_web::test]
async fn the_process_that_closes() {
    let (Ok(database), Ok(ahead)) = (std::env::var(DATABASE), std::env::var(AHEAD)) else {
        return;
    };
    let pool = pool_options()
        .max_connections(4)
        .connect(&database)
        .await
        .unwrap();
    let clock = Arc::new(ShiftedClock::default());
    clock.advance(Duration::microseconds(ahead.parse().unwrap()));
    let files = tempfile::tempdir().unwrap();
    let context = kit::context(World::Demo, pool, clock, files.path(), Parts::default());
    assert!(closings::close_due(&context, days::results_of).await.unwrap() <= 1);
}

/// What closings have written and told, without the numbers that each life draws for itself.
const WRITTEN: [&str; 5] = [
    "SELECT row(a.owner, a.name, p.amount, p.balance_after, p.version)::text
     FROM ledger.transfer t JOIN ledger.posting p ON p.transfer = t.id JOIN ledger.account a ON a.id = p.account
     WHERE t.cause_kind = 'closing' AND a.owner IS NOT NULL ORDER BY a.id, p.version",
    "SELECT row(t.business_day, split_part(t.key, ':', 3), split_part(t.key, ':', 4), sum(p.amount), count(*))::text
     FROM ledger.transfer t JOIN ledger.posting p ON p.transfer = t.id JOIN ledger.account a ON a.id = p.account AND a.owner IS NULL
     WHERE t.cause_kind = 'closing' GROUP BY t.id ORDER BY 1",
    "SELECT row(stream, kind, payload)::text FROM foundation.event WHERE kind IN ('closing.booked', 'ranks.reached') ORDER BY stream, seq",
    "SELECT row(c.day, m.member, m.qualified, m.daily_cap)::text FROM affiliates.closing_member m
     JOIN affiliates.closing c ON c.id = m.closing ORDER BY c.day, m.member",
    "SELECT row(c.day, c.step, c.done_through, t.month, t.segment, t.left_members, t.right_members)::text
     FROM affiliates.closing c CROSS JOIN affiliates.team t ORDER BY c.day, t.month, t.segment",
];

async fn written(life: &Life) -> Vec<Vec<String>> {
    let mut written = Vec::new();
    for sql in WRITTEN {
        written.push(sqlx::query_scalar(sql).fetch_all(&life.app.sql).await.unwrap());
    }
    written
}

#[actix_web::test]
async fn a_closing_whose_process_is_killed_books_what_one_books_that_nobody_disturbs() {
    let asked = std::env::var("ARBORA_KILLS").unwrap_or_else(|_| "4".into());
    let most: usize = asked.parse().unwrap();
    let mut dice = StdRng::seed_from_u64(23);
    // The same life twice.
    let (mut calm, mut killed) = (Life::begin(23).await, Life::begin(23).await);
    for life in [&mut calm, &mut killed] {
        life.people(150).await;
    }
    let (mut kills, mut missed) = (0, false);
    while kills < most {
        for life in [&mut calm, &mut killed] {
            life.live(2, 60).await;
            life.sleep();
        }
        // How often a closing is seen that nobody kills: what is drawn from these kills nearly every first one, anywhere.
        let (whole, _) = Closer::start(&calm).await.seen(&calm, usize::MAX).await;
        assert!(whole > 0, "it was at work");
        // One that ended before anybody saw it is followed by one that cannot end unseen.
        let mut held = if missed {
            Some(killed.hold_fund().await)
        } else {
            None
        };
        let before = kills;
        loop {
            let mut closer = Closer::start(&killed).await;
            let (_, ended) = closer.seen(&killed, dice.random_range(1..=whole)).await;
            if ended {
                break;
            }
            closer.kill();
            kills += 1;
            if let Some(held) = held.take() {
                held.rollback().await.unwrap();
            }
            // What died holds its lease until it runs out.
            killed.app.clock.advance(Duration::seconds(61));
        }
        missed = kills == before;
        assert_eq!(
            closings::close_due(&killed.app.context, days::results_of)
                .await
                .unwrap(),
            0,
            "nothing is left to do"
        );
        for life in [&mut calm, &mut killed] {
            life.closed().await;
            life.equal().await;
        }
        assert_eq!(written(&killed).await, written(&calm).await);
    }
    for (rows, sql) in written(&calm).await.iter().zip(WRITTEN) {
        assert!(!rows.is_empty(), "{sql}");
    }
}
