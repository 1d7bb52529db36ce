//! PYX in rounds: agreed by two, bought never beyond supply and cap, freed day by day.

use crate::{
    guard::{settings, time_out},
    kit::{Client, Reply, TestApp, live::Live},
    licences::{balance, fund, house},
};
use futures_util::future::join_all;
use protocol::money::{Pyx, Usdt};
use serde_json::{Value, json};
use server::{
    approvals::guard,
    foundation::business_day,
    ledger::{
        amount::Currency,
        model::{AccountRef, HouseAccount::Presale, UserAccount},
        service as ledger, verify,
    },
};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

pub fn at(app: &TestApp, after: Duration) -> String {
    let at: OffsetDateTime = app.context.now() + after;
    at.format(&Rfc3339).unwrap()
}

/// A round of 1 000 PYX at 0.50 that runs for a day.
pub fn terms(app: &TestApp) -> Value {
    json!({
        "price": "0.5", "supply": "1000", "cap": "100", "startsAt": at(app, Duration::ZERO), "endsAt": at(app, Duration::DAY),
        "cliffDays": 2, "vestingDays": 3,
    })
}

pub async fn propose(admin: &Client, terms: &Value) -> String {
    let made = admin.post("/admin/presale/rounds", terms).await.ok();
    made["_id"].as_str().unwrap().to_owned()
}

/// Agrees to the terms as they are shown now.
pub async fn agree(admin: &Client, round: &str) -> Reply {
    let shown = admin.get("/admin/presale/rounds?limit=100").await.ok();
    let rows = shown["data"].as_array().unwrap().iter();
    let revision = rows
        .filter(|r| r["_id"] == round)
        .map(|r| r["revision"].clone())
        .next();
    agree_to(admin, round, &revision.unwrap_or_else(|| json!(1))).await
}

pub async fn agree_to(admin: &Client, round: &str, revision: &Value) -> Reply {
    let path = format!("/admin/presale/rounds/{round}/agree");
    admin.post(&path, &json!({ "revision": revision })).await
}

/// A round that two persons agreed to.
pub async fn round(app: &TestApp, terms: &Value) -> String {
    let (one, other) = (app.admin("root-one").await, app.admin("root-two").await);
    let round = propose(&one, terms).await;
    agree(&other, &round).await.ok();
    round
}

pub async fn buy(user: &Client, round: &str, value: &str) -> Reply {
    user.post("/presale/buy", &json!({ "round": round, "value": value }))
        .await
}

pub async fn pyx(app: &TestApp, user: &Client, account: UserAccount) -> Pyx {
    let account = AccountRef::User(user.user, account);
    let amount = ledger::account_balance(app.context.db.pool(), account, Currency::Pyx)
        .await
        .unwrap();
    Pyx(i64::try_from(amount.0).unwrap())
}

pub async fn exact(app: &TestApp) {
    let report = verify::verify(&app.context.db).await.unwrap();
    assert!(report.exact, "{report:?}");
    let off: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM presale.round r
         WHERE r.sold <> (SELECT COALESCE(sum(pyx), 0) FROM presale.purchase WHERE round = r.id)
            OR r.sold <> (SELECT COALESCE(sum(bought), 0) FROM presale.share WHERE round = r.id)
            OR r.raised <> (SELECT COALESCE(sum(usdt), 0) FROM presale.purchase WHERE round = r.id)",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(off, 0, "a round differs from its purchases");
}

#[actix_web::test]
async fn a_round_sells_once_a_second_person_agrees_to_its_terms() {
    let app = TestApp::start().await;
    let (ana, bia, caio) = (
        app.user("ana").await,
        app.admin("bia").await,
        app.admin("caio").await,
    );
    fund(&app, &ana, UserAccount::Available, 100).await;
    assert_eq!(
        ana.get("/presale/rounds").await.ok(),
        json!({ "current": null, "next": null, "past": [] })
    );
    let mut later = terms(&app);
    later["startsAt"] = json!(at(&app, Duration::HOUR));
    let round = propose(&bia, &later).await;
    assert_eq!(ana.get("/presale/rounds").await.ok()["next"], Value::Null);
    buy(&ana, &round, "10")
        .await
        .refused(404, "presale.round_unknown");
    agree(&bia, &round).await.refused(409, "decision.same_person");
    // Other terms are agreed to anew, also when they come back.
    let path = format!("/admin/presale/rounds/{round}");
    for price in ["0.6", "0.5"] {
        later["price"] = json!(price);
        bia.patch(&path, &later).await.ok();
    }
    agree(&caio, &round).await.ok();
    agree(&caio, &round).await.refused(409, "decision.done");
    let rounds = ana.get("/presale/rounds").await.ok();
    assert_eq!(
        (
            &rounds["next"]["state"],
            &rounds["next"]["price"],
            &rounds["current"]
        ),
        (&json!("upcoming"), &json!("0.500000"), &Value::Null)
    );
    buy(&ana, &round, "10").await.refused(409, "presale.closed");
    // Changed again, it no longer sells.
    later["cap"] = json!("200");
    caio.patch(&path, &later).await.ok();
    assert_eq!(ana.get("/presale/rounds").await.ok()["next"], Value::Null);
    agree(&bia, &round).await.ok();
    // Two rounds at a time have no one price.
    let other = propose(&bia, &later).await;
    agree(&caio, &other).await.refused(409, "presale.overlap");
    caio.post(&format!("/admin/presale/rounds/{other}/withdraw"), &json!({}))
        .await
        .ok();
    app.clock.advance(Duration::hours(2));
    let (ana, bia) = (app.renew(&ana), app.renew(&bia));
    bia.patch(&path, &later).await.refused(409, "presale.round_begun");
    bia.post(&format!("{path}/withdraw"), &json!({}))
        .await
        .refused(409, "presale.round_begun");
    assert_eq!(ana.get("/presale/rounds").await.ok()["current"]["state"], "open");
    let list = bia.get("/admin/presale/rounds").await.ok();
    assert_eq!(
        (&list["meta"]["total"], &list["data"][0]["editable"]),
        (&json!(2), &json!(false))
    );
    ana.get("/admin/presale/rounds")
        .await
        .refused(403, "auth.forbidden");
}

/// Whoever agrees has seen some terms; others that were proposed between the look and the word are not agreed to.
#[actix_web::test]
async fn nobody_agrees_to_terms_that_they_have_not_seen() {
    let app = TestApp::start().await;
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    let mut later = terms(&app);
    later["startsAt"] = json!(at(&app, Duration::HOUR));
    let round = propose(&bia, &later).await;
    let seen = caio.get("/admin/presale/rounds").await.ok()["data"][0]["revision"].clone();
    later["price"] = json!("0.01");
    bia.patch(&format!("/admin/presale/rounds/{round}"), &later)
        .await
        .ok();
    agree_to(&caio, &round, &seen)
        .await
        .refused(409, "decision.changed");
    let path = format!("/admin/presale/rounds/{round}/agree");
    caio.post(&path, &json!({})).await.refused(422, "request.invalid");
    let row = caio.get("/admin/presale/rounds").await.ok()["data"][0].clone();
    assert_eq!(
        (&row["status"], &row["revision"]),
        (&json!("proposed"), &json!(2))
    );
    agree_to(&caio, &round, &row["revision"]).await.ok();
}

#[actix_web::test]
async fn terms_out_of_bounds_are_refused() {
    let app = TestApp::start().await;
    let bia = app.admin("bia").await;
    for (field, value, code) in [
        ("price", json!("0"), "amount.not_positive"),
        ("price", json!("0.0000001"), "amount.invalid"),
        ("supply", json!("-1"), "amount.not_positive"),
        ("supply", json!("2000000000000"), "request.invalid"),
        ("cap", json!("1001"), "request.invalid"),
        ("startsAt", json!(at(&app, -Duration::HOUR)), "request.invalid"),
        ("endsAt", json!(at(&app, -Duration::SECOND)), "request.invalid"),
        ("endsAt", json!(at(&app, Duration::days(400))), "request.invalid"),
        ("cliffDays", json!(-1), "request.invalid"),
        ("vestingDays", json!(0), "request.invalid"),
    ] {
        let mut bad = terms(&app);
        bad[field] = value;
        bia.post("/admin/presale/rounds", &bad).await.refused(422, code);
    }
}

#[actix_web::test]
async fn a_purchase_moves_usdt_to_the_house_and_locks_pyx() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    fund(&app, &ana, UserAccount::Available, 100).await;
    let round = round(&app, &terms(&app)).await;
    let mut socket = Live::open(&app, &ana).await;
    socket.subscribe(&format!("user:{}", ana.user)).await;
    let keyed = ana.key("the-same-purchase");
    let first = buy(&keyed, &round, "10.000001").await.ok();
    assert_eq!(
        (&first["pyx"], &first["price"], &first["value"]),
        (&json!("20.000002"), &json!("0.500000"), &json!("10.000001"))
    );
    assert_eq!(buy(&keyed, &round, "10.000001").await.ok(), first);
    buy(&keyed, &round, "11")
        .await
        .refused(409, "idempotency.mismatch");
    let fact = socket.fact("presale.changed").await;
    assert_eq!(fact["event"]["balances"]["locked"], "20.000002");
    assert_eq!(
        balance(&app, &ana, UserAccount::Available).await,
        Usdt(89_999_999)
    );
    assert_eq!(house(&app, Presale).await, Usdt(10_000_001));
    assert_eq!(pyx(&app, &ana, UserAccount::PyxLocked).await, Pyx(20_000_002));
    let current = ana.get("/presale/rounds").await.ok()["current"].clone();
    assert_eq!(
        (
            &current["sold"],
            &current["ownBought"],
            &current["ownCapLeft"],
            &current["cliffDays"]
        ),
        (
            &json!("20.000002"),
            &json!("20.000002"),
            &json!("79.999998"),
            &json!(2)
        )
    );
    for (value, status, code) in [
        ("0", 422, "amount.not_positive"),
        ("-5", 422, "amount.not_positive"),
        ("x", 422, "amount.invalid"),
        ("40", 422, "presale.cap"),
    ] {
        buy(&ana, &round, value).await.refused(status, code);
    }
    let poor = app.user("poor").await;
    let reply = buy(&poor, &round, "1").await;
    reply.refused(422, "balance.insufficient");
    assert!(reply.body["errors"]["value"][0].is_string());
    app.clock.advance(Duration::days(2));
    buy(&app.renew(&ana), &round, "1")
        .await
        .refused(409, "presale.closed");
    exact(&app).await;
}

#[actix_web::test]
async fn time_out_holds_pauses_and_young_money_stand_before_a_purchase() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    let round = round(&app, &terms(&app)).await;
    for person in [&ana, &bea] {
        fund(&app, person, UserAccount::Available, 20).await;
    }
    let mut tx = app.context.db.begin().await.unwrap();
    guard::note_pix_credit(&mut tx, ana.user, uuid::Uuid::now_v7(), Usdt::whole(15))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let reply = buy(&ana, &round, "5.000001").await;
    reply.refused(422, "outbound.young");
    assert_eq!(reply.body["params"]["free"], "5");
    assert_eq!(balance(&app, &ana, UserAccount::Available).await, Usdt::whole(20));
    buy(&ana, &round, "5").await.ok();
    sqlx::query("UPDATE identity.account SET hold_until = $2, hold_reason = 'password' WHERE id = $1")
        .bind(bea.user.0)
        .bind(app.context.now() + Duration::HOUR)
        .execute(&app.sql)
        .await
        .unwrap();
    buy(&bea, &round, "1").await.refused(403, "outbound.held");
    time_out(&app, &ana, 7).await.ok();
    buy(&ana, &round, "1").await.refused(403, "account.excluded");
    sqlx::query("UPDATE identity.account SET status = 'inactive' WHERE id = $1")
        .bind(bea.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    server::identity::sessions::forget(bea.session).await;
    buy(&bea, &round, "1").await.refused(403, "auth.inactive");
    exact(&app).await;
}

/// Two hundred at once want four times what there is: what is sold is exactly the supply, everyone got all or nothing.
#[actix_web::test]
async fn a_round_is_never_oversold() {
    const BUYERS: usize = 200;
    let app = TestApp::start().await;
    let mut terms = terms(&app);
    terms["cap"] = json!("20");
    let round = round(&app, &terms).await;
    let mut people = Vec::new();
    for n in 0..BUYERS {
        let person = app.user(&format!("person{n}")).await;
        fund(&app, &person, UserAccount::Available, 10).await;
        people.push(person);
    }
    let replies = join_all(people.iter().map(|p| buy(p, &round, "10"))).await;
    let mut sold = 0;
    for (person, reply) in people.iter().zip(&replies) {
        let (usdt, locked) = if reply.status == 201 {
            sold += 1;
            (Usdt::ZERO, Pyx::whole(20))
        } else {
            reply.refused(422, "presale.supply");
            (Usdt::whole(10), Pyx::ZERO)
        };
        assert_eq!(balance(&app, person, UserAccount::Available).await, usdt);
        assert_eq!(pyx(&app, person, UserAccount::PyxLocked).await, locked);
    }
    assert_eq!(sold, 50);
    assert_eq!(house(&app, Presale).await, Usdt::whole(500));
    let current = people[0].get("/presale/rounds").await.ok()["current"].clone();
    assert_eq!(
        (&current["state"], &current["sold"]),
        (&json!("sold_out"), &json!("1000.000000"))
    );
    // Whatever the server says, the database sells no more.
    let refused = sqlx::query("UPDATE presale.round SET sold = sold + 1")
        .execute(&app.sql)
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("round_never_oversold"), "{refused}");
    exact(&app).await;
}

#[actix_web::test]
async fn bought_pyx_is_claimed_day_by_day_and_the_last_day_pays_the_rest() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    fund(&app, &ana, UserAccount::Available, 100).await;
    let round = round(&app, &terms(&app)).await;
    // 10.000002 PYX over three days.
    buy(&ana, &round, "5.0000005")
        .await
        .refused(422, "amount.invalid");
    buy(&ana, &round, "5").await.ok();
    buy(&ana, &round, "0.000001").await.ok();
    let held = ana.get("/presale/holdings").await.ok();
    let ends = app.context.now() + Duration::DAY;
    let first = business_day::of(ends) + Duration::days(3);
    assert_eq!(held["schedules"][0]["firstDay"], first.to_string());
    assert_eq!(held["next"]["day"], first.to_string());
    assert_eq!(held["purchases"].as_array().unwrap().len(), 2);
    assert_eq!(held["claimable"], "0.000000");
    let claim = async |ana: &Client| ana.post("/presale/claim", &json!({})).await;
    let reply = claim(&ana).await;
    reply.refused(422, "presale.nothing_vested");
    assert_eq!(reply.body["params"]["day"], business_day::shown_day(first));
    // Noon of the first day.
    app.clock
        .advance(business_day::start(first) + Duration::hours(12) - app.context.now());
    let ana = app.renew(&ana);
    let one = claim(&ana).await.ok();
    assert_eq!(
        (&one["pyx"], &one["repeated"]),
        (&json!("3.333334"), &json!(false))
    );
    let again = claim(&ana).await.ok();
    assert_eq!(
        (&again["pyx"], &again["repeated"]),
        (&json!("3.333334"), &json!(true))
    );
    assert_eq!(pyx(&app, &ana, UserAccount::Pyx).await, Pyx(3_333_334));
    // Two days later both parts come at once, the last one with the rest.
    app.clock.advance(Duration::days(2));
    let ana = app.renew(&ana);
    let replies = join_all((0..6).map(|_| claim(&ana))).await;
    let fresh = replies
        .iter()
        .filter(|r| r.status == 200 && r.body["repeated"] == false)
        .count();
    assert_eq!(fresh, 1);
    assert_eq!(pyx(&app, &ana, UserAccount::Pyx).await, Pyx(10_000_002));
    assert_eq!(pyx(&app, &ana, UserAccount::PyxLocked).await, Pyx::ZERO);
    app.clock.advance(Duration::days(1));
    claim(&app.renew(&ana))
        .await
        .refused(422, "presale.nothing_vested");
    exact(&app).await;
}
