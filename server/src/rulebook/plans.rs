//! Changes of plans: the same two persons, in force at once for whoever buys from then on.

use super::{
    descriptors::{Descriptor, Kind},
    rules::Refusals,
    service::{self, begin, finish, reason, refuse},
    store::{self, Change},
};
use crate::{
    error::Error,
    foundation::{context::Context, settings::WHOLE, transaction::Tx},
    identity::caller::Caller,
    licences::plans::{self, Terms},
};
use protocol::{
    ErrorCode,
    ids::{PlanId, RuleChangeId},
    money::Usdt,
    views::{RuleChangeKind, RuleChangeStatus, RuleChangeView, RuleItem},
};
use serde_json::Value;
use std::collections::BTreeMap;

const VALUE: &str = "value";
const RISK: &str = "isHighRisk";
const RETURN: &str = "maximumReturn";
const CEILING: &str = "networkCeiling";
const FACTOR: &str = "allocationFactor";
const ACTIVE: &str = "active";

const fn number(key: &'static str, kind: Kind, least: i64, most: i64) -> Descriptor {
    Descriptor {
        key,
        group: "plan",
        kind,
        least,
        most,
        money: true,
    }
}

/// The bounds of what is a number; the factor's is that of its setting.
const NUMBERS: [Descriptor; 4] = [
    number(VALUE, Kind::Usdt, 1_000_000, 1_000_000_000_000),
    number(RETURN, Kind::Percent, WHOLE, 10 * WHOLE),
    number(CEILING, Kind::Percent, 0, 20 * WHOLE),
    number(FACTOR, Kind::Count, 1, 5),
];

/// Terms as people write them, by key.
type Written = BTreeMap<&'static str, String>;

fn shown(terms: &Terms) -> Written {
    let percent = crate::licences::rules::percent;
    BTreeMap::from([
        (VALUE, terms.value.to_string()),
        (RISK, terms.is_high_risk.to_string()),
        (RETURN, percent(terms.maximum_return_ppm)),
        (CEILING, percent(terms.network_ceiling_ppm)),
        (FACTOR, terms.allocation_factor.to_string()),
        (ACTIVE, terms.active.to_string()),
    ])
}

fn apply(mut terms: Terms, items: &[RuleItem]) -> Result<Terms, Refusals> {
    let mut refused = Refusals::new();
    for item in items {
        let flag = || item.after.parse::<bool>().map_err(|_| ErrorCode::RequestInvalid);
        let number = || {
            let descriptor = NUMBERS
                .iter()
                .find(|d| d.key == item.key)
                .ok_or(ErrorCode::RuleUnknown)?;
            match descriptor.read(&item.after)? {
                Value::String(usdt) => usdt
                    .parse::<Usdt>()
                    .map(|u| u.0)
                    .map_err(|_| ErrorCode::AmountInvalid),
                other => other.as_i64().ok_or(ErrorCode::AmountInvalid),
            }
        };
        let done = match item.key.as_str() {
            RISK => flag().map(|on| terms.is_high_risk = on),
            ACTIVE => flag().map(|on| terms.active = on),
            VALUE => number().map(|n| terms.value = Usdt(n)),
            RETURN => number().map(|n| terms.maximum_return_ppm = n),
            CEILING => number().map(|n| terms.network_ceiling_ppm = n),
            FACTOR => number().map(|n| terms.allocation_factor = n),
            _ => Err(ErrorCode::RuleUnknown),
        };
        if let Err(code) = done {
            refused.push((item.key.clone(), code));
        }
    }
    if refused.is_empty() {
        Ok(terms)
    } else {
        Err(refused)
    }
}

/// Orders a new plan, or another in the place of one.
///
/// # Errors
/// `plan.unknown`, `plan.twice`, `rules.*`, `amount.invalid` field by field; `decision.reason_missing`.
pub async fn order(
    context: &Context,
    caller: &Caller,
    plan: Option<PlanId>,
    revision: i64,
    written: &BTreeMap<String, String>,
    why: &str,
) -> Result<RuleChangeView, Error> {
    let why = reason(why)?;
    let mut tx = begin(context, revision).await?;
    let open = store::open(tx.conn()).await?;
    if plan.is_some() && open.iter().any(|c| c.plan == plan) {
        return Err(Error::code(ErrorCode::RuleWaiting));
    }
    let before = match plan {
        Some(id) => Some(plans::terms(&mut tx, id).await?),
        None => None,
    };
    let from = match before {
        Some(terms) => terms,
        None => fresh(context, &mut tx, written).await?,
    };
    let old = before.as_ref().map(shown);
    let items: Vec<RuleItem> = written
        .iter()
        .map(|(key, value)| RuleItem {
            key: key.clone(),
            before: old.as_ref().and_then(|o| o.get(key.as_str()).cloned()),
            after: value.clone(),
        })
        .collect();
    let terms = apply(from, &items).map_err(refuse)?;
    let after = shown(&terms);
    // As it will stand, and of an existing plan only what changes.
    let items: Vec<RuleItem> = after
        .iter()
        .filter(|(key, value)| old.as_ref().is_none_or(|o| o.get(*key) != Some(*value)))
        .map(|(key, value)| RuleItem {
            key: (*key).to_owned(),
            before: old.as_ref().and_then(|o| o.get(key).cloned()),
            after: value.clone(),
        })
        .collect();
    if items.is_empty() {
        return Err(Error::code(ErrorCode::RuleUnchanged));
    }
    if plan.is_some() && !terms.active && items.len() > 1 {
        return Err(refuse(vec![(ACTIVE.to_owned(), ErrorCode::RulesContradict)]));
    }
    let change = Change {
        id: RuleChangeId::fresh(),
        kind: RuleChangeKind::Plan,
        plan,
        items,
        money: true,
        reason: why,
        status: RuleChangeStatus::Waiting,
        ordered_by: caller.user,
        effective_at: None,
    };
    service::wait(context, &mut tx, &change).await?;
    finish(context, tx, Some(caller.user), change.id, "plans.order").await
}

/// What a new plan has where nothing is said.
async fn fresh(context: &Context, tx: &mut Tx, written: &BTreeMap<String, String>) -> Result<Terms, Error> {
    let missing: Refusals = [VALUE, RISK]
        .iter()
        .filter(|key| !written.contains_key(**key))
        .map(|key| ((*key).to_owned(), ErrorCode::FieldRequired))
        .collect();
    if !missing.is_empty() {
        return Err(refuse(missing));
    }
    let in_force = context.settings.within(tx).await?;
    let settings = &in_force.settings;
    let risky = written.get(RISK).is_some_and(|risk| risk == "true");
    Ok(Terms {
        value: Usdt::ZERO,
        is_high_risk: risky,
        maximum_return_ppm: if risky {
            settings.maximum_return_high_risk
        } else {
            settings.maximum_return_standard
        },
        network_ceiling_ppm: settings.network_ceiling,
        allocation_factor: settings.allocation_factor,
        active: true,
    })
}

/// Carries out an agreed change.
pub(super) async fn put(tx: &mut Tx, change: &Change) -> Result<(), Error> {
    let from = match change.plan {
        Some(id) => plans::terms(tx, id).await?,
        // A new one names everything.
        None => Terms {
            value: Usdt::ZERO,
            is_high_risk: false,
            maximum_return_ppm: 0,
            network_ceiling_ppm: 0,
            allocation_factor: 1,
            active: true,
        },
    };
    let terms = apply(from, &change.items).map_err(refuse)?;
    plans::put(tx, change.plan, &terms).await?;
    Ok(())
}
