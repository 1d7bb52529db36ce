//! What the network's pages show, and to whom.

use super::Life;
use crate::{
    kit::Client,
    notifications::{drain, inbox},
};
use protocol::ids::UserId;
use serde_json::{Value, json};

pub async fn tree(client: &Client, of: &str) -> Value {
    client
        .get(&format!("/affiliates/diagram-binary-tree/{of}"))
        .await
        .ok()
}

/// Ana with Bia on the left and Caio on the right, and two below Bia; all but Caio have a licence.
pub struct House {
    pub life: Life,
    pub ana: Client,
    pub bia: Client,
    pub caio: Client,
}

pub async fn house() -> House {
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

/// The inbox, with all that has happened.
pub async fn told(life: &Life, client: &Client) -> Value {
    drain(&life.app).await;
    inbox(client).await
}
