//! What those who decide and watch over queues hear: pure.

use super::{Line, News};
use protocol::{
    Queue,
    ids::UserId,
    money::Usdt,
    views::{AdminFreezeView, AdminGrantView, GrantAction, GrantStatus},
};
use serde_json::json;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::Uuid;

/// Those who may decide in a queue hear that somebody waits too long there.
pub fn queue_old(owner: UserId, queue: Queue, pending: i64, since: OffsetDateTime) -> News {
    News::Line(Line {
        owner,
        code: queue.row().late,
        params: json!({ "count": pending, "since": since.format(&Rfc3339).unwrap_or_default() }),
        amount: None,
        about: Uuid::nil(),
    })
}

/// Those who decide hear of an account that should be closed by now. The line names nobody: it leads to the person.
pub fn closing_late(owner: UserId, user: UserId, since: OffsetDateTime) -> News {
    News::Line(Line {
        owner,
        code: "account_closing_late",
        params: json!({ "user": user, "since": since.format(&Rfc3339).unwrap_or_default() }),
        amount: None,
        about: user.0,
    })
}

/// Those who decide hear when bonuses go above their ceiling, and when they are below it again.
pub fn payout_crossed(owner: UserId, over: bool, bonuses: Usdt, ratio: Option<&str>, ceiling: &str) -> News {
    News::Line(Line {
        owner,
        code: if over { "payout_over" } else { "payout_below" },
        params: json!({ "percent": ratio, "ceiling": ceiling }),
        amount: Some(bonuses),
        about: Uuid::nil(),
    })
}

/// Those who decide hear of everything that makes or unmakes one of them.
pub fn grant_changed(owner: UserId, grant: &AdminGrantView) -> News {
    let code = match (grant.status, grant.action) {
        (GrantStatus::Waiting, GrantAction::Add) => "admin_grant_asked_add",
        (GrantStatus::Waiting, GrantAction::Remove) => "admin_grant_asked_remove",
        (GrantStatus::Waiting, _) => "admin_change_asked",
        (GrantStatus::Done, GrantAction::Add) => "admin_grant_added",
        (GrantStatus::Done, GrantAction::Remove) => "admin_grant_removed",
        (GrantStatus::Done, _) => "admin_change_done",
        (GrantStatus::Rejected, GrantAction::Add | GrantAction::Remove) => "admin_grant_rejected",
        (GrantStatus::Rejected, _) => "admin_change_rejected",
        (GrantStatus::Lapsed, _) => return News::Nothing,
    };
    News::Line(Line {
        owner,
        code,
        params: json!({ "person": grant.person.username, "by": grant.asked_by.username, "reason": grant.reason }),
        amount: None,
        about: grant.id.0,
    })
}

pub fn freeze_changed(owner: UserId, freeze: &AdminFreezeView) -> News {
    let code = match (&freeze.ended_at, &freeze.lift_asked_by) {
        (Some(_), _) => "admin_freeze_ended",
        (None, Some(_)) => "admin_freeze_lift_asked",
        (None, None) => "admin_freeze_begun",
    };
    News::Line(Line {
        owner,
        code,
        params: json!({ "person": freeze.frozen.username, "by": freeze.frozen_by.username, "reason": freeze.reason }),
        amount: None,
        about: freeze.id.0,
    })
}

/// The others who decide hear that one of them signs in by something else than before.
pub fn guarded(owner: UserId, person: UserId, username: &str) -> News {
    News::Line(Line {
        owner,
        code: "admin_guarded",
        params: json!({ "person": username }),
        amount: None,
        about: person.0,
    })
}
