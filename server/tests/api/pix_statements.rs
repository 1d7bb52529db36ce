//! The bank's statement beside our books.

use crate::{
    kit::{Client, Reply, TestApp},
    pix::{approve, available, deposit, end_to_end, id, with_proof},
};
use serde_json::{Value, json};
use server::{jobs, pix};
use time::{Duration, OffsetDateTime, macros::format_description};

async fn upload(admin: &Client, text: &str) -> Reply {
    admin
        .upload(
            "/admin/pix/statements",
            "extrato.csv",
            "text/csv",
            text.as_bytes().to_vec(),
        )
        .await
}

fn file(lines: &[(OffsetDateTime, &str, &str, &str, &str)]) -> String {
    let mut text = "date,EndToEndId,txid,payer,BRL\n".to_owned();
    for (at, bank, txid, payer, brl) in lines {
        let day = at
            .to_offset(time::UtcOffset::from_hms(-3, 0, 0).unwrap())
            .format(format_description!("[year]-[month]-[day]"))
            .unwrap();
        text.push_str(&format!("{day},{bank},{txid},{payer},{brl}\n"));
    }
    text
}

async fn found(admin: &Client, statement: &Value) -> Vec<(String, Value)> {
    let path = format!("/admin/pix/statements/{}/lines?limit=100", id(statement));
    let page = admin.get(&path).await.ok();
    page["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| (l["outcome"].as_str().unwrap().to_owned(), l.clone()))
        .collect()
}

#[actix_web::test]
async fn every_line_is_held_against_the_books() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    let now = app.context.now();
    let bank = |tail: &str| end_to_end(now, tail);
    let credited = with_proof(&ana, "100", 1).await;
    approve(&admin, &credited, &bank("a")).await.ok();
    let unlisted = with_proof(&ana, "20", 2).await;
    approve(&admin, &unlisted, &bank("u")).await.ok();
    let waits = with_proof(&ana, "30", 3).await;
    let open = deposit(&ana, "40").await;
    let txid = |d: &Value| d["txid"].as_str().unwrap().to_owned();
    let text = file(&[
        (now, &bank("a"), "", "Ana", "500.00"),
        (now, &bank("w"), &txid(&waits), "Ana de Teste", "150.00"),
        (now, &bank("o"), &txid(&open), "Ana de Teste", "199.00"),
        (now, &bank("x"), "", "Rui", "77.00"),
        (now, "", "", "Fornecedor", "-12.00"),
    ]);
    let statement = upload(&admin, &text).await.ok();
    assert_eq!(
        (statement["lines"].as_i64(), statement["open"].as_i64()),
        (Some(5), Some(5))
    );
    let found = found(&admin, &statement).await;
    let outcomes: Vec<&str> = found.iter().map(|(o, _)| o.as_str()).collect();
    assert_eq!(
        outcomes,
        [
            "without_line",
            "missing_approval",
            "reopened",
            "unknown",
            "unknown",
            "matched"
        ]
    );
    assert_eq!(found[0].1["deposit"], unlisted["_id"]);
    assert_eq!(
        (&found[2].1["booked"], &found[2].1["brl"]),
        (&json!("200.00"), &json!("199.00"))
    );
    upload(&admin, &text).await.refused(409, "pix.statement_twice");

    // A line is as good as a proof: the approvers have it, with what the bank says.
    let queue = admin
        .get("/admin/list-deposits-pix-approve-reject?status=pending_approval&sortby=usdt&sortdirection=desc")
        .await
        .ok();
    assert_eq!(queue["pending"], 2);
    let row = &queue["data"][0];
    assert_eq!(row["_id"], open["_id"]);
    assert_eq!(
        row["statement"],
        json!({ "endToEndId": bank("o"), "payerName": "Ana de Teste", "brl": "199.00" })
    );
    assert!(row["signals"].as_array().unwrap().contains(&json!("no_proof")));
    let body = json!({ "id": id(&open), "status": "approved", "endToEndId": bank("o"), "payerName": "Ana de Teste", "brl": "199.00" });
    admin
        .patch("/admin/deposits-pix-approve-reject", &body)
        .await
        .ok();
    assert_eq!(available(&app, &ana).await, 100_000_000 + 20_000_000 + 39_800_000);
}

async fn outcomes(admin: &Client, statement: &Value) -> Vec<String> {
    let found = found(admin, statement).await;
    let mut found: Vec<_> = found
        .into_iter()
        .map(|(o, l)| (l["number"].as_i64(), o))
        .collect();
    found.sort();
    found.into_iter().map(|(_, outcome)| outcome).collect()
}

async fn judged(app: &TestApp) {
    while jobs::round(&app.context).await.unwrap() > 0 {}
}

/// Two payments with one mark: a double payment is seen, before and after one of them is approved.
#[actix_web::test]
async fn of_two_payments_for_one_deposit_one_is_too_many_whatever_is_decided() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    let now = app.context.now();
    let bank = |tail: &str| end_to_end(now, tail);
    let made = with_proof(&ana, "30", 1).await;
    let txid = made["txid"].as_str().unwrap();
    let text = file(&[
        (now, &bank("a"), txid, "Ana", "150.00"),
        (now, &bank("b"), txid, "Ana", "150.00"),
    ]);
    let statement = upload(&admin, &text).await.ok();
    assert_eq!(
        outcomes(&admin, &statement).await,
        ["missing_approval", "duplicate"]
    );
    // Another file of the same day lists the second again, and a third.
    let text = file(&[
        (now, &bank("b"), txid, "Ana", "150.00"),
        (now, &bank("c"), txid, "Ana", "150.00"),
    ]);
    let other = upload(&admin, &text).await.ok();
    assert_eq!(outcomes(&admin, &other).await, ["duplicate", "duplicate"]);

    approve(&admin, &made, &bank("b")).await.ok();
    judged(&app).await;
    assert_eq!(outcomes(&admin, &statement).await, ["duplicate", "matched"]);
    assert_eq!(outcomes(&admin, &other).await, ["matched", "duplicate"]);
    let page = admin.get("/admin/pix/statements").await.ok();
    assert_eq!(page["data"][0]["open"], 1);

    // What is booked later for the file's days, and what is taken back of it.
    let late = with_proof(&ana, "20", 2).await;
    approve(&admin, &late, &bank("d")).await.ok();
    judged(&app).await;
    assert_eq!(
        outcomes(&admin, &statement).await,
        ["without_line", "duplicate", "matched"]
    );
    let path = format!("/admin/deposits-pix/{}/reverse", id(&late));
    admin.post(&path, &json!({ "reason": "MED" })).await.ok();
    judged(&app).await;
    assert_eq!(
        outcomes(&admin, &statement).await,
        ["reversed", "duplicate", "matched"]
    );
}

/// As banks of the country export them.
#[actix_web::test]
async fn a_file_with_tabs_in_utf_16_is_a_statement() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    let now = app.context.now();
    let made = with_proof(&ana, "30", 1).await;
    let text = file(&[(
        now,
        &end_to_end(now, "a"),
        made["txid"].as_str().unwrap(),
        "João – Ltda",
        "150.00",
    )]);
    let bytes = std::iter::once(0xFEFF)
        .chain(text.replace(',', "\t").replace("150.00", "150,00").encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let statement = admin
        .upload("/admin/pix/statements", "extrato.txt", "text/plain", bytes)
        .await
        .ok();
    let found = found(&admin, &statement).await;
    assert_eq!(found[0].0, "missing_approval");
    assert_eq!(found[0].1["payerName"], "João – Ltda");
    // A mark in small letters is ours all the same, and a name that hides something is cleaned.
    let mark = made["txid"].as_str().unwrap().to_lowercase();
    let small = file(&[(
        now,
        &end_to_end(now, "a"),
        &mark,
        "Ana\0 de \u{202e}Teste",
        "150.00",
    )]);
    let statement = upload(&admin, &small).await.ok();
    let small = self::found(&admin, &statement).await;
    assert_eq!(
        (&*small[0].0, &small[0].1["payerName"]),
        ("missing_approval", &json!("Ana de Teste"))
    );
    let wrong = upload(
        &admin,
        "date;EndToEndId;txid;payer;BRL\n2026-11-20;;;;12.34.56,00\n",
    )
    .await;
    wrong.refused(422, "pix.statement_malformed");
    assert_eq!(wrong.body["params"], json!({ "line": "2", "column": "BRL" }));
}

/// An amount is never guessed: not from its half, not from one of two columns.
#[actix_web::test]
async fn a_line_that_does_not_fit_its_header_refuses_the_file() {
    let app = TestApp::start().await;
    let admin = app.admin("bia").await;
    const HEADER: &str = "date,EndToEndId,txid,payer,BRL";
    let cut = format!("{HEADER}\n2026-11-20,,,Ana,1.00\n2026-11-20,,,Ana,100,55\n");
    let refused = upload(&admin, &cut).await;
    refused.refused(422, "pix.statement_cells");
    assert_eq!(refused.body["params"], json!({ "line": "3" }));
    let twice = upload(&admin, &format!("{HEADER},valor\n2026-11-20,,,Ana,1.00,2.00\n")).await;
    twice.refused(422, "pix.statement_column_twice");
    assert_eq!(twice.body["params"], json!({ "column": "BRL" }));
    for amount in [
        "12 34 56.00",
        "1\u{a0}00.00",
        "1'00.00",
        "--100.00",
        "(-100.00)",
        "100.00--",
        "-10.00 D",
    ] {
        let refused = upload(&admin, &format!("{HEADER}\n2026-11-20,,,Ana,{amount}\n")).await;
        refused.refused(422, "pix.statement_malformed");
    }
    assert_eq!(admin.get("/admin/pix/statements").await.ok()["meta"]["total"], 0);
}

/// What a line says is true after a reversal, and after the bank took the money back.
#[actix_web::test]
async fn a_credit_that_was_taken_back_is_told_so() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    let now = app.context.now();
    let bank = end_to_end(now, "aB1");
    let (made, kept) = (with_proof(&ana, "30", 1).await, with_proof(&ana, "20", 2).await);
    approve(&admin, &made, &bank).await.ok();
    approve(&admin, &kept, &end_to_end(now, "k")).await.ok();
    let text = file(&[
        // Another spelling of the same payment.
        (now, &bank.to_lowercase(), "", "Ana", "150.00"),
        (now, &bank, "", "Ana", "-150.00"),
        (now, &end_to_end(now, "k"), "", "Ana", "100.00"),
        (now, &end_to_end(now, "n"), "", "Rui", "7.00"),
        (now, &end_to_end(now, "N"), "", "Rui", "7.00"),
    ]);
    let statement = upload(&admin, &text).await.ok();
    assert_eq!(
        outcomes(&admin, &statement).await,
        ["matched", "amount_differs", "matched", "unknown", "duplicate"]
    );
    let path = format!("/admin/deposits-pix/{}/reverse", id(&made));
    admin.post(&path, &json!({ "reason": "MED" })).await.ok();
    judged(&app).await;
    assert_eq!(
        outcomes(&admin, &statement).await,
        ["reversed", "matched", "matched", "unknown", "duplicate"]
    );
    let list = admin.get("/admin/pix/statements").await.ok();
    assert_eq!(list["data"][0]["open"], 2);
    let page = format!("/admin/pix/statements/{}/lines?status=reversed", id(&statement));
    let line = &admin.get(&page).await.ok()["data"][0];
    assert_eq!(
        (&line["deposit"], &line["booked"]),
        (&made["_id"], &json!("150.00"))
    );
    let csv = admin.get(&format!("{page}&format=csv")).await;
    assert!(
        csv.body.as_str().unwrap().contains("Crédito desfeito"),
        "{}",
        csv.body
    );
}

#[actix_web::test]
async fn a_line_reopens_a_deposit_whose_day_ended() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    let made = deposit(&ana, "30").await;
    let paid = app.context.now();
    app.clock.advance(Duration::hours(25));
    assert_eq!(pix::service::time_out(&app.context, 10).await.unwrap(), 1);
    let (ana, admin) = (app.renew(&ana), app.renew(&admin));
    let text = file(&[(
        paid,
        &end_to_end(paid, "z"),
        made["txid"].as_str().unwrap(),
        "Ana",
        "150.00",
    )]);
    let statement = upload(&admin, &text).await.ok();
    assert_eq!(found(&admin, &statement).await[0].0, "reopened");
    let own = ana.get("/list-deposits-pix").await.ok();
    assert_eq!(own["data"][0]["status"], "pending_approval");
    assert!(own["data"][0].get("statement").is_none(), "for staff only");
    approve(&admin, &made, &end_to_end(paid, "z")).await.ok();
    assert_eq!(available(&app, &ana).await, 30_000_000);
}

#[actix_web::test]
async fn what_is_no_statement_changes_nothing() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    upload(&ana, "x").await.refused(403, "auth.forbidden");
    let bad = upload(&admin, "date,EndToEndId,txid,payer,BRL\nontem,,,,1.00\n").await;
    bad.refused(422, "pix.statement_malformed");
    assert_eq!(bad.body["params"], json!({ "line": "2", "column": "date" }));
    upload(&admin, "").await.refused(422, "file.empty");
    let endless = upload(&admin, &"x".repeat(6 * 1024 * 1024)).await;
    endless.refused(422, "pix.statement_long_line");
    assert_eq!(endless.body["params"], json!({ "line": "1", "kilobytes": "4" }));
    let large = format!("2026-11-20,,,{},1.00\n", "x".repeat(300)).repeat(19_000);
    upload(&admin, &format!("date,EndToEndId,txid,payer,BRL\n{large}"))
        .await
        .refused(413, "pix.statement_too_long");
    let long = format!(
        "date,EndToEndId,txid,payer,BRL\n{}",
        "2026-11-20,,,,1.00\n".repeat(20_001)
    );
    upload(&admin, &long).await.refused(413, "pix.statement_too_long");
    assert_eq!(admin.get("/admin/pix/statements").await.ok()["meta"]["total"], 0);
    admin
        .get("/admin/pix/statements/0190a000-0000-7000-8000-00000000abcd/lines")
        .await
        .refused(404, "request.not_found");
    ana.get("/admin/pix/statements")
        .await
        .refused(403, "auth.forbidden");
}
