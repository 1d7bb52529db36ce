//! Operations that go to a real venue: what is begun, what ends them, what does not.

use super::{
    super::super::{cycles::Side, port::ManualOrder},
    *,
};

/// Two venues; only `a` has a triangle of its own.
fn live(robots: Vec<RobotSnapshot>) -> Floor {
    let mut market = Market::default();
    market.add_venue("a", 1_000).unwrap();
    market.add_venue("b", 1_000).unwrap();
    market.add_instrument("a", "BTC", "USDT").unwrap();
    market.add_instrument("b", "BTC", "USDT").unwrap();
    market.add_instrument("a", "ETH", "BTC").unwrap();
    market.add_instrument("a", "ETH", "USDT").unwrap();
    let market = Arc::new(market);
    let usdt = market.asset("USDT").unwrap();
    let rules = FloorRules {
        venue: Some("a".into()),
        latency_ms: 0,
        ..FloorRules::new("test", Mode::Live, 1)
    };
    let mut floor = Floor::new(market, usdt, rules);
    floor.on_eligible(Ok(robots), START);
    floor.effects();
    floor
}

/// USDT → BTC → ETH → USDT at `a` brings a tenth, less fees.
fn open(f: &mut Floor, now: i64) {
    quote(f, 0, 99, 100, now);
    quote(f, 2, 1, 2, now);
    quote(f, 3, 220, 221, now);
}

fn executed(effects: &[Effect]) -> Vec<Arc<LiveOrder>> {
    let one = |e: &Effect| match e {
        Effect::Execute(order) => Some(Arc::clone(order)),
        _ => None,
    };
    effects.iter().filter_map(one).collect()
}

fn done(result: i64) -> LiveDone {
    let leg = LegView {
        venue: "a".into(),
        symbol: "BTC/USDT".into(),
        side: "buy".into(),
        price: "100".into(),
        quantity: "1".into(),
        fee: "0 BTC".into(),
        unwinding: false,
    };
    LiveDone {
        legs: vec![leg],
        volume: Usdt::whole(100),
        fees: Usdt(3),
        result: Usdt(result),
    }
}

#[test]
fn an_operation_goes_to_the_venue_and_is_booked_as_it_says() {
    let mut f = live(vec![robot(1, 1_000), robot(2, 1_000)]);
    open(&mut f, START);
    let (id, shares) = asked(&f.effects()).remove(0);
    f.on_reserved(id, Ok(shares[..1].to_vec()), START + 10);
    let order = executed(&f.effects()).remove(0);
    assert_eq!(
        (order.operation, order.shares.as_slice(), order.decided_ms),
        (id, &shares[..1], START)
    );
    assert_eq!(order.route, "USDT → BTC (a) → ETH (a) → USDT (a)");
    let legs: Vec<_> = order
        .legs
        .iter()
        .map(|l| (l.base.as_str(), l.quote.as_str(), l.side, l.price.to_string()))
        .collect();
    assert_eq!(
        legs,
        [
            ("BTC", "USDT", Side::Buy, "100".to_owned()),
            ("ETH", "BTC", Side::Buy, "2".to_owned()),
            ("ETH", "USDT", Side::Sell, "220".to_owned())
        ]
    );
    f.on_tick(START + 1_000);
    assert!(sent(&f.effects()).is_none(), "nothing is filled from quotes");
    f.on_executed(id, Ok(done(-7)), START + 2_000);
    f.on_tick(START + 3_000);
    let batch = sent(&f.effects()).unwrap();
    assert_eq!(batch.mode, Mode::Live);
    let operation = &batch.operations[0];
    assert_eq!(
        (operation.id, operation.result, operation.legs.len()),
        (id, Usdt(-7), 1)
    );
    assert_eq!(operation.shares[0].result, Usdt(-7));
}

#[test]
fn what_was_sent_is_ended_by_the_venue_alone() {
    let mut f = live(vec![robot(1, 1_000)]);
    open(&mut f, START);
    let (id, shares) = asked(&f.effects()).remove(0);
    f.on_reserved(id, Ok(shares.clone()), START + 10);
    let first = executed(&f.effects()).remove(0);
    f.close();
    for minute in 1..200 {
        f.on_tick(START + minute * 60_000);
        let effects = f.effects();
        assert!(executed(&effects).is_empty() && sent(&effects).is_none());
    }
    assert!(!f.is_done(), "a close waits for it");
    let mut now = START + 200 * 60_000;
    for _ in 0..5 {
        f.on_executed(id, Err(SettleError::Unavailable("not known".into())), now);
        f.on_tick(now + 999);
        assert!(executed(&f.effects()).is_empty(), "not at once");
        now += 10_000;
        f.on_tick(now);
        let again = executed(&f.effects()).remove(0);
        assert_eq!(again, first, "the same again, once");
        f.on_tick(now + 60_000);
        assert!(executed(&f.effects()).is_empty());
        now += 60_000;
    }
    assert_eq!(f.roster.bound(shares[0].licence), shares[0].amount);
    f.on_executed(id, Ok(done(5)), now);
    f.on_tick(now + 1_000);
    let batch = sent(&f.effects()).unwrap();
    assert_eq!(batch.operations.len(), 1);
    f.on_settled(batch.id, Ok(SettledBatch::default()), now + 1_001);
    assert!(f.is_done() && f.roster.bound(shares[0].licence).is_zero());
    f.on_executed(id, Ok(done(5)), now + 2_000);
    assert!(f.settlements.is_empty(), "an answer that comes twice counts once");
}

#[test]
fn a_lost_lease_ends_it_here() {
    let mut f = live(vec![robot(1, 1_000)]);
    open(&mut f, START);
    let (id, shares) = asked(&f.effects()).remove(0);
    f.on_reserved(id, Ok(shares), START + 10);
    f.on_executed(id, Err(SettleError::Fenced), START + 20);
    assert!(f.is_done() && f.flights.is_empty());
}

#[test]
fn what_is_not_reserved_in_time_never_goes_out() {
    let mut f = live(vec![robot(1, 1_000)]);
    open(&mut f, START);
    let (id, shares) = asked(&f.effects()).remove(0);
    f.on_reserved(id, Ok(shares), START + 5_000);
    f.on_tick(START + 6_000);
    let effects = f.effects();
    assert!(
        executed(&effects).is_empty(),
        "too late for prices that decided it"
    );
    assert!(sent(&effects).unwrap().operations[0].legs.is_empty());
}

#[test]
fn only_triangles_of_the_one_venue() {
    let mut f = live(vec![robot(1, 1_000)]);
    // A pair across the two venues.
    quote(&mut f, 0, 99, 100, START);
    quote(&mut f, 1, 110, 111, START);
    assert!(asked(&f.effects()).is_empty());
    let order = ManualOrder {
        operation: OperationId::fresh(),
        route: Some("USDT → BTC (a) → USDT (b)".into()),
        until_ms: 0,
        robot: robot(1, 1_000),
    };
    f.on_manual(&order, START);
    let refused = f.effects().iter().any(|e| {
        matches!(
            e,
            Effect::Refuse {
                reason: ManualRefusal::Expired,
                ..
            }
        )
    });
    assert!(refused);
    open(&mut f, START + 1);
    assert_eq!(asked(&f.effects()).len(), 1);
    // No venue takes orders: nothing at all.
    let mut f = live(vec![robot(1, 1_000)]);
    f.rules.venue = None;
    open(&mut f, START);
    assert!(asked(&f.effects()).is_empty());
}
