//! Every route refuses strangers, and those who lack its permission; the table itself is the list of cases.

use crate::kit::{CUSTOMER, TestApp};
use protocol::Permission;
use reqwest::Method;
use server::{identity::gate::Access, routes::ROUTES};

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
