//! Two databases, one place for files: the mark that lies there says whose it is, and nobody removes anything from another's.

use crate::{
    files_kept::{face, photo, place, stray},
    kit::TestApp,
};
use server::{
    foundation::{
        context::Parts,
        files::{
            sweeping::sweep,
            whose::{self, Whose, whose},
        },
    },
    jobs,
};
use time::Duration;
use uuid::Uuid;

/// Another house, pointed at the place of this one.
async fn beside(app: &TestApp) -> TestApp {
    TestApp::start_with_parts(Parts::default().with(app.context.shelves.clone())).await
}

/// What a copy brings along: the marks that the house has written until now.
async fn copied(from: &TestApp, to: &TestApp, place: Option<&str>) {
    let marks: Vec<Uuid> = sqlx::query_scalar("SELECT marks FROM foundation.shelves")
        .fetch_one(&from.sql)
        .await
        .unwrap();
    sqlx::query(
        "INSERT INTO foundation.shelves (place, marks) VALUES (COALESCE($2, foundation.place()), $1)
         ON CONFLICT (one) DO UPDATE SET place = excluded.place, marks = excluded.marks",
    )
    .bind(marks)
    .bind(place)
    .execute(&to.sql)
    .await
    .unwrap();
}

async fn rows(app: &TestApp, of: &str) -> i64 {
    sqlx::query_scalar(sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {of}")))
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

/// Both look twice, with two days in between: what either takes for nobody's would go.
async fn two_days_later(house: &TestApp, other: &TestApp) {
    for _ in 0..2 {
        for app in [house, other] {
            app.clock.advance(Duration::DAY * 2);
            sweep(&app.context).await.unwrap();
        }
    }
}

#[actix_web::test]
async fn another_house_removes_nothing_of_what_it_does_not_know() {
    let house = TestApp::start().await;
    let ana = house.user("ana").await;
    let kept = place(&house, &face(&ana, photo(40, 40)).await);
    assert!(!sweep(&house.context).await.unwrap().others);
    let other = beside(&house).await;
    two_days_later(&house, &other).await;
    assert!(kept.exists() && kept.with_extension("32").exists());
    assert_eq!(whose(&house.context).await.unwrap(), Whose::Ours);
    assert_eq!(whose(&other.context).await.unwrap(), Whose::Others);
    // It does not even note what it does not know, and has nothing to let go.
    assert_eq!(rows(&other, "foundation.stray").await, 0);
    assert!(whose::release(&other.context).await.is_err());
}

#[actix_web::test]
async fn a_copy_lacks_what_was_written_since_or_is_in_another_place() {
    let house = TestApp::start().await;
    let ana = house.user("ana").await;
    let kept = place(&house, &face(&ana, photo(40, 40)).await);
    sweep(&house.context).await.unwrap();
    let copy = beside(&house).await;
    // Restored elsewhere, before the house has looked again.
    copied(&house, &copy, Some("7.16384")).await;
    assert!(sweep(&copy.context).await.unwrap().others);
    // A disk that was copied says the same of its place, but not for longer than until the house looks.
    copied(&house, &copy, None).await;
    assert_eq!(whose(&copy.context).await.unwrap(), Whose::Ours);
    sweep(&house.context).await.unwrap();
    assert_eq!(whose(&copy.context).await.unwrap(), Whose::Others);
    two_days_later(&house, &copy).await;
    assert!(kept.exists());
}

#[actix_web::test]
async fn a_house_whose_copy_came_first_removes_nothing_until_somebody_says_whose_it_is() {
    let house = TestApp::start().await;
    let ana = house.user("ana").await;
    let first = place(&house, &face(&ana, photo(40, 40)).await);
    let nobodys = stray(&house);
    sweep(&house.context).await.unwrap();
    let copy = beside(&house).await;
    copied(&house, &copy, None).await;
    assert!(!sweep(&copy.context).await.unwrap().others);
    house.clock.advance(Duration::DAY * 2);
    assert!(sweep(&house.context).await.unwrap().others);
    // What a change lets go stays, too: to whom the place belongs it may be a file.
    face(&house.renew(&ana), photo(50, 50)).await;
    while jobs::round(&house.context).await.unwrap() > 0 {}
    assert!(first.exists() && nobodys.exists());
    let waiting = "foundation.job WHERE kind = 'foundation.remove_file'";
    assert_eq!(rows(&house, waiting).await, 0);

    whose::claim(&house.context).await.unwrap();
    assert_eq!(whose(&copy.context).await.unwrap(), Whose::Others);
    for left in [true, false] {
        assert!(!sweep(&house.context).await.unwrap().others);
        assert_eq!(first.exists(), left, "it has its day from the word on");
        assert_eq!(nobodys.exists(), left);
        house.clock.advance(Duration::DAY + Duration::HOUR);
    }
    assert!(!first.with_extension("32").exists());
}

/// A full disk, or a bucket that takes nothing: the number is noted again and again, and the one that lies there stays.
#[actix_web::test]
async fn a_house_that_cannot_write_its_mark_knows_its_shelves_still() {
    let house = TestApp::start().await;
    sweep(&house.context).await.unwrap();
    // What is written begins in this folder.
    let (incoming, aside) = (
        house.context.files.join("incoming"),
        house.context.files.join("aside"),
    );
    std::fs::rename(&incoming, &aside).unwrap();
    std::fs::write(&incoming, b"no folder").unwrap();
    for _ in 0..20 {
        assert!(sweep(&house.context).await.is_err());
    }
    assert_eq!(whose(&house.context).await.unwrap(), Whose::Ours);
    std::fs::remove_file(&incoming).unwrap();
    std::fs::rename(&aside, &incoming).unwrap();
    assert!(!sweep(&house.context).await.unwrap().others);
}

#[actix_web::test]
async fn two_nodes_of_a_house_know_each_others_marks() {
    let house = TestApp::start().await;
    sweep(&house.context).await.unwrap();
    let looks = futures_util::future::join_all((0..4).map(|_| sweep(&house.context))).await;
    assert!(looks.into_iter().all(|found| !found.unwrap().others));
    assert_eq!(whose(&house.context).await.unwrap(), Whose::Ours);
    for _ in 0..20 {
        assert!(!sweep(&house.context).await.unwrap().others);
    }
    let marks: i32 = sqlx::query_scalar("SELECT cardinality(marks) FROM foundation.shelves")
        .fetch_one(&house.sql)
        .await
        .unwrap();
    assert_eq!(marks, 16, "the last few are kept");
}
