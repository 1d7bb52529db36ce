//! What bounds a bonus: pure. The part that fits is earned, the rest is lost; the reason is the smallest bound.

use protocol::{ids::LicenceId, money::Usdt, views::LostReason};

/// What a licence's network ceiling still takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    pub licence: LicenceId,
    pub left: Usdt,
}

/// What is earned of a bonus, and why the rest is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Earned {
    pub earned: Usdt,
    pub lost: Usdt,
    pub reason: Option<LostReason>,
}

/// Bounds a bonus by what its rule knows and by what the network ceilings leave. Of equal bounds the first of these is named: inactive, not
/// qualified, network ceiling, daily cap.
#[must_use]
pub fn bound(gross: Usdt, by_rule: Option<(LostReason, Usdt)>, ceiling: Usdt) -> Earned {
    let ceiling = (LostReason::NetworkCeiling, ceiling.max(Usdt::ZERO));
    let smallest = by_rule
        .into_iter()
        .chain([ceiling])
        .min_by_key(|(reason, most)| (*most, place(*reason)))
        .unwrap_or(ceiling);
    let earned = gross.min(smallest.1).max(Usdt::ZERO);
    Earned {
        earned,
        lost: gross - earned,
        reason: (earned < gross).then_some(smallest.0),
    }
}

const fn place(reason: LostReason) -> u8 {
    match reason {
        LostReason::Inactive => 0,
        LostReason::NotQualified => 1,
        LostReason::NetworkCeiling => 2,
        LostReason::DailyCap => 3,
    }
}

/// Uses the ceilings of a member's active licences, oldest first; how much of each.
pub fn fill(rooms: &mut [Room], earned: Usdt) -> Vec<(LicenceId, Usdt)> {
    let mut left = earned;
    let mut used = Vec::new();
    for room in rooms {
        let part = room.left.min(left).max(Usdt::ZERO);
        if part.is_positive() {
            room.left -= part;
            left -= part;
            used.push((room.licence, part));
        }
    }
    used
}

/// All that a member's ceilings leave.
#[must_use]
pub fn left(rooms: &[Room]) -> Usdt {
    Usdt(
        rooms
            .iter()
            .fold(0, |sum: i64, room| sum.saturating_add(room.left.0)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use LostReason::{DailyCap, Inactive, NetworkCeiling, NotQualified};
    use proptest::prelude::*;

    #[test]
    fn the_smallest_bound_is_the_reason() {
        let of = |gross, rule: Option<(LostReason, i64)>, ceiling| {
            let b = bound(
                Usdt::whole(gross),
                rule.map(|(r, most)| (r, Usdt::whole(most))),
                Usdt::whole(ceiling),
            );
            assert_eq!(b.earned + b.lost, Usdt::whole(gross));
            (b.earned.0 / 1_000_000, b.reason)
        };
        assert_eq!(of(50, None, 100), (50, None));
        assert_eq!(of(50, None, 50), (50, None));
        assert_eq!(of(50, None, 20), (20, Some(NetworkCeiling)));
        assert_eq!(of(50, Some((DailyCap, 30)), 100), (30, Some(DailyCap)));
        assert_eq!(of(50, Some((DailyCap, 30)), 20), (20, Some(NetworkCeiling)));
        assert_eq!(
            of(50, Some((DailyCap, 30)), 30),
            (30, Some(NetworkCeiling)),
            "a tie"
        );
        assert_eq!(
            of(50, Some((NotQualified, 0)), 0),
            (0, Some(NotQualified)),
            "a tie"
        );
        assert_eq!(of(50, Some((Inactive, 0)), 0), (0, Some(Inactive)), "a tie");
    }

    proptest! {
        #[test]
        fn ceilings_are_used_oldest_first_and_never_beyond(lefts in prop::collection::vec(0i64..1_000, 0..6), gross in 0i64..8_000) {
            let mut rooms: Vec<Room> = lefts.iter().map(|l| Room { licence: LicenceId::fresh(), left: Usdt(*l) }).collect();
            let before = rooms.clone();
            let earned = bound(Usdt(gross), None, left(&rooms)).earned;
            let used = fill(&mut rooms, earned);
            prop_assert_eq!(used.iter().map(|(_, part)| part.0).sum::<i64>(), earned.0);
            prop_assert_eq!(left(&before) - left(&rooms), earned);
            prop_assert!(rooms.iter().all(|r| !r.left.is_negative()));
            let full = rooms.iter().take_while(|r| r.left.is_zero()).count();
            prop_assert!(rooms.iter().zip(&before).skip(full + 1).all(|(a, b)| a == b), "a younger one only when the older ones are full");
        }
    }
}
