//! People whom staff make: invited by mail, placed like whoever registers.
//!
//! Invariants: the account, its place in the sponsor tree, its roles and the invitation are one transaction; a role that decides is asked
//! for, not given ([`grants`]); accepting the invitation confirms the address, so it gives the member a place in the tree. Tables: those of
//! the network and of identity.

pub mod routes;

use super::{
    service::{self, place},
    store,
};
use crate::{
    approvals::grants::service::{self as grants, Wanted},
    error::Error,
    foundation::{context::Context, locale::Locale, mail},
    identity::{
        Browser,
        people::{self, Invited},
        roles,
        rules::{self, Form},
        service::{self as identity, HOUSE, NewPassword, SignedIn},
    },
};
use protocol::{
    ErrorCode,
    ids::{RoleId, UserId},
    views::AdminGrantView,
};
use serde::{Deserialize, Serialize};

/// Somebody whom staff make.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewUser {
    pub full_name: String,
    pub email: String,
    #[serde(default)]
    pub mobile_number: Option<String>,
    /// Of the invitation and of the first visit; Portuguese when absent.
    #[serde(default)]
    pub locale: Option<Locale>,
    /// Username of the upline; the house when absent.
    #[serde(default)]
    pub sponsor: Option<String>,
    /// A customer when absent. Others than a customer's are given by those who hold `admin_permissions`.
    #[serde(default)]
    pub roles: Vec<RoleId>,
}

/// Who was made. An invitation is on its way.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct NewUserAnswer {
    #[serde(rename = "_id")]
    pub id: UserId,
    pub username: String,
    /// With 202: roles that decide wait for a second person; until then the person has the others, or a customer's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<AdminGrantView>,
}

/// Makes a person under an upline, with the invitation that leads to the first password.
///
/// # Errors
/// `email.invalid`, `email.taken`, `upline.unknown`, `request.invalid`, at their fields; `auth.forbidden` at `roles` for one that the
/// actor may not give; `decision.*`.
pub async fn invite(context: &Context, actor: UserId, new: &NewUser) -> Result<NewUserAnswer, Error> {
    let mut form = Form::default();
    let full_name = form.line("fullName", &new.full_name, 2, 120);
    let email = rules::email(&new.email).unwrap_or_else(|| {
        form.refuse("email", ErrorCode::EmailInvalid);
        String::new()
    });
    let mobile_number = form.phone("mobileNumber", new.mobile_number.as_deref().unwrap_or_default());
    let named = new.sponsor.as_deref().map(|s| s.trim().trim_start_matches('@'));
    let sponsor = match named.filter(|name| !name.is_empty()) {
        None => HOUSE,
        Some(name) => match service::upline(context, name).await {
            Ok((id, _)) => id,
            Err(error) if error.error_code() == ErrorCode::UplineUnknown => {
                form.refuse("sponsor", ErrorCode::UplineUnknown);
                HOUSE
            }
            Err(error) => return Err(error),
        },
    };
    form.finish()?;
    mail::require_reachable(context, &email).await?;
    let person = Invited {
        full_name,
        email,
        mobile_number,
        locale: new.locale.unwrap_or_default(),
    };
    let mut tx = context.db.begin().await?;
    roles::lock(&mut tx).await?;
    if !new.roles.is_empty() {
        grants::require_unfrozen(&mut tx, actor).await?;
    }
    let account = people::create(context, &mut tx, actor, &person).await?;
    let now = tx.now();
    store::insert(tx.conn(), account.id, sponsor, None, now).await?;
    let deciding = roles::begin(&mut tx, actor, account.id, &new.roles).await?;
    let request = if deciding.is_empty() {
        None
    } else {
        Some(grants::ask(context, &mut tx, actor, account.id, Wanted::add(deciding)).await?)
    };
    tx.commit().await?;
    Ok(NewUserAnswer {
        id: account.id,
        username: account.username,
        request,
    })
}

/// Accepts an invitation: the first password, a session, and for a member who waited for it a place.
///
/// # Errors
/// `link.invalid`, `password.*`.
pub async fn accept(
    context: &Context,
    token: &str,
    email: &str,
    new: &NewPassword,
    browser: &Browser,
) -> Result<(UserId, Option<SignedIn>), Error> {
    let accepted = identity::invited(context, token, email, new).await?;
    let mut tx = context.db.begin().await?;
    let (user, session) = identity::accept_invitation(context, &mut tx, accepted, browser).await?;
    let member = store::member(tx.conn(), user).await?;
    if member.is_some_and(|m| m.confirmed_at.is_none()) {
        let now = tx.now();
        store::confirm(tx.conn(), user, now).await?;
        place(context, &mut tx, user).await?;
    }
    tx.commit().await?;
    Ok((user, session))
}
