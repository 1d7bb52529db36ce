//! The hours in which a person wants nothing that can wait (docs/rules/notifications.md#quiet-hours): from and to by their own clock. Pure.

use super::business_day;
use time::OffsetDateTime;

const HOUR: i16 = 60;
const DAY: i16 = 24 * HOUR;

/// From one minute of the day until another; over midnight where the first is the later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietHours {
    from: i16,
    until: i16,
}

/// A minute of the day as calls write it: `07:30`.
fn minute(typed: &str) -> Option<i16> {
    let (hours, minutes) = typed.split_once(':')?;
    let two = |part: &str| {
        let digits = part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| part.parse::<i16>().ok()).flatten()
    };
    let (hours, minutes) = (two(hours)?, two(minutes)?);
    (hours < 24 && minutes < HOUR).then_some(hours * HOUR + minutes)
}

fn shown(minute: i16) -> String {
    format!("{:02}:{:02}", minute / HOUR, minute % HOUR)
}

/// An instant on the clocks of a zone; on those of the business without one, or where the list has it no longer.
fn on_clocks(at: OffsetDateTime, zone: Option<&str>) -> Option<jiff::Zoned> {
    let at = jiff::Timestamp::from_second(at.unix_timestamp()).ok()?;
    zone.and_then(|zone| at.in_tz(zone).ok())
        .or_else(|| at.in_tz(business_day::ZONE).ok())
}

impl QuietHours {
    /// None where they are no time: a minute that no day has, or no minute between them.
    #[must_use]
    pub fn new(from: i16, until: i16) -> Option<Self> {
        let of_day = |minute: i16| (0..DAY).contains(&minute);
        (of_day(from) && of_day(until) && from != until).then_some(Self { from, until })
    }

    /// As calls write them: `22:00`, `07:00`.
    #[must_use]
    pub fn read(from: &str, until: &str) -> Option<Self> {
        Self::new(minute(from)?, minute(until)?)
    }

    /// Minutes of the day, as the database has them.
    #[must_use]
    pub const fn minutes(self) -> (i16, i16) {
        (self.from, self.until)
    }

    /// As calls write them.
    #[must_use]
    pub fn shown(self) -> (String, String) {
        (shown(self.from), shown(self.until))
    }

    const fn has(self, minute: i16) -> bool {
        if self.from < self.until {
            self.from <= minute && minute < self.until
        } else {
            self.from <= minute || minute < self.until
        }
    }

    /// When they are over; none outside of them. A time that the clocks skip is as much later; of one that they have twice it
    /// is the first, and who is past it waits for nothing.
    #[must_use]
    pub fn ends(self, at: OffsetDateTime, zone: Option<&str>) -> Option<OffsetDateTime> {
        next(at, zone, self.until).filter(|end| {
            let inside = on_clocks(at, zone)
                .is_some_and(|now| self.has(i16::from(now.hour()) * HOUR + i16::from(now.minute())));
            inside && *end > at
        })
    }
}

/// When a minute of the day comes next by the clocks of a zone: today where it is still to come.
#[must_use]
pub fn next(at: OffsetDateTime, zone: Option<&str>, minute: i16) -> Option<OffsetDateTime> {
    let now = on_clocks(at, zone)?;
    let passed = minute <= i16::from(now.hour()) * HOUR + i16::from(now.minute());
    let day = if passed {
        now.date().tomorrow().ok()?
    } else {
        now.date()
    };
    let hours = i8::try_from(minute / HOUR).ok()?;
    let minutes = i8::try_from(minute % HOUR).ok()?;
    let then = jiff::civil::Time::new(hours, minutes, 0, 0).ok()?;
    let then = day.to_datetime(then).to_zoned(now.time_zone().clone()).ok()?;
    OffsetDateTime::from_unix_timestamp(then.timestamp().as_second()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::{Duration, macros::datetime};

    const NIGHT: (&str, &str) = ("22:00", "07:00");

    fn ends(hours: (&str, &str), at: OffsetDateTime, zone: Option<&str>) -> Option<OffsetDateTime> {
        QuietHours::read(hours.0, hours.1).unwrap().ends(at, zone)
    }

    #[test]
    fn hours_are_two_minutes_of_a_day() {
        let hours = QuietHours::read("22:00", "07:30").unwrap();
        assert_eq!(
            (hours.minutes(), hours.shown()),
            ((1_320, 450), ("22:00".to_owned(), "07:30".to_owned()))
        );
        for (from, until) in [
            ("22:00", "22:00"),
            ("24:00", "07:00"),
            ("22:60", "07:00"),
            ("22", "07:00"),
            ("2:00", "07:00"),
            ("+2:00", "07:00"),
            ("22:00:00", "07:00"),
            ("", ""),
        ] {
            assert_eq!(QuietHours::read(from, until), None, "{from}-{until}");
        }
        assert_eq!(QuietHours::new(-1, 10), None);
        assert_eq!(QuietHours::new(0, 1_440), None);
    }

    #[test]
    fn they_end_by_the_readers_clock() {
        for (at, zone, end) in [
            // Brasília is three hours behind.
            (datetime!(2026-11-28 00:59 UTC), None, None),
            (
                datetime!(2026-11-28 01:00 UTC),
                None,
                Some(datetime!(2026-11-28 10:00 UTC)),
            ),
            (
                datetime!(2026-11-28 09:59 UTC),
                None,
                Some(datetime!(2026-11-28 10:00 UTC)),
            ),
            (datetime!(2026-11-28 10:00 UTC), None, None),
            (
                datetime!(2026-11-28 13:00 UTC),
                Some("Asia/Tokyo"),
                Some(datetime!(2026-11-28 22:00 UTC)),
            ),
            // One that went out of the list: the business's.
            (
                datetime!(2026-11-28 01:00 UTC),
                Some("Mars/Olympus"),
                Some(datetime!(2026-11-28 10:00 UTC)),
            ),
        ] {
            assert_eq!(ends(NIGHT, at, zone), end, "{at} {zone:?}");
        }
        // By day.
        let noon = ("12:00", "14:00");
        let at = datetime!(2026-11-28 16:30 UTC);
        assert_eq!(ends(noon, at, None), Some(datetime!(2026-11-28 17:00 UTC)));
        assert_eq!(ends(noon, datetime!(2026-11-28 17:00 UTC), None), None);
    }

    #[test]
    fn clocks_that_are_put_forward_or_back_hold_nothing_up() {
        let lisbon = Some("Europe/Lisbon");
        // 2026-03-29: from 01:00 to 02:00 there is nothing; 2026-10-25: from 01:00 to 02:00 twice.
        let gap = ends(("23:00", "01:30"), datetime!(2026-03-29 00:30 UTC), lisbon);
        assert_eq!(gap, Some(datetime!(2026-03-29 01:30 UTC)));
        let first = ends(("23:00", "01:30"), datetime!(2026-10-25 00:15 UTC), lisbon);
        assert_eq!(first, Some(datetime!(2026-10-25 00:30 UTC)));
        let again = ends(("23:00", "01:30"), datetime!(2026-10-25 01:15 UTC), lisbon);
        assert_eq!(again, None);
    }

    proptest! {
        /// Nothing is held into the past, nor for longer than a day of 25 hours; what is held is free at its end.
        #[test]
        fn nothing_is_held_for_long(from in 0i16..1_440, until in 0i16..1_440, second in 1_700_000_000i64..1_900_000_000) {
            let Some(hours) = QuietHours::new(from, until) else { return Ok(()) };
            let at = OffsetDateTime::from_unix_timestamp(second).unwrap();
            for zone in [None, Some("Europe/Lisbon"), Some("Australia/Lord_Howe")] {
                if let Some(end) = hours.ends(at, zone) {
                    prop_assert!(end > at && end - at <= Duration::hours(25), "{end}");
                }
            }
        }
    }
}
