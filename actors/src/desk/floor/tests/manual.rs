//! Operations that owners order: every refusal, what automatic robots leave, fills and limits.

use super::*;
use crate::desk::port::ManualOrder;

const ROUTE: &str = "USDT → BTC (a) → USDT (b)";

fn order(n: u128, allocated: i64) -> ManualOrder {
    ManualOrder {
        operation: OperationId::fresh(),
        route: Some(ROUTE.into()),
        until_ms: 0,
        robot: robot(n, allocated),
    }
}

/// Ten BTC at 100 that can be sold at 102: an edge of 1.7961 %.
fn open(f: &mut Floor, now: i64) {
    quote(f, 0, 99, 100, now);
    quote(f, 1, 102, 103, now);
}

fn reserved(effects: &[Effect]) -> Vec<(OperationId, bool, Usdt)> {
    let one = |e: &Effect| match e {
        Effect::Reserve {
            operation,
            shares,
            manual,
        } => Some((*operation, *manual, shares.iter().map(|s| s.amount).sum())),
        _ => None,
    };
    effects.iter().filter_map(one).collect()
}

fn refused(effects: &[Effect]) -> Vec<(OperationId, ManualRefusal)> {
    let one = |e: &Effect| match e {
        Effect::Refuse { operation, reason } => Some((*operation, *reason)),
        _ => None,
    };
    effects.iter().filter_map(one).collect()
}

/// The one refusal of an order, which leaves nothing behind.
fn refusal(f: &mut Floor, order: &ManualOrder, now: i64) -> Option<ManualRefusal> {
    let flights = f.flights.len();
    f.on_manual(order, now);
    let effects = f.effects();
    let manual = reserved(&effects).iter().filter(|r| r.1).count();
    let told = refused(&effects);
    assert_eq!(manual + told.len(), 1, "one answer to one order");
    let reason = told.first().map(|(id, reason)| {
        assert_eq!(*id, order.operation);
        assert_eq!(f.flights.iter().filter(|x| x.id == order.operation).count(), 0);
        *reason
    });
    assert!(f.flights.len() >= flights);
    reason
}

#[test]
fn an_order_fills_later_like_any_other_and_is_marked() {
    let mut f = floor(Vec::new());
    open(&mut f, START);
    let order = order(1, 1_000);
    f.on_manual(&order, START + 40);
    let effects = f.effects();
    assert_eq!(
        reserved(&effects),
        [(order.operation, true, Usdt::whole(100))],
        "a tenth of the robot's capital"
    );
    assert!(refused(&effects).is_empty());
    let shares = asked(&effects).remove(0).1;
    assert_eq!(
        (shares[0].licence, shares[0].user),
        (order.robot.licence, order.robot.user)
    );
    assert_eq!(f.roster.bound(order.robot.licence), Usdt::whole(100));
    f.on_reserved(order.operation, Ok(shares), START + 50);
    // The price falls before it fills: its loss, like any other.
    quote(&mut f, 1, 99, 103, START + 100);
    f.on_tick(START + 189);
    assert!(sent(&f.effects()).is_none(), "the latency counts from the order");
    f.on_tick(START + 190);
    let batch = sent(&f.effects()).unwrap();
    let done = &batch.operations[0];
    assert_eq!(
        (
            done.id,
            done.manual,
            done.route.as_str(),
            done.decided_ms,
            done.filled_ms
        ),
        (order.operation, true, ROUTE, START + 40, START + 190)
    );
    assert_eq!((done.edge_ppm, done.volume), (17_961, Usdt::whole(100)));
    assert!(done.result.is_negative());
    assert_eq!(done.shares.len(), 1);
    assert_eq!(done.shares[0].result, done.result);
    f.on_settled(batch.id, Ok(SettledBatch::default()), START + 200);
    assert_eq!(f.roster.bound(order.robot.licence), Usdt::ZERO);
    f.close();
    assert!(f.is_done());
}

#[test]
fn automatic_robots_come_first_and_the_order_takes_what_is_left() {
    let mut f = floor(vec![robot(1, 3_000), robot(2, 4_000)]);
    open(&mut f, START);
    assert_eq!(reserved(&f.effects())[0].2, Usdt::whole(700));
    let order = order(9, 10_000);
    f.on_manual(&order, START + 20);
    assert_eq!(
        reserved(&f.effects()),
        [(order.operation, true, Usdt::whole(300))],
        "of a thousand the rest, though its share could be larger"
    );
    open(&mut f, START + 40);
    assert!(reserved(&f.effects()).is_empty(), "the opening is used up");
}

#[test]
fn what_automatic_robots_have_taken_is_gone() {
    // Ten robots take a hundred each: all of it.
    let mut f = floor((1..=10).map(|n| robot(n, 1_000)).collect());
    open(&mut f, START);
    assert_eq!(
        refusal(&mut f, &order(99, 1_000), START),
        Some(ManualRefusal::Taken)
    );
    // Half a USDT is left: no share is that small.
    let mut f = floor(vec![RobotSnapshot {
        allocated: Usdt(9_995_000_000),
        ..robot(1, 0)
    }]);
    open(&mut f, START);
    assert_eq!(reserved(&f.effects())[0].2, Usdt(999_500_000));
    let own = refusal(&mut f, &order(99, 1_000), START);
    assert_eq!(own, Some(ManualRefusal::Taken));
}

#[test]
fn every_refusal_by_the_opportunity() {
    let mut f = floor(Vec::new());
    assert_eq!(
        refusal(&mut f, &order(1, 1_000), START),
        Some(ManualRefusal::Expired),
        "there was never one"
    );
    open(&mut f, START);
    let other = ManualOrder {
        route: Some("USDT → BTC (b) → USDT (a)".into()),
        ..order(1, 1_000)
    };
    assert_eq!(
        refusal(&mut f, &other, START),
        Some(ManualRefusal::Expired),
        "the other way round brings nothing"
    );
    assert_eq!(
        refusal(&mut f, &order(1, 1_000), START + 1_501),
        Some(ManualRefusal::Expired),
        "its prices are stale"
    );
    open(&mut f, START + 1_600);
    open(&mut f, START + 3_000);
    assert_eq!(
        refusal(&mut f, &order(1, 1_000), START + 3_601),
        Some(ManualRefusal::Expired),
        "it has outlived its life"
    );
    // 100.24 for 100.00 is worth 400 millionths net: enough for high risk only.
    let thin = |f: &mut Floor, now| {
        quote(f, 1, 90, 103, now);
        quote(f, 0, 99, 100, now);
        let quote = Quote {
            bid: Price(100_240_000 * super::super::super::market::PRICE_ONE / 1_000_000),
            ask: Price(103 * super::super::super::market::PRICE_ONE),
            bid_quantity: Quantity(10 * QUANTITY_ONE),
            ask_quantity: Quantity(10 * QUANTITY_ONE),
            at_ms: now,
        };
        f.on_quote(InstrumentId(1), quote, now);
    };
    thin(&mut f, START + 5_000);
    assert_eq!(
        refusal(&mut f, &order(1, 1_000), START + 5_000),
        Some(ManualRefusal::Thin)
    );
    let mut risky = order(1, 1_000);
    risky.robot.high_risk = true;
    f.on_manual(&risky, START + 5_000);
    assert_eq!(
        reserved(&f.effects()),
        [(risky.operation, true, Usdt::whole(250))],
        "a quarter, at a thin edge"
    );
}

fn standing(n: u128, allocated: i64) -> ManualOrder {
    ManualOrder {
        until_ms: START + 60_000,
        ..order(n, allocated)
    }
}

#[test]
fn an_order_stands_until_its_opportunity_comes_and_is_first_in_line() {
    // Nine robots that could take all of it.
    let mut f = floor((1..=9).map(|n| robot(n, 2_000)).collect());
    let (first, second) = (standing(98, 3_000), standing(99, 1_000));
    f.on_manual(&first, START);
    f.on_manual(&second, START + 10);
    f.on_tick(START + 20_000);
    assert!(reserved(&f.effects()).is_empty(), "nothing is open");
    open(&mut f, START + 59_999);
    let begun = reserved(&f.effects());
    assert_eq!(
        begun[..2],
        [
            (first.operation, true, Usdt::whole(300)),
            (second.operation, true, Usdt::whole(100)),
        ],
        "in the order in which they came"
    );
    assert_eq!(begun[2].2, Usdt::whole(600), "the rest is the robots'");
    open(&mut f, START + 60_010);
    assert!(reserved(&f.effects()).is_empty(), "each is taken once");
}

#[test]
fn an_order_is_first_in_line_also_where_a_better_route_shares_its_depth() {
    let mut market = Market::default();
    for venue in ["a", "b", "c"] {
        market.add_venue(venue, 1_000).unwrap();
        market.add_instrument(venue, "BTC", "USDT").unwrap();
    }
    let usdt = market.asset("USDT").unwrap();
    let rules = FloorRules {
        refusal_ppm: 0,
        ..FloorRules::new("test", Mode::Simulated, 1)
    };
    let mut f = Floor::new(Arc::new(market), usdt, rules);
    // Twenty robots that could take all of it, twice.
    f.on_eligible(Ok((1..=20).map(|n| robot(n, 1_000)).collect()), START);
    f.effects();
    let stands = standing(99, 1_000);
    f.on_manual(&stands, START);
    quote(&mut f, 1, 102, 103, START + 5_000);
    quote(&mut f, 2, 103, 104, START + 5_000);
    assert!(reserved(&f.effects()).is_empty(), "nothing is open");
    // One price runs away and opens two routes; the order stands on the lesser one.
    quote(&mut f, 0, 99, 100, START + 5_000);
    let begun = reserved(&f.effects());
    assert_eq!(begun[0], (stands.operation, true, Usdt::whole(100)));
    assert!(begun[1..].iter().all(|(_, manual, _)| !manual));
    assert_eq!(
        begun[1..].iter().map(|b| b.2).sum::<Usdt>(),
        Usdt::whole(900),
        "the rest of the one depth is the robots'"
    );
}

#[test]
fn an_order_without_a_route_takes_whichever_comes_first() {
    let mut f = floor(Vec::new());
    let any = ManualOrder {
        route: None,
        ..standing(9, 1_000)
    };
    f.on_manual(&any, START);
    let other = ManualOrder {
        route: Some("USDT → BTC (b) → USDT (a)".into()),
        ..standing(8, 1_000)
    };
    f.on_manual(&other, START);
    open(&mut f, START + 5_000);
    assert_eq!(
        reserved(&f.effects()),
        [(any.operation, true, Usdt::whole(100))],
        "another route's order waits on"
    );
    f.on_tick(START + 60_000);
    assert_eq!(refused(&f.effects()), [(other.operation, ManualRefusal::Expired)]);
}

#[test]
fn what_was_left_over_goes_to_who_stands_and_the_nearest_reason_is_told() {
    // All of it is in the air when the order comes; with a fresh opening it is served.
    let mut f = floor((1..=10).map(|n| robot(n, 1_000)).collect());
    open(&mut f, START);
    f.effects();
    let order = standing(99, 1_000);
    f.on_manual(&order, START + 10);
    assert!(f.effects().is_empty());
    f.on_tick(START + 59_999);
    assert!(refused(&f.effects()).is_empty());
    f.on_tick(START + 60_000);
    assert_eq!(refused(&f.effects()), [(order.operation, ManualRefusal::Taken)]);
    // A desk that stops, by its day or for good, keeps nobody waiting.
    for stop in [(|f: &mut Floor| f.close()) as fn(&mut Floor), |f: &mut Floor| {
        f.on_risk(Risk {
            limits: None,
            day: Some(day(-Limits::default().daily_loss.0, 3)),
        });
    }] {
        let mut f = floor(Vec::new());
        let order = standing(1, 1_000);
        f.on_manual(&order, START);
        assert!(f.effects().is_empty());
        stop(&mut f);
        f.on_tick(START + 20);
        assert_eq!(refused(&f.effects()), [(order.operation, ManualRefusal::DeskOff)]);
        open(&mut f, START + 40);
        assert!(reserved(&f.effects()).is_empty());
    }
}

#[test]
fn every_refusal_by_the_robot() {
    let mut f = floor(Vec::new());
    open(&mut f, START);
    type Change = fn(&mut RobotSnapshot);
    let with = |change: Change| {
        let mut order = order(1, 1_000);
        change(&mut order.robot);
        order
    };
    let cases: [(Change, ManualRefusal); 4] = [
        (|r| r.operating = false, ManualRefusal::Changed),
        (|r| r.allocated = Usdt(9_999_999), ManualRefusal::NotAllocated),
        (|r| r.active_from_ms = START + 1, ManualRefusal::TooEarly),
        (|r| r.active_from_ms = i64::MAX, ManualRefusal::TooEarly),
    ];
    for (change, reason) in cases {
        assert_eq!(refusal(&mut f, &with(change), START), Some(reason));
    }
    // Exactly at the bounds it begins.
    let edge = with(|r| {
        r.allocated = Usdt::whole(10);
        r.active_from_ms = START;
    });
    assert_eq!(refusal(&mut f, &edge, START), None);
    // A robot whose capital is all in the air: its next order finds nothing free.
    let mut busy = floor(Vec::new());
    open(&mut busy, START);
    let whole = [Share {
        licence: LicenceId(Uuid::from_u128(1)),
        user: UserId(Uuid::from_u128(1)),
        amount: Usdt(999_000_001),
    }];
    busy.roster.bind(&whole, START);
    assert_eq!(
        refusal(&mut busy, &order(1, 1_000), START),
        Some(ManualRefusal::Bound)
    );
    busy.roster.release(&whole);
    assert_eq!(refusal(&mut busy, &order(1, 1_000), START), None);
}

#[test]
fn every_refusal_by_the_desk() {
    let mut f = floor(Vec::new());
    open(&mut f, START);
    f.on_risk(Risk {
        limits: None,
        day: Some(day(-Limits::default().daily_loss.0, 3)),
    });
    assert_eq!(
        refusal(&mut f, &order(1, 1_000), START),
        Some(ManualRefusal::DeskOff),
        "halted"
    );
    let mut f = floor(Vec::new());
    open(&mut f, START);
    f.close();
    assert_eq!(
        refusal(&mut f, &order(1, 1_000), START),
        Some(ManualRefusal::DeskOff),
        "closing"
    );
    let mut f = floor(Vec::new());
    open(&mut f, START);
    f.fence();
    assert_eq!(
        refusal(&mut f, &order(1, 1_000), START),
        Some(ManualRefusal::DeskOff),
        "the lease is lost"
    );
    let mut f = floor(Vec::new());
    f.rules.max_waiting = 0;
    open(&mut f, START);
    assert_eq!(
        refusal(&mut f, &order(1, 1_000), START),
        Some(ManualRefusal::Busy),
        "results wait to be booked"
    );
    let mut f = floor(Vec::new());
    open(&mut f, START);
    f.on_risk(Risk {
        limits: Some(Limits {
            max_operation: Usdt(999_999),
            ..Limits::default()
        }),
        day: None,
    });
    assert_eq!(
        refusal(&mut f, &order(1, 1_000), START),
        Some(ManualRefusal::Taken),
        "no operation may be that large"
    );
    let mut f = floor(Vec::new());
    open(&mut f, START);
    f.on_risk(Risk {
        limits: Some(Limits {
            max_venue: Usdt::whole(150),
            ..Limits::default()
        }),
        day: None,
    });
    assert_eq!(refusal(&mut f, &order(1, 1_000), START), None);
    f.on_manual(&order(2, 1_000), START);
    assert_eq!(
        reserved(&f.effects())[0].2,
        Usdt::whole(50),
        "what the venue still takes"
    );
    assert_eq!(
        refusal(&mut f, &order(3, 1_000), START),
        Some(ManualRefusal::Taken),
        "the venue is full"
    );
}

#[test]
fn orders_take_no_place_from_automatic_operations() {
    let mut f = floor(Vec::new());
    f.rules.max_in_flight = 1;
    open(&mut f, START);
    assert_eq!(refusal(&mut f, &order(9, 1_000), START), None);
    assert_eq!(
        refusal(&mut f, &order(8, 1_000), START),
        Some(ManualRefusal::Busy)
    );
    f.on_eligible(Ok(vec![robot(1, 1_000)]), START + 10);
    f.effects();
    open(&mut f, START + 20);
    let begun = reserved(&f.effects());
    assert_eq!(begun.len(), 1, "the only place is not taken");
    assert!(!begun[0].1);
    quote(&mut f, 1, 90, 103, START + 30);
    open(&mut f, START + 40);
    assert!(reserved(&f.effects()).is_empty(), "now it is");
}

#[test]
fn an_order_that_the_server_does_not_reserve_is_refused() {
    let mut f = floor(Vec::new());
    open(&mut f, START);
    let order = order(1, 1_000);
    f.on_manual(&order, START);
    f.effects();
    f.on_reserved(order.operation, Ok(Vec::new()), START + 10);
    assert_eq!(refused(&f.effects()), [(order.operation, ManualRefusal::Changed)]);
    assert!(f.flights.is_empty() && f.roster.bound(order.robot.licence).is_zero());
    // Automatic ones end without a word, as before.
    let mut f = floor(vec![robot(1, 1_000)]);
    open(&mut f, START);
    let (id, _) = asked(&f.effects()).remove(0);
    f.on_reserved(id, Ok(Vec::new()), START + 10);
    assert!(refused(&f.effects()).is_empty() && f.flights.is_empty());
}

#[test]
fn an_order_without_an_answer_is_given_up_with_its_batch() {
    let mut f = floor(Vec::new());
    open(&mut f, START);
    let order = order(1, 1_000);
    f.on_manual(&order, START);
    f.effects();
    f.on_tick(START + 5_000);
    let batch = sent(&f.effects()).unwrap();
    let done = &batch.operations[0];
    assert_eq!(
        (done.id, done.manual, done.legs.len()),
        (order.operation, true, 0)
    );
}

proptest::proptest! {
    #[test]
    fn orders_stay_within_every_bound(
        max_operation in 1i64..600, max_venue in 1i64..900, seed in 0u64..1_000,
        steps in proptest::collection::vec((0u32..2, 97i64..104, 0i64..400, 1u128..14, proptest::bool::ANY), 1..120),
    ) {
        // Robots 1 to 6 trade by themselves, 7 to 13 at their owners' word.
        let all: Vec<RobotSnapshot> = (1..=13).map(|n| robot(n, 1_000)).collect();
        let mut f = floor(all[..6].to_vec());
        let mut dice = Dice::new(seed);
        let limits = Limits { max_operation: Usdt::whole(max_operation), max_venue: Usdt::whole(max_venue), ..Limits::default() };
        f.on_risk(Risk { limits: Some(limits), day: None });
        let (mut now, mut ordered, mut answered) = (START, BTreeSet::new(), BTreeSet::new());
        for (venue, bid, wait, n, straight) in steps {
            now += wait;
            f.on_tick(now);
            quote(&mut f, venue, bid, bid + 1, now);
            if n > 6 {
                let route = if straight { ROUTE } else { "USDT → BTC (b) → USDT (a)" };
                let order = ManualOrder {
                    operation: OperationId::fresh(),
                    route: (n > 9).then(|| route.into()),
                    until_ms: now + if n % 2 == 0 { 0 } else { 3_000 },
                    robot: robot(n, 1_000),
                };
                ordered.insert(order.operation);
                f.on_manual(&order, now);
            }
            for effect in f.effects() {
                match effect {
                    Effect::Reserve { operation, shares, manual } => {
                        proptest::prop_assert_eq!(manual, ordered.contains(&operation));
                        let size: Usdt = shares.iter().map(|s| s.amount).sum();
                        proptest::prop_assert!(size <= limits.max_operation);
                        for share in &shares {
                            proptest::prop_assert!(share.amount >= Usdt::whole(1) && share.amount <= Usdt::whole(100));
                        }
                        match dice.below(4) {
                            0 => f.on_reserved(operation, Ok(Vec::new()), now),
                            1 => f.on_reserved(operation, Err(SettleError::Unavailable("lost".into())), now),
                            _ => f.on_reserved(operation, Ok(shares), now),
                        }
                    }
                    Effect::Refuse { operation, .. } => proptest::prop_assert!(answered.insert(operation)),
                    Effect::Settle(batch) => {
                        answered.extend(batch.operations.iter().filter(|o| o.manual).map(|o| o.id));
                        f.on_settled(batch.id, Ok(SettledBatch::default()), now);
                    }
                    _ => {}
                }
            }
            for robot in &all {
                proptest::prop_assert!(f.roster.bound(robot.licence) <= robot.allocated);
            }
            let in_the_air: Usdt = f.flights.iter().flat_map(|x| &x.shares).map(|s| s.amount).sum();
            proptest::prop_assert!(in_the_air <= limits.max_venue);
        }
        for _ in 0..400 {
            now += 20;
            f.on_tick(now);
            for effect in f.effects() {
                match effect {
                    Effect::Refuse { operation, .. } => proptest::prop_assert!(answered.insert(operation)),
                    Effect::Settle(batch) => {
                        answered.extend(batch.operations.iter().filter(|o| o.manual).map(|o| o.id));
                        f.on_settled(batch.id, Ok(SettledBatch::default()), now);
                    }
                    _ => {}
                }
            }
        }
        proptest::prop_assert_eq!(answered, ordered, "every order hears of its end");
    }
}
