//! What accounts have in common, for those who decide: masked, with whom and since when, noted once, and for nobody else.

use crate::{
    bonuses_related::relate,
    kit::{Client, SYSTEM_EMPLOYEE, TestApp},
    pix_withdrawals::{customer, withdraw},
};
use serde_json::{Value, json};
use time::Duration;

async fn run(app: &TestApp, sql: &'static str, who: &Client) {
    // Rows as they may stand, without what led to them.
    let mut conn = app.sql.acquire().await.unwrap();
    sqlx::query("SET session_replication_role = replica")
        .execute(&mut *conn)
        .await
        .unwrap();
    sqlx::query(sql)
        .bind(who.user.0)
        .bind(app.context.now())
        .execute(&mut *conn)
        .await
        .unwrap();
    sqlx::query("SET session_replication_role = origin")
        .execute(&mut *conn)
        .await
        .unwrap();
}

const DEVICE: &str = "INSERT INTO identity.device (account, token_hash, label, created_at, seen_at)
    VALUES ($1, sha256('browser'), 'Firefox no Linux', $2, $2)";
const WITHDRAWN: &str = "INSERT INTO wallet.withdrawal (id, owner, coin, address, usdt, fee, net, wei, rate, hold, settings_version, status,
        created_at, waiting_since, expires_at)
    VALUES (gen_random_uuid(), $1, 'usdt', decode(repeat('ab', 20), 'hex'), 10, 1, 9, 9, 1, gen_random_uuid(), 1, 'canceled', $2, $2, $2)";
const SENT: &str = "INSERT INTO wallet.user_move (id, owner, kind, status, coin, wei, counterparty, outbound, created_at, updated_at)
    VALUES (gen_random_uuid(), $1, 'send', 'failed', 'usdt', 9, decode(repeat('ab', 20), 'hex'), gen_random_uuid(), $2, $2)";

const LISTED: &str = "INSERT INTO approvals.whitelist (id, user_id, kind, destination, shown, label, created_at, usable_at)
    SELECT gen_random_uuid(), $1, l.kind, l.destination, l.destination, '', $2, $2
    FROM (VALUES ('chain', '0x' || repeat('ab', 20)), ('pix', 'duas@example.com'), ('chain', '0xno address')) l(kind, destination)";
const UNLISTED: &str = "UPDATE approvals.whitelist SET removed_at = $2 WHERE user_id = $1";

fn kinds(list: &Value) -> Vec<&str> {
    let mut kinds: Vec<_> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|thing| thing["kind"].as_str().unwrap())
        .collect();
    kinds.sort_unstable();
    kinds
}

async fn looks(app: &TestApp) -> Vec<Option<uuid::Uuid>> {
    sqlx::query_scalar("SELECT subject FROM foundation.audit WHERE action = 'relations.looked' ORDER BY id")
        .fetch_all(&app.sql)
        .await
        .unwrap()
}

#[actix_web::test]
async fn what_two_accounts_share_is_shown_masked_with_since_when() {
    let app = TestApp::start().await;
    let ana = customer(&app, "ana", "100").await;
    let bia = customer(&app, "bia", "100").await;
    let caio = app.user("caio").await;
    withdraw(&app, &ana, "ana", "20").await;
    withdraw(&app, &bia, "bia", "20").await;
    relate(&app, &ana, &bia).await;
    run(&app, DEVICE, &ana).await;
    run(&app, WITHDRAWN, &ana).await;
    app.clock.advance(Duration::hours(2));
    run(&app, DEVICE, &bia).await;
    run(&app, SENT, &bia).await;

    let admin = app.admin("root").await;
    let path = format!("/admin/user/{}/related", ana.user);
    let of_ana = admin.get(&path).await.ok();
    let all = ["device", "document", "payer", "pix_key", "wallet"];
    assert_eq!(kinds(&of_ana), all, "{of_ana}");
    for thing in of_ana["data"].as_array().unwrap() {
        let mut names: Vec<_> = thing["people"]
            .as_array()
            .unwrap()
            .iter()
            .map(|person| person["username"].as_str().unwrap())
            .collect();
        names.sort_unstable();
        assert_eq!((names, &thing["accounts"]), (vec!["ana", "bia"], &json!(2)));
        let shown = thing["shown"].as_str();
        match thing["kind"].as_str().unwrap() {
            "device" => assert_eq!(shown, Some("Firefox no Linux")),
            "wallet" => assert_eq!(shown, Some("0xabab…abab")),
            "payer" => assert_eq!(shown, None),
            _ => assert!(shown.unwrap().contains('*'), "{thing}"),
        }
        if thing["kind"] == "device" {
            // Since the second of them uses it.
            assert_eq!(
                (&thing["people"][0]["username"], &thing["since"]),
                (&json!("ana"), &thing["people"][1]["since"])
            );
        }
    }
    // Nothing of it is told whole.
    assert!(!of_ana.to_string().contains(&"ab".repeat(20)));
    let nothing = admin
        .get(&format!("/admin/user/{}/related", caio.user))
        .await
        .ok();
    assert_eq!(nothing["data"], json!([]));

    // A look that goes on is one look, a later one another; of the list it names nobody.
    admin.get(&path).await.ok();
    let list = admin.get("/admin/related-accounts").await.ok();
    assert_eq!((kinds(&list), &list["meta"]["total"]), (all.to_vec(), &json!(5)));
    let (of_ana, of_caio) = (Some(ana.user.0), Some(caio.user.0));
    assert_eq!(looks(&app).await, [of_ana, of_caio, None]);
    app.clock.advance(Duration::hours(2));
    let admin = app.renew(&admin);
    admin.get(&path).await.ok();
    assert_eq!(looks(&app).await, [of_ana, of_caio, None, of_ana]);

    // Filters, pages, and a browser that nobody uses any more.
    for (query, total) in [
        ("?kind=document", 1),
        ("?kind=wallet", 1),
        ("?kind=address", 0),
        ("?search=bia", 5),
        ("?search=caio", 0),
        ("?kind=payer&search=ana", 1),
    ] {
        let some = admin.get(&format!("/admin/related-accounts{query}")).await.ok();
        assert_eq!(some["meta"]["total"], total, "{query}");
    }
    let second = admin.get("/admin/related-accounts?page=2&limit=3").await.ok();
    assert_eq!(second["data"].as_array().unwrap().len(), 2);
    app.clock.advance(Duration::days(31));
    let later = app.admin("rui").await.get(&path).await.ok();
    assert_eq!(kinds(&later), ["document", "payer", "pix_key", "wallet"]);
}

#[actix_web::test]
async fn only_those_who_decide_see_it_and_only_what_there_is() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("root").await);
    let employee = app.person("eva", SYSTEM_EMPLOYEE).await;
    let path = format!("/admin/user/{}/related", ana.user);
    for who in [&ana, &employee] {
        for path in [&*path, "/admin/related-accounts"] {
            who.get(path).await.refused(403, "auth.forbidden");
        }
    }
    for wrong in ["?kind=shoe", "?sortby=kind", "?limit=0"] {
        admin
            .get(&format!("/admin/related-accounts{wrong}"))
            .await
            .refused(422, "request.invalid");
    }
    admin
        .get(&format!("/admin/user/{}/related", uuid::Uuid::nil()))
        .await
        .refused(404, "user.unknown");
    // What is refused was no look.
    assert!(looks(&app).await.is_empty());
}

/// What relates two for the rules is shown as well, and by the same things.
#[actix_web::test]
async fn the_view_and_the_rules_know_the_same_devices_documents_and_payers() {
    let app = TestApp::start().await;
    let ana = customer(&app, "ana", "100").await;
    let bia = customer(&app, "bia", "100").await;
    relate(&app, &ana, &bia).await;
    run(&app, DEVICE, &ana).await;
    run(&app, DEVICE, &bia).await;
    let since = app.context.now() - Duration::days(30);
    let read = async |sql: &'static str| -> Vec<(String, Vec<u8>, uuid::Uuid)> {
        sqlx::query_as(sql)
            .bind(ana.user.0)
            .bind(since)
            .fetch_all(&app.sql)
            .await
            .unwrap()
    };
    let rules = read(
        "SELECT reason, thing, person FROM approvals.shared_things(ARRAY[$1], $2) ORDER BY reason, thing, person",
    )
    .await;
    let view = read(
        "SELECT 'same_' || o.kind, o.thing, o.person FROM approvals.account_thing m JOIN approvals.account_thing o USING (kind, thing)
         WHERE m.person = $1 AND kind IN ('device', 'document', 'payer')
             AND (m.seen_at IS NULL OR m.seen_at > $2) AND (o.seen_at IS NULL OR o.seen_at > $2) ORDER BY 1, 2, 3",
    )
    .await;
    assert_eq!(rules.len(), 6);
    assert_eq!(view, rules);
}

/// Where money may go says as much as where it went: of an address both are one thing.
#[actix_web::test]
async fn what_stands_on_lists_of_destinations_is_shared_too() {
    let app = TestApp::start().await;
    let (ana, bia, caio) = (
        app.user("ana").await,
        app.user("bia").await,
        app.user("caio").await,
    );
    run(&app, LISTED, &ana).await;
    run(&app, LISTED, &bia).await;
    run(&app, WITHDRAWN, &caio).await;
    let admin = app.admin("root").await;
    let path = format!("/admin/user/{}/related", ana.user);
    let counted = |list: &Value| -> Vec<(String, i64)> {
        let mut all: Vec<_> = list["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|thing| {
                let kind = thing["kind"].as_str().unwrap().to_owned();
                (kind, thing["accounts"].as_i64().unwrap())
            })
            .collect();
        all.sort();
        all
    };
    let of_ana = admin.get(&path).await.ok();
    let both = [("address".to_owned(), 3), ("pix_key".to_owned(), 2)];
    assert_eq!(counted(&of_ana), both, "{of_ana}");
    let list = admin.get("/admin/related-accounts").await.ok();
    assert_eq!(
        counted(&list),
        both,
        "what is no address is nothing shared: {list}"
    );
    for told in [&of_ana, &list] {
        let told = told.to_string();
        assert!(
            !told.contains(&"ab".repeat(20)) && !told.contains("duas@"),
            "{told}"
        );
    }
    run(&app, UNLISTED, &bia).await;
    assert_eq!(counted(&admin.get(&path).await.ok()), [("address".to_owned(), 2)]);
}
