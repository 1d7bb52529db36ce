//! Wallets are made once, their words are shown to their owners alone, their keys outlive a change of the master key.

use super::bench::{Bench, MASTER};
use crate::{
    guard::code,
    identity::secrets::{Lines, tables},
};
use alloy::signers::local::{MnemonicBuilder, coins_bip39::English};
use serde_json::json;
use server::{
    identity::codes::{SEAT, Seat},
    wallet::keys::{KeysError, MasterKeys, Vault, rotate, rotate_some},
};
use tracing_subscriber::layer::SubscriberExt;

#[actix_web::test]
async fn a_wallet_is_made_once_and_is_its_owners_alone() {
    let bench = Bench::open().await;
    let ana = bench.app().user("ana").await;
    let nothing = json!({});
    let openings = futures_util::future::join_all((0..8).map(|_| ana.post("/web3/wallet", &nothing))).await;
    let addresses: std::collections::BTreeSet<String> = openings
        .into_iter()
        .map(|reply| reply.ok()["address"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(addresses.len(), 1, "eight openings at once make one wallet");
    let address = addresses.into_iter().next().unwrap();
    let again = ana.post("/web3/wallet", &json!({})).await.ok();
    assert_eq!(again["address"], address.as_str());
    assert_eq!(again["coins"], json!(["bnb", "usdt", "busd", "pyx"]));
    assert_eq!(
        (&again["swaps"], &again["chainId"]),
        (&json!(true), &json!(31337))
    );

    let bia = bench.person("bia").await;
    let unknown = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    for path in ["readWalletBalances", "historic_wallet"] {
        assert_eq!(ana.get(&format!("/web3/{path}/{address}")).await.status, 200);
        assert_eq!(
            ana.get(&format!("/web3/{path}/{}", address.to_lowercase()))
                .await
                .status,
            200
        );
        let (another, none, nonsense) = (
            ana.get(&format!("/web3/{path}/{}", bia.shown())).await,
            ana.get(&format!("/web3/{path}/{unknown}")).await,
            ana.get(&format!("/web3/{path}/me")).await,
        );
        another.refused(404, "request.not_found");
        assert_eq!(
            (another.status, &another.body),
            (none.status, &none.body),
            "another's is as unknown as none"
        );
        nonsense.refused(404, "request.not_found");
    }
    let changed = sqlx::query("UPDATE wallet.user_wallet SET address = decode(repeat('ab', 20), 'hex')")
        .execute(&bench.app().sql)
        .await;
    assert!(changed.is_err(), "an address never changes");
}

#[actix_web::test]
async fn words_are_shown_to_their_owner_with_a_code_and_stay_nowhere() {
    let lines = Lines::default();
    let writer = lines.clone();
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(move || writer.clone())
        .with_ansi(false);
    let filter = tracing_subscriber::EnvFilter::new("trace,hyper=off,h2=off");
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(filter).with(layer));
    tracing::info!("the log is heard");

    let bench = Bench::open().await;
    let ana = bench.person("ana").await;
    let path = "/web3/reveal-secret-phrase";
    ana.client
        .post(path, &json!({}))
        .await
        .refused(422, "code.missing");
    ana.client
        .post(path, &json!({ "securityCode": "000000" }))
        .await
        .refused(422, "code.wrong");
    // A code for something else opens nothing.
    let other = code(
        bench.app(),
        &ana.client,
        "ana",
        "transfer-tokens",
        &ana.shown(),
        "1 USDT",
    )
    .await;
    ana.client
        .post(path, &json!({ "securityCode": other }))
        .await
        .refused(422, "code.wrong");
    let shown = bench.reveal(&ana).await;
    assert_eq!(shown.headers["cache-control"], "no-store");
    let phrase = shown.ok()["phrase"].as_str().unwrap().to_owned();
    let words: Vec<&str> = phrase.split(' ').collect();
    assert_eq!(words.len(), 12);
    let key = MnemonicBuilder::<English>::default()
        .phrase(phrase.as_str())
        .derivation_path("m/44'/60'/0'/0/0")
        .unwrap()
        .build()
        .unwrap();
    assert_eq!(key.address(), ana.address, "whoever has the words has the wallet");

    let secret = hex::encode(key.to_bytes());
    let needles = [
        phrase.clone(),
        words[..3].join(" "),
        words[9..].join(" "),
        hex::encode(&phrase),
        secret,
    ];
    let mut places = tables(bench.app()).await;
    assert!(
        places
            .iter()
            .any(|(name, text)| name == "foundation.audit" && text.contains("wallet.phrase_revealed")),
        "it is on record: {:?}",
        places.iter().map(|(name, _)| name).collect::<Vec<_>>()
    );
    let log = String::from_utf8_lossy(&lines.0.lock().unwrap()).into_owned();
    assert!(log.contains("the log is heard"));
    places.push(("the log".into(), log));
    for (place, text) in &places {
        for needle in &needles {
            assert!(!text.contains(needle), "{place} holds words or a key");
        }
    }

    for _ in 0..2 {
        assert_eq!(
            bench.reveal(&ana).await.ok()["phrase"],
            phrase.as_str(),
            "the words never change"
        );
    }
    bench.reveal(&ana).await.refused(429, "request.rate_limited");
    bench.app().clock.advance(time::Duration::hours(25));
    let later = super::bench::Owner {
        client: bench.app().renew(&ana.client),
        ..ana
    };
    bench.reveal(&later).await.ok();
}

#[actix_web::test]
async fn words_are_not_shown_under_a_hold_or_to_others() {
    let bench = Bench::open().await;
    let ana = bench.person("ana").await;
    let bia = bench.app().user("bia").await;
    // Nothing was opened yet: there is nothing to show.
    let code = code(bench.app(), &bia, "bia", "reveal-phrase", "", "").await;
    bia.post("/web3/reveal-secret-phrase", &json!({ "securityCode": code }))
        .await
        .refused(404, "request.not_found");
    sqlx::query("UPDATE identity.account SET hold_until = now() + interval '1 hour', hold_reason = 'password' WHERE id = $1")
        .bind(ana.client.user.0)
        .execute(&bench.app().sql)
        .await
        .unwrap();
    bench.reveal(&ana).await.refused(403, "outbound.held");
}

#[actix_web::test]
async fn another_master_key_refuses_the_start_in_one_sentence() {
    let bench = Bench::open().await;
    bench.person("ana").await;
    let db = &bench.app().context.db;
    let open = async |current: [u8; 32], previous: Option<[u8; 32]>| {
        Vault::open(db.pool(), MasterKeys::new(&current, previous.as_ref()), db.now()).await
    };
    assert!(open(MASTER, None).await.is_ok());
    let refused = open([12; 32], None).await.err().unwrap();
    assert!(matches!(refused, KeysError::AnotherKey));
    assert!(refused.to_string().contains("ARBORA_MASTER_KEY"), "{refused}");
    assert!(matches!(
        open([12; 32], Some([13; 32])).await,
        Err(KeysError::AnotherKey)
    ));
    // A rotation begins; without the key before, its wallets would be lost.
    assert!(open([12; 32], Some(MASTER)).await.is_ok());
    assert!(matches!(
        open([12; 32], None).await,
        Err(KeysError::KeyBeforeMissing(1))
    ));
    assert!(
        matches!(open(MASTER, None).await, Err(KeysError::AnotherKey)),
        "there is no way back"
    );
}

#[actix_web::test]
async fn a_rotation_that_was_stopped_goes_on_where_it_was() {
    const NAMES: [&str; 5] = ["ana", "bia", "caio", "davi", "elis"];
    let bench = Bench::open().await;
    let mut people = Vec::new();
    for name in NAMES {
        people.push(bench.person(name).await);
    }
    let before = bench.reveal(&people[0]).await.ok()["phrase"].clone();
    let db = &bench.app().context.db;
    let sealed_by = async |version: i32| -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM wallet.user_wallet WHERE key_version = $1")
            .bind(version)
            .fetch_one(&bench.app().sql)
            .await
            .unwrap()
    };
    let (new, previous) = ([12; 32], Some(MASTER));
    let masters = || MasterKeys::new(&new, previous.as_ref());
    let first = Vault::open(db.pool(), masters(), db.now()).await.unwrap();
    assert_eq!(rotate_some(db, &first, 2).await.unwrap(), 2);
    // One that is killed in the middle of a transaction has done nothing of it.
    {
        let mut held = bench.app().sql.begin().await.unwrap();
        sqlx::query("LOCK TABLE wallet.user_wallet IN SHARE MODE")
            .execute(&mut *held)
            .await
            .unwrap();
        let killed =
            tokio::time::timeout(std::time::Duration::from_millis(50), rotate_some(db, &first, 2)).await;
        assert!(killed.is_err(), "it waited for the lock and was dropped");
        held.rollback().await.unwrap();
    }
    assert_eq!((sealed_by(1).await, sealed_by(2).await), (3, 2));
    drop(first);

    // Another process, later.
    let second = Vault::open(db.pool(), masters(), db.now()).await.unwrap();
    let rotated = rotate(db, &second).await.unwrap();
    assert_eq!((rotated.wallets, rotated.version), (3, 2));
    assert_eq!((sealed_by(1).await, sealed_by(2).await), (0, 5));
    assert_eq!(
        rotate(db, &second).await.unwrap().wallets,
        0,
        "once more changes nothing"
    );
    // The key before is needed no more, and the words are the same.
    let alone = Vault::open(db.pool(), MasterKeys::new(&new, None), db.now()).await;
    assert!(alone.is_ok());
    let parts = bench
        .app()
        .context
        .parts
        .clone()
        .with(server::wallet::user_wallets::service::Wallets::new(
            alone.unwrap(),
        ));
    let context = server::foundation::context::Context {
        parts,
        ..bench.app().context.clone()
    };
    let code = code(bench.app(), &people[0].client, "ana", "reveal-phrase", "", "").await;
    // Typed where it was asked for.
    let seat = Seat {
        session: Some(people[0].client.session),
        device: None,
        long_known: false,
        address: None,
    };
    let revealed =
        server::wallet::user_wallets::service::reveal(&context, people[0].client.user, Some(&code));
    let after = SEAT.scope(seat, revealed).await.unwrap();
    assert_eq!(before, after.expose());
}

#[actix_web::test]
async fn authenticator_secrets_outlive_a_rotation() {
    use server::{
        foundation::context::{Context, Keys},
        identity::{resealing, secrets},
    };
    let app = crate::kit::TestApp::start().await;
    let ana = app.user("ana").await;
    let id = ana.user.0;
    let before = secrets::seal(&app.context.keys, id.as_bytes(), b"twenty bytes secret.").unwrap();
    sqlx::query("UPDATE identity.account SET totp_pending = $2, totp_pending_at = now() WHERE id = $1")
        .bind(id)
        .bind(&before)
        .execute(&app.sql)
        .await
        .unwrap();
    let rotated = Keys {
        sealing: [8; 32],
        sealing_previous: Some(app.context.keys.sealing),
        ..(*app.context.keys).clone()
    };
    let alone = Keys {
        sealing_previous: None,
        ..rotated.clone()
    };
    let context = Context {
        keys: std::sync::Arc::new(rotated),
        ..app.context.clone()
    };
    assert_eq!(resealing::reseal(&context).await.unwrap(), 1);
    assert_eq!(
        resealing::reseal(&context).await.unwrap(),
        0,
        "once more changes nothing"
    );
    let after: Vec<u8> = sqlx::query_scalar("SELECT totp_pending FROM identity.account WHERE id = $1")
        .bind(id)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(
        secrets::open(&alone, id.as_bytes(), &after).unwrap(),
        b"twenty bytes secret."
    );
    assert!(secrets::open(&alone, id.as_bytes(), &before).is_err());
}
