//! CSV files that people open in spreadsheets by a double click: separator and decimal mark are those of the reader's language, text cannot
//! become a formula however the file is split, play money says so in the first row. The one writer of all lists.

use super::{business_day, context::World, locale::Locale, spool, turns::Turn};
use actix_web::HttpResponse;
use time::OffsetDateTime;

/// A file under way.
pub struct Sheet {
    bytes: Vec<u8>,
    locale: Locale,
}

/// A cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    Text(String),
    /// A number of ours, exact: its sign is no formula.
    Number(String),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl Cell {
    /// A moment, as documents show it.
    #[must_use]
    pub fn moment(at: OffsetDateTime) -> Self {
        Self::Text(business_day::shown(at))
    }

    /// An exact number, empty where there is none.
    #[must_use]
    pub fn number(value: Option<impl std::fmt::Display>) -> Self {
        Self::Number(value.map(|v| v.to_string()).unwrap_or_default())
    }

    /// A text that may be missing.
    #[must_use]
    pub fn maybe(text: Option<&str>) -> Self {
        Self::from(text.unwrap_or_default())
    }

    /// A status or a kind, in the reader's words.
    #[must_use]
    pub fn word(locale: Locale, word: &str) -> Self {
        Self::from(locale.text("words", word))
    }
}

/// What some spreadsheet splits a line at by itself.
const SEPARATORS: [char; 6] = [',', ';', '\t', '|', '\n', '\r'];

/// Spreadsheets run what begins with a sign; an apostrophe before it makes it text. Whoever splits the file at another separator than ours
/// meets a beginning behind each of them.
fn harmless(text: &str) -> String {
    // The wide ones are signs too where East Asian scripts are written.
    const SIGNS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
    let mut harmless = String::with_capacity(text.len());
    let mut begins = true;
    for c in text.chars() {
        if begins && SIGNS.contains(&c) {
            harmless.push('\'');
        }
        begins = SEPARATORS.contains(&c) || begins && (c == '"' || c.is_whitespace());
        harmless.push(c);
    }
    harmless
}

/// A text as a cell, in quotes where any spreadsheet would split or trim it.
fn quoted(text: &str) -> String {
    let plain = !text.contains(SEPARATORS) && !text.contains(['"', '\'']) && text.trim() == text;
    if plain {
        text.to_owned()
    } else {
        format!("\"{}\"", text.replace('"', "\"\""))
    }
}

/// As spreadsheets of the language read: where the comma is the decimal mark, cells are parted by semicolons.
const fn has_decimal_comma(locale: Locale) -> bool {
    match locale {
        Locale::Pt | Locale::Es => true,
        Locale::En => false,
    }
}

impl Sheet {
    /// Begins with the marker of play money, where it is play money, and the columns' names.
    #[must_use]
    pub fn new(world: World, locale: Locale, columns: &[&str]) -> Self {
        // The mark by which spreadsheets know UTF-8.
        let mut sheet = Self {
            bytes: "\u{feff}".as_bytes().to_vec(),
            locale,
        };
        if world == World::Demo {
            sheet.row([Cell::from(locale.text("documents", "demo"))]);
        }
        sheet.row(
            columns
                .iter()
                .map(|name| Cell::from(locale.text("documents", name))),
        );
        sheet
    }

    /// More rows of a file that has begun elsewhere.
    #[must_use]
    pub const fn continued(locale: Locale) -> Self {
        Self {
            bytes: Vec::new(),
            locale,
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let comma = has_decimal_comma(self.locale);
        let cells: Vec<String> = cells
            .into_iter()
            .map(|cell| match cell {
                Cell::Text(text) => quoted(&harmless(&text)),
                Cell::Number(number) if comma => number.replace('.', ","),
                Cell::Number(number) => number,
            })
            .collect();
        self.bytes
            .extend_from_slice(cells.join(if comma { ";" } else { "," }).as_bytes());
        self.bytes.extend_from_slice(b"\r\n");
    }

    /// The file's bytes.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// The answer that offers the file under a name; the turn lasts until it has been read.
    #[must_use]
    pub fn respond(self, name: &str, turn: Turn) -> HttpResponse {
        offered(
            "text/csv; charset=utf-8",
            &format!("{name}.csv"),
            self.finish(),
            turn,
        )
    }
}

/// A file as a download, its person's only one until it has been read.
#[must_use]
pub fn offered(mime: &'static str, name: &str, bytes: Vec<u8>, turn: Turn) -> HttpResponse {
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    HttpResponse::Ok()
        .content_type(mime)
        .insert_header(("Content-Disposition", format!("attachment; filename=\"{name}\"")))
        .insert_header(("Cache-Control", "no-store"))
        .insert_header(("X-Content-Type-Options", "nosniff"))
        .no_chunking(length)
        .streaming(Box::pin(spool::read(bytes, turn)))
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    fn written(locale: Locale, cells: impl IntoIterator<Item = Cell>) -> String {
        let mut sheet = Sheet::continued(locale);
        sheet.row(cells);
        String::from_utf8(sheet.finish()).unwrap()
    }

    #[test]
    fn no_cell_becomes_a_formula() {
        for (text, cell) in [
            ("=1+1", "\"'=1+1\""),
            ("@x", "\"'@x\""),
            ("\tx", "\"\tx\""),
            ("reembolso;=1+1;x", "\"reembolso;'=1+1;x\""),
            ("a,-1", "\"a,'-1\""),
            ("a; \"=1\"", "\"a; \"\"'=1\"\"\""),
            ("a\n+1", "\"a\n'+1\""),
            ("a-b", "a-b"),
            ("ana@example.com", "ana@example.com"),
            ("a,\"b\"", "\"a,\"\"b\"\"\""),
            (" a", "\" a\""),
            // No spreadsheet splits there unless it is told to, and times and links would read badly.
            ("a:=1+1", "a:=1+1"),
        ] {
            for locale in Locale::ALL {
                assert_eq!(
                    written(locale, [Cell::from(text)]),
                    format!("{cell}\r\n"),
                    "{text:?}"
                );
            }
        }
    }

    #[test]
    fn a_double_click_opens_it_in_the_readers_language() {
        let row = || {
            [
                Cell::from("Ana"),
                Cell::Number("-1234.50".into()),
                Cell::from("x;y"),
            ]
        };
        assert_eq!(written(Locale::En, row()), "Ana,-1234.50,\"x;y\"\r\n");
        for locale in [Locale::Pt, Locale::Es] {
            assert_eq!(written(locale, row()), "Ana;-1234,50;\"x;y\"\r\n");
        }
        let demo =
            String::from_utf8(Sheet::new(World::Demo, Locale::En, &["date", "value"]).finish()).unwrap();
        assert!(demo.starts_with('\u{feff}') && demo.contains("DEMO"), "{demo}");
        let plain = Sheet::new(World::Production, Locale::En, &["date"]);
        assert!(!String::from_utf8_lossy(&plain.finish()).contains("DEMO"));
    }

    proptest! {
        /// Split at any separator, quotes taken off and blanks too, nothing begins with a sign.
        #[test]
        fn however_it_is_split(text in "[a=+@;,|\t\"' -]{0,14}") {
            let cell = written(Locale::Pt, [Cell::from(text.as_str())]);
            for piece in cell.split(SEPARATORS) {
                let bare = piece.trim_matches(|c: char| c == '"' || c.is_whitespace());
                prop_assert!(!bare.starts_with(['=', '+', '-', '@']), "{cell}");
            }
        }
    }
}
