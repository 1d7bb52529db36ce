//! What is booked while its receiver closes their account: it is seen, or it does not come.

use crate::{
    closing::{ask, state, status, username},
    guard::{code, settings, with_code},
    identity::people::{Person, lift_caps, member},
    kit::{Client, Reply, TestApp},
    licences::{balance, fund},
    sponsorship::order,
    staff_queues::{alerts_of, run_job, told_of},
};
use futures_util::future::join;
use protocol::{
    ErrorCode,
    ids::{ClosingId, UserId},
    money::Usdt,
    views::{BonusCause, BonusKind, LostReason},
};
use serde_json::Value;
use server::{
    affiliates::{bonuses::booking, model::NewBonus},
    foundation::{business_day, clock::Clock},
    jobs,
    ledger::{
        mass::MassBooking,
        model::{AccountRef, Cause, CauseKind, HouseAccount, Orderer, Transfer, TransferKind, UserAccount},
        service as ledger,
    },
    privacy::closing::{
        jobs::LATE,
        rules::{TURN, WAIT},
    },
};
use std::collections::BTreeSet;
use time::Duration;

const TOLD: &str = "account_closing";

async fn work(app: &TestApp) {
    while jobs::round(&app.context).await.unwrap() > 0 {}
}

async fn after(app: &TestApp, time: Duration) {
    app.clock.advance(time + Duration::SECOND);
    work(app).await;
}

async fn stands(app: &TestApp, who: &Person) -> (String, String) {
    (status(app, &who.client).await, state(app, &who.client).await)
}

fn given(user: UserId, account: UserAccount) -> Transfer {
    Transfer::new(
        TransferKind::SponsorshipAdd,
        uuid::Uuid::now_v7().to_string(),
        Cause::new(CauseKind::User, user.0),
        Orderer::System,
    )
    .move_usdt(
        AccountRef::House(HouseAccount::Sponsorship),
        AccountRef::User(user, account),
        Usdt::whole(5),
    )
}

/// Without the rows being held, the closing would not see what is booked and not committed, and close an account with money in it.
#[actix_web::test]
async fn what_is_being_booked_is_waited_for_and_keeps_it_open() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    ask(&app, &ana).await.ok();
    let mut tx = app.context.db.begin().await.unwrap();
    ledger::make_rows(&mut tx, ana.client.user).await.unwrap();
    tx.commit().await.unwrap();

    let mut tx = app.context.db.begin().await.unwrap();
    ledger::post(&mut tx, given(ana.client.user, UserAccount::Bonus))
        .await
        .unwrap();
    after(&app, WAIT).await;
    assert_eq!(stands(&app, &ana).await, ("active".into(), "waiting".into()));
    tx.commit().await.unwrap();
    after(&app, TURN).await;
    assert_eq!(stands(&app, &ana).await, ("active".into(), "kept".into()));
    assert_eq!(
        balance(&app, &ana.client, UserAccount::Bonus).await,
        Usdt::whole(5)
    );
}

/// A day that is being closed has found its members as they were when it ended: who is among them stays until it is done.
#[actix_web::test]
async fn a_days_closing_under_way_is_waited_for() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    ask(&app, &ana).await.ok();
    let closing = ClosingId::fresh();
    let (now, day) = (app.clock.now(), business_day::of(app.clock.now()));
    sqlx::query(
        "WITH day AS (
             INSERT INTO affiliates.closing (id, day, settings_version, opened_at) VALUES ($1, $2, 1, $3) RETURNING id)
         INSERT INTO affiliates.closing_member (closing, member, qualified, daily_cap) SELECT id, $4, true, 1 FROM day",
    )
    .bind(closing.0)
    .bind(day)
    .bind(now)
    .bind(ana.client.user.0)
    .execute(&app.sql)
    .await
    .unwrap();
    after(&app, WAIT).await;
    assert_eq!(stands(&app, &ana).await, ("active".into(), "waiting".into()));
    sqlx::query("UPDATE affiliates.closing SET step = 'done', finished_at = $2 WHERE id = $1")
        .bind(closing.0)
        .bind(now)
        .execute(&app.sql)
        .await
        .unwrap();
    after(&app, TURN).await;
    assert_eq!(stands(&app, &ana).await, ("closed".into(), "closed".into()));
}

/// What holds a closing up for an hour is no matter of a moment: who decides hears of it once, and sees it until it is over.
#[actix_web::test]
async fn a_closing_that_is_late_is_told_to_who_decides() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (bia, rui) = (app.admin("bia").await, app.user("rui").await);
    let ana = member(&app, "Ana", "arbora").await;
    ask(&app, &ana).await.ok();
    let day = ClosingId::fresh();
    let now = app.clock.now();
    sqlx::query(
        "WITH day AS (
             INSERT INTO affiliates.closing (id, day, settings_version, opened_at) VALUES ($1, $2, 1, $3) RETURNING id)
         INSERT INTO affiliates.closing_member (closing, member, qualified, daily_cap) SELECT id, $4, true, 1 FROM day",
    )
    .bind(day.0)
    .bind(business_day::of(now))
    .bind(now)
    .bind(ana.client.user.0)
    .execute(&app.sql)
    .await
    .unwrap();
    let late = async || -> Value {
        let view = app.renew(&bia).get("/admin/general-view").await.ok();
        view["health"]["closingsLate"].clone()
    };
    after(&app, WAIT + Duration::minutes(50)).await;
    run_job(&app, LATE).await;
    assert_eq!(late().await, 0);
    assert_eq!(alerts_of(&app.renew(&bia), TOLD).await, Vec::<String>::new());
    after(&app, Duration::minutes(20)).await;
    // Two nodes at once, and again.
    tokio::join!(run_job(&app, LATE), run_job(&app, LATE));
    run_job(&app, LATE).await;
    told_of(&app, &app.renew(&bia), TOLD, 1).await;
    assert_eq!(alerts_of(&app.renew(&bia), TOLD).await, ["account_closing_late"]);
    assert_eq!(alerts_of(&app.renew(&rui), TOLD).await, Vec::<String>::new());
    assert_eq!(late().await, 1);
    sqlx::query("UPDATE affiliates.closing SET step = 'done', finished_at = $2 WHERE id = $1")
        .bind(day.0)
        .bind(now)
        .execute(&app.sql)
        .await
        .unwrap();
    after(&app, TURN).await;
    assert_eq!(stands(&app, &ana).await, ("closed".into(), "closed".into()));
    assert_eq!(late().await, 0);
}

/// What a sale below somebody brings is worked off before they are gone.
#[actix_web::test]
async fn a_sale_below_that_is_not_worked_off_is_waited_for() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let name = username(&app, &ana.client).await;
    let bea = member(&app, "Bea", &name).await;
    ask(&app, &ana).await.ok();
    let now = app.clock.now();
    sqlx::query(
        "INSERT INTO affiliates.cause (id, kind, member, licence, base, business_day, at)
         VALUES (gen_random_uuid(), 'sale', $1, gen_random_uuid(), 50000000, $2, $3)",
    )
    .bind(bea.client.user.0)
    .bind(business_day::of(now))
    .bind(now)
    .execute(&app.sql)
    .await
    .unwrap();
    after(&app, WAIT).await;
    assert_eq!(stands(&app, &ana).await, ("active".into(), "waiting".into()));
    sqlx::query("UPDATE affiliates.cause SET booked_at = $1")
        .bind(now)
        .execute(&app.sql)
        .await
        .unwrap();
    after(&app, TURN).await;
    assert_eq!(stands(&app, &ana).await, ("closed".into(), "closed".into()));
}

/// A bonus whose rule had found its receiver active: the booking looks again, behind the locks that the closing takes.
#[actix_web::test]
async fn a_bonus_of_who_has_left_since_is_lost() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    ask(&app, &ana).await.ok();
    after(&app, WAIT).await;
    assert_eq!(status(&app, &ana.client).await, "closed");
    let receiver = ana.client.user;
    let cause = uuid::Uuid::now_v7();
    let mut tx = app.context.db.begin().await.unwrap();
    let mut booking = booking::open(&app.context, &mut tx, &BTreeSet::from([receiver]))
        .await
        .unwrap();
    booking.add(NewBonus {
        receiver,
        source: None,
        kind: BonusKind::Binary,
        level: 0,
        cause_kind: BonusCause::Closing,
        cause,
        base: 100_000_000,
        rate: 100_000,
        gross: Usdt::whole(10),
        bound: Some((LostReason::DailyCap, Usdt::whole(100))),
        business_day: business_day::of(app.clock.now()),
        young_until: None,
    });
    assert!(booking.paid().is_empty() && booking.transfers().is_empty());
    booking.write(&mut tx, None).await.unwrap();
    tx.commit().await.unwrap();
    let lost: (i64, i64, i64, String) =
        sqlx::query_as("SELECT lost, paid, waiting, lost_reason FROM affiliates.bonus WHERE cause = $1")
            .bind(cause)
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!(lost, (10_000_000, 0, 0, "inactive".to_owned()));
}

/// Whatever the way into the books: nothing comes to who has left. What they owe is booked as everybody's.
#[actix_web::test]
async fn nothing_is_booked_to_who_has_left() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let bea = member(&app, "Bea", "arbora").await;
    ask(&app, &ana).await.ok();
    after(&app, WAIT).await;
    assert_eq!(status(&app, &ana.client).await, "closed");
    let user = ana.client.user;
    for account in [UserAccount::Available, UserAccount::Bonus, UserAccount::Sponsored] {
        let mut tx = app.context.db.begin().await.unwrap();
        let refused = ledger::post(&mut tx, given(user, account)).await.unwrap_err();
        assert_eq!(refused.error_code(), ErrorCode::AccountClosed, "{account:?}");
        tx.rollback().await.unwrap();
    }
    let mut tx = app.context.db.begin().await.unwrap();
    let order = MassBooking::new(
        TransferKind::Bonus,
        "to-who-has-left",
        Cause::new(CauseKind::User, user.0),
        HouseAccount::Sponsorship,
    )
    .leg(
        AccountRef::User(bea.client.user, UserAccount::Bonus),
        Usdt::whole(1),
    )
    .leg(AccountRef::User(user, UserAccount::Bonus), Usdt::whole(1));
    let refused = ledger::post_mass(&mut tx, order).await.unwrap_err();
    assert_eq!(refused.error_code(), ErrorCode::AccountClosed);
    tx.rollback().await.unwrap();

    let mut tx = app.context.db.begin().await.unwrap();
    let owed = Transfer::new(
        TransferKind::ClawBack,
        "owed-by-who-has-left",
        Cause::new(CauseKind::User, user.0),
        Orderer::System,
    )
    .usdt(AccountRef::User(user, UserAccount::Debt), -Usdt::whole(2))
    .usdt(AccountRef::House(HouseAccount::ChainLosses), Usdt::whole(2));
    ledger::post(&mut tx, owed).await.unwrap();
    tx.commit().await.unwrap();
    // Everybody else gets theirs.
    fund(&app, &bea.client, UserAccount::Available, 5).await;
}

/// Somebody's account is closed in the very moment in which something is done: what is done waits for the closing, and finds it.
async fn closed_meanwhile(app: &TestApp, whom: &Client, deed: impl Future<Output = Reply>) -> Reply {
    let mut closing = app.sql.begin().await.unwrap();
    sqlx::query("SELECT FROM identity.account WHERE id = $1 FOR UPDATE")
        .bind(whom.user.0)
        .execute(&mut *closing)
        .await
        .unwrap();
    let (reply, ()) = join(deed, async {
        let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')";
        while !sqlx::query_scalar::<_, bool>(waits)
            .fetch_one(&app.sql)
            .await
            .unwrap()
        {
            actix_web::rt::task::yield_now().await;
        }
        sqlx::query("UPDATE identity.account SET status = 'closed', closed_at = $2 WHERE id = $1")
            .bind(whom.user.0)
            .bind(app.clock.now())
            .execute(&mut *closing)
            .await
            .unwrap();
        closing.commit().await.unwrap();
    })
    .await;
    reply
}

/// Sent in the same instant: nobody of that name is there, and nothing has moved.
#[actix_web::test]
async fn a_transfer_to_who_closes_in_that_moment_finds_nobody() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    fund(&app, &ana, UserAccount::Available, 100).await;
    let shown = code(&app, &ana, "ana", "transfer", "bea", "10").await;
    let reply = closed_meanwhile(&app, &bea, with_code(&ana, "bea", "10", &shown)).await;
    assert_eq!(
        (reply.status, reply.code()),
        (404, "user.unknown"),
        "{}",
        reply.body
    );
    assert!(reply.body["errors"]["receiver"].is_array(), "{}", reply.body);
    assert_eq!(
        balance(&app, &ana, UserAccount::Available).await,
        Usdt::whole(100)
    );
}

#[actix_web::test]
async fn sponsorship_of_who_closes_in_that_moment_finds_nobody() {
    let app = TestApp::start().await;
    let (root, ana) = (app.admin("root").await, app.user("ana").await);
    let reply = closed_meanwhile(&app, &ana, order(&root, &ana, "add", "10", None)).await;
    assert_eq!(
        (reply.status, reply.code()),
        (404, "user.unknown"),
        "{}",
        reply.body
    );
    assert_eq!(balance(&app, &ana, UserAccount::Sponsored).await, Usdt::whole(0));
}
