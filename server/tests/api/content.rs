//! Lessons and material: drafts are nobody's but staff's, languages and order, files by their bytes and by parts, progress, quota.

use crate::{
    guard::settings,
    kit::{Client, Reply, SYSTEM_EMPLOYEE, TestApp},
    pix::png,
};
use reqwest::Method;
use serde_json::{Value, json};
use server::{app::demo, config::Config, jobs};
use time::Duration;
use uuid::Uuid;

fn boxed(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len() + 8).unwrap();
    [length.to_be_bytes().as_slice(), name, content].concat()
}

/// A film of so many bytes, each telling its place.
pub fn film(bytes: usize) -> Vec<u8> {
    let frame = [boxed(b"ftyp", b"isom\0\0\0\0mp42"), boxed(b"moov", &[7; 32])].concat();
    let data: Vec<u8> = (0..bytes - frame.len() - 8)
        .map(|at| u8::try_from(at % 251).unwrap())
        .collect();
    [frame, boxed(b"mdat", &data)].concat()
}

pub fn lesson(language: &str, title: &str) -> Value {
    json!({ "id": Uuid::now_v7(), "kind": "lesson", "language": language, "title": title, "text": "Um texto.\n\nOutro." })
}

pub async fn draft(by: &Client, new: &Value) -> Value {
    by.post("/admin/content", new).await.ok()
}

pub fn path(item: &Value) -> String {
    format!("/admin/content/{}", item["_id"].as_str().unwrap())
}

async fn change(by: &Client, item: &Value, mut what: Value) -> Reply {
    let now = by.get(&path(item)).await.ok();
    what["version"] = now["version"].clone();
    by.patch(&path(item), &what).await
}

async fn publish(by: &Client, item: &Value) -> Value {
    change(by, item, json!({ "status": "published" })).await.ok()
}

async fn titles(who: &Client, query: &str) -> Vec<String> {
    let page = who.get(&format!("/content{query}")).await.ok();
    let rows = page["data"].as_array().unwrap();
    assert_eq!(page["meta"]["total"], rows.len());
    rows.iter()
        .map(|row| row["title"].as_str().unwrap().to_owned())
        .collect()
}

async fn rows(app: &TestApp, of: &'static str) -> i64 {
    sqlx::query_scalar(sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {of}")))
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

#[actix_web::test]
async fn a_draft_is_shown_to_staff_alone_by_every_way() {
    let app = TestApp::start().await;
    let (rui, ana, gil) = (
        app.admin("rui").await,
        app.user("ana").await,
        app.person("gil", SYSTEM_EMPLOYEE).await,
    );
    let item = draft(&rui, &lesson("pt", "Como funciona")).await;
    assert_eq!((&item["status"], &item["order"]), (&json!("draft"), &json!(10)));
    let item = rui
        .upload(
            &format!("{}/file", path(&item)),
            "aula.mp4",
            "video/mp4",
            film(4_000),
        )
        .await
        .ok();
    let item = rui
        .upload(&format!("{}/cover", path(&item)), "capa.png", "image/png", png(1))
        .await
        .ok();
    let id = item["_id"].as_str().unwrap();
    let file = format!("/files/{}", item["file"]["file"].as_str().unwrap());
    let cover = format!("/files/{}", item["cover"].as_str().unwrap());
    let link = rui.get(&format!("{}/link", path(&item))).await.ok();
    let staff_link = link["path"].as_str().unwrap().to_owned();
    for who in [&ana, &gil] {
        assert_eq!(titles(who, "").await, Vec::<String>::new());
        assert_eq!(titles(who, "?language=all").await, Vec::<String>::new());
        for hidden in [
            format!("/content/{id}"),
            format!("/content/{id}/link"),
            file.clone(),
            cover.clone(),
        ] {
            who.get(&hidden).await.refused(404, "request.not_found");
        }
        who.post(&format!("/content/{id}/progress"), &json!({ "seconds": 5 }))
            .await
            .refused(404, "request.not_found");
        who.get("/admin/content").await.refused(403, "auth.forbidden");
        who.get(&path(&item)).await.refused(403, "auth.forbidden");
    }
    // Staff look at it before it is published: by their session, and by a link of theirs.
    for seen in [&file, &cover] {
        assert_eq!(rui.get(seen).await.status, 200);
    }
    assert_eq!(app.anonymous().get(&staff_link).await.status, 200);

    publish(&rui, &item).await;
    assert_eq!(titles(&ana, "").await, ["Como funciona"]);
    let open = ana.get(&format!("/content/{id}")).await.ok();
    assert_eq!(open["text"], "Um texto.\n\nOutro.");
    assert_eq!(open["file"]["mime"], "video/mp4");
    assert_eq!(
        open["author"],
        Value::Null,
        "who wrote it is no customer's business"
    );
    for seen in [&file, &cover] {
        assert_eq!(ana.get(seen).await.status, 200);
    }
    let link = ana.get(&format!("/content/{id}/link")).await.ok();
    let link = link["path"].as_str().unwrap();
    assert_eq!(app.anonymous().get(link).await.status, 200);

    // Withdrawn: it is gone at once, for who has the link too.
    change(&rui, &item, json!({ "status": "draft" })).await.ok();
    assert_eq!(titles(&ana, "").await, Vec::<String>::new());
    app.anonymous().get(link).await.refused(404, "request.not_found");
    for hidden in [&file, &cover] {
        ana.get(hidden).await.refused(404, "request.not_found");
    }
    let log: Vec<String> =
        sqlx::query_scalar("SELECT action FROM foundation.audit WHERE subject = $1 ORDER BY id")
            .bind(id.parse::<Uuid>().unwrap())
            .fetch_all(&app.sql)
            .await
            .unwrap();
    assert_eq!(
        log,
        [
            "content.created",
            "content.attached",
            "content.attached",
            "content.published",
            "content.withdrawn"
        ]
    );
    // Staff's own link opens it still, and nothing once it is deleted.
    assert_eq!(app.anonymous().get(&staff_link).await.status, 200);
    rui.delete(&path(&item)).await.ok();
    app.anonymous()
        .get(&staff_link)
        .await
        .refused(404, "request.not_found");
}

#[actix_web::test]
async fn a_link_is_for_one_file_and_for_some_hours() {
    let app = TestApp::start().await;
    let (rui, ana) = (app.admin("rui").await, app.user("ana").await);
    let item = draft(&rui, &lesson("pt", "Aula")).await;
    rui.upload(&format!("{}/file", path(&item)), "a.mp4", "video/mp4", film(500))
        .await
        .ok();
    publish(&rui, &item).await;
    let id = item["_id"].as_str().unwrap();
    let link = ana.get(&format!("/content/{id}/link")).await.ok();
    let link = link["path"].as_str().unwrap();
    let stranger = app.anonymous();
    assert_eq!(stranger.get(link).await.status, 200);
    let mut forged = link.to_owned();
    let last = if forged.pop() == Some('A') { 'B' } else { 'A' };
    forged.insert(forged.len() - 8, last);
    for wrong in [forged.as_str(), "/content/media/x", "/content/media/AAAA"] {
        stranger.get(wrong).await.refused(404, "request.not_found");
    }
    let without = draft(&rui, &lesson("pt", "Só texto")).await;
    publish(&rui, &without).await;
    ana.get(&format!("/content/{}/link", without["_id"].as_str().unwrap()))
        .await
        .refused(404, "request.not_found");
    app.clock.advance(Duration::hours(6));
    stranger.get(link).await.refused(404, "request.not_found");
}

#[actix_web::test]
async fn items_stand_in_their_order_and_in_the_readers_language() {
    let app = TestApp::start().await;
    let (rui, ana) = (app.admin("rui").await, app.user("ana").await);
    for (language, title, order) in [
        ("pt", "Segunda", Some(20)),
        ("pt", "Primeira", Some(10)),
        ("en", "First", None),
        ("en", "Draft", None),
        ("pt", "Quarta", Some(20)),
    ] {
        let mut new = lesson(language, title);
        if let Some(order) = order {
            new["order"] = json!(order);
        }
        let item = draft(&rui, &new).await;
        if title != "Draft" {
            publish(&rui, &item).await;
        }
    }
    assert_eq!(titles(&ana, "").await, ["Primeira", "Segunda", "Quarta"]);
    assert_eq!(titles(&ana.clone().locale("en"), "").await, ["First"]);
    // Nothing is in Spanish: what there is, each with its language.
    assert_eq!(titles(&ana.clone().locale("es"), "").await.len(), 4);
    assert_eq!(titles(&ana, "?language=en").await, ["First"]);
    assert_eq!(titles(&ana, "?language=es").await, Vec::<String>::new());
    assert_eq!(
        titles(&ana, "?language=all&kind=material").await,
        Vec::<String>::new()
    );
    assert_eq!(titles(&ana, "?search=SEGUNDA&kind=lesson").await, ["Segunda"]);
    for wrong in [
        "?language=fr",
        "?kind=film",
        "?page=0",
        "?status=draft",
        "?sortby=title",
    ] {
        assert_eq!(ana.get(&format!("/content{wrong}")).await.status, 422, "{wrong}");
    }
    let page = rui.get("/admin/content?limit=2&page=2").await.ok();
    assert_eq!(
        (&page["meta"]["total"], &page["meta"]["lastPage"]),
        (&json!(5), &json!(3))
    );
    let drafts = rui.get("/admin/content?status=draft").await.ok();
    assert_eq!(drafts["data"][0]["title"], "Draft");
    assert_eq!(rui.get("/admin/content?status=nope").await.status, 422);
    // Staff move what stands somewhere else.
    let first = rui.get("/admin/content?search=primeira").await.ok()["data"][0].clone();
    change(&rui, &first, json!({ "order": 30 })).await.ok();
    assert_eq!(titles(&ana, "").await, ["Segunda", "Quarta", "Primeira"]);
    change(&rui, &first, json!({ "language": "es" })).await.ok();
    assert_eq!(titles(&ana.clone().locale("es"), "").await, ["Primeira"]);
}

#[actix_web::test]
async fn what_staff_write_is_clean_complete_and_never_written_over() {
    let app = TestApp::start().await;
    let (rui, eva) = (app.admin("rui").await, app.admin("eva").await);
    for (field, wrong) in [
        ("title", json!("")),
        ("title", json!("a\u{202e}b")),
        ("title", json!("a".repeat(121))),
        ("text", json!("a".repeat(20_001))),
        ("order", json!(-1)),
        ("order", json!(10_000)),
        ("language", json!("fr")),
        ("kind", json!("film")),
    ] {
        let mut new = lesson("pt", "Aula");
        new[field] = wrong.clone();
        let reply = rui.post("/admin/content", &new).await;
        assert_eq!(reply.status, 422, "{field} {wrong}: {}", reply.body);
        assert!(reply.body["errors"][field].is_array(), "{}", reply.body);
    }
    assert_eq!(rows(&app, "content.item").await, 0);
    // The same id again is the same draft; somebody else's is a conflict.
    let new = lesson("pt", "  Aula \u{a0} um ");
    let first = draft(&rui, &new).await;
    assert_eq!(draft(&rui, &new).await, first);
    assert_eq!(first["title"], "Aula um");
    eva.post("/admin/content", &new)
        .await
        .refused(409, "request.conflict");
    assert_eq!(rows(&app, "content.item").await, 1);
    // Of two changes at once the later is refused and changes nothing.
    let one = json!({ "version": first["version"], "title": "De Rui" });
    rui.patch(&path(&first), &one).await.ok();
    eva.patch(
        &path(&first),
        &json!({ "version": first["version"], "title": "De Eva" }),
    )
    .await
    .refused(409, "request.conflict");
    assert_eq!(eva.get(&path(&first)).await.ok()["title"], "De Rui");
    // Nothing is published that nobody could read or open.
    change(&rui, &first, json!({ "text": " \u{200b}\n" })).await.ok();
    change(&rui, &first, json!({ "status": "published" }))
        .await
        .refused(409, "content.incomplete");
    let mut material = lesson("pt", "Folheto");
    material["kind"] = json!("material");
    let material = draft(&rui, &material).await;
    change(&rui, &material, json!({ "status": "published" }))
        .await
        .refused(409, "content.incomplete");
    rui.upload(&format!("{}/file", path(&material)), "f.png", "image/png", png(2))
        .await
        .ok();
    publish(&rui, &material).await;
    rui.delete(&format!("{}/file", path(&material)))
        .await
        .refused(409, "content.incomplete");
    change(&rui, &first, json!({ "text": "Agora há", "status": "published" }))
        .await
        .ok();
    change(&rui, &first, json!({ "text": "" }))
        .await
        .refused(409, "content.incomplete");
    for nothing in [
        format!("/admin/content/{}", Uuid::now_v7()),
        "/admin/content/x".to_owned(),
    ] {
        rui.delete(&nothing).await.refused(404, "request.not_found");
        let reply = rui
            .upload(&format!("{nothing}/file"), "a.png", "image/png", png(1))
            .await;
        reply.refused(404, "request.not_found");
    }
}

pub async fn part(who: &Client, path: &str, headers: &[(&str, &str)]) -> reqwest::Response {
    let mut request = who
        .request(Method::GET, path)
        .header("accept-encoding", "gzip, br");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap()
}

fn head<'a>(of: &'a reqwest::Response, name: &str) -> &'a str {
    of.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

#[actix_web::test]
async fn a_film_is_given_in_the_parts_that_are_asked_for() {
    let app = TestApp::start().await;
    let (rui, ana) = (app.admin("rui").await, app.user("ana").await);
    let item = draft(&rui, &lesson("pt", "Aula")).await;
    let bytes = film(300_000);
    let item = rui
        .upload(
            &format!("{}/file", path(&item)),
            "../aula.exe",
            "text/html",
            bytes.clone(),
        )
        .await
        .ok();
    publish(&rui, &item).await;
    assert_eq!(
        item["file"],
        json!({ "file": item["file"]["file"], "name": "aula.mp4", "mime": "video/mp4", "bytes": 300_000 })
    );
    let file = format!("/files/{}", item["file"]["file"].as_str().unwrap());
    let link = ana
        .get(&format!("/content/{}/link", item["_id"].as_str().unwrap()))
        .await
        .ok();
    let link = link["path"].as_str().unwrap();
    let stranger = app.anonymous();
    for (who, path) in [(&ana, file.as_str()), (&stranger, link)] {
        let whole = part(who, path, &[]).await;
        assert_eq!(whole.status(), 200);
        let tag = head(&whole, "etag").to_owned();
        for (name, value) in [
            ("accept-ranges", "bytes"),
            ("content-type", "video/mp4"),
            ("content-length", "300000"),
            ("x-content-type-options", "nosniff"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cache-control", "private, max-age=3600, immutable"),
        ] {
            assert_eq!(head(&whole, name), value, "{name}");
        }
        assert!(head(&whole, "content-disposition").starts_with("attachment"));
        assert_eq!(whole.bytes().await.unwrap(), bytes);
        for (range, first, last) in [
            ("bytes=0-0", 0, 0),
            ("bytes=100000-199999", 100_000, 199_999),
            ("bytes=299990-", 299_990, 299_999),
            ("bytes=-10", 299_990, 299_999),
            ("bytes=250000-999999", 250_000, 299_999),
        ] {
            let answer = part(who, path, &[("range", range), ("if-range", tag.as_str())]).await;
            assert_eq!(answer.status(), 206, "{range}");
            assert_eq!(
                head(&answer, "content-range"),
                format!("bytes {first}-{last}/300000")
            );
            assert_eq!(head(&answer, "content-length"), (last - first + 1).to_string());
            assert_eq!(answer.bytes().await.unwrap(), bytes[first..=last], "{range}");
        }
        for range in ["bytes=300000-", "bytes=-0"] {
            let answer = part(who, path, &[("range", range)]).await;
            assert_eq!(answer.status(), 416, "{range}");
            assert_eq!(head(&answer, "content-range"), "bytes */300000");
            assert!(answer.bytes().await.unwrap().is_empty());
        }
        // Who has it already is told so, whatever part they ask for.
        for known in [tag.clone(), format!("\"another\", W/{tag}"), "*".to_owned()] {
            let headers = [("if-none-match", known.as_str()), ("range", "bytes=0-1")];
            let answer = part(who, path, &headers).await;
            assert_eq!(
                (answer.status().as_u16(), head(&answer, "etag")),
                (304, tag.as_str()),
                "{known}"
            );
            assert!(answer.bytes().await.unwrap().is_empty());
        }
        let other = part(who, path, &[("if-none-match", "\"another\"")]).await;
        assert_eq!(other.status(), 200);
        // Several parts, parts of another file, and what is no range: the whole.
        for headers in [
            [("range", "bytes=0-1,5-6"), ("x-a", "b")],
            [("range", "bytes=0-1"), ("if-range", "\"another\"")],
            [("range", "bytes=9-1"), ("x-a", "b")],
        ] {
            let answer = part(who, path, &headers).await;
            assert_eq!(answer.status(), 200, "{headers:?}");
            assert_eq!(answer.bytes().await.unwrap().len(), bytes.len());
        }
    }
}

/// Readers who take the beginning of a film and then nothing more hold nothing that others wait for.
#[actix_web::test]
async fn slow_readers_hold_no_connection_to_the_database() {
    let app = TestApp::with_connections(2).await;
    let (rui, ana) = (app.admin("rui").await, app.user("ana").await);
    let item = draft(&rui, &lesson("pt", "Aula")).await;
    // More than what the sockets between them hold.
    rui.upload(
        &format!("{}/file", path(&item)),
        "a.mp4",
        "video/mp4",
        film(24_000_000),
    )
    .await
    .ok();
    publish(&rui, &item).await;
    let link = ana
        .get(&format!("/content/{}/link", item["_id"].as_str().unwrap()))
        .await
        .ok();
    let link = link["path"].as_str().unwrap();
    let stranger = app.anonymous();
    let mut slow = Vec::new();
    for _ in 0..6 {
        let mut answer = part(&stranger, link, &[]).await;
        assert!(answer.chunk().await.unwrap().is_some());
        slow.push(answer);
    }
    assert_eq!(titles(&ana, "").await, ["Aula"]);
    change(&rui, &item, json!({ "title": "Outra" })).await.ok();
    assert_eq!(titles(&ana, "").await, ["Outra"]);
    for answer in slow {
        drop(answer);
    }
}

#[actix_web::test]
async fn files_are_what_their_bytes_say() {
    let app = TestApp::start().await;
    let rui = app.admin("rui").await;
    let item = draft(&rui, &lesson("pt", "Aula")).await;
    let (file, cover) = (format!("{}/file", path(&item)), format!("{}/cover", path(&item)));
    let mut large = png(1);
    large.resize(8 * 1024 * 1024 + 1, 0);
    for (to, bytes, status, code) in [
        (
            &file,
            b"<!DOCTYPE html><script>alert(1)</script>".to_vec(),
            422,
            "file.type",
        ),
        (
            &file,
            b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec(),
            422,
            "file.type",
        ),
        (
            &file,
            [film(500), b"<script>".to_vec()].concat(),
            422,
            "file.damaged",
        ),
        (&file, film(500)[..300].to_vec(), 422, "file.damaged"),
        (&file, boxed(b"ftyp", b"heic\0\0\0\0mif1"), 422, "file.type"),
        (
            &file,
            b"%PDF-1.7\n<html> and more than sixteen".to_vec(),
            422,
            "file.damaged",
        ),
        (&file, large, 413, "file.too_large"),
        (&file, Vec::new(), 422, "file.empty"),
        (&cover, film(500), 422, "file.type"),
        (&cover, b"%PDF-1.7\n".to_vec(), 422, "file.type"),
    ] {
        let reply = rui.upload(to, "a.mp4", "video/mp4", bytes).await;
        reply.refused(status, code);
    }
    assert_eq!(rows(&app, "foundation.file").await, 0);
    let left: Vec<_> = std::fs::read_dir(app.context.files.join("incoming"))
        .unwrap()
        .collect();
    assert!(left.is_empty(), "{left:?}");
    let now = rui.get(&path(&item)).await.ok();
    assert_eq!((&now["file"], &now["version"]), (&Value::Null, &item["version"]));
    // A picture is written anew, whatever hangs behind it.
    let polyglot = [png(3), b"<script>alert(1)</script>".to_vec()].concat();
    let now = rui.upload(&file, "a.png", "image/png", polyglot).await.ok();
    let shown = format!("/files/{}", now["file"]["file"].as_str().unwrap());
    let bytes = part(&rui, &shown, &[]).await.bytes().await.unwrap();
    assert!(!bytes.windows(7).any(|window| window == b"<script"));
}

fn places(app: &TestApp) -> usize {
    walkdir(&app.context.files)
}

/// Files that rest in their places.
fn walkdir(folder: &std::path::Path) -> usize {
    std::fs::read_dir(folder)
        .map(|entries| {
            entries
                .map(|entry| entry.unwrap().path())
                .map(|path| if path.is_dir() { walkdir(&path) } else { 1 })
                .sum()
        })
        .unwrap_or(0)
}

#[actix_web::test]
async fn files_have_a_quota_and_go_with_what_they_hang_on() {
    let app = TestApp::start().await;
    let (rui, ana) = (app.admin("rui").await, app.user("ana").await);
    settings(&app, |settings| settings.content_megabytes = 1).await;
    let item = draft(&rui, &lesson("pt", "Aula")).await;
    let other = draft(&rui, &lesson("pt", "Outra")).await;
    let to = format!("{}/file", path(&item));
    let first = rui.upload(&to, "a.mp4", "video/mp4", film(700_000)).await.ok();
    let refused = rui
        .upload(
            &format!("{}/file", path(&other)),
            "b.mp4",
            "video/mp4",
            film(700_000),
        )
        .await;
    refused.refused(409, "content.quota");
    assert!(refused.body["message"].as_str().unwrap().contains("1 MB"));
    assert_eq!(places(&app), 1, "what is refused leaves nothing behind");
    // In place of another it counts without that one, whose bytes go.
    let second = rui.upload(&to, "c.mp4", "video/mp4", film(900_000)).await.ok();
    let old = format!("/files/{}", first["file"]["file"].as_str().unwrap());
    rui.get(&old).await.refused(404, "request.not_found");
    assert_eq!(rows(&app, "foundation.file").await, 1);
    while jobs::round(&app.context).await.unwrap() > 0 {}
    assert_eq!(places(&app), 1);
    publish(&rui, &second).await;
    let id = item["_id"].as_str().unwrap();
    ana.post(&format!("/content/{id}/progress"), &json!({ "seconds": 7 }))
        .await
        .ok();
    let gone = rui.delete(&to).await.ok();
    assert_eq!(gone["file"], Value::Null);
    rui.delete(&to).await.refused(404, "request.not_found");
    while jobs::round(&app.context).await.unwrap() > 0 {}
    assert_eq!(places(&app), 0);
    // A deleted item takes its cover and everybody's progress with it.
    rui.upload(&format!("{}/cover", path(&item)), "c.png", "image/png", png(4))
        .await
        .ok();
    rui.delete(&path(&item)).await.ok();
    ana.get(&format!("/content/{id}"))
        .await
        .refused(404, "request.not_found");
    while jobs::round(&app.context).await.unwrap() > 0 {}
    assert_eq!(places(&app), 0);
    assert_eq!(rows(&app, "content.progress").await, 0);
    assert_eq!(rows(&app, "foundation.file").await, 0);
}

#[actix_web::test]
async fn everybody_has_a_progress_of_their_own() {
    let app = TestApp::start().await;
    let (rui, ana, bia) = (
        app.admin("rui").await,
        app.user("ana").await,
        app.user("bia").await,
    );
    let item = draft(&rui, &lesson("pt", "Aula")).await;
    publish(&rui, &item).await;
    let id = item["_id"].as_str().unwrap();
    let to = format!("/content/{id}/progress");
    for (said, seconds, done) in [
        (json!({ "seconds": 30 }), 30, false),
        (json!({ "seconds": 90, "done": true }), 90, true),
        // Watched again from its beginning: it stays done until that is taken back.
        (json!({ "seconds": 3 }), 3, true),
        (json!({ "seconds": 3, "done": false }), 3, false),
    ] {
        let kept = ana.post(&to, &said).await.ok();
        assert_eq!(kept, json!({ "seconds": seconds, "done": done }), "{said}");
        let open = ana.get(&format!("/content/{id}")).await.ok();
        assert_eq!(open["progress"], kept);
    }
    let others = bia.get("/content").await.ok();
    assert_eq!(
        others["data"][0]["progress"],
        json!({ "seconds": 0, "done": false })
    );
    for wrong in [
        json!({ "seconds": -1 }),
        json!({ "seconds": 86_401 }),
        json!({ "at": 1 }),
    ] {
        assert_eq!(ana.post(&to, &wrong).await.status, 422, "{wrong}");
    }
    let mut material = lesson("pt", "Folheto");
    material["kind"] = json!("material");
    let material = draft(&rui, &material).await;
    rui.upload(&format!("{}/file", path(&material)), "f.png", "image/png", png(5))
        .await
        .ok();
    publish(&rui, &material).await;
    ana.post(
        &format!("/content/{}/progress", material["_id"].as_str().unwrap()),
        &json!({ "seconds": 1 }),
    )
    .await
    .refused(404, "request.not_found");
}

#[actix_web::test]
async fn a_demo_begins_with_lessons_and_a_paper_in_three_languages() {
    let app = TestApp::start().await;
    let folder = tempfile::tempdir().unwrap();
    let config = Config::from_args(["--data-dir", folder.path().to_str().unwrap()]).unwrap();
    let people = demo::people_alone(&app.context, &config.secrets).await.unwrap();
    let base = format!("http://{}", app.address).parse().unwrap();
    for start in 1..=2 {
        demo::first_lessons(&app.context, &base, &people).await.unwrap();
        assert_eq!(rows(&app, "content.item").await, 12, "after start {start}");
    }
    let ana = app.user("ana").await;
    for locale in ["pt-br", "en", "es"] {
        let reader = ana.clone().locale(locale);
        assert_eq!(titles(&reader, "?kind=lesson").await.len(), 3, "{locale}");
        let page = reader.get("/content?kind=material").await.ok();
        let file = &page["data"][0]["file"];
        assert_eq!(file["mime"], "application/pdf", "{locale}");
        let shown = format!("/files/{}", file["file"].as_str().unwrap());
        let bytes = part(&reader, &shown, &[]).await.bytes();
        assert!(bytes.await.unwrap().starts_with(b"%PDF-"));
    }
}
