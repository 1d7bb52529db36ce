//! When an owner may order an operation (docs/rules/desk.md#manual-operations): pure.

use super::model::ManualDaySide;
use crate::{
    error::Error,
    foundation::{business_day, settings::Settings},
    licences::model::Licence,
};
use protocol::{ErrorCode, money::Usdt, views::LicenceState};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

/// So long an order stands at the desk.
pub const STANDS: Duration = Duration::seconds(60);
/// An order that is open for longer is given up, and never begun: its desk has died.
pub const LIFE: Duration = Duration::seconds(70);
/// Longest route; the longest of a market have three legs.
const ROUTE: usize = 200;
const LEGS: std::ops::RangeInclusive<usize> = 2..=3;

/// All that an order depends on.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    pub licence: &'a Licence,
    pub settings: &'a Settings,
    pub now: OffsetDateTime,
    /// The owner asked for a time out.
    pub excluded: bool,
    /// One of the owner's orders is in the air.
    pub open: bool,
    /// When the desk began the owner's latest operation that was filled.
    pub last: Option<OffsetDateTime>,
    /// The desk stands still by the house's word.
    pub maintenance: bool,
    /// A desk runs, and the day's loss has not stopped it.
    pub desk: bool,
}

/// Why an order is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    pub code: ErrorCode,
    /// When this reason will be over, where it is known.
    pub until: Option<OffsetDateTime>,
}

impl Refused {
    /// The refusal as its caller sees it.
    #[must_use]
    pub fn error(self, settings: &Settings) -> Error {
        let error = Error::code(self.code);
        match self.until {
            Some(until) => error
                .with("at", until.format(&Rfc3339).unwrap_or_default())
                .with("shown", business_day::shown_time(until)),
            None if self.code == ErrorCode::ManualNotAllocated => {
                error.with("minimum", settings.minimum_allocation)
            }
            None => error,
        }
    }
}

impl Situation<'_> {
    /// Until when the owner's next turn has to be waited for.
    #[must_use]
    pub fn turn(&self) -> Option<OffsetDateTime> {
        let wait = Duration::seconds(i64::from(self.settings.manual_wait_seconds));
        self.last.map(|at| at + wait).filter(|until| *until > self.now)
    }

    /// The first reason against an order now, in the order in which its owner can do something about it.
    #[must_use]
    pub fn refusal(&self) -> Option<Refused> {
        let (l, now) = (self.licence, self.now);
        let early = l.eligible_from.filter(|from| *from > now);
        let turn = self.turn();
        let reasons = [
            (self.excluded, ErrorCode::SelfExcluded, None),
            (l.state != LicenceState::Active, ErrorCode::LicenceState, None),
            (l.manual_revoked, ErrorCode::ManualRevoked, None),
            (!l.manual_key, ErrorCode::ManualKeyOff, None),
            (l.topup_at.is_none(), ErrorCode::ManualNoTopup, None),
            (!l.limit_left().is_positive(), ErrorCode::ManualLimitReached, None),
            (
                l.goal_day == Some(business_day::of(now)),
                ErrorCode::ManualGoalReached,
                None,
            ),
            (l.paused, ErrorCode::ManualPaused, None),
            (
                l.allocated < self.settings.minimum_allocation || l.eligible_from.is_none(),
                ErrorCode::ManualNotAllocated,
                None,
            ),
            (early.is_some(), ErrorCode::ManualTooEarly, early),
            (self.open, ErrorCode::ManualOpen, None),
            (turn.is_some(), ErrorCode::ManualWait, turn),
            (self.maintenance, ErrorCode::DeskMaintenance, None),
            (!self.desk, ErrorCode::ManualDeskOff, None),
        ];
        reasons
            .into_iter()
            .find(|(holds, ..)| *holds)
            .map(|(_, code, until)| Refused { code, until })
    }
}

/// Whether a robot may still operate at its owner's word when the desk takes the order; turn and desk are settled by then.
#[must_use]
pub fn operates(licence: &Licence, settings: &Settings, now: OffsetDateTime) -> bool {
    let situation = Situation {
        licence,
        settings,
        now,
        excluded: false,
        open: false,
        last: None,
        maintenance: false,
        desk: true,
    };
    situation.refusal().is_none()
}

/// A route as the board shows it: from an asset over one or two others, each at a venue, back to it. None for what cannot be one; whether the
/// desk's market has it the desk alone knows.
#[must_use]
pub fn route(given: &str) -> Option<String> {
    let route = crate::foundation::text::line(given).filter(|r| r.chars().count() <= ROUTE)?;
    let is_asset = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric());
    let mut legs = route.split(" → ");
    let begins = legs.next().filter(|asset| is_asset(asset))?;
    let reached: Option<Vec<&str>> = legs
        .map(|leg| {
            let (asset, venue) = leg.strip_suffix(')')?.split_once(" (")?;
            let named = !venue.trim().is_empty() && !venue.contains(['(', ')', '→']);
            (is_asset(asset) && named).then_some(asset)
        })
        .collect();
    let reached = reached.filter(|reached| LEGS.contains(&reached.len()))?;
    (reached.last() == Some(&begins)).then_some(route)
}

/// A side of a day with its edge.
#[must_use]
pub fn side(operations: i64, volume: Usdt, net: Usdt) -> ManualDaySide {
    ManualDaySide {
        operations,
        volume,
        net,
        edge: edge(net, volume),
    }
}

/// `net ÷ volume` in percent, four decimals, cut towards zero; none without volume.
fn edge(net: Usdt, volume: Usdt) -> Option<String> {
    if !volume.is_positive() {
        return None;
    }
    let ppm = i128::from(net.0) * 1_000_000 / i128::from(volume.0);
    Some(parts_per_million(i64::try_from(ppm).unwrap_or(i64::MAX)))
}

/// In percent with four decimals.
#[must_use]
pub fn parts_per_million(ppm: i64) -> String {
    let sign = if ppm < 0 { "-" } else { "" };
    let parts = ppm.unsigned_abs();
    format!("{sign}{}.{:04}", parts / 10_000, parts % 10_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foundation::settings::PERCENT;
    use proptest::prelude::*;
    use protocol::ids::{LicenceId, PlanId, UserId};
    use time::macros::{date, datetime};

    const NOW: OffsetDateTime = datetime!(2026-11-22 15:00:30 UTC);

    fn licence() -> Licence {
        Licence {
            id: LicenceId::fresh(),
            owner: UserId::fresh(),
            number: 1,
            plan: PlanId::fresh(),
            value: Usdt::whole(100),
            is_high_risk: false,
            maximum_return_ppm: 300 * PERCENT,
            network_ceiling_ppm: 500 * PERCENT,
            allocation_factor: 5,
            sponsored: false,
            state: LicenceState::Active,
            paid_at: datetime!(2026-11-01 12:00 UTC),
            cancellable_until: datetime!(2026-11-08 12:00 UTC),
            final_at: Some(datetime!(2026-11-01 12:01 UTC)),
            price: Usdt::ZERO,
            topup: Usdt::ZERO,
            allocated: Usdt::whole(100),
            yield_balance: Usdt::ZERO,
            loan: Usdt::ZERO,
            reserved: Usdt::ZERO,
            capital: Usdt::whole(200),
            gains: Usdt::ZERO,
            losses: Usdt::ZERO,
            topup_at: Some(datetime!(2026-11-01 12:01 UTC)),
            paused: false,
            manual_key: true,
            manual_revoked: false,
            goal_ppm: PERCENT,
            goal_day: None,
            today: Usdt::ZERO,
            today_day: None,
            operations: 0,
            eligible_from: Some(datetime!(2026-11-01 12:02 UTC)),
            last_served: None,
            loan_taken: Usdt::ZERO,
            loan_at: None,
            loan_stopped: false,
            version: 1,
        }
    }

    fn refusal(change: impl FnOnce(&mut Licence)) -> Option<Refused> {
        let mut licence = licence();
        change(&mut licence);
        situation(&licence, &Settings::default(), |_| {})
    }

    fn situation(
        licence: &Licence,
        settings: &Settings,
        change: impl FnOnce(&mut Situation<'_>),
    ) -> Option<Refused> {
        let mut s = Situation {
            licence,
            settings,
            now: NOW,
            excluded: false,
            open: false,
            last: None,
            maintenance: false,
            desk: true,
        };
        change(&mut s);
        s.refusal()
    }

    #[test]
    fn every_reason_of_the_licence() {
        type Change = fn(&mut Licence);
        let cases: [(Change, Option<&str>); 14] = [
            (|_| {}, None),
            (|l| l.state = LicenceState::CeilingReached, Some("licence.state")),
            (|l| l.state = LicenceState::Cancelled, Some("licence.state")),
            (|l| l.manual_revoked = true, Some("manual.revoked")),
            (|l| l.manual_key = false, Some("manual.key_off")),
            (|l| l.topup_at = None, Some("manual.no_topup")),
            (|l| l.gains = Usdt(599_999_999), None),
            (|l| l.gains = Usdt::whole(600), Some("manual.limit_reached")),
            (
                |l| l.goal_day = Some(date!(2026 - 11 - 22)),
                Some("manual.goal_reached"),
            ),
            (|l| l.goal_day = Some(date!(2026 - 11 - 21)), None),
            (|l| l.paused = true, Some("manual.paused")),
            (|l| l.allocated = Usdt(9_999_999), Some("manual.not_allocated")),
            (|l| l.allocated = Usdt::whole(10), None),
            (|l| l.eligible_from = None, Some("manual.not_allocated")),
        ];
        for (place, (change, code)) in cases.into_iter().enumerate() {
            let found = refusal(change);
            assert_eq!(found.map(|r| r.code.as_str()), code, "case {place}");
            assert!(found.is_none_or(|r| r.until.is_none()));
        }
        // One who owes nothing to anybody, and has everything against it: the contract is named first, then staff, then the key.
        let all: Change = |l| {
            (l.manual_revoked, l.manual_key, l.paused) = (true, false, true);
            l.topup_at = None;
        };
        assert_eq!(refusal(all).map(|r| r.code), Some(ErrorCode::ManualRevoked));
    }

    #[test]
    fn capital_takes_part_from_its_minute_on() {
        let from = |at| refusal(|l| l.eligible_from = Some(at));
        assert_eq!(
            from(datetime!(2026-11-22 15:01 UTC)),
            Some(Refused {
                code: ErrorCode::ManualTooEarly,
                until: Some(datetime!(2026-11-22 15:01 UTC))
            })
        );
        assert_eq!(from(NOW), None);
    }

    #[test]
    fn turn_desk_and_open_order() {
        let (licence, settings) = (licence(), Settings::default());
        let with = |last: Option<OffsetDateTime>, open, desk| {
            situation(&licence, &settings, |s| {
                (s.last, s.open, s.desk) = (last, open, desk)
            })
        };
        let ago = |seconds| Some(NOW - Duration::seconds(seconds));
        assert_eq!(with(ago(60), false, true), None, "a minute is over");
        assert_eq!(
            with(ago(59), false, true),
            Some(Refused {
                code: ErrorCode::ManualWait,
                until: Some(NOW + Duration::SECOND)
            })
        );
        assert_eq!(
            with(ago(3), true, true).map(|r| r.code),
            Some(ErrorCode::ManualOpen)
        );
        assert_eq!(
            with(ago(61), false, false).map(|r| r.code),
            Some(ErrorCode::ManualDeskOff)
        );
        let still = situation(&licence, &settings, |s| (s.maintenance, s.desk) = (true, false));
        assert_eq!(still.map(|r| r.code), Some(ErrorCode::DeskMaintenance));
        let away = situation(&licence, &settings, |s| (s.excluded, s.open) = (true, true));
        assert_eq!(away.map(|r| r.code), Some(ErrorCode::SelfExcluded));
        let longer = Settings {
            manual_wait_seconds: 90,
            ..Settings::default()
        };
        assert_eq!(
            situation(&licence, &longer, |s| s.last = ago(60)).map(|r| r.until),
            Some(Some(NOW + Duration::seconds(30)))
        );
    }

    #[test]
    fn the_refusal_tells_when_and_how_much() {
        let settings = Settings::default();
        let body = |code, until| {
            Refused { code, until }
                .error(&settings)
                .body(crate::foundation::locale::Locale::En)
        };
        let wait = body(ErrorCode::ManualWait, Some(NOW));
        assert_eq!(wait.params["at"], "2026-11-22T15:00:30Z");
        assert!(wait.message.contains("12:00:30"), "{}", wait.message);
        let least = body(ErrorCode::ManualNotAllocated, None);
        assert!(least.message.contains("10.000000"), "{}", least.message);
        assert!(body(ErrorCode::ManualPaused, None).params.is_empty());
    }

    #[test]
    fn what_can_be_a_route() {
        let known = "USDT → BTC (Aurora) → USDT (Boreal)";
        assert_eq!(route(known).as_deref(), Some(known));
        assert_eq!(route(&format!("  {known} ")).as_deref(), Some(known));
        let triangle = "USDT → BTC (Aurora) → ETH (Aurora) → USDT (Aurora)";
        assert_eq!(route(triangle).as_deref(), Some(triangle));
        let long = format!("USDT → BTC ({}) → USDT (b)", "x".repeat(200));
        for bad in [
            "",
            "   ",
            "a\u{202e}b",
            &long,
            "tudo",
            "USDT",
            "USDT → BTC (Aurora)",
            "USDT → USDT (Aurora)",
            "USDT → BTC (Aurora) → BRL (Boreal)",
            "USDT → BTC → USDT",
            "USDT → BTC () → USDT (Boreal)",
            "USDT → (Aurora) → USDT (Boreal)",
            "USDT -> BTC (Aurora) -> USDT (Boreal)",
            "USDT → BTC (Aurora) → ETH (b) → BNB (b) → USDT (b)",
            "USDT → BTC (Aurora)) → USDT (Boreal)",
        ] {
            assert_eq!(route(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn an_edge_in_percent() {
        let cases = [
            (0, 0, None),
            (5, 0, None),
            (0, 1, Some("0.0000")),
            (700, 1_000_000, Some("0.0700")),
            (-700, 1_000_000, Some("-0.0700")),
            (-1, 1_000_000, Some("-0.0001")),
            (-1, 10_000_000, Some("0.0000")),
            (17_961, 1_000_000, Some("1.7961")),
            (3_000_000, 1_000_000, Some("300.0000")),
        ];
        for (net, volume, text) in cases {
            assert_eq!(
                edge(Usdt(net), Usdt(volume)).as_deref(),
                text,
                "{net} of {volume}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_turn_lasts_exactly_its_time(wait in 10u32..3_600, ago in 0i64..4_000) {
            let (licence, settings) = (licence(), Settings { manual_wait_seconds: wait, ..Settings::default() });
            let found = situation(&licence, &settings, |s| s.last = Some(NOW - Duration::seconds(ago)));
            prop_assert_eq!(found.is_some(), ago < i64::from(wait));
            if let Some(refused) = found {
                prop_assert_eq!(refused.until, Some(NOW - Duration::seconds(ago) + Duration::seconds(i64::from(wait))));
            }
        }
    }
}
