//! What stands before outgoing money, over HTTP: codes, one's own limits and holds, whitelist.

use super::{
    compliance, grants,
    guard::{self, Action, Outbound, state::OutboundState},
    looking, restraint,
    whitelist::{self, WhitelistView},
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{context::Context, text},
    identity::{
        caller::{Caller, Completeness},
        service::{PasskeyRequest, Purpose},
    },
};
use actix_web::{HttpResponse, get, post, web};
use protocol::{ErrorCode, ids::WhitelistId, money::Usdt};
use serde::{Deserialize, Serialize};

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(security_code)
        .service(ask_passkey)
        .service(outbound_state)
        .service(list)
        .service(add)
        .service(remove)
        .service(switch_on)
        .service(switch_off)
        .service(looking::begin)
        .service(looking::end);
    grants::routes::configure(cfg);
    compliance::routes::configure(cfg);
    restraint::routes::configure(cfg);
}

/// What the code is for. Money's codes name what they authorise; the mail shows it.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeBody {
    pub purpose: Purpose,
    /// Where it goes: an address, a PIX key, a username; of a whitelist `add:` or `remove:` with the destination behind it, `on` or `off`; of a
    /// limit of one's own its kind; of a look at an account its username; of a time out `exclusion`, with its days as the amount.
    #[serde(default)]
    pub destination: Option<String>,
    /// How much, as the call itself will say it, with its coin unless that is USDT.
    #[serde(default)]
    pub amount: Option<String>,
}

/// How the person proves to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CodeMethod {
    /// A code was mailed.
    Email,
    /// The authenticator app's code is asked for; nothing was mailed.
    App,
    /// The call mails a link that confirms it; no code is needed.
    Link,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CodeAnswer {
    pub method: CodeMethod,
}

fn part(name: &'static str, given: Option<&str>, most: usize) -> Result<String, Error> {
    let text = text::line(given.unwrap_or_default())
        .ok_or_else(|| Error::code(ErrorCode::RequestInvalid).field(name, ErrorCode::RequestInvalid))?;
    if text.chars().count() > most {
        return Err(Error::code(ErrorCode::RequestInvalid).field(name, ErrorCode::RequestInvalid));
    }
    Ok(text)
}

/// Mails a six-digit code for one purpose, bound to what it authorises. Where the authenticator app is on, money asks for the
/// app's code instead and nothing is mailed.
#[utoipa::path(tag = "account", security(("bearer" = [])), request_body = CodeBody, responses(
    (status = 200, body = CodeAnswer), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/security-code")]
pub(super) async fn security_code(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<CodeBody>,
) -> Result<web::Json<CodeAnswer>, Error> {
    // Whoever leaves confirms and accepts nothing any more; all else needs both.
    if body.purpose != Purpose::CloseAccount {
        if !caller.email_confirmed {
            return Err(Error::code(ErrorCode::EmailUnconfirmed));
        }
        if caller.completeness == Completeness::Incomplete {
            return Err(Error::code(ErrorCode::ProfileIncomplete));
        }
    }
    let destination = part("destination", body.destination.as_deref(), 200)?;
    let amount = part("amount", body.amount.as_deref(), 60)?;
    let asked = guard::Asked {
        purpose: body.purpose,
        destination: &destination,
        amount: &amount,
    };
    let method = guard::send_code(&context, caller.user, caller.session, &asked).await?;
    Ok(web::Json(CodeAnswer { method }))
}

/// Asks for a passkey's word on one purpose, bound to what it authorises as the mailed code would be: what a page hands to
/// `navigator.credentials.get`. Its answer becomes a proof (`POST /security-code/passkey/proof`) that stands where the code does.
#[utoipa::path(tag = "account", security(("bearer" = [])), request_body = CodeBody, responses(
    (status = 200, body = PasskeyRequest), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/security-code/passkey")]
pub(super) async fn ask_passkey(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<CodeBody>,
) -> Result<web::Json<PasskeyRequest>, Error> {
    let destination = part("destination", body.destination.as_deref(), 200)?;
    let amount = part("amount", body.amount.as_deref(), 60)?;
    let asked = guard::Asked {
        purpose: body.purpose,
        destination: &destination,
        amount: &amount,
    };
    Ok(web::Json(
        guard::ask_passkey(&context, caller.user, caller.session, &asked).await?,
    ))
}

/// What stands between oneself and outgoing money: factor, hold, pause, debt, young money, limits.
#[utoipa::path(tag = "account", security(("bearer" = [])), responses((status = 200, body = OutboundState)))]
#[get("/outbound-state")]
pub(super) async fn outbound_state(
    context: web::Data<Context>,
    caller: Caller,
) -> Result<web::Json<OutboundState>, Error> {
    Ok(web::Json(guard::state::of(&context, &caller).await?))
}

/// One's own list of destinations.
#[utoipa::path(tag = "account", security(("bearer" = [])), responses((status = 200, body = WhitelistView)))]
#[get("/whitelist")]
pub(super) async fn list(
    context: web::Data<Context>,
    caller: Caller,
) -> Result<web::Json<WhitelistView>, Error> {
    let mut tx = context.db.begin().await?;
    let view = whitelist::view(&mut tx, caller.user).await?;
    tx.rollback().await?;
    Ok(web::Json(view))
}

/// A destination to be listed. Its code binds `add:` and the destination.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewDestination {
    pub kind: whitelist::Kind,
    pub destination: String,
    #[serde(default)]
    pub label: String,
    pub security_code: Option<String>,
}

/// Lists a destination; it may be used a day later.
#[utoipa::path(tag = "account", security(("bearer" = [])), responses(
    (status = 201, body = WhitelistView), (status = 403, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/whitelist")]
pub(super) async fn add(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<NewDestination>,
) -> Result<HttpResponse, Error> {
    let destination = whitelist::read(
        &context,
        body.kind,
        &part("destination", Some(&body.destination), 200)?,
    )?;
    let label = part("label", Some(&body.label), 60)?;
    // The code binds what was typed.
    let typed = destination.written();
    let destination = whitelist::found(&context, caller.user, destination).await?;
    let mut tx = context.db.begin().await?;
    let out = change(
        &caller,
        Action::WhitelistAddition,
        "add:",
        &typed,
        body.security_code.as_deref(),
    );
    let verdict = guard::outbound(&context, &mut tx, &out.asked()).await?;
    let new = whitelist::NewEntry {
        kind: body.kind,
        destination,
        label: &label,
    };
    whitelist::add(&context, &mut tx, caller.user, caller.session, &new, &verdict).await?;
    let view = whitelist::view(&mut tx, caller.user).await?;
    tx.commit().await?;
    Ok(HttpResponse::Created().json(view))
}

/// A change of the list as the guard sees it.
struct Change<'a> {
    user: protocol::ids::UserId,
    action: Action,
    destination: String,
    code: Option<&'a str>,
}

fn change<'a>(
    caller: &Caller,
    action: Action,
    prefix: &str,
    destination: &str,
    code: Option<&'a str>,
) -> Change<'a> {
    Change {
        user: caller.user,
        action,
        destination: format!("{prefix}{destination}"),
        code,
    }
}

impl Change<'_> {
    fn asked(&self) -> Outbound<'_> {
        Outbound {
            user: self.user,
            action: self.action,
            destination: &self.destination,
            amount: "",
            usdt: Usdt::ZERO,
            drawn: None,
            counterparty: None,
            security_code: self.code,
        }
    }
}

/// The code of a change; it binds `remove:` and the destination, `on` or `off`.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ChangeCode {
    pub security_code: Option<String>,
}

/// Takes a destination off the list.
#[utoipa::path(tag = "account", security(("bearer" = [])), params(("id" = String, Path)), responses(
    (status = 200, body = WhitelistView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/whitelist/{id}/remove")]
pub(super) async fn remove(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
    body: web::Json<ChangeCode>,
) -> Result<web::Json<WhitelistView>, Error> {
    let unknown = || Error::code(ErrorCode::RequestNotFound);
    let id: WhitelistId = id.parse().map_err(|_| unknown())?;
    let mut tx = context.db.begin().await?;
    let destination = whitelist::shown(&mut tx, caller.user, id)
        .await?
        .ok_or_else(unknown)?;
    let out = change(
        &caller,
        Action::WhitelistRemoval,
        "remove:",
        &destination,
        body.security_code.as_deref(),
    );
    let verdict = guard::outbound(&context, &mut tx, &out.asked()).await?;
    if !whitelist::remove(&mut tx, caller.user, id, &verdict).await? {
        return Err(unknown());
    }
    let view = whitelist::view(&mut tx, caller.user).await?;
    tx.commit().await?;
    Ok(web::Json(view))
}

/// Switches the list on, at once.
#[utoipa::path(tag = "account", security(("bearer" = [])), responses(
    (status = 200, body = WhitelistView), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/whitelist/on")]
pub(super) async fn switch_on(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<ChangeCode>,
) -> Result<web::Json<WhitelistView>, Error> {
    let mut tx = context.db.begin().await?;
    whitelist::switch_on(&context, &mut tx, caller.user, body.security_code.as_deref()).await?;
    let view = whitelist::view(&mut tx, caller.user).await?;
    tx.commit().await?;
    Ok(web::Json(view))
}

/// Switches the list off; it stays in force for a day.
#[utoipa::path(tag = "account", security(("bearer" = [])), responses(
    (status = 200, body = WhitelistView), (status = 403, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/whitelist/off")]
pub(super) async fn switch_off(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<ChangeCode>,
) -> Result<web::Json<WhitelistView>, Error> {
    let mut tx = context.db.begin().await?;
    let out = change(
        &caller,
        Action::WhitelistRemoval,
        "off",
        "",
        body.security_code.as_deref(),
    );
    let verdict = guard::outbound(&context, &mut tx, &out.asked()).await?;
    whitelist::switch_off(&context, &mut tx, caller.user, caller.session, &verdict).await?;
    let view = whitelist::view(&mut tx, caller.user).await?;
    tx.commit().await?;
    Ok(web::Json(view))
}
