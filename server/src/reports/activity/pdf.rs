//! The activity as a PDF document, oldest first: the statement's paper with a line for each event.

use super::{ActivityEvent, Asked, routes::title};
use crate::{
    error::Error,
    foundation::{
        business_day,
        locale::Locale,
        paper::{self, Column, Row},
    },
    reports::statement::{Sums, pdf::Head},
};
use protocol::money::Usdt;

/// A line that is no event: the total at an edge of the period.
fn edge(label: &str, value: String) -> Row {
    let mut cells = vec![String::new(), label.to_owned()];
    cells.resize(5, String::new());
    cells.push(value);
    Row { cells, sum: true }
}

fn row(locale: Locale, event: &ActivityEvent) -> Row {
    let amount = |value: Option<Usdt>| value.map_or_else(String::new, |v| locale.amount(&v.to_string()));
    Row {
        cells: vec![
            business_day::shown(event.at),
            title(locale, event),
            locale.text("event_states", event.state.as_str()).to_owned(),
            // What changed nothing of the total says what it moved.
            amount(event.moved),
            event
                .pyx
                .map_or_else(String::new, |pyx| locale.amount(&pyx.to_string())),
            amount(Some(event.amount).filter(|amount| !amount.is_zero())),
        ],
        sum: false,
    }
}

/// The document's bytes.
///
/// # Errors
/// `service.internal` when it cannot be made.
pub fn write(head: &Head, asked: &Asked, sums: &Sums, events: &[ActivityEvent]) -> Result<Vec<u8>, Error> {
    let locale = head.locale;
    let words = |key| locale.text("documents", key);
    let amount = |value: Usdt| locale.amount(&value.to_string());
    let columns = [
        Column::Short(words("date")),
        Column::Text(words("description")),
        Column::Text(words("status")),
        Column::Number(words("moved")),
        Column::Number(words("pyx")),
        Column::Number(words("usdt")),
    ];
    let mut rows = Vec::with_capacity(events.len() + 2);
    rows.extend(events.iter().map(|event| row(locale, event)));
    if asked.edges() {
        rows.insert(0, edge(words("opening"), amount(sums.opening)));
        rows.push(edge(words("closing"), amount(sums.closing)));
    }
    let head = head.paper([asked.first, asked.last], words("total_balance"), "USDT");
    paper::write(&head, &columns, &rows)
}
