//! What a day's results are, and who is a gold trader: pure.

use protocol::{ids::UserId, money::Usdt};
use std::{cmp::Ordering, ops::AddAssign};

/// Results of some operations. Amounts are micro-USDT; gain and loss are never netted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub gain: Usdt,
    pub loss: Usdt,
    pub fees: Usdt,
    pub operations: i64,
    pub hits: i64,
}

impl Tally {
    /// Of one share: what the market made of it, and what was booked.
    #[must_use]
    pub fn of(market: Usdt, booked: Usdt, fees: Usdt) -> Self {
        Self {
            gain: booked.max(Usdt::ZERO),
            loss: (-booked).max(Usdt::ZERO),
            fees,
            operations: 1,
            hits: i64::from(market.is_positive()),
        }
    }

    #[must_use]
    pub fn net(&self) -> Usdt {
        self.gain - self.loss
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.gain += other.gain;
        self.loss += other.loss;
        self.fees += other.fees;
        self.operations += other.operations;
        self.hits += other.hits;
    }
}

/// Days with operations that a gold trader needs in the month.
pub const GOLD_DAYS: i64 = 7;

/// A person's month in one mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trader {
    pub owner: UserId,
    pub net: Usdt,
    /// Allocation × time, in micro-USDT seconds.
    pub weight: i128,
    /// Days with operations.
    pub days: i64,
}

/// `a ÷ b` against `c ÷ d` for positive `b` and `d`, exact.
fn ratio(a: i128, b: i128, c: i128, d: i128) -> Ordering {
    let (whole_a, whole_c) = (a.div_euclid(b), c.div_euclid(d));
    if whole_a != whole_c {
        return whole_a.cmp(&whole_c);
    }
    let (rest_a, rest_c) = (a.rem_euclid(b), c.rem_euclid(d));
    match (rest_a == 0, rest_c == 0) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        // Of two proper fractions the one with the smaller reciprocal is the greater.
        (false, false) => ratio(d, rest_c, b, rest_a),
    }
}

fn better(a: &Trader, b: &Trader) -> Ordering {
    ratio(b.net.0.into(), b.weight, a.net.0.into(), a.weight)
}

/// The best tenth, rounded up, ties in, of those who operated long enough; never somebody who lost.
#[must_use]
pub fn gold(traders: &[Trader]) -> Vec<UserId> {
    let mut ranked: Vec<&Trader> = traders
        .iter()
        .filter(|t| t.days >= GOLD_DAYS && t.weight > 0)
        .collect();
    ranked.sort_by(|a, b| better(a, b).then(a.owner.cmp(&b.owner)));
    let Some(last) = ranked
        .len()
        .div_ceil(10)
        .checked_sub(1)
        .and_then(|n| ranked.get(n))
    else {
        return Vec::new();
    };
    ranked
        .iter()
        .take_while(|t| better(t, last) != Ordering::Greater)
        .filter(|t| t.net.is_positive())
        .map(|t| t.owner)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn trader(n: u128, net: i64, weight: i128, days: i64) -> Trader {
        Trader {
            owner: UserId(uuid::Uuid::from_u128(n)),
            net: Usdt(net),
            weight,
            days,
        }
    }

    #[test]
    fn a_tenth_rounded_up_with_ties() {
        let owners = |traders: &[Trader]| gold(traders).iter().map(|o| o.0.as_u128()).collect::<Vec<_>>();
        assert!(owners(&[]).is_empty());
        assert_eq!(owners(&[trader(1, 5, 100, 7)]), [1]);
        assert!(owners(&[trader(1, 5, 100, 6)]).is_empty(), "six days");
        assert!(
            owners(&[trader(1, -5, 100, 9)]).is_empty(),
            "nobody wins by losing least"
        );
        assert!(owners(&[trader(1, 5, 0, 9)]).is_empty(), "nothing was at work");
        // The rate counts, not the sum.
        assert_eq!(owners(&[trader(1, 50, 10_000, 7), trader(2, 5, 100, 7)]), [2]);
        // 2/6 and 1/3 tie.
        assert_eq!(
            owners(&[trader(1, 2, 6, 7), trader(2, 1, 3, 7), trader(3, 1, 4, 7)]),
            [1, 2]
        );
        let eleven: Vec<Trader> = (1..=11)
            .map(|n| trader(n, i64::try_from(n).unwrap_or(0), 100, 7))
            .collect();
        assert_eq!(owners(&eleven), [11, 10]);
    }

    proptest! {
        #[test]
        fn fractions_compare_as_products(a in -1_000_000i64..1_000_000, b in 1i64..1_000_000, c in -1_000_000i64..1_000_000, d in 1i64..1_000_000) {
            let (a, b, c, d) = (i128::from(a), i128::from(b), i128::from(c), i128::from(d));
            prop_assert_eq!(ratio(a, b, c, d), (a * d).cmp(&(c * b)));
        }

        #[test]
        fn at_least_a_tenth_and_none_left_out_beats_one_within(nets in proptest::collection::vec((1i64..50, 1i128..50), 1..60)) {
            let traders: Vec<Trader> = nets.iter().enumerate()
                .map(|(n, (net, weight))| trader(n as u128, *net, *weight, 7)).collect();
            let gold = gold(&traders);
            prop_assert!(gold.len() * 10 >= traders.len());
            let (within, without): (Vec<_>, Vec<_>) = traders.iter().partition(|t| gold.contains(&t.owner));
            for a in &without {
                for b in &within {
                    prop_assert_eq!(better(b, a), Ordering::Less);
                }
            }
        }
    }
}
