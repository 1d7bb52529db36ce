//! What those who decide and watch over queues hear: pure.

use super::{Line, News};
use protocol::{
    ids::UserId,
    stream_id::Queue,
    views::{AdminFreezeView, AdminGrantView, GrantAction, GrantStatus},
};
use serde_json::json;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::Uuid;

/// Those who may decide in a queue hear that somebody waits too long there.
pub fn queue_old(owner: UserId, queue: Queue, pending: i64, since: OffsetDateTime) -> News {
    let code = match queue {
        Queue::PixDeposits => "queue_old_pix_deposits",
        Queue::PixWithdrawals => "queue_old_pix_withdrawals",
        Queue::CryptoDeposits => "queue_old_crypto_deposits",
        Queue::CryptoWithdrawals => "queue_old_crypto_withdrawals",
        Queue::Transfers => "queue_old_transfers",
        Queue::Compliance => "queue_old_compliance",
        Queue::Tickets => "queue_old_tickets",
        // Told live; nobody waits for their own money behind them.
        Queue::Settings | Queue::PoolRevenue => return News::Nothing,
    };
    News::Line(Line {
        owner,
        code,
        params: json!({ "count": pending, "since": since.format(&Rfc3339).unwrap_or_default() }),
        amount: None,
        about: Uuid::nil(),
    })
}

/// Those who decide hear of everything that makes or unmakes one of them.
pub fn grant_changed(owner: UserId, grant: &AdminGrantView) -> News {
    let code = match (grant.status, grant.action) {
        (GrantStatus::Waiting, GrantAction::Add) => "admin_grant_asked_add",
        (GrantStatus::Waiting, GrantAction::Remove) => "admin_grant_asked_remove",
        (GrantStatus::Done, GrantAction::Add) => "admin_grant_added",
        (GrantStatus::Done, GrantAction::Remove) => "admin_grant_removed",
        (GrantStatus::Rejected, _) => "admin_grant_rejected",
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
