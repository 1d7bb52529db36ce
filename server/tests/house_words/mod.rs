//! What goes over the socket is what the API document says: the client's types are made from it.
//!
//! Samples are made from the document, one for each kind of message and with every word of every closed set somewhere. The server's types
//! must take them and write them back as they are: a field, a word or a null that only one side knows fails here, and a new kind is
//! tried without anybody thinking of it.

use protocol::{
    ClientMessage, Glimpse, LiveEvent, StreamId,
    ids::{TicketId, UserId},
    live_event::Numbered,
    server_message::ServerMessage,
    views::TicketSide,
};
use regex::Regex;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use server::{
    app::api,
    notifications::rules::{self, Line, News},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};
use time::OffsetDateTime;

static AMOUNT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^-?\d+\.\d+$").unwrap());
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| serde_json::to_value(api::document()).unwrap());

/// More than the longest closed set of words, that of the errors.
const ROUNDS: usize = 320;

/// A value of the schema: `round` chooses among words and alternatives; `sparse` leaves out what may be absent.
struct Maker {
    round: usize,
    sparse: bool,
}

impl Maker {
    fn make(&self, schema: &Value) -> Value {
        if let Some(name) = schema["$ref"].as_str() {
            return self.make(resolve(name));
        }
        if let Some(parts) = schema["allOf"].as_array() {
            let fields = parts.iter().flat_map(|part| match self.make(part) {
                Value::Object(fields) => fields,
                other => panic!("only objects are joined: {other}"),
            });
            return Value::Object(fields.collect());
        }
        for choice in ["oneOf", "anyOf"] {
            if let Some(all) = schema[choice].as_array() {
                let (nulls, real): (Vec<_>, Vec<_>) = all.iter().partition(|one| one["type"] == "null");
                if self.sparse && !nulls.is_empty() {
                    return Value::Null;
                }
                return self.make(real[self.round % real.len()]);
            }
        }
        if let Some(words) = schema["enum"].as_array() {
            return words[self.round % words.len()].clone();
        }
        if schema["type"]
            .as_array()
            .is_some_and(|types| types.contains(&json!("null")))
        {
            return if self.sparse {
                Value::Null
            } else {
                self.plain(schema)
            };
        }
        self.plain(schema)
    }

    fn plain(&self, schema: &Value) -> Value {
        let kind = match &schema["type"] {
            Value::Array(types) => types.iter().find(|t| **t != "null").unwrap(),
            one => one,
        };
        match kind.as_str() {
            Some("object") => self.object(schema),
            Some("array") => json!([self.make(&schema["items"])]),
            Some("boolean") => json!(self.round.is_multiple_of(2)),
            Some("integer" | "number") => json!(self.round),
            Some("string") => Self::text(schema),
            // Anything at all.
            None => json!("x"),
            other => panic!("no sample of {other:?}"),
        }
    }

    fn object(&self, schema: &Value) -> Value {
        let mut made = Map::new();
        let required = |name: &str| {
            schema["required"]
                .as_array()
                .is_some_and(|all| all.iter().any(|one| one == name))
        };
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            // What need not be there and says yes or no is there when it says yes.
            if field["type"] == "boolean" && !required(name) {
                made.extend((!self.sparse).then(|| (name.clone(), json!(true))));
            } else {
                made.insert(name.clone(), self.make(field));
            }
        }
        if let Value::Object(_) = schema["additionalProperties"] {
            // Its keys are streams, or free.
            made.insert("public".to_owned(), self.make(&schema["additionalProperties"]));
        }
        Value::Object(made)
    }

    fn text(schema: &Value) -> Value {
        if let Some(example) = schema.get("example") {
            return example.clone();
        }
        match (schema["format"].as_str(), schema["pattern"].as_str()) {
            (Some("uuid"), _) => json!("018f0000-0000-7000-8000-000000000001"),
            (Some("date-time"), _) => json!("2026-11-24T12:00:00Z"),
            (Some("date"), _) => json!("2026-11-24"),
            (_, Some(pattern)) if pattern.starts_with("^(public|") => json!("public"),
            (None, None) => json!("x"),
            other => panic!("no sample of {other:?}"),
        }
    }
}

fn resolve(reference: &str) -> &'static Value {
    let name = reference.rsplit('/').next().unwrap();
    &DOCUMENT["components"]["schemas"][name]
}

/// The schema's kinds, by the word that tells them apart.
fn kinds(schema: &Value, tag: &str) -> Vec<(String, Value)> {
    let variants = schema["oneOf"].as_array().expect("a choice");
    let found = variants.iter().map(|variant| {
        let made = Maker {
            round: 0,
            sparse: true,
        }
        .make(variant);
        (made[tag].as_str().expect("a tag").to_owned(), variant.clone())
    });
    found.collect()
}

/// As clients read it. An amount is the same with zeros at its end; where much is left out, so is null, written or not.
fn read(value: &Value, sparse: bool) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(_, v)| !(sparse && v.is_null()));
            Value::Object(kept.map(|(k, v)| (k.clone(), read(v, sparse))).collect())
        }
        Value::Array(all) => all.iter().map(|one| read(one, sparse)).collect(),
        Value::String(text) if AMOUNT.is_match(text) => {
            json!(text.trim_end_matches('0').trim_end_matches('.'))
        }
        other => other.clone(),
    }
}

/// Where a value has one of its own, which is not nested further.
fn leaves(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                leaves(field, &format!("{at}/{name}"), found);
            }
        }
        Value::Array(all) => {
            for (i, one) in all.iter().enumerate() {
                leaves(one, &format!("{at}/{i}"), found);
            }
        }
        _ => found.push(at.to_owned()),
    }
}

/// Values that the document never has as null, but the server's type does.
fn unexpected_nulls<T: DeserializeOwned>(schema: &Value) -> Vec<String> {
    let [full, sparse] = [false, true].map(|sparse| Maker { round: 0, sparse }.make(schema));
    let mut found = Vec::new();
    leaves(&full, "", &mut found);
    found.retain(|at| {
        let mut changed = full.clone();
        // What a notification speaks of is anything at all.
        let always = sparse.pointer(at).is_some_and(|v| !v.is_null()) && !at.contains("/params/");
        *changed.pointer_mut(at).unwrap() = Value::Null;
        always && serde_json::from_value::<T>(changed).is_ok()
    });
    found
}

/// Every kind of a message there and back. Returns their names.
fn there_and_back<T: DeserializeOwned + Serialize>(name: &str, tag: &str) -> BTreeSet<String> {
    let kinds = kinds(&DOCUMENT["components"]["schemas"][name], tag);
    let mut wrong = Vec::new();
    for (kind, schema) in &kinds {
        wrong.extend(
            unexpected_nulls::<T>(schema)
                .iter()
                .map(|at| format!("{name} {kind}: {at} may be null")),
        );
        let mut samples = (0..ROUNDS).flat_map(|round| [false, true].map(|sparse| Maker { round, sparse }));
        let lie = samples.find_map(|maker| {
            let sample = maker.make(schema);
            let written = serde_json::from_value::<T>(sample.clone())
                .and_then(serde_json::to_value)
                .map_err(|e| e.to_string());
            let same = written
                .as_ref()
                .is_ok_and(|written| read(written, maker.sparse) == read(&sample, maker.sparse));
            (!same).then(|| format!("{name} {kind}:\n  document {sample}\n  server {written:?}"))
        });
        wrong.extend(lie);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    kinds.into_iter().map(|(kind, _)| kind).collect()
}

#[test]
fn facts_are_as_the_document_says() {
    let told = there_and_back::<LiveEvent>("LiveEvent", "kind");
    assert_eq!(told, LiveEvent::KINDS.iter().map(|k| (*k).to_owned()).collect());
}

#[test]
fn glimpses_are_as_the_document_says() {
    assert!(there_and_back::<Glimpse>("Glimpse", "kind").len() > 10);
}

#[test]
fn what_both_sides_say_is_as_the_document_says() {
    assert!(there_and_back::<ServerMessage>("ServerMessage", "type").contains("event"));
    assert!(there_and_back::<ClientMessage>("ClientMessage", "op").contains("subscribe"));
}

/// The lines that a fact is told by.
fn lines(fact: &Numbered, owner: UserId) -> Vec<Line> {
    let said = |ticket, by: &str, to| vec![rules::said(owner, ticket, 7, by, to)];
    match rules::news(fact) {
        News::Nothing | News::Seen(..) => Vec::new(),
        News::Line(line) => vec![line],
        News::State { line, .. } => line.into_iter().collect(),
        News::Standing { standing, .. } => standing.line(None).into_iter().collect(),
        News::Reply { ticket, by, .. } => said(ticket, &by, TicketSide::Customer),
        News::Said { ticket, by, .. } => said(ticket, &by, TicketSide::Staff),
        News::Closed(ticket) => vec![rules::about_ticket(&ticket, "ticket_closed")],
        News::Pool(owner, entry) => rules::pool_line(owner, &entry, Some("active:0"))
            .into_iter()
            .collect(),
    }
}

/// What the sentences of a code fill in, whatever their form; languages fill in the same (a test of the pages).
fn filled_in(code: &str) -> BTreeSet<String> {
    static SENTENCES: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
        serde_json::from_str(include_str!("../../../web/src/i18n/pt/notifications.json")).unwrap()
    });
    static NAME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\{\{\s*(\w+)").unwrap());
    let forms = ["", "_one", "_many", "_other"].map(|form| format!("{code}{form}"));
    let sentences: Vec<&String> = forms.iter().filter_map(|key| SENTENCES.get(key)).collect();
    assert!(!sentences.is_empty(), "no sentence for {code}");
    sentences
        .into_iter()
        .flat_map(|text| NAME.captures_iter(text))
        .map(|found| found[1].to_owned())
        .collect()
}

/// A notice is a code and its values: what its sentence fills in is told with it, by every fact that makes one (2026-11-28: pages wrote a dash
/// where a called loan's amount should be, since the samples of their own tests had it and the line had not).
#[test]
fn every_notice_is_told_with_what_its_sentence_fills_in() {
    // The one that all samples name, who sent as well, and another.
    let owners = [
        serde_json::from_value::<UserId>(json!("018f0000-0000-7000-8000-000000000001")).unwrap(),
        UserId::fresh(),
    ];
    let streams = owners
        .map(|owner| (owner, StreamId::User(owner)))
        .into_iter()
        .chain([(owners[0], StreamId::Ticket(TicketId::fresh()))]);
    let streams: Vec<(UserId, StreamId)> = streams.collect();
    let makers: Vec<Maker> = (0..ROUNDS)
        .flat_map(|round| [false, true].map(|sparse| Maker { round, sparse }))
        .collect();
    let (mut told, mut wrong) = (BTreeSet::new(), BTreeSet::new());
    for (kind, schema) in kinds(resolve("LiveEvent"), "kind") {
        if !rules::KINDS.contains(&kind.as_str()) {
            continue;
        }
        for maker in &makers {
            let event: LiveEvent = serde_json::from_value(maker.make(&schema)).unwrap();
            for (owner, stream) in &streams {
                let fact = Numbered {
                    stream: *stream,
                    epoch: 1,
                    seq: 1,
                    at: OffsetDateTime::UNIX_EPOCH,
                    event: event.clone(),
                };
                for line in lines(&fact, *owner) {
                    let values = rules::values(line.params, line.amount);
                    // What somebody need not give, a reason, is there and empty.
                    let there = |name: &str| values.get(name).is_some_and(|v| maker.sparse || !v.is_null());
                    let missing = filled_in(line.code).into_iter().filter(|name| !there(name));
                    wrong.extend(missing.map(|name| format!("{}: {name}", line.code)));
                    told.insert(line.code);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    for code in [
        "loan_called",
        "result_reversed",
        "desk_halted",
        "payout_over",
        "payout_below",
        "ticket_reply",
        "pool_share",
        "transfer_received",
        "account_switched_off",
        "roles_taken",
        "push_device_removed",
        "tickets_wait",
    ] {
        assert!(told.contains(code), "no sample is told by {code}: {told:?}");
    }
}

/// The samples themselves: a schema that says less, more or other than the type is noticed.
#[test]
fn a_schema_that_lies_is_found() {
    let fact = |change: &dyn Fn(&mut Value)| {
        let schema = &kinds(resolve("LiveEvent"), "kind");
        let (_, schema) = schema.iter().find(|(kind, _)| kind == "ticket.read").unwrap();
        let mut sample = Maker {
            round: 3,
            sparse: false,
        }
        .make(schema);
        change(&mut sample);
        let written =
            serde_json::from_value::<LiveEvent>(sample.clone()).map(|e| serde_json::to_value(e).unwrap());
        written.is_ok_and(|written| written == sample)
    };
    assert!(fact(&|_| {}));
    assert!(
        !fact(&|sample| sample["more"] = json!(1)),
        "a field that the server does not write"
    );
    assert!(
        !fact(&|sample| sample["side"] = json!("nobody")),
        "a word that it does not know"
    );
    assert!(!fact(&|sample| sample["upTo"] = json!("3")), "another type");
    let less = |sample: &mut Value| drop(sample.as_object_mut().unwrap().remove("ticket"));
    assert!(!fact(&less), "a field that the server demands");
}
