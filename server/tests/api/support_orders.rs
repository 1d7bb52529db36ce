//! In which orders staff's list of tickets comes, and that none of them sorts.

use crate::{
    kit::{STORE_EMPLOYEE, TestApp, statements},
    support::{agents, id_of, reply},
};
use serde_json::json;
use time::Duration;

/// How a ticket stands and what it is about put the newest of each first, or the oldest; who was not answered yet comes behind either way.
#[actix_web::test]
async fn lists_are_put_in_order_by_what_their_columns_say() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let (bia, _) = agents(&app).await;
    let mut ids = Vec::new();
    for category in ["other", "account_data", "financial"] {
        let body = json!({ "subject": "Ajuda", "description": "Por favor.", "category": category });
        ids.push(id_of(&ana.post("/support/open-ticket", &body).await.ok()));
        app.clock.advance(Duration::minutes(1));
    }
    // After one minute and after three; the second is closed without an answer.
    for at in [2, 0] {
        reply(&bia, &ids[at], "Vou olhar.").await;
    }
    bia.post(&format!("/support/close-ticket/{}", ids[1]), &json!({}))
        .await
        .ok();
    for (sort, descending, ascending) in [
        ("status", [2, 0, 1], [1, 0, 2]),
        ("category", [0, 2, 1], [1, 2, 0]),
        ("first_answer", [0, 2, 1], [2, 0, 1]),
    ] {
        for (direction, places) in [("desc", descending), ("asc", ascending)] {
            let path = format!("/support/list-tickets-all/?sortby={sort}&sortdirection={direction}");
            let list = bia.get(&path).await.ok();
            let rows = list["data"].as_array().unwrap();
            let found: Vec<&str> = rows.iter().map(|row| row["_id"].as_str().unwrap()).collect();
            let wanted: Vec<&str> = places.iter().map(|at| ids[*at].as_str()).collect();
            assert_eq!(found, wanted, "{path}");
        }
    }
    // To a customer it is nothing how staff's list is ordered.
    ana.get("/support/list-tickets-user/?sortby=first_answer")
        .await
        .refused(422, "request.invalid");
}

/// By the names as people read them, whoever was renamed since; of one customer the newest first, or the oldest.
#[actix_web::test]
async fn customers_are_an_order_by_name() {
    let app = TestApp::start().await;
    let (bia, _) = agents(&app).await;
    let body = json!({ "subject": "Ajuda", "description": "Por favor.", "category": "other" });
    let mut people = Vec::new();
    for name in ["zeca", "dora", "ana"] {
        let customer = app.user(name).await;
        customer.post("/support/open-ticket", &body).await.ok();
        app.clock.advance(Duration::minutes(1));
        people.push(customer);
    }
    let names = async |direction: &str| {
        let path = format!("/support/list-tickets-all/?sortby=customer&sortdirection={direction}");
        let list = bia.get(&path).await.ok();
        let rows = list["data"].as_array().unwrap();
        let first = |row: &serde_json::Value| {
            let name = row["userName"].as_str().unwrap();
            name.split(' ').next().unwrap().to_owned()
        };
        rows.iter().map(first).collect::<Vec<_>>()
    };
    assert_eq!(names("asc").await, ["ana", "dora", "zeca"]);
    assert_eq!(names("desc").await, ["zeca", "dora", "ana"]);
    for (who, name) in [(&people[0], "\u{c1}lvaro Prado"), (&people[2], "Beatriz Prado")] {
        sqlx::query("UPDATE identity.account SET full_name = $2 WHERE id = $1")
            .bind(who.user.0)
            .bind(name)
            .execute(&app.sql)
            .await
            .unwrap();
    }
    assert_eq!(names("asc").await, ["\u{c1}lvaro", "Beatriz", "dora"]);
    // An order of staff's list alone.
    people[1]
        .get("/support/list-tickets-user/?sortby=customer")
        .await
        .refused(422, "request.invalid");
}

/// Every order that the list offers is read from an index, by the statement that the list itself sends: nothing is sorted, however many tickets
/// there are.
#[actix_web::test]
async fn every_order_of_the_list_has_its_index() {
    let app = statements::counted(TestApp::start()).await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    sqlx::query(
        "INSERT INTO support.ticket (id, owner, subject, category, last_message_at, waiting_since, first_answered_at, created_at)
         SELECT gen_random_uuid(), $1, 'x', (ARRAY['financial', 'account_data', 'other'])[1 + n % 3], now() - make_interval(secs => n),
                CASE WHEN n % 3 = 0 THEN now() - make_interval(secs => n) END, CASE WHEN n % 4 = 0 THEN now() END, now() - make_interval(secs => n)
         FROM generate_series(1, 3000) n",
    )
    .bind(ana.user.0)
    .execute(&app.sql)
    .await
    .unwrap();
    sqlx::query("ANALYZE support.ticket")
        .execute(&app.sql)
        .await
        .unwrap();
    for sort in [
        "created_at",
        "waiting_since",
        "last_message_at",
        "status",
        "category",
        "customer",
        "first_answer",
    ] {
        for direction in ["asc", "desc"] {
            let path = format!("/support/list-tickets-all/?limit=10&sortby={sort}&sortdirection={direction}");
            let (reply, asked) = statements::of(&app, &bia, bia.get(&path)).await;
            assert_eq!(reply.ok()["data"].as_array().unwrap().len(), 10, "{path}");
            let is_list = |sql: &&String| sql.contains("FROM support.ticket t") && sql.contains(" ORDER BY ");
            let mut lists = asked.alone.iter().filter(is_list);
            let list = lists.next().unwrap().replace("$1", "10").replace("$2", "0");
            assert!(lists.next().is_none(), "{asked}");
            let plan: Vec<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(format!("EXPLAIN {list}")))
                .fetch_all(&app.sql)
                .await
                .unwrap();
            let plan = plan.join("\n");
            assert!(!plan.contains("Sort"), "{path}: {plan}");
        }
    }
}
