//! When an account may be closed. Pure.

use super::model::{ClosingNeed, ClosingNeedView, LeftBehind};
use protocol::{
    ErrorCode,
    money::{Pyx, Usdt},
};
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

/// What tells whether something may be left to the house.
#[derive(Clone, Copy, Debug)]
pub struct Smallest {
    /// What a withdrawal takes at least.
    pub usdt: Usdt,
    pub pyx: Pyx,
    /// All of the person's PYX are free: none is locked or set aside.
    pub pyx_free: bool,
    /// Nobody has asked for a payment of their ranks.
    pub ranks_untouched: bool,
}

/// Whether it may be left to the house: too little to be taken out, or not paid by anybody.
#[must_use]
pub fn is_leavable(need: &ClosingNeedView, smallest: &Smallest) -> bool {
    match need.what {
        ClosingNeed::Available => need.usdt.is_some_and(|usdt| usdt < smallest.usdt),
        ClosingNeed::Pyx => smallest.pyx_free && need.pyx.is_some_and(|pyx| pyx < smallest.pyx),
        ClosingNeed::Ranks => smallest.ranks_untouched && need.usdt.is_some(),
        _ => false,
    }
}

/// Of what was named, what stands so: another sum than the whole of it is nothing that was left.
#[must_use]
pub fn left(needs: &[ClosingNeedView], named: LeftBehind) -> LeftBehind {
    let stands = |what: ClosingNeed| needs.iter().find(|need| need.leavable && need.what == what);
    let usdt = |what, sum: Option<Usdt>| sum.filter(|_| stands(what).is_some_and(|need| need.usdt == sum));
    let pyx = named.pyx;
    LeftBehind {
        available: usdt(ClosingNeed::Available, named.available),
        pyx: pyx.filter(|_| stands(ClosingNeed::Pyx).is_some_and(|need| need.pyx == pyx)),
        ranks: usdt(ClosingNeed::Ranks, named.ranks),
    }
}

/// What is in the way beside it.
#[must_use]
pub fn beside(needs: &[ClosingNeedView], left: LeftBehind) -> Vec<ClosingNeedView> {
    let stays = |need: &&ClosingNeedView| match need.what {
        ClosingNeed::Available => left.available.is_none(),
        ClosingNeed::Pyx => left.pyx.is_none(),
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
            ways: Vec::new(),
        }
    }

    const SMALLEST: Smallest = Smallest {
        usdt: Usdt::whole(10),
        pyx: Pyx::whole(1),
        pyx_free: true,
        ranks_untouched: true,
    };

    fn usdt(what: ClosingNeed, units: i64) -> ClosingNeedView {
        ClosingNeedView {
            usdt: Some(Usdt(units)),
            ..need(what)
        }
    }

    fn pyx(units: i64) -> ClosingNeedView {
        ClosingNeedView {
            pyx: Some(Pyx(units)),
            ..need(ClosingNeed::Pyx)
        }
    }

    #[test]
    fn only_what_is_too_little_is_left() {
        let may = |need: &ClosingNeedView| is_leavable(need, &SMALLEST);
        assert!(may(&usdt(ClosingNeed::Available, 9_999_999)));
        assert!(!may(&usdt(ClosingNeed::Available, 10_000_000)));
        assert!(!may(&usdt(ClosingNeed::Bonus, 1)));
        assert!(may(&pyx(999_999)) && !may(&pyx(1_000_000)));
        assert!(may(&usdt(ClosingNeed::Ranks, 50_000_000)));
        let touched = Smallest {
            pyx_free: false,
            ranks_untouched: false,
            ..SMALLEST
        };
        for need in [pyx(1), usdt(ClosingNeed::Ranks, 1)] {
            assert!(!is_leavable(&need, &touched), "{need:?}");
        }
    }

    #[test]
    fn only_the_whole_of_it_is_left() {
        let needs: Vec<ClosingNeedView> = [
            usdt(ClosingNeed::Available, 3),
            pyx(4),
            usdt(ClosingNeed::Ranks, 5),
        ]
        .into_iter()
        .map(|need| ClosingNeedView {
            leavable: true,
            ..need
        })
        .chain([need(ClosingNeed::Cases)])
        .collect();
        let named = LeftBehind {
            available: Some(Usdt(3)),
            pyx: Some(Pyx(4)),
            ranks: Some(Usdt(1)),
        };
        let so = left(&needs, named);
        assert_eq!(so, LeftBehind { ranks: None, ..named }, "another sum");
        let rest: Vec<ClosingNeed> = beside(&needs, so).iter().map(|need| need.what).collect();
        assert_eq!(rest, [ClosingNeed::Ranks, ClosingNeed::Cases]);
        // What is enough to be taken out is not left by naming it.
        assert_eq!(
            left(&[usdt(ClosingNeed::Available, 3)], named),
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
