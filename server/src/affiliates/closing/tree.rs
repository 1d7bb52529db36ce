//! The binary tree as arrays: a day's points carried up both legs to every ancestor in one pass from the deepest member upwards
//! (docs/rules/affiliates.md#closing). Pure: no recursion, and nothing is allocated for a single member.

/// No member: the parent of the root, and of whoever has no place.
pub const NONE: u32 = u32::MAX;

/// Members by their number, with their parents.
#[derive(Debug, Default)]
pub struct Tree {
    parents: Vec<u32>,
    right: Vec<bool>,
    /// Placed members below the root, children before their parents.
    upwards: Vec<u32>,
}

/// A member as the tree is read.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub parent: u32,
    pub right: bool,
    /// Steps to the root.
    pub depth: u32,
}

/// Points that a member's legs matched. Points are millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    pub member: u32,
    pub points: i64,
}

/// Points on both legs of every member; below zero where reversed sales took more than there was: what comes is set off first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Legs {
    pub left: Vec<i64>,
    pub right: Vec<i64>,
}

impl Legs {
    #[must_use]
    pub fn empty(members: usize) -> Self {
        Self {
            left: vec![0; members],
            right: vec![0; members],
        }
    }
}

/// A walk down the tree that comes to each member right before everybody below it, the left leg first: those below somebody are the ones to whom
/// it comes until it has left them all.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// When it comes to each member.
    comes: Vec<u32>,
    /// When it comes to the last one below.
    last: Vec<u32>,
}

impl Walk {
    /// When it comes to a member, and when to the last one below; none for who has no place, or was placed since, and for who stands alone.
    #[must_use]
    pub fn span(&self, member: u32) -> Option<(u32, u32)> {
        let comes = self.comes.get(member as usize).copied()?;
        let last = self.last.get(member as usize).copied()?;
        (comes != NONE).then_some((comes, last))
    }
}

impl Tree {
    /// A tree of so many numbers; whoever is not set has no place, nor has who was placed since: with a number beyond them, or below such a one.
    #[must_use]
    pub fn new(members: usize, places: &[(u32, Place)]) -> Self {
        let mut parents = vec![NONE; members];
        let mut right = vec![false; members];
        let known = |no: u32| (no as usize) < members;
        let places: Vec<&(u32, Place)> = places
            .iter()
            .filter(|(member, place)| known(*member) && (place.parent == NONE || known(place.parent)))
            .collect();
        // Sorted by depth by counting: linear, and stable where numbers have gaps.
        let deepest = places.iter().map(|(_, p)| p.depth).max().unwrap_or(0);
        let mut starts = vec![0usize; usize::try_from(deepest).unwrap_or(0) + 2];
        for (member, place) in &places {
            let member = *member as usize;
            parents[member] = place.parent;
            right[member] = place.right;
            // The deepest come first.
            starts[(deepest - place.depth) as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut upwards = vec![NONE; places.len()];
        for (member, place) in &places {
            let start = &mut starts[(deepest - place.depth) as usize];
            upwards[*start] = *member;
            *start += 1;
        }
        upwards.retain(|member| parents[*member as usize] != NONE);
        Self {
            parents,
            right,
            upwards,
        }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// What each member's legs gain from what members sold (`own`, less what was taken back): every sale reaches each ancestor
    /// once, on the leg on which the seller stands.
    #[must_use]
    pub fn carried_up(&self, own: &[i64]) -> Legs {
        let mut legs = Legs::empty(self.len());
        for member in &self.upwards {
            let member = *member as usize;
            let below = own[member]
                .saturating_add(legs.left[member])
                .saturating_add(legs.right[member]);
            if below == 0 {
                continue;
            }
            let side = if self.right[member] {
                &mut legs.right
            } else {
                &mut legs.left
            };
            let parent = &mut side[self.parents[member] as usize];
            *parent = parent.saturating_add(below);
        }
        legs
    }

    /// A walk down the tree, given how many members stand on each leg.
    #[must_use]
    pub fn walk(&self, team: &Legs) -> Walk {
        let count = |legs: &[i64], no: usize| {
            let members = legs.get(no).copied().unwrap_or_default();
            u32::try_from(members).unwrap_or(u32::MAX)
        };
        let below = |no: usize| count(&team.left, no).saturating_add(count(&team.right, no));
        let mut comes = vec![NONE; self.len()];
        let mut next = 0u32;
        // Parents before their children.
        for member in self.upwards.iter().rev() {
            let member = *member as usize;
            let parent = self.parents[member] as usize;
            if comes[parent] == NONE {
                comes[parent] = next;
                next = next.saturating_add(1).saturating_add(below(parent));
            }
            let before = if self.right[member] {
                count(&team.left, parent)
            } else {
                0
            };
            comes[member] = comes[parent].saturating_add(1).saturating_add(before);
        }
        let last = comes
            .iter()
            .enumerate()
            .map(|(no, comes)| comes.saturating_add(below(no)))
            .collect();
        Walk { comes, last }
    }

    /// For each member the latest of what those below it have, on either leg; zero is nothing.
    #[must_use]
    pub fn latest_below(&self, own: &[i64]) -> Vec<i64> {
        let mut latest = vec![0i64; self.len()];
        for member in &self.upwards {
            let member = *member as usize;
            let below = own[member].max(latest[member]);
            let above = &mut latest[self.parents[member] as usize];
            *above = below.max(*above);
        }
        latest
    }

    /// Adds a day to the legs and matches them: both lose what is matched. In the order of the members.
    pub fn close(&self, own: &[i64], legs: &mut Legs) -> Vec<Match> {
        let day = self.carried_up(own);
        let mut matches = Vec::new();
        for (member, ((left, right), (new_left, new_right))) in legs
            .left
            .iter_mut()
            .zip(&mut legs.right)
            .zip(day.left.iter().zip(&day.right))
            .enumerate()
        {
            if *new_left == 0 && *new_right == 0 {
                continue;
            }
            *left = left.saturating_add(*new_left);
            *right = right.saturating_add(*new_right);
            let points = (*left).min(*right);
            if points > 0 {
                *left -= points;
                *right -= points;
                matches.push(Match {
                    member: member as u32,
                    points,
                });
            }
        }
        matches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn place(parent: u32, right: bool, depth: u32) -> Place {
        Place { parent, right, depth }
    }

    fn root() -> (u32, Place) {
        (0, place(NONE, false, 0))
    }

    #[test]
    fn who_came_while_it_was_read_has_no_place() {
        let read = [
            root(),
            (1, place(0, false, 1)),
            (2, place(3, true, 3)),
            (3, place(1, true, 2)),
        ];
        let mut legs = Legs::empty(3);
        let tree = Tree::new(3, &read);
        assert_eq!(
            tree.carried_up(&[1, 1, 1]),
            Tree::new(3, &read[..2]).carried_up(&[1, 1, 1])
        );
        assert!(tree.close(&[0, 5, 7], &mut legs).is_empty());
        assert_eq!((legs.left, legs.right), (vec![5, 0, 0], vec![0; 3]));
    }

    #[test]
    fn legs_match_what_the_weaker_holds() {
        // Left and right child of the root, and their sales.
        let tree = Tree::new(3, &[root(), (1, place(0, false, 1)), (2, place(0, true, 1))]);
        for (sold, matched, carry) in [
            ([0, 1_200, 500], 500, (700, 0)),
            ([0, 500, 1_000], 500, (0, 500)),
            ([0, 100, 200], 100, (0, 100)),
            ([0, 0, 6_000], 0, (0, 6_000)),
            ([0, 1_800, 20_800], 1_800, (0, 19_000)),
        ] {
            let mut legs = Legs::empty(3);
            let matches = tree.close(&sold, &mut legs);
            let expected: Vec<Match> = (matched > 0)
                .then_some(Match {
                    member: 0,
                    points: matched,
                })
                .into_iter()
                .collect();
            assert_eq!(matches, expected);
            assert_eq!((legs.left[0], legs.right[0]), carry);
        }
    }

    #[test]
    fn what_is_taken_back_leaves_the_carry_and_then_what_comes() {
        let tree = Tree::new(3, &[root(), (1, place(0, false, 1)), (2, place(0, true, 1))]);
        let mut legs = Legs::empty(3);
        assert!(tree.close(&[0, 100, 0], &mut legs).is_empty());
        assert!(tree.close(&[0, -150, 0], &mut legs).is_empty());
        assert_eq!((legs.left[0], legs.right[0]), (-50, 0), "50 are still due");
        assert!(
            tree.close(&[0, 0, 80], &mut legs).is_empty(),
            "nothing is matched with a debt"
        );
        let matches = tree.close(&[0, 70, 0], &mut legs);
        assert_eq!(
            matches,
            [Match {
                member: 0,
                points: 20
            }]
        );
        assert_eq!((legs.left[0], legs.right[0]), (0, 60));
    }

    #[test]
    fn a_long_chain_takes_one_pass() {
        let deep = 100_000u32;
        let places: Vec<(u32, Place)> = std::iter::once(root())
            .chain((1..=deep).map(|n| (n, place(n - 1, n % 2 == 0, n))))
            .collect();
        let members = places.len();
        let tree = Tree::new(members, &places);
        let mut own = vec![0; members];
        own[members - 1] = 7;
        let day = tree.carried_up(&own);
        assert_eq!(
            day.left.iter().chain(&day.right).filter(|p| **p == 7).count(),
            members - 1
        );
    }

    #[test]
    fn who_has_no_place_sells_for_nobody() {
        let tree = Tree::new(3, &[root(), (2, place(0, true, 1))]);
        let mut legs = Legs::empty(3);
        assert!(tree.close(&[5, 5, 0], &mut legs).is_empty());
        assert_eq!(legs, Legs::empty(3));
    }

    /// A random tree: parents are drawn from those before, on a side that is still free.
    fn trees() -> impl Strategy<Value = Vec<(u32, Place)>> {
        proptest::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..60).prop_map(|draws| {
            let mut places = vec![root()];
            let mut taken = std::collections::HashSet::new();
            for (n, (parent, right)) in draws.into_iter().enumerate() {
                let (mut at, mut side) = (parent.index(n + 1), right);
                while taken.contains(&(at, side)) {
                    (at, side) = if side == right {
                        (at, !right)
                    } else {
                        ((at + 1) % (n + 1), right)
                    };
                }
                taken.insert((at, side));
                let depth = places[at].1.depth + 1;
                places.push((
                    u32::try_from(n + 1).unwrap(),
                    place(u32::try_from(at).unwrap(), side, depth),
                ));
            }
            places
        })
    }

    proptest! {
        /// Carry and debt as two figures, as the rule says it, are one signed figure.
        #[test]
        fn a_debt_of_points_is_a_carry_below_zero(days in proptest::collection::vec((0i64..100, 0i64..100), 1..40)) {
            let (mut carry, mut due, mut signed) = (0, 0, 0);
            for (new, reversed) in days {
                due += (reversed - carry).max(0);
                carry = (carry - reversed).max(0);
                let taken = new.min(due);
                due -= taken;
                carry += new - taken;
                signed += new - reversed;
                prop_assert_eq!(signed, carry - due);
                prop_assert!(carry == 0 || due == 0);
            }
        }

        #[test]
        fn every_sale_reaches_every_ancestor_once(places in trees(), sales in proptest::collection::vec((any::<prop::sample::Index>(), -50i64..200), 0..80)) {
            let members = places.len();
            // The order in which places are read does not matter.
            let mut read = places.clone();
            read.reverse();
            let tree = Tree::new(members, &read);
            let mut own = vec![0; members];
            let mut expected = Legs::empty(members);
            for (who, points) in sales {
                let seller = who.index(members);
                own[seller] += points;
                let mut at = seller;
                while places[at].1.parent != NONE {
                    let up = places[at].1.parent as usize;
                    let side = if places[at].1.right { &mut expected.right } else { &mut expected.left };
                    side[up] += points;
                    at = up;
                }
            }
            prop_assert_eq!(tree.carried_up(&own), expected);
        }

        #[test]
        fn the_latest_below_is_that_of_all_descendants(places in trees(), moments in proptest::collection::vec((any::<prop::sample::Index>(), 1i64..100), 0..40)) {
            let members = places.len();
            let tree = Tree::new(members, &places);
            let mut own = vec![0; members];
            let mut expected = vec![0; members];
            for (who, moment) in moments {
                let who = who.index(members);
                own[who] = moment.max(own[who]);
                let mut at = who;
                while places[at].1.parent != NONE {
                    at = places[at].1.parent as usize;
                    expected[at] = moment.max(expected[at]);
                }
            }
            prop_assert_eq!(tree.latest_below(&own), expected);
        }
    }
}
