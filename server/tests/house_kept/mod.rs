//! The walls of retention: what people are told of it is what the jobs do. Every period that something is deleted by, and every table that
//! is deleted from by time, stands in the table; the rules' page says the same; what stays for ever is deleted nowhere.

use super::files;
use regex::Regex;
use server::{
    jobs::JOBS,
    privacy::retention::{LINES, Line},
};
use std::{collections::BTreeSet, fs, path::Path};

/// Nothing is kept there: sums of days that were closed, what an operation under way holds of an allocation, blocks behind the cursor.
const NOT_KEPT: [&str; 3] = ["affiliates.leg_points", "robots.reservation", "wallet.block"];

fn constants() -> BTreeSet<String> {
    let deleted = LINES.iter().filter_map(|line| line.deleted);
    deleted.map(|d| d.constant.replace(' ', "")).collect()
}

/// The bodies of the functions that delete what is old, each with its file.
fn bodies() -> Vec<(String, String)> {
    let head = Regex::new(r"(?m)^pub(?:\(super\))? async fn (?:prune|sweep)\(").unwrap();
    files()
        .iter()
        .filter(|(path, ..)| path.file_name().is_some_and(|name| name != "store.rs"))
        .flat_map(|(path, _, code)| {
            head.find_iter(code)
                .map(|found| {
                    let rest = &code[found.start()..];
                    let end = rest.find("\n}").unwrap_or(rest.len());
                    (path.display().to_string(), rest[..end].to_owned())
                })
                .collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn every_period_stands_in_the_table() {
    let period = Regex::new(r"(?m)^pub const (\w+): Duration").unwrap();
    let mut kept: BTreeSet<String> = files()
        .iter()
        .filter(|(path, ..)| path.ends_with("kept.rs"))
        .flat_map(|(_, room, code)| {
            let names = period.captures_iter(code);
            names
                .map(|name| format!("{room}::kept::{}", &name[1]))
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(kept.len() > 10, "{kept:?}");
    kept.insert("rules::LIFE".to_owned());
    assert_eq!(constants(), kept);
    let named = LINES.iter().filter(|line| line.deleted.is_some()).count();
    assert_eq!(named, kept.len(), "one line for each");
}

#[test]
fn what_deletes_goes_by_these_periods_alone() {
    let bodies = bodies();
    assert!(bodies.len() > 10, "{bodies:#?}");
    let own = Regex::new(r"Duration|seconds|hours|days").unwrap();
    let wrong: Vec<_> = bodies.iter().filter(|(_, body)| own.is_match(body)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    for constant in constants().iter().filter(|constant| constant.contains("kept::")) {
        let (_, name) = constant.split_once("::").unwrap();
        let uses = Regex::new(&format!(r"- (?:super::)*{name}\b")).unwrap();
        assert!(
            bodies.iter().any(|(_, body)| uses.is_match(body)),
            "nothing is deleted by {constant}"
        );
    }
    let kinds: BTreeSet<&str> = JOBS.iter().map(|(kind, _)| *kind).collect();
    let of_table: BTreeSet<&str> = LINES.iter().filter_map(|line| Some(line.deleted?.job)).collect();
    assert!(of_table.is_subset(&kinds), "{of_table:?}");
    for kind in kinds.iter().filter(|kind| kind.ends_with("prune")) {
        assert!(of_table.contains(kind), "{kind} has no line");
    }
}

#[test]
fn every_table_that_loses_rows_by_time_stands_in_the_table() {
    let delete = Regex::new(r#"DELETE FROM (\w+\.\w+)\b([^"]*)"#).unwrap();
    let (mut by_time, mut at_all) = (BTreeSet::new(), BTreeSet::new());
    for (_, _, code) in files() {
        for found in delete.captures_iter(&code) {
            at_all.insert(found[1].to_owned());
            if found[2].contains("< $") || found[2].contains("<= $") {
                by_time.insert(found[1].to_owned());
            }
        }
    }
    let tables = |gone: bool| -> BTreeSet<String> {
        let lines = LINES.iter().filter(|line| line.deleted.is_some() == gone);
        lines
            .flat_map(|line| line.tables.iter().map(|table| (*table).to_owned()))
            .collect()
    };
    let mut told = tables(true);
    told.extend(NOT_KEPT.map(str::to_owned));
    assert_eq!(by_time, told);
    let stay = tables(false);
    let lost: Vec<_> = stay.intersection(&at_all).collect();
    assert!(lost.is_empty(), "kept for ever, and deleted: {lost:?}");
    let migrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations");
    let made: String = fs::read_dir(migrations)
        .unwrap()
        .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    for table in &stay {
        assert!(made.contains(&format!("CREATE TABLE {table} (")), "{table}");
    }
}

fn word(line: &Line) -> String {
    let what = serde_json::to_value(line.what).unwrap();
    what.as_str().unwrap().to_owned()
}

fn time(line: &Line) -> String {
    let Some(deleted) = line.deleted else {
        return "for ever".to_owned();
    };
    let (hours, days) = (deleted.after.whole_hours(), deleted.after.whole_days());
    match (days, hours) {
        (0, 0) => "–".to_owned(),
        (0, 1) => "an hour".to_owned(),
        (0, hours) => format!("{hours} hours"),
        (1, _) => "a day".to_owned(),
        (days, _) => format!("{days} days"),
    }
}

#[test]
fn the_rules_say_what_the_table_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rules/foundation.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, section) = page.split_once("\n## Retention\n").unwrap();
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
    for line in LINES {
        let row = format!("| `{}` | {} | ", word(line), time(line));
        assert!(
            rows.iter().any(|one| one.starts_with(&row)),
            "docs/rules/foundation.md lacks {row}"
        );
    }
    assert_eq!(rows.len(), LINES.len(), "a row for each, and no other");
}
