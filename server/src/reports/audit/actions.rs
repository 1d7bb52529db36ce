//! What entries of the audit tell of: a closed list, so that a filter finds what there is or is refused. A test of the pages holds it
//! against what the server writes and against the words for it.

const ACTIONS: &[&str] = &[
    "announced",
    "auth.address_given_back",
    "auth.email_change_asked",
    "auth.email_change_confirmed",
    "auth.email_change_ended",
    "auth.email_change_taken_back",
    "auth.email_changed",
    "auth.email_confirmed",
    "auth.email_corrected",
    "auth.factor",
    "auth.frozen",
    "auth.google",
    "auth.google_cleared",
    "auth.invitation_accepted",
    "auth.password_changed",
    "auth.password_reset",
    "auth.refresh_reused",
    "auth.registered",
    "auth.reset_requested",
    "auth.signed_in",
    "auth.signed_out",
    "compliance.agree",
    "compliance.decide",
    "content.attached",
    "content.changed",
    "content.created",
    "content.deleted",
    "content.detached",
    "content.published",
    "content.withdrawn",
    "crypto_deposit.approve",
    "crypto_deposit.cancel",
    "crypto_deposit.create",
    "crypto_deposit.reject",
    "crypto_deposit.reverse",
    "decision.word_fell",
    "declared_holdings.approve",
    "declared_holdings.reject",
    "exclusion.set",
    "grants.agree",
    "grants.approve",
    "grants.ask",
    "grants.freeze",
    "grants.lift",
    "grants.reject",
    "grants.unfreeze",
    "hot_wallet.gathered",
    "hot_wallet.resume",
    "hot_wallet.resume_asked",
    "hot_wallet.surplus",
    "ledger.verify",
    "licence.manual_given_back",
    "licence.manual_revoked",
    "licence.result_reversal_asked",
    "licence.result_reversed",
    "limit.set",
    "live.agree_first",
    "live.ask",
    "live.off",
    "live.on",
    "network.leg",
    "network.placed",
    "notifications.preference",
    "order.cancel",
    "order.place",
    "order.session",
    "outbound.pause",
    "outbound.resume",
    "pix_deposit.approve",
    "pix_deposit.cancel",
    "pix_deposit.create",
    "pix_deposit.proof",
    "pix_deposit.reject",
    "pix_deposit.reversal_asked",
    "pix_deposit.reverse",
    "pix_holder.put",
    "pix_holder.remove",
    "pix_statement.reconcile",
    "pool.change",
    "pool.create",
    "pool_revenue.approve",
    "pool_revenue.reject",
    "presale.agree",
    "presale.buy",
    "presale.change",
    "presale.propose",
    "presale.withdraw",
    "profile.avatar",
    "profile.changed",
    "profile.completed",
    "roles.added",
    "roles.removed",
    "settings.agree",
    "settings.agree_first",
    "settings.in_force",
    "settings.order",
    "settings.withdraw",
    "sponsorship.approve",
    "sponsorship.reject",
    "ticket.deleted",
    "ticket.mailed",
    "transfer.approve",
    "transfer.cancel",
    "transfer.reject",
    "transfer.send",
    "user.edited",
    "user.email",
    "user.factor",
    "user.invited",
    "user.note",
    "user.sessions_ended",
    "user.status",
    "wallet.phrase_revealed",
    "wallet.send",
    "wallet.swap",
    "whitelist.add",
    "whitelist.off",
    "whitelist.on",
    "whitelist.remove",
];

/// Of money that leaves, whichever way, an entry says the way and what was done.
const PAYOUTS: &[&str] = &["crypto_withdrawal", "graduation_bonus", "pix_withdrawal"];
const DEEDS: &[&str] = &[
    "approve",
    "cancel",
    "confirm",
    "expire",
    "key",
    "pay",
    "reject",
    "request",
    "requote",
    "requote_taken",
    "retry",
    "settle",
];

/// Whether entries tell of this.
pub fn known(action: &str) -> bool {
    ACTIONS.contains(&action)
        || action
            .split_once('.')
            .is_some_and(|(way, deed)| PAYOUTS.contains(&way) && DEEDS.contains(&deed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_entries_tell_of_is_known_and_nothing_else() {
        for one in ["announced", "auth.signed_in", "pix_withdrawal.pay", "user.status"] {
            assert!(known(one), "{one}");
        }
        for other in [
            "",
            "auth",
            "auth.",
            "pay",
            "user.pay",
            "pix_withdrawal.signed_in",
            "auth.signed_in.",
            "AUTH.SIGNED_IN",
        ] {
            assert!(!known(other), "{other}");
        }
    }
}
