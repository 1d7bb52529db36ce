//! What a fund pays: pure. In order, the head in parts; while anything waits, whatever is new waits behind it.

use protocol::money::Usdt;

/// A fund while bonuses are worked off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fund {
    pub balance: Usdt,
    /// What bonuses wait for.
    pub waiting: Usdt,
}

impl Fund {
    /// Pays a new bonus as far as it can; what is left waits. Returns what is paid.
    pub fn pay_new(&mut self, due: Usdt) -> Usdt {
        let paid = if self.waiting.is_positive() {
            Usdt::ZERO
        } else {
            self.take(due)
        };
        self.waiting += due - paid;
        paid
    }

    /// Pays the bonus at the head of the queue, of which so much waits. Returns what is paid.
    pub fn pay_waiting(&mut self, due: Usdt) -> Usdt {
        let paid = self.take(due);
        self.waiting -= paid;
        paid
    }

    fn take(&mut self, due: Usdt) -> Usdt {
        let paid = due.min(self.balance).max(Usdt::ZERO);
        self.balance -= paid;
        paid
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_head_is_paid_in_parts_and_the_rest_waits() {
        let mut fund = Fund {
            balance: Usdt::whole(10),
            waiting: Usdt::ZERO,
        };
        assert_eq!(fund.pay_new(Usdt::whole(7)), Usdt::whole(7));
        assert_eq!(fund.pay_new(Usdt::whole(7)), Usdt::whole(3));
        fund.balance += Usdt::whole(1);
        assert_eq!(fund.pay_new(Usdt::whole(1)), Usdt::ZERO, "behind the queue");
        assert_eq!(fund.pay_waiting(Usdt::whole(4)), Usdt::whole(1));
        assert_eq!(fund.waiting, Usdt::whole(4));
    }

    proptest! {
        /// Whatever comes, a fund pays no more than it holds, and what it owes is what was due and not paid.
        #[test]
        fn nothing_is_paid_beyond_what_the_fund_holds(steps in prop::collection::vec((0i64..1_000, 0i64..1_000, any::<bool>()), 0..60)) {
            let mut fund = Fund { balance: Usdt::ZERO, waiting: Usdt::ZERO };
            let (mut came, mut paid, mut due) = (0, 0, 0);
            let mut queue: std::collections::VecDeque<i64> = std::collections::VecDeque::new();
            for (credit, bonus, pays) in steps {
                fund.balance += Usdt(credit);
                came += credit;
                if pays {
                    while let Some(head) = queue.front_mut() {
                        let part = fund.pay_waiting(Usdt(*head)).0;
                        paid += part;
                        *head -= part;
                        if *head > 0 {
                            break;
                        }
                        queue.pop_front();
                    }
                }
                let part = fund.pay_new(Usdt(bonus)).0;
                prop_assert!(part == 0 || queue.is_empty(), "nobody is overtaken");
                due += bonus;
                paid += part;
                if bonus > part {
                    queue.push_back(bonus - part);
                }
                prop_assert!(!fund.balance.is_negative() && paid <= came);
                prop_assert_eq!(fund.waiting.0, due - paid);
                prop_assert_eq!(fund.waiting.0, queue.iter().sum::<i64>());
            }
        }
    }
}
