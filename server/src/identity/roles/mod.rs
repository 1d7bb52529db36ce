//! Roles and permissions (docs/rules/identity.md#roles-and-permissions): who may give what to whom.
//!
//! Invariants: nobody changes their own roles; nobody gives, takes or touches a permission that they lack; somebody always holds
//! `admin_permissions`. Asked of the database, never of a cache.
//!
//! A role that carries `admin_permissions` comes and goes by two persons (2026-11-23: one administrator alone had made the second
//! person of their own approvals): [`plan`] says that a change holds such a role, `approvals::grants` lets two decide on it and
//! calls [`apply`] with whom it was given by. The database refuses it otherwise, and changing a role's permissions to the server
//! altogether. `server admin create` gives it as the owner of the tables, the demo's seed in a demo world only; both count at once
//! and were granted by nobody. A list that mixes such roles with others is refused whole: its answer could be neither "done" nor
//! "waits". Nobody who holds one is activated or deactivated: the role is taken first.

mod store;

pub use store::{held, holders, mailboxes};

#[cfg(doc)]
use super::signals::Signals;
use super::{
    service::{self, Caused},
    signals,
};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        transaction::{Db, Tx},
    },
};
use protocol::{
    ErrorCode, Permission,
    ids::{AdminGrantId, RoleId, SessionId, UserId},
    permission::Permissions,
    views::{AccountDecision, GrantAction},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;
use time::OffsetDateTime;

/// One of a role's permissions as the client's rules read it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Entry {
    pub action: &'static str,
    pub subject: Permission,
}

/// A role with its permissions.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RoleView {
    #[serde(rename = "_id")]
    pub id: RoleId,
    pub name: String,
    pub permissions: Vec<Entry>,
}

/// The body of add-role and remove-role.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RoleIds {
    pub roles: Vec<RoleId>,
}

fn parse(permissions: &[String]) -> Permissions {
    permissions
        .iter()
        .filter_map(|p| p.parse::<Permission>().ok())
        .collect()
}

fn view(row: store::Role) -> RoleView {
    let permissions = parse(&row.permissions)
        .iter()
        .map(|subject| Entry {
            action: "read",
            subject,
        })
        .collect();
    RoleView {
        id: row.id,
        name: row.name,
        permissions,
    }
}

/// All roles.
///
/// # Errors
/// Whatever the database refuses.
pub async fn all(db: &Db) -> Result<Vec<RoleView>, Error> {
    Ok(store::all(db.pool()).await?.into_iter().map(view).collect())
}

/// A user's roles.
///
/// # Errors
/// Whatever the database refuses.
pub async fn of(db: &Db, user: UserId) -> Result<Vec<RoleView>, Error> {
    Ok(store::of(db.pool(), user).await?.into_iter().map(view).collect())
}

/// A user's roles with what they give now: to an inactive account no more than to a registered user.
///
/// # Errors
/// Whatever the database refuses.
pub async fn in_force(db: &Db, user: UserId, active: bool) -> Result<Vec<RoleView>, Error> {
    let mut roles = of(db, user).await?;
    for role in roles.iter_mut().filter(|_| !active) {
        role.permissions
            .retain(|p| p.subject == Permission::RegisteredUser);
    }
    Ok(roles)
}

async fn permissions_of(tx: &mut Tx, user: UserId) -> Result<Permissions, Error> {
    Ok(store::of(tx.conn(), user)
        .await?
        .iter()
        .map(|r| parse(&r.permissions))
        .fold(Permissions::NONE, |sum, p| sum.iter().chain(p.iter()).collect()))
}

/// What somebody who may touch another may do, and what the other one holds.
#[derive(Debug)]
pub struct Authority {
    mine: Permissions,
    theirs: Permissions,
    held: BTreeSet<RoleId>,
}

impl Authority {
    /// Whether the person to be touched holds the permission to decide, active or not.
    #[must_use]
    pub const fn over_who_decides(&self) -> bool {
        self.theirs.holds(Permission::AdminPermissions)
    }
}

/// Refuses an actor who lacks a permission of the person to be touched, or stands in their direct line.
///
/// # Errors
/// `user.unknown`; `auth.forbidden`; `decision.own_money`.
pub async fn require_authority(tx: &mut Tx, actor: UserId, target: UserId) -> Result<Authority, Error> {
    let two = store::both(tx.conn(), actor, target).await?;
    if !two.is_known {
        return Err(Error::code(ErrorCode::UserUnknown));
    }
    let (mine, theirs) = (parse(&two.mine), parse(&two.theirs));
    if actor == target || !mine.covers(theirs) {
        return Err(Error::code(ErrorCode::Forbidden));
    }
    if two.is_in_line {
        return Err(Error::code(ErrorCode::DecisionOwnMoney));
    }
    Ok(Authority {
        mine,
        theirs,
        held: two.held.into_iter().collect(),
    })
}

/// What a change of roles would do, with all roles held until the transaction ends.
#[derive(Debug)]
pub struct Plan {
    /// What the person holds as it is, and would hold.
    pub before: Vec<RoleView>,
    pub after: Vec<RoleView>,
    /// Those of the list that the person does not hold yet, or holds: what would change. In the order of all roles.
    pub roles: Vec<RoleId>,
    pub names: Vec<String>,
    /// They carry the permission to decide: two persons change them.
    pub decides: bool,
}

/// All roles, held until the transaction ends.
pub struct Roles(Vec<store::Role>);

impl Roles {
    /// Those of them that somebody holds, in their order.
    fn of(&self, held: &BTreeSet<RoleId>) -> Vec<RoleView> {
        let all = self.0.iter().filter(|role| held.contains(&role.id));
        all.cloned().map(view).collect()
    }
}

/// All changes of roles come one after another: two administrators who remove each other at once leave one. Whoever locks more
/// than roles locks them first.
///
/// # Errors
/// Whatever the database refuses.
pub async fn lock(tx: &mut Tx) -> Result<Roles, Error> {
    Ok(Roles(store::lock_all(tx.conn()).await?))
}

/// Looks at a change before it is made, or asked for.
///
/// # Errors
/// `roles.own`, `auth.forbidden`, `user.unknown`, `request.invalid` for an empty list or an unknown role, `roles.mixed`; `decision.own_money`
/// for who stands in their direct line;
/// `request.rate_limited` above what one of the staff may cause in an hour.
pub async fn plan(
    tx: &mut Tx,
    listed: &Roles,
    actor: UserId,
    target: UserId,
    ids: &[RoleId],
    change: GrantAction,
) -> Result<Plan, Error> {
    let invalid = || Error::code(ErrorCode::RequestInvalid).field("roles", ErrorCode::RequestInvalid);
    let ids: BTreeSet<RoleId> = ids.iter().copied().collect();
    if ids.is_empty() || ids.len() > 50 {
        return Err(invalid());
    }
    if actor == target {
        return Err(Error::code(ErrorCode::RolesOwn));
    }
    let chosen: Vec<&store::Role> = listed.0.iter().filter(|r| ids.contains(&r.id)).collect();
    if chosen.len() != ids.len() {
        return Err(invalid());
    }
    let Authority { mine, held, .. } = require_authority(tx, actor, target).await?;
    if !mine.holds(Permission::AdminPermissions) || !chosen.iter().all(|r| mine.covers(parse(&r.permissions)))
    {
        return Err(Error::code(ErrorCode::Forbidden));
    }
    let changed: Vec<&store::Role> = chosen
        .into_iter()
        .filter(|r| held.contains(&r.id) == (change == GrantAction::Remove))
        .collect();
    let deciding = |r: &&&store::Role| parse(&r.permissions).holds(Permission::AdminPermissions);
    let decides = changed.iter().filter(deciding).count();
    if decides > 0 && decides < changed.len() {
        return Err(Error::code(ErrorCode::RolesMixed).field("roles", ErrorCode::RolesMixed));
    }
    if !changed.is_empty() && change == GrantAction::Add {
        // Whom it is about hears of it, or everybody who decides. Taking a role away protects: no cap refuses that.
        service::staff_writes(tx, actor, target, Caused::Change).await?;
    }
    let roles: Vec<RoleId> = changed.iter().map(|r| r.id).collect();
    // What changes is held before, or after.
    let then = held
        .symmetric_difference(&roles.iter().copied().collect())
        .copied()
        .collect();
    Ok(Plan {
        before: listed.of(&held),
        after: listed.of(&then),
        decides: decides > 0,
        names: changed.iter().map(|r| r.name.clone()).collect(),
        roles,
    })
}

/// Whose word gave a role that decides.
#[derive(Clone, Copy, Debug)]
pub struct Granted {
    pub request: AdminGrantId,
    pub first: UserId,
    pub second: UserId,
    /// From when on decisions of who gets it count.
    pub counts_at: OffsetDateTime,
}

/// Makes a planned change; returns the person's living sessions, to be told with [`Signals::scope_changed`] after the commit. Of roles that decide
/// the person hears with all who decide (`approvals::grants`), of others here.
///
/// # Errors
/// `roles.last_administrator`; whatever the database refuses of a role that decides without its two approvals.
pub async fn apply(
    context: &Context,
    tx: &mut Tx,
    actor: UserId,
    target: UserId,
    plan: &Plan,
    change: GrantAction,
    granted: Option<Granted>,
) -> Result<Vec<SessionId>, Error> {
    let now = tx.now();
    let list: Vec<uuid::Uuid> = plan.roles.iter().map(|r| r.0).collect();
    let (action, what) = match change {
        GrantAction::Add => {
            store::add(tx.conn(), target, &list, actor, granted, now).await?;
            ("roles.added", AccountDecision::RolesGiven)
        }
        GrantAction::Remove => {
            store::remove(tx.conn(), target, &list).await?;
            require_administrator(tx).await?;
            ("roles.removed", AccountDecision::RolesTaken)
        }
        _ => return Err(Error::internal("no change of roles")),
    };
    let details = json!({ "roles": plan.roles, "request": granted.map(|g| g.request) });
    audit::record(tx, Some(actor), Some(target.0), Category::Roles, action, details).await?;
    signals::user_changed(tx, target, "roles");
    // The account before its mailbox, as everybody takes them; behind its lock the address is the one that stands.
    let living = store::touch(tx.conn(), target, now).await?;
    if !plan.decides {
        let account = service::account_within(tx, target).await?;
        service::decided(context, tx, &account, what, plan.names.clone(), None).await?;
    }
    Ok(living)
}

/// Refuses what leaves nobody who decides.
///
/// # Errors
/// `roles.last_administrator`.
pub async fn require_administrator(tx: &mut Tx) -> Result<(), Error> {
    if store::administrators(tx.conn(), Permission::AdminPermissions.as_str()).await? == 0 {
        return Err(Error::code(ErrorCode::LastAdministrator));
    }
    Ok(())
}

/// The name of the role that everybody may be given by who makes them.
const CUSTOMER: &str = "customer";

/// The first roles of somebody whom staff make; none is a customer's. Those that decide are not given: they are returned, for two to
/// decide on, and until then whoever is to have nothing else is a customer.
///
/// # Errors
/// `request.invalid` at `roles` for an unknown one; `auth.forbidden` for one that the actor may not give.
pub async fn begin(tx: &mut Tx, actor: UserId, target: UserId, ids: &[RoleId]) -> Result<Vec<RoleId>, Error> {
    let ids: BTreeSet<RoleId> = ids.iter().copied().collect();
    let now = tx.now();
    let listed = store::lock_all(tx.conn()).await?;
    let mine = permissions_of(tx, actor).await?;
    let (chosen, others): (Vec<_>, Vec<_>) = listed.into_iter().partition(|r| ids.contains(&r.id));
    if chosen.len() != ids.len() {
        return Err(Error::code(ErrorCode::RequestInvalid).field("roles", ErrorCode::RequestInvalid));
    }
    let may = |r: &store::Role| {
        mine.covers(parse(&r.permissions)) && (r.name == CUSTOMER || mine.holds(Permission::AdminPermissions))
    };
    if !chosen.iter().all(may) {
        return Err(Error::code(ErrorCode::Forbidden).field("roles", ErrorCode::Forbidden));
    }
    let (deciding, mut given): (Vec<_>, Vec<_>) = chosen
        .into_iter()
        .partition(|r| parse(&r.permissions).holds(Permission::AdminPermissions));
    if given.is_empty() {
        given = others.into_iter().filter(|r| r.name == CUSTOMER).collect();
    }
    let list: Vec<uuid::Uuid> = given.iter().map(|r| r.id.0).collect();
    store::add(tx.conn(), target, &list, actor, None, now).await?;
    let details = json!({ "roles": list });
    audit::record(
        tx,
        Some(actor),
        Some(target.0),
        Category::Roles,
        "roles.added",
        details,
    )
    .await?;
    Ok(deciding.into_iter().map(|r| r.id).collect())
}

/// Whether a person holds the permission to decide, active or not.
///
/// # Errors
/// Whatever the database refuses.
pub async fn decides(tx: &mut Tx, user: UserId) -> Result<bool, Error> {
    Ok(permissions_of(tx, user)
        .await?
        .holds(Permission::AdminPermissions))
}
