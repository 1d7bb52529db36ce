//! What a migration holds while it runs: whoever runs a large platform reads it before (docs/operations.md#migrations).

use std::{collections::BTreeSet, fs, path::Path};

/// From this one on a migration says which tables it holds; those before cannot be changed, and the page names them.
const SAYS: u32 = 210;

/// Its statements in one line each, without comments.
fn statements(text: &str) -> Vec<String> {
    let code: Vec<&str> = text
        .lines()
        .map(|line| line.split_once("--").map_or(line, |(code, _)| code))
        .collect();
    code.join("\n")
        .split(';')
        .map(|statement| statement.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

/// The table whose name begins here.
fn table(text: &str) -> String {
    let name: String = text
        .trim_start_matches("ONLY ")
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))
        .collect();
    name
}

/// Tables that were there before and are read whole while nobody may write to them: an index is built, a constraint looked at, rows are written
/// anew.
fn held(text: &str) -> BTreeSet<String> {
    let statements = statements(text);
    let made: BTreeSet<String> = statements
        .iter()
        .filter_map(|s| s.strip_prefix("CREATE TABLE "))
        .map(table)
        .collect();
    let index = |s: &str| {
        let rest = s
            .strip_prefix("CREATE INDEX ")
            .or_else(|| s.strip_prefix("CREATE UNIQUE INDEX "))?;
        rest.split_once(" ON ").map(|(_, on)| table(on))
    };
    let whole = |s: &str| {
        let checks = s.contains("ADD CONSTRAINT ") && !s.contains("NOT VALID");
        let writes = s.contains(" STORED") || s.contains("ALTER COLUMN") && s.contains(" TYPE ");
        s.strip_prefix("ALTER TABLE ")
            .filter(|_| checks || writes)
            .map(table)
    };
    statements
        .iter()
        .filter_map(|s| index(s).or_else(|| whole(s)))
        .filter(|table| !made.contains(table))
        .collect()
}

/// Whether a comment of the migration says so: `-- Holds support.message: …`.
fn says(text: &str, table: &str) -> bool {
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("-- Holds "))
        .any(|said| said.contains(table))
}

#[test]
fn a_migration_says_which_tables_it_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations");
    let page = fs::read_to_string(folder.join("../docs/operations.md")).unwrap();
    let (mut silent, mut before) = (Vec::new(), BTreeSet::new());
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let number: u32 = name.split('_').next().unwrap().parse().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        for table in held(&text) {
            if number < SAYS {
                before.insert((number, table));
            } else if !says(&text, &table) {
                silent.push(format!("{name} holds {table} and does not say so"));
            }
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
    // The large ones of before stand on the page.
    for (number, table) in [(169, "affiliates.points"), (173, "support.message")] {
        assert!(before.contains(&(number, table.to_owned())), "{number} {table}");
        let row = format!("| {number:04} | `{table}`");
        assert!(page.contains(&row), "docs/operations.md lacks {row}");
    }
}

#[test]
fn what_is_held_is_known_from_the_text() {
    for (text, holds) in [
        ("CREATE INDEX i ON a.b (c);", true),
        ("CREATE UNIQUE INDEX i\n    ON a.b (c) WHERE d;", true),
        ("CREATE TABLE a.b (c int);\nCREATE INDEX i ON a.b (c);", false),
        ("-- CREATE INDEX i ON a.b (c);", false),
        ("ALTER TABLE a.b ADD CONSTRAINT c CHECK (d > 0);", true),
        ("ALTER TABLE a.b ADD CONSTRAINT c CHECK (d > 0) NOT VALID;", false),
        (
            "ALTER TABLE a.b ADD COLUMN w text GENERATED ALWAYS AS (v) STORED;",
            true,
        ),
        ("ALTER TABLE a.b ADD COLUMN w text;", false),
    ] {
        let expected: BTreeSet<String> = holds.then(|| "a.b".to_owned()).into_iter().collect();
        assert_eq!(held(text), expected, "{text}");
    }
    assert!(says("-- Holds a.b: an index is built.", "a.b"));
    assert!(!says("-- An index of a.b.", "a.b"));
}
