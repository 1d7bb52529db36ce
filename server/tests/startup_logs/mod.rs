//! What the program writes down of those who use it: nothing that they sent.

use super::{Running, run, server};
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use server::routes::ROUTES;
use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::Path,
};

/// Asks for a path as a browser would, signed in by a token where there is one, and waits for the whole answer.
fn ask(address: &str, method: &str, path: &str, token: &str, body: Option<&Value>) -> String {
    let place = address.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(place).unwrap();
    let body = body.map(Value::to_string).unwrap_or_default();
    let mut head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {place}\r\nReferer: {address}{path}\r\nContent-Length: {}\r\nConnection: close\r\n",
        body.len()
    );
    if !body.is_empty() {
        head.push_str("Content-Type: application/json\r\n");
    }
    if !token.is_empty() {
        head.push_str("Authorization: Bearer ");
        head.push_str(token);
        head.push_str("\r\n");
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

/// The most that can be heard of the program itself.
fn all_ears(place: &Path, log: &Path) -> Running {
    Running::start(
        server(place)
            .env("ARBORA_LOG", "info,server=trace,actors=trace")
            .stderr(fs::File::create(log).unwrap()),
    )
}

#[test]
fn no_path_query_or_sender_of_a_request_is_written_down() {
    const TOKEN: &str = "Y2FuYXJpby1jYW50YS1hcXVpLW1lc21vLTMyLWJ5dGVz";
    const ADDRESS: &str = "canario@correio.com.br";
    let place = tempfile::tempdir().unwrap();
    let log = place.path().join("log");
    let running = all_ears(place.path(), &log);
    let parameter = regex::Regex::new(r"\{[A-Za-z]+\}").unwrap();
    let calls = ROUTES
        .iter()
        .map(|route| (route.method, format!("/api{}", route.path)));
    let pages = [
        "/freeze/{token}",
        "/new-password/{token}/{email}",
        "/verify-email/{id}/{token}",
        "/ref/{upline}",
        "/no/such/{page}",
        "/api/no/such/{call}",
    ];
    let pages = pages.map(|page| ("GET", page.to_owned()));
    for (method, path) in calls.chain(pages).filter(|(_, path)| path.contains('{')) {
        for value in [TOKEN, ADDRESS] {
            let path = parameter.replace_all(&path, value);
            let answer = ask(
                &running.address,
                method,
                &format!("{path}?code={TOKEN}"),
                "",
                None,
            );
            assert!(answer.starts_with("HTTP/1.1 "), "{method} {path}: {answer}");
        }
    }
    running.signal(Signal::SIGTERM);
    running.ends_well();
    let written = fs::read_to_string(&log).unwrap();
    assert!(written.contains("stopping"), "the log is heard: {written}");
    for secret in [TOKEN, ADDRESS, "canario"] {
        assert!(!written.contains(secret), "{secret} is in: {written}");
    }
}

/// A value that the document lets through, as far as it says; each text is the next of those.
fn filled(document: &Value, schema: &Value, text: &mut impl Iterator<Item = &'static str>) -> Value {
    if let Some(name) = schema["$ref"].as_str() {
        let named = name.trim_start_matches('#');
        return filled(document, document.pointer(named).unwrap(), text);
    }
    for several in ["allOf", "oneOf", "anyOf"] {
        if let Some(parts) = schema[several].as_array() {
            let part = parts.iter().find(|part| part["type"] != "null").unwrap();
            return filled(document, part, text);
        }
    }
    if let Some(word) = schema["enum"].get(0) {
        return word.clone();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().find(|kind| **kind != "null").and_then(Value::as_str),
        kind => kind.as_str(),
    };
    match kind {
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([filled(document, &schema["items"], text)]),
        Some("string") => match schema["format"].as_str() {
            Some("uuid") => json!("018f0000-0000-7000-8000-000000000001"),
            Some("amount") => json!("10.00"),
            Some("date") => json!("1990-05-01"),
            Some("date-time") => json!("2026-01-01T00:00:00Z"),
            _ => json!(text.next()),
        },
        _ => {
            let fields = schema["properties"].as_object();
            let fields = fields.into_iter().flatten();
            fields
                .map(|(name, field)| (name.clone(), filled(document, field, text)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
    }
}

/// The token of a person of the demo, whose password was drawn for this installation; none where no token is given.
fn sign_in(address: &str, place: &Path, name: &str) -> (String, String) {
    let file = place.join(format!("secrets/demo_{name}.password"));
    let password = fs::read_to_string(file).unwrap().trim().to_owned();
    let body = json!({ "email": format!("{name}@arbora.example"), "password": password });
    let answer = ask(address, "POST", "/api/auth/login", "", Some(&body));
    let (_, rest) = answer
        .split_once("\"token\":\"")
        .unwrap_or_else(|| panic!("{answer}"));
    let token = rest.split('"').next().unwrap().to_owned();
    (token, password)
}

#[test]
fn nothing_that_somebody_sends_is_written_down() {
    // A mail address, a name, a tax number, a telephone, a key and a password as people write them.
    const SENT: [&str; 6] = [
        "canario.azul@correio.com.br",
        "Canário Azul de Souza",
        "529.982.247-25",
        "+55 11 98123-4567",
        "0x52908400098527886E0F7030069857D2E4169EE7",
        "Canário-canta-32-vezes!",
    ];
    let place = tempfile::tempdir().unwrap();
    let log = place.path().join("log");
    let written = run(server(place.path()).arg("openapi"));
    let document: Value = serde_json::from_slice(&written.stdout).unwrap();
    let running = all_ears(place.path(), &log);
    let address = running.address.clone();
    let data = fs::read_dir(place.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.join("secrets").is_dir())
        .unwrap();
    let parameter = regex::Regex::new(r"\{[A-Za-z]+\}").unwrap();
    let mut texts = SENT.into_iter().cycle();
    let mut secret = Vec::new();
    let mut bodies = 0;
    for name in ["trader1", "admin1"] {
        let (mut token, password) = sign_in(&address, &data, name);
        secret.push(password);
        for (path, calls) in document["paths"].as_object().unwrap() {
            for (method, call) in calls.as_object().unwrap() {
                let schema = &call["requestBody"]["content"]["application/json"]["schema"];
                if schema.is_null() {
                    continue;
                }
                let method = method.to_uppercase();
                let path = parameter.replace_all(path, "018f0000-0000-7000-8000-000000000001");
                let body = filled(&document, schema, &mut texts);
                let answer = ask(&address, &method, &path, &token, Some(&body));
                assert!(answer.starts_with("HTTP/1.1 "), "{method} {path}: {answer}");
                assert!(!answer.starts_with("HTTP/1.1 500"), "{method} {path}: {answer}");
                bodies += 1;
                secret.push(token.clone());
                // A call has ended the session.
                if answer.starts_with("HTTP/1.1 401") && !path.starts_with("/api/auth/") {
                    token = sign_in(&address, &data, name).0;
                }
            }
        }
    }
    running.signal(Signal::SIGTERM);
    running.ends_well();
    assert!(bodies > 200, "{bodies} bodies were sent");
    let written = fs::read_to_string(&log).unwrap();
    assert!(written.contains("stopping"), "the log is heard: {written}");
    secret.extend(SENT.map(str::to_owned));
    secret.sort();
    secret.dedup();
    for secret in &secret {
        let line = written.lines().find(|line| line.contains(secret.as_str()));
        assert_eq!(line, None, "{secret}");
    }
}
