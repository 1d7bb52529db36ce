//! What bonuses and closings are made of.

use protocol::{
    ids::{BonusId, UserId},
    money::Usdt,
    views::{BonusCause, BonusKind, LostReason},
};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// A bonus as its rule computed it, before the network ceiling and the fund have their say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewBonus {
    pub receiver: UserId,
    /// Whose sale, allocation or gains it comes from; none of a binary bonus.
    pub source: Option<UserId>,
    pub kind: BonusKind,
    pub level: i16,
    pub cause_kind: BonusCause,
    /// `affiliates.cause.id` or `affiliates.closing.id`.
    pub cause: Uuid,
    /// Micro-USDT, or millionths of a point.
    pub base: i64,
    /// Parts per million.
    pub rate: i64,
    /// Above zero.
    pub gross: Usdt,
    /// The most of it that is earned for a reason that its rule knows: zero for who is inactive or not qualified, what the daily cap leaves.
    pub bound: Option<(LostReason, Usdt)>,
    pub business_day: Date,
    /// The source's money may be taken back until then.
    pub young_until: Option<OffsetDateTime>,
}

/// A bonus as booked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bonus {
    pub id: BonusId,
    pub new: NewBonus,
    pub settings_version: i32,
    pub lost: Usdt,
    pub lost_reason: Option<LostReason>,
    /// At once; what the fund does not hold waits.
    pub paid: Usdt,
    pub waiting: Usdt,
    pub review: Option<Uuid>,
}

impl Bonus {
    /// What was earned: it is paid, or waits.
    #[must_use]
    pub fn earned(&self) -> Usdt {
        self.paid + self.waiting
    }
}

/// A row of points of one business day, summed by the member whose sales they are; a reversal's count against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayPoints {
    pub member: UserId,
    pub points: i64,
}

/// What a member's robots brought on a business day, over all licences: gains less losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayResult {
    pub member: UserId,
    pub result: Usdt,
}

/// A member's place in both trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    pub member: UserId,
    pub sponsor: Option<UserId>,
    /// None for the root and for who waits for a place.
    pub parent: Option<UserId>,
    /// The leg of the parent on which it stands.
    pub on_left: bool,
    pub depth: i64,
}

/// Points per leg; what is owed comes off the next ones. Of a leg one of both is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carry {
    pub left: i64,
    pub right: i64,
    pub left_owed: i64,
    pub right_owed: i64,
}

/// A member as it was when the day ended; who has none was not active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frozen {
    pub member: UserId,
    pub qualified: bool,
    pub daily_cap: Usdt,
}
