//! Asking that one's account be closed, and taking it back.

use super::{
    jobs,
    model::{
        AskClosing, Closing, ClosingEnd, ClosingLeft, ClosingNeed, ClosingNeedView, ClosingView, LeftBehind,
        WaitingClosing,
    },
    rules::{self, Smallest},
    store,
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
        service::{self as identity, OnOtherHands},
        signals,
    },
    ledger::service as ledger,
    wallet::withdrawals::rules::PYX_MINIMUM,
};
use futures_util::future::BoxFuture;
use protocol::{
    ErrorCode,
    ids::{AccountClosingId, UserId},
    money::Usdt,
};
use serde_json::json;

/// Whether one's account can be closed, what is in the way, and the request that waits.
///
/// # Errors
/// Whatever the database refuses.
pub async fn look(context: &Context, owner: UserId) -> Result<ClosingView, Error> {
    let mut tx = context.db.begin().await?;
    let view = seen(context, &mut tx, owner).await?;
    tx.rollback().await?;
    Ok(view)
}

/// All that stands in the way, and what of it may be left to the house.
pub(super) async fn needs(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
) -> Result<Vec<ClosingNeedView>, Error> {
    let now = tx.now();
    let in_force = context.settings.within(tx).await?;
    let mut needs = store::needs(tx.conn(), owner, now).await?;
    let is = |what: ClosingNeed| needs.iter().any(|need| need.what == what);
    let (ranks, coins) = (is(ClosingNeed::Ranks), is(ClosingNeed::Pyx));
    let pyx_free = if coins {
        let held = ledger::pyx_balances(tx.conn(), owner).await?;
        held.locked.is_zero() && held.held.is_zero()
    } else {
        false
    };
    let smallest = Smallest {
        usdt: in_force.settings.withdrawal_minimum,
        pyx: PYX_MINIMUM,
        pyx_free,
        ranks_untouched: ranks && store::ranks_untouched(tx.conn(), owner).await?,
    };
    for need in &mut needs {
        need.leavable = rules::is_leavable(need, &smallest);
    }
    Ok(needs)
}

async fn seen(context: &Context, tx: &mut Tx, owner: UserId) -> Result<ClosingView, Error> {
    let needs = needs(context, tx, owner).await?;
    let waiting = store::waiting(tx.conn(), owner).await?;
    let left = waiting.as_ref().map(Closing::left);
    Ok(ClosingView {
        left: left
            .filter(|left| *left != LeftBehind::default())
            .map(|left| ClosingLeft {
                available: left.available,
                pyx: left.pyx,
                ranks: left.ranks,
            }),
        waiting: waiting.map(|closing| WaitingClosing {
            asked_at: closing.asked_at,
            due_at: closing.due_at,
        }),
        needs,
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
    require(&seen(context, &mut look, owner).await?, body)?;
    look.rollback().await?;
    let app = body.app_code.as_deref().unwrap_or_default();
    let (password, mailed) = (&body.password, &body.security_code);
    let proof = closing::check(context, &account, caller.session, password, mailed, app).await?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    closing::lock_shown(&mut tx, &account).await?;
    let left = require(&seen(context, &mut tx, owner).await?, body)?;
    proof.consume(&mut tx).await?;
    let new = Closing {
        id: AccountClosingId::fresh(),
        owner,
        reason: (!reason.is_empty()).then_some(reason),
        asked_at: now,
        due_at: now + rules::WAIT,
        left_available: left.available,
        left_pyx: left.pyx,
        left_ranks: left.ranks,
    };
    store::insert(tx.conn(), &new).await?;
    let job = NewJob::new(jobs::CLOSE, format!("{}:{}", jobs::CLOSE, new.id), &new.id)?;
    tx.enqueue(job.at(new.due_at));
    let letter = Mail::Closing {
        state: "asked",
        until: Some(new.due_at),
        left: written(left),
        freeze_path: Some(closing::freeze_path(context, &mut tx, &account).await?),
    };
    mail::send(context, &mut tx, &identity::recipient_of(&account), &letter).await?;
    record(&mut tx, Some(owner), owner, "closing.asked").await?;
    signals::user_changed(&mut tx, owner, "closing");
    let view = seen(context, &mut tx, owner).await?;
    tx.commit().await?;
    Ok(view)
}

/// What stays with the house; all else is settled.
fn require(seen: &ClosingView, body: &AskClosing) -> Result<LeftBehind, Error> {
    if seen.waiting.is_some() {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    let left = rules::left(&seen.needs, body.left.unwrap_or_default());
    if let Some(code) = rules::refusal(&rules::beside(&seen.needs, left)) {
        return Err(Error::code(code));
    }
    if seen.wallet && !body.wallet_settled {
        return Err(Error::code(ErrorCode::ClosingWallet).field("walletSettled", ErrorCode::ClosingWallet));
    }
    Ok(left)
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
    call_off(context, &mut tx, owner, Some(owner)).await?;
    let view = seen(context, &mut tx, owner).await?;
    tx.commit().await?;
    Ok(view)
}

/// What its owner reads about the end; the last word of it is the receipt for what they left.
pub(super) fn told(end: ClosingEnd, left: LeftBehind) -> Mail {
    Mail::Closing {
        state: end.as_str(),
        until: None,
        left: written(left),
        freeze_path: None,
    }
}

/// As a mail has it: what of, and how much.
fn written(left: LeftBehind) -> Vec<(&'static str, String)> {
    let usdt = |sum: Usdt| format!("{sum} USDT");
    [
        ("details.left_balance", left.available.map(usdt)),
        ("details.left_pyx", left.pyx.map(|pyx| format!("{pyx} PYX"))),
        ("details.left_ranks", left.ranks.map(usdt)),
    ]
    .into_iter()
    .filter_map(|(what, sum)| Some((what, sum?)))
    .collect()
}

/// Calls off the request that waits, if one does, and tells its owner. The account is locked.
async fn call_off(context: &Context, tx: &mut Tx, owner: UserId, by: Option<UserId>) -> Result<(), Error> {
    let now = tx.now();
    let Some(closing) = store::waiting(tx.conn(), owner).await? else {
        return Ok(());
    };
    if !store::end(tx.conn(), closing.id, ClosingEnd::Cancelled, now).await? {
        return Ok(());
    }
    record(tx, by, owner, "closing.cancelled").await?;
    let to = identity::recipient(tx, owner).await?;
    mail::send(
        context,
        tx,
        &to,
        &told(ClosingEnd::Cancelled, LeftBehind::default()),
    )
    .await?;
    signals::user_changed(tx, owner, "closing");
    Ok(())
}

/// Whoever has the account by now may not be who asked.
pub struct Asked;

impl OnOtherHands for Asked {
    fn changed<'a>(
        &'a self,
        context: &'a Context,
        tx: &'a mut Tx,
        owner: UserId,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(call_off(context, tx, owner, None))
    }
}
