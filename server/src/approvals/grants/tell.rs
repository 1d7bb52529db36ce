//! Everybody who decides hears at once of what makes or unmakes one of them: a fact on their own stream (the notice follows from
//! it) and a mail.

use super::{service, store};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        mail::{self, Mail, Recipient},
        transaction::Tx,
    },
    identity::roles,
};
use protocol::{
    LiveEvent, Permission, StreamId,
    ids::{AdminFreezeId, AdminGrantId, UserId},
    views::{AdminFreezeView, AdminGrantView, GrantAction, GrantStatus},
};

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
    let switched = matches!(view.action, GrantAction::Activate | GrantAction::Deactivate);
    let knows = (view.status == GrantStatus::Done && switched).then_some(about);
    all(context, tx, about, knows, &event, &letter).await?;
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
    all(context, tx, view.frozen.id, None, &event, &letter).await?;
    Ok(view)
}

/// Those who decide now, and the one whom it is about. `knows` has a fact that says more: what changed of their own account, and why.
async fn all(
    context: &Context,
    tx: &mut Tx,
    about: UserId,
    knows: Option<UserId>,
    event: &LiveEvent,
    letter: &Mail,
) -> Result<(), Error> {
    let decides = Permission::AdminPermissions.as_str();
    let hearers = roles::mailboxes(tx.conn(), decides, about).await?;
    for person in hearers.iter().filter(|person| Some(person.user) != knows) {
        tx.emit(StreamId::User(person.user), event.clone());
    }
    let hearers: Vec<Recipient> = hearers.into_iter().map(Recipient::from).collect();
    mail::send_all(context, tx, &hearers, letter).await?;
    Ok(())
}
