//! What the dashboard says of the day that is not over.

use super::{
    Life,
    pages::{House, house, tree},
};
use crate::kit::Client;
use serde_json::{Value, json};
use server::affiliates::closing::sums;
use time::{Date, Duration};
use uuid::Uuid;

/// What the preview says before midnight is what the closing brings.
#[actix_web::test]
async fn tonights_closing_is_foreseen() {
    let House { mut life, ana, .. } = house().await;
    let caio = 3;
    life.sale(caio, 500, 2_500).await;
    // Bia's robots brought 30 after a day that lost 10, an own licence's gain is nobody's of the network.
    sqlx::query(
        "INSERT INTO affiliates.residual_carry (member, negative, through) VALUES ($1, 10000000, '2020-01-01')",
    )
    .bind(life.network.members[2].id)
    .execute(&life.app.sql)
    .await
    .unwrap();
    life.network.members[2].losses = 10_000_000;
    life.gain(2, 30_000_000).await;
    life.gain(1, 5_000_000).await;
    let before = ana.get("/affiliates/dashboard").await.ok();
    assert_eq!(
        (
            &before["left"]["fresh"],
            &before["right"]["fresh"],
            &before["left"]["carried"]
        ),
        (&json!("1200.000000"), &json!("500.000000"), &json!("0.000000"))
    );
    let tonight = &before["tonight"];
    assert_eq!(
        (
            &tonight["matched"],
            &tonight["bonus"],
            &tonight["percentage"],
            &tonight["binaryActive"]
        ),
        (
            &json!("500.000000"),
            &json!("50.000000"),
            &json!("10.00"),
            &json!(true)
        )
    );
    assert_eq!(
        (&tonight["residual"], &tonight["residualLost"]),
        (&json!("1.000000"), &json!("0.000000")),
        "5 % of what is left of 30"
    );
    assert_eq!(
        (&before["referrals"], &before["activeReferrals"]),
        (&json!(2), &json!(2))
    );
    life.close().await;
    let ana = life.app.renew(&ana);
    let after = ana.get("/affiliates/dashboard").await.ok();
    assert_eq!(
        (
            &after["left"]["carried"],
            &after["right"]["carried"],
            &after["left"]["fresh"]
        ),
        (&json!("700.000000"), &json!("0.000000"), &json!("0.000000"))
    );
    assert_eq!(
        (&after["leftMembers"], &after["rightMembers"]),
        (&json!(3), &json!(1))
    );
    assert_eq!(after["paidPoints"], "500.000000");
    assert_eq!(after["growth"].as_array().unwrap().len(), 12);
    assert_eq!(after["growth"][11]["left"], 3);
    let binary = after["bonuses"]
        .as_array()
        .unwrap()
        .iter()
        .find(|b| b["kind"] == "binary")
        .unwrap();
    assert_eq!(binary["paid"], "50.000000");
    let residual: i64 =
        sqlx::query_scalar("SELECT sum(paid)::bigint FROM affiliates.bonus WHERE kind = 'residual'")
            .fetch_one(&life.app.sql)
            .await
            .unwrap();
    assert_eq!(residual, 1_000_000, "as it was foreseen");
    assert_eq!(after["tonight"]["residual"], "0.000000");
    assert_eq!(after["tonight"]["matched"], "0.000000");
    // The legs are written before the first bonus: a look in between counts the day's points once.
    let mut conn = life.app.sql.acquire().await.unwrap();
    for sql in [
        "SET session_replication_role = replica",
        "UPDATE affiliates.closing SET step = 'binary', done_through = NULL, finished_at = NULL",
        "SET session_replication_role = origin",
    ] {
        sqlx::query(sql).execute(&mut *conn).await.unwrap();
    }
    let between = ana.get("/affiliates/dashboard").await.ok();
    assert_eq!(
        (&between["left"], &between["tonight"]["matched"]),
        (&after["left"], &json!("0.000000"))
    );
}

/// Leaves results of a day as a settlement does.
async fn leave(life: &Life, day: Date, members: &[Uuid], amount: i64) {
    sqlx::query("SELECT affiliates.leave_results($1, $2, $3, $4)")
        .bind(day)
        .bind(life.app.context.now())
        .bind(members)
        .bind(vec![amount; members.len()])
        .execute(&life.app.sql)
        .await
        .unwrap();
}

/// So much is residual tonight, and whether the answer says up to when it counts.
async fn residual(life: &Life, ana: &Client) -> (Value, bool) {
    let dashboard = life.app.renew(ana).get("/affiliates/dashboard").await.ok();
    let tonight = &dashboard["tonight"];
    (tonight["residual"].clone(), !tonight["residualAsOf"].is_null())
}

/// What settlements have left is counted at the look while it is little; otherwise the look says up to when it counts.
#[actix_web::test]
async fn what_is_behind_says_up_to_when_it_counts() {
    let House { mut life, ana, .. } = house().await;
    life.gain(2, 30_000_000).await;
    assert_eq!(residual(&life, &ana).await, (json!("1.500000"), false));
    // A settlement of many, none of them below Ana.
    let strangers: Vec<Uuid> = (1..=500).map(Uuid::from_u128).collect();
    let day = life.date();
    leave(&life, day, &strangers, 1_000_000).await;
    assert_eq!(residual(&life, &ana).await, (json!("0.000000"), true));
    sums::gains(&life.app.context).await.unwrap();
    assert_eq!(residual(&life, &ana).await, (json!("1.500000"), false));
    // A loss comes behind it, in no sum: it takes of what stands in one.
    life.gain(2, -10_000_000).await;
    assert_eq!(residual(&life, &ana).await, (json!("1.000000"), false));
    life.gain(2, -40_000_000).await;
    assert_eq!(residual(&life, &ana).await, (json!("0.000000"), false));
    sums::gains(&life.app.context).await.unwrap();
    assert_eq!(residual(&life, &ana).await, (json!("0.000000"), false));
}

/// After midnight results are of the next day, while the preview is of the one that is not closed yet.
#[actix_web::test]
async fn what_comes_before_the_closing_waits_for_its_own_preview() {
    let House { mut life, ana, .. } = house().await;
    // The first closing says which day is the next.
    life.close().await;
    life.gain(2, 30_000_000).await;
    let tomorrow = life.date() + Duration::days(1);
    let bia = life.network.members[2].id;
    leave(&life, tomorrow, &[bia], 7_000_000).await;
    for _ in 0..2 {
        assert_eq!(residual(&life, &ana).await, (json!("1.500000"), false));
        sums::gains(&life.app.context).await.unwrap();
    }
    life.close().await;
    for _ in 0..2 {
        assert_eq!(residual(&life, &ana).await, (json!("0.350000"), false));
        sums::gains(&life.app.context).await.unwrap();
    }
    // What comes too late for a day goes.
    leave(&life, tomorrow - Duration::days(1), &[bia], 7_000_000).await;
    sums::gains(&life.app.context).await.unwrap();
    assert_eq!(residual(&life, &ana).await, (json!("0.350000"), false));
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM affiliates.gained")
        .fetch_one(&life.app.sql)
        .await
        .unwrap();
    assert_eq!(left, 0);
}

/// Ana's tree as she sees it is the reference's, whatever of the day's points stands in sums.
#[actix_web::test]
async fn todays_points_are_the_same_with_and_without_sums() {
    let mut life = Life::begin(12).await;
    let (at, ana) = life.client_below("ana", 0).await;
    assert_eq!(at, 1);
    life.people(80).await;
    let shown = async |life: &Life| {
        let ana = life.app.renew(&ana);
        let tree = tree(&ana, "me").await;
        let nodes = tree["nodes"].as_array().unwrap().clone();
        assert!(nodes.len() > 10);
        for node in &nodes {
            let id: Uuid = node["_id"].as_str().unwrap().parse().unwrap();
            let of = life.network.members.iter().position(|m| m.id == id).unwrap();
            let (member, fresh) = (&life.network.members[of], life.network.fresh(of));
            for (leg, carry, now) in [(0, "leftPoints", "leftNow"), (1, "rightPoints", "rightNow")] {
                let points = member.carry[leg] - member.owed[leg];
                let text = |points: i64| json!(protocol::money::Usdt(points.max(0)).to_string());
                assert_eq!(node[carry], text(points), "{node}");
                assert_eq!(node[now], text(points + fresh[leg]), "{node}");
            }
        }
        let dashboard = ana.get("/affiliates/dashboard").await.ok();
        let fresh = life.network.fresh(1);
        for (leg, name) in ["left", "right"].into_iter().enumerate() {
            assert_eq!(
                dashboard[name]["fresh"],
                json!(protocol::money::Usdt(fresh[leg]).to_string())
            );
        }
    };
    let left: &str = "SELECT count(*) FROM affiliates.unsummed((SELECT max(day) FROM affiliates.closing))";
    for _ in 0..3 {
        life.live(4, 40).await;
        life.set_active(1, true).await;
        shown(&life).await;
        assert!(sums::sum(&life.app.context, 5).await.unwrap());
        let beside: i64 = sqlx::query_scalar(left).fetch_one(&life.app.sql).await.unwrap();
        assert_eq!(beside, 0, "all of it is in the sums");
        shown(&life).await;
        assert!(
            !sums::sum(&life.app.context, 5).await.unwrap(),
            "few have come since"
        );
        life.live(4, 30).await;
        life.set_active(1, true).await;
        shown(&life).await;
        life.close().await;
        // Sums of a day that stands on the legs are of no use.
        shown(&life).await;
        life.equal().await;
    }
}
