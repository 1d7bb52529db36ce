//! Whom a permission rests on, beside the slow and obvious way to find it out.

use crate::{
    identity::roles::role,
    kit::{ADMINISTRATOR, TestApp},
};
use rand::{Rng, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// What happens to permissions, one after another.
#[derive(Debug)]
enum Event {
    Given(usize, usize, Vec<usize>),
    Taken(usize, usize),
}

/// Who holds what after these events, had somebody never given their word for anyone: the slow and obvious way.
fn replay(events: &[Event], without: usize) -> BTreeSet<(usize, usize)> {
    let mut held = BTreeSet::new();
    for event in events {
        match event {
            Event::Given(who, role, by) => {
                let holds = |g: &usize| *g != without && held.iter().any(|(h, _)| h == g);
                if by.iter().all(holds) {
                    held.insert((*who, *role));
                }
            }
            Event::Taken(who, role) => {
                held.remove(&(*who, *role));
            }
        }
    }
    held
}

#[actix_web::test]
async fn whom_a_permission_rests_on_is_as_a_replay_without_them_says() {
    const PEOPLE: usize = 7;
    let app = TestApp::start().await;
    let mut people = Vec::new();
    for n in 0..PEOPLE {
        people.push(app.user(&format!("p{n}")).await.user.0);
    }
    sqlx::query("INSERT INTO identity.role (id, name, position, permissions) VALUES (gen_random_uuid(), 'narrow', 9, ARRAY['registered-user','admin_permissions'])")
        .execute(&app.sql)
        .await
        .unwrap();
    let mut roles: Vec<Uuid> = Vec::new();
    for name in [ADMINISTRATOR, "narrow"] {
        roles.push(role(&app, name).await.parse().unwrap());
    }
    let seed = rand::random();
    let mut dice = StdRng::seed_from_u64(seed);
    let mut events: Vec<Event> = Vec::new();
    for _ in 0..80 {
        let held = replay(&events, PEOPLE);
        let holders: Vec<usize> = held
            .iter()
            .map(|(who, _)| *who)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        let (who, which) = (dice.random_range(0..PEOPLE), dice.random_range(0..2));
        let event = if held.contains(&(who, which)) {
            if dice.random_bool(0.5) {
                continue;
            }
            sqlx::query("DELETE FROM identity.account_role WHERE account = $1 AND role = $2")
                .bind(people[who])
                .bind(roles[which])
                .execute(&app.sql)
                .await
                .unwrap();
            Event::Taken(who, which)
        } else {
            // Two as a rule; one, as before; nobody, as the console.
            let count = [2, 2, 2, 2, 1, 0][dice.random_range(0..6)];
            let others: Vec<usize> = holders.iter().copied().filter(|h| *h != who).collect();
            let by: Vec<usize> = others.choose_multiple(&mut dice, count).copied().collect();
            sqlx::query("INSERT INTO identity.account_role (account, role, granted_by, seconded_by, granted_at) VALUES ($1, $2, $3, $4, now())")
                .bind(people[who])
                .bind(roles[which])
                .bind(by.first().map(|g| people[*g]))
                .bind(by.get(1).map(|g| people[*g]))
                .execute(&app.sql)
                .await
                .unwrap();
            Event::Given(who, which, by)
        };
        events.push(event);
        let rows: Vec<(Uuid, Vec<Uuid>)> = sqlx::query_as(
            "SELECT account, approvals.rests_on(account) FROM approvals.admin_grant WHERE ended_at IS NULL GROUP BY account",
        )
        .fetch_all(&app.sql)
        .await
        .unwrap();
        let found: BTreeMap<Uuid, BTreeSet<Uuid>> = rows
            .into_iter()
            .map(|(who, on)| (who, on.into_iter().collect()))
            .collect();
        let mut expected: BTreeMap<Uuid, BTreeSet<Uuid>> = BTreeMap::new();
        let held = replay(&events, PEOPLE);
        for (holder, _) in &held {
            expected.entry(people[*holder]).or_default();
        }
        for without in 0..PEOPLE {
            let still = replay(&events, without);
            for (holder, _) in &held {
                if *holder != without && !still.iter().any(|(h, _)| h == holder) {
                    expected
                        .entry(people[*holder])
                        .or_default()
                        .insert(people[without]);
                }
            }
        }
        assert_eq!(found, expected, "seed {seed}: {events:?}");
    }
}
