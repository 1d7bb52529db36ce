//! Pure rules of the network.

use protocol::money::Usdt;
use serde::{Deserialize, Serialize};

/// A side of the binary tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Leg {
    Left,
    Right,
}

impl Leg {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }

    /// The stored word; anything else reads as left.
    #[must_use]
    pub fn read(text: &str) -> Self {
        if text == "right" { Self::Right } else { Self::Left }
    }
}

/// Points of a sale, in millionths: one per USDT of the licence's value (docs/rules/affiliates.md#points).
#[must_use]
pub const fn points(value: Usdt) -> i64 {
    value.0
}

/// Whether a newcomer without a licence gets a place now: the sponsor's places for such members are limited.
#[must_use]
pub const fn has_place(unlicensed_placed: i64, limit: i64, licensed: bool) -> bool {
    licensed || unlicensed_placed < limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_for_members_without_a_licence_are_limited() {
        assert!(has_place(19, 20, false));
        assert!(!has_place(20, 20, false));
        assert!(has_place(20, 20, true));
        assert_eq!(points(Usdt::whole(100)), 100_000_000);
        for leg in [Leg::Left, Leg::Right] {
            assert_eq!(Leg::read(leg.as_str()), leg);
        }
    }
}
