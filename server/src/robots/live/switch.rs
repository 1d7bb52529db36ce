//! The switch: asked for by one person, on by a second one's word, off by anyone's (docs/rules/desk.md#live-trading).

use super::{
    Live,
    model::{LiveMissing, LiveSwitchState, LiveTrading, LiveWish},
    store::{self, Switch},
};
use crate::{
    approvals::{
        rules::Kind,
        service::{self as approvals, Subject, Waiting},
    },
    error::Error,
    foundation::{
        audit::{self, Category},
        context::{Context, World},
        text,
        transaction::Tx,
    },
    identity::caller::Caller,
};
use protocol::{
    ErrorCode, LiveEvent, StreamId, ids::UserId, money::Usdt, stream_id::Queue, views::LiveSwitchView,
};
use serde_json::json;
use uuid::Uuid;

/// What has to be typed.
const WORD: &str = "REAL";
/// A request that nobody confirmed by then is asked for anew.
const LASTS: time::Duration = time::Duration::days(1);

/// What this installation lacks. A demo lacks everything that counts, whatever is configured.
#[must_use]
pub fn missing(context: &Context) -> Vec<LiveMissing> {
    let live = context.part::<Live>();
    let mut missing = Vec::new();
    if context.world != World::Production {
        missing.push(LiveMissing::World);
    }
    if !live.is_some_and(|l| l.feed) {
        missing.push(LiveMissing::Feed);
    }
    if live.is_none_or(|l| l.venue.is_none()) {
        missing.push(LiveMissing::Keys);
    }
    missing
}

/// Whether operations may go to the venue now.
///
/// # Errors
/// Whatever the database refuses.
pub async fn is_on(context: &Context, tx: &mut Tx) -> Result<bool, Error> {
    Ok(missing(context).is_empty() && store::is_on(tx.conn()).await?)
}

/// Whether the desk is to trade live.
///
/// # Errors
/// Whatever the database refuses.
pub async fn wanted(context: &Context) -> Result<bool, Error> {
    Ok(missing(context).is_empty() && store::is_on(context.db.pool()).await?)
}

fn shown(switch: &Switch) -> LiveSwitchView {
    LiveSwitchView {
        id: switch.id,
        state: switch.state(),
        reason: switch.reason.clone(),
        asked_by: switch.asked_name.clone(),
        asked_user: switch.asked_by,
        asked_at: switch.asked_at,
        confirmed_by: switch.confirmed_name.clone(),
        confirmed_at: switch.confirmed_at,
        off_by: switch.off_name.clone(),
        off_at: switch.off_at,
    }
}

/// How it stands.
///
/// # Errors
/// Whatever the database refuses.
pub async fn view(context: &Context) -> Result<LiveTrading, Error> {
    let switch = store::switches(context.db.pool(), 1).await?.into_iter().next();
    let open = store::open_operations(context.db.pool()).await?;
    let missing = missing(context);
    Ok(LiveTrading {
        on: missing.is_empty() && switch.as_ref().is_some_and(|s| s.state() == LiveSwitchState::On),
        // Whether it is on or off, whatever else is missing: with its keys an operation is brought back.
        stranded: open.count > 0 && missing.contains(&LiveMissing::Keys),
        missing,
        switch: switch.as_ref().map(shown),
        open_operations: open.count,
        open_since: open.since,
        open_capital: open.capital,
    })
}

async fn newest(tx: &mut Tx) -> Result<Option<Switch>, Error> {
    store::lock_switch(tx.conn()).await?;
    Ok(store::switches(tx.conn(), 1).await?.into_iter().next())
}

/// Writes who did it and tells everyone who looks.
async fn finish(
    context: &Context,
    mut tx: Tx,
    by: UserId,
    action: &'static str,
) -> Result<LiveTrading, Error> {
    let switch = store::switches(tx.conn(), 1)
        .await?
        .into_iter()
        .next()
        .ok_or_else(|| Error::internal("a switch vanished"))?;
    let details = json!({ "switch": switch.id, "state": switch.state() });
    audit::record(
        &mut tx,
        Some(by),
        Some(switch.id),
        Category::Settings,
        action,
        details,
    )
    .await?;
    tx.emit(
        StreamId::Queue(Queue::Settings),
        LiveEvent::LiveTradingChanged {
            switch: Box::new(shown(&switch)),
        },
    );
    tx.commit().await?;
    view(context).await
}

fn subject(id: Uuid, reason: &str) -> Subject<'_> {
    Subject {
        kind: Kind::LiveTrading,
        id,
        customer: None,
        coin: "",
        destination: super::venue::NAME,
        amount: reason.to_owned(),
        usdt: Usdt::ZERO,
    }
}

/// Refuses where something is missing, and names it.
fn require_all(context: &Context) -> Result<(), Error> {
    match missing(context).first() {
        None => Ok(()),
        Some(LiveMissing::World) => Err(Error::code(ErrorCode::LiveWorld)),
        Some(LiveMissing::Feed) => Err(Error::code(ErrorCode::LiveFeed)),
        Some(LiveMissing::Keys) => Err(Error::code(ErrorCode::LiveKeys)),
    }
}

/// Asks for live trading.
///
/// # Errors
/// `live.world`, `live.feed`, `live.keys`, `live.word`, `live.state`, `decision.reason_missing`.
pub async fn ask(context: &Context, caller: &Caller, wish: &LiveWish) -> Result<LiveTrading, Error> {
    require_all(context)?;
    if wish.word != WORD {
        return Err(Error::code(ErrorCode::LiveWord).field("word", ErrorCode::LiveWord));
    }
    let reason = text::reason(&wish.reason, "reason")?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if let Some(open) = newest(&mut tx)
        .await?
        .filter(|s| s.state() != LiveSwitchState::Off)
    {
        if open.state() == LiveSwitchState::On || now - open.asked_at < LASTS {
            return Err(Error::code(ErrorCode::LiveState));
        }
        store::end_switch(tx.conn(), open.id, caller.user, now).await?;
    }
    let id = Uuid::now_v7();
    let subject = subject(id, &reason);
    store::insert_switch(tx.conn(), id, &reason, &subject.digest(), caller.user, now).await?;
    let in_force = context.settings.within(&mut tx).await?;
    approvals::approve(&mut tx, &in_force, &subject, caller.user).await?;
    finish(context, tx, caller.user, "live.ask").await
}

/// The request that waits for a second person.
///
/// # Errors
/// `live.state`.
pub async fn waiting(tx: &mut Tx, id: Uuid) -> Result<Waiting, Error> {
    let asked = asked(tx).await?;
    if asked.id != id {
        return Err(Error::code(ErrorCode::LiveState));
    }
    Ok(subject(asked.id, &asked.reason).waiting())
}

async fn asked(tx: &mut Tx) -> Result<Switch, Error> {
    let now = tx.now();
    newest(tx)
        .await?
        .filter(|s| s.state() == LiveSwitchState::Asked && now - s.asked_at < LASTS)
        .ok_or_else(|| Error::code(ErrorCode::LiveState))
}

/// A second person's word.
///
/// # Errors
/// `live.*`, `decision.same_person`, `decision.granted`: as the approvals say; `decision.changed` for who has seen another request.
pub async fn confirm(context: &Context, caller: &Caller, id: Uuid) -> Result<LiveTrading, Error> {
    require_all(context)?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let asked = asked(&mut tx).await?;
    if asked.id != id {
        return Err(Error::code(ErrorCode::DecisionChanged));
    }
    let subject = subject(asked.id, &asked.reason);
    let in_force = context.settings.within(&mut tx).await?;
    let standing = approvals::approve(&mut tx, &in_force, &subject, caller.user).await?;
    if !standing.is_complete() {
        // The first one's word fell away: this is the first.
        return finish(context, tx, caller.user, "live.agree_first").await;
    }
    store::confirm_switch(tx.conn(), asked.id, caller.user, now).await?;
    tracing::warn!("live trading was switched on");
    finish(context, tx, caller.user, "live.on").await
}

/// Off at once, or the request taken back.
///
/// # Errors
/// `live.state`.
pub async fn off(context: &Context, caller: &Caller) -> Result<LiveTrading, Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let open = newest(&mut tx)
        .await?
        .filter(|s| s.state() != LiveSwitchState::Off)
        .ok_or_else(|| Error::code(ErrorCode::LiveState))?;
    store::end_switch(tx.conn(), open.id, caller.user, now).await?;
    tracing::warn!("live trading was switched off");
    finish(context, tx, caller.user, "live.off").await
}
