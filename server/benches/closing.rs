//! The closing of a day: 10 000, 100 000 and 1 000 000 members, a tenth of them (at most 100 000) one chain, 50 000 sales and 100 000 gains of
//! that day (fewer where there are fewer members), with the ledger, every constraint and trigger, and a fact per receiver. What is opened
//! (read, calculated, copied) and what each step takes stand apart; beside them the pure calculation alone. Once more, at the size that is nearest to
//! 100 000, with 5 000 members who use one browser and have all sold something that day: for whom a bonus is held is found among them.
//!
//! `cargo bench -p server --bench closing -- [members ...]`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::expect_used
)]

mod common;

use common::{
    Database, context,
    people::{self, Node},
};
use protocol::money::Usdt;
use rand::{Rng, SeedableRng, rngs::StdRng};
use server::{
    affiliates::closing::{
        service as closings,
        tree::{Legs, NONE, Place, Tree},
    },
    foundation::{business_day, context::Context},
    identity::service::HOUSE,
    ledger::{
        model::{AccountRef, Cause, CauseKind, HouseAccount, Orderer, Transfer, TransferKind},
        service as ledger,
    },
    robots::days,
};
use sqlx::PgPool;
use std::time::{Duration, Instant};
use uuid::Uuid;

const CHAIN: usize = 100_000;
const SALES: usize = 50_000;
const GAINS: usize = 100_000;
/// Members who share a browser.
const RING: usize = 5_000;

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
        "\n| members | chain | sales | gains | on one browser | calculation alone, ms | opened, ms | residual, ms | binary, ms | ranks, facts, ms | whole, ms | payees | bonuses | held for |"
    );
    println!(
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    );
    let nearest = sizes.iter().copied().min_by_key(|size| size.abs_diff(100_000));
    for (members, ring) in sizes
        .into_iter()
        .map(|members| (members, 0))
        .chain(nearest.map(|members| (members, RING.min(members / 20))))
    {
        runtime.block_on(run(members, ring));
    }
}

async fn run(members: usize, ring: usize) {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).await;
    let context = context(&database.pool);
    let mut dice = StdRng::seed_from_u64(7);
    let nodes = people::network(members, CHAIN, &mut dice);
    let (sales, gains) = (SALES.min(members / 2), GAINS.min(members));
    let sold = fill(&context, &database.pool, &nodes, (sales, gains, ring), &mut dice).await;

    let alone = {
        let places: Vec<(u32, Place)> = (0u32..)
            .zip(&nodes)
            .map(|(no, node)| {
                let parent = if no == 0 {
                    NONE
                } else {
                    u32::try_from(node.parent).unwrap()
                };
                let place = Place {
                    parent,
                    right: node.right,
                    depth: node.depth,
                };
                (no, place)
            })
            .collect();
        let start = Instant::now();
        let tree = Tree::new(nodes.len(), &places);
        let mut legs = Legs::empty(nodes.len());
        let matches = tree.close(&sold, &mut legs);
        assert!(!matches.is_empty());
        start.elapsed()
    };

    let watch = tokio::spawn(watch(database.pool.clone()));
    let start = Instant::now();
    let closed = closings::close_due(&context, days::results_of).await.unwrap();
    let whole = start.elapsed();
    assert_eq!(closed, 1);
    let seen = watch.await.unwrap();
    let at = |step: &str| {
        seen.iter()
            .find(|(s, _)| s == step)
            .map_or(whole, |(_, at)| at.duration_since(start))
    };
    let (opened, binary, ranks) = (at("residual"), at("binary"), at("graduations"));
    let (bonuses, payees): (i64, i64) = sqlx::query_as(
        "SELECT count(*), count(DISTINCT receiver) FILTER (WHERE paid > 0) FROM affiliates.bonus",
    )
    .fetch_one(&database.pool)
    .await
    .unwrap();
    let held_for: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM affiliates.bonus b CROSS JOIN LATERAL affiliates.held_for(b.id) s
         WHERE b.review IS NOT NULL AND b.kind = 'binary'",
    )
    .fetch_one(&database.pool)
    .await
    .unwrap();
    println!(
        "| {members} | {} | {sales} | {gains} | {ring} | {} | {} | {} | {} | {} | {} | {payees} | {bonuses} | {held_for} |",
        CHAIN.min(members / 10),
        alone.as_millis(),
        opened.as_millis(),
        binary.saturating_sub(opened).as_millis(),
        ranks.saturating_sub(binary).as_millis(),
        whole.saturating_sub(ranks).as_millis(),
        whole.as_millis(),
    );
    if let Some(off) = database.off().await {
        println!("\nbooks: {off}");
    }
    database.close().await;
}

/// When each step was first seen.
async fn watch(pool: PgPool) -> Vec<(String, Instant)> {
    let mut seen: Vec<(String, Instant)> = Vec::new();
    loop {
        let step: Option<String> = sqlx::query_scalar("SELECT step FROM affiliates.closing")
            .fetch_optional(&pool)
            .await
            .unwrap();
        if let Some(step) = step {
            let done = step == "done";
            if seen.last().is_none_or(|(last, _)| *last != step) {
                seen.push((step, Instant::now()));
            }
            if done {
                return seen;
            }
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Members as if they had come, bought and traded before; what each sold yesterday.
async fn fill(
    context: &Context,
    pool: &PgPool,
    nodes: &[Node],
    (sales, gains, ring): (usize, usize, usize),
    dice: &mut StdRng,
) -> Vec<i64> {
    let start = Instant::now();
    let yesterday = business_day::of(context.now()).previous_day().unwrap();
    let mut conn = pool.acquire().await.unwrap();
    // What triggers and foreign keys would write and look up one by one.
    sqlx::raw_sql("SET session_replication_role = replica")
        .execute(&mut *conn)
        .await
        .unwrap();
    people::write(&mut conn, nodes).await;
    let mut sold = vec![0i64; nodes.len()];
    let mut sellers: Vec<usize> = (0..sales).map(|_| dice.random_range(1..nodes.len())).collect();
    // Those of the ring stand anywhere below and beside the chain.
    let first = nodes.len() / 10 + 1;
    let step = (nodes.len() - first) / ring.max(1);
    let together: Vec<usize> = (0..ring).map(|n| first + n * step).collect();
    sellers.extend(&together);
    let ids: Vec<Uuid> = together.iter().map(|s| nodes[*s].id).collect();
    sqlx::query(
        "INSERT INTO identity.device (account, token_hash, label, created_at, seen_at)
         SELECT id, sha256('ring'), '', now(), now() FROM unnest($1::uuid[]) AS t(id)",
    )
    .bind(&ids)
    .execute(&mut *conn)
    .await
    .unwrap();
    for seller in &sellers {
        sold[*seller] += 100 * Usdt::ONE;
    }
    let ids: Vec<Uuid> = sellers.iter().map(|s| nodes[*s].id).collect();
    sqlx::query(
        "INSERT INTO affiliates.points (licence, member, points, business_day, booked_at, kind)
         SELECT gen_random_uuid(), id, 100000000, $2, now(), 'sale' FROM unnest($1::uuid[]) AS t(id)",
    )
    .bind(&ids)
    .bind(yesterday)
    .execute(&mut *conn)
    .await
    .unwrap();
    let ids: Vec<Uuid> = nodes.iter().skip(1).take(gains).map(|n| n.id).collect();
    sqlx::query(
        "INSERT INTO robots.day_result (licence, mode, day, owner, gain, loss, fees, operations, hits)
         SELECT gen_random_uuid(), 'simulated', $2, id, 1000000 + (random() * 1000000)::int, (random() * 500000)::int, 0, 10, 5
         FROM unnest($1::uuid[]) AS t(id)",
    )
    .bind(&ids)
    .bind(yesterday)
    .execute(&mut *conn)
    .await
    .unwrap();
    sqlx::raw_sql("SET session_replication_role = DEFAULT")
        .execute(&mut *conn)
        .await
        .unwrap();
    drop(conn);
    let mut tx = context.db.begin().await.unwrap();
    let order = Transfer::new(
        TransferKind::SponsorshipAdd,
        Uuid::now_v7().to_string(),
        Cause::new(CauseKind::User, HOUSE.0),
        Orderer::System,
    )
    .move_usdt(
        AccountRef::House(HouseAccount::Sponsorship),
        AccountRef::House(HouseAccount::NetworkFund),
        Usdt::whole(1_000_000_000),
    );
    ledger::post(&mut tx, order).await.unwrap();
    tx.commit().await.unwrap();
    sqlx::raw_sql("VACUUM ANALYZE").execute(pool).await.unwrap();
    eprintln!(
        "{} members filled in {} ms",
        nodes.len() - 1,
        start.elapsed().as_millis()
    );
    sold
}
