//! Every route refuses strangers, and those who lack its permission; the table itself is the list of cases.

use crate::kit::{CUSTOMER, SYSTEM_EMPLOYEE, TestApp, live::Live};
use protocol::{
    Permission,
    permission::{Permissions, ROLES},
};
use reqwest::Method;
use server::{
    identity::{
        gate::{Access, Inactive},
        service,
    },
    realtime,
    routes::ROUTES,
};

fn path(template: &str) -> String {
    template
        .split('/')
        .map(|part| {
            if part.starts_with('{') {
                "0190a000-0000-7000-8000-00000000abcd"
            } else {
                part
            }
        })
        .collect::<Vec<_>>()
        .join("/")
}

#[actix_web::test]
async fn strangers_are_refused_everywhere() {
    let app = TestApp::start().await;
    let stranger = app.anonymous();
    for route in ROUTES.iter().filter(|r| r.access != Access::Public) {
        let method = Method::from_bytes(route.method.as_bytes()).unwrap();
        let reply = stranger
            .send(
                stranger
                    .request(method, &path(route.path))
                    .json(&serde_json::json!({})),
            )
            .await;
        assert_eq!(
            (reply.status, reply.code()),
            (401, "auth.unauthenticated"),
            "{} {}",
            route.method,
            route.path
        );
    }
}

#[actix_web::test]
async fn those_without_the_permission_are_refused() {
    let app = TestApp::start().await;
    let customer = app.person("carla", CUSTOMER).await;
    let nobody = app.person("nobody", "without any role").await;
    for route in ROUTES {
        let Access::Permission(permission) = route.access else {
            continue;
        };
        let who = if permission == Permission::RegisteredUser {
            &nobody
        } else {
            &customer
        };
        let method = Method::from_bytes(route.method.as_bytes()).unwrap();
        let reply = who
            .send(
                who.request(method, &path(route.path))
                    .json(&serde_json::json!({})),
            )
            .await;
        assert_eq!(
            (reply.status, reply.code()),
            (403, "auth.forbidden"),
            "{} {}",
            route.method,
            route.path
        );
    }
}

/// Every call and every role: let in by exactly what the table and the role say, whatever stands in the body. Who is let in may be told
/// that the body is wrong or that there is no such thing.
#[actix_web::test]
async fn every_call_lets_in_exactly_the_roles_that_hold_its_permission() {
    let app = TestApp::start().await;
    let mut let_in = 0;
    for role in ROLES {
        let who = app.person(role, role).await;
        let names: Vec<String> =
            sqlx::query_scalar("SELECT unnest(permissions) FROM identity.role WHERE name = $1")
                .bind(role)
                .fetch_all(&app.sql)
                .await
                .unwrap();
        let held: Permissions = names.iter().map(|p| p.parse::<Permission>().unwrap()).collect();
        // What ends one's own session comes last.
        for route in ROUTES.iter().filter(|r| r.path != "/auth/logout") {
            let method = Method::from_bytes(route.method.as_bytes()).unwrap();
            let reply = who
                .send(
                    who.request(method, &path(route.path))
                        .json(&serde_json::json!({})),
                )
                .await;
            let expected = match route.access {
                Access::Public => continue,
                Access::SignedIn => true,
                Access::Permission(permission) => held.holds(permission),
            };
            let refused = reply.status == 401 || (reply.status, reply.code()) == (403, "auth.forbidden");
            assert_eq!(
                refused, !expected,
                "{role}: {} {}: {} {}",
                route.method, route.path, reply.status, reply.body
            );
            let_in += usize::from(expected);
        }
    }
    assert!(let_in > 300, "{let_in} calls let somebody in");
}

/// Everything that staff see ends with the account's activity; what is one's own, and the way out for one's money, stays.
#[actix_web::test]
async fn an_inactive_holder_of_all_permissions_is_a_registered_user_at_most() {
    let app = TestApp::start().await;
    let holder = app.admin("rui").await;
    sqlx::query("UPDATE identity.account SET status = 'inactive' WHERE id = $1")
        .bind(holder.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    let mut staff = 0;
    for route in ROUTES {
        let Access::Permission(permission) = route.access else {
            continue;
        };
        let own = permission == Permission::RegisteredUser;
        let open = own && (route.method == "GET" || route.inactive == Inactive::Allowed);
        staff += i32::from(!own);
        let method = Method::from_bytes(route.method.as_bytes()).unwrap();
        let reply = holder
            .send(
                holder
                    .request(method, &path(route.path))
                    .json(&serde_json::json!({})),
            )
            .await;
        let refused = (reply.status, reply.code()) == (403, "auth.inactive");
        assert_eq!(
            refused, !open,
            "{} {}: {} {}",
            route.method, route.path, reply.status, reply.body
        );
    }
    assert!(staff > 50, "the routes of staff are found");
    // Of other people's things that share a path with one's own, too.
    let other = app.user("ana").await;
    let deposits = format!("/finance/individual-crypto-deposits-list?userId={}", other.user);
    holder.get(&deposits).await.refused(403, "auth.forbidden");
    let me = holder.get("/me").await.ok();
    assert_eq!(
        me["user"]["roles"][0]["permissions"],
        serde_json::json!([{ "action": "read", "subject": "registered-user" }])
    );
}

#[actix_web::test]
async fn an_open_socket_of_staff_loses_the_queues_with_the_account() {
    let app = TestApp::start().await;
    let (admin, agent, ana) = (
        app.admin("rui").await,
        app.person("gil", SYSTEM_EMPLOYEE).await,
        app.user("ana").await,
    );
    let body = serde_json::json!({ "subject": "Oi", "description": "Oi", "category": "other" });
    let made = ana.post("/support/open-ticket", &body).await.ok();
    let ticket = format!("ticket:{}", made["ticket"]["_id"].as_str().unwrap());
    let streams = ["queue:tickets", "queue:settings", ticket.as_str()];
    let mut socket = Live::open(&app, &agent).await;
    for stream in streams {
        socket.subscribe(stream).await;
    }
    service::set_status(
        &app.context,
        &realtime::signals(&app.live),
        admin.user,
        agent.user,
        false,
        "saiu",
    )
    .await
    .unwrap();
    assert_eq!(socket.closed().await, 4003);
    let mut socket = Live::open(&app, &agent).await;
    for stream in streams {
        // Resuming asks as subscribing does.
        let resume = serde_json::json!({ "op": "subscribe", "stream": stream, "epoch": 1, "seq": 0 });
        socket.say(&resume).await;
        let answer = socket.next().await.unwrap();
        assert_eq!(answer, serde_json::json!({ "type": "denied", "stream": stream }));
    }
    socket.subscribe(&format!("user:{}", agent.user)).await;
}
