//! Results of 50 000 robots booked: reserved, then settled in two batches side by side, in one, and in batches of a thousand, with
//! the ledger, every constraint and trigger, roll-ups and a fact per person; beside the same results one robot at a time.
//!
//! `cargo bench -p server --bench settling -- [robots]`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::expect_used
)]

mod common;

use actors::desk::{
    cohort::Share,
    port::{Batch, Operation, ShareResult},
};
use common::Database;
use protocol::{
    ids::{BatchId, LicenceId, NodeId, OperationId, UserId},
    money::Usdt,
    views::{LegView, Mode},
};
use rand::{Rng, SeedableRng, rngs::StdRng};
use server::{
    foundation::{context::Context, lease},
    ledger::{
        model::{
            AccountRef, Cause, CauseKind, HouseAccount, LicenceAccount, Orderer, Transfer, TransferKind,
        },
        service as ledger,
    },
    robots::service::{self, LEASE},
};
use sqlx::{AssertSqlSafe, PgPool};
use std::time::{Duration, Instant};
use uuid::Uuid;

const ROBOTS: usize = 50_000;
/// Robots of one person.
const EACH: usize = 5;
/// Robots that share an operation.
const COHORT: usize = 1_000;
const ALLOCATED: Usdt = Usdt::whole(100);
const ROUNDS: usize = 3;

fn main() {
    let robots: usize = std::env::args()
        .skip(1)
        .find_map(|a| a.parse().ok())
        .unwrap_or(ROBOTS);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(run(robots));
}

async fn run(robots: usize) {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).await;
    let context = common::context(&database.pool);
    let robots = fill(&context, &database.pool, robots).await;
    let fence = lease::acquire(
        &database.pool,
        LEASE,
        NodeId::fresh(),
        context.now(),
        time::Duration::hours(1),
    )
    .await
    .unwrap()
    .unwrap()
    .fence;
    let mut dice = StdRng::seed_from_u64(8);
    let grown = growth(&context, &database.pool, fence, &robots, &mut dice).await;

    let (mut reserving, mut whole, mut parts, mut halves) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let operations = operations(&context, &robots, &mut dice);
        reserving.push(reserve(&context, fence, &operations).await);
        whole.push(settle(&context, fence, 0, operations).await);
        let operations = self::operations(&context, &robots, &mut dice);
        reserve(&context, fence, &operations).await;
        let start = Instant::now();
        for operation in operations {
            settle(&context, fence, 0, vec![operation]).await;
        }
        parts.push(start.elapsed());
        let operations = self::operations(&context, &robots, &mut dice);
        reserve(&context, fence, &operations).await;
        let start = Instant::now();
        let (left, right): (Vec<_>, Vec<_>) =
            operations.into_iter().enumerate().partition(|(n, _)| n % 2 == 0);
        let side = |part: Vec<(usize, Operation)>| part.into_iter().map(|(_, operation)| operation).collect();
        futures_util::join!(
            settle(&context, fence, 0, side(left)),
            settle(&context, fence, 1, side(right))
        );
        halves.push(start.elapsed());
    }
    // A sample is enough of what takes minutes.
    let sample = robots.get(..500.min(robots.len())).unwrap();
    let mut alone = Duration::ZERO;
    for robot in sample {
        let operation = operation(&context, std::slice::from_ref(robot), &mut dice);
        reserve(&context, fence, std::slice::from_ref(&operation)).await;
        alone += settle(&context, fence, 0, vec![operation]).await;
    }

    println!("\n| what one batch of a result each adds | rows a result | bytes a result, with indexes |");
    println!("| --- | ---: | ---: |");
    for line in grown {
        println!("{line}");
    }
    let count = u128::try_from(robots.len()).unwrap();
    println!("\n| {count} robots, {ROUNDS} rounds | ms, median | ms, worst | robots per second, worst |");
    println!("| --- | ---: | ---: | ---: |");
    let row = |what: &str, times: &[Duration], of: u128| {
        let mut sorted = times.to_vec();
        sorted.sort_unstable();
        let worst = sorted.last().unwrap().as_micros().max(1);
        let median = sorted.get(sorted.len() / 2).unwrap().as_millis();
        println!(
            "| {what} | {median} | {} | {} |",
            worst / 1_000,
            of * 1_000_000 / worst
        );
    };
    row("reserved, a cohort of 1 000 a commit", &reserving, count);
    row(
        "settled, two batches side by side, as the desk does",
        &halves,
        count,
    );
    row("settled, one batch", &whole, count);
    row("settled, a cohort of 1 000 a batch", &parts, count);
    row(
        "settled one robot a batch (500 of them)",
        &[alone],
        u128::try_from(sample.len()).unwrap(),
    );
    let wrong: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM licences.licence l
         WHERE l.reserved <> 0 OR EXISTS (
             SELECT FROM (VALUES ('allocated', l.allocated), ('yield', l.yield)) c(name, copy)
             LEFT JOIN ledger.account a ON a.owner = l.id AND a.name = c.name WHERE coalesce(a.balance, 0) <> c.copy)",
    )
    .fetch_one(&database.pool)
    .await
    .unwrap();
    println!(
        "\nbooks: {}; robots that differ from them: {wrong}",
        database
            .off()
            .await
            .unwrap_or_else(|| "every currency sums to zero".into())
    );
    database.close().await;
}

#[derive(Clone, Copy)]
struct Robot {
    licence: LicenceId,
    user: UserId,
}

/// People with robots and capital in the books, as if they had bought, topped up and allocated long ago.
async fn fill(context: &Context, pool: &PgPool, count: usize) -> Vec<Robot> {
    let start = Instant::now();
    let people: Vec<UserId> = (0..count.div_ceil(EACH)).map(|_| UserId::fresh()).collect();
    let robots: Vec<Robot> = people
        .iter()
        .flat_map(|user| {
            (0..EACH).map(|_| Robot {
                licence: LicenceId::fresh(),
                user: *user,
            })
        })
        .take(count)
        .collect();
    let ids: Vec<Uuid> = people.iter().map(|p| p.0).collect();
    sqlx::query(
        "INSERT INTO identity.account (id, email, email_key, username, username_key, full_name, created_at, updated_at)
         SELECT id, id || '@bench.invalid', id || '@bench.invalid', left(replace(id::text, '-', ''), 32),
                left(replace(id::text, '-', ''), 32), 'Bench', now(), now() FROM unnest($1::uuid[]) AS t(id)",
    )
    .bind(&ids)
    .execute(pool)
    .await
    .unwrap();
    let (licences, owners): (Vec<Uuid>, Vec<Uuid>) = robots.iter().map(|r| (r.licence.0, r.user.0)).unzip();
    sqlx::query(
        "INSERT INTO licences.licence (id, owner, number, plan, value, is_high_risk, maximum_return_ppm, network_ceiling_ppm,
             allocation_factor, settings_version, source, risk_accepted_at, paid_at, cancellable_until, final_at, allocated, capital,
             goal_ppm, eligible_from)
         SELECT r.licence, r.owner, row_number() OVER (PARTITION BY r.owner), p.id, 100000000, false, 3000000, 5000000, 5, 1, 'available',
                now(), now(), now(), now(), $3, 200000000, 100000, now()
         FROM unnest($1::uuid[], $2::uuid[]) AS r(licence, owner),
              (SELECT id FROM licences.plan WHERE value = 100000000 AND NOT is_high_risk) p",
    )
    .bind(&licences)
    .bind(&owners)
    .bind(ALLOCATED.0)
    .execute(pool)
    .await
    .unwrap();
    sqlx::query(
        "INSERT INTO licences.lot (id, licence, amount, origin, created_at, free_at)
         SELECT gen_random_uuid(), licence, $2, 'available', now(), now() FROM unnest($1::uuid[]) AS r(licence)",
    )
    .bind(&licences)
    .bind(ALLOCATED.0)
    .execute(pool)
    .await
    .unwrap();
    for robots in robots.chunks(1_000) {
        let gifts = robots
            .iter()
            .map(|robot| {
                Transfer::new(
                    TransferKind::SponsorshipAdd,
                    Uuid::now_v7().to_string(),
                    Cause::new(CauseKind::User, robot.user.0),
                    Orderer::System,
                )
                .move_usdt(
                    AccountRef::House(HouseAccount::Sponsorship),
                    AccountRef::Licence(robot.licence, LicenceAccount::Allocated),
                    ALLOCATED,
                )
            })
            .collect();
        let mut tx = context.db.begin().await.unwrap();
        ledger::post_many(&mut tx, gifts).await.unwrap();
        tx.commit().await.unwrap();
    }
    sqlx::raw_sql("VACUUM ANALYZE").execute(pool).await.unwrap();
    eprintln!("filled in {} ms", start.elapsed().as_millis());
    robots
}

/// What a result adds to each table: of the second batch, since the first one opens accounts and days. Tables whose rows are
/// changed in place grow by what the batch leaves for the next ones to use again.
async fn growth(
    context: &Context,
    pool: &PgPool,
    fence: i64,
    robots: &[Robot],
    dice: &mut StdRng,
) -> Vec<String> {
    let mut before = Vec::new();
    let mut lines = Vec::new();
    for round in 0..2 {
        let operations = operations(context, robots, dice);
        reserve(context, fence, &operations).await;
        if round == 1 {
            before = sizes(pool).await;
        }
        settle(context, fence, 0, operations).await;
    }
    let count = i64::try_from(robots.len()).unwrap().max(1);
    for ((table, rows, bytes), (_, rows_before, bytes_before)) in sizes(pool).await.into_iter().zip(before) {
        let (rows, bytes) = (rows - rows_before, bytes - bytes_before);
        let hundredths = rows * 100 / count;
        if rows != 0 || bytes != 0 {
            lines.push(format!(
                "| {table} | {}.{:02} | {} |",
                hundredths / 100,
                hundredths % 100,
                bytes / count
            ));
        }
    }
    lines
}

/// Rows and bytes of the tables that a settlement writes.
async fn sizes(pool: &PgPool) -> Vec<(String, i64, i64)> {
    let mut sizes = Vec::new();
    for table in [
        "ledger.transfer",
        "ledger.posting",
        "ledger.account",
        "licences.licence",
        "licences.lot",
        "licences.lot_loss",
        "robots.share",
        "robots.day_result",
        "robots.day_route",
        "robots.day_settled",
        "affiliates.gained",
        "foundation.event",
    ] {
        let (rows, bytes) = sqlx::query_as(AssertSqlSafe(format!(
            "SELECT (SELECT count(*) FROM {table}), pg_total_relation_size('{table}')"
        )))
        .fetch_one(pool)
        .await
        .unwrap();
        sizes.push((table.to_owned(), rows, bytes));
    }
    sizes
}

/// Every robot in one operation; some win, some lose.
fn operations(context: &Context, robots: &[Robot], dice: &mut StdRng) -> Vec<Operation> {
    robots
        .chunks(COHORT)
        .map(|r| operation(context, r, dice))
        .collect()
}

fn operation(context: &Context, robots: &[Robot], dice: &mut StdRng) -> Operation {
    let now = i64::try_from(context.now().unix_timestamp_nanos() / 1_000_000).unwrap();
    let each = dice.random_range(-20_000..40_000);
    let shares: Vec<ShareResult> = robots
        .iter()
        .map(|robot| ShareResult {
            licence: robot.licence,
            user: robot.user,
            amount: Usdt::whole(10),
            volume: Usdt::whole(10),
            fees: Usdt(20_000),
            result: Usdt(each),
        })
        .collect();
    let leg = |side: &str| LegView {
        venue: "Aurora".into(),
        symbol: "BTC/USDT".into(),
        side: side.into(),
        price: "97213.41".into(),
        quantity: "0.1".into(),
        fee: "0.0001 BTC".into(),
        unwinding: false,
    };
    Operation {
        id: OperationId::fresh(),
        route: "USDT → BTC (Aurora) → USDT (Boreal)".into(),
        triangular: false,
        edge_ppm: 900,
        decided_ms: now - 150,
        filled_ms: now,
        legs: vec![leg("buy"), leg("sell")],
        volume: shares.iter().map(|s| s.volume).sum(),
        fees: shares.iter().map(|s| s.fees).sum(),
        result: shares.iter().map(|s| s.result).sum(),
        manual: false,
        shares,
    }
}

async fn reserve(context: &Context, fence: i64, operations: &[Operation]) -> Duration {
    let start = Instant::now();
    for operation in operations {
        let shares: Vec<Share> = operation
            .shares
            .iter()
            .map(|s| Share {
                licence: s.licence,
                user: s.user,
                amount: s.amount,
            })
            .collect();
        let accepted = service::reserve(context, fence, operation.id, &shares)
            .await
            .unwrap();
        assert_eq!(accepted.len(), shares.len(), "every robot may trade");
    }
    start.elapsed()
}

async fn settle(context: &Context, fence: i64, lane: u8, operations: Vec<Operation>) -> Duration {
    let batch = Batch {
        id: BatchId::fresh(),
        mode: Mode::Simulated,
        lane,
        operations,
    };
    let start = Instant::now();
    let robots = service::settle(context, fence, &batch).await.unwrap().robots;
    let took = start.elapsed();
    let expected: usize = batch.operations.iter().map(|o| o.shares.len()).sum();
    assert_eq!(robots.len(), expected, "every robot was settled");
    took
}
