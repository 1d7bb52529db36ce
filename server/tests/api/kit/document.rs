//! A walk over every call of the OpenAPI document: what it takes in path, query and body, with values that fit.

use crate::kit::{Client, Reply};
use reqwest::Method;
use serde_json::{Value, json};
use server::app::api;

/// An id of nothing.
pub const NO_ID: &str = "0190a000-0000-7000-8000-00000000abcd";

/// One call of the document.
pub struct Operation {
    pub method: Method,
    /// Template, below `/api`.
    pub path: String,
    /// Names in the path.
    pub parts: Vec<String>,
    pub query: Vec<Parameter>,
    /// A body that fits the schema; none where the call takes no JSON.
    pub body: Option<Value>,
    /// It is done once under an `Idempotency-Key`.
    pub keyed: bool,
    /// Its body is a form with a file.
    pub uploads: bool,
    /// What it may be answered with: a status, or `default` for every other refusal, and the types of its content.
    answers: Vec<(String, Vec<String>)>,
}

pub struct Parameter {
    pub name: String,
    pub schema: Value,
    pub required: bool,
}

/// Where a text stands in a body, as a JSON pointer and as refusals name it.
#[derive(Clone, Debug)]
pub struct Place {
    pub pointer: String,
    pub field: String,
}

/// Every call of the document, in its order.
pub fn operations() -> Vec<Operation> {
    let document = serde_json::to_value(api::document()).unwrap();
    let schemas = &document["components"]["schemas"];
    let shared = &document["components"]["responses"];
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let query = parameters
                .iter()
                .filter(|p| p["in"] == "query")
                .map(|p| Parameter {
                    name: p["name"].as_str().unwrap().to_owned(),
                    schema: resolved(schemas, &p["schema"]),
                    required: p["required"] == true,
                })
                .collect();
            let body = &operation["requestBody"]["content"]["application/json"]["schema"];
            all.push(Operation {
                method: Method::from_bytes(method.to_uppercase().as_bytes()).unwrap(),
                path: path.strip_prefix("/api").unwrap().to_owned(),
                parts: path
                    .split('/')
                    .filter_map(|part| Some(part.strip_prefix('{')?.strip_suffix('}')?.to_owned()))
                    .collect(),
                query,
                body: (!body.is_null()).then(|| example(schemas, body)),
                keyed: parameters.iter().any(|p| p["name"] == "Idempotency-Key"),
                uploads: !operation["requestBody"]["content"]["multipart/form-data"].is_null(),
                answers: answers(shared, &operation["responses"]),
            });
        }
    }
    assert!(all.len() > 100, "the document has lost its calls");
    all
}

/// Each answer that a call documents, with the types of its content.
fn answers(shared: &Value, responses: &Value) -> Vec<(String, Vec<String>)> {
    let content = |answer: &Value| match answer["$ref"].as_str() {
        Some(name) => shared[name.rsplit('/').next().unwrap()]["content"].clone(),
        None => answer["content"].clone(),
    };
    responses
        .as_object()
        .unwrap()
        .iter()
        .map(|(status, answer)| {
            let types = content(answer).as_object().cloned().unwrap_or_default();
            (status.clone(), types.keys().cloned().collect())
        })
        .collect()
}

impl Operation {
    /// What of an answer the document does not say: its status, or the type of its content. Only refusals may be among "the rest".
    pub fn undocumented(&self, reply: &Reply) -> Option<String> {
        let of = |status: &str| self.answers.iter().find(|(known, _)| known == status);
        let rest = || of("default").filter(|_| reply.status >= 400);
        let Some((_, types)) = of(&reply.status.to_string()).or_else(rest) else {
            return Some(format!("status {}", reply.status));
        };
        let given = reply.headers.get("content-type");
        let given = given.map_or("", |given| given.to_str().unwrap());
        let given = given.split(';').next().unwrap_or_default().trim();
        let is_empty = reply.body == "";
        let fits = if is_empty {
            types.is_empty()
        } else {
            types.iter().any(|known| known == given)
        };
        (!fits).then(|| format!("{} with {given:?}, where {types:?} is said", reply.status))
    }

    /// A list: it has pages.
    pub fn is_list(&self) -> bool {
        self.query.iter().any(|p| p.name == "page")
    }

    pub fn takes(&self, parameter: &str) -> bool {
        self.query.iter().any(|p| p.name == parameter)
    }

    /// What the document says that a parameter is when it is left out.
    pub fn default_of(&self, parameter: &str) -> &Value {
        self.query
            .iter()
            .find(|p| p.name == parameter)
            .map_or(&Value::Null, |p| &p.schema["default"])
    }

    /// The path with these texts in it, encoded; what `fill` knows nothing of is an id of nothing.
    pub fn url(&self, fill: impl Fn(&str) -> Option<String>) -> String {
        self.path
            .split('/')
            .map(
                |part| match part.strip_prefix('{').and_then(|p| p.strip_suffix('}')) {
                    Some(name) => fill(name).unwrap_or_else(|| NO_ID.to_owned()),
                    None => part.to_owned(),
                },
            )
            .collect::<Vec<_>>()
            .join("/")
    }

    /// Sends it with a query (as it stands after the `?`) and a body as text.
    pub async fn send(&self, who: &Client, url: &str, query: &str, body: Option<String>) -> Reply {
        let url = if query.is_empty() {
            url.to_owned()
        } else {
            format!("{url}?{query}")
        };
        let mut request = who.request(self.method.clone(), &url);
        if let Some(body) = body {
            request = request.header("Content-Type", "application/json").body(body);
        }
        who.send(request).await
    }

    /// Parameters that the call cannot do without, with values that fit.
    pub fn needed(&self) -> Vec<(String, String)> {
        self.query
            .iter()
            .filter(|p| p.required)
            .map(|p| {
                let value = example(&Value::Null, &p.schema);
                (
                    p.name.clone(),
                    value.as_str().map_or_else(|| value.to_string(), str::to_owned),
                )
            })
            .collect()
    }

    /// Every text in the body.
    pub fn texts(&self) -> Vec<Place> {
        let mut all = Vec::new();
        if let Some(body) = &self.body {
            collect(body, "", "", &mut all);
        }
        all
    }
}

fn collect(value: &Value, pointer: &str, field: &str, all: &mut Vec<Place>) {
    match value {
        Value::String(_) => all.push(Place {
            pointer: pointer.to_owned(),
            field: field.to_owned(),
        }),
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                collect(item, &format!("{pointer}/{i}"), &format!("{field}[{i}]"), all);
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields {
                let dot = if field.is_empty() { "" } else { "." };
                collect(
                    item,
                    &format!("{pointer}/{name}"),
                    &format!("{field}{dot}{name}"),
                    all,
                );
            }
        }
        _ => {}
    }
}

fn resolved(schemas: &Value, schema: &Value) -> Value {
    match schema["$ref"].as_str() {
        Some(name) => resolved(schemas, &schemas[name.rsplit('/').next().unwrap()]),
        None => match schema["oneOf"].as_array() {
            Some(choices) => choices
                .iter()
                .find(|choice| choice["type"] != "null")
                .map_or(Value::Null, |choice| resolved(schemas, choice)),
            None => schema.clone(),
        },
    }
}

/// A value that fits a schema, with every property that it has.
fn example(schemas: &Value, schema: &Value) -> Value {
    let schema = resolved(schemas, schema);
    if let Some(given) = schema.get("example") {
        return given.clone();
    }
    if let Some(words) = schema["enum"].as_array() {
        return words[0].clone();
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let mut all = serde_json::Map::new();
        for part in parts {
            all.extend(example(schemas, part).as_object().cloned().unwrap_or_default());
        }
        return Value::Object(all);
    }
    let types = &schema["type"];
    let is = |name: &str| types == name || types.as_array().is_some_and(|all| all.iter().any(|t| t == name));
    if is("object") {
        let fields = schema["properties"].as_object().cloned().unwrap_or_default();
        return Value::Object(
            fields
                .iter()
                .map(|(name, field)| (name.clone(), example(schemas, field)))
                .collect(),
        );
    }
    if is("array") {
        return json!([example(schemas, &schema["items"])]);
    }
    if is("integer") || is("number") {
        return json!(1);
    }
    if is("boolean") {
        return json!(true);
    }
    match schema["format"].as_str() {
        Some("uuid") => json!(NO_ID),
        Some("date") => json!("2026-11-23"),
        Some("date-time") => json!("2026-11-23T12:00:00Z"),
        _ => json!("10"),
    }
}
