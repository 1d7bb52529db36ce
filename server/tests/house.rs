//! The walls of the house: floors, where SQL may stand, who writes which schema, routes and their permissions, texts in
//! three languages, no float near money. A test here fails when the map in ARCHITECTURE.md stops being true.
// What cannot be arranged fails the test, where it happens.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "house_calls/mod.rs"]
mod calls;
#[path = "house_crates/mod.rs"]
mod crates;
#[path = "house_docs/mod.rs"]
mod docs;
#[path = "house_kept/mod.rs"]
mod kept;
#[path = "house_migrations/mod.rs"]
mod migrations;
#[path = "house_proxy/mod.rs"]
mod proxy;
#[path = "house_queues/mod.rs"]
mod queues;
#[path = "house_words/mod.rs"]
mod words;

use protocol::{ErrorCode, Permission};
use server::{
    app::{
        api,
        listener::{KEEP_ALIVE, LAST_ANSWERS},
        probes::figures::{FIGURES, Kind},
    },
    foundation::locale::Locale,
    identity::gate::{Access, Limit},
    routes::ROUTES,
};
use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
};
use walkdir::WalkDir;

/// Lower number, lower floor. A module may use floors below its own; siblings do not know each other.
const FLOORS: &[(&str, u8)] = &[
    ("config", 0),
    ("error", 0),
    ("foundation", 0),
    ("identity", 1),
    ("ledger", 2),
    ("approvals", 3),
    ("market", 3),
    ("affiliates", 4),
    ("licences", 5),
    ("payouts", 5),
    ("pools", 5),
    ("robots", 6),
    ("wallet", 6),
    ("pix", 6),
    ("transfers", 6),
    ("sponsorship", 6),
    ("treasury", 6),
    ("rulebook", 6),
    ("presale", 6),
    ("support", 6),
    ("content", 6),
    ("realtime", 7),
    ("reports", 7),
    ("notifications", 7),
    ("privacy", 7),
    ("app", 8),
    ("routes", 8),
    ("jobs", 8),
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every Rust file of the server: path below `src`, room, text without comment lines.
fn files() -> Vec<(PathBuf, String, String)> {
    let root = source();
    WalkDir::new(&root)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|e| e.path().extension().is_some_and(|x| x == "rs"))
        .map(|e| {
            let path = e.path().strip_prefix(&root).unwrap().to_owned();
            let first = path
                .components()
                .next()
                .unwrap()
                .as_os_str()
                .to_string_lossy()
                .into_owned();
            let room = first.trim_end_matches(".rs").to_owned();
            let text = fs::read_to_string(e.path()).unwrap();
            let code = text
                .lines()
                .filter(|l| !l.trim_start().starts_with("//"))
                .collect::<Vec<_>>()
                .join("\n");
            (path, room, code)
        })
        .collect()
}

#[test]
fn every_room_uses_only_the_floors_below() {
    let floors: HashMap<&str, u8> = FLOORS.iter().copied().collect();
    let mut wrong = Vec::new();
    for (path, room, code) in files() {
        if matches!(room.as_str(), "main" | "lib") {
            continue;
        }
        let own = *floors
            .get(room.as_str())
            .unwrap_or_else(|| panic!("{room} has no floor"));
        for used in used_rooms(&code) {
            let Some(floor) = floors.get(used.as_str()) else {
                continue;
            };
            let together = own == 0 && *floor == 0 || own == 8 && *floor == 8;
            if used != room && *floor >= own && !together {
                wrong.push(format!("{} uses {used}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Names behind `crate::`, also inside `use crate::{a, b::c}`.
fn used_rooms(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let word = |s: &str| {
        s.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect::<String>()
    };
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + 7..];
        if !rest.starts_with('{') {
            found.insert(word(rest));
            continue;
        }
        let (mut depth, mut fresh) = (0, true);
        for (i, c) in rest.char_indices() {
            match c {
                '{' => {
                    depth += 1;
                    fresh = depth == 1;
                    continue;
                }
                '}' => depth -= 1,
                ',' if depth == 1 => fresh = true,
                c if depth == 1 && fresh && c.is_alphabetic() => {
                    found.insert(word(&rest[i..]));
                    fresh = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    found
}

#[test]
fn sql_stands_only_in_stores() {
    let wrong: Vec<_> = files()
        .into_iter()
        .filter(|(path, _, code)| {
            let store = path
                .components()
                .any(|c| matches!(c.as_os_str().to_string_lossy().as_ref(), "store.rs" | "store"));
            let asks = [
                "sqlx::query",
                "query!(",
                "query_as!(",
                "query_scalar!(",
                "QueryBuilder",
            ]
            .iter()
            .any(|q| code.contains(q));
            asks && !store
        })
        .map(|(path, _, _)| path)
        .collect();
    assert!(wrong.is_empty(), "SQL outside a store: {wrong:#?}");
}

/// Whom a client trusts, and what it may say of a failure, is decided in one place. What follows `reqwest::` may name the type, not
/// make one or bring it in under a shorter name.
#[test]
fn only_outbound_makes_clients() {
    let makes = |code: &str| {
        let plain = [
            "reqwest::Client::",
            "reqwest::get(",
            "ClientBuilder",
            "ClientConfig::builder",
            "RootCertStore",
            "TlsConnector::from",
            // Providers of the chain that make a client of their own.
            "new_http(",
            "connect_http(",
        ];
        let imported = code.match_indices("use reqwest::").any(|(at, _)| {
            let names = code[at..].split(';').next().unwrap_or_default();
            names.split(|c: char| !c.is_alphanumeric()).any(|n| n == "Client")
        });
        imported || plain.iter().any(|p| code.contains(p))
    };
    for around in [
        "let http = reqwest::Client::new();",
        "use reqwest::{Method, Client};",
        "use reqwest::Client as Http;",
        "let roots = RootCertStore::empty();",
    ] {
        assert!(makes(around), "not found: {around}");
    }
    assert!(!makes(
        "use reqwest::{Method, StatusCode}; struct Venue { http: reqwest::Client }"
    ));
    let (within, without): (Vec<_>, Vec<_>) = files()
        .into_iter()
        .filter(|(_, _, code)| makes(code))
        .map(|(path, _, _)| path)
        .partition(|path| path.starts_with("foundation/outbound"));
    assert!(without.is_empty(), "a client is made in {without:#?}");
    assert!(!within.is_empty(), "foundation/outbound makes none");
}

#[test]
fn a_room_writes_only_its_own_schema() {
    let mut wrong = Vec::new();
    for (path, room, code) in files() {
        // What payouts change is named by the room above them.
        for verb in ["INSERT INTO ", "UPDATE ", "DELETE FROM ", "rows: \""] {
            for (at, _) in code.match_indices(verb) {
                let target: String = code[at + verb.len()..]
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
                    .collect();
                if let Some((schema, _)) = target.split_once('.')
                    && FLOORS.iter().any(|(name, _)| *name == schema)
                    && schema != room
                {
                    wrong.push(format!("{} writes {target}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_route_table_and_the_handlers_are_the_same() {
    // The document does not describe itself.
    let undocumented = ["/openapi.json"];
    let table: BTreeSet<(String, String)> = ROUTES
        .iter()
        .filter(|r| !undocumented.contains(&r.path))
        .map(|r| (r.method.to_owned(), r.path.to_owned()))
        .collect();
    assert_eq!(
        table.len() + undocumented.len(),
        ROUTES.len(),
        "a route stands twice in the table"
    );
    let handled: BTreeSet<(String, String)> = api::handled_paths().into_iter().collect();
    let missing: Vec<_> = table.difference(&handled).collect();
    let unlisted: Vec<_> = handled.difference(&table).collect();
    assert!(
        missing.is_empty() && unlisted.is_empty(),
        "without handler: {missing:#?}\nnot in the table: {unlisted:#?}"
    );
}

/// What is counted anywhere stands on the page of figures with a sentence, and nothing stands there that nobody counts.
#[test]
fn every_figure_is_described() {
    let actors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../actors/src");
    let mut texts: Vec<String> = files().into_iter().map(|(_, _, code)| code).collect();
    for entry in WalkDir::new(actors).into_iter().filter_map(Result::ok) {
        if entry.path().extension().is_some_and(|x| x == "rs") {
            texts.push(fs::read_to_string(entry.path()).unwrap());
        }
    }
    let mut counted = BTreeSet::new();
    for text in &texts {
        for kind in ["counter", "gauge", "histogram"] {
            for (at, call) in text.match_indices(&format!("metrics::{kind}!(")) {
                let rest = text[at + call.len()..].trim_start();
                let name = rest.strip_prefix('"').and_then(|r| r.split('"').next());
                counted.insert((
                    kind,
                    name.expect("a figure is named where it is counted").to_owned(),
                ));
            }
        }
    }
    let described: BTreeSet<(&str, String)> = FIGURES
        .iter()
        .map(|(name, kind, _)| {
            let kind = match kind {
                Kind::Counter => "counter",
                Kind::Gauge => "gauge",
                Kind::Histogram => "histogram",
            };
            (kind, (*name).to_owned())
        })
        .collect();
    let differ: Vec<_> = counted.symmetric_difference(&described).collect();
    assert!(differ.is_empty(), "{differ:#?}");
}

/// The value behind a word of a configuration file, as seconds.
fn seconds(text: &str, words: &str) -> u64 {
    let line = text
        .lines()
        .map(str::trim)
        .find_map(|line| line.strip_prefix(words));
    let value = line.unwrap_or_else(|| panic!("{words} is missing"));
    value
        .trim_end_matches(';')
        .trim_end_matches('s')
        .trim()
        .parse()
        .unwrap()
}

/// Who closes a resting connection first must be the one who sends: the other side's request would run into the close.
#[test]
fn the_proxy_lets_go_of_connections_before_the_server_and_a_stop_has_its_time() {
    let docker = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docker");
    let proxy = fs::read_to_string(docker.join("nginx.conf")).unwrap();
    let (_, upstream) = proxy.split_once("upstream arbora {").unwrap();
    let (upstream, _) = upstream.split_once("\n    }").unwrap();
    assert!(
        KEEP_ALIVE.as_secs() > seconds(upstream, "keepalive_timeout"),
        "{KEEP_ALIVE:?}"
    );
    let compose = fs::read_to_string(docker.join("compose.yaml")).unwrap();
    let stop = KEEP_ALIVE + LAST_ANSWERS;
    assert!(
        seconds(&compose, "stop_grace_period:") >= stop.as_secs() + 10,
        "{stop:?}"
    );
}

#[test]
fn public_routes_are_few_and_known() {
    // The list only shrinks; every other route needs a session, which `api/refusals.rs` tries one by one. 2026-11-25: 18, for the two calls behind
    // the links of another e-mail: the mailbox that comes may be open on a device that is not signed in, and the token is the proof.
    // 2026-11-27: 22, for the way to Google and back: whoever signs in is not signed in yet; and for the video behind a link, which a player
    // asks for without a header: the link was given to who is signed in, and bears our mark. 23, for how long what is kept:
    // whoever registers reads it before there is an account, and it says nothing of anybody. 2026-11-28: 25, for the two calls of signing in with a
    // passkey: what it is asked for names nobody, and what it shows is the proof.
    let public: Vec<_> = ROUTES
        .iter()
        .filter(|r| r.access == Access::Public)
        .map(|r| r.path)
        .collect();
    assert!(public.len() <= 25, "{public:#?}");
    for route in ROUTES.iter().filter(|r| r.path.starts_with("/admin")) {
        assert!(
            matches!(route.access, Access::Permission(_)),
            "{} needs a permission",
            route.path
        );
    }
}

/// What is skipped outright is missing in the document, and whoever sends it by the document is refused for nothing.
#[test]
fn no_field_that_a_call_takes_is_missing_in_its_document() {
    for (path, _, code) in files() {
        for line in code.lines() {
            let outright = line.replace("skip_serializing_if", "");
            assert!(
                !outright.contains("skip_serializing"),
                "{}: {line}",
                path.display()
            );
        }
    }
}

#[test]
fn every_error_has_a_text_in_every_language() {
    for locale in Locale::ALL {
        let mut keys = locale.keys("errors");
        keys.sort_unstable();
        let mut codes: Vec<_> = ErrorCode::ALL.iter().map(|c| c.as_str()).collect();
        codes.sort_unstable();
        assert_eq!(keys, codes, "{}", locale.as_str());
    }
}

#[test]
fn no_float_near_money() {
    let roots = [
        "ledger",
        "licences",
        "pix",
        "payouts",
        "approvals",
        "affiliates",
        "robots",
        "transfers",
        "sponsorship",
        "treasury",
        "rulebook",
        "presale",
        "pools",
    ];
    let protocol = Path::new(env!("CARGO_MANIFEST_DIR")).join("../actors/protocol/src/money.rs");
    let mut texts: Vec<(PathBuf, String)> = files()
        .into_iter()
        .filter(|(_, room, _)| roots.contains(&room.as_str()))
        .map(|(p, _, t)| (p, t))
        .collect();
    texts.push((protocol.clone(), fs::read_to_string(protocol).unwrap()));
    for (path, text) in texts {
        for float in ["f32", "f64"] {
            let found = text.match_indices(float).any(|(at, _)| {
                let before = text[..at].chars().next_back();
                !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
            });
            assert!(!found, "{} holds {float}", path.display());
        }
    }
}

#[test]
fn files_stay_of_one_purpose() {
    let long: Vec<_> = files()
        .into_iter()
        .filter(|(_, _, code)| code.lines().count() > 600)
        .map(|(p, _, _)| p)
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}

/// Where files rest is decided in one place: a folder's path, or a store's client, anywhere else would know only one of them.
#[test]
fn what_people_gave_is_reached_by_its_shelves_alone() {
    let reaches = |code: &str| {
        ["context.files", ".uploads()", "object_store::"]
            .iter()
            .any(|way| code.contains(way))
    };
    assert!(reaches("let path = context.files.join(name);"));
    let (within, without): (Vec<_>, Vec<_>) = files()
        .into_iter()
        .filter(|(_, _, code)| reaches(code))
        .map(|(path, _, _)| path)
        .partition(|path| path.starts_with("foundation"));
    assert_eq!(
        without,
        [Path::new("app/commands.rs")],
        "the start alone makes them"
    );
    let store: Vec<_> = within
        .iter()
        .filter(|path| {
            fs::read_to_string(source().join(path)).is_ok_and(|code| code.contains("object_store::"))
        })
        .collect();
    assert_eq!(store, [Path::new("foundation/files/shelves.rs")]);
}

/// A sum is numeric: cast by itself it fails as soon as somebody has typed enough. `foundation.clamped` makes an amount of it.
#[test]
fn sums_are_clamped_and_never_cast() {
    let mut wrong = Vec::new();
    for (path, _, code) in files() {
        for line in code.lines() {
            let line = line.to_lowercase();
            // The lots before one of a licence: subtracted within the statement, bounded by the licence.
            if line.contains("sum(") && line.contains(")::bigint") && !line.contains("as older") {
                wrong.push(format!("{}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What a refusal says is read by people: a time in it is written as they write it. `at` beside `shown` is for programs.
#[test]
fn no_refusal_says_a_time_as_programs_write_it() {
    let wrong: Vec<_> = files()
        .into_iter()
        .flat_map(|(path, _, code)| {
            let raw =
                |line: &&str| line.contains(".with(") && line.contains("Rfc3339") && !line.contains("\"at\"");
            let lines: Vec<_> = code.lines().filter(raw).map(str::to_owned).collect();
            lines
                .into_iter()
                .map(move |line| format!("{}: {}", path.display(), line.trim()))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Money leaves through the guard alone: what is marked outbound reaches it, what reaches it is marked, and what moves money
/// out is handed the guard's word.
#[test]
fn money_leaves_only_past_the_guard() {
    const GUARD: &str = "approvals::guard::outbound";
    let house = calls::House::read(&source());
    let reaching = house.reaching(GUARD);
    let mut wrong = Vec::new();
    let mut marked = 0;
    for route in ROUTES {
        let handlers = house.handlers(route.method, route.path);
        let passes = handlers.iter().any(|h| reaching.contains(h));
        marked += usize::from(route.outbound);
        if route.outbound && !passes {
            wrong.push(format!(
                "{} {} is outbound and does not reach the guard",
                route.method, route.path
            ));
        }
        if passes && !route.outbound {
            wrong.push(format!(
                "{} {} reaches the guard and is not marked outbound",
                route.method, route.path
            ));
        }
    }
    wrong.extend(house.moves_out_without_a_verdict());
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(marked > 0, "no route is marked outbound");
}

/// Who looks at an account as its owner sees it reads what is the owner's, and no more: no other method, nothing of staff's, no money that leaves,
/// nothing that anybody may call, no list of where one is signed in (docs/decisions/0085-looking-as-somebody.md).
#[test]
fn what_a_look_may_see_is_only_read_and_ones_own() {
    let seen: Vec<_> = ROUTES.iter().filter(|r| r.seen).collect();
    for route in &seen {
        let own = match route.access {
            Access::SignedIn => route.path == "/me",
            Access::Permission(permission) => permission == Permission::RegisteredUser,
            Access::Public => false,
        };
        assert!(
            own && route.method == "GET" && !route.outbound && !route.path.starts_with("/admin"),
            "{} {}",
            route.method,
            route.path
        );
        let shut = [
            "/files",
            "/me/",
            "/sessions",
            "/support",
            "/notifications",
            "/whitelist",
            "/ws",
            "/content",
        ];
        assert!(
            !shut.iter().any(|begin| route.path.starts_with(begin)),
            "{}",
            route.path
        );
        let is_file = [".csv", ".pdf"].iter().any(|end| route.path.ends_with(end));
        assert!(!is_file && route.limit == Limit::Read, "{}", route.path);
    }
    assert!(seen.len() > 40, "{} marked", seen.len());
}

/// The test above is able to fail.
#[test]
fn a_way_around_the_guard_is_found() {
    let house = calls::House::of(&[
        (
            "approvals/guard/mod.rs",
            "pub struct Verdict; pub async fn outbound() -> Verdict { Verdict }",
        ),
        (
            "transfers/service.rs",
            "use crate::{approvals::guard::{self, Verdict}, ledger::service as ledger};
             pub async fn good() { let v = guard::outbound().await; book(&v).await; }
             async fn book(_: &Verdict) { ledger::post(Transfer::new(TransferKind::UserTransfer)).await; }
             pub async fn bad() { ledger::post(Transfer::new(TransferKind::UserTransfer)).await; }
             pub async fn worse() { ledger::post_hold(hold).await; }",
        ),
        (
            "wallet/withdrawals/sending.rs",
            "use crate::{approvals::guard::Verdict, wallet::chain::signer::Warrant};
             fn asked(_: Option<&Verdict>) -> Warrant { Warrant { digest } }
             fn unasked() -> Warrant { Warrant { digest } }",
        ),
        (
            "transfers/routes.rs",
            "use super::service;
             #[post(\"/good\")] pub async fn good() { service::good().await }
             #[post(\"/bad\")] pub async fn bad() { service::bad().await }",
        ),
    ]);
    let reaching = house.reaching("approvals::guard::outbound");
    let passes = |path| house.handlers("POST", path).iter().any(|h| reaching.contains(h));
    assert!(passes("/good"));
    assert!(!passes("/bad"));
    assert_eq!(
        house.moves_out_without_a_verdict(),
        [
            "transfers::service::bad moves money out without the guard's word",
            "transfers::service::worse moves money out without the guard's word",
            "wallet::withdrawals::sending::unasked moves money out without the guard's word"
        ]
    );
}

/// Two types of one name would silently become one in the document that the client is generated from.
#[test]
fn every_type_of_the_api_document_has_a_name_of_its_own() {
    let mut places: HashMap<String, Vec<String>> = HashMap::new();
    let protocol = Path::new(env!("CARGO_MANIFEST_DIR")).join("../actors/protocol/src");
    for folder in [source(), protocol] {
        for entry in WalkDir::new(folder).into_iter().filter_map(Result::ok) {
            if entry.path().extension().is_none_or(|x| x != "rs") {
                continue;
            }
            let text = fs::read_to_string(entry.path()).unwrap();
            for derived in text.split("ToSchema").skip(1) {
                let head = derived.split('{').next().unwrap_or_default();
                if head.contains("schema(as") {
                    continue;
                }
                let mut words = head
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .skip_while(|w| *w != "struct" && *w != "enum");
                // Inside a macro the name is a variable.
                if let Some(name) = words.nth(1).filter(|name| !name.is_empty()) {
                    let place = entry.path().display().to_string();
                    places.entry(name.to_owned()).or_default().push(place);
                }
            }
        }
    }
    assert!(places.len() > 50, "the types are found");
    let shared: Vec<_> = places.iter().filter(|(_, files)| files.len() > 1).collect();
    assert!(shared.is_empty(), "{shared:#?}");
}
