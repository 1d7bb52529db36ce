use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

#[test]
fn the_band_lies_within_the_share_and_on_ticks() {
    for (reference, parts, low, high) in [
        (500_000, 200_000, 400_000, 600_000),
        (500_050, 200_000, 400_100, 600_000),
        (100, 200_000, 100, 100),
        (1, 200_000, 100, 100),
    ] {
        assert_eq!(
            band(Usdt(reference), parts),
            (Usdt(low), Usdt(high)),
            "{reference}"
        );
    }
}

/// What happens to a book.
#[derive(Clone, Debug)]
enum Step {
    Place {
        owner: usize,
        side: PyxSide,
        price: i64,
        lots: i64,
    },
    Cancel {
        nth: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let side = prop_oneof![Just(PyxSide::Buy), Just(PyxSide::Sell)];
    prop_oneof![
        6 => (0usize..4, side, 95i64..106, 1i64..40).prop_map(|(owner, side, price, lots)| Step::Place { owner, side, price, lots }),
        1 => (0usize..64).prop_map(|nth| Step::Cancel { nth }),
    ]
}

/// A waiting order with its place in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Waiting {
    owner: usize,
    side: PyxSide,
    price: i64,
    lots: i64,
}

/// The slowest book that can be right: lot by lot, looking at everybody each time.
struct Naive {
    orders: BTreeMap<usize, Waiting>,
    trades: Vec<(usize, usize, i64, i64)>,
    apart: Apart,
}

/// Who is kept apart from whom, of four people.
#[derive(Clone, Copy, Debug)]
struct Apart([[bool; 4]; 4]);

impl Apart {
    fn holds(self, one: usize, other: usize) -> bool {
        one != other && self.0[one.min(other)][one.max(other)]
    }
}

fn apart() -> impl Strategy<Value = Apart> {
    proptest::array::uniform4(proptest::array::uniform4(proptest::bool::weighted(0.3))).prop_map(Apart)
}

impl Naive {
    fn place(&mut self, id: usize, new: Waiting) {
        let mut left = new.lots;
        while left > 0 {
            let best = self
                .orders
                .iter()
                .filter(|(_, o)| o.side != new.side && !self.apart.holds(o.owner, new.owner))
                .filter(|(_, o)| match new.side {
                    PyxSide::Buy => o.price <= new.price,
                    PyxSide::Sell => o.price >= new.price,
                })
                .min_by_key(|(id, o)| {
                    (
                        if new.side == PyxSide::Buy {
                            o.price
                        } else {
                            -o.price
                        },
                        **id,
                    )
                })
                .map(|(id, o)| (*id, *o));
            let Some((maker, found)) = best else { break };
            if found.owner == new.owner {
                return;
            }
            match self.trades.last_mut() {
                Some((t, m, _, lots)) if (*t, *m) == (id, maker) => *lots += 1,
                _ => self.trades.push((id, maker, found.price, 1)),
            }
            left -= 1;
            if found.lots == 1 {
                self.orders.remove(&maker);
            } else if let Some(order) = self.orders.get_mut(&maker) {
                order.lots -= 1;
            }
        }
        if left > 0 {
            self.orders.insert(id, Waiting { lots: left, ..new });
        }
    }
}

/// The same by the rule under test, with everybody's money counted: free and set aside, in both currencies.
struct Tested {
    ids: Vec<PyxOrderId>,
    owners: Vec<UserId>,
    orders: BTreeMap<usize, Waiting>,
    trades: Vec<(usize, usize, i64, i64)>,
    usdt: Vec<i64>,
    usdt_held: Vec<i64>,
    pyx: Vec<i64>,
    pyx_held: Vec<i64>,
    apart: Apart,
}

const RICH: i64 = 1_000_000_000_000;

impl Tested {
    fn new(apart: Apart) -> Self {
        Self {
            ids: Vec::new(),
            owners: (0..4).map(|_| UserId::fresh()).collect(),
            orders: BTreeMap::new(),
            trades: Vec::new(),
            usdt: vec![RICH; 4],
            usdt_held: vec![0; 4],
            pyx: vec![RICH; 4],
            pyx_held: vec![0; 4],
            apart,
        }
    }

    fn worth(price: i64, lots: i64) -> i64 {
        cost(Pyx(lots * LOT.0), Usdt(price * TICK.0)).unwrap().0
    }

    /// Sets the rest of an order aside, or gives it back.
    fn aside(&mut self, order: Waiting, sign: i64) {
        let worth = Self::worth(order.price, order.lots) * sign;
        let lots = order.lots * LOT.0 * sign;
        match order.side {
            PyxSide::Buy => {
                self.usdt[order.owner] -= worth;
                self.usdt_held[order.owner] += worth;
            }
            PyxSide::Sell => {
                self.pyx[order.owner] -= lots;
                self.pyx_held[order.owner] += lots;
            }
        }
    }

    fn place(&mut self, id: usize, new: Waiting) {
        let mut makers: Vec<(usize, Waiting)> = self
            .orders
            .iter()
            .filter(|(_, o)| o.side != new.side)
            .map(|(i, o)| (*i, *o))
            .collect();
        makers.sort_by_key(|(i, o)| {
            (
                if new.side == PyxSide::Buy {
                    o.price
                } else {
                    -o.price
                },
                *i,
            )
        });
        let incoming = Incoming {
            owner: self.owners[new.owner],
            side: new.side,
            price: Usdt(new.price * TICK.0),
            quantity: Pyx(new.lots * LOT.0),
        };
        let placed = place(
            &incoming,
            makers.iter().map(|(i, o)| Resting {
                id: self.ids[*i],
                owner: self.owners[o.owner],
                price: Usdt(o.price * TICK.0),
                rest: Pyx(o.lots * LOT.0),
            }),
            |owner| {
                let owner = self.owners.iter().position(|o| *o == owner).unwrap();
                self.apart.holds(owner, new.owner)
            },
        );
        for fill in &placed.fills {
            let maker = self.ids.iter().position(|i| *i == fill.maker).unwrap();
            let before = self.orders.remove(&maker).unwrap();
            let lots = fill.quantity.0 / LOT.0;
            self.aside(before, -1);
            let (buyer, seller) = match new.side {
                PyxSide::Buy => (new.owner, before.owner),
                PyxSide::Sell => (before.owner, new.owner),
            };
            self.usdt[buyer] -= fill.cost.0;
            self.usdt[seller] += fill.cost.0;
            self.pyx[buyer] += fill.quantity.0;
            self.pyx[seller] -= fill.quantity.0;
            if before.lots > lots {
                let after = Waiting {
                    lots: before.lots - lots,
                    ..before
                };
                self.aside(after, 1);
                self.orders.insert(maker, after);
            }
            self.trades.push((id, maker, fill.price.0 / TICK.0, lots));
        }
        let rest = placed.rest.0 / LOT.0;
        if rest > 0 && placed.end.is_none() {
            let waits = Waiting { lots: rest, ..new };
            self.aside(waits, 1);
            self.orders.insert(id, waits);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn the_book_is_the_naive_book_and_keeps_every_unit(steps in proptest::collection::vec(step(), 1..80), apart in apart()) {
        let mut naive = Naive { orders: BTreeMap::new(), trades: Vec::new(), apart };
        let mut tested = Tested::new(apart);
        for (id, step) in steps.into_iter().enumerate() {
            tested.ids.push(PyxOrderId::fresh());
            match step {
                Step::Place { owner, side, price, lots } => {
                    let new = Waiting { owner, side, price, lots };
                    naive.place(id, new);
                    tested.place(id, new);
                }
                Step::Cancel { nth } => {
                    let all: Vec<usize> = naive.orders.keys().copied().collect();
                    if !all.is_empty() {
                        let chosen = all[nth % all.len()];
                        naive.orders.remove(&chosen);
                        let gone = tested.orders.remove(&chosen).unwrap();
                        tested.aside(gone, -1);
                    }
                }
            }
            prop_assert_eq!(&naive.orders, &tested.orders);
            prop_assert_eq!(&naive.trades, &tested.trades);
            prop_assert_eq!(tested.usdt.iter().chain(&tested.usdt_held).sum::<i64>(), 4 * RICH);
            prop_assert_eq!(tested.pyx.iter().chain(&tested.pyx_held).sum::<i64>(), 4 * RICH);
            for held in [&tested.usdt_held, &tested.pyx_held, &tested.usdt, &tested.pyx] {
                prop_assert!(held.iter().all(|units| *units >= 0));
            }
            let of = |side| tested.orders.values().filter(move |o| o.side == side);
            for bid in of(PyxSide::Buy) {
                for ask in of(PyxSide::Sell) {
                    let fine = bid.price < ask.price || apart.holds(bid.owner, ask.owner);
                    prop_assert!(fine, "the book crosses itself between two who may meet");
                }
            }
        }
    }
}

#[test]
fn one_order_meets_only_so_many() {
    let maker = |_| Resting {
        id: PyxOrderId::fresh(),
        owner: UserId::fresh(),
        price: TICK,
        rest: LOT,
    };
    let quantity = Pyx(LOT.0 * 500);
    let order = Incoming {
        owner: UserId::fresh(),
        side: PyxSide::Buy,
        price: TICK,
        quantity,
    };
    let nobody = |_| false;
    let placed = place(&order, (0..500).map(maker), nobody);
    assert_eq!(
        (placed.fills.len(), placed.end),
        (MOST_FILLS, Some(PyxOrderEnd::Limit))
    );
    assert_eq!(place(&order, (0..25).map(maker), nobody).end, None);
    // Who is passed by was not met.
    assert_eq!(place(&order, (0..500).map(maker), |_| true).end, None);
}
