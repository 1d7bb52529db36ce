//! What lists of all rooms have in common: a view restricted by what was asked, a page of it, how many rows there are in all, and
//! the whole of it as a file.
//!
//! A file is the list itself with `format=csv`: the same call, filters, order and rights. It holds every row of one snapshot, each
//! once, read from a cursor piece by piece, so that memory does not grow with the rows; one at a time per person, five minutes at
//! most to write it, and as long to read it from a spool that holds nothing of the database (2026-11-26). What ends early ends as a broken transfer, never as a shorter file (2026-11-23).

mod file;
mod store;

pub use file::{Columns, File, answer, answer_growing};
pub use store::{Came, Cursor, Summed, any_like, between, by_day, count, find, page, rows, there};

use protocol::money::Usdt;
use serde::Serialize;

/// What came together of the rows that came on one day.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DayTotal {
    /// `YYYY-MM-DD` of São Paulo.
    pub day: String,
    pub count: i64,
    pub total: Usdt,
}

/// What all rows add up to that the filters let through and that count, and the newest 400 days of it, oldest first.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DaysReport {
    pub count: i64,
    pub total: Usdt,
    pub days: Vec<DayTotal>,
}
