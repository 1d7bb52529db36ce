//! What people hear of what they put into pools: pure.

use super::Line;
use protocol::{
    ids::UserId,
    money::Usdt,
    views::{PoolEntryState, PoolEntryView},
};
use serde_json::json;

/// An entry's state as it is remembered: whether it has ended, and what it has received.
#[must_use]
pub fn pool_state(entry: &PoolEntryView) -> String {
    format!("{}:{}", entry.state.as_str(), entry.received.0)
}

fn read(state: &str) -> Option<(bool, Usdt)> {
    let (state, received) = state.split_once(':')?;
    Some((
        state == PoolEntryState::Ended.as_str(),
        Usdt(received.parse().ok()?),
    ))
}

/// That its principal came back, or what it received since it was told last; going in was one's own doing. Of an entry that nobody had looked
/// at before it is not known what was told: what it has received by then is no news.
#[must_use]
pub fn pool_line(owner: UserId, entry: &PoolEntryView, previous: Option<&str>) -> Option<Line> {
    let before = previous.and_then(read);
    let line = |code, amount: Usdt| {
        amount.is_positive().then(|| Line {
            owner,
            code,
            params: json!({ "entry": entry.id, "pool": entry.pool_name, "usdt": amount }),
            amount: Some(amount),
            about: entry.id.0,
        })
    };
    let had_ended = before.is_some_and(|(ended, _)| ended);
    if entry.state == PoolEntryState::Ended && !had_ended {
        return line("pool_ended", entry.value);
    }
    let (_, told) = before?;
    line("pool_share", entry.received - told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::ids::{PoolEntryId, PoolId};
    use time::OffsetDateTime;

    fn entry(state: PoolEntryState, received: i64) -> PoolEntryView {
        PoolEntryView {
            id: PoolEntryId::fresh(),
            pool: PoolId::fresh(),
            pool_name: "Liquidez 90".into(),
            value: Usdt::whole(100),
            taken: Usdt::ZERO,
            state,
            term_days: 90,
            first_day: "2026-11-24".into(),
            last_day: "2027-02-21".into(),
            ends_at: OffsetDateTime::UNIX_EPOCH,
            ended_at: None,
            received: Usdt(received),
            created_at: OffsetDateTime::UNIX_EPOCH,
            version: 1,
        }
    }

    #[test]
    fn each_share_and_the_end_are_told_once() {
        use PoolEntryState::{Active, Ended};
        let told = |state, received, previous: Option<&str>| {
            let line = pool_line(UserId::fresh(), &entry(state, received), previous)?;
            Some((line.code, line.amount?.0))
        };
        assert_eq!(told(Active, 0, None), None, "it went in");
        assert_eq!(told(Active, 7, Some("active:0")), Some(("pool_share", 7)));
        assert_eq!(told(Active, 9, Some("active:7")), Some(("pool_share", 2)));
        assert_eq!(told(Active, 9, Some("active:9")), None, "a part was taken back");
        let back = Usdt::whole(100).0;
        assert_eq!(told(Ended, 9, Some("active:9")), Some(("pool_ended", back)));
        assert_eq!(
            told(Ended, 12, Some("ended:9")),
            Some(("pool_share", 3)),
            "late revenue"
        );
        // Of before entries were looked at.
        assert_eq!(told(Active, 9, None), None);
        assert_eq!(told(Ended, 9, None), Some(("pool_ended", back)));
        let nothing = PoolEntryView {
            value: Usdt::ZERO,
            ..entry(Ended, 0)
        };
        assert_eq!(pool_line(UserId::fresh(), &nothing, Some("active:0")), None);
        assert_eq!(pool_state(&entry(Ended, 12)), "ended:12");
    }
}
