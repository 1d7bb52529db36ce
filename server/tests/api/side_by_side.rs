//! Two batches booked at once, as the desk sends them: other robots, but the same people, the same day, the same house.

use crate::{
    kit::TestApp,
    licences::{exact, house},
    robots::{batch, fence, operation, robot, share},
};
use actors::desk::{
    cohort::Share,
    port::{Batch, SettledBatch},
};
use protocol::{ids::OperationId, money::Usdt, views::Mode};
use server::{
    ledger::model::HouseAccount,
    robots::service::{reserve, settle},
};

const ROUNDS: i64 = 6;

/// What the desk does with a batch whose answer is an error: the same one again.
async fn booked(app: &TestApp, fence: i64, batch: &Batch) -> SettledBatch {
    for _ in 0..20 {
        if let Ok(settled) = settle(&app.context, fence, batch).await {
            return settled;
        }
    }
    panic!("it was refused again and again");
}

/// An operation of these robots, reserved, in a batch of its own.
async fn reserved(app: &TestApp, fence: i64, lane: u8, results: &[(Share, i64)]) -> Batch {
    let id = OperationId::fresh();
    let shares: Vec<Share> = results.iter().map(|(share, _)| *share).collect();
    let accepted = reserve(&app.context, fence, id, &shares).await.unwrap();
    assert_eq!(accepted.len(), shares.len());
    Batch {
        lane,
        ..batch(vec![operation(id, results)])
    }
}

#[actix_web::test]
async fn what_is_booked_at_once_adds_up() {
    let app = TestApp::start().await;
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for n in 0..6 {
        let user = app.user(&format!("user{n}")).await;
        for side in [&mut left, &mut right] {
            let licence = robot(&app, &user, 100).await;
            side.push(share(&user, licence, Usdt::whole(10)));
        }
    }
    let fence = fence(&app).await;
    let mut total = 0;
    for round in 0..ROUNDS {
        // In the last one half of them reach their ceiling: their capital is freed beside other robots of the same people.
        let result = |place: i64, salt: i64| match round {
            5 if place % 2 == 0 => 700_000_000,
            _ => (round * 7 + place * 13 + salt * 5) % 29 * 1_000 - 12_000,
        };
        let of = |side: &[Share], salt: i64| -> Vec<(Share, i64)> {
            let places = side.iter().zip(0..);
            places
                .map(|(share, place)| (*share, result(place, salt)))
                .collect()
        };
        let one = reserved(&app, fence, 0, &of(&left, 0)).await;
        let two = reserved(&app, fence, 1, &of(&right, 1)).await;
        let (a, b) = futures_util::join!(booked(&app, fence, &one), booked(&app, fence, &two));
        assert_eq!((a.robots.len(), b.robots.len()), (6, 6));
        // Each answer holds the day with its own batch in it, the later one with both.
        let days = [a.day.unwrap(), b.day.unwrap()];
        assert_eq!(
            days.map(|d| d.operations).into_iter().max(),
            Some((round + 1) * 2)
        );
        assert!(booked(&app, fence, &one).await.robots.is_empty(), "once");
        exact(&app).await;
        let sum: i64 = sqlx::query_scalar("SELECT sum(result)::bigint FROM robots.share")
            .fetch_one(&app.sql)
            .await
            .unwrap();
        assert_eq!(
            house(&app, HouseAccount::Trading(Mode::Simulated)).await,
            Usdt(-sum)
        );
        total = sum;
    }
    // What was cut at the ceiling is in no account and in no robot's day. One that stood below zero has as much left as at the
    // beginning, so it is not quite there.
    let (days, ended, due): (i64, i64, i64) = sqlx::query_as(
        "SELECT (SELECT sum(gain - loss)::bigint FROM robots.day_result),
                count(*) FILTER (WHERE state = 'ceiling_reached'), count(*) FILTER (WHERE gains - losses >= 600000000)
         FROM licences.licence",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!((days, ended, due), (total, 5, 5));
}
