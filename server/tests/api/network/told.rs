//! What a closing brought: foreseen, told, and the same with and without sums.

use super::{
    Life,
    pages::{House, house, told, tree},
};
use crate::{identity::people::store_settings, kit::Client, notifications::codes};
use serde_json::{Value, json};
use server::{
    affiliates::closing::{service as closings, sums},
    foundation::settings::Settings,
    robots::days,
};

/// What the preview says before midnight is what the closing brings.
#[actix_web::test]
async fn tonights_closing_is_foreseen() {
    let House { mut life, ana, .. } = house().await;
    let caio = 3;
    life.sale(caio, 500, 2_500).await;
    // Bia's robots brought 30 after a day that lost 10, an own licence's gain is nobody's of the network.
    sqlx::query("INSERT INTO affiliates.residual_carry (member, negative, through) VALUES ($1, 10000000, '2020-01-01')")
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

/// Points that were paid with a bonus of nothing count for ranks: who reaches one hears of it, also where the closing brings no money.
#[actix_web::test]
async fn a_rank_without_a_bonus_is_told() {
    let mut life = Life::begin(10).await;
    let (ana_at, ana) = life.client_below("ana", 0).await;
    let (left, _) = life.client_below("bia", ana_at).await;
    life.select(ana_at, true).await;
    let (right, _) = life.client_below("caio", ana_at).await;
    store_settings(
        &life.app,
        &Settings {
            unlicensed_places: 1_000,
            binary_bonus: 0,
            ..Settings::default()
        },
    )
    .await;
    life.sale(ana_at, 10_000, 50_000).await;
    life.sale(left, 1_500, 7_500).await;
    life.sale(right, 1_500, 7_500).await;
    life.sleep();
    assert_eq!(
        closings::close_due(&life.app.context, days::results_of)
            .await
            .unwrap(),
        1
    );
    let ana = life.app.renew(&ana);
    assert_eq!(ana.get("/me").await.ok()["user"]["graduation"]["name"], "bronze");
    let lines = told(&life, &ana).await;
    assert_eq!(codes(&lines)[0], "rank_reached");
    assert_eq!(
        (&lines["data"][0]["params"]["rank"], &lines["data"][0]["amount"]),
        (&json!("bronze"), &Value::Null)
    );
    // Whom the closing brought neither hears nothing.
    let events: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM foundation.event WHERE payload ->> 'kind' = 'closing.booked'",
    )
    .fetch_one(&life.app.sql)
    .await
    .unwrap();
    assert_eq!(events, 1);
}

/// The newest lines of an inbox, by code: code, amount and reason.
async fn lines(life: &Life, client: &Client, newest: usize) -> Vec<(String, String, Value)> {
    let inbox = told(life, &life.app.renew(client)).await;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut lines: Vec<_> = inbox["data"]
        .as_array()
        .unwrap()
        .iter()
        .take(newest)
        .map(|line| {
            let lost = line["params"]["lost"].clone();
            (text(&line["code"]), text(&line["amount"]), lost)
        })
        .collect();
    lines.sort_by(|one, other| one.0.cmp(&other.0));
    lines
}

/// Each type of a closing's bonus is told by itself, and where it stands: paid, lost and why, waiting for the fund, held.
#[actix_web::test]
async fn each_type_of_a_closing_is_told_with_what_became_of_it() {
    let mut life = Life::begin(13).await;
    let (ana_at, ana) = life.client_below("ana", 0).await;
    let (bia, _) = life.client_below("bia", ana_at).await;
    life.select(ana_at, true).await;
    let (caio, _) = life.client_below("caio", ana_at).await;
    let line = |code: &str, amount: &str, lost: Value| (code.to_owned(), amount.to_owned(), lost);
    life.sale_of(ana_at, 1_000, 5_000, false).await;
    life.sale_of(bia, 1_200, 6_000, false).await;
    life.sale_of(caio, 500, 2_500, false).await;
    life.gain(bia, 10_000_000).await;
    life.close().await;
    let heard = lines(&life, &ana, 2).await;
    assert_eq!(heard[0], line("closing_binary", "50.000000", Value::Null));
    assert!(heard[1].0.starts_with("closing_residual"), "{heard:?}");
    assert_eq!(heard[1].1, "0.500000");
    // All of it lost, with the reason; 700 points were left of the first day.
    life.set_active(caio, false).await;
    life.sale_of(caio, 100, 500, false).await;
    life.close().await;
    assert_eq!(
        lines(&life, &ana, 1).await,
        [line("closing_binary_lost", "10.000000", json!("not_qualified"))]
    );
    life.set_active(caio, true).await;
    // From now on the ceilings leave 4 of the day's 10.
    let sold = async |life: &mut Life, young: bool| {
        life.sale_of(caio, 100, 500, young).await;
        sqlx::query("UPDATE affiliates.network_ceiling SET used = ceiling - 4000000 WHERE member = $1")
            .bind(ana.user.0)
            .execute(&life.app.sql)
            .await
            .unwrap();
    };
    let lost = line("closing_binary_lost", "6.000000", json!("network_ceiling"));
    sold(&mut life, false).await;
    end_day(&mut life).await;
    assert_eq!(
        lines(&life, &ana, 2).await,
        [line("closing_binary", "4.000000", Value::Null), lost.clone()]
    );
    // The fund is empty: it waits, and is told again when it is paid.
    sold(&mut life, false).await;
    crate::bonuses::fund_holds(&life.app, 0).await;
    end_day(&mut life).await;
    assert_eq!(
        lines(&life, &ana, 2).await,
        [
            line("closing_binary_deferred", "4.000000", Value::Null),
            lost.clone()
        ]
    );
    life.app.clock.advance(time::Duration::minutes(1));
    crate::bonuses::fund_holds(&life.app, 100_000_000).await;
    crate::bonuses::works(&life.app).await;
    assert_eq!(
        lines(&life, &ana, 1).await,
        [line("bonus_paid_binary", "4.000000", Value::Null)]
    );
    // Of young money: held.
    sold(&mut life, true).await;
    end_day(&mut life).await;
    assert_eq!(
        lines(&life, &ana, 2).await,
        [lost, line("closing_binary_young", "4.000000", Value::Null)]
    );
}

/// The product alone closes the day.
async fn end_day(life: &mut Life) {
    life.sleep();
    assert_eq!(
        closings::close_due(&life.app.context, days::results_of)
            .await
            .unwrap(),
        1
    );
    life.day += 1;
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
            let id: uuid::Uuid = node["_id"].as_str().unwrap().parse().unwrap();
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
