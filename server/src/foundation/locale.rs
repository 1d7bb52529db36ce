//! Three languages: Portuguese by default, English, Spanish. Texts stand in `server/locales/<lang>.json`, flat under a section.

use actix_web::http::header::HeaderMap;
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, sync::LazyLock};

/// A language of the interface. On the wire: `pt` | `en` | `es`; the `locale` header may say `pt-br`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Locale {
    #[default]
    Pt,
    En,
    Es,
}

type Texts = HashMap<String, HashMap<String, String>>;

static TEXTS: LazyLock<[Texts; 3]> = LazyLock::new(|| {
    [
        include_str!("../../locales/pt.json"),
        include_str!("../../locales/en.json"),
        include_str!("../../locales/es.json"),
    ]
    .map(|text| serde_json::from_str(text).unwrap_or_default())
});

/// A text with its `{name}`s filled in, once: what a value says is shown as it stands, whatever braces are in it. A name that there is none
/// for stays.
#[must_use]
pub fn filled<'v>(text: &str, value: impl Fn(&str) -> Option<&'v str>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let found = after
            .split_once('}')
            .and_then(|(name, behind)| Some((value(name)?, behind)));
        match found {
            Some((value, behind)) => {
                filled.push_str(value);
                rest = behind;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled + rest
}

tokio::task_local! {
    /// The language of the request that is being answered.
    pub static CURRENT: Locale;
}

impl Locale {
    pub const ALL: [Self; 3] = [Self::Pt, Self::En, Self::Es];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pt => "pt",
            Self::En => "en",
            Self::Es => "es",
        }
    }

    /// Reads `pt`, `pt-br`, `en-US`…; `None` for other languages.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let tag = text.trim().to_ascii_lowercase();
        match tag.split(['-', '_', ';']).next() {
            Some("pt") => Some(Self::Pt),
            Some("en") => Some(Self::En),
            Some("es") => Some(Self::Es),
            _ => None,
        }
    }

    /// The `locale` header, else the first known language of Accept-Language, else Portuguese.
    #[must_use]
    pub fn of_request(headers: &HeaderMap) -> Self {
        let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok());
        text("locale")
            .and_then(Self::parse)
            .or_else(|| text("accept-language").and_then(|list| list.split(',').find_map(Self::parse)))
            .unwrap_or_default()
    }

    /// The language of the running request; Portuguese outside one.
    #[must_use]
    pub fn current() -> Self {
        CURRENT.try_with(|l| *l).unwrap_or_default()
    }

    /// A text, or its key when there is none (a test demands that there is).
    #[must_use]
    pub fn text(self, section: &str, key: &str) -> &'static str {
        let texts = match self {
            Self::Pt => &TEXTS[0],
            Self::En => &TEXTS[1],
            Self::Es => &TEXTS[2],
        };
        texts
            .get(section)
            .and_then(|s| s.get(key))
            .map_or("…", String::as_str)
    }

    /// An exact amount, with its unit or without, as people of the language write it: at least two decimals, and others only where they say
    /// something. One amount has one form, whatever it was stored with.
    #[must_use]
    pub fn amount(self, exact: &str) -> String {
        let (group, point) = match self {
            Self::Pt | Self::Es => ('.', ','),
            Self::En => (',', '.'),
        };
        let (number, unit) = exact
            .split_once(' ')
            .map_or((exact, None), |(number, unit)| (number, Some(unit)));
        let (sign, number) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let mut written = String::from(sign);
        for (place, digit) in whole.chars().enumerate() {
            if place > 0 && (whole.len() - place) % 3 == 0 {
                written.push(group);
            }
            written.push(digit);
        }
        written.push(point);
        let fraction = fraction.trim_end_matches('0');
        written.push_str(fraction);
        for _ in fraction.len()..2 {
            written.push('0');
        }
        if let Some(unit) = unit {
            written.push(' ');
            written.push_str(unit);
        }
        written
    }

    /// All keys of a section, for the tests.
    #[must_use]
    pub fn keys(self, section: &str) -> Vec<&'static str> {
        let texts = &TEXTS[match self {
            Self::Pt => 0,
            Self::En => 1,
            Self::Es => 2,
        }];
        texts
            .get(section)
            .map(|s| s.keys().map(String::as_str).collect())
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_amount_has_one_form() {
        for (exact, pt, en) in [
            ("58.800000", "58,80", "58.80"),
            ("58.80000000 USDT", "58,80 USDT", "58.80 USDT"),
            ("58.812345", "58,812345", "58.812345"),
            ("-1234567.5", "-1.234.567,50", "-1,234,567.50"),
            ("0.00000001 BNB", "0,00000001 BNB", "0.00000001 BNB"),
            ("100", "100,00", "100.00"),
        ] {
            assert_eq!(Locale::Pt.amount(exact), pt);
            assert_eq!(Locale::Es.amount(exact), pt);
            assert_eq!(Locale::En.amount(exact), en);
        }
    }

    #[test]
    fn what_people_wrote_is_filled_in_and_not_filled() {
        let values = |name: &str| match name {
            "subject" => Some("Erro em {name} e {brand}"),
            "name" => Some("Ana {subject}"),
            "brand" => Some("Arbora"),
            _ => None,
        };
        for (text, expected) in [
            ("{brand}: {subject}", "Arbora: Erro em {name} e {brand}"),
            ("{name}", "Ana {subject}"),
            ("{ {nobody} {name", "{ {nobody} {name"),
            ("{{brand}}", "{Arbora}"),
            ("{a{brand}", "{aArbora"),
            ("", ""),
        ] {
            assert_eq!(filled(text, values), expected, "{text}");
        }
    }
}
