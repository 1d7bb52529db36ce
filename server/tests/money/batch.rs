//! The batch writer: many callers, one commit, each its own outcome.

use crate::database::{available, books, deposit, fresh_key, gift};
use protocol::{ErrorCode, LiveEvent, StreamId, ids::UserId, live_event::Numbered, money::Usdt};
use server::{
    foundation::{
        subjects::{Kind, Line},
        transaction::EventSink,
    },
    ledger::{
        batch::{BatchWriter, Entry, Limits},
        service,
    },
};
use std::sync::{Arc, Mutex};
use uuid::Uuid;

#[derive(Default)]
struct Seen(Mutex<Vec<Numbered>>);

impl EventSink for Seen {
    fn committed(&self, facts: &[Numbered]) {
        self.0.lock().unwrap().extend_from_slice(facts);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_in_the_middle_harm_nobody_else() {
    let books = books().await;
    let seen = Arc::new(Seen::default());
    books.db.listen(seen.clone());
    let (rich, poor, to) = (UserId::fresh(), UserId::fresh(), UserId::fresh());
    books.fund(rich, Usdt(10_000)).await;
    books.fund(poor, Usdt(5)).await;
    seen.0.lock().unwrap().clear();
    let writer = BatchWriter::start(
        &books.db,
        Limits {
            batch: 64,
            ..Limits::default()
        },
    );
    let repeated = fresh_key();
    let entry = |n: usize| match n % 5 {
        0 => Entry::new(gift(poor, to, Usdt(2), fresh_key())),
        1 => Entry::new(gift(rich, to, Usdt(1), repeated.clone())),
        // What a calling room got wrong is its own fault alone.
        2 if n == 52 => Entry::new(gift(rich, to, Usdt(1), String::new())),
        _ => Entry::new(gift(rich, to, Usdt(1), fresh_key())),
    };
    let outcomes = futures_util::future::join_all((0..200).map(|n| writer.submit(entry(n)))).await;
    let (mut paid, mut short, mut replayed, mut malformed) = (0, 0, 0, 0);
    for (n, outcome) in outcomes.into_iter().enumerate() {
        match outcome {
            Ok(posted) if posted.replayed => replayed += 1,
            Ok(_) => paid += 1,
            Err(e) if e.error_code() == ErrorCode::BalanceInsufficient => {
                assert_eq!(n % 5, 0);
                short += 1;
            }
            Err(e) => {
                assert_eq!((n, e.error_code()), (52, ErrorCode::Internal));
                malformed += 1;
            }
        }
    }
    assert_eq!(
        (short, replayed, malformed),
        (38, 39, 1),
        "two gifts of 2 out of 5; one key once"
    );
    assert_eq!(paid, 200 - 38 - 39 - 1);
    assert_eq!(books.available(poor).await, Usdt(1));
    assert_eq!(books.available(to).await, Usdt(119 + 1 + 4));
    // Each stream is numbered without a gap and its last fact carries the final balance.
    let facts = seen.0.lock().unwrap().clone();
    let of = |user: UserId| {
        facts
            .iter()
            .filter(|f| f.stream == StreamId::User(user))
            .collect::<Vec<_>>()
    };
    let mine = {
        let mut mine = of(to);
        mine.sort_by_key(|f| f.seq);
        mine
    };
    assert!(mine.windows(2).all(|w| w[1].seq == w[0].seq + 1));
    let LiveEvent::BalanceChanged { accounts } = &mine.last().unwrap().event else {
        panic!("{mine:?}")
    };
    assert_eq!(accounts[0].balance, Usdt(124));
    books.done().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_beside_an_order_is_written_only_with_it() {
    let books = books().await;
    let (rich, poor) = (UserId::fresh(), UserId::fresh());
    books.fund(rich, Usdt(100)).await;
    let writer = BatchWriter::start(&books.db, Limits::default());
    let beside = |transfer, owner, id| Entry {
        transfer,
        facts: vec![(
            StreamId::User(owner),
            LiveEvent::UserChanged {
                reason: "test".into(),
            },
        )],
        subject: Some(Line {
            kind: Kind::Licence,
            id,
            owner,
            worth: Usdt(1).into(),
            status: "paid".into(),
        }),
    };
    let (first, second) = (Uuid::now_v7(), Uuid::now_v7());
    let key = fresh_key();
    let outcomes = writer
        .submit_many(vec![
            beside(gift(rich, poor, Usdt(10), key.clone()), rich, first),
            beside(gift(poor, rich, Usdt(11), fresh_key()), poor, second),
            beside(gift(rich, poor, Usdt(10), key), rich, first),
        ])
        .await
        .unwrap();
    assert!(outcomes[0].is_ok() && outcomes[1].is_err() && outcomes[2].as_ref().is_ok_and(|p| p.replayed));
    let lines: Vec<Uuid> = sqlx::query_scalar("SELECT id FROM foundation.subject")
        .fetch_all(&books.owner)
        .await
        .unwrap();
    assert_eq!(lines, [first]);
    let told: i64 = sqlx::query_scalar("SELECT count(*) FROM foundation.event WHERE kind = 'user.changed'")
        .fetch_one(&books.owner)
        .await
        .unwrap();
    assert_eq!(told, 1, "neither a refused nor a repeated order tells anything");
    books.done().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_cut_under_load_lose_and_double_nothing() {
    let books = books().await;
    let users: Vec<UserId> = (0..8).map(|_| UserId::fresh()).collect();
    for user in &users {
        books.fund(*user, Usdt(100_000)).await;
    }
    let writer = BatchWriter::start(
        &books.db,
        Limits {
            batch: 8,
            ..Limits::default()
        },
    );
    let (owner, name) = (books.owner.clone(), books.name.clone());
    let cutter = tokio::spawn(async move {
        for _ in 0..12 {
            tokio::time::sleep(std::time::Duration::from_millis(30)).await;
            sqlx::query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND usename = 'arbora_app'")
                .bind(&name)
                .execute(&owner)
                .await
                .unwrap();
        }
    });
    let outcomes = futures_util::future::join_all((0..400usize).map(|n| {
        let transfer = gift(
            users[n % 8],
            users[(n + 1 + n % 6) % 8],
            Usdt(1),
            format!("cut:{n}"),
        );
        let writer = &writer;
        async move { writer.submit(Entry::new(transfer)).await }
    }))
    .await;
    cutter.await.unwrap();
    let booked: Vec<String> = sqlx::query_scalar("SELECT key FROM ledger.transfer WHERE key LIKE 'cut:%'")
        .fetch_all(&books.owner)
        .await
        .unwrap();
    for (n, outcome) in outcomes.iter().enumerate() {
        let there = booked.contains(&format!("cut:{n}"));
        match outcome {
            Ok(_) => assert!(there, "{n} was promised"),
            Err(e) => assert_eq!(
                (there, e.error_code()),
                (false, ErrorCode::Unavailable),
                "{n} was called failed"
            ),
        }
    }
    books.done().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_poisonous_order_does_not_fail_its_batch() {
    let books = books().await;
    let (a, b) = (UserId::fresh(), UserId::fresh());
    books.fund(a, Usdt(1_000)).await;
    let writer = BatchWriter::start(&books.db, Limits::default());
    // Only the database knows that no bonus may be posted to a yield.
    let poison = server::ledger::model::Transfer::new(
        server::ledger::model::TransferKind::Bonus,
        fresh_key(),
        server::ledger::model::Cause::new(server::ledger::model::CauseKind::User, a.0),
        server::ledger::model::Orderer::System,
    )
    .move_usdt(
        available(a),
        crate::database::licence(
            protocol::ids::LicenceId::fresh(),
            server::ledger::model::LicenceAccount::Yield,
        ),
        Usdt(1),
    );
    let mut entries: Vec<Entry> = (0..9)
        .map(|_| Entry::new(gift(a, b, Usdt(1), fresh_key())))
        .collect();
    entries.insert(4, Entry::new(poison));
    let outcomes = writer.submit_many(entries).await.unwrap();
    let failed: Vec<usize> = outcomes
        .iter()
        .enumerate()
        .filter(|(_, o)| o.is_err())
        .map(|(n, _)| n)
        .collect();
    assert_eq!(failed, [4]);
    assert_eq!(books.available(b).await, Usdt(9));
    books.done().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_makes_callers_wait_and_all_are_served() {
    let books = books().await;
    let (a, b) = (UserId::fresh(), UserId::fresh());
    books.fund(a, Usdt(1_000)).await;
    let writer = BatchWriter::start(
        &books.db,
        Limits {
            queue: 4,
            batch: 2,
            workers: 1,
        },
    );
    let outcomes = futures_util::future::join_all(
        (0..60).map(|_| writer.submit(Entry::new(gift(a, b, Usdt(1), fresh_key())))),
    )
    .await;
    assert!(outcomes.iter().all(Result::is_ok));
    let larger_than_the_queue = (0..10)
        .map(|_| Entry::new(gift(a, b, Usdt(1), fresh_key())))
        .collect();
    assert!(
        writer
            .submit_many(larger_than_the_queue)
            .await
            .unwrap()
            .iter()
            .all(Result::is_ok)
    );
    assert_eq!(books.available(b).await, Usdt(70));
    let mut tx = books.db.begin().await.unwrap();
    service::post(&mut tx, deposit(b, Usdt(1), fresh_key()))
        .await
        .unwrap();
    drop(tx);
    assert_eq!(books.available(b).await, Usdt(70), "dropped is undone");
    books.done().await;
}
