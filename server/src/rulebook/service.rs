//! Use cases of the rulebook.

use super::{
    descriptors::{self, DESCRIPTORS, Kind},
    effects::{self, Effect},
    plans,
    rules::{self, Refusals},
    store::{self, Change, Counts},
};
use crate::{
    affiliates::payout::service as payout,
    approvals::{
        rules::Kind as Decided,
        service::{self as approvals, Subject, Waiting},
    },
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        http::Paging,
        job_queue::{self, Claimed, NewJob},
        settings::{self, Settings},
        text,
        transaction::Tx,
    },
    identity::caller::Caller,
};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{RuleChangeId, UserId},
    money::Usdt,
    stream_id::Queue,
    views::{RuleChangeKind, RuleChangeStatus, RuleChangeView, RuleItem},
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use time::{Duration, OffsetDateTime};

/// A job of this kind comes when a change's hour has come.
pub const TAKES_EFFECT: &str = "rulebook.takes_effect";
/// How long an agreed change of money settings waits.
const DELAY: Duration = Duration::hours(24);

/// A setting with the value in force.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingView {
    pub key: &'static str,
    pub group: &'static str,
    pub kind: Kind,
    pub value: String,
    pub default: String,
    /// Bounds; of a text its length.
    pub least: String,
    pub most: String,
    /// Needs a second person and takes effect a day later.
    pub money: bool,
    /// Who changed it last; none: it is as it always was.
    pub changed_by: Option<String>,
    #[serde(with = "time::serde::rfc3339::option")]
    pub changed_at: Option<OffsetDateTime>,
}

/// All settings, and the changes that wait.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingsView {
    /// To be named by whoever changes something.
    pub revision: i64,
    /// What money facts store.
    pub version: i32,
    pub settings: Vec<SettingView>,
    /// Changes of settings and plans that wait for a second person or for their hour.
    pub waiting: Vec<RuleChangeView>,
}

/// What a change would do.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RulePreview {
    pub items: Vec<RuleItem>,
    pub money: bool,
    pub effects: Vec<Effect>,
}

pub(super) fn refuse(refused: Refusals) -> Error {
    let code = refused
        .first()
        .map_or(ErrorCode::RequestInvalid, |(_, code)| *code);
    refused
        .into_iter()
        .fold(Error::code(code), |error, (key, code)| error.field(key, code))
}

pub(super) fn reason(given: &str) -> Result<String, Error> {
    text::reason(given, "reason")
}

fn settings_of(body: &Map<String, Value>) -> Result<Settings, Error> {
    let settings: Settings = serde_json::from_value(Value::Object(body.clone()))?;
    rules::check(&settings).map_err(refuse)?;
    Ok(settings)
}

/// Everything, for those who may look.
///
/// # Errors
/// Whatever the database refuses.
pub async fn view(context: &Context) -> Result<SettingsView, Error> {
    let now = context.now();
    let mut tx = context.db.begin().await?;
    let in_force = settings::fresh(&mut tx).await?;
    let waiting = store::open_views(tx.conn()).await?;
    let last: BTreeMap<String, (String, OffsetDateTime)> = store::last_changes(tx.conn(), now)
        .await?
        .into_iter()
        .map(|l| (l.key, (l.by, l.at)))
        .collect();
    tx.rollback().await?;
    let (body, defaults) = (
        descriptors::body(&in_force.settings),
        descriptors::body(&Settings::default()),
    );
    let settings = DESCRIPTORS
        .iter()
        .map(|d| SettingView {
            key: d.key,
            group: d.group,
            kind: d.kind,
            value: body.get(d.key).map(|v| d.show(v)).unwrap_or_default(),
            default: defaults.get(d.key).map(|v| d.show(v)).unwrap_or_default(),
            least: d.bound(d.least),
            most: d.bound(d.most),
            money: d.money,
            changed_by: last.get(d.key).map(|(by, _)| by.clone()),
            changed_at: last.get(d.key).map(|(_, at)| *at),
        })
        .collect();
    Ok(SettingsView {
        revision: store::revision(context.db.pool()).await?,
        version: in_force.version,
        settings,
        waiting: waiting.into_iter().map(|change| as_of(change, now)).collect(),
    })
}

/// A change whose hour has come is in force, whether or not its job has said so.
fn as_of(mut change: RuleChangeView, now: OffsetDateTime) -> RuleChangeView {
    if change.status == RuleChangeStatus::Agreed && change.effective_at.is_some_and(|at| at <= now) {
        change.status = RuleChangeStatus::InForce;
    }
    change
}

/// Changes, newest first, all or of one setting.
///
/// # Errors
/// Whatever the database refuses.
pub async fn history(
    context: &Context,
    key: Option<&str>,
    paging: &Paging,
) -> Result<(Vec<RuleChangeView>, i64), Error> {
    let mut tx = context.db.begin().await?;
    let (rows, total) = store::history(tx.conn(), None, key, paging.limit, paging.offset).await?;
    tx.rollback().await?;
    let now = context.now();
    Ok((rows.into_iter().map(|c| as_of(c, now)).collect(), total))
}

/// What a change would do, in plain figures; nothing is stored.
///
/// # Errors
/// `rules.*`, `amount.invalid`, field by field.
pub async fn preview(context: &Context, written: &BTreeMap<String, String>) -> Result<RulePreview, Error> {
    let mut tx = context.db.begin().await?;
    let in_force = settings::fresh(&mut tx).await?;
    tx.rollback().await?;
    let mut body = descriptors::body(&in_force.settings);
    let items = rules::items(&body, written).map_err(refuse)?;
    rules::apply(&mut body, &items).map_err(refuse)?;
    let after = settings_of(&body)?;
    let counts = counts(context, &in_force.settings, &after).await?;
    Ok(RulePreview {
        money: rules::about_money(&items),
        effects: effects::of(&in_force.settings, &after, &counts, context.now()),
        items,
    })
}

/// What stands under the present rules; of the network only what the change is about.
async fn counts(context: &Context, before: &Settings, after: &Settings) -> Result<Counts, Error> {
    let pool = context.db.pool();
    let mut counts = store::counts(pool, after.minimum_allocation.0, context.now()).await?;
    if before.binary_daily_cap != after.binary_daily_cap {
        counts.cuts = store::cuts(pool, [before.binary_daily_cap, after.binary_daily_cap]).await?;
    }
    if before.graduations() != after.graduations() {
        counts.reach = store::reach(pool, &before.graduations(), &after.graduations()).await?;
    }
    if (before.payout_ceiling, before.fee_network_fund_share)
        != (after.payout_ceiling, after.fee_network_fund_share)
    {
        counts.past = payout::past(context, [before.payout_ceiling, after.payout_ceiling]).await?;
    }
    Ok(counts)
}

/// Begins a change: one at a time, and only by whoever has read the present state.
pub(super) async fn begin(context: &Context, revision: i64) -> Result<Tx, Error> {
    let mut tx = context.db.begin().await?;
    if store::lock(tx.conn()).await? != revision {
        return Err(Error::code(ErrorCode::RulesMoved));
    }
    Ok(tx)
}

/// Tells everyone who looks; the change as it is now.
pub(super) async fn finish(
    context: &Context,
    mut tx: Tx,
    by: Option<UserId>,
    id: RuleChangeId,
    action: &'static str,
) -> Result<RuleChangeView, Error> {
    let revision = store::turn(tx.conn()).await?;
    let (views, _) = store::history(tx.conn(), Some(id), None, 1, 0).await?;
    let view = views
        .into_iter()
        .next()
        .ok_or_else(|| Error::internal("a change vanished"))?;
    let details = json!({ "change": id, "kind": view.kind, "plan": view.plan, "items": view.items });
    audit::record(&mut tx, by, Some(id.0), Category::Settings, action, details).await?;
    tx.emit(
        StreamId::Queue(Queue::Settings),
        LiveEvent::RulesChanged {
            revision,
            change: Box::new(view.clone()),
        },
    );
    tx.commit().await?;
    context.settings.forget().await;
    Ok(view)
}

/// What an approval of a change binds.
pub(super) fn subject(change: &Change) -> Result<Subject<'static>, Error> {
    Ok(Subject {
        kind: Decided::MoneySettings,
        id: change.id.0,
        customer: None,
        coin: "",
        destination: change.kind.as_str(),
        amount: format!(
            "{} {}",
            change.plan.map_or_else(String::new, |p| p.to_string()),
            serde_json::to_string(&change.items)?
        ),
        usdt: Usdt::ZERO,
    })
}

/// Stores a change that waits for a second person; its author's order is the first approval.
pub(super) async fn wait(context: &Context, tx: &mut Tx, change: &Change) -> Result<(), Error> {
    let subject = subject(change)?;
    let now = tx.now();
    store::insert(tx.conn(), change, &subject.digest(), now).await?;
    let in_force = context.settings.within(tx).await?;
    approvals::approve(tx, &in_force, &subject, change.ordered_by).await?;
    Ok(())
}

/// Orders a change of settings.
///
/// # Errors
/// `rules.*`, `amount.invalid` field by field; `decision.reason_missing`.
pub async fn order(
    context: &Context,
    caller: &Caller,
    revision: i64,
    written: &BTreeMap<String, String>,
    why: &str,
) -> Result<RuleChangeView, Error> {
    let why = reason(why)?;
    if written.is_empty() {
        return Err(Error::code(ErrorCode::RuleUnchanged));
    }
    let mut tx = begin(context, revision).await?;
    let in_force = settings::fresh(&mut tx).await?;
    let mut body = descriptors::body(&in_force.settings);
    let items = rules::items(&body, written).map_err(refuse)?;
    let open = store::open(tx.conn()).await?;
    let now = tx.now();
    let taken: Refusals = items
        .iter()
        .filter(|item| {
            open.iter().any(|c| {
                c.kind == RuleChangeKind::Settings
                    && c.effective_at.is_none_or(|at| at > now)
                    && c.items.iter().any(|i| i.key == item.key)
            })
        })
        .map(|item| (item.key.clone(), ErrorCode::RuleWaiting))
        .collect();
    if !taken.is_empty() {
        return Err(refuse(taken));
    }
    rules::apply(&mut body, &items).map_err(refuse)?;
    settings_of(&body)?;
    let money = rules::about_money(&items);
    let change = Change {
        id: RuleChangeId::fresh(),
        kind: RuleChangeKind::Settings,
        plan: None,
        items,
        money,
        reason: why,
        status: if money {
            RuleChangeStatus::Waiting
        } else {
            RuleChangeStatus::InForce
        },
        ordered_by: caller.user,
        effective_at: (!money).then_some(now),
    };
    if money {
        wait(context, &mut tx, &change).await?;
    } else {
        store::insert(tx.conn(), &change, &subject(&change)?.digest(), now).await?;
        write(&mut tx, body, true, caller.user, &change.reason).await?;
    }
    finish(context, tx, Some(caller.user), change.id, "settings.order").await
}

/// Writes the version of now where it changed, and anew those of the agreed changes that wait for their hour: a later version
/// always wins, so each carries all that is in force before it.
async fn write(
    tx: &mut Tx,
    mut body: Map<String, Value>,
    present: bool,
    author: UserId,
    reason: &str,
) -> Result<(), Error> {
    let now = tx.now();
    if present {
        let settings = settings_of(&body)?;
        settings::insert(tx, &settings, now, author, reason).await?;
    }
    for change in store::open(tx.conn()).await? {
        let due = change.effective_at.filter(|at| *at > now);
        if let (RuleChangeKind::Settings, Some(at)) = (change.kind, due) {
            rules::apply(&mut body, &change.items).map_err(refuse)?;
            let settings = settings_of(&body)?;
            settings::insert(tx, &settings, at, change.ordered_by, &change.reason).await?;
        }
    }
    Ok(())
}

async fn locked(context: &Context, id: RuleChangeId) -> Result<(Tx, Change), Error> {
    let mut tx = context.db.begin().await?;
    store::lock(tx.conn()).await?;
    let change = store::find(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    Ok((tx, change))
}

/// A change that waits for a second person.
///
/// # Errors
/// `request.not_found`, `decision.done`.
pub async fn waiting(tx: &mut Tx, id: RuleChangeId) -> Result<Waiting, Error> {
    store::lock(tx.conn()).await?;
    let change = store::find(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    if change.status != RuleChangeStatus::Waiting {
        return Err(Error::code(ErrorCode::DecisionDone));
    }
    Ok(subject(&change)?.waiting())
}

/// A second person's agreement: plans change at once, settings a day later.
///
/// # Errors
/// `request.not_found`, `decision.*`, `rules.*` when it no longer fits what else was agreed, `plan.*`.
pub async fn agree(context: &Context, caller: &Caller, id: RuleChangeId) -> Result<RuleChangeView, Error> {
    let (mut tx, change) = locked(context, id).await?;
    if change.status != RuleChangeStatus::Waiting {
        return Err(Error::code(ErrorCode::DecisionDone));
    }
    let in_force = settings::fresh(&mut tx).await?;
    let standing = approvals::approve(&mut tx, &in_force, &subject(&change)?, caller.user).await?;
    if !standing.is_complete() {
        // The first one's word fell away: this is the first.
        return finish(context, tx, Some(caller.user), id, "settings.agree_first").await;
    }
    let now = tx.now();
    if change.kind == RuleChangeKind::Plan {
        store::agree(tx.conn(), id, RuleChangeStatus::InForce, caller.user, now, now).await?;
        plans::put(&mut tx, &change).await?;
    } else {
        let at = now + DELAY;
        store::agree(tx.conn(), id, RuleChangeStatus::Agreed, caller.user, now, at).await?;
        let body = descriptors::body(&in_force.settings);
        write(&mut tx, body, false, caller.user, &change.reason).await?;
        tx.enqueue(NewJob::new(TAKES_EFFECT, format!("{TAKES_EFFECT}:{id}"), &id)?.at(at));
    }
    finish(context, tx, Some(caller.user), id, "settings.agree").await
}

/// Takes a change back before it is in force: its author, or whoever disagrees.
///
/// # Errors
/// `request.not_found`, `decision.reason_missing`, `rules.state`.
pub async fn withdraw(
    context: &Context,
    caller: &Caller,
    id: RuleChangeId,
    why: &str,
) -> Result<RuleChangeView, Error> {
    let (mut tx, change) = locked(context, id).await?;
    let now = tx.now();
    let waits = change.status == RuleChangeStatus::Waiting
        || change.status == RuleChangeStatus::Agreed && change.effective_at.is_some_and(|at| at > now);
    if !waits {
        return Err(Error::code(ErrorCode::RuleState));
    }
    let why = approvals::reject(&mut tx, &subject(&change)?, caller.user, why).await?;
    store::withdraw(tx.conn(), id, caller.user, &why).await?;
    if change.status == RuleChangeStatus::Agreed {
        let in_force = settings::fresh(&mut tx).await?;
        let body = descriptors::body(&in_force.settings);
        write(&mut tx, body, true, caller.user, &why).await?;
    }
    finish(context, tx, Some(caller.user), id, "settings.withdraw").await
}

/// Tells that a change's hour has come: whoever read the settings once reads them anew.
///
/// # Errors
/// Whatever the database refuses.
pub async fn takes_effect(context: &Context, job: &Claimed) -> Result<(), Error> {
    let id: RuleChangeId = serde_json::from_value(job.payload.clone())?;
    let mut tx = context.db.begin().await?;
    store::lock(tx.conn()).await?;
    let now = tx.now();
    let begun = store::begin(tx.conn(), id, now).await?;
    if !job_queue::complete(tx.conn(), job, now).await? {
        return Ok(());
    }
    if begun {
        finish(context, tx, None, id, "settings.in_force").await?;
    } else {
        tx.commit().await?;
    }
    Ok(())
}
