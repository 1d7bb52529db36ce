//! People who come by an invitation: an account without a password, and the link by which its first one is chosen.

use super::{
    links,
    registration::insert_named,
    rules::{self, Form},
    service::recipient_of,
    store::{self, Account, By, NewAccount},
};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        locale::Locale,
        mail::{self, Mail},
        transaction::Tx,
    },
};
use protocol::{ErrorCode, ids::UserId};
use serde_json::json;

/// Somebody whom staff or the command line invite.
pub struct NewStaff<'a> {
    pub email: &'a str,
    pub full_name: &'a str,
    /// The name of a role.
    pub role: &'a str,
    pub locale: Locale,
    /// Nobody for `server admin create`.
    pub granted_by: Option<UserId>,
}

/// Creates an account without a password and mails its invitation; returns the invitation's address for the command line.
///
/// # Errors
/// `email.invalid`, `email.taken`, `request.invalid` for an unknown role or a bad name.
pub async fn create_staff(
    context: &Context,
    tx: &mut Tx,
    staff: &NewStaff<'_>,
) -> Result<(UserId, String), Error> {
    let mut form = Form::default();
    let full_name = form.line("fullName", staff.full_name, 2, 120);
    form.finish()?;
    let email = rules::email(staff.email)
        .ok_or_else(|| Error::code(ErrorCode::EmailInvalid).field("email", ErrorCode::EmailInvalid))?;
    mail::require_reachable(context, &email).await?;
    let person = NewPerson {
        email: &email,
        full_name: &full_name,
        mobile_number: None,
        locale: staff.locale,
    };
    let account = insert_invited(context, tx, &person).await?;
    let user = account.id;
    // The database lets only the console give a role that decides so: others ask for it, by two.
    let origin = staff.granted_by.is_none().then_some("console");
    give(tx, user, staff.role, staff.granted_by, origin).await?;
    audit::record(
        tx,
        staff.granted_by,
        Some(user.0),
        Category::Roles,
        "user.invited",
        json!({ "role": staff.role }),
    )
    .await?;
    let path = send_invitation(context, tx, &account).await?;
    Ok((user, format!("{}{path}", context.public_url)))
}

/// Somebody who will choose a password by an invitation.
pub(super) struct NewPerson<'a> {
    pub email: &'a str,
    pub full_name: &'a str,
    pub mobile_number: Option<&'a str>,
    pub locale: Locale,
}

/// An account without a password, address, terms or role.
pub(super) async fn insert_invited(
    context: &Context,
    tx: &mut Tx,
    person: &NewPerson<'_>,
) -> Result<Account, Error> {
    let (user, email_key) = (UserId::fresh(), mail::address::key(person.email));
    let new = NewAccount {
        id: user,
        email: person.email,
        email_key: &email_key,
        username: "",
        full_name: person.full_name,
        mobile_number: person.mobile_number,
        password_hash: None,
        locale: person.locale.as_str(),
        confirmed_at: None,
        accepted_at: None,
        terms_version: None,
    };
    insert_named(context, tx, new, None).await?;
    store::account(tx.conn(), By::Id(user))
        .await?
        .ok_or_else(|| Error::internal("an inserted account is missing"))
}

/// Mails the link by which somebody chooses the first password; earlier ones end. Its path below the public URL.
pub(super) async fn send_invitation(
    context: &Context,
    tx: &mut Tx,
    account: &Account,
) -> Result<String, Error> {
    let token = links::create(&context.keys, tx, account.id, links::Purpose::Invitation).await?;
    let path = format!("/new-password/{token}/{}", percent(&account.email));
    let letter = Mail::Invitation { path: path.clone() };
    mail::send(context, tx, &recipient_of(account), &letter).await?;
    Ok(path)
}

/// Gives a role that there is.
pub(super) async fn give(
    tx: &mut Tx,
    user: UserId,
    role: &str,
    by: Option<UserId>,
    origin: Option<&str>,
) -> Result<(), Error> {
    let now = tx.now();
    let given = store::give_role(tx.conn(), user, role, by, origin, now).await?;
    given
        .map(|_| ())
        .ok_or_else(|| Error::code(ErrorCode::RequestInvalid).field("role", ErrorCode::RequestInvalid))
}

/// A path segment: everything but letters, digits and `-._~@` percent-encoded.
fn percent(text: &str) -> String {
    text.bytes()
        .map(|b| {
            if b.is_ascii_alphanumeric() || b"-._~@".contains(&b) {
                char::from(b).to_string()
            } else {
                format!("%{b:02X}")
            }
        })
        .collect()
}
