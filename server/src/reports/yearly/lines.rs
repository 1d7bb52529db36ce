//! The year as lines of a table: the same in the CSV file and the PDF document.

use super::{Crossed, YearlyStatement};
use crate::foundation::{business_day, locale::Locale};
use time::Date;

/// A line. Numbers are exact, as the calls tell them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// 11/2026.
    pub month: String,
    pub text: String,
    /// Of coins.
    pub quantity: Option<String>,
    pub brl: Option<String>,
    /// At the end of the year before.
    pub before: Option<String>,
    pub usdt: Option<String>,
    /// A heading or a sum.
    pub strong: bool,
}

fn month(first: &str) -> String {
    business_day::read(first).map_or_else(
        || first.to_owned(),
        |day: Date| format!("{:02}/{}", u8::from(day.month()), day.year()),
    )
}

fn day(text: &str) -> String {
    business_day::read(text).map_or_else(|| text.to_owned(), business_day::shown_day)
}

fn heading(text: String) -> Line {
    Line {
        text,
        strong: true,
        ..Line::default()
    }
}

/// All of them, part by part.
#[must_use]
pub fn of(locale: Locale, told: &YearlyStatement) -> Vec<Line> {
    let words = |key| locale.text("yearly", key);
    let mut lines = Vec::new();
    goods(locale, told, &mut lines);

    lines.push(heading(words("changes").to_owned()));
    let change = |text: &str, usdt: String| Line {
        text: text.to_owned(),
        usdt: Some(usdt),
        ..Line::default()
    };
    let c = &told.changes;
    lines.push(change(words("paid_in"), c.paid_in.to_string()));
    lines.push(change(words("paid_out"), (-c.paid_out).to_string()));
    for mode in &told.results {
        let text = format!(
            "{} · {}",
            words("robots"),
            locale.text("words", mode.mode.as_str())
        );
        lines.push(change(&text, mode.total.to_string()));
    }
    for (name, value) in [
        ("pools", c.pools),
        ("bonus", c.bonus),
        ("licences", c.licences),
        ("exchange", c.exchange),
        ("sponsorship", c.sponsorship),
        ("loans", c.loans),
        ("corrections", c.corrections),
    ] {
        if !value.is_zero() {
            lines.push(change(words(name), value.to_string()));
        }
    }
    crossings(locale, told, &mut lines);
    results(locale, told, &mut lines);
    bonuses(locale, told, &mut lines);
    licences(locale, told, &mut lines);
    lines.push(heading(words("no_advice").to_owned()));
    lines
}

/// The form's goods and rights, then what the total is made of.
fn goods(locale: Locale, told: &YearlyStatement, lines: &mut Vec<Line>) {
    let words = |key| locale.text("yearly", key);
    lines.push(heading(words("goods").to_owned()));
    for good in &told.goods {
        let text = format!(
            "{} {} · {} {} · {}",
            words("group"),
            good.group,
            words("code"),
            good.code,
            good.coin
        );
        let of_coins = good.coin != "USDT";
        lines.push(Line {
            text,
            quantity: of_coins.then(|| good.after.clone()),
            before: Some(good.before.clone()),
            usdt: (!of_coins).then(|| good.after.clone()),
            ..Line::default()
        });
    }
    lines.push(heading(words("accounts").to_owned()));
    for account in &told.accounts {
        lines.push(Line {
            text: locale.text("accounts", &account.account).to_owned(),
            before: Some(account.before.to_string()),
            usdt: Some(account.after.to_string()),
            ..Line::default()
        });
    }
    lines.push(Line {
        text: words("total").to_owned(),
        before: Some(told.opening.to_string()),
        usdt: Some(told.closing.to_string()),
        strong: true,
        ..Line::default()
    });
}

fn crossings(locale: Locale, told: &YearlyStatement, lines: &mut Vec<Line>) {
    let words = |key| locale.text("yearly", key);
    if told.crossings.is_empty() {
        return;
    }
    lines.push(heading(words("crossings").to_owned()));
    for one in &told.crossings {
        let crossed = words(match one.crossed {
            Crossed::In => "crossed_in",
            Crossed::Out => "crossed_out",
            Crossed::Returned => "crossed_returned",
        });
        lines.push(Line {
            month: month(&one.month),
            text: format!("{crossed} · {} · {}", way(locale, one.way.as_str()), one.count),
            quantity: one.coins.clone(),
            brl: one.brl.map(|brl| brl.to_string()),
            usdt: Some(match one.crossed {
                Crossed::In => one.usdt.to_string(),
                Crossed::Out | Crossed::Returned => (-one.usdt).to_string(),
            }),
            ..Line::default()
        });
    }
}

fn way(locale: Locale, way: &str) -> &'static str {
    locale.text("yearly", &format!("way_{way}"))
}

/// Mode after mode, each with its own sum.
fn results(locale: Locale, told: &YearlyStatement, lines: &mut Vec<Line>) {
    let words = |key| locale.text("yearly", key);
    for mode in &told.results {
        let name = locale.text("words", mode.mode.as_str());
        lines.push(heading(format!("{} · {name}", words("robots"))));
        for one in &mode.months {
            lines.push(Line {
                month: month(&one.month),
                text: format!("{} · {name}", words("net")),
                usdt: Some(one.net.to_string()),
                ..Line::default()
            });
        }
        lines.push(Line {
            text: format!("{} · {name}", words("total")),
            usdt: Some(mode.total.to_string()),
            strong: true,
            ..Line::default()
        });
    }
}

/// What came of pools and of the network, by month.
fn bonuses(locale: Locale, told: &YearlyStatement, lines: &mut Vec<Line>) {
    let words = |key| locale.text("yearly", key);
    for name in ["pools", "bonus", "rank_bonus"] {
        let of_month = |m: &super::YearMonth| match name {
            "pools" => m.pools,
            "bonus" => m.bonus,
            _ => m.rank_bonus,
        };
        let some: Vec<Line> = told
            .months
            .iter()
            .filter(|m| !of_month(m).is_zero())
            .map(|m| Line {
                month: month(&m.month),
                text: words(name).to_owned(),
                usdt: Some(of_month(m).to_string()),
                ..Line::default()
            })
            .collect();
        if !some.is_empty() {
            lines.push(heading(words(name).to_owned()));
            lines.extend(some);
        }
    }
}

fn licences(locale: Locale, told: &YearlyStatement, lines: &mut Vec<Line>) {
    let words = |key| locale.text("yearly", key);
    if !told.licences.is_empty() {
        lines.push(heading(words("licences_of_year").to_owned()));
    }
    for licence in &told.licences {
        let mut text = format!(
            "#{} · {} {}",
            licence.number,
            words("bought"),
            day(&licence.bought)
        );
        if let Some(ended) = &licence.ended {
            text.push_str(&format!(" · {} {}", words("ended"), day(ended)));
        }
        text.push_str(&format!(" · {}", locale.text("words", &licence.state)));
        lines.push(Line {
            text,
            usdt: Some(licence.value.to_string()),
            ..Line::default()
        });
    }
    let pyx = &told.pyx;
    if [pyx.before, pyx.after, pyx.came, pyx.left]
        .iter()
        .any(|coins| !coins.is_zero())
    {
        lines.push(heading("PYX".to_owned()));
        for (name, coins) in [("pyx_came", pyx.came), ("pyx_left", pyx.left)] {
            lines.push(Line {
                text: words(name).to_owned(),
                quantity: Some(coins.to_string()),
                ..Line::default()
            });
        }
    }
}
