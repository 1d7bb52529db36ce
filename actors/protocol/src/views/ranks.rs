//! Ranks of the network, and who may see what of those below.

use super::words;
use serde::{Deserialize, Serialize};

words! {
    /// What a member has graduated to (docs/rules/affiliates.md#graduations), rising.
    Rank {
        Bronze = "bronze",
        Silver = "silver",
        Gold = "gold",
        Platinum = "platinum",
        Diamond = "diamond",
        DoubleDiamond = "double_diamond",
        Ambassador = "ambassador",
        Crown = "crown",
    }
    /// Whether a member earns from the network: an active account with an active licence.
    MemberStatus { Active = "active", Inactive = "inactive" }
    /// What a member lacks for the binary bonus.
    BinaryNeed {
        /// An active account with an active licence.
        Activity = "activity",
        /// An active direct referral on the left leg.
        LeftReferral = "left_referral",
        RightReferral = "right_referral",
    }
}

impl Rank {
    /// The rank of a number from 1; none for zero.
    #[must_use]
    pub fn numbered(number: i16) -> Option<Self> {
        usize::try_from(number)
            .ok()?
            .checked_sub(1)
            .and_then(|at| Self::ALL.get(at))
            .copied()
    }
}
