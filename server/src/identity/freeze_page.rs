//! The page behind a mail's "it was not me": plain HTML, no script, so that it works when nothing else does. Opening it changes
//! nothing; its button does.

use super::{links, sign_in, signals::Signals};
use crate::{
    error::Error,
    foundation::{context::Context, locale::Locale},
};
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;

/// Mounts the page; it stands outside `/api`, where its form can post to itself.
pub fn configure(cfg: &mut web::ServiceConfig) {
    cfg.service(
        web::resource("/freeze/{token}")
            .route(web::get().to(show))
            .route(web::post().to(act)),
    );
}

#[derive(Template)]
#[template(path = "freeze.html")]
struct Page<'a> {
    lang: &'a str,
    brand: &'a str,
    demo: Option<&'a str>,
    nonce: &'a str,
    title: &'a str,
    text: &'a str,
    button: Option<&'a str>,
}

enum State {
    Asks,
    Done,
    /// Done, and the account has this mailbox's address again.
    GivenBack,
    Bad,
}

async fn page(context: &Context, locale: Locale, state: State) -> Result<HttpResponse, Error> {
    let settings = context.settings.current(context.now()).await?;
    let nonce = data_encoding::BASE64URL_NOPAD.encode(&rand::random::<[u8; 16]>());
    let text = |key: &str| locale.text("freeze", key);
    let (key, button) = match state {
        State::Asks => ("asks", Some(text("button"))),
        State::Done => ("done", None),
        State::GivenBack => ("given_back", None),
        State::Bad => ("bad", None),
    };
    let demo = context.world == crate::foundation::context::World::Demo;
    let body = Page {
        lang: locale.as_str(),
        brand: &settings.settings.brand,
        demo: demo.then(|| locale.text("mail", "demo")),
        nonce: &nonce,
        title: text("title"),
        text: text(key),
        button,
    }
    .render()
    .map_err(|e| Error::internal(format!("a page cannot be shown: {e}")))?;
    Ok(HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header(("Cache-Control", "no-store"))
        .insert_header(("Referrer-Policy", "no-referrer"))
        .insert_header(("X-Frame-Options", "DENY"))
        .insert_header((
            "Content-Security-Policy",
            format!(
                "default-src 'none'; style-src 'nonce-{nonce}'; form-action 'self'; frame-ancestors 'none'"
            ),
        ))
        .body(body))
}

async fn show(
    context: web::Data<Context>,
    req: HttpRequest,
    token: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let link = links::find(&context.keys, context.db.pool(), &token).await?;
    let good = link.is_some_and(|l| l.purpose == links::Purpose::Freeze && l.is_good(context.now()));
    page(
        &context,
        Locale::of_request(req.headers()),
        if good { State::Asks } else { State::Bad },
    )
    .await
}

async fn act(
    context: web::Data<Context>,
    signals: Signals,
    req: HttpRequest,
    token: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let state = match sign_in::freeze(&context, &signals, &token).await {
        Ok(true) => State::GivenBack,
        Ok(false) => State::Done,
        Err(error) if error.error_code() == protocol::ErrorCode::LinkInvalid => State::Bad,
        Err(error) => return Err(error),
    };
    page(&context, Locale::of_request(req.headers()), state).await
}
