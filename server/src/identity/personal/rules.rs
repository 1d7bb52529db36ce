//! Pure rules of what people tell of themselves.

use crate::{
    foundation::{business_day, text},
    identity::rules,
};
use time::{Date, Month};

/// From this age on somebody may take part.
const ADULT: i32 = 18;
/// Longest place kept.
const LONGEST: usize = 100;

/// A birth date as calls write it: of somebody who is 18 by today.
#[must_use]
pub fn birth_date(typed: &str, today: Date) -> Option<Date> {
    let born = business_day::read(typed.trim())?;
    (born <= today && comes_of_age(born)? <= today).then_some(born)
}

/// Who was born on a 29th of February comes of age on the 1st of March.
fn comes_of_age(born: Date) -> Option<Date> {
    let year = born.year() + ADULT;
    born.replace_year(year)
        .or_else(|_| Date::from_calendar_date(year, Month::March, 1))
        .ok()
}

/// A time zone by its IANA name, spelled as the list has it.
#[must_use]
pub fn time_zone(typed: &str) -> Option<String> {
    if typed.len() > 64 {
        return None;
    }
    let zone = jiff::tz::db().get(typed.trim()).ok()?;
    zone.iana_name().map(str::to_owned)
}

/// Hosts of a network; `www.` and `m.` before them are its own as well.
fn hosts(network: &str) -> &'static [&'static str] {
    match network {
        "instagram" => &["instagram.com"],
        "telegram" => &["t.me", "telegram.me"],
        "whatsapp" => &["wa.me", "whatsapp.com", "chat.whatsapp.com"],
        "facebook" => &["facebook.com", "fb.com", "pt-br.facebook.com"],
        "youtube" => &["youtube.com", "youtu.be"],
        "x" => &["x.com", "twitter.com"],
        "linkedin" => &["linkedin.com", "br.linkedin.com"],
        _ => &[],
    }
}

/// A place of a network: a handle without its @, a number of WhatsApp, or a link.
#[must_use]
pub fn place(network: &str, typed: &str) -> Option<String> {
    let typed = text::line(typed)?;
    let place = if typed.contains("://") {
        link(network, &typed)?
    } else if network == "whatsapp" {
        let digits: String = rules::phone(&typed)?
            .chars()
            .filter(char::is_ascii_digit)
            .collect();
        format!("+{digits}")
    } else {
        handle(&typed)?
    };
    (place.len() <= LONGEST).then_some(place)
}

fn handle(typed: &str) -> Option<String> {
    let name = typed.strip_prefix('@').unwrap_or(typed);
    let sound = (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
    sound.then(|| name.to_owned())
}

/// An https link on the network's own host. A query or a fragment could lead on to anywhere: none is taken but the number of a profile.
fn link(network: &str, typed: &str) -> Option<String> {
    let url = url::Url::parse(typed).ok()?;
    let host = url.host_str()?;
    let bare = host
        .strip_prefix("www.")
        .or_else(|| host.strip_prefix("m."))
        .unwrap_or(host);
    let plain = url.scheme() == "https"
        && url.username().is_empty()
        && url.password().is_none()
        && url.port().is_none()
        && url.fragment().is_none()
        && hosts(network).contains(&bare)
        && url.path().len() > 1;
    let query = match url.query() {
        None => true,
        Some(query) => {
            network == "facebook"
                && url.path() == "/profile.php"
                && query
                    .strip_prefix("id=")
                    .is_some_and(|id| !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit()))
        }
    };
    (plain && query).then(|| url.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::date;

    #[test]
    fn who_is_eighteen_today_is_taken() {
        for (typed, today, taken) in [
            ("2008-11-25", date!(2026 - 11 - 25), true),
            ("2008-11-26", date!(2026 - 11 - 25), false),
            ("1900-01-01", date!(2026 - 11 - 25), true),
            ("1899-12-31", date!(2026 - 11 - 25), false),
            ("2027-01-01", date!(2026 - 11 - 25), false),
            ("2008-02-29", date!(2026 - 02 - 28), false),
            ("2008-02-29", date!(2026 - 03 - 01), true),
            ("25/11/1990", date!(2026 - 11 - 25), false),
            ("", date!(2026 - 11 - 25), false),
        ] {
            assert_eq!(birth_date(typed, today).is_some(), taken, "{typed} on {today}");
        }
    }

    #[test]
    fn zones_are_those_of_the_list() {
        for (typed, zone) in [
            ("America/Sao_Paulo", Some("America/Sao_Paulo")),
            ("europe/lisbon", Some("Europe/Lisbon")),
            ("Asia/Calcutta", Some("Asia/Calcutta")),
            ("UTC", Some("UTC")),
            ("Mars/Olympus", None),
            ("../etc/passwd", None),
            ("", None),
        ] {
            assert_eq!(time_zone(typed).as_deref(), zone, "{typed}");
        }
    }

    #[test]
    fn places_are_handles_or_links_on_their_own_host() {
        for (network, typed, kept) in [
            ("instagram", "@ana.silva", Some("ana.silva")),
            (
                "instagram",
                "https://www.instagram.com/ana.silva/",
                Some("https://www.instagram.com/ana.silva/"),
            ),
            ("telegram", "https://t.me/ana", Some("https://t.me/ana")),
            ("whatsapp", "+55 (11) 98765-4321", Some("+5511987654321")),
            (
                "whatsapp",
                "https://wa.me/5511987654321",
                Some("https://wa.me/5511987654321"),
            ),
            (
                "facebook",
                "https://facebook.com/profile.php?id=100",
                Some("https://facebook.com/profile.php?id=100"),
            ),
            (
                "linkedin",
                "https://br.linkedin.com/in/ana",
                Some("https://br.linkedin.com/in/ana"),
            ),
            (
                "youtube",
                "https://youtube.com/@ana",
                Some("https://youtube.com/@ana"),
            ),
            ("instagram", "http://instagram.com/ana", None),
            ("instagram", "https://evil.example/instagram.com", None),
            ("instagram", "https://instagram.com.evil.example/ana", None),
            ("instagram", "https://instagram.com@evil.example/ana", None),
            (
                "instagram",
                "https://l.instagram.com/?u=https://evil.example",
                None,
            ),
            ("youtube", "https://youtube.com/redirect?q=evil.example", None),
            ("x", "https://t.me/ana", None),
            ("x", "javascript:alert(1)", None),
            ("x", "javascript://x.com/%0aalert(1)", None),
            ("x", "https://x.com/", None),
            ("x", "ana silva", None),
            ("whatsapp", "ana", None),
        ] {
            assert_eq!(place(network, typed).as_deref(), kept, "{network} {typed}");
        }
        let long = format!("https://x.com/{}", "a".repeat(100));
        assert_eq!(place("x", &long), None);
    }

    proptest! {
        #[test]
        fn what_is_kept_is_short_plain_and_read_again_alike(typed in "(https://)?(x\\.com/|@)?\\PC{0,40}") {
            for network in ["instagram", "whatsapp", "x", "facebook"] {
                if let Some(kept) = place(network, &typed) {
                    prop_assert!(kept.len() <= LONGEST && kept.is_ascii());
                    prop_assert_eq!(place(network, &kept), Some(kept.clone()));
                }
            }
        }
    }
}
