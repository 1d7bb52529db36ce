//! What a bonus's figures say: pure.

use super::store::Row;
use crate::foundation::settings::percent;
use protocol::{
    money::Usdt,
    views::{BonusStatus, BonusView},
};
use time::OffsetDateTime;

fn status(row: &Row, now: OffsetDateTime) -> BonusStatus {
    let stays = row.paid > row.returned;
    if row.lost == row.gross {
        BonusStatus::Lost
    } else if !stays && row.waiting == 0 {
        BonusStatus::TakenBack
    } else if row.reasons.is_some() {
        BonusStatus::InReview
    } else if row.waiting > 0 {
        BonusStatus::Deferred
    } else if row.young_until.is_some_and(|until| until > now) {
        BonusStatus::Young
    } else {
        BonusStatus::Paid
    }
}

/// A bonus as its receiver sees it.
pub fn view(row: Row, now: OffsetDateTime) -> BonusView {
    BonusView {
        id: row.id,
        kind: row.kind,
        level: row.level,
        cause: row.cause_kind,
        base: Usdt(row.base),
        percentage: percent(row.rate),
        gross: Usdt(row.gross),
        paid: Usdt(row.paid),
        waiting: Usdt(row.waiting),
        lost: Usdt(row.lost),
        lost_reason: row.lost_reason,
        dropped: Usdt(row.dropped),
        returned: Usdt(row.returned),
        status: status(&row, now),
        young_until: row.young_until,
        business_day: row.business_day.to_string(),
        created_at: row.booked_at,
        version: row.version,
        source: row.source,
        review_reasons: row.reasons.unwrap_or_default(),
        refused: row.refused,
    }
}
