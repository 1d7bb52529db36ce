//! What members hear of their bonuses.

use super::{Line, News};
use protocol::{
    ids::UserId,
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
    let (state, code, amount) = match bonus.status {
        BonusStatus::Paid | BonusStatus::Young => ("paid", Some(paid(bonus.kind)), bonus.paid),
        BonusStatus::Deferred => ("deferred", at_once.then_some("bonus_deferred"), bonus.waiting),
        BonusStatus::InReview => (
            "in_review",
            at_once.then_some("bonus_review"),
            bonus.paid + bonus.waiting,
        ),
        BonusStatus::Lost => ("lost", at_once.then_some("bonus_lost"), bonus.lost),
        BonusStatus::TakenBack => (
            "taken_back",
            Some("bonus_taken_back"),
            bonus.returned + bonus.dropped,
        ),
    };
    let params = json!({
        "bonus": bonus.id,
        "usdt": amount,
        "by": bonus.source,
        "number": bonus.level,
        "reason": bonus.lost_reason.map(|r| r.as_str()),
    });
    News::State {
        subject: bonus.id.0,
        version: bonus.version,
        state,
        line: code.map(|code| Line {
            owner,
            code,
            params,
            amount: Some(amount),
            about: bonus.id.0,
        }),
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
