//! What the proxy of `docker/nginx.conf` writes down of a path: nothing that a link or a call carries in it. Its map is read from the
//! file and applied as nginx does: the first expression that matches wins.

use regex::Regex;
use server::routes::ROUTES;
use std::{fs, path::Path};
use walkdir::WalkDir;

/// What stands in paths, as it really looks.
const TOKENS: [&str; 9] = [
    "dGhpcy1pcy1hLXRva2VuLW9mLTMyLWJ5dGVzLWhlcmU",
    "AbCdEfGhIjKlMnOpQrStUvWxYz_-AbCdEfGhIjKlMnO",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "0192f1c4-7b7a-7c3e-9a51-3f0f6c1d2e4b",
    "eadbeefc-abcd-4eef-abcd-abcdefabcdef",
    "493027",
    "ana.lima+x@correio.com.br",
    "0x55d398326f99059fF775485246999027B3197955",
    "1250.75",
];
/// Somebody's name has no digit by which it could be told from a word of ours.
const NAMES: [&str; 3] = ["analima", "ana-lima", "Ana_Lima"];
/// Parameters that only a word of ours fits into: nothing is known of anybody by them.
const OUR_WORDS: [(&str, &str); 2] = [
    ("/dashboard/analytics/{param}", "param"),
    ("/admin/coverage/{kind}/{id}", "kind"),
];

fn root(path: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The map of a path to what is shown of it.
struct Map {
    expressions: Vec<(Regex, String)>,
    default: String,
}

impl Map {
    fn read(conf: &str) -> Self {
        let (_, rest) = conf
            .split_once("map $uri $shown_path {")
            .expect("the map stands in the file");
        let entry = Regex::new(r#"^(?:"(~\*?)(.*)"|(default))\s+"(.*)";$"#).unwrap();
        let mut map = Self {
            expressions: Vec::new(),
            default: String::new(),
        };
        for line in rest.lines().map(str::trim).skip(1) {
            if line == "}" {
                assert!(
                    !map.default.is_empty(),
                    "without a default nothing is said of other paths"
                );
                return map;
            }
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let read = entry
                .captures(line)
                .unwrap_or_else(|| panic!("not understood: {line}"));
            let value = read[4].to_owned();
            if read.get(3).is_some() {
                map.default = value;
            } else {
                let sizes = if &read[1] == "~*" { "(?i)" } else { "" };
                let expression = Regex::new(&format!("{sizes}{}", &read[2])).unwrap();
                map.expressions.push((expression, value));
            }
        }
        panic!("the map has no end");
    }

    fn shown(&self, path: &str) -> String {
        let found = self.expressions.iter().find_map(|(expression, value)| {
            let groups = expression.captures(path)?;
            Some(
                expression
                    .capture_names()
                    .flatten()
                    .fold(value.clone(), |value, name| {
                        let text = groups.name(name).map_or("", |group| group.as_str());
                        value.replace(&format!("${name}"), text)
                    }),
            )
        });
        found.unwrap_or_else(|| self.default.clone())
    }
}

/// Every path that the product answers, parameters in braces: calls, pages of the server, screens.
fn paths() -> Vec<String> {
    let mut all: Vec<String> = ROUTES.iter().map(|route| format!("/api{}", route.path)).collect();
    let page = Regex::new(r#"web::resource\("(/[^"]+)"\)"#).unwrap();
    for entry in WalkDir::new(super::source()).into_iter().filter_map(Result::ok) {
        if entry.path().extension().is_some_and(|x| x == "rs") {
            let text = fs::read_to_string(entry.path()).unwrap();
            all.extend(page.captures_iter(&text).map(|found| found[1].to_owned()));
        }
    }
    let screen = Regex::new(r"\b(?:open|inside)\(\s*'([^']+)'").unwrap();
    let parameter = Regex::new(r":([A-Za-z]+)\??").unwrap();
    for table in ["web/src/app/publicPages.ts", "web/src/app/pages.ts"] {
        let text = root(table);
        let found: Vec<String> = screen
            .captures_iter(&text)
            .map(|found| parameter.replace_all(&found[1], "{$1}").into_owned())
            .collect();
        assert!(found.len() > 5, "{table}: {found:?}");
        all.extend(found);
    }
    all
}

fn parameters(path: &str) -> Vec<&str> {
    path.split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
        .collect()
}

/// What a parameter may hold. One that nobody has thought of may hold everything.
fn values(path: &str, parameter: &str) -> Vec<&'static str> {
    let word = |(known, name): &(&str, &str)| path.trim_start_matches("/api") == *known && parameter == *name;
    if OUR_WORDS.iter().any(word) || parameter == "locale" {
        return Vec::new();
    }
    let id = parameter == "id"
        || parameter.ends_with("Id")
        || matches!(parameter, "licence" | "transfer" | "idTicket");
    let names: &[&str] = if id { &[] } else { &NAMES };
    TOKENS.iter().chain(names).copied().collect()
}

#[test]
fn the_proxy_writes_down_no_token_no_address_and_no_name() {
    let map = Map::read(&root("docker/nginx.conf"));
    let mut wrong = Vec::new();
    let mut tried = 0;
    for path in paths() {
        let all = parameters(&path);
        if all.is_empty() {
            let shown = map.shown(&path);
            if shown != path {
                wrong.push(format!("{path} has no parameter and is shown as {shown}"));
            }
        }
        for parameter in &all {
            for value in values(&path, parameter) {
                let filled = all.iter().fold(path.clone(), |filled, name| {
                    let text = if name == parameter { value } else { "2" };
                    filled.replace(&format!("{{{name}}}"), text)
                });
                for filled in [filled.clone(), format!("{filled}/"), filled.to_uppercase()] {
                    tried += 1;
                    let shown = map.shown(&filled);
                    if shown.to_lowercase().contains(&value.to_lowercase()) {
                        wrong.push(format!(
                            "{filled} is shown as {shown}: {{{parameter}}} of {path} is written down"
                        ));
                    }
                }
            }
        }
    }
    assert!(tried > 1_000, "{tried}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_no_path_of_ours_is_masked_from_where_it_stops_to_be_words() {
    let map = Map::read(&root("docker/nginx.conf"));
    for (path, shown) in [
        ("/", "/"),
        ("/api/me", "/api/me"),
        ("/assets/index-Dk3f_9aZ.js", "/assets/index-Dk3f_9aZ.js"),
        ("/some/new/thing/493027", "/some/new/thing/..."),
        ("/api/oauth/google/callback", "/api/oauth/google/callback"),
        ("/oauth/callback/token/abc", "/oauth/callback/token/..."),
        ("/REF/analima", "/REF/..."),
        ("/493027", "/..."),
        ("/ana@correio.br/x", "/..."),
    ] {
        assert_eq!(map.shown(path), shown, "{path}");
    }
}

/// The map is of no use beside a line that holds the path as it came.
#[test]
fn nothing_else_of_a_request_reaches_a_log_of_the_proxy() {
    let conf = root("docker/nginx.conf");
    let (_, format) = conf
        .split_once("log_format short")
        .expect("the format stands in the file");
    let (format, _) = format.split_once(';').unwrap();
    let variable = Regex::new(r"\$[a-z_]+").unwrap();
    let written: Vec<&str> = variable.find_iter(format).map(|found| found.as_str()).collect();
    let allowed = [
        "$remote_addr",
        "$request_method",
        "$shown_path",
        "$status",
        "$request_time",
        "$upstream_addr",
        "$upstream_status",
        "$upstream_connect_time",
    ];
    assert_eq!(written, allowed);
    let directives = || conf.lines().map(str::trim);
    for line in directives().filter(|line| line.starts_with("access_log")) {
        assert!(line.ends_with(" short;"), "{line}");
    }
    let inside: Vec<&str> = directives()
        .skip_while(|line| *line != "http {")
        .filter(|line| line.starts_with("error_log"))
        .collect();
    assert_eq!(inside, ["error_log /dev/null emerg;"]);
}
