//! Transfers between members.

use crate::{
    guard::{code, send, settings, with_code},
    identity::people,
    kit::{Client, TestApp, live::Live},
    licences::{balance, fund},
};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::ledger::{model::UserAccount::Available, verify};

async fn list(client: &Client, query: &str) -> Vec<(String, String, String)> {
    let page = client.get(&format!("/transfers-list{query}")).await.ok();
    page["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| {
            let text = |v: &Value| v.as_str().unwrap().to_owned();
            (
                text(&t["origin"]["username"]),
                text(&t["destination"]["username"]),
                text(&t["value"]),
            )
        })
        .collect()
}

#[actix_web::test]
async fn balance_arrives_at_once_on_both_sides() {
    let app = TestApp::start().await;
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    fund(&app, &ana, Available, 100).await;
    let mut sockets = Vec::new();
    for person in [&ana, &bea] {
        let mut socket = Live::open(&app, person).await;
        socket.subscribe(&format!("user:{}", person.user)).await;
        sockets.push(socket);
    }
    let done = send(&app, &ana, "ana", "bea", "12.345678").await.ok();
    assert_eq!(
        (
            &done["origin"]["username"],
            &done["destination"]["username"],
            &done["value"],
            &done["fee"],
            &done["status"]
        ),
        (
            &json!("ana"),
            &json!("bea"),
            &json!("12.345678"),
            &json!("0.000000"),
            &json!("complete")
        )
    );
    for socket in &mut sockets {
        let fact = socket.fact("transfer.changed").await;
        assert_eq!(fact["event"]["transfer"]["_id"], done["_id"]);
    }
    assert_eq!(balance(&app, &ana, Available).await, Usdt(87_654_322));
    assert_eq!(balance(&app, &bea, Available).await, Usdt(12_345_678));
    for person in [&ana, &bea] {
        assert_eq!(
            list(person, "").await,
            [("ana".into(), "bea".into(), "12.345678".to_owned())]
        );
    }
}

#[actix_web::test]
async fn what_cannot_be_sent_is_refused_in_words() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, _) = (app.user("ana").await, app.user("bea").await);
    fund(&app, &ana, Available, 10).await;
    for (to, value, status, error) in [
        ("bea", "0", 422, "amount.not_positive"),
        ("bea", "-1", 422, "amount.not_positive"),
        ("bea", "1.0000001", 422, "amount.invalid"),
        ("bea", "x", 422, "amount.invalid"),
        ("ana", "1", 422, "transfer.self"),
        ("nobody", "1", 404, "user.unknown"),
        ("arbora", "1", 404, "user.unknown"),
    ] {
        with_code(&ana, to, value, "123456").await.refused(status, error);
    }
    let reply = send(&app, &ana, "ana", "bea", "10.000001").await;
    reply.refused(422, "balance.insufficient");
    assert_eq!(
        reply.body["errors"]["value"][0],
        "O valor é maior que o seu saldo!"
    );
    ana.post(
        "/transfer",
        &json!({ "receiver": "bea", "value": "1", "securityCode": "1", "status": "complete" }),
    )
    .await
    .refused(422, "request.invalid");
    // An inactive member takes money out, but transfers nothing.
    sqlx::query("UPDATE identity.account SET status = 'inactive' WHERE id = $1")
        .bind(ana.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    with_code(&ana, "bea", "1", "123456")
        .await
        .refused(403, "auth.inactive");
    assert_eq!(balance(&app, &ana, Available).await, Usdt::whole(10));
}

#[actix_web::test]
async fn the_same_key_moves_money_once() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    fund(&app, &ana, Available, 100).await;
    let keyed = ana.key("the-same-key-for-both");
    let one = code(&app, &ana, "ana", "transfer", "bea", "5").await;
    let first = with_code(&keyed, "bea", "5", &one).await.ok();
    // The code is spent by now; the answer is the first one.
    assert_eq!(with_code(&keyed, "bea", "5", &one).await.ok(), first);
    with_code(&keyed, "bea", "6", &one)
        .await
        .refused(409, "idempotency.mismatch");
    assert_eq!(balance(&app, &bea, Available).await, Usdt::whole(5));
}

#[actix_web::test]
async fn members_are_found_by_prefix_or_exact_address_and_no_more_is_told() {
    let app = TestApp::start_with(true).await;
    let ana = app.user("ana").await;
    for n in 0..12 {
        app.user(&format!("bea{n:02}")).await;
    }
    let find = async |term: &str| ana.get(&format!("/search-user/{term}")).await.ok();
    assert_eq!(find("be").await, json!([]));
    assert_eq!(find("bea").await.as_array().unwrap().len(), 10);
    assert_eq!(
        find("BEA07").await,
        json!([{ "username": "bea07", "name": "bea07 T.", "avatar": null }])
    );
    for spelled in ["bea07@example.com", "BEA07@EXAMPLE.com", "b%C3%A9a07"] {
        assert_eq!(find(spelled).await.as_array().unwrap().len(), 1, "{spelled}");
    }
    for nothing in [
        "bea07@example",
        "bea%25",
        "b_a",
        "ana",
        "arbora",
        "07@example.com",
        // Accents are no letters.
        "b%CC%81%CC%82%CC%83",
    ] {
        assert_eq!(find(nothing).await, json!([]), "{nothing}");
    }
    // Twenty a minute.
    let mut refused = false;
    for _ in 0..20 {
        refused |= ana.get("/search-user/bea").await.status == 429;
    }
    assert!(refused);
}

#[actix_web::test]
async fn lists_are_filtered_and_show_nobody_elses() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, bea, caio) = (
        app.user("ana").await,
        app.user("bea").await,
        app.person("caio", crate::kit::SALESPERSON).await,
    );
    let admin = app.admin("bia").await;
    fund(&app, &ana, Available, 100).await;
    fund(&app, &bea, Available, 100).await;
    send(&app, &ana, "ana", "bea", "1").await.ok();
    send(&app, &ana, "ana", "caio", "2").await.ok();
    send(&app, &bea, "bea", "caio", "3").await.ok();
    let names = |rows: Vec<(String, String, String)>| rows.into_iter().map(|r| r.2).collect::<Vec<_>>();
    assert_eq!(names(list(&ana, "").await), ["2.000000", "1.000000"]);
    assert_eq!(
        names(list(&ana, "?sortby=value&sortdirection=asc").await),
        ["1.000000", "2.000000"]
    );
    assert_eq!(names(list(&ana, "?search=ana").await), Vec::<String>::new());
    assert_eq!(names(list(&ana, "?search=bea").await), ["1.000000"]);
    assert_eq!(names(list(&ana, "?function=salesperson").await), ["2.000000"]);
    assert_eq!(names(list(&ana, "?status=pending").await), Vec::<String>::new());
    assert_eq!(
        names(list(&ana, "?endDate=2020-01-01").await),
        Vec::<String>::new()
    );
    assert_eq!(names(list(&caio, "").await), ["3.000000", "2.000000"]);
    ana.get("/transfers-list?status=nothing")
        .await
        .refused(422, "request.invalid");
    ana.get("/transfers-list?sortby=secret")
        .await
        .refused(422, "request.invalid");

    ana.get("/admin/transfers-reports")
        .await
        .refused(403, "auth.forbidden");
    let report = admin.get("/admin/transfers-reports").await.ok();
    assert_eq!(
        (
            &report["count"],
            &report["value"],
            &report["fees"],
            &report["pending"]
        ),
        (&json!(3), &json!("6.000000"), &json!("0.000000"), &json!(0))
    );
    assert_eq!(report["days"][0]["count"], 3);
    let some = admin
        .get("/admin/transfers-reports?search=bea&limit=1")
        .await
        .ok();
    assert_eq!(
        (&some["meta"]["total"], &some["value"]),
        (&json!(2), &json!("4.000000"))
    );
    let file = admin.get("/admin/transfers-reports?format=csv").await;
    let text = file.body.as_str().unwrap();
    assert!(
        text.contains("DEMO") && text.contains(";ana;bea;1,000000;0,000000;Concluído"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 5);
}

#[actix_web::test]
async fn a_fee_is_paid_beside_the_value() {
    use server::ledger::model::HouseAccount::{NetworkFund, WithdrawalFees};
    let app = TestApp::start().await;
    settings(&app, |s| s.transfer_fee = Usdt(1_000_001)).await;
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    fund(&app, &ana, Available, 10).await;
    send(&app, &ana, "ana", "bea", "9")
        .await
        .refused(422, "balance.insufficient");
    send(&app, &ana, "ana", "bea", "8").await.ok();
    assert_eq!(balance(&app, &ana, Available).await, Usdt(999_999));
    assert_eq!(balance(&app, &bea, Available).await, Usdt::whole(8));
    // Half of it feeds the network, floored; nothing is lost.
    assert_eq!(crate::licences::house(&app, NetworkFund).await, Usdt(500_000));
    assert_eq!(crate::licences::house(&app, WithdrawalFees).await, Usdt(500_001));
}

/// What those who decide weigh is what leaves the sender: value and fee.
#[actix_web::test]
async fn a_fee_counts_for_the_second_person() {
    let app = TestApp::start().await;
    settings(&app, |s| {
        s.transfer_fee = Usdt(1);
        s.compliance_amount = Usdt::whole(40);
        s.two_person_limit = Usdt::whole(50);
    })
    .await;
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    fund(&app, &ana, Available, 100).await;
    let held = send(&app, &ana, "ana", "bea", "50").await.ok();
    assert_eq!(held["status"], "pending");
    let path = "/admin/transfers-approve-reject";
    let body = json!({ "id": held["_id"], "approve": true });
    assert_eq!(bia.patch(path, &body).await.ok()["status"], "pending");
    assert_eq!(caio.patch(path, &body).await.ok()["status"], "complete");
    assert_eq!(balance(&app, &bea, Available).await, Usdt::whole(50));
}

/// Everyone sends to everyone at once, more than there is: no unit is lost or made, nobody falls below zero, and the books agree.
#[actix_web::test]
async fn many_transfers_cross_and_no_unit_is_lost() {
    use rand::{Rng, SeedableRng, rngs::StdRng};
    let app = TestApp::start().await;
    settings(&app, |s| {
        s.compliance_per_hour = 10_000;
        s.compliance_in_and_out = Usdt::whole(1_000_000);
    })
    .await;
    let names = ["ana", "bea", "caio", "dora"];
    let mut people = Vec::new();
    for name in names {
        let client = app.user(name).await;
        fund(&app, &client, Available, 50).await;
        people.push(client);
    }
    let seed: u64 = rand::random();
    let mut rng = StdRng::seed_from_u64(seed);
    let mut orders = Vec::new();
    for _ in 0..48 {
        let from = rng.random_range(0..4);
        let to = (from + rng.random_range(1..4)) % 4;
        let value = Usdt(rng.random_range(1..30_000_000)).to_string();
        // Codes of one action end each other, so each order has an amount of its own.
        let body = json!({ "purpose": "transfer", "destination": names[to], "amount": value });
        people[from].post("/security-code", &body).await.ok();
        let code = people::code(&app, &format!("{}@example.com", names[from]), "security_code").await;
        orders.push((from, to, value, code));
    }
    let replies = futures_util::future::join_all(
        orders
            .iter()
            .map(|(from, to, value, code)| with_code(&people[*from], names[*to], value, code)),
    )
    .await;
    let mut expected = [Usdt::whole(50); 4];
    let mut moved = 0;
    for ((from, to, value, _), reply) in orders.iter().zip(&replies) {
        match reply.status {
            201 => {
                let value: Usdt = value.parse().unwrap();
                expected[*from] -= value;
                expected[*to] += value;
                moved += 1;
            }
            _ => reply.refused(422, "balance.insufficient"),
        }
    }
    assert!(moved > 0, "seed {seed}");
    for (person, expected) in people.iter().zip(expected) {
        let stands = balance(&app, person, Available).await;
        assert_eq!(stands, expected, "seed {seed}");
        assert!(stands >= Usdt::ZERO, "seed {seed}");
    }
    let report = verify::verify(&app.context.db).await.unwrap();
    assert!(report.exact, "seed {seed}: {report:?}");
}
