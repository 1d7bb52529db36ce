//! Placement in the binary tree against a naive one, at once and one after another; licences and points.

use crate::{
    identity::people::{confirm, lift_caps, link, member, register, store_settings},
    kit::{Client, TestApp},
    licences::fund,
};
use protocol::{
    ids::{LicenceId, UserId},
    money::Usdt,
};
use serde_json::json;
use server::{
    affiliates::service::{self, Leg, NetworkLicence},
    foundation::settings::Settings,
    identity::service::HOUSE,
    jobs,
    ledger::model::UserAccount,
};
use std::collections::HashMap;
use time::macros::date;

const PLAN_50: &str = "0190a000-0000-7000-8000-000000010001";

type Node = (
    uuid::Uuid,
    Option<uuid::Uuid>,
    Option<uuid::Uuid>,
    Option<String>,
    Option<i64>,
    Option<uuid::Uuid>,
    Option<uuid::Uuid>,
);

async fn nodes(app: &TestApp) -> Vec<Node> {
    sqlx::query_as("SELECT id, sponsor, parent, leg, depth, left_chain, right_chain FROM affiliates.member WHERE placed_at IS NOT NULL")
        .fetch_all(&app.sql)
        .await
        .unwrap()
}

/// Every place is taken once, every chain ends at its outermost node, depths and lengths are right.
async fn assert_tree(app: &TestApp) {
    let nodes = nodes(app).await;
    let mut children: HashMap<(uuid::Uuid, String), uuid::Uuid> = HashMap::new();
    let depths: HashMap<_, _> = nodes.iter().map(|n| (n.0, n.4.unwrap())).collect();
    for (id, _, parent, leg, depth, ..) in &nodes {
        if let (Some(parent), Some(leg)) = (parent, leg) {
            assert!(
                children.insert((*parent, leg.clone()), *id).is_none(),
                "a place is taken twice"
            );
            assert_eq!(depth.unwrap(), depths[parent] + 1);
        } else {
            assert_eq!(*id, HOUSE.0);
        }
    }
    let chains: Vec<(uuid::Uuid, String, uuid::Uuid, i64)> =
        sqlx::query_as("SELECT id, leg, outermost, length FROM affiliates.chain")
            .fetch_all(&app.sql)
            .await
            .unwrap();
    let mut of_nodes: HashMap<uuid::Uuid, i64> = HashMap::new();
    for (id, .., left, right) in &nodes {
        for (leg, chain) in [("left", left.unwrap()), ("right", right.unwrap())] {
            *of_nodes.entry(chain).or_default() += 1;
            let mut end = *id;
            while let Some(next) = children.get(&(end, leg.to_owned())) {
                end = *next;
            }
            let (_, chain_leg, outermost, _) = chains.iter().find(|c| c.0 == chain).unwrap();
            assert_eq!(
                (chain_leg.as_str(), *outermost),
                (leg, end),
                "a chain names its end"
            );
        }
    }
    for (id, _, _, length) in &chains {
        assert_eq!(of_nodes.get(id), Some(length));
    }
}

/// A confirmed person who is no member yet.
pub async fn outsider(app: &TestApp, name: &str) -> Client {
    let client = app.user(name).await;
    for change in [
        "DELETE FROM affiliates.sponsor_counter WHERE sponsor = $1",
        "DELETE FROM affiliates.member WHERE id = $1",
    ] {
        sqlx::query(change)
            .bind(client.user.0)
            .execute(&app.sql)
            .await
            .unwrap();
    }
    client
}

/// Its account.
async fn account(app: &TestApp, name: &str) -> UserId {
    outsider(app, name).await.user
}

fn in_network(id: LicenceId, member: UserId, active: bool) -> NetworkLicence {
    NetworkLicence {
        id,
        member,
        value: Usdt::whole(100),
        ceiling: Usdt::whole(500),
        active,
    }
}

/// A member of this name below a sponsor.
pub async fn beneath(app: &TestApp, name: &str, sponsor: UserId) -> Client {
    let client = outsider(app, name).await;
    admit(app, client.user, sponsor).await;
    client
}

async fn admit(app: &TestApp, user: UserId, sponsor: UserId) {
    let mut tx = app.context.db.begin().await.unwrap();
    service::admit(&app.context, &mut tx, user, Some(sponsor))
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

#[actix_web::test]
async fn placement_is_what_a_naive_tree_would_do() {
    let app = TestApp::start().await;
    store_settings(
        &app,
        &Settings {
            unlicensed_places: 1_000,
            ..Settings::default()
        },
    )
    .await;
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % u64::try_from(below).unwrap()).unwrap()
    };
    // The naive tree: children by (parent, leg), legs selected by each.
    let mut children: HashMap<(UserId, Leg), UserId> = HashMap::new();
    let mut selected: HashMap<UserId, Leg> = HashMap::new();
    let mut people = vec![HOUSE];
    for n in 0..60 {
        if n % 3 == 0 && people.len() > 1 {
            let who = people[1 + random(people.len() - 1)];
            let leg = if random(2) == 0 { Leg::Left } else { Leg::Right };
            service::select_leg(&app.context, who, leg).await.unwrap();
            selected.insert(who, leg);
        }
        let sponsor = people[random(people.len())];
        let user = account(&app, &format!("p{n}")).await;
        admit(&app, user, sponsor).await;
        let leg = selected.get(&sponsor).copied().unwrap_or(Leg::Left);
        let mut parent = sponsor;
        while let Some(next) = children.get(&(parent, leg)) {
            parent = *next;
        }
        children.insert((parent, leg), user);
        people.push(user);
        let placed: (uuid::Uuid, String) =
            sqlx::query_as("SELECT parent, leg FROM affiliates.member WHERE id = $1")
                .bind(user.0)
                .fetch_one(&app.sql)
                .await
                .unwrap();
        assert_eq!(placed, (parent.0, leg.as_str().to_owned()), "newcomer {n}");
    }
    assert_tree(&app).await;
}

#[actix_web::test]
async fn fifty_confirmed_at_once_take_fifty_places() {
    let app = TestApp::start().await;
    store_settings(
        &app,
        &Settings {
            unlicensed_places: 1_000,
            mails_per_hour: 1_000,
            ..Settings::default()
        },
    )
    .await;
    let ana = member(&app, "Ana", "arbora").await;
    let username: String = sqlx::query_scalar("SELECT username FROM identity.account WHERE id = $1")
        .bind(ana.client.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    let mut links = Vec::new();
    for n in 0..50 {
        let person = register(&app, &format!("N{n}"), &username).await;
        links.push(link(&app, &person.email, "confirm_email", "/verify-email/").await);
    }
    let answers = futures_util::future::join_all(links.iter().map(|l| confirm(&app, l))).await;
    assert!(
        answers
            .iter()
            .all(|r| r.status == 200 && r.body["state"] == "confirmed")
    );
    let (placed, unlicensed): (i64, i64) =
        sqlx::query_as("SELECT placed, unlicensed_placed FROM affiliates.sponsor_counter WHERE sponsor = $1")
            .bind(ana.client.user.0)
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!((placed, unlicensed), (50, 50));
    assert_tree(&app).await;
    let longest: i64 = sqlx::query_scalar("SELECT max(length) FROM affiliates.chain")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(longest, 52, "the root, Ana and fifty in one left chain");
}

/// Registered below a sponsor, with a confirmation in the mailbox; the address is not confirmed.
async fn unconfirmed(app: &TestApp, name: &str, sponsor: UserId) -> (Client, String) {
    let client = outsider(app, name).await;
    sqlx::query("UPDATE identity.account SET email_confirmed_at = NULL WHERE id = $1")
        .bind(client.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    sqlx::query(
        "WITH counter AS (INSERT INTO affiliates.sponsor_counter (sponsor) VALUES ($1))
         INSERT INTO affiliates.member (id, sponsor, registered_at) VALUES ($1, $2, now())",
    )
    .bind(client.user.0)
    .bind(sponsor.0)
    .execute(&app.sql)
    .await
    .unwrap();
    client
        .post("/email/verification-notification", &json!({}))
        .await
        .ok();
    let email = format!("{name}@example.com");
    let link = link(app, &email, "confirm_email", "/verify-email/").await;
    (client, link)
}

#[actix_web::test]
async fn two_hundred_confirmed_at_once_take_twenty_places_and_their_licences_the_rest() {
    const CROWD: i64 = 200;
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = account(&app, "ana").await;
    admit(&app, ana, HOUSE).await;
    let mut crowd = Vec::new();
    for n in 0..CROWD {
        crowd.push(unconfirmed(&app, &format!("n{n}"), ana).await);
    }
    let answers = futures_util::future::join_all(crowd.iter().map(|(_, link)| confirm(&app, link))).await;
    assert!(
        answers
            .iter()
            .all(|r| r.status == 200 && r.body["state"] == "confirmed")
    );
    let standing = async || -> (i64, i64, i64) {
        sqlx::query_as(
            "SELECT c.placed, c.unlicensed_placed,
                    (SELECT count(*) FROM affiliates.member m WHERE m.sponsor = $1 AND m.confirmed_at IS NOT NULL AND m.placed_at IS NULL)
             FROM affiliates.sponsor_counter c WHERE c.sponsor = $1",
        )
        .bind(ana.0)
        .fetch_one(&app.sql)
        .await
        .unwrap()
    };
    assert_eq!(
        standing().await,
        (20, 20, 180),
        "placed, without a licence, waiting"
    );
    assert_tree(&app).await;
    for (client, _) in &crowd {
        fund(&app, client, UserAccount::Available, 50).await;
    }
    let order = json!({ "plan": PLAN_50, "riskAccepted": true });
    let buys = crowd
        .iter()
        .map(|(client, _)| client.post("/licences/buy", &order));
    let bought = futures_util::future::join_all(buys).await;
    assert!(
        bought.iter().all(|r| r.status == 201 || r.status == 200),
        "{:?}",
        bought.iter().find(|r| r.status >= 300)
    );
    assert_eq!(standing().await, (200, 0, 0));
    assert_tree(&app).await;
    let (places, length): (i64, i64) = sqlx::query_as(
        "SELECT (SELECT count(DISTINCT (parent, leg)) FROM affiliates.member WHERE sponsor = $1), (SELECT max(length) FROM affiliates.chain)",
    )
    .bind(ana.0)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(
        (places, length),
        (CROWD, CROWD + 2),
        "one left chain: the root, the sponsor and all of them"
    );
}

async fn counter(app: &TestApp, sponsor: UserId) -> i64 {
    sqlx::query_scalar("SELECT unlicensed_placed FROM affiliates.sponsor_counter WHERE sponsor = $1")
        .bind(sponsor.0)
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

async fn is_placed(app: &TestApp, user: UserId) -> bool {
    sqlx::query_scalar("SELECT placed_at IS NOT NULL FROM affiliates.member WHERE id = $1")
        .bind(user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

async fn licence(app: &TestApp, user: UserId, active: bool) -> LicenceId {
    let id = LicenceId::fresh();
    let mut tx = app.context.db.begin().await.unwrap();
    service::licence_changed(&app.context, &mut tx, &in_network(id, user, active))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    id
}

#[actix_web::test]
async fn after_so_many_without_a_licence_the_next_wait_for_theirs() {
    let app = TestApp::start().await;
    store_settings(
        &app,
        &Settings {
            unlicensed_places: 2,
            ..Settings::default()
        },
    )
    .await;
    let ana = account(&app, "ana").await;
    admit(&app, ana, HOUSE).await;
    let mut crowd = Vec::new();
    for n in 0..4 {
        let user = account(&app, &format!("p{n}")).await;
        admit(&app, user, ana).await;
        crowd.push(user);
    }
    let mut placed = Vec::new();
    for user in &crowd {
        placed.push(is_placed(&app, *user).await);
    }
    assert_eq!(placed, [true, true, false, false]);
    // Who waits can sponsor; their people wait with them and are placed by a job after them.
    let below = account(&app, "below").await;
    admit(&app, below, crowd[2]).await;
    assert!(!is_placed(&app, below).await);
    licence(&app, crowd[2], true).await;
    assert!(is_placed(&app, crowd[2]).await);
    assert_eq!(
        counter(&app, ana).await,
        2,
        "a licensed member takes no place of the others"
    );
    while jobs::round(&app.context).await.unwrap() > 0 {}
    assert!(is_placed(&app, below).await);
    // The first licence of a placed member frees its place; ending it does not take it back.
    let first = licence(&app, crowd[0], true).await;
    assert_eq!(counter(&app, ana).await, 1);
    let mut tx = app.context.db.begin().await.unwrap();
    service::licence_changed(&app.context, &mut tx, &in_network(first, crowd[0], false))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    licence(&app, crowd[0], true).await;
    assert_eq!(counter(&app, ana).await, 1);
    let another = account(&app, "another").await;
    admit(&app, another, ana).await;
    assert!(is_placed(&app, another).await);
    assert!(
        !is_placed(&app, crowd[3]).await,
        "earlier ones still wait for their own licence"
    );
    assert_tree(&app).await;
}

#[actix_web::test]
async fn a_sale_writes_its_points_once() {
    let app = TestApp::start().await;
    let ana = account(&app, "ana").await;
    let licence = LicenceId::fresh();
    for first in [true, false] {
        let mut tx = app.context.db.begin().await.unwrap();
        let wrote = service::sale_final(
            &app.context,
            &mut tx,
            licence,
            ana,
            Usdt::whole(250),
            date!(2026 - 11 - 20),
        )
        .await
        .unwrap();
        tx.commit().await.unwrap();
        assert_eq!(wrote, first);
    }
    let rows: Vec<(uuid::Uuid, i64, time::Date)> =
        sqlx::query_as("SELECT member, points, business_day FROM affiliates.points")
            .fetch_all(&app.sql)
            .await
            .unwrap();
    assert_eq!(rows, [(ana.0, 250_000_000, date!(2026 - 11 - 20))]);
    assert!(
        is_placed(&app, ana).await,
        "who came without a link stands under the house"
    );
}

#[actix_web::test]
async fn sponsor_and_place_never_change() {
    let app = TestApp::start().await;
    let (ana, bia) = (account(&app, "ana").await, account(&app, "bia").await);
    admit(&app, ana, HOUSE).await;
    admit(&app, bia, ana).await;
    admit(&app, bia, HOUSE).await; // does nothing
    let sponsor: uuid::Uuid = sqlx::query_scalar("SELECT sponsor FROM affiliates.member WHERE id = $1")
        .bind(bia.0)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(sponsor, ana.0);
    for change in [
        "sponsor = '0190a000-0000-7000-8000-0000000000ff'",
        "parent = '0190a000-0000-7000-8000-0000000000ff'",
        "leg = 'right'",
        "placed_at = now()",
    ] {
        let sql = format!("UPDATE affiliates.member SET {change} WHERE id = '{}'", bia.0);
        let refused = sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&app.sql).await;
        assert!(refused.is_err(), "{change}");
    }
}

#[actix_web::test]
async fn a_member_selects_a_leg_and_sees_the_upline() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let mine = ana.client.get("/affiliates/my-upline").await.ok();
    assert_eq!(
        mine,
        json!({"sponsor": {"username": "arbora", "firstName": "Arbora", "social": {}}, "binarySide": "left", "selectedLeg": "left", "placed": true})
    );
    assert_eq!(
        ana.client
            .patch(
                "/affiliates/binary-tree/save-selected-leg",
                &json!({"selectedLeg": "right"})
            )
            .await
            .ok(),
        json!({"selectedLeg": "right"})
    );
    for bad in [
        json!({"selectedLeg": "middle"}),
        json!({}),
        json!({"selectedLeg": "left", "user": HOUSE}),
    ] {
        ana.client
            .patch("/affiliates/binary-tree/save-selected-leg", &bad)
            .await
            .refused(422, "request.invalid");
    }
    assert_eq!(
        ana.client.get("/affiliates/my-upline").await.ok()["selectedLeg"],
        "right"
    );
    let outsider = outsider(&app, "outsider").await;
    outsider
        .get("/affiliates/my-upline")
        .await
        .refused(404, "request.not_found");
    outsider
        .patch(
            "/affiliates/binary-tree/save-selected-leg",
            &json!({"selectedLeg": "left"}),
        )
        .await
        .refused(403, "auth.profile_incomplete");
}
