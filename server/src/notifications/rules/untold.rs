//! The facts that make no line, each with why: whoever adds a kind of fact says which it is.

/// By kind. What concerns a person and happens without them stands in [`super::KINDS`] instead.
pub const UNTOLD: &[(&str, &str)] = &[
    ("balance.changed", "the cause of the movement is told"),
    (
        "robots.settled",
        "a robot's operations make none: the day's digest has their sum",
    ),
    ("robot.manual", "its owner ordered it and looks at it"),
    ("hot_wallet.changed", "of the house's wallet, on staff's queue"),
    (
        "presale.changed",
        "one's own buying and trading; an order that waited is told by order.changed",
    ),
    (
        "queue.changed",
        "on staff's queue; whoever waits too long is told by queue.old",
    ),
    (
        "decision.word_fell",
        "on staff's queue, about what is listed there",
    ),
    (
        "compliance_case.changed",
        "on staff's queue: who is looked at is not told",
    ),
    (
        "rules.changed",
        "of the house; what it does to a person is told by its own fact",
    ),
    ("live_trading.changed", "on staff's queue"),
    ("live_operations.changed", "on staff's queue"),
    ("declared_holding.changed", "on staff's queue"),
    (
        "pool_revenue.changed",
        "on staff's queue; whose share it becomes is told by pool.changed",
    ),
    (
        "ranks.reached",
        "on staff's queue; who reached one is told by closing.booked",
    ),
    (
        "ticket.opened",
        "its owner opened it; staff see it in their queue, and what it says is told by ticket.message",
    ),
    (
        "ticket.activity",
        "a list's row; what was said is told by ticket.message",
    ),
    ("ticket.message_changed", "a correction of what was told"),
    ("ticket.about", "the thing's own fact tells it"),
    (
        "ticket.desk",
        "among staff, on their queue: the desk says who handed it over",
    ),
    ("canned_replies.changed", "among staff"),
    (
        "user.changed",
        "one's own doing, or told by the mail that warns, which waits behind nothing, or by account.decided",
    ),
    ("notification", "is the line"),
    (
        "announcement",
        "to everyone at once, by code; what staff write to people has its line from `announcements`",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notifications::rules::KINDS;
    use protocol::LiveEvent;
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_of_fact_is_told_or_says_why_not() {
        let untold: BTreeSet<&str> = UNTOLD.iter().map(|(kind, _)| *kind).collect();
        let told: BTreeSet<&str> = KINDS.iter().copied().collect();
        assert_eq!(
            (untold.len(), told.len()),
            (UNTOLD.len(), KINDS.len()),
            "each once"
        );
        assert!(untold.is_disjoint(&told), "{:?}", untold.intersection(&told));
        let all: BTreeSet<&str> = LiveEvent::KINDS.iter().copied().collect();
        assert_eq!(untold.union(&told).copied().collect::<BTreeSet<_>>(), all);
        assert!(UNTOLD.iter().all(|(_, why)| why.len() > 10));
    }
}
