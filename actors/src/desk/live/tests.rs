//! Venues that fill whatever they like: the operation ends, nothing is ordered beyond what is held, and the figures are those
//! that the trades alone give.

use super::{super::market::QUANTITY_ONE, *};
use proptest::prelude::*;

fn quantity(text: &str) -> Quantity {
    text.parse().unwrap()
}
fn price(text: &str) -> Price {
    text.parse().unwrap()
}

fn leg(base: &str, quote: &str, side: Side, at: &str) -> LiveLeg {
    LiveLeg {
        base: base.into(),
        quote: quote.into(),
        side,
        price: price(at),
    }
}

/// USDT → BTC → ETH → USDT.
fn plan(size: i64) -> Plan {
    let legs = vec![
        leg("BTC", "USDT", Side::Buy, "100000"),
        leg("ETH", "BTC", Side::Buy, "0.04"),
        leg("ETH", "USDT", Side::Sell, "4020"),
    ];
    let filters = Filters {
        step: quantity("0.00001"),
        least: quantity("0.00001"),
        notional: quantity("5"),
        ..Filters::default()
    };
    let small = Filters {
        step: quantity("0.0001"),
        least: quantity("0.0001"),
        notional: quantity("0.0001"),
        ..Filters::default()
    };
    let eth = Filters {
        step: quantity("0.0001"),
        ..filters
    };
    Plan::new(legs, vec![filters, small, eth], Usdt::whole(size)).unwrap()
}

fn trade(at: &str, amount: &str, commission: &str, asset: &str) -> Trade {
    Trade {
        id: 1,
        price: price(at),
        quantity: quantity(amount),
        commission: quantity(commission),
        commission_asset: asset.into(),
    }
}

fn ordered(next: Next) -> Order {
    match next {
        Next::Order(order) => order,
        other => panic!("{other:?}"),
    }
}

fn finished(next: Next) -> Finished {
    match next {
        Next::Finished(finished) => finished,
        other => panic!("{other:?}"),
    }
}

#[test]
fn three_full_legs_come_back() {
    let (plan, rates) = (plan(1_000), BTreeMap::new());
    let mut known = Vec::new();
    let first = ordered(next(&plan, &known, &rates));
    assert_eq!(
        first,
        Order {
            leg: 0,
            side: Side::Buy,
            amount: Amount::Base(quantity("0.01")),
            price: Some(price("100000"))
        }
    );
    known.push((first, Fate::Unknown));
    assert_eq!(
        next(&plan, &known, &rates),
        Next::Ask(0),
        "nothing while a fate is unknown"
    );
    known[0].1 = Fate::Done(vec![trade("100000", "0.01", "0.00001", "BTC")]);
    let second = ordered(next(&plan, &known, &rates));
    assert_eq!(
        second.amount,
        Amount::Base(quantity("0.2497")),
        "0.00999 BTC at 0.04, whole lots"
    );
    known.push((
        second,
        Fate::Done(vec![trade("0.04", "0.2497", "0.0002497", "ETH")]),
    ));
    let third = ordered(next(&plan, &known, &rates));
    assert_eq!(third.amount, Amount::Base(quantity("0.2494")));
    known.push((
        third,
        Fate::Done(vec![trade("4020", "0.2494", "1.002588", "USDT")]),
    ));
    let done = finished(next(&plan, &known, &rates));
    assert_eq!(done.volume, Usdt::whole(1_000));
    assert_eq!(done.result, Usdt::whole(0) + "1.585412".parse().unwrap());
    assert_eq!(
        done.residues,
        BTreeMap::from([
            ("BTC".into(), quantity("0.000002")),
            ("ETH".into(), quantity("0.0000503"))
        ])
    );
    // 1 USDT, 0.0002497 ETH at 4020, 1.002588 USDT.
    assert_eq!(done.fees, "3.006382".parse().unwrap());
}

#[test]
fn what_a_leg_leaves_is_sold_at_market() {
    let (plan, rates) = (plan(1_000), BTreeMap::new());
    let mut known = vec![(
        ordered(next(&plan, &[], &rates)),
        Fate::Done(vec![trade("100000", "0.01", "0", "BTC")]),
    )];
    let second = ordered(next(&plan, &known, &rates));
    known.push((second, Fate::Done(vec![trade("0.04", "0.1", "0", "ETH")])));
    let third = ordered(next(&plan, &known, &rates));
    assert_eq!(third.amount, Amount::Base(quantity("0.1")));
    known.push((third, Fate::Done(vec![trade("4020", "0.04", "0", "USDT")])));
    let back = ordered(next(&plan, &known, &rates));
    assert_eq!(
        back,
        Order {
            leg: 0,
            side: Side::Sell,
            amount: Amount::Base(quantity("0.006")),
            price: None
        }
    );
    known.push((back, Fate::Refused { small: false }));
    assert_eq!(ordered(next(&plan, &known, &rates)), back, "tried again");
    known.push((back, Fate::Done(vec![trade("99900", "0.006", "0", "USDT")])));
    let rest = ordered(next(&plan, &known, &rates));
    assert_eq!(
        (rest.leg, rest.side, rest.amount, rest.price),
        (2, Side::Sell, Amount::Base(quantity("0.06")), None)
    );
    known.push((rest, Fate::Done(vec![trade("4000", "0.06", "0", "USDT")])));
    let done = finished(next(&plan, &known, &rates));
    // 160.8 + 599.4 + 240 − 1000
    assert_eq!((done.result, done.residues.len()), ("0.2".parse().unwrap(), 0));
}

#[test]
fn a_refused_first_leg_ends_it() {
    let (plan, rates) = (plan(1_000), BTreeMap::new());
    let known = [(ordered(next(&plan, &[], &rates)), Fate::Refused { small: false })];
    let done = finished(next(&plan, &known, &rates));
    assert_eq!((done.volume, done.result), (Usdt::ZERO, Usdt::ZERO));
    assert!(done.residues.is_empty());
}

#[test]
fn what_the_venue_calls_too_small_stays() {
    let (plan, rates) = (plan(1_000), BTreeMap::new());
    let mut known = vec![(
        ordered(next(&plan, &[], &rates)),
        Fate::Done(vec![trade("100000", "0.01", "0", "BTC")]),
    )];
    known.push((
        ordered(next(&plan, &known, &rates)),
        Fate::Refused { small: false },
    ));
    known.push((
        ordered(next(&plan, &known, &rates)),
        Fate::Refused { small: true },
    ));
    let done = finished(next(&plan, &known, &rates));
    assert_eq!(done.result, -Usdt::whole(1_000));
    assert_eq!(done.residues, BTreeMap::from([("BTC".into(), quantity("0.01"))]));
}

#[test]
fn a_commission_in_another_coin_is_a_debt() {
    let plan = plan(1_000);
    let mut known = vec![(
        ordered(next(&plan, &[], &BTreeMap::new())),
        Fate::Done(vec![trade("100000", "0.01", "0.001", "BNB")]),
    )];
    known.push((
        ordered(next(&plan, &known, &BTreeMap::new())),
        Fate::Done(Vec::new()),
    ));
    let back = ordered(next(&plan, &known, &BTreeMap::new()));
    known.push((back, Fate::Done(vec![trade("100000", "0.01", "0.00075", "BNB")])));
    assert_eq!(next(&plan, &known, &BTreeMap::new()), Next::Rate("BNB".into()));
    let rates = BTreeMap::from([("BNB".to_owned(), price("600.0000001"))]);
    let done = finished(next(&plan, &known, &rates));
    assert_eq!(
        done.result,
        -"1.050001".parse::<Usdt>().unwrap(),
        "rounded against the operation"
    );
    assert_eq!(done.fees, "1.050001".parse().unwrap());
}

/// Trades are rounded one by one, so that two of them may take a last digit more than the order was given.
#[test]
fn a_last_digit_too_much_is_a_debt_at_the_own_price() {
    let legs = vec![
        leg("USDT", "AAA", Side::Sell, "0.25"),
        leg("BBB", "AAA", Side::Buy, "1"),
        leg("BBB", "USDT", Side::Sell, "4"),
    ];
    let plan = Plan::new(legs, vec![Filters::default(); 3], Usdt(40)).unwrap();
    let none = BTreeMap::new();
    let mut known = vec![(
        ordered(next(&plan, &[], &none)),
        Fate::Done(vec![trade("0.25", "0.00004", "0", "AAA")]),
    )];
    known.push((
        ordered(next(&plan, &known, &none)),
        Fate::Refused { small: false },
    ));
    let back = ordered(next(&plan, &known, &none));
    assert_eq!(back.amount, Amount::Quote(quantity("0.00001")));
    // 0.000005125 and 0.000004875 AAA: together all of it, each rounded up one unit more.
    known.push((
        back,
        Fate::Done(vec![
            trade("0.25", "0.0000205", "0", "AAA"),
            trade("0.25", "0.0000195", "0", "AAA"),
        ]),
    ));
    assert_eq!(holdings(&plan, &known)["AAA"], -1);
    let done = finished(next(&plan, &known, &none));
    assert_eq!(
        done.result,
        Usdt(-1),
        "four units of 0.00000001 USDT, rounded down"
    );
    assert!(done.residues.is_empty());
}

#[test]
fn only_triangles_are_planned() {
    let [a, b, c] = plan(10).legs().clone();
    let filters = vec![Filters::default(); 3];
    assert!(Plan::new(vec![a.clone(), b.clone()], filters.clone(), Usdt::ZERO).is_err());
    assert!(Plan::new(vec![a.clone(), c.clone(), b.clone()], filters.clone(), Usdt::ZERO).is_err());
    let free = LiveLeg {
        price: Price(0),
        ..b.clone()
    };
    assert!(Plan::new(vec![a, free, c], filters, Usdt::ZERO).is_err());
}

/// What a venue does with one order.
#[derive(Clone, Copy, Debug)]
struct Whim {
    /// Of the order, in hundredths.
    filled: i64,
    refused: u8,
    pieces: i64,
    /// The price's distance from the limit or the known one, in millionths, in the order's favour.
    better_ppm: i64,
    /// 0: of what is received, 1: in BNB.
    paid_in_bnb: bool,
}

prop_compose! {
    fn whim()(filled in 0i64..=100, refused in 0u8..8, pieces in 1i64..4, better_ppm in 0i64..500, paid_in_bnb in any::<bool>()) -> Whim {
        Whim { filled, refused, pieces, better_ppm, paid_in_bnb }
    }
}

/// The eight shapes a triangle's sides can have.
fn shapes() -> Vec<Vec<LiveLeg>> {
    let first = [
        leg("AAA", "USDT", Side::Buy, "7.31"),
        leg("USDT", "AAA", Side::Sell, "0.1368"),
    ];
    let second = [
        leg("BBB", "AAA", Side::Buy, "0.0193"),
        leg("AAA", "BBB", Side::Sell, "51.8135"),
    ];
    let third = [
        leg("BBB", "USDT", Side::Sell, "0.1412"),
        leg("USDT", "BBB", Side::Buy, "7.0822"),
    ];
    let mut all = Vec::new();
    for a in &first {
        for b in &second {
            for c in &third {
                all.push(vec![a.clone(), b.clone(), c.clone()]);
            }
        }
    }
    all
}

fn fill(plan: &Plan, order: &Order, whim: Whim, ids: &mut i64) -> Vec<Trade> {
    let leg = &plan.legs()[order.leg];
    let filters = plan.filters()[order.leg];
    let known = i128::from(order.price.unwrap_or(leg.price).0);
    let moved = known * i128::from(whim.better_ppm) / 1_000_000;
    let better = match (order.side, order.price) {
        (Side::Buy, Some(_)) => known - moved,
        (Side::Sell, Some(_)) => known + moved,
        // A market order may also be worse.
        (Side::Buy, None) => known + moved,
        (Side::Sell, None) => known - moved,
    };
    let at = Price(i64::try_from(better.max(1)).unwrap());
    let whole = match order.amount {
        Amount::Base(q) => i128::from(q.0),
        Amount::Quote(q) => i128::from(q.0) * i128::from(PRICE_ONE) / i128::from(at.0),
    };
    let step = i128::from(filters.step.0.max(1));
    let wanted = whole * i128::from(whim.filled) / 100 / step * step;
    let mut trades = Vec::new();
    let mut left = wanted;
    for piece in 0..whim.pieces {
        let part = if piece == whim.pieces - 1 {
            left
        } else {
            left / 2 / step * step
        };
        if part == 0 {
            continue;
        }
        left -= part;
        let received = match order.side {
            Side::Buy => (part, leg.base.as_str()),
            Side::Sell => (worth(part, at, Down), leg.quote.as_str()),
        };
        *ids += 1;
        trades.push(Trade {
            id: *ids,
            price: at,
            quantity: units(part),
            commission: units(received.0 / 1_000),
            commission_asset: if whim.paid_in_bnb { "BNB" } else { received.1 }.into(),
        });
    }
    trades
}

proptest! {
    #[test]
    fn whatever_the_venue_fills_it_ends_and_adds_up(
        shape in 0usize..8, size in 1i64..5_000_000_000, step in 0u32..7, whims in proptest::collection::vec(whim(), 1..30)
    ) {
        let filters = Filters {
            step: Quantity(10i64.pow(step)), least: Quantity(10i64.pow(step)), notional: Quantity(QUANTITY_ONE / 10), ..Filters::default()
        };
        let plan = Plan::new(shapes().remove(shape), vec![filters; 3], Usdt(size)).unwrap();
        let mut rates = BTreeMap::new();
        let mut known: Vec<(Order, Fate)> = Vec::new();
        let (mut ids, mut turn) = (0, 0);
        let done = loop {
            match next(&plan, &known, &rates) {
                Next::Order(order) => {
                    prop_assert!(known.iter().all(|(_, fate)| *fate != Fate::Unknown));
                    if order.price.is_some() {
                        prop_assert!(known.iter().all(|(o, _)| o.leg < order.leg && o.price.is_some()), "each leg once, in order");
                    }
                    // Never more than is held.
                    let held = holdings(&plan, &known);
                    let leg = &plan.legs()[order.leg];
                    let gives = if order.side == Side::Buy { &leg.quote } else { &leg.base };
                    let cost = match (order.amount, order.side, order.price) {
                        (Amount::Quote(q), ..) => q.0.into(),
                        (Amount::Base(q), Side::Buy, Some(at)) => worth(q.0.into(), at, Up),
                        (Amount::Base(q), ..) => q.0.into(),
                    };
                    if order.leg == 0 && order.price.is_some() {
                        prop_assert!(cost <= i128::from(size) * 100);
                    } else {
                        prop_assert!(cost <= held[gives], "{order:?} of {}", held[gives]);
                    }
                    known.push((order, Fate::Unknown));
                }
                Next::Ask(place) => {
                    let mut whim = whims[turn % whims.len()];
                    turn += 1;
                    if turn > 60 {
                        // In the end the venue takes everything.
                        whim = Whim { filled: 100, refused: 9, ..whim };
                    }
                    let order = known[place].0;
                    known[place].1 = match whim.refused {
                        0 => Fate::Refused { small: false },
                        1 if order.price.is_none() => Fate::Refused { small: true },
                        _ => Fate::Done(fill(&plan, &order, whim, &mut ids)),
                    };
                }
                Next::Rate(asset) => {
                    prop_assert_eq!(&asset, "BNB");
                    prop_assert!(rates.insert(asset, price("612.34")).is_none());
                }
                Next::Finished(done) => break done,
            }
            prop_assert!(known.len() < 200, "it ends");
        };
        // Anew, from the trades alone.
        let mut books: BTreeMap<String, i128> = BTreeMap::new();
        let mut gone = 0i128;
        for (order, fate) in &known {
            let Fate::Done(trades) = fate else { continue };
            let leg = &plan.legs()[order.leg];
            for t in trades {
                let value = i128::from(t.quantity.0) * i128::from(t.price.0);
                let (base, quote) = if order.side == Side::Buy {
                    (i128::from(t.quantity.0), -value.div_euclid(PRICE_ONE.into()) - i128::from(value.rem_euclid(PRICE_ONE.into()) > 0))
                } else {
                    (-i128::from(t.quantity.0), value.div_euclid(PRICE_ONE.into()))
                };
                for (asset, moved) in [(&leg.base, base), (&leg.quote, quote)] {
                    *books.entry(asset.clone()).or_default() += moved;
                    if order.leg == 0 && order.price.is_some() && asset == "USDT" {
                        gone -= moved;
                    }
                }
                *books.entry(t.commission_asset.clone()).or_default() -= i128::from(t.commission.0);
            }
        }
        let up = |amount: i128, by: i128| amount.div_euclid(by) + i128::from(amount.rem_euclid(by) > 0);
        let mut debt = books.get("BNB").map_or(0, |b| up(-b * i128::from(price("612.34").0), PRICE_ONE.into()));
        // Each trade may take a last digit more than the order gave it.
        let trades = i128::from(ids);
        for (asset, side) in [("AAA", &plan.legs()[0]), ("BBB", &plan.legs()[2])] {
            let short = -books.get(asset).copied().unwrap_or(0).min(0);
            prop_assert!(short <= trades, "{short} {asset} too much");
            debt += if side.base == asset {
                up(short * i128::from(side.price.0), PRICE_ONE.into())
            } else {
                up(short * i128::from(PRICE_ONE), side.price.0.into())
            };
        }
        let net = books.get("USDT").copied().unwrap_or(0) - debt;
        prop_assert_eq!(i128::from(done.result.0), net.div_euclid(100));
        prop_assert_eq!(i128::from(done.volume.0), (gone + 99).div_euclid(100));
        prop_assert!(done.volume <= Usdt(size) && !done.fees.is_negative());
        for asset in ["AAA", "BBB"] {
            let left = books.get(asset).copied().unwrap_or(0).max(0);
            prop_assert_eq!(i128::from(done.residues.get(asset).copied().unwrap_or_default().0), left);
        }
        prop_assert_eq!(done.residues.len(), ["AAA", "BBB"].iter().filter(|a| books.get(**a).copied().unwrap_or(0) > 0).count());
    }
}
