//! Roles: who may give what to whom.

use crate::kit::{ADMINISTRATOR, CUSTOMER, Client, SALESPERSON, SYSTEM_EMPLOYEE, TestApp};
use protocol::ErrorCode;
use serde_json::{Value, json};
use server::identity::{service, signals::Signals};

pub async fn role(app: &TestApp, name: &str) -> String {
    let id: uuid::Uuid = sqlx::query_scalar("SELECT id FROM identity.role WHERE name = $1")
        .bind(name)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    id.to_string()
}

fn names(answer: &Value) -> Vec<&str> {
    answer["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["name"].as_str().unwrap())
        .collect()
}

pub async fn add(by: &Client, to: &Client, roles: &[String]) -> crate::kit::Reply {
    by.patch(&format!("/roles/{}/add-role", to.user), &json!({"roles": roles}))
        .await
}

pub async fn remove(by: &Client, from: &Client, roles: &[String]) -> crate::kit::Reply {
    by.post(
        &format!("/roles/{}/remove-role", from.user),
        &json!({"roles": roles}),
    )
    .await
}

#[actix_web::test]
async fn the_five_roles_with_their_permissions() {
    let app = TestApp::start().await;
    let admin = app.admin("rui").await;
    let answer = admin.get("/admin/roles").await.ok();
    assert_eq!(
        names(&answer),
        [
            "administrator",
            "system_employee",
            "salesperson",
            "store_employee",
            "customer"
        ]
    );
    assert_eq!(
        answer["data"][4]["permissions"],
        json!([{"action": "read", "subject": "registered-user"}])
    );
    assert_eq!(answer["data"][0]["permissions"].as_array().unwrap().len(), 8);
}

#[actix_web::test]
async fn exactly_the_listed_roles_come_and_go_and_take_effect_at_once() {
    let app = TestApp::start().await;
    let (admin, ana) = (app.admin("rui").await, app.user("ana").await);
    ana.get("/support/list-tickets-all/")
        .await
        .refused(403, "auth.forbidden");
    let (employee, sales, customer) = (
        role(&app, SYSTEM_EMPLOYEE).await,
        role(&app, SALESPERSON).await,
        role(&app, CUSTOMER).await,
    );
    let answer = add(&admin, &ana, &[employee.clone(), sales.clone()]).await.ok();
    assert_eq!(names(&answer), ["system_employee", "salesperson", "customer"]);
    assert_eq!(ana.get("/support/list-tickets-all/").await.status, 200);
    let answer = remove(&admin, &ana, &[employee, customer]).await.ok();
    assert_eq!(names(&answer), ["salesperson"]);
    ana.get("/support/list-tickets-all/")
        .await
        .refused(403, "auth.forbidden");
    let changed: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM foundation.event WHERE stream = $1 AND kind = 'user.changed'",
    )
    .bind(format!("user:{}", ana.user))
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(changed, 2);
    let (actor, details): (uuid::Uuid, Value) = sqlx::query_as(
        "SELECT actor, details FROM foundation.audit WHERE subject = $1 AND action = 'roles.added'",
    )
    .bind(ana.user.0)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(
        (actor, details["roles"].as_array().unwrap().len()),
        (admin.user.0, 2)
    );
}

#[actix_web::test]
async fn what_is_refused_changes_nothing() {
    let app = TestApp::start().await;
    let (admin, other, ana) = (
        app.admin("rui").await,
        app.admin("eva").await,
        app.user("ana").await,
    );
    let (administrator, customer) = (role(&app, ADMINISTRATOR).await, role(&app, CUSTOMER).await);
    let own = add(&admin, &admin, std::slice::from_ref(&customer)).await;
    own.refused(403, "roles.own");
    // Whatever a change of roles is refused for stands at the roles.
    assert_eq!(own.body["errors"]["roles"], json!([own.body["message"]]));
    remove(&admin, &admin, std::slice::from_ref(&administrator))
        .await
        .refused(403, "roles.own");
    add(&admin, &ana, &[]).await.refused(422, "request.invalid");
    add(
        &admin,
        &ana,
        &[customer.clone(), uuid::Uuid::now_v7().to_string()],
    )
    .await
    .refused(422, "request.invalid");
    add(&admin, &ana, &["x".into()])
        .await
        .refused(422, "request.invalid");
    add(
        &admin,
        &Client {
            user: protocol::ids::UserId::fresh(),
            ..ana.clone()
        },
        std::slice::from_ref(&customer),
    )
    .await
    .refused(404, "user.unknown");
    add(
        &admin,
        &Client {
            user: server::identity::service::HOUSE,
            ..ana.clone()
        },
        std::slice::from_ref(&customer),
    )
    .await
    .refused(404, "user.unknown");
    add(&ana, &other, std::slice::from_ref(&customer))
        .await
        .refused(403, "auth.forbidden");
    let held: i64 = sqlx::query_scalar("SELECT count(*) FROM identity.account_role")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(held, 3);
}

#[actix_web::test]
async fn nobody_gives_touches_or_takes_what_they_lack() {
    let app = TestApp::start().await;
    let (admin, ana) = (app.admin("rui").await, app.user("ana").await);
    // Somebody who may administer permissions, and little else.
    sqlx::query("INSERT INTO identity.role (id, name, position, permissions) VALUES (gen_random_uuid(), 'narrow', 9, ARRAY['registered-user','admin_permissions'])")
        .execute(&app.sql)
        .await
        .unwrap();
    let narrow = app.person("nina", "narrow").await;
    let (administrator, employee, customer) = (
        role(&app, ADMINISTRATOR).await,
        role(&app, SYSTEM_EMPLOYEE).await,
        role(&app, CUSTOMER).await,
    );
    add(&narrow, &ana, std::slice::from_ref(&administrator))
        .await
        .refused(403, "auth.forbidden");
    add(&narrow, &ana, &[employee])
        .await
        .refused(403, "auth.forbidden");
    remove(&narrow, &admin, &[administrator])
        .await
        .refused(403, "auth.forbidden");
    add(&narrow, &admin, std::slice::from_ref(&customer))
        .await
        .refused(403, "auth.forbidden");
    assert_eq!(
        names(&remove(&narrow, &ana, &[customer]).await.ok()),
        Vec::<&str>::new()
    );
}

#[actix_web::test]
async fn of_administrators_who_remove_each_other_at_once_none_goes_by_one_word() {
    let app = TestApp::start().await;
    let (rui, eva) = (app.admin("rui").await, app.admin("eva").await);
    let administrator = vec![role(&app, ADMINISTRATOR).await];
    let (a, b) = tokio::join!(
        remove(&rui, &eva, &administrator),
        remove(&eva, &rui, &administrator)
    );
    assert_eq!((a.status, b.status), (202, 202));
    // Each request is about one of the two: nobody is left to agree.
    for (who, request) in [(&rui, &a), (&eva, &b)] {
        let path = format!(
            "/admin/grants/{}/approve",
            request.body["request"]["_id"].as_str().unwrap()
        );
        who.post(&path, &json!({}))
            .await
            .refused(409, "decision.same_person");
    }
    let left: i64 = sqlx::query_scalar(
        "SELECT count(DISTINCT ar.account) FROM identity.account_role ar JOIN identity.role r ON r.id = ar.role WHERE 'admin_permissions' = ANY(r.permissions)",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(left, 2);
}

#[actix_web::test]
async fn who_decides_is_not_switched_off_by_one() {
    let app = TestApp::start().await;
    let (rui, eva) = (app.admin("rui").await, app.admin("eva").await);
    let none = Signals::default();
    let refused = service::set_status(&app.context, &none, rui.user, eva.user, false, "saiu")
        .await
        .unwrap_err();
    assert_eq!(refused.error_code(), ErrorCode::RolesTwoPersons);
}
