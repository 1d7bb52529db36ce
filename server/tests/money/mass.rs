//! One transfer with many legs: what robots earned, shares, bonuses. Booked whole or not at all, once, whoever else moves the same
//! accounts; undone for one owner at a time.

use crate::database::{Books, available, books, fresh_key, gift, licence};
use protocol::{
    ErrorCode,
    ids::{LicenceId, TransferId, UserId},
    money::Usdt,
    views::Mode,
};
use rand::{Rng, SeedableRng, rngs::StdRng};
use server::{
    error::Error,
    ledger::{
        amount::Currency,
        mass::{After, MassBooking, MassLeg, MassPosted},
        model::{
            AccountRef, Cause, CauseKind, HouseAccount, LicenceAccount, Orderer, Transfer, TransferKind,
            UserAccount,
        },
        service::{self, Owner},
    },
};
use std::{collections::HashMap, time::Duration};
use uuid::Uuid;

const TRADING: HouseAccount = HouseAccount::Trading(Mode::Simulated);

/// Money of the house to an account, from nowhere in particular.
async fn give(books: &Books, account: AccountRef, amount: Usdt) {
    let transfer = Transfer::new(
        TransferKind::SponsorshipAdd,
        fresh_key(),
        Cause::new(CauseKind::User, Uuid::now_v7()),
        Orderer::System,
    )
    .move_usdt(AccountRef::House(HouseAccount::Sponsorship), account, amount);
    books.post(transfer).await.unwrap();
}

async fn owes(books: &Books, user: UserId, amount: Usdt) {
    let transfer = Transfer::new(
        TransferKind::ClawBack,
        fresh_key(),
        Cause::new(CauseKind::User, user.0),
        Orderer::System,
    )
    .move_usdt(
        AccountRef::User(user, UserAccount::Debt),
        AccountRef::House(HouseAccount::PixLosses),
        amount,
    );
    books.post(transfer).await.unwrap();
}

/// What robots earned and lost together.
fn settled(results: &[(LicenceId, i64, i64)], lane: u8) -> MassBooking {
    let mut booking = MassBooking::new(
        TransferKind::Settlement,
        fresh_key(),
        Cause::new(CauseKind::Batch, Uuid::now_v7()),
        TRADING,
    )
    .mode(Mode::Simulated)
    .guarded(lane);
    for (id, gain, loss) in results {
        booking.push(licence(*id, LicenceAccount::Yield), Usdt(*gain));
        booking.push(licence(*id, LicenceAccount::Allocated), Usdt(-loss));
    }
    booking
}

/// A fund's money to people.
fn paid(house: HouseAccount, account: UserAccount, amounts: &[(UserId, i64)]) -> MassBooking {
    let kind = match house {
        HouseAccount::NetworkFund => TransferKind::Bonus,
        _ => TransferKind::PoolRevenue,
    };
    let cause = Cause::new(CauseKind::Bonus, Uuid::now_v7());
    let mut booking = MassBooking::new(kind, fresh_key(), cause, house);
    for (user, amount) in amounts {
        booking.push(AccountRef::User(*user, account), Usdt(*amount));
    }
    booking
}

async fn post(books: &Books, booking: MassBooking) -> Result<MassPosted, Error> {
    let mut tx = books.db.begin().await?;
    let posted = service::post_mass(&mut tx, booking).await?;
    tx.commit().await?;
    Ok(posted)
}

/// None where there is no part of theirs to take back.
async fn take_back(
    books: &Books,
    transfer: TransferId,
    owner: Owner,
) -> Result<Option<TransferId>, ErrorCode> {
    let key: Option<String> = sqlx::query_scalar("SELECT key FROM ledger.transfer WHERE id = $1")
        .bind(transfer.0)
        .fetch_optional(&books.owner)
        .await
        .unwrap();
    let mut tx = books.db.begin().await.unwrap();
    let key = key.unwrap_or_else(fresh_key);
    let Some(part) = service::part(&mut tx, &key, owner).await.unwrap() else {
        return Ok(None);
    };
    assert_eq!(part.transfer, transfer);
    let posted = service::reverse_part(&mut tx, &part, Orderer::System, "test")
        .await
        .map_err(|e| e.error_code())?;
    tx.commit().await.map_err(|e| e.error_code())?;
    Ok(Some(posted.id))
}

async fn holds(books: &Books, account: AccountRef) -> i64 {
    let balance = service::account_balance(&books.pool, account, Currency::Usdt).await;
    i64::try_from(balance.unwrap().0).unwrap()
}

async fn stand(books: &Books, id: LicenceId) -> (i64, i64) {
    (
        holds(books, licence(id, LicenceAccount::Allocated)).await,
        holds(books, licence(id, LicenceAccount::Yield)).await,
    )
}

/// What the books should be, in the simplest way it can be said.
#[derive(Clone, Default)]
struct Model(HashMap<AccountRef, i64>);

impl Model {
    fn of(&self, account: AccountRef) -> i64 {
        self.0.get(&account).copied().unwrap_or_default()
    }

    /// Moves each leg against the house, then repays debts, or does nothing.
    fn apply(&mut self, booking: &MassBooking) -> bool {
        let mut next = self.clone();
        for leg in &booking.legs {
            *next.0.entry(leg.account).or_default() += leg.amount.0;
            *next.0.entry(AccountRef::House(booking.house)).or_default() -= leg.amount.0;
            if let AccountRef::User(user, UserAccount::Available) = leg.account {
                let debt = AccountRef::User(user, UserAccount::Debt);
                let repaid = leg.amount.0.min(-next.of(debt)).max(0);
                *next.0.entry(leg.account).or_default() -= repaid;
                *next.0.entry(debt).or_default() += repaid;
            }
        }
        let fine = next
            .0
            .iter()
            .all(|(account, balance)| account.bound().allows((*balance).into()));
        if fine {
            *self = next;
        }
        fine
    }
}

fn random(rng: &mut StdRng, robots: &[LicenceId], people: &[UserId]) -> MassBooking {
    let mut amounts: Vec<(UserId, i64)> = people.iter().map(|p| (*p, rng.random_range(0..60))).collect();
    amounts.retain(|_| rng.random_bool(0.7));
    match rng.random_range(0..4) {
        0 => paid(HouseAccount::NetworkFund, UserAccount::Bonus, &amounts),
        1 => paid(HouseAccount::GraduationFund, UserAccount::Available, &amounts),
        _ => {
            let mut results: Vec<(LicenceId, i64, i64)> = Vec::new();
            for id in robots {
                let loss = rng.random_range(0..1_400) * i64::from(rng.random_bool(0.3));
                results.push((*id, rng.random_range(0..900), loss));
            }
            results.retain(|_| rng.random_bool(0.8));
            settled(&results, rng.random_range(0..3))
        }
    }
}

#[tokio::test]
async fn bookings_equal_the_model() {
    for seed in 0..3u64 {
        let books = books().await;
        let mut rng = StdRng::seed_from_u64(seed);
        let robots: Vec<LicenceId> = (0..12).map(|_| LicenceId::fresh()).collect();
        let people: Vec<UserId> = (0..8).map(|_| UserId::fresh()).collect();
        let mut model = Model::default();
        let mut start: Vec<(AccountRef, i64)> = robots
            .iter()
            .map(|id| (licence(*id, LicenceAccount::Allocated), 4_000))
            .collect();
        start.push((AccountRef::House(HouseAccount::NetworkFund), 900));
        start.push((AccountRef::House(HouseAccount::GraduationFund), 900));
        for (account, amount) in start {
            give(&books, account, Usdt(amount)).await;
            model.0.insert(account, amount);
        }
        for user in people.iter().take(3) {
            owes(&books, *user, Usdt(70)).await;
            model.0.insert(AccountRef::User(*user, UserAccount::Debt), -70);
        }
        let (mut refused, mut done) = (0, Vec::new());
        for round in 0..40 {
            let booking = random(&mut rng, &robots, &people);
            if booking.legs.is_empty() {
                continue;
            }
            let said = format!("seed {seed}, round {round}");
            let before = model.clone();
            let fine = model.apply(&booking);
            match post(&books, booking.clone()).await {
                Ok(posted) => {
                    assert!(fine && !posted.replayed, "{said}");
                    for (leg, After { balance, .. }) in booking.legs.iter().zip(&posted.after) {
                        let expected = before.of(leg.account) + leg.amount.0;
                        assert_eq!(balance.0, expected, "{said}: {leg:?}");
                    }
                    done.push((posted.id, booking, false));
                }
                Err(e) => {
                    assert_eq!(e.error_code(), ErrorCode::BalanceInsufficient, "{said}");
                    assert!(!fine, "{said}");
                    refused += 1;
                }
            }
            if rng.random_bool(0.3) && !done.is_empty() {
                let place = rng.random_range(0..done.len());
                undo(&books, &mut model, &mut done[place], &said).await;
            }
        }
        assert!(refused > 0, "seed {seed}: some ask too much");
        for (account, balance) in &model.0 {
            assert_eq!(
                holds(&books, *account).await,
                *balance,
                "seed {seed}: {account:?}"
            );
        }
        books.done().await;
    }
}

/// Undoes what a booking did to the owner of its first leg, if nobody has.
async fn undo(
    books: &Books,
    model: &mut Model,
    (id, booking, undone): &mut (TransferId, MassBooking, bool),
    said: &str,
) {
    let owner = match booking.legs[0].account {
        AccountRef::User(user, _) => Owner::User(user),
        AccountRef::Licence(licence, _) => Owner::Licence(licence),
        AccountRef::House(_) => unreachable!("the house has no leg"),
    };
    let opposite = MassBooking {
        legs: booking
            .legs
            .iter()
            .filter(|l| l.account.owner() == booking.legs[0].account.owner())
            .map(|l| MassLeg {
                amount: -l.amount,
                ..*l
            })
            .collect(),
        ..booking.clone()
    };
    let expected = if *undone {
        Err(ErrorCode::LedgerRefused)
    } else if model.apply(&opposite) {
        *undone = true;
        Ok(Some(()))
    } else {
        Err(ErrorCode::BalanceInsufficient)
    };
    let taken = take_back(books, *id, owner).await;
    assert_eq!(taken.map(|id| id.map(drop)), expected, "{said}");
}

#[tokio::test]
async fn more_legs_than_a_short_number_counts_and_one_fact_each() {
    let books = books().await;
    let fund = AccountRef::House(HouseAccount::NetworkFund);
    give(&books, fund, Usdt::whole(1_000)).await;
    let people: Vec<(UserId, i64)> = (0..33_000).map(|n| (UserId::fresh(), n % 7 + 1)).collect();
    let all: i64 = people.iter().map(|(_, amount)| amount).sum();
    let booking = paid(HouseAccount::NetworkFund, UserAccount::Bonus, &people);
    let posted = post(&books, booking.clone()).await.unwrap();
    assert_eq!(posted.after.len(), people.len());
    assert!(
        posted
            .after
            .iter()
            .zip(&people)
            .all(|(after, (_, amount))| after.balance.0 == *amount && after.version == 1)
    );
    assert_eq!(holds(&books, fund).await, Usdt::whole(1_000).0 - all);
    let (transfers, postings) = (books.count("transfer").await, books.count("posting").await);
    assert_eq!(
        (transfers, postings),
        (2, 2 + 33_000 + 1),
        "the house's side summed"
    );
    let facts = "SELECT count(*) FROM foundation.event WHERE kind = 'balance.changed'";
    let facts: i64 = sqlx::query_scalar(facts).fetch_one(&books.owner).await.unwrap();
    assert_eq!(facts, 33_000);
    // Asked again it is the first one.
    let again = post(&books, booking).await.unwrap();
    assert!(again.replayed);
    assert_eq!((again.id, again.after), (posted.id, posted.after));
    assert_eq!(books.count("posting").await, postings);
    books.done().await;
}

#[tokio::test]
async fn gains_and_losses_are_not_netted() {
    let books = books().await;
    let (one, two) = (LicenceId::fresh(), LicenceId::fresh());
    give(&books, licence(one, LicenceAccount::Allocated), Usdt(100)).await;
    let posted = post(&books, settled(&[(one, 30, 50), (two, 20, 0)], 0))
        .await
        .unwrap();
    let lines: Vec<(i32, String, i64, i64)> = sqlx::query_as(
        "SELECT p.line, a.name, p.amount::bigint, p.balance_after::bigint FROM ledger.posting p JOIN ledger.account a ON a.id = p.account
         WHERE p.transfer = $1 ORDER BY p.line",
    )
    .bind(posted.id.0)
    .fetch_all(&books.owner)
    .await
    .unwrap();
    let house: Vec<_> = lines
        .iter()
        .take_while(|(_, name, ..)| name == "trading:simulated")
        .map(|(_, _, amount, after)| (*amount, *after))
        .collect();
    assert_eq!(house, [(-50, -50), (50, 0)], "what it gives, what it takes");
    assert_eq!(lines.len(), 5);
    assert_eq!(
        (stand(&books, one).await, stand(&books, two).await),
        ((50, 30), (0, 20))
    );
    // Where the house's side comes to nothing it is there all the same, so that a part can be undone.
    take_back(&books, posted.id, Owner::Licence(one)).await.unwrap();
    assert_eq!(
        (stand(&books, one).await, stand(&books, two).await),
        ((100, 0), (0, 20))
    );
    books.done().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lanes_do_not_wait_for_each_other() {
    let books = books().await;
    let (one, two) = (LicenceId::fresh(), LicenceId::fresh());
    let gain = |id, lane| settled(&[(id, 5, 0)], lane);
    // Both accounts of the house exist: from here on nothing is created that the other could wait for.
    post(&books, gain(one, 0)).await.unwrap();
    post(&books, gain(two, 1)).await.unwrap();
    let mut tx = books.db.begin().await.unwrap();
    service::post_mass(&mut tx, gain(one, 0)).await.unwrap();
    tokio::time::timeout(Duration::from_secs(60), post(&books, gain(two, 1)))
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

/// Runs until somebody waits for a lock, then ends the other change.
async fn once_somebody_waits(books: &Books, other: server::foundation::transaction::Tx) {
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
}

#[tokio::test(flavor = "multi_thread")]
async fn what_moves_meanwhile_is_waited_for_and_counted() {
    let books = books().await;
    let (id, other_id) = (LicenceId::fresh(), LicenceId::fresh());
    give(&books, licence(id, LicenceAccount::Allocated), Usdt(100)).await;
    let set = || settled(&[(id, 7, 1), (other_id, 3, 0)], 0);
    post(&books, set()).await.unwrap();
    // Somebody who did not hold what guards the accounts is in the middle of moving them.
    let mut other = books.db.begin().await.unwrap();
    service::post_mass(&mut other, settled(&[(id, 20, 5)], 1))
        .await
        .unwrap();
    let both = async { futures_util::join!(post(&books, set()), once_somebody_waits(&books, other)) };
    let (posted, ()) = tokio::time::timeout(Duration::from_secs(60), both)
        .await
        .expect("it waits for the other one");
    let balances: Vec<i64> = posted.unwrap().after.iter().map(|a| a.balance.0).collect();
    assert_eq!(balances, [34, 93, 6]);
    assert_eq!(
        (stand(&books, id).await, stand(&books, other_id).await),
        ((93, 34), (0, 6))
    );
    books.done().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn beside_single_transfers_and_each_other_nothing_is_lost() {
    let books = books().await;
    let people: Vec<UserId> = (0..30).map(|_| UserId::fresh()).collect();
    for user in &people {
        books.fund(*user, Usdt(50_000)).await;
    }
    give(
        &books,
        AccountRef::House(HouseAccount::GraduationFund),
        Usdt(1_000_000),
    )
    .await;
    let work = |n: usize| {
        let (books, people) = (&books, &people);
        async move {
            if n.is_multiple_of(5) {
                let mut to: Vec<(UserId, i64)> = people.iter().map(|user| (*user, 10)).collect();
                to.rotate_left(n % 30);
                let booking = paid(HouseAccount::GraduationFund, UserAccount::Available, &to);
                post(books, booking).await.unwrap();
            } else {
                let (from, to) = (people[n % 30], people[(n % 30 + 1 + n % 29) % 30]);
                books.post(gift(from, to, Usdt(3), fresh_key())).await.unwrap();
                books.post(gift(to, from, Usdt(3), fresh_key())).await.unwrap();
            }
        }
    };
    futures_util::future::join_all((0..60).map(work)).await;
    for user in &people {
        assert_eq!(
            books.available(*user).await,
            Usdt(50_120),
            "twelve bookings of ten"
        );
    }
    books.done().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_booked_once() {
    let books = books().await;
    give(&books, AccountRef::House(HouseAccount::NetworkFund), Usdt(1_000)).await;
    let people: Vec<(UserId, i64)> = (0..5).map(|_| (UserId::fresh(), 10)).collect();
    let booking = paid(HouseAccount::NetworkFund, UserAccount::Bonus, &people);
    let turned = |n: usize| {
        let mut booking = booking.clone();
        booking.legs.rotate_left(n);
        booking
    };
    // However often, at once, in whatever order of its legs.
    let all = futures_util::future::join_all((0..10).map(|n| post(&books, turned(n % 5)))).await;
    let all: Vec<MassPosted> = all.into_iter().map(Result::unwrap).collect();
    assert_eq!(all.iter().filter(|p| !p.replayed).count(), 1);
    assert!(all.iter().all(|p| p.id == all[0].id && p.after == all[0].after));
    let mut other = booking.clone();
    other.legs[0].amount = Usdt(11);
    let refused = post(&books, other).await.unwrap_err();
    assert_eq!(
        refused.error_code(),
        ErrorCode::LedgerRefused,
        "another one under the key"
    );
    assert_eq!(
        holds(&books, AccountRef::House(HouseAccount::NetworkFund)).await,
        950
    );
    // Who guards the booking is not asked, and the database refuses it.
    let (one, two) = (LicenceId::fresh(), LicenceId::fresh());
    let first = settled(&[(one, 5, 0)], 0);
    post(&books, first.clone()).await.unwrap();
    let beside = MassBooking {
        key: first.key.clone(),
        ..settled(&[(two, 5, 0)], 1)
    };
    for again in [first, beside] {
        let refused = post(&books, again).await.unwrap_err();
        assert_eq!(refused.error_code(), ErrorCode::LedgerRefused);
        assert_eq!(
            (stand(&books, one).await, stand(&books, two).await),
            ((0, 5), (0, 0))
        );
    }
    books.done().await;
}

#[tokio::test]
async fn a_debt_is_repaid_first_and_by_whom_it_is_owed() {
    let books = books().await;
    let (owing, free) = (UserId::fresh(), UserId::fresh());
    owes(&books, owing, Usdt(30)).await;
    give(&books, AccountRef::House(HouseAccount::GraduationFund), Usdt(100)).await;
    let to = [(owing, 20), (free, 20)];
    post(
        &books,
        paid(HouseAccount::GraduationFund, UserAccount::Available, &to),
    )
    .await
    .unwrap();
    assert_eq!(
        (books.available(owing).await, books.available(free).await),
        (Usdt(0), Usdt(20))
    );
    assert_eq!(
        holds(&books, AccountRef::User(owing, UserAccount::Debt)).await,
        -10
    );
    let guarded = paid(HouseAccount::GraduationFund, UserAccount::Available, &to).guarded(0);
    post(&books, guarded)
        .await
        .expect_err("who does not ask cannot see a debt");
    assert_eq!(books.available(free).await, Usdt(20));
    books.done().await;
}

#[tokio::test]
async fn a_part_is_undone_once_and_only_it() {
    let books = books().await;
    let robots: Vec<LicenceId> = (0..80).map(|_| LicenceId::fresh()).collect();
    for id in &robots {
        give(&books, licence(*id, LicenceAccount::Allocated), Usdt(100)).await;
    }
    let results: Vec<(LicenceId, i64, i64)> = robots.iter().map(|id| (*id, 9, 4)).collect();
    let posted = post(&books, settled(&results, 0)).await.unwrap().id;
    let (one, two) = (robots[7], robots[8]);
    assert_eq!(
        books.reverse(posted).await.map(|p| p.id),
        Err(ErrorCode::LedgerRefused),
        "not as a whole"
    );
    let tries = (0..6).map(|_| take_back(&books, posted, Owner::Licence(one)));
    let tries = futures_util::future::join_all(tries).await;
    let undone: Vec<TransferId> = tries.iter().flatten().flatten().copied().collect();
    assert_eq!(undone.len(), 1, "once");
    assert_eq!(
        (stand(&books, one).await, stand(&books, two).await),
        ((100, 0), (96, 9))
    );
    let (reverses, part): (Uuid, Uuid) =
        sqlx::query_as("SELECT reverses, part FROM ledger.transfer WHERE id = $1")
            .bind(undone[0].0)
            .fetch_one(&books.owner)
            .await
            .unwrap();
    assert_eq!((reverses, part), (posted.0, one.0), "names batch and licence");
    for (transfer, owner) in [
        (posted, Owner::Licence(LicenceId::fresh())),
        (undone[0], Owner::Licence(one)),
        (TransferId::fresh(), Owner::Licence(one)),
    ] {
        assert_eq!(take_back(&books, transfer, owner).await, Ok(None));
    }
    // What is no longer there cannot be taken back.
    let spent = Transfer::new(
        TransferKind::YieldWithdrawal,
        fresh_key(),
        Cause::new(CauseKind::Licence, two.0),
        Orderer::System,
    )
    .move_usdt(
        licence(two, LicenceAccount::Yield),
        available(UserId::fresh()),
        Usdt(1),
    );
    let single = books.post(spent).await.unwrap().id;
    assert_eq!(
        take_back(&books, posted, Owner::Licence(two)).await,
        Err(ErrorCode::BalanceInsufficient)
    );
    assert_eq!(
        take_back(&books, single, Owner::Licence(two)).await,
        Ok(None),
        "what is no mass booking is undone whole"
    );
    books.done().await;
}

#[tokio::test]
async fn what_is_no_mass_booking_does_not_reach_the_books() {
    let books = books().await;
    let user = UserId::fresh();
    let bonus = || paid(HouseAccount::NetworkFund, UserAccount::Bonus, &[(user, 5)]);
    let with = |account, amount| bonus().leg(account, amount);
    let own = |account| AccountRef::User(user, account);
    for (what, booking) in [
        (
            "no legs",
            paid(HouseAccount::NetworkFund, UserAccount::Bonus, &[]),
        ),
        ("an account twice", with(own(UserAccount::Bonus), Usdt(1))),
        (
            "the house on both sides",
            with(AccountRef::House(HouseAccount::Sponsorship), Usdt(1)),
        ),
        (
            "held money moves by holds only",
            with(own(UserAccount::Held), Usdt(1)),
        ),
        ("another currency", with(own(UserAccount::Pyx), Usdt(1))),
        (
            "another currency of the house",
            MassBooking {
                house: HouseAccount::CustodyPix,
                ..bonus()
            },
        ),
        (
            "a key too long",
            MassBooking {
                key: "k".repeat(201),
                ..bonus()
            },
        ),
        (
            "a settlement without a mode",
            MassBooking {
                mode: None,
                ..settled(&[(LicenceId::fresh(), 1, 0)], 0)
            },
        ),
        (
            "yield of no operation",
            bonus().leg(licence(LicenceId::fresh(), LicenceAccount::Yield), Usdt(1)),
        ),
    ] {
        give(&books, AccountRef::House(HouseAccount::NetworkFund), Usdt(10)).await;
        let before = books.count("transfer").await;
        let refused = post(&books, booking).await.expect_err(what);
        assert_eq!(refused.error_code(), ErrorCode::Internal, "{what}");
        assert_eq!(books.count("transfer").await, before, "{what}");
    }
    books.done().await;
}

#[tokio::test]
async fn a_connection_that_dies_in_the_middle_leaves_nothing() {
    let books = books().await;
    give(&books, AccountRef::House(HouseAccount::NetworkFund), Usdt(1_000)).await;
    let people: Vec<(UserId, i64)> = (0..50).map(|_| (UserId::fresh(), 10)).collect();
    let booking = paid(HouseAccount::NetworkFund, UserAccount::Bonus, &people);
    let counts = async || {
        (
            books.count("transfer").await,
            books.count("posting").await,
            books.count("account").await,
        )
    };
    let before = counts().await;
    let mut tx = books.db.begin().await.unwrap();
    service::post_mass(&mut tx, booking.clone()).await.unwrap();
    let pid: i32 = sqlx::query_scalar("SELECT pg_backend_pid()")
        .fetch_one(tx.conn())
        .await
        .unwrap();
    sqlx::query("SELECT pg_terminate_backend($1)")
        .bind(pid)
        .execute(&books.owner)
        .await
        .unwrap();
    assert!(tx.commit().await.is_err());
    assert_eq!(counts().await, before);
    assert!(!post(&books, booking).await.unwrap().replayed, "it comes again");
    books.done().await;
}
