//! Requests to give or take roles, and what two decide about them.

use super::{accounts, store, tell};
use crate::{
    approvals::{
        rules::Kind,
        service::{self as approvals, Subject, Waiting},
    },
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        http::Paging,
        mail,
        settings::InForce,
        text,
        transaction::Tx,
    },
    identity::{
        caller::Caller,
        roles::{self, Granted, RoleView, Roles},
        signals::Signals,
    },
};
use protocol::{
    ErrorCode,
    ids::{AdminGrantId, RoleId, UserId},
    money::Usdt,
    views::{AdminFreezeView, AdminGrantView, GrantAction, GrantStatus, StaffPerson},
};
use serde::Serialize;
use serde_json::json;
use std::sync::Arc;
use store::Request;
use time::{Duration, OffsetDateTime};

/// A request that nobody agreed to by then is asked for anew: what waits for ever is agreed to without a look.
pub(super) const LASTS: Duration = Duration::days(7);

/// Where the permission to decide of somebody came from.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Decides {
    /// `two` approvals, the `console`, a demo's `seed`; none: before two were needed.
    pub origin: Option<String>,
    /// Usernames.
    pub granted_by: Option<String>,
    pub seconded_by: Option<String>,
    /// From when on their decisions count.
    #[serde(with = "time::serde::rfc3339")]
    pub counts_at: OffsetDateTime,
    /// Their decisions stand still.
    pub frozen: bool,
}

/// Somebody with their roles.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoleHolder {
    pub person: StaffPerson,
    pub active: bool,
    pub roles: Vec<RoleId>,
    /// None: no decisions.
    pub decides: Option<Decides>,
}

/// What waits for a second person, and whose decisions stand still.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminGrants {
    /// Those that wait first, then the latest.
    pub requests: Vec<AdminGrantView>,
    /// Those that stand first, then the latest.
    pub freezes: Vec<AdminFreezeView>,
    /// How many could lift a freeze now. Below two only the installation's operator can.
    pub lifters: i64,
    /// Hours until decisions of a new administrator count.
    pub new_approver_hours: i64,
}

/// Requests and freezes.
///
/// # Errors
/// Whatever the database refuses.
pub async fn view(context: &Context) -> Result<AdminGrants, Error> {
    let now = context.now();
    let pool = context.db.pool();
    Ok(AdminGrants {
        requests: store::requests(pool, None, LASTS, now).await?,
        freezes: store::freezes(pool, None).await?,
        lifters: store::lifters(pool, now).await?,
        new_approver_hours: context.settings.current(now).await?.settings.new_approver_hours,
    })
}

/// What waits for a second person about somebody.
///
/// # Errors
/// Whatever the database refuses.
pub async fn waiting_about(context: &Context, user: UserId) -> Result<Option<AdminGrantView>, Error> {
    let (pool, now) = (context.db.pool(), context.now());
    match store::waiting_about(pool, user, now - LASTS).await? {
        Some(id) => Ok(store::requests(pool, Some(id), LASTS, now).await?.pop()),
        None => Ok(None),
    }
}

/// People by the beginning of username or name, or by exact e-mail; without a term those who hold more than a customer's role.
///
/// # Errors
/// Whatever the database refuses.
pub async fn holders(
    context: &Context,
    term: Option<&str>,
    paging: &Paging,
) -> Result<(Vec<RoleHolder>, i64), Error> {
    let key = term.map(mail::address::key).filter(|key| !key.is_empty());
    let prefix = key.as_deref().map(|key| {
        format!(
            "{}%",
            text::like_literal(&text::folded(key.trim_start_matches('@')))
        )
    });
    let (rows, total) = store::holders(context.db.pool(), prefix.as_deref(), key.as_deref(), paging).await?;
    let holders = rows
        .into_iter()
        .map(|h| RoleHolder {
            decides: h.counts_at.filter(|_| h.decides).map(|counts_at| Decides {
                origin: h.origin,
                granted_by: h.granted_by,
                seconded_by: h.seconded_by,
                counts_at,
                frozen: h.frozen,
            }),
            person: h.person,
            active: h.active,
            roles: h.roles,
        })
        .collect();
    Ok((holders, total))
}

/// Refuses whose decisions are frozen: who may what is a decision too.
///
/// # Errors
/// `decision.frozen`.
pub async fn require_unfrozen(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    if store::is_frozen(tx.conn(), user).await? {
        return Err(Error::code(ErrorCode::DecisionFrozen));
    }
    Ok(())
}

/// What became of a change of roles.
#[derive(Debug)]
pub enum Changed {
    /// What the person holds now.
    Now(Vec<RoleView>),
    /// It waits for a second person.
    Waits(Vec<RoleView>, Box<AdminGrantView>),
}

/// Adds or removes exactly the listed roles: at once, or, where they decide, as a request whose first approval this is.
///
/// # Errors
/// As [`roles::plan`]; `decision.frozen`, `decision.too_new`, `roles.waiting`.
pub async fn change(
    context: &Context,
    signals: &Signals,
    actor: UserId,
    target: UserId,
    ids: &[RoleId],
    action: GrantAction,
) -> Result<Changed, Error> {
    let mut tx = context.db.begin().await?;
    let listed = roles::lock(&mut tx).await?;
    let plan = roles::plan(&mut tx, &listed, actor, target, ids, action).await?;
    if plan.decides {
        let wanted = Wanted {
            action,
            ..Wanted::add(plan.roles)
        };
        let request = ask(context, &mut tx, actor, target, wanted).await?;
        tx.commit().await?;
        return Ok(Changed::Waits(plan.before, Box::new(request)));
    }
    require_unfrozen(&mut tx, actor).await?;
    if !plan.roles.is_empty() {
        let living = roles::apply(context, &mut tx, actor, target, &plan, action, None).await?;
        tx.commit().await?;
        signals.scope_changed(target, &living).await;
    }
    Ok(Changed::Now(plan.after))
}

fn subject<'a>(request: &Request, parts: &'a (String, String)) -> Subject<'a> {
    Subject {
        kind: Kind::AdminGrant,
        id: request.id.0,
        // Rights and account are their owner's, and their line's concern.
        customer: Some(request.account),
        coin: request.action.as_str(),
        destination: &parts.0,
        amount: parts.1.clone(),
        usdt: Usdt::ZERO,
    }
}

/// Whom and what a request is about, as its approvals bind it.
fn parts(request: &Request) -> (String, String) {
    let roles: Vec<String> = request.roles.iter().map(ToString::to_string).collect();
    let what = if request.before.is_none() {
        roles.join(",")
    } else {
        json!([request.before, request.after, request.why]).to_string()
    };
    (request.account.to_string(), what)
}

/// What somebody asks for.
pub struct Wanted {
    pub action: GrantAction,
    pub roles: Vec<RoleId>,
    pub before: Option<String>,
    pub after: Option<String>,
    pub why: Option<String>,
}

impl Wanted {
    /// These roles.
    #[must_use]
    pub const fn add(roles: Vec<RoleId>) -> Self {
        Self {
            action: GrantAction::Add,
            roles,
            before: None,
            after: None,
            why: None,
        }
    }
}

/// Asks for a change that two decide on; the asker's word is the first approval. The caller has looked whether it may be asked for.
///
/// # Errors
/// `decision.frozen`, `decision.too_new`, `roles.waiting`.
pub async fn ask(
    context: &Context,
    tx: &mut Tx,
    actor: UserId,
    target: UserId,
    wanted: Wanted,
) -> Result<AdminGrantView, Error> {
    require_unfrozen(tx, actor).await?;
    let now = tx.now();
    store::lapse(tx.conn(), target, now - LASTS, now).await?;
    let request = Request {
        id: AdminGrantId::fresh(),
        account: target,
        action: wanted.action,
        roles: wanted.roles,
        status: GrantStatus::Waiting,
        asked_by: actor,
        asked_at: now,
        before: wanted.before,
        after: wanted.after,
        why: wanted.why,
    };
    let parts = parts(&request);
    let subject = subject(&request, &parts);
    store::insert_request(tx.conn(), &request, &subject.digest()).await?;
    let in_force = context.settings.within(tx).await?;
    approvals::approve(tx, &in_force, &subject, actor).await?;
    record(tx, actor, &request, "grants.ask").await?;
    tell::grant(context, tx, request.id).await
}

async fn record(tx: &mut Tx, by: UserId, request: &Request, action: &'static str) -> Result<(), Error> {
    let details = json!({ "request": request.id, "action": request.action, "roles": request.roles });
    let about = Some(request.account.0);
    audit::record(tx, Some(by), about, Category::Roles, action, details).await
}

/// A request that still waits, and not about the one who decides. Roles are locked before it, as by who asks.
async fn open(tx: &mut Tx, by: UserId, id: AdminGrantId) -> Result<(Roles, Request), Error> {
    let listed = roles::lock(tx).await?;
    let request = store::lock_request(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    if request.account == by {
        return Err(Error::code(ErrorCode::RolesOwn));
    }
    if request.status != GrantStatus::Waiting || request.asked_at + LASTS <= tx.now() {
        return Err(Error::code(ErrorCode::DecisionDone));
    }
    Ok((listed, request))
}

/// A request that waits.
///
/// # Errors
/// `request.not_found`, `roles.own`, `decision.done`.
pub async fn waiting(tx: &mut Tx, by: UserId, id: AdminGrantId) -> Result<Waiting, Error> {
    let (_, request) = open(tx, by, id).await?;
    let parts = parts(&request);
    Ok(subject(&request, &parts).waiting())
}

/// The second person's approval: the roles come or go in the same transaction.
///
/// # Errors
/// `request.not_found`, `roles.own`, `decision.*`, `auth.forbidden` for who lacks something that the role gives,
/// `roles.last_administrator`.
pub async fn approve(
    context: &Context,
    signals: &Signals,
    caller: &Caller,
    id: AdminGrantId,
) -> Result<AdminGrantView, Error> {
    let mut tx = context.db.begin().await?;
    let (listed, request) = open(&mut tx, caller.user, id).await?;
    if !matches!(request.action, GrantAction::Add | GrantAction::Remove) {
        return approve_change(context, signals, tx, caller, &request).await;
    }
    let (now, target) = (tx.now(), request.account);
    let plan = roles::plan(
        &mut tx,
        &listed,
        caller.user,
        target,
        &request.roles,
        request.action,
    )
    .await?;
    if plan.roles != request.roles {
        return overtaken(tx, id).await;
    }
    let Some(in_force) = second(context, &mut tx, caller, &request).await? else {
        return half(tx, caller, &request).await;
    };
    let first = first_of(&mut tx, &request).await?;
    let granted = Granted {
        request: id,
        first,
        second: caller.user,
        counts_at: now + Duration::hours(in_force.settings.new_approver_hours),
    };
    let living = roles::apply(
        context,
        &mut tx,
        caller.user,
        target,
        &plan,
        request.action,
        Some(granted),
    )
    .await?;
    store::end_request(tx.conn(), id, GrantStatus::Done, Some(caller.user), None, now).await?;
    let view = tell::grant(context, &mut tx, id).await?;
    tx.commit().await?;
    signals.scope_changed(target, &living).await;
    Ok(view)
}

/// What was asked for is no longer what would happen: somebody was there before.
async fn overtaken(mut tx: Tx, id: AdminGrantId) -> Result<AdminGrantView, Error> {
    let now = tx.now();
    store::end_request(tx.conn(), id, GrantStatus::Lapsed, None, None, now).await?;
    tx.commit().await?;
    Err(Error::code(ErrorCode::DecisionDone))
}

/// The second approval of exactly what was asked for; none where the first one's word fell away, and this is the first.
async fn second(
    context: &Context,
    tx: &mut Tx,
    caller: &Caller,
    request: &Request,
) -> Result<Option<Arc<InForce>>, Error> {
    let parts = parts(request);
    let subject = subject(request, &parts);
    let in_force = context.settings.within(tx).await?;
    let standing = approvals::approve(tx, &in_force, &subject, caller.user).await?;
    Ok(standing.is_complete().then_some(in_force))
}

/// Who spoke the first of the two words.
async fn first_of(tx: &mut Tx, request: &Request) -> Result<UserId, Error> {
    let parts = parts(request);
    let approvers = approvals::approvers(tx, &subject(request, &parts)).await?;
    let first = approvers.into_iter().next();
    first
        .map(|first| first.id)
        .ok_or_else(|| Error::internal("a permission by one approval"))
}

/// One of two words is there anew; the request goes on waiting. That another's fell away was told to all queues.
async fn half(mut tx: Tx, caller: &Caller, request: &Request) -> Result<AdminGrantView, Error> {
    store::touch_request(tx.conn(), request.id).await?;
    record(&mut tx, caller.user, request, "grants.agree").await?;
    let now = tx.now();
    let view = store::requests(tx.conn(), Some(request.id), LASTS, now)
        .await?
        .pop();
    tx.commit().await?;
    view.ok_or_else(|| Error::internal("a request vanished"))
}

/// The second person's approval of a change of an account, made in the same transaction.
async fn approve_change(
    context: &Context,
    signals: &Signals,
    mut tx: Tx,
    caller: &Caller,
    request: &Request,
) -> Result<AdminGrantView, Error> {
    let Some(account) = accounts::unchanged(&mut tx, caller.user, request).await? else {
        return overtaken(tx, request.id).await;
    };
    if second(context, &mut tx, caller, request).await?.is_none() {
        return half(tx, caller, request).await;
    }
    let told = accounts::carry_out(context, &mut tx, caller.user, &account, request).await?;
    let now = tx.now();
    let by = Some(caller.user);
    store::end_request(tx.conn(), request.id, GrantStatus::Done, by, None, now).await?;
    record(&mut tx, caller.user, request, "grants.approve").await?;
    let view = tell::grant(context, &mut tx, request.id).await?;
    tx.commit().await?;
    told.tell(signals).await;
    Ok(view)
}

/// Turns a request down, or takes one's own back: one person is enough to leave things as they are.
///
/// # Errors
/// `request.not_found`, `roles.own`, `decision.done`, `decision.reason_missing`, `decision.frozen`, `decision.too_new`.
pub async fn reject(
    context: &Context,
    caller: &Caller,
    id: AdminGrantId,
    reason: &str,
) -> Result<AdminGrantView, Error> {
    let mut tx = context.db.begin().await?;
    let (_, request) = open(&mut tx, caller.user, id).await?;
    let now = tx.now();
    let parts = parts(&request);
    let reason = approvals::reject(&mut tx, &subject(&request, &parts), caller.user, reason).await?;
    store::end_request(
        tx.conn(),
        id,
        GrantStatus::Rejected,
        Some(caller.user),
        Some(&reason),
        now,
    )
    .await?;
    record(&mut tx, caller.user, &request, "grants.reject").await?;
    let view = tell::grant(context, &mut tx, id).await?;
    tx.commit().await?;
    Ok(view)
}
