//! Every money call of the route table is done once under its key: what was answered is answered again, to the letter.

use crate::{
    kit::{
        ADMINISTRATOR, Client, Reply, TestApp,
        document::{self, Operation},
    },
    licences::{PLAN_100, balance, fund},
};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::{identity::gate::Limit, ledger::model::UserAccount::Available, routes::ROUTES};

/// Calls with the limit of money that take no key, and what keeps each from being done twice.
const KEYLESS: &[(&str, &str)] = &[
    ("/admin/hot-wallet/resume", "a state, not an order"),
    ("/admin/presale/rounds/{id}", "rules of a round, by their version"),
    (
        "/admin/presale/rounds/{id}/agree",
        "rules of a round, agreed once",
    ),
    (
        "/admin/presale/rounds/{id}/withdraw",
        "rules of a round, withdrawn once",
    ),
    ("/admin/withdraw-pix/{id}/key", "reads a key, and moves nothing"),
    ("/dev/faucet", "coins of the local chain alone, in a demo"),
    ("/web3/swapTokens/quote", "an offer moves nothing"),
    ("/web3/transferToken/quote", "an offer moves nothing"),
    ("/withdraw-pix/quote", "an offer moves nothing"),
    ("/withdraw/confirm", "its link counts once"),
    ("/withdraw/quote", "an offer moves nothing"),
];

/// The money calls of the route table, but for those that move nothing or take a file (their own tests send files).
fn money_calls() -> Vec<Operation> {
    let operations = document::operations();
    let is_money = |operation: &Operation| {
        ROUTES.iter().any(|route| {
            (route.method, route.path) == (operation.method.as_str(), operation.path.as_str())
                && matches!(route.limit, Limit::Money)
        })
    };
    let (money, others): (Vec<_>, Vec<_>) = operations.into_iter().partition(is_money);
    let (mut keyed, keyless): (Vec<_>, Vec<_>) = money.into_iter().partition(|operation| operation.keyed);
    let mut keyless: Vec<_> = keyless.into_iter().map(|operation| operation.path).collect();
    keyless.sort();
    assert_eq!(
        keyless,
        KEYLESS.iter().map(|(path, _)| *path).collect::<Vec<_>>(),
        "a money call is done once under its key, or says why it needs none"
    );
    let strays = others
        .iter()
        .filter(|operation| operation.keyed && !operation.uploads);
    let strays: Vec<_> = strays.map(|operation| &operation.path).collect();
    assert!(
        strays.is_empty(),
        "keyed, but not money in the route table: {strays:?}"
    );
    keyed.retain(|operation| !operation.uploads);
    keyed
}

async fn call(operation: &Operation, who: &Client, body: Option<&Value>) -> Reply {
    let url = operation.url(|_| None);
    operation.send(who, &url, "", body.map(Value::to_string)).await
}

async fn rows(app: &TestApp, key: &str) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM foundation.idempotency WHERE key = $1")
        .bind(key)
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

#[actix_web::test]
async fn a_key_answers_the_same_again_on_every_money_call() {
    let app = TestApp::start().await;
    let root = app.person("raiz", ADMINISTRATOR).await;
    let mut wrong = Vec::new();
    for (n, operation) in money_calls().iter().enumerate() {
        let name = format!("{} {}", operation.method, operation.path);
        let key = format!("same-again-{n:06}");
        let who = root.key(&key);
        let first = call(operation, &who, operation.body.as_ref()).await;
        let kept = rows(&app, &key).await;
        let again = call(operation, &who, operation.body.as_ref()).await;
        let is_final = first.status < 300 || first.status == 409 || first.code() == "balance.insufficient";
        if (kept == 1) != is_final {
            wrong.push(format!("{name}: {} {} kept {kept}", first.status, first.code()));
        }
        if is_final && (again.status, &again.body) != (first.status, &first.body) {
            wrong.push(format!("{name}: first {}, again {}", first.body, again.body));
        }
        if is_final && again.headers.get("idempotent-replay").is_none() {
            wrong.push(format!("{name}: done twice"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[actix_web::test]
async fn a_key_that_was_used_for_something_else_is_refused_on_every_money_call() {
    let app = TestApp::start().await;
    let root = app.person("raiz", ADMINISTRATOR).await;
    let mut wrong = Vec::new();
    for (n, operation) in money_calls().iter().enumerate() {
        let name = format!("{} {}", operation.method, operation.path);
        let key = format!("another-order-{n:06}");
        sqlx::query(
            "INSERT INTO foundation.idempotency (user_id, route, key, body_hash, status, response, created_at)
             VALUES ($1, $2, $3, sha256('another'), 200, '{}', now())",
        )
        .bind(root.user.0)
        .bind(&name)
        .bind(&key)
        .execute(&app.sql)
        .await
        .unwrap();
        let reply = call(operation, &root.key(&key), operation.body.as_ref()).await;
        // What does not even name an order is refused before.
        if reply.code() != "idempotency.mismatch" {
            wrong.push(format!("{name}: {} {}", reply.status, reply.body));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[actix_web::test]
async fn a_final_refusal_stays_and_a_passing_one_does_not() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let order = json!({ "plan": PLAN_100, "riskAccepted": true });
    let first = ana.key("for-want-of-money").post("/licences/buy", &order).await;
    first.refused(422, "balance.insufficient");
    fund(&app, &ana, Available, 250).await;
    let again = ana.key("for-want-of-money").post("/licences/buy", &order).await;
    assert_eq!((again.status, &again.body), (first.status, &first.body));
    assert_eq!(balance(&app, &ana, Available).await, Usdt::whole(250));
    // Another key is another order; a second try of it is not.
    for _ in 0..2 {
        ana.key("with-the-money-there")
            .post("/licences/buy", &order)
            .await
            .ok();
    }
    assert_eq!(balance(&app, &ana, Available).await, Usdt::whole(150));
    // What does not even say an order counts for nothing.
    let unread = json!({ "plan": PLAN_100, "riskAccepted": false });
    let key = ana.key("not-read-the-notice");
    key.post("/licences/buy", &unread)
        .await
        .refused(422, "licence.risk_not_accepted");
    key.post("/licences/buy", &order).await.ok();
}
