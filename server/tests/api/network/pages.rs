//! What the network's pages show, and to whom.

use super::Life;
use crate::{
    identity::people::store_settings,
    kit::Client,
    notifications::{codes, drain, inbox},
};
use protocol::ids::UserId;
use serde_json::{Value, json};
use server::{
    affiliates::closing::{service as closings, sums},
    foundation::settings::Settings,
    robots::days,
};

async fn tree(client: &Client, of: &str) -> Value {
    client
        .get(&format!("/affiliates/diagram-binary-tree/{of}"))
        .await
        .ok()
}

/// Ana with Bia on the left and Caio on the right, and two below Bia; all but Caio have a licence.
struct House {
    life: Life,
    ana: Client,
    bia: Client,
    caio: Client,
}

async fn house() -> House {
    let mut life = Life::begin(5).await;
    let (ana_at, ana) = life.client_below("ana", 0).await;
    let (bia_at, bia) = life.client_below("bia", ana_at).await;
    life.select(ana_at, true).await;
    let (_, caio) = life.client_below("caio", ana_at).await;
    for name in ["davi", "edu"] {
        life.client_below(name, bia_at).await;
    }
    life.sale(ana_at, 1_000, 5_000).await;
    life.sale(bia_at, 1_000, 5_000).await;
    life.sale(4, 200, 1_000).await;
    House { life, ana, bia, caio }
}

#[actix_web::test]
async fn the_tree_shows_those_below_and_nobody_else() {
    let House {
        mut life,
        ana,
        bia,
        caio,
    } = house().await;
    let shown = tree(&ana, "me").await;
    let names: Vec<&str> = shown["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n["username"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["ana", "bia", "caio", "davi", "edu"]);
    assert_eq!(shown["up"], Value::Null);
    assert_eq!(
        (&shown["selectedLeg"], &shown["closedDay"]),
        (&json!("right"), &Value::Null)
    );
    let node = &shown["nodes"][1];
    assert_eq!(
        (&node["leg"], &node["level"], &node["status"], &node["parent"]),
        (
            &json!("left"),
            &json!(1),
            &json!("active"),
            &json!(ana.user.to_string())
        )
    );
    assert_eq!(node["binaryNeeds"], json!(["right_referral"]));
    assert_eq!(shown["nodes"][2]["status"], "inactive");
    // Downline views show no more than this.
    let mut fields: Vec<&String> = node.as_object().unwrap().keys().collect();
    fields.sort();
    assert_eq!(
        fields,
        [
            "_id",
            "binaryActive",
            "binaryNeeds",
            "hasLeft",
            "hasRight",
            "leftNow",
            "leftPoints",
            "leg",
            "level",
            "parent",
            "rank",
            "rightNow",
            "rightPoints",
            "status",
            "username"
        ]
    );
    // By id and by name; one step up leads to Ana herself.
    for who in [bia.user.to_string(), "bia".to_owned(), "@BIA".to_owned()] {
        let below = tree(&ana, &who).await;
        assert_eq!(below["nodes"][0]["username"], "bia");
        assert_eq!(below["up"], json!(ana.user.to_string()));
        assert_eq!(below["nodes"].as_array().unwrap().len(), 3);
    }
    let narrow = ana.get("/affiliates/diagram-binary-tree/me?levels=1").await.ok();
    assert_eq!(narrow["nodes"].as_array().unwrap().len(), 3);
    assert_eq!(narrow["nodes"][1]["hasLeft"], true);
    // Above, beside and nowhere are alike.
    for (who, whom) in [
        (&bia, ana.user.to_string()),
        (&bia, caio.user.to_string()),
        (&caio, bia.user.to_string()),
        (&ana, "arbora".to_owned()),
        (&ana, "nobody".to_owned()),
        (&ana, UserId::fresh().to_string()),
    ] {
        who.get(&format!("/affiliates/diagram-binary-tree/{whom}"))
            .await
            .refused(404, "user.unknown");
    }
    for levels in ["0", "7"] {
        ana.get(&format!("/affiliates/diagram-binary-tree/me?levels={levels}"))
            .await
            .refused(422, "request.invalid");
    }
    // After the closing the points stand on the legs.
    life.close().await;
    let ana = life.app.renew(&ana);
    let shown = tree(&ana, "me").await;
    assert_eq!(shown["nodes"][0]["leftPoints"], "1200.000000");
    assert_eq!(
        shown["closedDay"],
        json!((life.date() - time::Duration::DAY).to_string())
    );
}

/// A chain as deep as it may be is opened in the middle, by jumps.
#[actix_web::test]
async fn six_levels_and_no_more() {
    let mut life = Life::begin(6).await;
    let (mut at, first) = life.client_below("p0", 0).await;
    let mut last = None;
    for n in 1..=40 {
        let (next, client) = life.client_below(&format!("p{n}"), at).await;
        at = next;
        last = Some(client);
    }
    let shown = tree(&first, "me").await;
    assert_eq!(shown["nodes"].as_array().unwrap().len(), 7);
    assert_eq!(shown["nodes"][6]["hasLeft"], true);
    for n in [1, 7, 20, 39, 40] {
        let shown = tree(&first, &format!("p{n}")).await;
        assert_eq!(shown["nodes"][0]["username"], format!("p{n}"));
    }
    let last = last.unwrap();
    last.get(&format!("/affiliates/diagram-binary-tree/{}", first.user))
        .await
        .refused(404, "user.unknown");
    // The same down the sponsor tree.
    for level in 1..=10 {
        let list = first
            .get(&format!("/affiliates/reference-list?level={level}"))
            .await
            .ok();
        assert_eq!(list["data"][0]["username"], format!("p{level}"));
    }
}

#[actix_web::test]
async fn references_are_those_whom_one_brought() {
    let House {
        life: _life,
        ana,
        bia,
        caio,
    } = house().await;
    let list = ana.get("/affiliates/reference-list").await.ok();
    assert_eq!(list["meta"]["limit"], 50);
    let names = |list: &Value| -> Vec<String> {
        list["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|r| r["username"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&list), ["caio", "bia"]);
    assert_eq!(
        (
            &list["data"][1]["leg"],
            &list["data"][1]["points"],
            &list["data"][1]["references"]
        ),
        (&json!("left"), &json!("1000.000000"), &json!(2))
    );
    let of = |query: &str| format!("/affiliates/reference-list?{query}");
    assert_eq!(
        names(
            &ana.get(&of("level=2&sortby=username&sortdirection=asc"))
                .await
                .ok()
        ),
        ["davi", "edu"]
    );
    assert_eq!(names(&ana.get(&of("status=active")).await.ok()), ["bia"]);
    assert_eq!(names(&ana.get(&of("search=CAI")).await.ok()), ["caio"]);
    let below = format!("affiliateId={}", bia.user);
    assert_eq!(names(&ana.get(&of(&below)).await.ok()).len(), 2);
    bia.get(&of(&format!("affiliateId={}", ana.user)))
        .await
        .refused(404, "user.unknown");
    bia.get(&of(&format!("affiliateId={}", caio.user)))
        .await
        .refused(404, "user.unknown");
    for wrong in ["level=0", "level=11", "status=lost", "sortby=email"] {
        ana.get(&of(wrong)).await.refused(422, "request.invalid");
    }
}

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

#[actix_web::test]
async fn bonuses_are_listed_for_their_receiver_and_for_staff() {
    let House {
        mut life, ana, bia, ..
    } = house().await;
    life.sale(3, 500, 2_500).await;
    life.close().await;
    let (ana, bia) = (life.app.renew(&ana), life.app.renew(&bia));
    let log = ana.get("/affiliates/bonus-log?bonusType=binary").await.ok();
    assert_eq!(
        (&log["meta"]["total"], &log["data"][0]["paid"]),
        (&json!(1), &json!("50.000000"))
    );
    assert_eq!(log["totals"][0]["paid"], "50.000000");
    let closed = (life.date() - time::Duration::days(1)).to_string();
    assert_eq!(
        log["days"],
        json!([{ "day": closed, "count": 1, "total": "50.000000" }])
    );
    let sales = ana.get("/affiliates/bonus-log?bonusType=direct_sale").await.ok();
    assert_eq!(sales["meta"]["total"], 2);
    let yesterday = (life.date() - time::Duration::days(2)).to_string();
    let early = ana
        .get(&format!("/affiliates/bonus-log?endDate={yesterday}"))
        .await
        .ok();
    assert_eq!((&early["meta"]["total"], &early["days"]), (&json!(0), &json!([])));
    ana.get("/affiliates/bonus-log?bonusType=level_11")
        .await
        .refused(422, "request.invalid");
    let own = bia.get("/affiliates/bonus-log").await.ok();
    assert!(
        own["data"]
            .as_array()
            .unwrap()
            .iter()
            .all(|b| b["kind"] != "binary")
    );
    let admin = life.app.admin("rui").await;
    let all = admin.get("/admin/bonus-report?search=ana").await.ok();
    assert!(
        all["data"]
            .as_array()
            .unwrap()
            .iter()
            .all(|b| b["username"] == "ana")
    );
    assert_eq!(
        all["meta"]["total"],
        ana.get("/affiliates/bonus-log").await.ok()["meta"]["total"]
    );
    let file = admin.get("/admin/bonus-report?format=csv").await;
    assert_eq!(file.status, 200);
    // Bia has nobody on the right: nothing was matched, nothing lost.
    let lost = admin.get("/admin/binary-lost-points-report").await.ok();
    assert_eq!(lost["meta"]["total"], 0);
}

#[actix_web::test]
async fn points_that_are_not_paid_are_reported_with_their_reason() {
    let mut life = Life::begin(8).await;
    let (ana_at, _) = life.client_below("ana", 0).await;
    let (left, _) = life.client_below("bia", ana_at).await;
    life.select(ana_at, true).await;
    let (right, _) = life.client_below("caio", ana_at).await;
    // Ana has no licence: what matches is lost.
    life.sale(left, 100, 500).await;
    life.sale(right, 100, 500).await;
    life.close().await;
    // With a small licence the daily cap binds.
    life.sale(ana_at, 50, 5_000).await;
    life.sale(left, 1_000, 5_000).await;
    life.sale(right, 1_000, 5_000).await;
    life.close().await;
    life.equal().await;
    let admin = life.app.admin("rui").await;
    let report = admin.get("/admin/binary-lost-points-report").await.ok();
    assert_eq!(
        report["totals"],
        json!([
            { "reason": "daily_cap", "count": 1, "points": "500.000000" },
            { "reason": "inactive", "count": 1, "points": "100.000000" }
        ])
    );
    assert_eq!(
        (
            &report["data"][0]["username"],
            &report["data"][0]["lost"],
            &report["data"][0]["paid"],
            &report["data"][0]["matched"]
        ),
        (
            &json!("ana"),
            &json!("500.000000"),
            &json!("500.000000"),
            &json!("1000.000000")
        )
    );
    let day = |back: i64| (life.date() - time::Duration::days(back)).to_string();
    let of_day = |back: i64, total: &str| json!({ "day": day(back), "count": 1, "total": total });
    assert_eq!(
        report["days"],
        json!([of_day(2, "100.000000"), of_day(1, "500.000000")])
    );
    let only = admin
        .get("/admin/binary-lost-points-report?reason=inactive")
        .await
        .ok();
    assert_eq!(only["meta"]["total"], 1);
    assert_eq!(only["days"], json!([of_day(2, "100.000000")]));
    let first = admin
        .get(&format!("/admin/binary-lost-points-report?endDate={}", day(2)))
        .await
        .ok();
    assert_eq!(first["days"], json!([of_day(2, "100.000000")]));
    admin
        .get("/admin/binary-lost-points-report?reason=other")
        .await
        .refused(422, "request.invalid");
}

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

/// The inbox, with all that has happened.
async fn told(life: &Life, client: &Client) -> Value {
    drain(&life.app).await;
    inbox(client).await
}
