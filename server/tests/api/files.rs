//! Uploads: what passes, what does not, and how a file comes back.

use crate::{
    kit::{Client, TestApp},
    pix::{deposit, id, png},
};
use reqwest::Method;
use server::foundation::files::decoding::{Decoding, LARGE};
use std::os::unix::fs::PermissionsExt;

pub const PDF: &[u8] = b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\nxref\n0 1\ntrailer<</Root 1 0 R>>\nstartxref\n9\n%%EOF\n";

/// A PNG whose header claims 30 000 × 30 000, with its checksum made right.
fn bomb() -> Vec<u8> {
    claiming(30_000, 30_000)
}

/// One whose header claims a size.
fn claiming(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = png(1);
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let crc = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    bytes
}

#[actix_web::test]
async fn disguises_are_refused_and_leave_nothing_behind() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let path = format!("/deposit-pix/{}/proof", id(&deposit(&ana, "20").await));
    let mut large = png(1);
    large.resize(8 * 1024 * 1024 + 1, 0);
    let half = png(1)[..60].to_vec();
    let gif = {
        let mut out = std::io::Cursor::new(Vec::new());
        image::RgbaImage::new(8, 8)
            .write_to(&mut out, image::ImageFormat::Gif)
            .unwrap();
        out.into_inner()
    };
    for (name, mime, bytes, status, code) in [
        (
            "a.png",
            "image/png",
            b"<!DOCTYPE html><html><script>alert(1)</script></html>".to_vec(),
            422,
            "file.type",
        ),
        (
            "a.png",
            "image/png",
            b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>".to_vec(),
            422,
            "file.type",
        ),
        (
            "a.svg",
            "image/svg+xml",
            b"<?xml version='1.0'?><svg/>".to_vec(),
            422,
            "file.type",
        ),
        ("a.png", "image/png", gif, 422, "file.type"),
        ("a.png", "image/png", half, 422, "file.damaged"),
        (
            "a.png",
            "image/png",
            b"\x89PNG\r\n\x1a\n<html>".to_vec(),
            422,
            "file.damaged",
        ),
        (
            "a.pdf",
            "application/pdf",
            b"%PDF-1.7\n<html>".to_vec(),
            422,
            "file.damaged",
        ),
        ("a.png", "image/png", bomb(), 422, "file.dimensions"),
        ("a.png", "image/png", claiming(1, 100_000), 422, "file.sides"),
        ("a.gif", "image/gif", b"GIF89a<script>".to_vec(), 422, "file.type"),
        (
            "a.pdf",
            "application/pdf",
            [PDF, b"4 0 obj <</S/J#61vaScript>> endobj startxref\n9\n%%EOF\n"].concat(),
            422,
            "file.active",
        ),
        (
            "a.pdf",
            "application/pdf",
            [
                PDF,
                b"4 0 obj <</S/URI/URI(javascript:x)>> endobj startxref\n9\n%%EOF\n",
            ]
            .concat(),
            422,
            "file.active",
        ),
        // What ends where its word stands, but not where its length says.
        (
            "a.pdf",
            "application/pdf",
            [
                PDF,
                b"8 0 obj <</Type/ObjStm/N 2/First 11/Length 37>> stream\n10 0 11 12 (endstream ) <</JS 5 0 R>>\nendstream endobj startxref\n9\n%%EOF\n",
            ]
            .concat(),
            422,
            "file.damaged",
        ),
        ("a.png", "image/png", Vec::new(), 422, "file.empty"),
        ("a.png", "image/png", large, 413, "file.too_large"),
    ] {
        ana.upload(&path, name, mime, bytes).await.refused(status, code);
    }
    let json = ana
        .request(Method::POST, &path)
        .json(&serde_json::json!({ "file": "x" }));
    ana.send(json).await.refused(415, "request.unsupported_media");
    let broken = ana
        .request(Method::POST, &path)
        .header("content-type", "multipart/form-data; boundary=x")
        .body("--x\r\nnonsense");
    assert_eq!(ana.send(broken).await.status, 400);
    let empty = ana
        .request(Method::POST, &path)
        .multipart(reqwest::multipart::Form::new().text("note", "no file"));
    ana.send(empty).await.refused(422, "file.empty");

    let rows: i64 = sqlx::query_scalar("SELECT count(*) FROM foundation.file")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(rows, 0);
    let left: Vec<_> = std::fs::read_dir(app.context.files.join("incoming"))
        .unwrap()
        .collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(
        ana.get("/list-deposits-pix").await.ok()["data"][0]["status"],
        "pending"
    );
}

#[actix_web::test]
async fn a_proof_comes_back_harmless_and_its_original_is_kept() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let made = deposit(&ana, "20").await;
    let mut polyglot = png(1);
    polyglot.extend_from_slice(b"<script>alert(1)</script>");
    // The claimed type and name lie; the bytes decide.
    let sent = ana
        .upload(
            &format!("/deposit-pix/{}/proof", id(&made)),
            "../../x\".html",
            "text/html",
            polyglot.clone(),
        )
        .await
        .ok();
    let file = sent["proof"].as_str().unwrap();
    let response = ana
        .request(Method::GET, &format!("/files/{file}"))
        .send()
        .await
        .unwrap();
    let header = |name: &str| {
        response
            .headers()
            .get(name)
            .and_then(|v| v.to_str().ok())
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(header("content-type"), "image/png");
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert!(
        header("content-security-policy").starts_with("sandbox"),
        "{}",
        header("content-security-policy")
    );
    let disposition = header("content-disposition");
    assert!(
        disposition.starts_with("attachment")
            && disposition.contains("x%27.png")
            && !disposition.contains(".."),
        "{disposition}"
    );
    // Nothing of it is left in the browser for who comes after.
    assert_eq!(header("cache-control"), "no-store");
    let bytes = response.bytes().await.unwrap();
    assert!(!bytes.windows(7).any(|w| w == b"<script"));
    assert_eq!(image::load_from_memory(&bytes).unwrap().width(), 32);

    let name = file.replace('-', "");
    let original = app
        .context
        .files
        .join(&name[30..])
        .join(format!("{name}.original"));
    assert_eq!(std::fs::read(&original).unwrap(), polyglot);
    // Nobody else on the machine reads a proof.
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(
        (mode(&original), mode(&original.with_extension(""))),
        (0o600, 0o600)
    );
    assert_eq!(mode(original.parent().unwrap()), 0o700);
    assert_eq!(mode(&app.context.files.join("incoming")), 0o700);

    ana.get("/files/0190a000-0000-7000-8000-00000000abcd")
        .await
        .refused(404, "request.not_found");
    ana.get("/files/..%2f..%2fetc%2fpasswd")
        .await
        .refused(404, "request.not_found");
    app.anonymous()
        .get(&format!("/files/{file}"))
        .await
        .refused(401, "auth.unauthenticated");
}

#[actix_web::test]
async fn documents_pass_and_only_the_first_file_counts() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    let made = deposit(&ana, "20").await;
    let part = |name: &str, bytes: Vec<u8>| reqwest::multipart::Part::bytes(bytes).file_name(name.to_owned());
    let form = reqwest::multipart::Form::new()
        .text("note", "x")
        .part("file", part("a.pdf", PDF.to_vec()))
        .part("file", part("b.html", b"<html>".to_vec()));
    let path = format!("/deposit-pix/{}/proof", id(&made));
    let sent = ana
        .send(ana.request(Method::POST, &path).multipart(form))
        .await
        .ok();
    assert_eq!(sent["proofKind"], "application/pdf");
    let file = sent["proof"].as_str().unwrap();
    let response = admin
        .request(Method::GET, &format!("/files/{file}"))
        .send()
        .await
        .unwrap();
    assert_eq!(response.headers()["content-type"], "application/pdf");
    assert_eq!(response.bytes().await.unwrap().as_ref(), PDF);
}

/// A picture of the largest size that passes; it is sent as a few kilobytes.
fn largest() -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    image::RgbImage::from_pixel(4096, 4096, image::Rgb([200, 90, 40]))
        .write_to(&mut out, image::ImageFormat::Png)
        .unwrap();
    out.into_inner()
}

#[actix_web::test]
async fn a_flood_of_the_largest_pictures_stops_nobody_else() {
    let app = TestApp::start().await;
    let decoding = &app.context.decoding;
    let picture = largest();
    let mut people = Vec::new();
    for name in ["ana", "caio", "duda", "eva", "rui"] {
        people.push(app.user(name).await);
    }
    let rui = people.pop().unwrap();
    let send = |client: &Client| {
        let (client, picture) = (client.clone(), picture.clone());
        actix_web::rt::spawn(async move {
            client
                .upload("/me/upload-image", "a.png", "image/png", picture)
                .await
        })
    };
    // Large pictures have all the memory that they may have: what comes now waits.
    let held = decoding.memory(LARGE).await.unwrap();
    let ana = people.remove(0);
    let own: Vec<_> = (0..12).map(|_| send(&ana)).collect();
    let others: Vec<_> = people.iter().map(send).collect();
    // One of the person's own is at work and two wait; whoever comes when these places are taken hears so at once.
    while own.iter().filter(|reply| reply.is_finished()).count() < 9 || decoding.people_at_it() < 4 {
        tokio::task::yield_now().await;
    }
    // A receipt passes all the same.
    rui.upload("/me/upload-image", "a.png", "image/png", png(1))
        .await
        .ok();
    assert!(!others.iter().any(|reply| reply.is_finished()));
    drop(held);
    let mut passed = 0;
    for reply in own {
        let reply = reply.await.unwrap();
        if reply.status == 200 {
            passed += 1;
        } else {
            reply.refused(429, "file.busy");
            assert!(reply.headers.contains_key("retry-after"));
        }
    }
    assert_eq!(passed, 3);
    for reply in others {
        reply.await.unwrap().ok();
    }
    assert!(decoding.peak() <= Decoding::TOTAL, "{}", decoding.peak());
    // What was taken is given back, by those who were refused too.
    while decoding.in_use() > 0 || decoding.people_at_it() > 0 {
        tokio::task::yield_now().await;
    }
    rui.upload("/me/upload-image", "a.png", "image/png", png(2))
        .await
        .ok();
    let left: Vec<_> = std::fs::read_dir(app.context.files.join("incoming"))
        .unwrap()
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
