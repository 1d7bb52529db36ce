//! A place for files, whichever it is: what is given is there, whole and in parts, and goes when it is let go. Said of a folder always, and of
//! a bucket of the store that `ARBORA_TEST_BUCKET` names (`make test-all`: moto).

use crate::{
    content::{draft, film, lesson, part, path},
    files_kept::{face, photo, shown},
    kit::TestApp,
    pix::png,
};
use protocol::ids::FileId;
use serde_json::Value;
use server::{
    foundation::{
        context::Parts,
        files::{
            self, Bucket, Shelves,
            sweeping::{Compared, sweep},
            whose,
        },
    },
    jobs,
};
use std::io::Read;
use time::Duration;
use uuid::Uuid;

fn bucket(endpoint: &str, name: &str) -> Shelves {
    Shelves::bucket(&Bucket {
        endpoint: Some(&endpoint.parse().unwrap()),
        name,
        region: "us-east-1",
        path_style: true,
        key_id: "tests",
        secret: "of tests",
    })
    .unwrap()
}

async fn file_of(app: &TestApp, id: &str) -> Option<Vec<u8>> {
    let opened = files::open(&app.context, id.parse().unwrap()).await.ok()?;
    let mut bytes = Vec::new();
    opened.on_disk().await.unwrap().read_to_end(&mut bytes).unwrap();
    Some(bytes)
}

fn incoming(app: &TestApp) -> usize {
    std::fs::read_dir(app.context.files.join("incoming"))
        .unwrap()
        .count()
}

/// What is true of every place.
async fn keeps_what_it_is_given(app: &TestApp) {
    let (rui, ana) = (app.admin("rui").await, app.user("ana").await);

    // A film goes there in several parts, and comes back as it was: whole, in one range of bytes, and as a file of this machine.
    let sent = film(20_000_000);
    let item = draft(&rui, &lesson("pt", "Aula")).await;
    let to = format!("{}/file", path(&item));
    let now = rui.upload(&to, "a.mp4", "video/mp4", sent.clone()).await.ok();
    let id = now["file"]["file"].as_str().unwrap().to_owned();
    let whole = part(&rui, &format!("/files/{id}"), &[]).await;
    assert_eq!(whole.status(), 200);
    assert!(whole.bytes().await.unwrap() == sent);
    for (first, last) in [
        (0, 0),
        (8 * 1024 * 1024 - 2, 8 * 1024 * 1024 + 2),
        (5, 3_000_000),
        (19_999_990, 19_999_999),
    ] {
        let range = format!("bytes={first}-{last}");
        let answer = part(&rui, &format!("/files/{id}"), &[("range", &range)]).await;
        assert_eq!(answer.status(), 206, "{range}");
        assert_eq!(
            answer.headers()["content-range"],
            format!("bytes {first}-{last}/20000000")
        );
        assert!(answer.bytes().await.unwrap() == sent[first..=last], "{range}");
    }
    assert!(file_of(app, &id).await.unwrap() == sent);
    assert_eq!(incoming(app), 0);

    // In place of another: the bytes of the one before go with its row.
    rui.upload(&to, "b.png", "image/png", png(3)).await.ok();
    while jobs::round(&app.context).await.unwrap() > 0 {}
    assert!(file_of(app, &id).await.is_none());

    // A face and its squares.
    let of_ana = face(&ana, photo(300, 200)).await;
    for size in ["32", "64", "128"] {
        let side = size.parse().unwrap();
        assert_eq!(shown(&rui, &of_ana, size).await.1, (side, side));
        // Who has it already is told so; the picture itself is another one.
        let path = format!("/files/{of_ana}?size={size}");
        let tag = part(&rui, &path, &[]).await.headers()["etag"]
            .to_str()
            .unwrap()
            .to_owned();
        let known = part(&rui, &path, &[("if-none-match", &tag)]).await;
        assert_eq!(known.status(), 304, "{size}");
        let whole = part(&rui, &format!("/files/{of_ana}"), &[("if-none-match", &tag)]).await;
        assert_eq!(whole.status(), 200, "{size}");
    }
    assert_eq!(
        image::load_from_memory(&file_of(app, &of_ana).await.unwrap())
            .unwrap()
            .width(),
        300
    );
    assert_eq!(incoming(app), 0);

    // The row is another's now: its bytes are nowhere, and the old ones are nobody's, with their squares.
    app.clock.advance(Duration::DAY * 2);
    assert_eq!(sweep(&app.context).await.unwrap(), Compared::default());
    sqlx::query("UPDATE foundation.file SET id = $1 WHERE id = $2")
        .bind(FileId::fresh().0)
        .bind(of_ana.parse::<Uuid>().unwrap())
        .execute(&app.sql)
        .await
        .unwrap();
    // It has not known them for a moment only: they have their day.
    for (removed, later) in [(0, Duration::DAY * 2), (4, Duration::ZERO), (0, Duration::ZERO)] {
        let found = sweep(&app.context).await.unwrap();
        assert_eq!(
            (found.removed, found.missing, found.held),
            (removed, 1, 0),
            "{found:?}"
        );
        app.clock.advance(later);
    }

    // Another house that is pointed here is told apart, and has the place when somebody says so.
    let other = TestApp::start_with_parts(Parts::default().with(app.context.shelves.clone())).await;
    assert!(sweep(&other.context).await.unwrap().others);
    for (ours, theirs) in [(&other, app), (app, &other)] {
        whose::claim(&ours.context).await.unwrap();
        assert!(!sweep(&ours.context).await.unwrap().others);
        assert!(sweep(&theirs.context).await.unwrap().others);
    }
}

#[actix_web::test]
async fn a_place_for_files_keeps_what_it_is_given() {
    keeps_what_it_is_given(&TestApp::start().await).await;
    if let Ok(endpoint) = std::env::var("ARBORA_TEST_BUCKET") {
        let name = format!("arbora-{}", Uuid::now_v7().simple());
        let made = reqwest::Client::new()
            .put(format!("{endpoint}/{name}"))
            .send()
            .await;
        assert_eq!(made.unwrap().status(), 200, "{endpoint} makes a bucket");
        let parts = Parts::default().with(bucket(&endpoint, &name));
        keeps_what_it_is_given(&TestApp::start_with_parts(parts).await).await;
    }
}

#[actix_web::test]
async fn what_is_sent_from_memory_counts_until_it_is_there() {
    let door = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", door.local_addr().unwrap());
    let parts = Parts::default().with(bucket(&endpoint, "arbora-files"));
    let app = TestApp::start_with_parts(parts).await;
    let ana = app.user("ana").await;
    let sending = actix_web::rt::spawn(async move {
        ana.upload("/me/upload-image", "me.png", "image/png", photo(40, 40))
            .await
    });
    // The bucket is asked, and says nothing yet.
    let (asked, _) = door.accept().await.unwrap();
    assert!(app.context.decoding.in_use() > 0);
    drop((asked, door));
    sending.await.unwrap().refused(503, "service.unavailable");
    assert_eq!((app.context.decoding.in_use(), incoming(&app)), (0, 0));
}

#[actix_web::test]
async fn without_its_bucket_nothing_is_taken_in_and_nothing_is_left() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let parts = Parts::default().with(bucket(&endpoint, "arbora-files"));
    let app = TestApp::start_with_parts(parts).await;
    let ana = app.user("ana").await;
    let reply = ana
        .upload("/me/upload-image", "me.png", "image/png", photo(40, 40))
        .await;
    reply.refused(503, "service.unavailable");
    assert!(!reply.body.to_string().contains("127.0.0.1"));
    assert_eq!(incoming(&app), 0);
    let rows: i64 = sqlx::query_scalar("SELECT count(*) FROM foundation.file")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(rows, 0);
    assert_eq!(ana.get("/me").await.ok()["user"]["avatar"], Value::Null);
    assert!(sweep(&app.context).await.is_err());
}
