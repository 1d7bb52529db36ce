//! The day's digest: off at first, in the reader's morning, once, of what is booked and only where something is
//! (docs/rules/notifications.md#digest).

use crate::{
    identity::people::{mail, mails},
    kit::{Client, TestApp},
};
use futures_util::future::join_all;
use protocol::money::Usdt;
use serde_json::json;
use server::{
    foundation::{
        business_day,
        job_queue::{self, Claimed, NewJob},
        mail as foundation_mail,
    },
    jobs,
    ledger::{
        model::{AccountRef, Cause, CauseKind, HouseAccount, Orderer, Transfer, TransferKind, UserAccount},
        service as ledger,
    },
    notifications::digest,
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

const ANA: &str = "ana@example.com";

/// As a pool pays its share.
async fn share(app: &TestApp, to: &Client, usdt: i64) {
    let mut tx = app.context.db.begin().await.unwrap();
    let cause = Cause::new(CauseKind::Pool, Uuid::now_v7());
    let transfer = Transfer::new(
        TransferKind::PoolRevenue,
        Uuid::now_v7().to_string(),
        cause,
        Orderer::System,
    )
    .move_usdt(
        AccountRef::House(HouseAccount::Sponsorship),
        AccountRef::User(to.user, UserAccount::Available),
        Usdt::whole(usdt),
    );
    ledger::post(&mut tx, transfer).await.unwrap();
    tx.commit().await.unwrap();
}

/// As settlements sum a day.
async fn robots(app: &TestApp, of: &Client, at: OffsetDateTime, net: i64) {
    sqlx::query(
        "INSERT INTO robots.day_settled (owner, mode, day, net, settlements, last_at, last) VALUES ($1, 'simulated', $2, $3, 7, $4, $5)",
    )
    .bind(of.user.0)
    .bind(business_day::of(at))
    .bind(net)
    .bind(at)
    .bind(Uuid::now_v7())
    .execute(&app.sql)
    .await
    .unwrap();
}

/// Goes on to a moment after the reader's next morning, and works.
async fn morning(app: &TestApp, of: &Client) {
    let next: OffsetDateTime =
        sqlx::query_scalar("SELECT next_at FROM notifications.digest WHERE owner = $1")
            .bind(of.user.0)
            .fetch_one(&app.sql)
            .await
            .unwrap();
    app.clock.advance(next - app.context.now() + Duration::MINUTE);
    work(app).await;
}

async fn work(app: &TestApp) {
    crate::staff_queues::run_job(app, digest::DIGESTS).await;
    // Jobs of several people stand a moment apart.
    app.clock.advance(Duration::SECOND);
    while jobs::round(&app.context).await.unwrap() > 0 {}
}

async fn want(app: &TestApp, who: &Client, on: bool) {
    let kept = app
        .renew(who)
        .patch("/notifications/digest", &json!({ "on": on }))
        .await
        .ok();
    assert_eq!(kept["digest"], on);
}

#[actix_web::test]
async fn it_is_asked_for_comes_once_and_only_where_something_was() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let seen = ana.get("/notifications/preferences").await.ok();
    assert_eq!(seen["digest"], false);
    share(&app, &ana, 900).await;
    app.clock.advance(Duration::HOUR);
    want(&app, &ana, true).await;
    morning(&app, &ana).await;
    assert_eq!(
        mails(&app, ANA, "digest").await,
        0,
        "what was before it was asked for"
    );

    let yesterday = app.context.now();
    robots(&app, &ana, yesterday, -1_250_000).await;
    robots(&app, &bia, yesterday, 5_000_000).await;
    share(&app, &ana, 3).await;
    share(&app, &ana, 4).await;
    share(&app, &bia, 9).await;
    morning(&app, &ana).await;
    assert_eq!(mails(&app, ANA, "digest").await, 1);
    let text = mail(&app, ANA, "digest").await;
    for part in [
        "SIMULADO: 7 · -1,25 USDT",
        "Receita de pools: 2 · 7,00 USDT",
        "/account-setting?tab=notifications",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    work(&app).await;
    morning(&app, &ana).await;
    assert_eq!(
        mails(&app, ANA, "digest").await,
        1,
        "told once, and nothing since"
    );
    assert_eq!(mails(&app, "bia@example.com", "digest").await, 0);

    share(&app, &ana, 1).await;
    want(&app, &ana, false).await;
    app.clock.advance(Duration::days(2));
    work(&app).await;
    assert_eq!(mails(&app, ANA, "digest").await, 1);
}

/// Whom staff switched off has no robots and no bonuses to come for.
#[actix_web::test]
async fn it_rests_while_its_readers_account_is_switched_off() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    want(&app, &ana, true).await;
    crate::away::switch(&app, &ana, "inactive").await;
    share(&app, &ana, 5).await;
    morning(&app, &ana).await;
    morning(&app, &ana).await;
    assert_eq!(mails(&app, ANA, "digest").await, 0);
    assert!(left(&app).await.is_empty(), "no job waits for it");
    crate::away::switch(&app, &ana, "active").await;
    morning(&app, &ana).await;
    assert_eq!(mails(&app, ANA, "digest").await, 1, "it is wanted still");
    let text = mail(&app, ANA, "digest").await;
    assert!(text.contains("Receita de pools: 1 · 5,00 USDT"), "{text}");
}

/// Two nodes at once, and mornings that were missed: each posting is in one digest.
#[actix_web::test]
async fn nothing_is_told_twice_or_left_out() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    want(&app, &ana, true).await;
    for _ in 0..3 {
        share(&app, &ana, 2).await;
        app.clock.advance(Duration::DAY);
    }
    let job = NewJob {
        kind: digest::DIGESTS,
        effect: "by hand".into(),
        payload: json!({}),
        run_at: None,
    };
    let mut tx = app.context.db.begin().await.unwrap();
    tx.enqueue(job);
    tx.commit().await.unwrap();
    let looks = claimed(&app, digest::DIGESTS).await;
    let all = join_all((0..3).map(|_| digest::hand_out(&app.context, &looks))).await;
    assert!(all.iter().all(Result::is_ok), "{all:?}");
    let one = claimed(&app, digest::DIGEST).await;
    let all = join_all((0..3).map(|_| digest::write(&app.context, &one))).await;
    assert!(all.iter().all(Result::is_ok), "{all:?}");
    assert_eq!(mails(&app, ANA, "digest").await, 1);
    let text = mail(&app, ANA, "digest").await;
    assert!(text.contains("Receita de pools: 3 · 6,00 USDT"), "{text}");
}

/// The only job of this kind that is due.
async fn claimed(app: &TestApp, kind: &str) -> Claimed {
    let due = job_queue::claim(&app.sql, app.context.now(), 100).await.unwrap();
    let mut of_kind = due.into_iter().filter(|job| job.kind == kind);
    let job = of_kind.next().unwrap();
    assert!(of_kind.next().is_none(), "one each");
    job
}

/// How the jobs of digests stand that are not done: state and tries.
async fn left(app: &TestApp) -> Vec<(String, i32)> {
    sqlx::query_as("SELECT state, attempts FROM foundation.job WHERE kind = $1")
        .bind(digest::DIGEST)
        .fetch_all(&app.sql)
        .await
        .unwrap()
}

/// Whose cannot be made stands first: the others have theirs. It is tried a bounded number of times, staff see it, and each morning tries it anew
/// by the same job.
#[actix_web::test]
async fn one_that_fails_stops_nobody_and_is_seen() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    want(&app, &ana, true).await;
    // Nobody's: whoever asks for their address is refused.
    sqlx::query(
        "INSERT INTO notifications.digest (owner, told_day, told_at, next_at)
         SELECT $1, told_day, told_at, next_at - interval '1 minute' FROM notifications.digest",
    )
    .bind(Uuid::now_v7())
    .execute(&app.sql)
    .await
    .unwrap();
    morning(&app, &ana).await;
    share(&app, &ana, 5).await;
    morning(&app, &ana).await;
    assert_eq!(mails(&app, ANA, "digest").await, 1);
    for _ in 0..14 {
        app.clock.advance(Duration::minutes(11));
        work(&app).await;
    }
    assert_eq!(left(&app).await, [("parked".to_owned(), 12)]);
    let seen = app.admin("bia").await.get("/admin/general-view").await.ok();
    assert_eq!(seen["health"]["jobsParked"], 1);

    share(&app, &ana, 6).await;
    morning(&app, &ana).await;
    assert_eq!(mails(&app, ANA, "digest").await, 2);
    assert_eq!(left(&app).await, [("waiting".to_owned(), 1)]);
}

/// The look whose morning has come, as a job that somebody has taken.
async fn look(app: &TestApp) -> Claimed {
    let mut tx = app.context.db.begin().await.unwrap();
    tx.enqueue(NewJob::new(digest::DIGESTS, Uuid::now_v7().to_string(), &()).unwrap());
    tx.commit().await.unwrap();
    claimed(app, digest::DIGESTS).await
}

/// A code that somebody waits for goes before what can wait.
#[actix_web::test]
async fn nobody_has_one_while_mails_are_late() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    want(&app, &ana, true).await;
    share(&app, &ana, 2).await;
    app.clock.advance(Duration::days(2));
    let taken = look(&app).await;
    let mut tx = app.context.db.begin().await.unwrap();
    let late = NewJob::new(foundation_mail::JOB, "late", &Uuid::now_v7()).unwrap();
    tx.enqueue(late.at(app.context.now() - Duration::MINUTE));
    tx.commit().await.unwrap();
    digest::hand_out(&app.context, &taken).await.unwrap();
    assert!(left(&app).await.is_empty());
    // It leaves beside the next look.
    work(&app).await;
    assert_eq!(mails(&app, ANA, "digest").await, 1);
}

#[actix_web::test]
async fn many_are_handed_out_a_few_at_a_time() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    want(&app, &ana, true).await;
    sqlx::query(
        "INSERT INTO notifications.digest (owner, told_day, told_at, next_at)
         SELECT gen_random_uuid(), told_day, told_at, next_at FROM notifications.digest, generate_series(1, 500)",
    )
    .execute(&app.sql)
    .await
    .unwrap();
    app.clock.advance(Duration::days(2));
    let taken = look(&app).await;
    let begun = app.context.now();
    digest::hand_out(&app.context, &taken).await.unwrap();
    assert_eq!(left(&app).await.len(), 500);
    let next: Vec<OffsetDateTime> =
        sqlx::query_scalar("SELECT run_at FROM foundation.job WHERE kind = $1 AND state = 'waiting'")
            .bind(digest::DIGESTS)
            .fetch_all(&app.sql)
            .await
            .unwrap();
    assert_eq!(next.len(), 1);
    assert!(
        next[0] >= begun + Duration::seconds(10),
        "behind those that were handed out"
    );
    digest::hand_out(&app.context, &taken).await.unwrap();
    assert_eq!(left(&app).await.len(), 501);
}
