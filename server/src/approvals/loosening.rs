//! What makes a person's own protection weaker: a higher own limit or none, the whitelist off, a destination more on it.
//!
//! Each asks for the factor (the guard's verdict), takes effect later, is mailed with the moment and a link whose button freezes the
//! account, and closes the trading that other sessions opened. Freezing takes back what is not in force yet ([`Frozen`]). What makes
//! a protection stronger holds at once ([`super::tightening`]); a time out cannot be made shorter at all (2026-11-23).

use super::{guard::Verdict, restraint, unsent, whitelist};
use crate::{
    error::Error,
    foundation::{context::Context, locale::Locale, transaction::Tx},
    identity::service::{self as identity, OnFreeze},
};
use futures_util::future::BoxFuture;
use protocol::ids::{SessionId, UserId};
use time::OffsetDateTime;

/// Whose protection, in which session, and from when it is weaker; `what` names the mail's text.
#[derive(Clone, Copy, Debug)]
pub struct Loosening {
    pub user: UserId,
    pub session: SessionId,
    pub what: &'static str,
    pub from: OffsetDateTime,
}

/// Tells the owner and closes other sessions' trading. Call it in the change itself.
///
/// # Errors
/// Whatever the database refuses.
pub async fn tell(
    context: &Context,
    tx: &mut Tx,
    loosening: &Loosening,
    details: impl FnOnce(Locale) -> Vec<String>,
    _: &Verdict,
) -> Result<(), Error> {
    let account = identity::account_within(tx, loosening.user).await?;
    let locale = Locale::parse(&account.locale).unwrap_or_default();
    unsent::loosened(context, tx, loosening.user, loosening.session).await?;
    identity::loosened(
        context,
        tx,
        &account,
        loosening.what,
        details(locale),
        loosening.from,
    )
    .await
}

/// Takes back what a frozen account's protections would lose.
pub struct Frozen;

impl OnFreeze for Frozen {
    fn frozen<'a>(&'a self, tx: &'a mut Tx, owner: UserId) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            restraint::take_raises_back(tx, owner).await?;
            whitelist::take_loosening_back(tx, owner).await
        })
    }
}
