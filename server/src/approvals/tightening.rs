//! What makes a person's own protection stronger: a lower own limit, the whitelist on, a time out.
//!
//! It holds at once, and a session in other hands could shut its owner out of their own money by it, for a year. So it asks for the factor,
//! bound to what is asked, and is mailed with a link whose button freezes the account (2026-11-26). For nothing else: neither a hold nor a pause
//! keeps anybody from holding themselves to more.

use super::guard::binding;
use crate::{
    error::Error,
    foundation::{context::Context, locale::Locale, transaction::Tx},
    identity::service::{self as identity, Purpose},
};
use protocol::ids::UserId;

/// Whose protection, and what the code binds; `what` names the mail's text.
#[derive(Clone, Copy, Debug)]
pub struct Tightening<'a> {
    pub user: UserId,
    pub what: &'static str,
    pub purpose: Purpose,
    pub destination: &'a str,
    pub amount: &'a str,
    pub security_code: Option<&'a str>,
}

/// Uses the factor up and tells the owner. Call it in the change itself.
///
/// # Errors
/// `code.*`, `request.rate_limited`.
pub async fn pass(
    context: &Context,
    tx: &mut Tx,
    tightening: &Tightening<'_>,
    details: impl FnOnce(Locale) -> Vec<String>,
) -> Result<(), Error> {
    let account = identity::account_within(tx, tightening.user).await?;
    let purpose = tightening.purpose;
    let binding = binding(purpose, tightening.destination, tightening.amount);
    let code = tightening.security_code.unwrap_or_default();
    identity::check_factor(context, &account, purpose, &binding, code)
        .await?
        .consume(tx)
        .await?;
    let locale = Locale::parse(&account.locale).unwrap_or_default();
    identity::tightened(context, tx, &account, tightening.what, details(locale)).await
}
