//! The keys in a process of their own: the real program, which listens to nobody, beside a server that has none of them.

use super::{
    desk::{Desk, coins},
    payout::{AWAY, Payout},
};
use crate::{
    chain_kit::{CONFIRMATIONS, SEED, TestChain},
    identity::people::lift_caps,
    kit::TestApp,
};
use alloy::{primitives::Address, signers::local::PrivateKeySigner};
use protocol::ids::NodeId;
use server::{
    foundation::{context::Parts, embedded_postgres::APP_ROLE, job_queue::NewJob},
    jobs,
    market::Rates,
    wallet::{
        chain::Coin,
        hot,
        sender::{Policy, service::Sending},
    },
};
use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
    time::Duration,
};

struct Keys {
    hot: PrivateKeySigner,
    gas: PrivateKeySigner,
}

/// The program as an operator starts it.
fn program(payout: &Payout, keys: &Keys, place: &tempfile::TempDir) -> Command {
    let contract = |coin| payout.desk.chain.contracts().token(coin).unwrap().to_string();
    let options = payout.app().sql.connect_options();
    let folder = options.get_socket().unwrap().display();
    let database = format!(
        "postgres://{APP_ROLE}@localhost/{}?host={folder}",
        payout.app().database
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    command
        .arg("signer")
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("ARBORA_LOG", "warn")
        .env("DATABASE_URL", database)
        .env("CHAIN_RPC_URL", payout.desk.chain.url())
        .env("ARBORA_CHAIN_USDT", contract(Coin::Usdt))
        .env("ARBORA_CHAIN_CONFIRMATIONS", CONFIRMATIONS.to_string())
        .env("ARBORA_HOT_KEY", hex::encode(keys.hot.to_bytes()))
        .env("ARBORA_HOT_ADDRESS", keys.hot.address().to_string())
        .env("ARBORA_GAS_KEY", hex::encode(keys.gas.to_bytes()))
        .env("ARBORA_DEPOSIT_SEED", hex::encode(SEED))
        .current_dir(place.path())
        .stdin(Stdio::null());
    command
}

struct Signer {
    child: Child,
}

impl Signer {
    fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert!(line.contains("The signer is ready"), "{line}");
        Self { child }
    }

    /// As a power cut ends it.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Signer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server that knows the addresses of its keys, and nothing else of them.
async fn server(keys: &Keys) -> Payout {
    let chain = TestChain::start().await;
    let sending = Sending {
        signers: None,
        hot: Some(keys.hot.address()),
        gas: Some(keys.gas.address()),
        vault: hot::Vault::default(),
        policy: Policy::default(),
    };
    let rates = Rates::default();
    let parts = Parts::default()
        .with(chain.chain())
        .with(sending.clone())
        .with(rates.clone());
    let app = TestApp::start_with_parts(parts).await;
    lift_caps(&app).await;
    let node = NodeId::fresh();
    let payout = Payout {
        desk: Desk { app, chain, node },
        sending,
        rates,
        node,
    };
    payout.fill(Coin::Usdt, coins(1_000)).await;
    payout.fill(Coin::Bnb, coins(1)).await;
    let faucet = payout.desk.chain.faucet();
    faucet.fund(keys.gas.address(), coins(1)).await.unwrap();
    payout.desk.watch().await;
    // What `server migrate` gives to the role that owns nothing.
    sqlx::query("GRANT SELECT ON _sqlx_migrations TO arbora_app")
        .execute(&payout.app().sql)
        .await
        .unwrap();
    payout
}

/// Looks whether anybody signs, as every server does once a minute.
async fn look(payout: &Payout) {
    let mut tx = payout.app().context.db.begin().await.unwrap();
    tx.enqueue(NewJob {
        kind: hot::jobs::SIGNER,
        effect: uuid::Uuid::now_v7().to_string(),
        payload: serde_json::json!({}),
        run_at: None,
    });
    tx.commit().await.unwrap();
    while jobs::round(&payout.app().context).await.unwrap() > 0 {}
}

/// Blocks go by until it is so.
async fn until(payout: &Payout, what: &str, is: impl AsyncFn() -> bool) {
    for _ in 0..1_000 {
        if is().await {
            return;
        }
        payout.desk.chain.mine(1).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{what} does not come");
}

#[actix_web::test]
async fn the_keys_are_in_a_process_of_their_own() {
    let keys = Keys {
        hot: PrivateKeySigner::random(),
        gas: PrivateKeySigner::random(),
    };
    let payout = server(&keys).await;
    let place = tempfile::tempdir().unwrap();
    let (ana, admin) = (payout.customer("ana", 500).await, payout.app().admin("bia").await);
    let usdt = async |of: Address| payout.on_chain(Coin::Usdt, of).await;

    // Nobody signs yet: approved money waits, and whoever decides is told.
    let first = payout.approved(&ana, &admin, AWAY, "100").await;
    look(&payout).await;
    assert_eq!(payout.alerts(&admin).await, ["absent"]);
    assert_eq!(payout.status(&ana, &first).await, "approved");
    // The house's own addresses are nobody's destination, although their keys are elsewhere.
    for own in [keys.hot.address(), keys.gas.address()] {
        payout
            .ask_for(&ana, "usdt", own, "50")
            .await
            .refused(422, "withdrawal.address_refused");
    }

    let signer = Signer::start(&mut program(&payout, &keys, &place));
    let done = async || payout.status(&ana, &first).await == "complete";
    until(&payout, "the first withdrawal", done).await;
    assert_eq!(usdt(AWAY).await, coins(98));
    assert!(payout.alerts(&admin).await.is_empty());

    // It gathers deposits as well.
    let deposit = payout.desk.plain(&ana, "usdt", "100").await;
    payout.desk.paid(Coin::Usdt, deposit.address, deposit.due).await;
    let gathered = async || usdt(deposit.address).await.is_zero();
    until(&payout, "the gathered deposit", gathered).await;

    // Killed: what is approved meanwhile waits, whatever the chain does, and goes out once when it is back.
    signer.kill();
    let second = payout.approved(&ana, &admin, AWAY, "50").await;
    payout.desk.chain.mine(CONFIRMATIONS).await;
    assert_eq!(payout.status(&ana, &second).await, "approved");
    assert_eq!(usdt(AWAY).await, coins(98));
    payout.app().clock.advance(time::Duration::minutes(2));
    look(&payout).await;
    assert_eq!(payout.alerts(&admin).await, ["absent"]);
    // As if the half minute had passed for which the killed one holds the lease.
    sqlx::query(
        "UPDATE foundation.lease SET expires_at = now() - interval '1 second' WHERE name = 'wallet.sender'",
    )
    .execute(&payout.app().sql)
    .await
    .unwrap();
    let _signer = Signer::start(&mut program(&payout, &keys, &place));
    let done = async || payout.status(&ana, &second).await == "complete";
    until(&payout, "the second withdrawal", done).await;
    assert_eq!(usdt(AWAY).await, coins(98 + 49));
    assert_eq!(
        payout
            .count("SELECT count(DISTINCT tx)::bigint FROM wallet.outgoing_attempt")
            .await,
        2
    );
    payout.desk.exact().await;
}

#[actix_web::test]
async fn a_key_of_another_address_is_refused() {
    let keys = Keys {
        hot: PrivateKeySigner::random(),
        gas: PrivateKeySigner::random(),
    };
    let payout = server(&keys).await;
    let place = tempfile::tempdir().unwrap();
    let mut child = program(&payout, &keys, &place)
        .env("ARBORA_HOT_ADDRESS", AWAY.to_string())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(!child.wait().unwrap().success());
    assert!(
        said.contains("ARBORA_HOT_KEY is not the key of ARBORA_HOT_ADDRESS"),
        "{said}"
    );
    assert!(!said.contains(&hex::encode(keys.hot.to_bytes())));
}
