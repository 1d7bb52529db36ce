//! What an operation's legs say of it: pure.

use protocol::views::LegView;
use std::collections::BTreeSet;

/// Whether some of the cycle's legs filled nothing, so that what those before it left over was brought back whole. What a leg that filled
/// in part left over is brought back as well, and makes no operation unwound.
#[must_use]
pub fn unwound(legs: &[LegView], triangular: bool) -> bool {
    let of_cycle = |leg: &&LegView| !leg.unwinding;
    let filled: BTreeSet<(&str, &str, &str)> = legs
        .iter()
        .filter(of_cycle)
        .map(|leg| (leg.venue.as_str(), leg.symbol.as_str(), leg.side.as_str()))
        .collect();
    let brought_back = legs.iter().any(|leg| leg.unwinding);
    brought_back && filled.len() < if triangular { 3 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unwound_is_what_a_leg_filled_nothing_of() {
        let leg = |venue: &str, side: &str, unwinding| LegView {
            venue: venue.into(),
            symbol: "BTC/USDT".into(),
            side: side.into(),
            price: "100".into(),
            quantity: "1".into(),
            fee: "0 BTC".into(),
            unwinding,
        };
        let (bought, sold) = (leg("Aurora", "buy", false), leg("Boreal", "sell", false));
        let back = leg("Aurora", "sell", true);
        let third = leg("Cetus", "sell", false);
        for (legs, triangular, expected) in [
            (vec![], false, false),
            (vec![bought.clone(), sold.clone()], false, false),
            (vec![bought.clone(), back.clone()], false, true),
            // The second leg filled in part.
            (vec![bought.clone(), sold.clone(), back.clone()], false, false),
            (vec![bought.clone(), sold.clone(), back.clone()], true, true),
            (
                vec![bought.clone(), sold.clone(), third, back.clone()],
                true,
                false,
            ),
            // Several trades of one leg are one leg.
            (vec![bought.clone(), bought, back], false, true),
        ] {
            assert_eq!(unwound(&legs, triangular), expected, "{legs:?}");
        }
    }
}
