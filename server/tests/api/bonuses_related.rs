//! Bonuses between accounts that belong together: whatever relates them, a person looks first, and who receives hears what came of it.

use crate::{
    affiliates::beneath,
    bonuses::{PLAN_100, allocate, consistent, first, sell, withdraw, works},
    bonuses_undone::undo_capital,
    claw_back::of,
    guard,
    identity::people::{Browser, PASSWORD, Person, member},
    kit::{Client, TestApp},
    licences::{buy, exact, fund, house},
    notifications::{codes, drain, inbox},
};
use protocol::{ids::CaseId, money::Usdt};
use serde_json::{Value, json};
use server::{
    affiliates::bonuses::work::work_off,
    approvals::compliance::{self, service as cases},
    jobs,
    ledger::model::{HouseAccount, UserAccount},
};

/// Ana with an active licence, and Bia whom she brought; both have passwords.
async fn sponsor_and_referral(app: &TestApp) -> (Person, Person) {
    let ana = member(app, "Ana", "arbora").await;
    fund(app, &ana.client, UserAccount::Available, 100).await;
    buy(&ana.client, PLAN_100).await;
    let me = ana.client.get("/me").await.ok();
    let bia = member(app, "Bia", me["user"]["username"].as_str().unwrap()).await;
    (ana, bia)
}

/// One browser signs in to both accounts.
async fn share_a_device(app: &TestApp, people: [&Person; 2]) {
    let mut browser = Browser::at("198.51.100.7");
    for person in people {
        let reply = browser.login(app, &person.email, PASSWORD).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
}

/// One document is put on file in both.
async fn share_a_document(app: &TestApp, people: [&Person; 2]) {
    let mut tx = app.context.db.begin().await.unwrap();
    for person in people {
        compliance::note_document(&mut tx, person.client.user, &[7; 32])
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
}

async fn bonuses(client: &Client) -> Vec<Value> {
    let log = client.get("/affiliates/bonus-log").await.ok();
    log["data"].as_array().unwrap().clone()
}

/// The lines about bonuses, in the order of the alphabet.
async fn lines(app: &TestApp, client: &Client) -> Vec<String> {
    drain(app).await;
    let inbox = inbox(client).await;
    let mut lines: Vec<String> = codes(&inbox)
        .into_iter()
        .filter(|code| code.starts_with("bonus_"))
        .map(str::to_owned)
        .collect();
    lines.sort_unstable();
    lines
}

/// Bia's sale and rise pay Ana: both bonuses wait for a person, who clears or refuses them.
async fn a_person_looks(app: &TestApp, ana: &Client, bia: &Client, reason: &str, word: &str, cleared: bool) {
    let admin = app.admin("root").await;
    fund(app, bia, UserAccount::Available, 200).await;
    sell(bia, 100).await;
    works(app).await;
    let held = bonuses(ana).await;
    assert_eq!(held.len(), 2, "of the sale and of the rise");
    for bonus in &held {
        assert_eq!(
            (&bonus["status"], &bonus["reviewReasons"], &bonus["refused"]),
            (&json!("in_review"), &json!([reason]), &json!(false))
        );
    }
    assert_eq!(of(app, ana, UserAccount::Bonus).await, 15_000_000);
    withdraw(ana, "1").await.refused(422, "bonus.held");
    assert_eq!(lines(app, ana).await, ["bonus_review", "bonus_review"]);

    let cases = admin.get("/admin/compliance/cases?status=open").await.ok();
    assert_eq!(cases["data"].as_array().unwrap().len(), 1, "{cases}");
    let case = &cases["data"][0];
    assert_eq!(
        (&case["flow"], &case["reasons"], &case["value"]),
        (&json!("bonus"), &json!([reason]), &json!("15.000000"))
    );
    let file = admin.get("/admin/compliance/cases?format=csv").await;
    assert!(file.body.as_str().unwrap().contains(word), "{}", file.body);
    let before = house(app, HouseAccount::NetworkFund).await;
    let body = json!({ "id": case["_id"], "cleared": cleared, "note": "Visto", "value": case["value"] });
    let reply = admin.patch("/admin/compliance/cases", &body).await;
    assert_eq!(reply.status, 204, "{}", reply.body);
    while jobs::round(&app.context).await.unwrap() > 0 {}

    let now = house(app, HouseAccount::NetworkFund).await;
    let (status, fund_has, told) = if cleared {
        (
            "paid",
            before,
            [
                "bonus_paid_direct_sale",
                "bonus_paid_level",
                "bonus_review",
                "bonus_review",
            ],
        )
    } else {
        (
            "taken_back",
            before + Usdt::whole(15),
            ["bonus_refused", "bonus_refused", "bonus_review", "bonus_review"],
        )
    };
    assert_eq!(now, fund_has);
    for bonus in bonuses(ana).await {
        assert_eq!(
            (&bonus["status"], &bonus["reviewReasons"], &bonus["refused"]),
            (&json!(status), &json!([]), &json!(!cleared))
        );
    }
    assert_eq!(lines(app, ana).await, told);
    if cleared {
        withdraw(ana, "15").await.ok();
    }
    exact(app).await;
}

#[actix_web::test]
async fn a_bonus_between_accounts_on_one_device_waits_for_a_person() {
    for cleared in [true, false] {
        let app = TestApp::start().await;
        let (ana, bia) = sponsor_and_referral(&app).await;
        share_a_device(&app, [&ana, &bia]).await;
        let word = "Mesmo aparelho nos dois lados";
        a_person_looks(&app, &ana.client, &bia.client, "same_device", word, cleared).await;
    }
}

#[actix_web::test]
async fn a_bonus_between_accounts_with_one_document_waits_for_a_person() {
    for cleared in [true, false] {
        let app = TestApp::start().await;
        let (ana, bia) = sponsor_and_referral(&app).await;
        share_a_document(&app, [&ana, &bia]).await;
        let word = "Mesmo documento nos dois lados";
        a_person_looks(&app, &ana.client, &bia.client, "same_document", word, cleared).await;
    }
}

/// Open cases of bonuses: what each is worth.
async fn open_cases(admin: &Client) -> Vec<Value> {
    let cases = admin.get("/admin/compliance/cases?status=open").await.ok();
    let cases = cases["data"].as_array().unwrap();
    cases.iter().map(|case| case["value"].clone()).collect()
}

/// Where each bonus stands, in the order of the alphabet.
async fn statuses(client: &Client) -> Vec<String> {
    let mut statuses: Vec<String> = bonuses(client)
        .await
        .iter()
        .map(|bonus| bonus["status"].as_str().unwrap().to_owned())
        .collect();
    statuses.sort_unstable();
    statuses
}

/// The same payer in both accounts.
pub async fn relate(app: &TestApp, one: &Client, other: &Client) {
    for user in [one.user.0, other.user.0] {
        sqlx::query("INSERT INTO approvals.payer (payer, user_id, at) VALUES (sha256('payer'), $1, now())")
            .bind(user)
            .execute(&app.sql)
            .await
            .unwrap();
    }
}

async fn decide(app: &TestApp, admin: &Client, cleared: bool) {
    let cases = admin.get("/admin/compliance/cases?status=open").await.ok();
    assert_eq!(cases["data"].as_array().unwrap().len(), 1, "{cases}");
    let case = &cases["data"][0];
    assert_eq!(
        (&case["flow"], &case["reasons"]),
        (&json!("bonus"), &json!(["same_payer"]))
    );
    let reply = admin
        .patch(
            "/admin/compliance/cases",
            &json!({ "id": case["_id"], "cleared": cleared, "note": "Visto", "value": case["value"] }),
        )
        .await;
    assert_eq!(reply.status, 204, "{}", reply.body);
    while jobs::round(&app.context).await.unwrap() > 0 {}
}

#[actix_web::test]
async fn bonuses_between_related_accounts_wait_for_a_person() {
    for cleared in [true, false] {
        let app = TestApp::start().await;
        let admin = app.admin("root").await;
        let ana = first(&app, "ana").await;
        let bia = beneath(&app, "bia", ana.user).await;
        relate(&app, &ana, &bia).await;
        fund(&app, &bia, UserAccount::Available, 300).await;
        let licence = sell(&bia, 100).await;
        works(&app).await;
        bia.post("/licences/topup", &json!({ "licence": licence, "value": "50" }))
            .await
            .ok();
        allocate(&bia, &licence, 50).await;
        works(&app).await;
        let before = house(&app, HouseAccount::NetworkFund).await;
        assert_eq!(of(&app, &ana, UserAccount::Bonus).await, 20_000_000);
        withdraw(&ana, "1").await.refused(422, "bonus.held");
        let cases = admin.get("/admin/compliance/cases?status=open").await.ok();
        assert_eq!(
            cases["data"][0]["value"], "20.000000",
            "all that it holds, not the first"
        );
        decide(&app, &admin, cleared).await;
        if cleared {
            withdraw(&ana, "20").await.ok();
            // The same relation was looked at.
            fund(&app, &bia, UserAccount::Available, 50).await;
            bia.post("/licences/topup", &json!({ "licence": licence, "value": "50" }))
                .await
                .ok();
            allocate(&bia, &licence, 50).await;
            works(&app).await;
            withdraw(&ana, "5").await.ok();
        } else {
            assert_eq!(of(&app, &ana, UserAccount::Bonus).await, 0);
            assert_eq!(
                house(&app, HouseAccount::NetworkFund).await,
                before + Usdt::whole(20)
            );
        }
        consistent(&app).await;
    }
}

#[actix_web::test]
async fn a_large_held_bonus_is_let_go_by_two_and_what_comes_to_it_by_two_anew() {
    let app = TestApp::start().await;
    guard::settings(&app, |s| s.two_person_limit = Usdt::whole(10)).await;
    let (rui, eva) = (app.admin("rui").await, app.admin("eva").await);
    let ana = first(&app, "ana").await;
    let bia = beneath(&app, "bia", ana.user).await;
    relate(&app, &ana, &bia).await;
    fund(&app, &bia, UserAccount::Available, 300).await;
    let licence = sell(&bia, 100).await;
    works(&app).await;
    let case = async || admin_case(&rui).await;
    let word = async |by: &Client| {
        let case = case().await;
        let body = json!({ "id": case["_id"], "cleared": true, "value": case["value"] });
        by.patch("/admin/compliance/cases", &body).await
    };
    assert_eq!(word(&rui).await.status, 202);
    assert_eq!(
        (&case().await["agreedBy"], &case().await["status"]),
        (&json!("rui"), &json!("open"))
    );
    word(&rui).await.refused(409, "decision.same_person");
    withdraw(&ana, "1").await.refused(422, "bonus.held");
    // More comes to it: nobody has agreed to that.
    bia.post("/licences/topup", &json!({ "licence": licence, "value": "50" }))
        .await
        .ok();
    allocate(&bia, &licence, 50).await;
    works(&app).await;
    assert_eq!(
        (&case().await["value"], case().await.get("agreedBy")),
        (&json!("20.000000"), None)
    );
    // Nor is it let go by who has seen less.
    for less in [json!("10.000000"), Value::Null] {
        let body = json!({ "id": case().await["_id"], "cleared": true, "value": less });
        eva.patch("/admin/compliance/cases", &body)
            .await
            .refused(409, "decision.changed");
    }
    assert_eq!(word(&eva).await.status, 202);
    assert_eq!(word(&rui).await.status, 204);
    while jobs::round(&app.context).await.unwrap() > 0 {}
    withdraw(&ana, "20").await.ok();
    consistent(&app).await;
}

/// The only case.
async fn admin_case(admin: &Client) -> Value {
    admin.get("/admin/compliance/cases?status=open").await.ok()["data"][0].clone()
}

/// Somebody decides while a bonus is booked that the case would have taken in. Who decided has not seen it: it is neither freed nor taken
/// back with the others, though their review is still to be acted on.
#[actix_web::test]
async fn a_bonus_that_comes_while_its_case_is_decided_has_no_part_in_it() {
    for cleared in [true, false] {
        let app = TestApp::start().await;
        let (ana, bia) = sponsor_and_referral(&app).await;
        share_a_document(&app, [&ana, &bia]).await;
        let admin = app.admin("root").await;
        fund(&app, &bia.client, UserAccount::Available, 400).await;
        sell(&bia.client, 100).await;
        works(&app).await;
        let case = admin.get("/admin/compliance/cases?status=open").await.ok()["data"][0].clone();
        assert_eq!(case["value"], "15.000000");
        let id: CaseId = serde_json::from_value(case["_id"].clone()).unwrap();
        sell(&bia.client, 100).await;

        // The decision has the case and is not committed yet: the booking has to wait for what it says.
        let mut decision = app.context.db.begin().await.unwrap();
        let word = cases::Word {
            cleared,
            note: Some("Visto"),
            seen: Some(Usdt::whole(15)),
        };
        let done = cases::decide_here(&app.context, &mut decision, id, admin.user, &word).await;
        assert!(done.unwrap());
        let context = app.context.clone();
        let booking = actix_web::rt::spawn(async move { work_off(&context).await });
        let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')";
        while !sqlx::query_scalar::<_, bool>(waits)
            .fetch_one(&app.sql)
            .await
            .unwrap()
        {
            assert!(!booking.is_finished(), "it joined a case that is being decided");
            actix_web::rt::task::yield_now().await;
        }
        decision.commit().await.unwrap();
        booking.await.unwrap().unwrap();

        // Nothing was done yet of what was decided; what has come since stands by itself.
        let (now, open) = if cleared {
            (["in_review", "in_review", "paid", "paid"], vec![])
        } else {
            (["in_review"; 4], vec![json!("15.000000")])
        };
        assert_eq!(statuses(&ana.client).await, now);
        assert_eq!(open_cases(&admin).await, open);
        // Nor does a fault in the server let something join it: as the server's own role.
        let join = "INSERT INTO affiliates.bonus
                    SELECT (jsonb_populate_record(b, jsonb_build_object('id', gen_random_uuid(), 'cause', gen_random_uuid()))).*
                    FROM affiliates.bonus b JOIN affiliates.review r ON r.id = b.review WHERE r.case_id = $1 LIMIT 1";
        let joined = sqlx::query(join).bind(id.0).execute(app.context.db.pool()).await;
        let refused = joined.unwrap_err().to_string();
        assert!(refused.contains("joins a decided review"), "{refused}");

        while jobs::round(&app.context).await.unwrap() > 0 {}
        let then = if cleared {
            ["paid"; 4]
        } else {
            ["in_review", "in_review", "taken_back", "taken_back"]
        };
        assert_eq!(statuses(&ana.client).await, then);
        let left = if cleared { 30_000_000 } else { 15_000_000 };
        assert_eq!(of(&app, &ana.client, UserAccount::Bonus).await, left);
        exact(&app).await;
    }
}

/// The other way around: the booking has the case, and who decides waits for it and is told that it is worth more.
#[actix_web::test]
async fn who_decides_while_a_bonus_joins_sees_that_more_has_come() {
    let app = TestApp::start().await;
    let (ana, bia) = sponsor_and_referral(&app).await;
    share_a_document(&app, [&ana, &bia]).await;
    let admin = app.admin("root").await;
    fund(&app, &bia.client, UserAccount::Available, 400).await;
    sell(&bia.client, 100).await;
    works(&app).await;
    let case = admin.get("/admin/compliance/cases?status=open").await.ok()["data"][0].clone();
    let id: CaseId = serde_json::from_value(case["_id"].clone()).unwrap();
    let mut booking = app.context.db.begin().await.unwrap();
    let joined = compliance::raise(&mut booking, id, Usdt::whole(5), &[]).await;
    assert!(joined.unwrap());
    let body = json!({ "id": case["_id"], "cleared": true, "value": case["value"] });
    let decided = admin.patch("/admin/compliance/cases", &body);
    let joined = async {
        let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')";
        while !sqlx::query_scalar::<_, bool>(waits)
            .fetch_one(&app.sql)
            .await
            .unwrap()
        {
            actix_web::rt::task::yield_now().await;
        }
        booking.commit().await.unwrap();
    };
    let (decided, ()) = futures_util::future::join(decided, joined).await;
    decided.refused(409, "decision.changed");
    assert_eq!(open_cases(&admin).await, [json!("20.000000")]);
}

/// What comes later for a reason of its own joins the open look: whoever decides sees every reason, and clears the two of all of them.
#[actix_web::test]
async fn a_look_names_every_reason_of_what_has_joined_it() {
    let app = TestApp::start().await;
    let (ana, bia) = sponsor_and_referral(&app).await;
    let admin = app.admin("root").await;
    fund(&app, &bia.client, UserAccount::Available, 1_000).await;
    share_a_device(&app, [&ana, &bia]).await;
    sell(&bia.client, 100).await;
    works(&app).await;
    assert_eq!(admin_case(&admin).await["reasons"], json!(["same_device"]));
    share_a_document(&app, [&ana, &bia]).await;
    sell(&bia.client, 100).await;
    works(&app).await;
    let case = admin_case(&admin).await;
    let both = json!(["same_device", "same_document"]);
    assert_eq!(
        (&case["reasons"], &case["value"]),
        (&both, &json!("30.000000")),
        "the case"
    );
    let held = bonuses(&ana.client).await;
    assert_eq!(held.len(), 4);
    for bonus in held {
        assert_eq!(
            (&bonus["status"], &bonus["reviewReasons"]),
            (&json!("in_review"), &both),
            "those that waited before, too"
        );
    }
    assert_eq!(lines(&app, &ana.client).await, ["bonus_review"; 4], "each once");
    // Reasons come and never go, and a review says no more than its case: as the server's own role.
    for (change, refusal) in [
        (
            "UPDATE approvals.compliance_case SET reasons = ARRAY['same_document']",
            "keeps its reasons",
        ),
        (
            "UPDATE affiliates.review SET reasons = ARRAY['same_document']",
            "what its open case says",
        ),
        (
            "UPDATE affiliates.review SET reasons = reasons || ARRAY['same_payer']",
            "what its open case says",
        ),
    ] {
        let done = sqlx::query(change).execute(app.context.db.pool()).await;
        let refused = done.unwrap_err().to_string();
        assert!(refused.contains(refusal), "{change}: {refused}");
    }
    let body = json!({ "id": case["_id"], "cleared": true, "note": "Visto", "value": case["value"] });
    let reply = admin.patch("/admin/compliance/cases", &body).await;
    assert_eq!(reply.status, 204, "{}", reply.body);
    while jobs::round(&app.context).await.unwrap() > 0 {}
    sell(&bia.client, 100).await;
    works(&app).await;
    assert_eq!(statuses(&ana.client).await, ["paid"; 6], "cleared of both");
    assert!(open_cases(&admin).await.is_empty());
    exact(&app).await;
}

/// A rise of which a part is undone takes a part of its bonus back: its receiver hears of it, though the bonus stands.
#[actix_web::test]
async fn a_part_of_a_bonus_that_goes_back_is_told() {
    let app = TestApp::start().await;
    let (ana, bia) = sponsor_and_referral(&app).await;
    fund(&app, &bia.client, UserAccount::Available, 200).await;
    sell(&bia.client, 100).await;
    works(&app).await;
    let told = ["bonus_paid_direct_sale", "bonus_paid_level"];
    assert_eq!(lines(&app, &ana.client).await, told);
    undo_capital(&app, &bia.client, 40, 60).await;
    works(&app).await;
    let level = bonuses(&ana.client).await;
    let level = level.iter().find(|bonus| bonus["kind"] == "level").unwrap();
    assert_eq!(
        (&level["status"], &level["paid"], &level["returned"]),
        (&json!("paid"), &json!("10.000000"), &json!("4.000000"))
    );
    assert_eq!(
        lines(&app, &ana.client).await,
        ["bonus_paid_direct_sale", "bonus_paid_level", "bonus_taken_back"]
    );
    let last = async || inbox(&ana.client).await["data"][0].clone();
    let line = last().await;
    assert_eq!(
        (&line["code"], &line["amount"]),
        (&json!("bonus_taken_back"), &json!("4.000000"))
    );
    // And of the next part: what goes with it, not all that is gone. Also where a version before has told of the first one, and did not
    // remember how much that was.
    sqlx::query("UPDATE notifications.seen SET state = 'partly_taken_back' WHERE state LIKE '%gone:%'")
        .execute(&app.sql)
        .await
        .unwrap();
    sqlx::raw_sql(include_str!(
        "../../../migrations/0192_notifications_parts_told.sql"
    ))
    .execute(&app.sql)
    .await
    .unwrap();
    undo_capital(&app, &bia.client, 30, 30).await;
    works(&app).await;
    assert_eq!(
        lines(&app, &ana.client).await,
        [
            "bonus_paid_direct_sale",
            "bonus_paid_level",
            "bonus_taken_back",
            "bonus_taken_back"
        ]
    );
    let line = last().await;
    assert_eq!(
        (&line["code"], &line["amount"], &line["params"]["usdt"]),
        (&json!("bonus_taken_back"), &json!("3.000000"), &json!("3.000000"))
    );
}

/// A part of what waits for a person's look goes back, and then somebody looks: the part is told when it goes, and of the rest what is left.
#[actix_web::test]
async fn a_part_of_a_held_bonus_that_goes_back_is_told_before_the_rest_is() {
    for cleared in [true, false] {
        let app = TestApp::start().await;
        let (ana, bia) = sponsor_and_referral(&app).await;
        share_a_document(&app, [&ana, &bia]).await;
        let admin = app.admin("root").await;
        fund(&app, &bia.client, UserAccount::Available, 200).await;
        sell(&bia.client, 100).await;
        works(&app).await;
        assert_eq!(lines(&app, &ana.client).await, ["bonus_review"; 2]);
        undo_capital(&app, &bia.client, 40, 60).await;
        works(&app).await;
        assert_eq!(
            lines(&app, &ana.client).await,
            ["bonus_part_taken_back", "bonus_review", "bonus_review"]
        );
        let told = async |code: &str| {
            let inbox = inbox(&ana.client).await;
            let lines = inbox["data"].as_array().unwrap();
            let line = lines.iter().find(|line| line["code"] == code);
            line.map(|line| line["amount"].clone())
        };
        assert_eq!(told("bonus_part_taken_back").await, Some(json!("4.000000")));
        let case = admin_case(&admin).await;
        let body = json!({ "id": case["_id"], "cleared": cleared, "note": "Visto", "value": case["value"] });
        let reply = admin.patch("/admin/compliance/cases", &body).await;
        assert_eq!(reply.status, 204, "{}", reply.body);
        while jobs::round(&app.context).await.unwrap() > 0 {}
        let (whole, rest) = if cleared {
            ("bonus_paid_direct_sale", "bonus_rest_paid")
        } else {
            ("bonus_refused", "bonus_rest_refused")
        };
        let mut expected = [
            "bonus_part_taken_back",
            "bonus_review",
            "bonus_review",
            whole,
            rest,
        ];
        expected.sort_unstable();
        assert_eq!(lines(&app, &ana.client).await, expected);
        assert_eq!(told(whole).await, Some(json!("5.000000")));
        assert_eq!(told(rest).await, Some(json!("6.000000")));
    }
}
