//! What members are when the day ends, from what is read of them: whether they are active and qualified, and the most of their day. Pure.

use super::{
    store::Ids,
    tree::{NONE, Place},
};
use crate::{affiliates::model::Frozen, foundation::settings::WHOLE};
use protocol::{ids::UserId, money::Usdt};
use std::collections::HashMap;

/// Somebody with a place, and by whom it was brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Direct {
    sponsor: u32,
    member: u32,
    right: bool,
}

/// Whom these members brought, by the leg on which each stands. Who has no place stands on none, and the root was brought by nobody.
#[must_use]
pub fn directs(concerned: &[u32], sponsors: &[u32], places: &[(u32, Place)]) -> Vec<Direct> {
    let mut asked = vec![false; sponsors.len()];
    for no in concerned {
        if let Some(one) = asked.get_mut(*no as usize) {
            *one = true;
        }
    }
    places
        .iter()
        .filter(|(_, place)| place.parent != NONE)
        .filter_map(|(member, place)| {
            let sponsor = *sponsors.get(*member as usize)?;
            let concerned = asked.get(sponsor as usize).copied().unwrap_or_default();
            concerned.then_some(Direct {
                sponsor,
                member: *member,
                right: place.right,
            })
        })
        .collect()
}

/// Everybody of whom it must be known whether they are active: these members and those whom they brought, each once.
#[must_use]
pub fn asked(concerned: &[u32], directs: &[Direct], ids: &Ids) -> Vec<UserId> {
    let mut numbers: Vec<u32> = concerned.to_vec();
    numbers.extend(directs.iter().map(|direct| direct.member));
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into_iter().filter_map(|no| ids.get(no)).collect()
}

/// What these members are, in the order of their ids: `values` are those of the active licences of whoever is active, `share` what of them is a
/// day's most, in parts per million. Who is not active is left out.
#[must_use]
pub fn copies(
    concerned: &[u32],
    directs: &[Direct],
    ids: &Ids,
    values: &HashMap<UserId, i128>,
    share: i64,
) -> Vec<Frozen> {
    let mut legs: HashMap<u32, (bool, bool)> = HashMap::with_capacity(concerned.len());
    for direct in directs {
        if ids.get(direct.member).is_some_and(|id| values.contains_key(&id)) {
            let (left, right) = legs.entry(direct.sponsor).or_default();
            *left |= !direct.right;
            *right |= direct.right;
        }
    }
    let mut copies: Vec<Frozen> = concerned
        .iter()
        .filter_map(|no| {
            let member = ids.get(*no)?;
            let value = *values.get(&member)?;
            let most = value
                .saturating_mul(i128::from(share))
                .div_euclid(i128::from(WHOLE));
            Some(Frozen {
                member,
                qualified: legs.get(no).is_some_and(|(left, right)| *left && *right),
                daily_cap: Usdt::clamped(most),
            })
        })
        .collect();
    copies.sort_unstable_by_key(|copy| copy.member);
    copies
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn place(parent: u32, right: bool) -> Place {
        // How deep it is does not matter here.
        Place {
            parent,
            right,
            depth: 1,
        }
    }

    /// Ids that sort the other way round than numbers.
    fn ids(count: u32) -> Ids {
        Ids::of(
            (0..count)
                .map(|no| UserId(Uuid::from_u128(u128::from(1_000 - no))))
                .collect(),
        )
    }

    fn values(ids: &Ids, of: &[(u32, i128)]) -> HashMap<UserId, i128> {
        of.iter()
            .map(|(no, value)| (ids.get(*no).unwrap(), *value))
            .collect()
    }

    #[test]
    fn qualified_is_who_brought_somebody_active_on_each_leg() {
        // 1 brought 2 (left) and 3 (right), 2 brought 4 (left) and 5, who has no place yet; 3 brought nobody; the root's own place is no leg.
        let ids = ids(6);
        let sponsors = [NONE, 0, 1, 1, 2, 2];
        let places = [
            (0, place(NONE, true)),
            (1, place(0, false)),
            (2, place(1, false)),
            (3, place(1, true)),
            (4, place(2, false)),
        ];
        let concerned = [0, 1, 2, 3];
        let directs = directs(&concerned, &sponsors, &places);
        assert_eq!(directs.len(), 4);
        let told = |values: &[(u32, i128)], share| -> Vec<(u32, bool, i64)> {
            let found = self::values(&ids, values);
            copies(&concerned, &directs, &ids, &found, share)
                .into_iter()
                .map(|copy| {
                    let no = (0..6).find(|no| ids.get(*no) == Some(copy.member)).unwrap();
                    (no, copy.qualified, copy.daily_cap.0)
                })
                .collect()
        };
        let all = [(0, 7), (1, 10), (2, 10), (3, 10), (4, 10), (5, 10)];
        assert_eq!(
            told(&all, 1_000_000),
            [(3, false, 10), (2, false, 10), (1, true, 10), (0, false, 7)],
            "in the order of ids"
        );
        assert_eq!(
            told(&[(1, 10), (2, 10), (4, 10)], 1_000_000),
            [(2, false, 10), (1, false, 10)],
            "3 is not active any more"
        );
        assert_eq!(
            told(&[(2, 10), (3, 10)], 1_000_000),
            [(3, false, 10), (2, false, 10)]
        );
        assert_eq!(told(&[(1, 10)], 333_333), [(1, false, 3)], "floored");
        assert_eq!(
            told(&[(1, i128::from(i64::MAX) * 2)], 1_000_000),
            [(1, false, i64::MAX)]
        );
        let mut asked: Vec<Option<u32>> =
            super::asked(&[1, 2], &super::directs(&[1, 2], &sponsors, &places), &ids)
                .into_iter()
                .map(|id| (0..6).find(|no| ids.get(*no) == Some(id)))
                .collect();
        asked.sort_unstable();
        assert_eq!(asked, [Some(1), Some(2), Some(3), Some(4)], "each once");
    }

    proptest! {
        /// As each member by itself says it.
        #[test]
        fn a_copy_says_what_each_member_is(
            members in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), any::<bool>(), prop::option::of(0i64..1_000_000)), 1..40),
            picked in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
            share in 0i64..2_000_000,
        ) {
            let count = u32::try_from(members.len()).unwrap();
            let ids = ids(count);
            let mut sponsors = vec![NONE];
            let mut places = vec![(0, place(NONE, false))];
            for (no, (sponsor, right, placed, _)) in (0u32..).zip(&members).skip(1) {
                sponsors.push(u32::try_from(sponsor.index(no as usize)).unwrap());
                if *placed {
                    places.push((no, place(0, *right)));
                }
            }
            let active: Vec<(u32, i128)> = (0u32..)
                .zip(&members)
                .filter_map(|(no, (.., value))| Some((no, i128::from((*value)?))))
                .collect();
            let values = values(&ids, &active);
            let mut concerned: Vec<u32> = picked.iter().map(|at| u32::try_from(at.index(members.len())).unwrap()).collect();
            concerned.sort_unstable();
            concerned.dedup();
            let found = copies(&concerned, &directs(&concerned, &sponsors, &places), &ids, &values, share);
            prop_assert!(found.windows(2).all(|two| two[0].member < two[1].member));
            let mut expected: Vec<Frozen> = Vec::new();
            for no in &concerned {
                let Some((.., Some(value))) = members.get(*no as usize) else { continue };
                let on = |right: bool| (1..count).any(|direct| {
                    let (_, side, placed, value) = members[direct as usize];
                    sponsors[direct as usize] == *no && placed && side == right && value.is_some()
                });
                expected.push(Frozen {
                    member: ids.get(*no).unwrap(),
                    qualified: on(false) && on(true),
                    daily_cap: Usdt::clamped(i128::from(*value) * i128::from(share) / 1_000_000),
                });
            }
            expected.sort_unstable_by_key(|copy| copy.member);
            prop_assert_eq!(found, expected);
        }
    }
}
