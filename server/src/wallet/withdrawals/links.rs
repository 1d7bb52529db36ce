//! The mailed link whose button sends a withdrawal on to the approvers: only its hash is kept, only the newest is good.

use super::{
    screen::{mailed_value, shown_amount},
    service::Crypto,
    store,
};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        mail::{self, Mail, Recipient},
        transaction::Tx,
    },
    identity::{caller::Scope, secrets, service as identity},
    payouts::{refuse_state, rules::State, service as payouts, store::Rows},
};
use protocol::{
    ErrorCode,
    ids::{ChainWithdrawalId, UserId},
    views::ChainWithdrawalView,
};
use serde_json::json;
use time::Duration;

/// A link that was just made.
pub struct Link {
    pub token: String,
    pub hash: [u8; 32],
}

fn hashed(context: &Context, token: &str) -> [u8; 32] {
    secrets::mac(&context.keys, "withdrawal-link", &[token.as_bytes()])
}

pub(super) fn fresh(context: &Context) -> Link {
    let token = secrets::token();
    Link {
        hash: hashed(context, &token),
        token,
    }
}

/// Mails a link. `to`: its owner, where that was read already.
///
/// # Errors
/// `request.rate_limited` above the hour's mails.
pub(super) async fn send(
    context: &Context,
    tx: &mut Tx,
    view: &ChainWithdrawalView,
    link: &Link,
    to: Option<&Recipient>,
) -> Result<(), Error> {
    let to = match to {
        Some(to) => to.clone(),
        None => identity::recipient(tx, view.user).await?,
    };
    let mail = Mail::CryptoWithdrawalLink {
        value: mailed_value(view),
        fee: view.fee,
        receives: shown_amount(&view.amount, view.coin),
        address: view.address.clone(),
        path: format!("/wallet/my-withdrawals?confirm={}.{}", view.id, link.token),
        until: view.expires_at,
    };
    mail::send(context, tx, &to, &mail).await?;
    Ok(())
}

/// A fresh link with its full time; the one before it is good for nothing any more.
///
/// # Errors
/// `request.not_found`; `withdrawal.state` once it is confirmed; `request.rate_limited`.
pub async fn resend(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    id: ChainWithdrawalId,
) -> Result<ChainWithdrawalView, Error> {
    let payout = payouts::lock::<Crypto>(tx, Scope::Own(owner), id).await?;
    let now = tx.now();
    if payout.state != State::AwaitingEmail || payout.expires_at <= now {
        return Err(refuse_state());
    }
    let in_force = context.settings.within(tx).await?;
    let until = now + Duration::minutes(in_force.settings.withdrawal_link_minutes);
    let link = fresh(context);
    store::set_link(tx.conn(), id, &link.hash, until).await?;
    let view = payouts::tell::<Crypto>(context, tx, id, None).await?;
    send(context, tx, &view, &link, None).await?;
    Ok(view)
}

/// The mailed link's button: into the approvers' queue. Opening the link alone never comes here.
///
/// # Errors
/// `link.invalid` for a token that is old, used, somebody else's; `withdrawal.state` once its time is over.
pub async fn confirm(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    token: &str,
) -> Result<ChainWithdrawalView, Error> {
    let invalid = || Error::code(ErrorCode::LinkInvalid);
    if token.len() > 64 {
        return Err(invalid());
    }
    let hash = hashed(context, token);
    // Another may use it at the same moment: the row is locked as it then stands, with a link or without.
    let id = store::by_link(tx.conn(), owner, &hash)
        .await?
        .ok_or_else(invalid)?;
    let payout = Crypto::lock(tx.conn(), Scope::Own(owner), id)
        .await?
        .ok_or_else(invalid)?;
    let same = payout
        .own
        .link
        .as_deref()
        .is_some_and(|kept| secrets::same(kept, &hash));
    if payout.state != State::AwaitingEmail || !same {
        return Err(invalid());
    }
    let now = tx.now();
    if payout.expires_at <= now {
        return Err(refuse_state());
    }
    let in_force = context.settings.within(tx).await?;
    let until = now + Duration::days(in_force.settings.crypto_withdrawal_days);
    store::confirm(tx.conn(), id, now, until).await?;
    payouts::record::<Crypto>(tx, Some(owner), owner, "confirm", json!({ "withdrawal": id })).await?;
    payouts::tell::<Crypto>(context, tx, id, None).await
}
