//! Every list of the document and every parameter that the product's specification gives to lists: it works, or it is refused by name.

use crate::kit::{
    TestApp,
    document::{self, Operation},
};
use reqwest::Method;
use serde_json::Value;
use time::{Duration, format_description::well_known::Rfc3339};

/// All that lists are ever asked for.
const PARAMETERS: &[&str] = &[
    "page",
    "limit",
    "asOf",
    "sortby",
    "sortdirection",
    "search",
    "status",
    "function",
    "startDate",
    "endDate",
    "selectedProduct",
    "selectedMethod",
    "coin",
    "kind",
    "mode",
    "category",
    "actor",
    "subject",
    "action",
    "isActive",
    "isBonusPaid",
    "bonusType",
    "level",
    "affiliateId",
    "format",
    "naoExiste",
];

/// Of these a list takes words of a closed set, or what has one form only.
const CLOSED: &[&str] = &[
    "page",
    "limit",
    "asOf",
    "sortby",
    "sortdirection",
    "status",
    "function",
    "startDate",
    "endDate",
    "selectedProduct",
    "selectedMethod",
    "coin",
    "kind",
    "mode",
    "category",
    "action",
    "isActive",
    "isBonusPaid",
    "bonusType",
    "level",
    "format",
];

fn lists() -> Vec<Operation> {
    let all: Vec<Operation> = document::operations()
        .into_iter()
        .filter(|o| o.method == Method::GET && o.is_list())
        .collect();
    assert!(all.len() > 20, "the document has lost its lists");
    all
}

#[actix_web::test]
async fn a_parameter_works_or_is_refused_by_name() {
    let app = TestApp::start().await;
    let root = app.admin("root").await;
    let mut wrong = Vec::new();
    for list in lists() {
        for name in PARAMETERS {
            if list.takes(name) && !CLOSED.contains(name) {
                continue;
            }
            let reply = list
                .send(&root, &list.url(|_| None), &format!("{name}=nonsense"), None)
                .await;
            if reply.status != 422 || reply.body["errors"][name].is_null() {
                wrong.push(format!("{} {name}: {} {}", list.path, reply.status, reply.body));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them: {wrong:#?}", wrong.len());
}

#[actix_web::test]
async fn the_defaults_of_every_list_are_taken_by_every_list() {
    let app = TestApp::start().await;
    let root = app.admin("root").await;
    for list in lists() {
        let mut query = "page=1&limit=10".to_owned();
        // Leaders have an order of their own.
        if list.takes("sortby") && list.path != "/trader/leaders" {
            query.push_str("&sortby=created_at&sortdirection=desc");
        }
        let reply = list.send(&root, &list.url(|_| None), &query, None).await;
        assert!(
            matches!(reply.status, 200 | 404),
            "{}: {} {}",
            list.path,
            reply.status,
            reply.body
        );
        if reply.status == 200 {
            assert!(reply.body["data"].is_array(), "{}: {}", list.path, reply.body);
        }
    }
}

/// Ten rows, but where the product's specification says otherwise.
#[actix_web::test]
async fn whoever_names_no_limit_gets_the_products() {
    let app = TestApp::start().await;
    let root = app.admin("root").await;
    let mut seen = 0;
    for list in lists().into_iter().filter(|list| list.takes("limit")) {
        let reply = list.send(&root, &list.url(|_| None), "", None).await;
        if reply.status == 404 {
            continue;
        }
        let limit = match list.path.as_str() {
            "/admin/balance-manager" | "/admin/crypto-withdrawal-list" | "/support/list-tickets-all/" => 100,
            "/affiliates/reference-list" => 50,
            _ => 10,
        };
        assert_eq!(reply.status, 200, "{}: {}", list.path, reply.body);
        assert_eq!(reply.body["meta"]["limit"], limit, "{}", list.path);
        assert_eq!(list.default_of("limit"), limit, "{}: as documented", list.path);
        seen += 1;
    }
    assert!(seen > 20, "{seen} lists");
}

/// What the document says that is asked for when nothing is, is what is asked for.
#[actix_web::test]
async fn asking_for_the_documented_defaults_is_asking_for_nothing() {
    let app = TestApp::start().await;
    let root = app.admin("root").await;
    let mut seen = 0;
    for list in lists() {
        let query: Vec<String> = ["page", "limit", "sortby", "sortdirection"]
            .into_iter()
            .filter(|name| list.takes(name))
            .map(|name| match list.default_of(name) {
                Value::String(word) => format!("{name}={word}"),
                Value::Number(number) => format!("{name}={number}"),
                other => panic!("{} {name}: its default is {other}", list.path),
            })
            .collect();
        let url = list.url(|_| None);
        let plain = list.send(&root, &url, "", None).await;
        let spelled = list.send(&root, &url, &query.join("&"), None).await;
        assert_eq!(plain.status, spelled.status, "{} {query:?}", list.path);
        assert_eq!(
            plain.body["data"], spelled.body["data"],
            "{} {query:?}",
            list.path
        );
        seen += 1;
    }
    assert!(seen > 20, "{seen} lists");
}

/// What is searched for is taken whole or refused, and never cut to words that find others.
#[actix_web::test]
async fn a_search_is_taken_whole_or_refused() {
    let app = TestApp::start().await;
    let root = app.admin("root").await;
    let mut seen = 0;
    for list in lists().into_iter().filter(|list| list.takes("search")) {
        for (letters, refused) in [(100, false), (101, true)] {
            let search = format!("search={}", "a".repeat(letters));
            let reply = list.send(&root, &list.url(|_| None), &search, None).await;
            assert_eq!(
                reply.status == 422 && reply.body["errors"]["search"].is_array(),
                refused,
                "{} {letters}: {} {}",
                list.path,
                reply.status,
                reply.body
            );
        }
        seen += 1;
    }
    assert!(seen >= 14, "{seen} lists are searched");
}

/// Whoever asks with a moment sees what was there then, and is told the same moment.
#[actix_web::test]
async fn a_list_that_grows_is_shown_as_it_was() {
    let app = TestApp::start().await;
    let root = app.admin("root").await;
    let (before, mut seen) = ("2020-01-01T00:00:00Z", 0);
    for list in lists().into_iter().filter(|list| list.takes("asOf")) {
        let reply = list
            .send(&root, &list.url(|_| None), &format!("asOf={before}"), None)
            .await;
        if reply.status == 404 {
            continue;
        }
        assert_eq!(reply.status, 200, "{}: {}", list.path, reply.body);
        let meta = &reply.body["meta"];
        assert_eq!(
            (&meta["total"], &meta["asOf"]),
            (&0.into(), &before.into()),
            "{}",
            list.path
        );
        seen += 1;
        // Of a moment to come nothing can be said, but for clocks that differ.
        for (ahead, status) in [(Duration::SECOND, 200), (Duration::hours(2), 422)] {
            let moment = (app.context.now() + ahead).format(&Rfc3339).unwrap();
            let reply = list
                .send(&root, &list.url(|_| None), &format!("asOf={moment}"), None)
                .await;
            assert_eq!(reply.status, status, "{} {moment}: {}", list.path, reply.body);
        }
    }
    assert!(seen >= 18, "{seen} lists grow");
}
