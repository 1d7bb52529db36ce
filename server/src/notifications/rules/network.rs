//! What members hear of their bonuses.

use super::{Line, News};
use protocol::{
    ids::UserId,
    money::Usdt,
    views::{
        BonusCause, BonusKind, BonusStatus, BonusView, ClosingShareView, GraduationPayoutStatus,
        GraduationPayoutView,
    },
};
use serde_json::json;
use uuid::Uuid;

/// One line for where a bonus stands, not for each part that the fund pays. What time frees is no news, and a closing has told itself
/// what waits, is held or lost of it.
pub(super) fn bonus_changed(owner: UserId, bonus: &BonusView) -> News {
    let at_once = bonus.cause != BonusCause::Closing;
    let line = |code, amount: Usdt| Line {
        owner,
        code,
        params: json!({
            "bonus": bonus.id,
            "usdt": amount,
            "by": bonus.source,
            "number": bonus.level,
            "reason": bonus.lost_reason.map(|r| r.as_str()),
        }),
        amount: Some(amount),
        about: bonus.id.0,
    };
    let (state, code, amount) = match bonus.status {
        // Also where nothing of it was left to be taken.
        BonusStatus::TakenBack | BonusStatus::Paid | BonusStatus::Young if bonus.refused => {
            ("refused", Some("bonus_refused"), bonus.paid + bonus.dropped)
        }
        BonusStatus::Paid | BonusStatus::Young if !bonus.returned.is_positive() => {
            ("paid", Some(paid(bonus.kind)), bonus.paid)
        }
        // What waited of it went first: nothing more of it is paid. It may go part by part.
        BonusStatus::TakenBack | BonusStatus::Paid | BonusStatus::Young => {
            let gone = bonus.returned + bonus.dropped;
            return News::Gone {
                subject: bonus.id.0,
                version: bonus.version,
                gone,
                line: line("bonus_taken_back", gone),
            };
        }
        BonusStatus::Deferred => ("deferred", at_once.then_some("bonus_deferred"), bonus.waiting),
        BonusStatus::InReview => (
            "in_review",
            at_once.then_some("bonus_review"),
            bonus.paid + bonus.waiting,
        ),
        BonusStatus::Lost => ("lost", at_once.then_some("bonus_lost"), bonus.lost),
    };
    News::State {
        subject: bonus.id.0,
        version: bonus.version,
        state,
        line: code.map(|code| line(code, amount)),
    }
}

const GONE: &str = "gone:";

/// The state of something of which so much has gone.
#[must_use]
pub fn gone_state(gone: Usdt) -> String {
    format!("{GONE}{}", gone.0)
}

/// What of it has gone since that state; none where all of it was told.
#[must_use]
pub fn gone_since(previous: Option<&str>, gone: Usdt) -> Option<Usdt> {
    // As it was remembered when the state did not say how much.
    if previous == Some("taken_back") {
        return None;
    }
    let told = previous
        .and_then(|state| state.strip_prefix(GONE))
        .and_then(|told| told.parse().ok())
        .map_or(Usdt::ZERO, Usdt);
    Some(gone - told).filter(|since| since.is_positive())
}

impl Line {
    /// The same of so much.
    #[must_use]
    pub fn of(mut self, amount: Usdt) -> Self {
        self.amount = Some(amount);
        if let Some(params) = self.params.as_object_mut() {
            params.insert("usdt".to_owned(), json!(amount));
        }
        self
    }
}

/// Those of closings: what the fund pays later, or a person set free.
const fn paid(kind: BonusKind) -> &'static str {
    match kind {
        BonusKind::Level => "bonus_paid_level",
        BonusKind::DirectSale => "bonus_paid_direct_sale",
        BonusKind::IndirectSale => "bonus_paid_indirect_sale",
        BonusKind::Residual => "bonus_paid_residual",
        BonusKind::Binary => "bonus_paid_binary",
    }
}

/// A line for each type of bonus of a closing and where that stands, and one for the highest rank that it brought.
pub(super) fn closing_booked(owner: UserId, share: &ClosingShareView) -> News {
    let code = match (share.kind, share.status) {
        (Some(kind), Some(status)) => closing_code(kind, status),
        _ => share.rank.map(|_| "rank_reached"),
    };
    let amount = share.kind.map(|_| share.amount);
    code.map_or(News::Nothing, |code| {
        News::Line(Line {
            owner,
            code,
            params: json!({
                "usdt": share.amount,
                "day": share.business_day,
                "rank": share.rank,
                "lost": share.lost_reason.map(|r| r.as_str()),
            }),
            amount,
            about: Uuid::nil(),
        })
    })
}

const fn closing_code(kind: BonusKind, status: BonusStatus) -> Option<&'static str> {
    use BonusStatus::{Deferred, InReview, Lost, Paid, TakenBack, Young};
    let residual = match kind {
        BonusKind::Residual => true,
        BonusKind::Binary => false,
        BonusKind::Level | BonusKind::DirectSale | BonusKind::IndirectSale => return None,
    };
    Some(match (residual, status) {
        (true, Paid) => "closing_residual",
        (true, Young) => "closing_residual_young",
        (true, InReview) => "closing_residual_review",
        (true, Deferred) => "closing_residual_deferred",
        (true, Lost) => "closing_residual_lost",
        (false, Paid) => "closing_binary",
        (false, Young) => "closing_binary_young",
        (false, InReview) => "closing_binary_review",
        (false, Deferred) => "closing_binary_deferred",
        (false, Lost) => "closing_binary_lost",
        (_, TakenBack) => return None,
    })
}

/// A rank's bonus on its way to its member. What staff agree on among themselves is no news.
pub(super) fn graduation_bonus(owner: UserId, payment: &GraduationPayoutView) -> News {
    use GraduationPayoutStatus as Status;
    let code = match payment.status {
        Status::Pending | Status::Approved | Status::Rejected => None,
        Status::Sent => Some("graduation_bonus_sent"),
        Status::Complete => Some("graduation_bonus_complete"),
        Status::Failed => Some("graduation_bonus_failed"),
    };
    News::State {
        subject: payment.id.0,
        version: payment.version,
        state: payment.status.as_str(),
        line: code.map(|code| Line {
            owner,
            code,
            params: json!({ "payment": payment.id, "usdt": payment.value, "rank": payment.rank }),
            amount: Some(payment.value),
            about: payment.id.0,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notifications::rules::CODES;
    use protocol::{ids::BonusId, views::LostReason};
    use time::OffsetDateTime;

    fn bonus(kind: BonusKind, status: BonusStatus) -> BonusView {
        BonusView {
            id: BonusId(Uuid::nil()),
            kind,
            level: 1,
            source: Some("bia".into()),
            cause: match kind {
                BonusKind::Level => BonusCause::Allocation,
                BonusKind::DirectSale | BonusKind::IndirectSale => BonusCause::Sale,
                BonusKind::Residual | BonusKind::Binary => BonusCause::Closing,
            },
            base: Usdt(100),
            percentage: "10.00".into(),
            gross: Usdt(10),
            paid: Usdt(0),
            waiting: Usdt(0),
            lost: Usdt(0),
            lost_reason: None,
            dropped: Usdt(0),
            returned: Usdt(0),
            status,
            review_reasons: Vec::new(),
            refused: false,
            young_until: None,
            business_day: "2026-11-24".into(),
            created_at: OffsetDateTime::UNIX_EPOCH,
            version: 1,
        }
    }

    /// State, code and amount of what is told; each has its sentence in three languages.
    fn told(bonus: &BonusView) -> (&'static str, Option<&'static str>, Option<i64>) {
        let (state, line) = match bonus_changed(UserId::fresh(), bonus) {
            News::State { state, line, .. } => (state, line),
            News::Gone { line, .. } => ("gone", Some(line)),
            other => panic!("{other:?}"),
        };
        if let Some(line) = &line {
            assert!(CODES.contains(&line.code), "{}", line.code);
            assert_eq!(
                (&line.params["by"], &line.params["number"]),
                (&json!("bia"), &json!(1))
            );
        }
        (
            state,
            line.as_ref().map(|line| line.code),
            line.and_then(|line| line.amount).map(|amount| amount.0),
        )
    }

    #[test]
    fn each_bonus_that_is_paid_at_once_is_told_wherever_it_stands() {
        use BonusStatus::{Deferred, InReview, Lost, Paid, TakenBack, Young};
        for (kind, paid) in [
            (BonusKind::Level, "bonus_paid_level"),
            (BonusKind::DirectSale, "bonus_paid_direct_sale"),
            (BonusKind::IndirectSale, "bonus_paid_indirect_sale"),
        ] {
            let of = |status, change: fn(&mut BonusView)| {
                let mut bonus = bonus(kind, status);
                change(&mut bonus);
                told(&bonus)
            };
            let ten = |state, code| (state, Some(code), Some(10));
            assert_eq!(of(Paid, |b| b.paid = Usdt(10)), ten("paid", paid));
            assert_eq!(of(Young, |b| b.paid = Usdt(10)), ten("paid", paid));
            let review = of(InReview, |b| (b.paid, b.waiting) = (Usdt(4), Usdt(6)));
            assert_eq!(review, ten("in_review", "bonus_review"));
            let deferred = of(Deferred, |b| (b.paid, b.waiting) = (Usdt(0), Usdt(10)));
            assert_eq!(deferred, ten("deferred", "bonus_deferred"));
            let lost = of(Lost, |b| {
                (b.lost, b.lost_reason) = (Usdt(10), Some(LostReason::Inactive));
            });
            assert_eq!(lost, ten("lost", "bonus_lost"));
            let back = of(TakenBack, |b| {
                (b.paid, b.returned, b.dropped) = (Usdt(4), Usdt(4), Usdt(6));
            });
            assert_eq!(back, ten("gone", "bonus_taken_back"));
            let refused = of(TakenBack, |b| {
                (b.paid, b.returned, b.dropped, b.refused) = (Usdt(4), Usdt(4), Usdt(6), true);
            });
            assert_eq!(refused, ten("refused", "bonus_refused"));
            // Of one that stands a part: another state than before.
            for status in [Paid, Young] {
                let part = of(status, |b| (b.paid, b.returned) = (Usdt(10), Usdt(3)));
                assert_eq!(part, ("gone", Some("bonus_taken_back"), Some(3)));
            }
        }
    }

    #[test]
    fn each_part_that_goes_is_told_once_and_by_itself() {
        let since = |previous: Option<&str>, gone| gone_since(previous, Usdt(gone)).map(|since| since.0);
        assert_eq!(since(None, 4), Some(4));
        for before in ["paid", "in_review", "partly_taken_back"] {
            assert_eq!(since(Some(before), 4), Some(4), "{before}");
        }
        let four = gone_state(Usdt(4));
        assert_eq!(since(Some(&four), 4), None);
        assert_eq!(since(Some(&four), 7), Some(3));
        assert_eq!(since(Some("taken_back"), 10), None);
        let back = bonus(BonusKind::Level, BonusStatus::TakenBack);
        let News::Gone { line, .. } = bonus_changed(UserId::fresh(), &back) else {
            panic!("nothing has gone");
        };
        let line = line.of(Usdt(3));
        assert_eq!(
            (line.amount, &line.params["usdt"]),
            (Some(Usdt(3)), &json!(Usdt(3)))
        );
    }

    #[test]
    fn what_a_closing_has_told_is_not_told_again() {
        for (kind, paid) in [
            (BonusKind::Residual, "bonus_paid_residual"),
            (BonusKind::Binary, "bonus_paid_binary"),
        ] {
            for status in [BonusStatus::Deferred, BonusStatus::InReview, BonusStatus::Lost] {
                assert_eq!(told(&bonus(kind, status)).1, None, "{status}");
            }
            // What the fund pays later, or a person sets free or refuses.
            assert_eq!(told(&bonus(kind, BonusStatus::Paid)).1, Some(paid));
            let mut refused = bonus(kind, BonusStatus::TakenBack);
            refused.refused = true;
            assert_eq!(told(&refused).1, Some("bonus_refused"));
        }
    }
}
