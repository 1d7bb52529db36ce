//! What each line is about: one table, by which people switch toasts.

use protocol::views::NoticeGroup::{
    self, Exchange, Licences, MoneyIn, MoneyOut, Network, News, Robots, Security, Staff, Support, Tickets,
};

/// Every code of [`super::CODES`] in its group. Lines of queues that wait are of the staff.
pub const GROUPS: &[(NoticeGroup, &[&str])] = &[
    (
        MoneyIn,
        &[
            "pix_deposit_approved",
            "pix_deposit_rejected",
            "pix_deposit_timed_out",
            "pix_deposit_reversed",
            "crypto_deposit_seen",
            "crypto_deposit_credited",
            "crypto_deposit_waits",
            "crypto_deposit_rejected",
            "crypto_deposit_timed_out",
            "crypto_deposit_reversed",
            "sponsorship_added",
            "sponsorship_removed",
            "transfer_received",
            "wallet_received",
            "pool_share",
            "pool_ended",
        ],
    ),
    (
        MoneyOut,
        &[
            "pix_withdrawal_approved",
            "pix_withdrawal_paid",
            "pix_withdrawal_requote",
            "pix_withdrawal_rejected",
            "pix_withdrawal_canceled",
            "pix_withdrawal_expired",
            "crypto_withdrawal_requote",
            "crypto_withdrawal_sent",
            "crypto_withdrawal_complete",
            "crypto_withdrawal_failed",
            "crypto_withdrawal_rejected",
            "crypto_withdrawal_canceled",
            "crypto_withdrawal_expired",
            "pyx_withdrawal_sent",
            "pyx_withdrawal_complete",
            "pyx_withdrawal_failed",
            "pyx_withdrawal_rejected",
            "pyx_withdrawal_canceled",
            "pyx_withdrawal_expired",
            "own_outbound_paused",
            "own_outbound_resumed",
            "transfer_released",
            "transfer_rejected",
            "transfer_canceled",
            "wallet_sent",
            "wallet_swapped",
            "wallet_failed",
        ],
    ),
    (
        Licences,
        &[
            "licence_bought",
            "licence_cancelled",
            "licence_ceiling",
            "licence_reversed",
            "loan_called",
        ],
    ),
    (
        Robots,
        &[
            "manual_key_revoked",
            "manual_key_given_back",
            "following_loss",
            "following_left",
            "result_reversed",
        ],
    ),
    (
        Network,
        &[
            "bonus_paid_level",
            "bonus_paid_direct_sale",
            "bonus_paid_indirect_sale",
            "bonus_paid_residual",
            "bonus_paid_binary",
            "bonus_deferred",
            "bonus_review",
            "bonus_lost",
            "bonus_taken_back",
            "bonus_refused",
            "bonus_part_taken_back",
            "bonus_rest_paid",
            "bonus_rest_refused",
            "closing_residual",
            "closing_residual_young",
            "closing_residual_review",
            "closing_residual_deferred",
            "closing_residual_lost",
            "closing_binary",
            "closing_binary_young",
            "closing_binary_review",
            "closing_binary_deferred",
            "closing_binary_lost",
            "closing_booked",
            "closing_booked_rank",
            "rank_reached",
            "graduation_bonus_sent",
            "graduation_bonus_complete",
            "graduation_bonus_failed",
        ],
    ),
    (Exchange, &["order_filled", "order_ended"]),
    (
        Support,
        &["ticket_reply", "ticket_closed", "ticket_merged", "ticket_deleted"],
    ),
    (Tickets, &["tickets_wait"]),
    (
        Staff,
        &[
            "desk_halted",
            "account_closing_late",
            "payout_over",
            "payout_below",
            "chain_reorganised",
            "ticket_said",
        ],
    ),
    (
        Security,
        &[
            "admin_grant_asked_add",
            "admin_grant_asked_remove",
            "admin_grant_added",
            "admin_grant_removed",
            "admin_grant_rejected",
            "admin_change_asked",
            "admin_change_done",
            "admin_change_rejected",
            "admin_freeze_begun",
            "admin_freeze_lift_asked",
            "admin_freeze_ended",
            "admin_guarded",
            "data_export_ready",
            "account_seen",
            "account_switched_off",
            "account_switched_on",
            "roles_given",
            "roles_taken",
            "push_device_removed",
        ],
    ),
    (News, &["announcement"]),
];

/// The group of a line.
#[must_use]
pub fn group(code: &str) -> NoticeGroup {
    GROUPS
        .iter()
        .find_map(|(group, codes)| codes.contains(&code).then_some(*group))
        .unwrap_or(Staff)
}

/// Whether who is away is mailed that there is such a line. What has a mail of its own needs no second; the network's are too many, and stand in
/// the day's digest.
#[must_use]
pub fn is_mailed_when_away(code: &str) -> bool {
    match group(code) {
        Network | News | Security => false,
        MoneyOut => !code.contains("_withdrawal_"),
        MoneyIn | Licences | Robots | Exchange | Support | Tickets | Staff => true,
    }
}

/// Whether it calls somebody whom staff switched off: to their money and their tickets, which is all that they still do here
/// (docs/rules/identity.md#inactive-accounts).
#[must_use]
pub const fn is_for_inactive(group: NoticeGroup) -> bool {
    match group {
        MoneyIn | MoneyOut | Licences | Support | Security => true,
        Robots | Network | Exchange | News | Tickets | Staff => false,
    }
}

/// The desk shows by itself what is said in tickets, and which of them wait.
#[must_use]
pub fn is_never_toasted(code: &str) -> bool {
    matches!(code, "ticket_said" | "tickets_wait")
}

/// What is pushed to those alone who have no page open: the desk shows it by itself, at once.
pub const PUSHED_WHEN_AWAY: &[&str] = &["ticket_said"];

/// The codes of a group's lines; of the staff's, those of queues that wait as well.
#[must_use]
pub fn codes(group: NoticeGroup) -> Vec<String> {
    let late = protocol::Queue::ALL
        .iter()
        .map(|queue| queue.row().late)
        .filter(|_| group == Staff);
    GROUPS
        .iter()
        .filter(|(of, _)| *of == group)
        .flat_map(|(_, codes)| codes.iter().copied())
        .chain(late)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notifications::rules::CODES;

    #[test]
    fn every_code_stands_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, codes)| codes.iter().copied())
            .collect();
        let mut codes = CODES.to_vec();
        grouped.sort_unstable();
        codes.sort_unstable();
        assert_eq!(grouped, codes);
        for queue in protocol::Queue::ALL {
            let late = queue.row().late;
            assert_eq!(group(late), Staff, "{late}");
            assert!(super::codes(Staff).contains(&late.to_owned()), "{late}");
        }
        for of in NoticeGroup::ALL.iter().copied() {
            assert!(super::codes(of).iter().all(|code| group(code) == of), "{of:?}");
        }
    }
}
