//! The ledger beside pgbench's TPC-B, on one cluster, with the same durability, in one run (docs/performance.md).
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

use common::Database;
use protocol::{
    ids::{BatchId, LicenceId, UserId},
    money::{Brl, Usdt},
    views::Mode,
};
use rand::Rng;
use server::{
    foundation::{clock::SystemClock, transaction::Db},
    ledger::{
        batch::{BatchWriter, Entry, Limits},
        model::{
            AccountRef, Cause, CauseKind, Fx, HouseAccount, LicenceAccount, Orderer, Transfer, TransferKind,
            UserAccount,
        },
        service,
    },
};
use sqlx::{PgPool, postgres::PgConnectOptions};
use std::{
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use uuid::Uuid;

const PEOPLE: usize = 10_000;
const CLIENTS: usize = 16;
/// Callers of the batch writer: a busy desk and many browsers.
const CALLERS: usize = 4_000;

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
    let options = pool.connect_options();
    let cluster = &*options;
    let name = cluster.get_database().unwrap();
    let house = House {
        db: Db::new(pool.clone(), Arc::new(SystemClock)),
        pool: pool.clone(),
        people: Arc::new((0..PEOPLE).map(|_| UserId::fresh()).collect()),
        licences: Arc::new((0..PEOPLE).map(|_| LicenceId::fresh()).collect()),
    };
    fill(&house).await;
    pgbench(cluster, name, &["-q", "-i", "-s", "20"]);

    let mut rows: Vec<Row> = Vec::new();
    let before = tpc_b(cluster, name, length);
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
        "batch writer, random pairs, two facts each",
        batches(&house, length, random_pair).await,
    );
    note(
        &mut rows,
        "batch writer, one hot account, a fact each",
        batches(&house, length, hot).await,
    );
    note(
        &mut rows,
        "batch writer, settlements of licences",
        batches(&house, length, settlement).await,
    );
    note(
        &mut rows,
        "post_each of 1 000 settlements a commit",
        sets(&house, length).await,
    );
    let after = tpc_b(cluster, name, length);
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
            times(rate, floor),
            times(rate, hot_single)
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

/// One decimal, without a float.
fn times(rate: u64, peer: u64) -> String {
    let tenths = rate * 10 / peer.max(1);
    format!("{}.{}", tenths / 10, tenths % 10)
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

fn settlement(house: &House) -> Transfer {
    let licence = pick(&house.licences);
    Transfer::new(
        TransferKind::Settlement,
        key(),
        Cause::new(CauseKind::Batch, BatchId::fresh()),
        Orderer::System,
    )
    .mode(Mode::Simulated)
    .move_usdt(
        AccountRef::House(HouseAccount::Trading(Mode::Simulated)),
        AccountRef::Licence(licence, LicenceAccount::Yield),
        Usdt(1_000),
    )
    .move_usdt(
        AccountRef::Licence(licence, LicenceAccount::Allocated),
        AccountRef::House(HouseAccount::Trading(Mode::Simulated)),
        Usdt(10),
    )
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

async fn batches(house: &House, length: Duration, make: fn(&House) -> Transfer) -> u64 {
    let writer = BatchWriter::start(&house.db, Limits::default());
    let done = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let start = Instant::now();
    let timer = async {
        tokio::time::sleep(length).await;
        stop.store(true, Ordering::Relaxed);
    };
    let callers = futures_util::future::join_all((0..CALLERS).map(|_| async {
        while !stop.load(Ordering::Relaxed) {
            writer.submit(Entry::new(make(house))).await.unwrap();
            done.fetch_add(1, Ordering::Relaxed);
        }
    }));
    tokio::join!(timer, callers);
    done.load(Ordering::Relaxed) * 1_000 / u64::try_from(start.elapsed().as_millis()).unwrap()
}

async fn sets(house: &House, length: Duration) -> u64 {
    let start = Instant::now();
    let mut done = 0u64;
    while start.elapsed() < length {
        let orders: Vec<Transfer> = (0..1_000).map(|_| settlement(house)).collect();
        let mut tx = house.db.begin().await.unwrap();
        let outcomes = service::post_each(&mut tx, orders).await.unwrap();
        tx.commit().await.unwrap();
        done += u64::try_from(outcomes.iter().filter(|o| o.is_ok()).count()).unwrap();
    }
    done * 1_000 / u64::try_from(start.elapsed().as_millis()).unwrap()
}

fn tpc_b(cluster: &PgConnectOptions, database: &str, length: Duration) -> u64 {
    let seconds = length.as_secs().max(1).to_string();
    let report = pgbench(
        cluster,
        database,
        &["-n", "-c", &CLIENTS.to_string(), "-j", "2", "-T", &seconds],
    );
    let rate = report
        .lines()
        .find_map(|l| l.strip_prefix("tps = "))
        .unwrap_or("0");
    rate.split(['.', ' ']).next().unwrap_or("0").parse().unwrap_or(0)
}

fn pgbench(cluster: &PgConnectOptions, database: &str, args: &[&str]) -> String {
    let host = cluster
        .get_socket()
        .map_or_else(|| cluster.get_host().to_owned(), |s| s.display().to_string());
    let output = Command::new("pgbench")
        .args(args)
        .args([
            "-h",
            &host,
            "-p",
            &cluster.get_port().to_string(),
            "-U",
            cluster.get_username(),
            database,
        ])
        .output()
        .expect("pgbench is installed");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}
