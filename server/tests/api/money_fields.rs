//! Every money field of every request, found in the OpenAPI document: whatever is typed there, the answer is no failure of the server,
//! and what sums it up afterwards still answers.

use crate::{
    chain::payout::Payout,
    kit::{Client, TestApp},
    licences::{buy, fund, id},
    pix::{self, png},
    presale,
};
use protocol::Permission;
use reqwest::{Method, multipart};
use serde_json::{Map, Value, json};
use server::{app::api, identity::gate::Access, ledger::model::UserAccount, routes::ROUTES};
use std::collections::HashMap;
use time::Duration;

const POOL_90: &str = "0190b000-0000-7000-8000-000000000001";
const PLAN_100: &str = "0190a000-0000-7000-8000-000000010002";

/// What nobody means: the greatest amount of each scale and one more, less than nothing, nothing, more decimals than there are.
const HOSTILE: [&str; 11] = [
    "9223372036854.775807",
    "9223372036854.775808",
    "92233720368547758.07",
    "9223372036854775807",
    "-9223372036854.775808",
    "-1",
    "0",
    "0.0000000000000000001",
    "1.00000000000000000000000000000000000001",
    "99999999999999999999999999999999999999999999999999999999999999999999999999999",
    "",
];

/// Words by which money is called in requests; one of these that is not marked as an amount would not be tried.
const WORDS: [&str; 13] = [
    "value",
    "price",
    "quantity",
    "amount",
    "brl",
    "usdt",
    "pyx",
    "supply",
    "cap",
    "minimum",
    "maximum",
    "maximumLoss",
    "licenseValue",
];
/// What is called so and is text: an amount with its coin, as a code binds it; coins in their smallest units, only compared with what goes out.
const TEXTS: [&str; 2] = ["CodeBody.amount", "WithdrawalDecision.amount"];

/// The document, read as a client's generator would.
struct Document(Value);

impl Document {
    fn read() -> Self {
        Self(serde_json::to_value(api::document()).unwrap())
    }

    /// A schema behind its references, and the name of the last one.
    fn resolve<'a>(&'a self, schema: &'a Value) -> (&'a Value, Option<&'a str>) {
        if let Some(path) = schema["$ref"].as_str() {
            let name = path.rsplit('/').next().unwrap();
            return (self.resolve(&self.0["components"]["schemas"][name]).0, Some(name));
        }
        for word in ["oneOf", "anyOf", "allOf"] {
            let one = schema[word].as_array().into_iter().flatten();
            if let Some(meant) = one.clone().find(|s| s["type"] != "null")
                && one.clone().filter(|s| s["type"] != "null").count() == 1
            {
                return self.resolve(meant);
            }
        }
        (schema, None)
    }

    fn is_money(&self, schema: &Value) -> bool {
        self.resolve(schema).0["format"] == "amount"
    }

    fn words(&self, schema: &Value) -> Vec<Value> {
        let (found, _) = self.resolve(schema);
        found["enum"].as_array().cloned().unwrap_or_default()
    }

    /// Properties by name, of all parts of a schema.
    fn properties<'a>(&'a self, schema: &'a Value) -> Map<String, Value> {
        let (found, _) = self.resolve(schema);
        let mut all = found["properties"].as_object().cloned().unwrap_or_default();
        for part in found["allOf"].as_array().into_iter().flatten() {
            all.extend(self.properties(part));
        }
        all
    }

    fn required(&self, schema: &Value) -> Vec<String> {
        let (found, _) = self.resolve(schema);
        let mut all: Vec<String> = found["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect();
        for part in found["allOf"].as_array().into_iter().flatten() {
            all.extend(self.required(part));
        }
        all
    }
}

/// Other machines that are not there in this test; refusing for their sake is no failure.
const ELSEWHERE: [&str; 2] = ["chain.unavailable", "rate.unavailable"];

/// What plausible requests speak of.
struct World {
    payout: Payout,
    ana: Client,
    bia: Client,
    root: Client,
    licence: String,
    deposit: String,
    round: String,
}

impl World {
    async fn begin() -> Self {
        let payout = Payout::open().await;
        let app = &payout.desk.app;
        let (ana, bia, root) = (
            app.user("ana").await,
            app.user("bia").await,
            app.admin("root").await,
        );
        fund(app, &ana, UserAccount::Available, 2_000).await;
        fund(app, &ana, UserAccount::Bonus, 50).await;
        let licence = id(&buy(&ana, PLAN_100).await);
        let topup = json!({ "licence": licence, "value": "100" });
        ana.post("/licences/topup", &topup).await.ok();
        ana.post(
            "/trader/allocate-value-in-trading",
            &json!({ "licence": licence, "value": "50" }),
        )
        .await
        .ok();
        let deposit = pix::id(&pix::with_proof(&ana, "100", 1).await);
        let round = presale::round(app, &presale::terms(app)).await;
        Self {
            payout,
            ana,
            bia,
            root,
            licence,
            deposit,
            round,
        }
    }

    fn app(&self) -> &TestApp {
        &self.payout.desk.app
    }

    /// Who may make a call.
    fn caller(&self, path: &str) -> &Client {
        if path.starts_with("/admin/") {
            &self.root
        } else {
            &self.ana
        }
    }

    /// A value that a field could have.
    fn plausible(&self, document: &Document, name: &str, schema: &Value) -> Value {
        let (found, reference) = document.resolve(schema);
        let now = self.app().context.now();
        let day = (now - Duration::days(2)).date().to_string();
        match (reference, name) {
            (Some("UserId"), _) => json!(self.bia.user),
            (Some("LicenceId"), _) => json!(self.licence),
            (Some("PoolId"), _) => json!(POOL_90),
            (Some("PlanId"), _) => json!(PLAN_100),
            (Some("PixDepositId"), _) => json!(self.deposit),
            (Some("PresaleRoundId"), _) => json!(self.round),
            (_, "receiver") => json!("bia"),
            (_, "key") => json!("ana@example.com"),
            (_, "address") => json!("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"),
            (_, "endToEndId") => json!(pix::end_to_end(now, "7")),
            (_, "fromDay" | "toDay") => json!(day),
            (_, "startsAt") => json!(presale::at(self.app(), Duration::days(2))),
            (_, "endsAt") => json!(presale::at(self.app(), Duration::days(9))),
            _ if found["format"] == "amount" => json!("10"),
            _ if found["format"] == "uuid" => json!(uuid::Uuid::now_v7()),
            _ if found["enum"].is_array() => found["enum"][0].clone(),
            _ => match found["type"].as_str().or_else(|| found["type"][0].as_str()) {
                Some("boolean") => json!(true),
                Some("integer") => json!(1),
                Some("object") => json!({}),
                Some("array") => json!([]),
                _ => json!("Com motivo"),
            },
        }
    }

    /// A path with what it names.
    fn path(&self, template: &str) -> String {
        let named = template.contains("/presale/rounds/");
        let parts = template.split('/').map(|part| match part {
            "{id}" if template.contains("/pools/") => POOL_90.to_owned(),
            "{id}" if named => self.round.clone(),
            "{licence}" => self.licence.clone(),
            "{kind}" => "license".to_owned(),
            _ if part.starts_with('{') => uuid::Uuid::now_v7().to_string(),
            _ => part.to_owned(),
        });
        parts.collect::<Vec<_>>().join("/")
    }
}

/// Fields that a request needs although the document does not: an approval without them is refused before its amount is read.
const NEEDED: [&str; 4] = ["endToEndId", "payerName", "riskAccepted", "file"];

/// Bodies of one schema that differ in each of their closed words.
fn bodies(world: &World, document: &Document, schema: &Value) -> Vec<Map<String, Value>> {
    let properties = document.properties(schema);
    let required = document.required(schema);
    let base: Map<String, Value> = properties
        .iter()
        .filter(|(name, _)| required.contains(name) || NEEDED.contains(&name.as_str()))
        .map(|(name, of)| (name.clone(), world.plausible(document, name, of)))
        .collect();
    let mut all = vec![base.clone()];
    for (name, of) in &properties {
        for word in document.words(of) {
            let mut other = base.clone();
            other.insert(name.clone(), word);
            all.push(other);
        }
    }
    all.dedup();
    all
}

fn form(body: &Map<String, Value>) -> multipart::Form {
    body.iter().fold(multipart::Form::new(), |form, (name, value)| {
        match name.as_str() {
            "file" => form.part(
                "file",
                multipart::Part::bytes(png(9))
                    .file_name("proof.png")
                    .mime_str("image/png")
                    .unwrap(),
            ),
            _ => form.text(name.clone(), value.as_str().unwrap_or_default().to_owned()),
        }
    })
}

/// Operations of the document: path without its prefix, method, the operation.
fn operations(document: &Document) -> Vec<(String, Method, Value)> {
    let mut all = Vec::new();
    for (path, methods) in document.0["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            if let Ok(method) = Method::from_bytes(method.to_uppercase().as_bytes())
                && operation.is_object()
            {
                let path = path.strip_prefix("/api").unwrap().to_owned();
                all.push((path, method, operation.clone()));
            }
        }
    }
    all
}

/// Fields that were tried, and answers that must not be.
#[derive(Default)]
struct Tried {
    fields: Vec<String>,
    wrong: Vec<String>,
    accepted: HashMap<String, u32>,
}

impl Tried {
    fn note(&mut self, field: &str, value: &str, reply: &crate::kit::Reply) {
        if reply.status >= 500 && !ELSEWHERE.contains(&reply.code()) {
            self.wrong
                .push(format!("{field} {value:?}: {} {}", reply.status, reply.body));
        }
        if (200..300).contains(&reply.status) {
            *self.accepted.entry(format!("{field} {value}")).or_default() += 1;
        }
    }
}

async fn try_bodies(world: &World, document: &Document, tried: &mut Tried) {
    for (path, method, operation) in operations(document) {
        let Some(content) = operation["requestBody"]["content"].as_object() else {
            continue;
        };
        for (mime, part) in content {
            let schema = &part["schema"];
            let properties = document.properties(schema);
            for (name, _) in properties.iter().filter(|(_, of)| document.is_money(of)) {
                let field = format!("{method} {path} {name}");
                for body in bodies(world, document, schema) {
                    for value in HOSTILE {
                        let mut body = body.clone();
                        body.insert(name.clone(), json!(value));
                        let caller = world.caller(&path);
                        let request = caller.request(method.clone(), &world.path(&path));
                        let reply = if mime == "multipart/form-data" {
                            caller.send(request.multipart(form(&body))).await
                        } else {
                            caller.send(request.json(&body)).await
                        };
                        tried.note(&field, value, &reply);
                    }
                }
                tried.fields.push(field);
            }
        }
    }
}

/// Amounts behind a `?` and inside a path.
async fn try_addresses(world: &World, document: &Document, tried: &mut Tried) {
    for (path, method, operation) in operations(document) {
        let parameters: Vec<Value> = operation["parameters"].as_array().cloned().unwrap_or_default();
        for parameter in &parameters {
            let name = parameter["name"].as_str().unwrap();
            let in_path = parameter["in"] == "path" && name == "value";
            if !(in_path || parameter["in"] == "query" && document.is_money(&parameter["schema"])) {
                continue;
            }
            let field = format!("{method} {path} {name}");
            for value in HOSTILE {
                let caller = world.caller(&path);
                let address = world.path(&path.replace("{value}", if in_path { value } else { "10" }));
                let mut asked: Vec<(String, String)> = parameters
                    .iter()
                    .filter(|p| p["in"] == "query" && p["required"] == true)
                    .map(|p| {
                        let name = p["name"].as_str().unwrap();
                        let value = world.plausible(document, name, &p["schema"]);
                        (
                            name.to_owned(),
                            value.as_str().map_or_else(|| value.to_string(), str::to_owned),
                        )
                    })
                    .filter(|(other, _)| other != name)
                    .collect();
                if path == "/admin/approvals/preview" {
                    asked = vec![("kind".into(), "sponsorship".into())];
                }
                if !in_path {
                    asked.push((name.to_owned(), value.to_owned()));
                }
                let reply = caller
                    .send(caller.request(method.clone(), &address).query(&asked))
                    .await;
                tried.note(&field, value, &reply);
            }
            tried.fields.push(field);
        }
    }
}

/// Settings and plans are maps of texts: their amounts are those that the lists call so.
async fn try_rules(world: &World, tried: &mut Tried) {
    let settings = world.root.get("/admin/settings").await.ok();
    let keys: Vec<String> = settings["settings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line["kind"] == "usdt")
        .map(|line| line["key"].as_str().unwrap().to_owned())
        .collect();
    assert!(keys.len() > 10, "{settings}");
    let revision = settings["revision"].clone();
    for value in HOSTILE {
        for key in &keys {
            let body = json!({ "revision": revision, "changes": { key: value }, "reason": "Com motivo" });
            for path in ["/admin/settings/preview", "/admin/settings"] {
                let body = if path.ends_with("preview") {
                    json!({ "changes": { key: value } })
                } else {
                    body.clone()
                };
                let reply = world.root.post(path, &body).await;
                tried.note(&format!("{path} {key}"), value, &reply);
            }
        }
        let body = json!({ "revision": revision, "changes": { "value": value }, "reason": "Com motivo" });
        let reply = world.root.post("/admin/plans", &body).await;
        tried.note("/admin/plans value", value, &reply);
    }
}

/// Every list and every sum that a caller can read.
async fn sweep(world: &World, tried: &mut Tried) {
    let customer = |path: &str| !path.starts_with("/admin/");
    for route in ROUTES
        .iter()
        .filter(|r| r.method == "GET" && !r.path.contains('{'))
    {
        let Access::Permission(permission) = route.access else {
            continue;
        };
        if route.path == "/ws" {
            continue;
        }
        let callers: &[&Client] = if customer(route.path) && permission == Permission::RegisteredUser {
            &[&world.ana, &world.bia]
        } else {
            &[&world.root]
        };
        for caller in callers {
            tried.note(route.path, "afterwards", &caller.get(route.path).await);
        }
    }
}

#[actix_web::test]
async fn whatever_is_typed_as_money_nothing_fails_and_all_sums_still_answer() {
    let world = World::begin().await;
    let document = Document::read();
    let mut tried = Tried::default();
    try_bodies(&world, &document, &mut tried).await;
    try_addresses(&world, &document, &mut tried).await;
    try_rules(&world, &mut tried).await;
    sweep(&world, &mut tried).await;
    let (ana, root) = (&world.ana, &world.root);
    for path in [
        "/admin/balance-manager".to_owned(),
        "/admin/balance-manager/requests".to_owned(),
        "/admin/list-deposits-pix-approve-reject".to_owned(),
        "/admin/list-withdraw-pix-approve-reject".to_owned(),
        "/admin/crypto-withdrawal-list".to_owned(),
        "/admin/all-crypto-deposits-list".to_owned(),
        "/admin/transfers-reports".to_owned(),
        "/admin/pools".to_owned(),
        "/admin/pools/revenue".to_owned(),
        "/admin/presale/rounds".to_owned(),
        "/admin/solvency".to_owned(),
        format!("/admin/user-financial-summary/{}", ana.user),
    ] {
        let reply = root.get(&path).await;
        assert_eq!(reply.status, 200, "{path} {}", reply.body);
    }
    assert!(tried.wrong.is_empty(), "{:#?}", tried.wrong);
    assert!(tried.fields.len() >= 37, "{:#?}", tried.fields);
    // An ordinary order goes on, of the same approver and for the same customer.
    let order = json!({ "userId": world.bia.user, "operation": "add", "value": "10", "reason": "Campanha" });
    root.post("/admin/balance-manager/add-remove-balance", &order)
        .await
        .ok();
    // Nobody was given what nobody has.
    for what in tried.accepted.keys() {
        let of_staff = what.starts_with("POST /admin") || what.starts_with("PATCH /admin");
        assert!(
            !of_staff || what.ends_with(" 0") || what.ends_with(' '),
            "{what} was taken"
        );
    }
    crate::licences::exact(world.app()).await;
}

#[test]
fn what_is_called_like_money_is_marked_as_an_amount() {
    let document = Document::read();
    let mut unmarked = Vec::new();
    for (path, method, operation) in operations(&document) {
        for part in operation["requestBody"]["content"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(_, p)| p)
        {
            let schema = &part["schema"];
            let name = document.resolve(schema).1.unwrap_or_default();
            for (property, of) in document.properties(schema) {
                let meant = WORDS.contains(&property.as_str())
                    && !TEXTS.contains(&format!("{name}.{property}").as_str());
                if meant && !document.is_money(&of) {
                    unmarked.push(format!("{method} {path} {name}.{property}"));
                }
            }
        }
    }
    assert!(unmarked.is_empty(), "{unmarked:#?}");
}

#[actix_web::test]
async fn an_amount_of_staff_has_a_maximum_which_the_refusal_says() {
    let app = TestApp::start().await;
    let (ana, root) = (app.user("ana").await, app.admin("root").await);
    let order =
        |value: &str| json!({ "userId": ana.user, "operation": "add", "value": value, "reason": "Campanha" });
    let path = "/admin/balance-manager/add-remove-balance";
    for value in ["10000000.000001", "9223372036854.775807"] {
        let reply = root.post(path, &order(value)).await;
        reply.refused(422, "amount.too_large");
        assert_eq!(reply.body["params"]["maximum"], "10000000 USDT");
        assert_eq!(
            reply.body["errors"]["value"][0],
            "O valor máximo é 10000000 USDT."
        );
    }
    root.post(path, &order("10000000")).await.ok();
    let declared = |value: &str| json!({ "place": "Kraken", "value": value, "note": "Extrato" });
    let path = "/admin/declared-holdings";
    root.post(path, &declared("1000000000.000001"))
        .await
        .refused(422, "amount.too_large");
    root.post(path, &declared("1000000000")).await.ok();
    let pool = |value: &str| json!({ "name": "Outro", "termDays": 30, "minimum": value });
    root.post("/admin/pools", &pool("10000000.000001"))
        .await
        .refused(422, "amount.too_large");
    let deposit = pix::with_proof(&ana, "100", 1).await;
    let body = json!({
        "id": deposit["_id"], "status": "approved", "endToEndId": pix::end_to_end(app.context.now(), "1"),
        "payerName": "Ana de Teste", "brl": "10000000.01",
    });
    let reply = root.patch("/admin/deposits-pix-approve-reject", &body).await;
    reply.refused(422, "amount.too_large");
    assert_eq!(reply.body["params"]["maximum"], "10000000 BRL");
}

#[actix_web::test]
async fn an_order_from_before_the_maximum_freezes_nobody_and_a_rejected_one_does_not_count() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let (root, second) = (app.admin("root").await, app.admin("second").await);
    let path = "/admin/balance-manager/add-remove-balance";
    let order = |user: &Client, value: &str| json!({ "userId": user.user, "operation": "add", "value": value, "reason": "Campanha" });
    let ordered = root.post(path, &order(&ana, "9000000")).await.ok();
    // Two of them, as large as the books could say.
    sqlx::query("ALTER TABLE approvals.decision DISABLE TRIGGER USER")
        .execute(&app.sql)
        .await
        .unwrap();
    for _ in 0..2 {
        sqlx::query(
            "INSERT INTO approvals.decision (id, kind, subject, customer, digest, usdt, decided_by, verdict, position, needed, at)
             SELECT gen_random_uuid(), kind, gen_random_uuid(), customer, digest, 9223372036854775807, decided_by, verdict, position, needed, at
             FROM approvals.decision WHERE usdt = 9000000000000",
        )
        .execute(&app.sql)
        .await
        .unwrap();
    }
    // The approver and the customer go on, with a second person.
    for user in [&ana, &bia] {
        let small = root.post(path, &order(user, "1")).await.ok();
        assert_eq!(small["approvalsNeeded"], 2, "{small}");
    }
    let other = second.post(path, &order(&ana, "1")).await.ok();
    assert_eq!(other["approvalsNeeded"], 2);
    // Another approver for another customer: nothing of it counts.
    let apart = second.post(path, &order(&bia, "1")).await.ok();
    assert_eq!(
        (&apart["approvalsNeeded"], &apart["status"]),
        (&json!(1), &json!("complete"))
    );
    // What is rejected has moved nothing.
    sqlx::query("DELETE FROM approvals.decision WHERE usdt = 9223372036854775807")
        .execute(&app.sql)
        .await
        .unwrap();
    let decision = json!({ "id": ordered["_id"], "approve": false, "reason": "Engano" });
    second
        .patch("/admin/balance-manager/approve-reject", &decision)
        .await
        .ok();
    let small = root.post(path, &order(&ana, "1")).await.ok();
    assert_eq!(
        (&small["approvalsNeeded"], &small["status"]),
        (&json!(1), &json!("complete"))
    );
}
