//! Closing an account when its day has come.

use super::{
    model::{Closing, ClosingEnd, LeftBehind},
    rules,
    service::{needs, record, told},
    store,
};
use crate::{
    affiliates::graduations::service as graduations,
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        job_queue::{self, Claimed, NewJob},
        mail,
        transaction::Tx,
    },
    identity::{closing, roles, service as identity, signals},
    ledger::{
        model::{AccountRef, Cause, CauseKind, HouseAccount, Orderer, Transfer, TransferKind, UserAccount},
        service as ledger,
    },
};
use protocol::{LiveEvent, Permission, StreamId, ids::AccountClosingId};
use serde_json::json;

/// A job of this kind closes an account whose owner asked for it.
pub const CLOSE: &str = "privacy.close_account";

/// A job of this kind tells of requests that wait though their day is well over.
pub const LATE: &str = "privacy.late_closings";

/// Tells everyone who decides of each request that is late, once. By itself, not by the job that closes: that may have been given up.
///
/// # Errors
/// Whatever the database refuses.
pub async fn look(context: &Context, job: &Claimed) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let late = store::mark_late(tx.conn(), now - closing::LATE, now).await?;
    if !late.is_empty() {
        for person in roles::holders(tx.conn(), Permission::AdminPermissions.as_str()).await? {
            for (user, since) in &late {
                let (user, since) = (*user, *since);
                tx.emit(
                    StreamId::User(person),
                    LiveEvent::AccountClosingLate { user, since },
                );
            }
        }
    }
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}

/// Closes it, or keeps it when something is in the way, in one transaction. Done again, or after a cancelling, it finds nothing that waits.
/// What is over in a moment is waited for: it comes again.
///
/// # Errors
/// Whatever the database refuses; tried again.
pub async fn close(context: &Context, job: &Claimed) -> Result<(), Error> {
    let id: AccountClosingId = serde_json::from_value(job.payload.clone())?;
    if let Some(asked) = store::find(context.db.pool(), id).await? {
        let mut tx = context.db.begin().await?;
        ledger::make_rows(&mut tx, asked.owner).await?;
        tx.commit().await?;
    }
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if let Some(asked) = store::find(tx.conn(), id).await? {
        closing::lock(&mut tx, asked.owner).await?;
        // A cancelling may have been faster.
        if let Some(asked) = store::find(tx.conn(), id).await? {
            if still(&mut tx, &asked).await? {
                finish(context, &mut tx, &asked).await?;
            } else {
                let again = NewJob::new(CLOSE, format!("{CLOSE}:{id}:{}", now.unix_timestamp()), &id)?;
                tx.enqueue(again.at(now + rules::TURN));
            }
        }
    }
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}

/// Whether nothing is being booked to the owner at this moment, nor is to be by what has begun: the closing of a day that found them active, sales
/// and rises below them that are not worked off. From here on nobody else books to them.
async fn still(tx: &mut Tx, asked: &Closing) -> Result<bool, Error> {
    let licences = store::licences(tx.conn(), asked.owner).await?;
    Ok(ledger::hold_all(tx, asked.owner, &licences).await?
        && !store::is_awaited(tx.conn(), asked.owner, asked.due_at).await?)
}

async fn finish(context: &Context, tx: &mut Tx, asked: &Closing) -> Result<(), Error> {
    let now = tx.now();
    // Behind the locks: what was booked until now is seen, what comes later finds the account closed.
    let needs = needs(context, tx, asked.owner).await?;
    // What was left and is another sum by now was not left.
    let left = rules::left(&needs, asked.left());
    let moved = store::wallet_since(tx.conn(), asked.owner, asked.asked_at).await?;
    let end = if moved || rules::refusal(&rules::beside(&needs, left)).is_some() {
        ClosingEnd::Kept
    } else {
        ClosingEnd::Closed
    };
    store::end(tx.conn(), asked.id, end, now).await?;
    let account = identity::account_within(tx, asked.owner).await?;
    let to = identity::recipient_of(&account);
    let left = if end == ClosingEnd::Closed {
        leave(context, tx, asked, left).await?;
        closing::close(context, tx, &account, asked.reason.as_deref()).await?;
        left
    } else {
        record(tx, None, asked.owner, "closing.kept").await?;
        signals::user_changed(tx, asked.owner, "closing");
        LeftBehind::default()
    };
    mail::send(context, tx, &to, &told(end, left)).await?;
    Ok(())
}

/// What the owner leaves to the house is the house's: balance and PYX by a transfer, which their statement shows; bonuses of ranks stay in the fund.
async fn leave(context: &Context, tx: &mut Tx, asked: &Closing, left: LeftBehind) -> Result<(), Error> {
    if left == LeftBehind::default() {
        return Ok(());
    }
    let owner = asked.owner;
    let (usdt, pyx) = (left.available.unwrap_or_default(), left.pyx.unwrap_or_default());
    if !usdt.is_zero() || !pyx.is_zero() {
        let settings = context.settings.within(tx).await?;
        let house = AccountRef::House(HouseAccount::LeftBehind);
        let order = Transfer::new(
            TransferKind::LeftBehind,
            format!("left_behind:{}", asked.id),
            Cause::new(CauseKind::User, owner.0),
            Orderer::User(owner),
        )
        .settings(settings.version)
        .move_usdt(AccountRef::User(owner, UserAccount::Available), house, usdt)
        .pyx(AccountRef::User(owner, UserAccount::Pyx), -pyx)
        .pyx(house, pyx);
        ledger::post(tx, order).await?;
    }
    if left.ranks.is_some() {
        graduations::give_up(tx, owner).await?;
    }
    audit::record(
        tx,
        Some(owner),
        Some(owner.0),
        Category::Money,
        "closing.left_behind",
        json!({ "usdt": left.available, "pyx": left.pyx, "ranks": left.ranks }),
    )
    .await
}
