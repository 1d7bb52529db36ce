//! What somebody hears of what staff decided about them: pure.

use super::{Line, News};
use protocol::{
    ids::{LicenceId, SponsorshipId, UserId},
    money::Usdt,
    views::AccountDecision,
};
use serde_json::json;

/// Sponsored balance that was given or taken. The ledger's own fact says that it moved, and not why.
pub fn sponsorship(owner: UserId, id: SponsorshipId, added: bool, value: Usdt, reason: &str) -> News {
    News::Line(Line {
        owner,
        code: if added {
            "sponsorship_added"
        } else {
            "sponsorship_removed"
        },
        params: json!({ "sponsorship": id, "usdt": value, "reason": reason }),
        amount: Some(value),
        about: id.0,
    })
}

/// What was decided about the account itself, or about all that leaves it.
pub fn account(owner: UserId, what: AccountDecision, reason: Option<&str>) -> News {
    let code = match what {
        AccountDecision::SwitchedOff => "account_switched_off",
        AccountDecision::SwitchedOn => "account_switched_on",
        AccountDecision::RolesGiven => "roles_given",
        AccountDecision::RolesTaken => "roles_taken",
        AccountDecision::OutboundPaused => "own_outbound_paused",
        AccountDecision::OutboundResumed => "own_outbound_resumed",
    };
    News::Line(Line {
        owner,
        code,
        params: json!({ "reason": reason }),
        amount: None,
        about: owner.0,
    })
}

/// Who may no longer order operations of their own, or may again.
pub fn manual_key(owner: UserId, licence: LicenceId, number: i32, revoked: bool, reason: &str) -> News {
    News::Line(Line {
        owner,
        code: if revoked {
            "manual_key_revoked"
        } else {
            "manual_key_given_back"
        },
        params: json!({ "licence": licence, "number": number, "reason": reason }),
        amount: None,
        about: licence.0,
    })
}
