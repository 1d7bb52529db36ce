//! The mailbox page of a demo world: outgoing mail, its codes and links, while there is no SMTP server. Never mounted in production.

use super::{address, store};
use crate::{
    error::Error,
    foundation::context::{Context, World},
};
use actix_web::{HttpResponse, web};
use askama::Template;
use serde::{Deserialize, Serialize};
use time::macros::format_description;

/// Mounts the page below `/dev`; does nothing in production or when mail is really sent.
pub fn configure(cfg: &mut web::ServiceConfig, context: &Context) {
    if context.world == World::Demo && context.mailbox {
        cfg.route("/dev/mailbox", web::get().to(page))
            .route("/dev/mailbox.json", web::get().to(list));
    }
}

#[derive(Deserialize)]
struct Filter {
    #[serde(default)]
    to: Option<String>,
}

struct Piece {
    text: String,
    link: bool,
}

struct Shown {
    subject: String,
    recipient: String,
    template: String,
    at: String,
    pieces: Vec<Piece>,
}

#[derive(Template)]
#[template(path = "mailbox.html")]
struct Page {
    brand: String,
    nonce: String,
    to: String,
    mails: Vec<Shown>,
}

/// A text cut at its links to our own pages.
fn pieces(text: &str, public_url: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(public_url) {
        let (before, link) = rest.split_at(at);
        let end = link.find(char::is_whitespace).unwrap_or(link.len());
        let (link, after) = link.split_at(end);
        found.push(Piece {
            text: before.to_owned(),
            link: false,
        });
        found.push(Piece {
            text: link.to_owned(),
            link: true,
        });
        rest = after;
    }
    found.push(Piece {
        text: rest.to_owned(),
        link: false,
    });
    found
}

async fn newest(context: &Context, filter: &Filter) -> Result<Vec<store::Stored>, Error> {
    let to = filter.to.as_deref().map(address::key).filter(|to| !to.is_empty());
    store::newest(context.db.pool(), to.as_deref(), 100).await
}

async fn page(context: web::Data<Context>, filter: web::Query<Filter>) -> Result<HttpResponse, Error> {
    let mails = newest(&context, &filter).await?;
    let format = format_description!("[year]-[month]-[day] [hour]:[minute]:[second]");
    let nonce = data_encoding::BASE64URL_NOPAD.encode(&rand::random::<[u8; 16]>());
    let page = Page {
        brand: context
            .settings
            .current(context.now())
            .await?
            .settings
            .brand
            .clone(),
        nonce: nonce.clone(),
        to: filter.to.clone().unwrap_or_default(),
        mails: mails
            .into_iter()
            .map(|m| Shown {
                pieces: pieces(&m.text_body, &context.public_url),
                at: m.created_at.format(format).unwrap_or_default(),
                subject: m.subject,
                recipient: m.recipient,
                template: m.template,
            })
            .collect(),
    };
    let body = page
        .render()
        .map_err(|e| Error::internal(format!("the mailbox cannot be shown: {e}")))?;
    let policy =
        format!("default-src 'none'; style-src 'nonce-{nonce}'; form-action 'self'; frame-ancestors 'none'");
    Ok(HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header(("Cache-Control", "no-store"))
        .insert_header(("Referrer-Policy", "no-referrer"))
        .insert_header(("Content-Security-Policy", policy))
        .body(body))
}

/// One mail as the browser tests read it.
#[derive(Serialize)]
struct Item {
    id: uuid::Uuid,
    recipient: String,
    template: String,
    subject: String,
    text: String,
    #[serde(with = "time::serde::rfc3339")]
    at: time::OffsetDateTime,
}

async fn list(context: web::Data<Context>, filter: web::Query<Filter>) -> Result<HttpResponse, Error> {
    let items: Vec<Item> = newest(&context, &filter)
        .await?
        .into_iter()
        .map(|m| Item {
            id: m.id,
            recipient: m.recipient,
            template: m.template,
            subject: m.subject,
            text: m.text_body,
            at: m.created_at,
        })
        .collect();
    Ok(HttpResponse::Ok()
        .insert_header(("Cache-Control", "no-store"))
        .json(items))
}
