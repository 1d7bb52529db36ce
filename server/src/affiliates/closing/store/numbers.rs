//! SQL of who has which number: both trees and everybody's id, read side by side before a closing holds anything, and whether they still stand.

use super::{Nodes, READ, nodes, number};
use crate::{affiliates::model::DayResult, error::Error};
use protocol::ids::UserId;
use sqlx::PgConnection;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// Both trees by the members' numbers, and whose numbers they are.
#[derive(Debug, Default)]
pub struct Trees {
    pub nodes: Nodes,
    pub ids: Ids,
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
        by_number: vec![UserId(Uuid::nil()); usize::try_from(last + 1).unwrap_or(0)],
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

/// Whether what was read before is whole and what it would be now: nobody was placed since, and nobody had a number whom one of the readings,
/// range by range and on two connections, passed over. Who came since has neither sold nor earned anything; a result of theirs is missed by
/// its number. Places and numbers are never taken away, so that counting tells.
pub async fn still_stand(conn: &mut PgConnection, trees: &Trees) -> Result<bool, Error> {
    let last = |count: usize| i32::try_from(count).unwrap_or(i32::MAX) - 1;
    let row = sqlx::query!(
        r#"SELECT count(*) FILTER (WHERE no <= $1) AS "nodes!", count(*) FILTER (WHERE no <= $2) AS "ids!", count(depth) AS "places!"
           FROM affiliates.node"#,
        last(trees.nodes.count),
        last(trees.ids.by_number.len())
    )
    .fetch_one(conn)
    .await?;
    let is = |counted: i64, read: usize| usize::try_from(counted).is_ok_and(|counted| counted == read);
    Ok(is(row.nodes, trees.nodes.read)
        && is(row.ids, trees.ids.read)
        && is(row.places, trees.nodes.places.len()))
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
}
