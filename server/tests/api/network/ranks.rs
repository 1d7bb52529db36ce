//! Ranks, and what members hear of a closing.

use super::Life;
use crate::{
    identity::people::store_settings,
    kit::Client,
    notifications::{codes, drain, inbox},
};
use serde_json::{Value, json};
use server::{affiliates::closing::service as closings, foundation::settings::Settings, robots::days};

#[actix_web::test]
async fn ranks_are_shown_with_what_is_next() {
    let mut life = Life::begin(9).await;
    let (ana_at, ana) = life.client_below("ana", 0).await;
    let (left, _) = life.client_below("bia", ana_at).await;
    life.select(ana_at, true).await;
    let (right, _) = life.client_below("caio", ana_at).await;
    let me = ana.get("/me").await.ok()["user"].clone();
    assert_eq!(me["graduation"], Value::Null);
    assert_eq!(
        (
            &me["nextGraduationInfo"]["name"],
            &me["nextGraduationInfo"]["threshold"],
            &me["nextGraduationInfo"]["progress"]
        ),
        (&json!("bronze"), &json!("1000.000000"), &json!(0))
    );
    life.sale_of(ana_at, 10_000, 50_000, false).await;
    life.sale_of(left, 6_000, 30_000, false).await;
    life.sale_of(right, 6_000, 30_000, false).await;
    life.close().await;
    let ana = life.app.renew(&ana);
    life.equal().await;
    let me = ana.get("/me").await.ok()["user"].clone();
    assert_eq!(me["graduation"]["name"], "silver");
    assert_eq!(
        (
            &me["nextGraduationInfo"]["name"],
            &me["nextGraduationInfo"]["points"],
            &me["nextGraduationInfo"]["progress"]
        ),
        (&json!("gold"), &json!("6000.000000"), &json!(30))
    );
    // A line for the bonus, and one for the highest rank by name.
    let inbox = told(&life, &ana).await;
    let line = |code: &str| {
        let all = inbox["data"].as_array().unwrap();
        let found: Vec<&Value> = all.iter().filter(|line| line["code"] == code).collect();
        assert_eq!(found.len(), 1, "{code}: {inbox}");
        found[0].clone()
    };
    assert_eq!(line("rank_reached")["params"]["rank"], "silver");
    assert_eq!(line("closing_binary")["amount"], "600.000000");
    // Who pays the bonuses of ranks hears that there are more.
    let counted: Vec<Value> = sqlx::query_scalar(
        "SELECT payload::jsonb -> 'count' FROM foundation.event WHERE stream = 'queue:graduation-bonuses' AND kind = 'ranks.reached'",
    )
    .fetch_all(&life.app.sql)
    .await
    .unwrap();
    assert_eq!(counted, [json!(2)]);
    let admin = life.app.admin("rui").await;
    let list = admin.get("/admin/graduation?isBonusPaid=false").await.ok();
    assert_eq!(list["meta"]["total"], 2, "each rank that was passed");
    assert_eq!(
        (&list["data"][0]["isActive"], &list["data"][0]["bonusPaymentHash"]),
        (&json!(true), &Value::Null)
    );
    let bonuses: Vec<&Value> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|g| &g["bonus"])
        .collect();
    assert!(bonuses.contains(&&json!("50.000000")) && bonuses.contains(&&json!("250.000000")));
    assert_eq!(list["metrics"].as_array().unwrap().len(), 2);
    let paid = admin.get("/admin/graduation?isBonusPaid=true").await.ok();
    assert_eq!(paid["meta"]["total"], 0);
    let ranked = admin.get("/admin/graduations?search=ana").await.ok();
    assert_eq!(
        (
            &ranked["data"][0]["rank"],
            &ranked["data"][0]["paidPoints"],
            &ranked["metrics"]
        ),
        (
            &json!("silver"),
            &json!("6000.000000"),
            &json!([{ "rank": "silver", "count": 1 }])
        )
    );
    assert_eq!(admin.get("/admin/graduation?format=csv").await.status, 200);
    assert_eq!(admin.get("/admin/graduations?format=csv").await.status, 200);
}

/// Staff see of everyone who was paid for points what these see themselves: the next rank, and what is missing for it.
#[actix_web::test]
async fn who_is_near_a_rank_is_listed_with_what_is_missing() {
    let mut life = Life::begin(15).await;
    let (ana_at, ana) = life.client_below("ana", 0).await;
    let (bia_at, bia) = life.client_below("bia", ana_at).await;
    life.select(ana_at, true).await;
    let (caio_at, _) = life.client_below("caio", ana_at).await;
    let (davi_at, _) = life.client_below("davi", bia_at).await;
    life.select(bia_at, true).await;
    let (edu_at, _) = life.client_below("edu", bia_at).await;
    for (who, value) in [
        (ana_at, 1_000),
        (bia_at, 1_000),
        (davi_at, 600),
        (edu_at, 600),
        (caio_at, 2_000),
    ] {
        life.sale_of(who, value, value * 5, false).await;
    }
    life.close().await;
    life.equal().await;
    let admin = life.app.admin("rui").await;
    let list = admin.get("/admin/graduations").await.ok();
    let shown = |list: &Value| -> Vec<(Value, Value, Value)> {
        let rows = list["data"].as_array().unwrap();
        rows.iter()
            .map(|r| {
                (
                    r["username"].clone(),
                    r["rank"].clone(),
                    r["next"]["missing"].clone(),
                )
            })
            .collect()
    };
    let of_ana = (json!("ana"), json!("bronze"), json!("3000.000000"));
    let of_bia = (json!("bia"), Value::Null, json!("400.000000"));
    assert_eq!(shown(&list), [of_ana.clone(), of_bia.clone()]);
    assert_eq!(list["meta"]["total"], 2, "nobody else was paid for points");
    for (nth, who) in [ana, bia].iter().enumerate() {
        let me = life.app.renew(who).get("/me").await.ok();
        assert_eq!(list["data"][nth]["next"], me["user"]["nextGraduationInfo"]);
    }
    let held = json!([{ "rank": "bronze", "count": 1 }]);
    for (query, rows) in [
        ("rank=none", vec![of_bia.clone()]),
        ("rank=bronze", vec![of_ana.clone()]),
        ("rank=silver", vec![]),
        ("limit=1&page=2", vec![of_bia]),
        ("search=ana", vec![of_ana]),
    ] {
        let some = admin.get(&format!("/admin/graduations?{query}")).await.ok();
        assert_eq!(shown(&some), rows, "{query}");
        assert_eq!(some["metrics"], held, "{query}");
    }
    admin
        .get("/admin/graduations?rank=wood")
        .await
        .refused(422, "request.invalid");
    let (head, rows) = super::fairness::file(&admin, "/admin/graduations?format=csv").await;
    assert_eq!(
        head,
        "Usuário;Nome;Graduação;Pontos;Próxima graduação;Pontos que faltam;Situação"
    );
    assert_eq!(rows.len(), 2);
    for (row, (name, cells)) in rows.iter().zip([
        ("ana;", ";Bronze;2000,000000;Prata;3000,000000;Ativo"),
        ("bia;", ";;600,000000;Bronze;400,000000;Ativo"),
    ]) {
        assert!(row.starts_with(name) && row.ends_with(cells), "{row}");
    }
}

/// How many reached each rank, and stand at each: the most first, and of as many the higher rank.
#[actix_web::test]
async fn ranks_are_counted_the_most_first() {
    let mut life = Life::begin(16).await;
    let (ana, _) = life.client_below("ana", 0).await;
    let mut legs = Vec::new();
    for (name, right) in [("bia", false), ("caio", true)] {
        life.select(ana, right).await;
        let (at, _) = life.client_below(name, ana).await;
        legs.push(at);
    }
    let [bia, caio] = legs[..] else { unreachable!() };
    let mut below = Vec::new();
    for (sponsor, right, name) in [
        (bia, false, "davi"),
        (bia, true, "edu"),
        (caio, false, "fabio"),
        (caio, true, "gil"),
    ] {
        life.select(sponsor, right).await;
        let (at, _) = life.client_below(name, sponsor).await;
        below.push(at);
    }
    let [davi, edu, fabio, gil] = below[..] else {
        unreachable!()
    };
    let admin = life.app.admin("rui").await;
    let counts = async |life: &Life, path: &str| -> Vec<(String, i64)> {
        let list = life.app.renew(&admin).get(path).await.ok();
        let metrics = list["metrics"].as_array().unwrap();
        metrics
            .iter()
            .map(|m| {
                (
                    m["rank"].as_str().unwrap().to_owned(),
                    m["count"].as_i64().unwrap(),
                )
            })
            .collect()
    };
    let (reached, held) = ("/admin/graduation", "/admin/graduations");
    let line = |rank: &str, count: i64| (rank.to_owned(), count);
    for (who, value) in [(ana, 10_000), (caio, 6_000), (bia, 6_000)] {
        life.sale_of(who, value, value * 5, false).await;
    }
    life.close().await;
    life.equal().await;
    // Ana alone: both ranks once, and she stands at one.
    assert_eq!(
        counts(&life, reached).await,
        [line("silver", 1), line("bronze", 1)]
    );
    assert_eq!(counts(&life, held).await, [line("silver", 1)]);
    for who in [davi, edu] {
        life.sale_of(who, 2_000, 10_000, false).await;
    }
    life.close().await;
    life.equal().await;
    assert_eq!(
        counts(&life, reached).await,
        [line("bronze", 2), line("silver", 1)]
    );
    assert_eq!(counts(&life, held).await, [line("silver", 1), line("bronze", 1)]);
    for who in [fabio, gil] {
        life.sale_of(who, 1_500, 7_500, false).await;
    }
    life.close().await;
    life.equal().await;
    let four = counts(&life, held).await;
    assert_eq!(four, [line("bronze", 2), line("silver", 1)]);
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
    let asked = async |life: &Life| -> i64 {
        sqlx::query_scalar(
            "SELECT count(*) FROM foundation.event
             WHERE stream = $1 AND kind = 'user.changed' AND payload ->> 'reason' = 'network'",
        )
        .bind(format!("user:{}", ana.user))
        .fetch_one(&life.app.sql)
        .await
        .unwrap()
    };
    let before = asked(&life).await;
    end_day(&mut life).await;
    assert_eq!(
        asked(&life).await,
        before + 1,
        "the way to the next rank is read again"
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
    // Points without a rank bring her nothing to read, and staff see how near she is.
    life.sale(left, 500, 2_500).await;
    life.sale(right, 500, 2_500).await;
    end_day(&mut life).await;
    assert_eq!(asked(&life).await, before + 2);
    let events: i64 =
        sqlx::query_scalar("SELECT count(*) FROM foundation.event WHERE kind = 'closing.booked'")
            .fetch_one(&life.app.sql)
            .await
            .unwrap();
    assert_eq!(events, 1);
    let counted: Vec<Value> = sqlx::query_scalar(
        "SELECT payload -> 'count' FROM foundation.event WHERE stream = 'queue:graduation-bonuses' AND kind = 'ranks.reached' ORDER BY seq",
    )
    .fetch_all(&life.app.sql)
    .await
    .unwrap();
    assert_eq!(counted, [json!(1), json!(0)]);
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

/// The inbox, with all that has happened.
async fn told(life: &Life, client: &Client) -> Value {
    drain(&life.app).await;
    inbox(client).await
}
