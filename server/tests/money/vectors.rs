//! The published vectors: two-phase, reversals, keys.

use crate::database::{Books, books, deposit, fresh_key, gift, new_hold};
use actix_web::http::StatusCode;
use protocol::{
    ErrorCode,
    ids::{HoldId, UserId},
    money::Usdt,
};
use server::foundation::{
    http::Headers,
    idempotency::{self, Key},
};
use server::ledger::{
    amount::{Amount, Currency},
    model::{AccountRef, HouseAccount, Leg, NewHold, Orderer},
    service,
};
use std::collections::HashSet;

async fn hold(books: &Books, user: UserId, amount: Usdt) -> Result<HoldId, ErrorCode> {
    let mut tx = books.db.begin().await.unwrap();
    let held = service::hold(&mut tx, new_hold(user, amount))
        .await
        .map_err(|e| e.error_code())?;
    tx.commit().await.unwrap();
    Ok(held.id)
}

async fn post_hold(books: &Books, id: HoldId, amount: Option<Usdt>, used: Usdt) -> Result<(), ErrorCode> {
    let mut tx = books.db.begin().await.unwrap();
    let leg = Leg {
        account: AccountRef::House(HouseAccount::Presale),
        currency: Currency::Usdt,
        amount: used.into(),
    };
    service::post_hold(&mut tx, id, amount.map(Amount::from), vec![leg], Orderer::System)
        .await
        .map_err(|e| e.error_code())?;
    tx.commit().await.unwrap();
    Ok(())
}

async fn void(books: &Books, id: HoldId) -> Result<(), ErrorCode> {
    let mut tx = books.db.begin().await.unwrap();
    service::void_hold(&mut tx, id, Orderer::System)
        .await
        .map_err(|e| e.error_code())?;
    tx.commit().await.unwrap();
    Ok(())
}

#[tokio::test]
async fn a_hold_is_posted_whole_in_part_voided_or_expired_and_only_once() {
    let books = books().await;
    let user = UserId::fresh();
    books.fund(user, Usdt(1_000)).await;

    let whole = hold(&books, user, Usdt(123)).await.unwrap();
    assert_eq!(
        (books.available(user).await, books.held(user).await),
        (Usdt(877), Usdt(123))
    );
    post_hold(&books, whole, None, Usdt(123)).await.unwrap();
    assert_eq!(
        (books.available(user).await, books.held(user).await),
        (Usdt(877), Usdt(0))
    );

    let part = hold(&books, user, Usdt(123)).await.unwrap();
    post_hold(&books, part, Some(Usdt(100)), Usdt(100)).await.unwrap();
    assert_eq!(
        (books.available(user).await, books.held(user).await),
        (Usdt(777), Usdt(0)),
        "23 come back"
    );

    let voided = hold(&books, user, Usdt(123)).await.unwrap();
    void(&books, voided).await.unwrap();
    assert_eq!(
        (books.available(user).await, books.held(user).await),
        (Usdt(777), Usdt(0))
    );

    let mut tx = books.db.begin().await.unwrap();
    let at_noon = tx.now() + time::Duration::minutes(30);
    let expiring = service::hold(
        &mut tx,
        NewHold {
            expires_at: Some(at_noon),
            ..new_hold(user, Usdt(123))
        },
    )
    .await
    .unwrap()
    .id;
    tx.commit().await.unwrap();
    books.clock.advance(time::Duration::minutes(31));
    assert_eq!(
        post_hold(&books, expiring, None, Usdt(123)).await,
        Err(ErrorCode::LedgerRefused),
        "past its time it is not posted"
    );
    let mut tx = books.db.begin().await.unwrap();
    assert_eq!(service::expire_holds(&mut tx, 100).await.unwrap(), [expiring]);
    tx.commit().await.unwrap();
    assert_eq!(
        (books.available(user).await, books.held(user).await),
        (Usdt(777), Usdt(0))
    );

    for resolved in [whole, part, voided, expiring] {
        assert_eq!(
            post_hold(&books, resolved, None, Usdt(123)).await,
            Err(ErrorCode::LedgerRefused)
        );
        assert_eq!(void(&books, resolved).await, Err(ErrorCode::LedgerRefused));
    }
    assert_eq!(
        void(&books, HoldId::fresh()).await,
        Err(ErrorCode::LedgerRefused),
        "unknown"
    );
    let more = hold(&books, user, Usdt(10)).await.unwrap();
    assert_eq!(
        post_hold(&books, more, Some(Usdt(11)), Usdt(11)).await,
        Err(ErrorCode::LedgerRefused),
        "more than was held"
    );
    books.done().await;
}

#[tokio::test]
async fn what_is_not_there_cannot_be_held() {
    let books = books().await;
    let (user, other) = (UserId::fresh(), UserId::fresh());
    books.fund(user, Usdt(100)).await;
    books
        .post(gift(user, other, Usdt(70), fresh_key()))
        .await
        .unwrap();
    assert_eq!(
        hold(&books, user, Usdt(50)).await,
        Err(ErrorCode::BalanceInsufficient)
    );

    let rich = UserId::fresh();
    books.fund(rich, Usdt(5_000)).await;
    for _ in 0..5 {
        hold(&books, rich, Usdt(1_000)).await.unwrap();
    }
    assert_eq!(
        hold(&books, rich, Usdt(1_000)).await,
        Err(ErrorCode::BalanceInsufficient),
        "the sixth"
    );
    assert_eq!(
        (books.available(rich).await, books.held(rich).await),
        (Usdt(0), Usdt(5_000))
    );
    for amount in [Usdt(0), Usdt(-1)] {
        assert_eq!(
            hold(&books, rich, amount).await,
            Err(ErrorCode::AmountNotPositive)
        );
    }
    books.done().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_hundred_clients_who_commit_one_hold_one_succeeds() {
    let books = books().await;
    let user = UserId::fresh();
    books.fund(user, Usdt(1_000)).await;
    let id = hold(&books, user, Usdt(100)).await.unwrap();
    let tries =
        futures_util::future::join_all((0..100).map(|_| post_hold(&books, id, None, Usdt(100)))).await;
    assert_eq!(tries.iter().filter(|t| t.is_ok()).count(), 1);
    assert!(
        tries
            .iter()
            .all(|t| matches!(t, Ok(()) | Err(ErrorCode::LedgerRefused)))
    );
    assert_eq!(
        (books.available(user).await, books.held(user).await),
        (Usdt(900), Usdt(0))
    );
    books.done().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn five_hundred_transfers_reversed_twice_at_once_are_reversed_five_hundred_times() {
    let books = books().await;
    let users: Vec<UserId> = (0..20).map(|_| UserId::fresh()).collect();
    for user in &users {
        books.fund(*user, Usdt(1_000_000)).await;
    }
    let gifts = (0..500usize)
        .map(|i| {
            gift(
                users[i % 20],
                users[(i % 20 + 1 + i % 19) % 20],
                Usdt(1 + i64::try_from(i).unwrap()),
                fresh_key(),
            )
        })
        .collect();
    let mut tx = books.db.begin().await.unwrap();
    let transfers: Vec<_> = service::post_many(&mut tx, gifts)
        .await
        .unwrap()
        .into_iter()
        .map(|p| p.id)
        .collect();
    tx.commit().await.unwrap();
    let outcomes =
        futures_util::future::join_all(transfers.iter().chain(&transfers).map(|id| books.reverse(*id))).await;
    let outcomes: Vec<_> = outcomes.into_iter().map(|o| o.map(|_| ())).collect();
    assert_eq!(outcomes.iter().filter(|o| o.is_ok()).count(), 500);
    assert_eq!(
        outcomes
            .iter()
            .filter(|o| **o == Err(ErrorCode::LedgerRefused))
            .count(),
        500
    );
    for user in &users {
        assert_eq!(books.available(*user).await, Usdt(1_000_000));
    }
    books.done().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_booked_once() {
    let books = books().await;
    let (a, b) = (UserId::fresh(), UserId::fresh());
    books.fund(a, Usdt(1_000)).await;
    let key = fresh_key();
    let all =
        futures_util::future::join_all((0..20).map(|_| books.post(gift(a, b, Usdt(10), key.clone())))).await;
    let ids: HashSet<_> = all.iter().map(|p| p.as_ref().unwrap().id).collect();
    assert_eq!(ids.len(), 1, "all get the first result");
    assert_eq!(all.iter().filter(|p| !p.as_ref().unwrap().replayed).count(), 1);
    assert_eq!(books.available(b).await, Usdt(10));
    let other = books.post(gift(a, b, Usdt(11), key)).await.unwrap_err();
    assert_eq!(
        other.error_code(),
        ErrorCode::LedgerRefused,
        "another order under the same key"
    );
    books.done().await;
}

#[tokio::test]
async fn a_refused_transfer_leaves_its_transaction_usable_and_nothing_else() {
    let books = books().await;
    let (a, b) = (UserId::fresh(), UserId::fresh());
    let mut tx = books.db.begin().await.unwrap();
    let refused = service::post(&mut tx, gift(a, b, Usdt(1), fresh_key()))
        .await
        .unwrap_err();
    assert_eq!(refused.error_code(), ErrorCode::BalanceInsufficient);
    service::post(&mut tx, deposit(a, Usdt::whole(5), fresh_key()))
        .await
        .unwrap();
    let facts = tx.commit().await.unwrap();
    assert_eq!(facts.len(), 1, "one fact per user and transaction");
    assert_eq!(books.available(a).await, Usdt::whole(5));
    books.done().await;
}

#[tokio::test]
async fn a_call_that_once_failed_for_lack_of_funds_keeps_failing_under_its_key() {
    let books = books().await;
    let (a, b) = (UserId::fresh(), UserId::fresh());
    // As every money handler does it.
    let call = async |key: &str| {
        let headers = Headers {
            idempotency_key: Some(key.into()),
            route: "POST /transfer".into(),
            ..Headers::default()
        };
        let key = Key::from(&headers, a, &"10").unwrap();
        let answer = idempotency::run(&books.db, &key, StatusCode::OK, async |tx| {
            service::post(tx, gift(a, b, Usdt(10), key.ledger_key())).await?;
            Ok(serde_json::json!({}))
        });
        answer
            .await
            .map_or_else(|e| e.error_code().status(), |answer| answer.status().as_u16())
    };
    assert_eq!(call("first-key-000000").await, 422);
    books.fund(a, Usdt(100)).await;
    assert_eq!(call("first-key-000000").await, 422, "it keeps failing");
    assert_eq!(call("second-key-00000").await, 200);
    assert_eq!(call("second-key-00000").await, 200, "the first answer again");
    assert_eq!(
        (books.available(a).await, books.available(b).await),
        (Usdt(90), Usdt(10))
    );
    books.done().await;
}
