//! CSV files that people open in spreadsheets: text cannot become a formula, play money says so in the first row.

use super::{business_day, context::World, locale::Locale, spool, turns::Turn};
use crate::error::Error;
use actix_web::HttpResponse;
use time::OffsetDateTime;

/// A file under way.
pub struct Sheet(csv::Writer<Vec<u8>>);

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

/// Spreadsheets run what begins like this; an apostrophe before it makes it text.
fn harmless(text: &str) -> String {
    // The wide ones are signs too where East Asian scripts are written.
    const SIGNS: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];
    if text.starts_with(SIGNS) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

impl Sheet {
    /// Begins with the marker of play money, where it is play money, and the columns' names.
    ///
    /// # Errors
    /// `service.internal` when memory cannot be written.
    pub fn new(world: World, locale: Locale, columns: &[&str]) -> Result<Self, Error> {
        // The mark by which spreadsheets know UTF-8.
        let writer = csv::WriterBuilder::new()
            .flexible(true)
            .from_writer("\u{feff}".as_bytes().to_vec());
        let mut sheet = Self(writer);
        if world == World::Demo {
            sheet.row([Cell::from(locale.text("documents", "demo"))])?;
        }
        sheet.row(
            columns
                .iter()
                .map(|name| Cell::from(locale.text("documents", name))),
        )?;
        Ok(sheet)
    }

    /// More rows of a file that has begun elsewhere.
    #[must_use]
    pub fn continued() -> Self {
        Self(csv::WriterBuilder::new().flexible(true).from_writer(Vec::new()))
    }

    /// Adds a row.
    ///
    /// # Errors
    /// As [`Sheet::new`].
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) -> Result<(), Error> {
        let cells: Vec<String> = cells
            .into_iter()
            .map(|cell| match cell {
                Cell::Text(text) => harmless(&text),
                Cell::Number(number) => number,
            })
            .collect();
        self.0
            .write_record(&cells)
            .map_err(|e| Error::internal(format!("a CSV file: {e}")))
    }

    /// The file's bytes.
    ///
    /// # Errors
    /// As [`Sheet::new`].
    pub fn finish(self) -> Result<Vec<u8>, Error> {
        self.0
            .into_inner()
            .map_err(|e| Error::internal(format!("a CSV file: {e}")))
    }

    /// The answer that offers the file under a name; the turn lasts until it has been read.
    ///
    /// # Errors
    /// As [`Sheet::new`].
    pub fn respond(self, name: &str, turn: Turn) -> Result<HttpResponse, Error> {
        Ok(offered(
            "text/csv; charset=utf-8",
            &format!("{name}.csv"),
            self.finish()?,
            turn,
        ))
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

    #[test]
    fn no_cell_becomes_a_formula() {
        let mut sheet = Sheet::new(World::Demo, Locale::En, &["date", "value"]).expect("writes");
        sheet
            .row([
                Cell::from("=1+1"),
                Cell::from("@x"),
                Cell::from("\tx"),
                Cell::from("a,\"b\""),
                Cell::Number("-1.50".into()),
            ])
            .expect("writes");
        let text = String::from_utf8(sheet.finish().expect("ends")).expect("is text");
        let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
        assert!(lines[0].contains("DEMO"), "{text}");
        assert_eq!(lines[2], "'=1+1,'@x,'\tx,\"a,\"\"b\"\"\",-1.50");
        let plain = Sheet::new(World::Production, Locale::En, &["date"]).expect("writes");
        assert!(!String::from_utf8_lossy(&plain.finish().expect("ends")).contains("DEMO"));
    }
}
