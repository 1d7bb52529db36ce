//! What the gate may say before any handler, in the document: it knows the table of routes, so that no handler has to write it down. What a
//! handler documents itself stays as it wrote it.

use crate::identity::gate::{Access, Route};
use std::collections::HashMap;
use utoipa::openapi::{
    Content, OpenApi, PathItem, Ref, RefOr, Response, ResponseBuilder, path::Operation,
    security::SecurityRequirement,
};

/// A refusal that many calls share. The document has it once.
#[derive(Clone, Copy)]
struct Shared {
    status: &'static str,
    name: &'static str,
    when: &'static str,
}

const UNAUTHENTICATED: Shared = Shared {
    status: "401",
    name: "Unauthenticated",
    when: "No token, or one that is no longer good.",
};
const FORBIDDEN: Shared = Shared {
    status: "403",
    name: "Forbidden",
    when: "Without the call's permission, or not with the account as it is: unconfirmed, incomplete, inactive; of a decision, frozen or too new to count.",
};
const RATE_LIMITED: Shared = Shared {
    status: "429",
    name: "RateLimited",
    when: "Too often. `Retry-After` says when again, in seconds.",
};
const REFUSED: Shared = Shared {
    status: "default",
    name: "Refused",
    when: "Whatever else is refused, with the code's own status.",
};
const ALL: [Shared; 4] = [UNAUTHENTICATED, FORBIDDEN, RATE_LIMITED, REFUSED];

impl Shared {
    fn response(self) -> Response {
        ResponseBuilder::new()
            .description(self.when)
            .content(
                "application/json",
                Content::new(Some(Ref::from_schema_name("ErrorBody"))),
            )
            .build()
    }

    fn reference(self) -> RefOr<Response> {
        RefOr::Ref(Ref::from_response_name(self.name))
    }

    /// Whether calls of this line may be answered so.
    const fn is_of(self, route: &Route) -> bool {
        match self.status.as_bytes() {
            b"401" => !matches!(route.access, Access::Public),
            b"403" => matches!(route.access, Access::Permission(_)),
            _ => true,
        }
    }
}

/// A path's operations, each with its method as the table of routes writes it.
pub(super) fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    [
        ("GET", &mut item.get),
        ("POST", &mut item.post),
        ("PATCH", &mut item.patch),
        ("PUT", &mut item.put),
        ("DELETE", &mut item.delete),
    ]
    .into_iter()
    .filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// The document with what the gate may say of each call, and that it asks for a token where it does.
pub(super) fn documented(mut document: OpenApi, routes: &[Route]) -> OpenApi {
    let lines: HashMap<(&str, &str), &Route> = routes
        .iter()
        .map(|route| ((route.method, route.path), route))
        .collect();
    for (path, item) in &mut document.paths.paths {
        let below = path.strip_prefix("/api").unwrap_or(path);
        for (method, operation) in operations(item) {
            if let Some(route) = lines.get(&(method, below)) {
                say(operation, route);
            }
        }
    }
    let components = document.components.get_or_insert_with(Default::default);
    for shared in ALL {
        components
            .responses
            .insert(shared.name.to_owned(), RefOr::T(shared.response()));
    }
    document
}

fn say(operation: &mut Operation, route: &Route) {
    for shared in ALL.into_iter().filter(|shared| shared.is_of(route)) {
        operation
            .responses
            .responses
            .entry(shared.status.to_owned())
            .or_insert_with(|| shared.reference());
    }
    if route.access != Access::Public && operation.security.is_none() {
        operation.security = Some(vec![SecurityRequirement::new("bearer", Vec::<String>::new())]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{app::api, routes::ROUTES};
    use serde_json::{Value, json};

    fn call<'a>(document: &'a Value, route: &Route) -> &'a Value {
        &document["paths"][format!("/api{}", route.path)][route.method.to_lowercase()]
    }

    #[test]
    fn each_call_documents_what_stands_before_it() {
        let document = serde_json::to_value(api::document()).unwrap();
        let mut wrong = Vec::new();
        let mut seen = 0;
        // The document itself is no call of a room.
        for route in ROUTES.iter().filter(|route| route.path != "/openapi.json") {
            let operation = call(&document, route);
            let answers = operation["responses"].as_object().unwrap();
            for shared in ALL.into_iter().filter(|shared| shared.is_of(route)) {
                if !answers.contains_key(shared.status) {
                    wrong.push(format!("{} {}: {}", route.method, route.path, shared.status));
                }
            }
            let with_token = operation["security"] == json!([{ "bearer": [] }]);
            if with_token != (route.access != Access::Public) {
                wrong.push(format!("{} {}: its token", route.method, route.path));
            }
            seen += 1;
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(seen > 300, "{seen} calls");
    }

    #[test]
    fn every_reference_to_a_shared_answer_is_there_with_the_body_of_refusals() {
        let document = serde_json::to_value(api::document()).unwrap();
        for shared in ALL {
            let answer = &document["components"]["responses"][shared.name];
            assert_eq!(answer["description"], shared.when);
            assert_eq!(
                answer["content"]["application/json"]["schema"]["$ref"],
                "#/components/schemas/ErrorBody"
            );
        }
        let logout = &document["paths"]["/api/auth/logout"]["post"]["responses"];
        assert_eq!(
            logout["default"],
            json!({ "$ref": "#/components/responses/Refused" })
        );
        assert!(logout["401"].is_null(), "nobody is asked for a token there");
    }

    #[test]
    fn what_a_handler_says_of_itself_stays() {
        let route = ROUTES
            .iter()
            .find(|route| route.path == "/me" && route.method == "PATCH")
            .unwrap();
        let mut operation = Operation::new();
        operation
            .responses
            .responses
            .insert("403".to_owned(), RefOr::T(Response::new("As it says.")));
        say(&mut operation, route);
        let said = serde_json::to_value(&operation.responses).unwrap();
        assert_eq!(said["403"]["description"], "As it says.");
        assert_eq!(
            said["401"],
            json!({ "$ref": "#/components/responses/Unauthenticated" })
        );
    }
}
