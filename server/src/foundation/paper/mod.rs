//! Documents that people keep and print (PDF): a title, what it is about, one table over as many pages as it takes. The one writer of
//! them all (docs/rules/foundation.md#documents).
//!
//! Invariants: no ink outside the page's margins, whatever people are called; nothing is left out: what has no room goes on in the next line,
//! and only what stands whole on the first page is cut on others; each letter is drawn, or a square stands for it and the page says so.

mod layout;
mod letters;
mod press;
#[cfg(test)]
mod tests;

use crate::{
    error::Error,
    foundation::{context::World, locale::Locale},
};
use time::OffsetDateTime;

/// What stands above the table.
pub struct Head {
    pub world: World,
    pub locale: Locale,
    pub brand: String,
    /// What the document is called.
    pub kind: &'static str,
    /// Labels with what they say.
    pub facts: Vec<(&'static str, String)>,
    /// What repeats beside the title on each page after the first, cut to one line: the facts have it whole.
    pub running: String,
    pub made_at: OffsetDateTime,
}

impl Head {
    fn title(&self) -> String {
        format!("{} · {}", self.brand, self.kind)
    }
}

/// A column by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// As wide as what stands in it.
    Short(&'static str),
    /// Broken into lines where it must.
    Text(&'static str),
    /// Ends at the column's right edge.
    Number(&'static str),
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub cells: Vec<String>,
    /// A sum or a balance, set apart from what it adds up.
    pub sum: bool,
}

/// The document's bytes: the same for the same words.
///
/// # Errors
/// `service.internal` when they make no document.
pub fn write(head: &Head, columns: &[Column], rows: &[Row]) -> Result<Vec<u8>, Error> {
    let letters = letters::Letters::load()?;
    let pages = layout::pages(&letters, head, columns, rows);
    press::bind(head, &letters, &pages, krilla::SerializeSettings::default())
}
