//! What every call passes before its handler, so that no handler has to think of it: text that the database cannot store is
//! refused wherever it stands, a query has only the parameters that the call's document names, of the types that it names, and
//! a body that does not fit is refused at the field where it does not.
//!
//! The document is the list of what a call takes: a parameter that it names works, any other is refused (2026-11-23).

mod place;

use crate::{error::Error, foundation::context::Context};
use actix_web::{
    HttpMessage, HttpRequest, ResponseError,
    body::{EitherBody, MessageBody},
    dev::{Payload, ServiceRequest, ServiceResponse},
    error::{JsonPayloadError, PathError, PayloadError, QueryPayloadError},
    http::header,
    middleware::Next,
    web,
};
use protocol::ErrorCode;
use serde_json::Value;
use std::{collections::HashMap, sync::Arc};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::Uuid;

/// The query parameters of every call, with their schemas.
#[derive(Clone, Default)]
pub struct Accepted(Arc<Parameters>);

#[derive(Default)]
struct Parameters {
    /// By method and path template.
    calls: HashMap<(String, String), HashMap<String, Value>>,
    schemas: Value,
}

impl Accepted {
    /// Reads them out of an OpenAPI document.
    #[must_use]
    pub fn of(document: &Value) -> Self {
        let mut calls = HashMap::new();
        for (path, item) in document["paths"].as_object().into_iter().flatten() {
            for (method, operation) in item.as_object().into_iter().flatten() {
                let query = operation["parameters"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter(|parameter| parameter["in"] == "query")
                    .filter_map(|parameter| {
                        Some((
                            parameter["name"].as_str()?.to_owned(),
                            parameter["schema"].clone(),
                        ))
                    })
                    .collect();
                calls.insert((method.to_uppercase(), path.clone()), query);
            }
        }
        Self(Arc::new(Parameters {
            calls,
            schemas: document["components"]["schemas"].clone(),
        }))
    }
}

impl Parameters {
    /// Whether a parameter's text can be what its schema says.
    fn fits(&self, schema: &Value, text: &str) -> bool {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.rsplit('/').next().unwrap_or_default();
            return self.fits(&self.schemas[name], text);
        }
        if let Some(choices) = schema["oneOf"].as_array() {
            return choices.iter().any(|choice| self.fits(choice, text));
        }
        if let Some(words) = schema["enum"].as_array() {
            return words.iter().any(|word| word == text);
        }
        let types = &schema["type"];
        let is =
            |name: &str| types == name || types.as_array().is_some_and(|all| all.iter().any(|t| t == name));
        if is("integer") {
            return text.parse::<i64>().is_ok();
        }
        if is("boolean") {
            return text.parse::<bool>().is_ok();
        }
        if schema["format"] == "uuid" {
            return text.parse::<Uuid>().is_ok();
        }
        let most = schema["maxLength"].as_u64().map(usize::try_from);
        types != "null" && !matches!(most, Some(Ok(most)) if text.chars().count() > most)
    }
}

/// The JSON text of the request under way, for finding the field that a refusal is about.
struct Body(web::Bytes);

/// The one check before all handlers.
///
/// # Errors
/// None of its own: a refusal is an answer.
pub async fn check<B: MessageBody + 'static>(
    mut req: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, actix_web::Error> {
    match inspect(&mut req).await {
        Ok(()) => next.call(req).await.map(ServiceResponse::map_into_left_body),
        Err(error) => {
            let response = error.error_response();
            Ok(req.into_response(response).map_into_right_body())
        }
    }
}

async fn inspect(req: &mut ServiceRequest) -> Result<(), Error> {
    inspect_path(req)?;
    inspect_query(req)?;
    if req
        .mime_type()
        .ok()
        .flatten()
        .is_some_and(|mime| mime.subtype() == "json" || mime.suffix().is_some_and(|suffix| suffix == "json"))
    {
        inspect_body(req).await?;
    }
    Ok(())
}

/// As the path came, still encoded: its parts have no names before the handler is found.
fn inspect_path(req: &ServiceRequest) -> Result<(), Error> {
    let pattern = req.match_pattern().unwrap_or_default();
    let mut parts = pattern.split('/').zip(req.uri().path().split('/'));
    match parts.find(|(_, text)| text.contains("%00")) {
        Some((name, _)) => Err(characters(name.trim_matches(['{', '}']))),
        None => Ok(()),
    }
}

fn inspect_query(req: &ServiceRequest) -> Result<(), Error> {
    let given = web::Query::<Vec<(String, String)>>::from_query(req.query_string())
        .map_err(|_| Error::code(ErrorCode::RequestInvalid))?;
    if given.is_empty() {
        return Ok(());
    }
    let accepted = req.app_data::<web::Data<Accepted>>();
    let method = if req.method() == "HEAD" {
        "GET"
    } else {
        req.method().as_str()
    };
    let key = (method.to_owned(), req.match_pattern().unwrap_or_default());
    let none = HashMap::new();
    for (name, text) in given.iter() {
        if unstorable(name) || unstorable(text) {
            return Err(characters(&name.replace('\0', "")));
        }
        let Some(Accepted(parameters)) = accepted.map(|data| data.get_ref()) else {
            continue;
        };
        let known = parameters.calls.get(&key).unwrap_or(&none);
        match known.get(name) {
            None => return Err(refused(name, ErrorCode::FieldUnknown)),
            Some(schema) if !parameters.fits(schema, text) || name == "asOf" && has_not_come(req, text) => {
                return Err(refused(name, ErrorCode::RequestInvalid));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Clocks of two nodes differ by less.
const CLOCKS_DIFFER: Duration = Duration::minutes(5);

/// Nothing is as of a moment to come: rows that come until then would move others from one page to the next.
fn has_not_come(req: &ServiceRequest, text: &str) -> bool {
    let moment = OffsetDateTime::parse(text, &Rfc3339).ok();
    let now = req.app_data::<web::Data<Context>>().map(|context| context.now());
    moment
        .zip(now)
        .is_some_and(|(moment, now)| moment > now + CLOCKS_DIFFER)
}

async fn inspect_body(req: &mut ServiceRequest) -> Result<(), Error> {
    let body = req.extract::<web::Bytes>().await.map_err(|error| {
        Error::code(match error.as_error::<PayloadError>() {
            Some(PayloadError::Overflow) => ErrorCode::RequestTooLarge,
            _ => ErrorCode::RequestMalformed,
        })
    })?;
    // It is read and unpacked: the handler gets it as it is now.
    req.headers_mut().remove(header::CONTENT_ENCODING);
    req.set_payload(Payload::from(body.clone()));
    // A parser would take the values of a list for the fields of a body, in their order. No call takes a list.
    if body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
        return Err(refused("body", ErrorCode::RequestInvalid));
    }
    if let Some(field) = place::unstorable_field(&body) {
        return Err(characters(&field));
    }
    req.extensions_mut().insert(Body(body));
    Ok(())
}

/// PostgreSQL has no text with this character.
fn unstorable(text: &str) -> bool {
    text.contains('\0')
}

fn refused(field: &str, code: ErrorCode) -> Error {
    Error::code(ErrorCode::RequestInvalid).field(field, code)
}

fn characters(field: &str) -> Error {
    refused(field, ErrorCode::FieldCharacters)
}

/// A body that was refused: which field, and why.
pub fn json_error(error: JsonPayloadError, req: &HttpRequest) -> actix_web::Error {
    let error = match &error {
        JsonPayloadError::Overflow { .. } | JsonPayloadError::OverflowKnownLength { .. } => {
            Error::code(ErrorCode::RequestTooLarge)
        }
        JsonPayloadError::ContentType => Error::code(ErrorCode::RequestUnsupportedMedia),
        JsonPayloadError::Deserialize(inner) => {
            let extensions = req.extensions();
            let body: &[u8] = extensions.get::<Body>().map_or(&[], |body| &body.0);
            misfit(inner, body)
        }
        _ => Error::code(ErrorCode::RequestMalformed),
    };
    error.into()
}

fn misfit(error: &serde_json::Error, body: &[u8]) -> Error {
    let text = error.to_string();
    let (field, code) = place::field_of(error, body);
    if !error.is_data() {
        let refused = Error::code(ErrorCode::RequestMalformed);
        return match field.as_str() {
            "" => refused,
            _ => refused.field(field, ErrorCode::RequestMalformed),
        };
    }
    let field = if field.is_empty() {
        "body".to_owned()
    } else {
        field
    };
    if place::is_of_an_amount(&text) {
        Error::code(ErrorCode::AmountInvalid).field(field, ErrorCode::AmountInvalid)
    } else {
        refused(&field, code)
    }
}

/// An id that is no id names nothing.
pub fn path_error(_: PathError, req: &HttpRequest) -> actix_web::Error {
    let error = Error::code(ErrorCode::RequestNotFound);
    let pattern = req.match_pattern().unwrap_or_default();
    let mut names = pattern
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    match (names.next(), names.next()) {
        (Some(name), None) => error.field(name, ErrorCode::RequestNotFound).into(),
        _ => error.into(),
    }
}

/// What the document lets through and the handler's type does not: a parameter that is missing.
pub fn query_error(error: QueryPayloadError, _: &HttpRequest) -> actix_web::Error {
    let text = error.to_string();
    match place::named(&text) {
        Some((name, code)) => refused(name, code).into(),
        None => Error::code(ErrorCode::RequestInvalid).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_parameter_fits_what_the_document_says() {
        let parameters = Parameters {
            calls: HashMap::new(),
            schemas: json!({ "Coin": { "type": "string", "enum": ["usdt", "bnb"] }, "Id": { "type": "string", "format": "uuid" } }),
        };
        let coin = json!({ "oneOf": [{ "type": "null" }, { "$ref": "#/components/schemas/Coin" }] });
        for (schema, good, bad) in [
            (json!({ "type": ["integer", "null"] }), "10", "ten"),
            (json!({ "type": "boolean" }), "true", "yes"),
            (
                json!({ "$ref": "#/components/schemas/Id" }),
                "0190a000-0000-7000-8000-00000000abcd",
                "7",
            ),
            (coin, "bnb", "gold"),
        ] {
            assert!(parameters.fits(&schema, good), "{schema} takes {good}");
            assert!(!parameters.fits(&schema, bad), "{schema} takes {bad}");
        }
        assert!(parameters.fits(&json!({ "type": ["string", "null"] }), "anything"));
    }
}
