//! What strangers send, into every text of every call of the document: characters that cannot be stored, far too much, halves of
//! characters. Nothing of it is ever a fault of ours, and a refusal names the field.

use crate::kit::{
    ADMINISTRATOR, TestApp,
    document::{self, Operation},
};
use serde_json::{Value, json};

/// As it stands in a path or a query.
const NUL: &str = "a%00b";

fn query_of(operation: &Operation, name: &str, text: &str) -> String {
    let mut all: Vec<String> = operation
        .needed()
        .into_iter()
        .filter(|(other, _)| other != name)
        .map(|(other, value)| format!("{other}={value}"))
        .collect();
    all.push(format!("{name}={text}"));
    all.join("&")
}

fn with(body: &Value, pointer: &str, text: &str) -> String {
    let mut body = body.clone();
    *body.pointer_mut(pointer).unwrap() = json!(text);
    body.to_string()
}

#[actix_web::test]
async fn what_cannot_be_stored_is_refused_at_its_field_everywhere() {
    let app = TestApp::start().await;
    let root = app.person("raiz", ADMINISTRATOR).await;
    let mut wrong = Vec::new();
    for operation in document::operations() {
        let mut tries = Vec::new();
        for name in &operation.parts {
            let url = operation.url(|part| (part == name).then(|| NUL.to_owned()));
            tries.push((
                name.clone(),
                url,
                String::new(),
                operation.body.as_ref().map(Value::to_string),
            ));
        }
        let url = operation.url(|_| None);
        for parameter in &operation.query {
            let query = query_of(&operation, &parameter.name, NUL);
            tries.push((parameter.name.clone(), url.clone(), query, None));
        }
        for place in operation.texts() {
            let body = with(operation.body.as_ref().unwrap(), &place.pointer, "a\0b");
            tries.push((place.field, url.clone(), String::new(), Some(body)));
        }
        for (field, url, query, body) in tries {
            let reply = operation.send(&root, &url, &query, body).await;
            if reply.status != 422 || reply.body["errors"][&field].is_null() {
                wrong.push(format!(
                    "{} {} {field}: {} {}",
                    operation.method, operation.path, reply.status, reply.body
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them: {wrong:#?}", wrong.len());
}

#[actix_web::test]
async fn far_too_much_and_half_characters_are_never_our_fault() {
    let app = TestApp::start().await;
    let much = "9".repeat(100_000);
    let words = "x y ".repeat(25_000);
    let mut root = app.person("raiz", ADMINISTRATOR).await;
    let mut wrong = Vec::new();
    for operation in document::operations() {
        let url = operation.url(|_| None);
        let mut tries = Vec::new();
        for name in &operation.parts {
            for text in [&much[..40_000], "%ff%fe", "%ed%a0%80"] {
                tries.push((
                    operation.url(|part| (part == name).then(|| text.to_owned())),
                    String::new(),
                    None,
                ));
            }
        }
        for parameter in &operation.query {
            for text in [&much[..40_000], "%ff%fe", "%ed%a0%80", "%", ""] {
                tries.push((url.clone(), query_of(&operation, &parameter.name, text), None));
            }
        }
        for place in operation.texts() {
            let body = operation.body.as_ref().unwrap();
            for text in [&much, &words] {
                tries.push((url.clone(), String::new(), Some(with(body, &place.pointer, text))));
            }
            let half = with(body, &place.pointer, "HALF").replace("HALF", r"\ud800");
            tries.push((url.clone(), String::new(), Some(half)));
        }
        for (url, query, body) in tries {
            let half = body.as_deref().is_some_and(|body| body.contains(r"\ud800"));
            let reply = operation.send(&root, &url, &query, body).await;
            let ours = reply.status >= 500 && reply.code() != "chain.unavailable";
            if ours || half && reply.status < 400 {
                wrong.push(format!(
                    "{} {}: {} {}",
                    operation.method, operation.path, reply.status, reply.body
                ));
            }
        }
        // Some calls end the session or change who calls.
        if root.get("/me").await.status != 200 {
            root = app
                .person(
                    &format!("raiz{}", wrong.len() + operation.path.len()),
                    ADMINISTRATOR,
                )
                .await;
        }
    }
    assert!(wrong.is_empty(), "{} of them: {wrong:#?}", wrong.len());
}

#[actix_web::test]
async fn a_day_that_no_book_holds_is_refused_at_its_field_everywhere() {
    let app = TestApp::start().await;
    let root = app.person("raiz", ADMINISTRATOR).await;
    let mut wrong = Vec::new();
    let mut seen = 0;
    for operation in document::operations() {
        let url = operation.url(|_| None);
        for name in ["startDate", "endDate"]
            .into_iter()
            .filter(|name| operation.takes(name))
        {
            for day in ["-9999-01-01", "0001-01-01", "%2B99999-01-01", "9999-12-31"] {
                seen += 1;
                let reply = operation
                    .send(&root, &url, &query_of(&operation, name, day), None)
                    .await;
                if reply.status != 422 || reply.body["errors"][name].is_null() {
                    wrong.push(format!(
                        "{} {name}={day}: {} {}",
                        operation.path, reply.status, reply.body
                    ));
                }
            }
        }
    }
    assert!(seen > 100, "no list takes days any more");
    assert!(wrong.is_empty(), "{} of them: {wrong:#?}", wrong.len());
}

#[actix_web::test]
async fn a_body_that_does_not_fit_is_refused_at_its_field_everywhere() {
    let app = TestApp::start().await;
    let root = app.person("raiz", ADMINISTRATOR).await;
    let mut wrong = Vec::new();
    for operation in document::operations() {
        let Some(Value::Object(fields)) = &operation.body else {
            continue;
        };
        let url = operation.url(|_| None);
        let mut tries = vec![("naoExiste".to_owned(), json!("x"))];
        tries.extend(
            fields
                .keys()
                .map(|name| (name.clone(), json!({ "of": ["another", "kind"] }))),
        );
        for (field, value) in tries {
            let mut body = fields.clone();
            body.insert(field.clone(), value);
            let body = Some(Value::Object(body).to_string());
            let reply = operation.send(&root, &url, "", body).await;
            let named = reply.body["errors"].as_object().is_some_and(|errors| {
                errors
                    .keys()
                    .any(|name| name == &field || name.starts_with(&format!("{field}.")))
            });
            if reply.status != 422 || !named {
                wrong.push(format!(
                    "{} {} {field}: {} {}",
                    operation.method, operation.path, reply.status, reply.body
                ));
            }
        }
        // The right values without their names are no body.
        let values = Value::Array(fields.values().cloned().collect()).to_string();
        let reply = operation.send(&root, &url, "", Some(values)).await;
        if reply.status != 422 || reply.body["errors"]["body"].is_null() {
            wrong.push(format!(
                "{} {} as a list: {} {}",
                operation.method, operation.path, reply.status, reply.body
            ));
        }
        // Whatever is missing first is named.
        let reply = operation.send(&root, &url, "", Some("{}".into())).await;
        if reply.status == 422 && reply.code() == "request.invalid" && reply.body["errors"].is_null() {
            wrong.push(format!(
                "{} {} without anything: {}",
                operation.method, operation.path, reply.body
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of them: {wrong:#?}", wrong.len());
}
