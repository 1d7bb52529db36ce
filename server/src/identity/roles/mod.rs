//! Roles and permissions (product.md §6): who may give what to whom.
//!
//! Invariants: nobody changes their own roles; nobody gives, takes or touches a permission that they lack; somebody always holds
//! `admin_permissions`. Asked of the database, never of a cache.

mod store;

pub use store::{held, holders};

use super::{
    sessions,
    signals::{self, Signals},
    store as accounts,
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
    ids::{RoleId, UserId},
    permission::Permissions,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;

/// One of a role's permissions as the client's rules read it [spec §3].
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

/// The body of add-role and remove-role [spec §3].
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

async fn permissions_of(tx: &mut Tx, user: UserId) -> Result<Permissions, Error> {
    Ok(store::of(tx.conn(), user)
        .await?
        .iter()
        .map(|r| parse(&r.permissions))
        .fold(Permissions::NONE, |sum, p| sum.iter().chain(p.iter()).collect()))
}

/// Refuses an actor who lacks a permission of the person to be touched.
///
/// # Errors
/// `user.unknown`; `auth.forbidden`.
pub async fn require_authority(tx: &mut Tx, actor: UserId, target: UserId) -> Result<(), Error> {
    if accounts::account(tx.conn(), accounts::By::Id(target))
        .await?
        .is_none()
    {
        return Err(Error::code(ErrorCode::UserUnknown));
    }
    let (mine, theirs) = (
        permissions_of(tx, actor).await?,
        permissions_of(tx, target).await?,
    );
    if actor != target && mine.covers(theirs) {
        Ok(())
    } else {
        Err(Error::code(ErrorCode::Forbidden))
    }
}

/// What to do with the listed roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Add,
    Remove,
}

/// Adds or removes exactly the listed roles and returns what the user holds then.
///
/// # Errors
/// `roles.own`, `auth.forbidden`, `user.unknown`, `roles.last_administrator`, `request.invalid` for an empty list or an unknown role.
pub async fn change(
    context: &Context,
    signals: &Signals,
    actor: UserId,
    target: UserId,
    ids: &[RoleId],
    change: Change,
) -> Result<Vec<RoleView>, Error> {
    let invalid = || Error::code(ErrorCode::RequestInvalid).field("roles", ErrorCode::RequestInvalid);
    let ids: BTreeSet<RoleId> = ids.iter().copied().collect();
    if ids.is_empty() || ids.len() > 50 {
        return Err(invalid());
    }
    if actor == target {
        return Err(Error::code(ErrorCode::RolesOwn));
    }
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    // All changes of roles come one after another: two administrators who remove each other at once leave one.
    let listed = store::lock_all(tx.conn()).await?;
    let chosen: Vec<&store::Role> = listed.iter().filter(|r| ids.contains(&r.id)).collect();
    if chosen.len() != ids.len() {
        return Err(invalid());
    }
    require_authority(&mut tx, actor, target).await?;
    let mine = permissions_of(&mut tx, actor).await?;
    if !mine.holds(Permission::AdminPermissions) || !chosen.iter().all(|r| mine.covers(parse(&r.permissions)))
    {
        return Err(Error::code(ErrorCode::Forbidden));
    }
    let list: Vec<uuid::Uuid> = ids.iter().map(|r| r.0).collect();
    let changed = match change {
        Change::Add => store::add(tx.conn(), target, &list, actor, now).await?,
        Change::Remove => store::remove(tx.conn(), target, &list).await?,
    };
    if change == Change::Remove
        && store::administrators(tx.conn(), Permission::AdminPermissions.as_str()).await? == 0
    {
        return Err(Error::code(ErrorCode::LastAdministrator));
    }
    if !changed.is_empty() {
        let action = if change == Change::Add {
            "roles.added"
        } else {
            "roles.removed"
        };
        audit::record(
            &mut tx,
            Some(actor),
            Some(target.0),
            Category::Roles,
            action,
            json!({ "roles": changed }),
        )
        .await?;
        store::touch(tx.conn(), target, now).await?;
        signals::user_changed(&mut tx, target, "roles");
    }
    let living = sessions::ids(&mut tx, target).await?;
    tx.commit().await?;
    if !changed.is_empty() {
        signals.scope_changed(target, &living).await;
    }
    of(&context.db, target).await
}
