//! Everybody who decides hears at once of what makes or unmakes one of them: a fact on their own stream (the notice follows from
//! it) and a mail.

use super::{service, store};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        mail::{self, Mail},
        transaction::Tx,
    },
    identity::{roles, service as people},
};
use protocol::{
    LiveEvent, Permission, StreamId,
    ids::{AdminFreezeId, AdminGrantId, UserId},
    views::{AdminFreezeView, AdminGrantView, GrantAction, GrantStatus},
};

/// Those who decide now, and the one whom it is about.
async fn hearers(tx: &mut Tx, about: UserId) -> Result<Vec<UserId>, Error> {
    let mut all = roles::holders(tx.conn(), Permission::AdminPermissions.as_str()).await?;
    if !all.contains(&about) {
        all.push(about);
    }
    Ok(all)
}

pub async fn grant(context: &Context, tx: &mut Tx, id: AdminGrantId) -> Result<AdminGrantView, Error> {
    let now = tx.now();
    let view = store::requests(tx.conn(), Some(id), service::LASTS, now)
        .await?
        .pop()
        .ok_or_else(|| Error::internal("a request vanished"))?;
    let what = match (view.status, view.action) {
        (GrantStatus::Waiting, GrantAction::Add) => "asked_add",
        (GrantStatus::Waiting, GrantAction::Remove) => "asked_remove",
        (GrantStatus::Waiting, _) => "asked_change",
        (GrantStatus::Done, GrantAction::Add) => "added",
        (GrantStatus::Done, GrantAction::Remove) => "removed",
        (GrantStatus::Done, _) => "changed",
        (GrantStatus::Rejected | GrantStatus::Lapsed, GrantAction::Add | GrantAction::Remove) => "rejected",
        (GrantStatus::Rejected | GrantStatus::Lapsed, _) => "change_rejected",
    };
    let letter = Mail::AdminRights {
        what,
        person: view.person.username.clone(),
        by: view
            .decided_by
            .clone()
            .or_else(|| Some(view.asked_by.username.clone())),
        roles: view.roles.clone(),
        reason: view.reason.clone().or_else(|| view.why.clone()),
    };
    let event = LiveEvent::AdminGrantChanged {
        grant: Box::new(view.clone()),
    };
    // Whose first role of the kind is asked for is no administrator yet: they hear when they have it.
    let about = match view.status {
        GrantStatus::Done => view.person.id,
        _ => view.asked_by.id,
    };
    all(context, tx, about, &event, &letter).await?;
    Ok(view)
}

pub async fn freeze(context: &Context, tx: &mut Tx, id: AdminFreezeId) -> Result<AdminFreezeView, Error> {
    let view = store::freezes(tx.conn(), Some(id))
        .await?
        .pop()
        .ok_or_else(|| Error::internal("a freeze vanished"))?;
    let (what, by) = match (view.ended_at, &view.lift_asked_by) {
        (Some(_), _) => ("lifted", view.lifted_by.clone()),
        (None, Some(first)) => ("lift_asked", Some(first.username.clone())),
        (None, None) => ("frozen", Some(view.frozen_by.username.clone())),
    };
    let letter = Mail::AdminRights {
        what,
        person: view.frozen.username.clone(),
        by,
        roles: Vec::new(),
        reason: Some(view.reason.clone()),
    };
    let event = LiveEvent::AdminFreezeChanged {
        freeze: Box::new(view.clone()),
    };
    all(context, tx, view.frozen.id, &event, &letter).await?;
    Ok(view)
}

async fn all(
    context: &Context,
    tx: &mut Tx,
    about: UserId,
    event: &LiveEvent,
    letter: &Mail,
) -> Result<(), Error> {
    for person in hearers(tx, about).await? {
        tx.emit(StreamId::User(person), event.clone());
        let to = people::recipient(tx, person).await?;
        mail::send(context, tx, &to, letter).await?;
    }
    Ok(())
}
