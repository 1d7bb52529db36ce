//! Where files rest: small pictures beside large ones, and what is nobody's goes.

use crate::{
    kit::{Client, TestApp},
    pix::{deposit, id, png, with_proof},
    staff_queues::run_job,
    support::{id_of, open},
};
use image::GenericImageView;
use protocol::ids::FileId;
use reqwest::Method;
use serde_json::{Value, json};
use server::{
    foundation::{
        clock::Clock,
        files::{
            Purpose,
            sweeping::{COMPARE, Compared, sweep},
            whose::{self, Whose},
        },
        job_queue::{self, NewJob},
    },
    jobs,
};
use std::{collections::BTreeSet, os::unix::fs::MetadataExt, path::PathBuf};
use time::Duration;

pub fn photo(width: u32, height: u32) -> Vec<u8> {
    let picture = image::RgbImage::from_fn(width, height, |x, y| {
        image::Rgb([u8::try_from(x % 251).unwrap(), u8::try_from(y % 241).unwrap(), 90])
    });
    let mut out = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut out, image::ImageFormat::Png).unwrap();
    out.into_inner()
}

/// What comes for a size, with its type and its sides.
pub async fn shown(client: &Client, file: &str, size: &str) -> (String, (u32, u32)) {
    let path = format!("/files/{file}?size={size}");
    let answer = client.request(Method::GET, &path).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{path}");
    let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert!(header("content-security-policy").starts_with("sandbox"));
    let mime = header("content-type");
    let bytes = answer.bytes().await.unwrap();
    (mime, image::load_from_memory(&bytes).unwrap().dimensions())
}

pub async fn face(of: &Client, bytes: Vec<u8>) -> String {
    let reply = of.upload("/me/upload-image", "me.png", "image/png", bytes).await;
    reply.ok()["avatar"].as_str().unwrap().to_owned()
}

/// Where a file of this id rests in a folder.
pub fn place(app: &TestApp, file: &str) -> PathBuf {
    let name = file.replace('-', "");
    app.context.files.join(&name[30..]).join(name)
}

/// Bytes that are nobody's.
pub fn stray(app: &TestApp) -> PathBuf {
    let place = place(app, &FileId::fresh().to_string());
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::write(&place, b"nobody's").unwrap();
    place
}

#[actix_web::test]
async fn faces_have_small_squares_and_older_ones_get_theirs_when_they_are_asked_for() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let file = face(&ana, photo(600, 400)).await;
    let squares = ["32", "64", "128"];
    let beside = |size: &str| place(&app, &file).with_extension(size);
    assert!(squares.iter().all(|size| beside(size).exists()));
    for _ in 0..2 {
        for size in squares {
            let side: u32 = size.parse().unwrap();
            assert_eq!(
                shown(&bia, &file, size).await,
                ("image/jpeg".to_owned(), (side, side))
            );
        }
        // As one that was taken in before there were any: they are made, once, and stay.
        for size in squares {
            std::fs::remove_file(beside(size)).unwrap();
        }
        shown(&bia, &file, "64").await;
        assert!(squares.iter().all(|size| beside(size).exists()));
    }
    // The file itself is as large as ever.
    let whole = bia
        .request(Method::GET, &format!("/files/{file}"))
        .send()
        .await
        .unwrap();
    let whole = image::load_from_memory(&whole.bytes().await.unwrap()).unwrap();
    assert_eq!(whole.dimensions(), (600, 400));
    let path = |size: &str| format!("/files/{file}?size={size}");
    bia.get(&path("preview")).await.refused(404, "request.not_found");
    assert_eq!(bia.get(&path("33")).await.status, 422);
    app.anonymous()
        .get(&path("32"))
        .await
        .refused(401, "auth.unauthenticated");
    // What is looked at leaves nothing behind, and with the account's picture its squares go.
    assert_eq!(
        std::fs::read_dir(app.context.files.join("incoming"))
            .unwrap()
            .count(),
        0
    );
    assert_eq!(ana.delete("/me/avatar").await.status, 204);
    while jobs::round(&app.context).await.unwrap() > 0 {}
    assert!(!place(&app, &file).exists() && !beside("32").exists());
    bia.get(&path("32")).await.refused(404, "request.not_found");
}

#[actix_web::test]
async fn another_picture_takes_the_place_of_the_one_before() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let first = face(&ana, photo(90, 90)).await;
    let second = face(&ana, photo(80, 80)).await;
    while jobs::round(&app.context).await.unwrap() > 0 {}
    assert!(!place(&app, &first).exists());
    ana.get(&format!("/files/{first}"))
        .await
        .refused(404, "request.not_found");
    assert_eq!(shown(&ana, &second, "128").await.1, (80, 80));
    let rows: i64 = sqlx::query_scalar("SELECT count(*) FROM foundation.file")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(rows, 1);
}

#[actix_web::test]
async fn conversations_have_previews_for_those_who_may_see_the_ticket() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let ticket = id_of(&open(&ana).await);
    let sent = ana
        .upload(
            &format!("/support/upload-image/{ticket}"),
            "a.png",
            "image/png",
            photo(1600, 800),
        )
        .await
        .ok();
    let file = find(&sent, "file").unwrap();
    assert_eq!(
        shown(&ana, &file, "preview").await,
        ("image/jpeg".to_owned(), (1024, 512))
    );
    for size in ["preview", "32"] {
        bia.get(&format!("/files/{file}?size={size}"))
            .await
            .refused(404, "request.not_found");
    }
    // Evidence is looked at as it is.
    let proof = with_proof(&ana, "20", 1).await;
    ana.get(&format!(
        "/files/{}?size=preview",
        proof["proof"].as_str().unwrap()
    ))
    .await
    .refused(404, "request.not_found");
}

/// The first text under this name, however deep.
fn find(value: &Value, name: &str) -> Option<String> {
    match value {
        Value::Object(fields) => fields
            .get(name)
            .and_then(Value::as_str)
            .map(str::to_owned)
            .or_else(|| fields.values().find_map(|value| find(value, name))),
        Value::Array(values) => values.iter().find_map(|value| find(value, name)),
        _ => None,
    }
}

#[actix_web::test]
async fn bytes_of_nobody_go_after_a_day_though_the_one_who_looks_is_killed() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let kept = place(&app, &face(&ana, photo(40, 40)).await);
    let sent = with_proof(&ana, "20", 1).await;
    let proof = place(&app, sent["proof"].as_str().unwrap());
    let strays = [stray(&app), stray(&app)];
    let note = app.context.files.join("read.me");
    std::fs::write(&note, b"the operator's own").unwrap();

    // Younger than a day: somebody may be about to write its row.
    run_job(&app, COMPARE).await;
    assert!(strays.iter().all(|path| path.exists()));

    app.clock.advance(Duration::DAY + Duration::HOUR);
    let mut tx = app.context.db.begin().await.unwrap();
    tx.enqueue(NewJob::new(COMPARE, "after a day", &()).unwrap());
    tx.commit().await.unwrap();
    // One node takes it, removes what it finds and is killed before it has written anything down; no other has it meanwhile.
    let claim = async || {
        let claimed = job_queue::claim(app.context.db.pool(), app.context.now(), 100).await;
        let kinds = claimed.unwrap().into_iter().map(|job| job.kind);
        kinds.filter(|kind| kind == COMPARE).count()
    };
    assert_eq!((claim().await, claim().await), (1, 0));
    let found = sweep(&app.context).await.unwrap();
    let nobodys = Compared {
        removed: 2,
        bytes: 16,
        strange: 1,
        ..Compared::default()
    };
    assert_eq!(found, nobodys);
    // What the table has not known for an hour only may be of a newer one than it.
    let another = stray(&app);
    app.clock.advance(Duration::minutes(2));
    while jobs::round(&app.context).await.unwrap() > 0 {}
    assert!(another.exists());
    app.clock.advance(Duration::DAY + Duration::HOUR);
    run_job(&app, COMPARE).await;
    assert!(!another.exists() && strays.iter().all(|path| !path.exists()));
    for path in [
        &kept,
        &kept.with_extension("32"),
        &proof,
        &proof.with_extension("original"),
        &note,
    ] {
        assert!(path.exists(), "{}", path.display());
    }
    // What went stands in the audit by its name.
    let told = told(&app, "files.removed").await;
    let bytes: Vec<&Value> = told.iter().map(|line| &line["bytes"]).collect();
    assert_eq!(bytes, [&json!(16), &json!(8)]);
    let gone: BTreeSet<PathBuf> = [&strays[0], &strays[1], &another].map(Clone::clone).into();
    assert_eq!(named(&app, &told), gone);
}

/// What the audit says of an action, in order.
async fn told(app: &TestApp, action: &str) -> Vec<Value> {
    sqlx::query_scalar("SELECT details FROM foundation.audit WHERE action = $1 ORDER BY id")
        .bind(action)
        .fetch_all(&app.sql)
        .await
        .unwrap()
}

/// The files that lines of the audit name.
fn named(app: &TestApp, lines: &[Value]) -> BTreeSet<PathBuf> {
    let names = lines.iter().flat_map(|line| line["files"].as_array().unwrap());
    names
        .map(|name| app.context.files.join(name.as_str().unwrap()))
        .collect()
}

#[actix_web::test]
async fn rows_without_bytes_are_told_of_and_stay() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    for who in [&ana, &bia] {
        let file = face(who, photo(40, 40)).await;
        std::fs::remove_file(place(&app, &file)).unwrap();
    }
    // Their squares are no files.
    assert_eq!(sweep(&app.context).await.unwrap(), Compared::default());
    app.clock.advance(Duration::DAY * 2);
    let missing = Compared {
        missing: 2,
        ..Compared::default()
    };
    for _ in 0..2 {
        assert_eq!(sweep(&app.context).await.unwrap(), missing);
    }
}

/// A house that knows nothing of so many old files, and has known nothing of them for a day.
async fn with_many_strays(many: usize) -> (TestApp, Vec<PathBuf>) {
    let app = TestApp::start().await;
    // Nothing lies there, and nobody has marked it: it is ours.
    assert_eq!(sweep(&app.context).await.unwrap(), Compared::default());
    let strays: Vec<PathBuf> = (0..many).map(|_| stray(&app)).collect();
    app.clock.advance(Duration::DAY * 2);
    // They are old, and it is the first time that this table does not know them.
    assert_eq!(sweep(&app.context).await.unwrap(), Compared::default());
    app.clock.advance(Duration::DAY * 2);
    (app, strays)
}

#[actix_web::test]
async fn a_table_that_knows_nothing_of_what_lies_there_removes_nothing() {
    let (app, strays) = with_many_strays(101).await;
    let held = Compared {
        held: 101,
        ..Compared::default()
    };
    assert_eq!(sweep(&app.context).await.unwrap(), held);
    assert!(strays.iter().all(|path| path.exists()));
    // A hundred are what a bad day leaves.
    std::fs::remove_file(&strays[0]).unwrap();
    assert_eq!(sweep(&app.context).await.unwrap().removed, 100);
}

#[actix_web::test]
async fn what_is_held_goes_by_a_word_and_no_more_than_was_seen() {
    let (app, strays) = with_many_strays(101).await;
    let newer = stray(&app);
    assert_eq!(sweep(&app.context).await.unwrap().held, 101);
    assert_eq!(whose::release(&app.context).await.unwrap(), 101);
    let standing = whose::standing(&app.context).await.unwrap();
    assert_eq!(
        (standing.whose, standing.nobodys, standing.old, standing.released),
        (Whose::Ours, 102, 101, 101)
    );
    // The comparison comes by itself.
    while jobs::round(&app.context).await.unwrap() > 0 {}
    assert!(newer.exists() && strays.iter().all(|path| !path.exists()));
    assert_eq!(told(&app, "files.released").await, [json!({ "count": 101 })]);
    let lines = told(&app, "files.removed").await;
    assert!(
        lines
            .iter()
            .all(|line| line["files"].as_array().unwrap().len() <= 25)
    );
    assert_eq!(named(&app, &lines), strays.into_iter().collect());
    // Nothing is held now, and a second word finds nothing.
    assert_eq!(whose::release(&app.context).await.unwrap(), 0);
    assert_eq!(told(&app, "files.released").await.len(), 1);
}

#[actix_web::test]
async fn shelves_that_nobody_has_marked_are_no_strangers() {
    let app = TestApp::start().await;
    let path = stray(&app);
    app.clock.advance(Duration::DAY * 2);
    for _ in 0..2 {
        // It knows of nothing that lies there: they may be another's, of before there were marks.
        assert!(sweep(&app.context).await.unwrap().others);
        app.clock.advance(Duration::DAY * 2);
    }
    let standing = whose::standing(&app.context).await.unwrap();
    assert_eq!((standing.whose, standing.nobodys), (Whose::Unmarked, 0));
    assert!(path.exists() && whose::release(&app.context).await.is_err());
    whose::claim(&app.context).await.unwrap();
    for left in [true, false] {
        sweep(&app.context).await.unwrap();
        assert_eq!(path.exists(), left, "a day from the word on");
        app.clock.advance(Duration::DAY + Duration::HOUR);
    }
    assert_eq!(told(&app, "files.claimed").await, [json!({})]);
    // Something else that is called so is not ours.
    std::fs::write(app.context.files.join("house"), "casa").unwrap();
    assert!(sweep(&app.context).await.unwrap().others);
}

#[actix_web::test]
async fn pictures_of_before_go_though_their_rows_went_first() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let (first, second) = (face(&ana, photo(90, 90)).await, face(&ana, photo(80, 80)).await);
    // As it was when another picture left the one before where it lay, and a migration took its row.
    sqlx::query("DELETE FROM foundation.job")
        .execute(&app.sql)
        .await
        .unwrap();
    let change = include_str!("../../../migrations/0215_foundation_old_faces.sql");
    for _ in 0..2 {
        sqlx::raw_sql(change).execute(&app.sql).await.unwrap();
    }
    app.clock.advance(Duration::MINUTE);
    assert!(place(&app, &first).exists());
    while jobs::round(&app.context).await.unwrap() > 0 {}
    assert!(!place(&app, &first).exists() && place(&app, &second).exists());
    sqlx::raw_sql(change).execute(&app.sql).await.unwrap();
    assert_eq!(jobs::round(&app.context).await.unwrap(), 0);
}

#[actix_web::test]
async fn many_who_ask_at_once_have_one_make_the_small_pictures() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let file = face(&ana, photo(600, 400)).await;
    let square = place(&app, &file).with_extension("64");
    for size in ["32", "64", "128"] {
        std::fs::remove_file(square.with_extension(size)).unwrap();
    }
    // There is no memory for looking at anything: whoever begins waits, before it has read anything.
    let decoding = &app.context.decoding;
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(decoding.memory(1).await.unwrap());
    }
    let asking: Vec<_> = (0..6)
        .map(|_| {
            let (bia, file, square) = (bia.clone(), file.clone(), square.clone());
            actix_web::rt::spawn(async move {
                assert_eq!(shown(&bia, &file, "64").await.1, (64, 64));
                std::fs::metadata(square).unwrap().ino()
            })
        })
        .collect();
    while decoding.askers(file.parse().unwrap()) < asking.len() {
        tokio::task::yield_now().await;
    }
    drop(held);
    let mut made = BTreeSet::new();
    for answer in asking {
        made.insert(answer.await.unwrap());
    }
    assert_eq!(made.len(), 1, "another would have put its own in place");
    assert_eq!(
        (decoding.in_use(), decoding.askers(file.parse().unwrap())),
        (0, 0)
    );
}

#[actix_web::test]
async fn one_person_sends_so_much_of_a_kind_within_a_day() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let of_day = Purpose::PixProof.quota().unwrap();
    let proof = async |who: &Client| format!("/deposit-pix/{}/proof", id(&deposit(who, "20").await));
    let (of_ana, of_bia) = (proof(&ana).await, proof(&bia).await);
    let send = async |who: &Client, to: &str| who.upload(to, "a.png", "image/png", png(1)).await;
    let sent = async |files: u32, bytes: i64| {
        sqlx::query("DELETE FROM foundation.file WHERE owner = $1 AND purpose = 'pix_proof'")
            .bind(ana.user.0)
            .execute(&app.sql)
            .await
            .unwrap();
        sqlx::query(
            "INSERT INTO foundation.file (id, owner, purpose, mime, name, bytes, sha256, created_at)
             SELECT gen_random_uuid(), $1, 'pix_proof', 'image/png', 'a.png', $3, '\\x00', $4 FROM generate_series(1, $2)",
        )
        .bind(ana.user.0)
        .bind(i32::try_from(files).unwrap())
        .bind(bytes)
        .bind(app.clock.now() - Duration::HOUR)
        .execute(&app.sql)
        .await
        .unwrap();
    };
    let large = i64::from(of_day.megabytes) * 1024 * 1024;
    for (files, bytes) in [(of_day.files, 1), (2, large / 2)] {
        sent(files, bytes).await;
        let reply = send(&ana, &of_ana).await;
        reply.refused(429, "file.quota");
        let text = reply.body["message"].as_str().unwrap();
        assert!(text.contains(&of_day.files.to_string()), "{text}");
        let wait: i64 = reply.headers["retry-after"].to_str().unwrap().parse().unwrap();
        assert!((82_000..=82_800).contains(&wait), "{wait}");
    }
    // Of another kind, and by another person, there is room.
    face(&ana, photo(40, 40)).await;
    send(&bia, &of_bia).await.ok();
    sent(of_day.files - 1, 1).await;
    send(&ana, &of_ana).await.ok();
}
