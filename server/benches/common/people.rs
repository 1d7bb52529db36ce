//! A made network: members as if they had come and bought before.

use rand::{Rng, rngs::StdRng};
use server::identity::service::HOUSE;
use sqlx::PgConnection;
use uuid::Uuid;

/// Rows of one statement.
const ROWS: usize = 50_000;

/// A member of the made network.
pub struct Node {
    pub id: Uuid,
    pub parent: usize,
    pub right: bool,
    pub depth: u32,
    /// By whom it came: its parent, unless a bench says otherwise.
    pub sponsor: usize,
}

/// A chain of a tenth of all, no more than so many, its legs drawn, and below it and beside it a random tree.
pub fn network(members: usize, longest: usize, dice: &mut StdRng) -> Vec<Node> {
    let chain = longest.min(members / 10);
    let mut nodes = vec![Node {
        id: HOUSE.0,
        parent: 0,
        right: false,
        depth: 0,
        sponsor: 0,
    }];
    let mut taken = vec![[false; 2]; members + 1];
    let mut free: Vec<usize> = Vec::new();
    for n in 1..=members {
        let (parent, right) = if n <= chain {
            (n - 1, dice.random())
        } else {
            loop {
                let at = dice.random_range(0..free.len());
                let parent = free[at];
                let right: bool = dice.random();
                let right = if taken[parent][usize::from(right)] {
                    !right
                } else {
                    right
                };
                if taken[parent][usize::from(right)] {
                    free.swap_remove(at);
                    continue;
                }
                break (parent, right);
            }
        };
        taken[parent][usize::from(right)] = true;
        free.push(n);
        let depth = nodes[parent].depth + 1;
        nodes.push(Node {
            id: Uuid::from_u128(dice.random()),
            parent,
            right,
            depth,
            sponsor: parent,
        });
    }
    nodes
}

fn number(n: usize) -> i32 {
    i32::try_from(n).unwrap()
}

/// Depths and jump pointers of a tree whose members stand below earlier ones (docs/decisions/0056-jump-pointers.md).
fn jumps(nodes: &[Node], up: fn(&Node) -> usize) -> (Vec<usize>, Vec<usize>) {
    let (mut depths, mut jumps) = (vec![0; nodes.len()], vec![0; nodes.len()]);
    for (n, node) in nodes.iter().enumerate().skip(1) {
        let above = up(node);
        let (one, two) = (jumps[above], jumps[jumps[above]]);
        depths[n] = depths[above] + 1;
        jumps[n] = if depths[above] - depths[one] == depths[one] - depths[two] {
            two
        } else {
            above
        };
    }
    (depths, jumps)
}

/// Writes accounts, a licence each with its ceiling, and both trees. The session writes as a replica: no trigger counts them.
pub async fn write(conn: &mut PgConnection, nodes: &[Node]) {
    let (_, places) = jumps(nodes, |n| n.parent);
    let (sponsor_depths, sponsors) = jumps(nodes, |n| n.sponsor);
    for (chunk, part) in nodes.chunks(ROWS).enumerate() {
        let first = chunk * ROWS;
        let here = first..first + part.len();
        let ids: Vec<Uuid> = part.iter().map(|n| n.id).collect();
        let of = |up: fn(&Node) -> usize| {
            let all: Vec<Uuid> = part.iter().map(|n| nodes[up(n)].id).collect();
            let numbers: Vec<i32> = part.iter().map(|n| number(up(n))).collect();
            (all, numbers)
        };
        let (parents, parent_numbers) = of(|n| n.parent);
        let (sponsor_ids, sponsor_numbers) = of(|n| n.sponsor);
        let numbers = |all: &[usize]| all[here.clone()].iter().map(|n| number(*n)).collect::<Vec<i32>>();
        let rights: Vec<bool> = part.iter().map(|n| n.right).collect();
        let depths: Vec<i32> = part.iter().map(|n| i32::try_from(n.depth).unwrap()).collect();
        for statement in [
            "INSERT INTO identity.account (id, email, email_key, username, username_key, full_name, created_at, updated_at)
             SELECT id, id || '@bench.invalid', id || '@bench.invalid', left(replace(id::text, '-', ''), 32),
                    left(replace(id::text, '-', ''), 32), 'Bench', now(), now() FROM unnest($1::uuid[]) AS t(id) ON CONFLICT DO NOTHING",
            "INSERT INTO affiliates.member_licence (licence, member, value, active, since, updated_at)
             SELECT gen_random_uuid(), id, 100000000, true, now(), now() FROM unnest($1::uuid[]) AS t(id)",
        ] {
            sqlx::query(statement).bind(&ids).execute(&mut *conn).await.unwrap();
        }
        sqlx::query(
            "INSERT INTO affiliates.member (id, sponsor, parent, leg, left_chain, right_chain, depth, registered_at, confirmed_at, placed_at)
             SELECT id, sponsor, parent, CASE WHEN r THEN 'right' ELSE 'left' END, id, id, depth, now(), now(), now()
             FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::boolean[], $5::int[]) AS t(id, sponsor, parent, r, depth)
             WHERE id <> parent ON CONFLICT DO NOTHING",
        )
        .bind(&ids)
        .bind(&sponsor_ids)
        .bind(&parents)
        .bind(&rights)
        .bind(&depths)
        .execute(&mut *conn)
        .await
        .unwrap();
        sqlx::query(
            "INSERT INTO affiliates.node (no, member, sponsor, sponsor_depth, sponsor_jump, parent, on_right, depth, jump, placed_at)
             OVERRIDING SYSTEM VALUE
             SELECT $1 + at::int - 1, id, s, sd, sj, p, r, d, j, now() - interval '2 days'
             FROM unnest($2::uuid[], $3::int[], $4::int[], $5::int[], $6::int[], $7::boolean[], $8::int[], $9::int[])
                  WITH ORDINALITY AS t(id, s, sd, sj, p, r, d, j, at) ON CONFLICT DO NOTHING",
        )
        .bind(number(first))
        .bind(&ids)
        .bind(&sponsor_numbers)
        .bind(numbers(&sponsor_depths))
        .bind(numbers(&sponsors))
        .bind(&parent_numbers)
        .bind(&rights)
        .bind(&depths)
        .bind(numbers(&places))
        .execute(&mut *conn)
        .await
        .unwrap();
    }
    sqlx::raw_sql(
        "INSERT INTO affiliates.network_ceiling (licence, member, ceiling, since) SELECT licence, member, 500000000, since FROM affiliates.member_licence",
    )
    .execute(conn)
    .await
    .unwrap();
}
