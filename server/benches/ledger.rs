//! The ledger beside pgbench's TPC-B, on one cluster, with the same durability, in one run (docs/performance.md): single transfers,
//! and mass bookings by their legs.
//!
//! `cargo bench -p server --bench ledger -- [seconds per row]`. It makes a database of its own, on the cluster that
//! `DATABASE_URL` names or else on a private one that it starts (fsync on), and removes it. Every invariant is on: triggers, constraints, facts for users' balances.
//! With `--rows` it prints one line per row, `what<TAB>per second`, for a table elsewhere.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::expect_used
)]

mod common;

use common::{Database, times};
use protocol::{
    ids::{BatchId, LicenceId, UserId},
    money::{Brl, Usdt},
    views::Mode,
};
use rand::Rng;
use server::{
    foundation::{clock::SystemClock, transaction::Db},
    ledger::{
        mass::MassBooking,
        model::{
            AccountRef, Cause, CauseKind, Fx, HouseAccount, LicenceAccount, Orderer, Transfer, TransferKind,
            UserAccount,
        },
        service,
    },
};
use sqlx::PgPool;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use uuid::Uuid;

const PEOPLE: usize = 10_000;
const CLIENTS: usize = 16;

fn main() {
    let seconds: u64 = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(8);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(run(Duration::from_secs(seconds)));
}

struct House {
    db: Db,
    pool: PgPool,
    people: Arc<Vec<UserId>>,
    licences: Arc<Vec<LicenceId>>,
}

async fn run(length: Duration) {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).await;
    let pool = &database.pool;
    let house = House {
        db: Db::new(pool.clone(), Arc::new(SystemClock)),
        pool: pool.clone(),
        people: Arc::new((0..PEOPLE).map(|_| UserId::fresh()).collect()),
        licences: Arc::new((0..PEOPLE).map(|_| LicenceId::fresh()).collect()),
    };
    fill(&house).await;
    database.pgbench(&["-q", "-i", "-s", "20"]);

    let mut rows: Vec<Row> = Vec::new();
    let before = database.tpc_b(CLIENTS, length);
    eprintln!("TPC-B: {before}");
    note(
        &mut rows,
        "one per commit, random pairs",
        singles(&house, length, random_pair).await,
    );
    note(
        &mut rows,
        "one per commit, one hot account",
        singles(&house, length, hot).await,
    );
    note(
        &mut rows,
        "results of 10 000 licences a mass booking",
        masses(&house, length, settlement).await,
    );
    note(
        &mut rows,
        "bonuses of 10 000 people a mass booking, a fact each",
        masses(&house, length, bonuses).await,
    );
    note(
        &mut rows,
        "shares of 1 000 people a mass booking, debts asked for, a fact each",
        masses(&house, length, shares).await,
    );
    let after = database.tpc_b(CLIENTS, length);
    let floor = before.midpoint(after);
    let hot_single = rows.get(1).map_or(1, |r| r.1).max(1);

    if std::env::args().any(|a| a == "--rows") {
        println!("pgbench TPC-B\t{floor}");
        for (what, rate) in &rows {
            println!("{what}\t{rate}");
        }
    }
    println!("\n| work ({CLIENTS} connections at most) | per second | × TPC-B | × hot one per commit |");
    println!("| --- | ---: | ---: | ---: |");
    println!("| pgbench TPC-B before / after | {before} / {after} | 1 | |");
    for (what, rate) in rows {
        println!(
            "| {what} | {rate} | {} | {} |",
            times(rate, floor, 1),
            times(rate, hot_single, 1)
        );
    }
    println!(
        "\nbooks: {}",
        database
            .off()
            .await
            .unwrap_or_else(|| "every currency sums to zero".into())
    );
    drop(house);
    database.close().await;
}

type Row = (&'static str, u64);

/// Keeps a figure and says it at once: a run takes a while.
fn note(rows: &mut Vec<Row>, what: &'static str, rate: u64) {
    eprintln!("{what}: {rate}");
    rows.push((what, rate));
}

fn cause() -> Cause {
    Cause::new(CauseKind::Transfer, Uuid::now_v7())
}

fn key() -> String {
    Uuid::now_v7().to_string()
}

fn available(user: UserId) -> AccountRef {
    AccountRef::User(user, UserAccount::Available)
}

async fn fill(house: &House) {
    let start = Instant::now();
    for people in house.people.chunks(1_000) {
        let gifts = people
            .iter()
            .map(|user| {
                Transfer::new(TransferKind::DepositPix, key(), cause(), Orderer::System)
                    .brl(
                        AccountRef::House(HouseAccount::CustodyPix),
                        -Brl::whole(5_000_000),
                    )
                    .brl(
                        AccountRef::House(HouseAccount::Fx(Fx::Brl)),
                        Brl::whole(5_000_000),
                    )
                    .move_usdt(
                        AccountRef::House(HouseAccount::Fx(Fx::Brl)),
                        available(*user),
                        Usdt::whole(1_000_000),
                    )
            })
            .collect();
        let mut tx = house.db.begin().await.unwrap();
        service::post_many(&mut tx, gifts).await.unwrap();
        tx.commit().await.unwrap();
    }
    for (licences, people) in house.licences.chunks(1_000).zip(house.people.chunks(1_000)) {
        let prices = licences
            .iter()
            .zip(people)
            .map(|(licence, user)| {
                Transfer::new(TransferKind::Topup, key(), cause(), Orderer::User(*user)).move_usdt(
                    available(*user),
                    AccountRef::Licence(*licence, LicenceAccount::Allocated),
                    Usdt::whole(100_000),
                )
            })
            .collect();
        let mut tx = house.db.begin().await.unwrap();
        service::post_many(&mut tx, prices).await.unwrap();
        tx.commit().await.unwrap();
    }
    let fund = Transfer::new(TransferKind::HouseCapital, key(), cause(), Orderer::System).move_usdt(
        AccountRef::House(HouseAccount::Sponsorship),
        AccountRef::House(HouseAccount::NetworkFund),
        Usdt::whole(1_000_000),
    );
    let mut tx = house.db.begin().await.unwrap();
    service::post(&mut tx, fund).await.unwrap();
    tx.commit().await.unwrap();
    sqlx::raw_sql("VACUUM ANALYZE")
        .execute(&house.pool)
        .await
        .unwrap();
    println!("filled in {} ms", start.elapsed().as_millis());
}

fn pick<T: Copy>(all: &[T]) -> T {
    all[rand::rng().random_range(0..all.len())]
}

fn random_pair(house: &House) -> Transfer {
    let (from, mut to) = (pick(&house.people), pick(&house.people));
    while to == from {
        to = pick(&house.people);
    }
    Transfer::new(TransferKind::UserTransfer, key(), cause(), Orderer::User(from)).move_usdt(
        available(from),
        available(to),
        Usdt(1_000),
    )
}

fn hot(house: &House) -> Transfer {
    let from = pick(&house.people);
    Transfer::new(TransferKind::PresalePurchase, key(), cause(), Orderer::User(from)).move_usdt(
        available(from),
        AccountRef::House(HouseAccount::Presale),
        Usdt(1_000),
    )
}

/// A result of every licence: two of three have won.
fn settlement(house: &House) -> MassBooking {
    let cause = Cause::new(CauseKind::Batch, BatchId::fresh());
    let trading = HouseAccount::Trading(Mode::Simulated);
    let mut booking = MassBooking::new(TransferKind::Settlement, key(), cause, trading)
        .mode(Mode::Simulated)
        .guarded(0);
    for (n, licence) in house.licences.iter().enumerate() {
        match n % 3 {
            0 => booking.push(
                AccountRef::Licence(*licence, LicenceAccount::Allocated),
                Usdt(-10),
            ),
            _ => booking.push(AccountRef::Licence(*licence, LicenceAccount::Yield), Usdt(1_000)),
        }
    }
    booking
}

fn bonuses(house: &House) -> MassBooking {
    let cause = Cause::new(CauseKind::Bonus, Uuid::now_v7());
    let mut booking = MassBooking::new(TransferKind::Bonus, key(), cause, HouseAccount::NetworkFund);
    for user in house.people.iter() {
        booking.push(AccountRef::User(*user, UserAccount::Bonus), Usdt(1));
    }
    booking
}

fn shares(house: &House) -> MassBooking {
    let cause = Cause::new(CauseKind::Pool, Uuid::now_v7());
    let mut booking = MassBooking::new(TransferKind::PoolRevenue, key(), cause, HouseAccount::NetworkFund);
    let first = rand::rng().random_range(0..house.people.len());
    for user in house.people.iter().cycle().skip(first).take(1_000) {
        booking.push(available(*user), Usdt(1));
    }
    booking
}

async fn singles(house: &House, length: Duration, make: fn(&House) -> Transfer) -> u64 {
    let done = AtomicU64::new(0);
    let end = Instant::now() + length;
    futures_util::future::join_all((0..CLIENTS).map(|_| async {
        while Instant::now() < end {
            let mut tx = house.db.begin().await.unwrap();
            service::post(&mut tx, make(house)).await.unwrap();
            // A deadlock between two posts is possible only on the streams of facts, which are sorted: none is expected.
            tx.commit().await.unwrap();
            done.fetch_add(1, Ordering::Relaxed);
        }
    }))
    .await;
    done.load(Ordering::Relaxed) * 1_000 / u64::try_from(length.as_millis()).unwrap()
}

/// Legs of people and licences a second, one booking after the other.
async fn masses(house: &House, length: Duration, make: fn(&House) -> MassBooking) -> u64 {
    let start = Instant::now();
    let mut done = 0u64;
    while start.elapsed() < length {
        let booking = make(house);
        let mut tx = house.db.begin().await.unwrap();
        let posted = service::post_mass(&mut tx, booking).await.unwrap();
        tx.commit().await.unwrap();
        done += u64::try_from(posted.after.len()).unwrap();
    }
    done * 1_000 / u64::try_from(start.elapsed().as_millis()).unwrap()
}
