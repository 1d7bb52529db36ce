//! One thing has one form, however it was typed: destinations, and what is searched for.

use crate::{
    guard::{code, list_on, settings},
    kit::{Client, Reply, TestApp},
    pix_withdrawals::{CPF, customer, order, set_rate},
};
use serde_json::{Value, json};
use time::Duration;

const ADDRESS: &str = "0x52908400098527886E0F7030069857D2E4169EE7";
const PHONE: &str = "(11) 98765-4321";

async fn list(app: &TestApp, ana: &Client, kind: &str, typed: &str) -> Reply {
    let code = code(app, ana, "ana", "whitelist", &format!("add:{typed}"), "").await;
    add(ana, kind, typed, &code).await
}

async fn add(ana: &Client, kind: &str, typed: &str, code: &str) -> Reply {
    let body = json!({ "kind": kind, "destination": typed, "label": "", "securityCode": code });
    ana.post("/whitelist", &body).await
}

#[actix_web::test]
async fn a_destination_is_listed_once_and_opens_what_it_names() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let ana = customer(&app, "ana", "250").await;
    app.user("bea").await;
    app.user("caio").await;
    let small = ADDRESS.to_lowercase();
    for (kind, typed, written) in [
        ("pix", CPF, CPF),
        ("pix", PHONE, "+55 (11) 98765-4321"),
        ("pix", "Ana@Banco.com", "ana@banco.com"),
        ("chain", small.as_str(), ADDRESS),
        ("member", "@bea", "bea"),
        // As whoever is sent balance: by the whole address, with a code for what was typed.
        ("member", " Caio@Example.com", "caio"),
    ] {
        let listed = list(&app, &ana, kind, typed).await.ok();
        assert_eq!(listed["entries"][0]["destination"], written);
    }
    for (kind, typed) in [
        ("pix", "52998224725"),
        ("pix", "529 982 247 25"),
        ("pix", "+5511987654321"),
        ("pix", "ana@banco.com"),
        ("chain", ADDRESS),
        ("member", "BEA"),
        ("member", "bea@example.com"),
        ("member", "CAIO"),
    ] {
        list(&app, &ana, kind, typed)
            .await
            .refused(409, "whitelist.twice");
    }
    for (kind, typed, refusal) in [
        ("pix", "isto nao e chave", "pix.key_invalid"),
        ("pix", "529.982.247-26", "pix.key_invalid"),
        (
            "chain",
            "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            "wallet.address_invalid",
        ),
        ("chain", "0x12", "wallet.address_invalid"),
    ] {
        add(&ana, kind, typed, "").await.refused(422, refusal);
        let asked = json!({ "purpose": "whitelist", "destination": format!("add:{typed}") });
        let reply = ana.post("/security-code", &asked).await;
        reply.refused(422, refusal);
        assert!(reply.body["errors"]["destination"].is_array(), "{}", reply.body);
    }
    for nobody in ["nobody@example.com", "caio@example", "ana@example.com"] {
        add(&ana, "member", nobody, "").await.refused(404, "user.unknown");
    }
    list_on(&app, &ana).await.ok();
    app.clock.advance(Duration::hours(24) + Duration::minutes(1));
    set_rate(&app, 50_000).await;
    let ana = app.renew(&ana);
    for (kind, key) in [
        ("cpf", "52998224725"),
        ("phone", "11 98765 4321"),
        ("email", "ANA@banco.com"),
    ] {
        let order = order(&app, &ana, "ana", "20", kind, key).await;
        ana.post("/withdraw-pix", &order).await.ok();
    }
    // Said before a code is asked for.
    let missing = json!({ "value": "20", "keyKind": "cpf", "key": "111.444.777-35" });
    for path in ["/withdraw-pix/quote", "/withdraw-pix"] {
        ana.post(path, &missing).await.refused(403, "whitelist.missing");
    }
}

/// What stood in another form is brought to the one form: of one key the entry stays that may be used first.
#[actix_web::test]
async fn keys_that_stood_as_they_were_typed_are_brought_to_one_form() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let uuid = "123e4567-e12b-12d1-a456-426655440000";
    for (place, typed) in [
        "529.982.247-25",
        "52998224725",
        "(11) 98765-4321",
        "12.abc.345/01de-35",
        "ana@banco.com",
        uuid,
        "isto nao e chave",
        "529.982.247-26",
        "111.111.111-11",
        "+1 212 555 0100",
    ]
    .into_iter()
    .enumerate()
    {
        sqlx::query(
            "INSERT INTO approvals.whitelist (id, user_id, kind, destination, shown, label, created_at, usable_at)
             VALUES (gen_random_uuid(), $1, 'pix', $2, $2, '', $3, $3)",
        )
        .bind(ana.user.0)
        .bind(typed)
        .bind(app.context.now() - Duration::days(9) + Duration::seconds(i64::try_from(place).unwrap()))
        .execute(&app.sql)
        .await
        .unwrap();
    }
    let change = include_str!("../../../migrations/0110_approvals_listed_once.sql");
    for _ in 0..2 {
        sqlx::raw_sql(change).execute(&app.sql).await.unwrap();
        let mut left: Vec<String> =
            sqlx::query_scalar("SELECT destination FROM approvals.whitelist WHERE removed_at IS NULL")
                .fetch_all(&app.sql)
                .await
                .unwrap();
        left.sort();
        assert_eq!(
            left,
            [
                "+5511987654321",
                uuid,
                "12ABC34501DE35",
                "52998224725",
                "ana@banco.com"
            ]
        );
    }
    let listed = ana.get("/whitelist").await.ok();
    let written: Vec<&str> = listed["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entry| entry["destination"].as_str())
        .collect();
    assert_eq!(
        written,
        [
            uuid,
            "ana@banco.com",
            "12.ABC.345/01DE-35",
            "+55 (11) 98765-4321",
            "529.982.247-25"
        ]
    );
}

#[actix_web::test]
async fn who_searches_need_not_know_how_it_is_written() {
    let app = TestApp::start().await;
    let (ana, root) = (app.user("ana").await, app.admin("root").await);
    sqlx::query("UPDATE identity.account SET full_name = 'João Conceição' WHERE id = $1")
        .bind(ana.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    let ticket = json!({ "category": "other", "subject": "Não consigo", "description": "Ajuda" });
    ana.post("/support/open-ticket", &ticket).await.ok();
    for list in [
        "/admin/users-list/",
        "/support/list-tickets-all/",
        "/admin/balance-manager",
    ] {
        // Without accents, in capitals, with the accents as characters of their own.
        for typed in ["joao", "CONCEIÇÃO", "conceic%CC%A7a%CC%83o"] {
            let found: Value = root.get(&format!("{list}?search={typed}")).await.ok();
            assert_eq!(found["meta"]["total"], 1, "{list} {typed}");
        }
        let none: Value = root.get(&format!("{list}?search=joaquim")).await.ok();
        assert_eq!(none["meta"]["total"], 0, "{list}");
    }
    sqlx::query(
        "UPDATE identity.account SET email = 'ana@xn--exmple-cua.example', email_key = 'ana@xn--exmple-cua.example' WHERE id = $1",
    )
    .bind(ana.user.0)
    .execute(&app.sql)
    .await
    .unwrap();
    for list in ["/admin/users-list/", "/admin/balance-manager"] {
        let found: Value = root
            .get(&format!("{list}?search=ana%40ex%C3%A4mple.example"))
            .await
            .ok();
        assert_eq!(found["meta"]["total"], 1, "{list}");
    }
    let holders = root.get("/admin/role-holders?search=joao").await.ok();
    assert_eq!(holders["data"].as_array().unwrap().len(), 1);
}

/// The program and the database fold alike: what one of them wrote the other finds.
#[actix_web::test]
async fn the_database_folds_as_the_program_does() {
    let app = TestApp::start().await;
    for written in [
        "João da Silva CONCEIÇÃO",
        "Joa\u{303}o",
        "ＪＯÃＯ ５％",
        "Łukasz Żółć",
        "ΝΙΚΟΣ Νίκος",
        "İstanbul ılık",
        "Straße ẞ",
        "Ёлка ЁЛКА",
        "ﬁ ™ № ½ K",
        "علی\u{200c}رضا",
        "ABC-_%\\ \u{a0}x",
        "👩🏽\u{200d}💻",
    ] {
        let folded: String = sqlx::query_scalar("SELECT foundation.folded($1)")
            .bind(written)
            .fetch_one(&app.sql)
            .await
            .unwrap();
        assert_eq!(folded, server::foundation::text::folded(written), "{written}");
    }
    // Letter by letter those that no normal form takes apart, small and capital.
    for (letter, plain) in server::foundation::text::PLAIN {
        for written in [letter.to_string(), letter.to_uppercase().to_string()] {
            let folded: String = sqlx::query_scalar("SELECT foundation.folded($1)")
                .bind(&written)
                .fetch_one(&app.sql)
                .await
                .unwrap();
            assert_eq!(folded, server::foundation::text::folded(&written), "{written}");
            // The capital of some is another letter's as well, or none at all.
            if written.chars().eq([letter]) {
                assert_eq!(folded, plain, "{written}");
            }
        }
    }
}

/// Where money would be lost is on no list, and what was meant as an address is refused as one.
#[actix_web::test]
async fn nobodys_addresses_are_not_listed() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    for lost in [
        "0x0000000000000000000000000000000000000000",
        "0x000000000000000000000000000000000000dEaD",
        "0xdead000000000000000000000000000000000000",
    ] {
        let ask = json!({ "purpose": "whitelist", "destination": format!("add:{lost}") });
        ana.post("/security-code", &ask)
            .await
            .refused(422, "wallet.address_refused");
        let body = json!({ "kind": "chain", "destination": lost, "label": "x", "securityCode": "123456" });
        ana.post("/whitelist", &body)
            .await
            .refused(422, "wallet.address_refused");
    }
    let capital = "0X52908400098527886E0F7030069857D2E4169EE7";
    let ask = json!({ "purpose": "whitelist", "destination": format!("add:{capital}") });
    ana.post("/security-code", &ask)
        .await
        .refused(422, "wallet.address_invalid");
}

/// A letter with a stroke is found without one.
#[actix_web::test]
async fn letters_that_nothing_takes_apart_are_found_by_plain_ones() {
    let app = TestApp::start().await;
    let root = app.admin("root").await;
    app.user("ana").await;
    sqlx::query("UPDATE identity.account SET full_name = 'Łukasz Ørsted Straße' WHERE username = 'ana'")
        .execute(&app.sql)
        .await
        .unwrap();
    for list in ["/admin/users-list/", "/admin/balance-manager"] {
        for typed in ["luk", "%C5%81uk", "orsted", "strasse", "STRASSE"] {
            let found: Value = root.get(&format!("{list}?search={typed}")).await.ok();
            assert_eq!(found["meta"]["total"], 1, "{list} {typed}");
        }
    }
}
