//! Whole lives of operations on a clock that the tests move, and a seeded run with a server that fails at random.

use super::super::market::{Price, QUANTITY_ONE, Quantity};
use super::*;
use protocol::ids::{LicenceId, UserId};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

const START: i64 = 1_700_000_000_000;

fn market() -> Arc<Market> {
    let mut market = Market::default();
    for venue in ["a", "b"] {
        market.add_venue(venue, 1_000).unwrap();
        market.add_instrument(venue, "BTC", "USDT").unwrap();
    }
    Arc::new(market)
}

fn robot(n: u128, allocated: i64) -> RobotSnapshot {
    RobotSnapshot {
        licence: LicenceId(Uuid::from_u128(n)),
        user: UserId(Uuid::from_u128(n)),
        high_risk: false,
        allocated: Usdt::whole(allocated),
        operating: true,
        active_from_ms: 0,
        last_served_ms: 0,
        follows: None,
        version: 1,
    }
}

fn floor(robots: Vec<RobotSnapshot>) -> Floor {
    let market = market();
    let usdt = market.asset("USDT").unwrap();
    let rules = FloorRules {
        refusal_ppm: 0,
        ..FloorRules::new("test", Mode::Simulated, 1)
    };
    let mut floor = Floor::new(market, usdt, rules);
    floor.on_eligible(Ok(robots), START);
    floor.effects();
    floor
}

fn quote(floor: &mut Floor, id: u32, bid: i64, ask: i64, now: i64) {
    let quantity = Quantity(10 * QUANTITY_ONE);
    let price = |p: i64| Price(p * super::super::market::PRICE_ONE);
    let quote = Quote {
        bid: price(bid),
        ask: price(ask),
        bid_quantity: quantity,
        ask_quantity: quantity,
        at_ms: now,
    };
    floor.on_quote(InstrumentId(id), quote, now);
}

fn asked(effects: &[Effect]) -> Vec<(OperationId, Vec<Share>)> {
    let one = |e: &Effect| match e {
        Effect::Reserve {
            operation, shares, ..
        } => Some((*operation, shares.clone())),
        _ => None,
    };
    effects.iter().filter_map(one).collect()
}

fn sent(effects: &[Effect]) -> Option<Arc<Batch>> {
    effects.iter().find_map(|e| {
        if let Effect::Settle(batch) = e {
            Some(Arc::clone(batch))
        } else {
            None
        }
    })
}

#[test]
fn an_operation_from_quote_to_booking() {
    let mut f = floor(vec![robot(1, 1_000), robot(2, 1_000)]);
    quote(&mut f, 0, 99, 100, START);
    quote(&mut f, 1, 102, 103, START);
    let (id, shares) = asked(&f.effects()).remove(0);
    assert_eq!(
        shares.iter().map(|s| s.amount).collect::<Vec<_>>(),
        [Usdt::whole(100), Usdt::whole(100)]
    );
    // The server takes only half of the second share.
    let accepted = vec![
        shares[0],
        Share {
            amount: Usdt::whole(50),
            ..shares[1]
        },
    ];
    f.on_reserved(id, Ok(accepted), START + 10);
    assert_eq!(f.roster.bound(shares[1].licence), Usdt::whole(50));
    // The price falls before the order arrives.
    quote(&mut f, 1, 99, 103, START + 100);
    f.on_tick(START + 149);
    assert!(sent(&f.effects()).is_none(), "not before the latency has passed");
    f.on_tick(START + 150);
    let batch = sent(&f.effects()).unwrap();
    let operation = &batch.operations[0];
    assert_eq!(
        (operation.id, operation.legs.len(), operation.filled_ms),
        (id, 2, START + 150)
    );
    assert!(
        operation.result.is_negative(),
        "filled at the later quotes: {:?}",
        operation.result
    );
    assert_eq!(operation.volume, Usdt::whole(150));
    assert_eq!(operation.legs[0].fee, "0.0015 BTC");
    assert_eq!(
        operation.shares.iter().map(|s| s.result).sum::<Usdt>(),
        operation.result
    );
    assert_eq!(
        operation.shares.iter().map(|s| s.volume).sum::<Usdt>(),
        operation.volume
    );
    let after = RobotSnapshot {
        allocated: Usdt::whole(999),
        version: 2,
        ..robot(1, 0)
    };
    f.on_settled(
        batch.id,
        Ok(SettledBatch {
            robots: vec![after],
            day: None,
        }),
        START + 160,
    );
    assert_eq!(
        f.roster.get(shares[0].licence).unwrap().allocated,
        Usdt::whole(999)
    );
    assert_eq!(f.roster.bound(shares[0].licence), Usdt::ZERO);
    f.close();
    assert!(f.is_done());
}

#[test]
fn one_opening_is_taken_once_up_to_its_depth() {
    let mut f = floor((1..=40).map(|n| robot(n, 10_000)).collect());
    quote(&mut f, 0, 99, 100, START);
    quote(&mut f, 1, 102, 103, START);
    for at in 1..10 {
        quote(&mut f, 0, 99, 100, START + at * 100);
        quote(&mut f, 1, 102, 103, START + at * 100);
    }
    let asked = asked(&f.effects());
    let total: Usdt = asked
        .iter()
        .flat_map(|(_, shares)| shares.iter().map(|s| s.amount))
        .sum();
    assert_eq!(
        total,
        Usdt::whole(1_000),
        "ten BTC at 100, however often the quotes are repeated"
    );
}

#[test]
fn a_batch_that_fails_is_sent_again_unchanged() {
    let mut f = floor(vec![robot(1, 1_000)]);
    let operate = |f: &mut Floor, now: i64| {
        quote(f, 1, 90, 103, now);
        quote(f, 0, 99, 100, now);
        quote(f, 1, 102, 103, now);
        let (id, shares) = asked(&f.effects()).remove(0);
        f.on_reserved(id, Ok(shares), now + 1);
        f.on_tick(now + 150);
        id
    };
    let first = operate(&mut f, START);
    let batch = sent(&f.effects()).unwrap();
    assert_eq!(batch.operations[0].id, first);
    f.on_settled(
        batch.id,
        Err(SettleError::Unavailable("down".into())),
        START + 200,
    );
    let second = operate(&mut f, START + 1_000);
    f.on_tick(START + 2_199);
    assert!(sent(&f.effects()).is_none(), "waits before it asks again");
    f.on_tick(START + 2_200);
    let again = sent(&f.effects()).unwrap();
    assert!(Arc::ptr_eq(&batch, &again));
    f.on_tick(START + 9_000);
    assert!(sent(&f.effects()).is_none(), "one at a time");
    f.on_settled(again.id, Ok(SettledBatch::default()), START + 9_001);
    f.on_settled(again.id, Ok(SettledBatch::default()), START + 9_002);
    f.on_tick(START + 9_003);
    let next = sent(&f.effects()).unwrap();
    assert_eq!(next.operations.iter().map(|o| o.id).collect::<Vec<_>>(), [second]);
    assert_ne!(next.id, batch.id);
}

#[test]
fn at_most_one_settlement_a_second() {
    let mut f = floor((1..=5).map(|n| robot(n, 1_000)).collect());
    let (mut settled, mut operations) = (Vec::new(), 0);
    for step in 0..300 {
        let now = START + step * 20;
        if step % 10 == 0 {
            quote(&mut f, 1, 90, 103, now);
            quote(&mut f, 0, 99, 100, now);
            quote(&mut f, 1, 102, 103, now);
        }
        f.on_tick(now);
        let effects = f.effects();
        for (id, shares) in asked(&effects) {
            f.on_reserved(id, Ok(shares), now);
        }
        if let Some(batch) = sent(&effects) {
            settled.push(now);
            operations += batch.operations.len();
            f.on_settled(batch.id, Ok(SettledBatch::default()), now);
        }
    }
    assert!(settled.len() == 6 && operations > 10);
    assert!(settled.windows(2).all(|w| w[1] - w[0] >= 1_000));
}

#[test]
fn without_the_lease_nothing_more_is_booked() {
    let mut f = floor(vec![robot(1, 1_000)]);
    quote(&mut f, 0, 99, 100, START);
    quote(&mut f, 1, 102, 103, START);
    let (id, _) = asked(&f.effects()).remove(0);
    f.on_reserved(id, Err(SettleError::Fenced), START + 5);
    f.on_tick(START + 5_000);
    assert!(f.effects().is_empty() && f.is_done());
}

#[test]
fn shares_that_are_never_confirmed_are_given_up_and_freed() {
    let mut f = floor(vec![robot(1, 1_000)]);
    quote(&mut f, 0, 99, 100, START);
    quote(&mut f, 1, 102, 103, START);
    let (id, shares) = asked(&f.effects()).remove(0);
    f.on_tick(START + 5_000);
    let batch = sent(&f.effects()).unwrap();
    assert_eq!((batch.operations[0].id, batch.operations[0].legs.len()), (id, 0));
    assert_eq!(batch.operations[0].result, Usdt::ZERO);
    f.on_reserved(id, Ok(shares), START + 6_000);
    f.on_settled(batch.id, Ok(SettledBatch::default()), START + 6_001);
    f.close();
    assert!(f.is_done(), "a late answer brings nothing back");
}

/// Whether a fresh opening is taken; its operation is confirmed.
fn begins(f: &mut Floor, now: i64) -> bool {
    quote(f, 1, 99, 103, now);
    quote(f, 0, 99, 100, now);
    quote(f, 1, 102, 103, now);
    let begun = asked(&f.effects());
    for (id, shares) in &begun {
        f.on_reserved(*id, Ok(shares.clone()), now);
    }
    !begun.is_empty()
}

fn day(net: i64, operations: i64) -> Day {
    Day {
        net: Usdt(net),
        operations,
        until_ms: START + 50_000,
    }
}

#[test]
fn at_the_days_loss_nothing_more_begins_until_tomorrow_or_a_higher_limit() {
    let mut f = floor(vec![robot(1, 1_000)]);
    let limits = |loss| Limits {
        daily_loss: Usdt::whole(loss),
        ..Limits::default()
    };
    let risk = |loss, day| Risk {
        limits: Some(limits(loss)),
        day: Some(day),
    };
    f.on_risk(risk(5, day(-4_999_999, 10)));
    assert!(begins(&mut f, START), "a micro-unit is left");
    f.on_risk(risk(5, day(-5_000_000, 11)));
    assert_eq!(f.halted(), Some(DeskHalt::DailyLoss));
    assert!(!begins(&mut f, START + 4_000));
    // An older look at the day that arrives late.
    f.on_risk(risk(5, day(0, 9)));
    assert!(!begins(&mut f, START + 8_000));
    f.on_risk(risk(6, day(-5_000_000, 11)));
    assert!(begins(&mut f, START + 12_000), "a setting raised it");
    f.on_risk(risk(5, day(-5_000_000, 12)));
    assert!(!begins(&mut f, START + 16_000));
    f.on_tick(START + 50_000);
    assert!(
        f.effects().iter().any(|e| matches!(e, Effect::Refresh)),
        "the new day is asked for"
    );
    assert!(begins(&mut f, START + 50_001), "tomorrow");
}

#[test]
fn a_loss_counts_before_it_is_booked() {
    let mut f = floor(vec![robot(1, 1_000)]);
    f.on_risk(Risk {
        limits: Some(Limits {
            daily_loss: Usdt(1),
            ..Limits::default()
        }),
        day: Some(day(0, 0)),
    });
    assert!(begins(&mut f, START));
    // The price falls before the order arrives: a loss, which waits for its booking.
    quote(&mut f, 1, 90, 103, START + 100);
    f.on_tick(START + 150);
    let batch = sent(&f.effects()).unwrap();
    let lost = batch.operations[0].result;
    assert!(lost.is_negative());
    assert!(f.halted().is_some());
    f.on_settled(
        batch.id,
        Ok(SettledBatch {
            robots: Vec::new(),
            day: Some(day(lost.0, 1)),
        }),
        START + 160,
    );
    assert!(f.halted().is_some(), "booked, it counts once and still");
    assert_eq!(f.losses, Usdt::ZERO);
}

#[test]
fn a_gain_counts_once_it_is_booked() {
    let mut f = floor(vec![robot(1, 1_000)]);
    let limits = Limits {
        daily_loss: Usdt::whole(5),
        ..Limits::default()
    };
    f.on_risk(Risk {
        limits: Some(limits),
        day: Some(day(-4_999_999, 1)),
    });
    assert!(begins(&mut f, START));
    f.on_tick(START + 150);
    let batch = sent(&f.effects()).unwrap();
    let won = batch.operations[0].result;
    assert!(won.is_positive());
    // The day already holds the gain, and a loss of another batch; the gain's own answer is still under way.
    f.on_risk(Risk {
        limits: None,
        day: Some(day(-5_000_000, 3)),
    });
    assert_eq!(f.halted(), Some(DeskHalt::DailyLoss), "a gain never counts twice");
    f.on_settled(
        batch.id,
        Ok(SettledBatch {
            robots: Vec::new(),
            day: Some(day(-5_000_000 + won.0, 4)),
        }),
        START + 160,
    );
    assert_eq!(f.halted(), None);
}

proptest::proptest! {
    #[test]
    fn limits_bound_every_operation_every_venue_and_the_day(
        max_operation in 1i64..600, max_venue in 1i64..900, daily_loss in 1i64..40,
        quotes in proptest::collection::vec((0u32..2, 97i64..104, 0i64..400), 1..120),
    ) {
        let mut f = floor((1..=8).map(|n| robot(n, 1_000)).collect());
        let limits = Limits {
            max_operation: Usdt::whole(max_operation),
            max_venue: Usdt::whole(max_venue),
            daily_loss: Usdt::whole(daily_loss),
        };
        f.on_risk(Risk { limits: Some(limits), day: Some(Day { until_ms: i64::MAX, ..day(0, 0) }) });
        let (mut now, mut net, mut operations) = (START, 0i64, 0i64);
        for (venue, bid, wait) in quotes {
            now += wait;
            f.on_tick(now);
            quote(&mut f, venue, bid, bid + 1, now);
            proptest::prop_assert!(f.losses.0 <= 0 && (f.losses.0 == 0 || !f.settlements.is_empty()));
            let (stopped, standing) = (f.halted().is_some(), net + f.losses.0);
            for effect in f.effects() {
                match effect {
                    Effect::Reserve { operation, shares, .. } => {
                        proptest::prop_assert!(standing > -limits.daily_loss.0, "nothing begins beyond the day's loss");
                        let size: Usdt = shares.iter().map(|s| s.amount).sum();
                        proptest::prop_assert!(size <= limits.max_operation);
                        f.on_reserved(operation, Ok(shares), now);
                    }
                    Effect::Settle(batch) => {
                        net += batch.operations.iter().map(|o| o.result.0).sum::<i64>();
                        operations += i64::try_from(batch.operations.len()).unwrap();
                        let day = Day { net: Usdt(net), operations, until_ms: i64::MAX };
                        f.on_settled(batch.id, Ok(SettledBatch { robots: Vec::new(), day: Some(day) }), now);
                    }
                    _ => {}
                }
            }
            // Both venues carry every cycle of this market.
            let in_the_air: Usdt = f.flights.iter().flat_map(|x| &x.shares).map(|s| s.amount).sum();
            proptest::prop_assert!(in_the_air <= limits.max_venue);
            if stopped {
                proptest::prop_assert!(standing <= -limits.daily_loss.0);
            }
        }
    }
}

#[test]
fn glimpses_come_at_their_pace() {
    let mut f = floor(Vec::new());
    let (mut stats, mut opportunities, mut quotes) = (0, 0, 0);
    for step in 0..100 {
        let now = START + step * 20;
        quote(&mut f, 0, 99, 100, now);
        quote(&mut f, 1, 102, 103, now);
        f.on_tick(now);
        for effect in f.effects() {
            match effect {
                Effect::Show(Glimpse::DeskStats(s)) => {
                    stats += 1;
                    assert_eq!(
                        (s.feed.as_str(), s.mode, s.running),
                        ("test", Mode::Simulated, true)
                    );
                }
                Effect::Show(Glimpse::Opportunity(o)) => {
                    opportunities += 1;
                    assert_eq!((o.edge.as_str(), o.size.as_str()), ("1.7961", "1000.000000"));
                }
                Effect::Show(Glimpse::Quote(_)) => quotes += 1,
                _ => {}
            }
        }
    }
    assert_eq!((stats, opportunities, quotes), (2, 10, 4), "two seconds");
}

/// A server that books, but whose answers get lost, come late, or that is down; money is kept per robot.
#[derive(Default)]
struct Server {
    allocated: BTreeMap<LicenceId, i64>,
    gains: BTreeMap<LicenceId, i64>,
    reserved: BTreeMap<OperationId, Vec<Share>>,
    batches: BTreeSet<BatchId>,
    operations: BTreeSet<OperationId>,
    total: i64,
}

impl Server {
    fn reserve(&mut self, id: OperationId, shares: &[Share]) -> Vec<Share> {
        let mut accepted = Vec::new();
        for share in shares {
            let bound: i64 = self
                .reserved
                .values()
                .flatten()
                .filter(|s| s.licence == share.licence)
                .map(|s| s.amount.0)
                .sum();
            if bound + share.amount.0 <= self.allocated[&share.licence] {
                accepted.push(*share);
            }
        }
        self.reserved.insert(id, accepted.clone());
        accepted
    }
    fn settle(&mut self, batch: &Batch) {
        if !self.batches.insert(batch.id) {
            return;
        }
        for operation in &batch.operations {
            assert!(
                self.operations.insert(operation.id),
                "an operation is booked once"
            );
            self.reserved.remove(&operation.id);
            assert_eq!(
                operation.shares.iter().map(|s| s.result).sum::<Usdt>(),
                operation.result
            );
            self.total += operation.result.0;
            for share in &operation.shares {
                assert!(
                    share.result.0 >= -share.amount.0,
                    "no share loses more than it put in"
                );
                let account = if share.result.is_negative() {
                    &mut self.allocated
                } else {
                    &mut self.gains
                };
                *account.entry(share.licence).or_default() += share.result.0;
            }
        }
    }
}

#[test]
fn whatever_the_server_does_everything_is_booked_once() {
    for seed in 0..40 {
        let mut dice = Dice::new(seed);
        let robots: Vec<_> = (1..=12)
            .map(|n| robot(n, 20 * i64::try_from(n).unwrap()))
            .collect();
        let mut f = floor(robots.clone());
        f.rules.refusal_ppm = 100_000;
        let mut server = Server::default();
        for r in &robots {
            server.allocated.insert(r.licence, r.allocated.0);
        }
        let before: i64 = server.allocated.values().sum();
        let mut asked_for = BTreeSet::new();
        let mut filled = 0;
        for step in 0..8_000i64 {
            let now = START + step * 20;
            if step < 2_000 {
                let side = dice.below(2);
                let shift = dice.between(-2, 2);
                quote(&mut f, u32::try_from(side).unwrap(), 99 + shift, 100 + shift, now);
            } else {
                f.close();
            }
            f.on_tick(now);
            for effect in f.effects() {
                match effect {
                    Effect::Reserve {
                        operation, shares, ..
                    } => {
                        asked_for.insert(operation);
                        let accepted = server.reserve(operation, &shares);
                        match dice.below(10) {
                            0 => f.on_reserved(operation, Err(SettleError::Unavailable("lost".into())), now),
                            1 => {}
                            _ => f.on_reserved(operation, Ok(accepted), now),
                        }
                    }
                    Effect::Settle(batch) => {
                        let booked = dice.below(4) != 0;
                        if booked {
                            server.settle(&batch);
                            filled += batch.operations.iter().filter(|o| !o.legs.is_empty()).count();
                        }
                        let known = booked && dice.below(4) != 0;
                        let answer = if known {
                            Ok(SettledBatch::default())
                        } else {
                            Err(SettleError::Unavailable("lost".into()))
                        };
                        f.on_settled(batch.id, answer, now);
                    }
                    Effect::Refresh => f.on_eligible(Ok(robots.clone()), now),
                    Effect::Execute(_) => panic!("only in mode live"),
                    Effect::Show(_) | Effect::Refuse { .. } => {}
                }
            }
        }
        assert!(f.is_done(), "seed {seed}: everything got booked in the end");
        assert!(filled > 5, "seed {seed}: {filled}");
        assert!(server.operations.is_subset(&asked_for));
        let after: i64 = server.allocated.values().chain(server.gains.values()).sum();
        assert_eq!(after, before + server.total, "seed {seed}");
        assert!(server.allocated.values().all(|a| *a >= 0));
        assert!(
            robots.iter().all(|r| f.roster.bound(r.licence).is_zero()),
            "seed {seed}: nothing stays bound"
        );
    }
}

mod live;
mod manual;
