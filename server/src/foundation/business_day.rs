//! Days of the business: São Paulo's calendar, from the bundled IANA data.

use time::{Date, Month, OffsetDateTime};

/// The zone in which days open and close (docs/rules/foundation.md#business-day).
pub const ZONE: &str = "America/Sao_Paulo";

/// The São Paulo calendar date of an instant.
#[must_use]
pub fn of(at: OffsetDateTime) -> Date {
    let zoned = jiff::Timestamp::from_second(at.unix_timestamp())
        .ok()
        .and_then(|t| t.in_tz(ZONE).ok());
    let Some(zoned) = zoned else {
        return at.date();
    };
    let month = u8::try_from(zoned.month())
        .ok()
        .and_then(|m| Month::try_from(m).ok());
    let day = u8::try_from(zoned.day()).ok();
    match (month, day) {
        (Some(month), Some(day)) => {
            Date::from_calendar_date(i32::from(zoned.year()), month, day).unwrap_or(at.date())
        }
        _ => at.date(),
    }
}

/// Reads a day as calls write it (`2026-11-23`). Years that no book here can hold are none: a sign or a fifth digit, as ISO 8601
/// allows them, would go past what the database calls a time.
#[must_use]
pub fn read(text: &str) -> Option<Date> {
    let format = time::macros::format_description!("[year]-[month]-[day]");
    Date::parse(text, format)
        .ok()
        .filter(|day| (1900..=2999).contains(&day.year()))
}

/// The instant at which a business day begins.
#[must_use]
pub fn start(day: Date) -> OffsetDateTime {
    let civil = i16::try_from(day.year())
        .ok()
        .zip(i8::try_from(u8::from(day.month())).ok())
        .zip(i8::try_from(day.day()).ok());
    civil
        .and_then(|((y, m), d)| jiff::civil::Date::new(y, m, d).ok())
        .and_then(|d| d.in_tz(ZONE).ok())
        .and_then(|z| OffsetDateTime::from_unix_timestamp(z.timestamp().as_second()).ok())
        .unwrap_or_else(|| day.midnight().assume_utc())
}

/// The first day of the month that was so many months before a day's.
#[must_use]
pub fn month_before(day: Date, months: u32) -> Date {
    let first = |day: Date| day.replace_day(1).unwrap_or(day);
    (0..months).fold(first(day), |month, _| month.previous_day().map_or(month, first))
}

/// An instant as documents show it: 20/11/2026 14:32, of São Paulo.
#[must_use]
pub fn shown(at: OffsetDateTime) -> String {
    jiff::Timestamp::from_second(at.unix_timestamp())
        .ok()
        .and_then(|t| t.in_tz(ZONE).ok())
        .map_or_else(|| at.to_string(), |z| z.strftime("%d/%m/%Y %H:%M").to_string())
}

/// A day as documents show it: 20/11/2026.
#[must_use]
pub fn shown_day(day: Date) -> String {
    format!("{:02}/{:02}/{}", day.day(), u8::from(day.month()), day.year())
}

/// The time of day of an instant that is near: 14:32:05, of São Paulo.
#[must_use]
pub fn shown_time(at: OffsetDateTime) -> String {
    jiff::Timestamp::from_second(at.unix_timestamp())
        .ok()
        .and_then(|t| t.in_tz(ZONE).ok())
        .map_or_else(|| at.to_string(), |z| z.strftime("%H:%M:%S").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::{date, datetime};

    #[test]
    fn the_day_turns_at_three_utc() {
        assert_eq!(of(datetime!(2026-11-20 02:59:59 UTC)), date!(2026 - 11 - 19));
        assert_eq!(of(datetime!(2026-11-20 03:00:00 UTC)), date!(2026 - 11 - 20));
        assert_eq!(shown_day(date!(2026 - 1 - 2)), "02/01/2026");
        assert_eq!(shown(datetime!(2026-01-02 03:04 UTC)), "02/01/2026 00:04");
        assert_eq!(start(date!(2026 - 11 - 20)), datetime!(2026-11-20 03:00:00 UTC));
    }

    #[test]
    fn months_are_counted_over_the_turn_of_a_year() {
        assert_eq!(month_before(date!(2026 - 3 - 31), 0), date!(2026 - 3 - 1));
        assert_eq!(month_before(date!(2026 - 3 - 31), 1), date!(2026 - 2 - 1));
        assert_eq!(month_before(date!(2026 - 3 - 31), 11), date!(2025 - 4 - 1));
    }
}
