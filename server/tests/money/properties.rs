//! Random histories against a model in memory: the database and the model never differ, sums are zero, nothing is below zero.

use crate::database::{Books, available, books, deposit, fresh_key, gift, licence, new_hold, settlement};
use proptest::prelude::*;
use protocol::{
    ErrorCode,
    ids::{HoldId, LicenceId, TransferId, UserId},
    money::Usdt,
    views::Mode,
};
use rand::{Rng, SeedableRng, rngs::StdRng};
use server::ledger::{
    amount::{Amount, Currency},
    model::{
        AccountRef, Bound, Cause, CauseKind, HouseAccount, Leg, LicenceAccount, Orderer, Transfer,
        TransferKind, UserAccount,
    },
    rules::{self, Refusal},
    service,
};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// What the ledger should be, in the simplest way it can be said.
#[derive(Default)]
struct Model {
    balances: HashMap<(AccountRef, Currency), i128>,
    keys: HashMap<String, Transfer>,
    done: Vec<(TransferId, Vec<Leg>)>,
    reversed: HashSet<TransferId>,
    holds: Vec<(HoldId, UserId, i64)>,
}

impl Model {
    fn balance(&self, account: AccountRef, currency: Currency) -> i128 {
        self.balances.get(&(account, currency)).copied().unwrap_or(0)
    }

    /// Whether the legs leave every account on its side of zero; if so they are applied.
    fn apply(&mut self, legs: &[Leg]) -> bool {
        let mut next = self.balances.clone();
        for leg in legs {
            *next.entry((leg.account, leg.currency)).or_default() += leg.amount.0;
        }
        let fine = legs
            .iter()
            .all(|l| l.account.bound().allows(next[&(l.account, l.currency)]));
        if fine {
            self.balances = next;
        }
        fine
    }
}

fn random_transfer(rng: &mut StdRng, people: &[UserId], licences: &[LicenceId]) -> Transfer {
    let user = people[rng.random_range(0..people.len())];
    let other = people[rng.random_range(0..people.len())];
    let id = licences[rng.random_range(0..licences.len())];
    let amount = Usdt(rng.random_range(1..2_000));
    let order = |kind| {
        Transfer::new(
            kind,
            fresh_key(),
            Cause::new(CauseKind::User, user.0),
            Orderer::User(user),
        )
    };
    match rng.random_range(0..8) {
        0 => deposit(user, amount, fresh_key()),
        1 | 2 if other != user => gift(user, other, amount, fresh_key()),
        3 => {
            order(TransferKind::Topup).move_usdt(available(user), licence(id, LicenceAccount::Topup), amount)
        }
        4 => order(TransferKind::Allocation).move_usdt(
            licence(id, LicenceAccount::Topup),
            licence(id, LicenceAccount::Allocated),
            amount,
        ),
        5 => settlement(id, Mode::Simulated, amount, Usdt(amount.0 / 3)),
        6 => order(TransferKind::YieldWithdrawal).move_usdt(
            licence(id, LicenceAccount::Yield),
            available(user),
            amount,
        ),
        _ => order(TransferKind::Loan).move_usdt(licence(id, LicenceAccount::Loan), available(user), amount),
    }
}

async fn step(books: &Books, model: &mut Model, rng: &mut StdRng, people: &[UserId], licences: &[LicenceId]) {
    match rng.random_range(0..10) {
        0 => place(books, model, rng, people).await,
        1 => resolve(books, model, rng).await,
        2 if !model.done.is_empty() => {
            let (id, legs) = model.done[rng.random_range(0..model.done.len())].clone();
            let opposite: Vec<Leg> = legs
                .iter()
                .map(|l| Leg {
                    amount: Amount(-l.amount.0),
                    ..*l
                })
                .collect();
            let expected = if model.reversed.contains(&id) {
                Err(ErrorCode::LedgerRefused)
            } else if model.apply(&opposite) {
                model.reversed.insert(id);
                Ok(())
            } else {
                Err(ErrorCode::BalanceInsufficient)
            };
            assert_eq!(books.reverse(id).await.map(|_| ()), expected);
        }
        3 if !model.keys.is_empty() => {
            // A client repeats itself: the first result again, or a refusal when it says something else.
            let key = model.keys.keys().min().unwrap().clone();
            let first = model.keys[&key].clone();
            assert!(books.post(first.clone()).await.unwrap().replayed);
            let mut other = first;
            other.legs[0].amount.0 += 1;
            other.legs[1].amount.0 -= 1;
            assert_eq!(
                books.post(other).await.unwrap_err().error_code(),
                ErrorCode::LedgerRefused
            );
        }
        _ => {
            let transfer = random_transfer(rng, people, licences);
            let fine = model.apply(&transfer.legs);
            match books.post(transfer.clone()).await {
                Ok(posted) => {
                    assert!(fine && !posted.replayed, "{transfer:?}");
                    model.done.push((posted.id, transfer.legs.clone()));
                    model.keys.insert(transfer.key.clone(), transfer);
                }
                Err(e) => {
                    assert_eq!(e.error_code(), ErrorCode::BalanceInsufficient);
                    assert!(!fine, "{transfer:?}");
                }
            }
        }
    }
}

async fn place(books: &Books, model: &mut Model, rng: &mut StdRng, people: &[UserId]) {
    let user = people[rng.random_range(0..people.len())];
    let amount = Usdt(rng.random_range(1..1_000));
    let mut tx = books.db.begin().await.unwrap();
    let fine = model.apply(&held_legs(user, amount.0));
    match service::hold(&mut tx, new_hold(user, amount)).await {
        Ok(held) => {
            assert!(fine);
            tx.commit().await.unwrap();
            model.holds.push((held.id, user, amount.0));
        }
        Err(e) => {
            assert_eq!(e.error_code(), ErrorCode::BalanceInsufficient);
            assert!(!fine);
        }
    }
}

fn held_legs(user: UserId, amount: i64) -> Vec<Leg> {
    let held = AccountRef::User(user, UserAccount::Held);
    vec![
        Leg {
            account: available(user),
            currency: Currency::Usdt,
            amount: Amount(-i128::from(amount)),
        },
        Leg {
            account: held,
            currency: Currency::Usdt,
            amount: Amount(i128::from(amount)),
        },
    ]
}

async fn resolve(books: &Books, model: &mut Model, rng: &mut StdRng) {
    if model.holds.is_empty() {
        return;
    }
    let at = rng.random_range(0..model.holds.len());
    let (id, user, amount) = model.holds.swap_remove(at);
    let mut tx = books.db.begin().await.unwrap();
    model.apply(&held_legs(user, -amount));
    if rng.random_bool(0.5) {
        service::void_hold(&mut tx, id, Orderer::System).await.unwrap();
    } else {
        let used = rng.random_range(1..=amount);
        let to = Leg {
            account: AccountRef::House(HouseAccount::Presale),
            currency: Currency::Usdt,
            amount: Amount(i128::from(used)),
        };
        model.apply(&[
            Leg {
                account: available(user),
                currency: Currency::Usdt,
                amount: Amount(-i128::from(used)),
            },
            to,
        ]);
        service::post_hold(
            &mut tx,
            id,
            Some(Amount(i128::from(used))),
            vec![to],
            Orderer::System,
        )
        .await
        .unwrap();
    }
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn random_histories_equal_the_model() {
    for seed in 0..4u64 {
        let books = books().await;
        let mut rng = StdRng::seed_from_u64(seed);
        let people: Vec<UserId> = (0..4).map(|_| UserId::fresh()).collect();
        let licences: Vec<LicenceId> = (0..3).map(|_| LicenceId::fresh()).collect();
        let mut model = Model::default();
        for _ in 0..120 {
            step(&books, &mut model, &mut rng, &people, &licences).await;
        }
        let mut sums: HashMap<Currency, i128> = HashMap::new();
        for ((account, currency), balance) in &model.balances {
            let stored = service::account_balance(&books.pool, *account, *currency)
                .await
                .unwrap();
            assert_eq!(stored.0, *balance, "seed {seed}: {account:?}");
            assert!(account.bound() == Bound::Free || account.bound().allows(stored.0));
            assert_eq!(model.balance(*account, *currency), *balance);
            *sums.entry(*currency).or_default() += stored.0;
        }
        assert!(sums.values().all(|s| *s == 0), "seed {seed}: {sums:?}");
        books.done().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_lose_nothing() {
    let books = books().await;
    let people: Vec<UserId> = (0..6).map(|_| UserId::fresh()).collect();
    for user in &people {
        books.fund(*user, Usdt(50_000)).await;
    }
    let work = |n: usize| {
        let (books, people) = (&books, &people);
        async move {
            let (from, to) = (people[n % 6], people[(n % 6 + 1 + n % 5) % 6]);
            // A set in one transaction beside single ones: all lock in the same order.
            let mut tx = books.db.begin().await.unwrap();
            let set = vec![
                gift(from, to, Usdt(3), fresh_key()),
                gift(to, from, Usdt(1), fresh_key()),
            ];
            service::post_many(&mut tx, set).await.unwrap();
            tx.commit().await.unwrap();
            books.post(gift(to, from, Usdt(2), fresh_key())).await.unwrap();
        }
    };
    futures_util::future::join_all((0..60).map(work)).await;
    for user in &people {
        assert_eq!(
            books.available(*user).await,
            Usdt(50_000),
            "everything went round"
        );
    }
    books.done().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn first_postings_at_once_do_not_wait_for_each_other() {
    let books = books().await;
    let from: Vec<UserId> = (0..6).map(|_| UserId::fresh()).collect();
    for user in &from {
        books.fund(*user, Usdt(1_000)).await;
    }
    for _ in 0..5 {
        // Everyone pays the same two newcomers, whose accounts come into being in the middle of it.
        let to = [UserId::fresh(), UserId::fresh()];
        let pay = |n: usize| {
            let (books, from) = (&books, &from);
            async move {
                let mut tx = books.db.begin().await.unwrap();
                let set = vec![
                    gift(from[n % 6], to[n % 2], Usdt(1), fresh_key()),
                    gift(from[(n + 1) % 6], to[(n + 1) % 2], Usdt(1), fresh_key()),
                ];
                service::post_many(&mut tx, set).await.unwrap();
                tx.commit().await.unwrap();
            }
        };
        futures_util::future::join_all((0..12).map(pay)).await;
        assert_eq!(
            (books.available(to[0]).await, books.available(to[1]).await),
            (Usdt(12), Usdt(12))
        );
    }
    books.done().await;
}

#[tokio::test]
async fn a_connection_that_dies_in_the_middle_leaves_nothing() {
    let books = books().await;
    let (a, b) = (UserId::fresh(), UserId::fresh());
    books.fund(a, Usdt(100)).await;
    let before = (
        books.count("transfer").await,
        books.count("posting").await,
        books.count("account").await,
    );
    let mut tx = books.db.begin().await.unwrap();
    service::post(&mut tx, gift(a, b, Usdt(10), fresh_key()))
        .await
        .unwrap();
    let pid: i32 = sqlx::query_scalar("SELECT pg_backend_pid()")
        .fetch_one(tx.conn())
        .await
        .unwrap();
    sqlx::query("SELECT pg_terminate_backend($1)")
        .bind(pid)
        .execute(&books.owner)
        .await
        .unwrap();
    assert!(
        service::post(&mut tx, gift(a, b, Usdt(10), fresh_key()))
            .await
            .is_err()
    );
    assert!(tx.commit().await.is_err());
    assert_eq!(
        (
            books.count("transfer").await,
            books.count("posting").await,
            books.count("account").await
        ),
        before
    );
    assert_eq!(books.available(a).await, Usdt(100));
    books.done().await;
}

#[tokio::test]
async fn a_debt_is_repaid_first() {
    let books = books().await;
    let user = UserId::fresh();
    let debt = AccountRef::User(user, UserAccount::Debt);
    let owed = Transfer::new(
        TransferKind::ClawBack,
        fresh_key(),
        Cause::new(CauseKind::User, user.0),
        Orderer::System,
    )
    .move_usdt(debt, AccountRef::House(HouseAccount::PixLosses), Usdt(300));
    books.post(owed).await.unwrap();
    books.fund(user, Usdt(100)).await;
    assert_eq!(
        (
            books.available(user).await,
            service::usdt_balance(&books.pool, debt).await.unwrap()
        ),
        (Usdt(0), Usdt(-200))
    );
    books.fund(user, Usdt(250)).await;
    assert_eq!(
        (
            books.available(user).await,
            service::usdt_balance(&books.pool, debt).await.unwrap()
        ),
        (Usdt(50), Usdt(0))
    );
    let balances = service::balances(&books.pool, user).await.unwrap();
    assert_eq!(balances.len(), 5);
    books.done().await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// The pure booking: refused means untouched, booked means the sums of the legs, one version a leg.
    #[test]
    fn booking_adds_up(legs in prop::collection::vec((0usize..4, -50i128..50), 1..12), start in prop::collection::vec(0i128..60, 4)) {
        let ids: Vec<Uuid> = (0..4).map(|i| Uuid::from_u128(i + 1)).collect();
        let mut books = rules::Books::default();
        for (id, balance) in ids.iter().zip(&start) {
            books.insert(*id, rules::Row { shown: None, bound: Bound::AtLeastZero, balance: Amount(*balance), version: 7 });
        }
        let mut expected = start.clone();
        for (account, amount) in &legs {
            expected[*account] += amount;
        }
        let order: Vec<(Uuid, Amount)> = legs.iter().map(|(account, amount)| (ids[*account], Amount(*amount))).collect();
        match books.book(&order) {
            Ok(posted) => {
                prop_assert_eq!(posted.len(), legs.len());
                for (i, id) in ids.iter().enumerate() {
                    let row = books.get(*id).unwrap();
                    let moves = legs.iter().filter(|(account, _)| *account == i).count();
                    prop_assert_eq!(row.balance.0, expected[i]);
                    prop_assert_eq!(row.version, 7 + i64::try_from(moves).unwrap());
                    prop_assert!(row.balance.0 >= 0);
                }
            }
            Err(refusal) => {
                prop_assert!(matches!(refusal, Refusal::Insufficient(_)));
                let touched: HashSet<usize> = legs.iter().map(|(account, _)| *account).collect();
                prop_assert!(touched.iter().any(|i| expected[*i] < 0));
                for (i, id) in ids.iter().enumerate() {
                    prop_assert_eq!((books.get(*id).unwrap().balance.0, books.get(*id).unwrap().version), (start[i], 7));
                }
                prop_assert_eq!(books.moved().count(), 0);
            }
        }
    }
}

#[tokio::test]
async fn every_amount_survives_the_database() {
    let books = books().await;
    let mut amounts = vec![
        0,
        1,
        -1,
        9_999,
        10_000,
        100_000_000,
        Amount::LIMIT,
        -Amount::LIMIT,
        10i128.pow(37),
        123_400_005_678_000_000,
    ];
    let mut rng = StdRng::seed_from_u64(1);
    for digits in 1..38u32 {
        amounts.push(rng.random_range(0..10i128.pow(digits)) - 10i128.pow(digits - 1));
    }
    for amount in amounts {
        let (back, text): (Amount, String) = sqlx::query_as("SELECT $1::numeric, $1::numeric::text")
            .bind(Amount(amount))
            .fetch_one(&books.pool)
            .await
            .unwrap();
        assert_eq!((back, text), (Amount(amount), amount.to_string()));
    }
    for sql in [
        "SELECT 0.5::numeric",
        "SELECT 'NaN'::numeric",
        "SELECT 1e40::numeric",
    ] {
        assert!(
            sqlx::query_scalar::<_, Amount>(sqlx::AssertSqlSafe(sql.to_owned()))
                .fetch_one(&books.pool)
                .await
                .is_err(),
            "{sql}"
        );
    }
    books.done().await;
}
