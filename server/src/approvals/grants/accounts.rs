//! Changes of people's accounts by staff: at once, or, where two persons are needed, as a request in the queue of grants.
//!
//! Two are needed to switch on or off whoever decides about money, to take a second factor off anybody, and to give another e-mail to anybody
//! whose account is in use: whose mailbox it is, is whose money it is, and a factor is what stands between a stolen password and money.
//! An address that nobody ever confirmed is put right by one.

use super::{
    service::{self, Wanted},
    store::Request,
};
use crate::{
    error::Error,
    foundation::{context::Context, mail, transaction::Tx},
    identity::{
        people::{self, AccountStatus, Change, EditUser, NO_FACTOR, Told},
        roles,
        service::{self as owners, Account},
        signals::Signals,
    },
};
use protocol::{
    ErrorCode,
    ids::UserId,
    views::{AdminGrantView, GrantAction},
};

/// Changes somebody's account. What waits for a second person is returned; the rest of the form takes effect at once.
///
/// # Errors
/// `user.own`, `user.unknown`, `auth.forbidden`, `decision.own_money`; what the form refuses; `email.taken`, `request.conflict` for what is so
/// already, `roles.last_administrator`; `decision.frozen`; `decision.too_new`, `roles.waiting` of a change that needs two.
pub async fn edit(
    context: &Context,
    signals: &Signals,
    actor: UserId,
    target: UserId,
    body: &EditUser,
) -> Result<Option<AdminGrantView>, Error> {
    let edit = body.check()?;
    if let Some(Change::Email(email)) = &edit.change {
        mail::require_reachable(context, email).await?;
    }
    let mut tx = context.db.begin().await?;
    // Who decides must not change between the look and the deed.
    roles::lock(&mut tx).await?;
    let (account, authority) = people::lock(&mut tx, actor, target).await?;
    let mut told: Vec<Told> = people::edit(context, &mut tx, actor, &account, &edit)
        .await?
        .into_iter()
        .collect();
    let mut request = None;
    match &edit.change {
        None => {}
        Some(change) if authority.over_who_decides() || by_two(&account, change) => {
            if let Change::Email(email) = change {
                require_free(&mut tx, &account, email).await?;
            }
            let wanted = wanted(&account, change, edit.why.clone())?;
            request = Some(service::ask(context, &mut tx, actor, target, wanted).await?);
        }
        Some(change) => {
            service::require_unfrozen(&mut tx, actor).await?;
            told.push(make(context, &mut tx, actor, &account, change, false).await?);
        }
    }
    tx.commit().await?;
    for told in told {
        told.tell(signals).await;
    }
    Ok(request)
}

/// What somebody has already is refused at once, and not by the second of two.
async fn require_free(tx: &mut Tx, account: &Account, email: &str) -> Result<(), Error> {
    let code = match owners::account_by_email_within(tx, email).await? {
        None => return Ok(()),
        Some(owner) if owner.id == account.id => ErrorCode::RequestConflict,
        Some(_) => ErrorCode::EmailTaken,
    };
    Err(Error::code(code).field("email", code))
}

/// Whether two decide on it, whoever it is about.
const fn by_two(account: &Account, change: &Change) -> bool {
    match change {
        Change::Status(..) => false,
        Change::Email(_) => account.proven_at.is_some(),
        Change::Factors => true,
    }
}

/// What a request says: how it is now, how it would be.
fn wanted(account: &Account, change: &Change, why: Option<String>) -> Result<Wanted, Error> {
    let (action, after) = match change {
        Change::Status(AccountStatus::Active, _) => (GrantAction::Activate, "active"),
        Change::Status(AccountStatus::Inactive, _) => (GrantAction::Deactivate, "inactive"),
        Change::Email(email) => (GrantAction::Email, email.as_str()),
        Change::Factors => (GrantAction::Factor, NO_FACTOR),
    };
    let before = now_of(account, action);
    if before == after {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    Ok(Wanted {
        action,
        roles: Vec::new(),
        before: Some(before),
        after: Some(after.to_owned()),
        why,
    })
}

/// How what a request is about stands now.
fn now_of(account: &Account, action: GrantAction) -> String {
    match action {
        GrantAction::Email => account.email.clone(),
        GrantAction::Factor => people::factors(account).to_owned(),
        _ => account.status.clone(),
    }
}

async fn make(
    context: &Context,
    tx: &mut Tx,
    actor: UserId,
    account: &Account,
    change: &Change,
    by_two: bool,
) -> Result<Told, Error> {
    match change {
        Change::Status(status, reason) => {
            people::set_status(context, tx, actor, account, *status, reason, by_two).await
        }
        Change::Email(email) => people::set_email(context, tx, actor, account, email).await,
        Change::Factors => people::drop_factors(context, tx, actor, account).await,
    }
}

/// The account that a request is about, if it still is as it was when it was asked for. What lets somebody in is not asked for any more once the
/// owner has frozen the account: whoever asked may have been who it was frozen against.
pub(super) async fn unchanged(
    tx: &mut Tx,
    approver: UserId,
    request: &Request,
) -> Result<Option<Account>, Error> {
    let (account, _) = people::lock(tx, approver, request.account).await?;
    let same = request.before.as_deref() == Some(now_of(&account, request.action).as_str());
    let lets_in = matches!(request.action, GrantAction::Email | GrantAction::Factor);
    if !same || lets_in && people::froze_since(tx, request.account, request.asked_at).await? {
        return Ok(None);
    }
    Ok(Some(account))
}

/// Makes the change that two agreed to.
pub(super) async fn carry_out(
    context: &Context,
    tx: &mut Tx,
    approver: UserId,
    account: &Account,
    request: &Request,
) -> Result<Told, Error> {
    let why = || request.why.clone().unwrap_or_default();
    let change = match request.action {
        GrantAction::Activate => Change::Status(AccountStatus::Active, why()),
        GrantAction::Deactivate => Change::Status(AccountStatus::Inactive, why()),
        GrantAction::Email => Change::Email(request.after.clone().unwrap_or_default()),
        GrantAction::Factor => Change::Factors,
        GrantAction::Add | GrantAction::Remove => return Err(Error::internal("no change of an account")),
    };
    make(context, tx, approver, account, &change, true).await
}
