//! Whole lists as files: every row that matches, each once, for those who may see the list.

use crate::{
    guard::send,
    kit::{Client, TestApp, document},
    licences::fund,
};
use actix_web::{HttpResponse, body::to_bytes};
use protocol::{ErrorCode, ids::UserId};
use reqwest::Method;
use server::{
    error::Error,
    foundation::{
        http::{ListParams, Paging},
        listing::{self, Columns, File},
        sheet::Cell,
    },
    ledger::model::UserAccount::Available,
};
use sqlx::QueryBuilder;
use std::collections::HashSet;

/// A thousand times more rows than a page has, made of the first one.
async fn many(app: &TestApp, rows: i64) {
    // The same transfer again and again, each a second older, with amounts of its own.
    sqlx::query(
        "INSERT INTO transfers.transfer (id, sender, receiver, usdt, fee, status, outbound, digest, ledger_transfer, approvals_needed,
             settings_version, created_at, updated_at)
         SELECT gen_random_uuid(), t.sender, t.receiver, n, 0, t.status, t.outbound, t.digest, t.ledger_transfer, t.approvals_needed,
             t.settings_version, t.created_at - make_interval(secs => n), t.updated_at
         FROM transfers.transfer t, generate_series(1, $1) n",
    )
    .bind(rows)
    .execute(&app.sql)
    .await
    .unwrap();
}

struct Csv {
    total: usize,
    name: String,
    lines: Vec<String>,
}

async fn file(who: &Client, path: &str) -> Csv {
    let reply = who.get(path).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let header = |name: &str| reply.headers[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "text/csv; charset=utf-8");
    Csv {
        total: header("x-total-rows").parse().unwrap(),
        name: header("content-disposition"),
        lines: reply.body.as_str().unwrap().lines().map(str::to_owned).collect(),
    }
}

#[actix_web::test]
async fn a_file_has_every_row_once_for_customers_and_for_staff() {
    let app = TestApp::start().await;
    let (ana, _bea) = (app.user("ana").await, app.user("bea").await);
    let admin = app.admin("root").await;
    fund(&app, &ana, Available, 100).await;
    send(&app, &ana, "ana", "bea", "50").await.ok();
    many(&app, 2_345).await;
    for (who, path) in [
        (&ana, "/transfers-list?format=csv&page=2&limit=1&search=bea"),
        (
            &admin,
            "/admin/transfers-reports?format=csv&sortby=value&sortdirection=asc",
        ),
    ] {
        let csv = file(who, path).await;
        assert_eq!(csv.total, 2_346, "{path}");
        assert!(
            csv.name.contains("arbora-transfers-2") && csv.name.ends_with(".csv\""),
            "{}",
            csv.name
        );
        // The mark of play money and the headings.
        assert!(csv.lines[0].contains("DEMO"));
        assert_eq!(
            csv.lines[1],
            "Data;Origem;Destino;Valor (USDT);Taxa (USDT);Situação"
        );
        let rows: HashSet<&String> = csv.lines[2..].iter().collect();
        assert_eq!((csv.lines.len(), rows.len()), (2_348, 2_346), "{path}");
        assert!(
            csv.lines[2..]
                .iter()
                .all(|line| line.contains(";ana;bea;") && line.ends_with(";Concluído"))
        );
    }
    // The list's own filters and order hold, and the reader's language.
    let some = file(
        &admin.clone().locale("en"),
        "/admin/transfers-reports?format=csv&status=rejected",
    )
    .await;
    assert_eq!((some.total, some.lines.len()), (0, 2));
    assert!(some.lines[1].starts_with("Date,"), "{}", some.lines[1]);
    let sorted = file(
        &admin,
        "/admin/transfers-reports?format=csv&sortby=value&sortdirection=asc",
    )
    .await;
    assert!(sorted.lines[2].contains(";0,000001;") && sorted.lines[2_347].contains(";50,000000;"));
    // What is not one's own is in no file.
    let caio = app.user("caio").await;
    assert_eq!(file(&caio, "/transfers-list?format=csv").await.total, 0);
}

#[actix_web::test]
async fn one_file_at_a_time() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let mut lock = app.sql.begin().await.unwrap();
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended($1, 45))")
        .bind(ana.user.to_string())
        .execute(&mut *lock)
        .await
        .unwrap();
    let refused = ana.get("/transfers-list?format=csv").await;
    refused.refused(429, "export.busy");
    assert!(refused.headers.contains_key("retry-after"));
    // Pages are not files, and another person's file is another's.
    ana.get("/transfers-list").await.ok();
    let bea = app.user("bea").await;
    assert_eq!(file(&bea, "/transfers-list?format=csv").await.total, 0);
    drop(lock);
}

const NUMBERS: i64 = 30_000;
const COLUMNS: Columns<(String,)> = &[("value", |row, _| Cell::from(row.0.as_str()))];

/// A file of so many rows of a hundred letters that has begun; nobody reads it yet.
async fn numbers(app: &TestApp, who: UserId) -> Result<HttpResponse, Error> {
    let pool = app.context.db.pool().clone();
    let read = async move |paging: Paging| {
        let all = QueryBuilder::new(format!("SELECT {NUMBERS}::int8"));
        let total = listing::count(&pool, all, &paging).await?;
        let rows = QueryBuilder::new(format!(
            "SELECT repeat(n::text, 20) FROM generate_series(10001, 10000 + {NUMBERS}) n ORDER BY n"
        ));
        let rows: Vec<(String,)> = listing::rows(&pool, rows, &paging).await?;
        Ok::<_, Error>((rows, total))
    };
    let file = File {
        name: "numbers",
        columns: COLUMNS,
    };
    let paging = ListParams::default().paging(10)?;
    file.respond(&app.context, who, &paging, read).await
}

/// Who reads slowly, or not at all, keeps nobody from a file but themselves, and from their own only until they go.
#[actix_web::test]
async fn slow_readers_hold_up_themselves_alone() {
    let app = TestApp::start().await;
    let people: Vec<UserId> = (0..9).map(|_| UserId::fresh()).collect();
    let mut slow = Vec::new();
    for who in &people {
        slow.push(numbers(&app, *who).await.unwrap());
    }
    let refused = numbers(&app, people[0]).await.map(drop);
    assert_eq!(refused.map_err(|e| e.error_code()), Err(ErrorCode::ExportBusy));
    for file in slow.drain(1..) {
        let bytes = to_bytes(file.into_body()).await.unwrap();
        let lines = bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty());
        assert_eq!(lines.count(), usize::try_from(NUMBERS).unwrap() + 2);
    }
    drop(slow);
    while let Err(busy) = numbers(&app, people[0]).await {
        assert_eq!(busy.error_code(), ErrorCode::ExportBusy);
        tokio::task::yield_now().await;
    }
}

/// A file that is refused is not under way after it.
#[actix_web::test]
async fn a_refused_file_keeps_nobody_from_the_next() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    for _ in 0..20 {
        let reply = ana
            .get("/web3/historic_wallet/018f0000-0000-7000-8000-000000000001?format=csv")
            .await;
        reply.refused(404, "request.not_found");
    }
}

/// All lists that have files write theirs, with a heading in three languages and no text missing.
#[actix_web::test]
async fn every_list_with_a_file_writes_it() {
    let app = TestApp::start().await;
    let root = app.admin("root").await;
    let mut seen = 0;
    for operation in document::operations() {
        if operation.method != Method::GET || !operation.takes("format") {
            continue;
        }
        seen += 1;
        for locale in ["pt", "en", "es"] {
            let who = root.clone().locale(locale);
            let reply = operation
                .send(&who, &operation.url(|_| None), "format=csv", None)
                .await;
            // Lists of one thing that there is not.
            if reply.status == 404 {
                continue;
            }
            assert_eq!(reply.status, 200, "{}: {}", operation.path, reply.body);
            let total: usize = reply.headers["x-total-rows"].to_str().unwrap().parse().unwrap();
            let text = reply.body.as_str().unwrap();
            assert_eq!(text.lines().count(), total + 2, "{}: {text}", operation.path);
            assert!(!text.contains('…'), "{} in {locale}: {text}", operation.path);
        }
        let reply = operation
            .send(&root, &operation.url(|_| None), "format=xls", None)
            .await;
        assert!(
            reply.status == 404 || !reply.body["errors"]["format"].is_null(),
            "{}: {}",
            operation.path,
            reply.body
        );
    }
    assert!(seen >= 17, "{seen} lists have files");
}

#[test]
fn every_word_of_a_file_has_its_text() {
    use protocol::{pyx, views};
    use server::foundation::locale::Locale;
    let words = [
        views::ChainDepositStatus::ALL
            .iter()
            .map(|w| w.as_str().to_owned())
            .collect::<Vec<_>>(),
        views::DepositProduct::ALL
            .iter()
            .map(|w| w.as_str().to_owned())
            .collect(),
        views::PendingCause::ALL
            .iter()
            .map(|w| format!("cause_{w}"))
            .collect(),
        views::ChainWithdrawalStatus::ALL
            .iter()
            .map(|w| w.as_str().to_owned())
            .collect(),
        views::WalletMoveKind::ALL
            .iter()
            .map(|w| w.as_str().to_owned())
            .collect(),
        views::WalletMoveStatus::ALL
            .iter()
            .map(|w| w.as_str().to_owned())
            .collect(),
        views::PixDepositStatus::ALL
            .iter()
            .map(|w| w.as_str().to_owned())
            .collect(),
        views::PixWithdrawalStatus::ALL
            .iter()
            .map(|w| w.as_str().to_owned())
            .collect(),
        views::MemberTransferStatus::ALL
            .iter()
            .map(|w| w.as_str().to_owned())
            .collect(),
        views::CaseStatus::ALL
            .iter()
            .map(|w| w.as_str().to_owned())
            .collect(),
        views::LicenceState::ALL
            .iter()
            .map(|w| w.as_str().to_owned())
            .collect(),
        views::Mode::ALL.iter().map(|w| w.as_str().to_owned()).collect(),
        views::TicketStatus::ALL
            .iter()
            .map(|w| w.as_str().to_owned())
            .collect(),
        views::TicketCategory::ALL
            .iter()
            .map(|w| w.as_str().to_owned())
            .collect(),
        pyx::PyxSide::ALL.iter().map(|w| w.as_str().to_owned()).collect(),
        pyx::PyxOrderStatus::ALL
            .iter()
            .map(|w| w.as_str().to_owned())
            .collect(),
    ]
    .concat();
    for locale in Locale::ALL {
        let missing: Vec<&String> = words.iter().filter(|w| locale.text("words", w) == "…").collect();
        assert!(missing.is_empty(), "{locale:?}: {missing:?}");
    }
}
