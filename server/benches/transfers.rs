//! Whole transfers between members over HTTP, with every check, beside pgbench's TPC-B, on one cluster, with the same durability, in
//! one run (docs/performance.md).
//!
//! `cargo bench -p server --bench transfers -- [transfers per row]`. The server is the product's own: the same application, gate,
//! pool and relay, on a port of the loopback; limits per minute are lifted as for any load test. Each transfer brings a mailed code of
//! its own, bound to its receiver and amount: the codes are asked for and taken from the mails before the clock runs, as they would be
//! read by people, and each is checked, counted and used up by the call.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::expect_used
)]

mod common;

use actix_web::HttpServer;
use common::Database;
use futures_util::{StreamExt, stream};
use protocol::{
    ids::{SessionId, UserId},
    money::Usdt,
};
use serde_json::json;
use server::{
    app::{api, probes::Probes, spa::Spa},
    approvals::guard,
    foundation::{database::pool_options, settings::Settings},
    identity::{
        gate::Gate,
        service::{self as identity, HOUSE, Purpose, TERMS_VERSION},
        sessions,
    },
    ledger::{
        model::{AccountRef, Cause, CauseKind, HouseAccount, Orderer, Transfer, TransferKind, UserAccount},
        service as ledger,
    },
    realtime,
    routes::ROUTES,
};
use sqlx::PgPool;
use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};
use time::OffsetDateTime;

const MEMBERS: usize = 200;
/// As the product's own setting has it.
const CONNECTIONS: u32 = 20;
const CALLERS: [usize; 3] = [1, 16, 64];

fn main() {
    let transfers: usize = std::env::args()
        .skip(1)
        .find_map(|a| a.parse().ok())
        .unwrap_or(6_000);
    let system = actix_web::rt::System::new();
    system.block_on(run(transfers));
}

struct Member {
    id: UserId,
    session: SessionId,
    name: String,
    token: String,
}

/// One transfer that is ready to be sent.
struct Order {
    from: usize,
    to: usize,
    value: String,
    code: String,
}

async fn run(transfers: usize) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).await;
    database.pgbench(&["-q", "-i", "-s", "20"]);
    let server_pool = pool_options()
        .max_connections(CONNECTIONS)
        .after_connect(|connection, _| {
            Box::pin(async move {
                sqlx::query("SET ROLE arbora_app").execute(connection).await?;
                Ok(())
            })
        })
        .connect_with((*database.pool.connect_options()).clone())
        .await
        .unwrap();
    let context = common::context(&server_pool);
    let settings = Settings {
        codes_per_hour: 1_000_000,
        mails_per_hour: 1_000_000,
        outbound_per_day: Usdt::whole(1_000_000),
        // The rules look at who moves much in a short time; what they hold is another path.
        compliance_per_hour: 1_000_000,
        compliance_in_and_out: Usdt::whole(1_000_000),
        ..Settings::default()
    };
    sqlx::query("INSERT INTO foundation.settings (body, effective_at) VALUES ($1, now())")
        .bind(serde_json::to_value(&settings).unwrap())
        .execute(&database.pool)
        .await
        .unwrap();
    let live = realtime::start(
        &context,
        realtime::config(&context),
        actors::bus::in_process::InProcess::alone(),
    );
    let stop = tokio_util::sync::CancellationToken::new();
    actix_web::rt::spawn(realtime::relay::poll(
        context.db.clone(),
        live.clone(),
        Duration::from_secs(1),
        stop.clone(),
    ));
    let face = api::Face {
        context: context.clone(),
        gate: Gate::new(ROUTES, Vec::new(), true),
        spa: Spa::default(),
        realtime: live.clone(),
        origins: realtime::routes::AllowedOrigins::default(),
        probes: Probes::new(&context, &live, Vec::new()),
    };
    let server = HttpServer::new(move || api::app(&face))
        .on_connect(actors::session::transport::on_connect)
        .workers(2)
        .disable_signals()
        .bind(("127.0.0.1", 0))
        .unwrap();
    let address = server.addrs()[0];
    let running = server.run();
    let handle = running.handle();
    actix_web::rt::spawn(running);

    let members = members(&context, &database.pool).await;
    let mut rows = Vec::new();
    for callers in CALLERS {
        let before = database.tpc_b(callers, Duration::from_secs(8));
        let count = if callers == 1 { transfers / 4 } else { transfers };
        let orders = orders(&context, &database.pool, &members, count).await;
        let row = send(address, &members, orders, callers).await;
        let after = database.tpc_b(callers, Duration::from_secs(8));
        eprintln!("{callers} callers: {row:?}; TPC-B with as many clients: {before} before, {after} after");
        rows.push((callers, row, before, after));
    }
    println!("\n| work | per second | × TPC-B | p50 ms | p99 ms |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    for (callers, row, before, after) in rows {
        println!("| pgbench TPC-B, {callers} clients, before / after | {before} / {after} | 1 | | |");
        println!(
            "| transfers over HTTP, {callers} callers | {} | {} | {} | {} |",
            row.rate,
            common::times(row.rate, before.midpoint(after), 2),
            row.p50.as_millis(),
            row.p99.as_millis()
        );
    }
    println!(
        "\nbooks: {}",
        database
            .off()
            .await
            .unwrap_or_else(|| "every currency sums to zero".into())
    );
    stop.cancel();
    handle.stop(false).await;
    server_pool.close().await;
    database.close().await;
}

/// Confirmed members with money and a session each, as they would be after registering, signing in and depositing long ago.
async fn members(context: &server::foundation::context::Context, pool: &PgPool) -> Vec<Member> {
    let now = context.now();
    let past: OffsetDateTime = now - time::Duration::days(40);
    let mut all = Vec::with_capacity(MEMBERS);
    for n in 0..MEMBERS {
        let (id, session, name) = (UserId::fresh(), SessionId::fresh(), format!("member{n}"));
        for sql in [
            "INSERT INTO identity.account (id, email, email_key, username, username_key, full_name, email_confirmed_at,
                 terms_accepted_at, terms_version, risk_accepted_at, adult_declared_at, created_at, updated_at)
             VALUES ($1, $2 || '@bench.invalid', $2 || '@bench.invalid', $2, $2, 'Bench', $3, $3, $4, $3, $3, $3, $3)",
            "INSERT INTO identity.address (account, country, state, city, street, number, district, postal_code, updated_at)
             SELECT $1, 'Brasil', 'SP', 'São Paulo', 'Rua A', '1', 'Centro', '01000-000', $3 WHERE $2 <> $4",
            "INSERT INTO identity.account_role (account, role, granted_at)
             SELECT $1, id, $3 FROM identity.role WHERE name = 'customer' AND $2 <> $4",
        ] {
            sqlx::query(sql)
                .bind(id.0)
                .bind(&name)
                .bind(past)
                .bind(TERMS_VERSION)
                .execute(pool)
                .await
                .unwrap();
        }
        sqlx::query("INSERT INTO affiliates.member (id, sponsor, registered_at, confirmed_at) VALUES ($1, $2, $3, $3)")
            .bind(id.0)
            .bind(HOUSE.0)
            .bind(past)
            .execute(pool)
            .await
            .unwrap();
        sqlx::query(
            "INSERT INTO identity.session (id, account, device, address, created_at, seen_at, expires_at)
             VALUES ($1, $2, 'bench', '127.0.0.1', $3, $3, $3 + interval '400 days')",
        )
        .bind(session.0)
        .bind(id.0)
        .bind(past)
        .execute(pool)
        .await
        .unwrap();
        let mut tx = context.db.begin().await.unwrap();
        let gift = Transfer::new(
            TransferKind::SponsorshipAdd,
            format!("bench:{id}"),
            Cause::new(CauseKind::User, id.0),
            Orderer::System,
        )
        .move_usdt(
            AccountRef::House(HouseAccount::Sponsorship),
            AccountRef::User(id, UserAccount::Available),
            Usdt::whole(100_000),
        );
        ledger::post(&mut tx, gift).await.unwrap();
        tx.commit().await.unwrap();
        let token = sessions::access_token(&context.keys, id, session, now).unwrap();
        all.push(Member {
            id,
            session,
            name,
            token,
        });
    }
    all
}

/// Transfers round the members, each with its own code out of its own mail.
async fn orders(
    context: &server::foundation::context::Context,
    pool: &PgPool,
    members: &[Member],
    count: usize,
) -> Vec<Order> {
    let start = Instant::now();
    sqlx::query("DELETE FROM foundation.mail")
        .execute(pool)
        .await
        .unwrap();
    let planned: Vec<(usize, usize, String)> = (0..count)
        .map(|n| {
            let (from, round) = (n % members.len(), n / members.len());
            let to = (from + 1 + round) % members.len();
            let to = if to == from { (to + 1) % members.len() } else { to };
            (from, to, format!("0.{:06}", n + 1))
        })
        .collect();
    stream::iter(&planned)
        .for_each_concurrent(8, |(from, to, value)| async move {
            let (sender, receiver) = (&members[*from], &members[*to]);
            identity::send_code(
                context,
                sender.id,
                sender.session,
                Purpose::Transfer,
                &guard::binding(Purpose::Transfer, &receiver.name, value),
                vec![format!("value: {value}")],
            )
            .await
            .unwrap();
        })
        .await;
    let mails: Vec<String> = sqlx::query_scalar("SELECT text_body FROM foundation.mail")
        .fetch_all(pool)
        .await
        .unwrap();
    let codes: HashMap<String, String> = mails
        .iter()
        .map(|text| {
            let (_, value) = text.split_once("value: ").unwrap();
            let value = value.split_whitespace().next().unwrap().to_owned();
            let code = text
                .split_whitespace()
                .find(|word| word.len() == 6 && word.bytes().all(|b| b.is_ascii_digit()))
                .unwrap();
            (value, code.to_owned())
        })
        .collect();
    sqlx::raw_sql("VACUUM ANALYZE").execute(pool).await.unwrap();
    eprintln!("{count} codes in {} ms", start.elapsed().as_millis());
    planned
        .into_iter()
        .map(|(from, to, value)| Order {
            from,
            to,
            code: codes[&value].clone(),
            value,
        })
        .collect()
}

#[derive(Debug)]
struct Row {
    rate: u64,
    p50: Duration,
    p99: Duration,
}

async fn send(address: std::net::SocketAddr, members: &[Member], orders: Vec<Order>, callers: usize) -> Row {
    let http = Arc::new(
        reqwest::Client::builder()
            .pool_max_idle_per_host(callers)
            .build()
            .unwrap(),
    );
    let url = format!("http://{address}/api/transfer");
    let count = orders.len();
    let start = Instant::now();
    let mut times: Vec<Duration> = stream::iter(orders)
        .map(|order| {
            let (http, url) = (http.clone(), url.clone());
            async move {
                let start = Instant::now();
                let reply = http
                    .post(url)
                    .bearer_auth(&members[order.from].token)
                    .header("Idempotency-Key", uuid::Uuid::now_v7().to_string())
                    .json(&json!({
                        "receiver": members[order.to].name, "value": order.value, "securityCode": order.code,
                    }))
                    .send()
                    .await
                    .unwrap();
                let status = reply.status();
                let text = reply.text().await.unwrap();
                assert!(
                    status.as_u16() == 201 && text.contains("\"complete\""),
                    "{status} {text}"
                );
                start.elapsed()
            }
        })
        .buffer_unordered(callers)
        .collect()
        .await;
    let took = start.elapsed();
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    Row {
        rate: u64::try_from(count).unwrap() * 1_000 / u64::try_from(took.as_millis()).unwrap().max(1),
        p50: at(50),
        p99: at(99),
    }
}
