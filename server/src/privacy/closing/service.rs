//! Asking that one's account be closed, and taking it back.

use super::{
    jobs,
    model::{AskClosing, Closing, ClosingEnd, ClosingView, WaitingClosing},
    rules, store,
};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        job_queue::NewJob,
        mail::{self, Mail},
        text,
        transaction::Tx,
    },
    identity::{
        caller::Caller,
        closing,
        service::{self as identity, OnFreeze},
        signals,
    },
};
use futures_util::future::BoxFuture;
use protocol::{
    ErrorCode,
    ids::{AccountClosingId, UserId},
};
use serde_json::json;

/// Whether one's account can be closed, what is in the way, and the request that waits.
///
/// # Errors
/// Whatever the database refuses.
pub async fn look(context: &Context, owner: UserId) -> Result<ClosingView, Error> {
    let mut tx = context.db.begin().await?;
    let view = seen(&mut tx, owner).await?;
    tx.rollback().await?;
    Ok(view)
}

async fn seen(tx: &mut Tx, owner: UserId) -> Result<ClosingView, Error> {
    let now = tx.now();
    let waiting = store::waiting(tx.conn(), owner).await?;
    Ok(ClosingView {
        waiting: waiting.map(|closing| WaitingClosing {
            asked_at: closing.asked_at,
            due_at: closing.due_at,
        }),
        needs: store::needs(tx.conn(), owner, now).await?,
        wallet: store::has_wallet(tx.conn(), owner).await?,
        wait: rules::WAIT.whole_seconds(),
    })
}

/// Asks that one's account be closed; a job closes it when its day comes.
///
/// # Errors
/// `closing.by_two` for who decides about money; `closing.unsettled` while something is in it or under way; `closing.wallet` for who does not say
/// that their own wallet is settled; `request.conflict` when it was asked already; `password.wrong`, `code.*`.
pub async fn ask(context: &Context, caller: &Caller, body: &AskClosing) -> Result<ClosingView, Error> {
    let owner = caller.user;
    let account = identity::account(&context.db, owner).await?;
    let given = text::paragraph(body.reason.as_deref().unwrap_or_default());
    let reason = text::at_most(given, "reason", text::REASON)?;
    // Before a code is used up.
    let mut look = context.db.begin().await?;
    require(&seen(&mut look, owner).await?, body)?;
    look.rollback().await?;
    let app = body.app_code.as_deref().unwrap_or_default();
    let (password, mailed) = (&body.password, &body.security_code);
    let proof = closing::check(context, &account, caller.session, password, mailed, app).await?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    closing::lock_shown(&mut tx, &account).await?;
    require(&seen(&mut tx, owner).await?, body)?;
    proof.consume(&mut tx).await?;
    let new = Closing {
        id: AccountClosingId::fresh(),
        owner,
        reason: (!reason.is_empty()).then_some(reason),
        asked_at: now,
        due_at: now + rules::WAIT,
    };
    store::insert(tx.conn(), &new).await?;
    let job = NewJob::new(jobs::CLOSE, format!("{}:{}", jobs::CLOSE, new.id), &new.id)?;
    tx.enqueue(job.at(new.due_at));
    let letter = Mail::Closing {
        state: "asked",
        until: Some(new.due_at),
        freeze_path: Some(closing::freeze_path(context, &mut tx, &account).await?),
    };
    mail::send(context, &mut tx, &identity::recipient_of(&account), &letter).await?;
    record(&mut tx, Some(owner), owner, "closing.asked").await?;
    signals::user_changed(&mut tx, owner, "closing");
    let view = seen(&mut tx, owner).await?;
    tx.commit().await?;
    Ok(view)
}

fn require(seen: &ClosingView, body: &AskClosing) -> Result<(), Error> {
    if seen.waiting.is_some() {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    if let Some(code) = rules::refusal(&seen.needs) {
        return Err(Error::code(code));
    }
    if seen.wallet && !body.wallet_settled {
        return Err(Error::code(ErrorCode::ClosingWallet).field("walletSettled", ErrorCode::ClosingWallet));
    }
    Ok(())
}

pub(super) async fn record(
    tx: &mut Tx,
    by: Option<UserId>,
    owner: UserId,
    action: &'static str,
) -> Result<(), Error> {
    audit::record(tx, by, Some(owner.0), Category::Profile, action, json!({})).await
}

/// Takes the request back; nothing happens where none waits.
///
/// # Errors
/// Whatever the database refuses.
pub async fn cancel(context: &Context, owner: UserId) -> Result<ClosingView, Error> {
    let mut tx = context.db.begin().await?;
    closing::lock_account(&mut tx, owner).await?;
    if call_off(&mut tx, owner, Some(owner)).await? {
        let to = identity::recipient(&mut tx, owner).await?;
        mail::send(context, &mut tx, &to, &told(ClosingEnd::Cancelled)).await?;
    }
    let view = seen(&mut tx, owner).await?;
    tx.commit().await?;
    Ok(view)
}

/// What its owner reads about the end.
pub(super) const fn told(end: ClosingEnd) -> Mail {
    Mail::Closing {
        state: end.as_str(),
        until: None,
        freeze_path: None,
    }
}

/// Whether a request waited. The account is locked.
async fn call_off(tx: &mut Tx, owner: UserId, by: Option<UserId>) -> Result<bool, Error> {
    let now = tx.now();
    let Some(closing) = store::waiting(tx.conn(), owner).await? else {
        return Ok(false);
    };
    if !store::end(tx.conn(), closing.id, ClosingEnd::Cancelled, now).await? {
        return Ok(false);
    }
    record(tx, by, owner, "closing.cancelled").await?;
    signals::user_changed(tx, owner, "closing");
    Ok(true)
}

/// A freeze cancels: whoever asked may not have been the owner.
pub struct Frozen;

impl OnFreeze for Frozen {
    fn frozen<'a>(&'a self, tx: &'a mut Tx, owner: UserId) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            // Like who closes: the account first.
            closing::lock_account(tx, owner).await?;
            call_off(tx, owner, Some(owner)).await?;
            Ok(())
        })
    }
}
