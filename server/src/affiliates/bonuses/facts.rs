//! What the rules of single bonuses are told, and what they answer with: pure.

use crate::{affiliates::model::NewBonus, foundation::settings::WHOLE};
use protocol::{
    ids::UserId,
    money::Usdt,
    views::{BonusCause, BonusKind, LostReason},
};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// Somebody above a member in the sponsor tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upline {
    pub member: UserId,
    /// 1: the sponsor.
    pub level: i16,
    pub active: bool,
}

/// What happened below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    pub cause_kind: BonusCause,
    pub cause: Uuid,
    pub source: UserId,
    pub base: Usdt,
    pub business_day: Date,
    pub young_until: Option<OffsetDateTime>,
}

impl Fact {
    /// The bonus that an upline has of this fact; none when it comes to nothing. Who is inactive loses it, and nobody else gets it.
    #[must_use]
    pub fn bonus(&self, kind: BonusKind, upline: &Upline, rate: i64) -> Option<NewBonus> {
        let gross = self.base.mul_div_floor(rate, WHOLE)?;
        gross.is_positive().then_some(NewBonus {
            receiver: upline.member,
            source: Some(self.source),
            kind,
            level: upline.level,
            cause_kind: self.cause_kind,
            cause: self.cause,
            base: self.base.0,
            rate,
            gross,
            bound: (!upline.active).then_some((LostReason::Inactive, Usdt::ZERO)),
            business_day: self.business_day,
            young_until: self.young_until,
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use time::macros::date;

    /// A fact of so many USDT.
    pub fn fact(cause_kind: BonusCause, usdt: i64) -> Fact {
        Fact {
            cause_kind,
            cause: Uuid::now_v7(),
            source: UserId::fresh(),
            base: Usdt(usdt),
            business_day: date!(2026 - 11 - 24),
            young_until: None,
        }
    }

    /// A chain of so many, nearest first.
    pub fn chain(actives: &[bool]) -> Vec<Upline> {
        (1..)
            .zip(actives)
            .map(|(level, active)| Upline {
                member: UserId::fresh(),
                level,
                active: *active,
            })
            .collect()
    }

    #[test]
    fn who_is_inactive_loses_it_and_nothing_is_no_bonus() {
        let fact = fact(BonusCause::Sale, 100_000_000);
        let chain = chain(&[true, false]);
        let of = |place: usize, rate| {
            chain
                .get(place)
                .and_then(|u| fact.bonus(BonusKind::Level, u, rate))
        };
        assert_eq!(
            of(0, 100_000).map(|b| (b.gross, b.bound)),
            Some((Usdt::whole(10), None))
        );
        assert_eq!(
            of(1, 100_000).and_then(|b| b.bound),
            Some((LostReason::Inactive, Usdt::ZERO))
        );
        assert_eq!(of(0, 0), None);
    }
}
