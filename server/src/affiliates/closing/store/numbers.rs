//! SQL of who has which number: both trees and everybody's id, read side by side before a closing holds anything, and what is newer than that.

use super::{NONE, Nodes, Place, READ, nodes, number};
use crate::{affiliates::model::DayResult, error::Error};
use protocol::ids::UserId;
use sqlx::PgConnection;
use std::collections::{HashMap, HashSet};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// How long before a reading somebody may have been placed whom it did not see: what is under way for longer, or by a clock that is farther
/// behind, is missed by the look at what is newer, and told by the count.
const UNDER_WAY: Duration = Duration::minutes(10);
/// Whose number is nobody's.
const NOBODY: UserId = UserId(Uuid::nil());

/// Both trees by the members' numbers, and whose numbers they are.
#[derive(Debug, Default)]
pub struct Trees {
    pub nodes: Nodes,
    pub ids: Ids,
}

/// Somebody who came or was placed since, as it is now.
#[derive(Clone, Copy, Debug)]
struct Newer {
    no: u32,
    member: UserId,
    sponsor: u32,
    place: Option<Place>,
}

impl Trees {
    /// The number from which on nobody was read, and those before it of whom one of the readings does not know: they were given to changes
    /// that were not committed by then, or never are.
    fn unknown(&self) -> (i32, Vec<i32>) {
        let from = self.nodes.count.min(self.ids.by_number.len());
        let places = &self.nodes.places;
        let root = places
            .iter()
            .find(|(_, place)| place.parent == NONE)
            .map(|(no, _)| *no);
        let missing = (0u32..)
            .zip(self.nodes.sponsors.iter().zip(&self.ids.by_number))
            .filter(|(no, (sponsor, id))| **id == NOBODY || (**sponsor == NONE && Some(*no) != root))
            .filter_map(|(no, _)| i32::try_from(no).ok())
            .collect();
        (i32::try_from(from).unwrap_or(i32::MAX), missing)
    }

    /// Takes them in, each once: whom the readings saw stays as it was read, and may have got a place since.
    fn take_in(&mut self, newer: &[Newer]) {
        let Self { nodes, ids } = self;
        let count = newer.iter().map(|one| one.no as usize + 1).max().unwrap_or(0);
        nodes.count = nodes.count.max(count);
        nodes.sponsors.resize(nodes.count, NONE);
        ids.by_number.resize(ids.by_number.len().max(count), NOBODY);
        let mut placed = vec![false; nodes.count];
        for (no, _) in &nodes.places {
            if let Some(one) = placed.get_mut(*no as usize) {
                *one = true;
            }
        }
        for one in newer {
            let at = one.no as usize;
            let (Some(sponsor), Some(id), Some(stands)) = (
                nodes.sponsors.get_mut(at),
                ids.by_number.get_mut(at),
                placed.get_mut(at),
            ) else {
                continue;
            };
            // Nobody but the root has no sponsor, and the root has a place.
            nodes.read += usize::from(*sponsor == NONE && !*stands);
            *sponsor = one.sponsor;
            ids.read += usize::from(*id == NOBODY);
            *id = one.member;
            if let Some(place) = one.place
                && !*stands
            {
                nodes.places.push((one.no, place));
                *stands = true;
            }
        }
    }

    /// Whether they are of so many members, so many of whom have a place.
    fn are_of(&self, members: i64, places: i64) -> bool {
        let is = |counted: i64, read: usize| usize::try_from(counted).is_ok_and(|counted| counted == read);
        is(members, self.nodes.read) && is(members, self.ids.read) && is(places, self.nodes.places.len())
    }
}

/// Members' ids by their numbers.
#[derive(Debug, Default)]
pub struct Ids {
    /// Nil where a number is nobody's.
    by_number: Vec<UserId>,
    /// How many were read.
    read: usize,
}

impl Ids {
    /// A list in the order of the numbers, from 0 on.
    #[cfg(test)]
    #[must_use]
    pub fn of(by_number: Vec<UserId>) -> Self {
        let read = by_number.len();
        Self { by_number, read }
    }

    /// Whose number it is; none of who was not read.
    #[must_use]
    pub fn get(&self, no: u32) -> Option<UserId> {
        self.by_number
            .get(no as usize)
            .copied()
            .filter(|id| !id.0.is_nil())
    }

    /// Results with their members' numbers, in their order; whoever has none is left out.
    #[must_use]
    pub fn numbered(&self, results: &[DayResult]) -> Vec<(u32, DayResult)> {
        let wanted: HashSet<UserId> = results.iter().map(|result| result.member).collect();
        let numbers: HashMap<UserId, u32> = (0u32..)
            .zip(&self.by_number)
            .filter(|(_, id)| wanted.contains(*id))
            .map(|(no, id)| (*id, no))
            .collect();
        results
            .iter()
            .filter_map(|result| Some((*numbers.get(&result.member)?, *result)))
            .collect()
    }
}

/// Everybody's id, some hundred thousand members a statement; members who come meanwhile are left out.
pub async fn ids(conn: &mut PgConnection) -> Result<Ids, Error> {
    let last = sqlx::query_scalar!("SELECT max(no) FROM affiliates.node")
        .fetch_one(&mut *conn)
        .await?
        .unwrap_or(-1);
    let mut ids = Ids {
        by_number: vec![NOBODY; usize::try_from(last + 1).unwrap_or(0)],
        read: 0,
    };
    let mut from = 0;
    while from <= last {
        let row = sqlx::query!(
            r#"SELECT array_agg(no) AS "no!", array_agg(member) AS "member!" FROM affiliates.node
               WHERE no >= $1 AND no < $2 HAVING count(*) > 0"#,
            from,
            from.saturating_add(READ).min(last.saturating_add(1))
        )
        .fetch_optional(&mut *conn)
        .await?;
        if let Some(row) = row {
            ids.read += row.no.len();
            for (no, member) in row.no.iter().zip(row.member) {
                if let Some(place) = ids.by_number.get_mut(number(*no) as usize) {
                    *place = UserId(member);
                }
            }
        }
        from = from.saturating_add(READ);
    }
    Ok(ids)
}

/// Both trees and everybody's id, by one connection.
pub async fn trees(conn: &mut PgConnection) -> Result<Trees, Error> {
    Ok(Trees {
        nodes: nodes(&mut *conn).await?,
        ids: ids(conn).await?,
    })
}

/// Brings what was read from a moment on up to now; whether it is whole. Under the lock behind which nobody books to the day any more: whoever sold
/// something, or stands above, is there. Nobody who was placed is placed anew, and neither places nor numbers are taken away (the database
/// refuses the one to everybody and gives nobody the right to the other): of what was read only those can have changed who had no place, and
/// they, too, are found by when they were placed. As many as there are, counted by the same statement, are the same.
pub async fn extend(
    conn: &mut PgConnection,
    trees: &mut Trees,
    since: OffsetDateTime,
) -> Result<bool, Error> {
    let (from, missing) = trees.unknown();
    let rows = sqlx::query!(
        r#"SELECT c.members AS "members!", c.places AS "places!", n.no AS "no?", n.member AS "member?: UserId", n.sponsor AS "sponsor?",
                  n.parent AS "parent?", n.on_right AS "on_right?", n.depth AS "depth?"
           FROM (SELECT count(*) AS members, count(depth) AS places FROM affiliates.node) c
           LEFT JOIN (
               SELECT no, member, sponsor, parent, on_right, depth FROM affiliates.node WHERE no >= $1
               UNION
               SELECT no, member, sponsor, parent, on_right, depth FROM affiliates.node WHERE no = ANY($2)
               UNION
               SELECT no, member, sponsor, parent, on_right, depth FROM affiliates.node WHERE placed_at >= $3) n ON true"#,
        from,
        &missing,
        since - UNDER_WAY
    )
    .fetch_all(conn)
    .await?;
    let counted = rows.first().map_or((0, 0), |row| (row.members, row.places));
    let newer: Vec<Newer> = rows
        .into_iter()
        .filter_map(|row| {
            let depth = row.depth.and_then(|depth| u32::try_from(depth).ok());
            Some(Newer {
                no: u32::try_from(row.no?).ok()?,
                member: row.member?,
                sponsor: row.sponsor.map_or(NONE, number),
                place: depth.map(|depth| Place {
                    parent: row.parent.map_or(NONE, number),
                    right: row.on_right.unwrap_or_default(),
                    depth,
                }),
            })
        })
        .collect();
    trees.take_in(&newer);
    Ok(trees.are_of(counted.0, counted.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::money::Usdt;

    #[test]
    fn results_find_their_numbers_and_nobody_elses() {
        let ids: Vec<UserId> = (1u128..=4).map(|n| UserId(Uuid::from_u128(n))).collect();
        let result = |member, usdt| DayResult {
            member,
            result: Usdt::whole(usdt),
        };
        let (one, last, stranger) = (ids[0], ids[3], UserId(Uuid::from_u128(9)));
        let mut ids = Ids::of(ids);
        ids.by_number.insert(2, UserId(Uuid::nil()));
        assert_eq!(
            ids.numbered(&[result(last, 3), result(stranger, 5), result(one, -1)]),
            [(4, result(last, 3)), (0, result(one, -1))]
        );
        assert_eq!((ids.get(2), ids.get(4), ids.get(5)), (None, Some(last), None));
        let nobody = result(UserId(Uuid::nil()), 1);
        assert!(Ids::default().numbered(&[nobody]).is_empty());
    }

    fn id(no: u32) -> UserId {
        UserId(Uuid::from_u128(u128::from(no) + 1))
    }

    fn below(parent: u32, right: bool, depth: u32) -> Option<Place> {
        Some(Place { parent, right, depth })
    }

    fn newer(no: u32, sponsor: u32, place: Option<Place>) -> Newer {
        Newer {
            no,
            member: id(no),
            sponsor,
            place,
        }
    }

    /// The root, 1 below it, 2 who waits for a place, 3 whom neither reading knows, 4 whom the ids alone know.
    fn read() -> Trees {
        let places = [(0, below(NONE, false, 0)), (1, below(0, false, 1))];
        Trees {
            nodes: Nodes {
                count: 4,
                sponsors: vec![NONE, 0, 1, NONE],
                places: places
                    .into_iter()
                    .filter_map(|(no, place)| Some((no, place?)))
                    .collect(),
                read: 3,
            },
            ids: Ids {
                by_number: vec![id(0), id(1), id(2), NOBODY, id(4)],
                read: 4,
            },
        }
    }

    #[test]
    fn what_was_read_asks_for_no_more_than_it_does_not_know() {
        assert_eq!(read().unknown(), (4, vec![3]), "neither the root nor who waits");
        assert_eq!(Trees::default().unknown(), (0, Vec::new()));
    }

    #[test]
    fn who_came_or_was_placed_since_is_taken_in_once() {
        let mut trees = read();
        assert!(!trees.are_of(5, 2), "one of the readings is behind");
        trees.take_in(&[
            // Seen already, and placed within the time of what may be under way.
            newer(1, 0, below(0, false, 1)),
            newer(2, 1, below(1, true, 2)),
            newer(3, 1, None),
            newer(4, 2, below(2, true, 3)),
            newer(6, 4, below(4, false, 4)),
        ]);
        assert!(trees.are_of(6, 5));
        for (members, places) in [(7, 5), (6, 6), (5, 5), (6, 4), (-1, 5)] {
            assert!(!trees.are_of(members, places), "{members} {places}");
        }
        assert_eq!(trees.nodes.count, 7);
        assert_eq!(trees.nodes.sponsors, [NONE, 0, 1, 1, 2, NONE, 4]);
        let mut stand: Vec<(u32, u32, bool, u32)> = trees
            .nodes
            .places
            .iter()
            .map(|(no, place)| (*no, place.parent, place.right, place.depth))
            .collect();
        stand.sort_unstable();
        assert_eq!(
            stand,
            [
                (0, NONE, false, 0),
                (1, 0, false, 1),
                (2, 1, true, 2),
                (4, 2, true, 3),
                (6, 4, false, 4)
            ]
        );
        let known: Vec<Option<UserId>> = (0..7).map(|no| trees.ids.get(no)).collect();
        assert_eq!(
            known,
            [
                Some(id(0)),
                Some(id(1)),
                Some(id(2)),
                Some(id(3)),
                Some(id(4)),
                None,
                Some(id(6))
            ]
        );
        // What is asked for again has changed nothing more.
        assert_eq!(trees.unknown(), (7, vec![5]));
        trees.take_in(&[]);
        assert!(trees.are_of(6, 5));
    }
}
