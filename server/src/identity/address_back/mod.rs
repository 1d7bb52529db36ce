//! The address that an account had, and its way back: the freeze link in that mailbox.
//!
//! Invariants: an address that was confirmed and left is the account's for as long as a link to it lives; nobody else takes it meanwhile (the
//! database, in the words of a taken one). Whoever acts on a freeze link that was mailed there gets it back, whoever changed it and however
//! often; going back undoes all changes since, so that no link to an address in between moves it again. A link to the address that stands,
//! or to one that was undone, freezes and no more. Table: `identity.former_address`.

mod store;

use super::{
    links::{self, Purpose},
    store::Account,
};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        mail::{self, Mail, Recipient},
        transaction::Tx,
    },
};
use serde_json::json;

/// Keeps the address that another one is about to take the place of; call it before the change, with the account locked. One that nobody
/// confirmed is a stranger's: nothing brings it back, and what was mailed there ends. Who returns to an address that is kept undoes the
/// changes since.
///
/// # Errors
/// Whatever the database refuses.
pub(super) async fn leave(tx: &mut Tx, account: &Account, to_key: &str) -> Result<(), Error> {
    if account.email_confirmed_at.is_none() {
        return links::revoke_to(tx, account.id, &mail::address::key(&account.email)).await;
    }
    let now = tx.now();
    if store::undo(tx.conn(), account.id, to_key, now).await?.is_none() {
        store::keep(tx.conn(), account.id, now, now + links::FREEZE_LIFE).await?;
    }
    Ok(())
}

/// Gives the address of a freeze link's mailbox back, if the account has another one since; whether it did. The account is locked; all that
/// lets anybody in by the other mailbox ends, but for what only freezes.
///
/// # Errors
/// Whatever the database refuses.
pub(super) async fn give(
    context: &Context,
    tx: &mut Tx,
    account: &Account,
    mailbox: Option<&str>,
) -> Result<bool, Error> {
    let Some(mailbox) = mailbox.filter(|key| *key != mail::address::key(&account.email)) else {
        return Ok(false);
    };
    let now = tx.now();
    let Some(former) = store::undo(tx.conn(), account.id, mailbox, now).await? else {
        return Ok(false);
    };
    let Some(email) = store::give(tx.conn(), account.id, former, now).await? else {
        return Ok(false);
    };
    mail::move_waiting(tx, account.id, &account.email, Some(&email)).await?;
    for purpose in [Purpose::ConfirmEmail, Purpose::ResetPassword, Purpose::Invitation] {
        links::revoke(tx, account.id, purpose).await?;
    }
    audit::record(
        tx,
        Some(account.id),
        Some(account.id.0),
        Category::Auth,
        "auth.address_given_back",
        json!({}),
    )
    .await?;
    // Whoever reads there may be a thief, or an owner whose other mailbox is in wrong hands: neither name nor link.
    let own = super::service::recipient_of(account);
    let to = Recipient {
        name: account.email.clone(),
        anti_phishing: None,
        ..own
    };
    mail::send(context, tx, &to, &Mail::AddressGivenBack).await?;
    Ok(true)
}

/// Forgets addresses whose time is over.
///
/// # Errors
/// Whatever the database refuses.
pub(super) async fn prune(context: &Context) -> Result<(), Error> {
    store::prune(context.db.pool(), context.now() - super::kept::FORMER_ADDRESSES).await
}
