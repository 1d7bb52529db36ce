//! What stands in a ticket beside plain messages: files, corrections, mails.

use super::{asks, table};
use crate::{
    files::PDF,
    kit::{STORE_EMPLOYEE, TestApp, statements},
    pix,
    support::{id_of, open, reply},
};
use serde_json::json;

#[actix_web::test]
async fn files_corrections_and_mails() {
    let app = statements::counted(TestApp::start()).await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let ticket = id_of(&open(&ana).await);
    let path = format!("/support/upload-image/{ticket}");
    let name = "picture at the message that opened the ticket";
    asks(
        &app,
        &ana,
        name,
        ana.upload(&path, "a.png", "image/png", pix::png(1)),
    )
    .await;
    let of = async |text: &str| {
        let message = reply(&ana, &ticket, text).await["message"]["_id"].clone();
        let to = format!("{path}?messageId={}", message.as_str().unwrap());
        (message, to)
    };
    let (older, to) = of("Veja a foto.").await;
    let name = "picture at a message";
    asks(
        &app,
        &ana,
        name,
        ana.upload(&to, "b.png", "image/png", pix::png(2)),
    )
    .await;
    let (newest, to) = of("E o comprovante.").await;
    let name = "PDF at a message";
    asks(
        &app,
        &ana,
        name,
        ana.upload(&to, "c.pdf", "application/pdf", PDF.to_vec()),
    )
    .await;

    let path = "/support/edit-ticket-message";
    for (message, name) in [
        (newest, "newest message corrected"),
        (older, "older message corrected"),
    ] {
        let body = json!({ "messageId": message, "text": "Corrigido." });
        asks(&app, &ana, name, ana.patch(path, &body)).await;
    }
    let body = json!({ "ticketId": ticket, "text": "Ligue para nós.", "clientId": uuid::Uuid::now_v7() });
    let name = "mail about a ticket";
    asks(&app, &bia, name, bia.post("/support/email-send", &body)).await;
}

/// A message asks little, a file that hangs on it or a mail that goes with it what these take more.
#[test]
fn what_a_ticket_asks_is_bounded() {
    for (route, calls) in table::LINES
        .iter()
        .filter(|(route, _)| route.contains(" /support/"))
    {
        let most = match *route {
            "POST /support/upload-image/{ticketId}" => table::OF_A_FILE,
            "POST /support/email-send" => table::OF_A_LETTER,
            _ => table::OF_A_MESSAGE,
        };
        assert!(
            calls.iter().all(|(_, times)| *times <= most),
            "{route}: {calls:?}"
        );
    }
}
