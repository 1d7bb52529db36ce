//! Every call of the document, by everybody and with bodies that fit and that do not: it answers only with what the document says, by
//! its status and by the type of its content.

use crate::kit::{
    ADMINISTRATOR, CUSTOMER, Client, Reply, TestApp,
    document::{self, Operation},
};
use serde_json::{Value, json};

/// What is sent: the body as text with its type; a call without a body is only asked.
fn bodies(operation: &Operation) -> Vec<Option<(String, &'static str)>> {
    const JSON: &str = "application/json";
    let Some(body) = &operation.body else {
        // A form that is none.
        let form = operation.uploads.then(|| Some(("{}".to_owned(), JSON)));
        return std::iter::once(None).chain(form).collect();
    };
    let mut strange = body.clone();
    if let Some(fields) = strange.as_object_mut() {
        fields.insert("naoExiste".to_owned(), json!(1));
    }
    let other_types = match body {
        Value::Object(fields) => {
            let all = fields.keys().map(|name| (name.clone(), json!([{}])));
            Value::Object(all.collect())
        }
        _ => json!({}),
    };
    vec![
        Some((body.to_string(), JSON)),
        Some((strange.to_string(), JSON)),
        Some((other_types.to_string(), JSON)),
        Some(("{}".to_owned(), JSON)),
        Some(("[]".to_owned(), JSON)),
        Some(("{".to_owned(), JSON)),
        Some((body.to_string(), "text/plain")),
        None,
    ]
}

/// What stands after the `?`: what the call cannot do without, and its file where it has one.
fn queries(operation: &Operation) -> Vec<String> {
    let needed: Vec<String> = operation
        .needed()
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let mut all = vec![needed.join("&")];
    if operation.takes("format") {
        let file = needed.into_iter().chain(["format=csv".to_owned()]);
        all.push(file.collect::<Vec<_>>().join("&"));
    }
    all
}

async fn send(operation: &Operation, who: &Client, query: &str, body: Option<&(String, &str)>) -> Reply {
    let mut url = operation.url(|_| None);
    if !query.is_empty() {
        url = format!("{url}?{query}");
    }
    let mut request = who.request(operation.method.clone(), &url);
    if let Some((body, mime)) = body {
        request = request.header("Content-Type", *mime).body(body.clone());
    }
    who.send(request).await
}

/// Somebody of the role who is signed in still: some calls end a session, or the account.
async fn standing(app: &TestApp, who: Client, role: &str, times: &mut u32) -> Client {
    if who.get("/me").await.status == 200 {
        return who;
    }
    *times += 1;
    app.person(&format!("{role}{times}"), role).await
}

#[actix_web::test]
async fn nothing_is_answered_that_the_document_does_not_say() {
    let app = TestApp::start().await;
    // What leads elsewhere is an answer, too.
    let http = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let staying = |client: Client| Client {
        http: http.clone(),
        ..client
    };
    let stranger = staying(app.anonymous());
    let mut times = 0;
    let mut customer = staying(app.person("cliente", CUSTOMER).await);
    let mut root = staying(app.person("raiz", ADMINISTRATOR).await);
    let mut wrong = Vec::new();
    let (mut seen, mut done) = (0, 0);
    for operation in document::operations() {
        // A handshake: the socket's own tests make it.
        if operation.path == "/ws" {
            continue;
        }
        for query in queries(&operation) {
            for body in bodies(&operation) {
                for who in [&stranger, &customer, &root] {
                    let reply = send(&operation, who, &query, body.as_ref()).await;
                    seen += 1;
                    done += u32::from(reply.status < 300);
                    if let Some(what) = operation.undocumented(&reply) {
                        wrong.push(format!(
                            "{} {}?{query} {body:?}: {what}: {}",
                            operation.method, operation.path, reply.body
                        ));
                    }
                }
            }
        }
        customer = staying(standing(&app, customer, CUSTOMER, &mut times).await);
        root = staying(standing(&app, root, ADMINISTRATOR, &mut times).await);
    }
    assert!(wrong.is_empty(), "{} of them: {wrong:#?}", wrong.len());
    // Not only refusals are looked at.
    assert!(seen > 2_000 && done > 100, "{seen} calls, {done} done");
}

/// The test above is able to fail.
#[actix_web::test]
async fn what_a_document_does_not_say_is_found() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let me = document::operations()
        .into_iter()
        .find(|operation| operation.path == "/me" && operation.method == "GET")
        .unwrap();
    let reply = ana.get("/me").await;
    assert_eq!(me.undocumented(&reply), None);
    let other = |status: u16, mime: &'static str, body: Value| {
        let mut headers = reply.headers.clone();
        headers.insert("content-type", mime.parse().unwrap());
        let (method, path) = (reply.method.clone(), reply.path.clone());
        Reply {
            method,
            path,
            status,
            body,
            headers,
        }
    };
    let json = "application/json";
    for (told, known) in [
        (other(201, json, json!({})), false),
        (other(200, "text/html", json!("<p>")), false),
        (other(200, json, json!("")), false),
        (other(418, json, json!({ "code": "x" })), true),
        (other(418, "text/plain", json!("x")), false),
    ] {
        assert_eq!(me.undocumented(&told).is_none(), known, "{told:?}");
    }
}
