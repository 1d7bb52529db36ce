//! The walls of the documents: what the code cites and what pages link to is there, tables say what the code says, the map is a page.

use server::rulebook::descriptors::{DESCRIPTORS, Kind, body};
use std::{
    collections::BTreeSet,
    fs,
    path::{Component, Path, PathBuf},
    sync::LazyLock,
};
use walkdir::WalkDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Every text of the repository by its path from the root, without what is built, fetched or kept by a run.
static TEXTS: LazyLock<Vec<(PathBuf, String)>> = LazyLock::new(|| {
    let root = root();
    let foreign = [
        "target",
        "node_modules",
        "dist",
        "test-results",
        "playwright-report",
        "recordings",
    ];
    WalkDir::new(&root)
        .into_iter()
        .filter_entry(|e| {
            let name = e.file_name().to_string_lossy();
            e.depth() == 0 || !(name.starts_with('.') || foreign.contains(&name.as_ref()))
        })
        .filter_map(Result::ok)
        .filter(|e| e.file_type().is_file())
        .filter_map(|e| {
            let text = fs::read_to_string(e.path()).ok()?;
            Some((e.path().strip_prefix(&root).unwrap().to_owned(), text))
        })
        .collect()
});

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|x| x == "md")
}

/// A page's lines outside of code.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    page.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// A heading as links name it.
fn slug(heading: &str) -> String {
    heading
        .trim()
        .to_lowercase()
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
            _ => None,
        })
        .collect()
}

fn headings(page: &str) -> BTreeSet<String> {
    prose(page)
        .filter(|line| line.starts_with('#'))
        .map(|line| slug(line.trim_start_matches('#')))
        .collect()
}

/// Why a place in a page does not exist.
fn missing(path: &Path, anchor: Option<&str>) -> Option<String> {
    let full = root().join(path);
    let Some(anchor) = anchor.filter(|a| !a.is_empty()) else {
        return (!full.exists()).then(|| format!("{} is not there", path.display()));
    };
    match fs::read_to_string(&full) {
        Ok(page) if headings(&page).contains(anchor) => None,
        Ok(_) => Some(format!("{} has no heading {anchor}", path.display())),
        Err(_) => Some(format!("{} is not there", path.display())),
    }
}

const RULES: &str = "docs/rules/";

/// The rules that a text cites: page and heading.
fn cited(text: &str) -> Vec<(String, Option<String>)> {
    let word = |s: &str| -> String {
        s.chars()
            .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
            .collect()
    };
    text.match_indices(RULES)
        .filter_map(|(at, _)| {
            let rest = &text[at + RULES.len()..];
            let name = word(rest);
            let rest = rest[name.len()..].strip_prefix(".md")?;
            let anchor = rest.strip_prefix('#').map(word);
            Some((format!("{RULES}{name}.md"), anchor))
        })
        .collect()
}

#[test]
fn cited_rules_exist() {
    let mut wrong = Vec::new();
    let mut found = 0;
    for (path, text) in TEXTS.iter() {
        // Pages cite as they link; that is the next test's.
        if is_page(path) || path.ends_with("house_docs/mod.rs") {
            continue;
        }
        for (page, anchor) in cited(text) {
            found += 1;
            if let Some(why) = missing(Path::new(&page), anchor.as_deref()) {
                wrong.push(format!("{}: {why}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(found > 50, "the code cites its rules");
}

#[test]
fn citations_are_found() {
    let text = "docs/rules/pix.md#withdrawals, docs/rules/ledger.md. docs/rules/README";
    assert_eq!(
        cited(text),
        [
            ("docs/rules/pix.md".to_owned(), Some("withdrawals".to_owned())),
            ("docs/rules/ledger.md".to_owned(), None),
        ]
    );
    assert_eq!(slug(" Amounts and rounding "), "amounts-and-rounding");
    assert!(missing(Path::new("docs/rules/pix.md"), Some("nothing-of-that-name")).is_some());
    assert!(missing(Path::new("docs/rules/nothing.md"), None).is_some());
}

/// What the code cites is in the repository. Applied migrations cannot be changed.
#[test]
fn nothing_outside_the_repository_is_cited() {
    let pages = [
        "domain",
        "safety",
        "product",
        "architecture",
        "stack",
        "style",
        "look",
        "screens",
        "vectors",
    ]
    .map(|name| format!("{name}.md"));
    let sections = ["[spec", "[Spec", "spec §", "Spec §"];
    let mut wrong = Vec::new();
    for (path, text) in TEXTS.iter() {
        if path.starts_with("migrations") || path.ends_with("house_docs/mod.rs") {
            continue;
        }
        for name in &pages {
            let alone = |at: usize| {
                !text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.'))
            };
            if text.match_indices(name.as_str()).any(|(at, _)| alone(at)) {
                wrong.push(format!("{} cites {name}", path.display()));
            }
        }
        for section in sections {
            if text.contains(section) {
                wrong.push(format!("{} cites {section}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A path without its steps back.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

#[test]
fn links_of_pages_resolve() {
    let mut wrong = Vec::new();
    for (path, page) in TEXTS.iter().filter(|(path, _)| is_page(path)) {
        let prose: String = prose(page).collect::<Vec<_>>().join("\n");
        for (at, _) in prose.match_indices("](") {
            let rest = &prose[at + 2..];
            let target = rest.split(')').next().unwrap_or_default();
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = target
                .split_once('#')
                .map_or((target, None), |(file, anchor)| (file, Some(anchor)));
            let folder = path.parent().unwrap_or(Path::new(""));
            let whole = if file.is_empty() {
                path.clone()
            } else {
                plain(&folder.join(file))
            };
            if let Some(why) = missing(&whole, anchor) {
                wrong.push(format!("{}: {why}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_map_is_a_page() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    assert!(map.lines().count() <= 150, "{} lines", map.lines().count());
}

/// A number without zeros that say nothing.
fn brief(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

#[test]
fn settings_are_explained_as_they_are() {
    let page = fs::read_to_string(root().join("docs/rules/settings.md")).unwrap();
    let defaults = body(&Default::default());
    let mut wrong = Vec::new();
    for d in DESCRIPTORS {
        let unit = match d.kind {
            Kind::Percent => "%",
            Kind::Usdt => "USDT",
            Kind::Count => "count",
            Kind::Days | Kind::MonthDays => "days",
            Kind::Hours => "h",
            Kind::Minutes => "min",
            Kind::Seconds => "s",
            Kind::Milliseconds => "ms",
            Kind::Rate => "BRL",
            Kind::Flag => "flag",
            Kind::Text => "characters",
        };
        let line = format!(
            "| `{}` | {} | {} | {} | {unit} | {} | ",
            d.key,
            brief(&d.show(&defaults[d.key])),
            brief(&d.bound(d.least)),
            brief(&d.bound(d.most)),
            if d.money { "yes" } else { "no" },
        );
        if !page.lines().any(|l| l.starts_with(&line)) {
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty(), "docs/rules/settings.md lacks: {wrong:#?}");
    let rows = page.lines().filter(|l| l.starts_with("| `")).count();
    assert_eq!(rows, DESCRIPTORS.len(), "a setting that is gone");
}

/// Names of variables as the configuration reads them stand in quotes, in capitals.
#[test]
fn every_variable_is_explained_to_operators() {
    let page = fs::read_to_string(root().join("docs/operations.md")).unwrap();
    let is_name = |s: &str| {
        s.contains('_')
            && !s.ends_with('_')
            && s.len() > 6
            && s.starts_with(|c: char| c.is_ascii_uppercase())
            && s.bytes()
                .all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit())
    };
    let mut unknown = BTreeSet::new();
    for (path, text) in TEXTS.iter() {
        if !path.starts_with("server/src/config") {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for name in code.split('"').filter(|s| is_name(s)) {
            if !page.contains(&format!("`{name}`")) {
                unknown.insert(name.to_owned());
            }
        }
    }
    assert!(unknown.is_empty(), "docs/operations.md lacks {unknown:#?}");
}
