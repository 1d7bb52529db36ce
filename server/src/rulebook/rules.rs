//! Changes of settings: what they make of a body, and which combinations cannot be. Pure.

use super::descriptors::{self, Descriptor};
use crate::foundation::settings::{Settings, WHOLE};
use protocol::{ErrorCode, views::RuleItem};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A change's refusals, by key.
pub type Refusals = Vec<(String, ErrorCode)>;

/// What was written, read against a body: the items that really change it.
///
/// # Errors
/// Every key that is unknown, malformed, out of its bounds, or changes nothing.
pub fn items(
    body: &Map<String, Value>,
    written: &BTreeMap<String, String>,
) -> Result<Vec<RuleItem>, Refusals> {
    let mut refused = Refusals::new();
    let mut items = Vec::new();
    for (key, text) in written {
        let Some(descriptor) = descriptors::find(key) else {
            refused.push((key.clone(), ErrorCode::RuleUnknown));
            continue;
        };
        let before = shown(body, descriptor);
        match descriptor.read(text) {
            Err(code) => refused.push((key.clone(), code)),
            Ok(value) if descriptor.show(&value) == before => {
                refused.push((key.clone(), ErrorCode::RuleUnchanged))
            }
            Ok(value) => items.push(RuleItem {
                key: key.clone(),
                before: Some(before),
                after: descriptor.show(&value),
            }),
        }
    }
    if refused.is_empty() {
        Ok(items)
    } else {
        Err(refused)
    }
}

fn shown(body: &Map<String, Value>, descriptor: &Descriptor) -> String {
    body.get(descriptor.key)
        .map(|v| descriptor.show(v))
        .unwrap_or_default()
}

/// A body with a change's items in it.
///
/// # Errors
/// A key that no longer exists or no longer takes its value.
pub fn apply(body: &mut Map<String, Value>, items: &[RuleItem]) -> Result<(), Refusals> {
    let mut refused = Refusals::new();
    for item in items {
        match descriptors::find(&item.key).map(|d| d.read(&item.after)) {
            Some(Ok(value)) => {
                body.insert(item.key.clone(), value);
            }
            Some(Err(code)) => refused.push((item.key.clone(), code)),
            None => refused.push((item.key.clone(), ErrorCode::RuleUnknown)),
        }
    }
    if refused.is_empty() { Ok(()) } else { Err(refused) }
}

/// Whether any of a change's items is about money.
#[must_use]
pub fn about_money(items: &[RuleItem]) -> bool {
    items
        .iter()
        .any(|item| descriptors::find(&item.key).is_none_or(|d| d.money))
}

/// What cannot stand together; pointed at the keys concerned.
///
/// # Errors
/// All of it.
pub fn check(s: &Settings) -> Result<(), Refusals> {
    let mut refused = Refusals::new();
    let mut never = |wrong: bool, keys: &[&str]| {
        if wrong {
            refused.extend(
                keys.iter()
                    .map(|key| ((*key).to_owned(), ErrorCode::RulesContradict)),
            );
        }
    };
    never(
        s.network_fund_share + s.graduation_fund_share > WHOLE,
        &["networkFundShare", "graduationFundShare"],
    );
    never(s.minimum_goal > s.default_goal, &["minimumGoal", "defaultGoal"]);
    never(s.default_goal > s.maximum_goal, &["defaultGoal", "maximumGoal"]);
    never(
        s.minimum_share > s.minimum_allocation,
        &["minimumShare", "minimumAllocation"],
    );
    never(s.pix_minimum > s.pix_maximum, &["pixMinimum", "pixMaximum"]);
    never(
        s.deposit_minimum > s.deposit_maximum,
        &["depositMinimum", "depositMaximum"],
    );
    never(
        s.outbound_per_transaction > s.outbound_per_day,
        &["outboundPerTransaction", "outboundPerDay"],
    );
    // Nothing would be left of the smallest withdrawal.
    never(
        s.withdrawal_fee_minimum >= s.withdrawal_minimum,
        &["withdrawalFeeMinimum", "withdrawalMinimum"],
    );
    never(s.yield_days.is_empty(), &["yieldDays"]);
    let ladder = s.graduations();
    never(
        ladder
            .iter()
            .zip(ladder.iter().skip(1))
            .any(|(low, high)| low >= high),
        &[
            "graduationBronze",
            "graduationPrata",
            "graduationOuro",
            "graduationPlatina",
            "graduationDiamante",
            "graduationDuploDiamante",
            "graduationEmbaixador",
            "graduationCoroa",
        ],
    );
    if refused.is_empty() { Ok(()) } else { Err(refused) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    }

    #[test]
    fn only_what_changes_is_a_change() {
        let body = descriptors::body(&Settings::default());
        assert_eq!(
            items(
                &body,
                &written(&[("withdrawalFee", "2"), ("nothing", "1"), ("latencyMs", "x")])
            ),
            Err(vec![
                ("latencyMs".into(), ErrorCode::AmountInvalid),
                ("nothing".into(), ErrorCode::RuleUnknown),
                ("withdrawalFee".into(), ErrorCode::RuleUnchanged),
            ])
        );
        let change = items(&body, &written(&[("withdrawalFee", "3")])).unwrap_or_default();
        assert_eq!(
            change,
            [RuleItem {
                key: "withdrawalFee".into(),
                before: Some("2.00".into()),
                after: "3.00".into()
            }]
        );
        assert!(about_money(&change));
        assert!(!about_money(
            &items(&body, &written(&[("latencyMs", "200")])).unwrap_or_default()
        ));
    }

    #[test]
    fn contradictions_name_both_sides() {
        assert_eq!(check(&Settings::default()), Ok(()));
        let wrong = Settings {
            network_fund_share: 96 * 10_000,
            ..Settings::default()
        };
        let keys: Vec<String> = check(&wrong)
            .unwrap_err()
            .into_iter()
            .map(|(key, _)| key)
            .collect();
        assert_eq!(keys, ["networkFundShare", "graduationFundShare"]);
        let wrong = Settings {
            yield_days: Vec::new(),
            ..Settings::default()
        };
        assert!(check(&wrong).is_err());
    }

    proptest! {
        /// What was applied is what is shown, and nothing else moved.
        #[test]
        fn a_change_changes_its_keys_alone(fee in 0i64..=200_000, latency in 0i64..=5_000) {
            let before = descriptors::body(&Settings::default());
            let mut after = before.clone();
            let change = [
                RuleItem { key: "withdrawalFee".into(), before: None, after: descriptors::find("withdrawalFee").map(|d| d.bound(fee)).unwrap_or_default() },
                RuleItem { key: "latencyMs".into(), before: None, after: latency.to_string() },
            ];
            prop_assert_eq!(apply(&mut after, &change), Ok(()));
            let settings: Settings = serde_json::from_value(Value::Object(after.clone())).unwrap_or_default();
            prop_assert_eq!((settings.withdrawal_fee, i64::from(settings.latency_ms)), (fee, latency));
            for (key, value) in &before {
                if key != "withdrawalFee" && key != "latencyMs" {
                    prop_assert_eq!(after.get(key), Some(value));
                }
            }
        }
    }
}
