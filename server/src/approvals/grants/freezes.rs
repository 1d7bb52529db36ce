//! One holder stops another's decisions, and their own with them.

use super::{store, tell};
use crate::{
    approvals::{
        rules::Kind,
        service::{self as approvals, Subject, Waiting},
    },
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        text,
        transaction::Tx,
    },
    identity::{caller::Caller, service as people},
};
use protocol::{
    ErrorCode,
    ids::{AdminFreezeId, UserId},
    money::Usdt,
    views::AdminFreezeView,
};
use serde_json::json;

/// What two approve when they lift it.
fn lifting(id: AdminFreezeId, reason: &str) -> Subject<'_> {
    Subject {
        kind: Kind::AdminGrant,
        id: id.0,
        customer: None,
        coin: "lift",
        destination: reason,
        amount: String::new(),
        usdt: Usdt::ZERO,
    }
}

/// The end of a freeze that stands.
///
/// # Errors
/// `request.not_found`, `decision.done`.
pub async fn waiting(tx: &mut Tx, id: AdminFreezeId) -> Result<Waiting, Error> {
    let freeze = standing(tx, id).await?;
    Ok(lifting(id, &freeze.reason).waiting())
}

async fn standing(tx: &mut Tx, id: AdminFreezeId) -> Result<store::Freeze, Error> {
    let freeze = store::lock_freeze(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    if freeze.stands {
        Ok(freeze)
    } else {
        Err(Error::code(ErrorCode::DecisionDone))
    }
}

async fn record(
    tx: &mut Tx,
    by: Option<UserId>,
    about: UserId,
    id: AdminFreezeId,
    action: &'static str,
) -> Result<(), Error> {
    let details = json!({ "freeze": id });
    audit::record(tx, by, Some(about.0), Category::Roles, action, details).await
}

/// Decisions of this person and of the caller stand still from now on.
///
/// # Errors
/// `decision.reason_missing`, `roles.own`, `user.unknown`, `auth.forbidden` for who holds no such permission, `decision.frozen` for a
/// caller who is frozen, `decision.too_new` for one whose decisions do not count yet, `freeze.stands`.
pub async fn freeze(
    context: &Context,
    caller: &Caller,
    user: UserId,
    reason: &str,
) -> Result<AdminFreezeView, Error> {
    let reason = text::reason(reason, "reason")?;
    if user == caller.user {
        return Err(Error::code(ErrorCode::RolesOwn));
    }
    let mut tx = context.db.begin().await?;
    people::account_within(&mut tx, user).await?;
    let (id, now) = (AdminFreezeId::fresh(), tx.now());
    let digest = lifting(id, &reason).digest();
    store::insert_freeze(tx.conn(), id, user, caller.user, &reason, &digest, now).await?;
    record(&mut tx, Some(caller.user), user, id, "grants.freeze").await?;
    let view = tell::freeze(context, &mut tx, id).await?;
    tx.commit().await?;
    tracing::warn!(freeze = %id, "an administrator's decisions are frozen");
    Ok(view)
}

/// One of two words that end a freeze; neither of them is of who stands in it.
///
/// # Errors
/// `request.not_found`, `decision.*`.
pub async fn lift(context: &Context, caller: &Caller, id: AdminFreezeId) -> Result<AdminFreezeView, Error> {
    let mut tx = context.db.begin().await?;
    let freeze = standing(&mut tx, id).await?;
    let in_force = context.settings.within(&mut tx).await?;
    let subject = lifting(id, &freeze.reason);
    let standing = approvals::approve(&mut tx, &in_force, &subject, caller.user).await?;
    if standing.is_complete() {
        let now = tx.now();
        store::end_freeze(tx.conn(), id, Some(caller.user), now).await?;
    } else {
        store::touch_freeze(tx.conn(), id).await?;
    }
    record(&mut tx, Some(caller.user), freeze.frozen, id, "grants.lift").await?;
    let view = tell::freeze(context, &mut tx, id).await?;
    tx.commit().await?;
    Ok(view)
}

/// Ends the freeze in which a person stands, by the installation's operator. The context works as the owner of the tables: the
/// database lets nobody else end one alone.
///
/// # Errors
/// `user.unknown`, `request.not_found` for who stands in none.
pub async fn unfreeze_at_the_console(context: &Context, email: &str) -> Result<AdminFreezeView, Error> {
    let mut tx = context.db.begin().await?;
    let user = people::account_by_email_within(&mut tx, email)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::UserUnknown))?
        .id;
    let id = store::freeze_of(tx.conn(), user)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    let now = tx.now();
    store::end_freeze(tx.conn(), id, None, now).await?;
    record(&mut tx, None, user, id, "grants.unfreeze").await?;
    let view = tell::freeze(context, &mut tx, id).await?;
    tx.commit().await?;
    Ok(view)
}
