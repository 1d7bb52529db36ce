//! Which field of a JSON text something is about, as `address.lines[2].street`.

use protocol::ErrorCode;
use serde_json::Value;

/// The field with a character that the database cannot store, in its name or its text.
pub fn unstorable_field(body: &[u8]) -> Option<String> {
    // JSON can say it in one way only; where that does not stand, nothing is read twice.
    let escape = br"\u0000";
    if !body.windows(escape.len()).any(|window| window == escape) {
        return None;
    }
    let value: Value = serde_json::from_slice(body).ok()?;
    search(&value, &mut Vec::new())
}

fn search(value: &Value, path: &mut Vec<Step>) -> Option<String> {
    match value {
        Value::String(text) => text.contains('\0').then(|| written(path)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(i, item)| within(path, Step::Index(i), item)),
        Value::Object(fields) => fields.iter().find_map(|(name, field)| {
            let step = Step::Field(name.replace('\0', ""));
            if name.contains('\0') {
                path.push(step);
                return Some(written(path));
            }
            within(path, step, field)
        }),
        _ => None,
    }
}

fn within(path: &mut Vec<Step>, step: Step, value: &Value) -> Option<String> {
    path.push(step);
    let found = search(value, path);
    path.pop();
    found
}

/// The field that a refusal of the parser is about, empty where it is the whole text, and what is wrong with it.
pub fn field_of(error: &serde_json::Error, body: &[u8]) -> (String, ErrorCode) {
    let text = error.to_string();
    let line_start = (1..error.line()).try_fold(0, |from, _| {
        let rest = body.get(from..)?;
        rest.iter()
            .position(|byte| *byte == b'\n')
            .map(|at| from + at + 1)
    });
    let mut field = line_start.map_or_else(String::new, |start| {
        let at = start + error.column();
        // What is no amount is only noticed once its object has been closed behind it.
        let closed = is_of_an_amount(&text) && body.get(at.saturating_sub(1)) == Some(&b'}');
        field_at(body, if closed { at.saturating_sub(2) } else { at })
    });
    match named(&text) {
        Some((name, code)) => {
            if !field.is_empty() {
                field.push('.');
            }
            field.push_str(name);
            (field, code)
        }
        None => (field, ErrorCode::RequestInvalid),
    }
}

/// The words of [`protocol::money::AmountError`] and [`crate::foundation::amounts`].
pub fn is_of_an_amount(text: &str) -> bool {
    [
        "not a decimal number",
        "more decimals than",
        "out of range",
        "an amount as a decimal string",
    ]
    .iter()
    .any(|words| text.contains(words))
}

/// The name that stands in the deserialiser's own words, where it knows one.
pub fn named(text: &str) -> Option<(&str, ErrorCode)> {
    for (words, code) in [
        ("missing field `", ErrorCode::FieldRequired),
        ("unknown field `", ErrorCode::FieldUnknown),
        ("duplicate field `", ErrorCode::RequestInvalid),
    ] {
        if let Some((_, rest)) = text.split_once(words) {
            return rest.split_once('`').map(|(name, _)| (name, code));
        }
    }
    None
}

enum Step {
    Field(String),
    Index(usize),
}

fn written(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Field(name) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(name);
            }
            Step::Index(i) => text.push_str(&format!("[{i}]")),
        }
    }
    text
}

/// The innermost value that begins at this byte, or ended last before it. The parser stops behind a value that does not fit, before
/// one of another kind, behind the name of a field that it does not know, and behind an object that lacks one.
fn field_at(body: &[u8], offset: usize) -> String {
    let mut path: Vec<Step> = Vec::new();
    let mut open: Vec<u8> = Vec::new();
    let mut found = String::new();
    // In an object: the next text is a name.
    let mut names = false;
    let mut at = 0;
    while let Some(&byte) = body.get(at) {
        if at > offset {
            break;
        }
        match byte {
            b'{' | b'[' => {
                found = written(&path);
                open.push(byte);
                names = byte == b'{';
                if byte == b'[' {
                    path.push(Step::Index(0));
                }
                at += 1;
            }
            b'}' | b']' => {
                // An object whose last name had a value, or an array: its own step goes.
                if byte == b']' || !names {
                    path.pop();
                }
                open.pop();
                names = false;
                at += 1;
                if at <= offset {
                    found = written(&path);
                }
            }
            b',' => {
                if let Some(Step::Index(i)) = path.last_mut() {
                    *i += 1;
                } else {
                    path.pop();
                    names = true;
                }
                at += 1;
            }
            b'"' => {
                let end = text_end(body, at);
                if names {
                    if end <= offset {
                        found = written(&path);
                    }
                    let name = body
                        .get(at..end)
                        .and_then(|text| serde_json::from_slice(text).ok());
                    path.push(Step::Field(name.unwrap_or_default()));
                    names = false;
                } else {
                    found = written(&path);
                }
                at = end;
            }
            b':' | b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            _ => {
                found = written(&path);
                at += 1;
            }
        }
    }
    found
}

/// Behind a text's closing quote.
fn text_end(body: &[u8], begin: usize) -> usize {
    let mut at = begin + 1;
    while let Some(&byte) = body.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    body.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::money::Usdt;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only what does not fit is looked at")]
    struct Order {
        name: String,
        count: i64,
        value: Usdt,
        #[serde(default)]
        lines: Vec<Line>,
        #[serde(default)]
        kind: Option<Kind>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only what does not fit is looked at")]
    struct Line {
        street: String,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Big,
    }

    #[test]
    fn a_refusal_names_its_field() {
        use ErrorCode::{FieldRequired, FieldUnknown, RequestInvalid};
        for (body, field, code) in [
            ("{}", "name", FieldRequired),
            (r#"{"name":"a","count":1}"#, "value", FieldRequired),
            (r#"{"name":7}"#, "name", RequestInvalid),
            (r#"{"name":null}"#, "name", RequestInvalid),
            (r#"{"name":{"a":1}}"#, "name", RequestInvalid),
            (r#"{ "name" : [ ] }"#, "name", RequestInvalid),
            (r#"{"name":"a", "count":"many"}"#, "count", RequestInvalid),
            (r#"{"name":"a", "count":1.5}"#, "count", RequestInvalid),
            (
                "{\"name\":\"a\",\n \"count\":1,\n \"value\":\"x\"}",
                "value",
                RequestInvalid,
            ),
            (r#"{"name":"a","oops":1}"#, "oops", FieldUnknown),
            (r#"{"name":"a\"}","count":true}"#, "count", RequestInvalid),
            (
                r#"{"lines":[{"street":"a"},{}]}"#,
                "lines[1].street",
                FieldRequired,
            ),
            (
                r#"{"lines":[{"street":"a"},{"street":1}]}"#,
                "lines[1].street",
                RequestInvalid,
            ),
            (r#"{"lines":[{"no":"a"}]}"#, "lines[0].no", FieldUnknown),
            (r#"{"lines":{}}"#, "lines", RequestInvalid),
            (r#"{"lines":[],"kind":"small"}"#, "kind", RequestInvalid),
            (r#"{"lines":[[1]]}"#, "lines[0][0]", RequestInvalid),
            (r#"{"name":"\ud800"}"#, "name", RequestInvalid),
            ("7", "", RequestInvalid),
        ] {
            let error = serde_json::from_str::<Order>(body).unwrap_err();
            assert_eq!(
                field_of(&error, body.as_bytes()),
                (field.to_owned(), code),
                "{body}: {error}"
            );
        }
    }

    #[test]
    fn what_cannot_be_stored_is_found_anywhere() {
        for (body, field) in [
            (r#"{"a":"x\u0000"}"#, Some("a")),
            (r#"{"a":[{"b":"\u0000"}]}"#, Some("a[0].b")),
            (r#"{"a":{"\u0000b":1}}"#, Some("a.b")),
            (r#""\u0000""#, Some("")),
            (r#"{"a":"\\u0000"}"#, None),
            (r#"{"a":"\u0001"}"#, None),
            (r#"{"a":"\u0000"#, None),
        ] {
            assert_eq!(unstorable_field(body.as_bytes()).as_deref(), field, "{body}");
        }
    }
}
