//! When an account may be closed. Pure.

use super::model::{ClosingNeed, ClosingNeedView, LeftBehind};
use protocol::{ErrorCode, money::Usdt};
use time::Duration;

/// Between the asking and the closing: time to think, and to hear of it who did not ask.
pub const WAIT: Duration = Duration::days(7);

/// Whoever finds something being booked on the day comes again after this.
pub const TURN: Duration = Duration::seconds(20);

/// Why it may not be, of what is in the way.
#[must_use]
pub fn refusal(needs: &[ClosingNeedView]) -> Option<ErrorCode> {
    if needs.iter().any(|need| need.what == ClosingNeed::Role) {
        // Who decides comes and goes by two, here as well.
        return Some(ErrorCode::ClosingByTwo);
    }
    (!needs.is_empty()).then_some(ErrorCode::ClosingUnsettled)
}

/// Whether it may be left to the house: `smallest` is what a withdrawal takes at least; `untouched` says that nobody has asked for a payment of
/// these ranks.
#[must_use]
pub fn is_leavable(need: &ClosingNeedView, smallest: Usdt, untouched: bool) -> bool {
    let Some(usdt) = need.usdt else { return false };
    match need.what {
        ClosingNeed::Available => usdt < smallest,
        ClosingNeed::Ranks => untouched,
        _ => false,
    }
}

/// Of what was named, what stands so: another sum than the whole of it is nothing that was left.
#[must_use]
pub fn left(needs: &[ClosingNeedView], named: LeftBehind) -> LeftBehind {
    let whole = |what: ClosingNeed, sum: Option<Usdt>| {
        sum.filter(|_| {
            let mut stands = needs.iter().filter(|need| need.leavable && need.what == what);
            stands.any(|need| need.usdt == sum)
        })
    };
    LeftBehind {
        available: whole(ClosingNeed::Available, named.available),
        ranks: whole(ClosingNeed::Ranks, named.ranks),
    }
}

/// What is in the way beside it.
#[must_use]
pub fn beside(needs: &[ClosingNeedView], left: LeftBehind) -> Vec<ClosingNeedView> {
    let stays = |need: &&ClosingNeedView| match need.what {
        ClosingNeed::Available => left.available.is_none(),
        ClosingNeed::Ranks => left.ranks.is_none(),
        _ => true,
    };
    needs.iter().filter(stays).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(what: ClosingNeed) -> ClosingNeedView {
        ClosingNeedView {
            what,
            usdt: None,
            pyx: None,
            count: None,
            until: None,
            leavable: false,
        }
    }

    #[test]
    fn only_the_whole_of_what_is_too_little_is_left() {
        let usdt = |what, units| ClosingNeedView {
            usdt: Some(Usdt(units)),
            ..need(what)
        };
        let smallest = Usdt::whole(10);
        let little = usdt(ClosingNeed::Available, 9_999_999);
        assert!(is_leavable(&little, smallest, false));
        assert!(!is_leavable(
            &usdt(ClosingNeed::Available, 10_000_000),
            smallest,
            true
        ));
        assert!(!is_leavable(&usdt(ClosingNeed::Bonus, 1), smallest, true));
        let ranks = usdt(ClosingNeed::Ranks, 50_000_000);
        assert!(is_leavable(&ranks, smallest, true) && !is_leavable(&ranks, smallest, false));

        let needs: Vec<ClosingNeedView> = [little, ranks]
            .into_iter()
            .map(|need| ClosingNeedView {
                leavable: true,
                ..need
            })
            .chain([need(ClosingNeed::Cases)])
            .collect();
        let named = LeftBehind {
            available: Some(Usdt(9_999_999)),
            ranks: Some(Usdt(1)),
        };
        let left = left(&needs, named);
        assert_eq!(
            (left.available, left.ranks),
            (named.available, None),
            "another sum"
        );
        let rest: Vec<ClosingNeed> = beside(&needs, left).iter().map(|need| need.what).collect();
        assert_eq!(rest, [ClosingNeed::Ranks, ClosingNeed::Cases]);
        assert_eq!(
            super::left(&[need(ClosingNeed::Available)], named),
            LeftBehind::default()
        );
    }

    #[test]
    fn a_role_that_decides_is_said_before_anything_else() {
        assert_eq!(refusal(&[]), None);
        let (money, role) = (need(ClosingNeed::Available), need(ClosingNeed::Role));
        assert_eq!(
            refusal(std::slice::from_ref(&money)),
            Some(ErrorCode::ClosingUnsettled)
        );
        assert_eq!(refusal(&[money, role]), Some(ErrorCode::ClosingByTwo));
    }

    #[test]
    fn what_the_database_says_has_a_name_here() {
        for need in ClosingNeed::ALL {
            let said = serde_json::to_value(need).unwrap();
            assert_eq!(said.as_str().unwrap().parse::<ClosingNeed>(), Ok(need));
        }
    }
}
