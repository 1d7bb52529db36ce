//! What staff see: the list, one person's notes, log, network and tickets.

use super::{by_one::editor, edit, view};
use crate::{
    deciders::sponsor,
    identity::{
        people::{lift_caps, member},
        roles::{add, remove, role},
    },
    kit::{CUSTOMER, SALESPERSON, SYSTEM_EMPLOYEE, TestApp, statements},
};
use serde_json::{Value, json};

fn usernames(page: &Value) -> Vec<&str> {
    let rows = page["data"].as_array().unwrap();
    rows.iter().map(|r| r["username"].as_str().unwrap()).collect()
}

#[actix_web::test]
async fn people_are_listed_found_and_filtered() {
    let app = TestApp::start().await;
    let root = app.admin("root").await;
    let seller = app.person("sol", SALESPERSON).await;
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    sqlx::query(
        "UPDATE identity.account SET full_name = 'Ana María de Souza', two_factor_email = true WHERE id = $1",
    )
    .bind(ana.user.0)
    .execute(&app.sql)
    .await
    .unwrap();
    edit(&root, &bea, json!({ "status": "inactive", "reason": "pediu" }))
        .await
        .ok();

    let all = root.get("/admin/users-list/").await.ok();
    assert_eq!(
        (&all["meta"]["limit"], &all["meta"]["total"]),
        (&json!(10), &json!(4))
    );
    let row = all["data"]
        .as_array()
        .unwrap()
        .iter()
        .find(|r| r["username"] == "ana")
        .unwrap();
    assert_eq!(row["roles"], json!([CUSTOMER]));
    assert_eq!(
        (&row["emailConfirmed"], &row["invited"], &row["binaryActive"]),
        (&json!(true), &json!(false), &json!(false))
    );
    assert_eq!(
        row["twoFactor"],
        json!({ "email": true, "app": false, "passkey": false })
    );
    assert_eq!(
        (&row["sponsor"]["username"], &row["balance"]),
        (&json!("arbora"), &json!("0.000000"))
    );

    // By the beginning of any word, in any case, whatever signs stand around it.
    for (typed, found) in [
        ("SOUZ", vec!["ana"]),
        ("mar sou", vec!["ana"]),
        ("ana@example.com", vec!["ana"]),
        ("@bea", vec!["bea"]),
        ("ouza", vec![]),
        ("' | ana:*", vec!["ana"]),
        ("%%%", vec![]),
    ] {
        let query = [("search", typed)];
        let request = root
            .request(reqwest::Method::GET, "/admin/users-list/")
            .query(&query);
        let page = root.send(request).await.ok();
        assert_eq!(usernames(&page), found, "{typed}");
    }
    let today = server::foundation::business_day::of(app.context.now());
    let [yesterday, came] =
        [today.previous_day().unwrap(), today].map(|day| format!("startDate={day}&endDate={day}"));
    sqlx::query("UPDATE identity.account SET email_confirmed_at = NULL WHERE id = $1")
        .bind(ana.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    for (query, total) in [
        ("emailConfirmed=false", 1),
        ("emailConfirmed=true", 3),
        ("emailConfirmed=false&status=closed", 0),
        (came.as_str(), 4),
        (yesterday.as_str(), 0),
    ] {
        let page = root.get(&format!("/admin/users-list/?{query}")).await.ok();
        assert_eq!(page["meta"]["total"], total, "{query}");
    }
    for (query, found) in [
        ("status=inactive", vec!["bea"]),
        ("function=salesperson", vec!["sol"]),
        ("function=customer&status=active", vec!["ana"]),
        (
            "sortby=username&sortdirection=asc",
            vec!["ana", "bea", "root", "sol"],
        ),
        (
            "sortby=balance&sortdirection=asc&limit=1&page=2&search=example",
            vec![],
        ),
    ] {
        let page = root.get(&format!("/admin/users-list/?{query}")).await.ok();
        if found.is_empty() {
            assert_eq!(usernames(&page).len(), 1, "{query}");
        } else {
            assert_eq!(usernames(&page), found, "{query}");
        }
    }
    for wrong in [
        "status=gone",
        "function=king",
        "sortby=password",
        "limit=0",
        "emailConfirmed=maybe",
        "startDate=gold",
        "nada=1",
    ] {
        root.get(&format!("/admin/users-list/?{wrong}"))
            .await
            .refused(422, "request.invalid");
    }

    // Money is for those who decide about it.
    let page = seller.get("/admin/users-list/").await.ok();
    assert!(
        page["data"]
            .as_array()
            .unwrap()
            .iter()
            .all(|r| r["balance"].is_null())
    );
    seller
        .get("/admin/users-list/?sortby=balance")
        .await
        .refused(422, "request.invalid");
    let csv = seller.get("/admin/users-list/?format=csv").await;
    assert_eq!(csv.headers["x-total-rows"], "4");
    let seen = view(&seller, &ana).await;
    assert!(seen["balance"].is_null() && seen["request"].is_null());
    assert_eq!(seen["editable"], false);
    let network = seller
        .get(&format!("/admin/user/{}/network", ana.user))
        .await
        .ok();
    for money in ["n", "highestN", "bonuses"] {
        assert!(network[money].is_null(), "{money}");
    }
    // Points are what ranks count.
    assert_eq!(network["paidPoints"], "0.000000");
}

/// A list costs the same statements whether it has one row or many.
#[actix_web::test]
async fn a_list_asks_as_often_for_many_as_for_one() {
    let app = statements::counted(TestApp::start()).await;
    let root = app.admin("root").await;
    root.get("/admin/users-list/").await.ok();
    let (_, one) = statements::of(&app, &root, root.get("/admin/users-list/")).await;
    for name in ["ana", "bea", "caio", "davi"] {
        app.user(name).await;
    }
    let (_, many) = statements::of(&app, &root, root.get("/admin/users-list/")).await;
    assert_eq!(one.count(), many.count());
}

#[actix_web::test]
async fn notes_are_added_and_never_seen_by_whom_they_are_about() {
    let app = TestApp::start().await;
    let (root, clerk, ana) = (
        app.admin("root").await,
        app.person("gil", SYSTEM_EMPLOYEE).await,
        app.user("ana").await,
    );
    let path = format!("/admin/user/{}/notes", ana.user);
    for text in ["primeira", "segunda\nlinha"] {
        let made = clerk.post(&path, &json!({ "text": text })).await;
        assert_eq!((made.status, &made.body["text"]), (201, &json!(text)));
    }
    for (text, field) in [(" ".to_owned(), "text"), ("x".repeat(2_001), "text")] {
        let refused = clerk.post(&path, &json!({ "text": text })).await;
        assert!(
            refused.status == 422 && refused.body["errors"][field][0].is_string(),
            "{}",
            refused.body
        );
    }
    let list = root.get(&format!("{path}?limit=1")).await.ok();
    assert_eq!(
        (&list["meta"]["total"], &list["data"][0]["text"]),
        (&json!(2), &json!("segunda\nlinha"))
    );
    assert_eq!(list["data"][0]["author"]["username"], "gil");
    ana.get(&path).await.refused(403, "auth.forbidden");
    root.post(
        &format!("/admin/user/{}/notes", clerk.user),
        &json!({ "text": "dele" }),
    )
    .await
    .ok();
    clerk
        .get(&format!("/admin/user/{}/notes", clerk.user))
        .await
        .refused(403, "user.own");
    for change in [
        "UPDATE identity.staff_note SET text = 'x'",
        "DELETE FROM identity.staff_note",
    ] {
        assert!(
            sqlx::query(change).execute(app.context.db.pool()).await.is_err(),
            "{change}"
        );
    }
}

#[actix_web::test]
async fn the_log_says_what_somebody_did_and_what_was_done_to_them() {
    let app = TestApp::start().await;
    let (root, ana, bea) = (
        app.admin("root").await,
        app.user("ana").await,
        app.user("bea").await,
    );
    edit(&root, &ana, json!({ "status": "inactive", "reason": "pediu" }))
        .await
        .ok();
    edit(&root, &ana, json!({ "status": "active", "reason": "voltou" }))
        .await
        .ok();
    add(&root, &ana, &[role(&app, SALESPERSON).await]).await.ok();
    remove(&root, &ana, &[role(&app, SALESPERSON).await]).await.ok();
    edit(&root, &bea, json!({ "fullName": "Bea Nova" })).await.ok();
    let path = format!("/admin/user-logs-list/{}", ana.user);
    let log = root.get(&path).await.ok();
    assert_eq!(
        (&log["meta"]["limit"], &log["meta"]["total"]),
        (&json!(10), &json!(4))
    );
    let first = &log["data"][3];
    assert_eq!(
        (&first["action"], &first["category"]),
        (&json!("user.status"), &json!("profile"))
    );
    assert_eq!(
        (&first["details"]["before"], &first["details"]["after"]),
        (&json!("active"), &json!("inactive"))
    );
    assert_eq!(
        (&first["actor"]["username"], &first["subject"]["username"]),
        (&json!("root"), &json!("ana"))
    );
    assert_eq!(
        root.get(&format!("{path}?category=roles")).await.ok()["meta"]["total"],
        2
    );
    assert_eq!(
        root.get(&format!("{path}?endDate=2020-01-01")).await.ok()["meta"]["total"],
        0
    );
    let own = root
        .get(&format!("/admin/user-logs-list/{}", root.user))
        .await
        .ok();
    assert_eq!(own["meta"]["total"], 5);
    root.get(&format!("{path}?category=gossip"))
        .await
        .refused(422, "request.invalid");
    ana.get(&path).await.refused(403, "auth.forbidden");
    let csv = root.get(&format!("{path}?format=csv")).await;
    assert!(csv.body.as_str().unwrap().contains("user.status"));
}

#[actix_web::test]
async fn a_persons_network_leads_up_to_the_house() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let root = app.admin("root").await;
    let ana = member(&app, "Ana", "arbora").await;
    let name = |id: protocol::ids::UserId| {
        let sql = app.sql.clone();
        async move {
            sqlx::query_scalar::<_, String>("SELECT username FROM identity.account WHERE id = $1")
                .bind(id.0)
                .fetch_one(&sql)
                .await
                .unwrap()
        }
    };
    let ana_name = name(ana.client.user).await;
    let bea = member(&app, "Bea", &ana_name).await;
    let network = root
        .get(&format!("/admin/user/{}/network", bea.client.user))
        .await
        .ok();
    let above: Vec<_> = network["sponsors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| {
            (
                s["username"].as_str().unwrap(),
                s["level"].as_i64().unwrap(),
                s["isHouse"].as_bool().unwrap(),
            )
        })
        .collect();
    assert_eq!(above, [(ana_name.as_str(), 1, false), ("arbora", 2, true)]);
    assert_eq!(
        (&network["n"], &network["highestN"], &network["bonuses"]),
        (&json!("0.000000"), &json!("0.000000"), &json!([]))
    );
    let above = root
        .get(&format!("/admin/user/{}/network", ana.client.user))
        .await
        .ok();
    assert_eq!(above["referrals"], 1);
    assert_eq!(above["binaryNeeds"].as_array().unwrap().len(), 3);
}

#[actix_web::test]
async fn tickets_of_one_person_are_listed() {
    let app = TestApp::start().await;
    let (root, ana, bea) = (
        app.admin("root").await,
        app.user("ana").await,
        app.user("bea").await,
    );
    for who in [&ana, &bea] {
        let body = json!({ "subject": "Oi", "description": "Oi", "category": "other" });
        who.post("/support/open-ticket", &body).await.ok();
    }
    let list = root
        .get(&format!("/support/list-tickets-all/?userId={}", ana.user))
        .await
        .ok();
    assert_eq!(
        (&list["meta"]["total"], &list["data"][0]["user"]),
        (&json!(1), &json!(ana.user))
    );
}

/// What a person tells of themselves is seen by staff who see people; what is personal by those who decide or answer alone, the document
/// and an address that is to come masked.
#[actix_web::test]
async fn what_people_tell_of_themselves_is_seen_masked() {
    let app = TestApp::start().await;
    let (root, seller) = (app.admin("root").await, app.person("sol", SALESPERSON).await);
    let agent = app.person("gil", SYSTEM_EMPLOYEE).await;
    let ana = crate::pix_withdrawals::customer(&app, "ana", "10").await;
    let before = view(&root, &ana).await;
    assert_eq!(
        (
            &before["birthDate"],
            &before["timeZone"],
            &before["social"],
            &before["emailChange"]
        ),
        (&json!(null), &json!(null), &json!({}), &json!(null))
    );
    let told =
        "UPDATE identity.account SET birth_date = '1990-11-25', time_zone = 'America/Manaus' WHERE id = $1";
    let found = "INSERT INTO identity.social (account, network, place) VALUES ($1, 'instagram', 'ana.souza')";
    let asked = "INSERT INTO identity.email_change (account, email, email_key, session, asked_at, expires_at)
         VALUES ($1, 'outra@example.com', 'outra@example.com', $2, $3, $3 + interval '1 hour')";
    for sql in [told, found] {
        sqlx::query(sql).bind(ana.user.0).execute(&app.sql).await.unwrap();
    }
    sqlx::query(asked)
        .bind(ana.user.0)
        .bind(ana.session.0)
        .bind(app.context.now())
        .execute(&app.sql)
        .await
        .unwrap();
    for who in [&root, &seller] {
        let seen = view(who, &ana).await;
        assert_eq!(seen["timeZone"], "America/Manaus");
        assert_eq!(seen["social"], json!({ "instagram": "ana.souza" }));
    }
    for who in [&root, &agent] {
        let seen = view(who, &ana).await;
        assert_eq!(
            [&seen["personal"], &seen["birthDate"], &seen["document"]["kind"]],
            [&json!(true), &json!("1990-11-25"), &json!("cpf")]
        );
        let (document, to_come) = (
            seen["document"]["masked"].as_str().unwrap(),
            seen["emailChange"]["email"].as_str().unwrap(),
        );
        assert!(
            document.contains('*') && !document.contains("529982247"),
            "{document}"
        );
        assert!(to_come.contains('*') && !to_come.contains("outra"), "{to_come}");
        assert_eq!(seen["emailChange"]["newConfirmed"], false);
    }
    let seen = view(&seller, &ana).await;
    assert_eq!(
        [
            &seen["personal"],
            &seen["birthDate"],
            &seen["document"],
            &seen["emailChange"]
        ],
        [&json!(false), &json!(null), &json!(null), &json!(null)]
    );
}

/// The list offers no change that the person's page refuses.
#[actix_web::test]
async fn the_list_says_who_may_be_changed_as_their_pages_do() {
    let app = TestApp::start().await;
    let (root, staff) = (app.admin("root").await, editor(&app, "edu").await);
    let (ana, near, gone) = (
        app.user("ana").await,
        app.user("near").await,
        app.user("gone").await,
    );
    sponsor(&app, &near, &staff).await;
    sqlx::query("UPDATE identity.account SET status = 'closed', closed_at = $2 WHERE id = $1")
        .bind(gone.user.0)
        .bind(app.context.now())
        .execute(&app.sql)
        .await
        .unwrap();
    for (by, changes) in [(&root, ["ana", "edu", "near"].as_slice()), (&staff, &["ana"])] {
        let list = by.get("/admin/users-list/").await.ok();
        let mut may: Vec<&str> = list["data"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| row["editable"] == true)
            .map(|row| row["username"].as_str().unwrap())
            .collect();
        may.sort_unstable();
        assert_eq!(may, changes, "{list}");
        for (whom, name) in [
            (&root, "root"),
            (&staff, "edu"),
            (&ana, "ana"),
            (&near, "near"),
            (&gone, "gone"),
        ] {
            assert_eq!(view(by, whom).await["editable"], may.contains(&name), "{name}");
        }
    }
}
