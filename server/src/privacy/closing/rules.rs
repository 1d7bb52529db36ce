//! When an account may be closed. Pure.

use super::model::{ClosingNeed, ClosingNeedView};
use protocol::ErrorCode;
use time::Duration;

/// Between the asking and the closing: time to think, and to hear of it who did not ask.
pub const WAIT: Duration = Duration::days(7);

/// Why it may not be, of what is in the way.
#[must_use]
pub fn refusal(needs: &[ClosingNeedView]) -> Option<ErrorCode> {
    if needs.iter().any(|need| need.what == ClosingNeed::Role) {
        // Who decides comes and goes by two, here as well.
        return Some(ErrorCode::ClosingByTwo);
    }
    (!needs.is_empty()).then_some(ErrorCode::ClosingUnsettled)
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
        }
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
