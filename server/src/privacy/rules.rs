//! When an export may be asked for, and how long it stays. Pure.

use super::model::{DataExportState, Export};
use time::{Duration, OffsetDateTime};

/// How long a file can be downloaded.
pub const LIFE: Duration = Duration::days(7);
/// Between two of one person.
pub const BETWEEN: Duration = Duration::DAY;

/// Who finds another's file being made looks again after this.
pub const TURN: Duration = Duration::seconds(15);

/// From when another may be asked for, as the newest one stands; none: now.
#[must_use]
pub fn next_at(newest: Option<&Export>, now: OffsetDateTime) -> Option<OffsetDateTime> {
    let newest = newest?;
    let next = newest.asked_at + BETWEEN;
    // One that is still being made is waited for, however long it takes.
    (next > now || newest.state == DataExportState::Asked).then_some(next.max(now))
}

/// Whether its file can be downloaded.
#[must_use]
pub fn is_open(export: &Export, now: OffsetDateTime) -> bool {
    export.state == DataExportState::Ready && export.expires_at.is_some_and(|until| until > now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::ids::{DataExportId, FileId, UserId};
    use time::macros::datetime;

    const ASKED: OffsetDateTime = datetime!(2026-11-20 12:00 UTC);

    fn export(state: DataExportState) -> Export {
        let made = (state != DataExportState::Asked).then_some(ASKED);
        Export {
            id: DataExportId::fresh(),
            owner: UserId::fresh(),
            state,
            file: (state == DataExportState::Ready).then(FileId::fresh),
            bytes: made.map(|_| 7),
            asked_at: ASKED,
            ready_at: made,
            expires_at: made.map(|at| at + LIFE),
            downloaded_at: None,
        }
    }

    #[test]
    fn one_a_day_and_one_at_a_time() {
        let day = ASKED + BETWEEN;
        assert_eq!(next_at(None, ASKED), None);
        let ready = export(DataExportState::Ready);
        assert_eq!(next_at(Some(&ready), ASKED), Some(day));
        assert_eq!(next_at(Some(&ready), day), None);
        let asked = export(DataExportState::Asked);
        assert_eq!(next_at(Some(&asked), ASKED), Some(day));
        let later = day + Duration::HOUR;
        assert_eq!(next_at(Some(&asked), later), Some(later), "it is not there yet");
    }

    #[test]
    fn a_file_is_there_for_seven_days() {
        let end = ASKED + LIFE;
        let ready = export(DataExportState::Ready);
        assert!(is_open(&ready, ASKED) && is_open(&ready, end - Duration::SECOND));
        assert!(!is_open(&ready, end));
        assert!(!is_open(&export(DataExportState::Asked), ASKED));
        assert!(!is_open(&export(DataExportState::Expired), ASKED));
    }
}
