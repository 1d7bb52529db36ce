//! What becomes of what waits for a device: told, told together, later, or never (docs/rules/notifications.md#push). Pure.

use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// What nobody was told within a day is old.
pub const LIFE: Duration = Duration::DAY;
/// More at once are told as one.
pub const BURST: usize = 3;
/// The most in an hour to a device, but for what cannot wait.
pub const HOURLY: i32 = 12;
pub const HOUR: Duration = Duration::HOUR;

/// A line that waits for a device.
#[derive(Clone, Debug)]
pub struct Pending {
    pub line: Uuid,
    pub at: OffsetDateTime,
    /// There, and not read.
    pub open: bool,
    /// What is about safety does not.
    pub can_wait: bool,
    /// How it was told at its first try, if there was one.
    pub together: Option<bool>,
}

/// How much a device was told in its hour.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    pub hour_from: OffsetDateTime,
    pub hour_sent: i32,
}

impl Pace {
    fn left(self, now: OffsetDateTime) -> usize {
        let sent = if self.hour_from + HOUR > now {
            self.hour_sent
        } else {
            0
        };
        usize::try_from(HOURLY - sent).unwrap_or(0)
    }
}

/// By line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub never: Vec<Uuid>,
    pub later: Vec<(Uuid, OffsetDateTime)>,
    pub alone: Vec<Uuid>,
    /// None, or at least one: one that was told with others at its first try.
    pub together: Vec<Uuid>,
}

/// Plans one device's; `quiet_until`: the end of its owner's quiet hours, where it is in them.
#[must_use]
pub fn plan(
    pending: &[Pending],
    pace: Pace,
    quiet_until: Option<OffsetDateTime>,
    now: OffsetDateTime,
) -> Plan {
    let mut plan = Plan::default();
    let mut fresh: Vec<&Pending> = Vec::new();
    for one in pending {
        match quiet_until.filter(|_| one.can_wait) {
            _ if !one.open || one.at + LIFE <= now => plan.never.push(one.line),
            Some(end) => plan.later.push((one.line, end)),
            // A second try is the message of the first.
            None if !one.can_wait || one.together == Some(false) => plan.alone.push(one.line),
            None => fresh.push(one),
        }
    }
    let left = pace.left(now);
    let lines = fresh.iter().map(|one| one.line);
    if left == 0 {
        let next = pace.hour_from + HOUR;
        plan.later.extend(lines.map(|line| (line, next)));
    } else if fresh.len() > BURST.min(left) || fresh.iter().any(|one| one.together == Some(true)) {
        plan.together.extend(lines);
    } else {
        plan.alone.extend(lines);
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    const NOW: OffsetDateTime = datetime!(2026-11-28 12:00 UTC);
    const IDLE: Pace = Pace {
        hour_from: datetime!(2026-11-28 10:00 UTC),
        hour_sent: HOURLY,
    };

    fn waits(line: u128) -> Pending {
        Pending {
            line: Uuid::from_u128(line),
            at: NOW,
            open: true,
            can_wait: true,
            together: None,
        }
    }

    fn ids(lines: &[u128]) -> Vec<Uuid> {
        lines.iter().map(|line| Uuid::from_u128(*line)).collect()
    }

    #[test]
    fn a_few_are_told_one_by_one_and_many_as_one() {
        let few: Vec<_> = (1..=3).map(waits).collect();
        assert_eq!(plan(&few, IDLE, None, NOW).alone, ids(&[1, 2, 3]));
        let many: Vec<_> = (1..=4).map(waits).collect();
        let planned = plan(&many, IDLE, None, NOW);
        assert_eq!(
            (planned.alone, planned.together),
            (Vec::new(), ids(&[1, 2, 3, 4]))
        );
    }

    #[test]
    fn an_hour_has_its_most_and_the_last_is_of_all() {
        let pace = |hour_sent| Pace {
            hour_from: datetime!(2026-11-28 11:30 UTC),
            hour_sent,
        };
        let two = [waits(1), waits(2)];
        assert_eq!(plan(&two, pace(10), None, NOW).alone, ids(&[1, 2]));
        assert_eq!(plan(&two, pace(11), None, NOW).together, ids(&[1, 2]));
        let next = datetime!(2026-11-28 12:30 UTC);
        let full = plan(&two, pace(12), None, NOW);
        assert_eq!(
            full.later,
            [(Uuid::from_u128(1), next), (Uuid::from_u128(2), next)]
        );
        // What warns does not wait for it.
        let warning = Pending {
            can_wait: false,
            ..waits(3)
        };
        assert_eq!(plan(&[warning], pace(12), None, NOW).alone, ids(&[3]));
    }

    #[test]
    fn quiet_hours_hold_what_can_wait() {
        let end = datetime!(2026-11-28 20:00 UTC);
        let warning = Pending {
            can_wait: false,
            ..waits(2)
        };
        let planned = plan(&[waits(1), warning], IDLE, Some(end), NOW);
        assert_eq!(
            (planned.later, planned.alone),
            (vec![(Uuid::from_u128(1), end)], ids(&[2]))
        );
    }

    #[test]
    fn what_was_read_and_what_is_old_is_never_told() {
        let read = Pending {
            open: false,
            ..waits(1)
        };
        let old = Pending {
            at: NOW - LIFE,
            can_wait: false,
            ..waits(2)
        };
        assert_eq!(plan(&[read, old], IDLE, None, NOW).never, ids(&[1, 2]));
    }

    #[test]
    fn a_second_try_is_the_message_of_the_first() {
        let single = |line| Pending {
            together: Some(false),
            ..waits(line)
        };
        let tried: Vec<_> = [single(1), single(2)]
            .into_iter()
            .chain((3..=5).map(waits))
            .collect();
        let planned = plan(&tried, IDLE, None, NOW);
        assert_eq!(
            (planned.alone, planned.together),
            (ids(&[1, 2, 3, 4, 5]), Vec::new())
        );
        let joined = Pending {
            together: Some(true),
            ..waits(1)
        };
        assert_eq!(plan(&[joined, waits(2)], IDLE, None, NOW).together, ids(&[1, 2]));
    }
}
