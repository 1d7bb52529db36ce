//! What a change of settings does, in plain figures: examples and counts, computed by the rules that will apply. Pure.

use super::store::Counts;
use crate::{
    foundation::{business_day, settings::Settings},
    licences::rules as licences,
    payouts::rules as payouts,
};
use protocol::money::Usdt;
use serde::Serialize;
use time::OffsetDateTime;

/// One effect: what it is about, and the figure before and after, or how many are concerned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = RuleEffect)]
pub struct Effect {
    /// The screen's sentence.
    pub code: &'static str,
    pub before: Option<String>,
    pub after: Option<String>,
    pub count: Option<i64>,
}

/// Steps of the ladder: who reaches it, and who keeps it.
const STEPS: [(&str, &str); 8] = [
    ("reach_bronze", "keep_bronze"),
    ("reach_silver", "keep_silver"),
    ("reach_gold", "keep_gold"),
    ("reach_platinum", "keep_platinum"),
    ("reach_diamond", "keep_diamond"),
    ("reach_double_diamond", "keep_double_diamond"),
    ("reach_ambassador", "keep_ambassador"),
    ("reach_crown", "keep_crown"),
];

const HUNDRED: Usdt = Usdt::whole(100);

/// What has to be paid in for 100 USDT.
fn deposit_price(s: &Settings) -> Usdt {
    HUNDRED + s.deposit_fee + licences::part(HUNDRED, s.deposit_fee_share)
}

/// The fee of a withdrawal of 100 USDT.
fn withdrawal_fee(s: &Settings) -> String {
    payouts::fee(HUNDRED, s).map_or_else(String::new, |fee| fee.to_string())
}

fn next_yield_day(s: &Settings, now: OffsetDateTime) -> String {
    licences::next_yield_day(business_day::of(now), &s.yield_days).map_or_else(String::new, |d| d.to_string())
}

/// What a rise of 100 USDT, and a sale of it, bring all uplines together.
fn bonuses_of_100(s: &Settings) -> String {
    let of = |rate| licences::part(HUNDRED, rate);
    let levels: Usdt = s.level_bonuses().map(of).into_iter().sum();
    let indirect = of(s.indirect_sale_bonus);
    let sales = of(s.direct_sale_bonus) + indirect + indirect + indirect + indirect;
    format!("{levels} / {sales}")
}

/// What a day with a result of 100 USDT, and 100 points matched, bring.
fn closing_of_100(s: &Settings) -> String {
    let of = |rate| licences::part(HUNDRED, rate);
    let residual: Usdt = s.residual_bonuses().map(of).into_iter().sum();
    format!("{residual} / {}", of(s.binary_bonus))
}

/// The effects of going from one set of settings to another.
#[must_use]
pub fn of(before: &Settings, after: &Settings, counts: &Counts, now: OffsetDateTime) -> Vec<Effect> {
    let mut effects = Vec::new();
    let figure = |code, before: String, after: String| Effect {
        code,
        before: Some(before),
        after: Some(after),
        count: None,
    };
    let concerned = |code, count| Effect {
        code,
        before: None,
        after: None,
        count: Some(count),
    };
    let (b, a) = (before, after);
    if (b.deposit_fee, b.deposit_fee_share) != (a.deposit_fee, a.deposit_fee_share) {
        effects.push(figure(
            "deposit_100",
            deposit_price(b).to_string(),
            deposit_price(a).to_string(),
        ));
        effects.push(concerned("open_intents_keep", counts.open_intents));
    }
    if (b.withdrawal_fee, b.withdrawal_fee_minimum) != (a.withdrawal_fee, a.withdrawal_fee_minimum) {
        effects.push(figure("withdrawal_100", withdrawal_fee(b), withdrawal_fee(a)));
        effects.push(concerned("open_withdrawals_keep", counts.open_withdrawals));
    }
    if b.yield_days != a.yield_days {
        effects.push(figure(
            "next_yield_day",
            next_yield_day(b, now),
            next_yield_day(a, now),
        ));
    }
    if b.lot_locked_days != a.lot_locked_days {
        effects.push(concerned("lots_keep", counts.locked_lots));
    }
    if b.cancel_days != a.cancel_days {
        effects.push(concerned("sales_keep", counts.open_sales));
    }
    if (b.network_fund_share, b.graduation_fund_share) != (a.network_fund_share, a.graduation_fund_share) {
        let split = |s: &Settings| {
            let (network, graduation, sales) =
                licences::split_price(HUNDRED, s.network_fund_share, s.graduation_fund_share);
            format!("{network} / {graduation} / {sales}")
        };
        effects.push(figure("sale_100", split(b), split(a)));
        effects.push(concerned("open_sales_change", counts.open_sales));
    }
    let at_once = |s: &Settings| (s.level_bonuses(), s.direct_sale_bonus, s.indirect_sale_bonus);
    if at_once(b) != at_once(a) {
        effects.push(figure("bonuses_100", bonuses_of_100(b), bonuses_of_100(a)));
    }
    let daily = |s: &Settings| (s.residual_bonuses(), s.binary_bonus);
    if daily(b) != daily(a) {
        effects.push(figure("closing_100", closing_of_100(b), closing_of_100(a)));
    }
    if b.binary_daily_cap != a.binary_daily_cap {
        let [now, then] = counts.cuts;
        effects.push(figure("cap_cut", now.amount.to_string(), then.amount.to_string()));
        effects.push(concerned("cap_members_now", now.members));
        effects.push(concerned("cap_members", then.members));
    }
    if (b.graduation_bonus, b.graduation_bronze) != (a.graduation_bonus, a.graduation_bronze) {
        let first = |s: &Settings| {
            let points = Usdt::whole(s.graduation_bronze);
            licences::part(points, s.graduation_bonus).to_string()
        };
        effects.push(figure("first_rank", first(b), first(a)));
    }
    let steps = b.graduations().into_iter().zip(a.graduations());
    for (((was, is), (reach, keep)), step) in steps.zip(STEPS).zip(&counts.reach) {
        if was != is {
            effects.push(concerned(reach, step.reach));
            effects.push(concerned(keep, step.keep));
        }
    }
    if b.payout_ceiling != a.payout_ceiling {
        let [now, then] = counts.past.days_over;
        effects.push(concerned("payout_days_now", now));
        effects.push(concerned("payout_days", then));
    }
    if b.fee_network_fund_share != a.fee_network_fund_share {
        let of = |s: &Settings| {
            licences::part(counts.past.fees.max(Usdt::ZERO), s.fee_network_fund_share).to_string()
        };
        effects.push(figure("fees_to_fund", of(b), of(a)));
    }
    if b.minimum_allocation != a.minimum_allocation {
        effects.push(concerned("robots_below", counts.below));
    }
    let desk = |s: &Settings| {
        (
            s.minimum_edge,
            s.minimum_edge_high_risk,
            s.cohort_share,
            s.cohort_share_high_risk,
            s.minimum_share,
        )
    };
    if desk(b) != desk(a)
        || (b.latency_ms, b.opportunity_life_ms, b.reservation_seconds)
            != (a.latency_ms, a.opportunity_life_ms, a.reservation_seconds)
    {
        effects.push(concerned("robots_trade", counts.trading));
    }
    if (
        b.allocation_factor,
        b.maximum_return_standard,
        b.maximum_return_high_risk,
        b.network_ceiling,
    ) != (
        a.allocation_factor,
        a.maximum_return_standard,
        a.maximum_return_high_risk,
        a.network_ceiling,
    ) {
        effects.push(concerned("licences_keep", counts.active_licences));
    }
    effects
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn examples_in_plain_figures() {
        let now = datetime!(2026-11-21 12:00 UTC);
        let before = Settings::default();
        let after = Settings {
            deposit_fee_share: 50_000,
            withdrawal_fee: 5_000,
            yield_days: vec![10],
            ..Settings::default()
        };
        let effects = of(&before, &after, &Counts::default(), now);
        let of = |code: &str| {
            effects.iter().find(|e| e.code == code).map(|e| {
                (
                    e.before.clone().unwrap_or_default(),
                    e.after.clone().unwrap_or_default(),
                )
            })
        };
        assert_eq!(
            of("deposit_100"),
            Some(("105.000000".into(), "106.000000".into()))
        );
        assert_eq!(
            of("withdrawal_100"),
            Some(("2.000000".into(), "1.000000".into())),
            "never below the minimum"
        );
        assert_eq!(
            of("next_yield_day"),
            Some(("2026-12-05".into(), "2026-12-10".into()))
        );
        assert!(super::of(&before, &before, &Counts::default(), now).is_empty());
    }

    #[test]
    fn each_step_of_the_ladder_is_told_by_itself() {
        let before = Settings::default();
        let after = Settings {
            graduation_ouro: 10_000,
            ..Settings::default()
        };
        let mut counts = Counts {
            reach: vec![super::super::store::Reach::default(); 8],
            ..Counts::default()
        };
        counts.reach[2].reach = 4;
        let effects = super::of(&before, &after, &counts, datetime!(2026-11-21 12:00 UTC));
        let told: Vec<_> = effects.iter().map(|e| (e.code, e.count)).collect();
        assert_eq!(told, [("reach_gold", Some(4)), ("keep_gold", Some(0))]);
    }
}
