//! The network's pages of the one who has everybody below: 10 000, 100 000 and 1 000 000 members, half of whom that one brought itself, 50 000
//! sales and 100 000 gains of today (fewer where there are fewer members). A page may cost no more where there are more; beside the pages stands what it
//! takes to leave the results of 10 000 owners, which a settlement does, and to sum them for all above, which is done behind it.
//!
//! `cargo bench -p server --bench network -- [members ...]`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::expect_used
)]

mod common;

use common::{Database, context, people};
use protocol::{ids::UserId, money::Usdt};
use rand::{Rng, SeedableRng, rngs::StdRng};
use server::{
    affiliates::{closing::sums, model::DayResult, network::service as network, service as affiliates},
    foundation::{business_day, context::Context},
};
use sqlx::PgPool;
use std::time::{Duration, Instant};
use uuid::Uuid;

const CHAIN: usize = 100_000;
const SALES: usize = 50_000;
const GAINS: usize = 100_000;
/// Owners of one batch of results.
const BATCH: usize = 10_000;
/// How often each page is asked for.
const LOOKS: usize = 300;
const LEVELS: i32 = 6;

fn main() {
    let mut sizes: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![10_000, 100_000, 1_000_000];
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    println!(
        "\n| members | brought | tree p50, ms | p99 | dashboard with preview p50, ms | p99 | 10 000 results left p50, ms | summed p50, ms | all counted anew, ms |"
    );
    println!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for members in sizes {
        runtime.block_on(run(members));
    }
}

async fn run(members: usize) {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).await;
    let context = context(&database.pool);
    let mut dice = StdRng::seed_from_u64(7);
    let mut nodes = people::network(members, CHAIN, &mut dice);
    for node in nodes.iter_mut().skip(2).step_by(2) {
        node.sponsor = 1;
    }
    let brought = nodes.iter().skip(2).filter(|n| n.sponsor == 1).count();
    let counted = fill(&context, &database.pool, &nodes, &mut dice).await;
    let (mut leaving, mut summing) = (Vec::new(), Vec::new());
    let gains = GAINS.min(members);
    for at in (1..=gains).step_by(BATCH) {
        let ids = nodes
            .iter()
            .skip(at)
            .take(BATCH.min(gains + 1 - at))
            .map(|n| n.id);
        let (left, summed) = results(&context, ids, &mut dice).await;
        leaving.push(left);
        summing.push(summed);
    }
    sqlx::raw_sql("VACUUM ANALYZE")
        .execute(&database.pool)
        .await
        .unwrap();

    let viewer = UserId(nodes[1].id);
    let seen = network::dashboard(&context, viewer).await.unwrap();
    assert_eq!(usize::try_from(seen.referrals).unwrap(), brought);
    assert!((seen.tonight.residual + seen.tonight.residual_lost).is_positive());
    let (mut trees, mut dashboards) = (Vec::new(), Vec::new());
    for _ in 0..LOOKS {
        let start = Instant::now();
        network::tree(&context, viewer, "me", LEVELS).await.unwrap();
        trees.push(start.elapsed());
        let start = Instant::now();
        network::dashboard(&context, viewer).await.unwrap();
        dashboards.push(start.elapsed());
    }
    println!(
        "| {members} | {brought} | {} | {} | {} | {} | {} | {} | {} |",
        ms(&mut trees, 50),
        ms(&mut trees, 99),
        ms(&mut dashboards, 50),
        ms(&mut dashboards, 99),
        ms(&mut leaving, 50),
        ms(&mut summing, 50),
        counted.as_millis(),
    );
    database.close().await;
}

/// A percentile in milliseconds, without a float.
fn ms(times: &mut [Duration], percent: usize) -> String {
    times.sort_unstable();
    let at = (times.len() * percent / 100).min(times.len() - 1);
    let micros = times[at].as_micros();
    format!("{}.{:02}", micros / 1_000, micros % 1_000 / 10)
}

/// Members, what they sold today, summed; how long it took to count whom everybody brought.
async fn fill(context: &Context, pool: &PgPool, nodes: &[people::Node], dice: &mut StdRng) -> Duration {
    let start = Instant::now();
    let today = business_day::of(context.now());
    let mut conn = pool.acquire().await.unwrap();
    // What triggers and foreign keys would write and look up one by one.
    sqlx::raw_sql("SET session_replication_role = replica")
        .execute(&mut *conn)
        .await
        .unwrap();
    people::write(&mut conn, nodes).await;
    let sales = SALES.min(nodes.len() / 2);
    let ids: Vec<Uuid> = (0..sales)
        .map(|_| nodes[dice.random_range(1..nodes.len())].id)
        .collect();
    sqlx::query(
        "INSERT INTO affiliates.points (licence, member, points, business_day, booked_at, kind)
         SELECT gen_random_uuid(), id, 100000000, $2, now(), 'sale' FROM unnest($1::uuid[]) AS t(id)",
    )
    .bind(&ids)
    .bind(today)
    .execute(&mut *conn)
    .await
    .unwrap();
    // As the triggers would.
    sqlx::raw_sql(
        "SET session_replication_role = DEFAULT;
         INSERT INTO affiliates.touched (no, sponsor) SELECT no, sponsor FROM affiliates.node WHERE sponsor IS NOT NULL",
    )
    .execute(&mut *conn)
    .await
    .unwrap();
    drop(conn);
    sqlx::raw_sql("VACUUM ANALYZE").execute(pool).await.unwrap();
    eprintln!(
        "{} members filled in {} ms",
        nodes.len() - 1,
        start.elapsed().as_millis()
    );
    sums::sum(context, 0).await.unwrap();
    let start = Instant::now();
    sums::count(context).await.unwrap();
    start.elapsed()
}

/// Leaves the results of some owners as a settlement does, then sums them for those above; how long each took.
async fn results(
    context: &Context,
    owners: impl Iterator<Item = Uuid>,
    dice: &mut StdRng,
) -> (Duration, Duration) {
    let results: Vec<DayResult> = owners
        .map(|id| DayResult {
            member: UserId(id),
            result: Usdt(dice.random_range(1..1_000_000)),
        })
        .collect();
    let mut tx = context.db.begin().await.unwrap();
    let today = business_day::of(context.now());
    let start = Instant::now();
    affiliates::results_left(&mut tx, today, &results).await.unwrap();
    tx.commit().await.unwrap();
    let left = start.elapsed();
    let start = Instant::now();
    sums::gains(context).await.unwrap();
    (left, start.elapsed())
}
