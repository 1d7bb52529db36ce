//! The statement as a PDF document, oldest first.

use super::{Asked, Line, Sums, routes::account_text};
use crate::{
    error::Error,
    foundation::{
        business_day,
        context::World,
        locale::Locale,
        paper::{self, Column, Row},
    },
};
use protocol::money::Usdt;
use time::{Date, OffsetDateTime};

/// What stands above the movements.
pub struct Head {
    pub brand: String,
    pub holder: String,
    pub world: World,
    pub made_at: OffsetDateTime,
    pub locale: Locale,
}

impl Head {
    /// The paper's head, of a period of this account.
    #[must_use]
    pub fn paper(&self, [first, last]: [Date; 2], account: &str, currency: &str) -> paper::Head {
        let words = |key| self.locale.text("documents", key);
        let period = format!(
            "{} – {}",
            business_day::shown_day(first),
            business_day::shown_day(last)
        );
        paper::Head {
            world: self.world,
            locale: self.locale,
            brand: self.brand.clone(),
            kind: words("statement"),
            running: format!("{period} · {}", self.holder),
            facts: vec![
                (words("holder"), self.holder.clone()),
                (words("period"), period),
                (words("account"), account.to_owned()),
                (words("currency"), currency.to_owned()),
                (words("made_at"), business_day::shown(self.made_at)),
            ],
            made_at: self.made_at,
        }
    }
}

fn edge(label: &str, [credit, debit, balance]: [String; 3]) -> Row {
    Row {
        cells: vec![
            String::new(),
            label.to_owned(),
            String::new(),
            credit,
            debit,
            balance,
        ],
        sum: true,
    }
}

/// The document's bytes.
///
/// # Errors
/// `service.internal` when it cannot be made.
pub fn write(head: &Head, asked: &Asked, sums: &Sums, lines: &[Line]) -> Result<Vec<u8>, Error> {
    let locale = head.locale;
    let words = |key| locale.text("documents", key);
    let amount = |value: Usdt| locale.amount(&value.to_string());
    let account = asked
        .account
        .map_or_else(|| words("all_accounts"), |a| locale.text("accounts", a));
    let columns = [
        Column::Short(words("date")),
        Column::Text(words("description")),
        Column::Text(words("account")),
        Column::Number(words("credit")),
        Column::Number(words("debit")),
        Column::Number(words("balance")),
    ];
    let mut rows = Vec::with_capacity(lines.len() + 2);
    rows.push(edge(
        words("opening"),
        [String::new(), String::new(), amount(sums.opening)],
    ));
    for line in lines {
        let (credit, debit) = if line.amount.is_negative() {
            (String::new(), amount(-line.amount))
        } else {
            (amount(line.amount), String::new())
        };
        rows.push(Row {
            cells: vec![
                business_day::shown(line.at),
                locale.text("kinds", &line.kind).to_owned(),
                account_text(locale, line),
                credit,
                debit,
                amount(line.balance),
            ],
            sum: false,
        });
    }
    rows.push(edge(
        words("closing"),
        [amount(sums.credits), amount(sums.debits), amount(sums.closing)],
    ));
    let head = head.paper([asked.first, asked.last], account, asked.currency());
    paper::write(&head, &columns, &rows)
}
