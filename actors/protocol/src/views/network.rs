//! The network: bonuses as their receivers and staff see them.

use super::{Rank, wire, words};
use crate::{
    ids::{BonusId, GraduationId, GraduationPayoutId, UserId},
    money::Usdt,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

words! {
    /// What a bonus is for (docs/rules/affiliates.md#bonuses).
    BonusKind {
        /// Somebody below put more of their own capital to work than ever before: levels 1 to 10 of the sponsor chain.
        Level = "level",
        DirectSale = "direct_sale",
        /// Levels 2 to 5 of the sponsor chain.
        IndirectSale = "indirect_sale",
        /// What the downline's robots brought on a day, levels 1 to 3.
        Residual = "residual",
        /// Points matched on both legs.
        Binary = "binary",
    }
    /// What a bonus follows from.
    BonusCause { Sale = "sale", Allocation = "allocation", Closing = "closing" }
    /// Why a bonus, or a part of it, was not earned.
    LostReason { Inactive = "inactive", NotQualified = "not_qualified", NetworkCeiling = "network_ceiling", DailyCap = "daily_cap" }
    /// Where a bonus stands; of several the first that holds.
    BonusStatus {
        /// The fund pays it, or the rest of it, as it fills.
        Deferred = "deferred",
        /// In `bonus`, and stays there until a person has looked.
        InReview = "in_review",
        /// In `bonus`, and stays there until the money that it comes from is no longer young.
        Young = "young",
        /// All that was paid of it went back, or it was dropped before.
        TakenBack = "taken_back",
        /// Nothing of it was earned.
        Lost = "lost",
        Paid = "paid",
    }
    /// Where the payment of a rank's bonus stands (docs/rules/affiliates.md#paying-a-ranks-bonus).
    GraduationPayoutStatus {
        /// Asked for by one person; another has to agree.
        Pending = "pending",
        /// Decided; the sender takes it next.
        Approved = "approved",
        /// Signed and on its way.
        Sent = "sent",
        /// Final on the chain and in the books.
        Complete = "complete",
        /// The chain refused it: the bonus may be paid anew.
        Failed = "failed",
        /// Taken back by a person before it was signed: the bonus may be paid anew.
        Rejected = "rejected",
    }
    /// What became of a rank's bonus, as its member is told: what staff agree on among themselves is not part of it.
    RankBonusState {
        /// The rank brought no bonus.
        Empty = "empty",
        /// Not sent yet.
        Waiting = "waiting",
        /// Signed and on its way.
        Sent = "sent",
        /// The chain refused it; it is paid anew.
        Failed = "failed",
        Paid = "paid",
    }
}

wire! {
    /// A bonus. `gross` is what it came to: `lost`, `paid`, `waiting` and `dropped` add up to it.
    pub struct BonusView {
        #[serde(rename = "_id")]
        pub id: BonusId,
        pub kind: BonusKind,
        /// Steps up the sponsor chain; zero for a binary bonus.
        pub level: i16,
        /// Whose sale, allocation or gains it comes from.
        pub source: Option<String>,
        pub cause: BonusCause,
        /// USDT, or points matched.
        pub base: Usdt,
        /// As it was then, in percent.
        pub percentage: String,
        pub gross: Usdt,
        pub paid: Usdt,
        pub waiting: Usdt,
        pub lost: Usdt,
        pub lost_reason: Option<LostReason>,
        /// Due, but never paid: its sale was taken back, or its review refused it.
        pub dropped: Usdt,
        /// Taken back of what was paid.
        pub returned: Usdt,
        pub status: BonusStatus,
        /// Why it is in review: `same_device`, `same_document`, `same_payer`.
        pub review_reasons: Vec<String>,
        /// Whoever reviewed it did not let it go: what was dropped and returned is by that.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required = true))]
        pub refused: bool,
        #[serde(with = "time::serde::rfc3339::option")]
        pub young_until: Option<OffsetDateTime>,
        /// `2026-11-24`.
        pub business_day: String,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        pub version: i64,
    }
    /// What a day's closing made for a member of one type of bonus, and where that stands; or the highest rank that it reached by it.
    pub struct ClosingShareView {
        /// `2026-11-24`.
        pub business_day: String,
        /// None for a rank.
        pub kind: Option<BonusKind>,
        /// Paid, young, in review, deferred (what waits) or lost; none for a rank.
        pub status: Option<BonusStatus>,
        /// The part of the type's bonuses that stands so.
        pub amount: Usdt,
        /// Why it was lost.
        pub lost_reason: Option<LostReason>,
        pub rank: Option<Rank>,
    }
    /// The payment of a rank's bonus over the chain, to its member's own wallet.
    pub struct GraduationPayoutView {
        #[serde(rename = "_id")]
        pub id: GraduationPayoutId,
        pub graduation: GraduationId,
        pub user: UserId,
        pub username: String,
        pub rank: Rank,
        pub value: Usdt,
        /// The member's own wallet as it was when the payment was asked for.
        pub address: String,
        /// Wei of USDT that it receives.
        pub amount: String,
        pub status: GraduationPayoutStatus,
        pub reason: Option<String>,
        /// The hash under which the chain knows it; of a replaced one the newest. None until it is signed.
        pub transaction: Option<String>,
        pub block: Option<i64>,
        pub approvals: i16,
        pub approvals_needed: i16,
        #[serde(with = "time::serde::rfc3339::option")]
        pub decided_at: Option<OffsetDateTime>,
        #[serde(with = "time::serde::rfc3339::option")]
        pub sent_at: Option<OffsetDateTime>,
        #[serde(with = "time::serde::rfc3339::option")]
        pub completed_at: Option<OffsetDateTime>,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        pub version: i64,
    }
}
