//! Who of those that have a thing in common stands below whom of them: pure, and no pair is looked at that is none.

use super::Pair;
use crate::{affiliates::closing::tree::Walk, approvals::compliance::Reason};
use protocol::ids::UserId;
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

/// Somebody with a place who has a thing that others have too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharer {
    pub reason: Reason,
    pub member: UserId,
    /// Its number in the tree.
    pub no: u32,
    /// It has matched points that are paid now.
    pub earns: bool,
    /// It had sold what stood when the day ended.
    pub sells: bool,
}

/// When the walk comes to somebody, and when to the last one below; and who it is.
type Walked<'a> = ((u32, u32), &'a Sharer);

/// Those with a place who have each of these things, in the order of the walk and each once. Who share one browser share several: the same people
/// are there once for each reason.
fn in_order<'a>(things: &'a [Vec<Sharer>], walk: &Walk) -> Vec<(Reason, Vec<Walked<'a>>)> {
    let mut seen: HashSet<(Reason, Vec<u32>)> = HashSet::new();
    let mut ordered = Vec::new();
    for people in things {
        let mut people: Vec<Walked<'a>> = people
            .iter()
            .filter_map(|one| Some((walk.span(one.no)?, one)))
            .collect();
        people.sort_unstable_by_key(|((comes, _), _)| *comes);
        people.dedup_by_key(|((comes, _), _)| *comes);
        let Some(reason) = people.first().map(|(_, one)| one.reason) else {
            continue;
        };
        if seen.insert((reason, people.iter().map(|((comes, _), _)| *comes).collect())) {
            ordered.push((reason, people));
        }
    }
    ordered
}

/// Of those who have each of these things: who earns, with who sells below it, and by what of all they are related. Sorting aside, it takes as
/// long as there are people and pairs: of many on one browser who do not stand below one another it looks at each once.
pub fn related(things: &[Vec<Sharer>], walk: &Walk) -> BTreeMap<Pair, Vec<Reason>> {
    let mut related: BTreeMap<Pair, Vec<Reason>> = BTreeMap::new();
    for (reason, people) in in_order(things, walk) {
        // Those whom the walk has not left yet, and who earn.
        let mut above: Vec<(u32, UserId)> = Vec::new();
        for ((comes, last), one) in people {
            while above.last().is_some_and(|(left, _)| *left < comes) {
                above.pop();
            }
            if one.sells {
                for (_, receiver) in &above {
                    let reasons = related.entry((*receiver, one.member)).or_default();
                    if !reasons.contains(&reason) {
                        reasons.push(reason);
                    }
                }
            }
            if one.earns {
                above.push((last, one.member));
            }
        }
    }
    related
}

/// Those who have one thing in common: who sells, by when the walk comes to them, and of who earns between which two moments it is below them.
#[derive(Clone, Debug)]
pub struct Group {
    pub id: Uuid,
    pub reason: Reason,
    pub sellers: Vec<(u32, UserId)>,
    earning: HashMap<UserId, (u32, u32)>,
}

impl Group {
    /// After which moment, and through which, the walk comes to those below somebody; none where nobody of them sells.
    pub fn below(&self, receiver: UserId) -> Option<(u32, u32)> {
        let (after, through) = self.earning.get(&receiver).copied()?;
        let first = self.sellers.partition_point(|(comes, _)| *comes <= after);
        let (comes, _) = self.sellers.get(first)?;
        (*comes <= through).then_some((after, through))
    }
}

/// The same pairs as [`related`] finds, told by no more than there are people.
pub fn groups(things: &[Vec<Sharer>], walk: &Walk) -> Vec<Group> {
    in_order(things, walk)
        .into_iter()
        .map(|(reason, people)| Group {
            id: Uuid::now_v7(),
            reason,
            sellers: people
                .iter()
                .filter(|(_, one)| one.sells)
                .map(|((comes, _), one)| (*comes, one.member))
                .collect(),
            earning: people
                .iter()
                .filter(|(_, one)| one.earns)
                .map(|(span, one)| (one.member, *span))
                .collect(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affiliates::closing::tree::{NONE, Place, Tree};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Each member's parent and leg; the first one is the root.
    fn walk(parents: &[(u32, bool)]) -> Walk {
        let mut depths: Vec<u32> = Vec::new();
        let mut places: Vec<(u32, Place)> = Vec::new();
        for (no, (parent, right)) in (0u32..).zip(parents) {
            let root = no == 0;
            let depth = if root { 0 } else { depths[*parent as usize] + 1 };
            depths.push(depth);
            let parent = if root { NONE } else { *parent };
            places.push((
                no,
                Place {
                    parent,
                    right: *right,
                    depth,
                },
            ));
        }
        let tree = Tree::new(parents.len(), &places);
        tree.walk(&tree.carried_up(&vec![1; parents.len()]))
    }

    fn id(no: u32) -> UserId {
        UserId(uuid::Uuid::from_u128(u128::from(no)))
    }

    fn sharer(reason: Reason, no: u32, earns: bool, sells: bool) -> Sharer {
        Sharer {
            reason,
            member: id(no),
            no,
            earns,
            sells,
        }
    }

    /// A binary tree: each newcomer takes a free place of somebody who is there.
    fn grown(picks: &[prop::sample::Index]) -> Vec<(u32, bool)> {
        let mut parents = vec![(0, false)];
        let mut free = vec![(0, false), (0, true)];
        for (no, pick) in (1u32..).zip(picks) {
            let place = free.swap_remove(pick.index(free.len()));
            parents.push(place);
            free.extend([(no, false), (no, true)]);
        }
        parents
    }

    proptest! {
        /// As each two by themselves say it, walked up step by step.
        #[test]
        fn those_below_are_found_and_nobody_else(
            picks in prop::collection::vec(any::<prop::sample::Index>(), 1..60),
            things in prop::collection::vec((0usize..2, prop::collection::vec(any::<(prop::sample::Index, bool, bool)>(), 0..30)), 1..5),
        ) {
            let parents = grown(&picks);
            let reasons = [Reason::SameDevice, Reason::SamePayer];
            // Whether somebody earns or sells is the same with each thing.
            let kinds: BTreeMap<u32, (bool, bool)> = things
                .iter()
                .flat_map(|(_, people)| people)
                .map(|(who, earns, sells)| (u32::try_from(who.index(parents.len())).unwrap(), (*earns, *sells)))
                .collect();
            let things: Vec<Vec<Sharer>> = things
                .iter()
                .map(|(reason, people)| {
                    let people: BTreeSet<u32> = people.iter().map(|(who, ..)| u32::try_from(who.index(parents.len())).unwrap()).collect();
                    people.into_iter().map(|no| sharer(reasons[*reason], no, kinds[&no].0, kinds[&no].1)).collect()
                })
                .collect();
            let mut expected: BTreeMap<Pair, BTreeSet<&str>> = BTreeMap::new();
            for people in &things {
                for seller in people.iter().filter(|one| one.sells) {
                    let mut at = seller.no;
                    while at != 0 {
                        at = parents[at as usize].0;
                        if let Some(receiver) = people.iter().find(|one| one.no == at && one.earns) {
                            expected.entry((receiver.member, seller.member)).or_default().insert(seller.reason.as_str());
                        }
                    }
                }
            }
            let walk = walk(&parents);
            let mut by_groups: BTreeMap<Pair, BTreeSet<&str>> = BTreeMap::new();
            for group in groups(&things, &walk) {
                for receiver in (0u32..).take(parents.len()).map(id) {
                    let Some((after, through)) = group.below(receiver) else { continue };
                    let below = group.sellers.iter().filter(|(comes, _)| (after + 1..=through).contains(comes));
                    let mut some = false;
                    for (_, seller) in below {
                        some = true;
                        by_groups.entry((receiver, *seller)).or_default().insert(group.reason.as_str());
                    }
                    prop_assert!(some, "it is told of nobody below whom nobody stands");
                }
            }
            prop_assert_eq!(&by_groups, &expected);
            let found: BTreeMap<Pair, BTreeSet<&str>> = related(&things, &walk)
                .into_iter()
                .map(|(pair, reasons)| {
                    let words: BTreeSet<&str> = reasons.iter().map(|reason| reason.as_str()).collect();
                    assert_eq!(words.len(), reasons.len(), "each reason once");
                    (pair, words)
                })
                .collect();
            prop_assert_eq!(found, expected);
        }
    }

    /// A chain of strangers, with somebody on the other leg of each: all of these are on one browser, at as many depths, and none below another.
    /// Asked of each two they would be ten thousand millions.
    #[test]
    fn a_hundred_thousand_on_one_browser_are_looked_at_once() {
        let many = 100_000u32;
        let mut parents = vec![(0, false)];
        for no in 1..=2 * many {
            // Odd ones go on with the chain on the left, even ones stand on the right of those above them.
            parents.push(if no % 2 == 1 {
                (no.saturating_sub(2), false)
            } else {
                (no - 1, true)
            });
        }
        let walk = walk(&parents);
        let mut people: Vec<Sharer> = (1..=many)
            .map(|n| sharer(Reason::SameDevice, 2 * n, true, true))
            .collect();
        assert_eq!(related(std::slice::from_ref(&people), &walk), BTreeMap::new());
        // Who stands above all of them belongs to each, by each thing once however many browsers they used together.
        people.push(sharer(Reason::SameDevice, 0, true, false));
        let found = related(&[people.clone(), people], &walk);
        assert_eq!(found.len(), many as usize);
        assert!(
            found
                .iter()
                .all(|((receiver, _), reasons)| *receiver == id(0) && *reasons == [Reason::SameDevice])
        );
    }

    #[test]
    fn who_was_placed_while_the_closing_ran_stands_below_nobody() {
        let walk = walk(&[(0, false), (0, false)]);
        let people = [(0, true, false), (1, false, true), (2, false, true)];
        let people = people.map(|(no, earns, sells)| sharer(Reason::SamePayer, no, earns, sells));
        let found: Vec<Pair> = related(&[people.to_vec()], &walk).into_keys().collect();
        assert_eq!(found, [(id(0), id(1))]);
    }
}
