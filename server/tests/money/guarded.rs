//! Sets that are booked without asking first: what robots earned. The database sees to what is not asked.

use crate::database::{Books, books, deposit, fresh_key, licence, settlement};
use protocol::{
    ErrorCode,
    ids::{LicenceId, UserId},
    money::Usdt,
    views::Mode,
};
use rand::{Rng, SeedableRng, rngs::StdRng};
use server::{
    error::Error,
    ledger::{
        amount::Currency,
        model::{
            AccountRef, Cause, CauseKind, HouseAccount, LicenceAccount, Orderer, Transfer, TransferKind,
        },
        service,
    },
};
use std::time::Duration;
use uuid::Uuid;

/// Capital at work, from nowhere in particular.
async fn allocate(books: &Books, id: LicenceId, amount: Usdt) {
    let transfer = Transfer::new(
        TransferKind::SponsorshipAdd,
        fresh_key(),
        Cause::new(CauseKind::User, Uuid::now_v7()),
        Orderer::System,
    )
    .move_usdt(
        AccountRef::House(HouseAccount::Sponsorship),
        licence(id, LicenceAccount::Allocated),
        amount,
    );
    books.post(transfer).await.unwrap();
}

async fn post(books: &Books, set: Vec<Transfer>, lane: u8) -> Result<(), Error> {
    let mut tx = books.db.begin().await?;
    service::post_guarded(&mut tx, set, lane).await?;
    tx.commit().await?;
    Ok(())
}

async fn stand(books: &Books, id: LicenceId) -> (i64, i64) {
    let of = |account| service::usdt_balance(&books.pool, licence(id, account));
    let (allocated, earned) = (of(LicenceAccount::Allocated), of(LicenceAccount::Yield));
    (allocated.await.unwrap().0, earned.await.unwrap().0)
}

#[tokio::test]
async fn sets_equal_the_model() {
    for seed in 0..3u64 {
        let books = books().await;
        let mut rng = StdRng::seed_from_u64(seed);
        let robots: Vec<LicenceId> = (0..12).map(|_| LicenceId::fresh()).collect();
        let mut model = vec![(4_000i64, 0i64); robots.len()];
        for id in &robots {
            allocate(&books, *id, Usdt(4_000)).await;
        }
        let mut refused = 0;
        for round in 0..30 {
            let mut next = model.clone();
            let mut set = Vec::new();
            for (id, place) in robots.iter().zip(&mut next) {
                let (gain, loss) = (
                    rng.random_range(0..900),
                    rng.random_range(0..1_400) * i64::from(rng.random_bool(0.4)),
                );
                if gain + loss > 0 && rng.random_bool(0.8) {
                    set.push(settlement(*id, Mode::Simulated, Usdt(gain), Usdt(loss)));
                    *place = (place.0 - loss, place.1 + gain);
                }
            }
            let fine = next.iter().all(|(allocated, _)| *allocated >= 0);
            match post(&books, set, (round % 3) as u8).await {
                Ok(()) => {
                    assert!(fine, "seed {seed}, round {round}: nobody loses more than works");
                    model = next;
                }
                Err(e) => {
                    assert_eq!(e.error_code(), ErrorCode::BalanceInsufficient);
                    assert!(!fine, "seed {seed}, round {round}");
                    refused += 1;
                }
            }
            for (id, expected) in robots.iter().zip(&model) {
                assert_eq!(stand(&books, *id).await, *expected, "seed {seed}, round {round}");
            }
        }
        assert!(refused > 0, "seed {seed}: some sets lose too much");
        let out: i64 = model
            .iter()
            .map(|(allocated, earned)| allocated + earned - 4_000)
            .sum();
        let trading = AccountRef::House(HouseAccount::Trading(Mode::Simulated));
        let house = service::account_balance(&books.pool, trading, Currency::Usdt)
            .await
            .unwrap();
        assert_eq!(house.0, i128::from(-out), "seed {seed}");
        books.done().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lanes_do_not_wait_for_each_other() {
    let books = books().await;
    let (one, two) = (LicenceId::fresh(), LicenceId::fresh());
    let gain = |id| vec![settlement(id, Mode::Simulated, Usdt(5), Usdt::ZERO)];
    // Both accounts of the house exist: from here on nothing is created that the other could wait for.
    post(&books, gain(one), 0).await.unwrap();
    post(&books, gain(two), 1).await.unwrap();
    let mut tx = books.db.begin().await.unwrap();
    service::post_guarded(&mut tx, gain(one), 0).await.unwrap();
    tokio::time::timeout(Duration::from_secs(60), post(&books, gain(two), 1))
        .await
        .expect("the other lane is free")
        .unwrap();
    tx.commit().await.unwrap();
    assert_eq!(
        (stand(&books, one).await, stand(&books, two).await),
        ((0, 10), (0, 10))
    );
    books.done().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_moved_meanwhile_is_refused_and_may_come_again() {
    let books = books().await;
    let id = LicenceId::fresh();
    allocate(&books, id, Usdt(100)).await;
    let set = || {
        vec![
            settlement(id, Mode::Simulated, Usdt(7), Usdt(1)),
            settlement(LicenceId::fresh(), Mode::Simulated, Usdt(3), Usdt::ZERO),
        ]
    };
    post(&books, set(), 0).await.unwrap();
    // Somebody who did not hold what guards the account is in the middle of moving it.
    let mut other = books.db.begin().await.unwrap();
    service::post(&mut other, settlement(id, Mode::Simulated, Usdt(20), Usdt::ZERO))
        .await
        .unwrap();
    let waits = async {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while sqlx::query_scalar::<_, i64>(waiting)
            .fetch_one(&books.owner)
            .await
            .unwrap()
            == 0
        {
            tokio::task::yield_now().await;
        }
        other.commit().await.unwrap();
    };
    let before = books.count("transfer").await;
    let both = async { futures_util::join!(post(&books, set(), 0), waits) };
    let (refused, ()) = tokio::time::timeout(Duration::from_secs(60), both)
        .await
        .expect("it waits for the other one");
    refused.expect_err("it was read before the other one was booked");
    assert_eq!(books.count("transfer").await, before + 1, "the other one alone");
    assert_eq!(stand(&books, id).await, (99, 27));
    post(&books, set(), 0).await.unwrap();
    assert_eq!(stand(&books, id).await, (98, 34));
    books.done().await;
}

#[tokio::test]
async fn a_key_that_was_used_fails_the_set() {
    let books = books().await;
    let (one, two) = (LicenceId::fresh(), LicenceId::fresh());
    let first = settlement(one, Mode::Simulated, Usdt(5), Usdt::ZERO);
    post(&books, vec![first.clone()], 0).await.unwrap();
    let beside = settlement(two, Mode::Simulated, Usdt(5), Usdt::ZERO);
    for set in [vec![beside.clone(), first], vec![beside.clone(), beside]] {
        post(&books, set, 0).await.expect_err("a key is booked once");
        assert_eq!(
            (stand(&books, one).await, stand(&books, two).await),
            ((0, 5), (0, 0))
        );
    }
    books.done().await;
}

#[tokio::test]
async fn nobody_is_credited_past_a_debt() {
    let books = books().await;
    let user = UserId::fresh();
    post(&books, vec![deposit(user, Usdt::whole(5), fresh_key())], 0)
        .await
        .expect_err("what is owed is repaid first, which is asked elsewhere");
    assert_eq!(books.count("transfer").await, 0);
    books.done().await;
}
